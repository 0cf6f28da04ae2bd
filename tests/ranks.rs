//! One process and any number of in-process ranks give the same bits at every
//! heartbeat.

use crate::scene;

use bekker::simulation::{
    GroundVehicle, RankError, Ranks, Rebalancing, Route, Sharing, Stand, World, WorldModel,
    WorldState, checkpoint,
};
use bekker::spatial::{Pose, Quat, Vec3};
use bekker::sync::ghost::Order;
use bekker::sync::message::RunningGear;
use bekker::sync::{CommError, Communicator, Partition};
use bekker::vehicle::spec::TrackModel;
use bekker::vehicle::{Shoes, VehicleState};
use scene::{
    agent, at, drive, flat, ground, m113, m113_on, on_ranks, slope, soil, table, vehicle, world,
    world_model,
};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

fn turned(x: f64, y: f64, degrees: f64) -> Pose {
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), degrees.to_radians());
    Pose { orientation, ..at(x, y, 0.6) }
}

fn model(starts: &[Pose]) -> WorldModel {
    let hmmwv = vehicle("hmmwv");
    let on = [[0.2, 0.0], [0.4, 0.6]];
    let agents = starts.iter().map(|&start| agent(&hmmwv, table(&on, &[], &[]), start)).collect();
    world_model(flat(0.05, soil("soft")), 2e-3, agents)
}

/// Three in one rut, close behind each other.
fn convoy() -> WorldModel {
    model(&[at(0.0, 0.0, 0.6), at(-5.0, 0.1, 0.6), at(-10.0, -0.05, 0.6)])
}

/// Four that stand so close that several touch the same nodes in one heartbeat.
fn crossing() -> WorldModel {
    model(&[
        at(0.0, 0.0, 0.6),
        turned(0.9, 0.9, 90.0),
        turned(0.0, 0.2, 0.0),
        turned(1.0, 1.0, 45.0),
    ])
}

fn far_apart() -> WorldModel {
    model(&[at(0.0, 0.0, 0.6), at(5_000.0, 0.0, 0.6), turned(-3_000.0, 4_000.0, 120.0)])
}

/// State hashes, heartbeat by heartbeat.
pub type Hashes = Vec<[u8; 32]>;

/// A model in one process.
pub fn alone(model: WorldModel, heartbeats: usize) -> Hashes {
    let mut world = World::new(model);
    let hash = |world: &mut World| {
        world.advance();
        world.hash()
    };
    (0..heartbeats).map(|_| hash(&mut world)).collect()
}

/// The same on so many ranks.
pub fn together(
    model: &WorldModel,
    state: Option<&WorldState>,
    size: usize,
    partition: &Partition,
    route: Route,
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
        // the replicas themselves, by the slow and strong hash
        let own = ranks.world().state().published.hash();
        let grounds = ranks.gathered("ground", &own).unwrap();
        assert!(route == Route::Neighbour || grounds.iter().all(|ground| *ground == grounds[0]));
        hashes
    });
    let all: Vec<Hashes> = all.into_iter().map(Result::unwrap).collect();
    assert!(all.iter().all(|hashes| *hashes == all[0]), "ranks disagree");
    all.into_iter().next().unwrap()
}

#[track_caller]
fn same(expected: &Hashes, found: &Hashes, what: &str) {
    let first = expected.iter().zip(found).position(|(a, b)| a != b);
    assert_eq!(first, None, "{what}: first heartbeat that differs");
    assert_eq!(expected.len(), found.len());
}

#[test]
fn a_convoy_in_one_rut() {
    let model = convoy();
    let expected = alone(model.clone(), 200);
    for size in [1, 2, 3, 4] {
        let found = together(&model, None, size, &Partition::Blocks, Route::All, 200);
        same(&expected, &found, &format!("{size} ranks"));
    }
}

#[test]
fn vehicles_that_touch_one_node_in_one_heartbeat() {
    let model = crossing();
    let expected = alone(model.clone(), 120);
    for (size, partition) in [
        (2, Partition::Blocks),
        (2, Partition::RoundRobin),
        (4, Partition::Blocks),
        (3, Partition::Listed(vec![2, 0, 2, 0])),
    ] {
        let found = together(&model, None, size, &partition, Route::All, 120);
        same(&expected, &found, &format!("{size} ranks, {partition}"));
    }
}

