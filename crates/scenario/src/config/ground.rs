//! `[ground]`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How finely and by which laws the soil is modelled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ground {
    /// Distance between soil nodes, m.
    #[schemars(range(min = 0.002, max = 0.5), extend("unit" = "m"))]
    pub spacing: f64,
    /// Preset of the soil laws.
    pub laws: LawsPreset,
    /// Heap displaced soil beside the wheels. Soils that do not say how take
    /// the defaults of `soil.custom.bulldozing`.
    pub bulldozing: bool,
    /// Refinements switched on or off against the preset.
    pub refine: Refine,
}

/// Single refinements of the soil laws; what is not given is as in the preset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Refine {
    /// Reaction along the contact surface instead of the initial normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface_reaction: Option<bool>,
    /// Shear as a vector that unloads and turns, and holds at rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector_shear: Option<bool>,
    /// Sinkage that grows with slip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slip_sinkage: Option<bool>,
    /// Less bearing under a load that shear leans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inclined_bearing: Option<bool>,
    /// Passive earth pressure on fronts and side walls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passive_pressure: Option<bool>,
    /// Soil that wheels push ahead or aside is not pressed by them, and heaps before the
    /// face, for soils that state their density.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ploughing: Option<bool>,
    /// Ruts of rigid wheels grow no faster with their passes n than n^(1/a).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_pass: Option<bool>,
    /// Reload stiffness that grows with depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_stiffening: Option<bool>,
    /// Reece's form of the pressure, for soils that state its moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reece: Option<bool>,
    /// Layers and crusts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<bool>,
    /// Shear with a peak and a residual.
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

/// A preset of the soil laws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LawsPreset {
    /// The laws of the reference's Soil Contact Model, without its faults.
    Reference,
    /// Every refinement of the soil model on; each can be switched off under
    /// `ground.refine`.
    Refined,
}
