//! Simulated time in integer ticks, so that rounding never shifts a heartbeat.

use serde::{Deserialize, Serialize};

/// Reason why a step and a heartbeat are invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClockError {
    /// The step is not a whole number of microseconds.
    #[error("step {step} s must be a whole number of microseconds, from 1e-6 to 0.02 s")]
    Step {
        /// The step, s.
        step: f64,
    },
    /// The heartbeat is not a multiple of the step.
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
    /// Largest position error of a vehicle in the views of others, m.
    tolerance: Option<f64>,
}

/// Converts microseconds to the nearest `f64` in seconds, which prints without rounding digits.
pub fn decimal_seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// Rounds a time, s, to whole microseconds, which removes the error of multiplication by the step.
pub fn whole_microseconds(time: f64) -> f64 {
    (time * 1e6).round() / 1e6
}

impl Clock {
    /// Creates a clock with the given step and heartbeat, s.
    pub fn new(step: f64, heartbeat: f64) -> Result<Clock, ClockError> {
        let step_us = (step * 1e6).round();
        let whole = (step * 1e6 - step_us).abs() < 1e-6 * step_us.max(1.0);
        if !(1.0..=20_000.0).contains(&step_us) || !whole {
            return Err(ClockError::Step { step });
        }
        let steps = (heartbeat / step).round();
        if !(steps >= 1.0 && (steps * step - heartbeat).abs() < 1e-9 * heartbeat.max(step)) {
            // computed in microseconds first, so that multiples of a step print exactly
            let count = (heartbeat / step).floor().max(1.0);
            let (below, above) = (count * step_us / 1e6, (count + 1.0) * step_us / 1e6);
            return Err(ClockError::Heartbeat { heartbeat, step, below, above });
        }
        Ok(Clock { step_us: step_us as u64, steps_per_heartbeat: steps as u64, tolerance: None })
    }

    /// Returns the clock with adaptive heartbeats, which are shortened for fast vehicles.
    ///
    /// No vehicle moves farther than `tolerance`, m, from the state that others have of it.
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Clock {
        Clock { tolerance: Some(tolerance), ..self }
    }

    /// Whether heartbeats are shortened.
    pub fn is_adaptive(&self) -> bool {
        self.tolerance.is_some()
    }

    /// Returns the number of steps from `tick` to the next heartbeat.
    ///
    /// No vehicle is faster than `speed`, m/s, or accelerates more than `acceleration`, m/s².
    ///
    /// The result is the largest number of steps, at least one, whose duration H keeps the bound
    /// D_H within the tolerance. The bound is that of the SynChrono paper, D_H = a H²/2 + v H.
    /// Every multiple of the full heartbeat stays a heartbeat, so runs end and are sampled at the
    /// same times.
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

    /// Returns the steps between two heartbeats; the largest number with adaptive heartbeats.
    pub fn steps_per_heartbeat(&self) -> u64 {
        self.steps_per_heartbeat
    }

    /// Returns the length of a heartbeat, s; the longest with adaptive heartbeats.
    pub fn heartbeat(&self) -> f64 {
        (self.step_us * self.steps_per_heartbeat) as f64 * 1e-6
    }

    /// Returns the time at a tick as the dynamics use it, s; may differ from the decimal by the
    /// last bit.
    pub fn time(&self, tick: u64) -> f64 {
        (self.step_us * tick) as f64 * 1e-6
    }

    /// Returns the time at a tick as it is reported, s: the `f64` nearest to the decimal number.
    pub fn reported_time(&self, tick: u64) -> f64 {
        decimal_seconds(self.micros(tick))
    }

    /// Time at a tick, µs.
    pub fn micros(&self, tick: u64) -> u64 {
        self.step_us * tick
    }

    /// Returns the ticks of the number of heartbeats nearest to a time, s, at least of one
    /// heartbeat.
    pub fn ticks_in(&self, time: f64) -> u64 {
        let heartbeats = (time / self.heartbeat()).round().max(1.0) as u64;
        heartbeats.saturating_mul(self.steps_per_heartbeat())
    }

    /// Returns the number of heartbeats that cover a time, s.
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

    /// The reported time is the nearest `f64` to the decimal at every tick; a product is not.
    #[test]
    fn formats_times_as_decimals() {
        let clock = Clock::new(0.002, 0.01).unwrap();
        assert_eq!((clock.time(6820), clock.reported_time(6820)), (13.639999999999999, 13.64));
        for tick in 0..20_000 {
            assert_eq!(
                clock.reported_time(tick).to_string().parse::<f64>(),
                Ok(clock.reported_time(tick))
            );
            assert!(
                clock.reported_time(tick).to_string().len() <= 6,
                "{}",
                clock.reported_time(tick)
            );
        }
    }

    #[test]
    fn heartbeats_keep_the_bound_and_meet_at_full_ones() {
        let clock = Clock::new(0.002, 0.01).unwrap();
        assert_eq!(clock.steps_to_heartbeat(10, 100.0, 100.0), 5);
        let clock = clock.with_tolerance(0.05);
        assert_eq!(clock.steps_to_heartbeat(10, 0.0, 0.0), 5);
        // in 4 ms at 10 m/s: slightly above 40 mm; in 6 ms: 60 mm
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
