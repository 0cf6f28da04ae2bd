//! The world of a scenario: ground, vehicles and drivers.

use super::asset_cache::AssetCache;
use super::convoy_paths::{ConvoyPaths, NO_PATH};
use super::decisive::decisive;
use super::laws::laws;
use super::vehicles::vehicle_specs_with_assets;
use super::{BuiltMeshes, BuiltTerrain, SoilTable, meshes, sensors, soil_table, terrain};
use crate::config::{self, CollisionPolicy, FollowPolicy, PathEnd, StampConfig};
use crate::convoys::Convoys;
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::inputs::sha256;
use crate::random_world::RandomWorld;
use crate::{Diagnostics, Input, ScenarioFile};
use bekker_agent::{AgentModel, Clock, Endings, GroundVehicle, Immobility, Leader, Obstacles};
use bekker_ground::terrain::{FramePlacement, Terrain};
use bekker_ground::{GroundError, GroundModel};
use bekker_math::curve::Curve;
use bekker_math::geodesy::Site;
use bekker_math::grid::Lattice;
use bekker_vehicle::AnySpec;
use bekker_vehicle::driver::{
    ConstantGap, ConstantTimeGap, Cooperative, Driver, DriverTable, Following, Idm,
    PathFollowerConfig, PurePursuit, SoilAdaptation, SpeedControl, SteeringGeometry, lane_offset,
};
use bekker_world::{Hole, WorldModel};
use std::sync::Arc;

/// Largest offset of a lane from the path, m.
///
/// A vehicle 3 m from its path counts as off it.
const FARTHEST_LANE: f64 = 2.5;

/// A scenario ready to run.
#[derive(Clone, Debug)]
pub struct BuiltWorld {
    /// Immutable model data.
    pub world: WorldModel,
    /// Placement of the local frame on the earth, if a DEM specifies it.
    pub placement: Option<FramePlacement>,
    /// Geographic location of the local frame, by `[site]` or a DEM.
    pub site: Option<Site>,
    /// Imported meshes for display.
    pub meshes: BuiltMeshes,
    /// The objects of a random surface.
    pub random: Option<RandomWorld>,
    /// Warnings about the scenario.
    pub warnings: Vec<Diagnostic>,
    /// The files that were read, without the scenario file.
    pub inputs: Vec<Input>,
    /// The reproducibility key: program, resolved scenario, soils, vehicles and file hashes, one
    /// per line.
    pub decisive: String,
    /// Hash of `decisive`, hexadecimal.
    pub fingerprint: String,
}

/// Builds the world of a scenario.
///
/// # Errors
/// All faults that are found only when files are opened and parts are combined.
pub fn world(file: &ScenarioFile) -> Result<BuiltWorld, Diagnostics> {
    world_with_assets(file, &AssetCache::default())
}

/// Builds the world of a scenario with a cache of shared parts.
///
/// # Errors
/// As [`world`].
pub fn world_with_assets(
    file: &ScenarioFile,
    assets: &AssetCache,
) -> Result<BuiltWorld, Diagnostics> {
    let (soils, specs, shown) =
        (soil_table(file), vehicle_specs_with_assets(file, assets), meshes(file));
    let land = soils.as_ref().ok().map(|soils| terrain(file, soils, assets)).transpose();
    let (soils, specs, land, shown) = match (soils, specs, land, shown) {
        (Ok(soils), Ok(specs), Ok(Some(land)), Ok(shown)) => (soils, specs, land, shown),
        (soils, specs, land, shown) => {
            return Err(Diagnostics::join([soils.err(), specs.err(), land.err(), shown.err()])
                .expect_err("one of the four failed"));
        }
    };
    let gravity = file.scenario.world.gravity;
    let heaviest = specs.iter().map(|spec| spec.total_mass() * gravity).fold(0.0, f64::max);
    let (soils, broken) = soils.with_frost_under(heaviest, &file.document);
    let mut warnings =
        [file.assumed.clone(), land.warnings.clone(), shown.warnings.clone(), broken].concat();
    let decisive = decisive(file, &soils, &specs);
    let fingerprint = sha256(decisive.as_bytes());
    let clock = clock(file)?;
    let context = BuildContext { land: &land, soils: &soils, meshes: &shown };
    let agents = agents(file, &specs, context, assets)?;
    let ground = ground(file, &soils, land.terrain)?;
    warnings.extend(super::warnings::warnings(file, &specs, &ground));
    let tows = super::tows::tows(file, &agents);
    let (endings, obstacles) = (endings(file), Obstacles::default());
    let team = super::team::team(&file.scenario);
    let radios = super::radio::radios(&file.scenario);
    let lights = super::roadside::lights(&file.scenario);
    let random = land.random.as_ref();
    let (holes, scene_model) = (holes(file, random), None);
    let world = WorldModel {
        ground,
        clock,
        agents,
        endings,
        obstacles,
        tows,
        holes,
        team,
        radios,
        lights,
        pedestrians: super::roadside::pedestrians(&file.scenario),
        scene_model,
    };
    let world = with_obstacles(file, world, &shown, random);
    Diagnostics::into_result(overlaps_with_obstacles(file, &world))?;
    warnings.extend(super::warnings::goals_in_obstacles(file, &world.obstacles));
    Ok(BuiltWorld {
        world: with_scene_model(file, world, &shown, random),
        placement: land.placement,
        site: land.site,
        meshes: shown,
        random: land.random,
        warnings,
        inputs: file.inputs.list(),
        decisive,
        fingerprint,
    })
}

