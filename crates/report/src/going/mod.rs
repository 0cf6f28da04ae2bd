//! Mobility maps as files: cloud-optimized GeoTIFFs with styles for QGIS, pictures and routes.

mod cog;
mod folder;
mod picture;
mod scale;
mod way;

pub use cog::{Cells, Grid, write as write_raster};
pub use folder::{AskedOfMap, MapFolder, key};
pub use picture::{Layer, Maps, ShownWay, write as write_picture};
pub use scale::{Scale, class_color, write_palette, write_ramp};
pub use way::{write_csv, write_geojson, write_gpx};