#[test]
fn vehicles_kilometres_apart() {
    let model = far_apart();
    let expected = alone(model.clone(), 60);
    let found = together(&model, None, 3, &Partition::Blocks, Route::All, 60);
    same(&expected, &found, "3 ranks");
}

#[test]
fn the_star_gives_the_same_bits() {
    let model = crossing();
    let expected = alone(model.clone(), 60);
    for size in [1, 2, 4] {
        let found = together(&model, None, size, &Partition::Blocks, Route::Star, 60);
        same(&expected, &found, &format!("star of {size} ranks"));
    }
}

/// Two that meet head on in one lane and pass, one far away that stays alone,
/// one that drives where another has been long before.
#[test]
fn neighbours_that_approach_and_part() {
    let mut model = model(&[
        at(0.0, 0.0, 0.6),
        turned(60.0, 2.4, 180.0),
        turned(-3_000.0, 4_000.0, 120.0),
        at(-70.0, 0.1, 0.6),
    ]);
    model.agents.iter_mut().for_each(|agent| agent.speed = 8.0);
    let heartbeats = 700;
    let expected = alone(model.clone(), heartbeats);
    for (size, partition) in [(4, Partition::Blocks), (3, Partition::Listed(vec![1, 2, 0, 0]))] {
        let found = together(&model, None, size, &partition, Route::Neighbour, heartbeats);
        same(&expected, &found, &format!("{size} neighbouring ranks, {partition}"));
    }
}

