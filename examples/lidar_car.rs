//! A car that drives between barriers by lidar, without a map of the course.
//!
//! The car divides the lidar points into the barriers on its left and right, and steers to the
//! middle between them with a PID controller. This repeats the demonstration of Elmquist et al., "A
//! Sensor Simulation Framework for Training and Testing Robots and Autonomous Vehicles" (2021).
//!
//! `cargo run --release --example lidar_car`

use bekker::prelude::*;
use bekker::sensor::lidar::Cloud;
use std::convert::Infallible;
use std::fmt::Write;
use std::path::Path;

/// Length of the two straights and radius of the two bends of the lane's center line, m.
const COURSE: [f64; 2] = [30.0, 14.0];
/// Distance of the barriers from the center line of the lane, m.
const HALF_LANE: f64 = 3.0;
/// Length of a barrier element with its joint, m.
const STRETCH: f64 = 3.1;
/// Height of the lidar above the ground, m.
const EYE: f64 = 1.4;
/// Target speed, m/s.
const SPEED: f64 = 4.0;

const CAR: &str = r#"
format = 1
name = "lidar_car"
time = { duration = 60 }
soil = { default = "firm" }
[endings]
collision = "stop"
[[vehicle]]
name = "car"
model = "mrzr4"
position = [0, -14]
driver = { kind = "hold" }
sensor = [
    { name = "lidar", model = { kind = "lidar", rays = "one", max_range = 30 }, position = [0.2, 0, 1.0] },
    { name = "odometry", model = { kind = "odometry" } },
]
"#;

/// Returns the scenario: two straights and two bends between barriers.
pub fn scenario() -> String {
    let mut text = CAR.to_owned();
    let [straight, radius] = COURSE;
    for side in [-HALF_LANE, HALF_LANE] {
        let bend = std::f64::consts::PI * (radius + side);
        let length = 2.0 * (straight + bend);
        let count = (length / STRETCH).floor();
        for k in 0..count as u32 {
            let along = length * f64::from(k) / count;
            let ([x, y], heading) = on_course(along, side);
            // writing to a string cannot fail
            let _ = write!(
                text,
                "[[scenery]]\nkind = \"barrier\"\nplaces = [[{x:?}, {y:?}]]\nheading_deg = {:?}\n",
                heading.to_degrees()
            );
        }
    }
    text
}

/// Returns a point of the line at a distance `side`, m, outside the center line, and its heading.
///
/// `along` is the distance along that line, m. The point is in m, the heading in rad.
fn on_course(along: f64, side: f64) -> ([f64; 2], f64) {
    let [straight, radius] = COURSE;
    let radius = radius + side;
    let bend = std::f64::consts::PI * radius;
    let round = |x: f64, angle: f64| [x + radius * angle.sin(), -radius * angle.cos()];
    let half = 0.5 * straight;
    match along {
        s if s < straight => ([s - half, -radius], 0.0),
        s if s < straight + bend => {
            let angle = (s - straight) / radius;
            (round(half, angle), angle)
        }
        s if s < 2.0 * straight + bend => {
            ([half - (s - straight - bend), radius], std::f64::consts::PI)
        }
        s => {
            let angle = std::f64::consts::PI + (s - 2.0 * straight - bend) / radius;
            // the west bend has the other center
            let [x, y] = round(-half, angle);
            ([x, y], angle - 2.0 * std::f64::consts::PI)
        }
    }
}

/// Driver that steers to the middle between two barriers.
#[derive(Default)]
pub struct BetweenBarriers {
    /// Bearing of the middle, rad, and its integral, rad s.
    bearing: f64,
    sum: f64,
    /// Derivative of the bearing, rad/s.
    change: f64,
    speed: f64,
}

