//! Recent poses of the vehicle.

use bekker_math::spatial::{Pose, Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Recent poses, oldest first, used to place the returns of a scan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoseTrack {
    poses: VecDeque<(f64, Pose)>,
}

impl PoseTrack {
    /// Adds the pose at `time`, s, and drops poses older than `span`, s.
    ///
    /// If `time` is not later than the last pose, the poses from `time` on are replaced.
    pub fn push(&mut self, time: f64, pose: Pose, span: f64) {
        self.rewind(time);
        self.poses.push_back((time, pose));
        while self.poses.get(1).is_some_and(|&(next, _)| next < time - span) {
            self.poses.pop_front();
        }
    }

    /// Drops the poses at `time`, s, and later.
    pub fn rewind(&mut self, time: f64) {
        while self.poses.back().is_some_and(|&(last, _)| last >= time) {
            self.poses.pop_back();
        }
    }

    /// Returns the pose at `time`, s.
    ///
    /// Between two poses it interpolates the position linearly and the rotation along the chord.
    /// Before the first pose it returns the first; after the last it extrapolates from the last
    /// two. Without poses it returns the default pose.
    pub fn pose_at(&self, time: f64) -> Pose {
        let after = self.poses.partition_point(|&(moment, _)| moment < time);
        let count = self.poses.len();
        match (after, count) {
            (_, 0) => Pose::default(),
            (0, _) | (_, 1) => self.poses[0].1,
            _ => interpolate(
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

    /// Time of the last pose, s, if any.
    pub fn last(&self) -> Option<f64> {
        self.poses.back().map(|&(time, _)| time)
    }
}

/// The pose on the line through two poses.
///
/// Beyond the second it extrapolates by at most the time between them.
fn interpolate((t0, a): &(f64, Pose), (t1, b): &(f64, Pose), time: f64) -> Pose {
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
    fn poses_are_interpolated_in_time() {
        let mut track = PoseTrack::default();
        for step in 0..100 {
            let time = 0.01 * f64::from(step);
            let orientation = Quat::from_axis_angle(&Vec3::z_axis(), 0.5 * time);
            track.push(time, Pose { position: Vec3::new(5.0 * time, 0.0, 0.0), orientation }, 0.2);
        }
        let pose = track.pose_at(0.905);
        assert!((pose.position.x - 4.525).abs() < 1e-12);
        // at half of 5 mrad the chord equals the arc up to rounding
        assert!((pose.yaw() - 0.4525).abs() < 1e-9);
        // poses older than the span are dropped, and times shortly after the last are extrapolated
        assert!((track.pose_at(0.0).position.x - 5.0 * 0.78).abs() < 0.06);
        assert!((track.pose_at(0.995).position.x - 4.975).abs() < 1e-12);
        assert!((track.pose_at(9.0).position.x - 5.0).abs() < 1e-9);
    }

    #[test]
    fn an_empty_track_has_no_pose() {
        assert_eq!(PoseTrack::default().pose_at(1.0), Pose::default());
    }
}
