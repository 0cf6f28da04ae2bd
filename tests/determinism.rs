//! State bits do not depend on the number of threads, the order of agents, or checkpoints.
//!
//! A run can be interrupted and resumed at any heartbeat.

use crate::scene;

use bekker::simulation::{World, checkpoint};
use scene::{agent, drive, flat, pose_at, soil, table, vehicle, world};

/// Builds two vehicles in one rut, one that crosses it, and one far away.
fn crossing() -> World {
    let hmmwv = vehicle("hmmwv");
    let on = [[0.2, 0.0], [0.4, 0.6]];
    let ahead = || table(&on, &[], &[]);
    let turned = |x: f64, y: f64, degrees: f64| {
        let mut pose = pose_at(x, y, 0.6);
        let axis = bekker::spatial::Vec3::z_axis();
        pose.orientation = bekker::spatial::Quat::from_axis_angle(&axis, degrees.to_radians());
        pose
    };
    let agents = vec![
        agent(&hmmwv, ahead(), pose_at(0.0, 0.0, 0.6)),
        agent(&hmmwv, ahead(), pose_at(-4.5, 0.1, 0.6)),
        agent(&hmmwv, ahead(), turned(2.0, -3.0, 90.0)),
        agent(&hmmwv, table(&on, &[[1.0, 0.0], [2.0, 0.5]], &[]), pose_at(500.0, 300.0, 0.6)),
    ];
    world(flat(0.05, soil("mid")), 2e-3, agents)
}

fn hash_with_threads(threads: usize) -> [u8; 32] {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut world = crossing();
        drive(&mut world, 2.5);
        world.hash()
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let one = hash_with_threads(1);
    assert_eq!(one, hash_with_threads(2));
    assert_eq!(one, hash_with_threads(5));
}

#[test]
fn any_order_of_agents_gives_the_same_ground() {
    let mut forward = crossing();
    let mut model = forward.model().clone();
    model.agents.reverse();
    let mut backward = World::new(model);
    drive(&mut forward, 2.5);
    drive(&mut backward, 2.5);
    assert_eq!(forward.state().published.hash(), backward.state().published.hash());
    let mut states: Vec<_> = backward.state().agents.iter().map(|a| a.vehicle.clone()).collect();
    states.reverse();
    let same: Vec<_> = forward.state().agents.iter().map(|a| a.vehicle.clone()).collect();
    assert_eq!(same, states);
}

#[test]
fn a_checkpoint_resumes_bit_for_bit() {
    let mut whole = crossing();
    let mut cut = crossing();
    for time in [0.35, 1.0, 1.71] {
        drive(&mut whole, time);
        drive(&mut cut, time);
        let bytes = checkpoint::encode(cut.model(), "scenario", cut.state());
        let state = checkpoint::decode(cut.model(), "scenario", &bytes).unwrap();
        cut = World::resume(cut.model().clone(), state).unwrap();
        assert_eq!(whole.hash(), cut.hash(), "at {time} s");
        drive(&mut whole, time + 0.2);
        drive(&mut cut, time + 0.2);
        assert_eq!(whole.hash(), cut.hash(), "0.2 s after {time} s");
    }
}

#[test]
fn checkpoints_of_other_runs_are_refused() {
    let mut world = crossing();
    world.advance();
    let bytes = checkpoint::encode(world.model(), "one", world.state());
    let refuse = |bytes: &[u8], scenario: &str| {
        checkpoint::decode(world.model(), scenario, bytes).expect_err("must be refused").to_string()
    };
    assert!(refuse(&bytes, "two").contains("belongs to another run"));
    assert!(refuse(&bytes[..bytes.len() - 1], "one").contains("damaged"));
    let mut altered = bytes.clone();
    *altered.last_mut().unwrap() ^= 1;
    assert!(refuse(&altered, "one").contains("damaged"));
    assert!(refuse(b"something else", "one").contains("not a bekker checkpoint"));
    let mut older = bytes.clone();
    older[7] = 2;
    assert!(refuse(&older, "one").contains("version 2"), "{}", refuse(&older, "one"));
    assert!(refuse(&bytes[..20], "one").contains("damaged"));
}
