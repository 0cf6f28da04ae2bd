//! Side force of a rigid wheel that rolls at a slip angle on Bekker's soil.
//!
//! The theory follows G. Schwanghart (J. Terramech. 5(1), 1968) and G. Ishigami and others (J.
//! Field Robotics 24, 2007). Let i be the slip and β the slip angle. A rim point that enters the
//! soil at θ₁ has, at θ, slid backward by j_x = R [(θ₁ - θ) - (1 - i)(sin θ₁ - sin θ)] and sideways
//! by j_y = R (1 - i)(θ₁ - θ) tan β.
//!
//! Shear grows with |j| by Janosi and Hanamoto and acts along j; pressure is Bekker's. Side walls,
//! slip sinkage and soil heaps are neglected.

use super::RigidWheel;
use super::slip::travel;
use super::wheel_theory::bisect;
use bekker_ground::soil::DeformableSoil;
use bekker_math::numeric::{cos, exp, hypot, pow, sin, tan};

/// Number of parts of a contact: the integrals are accurate to 1e-5.
const PARTS: u32 = 1000;

/// Result of the theory at a slip and a slip angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlipAngleForces {
    /// Sinkage, m.
    pub sinkage: f64,
    /// Drawbar pull along the wheel's heading, N.
    pub drawbar: f64,
    /// Side force, N, opposite to the side slip.
    pub side: f64,
}

/// Computes the forces on a wheel at a slip and a slip angle, rad.
///
/// The slip is 1 - v cos β/(ω R), or ω R/(v cos β) - 1 for a braked wheel.
pub fn slip_angle_forces(
    wheel: &RigidWheel,
    soil: &DeformableSoil,
    slip: f64,
    slip_angle: f64,
) -> SlipAngleForces {
    let entry = bisect(|entry| forces(wheel, soil, entry, slip, slip_angle)[0], wheel.load);
    let [_, drawbar, side] = forces(wheel, soil, entry, slip, slip_angle);
    SlipAngleForces { sinkage: wheel.radius * (1.0 - cos(entry)), drawbar, side }
}

/// Returns vertical force, pull and side force for an entry angle.
fn forces(
    wheel: &RigidWheel,
    soil: &DeformableSoil,
    entry: f64,
    slip: f64,
    angle: f64,
) -> [f64; 3] {
    let RigidWheel { radius, width, .. } = *wheel;
    // 1/b of the contact patch, with b twice the area over the perimeter, as for any rectangle
    let modulus = soil.k_c * (1.0 / width + 1.0 / (radius * sin(entry))) + soil.k_phi;
    let (friction, aside) = (tan(soil.friction_angle), tan(angle));
    let part = entry / f64::from(PARTS);
    let mut sums = [0.0; 3];
    for k in 0..PARTS {
        let at = (f64::from(k) + 0.5) * part;
        let pressure = modulus * pow(radius * (cos(at) - cos(entry)).max(0.0), soil.n);
        let back = radius * ((entry - at) - travel(slip) * (sin(entry) - sin(at)));
        let across = radius * travel(slip) * (entry - at) * aside;
        let way = hypot(back, across).max(1e-12);
        let shear = (soil.cohesion + pressure * friction) * (1.0 - exp(-way / soil.shear_modulus));
        let [along, left] = [shear * back / way, shear * across / way];
        sums[0] += pressure * cos(at) + along * sin(at);
        sums[1] += along * cos(at) - pressure * sin(at);
        sums[2] += left;
    }
    sums.map(|sum| sum * part * radius * width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::soil::Details;

    fn sand() -> DeformableSoil {
        DeformableSoil {
            k_phi: 5e6,
            k_c: 0.0,
            n: 1.0,
            cohesion: 0.0,
            friction_angle: 29_f64.to_radians(),
            shear_modulus: 0.021,
            elastic_stiffness: 1e9,
            damping: 0.0,
            bulldozing: None,
            details: Details::default(),
        }
    }

    const WHEEL: RigidWheel = RigidWheel { radius: 0.467, width: 0.254, load: 6300.0 };

    #[test]
    fn without_an_angle_nothing_pushes_aside_and_left_is_as_right() {
        let soil = sand();
        assert_eq!(slip_angle_forces(&WHEEL, &soil, 0.1, 0.0).side, 0.0);
        let [left, right] = [0.1, -0.1].map(|angle| slip_angle_forces(&WHEEL, &soil, 0.1, angle));
        assert_eq!(left.side, -right.side);
        assert_eq!(left.drawbar, right.drawbar);
    }

    // Where shear is mobilized at once and the wheel slides almost sideways, all friction acts
    // laterally. The side force is tan φ times the pressure force, which is the load over a shallow
    // rut.
    #[test]
    fn far_aside_friction_is_all_that_there_is() {
        let soil = DeformableSoil { shear_modulus: 1e-5, k_phi: 1e9, ..sand() };
        let found = slip_angle_forces(&WHEEL, &soil, 0.0, 1.5);
        let limit = tan(soil.friction_angle) * WHEEL.load;
        // 4.5e-4 m deep: the arc is 2.5 degrees long
        assert!((found.side / limit - 1.0).abs() < 0.01, "{found:?} {limit}");
    }

    // An independent integration (4000 parts, trapezoids) of the same integrals on LETE sand, slip
    // 0.05: side force over load and drawbar pull over load at 4 and 15 degrees.
    #[test]
    fn agrees_with_independent_values() {
        let soil = DeformableSoil {
            k_phi: 5301e3,
            k_c: 102e3,
            n: 0.793,
            cohesion: 1300.0,
            friction_angle: 31.1_f64.to_radians(),
            shear_modulus: 0.012,
            ..sand()
        };
        for (angle, side, drawbar) in [(4.0_f64, 0.189, 0.083), (15.0, 0.451, 0.012)] {
            let found = slip_angle_forces(&WHEEL, &soil, 0.05, angle.to_radians());
            assert!((found.side / WHEEL.load - side).abs() < 1e-3, "{found:?}");
            assert!((found.drawbar / WHEEL.load - drawbar).abs() < 1e-3, "{found:?}");
        }
    }
}
