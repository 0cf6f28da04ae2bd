//! Distribution of the power of a contact.

use super::vector_lanes::VectorLanes;
use crate::soil::pressure_sinkage::PressureLanes;
use bekker_math::numeric::{LaneMask, Lanes, Simd};

/// Distribution of the power -F·v - M·ω that a body transfers to the soil.
///
/// The terms are computed from the soil's state and surface, the wrench from the body's motion. The
/// agreement of both is a check, not an identity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactWork {
    /// Work of permanent sinkage in this step, J.
    pub compaction: f64,
    /// Energy that the soil under the body would return on unloading, J.
    pub elastic: f64,
    /// Power dissipated by the soil's damping, W.
    pub damping: f64,
    /// Power dissipated by shear, W.
    pub shear: f64,
    /// Power of soil that is pushed ahead or aside (passive pressure), W.
    pub bulldozing: f64,
    /// Power that pressure takes from the body beyond that of sinkage, W.
    ///
    /// It is zero where pressure acts along the normal of the body's surface. Under the reference's
    /// laws pressure acts along the ground's initial normal instead. A rim that spins faster than
    /// it rolls then moves down through that pressure, which costs power without any sinkage.
    pub spin: f64,
}

/// [`ContactWork`] summed per lane.
pub(super) struct WorkLanes<S: Simd> {
    compaction: Lanes<S>,
    elastic: Lanes<S>,
    damping: Lanes<S>,
    spin: Lanes<S>,
    /// Power of shear, W.
    pub shear: Lanes<S>,
    /// Power of bulldozing, W.
    pub bulldozing: Lanes<S>,
}

/// Input of [`WorkLanes::press`]: four nodes before and after loading.
pub(super) struct PressInput<'a, S: Simd> {
    /// Area along the initial normal, m².
    pub area: Lanes<S>,
    /// Response of the soil.
    pub pressed: &'a PressureLanes<S>,
    /// Sinkage, m.
    pub sinkage: Lanes<S>,
    /// Permanent sinkage before this step, m.
    pub residual: Lanes<S>,
    /// Pressure of the last yield before this step, Pa.
    pub yielded_at: Lanes<S>,
    /// Pressure with damping, Pa.
    pub pressure: Lanes<S>,
    /// Speed at which the body's shape sinks along the initial normal, m/s.
    pub sinking: Lanes<S>,
    /// Speed at which the material that touches the soil enters it, spin included, m/s.
    pub entering: Lanes<S>,
    /// Greatest distance by which the body can have pressed the soil in this step, m: see
    /// [`reach`].
    pub reach: Lanes<S>,
    /// Sinking of the body per growth of the sinkage.
    pub growth: Lanes<S>,
}

/// Greatest slope of a front: the slope just ahead of a wheel's axle is unbounded.
const STEEPEST: f64 = 20.0;

/// Returns the sinking speeds under a front that is no steeper than [`STEEPEST`], m/s.
#[inline(always)]
pub(super) fn limited_sinking_speed<S: Simd>(
    sinking: Lanes<S>,
    shape: &VectorLanes<S>,
) -> Lanes<S> {
    sinking.min(shape.norm() * STEEPEST)
}

/// Returns how far a body can have pressed spots since the last step, m; infinite where it was
/// already in contact.
///
/// A spot under the front of a wheel that is sunk deeper than its axle enters the contact at some
/// depth at once. The soil above it has been pushed ahead, for which vertical columns need no work.
/// It was pressed only since then, by twice the sinking speed at the end of the step: the depth of
/// a circle grows with the square root of the distance.
#[inline(always)]
pub(super) fn max_pressed_distance<S: Simd>(
    in_previous_contact: LaneMask<S>,
    sinking: Lanes<S>,
    dt: f64,
) -> Lanes<S> {
    in_previous_contact
        .select(Lanes::new(sinking.simd(), f64::INFINITY), 2.0 * dt * sinking.max(0.0))
}

impl<S: Simd> WorkLanes<S> {
    #[inline(always)]
    pub fn new(simd: S) -> WorkLanes<S> {
        let zero = Lanes::zero(simd);
        WorkLanes {
            compaction: zero,
            elastic: zero,
            damping: zero,
            spin: zero,
            shear: zero,
            bulldozing: zero,
        }
    }

    /// Adds the work and power of pressing four nodes.
    #[inline(always)]
    pub fn press(&mut self, press: &PressInput<S>) {
        let PressInput { area, pressed, pressure, .. } = *press;
        let sunk = pressed.sinkage - press.residual;
        let since = 0.5 * (press.yielded_at + pressed.pressure) * sunk + pressed.stiffening;
        let met = sunk.gt(press.reach).select(pressed.pressure * press.reach, since);
        self.compaction += sunk.gt(0.0).select(area * press.growth * met, 0.0);
        self.elastic += 0.5 * area * pressed.pressure * (press.sinkage - pressed.sinkage);
        self.damping += area * (pressure - pressed.pressure) * press.sinking;
        self.spin += area * pressure * (press.entering - press.sinking);
    }

    /// Returns the sums over all lanes.
    #[inline(always)]
    pub fn sum(&self) -> ContactWork {
        ContactWork {
            compaction: self.compaction.sum(),
            elastic: self.elastic.sum(),
            damping: self.damping.sum(),
            shear: self.shear.sum(),
            bulldozing: self.bulldozing.sum(),
            spin: self.spin.sum(),
        }
    }
}
