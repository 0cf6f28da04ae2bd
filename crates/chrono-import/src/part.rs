//! Rigid parts, and rotations between frames.

use super::log::ImportLog;
use bekker_math::numeric::{asin, atan2};
use bekker_math::spatial::{Mat3, Vec3};
use bekker_vehicle::spec::{MassProperties, Point};
use serde::Deserialize;

/// Tolerance of the triangle inequality of moments, as in vehicle files: links have rounded
/// moments.
const SLACK: f64 = 1.2;
/// Radius of gyration of a part with unphysical moments, m.
const GYRATION: f64 = 0.1;

/// Chrono body: mass, center of mass and moments of inertia, which have one of two keys.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct BodyParams {
    #[serde(rename = "Mass")]
    pub mass: f64,
    #[serde(rename = "COM")]
    com: Option<Point>,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    inertia: Point,
    #[serde(rename = "Products of Inertia", alias = "Inertia Products", default)]
    products: Point,
}

impl BodyParams {
    /// Creates a body.
    pub fn new(mass: f64, com: Point, inertia: Point, products: Point) -> BodyParams {
        BodyParams { mass, com: Some(com), inertia, products }
    }

    /// Returns the center of mass; the origin if not specified.
    pub fn com(&self) -> Point {
        self.com.unwrap_or_default()
    }

    /// Converts to a part; products of inertia are left out, and unphysical moments are replaced.
    pub fn part(&self, key: &str, log: &mut ImportLog) -> MassProperties {
        if self.products.iter().any(|product| *product != 0.0) {
            log.assume(key, "products of inertia omitted");
        }
        part(key, self.mass, self.inertia, log)
    }

    /// Converts to a part whose moments are along `axes`; those of the body are along the vehicle's
    /// axes.
    pub fn rotated_part(&self, key: &str, axes: &Mat3, log: &mut ImportLog) -> MassProperties {
        let tensor = tensor(self.inertia, self.products);
        let turned = axes.transpose() * tensor * axes;
        log.assume(key, "moments converted to the part's axes, products omitted");
        part(key, self.mass, [turned[(0, 0)], turned[(1, 1)], turned[(2, 2)]], log)
    }
}

/// Creates a part; unphysical moments are replaced by those of a small ball.
pub(super) fn part(key: &str, mass: f64, inertia: Point, log: &mut ImportLog) -> MassProperties {
    let [x, y, z] = inertia;
    let closes = x <= SLACK * (y + z) && y <= SLACK * (x + z) && z <= SLACK * (x + y);
    let gyration = (x.max(y).max(z) / mass).sqrt();
    let real = inertia.iter().all(|moment| *moment > 0.0) && closes;
    if real && (1e-3..=5.0).contains(&gyration) {
        return MassProperties { mass, inertia };
    }
    log.assume(
        format!("{key}.inertia"),
        format!(
            "radius of gyration of {GYRATION} m, because no body of {mass} kg has {inertia:?} kg \
             m²"
        ),
    );
    MassProperties { mass, inertia: [mass * GYRATION * GYRATION; 3] }
}

/// Returns the moments of a wheel or tire.
///
/// The moment about the axis is limited to the sum of the others, which rounded data may exceed.
pub(super) fn rotor(key: &str, mass: f64, inertia: Point, log: &mut ImportLog) -> Point {
    let [x, y, z] = part(key, mass, inertia, log).inertia;
    if y > x + z {
        log.assume(
            format!("{key}.inertia"),
            format!("at most {} about the axis, instead of {y}", x + z),
        );
    }
    [x, y.min(x + z), z]
}

/// Returns the inertia tensor; the products are the matrix elements, with their sign.
pub(super) fn tensor([xx, yy, zz]: Point, [xy, xz, yz]: Point) -> Mat3 {
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// Returns the rotation of a Chrono unit quaternion, real part first.
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

/// Returns the rotation about +y, degrees, of a quaternion, and whether there is no other rotation.
pub(super) fn pitch_deg([w, x, y, z]: [f64; 4]) -> (f64, bool) {
    let angle = 2.0 * atan2(y, w).to_degrees();
    (angle, asin(x.abs().max(z.abs()).min(1.0)) < 1e-3)
}

/// Returns the sum of two points.
pub(super) fn translated(point: Point, by: Point) -> Point {
    [0, 1, 2].map(|k| point[k] + by[k])
}

/// Converts a point to a vector.
pub(super) fn vec3(point: Point) -> Vec3 {
    Vec3::new(point[0], point[1], point[2])
}
