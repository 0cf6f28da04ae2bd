//! Earth pressure on objects pushed through soil.

use bekker_ground::soil::PassiveWedge;
use bekker_math::numeric::{Lanes, Level, dispatch, tan};
use std::f64::consts::FRAC_PI_4;

/// Returns the errors of the resistance of a wide, smooth, vertical face 0.1 m deep in sand and clay
/// against Rankine's γ N z²/2 + 2 c √N z, N = tan²(45° + φ/2).
pub(super) fn earth_pressure_errors() -> (f64, f64) {
    let error = |weight: f64, cohesion: f64, degrees: f64| {
        let (phi, depth) = (degrees.to_radians(), 0.1);
        let root = tan(FRAC_PI_4 + 0.5 * phi);
        let rankine = 0.5 * weight * root * root * depth * depth + 2.0 * cohesion * root * depth;
        // so wide that the end wedges are negligible
        let smooth = PassiveWedge::new(weight, cohesion, phi, 0.0, 0.0);
        force(&smooth, depth, 1e6) / rankine - 1.0
    };
    (error(1330.0 * 9.81, 0.0, 29.0), error(18e3, 4140.0, 13.0))
}

/// Returns the force on a face, N/m, by the vectorized function that the contact uses.
fn force(wedge: &PassiveWedge, depth: f64, width: f64) -> f64 {
    dispatch!(Level::new(), simd => wedge.force(Lanes::new(simd, depth), width).to_array()[0])
}
