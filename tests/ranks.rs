//! One process and any number of in-process ranks give the same bits at every
//! heartbeat.

use crate::scene;

use bekker::simulation::{
    AnyVehicle, MessageRoute, RankError, Ranks, Rebalancing, Sharing, StartCondition, World,
    WorldModel, WorldState, checkpoint,
};
use bekker::spatial::{Pose, Quat, Vec3};
use bekker::sync::ghost::ExtrapolationOrder;
use bekker::sync::message::RunningGearMessage;
use bekker::sync::{CommError, Communicator, Partition};
use bekker::vehicle::spec::TrackModel;
use bekker::vehicle::{Shoes, VehicleState};
use scene::{
    agent, drive, flat, ground, m113, m113_on, on_ranks, pose_at, slope, soil, table, vehicle,
    world, world_model,
};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

fn turned(x: f64, y: f64, degrees: f64) -> Pose {
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), degrees.to_radians());
    Pose { orientation, ..pose_at(x, y, 0.6) }
}

fn model(starts: &[Pose]) -> WorldModel {
    let hmmwv = vehicle("hmmwv");
    let on = [[0.2, 0.0], [0.4, 0.6]];
    let agents = starts.iter().map(|&start| agent(&hmmwv, table(&on, &[], &[]), start)).collect();
    world_model(flat(0.05, soil("soft")), 2e-3, agents)
}

/// Builds three vehicles close behind each other in one rut.
fn convoy() -> WorldModel {
    model(&[pose_at(0.0, 0.0, 0.6), pose_at(-5.0, 0.1, 0.6), pose_at(-10.0, -0.05, 0.6)])
}

/// Builds four vehicles so close that several touch the same nodes in one heartbeat.
fn crossing() -> WorldModel {
    model(&[
        pose_at(0.0, 0.0, 0.6),
        turned(0.9, 0.9, 90.0),
        turned(0.0, 0.2, 0.0),
        turned(1.0, 1.0, 45.0),
    ])
}

fn far_apart() -> WorldModel {
    model(&[pose_at(0.0, 0.0, 0.6), pose_at(5_000.0, 0.0, 0.6), turned(-3_000.0, 4_000.0, 120.0)])
}

/// State hashes, one per heartbeat.
pub type Hashes = Vec<[u8; 32]>;

/// Runs a model in one process.
pub fn alone(model: WorldModel, heartbeats: usize) -> Hashes {
    let mut world = World::new(model);
    let hash = |world: &mut World| {
        world.advance();
        world.hash()
    };
    (0..heartbeats).map(|_| hash(&mut world)).collect()
}

/// Runs a model on `size` ranks.
pub fn together(
    model: &WorldModel,
    state: Option<&WorldState>,
    size: usize,
    partition: &Partition,
    route: MessageRoute,
    heartbeats: usize,
) -> Hashes {
    let all = on_ranks(size, PATIENCE, |rank| {
        let state = state.cloned();
        let sharing = Sharing { partition: partition.clone(), route, ..Sharing::default() };
        let mut ranks = Ranks::new(rank, model.clone(), state, &sharing, &[]).unwrap();
        let mut hashes = Hashes::new();
        for _ in 0..heartbeats {
            ranks.advance(false).unwrap();
            hashes.push(ranks.hash().unwrap().state);
        }
        // The replicas themselves, by the slow and strong hash.
        let own = ranks.world().state().published.hash();
        let grounds = ranks.gather_all("ground", &own).unwrap();
        assert!(
            route == MessageRoute::Neighbor || grounds.iter().all(|ground| *ground == grounds[0])
        );
        hashes
    });
    let all: Vec<Hashes> = all.into_iter().map(Result::unwrap).collect();
    assert!(all.iter().all(|hashes| *hashes == all[0]), "ranks disagree");
    all.into_iter().next().unwrap()
}

