//! Room that a vehicle takes in the plan.

use crate::numeric::{cos, sin};
use crate::simulation::Mover;
use crate::spatial::Pose;
use serde::Serialize;

/// Overhang beyond the wheels of the first and last axle, over their radius, where a
/// vehicle's file does not say how long it is.
const OVERHANG: f64 = 0.5;

/// A vehicle's rectangle in its own frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Outline {
    /// Rear end along x.
    pub rear: f64,
    /// Front end along x.
    pub front: f64,
    /// Width along y.
    pub width: f64,
}

impl Outline {
    /// Of a vehicle, by its running gear.
    pub fn of(mover: &Mover) -> Outline {
        let (places, reach, width): (Vec<[f64; 2]>, f64, f64) = match mover {
            Mover::Wheeled(own) => {
                let tyre = &own.vehicle.spec().tyre.rigid;
                let half = tyre.outline.iter().map(|p| p.half_width).fold(0.0, f64::max);
                let centre = |wheel| own.vehicle.wheel_centre(wheel);
                let places = (0..own.vehicle.wheels()).map(|w| [centre(w).x, centre(w).y]);
                (places.collect(), (1.0 + OVERHANG) * tyre.radius(), half)
            }
            Mover::Tracked(own) => {
                let spec = own.vehicle.spec();
                let ends = [spec.sprocket.position, spec.idler.position];
                let half_gauge = 0.5 * spec.gauge();
                let places = ends.iter().map(|end| [end[0], half_gauge]).collect();
                (places, spec.idler.radius + 0.3, 0.5 * spec.shoe_width())
            }
        };
        let start = [f64::INFINITY, f64::NEG_INFINITY, 0.0];
        let [rear, front, side] =
            places.iter().fold(start, |[a, b, s], [x, y]| [a.min(*x), b.max(*x), s.max(y.abs())]);
        Outline { rear: rear - reach, front: front + reach, width: 2.0 * (side + width) }
    }

    /// Corners of the rectangle of a vehicle at a pose, m: front left, then clockwise.
    pub fn corners(&self, pose: &Pose) -> [[f64; 2]; 4] {
        let yaw = pose.yaw();
        let (s, c) = (sin(yaw), cos(yaw));
        let half = 0.5 * self.width;
        let ends = [[self.front, half], [self.front, -half], [self.rear, -half], [self.rear, half]];
        ends.map(|[x, y]| [pose.position.x + c * x - s * y, pose.position.y + s * x + c * y])
    }
}

/// Whether two rectangles overlap, by their separating axes.
pub fn overlap(a: &[[f64; 2]; 4], b: &[[f64; 2]; 4]) -> bool {
    let separated = |one: &[[f64; 2]; 4], other: &[[f64; 2]; 4]| {
        (0..4).any(|k| {
            let (p, q) = (one[k], one[(k + 1) % 4]);
            // corners run clockwise: the outside lies to the left of each side
            let outside =
                |r: &[f64; 2]| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) > 0.0;
            other.iter().all(outside)
        })
    };
    !separated(a, b) && !separated(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::{Quat, Vec3};

    #[test]
    fn rectangles_overlap_or_do_not() {
        let outline = Outline { rear: -2.0, front: 2.0, width: 2.0 };
        let at = |x: f64, y: f64, turn: f64| {
            let orientation = Quat::from_axis_angle(&Vec3::z_axis(), turn);
            outline.corners(&Pose { position: Vec3::new(x, y, 0.0), orientation })
        };
        let own = at(0.0, 0.0, 0.0);
        assert!(overlap(&own, &at(3.9, 0.0, 0.0)) && !overlap(&own, &at(4.1, 0.0, 0.0)));
        assert!(overlap(&own, &at(0.0, 1.9, 0.0)) && !overlap(&own, &at(0.0, 2.1, 0.0)));
        // a corner at 45 degrees reaches 3/sqrt(2) = 2.12 m
        let turned = std::f64::consts::FRAC_PI_4;
        assert!(overlap(&own, &at(4.0, 0.0, turned)) && !overlap(&own, &at(4.2, 0.0, turned)));
    }
}
