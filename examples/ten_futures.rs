//! A planner that simulates ten futures of a vehicle on a soft slope.
//!
//! Ten copies of the world run in parallel, each with another throttle. The planner applies the
//! throttle that takes the vehicle farthest up the slope.
//!
//! `cargo run --release --example ten_futures`

use bekker::prelude::*;
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
    let mut futures = WorldBatch::from_world(&world, 10);
    while world.time() < 12.0 {
        // simulates 1.5 s with each throttle
        futures.restore(world.state())?;
        futures.for_each(|future, world| hold(world, throttle(future), 1.5));
        let ways = futures.iter().map(way).enumerate();
        let (best, _) = ways.max_by(|a, b| a.1.total_cmp(&b.1)).ok_or("no futures")?;
        hold(&mut world, throttle(best), 0.5);
        println!(
            "{:5.1} s: throttle {:.1}, {:6.2} m up",
            world.time(),
            throttle(best),
            way(&world)
        );
    }
    println!("{}", world.outcome(0).sentence);
    Ok(())
}

fn throttle(future: usize) -> f64 {
    0.1 * (future + 1) as f64
}

/// Drives for `span`, s, with this throttle.
fn hold(world: &mut World, throttle: f64, span: f64) {
    let command = Command { throttle, ..Command::default() };
    world.command(0, Some(command)).expect("there is a vehicle, and these are numbers");
    let until = world.time() + span;
    while world.time() < until {
        world.advance();
    }
}

fn way(world: &World) -> f64 {
    world.sample(0).map_or(0.0, |planner| planner.pose.position.x)
}
