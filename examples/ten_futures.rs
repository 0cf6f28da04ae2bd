//! A planner that tries ten futures: a vehicle is commanded from a program, goes back to
//! where it was, and takes the throttle that gets it farthest up the soft slope.
//!
//! `cargo run --release --example ten_futures`

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::World;
use bekker::vehicle::{Controls, Selector};
use std::path::Path;

const SCENARIO: &str = r#"
format = 1
name = "ten_futures"
time = { duration = 12 }
terrain = { surface = { kind = "slope", grade = 0.15 } }
soil = { default = "chrono_mid" }
[[vehicle]]
name = "planner"
model = "hmmwv"
position = [0, 0]
driver = { kind = "table", rows = [{ time = 0, brake = 1 }] }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = ScenarioFile::parse("ten_futures", SCENARIO, Path::new("."), &[])?;
    let mut world = World::new(build::world(&file)?.world);
    while world.time() < 12.0 {
        // what each throttle would come to within a second and a half
        let now = world.state().clone();
        let mut best = (f64::NEG_INFINITY, 0.0);
        for throttle in (1..=10).map(|tenth| 0.1 * f64::from(tenth)) {
            world.restore(&now)?;
            hold(&mut world, throttle, 1.5)?;
            if way(&world) > best.0 {
                best = (way(&world), throttle);
            }
        }
        world.restore(&now)?;
        hold(&mut world, best.1, 0.5)?;
        println!("{:5.1} s: throttle {:.1}, {:6.2} m up", world.time(), best.1, way(&world));
    }
    println!("{}", world.outcome(0).sentence);
    Ok(())
}

/// Drives for `span` seconds with this throttle.
fn hold(world: &mut World, throttle: f64, span: f64) -> Result<(), Box<dyn std::error::Error>> {
    let gear = Selector::Drive;
    world.command(0, Some(Controls { throttle, gear, ..Controls::default() }))?;
    let until = world.time() + span;
    while world.time() < until {
        world.advance();
    }
    Ok(())
}

fn way(world: &World) -> f64 {
    world.samples().next().map_or(0.0, |planner| planner.pose.position.x)
}
