//! An electric motor with its battery.
//!
//! The controller of the motor limits its torque: to a constant up to the base speed, where the
//! power reaches its maximum, then to constant power, and to nothing at the speed without load
//! (M. Ehsani, Y. Gao, A. Emadi, *Modern Electric, Hybrid Electric, and Fuel Cell Vehicles*, CRC
//! Press, 2nd ed. 2010, section 4.2). Current is torque over the torque constant, and the battery
//! supplies the mechanical power and the heat of the winding: P = T ω + R (T / k)².

use super::{RPM, Torque};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Share of the speed without load over which the driving torque falls to zero.
const FADE: f64 = 0.05;

/// An electric motor with its controller.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// Maximum torque at the shaft, N m, driving and braking.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "N m"))]
    pub max_torque: f64,
    /// Maximum power at the shaft, W. It limits the torque above the base speed, `max_power` over
    /// `max_torque`.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "W"))]
    pub max_power: f64,
    /// Speed without load, rpm. The driving torque falls to zero over the last 5 % of it.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "rpm"))]
    pub no_load_rpm: f64,
    /// Torque over current, N m/A.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "N m/A"))]
    pub torque_constant: f64,
    /// Resistance of the winding and its controller, ohm, which turns current into heat.
    #[schemars(range(min = 0.0), extend("unit" = "ohm"))]
    pub resistance: f64,
    /// Inertia of the rotor, kg m².
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "kg m2"))]
    pub inertia: f64,
}

/// A battery of constant voltage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Battery {
    /// Nominal voltage, V.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "V"))]
    pub voltage: f64,
    /// Nominal capacity, A h.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "A h"))]
    pub capacity: f64,
}

impl Motor {
    /// Returns the speed without load, rad/s.
    pub fn no_load_speed(&self) -> f64 {
        self.no_load_rpm * RPM
    }

    /// Returns the speed at which the driving torque begins to fall to zero, rad/s.
    pub fn full_power_speed(&self) -> f64 {
        (1.0 - FADE) * self.no_load_speed()
    }

    /// Returns the largest torque in the direction `sense` (1 or -1) at `speed`, rad/s.
    ///
    /// The value is a magnitude. The damping is its decrease as the speed grows in that direction.
    pub fn torque_limit(&self, speed: f64, sense: f64) -> Torque {
        let along = sense * speed;
        let by_power = self.max_power / along.abs().max(f64::MIN_POSITIVE);
        let is_weakened = by_power < self.max_torque;
        let torque = if is_weakened { by_power } else { self.max_torque };
        if along <= 0.0 {
            return Torque { value: torque, damping: 0.0 };
        }
        let fade = FADE * self.no_load_speed();
        let left = (self.no_load_speed() - along) / fade;
        let falls = if is_weakened { torque / along } else { 0.0 };
        if left >= 1.0 {
            Torque { value: torque, damping: falls }
        } else if left > 0.0 {
            Torque { value: torque * left, damping: falls * left + torque / fade }
        } else {
            Torque::default()
        }
    }

    /// Returns the current for a torque at the shaft, A, negative for a negative torque.
    pub fn current(&self, torque: f64) -> f64 {
        torque / self.torque_constant
    }

    /// Returns the power that the motor takes from the battery, W; negative while it charges it.
    ///
    /// `torque` is in N m and `speed` in rad/s.
    pub fn electric_power(&self, torque: f64, speed: f64) -> f64 {
        let current = self.current(torque);
        torque * speed + self.resistance * current * current
    }
}

impl Battery {
    /// Returns the energy of the full battery, J.
    pub fn energy(&self) -> f64 {
        self.voltage * self.capacity * 3600.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motor() -> Motor {
        Motor {
            max_torque: 2.0,
            max_power: 400.0,
            no_load_rpm: 500.0 / RPM,
            torque_constant: 0.05,
            resistance: 0.1,
            inertia: 1e-4,
        }
    }

    #[test]
    fn torque_is_constant_then_falls_with_the_power_and_ends_without_load() {
        let limit = |speed: f64| motor().torque_limit(speed, 1.0).value;
        assert_eq!([limit(0.0), limit(200.0)], [2.0; 2]);
        assert!((limit(400.0) - 1.0).abs() < 1e-12);
        // halfway through the last 5 %, of 25 rad/s
        assert!((limit(487.5) - 0.5 * 400.0 / 487.5).abs() < 1e-9);
        assert_eq!(limit(500.0), 0.0);
        // a motor that is driven faster still brakes, in both directions alike
        let brakes = motor().torque_limit(600.0, -1.0).value;
        assert!((brakes - 400.0 / 600.0).abs() < 1e-12);
        assert_eq!(motor().torque_limit(-400.0, -1.0), motor().torque_limit(400.0, 1.0));
    }

    #[test]
    fn the_decrease_of_the_limit_is_its_derivative() {
        for speed in [100.0, 300.0, 480.0, 490.0] {
            let [low, high] = [-1e-4, 1e-4].map(|by| motor().torque_limit(speed + by, 1.0).value);
            let damping = motor().torque_limit(speed, 1.0).damping;
            assert!((damping + (high - low) / 2e-4).abs() < 1e-6, "at {speed} rad/s");
        }
    }

    #[test]
    fn a_stalled_motor_only_heats_and_a_braking_one_charges() {
        // 40 A through 0.1 ohm
        assert!((motor().electric_power(2.0, 0.0) - 160.0).abs() < 1e-12);
        assert!((motor().electric_power(-0.5, 100.0) + 50.0 - 10.0).abs() < 1e-12);
        assert!((Battery { voltage: 24.0, capacity: 20.0 }.energy() - 1.728e6).abs() < 1e-6);
    }
}
