//! The single-wheel rig against integrals of the same laws and against runs of
//! Project Chrono.
//!
//! A rigid wheel of radius 0.467 m and width 0.254 m at 1 m/s. The integrals
//! are over the arc of a continuous contact, by adaptive quadrature, made
//! independently of this code. The runs are of Project Chrono (commit 7689fbc,
//! August 2026): a mesh wheel of 360 facets, nodes 2 cm apart, 1 ms.

use bekker::scm::Underside;
use bekker::soil::{Soil, SoilKind, Yielding};
use bekker::study::{Rig, WheelMotion, WheelResult, WheelRig};

fn bed(yielding: Yielding) -> Soil {
    Soil { name: "bed".into(), source: "Project Chrono".into(), kind: SoilKind::Yielding(yielding) }
}

fn mid() -> Yielding {
    Yielding {
        k_phi: 2e6,
        k_c: 0.0,
        n: 1.1,
        cohesion: 0.0,
        friction_angle: 30_f64.to_radians(),
        shear_modulus: 0.01,
        elastic_stiffness: 2e8,
        damping: 0.0,
        bulldozing: None,
        details: Default::default(),
    }
}

fn soft() -> Yielding {
    Yielding { k_phi: 0.2e6, elastic_stiffness: 4e7, ..mid() }
}

fn hard() -> Yielding {
    Yielding {
        k_phi: 5.301e6,
        k_c: 102e3,
        n: 0.793,
        cohesion: 1.3e3,
        friction_angle: 31.1_f64.to_radians(),
        shear_modulus: 0.012,
        elastic_stiffness: 4e8,
        ..mid()
    }
}

/// The hard soil with the patch width that the integrals assume, 1/b = 6.437 /m.
fn hard_of_fixed_width() -> Yielding {
    Yielding { k_phi: 5.301e6 + 102e3 * 6.437, k_c: 0.0, ..hard() }
}

fn rig(soil: Yielding, damping: f64, load: f64, motion: WheelMotion) -> WheelRig {
    let wheel = Underside::cylinder(0.467, 0.254).unwrap();
    WheelRig::new(bed(Yielding { damping, ..soil }), wheel, load, motion)
}

fn rolling(slip: f64) -> WheelMotion {
    WheelMotion::Rolling { speed: 1.0, slip }
}

fn assert_within(part: f64, got: f64, expected: f64, what: &str) {
    let error = got / expected - 1.0;
    assert!(error.abs() <= part, "{what}: {got} for {expected}, {:+.2} %", 100.0 * error);
}

