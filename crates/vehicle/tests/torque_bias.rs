//! Tests of torque-biasing differentials, with ice under the left wheels or the front axle.

mod rolling;

use bekker_vehicle::spec::VehicleSpec;
use bekker_vehicle::{Controls, find_wheeled};
use rolling::{Rolling, held};

const ICE: f64 = 0.05;

/// Torques, N m, and spins, rad/s, of the wheels after 3 s at `throttle`, with ice under some
/// wheels.
fn pulled(spec: VehicleSpec, throttle: f64, on_ice: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let mut own = Rolling::new(spec);
    on_ice.iter().for_each(|&wheel| own.ground[wheel][1] = ICE);
    own.run(1.0, held());
    own.run(3.0, Controls { throttle, ..Controls::default() });
    let spins = (0..4).map(|wheel| own.vehicle.wheel_spin(&own.state, wheel)).collect();
    (own.room.drives().iter().map(|wheel| wheel.drive).collect(), spins)
}

fn with_bias(bias: Option<f64>) -> VehicleSpec {
    let mut spec = find_wheeled("hmmwv").unwrap();
    for axle in &mut spec.axles {
        let own = &mut axle.final_drive.as_mut().unwrap().differential;
        (own.torque_bias, own.lock_torque) = (bias, 0.0);
    }
    spec
}

/// The gripping wheel gets B times the torque of the spinning one.
#[test]
fn the_slower_wheel_gets_its_ratio_times_the_torque_of_the_faster() {
    for bias in [1.0, 2.0, 4.0] {
        let (torque, spin) = pulled(with_bias(Some(bias)), 0.3, &[0, 2]);
        println!("{bias}: {torque:.1?} N m, {spin:.2?} rad/s");
        for axle in [0, 2] {
            assert!(spin[axle] > 1.05 * spin[axle + 1], "{bias}: {spin:?}");
            // the friction follows the carrier's torque of the previous step, which changes by less
            // than a thousandth per step
            let found = torque[axle + 1] / torque[axle];
            assert!((found / bias - 1.0).abs() < 5e-3, "{bias}: {found}");
        }
    }
}

/// A ratio of 1 is an open differential: equal torques.
#[test]
fn without_ice_nothing_is_biased_that_rolls_alike() {
    let [(open, _), (biased, _)] = [None, Some(4.0)].map(|bias| pulled(with_bias(bias), 0.3, &[]));
    println!("{open:.2?}, {biased:.2?} N m");
    for (one, other) in open.iter().zip(&biased) {
        // the vehicle is not exactly symmetric: linings deflect by the load differences
        assert!((one - other).abs() < 0.01 * one.abs(), "{open:?}, {biased:?}");
    }
}

/// An axle on ice spins through a biasing center differential; the other axle gets its ratio.
///
/// The friction between the axles' torques is less than half of what would prevent the spin.
#[test]
fn a_center_differential_biases_as_well() {
    let mut spec = with_bias(None);
    let center = &mut spec.driveline.as_mut().unwrap().center;
    (center.torque_bias, center.lock_torque) = (Some(3.0), 0.0);
    let (torque, _) = pulled(spec, 0.3, &[0, 1]);
    let [front, rear] = [torque[0] + torque[1], torque[2] + torque[3]];
    println!("{front:.1}, {rear:.1} N m");
    // half a kg m² of shaft on each side also accelerates behind the differential
    assert!((rear / front / 3.0 - 1.0).abs() < 0.05, "{front} and {rear} N m");
}

#[test]
fn a_bias_with_a_lock_is_refused() {
    let mut spec = with_bias(Some(4.0));
    spec.axles[1].final_drive.as_mut().unwrap().differential.locked = true;
    let told = spec.check().unwrap_err().to_string();
    assert_eq!(
        told,
        "axles[1].final_drive.differential.torque_bias = 4: must be absent with locked, commanded \
         or automatic: a lock overrides it"
    );
    let told = with_bias(Some(0.5)).check().unwrap_err().to_string();
    assert_eq!(told, "axles[0].final_drive.differential.torque_bias = 0.5: must be from 1 to 20");
}
