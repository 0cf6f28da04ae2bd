//! Instances: worlds that are stepped between communication points.

use super::error::FmuError;
use super::saved_state::{InstanceState, SavedState};
use super::variable::{
    ControlInput, ValueSource, Variable, VariableType, VehicleMoment, external_vehicles, variables,
};
use bekker_agent::Sample;
use bekker_math::spatial::Vec3;
use bekker_scenario::ScenarioFile;
use bekker_scenario::build::{BuiltWorld, world};
use bekker_vehicle::inflation::{kilopascals, pascals};
use bekker_vehicle::{Controls, Selector};
use bekker_world::{CommandError, World, WorldModel, WorldState, ensure_global_pool};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of the scenario file in the resources folder.
pub const SCENARIO: &str = "scenario.toml";

/// Tolerance for times accumulated by an importer, s; steps are whole microseconds.
const TIME_TOLERANCE: f64 = 1e-7;
/// Longest step, s: a week, as for scenarios.
const LONGEST_STEP: f64 = 604_800.0;

/// State of an instance (FMI 3.0, section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum InstancePhase {
    Instantiated,
    Initialization,
    Step,
    Terminated,
}

impl InstancePhase {
    fn name(self) -> &'static str {
        match self {
            InstancePhase::Instantiated => "before EnterInitializationMode",
            InstancePhase::Initialization => "in Initialization Mode",
            InstancePhase::Step => "in Step Mode",
            InstancePhase::Terminated => "after Terminate",
        }
    }
}

/// A world that is stepped between communication points.
///
/// Inputs apply from the start of a step, outputs are the values at its end. The same inputs give
/// the same bits.
pub struct FmuInstance {
    variables: Vec<Variable>,
    /// Indices of the vehicles with an external controller.
    external: Vec<usize>,
    /// Everything that determines the simulation, one item per line.
    decisive: String,
    world: World,
    /// Current states of all vehicles.
    samples: Vec<Sample>,
    start: WorldState,
    state: InstanceState,
}

impl FmuInstance {
    /// Creates an instance of the scenario in the resources folder.
    ///
    /// `token` is the instantiation token of the description.
    ///
    /// # Errors
    /// [`FmuError`] when the scenario cannot be built or does not match the description.
    pub fn new(resources: &Path, token: &str) -> Result<FmuInstance, FmuError> {
        ensure_global_pool()?;
        let file = ScenarioFile::read(&resources.join(SCENARIO), &[])?;
        let BuiltWorld { world: model, decisive, fingerprint, .. } = world(&file)?;
        if token != fingerprint {
            return Err(FmuError::Token { given: token.into(), own: fingerprint });
        }
        let external = external_vehicles(&file.scenario);
        let (variables, world) = (variables(&model, &external), World::new(model));
        let start = world.state().clone();
        let samples = world.samples().collect();
        let state = initial_state(world.model());
        Ok(FmuInstance { variables, external, decisive, world, samples, start, state })
    }

    /// Inputs and outputs, ordered by value reference.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Current time of the importer, s.
    pub fn time(&self) -> f64 {
        self.state.start_time + self.world.time()
    }

    fn expect(&self, call: &'static str, allowed: &[InstancePhase]) -> Result<(), FmuError> {
        let phase = self.state.phase;
        if allowed.contains(&phase) {
            Ok(())
        } else {
            Err(FmuError::Phase { call, phase: phase.name() })
        }
    }

    /// Sets the time of the importer at the start of the world, s.
    ///
    /// # Errors
    /// [`FmuError`] after initialization has begun, or when the time is not finite.
    pub fn start_at(&mut self, start_time: f64) -> Result<(), FmuError> {
        self.expect("setting the start time", &[InstancePhase::Instantiated])?;
        if !start_time.is_finite() {
            return Err(FmuError::StartTime { time: start_time });
        }
        self.state.start_time = start_time;
        Ok(())
    }

    /// Enters initialization mode.
    ///
    /// # Errors
    /// [`FmuError`] in another phase.
    pub fn enter_initialization(&mut self) -> Result<(), FmuError> {
        self.expect("EnterInitializationMode", &[InstancePhase::Instantiated])?;
        self.state.phase = InstancePhase::Initialization;
        Ok(())
    }

    /// Exits initialization mode.
    ///
    /// # Errors
    /// [`FmuError`] in another phase.
    pub fn exit_initialization(&mut self) -> Result<(), FmuError> {
        self.expect("ExitInitializationMode", &[InstancePhase::Initialization])?;
        self.state.phase = InstancePhase::Step;
        Ok(())
    }

