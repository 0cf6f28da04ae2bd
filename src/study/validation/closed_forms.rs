//! Closed forms of plates, shear and wheels.

use super::section::{Chart, Mark, Section, ValidationError, line, panel, percent};
use crate::numeric::{exp, pow, tan};
use crate::scm::{PlateOutline, Underside};
use crate::soil::{Laws, Soil, SoilKind, Yielding};
use crate::study::{PlateRig, Rig, ShearRig, WheelMotion, WheelRig};
use rayon::prelude::*;

pub(super) fn bed(yielding: Yielding) -> Soil {
    Soil { name: "bed".into(), source: "Project Chrono".into(), kind: SoilKind::Yielding(yielding) }
}

/// Project Chrono's demonstration soils, without damping.
pub(super) fn chrono(name: &str) -> Yielding {
    let mid = Yielding {
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
        "soft" => Yielding { k_phi: 0.2e6, elastic_stiffness: 4e7, ..mid },
        "hard" => Yielding {
            k_phi: 5.301e6,
            k_c: 102e3,
            n: 0.793,
            cohesion: 1.3e3,
            friction_angle: 31.1_f64.to_radians(),
            shear_modulus: 0.012,
            elastic_stiffness: 4e8,
            ..mid
        },
        "dry sand" => Yielding {
            k_phi: 1_528_430.0,
            k_c: 990.0,
            cohesion: 1040.0,
            friction_angle: 28_f64.to_radians(),
            shear_modulus: 0.025,
            ..mid
        },
        _ => mid,
    }
}

fn plate(soil: &str, pressure: f64, spacing: f64) -> PlateRig {
    let outline = PlateOutline::Rectangle { length: 0.6, width: 0.2 };
    let mut rig = PlateRig::new(bed(chrono(soil)), outline, pressure);
    (rig.spacing, rig.laws) = (spacing, Laws::refined());
    rig
}

