//! Steady cornering at constant speed with slowly increasing steering, after SAE J266 and ISO 4138.
//!
//! The understeer gradient is the slope of δ - L/R over the lateral acceleration. δ is the steering
//! angle that gives the same curvature at a crawl. So nonlinear linkages are treated like tracks,
//! which slip in turns. L is the wheelbase, or the contact length of the tracks.

use super::findings::{EventMetric, Findings, simulated_on};
use super::straight::{PART_OF_TOP, top_speed};
use super::subject::{EventRun, KMH, ROAD, Subject, constant_speed};
use super::{MobilityError, SearchEffort};
use bekker_agent::OutcomeCode;
use bekker_math::numeric::GRAVITY;
use bekker_ranks::Flow;
use bekker_rig::{LineStyle, PlotLine, PlotPanel};
use bekker_scenario::Scenario;

/// Test speed, m/s, limited to a fraction of the top speed, and speed of the reference drive, m/s.
const SPEED: f64 = 12.0;
const CRAWL: f64 = 1.5;
/// Start and end of the steering ramp, s.
const GROWS: [f64; 2] = [5.0, 65.0];
/// Lateral acceleration at the end of the ramp for a neutral vehicle, g.
const ASKED: f64 = 1.0;
/// Range of lateral acceleration in which the gradient is taken, g.
const LINEAR: [f64; 2] = [0.05, 0.3];
/// Loss of speed, as a fraction, that is reported.
const LOSS: f64 = 0.1;
/// Samples per mean: one second.
const MEAN: usize = 100;

pub(super) fn drive(subject: &Subject, _: SearchEffort) -> Result<Findings, MobilityError> {
    let geometry = &subject.geometry.steering;
    // to the digit that is reported
    let top = top_speed(subject)?;
    let slower = (10.0 * PART_OF_TOP * top).floor() / 10.0;
    if slower <= CRAWL {
        return Ok(too_slow(top));
    }
    let speed = SPEED.min(slower);
    let curvature = ASKED * GRAVITY / (speed * speed);
    let neutral = geometry.steering_angle(curvature) / geometry.max_steer;
    // steering brakes of tracks slip at first, so their steering fraction has no definite curvature
    let most = if subject.spec.tracked().is_some() { 1.0 } else { neutral.min(1.0) };
    let steering = [[0.0, 0.0], [GROWS[0], 0.0], [GROWS[1], most]];
    let (fast, crawl) = rayon::join(
        || drive_turn(subject, "cornering", speed, &steering),
        || drive_turn(subject, "cornering_crawl", CRAWL, &steering),
    );
    let ((scenario, driven, fast), (.., crawl)) = (fast?, crawl?);
    let points: Vec<[f64; 2]> = fast
        .iter()
        .zip(&crawl)
        .map(|([lateral, angle, _], [_, asked, _])| [*lateral, (asked - angle).to_degrees()])
        .collect();
    let linear: Vec<[f64; 2]> =
        points.iter().copied().filter(|[g, _]| (LINEAR[0]..LINEAR[1]).contains(g)).collect();
    let most = points.iter().map(|[g, _]| *g).fold(0.0, f64::max);
    let rolled = driven.outcome.code == OutcomeCode::Overturned;
    let slowest = fast.iter().map(|own| own[2]).fold(f64::INFINITY, f64::min);
    let lost = slowest < (1.0 - LOSS) * speed;
    let held = EventMetric::new("lateral_acceleration", Some(most), "g");
    let held = held.with_condition(format!("greatest held, {speed} m/s"));
    let note = match (rolled, lost) {
        (true, _) => "rolled over above this".into(),
        (false, true) => format!("speed falls to {slowest:.1} m/s"),
        (false, false) => String::new(),
    };
    let gradient = EventMetric::new("understeer_gradient", slope(&linear), "deg/g");
    let figures = vec![gradient.with_condition(format!("{speed} m/s")), held.with_note(note)];
    let panel = PlotPanel {
        title: format!("Steady cornering at {speed} m/s"),
        x: "lateral acceleration, g".into(),
        y: "δ − L/R, deg".into(),
        lines: vec![PlotLine { name: simulated_on(ROAD), points, mark: LineStyle::Line }],
    };
    Ok(Findings { figures, panels: vec![panel], scenarios: vec![scenario] })
}

/// Returns the result for a vehicle that is no faster than the reference drive.
fn too_slow(top: f64) -> Findings {
    let note = format!(
        "top speed {:.2} km/h is too low: the reference drive is at {:.1} km/h",
        top / KMH,
        CRAWL / KMH
    );
    let gradient = EventMetric::new("understeer_gradient", None, "deg/g").with_note(note.clone());
    let held = EventMetric::new("lateral_acceleration", None, "g").with_note(note);
    Findings { figures: vec![gradient, held], ..Findings::default() }
}

type TurnRun = (Scenario, EventRun, Vec<[f64; 3]>);

/// Returns lateral acceleration, g, angle atan(L/R), rad, and speed, m/s, for each second.
fn drive_turn(
    subject: &Subject,
    name: &str,
    speed: f64,
    steering: &[[f64; 2]],
) -> Result<TurnRun, MobilityError> {
    let geometry = &subject.geometry.steering;
    let mut scenario = subject.scenario(name, GROWS[1], constant_speed(speed, steering));
    scenario.vehicle[0].speed = speed;
    let mut samples: Vec<[f64; 3]> = Vec::new();
    let driven = subject.drive(&scenario, |sample| {
        if sample.time >= GROWS[0] {
            let yaw_rate = sample.angular_velocity.z;
            let lateral = sample.speed * yaw_rate / GRAVITY;
            let angle = geometry.steering_angle(yaw_rate / sample.speed.max(0.1));
            samples.push([lateral, angle, sample.speed]);
        }
        Flow::Continue
    })?;
    let mean = |chunk: &[[f64; 3]]| {
        [0, 1, 2].map(|k| chunk.iter().map(|own| own[k]).sum::<f64>() / chunk.len() as f64)
    };
    let seconds = samples.chunks(MEAN).map(mean).collect();
    Ok((scenario, driven, seconds))
}

/// Returns the slope of the least-squares line through points; `None` for fewer than three.
fn slope(points: &[[f64; 2]]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |k: usize| points.iter().map(|point| point[k]).sum::<f64>() / count;
    let [x, y] = [mean(0), mean(1)];
    let squares: f64 = points.iter().map(|point| (point[0] - x) * (point[0] - x)).sum();
    let products: f64 = points.iter().map(|point| (point[0] - x) * (point[1] - y)).sum();
    (points.len() > 2 && squares > 0.0).then(|| products / squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_slope() {
        let line: Vec<[f64; 2]> = (0..9).map(f64::from).map(|x| [x, 3.0 - 0.5 * x]).collect();
        assert!((slope(&line).unwrap() + 0.5).abs() < 1e-12);
        assert_eq!(slope(&line[..2]), None);
    }
}
