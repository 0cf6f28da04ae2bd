//! Half-round and ridge tests: the speed at which one exposes the driver to 2.5 g.

use super::event_scale::speed_label;
use super::findings::{EventMetric, Findings, simulated_on};
use super::ride::{HEARTBEAT, RideRecorder, STEP};
use super::subject::{KMH, ROAD, Subject, straight_path};
use super::{MobilityError, SearchEffort, threshold};
use bekker_math::numeric::tan;
use bekker_ranks::Flow;
use bekker_rig::InParallel;
use bekker_rig::{LineStyle, PlotLine, PlotPanel};
use bekker_scenario::Scenario;
use bekker_scenario::config::{Face, StampConfig};
use std::f64::consts::PI;

/// Vertical acceleration that a driver tolerates, g; from memory.
const LIMIT: f64 = 2.5;
/// Radii of the half-rounds, m: 10, 6, 8 and 12 inches; only the first in quick runs.
const RADII: [f64; 4] = [0.254, 0.1524, 0.2032, 0.3048];
/// Range of speeds, km/h, and the resolution of the limit.
const SPEEDS: [f64; 2] = [3.0, 80.0];
const WIDTH: f64 = 1.0;
/// Position of the half-round, and the length of the drive beyond it, m.
const PLACE: f64 = 15.0;
const BEYOND: f64 = 15.0;
/// Length of the row of ridges beyond the first, m.
const ROW: f64 = 20.0;
/// Corner frequency of the filter, Hz.
const CORNER: f64 = 30.0;

pub(super) fn drive(subject: &Subject, effort: SearchEffort) -> Result<Findings, MobilityError> {
    let radii = RADII.map(|radius| subject.wheel_scale() * radius);
    let found = effort.some(&radii).in_parallel(|&radius| -> Result<_, MobilityError> {
        let bumps = Bumps::half_round(subject, radius);
        let range = subject.speed_range(SPEEDS, WIDTH);
        let limit = threshold(range.ends, effort.width(range.width), |kmh| {
            Ok::<_, MobilityError>(bumps.shock(subject, kmh)? <= LIMIT)
        })?;
        Ok((radius, range, limit))
    });
    let mut findings = Findings::default();
    let mut points = Vec::new();
    for (radius, range, limit) in found.collect::<Result<Vec<_>, _>>()? {
        let metric = EventMetric::new("half_round_speed", limit.passed, "km/h")
            .with_condition(format!("{:.0} cm", 100.0 * radius));
        findings.figures.push(match (limit.passed, limit.failed) {
            (None, _) => metric.with_note("above 2.5 g, or stuck, at the lowest speed tried"),
            (_, None) => metric.with_note(range.greatest_note()),
            _ => metric,
        });
        points.extend(limit.passed.map(|kmh| [100.0 * radius, kmh]));
        let trials = [limit.passed, limit.failed].into_iter().flatten();
        let bumps = Bumps::half_round(subject, radius);
        findings.scenarios.extend(trials.map(|kmh| bumps.scenario(subject, kmh)));
    }
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    findings.panels.push(PlotPanel {
        title: "Speed at 2.5 g over half-rounds".into(),
        x: "radius, cm".into(),
        y: "speed, km/h".into(),
        lines: vec![PlotLine { name: simulated_on(ROAD), points, mark: LineStyle::MarkedLine }],
    });
    Ok(findings)
}

/// Finds the speed at which ridges across a firm road expose the driver to 2.5 g, m/s.
///
/// `ridge` returns a ridge across the x axis at a position, m; ridges are `spacing` apart. The
/// result is 0 if the slowest speed exceeds the limit or the vehicle does not cross, and infinite
/// if the fastest stays below it.
///
/// # Errors
/// [`MobilityError`] when a scenario is refused or a trial has no result.
pub fn shock_speed(
    subject: &Subject,
    spacing: f64,
    ridge: impl Fn(f64) -> StampConfig,
) -> Result<f64, MobilityError> {
    let places: Vec<f64> =
        (0..=(ROW / spacing) as u32).map(|n| PLACE + f64::from(n) * spacing).collect();
    let bumps = Bumps {
        name: "ridges".into(),
        last: places.iter().copied().fold(PLACE, f64::max),
        stamps: places.into_iter().map(ridge).collect(),
    };
    let range = subject.speed_range(SPEEDS, WIDTH);
    let limit = threshold(range.ends, range.width, |kmh| match bumps.shock(subject, kmh) {
        // a state that is no longer finite counts as failed
        Err(MobilityError::Failed { .. }) => Ok(false),
        shock => shock.map(|shock| shock <= LIMIT),
    })?;
    Ok(match limit.failed {
        Some(_) => limit.passed.map_or(0.0, |kmh| kmh * KMH),
        None => f64::INFINITY,
    })
}

