//! Cost of a drive on a rank, counted and timed, and its model with one core per rank.

use bekker_agent::Sample;
use bekker_ranks::{Flow, HeartbeatInfo, HeartbeatMetrics, Observer};
use bekker_sync::{CommError, Communicator, ExchangeTimes, RankBuffers};
use bekker_world::World;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Traffic of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrafficCounts {
    /// Bytes sent, counted once per receiver.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
    /// Number of exchanges with some ranks.
    pub exchanges: u64,
    /// Number of exchanges between all ranks.
    pub gathers: u64,
    /// Maximum number of ranks that data came from in one exchange with some ranks.
    pub most_heard: u64,
}

impl TrafficCounts {
    fn since(&self, before: &TrafficCounts) -> TrafficCounts {
        TrafficCounts {
            sent: self.sent - before.sent,
            received: self.received - before.received,
            exchanges: self.exchanges - before.exchanges,
            gathers: self.gathers - before.gathers,
            most_heard: self.most_heard,
        }
    }
}

/// Communicator that counts its traffic.
pub(super) struct CountingCommunicator<'a, C> {
    inner: &'a mut C,
    counts: Arc<Mutex<TrafficCounts>>,
}

fn locked(counts: &Mutex<TrafficCounts>) -> MutexGuard<'_, TrafficCounts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a, C> CountingCommunicator<'a, C> {
    pub fn new(inner: &'a mut C) -> CountingCommunicator<'a, C> {
        CountingCommunicator { inner, counts: Arc::default() }
    }

    pub fn counts(&self) -> Arc<Mutex<TrafficCounts>> {
        self.counts.clone()
    }
}

impl<C: Communicator> Communicator for CountingCommunicator<'_, C> {
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
        all: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        let phases = self.inner.all_gather(mine, meanwhile, all)?;
        let others = self.inner.size() as u64 - 1;
        let mut counts = locked(&self.counts);
        counts.sent += mine.len() as u64 * others;
        counts.received += (all.bytes() - mine.len()) as u64;
        counts.gathers += u64::from(others > 0);
        Ok(phases)
    }

    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        let phases = self.inner.exchange(to, from, meanwhile, received)?;
        let mut counts = locked(&self.counts);
        counts.sent += to.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        counts.received += received.bytes() as u64;
        counts.exchanges += 1;
        counts.most_heard = counts.most_heard.max(from.len() as u64);
        Ok(phases)
    }
}

/// Cost of a drive on a rank, from the first heartbeat to the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriveCost {
    /// Number of heartbeats.
    pub heartbeats: u64,
    /// Simulated time, s.
    pub simulated: f64,
    /// Wall time, s.
    pub wall: f64,
    /// CPU time of the rank's thread, or of the whole process for a single rank, s.
    ///
    /// `None` on systems other than Linux.
    pub cpu: Option<f64>,
    /// Wall time in steps of the rank's vehicles, s.
    pub steps: f64,
    /// Traffic.
    pub counts: TrafficCounts,
    /// Maximum distance of another rank's vehicle from its predicted position, m.
    pub ghost_error: f64,
    /// Maximum bound D_H of these distances, m.
    pub ghost_bound: f64,
    /// Hash of the final state; on rank 0.
    pub hash: String,
    /// Final position of the last vehicle, m; on rank 0.
    pub last: [f64; 2],
}

/// Observer that measures a drive, called after all others.
pub(super) struct CostObserver {
    counts: Arc<Mutex<TrafficCounts>>,
    until: f64,
    /// Returns the CPU time so far, s.
    time: fn() -> Option<f64>,
    begun: Option<(Instant, Option<f64>, TrafficCounts)>,
    cost: DriveCost,
}

impl CostObserver {
    /// Creates the observer of a rank until a simulated time, s; `alone` for a single rank.
    pub fn new(counts: Arc<Mutex<TrafficCounts>>, alone: bool, until: f64) -> CostObserver {
        let time = if alone { process_time } else { thread_time };
        CostObserver { counts, until, time, begun: None, cost: DriveCost::default() }
    }

    /// Returns the cost of the drive that ended with `world`.
    pub fn cost(self, world: &World) -> DriveCost {
        let last = world.samples().last().map(|own| own.pose.position);
        let last = last.map_or([f64::NAN; 2], |place| [place.x, place.y]);
        DriveCost { last, ..self.cost }
    }
}

