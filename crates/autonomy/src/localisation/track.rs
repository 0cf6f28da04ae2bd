//! Where the vehicle was a moment ago.

use bekker_math::spatial::{Pose, Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Poses of the last moments, oldest first, by which scans are put in their place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoseTrack {
    poses: VecDeque<(f64, Pose)>,
}

impl PoseTrack {
    /// Adds the pose at `time` (s) and forgets what is older than `span` (s). A time that is
    /// not later than the last replaces what is there from it on.
    pub fn push(&mut self, time: f64, pose: Pose, span: f64) {
        self.rewind(time);
        self.poses.push_back((time, pose));
        while self.poses.get(1).is_some_and(|&(next, _)| next < time - span) {
            self.poses.pop_front();
        }
    }

    /// Forgets the poses at `time` (s) and after it.
    pub fn rewind(&mut self, time: f64) {
        while self.poses.back().is_some_and(|&(last, _)| last >= time) {
            self.poses.pop_back();
        }
    }

    /// The pose at `time` (s): between two poses linearly in position and along the chord in
    /// rotation, the first before the first, and straight on by the last two after the last.
    /// The default pose where none is known.
    pub fn pose_at(&self, time: f64) -> Pose {
        let after = self.poses.partition_point(|&(moment, _)| moment < time);
        let count = self.poses.len();
        match (after, count) {
            (_, 0) => Pose::default(),
            (0, _) | (_, 1) => self.poses[0].1,
            _ => between(
                &self.poses[after.min(count - 1) - 1],
                &self.poses[after.min(count - 1)],
                time,
            ),
        }
    }

    /// The poses with their times, s.
    pub fn iter(&self) -> impl Iterator<Item = &(f64, Pose)> {
        self.poses.iter()
    }

    /// The last time, s, if any.
    pub fn last(&self) -> Option<f64> {
        self.poses.back().map(|&(time, _)| time)
    }
}

/// The pose on the line through two; beyond the second one no more than the time between them
/// again.
fn between((t0, a): &(f64, Pose), (t1, b): &(f64, Pose), time: f64) -> Pose {
    let share = ((time - t0) / (t1 - t0)).clamp(0.0, 2.0);
    let position: Vec3 = a.position + (b.position - a.position) * share;
    let (from, to) = (a.orientation.into_inner(), b.orientation.into_inner());
    let to = if from.coords.dot(&to.coords) < 0.0 { -to } else { to };
    Pose { position, orientation: Quat::new_normalize(from * (1.0 - share) + to * share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_moments_it_is_between_two_poses() {
        let mut track = PoseTrack::default();
        for step in 0..100 {
            let time = 0.01 * f64::from(step);
            let orientation = Quat::from_axis_angle(&Vec3::z_axis(), 0.5 * time);
            track.push(time, Pose { position: Vec3::new(5.0 * time, 0.0, 0.0), orientation }, 0.2);
        }
        let pose = track.pose_at(0.905);
        assert!((pose.position.x - 4.525).abs() < 1e-12);
        // the chord of 5 mrad, halved, is the arc to rounding
        assert!((pose.yaw() - 0.4525).abs() < 1e-9);
        // what is older than the span is gone, and a little is told of what is to come
        assert!((track.pose_at(0.0).position.x - 5.0 * 0.78).abs() < 0.06);
        assert!((track.pose_at(0.995).position.x - 4.975).abs() < 1e-12);
        assert!((track.pose_at(9.0).position.x - 5.0).abs() < 1e-9);
    }

    #[test]
    fn without_poses_it_is_nowhere() {
        assert_eq!(PoseTrack::default().pose_at(1.0), Pose::default());
    }
}