/// The holes in the ground, from stamps and from the random surface.
fn holes(file: &ScenarioFile, random: Option<&RandomWorld>) -> Vec<Hole> {
    let hole = |stamp: &StampConfig| match *stamp {
        StampConfig::Hole { at, radius, .. } => Some(Hole { center: at, radius }),
        _ => None,
    };
    let stamped = file.scenario.terrain.stamp.iter().filter_map(hole);
    let drawn = random.into_iter().flat_map(|own| &own.holes);
    stamped.chain(drawn.map(|own| Hole { center: own.center, radius: own.radius })).collect()
}

/// Adds the obstacles to the world.
fn with_obstacles(
    file: &ScenarioFile,
    world: WorldModel,
    meshes: &BuiltMeshes,
    random: Option<&RandomWorld>,
) -> WorldModel {
    let props = super::props(file, meshes, random);
    let obstacles = Obstacles::from_props(&props, world.ground.terrain());
    WorldModel { obstacles, ..world }
}

/// Adds the scene to the world, if it has imaging sensors.
fn with_scene_model(
    file: &ScenarioFile,
    world: WorldModel,
    meshes: &BuiltMeshes,
    random: Option<&RandomWorld>,
) -> WorldModel {
    let is_imaging =
        |agent: &AgentModel| agent.sensors.iter().any(|sensor| sensor.model.is_imaging());
    let scene_model = world
        .agents
        .iter()
        .any(is_imaging)
        .then(|| Arc::new(super::scene_model(file, &world, meshes, random)));
    WorldModel { scene_model, ..world }
}

fn refused(file: &ScenarioFile, key: &str, cause: &dyn std::fmt::Display) -> Diagnostic {
    file.document.diagnostic(key, DiagnosticKind::Refused { cause: cause.to_string() })
}

fn clock(file: &ScenarioFile) -> Result<Clock, Diagnostics> {
    let time = &file.scenario.time;
    let clock = Clock::new(time.step, time.heartbeat)
        .map_err(|error| refused(file, "time.step", &error))?;
    Ok(time.heartbeat_tolerance.map_or(clock, |tolerance| clock.with_tolerance(tolerance)))
}

fn endings(file: &ScenarioFile) -> Endings {
    let config = &file.scenario.endings;
    let immobility =
        Immobility { after: config.immobilized_after, travel: config.immobilized_distance };
    Endings {
        immobilized: config.immobilized.then_some(immobility),
        overturned: config.overturned.then(|| config.overturned_tilt_deg.to_radians()),
        sunk: config.sunk,
        arrived: config.arrived,
        collided: config.collision == CollisionPolicy::Stop,
    }
}

