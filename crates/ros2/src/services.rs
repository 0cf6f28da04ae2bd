//! Services that query a run, pause it and step it.

use super::error::Ros2Error;
use super::node::Node;
use super::service::{Caller, Offered};
use super::simulation_interfaces::{
    EntityFilters, EntityInfo, EntityState, FEATURES, Features, GetEntities, GetEntitiesStates,
    GetEntityInfo, GetEntityState, GetSimulationState, GetSimulatorFeatures, ROBOT,
    ResetSimulation, SetEntityState, SetSimulationState, StepSimulation, Verdict, code, state,
};
use super::topics::{MAP, header, quaternion, vector};
use bekker_agent::{GroundVehicle, Sample};
use bekker_world::WorldModel;
use regex::Regex;

/// Whether the run proceeds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Progress {
    Playing,
    Paused,
    /// Runs `left` more heartbeats, then replies to the caller.
    Stepping {
        left: u64,
        caller: Caller,
    },
    Quitting,
}

/// All services of a run, `/bekker/...`.
pub(super) struct Services {
    features: Offered<GetSimulatorFeatures>,
    state: Offered<GetSimulationState>,
    set_state: Offered<SetSimulationState>,
    reset: Offered<ResetSimulation>,
    step: Offered<StepSimulation>,
    entities: Offered<GetEntities>,
    entity_info: Offered<GetEntityInfo>,
    entity_state: Offered<GetEntityState>,
    entities_states: Offered<GetEntitiesStates>,
    set_entity_state: Offered<SetEntityState>,
    vehicles: Vec<Vehicle>,
    progress: Progress,
}

/// State of a vehicle as an entity.
struct Vehicle {
    name: String,
    model: String,
    time_us: u64,
    state: EntityState,
}

impl Services {
    pub fn open(node: &Node, model: &WorldModel) -> Result<Services, Ros2Error> {
        let vehicle = |own: &bekker_agent::AgentModel| Vehicle {
            name: own.name.clone(),
            model: own.vehicle.name().into(),
            time_us: 0,
            state: EntityState::default(),
        };
        Ok(Services {
            features: Offered::open(node)?,
            state: Offered::open(node)?,
            set_state: Offered::open(node)?,
            reset: Offered::open(node)?,
            step: Offered::open(node)?,
            entities: Offered::open(node)?,
            entity_info: Offered::open(node)?,
            entity_state: Offered::open(node)?,
            entities_states: Offered::open(node)?,
            set_entity_state: Offered::open(node)?,
            vehicles: model.agents.iter().map(vehicle).collect(),
            progress: Progress::Playing,
        })
    }

    /// Records the state of all vehicles after a heartbeat. Replies to a step request that is
    /// complete.
    pub fn see(&mut self, time_us: u64, samples: &[Sample]) {
        for sample in samples {
            if let Some(own) = self.vehicles.get_mut(sample.vehicle) {
                own.see(time_us, sample);
            }
        }
        if let Progress::Stepping { left: 0, caller } = self.progress {
            self.progress = Progress::Paused;
            self.step.answer(caller, Verdict::ok());
        }
    }

    /// Answers all received requests.
    pub fn hear(&mut self) {
        while let Some((caller, _)) = self.features.next() {
            let custom_info = format!("bekker {}", env!("CARGO_PKG_VERSION"));
            let (features, spawn_formats) = (FEATURES.to_vec(), Vec::new());
            self.features.answer(caller, Features { features, spawn_formats, custom_info });
        }
        while let Some((caller, wanted)) = self.set_state.next() {
            let verdict = self.set(wanted);
            self.set_state.answer(caller, verdict);
        }
        while let Some((caller, steps)) = self.step.next() {
            if let Some(verdict) = self.begin_steps(caller, steps) {
                self.step.answer(caller, verdict);
            }
        }
        while let Some((caller, _)) = self.state.next() {
            self.state.answer(caller, (self.shown(), Verdict::ok()));
        }
        while let Some((caller, _)) = self.reset.next() {
            let why = "a run is recorded, and goes forward alone: end it by STATE_QUITTING and \
                       begin another";
            self.reset.answer(caller, Verdict::of(code::FEATURE_UNSUPPORTED, why));
        }
        self.hear_of_entities();
    }

    fn hear_of_entities(&self) {
        while let Some((caller, filters)) = self.entities.next() {
            self.entities.answer(
                caller,
                match self.filtered(&filters) {
                    Ok(all) => (Verdict::ok(), all.iter().map(|own| own.name.clone()).collect()),
                    Err(verdict) => (verdict, Vec::new()),
                },
            );
        }
        while let Some((caller, filters)) = self.entities_states.next() {
            self.entities_states.answer(
                caller,
                match self.filtered(&filters) {
                    Ok(all) => {
                        let of = |own: &&Vehicle| (own.name.clone(), own.state.clone());
                        let (names, states) = all.iter().map(of).unzip();
                        (Verdict::ok(), names, states)
                    }
                    Err(verdict) => (verdict, Vec::new(), Vec::new()),
                },
            );
        }
        while let Some((caller, name)) = self.entity_state.next() {
            self.entity_state.answer(
                caller,
                match self.found(&name) {
                    Ok(own) => (Verdict::ok(), own.state.clone()),
                    Err(verdict) => (verdict, EntityState::default()),
                },
            );
        }
        while let Some((caller, name)) = self.entity_info.next() {
            self.entity_info.answer(
                caller,
                match self.found(&name) {
                    Ok(own) => {
                        let (description, tags) = (own.model.clone(), Vec::new());
                        (Verdict::ok(), EntityInfo { category: ROBOT, description, tags })
                    }
                    Err(verdict) => (verdict, EntityInfo::default()),
                },
            );
        }
        while let Some((caller, name)) = self.set_entity_state.next() {
            let why = "a vehicle of a recorded run is put nowhere else: it could not be repeated";
            let refused = |_: &Vehicle| Verdict::of(code::FEATURE_UNSUPPORTED, why);
            let verdict = self.found(&name).map_or_else(|verdict| verdict, refused);
            self.set_entity_state.answer(caller, verdict);
        }
    }

