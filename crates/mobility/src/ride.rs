//! Ride-limited speed: the speed at which the driver absorbs 6 W.

use super::event_scale::speed_label;
use super::findings::{EventMetric, Findings, simulated_on};
use super::subject::{KMH, ROAD, Subject, straight_path};
use super::{MobilityError, SearchEffort, threshold};
use crate::absorbed_power;
use bekker_agent::Sample;
use bekker_ground::terrain::RoughnessClass;
use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::Vec3;
use bekker_ranks::Flow;
use bekker_rig::InParallel;
use bekker_rig::{LineStyle, PlotLine, PlotPanel};
use bekker_scenario::Scenario;
use bekker_scenario::config::RoughnessConfig;

/// Absorbed power that a driver tolerates, W.
pub(super) const LIMIT: f64 = 6.0;
/// Classes of ISO 8608; only the first in quick runs.
const CLASSES: [(RoughnessConfig, RoughnessClass, &str); 4] = [
    (RoughnessConfig::E, RoughnessClass::E, "E"),
    (RoughnessConfig::D, RoughnessClass::D, "D"),
    (RoughnessConfig::F, RoughnessClass::F, "F"),
    (RoughnessConfig::G, RoughnessClass::G, "G"),
];
/// Range of speeds, km/h, and the resolution of the limit.
const SPEEDS: [f64; 2] = [4.0, 100.0];
const WIDTH: f64 = 1.0;
/// Run-up time, s, then the evaluated distance, m, and its least and greatest duration, s.
const RUN_UP: f64 = 2.0;
const WAY: f64 = 80.0;
const EVALUATED: [f64; 2] = [8.0, 120.0];
/// Fraction of a speed that counts as held, duration of the drive, s, and of its final window, s.
const HELD: f64 = 0.95;
const LONG: f64 = 40.0;
const SETTLED: f64 = 5.0;
/// Time step and heartbeat, s; accelerations are sampled at each heartbeat.
pub(super) const STEP: f64 = 0.002;
pub(super) const HEARTBEAT: f64 = 0.004;
/// Longest wave of the root mean square, m (60 ft), and the shortest of the standard, m.
const WAVES: [f64; 2] = [18.288, 1.0 / 2.83];
/// Reference spatial frequency of the classes, cycles/m.
const REFERENCE: f64 = 0.1;

pub(super) fn drive(subject: &Subject, effort: SearchEffort) -> Result<Findings, MobilityError> {
    let found = effort.some(&CLASSES).in_parallel(|class| -> Result<_, MobilityError> {
        let range = subject.speed_range(SPEEDS, WIDTH);
        let limit = threshold(range.ends, effort.width(range.width), |kmh| {
            Ok::<_, MobilityError>(power(subject, class.0, kmh)? <= LIMIT)
        })?;
        let held = limit.passed.map(|kmh| final_speed(subject, class.0, kmh)).transpose()?;
        Ok((class, range, limit, held.flatten()))
    });
    let mut findings = Findings::default();
    let mut points = Vec::new();
    for ((class, density, name), range, limit, held) in found.collect::<Result<Vec<_>, _>>()? {
        let rms = root_mean_square(*density);
        // the vehicle starts at the speed that passed, but may not be able to hold it
        let slower = limit.passed.zip(held).filter(|(kmh, held)| *held < HELD * kmh);
        let ridden = slower.map(|(_, held)| held).or(limit.passed);
        let metric = EventMetric::new("ride_speed", ridden, "km/h")
            .with_condition(format!("class {name}, {:.0} mm rms", 1e3 * rms));
        findings.figures.push(match (limit.passed, limit.failed) {
            _ if slower.is_some() => {
                metric.with_note("below 6 W at the highest speed that it holds")
            }
            (None, _) => metric.with_note("above 6 W at the lowest speed tried"),
            (_, None) => metric.with_note(range.greatest_note()),
            _ => metric,
        });
        points.extend(ridden.map(|kmh| [1e3 * rms, kmh]));
        let trials = [limit.passed, limit.failed].into_iter().flatten();
        findings.scenarios.extend(trials.map(|kmh| scenario(subject, *class, kmh)));
    }
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    findings.panels.push(PlotPanel {
        title: "Speed at 6 W absorbed power".into(),
        x: "roughness, mm rms of waves to 18.3 m".into(),
        y: "speed, km/h".into(),
        lines: vec![PlotLine { name: simulated_on(ROAD), points, mark: LineStyle::MarkedLine }],
    });
    Ok(findings)
}

/// Finds the speed at which the driver absorbs 6 W over a class of roughness on a firm road, m/s.
///
/// It does not depend on whether the vehicle holds this speed by itself or only downhill. The
/// result is the slowest trial speed if even that exceeds the limit, and infinite if the fastest
/// does not.
///
/// # Errors
/// [`MobilityError`] when a scenario is refused or a trial has no result.
pub fn ride_speed(subject: &Subject, class: RoughnessConfig) -> Result<f64, MobilityError> {
    let range = subject.speed_range(SPEEDS, WIDTH);
    let limit = threshold(range.ends, range.width, |kmh| {
        Ok::<_, MobilityError>(power(subject, class, kmh)? <= LIMIT)
    })?;
    Ok(match limit.failed {
        Some(_) => limit.passed.unwrap_or(range.ends[0]) * KMH,
        None => f64::INFINITY,
    })
}

