//! Rigid track on soil: the rig that matches the closed forms of thrust.

use super::convergence::Rig;
use super::plate::{PlateRig, PlateTest};
use super::wheel::{RigError, require};
use bekker_ground::scm::PlateOutline;
use bekker_ground::soil::{Soil, Tread};
use bekker_math::numeric::{GRAVITY, atan2, cos};
use bekker_math::spatial::{Quat, Twist, Vec3};
use serde::{Deserialize, Serialize};

/// A flat, rigid track at a given depth, towed at 1 m/s while its band slides back through the
/// soil.
///
/// The ground is flat and uses the reference laws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigidTrackRig {
    /// Soil of the bed.
    pub soil: Soil,
    /// Length, m.
    pub length: f64,
    /// Width, m.
    pub width: f64,
    /// Depths of the front and of the rear below the ground, m.
    pub depth: [f64; 2],
    /// Slip 1 - v / (speed of the band), from 0 to below 1.
    pub slip: f64,
    /// Distance between nodes, m.
    pub spacing: f64,
    /// Travel of the hull in a step, m.
    pub way: f64,
    /// Total travel of the hull, in track lengths.
    pub lengths: f64,
}

/// Means over the last fifth of the travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RigidTrackResult {
    /// Thrust of the soil, N.
    pub thrust: f64,
    /// Vertical force of the soil, N.
    pub vertical: f64,
    /// Shear displacement of a point of the soil when the track has passed, m.
    pub shear: f64,
}

impl Rig for RigidTrackRig {
    type Outcome = RigidTrackResult;

    fn run(&self) -> Result<RigidTrackResult, RigError> {
        require("way", self.way, self.way > 0.0, "positive")?;
        require("slip", self.slip, (0.0..1.0).contains(&self.slip), "0 to below 1")?;
        require("lengths", self.lengths, self.lengths > 1.0, "above 1")?;
        let [front, rear] = self.depth;
        let outline = PlateOutline::Rectangle {
            length: self.length / cos(atan2(rear - front, self.length)),
            width: self.width,
        };
        // the depth is given, so the pressure is not used
        let plate = PlateRig::new(self.soil.clone(), outline, GRAVITY);
        let mut press = PlateTest::new(&PlateRig { spacing: self.spacing, ..plate })?;
        press.pose.position.z = -0.5 * (front + rear);
        let nose_up = -atan2(rear - front, self.length);
        press.pose.orientation = Quat::from_axis_angle(&Vec3::y_axis(), nose_up);
        // at a hull speed of 1 m/s
        let sliding = self.slip / (1.0 - self.slip);
        let back = Vec3::new(-sliding, 0.0, 0.0);
        let twist = Twist { linear: back, angular: Vec3::zeros() };
        let steps = (self.lengths * self.length / self.way + 0.5).floor() as u64;
        let first = steps - steps / 5;
        let mut sum = RigidTrackResult::default();
        for tick in 0..steps {
            let found = press.contact(&Tread::rough(), &twist, self.way);
            if tick >= first {
                sum.thrust += found.load.wrench.force.x;
                sum.vertical += found.load.wrench.force.z;
            }
            press.pose.position.x += self.way;
        }
        let per = 1.0 / (steps - first).max(1) as f64;
        Ok(RigidTrackResult {
            thrust: sum.thrust * per,
            vertical: sum.vertical * per,
            shear: sliding * self.length,
        })
    }

    fn spacing_mut(&mut self) -> &mut f64 {
        &mut self.spacing
    }

    fn step_mut(&mut self) -> &mut f64 {
        &mut self.way
    }

    fn extend(&mut self) {
        self.lengths *= 2.0;
    }

    fn metrics(&self, outcome: &RigidTrackResult) -> Vec<(&'static str, f64)> {
        vec![("thrust", outcome.thrust), ("vertical", outcome.vertical)]
    }
}
