//! What is shown now and then, by the clock on the wall.

use std::time::{Duration, Instant};

/// Wall time between frames, and between tiles of the ground.
pub(super) const FRAMES: Duration = Duration::from_millis(33);
pub(super) const GROUND: Duration = Duration::from_millis(100);
/// The same between pictures, and between what vehicles that drive themselves have in mind.
pub(super) const PICTURES: Duration = Duration::from_millis(200);
pub(super) const PLANS: Duration = Duration::from_secs(1);

/// Something that is due so often.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Due(Option<Instant>);

impl Due {
    /// Whether it is `every` ago that it was done, or never was.
    pub fn is(&self, every: Duration) -> bool {
        self.0.is_none_or(|last| last.elapsed() >= every)
    }

    /// It was done now.
    pub fn done(&mut self) {
        self.0 = Some(Instant::now());
    }
}
