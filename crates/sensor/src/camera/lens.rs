//! Lens models: from directions to image positions and back.
//!
//! Directions are in the optical frame of OpenCV: x right, y down, z along the axis.

use super::spec::Lens;
use bekker_math::numeric::{atan, atan2, sin_cos, tan};

/// Maximum number of Newton steps; each doubles the number of correct digits.
const STEPS: usize = 20;

impl Lens {
    /// Returns the normalized image position of a direction; `None` where it is not visible.
    pub fn project(&self, [x, y, z]: [f64; 3]) -> Option<[f64; 2]> {
        let aside = (x * x + y * y).sqrt();
        match *self {
            Lens::Pinhole => (z > 0.0).then(|| [x / z, y / z]),
            Lens::FieldOfView(omega) => {
                if z <= 0.0 {
                    return None;
                }
                let r = aside / z;
                if r < 1e-12 || omega == 0.0 {
                    return Some([x / z, y / z]);
                }
                let scale = atan(2.0 * r * tan(0.5 * omega)) / omega / aside;
                Some([x * scale, y * scale])
            }
            Lens::KannalaBrandt(k) => {
                if aside < 1e-12 {
                    return (z > 0.0).then_some([0.0, 0.0]);
                }
                let (radius, slope) = fisheye_radius(&k, atan2(aside, z));
                (slope > 0.0).then(|| [x * radius / aside, y * radius / aside])
            }
            Lens::BrownConrady(k) => (z > 0.0).then(|| distorted(&k, [x / z, y / z]).0),
        }
    }

    /// Returns the unit direction of a normalized image position; `None` outside the lens model.
    pub fn direction(&self, [u, v]: [f64; 2]) -> Option<[f64; 3]> {
        let radius = (u * u + v * v).sqrt();
        match *self {
            Lens::Pinhole => Some(unit([u, v, 1.0])),
            Lens::FieldOfView(omega) => {
                if radius < 1e-12 || omega == 0.0 {
                    return Some(unit([u, v, 1.0]));
                }
                let angle = radius * omega;
                if angle >= std::f64::consts::FRAC_PI_2 {
                    return None;
                }
                let scale = tan(angle) / (2.0 * tan(0.5 * omega)) / radius;
                Some(unit([u * scale, v * scale, 1.0]))
            }
            Lens::KannalaBrandt(k) => {
                if radius < 1e-12 {
                    return Some([0.0, 0.0, 1.0]);
                }
                let mut theta = radius;
                for _ in 0..STEPS {
                    let (value, slope) = fisheye_radius(&k, theta);
                    if slope <= 0.0 {
                        return None;
                    }
                    let step = (value - radius) / slope;
                    theta -= step;
                    if step.abs() < 1e-14 {
                        break;
                    }
                }
                let missed = (fisheye_radius(&k, theta).0 - radius).abs();
                if missed > 1e-9 || !(0.0..=std::f64::consts::PI).contains(&theta) {
                    return None;
                }
                let (s, c) = sin_cos(theta);
                Some([u / radius * s, v / radius * s, c])
            }
            Lens::BrownConrady(k) => {
                let mut at = [u, v];
                for _ in 0..STEPS {
                    let (value, [[a, b], [c, d]]) = distorted(&k, at);
                    let determinant = a * d - b * c;
                    if determinant <= 0.0 {
                        return None;
                    }
                    let (eu, ev) = (value[0] - u, value[1] - v);
                    let step = [(d * eu - b * ev) / determinant, (a * ev - c * eu) / determinant];
                    at = [at[0] - step[0], at[1] - step[1]];
                    if step[0].abs() + step[1].abs() < 1e-14 {
                        break;
                    }
                }
                let (value, _) = distorted(&k, at);
                let missed = (value[0] - u).abs() + (value[1] - v).abs();
                (missed < 1e-9).then(|| unit([at[0], at[1], 1.0]))
            }
        }
    }
}

