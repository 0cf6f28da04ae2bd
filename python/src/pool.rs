//! Threads of one object. A child process has none after `fork`: its calls raise an error instead
//! of waiting forever for threads of a process-wide pool.

use crate::error;
use bekker::simulation::{PoolSize, ThreadError, ensure_global_pool, thread_pool};
use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning};
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Greatest delay of Ctrl-C.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Greatest number of threads; a larger one is most likely a mistake.
const MOST: usize = 1024;

pub struct Pool {
    /// None if the system starts no threads: all work is done on the calling thread.
    threads: Option<ThreadPool>,
    /// Process to which the threads belong.
    process: u32,
}

impl Pool {
    /// Starts the number of threads that the argument `key` specifies; by default one per core.
    pub fn new(py: Python<'_>, key: &str, threads: Option<i64>) -> PyResult<Pool> {
        let wanted = threads.map_or_else(|| Some(cores()), |threads| usize::try_from(threads).ok());
        let Some(threads) = wanted.filter(|threads| (1..=MOST).contains(threads)) else {
            let (value, allowed) = (threads.unwrap_or_default(), "from 1 to 1024");
            let told = format!("{key} = {value}: must be {allowed}");
            return Err(error::input(py, key, &value, allowed, told));
        };
        let pool = match thread_pool(threads) {
            Ok(pool) => Some(pool),
            Err(ThreadError::Limit { .. }) => {
                ensure_global_pool().map_err(refused)?;
                None
            }
            Err(error) => return Err(refused(error)),
        };
        let pool = Pool { threads: pool, process: std::process::id() };
        let size = PoolSize { wanted: threads, started: pool.threads() };
        if let Some(shortfall) = size.shortfall() {
            let told = CString::new(shortfall).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &told, 1)?;
        }
        Ok(pool)
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads.as_ref().map_or(1, ThreadPool::current_num_threads)
    }

    /// Does the work on these threads, with the GIL released.
    pub fn work<R: Send>(&self, py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
        self.check_process()?;
        Ok(py.detach(|| match &self.threads {
            Some(threads) => threads.install(work),
            None => work(),
        }))
    }

    /// Does work that may take long, and stops it on Ctrl-C.
    ///
    /// The work calls the closure that it receives to check whether to continue. After Ctrl-C the
    /// closure returns false, the result is discarded, and this returns the exception.
    pub fn work_while<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> R + Send,
    ) -> PyResult<R> {
        self.check_process()?;
        let Some(threads) = &self.threads else { return work_here(py, work) };
        let goes_on = &AtomicBool::new(true);
        py.detach(|| {
            let (done, ended) = mpsc::channel();
            threads.in_place_scope(|scope| {
                scope.spawn(move |_| {
                    // the receiver lives until the result arrives
                    let _ = done.send(work(&|| goes_on.load(Ordering::Relaxed)));
                });
                let mut heard = Ok(());
                loop {
                    match ended.recv_timeout(PATIENCE) {
                        Ok(found) => return heard.map(|()| found),
                        Err(RecvTimeoutError::Timeout) if heard.is_ok() => {
                            heard = Python::attach(|py| py.check_signals());
                            goes_on.store(heard.is_ok(), Ordering::Relaxed);
                        }
                        Err(RecvTimeoutError::Timeout) => {}
                        Err(RecvTimeoutError::Disconnected) => {
                            return Err(PyRuntimeError::new_err("the work was not completed"));
                        }
                    }
                }
            })
        })
    }

    fn check_process(&self) -> PyResult<()> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "created before this process was forked, so its threads do not exist here; create \
                 it again, or start processes with 'spawn' or 'forkserver' \
                 (multiprocessing.set_start_method)",
            ));
        }
        if self.threads.is_none() {
            ensure_global_pool().map_err(refused)?;
        }
        Ok(())
    }
}

fn refused(error: ThreadError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// As [`Pool::work_while`], on this thread: checks for Ctrl-C whenever the work calls the closure.
fn work_here<R: Send>(
    py: Python<'_>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> R + Send,
) -> PyResult<R> {
    let heard = Mutex::new(Ok(()));
    let found = py.detach(|| {
        work(&|| {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            if heard.is_ok() {
                *heard = Python::attach(|py| py.check_signals());
            }
            heard.is_ok()
        })
    });
    heard.into_inner().unwrap_or_else(PoisonError::into_inner).map(|()| found)
}

/// Number of cores that this process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST)
}
