//! An engine defined by its torque curves.
//!
//! Torque = throttle · full(ω) + losses(ω). The throttle scales the whole full-throttle curve,
//! including its braking part beyond the governed speed, and friction is added. This is the law of
//! the reference's engine of shafts (Project Chrono, `ChShaftsThermalEngine`, twice). There, `full`
//! is the gross torque of the cylinders. Makers publish net curves, measured at the crankshaft:
//! torque = throttle · full(ω) + (1 - throttle) · losses(ω).

use super::{RPM, Torque};
use bekker_math::curve::Curve;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An engine with its torque curves and inertia.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Torque at full throttle (N m) over speed (rpm).
    #[schemars(with = "Vec<[f64; 2]>", length(min = 2), extend("increasing" = true))]
    pub full_throttle_rpm: Curve,
    /// Torque of friction and pumping (N m; negative values brake) over speed (rpm).
    #[schemars(with = "Vec<[f64; 2]>", length(min = 2), extend("increasing" = true))]
    pub losses_rpm: Curve,
    /// Whether `full_throttle_rpm` is gross or net of the losses; gross where absent. Published
    /// curves of makers are net.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque_basis: Option<TorqueBasis>,
    /// Inertia of the crankshaft, the flywheel and the converter's impeller, kg m².
    pub inertia: f64,
    /// Fuel consumption model. Where absent, fuel consumption is not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<Fuel>,
}

/// Meaning of a full-throttle torque curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TorqueBasis {
    /// Torque of the cylinders. The losses are subtracted at any throttle.
    Gross,
    /// Torque at the crankshaft. The losses count only to the extent that the throttle is closed.
    Net,
}

/// Maximum torque and power of an engine at the crankshaft.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EngineRating {
    /// Maximum power, W.
    pub power: f64,
    /// Speed at maximum power, rpm.
    pub power_rpm: f64,
    /// Maximum torque, N m.
    pub torque: f64,
    /// Speed at maximum torque, rpm.
    pub torque_rpm: f64,
}

/// Fuel consumption by Willans' line. The work of the cylinders is a constant share of the fuel's
/// heat, and friction is added (L. Guzzella, A. Sciarretta, *Vehicle Propulsion Systems*, Springer,
/// 2nd ed. 2007, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fuel {
    /// Share of the fuel's heat that becomes work in the cylinders, 0 to 1; about 0.40 for diesel
    /// engines.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub efficiency: f64,
    /// Lower heating value of the fuel, J/kg; 42.7e6 for diesel.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "J/kg"))]
    pub heating_value: f64,
}

impl Engine {
    /// Returns the torque on the crankshaft at `throttle` (0 to 1) and `speed` (rad/s).
    ///
    /// The damping can be negative where the full-throttle torque rises with speed. An implicit
    /// step should then use zero.
    pub fn torque(&self, throttle: f64, speed: f64) -> Torque {
        let throttle = throttle.clamp(0.0, 1.0);
        let rpm = speed / RPM;
        let (full, full_slope) = self.full_throttle_rpm.value_and_slope(rpm);
        let (losses, losses_slope) = self.losses_rpm.value_and_slope(rpm);
        if self.torque_basis == Some(TorqueBasis::Net) {
            let closed = 1.0 - throttle;
            return Torque {
                value: throttle * full + closed * losses,
                damping: -(throttle * full_slope + closed * losses_slope) / RPM,
            };
        }
        Torque {
            value: throttle * full + losses,
            damping: -(throttle * full_slope + losses_slope) / RPM,
        }
    }

    /// Fuel burned at `throttle` and `speed` (rad/s), kg/s; none while the wheels drive the engine.
    pub fn fuel_rate(&self, throttle: f64, speed: f64) -> Option<f64> {
        let Fuel { efficiency, heating_value } = self.fuel?;
        let (full, _) = self.full_throttle_rpm.value_and_slope(speed / RPM);
        let full = match self.torque_basis {
            Some(TorqueBasis::Net) if full > 0.0 => full - self.losses_rpm.value(speed / RPM),
            _ => full,
        };
        let in_cylinders = throttle.clamp(0.0, 1.0) * full.max(0.0) * speed.max(0.0);
        Some(in_cylinders / (efficiency * heating_value))
    }

    /// Maximum torque and power at the crankshaft at full throttle.
    pub fn rating(&self) -> EngineRating {
        self.rating_of(|rpm| self.torque(1.0, rpm * RPM).value)
    }

    /// Maximum torque and power of the full-throttle curve alone, without the losses.
    pub fn rating_of_curve(&self) -> EngineRating {
        self.rating_of(|rpm| self.full_throttle_rpm.value(rpm))
    }

