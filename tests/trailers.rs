//! Vehicles with trailers in whole worlds: determinism, equilibrium at the start, samples and
//! images, and refusals.
//!
//! Bits are the same on any threads and ranks and after a checkpoint.

use crate::ranks::{alone, together};
use crate::scene::{agent, firm, flat, pose_at, table, world};

use bekker::collision::{CollisionPair, FreeBody, Hull};
use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{
    AgentModel, CollisionTarget, Command, CommandError, Event, GroundVehicle, MessageRoute,
    SceneModel, StartCondition, World, WorldModel, checkpoint,
};
use bekker::spatial::{Acceleration, Mat3, Pose, Twist, Vec3};
use bekker::sync::Partition;
use bekker::sync::message::RunningGearMessage;
use bekker::vehicle::spec::HullBox;
use bekker::vehicle::{Selector, Vehicle, find_wheeled};
use std::path::Path;
use std::sync::Arc;

const SCENARIO: &str = r#"
format = 1
name = "trailers"
[time]
duration = 20
[ground]
spacing = 0.1
[soil]
default = "rigid"
zone = [ { soil = "chrono_mid", area = { kind = "half_plane", through = [3, 0], towards_deg = 0 } } ]
[[vehicle]]
name = "light"
model = "hmmwv+cargo_trailer"
position = [0, 6]
speed = 3
driver = { kind = "path", speed = 4, waypoints = [[0, 6], [6, 6], [16, 10], [30, 20]] }
[[vehicle]]
name = "heavy"
model = "kraz_64431+semitrailer"
position = [-4, -6]
speed = 2
driver = { kind = "path", speed = 3, waypoints = [[-4, -6], [60, -6]] }
"#;

fn model(text: &str, sets: &[&str]) -> WorldModel {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let file = ScenarioFile::parse("trailers", text, Path::new(""), &sets).unwrap();
    build::world(&file).unwrap().world
}

/// Tractor and trailer are one agent: ranks send, and checkpoints hold, both.
#[test]
fn any_threads_ranks_and_a_resume_give_the_same_bits() {
    const HEARTBEATS: usize = 250;
    let model = model(SCENARIO, &[]);
    let expected = alone(model.clone(), HEARTBEATS);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(expected, one.install(|| alone(model.clone(), HEARTBEATS)));
    let found = together(&model, None, 2, &Partition::RoundRobin, MessageRoute::All, HEARTBEATS);
    assert_eq!(expected, found);
    let mut first = World::new(model);
    (0..100).for_each(|_| first.advance());
    let state = checkpoint::encode(first.model(), SCENARIO, first.state());
    let state = checkpoint::decode(first.model(), SCENARIO, &state).unwrap();
    let mut second = World::resume(first.shared_model(), state).unwrap();
    (100..HEARTBEATS).for_each(|_| second.advance());
    assert_eq!(&second.hash(), expected.last().unwrap());
}

/// Means over flexible tires exclude rigid tires, and one inflation applies to all of them.
#[test]
fn rigid_tires_are_not_flexible_tires() {
    const MIXED: &str = r#"
format = 1
name = "mixed"
[time]
duration = 20
[soil]
default = "rigid"
[[vehicle]]
name = "mixed"
model = "fmtv_4x4+cargo_trailer"
position = [0, 0]
"#;
    let tires = |sets: &[&str]| {
        let mut world = World::new(model(MIXED, sets));
        (0..20).for_each(|_| world.advance());
        world.summary("mixed", 0.0).vehicles[0].tires.unwrap()
    };
    let own = tires(&[]);
    assert!((own.inflation_kpa - 207.0).abs() < 1e-3 && own.deflection > 0.02, "{own:?}");
    let softer = tires(&["vehicle[0].inflation_kpa=138"]);
    assert!((softer.inflation_kpa - 138.0).abs() < 1e-3, "{softer:?}");
    assert!(softer.deflection > 1.2 * own.deflection, "{softer:?}");
    let each = ["vehicle[0].inflation_kpa=[138,138]".to_owned()];
    let file = ScenarioFile::parse("trailers", MIXED, Path::new(""), &each).unwrap();
    let told = build::world(&file).unwrap_err().to_string();
    assert!(told.contains("must be a single value"), "{told}");
}

