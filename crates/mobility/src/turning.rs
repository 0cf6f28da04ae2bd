//! Wall-to-wall steering circle.
//!
//! A vehicle whose steering commands a yaw rate turns on the spot.

use super::findings::{EventMetric, Findings};
use super::subject::{Subject, constant_speed, table};
use super::{MobilityError, SearchEffort};
use bekker_agent::Sample;
use bekker_math::numeric::hypot;
use bekker_math::spatial::Vec3;
use bekker_ranks::Flow;
use bekker_scenario::Scenario;
use bekker_scenario::config::TableRow;
use bekker_vehicle::spec::VehicleFootprint;
use std::f64::consts::TAU;

/// Speed, m/s: a crawl with negligible slip angles.
const SPEED: f64 = 1.5;
/// Times at which full lock is reached and the circle starts to count, s.
const LOCK: f64 = 3.0;
const STEADY: f64 = 8.0;
/// Longest drive, s.
const LONGEST: f64 = 90.0;
/// Number of circles without slip for which a slower vehicle has time.
const CIRCLES: f64 = 3.0;

pub(super) fn drive(subject: &Subject, _: SearchEffort) -> Result<Findings, MobilityError> {
    let scenario = scenario(subject);
    let (mut turned, mut circle): (f64, Vec<Sample>) = (0.0, Vec::new());
    subject.drive(&scenario, |sample| {
        if sample.time < STEADY {
            return Flow::Continue;
        }
        turned += sample.angular_velocity.z * scenario.time.heartbeat;
        circle.push(sample.clone());
        if turned.abs() > TAU { Flow::Stop } else { Flow::Continue }
    })?;

    let closed = turned.abs() > TAU;
    let center = center(&circle);
    let geometry = &subject.geometry.steering;
    // the outermost corner of an articulated vehicle is that of its front frame
    let whole = subject.geometry.footprint;
    let rear = geometry.articulated.map_or(whole.rear, |own| own.joint);
    let footprint = VehicleFootprint { rear, ..whole };
    let corners = circle.iter().flat_map(|sample| footprint.corners(&sample.pose));
    let reach = |[x, y]: [f64; 2]| hypot(x - center.x, y - center.y);
    let walls = corners.map(reach).fold(0.0, f64::max);

    let front = footprint.front - geometry.rear_axle;
    let (formula, radius) = match (geometry.articulated, geometry.skid) {
        (Some(_), _) => ("√(((f cos γ + r)/sin γ + w/2)² + l²)", geometry.min_radius()),
        (None, Some(_)) => ("on the spot: √((w/2)² + l²)", 0.0),
        (None, None) => ("√((L/tan δ + w/2)² + l²)", geometry.min_radius()),
    };
    let closed_form = hypot(front, radius + 0.5 * footprint.width);
    let metric = EventMetric::new("turning_radius", closed.then_some(walls), "m")
        .with_closed_form(formula, closed_form)
        .with_published(&subject.model);
    let metric = match (closed, &geometry.trailer) {
        (false, _) => metric.with_note("no full circle"),
        (true, Some(_)) => metric.with_note("closed form for the tractor only"),
        (true, None) => metric,
    };
    Ok(Findings { figures: vec![metric], panels: vec![], scenarios: vec![scenario] })
}

fn scenario(subject: &Subject) -> Scenario {
    let geometry = &subject.geometry.steering;
    let steering = [[0.0, 0.0], [1.0, 0.0], [LOCK, 1.0]];
    let speed = subject.test_speed(SPEED);
    let (driver, longest) = match geometry.skid {
        Some(_) => {
            let row =
                |[time, steering]: [f64; 2]| TableRow { time, steering, ..TableRow::default() };
            (table(&steering.map(row)), LONGEST)
        }
        None if speed < SPEED => {
            let circle = TAU * geometry.min_radius() / speed;
            (constant_speed(speed, &steering), LONGEST.max(STEADY + CIRCLES * circle).ceil())
        }
        None => (constant_speed(speed, &steering), LONGEST),
    };
    let mut scenario = subject.scenario("turning", longest, driver);
    scenario.endings.immobilized = false;
    scenario
}

/// Returns the mean of the instantaneous centers of rotation.
fn center(circle: &[Sample]) -> Vec3 {
    let instantaneous = |sample: &Sample| {
        let yaw_rate = sample.angular_velocity.z;
        sample.pose.position + Vec3::z().cross(&sample.velocity) / yaw_rate
    };
    circle.iter().map(instantaneous).sum::<Vec3>() / circle.len().max(1) as f64
}
