//! Conditions of a map's ground besides its soil: one value everywhere, or a raster.

use bekker_scenario::config::RoughnessConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Conditions of the ground besides its soil, uniform or by location.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Conditions {
    /// Strength of the soil, as a factor on the strength of its parameters, like the ratio of two
    /// cone indices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<Layer<f64>>,
    /// Moisture as a share of the dry mass. It applies to soils that have `moisture`, which relates
    /// their strength to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moisture: Option<Layer<f64>>,
    /// Roughness as a class of ISO 8608. It replaces the roughness of the terrain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roughness: Option<Layer<RoughnessConfig>>,
    /// Depth of snow, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snow: Option<SnowLayer>,
    /// Depth of frost, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frost: Option<FrostLayer>,
    /// Tree stems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stems: Option<Layer<Stems>>,
    /// Ridges across the direction of travel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ridges: Option<Layer<Ridges>>,
}

/// A condition: one value everywhere, a raster of numbers, or a raster of classes with a value for
/// each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>")
)]
pub struct Layer<T> {
    /// Value everywhere, or where the raster has no data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<T>,
    /// Raster file: a GeoTIFF or ESRI ASCII grid in the coordinates of the elevation model. The
    /// path is relative to the map's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Value of each class of the raster. Without classes, the numbers of the raster are the
    /// values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<String, T>,
}

/// Snow over all soils.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnowLayer {
    /// Name of the snow: one of `soil.custom` that has `snow`. Its depth is replaced by `depth`.
    pub soil: String,
    /// Depth of the snow, m, in steps of 0.05 m. At 0 there is no snow.
    pub depth: Layer<f64>,
}

/// Frozen ground, for deformable soils.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrostLayer {
    /// Whether the ground was wet when it froze.
    #[serde(default)]
    pub wet: bool,
    /// Depth of the frost, m, in steps of 0.05 m. At 0 there is no frost.
    pub depth: Layer<f64>,
}

/// A stand of identical, evenly spaced tree stems.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stems {
    /// Diameter of a stem, m.
    #[schemars(range(min = 0.01, max = 2.0), extend("unit" = "m"))]
    pub diameter: f64,
    /// Distance from stem to stem, m.
    #[schemars(range(min = 0.5, max = 1000.0), extend("unit" = "m"))]
    pub spacing: f64,
}

/// Ridges that cannot be driven around.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ridges {
    /// Height of a ridge, m.
    #[schemars(range(min = 0.01, max = 5.0), extend("unit" = "m"))]
    pub height: f64,
    /// Width of a ridge at its foot, m.
    #[schemars(range(min = 0.1, max = 20.0), extend("unit" = "m"))]
    pub width: f64,
    /// Distance from ridge to ridge, m.
    #[schemars(range(min = 1.0, max = 1000.0), extend("unit" = "m"))]
    pub spacing: f64,
}
