//! Shafts of engine, torque converter and gearbox in the multibody model, for all kinds of ground
//! vehicles.

use super::powertrain::{Powertrain, Torque};
use crate::multibody::{Closure, Coordinate, Element, ElementForce, ModelBuilder};

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
    pub gearbox: usize,
}

/// Speeds of engine, turbine and gearbox output, rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ShaftSpeeds {
    pub engine: f64,
    pub input: f64,
    pub output: f64,
}

/// Indices of the transmission's bodies and joints, for a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransmissionIndices {
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
        builder: &mut ModelBuilder,
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
    pub fn with_elements(
        self,
        powertrain: &Powertrain,
        builder: &mut ModelBuilder,
    ) -> TransmissionIndices {
        let mut element = |shaft| builder.element(Element::Rates { rates: vec![(shaft, 1.0)] });
        let (engine_element, input_element) = (element(self.engine), element(self.input));
        let between = || vec![(self.engine, 1.0), (self.input, -1.0)];
        let clutch_element =
            powertrain.clutch.map(|_| builder.element(Element::Rates { rates: between() }));
        let free_speed = powertrain.engine.free_speed(1.0);
        TransmissionIndices {
            shafts: self,
            engine_element,
            input_element,
            clutch_element,
            free_speed,
        }
    }
}

impl TransmissionIndices {
    /// Returns the elements at which the torques on engine and gearbox input act.
    pub fn torque_elements(&self) -> [usize; 2] {
        [self.engine_element, self.input_element]
    }
}

/// Force of Coulomb friction on a rate.
pub(super) fn friction(torque: Torque) -> ElementForce {
    ElementForce { force: -torque.value, stiffness: 0.0, damping: torque.damping }
}