/// Obstacles across the path.
struct Bumps {
    /// Prefix of the scenario names.
    name: String,
    stamps: Vec<StampConfig>,
    /// Position of the last obstacle, m.
    last: f64,
}

impl Bumps {
    fn half_round(subject: &Subject, radius: f64) -> Bumps {
        let place = subject.test_distance(PLACE);
        let stamp = StampConfig::Ridge {
            from: [place, -20.0],
            to: [place, 20.0],
            width: 2.0 * radius,
            height: radius,
            edge: Some(radius),
            face: Face::Round,
        };
        let name = format!("half_round_{:.0}", 100.0 * radius);
        Bumps { name, stamps: vec![stamp], last: place }
    }

    fn scenario(&self, subject: &Subject, kmh: f64) -> Scenario {
        let speed = kmh * KMH;
        let way = self.last + subject.geometry.length() + subject.test_distance(BEYOND);
        let name = format!("{}_{}", self.name, speed_label(kmh));
        let duration = (way / speed + 2.0).ceil();
        let mut scenario = subject.scenario(&name, duration, straight_path(speed, way));
        scenario.time.step = STEP;
        scenario.time.heartbeat = HEARTBEAT;
        scenario.vehicle[0].speed = speed;
        scenario.terrain.stamp.extend(self.stamps.iter().cloned());
        scenario
    }

    /// Returns the greatest filtered acceleration of the driver, g; infinite if the vehicle does
    /// not cross.
    fn shock(&self, subject: &Subject, kmh: f64) -> Result<f64, MobilityError> {
        let scenario = self.scenario(subject, kmh);
        let mut recorder = RideRecorder::new(subject);
        let end = self.last - subject.geometry.footprint.rear + 0.5 * subject.test_distance(BEYOND);
        let mut over = false;
        subject.drive(&scenario, |sample| {
            recorder.record(sample);
            over = sample.pose.position.x > end;
            if over { Flow::Stop } else { Flow::Continue }
        })?;
        let filtered = low_pass(&recorder.accelerations, CORNER, 1.0 / HEARTBEAT);
        Ok(if over { RideRecorder::peak(&filtered) } else { f64::INFINITY })
    }
}

/// Applies a fourth-order Butterworth low-pass.
///
/// It consists of two second-order sections by the bilinear transformation, prewarped to the
/// `corner`, Hz. Samples are at `rate`, Hz.
fn low_pass(samples: &[f64], corner: f64, rate: f64) -> Vec<f64> {
    let k = tan(PI * corner / rate);
    // twice the cosines of the pole angles, 22.5 and 67.5 degrees
    let dampings = [1.847_759_065_022_573_5, 0.765_366_864_730_179_6];
    dampings.iter().fold(samples.to_vec(), |samples, damping| {
        let norm = 1.0 + damping * k + k * k;
        let gain = k * k / norm;
        let back = [2.0 * (k * k - 1.0) / norm, (1.0 - damping * k + k * k) / norm];
        let mut held = [0.0; 2];
        let pass = |sample: &f64| {
            let result = gain * sample + held[0];
            held = [
                2.0 * gain * sample - back[0] * result + held[1],
                gain * sample - back[1] * result,
            ];
            result
        };
        samples.iter().map(pass).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::sin;

    /// Returns the amplitude of a unit sine after filtering.
    fn left(frequency: f64) -> f64 {
        let sine: Vec<f64> =
            (0..2500).map(|n| sin(2.0 * PI * frequency * f64::from(n) / 250.0)).collect();
        let filtered = low_pass(&sine, 30.0, 250.0);
        let settled = &filtered[1250..];
        (2.0 * settled.iter().map(|x| x * x).sum::<f64>() / settled.len() as f64).sqrt()
    }

    #[test]
    fn lets_slow_through_halves_the_power_at_the_corner_and_stops_fast() {
        // whole periods in the window: the remaining transient is far below 1e-4
        assert!((left(2.0) - 1.0).abs() < 1e-4);
        assert!((left(30.0) - 0.5_f64.sqrt()).abs() < 1e-4);
        // 1/√(1 + r⁸), with r the ratio of the warped frequencies
        let ratio = tan(PI * 90.0 / 250.0) / tan(PI * 30.0 / 250.0);
        let closed = 1.0 / (1.0 + ratio.powi(8)).sqrt();
        assert!((left(90.0) - closed).abs() < 1e-4);
    }
}
