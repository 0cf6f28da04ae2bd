//! Views and messages of an agent for other vehicles and ranks.

use super::agent::{AgentModel, AgentState, AgentView, AgentWorkspace};
use super::ground_vehicle::GroundVehicle;
use super::hull_part::HullPart;
use bekker_math::spatial::{Acceleration, Pose, Twist, Vec3};
use bekker_sync::message::{
    MotionMessage, PartState, RemoteVehicleDescription, TrailerState, VehicleMessage, as_received,
};

impl AgentModel {
    /// Returns the part of the state that other agents receive.
    pub fn view(&self, state: &AgentState, workspace: &AgentWorkspace) -> AgentView {
        let chassis = self.vehicle.pose(&workspace.vehicle);
        let (pose, twist, external_acceleration) = match self.motion(state, workspace) {
            Some(MotionMessage { orientation, twist, external_acceleration }) => {
                (Pose { orientation, ..chassis }, twist, external_acceleration)
            }
            None => {
                let (pose, twist) = as_received(&chassis, &self.reported_twist(state, workspace));
                (pose, twist, Acceleration::default())
            }
        };
        let view = AgentView {
            pose,
            twist,
            external_acceleration,
            // an externally controlled vehicle does not follow its path
            station: self.driver.station(&state.driver).filter(|_| state.command.is_none()),
            speed: self.travel_sign() * self.speed(workspace),
            velocity: self.vehicle.twist(&workspace.vehicle).linear,
            ended: state.outcome.is_some(),
            trailer: self.trailer_state(state, workspace),
        };
        // an agent whose drive has ended stands still
        if view.ended { AgentView { speed: 0.0, velocity: Vec3::zeros(), ..view } } else { view }
    }

    /// Returns the twist that others receive: zero after the drive has ended.
    fn reported_twist(&self, state: &AgentState, workspace: &AgentWorkspace) -> Twist {
        match state.outcome {
            Some(_) => Twist::default(),
            None => self.vehicle.twist(&workspace.vehicle),
        }
    }

    /// Returns the trailer, or the rear frame of an articulated vehicle, as others receive it.
    ///
    /// Its twist is zero after the drive has ended.
    fn trailer_state(
        &self,
        state: &AgentState,
        workspace: &AgentWorkspace,
    ) -> Option<TrailerState> {
        let mut parts = self.vehicle.hull_parts(&workspace.vehicle);
        let (_, outline, pose, twist) = parts.find(|own| own.0 == HullPart::Rear)?;
        let arm = pose.direction(&outline.ball.center);
        let twist = match state.outcome {
            Some(_) => Twist::default(),
            None => Twist { linear: twist.velocity_at(&arm), ..twist },
        };
        let motion = MotionMessage::new(
            &pose.orientation,
            &twist,
            state.external_acceleration.of_part(HullPart::Rear),
        )?;
        let (_, wheels) = self.vehicle.rear_mass_and_wheels();
        Some(TrailerState { place: pose.position + arm, motion, wheels: wheels as u8 })
    }

    /// Returns the exact motion of the chassis, which is sent only if other vehicles are near.
    fn motion(&self, state: &AgentState, workspace: &AgentWorkspace) -> Option<MotionMessage> {
        let chassis = self.vehicle.pose(&workspace.vehicle);
        let twist = self.reported_twist(state, workspace);
        let external_acceleration = state.external_acceleration.of_part(HullPart::Chassis);
        if state.close {
            MotionMessage::new(&chassis.orientation, &twist, external_acceleration)
        } else {
            None
        }
    }

    /// Returns the message about the agent to other ranks; it contains at least the content of its
    /// view.
    pub fn message(&self, state: &AgentState, workspace: &AgentWorkspace) -> VehicleMessage {
        let body = &workspace.vehicle;
        let (chassis, twist) = (self.vehicle.pose(body), self.vehicle.twist(body));
        let view = self.view(state, workspace);
        let turned_back = chassis.orientation.inverse();
        let part = |pose: Pose, spin: f64| PartState {
            pose: Pose {
                position: turned_back * (pose.position - chassis.position),
                orientation: turned_back * pose.orientation,
            },
            spin,
        };
        let wheels = (0..self.vehicle.wheels()).map(|wheel| {
            let spin = self.vehicle.wheel_spin(&state.vehicle, wheel);
            let spin = if view.ended { 0.0 } else { spin };
            part(self.vehicle.wheel_pose(body, wheel), spin)
        });
        let wheels = wheels.collect();
        let gear = self.vehicle.running_gear(&state.vehicle, body, wheels, part);
        VehicleMessage {
            chassis,
            velocity: view.velocity,
            angular_velocity: if view.ended { Vec3::zeros() } else { twist.angular },
            speed: view.speed,
            station: view.station,
            ended: view.ended,
            gear,
            motion: self.motion(state, workspace),
            trailer: view.trailer,
        }
    }

    /// Returns the description from which other ranks build the agent.
    pub fn description(&self) -> RemoteVehicleDescription {
        self.vehicle.description(self.name.clone())
    }
}
