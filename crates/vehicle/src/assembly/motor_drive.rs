//! Electric motors: a rotor on each side, to which all wheels of that side are geared.
//!
//! As for a driveline, the reaction of a wheel's torque acts on the body that holds its housing.

use super::VehicleBuilder;
use crate::multibody::{Closure, Coordinate, Element};
use crate::spec::MotorDriveSpec;
use bekker_math::spatial::Vec3;

/// Indices of the rotors and joints of electric motors, for a step.
#[derive(Clone, Debug)]
pub(crate) struct MotorIndices {
    /// Speeds of the rotors, left and right.
    pub rotors: [Coordinate; 2],
    /// Elements at which the driving torques of the motors act.
    pub drive_elements: [usize; 2],
    /// Elements at which the losses of the gears act.
    pub loss_elements: [usize; 2],
    /// Element at which the turning torque acts: its rate is the right speed less the left one.
    pub turn_element: usize,
    /// Closure of each driven wheel, for its torque: (closure, wheel).
    pub wheels: Vec<(usize, usize)>,
}

impl VehicleBuilder<'_> {
    /// Adds the motors.
    pub(super) fn motor_drive(&mut self, spec: &MotorDriveSpec) -> MotorIndices {
        let rotors = [0, 1].map(|_| {
            let shaft = self.builder.shaft(spec.motor.inertia);
            self.builder.shaft_coordinate(shaft)
        });
        let mut wheels = Vec::new();
        for (index, wheel) in self.wheels.iter().enumerate() {
            if !self.spec.is_driven(wheel.axle) {
                continue;
            }
            let rates = vec![(rotors[index % 2], spec.ratio)];
            let spins = vec![(wheel.body, wheel.housing, Vec3::y(), -1.0)];
            wheels.push((self.builder.closure(Closure::Gear { rates, spins }), index));
        }
        let mut element = |rates| self.builder.element(Element::Rates { rates });
        let [left, right] = rotors;
        MotorIndices {
            rotors,
            drive_elements: rotors.map(|rotor| element(vec![(rotor, 1.0)])),
            loss_elements: rotors.map(|rotor| element(vec![(rotor, 1.0)])),
            turn_element: element(vec![(right, 1.0), (left, -1.0)]),
            wheels,
        }
    }
}
