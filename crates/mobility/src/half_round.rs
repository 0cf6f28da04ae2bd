//! Half-rounds and ridges: the speed at which one shakes the driver with 2.5 g.

use super::findings::{Figure, Findings};
use super::ride::{Felt, HEARTBEAT, STEP};
use super::subject::{KMH, Subject, along_x};
use super::{Effort, MobilityError, threshold};
use bekker_math::numeric::tan;
use bekker_ranks::Flow;
use bekker_rig::InParallel;
use bekker_rig::{Line, Mark, Panel};
use bekker_scenario::Scenario;
use bekker_scenario::config::{Face, Stamp};
use std::f64::consts::PI;

/// What a driver puts up with, g; from memory.
const LIMIT: f64 = 2.5;
/// Radii of the half-rounds, m: 10, 6, 8 and 12 inches; the first alone where it is to be quick.
const RADII: [f64; 4] = [0.254, 0.1524, 0.2032, 0.3048];
/// Speeds that are tried, km/h, and how closely.
const SPEEDS: [f64; 2] = [3.0, 80.0];
const WIDTH: f64 = 1.0;
/// Where it lies, and how far beyond a drive goes, m.
const PLACE: f64 = 15.0;
const BEYOND: f64 = 15.0;
/// How far on from the first of a row of ridges others are driven over, m.
const ROW: f64 = 20.0;
/// Corner of the filter, Hz.
const CORNER: f64 = 30.0;

pub(super) fn drive(subject: &Subject, effort: Effort) -> Result<Findings, MobilityError> {
    let found = effort.some(&RADII).in_parallel(|&radius| -> Result<_, MobilityError> {
        let bumps = Bumps::half_round(radius);
        let limit = threshold(SPEEDS, effort.width(WIDTH), |kmh| {
            Ok::<_, MobilityError>(bumps.shock(subject, kmh)? <= LIMIT)
        })?;
        Ok((radius, limit))
    });
    let mut findings = Findings::default();
    let mut points = Vec::new();
    for (radius, limit) in found.collect::<Result<Vec<_>, _>>()? {
        let figure = Figure::new("half_round_speed", limit.passed, "km/h")
            .on(format!("{:.0} cm", 100.0 * radius));
        findings.figures.push(match (limit.passed, limit.failed) {
            (None, _) => figure.note("more than 2.5 g, or stuck, at the slowest speed tried"),
            (_, None) => figure.note("the fastest that was tried"),
            _ => figure,
        });
        points.extend(limit.passed.map(|kmh| [100.0 * radius, kmh]));
        let trials = [limit.passed, limit.failed].into_iter().flatten();
        let bumps = Bumps::half_round(radius);
        findings.scenarios.extend(trials.map(|kmh| bumps.scenario(subject, kmh)));
    }
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    findings.panels.push(Panel {
        title: "Speed at 2.5 g over half-rounds".into(),
        x: "radius, cm".into(),
        y: "speed, km/h".into(),
        lines: vec![Line { name: "driven".into(), points, mark: Mark::Line }],
    });
    Ok(findings)
}

/// Speed at which ridges across a firm road shake the driver with 2.5 g, m/s: 0 where the slowest that is
/// tried shakes him with more or does not get over, without bound where the fastest does not. `ridge` is
/// one across the x axis so far along it, m, and the next comes `spacing` behind it.
///
/// # Errors
/// [`MobilityError`] when a scenario is refused or a trial has no result.
pub fn shock_speed(
    subject: &Subject,
    spacing: f64,
    ridge: impl Fn(f64) -> Stamp,
) -> Result<f64, MobilityError> {
    let places: Vec<f64> =
        (0..=(ROW / spacing) as u32).map(|n| PLACE + f64::from(n) * spacing).collect();
    let bumps = Bumps {
        name: "ridges".into(),
        last: places.iter().copied().fold(PLACE, f64::max),
        stamps: places.into_iter().map(ridge).collect(),
    };
    let limit = threshold(SPEEDS, WIDTH, |kmh| match bumps.shock(subject, kmh) {
        // thrown to no finite state: nobody drives over it so
        Err(MobilityError::Failed { .. }) => Ok(false),
        shock => shock.map(|shock| shock <= LIMIT),
    })?;
    Ok(match limit.failed {
        Some(_) => limit.passed.map_or(0.0, |kmh| kmh * KMH),
        None => f64::INFINITY,
    })
}

