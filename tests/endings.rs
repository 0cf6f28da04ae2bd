//! Vehicles that overturn, leave the terrain, get stuck or lose their finite state.
//!
//! Each is reported with time, position and cause, and the others continue as if the event had not
//! occurred.

use crate::scene;

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{AgentModel, Event, Outcome, Spinning, World, checkpoint};
use bekker::soil::{SoilId, SoilKind};
use bekker::spatial::{Pose, Quat, Vec3};
use bekker::terrain::{SoilMap, Stamp, Surface, Terrain};
use bekker::vehicle::{Vehicle, VehicleSpec, find_wheeled};
use scene::{agent, drive, firm, ground, pose_at, soil, table, vehicle, world};
use std::path::Path;
use std::sync::Arc;

const ON: [[f64; 2]; 2] = [[0.2, 0.0], [0.4, 0.5]];

fn outcome(world: &World, agent: usize) -> Option<Outcome> {
    world.state().agents[agent].outcome.clone()
}

/// Returns the outcome sentence of the first agent.
fn outcome_sentence(world: &World) -> String {
    world.outcome(0).sentence
}

/// Drives until `time` or until the first agent has ended.
fn until_ended(world: &mut World, time: f64) -> Outcome {
    while world.time() < time && outcome(world, 0).is_none() {
        world.advance();
    }
    let ended = outcome(world, 0);
    if let Some(ended) = &ended {
        assert_eq!(world.events(0).last(), Some(&Event::Ended { outcome: ended.code() }));
    }
    ended.unwrap_or(Outcome::UnderWay)
}

/// Builds a world of HMMWV agents on `terrain` of one soil.
fn world_on(terrain: Terrain, ground_soil: &str, agents: Vec<AgentModel>) -> World {
    let soil = if ground_soil == "firm" { firm(1.8) } else { soil(ground_soil) };
    world(ground(0.05, terrain, vec![soil]), 2e-3, agents)
}

#[test]
fn a_vehicle_across_a_cliff_side_turns_over() {
    // 55 degrees across its heading: more than its track width over its height allows.
    let grade = 55f64.to_radians().tan();
    let plane = Surface::Plane { elevation: 0.0, slope: [0.0, grade] };
    let terrain = Terrain::builder(plane, SoilMap::uniform(SoilId(0))).build().unwrap();
    let hmmwv = vehicle("hmmwv");
    let start = bekker::simulation::resting_pose(&terrain, &hmmwv, 3.0, 2.0, 0.0);
    let mut world = world_on(terrain, "firm", vec![agent(&hmmwv, table(&[], &[], &[]), start)]);
    let ended = until_ended(&mut world, 10.0);
    let Outcome::Overturned { time, position } = ended.clone() else { panic!("{ended:?}") };
    assert!(time > 0.2 && time == world.time(), "{ended:?}");
    // On the slope, within the distance of those seconds.
    assert!((position.z - grade * position.y).abs() < 4.0 && position.x.abs() < 10.0, "{ended:?}");
    assert!(outcome_sentence(&world).starts_with("overturned at "), "{ended:?}");
    // It stays where it is.
    let before = world.samples().next().unwrap().pose;
    world.advance();
    assert_eq!(world.samples().next().unwrap().pose, before);
    assert!(!world.is_running());
}

#[test]
fn a_vehicle_thrown_into_a_bend_turns_over() {
    let hmmwv = vehicle("hmmwv");
    let driver = table(&[], &[[0.5, 0.0], [0.7, 1.0]], &[]);
    let start = pose_at(0.0, 0.0, hmmwv.ride_radius());
    let mut model = agent(&hmmwv, driver, start);
    model.speed = 25.0;
    let mut world = world_on(Terrain::flat(0.0, SoilId(0)), "firm", vec![model]);
    let ended = until_ended(&mut world, 10.0);
    let Outcome::Overturned { time, position } = ended.clone() else { panic!("{ended:?}") };
    assert!((0.7..10.0).contains(&time) && position.x > 10.0, "{ended:?}");
}

