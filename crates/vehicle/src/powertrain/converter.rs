//! A hydrodynamic torque converter.
//!
//! With the speed ratio r = ω_turbine / ω_impeller, the impeller absorbs the torque (ω_impeller /
//! K(r))² and the turbine delivers T(r) times that torque. K is the capacity factor in (rad/s)/√(N
//! m) and T the torque ratio. The law and its treatment of r > 1 (K mirrored at 1, no
//! multiplication, torque reversed) are those of the reference (Project Chrono,
//! `ChShaftsTorqueConverter`). There, the torque jumps at r = 1. Here it passes through zero over a
//! narrow band, so that coasting does not chatter.

use bekker_math::curve::Curve;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Half width, in speed ratio, of the band about 1 in which the torque changes sign.
const COUPLING_BAND: f64 = 0.02;

/// A torque converter defined by two tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorqueConverter {
    /// Capacity factor ((rad/s)/√(N m)) over speed ratio (0 to 1).
    #[schemars(with = "Vec<[f64; 2]>", length(min = 2), extend("increasing" = true))]
    pub capacity: Curve,
    /// Torque of the turbine over torque of the impeller, over speed ratio (0 to 1).
    #[schemars(with = "Vec<[f64; 2]>", length(min = 2), extend("increasing" = true))]
    pub torque_ratio: Curve,
}

/// Torques of a converter on its two shafts, with their tangent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConverterTorque {
    /// Torque on the engine's shaft, N m; negative while the engine drives.
    pub impeller: f64,
    /// Torque on the gearbox's shaft, N m.
    pub turbine: f64,
    /// Negative derivatives, N m s/rad: rows are impeller and turbine, columns are impeller speed
    /// and turbine speed.
    ///
    /// The matrix is not symmetric, because the stator takes the difference.
    pub damping: [[f64; 2]; 2],
}

impl TorqueConverter {
    /// Returns the torques at the speeds of impeller and turbine, rad/s.
    ///
    /// A turbine that turns backward counts as stalled. An impeller at rest or turning backward
    /// moves no fluid.
    pub fn torque(&self, impeller: f64, turbine: f64) -> ConverterTorque {
        if impeller <= 0.0 {
            return ConverterTorque::default();
        }
        let ratio = (turbine / impeller).max(0.0);
        // d ratio / d (impeller, turbine)
        let ratio_slope =
            if turbine > 0.0 { [-ratio / impeller, 1.0 / impeller] } else { [0.0, 0.0] };

        let (folded, fold) = if ratio > 1.0 { (2.0 - ratio, -1.0) } else { (ratio, 1.0) };
        let (capacity, capacity_slope) = self.capacity.value_and_slope(folded);
        let fluid = (impeller / capacity) * (impeller / capacity);
        let fluid_of_ratio = -2.0 * fluid / capacity * capacity_slope * fold;

        let (sense, sense_slope) = sense(ratio);
        let (gain, gain_slope) =
            if ratio < 1.0 { self.torque_ratio.value_and_slope(ratio) } else { (1.0, 0.0) };

        let taken = sense * fluid;
        let taken_of_ratio = sense * fluid_of_ratio + sense_slope * fluid;
        let given_of_ratio = gain * taken_of_ratio + gain_slope * taken;
        // at constant ratio the fluid's torque is proportional to the square of the speed
        let taken_of_speed = 2.0 * taken / impeller;
        ConverterTorque {
            impeller: -taken,
            turbine: gain * taken,
            damping: [
                [taken_of_speed + taken_of_ratio * ratio_slope[0], taken_of_ratio * ratio_slope[1]],
                [
                    -gain * taken_of_speed - given_of_ratio * ratio_slope[0],
                    -given_of_ratio * ratio_slope[1],
                ],
            ],
        }
    }
}

/// Sign of the torque flow with its slope: +1 below the coupling point, -1 above.
fn sense(ratio: f64) -> (f64, f64) {
    let x = (1.0 - ratio) / COUPLING_BAND;
    if x.abs() < 1.0 { (x, -1.0 / COUPLING_BAND) } else { (x.signum(), 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converter() -> TorqueConverter {
        TorqueConverter {
            capacity: Curve::new(vec![[0.0, 15.0], [0.5, 15.0], [0.9, 18.0], [1.0, 35.0]]).unwrap(),
            torque_ratio: Curve::new(vec![[0.0, 2.0], [0.75, 1.15], [1.0, 1.0]]).unwrap(),
        }
    }

    #[test]
    fn stall_multiplies_the_torque() {
        // (150 / 15)² = 100 N m input, twice that output
        let torque = converter().torque(150.0, 0.0);
        assert!((torque.impeller + 100.0).abs() < 1e-12);
        assert!((torque.turbine - 200.0).abs() < 1e-12);
        assert_eq!(converter().torque(150.0, -5.0).turbine, torque.turbine);
    }

    #[test]
    fn overrun_reverses_without_a_jump_and_without_multiplying() {
        let converter = converter();
        assert_eq!(converter.torque(100.0, 100.0).turbine, 0.0);
        let over = converter.torque(100.0, 150.0);
        assert!((over.impeller - (100.0_f64 / 15.0).powi(2)).abs() < 1e-9);
        assert_eq!(over.turbine, -over.impeller);
        let mut before = converter.torque(100.0, 90.0).turbine;
        for step in 1..=2000 {
            let now = converter.torque(100.0, 90.0 + 0.01 * f64::from(step)).turbine;
            assert!((now - before).abs() < 0.2, "jumps at {}", 90.0 + 0.01 * f64::from(step));
            before = now;
        }
    }

    #[test]
    fn never_makes_power() {
        let converter = converter();
        for impeller in [1.0, 40.0, 120.0, 260.0] {
            for turbine in 0..300 {
                let turbine = f64::from(turbine);
                let t = converter.torque(impeller, turbine);
                assert!(t.impeller * impeller + t.turbine * turbine <= 1e-9);
            }
        }
    }

    #[test]
    fn tangent_is_the_difference_quotient() {
        let converter = converter();
        for (a, b) in
            [(150.0, 30.0), (150.0, 100.0), (150.0, 140.0), (150.0, 149.0), (100.0, 160.0)]
        {
            let h = 1e-5;
            let at = |a, b| converter.torque(a, b);
            let d = at(a, b).damping;
            let columns = [(at(a + h, b), at(a - h, b)), (at(a, b + h), at(a, b - h))];
            for (column, (plus, minus)) in columns.iter().enumerate() {
                let impeller = -(plus.impeller - minus.impeller) / (2.0 * h);
                let turbine = -(plus.turbine - minus.turbine) / (2.0 * h);
                // central differences of smooth pieces: h² and round-off / h
                assert!((d[0][column] - impeller).abs() < 1e-5 * (1.0 + impeller.abs()));
                assert!((d[1][column] - turbine).abs() < 1e-5 * (1.0 + turbine.abs()));
            }
        }
    }
}
