//! Tests of a chassis of two bodies with a torsion joint: static twist and free torsional
//! vibration.

mod rolling;

use bekker_math::spatial::{Pose, Vec3};
use bekker_vehicle::spec::RearFrame;
use bekker_vehicle::{Controls, Vehicle, VehicleSpec, find_wheeled};
use rolling::{H, Rolling, held};

/// The rear body of Chrono's LMTV with its joint, stiffness and damping.
fn lmtv() -> RearFrame {
    RearFrame {
        joint: [-1.85, 0.0, 0.45],
        stiffness: 7085.0,
        damping: 70.85,
        mass: 1938.333,
        inertia: [2446.1, 2460.5, 3230.0],
        products: [0.0, -105.5, 0.0],
        com: [-3.1919, 0.0, 0.8404],
    }
}

/// The FMTV 4x4 with its chassis, the sum of both of Chrono's bodies, divided into two bodies.
fn jointed() -> VehicleSpec {
    let mut spec = find_wheeled("fmtv_4x4").unwrap();
    let mut rear = lmtv();
    // The origin of the built-in vehicle's frame differs along x and z, by its center of mass.
    let merged = [-1.51897, 0.0, 0.724253];
    let moved = |point: [f64; 3]| [0, 1, 2].map(|k| point[k] + spec.chassis.com[k] - merged[k]);
    (rear.joint, rear.com) = (moved(rear.joint), moved(rear.com));
    spec.rear_frame = Some(rear);
    spec.check().unwrap();
    spec
}

#[test]
fn two_bodies_equal_one_body() {
    let (one, two) = (find_wheeled("fmtv_4x4").unwrap(), jointed());
    let mass = |spec: &VehicleSpec| Vehicle::new(spec.clone()).unwrap().mass();
    assert!((mass(&one) - mass(&two)).abs() < 1e-9 * mass(&one));
    // on level ground the axle loads equal those of a single body
    let stands = |spec: VehicleSpec| {
        let mut own = Rolling::new(spec);
        own.run(6.0, held());
        own.axles()
    };
    for (one, two) in stands(one).iter().zip(stands(two)) {
        assert!((one / two - 1.0).abs() < 1e-4, "{one} {two}");
    }
}

/// A couple on the front wheels and its opposite on the rear ones, without gravity.
///
/// The joint transmits all of it and twists by couple / stiffness.
#[test]
fn opposite_loads_twist_it_by_their_couple() {
    let mut spec = jointed();
    // for a fast decay
    let rear = spec.rear_frame.as_mut().unwrap();
    rear.damping = 3000.0;
    let stiffness = rear.stiffness;
    let vehicle = Vehicle::new(spec).unwrap();
    let mut state = vehicle.state(&Pose::default());
    let mut room = vehicle.workspace(&state);
    *room.gravity() = Vec3::zeros();
    let force = 100.0;
    for tick in 0..20_000 {
        let up = vehicle.pose(&room).direction(&Vec3::z());
        for (wheel, sense) in [1.0, -1.0, -1.0, 1.0].into_iter().enumerate() {
            room.loads()[wheel].wrench.force = up * (force * sense);
        }
        vehicle.step(&mut state, &mut room, &Controls::default(), tick, H).unwrap();
    }
    let twist = vehicle.frame_twist(&room).unwrap();
    let at = |wheel: usize| vehicle.wheel_pose(&room, wheel).position;
    let chassis = vehicle.pose(&room);
    let couple = force * chassis.direction(&Vec3::y()).dot(&(at(0) - at(1)));
    println!("twist {twist:.6} rad under {couple:.2} N m");
    // With a different rear track, the difference of the couples accelerates both bodies. The joint
    // then transmits a couple between the two.
    let rear = force * chassis.direction(&Vec3::y()).dot(&(at(2) - at(3)));
    let [low, high] = [couple.min(rear), couple.max(rear)].map(|own| own / stiffness);
    // the rear wheels push up on the right: the rear frame's left side sinks relative to the front
    assert!(-twist > low * (1.0 - 1e-3) && -twist < high * (1.0 + 1e-3), "{twist} {low} {high}");
}

/// Both bodies have their centers on the joint's axis and are so heavy that wheels are negligible.
///
/// ω² = k (1/I_front + 1/I_rear); without damping the amplitude is constant.
#[test]
fn it_swings_as_two_bodies_on_a_torsion_spring() {
    let [front, rear] = [2e6, 1e6];
    let mut spec = jointed();
    let own = spec.rear_frame.as_mut().unwrap();
    (own.stiffness, own.damping) = (1e8, 0.0);
    let axis = [own.joint[1], own.joint[2]];
    (own.mass, own.inertia, own.products) = (1e6, [rear, 2e6, 2e6], [0.0; 3]);
    own.com = [own.joint[0] - 1.0, axis[0], axis[1]];
    let whole = &mut spec.chassis;
    (whole.mass, whole.products) = (2e6, [0.0; 3]);
    whole.com = [own.joint[0], axis[0], axis[1]];
    // front: 1e6 kg at 1 m ahead of the joint; the parallel-axis terms of both bodies act about y
    // and z
    whole.inertia = [front + rear, 4e6 + 2e6, 4e6 + 2e6];
    let expected = (1e8 * (1.0 / front + 1.0 / rear)).sqrt();
    let vehicle = Vehicle::new(spec).unwrap();
    let mut state = vehicle.state(&Pose::default());
    let mut room = vehicle.workspace(&state);
    *room.gravity() = Vec3::zeros();
    // a moment on the front body for a tenth of a period starts the vibration
    let (mut before, mut crossings) = (0.0, Vec::new());
    for tick in 0..4000_u64 {
        let push = if tick < 50 { 1e5 } else { 0.0 };
        room.chassis_load().wrench.torque = Vec3::x() * push;
        vehicle.step(&mut state, &mut room, &held(), tick, H).unwrap();
        let twist = vehicle.frame_twist(&room).unwrap();
        if tick > 100 && before < 0.0 && twist >= 0.0 {
            crossings.push(tick as f64 * H + H * before / (before - twist));
        }
        before = twist;
    }
    let periods = (crossings.len() - 1) as f64;
    let found = std::f64::consts::TAU * periods / (crossings[crossings.len() - 1] - crossings[0]);
    println!("{found:.4} rad/s, {expected:.4} by the closed form, over {periods} periods");
    // axles weigh a thousandth of the bodies; the step is 1/500 of a period
    assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
}
