//! Vehicle data that the navigator needs.

use bekker_math::numeric::{atan2, hypot, sin};
use bekker_math::spatial::Vec3;
use bekker_vehicle::driver::SteeringGeometry;
use bekker_vehicle::spec::VehicleFootprint;
use std::f64::consts::FRAC_PI_2;

/// Geometry of the vehicle; immutable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VehicleGeometry {
    /// Outline of the vehicle, chassis frame.
    pub footprint: VehicleFootprint,
    /// Height of the ground under the vehicle in the chassis frame, m; negative.
    pub ground: f64,
    /// Clear height above the ground that the vehicle needs, m.
    pub clearance: f64,
    /// Geometry of the steering.
    pub geometry: SteeringGeometry,
    /// Parts of the vehicle that extend beyond its footprint.
    pub protrusions: Protrusions,
}

/// Parts, such as mirrors, that extend beyond the footprint and that the vehicle's own lidar
/// detects.
///
/// One optional axis-aligned box of the chassis frame for each side (front, rear, left, right): its
/// minimum and maximum corners, m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Protrusions([Option<[Vec3; 2]>; 4]);

impl Protrusions {
    /// Finds the protrusions of a vehicle whose visible surface is these triangles, chassis frame,
    /// m.
    pub fn new(
        footprint: &VehicleFootprint,
        faces: impl Iterator<Item = [[f32; 3]; 3]>,
    ) -> Protrusions {
        let VehicleFootprint { front, rear, width } = *footprint;
        let mut boxes = [None; 4];
        for face in faces {
            let corners = face.map(|corner| Vec3::from(corner.map(f64::from)));
            let out = |corner: &Vec3| {
                let aside = 0.5 * width + OWN;
                let beyond = [
                    corner.x - front - OWN,
                    rear - OWN - corner.x,
                    corner.y - aside,
                    -aside - corner.y,
                ];
                beyond.map(|by| by > 0.0)
            };
            for (side, own) in boxes.iter_mut().enumerate() {
                if corners.iter().any(|corner| out(corner)[side]) {
                    let [low, high] = own.unwrap_or([corners[0]; 2]);
                    let least = corners.iter().fold(low, |low, corner| low.inf(corner));
                    let greatest = corners.iter().fold(high, |high, corner| high.sup(corner));
                    *own = Some([least, greatest]);
                }
            }
        }
        Protrusions(boxes)
    }

    /// Returns whether a point of the chassis frame lies in one of the boxes, within the tolerance.
    #[inline]
    fn contain(&self, point: &Vec3) -> bool {
        self.0.iter().flatten().any(|[low, high]| {
            (0..3).all(|axis| point[axis] > low[axis] - OWN && point[axis] < high[axis] + OWN)
        })
    }
}

/// Distance beyond the footprint within which a return may come from the vehicle itself, m.
const OWN: f64 = 0.15;

/// Lateral offset of wheels or tracks from the center plane, as a fraction of the width.
const TRACK: f64 = 0.42;

impl VehicleGeometry {
    /// Returns whether a point of the chassis frame may belong to the vehicle itself.
    ///
    /// Points up to 0.2 m above the ground never do.
    #[inline]
    pub fn contains(&self, point: &Vec3) -> bool {
        let VehicleFootprint { front, rear, width } = self.footprint;
        let high = self.ground + 0.2;
        let is_within =
            point.x < front + OWN && point.x > rear - OWN && point.y.abs() < 0.5 * width + OWN;
        point.z > high && (is_within || self.sweeps(point) || self.protrusions.contain(point))
    }

    /// Returns whether the rear frame of an articulated vehicle covers a point of the chassis frame
    /// at any articulation.
    #[inline]
    fn sweeps(&self, point: &Vec3) -> bool {
        let Some(levers) = &self.geometry.articulated else { return false };
        let VehicleFootprint { rear, width, .. } = self.footprint;
        let (back, aside, half) = (levers.joint - point.x, point.y.abs(), 0.5 * width + OWN);
        let (distance, bearing) = (hypot(back, aside), atan2(aside, back));
        // the frame turned toward the point as far as it can
        let left = (bearing - self.geometry.max_steer).max(0.0);
        let reach = hypot(levers.joint - rear + OWN, half);
        distance < reach && left < FRAC_PI_2 && distance * sin(left) < half
    }