fn ground(
    file: &ScenarioFile,
    soils: &SoilTable,
    terrain: Terrain,
) -> Result<GroundModel, Diagnostics> {
    let config = &file.scenario.ground;
    let laws = laws(config, file.scenario.world.gravity);
    let lattice = Lattice { spacing: config.spacing };
    let ground = GroundModel::new(lattice, terrain, soils.soils().to_vec(), laws)
        .map_err(|error| refused(file, "ground", &error))?;
    // frost and layers may make an accepted soil too stiff
    match ground.check_step(file.scenario.time.step) {
        Err(GroundError::TooStiff { soil, stiff }) => {
            let cause = format!("`{soil}`: {}", stiff.cause("time.step", "ground.spacing"));
            Err(refused(file, "soil", &cause).into())
        }
        Err(error) => Err(refused(file, "ground", &error).into()),
        Ok(()) => Ok(ground),
    }
}

/// Inputs for building an agent's world.
#[derive(Clone, Copy)]
pub(super) struct BuildContext<'a> {
    pub land: &'a BuiltTerrain,
    pub soils: &'a SoilTable,
    pub meshes: &'a BuiltMeshes,
}

fn agents(
    file: &ScenarioFile,
    specs: &[Arc<AnySpec>],
    context: BuildContext<'_>,
    assets: &AssetCache,
) -> Result<Vec<AgentModel>, Diagnostics> {
    let land = context.land;
    let entries = &file.scenario.vehicle;
    let convoys = Convoys::new(entries);
    let mut convoy_paths = ConvoyPaths::new(file, &convoys);
    let mut agents = Vec::new();
    let mut diagnostics = Vec::new();
    for (index, (entry, spec)) in entries.iter().zip(specs).enumerate() {
        let made = assets.vehicle(spec, file.scenario.world.gravity).map_err(|error| {
            let key = format!("vehicle[{index}].model");
            file.document.diagnostic(&key, DiagnosticKind::Refused { cause: error.to_string() })
        });
        let draws = specs[index].wheeled().is_some_and(|spec| spec.trailer.is_some());
        let uncouples = [
            ("uncouple_time", entry.uncouple_time.is_some()),
            ("driver.rows", entry.driver.uncouples()),
        ];
        for (key, _) in uncouples.into_iter().filter(|(_, asked)| *asked && !draws) {
            let key = format!("vehicle[{index}].{key}");
            let cause = "must uncouple no trailer: the vehicle draws no trailer".into();
            diagnostics.push(file.document.diagnostic(&key, DiagnosticKind::Refused { cause }));
        }
        let sensors = sensors(file, index, land.site.as_ref());
        match (made, driver(file, index, specs, &mut convoy_paths), sensors) {
            (Ok(vehicle), Ok(driver), Ok(sensors)) => {
                let [x, y] = entry.position;
                let start =
                    vehicle.resting_pose(&land.terrain, x, y, entry.heading_deg.to_radians());
                let autonomy = super::autonomy::autonomy(
                    file, index, spec, &vehicle, &start, &sensors, context,
                );
                agents.push(AgentModel {
                    name: entry.name.clone(),
                    vehicle,
                    driver,
                    leader: None,
                    start,
                    speed: entry.speed,
                    gear: None,
                    sensors,
                    autonomy,
                    uncouple_time: entry.uncouple_time,
                });
            }
            (vehicle, driver, sensors) => {
                let found = vehicle.err().into_iter().chain(driver.err()).chain(sensors.err());
                diagnostics.extend(found);
            }
        }
    }
    Diagnostics::into_result(diagnostics)?;
    Diagnostics::into_result(super::overlaps::overlaps(file, &agents))?;
    Diagnostics::into_result(super::gaps::starts_in_gaps(file, &agents, &land.terrain))?;
    let leaders: Vec<_> = (0..agents.len())
        .map(|index| convoys.leader(index).map(|ahead| leader_of(&agents, index, ahead)))
        .collect();
    for (agent, leader) in agents.iter_mut().zip(leaders) {
        agent.leader = leader;
    }
    Ok(agents)
}

/// The leader of an agent, as the driver needs it.
fn leader_of(agents: &[AgentModel], index: usize, leader: usize) -> Leader {
    let footprint = agents[leader].vehicle.footprint();
    let [own, ahead] = [index, leader].map(|agent| agents[agent].driver.follower());
    let one_way = own.zip(ahead).filter(|(own, ahead)| own.path() == ahead.path());
    let end = one_way.map(|(_, ahead)| ahead.ends(&footprint)[1]);
    Leader { agent: leader, footprint, end }
}

