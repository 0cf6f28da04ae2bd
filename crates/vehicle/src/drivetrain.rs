//! Drivetrain of a ground vehicle: an engine with its gearbox, or electric motors.

use super::controls::Controls;
use super::engine_drivetrain::EngineDrivetrain;
use super::motor_drive::{MotorDrive, MotorReading, MotorSpeeds, WheelMotorReading};
use super::pedal_response::{EngineResponse, PedalResponse};
use super::powertrain::GearboxState;
use super::state::VehicleState;
use super::transmission::ShaftSpeeds;
use crate::multibody::MultibodyWorkspace;

/// Drivetrain of a vehicle; immutable.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // one per vehicle
pub enum Drivetrain {
    /// An engine drives wheels or sprockets through a gearbox.
    Engine(EngineDrivetrain),
    /// Electric motors drive the wheels.
    Motors(MotorDrive),
}

/// Speeds of the rotating parts on which the drivetrain's torques act.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DriveSpeeds {
    /// Engine, turbine and gearbox output.
    Shafts(ShaftSpeeds),
    /// Motors, rad/s.
    Motors(MotorSpeeds),
}

impl Drivetrain {
    /// Sets the acceleration of gravity, m/s².
    pub(super) fn set_gravity(&mut self, gravity: f64) {
        match self {
            Drivetrain::Engine(own) => own.set_gravity(gravity),
            Drivetrain::Motors(own) => own.set_gravity(gravity),
        }
    }

    /// Returns the number of forward gears.
    pub fn gears(&self) -> usize {
        match self {
            Drivetrain::Engine(own) => own.gears(),
            Drivetrain::Motors(_) => 1,
        }
    }

    /// Returns the speed of the engine, or the mean speed of the motors, rad/s.
    pub fn engine_speed(&self, state: &VehicleState) -> f64 {
        match self {
            Drivetrain::Engine(own) => own.engine_speed(state),
            Drivetrain::Motors(own) => {
                let [left, right] = own.speeds(state);
                0.5 * (left + right)
            }
        }
    }

    /// Returns the fuel rate at `throttle`, kg/s, if there is an engine and the file specifies its
    /// consumption.
    pub fn fuel_rate(&self, state: &VehicleState, throttle: f64) -> Option<f64> {
        match self {
            Drivetrain::Engine(own) => own.fuel_rate(state, throttle),
            Drivetrain::Motors(_) => None,
        }
    }

    /// Returns the thrust at wheels or tracks over the vehicle's weight, positive forward, in the
    /// last step.
    pub fn thrust(&self, state: &VehicleState) -> f64 {
        match self {
            Drivetrain::Engine(own) => own.thrust(state),
            Drivetrain::Motors(own) => own.thrust(state),
        }
    }

    /// Returns the response to throttle and brake at the present speed and gear.
    pub fn pedal_response(&self, state: &VehicleState) -> PedalResponse {
        match self {
            Drivetrain::Engine(own) => own.pedal_response(state),
            Drivetrain::Motors(own) => own.pedal_response(state),
        }
    }

    /// Returns the dynamic response of the engine at the present speed and gear.
    ///
    /// `None` for motors, whose torque follows the throttle at once.
    pub fn engine_response(&self, state: &VehicleState) -> Option<EngineResponse<'_>> {
        match self {
            Drivetrain::Engine(own) => Some(own.engine_response(state)),
            Drivetrain::Motors(_) => None,
        }
    }

    /// Returns the electric motors, if they drive the vehicle.
    pub fn motors(&self) -> Option<&MotorDrive> {
        match self {
            Drivetrain::Engine(_) => None,
            Drivetrain::Motors(own) => Some(own),
        }
    }

    /// Returns the speeds of the rotating parts.
    pub(super) fn speeds(&self, state: &VehicleState) -> DriveSpeeds {
        match self {
            Drivetrain::Engine(own) => DriveSpeeds::Shafts(own.speeds(state)),
            Drivetrain::Motors(own) => DriveSpeeds::Motors(own.motor_speeds(state)),
        }
    }

    /// Sets the speeds of the rotating parts for output speeds, rad/s: of the gearbox, or of the
    /// wheels on the left and on the right.
    ///
    /// With an engine, both must be the gearbox's output speed. Without a `gear`, the one that fits
    /// is engaged.
    pub(super) fn set_shaft_speeds(
        &self,
        u: &mut [f64],
        output: [f64; 2],
        gear: Option<i32>,
    ) -> GearboxState {
        match self {
            Drivetrain::Engine(own) => own.set_shaft_speeds(u, output[0], gear),
            Drivetrain::Motors(own) => own.set_speeds(u, output, gear),
        }
    }

    /// Applies the torques of engine or motors for a step of `h` seconds.
    pub(super) fn drive(
        &self,
        state: &mut VehicleState,
        workspace: &mut MultibodyWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) {
        match self {
            Drivetrain::Engine(own) => own.drive(state, workspace, controls, tick, h),
            Drivetrain::Motors(own) => own.drive(state, workspace, controls),
        }
    }

    /// Returns the work of engine and converter, or of the motors less the losses of their gears,
    /// over a step of `h` seconds, J.
    ///
    /// It is negative while they brake. Motors also give a reading, and write those of motors for
    /// single wheels to `wheels`.
    pub(super) fn work(
        &self,
        before: &DriveSpeeds,
        state: &VehicleState,
        workspace: &MultibodyWorkspace,
        h: f64,
        wheels: &mut [WheelMotorReading],
    ) -> (f64, Option<MotorReading>) {
        match (self, before) {
            (Drivetrain::Engine(own), DriveSpeeds::Shafts(before)) => {
                (own.work(before, state, workspace, h), None)
            }
            (Drivetrain::Motors(own), DriveSpeeds::Motors(before)) => {
                let (work, reading) = own.work(before, state, workspace, h, wheels);
                (work, Some(reading))
            }
            _ => (0.0, None),
        }
    }
}