/// Runs a model on `size` ranks from its beginning. Returns the results in the order of ranks.
fn on_each<T: Send>(
    model: &WorldModel,
    size: usize,
    sharing: &Sharing,
    run: impl Fn(Ranks<'_>) -> T + Sync,
) -> Vec<T> {
    let ends = on_ranks(size, PATIENCE, |rank| {
        run(Ranks::new(rank, model.clone(), None, sharing, &[]).unwrap())
    });
    ends.into_iter().map(Result::unwrap).collect()
}

/// Checks that a model has the hashes of one process on these numbers of ranks.
#[track_caller]
fn check_bits(model: &WorldModel, heartbeats: usize, cases: &[(usize, Partition, MessageRoute)]) {
    let expected = alone(model.clone(), heartbeats);
    for (size, partition, route) in cases {
        let found = together(model, None, *size, partition, *route, heartbeats);
        same(&expected, &found, &format!("{size} ranks, {partition}, {route:?}"));
    }
}

#[track_caller]
fn same(expected: &Hashes, found: &Hashes, what: &str) {
    let first = expected.iter().zip(found).position(|(a, b)| a != b);
    assert_eq!(first, None, "{what}: first heartbeat that differs");
    assert_eq!(expected.len(), found.len());
}

#[test]
fn a_convoy_in_one_rut() {
    let cases = [1, 2, 3, 4].map(|size| (size, Partition::Blocks, MessageRoute::All));
    check_bits(&convoy(), 200, &cases);
}

#[test]
fn vehicles_that_touch_one_node_in_one_heartbeat() {
    let cases = [
        (2, Partition::Blocks, MessageRoute::All),
        (2, Partition::RoundRobin, MessageRoute::All),
        (4, Partition::Blocks, MessageRoute::All),
        (3, Partition::Listed(vec![2, 0, 2, 0]), MessageRoute::All),
        (1, Partition::Blocks, MessageRoute::Star),
        (2, Partition::Blocks, MessageRoute::Star),
        (4, Partition::Blocks, MessageRoute::Star),
    ];
    check_bits(&crossing(), 120, &cases);
}

#[test]
fn vehicles_kilometers_apart() {
    check_bits(&far_apart(), 60, &[(3, Partition::Blocks, MessageRoute::All)]);
}

/// Neighbors that approach and separate have the bits of one process.
///
/// Two vehicles meet head on in one lane and pass, one remains far away, and one drives over ground
/// that another passed long before.
#[test]
fn neighbors_that_approach_and_part() {
    let mut model = model(&[
        pose_at(0.0, 0.0, 0.6),
        turned(60.0, 2.4, 180.0),
        turned(-3_000.0, 4_000.0, 120.0),
        pose_at(-70.0, 0.1, 0.6),
    ]);
    model.agents.iter_mut().for_each(|agent| agent.speed = 8.0);
    let listed = Partition::Listed(vec![1, 2, 0, 0]);
    let cases =
        [(4, Partition::Blocks, MessageRoute::Neighbor), (3, listed, MessageRoute::Neighbor)];
    check_bits(&model, 700, &cases);
}

/// Agents that change ranks at random every tenth of a second keep the bits of one process, on
/// every route.
///
/// The same holds for rebalancing by position and cost.
#[test]
fn migrated_agents_drive_the_same() {
    let mut model = model(&[
        pose_at(0.0, 0.0, 0.6),
        turned(40.0, 2.4, 180.0),
        pose_at(-5.0, 0.1, 0.6),
        turned(300.0, 40.0, 90.0),
        pose_at(-30.0, 0.1, 0.6),
    ]);
    model.agents.iter_mut().for_each(|agent| agent.speed = 6.0);
    let heartbeats = 300;
    let expected = alone(model.clone(), heartbeats);
    for (route, size, by_chance, every) in [
        (MessageRoute::Neighbor, 3, Some(1), 0.1),
        (MessageRoute::All, 4, Some(2), 0.1),
        (MessageRoute::Star, 2, Some(3), 0.1),
        (MessageRoute::Neighbor, 2, None, 0.5),
    ] {
        let rebalancing = Some(Rebalancing { every, by_chance });
        let sharing = Sharing { route, rebalancing, ..Sharing::default() };
        let found = on_each(&model, size, &sharing, |mut ranks| {
            let (mut hashes, mut moved) = (Hashes::new(), 0);
            for _ in 0..heartbeats {
                let before = ranks.partition().to_vec();
                ranks.advance(false).unwrap();
                hashes.push(ranks.hash().unwrap().state);
                let pairs = before.iter().zip(ranks.partition());
                moved += pairs.filter(|(before, now)| before != now).count();
            }
            ranks.gather().unwrap();
            let last = (ranks.rank() == 0).then(|| ranks.into_world().hash());
            (hashes, moved, last)
        });
        for (hashes, moved, last) in found {
            same(&expected, &hashes, &format!("{size} ranks, {route:?}, {by_chance:?}"));
            assert!(by_chance.is_none() || moved > 30, "{moved} moved");
            assert!(last.is_none_or(|last| last == expected[heartbeats - 1]), "gathered");
        }
    }
}

/// Ranks that leave, one after the other until only rank 0 is left, hand over their agents and
/// ground.
///
/// The remaining ranks continue with the same bits.
#[test]
fn leaving_ranks_hand_over_their_agents() {
    let mut model = model(&[
        pose_at(0.0, 0.0, 0.6),
        turned(40.0, 2.4, 180.0),
        pose_at(-5.0, 0.1, 0.6),
        pose_at(300.0, 0.0, 0.6),
    ]);
    model.agents.iter_mut().for_each(|agent| agent.speed = 6.0);
    let heartbeats = 450;
    let expected = alone(model.clone(), heartbeats);
    for (route, rebalancing) in [
        (MessageRoute::Neighbor, None),
        (MessageRoute::Neighbor, Some(Rebalancing { every: 0.5, by_chance: Some(5) })),
        (MessageRoute::All, None),
    ] {
        let sharing = Sharing { route, rebalancing, leaving: true, ..Sharing::default() };
        let found = on_each(&model, 4, &sharing, |mut ranks| {
            let own = ranks.rank();
            let mut hashes = Hashes::new();
            for heartbeat in 0..heartbeats {
                // Two at once, then the last of the others; rank 0 cannot leave.
                if [(1, 20), (3, 70), (2, 250), (0, 30)].contains(&(own, heartbeat)) {
                    assert_eq!(ranks.request_departure(), own > 0);
                }
                ranks.advance(false).unwrap();
                if ranks.has_left() {
                    return hashes;
                }
                hashes.push(ranks.hash().unwrap().state);
            }
            assert_eq!((ranks.size(), ranks.into_world().hash()), (1, expected[heartbeats - 1]));
            hashes
        });
        for (rank, hashes) in found.into_iter().enumerate() {
            assert_eq!(hashes.len(), [heartbeats, 100, 300, 100][rank], "{route:?}");
            same(&expected[..hashes.len()].to_vec(), &hashes, &format!("rank {rank}, {route:?}"));
        }
    }
}

/// With the neighbor route a rank holds the ground in range of its agents and the tiles assigned to
/// it.
///
/// It does not hold the ruts of others far away, so its memory does not grow with the number of
/// ranks.
#[test]
fn neighbors_do_not_hold_distant_ground() {
    let held = |size: usize| {
        let starts: Vec<Pose> = (0..size).map(|i| pose_at(500.0 * i as f64, 0.0, 0.6)).collect();
        let model = model(&starts);
        let sharing = Sharing { route: MessageRoute::Neighbor, ..Sharing::default() };
        let ends = on_each(&model, size, &sharing, |mut ranks| {
            (0..250).for_each(|_| assert!(!ranks.advance(false).unwrap().quit));
            let before = ranks.world().state().published.nodes();
            ranks.gather().unwrap();
            (before, ranks.world().state().published.nodes())
        });
        let most = ends.iter().map(|end| end.0).max().unwrap();
        (most, ends[0].1)
    };
    let ((two, all_of_two), (six, all_of_six)) = (held(2), held(6));
    assert_eq!(two, six);
    assert_eq!(
        (2 * two, 6 * six),
        (all_of_two, all_of_six),
        "rank 0 receives all start conditions"
    );
}

/// Returns the vehicles for which a rank has bodies, tires and ruts.
fn held(world: &World) -> Vec<usize> {
    let agents = world.state().agents.iter().enumerate();
    agents.filter(|(_, own)| !own.vehicle.body.q.is_empty()).map(|(agent, _)| agent).collect()
}

/// A rank holds the full state of exactly its own vehicles, at the start, after a resume and after
/// migration.
///
/// Rank 0 holds all of them once they are gathered.
#[test]
fn a_rank_holds_its_own_vehicles_alone() {
    let model = far_apart();
    let state = World::new(model.clone()).state().clone();
    for (route, state) in [
        (MessageRoute::All, None),
        (MessageRoute::Neighbor, None),
        (MessageRoute::All, Some(state)),
    ] {
        let ends = on_ranks(3, PATIENCE, |rank| {
            let (own, sharing) = (rank.rank(), Sharing { route, ..Sharing::default() });
            let mut ranks = Ranks::new(rank, model.clone(), state.clone(), &sharing, &[]).unwrap();
            assert_eq!(held(ranks.world()), [own]);
            // The others are available in their initial state.
            assert_eq!(ranks.world().samples().count(), 3);
            ranks.advance(false).unwrap();
            ranks.migrate(vec![1, 2, 0]).unwrap();
            assert_eq!(held(ranks.world()), [(own + 2) % 3]);
            ranks.advance(false).unwrap();
            ranks.gather().unwrap();
            assert_eq!(held(ranks.world()).len(), if own == 0 { 3 } else { 1 });
        });
        ends.into_iter().for_each(|end| end.unwrap());
    }
}

/// Rank 0 has the initial state of all vehicles, whichever rank settled them.
#[test]
fn rank_0_has_all_start_conditions() {
    let hmmwv = vehicle("hmmwv");
    let starts = [pose_at(0.0, 0.0, 0.6), pose_at(0.0, 50.0, 0.6), pose_at(0.0, 100.0, 0.6)];
    let agents = starts
        .map(|start| agent(&hmmwv, table(&[[0.0, 0.0], [1.0, 0.0]], &[], &[]), start))
        .to_vec();
    // A grade of 1 is steeper than soft soil holds.
    let steep = ground(0.05, slope(1.0), vec![soil("soft")]);
    let alone = world(steep, 2e-3, agents);
    assert!(
        alone.start_conditions().iter().all(|stand| *stand != StartCondition::Equilibrium),
        "{:?}",
        alone.start_conditions()
    );
    let sharing = Sharing::default();
    let ends =
        on_each(alone.model(), 3, &sharing, |ranks| ranks.world().start_conditions().to_vec());
    assert_eq!(ends[0], alone.start_conditions());
}

#[test]
fn distant_neighbors_exchange_no_states() {
    let received = |model: WorldModel| {
        let size = model.agents.len();
        let sharing = Sharing { route: MessageRoute::Neighbor, ..Sharing::default() };
        let figures = on_each(&model, size, &sharing, |mut ranks| {
            let heartbeats = (0..60).map(|_| ranks.advance(false).unwrap());
            // Without the census at the start.
            heartbeats.skip(1).map(|heartbeat| heartbeat.received_bytes).sum::<u64>()
        });
        figures.into_iter().max().unwrap()
    };
    let apart = |agents: i32| {
        let starts: Vec<Pose> =
            (0..agents).map(|i| pose_at(500.0 * f64::from(i), 0.0, 0.6)).collect();
        model(&starts)
    };
    // No vehicle is received. What remains is the verdict on whether to continue: 25 bytes in each
    // of 59 heartbeats, in as many rounds as doublings give the number of ranks.
    let (two, six) = (received(apart(2)), received(apart(6)));
    assert_eq!((two, six), (25 * 59, 3 * 25 * 59));
}

#[test]
fn a_run_of_two_ranks_resumes_on_other_ranks() {
    let model = crossing();
    let expected = alone(model.clone(), 100);
    let sharing = Sharing { partition: Partition::RoundRobin, ..Sharing::default() };
    let cut = on_each(&model, 2, &sharing, |mut ranks| {
        (0..70).for_each(|_| assert!(!ranks.advance(false).unwrap().quit));
        ranks.gather().unwrap();
        checkpoint::encode(ranks.world().model(), "crossing", ranks.world().state())
    });
    let state = checkpoint::decode(&model, "crossing", &cut[0]).unwrap();
    let rest = expected[70..].to_vec();
    for size in [1, 3, 4] {
        let found = together(&model, Some(&state), size, &Partition::Blocks, MessageRoute::All, 30);
        same(&rest, &found, &format!("resumed on {size} ranks"));
    }
    let mut world = World::resume(model, state).unwrap();
    world.advance();
    assert_eq!(world.hash(), rest[0]);
}

#[test]
fn rank_0_has_all_state_after_a_gather() {
    let model = convoy();
    let mut single = World::new(model.clone());
    drive(&mut single, 0.5);
    let samples: Vec<_> = single.samples().collect();
    single.publish_all();
    let ends = on_each(&model, 3, &Sharing::default(), |mut ranks| {
        while ranks.world().time() < 0.5 - 1e-9 {
            ranks.advance(false).unwrap();
        }
        let samples = ranks.samples().unwrap();
        ranks.gather().unwrap();
        let mut world = ranks.into_world();
        world.publish_all();
        (world.summary("convoy", 0.0), samples)
    });
    let (summary, gathered) = &ends[0];
    assert_eq!(*summary, single.summary("convoy", 0.0));
    assert_eq!(*gathered, samples);
}

#[test]
fn a_quit_request_of_one_rank_ends_all_ranks() {
    let model = convoy();
    let wishes = on_each(&model, 3, &Sharing::default(), |mut ranks| {
        let own = ranks.rank();
        (0..5)
            .map(|heartbeat| ranks.advance(own == 1 && heartbeat == 3).unwrap().quit)
            .collect::<Vec<_>>()
    });
    for wishes in wishes {
        assert_eq!(wishes, [false, false, false, true, false]);
    }
}

#[test]
fn ranks_that_disagree_name_the_first_key() {
    let model = convoy();
    let errors = on_ranks(2, PATIENCE, |rank| {
        let step = if rank.rank() == 1 { "0.001" } else { "0.002" };
        let agreed = [("seed", "1"), ("time.step", step), ("z", step)]
            .map(|(key, value)| (key.to_owned(), value.to_owned()));
        Ranks::new(rank, model.clone(), None, &Sharing::default(), &agreed).err().unwrap()
    });
    let told: Vec<String> = errors.into_iter().map(|error| error.unwrap().to_string()).collect();
    assert_eq!(told[0], "rank 1 has time.step = 0.001, rank 0 has 0.002");
    assert_eq!(told[1], "rank 0 has time.step = 0.002, rank 1 has 0.001");
}

#[test]
fn a_rank_that_dies_is_named_with_the_tick() {
    let model = convoy();
    let ends = on_each(&model, 3, &Sharing::default(), |mut ranks| {
        let own = ranks.rank();
        for heartbeat in 0.. {
            if own == 1 && heartbeat == 7 {
                return None;
            }
            if let Err(error) = ranks.advance(false) {
                return Some(error);
            }
        }
        None
    });
    for (rank, error) in ends.into_iter().enumerate() {
        if rank == 1 {
            assert_eq!(error, None);
        } else {
            // Seven heartbeats of five steps.
            let source = CommError::Gone { rank: 1 };
            assert_eq!(error, Some(RankError::Lost { tick: 35, source }), "rank {rank}");
        }
    }
}

#[test]
fn a_hanging_rank_is_named_within_the_timeout() {
    let model = convoy();
    // Longer than settling a vehicle takes on a busy machine.
    let timeout = Duration::from_secs(2);
    let ends = on_ranks(2, timeout, |rank| {
        let own = rank.rank();
        let sharing = Sharing::default();
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        if own == 1 {
            std::thread::sleep(2 * timeout);
            return String::new();
        }
        ranks.advance(false).unwrap_err().to_string()
    });
    let told = ends.into_iter().next().unwrap().unwrap();
    assert_eq!(told, "at tick 0: no answer from rank 1 within 2 s");
}

/// Communicator that alters one byte of rank 1's ninth broadcast.
struct Altering {
    inner: bekker::sync::Threads,
    exchanges: usize,
}

impl Communicator for Altering {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn elapsed(&self) -> Duration {
        self.inner.elapsed()
    }

    fn all_gather(
        &mut self,
        mine: &[u8],
        meanwhile: &mut dyn FnMut(),
        all: &mut bekker::sync::RankBuffers,
    ) -> Result<bekker::sync::ExchangeTimes, CommError> {
        self.exchanges += 1;
        let mut mine = mine.to_vec();
        if self.rank() == 1 && self.exchanges == 9 {
            let middle = mine.len() / 2;
            mine[middle] ^= 0x10;
        }
        self.inner.all_gather(&mine, meanwhile, all)
    }

    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut bekker::sync::RankBuffers,
    ) -> Result<bekker::sync::ExchangeTimes, CommError> {
        self.inner.exchange(to, from, meanwhile, received)
    }
}

