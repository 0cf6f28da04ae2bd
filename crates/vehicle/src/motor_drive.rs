//! Electric motors that drive the wheels of each side and steer by the difference of their speeds.
//!
//! The throttle sets a driving torque, the same on both sides, as a share of the motor's limit at
//! the speed that the outer side has once the vehicle turns as steered. The steering sets the
//! difference of the speeds of both sides, which a controller holds by opposite torques on both
//! motors. It is linearly implicit in the speeds, as the brakes are. Where both torques together
//! exceed the limit of a motor, both are reduced in the same proportion, so that a vehicle neither
//! stalls in a bend nor drives on straight.
//!
//! Where each wheel has a motor, its total torque is limited at its own speed, so that a wheel that
//! spins does not take torque from the others. The turning torque is the same for all motors of a
//! side and holds the difference of their mean speeds. With steered axles there is no turning torque:
//! each motor gives its limit times the throttle.
//!
//! # Yaw rate of the steering
//! On level ground with the Coulomb friction μ, equal in all directions, a vehicle of n axles at the
//! distances x from its middle, of tread B, turns steadily at the yaw rate Ω. A wheel that carries N
//! slides sideways at Ω x and along at s, and its force μ N has the direction of that sliding. The
//! lateral forces balance, and so do the moments, B/2 Σ μ N s/√(s² + Ω² x²) = Σ μ N Ω x²/√(s² + Ω²
//! x²). If all wheels have the same |x| = L/2, as for two axles, the root is the same for all:
//! s = Ω L²/(2 B). The rims of both sides therefore differ by Ω B (1 + (L/B)²) at any speed of
//! travel. For other axles s/Ω is found by bisection, for equal loads
//! (`VehicleSpec::skid_tread`): three axles need less difference than the mean of x² would give,
//! because the wheels in the middle drive and do not resist.

use super::assembly::MotorIndices;
use super::controls::Controls;
use super::engine_drivetrain::ThrustGearing;
use super::pedal_response::PedalResponse;
use super::powertrain::{Battery, GearboxState, Motor, Torque};
use super::spec::MotorDriveSpec;
use super::spec::motor_drive::LARGEST_MOTOR_COUNT;
use super::state::VehicleState;
use crate::multibody::{ElementForce, MultibodyModel, MultibodyWorkspace};
use serde::{Deserialize, Serialize};

/// Error of the speed difference at which the controller gives the motor's maximum torque, as a
/// share of the speed without load.
const CONTROL_BAND: f64 = 0.02;
/// Share of the speed without load below which the losses of the gears grow with the speed.
///
/// It keeps their direction from alternating at rest.
const LOSS_BAND: f64 = 0.01;

/// Electric motors of a vehicle; immutable.
#[derive(Clone, Debug)]
pub struct MotorDrive {
    spec: MotorDriveSpec,
    indices: MotorIndices,
    /// Rows of the closures of the driven wheels.
    output_rows: Vec<usize>,
    gearing: ThrustGearing,
    /// Difference of the motors' speeds at steering 1, right less left, rad/s.
    full_difference: f64,
}

/// Torque, current and power of the motors in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotorReading {
    /// Torque at the shafts of the left and the right motors, N m, positive forward.
    pub torques: [f64; 2],
    /// Current of the left and the right motors, A, positive for a forward torque.
    pub currents: [f64; 2],
    /// Power from the battery, W; negative while the motors charge it.
    pub power: f64,
}

/// Torque, current and power of the motor of a wheel in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WheelMotorReading {
    /// Torque at the motor's shaft, N m, positive forward.
    pub torque: f64,
    /// Current, A, positive for a forward torque.
    pub current: f64,
    /// Power from the battery, W; negative while the motor charges it.
    pub power: f64,
}

/// Speeds of all motors, rad/s, of the left one first; the rest is zero.
pub(super) type MotorSpeeds = [f64; LARGEST_MOTOR_COUNT];

