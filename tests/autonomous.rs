//! Autonomous vehicles: arrival, obstacle avoidance, team map sharing, and determinism.
//!
//! Bits are the same for any number of threads and ranks and across a checkpoint.

use crate::scene;

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{
    Event, MapSharing, MessageRoute, OutcomeCode, Ranks, Sharing, VehiclePlacement, World,
    WorldModel, checkpoint,
};
use bekker::sync::Partition;
use scene::on_ranks;
use std::path::Path;
use std::time::Duration;

/// Scenario of three MRZR-4s in a row before two holes and a tree, on a firm field.
const FIELD: &str = r#"
format = 1
name = "field"
seed = 5
time = { duration = 30, step = 0.002, heartbeat = 0.01 }
soil = { default = "track", custom = [{ name = "track", friction = 0.8 }] }
site = { latitude_deg = 33.45, longitude_deg = -88.8 }
scenery = [{ kind = "oak", places = [[24, 9]] }]

[terrain]
surface = { kind = "procedural", amplitude = 0.2, wavelength = 40 }
stamp = [
    { kind = "hole", at = [22, 0], radius = 2.5, depth = 1.5 },
    { kind = "hole", at = [26, -11], radius = 2.5, depth = 1.5 },
]

[[vehicle]]
name = "robot"
model = "mrzr4"
tire = "rigid"
position = [0, -15]
row = { count = 3, to = [0, 15], goal_to = [45, 15] }
driver = { kind = "autonomous", goal = [45, -15] }
sensor = [
    { name = "lidar", model = { kind = "lidar", preset = "os2_64", columns = 256, rays = "one" }, position = [1.2, 0, 0.6], pitch_deg = 25 },
    { name = "gps", model = { kind = "gps", preset = "rtk_fixed" }, position = [0, 0, 1.2] },
    { name = "imu", model = { kind = "imu", preset = "industrial" } },
]
"#;

fn model(sets: &[&str]) -> WorldModel {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let file = ScenarioFile::parse("field.toml", FIELD, Path::new(""), &sets);
    build::world(&file.unwrap_or_else(|faults| panic!("{faults}"))).unwrap().world
}

const TEAM: &str = "team={ radio = { near = 0.8, far = 0.8, loss = 0.1, latency = 0.05 } }";

fn driven(model: WorldModel, seconds: f64) -> World {
    let mut world = World::new(model);
    while world.time() < seconds - 1e-9 && world.is_running() {
        world.advance();
    }
    world
}

#[test]
fn three_vehicles_arrive_around_holes_and_a_tree() {
    let world = driven(model(&["endings.arrived=true"]), 60.0);
    for agent in 0..3 {
        let outcome = world.outcome(agent);
        assert_eq!(outcome.code, OutcomeCode::Arrived, "{agent}: {}", outcome.sentence);
    }
    let summary = world.summary("field", 0.0);
    let found = summary.exploration.expect("they explored");
    assert_eq!((found.holes, found.holes_detected), (2, 2));
    // 45 m, less the arrival radius of 3 m, at no more than 5 m/s.
    assert!(found.time_to_complete.is_some_and(|time| (8.4..60.0).contains(&time)), "{found:?}");
}

fn hashes(model: &WorldModel, heartbeats: usize) -> Vec<[u8; 32]> {
    let mut world = World::new(model.clone());
    let each = (0..heartbeats).map(|_| {
        world.advance();
        world.hash()
    });
    each.collect()
}

#[test]
fn threads_ranks_and_a_resume_give_the_same_bits() {
    let model = model(&[TEAM]);
    let heartbeats = 260;
    let on_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| hashes(&model, heartbeats))
    };
    let expected = on_threads(1);
    assert!(expected == on_threads(3), "three threads");

    let mut world = World::new(model.clone());
    let mut cut = Vec::new();
    for heartbeat in 0..heartbeats {
        world.advance();
        cut.push(world.hash());
        if heartbeat % 83 == 41 {
            let stored = checkpoint::encode(world.model(), "x", world.state());
            let state = checkpoint::decode(world.model(), "x", &stored).unwrap();
            world = World::resume(world.model().clone(), state).unwrap();
        }
    }
    let first = expected.iter().zip(&cut).position(|(a, b)| a != b);
    assert_eq!(first, None, "cut and resumed: first heartbeat that differs");

    for size in [2, 3] {
        let all = on_ranks(size, Duration::from_secs(300), |rank| {
            let sharing = Sharing {
                partition: Partition::RoundRobin,
                route: MessageRoute::All,
                ..Sharing::default()
            };
            let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
            let mut found = Vec::new();
            for _ in 0..heartbeats {
                ranks.advance(false).unwrap();
                found.push(ranks.hash().unwrap().state);
            }
            found
        });
        for found in all.into_iter().map(Result::unwrap) {
            let first = expected.iter().zip(&found).position(|(a, b)| a != b);
            assert_eq!(first, None, "{size} ranks: first heartbeat that differs");
        }
    }
}

