//! Soil parameters that only the refined laws need, and the range in which soil parameters are
//! valid.

use super::Laws;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Soil parameters beyond those of the reference. Where a parameter is absent, the law that needs
/// it has no effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Details {
    /// Sinkage up to which the parameters were measured, m, where the source gives it.
    pub measured_sinkage: Option<f64>,
    /// Whether it is snow, which was compared with other trials than mineral soil.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_snow: bool,
    /// Bulk density, kg/m³, for passive earth pressure and Reece's form. Where absent, passive
    /// pressure has its cohesive part only.
    pub density: Option<f64>,
    /// Stiffness k₀ of unloading and reloading at the surface, Pa/m. Where absent, it is the elastic
    /// stiffness.
    #[serde(default)]
    pub reload_stiffness: Option<f64>,
    /// Growth A_u of that stiffness with the depth of unloading, Pa/m².
    pub reload_growth: Option<f64>,
    /// Reece's moduli, which replace Bekker's k_c and k_φ.
    pub reece: Option<Reece>,
    /// Multi-pass exponent a. The rut of a wheel grows at most with the number of passes to the
    /// power 1/a. Where absent, it is 2. Values are 2 to 3 in loose soil, 3 to 4 in medium and 4 to
    /// 5 in firm soil (Abebe, after Saarilahti 1991).
    pub multi_pass: Option<f64>,
    /// A second layer below a depth.
    pub below: Option<SubLayer>,
    /// Share of its thickness that the material above the layer retains when the body rests on the
    /// layer, below 1. It applies to snow, which packs; it is 0 for soil.
    #[serde(default)]
    pub packs_to: f64,
    /// Motion resistance of a wheel in the rut of one other wheel, over its load, in snow.
    #[serde(default)]
    pub trailing_resistance: Option<f64>,
    /// A crust on the surface.
    pub crust: Option<Crust>,
    /// Shear with a peak and a residual value.
    pub peak_shear: Option<PeakShear>,
    /// Growth of the pressure with the sinking speed.
    pub rate: Option<RateDependence>,
}

impl Details {
    /// Returns k₀, Pa/m, and A_u, Pa/m², of unloading under some laws, for soil of this elastic
    /// stiffness, Pa/m.
    pub fn unloading(&self, elastic_stiffness: f64, laws: Laws) -> [f64; 2] {
        if !laws.reload_stiffening {
            return [elastic_stiffness, 0.0];
        }
        let k0 = self.reload_stiffness.unwrap_or(elastic_stiffness);
        [k0, self.reload_growth.unwrap_or(0.0)]
    }
}

/// Reece's form p = (c k_c' + γ b k_φ') (z/b)ⁿ with dimensionless moduli (A. R. Reece, Proc. IMechE
/// 180, 1965).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reece {
    /// Cohesive modulus k_c'.
    #[schemars(range(min = 0.0))]
    pub cohesive: f64,
    /// Frictional modulus k_φ'.
    #[schemars(range(min = 0.0))]
    pub frictional: f64,
}

/// A second Bekker curve that is added to the first below a depth, for firm ground under snow, a
/// hardpan or frozen soil.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubLayer {
    /// Depth at which the layer starts, m.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub depth: f64,
    /// Modulus k_c/b + k_φ of the layer at the widths of interest, N/m^(n+2).
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub modulus: f64,
    /// Sinkage exponent of the layer.
    #[schemars(range(max = 3.0), extend("exclusiveMinimum" = 0.0))]
    pub n: f64,
}

impl SubLayer {
    /// Frozen ground from the surface on, 1e9 N/m³. Any value that is rigid compared with soil or
    /// snow is sufficient.
    pub const FROZEN: SubLayer = SubLayer { depth: 0.0, modulus: 1e9, n: 1.0 };
}

/// A crust that bears an additional pressure until it breaks: p_c sin²(π z/h) up to its failure
/// depth h, then zero. The shape is specific to bekker: it is smooth, with the peak at half the
/// depth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Crust {
    /// Maximum pressure p_c that the crust adds, Pa.
    #[schemars(range(min = 0.0), extend("unit" = "Pa"))]
    pub strength: f64,
    /// Sinkage h at which the crust is broken, m.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub depth: f64,
}

/// Shear that peaks at a displacement and falls to a residual value (J. Y. Wong and J.
/// Preston-Thomas, J. Terramech. 19, 1983): τ/τ_max = K_r {1 + [1/(K_r (1 - 1/e)) - 1] e^(1 -
/// j/K_w)} (1 - e^(-j/K_w)), where K_w is the soil's shear modulus.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeakShear {
    /// Residual share K_r of the peak, 0 to 1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub residual: f64,
}

/// Pressure times (1 + v/v₀)^m at a sinking speed v. It is the dynamic form of Bekker's equation
/// (C. Grahn, J. Terramech. 28, 1991: pressure grows as a power of the speed), shifted by v₀ so
/// that it matches the static curve at zero speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateDependence {
    /// Exponent m of the sinking speed.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub exponent: f64,
    /// Speed v₀ at which the static parameters were measured, m/s.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "m/s"))]
    pub speed: f64,
}
