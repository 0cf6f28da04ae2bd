//! Creation and caching of the levels of a task.

use super::coarse_heights::CoarseHeights;
use super::custom_level::CustomLevel;
use super::level::Level;
use super::level_rng::LevelRng;
use super::level_spec::{LevelObstacle, LevelSpec};
use super::observation::layout;
use super::observation_field::ObservationField;
use super::observed_camera::{ObservedCamera, observed_cameras};
use super::options::{Fidelity, STEP};
use super::perception::LevelPerception;
use super::{LearningError, LearningTask, Options};
use bekker_agent::GroundVehicle;
use bekker_ground::soil::SoilKind;
use bekker_ground::soil::catalog::catalog;
use bekker_math::numeric::{cos, pow, sin};
use bekker_scenario::build::{AssetCache, vehicle_spec, world_with_assets};
use bekker_scenario::config::{
    CollisionPolicy, CustomSoil, DriverConfig, Payload, Scenario, TimeConfig, TireModel,
    VehicleConfig, Zone,
};
use bekker_scenario::{Diagnostics, ScenarioFile};
use bekker_vehicle::spec::Inflation;
use bekker_world::World;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Approximate duration of a level's scenario, s; longer than any episode.
pub(super) const SCENARIO_DURATION: f64 = 3600.0;

/// Scatter of soil parameters at difficulty 1: powers of ten, and degrees.
const MAX_DECADES: f64 = 0.3;
const MAX_DEGREES: f64 = 4.0;

/// Scatters a soil of the catalog: pressure and cohesion log-uniformly, as they are measured.
fn scatter_soil(name: &str, new_name: &str, rng: &mut LevelRng, difficulty: f64) -> CustomSoil {
    let mut custom =
        CustomSoil { name: new_name.into(), based_on: Some(name.into()), ..CustomSoil::default() };
    let (decades, degrees) = (MAX_DECADES * difficulty, MAX_DEGREES * difficulty);
    let factors = [0, 1].map(|_| pow(10.0, rng.uniform(-decades, decades)));
    let turn = rng.uniform(-degrees, degrees);
    let Ok(known) = catalog().find(name) else { return custom };
    if let SoilKind::Deformable(own) = &known.kind {
        custom.k_phi = Some(own.k_phi * factors[0]);
        custom.k_c = Some(own.k_c * factors[0]);
        custom.cohesion = Some(own.cohesion * factors[1]);
        custom.friction_angle_deg = Some((own.friction_angle.to_degrees() + turn).clamp(1.0, 45.0));
    }
    custom
}

impl Level {
    /// Builds the level with a number. Its observations must have the fields of `fields`.
    fn build(
        task: &dyn LearningTask,
        options: &Options,
        custom: Option<&CustomLevel>,
        number: u64,
        assets: &AssetCache,
        fields: &[ObservationField],
    ) -> Result<Level, LearningError> {
        let refused =
            |diagnostics: Diagnostics| LearningError::Level { level: number, diagnostics };
        let (spec, file) = match custom {
            Some(custom) => (custom.spec(), custom.file(options)?),
            None => {
                let mut rng = LevelRng::new(task.id(), number);
                let spec = task.spec(&mut rng, options.difficulty);
                let count = options.vehicles(task.vehicles())?;
                let scenario =
                    scenario(&spec, options, number, count, &mut rng).map_err(refused)?;
                let file = ScenarioFile::from_scenario(&scenario, Path::new(""));
                (spec, file.map_err(refused)?)
            }
        };
        let cameras = cameras_of(options, custom)?;
        if layout(task, options, &cameras) != fields {
            let (option, value) = ("cameras", format!("other sizes or channels on level {number}"));
            let allowed = "the same on all levels".into();
            return Err(LearningError::Option { option, value, allowed });
        }
        let built = world_with_assets(&file, assets).map_err(refused)?;
        let vehicle = &built.world.agents[0].vehicle;
        let (wheel_radius, wheels) = (vehicle.properties().drive_radius, vehicle.wheels());
        let seen = options.map.unwrap_or(task.observes_map());
        let coarse_heights = seen.then(|| {
            CoarseHeights::new(built.world.ground.terrain(), &spec.obstacles, task.extent())
        });
        let start = World::new(built.world.clone());
        let place = file.scenario.vehicle[0].position;
        let perception = LevelPerception::new(&file, &built, &start, place, options, cameras);
        let corners = [0, 1, wheels.saturating_sub(2), wheels.saturating_sub(1)];
        Ok(Level {
            number,
            spec,
            file,
            built,
            start,
            coarse_heights,
            perception,
            wheel_radius,
            corners,
        })
    }
}

