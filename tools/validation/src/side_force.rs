//! Wheels at a slip angle: side force, drag and sinkage.

use super::page::{Page, ValidationError, errors, grade, percent, range, unsigned_percent, worst};
use super::passive::earth_pressure_errors;
use super::sand::{DRAWBAR, PredictedTrials, SIDE, SINKAGE, deviations, worse};
use super::slip_angles::{integral_differences, rut_ratios};
use bekker_agent::{RunningGearKind, SoilClass};

/// Page on side force.
pub(super) fn page() -> Result<Page, ValidationError> {
    let mut page = Page::new("side_force", "Side force");
    describe(&mut page);
    let smooth = PredictedTrials::run("smooth", 45.0)?;
    let grouser = PredictedTrials::run("grouser", 45.0)?;
    page.chart(
        "CMU's smooth wheel in sand, slip angle 45 degrees",
        "predicted from plates; 58 mm radius, 50 mm wide, 18 to 23 N; negative slip: skid",
        vec![
            smooth.panel("side force, N", 1.0, SIDE),
            smooth.panel("drawbar pull, N", 1.0, DRAWBAR),
            smooth.panel("depth, mm", 1e3, SINKAGE),
        ],
    );
    let mut table = Vec::new();
    for trials in [&smooth, &grouser] {
        table.push(trials.row("side force", (1.0, "N"), SIDE));
        table.push(trials.row("drawbar", (1.0, "N"), DRAWBAR));
        table.push(trials.row("depth", (1e3, "mm"), SINKAGE));
    }
    for (soil, difference) in integral_differences()? {
        let name = format!("integral of shear, {soil}, 2 to 30 deg");
        table.push(errors(&name, "side force over load, worst", 5, difference.map(percent)));
    }
    let (weight, cohesion) = earth_pressure_errors();
    let passive = |what: &str, error: f64| {
        let cells = [percent(error), "none".into()];
        errors(&format!("Rankine, {what}"), "resistance of a wide smooth face", 1, cells)
    };
    table.extend([passive("sand", weight), passive("clay", cohesion)]);
    page.errors(table);
    let ruts = rut_ratios()?;
    let listed = ruts.map(|(soil, [default, reference])| {
        format!("{default:.2} on {soil} (reference {reference:.2})")
    });
    page.text(format!(
        "Side force of a second wheel in the rut at 4 degrees, over the first one\'s: {}. Under the reference laws soil keeps its shear displacement, so a rear wheel starts \
         with all of its friction. Under the default laws unloaded soil is sheared again (J. Y. \
         Wong, *Terramechanics and Off-Road Vehicle Engineering*, 2010, ch. 5).",
        listed.join(", ")
    ));
    let sets = [&smooth, &grouser];
    let of = |quantity, which: usize| worst(sets.map(|own| own.normalized(quantity)[which]));
    let [side, drawbar, depth] =
        [SIDE, DRAWBAR, SINKAGE].map(|quantity| [of(quantity, 0), of(quantity, 1)]);
    page.verdict = format!(
        "Side force of CMU's wheels at 45 degrees is {}, their drawbar {} and depth {}; no tire and no \
         other soil was measured.",
        grade(side[0]),
        grade(drawbar[0]),
        grade(depth[0])
    );
    page.summary.data = "CMU at 45 deg, measured; integral of shear, Rankine, theory".into();
    page.summary.verdict = grade(worst([side[0], drawbar[0], depth[0]]));
    page.summary.default_error = format!(
        "side {}, drawbar {}, depth {}",
        unsigned_percent(side[0]),
        unsigned_percent(drawbar[0]),
        unsigned_percent(depth[0])
    );
    page.summary.reference_error = format!(
        "{}, {}, {}",
        unsigned_percent(side[1]),
        unsigned_percent(drawbar[1]),
        unsigned_percent(depth[1])
    );
    let worst_of = |trials: &PredictedTrials| {
        worse(trials.worst_force("side force", SIDE), trials.worst_sinkage())
    };
    let found = sets.map(worst_of);
    for own in &found {
        page.failure(format!(
            "Worst point: {}: {} instead of {} ({}).",
            own.case,
            own.found,
            own.expected,
            percent(own.error)
        ));
    }
    page.failure(
        "Other slip angles, other soils and tires: not measured here. The integral has no side walls \
         and no slip sinkage, so it is a lower bound.",
    );
    let [a, b] = found;
    page.summary.worst = Some(worse(a, b));
    Ok(page)
}

fn describe(page: &mut Page) {
    page.data(
        "CMU: the wheels of [driven wheels](driven_wheels.md) at a slip angle of 45 degrees, 9 slips",
        "measured",
        &format!(
            "{}; the law of plowing and its friction were chosen on these trials: not held out",
            deviations()
        ),
    );
    page.data(
        "Integral of Bekker's pressure and Janosi's shear along its path (Schwanghart 1968; Ishigami \
         and others 2007)",
        "theory",
        "no side walls, no slip sinkage; a lower bound",
    );
    page.data(
        "Rankine's passive earth pressure on a wide smooth face, 0.1 m deep",
        "theory",
        "the wedge of McKyes and Ali has the plane of a narrow face and exceeds it on a wide one",
    );
    page.range = format!(
        "{}; measured at one slip angle, 45 deg, and 18 to 23 N; theory from 2 to 30 deg.",
        range(RunningGearKind::RigidWheel, SoilClass::Mineral)
    );
    page.conditions =
        "CMU as on the page of driven wheels. Integral: 0.467 m x 0.254 m, 6.3 kN, slip \
        0.05, nodes 2 cm apart, 2 ms; error over the load."
            .into();
}
