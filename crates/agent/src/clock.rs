//! Time in integer ticks, so that no rounding ever moves a heartbeat.

use serde::{Deserialize, Serialize};

/// Why a step and a heartbeat do not make a clock.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClockError {
    /// A step that is no whole number of microseconds.
    #[error("step {step} s must be a whole number of microseconds, from 1e-6 to 0.02 s")]
    Step {
        /// The step, s.
        step: f64,
    },
    /// A heartbeat that steps do not fill.
    #[error(
        "heartbeat {heartbeat} s must be a whole number of steps of {step} s; \
         the nearest are {below} s and {above} s"
    )]
    Heartbeat {
        /// The heartbeat, s.
        heartbeat: f64,
        /// The step, s.
        step: f64,
        /// Nearest multiple below, s.
        below: f64,
        /// Nearest multiple above, s.
        above: f64,
    },
}

/// Step and heartbeat. A tick is a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    step_us: u64,
    steps_per_heartbeat: u64,
    /// How far a vehicle may get from what others know of it, m.
    tolerance: Option<f64>,
}

/// Microseconds as seconds: the number nearest to their decimals, as they are written.
pub fn decimal_seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// A time, s, without what the multiplication by the step left behind whole microseconds.
pub fn whole_microseconds(time: f64) -> f64 {
    (time * 1e6).round() / 1e6
}

impl Clock {
    /// A clock of the given step and heartbeat, s.
    pub fn new(step: f64, heartbeat: f64) -> Result<Clock, ClockError> {
        let step_us = (step * 1e6).round();
        let whole = (step * 1e6 - step_us).abs() < 1e-6 * step_us.max(1.0);
        if !(1.0..=20_000.0).contains(&step_us) || !whole {
            return Err(ClockError::Step { step });
        }
        let steps = (heartbeat / step).round();
        if !(steps >= 1.0 && (steps * step - heartbeat).abs() < 1e-9 * heartbeat.max(step)) {
            // In microseconds first: multiples of a step print as such.
            let count = (heartbeat / step).floor().max(1.0);
            let (below, above) = (count * step_us / 1e6, (count + 1.0) * step_us / 1e6);
            return Err(ClockError::Heartbeat { heartbeat, step, below, above });
        }
        Ok(Clock { step_us: step_us as u64, steps_per_heartbeat: steps as u64, tolerance: None })
    }

    /// The same with heartbeats that are shortened, where vehicles are fast, so
    /// that none gets farther than `tolerance`, m, from what others know of it.
    #[must_use]
    pub fn within(self, tolerance: f64) -> Clock {
        Clock { tolerance: Some(tolerance), ..self }
    }

    /// Whether heartbeats are shortened.
    pub fn adapts(&self) -> bool {
        self.tolerance.is_some()
    }

    /// Steps from `tick` to the next heartbeat, when no vehicle is faster than
    /// `speed`, m/s, or speeds up more than `acceleration`, m/s².
    ///
    /// The most steps, at least one, whose time H keeps the bound of the SynChrono
    /// paper, D_H = a H²/2 + v H, within the tolerance. Every multiple of the full
    /// heartbeat is a heartbeat, so that runs end and are sampled as without.
    pub fn steps_to_heartbeat(&self, tick: u64, speed: f64, acceleration: f64) -> u64 {
        let left = self.steps_per_heartbeat - tick % self.steps_per_heartbeat;
        let Some(tolerance) = self.tolerance else { return left };
        let farthest = |steps: u64| {
            let time = steps as f64 * self.step();
            0.5 * acceleration * time * time + speed * time
        };
        (1..=left).rev().find(|&steps| farthest(steps) <= tolerance).unwrap_or(1)
    }

    /// Length of a step, s.
    pub fn step(&self) -> f64 {
        self.step_us as f64 * 1e-6
    }

    /// Steps between two heartbeats, at most where they adapt.
    pub fn steps_per_heartbeat(&self) -> u64 {
        self.steps_per_heartbeat
    }

    /// Length of a heartbeat, s; the longest where they adapt.
    pub fn heartbeat(&self) -> f64 {
        (self.step_us * self.steps_per_heartbeat) as f64 * 1e-6
    }

    /// Time at a tick as dynamics have it, s: up to a last bit beside the decimal number.
    pub fn time(&self, tick: u64) -> f64 {
        (self.step_us * tick) as f64 * 1e-6
    }

    /// Time at a tick as it is told, s: the number nearest to its decimals.
    pub fn told(&self, tick: u64) -> f64 {
        decimal_seconds(self.micros(tick))
    }

    /// Time at a tick, µs.
    pub fn micros(&self, tick: u64) -> u64 {
        self.step_us * tick
    }

    /// Ticks of the whole heartbeats that come nearest to a time, s: at least of one.
    pub fn ticks_in(&self, time: f64) -> u64 {
        let heartbeats = (time / self.heartbeat()).round().max(1.0) as u64;
        heartbeats.saturating_mul(self.steps_per_heartbeat())
    }

    /// Heartbeats that cover a time, s.
    pub fn heartbeats_in(&self, time: f64) -> u64 {
        (time / self.heartbeat() - 1e-9).ceil().max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_whole_steps() {
        let clock = Clock::new(0.002, 0.01).unwrap();
        assert_eq!(clock.steps_per_heartbeat(), 5);
        assert_eq!(clock.heartbeats_in(60.0), 6000);
        assert_eq!(clock.time(30_000), 60.0);
    }

    /// What is told is the number nearest to its decimals at every tick, as a multiplication is not.
    #[test]
    fn tells_times_as_decimals() {
        let clock = Clock::new(0.002, 0.01).unwrap();
        assert_eq!((clock.time(6820), clock.told(6820)), (13.639999999999999, 13.64));
        for tick in 0..20_000 {
            assert_eq!(clock.told(tick).to_string().parse::<f64>(), Ok(clock.told(tick)));
            assert!(clock.told(tick).to_string().len() <= 6, "{}", clock.told(tick));
        }
    }

    #[test]
    fn heartbeats_keep_the_bound_and_meet_at_full_ones() {
        let clock = Clock::new(0.002, 0.01).unwrap();
        assert_eq!(clock.steps_to_heartbeat(10, 100.0, 100.0), 5);
        let clock = clock.within(0.05);
        assert_eq!(clock.steps_to_heartbeat(10, 0.0, 0.0), 5);
        // 10 m/s for 4 ms is 40 mm and a little; for 6 ms it would be 60 mm
        assert_eq!(clock.steps_to_heartbeat(10, 10.0, 5.0), 2);
        assert_eq!(clock.steps_to_heartbeat(14, 10.0, 5.0), 1, "one is left of five");
        assert_eq!(clock.steps_to_heartbeat(10, f64::NAN, 0.0), 1);
        assert_eq!(clock.steps_to_heartbeat(10, 1e9, 0.0), 1);
    }

    #[test]
    fn names_the_nearest_heartbeats() {
        let error = Clock::new(0.003, 0.01).unwrap_err().to_string();
        assert!(error.contains("0.009 s and 0.012 s"), "{error}");
        assert!(Clock::new(0.0, 0.01).is_err());
        assert!(Clock::new(f64::NAN, 0.01).is_err());
        assert!(Clock::new(0.002, f64::NAN).is_err());
    }
}
