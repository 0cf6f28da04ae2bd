//! What the one who drives must know of its vehicle.

use bekker_math::spatial::Vec3;
use bekker_vehicle::driver::SteeringGeometry;
use bekker_vehicle::spec::Footprint;

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
    /// What of it stands out of its footprint.
    pub protrusions: Protrusions,
}

/// What stands out of a vehicle's footprint, mirrors say, by which its own lidar sees it: a box of the chassis
/// frame on each side where something does, its corners of least and greatest coordinates, m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Protrusions([Option<[Vec3; 2]>; 4]);

impl Protrusions {
    /// Of a vehicle that is seen as these triangles, chassis frame, m.
    pub fn of(footprint: &Footprint, faces: impl Iterator<Item = [[f32; 3]; 3]>) -> Protrusions {
        let Footprint { front, rear, width } = *footprint;
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

    /// Whether a point of the chassis frame may be of one of them.
    #[inline]
    fn hold(&self, point: &Vec3) -> bool {
        self.0.iter().flatten().any(|[low, high]| {
            (0..3).all(|axis| point[axis] > low[axis] - OWN && point[axis] < high[axis] + OWN)
        })
    }
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
        let is_within =
            point.x < front + OWN && point.x > rear - OWN && point.y.abs() < 0.5 * width + OWN;
        point.z > high && (is_within || self.protrusions.hold(point))
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
        bekker_math::numeric::tan(self.geometry.max_steer) / self.geometry.wheelbase
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

#[cfg(test)]
mod tests {
    use super::super::proving_ground::body;
    use super::*;

    /// A mirror on a stalk, 0.23 m out of the left side, 1.2 m above the ground: what returns from it is of the vehicle,
    /// what returns from beside it, before it or under it is not.
    #[test]
    fn what_stands_out_of_the_footprint_is_its_own() {
        let out = 0.5 * body().footprint.width as f32 + 0.23;
        let corner = |x: f32, y: f32| [x, y, 0.9];
        let mirror = [corner(0.8, out), corner(0.85, out), corner(0.8, out - 0.14)];
        let inside = [corner(-1.0, 0.5), corner(1.0, 0.5), corner(0.0, -0.5)];
        let protrusions = Protrusions::of(&body().footprint, [mirror, inside].into_iter());
        let own = Body { protrusions, ..body() };
        let y = f64::from(out);
        let tip = Vec3::new(0.83, y, 0.9);
        assert!(own.holds(&tip) && !body().holds(&tip));
        let others =
            [[0.83, -y, 0.9], [0.83, y + 0.2, 0.9], [1.2, y, 0.9], [0.3, y, 0.9], [0.83, y, 0.5]];
        assert!(others.iter().all(|point| !own.holds(&Vec3::from(*point))));
    }
}
