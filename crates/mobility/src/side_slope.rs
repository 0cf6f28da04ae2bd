//! Side slopes that are traversed under control.

use super::event_scale::TestDrive;
use super::findings::{EventMetric, Findings, Limit};
use super::straight::road_friction;
use super::subject::{ROAD, Subject, straight_path};
use super::{MobilityError, SearchEffort, threshold};
use bekker_agent::OutcomeCode;
use bekker_ranks::Flow;
use bekker_rig::InParallel;
use bekker_scenario::Scenario;
use bekker_scenario::config::SurfaceConfig;

/// Soils of the event.
const SOILS: [&str; 2] = [ROAD, "upland_sandy_loam"];
/// Range of side slopes, rise over run, and the resolution of the limit.
const SLOPES: [f64; 2] = [0.05, 1.2];
const WIDTH: f64 = 0.01;
/// Speed, distance and longest drive.
const TRAVERSE: TestDrive = TestDrive { speed: 2.0, distance: 25.0, longest: 40.0 };
/// Largest lateral offset of a vehicle under control, m.
const ASIDE: f64 = 1.0;
/// Side slope required of a military vehicle on firm ground.
const ASKED: f64 = 0.3;

pub(super) fn drive(subject: &Subject, effort: SearchEffort) -> Result<Findings, MobilityError> {
    let found =
        subject.event_soils(effort, &SOILS).in_parallel(|&soil| -> Result<_, MobilityError> {
            let limit = threshold(SLOPES, effort.width(WIDTH), |slope| {
                Ok::<_, MobilityError>(ending(subject, soil, slope)? == SlopeEnding::Passed)
            })?;
            let why = limit.failed.map(|slope| ending(subject, soil, slope)).transpose()?;
            Ok((soil, limit, why))
        });
    let mut findings = Findings::default();
    for (soil, limit, why) in found.collect::<Result<Vec<_>, _>>()? {
        let metric = EventMetric::new("side_slope", limit.passed, "").with_condition(soil);
        let metric = metric.with_note(match why {
            None | Some(SlopeEnding::Passed) => "steepest value tried".into(),
            Some(SlopeEnding::Overturned) => "rolls over above this".into(),
            Some(SlopeEnding::OffCourse) => {
                format!("leaves its line by more than {:.2} m above this", aside(subject))
            }
            Some(SlopeEnding::Stuck) => "stuck above this".to_owned(),
        });
        let metric =
            metric.with_alternation_note(limit.passed_beyond.map(|slope| format!("{slope:.3}")));
        findings.figures.push(if soil == ROAD { on_road(subject, metric) } else { metric });
        let trials = [limit.passed, limit.failed].into_iter().flatten();
        findings.scenarios.extend(trials.map(|slope| scenario(subject, soil, slope)));
    }
    Ok(findings)
}

/// Adds the closed form for firm ground.
///
/// The vehicle slides at the road's friction or tips over its lower wheels, whichever comes first.
fn on_road(subject: &Subject, metric: EventMetric) -> EventMetric {
    let geometry = &subject.geometry;
    let tips = 0.5 * geometry.gauge / geometry.center_of_mass;
    let metric = metric.with_limit(Limit::AtLeast(ASKED)).with_published(&subject.model);
    match road_friction() {
        friction if friction < tips => metric.with_closed_form("μ (t/2h is greater)", friction),
        _ => metric.with_closed_form("t/2h", tips),
    }
}

/// Returns the largest lateral offset of this vehicle under control, m.
fn aside(subject: &Subject) -> f64 {
    subject.length_scale() * ASIDE
}

fn scenario(subject: &Subject, soil: &str, slope: f64) -> Scenario {
    let name = format!("side_slope_{soil}_{slope:.3}");
    let TestDrive { speed, distance, longest } = subject.test_drive(TRAVERSE);
    let mut scenario = subject.scenario(&name, longest, straight_path(speed, distance));
    scenario.soil.default = soil.into();
    scenario.terrain.surface =
        SurfaceConfig::Slope { elevation: 0.0, grade: slope, uphill_deg: 90.0 };
    scenario
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SlopeEnding {
    Passed,
    Overturned,
    OffCourse,
    Stuck,
}

fn ending(subject: &Subject, soil: &str, slope: f64) -> Result<SlopeEnding, MobilityError> {
    let (mut arrived, mut astray) = (false, false);
    let [end, aside] = [subject.test_drive(TRAVERSE).distance, aside(subject)];
    let driven = subject.drive(&scenario(subject, soil, slope), |sample| {
        let place = sample.pose.position;
        arrived = place.x > end;
        astray |= place.y.abs() > aside;
        // a sliding vehicle may still overturn, but it has left its line
        if arrived || astray { Flow::Stop } else { Flow::Continue }
    })?;
    Ok(match driven.outcome.code {
        OutcomeCode::Overturned => SlopeEnding::Overturned,
        _ if astray => SlopeEnding::OffCourse,
        _ if arrived => SlopeEnding::Passed,
        _ => SlopeEnding::Stuck,
    })
}
