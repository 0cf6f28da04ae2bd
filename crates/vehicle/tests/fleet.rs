//! Tests of the built-in vehicles and their templates on firm, level ground.
//!
//! They cover axle loads, turning circles, torque distribution, anti-roll bars and walking beams.

mod rolling;

use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::Vec3;
use bekker_vehicle::spec::{AntiRollBar, Layout, LoadSensing, Suspension};
use bekker_vehicle::{Controls, Selector, find_wheeled};
use rolling::{Rolling, held};

/// Axle loads in equilibrium follow from the bodies of the sources, and all closures stay closed.
#[test]
fn axles_carry_the_published_loads() {
    // Load of one wheel of each axle, N: Chrono's bodies, summed in the reference. For the
    // FED-Alpha, 41.62 % of the sprung mass is in front, and half of the rest.
    let sources: [(&str, &[f64]); 4] = [
        ("fed_alpha", &[13334.0, 18005.0]),
        ("fmtv_4x4", &[22705.0, 16276.0]),
        ("fmtv_6x6", &[23576.0, 14797.0, 14797.0]),
        ("gator", &[1876.0, 2569.0]),
    ];
    for (name, wheels) in sources {
        let mut own = Rolling::new(find_wheeled(name).unwrap());
        own.run(6.0, held());
        let axles = own.axles();
        println!("{name}: axles {axles:.0?} N, drift {:.1e} m", own.drift);
        let weight: f64 = axles.iter().sum();
        for (axle, wheel) in axles.iter().zip(wheels) {
            // Half a percent of the weight: the axles move fore and aft by mm with the travel, and
            // rods that are massless here are part of the beams.
            assert!((axle - 2.0 * wheel).abs() < 0.005 * weight, "{name}: {axle} N on {wheel}");
        }
        assert!((weight / (own.vehicle.mass() * GRAVITY) - 1.0).abs() < 1e-3, "{name}: {weight}");
        assert!(own.drift < 1e-6, "{name}: {} m", own.drift);
    }
}

#[test]
fn they_turn_as_tightly_as_is_said() {
    // Radius at full lock and walking pace, m, of the front axle's middle or of the outer front
    // wheel, and tolerance. FED-Alpha: 6.52 (Chrono's own test; its speed is not stated, and slip
    // widens a circle). Gator: diameter 7.3 (grainews.ca). FMTV: 11 curb to curb (stated for both
    // wheelbases). MAN: from its angle, wheelbase over sine.
    let sources = [
        ("fed_alpha", 6.52, 0.0, 0.03),
        ("gator", 3.65, 0.56, 0.03),
        ("fmtv_4x4", 11.0, 1.0, 0.03),
        ("man_8x8", 6.3 / 39f64.to_radians().sin(), 0.0, 0.03),
    ];
    for (name, radius, aside, near) in sources {
        let mut own = Rolling::new(find_wheeled(name).unwrap());
        own.run(2.0, held());
        for _ in 0..9000 {
            let throttle = (0.3 * (1.2 - own.speed())).clamp(0.0, 0.6);
            own.step(&Controls { throttle, steering: 1.0, ..Controls::default() });
        }
        let found = own.radius(own.vehicle.spec().axles[0].position[0]) + aside;
        println!("{name}: {found:.2} m, said {radius:.2} m");
        assert!((found / radius - 1.0).abs() < near, "{name}: {found} m, not {radius}");
    }
}

#[test]
fn they_run_as_fast_as_is_said() {
    // km/h at full throttle on level ground: militarytrader.com, grainews.ca, cirque-culinaire.de
    for (name, top, time) in
        [("fmtv_4x4", 93.0, 45.0), ("gator", 24.0, 10.0), ("man_8x8", 90.0, 45.0)]
    {
        let mut own = Rolling::new(find_wheeled(name).unwrap());
        own.run(1.0, held());
        own.run(time, Controls { throttle: 1.0, ..Controls::default() });
        let speed = 3.6 * own.speed();
        println!("{name}: {speed:.1} km/h, said {top}");
        assert!((speed / top - 1.0).abs() < 0.05, "{name}: {speed} km/h, not {top}");
    }
}