/// Torques that a controller requests of both motors, and their decrease with the speeds.
#[derive(Clone, Copy, Debug, Default)]
struct RequestedTorque {
    /// Driving torque of each motor, N m.
    drive: f64,
    drive_damping: f64,
    /// Torque that turns the vehicle left: on the right motor forward, on the left one backward.
    turn: f64,
    turn_damping: f64,
}

impl MotorDrive {
    /// Builds the drive on a finished model.
    ///
    /// `rim_difference` is the difference of the rim speeds at steering 1, rad/s of the wheels.
    pub(super) fn new(
        spec: &MotorDriveSpec,
        indices: MotorIndices,
        model: &MultibodyModel,
        gearing: ThrustGearing,
        rim_difference: f64,
    ) -> MotorDrive {
        let rows = indices.wheels.iter().map(|&(closure, _)| model.closure_row(closure));
        MotorDrive {
            output_rows: rows.collect(),
            full_difference: rim_difference / spec.ratio,
            spec: *spec,
            indices,
            gearing,
        }
    }

    /// Sets the acceleration of gravity, m/s².
    pub(super) fn set_gravity(&mut self, gravity: f64) {
        self.gearing.gravity = gravity;
    }

    /// Returns the battery.
    pub fn battery(&self) -> &Battery {
        &self.spec.battery
    }

    /// Returns the number of motors for single wheels: that of the vehicle's wheels without its
    /// trailer, or none.
    pub fn wheel_motor_count(&self) -> usize {
        if self.spec.placement.is_side() { 0 } else { self.indices.rotors.len() }
    }

    /// Returns the mean speeds of the left and the right motors, rad/s.
    pub fn speeds(&self, state: &VehicleState) -> [f64; 2] {
        self.side_means(&self.motor_speeds(state))
    }

    /// Returns the speeds of all motors.
    pub(super) fn motor_speeds(&self, state: &VehicleState) -> MotorSpeeds {
        let mut speeds = [0.0; LARGEST_MOTOR_COUNT];
        for (speed, rotor) in speeds.iter_mut().zip(&self.indices.rotors) {
            *speed = state.body.u[rotor.index()];
        }
        speeds
    }

    /// Returns the means of a quantity of the left and the right motors.
    fn side_means(&self, of_motors: &MotorSpeeds) -> [f64; 2] {
        let mut means = [of_motors[0], of_motors[1]];
        let count = self.indices.rotors.len();
        if count > 2 {
            (2..count).for_each(|motor| means[motor % 2] += of_motors[motor]);
            means = means.map(|sum| 2.0 * sum / count as f64);
        }
        means
    }

    /// Returns the thrust at the wheels over the vehicle's weight, positive forward, in the last
    /// step.
    pub(super) fn thrust(&self, state: &VehicleState) -> f64 {
        let torque: f64 = self.output_rows.iter().map(|&row| -state.body.closure_forces[row]).sum();
        torque / (self.gearing.radius * self.gearing.mass * self.gearing.gravity)
    }

    /// Returns the response to throttle and brake at the present speeds.
    pub(super) fn pedal_response(&self, state: &VehicleState) -> PedalResponse {
        let ThrustGearing { mass, radius, brake_torque, .. } = self.gearing;
        let arm = radius * mass;
        let sense = f64::from(state.gearbox.gear);
        let torque = self.drive_limit(self.speeds(state), sense, state.steering).value;
        let count = self.indices.rotors.len() as f64;
        let at_wheels = count * sense * torque * self.spec.efficiency / self.spec.ratio;
        PedalResponse { closed: 0.0, full: at_wheels / arm, brake: brake_torque / arm }
    }

