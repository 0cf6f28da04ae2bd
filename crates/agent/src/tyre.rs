//! State of a tire in a run: its carcass on firm ground and, if it is flexible, its belt.

use bekker_ground::scm::{Ring, RingState};
use bekker_vehicle::spec::{FlexibleTyre, Tyre, VehicleSpec};
use bekker_vehicle::tyre::{RingParameters, TyreState as Carcass};
use serde::{Deserialize, Serialize};

/// State of a tire: plain data.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TyreState {
    /// Deflection of the carcass along firm ground.
    pub carcass: Carcass,
    /// State of the belt, if the tire is flexible.
    pub ring: Option<Box<RingState>>,
}

impl Clone for TyreState {
    fn clone(&self) -> TyreState {
        TyreState { carcass: self.carcass, ring: self.ring.clone() }
    }

    /// Reuses the allocations.
    fn clone_from(&mut self, source: &TyreState) {
        self.carcass = source.carcass;
        self.ring.clone_from(&source.ring);
    }
}

impl TyreState {
    /// Releases the deflection along the ground and keeps the belt.
    pub(super) fn release(&mut self) {
        self.carcass = Carcass::default();
    }
}

/// Returns the belt of a vehicle's tires and the inflation of its first wheel, Pa, if they are
/// flexible.
pub fn belt(spec: &VehicleSpec) -> Option<(Ring, f64)> {
    let tyre = spec.tyre.flexible.as_ref()?;
    let figures = tyre.ring(spec.tyre.rigid.radius()).ok()?;
    let ring = ring(tyre, &figures, relaxation(&spec.tyre));
    Some((ring, tyre.inflation_kpa.kpa(0, 2 * spec.axles.len())))
}

/// Returns the ratio of damping to stiffness of a tire, s.
pub(super) fn relaxation(tyre: &Tyre) -> f64 {
    tyre.handling.vertical_damping / tyre.handling.vertical_stiffness
}

/// Returns the belt of a tire in the form that the contact model takes.
///
/// `relaxation` is the ratio of damping to stiffness, s.
pub fn ring(tyre: &FlexibleTyre, figures: &RingParameters, relaxation: f64) -> Ring {
    Ring {
        radius: figures.radius,
        width: figures.width,
        tension_width: figures.tension_width,
        foundation: figures.foundation,
        relaxation,
        deepest: BOTTOMS * tyre.section_height,
    }
}

/// Fraction of the section height at which a tire is compressed to its rim; assumed.
const BOTTOMS: f64 = 0.8;
