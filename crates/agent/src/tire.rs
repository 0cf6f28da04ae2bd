//! State of a tire in a run: its carcass on firm ground and, if it is flexible, its belt.

use bekker_ground::scm::{Ring, RingState};
use bekker_vehicle::spec::{FlexibleTireSpec, Tire, VehicleSpec};
use bekker_vehicle::tire::{RingParameters, TireState as Carcass};
use serde::{Deserialize, Serialize};

/// State of a tire: plain data.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TireContactState {
    /// Deflection of the carcass along firm ground.
    pub carcass: Carcass,
    /// State of the belt, if the tire is flexible.
    pub ring: Option<Box<RingState>>,
}

impl Clone for TireContactState {
    fn clone(&self) -> TireContactState {
        TireContactState { carcass: self.carcass, ring: self.ring.clone() }
    }

    /// Reuses the allocations.
    fn clone_from(&mut self, source: &TireContactState) {
        self.carcass = source.carcass;
        self.ring.clone_from(&source.ring);
    }
}

impl TireContactState {
    /// Releases the deflection along the ground and keeps the belt.
    pub(super) fn release(&mut self) {
        self.carcass = Carcass::default();
    }
}

/// Returns the belt of a vehicle's tires and the inflation of its first wheel, Pa, if they are
/// flexible.
pub fn belt(spec: &VehicleSpec) -> Option<(Ring, f64)> {
    let tire = spec.tire.flexible.as_ref()?;
    let figures = tire.ring(spec.tire.rigid.radius()).ok()?;
    let ring = ring(tire, &figures, relaxation(&spec.tire));
    Some((ring, tire.inflation_kpa.kpa(0, 2 * spec.axles.len())))
}

/// Returns the ratio of damping to stiffness of a tire, s.
pub(super) fn relaxation(tire: &Tire) -> f64 {
    tire.handling.vertical_damping / tire.handling.vertical_stiffness
}

/// Returns the belt of a tire in the form that the contact model takes.
///
/// `relaxation` is the ratio of damping to stiffness, s.
pub fn ring(tire: &FlexibleTireSpec, figures: &RingParameters, relaxation: f64) -> Ring {
    Ring {
        radius: figures.radius,
        width: figures.width,
        tension_width: figures.tension_width,
        foundation: figures.foundation,
        relaxation,
        deepest: BOTTOMS * tire.section_height,
    }
}

/// Fraction of the section height at which a tire is compressed to its rim; assumed.
const BOTTOMS: f64 = 0.8;
