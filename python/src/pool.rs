//! Threads of an object's own: after `fork` the process-wide ones are gone without a word.

use crate::error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Most threads: more are mostly a slip.
const MOST: usize = 1024;

pub struct Pool {
    threads: ThreadPool,
    /// Whose threads they are.
    process: u32,
}

impl Pool {
    /// So many threads; as many as there are cores without.
    pub fn new(py: Python<'_>, threads: Option<usize>) -> PyResult<Pool> {
        let threads = threads.unwrap_or_else(cores);
        if !(1..=MOST).contains(&threads) {
            let allowed = "from 1 to 1024";
            let told = format!("threads = {threads}: must be {allowed}");
            return Err(error::input(py, "threads", &threads, allowed, told));
        }
        let built = ThreadPoolBuilder::new().num_threads(threads).build();
        let threads = built.map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        Ok(Pool { threads, process: std::process::id() })
    }

    /// How many threads it has.
    pub fn threads(&self) -> usize {
        self.threads.current_num_threads()
    }

    /// Does something on these threads, without the interpreter's lock.
    pub fn work<R: Send>(&self, py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "made before this process was forked, which has none of its threads: make it anew \
                 here, or start processes by 'spawn' or 'forkserver' \
                 (multiprocessing.set_start_method)",
            ));
        }
        Ok(py.detach(|| self.threads.install(work)))
    }
}

/// Cores that this process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST)
}
