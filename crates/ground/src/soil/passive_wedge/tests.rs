use super::*;
use bekker_math::numeric::{Level, dispatch};
use std::f64::consts::PI;

/// Evaluates a law in lanes that all hold the given numbers.
macro_rules! one {
    (|$all:ident| $law:expr) => {
        dispatch!(Level::baseline(), simd => {
            let $all = |number: f64| Lanes::new(simd, number);
            $law.to_array()[0]
        })
    };
}

fn force(wedge: &PassiveWedge, depth: f64, width: f64) -> f64 {
    one!(|all| wedge.force(all(depth), width))
}

/// Pressure is uniform for cohesion alone and triangular for weight alone, on a wide face. A
/// face whose top is below the surface carries the pressure over its own height.
#[test]
fn a_face_meets_the_soil_before_it() {
    let [sticky, loose] = [(0.0, 5e3), (16e3, 0.0)]
        .map(|(gamma, cohesion)| PassiveWedge::new(gamma, cohesion, 0.5, 0.3, 0.0));
    for (wedge, part) in [(sticky, 1.0 / 2.0), (loose, 1.0 / 3.0)] {
        let [whole, above] = wedge.on_face(0.6, 0.9, 1e6);
        assert!((whole / force(&wedge, 0.6, 1e6) - 1.0).abs() < 1e-12);
        assert!((above - part * 0.6).abs() < 1e-6, "{above}");
        let [sunk, above] = wedge.on_face(0.6, 0.2, 1e6);
        let lower = force(&wedge, 0.6, 1e6) - force(&wedge, 0.4, 1e6);
        assert!((sunk / lower - 1.0).abs() < 1e-12);
        // for a triangle from 0.4 to 0.6: 0.6 - (2/3)(0.216 - 0.064)/(0.36 - 0.16)
        let middle = if part == 0.5 { 0.1 } else { 0.6 - 2.0 / 3.0 * 0.152 / 0.2 };
        assert!((above - middle).abs() < 1e-6, "{above}");
    }
    assert_eq!(PassiveWedge::default().on_face(0.5, 1.0, 2.0), [0.0, 0.0]);
}

/// The friction has the magnitude tan δ, opposes the sliding of the face on the rising wedge,
/// and has no preferred side.
#[test]
fn friction_on_a_face_opposes_its_sliding() {
    let phi = 29_f64.to_radians();
    let delta = phi * 2.0 / 3.0;
    let wedge = PassiveWedge::new(13e3, 0.0, phi, delta, phi);
    let friction = |into: f64, along: f64, climb: f64| {
        dispatch!(Level::baseline(), simd => {
            let all = |number: f64| Lanes::new(simd, number);
            let found = wedge.face_friction(all(into), all(along), all(climb));
            found.map(|lanes| lanes.to_array()[0])
        })
    };
    // straight ahead the wedge rises on the face, as it does at any speed
    assert_eq!(friction(0.1, 0.0, 0.0), [0.0, tan(delta)]);
    assert_eq!(friction(2.0, 0.0, 0.0), [0.0, tan(delta)]);
    // a face that rises faster than the wedge drags it up
    assert_eq!(friction(0.1, 0.0, 1.0)[1], -tan(delta));
    for (into, along, climb) in [(0.1, 0.1, 0.0), (0.1, 1.0, -0.2), (0.01, 0.3, 0.1)] {
        let [on, up] = friction(into, along, climb);
        assert!((on.hypot(up) / tan(delta) - 1.0).abs() < 1e-12);
        assert!(on < 0.0);
        // on a face that slides along itself much faster than into the soil little is left
        assert!(up.abs() < tan(delta));
        assert_eq!(friction(into, -along, climb), [-on, up]);
    }
    assert_eq!(friction(0.0, 0.0, 0.0), [0.0, 0.0]);
}

// Published closed form for a wide smooth face: N = tan²(45° + φ/2), and a
// blade 0.254 m wide at 0.1 m: 144.21 N in sand of 16 kN/m³ (N 2.7698).
#[test]
fn a_wide_smooth_face_meets_rankine() {
    let phi = 28_f64.to_radians();
    let wedge = PassiveWedge::new(16e3, 1040.0, phi, 0.0, 0.0);
    let n = tan(PI / 4.0 + 0.5 * phi);
    let (z, width) = (0.1, 1e6);
    let rankine = 0.5 * 16e3 * n * n * z * z + 2.0 * 1040.0 * n * z;
    // the plane is that for a face with ends, searched over 200 angles: an upper bound, which
    // may be a few percent high
    let ratio = force(&wedge, z, width) / rankine;
    assert!((1.0..1.06).contains(&ratio), "{ratio}");
}

#[test]
fn a_narrow_rough_face_meets_more_and_pressure_is_the_slope_of_force() {
    let phi = 29_f64.to_radians();
    let wedge = PassiveWedge::new(13e3, 200.0, phi, phi * 2.0 / 3.0, 0.0);
    let smooth = PassiveWedge::new(13e3, 200.0, phi, 0.0, 0.0);
    assert!(force(&wedge, 0.05, 0.05) > 2.0 * force(&smooth, 0.05, 10.0));
    let (z, h) = (0.05, 1e-6);
    let slope = (force(&wedge, z + h, 0.05) - force(&wedge, z - h, 0.05)) / (2.0 * h);
    assert!((one!(|all| wedge.pressure(all(z), 0.05)) / slope - 1.0).abs() < 1e-6);
}
