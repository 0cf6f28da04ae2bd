//! Rockers and bogies on firm ground: wheel loads by statics, the differential, a step, steered
//! corner wheels, and motors of single wheels.

mod rolling;

use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::Vec3;
use bekker_vehicle::spec::{Axle, MotorPlacement, SuspensionLink, VehicleSpec};
use bekker_vehicle::{Controls, find_wheeled};
use rolling::{Rolling, held};

/// Index of the left front wheel, which the tests lift.
const LIFTED: usize = 0;

fn mer() -> VehicleSpec {
    find_wheeled("mer").unwrap()
}

/// The rover without its middle axle: a rocker with two wheels on each side.
fn rocker_only() -> VehicleSpec {
    let mut spec = mer();
    spec.axles.remove(1);
    let own = spec.rocker_bogie.as_mut().unwrap();
    own.bogie = None;
    own.rocker.axles = vec!["front".into(), "rear".into()];
    spec.check().unwrap();
    spec
}

/// The rover with its links welded to the chassis.
fn with_fixed_wheels() -> VehicleSpec {
    let mut spec = mer();
    spec.chassis.mass += spec.rocker_bogie.take().unwrap().mass();
    spec.check().unwrap();
    spec
}

/// A rover at rest on ground without friction, which carries it by vertical forces alone.
fn at_rest(spec: VehicleSpec) -> Rolling {
    let mut own = Rolling::new(spec);
    own.ground.iter_mut().for_each(|ground| ground[1] = 0.0);
    own.run(6.0, held());
    own
}

/// Lifts the ground under the left front wheel slowly by `height`, m, and waits for rest.
fn lift(own: &mut Rolling, height: f64) {
    let steps = 4000;
    for _ in 0..steps {
        own.ground[LIFTED][0] += height / f64::from(steps);
        own.step(&held());
    }
    own.run(6.0, held());
}

/// Upward forces at two supports of a beam that carries `loads`: pairs of x, m, and weight, N.
fn beam(supports: [f64; 2], loads: &[[f64; 2]]) -> [f64; 2] {
    let [a, b] = supports;
    let share = |from: f64, to: f64| -> f64 {
        loads.iter().map(|[x, weight]| weight * (x - from) / (to - from)).sum()
    };
    [share(b, a), share(a, b)]
}

/// Loads of the left wheels, N, on level ground: the moments about the pins of bogie and rocker.
fn statics(spec: &VehicleSpec) -> Vec<f64> {
    let own = spec.rocker_bogie.as_ref().unwrap();
    let weight = |mass: f64| mass * GRAVITY;
    let x = |name: &String| spec.axles[spec.axle_named(name).unwrap()].wheel_x();
    let of_link = |link: &SuspensionLink| [link.com[0], weight(link.link.mass)];
    // the differential carries the moment of half the chassis about the pin of each rocker
    let mut on_rocker =
        vec![of_link(&own.rocker), [spec.chassis.com[0], 0.5 * weight(spec.chassis.mass)]];
    let carried = match &own.bogie {
        None => beam([0, 1].map(|k| x(&own.rocker.axles[k])), &on_rocker).to_vec(),
        Some(bogie) => {
            let [front, pin] = beam([x(&own.rocker.axles[0]), bogie.pin[0]], &on_rocker);
            on_rocker = vec![of_link(bogie), [bogie.pin[0], pin]];
            let [middle, rear] = beam([0, 1].map(|k| x(&bogie.axles[k])), &on_rocker);
            vec![front, middle, rear]
        }
    };
    let wheel = |axle: &Axle| spec.wheel.mass + spec.tire.mass + 0.5 * axle.suspension.mass();
    carried.iter().zip(&spec.axles).map(|(load, axle)| load + weight(wheel(axle))).collect()
}

#[test]
fn wheels_carry_the_loads_of_statics() {
    let mut displaced = mer();
    displaced.chassis.com[0] = 0.15;
    displaced.rocker_bogie.as_mut().unwrap().rocker.pin[0] = 0.05;
    displaced.rocker_bogie.as_mut().unwrap().bogie.as_mut().unwrap().pin[0] = -0.3;
    displaced.check().unwrap();
    for spec in [mer(), displaced, rocker_only()] {
        let expected = statics(&spec);
        let own = at_rest(spec);
        println!("{:.2?} N, by statics {expected:.2?} N", own.loads);
        for (pair, expected) in own.loads.chunks(2).zip(&expected) {
            for load in pair {
                // tires deflect by 3 mm, which turns the links by less than 2e-3 rad
                assert!((load / expected - 1.0).abs() < 2e-3, "{load}, not {expected} N");
            }
        }
        let weight = own.vehicle.mass() * GRAVITY;
        let sum: f64 = own.loads.iter().sum();
        assert!((sum / weight - 1.0).abs() < 1e-6, "{sum}, not {weight} N");
    }
}

