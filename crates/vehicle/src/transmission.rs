//! Engine, torque converter and gearbox on their shafts, for wheeled and tracked vehicles.
//!
//! The drivelines behind the gearbox's output differ.

use super::controls::Controls;
use super::powertrain::{Carried, ConverterTorque, Gearbox, GearboxState, Powertrain, Torque};
use super::settled_torque::strongest;
use super::state::VehicleState;
use crate::multibody::{Builder, Closure, Coordinate, Element, ElementForce, Model, Workspace};

/// Share of the full-throttle torque in a target gear that the present load may use.
///
/// A margin of 10 % remains after a shift.
const SPARE: f64 = 0.9;

/// Shafts of engine, turbine and gearbox output, assembled in the first gear.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransmissionShafts {
    /// Speed of the engine.
    pub engine: Coordinate,
    /// Speed of the gearbox's input, the turbine.
    pub input: Coordinate,
    /// Speed of the gearbox's output.
    pub output: Coordinate,
    /// Index of the gearbox's closure, the first gear of the model. The second weight of this
    /// closure is minus the ratio.
    gearbox: usize,
}

/// Speeds of engine, turbine and gearbox output, rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ShaftSpeeds {
    pub engine: f64,
    pub input: f64,
    pub output: f64,
}

/// Indices by which a step accesses the transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    /// The shafts.
    pub shafts: TransmissionShafts,
    /// Element at which the engine's and the impeller's torques act.
    pub engine_element: usize,
    /// Element at which the turbine's torque acts.
    pub input_element: usize,
    /// Element at which the clutch between engine and input acts, if the powertrain has one.
    pub clutch_element: Option<usize>,
    /// Speed of the engine without load at full throttle, rad/s.
    pub free_speed: f64,
}

impl TransmissionShafts {
    /// Adds the shafts and the gearbox, which must be the first gear of the model.
    ///
    /// `behind` are the inertias that turn with the gearbox's output, kg m².
    pub fn add(
        powertrain: &Powertrain,
        behind: [f64; 2],
        builder: &mut Builder,
    ) -> TransmissionShafts {
        let mut shaft = |inertia| {
            let shaft = builder.shaft(inertia);
            builder.shaft_coordinate(shaft)
        };
        let engine = shaft(powertrain.engine.inertia);
        let input = shaft(powertrain.gearbox.input_inertia);
        let output = shaft(powertrain.gearbox.output_inertia + behind[0] + behind[1]);
        let ratio = powertrain.gearbox.ratios.first().copied().unwrap_or(1.0);
        let rates = vec![(output, 1.0), (input, -ratio)];
        let gearbox = builder.closure(Closure::Gear { rates, spins: Vec::new() });
        TransmissionShafts { engine, input, output, gearbox }
    }

    /// Returns the speeds of the shafts from the velocities of all coordinates.
    pub fn speeds(&self, u: &[f64]) -> ShaftSpeeds {
        let [engine, input, output] =
            [self.engine, self.input, self.output].map(|shaft| u[shaft.index()]);
        ShaftSpeeds { engine, input, output }
    }

    /// Adds the elements at which the torques act.
    pub fn acted_on(self, powertrain: &Powertrain, builder: &mut Builder) -> Transmission {
        let mut element = |shaft| builder.element(Element::Rates { rates: vec![(shaft, 1.0)] });
        let (engine_element, input_element) = (element(self.engine), element(self.input));
        let between = || vec![(self.engine, 1.0), (self.input, -1.0)];
        let clutch_element =
            powertrain.clutch.map(|_| builder.element(Element::Rates { rates: between() }));
        let free_speed = powertrain.engine.free_speed(1.0);
        Transmission { shafts: self, engine_element, input_element, clutch_element, free_speed }
    }
}

impl Transmission {
    /// Returns the row of the gearbox among the closures of a model.
    pub fn gearbox_row(&self, model: &Model) -> usize {
        model.closure_row(self.shafts.gearbox)
    }

