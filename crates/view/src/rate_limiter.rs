//! Rate limits in wall time for display.

use std::time::{Duration, Instant};

/// Wall time between frames, and between updates of the ground.
pub(super) const FRAMES: Duration = Duration::from_millis(33);
pub(super) const GROUND: Duration = Duration::from_millis(100);
/// Wall time between camera images, and between plans of autonomous vehicles.
pub(super) const PICTURES: Duration = Duration::from_millis(200);
pub(super) const PLANS: Duration = Duration::from_secs(1);

/// Share of wall time that display may take from a run that is late.
const SHARE: f64 = 0.03;
/// Longest wall time between frames of such a run.
const LONGEST: Duration = Duration::from_millis(200);
/// Weight of the last frame in the average cost of a frame.
const WEIGHT: f64 = 0.2;

/// Mean wall time that a frame costs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameCost(Option<f64>);

impl FrameCost {
    /// Adds the cost of a frame to the mean.
    pub fn add(&mut self, cost: Duration) {
        let cost = cost.as_secs_f64();
        self.0 = Some(self.0.map_or(cost, |mean| mean + WEIGHT * (cost - mean)));
    }

    /// Wall time between frames: longer than usual if the run is late and frames are expensive.
    pub fn interval(&self, is_late: bool) -> Duration {
        let cost = if is_late { self.0.unwrap_or(0.0) } else { 0.0 };
        Duration::from_secs_f64(cost / SHARE).clamp(FRAMES, LONGEST)
    }
}

/// Time at which something was last done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateLimiter(Option<Instant>);

impl RateLimiter {
    /// Returns whether it was never done, or last done at least `every` ago.
    pub fn is_due(&self, every: Duration) -> bool {
        self.0.is_none_or(|last| last.elapsed() >= every)
    }

    /// Records that it was done now.
    pub fn restart(&mut self) {
        self.0 = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only a late run is shown less often, so that frames take 3 % of its time, but every 0.2 s.
    #[test]
    fn expensive_frames_of_a_late_run_are_rarer() {
        let interval = |milliseconds: u64, is_late| {
            let mut cost = FrameCost::default();
            (0..50).for_each(|_| cost.add(Duration::from_millis(milliseconds)));
            cost.interval(is_late).as_secs_f64()
        };
        assert_eq!(FrameCost::default().interval(true), FRAMES);
        assert_eq!(interval(50, false), FRAMES.as_secs_f64());
        assert_eq!(interval(0, true), FRAMES.as_secs_f64());
        assert!((interval(3, true) - 0.1).abs() < 1e-6);
        assert_eq!(interval(50, true), LONGEST.as_secs_f64());
    }
}
