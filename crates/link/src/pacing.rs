//! Pacing of a run by the wall clock.

use bekker_ranks::{Flow, HeartbeatInfo, Observer};
use bekker_world::{PacingSummary, World};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Maximum delay that a run catches up, heartbeats. Beyond it the schedule is shifted.
const CHASED: f64 = 3.0;
/// Tolerance within which a heartbeat is in time, s.
const IN_TIME: f64 = 0.002;
/// Time before a deadline from which the thread spins, since systems wake later than requested, s.
const WATCHED: f64 = 0.0005;

/// Delays each heartbeat until the wall clock has reached its end.
///
/// It runs on rank 0, and the other ranks wait for that one. It counts heartbeats that end after
/// their deadline. Delay beyond three heartbeats is dropped, so that a run never catches up more
/// than that at once.
pub struct Pacing<'a> {
    /// Simulated time over wall time.
    factor: f64,
    /// Set when the run was paused on purpose: its schedule restarts.
    was_paused: Option<&'a AtomicBool>,
    begun: Instant,
    begun_at: f64,
    /// Simulated time at the last heartbeat, s.
    last: f64,
    /// Reference point: an instant and its simulated time, s.
    schedule: Option<(Instant, f64)>,
    /// Lateness of each heartbeat, s.
    lateness: Vec<f64>,
}

impl<'a> Pacing<'a> {
    /// Creates the pacing for `factor` times real time.
    pub fn new(factor: f64, was_paused: Option<&'a AtomicBool>) -> Pacing<'a> {
        let (begun, begun_at, last) = (Instant::now(), 0.0, 0.0);
        Pacing { factor, was_paused, begun, begun_at, last, schedule: None, lateness: Vec::new() }
    }

    /// Returns the statistics of the run so far.
    pub fn summary(&self) -> PacingSummary {
        let mut sorted = self.lateness.clone();
        sorted.sort_by(f64::total_cmp);
        // by nearest rank
        let percentile = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.max(1) - 1).copied().unwrap_or_default()
        };
        let late = sorted.iter().filter(|own| **own > IN_TIME).count();
        let wall = self.begun.elapsed().as_secs_f64();
        PacingSummary {
            factor: self.factor,
            achieved: if wall > 0.0 { (self.last - self.begun_at) / wall } else { 0.0 },
            heartbeats: sorted.len() as u64,
            late: late as u64,
            lateness_p50: percentile(0.5),
            lateness_p99: percentile(0.99),
            lateness_max: sorted.last().copied().unwrap_or_default(),
        }
    }

    fn hold(&mut self, time: f64) {
        let heartbeat = (time - self.last) / self.factor;
        self.last = time;
        let now = Instant::now();
        let was_paused =
            self.was_paused.is_some_and(|was_paused| was_paused.swap(false, Ordering::Relaxed));
        let schedule = self.schedule.filter(|_| !was_paused);
        let Some((from, at)) = schedule else {
            if self.lateness.is_empty() {
                // waiting before the first heartbeat does not count
                (self.begun, self.begun_at) = (now, time);
            }
            self.schedule = Some((now, time));
            return;
        };
        let ahead = Duration::from_secs_f64(((time - at) / self.factor).max(0.0));
        let deadline = from + ahead;
        let early = deadline.saturating_duration_since(now);
        if early.as_secs_f64() > WATCHED {
            sleep(early - Duration::from_secs_f64(WATCHED));
        }
        while Instant::now() < deadline {
            std::hint::spin_loop();
        }
        let lateness = Instant::now().saturating_duration_since(deadline).as_secs_f64();
        self.lateness.push(lateness);
        let given_up = lateness - CHASED * heartbeat;
        if given_up > 0.0 {
            self.schedule = Some((from + Duration::from_secs_f64(given_up), at));
        }
    }
}

impl<E> Observer<E> for Pacing<'_> {
    fn on_start(&mut self, world: &World, _: &[bekker_agent::Sample]) -> Result<(), E> {
        (self.begun, self.begun_at, self.last) = (Instant::now(), world.time(), world.time());
        self.schedule = self.was_paused.is_none().then_some((self.begun, self.begun_at));
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, E> {
        if moment.first {
            self.hold(moment.time);
        }
        Ok(Flow::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_time_is_recovered_for_three_heartbeats_only() {
        let mut pacing = Pacing::new(10.0, None);
        pacing.schedule = Some((Instant::now(), 0.0));
        pacing.hold(0.1);
        // heartbeats of 10 ms of wall time: never earlier
        assert!(pacing.schedule.unwrap().0.elapsed() >= Duration::from_millis(10));
        sleep(Duration::from_millis(200));
        pacing.hold(0.2);
        let behind = |own: &Pacing<'_>| {
            let (from, at) = own.schedule.unwrap();
            from.elapsed().as_secs_f64() - (own.last - at) / own.factor
        };
        // the time between the call and this line only increases the delay
        assert!(pacing.lateness[1] > 0.15 && behind(&pacing) >= 0.03);
        let summary = pacing.summary();
        assert_eq!(summary.heartbeats, 2);
        assert!(summary.lateness_max >= 0.15 && summary.late >= 1);
    }

    #[test]
    fn paused_time_is_not_counted() {
        let was_paused = AtomicBool::new(true);
        let mut pacing = Pacing::new(1.0, Some(&was_paused));
        sleep(Duration::from_millis(20));
        pacing.hold(0.01);
        assert!(pacing.lateness.is_empty() && pacing.schedule.is_some());
        pacing.hold(0.02);
        assert_eq!(pacing.lateness.len(), 1);
    }
}
