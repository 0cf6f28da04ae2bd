//! Mobility maps as files: cloud-optimized GeoTIFFs with styles for QGIS, pictures and routes.

mod cog;
mod folder;
mod picture;
mod route_file;
mod scale;

pub use cog::{RasterCells, RasterGrid, write as write_raster};
pub use folder::{MapFolder, MapRequest, key};
pub use picture::{MapLayer, MapSheet, RouteOverlay, write as write_picture};
pub use route_file::{write_csv, write_geojson, write_gpx};
pub use scale::{ColorScale, class_color, write_palette, write_ramp};