/// With a lossless radio, all sharing modes lead to one map: the union of all scans up to one
/// second ago.
///
/// Whole maps take more bytes than changes once part of the field is behind the vehicles.
#[test]
fn all_sharing_methods_give_one_map() {
    let mut bytes = Vec::new();
    for sharing in [MapSharing::Central, MapSharing::Whole, MapSharing::Peers] {
        let mut world = driven(model(&[&never_failing(sharing)]), 2.0);
        let before = world.merged_map().expect("they see");
        while world.time() < 3.0 - 1e-9 {
            world.advance();
        }
        for state in &world.state().agents {
            let own = state.autonomy.as_ref().expect("drives itself").member.map();
            let mut both = own.clone();
            both.merge(&before);
            assert_eq!(both.digest(), own.digest(), "{sharing:?}");
            if sharing != MapSharing::Peers {
                let merged = world.merged_map().map(|merged| merged.digest());
                assert_eq!(merged, Some(own.digest()), "{sharing:?}");
            }
        }
        let sent = world.state().agents.iter().filter_map(|own| own.autonomy.as_ref());
        bytes.push(sent.map(|own| own.member.traffic.sent_bytes).sum::<u64>());
    }
    let [changed, whole, told] = bytes[..] else { panic!("three ways") };
    assert!(whole > changed && whole > told && told > 0, "{bytes:?}");
}

/// Stationary vehicles have the same map to the bit in every sharing mode.
///
/// They see the same regardless of the messages received. Each holds all tiles, though not all
/// cells of the last scan.
#[test]
fn stationary_vehicles_have_one_map_however_it_is_shared() {
    let stand = ["vehicle[0].driver.goal=[0, -15]", "vehicle[0].row.goal_to=[0, 15]"];
    let found = [MapSharing::Central, MapSharing::Whole, MapSharing::Peers].map(|sharing| {
        let mut world = World::new(model(&[&stand[..], &[&never_failing(sharing)]].concat()));
        // The last exchange contains the scan before it.
        while world.time() < 1.0 - 1e-9 {
            world.advance();
        }
        let map = |own: usize| world.state().agents[own].autonomy.as_ref().unwrap().member.map();
        let merged = world.merged_map().expect("they see").digest();
        (merged, [0, 1, 2].map(|own| map(own).tiles().count()))
    });
    assert_eq!(found, [found[0]; 3]);
}

fn never_failing(sharing: MapSharing) -> String {
    let word = format!("{sharing:?}").to_lowercase();
    format!("team={{ sharing = {word:?}, radio = {{ near = 1, far = 1 }} }}")
}

/// Teammates that report their positions leave no obstacle cells in the map.
///
/// Three vehicles drive side by side, 10 m apart on a bare field; no cell within 3 m of their paths
/// is an obstacle.
#[test]
fn reported_vehicles_leave_no_walls_in_the_map() {
    let bare = ["scenery=[]", "terrain.stamp=[]", "terrain.surface={ kind = 'flat' }"];
    let world = driven(model(&[&bare[..], &[&never_failing(MapSharing::Central)]].concat()), 5.0);
    let at = [0, 1, 2].map(|agent| world.sample(agent).unwrap().pose.position);
    assert!(at.iter().all(|at| at.x > 5.0), "{at:?}");
    let blocked = world.blocked_cells().into_iter().filter(|cell| {
        let [x, y] = cell.corner.map(|corner| corner + 0.5 * cell.side);
        at.iter().any(|at| (y - at.y).abs() < 3.0 && (-3.0..at.x + 3.0).contains(&x))
    });
    let blocked: Vec<[f64; 2]> = blocked.map(|cell| cell.corner).collect();
    assert!(blocked.is_empty(), "{} of them: {blocked:?}", blocked.len());
}

/// A relocated member starts with an empty map and receives all tiles of the others again.
#[test]
fn a_restarted_member_receives_the_whole_map_again() {
    for sharing in ["central", "peers"] {
        let team = format!("team={{ sharing = {sharing:?}, radio = {{ near = 1, far = 1 }} }}");
        let mut world = driven(model(&[&team]), 2.0);
        let known = world.merged_map().expect("they see");
        world
            .respawn(1, &VehiclePlacement { position: [0.0, 1.0], ..VehiclePlacement::default() })
            .unwrap();
        while world.time() < 3.0 - 1e-9 {
            world.advance();
        }
        let own = world.state().agents[1].autonomy.as_ref().unwrap().member.map();
        let mut both = own.clone();
        both.merge(&known);
        assert_eq!(both.digest(), own.digest(), "{sharing}");
    }
}