/// Returns the cameras of the observation on a level.
fn cameras_of(
    options: &Options,
    custom: Option<&CustomLevel>,
) -> Result<Vec<ObservedCamera>, LearningError> {
    let vehicle = custom.and_then(|custom| custom.scenario.scenario.vehicle.first());
    let sensors = vehicle.map_or(&[][..], |vehicle| &vehicle.sensor);
    observed_cameras(options.cameras.as_deref().unwrap_or_default(), sensors)
}

fn scenario(
    spec: &LevelSpec,
    options: &Options,
    number: u64,
    count: usize,
    rng: &mut LevelRng,
) -> Result<Scenario, Diagnostics> {
    let mut scenario = Scenario::new("level", "firm", TimeConfig::with_duration(SCENARIO_DURATION));
    scenario.endings.immobilized = false;
    scenario.endings.overturned = false;
    scenario.endings.collision = CollisionPolicy::Stop;
    scenario.seed = number % (1 << 62);
    scenario.time.step = options.step.unwrap_or(STEP);
    // no other agents exist, so one heartbeat per action suffices
    scenario.time.heartbeat = options.period;
    // episodes end earlier, but the duration must be a multiple of the heartbeat
    scenario.time.duration = (SCENARIO_DURATION / options.period).round() * options.period;
    scenario.output.interval = options.period;
    scenario.ground.spacing = options.spacing.unwrap_or(scenario.ground.spacing);
    scenario.terrain.surface = spec.surface.clone();
    scenario.terrain.stamp = spec.stamps.clone();
    let mut scatter = |soil: &str, new_name: String| {
        let soil = options.soil.as_deref().unwrap_or(soil);
        let custom = scatter_soil(soil, &new_name, rng, options.difficulty);
        // firm ground is not scattered
        let firm = custom.k_phi.is_none();
        if firm {
            return soil.to_owned();
        }
        scenario.soil.custom.push(custom);
        new_name
    };
    let default = scatter(spec.soil, "ground".into());
    let patches: Vec<Zone> = spec
        .patches
        .iter()
        .enumerate()
        .map(|(n, patch)| Zone {
            soil: scatter(patch.soil, format!("patch {n}")),
            area: patch.area(),
        })
        .collect();
    scenario.soil.default = default;
    scenario.soil.zone = patches;
    scenario.scenery = spec.obstacles.iter().map(LevelObstacle::scenery).collect();
    let on_tracks = vehicle_spec(&options.vehicle, Path::new(""))?.wheeled().is_none();
    let tire = options.flexible_tires.map(|gives| match gives {
        true => TireModel::Flexible,
        false => TireModel::Rigid,
    });
    let load = Payload { mass: spec.payload, position: [-1.0, 0.0, 0.6], size: [0.0; 3] };
    let first = VehicleConfig {
        heading_deg: spec.heading.to_degrees(),
        tire: tire.filter(|_| !on_tracks),
        inflation_kpa: options.inflation_kpa.map(Inflation::All),
        payload: if spec.payload > 0.0 { vec![load] } else { Vec::new() },
        ..VehicleConfig::new("vehicle", &options.vehicle, DriverConfig::default())
    };
    let behind = |n: usize| {
        let back = -spec.vehicle_spacing * n as f64;
        let position = [back * cos(spec.heading), back * sin(spec.heading)];
        VehicleConfig { name: format!("vehicle {n}"), position, ..first.clone() }
    };
    scenario.vehicle = (0..count).map(behind).collect();
    Ok(scenario)
}

/// Rejects vehicles that the task does not support, and tire options without effect.
fn check_vehicle(task: &dyn LearningTask, options: &Options) -> Result<(), LearningError> {
    let model = &options.vehicle;
    let spec = vehicle_spec(model, Path::new(""));
    let spec = spec.map_err(|diagnostics| LearningError::Level { level: 0, diagnostics })?;
    let refused = |option, value: String, allowed: String| {
        Err(LearningError::Option { option, value, allowed })
    };
    let on_wheels = spec.wheeled();
    if on_wheels.is_none() && !task.requires_tracks() {
        let allowed = "a wheeled vehicle for this task".into();
        return refused("vehicle", model.clone(), allowed);
    }
    if !spec.can_steer() {
        let allowed = "a vehicle with a steered axle".into();
        return refused("vehicle", model.clone(), allowed);
    }
    if on_wheels.is_none() && options.fidelity == Some(Fidelity::Fast) {
        let allowed = format!("full: {} is tracked", spec.name());
        return refused("fidelity", "fast".into(), allowed);
    }
    if on_wheels.is_some_and(|own| own.tire.flexible.is_some()) {
        return Ok(());
    }
    let name = spec.name();
    let why = match on_wheels {
        Some(_) => format!("{name} has no flexible tires ([tire.flexible])"),
        None => format!("{name} is tracked"),
    };
    if options.flexible_tires == Some(true) {
        return refused("flexible_tires", "true".into(), format!("omitted or false: {why}"));
    }
    if let Some(kpa) = options.inflation_kpa {
        return refused("inflation_kpa", kpa.to_string(), format!("omitted: {why}"));
    }
    Ok(())
}

