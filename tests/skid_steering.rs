//! Skid-steered vehicles: the moment of turning against closed forms, paths with sharp bends, and
//! the same bits on any threads.

use crate::scene;

use bekker::curve::Curve;
use bekker::numeric::GRAVITY;
use bekker::simulation::{Command, GroundVehicle, OutcomeCode, Sample, SteeringCommand, World};
use bekker::soil::{Soil, SoilKind, catalog};
use bekker::spatial::{Quat, Vec3};
use bekker::vehicle::driver::{Driver, Path, PathFollower, PathFollowerConfig, SteeringGeometry};
use bekker::vehicle::tire::SlipCurve;
use bekker::vehicle::{Vehicle, VehicleSpec};
use scene::{agent, drive, firm, flat, pose_at, same_bits_on_threads_and_resumed, soil, table};
use std::sync::Arc;

/// Coefficient of friction of tires and ground.
const FRICTION: f64 = 0.8;
/// Spacing of the ground's nodes, m: four across a tire.
const SPACING: f64 = 0.03;

fn husky() -> VehicleSpec {
    bekker::vehicle::find_wheeled("husky").unwrap()
}

/// A Husky whose tires slide with Coulomb friction, equal in all directions, and roll freely.
fn with_coulomb_friction() -> VehicleSpec {
    let mut spec = husky();
    let handling = &mut spec.tire.handling;
    let force = [FRICTION * handling.nominal_load, 2.0 * FRICTION * handling.nominal_load];
    let curve = SlipCurve {
        initial_slope: force.map(|force| 100.0 * force),
        max_force: force,
        max_slip: [0.05; 2],
        sliding_force: force,
        sliding_slip: [0.5; 2],
    };
    (handling.longitudinal, handling.lateral) = (curve, curve);
    handling.rolling_resistance = 0.0;
    handling.trail.initial = [0.0; 2];
    spec
}

fn world_of(
    spec: VehicleSpec,
    ground: Soil,
    heading: f64,
    driver: impl Fn(&Vehicle) -> Driver,
) -> World {
    let vehicle = Arc::new(Vehicle::new(spec).unwrap());
    let mut start = pose_at(0.0, 0.0, vehicle.ride_radius());
    start.orientation = Quat::from_axis_angle(&Vec3::z_axis(), heading);
    let model = agent(&vehicle, driver(&vehicle), start);
    scene::world(flat(SPACING, ground), 2e-3, vec![model])
}

fn pivot(ground: Soil, spec: VehicleSpec, steering: f64) -> World {
    world_of(spec, ground, 0.0, |_| table(&[], &[[0.2, 0.0], [0.4, steering]], &[]))
}

/// Mean over a second of a value of the first vehicle's samples.
fn mean<const N: usize>(world: &mut World, value: impl Fn(&Sample) -> [f64; N]) -> [f64; N] {
    let (mut sum, mut count) = ([0.0; N], 0.0);
    let end = world.time() + 1.0;
    while world.time() < end {
        world.advance();
        let found = value(&world.samples().next().unwrap());
        (0..N).for_each(|k| sum[k] += found[k]);
        count += 1.0;
    }
    sum.map(|sum| sum / count)
}

/// Yaw rate, rad/s; difference of the rim speeds, rad/s; moments of the tractive and of the lateral
/// forces about the vertical, N m, for half a wheelbase and half a tread.
fn turning(sample: &Sample, [length, tread]: [f64; 2]) -> [f64; 4] {
    let wheels = &sample.wheels;
    let spins = 0.5 * (wheels[1].spin + wheels[3].spin - wheels[0].spin - wheels[2].spin);
    let side = |wheel: usize| if wheel.is_multiple_of(2) { -1.0 } else { 1.0 };
    let end = |wheel: usize| if wheel < 2 { 1.0 } else { -1.0 };
    let of = |moment: &dyn Fn(usize) -> f64| (0..4).map(moment).sum::<f64>();
    let traction = of(&|wheel| 0.5 * tread * side(wheel) * wheels[wheel].traction);
    let lateral = of(&|wheel| 0.5 * length * end(wheel) * wheels[wheel].lateral);
    [sample.angular_velocity.z, spins, traction, lateral]
}

