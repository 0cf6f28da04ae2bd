//! `[ground]`: resolution and laws of the soil.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Resolution and laws of the soil model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ground {
    /// Distance between soil nodes, m.
    #[schemars(range(min = 0.002, max = 0.5), extend("unit" = "m"))]
    pub spacing: f64,
    /// Preset of the soil laws.
    pub laws: LawsPreset,
    /// Whether displaced soil heaps up beside the wheels. Soils without their own values use the
    /// defaults of `soil.custom.bulldozing`.
    pub bulldozing: bool,
    /// Refinements to switch on or off, relative to the preset.
    pub refine: Refine,
}

/// Single refinements of the soil laws. A refinement that is absent is as in the preset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Refine {
    /// Reaction along the contact surface instead of the initial normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface_reaction: Option<bool>,
    /// Shear as a vector that unloads and turns, and holds at rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector_shear: Option<bool>,
    /// Sinkage that grows with slip, up to a slip of one half.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slip_sinkage: Option<bool>,
    /// Reduced bearing capacity under a load that shear inclines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inclined_bearing: Option<bool>,
    /// Passive earth pressure on fronts and side walls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passive_pressure: Option<bool>,
    /// Soil that wheels push ahead or aside heaps before the face instead of being compacted.
    #[serde(alias = "ploughing", skip_serializing_if = "Option::is_none")]
    pub plowing: Option<bool>,
    /// Ruts of rigid wheels grow no faster than n^(1/a) with the number n of passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_pass: Option<bool>,
    /// Reload stiffness that grows with depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_stiffening: Option<bool>,
    /// Reece's form of the pressure, for soils that set its moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reece: Option<bool>,
    /// Layers and crusts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<bool>,
    /// Shear stress with a peak and a residual.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_shear: Option<bool>,
    /// Pressure that grows with the speed of sinking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_dependence: Option<bool>,
}

impl Default for Ground {
    fn default() -> Ground {
        Ground {
            spacing: 0.05,
            laws: LawsPreset::Refined,
            bulldozing: false,
            refine: Refine::default(),
        }
    }
}

/// Preset of the soil laws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LawsPreset {
    /// The laws of the reference's Soil Contact Model, without its faults.
    Reference,
    /// All refinements of the soil model. Each can be switched off under `ground.refine`.
    Refined,
}
