//! Tests of vehicles with trailers on firm, level ground: coupling forces and articulation.

mod rolling;

use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::Vec3;
use bekker_vehicle::spec::HitchKind;
use bekker_vehicle::{Controls, Selector, find_wheeled};
use rolling::{H, Rolling, held};

/// Returns yaw and pitch of the trailer relative to the vehicle, rad.
fn articulation(own: &Rolling) -> [f64; 2] {
    own.vehicle.trailer().unwrap().articulation(own.vehicle.bodies(), own.room.bodies())
}

/// At rest the coupling carries the trailer's load by the lever rule, and no other force.
#[test]
fn the_coupling_carries_its_share_by_the_lever_rule() {
    let mut own = Rolling::new(find_wheeled("hmmwv+cargo_trailer").unwrap());
    own.run(3.0, held());
    // the brakes held the wheels while the arms moved
    own.run(6.0, Controls { gear: Selector::Neutral, ..Controls::default() });
    // Moments about the wheels' contact points, in the trailer's equilibrium position: the sprung
    // mass, and the arms 0.2 m ahead of the wheels.
    let pose = own.vehicle.trailer_pose(&own.room).unwrap();
    let axle = own.vehicle.wheel_pose(&own.room, 4).position.x;
    let com = pose.point(&Vec3::from(own.vehicle.spec().trailer.as_ref().unwrap().chassis.com)).x;
    let moment = GRAVITY * (1360.0 * (com - axle) + 2.0 * 20.0 * 0.2);
    let nose = moment / (pose.position.x - axle);
    let force = own.vehicle.trailer().unwrap().hitch_force(own.room.bodies());
    let axles = own.axles();
    println!("{force:.1?} N, expected {nose:.1}; axles {axles:.0?}");
    // the tires' rolling resistance holds a few N at a lever of 0.5 m
    assert!((-force.z / nose - 1.0).abs() < 0.005, "{force} N, not {nose}");
    assert!(force.x.abs() < 20.0 && force.y.abs() < 1.0, "{force}");
    let weight: f64 = axles.iter().sum();
    assert!((weight / (own.vehicle.mass() * GRAVITY) - 1.0).abs() < 1e-3);
    assert!(own.drift < 1e-6, "{}", own.drift);
}

/// Under uniform acceleration the coupling pulls the trailer's mass.
#[test]
fn the_coupling_force_accelerates_the_trailer() {
    let mut own = Rolling::new(find_wheeled("hmmwv+cargo_trailer").unwrap());
    own.run(3.0, held());
    own.run(4.0, Controls { throttle: 0.4, ..Controls::default() });
    let (mut pull, before, steps) = (0.0, own.speed(), 1000);
    for _ in 0..steps {
        own.step(&Controls { throttle: 0.4, ..Controls::default() });
        pull -= own.vehicle.trailer().unwrap().hitch_force(own.room.bodies()).x / f64::from(steps);
    }
    let acceleration = (own.speed() - before) / (f64::from(steps) * H);
    // plus the spin inertia of its wheels and a resistance of 1.5 % of their load
    let (spun, load) = (2.0 * (6.69 + 0.6243 + 0.07) / 0.46_f64.powi(2), own.axles()[2]);
    let expected = (1542.0 + spun) * acceleration + 0.015 * load;
    println!("{pull:.0} N at {acceleration:.3} m/s2, expected {expected:.0}");
    assert!(acceleration > 0.5);
    assert!((pull / expected - 1.0).abs() < 0.03, "{pull} N, not {expected}");
}