/// Faults of vehicles that overlap an obstacle at the start.
fn overlaps_with_obstacles(file: &ScenarioFile, world: &WorldModel) -> Vec<Diagnostic> {
    let obstacles = &world.obstacles;
    let diagnostic = |(index, agent): (usize, &AgentModel)| {
        let obstacle = agent.obstacle_at_start(obstacles)?;
        let (noun, position) = (obstacles.noun(obstacle), obstacles.get(obstacle)?.place());
        let problem = DiagnosticKind::InObstacle { name: agent.name.clone(), noun, position };
        Some(file.document.diagnostic(&format!("vehicle[{index}].position"), problem))
    };
    world.agents.iter().enumerate().filter_map(diagnostic).collect()
}

fn driver(
    file: &ScenarioFile,
    index: usize,
    specs: &[Arc<AnySpec>],
    convoy_paths: &mut ConvoyPaths<'_>,
) -> Result<Driver, Diagnostic> {
    let key = |part: &str| format!("vehicle[{index}].driver{part}");
    let entries = &file.scenario.vehicle;
    if let Some((part, must)) = entries[index].driver.steers().filter(|_| !specs[index].can_steer())
    {
        let name = specs[index].name();
        let cause = format!(
            "{must}: no axle of {name} is steered; set steered = true on an axle and add \
             [steering] to the vehicle file"
        );
        return Err(refused(file, &key(&part), &cause));
    }
    let geometry = || match &*specs[index] {
        AnySpec::Wheeled(spec) => SteeringGeometry::from_spec(spec),
        AnySpec::Tracked(spec) => SteeringGeometry::from_tracked_spec(spec),
    };
    let steering = |look_ahead: Option<f64>| {
        let look_ahead = look_ahead.unwrap_or_else(|| geometry().usual_look_ahead());
        PurePursuit {
            min_look_ahead: look_ahead,
            max_look_ahead: PurePursuit::default().max_look_ahead.max(look_ahead),
            ..PurePursuit::default()
        }
    };
    match &entries[index].driver {
        config::DriverConfig::Hold { brake } => {
            let brake =
                constant_curve(*brake).map_err(|error| refused(file, &key(".brake"), &error))?;
            Ok(Driver::Table(DriverTable { brake: Some(brake), ..DriverTable::default() }))
        }
        // it brakes until it receives a command
        config::DriverConfig::Outside { .. } => {
            let brake = constant_curve(1.0).map_err(|error| refused(file, &key(""), &error))?;
            Ok(Driver::Table(DriverTable { brake: Some(brake), ..DriverTable::default() }))
        }
        // the navigator replaces the driver
        config::DriverConfig::Autonomous { .. } => Ok(Driver::Table(DriverTable::default())),
        config::DriverConfig::Table { rows, acceleration } => {
            table(rows, *acceleration).map_err(|error| refused(file, &key(".rows"), &error))
        }
        config::DriverConfig::Path {
            speed,
            look_ahead,
            start,
            stop,
            reverse,
            at_end,
            lateral_acceleration,
            acceleration,
            slip_limit,
            locks,
            ..
        } => {
            let plan = PathFollowerConfig {
                cruise_speed: *speed,
                start_time: *start,
                stop_time: *stop,
                stop_at_end: *at_end == PathEnd::Stop,
                reverse: *reverse,
                steering: steering(*look_ahead),
                lateral_acceleration: lateral_acceleration
                    .unwrap_or(PathFollowerConfig::default().lateral_acceleration),
                acceleration: *acceleration,
                speed_control: SpeedControl { slip_limit: *slip_limit, ..SpeedControl::default() },
                locks: *locks,
                ..PathFollowerConfig::default()
            };
            Ok(Driver::Path(convoy_paths.follower(index, geometry(), plan)?))
        }
        config::DriverConfig::Follow {
            policy,
            gap,
            time_gap,
            time_gap_unheard,
            lost_beacons,
            speed,
            look_ahead,
            adapt,
            ..
        } => {
            let place = convoy_paths.place(index);
            let plan = PathFollowerConfig {
                cruise_speed: *speed,
                soil_adaptation: adapt.map(|own| soil_adaptation(&own, place, &specs[index])),
                following: match policy {
                    FollowPolicy::Cacc => {
                        cooperative_law(*gap, [*time_gap, *time_gap_unheard], *lost_beacons)
                    }
                    policy => following_law(*policy, *gap, *time_gap),
                },
                stop_at_end: false,
                steering: steering(*look_ahead),
                ..PathFollowerConfig::default()
            };
            let follower = convoy_paths.follower(index, geometry(), plan);
            follower.map(Driver::Path).map_err(|_| refused(file, &key(".leader"), &NO_PATH))
        }
    }
}

