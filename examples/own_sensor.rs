//! A custom sensor: a profilometer behind the vehicle scans its rut once a second, and stops the
//! run when the rut is too deep.
//!
//! `cargo run --release --example own_sensor`

use bekker::prelude::*;
use std::path::Path;

const SCENARIO: &str = r#"
format = 1
name = "own_sensor"
time = { duration = 20 }
[soil]
default = "firm"
[[soil.zone]]
soil = "mud"
area = { kind = "half_plane", through = [25, 0], towards_deg = 0 }
[[vehicle]]
name = "carrier"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", speed = 5, waypoints = [[0, 0], [100, 0]] }
"#;

/// Greatest allowed rut depth, m.
const LIMIT: f64 = 0.08;

/// Sensor that scans a line across the path, 3 m behind the origin of the chassis.
struct Profilometer {
    profile: [f64; 41],
}

#[derive(Debug, thiserror::Error)]
#[error("the profilometer is off the terrain at ({x:.1}, {y:.1}) m")]
struct OffTerrain {
    x: f64,
    y: f64,
}

impl Observer<OffTerrain> for Profilometer {
    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, OffTerrain> {
        for event in moment.world.events(0) {
            if let Event::SoilEntered { to, .. } = event {
                let soil = &moment.world.model().ground.soils()[usize::from(to.0)];
                println!("{:4.1} s: on {}", moment.time, soil.name);
            }
        }
        let Some([carrier]) = moment.samples() else { return Ok(Flow::Continue) };
        for (index, depth) in self.profile.iter_mut().enumerate() {
            let aside = 0.05 * (index as f64 - 20.0);
            let place = carrier.pose.point(&Vec3::new(-3.0, aside, 0.0));
            if !moment.world.model().ground.terrain().contains(place.x, place.y) {
                return Err(OffTerrain { x: place.x, y: place.y });
            }
            *depth = moment.world.rut_depth(place.x, place.y);
        }
        let deepest = self.profile.iter().copied().fold(0.0, f64::max);
        println!("{:4.1} s: rut {:4.1} cm", moment.time, 100.0 * deepest);
        Ok(if deepest > LIMIT { Flow::Stop } else { Flow::Continue })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = ScenarioFile::parse("own_sensor", SCENARIO, Path::new("."), &[])?;
    let model = build::world(&file)?.world;
    let schedule = RunSchedule { sample_every: 1.0, ..RunSchedule::until(20.0) };
    let mut sensor = Profilometer { profile: [0.0; 41] };
    let (world, stopped) = Runner::new(model, None, schedule)?.run(&mut [&mut sensor])?;
    let way = world.sample(0).map_or(0.0, |carrier| carrier.pose.position.x);
    println!("{} after {way:.1} m", if stopped { "stopped" } else { "driven" });
    Ok(())
}
