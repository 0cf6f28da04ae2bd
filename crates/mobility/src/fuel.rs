//! Fuel consumption at constant speed, on a road and on soil.
//!
//! It follows from Willans' line of the engine in the vehicle file (`powertrain.engine.fuel`).
//! Without that entry there is no result.

use super::findings::{EventMetric, Findings, PUBLISHED, simulated_on};
use super::subject::{KMH, ROAD, Subject, constant_speed, is_firm};
use super::{MobilityError, SearchEffort};
use bekker_ranks::Flow;
use bekker_rig::InParallel;
use bekker_rig::{LineStyle, PlotLine, PlotPanel};

/// Soils and speeds, km/h.
const DRIVES: [(&str, f64); 5] =
    [(ROAD, 40.0), (ROAD, 20.0), (ROAD, 60.0), (ROAD, 80.0), ("upland_sandy_loam", 15.0)];
/// Duration of a drive, s.
const TIME: f64 = 40.0;
/// Fraction of the set speed that the vehicle must reach on average.
const HELD: f64 = 0.95;

/// Returns soils and speeds, km/h; firm soils of the subject are driven at the road's speeds.
fn drives(subject: &Subject, effort: SearchEffort) -> Vec<(&str, f64)> {
    if subject.soils.is_empty() {
        return effort.some(&DRIVES).to_vec();
    }
    let speeds = |soil: &str| {
        let is_road = |own: &&(&str, f64)| (own.0 == ROAD) == is_firm(soil);
        DRIVES.iter().filter(is_road).map(|own| own.1).collect::<Vec<_>>()
    };
    let of = |soil| effort.some(&speeds(soil)).iter().map(|kmh| (soil, *kmh)).collect::<Vec<_>>();
    subject.soils.iter().flat_map(|soil| of(soil.as_str())).collect()
}

pub(super) fn drive(subject: &Subject, effort: SearchEffort) -> Result<Findings, MobilityError> {
    let drives = drives(subject, effort);
    let trials = drives.in_parallel(|&(soil, kmh)| -> Result<_, MobilityError> {
        let name = format!("fuel_{soil}_{kmh}");
        let driver = constant_speed(kmh * KMH, &[[0.0, 0.0]]);
        let mut scenario = subject.scenario(&name, TIME, driver);
        scenario.soil.default = soil.into();
        scenario.vehicle[0].speed = kmh * KMH;
        let driven = subject.drive(&scenario, |_| Flow::Continue)?;
        Ok((soil, kmh, driven.summary, scenario))
    });
    let mut findings = Findings::default();
    let (mut points, mut published) = (Vec::new(), Vec::new());
    for (soil, kmh, summary, scenario) in trials.collect::<Result<Vec<_>, _>>()? {
        let held = summary.distance > HELD * kmh * KMH * TIME;
        // kg/m times 1e5 is kg/100 km
        let fuel = summary.fuel.filter(|_| held).map(|kg| 1e5 * kg / summary.distance);
        let metric = EventMetric::new("fuel", fuel, "kg/100 km")
            .with_condition(format!("{soil}, {kmh} km/h"));
        let metric = metric.with_published(&subject.model);
        let known = metric.published.as_ref().filter(|_| soil == ROAD);
        published.extend(known.map(|own| [kmh, own.value]));
        findings.figures.push(match (summary.fuel, held) {
            (None, _) => metric.with_note("its file has no fuel consumption data"),
            (_, false) => metric.with_note("cannot hold this speed"),
            _ => metric,
        });
        points.extend(fuel.filter(|_| soil == ROAD).map(|fuel| [kmh, fuel]));
        findings.scenarios.push(scenario);
    }
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut lines =
        vec![PlotLine { name: simulated_on(ROAD), points, mark: LineStyle::MarkedLine }];
    if !published.is_empty() {
        let name = PUBLISHED.into();
        lines.push(PlotLine { name, points: published, mark: LineStyle::Dots });
    }
    findings.panels.push(PlotPanel {
        title: "Fuel on a level road".into(),
        x: "speed, km/h".into(),
        y: "fuel, kg/100 km".into(),
        lines,
    });
    Ok(findings)
}
