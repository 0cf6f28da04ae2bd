//! Maps of where a vehicle goes and how fast, as files: cloud-optimised GeoTIFFs with styles for
//! QGIS, pictures, ways over them.

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
