//! Motion, forces and energy of a wheeled vehicle, read from its state and workspace.

use super::{Vehicle, VehicleWorkspace};
use crate::coupling::Coupling;
use crate::multibody::{BodyId, ElementForce};
use crate::spec::Spring;
use crate::state::VehicleState;
use bekker_math::numeric::{atan2, hypot};
use bekker_math::spatial::{Pose, Twist, Vec3};

impl Vehicle {
    /// Returns the pose of the chassis frame.
    pub fn pose(&self, workspace: &VehicleWorkspace) -> Pose {
        self.bodies.pose(&workspace.body)
    }

    /// Returns the twist of the frame behind the torsion joint about its x axis against the
    /// chassis, rad.
    ///
    /// It is positive with the left side up. `None` without such a joint.
    pub fn frame_twist(&self, workspace: &VehicleWorkspace) -> Option<f64> {
        let rear = self.bodies.model.pose(&workspace.body, self.parts.rear_frame?);
        let left = self.pose(workspace).orientation.inverse() * rear.direction(&Vec3::y());
        Some(atan2(left.z, hypot(left.x, left.y)))
    }

    /// Returns the twist of the chassis about its frame's origin.
    pub fn twist(&self, workspace: &VehicleWorkspace) -> Twist {
        self.bodies.twist(&workspace.body)
    }

    /// Returns the pose of the trailer's frame, whose origin is at the coupling.
    pub fn trailer_pose(&self, workspace: &VehicleWorkspace) -> Option<Pose> {
        self.trailer.as_ref().map(|own| own.pose(&self.bodies, &workspace.body))
    }

    /// Returns the twist of the trailer about its frame's origin.
    pub fn trailer_twist(&self, workspace: &VehicleWorkspace) -> Option<Twist> {
        self.trailer.as_ref().map(|own| own.twist(&self.bodies, &workspace.body))
    }

    /// Returns the body of a wheel, whose y axis is its spin axis.
    pub fn wheel_body(&self, wheel: usize) -> BodyId {
        self.parts.wheels[wheel].body
    }

    /// Returns the pose of a wheel: origin at its center, y along its spin axis.
    pub fn wheel_pose(&self, workspace: &VehicleWorkspace, wheel: usize) -> Pose {
        self.bodies.pose_of(&workspace.body, self.wheel_body(wheel))
    }

    /// Returns the twist of a wheel about its center, including its spin.
    pub fn wheel_twist(&self, workspace: &VehicleWorkspace, wheel: usize) -> Twist {
        self.bodies.model.twist(&workspace.body, self.parts.wheels[wheel].body)
    }

    /// Returns the spin of a wheel relative to its carrier, rad/s, positive forward.
    pub fn wheel_spin(&self, state: &VehicleState, wheel: usize) -> f64 {
        state.body.u[self.parts.wheels[wheel].spin.index()]
    }

    /// Returns the wheels that the driveline or the motors turn.
    pub fn driven_wheels(&self) -> impl Iterator<Item = usize> {
        let axles = 0..self.spec.tractor_axles().len();
        let driven = axles.filter(|&axle| self.spec.is_driven(axle));
        driven.flat_map(|axle| [2 * axle, 2 * axle + 1])
    }

    /// Returns the rim speed of the fastest driven wheel, m/s, positive forward.
    ///
    /// It is the spin times the unloaded tire radius, of the wheel with the largest magnitude.
    pub fn rim_speed(&self, state: &VehicleState) -> f64 {
        let rim = |wheel| self.wheel_spin(state, wheel) * self.tire(wheel).handling.unloaded_radius;
        self.driven_wheels()
            .map(rim)
            .fold(0.0, |most: f64, rim| if rim.abs() > most.abs() { rim } else { most })
    }

    /// Returns the spring at a wheel and the index of its element; `None` without a spring.
    pub(super) fn spring_at(&self, wheel: usize) -> Option<(&Spring, usize)> {
        let axle = self.parts.wheels[wheel].axle;
        let mut struts = self.parts.struts.iter().filter(|own| own.axle == axle);
        let element = struts.nth(wheel % 2)?.spring;
        Some((self.spec.axles[axle].spring.as_ref()?, element))
    }

    /// Returns the length of the spring at a wheel, m; `None` without a spring.
    pub fn spring_length(&self, workspace: &VehicleWorkspace, wheel: usize) -> Option<f64> {
        self.spring_at(wheel).map(|(_, element)| workspace.body.measure[element])
    }

    /// Returns the force of the spring at a wheel, N, positive in compression; `None` without a
    /// spring.
    pub fn spring_force(&self, workspace: &VehicleWorkspace, wheel: usize) -> Option<f64> {
        let (spring, element) = self.spring_at(wheel)?;
        Some(-spring.tension(workspace.body.measure[element]).0)
    }

    /// Returns the angles of the links of a rocker-bogie in a state, rad, positive with the front
    /// end down: of the left rocker, the left bogie, the right rocker and the right bogie.
    ///
    /// Rockers turn against the chassis, bogies against their rockers. Bogies are absent without
    /// them.
    pub fn link_angles(&self, state: &VehicleState) -> Vec<f64> {
        let model = &self.bodies.model;
        self.parts.links.iter().map(|&link| model.angle(&state.body, link)).collect()
    }

    /// Returns the energy stored in springs, stops and mounts, J.
    pub fn spring_energy(&self, state: &VehicleState, workspace: &VehicleWorkspace) -> f64 {
        let measure = &workspace.body.measure;
        let springs = self.parts.struts.iter().filter_map(|own| {
            let spring = self.spec.axles[own.axle].spring.as_ref()?;
            Some(spring.energy(measure[own.spring]))
        });
        let parted = self.trailer.as_ref().filter(|_| state.coupling != Coupling::Holds);
        let held = |element: usize| {
            !parted.is_some_and(|own| own.spring_elements().any(|other| other == element))
        };
        let mounts = self.parts.mounts.iter().filter(|own| held(own.element));
        let mounts = mounts.map(|own| {
            let deflection = measure[own.element];
            0.5 * own.stiffness * deflection * deflection
        });
        // stops are linear from first contact
        let stop = |own: ElementForce| {
            if own.stiffness > 0.0 { 0.5 * own.force * own.force / own.stiffness } else { 0.0 }
        };
        let pitch = self.parts.pitch_stops.iter();
        let pitch = pitch.map(|own| stop(own.force(measure[own.element], 0.0)));
        let flat = self.parts.flat_stops.iter().map(|own| stop(own.force(measure[own.element])));
        springs.chain(mounts).chain(pitch).chain(flat).sum()
    }

    /// Returns the momentum of all bodies after the last step, N s.
    pub fn momentum(&self, state: &VehicleState) -> Vec3 {
        self.bodies.model.momentum(&state.body).0
    }
}