/// Agents that change ranks in every tenth of a second, at random, with all they have: whoever
/// is told of whom, the bits are those of one process; and so they are by place and cost.
#[test]
fn agents_that_migrate_drive_the_same() {
    let mut model = model(&[
        at(0.0, 0.0, 0.6),
        turned(40.0, 2.4, 180.0),
        at(-5.0, 0.1, 0.6),
        turned(300.0, 40.0, 90.0),
        at(-30.0, 0.1, 0.6),
    ]);
    model.agents.iter_mut().for_each(|agent| agent.speed = 6.0);
    let heartbeats = 300;
    let expected = alone(model.clone(), heartbeats);
    for (route, size, by_chance, every) in [
        (Route::Neighbour, 3, Some(1), 0.1),
        (Route::All, 4, Some(2), 0.1),
        (Route::Star, 2, Some(3), 0.1),
        (Route::Neighbour, 2, None, 0.5),
    ] {
        let found = on_ranks(size, PATIENCE, |rank| {
            let rebalancing = Some(Rebalancing { every, by_chance });
            let sharing = Sharing { route, rebalancing, ..Sharing::default() };
            let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
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
        for end in found {
            let (hashes, moved, last) = end.unwrap();
            same(&expected, &hashes, &format!("{size} ranks, {route:?}, {by_chance:?}"));
            assert!(by_chance.is_none() || moved > 30, "{moved} moved");
            assert!(last.is_none_or(|last| last == expected[heartbeats - 1]), "gathered");
        }
    }
}

/// Ranks that are told to go, one after the other until the first is alone, hand over what they
/// have: those that are left drive on with the same bits.
#[test]
fn ranks_that_leave_hand_over_what_they_have() {
    let mut model = model(&[
        at(0.0, 0.0, 0.6),
        turned(40.0, 2.4, 180.0),
        at(-5.0, 0.1, 0.6),
        at(300.0, 0.0, 0.6),
    ]);
    model.agents.iter_mut().for_each(|agent| agent.speed = 6.0);
    let heartbeats = 450;
    let expected = alone(model.clone(), heartbeats);
    for (route, rebalancing) in [
        (Route::Neighbour, None),
        (Route::Neighbour, Some(Rebalancing { every: 0.5, by_chance: Some(5) })),
        (Route::All, None),
    ] {
        let found = on_ranks(4, PATIENCE, |rank| {
            let own = rank.rank();
            let leaving = true;
            let sharing = Sharing { route, rebalancing, leaving, ..Sharing::default() };
            let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
            let mut hashes = Hashes::new();
            for heartbeat in 0..heartbeats {
                // two at once, then the last of the others; the first cannot
                if [(1, 20), (3, 70), (2, 250), (0, 30)].contains(&(own, heartbeat)) {
                    assert_eq!(ranks.ask_to_leave(), own > 0);
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
            let hashes = hashes.unwrap();
            assert_eq!(hashes.len(), [heartbeats, 100, 300, 100][rank], "{route:?}");
            same(&expected[..hashes.len()].to_vec(), &hashes, &format!("rank {rank}, {route:?}"));
        }
    }
}

/// With neighbours a rank holds the ground its agents may come to, and that at home with it, not
/// what the others leave far away: what it holds does not grow with the number of ranks.
#[test]
fn neighbours_do_not_hold_what_others_leave_far_away() {
    let held = |size: usize| {
        let starts: Vec<Pose> = (0..size).map(|i| at(500.0 * i as f64, 0.0, 0.6)).collect();
        let model = model(&starts);
        let ends = on_ranks(size, PATIENCE, |rank| {
            let sharing = Sharing { route: Route::Neighbour, ..Sharing::default() };
            let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
            (0..250).for_each(|_| assert!(!ranks.advance(false).unwrap().quit));
            let before = ranks.world().state().published.nodes();
            ranks.gather().unwrap();
            (before, ranks.world().state().published.nodes())
        });
        let ends: Vec<(usize, usize)> = ends.into_iter().map(Result::unwrap).collect();
        let most = ends.iter().map(|end| end.0).max().unwrap();
        (most, ends[0].1)
    };
    let ((two, all_of_two), (six, all_of_six)) = (held(2), held(6));
    assert_eq!(two, six);
    assert_eq!((2 * two, 6 * six), (all_of_two, all_of_six), "and the first is told of all");
}

/// Vehicles of which a rank has bodies, tyres and ruts.
fn held(world: &World) -> Vec<usize> {
    let agents = world.state().agents.iter().enumerate();
    agents.filter(|(_, own)| !own.vehicle.body.q.is_empty()).map(|(agent, _)| agent).collect()
}

/// At the start, after a resume and once vehicles have changed ranks, a rank holds those that step
/// there and no others; the first all of them once they are gathered.
#[test]
fn a_rank_holds_its_own_vehicles_alone() {
    let model = far_apart();
    let state = World::new(model.clone()).state().clone();
    for (route, state) in [(Route::All, None), (Route::Neighbour, None), (Route::All, Some(state))]
    {
        let ends = on_ranks(3, PATIENCE, |rank| {
            let (own, sharing) = (rank.rank(), Sharing { route, ..Sharing::default() });
            let mut ranks = Ranks::new(rank, model.clone(), state.clone(), &sharing, &[]).unwrap();
            assert_eq!(held(ranks.world()), [own]);
            // the others can be asked for: they are where they begin
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

/// The first rank knows of all vehicles how they began, whichever rank set them down.
#[test]
fn the_first_rank_knows_how_all_begin() {
    let hmmwv = vehicle("hmmwv");
    let starts = [at(0.0, 0.0, 0.6), at(0.0, 50.0, 0.6), at(0.0, 100.0, 0.6)];
    let agents = starts
        .map(|start| agent(&hmmwv, table(&[[0.0, 0.0], [1.0, 0.0]], &[], &[]), start))
        .to_vec();
    // one in one is steeper than soft soil holds
    let steep = ground(0.05, slope(1.0), vec![soil("soft")]);
    let alone = world(steep, 2e-3, agents);
    assert!(alone.stands().iter().all(|stand| *stand != Stand::Still), "{:?}", alone.stands());
    let ends = on_ranks(3, PATIENCE, |rank| {
        let model = alone.model().clone();
        let ranks = Ranks::new(rank, model, None, &Sharing::default(), &[]).unwrap();
        ranks.world().stands().to_vec()
    });
    assert_eq!(ends.into_iter().next().unwrap().unwrap(), alone.stands());
}

#[test]
fn far_neighbours_hear_nothing_of_each_other() {
    let received = |model: WorldModel| {
        let size = model.agents.len();
        let figures = on_ranks(size, PATIENCE, |rank| {
            let sharing = Sharing { route: Route::Neighbour, ..Sharing::default() };
            let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
            let heartbeats = (0..60).map(|_| ranks.advance(false).unwrap());
            // without the census at the start
            heartbeats.skip(1).map(|heartbeat| heartbeat.received_bytes).sum::<u64>()
        });
        figures.into_iter().map(Result::unwrap).max().unwrap()
    };
    let apart = |agents: i32| {
        let starts: Vec<Pose> = (0..agents).map(|i| at(500.0 * f64::from(i), 0.0, 0.6)).collect();
        model(&starts)
    };
    // no vehicle is heard of; what remains is the verdict whether to go on, 25 bytes
    // in each of 59 heartbeats and in as many rounds as doublings make the ranks
    let (two, six) = (received(apart(2)), received(apart(6)));
    assert_eq!((two, six), (25 * 59, 3 * 25 * 59));
}

#[test]
fn a_run_cut_on_two_ranks_and_resumed_on_others() {
    let model = crossing();
    let expected = alone(model.clone(), 100);
    let cut = on_ranks(2, PATIENCE, |rank| {
        let sharing = Sharing { partition: Partition::RoundRobin, ..Sharing::default() };
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        (0..70).for_each(|_| assert!(!ranks.advance(false).unwrap().quit));
        ranks.gather().unwrap();
        checkpoint::encode(ranks.world().model(), "crossing", ranks.world().state())
    });
    let bytes = cut.into_iter().next().unwrap().unwrap();
    let state = checkpoint::decode(&model, "crossing", &bytes).unwrap();
    let rest = expected[70..].to_vec();
    for size in [1, 3, 4] {
        let found = together(&model, Some(&state), size, &Partition::Blocks, Route::All, 30);
        same(&rest, &found, &format!("resumed on {size} ranks"));
    }
    let mut world = World::resume(model, state).unwrap();
    world.advance();
    assert_eq!(world.hash(), rest[0]);
}

#[test]
fn rank_0_has_everything_after_a_gathering() {
    let model = convoy();
    let mut single = World::new(model.clone());
    drive(&mut single, 0.5);
    let samples: Vec<_> = single.samples().collect();
    single.publish_all();
    let ends = on_ranks(3, PATIENCE, |rank| {
        let sharing = Sharing::default();
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        while ranks.world().time() < 0.5 - 1e-9 {
            ranks.advance(false).unwrap();
        }
        let samples = ranks.samples().unwrap();
        ranks.gather().unwrap();
        let mut world = ranks.into_world();
        world.publish_all();
        (world.summary("convoy", 0.0), samples)
    });
    let (summary, gathered) = ends.into_iter().next().unwrap().unwrap();
    assert_eq!(summary, single.summary("convoy", 0.0));
    assert_eq!(gathered, samples);
}

#[test]
fn one_rank_that_wants_to_quit_ends_it_for_all() {
    let model = convoy();
    let wishes = on_ranks(3, PATIENCE, |rank| {
        let own = rank.rank();
        let sharing = Sharing::default();
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        (0..5)
            .map(|heartbeat| ranks.advance(own == 1 && heartbeat == 3).unwrap().quit)
            .collect::<Vec<_>>()
    });
    for wishes in wishes {
        assert_eq!(wishes.unwrap(), [false, false, false, true, false]);
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
    let ends = on_ranks(3, PATIENCE, |rank| {
        let own = rank.rank();
        let sharing = Sharing::default();
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
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
    for (rank, end) in ends.into_iter().enumerate() {
        let error = end.unwrap();
        if rank == 1 {
            assert_eq!(error, None);
        } else {
            // seven heartbeats of five steps
            let source = CommError::Gone { rank: 1 };
            assert_eq!(error, Some(RankError::Lost { tick: 35, source }), "rank {rank}");
        }
    }
}

#[test]
fn a_rank_that_hangs_is_named_within_the_time_out() {
    let model = convoy();
    // longer than setting a vehicle down takes on a busy machine
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

/// Alters one byte of what rank 1 sends to all at its ninth time.
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
        all: &mut bekker::sync::Parts,
    ) -> Result<bekker::sync::Phases, CommError> {
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
        received: &mut bekker::sync::Parts,
    ) -> Result<bekker::sync::Phases, CommError> {
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
    // states are the first that is told to all, introductions the second, so the
    // ninth is the heartbeat of step 30; its sender does not read it
    let told: Vec<String> = ends.into_iter().map(Result::unwrap).collect();
    assert!(
        told[0].starts_with("corrupt heartbeat from rank 1 at tick 30: checksum"),
        "{}",
        told[0]
    );
    assert_eq!(told[1], "at tick 35: rank 0 is gone");
}

/// Bytes of ground on the wire in a convoy at 5 cm that starts from rest.
#[test]
fn ground_takes_at_most_four_bytes_a_node() {
    let model = convoy();
    let figures = on_ranks(2, PATIENCE, |rank| {
        let sharing = Sharing::default();
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        let (mut nodes, mut bytes) = (0, 0);
        for _ in 0..300 {
            let heartbeat = ranks.advance(false).unwrap();
            nodes += heartbeat.nodes;
            bytes += heartbeat.ground_bytes;
        }
        (nodes, bytes)
    });
    let sums: Vec<(u64, u64)> = figures.into_iter().map(Result::unwrap).collect();
    let (nodes, bytes) = sums.iter().fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    let each = bytes as f64 / nodes as f64;
    println!("{nodes} nodes, {bytes} bytes: {each:.2} bytes a node");
    assert!(nodes > 2_000 && each <= 4.0, "{nodes} nodes, {each:.2} bytes a node");
}

/// A rank that begins without a state gets a snapshot, and then has equal hashes.
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

/// Ranks whose states are of different ticks do not go on together.
#[test]
fn ranks_of_different_ticks_do_not_go_on() {
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

/// A vehicle of another rank is where it really is at a heartbeat; between two the
/// extrapolation errs by no more than D_H, less in each higher order, and whatever
/// order is chosen changes no bit.
#[test]
fn ghosts_stay_within_the_bound_and_change_nothing() {
    let mut model = convoy();
    model.agents.iter_mut().for_each(|agent| agent.speed = 6.0);
    let errors = [Order::Constant, Order::First, Order::Second].map(|order| {
        let ends = on_ranks(3, PATIENCE, |rank| {
            let sharing = Sharing { order, ..Sharing::default() };
            let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
            let heartbeats: Vec<_> = (0..150).map(|_| ranks.advance(false).unwrap()).collect();
            // the first second holds the fall onto the ground
            let late = &heartbeats[100..];
            let worst = late.iter().map(|heartbeat| heartbeat.ghost_error).fold(0.0, f64::max);
            assert!(late.iter().all(|heartbeat| heartbeat.ghost_error <= heartbeat.ghost_bound));
            let seen: Vec<_> = (0..3)
                .map(|agent| ranks.ghost(agent).map(|ghost| ghost.pose(ranks.world().time())))
                .collect();
            let hash = ranks.hash().unwrap().state;
            ranks.gather().unwrap();
            let samples: Vec<_> = ranks.world().samples().collect();
            (worst, hash, seen, samples)
        });
        let ends: Vec<_> = ends.into_iter().map(Result::unwrap).collect();
        for (rank, (_, _, seen, _)) in ends.iter().enumerate() {
            for (agent, pose) in seen.iter().enumerate() {
                assert_eq!(pose.is_some(), agent != rank, "a ghost for each of the others");
                if let Some(pose) = pose {
                    // rank 0 has gathered all; positions travel in full precision
                    let truth = &ends[0].3[agent];
                    assert_eq!(pose.position, truth.pose.position, "agent {agent} on {rank}");
                }
            }
        }
        let worst = ends.iter().map(|end| end.0).fold(0.0, f64::max);
        (worst, ends[0].1)
    });
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
    model.clock = model.clock.within(0.05);
    // the first is slow, the last fast: all take the heartbeat that the last needs
    model.agents[2].speed = 12.0;
    let heartbeats = 150;
    let expected = alone(model.clone(), heartbeats);
    for (size, route) in [(2, Route::All), (3, Route::Star), (3, Route::Neighbour)] {
        let found = together(&model, None, size, &Partition::Blocks, route, heartbeats);
        same(&expected, &found, &format!("{size} ranks, {route:?}"));
    }
    let mut world = World::new(model.clone());
    let mut lengths = Vec::new();
    for _ in 0..heartbeats {
        let before = world.time();
        world.advance();
        lengths.push(world.time() - before);
    }
    // 12 m/s may go on for 4 ms before 0.05 m are passed, and full ones are met
    assert!(lengths[10..].iter().all(|&length| length < 0.004 + 1e-9), "{lengths:?}");
}

/// Two M113 break a trail for an HMMWV, the first on shoes that are bodies; the other, on
/// belts, turns away.
fn mixed_convoy() -> WorldModel {
    let mut model = model(&[at(-14.0, 0.0, 0.6)]);
    let on = [[0.2, 0.0], [0.4, 0.6]];
    let leads = m113_on(TrackModel::Segmented, table(&on, &[], &[]), at(0.0, 0.1, 0.0));
    let turns = m113(table(&on, &[[0.3, 0.0], [0.6, 0.5]], &[]), at(-7.0, 0.0, 0.0));
    model.agents.extend([leads, turns]);
    let soft = soil("mid");
    world_model(flat(0.05, soft), 2e-3, model.agents)
}

#[test]
fn tracked_and_mixed_convoys_give_the_same_bits() {
    let model = mixed_convoy();
    let expected = alone(model.clone(), 80);
    for (size, route) in [(2, Route::All), (3, Route::All), (4, Route::Star), (3, Route::Neighbour)]
    {
        let found = together(&model, None, size, &Partition::RoundRobin, route, 80);
        same(&expected, &found, &format!("{size} ranks, {route:?}"));
    }
}

/// What rank 0 is told of a tracked agent of rank 1 after 120 heartbeats, the greatest
/// size of its message, and its true state.
fn told_of(model: &WorldModel, agent: usize) -> (RunningGear, f64, VehicleState) {
    let partition: Vec<_> =
        (0..model.agents.len()).map(|index| usize::from(index == agent)).collect();
    let ends = on_ranks(2, PATIENCE, |rank| {
        let sharing =
            Sharing { partition: Partition::Listed(partition.clone()), ..Sharing::default() };
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        let bytes = (0..120)
            .map(|_| ranks.advance(false).unwrap())
            .map(|heartbeat| heartbeat.state_bytes as f64 / heartbeat.announced as f64)
            .fold(0.0, f64::max);
        let told = ranks.ghost(agent).map(|ghost| ghost.gear().clone());
        ranks.gather().unwrap();
        (bytes, told, ranks.world().state().agents[agent].vehicle.clone())
    });
    let mut ends = ends.into_iter().map(Result::unwrap);
    let (_, told, state) = ends.next().unwrap();
    (told.unwrap(), ends.next().unwrap().0, state)
}

/// The message of a vehicle on tracks is small, and every shoe comes back from it to 1 mm.
#[test]
fn a_track_in_a_message_gives_back_every_shoe() {
    let model = mixed_convoy();
    for (agent, shoes, within) in [(1, 127, 1e-4), (2, 50, 4e-3)] {
        let (told, bytes, state) = told_of(&model, agent);
        println!("an M113's state: {bytes} bytes");
        assert!(bytes <= 1500.0, "{bytes} bytes");
        let GroundVehicle::Tracked(own) = &model.agents[agent].vehicle else {
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
                own.vehicle.lay_shoes(&state, &workspace, side, &mut laid);
                laid.places().iter().map(|shoe| shoe.pose).collect()
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
                // half a quantum of the angle, and on a belt half a quantum at each end of
                // a shoe of 15 cm
                let turned = (hull.orientation * told.orientation).angle_to(&laid.orientation);
                assert!(turned < within, "side {side}: {turned} rad off");
            }
        }
    }
}

/// Replicas that have grown apart are found at the first hash, with rank and tick.
#[test]
fn a_ground_that_differs_names_rank_and_tick() {
    let model = convoy();
    let mut world = World::new(model.clone());
    (0..60).for_each(|_| world.advance());
    let told = on_ranks(3, PATIENCE, |rank| {
        let mut state = world.state().clone();
        if rank.rank() == 2 {
            // a rut that nobody has driven, as a flipped bit of memory would leave it
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

/// What is gathered carries a checksum: an altered byte is found in whatever it says.
#[test]
fn altered_plain_data_names_rank_tick_and_kind() {
    let model = convoy();
    let ends = on_ranks(2, PATIENCE, |rank| {
        let sharing = Sharing::default();
        // states, introductions and six heartbeats: the ninth is the gathering
        let rank = Altering { inner: rank, exchanges: 0 };
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        (0..6).for_each(|_| assert!(!ranks.advance(false).unwrap().quit));
        ranks.gathered("figures", &vec![0.25_f64; 40]).unwrap_err().to_string()
    });
    for told in ends {
        let told = told.unwrap();
        assert!(told.starts_with("corrupt figures from rank 1 at tick 30: checksum"), "{told}");
    }
}
