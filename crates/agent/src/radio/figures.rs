//! How well a radio and a platoon did.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Classes that ages of information are counted in from one power of two to the next, as a power
/// of two: none is wider than a 128th of what it holds, and there are few for any age.
const CLASS_BITS: u32 = 7;

/// The ages of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct AgeClass {
    count: u32,
    /// The greatest of them, µs.
    greatest_us: u64,
}

/// Sums of a member of a radio.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RadioFigures {
    /// Beacons sent.
    pub sent: u64,
    /// Beacons of others sent.
    pub expected: u64,
    /// Of these, received.
    pub received: u64,
    /// Ages of the newest beacon of each other, counted at each exchange, in classes by the least
    /// that each could hold, µs.
    ages: BTreeMap<u64, AgeClass>,
    /// Time steered with the leader's word and without it, s.
    pub heard_time: f64,
    pub unheard_time: f64,
    /// Least time to a collision with the leader, s.
    pub time_to_collision: Option<f64>,
    /// Highest speed so far, and the largest fall from it, m/s.
    highest: f64,
    pub fall: f64,
    /// Sum of the squares of accelerations told, m²/s⁴.
    pub acceleration_squares: f64,
}

impl RadioFigures {
    /// Takes note of the speed, m/s, and acceleration, m/s², at an exchange.
    pub fn moves(&mut self, speed: f64, acceleration: f64) {
        self.highest = self.highest.max(speed);
        self.fall = self.fall.max(self.highest - speed);
        self.acceleration_squares += acceleration * acceleration;
    }

    /// Takes note of the age of what was last heard of another, µs.
    pub fn ages(&mut self, age_us: Option<u64>) {
        let Some(age_us) = age_us else { return };
        let bits = u64::BITS - age_us.leading_zeros();
        let width = 1 << bits.saturating_sub(CLASS_BITS + 1);
        let class = self.ages.entry(age_us / width * width).or_default();
        class.count += 1;
        class.greatest_us = class.greatest_us.max(age_us);
    }

    /// Takes note of a gap, m, that closes at a speed, m/s.
    pub fn closes(&mut self, gap: f64, closing: f64) {
        if closing > 0.0 && gap > 0.0 {
            let time = gap / closing;
            let least = self.time_to_collision.map_or(time, |least| least.min(time));
            self.time_to_collision = Some(least);
        }
    }

    /// The age that a share of all ages is not above, s: the greatest of its class.
    pub fn age(&self, share: f64) -> Option<f64> {
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

/// How well a member of a radio heard the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RadioSummary {
    /// Name of the vehicle.
    pub vehicle: String,
    /// Name of the radio.
    pub radio: String,
    /// Beacons that it sent.
    pub sent: u64,
    /// Share of the others' beacons that reached it; absent where there were none.
    pub delivery_ratio: Option<f64>,
    /// Age of information, s: time since the newest beacon heard of each other was sent, seen
    /// at each exchange before it is heard. Not above this in half of all cases; to a 128th.
    pub age_p50: Option<f64>,
    /// The same in 95 of 100.
    pub age_p95: Option<f64>,
    /// How it followed, if it has a leader.
    pub platoon: Option<PlatoonSummary>,
}

/// How a vehicle followed its leader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlatoonSummary {
    /// Name of the leader.
    pub leader: String,
    /// How far its speed fell below its highest, beyond the same of its leader, m/s: a string
    /// stable platoon has none.
    pub undershoot: f64,
    /// Root of the sum of the squares of its accelerations over that of its leader's, at
    /// exchanges: at most 1 in a platoon that is string stable in the L2 sense. Absent where the
    /// leader had none.
    pub acceleration_gain: Option<f64>,
    /// Least gap over closing speed, s, if it ever closed in.
    pub least_time_to_collision: Option<f64>,
    /// Share of the time that it followed by the leader's word, for drivers that do.
    pub cooperative_share: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_the_percentiles_of_a_list() {
        let figures = |ages_us: &[u64]| {
            let mut figures = RadioFigures::default();
            ages_us.iter().for_each(|&age| figures.ages(Some(age)));
            figures
        };
        assert_eq!(figures(&[]).age(0.5), None);
        // those that are apart are told as they are, however short or long
        for age_us in [0, 1, 5_000, 100_000, 20_000_000, 604_800_000_000] {
            assert_eq!(figures(&[age_us; 3]).age(0.95), Some(age_us as f64 / 1e6));
        }
        assert_eq!(figures(&[u64::MAX]).age(0.5), Some(u64::MAX as f64 / 1e6));
        let many: Vec<u64> = (1..=20_000).map(|k| 1_003 * k).collect();
        let dense = figures(&many);
        for (share, exact) in [(0.5, 10.03), (0.95, 19.057)] {
            let age = dense.age(share).unwrap();
            assert!((exact..exact * (1.0 + 1.0 / 128.0)).contains(&age), "{age} s, not {exact}");
        }
        // from 2^10 to 2^25 µs
        assert!(dense.ages.len() <= 15 << CLASS_BITS, "{} classes", dense.ages.len());
    }

    #[test]
    fn a_fall_counts_from_the_highest_speed() {
        let mut figures = RadioFigures::default();
        [0.0, 10.0, 7.0, 9.0, 12.0, 11.0].iter().for_each(|&speed| figures.moves(speed, 0.0));
        assert_eq!(figures.fall, 3.0);
        [(20.0, 2.0), (10.0, 4.0), (5.0, -1.0)].iter().for_each(|&(gap, v)| figures.closes(gap, v));
        assert_eq!(figures.time_to_collision, Some(2.5));
    }
}
