//! State of a vehicle.

use super::coupling::Coupling;
use super::powertrain::{BrakeState, GearboxState};
use crate::multibody::MultibodyState;
use serde::{Deserialize, Serialize};

/// State of a vehicle: plain data.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VehicleState {
    /// Positions, velocities and momenta of all bodies.
    pub body: MultibodyState,
    /// Position of the steering, -1 (right) to 1 (left).
    pub steering: f64,
    /// State of the gearbox.
    pub gearbox: GearboxState,
    /// State of the linings of the wheel brakes.
    pub brakes: Vec<BrakeState>,
    /// State of the linings of the differentials' clutches.
    pub clutches: Vec<BrakeState>,
    /// Brake pressure of each axle with a brake lag, from the front, as a share of the maximum.
    pub pressures: Vec<f64>,
    /// Whether each automatic or commanded clutch is engaged, in the order of all clutches.
    pub engaged: Vec<bool>,
    /// State of the trailer coupling.
    pub coupling: Coupling,
}

impl VehicleState {
    /// Moves the steering toward a command by at most `most`.
    pub(super) fn steer(&mut self, command: f64, most: f64) {
        self.steering += (command - self.steering).clamp(-most, most);
    }
}

impl Clone for VehicleState {
    fn clone(&self) -> VehicleState {
        let mut clone = VehicleState::default();
        clone.clone_from(self);
        clone
    }

    /// Copies into the buffers that are already allocated.
    fn clone_from(&mut self, source: &VehicleState) {
        let VehicleState {
            body,
            steering,
            gearbox,
            brakes,
            clutches,
            pressures,
            engaged,
            coupling,
        } = self;
        body.clone_from(&source.body);
        brakes.clone_from(&source.brakes);
        clutches.clone_from(&source.clutches);
        pressures.clone_from(&source.pressures);
        engaged.clone_from(&source.engaged);
        (*steering, *gearbox, *coupling) = (source.steering, source.gearbox, source.coupling);
    }
}
