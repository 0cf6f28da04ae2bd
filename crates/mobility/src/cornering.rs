//! Steady cornering: a held speed and slowly growing steering, after SAE J266 and ISO 4138.
//!
//! The understeer gradient is the slope of δ - L/R over the lateral acceleration. δ is the angle at
//! which the vehicle goes round as tightly at a crawl: linkages that are not linear, and tracks,
//! which slip as they turn, are so judged alike. L is the wheelbase, or the length of track on the
//! ground.

use super::findings::{Figure, Findings};
use super::straight::{PART_OF_TOP, top_speed};
use super::subject::{Driven, Subject, held_speed};
use super::{Effort, MobilityError};
use bekker_agent::OutcomeCode;
use bekker_math::numeric::{GRAVITY, atan};
use bekker_ranks::Flow;
use bekker_rig::{Line, Mark, Panel};
use bekker_scenario::Scenario;

/// Speed that is held, m/s, or the part of a lower top speed, and the crawl that it is laid beside.
const SPEED: f64 = 12.0;
const CRAWL: f64 = 1.5;
/// When the steering begins to grow and when it has grown, s.
const GROWS: [f64; 2] = [5.0, 65.0];
/// Lateral acceleration that the steering grows to, if the vehicle were neutral, g.
const ASKED: f64 = 1.0;
/// Between which lateral accelerations the gradient is taken, g.
const LINEAR: [f64; 2] = [0.05, 0.3];
/// Share of the speed whose loss is told.
const LOSS: f64 = 0.1;
/// Samples of which a mean is taken: a second.
const MEAN: usize = 100;

pub(super) fn drive(subject: &Subject, _: Effort) -> Result<Findings, MobilityError> {
    let geometry = &subject.geometry.steering;
    // to the place that is told
    let slower = (10.0 * PART_OF_TOP * top_speed(subject)?).floor() / 10.0;
    let speed = SPEED.min(slower).max(CRAWL);
    let curvature = ASKED * GRAVITY / (speed * speed);
    let neutral = atan(geometry.wheelbase * curvature) / geometry.max_steer;
    // steering brakes of tracks slip at first: no share of theirs goes with a curvature
    let most = if subject.spec.tracked().is_some() { 1.0 } else { neutral.min(1.0) };
    let steering = [[0.0, 0.0], [GROWS[0], 0.0], [GROWS[1], most]];
    let (fast, crawl) = rayon::join(
        || turned(subject, "cornering", speed, &steering),
        || turned(subject, "cornering_crawl", CRAWL, &steering),
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
    let held = Figure::new("lateral_acceleration", Some(most), "g");
    let held = held.on(format!("greatest held, {speed} m/s"));
    let note = match (rolled, lost) {
        (true, _) => "then it turned over".into(),
        (false, true) => format!("its speed falls to {slowest:.1} m/s"),
        (false, false) => String::new(),
    };
    let gradient = Figure::new("understeer_gradient", slope(&linear), "deg/g");
    let figures = vec![gradient.on(format!("{speed} m/s")), held.note(note)];
    let panel = Panel {
        title: format!("Steady cornering at {speed} m/s"),
        x: "lateral acceleration, g".into(),
        y: "δ - L/R, deg".into(),
        lines: vec![Line { name: "driven".into(), points, mark: Mark::Line }],
    };
    Ok(Findings { figures, panels: vec![panel], scenarios: vec![scenario] })
}

type Turned = (Scenario, Driven, Vec<[f64; 3]>);

/// Lateral acceleration, g, the angle atan(L/R), rad, and the speed, m/s, second by second.
fn turned(
    subject: &Subject,
    name: &str,
    speed: f64,
    steering: &[[f64; 2]],
) -> Result<Turned, MobilityError> {
    let wheelbase = subject.geometry.steering.wheelbase;
    let mut scenario = subject.scenario(name, GROWS[1], held_speed(speed, steering));
    scenario.vehicle[0].speed = speed;
    let mut samples: Vec<[f64; 3]> = Vec::new();
    let driven = subject.drive(&scenario, |sample| {
        if sample.time >= GROWS[0] {
            let yaw_rate = sample.angular_velocity.z;
            let lateral = sample.speed * yaw_rate / GRAVITY;
            let angle = atan(wheelbase * yaw_rate / sample.speed.max(0.1));
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

/// Slope of a straight line through points by least squares; none of fewer than three.
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