    /// Sets the speeds of the motors for the speeds of the wheels on each side, rad/s.
    pub(super) fn set_speeds(
        &self,
        u: &mut [f64],
        wheels: [f64; 2],
        gear: Option<i32>,
    ) -> GearboxState {
        for (motor, rotor) in self.indices.rotors.iter().enumerate() {
            u[rotor.index()] = wheels[motor % 2] / self.spec.ratio;
        }
        let fitting = if wheels[0] + wheels[1] < 0.0 { -1 } else { 1 };
        GearboxState::in_gear(gear.unwrap_or(fitting).clamp(-1, 1))
    }

    /// Applies the torques of the motors and the losses of their gears.
    pub(super) fn drive(
        &self,
        state: &mut VehicleState,
        workspace: &mut MultibodyWorkspace,
        controls: &Controls,
    ) {
        let sense = controls.gear.sense();
        state.gearbox = GearboxState::in_gear(sense as i32);
        let speeds = self.motor_speeds(state);
        let means = self.side_means(&speeds);
        let torque = if sense == 0.0 {
            RequestedTorque::default()
        } else {
            self.limited(self.requested(means, state.steering, controls), means)
        };
        let MotorIndices { drive_elements, loss_elements, turn_element, .. } = &self.indices;
        let band = LOSS_BAND * self.spec.motor.no_load_speed();
        for (motor, (&drive, &loss)) in drive_elements.iter().zip(loss_elements).enumerate() {
            let turn = if motor % 2 == 0 { -torque.turn } else { torque.turn };
            let own = self.motor_torque(&torque, turn, speeds[motor], controls);
            workspace.element[drive] =
                ElementForce { force: -own.value, stiffness: 0.0, damping: own.damping };
            let lost = (1.0 - self.spec.efficiency) * (own.value + turn).abs();
            let damping = lost / speeds[motor].abs().max(band);
            workspace.element[loss] =
                ElementForce { force: damping * speeds[motor], stiffness: 0.0, damping };
        }
        if let Some(element) = *turn_element {
            let pairs = 0.5 * self.indices.rotors.len() as f64;
            workspace.element[element] = ElementForce {
                force: -torque.turn * pairs,
                stiffness: 0.0,
                damping: torque.turn_damping * pairs,
            };
        }
    }

    /// Returns the driving torque of a motor at its speed, in addition to its turning torque `turn`.
    ///
    /// The limit of a motor for each wheel applies to both torques together.
    fn motor_torque(
        &self,
        requested: &RequestedTorque,
        turn: f64,
        speed: f64,
        controls: &Controls,
    ) -> Torque {
        let (motor, sense) = (&self.spec.motor, controls.gear.sense());
        let common = Torque { value: requested.drive, damping: requested.drive_damping };
        if self.spec.placement.is_side() || sense == 0.0 {
            return common;
        }
        if self.indices.turn_element.is_none() {
            let limit = motor.torque_limit(sense * speed, 1.0);
            let throttle = controls.throttle;
            return Torque {
                value: sense * throttle * limit.value,
                damping: throttle * limit.damping,
            };
        }
        let total = common.value + turn;
        let along = if total < 0.0 { -1.0 } else { 1.0 };
        let limit = motor.torque_limit(speed, along);
        if total.abs() <= limit.value {
            return common;
        }
        Torque { value: along * limit.value - turn, damping: limit.damping }
    }

    /// Returns the largest driving torque of each motor in the direction `sense`.
    ///
    /// It is that at the speed of the outer side once the vehicle turns as steered.
    fn drive_limit(&self, speeds: [f64; 2], sense: f64, steering: f64) -> Torque {
        let difference = (steering * self.full_difference).abs();
        let outer = 0.5 * (sense * (speeds[0] + speeds[1]) + difference);
        self.spec.motor.torque_limit(outer, 1.0)
    }

