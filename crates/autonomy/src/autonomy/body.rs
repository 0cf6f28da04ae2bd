//! What the one who drives must know of its vehicle.

use crate::spatial::Vec3;
use crate::vehicle::driver::SteeringGeometry;
use crate::vehicle::spec::Footprint;

/// The vehicle as it is to its own driver; immutable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// What it covers, chassis frame.
    pub footprint: Footprint,
    /// Height of the ground under it in the chassis frame, m; negative.
    pub ground: f64,
    /// Height that it needs above the ground, m.
    pub clearance: f64,
    /// How it steers.
    pub geometry: SteeringGeometry,
}

/// How far beyond its footprint a return may be of the own vehicle, m.
const OWN: f64 = 0.15;

/// How far aside wheels or tracks stand, of the width.
const TRACK: f64 = 0.42;

impl Body {
    /// Whether a point of the chassis frame may be the vehicle's own.
    #[inline]
    pub fn holds(&self, point: &Vec3) -> bool {
        let Footprint { front, rear, width } = self.footprint;
        let high = self.ground + 0.2;
        point.x < front + OWN
            && point.x > rear - OWN
            && point.y.abs() < 0.5 * width + OWN
            && point.z > high
    }

    /// Where its outermost wheels touch the ground, chassis frame, m.
    pub fn wheels(&self) -> [Vec3; 4] {
        let SteeringGeometry { wheelbase, rear_axle, .. } = self.geometry;
        let aside = TRACK * self.footprint.width;
        let wheel = |along: f64, side: f64| Vec3::new(along, side * aside, self.ground);
        let front = rear_axle + wheelbase;
        [wheel(front, 1.0), wheel(front, -1.0), wheel(rear_axle, 1.0), wheel(rear_axle, -1.0)]
    }

    /// Largest curvature of its rear axle's path, 1/m.
    pub fn curvature(&self) -> f64 {
        crate::numeric::tan(self.geometry.max_steer) / self.geometry.wheelbase
    }

    /// Discs that cover it: their middles along the chassis x axis from the rear axle, m, and
    /// their radius, m.
    pub fn discs(&self) -> ([f64; 3], f64) {
        let Footprint { front, rear, width } = self.footprint;
        let third = (front - rear) / 3.0;
        let middle = |k: f64| rear + (k + 0.5) * third - self.geometry.rear_axle;
        let radius = (0.25 * (third * third + width * width)).sqrt();
        ([middle(0.0), middle(1.0), middle(2.0)], radius)
    }
}