/// Load difference of a vertical strut on horizontal trailing arms with an anti-roll bar.
///
/// It is (spring + 2 bar) times the difference of the travels. The bar's rate at the wheel is k
/// (arm's lever over bar's)² over the square of the arm's length.
#[test]
fn an_anti_roll_bar_resists_roll_by_its_stiffness_and_levers() {
    let (stiffness, lever, arm) = (3000.0, 0.2, 0.4);
    let bar = AntiRollBar { stiffness, damping: 0.0, lever, drop_link: [0.0, 0.45, 0.0] };
    for given in [None, Some(bar)] {
        let mut spec = find_wheeled("gator").unwrap();
        assert!(matches!(spec.axles[1].suspension, Suspension::TrailingArm(_)));
        spec.axles[1].anti_roll_bar = given;
        let mut own = Rolling::new(spec);
        // the left wheels are higher in front and the right ones behind: the chassis stays level
        own.ground = [0.02, -0.02, -0.02, 0.02].map(|height| [height, 0.8]).to_vec();
        own.run(5.0, held());
        let travel = |wheel| -own.vehicle.spring_length(&own.room, wheel).unwrap();
        let across = travel(2) - travel(3);
        let at_wheel = given.map_or(0.0, |_| 2.0 * stiffness / (lever * lever) * (arm / arm));
        let expected = (300e3 + at_wheel) * across;
        let found = own.loads[2] - own.loads[3];
        println!("across {across:.5} m: {found:.1} N, expected {expected:.1}");
        // the arms deviate from horizontal by a degree, and the brakes hold the wheels
        assert!((found / expected - 1.0).abs() < 0.03, "{found} N, not {expected}");
    }
}

#[test]
fn torque_is_split_as_specified() {
    let mut spec = find_wheeled("fmtv_6x6").unwrap();
    for drive in spec.axles.iter_mut().filter_map(|axle| axle.final_drive.as_mut()) {
        // torque that accelerates the shafts would not reach the wheels
        (drive.shaft_inertia, drive.differential.inertia) = (1e-6, 0.0);
    }
    let mut own = Rolling::new(spec);
    own.run(1.0, held());
    own.run(1.5, Controls { throttle: 0.4, ..Controls::default() });
    let torque: Vec<f64> = own.room.drives().iter().map(|wheel| wheel.drive).collect();
    let whole: f64 = torque.iter().sum();
    println!("{torque:.1?} N m");
    assert!(whole > 1000.0);
    for (wheel, share) in [0.15, 0.15, 0.175, 0.175, 0.175, 0.175].into_iter().enumerate() {
        // the remaining millionth of a kg m² of the shafts, and the closures' softness
        assert!((torque[wheel] / whole - share).abs() < 1e-5, "wheel {wheel}: {torque:?}");
    }
}

#[test]
fn differentials_between_axles_lock() {
    let spins = |locked: bool| {
        let mut spec = find_wheeled("fmtv_6x6").unwrap();
        let shafts = spec.driveline.as_mut().unwrap();
        shafts.layout = Layout::ByAxle;
        let between = shafts.inter_axle.as_mut().unwrap();
        (between.locked, between.lock_torque) = (locked, 20000.0);
        let mut own = Rolling::new(spec);
        // the rear axle is on ice
        own.ground[4..].fill([0.0, 0.05]);
        own.run(1.0, held());
        // the ice has enough grip at first
        own.run(4.0, Controls { throttle: 0.3, ..Controls::default() });
        [2, 4].map(|wheel| own.vehicle.wheel_spin(&own.state, wheel))
    };
    let [dry, ice] = spins(false);
    assert!(ice > 2.0 * dry, "open: {dry} and {ice} rad/s");
    let [dry, ice] = spins(true);
    // equal except for the deflection of the clutch's lining
    assert!((ice - dry).abs() < 0.05 * dry, "locked: {dry} and {ice} rad/s");
}

/// Axles 1 and 2 turn about a common center: tan δ = x/(R - y) for each of their wheels.
#[test]
fn two_steered_axles_turn_about_one_center() {
    let mut own = Rolling::new(find_wheeled("man_8x8").unwrap());
    own.run(1.0, held());
    own.run(2.0, Controls { steering: 1.0, ..held() });
    let spec = own.vehicle.spec();
    let radius = (spec.axles[0].position[0] - spec.turning_line()) / spec.max_steer().tan();
    let chassis = own.vehicle.pose(&own.room);
    for wheel in 0..4 {
        let place = own.vehicle.wheel_center(wheel);
        let axis = chassis.orientation.inverse()
            * own.vehicle.wheel_pose(&own.room, wheel).direction(&Vec3::y());
        let angle = (-axis.x).atan2(axis.y);
        let expected = ((place.x - spec.turning_line()) / (radius - place.y)).atan();
        println!("wheel {wheel}: {:.2} deg, {:.2}", angle.to_degrees(), expected.to_degrees());
        // the kingpins lean by five degrees and are 0.2 m inside the wheels' centers
        assert!((angle / expected - 1.0).abs() < 0.03, "wheel {wheel}: {angle}, not {expected}");
    }
}

