//! Engine, torque converter, gearbox and brakes: torques with their tangents.
//!
//! The types are both the contents of the vehicle file and the immutable model. Each law is a
//! method on its parameters and returns torques together with their derivatives. Shafts and their
//! inertias belong to the assembly. Speeds are in rad/s; ratios are output speed over input speed.

mod brake;
mod clutch;
mod converter;
mod engine;
mod gearbox;
mod motor;

pub use brake::{Brake, BrakeState};
pub use clutch::EngineClutch;
pub use converter::{ConverterTorque, TorqueConverter};
pub use engine::{Engine, EngineRating, Fuel, TorqueBasis};
pub(super) use gearbox::NEUTRAL;
pub use gearbox::{GearConstraint, Gearbox, GearboxLoad, GearboxState, Selector};
pub use motor::{Battery, Motor};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Conversion factor from revolutions per minute to rad/s.
pub const RPM: f64 = std::f64::consts::TAU / 60.0;

/// A torque at the start of a step, with its decrease as the speed rises.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Torque {
    /// Torque on the shaft, N m.
    pub value: f64,
    /// Negative derivative of the torque with respect to the shaft's speed, N m s/rad.
    pub damping: f64,
}

/// Powertrain from the crankshaft to the gearbox's output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Powertrain {
    /// The engine.
    pub engine: Engine,
    /// Torque converter between engine and gearbox. Where absent, the clutch alone connects them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converter: Option<TorqueConverter>,
    /// Friction clutch between engine and gearbox. With a converter, it locks the converter up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clutch: Option<EngineClutch>,
    /// The automatic gearbox.
    pub gearbox: Gearbox,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tire::{RollingState, TireState};
    use bekker_math::numeric::GRAVITY;

    /// Time, distance, speed, engine speed (rpm) and gear.
    type PowertrainRow = (f64, f64, f64, f64, i32);

    /// Simulates the HMMWV as one mass on one wheel that represents all four.
    ///
    /// It rolls straight ahead for 12 s at full throttle, which opens from 1 s to 1.2 s.
    fn full_throttle() -> Vec<PowertrainRow> {
        let spec = crate::find_wheeled("hmmwv").unwrap();
        let tire = &spec.tire.handling;
        let Powertrain { engine, converter, gearbox, .. } = spec.powertrain.as_ref().unwrap();
        let converter = converter.as_ref().unwrap();
        let (mass, h) = (spec.total_mass(), 2e-4);
        let drive = spec.axles[0].final_drive.unwrap();
        let load = mass * GRAVITY / 4.0;
        let deflection = load / tire.vertical_stiffness;
        let radius = tire.rolling_radius(deflection);
        let spindle = 0.07352;
        let wheels = 4.0
            * (spec.wheel.inertia[1] + spec.tire.inertia[1] + spindle + drive.half_shaft_inertia)
            + 2.0 * drive.differential.inertia;
        let driveline = spec.driveline.unwrap();
        let shafts = driveline.center.inertia
            + driveline.driveshaft_inertia
            + 2.0 * drive.shaft_inertia
            + gearbox.output_inertia;
        let mut state = TireState::default();
        let mut lever = GearboxState::default();
        let (mut x, mut v, mut wheel, mut motor) = (0.0, 0.0, 0.0_f64, 0.0_f64);
        let mut rows = Vec::new();
        for tick in 0..60_000_u64 {
            let time = h * tick as f64;
            let throttle = ((time - 1.0) / 0.2).clamp(0.0, 1.0);
            let shaft = wheel / drive.ratio;
            let ratio = gearbox.ratio(lever.gear).unwrap();
            let turbine = shaft / ratio;
            let carried = GearboxLoad { drives: true, could_carry: &|_| true };
            let speeds = [turbine, shaft];
            gearbox.shift(&mut lever, Selector::Drive, speeds, &carried, [tick, 5000]);
            let ratio = gearbox.ratio(lever.gear).unwrap();

            let coupling = converter.torque(motor, shaft / ratio);
            let torque = engine.torque(throttle, motor).value + coupling.impeller;
            motor += h * torque / engine.inertia;

            let rolling = RollingState {
                load,
                sliding: [v - wheel * radius, 0.0],
                transport: wheel.abs() * radius,
                friction: 0.8,
            };
            let tread = tire.tangential(&rolling, &state, h);
            let overall = drive.ratio * ratio;
            let inertia = wheels
                + shafts / (drive.ratio * drive.ratio)
                + gearbox.input_inertia / (overall * overall);
            let loaded = tire.unloaded_radius - deflection;
            let resistance = tire.rolling_resistance * load * tire.unloaded_radius * wheel.min(1.0);
            let change = coupling.turbine / overall - 4.0 * (tread.force[0] * loaded + resistance);
            wheel += h * change / (inertia + 4.0 * h * tread.damping[0] * radius * radius);
            v += h * 4.0 * tread.force[0] / mass;
            tire.advance_carcass(&tread, [v - wheel * radius, 0.0], &mut state, h);
            x += h * v;
            rows.push((time + h, x, v, motor / RPM, lever.gear));
        }
        rows
    }

    #[test]
    fn accelerates_as_the_reference_does() {
        // Project Chrono @7689fbc, HMMWV on rigid ground, full throttle from 1 s: engine speed at
        // 1.201 s and 1.221 s; position, speed, engine speed and gear at 12.001 s. There one front
        // wheel spins through its open differential in first gear until 2.4 s, which costs 0.6 m.
        // This model has one wheel for all four, which cannot spin alone.
        let rows = full_throttle();
        let close = |value: f64, reference: f64, relative: f64| {
            assert!((value - reference).abs() < relative * reference, "{value}, not {reference}");
        };
        // a difference, because the reference passes throttle and speed on one step late
        close(rows[6104].3 - rows[6004].3, 634.3 - 518.2, 0.02);
        let (_, x, v, rpm, gear) = rows[rows.len() - 1];
        let lost = 0.6 / v;
        // over a second of 5000 rows
        let acceleration = v - rows[rows.len() - 5001].2;
        println!("{x} m, {v} m/s, {rpm} rpm, {acceleration} m/s²");
        close(x, 129.48 + 0.6, 0.01);
        close(v, 18.607 + acceleration * lost, 0.002);
        close(rpm, 2573.0, 0.001);
        assert_eq!(gear, 3);
    }
}
