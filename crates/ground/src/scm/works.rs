//! Where the power of a contact goes.

use super::vectors::Vectors;
use crate::soil::pressure_sinkage::PressedLanes;
use bekker_math::numeric::{Lanes, Simd, Where};

/// Where the power -F·v - M·ω that a body gives to the soil goes. The terms are
/// taken from the soil's side (its memory, its surface), the wrench from the
/// body's: that both agree is a check, not an identity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Works {
    /// Work that sank the soil for good in this step, J.
    pub compaction: f64,
    /// Energy that the soil under the body would give back if it were let go, J.
    pub elastic: f64,
    /// Power that the soil's damping takes, W.
    pub damping: f64,
    /// Power that shear takes out of the body's sliding, W.
    pub shear: f64,
    /// Power that goes into soil that is pushed ahead or aside (passive pressure), W.
    pub bulldozing: f64,
    /// Power that pressure takes from the body beyond what it sinks, W: nothing
    /// where it acts along the body's surface. Where it acts along the ground's
    /// initial normal, as under the reference's laws, a rim that spins faster
    /// than it rolls goes down through it, and pays for a sinking that is not.
    pub spin: f64,
}

/// [`Works`] summed up in lanes.
pub(super) struct WorkLanes<S: Simd> {
    compaction: Lanes<S>,
    elastic: Lanes<S>,
    damping: Lanes<S>,
    spin: Lanes<S>,
    /// W.
    pub shear: Lanes<S>,
    /// W.
    pub bulldozing: Lanes<S>,
}

/// What is pressed, and how it came about.
pub(super) struct Press<'a, S: Simd> {
    /// Area along the initial normal, m².
    pub area: Lanes<S>,
    /// What the soil answers.
    pub pressed: &'a PressedLanes<S>,
    /// Sinkage, m.
    pub sinkage: Lanes<S>,
    /// Sinkage that stayed until now, m.
    pub residual: Lanes<S>,
    /// Pressure of the last yield until now, Pa.
    pub yielded_at: Lanes<S>,
    /// Pressure with damping, Pa.
    pub pressure: Lanes<S>,
    /// Speed at which the body's shape sinks along the initial normal, m/s.
    pub sinking: Lanes<S>,
    /// The same of what touches the soil, spin included, m/s.
    pub entering: Lanes<S>,
    /// How far the body can have pressed the soil in this step, m: [`reach`].
    pub reach: Lanes<S>,
}

/// A front steeper than this counts as so steep: the slope just ahead of a wheel's
/// axle has no bound.
const STEEPEST: f64 = 20.0;

/// Speeds of sinking under a front that is no steeper than [`STEEPEST`], m/s.
#[inline(always)]
pub(super) fn pressing<S: Simd>(sinking: Lanes<S>, shape: &Vectors<S>) -> Lanes<S> {
    sinking.min(shape.norm() * STEEPEST)
}

/// How far a body can have pressed spots since the last step, m: without bound
/// where it was in contact already. A spot under the front of a wheel that lies
/// deeper than its axle is met at a depth at once. What was above has been pushed
/// ahead, for which vertical columns ask no work; pressed it was since then alone,
/// by twice the sinking at the end of the step, for a circle's depth grows with the
/// root of the way.
#[inline(always)]
pub(super) fn reach<S: Simd>(stayed: Where<S>, sinking: Lanes<S>, dt: f64) -> Lanes<S> {
    stayed.pick(Lanes::of(sinking.simd(), f64::INFINITY), 2.0 * dt * sinking.max(0.0))
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

    /// Adds what pressing four nodes takes.
    #[inline(always)]
    pub fn press(&mut self, press: &Press<S>) {
        let Press { area, pressed, pressure, .. } = *press;
        let sunk = pressed.sinkage - press.residual;
        let since = 0.5 * (press.yielded_at + pressed.pressure) * sunk;
        let met = sunk.gt(press.reach).pick(pressed.pressure * press.reach, since);
        self.compaction += sunk.gt(0.0).pick(area * met, 0.0);
        self.elastic += 0.5 * area * pressed.pressure * (press.sinkage - pressed.sinkage);
        self.damping += area * (pressure - pressed.pressure) * press.sinking;
        self.spin += area * pressure * (press.entering - press.sinking);
    }

    /// The sums over all lanes.
    #[inline(always)]
    pub fn sum(&self) -> Works {
        Works {
            compaction: self.compaction.sum(),
            elastic: self.elastic.sum(),
            damping: self.damping.sum(),
            shear: self.shear.sum(),
            bulldozing: self.bulldozing.sum(),
            spin: self.spin.sum(),
        }
    }
}
