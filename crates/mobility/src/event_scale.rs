//! Speeds, distances, durations and obstacle sizes of the events for small and slow vehicles.
//!
//! The constants of the events suit vehicles from the size of a light utility vehicle on. Distances
//! of smaller vehicles are scaled with the wheelbase, obstacles and node distances with the wheel
//! radius. Speeds are limited by the top speed. All factors are exactly 1 for other vehicles.

use super::TractiveEffort;
use super::straight::PART_OF_TOP;
use super::subject::{KMH, Subject};

/// Wheelbase, m, and wheel radius, m, from which vehicles are tested at full distances and sizes.
const FULL_SIZE: [f64; 2] = [1.9, 0.25];
/// Longest time for which a distance is driven at the greatest test speed, s.
///
/// It limits the distances of vehicles that need minutes for a few vehicle lengths.
const LONGEST_WAY: f64 = 100.0;
/// Slowest test speed, m/s, which drivers still hold.
const SLOWEST: f64 = 0.02;
/// Ratio of the greatest speed of a range to the greatest test speed above which the range is
/// reduced.
const UNREACHABLE: f64 = 10.0;
/// Smallest speed of a reduced range over its greatest one.
const LOWEST_SHARE: f64 = 0.25;

/// Speed, distance and time limit of a drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TestDrive {
    /// Speed, m/s.
    pub speed: f64,
    /// Distance, m.
    pub distance: f64,
    /// Longest duration, s.
    pub longest: f64,
}

/// Range of trial speeds, km/h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SpeedRange {
    /// Smallest and greatest speed.
    pub ends: [f64; 2],
    /// Resolution.
    pub width: f64,
    /// Whether the greatest speed is limited by the top speed of the vehicle.
    pub is_limited: bool,
}

impl SpeedRange {
    /// Returns the remark for a vehicle that passes at the greatest speed.
    pub fn greatest_note(&self) -> String {
        match self.is_limited {
            true => format!("highest speed tried, {PART_OF_TOP} of the top speed"),
            false => "highest speed tried".into(),
        }
    }
}

impl Subject {
    /// Returns the greatest test speed, m/s: a share of the top speed of the closed form, or
    /// unlimited without one.
    fn greatest_speed(&self) -> f64 {
        let top = TractiveEffort::new(&self.spec).map(|effort| effort.speed(0.0));
        top.map_or(f64::INFINITY, |top| (PART_OF_TOP * top).max(SLOWEST))
    }

    /// Returns a test speed that the vehicle reaches, m/s.
    pub(super) fn test_speed(&self, speed: f64) -> f64 {
        speed.min(self.greatest_speed())
    }

    /// Returns the factor of distances, at most 1.
    pub(super) fn length_scale(&self) -> f64 {
        (self.geometry.steering.wheelbase / FULL_SIZE[0]).min(1.0)
    }

    /// Returns the factor of obstacle sizes and node distances, at most 1.
    pub(super) fn wheel_scale(&self) -> f64 {
        (self.geometry.wheel_radius / FULL_SIZE[1]).min(1.0)
    }

    /// Returns a distance for this vehicle, m.
    pub(super) fn test_distance(&self, distance: f64) -> f64 {
        (self.length_scale() * distance).min(LONGEST_WAY * self.greatest_speed())
    }

    /// Returns the drive of this vehicle for a speed, m/s, a distance, m, and a time limit, s.
    ///
    /// The time limit grows with the time that the distance takes.
    pub(super) fn test_drive(&self, full: TestDrive) -> TestDrive {
        let (speed, distance) = (self.test_speed(full.speed), self.test_distance(full.distance));
        let slower = (distance / speed) / (full.distance / full.speed);
        TestDrive { speed, distance, longest: (full.longest * slower.max(1.0)).ceil() }
    }

    /// Returns a range of trial speeds and its resolution, km/h, for this vehicle.
    ///
    /// A vehicle much slower than the greatest speed is tried up to its own greatest test speed. It
    /// would otherwise start faster than it drives, and roll for minutes.
    pub(super) fn speed_range(&self, ends: [f64; 2], width: f64) -> SpeedRange {
        let greatest = self.greatest_speed() / KMH;
        if UNREACHABLE * greatest >= ends[1] {
            return SpeedRange { ends, width, is_limited: false };
        }
        let lowest = ends[0].min(LOWEST_SHARE * greatest).max(SLOWEST / KMH);
        let ends = [lowest, greatest];
        SpeedRange { ends, width: width.min(0.05 * greatest), is_limited: true }
    }
}

/// Returns a speed, km/h, for the name of a scenario.
pub(super) fn speed_label(kmh: f64) -> String {
    if kmh < 2.0 { format!("{kmh:.3}") } else { format!("{kmh:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn subject(name: &str) -> Subject {
        Subject::new(name, Path::new("")).unwrap()
    }

    /// Vehicles from the size of a Gator on are tested with the constants of the events, exactly.
    #[test]
    fn full_size_vehicles_are_driven_with_the_constants_of_the_events() {
        let full = TestDrive { speed: 2.0, distance: 12.0, longest: 40.0 };
        for name in ["gator", "mrzr4", "hmmwv", "m113", "m113_chrono", "forwarder"] {
            let subject = subject(name);
            assert_eq!((subject.length_scale(), subject.wheel_scale()), (1.0, 1.0), "{name}");
            assert_eq!(subject.test_drive(full), full, "{name}");
        }
        let range = SpeedRange { ends: [4.0, 100.0], width: 1.0, is_limited: false };
        assert_eq!(subject("hmmwv").speed_range([4.0, 100.0], 1.0), range);
    }

    /// A rover at 0.05 m/s drives slower than its top speed, and gets the time for its distance.
    #[test]
    fn a_slow_rover_gets_speeds_that_it_reaches_and_the_time_for_its_distances() {
        let (mer, top) = (subject("mer"), 0.1882 * KMH);
        let full = TestDrive { speed: 2.0, distance: 12.0, longest: 40.0 };
        let own = mer.test_drive(full);
        assert!((own.speed / (0.9 * top) - 1.0).abs() < 0.01, "{own:?}");
        assert!(own.distance > 3.0 * 1.4 && own.distance < full.distance, "{own:?}");
        // 6 of 40 s at full size
        assert!((own.distance / own.speed / (own.longest * 6.0 / 40.0) - 1.0).abs() < 0.01);
        let SpeedRange { ends, is_limited, .. } = mer.speed_range([4.0, 100.0], 1.0);
        assert!(is_limited && ends[1] < top / KMH && ends[0] < ends[1], "{ends:?}");
        assert!(ends[0] * KMH >= SLOWEST, "{ends:?}");
        assert_eq!(mer.wheel_scale(), 0.5);
    }
}
