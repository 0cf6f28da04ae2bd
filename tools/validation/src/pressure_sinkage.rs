//! Plates under pressure: Bekker's curve, unloading, work, and CMU's plates.

use super::closed_forms::{bed, chrono, of_width};
use super::page::{
    ErrorRow, Page, ValidationError, WorstError, bars, errors, grade, line, panel, percent, rms,
    unsigned_percent, worst,
};
use super::wheel_trials::trial_sand;
use bekker_ground::scm::PlateOutline;
use bekker_ground::soil::catalog::assumed_unloading;
use bekker_ground::soil::{DeformableSoil, Details, Laws};
use bekker_math::numeric::pow;
use bekker_rig::identify::{CMU_PLATES, PlateRow, read_plates};
use bekker_rig::{InParallel, LineStyle, PlateRig, Rig, SinkagePoint};

/// Diameters of CMU's plates, m.
const DIAMETERS: [f64; 3] = [0.06, 0.08, 0.1];
/// Default and reference laws.
const LAWS: [Laws; 2] = [Laws::refined(), Laws::reference()];
/// Inverse width of a plate of 0.6 m x 0.2 m in Bekker's modulus, 1/m.
const PATCH: f64 = 1.0 / 0.2 + 1.0 / 0.6;

/// Page on plates under pressure.
pub(super) fn page() -> Result<Page, ValidationError> {
    let mut page = Page::new("pressure_sinkage", "Pressure and sinkage of plates");
    page.data(
        "CMU's round plates in dry sand, nine trials (C. Pavlov, 2022, \
         github.com/robomechanics/3d-terramechanics at 55a6e92)",
        "measured",
        "zero of depth picked by hand, to 1 mm; not held out: k and n of the sand are their means",
    );
    page.data("Bekker's curve, and the work of loading A p z/(n+1)", "theory", "exact");
    page.data(
        "Wong's unloading line k_0 + A_u z, at least 1.5 p/z",
        "theory",
        "LETE sand's A_u is from memory, other soils' are assumed from it; KRC coarse sand's are \
         published",
    );
    let plates = read_plates(CMU_PLATES)?;
    let span = |of: fn(&PlateRow) -> f64| {
        let values = plates.iter().map(of);
        values.fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], x| [low.min(x), high.max(x)])
    };
    let [pressure, depth] = [span(|row| 1e-3 * row.pressure), span(|row| 1e3 * row.sinkage_m)];
    page.range = format!(
        "Measured: plates of 60 to 100 mm, {:.0} to {:.0} kPa, {:.0} to {:.0} mm deep, dry sand; \
         theory: 20 to 100 kPa on plates of 0.6 m x 0.2 m.",
        pressure[0], pressure[1], depth[0], depth[1]
    );
    page.conditions = "CMU's plates: nodes 2.5 mm apart, k 8e6 N/m^(n+2), n 1.46, no k_c. Closed \
        forms: a plate of 0.6 m x 0.2 m, nodes 1 cm apart, on six soils (Project Chrono's and \
        Wong's), 20, 50 and 100 kPa. The unloading of mid, hard, dry sand and clay is the \
        catalog's; KRC coarse has k_0 1.2042e8 Pa/m and A_u 2.3098e9 Pa/m2."
        .into();
    let measured = measured(&mut page, &plates)?;
    let mut rows = measured.rows;
    let closed = [sinkage_error(LAWS[0])?, sinkage_error(LAWS[1])?];
    rows.push(errors("Bekker, six soils", "sinkage, worst", 18, closed.map(percent)));
    let [default, reference] = [unloading_errors(LAWS[0])?, unloading_errors(LAWS[1])?];
    let named = [
        "rebound, worst",
        "pressure at half rebound, worst",
        "work of loading, worst",
        "work recovered, worst",
        "depth of reloading, worst",
    ];
    for (k, quantity) in named.into_iter().enumerate() {
        let own = [default[k], reference[k]].map(percent);
        rows.push(errors("unloading line, five soils", quantity, 5, own));
    }
    page.errors(rows);
    page.text(format!(
        "The reference unloads along its elastic stiffness, which is up to {:.0} times that of Wong's \
         line; hence its errors of rebound and of recovered work. Where k_c is not zero, the width \
         of the patch comes from the loaded nodes, so the error of sinkage scales with the spacing.",
        1.0 / (1.0 + reference[0])
    ));
    let plates_error = measured.normalized;
    page.verdict = format!(
        "Plates follow Bekker's curve and the unloading line to {}, and the pressure under CMU's \
         plates is {} (rms over all diameters).",
        unsigned_percent(worst([closed[0], default[0], default[2], default[3]])),
        grade(plates_error)
    );
    page.failure(
        "Measured pressure rises with the diameter (k_c below 0, `bekker identify --plates cmu`), \
         which is outside Bekker's form: vertical columns do not push each other.",
    );
    page.summary.data = "CMU's plates, measured; Bekker, Wong, theory".into();
    page.summary.verdict = grade(plates_error);
    page.summary.default_error = format!("pressure {} rms", unsigned_percent(plates_error));
    page.summary.reference_error =
        format!("{} rms; rebound {}", unsigned_percent(measured.reference), percent(reference[0]));
    page.summary.worst = Some(measured.worst);
    Ok(page)
}