/// With the left front wheel lifted by s, the left rocker turns until its wheel is s higher over the
/// pin of the bogie, which stays level: 2 sin(φ/2) (l cos(φ/2) + d sin(φ/2)) = s for a wheel at l
/// ahead of that pin and d below it. The right rocker stays level, and the chassis turns by φ/2.
#[test]
fn the_chassis_pitches_by_the_mean_of_the_rockers() {
    let (step, mut spec) = (0.1, mer());
    // narrow wheels that deflect by 0.3 mm: on wide ones the load moves to an edge as they lean
    let handling = &mut spec.tire.handling;
    (handling.vertical_stiffness, handling.width) = (1e6, 0.01);
    let bogie_pin = spec.rocker_bogie.as_ref().unwrap().bogie.as_ref().unwrap().pin;
    let ahead = spec.axles[0].wheel_x() - bogie_pin[0];
    let rise = |angle: f64| ahead * angle.sin() + bogie_pin[2] * (1.0 - angle.cos());
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if rise(middle) < step { low = middle } else { high = middle }
    }
    let mut own = at_rest(spec);
    lift(&mut own, step);
    let angles = own.vehicle.link_angles(&own.state);
    let [left, bogie, right, _] = angles[..] else { panic!("{angles:?}") };
    let forward = own.vehicle.pose(&own.room).direction(&Vec3::x());
    let pitch = -forward.z.asin();
    println!("pitch {pitch:.5} of {:.5} rad, links {angles:.5?}", -0.5 * low);
    // the constraint holds rates, with a compliance of 1e-10 rad/s per N m s
    assert!((left + right).abs() < 1e-9, "{left} and {right} rad");
    // the chassis rolls by 0.04 rad, which changes heights over the links by a few thousandths
    let near = 3e-3 * low;
    assert!((pitch + 0.5 * low).abs() < near, "{pitch} rad");
    // the pitch of a rocker is that of the chassis plus its angle
    assert!((pitch + right).abs() < near && (pitch + left + low).abs() < near);
    assert!((bogie - low).abs() < near, "the bogie stays level: {bogie}");
}

/// On a step under one wheel every wheel keeps its load to first order, where fixed wheels lift off.
#[test]
fn all_wheels_keep_their_loads_on_a_step() {
    let step = 0.1;
    let (mut free, mut fixed) = (at_rest(mer()), at_rest(with_fixed_wheels()));
    let level = free.loads.clone();
    [&mut free, &mut fixed].into_iter().for_each(|own| lift(own, step));
    println!("{:.0?} of {level:.0?} N, fixed {:.0?} N", free.loads, fixed.loads);
    for (load, level) in free.loads.iter().zip(&level) {
        // The roll of 0.03 rad moves the center of mass, 0.47 m high, by 14 mm to one side and the
        // loads on wheels 0.16 m wide by up to 22 mm: together below 0.07 of half of 1.06 m.
        assert!((load / level - 1.0).abs() < 0.07, "{load} of {level} N");
    }
    let lifted = fixed.loads.iter().filter(|load| **load == 0.0).count();
    assert!(lifted >= 2, "{:?}", fixed.loads);
}

/// A rocker reaches its stop at the stated angle.
#[test]
fn a_rocker_stops_at_its_largest_angle() {
    let mut spec = mer();
    spec.rocker_bogie.as_mut().unwrap().rocker.max_angle_deg = 2.0;
    let mut own = at_rest(spec);
    lift(&mut own, 0.15);
    let angle = own.vehicle.link_angles(&own.state)[0].to_degrees();
    // the stop has a stiffness of 2 MN m/rad
    assert!((angle.abs() - 2.0).abs() < 0.02, "{angle} degrees");
}

