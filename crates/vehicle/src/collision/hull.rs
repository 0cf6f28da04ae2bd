//! A hull: a rounded box that is fixed to a chassis.

use super::shape::{DistanceField, ExitRule, RoundedBox, SamplePoint};
use bekker_math::spatial::Vec3;

/// A part of a vehicle's hull with sides along the chassis frame's axes; immutable.
#[derive(Clone, Debug)]
pub struct Hull {
    /// Center in the chassis frame, m.
    pub center: Vec3,
    /// Shape about the center.
    pub shape: RoundedBox,
    /// Sample points in the chassis frame.
    pub samples: Vec<SamplePoint>,
}

impl Hull {
    /// Builds a box of these sides and rounding about `center`, m.
    pub fn new(center: Vec3, size: [f64; 3], rounding: f64) -> Hull {
        let shape = RoundedBox::new(size, rounding);
        let mut samples = shape.samples();
        samples.iter_mut().for_each(|sample| sample.center += center);
        Hull { center, shape, samples }
    }

    /// Returns distance and normal at a point of the chassis frame.
    pub fn field(&self, point: &Vec3, exit: ExitRule) -> DistanceField {
        self.shape.field(&(point - self.center), exit)
    }

    /// Returns the exit rule for a body whose center is at `middle` in the chassis frame.
    pub fn exit_towards(&self, middle: &Vec3) -> ExitRule {
        ExitRule::Towards(middle - self.center)
    }

    /// Returns the distance of the hull's farthest point from the chassis frame's origin, m.
    pub fn reach(&self) -> f64 {
        (self.center.abs() + self.shape.half()).norm()
    }
}
