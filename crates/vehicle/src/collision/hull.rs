//! A hull: a rounded box that is fixed to a chassis.

use super::shape::{Exit, Field, RoundedBox, SamplePoint};
use bekker_math::spatial::Vec3;

/// A part of a vehicle's hull, its sides along the chassis frame's axes; immutable.
#[derive(Clone, Debug)]
pub struct Hull {
    /// Its middle in the chassis frame, m.
    pub centre: Vec3,
    /// Its shape about that.
    pub shape: RoundedBox,
    /// Its samples in the chassis frame.
    pub samples: Vec<SamplePoint>,
}

impl Hull {
    /// A box of these sides and rounding about `centre`, m.
    pub fn new(centre: Vec3, size: [f64; 3], rounding: f64) -> Hull {
        let shape = RoundedBox::new(size, rounding);
        let mut samples = shape.samples();
        samples.iter_mut().for_each(|sample| sample.place += centre);
        Hull { centre, shape, samples }
    }

    /// Where a point of the chassis frame lies.
    pub fn field(&self, point: &Vec3, exit: Exit) -> Field {
        self.shape.field(&(point - self.centre), exit)
    }

    /// By which face something leaves it whose middle is here in the chassis frame.
    pub fn exit_towards(&self, middle: &Vec3) -> Exit {
        Exit::Towards(middle - self.centre)
    }

    /// Distance of its farthest point from the chassis frame's origin, m.
    pub fn reach(&self) -> f64 {
        (self.centre.abs() + self.shape.half()).norm()
    }
}