/// Steady off-tracking without slip: R_t² = R_c² - l².
///
/// The coupling is at R_c from the center of the turn, and the trailer's axle l behind it. The
/// articulation is the sum of the angles of both vehicles relative to the line to the coupling.
#[test]
fn a_trailer_cuts_a_corner_by_the_closed_form() {
    let mut own = Rolling::new(find_wheeled("hmmwv+cargo_trailer").unwrap());
    own.run(2.0, held());
    for _ in 0..20_000 {
        let throttle = (0.5 * (1.0 - own.speed())).clamp(0.0, 0.6);
        own.step(&Controls { throttle, steering: 0.8, ..Controls::default() });
    }
    let spec = own.vehicle.spec();
    let trailer = spec.trailer.as_ref().unwrap();
    let (rear, coupling) = (spec.axles[1].position[0], trailer.coupling[0]);
    let at_rear = own.radius(rear);
    let overhang = rear - coupling;
    let length = coupling - spec.axles[2].position[0];
    let at_coupling = at_rear.hypot(overhang);
    let expected = (at_coupling * at_coupling - length * length).sqrt();
    let (pose, twist) = (
        own.vehicle.trailer_pose(&own.room).unwrap(),
        own.vehicle.trailer_twist(&own.room).unwrap(),
    );
    let axle = pose.direction(&(Vec3::x() * -length));
    let found = twist.velocity_at(&axle).norm() / twist.angular.z.abs();
    let [yaw, _] = articulation(&own);
    let angle = (overhang / at_rear).atan() + (length / expected).atan();
    println!(
        "axle at {found:.3} m, expected {expected:.3}; yaw {:.2} deg, expected {:.2}",
        yaw.to_degrees(),
        angle.to_degrees()
    );
    // tires slip by the lateral force at 1 m/s, the tractor's rear axle by that of its turn
    assert!((found / expected - 1.0).abs() < 0.01, "{found} m, not {expected}");
    // in a left turn the trailer points to the right of the tractor's heading
    assert!((yaw + angle).abs() < 0.02, "{yaw} rad, not {angle}");
}

/// A ball transmits no moment: with a rolled trailer the tractor stays level.
///
/// A fifth wheel instead rolls the tractor with the trailer.
#[test]
fn a_ball_passes_on_no_moment_and_a_fifth_wheel_rolls_with_its_trailer() {
    let loads = |kind: HitchKind| {
        let mut spec = find_wheeled("hmmwv+cargo_trailer").unwrap();
        let hitch = &mut spec.trailer.as_mut().unwrap().hitch;
        hitch.kind = kind;
        hitch.plate_width = (kind == HitchKind::FifthWheel).then_some(0.8);
        let mut own = Rolling::new(spec);
        (own.ground[4], own.ground[5]) = ([0.05, 0.8], [-0.05, 0.8]);
        own.run(4.0, held());
        // standing tires keep the lateral forces of the placement; rolling ones release them
        own.run(4.0, Controls { throttle: 0.1, ..Controls::default() });
        println!("{kind:?}: {:.0?} N", own.loads);
        [own.loads[2] - own.loads[3], own.loads[4] - own.loads[5]]
    };
    let [ball, trailer] = loads(HitchKind::Ball);
    // The trailer's mass is to the left of the ball about which it rolls, by up to 0.06 rad times
    // 0.25 m. Of that, the tractor receives the share of the nose weight only.
    assert!(ball.abs() < 30.0, "{ball} N");
    assert!(trailer.abs() < 600.0, "{trailer} N");
    let [tractor, trailer] = loads(HitchKind::FifthWheel);
    assert!(tractor < -300.0 && trailer > 1000.0, "{tractor} {trailer}");
}

/// In reverse with the wheel turned, the trailer jackknifes to the stop and no farther.
#[test]
fn a_jackknife_ends_at_the_stop() {
    let mut own = Rolling::new(find_wheeled("hmmwv+cargo_trailer").unwrap());
    own.run(2.0, held());
    let reverse = Selector::Reverse;
    let mut most: f64 = 0.0;
    for _ in 0..15_000 {
        let throttle = (0.5 * (1.0 + own.speed())).clamp(0.0, 0.6);
        own.step(&Controls { throttle, steering: 0.7, gear: reverse, ..Controls::default() });
        most = most.max(articulation(&own)[0].abs());
    }
    let stop = own.vehicle.spec().trailer.as_ref().unwrap().hitch.max_yaw_deg;
    println!("{:.1} deg, stop at {stop}", most.to_degrees());
    assert!(most.to_degrees() > stop - 1.0 && most.to_degrees() < stop + 2.0);
}