/// Soil, load, then rows of slip, damping, sinkage, drawbar, torque.
type Table = (Yielding, f64, &'static [[f64; 5]]);

#[test]
fn a_rolling_wheel_agrees_with_the_integrals_of_its_laws() {
    let tables: [Table; 3] = [
        (
            mid(),
            6311.6,
            &[
                [0.05, 0.0, 0.082916, 1323.3, 1188.7],
                [0.1, 0.0, 0.082916, 1947.2, 1463.7],
                [0.2, 0.0, 0.082916, 3045.2, 1957.9],
                [0.4, 0.0, 0.082916, 3580.0, 2190.0],
                [0.8, 0.0, 0.082916, 3642.9, 2215.6],
                [0.05, 3e4, 0.078102, 1170.0, 1151.5],
                [0.2, 3e4, 0.077239, 2945.7, 1950.3],
                [0.4, 3e4, 0.075458, 3506.4, 2203.0],
            ],
        ),
        (
            soft(),
            3000.0,
            &[
                [0.05, 0.0, 0.2294, 157.24, 551.08],
                [0.1, 0.0, 0.2294, 712.12, 790.57],
                [0.2, 0.0, 0.2294, 1283.7, 1018.0],
                [0.4, 0.0, 0.2294, 1614.3, 1135.4],
                [0.8, 0.0, 0.2294, 1731.0, 1173.7],
                [0.05, 3e4, 0.16989, -84.816, 518.45],
                [0.2, 3e4, 0.16089, 1028.1, 980.11],
                [0.4, 3e4, 0.14392, 1519.2, 1173.5],
            ],
        ),
        (
            hard_of_fixed_width(),
            6311.6,
            &[
                [0.05, 0.0, 0.017143, 834.96, 645.61],
                [0.1, 0.0, 0.017143, 1761.6, 1076.4],
                [0.2, 0.0, 0.017143, 2865.2, 1588.7],
                [0.4, 0.0, 0.017143, 3623.4, 1939.1],
                [0.8, 0.0, 0.017143, 3845.7, 2040.7],
                [0.05, 3e4, 0.016869, 824.65, 644.6],
                [0.2, 3e4, 0.016818, 2830.4, 1576.9],
                [0.4, 3e4, 0.016712, 3593.1, 1930.8],
            ],
        ),
    ];
    for (soil, load, rows) in tables {
        for &[slip, damping, sinkage, drawbar, torque] in rows {
            let mut rig = rig(soil.clone(), damping, load, rolling(slip));
            // the soft bed is still giving way after 4 s
            rig.duration = if load < 5000.0 { 8.0 } else { 4.0 };
            let got = rig.run().unwrap();
            let case = format!("k_phi {} slip {slip} damping {damping}", soil.k_phi);
            println!("{case}: {got:?}");
            assert_within(0.005, got.sinkage, sinkage, &format!("{case}: sinkage"));
            assert_within(0.03, got.drawbar, drawbar, &format!("{case}: drawbar"));
            assert_within(0.03, got.torque, torque, &format!("{case}: torque"));
            assert_within(0.001, got.vertical, load, &format!("{case}: vertical"));
        }
    }
}

#[test]
fn a_rolling_wheel_agrees_with_project_chrono() {
    // slip, damping, drawbar. Its soft wheel at slip 0.05 is left out: there
    // it has not settled after its 4 s (it carries 2987 of 3000 N), and at
    // 176 and -66 N is itself 12 and 22 % from the integrals.
    let tables: [(Yielding, f64, &[[f64; 3]]); 3] = [
        (
            mid(),
            6311.6,
            &[
                [0.05, 0.0, 1324.74],
                [0.1, 0.0, 1939.69],
                [0.2, 0.0, 3007.22],
                [0.4, 0.0, 3562.64],
                [0.8, 0.0, 3641.65],
                [0.05, 3e4, 1170.06],
                [0.1, 3e4, 1779.92],
                [0.2, 3e4, 2907.65],
                [0.4, 3e4, 3486.59],
                [0.8, 3e4, 3609.87],
            ],
        ),
        (
            hard(),
            6311.6,
            &[
                [0.05, 0.0, 861.79],
                [0.1, 0.0, 1764.11],
                [0.2, 0.0, 2838.55],
                [0.4, 0.0, 3600.94],
                [0.8, 0.0, 3841.79],
                [0.05, 3e4, 851.52],
                [0.1, 3e4, 1740.54],
                [0.2, 3e4, 2804.75],
                [0.4, 3e4, 3569.48],
                [0.8, 3e4, 3823.23],
            ],
        ),
        (
            soft(),
            3000.0,
            &[
                [0.1, 0.0, 713.87],
                [0.2, 0.0, 1262.99],
                [0.4, 0.0, 1591.40],
                [0.8, 0.0, 1711.36],
                [0.2, 3e4, 1006.30],
                [0.4, 3e4, 1480.00],
                [0.8, 3e4, 1690.81],
            ],
        ),
    ];
    for (soil, load, rows) in tables {
        for &[slip, damping, drawbar] in rows {
            let got = rig(soil.clone(), damping, load, rolling(slip)).run().unwrap();
            let case = format!("k_phi {} slip {slip} damping {damping}", soil.k_phi);
            println!("{case}: {:+.2} %", 100.0 * (got.drawbar / drawbar - 1.0));
            assert_within(0.03, got.drawbar, drawbar, &case);
        }
    }
}

#[test]
fn a_wheel_pressed_straight_down_sinks_as_in_closed_form() {
    for (soil, load, sinkage) in [
        (mid(), 6311.6, 0.056538),
        (soft(), 6311.6, 0.24852),
        (Yielding { k_phi: 5.301e6 + 102e3 / 0.254, k_c: 0.0, ..hard() }, 6311.6, 0.011742),
    ] {
        // at most r / 50
        for spacing in [0.009, 0.005] {
            let mut rig = rig(soil.clone(), 0.0, load, WheelMotion::Pressed);
            rig.spacing = spacing;
            let got: WheelResult = rig.run().unwrap();
            println!("{} {spacing}: {:+.3} %", soil.k_phi, 100.0 * (got.sinkage / sinkage - 1.0));
            assert_within(0.01, got.sinkage, sinkage, "sinkage");
            assert_within(0.001, got.vertical, load, "vertical");
            // symmetric and at rest: nothing pulls
            assert!(got.drawbar.abs() < 1e-6 * load, "{}", got.drawbar);
        }
    }
}

#[test]
fn steps_of_one_to_four_milliseconds_agree() {
    for (soil, slip) in [(mid(), 0.05), (mid(), 0.2), (hard(), 0.2)] {
        let run = |step| {
            let mut rig = rig(soil.clone(), 3e4, 6311.6, rolling(slip));
            rig.step = step;
            rig.run().unwrap()
        };
        let fine = run(1e-3);
        for step in [2e-3, 3e-3, 4e-3] {
            let coarse = run(step);
            assert_within(0.01, coarse.drawbar, fine.drawbar, "drawbar");
            assert_within(0.01, coarse.torque, fine.torque, "torque");
            assert_within(0.01, coarse.sinkage, fine.sinkage, "sinkage");
        }
    }
}
