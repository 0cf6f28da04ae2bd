//! A custom driver that holds a heading and a speed across mud, from sensor readings only.
//!
//! `cargo run --release --example own_driver`

use bekker::prelude::*;
use std::convert::Infallible;
use std::path::Path;

const SCENARIO: &str = r#"
format = 1
name = "own_driver"
time = { duration = 20 }
soil = { default = "mud" }
[site]
latitude_deg = 36.4
longitude_deg = -84.1
[[vehicle]]
name = "scout"
model = "hmmwv"
position = [0, 0]
heading_deg = 20
driver = { kind = "hold" }
sensor = [
    { name = "imu", model = { kind = "imu", preset = "tactical" }, rate = 100 },
    { name = "gps", model = { kind = "gps", preset = "rtk_fixed" }, rate = 10 },
]
"#;

/// Driver that steers to a heading by gyroscope and holds a speed by satellite navigation.
struct Scout {
    /// Heading by dead reckoning, rad, relative to the start.
    heading: f64,
    speed: f64,
}

impl ExternalDriver for Scout {
    fn command(&mut self, perception: &Perception<'_>) -> Option<Command> {
        for measured in perception.measurements() {
            match measured.reading {
                Reading::Imu { angular_rate, .. } => self.heading += angular_rate.z / 100.0,
                Reading::Fix(fix) if fix.valid => self.speed = fix.velocity.norm(),
                _ => {}
            }
        }
        // the vehicle starts at a heading of 20 degrees and turns east
        let wanted = -20_f64.to_radians();
        let steering = SteeringCommand::Angle(0.8 * (wanted - self.heading));
        let throttle = 0.5 + 0.4 * (4.0 - self.speed);
        Some(Command {
            throttle,
            brake: 0.0,
            steering,
            gear: Selector::Drive,
            ..Command::default()
        })
    }
}

/// Observer that prints a line every two seconds.
struct Diary;

impl Observer<Infallible> for Diary {
    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, Infallible> {
        let Some([scout]) = moment.samples() else { return Ok(Flow::Continue) };
        if moment.time % 2.0 < 1e-6 {
            let (place, heading) = (scout.pose.position, scout.pose.yaw().to_degrees());
            println!(
                "{:4.1} s: ({:5.1}, {:5.1}) m, heading {heading:5.1} deg, {:.2} m/s",
                moment.time, place.x, place.y, scout.speed
            );
        }
        Ok(Flow::Continue)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = ScenarioFile::parse("own_driver", SCENARIO, Path::new("."), &[])?;
    let model = build::world(&file)?.world;
    let runner =
        Runner::new(model, None, RunSchedule { sample_every: 2.0, ..RunSchedule::until(20.0) })?;
    let runner = runner.drive(0, Scout { heading: 0.0, speed: 0.0 })?;
    let (world, _) = runner.run(&mut [&mut Diary])?;
    println!("{}", world.outcome(0).sentence);
    Ok(())
}
