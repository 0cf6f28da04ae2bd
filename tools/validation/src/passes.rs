//! Ruts over passes, and sinkage over slip.

use super::closed_forms::{chrono, wheel};
use super::page::{
    Page, ValidationError, WorstError, errors, grade, line, panel, percent, rms, unsigned_percent,
    worst,
};
use super::sand::PredictedTrials;
use bekker_ground::scm::Underside;
use bekker_ground::soil::catalog::catalog;
use bekker_ground::soil::{Laws, SoilKind};
use bekker_math::numeric::{ln, pow};
use bekker_rig::{InParallel, LineStyle, PlotPanel, WheelResult, WheelRig, WheelRigMotion};

/// Soils of the ruts, by exponent n.
const SOILS: [&str; 13] = [
    "heavy_clay_40_wes",
    "lean_clay_32_wes",
    "sandy_loam_26_hanamoto",
    "sandy_loam_23_michigan",
    "clayey_38_thailand",
    "rubicon_sandy_loam",
    "sandy_loam_15_lll",
    "north_gower_clayey_loam",
    "grenville_loam",
    "upland_sandy_loam",
    "dry_sand_lll",
    "chrono_mid",
    "chrono_cdt_fgs_dry",
];
/// Soils of the plot: the softest with passes, and a usual one.
const SHOWN: [&str; 2] = ["lean_clay_32_wes", "chrono_mid"];
/// Published exponents of ruts over passes: firm and loose soil.
const PUBLISHED: [f64; 2] = [0.2, 0.5];
const PASSES: usize = 10;
/// Default laws, reference laws, and default laws with the stiff unloading of the reference.
const LAWS: [Laws; 3] =
    [Laws::refined(), Laws::reference(), Laws { reload_stiffening: false, ..Laws::refined() }];

/// Page on passes and slip sinkage.
pub(super) fn page() -> Result<Page, ValidationError> {
    let mut page = Page::new("passes", "Passes and slip sinkage");
    describe(&mut page);
    let ruts = ruts()?;
    let (slip_panel, slip_errors) = slip_sinkage()?;
    let mut panels: Vec<PlotPanel> = SHOWN.iter().map(|soil| rut_panel(soil, &ruts)).collect();
    panels.push(slip_panel);
    page.chart(
        "Ruts over passes, and depth over slip",
        "above: ten towed wheels of 6.3 kN in one rut; below: CMU's smooth wheel in sand",
        panels,
    );
    let exponents: Vec<[f64; 3]> =
        ruts.iter().map(|own| own.depths.each_ref().map(|own| exponent(own))).collect();
    // below and above the published range
    let outside = |which: usize| {
        let own = || exponents.iter().map(|own| off(own[which]));
        [own().filter(|off| *off < 0.0).count(), own().filter(|off| *off > 0.0).count()]
    };
    let deepest = |which: usize| worst(exponents.iter().map(|own| depth_error(own[which])));
    let [tenth, theirs] = [deepest(0), deepest(1)];
    let mut table = vec![errors(
        "published exponents of ruts, 0.2 to 0.5",
        "depth of the tenth pass over the first, worst",
        SOILS.len(),
        [tenth, theirs].map(percent),
    )];
    for (name, errors_of_wheel) in
        [("smooth wheel", slip_errors[0]), ("wheel with grousers", slip_errors[1])]
    {
        let name = format!("CMU, {name}, slips 0 to 0.9");
        table.push(errors(
            &name,
            "depth over depth at slip 0, rms",
            5,
            errors_of_wheel.map(unsigned_percent),
        ));
    }
    page.errors(table);
    exponent_table(&mut page, &ruts, &exponents);
    second_pass(&mut page)?;
    let slip = worst(slip_errors.map(|own| own[0]));
    page.verdict = format!(
        "Ruts over ten passes are {} of the published exponents, and depth over slip is {} of CMU's \
         measurements.",
        grade(tenth),
        grade(slip)
    );
    page.summary.data = "published exponents, relation; CMU, measured".into();
    page.summary.verdict = grade(worst([tenth, slip]));
    page.summary.default_error =
        format!("tenth pass {}, slip sinkage {}", percent(tenth), unsigned_percent(slip));
    page.summary.reference_error =
        format!("{}, {}", percent(theirs), unsigned_percent(worst(slip_errors.map(|own| own[1]))));
    let off_of = |own: &[f64; 3]| depth_error(own[0]).abs();
    let furthest = ruts.iter().zip(&exponents).max_by(|a, b| off_of(a.1).total_cmp(&off_of(b.1)));
    page.summary.worst = furthest.map(|(rut, own)| WorstError {
        case: format!("depth of the tenth pass over the first, {}", rut.soil),
        kind: "relation".into(),
        expected: format!("{:.2}", deepened(own[0] - off(own[0]))),
        found: format!("{:.2}", deepened(own[0])),
        error: depth_error(own[0]),
    });
    let [default, reference, stiff] = [0, 1, 2].map(outside);
    page.failure(format!(
        "Ruts deepen too little: of the exponents of {} soils, {} are below the published range and {} \
         above (reference {} and {}). Soft unloading decides: the floor of a rut rises and carries the \
         next wheel. With `ground.refine.reload_stiffening = false` they are {} and {}.",
        SOILS.len(),
        default[0],
        default[1],
        reference[0],
        reference[1],
        stiff[0],
        stiff[1]
    ));
    failures(&mut page);
    Ok(page)
}