/// All goals assigned by the authority are reached by vehicles without individual goals.
///
/// Each vehicle gets a first goal, one gets a second, and all are notified when none is left.
/// Results on ranks are the same.
#[test]
fn goals_are_assigned_and_reached_the_same_on_ranks() {
    let free = FIELD.replace(", goal_to = [45, 15]", "").replace(", goal = [45, -15]", "");
    let team = r#"team={ goals = [[10, -14], [10, 15], [16, 16], [10, 0]], assignment = "auction", radio = { near = 0.9, far = 0.9, loss = 0.2 } }"#;
    let sets = [team.to_string(), "endings.arrived=true".to_string()];
    let file = ScenarioFile::parse("field.toml", &free, Path::new(""), &sets);
    let built = build::world(&file.unwrap_or_else(|faults| panic!("{faults}")));
    let model = built.unwrap().world;
    let mut world = World::new(model.clone());
    let mut nearest = [f64::INFINITY; 4];
    let mut hashes = Vec::new();
    while world.time() < 25.0 && world.is_running() {
        world.advance();
        hashes.push(world.hash());
        for (goal, nearest) in
            [[10.0, -14.0], [10.0, 15.0], [16.0, 16.0], [10.0, 0.0]].iter().zip(&mut nearest)
        {
            for agent in 0..3 {
                let at = world.sample(agent).unwrap().pose.position;
                *nearest = nearest.min((at.x - goal[0]).hypot(at.y - goal[1]));
            }
        }
    }
    assert!(!world.is_running(), "after {} s, {nearest:?}", world.time());
    // The arrival radius of 3 m plus the distance driven in a heartbeat.
    assert!(nearest.iter().all(|nearest| *nearest < 3.1), "{nearest:?}");
    for agent in 0..3 {
        assert_eq!(world.outcome(agent).code, OutcomeCode::Arrived);
    }
    let heartbeats = hashes.len().min(300);
    let all = on_ranks(2, Duration::from_secs(300), |rank| {
        let mut ranks = Ranks::new(rank, model.clone(), None, &Sharing::default(), &[]).unwrap();
        let mut found = Vec::new();
        for _ in 0..heartbeats {
            ranks.advance(false).unwrap();
            found.push(ranks.hash().unwrap().state);
        }
        found
    });
    for found in all.into_iter().map(Result::unwrap) {
        let first = hashes.iter().zip(&found).position(|(a, b)| a != b);
        assert_eq!(first, None, "first heartbeat that differs");
    }
}

/// A search ends when the requested share of the area is explored, and reports the share over time.
#[test]
fn a_search_ends_with_its_share_explored() {
    let free = FIELD.replace(", goal_to = [45, 15]", "").replace(", goal = [45, -15]", "");
    let team = "team={ search = { area = [0, -24, 32, 24], share = 0.8 } }";
    let sets = [team.to_string(), "endings.arrived=true".to_string()];
    let file = ScenarioFile::parse("field.toml", &free, Path::new(""), &sets);
    let built = build::world(&file.unwrap_or_else(|faults| panic!("{faults}")));
    let world = driven(built.unwrap().world, 60.0);
    let found = world.summary("field", 0.0).exploration.expect("they explored");
    let [first, .., last] = found.searched[..] else { panic!("{found:?}") };
    assert!(first[0] < 1.0 && first[1] < 0.2, "{first:?}");
    assert!(last[1] >= 0.8 && last[0] < 60.0, "{last:?}");
    assert!(found.searched.windows(2).all(|two| two[0][0] < two[1][0] && two[0][1] <= two[1][1]));
    for agent in 0..3 {
        assert_eq!(world.outcome(agent).code, OutcomeCode::Arrived);
    }
    assert!(world.summary("field", 0.0).warnings.is_empty());
}

/// A search for an unreachable share ends when nothing more can be explored, and the summary
/// reports it.
///
/// No beam sees the ground under a tree.
#[test]
fn an_incomplete_search_is_reported() {
    let free = FIELD.replace(", goal_to = [45, 15]", "").replace(", goal = [45, -15]", "");
    let team = "team={ search = { area = [18, 3, 30, 15], share = 1.0 } }";
    let file = ScenarioFile::parse("field.toml", &free, Path::new(""), &[team.to_string()]);
    let built = build::world(&file.unwrap_or_else(|faults| panic!("{faults}"))).unwrap();
    let summary = driven(built.world, 30.0).summary("field", 0.0);
    let [.., [_, found]] = summary.exploration.expect("they explored").searched[..] else {
        panic!()
    };
    let codes: Vec<&str> = summary.warnings.iter().map(|own| own.code.as_str()).collect();
    assert!(found < 1.0, "{found}");
    assert_eq!(codes, ["search_fell_short"], "{found}");
}

/// At the end of a run, a vehicle with an unreached goal is still driving, even if it is stationary
/// while it plans.
///
/// A vehicle that waits for orders of its team is holding.
#[test]
fn a_vehicle_that_finds_a_path_late_is_still_driving() {
    let begun = driven(model(&[]), 0.05);
    assert_eq!(begun.outcome(0).code, OutcomeCode::UnderWay, "{}", begun.outcome(0).sentence);
    let free = FIELD.replace(", goal_to = [45, 15]", "").replace(", goal = [45, -15]", "");
    let team = "team={ goals = [[45, 0]], radio = { near = 0, far = 0 } }";
    let file = ScenarioFile::parse("field.toml", &free, Path::new(""), &[team.to_string()]);
    let built = build::world(&file.unwrap_or_else(|faults| panic!("{faults}"))).unwrap();
    let alone = driven(built.world, 0.5);
    let codes = [0, 1, 2].map(|agent| alone.outcome(agent).code);
    assert_eq!(codes, [OutcomeCode::UnderWay, OutcomeCode::Holding, OutcomeCode::Holding]);
}