#[test]
fn an_altered_message_names_rank_tick_and_kind() {
    let model = convoy();
    let ends = on_ranks(2, PATIENCE, |rank| {
        let sharing = Sharing::default();
        let rank = Altering { inner: rank, exchanges: 0 };
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        let before = |ranks: &Ranks| ranks.world().state().published.digest();
        loop {
            let ground = before(&ranks);
            if let Err(error) = ranks.advance(false) {
                assert_eq!(before(&ranks), ground, "nothing of it was applied");
                return error.to_string();
            }
        }
    });
    // States are the first broadcast and introductions the second, so the ninth is the heartbeat of
    // step 30. Its sender does not read it.
    let told: Vec<String> = ends.into_iter().map(Result::unwrap).collect();
    assert!(
        told[0].starts_with("corrupt heartbeat from rank 1 at tick 30: checksum"),
        "{}",
        told[0]
    );
    assert_eq!(told[1], "at tick 35: rank 0 has disconnected");
}

/// Ground takes at most four bytes per node, in a convoy at a spacing of 5 cm that starts from
/// rest.
#[test]
fn ground_takes_at_most_four_bytes_a_node() {
    let model = convoy();
    let sums = on_each(&model, 2, &Sharing::default(), |mut ranks| {
        let (mut nodes, mut bytes) = (0, 0);
        for _ in 0..300 {
            let heartbeat = ranks.advance(false).unwrap();
            nodes += heartbeat.nodes;
            bytes += heartbeat.ground_bytes;
        }
        (nodes, bytes)
    });
    let (nodes, bytes) = sums.iter().fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    let each = bytes as f64 / nodes as f64;
    println!("{nodes} nodes, {bytes} bytes: {each:.2} bytes a node");
    assert!(nodes > 2_000 && each <= 4.0, "{nodes} nodes, {each:.2} bytes a node");
}

