//! Closed forms of plates, shear and wheels.

use super::section::{Chart, Section, ValidationError, line, panel, percent};
use bekker_ground::scm::{PlateOutline, Underside};
use bekker_ground::soil::{DeformableSoil, Details, Laws, Soil, SoilKind};
use bekker_math::numeric::{exp, pow, tan};
use bekker_rig::InParallel;
use bekker_rig::LineStyle;
use bekker_rig::{PlateRig, Rig, ShearRig, WheelRig, WheelRigMotion};

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

fn plate(soil: &str, pressure: f64, spacing: f64) -> PlateRig {
    let outline = PlateOutline::Rectangle { length: 0.6, width: 0.2 };
    let mut rig = PlateRig::new(bed(chrono(soil)), outline, pressure);
    (rig.spacing, rig.laws) = (spacing, Laws::refined());
    rig
}

/// Section on plates under pressure and shear.
pub(super) fn plates() -> Result<Section, ValidationError> {
    let mut section = Section::new("Plates: Bekker, unloading, Janosi");
    section.text(
        "A plate of 0.6 m x 0.2 m with nodes 1 cm apart under the default laws, compared with z = \
         (p/(k_c (1/w + 1/l) + k_φ))^(1/n). Where k_c is zero, only rounding and the last step of \
         loading remain. Elsewhere the width of the patch comes from the loaded nodes and is up to \
         half a cell off on every side, so the error scales with the spacing and has either sign.",
    );
    let mut cases = Vec::new();
    for soil in ["mid", "soft", "dry sand", "hard", "clay", "snow"] {
        for pressure in [2e4, 5e4, 1e5] {
            cases.push((soil, pressure));
        }
    }
    let closed = |soil: &str, pressure: f64| {
        let s = chrono(soil);
        pow(pressure / (s.k_c * (1.0 / 0.2 + 1.0 / 0.6) + s.k_phi), 1.0 / s.n)
    };
    let rows = cases
        .in_parallel(|&(soil, pressure)| {
            let found = plate(soil, pressure, 0.01).run()?;
            let z = closed(soil, pressure);
            let rebound = pressure / chrono(soil).elastic_stiffness;
            Ok(vec![
                soil.to_string(),
                format!("{:.0}", 1e-3 * pressure),
                format!("{:.3}", 1e3 * z),
                format!("{:.3}", 1e3 * found.sinkage),
                percent(found.sinkage, z),
                format!("{:.4}", 1e3 * rebound),
                percent(found.sinkage - found.residual, rebound),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    section.table(
        &["soil", "p, kPa", "z closed, mm", "z, mm", "error", "rebound p/K_e, mm", "error"],
        rows,
    );
    let spacings = [0.05, 0.04, 0.025, 0.02, 0.0125, 0.01, 0.005];
    let errors = |soil: &str| {
        spacings
            .in_parallel(|&spacing| {
                let found = plate(soil, 1e5, spacing).run()?;
                Ok([1e3 * spacing, 100.0 * (found.sinkage / closed(soil, 1e5) - 1.0)])
            })
            .collect::<Result<Vec<[f64; 2]>, ValidationError>>()
    };
    section.chart(Chart {
        name: "plate_convergence",
        title: "A plate's sinkage converges with the spacing of nodes".into(),
        subtitle: "0.6 m x 0.2 m, 100 kPa; hard has k_c = 102 kN/m^(n+1), mid has none".into(),
        panels: vec![panel(
            "",
            "distance between nodes, mm",
            "error of sinkage, %",
            vec![
                line("hard (k_c > 0)", LineStyle::Line, errors("hard")?),
                line("mid (k_c = 0)", LineStyle::Line, errors("mid")?),
            ],
        )],
    });

    section.text(
        "The same plate slides under 50 kPa; shear is compared with (c + p tan φ)(1 - e^(-j/K)). \
         The step of the rig is 0.1 mm of sliding.",
    );
    let mut rows = Vec::new();
    for soil in ["hard", "mid", "dry sand", "clay", "snow"] {
        let parameters = chrono(soil);
        let rig = ShearRig::new(plate(soil, 5e4, 0.05));
        let found = rig.run()?;
        for j in [0.001, 0.005, 0.02, 0.1] {
            let near = |a: &&bekker_rig::ShearPoint, b: &&bekker_rig::ShearPoint| {
                (a.displacement - j).abs().total_cmp(&(b.displacement - j).abs())
            };
            let Some(point) = found.curve.iter().min_by(near) else { continue };
            let strength = parameters.cohesion + found.pressure * tan(parameters.friction_angle);
            let closed = strength * (1.0 - exp(-j / parameters.shear_modulus));
            rows.push(vec![
                soil.to_string(),
                format!("{:.0}", 1e3 * j),
                format!("{closed:.0}"),
                format!("{:.0}", point.stress),
                percent(point.stress, closed),
            ]);
        }
    }
    section.table(&["soil", "j, mm", "τ closed, Pa", "τ, Pa", "error"], rows);
    Ok(section)
}

/// Section on unloading, reloading and the stored energy.
pub(super) fn energies() -> Result<Section, ValidationError> {
    let mut section = Section::new("Plates: work, unloading, reloading");
    section.text(
        "The plate of 0.6 m x 0.2 m is loaded with 100 kPa, unloaded and reloaded, with the \
         modulus of its own width. Compared are the loading work A p z/(n+1), the recovered work A \
         p²/(2 K_e), the pressure p/2 at half the elastic stroke, and the depth at which reloading \
         reaches the previous pressure. *KRC coarse* is a soil of the Keweenaw Research Center \
         with Wong's growth of the reload stiffness (k0 = 1.2042e8 Pa/m, A_u = 2.3098e9 Pa/m2; \
         width 0.2 m). Its depth, rebound p/(k0 + A_u z) and residual depth were computed \
         separately (5.3063, 0.75371 and 4.5526 mm).",
    );
    let krc = DeformableSoil {
        k_phi: 931_801.93 + 32_475.488 / 0.2,
        k_c: 0.0,
        n: 0.4567,
        elastic_stiffness: 120_421_522.7,
        details: Details { reload_growth: Some(2_309_750_444.0), ..Details::default() },
        ..chrono("mid")
    };
    let patch = 1.0 / 0.2 + 1.0 / 0.6;
    let soils = [
        ("mid", of_width("mid", patch)),
        ("hard", of_width("hard", patch)),
        ("dry sand", of_width("dry sand", patch)),
        ("KRC coarse", krc),
    ];
    let rows = soils
        .in_parallel(|(name, soil)| {
            let outline = PlateOutline::Rectangle { length: 0.6, width: 0.2 };
            let mut rig = PlateRig::new(bed(soil.clone()), outline, 1e5);
            (rig.laws, rig.increment) = (Laws::refined(), 2e-3);
            let found = rig.run()?;
            let z = pow(1e5 / soil.k_phi, 1.0 / soil.n);
            let growth = soil.details.reload_growth.unwrap_or(0.0);
            let rebound = 1e5 / (soil.elastic_stiffness + growth * z);
            let work = 0.12 * 1e5 * z / (soil.n + 1.0);
            let half = found.unloading[found.unloading.len() / 2].pressure;
            Ok(vec![
                (*name).to_string(),
                format!("{:.4}", 1e3 * z),
                percent(found.sinkage, z),
                format!("{:.4}", 1e3 * rebound),
                percent(found.sinkage - found.residual, rebound),
                percent(half, 5e4),
                format!("{work:.2}"),
                percent(found.work, work),
                percent(found.returned, 0.12 * 0.5e5 * rebound),
                percent(found.reloaded, found.sinkage),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let header = [
        "soil",
        "z closed, mm",
        "error",
        "rebound closed, mm",
        "error",
        "of pressure at half stroke",
        "work closed, J",
        "error",
        "of recovered work",
        "stiffness, reloading to loading",
    ];
    section.table(&header, rows);
    Ok(section)
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

/// Section on rigid wheels.
pub(super) fn wheels() -> Result<Section, ValidationError> {
    let mut section = Section::new("Driven wheels: integrals of the reference's laws");
    section.text(
        "A rigid wheel of 0.467 m radius and 0.254 m width is drawn at 1 m/s (nodes 2 cm apart, \
         step 1 ms) under the *reference* laws. It must give the integrals of those laws over a \
         continuous contact. They hold for those laws only, and show that contact and step add no \
         error of their own. Below a slip of 0.05, and so near the self-propelled and towed points, the \
         integral is the difference of two large numbers and no test.",
    );
    let rolled = |soil: DeformableSoil, load: f64, slip: f64, spacing: f64, step: f64| {
        let motion = WheelRigMotion::Rolling { speed: 1.0, slip };
        let mut rig = wheel(soil, load, motion, Laws::reference());
        (rig.spacing, rig.step) = (spacing, step);
        rig.run()
    };
    let table = |cases: &[(&str, f64, f64, f64, f64, f64)], damping: f64| {
        cases
            .in_parallel(|&(soil, load, slip, drawbar, torque, sinkage)| {
                let soil_there = DeformableSoil { damping, ..of_width(soil, HARD_PATCH) };
                let found = rolled(soil_there, load, slip, 0.02, 1e-3)?;
                Ok(vec![
                    soil.to_string(),
                    format!("{slip}"),
                    format!("{drawbar:.0}"),
                    format!("{:.0}", found.drawbar),
                    percent(found.drawbar, drawbar),
                    percent(found.torque, torque),
                    percent(found.sinkage, sinkage),
                ])
            })
            .collect::<Result<Vec<_>, ValidationError>>()
    };
    let header =
        ["soil", "slip", "drawbar closed, N", "drawbar, N", "error", "of torque", "of sinkage"];
    section.table(&header, table(&ROLLING, 0.0)?);
    let against = |cases: &[[f64; 3]]| {
        cases
            .in_parallel(|&[x, spacing, step]| {
                let found = rolled(chrono("mid"), 6311.6, 0.2, spacing, step)?;
                let error = |ours: f64, closed: f64| 100.0 * (ours / closed - 1.0);
                Ok([x, error(found.drawbar, 3045.2), error(found.sinkage, 0.082916)])
            })
            .collect::<Result<Vec<[f64; 3]>, ValidationError>>()
    };
    let spacings = [0.05, 0.04, 0.03, 0.02, 0.015, 0.01].map(|s| [1e3 * s, s, 1e-3]);
    let steps = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4].map(|s| [1e3 * s, 0.02, s]);
    let (by_spacing, by_step) = (against(&spacings)?, against(&steps)?);
    let column = |rows: &[[f64; 3]], k: usize| rows.iter().map(|r| [r[0], r[k]]).collect();
    let lines = |rows: &[[f64; 3]]| {
        vec![
            line("drawbar", LineStyle::Line, column(rows, 1)),
            line("sinkage", LineStyle::Line, column(rows, 2)),
        ]
    };
    section.chart(Chart {
        name: "wheel_convergence",
        title: "A rolling wheel converges with spacing and step".into(),
        subtitle: "mid, 6.3 kN, slip 0.2, reference laws, against the integral; 1 ms above, 2 cm \
                   below"
            .into(),
        panels: vec![
            panel("", "distance between nodes, mm", "error, %", lines(&by_spacing)),
            panel("", "step, ms", "error, %", lines(&by_step)),
        ],
    });

    section.text(
        "With a damping of 3e4 Pa s/m. The integral allows tension from damping behind the axle, \
         as Project Chrono does; the default laws stop at zero pressure, so the wheel sinks less.",
    );
    section.table(&header, table(&DAMPED, 3e4)?);
    Ok(section)
}
