//! Thread pools that work with fewer threads when the system refuses to start more.
//!
//! rayon panics where its own pool cannot be started. This module starts threads first and hands
//! them to rayon as workers, so a limit of the system leaves a smaller pool. Results do not depend
//! on the number of threads.

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};
use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle, ThreadId, current};

/// Threads left free outside the pool if fewer start than requested. Writers of checkpoints and of
/// connections need them.
const SPARE_THREADS: usize = 2;

/// Reason why a pool or a thread could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThreadError {
    /// The system starts no thread.
    #[error(
        "the system cannot start a thread ({source}): raise the process limit (ulimit -u, or that \
         of the container)"
    )]
    Limit {
        /// The system's error.
        source: io::Error,
    },
    /// The calling thread is not the pool's only worker.
    #[error(
        "the system cannot start a thread, so all calls must come from the thread of the first \
         call: raise the process limit (ulimit -u, or that of the container)"
    )]
    OtherThread,
    /// rayon cannot build the pool.
    #[error("the thread pool cannot be created: {cause}")]
    Pool {
        /// Error of rayon.
        cause: String,
    },
}

impl From<io::Error> for ThreadError {
    fn from(source: io::Error) -> ThreadError {
        ThreadError::Limit { source }
    }
}

/// Requested and actual number of threads of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSize {
    /// Number of requested threads.
    pub wanted: usize,
    /// Number of started threads.
    pub started: usize,
}

impl PoolSize {
    /// Returns a warning if there are fewer threads than requested.
    pub fn shortfall(self) -> Option<String> {
        let PoolSize { wanted, started } = self;
        let threads = if started == 1 { "1 thread".into() } else { format!("{started} threads") };
        (started < wanted).then(|| {
            format!(
                "{threads} instead of {wanted}: the system starts no more (process limit, ulimit \
                 -u); results are the same"
            )
        })
    }
}

/// Starts the global pool of this process: `wanted` threads, or fewer if the system limits them.
///
/// If it allows none, the calling thread becomes the only worker; all work must start from it.
///
/// # Errors
/// [`ThreadError::Pool`] if there is a global pool already.
pub fn start_global_pool(wanted: usize) -> Result<PoolSize, ThreadError> {
    let (workers, _) = started(wanted, spawned);
    let started = workers.len();
    let builder = ThreadPoolBuilder::new();
    let built = if started == 0 {
        builder.num_threads(1).use_current_thread().build_global()
    } else {
        let mut workers = workers.into_iter();
        let to_next = move |thread| hand_over(workers.next(), thread);
        builder.num_threads(started).spawn_handler(to_next).build_global()
    };
    built.map_err(|error| ThreadError::Pool { cause: error.to_string() })?;
    Ok(PoolSize { wanted, started: started.max(1) })
}

/// Ensures that this process has a global pool, for programs that load this one as a library.
///
/// Without one, it starts a pool with a thread for each core, or fewer if the system limits them.
///
/// # Errors
/// [`ThreadError::OtherThread`] if the system allowed no thread and another thread made the first
/// call. That thread is then the only worker, and any other thread would wait for it forever.
pub fn ensure_global_pool() -> Result<(), ThreadError> {
    static ONLY_WORKER: OnceLock<Option<ThreadId>> = OnceLock::new();
    let start = || {
        let was_worker = rayon::current_thread_index().is_some();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // An error means that there is a pool already.
        let size = start_global_pool(cores).ok()?;
        let is_worker = rayon::current_thread_index().is_some() && !was_worker;
        (size.started == 1 && is_worker).then(|| current().id())
    };
    match ONLY_WORKER.get_or_init(start) {
        Some(only) if *only != current().id() => Err(ThreadError::OtherThread),
        _ => Ok(()),
    }
}

/// Builds a pool of `wanted` threads, or fewer if the system limits them, but at least one.
///
/// # Errors
/// [`ThreadError`] if the system starts none.
pub fn thread_pool(wanted: usize) -> Result<ThreadPool, ThreadError> {
    let (workers, error) = started(wanted, spawned);
    if let (true, Some(error)) = (workers.is_empty(), error) {
        return Err(error.into());
    }
    let builder = ThreadPoolBuilder::new().num_threads(workers.len());
    let mut workers = workers.into_iter();
    let built = builder.spawn_handler(move |thread| hand_over(workers.next(), thread)).build();
    built.map_err(|error| ThreadError::Pool { cause: error.to_string() })
}

/// Starts up to `wanted` threads of a scope that all do `work`, or fewer if the system limits them.
///
/// Starts none if the calling thread is the only worker of the global pool, because the new threads
/// would wait for it.
pub fn start_workers<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    wanted: usize,
    work: impl Fn() -> T + Send + Copy + 'scope,
) -> Vec<ScopedJoinHandle<'scope, T>> {
    let is_pool = rayon::current_thread_index().is_some();
    let start = |_| Builder::new().spawn_scoped(scope, work).ok();
    (0..if is_pool { 0 } else { wanted }).map_while(start).collect()
}

/// Channel to a thread that waits for its work.
type Worker = Sender<ThreadBuilder>;

fn spawned(number: usize) -> io::Result<Worker> {
    let (to, from) = channel::<ThreadBuilder>();
    let wait = move || {
        // The sender of an unneeded worker is dropped, which ends its thread.
        if let Ok(thread) = from.recv() {
            thread.run();
        }
    };
    Builder::new().name(format!("worker {number}")).spawn(wait)?;
    Ok(to)
}

/// Starts up to `wanted` workers. Returns them, and the error if there are fewer.
fn started(
    wanted: usize,
    spawn: impl Fn(usize) -> io::Result<Worker>,
) -> (Vec<Worker>, Option<io::Error>) {
    let mut workers = Vec::new();
    for number in 0..wanted {
        match spawn(number) {
            Ok(worker) => workers.push(worker),
            Err(error) => {
                let kept = workers.len().saturating_sub(SPARE_THREADS).max(1);
                workers.truncate(kept);
                return (workers, Some(error));
            }
        }
    }
    (workers, None)
}

fn hand_over(worker: Option<Worker>, thread: ThreadBuilder) -> io::Result<()> {
    let gone = || io::Error::other("a worker thread has ended");
    worker.and_then(|worker| worker.send(thread).ok()).ok_or_else(gone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn a_pool_works_on_all_threads_that_start() {
        let pool = thread_pool(3).unwrap();
        assert_eq!(pool.current_num_threads(), 3);
        let sum: u64 = pool.install(|| (0..1000_u64).into_par_iter().sum());
        assert_eq!(sum, 499_500);
    }

    /// With a limit some threads stay free, but the pool keeps at least one.
    #[test]
    fn a_limit_leaves_a_smaller_pool() {
        let limited = |most: usize| {
            move |number: usize| {
                if number < most { spawned(number) } else { Err(io::ErrorKind::WouldBlock.into()) }
            }
        };
        for (most, kept) in [(0, 0), (1, 1), (2, 1), (3, 1), (4, 2), (15, 13), (16, 16)] {
            let (workers, error) = started(16, limited(most));
            assert_eq!((workers.len(), error.is_none()), (kept, most == 16), "of {most}");
        }
        let size = PoolSize { wanted: 16, started: 1 };
        assert!(size.shortfall().unwrap().starts_with("1 thread instead of 16: "));
        assert_eq!(PoolSize { wanted: 2, started: 2 }.shortfall(), None);
    }
}