impl<E> Observer<E> for CostObserver {
    fn on_start(&mut self, _: &World, _: &[Sample]) -> Result<(), E> {
        self.begun = Some((Instant::now(), (self.time)(), *locked(&self.counts)));
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, E> {
        let HeartbeatMetrics { step, ghost_error, ghost_bound, .. } = *moment.metrics;
        let cost = &mut self.cost;
        cost.heartbeats += 1;
        cost.simulated = moment.time;
        cost.steps += step.as_secs_f64();
        cost.ghost_error = cost.ghost_error.max(ghost_error);
        cost.ghost_bound = cost.ghost_bound.max(ghost_bound);
        if let (Some((begun, cpu, counts)), true) = (&self.begun, moment.time > self.until - 1e-9) {
            cost.wall = begun.elapsed().as_secs_f64();
            cost.cpu = cpu.zip((self.time)()).map(|(before, now)| now - before);
            cost.counts = locked(&self.counts).since(counts);
            if let Some(hash) = moment.hash {
                cost.hash = hash.state.iter().map(|byte| format!("{byte:02x}")).collect();
            }
        }
        Ok(Flow::Continue)
    }
}

/// Returns the CPU time of this thread so far, s, on Linux; as of its last scheduler tick.
fn thread_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(1e-9 * nanoseconds as f64)
}

/// Returns the CPU time of all threads of this process so far, s, on Linux; resolution 10 ms.
fn process_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // the second field, the program's name, is in parentheses and may contain spaces
    let fields = text.rsplit_once(')')?.1.split_whitespace();
    let ticks: Vec<u64> = fields.skip(11).take(2).filter_map(|own| own.parse().ok()).collect();
    (ticks.len() == 2).then(|| 0.01 * (ticks[0] + ticks[1]) as f64)
}

/// Network between ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Latency of an empty message, s.
    pub latency: f64,
    /// Bytes that a rank receives per second.
    pub bandwidth: f64,
}

impl Network {
    /// Measures the network between the ranks of a communicator; all ranks must call it together.
    ///
    /// # Errors
    /// [`CommError`] when a rank is lost.
    pub fn measured(communicator: &mut impl Communicator) -> Result<Network, CommError> {
        const EMPTY: u32 = 500;
        const FULL: u32 = 20;
        let size = communicator.size();
        if size == 1 {
            return Ok(Network { latency: 0.0, bandwidth: f64::INFINITY });
        }
        let mut parts = RankBuffers::default();
        let mut timed = |bytes: &[u8], times: u32| -> Result<f64, CommError> {
            let begun = Instant::now();
            for _ in 0..times {
                communicator.all_gather(bytes, &mut || (), &mut parts)?;
            }
            Ok(begun.elapsed().as_secs_f64() / f64::from(times))
        };
        timed(&[], EMPTY)?;
        let empty = timed(&[], EMPTY)?;
        let full = vec![0; 1 << 20];
        let whole = timed(&full, FULL)?;
        let received = ((size - 1) * full.len()) as f64;
        let bandwidth = received / (whole - empty).max(1e-9);
        Ok(Network { latency: empty / rounds(size), bandwidth })
    }

    /// Models wall over simulated time for a dedicated core per rank.
    ///
    /// The wall time is a sum without overlap. Its terms are the CPU time of the busiest rank, the
    /// latencies, and the most bytes received by any rank over the bandwidth. An exchange between
    /// all R ranks takes log2 R latencies, one with some ranks takes one.
    ///
    /// For a single rank it is its CPU time divided by `threads`. It is `None` where the CPU time is
    /// unknown.
    pub fn modeled(&self, costs: &[DriveCost], threads: usize) -> Option<f64> {
        let simulated = costs.first()?.simulated;
        if let [alone] = costs {
            return Some(alone.cpu? / threads as f64 / simulated);
        }
        let cpu =
            costs.iter().map(|own| own.cpu).try_fold(0.0, |most: f64, own| Some(most.max(own?)))?;
        let most = |of: fn(&TrafficCounts) -> u64| {
            costs.iter().map(|own| of(&own.counts)).max().unwrap_or(0) as f64
        };
        let (gathers, exchanges) = (most(|own| own.gathers), most(|own| own.exchanges));
        let waits = self.latency * (gathers * rounds(costs.len()) + exchanges);
        Some((cpu + waits + most(|own| own.received) / self.bandwidth) / simulated)
    }
}

/// Returns log2 of a number of ranks, rounded up.
fn rounds(ranks: usize) -> f64 {
    f64::from(ranks.max(1).next_power_of_two().trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_sums_unhidden_times() {
        let network = Network { latency: 1e-3, bandwidth: 1e6 };
        let of = |cpu: f64, received: u64| DriveCost {
            simulated: 2.0,
            cpu: Some(cpu),
            counts: TrafficCounts {
                received,
                gathers: 10,
                exchanges: 5,
                ..TrafficCounts::default()
            },
            ..DriveCost::default()
        };
        let costs = [of(0.5, 1_000), of(0.7, 1_000), of(0.6, 1_000), of(0.1, 100_000)];
        // 0.7 s of the busiest, 10 * 2 + 5 latencies, 0.1 s of bytes
        assert!((network.modeled(&costs, 1).unwrap() - 0.5 * (0.7 + 0.025 + 0.1)).abs() < 1e-12);
        assert_eq!(network.modeled(&costs[..1], 2), Some(0.125));
        let silent = DriveCost { cpu: None, ..of(1.0, 0) };
        assert_eq!(network.modeled(&[silent], 1), None);
    }
}
