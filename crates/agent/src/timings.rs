//! How long the parts of vehicles that drive themselves take: by a clock that is handed in, for
//! there is none here. Nothing of it reaches a state.

use std::sync::{Arc, Mutex, PoisonError};

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Readings of IMU and GPS become where it is.
    Localisation,
    /// A scan is put into the map.
    Registration,
    /// Tiles that others have told are merged into the map.
    Merging,
    /// Classes and costs are brought up to date.
    Costs,
    /// The route: A* and its smoothing.
    Route,
    /// The local path: splines.
    Spline,
    /// Commands of a step: pure pursuit and PID.
    Tracking,
    /// Letters are written.
    Writing,
    /// Letters are read.
    Reading,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 9] = [
        Part::Localisation,
        Part::Registration,
        Part::Merging,
        Part::Costs,
        Part::Route,
        Part::Spline,
        Part::Tracking,
        Part::Writing,
        Part::Reading,
    ];
}

/// What a part has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// How often it was at work.
    pub count: u64,
    /// Time in all, s.
    pub total: f64,
    /// The longest time, s.
    pub longest: f64,
}

/// A clock, s, and what it has shown.
#[derive(Debug)]
pub struct Timings {
    clock: fn() -> f64,
    spent: Mutex<[Spent; Part::ALL.len()]>,
}

impl Timings {
    /// None so far.
    pub fn new(clock: fn() -> f64) -> Timings {
        Timings { clock, spent: Mutex::default() }
    }

    /// What a part has taken of all vehicles.
    pub fn of(&self, part: Part) -> Spent {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)[part as usize]
    }

    fn add(&self, part: Part, time: f64) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let Spent { count, total, longest } = &mut spent[part as usize];
        (*count, *total, *longest) = (*count + 1, *total + time, longest.max(time));
    }
}

/// Who times, if anybody does. It tells no models apart.
#[derive(Clone, Debug, Default)]
pub struct Stopwatch(pub Option<Arc<Timings>>);

impl PartialEq for Stopwatch {
    fn eq(&self, _: &Stopwatch) -> bool {
        true
    }
}

impl Stopwatch {
    /// Does some work of a part.
    #[inline]
    pub fn time<T>(&self, part: Part, work: impl FnOnce() -> T) -> T {
        let Some(timings) = &self.0 else { return work() };
        let begun = (timings.clock)();
        let done = work();
        timings.add(part, (timings.clock)() - begun);
        done
    }
}