#[test]
fn refuses_links_that_carry_no_vehicle() {
    let text = include_str!("../vehicles/mer.toml");
    let spring = "[axles.spring]\nfree_length = 0.1\ntension = [[-1.0, -1e4], [1.0, 1e4]]\n";
    let sprung = format!("{spring}\n[steering.direct]");
    let no_bogie = {
        let (ahead, after) = text.split_once("[rocker_bogie.bogie]").unwrap();
        let (_, after) = after.split_once("[[axles]]").unwrap();
        format!("{ahead}[[axles]]{after}")
    };
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "the file has no '{from}'");
        text.replacen(from, to, 1)
    };
    for (file, message) in [
        (
            changed("pin = [-0.35, 0.42, 0.15]", "pin = [-0.8, 0.42, 0.15]"),
            "rocker_bogie.bogie.pin = [-0.8, 0.42, 0.15]: must be on the left (y above 0), between \
             its wheels at x = -0.7 and 0",
        ),
        (
            changed("pin = [0.0, 0.40, 0.30]", "pin = [-0.5, 0.40, 0.30]"),
            "rocker_bogie.rocker.pin = [-0.5, 0.4, 0.3]: must be on the left (y above 0), between \
             its wheel and the bogie's pin at x = -0.35 and 0.7",
        ),
        (
            changed("axles = [\"front\"]", "axles = [\"frnt\"]"),
            "rocker_bogie.rocker.axles = frnt: must be names of axles: front, middle, rear",
        ),
        (
            changed("axles = [\"front\"]", "axles = [\"front\", \"middle\"]"),
            "rocker_bogie.rocker.axles = 2 axles: must be one axle, as rocker_bogie.bogie has two",
        ),
        (
            changed("axles = [\"front\"]", "axles = [\"middle\"]"),
            "rocker_bogie.bogie.axles = middle, rear: must be two axles that are not on the rocker",
        ),
        (
            changed("axles = [\"middle\", \"rear\"]", "axles = [\"rear\", \"middle\"]"),
            "rocker_bogie.bogie.axles = rear, middle: must be two consecutive axles, front first",
        ),
        (
            changed("link = { mass = 5.0", "link = { mass = 0.0"),
            "rocker_bogie.bogie.link.mass = 0: must be finite and above 0",
        ),
        (
            changed("max_angle_deg = 30.0", "max_angle_deg = 0.0"),
            "rocker_bogie.rocker.max_angle_deg = 0: must be from 0.1 to 90",
        ),
        (
            changed("com = [0.10, 0.42, 0.20]", "com = [1.10, 0.42, 0.20]"),
            "rocker_bogie.rocker.com = [1.1, 0.42, 0.2]: must be between the first and the last \
             wheel, x from -0.7 to 0.7",
        ),
        (
            changed("[steering.direct]", &sprung),
            "axles[2].spring = given: must be absent with suspension.rigid, which has no springs",
        ),
        (
            no_bogie,
            "axles = 3 axles: must be 2 axles, all on rocker_bogie: 2 on a rocker, 3 with a bogie; \
             no trailer",
        ),
    ] {
        let error = VehicleSpec::from_toml(&file).expect_err(message);
        assert_eq!(error.to_string(), message);
    }
    let husky = include_str!("../vehicles/husky.toml");
    let damper = "[axles.damper]\ncompression = 1000.0\nrebound = 1000.0\n";
    let error = VehicleSpec::from_toml(&husky.replacen(damper, "", 1)).unwrap_err().to_string();
    assert_eq!(error, "axles[0].damper = absent: must be given, unless the suspension is rigid");
    let differential = text.replacen("[rocker_bogie.rocker]", "[rocker_bogie.rockr]", 1);
    let error = VehicleSpec::from_toml(&differential).unwrap_err().to_string();
    assert!(error.contains("did you mean `rocker`?"), "{error}");
    let mut steered = mer();
    steered.axles[1].steered = true;
    let error = steered.check().unwrap_err().to_string();
    let absent = "axles[1].suspension.rigid.knuckle = absent: must be given, because the axle is \
                  steered";
    assert_eq!(error, absent);
    let mut of_sides = mer();
    of_sides.motor_drive.as_mut().unwrap().placement = MotorPlacement::Side;
    let error = of_sides.check().unwrap_err().to_string();
    let other = "steering = another kind: must be skid with motor_drive, unless \
                 motor_drive.placement = \"wheel\"";
    assert_eq!(error, other);
}

/// With corner wheels at the angles of Ackermann, front and rear opposite, the middle turns on the
/// radius l/(2 tan δ) for wheels l apart and the mean tangent of the angles.
#[test]
fn steered_corner_wheels_turn_on_the_radius_of_their_geometry() {
    let spec = mer();
    let (lever, tangent) = (spec.axles[0].wheel_x(), spec.max_steer().tan());
    for steering in [0.5, 1.0, -1.0] {
        let mut own = Rolling::new(mer());
        own.run(1.0, held());
        own.run(12.0, Controls { throttle: 0.4, steering, ..Controls::default() });
        let expected = lever / (tangent * steering.abs());
        let (radius, yaw) = (own.radius(0.0), own.vehicle.twist(&own.room).angular.z);
        println!("{radius:.3} of {expected:.3} m at {:.3} m/s", own.speed());
        assert!(own.speed() > 0.02 && yaw * steering > 0.0);
        // unequal resistances of the wheels are balanced by slip angles of about 10 N over 5600 N/rad
        assert!((radius / expected - 1.0).abs() < 0.01, "{radius}, not {expected} m");
    }
}

