//! Library interface: runs with observers and external controllers, batches, events, contacts, and
//! ending policies.

use bekker::ground::SampleGrid;
use bekker::scenario::{ScenarioFile, build};
use bekker::sensor::Reading;
use bekker::simulation::{
    Command, CommandError, Endings, Event, Flow, GroundVehicle, HeartbeatInfo, HeartbeatMetrics,
    Observer, OutcomeCode, Perception, RunError, RunSchedule, Runner, Sample, SteeringCommand,
    VehiclePlacement, World, WorldBatch, WorldModel,
};
use bekker::vehicle::Selector;
use bekker::vehicle::driver::Intent;
use std::convert::Infallible;
use std::path::Path;

const SCENARIO: &str = r#"
format = 1
name = "observed"
seed = 3
time = { duration = 3 }
soil = { default = "chrono_mid" }
[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", speed = 4, waypoints = [[0, 0], [90, 0]] }
sensor = [{ name = "imu", model = { kind = "imu", preset = "tactical" }, rate = 100 }]
[[vehicle]]
name = "second"
model = "m113"
position = [-14, 0]
driver = { kind = "follow", leader = "lead", gap = 6 }
"#;

fn model(text: &str) -> WorldModel {
    let file = ScenarioFile::parse("api", text, Path::new(""), &[]).unwrap();
    build::world(&file).unwrap().world
}

/// Observer that records every callback.
#[derive(Default)]
struct Log {
    started: usize,
    heartbeats: usize,
    times: Vec<f64>,
    hashes: Vec<[u8; 32]>,
    readings: usize,
    checkpoints: Vec<u64>,
    figures: usize,
    ended: usize,
    stop_at: f64,
}

impl Observer<String> for Log {
    fn on_start(&mut self, world: &World, samples: &[Sample]) -> Result<(), String> {
        assert_eq!((world.time(), samples.len()), (0.0, 2));
        self.started += 1;
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, String> {
        self.heartbeats += 1;
        self.times.extend(moment.samples().map(|_| moment.time));
        self.hashes.extend(moment.hash.map(|hash| hash.state));
        self.readings += moment.root.unwrap_or_default().delivered.len();
        let stops = self.stop_at > 0.0 && moment.time >= self.stop_at - 1e-9;
        Ok(if stops { Flow::Stop } else { Flow::Continue })
    }

    fn on_checkpoint(&mut self, world: &World) -> Result<(), String> {
        self.checkpoints.push(world.state().tick);
        Ok(())
    }

    fn on_metrics(&mut self, figures: &[Vec<HeartbeatMetrics>]) -> Result<(), String> {
        self.figures += figures[0].len();
        Ok(())
    }

    fn on_end(&mut self, _: &World) -> Result<(), String> {
        self.ended += 1;
        Ok(())
    }
}

/// Each observer receives all callbacks in order, and the run gives the same result as a manual
/// loop.
#[test]
fn observers_receive_all_callbacks() {
    let schedule = RunSchedule {
        sample_every: 0.25,
        checkpoint_every: Some(0.5),
        hash_every: Some(1),
        ..RunSchedule::until(1.0)
    };
    let (mut one, mut other) = (Log::default(), Log::default());
    let runner = Runner::new(model(SCENARIO), None, schedule).unwrap();
    let (world, stopped) = runner.run(&mut [&mut one, &mut other]).unwrap();
    assert!(!stopped);
    assert_eq!((one.started, one.ended, one.heartbeats, one.figures), (1, 1, 100, 100));
    assert_eq!(one.times, [0.25, 0.5, 0.75, 1.0]);
    assert_eq!(one.checkpoints, [0, 250, 500], "at the start, on the way and at the end");
    assert!(one.readings >= 95, "{} of 100 readings of the IMU", one.readings);
    assert_eq!(one.hashes.len(), 100);
    assert_eq!(one.hashes, other.hashes);
    let mut by_hand = World::new(model(SCENARIO));
    for hash in &one.hashes {
        by_hand.advance();
        assert_eq!(by_hand.hash(), *hash);
    }
    assert_eq!(world.hash(), by_hand.hash());
}

#[test]
fn an_observer_may_end_a_run_or_fail_it() {
    let runner = || Runner::new(model(SCENARIO), None, RunSchedule::until(1.0)).unwrap();
    let mut log = Log { stop_at: 0.3, ..Log::default() };
    let (world, stopped) = runner().run(&mut [&mut log]).unwrap();
    assert!(stopped && (world.time() - 0.3).abs() < 1e-9, "{}", world.time());
    assert_eq!(log.ended, 1, "the record is closed");

    struct Fails;
    impl Observer<String> for Fails {
        fn on_heartbeat(&mut self, _: &HeartbeatInfo<'_>) -> Result<Flow, String> {
            Err("disk full".into())
        }
    }
    match runner().run(&mut [&mut Fails]) {
        Err(RunError::Observer(cause)) => assert_eq!(cause, "disk full"),
        other => panic!("{:?}", other.map(|(world, _)| world.time())),
    }
}

/// An external controller is called at each heartbeat and sees only its own vehicle's sensors.
///
/// Its commands are part of the state, as those of a manual loop are.
#[test]
fn an_external_controller_drives_by_its_sensors() {
    let command = |seen: usize| Command {
        throttle: 0.3 + 0.001 * seen as f64,
        steering: SteeringCommand::Share(0.2),
        gear: Selector::Drive,
        ..Command::default()
    };
    let mut seen = 0;
    let driver = |perception: &Perception<'_>| {
        for measured in perception.measurements() {
            assert_eq!(measured.sensor, "imu");
            assert!(matches!(measured.reading, Reading::Imu { .. }));
            assert!(measured.taken <= perception.time + 1e-9);
            seen += 1;
        }
        Some(command(seen))
    };
    let blind = |perception: &Perception<'_>| {
        assert_eq!(perception.measurements().count(), 0, "it carries no sensor");
        None
    };
    let runner = Runner::new(model(SCENARIO), None, RunSchedule::until(1.0)).unwrap();
    let runner = runner.drive(0, driver).unwrap().drive(1, blind).unwrap();
    let (world, _) = runner.run::<Infallible>(&mut []).unwrap();
    let mut by_hand = World::new(model(SCENARIO));
    let mut seen = 0;
    for _ in 0..100 {
        seen += by_hand.delivered(0).len();
        by_hand.command(0, Some(command(seen))).unwrap();
        by_hand.command(1, None).unwrap();
        by_hand.advance();
    }
    assert_eq!(world.hash(), by_hand.hash());

    let nobody =
        Runner::new(model(SCENARIO), None, RunSchedule::until(1.0)).unwrap().drive(2, blind);
    assert_eq!(nobody.err(), Some(CommandError::NoAgent { agent: 2, agents: 2 }));
    let mad = |_: &Perception<'_>| Some(Command { throttle: f64::NAN, ..Command::default() });
    let runner = Runner::new(model(SCENARIO), None, RunSchedule::until(1.0)).unwrap();
    let error = runner.drive(0, mad).unwrap().run::<Infallible>(&mut []).unwrap_err();
    assert_eq!(error.to_string(), "driver of lead: throttle = NaN: must be a finite number");
}