/// A vehicle with a very low speed limit still advances and never reverses; a limit of practically
/// zero is refused.
#[test]
fn a_slow_driver_makes_progress() {
    let slow = model(&["vehicle[0].driver.speed=0.2", "vehicle[0].row.count=1"]);
    let mut world = World::new(slow);
    while world.time() < 10.0 - 1e-9 {
        world.advance();
        let wanted = world.state().agents[0].autonomy.as_ref().unwrap().navigator.target_speed();
        assert!(wanted >= 0.0, "{wanted} m/s at {} s", world.time());
    }
    let x = world.sample(0).unwrap().pose.position.x;
    // An idling engine creeps at a third of a meter per second.
    assert!((0.5..5.0).contains(&x), "{x}");
    let sets = ["vehicle[0].driver.speed=0.1".to_string()];
    let said =
        ScenarioFile::parse("field.toml", FIELD, Path::new(""), &sets).unwrap_err().to_string();
    assert!(said.contains("driver.speed = 0.1: must be from 0.2 to 50 m/s"), "{said}");
}

/// A lost link changes only the data received over it: the drive is the same until then.
#[test]
fn a_vehicle_without_radio_contact_uses_its_own_map() {
    let silent = "team={ radio = { near = 0, far = 0 } }";
    let alone = driven(model(&[silent]), 4.0);
    let without = driven(model(&[]), 4.0);
    for (own, other) in alone.state().agents.iter().zip(&without.state().agents) {
        assert_eq!(own.controls, other.controls);
        let [own, other] = [own, other].map(|state| state.autonomy.as_ref().unwrap());
        assert_eq!(own.member.map().digest(), other.member.map().digest());
        assert_eq!(own.plan, other.plan);
        assert_eq!(own.member.traffic.messages, 0);
    }
}

