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
}

impl Default for Ground {
    fn default() -> Ground {
        Ground { spacing: 0.05, laws: LawsPreset::Reference, bulldozing: false }
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
