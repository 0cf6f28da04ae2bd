//! Cost of the exchange between ranks: bytes, time, and their growth.

use bekker_ground::{Overlay, Patches, SharedGround};
use bekker_ranks::{HeartbeatMetrics, MessageRoute, RankError, Ranks, Sharing};
use bekker_rig::{BenchCase, BenchError, bench_world};
use bekker_scenario::config::LawsPreset;
use bekker_sync::Threads;
use bekker_sync::ground_code::CodecState;
use bekker_world::{RankAccess, World, WorldModel};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Initial speed of the vehicles, m/s.
const SPEED: f64 = 5.0;
/// Heartbeats that are not counted: vehicles settle and ruts begin.
const WARM_UP: usize = 50;
/// Heartbeats between two censuses of the neighborhood, at 10 ms, and between two hashes.
const CENSUS: usize = 100;
/// Repetitions of a timing; the shortest counts.
const REPEATS: usize = 15;
/// Timeout of a rank of a benchmark.
const PATIENCE: Duration = Duration::from_secs(600);

/// Cost of coding deformed ground, per node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeCost {
    /// Spacing of the nodes, m.
    pub spacing: f64,
    /// Nodes that a vehicle deforms in a heartbeat.
    pub nodes: f64,
    /// Bytes sent.
    pub bytes: f64,
    /// Encoding, ns.
    pub encode_ns: f64,
    /// Decoding, ns.
    pub decode_ns: f64,
    /// Merging into the published ground, including the digest, ns.
    pub apply_ns: f64,
    /// Loading into the overlay of a vehicle that drives there, ns.
    pub refresh_ns: f64,
}

/// Cost of a heartbeat on one of two ranks that share eight vehicles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeartbeatCost {
    /// Spacing of the nodes, m.
    pub spacing: f64,
    /// Vehicles of the rank.
    pub vehicles: usize,
    /// Bytes of a vehicle's state, including its envelope.
    pub state_bytes: f64,
    /// Steps between two heartbeats, median, µs.
    pub steps_us: f64,
    /// Encoding the messages, median, µs.
    pub serialize_us: f64,
    /// Decoding them and merging all ground, median, µs.
    pub apply_us: f64,
    /// Loading merged ground, by [`CodeCost::refresh_ns`], µs.
    pub refresh_us: f64,
    /// Waiting for the other rank, median, µs.
    pub waiting_us: f64,
    /// Ratio of the exchange without waiting to the steps.
    pub share: f64,
}

/// Bytes that a rank receives in a heartbeat, averaged over a second.
///
/// They include its census and its hash.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    /// Whether ranks receive only agents that may come into contact with theirs.
    pub neighbor: bool,
    /// Number of ranks.
    pub ranks: usize,
    /// Total number of agents.
    pub agents: usize,
    /// Bytes per heartbeat of the rank that receives most.
    pub received: f64,
    /// Mean over all ranks.
    pub mean: f64,
}

/// Model of the growth of traffic, fitted to measurements.
///
/// Broadcasting costs `message` per heartbeat and agent. Between neighbors the cost is `border` for
/// agents nearby, plus `own` for the ground that the rank stores, plus `round` per doubling of the
/// ranks. A rank stores as much ground as its own agents deform.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrafficModel {
    /// Bytes of an agent's message.
    pub message: f64,
    /// Bytes from agents near the rank, independent of all other agents.
    pub border: f64,
    /// Bytes of the ground that a rank stores, per agent of the rank.
    pub own: f64,
    /// Bytes of a round of collective decisions: the verdict whether to continue, and the hash.
    pub round: f64,
}

impl TrafficModel {
    /// Returns the bytes that a rank receives in a heartbeat.
    pub fn received(&self, neighbor: bool, ranks: usize, agents: usize) -> f64 {
        if neighbor {
            let rounds = ranks.next_power_of_two().trailing_zeros();
            self.border + self.own * agents as f64 / ranks as f64 + self.round * f64::from(rounds)
        } else {
            self.message * agents as f64
        }
    }

