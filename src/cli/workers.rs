//! Thread pools of single commands.

use crate::simulation::{PoolSize, thread_pool};
use rayon::ThreadPool;

/// A thread pool; falls back to the global pool if the system allows no other threads.
pub struct Workers(Option<ThreadPool>);

impl Workers {
    /// Starts `wanted` threads, or fewer if the system limits them; warns then.
    pub fn new(wanted: usize) -> Workers {
        let pool = thread_pool(wanted).ok();
        let started =
            pool.as_ref().map_or_else(rayon::current_num_threads, |own| own.current_num_threads());
        let shortfall = PoolSize { wanted, started }.shortfall();
        shortfall.iter().for_each(|told| eprintln!("warning: {told}"));
        Workers(pool)
    }

    /// Runs `work` on the pool.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