/// Returns the difference of an exponent from the nearest published one.
fn off(exponent: f64) -> f64 {
    exponent - exponent.clamp(PUBLISHED[0], PUBLISHED[1])
}

/// Returns the depth of the last pass over the first.
fn deepened(exponent: f64) -> f64 {
    pow(PASSES as f64, exponent)
}

/// Returns the error of [`deepened`] from the nearest published exponent.
fn depth_error(exponent: f64) -> f64 {
    deepened(off(exponent)) - 1.0
}

fn describe(page: &mut Page) {
    page.data(
        "Ruts of vehicles grow with the passes as n^(1/a), a from 2 (loose soil) to 5 (firm) \
         (M. Saarilahti 1991, after Abebe)",
        "relation",
        "through a public forestry code; the factor of `multi_pass` is derived for a = 2: not held \
         out as an upper bound",
    );
    page.data(
        "CMU's wheels at slip angle 0: depth over slip",
        "measured",
        "as on the page of [driven wheels](driven_wheels.md); Lyasko's law was not fitted to them",
    );
    page.range =
        "ruts: towed rigid wheels of 6.3 kN, ten passes, first pass 2 to 11 cm deep; slip 0 \
        to 0.9, 23 to 26 N. Lyasko's law is a fit to wheels up to slip 0.5."
            .into();
    page.conditions =
        "Ruts: ten wheels of 0.467 m x 0.254 m, towed with free axles one behind the \
        other, nodes 3 cm apart, 2 ms; exponent from the first to the tenth pass."
            .into();
}

/// Depths of ten passes on a soil, m, for each of [`LAWS`].
struct Ruts {
    soil: &'static str,
    n: f64,
    depths: [Vec<f64>; 3],
}

fn ruts() -> Result<Vec<Ruts>, ValidationError> {
    SOILS
        .in_parallel(|&name| {
            let soil = catalog().find(name)?.to_soil();
            let n = match &soil.kind {
                SoilKind::Deformable(soil) => soil.n,
                SoilKind::Firm { .. } => f64::NAN,
            };
            let depths = |laws: Laws| -> Result<Vec<f64>, ValidationError> {
                let motion = WheelRigMotion::Towed { speed: 1.0, slip_angle: 0.0 };
                let underside = Underside::cylinder(0.467, 0.254)?;
                let rig = WheelRig::new(soil.clone(), underside, 6300.0, motion);
                let rig = WheelRig { laws, spacing: 0.03, step: 2e-3, ..rig };
                Ok(rig.passes(PASSES)?.iter().map(|pass| pass.rut).collect())
            };
            Ok(Ruts {
                soil: name,
                n,
                depths: [depths(LAWS[0])?, depths(LAWS[1])?, depths(LAWS[2])?],
            })
        })
        .collect()
}

fn exponent(depths: &[f64]) -> f64 {
    ln(depths[PASSES - 1] / depths[0]) / ln(PASSES as f64)
}

fn rut_panel(soil: &str, ruts: &[Ruts]) -> PlotPanel {
    let Some(own) = ruts.iter().find(|own| own.soil == soil) else { return PlotPanel::default() };
    let over_passes = |depth: &dyn Fn(usize) -> f64| -> Vec<[f64; 2]> {
        (0..PASSES).map(|k| [k as f64 + 1.0, depth(k)]).collect()
    };
    let run = |which: usize| over_passes(&|k| own.depths[which][k] / own.depths[which][0]);
    let published = |exponent: f64| over_passes(&|k| pow(k as f64 + 1.0, exponent));
    panel(
        soil,
        "pass",
        "depth over first",
        vec![
            line("default laws", LineStyle::Line, run(0)),
            line("reference laws", LineStyle::Dashes, run(1)),
            line("published, n^0.2", LineStyle::Dashes, published(PUBLISHED[0])),
            line("published, n^0.5", LineStyle::Dashes, published(PUBLISHED[1])),
        ],
    )
}