/// A rank that starts without a state receives a snapshot, and then has equal hashes.
#[test]
fn a_rank_that_joins_late_gets_a_snapshot() {
    let model = crossing();
    let expected = alone(model.clone(), 60);
    let mut world = World::new(model.clone());
    (0..40).for_each(|_| world.advance());
    let state = world.state().clone();
    for late in [0, 1, 2] {
        let all = on_ranks(3, PATIENCE, |rank| {
            let own = (rank.rank() != late).then(|| state.clone());
            let sharing = Sharing::default();
            let mut ranks = Ranks::new(rank, model.clone(), own, &sharing, &[]).unwrap();
            let mut hashes = vec![ranks.hash().unwrap().state];
            for _ in 0..20 {
                ranks.advance(false).unwrap();
                hashes.push(ranks.hash().unwrap().state);
            }
            hashes
        });
        for hashes in all {
            same(&expected[39..].to_vec(), &hashes.unwrap(), &format!("rank {late} joins late"));
        }
    }
}

/// Ranks whose states have different ticks refuse to continue.
#[test]
fn ranks_of_different_ticks_do_not_start() {
    let model = far_apart();
    let errors = on_ranks(2, PATIENCE, |rank| {
        let mut world = World::new(model.clone());
        (0..=rank.rank()).for_each(|_| world.advance());
        let state = Some(world.state().clone());
        Ranks::new(rank, model.clone(), state, &Sharing::default(), &[]).err().unwrap()
    });
    for error in errors {
        assert_eq!(error.unwrap().to_string(), "rank 1 has tick = 10, rank 0 has 5");
    }
}

