//! Tracked vehicles whose every shoe is a body.

mod scene;

use bekker::simulation::{AgentModel, Mover, OnTracks, Sample, World};
use bekker::soil::{Soil, SoilId};
use bekker::terrain::Terrain;
use bekker::vehicle::driver::Driver;
use bekker::vehicle::spec::TrackModel;
use bekker::vehicle::{AnySpec, TrackedSpec, TrackedVehicle, find_any};
use scene::{drive, ground, soil, table, world};
use std::sync::Arc;

fn m113() -> TrackedSpec {
    match find_any("m113").unwrap() {
        AnySpec::Tracked(spec) => TrackedSpec { model: TrackModel::Segmented, ..*spec },
        AnySpec::Wheeled(_) => panic!("the M113 runs on tracks"),
    }
}

fn on(soil: Soil, terrain: Terrain, spec: TrackedSpec, driver: Driver, step: f64) -> World {
    let vehicle = Mover::from(OnTracks::new(Arc::new(TrackedVehicle::new(spec).unwrap())));
    let start = vehicle.stand(&terrain, 0.0, 0.0, 0.0);
    let agent =
        AgentModel { name: "m113".into(), vehicle, driver, leader: None, start, speed: 0.0 };
    world(ground(0.05, terrain, vec![soil]), step, vec![agent])
}

fn sample(world: &World) -> Sample {
    world.samples().next().unwrap()
}

#[test]
fn explore() {
    let step: f64 = std::env::var("STEP").map_or(1e-3, |s| s.parse().unwrap());
    let name = std::env::var("SOIL").unwrap_or("hard".into());
    let driver = table(&[[1.0, 0.0], [1.2, 0.6]], &[], &[]);
    let t = std::time::Instant::now();
    let mut world = on(soil(&name), Terrain::flat(0.0, SoilId(0)), m113(), driver, step);
    println!("built in {:?}", t.elapsed());
    let t = std::time::Instant::now();
    for k in 0..60 {
        drive(&mut world, 0.1 * f64::from(k + 1));
        let s = sample(&world);
        let load: f64 = s.wheels.iter().map(|w| w.load).sum();
        println!(
            "{:.1} x {:.3} z {:.3} pitch {:.4} v {:.3} spin {:.2} {:.2} load {:.0} sink {:.3} {:?}",
            s.time,
            s.pose.position.x,
            s.pose.position.z,
            s.pose.pitch(),
            s.speed,
            s.wheels[0].spin,
            s.wheels[1].spin,
            load,
            s.wheels[4].sinkage,
            world.state().agents[0].outcome
        );
    }
    println!("ran in {:?}", t.elapsed());
}
