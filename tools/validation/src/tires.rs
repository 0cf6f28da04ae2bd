//! Flexible tires: load and deflection on a plate, and pull over deflection on soil.

use super::deflection::{DeflectionCases, DeflectionRatios};
use super::page::{
    Page, ValidationError, WorstError, errors, grade, line, panel, percent, range, rms,
    unsigned_percent, worst,
};
use bekker_agent::{RunningGearKind, SoilClass};
use bekker_rig::{LineStyle, PlotPanel};
use bekker_vehicle::tire::tire;

/// Page on flexible tires.
pub(super) fn page() -> Result<Page, ValidationError> {
    let mut page = Page::new("tires", "Flexible tires");
    describe(&mut page);
    let plates = plates()?;
    let cases = DeflectionCases::run()?;
    let mut panels = vec![plates.panel.clone()];
    panels.extend(cases.panels());
    page.chart(
        "Tires over load and deflection",
        "above: 270, 414, 480 and 650 kPa from below; below: HMMWV's tire, 9.56 kN, matched at 15 %",
        panels,
    );
    let none = |error: String| [error, "rigid tires".to_owned()];
    let mut table = Vec::new();
    for (inflation, points, error) in &plates.by_inflation {
        let name = format!("FED-Alpha's tire, {inflation:.0} kPa");
        table.push(errors(&name, "deflection under a load, worst", *points, none(percent(*error))));
    }
    let ratios = cases.ratios();
    for (name, sandy) in [("relations, five sands", true), ("relations, five clays", false)] {
        let own: Vec<&DeflectionRatios> = ratios.iter().filter(|own| own.sandy == sandy).collect();
        let off = |of: fn(&DeflectionRatios) -> [f64; 2]| {
            none(unsigned_percent(rms(own.iter().map(|own| of(own)[0] / of(own)[1] - 1.0))))
        };
        table.push(errors(
            name,
            "gain of pull from 15 to 25 %, rms",
            own.len(),
            off(|own| own.pull),
        ));
        table.push(errors(
            name,
            "change of towed resistance, rms",
            own.len(),
            off(|own| own.towed),
        ));
    }
    let weakest = cases.weakest_clay()?;
    let vehicle_index = worst(weakest.iter().map(|[own, theirs]| own / theirs - 1.0));
    table.push(errors(
        "VCI1 over deflection, heavy_clay_40_wes",
        "weakest passable soil at 10, 25, 35 %, worst",
        weakest.len(),
        none(percent(vehicle_index)),
    ));
    page.errors(table);
    in_bands(&mut page, &ratios);
    cases.convergence(&mut page)?;
    let gains = |sandy: bool| {
        rms(ratios
            .iter()
            .filter(|own| own.sandy == sandy)
            .map(|own| own.pull[0] / own.pull[1] - 1.0))
    };
    let [sand, clay] = [gains(true), gains(false)];
    let plate = worst(plates.by_inflation.iter().map(|own| own.2));
    page.verdict = format!(
        "Deflection on a plate is {}, and the gain of pull with deflection {} on sand and {} on clay \
         against published relations; no tire on soil was measured.",
        grade(plate),
        grade(sand),
        grade(clay)
    );
    page.summary.data =
        "FED-Alpha's tire, measured; WES/NRMM, Brixius, VTI, relations, held out".into();
    page.summary.verdict = grade(worst([plate, sand, clay]));
    page.summary.default_error = format!(
        "deflection {}, gain of pull {} (sand), {} (clay)",
        unsigned_percent(plate),
        unsigned_percent(sand),
        unsigned_percent(clay)
    );
    page.summary.reference_error = "rigid tires".into();
    let furthest =
        ratios.iter().max_by(|a, b| towed_error(a).abs().total_cmp(&towed_error(b).abs()));
    page.summary.worst = furthest.map(|own| WorstError {
        case: format!(
            "towed resistance at 25 % over that at 15 % deflection, HMMWV's tire on {}",
            own.soil
        ),
        kind: "relation".into(),
        expected: format!("{:.2}", own.towed[1]),
        found: format!("{:.2}", own.towed[0]),
        error: towed_error(own),
    });
    failures(&mut page, &ratios);
    Ok(page)
}

fn towed_error(own: &DeflectionRatios) -> f64 {
    own.towed[0] / own.towed[1] - 1.0
}

fn describe(page: &mut Page) {
    page.data(
        "FED-Alpha's Goodyear 335/65R22.5 on a plate, 20 points at four inflations (Calspan 2010, \
         through Project Chrono)",
        "measured",
        "two tables at 414 kPa differ by 6 %; not held out: the three parameters of the belt are \
         fitted to all points",
    );
    page.data(
        "Pull and towed resistance over deflection: WES and NRMM with Williams, Brixius, VTI, \
         Gee-Clough",
        "relation, **held out**",
        "sources quoted by public code or from memory (`crates/rig/src/deflection_relations.rs`); each \
         has the cone index that gives the rig's pull at 15 %",
    );
    page.data(
        "One-pass vehicle cone index over deflection, (0.15/(δ/h))^0.25 (Priddy and Willoughby 2004)",
        "relation, **held out**",
        "79 vehicles, fine-grained soil",
    );
    page.range = format!(
        "{}; deflection 10 to 35 % of the section height; HMMWV's tire under 6.3 and 9.56 kN.",
        range(RunningGearKind::FlexibleTire, SoilClass::Mineral)
    );
    page.conditions =
        "Pull at slip 0.2, and towed with a free axle, on unchanged sands and clays of the \
        catalog; 1 m/s, nodes 2 cm apart, 1 ms. Towed resistance includes that of the rubber, as \
        measurements do. The HMMWV's load-deflection curve is by analogy with the FED-Alpha's."
            .into();
}

