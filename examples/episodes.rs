//! Episodes: a custom controller drives a vehicle across mud several times, from different
//! positions, on the ruts of earlier episodes. The model is built only once.
//!
//! `cargo run --release --example episodes`

use bekker::prelude::*;
use std::path::Path;

const EPISODES: u32 = 6;
/// Target speed, m/s.
const WANTED: f64 = 4.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = ScenarioFile::from_scenario(&scenario()?, Path::new("."))?;
    let mut world = World::new(build::world(&file)?.world);
    for episode in 0..EPISODES {
        // the second episode of each pair drives in the ruts of the first
        let y = 4.0 * f64::from(episode / 2);
        let start = VehiclePlacement { position: [0.0, y], heading: 0.0, speed: 0.0 };
        let stand = world.respawn(0, &start)?;
        let until = world.time() + 8.0;
        while world.time() < until && world.outcome(0).code != OutcomeCode::Immobilized {
            let seen = world.sample(0).ok_or("no vehicle")?;
            world.command(0, Some(drive(&seen, y)))?;
            world.advance();
        }
        let end = world.sample(0).ok_or("no vehicle")?;
        let way = end.pose.position.x;
        let rut = world.rut_depth(0.5 * way, y + 0.9);
        println!(
            "{episode}: {stand:?}, {way:5.1} m, rut {:4.1} cm; {}",
            100.0 * rut,
            world.outcome(0)
        );
    }
    Ok(())
}

/// Follows the line y = `line`, m, at the target speed.
fn drive(seen: &Sample, line: f64) -> Command {
    let ahead = seen.pose.orientation * bekker::spatial::Vec3::x();
    let steering = SteeringCommand::Angle(-0.15 * (seen.pose.position.y - line) - 0.7 * ahead.y);
    let throttle = 0.4 + 0.3 * (WANTED - seen.speed);
    Command { throttle, steering, brake: 0.0, gear: Selector::Drive, ..Command::default() }
}

/// Creates a scenario by changing another one.
fn scenario() -> Result<Scenario, Box<dyn std::error::Error>> {
    let text = include_str!("single_vehicle.toml");
    let mut scenario = ScenarioFile::parse("single_vehicle", text, Path::new("."), &[])?.scenario;
    scenario.name = "episodes".into();
    scenario.soil.default = "mud".into();
    Ok(scenario)
}
