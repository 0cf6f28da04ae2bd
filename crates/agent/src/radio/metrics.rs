//! Metrics of radio communication and platooning.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Base-2 logarithm of the number of age classes per power of two.
///
/// No class is wider than 1/128 of its ages, and any range of ages needs few classes.
const CLASS_BITS: u32 = 7;

/// Ages in one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct AgeClass {
    count: u32,
    /// Largest age, µs.
    greatest_us: u64,
}

/// Metrics of a member of a radio network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RadioMetrics {
    /// Beacons sent.
    pub sent: u64,
    /// Beacons sent by other members.
    pub expected: u64,
    /// Beacons received from other members.
    pub received: u64,
    /// Ages of the newest beacon of each other member, counted at each exchange.
    ///
    /// The keys are the smallest age that a class can hold, µs.
    ages: BTreeMap<u64, AgeClass>,
    /// Following time with a current beacon of the leader, s.
    pub current_time: f64,
    /// Following time without a current beacon of the leader, s.
    pub stale_time: f64,
    /// Smallest time to a collision with the leader, s.
    pub time_to_collision: Option<f64>,
    /// Highest speed so far, m/s.
    highest: f64,
    /// Largest drop of the speed below `highest`, m/s.
    pub speed_drop: f64,
    /// Sum of the squares of accelerations sent in beacons, m²/s⁴.
    pub acceleration_squares: f64,
}

impl RadioMetrics {
    /// Records speed, m/s, and acceleration, m/s², at an exchange.
    pub fn record_motion(&mut self, speed: f64, acceleration: f64) {
        self.highest = self.highest.max(speed);
        self.speed_drop = self.speed_drop.max(self.highest - speed);
        self.acceleration_squares += acceleration * acceleration;
    }

    /// Records the age of the newest beacon of another member, µs.
    pub fn record_age(&mut self, age_us: Option<u64>) {
        let Some(age_us) = age_us else { return };
        let bits = u64::BITS - age_us.leading_zeros();
        let width = 1 << bits.saturating_sub(CLASS_BITS + 1);
        let class = self.ages.entry(age_us / width * width).or_default();
        class.count += 1;
        class.greatest_us = class.greatest_us.max(age_us);
    }

    /// Records a gap, m, that closes at a speed, m/s.
    pub fn record_gap(&mut self, gap: f64, closing: f64) {
        if closing > 0.0 && gap > 0.0 {
            let time = gap / closing;
            let least = self.time_to_collision.map_or(time, |least| least.min(time));
            self.time_to_collision = Some(least);
        }
    }

    /// Returns the quantile `share` of the ages, s, as the largest age in its class.
    pub fn age_quantile(&self, share: f64) -> Option<f64> {
        let all: u64 = self.ages.values().map(|class| u64::from(class.count)).sum();
        let rank = (share * all as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        let class = self.ages.values().find(|class| {
            below += u64::from(class.count);
            below >= rank
        })?;
        Some(class.greatest_us as f64 / 1e6)
    }
}

/// Reception metrics of a member of a radio network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RadioSummary {
    /// Name of the vehicle.
    pub vehicle: String,
    /// Name of the radio.
    pub radio: String,
    /// Beacons sent.
    pub sent: u64,
    /// Fraction of the others' beacons that were received; absent if none were sent.
    pub delivery_ratio: Option<f64>,
    /// Median age of information, s, accurate to 1/128.
    ///
    /// Time since the newest received beacon of each other member was sent, taken at each exchange
    /// before reception.
    pub age_p50: Option<f64>,
    /// 95th percentile of the age of information, s.
    pub age_p95: Option<f64>,
    /// Metrics of following, if the vehicle has a leader.
    pub platoon: Option<PlatoonSummary>,
}

/// Metrics of a vehicle that follows a leader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlatoonSummary {
    /// Name of the leader.
    pub leader: String,
    /// Drop of the speed below its highest value, minus that of the leader, m/s.
    ///
    /// It is zero in a string-stable platoon.
    pub undershoot: f64,
    /// Root of the ratio of the summed squared accelerations of vehicle and leader, at exchanges.
    ///
    /// It is at most 1 in a platoon that is string stable in the L2 sense. Absent if the leader did
    /// not accelerate.
    pub acceleration_gain: Option<f64>,
    /// Smallest ratio of gap to closing speed, s, if the gap ever closed.
    pub least_time_to_collision: Option<f64>,
    /// Fraction of the time in which it used messages of the leader, for drivers that do.
    pub cooperative_share: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_the_percentiles_of_a_list() {
        let metrics = |ages_us: &[u64]| {
            let mut metrics = RadioMetrics::default();
            ages_us.iter().for_each(|&age| metrics.record_age(Some(age)));
            metrics
        };
        assert_eq!(metrics(&[]).age_quantile(0.5), None);
        // ages in separate classes are exact at any size
        for age_us in [0, 1, 5_000, 100_000, 20_000_000, 604_800_000_000] {
            assert_eq!(metrics(&[age_us; 3]).age_quantile(0.95), Some(age_us as f64 / 1e6));
        }
        assert_eq!(metrics(&[u64::MAX]).age_quantile(0.5), Some(u64::MAX as f64 / 1e6));
        let many: Vec<u64> = (1..=20_000).map(|k| 1_003 * k).collect();
        let dense = metrics(&many);
        for (share, exact) in [(0.5, 10.03), (0.95, 19.057)] {
            let age = dense.age_quantile(share).unwrap();
            assert!((exact..exact * (1.0 + 1.0 / 128.0)).contains(&age), "{age} s, not {exact}");
        }
        // ages from 2^10 to 2^25 µs
        assert!(dense.ages.len() <= 15 << CLASS_BITS, "{} classes", dense.ages.len());
    }

    #[test]
    fn a_fall_counts_from_the_highest_speed() {
        let mut metrics = RadioMetrics::default();
        [0.0, 10.0, 7.0, 9.0, 12.0, 11.0]
            .iter()
            .for_each(|&speed| metrics.record_motion(speed, 0.0));
        assert_eq!(metrics.speed_drop, 3.0);
        [(20.0, 2.0), (10.0, 4.0), (5.0, -1.0)]
            .iter()
            .for_each(|&(gap, v)| metrics.record_gap(gap, v));
        assert_eq!(metrics.time_to_collision, Some(2.5));
    }
}
