//! Ranks as MPI processes.

use super::communicator::{CommError, Communicator, ExchangeTimes, RankBuffers};
use mpi::Threading;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::request::{Request, Scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives as _, Destination as _, Source as _};
use std::time::{Duration, Instant};

/// Maximum number of bytes that one call transfers. MPI counts them in 32 bits, over all ranks.
const MAX_CALL_BYTES: usize = i32::MAX as usize;
/// MPI tag of the roll call after a timeout.
const ROLL_CALL: i32 = 7;
/// MPI tag of the first remaining rank's reports that its loss handler still runs.
const ALIVE_TAG: i32 = 8;
/// Interval between two such messages.
const ALIVE_INTERVAL: Duration = Duration::from_secs(1);
/// Time in which ranks must answer the roll call.
const ROLL_CALL_TIMEOUT: Duration = Duration::from_secs(2);

/// Environment variables that MPI launchers, including Slurm's, set in the processes they start.
const LAUNCHED: [&str; 5] =
    ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "PALS_RANKID"];

/// Loss handler: called with the error before the job is aborted.
///
/// It calls its second argument regularly while it works, so that the other ranks keep waiting.
pub type AbortHook = Box<dyn FnMut(&CommError, &mut dyn FnMut())>;

/// This process among those started by `mpirun`.
///
/// A pending collective cannot be canceled, so an MPI job cannot survive a lost rank. After the
/// timeout each remaining rank makes a roll call and passes the error with the missing ranks to
/// `abort_hook`. Then it aborts the job with exit code 1. The first remaining rank may have to
/// repeat the work of all ranks, so it aborts only when its `abort_hook` returns. The others abort
/// once they no longer receive its messages.
pub struct Mpi {
    world: SimpleCommunicator,
    timeout: Duration,
    call_bytes: usize,
    abort_hook: AbortHook,
    counts: Vec<i32>,
    displacements: Vec<i32>,
    lengths: Vec<u64>,
    block: Vec<u8>,
    begun: Instant,
}

/// An initialized MPI environment. Must be kept until the process stops using MPI.
pub struct MpiSession {
    universe: Universe,
}

impl MpiSession {
    /// Initializes MPI if a launcher started this process. Returns `None` otherwise.
    pub fn from_launcher() -> Option<MpiSession> {
        let launched = LAUNCHED.iter().any(|name| std::env::var_os(name).is_some());
        launched.then(MpiSession::begin).flatten()
    }

    /// Initializes MPI. Returns `None` if this process has initialized it before.
    pub fn begin() -> Option<MpiSession> {
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)?;
        Some(MpiSession { universe })
    }

    /// Returns the number of processes.
    pub fn size(&self) -> usize {
        self.universe.world().size() as usize
    }

    /// Returns this process as a rank.
    pub fn rank(&self, timeout: Duration) -> Mpi {
        Mpi {
            world: self.universe.world(),
            timeout,
            call_bytes: MAX_CALL_BYTES,
            abort_hook: Box::new(|_, _| ()),
            counts: Vec::new(),
            displacements: Vec::new(),
            lengths: Vec::new(),
            block: Vec::new(),
            begun: Instant::now(),
        }
    }

    pub(super) fn world(&self) -> SimpleCommunicator {
        self.universe.world()
    }

    /// Ends all processes with exit code 1.
    ///
    /// A process that fails calls this, since the others would wait for it.
    pub fn abort(&self) -> ! {
        self.universe.world().abort(1)
    }
}

impl Mpi {
    /// Sets the handler that runs when ranks are lost, before the job is aborted.
    pub fn on_loss(&mut self, abort_hook: AbortHook) {
        self.abort_hook = abort_hook;
    }

    /// Limits the bytes of one call, to test the splitting.
    pub fn limit_call_bytes(&mut self, bytes: usize) {
        self.call_bytes = bytes.clamp(self.size(), MAX_CALL_BYTES);
    }

    /// Waits for requests. If they do not complete within the timeout, the job ends.
    fn finish<'a, D: ?Sized, S: Scope<'a>>(
        world: &SimpleCommunicator,
        timeout: Duration,
        abort_hook: &mut AbortHook,
        mut requests: Vec<Request<'a, D, S>>,
    ) {
        let begun = Instant::now();
        loop {
            requests = requests.into_iter().filter_map(|request| request.test().err()).collect();
            if requests.is_empty() {
                return;
            }
            if begun.elapsed() > timeout {
                abort_after_loss(world, timeout, abort_hook);
            }
            std::thread::yield_now();
        }
    }
}

/// Runs the loss handler, waits for the first remaining rank to finish, and aborts the job.
fn abort_after_loss(
    world: &SimpleCommunicator,
    timeout: Duration,
    abort_hook: &mut AbortHook,
) -> ! {
    let lost = missing_ranks(world);
    let here = world.rank() as usize;
    let left: Vec<usize> = (0..world.size() as usize).filter(|rank| !lost.contains(rank)).collect();
    let first = left.first().copied().unwrap_or(here);
    let mut last_sent = Instant::now();
    let mut report_alive = || {
        if here == first && last_sent.elapsed() > ALIVE_INTERVAL {
            for &rank in left.iter().filter(|&&rank| rank != here) {
                // a single byte is sent without waiting for the receiver
                world.process_at_rank(rank as i32).send_with_tag(&1_u8, ALIVE_TAG);
            }
            last_sent = Instant::now();
        }
    };
    abort_hook(&CommError::Silent { ranks: lost, after: timeout }, &mut report_alive);
    if here != first {
        // a heartbeat of all agents on one rank takes up to `size` times as long
        await_end(world, first as i32, timeout * world.size() as u32);
    }
    world.abort(1)
}