/// A vehicle of another rank is exact at a heartbeat; between two the extrapolation error is at
/// most D_H.
///
/// The error falls with each higher order, and the chosen order changes no bit.
#[test]
fn ghosts_stay_within_the_bound_and_change_nothing() {
    let mut model = convoy();
    model.agents.iter_mut().for_each(|agent| agent.speed = 6.0);
    let errors =
        [ExtrapolationOrder::Constant, ExtrapolationOrder::First, ExtrapolationOrder::Second].map(
            |order| {
                let sharing = Sharing { order, ..Sharing::default() };
                let ends = on_each(&model, 3, &sharing, |mut ranks| {
                    let heartbeats: Vec<_> =
                        (0..150).map(|_| ranks.advance(false).unwrap()).collect();
                    // The first second contains the fall onto the ground.
                    let late = &heartbeats[100..];
                    let worst =
                        late.iter().map(|heartbeat| heartbeat.ghost_error).fold(0.0, f64::max);
                    assert!(
                        late.iter().all(|heartbeat| heartbeat.ghost_error <= heartbeat.ghost_bound)
                    );
                    let seen: Vec<_> = (0..3)
                        .map(|agent| {
                            ranks.ghost(agent).map(|ghost| ghost.pose(ranks.world().time()))
                        })
                        .collect();
                    let hash = ranks.hash().unwrap().state;
                    ranks.gather().unwrap();
                    let samples: Vec<_> = ranks.world().samples().collect();
                    (worst, hash, seen, samples)
                });
                for (rank, (_, _, seen, _)) in ends.iter().enumerate() {
                    for (agent, pose) in seen.iter().enumerate() {
                        assert_eq!(pose.is_some(), agent != rank, "a ghost for each of the others");
                        if let Some(pose) = pose {
                            // Rank 0 has gathered all; positions are sent in full precision.
                            let truth = &ends[0].3[agent];
                            assert_eq!(
                                pose.position, truth.pose.position,
                                "agent {agent} on {rank}"
                            );
                        }
                    }
                }
                let worst = ends.iter().map(|end| end.0).fold(0.0, f64::max);
                (worst, ends[0].1)
            },
        );
    println!("errors by order: {:?}", errors.map(|(worst, _)| worst));
    // 6 m/s for 10 ms
    assert!((errors[0].0 / 0.06 - 1.0).abs() < 0.3, "{}", errors[0].0);
    assert!(errors[1].0 < 0.05 * errors[0].0 && errors[2].0 < errors[0].0);
    assert!(errors.iter().all(|(_, hash)| *hash == errors[0].1));
}