/// Returns the root mean square height of a class over the waves, m: the integral of G(n0) (n0/n)².
fn root_mean_square(class: RoughnessClass) -> f64 {
    (class.density() * REFERENCE * REFERENCE * (WAVES[0] - WAVES[1])).sqrt()
}

fn scenario(subject: &Subject, class: RoughnessConfig, kmh: f64) -> Scenario {
    let speed = kmh * KMH;
    let duration = (RUN_UP + (WAY / speed).clamp(EVALUATED[0], EVALUATED[1])).ceil();
    let name = format!("ride_{class:?}_{}", speed_label(kmh)).to_lowercase();
    let driver = straight_path(speed, speed * duration);
    let mut scenario = subject.scenario(&name, duration, driver);
    scenario.time.step = STEP;
    scenario.time.heartbeat = HEARTBEAT;
    scenario.terrain.roughness = Some(class);
    scenario.vehicle[0].speed = speed;
    scenario
}

/// Returns the absorbed power of the driver, W; infinite if the vehicle does not complete the
/// drive.
fn power(subject: &Subject, class: RoughnessConfig, kmh: f64) -> Result<f64, MobilityError> {
    let scenario = scenario(subject, class, kmh);
    let mut recorder = RideRecorder::new(subject);
    let driven = subject.drive(&scenario, |sample| {
        recorder.record(sample);
        Flow::Continue
    })?;
    let counted = recorder.after(RUN_UP);
    let whole = driven.summary.driving_time > scenario.time.duration - 1e-6;
    let power = absorbed_power(&counted, 1.0 / HEARTBEAT).filter(|_| whole);
    Ok(power.unwrap_or(f64::INFINITY))
}

/// Returns the mean speed at the end of a long drive that starts at a set speed, km/h.
///
/// `None` if the drive ends early.
fn final_speed(
    subject: &Subject,
    class: RoughnessConfig,
    kmh: f64,
) -> Result<Option<f64>, MobilityError> {
    let mut scenario = scenario(subject, class, kmh);
    scenario.time.duration = LONG;
    scenario.vehicle[0].driver = straight_path(kmh * KMH, kmh * KMH * LONG);
    let (mut sum, mut count) = (0.0, 0_u32);
    subject.drive(&scenario, |sample| {
        if sample.time > LONG - SETTLED {
            (sum, count) = (sum + sample.speed, count + 1);
        }
        Flow::Continue
    })?;
    Ok((count > 0).then(|| sum / f64::from(count) / KMH))
}

/// Recorder of the vertical acceleration at the driver.
pub(super) struct RideRecorder {
    seat: Vec3,
    before: Option<f64>,
    times: Vec<f64>,
    /// Accelerations, m/s².
    pub accelerations: Vec<f64>,
}

impl RideRecorder {
    pub fn new(subject: &Subject) -> RideRecorder {
        let seat = subject.geometry.driver;
        RideRecorder { seat, before: None, times: Vec::new(), accelerations: Vec::new() }
    }

    /// Processes the next heartbeat.
    pub fn record(&mut self, sample: &Sample) {
        let turning = sample.pose.direction(&sample.angular_velocity.cross(&self.seat));
        let rising = sample.velocity.z + turning.z;
        if let Some(before) = self.before {
            self.times.push(sample.time);
            self.accelerations.push((rising - before) / HEARTBEAT);
        }
        self.before = Some(rising);
    }

    /// Returns the accelerations after a time, s.
    fn after(&self, time: f64) -> Vec<f64> {
        let from = self.times.partition_point(|own| *own < time);
        self.accelerations[from..].to_vec()
    }

    /// Returns the greatest magnitude of accelerations, g.
    pub fn peak(accelerations: &[f64]) -> f64 {
        accelerations.iter().map(|own| own.abs()).fold(0.0, f64::max) / GRAVITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integral of G(n) dn over the waves by the trapezoidal rule in 100 000 steps.
    #[test]
    fn the_root_mean_square_is_the_integral() {
        let class = RoughnessClass::D;
        let density = |n: f64| class.density() * (REFERENCE / n) * (REFERENCE / n);
        let (low, high, steps) = (1.0 / WAVES[0], 1.0 / WAVES[1], 100_000_u32);
        let h = (high - low) / f64::from(steps);
        let inner: f64 = (1..steps).map(|k| density(low + h * f64::from(k))).sum();
        let sum = h * (inner + 0.5 * (density(low) + density(high)));
        // the error of the rule is h²/12 times the difference of the slopes: a relative 1e-9
        assert!((sum.sqrt() / root_mean_square(class) - 1.0).abs() < 1e-6);
    }
}