/// Measured and computed deflections on a plate.
struct PlateComparison {
    /// Inflation, kPa, number of points, worst error of deflection.
    by_inflation: Vec<(f64, usize, f64)>,
    panel: PlotPanel,
}

fn plates() -> Result<PlateComparison, ValidationError> {
    const NAME: &str = "fed_alpha";
    let file = tire(NAME)?;
    let flexible = &file.flexible;
    let ring = flexible.ring(file.rigid.radius()).map_err(|_| ValidationError::NoBelt(NAME))?;
    let mut points = flexible.load_deflection.clone();
    points.sort_by(|a, b| {
        a.inflation_kpa.total_cmp(&b.inflation_kpa).then(a.deflection.total_cmp(&b.deflection))
    });
    let (mut by_inflation, mut lines) = (Vec::new(), Vec::new());
    for own in points.chunk_by(|a, b| a.inflation_kpa == b.inflation_kpa) {
        let inflation = own[0].inflation_kpa;
        let error =
            |k: usize| ring.deflection(1e3 * inflation, own[k].load) / own[k].deflection - 1.0;
        by_inflation.push((inflation, own.len(), worst((0..own.len()).map(error))));
        let dots = own.iter().map(|point| [1e3 * point.deflection, 1e-3 * point.load]).collect();
        let curve = (1..=20).map(|k| 0.005 * f64::from(k)).map(|deflection| {
            [1e3 * deflection, 1e-3 * ring.plate(1e3 * inflation, deflection).load]
        });
        let curve = curve.filter(|[_, load]| *load <= 42.0).collect();
        lines.push(line("default laws", LineStyle::Line, curve));
        lines.push(line("measured", LineStyle::Dots, dots));
    }
    let panel = panel("FED-Alpha's tire on a plate", "deflection, mm", "load, kN", lines);
    Ok(PlateComparison { by_inflation, panel })
}

/// Adds how many ratios are inside their bands, and the cases that decide.
fn in_bands(page: &mut Page, ratios: &[DeflectionRatios]) {
    let count = |sandy: bool, of: &dyn Fn(&DeflectionRatios) -> Option<bool>| {
        let own = ratios.iter().filter(|own| own.sandy == sandy).filter_map(of);
        let own: Vec<bool> = own.collect();
        format!("{} of {}", own.iter().filter(|inside| **inside).count(), own.len())
    };
    page.text(format!(
        "Bands set before the run, for soil as strong as the band's. The ratio of pull at 25 % to that \
         at 15 % is inside for {} sands and {} clays. That of towed resistance, 0.75 to 0.93, is inside \
         for {} sands and {} clays. The furthest of each kind from the mean of the relations:",
        count(true, &|own| own.pull_inside),
        count(false, &|own| own.pull_inside),
        count(true, &|own| Some(own.towed_inside)),
        count(false, &|own| Some(own.towed_inside))
    ));
    let pull_error = |own: &&DeflectionRatios| (own.pull[0] / own.pull[1] - 1.0).abs();
    let mut rows = Vec::new();
    for sandy in [true, false] {
        let of_kind = || ratios.iter().filter(move |own| own.sandy == sandy);
        let by_pull = of_kind().max_by(|a, b| pull_error(a).total_cmp(&pull_error(b)));
        let by_towed =
            of_kind().max_by(|a, b| towed_error(a).abs().total_cmp(&towed_error(b).abs()));
        for own in by_pull.into_iter().chain(by_towed) {
            rows.push(vec![
                own.soil.to_owned(),
                format!("{:.2}", 1e-3 * own.load),
                format!("{:.3}", own.matched),
                format!("{:.2}", own.pull[0]),
                format!("{:.2}", own.pull[1]),
                format!("{:.2}", own.towed[0]),
                format!("{:.2}", own.towed[1]),
            ]);
        }
    }
    rows.dedup();
    let header = [
        "soil",
        "load, kN",
        "pull over load at 15 %",
        "pull ratio, default",
        "relations",
        "towed ratio, default",
        "relations",
    ];
    page.table(&header, rows);
}

fn failures(page: &mut Page, ratios: &[DeflectionRatios]) {
    let clays = || ratios.iter().filter(|own| !own.sandy);
    let low = clays().map(|own| own.matched).fold(f64::INFINITY, f64::min);
    page.failure(format!(
        "Weak clay: the band of pull was made for 0.2 to 0.44 of the load at 15 %, and the weakest clay \
         pulls {low:.2}; the ratio of such small pulls is not informative."
    ));
    let furthest =
        ratios.iter().max_by(|a, b| towed_error(a).abs().total_cmp(&towed_error(b).abs()));
    if let Some(own) = furthest {
        page.failure(format!(
            "Firm soil: on {} the rubber has {:.2} of the towed resistance at 25 %. Its share rises with \
             the deflection, so resistance rises where that of the relations falls.",
            own.soil, own.rubber
        ));
    }
    page.failure(
        "Loose sand carries little and shears well, which one cone index cannot represent.",
    );
    page.failure("Side force and braking of a tire on soil were not compared.");
}