/// A steering angle converts to a fraction of full lock (`max_wheel_angle_deg` of the vehicle
/// file).
#[test]
fn wheels_are_steered_by_an_angle() {
    let mut world = World::new(model(SCENARIO));
    let full = world.model().agents[0].vehicle.properties().max_steering_angle.unwrap();
    let by = |steering| Some(Command { steering, ..Command::default() });
    for (angle, share) in [(0.5 * full, 0.5), (-full, -1.0), (9.0, 1.0)] {
        world.command(0, by(SteeringCommand::Angle(angle))).unwrap();
        world.advance();
        assert!((world.sample(0).unwrap().controls.steering - share).abs() < 1e-12);
    }
    let error = world.command(1, by(SteeringCommand::Angle(0.1))).unwrap_err();
    assert!(matches!(error, CommandError::NoAngle { .. }), "tracks steer by no angle: {error}");
    world.command(1, by(SteeringCommand::Share(0.1))).unwrap();
}

/// Worlds of a batch have the same bits as worlds that run alone.
#[test]
fn a_batch_gives_the_bits_of_its_worlds_alone() {
    let throttle = |index: usize| Command { throttle: 0.2 * index as f64, ..Command::default() };
    let mut batch = WorldBatch::new(model(SCENARIO), 4);
    batch.for_each(|index, world| world.command(0, Some(throttle(index))).unwrap());
    (0..30).for_each(|_| batch.advance());
    for (index, world) in batch.iter().enumerate() {
        let mut alone = World::new(model(SCENARIO));
        alone.command(0, Some(throttle(index))).unwrap();
        (0..30).for_each(|_| alone.advance());
        assert_eq!(world.hash(), alone.hash(), "world {index}");
    }
    let state = batch[2].state().clone();
    batch.restore(&state).unwrap();
    assert!(batch.iter().all(|world| world.hash() == batch[2].hash()));
    let one = SCENARIO.split("[[vehicle]]\nname = \"second\"").next().unwrap();
    let other = World::new(model(one));
    let before: Vec<_> = batch.iter().map(World::hash).collect();
    assert!(batch.restore(other.state()).is_err());
    assert_eq!(before, batch.iter().map(World::hash).collect::<Vec<_>>());
}

