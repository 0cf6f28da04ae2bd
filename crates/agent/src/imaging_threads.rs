//! Threads beside those that step vehicles.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;

/// Threads that make frames, and think about them, beside the steps of vehicles, as many as step. They are
/// others than those, which wait for frames: a thread that makes one never waits for
/// another. None where one alone steps: it makes them itself, so that of many worlds, each stepped by a
/// thread of its own as a study's trials are, none waits for the frames of the others.
pub fn imaging_threads() -> Option<&'static ThreadPool> {
    static THREADS: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let threads = rayon::current_num_threads();
    if threads == 1 {
        return None;
    }
    let start = || {
        // without them frames are made where they fall due
        ThreadPoolBuilder::new().num_threads(threads).build().ok()
    };
    THREADS.get_or_init(start).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever steps a world alone makes its frames himself: he would share those threads with all who do the same, for
    /// they are as many as the first of them had.
    #[test]
    fn one_thread_makes_its_frames_itself() {
        let asked = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| imaging_threads().is_some())
        };
        assert_eq!((asked(1), asked(2), asked(1)), (false, true, false));
    }
}
