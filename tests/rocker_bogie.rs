//! A rover on rockers and bogies: over a mound of lunar simulant, around a bend, and the same bits on
//! any threads.

use crate::scene;

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::World;
use bekker::vehicle::{Vehicle, VehicleSpec};
use scene::{agent, drive, flat, pose_at, same_bits_on_threads_and_resumed, soil, table};
use std::path::Path;
use std::sync::Arc;

fn mer() -> VehicleSpec {
    bekker::vehicle::find_wheeled("mer").unwrap()
}

/// A rover that drives with its left wheels over a mound as high as a wheel, on the moon.
fn over_a_mound(spec: VehicleSpec) -> World {
    let text = "format = 1\nname = \"mound\"\n[world]\ngravity = 1.62\n[time]\nduration = 60\n\
         [ground]\nspacing = 0.03\n[soil]\ndefault = \"grc1\"\n[[terrain.stamp]]\nkind = \"bump\"\n\
         at = [1.15, 0.53]\nradius = 0.6\nheight = 0.2\nedge = 0.5\n[[vehicle]]\nname = \"rover\"\n\
         model = \"mer\"\nposition = [0, 0]\n[vehicle.driver]\nkind = \"path\"\nspeed = 0.05\n\
         waypoints = [[0, 0], [6, 0]]\n";
    let file = ScenarioFile::parse("mound", text, Path::new(""), &[]).unwrap();
    let mut model = build::world(&file).unwrap().world;
    let vehicle = Arc::new(Vehicle::new(spec).unwrap().with_gravity(1.62));
    let driver = model.agents[0].driver.clone();
    let start = model.agents[0].start;
    model.agents[0] = agent(&vehicle, driver, start);
    World::new(model)
}

/// Smallest load on a wheel over its load at the start, while the front wheel passes the mound.
fn smallest_share(mut world: World) -> f64 {
    let start = world.samples().next().unwrap();
    let mut smallest = f64::INFINITY;
    while world.time() < 30.0 {
        world.advance();
        let sample = world.samples().next().unwrap();
        for (wheel, start) in sample.wheels.iter().zip(&start.wheels) {
            smallest = smallest.min(wheel.load / start.load);
        }
    }
    let reached = world.samples().next().unwrap().pose.position.x;
    assert!(reached > 0.9, "it stands at {reached} m");
    smallest
}

#[test]
fn a_rover_keeps_its_wheels_on_a_mound() {
    let mut fixed = mer();
    fixed.chassis.mass += fixed.rocker_bogie.take().unwrap().mass();
    let [free, fixed] = [mer(), fixed].map(|spec| smallest_share(over_a_mound(spec)));
    println!("smallest load: {free:.2} of that at rest, {fixed:.2} with fixed wheels");
    // Statics give shares of one for small angles. Faces 22 degrees steep and the thrust of the
    // wheels change them by up to a quarter.
    assert!(free > 0.65 && fixed == 0.0);
}

/// A path follower leads the rover around a bend of 90 degrees by its corner wheels, whose motors are
/// recorded one by one.
#[test]
fn a_rover_follows_a_bend() {
    let text = "format = 1\nname = \"bend\"\n[time]\nduration = 90\n[world]\n\
         gravity = 1.62\n[ground]\nspacing = 0.04\n[soil]\ndefault = \"grc1\"\n[[vehicle]]\nname = \"rover\"\nmodel = \"mer\"\n\
         position = [0, 0]\n[vehicle.driver]\nkind = \"path\"\nspeed = 0.05\n\
         waypoints = [[0, 0], [1, 0], [2.4, 0.6], [3, 2], [3, 4]]\n";
    let file = ScenarioFile::parse("bend", text, Path::new(""), &[]).unwrap();
    let mut world = World::new(build::world(&file).unwrap().world);
    drive(&mut world, 90.0);
    let sample = world.samples().next().unwrap();
    let (place, yaw) = (sample.pose.position, sample.pose.yaw());
    println!("at {:.2} {:.2} m, yaw {yaw:.2} rad", place.x, place.y);
    // half the tread from the last part of the path
    assert!((place.x - 3.0).abs() < 0.5 && place.y > 1.5, "{place:?}");
    assert!((yaw - std::f64::consts::FRAC_PI_2).abs() < 0.35, "{yaw} rad");
    let motors = sample.motors.as_ref().unwrap();
    let drawn: f64 = motors.wheels.iter().map(|own| own.energy).sum();
    let summary = world.summary("bend", 0.0).vehicles[0].battery.unwrap();
    assert!(motors.wheels.len() == 6 && drawn > 0.0);
    assert!((drawn / summary.energy - 1.0).abs() < 1e-9, "{drawn} of {} J", summary.energy);
}

#[test]
fn any_threads_and_a_resume_give_the_same_bits() {
    let build = || {
        let vehicles = [0.0, 3.0].map(|y| {
            let vehicle = Arc::new(Vehicle::new(mer()).unwrap());
            let driver = table(&[[0.0, 0.5], [1.0, 0.5]], &[[0.5, 0.0], [1.0, 0.6]], &[]);
            agent(&vehicle, driver, pose_at(0.0, y, vehicle.ride_radius()))
        });
        scene::world(flat(0.04, soil("mid")), 2e-3, Vec::from(vehicles))
    };
    same_bits_on_threads_and_resumed(build, 1.0, 2.0);
    let mut world = build();
    let start = world.samples().next().unwrap().pose.position;
    drive(&mut world, 2.0);
    let travel = world.samples().next().unwrap().pose.position - start;
    assert!(travel.x > 0.01, "{travel:?}");
}
