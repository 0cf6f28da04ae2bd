//! Tests of differentials with driver-operated locks, with ice under the left wheels or the front
//! axle.

mod rolling;

use bekker_vehicle::spec::{Differential, Suspension};
use bekker_vehicle::{Controls, Locks, VehicleSpec, find_wheeled};
use rolling::{H, Rolling, held};

const ICE: f64 = 0.05;

/// The HMMWV with driver-operated locks of 5 kN m on all its differentials.
fn lockable() -> VehicleSpec {
    let mut spec = find_wheeled("hmmwv").unwrap();
    let lock = |own: &mut Differential| (own.commanded, own.lock_torque) = (true, 5000.0);
    lock(&mut spec.driveline.as_mut().unwrap().center);
    spec.axles
        .iter_mut()
        .for_each(|axle| lock(&mut axle.final_drive.as_mut().unwrap().differential));
    spec
}

/// The vehicle after 3 s at a quarter of the throttle with these locks, and ice under these wheels.
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

/// Mean torques of the wheels over some seconds at the same throttle, N m.
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
fn each_switch_engages_its_lock() {
    assert_eq!(
        lockable().locks(),
        Locks { center: true, ..AXLES },
        "it has no differentials between axles of one output"
    );
    let left = [0, 2];
    let open = pulled(Locks::OPEN, &left);
    let locked = pulled(AXLES, &left);
    // clutches in the order of the axles, then the center clutch
    assert_eq!(open.state.engaged, [false; 3]);
    assert_eq!(locked.state.engaged, [true, true, false]);
    let [free, held] = [&open, &locked].map(spins);
    println!("open {free:?}, locked {held:?}");
    for axle in [0, 2] {
        assert!(free[axle] > 3.0 * free[axle + 1], "open: {free:?}");
        // equal speeds, except for changes of the lining's deflection during acceleration
        let apart = (held[axle] - held[axle + 1]).abs();
        assert!(apart < 1e-3 * held[axle], "locked: {held:?}");
    }
    let rear = pulled(Locks { rear_axles: true, ..Locks::OPEN }, &left);
    let spins = spins(&rear);
    assert!((spins[2] - spins[3]).abs() < 1e-3 * spins[3], "{spins:?}");
    assert_eq!(rear.state.engaged, [false, true, false]);
}

/// With open differentials both wheels of an axle get the same torque.
///
/// With locks, the wheel on ice gets no more than the ice holds, and the other one the rest.
/// Torques for acceleration of the wheels and for rolling resistance are added.
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
        + spec.tire_of(0).inertia[1];
    for wheel in [0, 2] {
        // Limit of the ice, plus rolling resistance, plus acceleration of the wheel. With the slip
        // of the other wheel, the one on ice does not yet reach the ice's limit.
        let spun = inertia * (after[wheel] - before[wheel]) / 0.2;
        let resistance = spec.tire_of(0).handling.rolling_resistance;
        let most = (ICE + resistance) * locked.loads[wheel] * radius + spun;
        println!("on ice {} of at most {most} N m, other side {}", of[wheel], of[wheel + 1]);
        assert!(of[wheel] < most, "{} {most}", of[wheel]);
        assert!(of[wheel + 1] > 4.0 * of[wheel], "locked: {of:?}");
    }
    assert!(locked.speed() > 2.0 * open.speed(), "{} {}", locked.speed(), open.speed());
}

/// With ice under the whole front axle, an open center differential gives both outputs equal
/// torque.
///
/// A locked transfer case turns both shafts at equal speed.
#[test]
fn a_locked_transfer_case_turns_both_axles_alike() {
    let center = Locks { center: true, ..Locks::OPEN };
    let (open, locked) = (pulled(Locks::OPEN, &[0, 1]), pulled(center, &[0, 1]));
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
fn a_lock_has_one_control() {
    let mut spec = lockable();
    spec.driveline.as_mut().unwrap().center.locked = true;
    let told = spec.check().unwrap_err().to_string();
    assert!(told.starts_with("driveline.center.locked = true: must be false"), "{told}");
}