    /// Sets the speeds of the shafts for an output speed, rad/s, in a gear or in the fitting one.
    ///
    /// In neutral the engine stands still.
    pub fn turn(
        &self,
        gearbox: &Gearbox,
        u: &mut [f64],
        output: f64,
        gear: Option<i32>,
    ) -> GearboxState {
        let gear = gear.unwrap_or_else(|| gearbox.fitting(output));
        let input = gearbox.ratio(gear).map_or(0.0, |ratio| output / ratio);
        u[self.shafts.output.index()] = output;
        u[self.shafts.input.index()] = input;
        u[self.shafts.engine.index()] = input;
        GearboxState::in_gear(gear)
    }

    /// Whether another gear at full throttle could transmit the present torque with a margin.
    fn could_carry(
        &self,
        powertrain: &Powertrain,
        (engaged, gear): (i32, i32),
        shafts: &ShaftSpeeds,
    ) -> bool {
        let ShaftSpeeds { engine, input, output } = *shafts;
        let ratios = [engaged, gear].map(|gear| powertrain.gearbox.ratio(gear));
        let [Some(from), Some(to)] = ratios else { return true };
        let fluid =
            powertrain.converter.as_ref().map_or(0.0, |own| own.torque(engine, input).turbine);
        let by = if powertrain.converter.is_some() { input } else { engine };
        let clutch = powertrain.clutch.map_or(0.0, |own| own.torque(by, engine - input).value);
        let carries = (fluid - clutch) / from;
        let could = strongest((powertrain, self.free_speed), output / to) / to;
        carries <= SPARE * could
    }

    /// Shifts gears and applies the torques of engine, converter and clutch to their shafts.
    pub fn drive(
        &self,
        (powertrain, model): (&Powertrain, &Model),
        state: &mut VehicleState,
        workspace: &mut Workspace,
        controls: &Controls,
        (tick, h): (u64, f64),
    ) {
        let shafts = self.shafts.speeds(&state.body.u);
        let ShaftSpeeds { engine, input, output } = shafts;
        let ticks_per_second = (1.0 / h).round() as u64;
        let gearbox = &powertrain.gearbox;
        let engaged = state.gearbox.gear;
        let could_carry = |gear| self.could_carry(powertrain, (engaged, gear), &shafts);
        let carried = Carried { drives: controls.throttle > 0.0, could_carry: &could_carry };
        let ticks = [tick, ticks_per_second];
        gearbox.shift(&mut state.gearbox, controls.gear, [input, output], &carried, ticks);
        let coupling = gearbox.coupling(&state.gearbox, tick, h);
        workspace.gear_weights[model.gear_start(0) + 1] = -coupling.ratio;
        workspace.softness[self.gearbox_row(model)] = coupling.softness;
        let burned = powertrain.engine.torque(controls.throttle, engine);
        let fluid = powertrain
            .converter
            .as_ref()
            .map_or_else(ConverterTorque::default, |converter| converter.torque(engine, input));
        workspace.element[self.engine_element] = ElementForce {
            force: -(burned.value + fluid.impeller),
            stiffness: 0.0,
            damping: (burned.damping + fluid.damping[0][0]).max(0.0),
        };
        workspace.element[self.input_element] = ElementForce {
            force: -fluid.turbine,
            stiffness: 0.0,
            damping: fluid.damping[1][1].max(0.0),
        };
        if let (Some(element), Some(clutch)) = (self.clutch_element, &powertrain.clutch) {
            let speed = if powertrain.converter.is_some() { input } else { engine };
            workspace.element[element] = friction(clutch.torque(speed, engine - input));
        }
    }
}

impl Transmission {
    /// Work of engine and converter over a step of `h` seconds, J; negative while they brake.
    ///
    /// It is the torque at the end of the step times the mean of the speeds `before` and `after`
    /// it.
    pub fn work(
        &self,
        before: &ShaftSpeeds,
        after: &ShaftSpeeds,
        workspace: &Workspace,
        h: f64,
    ) -> f64 {
        let of = |element: usize, before: f64, after: f64| {
            let ElementForce { force, damping, .. } = workspace.element[element];
            -0.5 * h * (force + damping * (after - before)) * (before + after)
        };
        of(self.engine_element, before.engine, after.engine)
            + of(self.input_element, before.input, after.input)
    }
}

/// Force of Coulomb friction on a rate.
pub(super) fn friction(torque: Torque) -> ElementForce {
    ElementForce { force: -torque.value, stiffness: 0.0, damping: torque.damping }
}