    /// Returns the torques that throttle and steering request, each within the motors' limits.
    fn requested(&self, speeds: [f64; 2], steering: f64, controls: &Controls) -> RequestedTorque {
        if self.indices.turn_element.is_none() {
            return RequestedTorque::default();
        }
        let motor: &Motor = &self.spec.motor;
        let sense = controls.gear.sense();
        let limit = self.drive_limit(speeds, sense, steering);
        let error = steering * self.full_difference - (speeds[1] - speeds[0]);
        let turn_sense = if error < 0.0 { -1.0 } else { 1.0 };
        let most = motor
            .torque_limit(speeds[0], -turn_sense)
            .value
            .min(motor.torque_limit(speeds[1], turn_sense).value);
        // a braked vehicle does not turn against its brakes
        let most = (1.0 - controls.brake) * most;
        let gain = motor.max_torque / (CONTROL_BAND * motor.no_load_speed());
        // the secant of a limited torque ends the error within the step but cannot reverse it
        let secant = most / error.abs().max(f64::MIN_POSITIVE);
        RequestedTorque {
            drive: sense * controls.throttle * limit.value,
            drive_damping: controls.throttle * limit.damping,
            turn: (gain * error).clamp(-most, most),
            turn_damping: gain.min(secant),
        }
    }

    /// Reduces driving and turning torque in the same proportion to what both motors give.
    fn limited(&self, torque: RequestedTorque, speeds: [f64; 2]) -> RequestedTorque {
        let RequestedTorque { drive, drive_damping, turn, turn_damping } = torque;
        let share = |total: f64, speed: f64| {
            let sense = if total < 0.0 { -1.0 } else { 1.0 };
            let most = self.spec.motor.torque_limit(speed, sense).value;
            if total.abs() > most { most / total.abs() } else { 1.0 }
        };
        let scale = share(drive - turn, speeds[0]).min(share(drive + turn, speeds[1]));
        RequestedTorque {
            drive: scale * drive,
            drive_damping: scale * drive_damping,
            turn: scale * turn,
            turn_damping: scale * turn_damping,
        }
    }

