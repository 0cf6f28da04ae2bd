//! Soils of the closed forms, and integrals of the reference's laws over the contact of a wheel.

use super::page::{ValidationError, worst};
use bekker_ground::scm::Underside;
use bekker_ground::soil::{DeformableSoil, Laws, Soil, SoilKind};
use bekker_rig::InParallel;
use bekker_rig::{Rig, WheelRig, WheelRigMotion};

pub(super) fn bed(yielding: DeformableSoil) -> Soil {
    Soil {
        name: "bed".into(),
        source: "Project Chrono".into(),
        kind: SoilKind::Deformable(yielding),
    }
}

/// Returns a soil: one of Project Chrono's demonstration soils without damping, or sand, clay (38 %
/// moisture) or snow of J. Y. Wong's table.
pub(super) fn chrono(name: &str) -> DeformableSoil {
    let mid = DeformableSoil {
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
    };
    match name {
        "soft" => DeformableSoil { k_phi: 0.2e6, elastic_stiffness: 4e7, ..mid },
        "hard" => DeformableSoil {
            k_phi: 5.301e6,
            k_c: 102e3,
            n: 0.793,
            cohesion: 1.3e3,
            friction_angle: 31.1_f64.to_radians(),
            shear_modulus: 0.012,
            elastic_stiffness: 4e8,
            ..mid
        },
        "dry sand" => DeformableSoil {
            k_phi: 1_528_430.0,
            k_c: 990.0,
            cohesion: 1040.0,
            friction_angle: 28_f64.to_radians(),
            shear_modulus: 0.025,
            ..mid
        },
        "clay" => DeformableSoil {
            k_phi: 692_150.0,
            k_c: 13_190.0,
            n: 0.5,
            cohesion: 4140.0,
            friction_angle: 13_f64.to_radians(),
            shear_modulus: 0.025,
            ..mid
        },
        "snow" => DeformableSoil {
            k_phi: 196_720.0,
            k_c: 4370.0,
            n: 1.6,
            cohesion: 1030.0,
            friction_angle: 19.7_f64.to_radians(),
            shear_modulus: 0.04,
            ..mid
        },
        _ => mid,
    }
}

/// Returns a soil whose modulus is fixed at one inverse width, 1/m.
///
/// The result thus does not depend on the estimated width of the contact patch.
pub(super) fn of_width(soil: &str, inverse: f64) -> DeformableSoil {
    let s = chrono(soil);
    DeformableSoil { k_phi: s.k_phi + s.k_c * inverse, k_c: 0.0, ..s }
}

pub(super) fn wheel(
    soil: DeformableSoil,
    load: f64,
    motion: WheelRigMotion,
    laws: Laws,
) -> WheelRig {
    let wheel = Underside::cylinder(0.467, 0.254).unwrap_or_else(|_| unreachable!("a cylinder"));
    let mut rig = WheelRig::new(bed(soil), wheel, load, motion);
    rig.laws = laws;
    rig
}

/// Integrals over a continuous contact under the reference's laws.
///
/// They were computed independently of this code. The columns are soil, load N, slip, drawbar N,
/// torque N m, sinkage m.
const ROLLING: [(&str, f64, f64, f64, f64, f64); 14] = [
    ("mid", 6311.6, 0.05, 1323.3, 1188.7, 0.082916),
    ("mid", 6311.6, 0.1, 1947.2, 1463.7, 0.082916),
    ("mid", 6311.6, 0.2, 3045.2, 1957.9, 0.082916),
    ("mid", 6311.6, 0.4, 3580.0, 2190.0, 0.082916),
    ("mid", 6311.6, 0.8, 3642.9, 2215.6, 0.082916),
    ("soft", 3000.0, 0.1, 712.12, 790.57, 0.2294),
    ("soft", 3000.0, 0.2, 1283.7, 1018.0, 0.2294),
    ("soft", 3000.0, 0.4, 1614.3, 1135.4, 0.2294),
    ("soft", 3000.0, 0.8, 1731.0, 1173.7, 0.2294),
    ("hard", 6311.6, 0.05, 834.96, 645.61, 0.017143),
    ("hard", 6311.6, 0.1, 1761.6, 1076.4, 0.017143),
    ("hard", 6311.6, 0.2, 2865.2, 1588.7, 0.017143),
    ("hard", 6311.6, 0.4, 3623.4, 1939.1, 0.017143),
    ("hard", 6311.6, 0.8, 3845.7, 2040.7, 0.017143),
];

/// The same integrals with a damping of 3e4 Pa s/m.
///
/// Project Chrono's damping pulls behind the axle, and so does the integral's; bekker's stops at
/// zero.
const DAMPED: [(&str, f64, f64, f64, f64, f64); 9] = [
    ("mid", 6311.6, 0.05, 1170.0, 1151.5, 0.078102),
    ("mid", 6311.6, 0.2, 2945.7, 1950.3, 0.077239),
    ("mid", 6311.6, 0.4, 3506.4, 2203.0, 0.075458),
    ("soft", 3000.0, 0.05, -84.816, 518.45, 0.16989),
    ("soft", 3000.0, 0.2, 1028.1, 980.11, 0.16089),
    ("soft", 3000.0, 0.4, 1519.2, 1173.5, 0.14392),
    ("hard", 6311.6, 0.05, 824.65, 644.60, 0.016869),
    ("hard", 6311.6, 0.2, 2830.4, 1576.9, 0.016818),
    ("hard", 6311.6, 0.4, 3593.1, 1930.8, 0.016712),
];

/// Inverse width that the integral uses for hard, 1/m.
const HARD_PATCH: f64 = 6.437;

/// Number of runs of [`integral_errors`].
pub(super) const INTEGRALS: usize = ROLLING.len() + DAMPED.len();

/// Returns the worst errors of drawbar, torque and sinkage under the reference laws.
///
/// Drawbar is compared over the load: near the self-propelled point it is the difference of two
/// large numbers.
pub(super) fn integral_errors() -> Result<[f64; 3], ValidationError> {
    let cases: Vec<_> = ROLLING
        .iter()
        .map(|case| (case, 0.0))
        .chain(DAMPED.iter().map(|case| (case, 3e4)))
        .collect();
    let errors = cases
        .in_parallel(|&(&(soil, load, slip, drawbar, torque, sinkage), damping)| {
            let soil = DeformableSoil { damping, ..of_width(soil, HARD_PATCH) };
            let motion = WheelRigMotion::Rolling { speed: 1.0, slip };
            let found = wheel(soil, load, motion, Laws::reference()).run()?;
            Ok([
                (found.drawbar - drawbar) / load,
                found.torque / torque - 1.0,
                found.sinkage / sinkage - 1.0,
            ])
        })
        .collect::<Result<Vec<[f64; 3]>, ValidationError>>()?;
    Ok([0, 1, 2].map(|k| worst(errors.iter().map(|own| own[k]))))
}
