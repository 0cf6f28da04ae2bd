//! Relocation of vehicles: on ranks with the bits of one process, and never into an obstacle.

use crate::scene;

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{
    CommandError, MessageRoute, RankError, Ranks, Sharing, VehiclePlacement, World, WorldModel,
};
use bekker::sync::{Communicator, Partition};
use scene::{agent, flat, on_ranks, on_tcp_ranks, pose_at, soil, table, vehicle, world_model};
use std::path::Path;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

fn place(x: f64, y: f64, speed: f64) -> VehiclePlacement {
    VehiclePlacement { position: [x, y], heading: 0.1 * y, speed }
}

/// Builds three vehicles kilometers apart, each named by its number.
fn far_apart() -> WorldModel {
    let hmmwv = vehicle("hmmwv");
    let on = [[0.2, 0.0], [0.4, 0.6]];
    let starts = [[0.0, 0.0], [5_000.0, 0.0], [-3_000.0, 4_000.0]];
    let agents = starts.map(|[x, y]| agent(&hmmwv, table(&on, &[], &[]), pose_at(x, y, 0.6)));
    let mut model = world_model(flat(0.05, soil("soft")), 2e-3, agents.into());
    for (index, agent) in model.agents.iter_mut().enumerate() {
        agent.name = index.to_string();
    }
    model
}

/// Action of a program on a world, in one process or on ranks.
enum Task {
    Drive(usize),
    Put(usize, VehiclePlacement),
    PutAll([VehiclePlacement; 3]),
}

/// Returns the tasks of the test.
///
/// One vehicle is placed behind another that is kilometers away, into its rut; then back, across
/// its own rut. At the end all are placed into one rut of all three, one of them with an initial
/// speed.
fn tasks() -> [Task; 7] {
    [
        Task::Drive(30),
        Task::Put(0, place(4_994.0, 0.2, 0.0)),
        Task::Drive(40),
        Task::Put(0, place(0.5, 0.3, 3.0)),
        Task::Drive(30),
        Task::PutAll([place(4_998.0, 0.5, 0.0), place(1.0, 0.1, 2.0), place(-7.0, 0.0, 0.0)]),
        Task::Drive(30),
    ]
}

fn in_one_process(model: WorldModel) -> Vec<[u8; 32]> {
    let mut world = World::new(model);
    let mut hashes = Vec::new();
    for task in tasks() {
        match task {
            Task::Drive(heartbeats) => (0..heartbeats).for_each(|_| {
                world.advance();
                hashes.push(world.hash());
            }),
            Task::Put(agent, place) => drop(world.respawn(agent, &place).unwrap()),
            Task::PutAll(places) => drop(world.respawn_all(&places).unwrap()),
        }
        hashes.push(world.hash());
    }
    hashes
}

/// Returns the hashes of the same tasks on one of several ranks.
fn among_ranks(rank: impl Communicator, model: WorldModel, route: MessageRoute) -> Vec<[u8; 32]> {
    let sharing = Sharing { partition: Partition::Blocks, route, ..Sharing::default() };
    let mut ranks = Ranks::new(rank, model, None, &sharing, &[]).unwrap();
    let mut hashes = Vec::new();
    for task in tasks() {
        match task {
            Task::Drive(heartbeats) => (0..heartbeats).for_each(|_| {
                ranks.advance(false).unwrap();
                hashes.push(ranks.hash().unwrap().state);
            }),
            Task::Put(agent, place) => drop(ranks.respawn(agent, &place).unwrap()),
            Task::PutAll(places) => drop(ranks.respawn_all(&places).unwrap()),
        }
        hashes.push(ranks.hash().unwrap().state);
    }
    hashes
}

/// Asserts that all ranks found the hashes of one process.
fn are_alike(expected: &[[u8; 32]], found: Vec<std::thread::Result<Vec<[u8; 32]>>>, what: &str) {
    let size = found.len();
    for (rank, found) in found.into_iter().map(Result::unwrap).enumerate() {
        let first = expected.iter().zip(&found).position(|(a, b)| a != b);
        assert_eq!(first, None, "{what}, rank {rank} of {size}: first hash that differs");
        assert_eq!(expected.len(), found.len());
    }
}