/// On a slope, along and across it, with brakes on, the trailer does not slide and the coupling
/// does not jerk.
#[test]
fn they_start_in_equilibrium_on_a_slope() {
    const STOOD: &str = r#"
format = 1
name = "stood"
time = { duration = 2, step = 0.002 }
terrain = { surface = { kind = "slope", grade = 0.1 } }
soil = { default = "rigid" }
[[vehicle]]
name = "own"
model = "hmmwv+cargo_trailer"
position = [0, 0]
heading_deg = 40
driver = { kind = "table", rows = [{ time = 0, brake = 1, gear = "neutral" }] }
"#;
    for vehicle in ["hmmwv+cargo_trailer", "kraz_64431+semitrailer"] {
        let mut world = World::new(model(STOOD, &[&format!("vehicle.0.model={vehicle:?}")]));
        assert_eq!(world.start_conditions(), [StartCondition::Equilibrium], "{vehicle}");
        let first = world.samples().next().unwrap();
        (0..100).for_each(|_| world.advance());
        let last = world.samples().next().unwrap();
        let [before, after] = [&first, &last].map(|sample| sample.trailer.unwrap());
        println!("{vehicle}: {before:?} {after:?}");
        assert!((first.pose.position - last.pose.position).norm() < 2e-3, "{vehicle}");
        assert!((before.articulation - after.articulation).abs() < 1e-3, "{vehicle}");
        let jerk = (before.hitch_force - after.hitch_force).norm();
        assert!(jerk < 0.05 * after.hitch_force.norm(), "{vehicle}: {jerk} N");
    }
}

/// The image shows the trailer where its body is, from the data that ranks receive.
#[test]
fn the_picture_shows_it_where_it_is() {
    let mut world = World::new(model(SCENARIO, &[]));
    (0..350).for_each(|_| world.advance());
    let scene = SceneModel::new(world.model(), &[]);
    let messages = world.messages();
    let parts = scene.parts(world.model(), [world.time_us(); 2], [&messages, &messages]);
    for (agent, sample) in world.samples().enumerate() {
        let trailer = sample.trailer.unwrap();
        let turned = sample.pose.yaw() + trailer.articulation;
        let spec = find_wheeled(["hmmwv+cargo_trailer", "kraz_64431+semitrailer"][agent]).unwrap();
        let coupling = sample.pose.point(&Vec3::from(spec.trailer.unwrap().coupling));
        let found = parts.iter().filter(|part| usize::from(part.agent) == agent).any(|part| {
            let pose = &part.poses[1];
            let off = (pose.yaw() - turned).sin().abs();
            // Springs and tires move the wheels by centimeters at a distance of some meters.
            (pose.position - coupling).norm() < 0.02 && off < 0.01
        });
        println!("{agent}: {:.2} deg", trailer.articulation.to_degrees());
        assert!(found, "agent {agent} at {turned} rad");
    }
    let light = world.samples().next().unwrap().trailer.unwrap();
    assert!(light.articulation.abs() > 0.02, "it turns: {light:?}");
}

/// An uncoupled trailer is drawn at its position, not behind its former tractor.
#[test]
fn an_uncoupled_trailer_is_drawn_where_it_stopped() {
    let mut world = World::new(model(SCENARIO, &["vehicle.0.uncouple_time=0.5"]));
    (0..350).for_each(|_| world.advance());
    let scene = SceneModel::new(world.model(), &[]);
    let messages = world.messages();
    let parts = scene.parts(world.model(), [world.time_us(); 2], [&messages, &messages]);
    let spec = find_wheeled("hmmwv+cargo_trailer").unwrap();
    let (behind, chassis) =
        (Vec3::from(spec.trailer.as_ref().unwrap().coupling), &messages[0].chassis);
    let coupling = chassis.point(&behind);
    let RunningGearMessage::Wheels(wheels) = &messages[0].gear else { panic!("on wheels") };
    let own = wheels.iter().rev().take(2).map(|wheel| chassis.point(&wheel.pose.position));
    let wheels = own.sum::<Vec3>() * 0.5;
    assert!((wheels - coupling).norm() > 5.0, "the tractor drives on: {wheels:?}");
    // The body rests on the wheels: the middle of the axle, in the frame of the body, is between
    // them, except for spring travel.
    let axle = spec.axles.last().unwrap();
    let [x, _, z] = axle.suspension.spindle();
    let middle = Vec3::from(axle.position) + Vec3::new(x, 0.0, z) - behind;
    let drawn = parts.iter().filter(|part| part.agent == 0);
    let drawn = drawn.filter(|part| (part.poses[1].point(&middle) - wheels).norm() < 0.1).count();
    assert_eq!(drawn, 1);
    // Nothing is drawn at its former position.
    let left = parts.iter().filter(|part| part.agent == 0);
    let left = left.filter(|part| (part.poses[1].position - coupling).norm() < 0.05).count();
    assert_eq!(left, 0);
}