    /// Fits the model to measurements.
    ///
    /// `message` is from the measurement with the most agents. `border` and `own` are from that and
    /// the next smaller number of agents on the same ranks. `round` is from the protocol's sizes.
    pub fn fit(measured: &[Traffic]) -> Option<TrafficModel> {
        let way =
            |neighbor: bool| measured.iter().filter(move |t| t.neighbor == neighbor && t.ranks > 2);
        let all = way(false).max_by_key(|t| t.agents)?;
        let near = way(true).max_by_key(|t| t.agents)?;
        let fewer = way(true).filter(|t| t.ranks == near.ranks && t.agents < near.agents);
        let fewer = fewer.max_by_key(|t| t.agents)?;
        let more = (near.agents - fewer.agents) as f64 / near.ranks as f64;
        let mut model = TrafficModel {
            message: all.received / all.agents as f64,
            border: 0.0,
            own: (near.received - fewer.received) / more,
            round: VERDICT + 2.0 * HASH / CENSUS as f64,
        };
        model.border = near.received - model.received(true, near.ranks, near.agents);
        Some(model)
    }
}

/// Bytes of a verdict: a checksum, two flags, two numbers, and changes of obstacles.
const VERDICT: f64 = 25.0;
/// Bytes of the digests in one direction along the tree, up or down.
const HASH: f64 = 66.0;

fn case(spacing: f64) -> BenchCase {
    BenchCase {
        vehicle: "hmmwv".into(),
        tracks: None,
        tire: None,
        soil: "chrono_mid".into(),
        laws: LawsPreset::Reference,
        spacing,
        step: 2e-3,
        seconds: 60.0,
        heading_deg: 90.0,
        steering: 0.0,
        threads: 1,
    }
}

/// Returns a model of HMMWVs that start from these positions at speed, along y.
fn driving(spacing: f64, places: &[[f64; 2]]) -> Result<WorldModel, BenchError> {
    let mut model = bench_world(&case(spacing), places)?;
    model.agents.iter_mut().for_each(|agent| agent.speed = SPEED);
    Ok(model)
}

/// Returns a model of vehicles in a column.
fn convoy(spacing: f64, vehicles: usize) -> Result<WorldModel, BenchError> {
    let places: Vec<[f64; 2]> = (0..vehicles).map(|at| [0.0, -8.0 * at as f64]).collect();
    driving(spacing, &places)
}

/// Returns the shortest time of several repetitions, s.
fn shortest(mut repeat: impl FnMut() -> f64) -> f64 {
    (0..REPEATS).map(|_| repeat()).fold(f64::INFINITY, f64::min)
}

fn timed(what: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    what();
    begun.elapsed().as_secs_f64()
}

