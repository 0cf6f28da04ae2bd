//! Acceleration, top speed and braking on a level firm road.

use super::findings::{CLOSED_FORM, EventMetric, Findings, PUBLISHED, simulated_on};
use super::subject::{KMH, ROAD, Subject, distance, table};
use super::{MobilityError, SearchEffort, TractiveEffort};
use bekker_ground::soil::{SoilKind, catalog};
use bekker_math::numeric::GRAVITY;
use bekker_ranks::Flow;
use bekker_rig::{LineStyle, PlotLine, PlotPanel};
use bekker_scenario::Scenario;
use bekker_scenario::config::TableRow;

/// Longest drive at full throttle, s.
const LONGEST: f64 = 180.0;
/// Window, s, and gain of speed in it, m/s, below which the top speed is reached.
const STEADY: [f64; 2] = [10.0, 0.05];
/// Speeds to which acceleration is timed, km/h.
const TIMED: [f64; 2] = [50.0, 80.0];
/// Initial speed of braking, km/h, and its greatest fraction of the top speed.
const BRAKED_FROM: f64 = 60.0;
pub(super) const PART_OF_TOP: f64 = 0.9;
/// Start and end of the brake ramp, s.
const BRAKE: [f64; 2] = [0.5, 0.7];
/// Speed below which a vehicle counts as stopped, m/s, and its greatest share of the initial speed.
const STANDS: [f64; 2] = [0.1, 0.1];

/// Returns the friction coefficient of the road.
pub(super) fn road_friction() -> f64 {
    match catalog().find(ROAD).map(|soil| &soil.kind) {
        Ok(SoilKind::Firm { friction }) => *friction,
        _ => f64::NAN,
    }
}

pub(super) fn drive(subject: &Subject, _: SearchEffort) -> Result<Findings, MobilityError> {
    let (faster, speeds) = accelerate(subject)?;
    let top = final_speed(&speeds);
    let (braking, stop) = brake(subject, (BRAKED_FROM * KMH).min(PART_OF_TOP * top))?;

    let timed = timed_speeds(top);
    let mut figures: Vec<EventMetric> = timed
        .iter()
        .map(|kmh| {
            let metric = EventMetric::new("time_to_speed", time_to(&speeds, kmh * KMH), "s");
            let metric = metric.with_condition(format!("{} km/h", brief(*kmh)));
            match metric.value {
                Some(_) => metric,
                None => metric.with_note("not reached"),
            }
        })
        .collect();
    let mut fastest =
        EventMetric::new("top_speed", Some(top / KMH), "km/h").with_published(&subject.model);
    if subject.spec.drag_area().is_none() {
        fastest = fastest.with_note("without air drag: the file has no chassis.drag_area");
    }
    if let Some(effort) = TractiveEffort::new(&subject.spec) {
        fastest = fastest.with_closed_form("balance of tractive effort", effort.speed(0.0) / KMH);
    }
    let ends = [0.0, speeds.last().map_or(0.0, |[time, _]| *time)];
    let closed = fastest.closed_form.as_ref().map(|own| (CLOSED_FORM, own.value));
    let published = fastest.published.as_ref().map(|own| (PUBLISHED, own.value));
    let top_lines = closed.into_iter().chain(published);
    let top_lines = top_lines.map(|(name, value)| PlotLine::at_value(name, value, ends));
    let top_lines: Vec<PlotLine> = top_lines.collect();
    figures.push(fastest);
    figures.push(stop);
    let mut lines = vec![PlotLine {
        name: simulated_on(ROAD),
        points: speeds.iter().map(|[time, speed]| [*time, speed / KMH]).collect(),
        mark: LineStyle::Line,
    }];
    lines.extend(top_lines);
    let panel = PlotPanel {
        title: "Full throttle on a level road".into(),
        x: "time, s".into(),
        y: "speed, km/h".into(),
        lines,
    };
    Ok(Findings { figures, panels: vec![panel], scenarios: vec![faster, braking] })
}

