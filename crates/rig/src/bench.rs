//! Benchmarks of the cost of a step and of the throughput of a world.
//!
//! A drive is stepped here through its public parts (driver, contact, vehicle, publication) with
//! clock readings between them, so that the layers below need no clock. Four readings a step cost
//! about 0.1 µs. Throughput is measured on whole worlds, stepped as by `bekker run`.

use bekker_agent::{
    AgentModel, CollisionTarget, ContactContext, ContactWorkspace, Event, GroundVehicle,
    GroundVehicleWorkspace, SecondThreadScratch,
};
use bekker_ground::scm::Scratch;
use bekker_ground::soil::Tread;
use bekker_ground::soil::pressure_sinkage::{cohesive_frictional, damped_lanes, press_lanes};
use bekker_ground::{NodeState, Overlay, Patches, SharedGround, SoilCoefficients, Tile};
use bekker_math::grid::{TILE_NODES, TileKey};
use bekker_math::numeric::{Lanes, Level, Simd, WIDTH, dispatch};
use bekker_scenario::build::world;
use bekker_scenario::config::{
    DriverConfig, LawsPreset, TableRow, TimeConfig, TireModel, VehicleConfig,
};
use bekker_scenario::{Diagnostics, Scenario, ScenarioFile};
use bekker_vehicle::VehicleState;
use bekker_vehicle::driver::DriverView;
use bekker_vehicle::spec::TrackModel;
use bekker_world::{World, WorldModel};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// Simulated time before costs are measured, s: the vehicle settles and the buffers grow to size.
const WARM_UP: f64 = 1.0;
/// Lateral distance between vehicles side by side, m.
const LANE: f64 = 6.0;
/// Number of files in each of the two columns of a crowd.
const FILES: usize = 4;
/// Distances of a crowd, m: between files, and between vehicles of a file.
const CROWD: [f64; 2] = [3.0, 6.0];

/// Case of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchCase {
    /// Vehicle of the catalog or vehicle file.
    pub vehicle: String,
    /// Track model, if not the one of the vehicle file.
    pub tracks: Option<TrackModel>,
    /// Tire model, if not as in the vehicle file.
    pub tire: Option<TireModel>,
    /// Soil of the catalog.
    pub soil: String,
    /// Soil laws.
    pub laws: LawsPreset,
    /// Distance between nodes, m.
    pub spacing: f64,
    /// Time step, s.
    pub step: f64,
    /// Simulated time, s; the first second is excluded.
    pub seconds: f64,
    /// Heading, degrees from x toward y.
    pub heading_deg: f64,
    /// Steering, -1 to 1; 0 is straight ahead.
    pub steering: f64,
    /// Threads for one vehicle: with two, the contacts of both tracks are evaluated in parallel.
    pub threads: usize,
}

/// Reasons why a benchmark fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The case cannot be built.
    #[error(transparent)]
    Case(#[from] Diagnostics),
    /// The drive failed.
    #[error("the run failed at {time} s: {cause}")]
    Drive {
        /// Simulated time, s.
        time: f64,
        /// Cause.
        cause: String,
    },
    /// The GPU failed.
    #[error("{0}")]
    GpuDevice(String),
    /// Threads could not be started.
    #[error("cannot start {threads} threads: {cause}")]
    Threads {
        /// Number of threads.
        threads: usize,
        /// Error of the operating system.
        cause: String,
    },
}

/// Time of a step by stage, µs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// Driver.
    pub driver: f64,
    /// Contact of all wheels, including the soil law.
    pub contact: f64,
    /// Vehicle: springs, driveline, multibody equations.
    pub multibody: f64,
    /// Publication at the heartbeat, divided by its steps.
    pub publication: f64,
}

/// Cost of a step of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepCost {
    /// Case.
    pub case: BenchCase,
    /// Number of steps measured.
    pub steps: u64,
    /// Mean time of a step, µs.
    pub step_us: f64,
    /// Time of each stage, µs.
    pub stages_us: Stages,
    /// Share of the laws of pressure and shear in the contact time, µs.
    ///
    /// It is the time of the laws alone for the same number of nodes.
    pub soil_law_us: f64,
    /// Time of the laws at one node, ns.
    pub soil_law_ns: f64,
    /// Wall time over simulated time.
    pub real_time_factor: f64,
    /// Nodes tested for contact per step.
    pub nodes_tested: f64,
    /// Nodes in contact per step.
    pub nodes_in_contact: f64,
    /// Contact time per node in contact, ns.
    pub ns_per_node_in_contact: f64,
    /// Contact time per node tested, ns.
    pub ns_per_node_tested: f64,
    /// Nodes deformed at the end.
    pub deformed_nodes: usize,
    /// Memory of the published ground per deformed node, bytes.
    pub bytes_per_deformed_node: f64,
    /// Heap allocations per step without publication; `None` where they are not counted.
    pub allocations_per_step: Option<f64>,
    /// Heap allocations per publication; `None` where they are not counted.
    pub allocations_per_heartbeat: Option<f64>,
}