/// On Coulomb friction the moment of turning on the spot is μ W L B / (2 √(L² + B²)), for the
/// traction as for the lateral forces, and the yaw rate is r Δω / (B (1 + (L/B)²)). See the
/// derivation in `crates/vehicle/src/motor_drive.rs`.
#[test]
fn a_turn_on_the_spot_has_the_moment_of_coulomb_friction() {
    for steering in [0.4, -0.8] {
        let spec = with_coulomb_friction();
        let (length, tread) = (spec.wheelbase, spec.tread());
        let weight = spec.total_mass() * GRAVITY;
        let mut world = pivot(firm(FRICTION), spec, steering);
        drive(&mut world, 3.0);
        let loaded = world.samples().next().unwrap();
        let radius = world.model().agents[0].vehicle.properties().drive_radius
            - loaded.wheels[0].load / 20e3 / 3.0;
        let [yaw, spins, traction, lateral] =
            mean(&mut world, |sample| turning(sample, [length, tread]));
        let moment = FRICTION * weight * length * tread / (2.0 * length.hypot(tread));
        let rate = radius * spins / (tread * (1.0 + (length / tread).powi(2)));
        println!("{yaw:.4} of {rate:.4} rad/s; {traction:.2} and {lateral:.2} of {moment:.2} N m");
        let moment = moment * f64::signum(steering);
        // the sliding of the carcass and the tilt of the chassis leave less than a thousandth
        assert!((yaw / rate - 1.0).abs() < 2e-3);
        assert!((traction / moment - 1.0).abs() < 2e-3 && (lateral / moment + 1.0).abs() < 2e-3);
        // the commanded rate takes the unloaded radius
        assert!((yaw / (1.9 * steering) - 1.0).abs() < 0.03);
        assert!(loaded.pose.position.xy().norm() < 0.05, "on the spot");
    }
}

/// On soil the moments of traction and of the lateral forces balance, and reach the same closed form
/// with the Mohr-Coulomb strength A c + N tan φ instead of the friction.
///
/// All four wheels run in one circle, so the shear displacements of its nodes add up to many times
/// the shear modulus K, and the shear stress reaches its limit.
#[test]
fn a_turn_on_the_spot_on_soil_has_the_moment_of_its_strength() {
    let hard = soil("hard");
    let SoilKind::Deformable(strength) = hard.kind.clone() else { panic!() };
    let spec = with_coulomb_friction();
    let (length, tread) = (spec.wheelbase, spec.tread());
    let weight = spec.total_mass() * GRAVITY;
    let mut world = pivot(hard, spec, 0.5);
    drive(&mut world, 3.0);
    let [yaw, _, traction, lateral] = mean(&mut world, |sample| turning(sample, [length, tread]));
    let [area] = mean(&mut world, |sample| [sample.wheels.iter().map(|own| own.area).sum()]);
    let force = area * strength.cohesion + weight * strength.friction_angle.tan();
    let moment = force * length * tread / (2.0 * length.hypot(tread));
    println!("{yaw:.3} rad/s; {traction:.2} and {lateral:.2} of {moment:.2} N m");
    // the traction also overcomes the resistance of the ruts
    assert!((traction + lateral).abs() < 0.03 * traction, "the moments balance");
    // nodes at the edge of a patch, which have just been met, are not yet at the limit
    assert!((lateral / moment + 1.0).abs() < 0.06);
}

/// A Husky with a third axle in the middle, whose motors are as much stronger as it is heavier.
fn six_wheeled() -> VehicleSpec {
    let mut spec = husky();
    let mut axle = spec.axles[0].clone();
    (axle.name, axle.position[0]) = ("middle".into(), 0.0);
    spec.axles.insert(1, axle);
    // the axles share the load, so that the wheels carry what those of four do
    spec.chassis.mass *= 1.5;
    let motor = &mut spec.motor_drive.as_mut().unwrap().motor;
    (motor.max_torque, motor.max_power) = (1.5 * motor.max_torque, 1.5 * motor.max_power);
    spec
}

/// Mean curvature over the commanded one in a steady turn at a speed, m/s, and a yaw rate, rad/s, by
/// a table that holds the speed.
fn commanded_turn(spec: VehicleSpec, speed: f64, rate: f64) -> f64 {
    let steering = rate / spec.max_yaw_rate().unwrap();
    let mut world = world_of(spec, firm(FRICTION), 0.0, |_| {
        let Driver::Table(mut own) = table(&[], &[[1.0, 0.0], [3.0, steering]], &[]) else {
            panic!()
        };
        own.speed = Some(Curve::new(vec![[0.0, speed], [100.0, speed]]).unwrap());
        Driver::Table(own)
    });
    drive(&mut world, 8.0);
    let [turned, along] = mean(&mut world, |sample| [sample.angular_velocity.z, sample.speed]);
    turned / along * speed / rate
}

