//! Worlds controlled by a program: external commands, restored states, relocated vehicles, and many
//! worlds on one model.

use crate::scene;

use bekker::ground::GroundModel;
use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{
    Command, CommandError, GroundVehicle, OutcomeCode, Ranks, Sharing, StartCondition,
    SteeringCommand, VehiclePlacement, World, WorldModel,
};
use bekker::soil::SoilId;
use bekker::terrain::{SoilMap, Surface, Terrain};
use bekker::vehicle::Selector;
use scene::{drive, on_ranks, same_bits_on_threads_and_resumed};
use std::f64::consts::FRAC_PI_2;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const BOUNDS: [f64; 4] = [-100.0, -100.0, 100.0, 100.0];
const SCENARIO: &str = r#"
format = 1
name = "commanded"
seed = 3
time = { duration = 10 }
soil = { default = "chrono_mid" }
[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", speed = 4, waypoints = [[0, 0], [90, 0]] }
sensor = [{ name = "imu", model = { kind = "imu", preset = "tactical" }, rate = 100 }]
[[vehicle]]
name = "second"
model = "mrzr4"
position = [-12, 0]
driver = { kind = "follow", leader = "lead", gap = 6 }
"#;

/// Returns the model of [`SCENARIO`] on a square of 200 m.
fn model() -> Arc<WorldModel> {
    let file = ScenarioFile::parse("commanded", SCENARIO, Path::new(""), &[]).unwrap();
    let mut model = build::world(&file).unwrap().world;
    let plane = Surface::Plane { elevation: 0.0, slope: [0.0; 2] };
    let square = Terrain::builder(plane, SoilMap::uniform(SoilId(0))).bounds(BOUNDS);
    let ground = &model.ground;
    let (soils, laws) = (ground.soils().to_vec(), ground.laws());
    model.ground =
        GroundModel::new(ground.lattice(), square.build().unwrap(), soils, laws).unwrap();
    Arc::new(model)
}

fn left(throttle: f64) -> Option<Command> {
    let steering = SteeringCommand::Share(0.8);
    Some(Command { throttle, steering, brake: 0.0, gear: Selector::Drive, ..Command::default() })
}

/// Drives with commands that change independently of the heartbeats.
fn command_and_drive(world: &mut World, until: f64) {
    while world.time() < until - 1e-9 {
        let command = if world.time() < 0.995 { left(0.4) } else { left(0.1) };
        world.command(0, command).unwrap();
        world.advance();
    }
}

#[test]
fn a_commanded_vehicle_follows_commands_until_its_driver_resumes() {
    let mut world = World::new(model());
    world.command(0, left(0.5)).unwrap();
    drive(&mut world, 3.0);
    let turned = world.sample(0).unwrap();
    assert_eq!(Some(turned.controls.into()), left(0.5));
    assert!(turned.pose.position.y > 0.3, "{:?}", turned.pose);
    world.command(0, None).unwrap();
    drive(&mut world, 9.0);
    let back = world.sample(0).unwrap();
    // Back on its path after a look-ahead of 10 m.
    assert!(back.pose.position.y.abs() < 0.5 && back.speed > 3.0, "{back:?}");

    // Commands beyond their ranges are clamped.
    world.command(1, Some(Command { throttle: 7.0, brake: -3.0, ..Command::default() })).unwrap();
    world.advance();
    let second = world.sample(1).unwrap().controls;
    assert_eq!((second.throttle, second.brake), (1.0, 0.0));
    let nan = world.command(1, left(f64::NAN)).unwrap_err();
    assert_eq!(nan.to_string(), "throttle = NaN: must be a finite number");
    let nobody = world.command(2, None).unwrap_err();
    assert_eq!(nobody, CommandError::NoAgent { agent: 2, agents: 2 });
}

#[test]
fn a_reversing_command_is_not_rolling_back() {
    let mut world = World::new(model());
    let back = Command { throttle: 0.7, gear: Selector::Reverse, ..Command::default() };
    world.command(1, Some(back)).unwrap();
    drive(&mut world, 6.0);
    let sample = world.sample(1).unwrap();
    assert!(sample.speed < -1.0 && sample.pose.position.x < -14.0, "{sample:?}");
    assert_eq!(world.outcome(1).code, OutcomeCode::UnderWay);
}

/// Commands are part of the state: hashed, stored, restored, and the same on any number of threads.
#[test]
fn commands_are_part_of_the_state() {
    let build = || {
        let mut world = World::new(model());
        world.command(0, left(0.4)).unwrap();
        world
    };
    same_bits_on_threads_and_resumed(build, 0.7, 1.4);
    let (commanded, own) = (build(), World::new(model()));
    assert_ne!(commanded.hash(), own.hash());
}

#[test]
fn commands_give_the_same_bits_on_any_ranks() {
    let model = model();
    let mut alone = World::new(model.clone());
    command_and_drive(&mut alone, 2.0);
    let hashes = on_ranks(2, Duration::from_secs(120), |rank| {
        let plain = WorldModel::clone(&model);
        let mut ranks = Ranks::new(rank, plain, None, &Sharing::default(), &[]).unwrap();
        while ranks.world().time() < 2.0 - 1e-9 {
            let command = if ranks.world().time() < 0.995 { left(0.4) } else { left(0.1) };
            ranks.command(0, command).unwrap();
            ranks.advance(false).unwrap();
        }
        ranks.hash().unwrap().state
    });
    for hash in hashes {
        assert_eq!(hash.unwrap(), alone.hash());
    }
}

/// Ten continuations from one restored state each equal that of a world that was never restored.
#[test]
fn a_restored_world_gives_the_same_bits() {
    let mut world = World::new(model());
    drive(&mut world, 1.0);
    let moment = world.state().clone();
    let futures: Vec<[u8; 32]> = (0..10)
        .map(|future| {
            world.restore(&moment).unwrap();
            assert_eq!(world.time(), 1.0);
            world.command(0, left(0.1 * f64::from(future))).unwrap();
            drive(&mut world, 1.3);
            world.hash()
        })
        .collect();
    for (future, expected) in futures.iter().enumerate() {
        let mut other = World::resume(world.shared_model(), moment.clone()).unwrap();
        other.command(0, left(0.1 * future as f64)).unwrap();
        drive(&mut other, 1.3);
        assert_eq!(other.hash(), *expected, "future {future}");
    }
    assert!(futures.windows(2).all(|two| two[0] != two[1]));
}

#[test]
fn a_state_of_another_model_is_refused_and_changes_nothing() {
    let mut world = World::new(model());
    drive(&mut world, 0.3);
    let before = world.hash();
    let one = SCENARIO.split("[[vehicle]]\nname = \"second\"").next().unwrap();
    let file = ScenarioFile::parse("alone", one, Path::new(""), &[]).unwrap();
    let alone = World::new(build::world(&file).unwrap().world);
    let error = world.restore(alone.state()).unwrap_err();
    assert_eq!(error.to_string(), "the state does not match the model: 1 vehicles; must be 2");
    assert!(World::resume(world.shared_model(), alone.state().clone()).is_err());
    assert_eq!(world.hash(), before);
}

/// A relocated vehicle is in the same state as one that starts there, and its rut remains.
#[test]
fn a_moved_vehicle_is_in_equilibrium_and_its_rut_stays() {
    let mut world = World::new(model());
    drive(&mut world, 4.0);
    let weight = 9.81 * 2573.138;
    let deepest = |world: &World| {
        (0..40).map(|k| world.rut_depth(3.0, -2.0 + 0.1 * f64::from(k))).fold(0.0, f64::max)
    };
    let depth = deepest(&world);
    assert!(depth > 0.02, "{depth}");
    let place = VehiclePlacement { position: [20.0, 30.0], heading: FRAC_PI_2, speed: 0.0 };
    assert_eq!(world.respawn(0, &place).unwrap(), StartCondition::Equilibrium);
    world.command(0, Some(Command { brake: 1.0, ..Command::default() })).unwrap();
    let start = world.sample(0).unwrap();
    assert!((start.pose.position.xy() - nalgebra::Vector2::new(20.0, 30.0)).norm() < 0.05);
    let until = world.time() + 1.0;
    while world.time() < until {
        world.advance();
        let load: f64 = world.sample(0).unwrap().wheels.iter().map(|wheel| wheel.load).sum();
        // Within 1 %, the tolerance for starts in tests/start.rs.
        assert!((load / weight - 1.0).abs() < 0.01, "{load} for {weight} N");
    }
    assert!((deepest(&world) - depth).abs() < 1e-3, "its rut stays");
    // Its sums restart at zero; its sensors continue to deliver.
    assert!(world.summary("x", 0.0).vehicles[0].distance < 0.1);
    assert!(!world.delivered(0).is_empty());
    // A start at that position gives the same bits.
    let agent = &world.model().agents[0];
    let ground = &world.model().ground;
    let pose = agent.vehicle.resting_pose(ground.terrain(), 20.0, 30.0, FRAC_PI_2);
    let (fresh, _) = agent.solve_equilibrium(ground, &Default::default(), &pose, 0.0, 0, 2e-3);
    let mut other = World::new(model());
    other.respawn(0, &place).unwrap();
    assert_eq!(other.state().agents[0].digest(), fresh.digest());

    let off = world.respawn(0, &VehiclePlacement { position: [500.0, 0.0], ..place }).unwrap_err();
    assert!(off.to_string().contains("outside the terrain"), "{off}");
    let nan = world.respawn(0, &VehiclePlacement { heading: f64::NAN, ..place }).unwrap_err();
    assert_eq!(nan.to_string(), "heading = NaN: must be from -1000 to 1000 rad");
    let far = world.respawn(0, &VehiclePlacement { position: [0.0, 1e300], ..place }).unwrap_err();
    assert!(far.to_string().ends_with("must be from -1000000 to 1000000 m"), "{far}");
    assert!(world.respawn(9, &place).is_err());
}

/// A vehicle whose drive has ended drives again after a relocation.
#[test]
fn a_moved_vehicle_drives_again_after_its_drive_has_ended() {
    let mut world = World::new(model());
    let place = VehiclePlacement { position: [97.0, 0.0], heading: 0.0, speed: 8.0 };
    world.respawn(0, &place).unwrap();
    drive(&mut world, 2.0);
    assert_eq!(world.outcome(0).code, OutcomeCode::LeftTerrain);
    world.respawn(0, &VehiclePlacement { position: [10.0, 5.0], ..place }).unwrap();
    assert_eq!(world.sample(0).unwrap().speed.round(), 8.0);
    let until = world.time() + 0.5;
    drive(&mut world, until);
    assert_eq!(world.outcome(0).code, OutcomeCode::UnderWay);
}
