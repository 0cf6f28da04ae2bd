//! Terramechanics laws that a scenario selects.

use crate::config::{self, LawsPreset, Refine};
use bekker_ground::soil::Laws;

/// The laws that a scenario selects.
pub(super) fn laws(config: &config::Ground, gravity: f64) -> Laws {
    let preset = match config.laws {
        LawsPreset::Reference => Laws::reference(),
        LawsPreset::Refined => Laws::refined(),
    };
    Laws { bulldozing: config.bulldozing, gravity, ..refined(preset, &config.refine) }
}

/// The laws with individual refinements switched on or off.
pub fn refined(laws: Laws, refine: &Refine) -> Laws {
    Laws {
        bulldozing: laws.bulldozing,
        gravity: laws.gravity,
        surface_reaction: refine.surface_reaction.unwrap_or(laws.surface_reaction),
        vector_shear: refine.vector_shear.unwrap_or(laws.vector_shear),
        slip_sinkage: refine.slip_sinkage.unwrap_or(laws.slip_sinkage),
        inclined_bearing: refine.inclined_bearing.unwrap_or(laws.inclined_bearing),
        passive_pressure: refine.passive_pressure.unwrap_or(laws.passive_pressure),
        plowing: refine.plowing.unwrap_or(laws.plowing),
        multi_pass: refine.multi_pass.unwrap_or(laws.multi_pass),
        reload_stiffening: refine.reload_stiffening.unwrap_or(laws.reload_stiffening),
        reece: refine.reece.unwrap_or(laws.reece),
        layers: refine.layers.unwrap_or(laws.layers),
        peak_shear: refine.peak_shear.unwrap_or(laws.peak_shear),
        rate_dependence: refine.rate_dependence.unwrap_or(laws.rate_dependence),
    }
}
