//! Thread pool for imaging sensors and planning, next to the threads that step vehicles.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;

/// Returns the pool that renders frames and plans from them; it has as many threads as step
/// vehicles.
///
/// The pool is separate because stepping threads wait for frames, while a thread of this pool never
/// waits for another frame.
///
/// `None` if a single thread steps vehicles, which then renders its own frames. Worlds that are
/// each stepped by one thread, such as the trials of a study, therefore never wait for each other's
/// frames.
pub fn imaging_threads() -> Option<&'static ThreadPool> {
    static THREADS: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let threads = rayon::current_num_threads();
    if threads == 1 {
        return None;
    }
    let start = || {
        // if the pool cannot be built, frames are rendered when they are due
        ThreadPoolBuilder::new().num_threads(threads).build().ok()
    };
    THREADS.get_or_init(start).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A world that is stepped by one thread renders its own frames.
    ///
    /// The shared pool has the size of its first user, and all other such worlds would share it.
    #[test]
    fn one_thread_makes_its_frames_itself() {
        let asked = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| imaging_threads().is_some())
        };
        assert_eq!((asked(1), asked(2), asked(1)), (false, true, false));
    }
}
