//! Times of measurement and delivery, in whole microseconds of simulated time.

use serde::{Deserialize, Serialize};

/// Rate, lag and collection window of a sensor.
///
/// Frame k (from 1) is due k / rate after the start, so rounding does not accumulate. It is taken
/// at the end of the first step at or after that time, from the window before it, and delivered one
/// lag later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensorSchedule {
    /// Frame rate, µHz.
    rate_uhz: u64,
    /// Time from measurement to delivery, µs.
    pub lag_us: u64,
    /// Collection time of a frame, µs; 0 for an instantaneous one.
    pub window_us: u64,
}

impl SensorSchedule {
    /// Creates a schedule of `rate` Hz with a lag and a window in s.
    ///
    /// Times are rounded to the microsecond, the rate to the microhertz. A frame of a rate that
    /// rounds to zero is never due.
    pub fn new(rate: f64, lag: f64, window: f64) -> SensorSchedule {
        let micro = |x: f64| (x * 1e6).round().max(0.0) as u64;
        SensorSchedule { rate_uhz: micro(rate), lag_us: micro(lag), window_us: micro(window) }
    }

    /// Returns the number of frames due up to a time, µs.
    pub fn frames(&self, time_us: u64) -> u64 {
        (u128::from(time_us) * u128::from(self.rate_uhz) / 1_000_000_000_000) as u64
    }

    /// Returns the time at which a frame is due, µs, rounded up.
    pub fn due_us(&self, frame: u64) -> u64 {
        let span = u128::from(frame) * 1_000_000_000_000;
        span.div_ceil(u128::from(self.rate_uhz.max(1))).min(u128::from(u64::MAX)) as u64
    }

    /// Returns the frame due after `before_us` and not after `now_us`, if any; the last of several.
    pub fn falls_due(&self, before_us: u64, now_us: u64) -> Option<u64> {
        let frame = self.frames(now_us);
        (frame > self.frames(before_us)).then_some(frame)
    }

    /// Returns whether the step that ends at `now_us` belongs to the window of the next or current
    /// frame.
    pub fn collects(&self, before_us: u64, now_us: u64) -> bool {
        let due = self.due_us(self.frames(before_us) + 1);
        now_us >= due || now_us.saturating_add(self.window_us) > due
    }

    /// Returns the time between frames, s.
    pub fn period(&self) -> f64 {
        1e6 / self.rate_uhz.max(1) as f64
    }

    /// Returns the collection window, s.
    pub fn window(&self) -> f64 {
        self.window_us as f64 * 1e-6
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn thirty_hertz_on_two_milliseconds_keeps_its_rate() {
        let schedule = SensorSchedule::new(30.0, 0.0, 0.0);
        let taken: Vec<u64> = (1..=5000)
            .filter(|tick| schedule.falls_due((tick - 1) * 2000, tick * 2000).is_some())
            .map(|tick| tick * 2000)
            .collect();
        assert_eq!(taken.len(), 300, "10 s at 30 Hz");
        assert_eq!(taken[..3], [34_000, 68_000, 100_000]);
        assert_eq!(taken[299], 10_000_000);
    }

    #[test]
    fn a_window_collects_the_steps_before_its_frame() {
        let schedule = SensorSchedule::new(100.0, 0.0, 0.004);
        let collected: Vec<u64> = (1..=10)
            .filter(|tick| schedule.collects((tick - 1) * 2000, tick * 2000))
            .map(|tick| tick * 2)
            .collect();
        assert_eq!(collected, [8, 10, 18, 20], "ms");
        let instant = SensorSchedule::new(100.0, 0.0, 0.0);
        assert!(!instant.collects(6000, 8000) && instant.collects(8000, 10_000));
    }

    proptest! {
        #[test]
        fn every_frame_falls_due_once(rate in 0.01f64..2000.0, step in 1u64..20_000) {
            let schedule = SensorSchedule::new(rate, 0.0, 0.0);
            let ticks = 2000;
            let mut last = 0;
            for tick in 1..=ticks {
                if let Some(frame) = schedule.falls_due((tick - 1) * step, tick * step) {
                    prop_assert!(frame > last);
                    let due = schedule.due_us(frame);
                    prop_assert!(due <= tick * step && due > (tick - 1) * step);
                    last = frame;
                }
            }
            prop_assert_eq!(last, schedule.frames(ticks * step));
        }
    }
}
