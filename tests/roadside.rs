//! Barriers and pedestrians: vehicles with a radio respect them, cameras see them, and collisions
//! are reported.
//!
//! Results are the same on any ranks and after a checkpoint.

use crate::runs::{Runs, bekker, read, stderr_text};
use crate::scene::same_bits_on_threads_and_resumed;

use bekker::scenario::{ScenarioFile, build};
use bekker::sensor::Reading;
use bekker::sensor::class::SurfaceClass;
use bekker::simulation::{CollisionTarget, Event, World, WorldModel};
use std::path::Path;
use std::process::Command;

/// Two roads, each with a barrier, a pedestrian on the road behind it, and a vehicle.
///
/// The first vehicle receives messages of its barrier, closed until 9 s, and of its pedestrian. The
/// second vehicle receives no messages.
const ROADS: &str = r#"
format = 1
name = "roads"
time = { duration = 30 }
soil = { default = "firm" }
output = { interval = 0.5, ruts = false }

[[radio]]
name = "roadside"
vehicles = ["hears"]
channel = { near = 1, far = 1, latency = 0.02 }

[[barrier]]
name = "gate"
position = [40, -3]
heading_deg = 90
length = 6
radio = "roadside"
closed = 9
open = 60
swing = 2

[[barrier]]
name = "other gate"
position = [40, 47]
heading_deg = 90
length = 6
closed = 60
open = 60

[[pedestrian]]
name = "walker"
way = [[70, -6], [70, 6]]
start = 12
speed = 1
radio = "roadside"

[[pedestrian]]
name = "other walker"
way = [[70, 50], [70, 51]]

[[vehicle]]
name = "hears"
model = "hmmwv"
position = [0, 0]
speed = 8
driver = { kind = "path", speed = 8, at_end = "continue", waypoints = [[0, 0], [400, 0]] }

[[vehicle]]
name = "deaf"
model = "hmmwv"
position = [0, 50]
speed = 8
driver = { kind = "path", speed = 8, at_end = "continue", waypoints = [[0, 50], [400, 50]] }
"#;

fn model(text: &str, sets: &[&str]) -> WorldModel {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let file = ScenarioFile::parse("roads", text, Path::new(""), &sets).unwrap();
    build::world(&file).unwrap().world
}

#[test]
fn only_informed_vehicles_stop_for_barrier_and_pedestrian() {
    let mut world = World::new(model(ROADS, &[]));
    let mut hits = Vec::new();
    let mut at = |world: &mut World, time: f64| {
        while world.time() < time - 1e-9 {
            world.advance();
            for agent in 0..2 {
                hits.extend(world.events(agent).iter().filter_map(|event| match event {
                    Event::Collided(hit) => Some((agent, hit.with, hit.peak)),
                    _ => None,
                }));
            }
        }
        let sample = world.sample(0).unwrap();
        (sample.pose.position.x, sample.speed)
    };
    // Its front is at most 2.4 m ahead, the stop line a meter before the arm, and it stops another
    // meter before that.
    let (x, speed) = at(&mut world, 8.9);
    assert!((33.0..38.0).contains(&x) && speed.abs() < 0.2, "{x} m, {speed} m/s");
    // Up at 11 s.
    let (x, _) = at(&mut world, 10.9);
    assert!(x < 38.0, "{x} m");
    // The pedestrian is on the road from 16 s to 20 s.
    let (x, speed) = at(&mut world, 19.5);
    assert!((55.0..67.0).contains(&x) && speed.abs() < 0.3, "{x} m, {speed} m/s");
    let (x, _) = at(&mut world, 30.0);
    assert!(x > 70.0, "{x} m");
    // The vehicle without messages has hit both, without a force.
    hits.sort_by_key(|own| (own.0, own.1));
    let met = [(1, CollisionTarget::Barrier(1), 0.0), (1, CollisionTarget::Pedestrian(1), 0.0)];
    assert_eq!(hits, met);
    assert_eq!(world.model().target_name(CollisionTarget::Pedestrian(1)), "other walker");
}

