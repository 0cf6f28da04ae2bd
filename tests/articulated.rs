//! Articulated vehicles on the ground: paths forward and backward, the rear frame in messages and
//! collisions, and the same bits on any threads.

use crate::scene;

use bekker::simulation::{Command, GroundVehicle, OutcomeCode, SteeringCommand, World};
use bekker::soil::{Soil, catalog};
use bekker::spatial::{Quat, Vec3};
use bekker::vehicle::driver::{Driver, Path, PathFollower, PathFollowerConfig, SteeringGeometry};
use bekker::vehicle::{Vehicle, VehicleSpec};
use scene::{agent, drive, firm, flat, pose_at, same_bits_on_threads_and_resumed, soil, table};
use std::sync::Arc;

/// Spacing of the ground's nodes, m: five across a tire.
const SPACING: f64 = 0.14;

fn forwarder() -> VehicleSpec {
    bekker::vehicle::find_wheeled("forwarder").unwrap()
}

fn world_of(ground: Soil, heading: f64, driver: impl Fn(&Vehicle) -> Driver) -> World {
    let vehicle = Arc::new(Vehicle::new(forwarder()).unwrap());
    let mut start = pose_at(0.0, 0.0, vehicle.ride_radius());
    start.orientation = Quat::from_axis_angle(&Vec3::z_axis(), heading);
    let model = agent(&vehicle, driver(&vehicle), start);
    scene::world(flat(SPACING, ground), 2e-3, vec![model])
}

fn follower(vehicle: &Vehicle, reverse: bool) -> Driver {
    let points = [[0.0, 0.0], [8.0, 0.0], [14.0, 2.0], [18.0, 8.0], [20.0, 14.0], [28.0, 18.0]];
    let path = Path::smooth(&points, 0.2).unwrap();
    let mut config = PathFollowerConfig { cruise_speed: 2.0, reverse, ..Default::default() };
    config.steering.min_look_ahead = 3.0;
    Driver::Path(PathFollower::new(path, SteeringGeometry::from_spec(vehicle.spec()), config))
}

/// Bends of about 10 m radius; in reverse the rear frame is led along the path.
#[test]
fn a_forwarder_follows_bends_forward_and_backward() {
    let loam = || catalog().find("rubicon_sandy_loam").unwrap().to_soil();
    for (ground, reverse) in
        [(firm(0.8), false), (firm(0.8), true), (loam(), false), (loam(), true)]
    {
        let name = ground.name.clone();
        let heading = if reverse { std::f64::consts::PI } else { 0.0 };
        let mut world = world_of(ground, heading, |vehicle| follower(vehicle, reverse));
        let mut largest = 0.0_f64;
        while world.time() < 40.0 && !world.state().agents[0].driver.holding {
            world.advance();
            largest = largest.max(world.state().agents[0].driver.place.offset.abs());
        }
        println!("{name}, {reverse}: {largest:.3} m off the path at {:.1} s", world.time());
        assert_eq!(world.outcome(0).code, OutcomeCode::Arrived, "{name}, {reverse}");
        // the look-ahead cuts bends, the slip of the bogies widens them
        assert!(largest < 1.0, "{name}, {reverse}: {largest} m");
    }
}

#[test]
fn any_threads_and_a_resume_give_the_same_bits() {
    let build = || {
        let vehicles = [0.0, 6.0].map(|y| {
            let vehicle = Arc::new(Vehicle::new(forwarder()).unwrap());
            let driver = table(&[[0.0, 0.5], [1.0, 0.5]], &[[0.2, 0.0], [0.6, 1.0]], &[]);
            agent(&vehicle, driver, pose_at(0.0, y, vehicle.ride_radius()))
        });
        scene::world(flat(SPACING, soil("mid")), 2e-3, Vec::from(vehicles))
    };
    same_bits_on_threads_and_resumed(build, 1.0, 2.0);
}

/// The message that other ranks and the pictures receive has the rear frame at the sample's
/// articulation, with the rear wheels in it.
#[test]
fn messages_contain_the_bent_frame() {
    let mut world = world_of(firm(0.8), 0.0, |_| {
        table(&[[0.0, 0.3], [1.0, 0.3]], &[[0.0, 0.0], [1.0, 1.0]], &[])
    });
    drive(&mut world, 4.0);
    let sample = world.samples().next().unwrap();
    let articulation = sample.articulation.unwrap();
    let message = world.messages().swap_remove(0);
    let rear = message.trailer.unwrap();
    let along = message.chassis.orientation.inverse() * rear.pose().direction(&Vec3::x());
    println!("{:.2} deg", articulation.to_degrees());
    assert!(articulation > 0.5);
    assert!((along.y.atan2(along.x) + articulation).abs() < 1e-6);
    assert_eq!(rear.wheels, 4);
    let properties = world.model().agents[0].vehicle.properties();
    assert_eq!(properties.trailed_wheels, 0);
    // an angle is that of the frame, as a share of the largest one
    let steering = SteeringCommand::Angle(22f64.to_radians());
    let controls = world.model().controls(0, &Command { steering, ..Command::default() }).unwrap();
    assert!((controls.steering - 0.5).abs() < 1e-12);
}

/// A car drives into the side of the load space, which belongs to the rear frame.
///
/// The rear frame of a forwarder that is bent to the left is to the left, nearer to the car.
#[test]
fn the_rear_frame_collides_where_it_is() {
    let stopped_at = |steering: f64| {
        let forwarder = Arc::new(Vehicle::new(forwarder()).unwrap());
        let car = scene::vehicle("hmmwv");
        let standing = table(&[], &[[0.0, steering], [1.0, steering]], &[[0.0, 1.0], [1.0, 1.0]]);
        // behind the joint, at the end of the load space
        let mut start = pose_at(-5.0, 9.0, car.ride_radius());
        start.orientation = Quat::from_axis_angle(&Vec3::z_axis(), -std::f64::consts::FRAC_PI_2);
        let drives = table(&[[0.0, 0.0], [4.0, 0.0], [4.5, 0.3]], &[], &[[3.9, 1.0], [4.0, 0.0]]);
        let agents = vec![
            agent(&forwarder, standing, pose_at(0.0, 0.0, forwarder.ride_radius())),
            agent(&car, drives, start),
        ];
        let mut world = scene::world(flat(SPACING, firm(0.8)), 2e-3, agents);
        drive(&mut world, 9.0);
        let [frame, car] = [0, 1].map(|agent| world.sample(agent).unwrap());
        println!("{:?} rad, the car at {:.2?}", frame.articulation, car.pose.position);
        car.pose.position.y
    };
    let [straight, bent] = [0.0, 1.0].map(stopped_at);
    // the hood, 2.3 m ahead of the car's origin, passes below the load space and meets the frame
    // below, which is 1 m wide
    assert!(straight > 1.5 && straight < 3.5, "{straight} m");
    assert!(bent > straight + 1.0, "{bent} m, {straight} m");
}
