//! Steady cornering: a held speed and slowly growing steering, after SAE J266 and ISO 4138.
//!
//! The understeer gradient is the slope of the mean road wheel angle less Ackermann's L/R over the
//! lateral acceleration. A tracked vehicle is taken as one with an axle under the middle of its
//! tracks ([`SteeringGeometry::of_tracks`]).
//!
//! [`SteeringGeometry::of_tracks`]: crate::vehicle::driver::SteeringGeometry::of_tracks

use super::findings::{Figure, Findings};
use super::subject::{Subject, held_speed};
use super::{Effort, MobilityError};
use crate::numeric::{GRAVITY, atan};
use crate::simulation::{Flow, OutcomeCode};
use crate::study::validation::{Line, Mark, Panel};

/// Speed that is held, m/s.
const SPEED: f64 = 12.0;
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
    let most = (atan(geometry.wheelbase * curvature) / geometry.max_steer).min(1.0);
    let steering = [[0.0, 0.0], [GROWS[0], 0.0], [GROWS[1], most]];
    let mut scenario = subject.scenario("cornering", GROWS[1], held_speed(SPEED, &steering));
    scenario.vehicle[0].speed = SPEED;
    let mut samples: Vec<[f64; 3]> = Vec::new();
    let driven = subject.drive(&scenario, |sample| {
        if sample.time >= GROWS[0] {
            let lateral = sample.speed * sample.angular_velocity.z / GRAVITY;
            let angle = sample.controls.steering * geometry.max_steer;
            let excess =
                angle - atan(geometry.wheelbase * sample.angular_velocity.z / sample.speed);
            samples.push([lateral, excess.to_degrees(), sample.speed]);
        }
        Flow::Continue
    })?;

    let mean = |chunk: &[[f64; 3]], k: usize| {
        chunk.iter().map(|own| own[k]).sum::<f64>() / chunk.len() as f64
    };
    let points: Vec<[f64; 2]> =
        samples.chunks(MEAN).map(|chunk| [mean(chunk, 0), mean(chunk, 1)]).collect();
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
        let line: Vec<[f64; 2]> =
            (0..9).map(|n| f64::from(n)).map(|x| [x, 3.0 - 0.5 * x]).collect();
        assert!((slope(&line).unwrap() + 0.5).abs() < 1e-12);
        assert_eq!(slope(&line[..2]), None);
    }
}