/// What shakes, across the way.
struct Bumps {
    /// The first part of the names of its scenarios.
    name: String,
    stamps: Vec<Stamp>,
    /// Where the last lies, m.
    last: f64,
}

impl Bumps {
    fn half_round(radius: f64) -> Bumps {
        let stamp = Stamp::Ridge {
            from: [PLACE, -20.0],
            to: [PLACE, 20.0],
            width: 2.0 * radius,
            height: radius,
            edge: Some(radius),
            face: Face::Round,
        };
        let name = format!("half_round_{:.0}", 100.0 * radius);
        Bumps { name, stamps: vec![stamp], last: PLACE }
    }

    fn scenario(&self, subject: &Subject, kmh: f64) -> Scenario {
        let speed = kmh * KMH;
        let way = self.last + subject.geometry.length() + BEYOND;
        let name = format!("{}_{kmh:.1}", self.name);
        let duration = (way / speed + 2.0).ceil();
        let mut scenario = subject.scenario(&name, duration, along_x(speed, way));
        scenario.time.step = STEP;
        scenario.time.heartbeat = HEARTBEAT;
        scenario.vehicle[0].speed = speed;
        scenario.terrain.stamp.extend(self.stamps.iter().cloned());
        scenario
    }

    /// Greatest filtered acceleration of the driver, g; without bound of a vehicle that does not get
    /// over.
    fn shock(&self, subject: &Subject, kmh: f64) -> Result<f64, MobilityError> {
        let scenario = self.scenario(subject, kmh);
        let mut felt = Felt::new(subject);
        let end = self.last - subject.geometry.footprint.rear + 0.5 * BEYOND;
        let mut over = false;
        subject.drive(&scenario, |sample| {
            felt.feel(sample);
            over = sample.pose.position.x > end;
            if over { Flow::Stop } else { Flow::Continue }
        })?;
        let filtered = low_pass(&felt.accelerations, CORNER, 1.0 / HEARTBEAT);
        Ok(if over { Felt::peak(&filtered) } else { f64::INFINITY })
    }
}

/// A Butterworth low-pass of the fourth order with this corner, Hz, over samples at this rate, Hz:
/// two sections of the second order by the bilinear transformation, warped to the corner.
fn low_pass(samples: &[f64], corner: f64, rate: f64) -> Vec<f64> {
    let k = tan(PI * corner / rate);
    // twice the cosines of the poles' angles, 22.5 and 67.5 degrees
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

    /// The amplitude that is left of a sine.
    fn left(frequency: f64) -> f64 {
        let sine: Vec<f64> =
            (0..2500).map(|n| sin(2.0 * PI * frequency * f64::from(n) / 250.0)).collect();
        let filtered = low_pass(&sine, 30.0, 250.0);
        let settled = &filtered[1250..];
        (2.0 * settled.iter().map(|x| x * x).sum::<f64>() / settled.len() as f64).sqrt()
    }

    #[test]
    fn lets_slow_through_halves_the_power_at_the_corner_and_stops_fast() {
        // whole periods in what is looked at: what is left of the transient is far below 1e-4
        assert!((left(2.0) - 1.0).abs() < 1e-4);
        assert!((left(30.0) - 0.5_f64.sqrt()).abs() < 1e-4);
        // 1/√(1 + r⁸), r the ratio of the warped frequencies
        let ratio = tan(PI * 90.0 / 250.0) / tan(PI * 30.0 / 250.0);
        let closed = 1.0 / (1.0 + ratio.powi(8)).sqrt();
        assert!((left(90.0) - closed).abs() < 1e-4);
    }
}
