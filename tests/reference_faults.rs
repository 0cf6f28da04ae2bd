//! Faults of the reference (Chrono::SynChrono) in sharing soil between ranks, and tests that bekker
//! has none of them.
//!
//! Each test would fail with the fault after which it is named.
//!
//! Some faults have their tests elsewhere: replicas that diverge where two ranks touch a node, in
//! `ranks.rs::vehicles_that_touch_one_node_in_one_heartbeat`; ranks that disagree, in
//! `ranks.rs::ranks_that_disagree_name_the_first_key`; no snapshot, in
//! `ranks.rs::a_rank_that_joins_late_gets_a_snapshot`; no extrapolation, in
//! `ranks.rs::ghosts_stay_within_the_bound_and_change_nothing`; everything sent to every rank, in
//! `ranks.rs::distant_neighbors_exchange_no_states`; a blocking exchange and lengths of 32
//! bits, in the contract of `sync::Communicator`, which calls `meanwhile` and is tested with split
//! payloads (`crates/sync/examples/mpi_contract.rs`); heartbeats that drift in floating point, in
//! `simulation::clock`; memory allocated for every message and node, in
//! `step_cost.rs::a_ground_stream_keeps_its_capacity`.

use crate::scene;

use bekker::ground::SharedGround;
use bekker::simulation::{Clock, Ranks, Sharing, World, WorldModel};
use bekker::soil::{Bulldozing, Soil, SoilKind};
use bekker::sync::Partition;
use scene::{agent, flat, on_ranks, pose_at, soil, table, vehicle, world_model};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

fn convoy(soil: Soil, vehicles: usize) -> WorldModel {
    let hmmwv = vehicle("hmmwv");
    let on = [[0.2, 0.0], [0.4, 0.6]];
    let one = |index: usize| {
        let mut one = agent(&hmmwv, table(&on, &[], &[]), pose_at(-4.5 * index as f64, 0.05, 0.6));
        one.speed = 4.0;
        one
    };
    let agents = (0..vehicles).map(one).collect();
    world_model(flat(0.05, soil), 2e-3, agents)
}

/// Returns the ground of a rank that steps only the last of the vehicles.
fn replica(model: &WorldModel, heartbeats: usize, partition: Partition) -> SharedGround {
    let grounds = on_ranks(2, PATIENCE, |rank| {
        let sharing = Sharing { partition: partition.clone(), ..Sharing::default() };
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        (0..heartbeats).for_each(|_| assert!(!ranks.advance(false).unwrap().quit));
        ranks.world().state().published.clone()
    });
    grounds.into_iter().last().unwrap().unwrap()
}

/// Fault 1: only changes of the last step before a heartbeat are sent.
#[test]
fn changes_in_any_step_of_a_heartbeat_are_sent() {
    let sinkage = |steps: u64| {
        let mut model = convoy(soil("mid"), 2);
        model.clock = Clock::new(2e-3, 2e-3 * steps as f64).unwrap();
        // The second is far away: its rank receives only the first.
        model.agents[1].start = pose_at(-500.0, 300.0, 0.6);
        model.agents[1].speed = 0.0;
        model.agents[1].driver = table(&[[0.0, 0.0], [9.0, 0.0]], &[], &[]);
        let heartbeats = (750 / steps) as usize;
        replica(&model, heartbeats, Partition::Listed(vec![0, 1])).sinkage_quanta() as f64
    };
    let (each, fifth) = (sinkage(1), sinkage(5));
    // The nodes still under the wheels at the end differ by one row per wheel.
    assert!((fifth / each - 1.0).abs() < 0.02, "every step: {each}, every fifth: {fifth}");
}

/// Faults 2 and F1: a rut received from another rank is virgin soil at a lower level.
#[test]
fn a_rut_from_another_rank_is_as_hard_as_a_local_one() {
    let depth = |vehicles: usize| {
        let model = convoy(soil("soft"), vehicles);
        let partition = Partition::Listed((0..vehicles).map(|vehicle| vehicle % 2).collect());
        let ground = replica(&model, 260, partition);
        let states = ground.tiles().flat_map(|(_, tile)| tile.states());
        states.map(|state| state.plastic_sinkage_m()).fold(0.0, f64::max)
    };
    let (one, four) = (depth(1), depth(4));
    // Virgin soil would be pressed four times as deep.
    assert!(four < 1.5 * one, "one vehicle: {one} m, four: {four} m");
}

/// Faults 3 and F4: received data is applied once per agent of the rank.
///
/// Heaps of soil are additive and would grow with the number of agents.
#[test]
fn received_patches_are_applied_once_on_any_rank() {
    let mut heaping = soil("soft");
    if let SoilKind::Deformable(yielding) = &mut heaping.kind {
        yielding.bulldozing = Some(Bulldozing {
            flow_factor: 0.3,
            erosion_angle: 40_f64.to_radians(),
            erosion_sweeps: 3,
            erosion_rings: 2,
        });
    }
    let model = convoy(heaping, 4);
    let mut alone = World::new(model.clone());
    (0..100).for_each(|_| alone.advance());
    let expected = &alone.state().published;
    assert!(expected.tiles().flat_map(|(_, tile)| tile.states()).any(|state| state.berm > 100));
    for partition in [vec![0, 1, 1, 1], vec![0, 0, 0, 1], vec![0, 1, 0, 1]] {
        let found = replica(&model, 100, Partition::Listed(partition));
        assert_eq!(found.berm_quanta(), expected.berm_quanta());
        assert_eq!(found.hash(), expected.hash());
    }
}

/// Fault 4: nodes under a wheel are sent again at every heartbeat, in 16 bytes each.
#[test]
fn a_node_is_sent_once_a_pass() {
    let model = convoy(soil("mid"), 2);
    let sums = on_ranks(2, PATIENCE, |rank| {
        let sharing = Sharing::default();
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        let heartbeats: Vec<_> = (0..200).map(|_| ranks.advance(false).unwrap()).collect();
        let sum = |value: fn(&bekker::simulation::HeartbeatMetrics) -> u64| -> u64 {
            heartbeats.iter().map(value).sum()
        };
        (sum(|b| b.nodes), sum(|b| b.ground_bytes), ranks.world().state().published.clone())
    });
    let sums: Vec<_> = sums.into_iter().map(Result::unwrap).collect();
    let sent: u64 = sums.iter().map(|sum| sum.0).sum();
    let bytes: u64 = sums.iter().map(|sum| sum.1).sum();
    let passes: u64 = {
        let states = sums[0].2.tiles().flat_map(|(_, tile)| tile.states());
        states.map(|state| u64::from(state.passes)).sum()
    };
    assert!(passes > 2_000 && bytes as f64 <= 4.0 * sent as f64, "{bytes} bytes, {sent} nodes");
    // Each pass of a wheel sends a node once.
    assert!(sent as f64 <= 1.02 * passes as f64, "{sent} nodes sent for {passes} passes");
}