/// Mean curvature over that of a circle, 1/m, that a path driver follows at a speed, m/s.
fn followed_turn(spec: VehicleSpec, speed: f64, radius: f64) -> f64 {
    let points = (0..=720).map(|n| {
        let angle = f64::from(n).to_radians();
        [radius * angle.sin(), radius - radius * angle.cos()]
    });
    let path = Path::polyline(&points.collect::<Vec<_>>()).unwrap();
    let mut world = world_of(spec, firm(FRICTION), 0.0, |vehicle| {
        let mut config = PathFollowerConfig { cruise_speed: speed, ..Default::default() };
        let geometry = SteeringGeometry::from_spec(vehicle.spec());
        config.steering.min_look_ahead = geometry.usual_look_ahead();
        Driver::Path(PathFollower::new(path.clone(), geometry, config))
    });
    drive(&mut world, 8.0);
    let [turned, along] = mean(&mut world, |sample| [sample.angular_velocity.z, sample.speed]);
    turned / along * radius
}

/// On firm ground path drivers meet the curvature of a circle within 5 %. Without their correction, slow
/// turns are wider: the rim speeds are those of tires that slide fully, which they do not at small slip.
///
/// Six wheels turned 9 to 20 % faster than commanded while their rim speeds were those for the mean
/// square of the axles' distances.
#[test]
fn four_and_six_wheels_turn_with_the_commanded_curvature() {
    for (name, spec) in [("four", husky()), ("six", six_wheeled())] {
        for (speed, radius) in [(0.3, 1.5), (0.3, 3.0), (0.6, 1.5), (0.6, 3.0)] {
            let table = commanded_turn(spec.clone(), speed, speed / radius);
            let path = followed_turn(spec.clone(), speed, radius);
            println!("{name} wheels, {speed} m/s, {radius} m: table {table:.3}, path {path:.3}");
            assert!((path - 1.0).abs() < 0.05, "{name} wheels, {speed} m/s, {radius} m: {path}");
            // measured 0.857 to 0.998; above 1 the rim speeds would be overrated
            assert!((0.8..1.02).contains(&table), "{name} wheels: {table}");
        }
    }
}

fn bends() -> Path {
    let points = [
        [0.0, 0.0],
        [2.0, 0.0],
        [4.0, 0.0],
        [4.5, 0.5],
        [4.5, 2.5],
        [4.0, 3.0],
        [2.0, 3.0],
        [1.5, 3.5],
        [1.5, 5.0],
        [2.0, 5.5],
        [6.0, 5.5],
    ];
    Path::smooth(&points, 0.1).unwrap()
}

fn follower(vehicle: &Vehicle, reverse: bool) -> Driver {
    let mut config = PathFollowerConfig { cruise_speed: 1.0, reverse, ..Default::default() };
    config.steering.min_look_ahead = 0.5;
    let geometry = SteeringGeometry::from_spec(vehicle.spec());
    Driver::Path(PathFollower::new(bends(), geometry, config))
}

/// Drives the bends and returns the largest distance from the path, m.
fn largest_offset(spec: VehicleSpec, ground: Soil, reverse: bool) -> f64 {
    let heading = if reverse { std::f64::consts::PI } else { 0.0 };
    let mut world = world_of(spec, ground, heading, |vehicle| follower(vehicle, reverse));
    let mut largest = 0.0_f64;
    while world.time() < 45.0 {
        world.advance();
        let state = &world.state().agents[0];
        largest = largest.max(state.driver.place.offset.abs());
        if state.outcome.is_some() {
            break;
        }
    }
    let code = world.outcome(0).code;
    assert_eq!(code, OutcomeCode::Arrived, "at {} s", world.time());
    largest
}

