//! `[soil]`

use super::Place;
use bekker_ground::soil::{
    Crust, Frost, Moisture, PeakShear, RateDependence, Reece, SnowCover, SubLayer, Thaw,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which soil lies where: a soil everywhere, over it a raster of classes, over
/// that zones in the order given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoilMap {
    /// The soil wherever nothing else is said; a name from `bekker soils` or
    /// of a custom soil.
    pub default: String,
    /// A raster of soil classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raster: Option<ClassRaster>,
    /// Areas of another soil; a later one covers an earlier one.
    #[serde(default)]
    #[schemars(length(max = 50_000))]
    pub zone: Vec<Zone>,
    /// Soils of this scenario.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub custom: Vec<CustomSoil>,
}

/// A raster of soil classes, with the soil of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassRaster {
    /// A GeoTIFF or ESRI ASCII grid of whole numbers, relative to the scenario.
    pub file: PathBuf,
    /// Soil of each class, as in `classes = { 1 = "mud", 2 = "firm" }`.
    #[schemars(extend("minProperties" = 1))]
    pub classes: BTreeMap<String, String>,
}

/// An area of one soil.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// The soil.
    pub soil: String,
    /// Where.
    pub area: Area,
}

/// A part of the plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Area {
    /// Everything on one side of a line.
    HalfPlane {
        /// A point on the line, m.
        #[schemars(with = "Place")]
        through: [f64; 2],
        /// The side: a direction across the line, degrees from east towards north.
        #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
        towards_deg: f64,
    },
    /// A rectangle along the axes.
    Rectangle {
        /// South-west corner, m.
        #[schemars(with = "Place")]
        min: [f64; 2],
        /// North-east corner, m.
        #[schemars(with = "Place")]
        max: [f64; 2],
    },
    /// A strip along a segment, with flat ends.
    Band {
        /// One end of its axis, where it begins, m.
        #[schemars(with = "Place")]
        from: [f64; 2],
        /// The other end, m; another point.
        #[schemars(with = "Place")]
        to: [f64; 2],
        /// Full width, m.
        #[schemars(range(max = 1_000_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        width: f64,
    },
    /// A polygon.
    Polygon {
        /// Its corners in order, m.
        #[schemars(with = "Vec<Place>", length(min = 3, max = 10_000))]
        points: Vec<[f64; 2]>,
    },
}

/// A soil of this scenario: firm (`friction` alone), or yielding, either in
/// full or as changes to another (`based_on`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomSoil {
    /// Its name.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Catalogue soil that gives what is not given here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub based_on: Option<String>,
    /// Where the figures come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Firm ground: coefficient of friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 2.0), extend("exclusiveMinimum" = 0.0))]
    pub friction: Option<f64>,
    /// Bekker's frictional modulus, N/m^(n+2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1e12, max = 1e12))]
    pub k_phi: Option<f64>,
    /// Bekker's cohesive modulus, N/m^(n+1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1e12, max = 1e12))]
    pub k_c: Option<f64>,
    /// Exponent of sinkage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 3.0), extend("exclusiveMinimum" = 0.0))]
    pub n: Option<f64>,
    /// Cohesion, Pa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e8), extend("unit" = "Pa"))]
    pub cohesion: Option<f64>,
    /// Angle of internal friction, degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 60.0, "unit" = "deg"))]
    pub friction_angle_deg: Option<f64>,
    /// Janosi shear deformation modulus, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub shear_modulus: Option<f64>,
    /// Stiffness of unloading and reloading, Pa/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1e10), extend("exclusiveMinimum" = 0.0, "unit" = "Pa/m"))]
    pub elastic_stiffness: Option<f64>,
    /// Vertical damping, Pa s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e7), extend("unit" = "Pa s/m"))]
    pub damping: Option<f64>,
    /// Sinkage up to which the figures were measured, m; 0.3 m is assumed where it is not
    /// given. A run warns of vehicles that sink deeper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub measured_sinkage: Option<f64>,
    /// Bulk density, kg/m³: what passive earth pressure and ploughing of the refined laws
    /// need; of `snow` its own, where this is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 20_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "kg/m3"))]
    pub density: Option<f64>,
    /// Growth of the stiffness of unloading with its depth, Pa/m² (Wong's A_u;
    /// `elastic_stiffness` is then his k₀).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e13), extend("unit" = "Pa/m2"))]
    pub reload_growth: Option<f64>,
    /// Moduli of Reece's form, which replaces Bekker's; needs `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reece: Option<Reece>,
    /// Exponent a of multi-pass: ruts of rigid wheels grow no faster with their passes n than n^(1/a). 2 to 3
    /// in loose soil, 3 to 4 in medium, 4 to 5 in firm; 2 where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 100.0))]
    pub multi_pass: Option<f64>,
    /// Shallow snow over frozen ground, instead of `below`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snow: Option<SnowCover>,
    /// Strength as a factor of the soil's own: cohesion and tan φ times it, k_c and k_phi times its
    /// power 1.9. Where a soil is uncertain or differs from place to place, about 0.4 to 2.5. None is
    /// made steeper than 59°: what is stronger is taken as that, with a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10.0), extend("exclusiveMinimum" = 0.0))]
    pub strength: Option<f64>,
    /// How wet it is beside how wet it was measured: a factor of its strength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moisture: Option<Moisture>,
    /// A frozen layer on top, instead of `below`, `snow` and `thaw`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frost: Option<Frost>,
    /// A thawed layer on top of frozen ground, instead of `below`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thaw: Option<Thaw>,
    /// A layer at depth: firm ground under snow, a hardpan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<SubLayer>,
    /// A crust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crust: Option<Crust>,
    /// Shear with a peak and a residual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_shear: Option<PeakShear>,
    /// Pressure that grows with the speed of sinking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<RateDependence>,
    /// Displaced soil heaped beside the wheels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bulldozing: Option<BulldozingConfig>,
}

impl CustomSoil {
    /// Whether it gives parameters of pressure-sinkage itself, which then hold for its snow.
    pub fn gives_pressures(&self) -> bool {
        self.k_phi.is_some() || self.k_c.is_some() || self.n.is_some() || self.reece.is_some()
    }
}

/// How displaced soil heaps up and slides back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BulldozingConfig {
    /// Share of the compacted volume that rises beside the contact.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub flow_factor: f64,
    /// Slope at which heaped soil slides, degrees.
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 90.0, "unit" = "deg"))]
    pub erosion_angle_deg: f64,
    /// Sweeps of erosion in each step.
    #[schemars(range(max = 100))]
    pub erosion_sweeps: u32,
    /// Rings of nodes around the contact that the erosion reaches.
    #[schemars(range(max = 50))]
    pub erosion_rings: u32,
}

impl Default for BulldozingConfig {
    /// The reference's figures for its vehicle demonstrations.
    fn default() -> BulldozingConfig {
        BulldozingConfig {
            flow_factor: 0.8,
            erosion_angle_deg: 55.0,
            erosion_sweeps: 5,
            erosion_rings: 10,
        }
    }
}