/// Returns the speeds to which acceleration is timed, km/h, for a top speed, m/s.
fn timed_speeds(top: f64) -> Vec<f64> {
    match top < TIMED[0] * KMH {
        true => vec![PART_OF_TOP * top / KMH],
        false => TIMED.to_vec(),
    }
}

/// Returns a speed, km/h, as text: in whole numbers from 10 km/h on, otherwise to two digits.
fn brief(kmh: f64) -> String {
    match kmh {
        0.0..1.0 => format!("{kmh:.2}"),
        1.0..10.0 => format!("{kmh:.1}"),
        _ => format!("{kmh:.0}"),
    }
}

/// Returns the top speed on a level firm road, m/s.
pub(super) fn top_speed(subject: &Subject) -> Result<f64, MobilityError> {
    Ok(final_speed(&accelerate(subject)?.1))
}

fn final_speed(speeds: &[[f64; 2]]) -> f64 {
    speeds.last().map_or(0.0, |[_, speed]| *speed)
}

/// Drives at full throttle to the top speed; returns times, s, and speeds, m/s.
fn accelerate(subject: &Subject) -> Result<(Scenario, Vec<[f64; 2]>), MobilityError> {
    let full = TableRow { throttle: 1.0, ..TableRow::default() };
    let mut scenario = subject.scenario("acceleration", LONGEST, table(&[full]));
    scenario.endings.immobilized = false;
    let mut speeds: Vec<[f64; 2]> = Vec::new();
    let [window, gain] = STEADY;
    subject.drive(&scenario, |sample| {
        speeds.push([sample.time, sample.speed]);
        let before = speeds.partition_point(|[time, _]| *time <= sample.time - window);
        let steady = before > 0 && sample.speed - speeds[before - 1][1] < gain;
        if steady { Flow::Stop } else { Flow::Continue }
    })?;
    Ok((scenario, speeds))
}

/// Returns the time at which a speed was first reached, s.
fn time_to(speeds: &[[f64; 2]], wanted: f64) -> Option<f64> {
    let after = speeds.iter().position(|[_, speed]| *speed >= wanted)?;
    let [time, speed] = speeds[after];
    let Some(&[before, slower]) = after.checked_sub(1).map(|n| &speeds[n]) else {
        return Some(time);
    };
    Some(before + (time - before) * (wanted - slower) / (speed - slower))
}

/// Brakes to a stop from a speed, m/s.
fn brake(subject: &Subject, speed: f64) -> Result<(Scenario, EventMetric), MobilityError> {
    let row = |time, brake| TableRow { time, brake, ..TableRow::default() };
    let rows = [row(0.0, 0.0), row(BRAKE[0], 0.0), row(BRAKE[1], 1.0)];
    let mut scenario = subject.scenario("braking", 30.0, table(&rows));
    scenario.vehicle[0].speed = speed;
    let stands = STANDS[0].min(STANDS[1] * speed);
    let (mut from, mut to) = (None, None);
    subject.drive(&scenario, |sample| {
        let place = (sample.pose.position, sample.speed);
        if sample.time >= BRAKE[0] - 1e-9 {
            from.get_or_insert(place);
            to = Some(place);
        }
        if from.is_some() && sample.speed < stands { Flow::Stop } else { Flow::Continue }
    })?;
    let way = from.zip(to).filter(|(_, (_, last))| *last < stands);
    let begun = from.map_or(speed, |(_, speed)| speed);
    let metric =
        EventMetric::new("stopping_distance", way.map(|((a, _), (b, _))| distance(&a, &b)), "m")
            .with_condition(format!("{} km/h", brief(begun / KMH)))
            .with_closed_form("v²/(2 μ g)", begun * begun / (2.0 * road_friction() * GRAVITY));
    Ok((scenario, metric))
}
