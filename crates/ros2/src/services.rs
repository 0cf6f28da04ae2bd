//! Services that query a run, pause it and step it.

use super::error::Ros2Error;
use super::node::Node;
use super::service::{Caller, ServiceServer};
use super::simulation_interfaces::{
    EntityFilters, EntityInfo, EntityState, FEATURES, GetEntities, GetEntitiesStates,
    GetEntityInfo, GetEntityState, GetSimulationState, GetSimulatorFeatures, ROBOT,
    ResetSimulation, ServiceResult, SetEntityState, SetSimulationState, SimulatorFeatures,
    StepSimulation, code, state,
};
use super::topics::{MAP, header, quaternion, vector};
use bekker_agent::{GroundVehicle, Sample};
use bekker_world::WorldModel;
use regex::Regex;

/// Whether the run proceeds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RunState {
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
    features: ServiceServer<GetSimulatorFeatures>,
    state: ServiceServer<GetSimulationState>,
    set_state: ServiceServer<SetSimulationState>,
    reset: ServiceServer<ResetSimulation>,
    step: ServiceServer<StepSimulation>,
    entities: ServiceServer<GetEntities>,
    entity_info: ServiceServer<GetEntityInfo>,
    entity_state: ServiceServer<GetEntityState>,
    entities_states: ServiceServer<GetEntitiesStates>,
    set_entity_state: ServiceServer<SetEntityState>,
    vehicles: Vec<Entity>,
    progress: RunState,
}

/// State of a vehicle as an entity.
struct Entity {
    name: String,
    model: String,
    time_us: u64,
    state: EntityState,
}

impl Services {
    pub fn open(node: &Node, model: &WorldModel) -> Result<Services, Ros2Error> {
        let vehicle = |own: &bekker_agent::AgentModel| Entity {
            name: own.name.clone(),
            model: own.vehicle.name().into(),
            time_us: 0,
            state: EntityState::default(),
        };
        Ok(Services {
            features: ServiceServer::open(node)?,
            state: ServiceServer::open(node)?,
            set_state: ServiceServer::open(node)?,
            reset: ServiceServer::open(node)?,
            step: ServiceServer::open(node)?,
            entities: ServiceServer::open(node)?,
            entity_info: ServiceServer::open(node)?,
            entity_state: ServiceServer::open(node)?,
            entities_states: ServiceServer::open(node)?,
            set_entity_state: ServiceServer::open(node)?,
            vehicles: model.agents.iter().map(vehicle).collect(),
            progress: RunState::Playing,
        })
    }

    /// Records the state of all vehicles after a heartbeat. Replies to a step request that is
    /// complete.
    pub fn update(&mut self, time_us: u64, samples: &[Sample]) {
        for sample in samples {
            if let Some(own) = self.vehicles.get_mut(sample.vehicle) {
                own.update(time_us, sample);
            }
        }
        if let RunState::Stepping { left: 0, caller } = self.progress {
            self.progress = RunState::Paused;
            self.step.reply(caller, ServiceResult::ok());
        }
    }

    /// Answers all received requests.
    pub fn handle_requests(&mut self) {
        while let Some((caller, _)) = self.features.next() {
            let custom_info = format!("bekker {}", env!("CARGO_PKG_VERSION"));
            let (features, spawn_formats) = (FEATURES.to_vec(), Vec::new());
            self.features.reply(caller, SimulatorFeatures { features, spawn_formats, custom_info });
        }
        while let Some((caller, wanted)) = self.set_state.next() {
            let verdict = self.set(wanted);
            self.set_state.reply(caller, verdict);
        }
        while let Some((caller, steps)) = self.step.next() {
            if let Some(verdict) = self.begin_steps(caller, steps) {
                self.step.reply(caller, verdict);
            }
        }
        while let Some((caller, _)) = self.state.next() {
            self.state.reply(caller, (self.state_code(), ServiceResult::ok()));
        }
        while let Some((caller, _)) = self.reset.next() {
            let why =
                "a recorded run cannot be reset; end it with STATE_QUITTING and start another";
            self.reset.reply(caller, ServiceResult::failed(code::FEATURE_UNSUPPORTED, why));
        }
        self.handle_entity_requests();
    }