#[test]
fn uncoupling_without_a_trailer_is_refused() {
    for (model, said) in [
        ("hmmwv+caravan", "known: cargo_trailer, semitrailer"),
        ("hmmw+cargo_trailer", "did you mean"),
        ("m113+cargo_trailer", "is tracked"),
    ] {
        let sets = [format!("vehicle.0.model={model:?}")];
        let file = ScenarioFile::parse("trailers", SCENARIO, Path::new(""), &sets).unwrap();
        let Err(faults) = build::world(&file) else { panic!("{model} is built") };
        let text = faults.to_string();
        assert!(text.contains(said), "{model}: {text}");
    }
}

/// One trailer is uncoupled and hit by a following vehicle; another vehicle rolls back with its
/// trailer into a wall.
const PARTED: &str = r#"
format = 1
name = "parted"
time = { duration = 20, step = 0.002 }
ground = { spacing = 0.1 }
[soil]
default = "rigid"
zone = [ { soil = "chrono_mid", area = { kind = "half_plane", through = [3, 0], towards_deg = 0 } } ]
[[scenery]]
kind = "block"
places = [[-14, -6.8]]
size = [0.5, 3, 3]
[[vehicle]]
name = "parts"
model = "hmmwv+cargo_trailer"
position = [0, 6]
speed = 6
uncouple_time = 0.5
driver = { kind = "path", speed = 6, waypoints = [[0, 6], [60, 6]] }
[[vehicle]]
name = "runs into it"
model = "hmmwv"
position = [-15, 6]
speed = 8
driver = { kind = "path", speed = 8, waypoints = [[-15, 6], [60, 6]] }
[[vehicle]]
name = "rolls back"
model = "kraz_64431+semitrailer"
position = [-1, -6.8]
speed = -2
driver = { kind = "table", rows = [{ time = 0, gear = "neutral" }] }
"#;

#[test]
fn uncoupled_and_hit_trailers_give_the_same_bits() {
    const HEARTBEATS: usize = 400;
    let model = model(PARTED, &[]);
    let mut whole = World::new(model.clone());
    let mut events = Vec::new();
    for _ in 0..HEARTBEATS {
        whole.advance();
        events.extend((0..3).flat_map(|agent| {
            whole.events(agent).iter().map(move |event| (agent, *event)).collect::<Vec<_>>()
        }));
    }
    assert!(events.contains(&(0, Event::Uncoupled { broken: false })));
    let struck = |agent: usize, with: CollisionTarget| {
        events.iter().any(|(own, event)| {
            matches!(event, Event::Collided(hit) if *own == agent && hit.with == with)
        })
    };
    assert!(
        struck(1, CollisionTarget::Vehicle(0)) && struck(0, CollisionTarget::Vehicle(1)),
        "the trailer is met"
    );
    assert!(struck(2, CollisionTarget::Obstacle(0)), "the trailer hits the obstacle");
    let expected = alone(model.clone(), HEARTBEATS);
    assert_eq!(&whole.hash(), expected.last().unwrap());
    for route in [MessageRoute::All, MessageRoute::Neighbor] {
        let found = together(&model, None, 3, &Partition::RoundRobin, route, HEARTBEATS);
        assert_eq!(expected, found, "{route:?}");
    }
    let mut first = World::new(model);
    (0..100).for_each(|_| first.advance());
    let state = checkpoint::encode(first.model(), PARTED, first.state());
    let state = checkpoint::decode(first.model(), PARTED, &state).unwrap();
    let mut second = World::resume(first.shared_model(), state).unwrap();
    (100..HEARTBEATS).for_each(|_| second.advance());
    assert_eq!(&second.hash(), expected.last().unwrap());
}