/// Errors against CMU's plates.
struct PlateErrors {
    rows: Vec<ErrorRow>,
    /// Root mean square of the error over that of the measured pressure, default laws.
    normalized: f64,
    /// The same under the reference laws.
    reference: f64,
    worst: WorstError,
}

/// Compares the pressure at the measured depths.
fn measured(page: &mut Page, plates: &[PlateRow]) -> Result<PlateErrors, ValidationError> {
    let cases: Vec<(f64, Laws)> =
        DIAMETERS.into_iter().flat_map(|own| LAWS.map(|laws| (own, laws))).collect();
    let curves = cases
        .in_parallel(|&(diameter, laws)| {
            let outline = PlateOutline::Disc { radius: 0.5 * diameter };
            let rig = PlateRig::new(trial_sand(), outline, 9e4);
            Ok(PlateRig { laws, spacing: 0.0025, ..rig }.run()?.loading)
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let of_plate = |diameter: f64| {
        plates.iter().filter(move |row| row.diameter_m.is_some_and(|d| (d - diameter).abs() < 1e-3))
    };
    let error = |k: usize, row: &PlateRow| pressure_at(&curves[k], row.sinkage_m) - row.pressure;
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    let mut worst = WorstError::default();
    for (n, diameter) in DIAMETERS.into_iter().enumerate() {
        let size = rms(of_plate(diameter).map(|row| row.pressure));
        let own =
            [2 * n, 2 * n + 1].map(|k| rms(of_plate(diameter).map(|row| error(k, row))) / size);
        let name = format!("CMU's plates of {:.0} mm", 1e3 * diameter);
        rows.push(errors(
            &name,
            "pressure at a depth, rms",
            of_plate(diameter).count(),
            own.map(unsigned_percent),
        ));
        for row in of_plate(diameter) {
            all[0].push(error(2 * n, row));
            all[1].push(error(2 * n + 1, row));
            all[2].push(row.pressure);
        }
        // the mean curve, because single trials differ by the zero of their depth
        for (depth, mean, _) in mean_curve(of_plate(diameter)) {
            let found = pressure_at(&curves[2 * n], depth);
            if depth >= 0.01 && (found / mean - 1.0).abs() > worst.error.abs() {
                worst = WorstError {
                    case: format!(
                        "pressure on a plate of {:.0} mm, {:.0} mm deep in sand",
                        1e3 * diameter,
                        1e3 * depth
                    ),
                    kind: "measured".into(),
                    expected: format!("{:.1} kPa", 1e-3 * mean),
                    found: format!("{:.1} kPa", 1e-3 * found),
                    error: found / mean - 1.0,
                };
            }
        }
        let curve = mean_curve(of_plate(diameter));
        let spans = curve.iter().map(|(depth, _, span)| (1e3 * depth, span.map(|p| 1e-3 * p)));
        lines.push(bars("range of trials", spans));
        let dots = curve.iter().map(|(depth, mean, _)| [1e3 * depth, 1e-3 * mean]).collect();
        lines.push(line(&format!("measured, {:.0} mm", 1e3 * diameter), LineStyle::Dots, dots));
    }
    let deepest = of_plate(DIAMETERS[0]).map(|row| row.sinkage_m).fold(0.0, f64::max);
    let shown = curves[0].iter().filter(|point| point.sinkage <= deepest);
    let points = shown.map(|point| [1e3 * point.sinkage, 1e-3 * point.pressure]).collect();
    lines.push(line("default and reference laws", LineStyle::Line, points));
    page.chart(
        "CMU's plates in sand",
        "means of three trials of each diameter; the model's pressure does not depend on it",
        vec![panel("", "depth, mm", "pressure, kPa", lines)],
    );
    let size = rms(all[2].iter().copied());
    let [normalized, reference] = [0, 1].map(|k| rms(all[k].iter().copied()) / size);
    Ok(PlateErrors { rows, normalized, reference, worst })
}

/// Returns depth, mean pressure and range of pressure where at least two trials have a point.
fn mean_curve<'a>(rows: impl Iterator<Item = &'a PlateRow>) -> Vec<(f64, f64, [f64; 2])> {
    let mut rows: Vec<&PlateRow> = rows.collect();
    rows.sort_by(|a, b| a.sinkage_m.total_cmp(&b.sinkage_m));
    let alike = |a: &&PlateRow, b: &&PlateRow| (a.sinkage_m - b.sinkage_m).abs() < 1e-5;
    let depths = rows.chunk_by(alike).filter(|own| own.len() > 1);
    depths
        .map(|own| {
            let pressures = || own.iter().map(|row| row.pressure);
            let span = [pressures().fold(f64::INFINITY, f64::min), pressures().fold(0.0, f64::max)];
            (own[0].sinkage_m, pressures().sum::<f64>() / own.len() as f64, span)
        })
        .collect()
}

/// Returns the pressure of a curve at a depth, linear between its points.
fn pressure_at(curve: &[SinkagePoint], depth: f64) -> f64 {
    let after = curve.partition_point(|point| point.sinkage < depth).clamp(1, curve.len() - 1);
    let [a, b] = [&curve[after - 1], &curve[after]];
    a.pressure + (b.pressure - a.pressure) * (depth - a.sinkage) / (b.sinkage - a.sinkage)
}

fn plate(soil: DeformableSoil, pressure: f64, laws: Laws) -> PlateRig {
    let outline = PlateOutline::Rectangle { length: 0.6, width: 0.2 };
    PlateRig { laws, ..PlateRig::new(bed(soil), outline, pressure) }
}

/// Returns the worst error of sinkage against Bekker's curve.
fn sinkage_error(laws: Laws) -> Result<f64, ValidationError> {
    let soils = ["mid", "soft", "dry sand", "hard", "clay", "snow"];
    let cases: Vec<(&str, f64)> = soils
        .into_iter()
        .flat_map(|soil| [2e4, 5e4, 1e5].map(|pressure| (soil, pressure)))
        .collect();
    let found = cases
        .in_parallel(|&(name, pressure)| {
            let soil = chrono(name);
            let closed = pow(pressure / (soil.k_c * PATCH + soil.k_phi), 1.0 / soil.n);
            Ok(plate(soil, pressure, laws).run()?.sinkage / closed - 1.0)
        })
        .collect::<Result<Vec<f64>, ValidationError>>()?;
    Ok(worst(found))
}

/// Returns the worst errors of rebound, pressure at half rebound, work, recovered work and depth
/// after reloading.
fn unloading_errors(laws: Laws) -> Result<[f64; 5], ValidationError> {
    let of_catalog = |name: &str| {
        let own = chrono(name);
        let [k0, growth] = assumed_unloading(own.k_phi, own.k_c, own.n).map(Some);
        let details = Details { reload_stiffness: k0, reload_growth: growth, ..Details::default() };
        DeformableSoil { details, ..of_width(name, PATCH) }
    };
    let krc = DeformableSoil {
        k_phi: 931_801.93 + 32_475.488 / 0.2,
        k_c: 0.0,
        n: 0.4567,
        elastic_stiffness: 120_421_522.7,
        details: Details { reload_growth: Some(2_309_750_444.0), ..Details::default() },
        ..chrono("mid")
    };
    let soils: Vec<DeformableSoil> =
        ["mid", "hard", "dry sand", "clay"].map(of_catalog).into_iter().chain([krc]).collect();
    let found = soils
        .in_parallel(|soil| {
            let pressure = 1e5;
            let rig = PlateRig { increment: 2e-3, ..plate(soil.clone(), pressure, laws) };
            let found = rig.run()?;
            let z = pow(pressure / soil.k_phi, 1.0 / soil.n);
            let k0 = soil.details.reload_stiffness.unwrap_or(soil.elastic_stiffness);
            let line = k0 + soil.details.reload_growth.unwrap_or(0.0) * z;
            let rebound = pressure / line.max(1.5 * pressure / z);
            let half = found.unloading[found.unloading.len() / 2].pressure;
            Ok([
                (found.sinkage - found.residual) / rebound - 1.0,
                half / (0.5 * pressure) - 1.0,
                found.work / (0.12 * pressure * z / (soil.n + 1.0)) - 1.0,
                found.returned / (0.12 * 0.5 * pressure * rebound) - 1.0,
                found.reloaded / found.sinkage - 1.0,
            ])
        })
        .collect::<Result<Vec<[f64; 5]>, ValidationError>>()?;
    Ok([0, 1, 2, 3, 4].map(|k| worst(found.iter().map(|own| own[k]))))
}
