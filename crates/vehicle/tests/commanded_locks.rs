//! Differentials that a driver locks, with ice under the left wheels or under the front axle.

mod rolling;

use bekker_vehicle::spec::{Differential, Suspension};
use bekker_vehicle::{Controls, Locks, VehicleSpec, find};
use rolling::{H, Rolling, held};

const ICE: f64 = 0.05;

/// The HMMWV with locks of 5 kN m on all its differentials that a driver engages.
fn lockable() -> VehicleSpec {
    let mut spec = find("hmmwv").unwrap();
    let lock = |own: &mut Differential| (own.commanded, own.lock_torque) = (true, 5000.0);
    lock(&mut spec.driveline.centre);
    spec.axles
        .iter_mut()
        .for_each(|axle| lock(&mut axle.final_drive.as_mut().unwrap().differential));
    spec
}

/// It after 3 s at a quarter of the throttle with some locks, and ice under some wheels.
fn pulled(locks: Locks, on_ice: &[usize]) -> Rolling {
    let mut rolling = Rolling::new(lockable());
    on_ice.iter().for_each(|&wheel| rolling.ground[wheel][1] = ICE);
    rolling.run(2.0, held());
    rolling.run(3.0, Controls { throttle: 0.25, locks, ..Controls::default() });
    rolling
}

fn spins(own: &Rolling) -> Vec<f64> {
    (0..own.vehicle.wheels()).map(|wheel| own.vehicle.wheel_spin(&own.state, wheel)).collect()
}

/// Sums of the wheels' torques over some steps, N m, under the same throttle.
fn torques(own: &mut Rolling, locks: Locks, seconds: f64) -> Vec<f64> {
    let mut sums = vec![0.0; own.vehicle.wheels()];
    let steps = (seconds / H).round() as usize;
    for _ in 0..steps {
        own.step(&Controls { throttle: 0.25, locks, ..Controls::default() });
        for (sum, drive) in sums.iter_mut().zip(own.room.drives()) {
            *sum += drive.drive / steps as f64;
        }
    }
    sums
}

const AXLES: Locks = Locks { front_axles: true, rear_axles: true, ..Locks::OPEN };

#[test]
fn each_switch_locks_what_it_says() {
    assert_eq!(
        lockable().locks(),
        Locks { centre: true, ..AXLES },
        "it has no differentials between axles of one output"
    );
    let left = [0, 2];
    let open = pulled(Locks::OPEN, &left);
    let locked = pulled(AXLES, &left);
    // clutches in the order of the axles, then the centre's
    assert_eq!(open.state.engaged, [false; 3]);
    assert_eq!(locked.state.engaged, [true, true, false]);
    let [free, held] = [&open, &locked].map(spins);
    println!("open {free:?}, locked {held:?}");
    for axle in [0, 2] {
        assert!(free[axle] > 3.0 * free[axle + 1], "open: {free:?}");
        // one speed, but for what the lining winds and unwinds as the vehicle speeds up
        let apart = (held[axle] - held[axle + 1]).abs();
        assert!(apart < 1e-3 * held[axle], "locked: {held:?}");
    }
    let rear = pulled(Locks { rear_axles: true, ..Locks::OPEN }, &left);
    let spins = spins(&rear);
    assert!((spins[2] - spins[3]).abs() < 1e-3 * spins[3], "{spins:?}");
    assert_eq!(rear.state.engaged, [false, true, false]);
}

/// Open, each wheel of an axle gets the same torque; locked, the one on ice no more than ice holds,
/// and the other the rest. What speeds a wheel up and what rolling takes come on top.
#[test]
fn a_lock_splits_the_torque_by_grip() {
    let mut open = pulled(Locks::OPEN, &[0, 2]);
    let of = torques(&mut open, Locks::OPEN, 0.2);
    for axle in [0, 2] {
        assert!((of[axle] - of[axle + 1]).abs() < 1e-6 * of[axle].abs(), "open: {of:?}");
    }
    let mut locked = pulled(AXLES, &[0, 2]);
    let before = spins(&locked);
    let of = torques(&mut locked, AXLES, 0.2);
    let after = spins(&locked);
    let radius = locked.vehicle.ride_radius();
    let spec = locked.vehicle.spec();
    let Suspension::DoubleWishbone(front) = &spec.axles[0].suspension else { panic!() };
    let half_shaft = spec.axles[0].final_drive.unwrap().half_shaft_inertia;
    let inertia = front.spindle.inertia[1]
        + half_shaft
        + spec.wheel_of(0).inertia[1]
        + spec.tyre_of(0).inertia[1];
    for wheel in [0, 2] {
        // what ice holds at most, what rolling takes, and what speeds the wheel up: with the slip of
        // the other wheel the one on ice is not yet at all that ice holds
        let spun = inertia * (after[wheel] - before[wheel]) / 0.2;
        let resistance = spec.tyre_of(0).handling.rolling_resistance;
        let most = (ICE + resistance) * locked.loads[wheel] * radius + spun;
        println!("on ice {} of at most {most} N m, other side {}", of[wheel], of[wheel + 1]);
        assert!(of[wheel] < most, "{} {most}", of[wheel]);
        assert!(of[wheel + 1] > 4.0 * of[wheel], "locked: {of:?}");
    }
    assert!(locked.speed() > 2.0 * open.speed(), "{} {}", locked.speed(), open.speed());
}

/// With ice under the whole front axle an open centre gives both outputs the same torque; a locked
/// transfer case turns both shafts alike.
#[test]
fn a_locked_transfer_case_turns_both_axles_alike() {
    let centre = Locks { centre: true, ..Locks::OPEN };
    let (open, locked) = (pulled(Locks::OPEN, &[0, 1]), pulled(centre, &[0, 1]));
    let mean = |own: &Rolling, axle: usize| 0.5 * (spins(own)[axle] + spins(own)[axle + 1]);
    let [free, held] = [&open, &locked].map(|own| [mean(own, 0), mean(own, 2)]);
    println!("open {free:?}, locked {held:?}");
    assert!(free[0] > 3.0 * free[1], "{free:?}");
    assert!((held[0] - held[1]).abs() < 1e-3 * held[1], "{held:?}");
}

#[test]
fn it_opens_when_the_switch_does() {
    let mut rolling = pulled(AXLES, &[0, 2]);
    rolling.step(&Controls { throttle: 0.25, ..Controls::default() });
    assert_eq!(rolling.state.engaged, [false; 3]);
    rolling.run(2.0, Controls { throttle: 0.25, ..Controls::default() });
    let spins = spins(&rolling);
    assert!(spins[0] > 1.5 * spins[1], "{spins:?}");
}

#[test]
fn a_lock_is_engaged_in_one_way() {
    let mut spec = lockable();
    spec.driveline.centre.locked = true;
    let told = spec.check().unwrap_err().to_string();
    assert!(told.starts_with("driveline.centre.locked = true: must be false"), "{told}");
}