#[test]
fn driving_off_the_terrain_is_reported() {
    let terrain = || {
        let plane = Surface::Plane { elevation: 0.0, slope: [0.0, 0.0] };
        let soils = SoilMap::uniform(SoilId(0));
        Terrain::builder(plane, soils).bounds([-20.0, -20.0, 8.0, 20.0]).build().unwrap()
    };
    let hmmwv = vehicle("hmmwv");
    for ground_soil in ["firm", "mid"] {
        let start = pose_at(0.0, 0.0, hmmwv.ride_radius());
        let mut world =
            world_on(terrain(), ground_soil, vec![agent(&hmmwv, table(&ON, &[], &[]), start)]);
        let ended = until_ended(&mut world, 10.0);
        let Outcome::LeftTerrain { time, position } = ended.clone() else { panic!("{ended:?}") };
        // Detected at a heartbeat: within the distance of one.
        assert!((8.0..8.2).contains(&position.x) && time < 8.0, "{ended:?}");
        assert!(outcome_sentence(&world).contains("left the terrain at"), "{ended:?}");
        // At that time it still drives; from then on it is stationary.
        let drove = world.sample(0).unwrap();
        assert!(drove.speed > 1.0 && drove.controls.throttle > 0.4 && drove.gear > 0, "{drove:?}");
        world.advance();
        let stands = world.sample(0).unwrap();
        let figures = [stands.speed, stands.velocity.norm(), stands.angular_velocity.norm()];
        assert_eq!((figures, stands.gear), ([0.0; 3], 0));
        assert_eq!([stands.controls.throttle, stands.controls.brake], [0.0, 1.0]);
        for (stands, drove) in stands.wheels.iter().zip(&drove.wheels) {
            assert_eq!([stands.spin, stands.slip, stands.torque, stands.traction], [0.0; 4]);
            assert_eq!([stands.load, stands.sinkage], [drove.load, drove.sinkage]);
        }
        assert_eq!(stands.pose, drove.pose);
        assert_eq!(world.summary("", 0.0).vehicles[0].final_speed, 0.0);
    }
}

/// An arrived vehicle that is hit, where a hit ends its drive, is reported as hit and is stationary
/// only then.
#[test]
fn an_arrived_vehicle_reports_a_collision() {
    let text = r#"
format = 1
name = "hit"
time = { duration = 10 }
ground = { spacing = 0.1 }
soil = { default = "rigid" }
endings = { collision = "stop" }
[[vehicle]]
name = "arrives"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", speed = 2, waypoints = [[0, 0], [2, 0]] }
[[vehicle]]
name = "rolls into it"
model = "hmmwv"
position = [-40, 0]
speed = 6
driver = { kind = "table", rows = [{ time = 0, gear = "neutral" }] }
"#;
    let file = ScenarioFile::parse("hit", text, Path::new(""), &[]).unwrap();
    let mut world = World::new(build::world(&file).unwrap().world);
    let ended = until_ended(&mut world, 10.0);
    let Outcome::Collided { time, .. } = ended else { panic!("{ended:?}") };
    let arrived = world.state().agents[0].monitor.arrival_time().unwrap();
    assert!(arrived < time - 0.5 && (time - world.time()).abs() < 1e-6, "{arrived} {time}");
    let hit = world.sample(0).unwrap();
    assert!(hit.velocity.norm() > 0.1, "the push was too small: {hit:?}");
    world.advance();
    assert_eq!(world.sample(0).unwrap().velocity.norm(), 0.0);
    assert_eq!(world.summary("", 0.0).vehicles[0].final_speed, 0.0);
}