/// Shortened heartbeats are the same on all ranks, and keep D_H within the tolerance.
#[test]
fn heartbeats_that_adapt_are_the_same_on_all_ranks() {
    let mut model = far_apart();
    model.clock = model.clock.with_tolerance(0.05);
    // The first is slow, the last fast: all use the heartbeat that the last requires.
    model.agents[2].speed = 12.0;
    let heartbeats = 150;
    let cases = [(2, MessageRoute::All), (3, MessageRoute::Star), (3, MessageRoute::Neighbor)];
    let cases = cases.map(|(size, route)| (size, Partition::Blocks, route));
    check_bits(&model, heartbeats, &cases);
    let mut world = World::new(model.clone());
    let mut lengths = Vec::new();
    for _ in 0..heartbeats {
        let before = world.time();
        world.advance();
        lengths.push(world.time() - before);
    }
    // At 12 m/s, 0.05 m are passed after 4 ms.
    assert!(lengths[10..].iter().all(|&length| length < 0.004 + 1e-9), "{lengths:?}");
}

/// Builds a convoy in which two M113 precede an HMMWV, the first with shoes as bodies.
///
/// The other, on belts, turns away.
fn mixed_convoy() -> WorldModel {
    let mut model = model(&[pose_at(-14.0, 0.0, 0.6)]);
    let on = [[0.2, 0.0], [0.4, 0.6]];
    let leads = m113_on(TrackModel::Segmented, table(&on, &[], &[]), pose_at(0.0, 0.1, 0.0));
    let turns = m113(table(&on, &[[0.3, 0.0], [0.6, 0.5]], &[]), pose_at(-7.0, 0.0, 0.0));
    model.agents.extend([leads, turns]);
    let soft = soil("mid");
    world_model(flat(0.05, soft), 2e-3, model.agents)
}