impl BetweenBarriers {
    /// Updates the bearing of the point between the left and the right cluster of a scan.
    fn look(&mut self, cloud: &Cloud) {
        // points ahead of the car, up to 12 m away and above the ground
        let mut seen: Vec<[f64; 2]> = cloud
            .returns
            .iter()
            .map(|found| found.point.map(f64::from))
            .filter(|[x, y, z]| *z > 0.3 - EYE && *x > 0.5 && x.hypot(*y) < 12.0)
            .map(|[x, y, _]| [x, y])
            .collect();
        seen.sort_by(|a, b| a[1].atan2(a[0]).total_cmp(&b[1].atan2(b[0])));
        // two clusters, divided at the widest gap between neighbors
        let gap = |k: usize| (seen[k][0] - seen[k - 1][0]).hypot(seen[k][1] - seen[k - 1][1]);
        let widest = (1..seen.len()).max_by(|&a, &b| gap(a).total_cmp(&gap(b)));
        let Some(split) = widest else { return };
        let (right, left) = seen.split_at(split);
        let center = |points: &[[f64; 2]]| {
            let count = points.len() as f64;
            [0, 1].map(|axis| points.iter().map(|p| p[axis]).sum::<f64>() / count)
        };
        let ([lx, ly], [rx, ry]) = (center(left), center(right));
        let bearing = (0.5 * (ly + ry)).atan2(0.5 * (lx + rx));
        self.change = (bearing - self.bearing) / 0.1;
        self.sum = (self.sum + 0.1 * bearing).clamp(-0.5, 0.5);
        self.bearing = bearing;
    }
}

impl ExternalDriver for BetweenBarriers {
    fn command(&mut self, perception: &Perception<'_>) -> Option<Command> {
        for measured in perception.measurements() {
            match measured.reading {
                Reading::Cloud(cloud) => self.look(cloud),
                Reading::Odometry(own) => self.speed = own.velocity.x,
                _ => {}
            }
        }
        let steering =
            SteeringCommand::Angle(0.9 * self.bearing + 0.1 * self.sum + 0.05 * self.change);
        let pedals = 0.3 + 0.25 * (SPEED - self.speed);
        let (throttle, brake) = (pedals.clamp(0.0, 1.0), (-pedals).clamp(0.0, 1.0));
        Some(Command { throttle, brake, steering, gear: Selector::Drive, ..Command::default() })
    }
}

/// Observer that prints the car's position and counts turns about the center of the course.
#[derive(Default)]
pub struct Lap {
    /// Present angle about the center of the course, rad.
    angle: Option<f64>,
    /// Number of turns.
    pub turns: f64,
    silent: bool,
}

impl Lap {
    /// Creates an observer that prints nothing.
    pub fn silent() -> Lap {
        Lap { silent: true, ..Lap::default() }
    }
}

impl Observer<Infallible> for Lap {
    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, Infallible> {
        let Some([car]) = moment.samples() else { return Ok(Flow::Continue) };
        let place = car.pose.position;
        let angle = place.y.atan2(place.x);
        if let Some(before) = self.angle.replace(angle) {
            let turn = (angle - before + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU);
            self.turns += (turn - std::f64::consts::PI) / std::f64::consts::TAU;
        }
        if !self.silent {
            println!(
                "{:4.1} s: ({:5.1}, {:5.1}) m, {:.2} m/s, {:.2} turns",
                moment.time, place.x, place.y, car.speed, self.turns
            );
        }
        Ok(Flow::Continue)
    }
}

/// Drives for a time, s.
///
/// # Errors
/// Errors of the scenario or the run.
pub fn drive(time: f64, lap: &mut Lap) -> Result<World, Box<dyn std::error::Error>> {
    let file = ScenarioFile::parse("lidar_car", &scenario(), Path::new("."), &[])?;
    let model = build::world(&file)?.world;
    let runner =
        Runner::new(model, None, RunSchedule { sample_every: 1.0, ..RunSchedule::until(time) })?;
    let runner = runner.drive(0, BetweenBarriers::default())?;
    Ok(runner.run(&mut [lap])?.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let world = drive(60.0, &mut Lap::default())?;
    println!("{}", world.outcome(0).sentence);
    Ok(())
}