#[test]
fn a_bogged_vehicle_is_immobilized_with_position_soil_and_cause() {
    // In a hollow of slippery soil whose sides become steeper than the friction allows.
    let mut mire = soil("mid");
    mire.name = "mire".into();
    if let SoilKind::Deformable(law) = &mut mire.kind {
        law.friction_angle = 5f64.to_radians();
    }
    let plane = Surface::Plane { elevation: 0.0, slope: [0.0, 0.0] };
    let hollow = Stamp::hole([4.0, -3.0], 9.0, 2.0, 9.0);
    let soils = SoilMap::uniform(SoilId(0));
    let terrain = Terrain::builder(plane, soils).stamp(hollow).build().unwrap();
    let hmmwv = vehicle("hmmwv");
    let start = pose_at(4.0, -3.0, hmmwv.ride_radius() - 2.0);
    let model = agent(&hmmwv, table(&ON, &[], &[]), start);
    let mut world = world(ground(0.05, terrain, vec![mire]), 2e-3, vec![model]);
    let ended = until_ended(&mut world, 40.0);
    let Outcome::Immobilized { time, position, soil, diagnosis } = ended.clone() else {
        panic!("{ended:?}")
    };
    assert!(time < 30.0 && soil == SoilId(0), "{ended:?}");
    assert!((position.x - 4.0).abs() < 5.0 && (position.y + 3.0).abs() < 1.0, "{ended:?}");
    assert_eq!(diagnosis.spinning, Spinning::All, "{diagnosis}");
    assert!(
        outcome_sentence(&world).contains("m in mire: ")
            && outcome_sentence(&world).contains("% slip"),
        "{ended:?}"
    );
    // A checkpoint of it can be read.
    let stored = checkpoint::encode(world.model(), "mire", world.state());
    let read = checkpoint::decode(world.model(), "mire", &stored).unwrap();
    assert!(checkpoint::encode(world.model(), "mire", &read) == stored);
}

/// Builds the HMMWV on rigid tires with a change, as a scenario's `overrides` may make it.
fn changed(change: impl Fn(&mut VehicleSpec)) -> Arc<Vehicle> {
    let mut spec = find_wheeled("hmmwv").unwrap();
    spec.tire.flexible = None;
    change(&mut spec);
    Arc::new(Vehicle::new(spec).unwrap())
}

/// Asserts that the first vehicle failed soon after its start at `start` and is stationary there.
fn assert_stands(world: &World, start: Vec3) {
    let sample = world.sample(0).unwrap();
    assert!((sample.pose.position - start).norm() < 0.5, "{sample:?}");
    assert!(sample.pose.orientation.coords.iter().all(|x| x.is_finite()), "{sample:?}");
    assert_eq!((sample.velocity, sample.angular_velocity), (Vec3::zeros(), Vec3::zeros()));
    let body = &world.state().agents[0].vehicle.body;
    assert!(body.q.iter().all(|x| x.is_finite()) && body.u.iter().all(|&u| u == 0.0));
    // A checkpoint of it can be resumed.
    World::resume(world.model().clone(), world.state().clone()).unwrap();
    let summary = &world.summary("", 0.0).vehicles[0];
    let figures = [summary.distance, summary.drive_energy, summary.braking_energy];
    assert!(figures.iter().all(|x| x.abs() < 1e4), "{summary:?}");
}

#[test]
fn an_absurd_vehicle_fails_alone() {
    // These values bypass the checks of a vehicle file, which refuse them; a program may build
    // them. No legal input is known to fail. The largest legal values are tires of 1e11 N/m,
    // dampers of 1e8 N s/m, a hull of 5 kg and gears of 1000. With them vehicles at 50 m/s and
    // steps of 20 ms, on flat ground and on hills of 300 m wavelength, drive on or overturn.
    let absurd: [(&str, Arc<Vehicle>); 3] = [
        ("tire", changed(|spec| spec.tire.handling.vertical_stiffness = 1e300)),
        ("damper", changed(|spec| spec.axles[0].damper.as_mut().unwrap().compression = 1e308)),
        ("progression", changed(|spec| spec.tire.handling.vertical_progression = 1e308)),
    ];
    let sound = vehicle("hmmwv");
    let start = |x: f64| pose_at(x, 0.0, sound.ride_radius() - 0.02);
    let alone = {
        let model = agent(&sound, table(&ON, &[], &[]), start(400.0));
        let mut world = world_on(Terrain::flat(0.0, SoilId(0)), "firm", vec![model]);
        drive(&mut world, 1.0);
        world.state().agents[0].vehicle.clone()
    };
    for (name, vehicle) in absurd {
        let models = vec![
            agent(&vehicle, table(&ON, &[], &[]), start(0.0)),
            agent(&sound, table(&ON, &[], &[]), start(400.0)),
        ];
        let mut world = world_on(Terrain::flat(0.0, SoilId(0)), "firm", models);
        drive(&mut world, 1.0);
        let ended = outcome(&world, 0);
        println!("{name}: {ended:?}");
        assert_eq!(outcome(&world, 1), None);
        assert_eq!(world.state().agents[1].vehicle, alone, "{name} reached the other");
        match &ended {
            Some(Outcome::Failed { time, position, .. }) => {
                assert!(*time <= 1.0 && position.iter().all(|x| x.is_finite()), "{ended:?}");
                assert_stands(&world, start(0.0).position);
            }
            // An implicit damper of any strength is a rigid rod.
            _ => assert_eq!((name, &ended), ("damper", &None)),
        }
    }
}