#[test]
fn tracked_and_mixed_convoys_give_the_same_bits() {
    let cases = [
        (2, MessageRoute::All),
        (3, MessageRoute::All),
        (4, MessageRoute::Star),
        (3, MessageRoute::Neighbor),
    ];
    let cases = cases.map(|(size, route)| (size, Partition::RoundRobin, route));
    check_bits(&mixed_convoy(), 80, &cases);
}

/// Returns rank 0's view of a tracked agent of rank 1 after 120 heartbeats.
///
/// The other values are the maximum size of its message and its true state.
fn told_of(model: &WorldModel, agent: usize) -> (RunningGearMessage, f64, VehicleState) {
    let partition: Vec<_> =
        (0..model.agents.len()).map(|index| usize::from(index == agent)).collect();
    let sharing = Sharing { partition: Partition::Listed(partition), ..Sharing::default() };
    let ends = on_each(model, 2, &sharing, |mut ranks| {
        let bytes = (0..120)
            .map(|_| ranks.advance(false).unwrap())
            .map(|heartbeat| heartbeat.state_bytes as f64 / heartbeat.announced as f64)
            .fold(0.0, f64::max);
        let told = ranks.ghost(agent).map(|ghost| ghost.gear().clone());
        ranks.gather().unwrap();
        (bytes, told, ranks.world().state().agents[agent].vehicle.clone())
    });
    let mut ends = ends.into_iter();
    let (_, told, state) = ends.next().unwrap();
    (told.unwrap(), ends.next().unwrap().0, state)
}

