//! The single-wheel rig against the continuum integration of the same laws.
//!
//! The tables are semi-analytic: for a rigid wheel (r 0.467 m, b 0.254 m) at
//! 1 m/s the law's integrals over the arc, by adaptive quadrature, as an
//! independent integration made them; three soils of the reference's runs.

use bekker::scm::Underside;
use bekker::soil::{Soil, SoilKind, Yielding};
use bekker::study::{Rig, WheelMotion, WheelResult, WheelRig};

fn soil(k_phi: f64, k_c: f64, n: f64, c: f64, phi: f64, k: f64, k_e: f64, r: f64) -> Soil {
    Soil {
        name: "bed".into(),
        source: "Project Chrono's demos".into(),
        kind: SoilKind::Yielding(Yielding {
            k_phi,
            k_c,
            n,
            cohesion: c,
            friction_angle: phi.to_radians(),
            shear_modulus: k,
            elastic_stiffness: k_e,
            damping: r,
            bulldozing: None,
        }),
    }
}

fn mid(damping: f64) -> Soil {
    soil(2e6, 0.0, 1.1, 0.0, 30.0, 0.01, 2e8, damping)
}

fn soft(damping: f64) -> Soil {
    soil(0.2e6, 0.0, 1.1, 0.0, 30.0, 0.01, 4e7, damping)
}

fn hard(damping: f64) -> Soil {
    soil(5.301e6, 102e3, 0.793, 1.3e3, 31.1, 0.012, 4e8, damping)
}

fn run(soil: Soil, load: f64, motion: WheelMotion, spacing: f64, step: f64) -> WheelResult {
    let wheel = Underside::cylinder(0.467, 0.254).unwrap();
    let mut rig = WheelRig::new(soil, wheel, load, motion);
    rig.spacing = spacing;
    rig.step = step;
    rig.run().unwrap()
}

#[test]
fn explore() {
    let rolling = |slip| WheelMotion::Rolling { speed: 1.0, slip };
    let table: &[(&str, fn(f64) -> Soil, f64, f64, f64, f64, f64, f64)] = &[
        ("mid", mid, 6311.6, 0.0, 0.05, 0.082916, 1323.3, 1188.7),
        ("mid", mid, 6311.6, 0.0, 0.1, 0.082916, 1947.2, 1463.7),
        ("mid", mid, 6311.6, 0.0, 0.2, 0.082916, 3045.2, 1957.9),
        ("mid", mid, 6311.6, 0.0, 0.4, 0.082916, 3580.0, 2190.0),
        ("mid", mid, 6311.6, 0.0, 0.8, 0.082916, 3642.9, 2215.6),
        ("mid", mid, 6311.6, 3e4, 0.05, 0.078102, 1170.0, 1151.5),
        ("mid", mid, 6311.6, 3e4, 0.2, 0.077239, 2945.7, 1950.3),
        ("mid", mid, 6311.6, 3e4, 0.4, 0.075458, 3506.4, 2203.0),
        ("soft", soft, 3000.0, 0.0, 0.05, 0.2294, 157.24, 551.08),
        ("soft", soft, 3000.0, 0.0, 0.1, 0.2294, 712.12, 790.57),
        ("soft", soft, 3000.0, 0.0, 0.2, 0.2294, 1283.7, 1018.0),
        ("soft", soft, 3000.0, 0.0, 0.4, 0.2294, 1614.3, 1135.4),
        ("soft", soft, 3000.0, 0.0, 0.8, 0.2294, 1731.0, 1173.7),
        ("soft", soft, 3000.0, 3e4, 0.05, 0.16989, -84.816, 518.45),
        ("soft", soft, 3000.0, 3e4, 0.2, 0.16089, 1028.1, 980.11),
        ("soft", soft, 3000.0, 3e4, 0.4, 0.14392, 1519.2, 1173.5),
        ("hard", hard, 6311.6, 0.0, 0.05, 0.017143, 834.96, 645.61),
        ("hard", hard, 6311.6, 0.0, 0.1, 0.017143, 1761.6, 1076.4),
        ("hard", hard, 6311.6, 0.0, 0.2, 0.017143, 2865.2, 1588.7),
        ("hard", hard, 6311.6, 0.0, 0.4, 0.017143, 3623.4, 1939.1),
        ("hard", hard, 6311.6, 0.0, 0.8, 0.017143, 3845.7, 2040.7),
        ("hard", hard, 6311.6, 3e4, 0.05, 0.016869, 824.65, 644.6),
        ("hard", hard, 6311.6, 3e4, 0.2, 0.016818, 2830.4, 1576.9),
        ("hard", hard, 6311.6, 3e4, 0.4, 0.016712, 3593.1, 1930.8),
    ];
    for &(name, soil, load, damping, slip, z, drawbar, torque) in table {
        for (spacing, step) in [(0.02, 1e-3), (0.02, 4e-3)] {
            let began = std::time::Instant::now();
            let got = run(soil(damping), load, rolling(slip), spacing, step);
            let wall = began.elapsed().as_secs_f64();
            let steps = 4.0 / step;
            println!(
                "{name} R {damping:5} i {slip:4} dx {spacing} dt {step}: z {:.5} ({:+.2} %) DP {:8.1} ({:+.2} %) T {:8.1} ({:+.2} %) V {:.1} ns/node {:.0}",
                got.sinkage,
                100.0 * (got.sinkage / z - 1.0),
                got.drawbar,
                100.0 * (got.drawbar / drawbar - 1.0),
                got.torque,
                100.0 * (got.torque / torque - 1.0),
                got.vertical,
                1e9 * wall / steps / got.nodes_in_contact,
            );
        }
    }
    for (name, soil, load, z) in [
        ("mid", mid as fn(f64) -> Soil, 6311.6, 0.056538),
        ("hard", hard, 6311.6, 0.011742),
        ("soft", soft, 6311.6, 0.24852),
    ] {
        for spacing in [0.02, 0.01, 0.005] {
            let got = run(soil(0.0), load, WheelMotion::Pressed, spacing, 1e-3);
            println!(
                "{name} static {spacing}: {:.5} ({:+.2} %) V {:.2}",
                got.sinkage,
                100.0 * (got.sinkage / z - 1.0),
                got.vertical
            );
        }
    }
}