/// Returns once a rank has sent no message for `timeout`.
fn await_end(world: &SimpleCommunicator, rank: i32, timeout: Duration) {
    let mut received = Instant::now();
    while received.elapsed() < timeout {
        let process = world.process_at_rank(rank);
        if process.immediate_probe_with_tag(ALIVE_TAG).is_some() {
            process.receive_with_tag::<u8>(ALIVE_TAG);
            received = Instant::now();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Returns the ranks that do not answer. Only ranks that have timed out themselves send and answer.
fn missing_ranks(world: &SimpleCommunicator) -> Vec<usize> {
    let others = || (0..world.size()).filter(|&rank| rank != world.rank());
    for rank in others() {
        // a single byte is sent without waiting for the receiver
        world.process_at_rank(rank).send_with_tag(&1_u8, ROLL_CALL);
    }
    let begun = Instant::now();
    let mut silent: Vec<i32> = others().collect();
    while !silent.is_empty() && begun.elapsed() < ROLL_CALL_TIMEOUT {
        silent.retain(|&rank| {
            world.process_at_rank(rank).immediate_probe_with_tag(ROLL_CALL).is_none()
        });
        std::thread::yield_now();
    }
    silent.into_iter().map(|rank| rank as usize).collect()
}

impl Communicator for Mpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    fn all_gather(
        &mut self,
        mine: &[u8],
        meanwhile: &mut dyn FnMut(),
        all: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        let size = self.size();
        let Mpi {
            world,
            timeout,
            call_bytes,
            abort_hook,
            counts,
            displacements,
            lengths,
            block,
            ..
        } = self;
        let begun = Instant::now();
        lengths.clear();
        lengths.resize(size, 0);
        let own = [mine.len() as u64];
        scope(|scope| {
            let request = world.immediate_all_gather_into(scope, &own[..], &mut lengths[..]);
            meanwhile();
            Mpi::finish(world, *timeout, abort_hook, vec![request]);
        });
        let phase = begun.elapsed();

        // number of bytes that one call transfers of each rank
        let portion = *call_bytes / size;
        let longest = lengths.iter().copied().max().unwrap_or(0) as usize;
        all.resize_parts(lengths);
        let in_one = longest <= portion;
        for call in 0..longest.div_ceil(portion.max(1)) {
            let from = call * portion;
            let count = |length: u64| (length as usize).saturating_sub(from).min(portion);
            counts.clear();
            counts.extend(lengths.iter().map(|&length| count(length) as i32));
            displacements.clear();
            let mut sum = 0;
            displacements.extend(counts.iter().map(|&count| {
                sum += count;
                sum - count
            }));
            let part = &mine[from.min(mine.len())..(from + portion).min(mine.len())];
            if !in_one {
                block.clear();
                block.resize(sum as usize, 0);
            }
            let target = if in_one { &mut all.bytes[..] } else { &mut block[..] };
            let mut partition = PartitionMut::new(target, &counts[..], &displacements[..]);
            scope(|scope| {
                let request = world.immediate_all_gather_varcount_into(scope, part, &mut partition);
                Mpi::finish(world, *timeout, abort_hook, vec![request]);
            });
            if !in_one {
                for rank in 0..size {
                    let (at, count) = (displacements[rank] as usize, counts[rank] as usize);
                    if count == 0 {
                        continue;
                    }
                    let start = if rank == 0 { 0 } else { all.ends[rank - 1] } + from;
                    all.bytes[start..start + count].copy_from_slice(&block[at..at + count]);
                }
            }
        }
        Ok(ExchangeTimes { lengths: phase, payload: begun.elapsed() - phase })
    }

    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        let Mpi { world, timeout, call_bytes, abort_hook, lengths, .. } = self;
        let begun = Instant::now();
        lengths.clear();
        lengths.resize(from.len(), 0);
        let own: Vec<[u64; 1]> = to.iter().map(|(_, bytes)| [bytes.len() as u64]).collect();
        scope(|scope| {
            let mut requests = Vec::with_capacity(to.len() + from.len());
            for (&rank, length) in from.iter().zip(lengths.chunks_mut(1)) {
                let process = world.process_at_rank(rank as i32);
                requests.push(process.immediate_receive_into_with_tag(scope, length, 0));
            }
            for ((rank, _), length) in to.iter().zip(&own) {
                let process = world.process_at_rank(*rank as i32);
                requests.push(process.immediate_send_with_tag(scope, &length[..], 0));
            }
            meanwhile();
            Mpi::finish(world, *timeout, abort_hook, requests);
        });
        let phase = begun.elapsed();
        received.resize_parts(lengths);
        scope(|scope| {
            let mut requests = Vec::with_capacity(to.len() + from.len());
            let mut rest = &mut received.bytes[..];
            for (&rank, &length) in from.iter().zip(&*lengths) {
                let (part, others) = std::mem::take(&mut rest).split_at_mut(length as usize);
                rest = others;
                let process = world.process_at_rank(rank as i32);
                for portion in part.chunks_mut(*call_bytes) {
                    requests.push(process.immediate_receive_into_with_tag(scope, portion, 1));
                }
            }
            for (rank, bytes) in to {
                let process = world.process_at_rank(*rank as i32);
                for portion in bytes.chunks(*call_bytes) {
                    requests.push(process.immediate_send_with_tag(scope, portion, 1));
                }
            }
            Mpi::finish(world, *timeout, abort_hook, requests);
        });
        Ok(ExchangeTimes { lengths: phase, payload: begun.elapsed() - phase })
    }
}
