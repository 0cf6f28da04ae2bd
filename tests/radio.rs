//! Radios and platoons: the same bits on any ranks and route and after a checkpoint.

use crate::runs::{Runs, bekker, read, stderr_text};
use crate::scene::{drive, same_bits_on_threads_and_resumed};

use bekker::random::RandomStream;
use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{
    Bursts, CommandError, Radio, RadioMessage, RunSummary, World, WorldModel,
};
use bekker::vehicle::driver::{Cooperative, LeaderView};
use std::path::Path;
use std::process::Command;

/// Four vehicles in a column and one without followers, with a lossy radio.
const PLATOON: &str = r#"
format = 1
name = "platoon"
seed = 5
time = { duration = 2 }
soil = { default = "chrono_hard" }
output = { interval = 0.1, ruts = false }

[[radio]]
name = "convoy"
vehicles = ["lead", "second", "third", "fourth"]

[radio.channel]
range = 15
horizon = 60
near = 0.9
far = 0
hops = 3
latency = 0.02
jitter = 0.15
loss = 0.1
bursts = { begin = 0.05, end = 0.3 }

[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
speed = 5
driver = { kind = "path", speed = 8, waypoints = [[0, 0], [200, 0]] }

[[vehicle]]
name = "second"
model = "hmmwv"
position = [-14, 0]
speed = 5
driver = { kind = "follow", leader = "lead", policy = "cacc", lost_beacons = 1 }

[[vehicle]]
name = "third"
model = "hmmwv"
position = [-28, 0]
speed = 5
driver = { kind = "follow", leader = "second", policy = "cacc" }

[[vehicle]]
name = "fourth"
model = "mrzr4"
position = [-42, 0]
speed = 5
driver = { kind = "follow", leader = "third" }

[[vehicle]]
name = "deaf"
model = "mrzr4"
position = [0, 3000]
driver = { kind = "hold" }
"#;

/// A traffic light on the route of all vehicles.
const LIGHT: &str = r#"
[[traffic_light]]
name = "light"
position = [25, 6]
radio = "convoy"
offset = 0.3
approach = [{ stop = [25, 0], heading_deg = 0 }]
phase = [{ duration = 1, lights = ["red"] }, { duration = 5, lights = ["green"] }]
"#;

fn model(sets: &[&str]) -> WorldModel {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let file = ScenarioFile::parse("platoon", PLATOON, Path::new(""), &sets).unwrap();
    build::world(&file).unwrap().world
}

#[test]
fn any_ranks_any_route_and_a_resume_give_the_same_bits() {
    let runs = Runs::new(&[PLATOON, LIGHT].concat());
    let single = runs.out("single");
    runs.single(&single, &[]);
    let summary = |out: &Path| -> RunSummary {
        let summary: RunSummary = serde_json::from_str(&read(out, "summary.json")).unwrap();
        RunSummary { wall: 0.0, ..summary }
    };
    for (name, more) in [
        ("two", &["--ranks", "2", "--partition", "round-robin"][..]),
        ("star", &["--ranks", "3", "--route", "star"]),
        ("near", &["--ranks", "5", "--route", "neighbor"]),
        ("processes", &["--processes", "2", "--route", "neighbor"]),
    ] {
        let out = runs.out(name);
        let output = Command::new(bekker()).args(runs.arguments(&out, more)).output().unwrap();
        assert!(output.status.success(), "{}", stderr_text(&output));
        assert_eq!(read(&single, "hashes.csv"), read(&out, "hashes.csv"), "{name}");
        assert_eq!(summary(&single), summary(&out), "{name}");
    }
    let found = summary(&single).radio;
    let names: Vec<&str> = found.iter().map(|own| own.vehicle.as_str()).collect();
    assert_eq!(names, ["lead", "second", "third", "fourth"]);
    for own in &found {
        // 20 exchanges in 2 s, the first at 0.1 s.
        assert_eq!(own.sent, 20);
        let ratio = own.delivery_ratio.unwrap();
        assert!(ratio > 0.2 && ratio < 0.95, "{own:?}");
        assert!(own.age_p50 <= own.age_p95 && own.age_p95.unwrap() >= 0.1, "{own:?}");
    }
    let second = found[1].platoon.as_ref().unwrap();
    assert!(second.cooperative_share.unwrap() > 0.2, "{second:?}");
    assert_eq!(found[3].platoon.as_ref().unwrap().cooperative_share, None);
    same_bits_on_threads_and_resumed(|| World::new(model(&[])), 0.73, 1.4);
}

#[test]
fn radio_messages_carry_the_senders_motion_and_arrive_on_time() {
    let clear = "radio[0].channel={ near = 1, far = 1, latency = 0.03 }";
    let mut world = World::new(model(&[clear]));
    drive(&mut world, 1.0);
    let heard = |world: &World, agent: usize| world.perception(agent).radio_messages().to_vec();
    // Sent at 1.0 s, due at 1.03 s.
    assert!(heard(&world, 1).is_empty());
    let sender = world.sample(0).unwrap();
    world.queue_radio_message(0, b"mud ahead").unwrap();
    drive(&mut world, 1.03);
    let messages = heard(&world, 1);
    assert_eq!(messages.iter().map(|own| own.from).collect::<Vec<_>>(), [0, 2, 3]);
    let RadioMessage::Beacon(beacon) = &messages[0].message else { panic!("{messages:?}") };
    assert_eq!((messages[0].sent_us, messages[0].due_us), (1_000_000, 1_030_000));
    assert!((beacon.pose.position - sender.pose.position).norm() < 1e-3);
    assert!((beacon.speed - sender.speed).abs() < 1e-3);
    assert!(beacon.sinkage > 0.0 && beacon.acceleration.abs() < 6.0, "{beacon:?}");
    assert!(heard(&world, 4).is_empty(), "the deaf one hears");
    drive(&mut world, 1.13);
    let users: Vec<_> = heard(&world, 3)
        .into_iter()
        .filter_map(|own| match own.message {
            RadioMessage::User(bytes) => Some((own.from, bytes)),
            _ => None,
        })
        .collect();
    assert_eq!(users, [(0, b"mud ahead".to_vec())]);
    assert_eq!(world.queue_radio_message(4, b"hello"), Err(CommandError::NoRadio { agent: 4 }));
}

#[test]
fn impossible_scenarios_are_refused() {
    let refused = |set: &str| {
        let sets = [set.to_owned()];
        match ScenarioFile::parse("platoon", PLATOON, Path::new(""), &sets) {
            Err(faults) => faults.to_string(),
            Ok(_) => panic!("{set}: taken"),
        }
    };
    for (set, said) in [
        ("radio[0].vehicles=[\"lead\", \"secnd\"]", "second"),
        (
            "radio[0].vehicles=[\"lead\", \"third\"]",
            "requires a [[radio]] shared by second and lead",
        ),
        ("radio[0].rate=200", "one per heartbeat"),
        ("radio[0].channel.horizon=10", "must be at least radio[0].channel.range"),
        ("radio[0].channel.far=0.999", "must be at most radio[0].channel.near"),
        ("radio[0].channel.bursts={ begin = 0.6, end = 0.5 }", "must be at most 1"),
        ("vehicle[3].driver.lost_beacons=2", "a policy other than cacc"),
        (
            "traffic_light=[{ name = \"l\", position = [0, 0], radio = \"convoi\", \
          approach = [{ stop = [9, 0], heading_deg = 0 }], \
          phase = [{ duration = 5, lights = [\"red\", \"red\"] }] }]",
            "must have 1 lights, one per approach",
        ),
    ] {
        let found = refused(set);
        assert!(found.contains(said), "{set}: {found}");
    }
}

/// A platoon pulls away uphill.
///
/// Formerly the force of the brake that held a follower on a grade counted as drive.
#[test]
fn a_platoon_pulls_away_uphill() {
    let mut sets = vec![
        "terrain.surface={ kind = \"slope\", grade = 0.06 }".to_owned(),
        "vehicle[0].driver.acceleration=1".to_owned(),
    ];
    sets.extend((0..4).map(|vehicle| format!("vehicle[{vehicle}].speed=0")));
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let mut world = World::new(model(&sets));
    drive(&mut world, 12.0);
    for agent in 0..3 {
        let state = &world.state().agents[agent];
        assert_eq!(state.outcome, None, "{agent}");
        let speed = world.sample(agent).unwrap().speed;
        assert!(speed > 3.0, "{agent} drives at {speed} m/s");
    }
}

/// A vehicle with a radio stops before the line of a red light and passes on green.
///
/// The light is red until 12 s and then green. A vehicle in the opposite direction, to which the
/// light does not apply, and a vehicle without a radio drive on.
#[test]
fn a_vehicle_stops_at_a_red_light_and_drives_on_at_green() {
    let text = r#"
format = 1
name = "light"
time = { duration = 30 }
soil = { default = "firm" }

[[radio]]
name = "roadside"
vehicles = ["meant", "other way"]
channel = { near = 0.8, loss = 0.2, hops = 1, latency = 0.05 }

[[traffic_light]]
name = "light"
position = [60, 12]
radio = "roadside"
approach = [{ stop = [60, 0], heading_deg = 0, width = 20 }]
phase = [{ duration = 12, lights = ["red"] }, { duration = 40, lights = ["green"] }]

[[vehicle]]
name = "meant"
model = "hmmwv"
position = [0, 0]
speed = 8
driver = { kind = "path", speed = 8, at_end = "continue", waypoints = [[0, 0], [400, 0]] }

[[vehicle]]
name = "other way"
model = "hmmwv"
position = [120, 5]
heading_deg = 180
speed = 8
driver = { kind = "path", speed = 8, at_end = "continue", waypoints = [[120, 5], [-400, 5]] }

[[vehicle]]
name = "deaf"
model = "hmmwv"
position = [0, -5]
speed = 8
driver = { kind = "path", speed = 8, at_end = "continue", waypoints = [[0, -5], [400, -5]] }
"#;
    let file = ScenarioFile::parse("light", text, Path::new(""), &[]).unwrap();
    let mut world = World::new(build::world(&file).unwrap().world);
    let at = |world: &World, agent: usize| {
        let sample = world.sample(agent).unwrap();
        (sample.pose.position.x, sample.speed)
    };
    drive(&mut world, 11.9);
    let (x, speed) = at(&world, 0);
    // Its front is at most 2.4 m ahead of its chassis origin, and stops a meter before the line.
    assert!((54.0..59.0).contains(&x) && speed.abs() < 0.2, "{x} m, {speed} m/s");
    assert!(at(&world, 1).0 < 50.0 && at(&world, 2).0 > 70.0);
    drive(&mut world, 20.0);
    let (x, speed) = at(&world, 0);
    assert!(x > 70.0 && speed > 4.0, "{x} m, {speed} m/s");
}

/// Simulates ten cars of C. Lei et al. and returns the lowest speed of each and the smallest gap.
///
/// The sources are "Impact of packet loss on CACC string stability performance" and "Performance
/// evaluation ... in vehicular platoons", EURASIP JWCN 2012:116. Their parameters are headway 0.7
/// s, 7.7 m at standstill, cars of 4.46 m, -9 to 2 m/s². The cars are point masses with ideal
/// acceleration. The leader brakes from 25 m/s to 15 m/s at 3 m/s² and accelerates again.
fn braked(radio: &Radio, lost_beacons: u32) -> (Vec<f64>, f64) {
    const CARS: usize = 10;
    let (length, step, cruise) = (4.46, 0.01, 25.0);
    let rule = Cooperative {
        time_gap: 0.7,
        min_gap: 7.7,
        acceleration: 2.0,
        deceleration: 9.0,
        lost_beacons,
        ..Cooperative::default()
    };
    let spacing = rule.min_gap + rule.time_gap * cruise + length;
    let mut place: Vec<f64> = (0..CARS).map(|car| -spacing * car as f64).collect();
    let (mut speed, mut demand) = ([cruise; CARS], [0.0_f64; CARS]);
    let mut told: Vec<Option<(usize, f64)>> = vec![None; CARS];
    let (mut lowest, mut least) = (vec![cruise; CARS], f64::INFINITY);
    for tick in 0..6000_usize {
        let time = step * tick as f64;
        if tick % 10 == 0 {
            for car in 1..CARS {
                let exchange = tick as u64 / 10;
                if !radio.loses(exchange, [car - 1, car], 0) {
                    told[car] = Some((tick, demand[car - 1]));
                }
            }
        }
        let before = (place.clone(), speed, demand);
        for car in 0..CARS {
            demand[car] = match car {
                0 if (10.0..10.0 + 10.0 / 3.0).contains(&time) => -3.0,
                0 if time > 20.0 && speed[0] < cruise => 2.0,
                0 => 0.0,
                _ => {
                    let gap = before.0[car - 1] - before.0[car] - length;
                    least = least.min(gap);
                    let leader = LeaderView { gap, speed: before.1[car - 1], demand: None };
                    let oldest = 10 * (lost_beacons as usize + 1);
                    let heard = told[car].filter(|(sent, _)| tick - sent <= oldest);
                    let heard = heard.map(|(_, told)| told);
                    rule.demand(before.2[car], before.1[car], &leader, heard, step)
                }
            };
            speed[car] = (speed[car] + step * demand[car]).max(0.0);
            place[car] += step * speed[car];
            lowest[car] = lowest[car].min(speed[car]);
        }
    }
    (lowest, least)
}

#[test]
fn losses_make_a_platoon_undershoot_and_none_collides() {
    let radio = |seed: u64, loss: f64, bursts: Option<Bursts>| Radio {
        range: 1000.0,
        horizon: 1000.0,
        near: 1.0,
        far: 1.0,
        hops: 1,
        latency_us: 0,
        jitter_us: 0,
        loss,
        bursts,
        stream: RandomStream::new(seed, "lei"),
    };
    // Undershoot of any car below the leader's minimum speed; no gap is smaller than at
    // standstill.
    let undershoot = |radio: &Radio| {
        let (lowest, least) = braked(radio, 3);
        assert!(least > 7.7, "{least} m");
        lowest[1..].iter().map(|speed| lowest[0] - speed).fold(0.0, f64::max)
    };
    let mean = |loss: f64, bursts: Option<Bursts>| {
        (0..12).map(|seed| undershoot(&radio(seed, loss, bursts))).sum::<f64>() / 12.0
    };
    let clear = undershoot(&radio(0, 0.0, None));
    // The end of braking at 3 m/s² is received up to 0.1 s late.
    assert!(clear < 0.3, "{clear} m/s");
    let lossy = mean(0.3, None);
    let bursty = mean(0.0, Some(Bursts { begin: 0.06, end: 0.14, loss: 1.0 }));
    // The same loss ratio, as single losses and in bursts of 0.7 s, longer than the timeout.
    assert!(clear < lossy && lossy < bursty, "{clear}, {lossy}, {bursty} m/s");
}