    /// Returns the work of the motors less the losses of their gears over a step of `h` seconds, J,
    /// and the motors' reading, and writes that of each motor for a wheel to `wheels`.
    ///
    /// Torques are those at the end of the step; they act at the mean of the speeds `before` and
    /// after it.
    pub(super) fn work(
        &self,
        before: &MotorSpeeds,
        state: &VehicleState,
        workspace: &MultibodyWorkspace,
        h: f64,
        wheels: &mut [WheelMotorReading],
    ) -> (f64, MotorReading) {
        let after = self.motor_speeds(state);
        let end = |element: usize, change: f64| {
            let ElementForce { force, damping, .. } = workspace.element[element];
            -(force + damping * change)
        };
        let mut change = after;
        change.iter_mut().zip(before).for_each(|(change, before)| *change -= before);
        let [left, right] = self.side_means(&change);
        let pairs = 0.5 * self.indices.rotors.len() as f64;
        let turn = self.indices.turn_element.map_or(0.0, |own| end(own, right - left) / pairs);
        let (mut work, mut reading) = (0.0, MotorReading::default());
        for (motor, &element) in self.indices.drive_elements.iter().enumerate() {
            let turning = if motor % 2 == 0 { -turn } else { turn };
            let torque = end(element, change[motor]) + turning;
            let lost = end(self.indices.loss_elements[motor], change[motor]);
            let mean = 0.5 * (before[motor] + after[motor]);
            work += h * (torque + lost) * mean;
            let current = self.spec.motor.current(torque);
            let power = self.spec.motor.electric_power(torque, mean);
            reading.power += power;
            let side = motor % 2;
            if motor < 2 {
                (reading.torques[side], reading.currents[side]) = (torque, current);
            } else {
                reading.torques[side] += torque;
                reading.currents[side] += current;
            }
            if let Some(own) = wheels.get_mut(motor) {
                *own = WheelMotorReading { torque, current, power };
            }
        }
        (work, reading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::MotorPlacement;
    use crate::{Vehicle, find_wheeled};
    use bekker_math::spatial::{Pose, Vec3};

    fn husky() -> Vehicle {
        Vehicle::new(find_wheeled("husky").unwrap()).unwrap()
    }

    #[test]
    fn torques_beyond_the_limit_are_reduced_in_proportion() {
        let vehicle = husky();
        let motors = vehicle.drivetrain().motors().unwrap();
        let (rest, most) = ([0.0; 2], motors.spec.motor.max_torque);
        let limited = |drive: f64, turn: f64| {
            let torque = RequestedTorque { drive, turn, ..RequestedTorque::default() };
            let RequestedTorque { drive, turn, .. } = motors.limited(torque, rest);
            [drive / most, turn / most]
        };
        let close = |found: [f64; 2], expected: [f64; 2]| {
            let apart = (found[0] - expected[0]).hypot(found[1] - expected[1]);
            assert!(apart < 1e-12, "{found:?}, not {expected:?}");
        };
        close(limited(0.5 * most, -0.4 * most), [0.5, -0.4]);
        close(limited(most, most), [0.5, 0.5]);
        close(limited(-0.6 * most, most), [-0.375, 0.625]);
    }

    /// The battery supplies the energy of the turning parts, the losses of the gears, and the heat
    /// of the windings, on a vehicle that floats without weight.
    #[test]
    fn works_add_up() {
        let mut of_wheels = find_wheeled("husky").unwrap();
        of_wheels.motor_drive.as_mut().unwrap().placement = MotorPlacement::Wheel;
        let vehicles = [husky(), Vehicle::new(of_wheels).unwrap()];
        for vehicle in &vehicles {
            let motors = vehicle.drivetrain().motors().unwrap();
            let mut state = vehicle.state(&Pose::default());
            let mut workspace = vehicle.workspace(&state);
            *workspace.gravity() = Vec3::zeros();
            let h = 1e-3;
            let controls = Controls { throttle: 0.6, steering: 0.3, ..Controls::default() };
            let (mut battery, mut heat, mut lost, mut net) = (0.0, 0.0, 0.0, 0.0);
            for tick in 0..400 {
                let before = motors.motor_speeds(&state);
                vehicle.step(&mut state, &mut workspace, &controls, tick, h).unwrap();
                let after = motors.motor_speeds(&state);
                let reading = workspace.motors().unwrap();
                battery += h * reading.power;
                net += workspace.engine_work();
                for (motor, &element) in motors.indices.loss_elements.iter().enumerate() {
                    let mean = 0.5 * (before[motor] + after[motor]);
                    let ElementForce { force, damping, .. } = workspace.bodies().element[element];
                    lost += h * (force + damping * (after[motor] - before[motor])) * mean;
                    let of_wheel = workspace.wheel_motors().get(motor).map(|own| own.current);
                    let current = of_wheel.unwrap_or(reading.currents[motor % 2]);
                    heat += h * motors.spec.motor.resistance * current * current;
                }
            }
            let stored = vehicle.bodies().energy(&state, workspace.bodies());
            let springs = vehicle.spring_energy(&state, &workspace)
                - vehicle.spring_energy(&vehicle.state(&Pose::default()), &workspace);
            println!("{battery} J: {stored} stored, {lost} in gears, {heat} in windings");
            assert!((battery - net - lost - heat).abs() < 1e-9 * battery);
            // The chassis tips under the reaction of the wheels, which its springs and dampers take
            // up.
            let kept = stored + springs;
            assert!((net - kept).abs() < 0.02 * net, "{net} for {stored} and {springs} J");
        }
    }

    #[test]
    fn motors_turn_at_the_speeds_of_their_wheels() {
        let vehicle = husky();
        let state = vehicle.launched(&Pose::default(), -0.5);
        let speeds = vehicle.drivetrain().motors().unwrap().speeds(&state);
        let ratio = vehicle.spec().motor_drive.unwrap().ratio;
        for (side, speed) in speeds.into_iter().enumerate() {
            assert!((speed * ratio - vehicle.wheel_spin(&state, side)).abs() < 1e-9);
        }
        assert_eq!(state.gearbox.gear, -1);
    }
}
