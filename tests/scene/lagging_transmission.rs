//! Transmission of the reference, whose driveshaft leads the driveline by one step's torque.
//!
//! The driveshaft of its gearbox (J = 0.5 kg m² in all its vehicles used here) is a separate shaft.
//! Before every step its speed is set to that of the driveline
//! (`ChAutomaticTransmissionShafts::Synchronize`). Within the step the gearbox's torque T on the
//! driveline, which is its own reaction, accelerates it by h T/J. Engine and converter therefore
//! drive a shaft that turns faster than the wheels, by a speed that grows with the step and the
//! torque. The fraction h T/(J ω) of their power is lost.

use bekker::curve::Curve;
use bekker::vehicle::powertrain::TorqueConverter;

/// Inertia of the driveshaft in the reference's transmission, kg m².
const DRIVESHAFT: f64 = 0.5;

/// Returns the lead of the gearbox's driveshaft over the driveline at a torque, rad/s.
pub fn ahead(step: f64, torque: f64) -> f64 {
    step * torque / DRIVESHAFT
}

/// Returns the converter's curves as they act at the wheels through such a transmission in a gear.
///
/// They are over the speed ratio at which the wheels turn it, for a nearly constant speed of the
/// engine, rad/s. At the speed ratio s of the converter it turns the driveshaft by T = r(s)
/// (ω/K(s))²/g, so the wheels turn it at s - h T/(J g ω).
pub fn behind(
    converter: &TorqueConverter,
    step: f64,
    gear: f64,
    engine_speed: f64,
) -> TorqueConverter {
    let ratios = (0..=200).map(|k| f64::from(k) / 200.0);
    let rows: Vec<[f64; 3]> = ratios
        .clone()
        .map(|ratio| {
            let capacity = converter.capacity.value(ratio);
            let gain = converter.torque_ratio.value(ratio);
            let torque = gain * (engine_speed / capacity).powi(2) / gear;
            [ratio - ahead(step, torque) / (gear * engine_speed), capacity, gain]
        })
        .collect();
    let over_wheels = |figure: usize| {
        let curve = Curve::new(rows.iter().map(|row| [row[0], row[figure]]).collect()).unwrap();
        Curve::new(ratios.clone().map(|ratio| [ratio, curve.value(ratio)]).collect()).unwrap()
    };
    TorqueConverter { capacity: over_wheels(1), torque_ratio: over_wheels(2) }
}
