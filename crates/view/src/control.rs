//! Playback control: set by pages, read by the simulation.

use super::request::Request;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Slowest and fastest rate, in simulated seconds per second.
const PACES: [f64; 2] = [0.01, 1000.0];

/// Longest sleep of the simulation before it checks for requests.
const LOOK: Duration = Duration::from_millis(50);

/// Requests of the pages.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wish {
    playing: bool,
    rate: Option<f64>,
    steps: u32,
    seek: Option<f64>,
}

/// Playback control, set by pages and read by the simulation.
#[derive(Debug)]
pub struct Control {
    wish: Mutex<Wish>,
    changed: Condvar,
}

impl Control {
    /// Returns a control with `rate` in simulated seconds per second, or unlimited.
    pub fn new(playing: bool, rate: Option<f64>) -> Control {
        let wish = Wish { playing, rate, steps: 0, seek: None };
        Control { wish: Mutex::new(wish), changed: Condvar::new() }
    }

    fn wish(&self) -> MutexGuard<'_, Wish> {
        self.wish.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies a request if it concerns playback.
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

    /// Returns whether the run is playing, and its rate.
    pub fn playing(&self) -> (bool, Option<f64>) {
        let wish = self.wish();
        (wish.playing, wish.rate)
    }

    /// Pauses the run, as at its end.
    pub fn pause(&self) {
        self.wish().playing = false;
    }

    /// Returns a requested time, s, once.
    pub fn seek(&self) -> Option<f64> {
        self.wish().seek.take()
    }

    /// Returns whether a time is requested.
    pub fn seeks(&self) -> bool {
        self.wish().seek.is_some()
    }

    /// Returns whether to simulate another heartbeat; waits briefly if not.
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

/// Synchronizes simulated time with wall time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// Wall time and simulated time, s, at the reference moment, and the rate since then.
    from: Option<(Instant, f64, f64)>,
}

/// Largest lag behind the target rate, s.
///
/// After a longer lag the reference moment is reset, so that the run does not catch up at excessive
/// speed.
const LAG: f64 = 0.25;

impl Pace {
    /// Time to wait before the moment `time`, s, is shown at `rate`.
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

    /// Clears the reference moment, as after a pause.
    pub fn reset(&mut self) {
        self.from = None;
    }
}