/// The response to soft ground of the vehicle at a place of its convoy.
///
/// Behind soft ground it returns to the highest pressure at which its tires started.
fn soil_adaptation(
    own: &config::SoilAdaptationConfig,
    place: usize,
    spec: &AnySpec,
) -> SoilAdaptation {
    let initial = spec.wheeled().map_or(0.0, |spec| {
        let tires = (0..spec.axles.len())
            .filter_map(|axle| Some((axle, spec.tire_of(axle).flexible.as_ref()?)));
        let wheels = 2 * spec.axles.len();
        let each = tires.map(|(axle, tire)| tire.inflation_kpa.kpa(2 * axle, wheels));
        each.fold(0.0, f64::max)
    });
    SoilAdaptation {
        slip: own.slip,
        offset: lane_offset(place, own.lane, FARTHEST_LANE),
        gap: own.gap,
        inflations: own.inflation_kpa.map(|kpa| [1e3 * kpa, initial]),
    }
}

fn following_law(policy: FollowPolicy, gap: f64, time_gap: Option<f64>) -> Following {
    match policy {
        FollowPolicy::ConstantGap => {
            Following::ConstantGap(ConstantGap { gap, ..ConstantGap::default() })
        }
        FollowPolicy::ConstantTimeGap => {
            let default = ConstantTimeGap::default();
            let time_gap = time_gap.unwrap_or(default.time_gap);
            Following::ConstantTimeGap(ConstantTimeGap { time_gap, min_gap: gap, ..default })
        }
        FollowPolicy::Idm => {
            let default = Idm::default();
            let time_gap = time_gap.unwrap_or(default.time_gap);
            Following::Idm(Idm { time_gap, min_gap: gap, ..default })
        }
        FollowPolicy::Cacc => cooperative_law(gap, [time_gap, None], None),
    }
}

/// A curve with a constant value.
fn constant_curve(value: f64) -> Result<Curve, bekker_math::curve::CurveError> {
    Curve::new(vec![[0.0, value], [1.0, value]])
}

fn cooperative_law(gap: f64, time_gaps: [Option<f64>; 2], lost_beacons: Option<u32>) -> Following {
    let default = Cooperative::default();
    Following::Cooperative(Cooperative {
        time_gap: time_gaps[0].unwrap_or(default.time_gap),
        time_gap_unheard: time_gaps[1].unwrap_or(default.time_gap_unheard),
        min_gap: gap,
        lost_beacons: lost_beacons.unwrap_or(default.lost_beacons),
        ..default
    })
}

/// Converts rows of commands to curves over time; a single row holds forever.
fn table(
    rows: &[config::TableRow],
    acceleration: Option<f64>,
) -> Result<Driver, bekker_math::curve::CurveError> {
    let curve = |value: fn(&config::TableRow) -> f64| {
        let mut points: Vec<[f64; 2]> = rows.iter().map(|row| [row.time, value(row)]).collect();
        if let [[time, value]] = points[..] {
            points.push([time + 1.0, value]);
        }
        Curve::new(points).map(Some)
    };
    let holds = rows.iter().any(|row| row.speed.is_some());
    Ok(Driver::Table(DriverTable {
        throttle: curve(|row| row.throttle)?,
        steering: curve(|row| row.steering)?,
        brake: curve(|row| row.brake)?,
        gear: rows.iter().map(|row| (row.time, row.gear)).collect(),
        inflation: rows
            .iter()
            .filter_map(|row| Some((row.time, 1e3 * row.inflation_kpa?)))
            .collect(),
        locks: rows.iter().map(|row| (row.time, row.locks)).collect(),
        uncouple: rows.iter().find(|row| row.uncouple).map(|row| row.time),
        speed: if holds { curve(|row| row.speed.unwrap_or_default())? } else { None },
        acceleration,
    }))
}