    /// Whether the run is paused.
    pub fn holds(&self) -> bool {
        match self.progress {
            Progress::Paused => true,
            // the last heartbeat is complete once its state is shown
            Progress::Stepping { left, .. } => left == 0,
            Progress::Playing | Progress::Quitting => false,
        }
    }

    /// Whether the run must end.
    pub fn quits(&self) -> bool {
        self.progress == Progress::Quitting
    }

    /// Counts a heartbeat that begins.
    pub fn begin_heartbeat(&mut self) {
        if let Progress::Stepping { left, .. } = &mut self.progress {
            *left = left.saturating_sub(1);
        }
    }

    fn shown(&self) -> u8 {
        match self.progress {
            Progress::Playing | Progress::Stepping { .. } => state::PLAYING,
            Progress::Paused => state::PAUSED,
            Progress::Quitting => state::QUITTING,
        }
    }

    fn set(&mut self, wanted: u8) -> Verdict {
        let progress = match wanted {
            state::PLAYING => Progress::Playing,
            state::PAUSED => Progress::Paused,
            state::QUITTING => Progress::Quitting,
            state::STOPPED => {
                let why = "a run is not taken back to its beginning: end it by STATE_QUITTING and \
                           begin another";
                return Verdict::of(code::FEATURE_UNSUPPORTED, why);
            }
            other => {
                let why = format!("state {other}: must be 1 (playing), 2 (paused) or 3 (quitting)");
                return Verdict::of(code::FEATURE_UNSUPPORTED, why);
            }
        };
        if progress == self.progress {
            return Verdict::of(code::ALREADY_IN_TARGET_STATE, "");
        }
        self.end_steps("another state was set");
        self.progress = progress;
        Verdict::ok()
    }

    /// Begins to step. Returns the reply at once if there is nothing to step or the run is not
    /// paused.
    fn begin_steps(&mut self, caller: Caller, steps: u64) -> Option<Verdict> {
        if self.progress != Progress::Paused {
            let why = "the run is not paused: set STATE_PAUSED first";
            return Some(Verdict::of(code::OPERATION_FAILED, why));
        }
        if steps == 0 {
            return Some(Verdict::ok());
        }
        self.progress = Progress::Stepping { left: steps, caller };
        None
    }

    /// Ends stepping and replies to its caller.
    fn end_steps(&mut self, why: &str) {
        if let Progress::Stepping { left, caller } = self.progress {
            let verdict = match left {
                0 => Verdict::ok(),
                left => {
                    let why = format!("{why} with {left} heartbeats left");
                    Verdict::of(code::OPERATION_FAILED, why)
                }
            };
            self.step.answer(caller, verdict);
            self.progress = Progress::Paused;
        }
    }

    /// Replies to pending requests at the end of the run.
    pub fn end(&mut self) {
        self.end_steps("the run ended");
        self.step.flush();
        self.set_state.flush();
    }

    fn found(&self, name: &str) -> Result<&Vehicle, Verdict> {
        let unknown = || Verdict::of(code::NOT_FOUND, format!("no vehicle {name:?}"));
        self.vehicles.iter().find(|own| own.name == name).ok_or_else(unknown)
    }

    fn filtered(&self, filters: &EntityFilters) -> Result<Vec<&Vehicle>, Verdict> {
        let EntityFilters { filter, categories, tags, bounds, .. } = filters;
        if !(tags.is_empty() && bounds.is_empty()) {
            let why = "vehicles have no tags, and are not found by bounds";
            return Err(Verdict::of(code::FEATURE_UNSUPPORTED, why));
        }
        let wrong = |error: regex::Error| Verdict::of(code::OPERATION_FAILED, error.to_string());
        let pattern = Regex::new(filter).map_err(wrong)?;
        let is_wanted = categories.is_empty() || categories.contains(&ROBOT);
        let matching = |own: &&Vehicle| is_wanted && pattern.is_match(&own.name);
        Ok(self.vehicles.iter().filter(matching).collect())
    }
}

impl Vehicle {
    fn see(&mut self, time_us: u64, sample: &Sample) {
        let turn = sample.pose.orientation;
        let linear = vector(&sample.velocity);
        let angular = vector(&(turn * sample.angular_velocity));
        let before = &self.state;
        // mean over the last heartbeat
        let passed = 1e-6 * time_us.saturating_sub(self.time_us) as f64;
        let rate = |now: [f64; 3], then: [f64; 3]| match passed > 0.0 {
            true => std::array::from_fn(|axis| (now[axis] - then[axis]) / passed),
            false => [0.0; 3],
        };
        self.state = EntityState {
            header: header(time_us, MAP),
            position: vector(&sample.pose.position),
            orientation: quaternion(&turn),
            linear_velocity: linear,
            angular_velocity: angular,
            linear_acceleration: rate(linear, before.linear_velocity),
            angular_acceleration: rate(angular, before.angular_velocity),
        };
        self.time_us = time_us;
    }
}