/// The message of a tracked vehicle is small, and every shoe is restored from it to 1 mm.
#[test]
fn a_track_message_restores_every_shoe() {
    let model = mixed_convoy();
    for (agent, shoes, within) in [(1, 127, 1e-4), (2, 50, 4e-3)] {
        let (told, bytes, state) = told_of(&model, agent);
        println!("an M113's state: {bytes} bytes");
        assert!(bytes <= 1500.0, "{bytes} bytes");
        let AnyVehicle::Tracked(own) = &model.agents[agent].vehicle else {
            panic!("it has tracks")
        };
        let workspace = own.vehicle.workspace(&state);
        let hull = own.vehicle.pose(&workspace);
        let told = own.shoe_poses(&told);
        assert!(told[0].len() + told[1].len() >= shoes, "{} shoes", told[0].len());
        let mut laid = Shoes::new();
        for (side, told) in told.iter().enumerate() {
            let bodies: Vec<_> = own.vehicle.shoe_bodies(&state, side).collect();
            let laid: Vec<Pose> = if bodies.is_empty() {
                own.vehicle.find_shoes(&state, &workspace, side, &mut laid);
                laid.poses().iter().map(|shoe| shoe.pose).collect()
            } else {
                let turn = |angle| Quat::from_axis_angle(&Vec3::y_axis(), angle);
                let pose = |(place, angle): ([f64; 3], f64)| Pose {
                    position: hull.point(&place.into()),
                    orientation: hull.orientation * turn(angle),
                };
                bodies.into_iter().map(pose).collect()
            };
            assert_eq!(told.len(), laid.len());
            for (told, laid) in told.iter().zip(&laid) {
                let off = (hull.point(&told.position) - laid.position).norm();
                assert!(off < 1e-3, "side {side}: {off} m off");
                // Half a quantum of the angle; on a belt, also half a quantum at each end of a shoe
                // of 15 cm.
                let turned = (hull.orientation * told.orientation).angle_to(&laid.orientation);
                assert!(turned < within, "side {side}: {turned} rad off");
            }
        }
    }
}

/// Diverged replicas are detected at the first hash, with rank and tick.
#[test]
fn a_ground_that_differs_names_rank_and_tick() {
    let model = convoy();
    let mut world = World::new(model.clone());
    (0..60).for_each(|_| world.advance());
    let told = on_ranks(3, PATIENCE, |rank| {
        let mut state = world.state().clone();
        if rank.rank() == 2 {
            // A rut that no vehicle made, as after a flipped bit of memory.
            let mut rut = bekker::ground::Patches::default();
            rut.begin(bekker::grid::TileKey { a: 0, b: 0 });
            let sunk = bekker::ground::NodeState { plastic_sinkage: 900, ..Default::default() };
            rut.push(3, sunk);
            state.published.apply(&rut);
        }
        let sharing = Sharing::default();
        let mut ranks = Ranks::new(rank, model.clone(), Some(state), &sharing, &[]).unwrap();
        ranks.advance(false).unwrap();
        ranks.hash().unwrap_err()
    });
    for error in told {
        assert_eq!(error.unwrap(), RankError::Diverged { rank: 2, tick: 305 });
    }
}

/// Gathered data carries a checksum, so any altered byte is detected.
#[test]
fn altered_plain_data_names_rank_tick_and_kind() {
    let model = convoy();
    let ends = on_ranks(2, PATIENCE, |rank| {
        let sharing = Sharing::default();
        // States, introductions and six heartbeats: the ninth is the gathering.
        let rank = Altering { inner: rank, exchanges: 0 };
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        (0..6).for_each(|_| assert!(!ranks.advance(false).unwrap().quit));
        ranks.gather_all("figures", &vec![0.25_f64; 40]).unwrap_err().to_string()
    });
    for told in ends {
        let told = told.unwrap();
        assert!(told.starts_with("corrupt figures from rank 1 at tick 30: checksum"), "{told}");
    }
}
