//! Tests of articulated frame steering on firm, level ground: turning radius, rate, relief valve and
//! roll joint.

mod rolling;

use bekker_vehicle::spec::{ArticulatedSteering, ArticulationLevers, Steering};
use bekker_vehicle::{Controls, VehicleSpec, find_wheeled};
use rolling::{H, Rolling, held};

fn forwarder() -> VehicleSpec {
    find_wheeled("forwarder").unwrap()
}

/// The forwarder with other parameters of its cylinders and roll joint.
fn with_steering(change: impl FnOnce(&mut ArticulatedSteering)) -> VehicleSpec {
    let mut spec = forwarder();
    let Some(Steering::Articulated(own)) = &mut spec.steering else { panic!() };
    change(own);
    if own.max_roll_deg == 0.0 {
        spec.rear_frame.as_mut().unwrap().damping = 0.0;
    }
    spec.check().unwrap();
    spec
}

/// A vehicle with one axle on each frame instead of the forwarder's bogies, like a wheel loader.
fn loader() -> VehicleSpec {
    let mut spec = forwarder();
    spec.axles.remove(3);
    spec.axles.remove(1);
    for (axle, x) in spec.axles.iter_mut().zip([2.5, -2.5]) {
        axle.position[0] = x;
    }
    spec.tandems.clear();
    spec.wheelbase = 5.0;
    let shafts = spec.driveline.as_mut().unwrap();
    (shafts.front_axles, shafts.inter_axle) = (None, None);
    spec.check().unwrap();
    spec
}

/// Articulation to the left and roll of the rear frame, rad.
fn articulation(own: &Rolling) -> [f64; 2] {
    let rear = own.vehicle.rear_frame().unwrap();
    rear.articulation(own.vehicle.bodies(), own.room.bodies())
}

/// Drives at a crawl and a steering; returns the articulation, rad, and the radius of the middle of
/// the front axles, m.
fn turn(spec: VehicleSpec, steering: f64) -> [f64; 2] {
    let mut own = Rolling::new(spec);
    own.run(3.0, held());
    for _ in 0..12_000 {
        let throttle = (0.5 * (1.0 - own.speed())).clamp(0.0, 0.6);
        own.step(&Controls { throttle, steering, ..Controls::default() });
    }
    assert!(own.drift < 1e-6, "{}", own.drift);
    let middle = own.vehicle.spec().turning_line();
    [articulation(&own)[0], own.radius(middle)]
}

/// Without slip the lines of both axles meet in the turning center: R = (f cos γ + r)/sin γ.
#[test]
fn a_loader_turns_about_the_intersection_of_its_axles() {
    for share in [0.4, 1.0] {
        let [left, right] = [share, -share].map(|steering| turn(loader(), steering));
        for [angle, radius] in [left, right] {
            let ArticulationLevers { front, rear, .. } = loader().articulation_levers().unwrap();
            let expected = (front * angle.cos() + rear) / angle.sin().abs();
            println!("{:.2} deg: {radius:.4} m, {expected:.4} m", angle.to_degrees());
            // the trail of the tires shifts their lateral forces by centimeters
            assert!((radius / expected - 1.0).abs() < 0.003, "{radius} m, not {expected} m");
        }
        println!("mirrored {left:?} {right:?}");
        assert!((left[0] + right[0]).abs() < 1e-6 && (left[1] - right[1]).abs() < 1e-6);
    }
}

/// The forwarder on tires whose lateral force is proportional to the slip, without trail.
fn on_linear_tires() -> VehicleSpec {
    let mut spec = forwarder();
    let handling = &mut spec.tire.handling;
    let lateral = &mut handling.lateral;
    // for 2 max_force / max_slip = initial_slope the force is 2 s F / (1 + s²), with s = slip/max_slip
    (lateral.max_slip, lateral.sliding_slip) = ([4.0; 2], [9.0; 2]);
    lateral.max_force = lateral.initial_slope.map(|slope| 2.0 * slope);
    lateral.sliding_force = lateral.max_force;
    handling.trail.initial = [0.0; 2];
    spec
}

/// The axles of a bogie are a ahead of and behind its middle, slip sideways in a turn and resist it.
///
/// For the cornering stiffness C of an axle and the curvature κ of a bogie, the moment is 2 C a² κ.
/// The driving forces have no moment about the pin, so a couple of lateral forces F on both bogies
/// balances both moments: F L = 2 a² (C κ + C' κ') for L = f + r, where a prime marks the rear bogie.
/// The middles of the bogies slip by δ = F/(2 C) and δ' = F/(2 C'), hence
/// κ (f cos γ + r) = sin γ - δ cos γ - δ' κ/κ'.
#[test]
fn bogies_widen_the_circle_by_their_length() {
    let spec = on_linear_tires();
    let ArticulationLevers { front, rear, .. } = spec.articulation_levers().unwrap();
    let half = 0.5 * (spec.axles[0].wheel_x() - spec.axles[1].wheel_x());
    let handling = spec.tire.handling;
    let mut own = Rolling::new(spec.clone());
    own.run(6.0, held());
    // the slope is a parabola over the load, through the values at the nominal load and its double
    let stiffness = own.axles().into_iter().map(|load| {
        let (share, [one, two]) =
            (0.5 * load / handling.nominal_load, handling.lateral.initial_slope);
        2.0 * share * (2.0 * one - 0.5 * two - (one - 0.5 * two) * share)
    });
    let stiffness: Vec<f64> = stiffness.collect();
    for steering in [0.15, 0.3] {
        let [angle, radius] = turn(spec.clone(), steering);
        let without_slip = (front * angle.cos() + rear) / angle.sin();
        let ratio = (rear * angle.cos() + front) / (front * angle.cos() + rear);
        let mut curvature = 1.0 / without_slip;
        for _ in 0..50 {
            let sum = stiffness[0] * curvature + stiffness[2] * curvature / ratio;
            let force = 2.0 * half * half * sum / (front + rear);
            let [slip, slip_behind] = [0, 2].map(|axle| 0.5 * force / stiffness[axle]);
            let sine = angle.sin() - slip * angle.cos() - slip_behind * ratio;
            curvature = sine / (front * angle.cos() + rear);
        }
        let expected = 1.0 / curvature;
        println!(
            "{:.2} deg: {radius:.3} m, {expected:.3} m, {without_slip:.3} m without slip",
            angle.to_degrees()
        );
        assert!(expected > 1.05 * without_slip);
        // the drive moments of the inner and the outer wheels and the lean of the tires are neglected
        assert!((radius / expected - 1.0).abs() < 0.005, "{radius} m, not {expected} m");
    }
}