/// Cache of the levels of a task.
#[derive(Debug)]
pub struct Levels {
    task: &'static dyn LearningTask,
    options: Options,
    agents: usize,
    /// Levels that a program gave, instead of those that the task draws.
    custom: Vec<CustomLevel>,
    /// Fields of an observation.
    layout: Vec<ObservationField>,
    assets: AssetCache,
    built_levels: Mutex<BTreeMap<u64, Arc<Level>>>,
}

/// Largest number of cached levels.
const KEPT: usize = 256;

impl Levels {
    /// Creates the levels of a task.
    ///
    /// # Errors
    /// [`LearningError`] when an option is invalid; the first level is built to check this.
    pub fn new(task: &'static dyn LearningTask, options: Options) -> Result<Levels, LearningError> {
        check_vehicle(task, &options)?;
        let options = options.with_step_and_spacing()?;
        options.check()?;
        let agents = options.vehicles(task.vehicles())?;
        let layout = layout(task, &options, &cameras_of(&options, None)?);
        let (custom, assets, built_levels) = Default::default();
        let levels = Levels { task, options, agents, custom, layout, assets, built_levels };
        levels.get(levels.options.first_level)?;
        Ok(levels)
    }

    /// Creates levels that a program gives, for one of the [`CUSTOM_TASKS`](super::CUSTOM_TASKS).
    ///
    /// The options apply as far as the scenarios do not set the same: observations, noise and period.
    ///
    /// # Errors
    /// [`LearningError`] when an option is invalid or there is no level; the first level is built to
    /// check this.
    pub fn custom(
        task: &'static dyn LearningTask,
        options: Options,
        custom: Vec<CustomLevel>,
    ) -> Result<Levels, LearningError> {
        let options = Options { levels: custom.len() as u64, first_level: 0, ..options };
        let given = [
            ("fidelity", options.fidelity.is_some()),
            ("step", options.step.is_some()),
            ("spacing", options.spacing.is_some()),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            let allowed = "omitted: the scenario of an own task sets tires, step and nodes".into();
            return Err(LearningError::Option { option, value: "given".into(), allowed });
        }
        options.check()?;
        let layout = layout(task, &options, &cameras_of(&options, custom.first())?);
        let (assets, built_levels) = Default::default();
        let levels = Levels { task, options, agents: 1, custom, layout, assets, built_levels };
        levels.get(0)?;
        Ok(levels)
    }

    /// Task of the levels.
    pub fn task(&self) -> &'static dyn LearningTask {
        self.task
    }

    /// Options of the levels.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Fields of an observation, in order.
    pub fn layout(&self) -> &[ObservationField] {
        &self.layout
    }

    /// Length of the observation of one vehicle.
    pub fn observation_size(&self) -> usize {
        self.layout.iter().map(|field| field.size).sum()
    }

    /// Number of driven vehicles.
    pub fn agents(&self) -> usize {
        self.agents
    }

    /// Returns the level with a number, from the cache or built.
    ///
    /// The state of the cache does not affect results.
    ///
    /// # Errors
    /// [`LearningError`] when the level cannot be built.
    pub fn get(&self, number: u64) -> Result<Arc<Level>, LearningError> {
        let locked = || self.built_levels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(level) = locked().get(&number) {
            return Ok(level.clone());
        }
        // built without the lock: several threads may build the same level, with equal results
        let custom = self.custom.get(number as usize);
        if custom.is_none() && !self.custom.is_empty() {
            let (option, value) = ("level", number.to_string());
            let allowed = format!("below {}, the number of levels", self.custom.len());
            return Err(LearningError::Option { option, value, allowed });
        }
        let built =
            Level::build(self.task, &self.options, custom, number, &self.assets, &self.layout)?;
        let level = Arc::new(built);
        let mut built_levels = locked();
        if built_levels.len() >= KEPT {
            built_levels.pop_first();
        }
        Ok(built_levels.entry(number).or_insert(level).clone())
    }
}