/// Arrangement of the vehicles of a world at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// Side by side, 6 m apart, without collisions.
    Abreast,
    /// Two columns of four files that drive into each other.
    ///
    /// The vehicles of a file are 6 m apart, the files 3 m.
    Crowd,
}

/// Start of a vehicle.
struct StartPose {
    /// Position, m.
    position: [f64; 2],
    /// Heading, degrees from x toward y.
    heading_deg: f64,
}

impl Grouping {
    /// Returns the starts of `vehicles` vehicles.
    fn starts(self, case: &BenchCase, vehicles: usize) -> Vec<StartPose> {
        let all = 0..vehicles;
        match self {
            Grouping::Abreast => {
                let heading_deg = case.heading_deg;
                let positions = abreast(case, vehicles).into_iter();
                positions.map(|position| StartPose { position, heading_deg }).collect()
            }
            Grouping::Crowd => all
                .map(|index| {
                    let (column, own) = (index % 2, index / 2);
                    let [across, along] = CROWD;
                    let x = along * (0.5 + (own / FILES) as f64);
                    // slightly offset from head-on
                    let y = across * ((own % FILES) as f64 + 0.1 * column as f64);
                    match column {
                        0 => StartPose { position: [-x, y], heading_deg: 0.0 },
                        _ => StartPose { position: [x, y], heading_deg: 180.0 },
                    }
                })
                .collect(),
        }
    }
}

/// Throughput of many vehicles in one world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Vehicles.
    pub vehicles: usize,
    /// Arrangement at the start.
    pub grouping: Grouping,
    /// Completed collisions between vehicles, each counted by both.
    pub hits: usize,
    /// Threads.
    pub threads: usize,
    /// Vehicle steps per second of wall time.
    pub steps_per_second: f64,
    /// Wall time over simulated time.
    pub real_time_factor: f64,
}

/// Returns the positions of `vehicles` vehicles side by side, m.
fn abreast(case: &BenchCase, vehicles: usize) -> Vec<[f64; 2]> {
    let heading = case.heading_deg.to_radians();
    let across = [-bekker_math::numeric::sin(heading), bekker_math::numeric::cos(heading)];
    (0..vehicles).map(|index| across.map(|component| component * LANE * index as f64)).collect()
}

/// Creates the world of a case with vehicles that start from these positions, m.
///
/// # Errors
/// [`Diagnostics`] if the vehicle or the soil is unknown or a number out of range.
pub fn bench_world(case: &BenchCase, places: &[[f64; 2]]) -> Result<WorldModel, Diagnostics> {
    let heading_deg = case.heading_deg;
    let starts: Vec<_> =
        places.iter().map(|&position| StartPose { position, heading_deg }).collect();
    world_model(case, &starts)
}

/// Creates the world of a case with a vehicle at each start.
fn world_model(case: &BenchCase, starts: &[StartPose]) -> Result<WorldModel, Diagnostics> {
    let BenchCase { step, seconds: duration, .. } = *case;
    // in whole microseconds
    let heartbeat = (1e6 * step * (0.01 / step).round().max(1.0)).round() / 1e6;
    let time = TimeConfig { duration, step, heartbeat, heartbeat_tolerance: None };
    let mut scenario = Scenario::new("bench", &case.soil, time);
    (scenario.ground.spacing, scenario.ground.laws) = (case.spacing, case.laws);
    let driven =
        TableRow { time: 0.4, throttle: 0.7, steering: case.steering, ..TableRow::default() };
    let rows = vec![TableRow { time: 0.2, ..TableRow::default() }, driven];
    let mut vehicle =
        VehicleConfig::new("", &case.vehicle, DriverConfig::Table { rows, acceleration: None });
    vehicle.tire = case.tire;
    if let Some(tracks) = case.tracks {
        let model = match tracks {
            TrackModel::Belt => "belt",
            TrackModel::Segmented => "segmented",
        };
        vehicle.overrides.insert("model".into(), model.into());
    }
    let vehicles = starts.iter().enumerate().map(|(index, start)| VehicleConfig {
        name: format!("v{index}"),
        position: start.position,
        heading_deg: start.heading_deg,
        ..vehicle.clone()
    });
    scenario.vehicle = vehicles.collect();
    Ok(world(&ScenarioFile::from_scenario(&scenario, Path::new(""))?)?.world)
}

