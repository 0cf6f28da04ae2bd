//! Computing time of the phases of autonomous driving.
//!
//! The caller supplies the clock. Times never enter a state.

use std::sync::{Arc, Mutex, PoisonError};

/// Timed phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedPhase {
    /// Localization from IMU and GPS readings.
    Localization,
    /// Registration of a scan in the map.
    Registration,
    /// Merging of received tiles into the map.
    Merging,
    /// Update of classes and costs.
    Costs,
    /// Global route: A* and smoothing.
    Route,
    /// Local path: splines.
    Spline,
    /// Commands of a step: pure pursuit and PID.
    Tracking,
    /// Writing of messages.
    Writing,
    /// Reading of messages.
    Reading,
}

impl TimedPhase {
    /// All phases.
    pub const ALL: [TimedPhase; 9] = [
        TimedPhase::Localization,
        TimedPhase::Registration,
        TimedPhase::Merging,
        TimedPhase::Costs,
        TimedPhase::Route,
        TimedPhase::Spline,
        TimedPhase::Tracking,
        TimedPhase::Writing,
        TimedPhase::Reading,
    ];
}

/// Time spent in a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseTime {
    /// Number of executions.
    pub count: u64,
    /// Total time, s.
    pub total: f64,
    /// Longest time, s.
    pub longest: f64,
}

/// Clock, s, and the accumulated times.
#[derive(Debug)]
pub struct Timings {
    clock: fn() -> f64,
    spent: Mutex<[PhaseTime; TimedPhase::ALL.len()]>,
}

impl Timings {
    /// Creates timings without entries.
    pub fn new(clock: fn() -> f64) -> Timings {
        Timings { clock, spent: Mutex::default() }
    }

    /// Returns the time spent in a phase, over all vehicles.
    pub fn spent_in(&self, part: TimedPhase) -> PhaseTime {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)[part as usize]
    }

    fn add(&self, part: TimedPhase, time: f64) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let PhaseTime { count, total, longest } = &mut spent[part as usize];
        (*count, *total, *longest) = (*count + 1, *total + time, longest.max(time));
    }
}

/// Optional timer; all stopwatches compare equal, so that they do not distinguish models.
#[derive(Clone, Debug, Default)]
pub struct Stopwatch(pub Option<Arc<Timings>>);

impl PartialEq for Stopwatch {
    fn eq(&self, _: &Stopwatch) -> bool {
        true
    }
}

impl Stopwatch {
    /// Runs and times work of a phase.
    #[inline]
    pub fn time<T>(&self, part: TimedPhase, work: impl FnOnce() -> T) -> T {
        let Some(timings) = &self.0 else { return work() };
        let begun = (timings.clock)();
        let done = work();
        timings.add(part, (timings.clock)() - begun);
        done
    }
}
