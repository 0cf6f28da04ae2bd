//! Steady cornering: a held speed and slowly growing steering, after SAE J266 and ISO 4138.
//!
//! The understeer gradient is the slope of δ - L/R over the lateral acceleration. δ is the angle at
//! which the vehicle goes round as tightly at a crawl: linkages that are not linear, and tracks,
//! which slip as they turn, are so judged alike. L is the wheelbase, or the length of track on the
//! ground.

use super::findings::{Figure, Findings};
use super::subject::{Driven, Subject, held_speed};
use super::{Effort, MobilityError};
use crate::numeric::{GRAVITY, atan};
use crate::scenario::Scenario;
use crate::simulation::{Flow, OutcomeCode};
use crate::study::validation::{Line, Mark, Panel};

/// Speed that is held, m/s, and the crawl that it is laid beside.
const SPEED: f64 = 12.0;
const CRAWL: f64 = 1.5;
/// When the steering begins to grow and when it has grown, s.
const GROWS: [f64; 2] = [5.0, 65.0];
/// Lateral acceleration that the steering grows to, if the vehicle were neutral, g.
const ASKED: f64 = 1.0;
/// Between which lateral accelerations the gradient is taken, g.
const LINEAR: [f64; 2] = [0.05, 0.3];
/// Samples of which a mean is taken: a second.
const MEAN: usize = 100;

pub(super) fn drive(subject: &Subject, _: Effort) -> Result<Findings, MobilityError> {
    let geometry = &subject.geometry.steering;
    let curvature = ASKED * GRAVITY / (SPEED * SPEED);
    let neutral = atan(geometry.wheelbase * curvature) / geometry.max_steer;
    // steering brakes of tracks slip at first: no share of theirs goes with a curvature
    let most = if subject.spec.tracked().is_some() { 1.0 } else { neutral.min(1.0) };
    let steering = [[0.0, 0.0], [GROWS[0], 0.0], [GROWS[1], most]];
    let (fast, crawl) = rayon::join(
        || turned(subject, "cornering", SPEED, &steering),
        || turned(subject, "cornering_crawl", CRAWL, &steering),
    );
    let ((scenario, driven, fast), (.., crawl)) = (fast?, crawl?);
    let points: Vec<[f64; 2]> = fast
        .iter()
        .zip(&crawl)
        .map(|([lateral, angle], [_, asked])| [*lateral, (asked - angle).to_degrees()])
        .collect();
    let linear: Vec<[f64; 2]> =
        points.iter().copied().filter(|[g, _]| (LINEAR[0]..LINEAR[1]).contains(g)).collect();
    let most = points.iter().map(|[g, _]| *g).fold(0.0, f64::max);
    let rolled = driven.outcome.code == OutcomeCode::Overturned;
    let held = Figure::new("lateral_acceleration", Some(most), "g").on("greatest held, 12 m/s");
    let figures = vec![
        Figure::new("understeer_gradient", slope(&linear), "deg/g").on("12 m/s"),
        if rolled { held.note("then it turned over") } else { held },
    ];
    let panel = Panel {
        title: "Steady cornering at 12 m/s".into(),
        x: "lateral acceleration, g".into(),
        y: "δ - L/R, deg".into(),
        lines: vec![Line { name: "driven".into(), points, mark: Mark::Line }],
    };
    Ok(Findings { figures, panels: vec![panel], scenarios: vec![scenario] })
}

type Turned = (Scenario, Driven, Vec<[f64; 2]>);

/// Lateral acceleration, g, and the angle atan(L/R), rad, second by second.
fn turned(
    subject: &Subject,
    name: &str,
    speed: f64,
    steering: &[[f64; 2]],
) -> Result<Turned, MobilityError> {
    let wheelbase = subject.geometry.steering.wheelbase;
    let mut scenario = subject.scenario(name, GROWS[1], held_speed(speed, steering));
    scenario.vehicle[0].speed = speed;
    let mut samples: Vec<[f64; 2]> = Vec::new();
    let driven = subject.drive(&scenario, |sample| {
        if sample.time >= GROWS[0] {
            let yaw_rate = sample.angular_velocity.z;
            let lateral = sample.speed * yaw_rate / GRAVITY;
            samples.push([lateral, atan(wheelbase * yaw_rate / sample.speed.max(0.1))]);
        }
        Flow::Continue
    })?;
    let mean = |chunk: &[[f64; 2]]| {
        [0, 1].map(|k| chunk.iter().map(|own| own[k]).sum::<f64>() / chunk.len() as f64)
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
