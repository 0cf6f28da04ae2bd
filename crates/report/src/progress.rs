//! Progress of a run on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// A progress bar with the current real-time factor.
///
/// It is silent unless standard error is a terminal, where it never leaves more than one line.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    duration: f64,
    factor: RealTimeFactor,
    shown: Instant,
}

const REFRESH: Duration = Duration::from_millis(100);

impl Progress {
    /// Starts the clock for `duration` seconds of simulated time; `quiet` hides the bar even on a
    /// terminal.
    pub fn start(duration: f64, quiet: bool) -> Progress {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(milliseconds(duration)), target);
        let template = "{bar:32.cyan/blue} {msg}  {eta} left";
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let now = Instant::now();
        Progress { bar, duration, factor: RealTimeFactor::start(), shown: now }
    }

    /// Shows that `simulated` seconds are done.
    ///
    /// This is cheap: it draws at most ten times a second.
    pub fn update(&mut self, simulated: f64) {
        let now = Instant::now();
        if now - self.shown < REFRESH || self.bar.is_hidden() {
            return;
        }
        self.shown = now;
        let factor = self.factor.update(simulated, self.bar.elapsed().as_secs_f64());
        self.bar.set_message(message(simulated, self.duration, factor));
        self.bar.set_position(milliseconds(simulated));
    }

    /// Prints a line above the bar, or without the bar if it is hidden.
    pub fn note(&self, line: &str) {
        if self.bar.is_hidden() {
            eprintln!("{line}");
        } else {
            self.bar.println(line);
        }
    }

    /// Clears the bar.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0) as u64
}

fn message(simulated: f64, duration: f64, factor: f64) -> String {
    format!("{simulated:6.2} of {duration:.2} s  {factor:.2} x real time")
}

/// Ratio of simulated to wall time, averaged over about the last second of wall time.
#[derive(Debug)]
struct RealTimeFactor {
    simulated: f64,
    wall: f64,
    factor: f64,
}

impl RealTimeFactor {
    fn start() -> RealTimeFactor {
        RealTimeFactor { simulated: 0.0, wall: 0.0, factor: 0.0 }
    }

    fn update(&mut self, simulated: f64, wall: f64) -> f64 {
        let passed = wall - self.wall;
        if passed > 0.0 {
            let now = (simulated - self.simulated) / passed;
            let first = self.wall == 0.0;
            // Exponential moving average with a time constant of 1 s.
            let weight = if first { 1.0 } else { passed / (passed + 1.0) };
            self.factor += weight * (now - self.factor);
            self.simulated = simulated;
            self.wall = wall;
        }
        self.factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_simulated_over_wall_time_and_follows_a_change() {
        let mut factor = RealTimeFactor::start();
        let (mut simulated, mut wall) = (0.0, 0.0);
        let mut drive = |rate: f64, seconds: f64| {
            let mut shown = 0.0;
            for _ in 0..(seconds * 10.0) as usize {
                wall += 0.1;
                simulated += 0.1 * rate;
                shown = factor.update(simulated, wall);
            }
            shown
        };
        assert!((drive(4.0, 5.0) - 4.0).abs() < 1e-9);
        // Ten time constants: less than e^-9 of the old rate remains.
        assert!((drive(0.5, 10.0) - 0.5).abs() < 1e-3);
    }

    #[test]
    fn is_silent_and_harmless_without_a_terminal() {
        let mut progress = Progress::start(60.0, true);
        progress.update(30.0);
        progress.finish();
        assert_eq!(message(3.5, 60.0, 4.0), "  3.50 of 60.00 s  4.00 x real time");
    }
}