/// Measures the coding of the ground that a convoy of four HMMWVs deforms in two seconds.
///
/// # Errors
/// [`BenchError`] if the convoy cannot be built.
pub fn code_cost(spacing: f64) -> Result<CodeCost, BenchError> {
    let model = convoy(spacing, 4)?;
    let mut world = World::new(model.clone());
    let mut streams: Vec<Vec<Patches>> = vec![Vec::new(); model.agents.len()];
    for heartbeat in 0..WARM_UP + 200 {
        world.advance();
        if heartbeat >= WARM_UP {
            for (agent, stream) in streams.iter_mut().enumerate() {
                stream.push(world.patches(agent).clone());
            }
        }
    }
    let left = streams.iter().flatten();
    let nodes = left.clone().map(|patches| patches.states().len()).sum::<usize>() as f64;
    let mut coded: Vec<Vec<Vec<u8>>> = Vec::new();
    let encode = shortest(|| {
        coded = streams.iter().map(|stream| vec![Vec::new(); stream.len()]).collect();
        let mut codec_states = vec![CodecState::default(); streams.len()];
        timed(|| {
            for ((stream, coded), codec_state) in
                streams.iter().zip(&mut coded).zip(&mut codec_states)
            {
                for (patches, bytes) in stream.iter().zip(coded) {
                    codec_state.encode(black_box(patches), bytes);
                }
            }
        })
    });
    let mut read = Patches::default();
    let decode = shortest(|| {
        let mut codec_states = vec![CodecState::default(); streams.len()];
        timed(|| {
            for (coded, codec_state) in coded.iter().zip(&mut codec_states) {
                for bytes in coded {
                    read.clear();
                    codec_state.decode(black_box(bytes), &mut read).expect("what was written");
                }
            }
        })
    });
    let heartbeats = streams.first().map_or(0, Vec::len);
    let left_in = |heartbeat: usize| streams.iter().map(move |stream| &stream[heartbeat]);
    let apply = shortest(|| {
        let mut ground = SharedGround::default();
        timed(|| (0..heartbeats).for_each(|heartbeat| ground.merge(black_box(left_in(heartbeat)))))
    });
    let refresh = shortest(|| {
        let (mut ground, mut overlay) = (SharedGround::default(), Overlay::new());
        let mut time = 0.0;
        for heartbeat in 0..heartbeats {
            for patch in left_in(heartbeat).flat_map(Patches::iter) {
                overlay.fetch(&model.ground, &ground, patch.key);
            }
            ground.merge(left_in(heartbeat));
            time += timed(|| overlay.refresh(&ground));
            if heartbeat % 8 == 7 {
                overlay = Overlay::new();
            }
        }
        time
    });
    let bytes = coded.iter().flatten().map(Vec::len).sum::<usize>() as f64;
    let each = |seconds: f64| 1e9 * seconds / nodes;
    Ok(CodeCost {
        spacing,
        nodes: nodes / (heartbeats * streams.len()) as f64,
        bytes: bytes / nodes,
        encode_ns: each(encode),
        decode_ns: each(decode),
        apply_ns: each(apply),
        refresh_ns: each(refresh),
    })
}