    /// Rating of a torque, N m, over speed, rpm, that is linear between the points of both curves.
    ///
    /// The power is greatest at one of these points or at the vertex of its parabola between two
    /// points.
    fn rating_of(&self, torque: impl Fn(f64) -> f64) -> EngineRating {
        let points = self.full_throttle_rpm.points().iter().chain(self.losses_rpm.points());
        let mut speeds: Vec<f64> = points.map(|point| point[0]).filter(|rpm| *rpm > 0.0).collect();
        speeds.sort_by(f64::total_cmp);
        let tops = speeds.windows(2).filter_map(|pair| {
            let [low, high] = [torque(pair[0]), torque(pair[1])];
            let slope = (high - low) / (pair[1] - pair[0]);
            let top = 0.5 * (pair[0] - low / slope);
            (top > pair[0] && top < pair[1]).then_some(top)
        });
        let tops: Vec<f64> = tops.collect();
        let none = EngineRating { power: 0.0, power_rpm: 0.0, torque: 0.0, torque_rpm: 0.0 };
        speeds.into_iter().chain(tops).fold(none, |mut found, rpm| {
            let here = torque(rpm);
            if here > found.torque {
                (found.torque, found.torque_rpm) = (here, rpm);
            }
            if here * rpm * RPM > found.power {
                (found.power, found.power_rpm) = (here * rpm * RPM, rpm);
            }
            found
        })
    }

    /// Speed at which the engine runs without load at `throttle`, rad/s.
    ///
    /// It is found by bisection, and it is zero if no torque remains at rest.
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
            torque_basis: None,
            inertia: 0.5,
            fuel: Some(Fuel { efficiency: 0.4, heating_value: 42.7e6 }),
        }
    }

    #[test]
    fn fuel_is_the_heat_behind_the_work_in_the_cylinders() {
        // half of 600 N m at 1000 rpm over 40 % of 42.7 MJ/kg
        let rate = engine().fuel_rate(0.5, 1000.0 * RPM).unwrap();
        assert!((rate / (0.5 * 600.0 * 1000.0 * RPM / (0.4 * 42.7e6)) - 1.0).abs() < 1e-12);
        // beyond its governed speed the engine brakes and burns no fuel
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

    /// A maker's 600 N m at 1000 rpm are 600 N m. With the throttle closed, only the losses remain.
    /// At half throttle, both count half.
    #[test]
    fn a_net_curve_is_the_crankshaft_torque() {
        let net = Engine { torque_basis: Some(TorqueBasis::Net), ..engine() };
        for (throttle, expected) in [(0.0, -40.0), (0.5, 280.0), (1.0, 600.0)] {
            let torque = net.torque(throttle, 1000.0 * RPM).value;
            assert!((torque - expected).abs() < 1e-9, "{torque} at {throttle}");
        }
        // the cylinders also supply the losses
        let rate = net.fuel_rate(1.0, 1000.0 * RPM).unwrap();
        assert!((rate / (640.0 * 1000.0 * RPM / (0.4 * 42.7e6)) - 1.0).abs() < 1e-12);
        assert_eq!(net.fuel_rate(1.0, 2000.0 * RPM), Some(0.0));
    }

    /// Beyond 1000 rpm the torque is 1600 - n. The power is greatest at half the speed at which
    /// that line, or its sum with the losses, reaches zero: at 1000 rpm, the corner of the curve.
    #[test]
    fn ratings_are_those_of_the_curve_and_of_the_crankshaft() {
        let gross = engine();
        let net = Engine { torque_basis: Some(TorqueBasis::Net), ..engine() };
        let (curve, shaft) = (gross.rating_of_curve(), gross.rating());
        assert_eq!((curve.torque, curve.torque_rpm), (600.0, 1000.0));
        assert!((shaft.torque - 560.0).abs() < 1e-9 && shaft.torque_rpm == 1000.0);
        assert!((curve.power - 600.0 * 1000.0 * RPM).abs() < 1e-6 && curve.power_rpm == 1000.0);
        assert_eq!(net.rating(), curve);
        // a torque that falls from 100 N m at 1000 rpm to 0 at 3000: 150 - n/20, at 1500 rpm
        let falls = Engine {
            full_throttle_rpm: Curve::new(vec![[1000.0, 100.0], [3000.0, 0.0]]).unwrap(),
            ..net
        };
        let top = falls.rating();
        assert!(
            (top.power_rpm - 1500.0).abs() < 1e-9 && (top.power - 75.0 * 1500.0 * RPM).abs() < 1e-6
        );
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