    /// Steps from a time, s, by a length, s, which must be a whole number of heartbeats.
    ///
    /// # Errors
    /// [`FmuError`] in another phase, at another time or for an invalid length; the world then
    /// remains unchanged.
    pub fn step(&mut self, from: f64, length: f64) -> Result<(), FmuError> {
        self.expect("DoStep", &[InstancePhase::Step])?;
        ensure_global_pool()?;
        let (clock, now) = (self.world.model().clock, self.time());
        // the comparison is written so that NaN is rejected too
        let same = |a: f64, b: f64| (a - b).abs() <= TIME_TOLERANCE;
        if !same(from, now) {
            return Err(FmuError::CommunicationPoint { given: from, now });
        }
        let heartbeat = clock.reported_time(clock.steps_per_heartbeat());
        let count = (length / heartbeat).round();
        let whole = same(length, count * heartbeat) && count >= 1.0 && length <= LONGEST_STEP;
        if !whole {
            return Err(FmuError::StepSize { given: length, heartbeat });
        }
        for &agent in &self.external {
            let command = self.state.inputs[agent].into();
            let commanded = self.world.command(agent, Some(command));
            commanded.map_err(|source| self.refused(agent, source))?;
        }
        let end = self.world.state().tick + count as u64 * clock.steps_per_heartbeat();
        while self.world.state().tick < end {
            self.world.advance();
            self.observe();
        }
        Ok(())
    }

    /// Samples all vehicles after a heartbeat.
    fn observe(&mut self) {
        for (agent, sample) in self.samples.iter_mut().enumerate() {
            let (since, before) = (sample.time, sample.velocity);
            self.world.sample_into(agent, sample);
            let change = (sample.velocity - before) / (sample.time - since);
            self.state.accelerations[agent] = change;
        }
    }

    /// Ends the simulation; outputs can still be read.
    ///
    /// # Errors
    /// [`FmuError`] before initialization has ended.
    pub fn terminate(&mut self) -> Result<(), FmuError> {
        self.expect("Terminate", &[InstancePhase::Step])?;
        self.state.phase = InstancePhase::Terminated;
        Ok(())
    }

    /// Resets the instance to its initial state.
    ///
    /// # Errors
    /// Cannot fail in practice, since the world began in that state.
    pub fn reset(&mut self) -> Result<(), FmuError> {
        let state = initial_state(self.world.model());
        self.restore(&SavedState { world: self.start.clone(), state })
    }

    /// Returns a copy of the current state.
    pub fn save(&self) -> SavedState {
        SavedState { world: self.world.state().clone(), state: self.state.clone() }
    }

    /// Restores a saved state, from which the simulation continues bit for bit as before.
    ///
    /// # Errors
    /// [`FmuError`] when it does not match this unit; nothing then changes.
    pub fn restore(&mut self, saved: &SavedState) -> Result<(), FmuError> {
        ensure_global_pool()?;
        self.world.restore(&saved.world)?;
        self.state = saved.state.clone();
        self.samples = self.world.samples().collect();
        Ok(())
    }

    /// Encodes a state as bytes.
    ///
    /// # Errors
    /// Cannot fail in practice, since plain data are written to memory.
    pub fn serialize(&self, saved: &SavedState) -> Result<Vec<u8>, FmuError> {
        Ok(saved.encode(self.world.model(), &self.decisive)?)
    }

    /// Decodes a state from bytes.
    ///
    /// # Errors
    /// [`FmuError`] when they are damaged or from another unit.
    pub fn deserialize(&self, bytes: &[u8]) -> Result<SavedState, FmuError> {
        SavedState::decode(self.world.model(), &self.decisive, bytes)
    }

    /// Finds the variable with a reference and type.
    fn find(&self, reference: u32, kind: &'static str) -> Result<&Variable, FmuError> {
        let found = self.variables.get(reference as usize);
        let of_kind = found.filter(|variable| variable.kind.name() == kind);
        of_kind.ok_or(FmuError::NoVariable { reference, kind })
    }

    /// Value of a variable of type Float64.
    ///
    /// # Errors
    /// [`FmuError`] when no such variable has the reference.
    pub fn float64(&self, reference: u32) -> Result<f64, FmuError> {
        let variable = self.find(reference, "Float64")?;
        let moment = |agent: usize| VehicleMoment {
            sample: &self.samples[agent],
            acceleration: self.state.accelerations[agent],
        };
        Ok(match variable.source {
            ValueSource::Time => self.time(),
            ValueSource::Vehicle { agent, of } => of(moment(agent)),
            ValueSource::Wheel { agent, wheel, of } => {
                self.samples[agent].wheels.get(wheel).map_or(0.0, of)
            }
            ValueSource::Control { agent, control } => number(&self.state.inputs[agent], control),
            _ => return Err(FmuError::NoVariable { reference, kind: "Float64" }),
        })
    }

    /// Value of a variable of type Int32.
    ///
    /// # Errors
    /// [`FmuError`] when no such variable has the reference.
    pub fn int32(&self, reference: u32) -> Result<i32, FmuError> {
        let variable = self.find(reference, "Int32")?;
        Ok(match variable.source {
            ValueSource::Gear { agent } => self.samples[agent].gear,
            ValueSource::Control { agent, control } => {
                number(&self.state.inputs[agent], control) as i32
            }
            _ => return Err(FmuError::NoVariable { reference, kind: "Int32" }),
        })
    }