/// Returns Kannala and Brandt's radius of an angle, and its derivative.
fn fisheye_radius(k: &[f64; 4], theta: f64) -> (f64, f64) {
    let t = theta * theta;
    let value = theta * (1.0 + t * (k[0] + t * (k[1] + t * (k[2] + t * k[3]))));
    let slope = 1.0 + t * (3.0 * k[0] + t * (5.0 * k[1] + t * (7.0 * k[2] + t * 9.0 * k[3])));
    (value, slope)
}

/// Returns Brown and Conrady's distortion of a position, and its Jacobian.
fn distorted(&[k1, k2, p1, p2, k3]: &[f64; 5], [x, y]: [f64; 2]) -> ([f64; 2], [[f64; 2]; 2]) {
    let r2 = x * x + y * y;
    let radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
    // d radial / d r²
    let growth = k1 + r2 * (2.0 * k2 + r2 * 3.0 * k3);
    let value = [
        x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
        y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
    ];
    let cross = 2.0 * x * y * growth + 2.0 * p1 * x + 2.0 * p2 * y;
    let matrix = [
        [radial + 2.0 * x * x * growth + 2.0 * p1 * y + 6.0 * p2 * x, cross],
        [cross, radial + 2.0 * y * y * growth + 6.0 * p1 * y + 2.0 * p2 * x],
    ];
    (value, matrix)
}

fn unit([x, y, z]: [f64; 3]) -> [f64; 3] {
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LENSES: [Lens; 4] = [
        Lens::Pinhole,
        Lens::FieldOfView(0.9),
        Lens::KannalaBrandt([0.02, -0.005, 0.001, -0.0001]),
        Lens::BrownConrady([-0.12, 0.03, 0.001, -0.0007, -0.002]),
    ];

    proptest! {
        #[test]
        fn directions_project_back(x in -0.7..0.7, y in -0.5..0.5) {
            for lens in LENSES {
                let direction = unit([x, y, 1.0]);
                let again = lens.direction(lens.project(direction).unwrap()).unwrap();
                for k in 0..3 {
                    // Newton to 1e-14, magnified by the derivative
                    prop_assert!((direction[k] - again[k]).abs() < 1e-11, "{lens:?}");
                }
            }
        }
    }

    #[test]
    fn a_fisheye_sees_behind_itself() {
        let lens = Lens::KannalaBrandt([0.0; 4]);
        let (s, c) = sin_cos(1.9);
        let at = lens.project([s, 0.0, c]).unwrap();
        assert!((at[0] - 1.9).abs() < 1e-14);
        let back = lens.direction(at).unwrap();
        assert!((back[2] - c).abs() < 1e-14);
    }

    /// Computed by hand from OpenCV's documented formulas for the point (0.3, -0.2, 1).
    #[test]
    fn projects_as_opencv() {
        let point = [0.3, -0.2, 1.0];
        // r² = 0.13; radial 1 - 0.0156 + 0.000507 - 0.000004394 = 0.984902606;
        // x: 0.2954707818 + 2 (0.001)(-0.06) - 0.0007 (0.13 + 0.18) = 0.2951337818
        // y: -0.1969805212 + 0.001 (0.13 + 0.08) + 2 (-0.0007)(-0.06) = -0.1966865212
        let brown = LENSES[3].project(point).unwrap();
        assert!((brown[0] - 0.295_133_781_8).abs() < 1e-10, "{brown:?}");
        assert!((brown[1] + 0.196_686_521_2).abs() < 1e-10, "{brown:?}");
        // r = 0.360555127546, θ = 0.346040740170 (atan), its radius by the polynomial
        let r: f64 = 0.13_f64.sqrt();
        let theta = bekker_math::numeric::atan(r);
        let t = theta * theta;
        let radius = theta + 0.02 * theta * t - 0.005 * theta * t * t + 0.001 * theta * t * t * t
            - 0.0001 * theta * t * t * t * t;
        let fisheye = LENSES[2].project(point).unwrap();
        assert!((fisheye[0] - 0.3 * radius / r).abs() < 1e-14, "{fisheye:?}");
        assert!((fisheye[1] + 0.2 * radius / r).abs() < 1e-14, "{fisheye:?}");
    }
}