/// Returns the panel of CMU's smooth wheel, and the errors of depth over that at slip 0 of the smooth
/// wheel and the wheel with grousers, for default and reference laws.
fn slip_sinkage() -> Result<(PlotPanel, [[f64; 2]; 2]), ValidationError> {
    let trials = [PredictedTrials::run("smooth", 0.0)?, PredictedTrials::run("grouser", 0.0)?];
    let growth = |trials: &PredictedTrials, which: usize, measured: bool| -> Vec<[f64; 2]> {
        let pairs = [&trials.default, &trials.reference][which];
        let depth = |(trial, run): &(super::WheelTrial, WheelResult)| {
            if measured { trial.sinkage } else { run.sinkage }
        };
        let driven = || pairs.iter().filter(|(trial, _)| trial.slip > -0.01);
        let free = driven().next().map_or(f64::NAN, depth);
        driven().map(|pair| [pair.0.slip.max(0.0), depth(pair) / free]).collect()
    };
    let errors = trials.each_ref().map(|own| {
        [0, 1].map(|which| {
            let pairs = || growth(own, which, false).into_iter().zip(growth(own, which, true));
            let measured = growth(own, which, true);
            rms(pairs().map(|(found, measured)| found[1] - measured[1]))
                / rms(measured.iter().map(|own| own[1]))
        })
    });
    let lyasko = (0..=18).map(|k| 0.05 * f64::from(k)).map(|i| {
        let held = i.min(0.5);
        [i, (1.0 + held) / (1.0 - 0.5 * held)]
    });
    let panel = panel(
        "CMU's smooth wheel",
        "slip",
        "depth over that at slip 0",
        vec![
            line("measured", LineStyle::Dots, growth(&trials[0], 0, true)),
            line("default laws", LineStyle::Line, growth(&trials[0], 0, false)),
            line("reference laws", LineStyle::Dashes, growth(&trials[0], 1, false)),
            line("Lyasko", LineStyle::Dashes, lyasko.collect()),
        ],
    );
    Ok((panel, errors))
}

/// Adds the exponents of the soils that decide.
fn exponent_table(page: &mut Page, ruts: &[Ruts], exponents: &[[f64; 3]]) {
    let mut order: Vec<usize> = (0..ruts.len()).collect();
    order.sort_by(|&a, &b| off(exponents[b][0]).abs().total_cmp(&off(exponents[a][0]).abs()));
    let row = |&k: &usize| {
        let (own, exponents) = (&ruts[k], exponents[k]);
        vec![
            own.soil.to_owned(),
            format!("{}", own.n),
            format!("{:.1}", 100.0 * own.depths[0][0]),
            format!("{:.1}", 100.0 * own.depths[0][PASSES - 1]),
            format!("{:.2}", exponents[0]),
            format!("{:.2}", exponents[1]),
            format!("{:.2}", exponents[2]),
        ]
    };
    page.text("The soils furthest from the published range, and the two of the plot:");
    let mut shown: Vec<usize> = order.iter().copied().take(3).collect();
    shown.extend(order.iter().copied().filter(|k| SHOWN.contains(&ruts[*k].soil)));
    let mut listed = Vec::new();
    for k in shown {
        if !listed.contains(&k) {
            listed.push(k);
        }
    }
    let header = [
        "soil",
        "n",
        "first pass, cm",
        "tenth, cm",
        "exponent, default",
        "reference",
        "stiff unloading",
    ];
    page.table(&header, listed.iter().map(row).collect());
}

/// Adds pull and compaction of a second pass.
fn second_pass(page: &mut Page) -> Result<(), ValidationError> {
    let slips = [0.05, 0.1, 0.2, 0.4, 0.6];
    let runs = slips
        .in_parallel(|&slip| {
            let motion = WheelRigMotion::Rolling { speed: 1.0, slip };
            Ok(wheel(chrono("mid"), 6311.6, motion, Laws::refined()).passes(2)?)
        })
        .collect::<Result<Vec<Vec<WheelResult>>, ValidationError>>()?;
    let gain = |k: usize| (runs[k][1].drawbar - runs[k][0].drawbar) / 6311.6;
    let greatest = |pass: usize| {
        runs.iter().map(|own| own[pass].drawbar / 6311.6).fold(f64::NEG_INFINITY, f64::max)
    };
    page.text(format!(
        "On mid, the second pass in the rut compacts {} of the first at slip 0.1. Its pull differs \
         by {} of the load at slip 0.05, {} at 0.2 and {} at 0.6. Its greatest pull is {:.2} of \
         the load instead of {:.2}. Field tests on sand and loam find more pull in a rut (J. Y. \
         Wong, *Terramechanics and Off-Road Vehicle Engineering*, 2010).",
        unsigned_percent(runs[1][1].compaction / runs[1][0].compaction),
        percent(gain(0)),
        percent(gain(2)),
        percent(gain(4)),
        greatest(1),
        greatest(0)
    ));
    Ok(())
}

fn failures(page: &mut Page) {
    page.failure(
        "A rut at small slip: packed soil is deeper but shears over the same distance K, and the \
         contact is shorter, so a rut gives less pull than fresh soil.",
    );
    page.failure(
        "Flexible tires on wet clay: `multi_pass` acts on rigid wheels only ([soil \
         laws](../soil_laws.md#passes)).",
    );
    page.failure("No field measurement of rut depth over passes is in this collection.");
}
