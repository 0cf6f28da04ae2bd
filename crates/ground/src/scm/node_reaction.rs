//! Reaction of the soil at four nodes.

use super::scratch::{LaneReaction, NodeLanes};
use super::stiff::{self};
use super::vector_lanes::VectorLanes;
use crate::WorkingTile;
use crate::soil::DeformableSoil;
use crate::soil::pressure_sinkage::PressureLanes;
use bekker_math::numeric::{LaneMask, Lanes, Simd, WIDTH, per_lane};

/// Replaces the slope of soil that is too stiff for the step by that of its elastic line. A body
/// that rebounds within the step unloads the soil along that line, not along the virgin curve.
#[inline(always)]
pub(super) fn steepen<S: Simd>(
    soil: &DeformableSoil,
    advance: Lanes<S>,
    pressed: &mut PressureLanes<S>,
) {
    if soil.elastic_stiffness <= stiff::PRESSURE_SLOPE {
        return;
    }
    let steep = advance.ge(0.0) & pressed.slope.gt(stiff::PRESSURE_SLOPE);
    pressed.slope = steep.select(pressed.slope.max(soil.elastic_stiffness), pressed.slope);
}

/// Reaction of the soil at four nodes.
pub(super) struct SoilReaction<S: Simd> {
    pub pressure: Lanes<S>,
    pub normal: VectorLanes<S>,
    pub area: Lanes<S>,
    pub slope: Lanes<S>,
    /// Recoverable sinkages, m.
    pub elastic: Lanes<S>,
    pub part: Lanes<S>,
    /// Damping beyond [`stiff::DAMPING`] divided by the step, Pa/m: a stiffness for a belt.
    pub damping_stiffness: Lanes<S>,
}

impl<S: Simd> SoilReaction<S> {
    /// Stores the reaction for a flexible body.
    #[inline(always)]
    pub fn store(&self, four: &NodeLanes, reaction: &mut LaneReaction) {
        let pressed = LaneMask::from_bits(self.area.simd(), four.pressed);
        reaction.pressure = pressed.select(self.pressure, 0.0).to_array();
        reaction.normal = self.normal.to_arrays();
        reaction.area = pressed.select(self.area, 0.0).to_array();
        reaction.slope = pressed.select(self.slope, 0.0).to_array();
        let unloading_slope = self.pressure / self.elastic.max(1e-9);
        reaction.unloading_slope = pressed.select(unloading_slope.max(self.slope), 0.0).to_array();
        reaction.part = self.part.to_array();
        reaction.damping_stiffness = pressed.select(self.damping_stiffness, 0.0).to_array();
    }
}

/// Returns how long nodes have slid in a step of `dt` s, s. Nodes that were not in contact before
/// slid only since first contact, during the last `sunk` m of sinkage.
#[inline(always)]
pub(super) fn sliding_time<S: Simd>(
    in_previous_contact: LaneMask<S>,
    sunk: Lanes<S>,
    sinking: Lanes<S>,
    dt: f64,
) -> Lanes<S> {
    if !(!in_previous_contact).any() {
        return Lanes::new(sunk.simd(), dt);
    }
    let met = (sunk / sinking).max(0.0).min(dt);
    in_previous_contact.select(dt, sinking.gt(0.0).select(met, 0.5 * dt))
}

/// Returns which nodes were in contact in the previous step.
#[inline(always)]
pub(super) fn in_previous_contact<S: Simd>(
    simd: S,
    tiles: &[&WorkingTile; WIDTH],
    index: &[usize; WIDTH],
) -> LaneMask<S> {
    let bits = per_lane(|k| u32::from(tiles[k].was_in_contact(index[k])) << k);
    LaneMask::from_bits(simd, bits[0] | bits[1] | bits[2] | bits[3])
}
