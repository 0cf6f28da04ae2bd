//! Random numbers of a level.

use bekker_math::random::RandomStream;

/// A sequence of random numbers for a level.
#[derive(Debug)]
pub struct LevelRng {
    stream: RandomStream,
    drawn: u64,
}

impl LevelRng {
    pub(super) fn new(task: &str, level: u64) -> LevelRng {
        LevelRng { stream: RandomStream::new(level, task), drawn: 0 }
    }

    /// Draws a number uniformly from a range.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.drawn += 1;
        low + (high - low) * self.stream.uniform(self.drawn)
    }

    /// Draws one of several values.
    pub fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        let place = self.uniform(0.0, of.len() as f64) as usize;
        of[place.min(of.len() - 1)]
    }
}