/// Plates pressed and sheared.
pub(super) fn plates() -> Result<Section, ValidationError> {
    let mut section = Section::new("Plates: Bekker, unloading, Janosi");
    section.text(
        "A plate of 0.6 m x 0.2 m, nodes 1 cm apart, under the default laws, beside \
         z = (p/(k_c (1/w + 1/l) + k_φ))^(1/n). Where k_c is zero only rounding and the last step \
         of loading are left; where it is not, the width of the patch comes from the loaded nodes, \
         up to half a cell off on every side, and the error goes with the spacing, now to one side \
         and now to the other.",
    );
    let mut cases = Vec::new();
    for soil in ["mid", "soft", "dry sand", "hard"] {
        for pressure in [2e4, 5e4, 1e5] {
            cases.push((soil, pressure));
        }
    }
    let closed = |soil: &str, pressure: f64| {
        let s = chrono(soil);
        pow(pressure / (s.k_c * (1.0 / 0.2 + 1.0 / 0.6) + s.k_phi), 1.0 / s.n)
    };
    let rows = cases
        .par_iter()
        .map(|&(soil, pressure)| {
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
            .par_iter()
            .map(|&spacing| {
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
                line("hard (k_c > 0)", Mark::Line, errors("hard")?),
                line("mid (k_c = 0)", Mark::Line, errors("mid")?),
            ],
        )],
    });

    section.text(
        "The same plate slides under 50 kPa; shear beside (c + p tan φ)(1 - e^(-j/K)). The step of \
         the rig is 0.1 mm of sliding.",
    );
    let mut rows = Vec::new();
    for soil in ["hard", "mid", "dry sand"] {
        let parameters = chrono(soil);
        let mut plate = plate(soil, 5e4, 0.05);
        // the plate is held at its height
        plate.laws = Laws { slip_sinkage: false, inclined_bearing: false, ..plate.laws };
        let mut rig = ShearRig::new(plate);
        rig.displacement = 0.1;
        let found = rig.run()?;
        for j in [0.001, 0.005, 0.02, 0.1] {
            let near = |a: &&crate::study::ShearPoint, b: &&crate::study::ShearPoint| {
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

pub(super) fn wheel(soil: Yielding, load: f64, motion: WheelMotion, laws: Laws) -> WheelRig {
    let wheel = Underside::cylinder(0.467, 0.254).unwrap_or_else(|_| unreachable!("a cylinder"));
    let mut rig = WheelRig::new(bed(soil), wheel, load, motion);
    rig.laws = laws;
    rig
}

/// Integrals over a continuous contact under the reference's laws, made
/// independently of this code: soil, load N, slip, drawbar N, torque N m, sinkage m.
const ROLLING: [(&str, f64, f64, f64, f64, f64); 12] = [
    ("mid", 6311.6, 0.05, 1323.3, 1188.7, 0.082916),
    ("mid", 6311.6, 0.1, 1947.2, 1463.7, 0.082916),
    ("mid", 6311.6, 0.2, 3045.2, 1957.9, 0.082916),
    ("mid", 6311.6, 0.4, 3580.0, 2190.0, 0.082916),
    ("soft", 3000.0, 0.1, 712.12, 790.57, 0.2294),
    ("soft", 3000.0, 0.2, 1283.7, 1018.0, 0.2294),
    ("soft", 3000.0, 0.4, 1614.3, 1135.4, 0.2294),
    ("soft", 3000.0, 0.8, 1731.0, 1173.7, 0.2294),
    ("hard", 6311.6, 0.05, 834.96, 645.61, 0.017143),
    ("hard", 6311.6, 0.1, 1761.6, 1076.4, 0.017143),
    ("hard", 6311.6, 0.2, 2865.2, 1588.7, 0.017143),
    ("hard", 6311.6, 0.4, 3623.4, 1939.1, 0.017143),
];

/// A wheel pressed straight down, under either laws: soil, load N, sinkage m.
const PRESSED: [(&str, f64, f64); 2] = [("mid", 6311.6, 0.056538), ("dry sand", 6311.6, 0.066919)];

/// Wong's wheel with Bekker's pressure on mid: slip, sinkage m, drawbar N, torque N m.
const WONG_MID: [[f64; 4]; 5] = [
    [0.05, 0.10258, 1058.2, 1405.3],
    [0.1, 0.10308, 1134.6, 1447.3],
    [0.2, 0.10455, 1171.7, 1481.7],
    [0.4, 0.10838, 1119.7, 1498.8],
    [0.8, 0.11861, 908.81, 1500.7],
];

/// Soil of a width of 1/6.437 m, the one of the integral for hard.
fn of_width(soil: &str) -> Yielding {
    let s = chrono(soil);
    Yielding { k_phi: s.k_phi + s.k_c * 6.437, k_c: 0.0, ..s }
}

/// Rigid wheels.
pub(super) fn wheels() -> Result<Section, ValidationError> {
    let mut section = Section::new("Rigid wheels: integrals of the same laws");
    section.text(
        "A rigid wheel of 0.467 m radius and 0.254 m width. Pressed straight down it must find the \
         sinkage at which the integral of the pressure is the load, whatever the laws (nodes 1 cm \
         apart). Drawn at 1 m/s (nodes 2 cm apart, step 1 ms, no damping) under the laws of the \
         *reference* it must find the integrals over a continuous contact; they hold for those laws \
         only, and are there to show that the contact and the step add no error of their own. Below \
         a slip of 0.05 the integral is the difference of two large numbers and no test.",
    );
    let rows = PRESSED
        .par_iter()
        .map(|&(soil, load, z)| {
            let mut rig = wheel(chrono(soil), load, WheelMotion::Pressed, Laws::reference());
            rig.spacing = 0.01;
            let found = rig.run()?;
            Ok(vec![
                soil.to_string(),
                format!("{:.2}", 1e3 * z),
                format!("{:.2}", 1e3 * found.sinkage),
                percent(found.sinkage, z),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    section.table(&["pressed on", "z closed, mm", "z, mm", "error"], rows);
    let rolled = |soil: &str, load: f64, slip: f64, spacing: f64, step: f64| {
        let motion = WheelMotion::Rolling { speed: 1.0, slip };
        let mut rig = wheel(of_width(soil), load, motion, Laws::reference());
        (rig.spacing, rig.step) = (spacing, step);
        rig.run()
    };
    let rows = ROLLING
        .par_iter()
        .map(|&(soil, load, slip, drawbar, torque, sinkage)| {
            let found = rolled(soil, load, slip, 0.02, 1e-3)?;
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
        .collect::<Result<Vec<_>, ValidationError>>()?;
    section.table(
        &["soil", "slip", "drawbar closed, N", "drawbar, N", "error", "of torque", "of sinkage"],
        rows,
    );
    let against = |cases: &[[f64; 3]]| {
        cases
            .par_iter()
            .map(|&[x, spacing, step]| {
                let found = rolled("mid", 6311.6, 0.2, spacing, step)?;
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
            line("drawbar", Mark::Line, column(rows, 1)),
            line("sinkage", Mark::Line, column(rows, 2)),
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
        "What the default laws make of the same wheel, beside the reference's, which give soil no \
         rearward push, and the classic wheel of Wong and Reece with Bekker's pressure (J. \
         Terramech. 4, 1967; coefficients 0.4 and 0.2, no exit angle). Torque and sinkage at small \
         slip agree with the classic wheel within 4 %; its pull is a third lower, since it \
         puts its greatest pressure ahead of the axle. At slip 0.05 the reference pulls less than \
         either: its shear displacement has no sign and first grows by sliding forward. Towards \
         slip 0.8 the default sinks further, by Lyasko.",
    );
    let slips: Vec<f64> = WONG_MID.iter().map(|row| row[0]).collect();
    let of = |laws: Laws| {
        slips
            .par_iter()
            .map(|&slip| {
                let motion = WheelMotion::Rolling { speed: 1.0, slip };
                Ok(wheel(chrono("mid"), 6311.6, motion, laws).run()?)
            })
            .collect::<Result<Vec<_>, ValidationError>>()
    };
    let (reference, refined) = (of(Laws::reference())?, of(Laws::refined())?);
    let mut rows = Vec::new();
    for (k, [slip, sinkage, drawbar, torque]) in WONG_MID.into_iter().enumerate() {
        let (a, b) = (&reference[k], &refined[k]);
        rows.push(vec![
            format!("{slip}"),
            format!("{:.0}", a.drawbar),
            format!("{:.0}", b.drawbar),
            format!("{drawbar:.0}"),
            format!("{:.0}", a.torque),
            format!("{:.0}", b.torque),
            format!("{torque:.0}"),
            format!("{:.1}", 100.0 * a.sinkage),
            format!("{:.1}", 100.0 * b.sinkage),
            format!("{:.1}", 100.0 * sinkage),
        ]);
    }
    let header = [
        "slip",
        "drawbar reference, N",
        "default",
        "Wong",
        "torque reference, N m",
        "default",
        "Wong",
        "sinkage reference, cm",
        "default",
        "Wong",
    ];
    section.table(&header, rows);
    Ok(section)
}