/// The rover with 0.15 m between its center of mass and the middle, and a motor for each side.
fn front_heavy(placement: MotorPlacement) -> VehicleSpec {
    let mut spec = mer();
    spec.chassis.com[0] = 0.15;
    let drive = spec.motor_drive.as_mut().unwrap();
    drive.placement = placement;
    if placement == MotorPlacement::Side {
        let motor = &mut drive.motor;
        motor.max_torque *= 3.0;
        motor.max_power *= 3.0;
        motor.inertia *= 3.0;
        motor.resistance /= 3.0;
        let skid = bekker_vehicle::spec::SkidSteering { max_yaw_rate: 0.03 };
        spec.steering = Some(bekker_vehicle::spec::Steering::Skid(skid));
        spec.axles.iter_mut().for_each(|axle| axle.steered = false);
    }
    spec.check().unwrap();
    spec
}

/// Drives a rover from rest against a damper that holds it at about 0.01 m/s, below the base speed of
/// its motors, up to which their limit is constant.
fn pull(spec: VehicleSpec, friction: f64, throttle: f64) -> Rolling {
    let mut own = Rolling::new(spec);
    own.run(1.0, held());
    own.ground[LIFTED][1] = friction;
    for _ in 0..1500 {
        own.room.chassis_load().wrench.force.x = -18_700.0 * own.speed();
        own.step(&Controls { throttle, ..Controls::default() });
    }
    own
}

/// Motors of single wheels give equal torques under unequal loads. One motor for a side turns its
/// wheels at one speed, so that the wheels with more load pull more.
#[test]
fn motors_of_wheels_share_the_thrust_equally() {
    let throttle = 0.1;
    let [of_wheels, of_sides] = [MotorPlacement::Wheel, MotorPlacement::Side]
        .map(|placement| pull(front_heavy(placement), 0.8, throttle));
    let spec = front_heavy(MotorPlacement::Wheel);
    let drive = spec.motor_drive.unwrap();
    let thrusts = |own: &Rolling| -> Vec<f64> {
        own.room.clone().loads().iter().map(|own| own.wrench.force.x).collect()
    };
    let (wheels, sides) = (thrusts(&of_wheels), thrusts(&of_sides));
    println!("{wheels:.2?} and {sides:.2?} N under {:.0?} N", of_wheels.loads);
    assert!(of_wheels.loads[0] > 1.5 * of_wheels.loads[2]);
    for reading in of_wheels.room.wheel_motors() {
        // below the base speed the limit is constant
        assert!((reading.torque - throttle * drive.motor.max_torque).abs() < 1e-9, "{reading:?}");
        let current = reading.torque / drive.motor.torque_constant;
        assert!((reading.current - current).abs() < 1e-12);
    }
    let mean = wheels.iter().sum::<f64>() / 6.0;
    for thrust in &wheels {
        // the rolling torque of the tires, below 0.02 of their loads, fades at such a slow spin
        assert!((thrust / mean - 1.0).abs() < 0.02, "{thrust} of {mean} N");
    }
    assert!(sides[0] > 1.3 * sides[2], "{sides:?}");
    let total = of_wheels.room.motors().unwrap();
    let sum: f64 = of_wheels.room.wheel_motors().iter().map(|own| own.power).sum();
    assert!((total.power - sum).abs() < 1e-12 * sum);
}

/// A wheel on ice spins up to the speed without load, and the others keep their torque.
#[test]
fn a_spinning_wheel_takes_no_torque_from_the_others() {
    let (throttle, drive) = (0.1, mer().motor_drive.unwrap());
    let own = pull(mer(), 0.0, throttle);
    let full = throttle * drive.motor.max_torque;
    let [spinning, others @ ..] = own.room.wheel_motors() else { panic!("no motors") };
    println!("{spinning:?}, {others:?}");
    let spin = own.vehicle.wheel_spin(&own.state, LIFTED) / drive.ratio;
    let share = spin / drive.motor.no_load_speed();
    assert!((0.95..=1.0).contains(&share) && spinning.torque < 0.5 * full, "{share}");
    assert!(others.iter().all(|own| (own.torque / full - 1.0).abs() < 1e-9), "{others:?}");
}