/// An uncoupled trailer stops as the closed form specifies.
///
/// It is released at 8 m/s on firm ground with brakes on both wheels and its stand sliding. The
/// moments about its axle give the deceleration d, and so the stopping distance v²/(2 d).
#[test]
fn an_uncoupled_trailer_stops_by_the_closed_form() {
    const TORQUE: f64 = 600.0;
    let mut spec = find_wheeled("hmmwv+cargo_trailer").unwrap();
    spec.tire.flexible = None;
    spec.axles[2].brake_torque = TORQUE;
    spec.axles[2].tire.as_mut().unwrap().flexible = None;
    let vehicle = Arc::new(Vehicle::new(spec).unwrap());
    let rolls = table(&[[0.0, 0.1], [1.0, 0.1]], &[], &[]);
    let own = AgentModel {
        speed: 8.0,
        uncouple_time: Some(0.2),
        ..agent(&vehicle, rolls, pose_at(0.0, 0.0, vehicle.ride_radius()))
    };
    let mut world = world(flat(0.1, firm(0.8)), 1e-3, vec![own]);
    let state = |world: &World| {
        let message = world.messages().remove(0);
        let trailer = message.trailer.unwrap();
        (trailer.place, trailer.motion.twist.linear.norm())
    };
    (0..120).for_each(|_| world.advance());
    let (from, speed) = state(&world);
    let begun = world.time();
    (0..80).for_each(|_| world.advance());
    let (middle, later) = state(&world);
    let found = (speed - later) / (world.time() - begun);
    (0..400).for_each(|_| world.advance());
    let (to, stands) = state(&world);
    // Lengths from the file; heights with a tire deflection of a few centimeters.
    let radius = 0.46;
    let height = middle.z - 0.3;
    let (sprung, wheels) = (1360.0, 182.0);
    let mass = sprung + wheels;
    let com = (sprung * (height + 0.25) + wheels * radius) / mass;
    let (ahead, stand) = ((sprung * (2.35 - 2.085) + 2.0 * 20.0 * 0.2) / mass, 2.35 - 0.6);
    let spun = 2.0 * (6.69 + 0.6243 + 0.07) / (radius * radius);
    let weight = mass * 9.81;
    // m d = brakes - spun d + 0.4 L + 0.015 (m g - L), L stand = m g ahead + m d com
    let (slide, at_rest) = (0.4 - 0.015, weight * ahead / stand);
    let brakes = 2.0 * TORQUE / radius;
    let expected =
        (brakes + 0.015 * weight + slide * at_rest) / (mass + spun - slide * mass * com / stand);
    let (distance, closed) = ((to - from).norm(), speed * speed / (2.0 * expected));
    println!(
        "{found:.3} m/s2, expected {expected:.3}; {distance:.2} m from {speed:.2} m/s, expected {closed:.2}"
    );
    assert!(stands < 0.01, "{stands} m/s");
    // The loaded radius, 2 cm less than the rim's, and the nose's dip are neglected: 4 %.
    assert!((found / expected - 1.0).abs() < 0.05, "{found} m/s2, not {expected}");
    assert!((distance / closed - 1.0).abs() < 0.05, "{distance} m, not {closed}");
}

/// An uncoupled trailer no longer counts in the tractor's metrics, and reports its own final
/// position.
#[test]
fn an_uncoupled_trailer_is_reported_separately() {
    const LET_GO: &str = r#"
format = 1
name = "let go"
time = { duration = 20, step = 0.002 }
ground = { spacing = 0.1 }
soil = { default = "rigid" }
[[vehicle]]
name = "own"
model = "hmmwv+cargo_trailer"
position = [0, 6]
speed = 6
uncouple_time = 0.2
driver = { kind = "path", speed = 6, waypoints = [[0, 6], [60, 6]] }
"#;
    let mut world = World::new(model(LET_GO, &[]));
    let behind = find_wheeled("hmmwv+cargo_trailer").unwrap().trailer.unwrap().coupling;
    let own = |world: &World| {
        let sample = world.sample(0).unwrap();
        let trailer = sample.trailer.unwrap();
        (sample, trailer)
    };
    (0..10).for_each(|_| world.advance());
    let (sample, trailer) = own(&world);
    let coupling = sample.pose.point(&Vec3::from(behind));
    assert!((trailer.position - coupling).norm() < 0.02, "{trailer:?}, not {coupling}");
    (0..290).for_each(|_| world.advance());
    let (sample, stands) = own(&world);
    (0..50).for_each(|_| world.advance());
    let (later, stood) = own(&world);
    assert!(later.pose.position.x > sample.pose.position.x + 2.0, "{later:?}");
    assert!((stood.position - stands.position).norm() < 0.02, "{stands:?} {stood:?}");
    assert!(later.pose.position.x - stood.position.x > 10.0, "{stood:?}");
    // Its wheels were locked as it stopped: of six wheels a third would be at -1.
    let summary = &world.summary("", 0.0).vehicles[0];
    assert!(summary.mean_slip.abs() < 0.02, "{summary:?}");
}

