//! Rigid parts, and chassis frames turned against each other.

use super::log::Log;
use bekker_math::numeric::{asin, atan2};
use bekker_math::spatial::{Mat3, Vec3};
use bekker_vehicle::spec::{Part, Point};
use serde::Deserialize;

/// Slack of the triangle's inequality, as vehicle files have it: links are given with rounded moments.
const SLACK: f64 = 1.2;
/// Radius of gyration that a part gets whose moments no body has, m.
const GYRATION: f64 = 0.1;

/// A body of Chrono's: mass, centre of mass and moments of inertia, which one of two keys gives.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Body {
    #[serde(rename = "Mass")]
    pub mass: f64,
    #[serde(rename = "COM")]
    com: Option<Point>,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    inertia: Point,
    #[serde(rename = "Products of Inertia", alias = "Inertia Products", default)]
    products: Point,
}

impl Body {
    /// A body by its figures.
    pub fn new(mass: f64, com: Point, inertia: Point, products: Point) -> Body {
        Body { mass, com: Some(com), inertia, products }
    }

    /// Centre of mass; the origin where it gives none.
    pub fn com(&self) -> Point {
        self.com.unwrap_or_default()
    }

    /// The part; its products have no counterpart, and moments that no body has are replaced.
    pub fn part(&self, key: &str, log: &mut Log) -> Part {
        if self.products.iter().any(|product| *product != 0.0) {
            log.assume(key, "products of inertia left out");
        }
        part(key, self.mass, self.inertia, log)
    }

    /// The part, its moments given along the vehicle's axes and wanted along `axes`.
    pub fn turned(&self, key: &str, axes: &Mat3, log: &mut Log) -> Part {
        let tensor = tensor(self.inertia, self.products);
        let turned = axes.transpose() * tensor * axes;
        log.assume(key, "moments turned into the part's axes, products left out");
        part(key, self.mass, [turned[(0, 0)], turned[(1, 1)], turned[(2, 2)]], log)
    }
}

/// A part of a mass and moments; those that no body has become those of a small ball.
pub(super) fn part(key: &str, mass: f64, inertia: Point, log: &mut Log) -> Part {
    let [x, y, z] = inertia;
    let closes = x <= SLACK * (y + z) && y <= SLACK * (x + z) && z <= SLACK * (x + y);
    let gyration = (x.max(y).max(z) / mass).sqrt();
    let real = inertia.iter().all(|moment| *moment > 0.0) && closes;
    if real && (1e-3..=5.0).contains(&gyration) {
        return Part { mass, inertia };
    }
    log.assume(
        format!("{key}.inertia"),
        format!("radius of gyration {GYRATION} m: no body of {mass} kg has {inertia:?} kg m²"),
    );
    Part { mass, inertia: [mass * GYRATION * GYRATION; 3] }
}

/// Moments of a wheel or tyre: that about its axis is at most the sum of the others, as rounded
/// data may miss.
pub(super) fn rotor(key: &str, mass: f64, inertia: Point, log: &mut Log) -> Point {
    let [x, y, z] = part(key, mass, inertia, log).inertia;
    if y > x + z {
        log.assume(format!("{key}.inertia"), format!("about the axis at most {}, not {y}", x + z));
    }
    [x, y.min(x + z), z]
}

/// Tensor of moments and products as they stand in the matrix.
pub(super) fn tensor([xx, yy, zz]: Point, [xy, xz, yz]: Point) -> Mat3 {
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// Rotation by a unit quaternion of Chrono's, real part first.
pub(super) fn rotation([w, x, y, z]: [f64; 4]) -> Mat3 {
    Mat3::new(
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )
}

/// Rotation about +y, degrees, of a quaternion, and whether it is that alone.
pub(super) fn pitch_deg([w, x, y, z]: [f64; 4]) -> (f64, bool) {
    let angle = 2.0 * atan2(y, w).to_degrees();
    (angle, asin(x.abs().max(z.abs()).min(1.0)) < 1e-3)
}

/// Place of a point in the parent's frame.
pub(super) fn moved(point: Point, by: Point) -> Point {
    [0, 1, 2].map(|k| point[k] + by[k])
}

/// A vector.
pub(super) fn vec3(point: Point) -> Vec3 {
    Vec3::new(point[0], point[1], point[2])
}
