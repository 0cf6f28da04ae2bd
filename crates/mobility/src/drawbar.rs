//! Drawbar pull over slip, and motion resistance, of the whole vehicle.
//!
//! The vehicle holds a low speed and tows a vehicle of the same kind on a rope. The towed vehicle
//! is in neutral and slowly applies its brake, like a dynamometer vehicle in field tests. On a road
//! it tows two, because one vehicle with locked wheels may hold less than the other can pull.
//!
//! The pull is the force of the ground on the wheels along their heading, less the force that
//! accelerates the vehicle. Force from deceleration is not counted. The pull is only taken while
//! the vehicle advances: a stationary vehicle in its ruts has no motion resistance, and its wheels
//! hold more than they could pull.

use super::cone_index::ConeIndexEstimate;
use super::event_scale::TestDrive;
use super::findings::{CLOSED_FORM, EventMetric, Findings, simulated_on};
use super::straight::road_friction;
use super::subject::{ROAD, Subject, constant_speed, hold, straight_path, table};
use super::{MobilityError, SearchEffort, TractiveEffort};
use bekker_ground::soil::catalog;
use bekker_math::numeric::GRAVITY;
use bekker_ranks::Flow;
use bekker_rig::InParallel;
use bekker_rig::Trafficability;
use bekker_rig::{LineStyle, PlotLine, PlotPanel};
use bekker_scenario::Scenario;
use bekker_scenario::config::{TableRow, TowConfig, TowKind, VehicleEnd};
use bekker_vehicle::Selector;
use std::collections::BTreeMap;

/// Soils of the event.
const SOILS: [&str; 4] = [ROAD, "dry_sand_lll", "upland_sandy_loam", "lean_clay_32_wes"];
/// Speed of the vehicle, m/s.
const SPEED: f64 = 2.0;
/// Start and end of the brake ramp of the towed vehicles, s.
const BRAKE: [f64; 2] = [6.0, 36.0];
/// Length of the rope between two vehicles, m.
const ROPE: f64 = 5.0;
/// Samples per mean: half a second.
const MEAN: usize = 50;
/// Speed below which the vehicle counts as stationary, m/s, and its greatest share of the set speed.
const STANDING: [f64; 2] = [0.05, 0.1];
/// Unit of forces over the weight.
const OF_WEIGHT: &str = "of the weight";
/// Width of the slip classes for the plotted mean pull.
const CLASS: f64 = 0.02;
/// Slip at which the pull is reported.
const SLIP: f64 = 0.2;
/// Drive over which motion resistance is taken.
const ROLLING: TestDrive = TestDrive { speed: SPEED, distance: 25.0, longest: 40.0 };

pub(super) fn drive(subject: &Subject, effort: SearchEffort) -> Result<Findings, MobilityError> {
    let found =
        subject.event_soils(effort, &SOILS).in_parallel(|&soil| -> Result<_, MobilityError> {
            let (towing, curve) = pull_by_slip(subject, soil)?;
            Ok((soil, towing, curve, motion_resistance(subject, soil)?))
        });
    let mut findings = Findings::default();
    let mut lines = Vec::new();
    let estimate = ConeIndexEstimate::new(subject)?;
    for (soil, towing, curve, (rolling, resistance)) in found.collect::<Result<Vec<_>, _>>()? {
        let most = curve.iter().map(|[_, pull]| *pull).reduce(f64::max);
        let metric = EventMetric::new("drawbar_pull", most, OF_WEIGHT)
            .with_condition(format!("{soil}, greatest"))
            .with_note(if most.is_none() { stood(subject) } else { String::new() });
        let metric = match soil {
            ROAD => on_road(subject, metric),
            _ => metric,
        };
        let slips = [0.0, 100.0 * curve.iter().map(|[slip, _]| *slip).fold(0.0, f64::max)];
        let limit = metric.closed_form.as_ref();
        lines.extend(limit.map(|own| PlotLine::at_value(CLOSED_FORM, own.value, slips)));
        findings.figures.push(metric);
        let pull = pull_at_slip(&curve, SLIP);
        let metric = EventMetric::new("drawbar_pull", pull, OF_WEIGHT)
            .with_condition(format!("{soil}, slip {:.0} %", 100.0 * SLIP))
            .with_note(match (pull, curve.is_empty()) {
                (Some(_), _) => String::new(),
                (None, true) => stood(subject),
                (None, false) => format!("the slip never rose to {:.0} %", 100.0 * SLIP),
            });
        findings.figures.push(match &estimate {
            Some(estimate) if soil != ROAD => estimate.with_pull(metric),
            _ => metric,
        });
        if soil != ROAD {
            let metric = EventMetric::new("motion_resistance", resistance, OF_WEIGHT)
                .with_condition(soil)
                .with_note(match resistance {
                    Some(_) => String::new(),
                    None => {
                        format!("hardly rolled in {} s", subject.test_drive(ROLLING).longest)
                    }
                });
            let metric = match estimate_traction(subject, soil)? {
                Some(going) => metric.with_closed_form("Bekker, compaction", going.resistance),
                None => metric,
            };
            findings.figures.push(match &estimate {
                Some(estimate) => estimate.with_resistance(metric),
                None => metric,
            });
        }
        findings.scenarios.extend([towing, rolling]);
        lines.push(PlotLine {
            name: simulated_on(soil),
            points: mean_by_slip(&curve).into_iter().map(in_percent).collect(),
            mark: LineStyle::Line,
        });
    }
    let relations = estimate.iter().flat_map(ConeIndexEstimate::lines);
    lines.extend(relations.map(|line| PlotLine {
        points: line.points.into_iter().map(in_percent).collect(),
        ..line
    }));
    findings.panels.push(PlotPanel {
        title: "Drawbar pull of the vehicle".into(),
        x: "slip, %".into(),
        y: "drawbar pull over weight".into(),
        lines,
    });
    Ok(findings)
}