/// Sums over a drive: times, s, and counts.
#[derive(Default)]
struct Tally {
    stages: Stages,
    tested: u64,
    touched: u64,
    step_allocations: u64,
    heartbeat_allocations: u64,
    heartbeats: u64,
}

/// Drives a case and measures the cost of its steps.
///
/// `published` is the ground at the start; `allocations` returns the process's count of heap
/// allocations, if it is counted.
///
/// # Errors
/// [`BenchError`] if the case cannot be built or the drive fails.
pub fn step_cost(
    case: &BenchCase,
    published: SharedGround,
    allocations: Option<fn() -> u64>,
) -> Result<StepCost, BenchError> {
    pool(case.threads)?.install(|| alone(case, published, allocations))
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, BenchError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| BenchError::Threads { threads, cause: error.to_string() })
}

/// Runs [`step_cost`] on a thread of the pool.
fn alone(
    case: &BenchCase,
    mut published: SharedGround,
    allocations: Option<fn() -> u64>,
) -> Result<StepCost, BenchError> {
    let WorldModel { ground, clock, agents, .. } = bench_world(case, &[[0.0; 2]])?;
    let Some(agent) = agents.first() else {
        return Err(BenchError::Case(Diagnostics(Vec::new())));
    };
    let vehicle = &agent.vehicle;
    let mut state = vehicle.launched(&agent.start, agent.speed);
    let mut workspace = vehicle.workspace(&state);
    let mut tires = vehicle.tires();
    let mut driver = agent.driver.start(&agent.start);
    let (mut overlay, mut scratch) = (Overlay::new(), Scratch::new());
    let mut aside = (case.threads > 1).then(SecondThreadScratch::default);
    let mut patches = Patches::default();
    let h = clock.step();
    let total = (case.seconds / h).round() as u64;
    let first = ((WARM_UP / h).round() as u64).min(total / 2);
    let found = published.nodes();
    let allocated = || allocations.map_or(0, |count| count());
    let mut tally = Tally::default();
    for tick in 0..total {
        if tick == first {
            tally = Tally::default();
        }
        let before = allocated();
        let begun = Instant::now();
        let view = view(agent, &state, &workspace, clock.time(tick), h);
        let controls = agent.driver.controls(&mut driver, &view).clamped();
        let driven = Instant::now();
        let mut context = ContactContext {
            ground: &ground,
            published: &published,
            overlay: &mut overlay,
            scratch: &mut scratch,
            grips: true,
            second_scratch: aside.as_mut(),
        };
        vehicle.contact_ground(&state, &tires, &mut workspace, &mut context, h);
        context.heap(workspace.contacts().iter().filter_map(|met| met.displaced));
        for contact in workspace.contacts() {
            tally.tested += u64::from(contact.nodes_tested);
            tally.touched += u64::from(contact.nodes_in_contact);
        }
        let met = Instant::now();
        let stepped = vehicle.step(&mut state, &mut tires, &mut workspace, &controls, tick, h);
        let moved = Instant::now();
        tally.step_allocations += allocated() - before;
        stepped.map_err(|error| BenchError::Drive {
            time: clock.time(tick),
            cause: error.to_string(),
        })?;
        if (tick + 1).is_multiple_of(clock.steps_per_heartbeat()) {
            let before = allocated();
            let begun = Instant::now();
            patches.clear();
            overlay.publish(&mut patches);
            published.apply(&patches);
            overlay.refresh(&published);
            tally.stages.publication += begun.elapsed().as_secs_f64();
            tally.heartbeat_allocations += allocated() - before;
            tally.heartbeats += 1;
        }
        tally.stages.driver += (driven - begun).as_secs_f64();
        tally.stages.contact += (met - driven).as_secs_f64();
        tally.stages.multibody += (moved - met).as_secs_f64();
    }
    let steps = (total - first).max(1);
    let mean = |sum: f64| 1e6 * sum / steps as f64;
    let Tally { stages, tested, touched, .. } = tally;
    let stages_us = Stages {
        driver: mean(stages.driver),
        contact: mean(stages.contact),
        multibody: mean(stages.multibody),
        publication: mean(stages.publication),
    };
    let step_us =
        stages_us.driver + stages_us.contact + stages_us.multibody + stages_us.publication;
    let counted = |sum: u64, over: u64| allocations.map(|_| sum as f64 / over as f64);
    let law = ground.coefficients(0).map_or(0.0, law_ns);
    Ok(StepCost {
        case: case.clone(),
        steps,
        step_us,
        stages_us,
        soil_law_ns: law,
        soil_law_us: law * 1e-3 * touched as f64 / steps as f64,
        real_time_factor: step_us * 1e-6 / h,
        nodes_tested: tested as f64 / steps as f64,
        nodes_in_contact: touched as f64 / steps as f64,
        ns_per_node_in_contact: stages.contact * 1e9 / touched.max(1) as f64,
        ns_per_node_tested: stages.contact * 1e9 / tested.max(1) as f64,
        deformed_nodes: published.nodes() - found,
        bytes_per_deformed_node: bytes(&published) as f64 / published.nodes().max(1) as f64,
        allocations_per_step: counted(tally.step_allocations, steps),
        allocations_per_heartbeat: counted(tally.heartbeat_allocations, tally.heartbeats.max(1)),
    })
}

