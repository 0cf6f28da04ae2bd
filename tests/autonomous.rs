//! Vehicles that drive themselves: they arrive, round what is in the way; what a team tells
//! each other; the same bits on any threads and ranks and across a cut.

use crate::scene;

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{
    MapSharing, OutcomeCode, Placement, Ranks, Route, Sharing, World, WorldModel, checkpoint,
};
use bekker::sync::Partition;
use scene::on_ranks;
use std::path::Path;
use std::time::Duration;

/// Three MRZR-4s in a row before two holes and a tree, on a firm field.
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
tyre = "rigid"
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
fn three_arrive_round_holes_and_a_tree() {
    let world = driven(model(&["endings.arrived=true"]), 60.0);
    for agent in 0..3 {
        let outcome = world.outcome(agent);
        assert_eq!(outcome.code, OutcomeCode::Arrived, "{agent}: {}", outcome.sentence);
    }
    let summary = world.summary("field", 0.0);
    let found = summary.exploration.expect("they explored");
    assert_eq!((found.holes, found.holes_detected), (2, 2));
    // 45 m, less the 3 m about the goal, at no more than 5 m/s
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
fn threads_ranks_and_a_cut_give_the_same_bits() {
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
                route: Route::All,
                ..Sharing::default()
            };
            let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
            let mut found = Vec::new();
            for _ in 0..heartbeats {
                ranks.advance(false).unwrap();
                found.push(ranks.hash().unwrap().0);
            }
            found
        });
        for found in all.into_iter().map(Result::unwrap) {
            let first = expected.iter().zip(&found).position(|(a, b)| a != b);
            assert_eq!(first, None, "{size} ranks: first heartbeat that differs");
        }
    }
}

/// Of a radio that never fails, all ways of sharing lead all to what all had seen together a
/// second ago, and whole maps take more bytes than changes, as soon as anything lies behind. The
/// merged map is the same: what is told is what somebody has seen, and within these seconds no
/// plan is another for it.
#[test]
fn all_ways_of_sharing_lead_to_one_map() {
    let mut found = Vec::new();
    for sharing in [MapSharing::Central, MapSharing::Whole, MapSharing::Peers] {
        let word = format!("{sharing:?}").to_lowercase();
        let team = format!("team={{ sharing = {word:?}, radio = {{ near = 1, far = 1 }} }}");
        let mut world = driven(model(&[&team]), 2.0);
        let before = world.merged_map().expect("they see");
        while world.time() < 3.0 - 1e-9 {
            world.advance();
        }
        let merged = world.merged_map().map(|merged| merged.digest());
        for state in &world.state().agents {
            let own = state.autonomy.as_ref().expect("drives itself").member.map();
            let mut both = own.clone();
            both.merge(&before);
            assert_eq!(both.digest(), own.digest(), "{sharing:?}");
            if sharing != MapSharing::Peers {
                assert_eq!(merged, Some(own.digest()), "{sharing:?}");
            }
        }
        let sent = world.state().agents.iter().filter_map(|own| own.autonomy.as_ref());
        found.push((merged, sent.map(|own| own.member.traffic.sent_bytes).sum::<u64>()));
    }
    let [(central, changed), (whole, all), (peers, told)] = found[..] else { panic!("three ways") };
    assert_eq!([whole, peers], [central; 2]);
    assert!(all > changed && all > told && told > 0, "{all} {changed} {told}");
}

/// A member that is put elsewhere begins anew, and is told again all that the others know.
#[test]
fn who_begins_anew_is_told_all_again() {
    for sharing in ["central", "peers"] {
        let team = format!("team={{ sharing = {sharing:?}, radio = {{ near = 1, far = 1 }} }}");
        let mut world = driven(model(&[&team]), 2.0);
        let known = world.merged_map().expect("they see");
        world.respawn(1, &Placement { position: [0.0, 1.0], ..Placement::default() }).unwrap();
        while world.time() < 3.0 - 1e-9 {
            world.advance();
        }
        let own = world.state().agents[1].autonomy.as_ref().unwrap().member.map();
        let mut both = own.clone();
        both.merge(&known);
        assert_eq!(both.digest(), own.digest(), "{sharing}");
    }
}

/// A link that is lost changes only what was told over it: the same drive until then.
#[test]
fn a_vehicle_without_contact_goes_on_with_what_it_has() {
    let silent = "team={ radio = { near = 0, far = 0 } }";
    let alone = driven(model(&[silent]), 4.0);
    let without = driven(model(&[]), 4.0);
    for (own, other) in alone.state().agents.iter().zip(&without.state().agents) {
        assert_eq!(own.controls, other.controls);
        let [own, other] = [own, other].map(|state| state.autonomy.as_ref().unwrap());
        assert_eq!(own.member.map().digest(), other.member.map().digest());
        assert_eq!(own.plan, other.plan);
        assert_eq!(own.member.traffic.letters, 0);
    }
}
