//! Drivetrain with an engine, for wheels or sprockets.
//!
//! The multibody model holds the shafts. Behind the gearbox, kinds of vehicles differ in the
//! closures that drive their wheels or sprockets.

use super::controls::Controls;
use super::pedal_response::{EngineResponse, PedalResponse};
use super::powertrain::{ConverterTorque, GearboxLoad, GearboxState, Powertrain};
use super::settled_torque::SettledEngine;
use super::state::VehicleState;
use super::transmission::{ShaftSpeeds, TransmissionIndices, friction};
use crate::multibody::{ElementForce, MultibodyModel, MultibodyWorkspace};

/// Share of the full-throttle torque in a target gear that the present load may use.
///
/// A margin of 10 % remains after a shift.
const SPARE: f64 = 0.9;

/// Drivetrain of a vehicle with an engine; immutable.
#[derive(Clone, Debug)]
pub struct EngineDrivetrain {
    powertrain: Powertrain,
    transmission: TransmissionIndices,
    /// Row of the gearbox among the closures of the multibody model.
    gearbox_row: usize,
    /// Index of the gearbox's weight that is minus its ratio.
    ratio_weight: usize,
    /// Rows of the closures whose torques drive wheels or sprockets.
    output_rows: Vec<usize>,
    gearing: ThrustGearing,
}

/// Conversion of torques of the drivetrain to accelerations of the vehicle.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThrustGearing {
    /// Mass of the vehicle, kg.
    pub mass: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Radius at which torques of wheels or sprockets act on the vehicle, m.
    pub radius: f64,
    /// Sum of the torques at wheels or sprockets per torque at the gearbox's output.
    pub torque_ratio: f64,
    /// Acceleration per torque at the gearbox's output, m/s² per N m.
    pub acceleration: f64,
    /// Sum of the torques of all service brakes at full pedal, N m.
    pub brake_torque: f64,
}

impl EngineDrivetrain {
    /// Builds the drivetrain on a finished model; the torques of the closures `outputs` drive it.
    pub(super) fn new(
        powertrain: &Powertrain,
        transmission: TransmissionIndices,
        model: &MultibodyModel,
        outputs: impl Iterator<Item = usize>,
        gearing: ThrustGearing,
    ) -> EngineDrivetrain {
        EngineDrivetrain {
            powertrain: powertrain.clone(),
            transmission,
            gearbox_row: model.closure_row(transmission.shafts.gearbox),
            ratio_weight: model.gear_start(0) + 1,
            output_rows: outputs.map(|closure| model.closure_row(closure)).collect(),
            gearing,
        }
    }

    /// Sets the acceleration of gravity, m/s².
    pub(super) fn set_gravity(&mut self, gravity: f64) {
        self.gearing.gravity = gravity;
    }

    /// Returns the number of forward gears.
    pub fn gears(&self) -> usize {
        self.powertrain.gearbox.ratios.len()
    }

    /// Returns the engine speed, rad/s.
    pub fn engine_speed(&self, state: &VehicleState) -> f64 {
        state.body.u[self.transmission.shafts.engine.index()]
    }

    /// Returns the fuel rate at `throttle`, kg/s, if the file specifies consumption.
    pub fn fuel_rate(&self, state: &VehicleState, throttle: f64) -> Option<f64> {
        self.powertrain.engine.fuel_rate(throttle, self.engine_speed(state))
    }

    /// Returns the thrust at wheels or tracks over the vehicle's weight, positive forward, in the
    /// last step.
    pub fn thrust(&self, state: &VehicleState) -> f64 {
        let torque: f64 = self.output_rows.iter().map(|&row| -state.body.closure_forces[row]).sum();
        torque / (self.gearing.radius * self.gearing.mass * self.gearing.gravity)
    }

    /// Returns the response to throttle and brake at the present speed and gear.
    pub fn pedal_response(&self, state: &VehicleState) -> PedalResponse {
        let ThrustGearing { mass, radius, torque_ratio, brake_torque, .. } = self.gearing;
        let arm = radius * mass;
        let torques = self.settled_engine().torques(&state.gearbox, self.speeds(state).input);
        let [closed, full] = torques.unwrap_or_default().map(|torque| torque * torque_ratio / arm);
        PedalResponse { closed, full, brake: brake_torque / arm }
    }