fn view(
    agent: &AgentModel,
    state: &VehicleState,
    workspace: &GroundVehicleWorkspace,
    time: f64,
    step: f64,
) -> DriverView<'static> {
    let (pose, speed) = (agent.vehicle.pose(workspace), agent.vehicle.speed(workspace));
    DriverView {
        time,
        step,
        pose,
        speed,
        yaw_rate: agent.vehicle.twist(workspace).angular.z,
        thrust: agent.vehicle.drivetrain().thrust(state),
        rim: agent.vehicle.rim_speed(state),
        slip: 0.0,
        gravity: agent.vehicle.gravity(),
        leader: None,
        aside: 0.0,
        stop: None,
        articulation: agent.vehicle.articulation(state, workspace),
        pedals: None,
    }
}

/// Measures the time of the laws of pressure and shear per yielding node, ns.
///
/// As in the contact, four nodes are evaluated at a time.
fn law_ns(soil: &SoilCoefficients) -> f64 {
    dispatch!(Level::new(), simd => law_ns_in_lanes(simd, soil))
}

#[inline(always)]
fn law_ns_in_lanes<S: Simd>(simd: S, soil: &SoilCoefficients) -> f64 {
    const FOURS: u32 = 50_000;
    let tread = Tread::rough();
    let modulus = cohesive_frictional(&soil.soil, 4.0);
    let begun = Instant::now();
    let mut sum = Lanes::zero(simd);
    for four in 0..FOURS {
        let deep = 0.02 + 1e-7 * f64::from(four);
        // boxed as lanes: values stored one by one and loaded as lanes would stall
        let sinkage = black_box(Lanes::new(simd, [deep, deep + 1e-3, deep + 2e-3, deep + 3e-3]));
        let [advance, yielded_at, leaving] = [1e-4, 1e3, -0.01].map(|all| Lanes::new(simd, all));
        let pressed =
            press_lanes(&soil.soil, modulus, sinkage, advance, sinkage - 1e-3, yielded_at);
        let (pressure, _) = damped_lanes(&soil.soil, pressed.pressure, leaving);
        sum += tread.stress_lanes(&soil.strength, pressure, 0.5 * sinkage);
        sum += pressed.slope + pressed.sinkage;
    }
    black_box(sum);
    begun.elapsed().as_secs_f64() * 1e9 / (f64::from(FOURS) * WIDTH as f64)
}

/// Returns the memory of a published ground, bytes: its nodes, and the mask, key, list entry and
/// counts of each tile.
fn bytes(published: &SharedGround) -> usize {
    let tile = size_of::<Tile>() + size_of::<(TileKey, u32, usize)>() + 2 * size_of::<usize>();
    published.tiles().count() * tile + published.nodes() * size_of::<NodeState>()
}