/// At rest, the contact loads of wheels and shoes sum to the vehicle's weight.
#[test]
fn contacts_carry_the_weight() {
    let mut world = World::new(model(SCENARIO));
    let hold = Command { brake: 1.0, ..Command::default() };
    for agent in 0..2 {
        world.command(agent, Some(hold)).unwrap();
    }
    (0..20).for_each(|_| world.advance());
    assert_eq!(world.contacts(0).len(), 4);
    assert!(world.contacts(1).len() > 20, "shoes: {}", world.contacts(1).len());
    assert!(world.contacts(2).is_empty());
    for agent in 0..2 {
        let weight = 9.81 * world.model().agents[agent].vehicle.mass();
        let up: f64 = world.contacts(agent).iter().map(|c| c.load.wrench.force.z).sum();
        // Both vehicles are settled; the tracked one still creeps.
        assert!((up / weight - 1.0).abs() < 0.02, "agent {agent}: {up} N for {weight} N");
    }
    // A reused sample equals a new one.
    let mut sample = Sample::default();
    assert!(world.sample_into(1, &mut sample) && world.sample_into(0, &mut sample));
    assert_eq!(Some(sample.clone()), world.sample(0));
    assert!(!world.sample_into(2, &mut sample));
}

#[test]
fn events_describe_each_change() {
    let text = r#"
format = 1
name = "events"
time = { duration = 30 }
[soil]
default = "chrono_hard"
[[soil.zone]]
soil = "firm"
area = { kind = "half_plane", through = [8, 0], towards_deg = 0 }
[[vehicle]]
name = "lone"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", speed = 6, waypoints = [[0, 0], [40, 0]] }
"#;
    let model = model(text);
    let name = |soil: bekker::soil::SoilId| model.ground.soils()[usize::from(soil.0)].name.clone();
    let mut events = Vec::new();
    let mut world = World::new(model.clone());
    while world.time() < 30.0 {
        world.advance();
        events.extend_from_slice(world.events(0));
    }
    let entered: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::SoilEntered { from, to } => Some((name(*from), name(*to))),
            _ => None,
        })
        .collect();
    // Soils have the names that the scenario gives them, an alias included.
    assert_eq!(entered, [("chrono_hard".into(), "firm".into())]);
    // The vehicle accelerates from rest, and each shift starts in the gear in which the previous
    // one ended.
    let shifts: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::GearShifted { from, to } => Some((*from, *to)),
            _ => None,
        })
        .collect();
    assert!(!shifts.is_empty() && shifts.windows(2).all(|two| two[0].1 == two[1].0), "{shifts:?}");
    let arrived =
        |event: &&Event| matches!(event, Event::IntentChanged { to: Intent::Arrived, .. });
    assert_eq!(events.iter().filter(arrived).count(), 1, "{events:?}");
}

/// A vehicle stalled before an overly steep grade ends or continues, as the policy specifies.
#[test]
fn callers_define_their_own_endings() {
    let text = |endings: &str| {
        format!(
            r#"
format = 1
name = "endings"
time = {{ duration = 12 }}
terrain = {{ surface = {{ kind = "slope", grade = 0.9 }} }}
soil = {{ default = "chrono_mid" }}
[[vehicle]]
name = "climber"
model = "hmmwv"
position = [0, 0]
driver = {{ kind = "table", rows = [{{ time = 0, throttle = 0.2 }}] }}
{endings}
"#
        )
    };
    let ended = |endings: &str| {
        let mut world = World::new(model(&text(endings)));
        while world.is_running() && world.time() < 12.0 - 1e-9 {
            world.advance();
        }
        (world.outcome(0).code, world.time())
    };
    let (code, at) = ended("");
    assert_eq!(code, OutcomeCode::Immobilized);
    assert!(at < 6.0, "after 4 s: {at}");
    let (code, later) = ended("[endings]\nimmobilized_after = 7.0");
    assert_eq!(code, OutcomeCode::Immobilized);
    // The same standstill is detected three seconds later.
    assert!((later - at - 3.0).abs() < 0.011, "{at} and {later}");
    let (code, end) = ended("[endings]\nimmobilized = false");
    assert_eq!(code, OutcomeCode::UnderWay);
    assert!((end - 12.0).abs() < 1e-9);
    let wrong =
        ScenarioFile::parse("api", &text("[endings]\nimmobilized_after = 0"), Path::new(""), &[]);
    let fault = wrong.err().unwrap().to_string();
    assert!(fault.contains("endings.immobilized_after") && fault.contains("0.1"), "{fault}");
    let never = WorldModel { endings: Endings::never(), ..model(&text("")) };
    let mut world = World::new(never);
    (0..800).for_each(|_| world.advance());
    assert!(world.is_running());
}