#[test]
fn any_ranks_and_a_resume_give_the_same_bits() {
    let text = ROADS.replace("duration = 30", "duration = 6");
    let runs = Runs::new(&text);
    let single = runs.out("single");
    runs.single(&single, &[]);
    let out = runs.out("two");
    let more = ["--ranks", "2", "--partition", "round-robin"];
    let output = Command::new(bekker()).args(runs.arguments(&out, &more)).output().unwrap();
    assert!(output.status.success(), "{}", stderr_text(&output));
    assert_eq!(read(&single, "hashes.csv"), read(&out, "hashes.csv"));
    let hits = read(&single, "hits.csv");
    assert!(hits.contains("other gate"), "{hits}");
    same_bits_on_threads_and_resumed(|| World::new(model(ROADS, &[])), 1.0, 2.0);
}

/// A camera that looks along x from eye height, 12 m before a light and a pedestrian.
const SEEN: &str = r#"
format = 1
name = "seen"
time = { duration = 4 }
soil = { default = "firm" }

[[radio]]
name = "roadside"

[[traffic_light]]
name = "light"
position = [40, 20]
radio = "roadside"
approach = [{ stop = [12, 4], heading_deg = 0, width = 6 }]
phase = [{ duration = 1.5, lights = ["red"] }, { duration = 5, lights = ["green"] }]

[[pedestrian]]
name = "walker"
way = [[12, -4], [12, 3]]
speed = 1

[[vehicle]]
name = "eye"
model = "hmmwv"
position = [0, 0]
driver = { kind = "hold" }
sensor = [{ name = "camera", rate = 1, position = [2.7, 0, 1], model = { kind = "camera", width = 240, height = 120, fov_deg = 50, channels = ["color", "class"] } }]
"#;

#[test]
fn a_camera_sees_lamps_change_and_people_walk() {
    let mut world = World::new(model(SEEN, &[]));
    let mut pictures = Vec::new();
    while world.time() < 3.05 {
        world.advance();
        for delivery in world.delivered(0) {
            if let Reading::Image(image) = &delivery.reading {
                pictures.push(image.clone());
            }
        }
    }
    let counts = |index: usize| {
        let image = &pictures[index];
        let lit = |one: usize, other: usize| {
            let shines = |c: &&[f32; 3]| c[one] > 3.0 * c[other] && c[one] > 0.05;
            let posts = image.color.iter().zip(&image.class);
            let posts =
                posts.filter(|(_, class)| **class == SurfaceClass::Post as u8).map(|own| own.0);
            posts.filter(shines).count()
        };
        [lit(0, 1), lit(1, 0)]
    };
    let middle = |index: usize| {
        let image = &pictures[index];
        let walker = SurfaceClass::Pedestrian as u8;
        let columns: Vec<usize> = (0..image.class.len())
            .filter(|&pixel| image.class[pixel] == walker)
            .map(|pixel| pixel % image.width as usize)
            .collect();
        assert!(columns.len() > 20, "{} pixels of the walker", columns.len());
        columns.iter().sum::<usize>() / columns.len()
    };
    let [red, green] = counts(0);
    assert!(red > 0 && green == 0, "{red} red, {green} green");
    let last = pictures.len() - 1;
    let [red, green] = counts(last);
    // The post's own band is red, lower down.
    assert!(green > 0, "{red} red, {green} green");
    // The pedestrian walks to the left.
    assert!(middle(last) + 15 < middle(0), "{} {}", middle(0), middle(last));
}

#[test]
fn impossible_barriers_and_pedestrians_are_refused() {
    let refused = |set: &str| {
        let sets = [set.to_owned()];
        match ScenarioFile::parse("roads", ROADS, Path::new(""), &sets) {
            Err(faults) => faults.to_string(),
            Ok(_) => panic!("{set}: taken"),
        }
    };
    for (set, said) in [
        ("barrier[0].closed=1", "must be at least barrier[0].swing = 2 s"),
        ("barrier[0].open=4", "must be at least the sum of barrier[0].swing and warning, 5 s"),
        ("barrier[0].radio=\"roadsid\"", "roadside"),
        ("pedestrian[0].radio=\"none\"", "roadside"),
        ("pedestrian[0].way=[[0, 0], [0, 0]]", "repeats the previous point"),
        ("pedestrian[0].name=\"gate\"", "barrier[0]"),
    ] {
        let found = refused(set);
        assert!(found.contains(said), "{set}: {found}");
    }
}