    /// Value of a variable of type Boolean.
    ///
    /// # Errors
    /// [`FmuError`] when no such variable has the reference.
    pub fn boolean(&self, reference: u32) -> Result<bool, FmuError> {
        match self.find(reference, "Boolean")?.source {
            ValueSource::Driving { agent } => {
                Ok(self.world.state().agents[agent].outcome.is_none())
            }
            _ => Err(FmuError::NoVariable { reference, kind: "Boolean" }),
        }
    }

    /// Value of a variable of type String.
    ///
    /// # Errors
    /// [`FmuError`] when no such variable has the reference.
    pub fn string(&self, reference: u32) -> Result<String, FmuError> {
        match self.find(reference, "String")?.source {
            ValueSource::StateHash => {
                ensure_global_pool()?;
                Ok(base16ct::lower::encode_string(&self.world.hash()))
            }
            ValueSource::Outcome { agent } => Ok(self.world.outcome(agent).code.words().into()),
            _ => Err(FmuError::NoVariable { reference, kind: "String" }),
        }
    }

    /// Sets an input of type Float64, effective from the next step.
    ///
    /// # Errors
    /// [`FmuError`] when no such variable has the reference, or the value is not finite.
    pub fn set_float64(&mut self, reference: u32, value: f64) -> Result<(), FmuError> {
        self.set(reference, VariableType::Float64 { unit: "" }.name(), value)
    }

    /// Sets an input of type Int32, effective from the next step.
    ///
    /// # Errors
    /// [`FmuError`] when no such variable has the reference, or the value is not allowed.
    pub fn set_int32(&mut self, reference: u32, value: i32) -> Result<(), FmuError> {
        self.set(reference, VariableType::Int32.name(), value.into())
    }

    fn set(&mut self, reference: u32, kind: &'static str, value: f64) -> Result<(), FmuError> {
        let phases =
            [InstancePhase::Instantiated, InstancePhase::Initialization, InstancePhase::Step];
        self.expect("setting a variable", &phases)?;
        let variable = self.find(reference, kind)?;
        let name = || variable.name.clone();
        let ValueSource::Control { agent, control } = variable.source else {
            return Err(FmuError::NoInput { name: name() });
        };
        if !value.is_finite() {
            return Err(FmuError::Value { name: name(), value, allowed: "a finite number" });
        }
        let mut inputs = self.state.inputs[agent];
        match control {
            ControlInput::Throttle => inputs.throttle = value,
            ControlInput::Brake => inputs.brake = value,
            ControlInput::Steering => inputs.steering = value,
            ControlInput::Inflation => {
                let allowed = "from 0 to 5000 kPa (1000 Pa is 1 kPa)";
                let inflation = pascals(value.max(0.0));
                let inflation =
                    inflation.map_err(|_| FmuError::Value { name: name(), value, allowed })?;
                inputs.inflation = (inflation > 0.0).then_some(inflation);
            }
            ControlInput::Lock(lock) => {
                let engaged = switched(value).ok_or_else(|| FmuError::Value {
                    name: name(),
                    value,
                    allowed: "1 (engaged) or 0 (open)",
                })?;
                inputs.locks = inputs.locks.with_lock(lock, engaged);
            }
            ControlInput::Uncouple => {
                inputs.uncouple = switched(value).ok_or_else(|| FmuError::Value {
                    name: name(),
                    value,
                    allowed: "1 (uncouple) or 0 (no change)",
                })?;
            }
            ControlInput::Gear => {
                let given = [Selector::Reverse, Selector::Neutral, Selector::Drive]
                    .into_iter()
                    .find(|selector| selector.sense() == value);
                let allowed = "1 (drive), 0 (neutral) or -1 (reverse)";
                inputs.gear = given.ok_or(FmuError::Value { name: name(), value, allowed })?;
            }
        }
        let checked = self.world.model().controls(agent, &inputs.into());
        self.state.inputs[agent] = checked.map_err(|source| self.refused(agent, source))?;
        Ok(())
    }

    fn refused(&self, agent: usize, source: CommandError) -> FmuError {
        FmuError::Command { vehicle: self.world.model().agents[agent].name.clone(), source }
    }
}

/// Converts a switch value: 1 is on, 0 is off, others are invalid.
fn switched(value: f64) -> Option<bool> {
    (value == 0.0 || value == 1.0).then_some(value == 1.0)
}

/// Current value of an input.
fn number(inputs: &Controls, control: ControlInput) -> f64 {
    match control {
        ControlInput::Throttle => inputs.throttle,
        ControlInput::Brake => inputs.brake,
        ControlInput::Steering => inputs.steering,
        ControlInput::Gear => inputs.gear.sense(),
        ControlInput::Inflation => inputs.inflation.map_or(0.0, kilopascals),
        ControlInput::Lock(lock) => f64::from(u8::from(inputs.locks.contains(lock))),
        ControlInput::Uncouple => f64::from(u8::from(inputs.uncouple)),
    }
}

/// Initial state other than the world; all vehicles apply the brake.
fn initial_state(model: &WorldModel) -> InstanceState {
    let count = model.agents.len();
    InstanceState {
        phase: InstancePhase::Instantiated,
        start_time: 0.0,
        inputs: vec![Controls::BRAKED; count],
        accelerations: vec![Vec3::zeros(); count],
    }
}
