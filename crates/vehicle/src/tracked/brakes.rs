//! Brakes and running resistance of a tracked vehicle, and the torques on its sprockets.

use super::assembly::TrackedParts;
use super::{TrackedVehicle, TrackedWorkspace};
use crate::multibody::ElementForce;
use crate::pedal_response::LOCKED;
use crate::powertrain::Brake;
use crate::spec::TrackSteering;
use crate::state::VehicleState;
use crate::transmission::friction;
use crate::wheeled::WheelDrive;

impl TrackedVehicle {
    /// Returns the deceleration by the full brake on firm level ground of this friction, m/s².
    ///
    /// It is the limit of the brakes, or the friction of locked tracks if that is less.
    pub fn full_braking(&self, friction: f64) -> f64 {
        let arm = self.spec.drive_radius() * self.mass();
        (2.0 * self.service_brake().max_torque / arm).min(LOCKED * friction * self.bodies.gravity())
    }

    /// Sets the torques of the service brakes on the sprockets and of both steering brakes.
    pub(super) fn brake(
        &self,
        state: &VehicleState,
        workspace: &mut TrackedWorkspace,
        pedal: f64,
        h: f64,
    ) {
        let (service, running) = (self.service_brake(), self.running_resistance());
        let TrackedWorkspace { body: workspace, drives, .. } = workspace;
        for (side, track) in self.parts.tracks.iter().enumerate() {
            let rate = workspace.rate[track.brake];
            let braked = service.torque(pedal, &state.brakes[side], rate, h);
            let dragged = running.torque(1.0, &state.brakes[2 + side], rate, h);
            let drag = self.speed_resistance();
            drives[side] = WheelDrive { drive: 0.0, brake: braked.value };
            workspace.element[track.brake] = ElementForce {
                force: drag * rate - braked.value - dragged.value,
                stiffness: 0.0,
                damping: drag + braked.damping + dragged.damping,
            };
        }
        let Some(brake) = self.steering_brake() else { return };
        for (hand, (&element, lining)) in
            self.parts.steering.iter().zip(&state.clutches).enumerate()
        {
            let rate = workspace.rate[element];
            let torque = brake.torque(steered(state.steering, hand), lining, rate, h);
            workspace.element[element] = friction(torque);
        }
    }

    /// Advances the deflection of the linings by the new speeds and records the torques.
    pub(super) fn advance_linings(
        &self,
        state: &mut VehicleState,
        workspace: &mut TrackedWorkspace,
        pedal: f64,
        h: f64,
    ) {
        let (service, running) = (self.service_brake(), self.running_resistance());
        for (side, track) in self.parts.tracks.iter().enumerate() {
            let rate = workspace.body.rate[track.brake];
            service.advance(pedal, &mut state.brakes[side], rate, h);
            running.advance(1.0, &mut state.brakes[2 + side], rate, h);
        }
        if let Some(brake) = self.steering_brake() {
            for (hand, &element) in self.parts.steering.iter().enumerate() {
                let pedal = steered(state.steering, hand);
                brake.advance(pedal, &mut state.clutches[hand], workspace.body.rate[element], h);
            }
        }
        self.record_drives(state, workspace);
    }

    /// Adds the driveline's torques on the sprockets: half of the carrier's torque each, and the
    /// steering torque.
    ///
    /// The steering torque is that of a steering drive, with opposite signs on the two sides, or of
    /// a steering brake, which acts on both through its differential.
    fn record_drives(&self, state: &VehicleState, workspace: &mut TrackedWorkspace) {
        let TrackedParts { carrier, pivot, steering, .. } = &self.parts;
        let torque = |closure| state.body.closure_forces[self.bodies.model.closure_row(closure)];
        let half = -0.5 * torque(*carrier);
        let against = pivot.map_or(0.0, |(closure, _)| torque(closure));
        let TrackedWorkspace { body, drives, .. } = workspace;
        let [left, right] = drives;
        (left.drive, right.drive) = (half - against, half + against);
        let [on_left, on_right] = steering.map(|element| -body.element[element].force);
        match self.spec.drive.steering {
            TrackSteering::Pivot { .. } => {}
            TrackSteering::ClutchBrake { .. } => {
                left.brake += on_left;
                right.brake += on_right;
            }
            TrackSteering::Differential { ratio, .. } => {
                // rates of the brakes: inner (1 + ratio), outer (ratio - 1)
                let [inner, outer] = [1.0 + ratio, ratio - 1.0];
                left.drive += inner * on_left + outer * on_right;
                right.drive += inner * on_right + outer * on_left;
            }
        }
    }

    fn service_brake(&self) -> Brake {
        Brake { max_torque: self.spec.drive.brake_torque }
    }

    /// Dry friction of a belt, at its sprocket. Shoes that are bodies have friction and damping of
    /// their own.
    fn running_resistance(&self) -> Brake {
        let [force, _] = self.spec.track_resistance();
        Brake { max_torque: force * self.spec.drive_radius() }
    }

    /// Resistance per speed of the sprocket, N m s/rad.
    fn speed_resistance(&self) -> f64 {
        let radius = self.spec.drive_radius();
        let [_, per_speed] = self.spec.track_resistance();
        per_speed * radius * radius
    }

    fn steering_brake(&self) -> Option<Brake> {
        match self.spec.drive.steering {
            TrackSteering::ClutchBrake { brake_torque }
            | TrackSteering::Differential { brake_torque, .. } => {
                Some(Brake { max_torque: brake_torque })
            }
            TrackSteering::Pivot { .. } => None,
        }
    }
}

/// Application of the steering brake of a side (0 left, 1 right), 0 to 1.
fn steered(steering: f64, hand: usize) -> f64 {
    if hand == 0 { steering.max(0.0) } else { (-steering).max(0.0) }
}