/// A coupling loaded beyond its limit breaks, which is reported.
#[test]
fn a_coupling_breaks_beyond_its_load() {
    let torn = |load: f64| {
        let mut spec = find_wheeled("hmmwv+cargo_trailer").unwrap();
        spec.trailer.as_mut().unwrap().hitch.breaking_load = Some(load);
        let vehicle = Arc::new(Vehicle::new(spec).unwrap());
        let driver = table(&[[0.0, 0.6], [1.0, 0.6]], &[], &[]);
        let own = agent(&vehicle, driver, pose_at(0.0, 0.0, vehicle.ride_radius()));
        let mut world = world(flat(0.1, firm(0.8)), 1e-3, vec![own]);
        (0..200).any(|_| {
            world.advance();
            world.events(0).contains(&Event::Uncoupled { broken: true })
        })
    };
    // It carries 1.5 kN of nose weight, and tows 1542 kg at a few m/s².
    assert!(torn(2500.0) && !torn(50e3));
}

/// A vehicle settles without strain in its coupling, which then carries its static load and breaks
/// only by driving.
///
/// Formerly a coupling with a limit of 5 kN broke at rest, and a heavy trailer sprang from -15 kN
/// when its brake was released.
#[test]
fn a_coupling_starts_without_load() {
    let text = |name: &str, driver: &str, more: &str| {
        let driver = format!("driver = {driver}\n{more}\n");
        format!(
            "format = 1\nname = \"s\"\ntime = {{ duration = 5 }}\nsoil = {{ default = \"rigid\" }}\n\
             [[vehicle]]\nname = \"a\"\nmodel = \"{name}\"\nposition = [0, 0]\n{driver}"
        )
    };
    let stands = "{ kind = \"hold\", brake = 1.0 }";
    let coasts = "{ kind = \"table\", rows = [{ time = 0, gear = \"neutral\" }] }";
    for (name, driver, more) in [
        ("hmmwv+cargo_trailer", stands, ""),
        ("hmmwv+cargo_trailer", coasts, "speed = 8"),
        ("kraz_64431+semitrailer", stands, ""),
        ("kraz_64431+semitrailer", coasts, ""),
    ] {
        let mut world = World::new(model(&text(name, driver, more), &[]));
        let load = world.model().agents[0].vehicle.mass() * 9.81;
        let mut forces = Vec::new();
        for _ in 0..300 {
            world.advance();
            forces.push(world.sample(0).unwrap().trailer.unwrap().hitch_force);
        }
        let (first, last) = (forces[0], forces[299]);
        println!("{name}, {driver}, {more}: {first:.0?} to {last:.0?}");
        // Rolling resistance of the tires is 1.5 % of their load.
        let most = forces.iter().map(|force| force.x.abs()).fold(0.0, f64::max);
        assert!(most < 0.02 * load, "{name}, {driver}, {more}: {most} N of {load} N");
        assert!((first.z / last.z - 1.0).abs() < 0.05, "{name}, {driver}: {first} {last}");
    }
    let weak = "overrides = { trailer.hitch.breaking_load = 5000 }";
    let mut world = World::new(model(&text("hmmwv+cargo_trailer", stands, weak), &[]));
    assert_eq!(world.start_conditions(), [StartCondition::Equilibrium]);
    (0..100).for_each(|_| world.advance());
    assert!(world.summary("", 0.0).warnings.is_empty());
    let weak = "overrides = { trailer.hitch.breaking_load = 1000 }";
    let mut world = World::new(model(&text("hmmwv+cargo_trailer", stands, weak), &[]));
    world.advance();
    let told = world.summary("", 0.0).warnings;
    assert_eq!(told[0].code, "trailer_torn_off");
    assert!(told[0].sentence.contains("the trailer of a was torn off"), "{told:?}");
}