/// In bends of 0.5 m radius on sand, driving and turning torque together exceed the motors' limit.
#[test]
fn a_robot_follows_sharp_bends_on_firm_ground_loam_and_sand() {
    let of = |name: &str| catalog().find(name).unwrap().to_soil();
    for (ground, reverse) in [
        (firm(FRICTION), false),
        (firm(FRICTION), true),
        (of("rubicon_sandy_loam"), false),
        (of("dry_sand_lll"), false),
    ] {
        let name = ground.name.clone();
        let offset = largest_offset(husky(), ground, reverse);
        println!("{name}: {offset:.3} m off the path");
        // a corner of 0.5 m is cut by a look-ahead of 0.5 m
        assert!(offset < 0.3, "{name}, {reverse}: {offset} m");
    }
}

#[test]
fn any_threads_and_a_resume_give_the_same_bits() {
    let build = || {
        let vehicles = [0.0, 2.0].map(|y| {
            let vehicle = Arc::new(Vehicle::new(husky()).unwrap());
            let driver = table(&[[0.0, 0.2], [1.0, 0.2]], &[[0.5, 0.0], [1.0, 0.6]], &[]);
            agent(&vehicle, driver, pose_at(0.0, y, vehicle.ride_radius()))
        });
        scene::world(flat(SPACING, soil("mid")), 2e-3, Vec::from(vehicles))
    };
    same_bits_on_threads_and_resumed(build, 1.0, 2.0);
    let mut world = build();
    drive(&mut world, 2.0);
    let sample = world.samples().next().unwrap();
    let motors = sample.motors.as_ref().unwrap();
    assert!(motors.battery_charge < 1.0 && motors.battery_power > 0.0, "{motors:?}");
    let summary = world.summary("test", 0.0).vehicles[0].battery.unwrap();
    assert_eq!(summary.charge, motors.battery_charge);
}

/// A battery that is emptied to the last joule ends the drive. The robot then rolls out: from v on soil
/// of motion resistance R it would roll m v²/(2 R), less than 1 m at the resistance of its gears.
#[test]
fn motors_are_off_once_their_battery_is_empty() {
    let mut spec = husky();
    let motors = spec.motor_drive.as_mut().unwrap();
    // 43 J, which the start takes
    motors.battery.capacity = 0.0005;
    let energy = motors.battery.energy();
    let mut world = world_of(spec, soil("mid"), 0.0, |vehicle| follower(vehicle, false));
    drive(&mut world, 1.5);
    let empty = world.samples().next().unwrap();
    drive(&mut world, 8.0);
    let motors = empty.motors.unwrap();
    assert_eq!(
        (motors.battery_charge, motors.battery_power, motors.currents),
        (0.0, 0.0, [0.0; 2])
    );
    let summary = world.summary("test", 0.0).vehicles.remove(0);
    let battery = summary.battery.unwrap();
    // a step draws at most 2 x 580 W for 2 ms
    assert!(
        battery.charge == 0.0 && (0.0..2.0).contains(&(battery.energy - energy)),
        "{battery:?}"
    );
    assert!(summary.distance > 0.2 && summary.distance < 1.5, "{} m", summary.distance);
    assert_eq!(summary.outcome.code, OutcomeCode::Immobilized);
    let sentence = &summary.outcome.sentence;
    assert!(sentence.contains("the battery is empty"), "{sentence}");
}

/// A yaw rate is a share of the largest one. Wheel angles are refused, and so are yaw rates for
/// vehicles with steered wheels.
#[test]
fn yaw_rates_steer_skid_steered_vehicles_only() {
    let world = pivot(firm(FRICTION), husky(), 0.0);
    let controls = |world: &World, steering| {
        world.model().controls(0, &Command { steering, ..Command::default() })
    };
    let half = controls(&world, SteeringCommand::YawRate(0.95)).unwrap();
    assert_eq!(half.steering, 0.5);
    assert_eq!(controls(&world, SteeringCommand::YawRate(-9.0)).unwrap().steering, -1.0);
    assert!(controls(&world, SteeringCommand::YawRate(f64::NAN)).is_err());
    let told = controls(&world, SteeringCommand::Angle(0.1)).unwrap_err().to_string();
    assert_eq!(told, "Husky A200 cannot be steered by wheel angle; give a fraction of full lock");
    let hmmwv = bekker::vehicle::find_wheeled("hmmwv").unwrap();
    let world = world_of(hmmwv, firm(FRICTION), 0.0, |_| table(&[], &[], &[]));
    let told = controls(&world, SteeringCommand::YawRate(0.1)).unwrap_err().to_string();
    assert_eq!(told, "HMMWV cannot be steered by a yaw rate: its file has no steering.skid");
}
