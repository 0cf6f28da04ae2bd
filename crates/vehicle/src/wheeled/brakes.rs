//! Brakes and clutches of a wheeled vehicle, and the torques on its wheels.

use super::{Vehicle, VehicleWorkspace, WheelDrive};
use crate::assembly::{Clutch, ClutchEngagement, DriveIndices, DrivelineIndices};
use crate::coupling::Coupling;
use crate::multibody::{MultibodyState, MultibodyWorkspace};
use crate::pedal_response::LOCKED;
use crate::powertrain::{Brake, BrakeState};
use crate::spec::Axle;
use crate::state::VehicleState;
use crate::transmission::friction;
use bekker_math::numeric::exp;

impl Vehicle {
    /// Returns the deceleration by the full brake on firm level ground of this friction, m/s².
    ///
    /// All wheels carry equal loads. Each supplies the limit of its brake, or the friction of a
    /// locked wheel if that is less.
    pub fn full_braking(&self, friction: f64) -> f64 {
        let most =
            LOCKED * friction * self.bodies.gravity() * self.mass() / self.brakes.len() as f64;
        let force = |brake: &Brake| (brake.max_torque / self.ride_radius()).min(most);
        self.brakes.iter().map(force).sum::<f64>() / self.mass()
    }

    /// Friction of a differential's clutch.
    ///
    /// With a torque bias it is proportional to the torque of the carrier in the last step.
    pub(super) fn friction_of(&self, clutch: &Clutch, body: &MultibodyState) -> Brake {
        let ClutchEngagement::Biased { closure, share } = clutch.engaged else {
            return clutch.friction;
        };
        let carried = body.closure_forces[self.bodies.model.closure_row(closure)].abs();
        Brake { max_torque: (share * carried).max(clutch.friction.max_torque) }
    }

    /// Advances the pressure of brakes with a lag: dp/dt = (pedal - p)/T.
    ///
    /// The solution is exact for a pedal that is constant over the step.
    pub(super) fn advance_brake_pressure(&self, state: &mut VehicleState, pedal: f64, h: f64) {
        let lagging = self.spec.axles.iter().filter_map(|axle| Some((axle, axle.brake_lag?)));
        for (pressure, (axle, lag)) in state.pressures.iter_mut().zip(lagging) {
            let pedal = axle_pedal(pedal, axle, state.coupling);
            *pressure += (pedal - *pressure) * (1.0 - exp(-h / lag));
        }
    }

    /// Pedal position that has reached the brakes of an axle after their lag.
    fn lagged_pedal(&self, pedal: f64, axle: usize, state: &VehicleState) -> f64 {
        let axles = &self.spec.axles;
        if axles[axle].brake_lag.is_none() {
            return axle_pedal(pedal, &axles[axle], state.coupling);
        }
        let before = axles[..axle].iter().filter(|other| other.brake_lag.is_some()).count();
        state.pressures[before]
    }

    pub(super) fn brake(
        &self,
        state: &VehicleState,
        workspace: &mut VehicleWorkspace,
        pedal: f64,
        h: f64,
    ) {
        for (wheel, place) in self.parts.wheels.iter().enumerate() {
            let rate = workspace.body.rate[place.brake];
            let pedal = self.lagged_pedal(pedal, place.axle, state);
            let pedal = self.load_sensed_pedal(pedal, wheel, &workspace.body);
            let torque = self.brakes[wheel].torque(pedal, &state.brakes[wheel], rate, h);
            workspace.body.element[place.brake] = friction(torque);
        }
    }

    /// Pedal position at a wheel's brake after load sensing, if the axle has it.
    fn load_sensed_pedal(&self, pedal: f64, wheel: usize, workspace: &MultibodyWorkspace) -> f64 {
        let axle = &self.spec.axles[self.parts.wheels[wheel].axle];
        let Some(sensing) = &axle.load_sensing else { return pedal };
        let Some((spring, element)) = self.spring_at(wheel) else { return pedal };
        pedal * sensing.share(-spring.tension(workspace.measure[element]).0)
    }

    /// Advances the deflection of the linings by the new speeds and records the torques.
    pub(super) fn advance_linings(
        &self,
        state: &mut VehicleState,
        workspace: &mut VehicleWorkspace,
        pedal: f64,
        h: f64,
    ) {
        for (wheel, place) in self.parts.wheels.iter().enumerate() {
            let spin = state.body.u[place.spin.index()];
            let pedal = self.lagged_pedal(pedal, place.axle, state);
            let pedal = self.load_sensed_pedal(pedal, wheel, &workspace.body);
            self.brakes[wheel].advance(pedal, &mut state.brakes[wheel], spin, h);
            let force = workspace.body.element[place.brake].force;
            workspace.drives[wheel] = WheelDrive { drive: 0.0, brake: -force };
        }
        match &self.parts.drive {
            DriveIndices::Driveline(plan) => self.record_drives(plan, state, workspace),
            DriveIndices::Motors(plan) => {
                for &(closure, wheel) in &plan.wheels {
                    let row = self.bodies.model.closure_row(closure);
                    workspace.drives[wheel].drive = -state.body.closure_forces[row];
                }
            }
        }
        for (index, clutch) in self.parts.drive.clutches().iter().enumerate() {
            if clutch.is_engaged(state) {
                let (lining, rate) =
                    (&mut state.clutches[index], workspace.body.rate[clutch.element]);
                self.friction_of(clutch, &state.body).advance(1.0, lining, rate, h);
            } else if clutch.index().is_some() {
                state.clutches[index] = BrakeState::default();
            }
        }
    }

    /// Records the torques of the driveline on the wheels.
    fn record_drives(
        &self,
        plan: &DrivelineIndices,
        state: &VehicleState,
        workspace: &mut VehicleWorkspace,
    ) {
        for &(closure, axle) in &plan.axles {
            let torque = state.body.closure_forces[self.bodies.model.closure_row(closure)];
            for (wheel, place) in self.parts.wheels.iter().enumerate() {
                if place.axle == axle {
                    // Two wheels share a carrier, so each has a weight of -1/2 in its row.
                    workspace.drives[wheel].drive = -0.5 * torque;
                }
            }
        }
        // The clutches of the axles come first, in the order of their shafts.
        for (clutch, &(_, axle)) in plan.clutches.iter().zip(&plan.shafts) {
            let against = workspace.body.element[clutch.element].force;
            let mut sense = -1.0;
            for (wheel, place) in self.parts.wheels.iter().enumerate() {
                if place.axle == axle {
                    workspace.drives[wheel].drive += sense * against;
                    sense = -sense;
                }
            }
        }
    }
}

/// Pedal position for an axle: the brakes of an uncoupled trailer apply in full.
fn axle_pedal(pedal: f64, axle: &Axle, coupling: Coupling) -> f64 {
    if axle.trailed && coupling != Coupling::Holds { 1.0 } else { pedal }
}

impl Clutch {
    pub(super) fn is_engaged(&self, state: &VehicleState) -> bool {
        match self.engaged {
            ClutchEngagement::Fixed(engaged) => engaged,
            ClutchEngagement::Biased { .. } => true,
            ClutchEngagement::Automatic { index, .. }
            | ClutchEngagement::Commanded { index, .. } => state.engaged[index],
        }
    }
}
