//! Pedestrians, who walk along a path by the clock.

use bekker_ground::terrain::Terrain;
use bekker_math::numeric::{atan2, hypot};
use bekker_math::spatial::{Pose, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Radius of a pedestrian seen from above, m.
pub(crate) const RADIUS: f64 = 0.3;
/// Height of a pedestrian, m.
pub(crate) const HEIGHT: f64 = 1.75;

/// Pedestrian; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Pedestrian {
    /// Name in the scenario.
    pub name: String,
    /// Points of the path, two or more, m.
    pub path: Vec<[f64; 2]>,
    /// Walking speed, m/s; above zero.
    pub speed: f64,
    /// Start of the walk, µs.
    pub start_us: u64,
    /// Waiting time at either end before the return, µs; if absent, the pedestrian stays at the
    /// end.
    pub wait_us: Option<u64>,
    /// Index of the radio on which the pedestrian sends, if any.
    pub radio: Option<usize>,
}

/// Vulnerable road user, with the content of a personal safety message of SAE J2945/9.
///
/// Contains position and motion; the standard's encoding is not used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoadUser {
    /// Position, m.
    pub place: [f64; 2],
    /// Velocity, m/s.
    pub velocity: [f64; 2],
    /// Radius around the position, m.
    pub radius: f64,
}

impl RoadUser {
    /// Predicts the position after `time` s at constant velocity, m.
    pub fn position_after(&self, time: f64) -> [f64; 2] {
        [0, 1].map(|axis| self.place[axis] + time * self.velocity[axis])
    }
}

/// Position and motion of a pedestrian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PedestrianMotion {
    pub place: [f64; 2],
    /// Heading, rad.
    pub heading: f64,
    /// Speed, m/s.
    pub speed: f64,
    /// Distance walked on the present leg, m.
    pub distance: f64,
}

impl Pedestrian {
    fn lengths(&self) -> impl DoubleEndedIterator<Item = ([[f64; 2]; 2], f64)> {
        self.path.windows(2).map(|pair| {
            let [a, b] = [pair[0], pair[1]];
            ([a, b], hypot(b[0] - a[0], b[1] - a[1]))
        })
    }

    /// Returns position and motion at a time, µs.
    pub fn motion(&self, now_us: u64) -> PedestrianMotion {
        let whole: f64 = self.lengths().map(|(_, length)| length).sum();
        let walked = now_us.saturating_sub(self.start_us);
        let way_us = (1e6 * whole / self.speed).ceil().max(1.0) as u64;
        let (mut back, mut passed) = (false, walked);
        if let Some(wait_us) = self.wait_us {
            let turn_us = way_us + wait_us;
            (back, passed) = (walked / turn_us % 2 == 1, walked % turn_us);
        }
        let walks = now_us >= self.start_us && passed < way_us;
        let distance = (1e-6 * passed as f64 * self.speed).min(whole);
        let Some((place, heading)) = self.point(distance, back) else {
            let place = self.path.first().copied().unwrap_or_default();
            return PedestrianMotion { place, heading: 0.0, speed: 0.0, distance: 0.0 };
        };
        PedestrianMotion { place, heading, speed: if walks { self.speed } else { 0.0 }, distance }
    }

    /// Returns the point of the path after a distance, m, and the heading there.
    fn point(&self, mut left: f64, back: bool) -> Option<([f64; 2], f64)> {
        let mut last = None;
        let mut ways: Vec<_> = self.lengths().collect();
        if back {
            ways.reverse();
        }
        for ([a, b], length) in ways {
            let [a, b] = if back { [b, a] } else { [a, b] };
            let heading = atan2(b[1] - a[1], b[0] - a[0]);
            let share = if length > 0.0 { (left / length).min(1.0) } else { 1.0 };
            last = Some(([0, 1].map(|axis| a[axis] + share * (b[axis] - a[axis])), heading));
            if left < length {
                break;
            }
            left -= length;
        }
        last
    }

    /// Returns the content of the message at a time, µs.
    pub fn road_user(&self, now_us: u64) -> RoadUser {
        let PedestrianMotion { place, heading, speed, .. } = self.motion(now_us);
        let velocity = [bekker_math::numeric::cos(heading), bekker_math::numeric::sin(heading)]
            .map(|way| speed * way);
        RoadUser { place, velocity, radius: RADIUS }
    }

    /// Returns the pose on a terrain at a time, µs: x ahead, z up.
    pub fn pose(&self, terrain: &Terrain, now_us: u64) -> Pose {
        let PedestrianMotion { place: [x, y], heading, .. } = self.motion(now_us);
        Pose {
            position: Vec3::new(x, y, terrain.height(x, y)),
            orientation: Quat::from_axis_angle(&Vec3::z_axis(), heading),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    fn walker(wait_us: Option<u64>) -> Pedestrian {
        Pedestrian {
            name: "w".into(),
            path: vec![[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]],
            speed: 2.0,
            start_us: SECOND,
            wait_us,
            radio: None,
        }
    }

    #[test]
    fn it_walks_its_path_once_or_to_and_fro() {
        let place = |walker: &Pedestrian, half: u64| walker.road_user(half * SECOND / 2).place;
        let once = walker(None);
        assert_eq!([0, 2, 3].map(|half| place(&once, half)), [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]);
        assert_eq!([6, 9, 99].map(|half| place(&once, half)), [[3.0, 1.0], [3.0, 4.0], [3.0, 4.0]]);
        assert_eq!(once.road_user(SECOND / 2).velocity, [0.0, 0.0]);
        // 3.5 s there, 1 s of waiting, 3.5 s back, 1 s of waiting
        let fro = walker(Some(SECOND));
        assert_eq!([9, 11, 12].map(|half| place(&fro, half)), [[3.0, 4.0], [3.0, 4.0], [3.0, 3.0]]);
        assert_eq!(
            [18, 19, 20, 21].map(|half| place(&fro, half)),
            [[0.0; 2], [0.0; 2], [0.0; 2], [1.0, 0.0]]
        );
        let back = fro.road_user(6 * SECOND).velocity;
        assert!(back[0].abs() < 1e-12 && (back[1] + 2.0).abs() < 1e-12, "{back:?}");
    }

    #[test]
    fn it_is_at_the_position_that_it_announced() {
        let told = walker(None).road_user(2 * SECOND);
        assert_eq!(
            told.position_after(0.25),
            walker(None).road_user(2 * SECOND + SECOND / 4).place
        );
    }
}
