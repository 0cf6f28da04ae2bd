//! Derived data of a wheeled vehicle: loads, torques and readings of the last step.

use super::WheelDrive;
use crate::motor_drive::{MotorReading, WheelMotorReading};
use crate::multibody::MultibodyWorkspace;
use bekker_math::spatial::{Load, Vec3};

/// Derived data of a vehicle, never saved.
#[derive(Clone, Debug)]
pub struct VehicleWorkspace {
    pub(super) body: MultibodyWorkspace,
    pub(super) drives: Vec<WheelDrive>,
    /// Work of engine and converter, or of motors and their gears, and of the cylinders of an
    /// articulated frame, in the last step, J.
    pub(super) engine_work: f64,
    /// Torque, current and power of electric motors in the last step.
    pub(super) motors: Option<MotorReading>,
    /// The same of each motor for a single wheel.
    pub(super) wheel_motors: Vec<WheelMotorReading>,
}

impl VehicleWorkspace {
    /// Returns the workspace of the multibody model.
    pub fn bodies(&self) -> &MultibodyWorkspace {
        &self.body
    }

    /// Returns the workspace of the multibody model for modification.
    pub fn bodies_mut(&mut self) -> &mut MultibodyWorkspace {
        &mut self.body
    }

    /// Returns the work of engine and converter, or of motors and their gears, and of the cylinders
    /// of an articulated frame, over the last step, J.
    pub fn engine_work(&self) -> f64 {
        self.engine_work
    }

    /// Returns torque, current and power of electric motors in the last step, if they drive the
    /// vehicle.
    pub fn motors(&self) -> Option<&MotorReading> {
        self.motors.as_ref()
    }

    /// Returns the same of each motor for a single wheel, by wheel.
    pub fn wheel_motors(&self) -> &[WheelMotorReading] {
        &self.wheel_motors
    }

    /// Returns the loads of the ground on the wheels about their centers, to be set before each
    /// step.
    pub fn loads(&mut self) -> &mut [Load] {
        let wheels = self.drives.len();
        &mut self.body.load[..wheels]
    }

    /// Returns the load on the chassis about its frame's origin, to be set before each step.
    pub fn chassis_load(&mut self) -> &mut Load {
        let wheels = self.drives.len();
        &mut self.body.load[wheels]
    }

    /// Returns the load on the body of a trailer, or on the rear frame of an articulated vehicle,
    /// about its frame's origin, to be set before each step.
    pub fn rear_load(&mut self) -> Option<&mut Load> {
        let wheels = self.drives.len();
        self.body.load.get_mut(wheels + 1)
    }

    /// Returns the acceleration of gravity, m/s².
    pub fn gravity(&mut self) -> &mut Vec3 {
        &mut self.body.gravity
    }

    /// Returns the torques on the wheels in the last step.
    pub fn drives(&self) -> &[WheelDrive] {
        &self.drives
    }

    /// Returns the largest gap in a joint or rod after the last step, m.
    pub fn drift(&self) -> f64 {
        self.body.drift
    }
}
