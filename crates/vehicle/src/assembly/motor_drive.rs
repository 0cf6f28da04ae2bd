//! Electric motors: a rotor on each side, to which all wheels of that side are geared, or a rotor for
//! each driven wheel.
//!
//! As for a driveline, the reaction of a wheel's torque acts on the body that holds its housing.

use super::VehicleBuilder;
use crate::multibody::{Closure, Coordinate, Element};
use crate::spec::{MotorDriveSpec, MotorPlacement, Steering};
use bekker_math::spatial::Vec3;

/// Indices of the rotors and joints of electric motors, for a step.
///
/// Motors are those of the left and the right side, or of the driven wheels, left before right.
#[derive(Clone, Debug)]
pub(crate) struct MotorIndices {
    /// Speeds of the rotors.
    pub rotors: Vec<Coordinate>,
    /// Elements at which the driving torques of the motors act.
    pub drive_elements: Vec<usize>,
    /// Elements at which the losses of the gears act.
    pub loss_elements: Vec<usize>,
    /// Element at which the turning torque of a skid-steered vehicle acts: its rate is the mean
    /// speed of the right motors less that of the left ones.
    pub turn_element: Option<usize>,
    /// Closure of each driven wheel, for its torque: (closure, wheel).
    pub wheels: Vec<(usize, usize)>,
}

impl VehicleBuilder<'_> {
    /// Adds the motors.
    pub(super) fn motor_drive(&mut self, spec: &MotorDriveSpec) -> MotorIndices {
        let driven: Vec<usize> = (0..self.wheels.len())
            .filter(|&wheel| self.spec.is_driven(self.wheels[wheel].axle))
            .collect();
        let count = match spec.placement {
            MotorPlacement::Side => 2,
            MotorPlacement::Wheel => driven.len(),
        };
        let rotors: Vec<Coordinate> = (0..count)
            .map(|_| {
                let shaft = self.builder.shaft(spec.motor.inertia);
                self.builder.shaft_coordinate(shaft)
            })
            .collect();
        let mut wheels = Vec::new();
        for (number, index) in driven.into_iter().enumerate() {
            let wheel = &self.wheels[index];
            // wheels alternate between left and right, as motors do
            let rates = vec![(rotors[number % count], spec.ratio)];
            let spins = vec![(wheel.body, wheel.housing, Vec3::y(), -1.0)];
            wheels.push((self.builder.closure(Closure::Gear { rates, spins }), index));
        }
        let mut element = |rates| self.builder.element(Element::Rates { rates });
        let drive_elements = rotors.iter().map(|&rotor| element(vec![(rotor, 1.0)])).collect();
        let loss_elements = rotors.iter().map(|&rotor| element(vec![(rotor, 1.0)])).collect();
        let turn_element = matches!(self.spec.steering, Some(Steering::Skid(_))).then(|| {
            let share = 2.0 / count as f64;
            let side = |first: usize, share: f64| {
                rotors.iter().skip(first).step_by(2).map(move |&rotor| (rotor, share))
            };
            element(side(1, share).chain(side(0, -share)).collect())
        });
        MotorIndices { rotors, drive_elements, loss_elements, turn_element, wheels }
    }
}
