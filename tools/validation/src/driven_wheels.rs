//! Driven and towed wheels: drawbar pull, torque and sinkage over slip.

use super::classic_wheels::{SLIPS, TOWED_RUNS, TheoryComparison, towed_errors, wong_reece};
use super::closed_forms::{INTEGRALS, chrono, integral_errors, wheel};
use super::page::{
    Page, ValidationError, WorstError, errors, grade, percent, range, unsigned_percent, worst,
};
use super::planetary_wheels::{PlanetaryWheels, planetary_wheels};
use super::reference_runs::wheel_differences;
use super::sand::{DRAWBAR, PredictedTrials, SINKAGE, deviations, worse};
use bekker_agent::{RunningGearKind, SoilClass};
use bekker_ground::soil::Laws;
use bekker_rig::{InParallel, Rig, WheelResult, WheelRig, WheelRigMotion};

/// Page on driven and towed wheels.
pub(super) fn page() -> Result<Page, ValidationError> {
    let mut page = Page::new("driven_wheels", "Driven wheels");
    describe(&mut page);
    let smooth = PredictedTrials::run("smooth", 0.0)?;
    let grouser = PredictedTrials::run("grouser", 0.0)?;
    page.chart(
        "CMU's smooth wheel in sand, slip angle 0",
        "predicted from plates; 58 mm radius, 50 mm wide, 20 to 26 N; negative slip: skid",
        vec![
            smooth.panel("drawbar pull, N", 1.0, DRAWBAR),
            smooth.panel("depth, mm", 1e3, SINKAGE),
        ],
    );
    let mut table = Vec::new();
    for trials in [&smooth, &grouser] {
        table.push(trials.row("drawbar", (1.0, "N"), DRAWBAR));
        table.push(trials.row("depth", (1e3, "mm"), SINKAGE));
    }
    let PlanetaryWheels { rows, ding_pull, worst: ding_worst } = planetary_wheels()?;
    table.extend(rows);
    let [flat, steep] = towed_errors()?;
    let none = || "-".to_owned();
    let name = "Bekker's towed wheel, entry below 70 deg";
    let runs = TOWED_RUNS - 2;
    table.push(errors(name, "drag, worst", runs, [percent(flat[0]), none()]));
    table.push(errors("the same above 70 deg", "drag, worst", 2, [percent(steep[0]), none()]));
    let integrals = integral_errors()?;
    let named = ["drawbar over load, worst", "torque, worst", "depth, worst"];
    for (quantity, error) in named.into_iter().zip(integrals) {
        let cells = [none(), percent(error)];
        table.push(errors("integrals of the reference laws", quantity, INTEGRALS, cells));
    }
    let (runs, differences) = wheel_differences()?;
    for (quantity, error) in named.into_iter().zip(differences) {
        table.push(errors("Project Chrono's wheel rig", quantity, runs, [none(), percent(error)]));
    }
    page.errors(table);
    theory(&mut page)?;
    convergence(&mut page)?;
    let pull = [&smooth, &grouser].map(|trials| trials.normalized(DRAWBAR));
    let depth = [&smooth, &grouser].map(|trials| trials.normalized(SINKAGE));
    let of_laws = |of: [[f64; 2]; 2], which: usize| worst(of.map(|own| own[which]));
    let [own_pull, own_depth] = [of_laws(pull, 0), of_laws(depth, 0)];
    page.verdict = format!(
        "Drawbar of CMU's wheels is {} and depth {} (rms); drawbar of Ding's wheels, held out, is off \
         by {} of the load.",
        grade(own_pull),
        grade(own_depth),
        unsigned_percent(ding_pull[0])
    );
    page.summary.data = "CMU, measured; Ding, measured, held out; Wong and Reece, theory".into();
    page.summary.verdict = format!(
        "{} in CMU's sand; held-out drawbar off by {} of the load",
        grade(worst([own_pull, own_depth])),
        unsigned_percent(ding_pull[0])
    );
    page.summary.default_error = format!(
        "CMU: drawbar {}, depth {}; Ding: drawbar {} of the load",
        unsigned_percent(own_pull),
        unsigned_percent(own_depth),
        unsigned_percent(ding_pull[0])
    );
    page.summary.reference_error = format!(
        "{}, {}; {}",
        unsigned_percent(of_laws(pull, 1)),
        unsigned_percent(of_laws(depth, 1)),
        unsigned_percent(ding_pull[1])
    );
    let all = [&smooth, &grouser]
        .map(|trials| worse(trials.worst_force("drawbar", DRAWBAR), trials.worst_sinkage()));
    let [a, b] = all;
    failures(&mut page, &[&a, &b, &ding_worst]);
    page.summary.worst = Some(worse(worse(a, b), ding_worst));
    Ok(page)
}

