//! Builds the objects that a scenario names: soils, terrain, vehicles, sensors.
//!
//! Files are opened and catalogs are searched here. Each part reports its faults at the key that
//! names the object.

mod asset_cache;
mod autonomy;
mod convoy_paths;
mod decisive;
mod gaps;
mod laws;
mod meshes;
mod overlaps;
mod radio;
mod roadside;
mod scene_model;
mod sensors;
mod site;
mod soils;
mod strongest;
mod team;
mod terrain;
mod tows;
mod vehicles;
mod warnings;
mod world;

pub use asset_cache::AssetCache;
pub use laws::refined;
pub use meshes::{BuiltMeshes, meshes};
pub use scene_model::{props, scene_model};
pub use sensors::{camera, imu, lidar, sensors};
pub use site::site;
pub use soils::{SoilTable, custom_soil, soil_table};
pub use strongest::strongest;
pub use terrain::{BuiltTerrain, region, terrain};
pub(super) use terrain::{origin_of, png_scale};
pub use vehicles::{tracked_schema, vehicle_spec, vehicle_specs, wheeled_schema};
pub use warnings::{too_few_nodes, too_long_step};
pub use world::{BuiltWorld, world, world_with_assets};