/// A vehicle faster than any possible one has failed, even if its state is finite.
#[test]
fn an_impossible_speed_is_a_failure() {
    let hmmwv = vehicle("hmmwv");
    let start = Pose { position: Vec3::new(0.0, 0.0, 0.55), orientation: Quat::identity() };
    for (speed, fails) in [(50.0, false), (150.0, true)] {
        let model = AgentModel { speed, ..agent(&hmmwv, table(&ON, &[], &[]), start) };
        let mut world = world_on(Terrain::flat(0.0, SoilId(0)), "firm", vec![model]);
        world.advance();
        assert_eq!(matches!(outcome(&world, 0), Some(Outcome::Failed { .. })), fails, "{speed}");
        assert_eq!(
            outcome_sentence(&world).ends_with("its speed is above 100 m/s or not finite"),
            fails,
            "{speed}"
        );
    }
}

/// A state with nonfinite values is detected in the first heartbeat, reported, and contained.
///
/// It may come from an altered checkpoint with a matching checksum (`mutated_checkpoints_run_without_panic` in
/// `tests/bounds/mutations.rs`).
#[test]
fn a_non_finite_state_is_reported_and_contained() {
    let hmmwv = vehicle("hmmwv");
    let start = |x: f64| Pose { position: Vec3::new(x, 5.0, 0.55), orientation: Quat::identity() };
    for ground_soil in ["firm", "mid"] {
        let models = vec![
            agent(&hmmwv, table(&ON, &[], &[]), start(0.0)),
            agent(&hmmwv, table(&ON, &[], &[]), start(300.0)),
        ];
        let mut sound = world_on(Terrain::flat(0.0, SoilId(0)), ground_soil, models);
        drive(&mut sound, 0.5);
        for poison in [f64::NAN, f64::INFINITY, 1e300] {
            let mut state = sound.state().clone();
            state.agents[0].vehicle.body.u[4] = poison;
            let mut poisoned = World::resume(sound.model().clone(), state).unwrap();
            let mut healthy = World::resume(sound.model().clone(), sound.state().clone()).unwrap();
            poisoned.advance();
            if let Some(ended) = outcome(&poisoned, 0) {
                let event = Event::Ended { outcome: ended.code() };
                assert_eq!(poisoned.events(0).last(), Some(&event), "{poison}");
            }
            drive(&mut poisoned, 1.0);
            drive(&mut healthy, 1.0);
            let ended = outcome(&poisoned, 0);
            let Some(Outcome::Failed { time, position, .. }) = &ended else {
                // Finite but absurd values are no fault of the state.
                assert!(poison == 1e300, "{ended:?} of {poison}");
                continue;
            };
            assert!((0.5..=0.52).contains(time), "{ended:?}");
            assert!(position.iter().all(|x| x.is_finite()), "{ended:?}");
            let told = outcome_sentence(&poisoned);
            assert!(told.starts_with("failed at 0.5 s at ("), "{told}");
            let of = |world: &World| world.state().agents[1].vehicle.clone();
            assert_eq!(of(&poisoned), of(&healthy), "{poison} reached the other");
        }
    }
}