#[test]
fn any_ranks_and_any_route_give_the_bits_of_one_process() {
    let model = far_apart();
    let expected = in_one_process(model.clone());
    for (size, route) in [
        (1, MessageRoute::All),
        (2, MessageRoute::All),
        (3, MessageRoute::Star),
        (2, MessageRoute::Neighbor),
        (3, MessageRoute::Neighbor),
    ] {
        let found = on_ranks(size, PATIENCE, |rank| among_ranks(rank, model.clone(), route));
        are_alike(&expected, found, &format!("{route:?}"));
    }
    let found =
        on_tcp_ranks(3, PATIENCE, |rank| among_ranks(rank, model.clone(), MessageRoute::All));
    are_alike(&expected, found, "by TCP");
    let near = MessageRoute::Neighbor;
    let found = on_tcp_ranks(2, PATIENCE, |rank| among_ranks(rank, model.clone(), near));
    are_alike(&expected, found, "by TCP, neighbors");
}

/// An invalid relocation is refused on all ranks with the error of one process, and changes
/// nothing.
#[test]
fn impossible_respawns_are_reported_the_same_on_all_ranks() {
    let model = far_apart();
    let beside = VehiclePlacement { position: [5_001.0, 0.5], ..VehiclePlacement::default() };
    let nowhere = VehiclePlacement { position: [f64::NAN, 0.5], ..beside };
    let mut world = World::new(model.clone());
    let occupied = world.respawn(2, &beside).unwrap_err();
    assert_eq!(
        occupied.to_string(),
        "position [5001.0, 0.5], heading 0: 2 would overlap vehicle 1; give a free position"
    );
    let alone = [
        occupied,
        world.respawn(0, &nowhere).unwrap_err(),
        world.respawn(7, &beside).unwrap_err(),
        world.respawn_all(&[beside; 2]).unwrap_err(),
        world.respawn_all(&[beside; 3]).unwrap_err(),
    ]
    .map(|error| error.to_string());
    assert_eq!(alone[2], "agent 7 does not exist; there are 3 agents, counted from 0");
    let of_all = on_ranks(3, PATIENCE, |rank| {
        let sharing = Sharing { route: MessageRoute::Neighbor, ..Sharing::default() };
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        let before = ranks.hash().unwrap().state;
        let told = [
            ranks.respawn(2, &beside).unwrap_err(),
            ranks.respawn(0, &nowhere).unwrap_err(),
            ranks.respawn(7, &beside).unwrap_err(),
            ranks.respawn_all(&[beside; 2]).unwrap_err(),
            ranks.respawn_all(&[beside; 3]).unwrap_err(),
        ];
        // This rank requests another position than the rest.
        let own = VehiclePlacement { speed: if ranks.rank() == 1 { 2.0 } else { 1.0 }, ..beside };
        let unlike = ranks.respawn(0, &own).unwrap_err();
        assert_eq!(ranks.hash().unwrap().state, before);
        (told, unlike)
    });
    for (told, unlike) in of_all.into_iter().map(Result::unwrap) {
        // Compared as text, since NaN is not equal to itself.
        assert_eq!(told.map(|error| error.to_string()), alone);
        assert!(matches!(unlike, RankError::Disagreement { rank: 1, here: 0, .. }), "{unlike}");
        assert!(unlike.is_shared());
    }
}

/// No vehicle is placed into an obstacle.
///
/// Next to one, over a stone that is low enough, and over a fallen trunk it may be placed.
#[test]
fn no_vehicle_is_placed_inside_an_obstacle() {
    let text = r#"
format = 1
name = "obstacles"
time = { duration = 1 }
soil = { default = "firm" }
[[vehicle]]
name = "a"
model = "hmmwv"
position = [0, 0]
[[scenery]]
kind = "block"
places = [[20, 0]]
size = [2, 2, 1]
[[scenery]]
kind = "oak"
places = [[40, 0]]
[[scenery]]
kind = "rock"
places = [[60, 0]]
scale = 0.2
"#;
    let file = ScenarioFile::parse("obstacles", text, Path::new(""), &[]).unwrap();
    let mut world = World::new(build::world(&file).unwrap().world);
    let mut put = |x: f64, y: f64| {
        let place = VehiclePlacement { position: [x, y], ..VehiclePlacement::default() };
        world.respawn(0, &place)
    };
    for (x, noun) in [(18.0, "block"), (39.0, "oak")] {
        let error = put(x, 0.3).unwrap_err();
        let CommandError::Occupied { what, .. } = &error else { panic!("{error}") };
        assert_eq!(*what, format!("an obstacle ({noun})"));
    }
    for (x, y) in [(18.0, 4.0), (39.0, 3.0), (58.3, 0.0)] {
        put(x, y).unwrap();
    }
}