fn describe(page: &mut Page) {
    page.data(
        "CMU: smooth wheel and wheel with 5 mm grousers in dry sand, 9 slips from locked to 0.9 \
         (C. Pavlov, 2022, github.com/robomechanics/3d-terramechanics at 55a6e92)",
        "measured",
        &format!(
            "{}; sand from plates, repose and density only, but two laws (inclined bearing, plowing) \
             were chosen on these trials: not held out",
            deviations()
        ),
    );
    page.data(
        "Ding and others, J. Terramech. 48, 2011: smooth wheel and wheel with 10 mm lugs in a \
         planetary simulant, slips 0 to 0.6",
        "measured, **held out**",
        "read off a figure by others, not checked against the paper; soil from the paper's own \
         plates and shear tests, K 9.7 to 13.1 mm",
    );
    page.data(
        "Wang and Han, J. Korean Geotech. Soc. 32, 2016: smooth wheel and wheel with 10 mm lugs in the \
         lunar simulant KLS-1, slips 0.1 to 0.5",
        "measured, **held out**",
        "read off a figure by others; only cohesion and friction of the soil are measured, the rest \
         are those of another simulant: the depth cannot be judged",
    );
    page.data(
        "Wong and Reece, J. Terramech. 4, 1967",
        "theory",
        "position of maximum pressure fitted by them; no slip sinkage, so a different model and no \
         limit of this one",
    );
    page.data(
        "Bekker's towed wheel; integrals of the reference laws over a continuous contact",
        "theory",
        "exact: they show that contact and step add no error",
    );
    page.data(
        "Project Chrono's wheel rig (main at 7689fbc)",
        "code",
        "same laws; its rays miss nodes",
    );
    page.range = format!(
        "{}; CMU's and Ding's wheels carry 20 to 80 N.",
        range(RunningGearKind::RigidWheel, SoilClass::Mineral)
    );
    page.conditions =
        "CMU's grousers are a cylinder through their tips; nodes 2.5 mm apart, 2 ms, 30 cm at \
        1 cm/s. Ding: 157 mm radius, 165 mm wide, 30 lugs of 10 mm; KLS-1: 85 mm, 80 mm, 16 lugs of \
        10 mm; [grousers](../soil_laws.md#grousers), nodes 5 mm apart; rims as rough as the soil, \
        or of metal with two thirds of its angle of friction. Others: 0.467 m x 0.254 m, nodes 2 cm apart, 1 ms, 1 m/s; the towed wheel without shear \
        and nearly without rebound, as in Bekker's derivation."
            .into();
}

/// Adds the comparison with Wong and Reece.
fn theory(page: &mut Page) -> Result<(), ValidationError> {
    let cases = wong_reece()?;
    let share = |case: &TheoryComparison,
                 of: fn(&TheoryComparison) -> &[WheelResult; SLIPS.len()]| {
        let pairs = || of(case).iter().zip(&case.theory);
        let pull = worst(pairs().map(|(run, theory)| (run.drawbar - theory.drawbar) / case.load));
        let torque = worst(pairs().map(|(run, theory)| run.torque / theory.torque - 1.0));
        let depth =
            pairs().nth(2).map_or(f64::NAN, |(run, theory)| run.sinkage / theory.sinkage - 1.0);
        [pull, torque, depth].map(percent)
    };
    let rows = cases.iter().map(|case| {
        let [default, reference] =
            [share(case, |case| &case.default), share(case, |case| &case.reference)];
        let mut row = vec![case.name.to_owned()];
        for (default, reference) in default.into_iter().zip(reference) {
            row.extend([default, reference]);
        }
        row
    });
    let header = [
        "soil",
        "drawbar over load, default",
        "reference",
        "torque, default",
        "reference",
        "depth at slip 0.2, default",
        "reference",
    ];
    page.text(
        "Differences from Wong and Reece, the greatest of the slips 0.05 to 0.8. Compact and loose \
         are the sands of their table 1 under 0.63 m wheels and 9 kN. FJS-1 is the lunar simulant \
         of Ishigami and others (2007), whose soil rises behind the wheel and pushes it forward.",
    );
    page.table(&header, rows.collect());
    Ok(())
}

/// Adds the change of the result with spacing and step.
fn convergence(page: &mut Page) -> Result<(), ValidationError> {
    let motion = WheelRigMotion::Rolling { speed: 1.0, slip: 0.2 };
    let settings = [[0.02, 1e-3], [0.01, 1e-3], [0.02, 5e-4]];
    let runs = settings
        .in_parallel(|&[spacing, step]| {
            let rig = wheel(chrono("mid"), 6311.6, motion, Laws::refined());
            Ok(WheelRig { spacing, step, ..rig }.run()?)
        })
        .collect::<Result<Vec<WheelResult>, ValidationError>>()?;
    let change = |k: usize| percent((runs[k].drawbar - runs[0].drawbar) / 6311.6);
    page.text(format!(
        "On mid at slip 0.2, half the spacing changes drawbar by {} of the load and half the step by \
         {} (default laws).",
        change(1),
        change(2)
    ));
    Ok(())
}

/// Adds the worst single errors and the known causes.
fn failures(page: &mut Page, worst: &[&WorstError]) {
    for own in worst {
        page.failure(format!(
            "Worst point: {}: {} instead of {} ({}).",
            own.case,
            own.found,
            own.expected,
            percent(own.error)
        ));
    }
    page.failure(
        "A rim as rough as the soil pulls too much; with a metal's two thirds of the angle of friction \
         (`tire.rigid.surface = \"metal\"`) the errors are a third to a half.",
    );
    page.failure(
        "Grousers at a slip above one half: the wheel carries sand away and digs, while the model \
         holds slip sinkage at the end of Lyasko's range.",
    );
    page.failure(
        "A wheel deeper than its axle: vertical columns do not represent it, and work balances to \
         6 % only.",
    );
}