    /// Contact points of the outermost wheels with the ground, chassis frame, m.
    pub fn wheels(&self) -> [Vec3; 4] {
        let SteeringGeometry { wheelbase, rear_axle, .. } = self.geometry;
        let aside = TRACK * self.footprint.width;
        let wheel = |along: f64, side: f64| Vec3::new(along, side * aside, self.ground);
        // an articulated vehicle is led by its front axles
        let front = match self.geometry.articulated {
            Some(_) => rear_axle - wheelbase,
            None => rear_axle + wheelbase,
        };
        [wheel(front, 1.0), wheel(front, -1.0), wheel(rear_axle, 1.0), wheel(rear_axle, -1.0)]
    }

    /// Largest curvature of the path of the rear axle, 1/m.
    pub fn curvature(&self) -> f64 {
        self.geometry.max_curvature()
    }

    /// The vehicle as it backs off: the axle that leads in reverse takes the place of the rear axle.
    pub fn in_reverse(&self) -> VehicleGeometry {
        VehicleGeometry { geometry: self.geometry.in_reverse(), ..*self }
    }

    /// Three disks that cover the footprint.
    ///
    /// Returns their centers along the chassis x axis, measured from the rear axle, m, and their
    /// common radius, m.
    pub fn covering_disks(&self) -> ([f64; 3], f64) {
        let VehicleFootprint { front, rear, width } = self.footprint;
        let third = (front - rear) / 3.0;
        let middle = |k: f64| rear + (k + 0.5) * third - self.geometry.rear_axle;
        let radius = (0.25 * (third * third + width * width)).sqrt();
        ([middle(0.0), middle(1.0), middle(2.0)], radius)
    }
}

#[cfg(test)]
mod tests {
    use super::super::proving_ground::body;
    use super::*;
    use bekker_vehicle::spec::ArticulationLevers;

    /// An articulated rear frame, 6 m behind its pin and 3 m wide, turns by up to 45 degrees.
    #[test]
    fn a_rear_frame_belongs_to_the_vehicle_at_any_articulation() {
        let mut own = body();
        own.footprint = VehicleFootprint { front: 4.0, rear: -6.0, width: 3.0 };
        own.geometry.max_steer = 45f64.to_radians();
        let levers = ArticulationLevers { joint: 0.0, front: 2.0, rear: 3.0 };
        own.geometry.articulated = Some(levers);
        let turned = |angle: f64, x: f64, y: f64| {
            let (sin, cos) = angle.to_radians().sin_cos();
            Vec3::new(cos * x - sin * y, sin * x + cos * y, 1.0)
        };
        for angle in [-45.0, -20.0, 0.0, 30.0, 45.0] {
            for corner in [[-5.9, 1.4], [-5.9, -1.4], [-1.0, 1.4], [-3.0, 0.0]] {
                assert!(own.contains(&turned(angle, corner[0], corner[1])), "{angle} {corner:?}");
            }
        }
        for outside in [turned(45.0, -5.0, -1.9), turned(-45.0, -3.0, 2.1), turned(0.0, -6.7, 0.0)]
        {
            assert!(!own.contains(&outside), "{outside:?}");
        }
    }

    /// A mirror extends 0.23 m beyond the left side, 1.2 m above the ground.
    ///
    /// Returns from the mirror belong to the vehicle; returns from next to it, in front of it or
    /// below it do not.
    #[test]
    fn parts_beyond_the_footprint_belong_to_the_vehicle() {
        let out = 0.5 * body().footprint.width as f32 + 0.23;
        let corner = |x: f32, y: f32| [x, y, 0.9];
        let mirror = [corner(0.8, out), corner(0.85, out), corner(0.8, out - 0.14)];
        let inside = [corner(-1.0, 0.5), corner(1.0, 0.5), corner(0.0, -0.5)];
        let protrusions = Protrusions::new(&body().footprint, [mirror, inside].into_iter());
        let own = VehicleGeometry { protrusions, ..body() };
        let y = f64::from(out);
        let tip = Vec3::new(0.83, y, 0.9);
        assert!(own.contains(&tip) && !body().contains(&tip));
        let others =
            [[0.83, -y, 0.9], [0.83, y + 0.2, 0.9], [1.2, y, 0.9], [0.3, y, 0.9], [0.83, y, 0.5]];
        assert!(others.iter().all(|point| !own.contains(&Vec3::from(*point))));
    }
}