/// Creates ground with `nodes` deformed nodes, in whole tiles, away from the vehicles of a
/// benchmark.
pub fn deformed_ground(nodes: usize) -> SharedGround {
    let state = NodeState::quantized(0.05, 1e5, [0.01, 0.0], 0, 1);
    let mut patches = Patches::default();
    for tile in 0..nodes.div_ceil(TILE_NODES) as i32 {
        let key = TileKey { a: -10_000 - tile % 128, b: -10_000 - tile / 128 };
        patches.begin(key);
        (0..TILE_NODES).for_each(|index| patches.push(index, state));
    }
    let mut published = SharedGround::default();
    published.apply(&patches);
    published
}

/// Drives `vehicles` in one world on `threads` threads.
///
/// # Errors
/// [`BenchError`] if the case cannot be built or threads cannot be started.
pub fn throughput(
    case: &BenchCase,
    vehicles: usize,
    grouping: Grouping,
    threads: usize,
) -> Result<Throughput, BenchError> {
    let model = world_model(case, &grouping.starts(case, vehicles))?;
    let pool = pool(threads)?;
    let step = model.clock.step();
    let mut world = World::new(model);
    let mut hits = 0;
    let (wall, steps) = pool.install(|| {
        while world.time() < WARM_UP.min(0.5 * case.seconds) {
            world.advance();
        }
        let (begun, first) = (Instant::now(), world.state().tick);
        while world.time() < case.seconds - 1e-9 {
            world.advance();
            let events = (0..vehicles).flat_map(|agent| world.events(agent));
            hits += events.filter(|event| is_hit_of_vehicles(event)).count();
        }
        (begun.elapsed().as_secs_f64(), world.state().tick - first)
    });
    Ok(Throughput {
        vehicles,
        grouping,
        hits,
        threads,
        steps_per_second: (steps * vehicles as u64) as f64 / wall,
        real_time_factor: wall / (steps as f64 * step),
    })
}

fn is_hit_of_vehicles(event: &Event) -> bool {
    matches!(event, Event::Collided(hit) if matches!(hit.with, CollisionTarget::Vehicle(_)))
}

/// Measures resident memory, bytes, at `samples` equal intervals of a drive in circles.
///
/// `resident` returns the resident memory of the process.
///
/// # Errors
/// [`BenchError`] if the case cannot be built.
pub fn memory_in_circles(
    case: &BenchCase,
    samples: usize,
    resident: &dyn Fn() -> u64,
) -> Result<Vec<u64>, BenchError> {
    let mut world = World::new(bench_world(case, &[[0.0; 2]])?);
    let mut taken = Vec::with_capacity(samples);
    for sample in 1..=samples {
        let until = case.seconds * sample as f64 / samples as f64;
        while world.time() < until - 1e-9 {
            world.advance();
        }
        taken.push(resident());
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> BenchCase {
        BenchCase {
            vehicle: "hmmwv".into(),
            tracks: None,
            tire: None,
            soil: "chrono_mid".into(),
            laws: LawsPreset::Reference,
            spacing: 0.05,
            step: 2e-3,
            seconds: 1.0,
            heading_deg: 0.0,
            steering: 0.0,
            threads: 1,
        }
    }

    #[test]
    fn counts_the_work_of_a_drive() {
        let cost = step_cost(&case(), SharedGround::default(), None).unwrap();
        assert_eq!(cost.steps, 250);
        // Four wheels have about 60 nodes each in contact (the reference has 250 to 310 in total).
        assert!((100.0..500.0).contains(&cost.nodes_in_contact), "{}", cost.nodes_in_contact);
        assert!(cost.nodes_tested >= cost.nodes_in_contact);
        assert!(cost.deformed_nodes > 100 && cost.stages_us.multibody > 0.0);
    }

    #[test]
    fn finds_plowed_ground_and_refuses_nonsense() {
        assert_eq!(deformed_ground(1000).nodes(), 1024);
        let unknown = BenchCase { soil: "custard".into(), ..case() };
        assert!(step_cost(&unknown, SharedGround::default(), None).is_err());
        let case = BenchCase { seconds: 0.1, ..case() };
        let many = throughput(&case, 3, Grouping::Abreast, 2).unwrap();
        assert!(many.vehicles == 3 && many.steps_per_second > 0.0 && many.hits == 0);
    }

    #[test]
    fn a_crowd_collides() {
        let case = BenchCase { seconds: 4.0, ..case() };
        let crowd = throughput(&case, 2, Grouping::Crowd, 2).unwrap();
        assert!(crowd.hits >= 2, "{crowd:?}");
    }
}
