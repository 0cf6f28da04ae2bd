//! Tests of brakes with a pressure lag against the closed form.

use bekker_math::numeric::exp;
use bekker_math::spatial::Pose;
use bekker_vehicle::{Controls, Selector, Vehicle, VehicleSpec, find_wheeled};

/// Time step, s.
const H: f64 = 1e-3;

/// After a step of the pedal, a sliding brake's torque rises as 1 - exp(-t/T) and falls as
/// exp(-t/T).
#[test]
fn torque_follows_the_pedal_as_a_first_order_lag() {
    const LAG: f64 = 0.3;
    const PEDAL: f64 = 0.05;
    let mut spec = find_wheeled("hmmwv").unwrap();
    spec.axles[1].brake_lag = Some(LAG);
    let most = spec.axles[1].brake_torque;
    let vehicle = Vehicle::new(spec).unwrap();
    // without ground contact, its wheels spin fast enough to slide in their brakes all the time
    let mut state = vehicle.launched(&Pose::default(), 40.0);
    let mut room = vehicle.workspace(&state);
    let controls = |brake| Controls { brake, gear: Selector::Neutral, ..Controls::default() };
    let mut released = 0.0;
    for tick in 0..900_u64 {
        let pedal = if tick < 600 { PEDAL } else { 0.0 };
        vehicle.step(&mut state, &mut room, &controls(pedal), tick, H).unwrap();
        let time = H * (tick + 1) as f64;
        let part = if tick < 600 {
            released = 1.0 - exp(-time / LAG);
            released
        } else {
            released * exp(-(time - 0.6) / LAG)
        };
        let [ahead, behind] = [0, 2].map(|wheel| room.drives()[wheel].brake.abs());
        // rounding of a few hundred steps
        let expected = most * PEDAL * part;
        assert!((behind - expected).abs() < 1e-9 * most * PEDAL, "{time}: {behind}, {expected}");
        let at_once = if tick < 600 { most * PEDAL } else { 0.0 };
        assert!((ahead - at_once).abs() < 1e-9 * most * PEDAL, "{time}: {ahead}");
    }
}

/// A trailer's brakes lag according to its file, with pressures separate from those of other axles.
#[test]
fn each_axle_has_its_own_lag() {
    let mut spec = find_wheeled("kraz_64431+semitrailer").unwrap();
    let own = spec.tractor_axles().len();
    let trailed = spec.axles.len() - own;
    for axle in &mut spec.axles[own..] {
        axle.brake_lag = Some(0.43);
    }
    let vehicle = Vehicle::new(spec).unwrap();
    let state = vehicle.state(&Pose::default());
    assert_eq!(state.pressures, vec![0.0; trailed]);
    let text = toml::to_string(&find_wheeled("hmmwv").unwrap()).unwrap();
    let wrong = text.replacen("brake_torque", "brake_lag = 9.0\nbrake_torque", 1);
    let told = VehicleSpec::from_toml(&wrong).unwrap_err().to_string();
    assert_eq!(told, "axles[0].brake_lag = 9: must be above 0 and up to 5 s");
}
