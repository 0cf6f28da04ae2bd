//! `[soil]`: the soils of the ground.

use super::Location;
use bekker_ground::soil::{
    Crust, Frost, Moisture, PeakShear, RateDependence, Reece, SnowCover, SubLayer, Thaw,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Soils and the areas that they cover. The default soil covers everything, a raster of classes
/// covers it, and zones cover both, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SoilMap")]
pub struct SoilMapConfig {
    /// Soil wherever no raster or zone applies: a name from `bekker soils` or of a custom soil.
    pub default: String,
    /// Strength of all soils, as a factor of their own strength. It multiplies `strength` of a
    /// custom soil, and the friction of firm ground up to 2. Where absent, it is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10.0), extend("exclusiveMinimum" = 0.0))]
    pub strength: Option<f64>,
    /// Raster of soil classes. Where absent, there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raster: Option<ClassRaster>,
    /// Areas of another soil. A later zone covers an earlier one.
    #[serde(default)]
    #[schemars(length(max = 50_000))]
    pub zone: Vec<Zone>,
    /// Custom soils of this scenario.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub custom: Vec<CustomSoil>,
}

/// A raster of soil classes and the soil of each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassRaster {
    /// GeoTIFF or ESRI ASCII grid of whole numbers, relative to the scenario.
    pub file: PathBuf,
    /// Soil of each class, as in `classes = { 1 = "mud", 2 = "firm" }`.
    #[schemars(extend("minProperties" = 1))]
    pub classes: BTreeMap<String, String>,
}

/// An area of one soil.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Name of the soil.
    pub soil: String,
    /// Area that the soil covers.
    pub area: AreaConfig,
}

/// An area of the ground plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Area")]
pub enum AreaConfig {
    /// Everything on one side of a line.
    HalfPlane {
        /// Point on the line, m.
        #[schemars(with = "Location")]
        through: [f64; 2],
        /// Direction across the line towards the covered side, degrees from east towards north.
        #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
        towards_deg: f64,
    },
    /// A rectangle along the axes.
    Rectangle {
        /// South-west corner, m.
        #[schemars(with = "Location")]
        min: [f64; 2],
        /// North-east corner, m.
        #[schemars(with = "Location")]
        max: [f64; 2],
    },
    /// A strip along a segment, with flat ends.
    Band {
        /// Start of the segment, m.
        #[schemars(with = "Location")]
        from: [f64; 2],
        /// End of the segment, m. It must differ from `from`.
        #[schemars(with = "Location")]
        to: [f64; 2],
        /// Full width, m.
        #[schemars(range(max = 1_000_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        width: f64,
    },
    /// A polygon.
    Polygon {
        /// Corners in order, m.
        #[schemars(with = "Vec<Location>", length(min = 3, max = 10_000))]
        points: Vec<[f64; 2]>,
    },
}

/// A custom soil. It is firm (`friction` alone) or deformable. A deformable soil is specified in
/// full or as changes to another soil (`based_on`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomSoil {
    /// Name of the soil.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Catalog soil that provides all values that are not set here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub based_on: Option<String>,
    /// Source of the soil parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Coefficient of friction of firm ground.
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
    /// Stiffness of unloading and reloading, Pa/m. Where `reload_stiffness` is given, it applies
    /// with `laws = "reference"` and to the first loading up to Bekker's curve only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1e10), extend("exclusiveMinimum" = 0.0, "unit" = "Pa/m"))]
    pub elastic_stiffness: Option<f64>,
    /// Vertical damping, Pa s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e7), extend("unit" = "Pa s/m"))]
    pub damping: Option<f64>,
    /// Sinkage up to which the parameters were measured, m. A run warns about vehicles that sink
    /// deeper. Where absent, 0.3 m is assumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub measured_sinkage: Option<f64>,
    /// Bulk density, kg/m³, which the refinements `passive_pressure` and `plowing` use. Where
    /// absent, it is that of `snow`, otherwise that of the base, otherwise 1500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 20_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "kg/m3"))]
    pub density: Option<f64>,
    /// Wong's stiffness k₀ of unloading at the surface, Pa/m, for the refinement
    /// `reload_stiffening`. Where absent, it is `elastic_stiffness`, or that of the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e10), extend("unit" = "Pa/m"))]
    pub reload_stiffness: Option<f64>,
    /// Growth of the unloading stiffness with its depth, Pa/m². It is Wong's A_u: soil unloads
    /// from the depth z along k₀ + A_u z, and at least a third of its sinkage remains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e13), extend("unit" = "Pa/m2"))]
    pub reload_growth: Option<f64>,
    /// Moduli of Reece's form, which replaces Bekker's form. It needs `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reece: Option<Reece>,
    /// Multi-pass exponent a. After n passes, ruts of rigid wheels grow no faster than n^(1/a). It
    /// is 2 to 3 in loose soil, 3 to 4 in medium and 4 to 5 in firm soil. Where absent, it is 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 100.0))]
    pub multi_pass: Option<f64>,
    /// Shallow snow over frozen ground, instead of `below`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snow: Option<SnowCover>,
    /// Strength as a factor of the soil's own strength. Cohesion and tan φ are multiplied by it,
    /// k_c and k_phi by its power 1.9. Use about 0.4 to 2.5 where a soil is uncertain or varies.
    /// The friction angle is limited to 59°: a stronger soil is reduced to that, with a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10.0), extend("exclusiveMinimum" = 0.0))]
    pub strength: Option<f64>,
    /// Moisture relative to that of the measurement. It changes the strength by a factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moisture: Option<Moisture>,
    /// Frozen layer on top, instead of `below`, `snow` and `thaw`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frost: Option<Frost>,
    /// Thawed layer on top of frozen ground, instead of `below`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thaw: Option<Thaw>,
    /// Layer at depth, such as firm ground under snow or a hardpan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<SubLayer>,
    /// Crust on top of the soil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crust: Option<Crust>,
    /// Shear stress with a peak and a residual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_shear: Option<PeakShear>,
    /// Pressure that grows with the speed of sinking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<RateDependence>,
    /// Displaced soil that heaps up beside the wheels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bulldozing: Option<BulldozingConfig>,
}

impl CustomSoil {
    /// Returns whether the soil sets pressure-sinkage parameters itself, which then apply to its
    /// snow.
    pub fn has_pressure_sinkage(&self) -> bool {
        self.k_phi.is_some() || self.k_c.is_some() || self.n.is_some() || self.reece.is_some()
    }
}

/// Heaping and sliding of displaced soil.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BulldozingConfig {
    /// Share of the compacted volume that rises beside the contact.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub flow_factor: f64,
    /// Slope above which heaped soil slides, degrees.
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
    /// Returns the values of the reference's vehicle demonstrations.
    fn default() -> BulldozingConfig {
        BulldozingConfig {
            flow_factor: 0.8,
            erosion_angle_deg: 55.0,
            erosion_sweeps: 5,
            erosion_rings: 10,
        }
    }
}
