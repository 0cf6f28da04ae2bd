//! Figures of a soil that only the refined laws ask for, and how far its figures hold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known of a soil beyond the reference's parameters. Whatever is
/// absent leaves the law that needs it without effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Details {
    /// Sinkage up to which the figures were measured, m, where the source says.
    pub measured_sinkage: Option<f64>,
    /// Bulk density, kg/m³, for passive earth pressure and Reece's form. Without
    /// it passive pressure has its cohesive part only.
    pub density: Option<f64>,
    /// Growth A_u of the reload stiffness with the depth of unloading, Pa/m²;
    /// the elastic stiffness is then k₀.
    pub reload_growth: Option<f64>,
    /// Reece's moduli, which replace Bekker's k_c and k_φ.
    pub reece: Option<Reece>,
    /// Exponent a of multi-pass: no rut of a wheel grows faster than with its passes to the
    /// power 1/a; 2 where it is not said (Abebe, after Saarilahti 1991: 2 to 3 in loose soil, 3 to 4 in
    /// medium, 4 to 5 in firm).
    pub multi_pass: Option<f64>,
    /// A layer at depth.
    pub below: Option<SubLayer>,
    /// Part of its thickness that what lies above the layer has left when the body stands on the
    /// layer, below 1: of snow, which packs; of soil 0.
    #[serde(default)]
    pub packs_to: f64,
    /// A crust.
    pub crust: Option<Crust>,
    /// Shear with a peak and a residual.
    pub peak_shear: Option<PeakShear>,
    /// Growth of pressure with the speed of sinking.
    pub rate: Option<RateDependence>,
}

/// Reece's form p = (c k_c' + γ b k_φ') (z/b)ⁿ, whose moduli have no dimension
/// (A. R. Reece, Proc. IMechE 180, 1965).
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

/// A second Bekker curve that adds to the first below a depth: firm ground
/// under snow, a hardpan, frozen soil.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubLayer {
    /// Depth at which it starts, m.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub depth: f64,
    /// Its modulus k_c/b + k_φ at the widths of interest, N/m^(n+2).
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub modulus: f64,
    /// Its exponent.
    #[schemars(range(max = 3.0), extend("exclusiveMinimum" = 0.0))]
    pub n: f64,
}

impl SubLayer {
    /// Frozen ground from the surface on, 1e9 N/m³: whatever does not give way beside soil or snow will do.
    pub const FROZEN: SubLayer = SubLayer { depth: 0.0, modulus: 1e9, n: 1.0 };
}

/// A crust that bears a pressure of its own until it is pushed through:
/// p_c sin²(π z/h) over its depth of failure h, then nothing. The shape is
/// ours: smooth, with the peak at half the depth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Crust {
    /// Greatest pressure that it adds, Pa.
    #[schemars(range(min = 0.0), extend("unit" = "Pa"))]
    pub strength: f64,
    /// Sinkage at which it is broken, m.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub depth: f64,
}

/// Shear that peaks at a displacement and falls to a residual (J. Y. Wong and
/// J. Preston-Thomas, J. Terramech. 19, 1983):
/// τ/τ_max = K_r {1 + [1/(K_r (1 - 1/e)) - 1] e^(1 - j/K_w)} (1 - e^(-j/K_w)),
/// K_w being the soil's shear modulus.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeakShear {
    /// Residual part K_r of the peak, 0..1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub residual: f64,
}

/// Pressure times (1 + v/v₀)^m for a speed of sinking v: the dynamic form of
/// Bekker's equation (C. Grahn, J. Terramech. 28, 1991: pressure grows as a
/// power of the speed), shifted by v₀ so that it meets the static curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateDependence {
    /// Exponent m.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub exponent: f64,
    /// Speed v₀ at which the static figures were taken, m/s.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "m/s"))]
    pub speed: f64,
}