/// A call that relocates several vehicles relocates all of them or none.
#[test]
fn all_agents_are_moved_or_none() {
    let mut world = World::new(model(SCENARIO));
    let at = |x: f64, y: f64| VehiclePlacement { position: [x, y], heading: 0.0, speed: 0.0 };
    let before = world.hash();
    let error = world.respawn_all(&[at(50.0, 50.0)]).unwrap_err();
    assert_eq!(error, CommandError::Count { places: 1, agents: 2 });
    assert!(world.respawn_all(&[at(50.0, 50.0), at(f64::NAN, 0.0)]).is_err());
    assert_eq!(world.hash(), before, "none was put");
    world.respawn_all(&[at(50.0, 50.0), at(30.0, 50.0)]).unwrap();
    let places: Vec<_> = world.samples().map(|sample| sample.pose.position.x.round()).collect();
    assert_eq!(places, [50.0, 30.0]);
}

/// Elevation models and vehicles shared by scenarios are built once, and rebuilt when their file
/// changes.
#[test]
fn elevation_models_and_vehicles_are_built_once() {
    let folder = tempfile::tempdir().unwrap();
    let dem = |height: f64| {
        let row = format!("{height} {height} {height} {height}\n").repeat(4);
        let head = "ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 20\n";
        std::fs::write(folder.path().join("dem.asc"), format!("{head}{row}")).unwrap();
    };
    let text = r#"
format = 1
name = "parts"
time = { duration = 1 }
terrain = { surface = { kind = "dem", file = "dem.asc" } }
soil = { default = "firm" }
[[vehicle]]
name = "one"
model = "hmmwv"
position = [0, 0]
driver = { kind = "hold" }
"#;
    let parts = build::AssetCache::default();
    let built = |seed: &str| {
        let file = ScenarioFile::parse("parts", text, folder.path(), &[seed.into()]).unwrap();
        build::world_with_assets(&file, &parts).unwrap()
    };
    dem(3.0);
    let (one, two) = (built("seed=1"), built("seed=2"));
    assert_eq!(parts.counts(), [1, 1]);
    assert_eq!(one.inputs, two.inputs, "the inputs are reported either way");
    assert_ne!(one.fingerprint, two.fingerprint);
    assert_eq!(two.world.ground.terrain().height(0.0, 0.0), 3.0);
    dem(4.0);
    let three = built("seed=1");
    assert_eq!(parts.counts(), [2, 1]);
    assert_eq!(three.world.ground.terrain().height(0.0, 0.0), 4.0);
}

/// A grid query equals point queries of the ground, and a cloned world changes its ground
/// independently.
#[test]
fn the_ground_is_read_over_a_grid() {
    let mut world = World::new(model(SCENARIO));
    (0..100).for_each(|_| world.advance());
    let grid = SampleGrid { origin: [-3.0, -2.0], spacing: 0.07, columns: 60, rows: 50 };
    let mut heights = vec![0.0; 3000];
    let mut depths = heights.clone();
    world.heights(&grid, &mut heights).unwrap();
    world.rut_depths(&grid, &mut depths).unwrap();
    for row in 0..50 {
        for column in 0..60 {
            let [x, y] = grid.point(column, row);
            let index = 60 * row + column;
            assert_eq!(heights[index].to_bits(), world.height(x, y).to_bits());
            assert_eq!(depths[index].to_bits(), world.rut_depth(x, y).to_bits());
        }
    }
    let deepest = depths.iter().copied().fold(0.0, f64::max);
    assert!(deepest > 0.01, "a rut lies there: {deepest} m");
    let error = world.heights(&grid, &mut heights[1..]).unwrap_err();
    assert!(error.to_string().contains("2999"), "{error}");

    let (before, mut other) = (world.hash(), world.clone());
    (0..20).for_each(|_| other.advance());
    assert_eq!(world.hash(), before, "its tiles are not the other's");
    (0..20).for_each(|_| world.advance());
    assert_eq!(world.hash(), other.hash());
}
