//! Whether a run goes on, and how fast: set by pages, obeyed by who simulates.

use super::request::Request;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Slowest and fastest pace, simulated seconds a second.
const PACES: [f64; 2] = [0.01, 1000.0];

/// How long who simulates sleeps at most before it looks round.
const LOOK: Duration = Duration::from_millis(50);

/// What pages want.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wish {
    playing: bool,
    rate: Option<f64>,
    steps: u32,
    seek: Option<f64>,
}

/// Set by pages, obeyed by who simulates.
#[derive(Debug)]
pub struct Control {
    wish: Mutex<Wish>,
    changed: Condvar,
}

impl Control {
    /// Playing at `rate` simulated seconds a second, or as fast as can be.
    pub fn new(playing: bool, rate: Option<f64>) -> Control {
        let wish = Wish { playing, rate, steps: 0, seek: None };
        Control { wish: Mutex::new(wish), changed: Condvar::new() }
    }

    fn wish(&self) -> MutexGuard<'_, Wish> {
        self.wish.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a request, if it is one for who simulates.
    pub fn take(&self, request: &Request) {
        let mut wish = self.wish();
        match *request {
            Request::Play => wish.playing = true,
            Request::Pause => wish.playing = false,
            Request::Step => {
                wish.playing = false;
                wish.steps = wish.steps.saturating_add(1);
            }
            Request::Rate { value } => {
                let [slowest, fastest] = PACES;
                wish.rate = value.filter(|v| v.is_finite()).map(|v| v.clamp(slowest, fastest));
            }
            Request::Seek { time } => wish.seek = Some(time),
            Request::Chunk(_) | Request::Ground { .. } => return,
        }
        drop(wish);
        self.changed.notify_all();
    }

    /// Whether the run goes on, and at what pace.
    pub fn playing(&self) -> (bool, Option<f64>) {
        let wish = self.wish();
        (wish.playing, wish.rate)
    }

    /// Holds, as at the end of a run.
    pub fn pause(&self) {
        self.wish().playing = false;
    }

    /// The moment that is asked for, once.
    pub fn seek(&self) -> Option<f64> {
        self.wish().seek.take()
    }

    /// Whether a moment is asked for.
    pub fn seeks(&self) -> bool {
        self.wish().seek.is_some()
    }

    /// Whether another heartbeat is wanted; waits a little when none is.
    pub fn go_on(&self) -> bool {
        let mut wish = self.wish();
        if !wish.playing && wish.steps == 0 && wish.seek.is_none() {
            let waited = self.changed.wait_timeout(wish, LOOK);
            wish = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if wish.playing {
            return true;
        }
        let stepping = wish.steps > 0;
        wish.steps = wish.steps.saturating_sub(1);
        stepping
    }
}

/// Holds simulated to wall time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// Wall and simulated time that it is counted from, and the rate since then.
    from: Option<(Instant, f64, f64)>,
}

/// How far a run may lag behind before it is let go of, s: who waits for long does not want
/// to see it hurry.
const LAG: f64 = 0.25;

impl Pace {
    /// How long to wait before the moment `time` is shown at `rate`.
    pub fn wait(&mut self, time: f64, rate: Option<f64>) -> Duration {
        let Some(rate) = rate else {
            self.from = None;
            return Duration::ZERO;
        };
        let now = Instant::now();
        let (wall, simulated, _) = match self.from {
            Some(from) if from.2 == rate && from.1 <= time => from,
            _ => *self.from.insert((now, time, rate)),
        };
        let due = (time - simulated) / rate;
        let passed = (now - wall).as_secs_f64();
        if passed > due + LAG {
            self.from = Some((now, time, rate));
            return Duration::ZERO;
        }
        Duration::from_secs_f64((due - passed).max(0.0))
    }

    /// Forgets, as after a pause.
    pub fn reset(&mut self) {
        self.from = None;
    }
}