/// Converts the slip of a point of a curve to percent.
fn in_percent([slip, pull]: [f64; 2]) -> [f64; 2] {
    [100.0 * slip, pull]
}

/// Returns the speed below which the vehicle counts as stationary, m/s.
fn standing_speed(subject: &Subject) -> f64 {
    STANDING[0].min(STANDING[1] * subject.test_speed(SPEED))
}

/// Returns why a vehicle gives no pull.
fn stood(subject: &Subject) -> String {
    let speed = standing_speed(subject);
    format!("no faster than {speed:.2} m/s when the braking began")
}

/// Adds the closed form for a road: the pull is limited by friction or the powertrain, whichever is
/// less.
fn on_road(subject: &Subject, metric: EventMetric) -> EventMetric {
    let (friction, speed) = (road_friction(), subject.test_speed(SPEED));
    let law = match speed < SPEED {
        true => "tractive effort at the set speed",
        false => "tractive effort at 2 m/s",
    };
    match TractiveEffort::new(&subject.spec).map(|effort| effort.relative_effort(speed)) {
        Some(effort) if effort < friction => metric.with_closed_form(law, effort),
        _ if subject.geometry.steering.trailer.is_some() => metric,
        _ => metric.with_closed_form("μ, all wheels driven", friction),
    }
}

/// Estimates the trafficability of a soil by the classic theory.
fn estimate_traction(
    subject: &Subject,
    soil: &str,
) -> Result<Option<Trafficability>, MobilityError> {
    let Ok(soil) = catalog().find(soil) else { return Ok(None) };
    let world = subject.world(&subject.scenario("standing", 1.0, hold()))?;
    Ok(Some(Trafficability::estimate(&world.model().agents[0].vehicle, &soil.to_soil())))
}

fn towing(subject: &Subject, soil: &str) -> Scenario {
    let [begins, on] = BRAKE;
    let name = format!("drawbar_{soil}");
    let driver = constant_speed(subject.test_speed(SPEED), &[[0.0, 0.0]]);
    let mut scenario = subject.scenario(&name, on + 4.0, driver);
    scenario.soil.default = soil.into();
    scenario.endings.immobilized = false;
    let row =
        |time, brake| TableRow { time, brake, gear: Selector::Neutral, ..TableRow::default() };
    let brake = table(&[row(0.0, 0.0), row(begins, 0.0), row(on, 1.0)]);
    let names = ["subject", "first dynamometer", "second dynamometer"];
    let pulled = if soil == ROAD { 2 } else { 1 };
    for (n, pair) in names.windows(2).take(pulled).enumerate() {
        let mut other = subject.vehicle(pair[1], brake.clone());
        other.position = [-(n as f64 + 1.0) * (subject.geometry.length() + ROPE), 0.0];
        scenario.vehicle.push(other);
        scenario.tow.push(TowConfig {
            from: pair[0].into(),
            to: pair[1].into(),
            kind: TowKind::Rope,
            from_end: VehicleEnd::Rear,
            to_end: VehicleEnd::Front,
            slack: 0.0,
            stiffness: 200_000.0,
            breaking_load: 1e9,
        });
    }
    scenario
}

