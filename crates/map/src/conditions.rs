//! Conditions of a map's ground besides its soil: one value everywhere, or a raster.

use bekker_scenario::config::Roughness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What the ground is like besides its soil, here and there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Conditions {
    /// Strength of the soil, a factor to that of its figures, as the ratio of two cone indices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<Layer<f64>>,
    /// Moisture, a share of the dry mass, of soils that say by `moisture` how their strength falls
    /// with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moisture: Option<Layer<f64>>,
    /// Roughness, a class of ISO 8608, instead of the terrain's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roughness: Option<Layer<Roughness>>,
    /// Depth of snow, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snow: Option<SnowLayer>,
    /// Depth of frost, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frost: Option<FrostLayer>,
    /// Stems of trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stems: Option<Layer<Stems>>,
    /// Ridges across the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ridges: Option<Layer<Ridges>>,
}

/// A condition: one value everywhere, a raster of numbers, or one of classes each with its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>")
)]
pub struct Layer<T> {
    /// The value everywhere, or where the raster has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<T>,
    /// A GeoTIFF or ESRI ASCII grid in the coordinates of the elevation model, relative to the
    /// map's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The value of each class of the raster; without classes its numbers are the values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<String, T>,
}

/// Snow over all soils.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnowLayer {
    /// The snow: one of `soil.custom` that has `snow`, whose depth is replaced.
    pub soil: String,
    /// Its depth, m; taken in steps of 0.05 m. At 0 there is none.
    pub depth: Layer<f64>,
}

/// Frozen ground, of soils that yield.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrostLayer {
    /// Whether it was wet as it froze.
    #[serde(default)]
    pub wet: bool,
    /// Its depth, m; taken in steps of 0.05 m. At 0 there is none.
    pub depth: Layer<f64>,
}

/// A stand of stems, all alike and evenly spaced.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stems {
    /// Diameter, m.
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
    /// Height, m.
    #[schemars(range(min = 0.01, max = 5.0), extend("unit" = "m"))]
    pub height: f64,
    /// Width at the foot, m.
    #[schemars(range(min = 0.1, max = 20.0), extend("unit" = "m"))]
    pub width: f64,
    /// Distance from ridge to ridge, m.
    #[schemars(range(min = 1.0, max = 1000.0), extend("unit" = "m"))]
    pub spacing: f64,
}
