//! Rockers and bogies on firm ground: wheel loads by statics, the differential, and a step.

mod rolling;

use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::Vec3;
use bekker_vehicle::find_wheeled;
use bekker_vehicle::spec::{SuspensionLink, VehicleSpec};
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
    let wheel = spec.wheel.mass + spec.tire.mass + 0.5 * spec.axles[0].suspension.mass();
    carried.iter().map(|load| load + weight(wheel)).collect()
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
    let sprung = format!("{spring}\n[steering.skid]");
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
            changed("link = { mass = 6.0", "link = { mass = 0.0"),
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
            changed("[steering.skid]", &sprung),
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
    steered.axles[0].steered = true;
    let error = steered.check().unwrap_err().to_string();
    assert_eq!(
        error,
        "axles[0].steered = true: must be false, because wheels on rigid mounts cannot be steered"
    );
}