/// Returns the drawbar-pull coefficient over slip, from brake onset until 100 % slip or standstill.
fn pull_by_slip(subject: &Subject, soil: &str) -> Result<(Scenario, Vec<[f64; 2]>), MobilityError> {
    let scenario = towing(subject, soil);
    let mut samples: Vec<[f64; 3]> = Vec::new();
    let standing = standing_speed(subject);
    subject.drive(&scenario, |sample| {
        if sample.time >= BRAKE[0] {
            let count = sample.wheels.len() as f64;
            let slip = sample.wheels.iter().map(|wheel| wheel.slip).sum::<f64>() / count;
            let traction: f64 = sample.wheels.iter().map(|wheel| wheel.traction).sum();
            samples.push([slip, traction / subject.weight(), sample.speed]);
        }
        let spent =
            samples.len() >= MEAN && samples[samples.len() - MEAN..].iter().all(|s| s[0] > 0.95);
        let stands = sample.time >= BRAKE[0] && sample.speed < standing;
        if spent || stands { Flow::Stop } else { Flow::Continue }
    })?;
    let curve = samples.chunks_exact(MEAN).map(|chunk| {
        let mean = |k: usize| chunk.iter().map(|own| own[k]).sum::<f64>() / MEAN as f64;
        let time = (MEAN - 1) as f64 * scenario.time.heartbeat;
        let speeding_up = (chunk[MEAN - 1][2] - chunk[0][2]) / time / GRAVITY;
        // a decelerating vehicle also pulls by its inertia, more than the ground provides
        [mean(0), mean(1) - f64::max(speeding_up, 0.0)]
    });
    let curve = curve.collect();
    Ok((scenario, curve))
}

/// Returns the mean pull in each class of slip, sorted by slip, as slip is not monotonic in a
/// drive.
fn mean_by_slip(curve: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut classes: BTreeMap<i64, Vec<[f64; 2]>> = BTreeMap::new();
    for point in curve.iter().filter(|point| point.iter().all(|own| own.is_finite())) {
        classes.entry((point[0] / CLASS).floor() as i64).or_default().push(*point);
    }
    let mean = |own: &Vec<[f64; 2]>| {
        [0, 1].map(|k| own.iter().map(|point| point[k]).sum::<f64>() / own.len() as f64)
    };
    classes.values().map(mean).collect()
}

/// Returns the pull where the slip first exceeds a value; `None` if it never does.
fn pull_at_slip(curve: &[[f64; 2]], slip: f64) -> Option<f64> {
    let grows = |pair: &&[[f64; 2]]| pair[0][0] < slip && slip <= pair[1][0];
    let pair = curve.windows(2).find(grows)?;
    let ([s0, p0], [s1, p1]) = (pair[0], pair[1]);
    Some(p0 + (p1 - p0) * (slip - s0) / (s1 - s0))
}

/// Returns the motion resistance over weight of the vehicle alone.
fn motion_resistance(
    subject: &Subject,
    soil: &str,
) -> Result<(Scenario, Option<f64>), MobilityError> {
    let name = format!("motion_resistance_{soil}");
    let TestDrive { speed, distance, longest } = subject.test_drive(ROLLING);
    let mut scenario = subject.scenario(&name, longest, straight_path(speed, distance));
    scenario.soil.default = soil.into();
    let driven = subject.drive(&scenario, |sample| {
        if sample.pose.position.x > distance { Flow::Stop } else { Flow::Continue }
    })?;
    let share = driven.summary.motion_resistance.map(|force| force / subject.weight());
    Ok((scenario, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slip that rises, falls and rises again gives one pull per slip, sorted by slip.
    #[test]
    fn the_plotted_curve_does_not_double_back() {
        let slips = (0..200).map(|n| {
            let time = f64::from(n) / 200.0;
            time + 0.2 * (20.0 * time).sin()
        });
        let curve: Vec<[f64; 2]> = slips.map(|slip| [slip, slip * (1.5 - slip)]).collect();
        assert!(curve.windows(2).any(|pair| pair[1][0] < pair[0][0]));
        let plotted = mean_by_slip(&curve);
        assert!(plotted.len() > 30 && plotted.windows(2).all(|pair| pair[0][0] < pair[1][0]));
        assert!(plotted.iter().all(|[slip, pull]| (pull - slip * (1.5 - slip)).abs() < 1e-3));
        assert!(mean_by_slip(&[[f64::NAN, 0.1]]).is_empty());
    }
}
