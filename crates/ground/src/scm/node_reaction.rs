//! Reaction of the soil at four nodes.

use super::scratch::{Four, Reaction};
use super::stiff::{self};
use super::vectors::Vectors;
use crate::WorkingTile;
use crate::soil::Yielding;
use crate::soil::pressure_sinkage::PressedLanes;
use bekker_math::numeric::{Lanes, Simd, WIDTH, Where, each};

/// Replaces the slope of soil that is too stiff for the step by that of its elastic line. A body
/// that rebounds within the step unloads the soil along that line, not along the virgin curve.
#[inline(always)]
pub(super) fn steepen<S: Simd>(soil: &Yielding, advance: Lanes<S>, pressed: &mut PressedLanes<S>) {
    if soil.elastic_stiffness <= stiff::PRESSURE_SLOPE {
        return;
    }
    let steep = advance.ge(0.0) & pressed.slope.gt(stiff::PRESSURE_SLOPE);
    pressed.slope = steep.pick(pressed.slope.max(soil.elastic_stiffness), pressed.slope);
}

/// Reaction of the soil at four nodes.
pub(super) struct React<S: Simd> {
    pub pressure: Lanes<S>,
    pub normal: Vectors<S>,
    pub area: Lanes<S>,
    pub slope: Lanes<S>,
    /// Recoverable sinkages, m.
    pub elastic: Lanes<S>,
    pub part: Lanes<S>,
    /// Damping beyond [`stiff::DAMPING`] divided by the step, Pa/m: a stiffness for a belt.
    pub holds: Lanes<S>,
}

impl<S: Simd> React<S> {
    /// Stores the reaction for a flexible body.
    #[inline(always)]
    pub fn store(&self, four: &Four, reaction: &mut Reaction) {
        let pressed = Where::of_bits(self.area.simd(), four.pressed);
        reaction.pressure = pressed.pick(self.pressure, 0.0).numbers();
        reaction.normal = self.normal.parts();
        reaction.area = pressed.pick(self.area, 0.0).numbers();
        reaction.slope = pressed.pick(self.slope, 0.0).numbers();
        let eases = self.pressure / self.elastic.max(1e-9);
        reaction.eases = pressed.pick(eases.max(self.slope), 0.0).numbers();
        reaction.part = self.part.numbers();
        reaction.holds = pressed.pick(self.holds, 0.0).numbers();
    }
}

/// Returns how long nodes have slid in a step of `dt` s, s. Nodes that were not in contact before
/// slid only since first contact, during the last `sunk` m of sinkage.
#[inline(always)]
pub(super) fn slid_for<S: Simd>(
    stayed: Where<S>,
    sunk: Lanes<S>,
    sinking: Lanes<S>,
    dt: f64,
) -> Lanes<S> {
    if !(!stayed).any() {
        return Lanes::of(sunk.simd(), dt);
    }
    let met = (sunk / sinking).max(0.0).min(dt);
    stayed.pick(dt, sinking.gt(0.0).pick(met, 0.5 * dt))
}

/// Returns which nodes were in contact in the previous step.
#[inline(always)]
pub(super) fn stayed<S: Simd>(
    simd: S,
    tiles: &[&WorkingTile; WIDTH],
    index: &[usize; WIDTH],
) -> Where<S> {
    let bits = each(|k| u32::from(tiles[k].was_in_contact(index[k])) << k);
    Where::of_bits(simd, bits[0] | bits[1] | bits[2] | bits[3])
}