/// Uncoupling by time, by a row of a table or by an external command gives the same result.
#[test]
fn a_trailer_is_uncoupled_by_time_row_and_command() {
    let after = |row: &str, sets: &[&str], command: Option<u64>| {
        let rows = r#"[{ time = 0, gear = "neutral" }]"#;
        let text = PARTED.replace(rows, &rows.replace(']', row));
        let mut world = World::new(model(&text, sets));
        let mut parted = Vec::new();
        for heartbeat in 0..60 {
            if command == Some(heartbeat) {
                let told =
                    Command { uncouple: true, gear: Selector::Neutral, ..Command::default() };
                world.command(2, Some(told)).unwrap();
            }
            world.advance();
            if world.events(2).contains(&Event::Uncoupled { broken: false }) {
                parted.push(heartbeat);
            }
        }
        let trailer = world.messages().remove(2).trailer.unwrap();
        (parted, trailer.place, trailer.motion)
    };
    let by_time = after("]", &["vehicle.2.uncouple_time=0.3"], None);
    assert_eq!(by_time.0, [30]);
    let row = r#", { time = 0.3, gear = "neutral", uncouple = true }]"#;
    assert_eq!(after(row, &[], None), by_time);
    assert_eq!(after("]", &[], Some(30)), by_time);
    // A trailer uncoupled by a command stays so under a command without that field.
    let row =
        r#", { time = 0.3, uncouple = true, gear = "neutral" }, { time = 0.4, gear = "neutral" }]"#;
    assert_eq!(after(row, &[], None), by_time);

    let mut world = World::new(model(PARTED, &[]));
    let told = world.command(1, Some(Command { uncouple: true, ..Command::default() }));
    assert_eq!(told, Err(CommandError::NoTrailer { vehicle: "HMMWV".into() }));
}

#[test]
fn a_vehicle_without_a_trailer_uncouples_none() {
    let sets = ["vehicle.1.uncouple_time=3".to_owned()];
    let file = ScenarioFile::parse("trailers", PARTED, Path::new(""), &sets).unwrap();
    let Err(faults) = build::world(&file) else { panic!("it is built") };
    let text = faults.to_string();
    assert!(text.contains("uncouple_time") && text.contains("draws no trailer"), "{text}");
    let row = r#"driver={ kind = "table", rows = [{ time = 0, uncouple = true }] }"#;
    let sets = [format!("vehicle.1.{row}")];
    let file = ScenarioFile::parse("trailers", PARTED, Path::new(""), &sets).unwrap();
    let Err(faults) = build::world(&file) else { panic!("it is built") };
    assert!(faults.to_string().contains("driver.rows"), "{faults}");
}

/// A run's folder records trailer events, the same after a checkpoint as without one.
#[test]
fn a_run_records_trailer_events() {
    let place = tempfile::tempdir().unwrap();
    let text = SCENARIO
        .replace("duration = 20", "duration = 0.6")
        .replace("name = \"light\"", "name = \"light\"\nuncouple_time = 0.2");
    std::fs::write(place.path().join("parted.toml"), text).unwrap();
    let run = |arguments: &str| {
        let mut command = assert_cmd::Command::cargo_bin("bekker").unwrap();
        command.current_dir(place.path()).args(arguments.split_whitespace()).assert().success();
    };
    run("run parted.toml --out whole");
    run("run parted.toml --processes 2 --out ranks");
    let read = |folder: &str| {
        let file = place.path().join(folder).join("trailers.csv");
        std::fs::read_to_string(file).unwrap()
    };
    // Reported at the end of the heartbeat in which it is uncoupled.
    assert_eq!(read("whole"), "time_s,vehicle,event\n0.21,light,uncoupled\n");
    assert_eq!(read("ranks"), read("whole"));
    let manifest = std::fs::read_to_string(place.path().join("whole/manifest.json")).unwrap();
    assert!(manifest.contains("trailers.csv"));
}

/// Returns one hull per box, about the origin of a pose.
fn boxes(hulls: &[HullBox], origin: Vec3) -> Vec<Hull> {
    let own = |own: &HullBox| Hull::new(Vec3::from(own.center) - origin, own.size, own.rounding);
    hulls.iter().map(own).collect()
}

