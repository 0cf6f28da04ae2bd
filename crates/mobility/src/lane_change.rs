//! Double lane change on a track like that of ISO 3888-1.

use super::findings::{EventMetric, Findings, simulated_on};
use super::straight::top_speed;
use super::subject::{KMH, ROAD, Subject, along};
use super::{MobilityError, SearchEffort, threshold};
use bekker_agent::{OutcomeCode, Sample};
use bekker_math::numeric::smooth_step;
use bekker_ranks::Flow;
use bekker_rig::{LineStyle, PlotLine, PlotPanel};
use bekker_scenario::Scenario;

/// Start and end along the track, m, center offset, m, and width factor of each of the three lanes.
///
/// The width is the factor times the vehicle's width plus `ROOM`. All values are from memory of the
/// standard; the offset of 3.5 m between lane centers is an assumption.
const LANES: [([f64; 2], f64, f64); 3] =
    [([0.0, 15.0], 0.0, 1.1), ([45.0, 70.0], 3.5, 1.2), ([95.0, 125.0], 0.0, 1.3)];
const ROOM: f64 = 0.25;
/// Ranges, m, in which the driver changes lanes, there and back.
///
/// They refer to the rear axle, so the front of the vehicle is well beyond.
const SHIFTS: [[f64; 2]; 2] = [[10.0, 42.0], [66.0, 92.0]];
/// Length of the path beyond the last lane, m, and the distance of its points, m.
const WAY_OUT: f64 = 60.0;
const SPACING: f64 = 2.0;
/// Start position, m; the vehicle starts at its test speed.
const RUN_UP: f64 = -30.0;
/// Range of speeds, km/h.
const SPEEDS: [f64; 2] = [20.0, 120.0];
/// Resolution of the limit, km/h.
const WIDTH: f64 = 2.0;
/// Delays of the lane changes, as fractions of the distance traveled in a second.
///
/// A driver that aims ahead cuts corners. The best delay counts.
const DELAYS: [f64; 5] = [0.0, 0.2, 0.4, 0.6, 0.8];
/// Fraction of speed that the vehicle may lose before the last lane.
const LOSS: f64 = 0.2;

pub(super) fn drive(subject: &Subject, effort: SearchEffort) -> Result<Findings, MobilityError> {
    let top = top_speed(subject)? / KMH;
    let passes = |kmh: f64| -> Result<bool, MobilityError> {
        // entering faster than the top speed would be another test
        if kmh > top {
            return Ok(false);
        }
        for delay in DELAYS {
            if trial(subject, kmh, delay)?.1 {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let found = threshold(SPEEDS, effort.width(WIDTH), passes)?;
    let mut findings = Findings::default();
    let mut note = "pure-pursuit driver, best of five lines".to_owned();
    if found.failed.is_some_and(|kmh| kmh > top) {
        note += &format!("; limited by the top speed, {top:.1} km/h");
    }
    if let Some(kmh) = found.passed {
        for delay in DELAYS {
            let (scenario, passed, path) = trial(subject, kmh, delay)?;
            if passed {
                findings.scenarios.push(scenario);
                findings.panels.push(panel(kmh, path));
                break;
            }
        }
    } else if top < SPEEDS[0] {
        note =
            format!("top speed {top:.1} km/h is below the lowest speed tried, {} km/h", SPEEDS[0]);
    } else {
        note = "left its lanes at the lowest speed tried".into();
    }
    let metric = EventMetric::new("lane_change_speed", found.passed, "km/h").with_note(note);
    findings.figures.push(metric);
    Ok(findings)
}

/// Drives through the lanes; returns whether the vehicle stayed in them, and its path.
fn trial(
    subject: &Subject,
    kmh: f64,
    delay: f64,
) -> Result<(Scenario, bool, Vec<[f64; 2]>), MobilityError> {
    let speed = kmh * KMH;
    let late = delay * speed;
    let path = SHIFTS[1][1] + late + WAY_OUT - RUN_UP;
    let count = (path / SPACING).ceil() as u32;
    let waypoints = (0..=count).map(|n| {
        let x = RUN_UP - SPACING + SPACING * f64::from(n);
        [x, middle(x - late)]
    });
    let end = LANES[2].0[1];
    let duration = ((end - RUN_UP) / speed + 5.0).ceil();
    let mut scenario = subject.scenario("lane_change", duration, along(waypoints.collect(), speed));
    scenario.vehicle[0].position = [RUN_UP, 0.0];
    scenario.vehicle[0].speed = speed;
    let width = subject.geometry.footprint.width;
    let (mut within, mut arrived, mut path) = (true, false, Vec::new());
    let driven = subject.drive(&scenario, |sample| {
        let place = sample.pose.position;
        path.push([place.x, place.y]);
        arrived = place.x > end;
        let fast = arrived || sample.speed > (1.0 - LOSS) * speed;
        within &= fast && keeps_lane(subject, sample, width);
        if arrived || !within { Flow::Stop } else { Flow::Continue }
    })?;
    let upright = driven.outcome.code != OutcomeCode::Overturned;
    Ok((scenario, within && arrived && upright, path))
}

/// Returns the lateral position of the driver's path, m: cubics with zero slope at their ends.
fn middle(x: f64) -> f64 {
    let [there, back] = SHIFTS.map(|[from, to]| smooth_step(from, to, x));
    LANES[1].1 * (there - back)
}

/// Returns whether all corners next to a lane are inside it.
fn keeps_lane(subject: &Subject, sample: &Sample, width: f64) -> bool {
    let corners = subject.geometry.footprint.corners(&sample.pose);
    corners.iter().all(|&[x, y]| {
        LANES.iter().all(|&([from, to], middle, factor)| {
            let beside = (from..=to).contains(&x);
            !beside || (y - middle).abs() <= 0.5 * (factor * width + ROOM)
        })
    })
}

fn panel(kmh: f64, path: Vec<[f64; 2]>) -> PlotPanel {
    PlotPanel {
        title: format!("Double lane change at {kmh:.0} km/h"),
        x: "distance along the track, m".into(),
        y: "lateral position, m".into(),
        lines: vec![
            PlotLine {
                name: "course".into(),
                points: path.iter().map(|[x, _]| [*x, middle(*x)]).collect(),
                mark: LineStyle::Dashes,
            },
            PlotLine { name: simulated_on(ROAD), points: path, mark: LineStyle::Line },
        ],
    }
}