/// A vehicle without a goal needs a team with tasks and an authority.
///
/// A task specified twice or without effect is refused at its key.
#[test]
fn tasks_without_a_coordinator_are_refused() {
    let refused = |text: &str, set: &str| {
        let file = ScenarioFile::parse("field.toml", text, Path::new(""), &[set.to_string()]);
        file.map(|_| ()).expect_err(set).to_string()
    };
    let free = FIELD.replace(", goal_to = [45, 15]", "").replace(", goal = [45, -15]", "");
    let said = refused(&free, "team={}");
    assert!(said.contains("vehicle[0].driver.goal"), "{said}");
    for (team, key) in [
        (r#"{ goals = [[9, 9]], sharing = "peers" }"#, "team.sharing"),
        (r#"{ goals = [[9, 9]], search = { area = [0, 0, 9, 9] } }"#, "team.search"),
        ("{ search = { area = [9, 0, 0, 9] } }", "team.search.area"),
        ("{ search = { area = [-1e6, -1e6, 1e6, 1e6] } }", "has 1.6e10 tiles of 16 m"),
        ("{ search = { area = [0.3, 0.3, 0.7, 0.7] } }", "no cell center of the map"),
        (r#"{ assignment = "auction" }"#, "team.goals"),
    ] {
        let said = refused(&free, &format!("team={team}"));
        assert!(said.contains(key), "{team}: {said}");
    }
    for (task, key) in
        [("search = { area = [0, 0, 9, 9] }", "search"), ("goals = [[9, 9]]", "goals")]
    {
        let said = refused(FIELD, &format!("team={{ {task} }}"));
        let expected = format!("team.{key}");
        let without = "missing: an autonomous vehicle without driver.goal is required";
        assert!(said.contains(&expected) && said.contains(without), "{task}: {said}");
    }
    let other = FIELD[FIELD.find("[[vehicle]]").unwrap()..]
        .replace("name = \"robot\"", "name = \"other\"")
        .replace("row = { count = 3, to = [0, 15], goal_to = [45, 15] }\n", "")
        .replace("[0, -15]", "[0, 25]")
        .replace("goal = [45, -15]", "goal = [45, 25], cell = 0.4");
    let said = refused(&format!("{FIELD}\n{other}"), "team={}");
    assert!(
        said.contains("vehicle[1].driver.cell = 0.4: must be 0.5, as for \"robot_1\""),
        "{said}"
    );
}

/// Keys of sensors and drivers without effect are refused, with the key that they require.
#[test]
fn keys_without_effect_are_refused() {
    let with = |from: &str, to: &str| {
        let text = FIELD.replace(from, to);
        let file = ScenarioFile::parse("field.toml", &text, Path::new(""), &[]);
        file.map(|_| ()).map_or_else(|faults| faults.to_string(), |()| String::new())
    };
    let (one, industrial) = ("rays = \"one\"", "preset = \"industrial\"");
    let drive = "goal = [45, -15]";
    let imu = |of: &str| format!("preset = \"ideal\", accelerometer = {{ {of} }}");
    for (from, to, key, says) in [
        (one, format!("{one}, returns = \"dual\""), "model.returns", "rays = \"one\""),
        (one, format!("{one}, divergence_deg = 1"), "model.divergence_deg", "rays = \"one\""),
        (industrial, imu("drift = 0.05"), "accelerometer.drift", "set drift_time > 0"),
        (industrial, imu("drift_time = 9"), "accelerometer.drift_time", "set drift > 0"),
        ("pitch_deg = 25", "save = [\"pcd\", \"pcd\"]".into(), "save[1]", "given twice"),
        (drive, format!("{drive}, soil_aware = true"), "driver.soil_aware", "terramechanics"),
    ] {
        let said = with(from, &to);
        assert!(said.contains(key) && said.contains(says), "{to}: {said}");
    }
    for (from, to) in [
        (one, format!("{one}, divergence_deg = 0")),
        (industrial, imu("drift = 0.05, drift_time = 9")),
        (industrial, format!("{industrial}, gyroscope = {{ drift = 0 }}")),
    ] {
        assert_eq!(with(from, &to), "", "{to}");
    }
    let feels = FIELD.replace(drive, "goal = [45, -15], soil_aware = true").replace(
        "sensor = [",
        "sensor = [ { name = \"feet\", model = { kind = \"terramechanics\" } },",
    );
    assert!(ScenarioFile::parse("field.toml", &feels, Path::new(""), &[]).is_ok());
}

/// The first of several lidars is used for navigation, and a warning names the others.
#[test]
fn unused_sensors_are_named() {
    let second = "sensor = [ { name = \"back\", model = { kind = \"lidar\", columns = 16 }, yaw_deg = 180 },";
    let text = FIELD.replace("sensor = [", second);
    let file = ScenarioFile::parse("field.toml", &text, Path::new(""), &[]);
    let built = build::world(&file.unwrap_or_else(|faults| panic!("{faults}"))).unwrap();
    let warnings: Vec<String> = built.warnings.iter().map(ToString::to_string).collect();
    let of_first = |line: &&String| {
        line.contains("vehicle[0].sensor[1] (of robot_1)") && line.contains("\"back\"")
    };
    assert_eq!(warnings.iter().filter(of_first).count(), 1, "{warnings:?}");
    let built = build::world(&ScenarioFile::parse("f.toml", FIELD, Path::new(""), &[]).unwrap());
    assert!(!built.unwrap().warnings.iter().any(|own| own.to_string().contains("sensor[")));
}

/// A search area must be within the terrain where that has bounds; it may cover all of it.
#[test]
fn an_area_off_the_terrain_is_refused() {
    let free = FIELD.replace(", goal_to = [45, 15]", "").replace(", goal = [45, -15]", "");
    let surface = r#"terrain={ surface = { kind = "random", size = [80, 60], amplitude = 0.2 } }"#;
    let built = |area: &str| {
        let sets = [surface.to_string(), format!("team.search.area={area}")];
        let file = ScenarioFile::parse("field.toml", &free, Path::new(""), &sets);
        build::world(&file.unwrap_or_else(|faults| panic!("{faults}"))).map(|_| ())
    };
    assert_eq!(built("[-40, -30, 40, 30]"), Ok(()));
    for area in ["[-40, -30, 40, 31]", "[500, 500, 600, 600]"] {
        let said = built(area).expect_err(area).to_string();
        let expected = format!("team.search.area = {area}: is outside the terrain, x -40 to 40");
        assert_eq!(said.matches(&expected).count(), 1, "{said}");
    }
}

/// Builds the world of one vehicle at the origin of a bare level field.
fn one(sets: &[&str]) -> build::BuiltWorld {
    let row = "row = { count = 3, to = [0, 15], goal_to = [45, 15] }\n";
    assert!(FIELD.contains(row));
    let bare = [
        "scenery=[]",
        "terrain.stamp=[]",
        "terrain.surface={ kind = 'flat' }",
        "vehicle[0].position=[0, 0]",
        "vehicle[0].driver.goal=[45, 0]",
    ];
    let sets: Vec<String> = bare.iter().chain(sets).map(|set| set.to_string()).collect();
    let file = ScenarioFile::parse("field.toml", &FIELD.replace(row, ""), Path::new(""), &sets);
    build::world(&file.unwrap_or_else(|faults| panic!("{faults}"))).unwrap()
}

/// Runs the world of [`one`] for `seconds` and returns it with the collisions.
fn alone(sets: &[&str], seconds: f64) -> (World, Vec<String>) {
    observed(one(sets).world, seconds, |_| {})
}

/// Runs a world and returns it with the collisions.
fn observed(model: WorldModel, seconds: f64, mut look: impl FnMut(&World)) -> (World, Vec<String>) {
    let mut world = World::new(model);
    let mut hits = Vec::new();
    while world.time() < seconds - 1e-9 && world.is_running() {
        world.advance();
        for agent in 0..world.model().agents.len() {
            let of_hits =
                world.events(agent).iter().filter(|event| matches!(event, Event::Collided(_)));
            hits.extend(
                of_hits.map(|event| format!("{agent} at {:.1} s: {event:?}", world.time())),
            );
        }
        look(&world);
    }
    (world, hits)
}

/// Lidar returns from the vehicle's own mirrors are not obstacles.
///
/// The HMMWV's mirrors extend 0.23 m beyond its footprint, where its lidar sees them.
#[test]
fn mirrors_of_the_vehicle_itself_are_not_obstacles() {
    let hmmwv = ["vehicle[0].model='hmmwv'", "vehicle[0].sensor[0].position=[1.6, 0, 0.9]"];
    let (world, hits) = alone(&hmmwv, 6.0);
    assert!(world.sample(0).unwrap().pose.position.x > 10.0 && hits.is_empty());
    // Only cells next to its path are checked: 20 m to the side, where beams are sparse, there are
    // some obstacles.
    let blocked = world.blocked_cells().into_iter().map(|cell| cell.corner);
    let beside: Vec<[f64; 2]> = blocked.filter(|[_, y]| y.abs() < 5.0).collect();
    assert!(beside.is_empty(), "{} of them: {beside:?}", beside.len());
}

/// The navigator assumes the deceleration that the brakes achieve on the given ground.
///
/// A vehicle on slippery ground, or with rear brakes only, therefore stops before a wall.
#[test]
fn no_vehicle_hits_a_visible_wall() {
    let counts_on = |sets: &[&str]| {
        one(sets).world.agents[0].autonomy.as_ref().unwrap().navigator.tracking.braking
    };
    let wall = "scenery=[{ kind = 'block', places = [[20, 0]], size = [0.5, 60, 2] }]";
    let gator = ["vehicle[0].model='gator'", "vehicle[0].sensor[0].position=[1.0, 0, 0.9]"];
    for (sets, least, most) in [
        (&["soil.custom[0].friction=0.4"][..], 2.2, 2.3),
        (&["soil.custom[0].friction=0.25"], 1.4, 1.42),
        // Half of its weight is on the braked axle.
        (&gator, 2.2, 2.3),
    ] {
        let braking = counts_on(sets);
        assert!((least..most).contains(&braking), "{sets:?}: {braking} m/s^2");
        let (world, hits) = alone(&[sets, &[wall]].concat(), 9.0);
        assert!(
            world.sample(0).unwrap().pose.position.x > 8.0 && hits.is_empty(),
            "{sets:?}: {hits:?}"
        );
    }
    assert_eq!(counts_on(&[]), 4.5);
    assert_eq!(counts_on(&["vehicle[0].driver.braking=3"]), 3.0);
}

/// The deceleration assumed downhill is that of the brakes less gravity.
///
/// The vehicle stops before a wall; with the value for level ground it would reach the wall at more
/// than 1 m/s.
#[test]
fn no_vehicle_hits_a_visible_wall_downhill() {
    let sets = [
        "vehicle[0].model='hmmwv'",
        "vehicle[0].sensor[0].position=[1.6, 0, 0.9]",
        "terrain.surface={ kind = 'slope', grade = 0.3, uphill_deg = 180 }",
        "scenery=[{ kind = 'block', places = [[30, 0]], size = [0.5, 60, 2] }]",
    ];
    let (world, hits) = alone(&sets, 15.0);
    assert!(world.sample(0).unwrap().pose.position.x > 15.0 && hits.is_empty(), "{hits:?}");
}

/// Builds the world of two team members that share maps without loss, on a field without obstacles.
fn two(sets: &[&str]) -> WorldModel {
    let bare = ["scenery=[]", "terrain.stamp=[]", &never_failing(MapSharing::Central)];
    model(&[&bare[..], sets].concat())
}

/// Runs the world of [`two`] until both have arrived without a collision.
fn both_arrive(sets: &[&str], seconds: f64) -> World {
    let (world, hits) = observed(two(sets), seconds, |_| {});
    assert!(hits.is_empty(), "{hits:?}");
    for agent in 0..2 {
        let outcome = world.outcome(agent);
        assert_eq!(outcome.code, OutcomeCode::Arrived, "{agent}: {}", outcome.sentence);
    }
    world
}

/// Two vehicles sent to one goal from opposite sides do not touch: the second yields.
#[test]
fn two_vehicles_with_one_goal_do_not_collide() {
    let sets = [
        "vehicle[0].position=[0, -8]",
        "vehicle[0].row={ count = 2, to = [0, 8] }",
        "vehicle[0].driver.goal=[45, 0]",
        "endings.arrived=true",
    ];
    both_arrive(&sets, 40.0);
}

/// A vehicle that arrives at an occupied goal stops next to the vehicle that is there.
#[test]
fn a_later_vehicle_arrives_next_to_one_at_the_goal() {
    let sets = [
        "vehicle[0].position=[10, 0]",
        "vehicle[0].row={ count = 2, to = [0, 0] }",
        "vehicle[0].driver.goal=[35, 0]",
        "endings.arrived=true",
    ];
    let world = both_arrive(&sets, 25.0);
    for agent in 0..2 {
        let at = world.sample(agent).unwrap().pose.position;
        // Within 3 m of the goal, or within 3 m of contact with the other vehicle: both have a
        // radius of 1.96 m.
        let away = (at.x - 35.0).hypot(at.y);
        assert!(away < if agent == 0 { 3.1 } else { 7.5 }, "{agent}: {away} m from the goal");
    }
}

/// Where the paths of two vehicles cross, the second waits for the first, with the same bits on any
/// threads and ranks.
#[test]
fn yielding_is_the_same_on_threads_and_ranks() {
    let model = two(&[
        "vehicle[0].position=[0, -8]",
        "vehicle[0].row={ count = 2, to = [0, 8], goal_to = [24, -8] }",
        "vehicle[0].driver.goal=[24, 8]",
    ]);
    let heartbeats = 600;
    let mut waited = 0;
    let (_, hits) = observed(model.clone(), 0.01 * heartbeats as f64, |world| {
        let plan = &world.state().agents[1].autonomy.as_ref().unwrap().plan;
        let before_its_end = plan.speeds.len().saturating_sub(1);
        waited += usize::from(plan.speeds[..before_its_end].contains(&0.0));
    });
    assert!(waited > 20 && hits.is_empty(), "waited in {waited} heartbeats: {hits:?}");

    let on_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| hashes(&model, heartbeats))
    };
    let expected = on_threads(1);
    assert!(expected == on_threads(2), "two threads");
    let all = on_ranks(2, Duration::from_secs(300), |rank| {
        let sharing = Sharing { partition: Partition::RoundRobin, ..Sharing::default() };
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        let mut found = Vec::new();
        for _ in 0..heartbeats {
            ranks.advance(false).unwrap();
            found.push(ranks.hash().unwrap().state);
        }
        found
    });
    for found in all.into_iter().map(Result::unwrap) {
        let first = expected.iter().zip(&found).position(|(a, b)| a != b);
        assert_eq!(first, None, "two ranks: first heartbeat that differs");
    }
}

/// A vehicle with its goal behind it turns at full lock at a constant low speed, without repeated
/// stops.
#[test]
fn a_vehicle_that_turns_around_keeps_its_speed() {
    let sets = ["vehicle[0].driver.goal=[-25, 0]"];
    let (mut paces, mut hardest) = (Vec::new(), 0.0_f64);
    observed(one(&sets).world, 8.0, |world| {
        let turns = world.state().agents[0].autonomy.as_ref().unwrap().plan.turns;
        if turns && world.time() > 3.0 {
            paces.push(world.sample(0).unwrap().speed);
            hardest = hardest.max(world.state().agents[0].controls.brake);
        }
    });
    let mean = paces.iter().sum::<f64>() / paces.len() as f64;
    // Half of its turning circle of 19.6 m takes half a minute; 1.1 m/s is within the band in which
    // it coasts.
    assert!(paces.len() > 300 && (0.9..1.2).contains(&mean), "{mean} m/s over {}", paces.len());
    assert!(hardest < 0.3, "{hardest}");
}

/// A goal at which a vehicle's front would extend beyond the terrain's edge gives a warning.
#[test]
fn goals_at_the_edge_cause_a_warning() {
    let surface = "terrain.surface={ kind = 'random', size = [100, 60], amplitude = 0.2 }";
    let warned = |goal: &str| {
        let built = one(&[surface, &format!("vehicle[0].driver.goal={goal}")]);
        let lines = built.warnings.iter().map(ToString::to_string);
        lines.filter(|line| line.contains("driver.goal")).collect::<Vec<String>>()
    };
    let near = warned("[49.5, 0]");
    assert!(near.len() == 1 && near[0].contains("is 0.50 m from the terrain's edge"), "{near:?}");
    let clear = warned("[46, 0]");
    assert!(clear.is_empty(), "{clear:?}");
}

/// A goal inside an obstacle gives a warning, for goals of a team and of a vehicle alike.
#[test]
fn goals_inside_obstacles_cause_a_warning() {
    let block =
        "scenery=[{ kind = 'block', places = [[30, 5]], size = [2, 8, 2], heading_deg = 30 }]";
    let warned = |warnings: &[bekker::scenario::Diagnostic]| {
        let lines = warnings.iter().map(ToString::to_string);
        lines.filter(|line| line.contains("is inside the")).collect::<Vec<String>>()
    };
    let own = warned(&one(&[block, "vehicle[0].driver.goal=[30, 5.5]"]).warnings);
    assert!(own.len() == 1 && own[0].contains("vehicle[0].driver.goal"), "{own:?}");
    assert!(warned(&one(&[block, "vehicle[0].driver.goal=[33, 5.5]"]).warnings).is_empty());

    let free = FIELD.replace(", goal_to = [45, 15]", "").replace(", goal = [45, -15]", "");
    let team = "team={ goals = [[10, -14], [30, 5.5]], radio = { near = 0.9, far = 0.9 } }";
    let sets = [team, block, "terrain.stamp=[]"].map(str::to_string);
    let file = ScenarioFile::parse("field.toml", &free, Path::new(""), &sets);
    let built = build::world(&file.unwrap_or_else(|faults| panic!("{faults}"))).unwrap();
    let teams = warned(&built.warnings);
    assert!(teams.len() == 1 && teams[0].contains("team.goals[1]"), "{teams:?}");
}

/// A forwarder's lidar on the cabin sees its own rear frame, which swings aside as the vehicle turns to
/// its goal. It arrives past trees without a contact, and its map has no obstacles but these.
#[test]
fn the_rear_frame_of_an_articulated_vehicle_is_not_an_obstacle() {
    let trees = [[12.0, -9.0], [22.0, -4.0]];
    let sets = [
        "scenery=[{ kind = 'oak', places = [[12, -9], [22, -4]] }]",
        "endings.arrived=true",
        "vehicle[0].model='forwarder'",
        "vehicle[0].driver={ kind = 'autonomous', goal = [30, 18], speed = 2, \
         localization = 'truth' }",
        "vehicle[0].sensor[0].position=[2, 0, 3.2]",
        "vehicle[0].sensor[1]={ name = 'odometry', model = { kind = 'odometry' } }",
    ];
    let mut largest = 0.0_f64;
    let (world, hits) = observed(one(&sets).world, 30.0, |world| {
        let articulation = world.sample(0).and_then(|own| own.articulation);
        largest = largest.max(articulation.unwrap_or_default().abs());
    });
    let outcome = world.outcome(0);
    assert_eq!(outcome.code, OutcomeCode::Arrived, "{}", outcome.sentence);
    assert!(hits.is_empty() && largest > 0.3, "{hits:?}, {largest} rad");
    let apart = |[x, y]: [f64; 2]| {
        trees.iter().map(|[a, b]| (x - a).hypot(y - b)).fold(f64::INFINITY, f64::min)
    };
    let own: Vec<[f64; 2]> = world.blocked_cells().into_iter().map(|cell| cell.corner).collect();
    assert!(!own.is_empty() && own.iter().all(|at| apart(*at) < 5.0), "{own:?}");
}

/// A forwarder with a tree 14 m ahead, 0.3 m to its right.
fn forwarder_before_a_tree() -> WorldModel {
    let sets = [
        "scenery=[{ kind = 'oak', places = [[14, 0]] }]",
        "endings.arrived=true",
        "vehicle[0].model='forwarder'",
        "vehicle[0].driver={ kind = 'autonomous', goal = [40, 0], speed = 2, \
         localization = 'truth' }",
        "vehicle[0].position=[0, 0.3]",
        "vehicle[0].sensor[0].position=[2, 0, 3.2]",
        "vehicle[0].sensor[1]={ name = 'odometry', model = { kind = 'odometry' } }",
    ];
    one(&sets).world
}

/// With a tree too close to turn past, a forwarder backs off behind its rear frame and arrives without
/// a contact.
#[test]
fn a_forwarder_backs_off_from_a_tree_and_arrives() {
    let (mut backs, mut passes) = (0.0, 0.0_f64);
    let (world, hits) = observed(forwarder_before_a_tree(), 80.0, |world| {
        let own = world.sample(0).unwrap();
        backs -= 0.01 * own.speed.min(0.0);
        if own.pose.position.x < 14.0 {
            passes = own.pose.position.y;
        }
    });
    let outcome = world.outcome(0);
    assert_eq!(outcome.code, OutcomeCode::Arrived, "{}", outcome.sentence);
    assert!(hits.is_empty() && backs > 2.0, "{backs} m back, {hits:?}");
    assert!(passes.abs() > 1.0, "past the tree at {passes} m");
}

/// While a forwarder backs off, threads and a resume give the same bits.
#[test]
fn a_forwarder_that_backs_off_gives_the_same_bits() {
    let model = forwarder_before_a_tree();
    let heartbeats = 1500;
    let run = |threads: usize, cuts: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, mut backs) = (World::new(model.clone()), false);
            for heartbeat in 0..heartbeats {
                world.advance();
                let is_backing = world.sample(0).unwrap().speed < -0.5;
                if cuts && (heartbeat % 500 == 250 || is_backing && !backs) {
                    let stored = checkpoint::encode(world.model(), "x", world.state());
                    let state = checkpoint::decode(world.model(), "x", &stored).unwrap();
                    world = World::resume(world.model().clone(), state).unwrap();
                }
                backs |= is_backing;
            }
            assert!(backs, "it does not back off");
            world.hash()
        })
    };
    let expected = run(1, false);
    assert!(expected == run(2, false), "two threads");
    assert!(expected == run(1, true), "cut and resumed");
}
