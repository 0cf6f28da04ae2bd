//! Rate limits in wall time for display.

use std::time::{Duration, Instant};

/// Wall time between frames, and between updates of the ground.
pub(super) const FRAMES: Duration = Duration::from_millis(33);
pub(super) const GROUND: Duration = Duration::from_millis(100);
/// Wall time between camera images, and between plans of autonomous vehicles.
pub(super) const PICTURES: Duration = Duration::from_millis(200);
pub(super) const PLANS: Duration = Duration::from_secs(1);

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