/// The angle follows the steering at the rate of the pump, in either direction, and arrives.
#[test]
fn the_frame_bends_at_the_rate_of_the_pump() {
    for side in [1.0, -1.0] {
        let mut own = Rolling::new(loader());
        own.run(3.0, held());
        own.run(4.0, Controls { throttle: 0.1, ..Controls::default() });
        let Some(Steering::Articulated(steering)) = own.vehicle.spec().steering else { panic!() };
        let (most, rate) =
            (steering.max_angle_deg.to_radians(), steering.max_rate_deg.to_radians());
        let controls = Controls { throttle: 0.1, steering: side, ..Controls::default() };
        let mut before = articulation(&own)[0];
        let mut fastest = 0.0_f64;
        for step in 1..=(most / rate / H) as usize {
            own.step(&controls);
            let angle = articulation(&own)[0];
            // averaged over a tenth of a second, because the frames vibrate on the oil
            if step % 100 == 0 {
                fastest = fastest.max(side * (angle - before) / (100.0 * H));
                before = angle;
            }
            let set = side * rate * step as f64 * H;
            assert!((angle - set).abs() < 0.02, "{angle} rad, set to {set} rad");
        }
        println!("{:.2} deg/s of {:.2}", fastest.to_degrees(), rate.to_degrees());
        own.run(1.0, controls);
        let angle = articulation(&own)[0];
        println!("{:.3} deg", angle.to_degrees());
        assert!((side * angle / most - 1.0).abs() < 0.01, "{angle} rad");
    }
}

/// Standing tires resist the turning of the frame. Cylinders whose relief valve opens below this
/// moment stop short, and hold the angle; on ice the same ones arrive.
#[test]
fn a_relief_valve_yields_to_the_friction_of_standing_tires() {
    let reached = |friction: f64, max_torque: f64| {
        let mut own = Rolling::new(with_steering(|own| own.max_torque = max_torque));
        own.run(4.0, held());
        own.ground.iter_mut().for_each(|ground| ground[1] = friction);
        own.run(4.0, Controls { steering: 1.0, ..held() });
        let early = articulation(&own)[0];
        own.run(2.0, Controls { steering: 1.0, ..held() });
        [early, articulation(&own)[0]].map(f64::to_degrees)
    };
    let [strong, weak, ice] = [reached(0.8, 110e3), reached(0.8, 30e3), reached(0.05, 30e3)];
    println!("{strong:.2?} {weak:.2?} {ice:.2?} deg");
    assert!(strong[1] > 43.0 && ice[1] > 43.0);
    assert!(weak[1] < 22.0 && weak[1] > 0.5 && (weak[1] - weak[0]).abs() < 0.5);
}

/// Ground that is higher under the left front and the right rear wheels twists the vehicle.
///
/// A free roll joint then leaves the loads of left and right wheels equal; a locked one does not.
#[test]
fn a_roll_joint_follows_twisted_ground() {
    let loads = |max_roll_deg: f64| {
        let mut own = Rolling::new(with_steering(|own| own.max_roll_deg = max_roll_deg));
        own.run(1.0, held());
        for (wheel, ground) in own.ground.iter_mut().enumerate() {
            let is_left = wheel % 2 == 0;
            ground[0] = if is_left == (wheel < 4) { 0.1 } else { -0.1 };
        }
        own.run(8.0, held());
        println!("roll {:.2} deg, {:.0?}", articulation(&own)[1].to_degrees(), own.loads);
        (own.loads.clone(), articulation(&own)[1])
    };
    let uneven = |loads: &[f64]| {
        let pairs = loads.chunks(2).map(|pair| (pair[0] - pair[1]).abs() / (pair[0] + pair[1]));
        pairs.fold(0.0, f64::max)
    };
    let (free, roll) = loads(15.0);
    // both frames lean by 0.2 m on 2.14 m, in opposite directions
    let expected = -2.0 * (0.2_f64 / 2.14).atan();
    assert!((roll / expected - 1.0).abs() < 0.03, "{roll} rad, not {expected}");
    let (locked, roll) = loads(0.0);
    assert!(roll.abs() < 1e-9);
    println!("{:.3} free, {:.3} locked", uneven(&free), uneven(&locked));
    assert!(uneven(&free) < 0.12 && uneven(&locked) > 0.3);
    // within the stops, the roll joint has only friction: a small range leaves a moment
    let (stopped, roll) = loads(5.0);
    assert!(roll.abs() > 5_f64.to_radians() && roll.abs() < 8_f64.to_radians());
    assert!(uneven(&stopped) > uneven(&free));
}