/// Returns the maximum contact depth of two bodies, m, and the energy k x²/2 of all contacts as
/// springs, J.
fn overlap([a, b]: [(&[Hull], Pose); 2]) -> [f64; 2] {
    let body = |(hulls, pose)| FreeBody {
        hulls,
        pose,
        twist: Twist::default(),
        mass: 1.0,
        com: Vec3::zeros(),
        inertia: Mat3::identity(),
        external_acceleration: Acceleration::default(),
        is_free: true,
    };
    let (a, b) = (body(a), body(b));
    let mut pair = CollisionPair::default();
    pair.approach([&a, &b], 0.0);
    pair.contacts([&a, &b]).iter().fold([0.0, 0.0], |[deepest, energy], contact| {
        let energy = energy + 0.5 * contact.stiffness * contact.depth.powi(2);
        [deepest.max(contact.depth), energy]
    })
}

/// A tractor that reverses against its uncoupled trailer is stopped by it, and both are reported.
///
/// The trailer, on one braked axle, pitches up as it is pushed: the positions approach by 0.2 m
/// more than the hulls.
#[test]
fn a_tractor_collides_with_its_own_uncoupled_trailer() {
    let text = r#"
format = 1
name = "own"
[time]
duration = 12
[soil]
default = "rigid"
[[vehicle]]
name = "light"
model = "hmmwv+cargo_trailer"
position = [0, 0]
uncouple_time = 0.2
driver = { kind = "table", rows = [{ time = 0, throttle = 0.3 }, { time = 2, throttle = 0.3 }, { time = 2.1, throttle = 0, brake = 1 }, { time = 4, throttle = 0, brake = 1 }, { time = 4.2, throttle = 0.25, brake = 0, gear = "reverse" }] }
"#;
    let spec = find_wheeled("hmmwv+cargo_trailer").unwrap();
    let trailer = &spec.trailer.as_ref().unwrap().chassis;
    let [mass, trailed] = [spec.total_mass() - spec.trailer_mass(), spec.trailer_mass()];
    let reduced = mass * trailed / (mass + trailed);
    // A trailer's position is the middle of its only hull.
    let own = boxes(&spec.chassis.hulls, Vec3::zeros());
    let towed = boxes(&trailer.hulls, Vec3::from(trailer.hulls[0].center));
    let mut world = World::new(model(text, &[]));
    let place = |world: &World| {
        let sample = world.sample(0).unwrap();
        let told = world.messages().remove(0).trailer.unwrap();
        let trailer = Pose { position: told.place, orientation: told.motion.orientation };
        (sample.pose, trailer, sample.speed)
    };
    let apart = |world: &World| {
        let (tractor, trailer, _) = place(world);
        tractor.position.x - trailer.position.x
    };
    let coupled = apart(&world);
    let (mut widest, mut deepest, mut energy, mut closing) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    let (mut hit, mut from) = (false, f64::NAN);
    while world.time() < 12.0 - 1e-9 {
        world.advance();
        widest = widest.max(apart(&world) - coupled);
        if world.time() > 4.0 {
            let (tractor, trailer, speed) = place(&world);
            from = if from.is_nan() { trailer.position.x } else { from };
            let [depth, pressed] = overlap([(&own, tractor), (&towed, trailer)]);
            if deepest == 0.0 {
                closing = speed.abs();
            }
            (deepest, energy) = (deepest.max(depth), energy.max(pressed));
        }
        let own_trailer = |event: &Event| matches!(event, Event::Collided(own) if own.with == CollisionTarget::Vehicle(0));
        hit |= world.events(0).iter().any(own_trailer);
    }
    let pushed = from - place(&world).1.position.x;
    let brought = 0.5 * reduced * closing * closing;
    println!(
        "apart by {widest:.2} m; met at {closing:.2} m/s, {deepest:.3} m deep, {energy:.0} of {brought:.0} J; \
         pushed by {pushed:.2} m, told {hit}"
    );
    assert!(widest > 1.0, "it has not driven off: {widest} m");
    assert!(pushed > 0.05 || hit, "it never met it: {pushed} m");
    // The springs of an impact store at most the kinetic energy of the closing speed. This limits
    // the depth of half of the box's top edge, 1 m at 0.5 MN/m², for one edge alone and without
    // damping.
    assert!(energy < brought, "{energy} J of {brought} J");
    let most = closing * (reduced / 0.5e6).sqrt();
    assert!(deepest > 0.02 && deepest < most, "{deepest} m, {most} m at most");
}