    /// Returns the dynamic response of the engine at the present speed and gear.
    pub fn engine_response(&self, state: &VehicleState) -> EngineResponse<'_> {
        let ThrustGearing { mass, acceleration, .. } = self.gearing;
        let (engine, shafts) = (self.settled_engine(), self.speeds(state));
        EngineResponse::new(engine, &state.gearbox, shafts, acceleration, mass)
    }

    fn settled_engine(&self) -> SettledEngine<'_> {
        let EngineDrivetrain { powertrain, transmission, .. } = self;
        SettledEngine { powertrain, free_speed: transmission.free_speed }
    }

    /// Returns the speeds of engine, turbine and gearbox output.
    pub(super) fn speeds(&self, state: &VehicleState) -> ShaftSpeeds {
        self.transmission.shafts.speeds(&state.body.u)
    }

    /// Sets the speeds of the shafts for an output speed, rad/s, in a gear or in the fitting one.
    ///
    /// In neutral the engine stands still.
    pub(super) fn set_shaft_speeds(
        &self,
        u: &mut [f64],
        output: f64,
        gear: Option<i32>,
    ) -> GearboxState {
        let (gearbox, shafts) = (&self.powertrain.gearbox, &self.transmission.shafts);
        let gear = gear.unwrap_or_else(|| gearbox.fitting_gear(output));
        let input = gearbox.ratio(gear).map_or(0.0, |ratio| output / ratio);
        u[shafts.output.index()] = output;
        u[shafts.input.index()] = input;
        u[shafts.engine.index()] = input;
        GearboxState::in_gear(gear)
    }

    /// Whether `gear` at full throttle could transmit the torque in the gear `engaged`, with a
    /// margin.
    fn could_carry(&self, engaged: i32, gear: i32, shafts: &ShaftSpeeds) -> bool {
        let ShaftSpeeds { engine, input, output } = *shafts;
        let powertrain = &self.powertrain;
        let ratios = [engaged, gear].map(|gear| powertrain.gearbox.ratio(gear));
        let [Some(from), Some(to)] = ratios else { return true };
        let fluid =
            powertrain.converter.as_ref().map_or(0.0, |own| own.torque(engine, input).turbine);
        let by = if powertrain.converter.is_some() { input } else { engine };
        let clutch = powertrain.clutch.map_or(0.0, |own| own.torque(by, engine - input).value);
        let carries = (fluid - clutch) / from;
        let could = self.settled_engine().strongest(output / to) / to;
        carries <= SPARE * could
    }

    /// Shifts gears and applies the torques of engine, converter and clutch to their shafts.
    pub(super) fn drive(
        &self,
        state: &mut VehicleState,
        workspace: &mut MultibodyWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) {
        let EngineDrivetrain { powertrain, transmission, .. } = self;
        let shafts = self.speeds(state);
        let ShaftSpeeds { engine, input, output } = shafts;
        let ticks_per_second = (1.0 / h).round() as u64;
        let gearbox = &powertrain.gearbox;
        let engaged = state.gearbox.gear;
        let could_carry = |gear| self.could_carry(engaged, gear, &shafts);
        let carried = GearboxLoad { drives: controls.throttle > 0.0, could_carry: &could_carry };
        let ticks = [tick, ticks_per_second];
        gearbox.shift(&mut state.gearbox, controls.gear, [input, output], &carried, ticks);
        let coupling = gearbox.constraint(&state.gearbox, tick, h);
        workspace.gear_weights[self.ratio_weight] = -coupling.ratio;
        workspace.softness[self.gearbox_row] = coupling.softness;
        let burned = powertrain.engine.torque(controls.throttle, engine);
        let fluid = powertrain
            .converter
            .as_ref()
            .map_or_else(ConverterTorque::default, |converter| converter.torque(engine, input));
        workspace.element[transmission.engine_element] = ElementForce {
            force: -(burned.value + fluid.impeller),
            stiffness: 0.0,
            damping: (burned.damping + fluid.damping[0][0]).max(0.0),
        };
        workspace.element[transmission.input_element] = ElementForce {
            force: -fluid.turbine,
            stiffness: 0.0,
            damping: fluid.damping[1][1].max(0.0),
        };
        if let (Some(element), Some(clutch)) = (transmission.clutch_element, &powertrain.clutch) {
            let speed = if powertrain.converter.is_some() { input } else { engine };
            workspace.element[element] = friction(clutch.torque(speed, engine - input));
        }
    }

    /// Returns the work of engine and converter over a step of `h` seconds, J; negative while they
    /// brake.
    ///
    /// It is the torque at the end of the step times the mean of the speeds `before` and after it.
    pub(super) fn work(
        &self,
        before: &ShaftSpeeds,
        state: &VehicleState,
        workspace: &MultibodyWorkspace,
        h: f64,
    ) -> f64 {
        let after = self.speeds(state);
        let of = |element: usize, before: f64, after: f64| {
            let ElementForce { force, damping, .. } = workspace.element[element];
            -0.5 * h * (force + damping * (after - before)) * (before + after)
        };
        let [engine, input] = self.transmission.torque_elements();
        of(engine, before.engine, after.engine) + of(input, before.input, after.input)
    }
}
