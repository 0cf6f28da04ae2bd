//! A tyre in a run: its carcass along the ground and, where it gives way, its belt.

use bekker_ground::scm::{Ring, RingState};
use bekker_vehicle::spec::{FlexibleTyre, Tyre, VehicleSpec};
use bekker_vehicle::tyre::{RingFigures, TyreState as Carcass};
use serde::{Deserialize, Serialize};

/// State of a tyre: plain data.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TyreState {
    /// How far its carcass is drawn along firm ground.
    pub carcass: Carcass,
    /// Its belt, if it gives way.
    pub ring: Option<Box<RingState>>,
}

impl Clone for TyreState {
    fn clone(&self) -> TyreState {
        TyreState { carcass: self.carcass, ring: self.ring.clone() }
    }

    /// Into the room that there is.
    fn clone_from(&mut self, source: &TyreState) {
        self.carcass = source.carcass;
        self.ring.clone_from(&source.ring);
    }
}

impl TyreState {
    /// Lets go what is drawn along the ground; what presses stays.
    pub(super) fn release(&mut self) {
        self.carcass = Carcass::default();
    }
}

/// The belt of a vehicle's tyres and the inflation of its first wheel, Pa, if they give way.
pub fn belt(spec: &VehicleSpec) -> Option<(Ring, f64)> {
    let tyre = spec.tyre.flexible.as_ref()?;
    let figures = tyre.ring(spec.tyre.rigid.radius()).ok()?;
    let ring = ring(tyre, &figures, relaxation(&spec.tyre));
    Some((ring, tyre.inflation.of(0, 2 * spec.axles.len())))
}

/// Damping of a tyre over its stiffness, s.
pub(super) fn relaxation(tyre: &Tyre) -> f64 {
    tyre.handling.vertical_damping / tyre.handling.vertical_stiffness
}

/// The belt of a tyre, in the terms of the ground that it meets, with a damping over
/// stiffness, s.
pub fn ring(tyre: &FlexibleTyre, figures: &RingFigures, relaxation: f64) -> Ring {
    Ring {
        radius: figures.radius,
        width: figures.width,
        tension_width: figures.tension_width,
        foundation: figures.foundation,
        relaxation,
        deepest: BOTTOMS * tyre.section_height,
    }
}

/// Part of the section's height from which a tyre stands on its rim; assumed.
const BOTTOMS: f64 = 0.8;
