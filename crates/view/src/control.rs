//! Playback control: set by pages, read by the simulation.

use super::request::PageRequest;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Slowest and fastest rate, in simulated seconds per second.
const PACES: [f64; 2] = [0.01, 1000.0];

/// Longest sleep of the simulation before it checks for requests.
const LOOK: Duration = Duration::from_millis(50);

/// Requests of the pages.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PlaybackRequest {
    playing: bool,
    rate: Option<f64>,
    steps: u32,
    seek: Option<f64>,
}

/// Playback control, set by pages and read by the simulation.
#[derive(Debug)]
pub struct Control {
    requested: Mutex<PlaybackRequest>,
    changed: Condvar,
}

impl Control {
    /// Returns a control with `rate` in simulated seconds per second, or unlimited.
    pub fn new(playing: bool, rate: Option<f64>) -> Control {
        let requested = PlaybackRequest { playing, rate, steps: 0, seek: None };
        Control { requested: Mutex::new(requested), changed: Condvar::new() }
    }

    fn requested(&self) -> MutexGuard<'_, PlaybackRequest> {
        self.requested.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies a request if it concerns playback.
    pub fn apply(&self, request: &PageRequest) {
        let mut requested = self.requested();
        match *request {
            PageRequest::Play => requested.playing = true,
            PageRequest::Pause => requested.playing = false,
            PageRequest::Step => {
                requested.playing = false;
                requested.steps = requested.steps.saturating_add(1);
            }
            PageRequest::Rate { value } => {
                let [slowest, fastest] = PACES;
                requested.rate = value.filter(|v| v.is_finite()).map(|v| v.clamp(slowest, fastest));
            }
            PageRequest::Seek { time } => requested.seek = Some(time),
            PageRequest::Chunk(_) | PageRequest::Ground { .. } => return,
        }
        drop(requested);
        self.changed.notify_all();
    }

    /// Returns whether the run is playing, and its rate.
    pub fn playing(&self) -> (bool, Option<f64>) {
        let requested = self.requested();
        (requested.playing, requested.rate)
    }

    /// Pauses the run, as at its end.
    pub fn pause(&self) {
        self.requested().playing = false;
    }

    /// Returns a requested time, s, once.
    pub fn seek(&self) -> Option<f64> {
        self.requested().seek.take()
    }

    /// Returns whether a time is requested.
    pub fn seeks(&self) -> bool {
        self.requested().seek.is_some()
    }

    /// Returns whether to simulate another heartbeat; waits briefly if not.
    pub fn is_playing(&self) -> bool {
        let mut requested = self.requested();
        if !requested.playing && requested.steps == 0 && requested.seek.is_none() {
            let waited = self.changed.wait_timeout(requested, LOOK);
            requested = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if requested.playing {
            return true;
        }
        let stepping = requested.steps > 0;
        requested.steps = requested.steps.saturating_sub(1);
        stepping
    }
}

/// Synchronizes simulated time with wall time.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaybackClock {
    /// Wall time and simulated time, s, at the reference moment, and the rate since then.
    from: Option<(Instant, f64, f64)>,
}

/// Largest lag behind the target rate, s.
///
/// After a longer lag the reference moment is reset, so that the run does not catch up at excessive
/// speed.
const LAG: f64 = 0.25;

impl PlaybackClock {
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