    fn handle_entity_requests(&self) {
        while let Some((caller, filters)) = self.entities.next() {
            self.entities.reply(
                caller,
                match self.filtered(&filters) {
                    Ok(all) => {
                        (ServiceResult::ok(), all.iter().map(|own| own.name.clone()).collect())
                    }
                    Err(verdict) => (verdict, Vec::new()),
                },
            );
        }
        while let Some((caller, filters)) = self.entities_states.next() {
            self.entities_states.reply(
                caller,
                match self.filtered(&filters) {
                    Ok(all) => {
                        let of = |own: &&Entity| (own.name.clone(), own.state.clone());
                        let (names, states) = all.iter().map(of).unzip();
                        (ServiceResult::ok(), names, states)
                    }
                    Err(verdict) => (verdict, Vec::new(), Vec::new()),
                },
            );
        }
        while let Some((caller, name)) = self.entity_state.next() {
            self.entity_state.reply(
                caller,
                match self.entity(&name) {
                    Ok(own) => (ServiceResult::ok(), own.state.clone()),
                    Err(verdict) => (verdict, EntityState::default()),
                },
            );
        }
        while let Some((caller, name)) = self.entity_info.next() {
            self.entity_info.reply(
                caller,
                match self.entity(&name) {
                    Ok(own) => {
                        let (description, tags) = (own.model.clone(), Vec::new());
                        (ServiceResult::ok(), EntityInfo { category: ROBOT, description, tags })
                    }
                    Err(verdict) => (verdict, EntityInfo::default()),
                },
            );
        }
        while let Some((caller, name)) = self.set_entity_state.next() {
            let why = "vehicles of a recorded run cannot be moved, because the run could not be \
                replayed";
            let refused = |_: &Entity| ServiceResult::failed(code::FEATURE_UNSUPPORTED, why);
            let verdict = self.entity(&name).map_or_else(|verdict| verdict, refused);
            self.set_entity_state.reply(caller, verdict);
        }
    }

    /// Whether the run is paused.
    pub fn holds(&self) -> bool {
        match self.progress {
            RunState::Paused => true,
            // the last heartbeat is complete once its state is shown
            RunState::Stepping { left, .. } => left == 0,
            RunState::Playing | RunState::Quitting => false,
        }
    }

    /// Whether the run must end.
    pub fn is_quitting(&self) -> bool {
        self.progress == RunState::Quitting
    }

    /// Counts a heartbeat that begins.
    pub fn begin_heartbeat(&mut self) {
        if let RunState::Stepping { left, .. } = &mut self.progress {
            *left = left.saturating_sub(1);
        }
    }

    fn state_code(&self) -> u8 {
        match self.progress {
            RunState::Playing | RunState::Stepping { .. } => state::PLAYING,
            RunState::Paused => state::PAUSED,
            RunState::Quitting => state::QUITTING,
        }
    }

    fn set(&mut self, wanted: u8) -> ServiceResult {
        let progress = match wanted {
            state::PLAYING => RunState::Playing,
            state::PAUSED => RunState::Paused,
            state::QUITTING => RunState::Quitting,
            state::STOPPED => {
                let why = "a run cannot return to its start; end it with STATE_QUITTING and start \
                    another";
                return ServiceResult::failed(code::FEATURE_UNSUPPORTED, why);
            }
            other => {
                let why = format!("state {other}: must be 1 (playing), 2 (paused) or 3 (quitting)");
                return ServiceResult::failed(code::FEATURE_UNSUPPORTED, why);
            }
        };
        if progress == self.progress {
            return ServiceResult::failed(code::ALREADY_IN_TARGET_STATE, "");
        }
        self.end_steps("another state was set");
        self.progress = progress;
        ServiceResult::ok()
    }

    /// Begins to step. Returns the reply at once if there is nothing to step or the run is not
    /// paused.
    fn begin_steps(&mut self, caller: Caller, steps: u64) -> Option<ServiceResult> {
        if self.progress != RunState::Paused {
            let why = "the run is not paused; set STATE_PAUSED first";
            return Some(ServiceResult::failed(code::OPERATION_FAILED, why));
        }
        if steps == 0 {
            return Some(ServiceResult::ok());
        }
        self.progress = RunState::Stepping { left: steps, caller };
        None
    }

    /// Ends stepping and replies to its caller.
    fn end_steps(&mut self, why: &str) {
        if let RunState::Stepping { left, caller } = self.progress {
            let verdict = match left {
                0 => ServiceResult::ok(),
                left => {
                    let why = format!("{why} with {left} heartbeats left");
                    ServiceResult::failed(code::OPERATION_FAILED, why)
                }
            };
            self.step.reply(caller, verdict);
            self.progress = RunState::Paused;
        }
    }

    /// Replies to pending requests at the end of the run.
    pub fn end(&mut self) {
        self.end_steps("the run ended");
        self.step.flush();
        self.set_state.flush();
    }

    fn entity(&self, name: &str) -> Result<&Entity, ServiceResult> {
        let unknown = || ServiceResult::failed(code::NOT_FOUND, format!("no vehicle {name:?}"));
        self.vehicles.iter().find(|own| own.name == name).ok_or_else(unknown)
    }

    fn filtered(&self, filters: &EntityFilters) -> Result<Vec<&Entity>, ServiceResult> {
        let EntityFilters { filter, categories, tags, bounds, .. } = filters;
        if !(tags.is_empty() && bounds.is_empty()) {
            let why = "filters by tags and bounds are not supported";
            return Err(ServiceResult::failed(code::FEATURE_UNSUPPORTED, why));
        }
        let wrong =
            |error: regex::Error| ServiceResult::failed(code::OPERATION_FAILED, error.to_string());
        let pattern = Regex::new(filter).map_err(wrong)?;
        let is_wanted = categories.is_empty() || categories.contains(&ROBOT);
        let matching = |own: &&Entity| is_wanted && pattern.is_match(&own.name);
        Ok(self.vehicles.iter().filter(matching).collect())
    }
}

impl Entity {
    fn update(&mut self, time_us: u64, sample: &Sample) {
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
