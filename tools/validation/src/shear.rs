//! A plate that slides: Janosi's curve, and its way back.

use super::closed_forms::{bed, chrono};
use super::page::{
    Page, ValidationError, errors, grade, line, panel, percent, unsigned_percent, worst,
};
use bekker_ground::scm::PlateOutline;
use bekker_ground::soil::{DeformableSoil, Laws};
use bekker_math::numeric::{exp, tan};
use bekker_rig::{InParallel, LineStyle, PlateRig, Rig, ShearResult, ShearRig};

const SOILS: [&str; 5] = ["hard", "mid", "dry sand", "clay", "snow"];
/// Sliding forth and back, m.
const FORTH: f64 = 0.1;
const BACK: f64 = 0.1;

/// Page on shear.
pub(super) fn page() -> Result<Page, ValidationError> {
    let mut page = Page::new("shear", "Shear");
    page.data("Janosi's curve (c + p tan φ)(1 - e^(-j/K))", "theory", "exact");
    page.data(
        "Its rate form on the way back, K dm/dt = v - \\|v\\| m (Dahl)",
        "theory",
        "no shear test with reversal is in this collection",
    );
    page.range = "theory only: 50 kPa, sliding up to 100 mm, friction angles of 13 to 31 deg, \
        cohesion up to 4.1 kPa. Shear under wheels and tracks is compared on their pages."
        .into();
    page.conditions =
        "A rough plate of 0.6 m x 0.2 m at a fixed depth slides 100 mm forth and 100 \
        mm back, in steps of 0.1 mm, on five soils."
            .into();
    let cases: Vec<(&str, Laws)> = SOILS
        .into_iter()
        .flat_map(|soil| [(soil, Laws::refined()), (soil, Laws::reference())])
        .collect();
    let runs = cases
        .in_parallel(|&(soil, laws)| {
            let outline = PlateOutline::Rectangle { length: 0.6, width: 0.2 };
            let plate = PlateRig::new(bed(chrono(soil)), outline, 5e4);
            let plate = PlateRig { laws, spacing: 0.05, ..plate };
            let rig = ShearRig { displacement: FORTH, reversal: BACK, ..ShearRig::new(plate) };
            Ok(rig.run()?)
        })
        .collect::<Result<Vec<ShearResult>, ValidationError>>()?;
    let of_laws = |which: usize, back: bool| {
        let each = cases.iter().zip(&runs).skip(which).step_by(2);
        worst(each.map(|((soil, _), run)| worst(run_errors(&chrono(soil), run, back))))
    };
    let [forth, back] = [false, true].map(|back| [0, 1].map(|which| of_laws(which, back)));
    let panels = ["mid", "clay"].map(|name| {
        let at = SOILS.iter().position(|soil| *soil == name).unwrap_or(0);
        let curve = |run: &ShearResult| -> Vec<[f64; 2]> {
            path(run).step_by(10).map(|(way, stress, _)| [1e3 * way, 1e-3 * stress]).collect()
        };
        let soil = chrono(name);
        let theory = path(&runs[2 * at])
            .step_by(50)
            .map(|(way, _, pressure)| [1e3 * way, 1e-3 * closed(&soil, pressure, way)]);
        panel(
            name,
            "distance slid, mm",
            "shear stress, kPa",
            vec![
                line("reference laws", LineStyle::Line, curve(&runs[2 * at + 1])),
                line("default laws", LineStyle::Line, curve(&runs[2 * at])),
                line("theory", LineStyle::Dashes, theory.collect()),
            ],
        )
    });
    page.chart("Shear forth and back", "50 kPa; back from 100 mm on", panels.into());
    let count = SOILS.len();
    page.errors(vec![
        errors("Janosi, five soils", "stress, worst, of the strength", count, forth.map(percent)),
        errors("rate form, back", "stress, worst, of the strength", count, back.map(percent)),
    ]);
    page.verdict = format!(
        "The default laws are {} against Janosi's curve (worst error {} of the strength); no shear test was \
         compared.",
        grade(worst([forth[0], back[0]])),
        unsigned_percent(worst([forth[0], back[0]]))
    );
    page.failure(
        "Under the reference laws the displacement only grows, so that soil sheared once resists \
         with all of its strength in any direction.",
    );
    page.failure(
        "Packed soil shears as loose soil: c, φ and K do not change with pressure or passes.",
    );
    page.summary.data = "Janosi, theory".into();
    page.summary.verdict = format!("{} against theory", grade(worst([forth[0], back[0]])));
    page.summary.default_error =
        format!("{} of the strength", unsigned_percent(worst([forth[0], back[0]])));
    page.summary.reference_error =
        format!("{} forth, {} back", unsigned_percent(forth[1]), unsigned_percent(back[1]));
    Ok(page)
}

/// Returns distance slid, stress and normal pressure of each point.
fn path(run: &ShearResult) -> impl Iterator<Item = (f64, f64, f64)> + Clone + '_ {
    let mut way = 0.0;
    let mut before = 0.0;
    run.curve.iter().map(move |point| {
        way += (point.displacement - before).abs();
        before = point.displacement;
        (way, point.stress, run.pressure)
    })
}

/// Returns the stress in closed form after a distance slid forth and back, Pa.
fn closed(soil: &DeformableSoil, pressure: f64, way: f64) -> f64 {
    let strength = soil.cohesion + pressure * tan(soil.friction_angle);
    let forth = 1.0 - exp(-way.min(FORTH) / soil.shear_modulus);
    let back = exp(-(way - FORTH).max(0.0) / soil.shear_modulus);
    strength * ((1.0 + forth) * back - 1.0)
}

/// Returns the errors over the strength on the way forth or back.
fn run_errors(soil: &DeformableSoil, run: &ShearResult, back: bool) -> Vec<f64> {
    let strength = soil.cohesion + run.pressure * tan(soil.friction_angle);
    let chosen = path(run).filter(|(way, ..)| (*way > FORTH + 1e-9) == back);
    chosen
        .map(|(way, stress, pressure)| (stress - closed(soil, pressure, way)) / strength)
        .collect()
}