#[test]
fn a_drag_link_and_a_toe_bar_turn_both_wheels() {
    let mut own = Rolling::new(find_wheeled("fmtv_4x4").unwrap());
    own.run(1.0, held());
    for side in [1.0, -1.0] {
        own.run(2.0, Controls { steering: side, ..held() });
        let chassis = own.vehicle.pose(&own.room);
        let [left, right] = [0, 1].map(|wheel| {
            let axis = own.vehicle.wheel_pose(&own.room, wheel).direction(&Vec3::y());
            let axis = chassis.orientation.inverse() * axis;
            (-axis.x).atan2(axis.y).to_degrees() * side
        });
        let (inner, outer) = if side > 0.0 { (left, right) } else { (right, left) };
        println!("inner {inner:.2}, outer {outer:.2} deg");
        // arm and knuckle have levers of 0.2 m, so the left wheel turns by about the arm's angle
        assert!((left - 22.7).abs() < 3.0 && inner > outer, "{left} {right}");
    }
    assert!(own.drift < 1e-6, "{}", own.drift);
}

#[test]
fn a_walking_beam_loads_both_axles_equally() {
    let uneven = |beam: bool| {
        let mut spec = find_wheeled("fmtv_6x6").unwrap();
        if !beam {
            spec.tandems.clear();
        }
        let mut own = Rolling::new(spec);
        own.ground[2..4].fill([0.06, 0.8]);
        own.run(6.0, held());
        let axles = own.axles();
        println!("{axles:.0?} N");
        axles[1] / axles[2]
    };
    // the springs lean slightly as the axles swing on their rods
    let alike = uneven(true);
    assert!((alike - 1.0).abs() < 0.02, "{alike}");
    assert!(uneven(false) > 1.5);
}

/// At half the pedal, the rear axle brakes in proportion to the load on its springs.
#[test]
fn load_sensing_brakes_give_their_share() {
    let torques = |sensing: Option<LoadSensing>| {
        let mut spec = find_wheeled("fmtv_4x4").unwrap();
        // weak enough that no wheel locks
        spec.axles.iter_mut().for_each(|axle| axle.brake_torque = 1500.0);
        spec.axles[1].load_sensing = sensing;
        let mut own = Rolling::new(spec);
        own.run(1.0, held());
        own.run(4.0, Controls { throttle: 0.6, ..Controls::default() });
        own.run(0.5, Controls { brake: 0.5, gear: Selector::Neutral, ..Controls::default() });
        let force = own.vehicle.spring_force(&own.room, 2).unwrap();
        (own.room.drives().iter().map(|wheel| -wheel.brake).collect::<Vec<f64>>(), force)
    };
    let (whole, _) = torques(None);
    let sensing = LoadSensing { unladen_share: 0.2, laden_force: 30e3 };
    let (sensed, force) = torques(Some(sensing));
    println!("{whole:.0?}, {sensed:.0?} N m under {force:.0} N");
    assert!((whole[2] - 750.0).abs() < 1.0 && (sensed[0] - 750.0).abs() < 1.0);
    let share = 0.2 + 0.8 * force / 30e3;
    // the force is that of the step's end, one step after the brake's
    assert!((sensed[2] / (750.0 * share) - 1.0).abs() < 0.01, "{sensed:?}, share {share}");
    assert!(share > 0.3 && share < 0.9);
}

/// An engine without a converter, held by the brakes at full throttle, turns at the speed at which
/// its clutch transmits its torque.
#[test]
fn a_clutch_slips_where_it_carries_the_engine_s_torque() {
    let mut own = Rolling::new(find_wheeled("fed_alpha").unwrap());
    own.run(1.0, held());
    own.run(3.0, Controls { throttle: 1.0, ..held() });
    let speed = own.vehicle.drivetrain().engine_speed(&own.state);
    let powertrain = own.vehicle.spec().powertrain.as_ref().unwrap();
    let given = powertrain.engine.torque(1.0, speed).value;
    let carried = powertrain.clutch.unwrap().capacity(speed);
    println!("{:.0} rpm: {given:.1} and {carried:.1} N m", speed / (std::f64::consts::TAU / 60.0));
    assert!(own.speed().abs() < 0.01);
    // equilibrium after three seconds
    assert!((given / carried - 1.0).abs() < 1e-3, "{given} and {carried} N m");
}
