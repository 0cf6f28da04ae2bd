//! Tests of differentials with automatic locks, with ice under the left wheels.

mod rolling;

use bekker_vehicle::spec::{AutomaticLock, Differential};
use bekker_vehicle::{Controls, find_wheeled};
use rolling::{Rolling, held};

const LOCK: AutomaticLock = AutomaticLock { engage_rpm: 100.0, release_rpm: 250.0 };

/// The HMMWV with ice under its left wheels after 3 s at half throttle, with modified
/// differentials.
fn pulled(differential: impl Fn(&mut Differential)) -> Rolling {
    let mut spec = find_wheeled("hmmwv").unwrap();
    for axle in &mut spec.axles {
        differential(&mut axle.final_drive.as_mut().unwrap().differential);
    }
    let mut rolling = Rolling::new(spec);
    for left in [0, 2] {
        rolling.ground[left][1] = 0.05;
    }
    rolling.run(2.0, held());
    rolling.run(3.0, Controls { throttle: 0.5, ..Controls::default() });
    rolling
}

#[test]
fn a_lock_that_engages_by_itself_pulls_as_one_that_is_locked() {
    let lock = |own: &mut Differential| own.lock_torque = 5000.0;
    let open = pulled(lock);
    let always = pulled(|own| {
        lock(own);
        own.locked = true;
    });
    let by_itself = pulled(|own| {
        lock(own);
        own.automatic = Some(LOCK);
    });
    let speeds = [&open, &always, &by_itself].map(Rolling::speed);
    println!("open {:.2}, locked {:.2}, by itself {:.2} m/s", speeds[0], speeds[1], speeds[2]);
    // with open differentials each axle pulls with twice the ice's force: a ninth of its capacity
    assert!(speeds[0] < 0.5 * speeds[1], "{speeds:?}");
    // the lock engages almost at once, so that little speed is lost
    assert!(speeds[2] > 0.85 * speeds[1], "{speeds:?}");
    assert_eq!(by_itself.state.engaged, [true, true]);
    assert!(open.state.engaged.is_empty());
}

#[test]
fn it_releases_without_throttle() {
    let mut rolling = pulled(|own| {
        own.lock_torque = 5000.0;
        own.automatic = Some(LOCK);
    });
    rolling.step(&Controls::default());
    assert_eq!(rolling.state.engaged, [false, false]);
}

#[test]
fn a_lock_is_either_always_engaged_or_by_itself() {
    let mut spec = find_wheeled("hmmwv").unwrap();
    let own = &mut spec.axles[0].final_drive.as_mut().unwrap().differential;
    (own.locked, own.automatic) = (true, Some(LOCK));
    let told = spec.check().unwrap_err().to_string();
    assert!(
        told.starts_with("axles[0].final_drive.differential.locked = true: must be false"),
        "{told}"
    );
}
