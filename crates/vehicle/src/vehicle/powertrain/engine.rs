//! An engine by its torque curves.
//!
//! Torque = throttle · full(ω) + losses(ω): the throttle scales the whole
//! full-throttle curve, its braking end beyond the governed speed included,
//! and friction acts besides. This is the law of the reference's engine of
//! shafts (Project Chrono, `ChShaftsThermalEngine`, twice).

use super::{RPM, Torque};
use crate::curve::Curve;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An engine: torque curves and inertias.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Torque at full throttle (N m) over speed (rpm).
    #[schemars(with = "Vec<[f64; 2]>", length(min = 2), extend("increasing" = true))]
    pub full_throttle_rpm: Curve,
    /// Torque of friction and pumping (N m, negative brakes) over speed (rpm).
    #[schemars(with = "Vec<[f64; 2]>", length(min = 2), extend("increasing" = true))]
    pub losses_rpm: Curve,
    /// Inertia of crankshaft, flywheel and the converter's impeller, kg m².
    pub inertia: f64,
    /// How it burns fuel; what it burns is not told where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<Fuel>,
}

/// Fuel by Willans' line: what the cylinders give is a constant share of the fuel's
/// heat, friction besides (L. Guzzella, A. Sciarretta, *Vehicle Propulsion Systems*,
/// Springer, 2nd ed. 2007, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fuel {
    /// Share of the heat that becomes work in the cylinders, 0 to 1: some 0.40 of diesels.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub efficiency: f64,
    /// Lower heating value, J/kg: 42.7e6 of diesel.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "J/kg"))]
    pub heating_value: f64,
}

impl Engine {
    /// Torque on the crankshaft at `throttle` (0 to 1) and `speed` (rad/s).
    ///
    /// The damping may be negative where the full-throttle torque rises with
    /// speed; an implicit step should then take zero.
    pub fn torque(&self, throttle: f64, speed: f64) -> Torque {
        let throttle = throttle.clamp(0.0, 1.0);
        let rpm = speed / RPM;
        let (full, full_slope) = self.full_throttle_rpm.value_and_slope(rpm);
        let (losses, losses_slope) = self.losses_rpm.value_and_slope(rpm);
        Torque {
            value: throttle * full + losses,
            damping: -(throttle * full_slope + losses_slope) / RPM,
        }
    }

    /// Fuel burned at `throttle` and `speed` (rad/s), kg/s; none while the engine is turned
    /// by what it should drive.
    pub fn fuel_rate(&self, throttle: f64, speed: f64) -> Option<f64> {
        let Fuel { efficiency, heating_value } = self.fuel?;
        let (full, _) = self.full_throttle_rpm.value_and_slope(speed / RPM);
        let in_cylinders = throttle.clamp(0.0, 1.0) * full.max(0.0) * speed.max(0.0);
        Some(in_cylinders / (efficiency * heating_value))
    }

    /// Speed at which the engine runs free without load at `throttle`, rad/s,
    /// found by bisection; where no torque remains at rest, zero.
    pub fn free_speed(&self, throttle: f64) -> f64 {
        let top = |curve: &Curve| curve.points().last().map_or(0.0, |point| point[0]);
        let mut low = 0.0;
        let mut high = top(&self.full_throttle_rpm).max(top(&self.losses_rpm)) * RPM;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.torque(throttle, middle).value > 0.0 { low = middle } else { high = middle }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Engine {
        Engine {
            full_throttle_rpm: Curve::new(vec![[0.0, 300.0], [1000.0, 600.0], [2000.0, -400.0]])
                .unwrap(),
            losses_rpm: Curve::new(vec![[0.0, 0.0], [2000.0, -80.0]]).unwrap(),
            inertia: 0.5,
            fuel: Some(Fuel { efficiency: 0.4, heating_value: 42.7e6 }),
        }
    }

    #[test]
    fn fuel_is_the_heat_behind_the_work_in_the_cylinders() {
        // half of 600 N m at 1000 rpm over 40 % of 42.7 MJ/kg
        let rate = engine().fuel_rate(0.5, 1000.0 * RPM).unwrap();
        assert!((rate / (0.5 * 600.0 * 1000.0 * RPM / (0.4 * 42.7e6)) - 1.0).abs() < 1e-12);
        // beyond its governed speed it brakes and burns nothing
        assert_eq!(engine().fuel_rate(1.0, 2000.0 * RPM), Some(0.0));
        assert_eq!(Engine { fuel: None, ..engine() }.fuel_rate(1.0, 100.0), None);
    }

    #[test]
    fn throttle_scales_the_full_curve_and_losses_act_besides() {
        let engine = engine();
        // at 1000 rpm: 600 t - 40
        for throttle in [0.0, 0.25, 1.0] {
            let torque = engine.torque(throttle, 1000.0 * RPM).value;
            assert!((torque - (600.0 * throttle - 40.0)).abs() < 1e-9);
        }
        assert_eq!(engine.torque(2.0, 50.0), engine.torque(1.0, 50.0));
    }

    #[test]
    fn tangent_is_the_difference_quotient() {
        let engine = engine();
        for speed in [30.0, 80.0, 130.0, 190.0] {
            let h = 1e-4;
            let slope = (engine.torque(0.6, speed + h).value - engine.torque(0.6, speed - h).value)
                / (2.0 * h);
            // piecewise linear away from its knots: round-off only
            assert!((engine.torque(0.6, speed).damping + slope).abs() < 1e-6);
        }
    }

    #[test]
    fn free_speed_balances_throttle_and_losses() {
        let engine = engine();
        let speed = engine.free_speed(0.8);
        assert!(engine.torque(0.8, speed).value.abs() < 1e-6);
        assert!(speed > 1000.0 * RPM);
    }
}