/// Returns the metrics of all heartbeats of all ranks; each rank steps its agents on one thread.
fn shared(
    model: &WorldModel,
    ranks: usize,
    route: MessageRoute,
    heartbeats: usize,
) -> Result<Vec<Vec<HeartbeatMetrics>>, BenchError> {
    let drive = |communicator: Threads| -> Result<Vec<HeartbeatMetrics>, BenchError> {
        let failed = |cause: RankError| BenchError::Drive { time: 0.0, cause: cause.to_string() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|e| BenchError::Threads { threads: 1, cause: e.to_string() })?;
        pool.install(|| {
            let sharing = Sharing { route, ..Sharing::default() };
            let mut ranks =
                Ranks::new(communicator, model.clone(), None, &sharing, &[]).map_err(failed)?;
            let heartbeat = |number: usize| {
                let mut figures = ranks.advance(false)?;
                if (number + 1).is_multiple_of(CENSUS) {
                    ranks.hash()?;
                }
                figures.record_bytes = ranks.take_received_bytes();
                Ok(figures)
            };
            (0..heartbeats).map(heartbeat).collect::<Result<_, _>>().map_err(failed)
        })
    };
    std::thread::scope(|scope| {
        let drive = &drive;
        let ranks = Threads::ranks(ranks, PATIENCE).into_iter();
        let threads: Vec<_> = ranks.map(|rank| scope.spawn(move || drive(rank))).collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// Measures eight HMMWVs in a convoy on two ranks for three seconds.
///
/// # Errors
/// [`BenchError`] if the convoy cannot be built or a rank is lost.
pub fn heartbeat_cost(code: &CodeCost) -> Result<HeartbeatCost, BenchError> {
    let spacing = code.spacing;
    let mut figures = shared(&convoy(spacing, 8)?, 2, MessageRoute::All, 300)?;
    let counted: Vec<HeartbeatMetrics> =
        figures.iter_mut().flat_map(|f| f.split_off(WARM_UP)).collect();
    let median = |value: fn(&HeartbeatMetrics) -> Duration| {
        let mut all: Vec<Duration> = counted.iter().map(value).collect();
        all.sort_unstable();
        1e6 * all[all.len() / 2].as_secs_f64()
    };
    let sum = |value: fn(&HeartbeatMetrics) -> u64| counted.iter().map(value).sum::<u64>() as f64;
    let (steps_us, serialize_us) =
        (median(|heartbeat| heartbeat.step), median(|heartbeat| heartbeat.serialize));
    let apply_us = median(|heartbeat| heartbeat.apply);
    let refresh_us =
        1e-3 * code.refresh_ns * sum(|heartbeat| heartbeat.nodes) / counted.len() as f64;
    Ok(HeartbeatCost {
        spacing,
        vehicles: 4,
        state_bytes: sum(|heartbeat| heartbeat.state_bytes) / sum(|heartbeat| heartbeat.announced),
        steps_us,
        serialize_us,
        apply_us,
        refresh_us,
        waiting_us: median(|heartbeat| heartbeat.lengths + heartbeat.payload),
        // the steps include loading the ground merged before
        share: (serialize_us + apply_us + refresh_us) / (steps_us - refresh_us),
    })
}

/// Counts the bytes that ranks receive while HMMWVs drive abreast for a second.
///
/// The vehicles are 15.6 m apart (256 of them over 4 km); the ranks are in this process.
///
/// # Errors
/// [`BenchError`] if the vehicles cannot be built or a rank is lost.
pub fn traffic(ranks: usize, agents: usize, neighbor: bool) -> Result<Traffic, BenchError> {
    let places: Vec<[f64; 2]> = (0..agents).map(|at| [4_000.0 / 256.0 * at as f64, 0.0]).collect();
    let route = if neighbor { MessageRoute::Neighbor } else { MessageRoute::All };
    let figures = shared(&driving(0.05, &places)?, ranks, route, CENSUS)?;
    let of_rank = |heartbeats: &Vec<HeartbeatMetrics>| {
        heartbeats.iter().map(|own| own.received_bytes + own.record_bytes).sum::<u64>() as f64
    };
    let received: Vec<f64> = figures.iter().map(|own| of_rank(own) / CENSUS as f64).collect();
    let mean = received.iter().sum::<f64>() / ranks as f64;
    Ok(Traffic {
        neighbor,
        ranks,
        agents,
        received: received.into_iter().fold(0.0, f64::max),
        mean,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_is_coded_within_its_bytes() {
        for spacing in [0.05, 0.02] {
            let cost = code_cost(spacing).unwrap();
            println!("{cost:?}");
            assert!(cost.bytes <= 4.0, "{} bytes a node at {spacing} m", cost.bytes);
        }
    }

    #[test]
    fn a_state_takes_at_most_250_bytes() {
        let code = CodeCost { refresh_ns: 0.0, ..code_cost(0.05).unwrap() };
        let cost = heartbeat_cost(&code).unwrap();
        assert!(cost.state_bytes > 50.0 && cost.state_bytes <= 250.0, "{}", cost.state_bytes);
    }

    /// Twice the agents on twice the ranks receive twice the bytes by broadcast, and one round more
    /// between neighbors.
    #[test]
    fn neighbor_traffic_grows_only_by_a_round_for_twice_the_ranks() {
        let received = |ranks, neighbor| traffic(ranks, 4 * ranks, neighbor).unwrap().mean;
        let (all, twice) = (received(4, false), received(8, false));
        assert!((twice / all - 2.0).abs() < 0.1, "{all} {twice}");
        let (near, still) = (received(4, true), received(8, true));
        // 2 of 4 ranks in a row have two neighbors, and store 3/4 of the ground that others deform;
        // with 8 ranks it is 6 of 8, and 7/8: together at most a quarter more
        let round = VERDICT + 2.0 * HASH / CENSUS as f64;
        assert!(still - round <= 1.25 * near, "{near} {still}");
        let model = TrafficModel { message: 300.0, border: 900.0, own: 100.0, round: 20.0 };
        assert_eq!(model.received(true, 8, 100), 900.0 + 1_250.0 + 3.0 * 20.0);
        assert_eq!(model.received(false, 8, 100), 30_000.0);
    }
}
