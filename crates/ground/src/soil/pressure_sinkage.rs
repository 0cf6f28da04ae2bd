//! Pressure–sinkage relation: Bekker's curve with a plastic memory.
//!
//! Virgin soil follows p = (k_c / b + k_φ) zⁿ (M. G. Bekker, *Introduction to Terrain-Vehicle
//! Systems*, 1969), where b is the width of the loaded patch. Unloading and reloading follow p =
//! K_e (z - z_p), where z_p is the permanent sinkage, until the pressure exceeds that of the last
//! yield (the elastic extension of the Soil Contact Model: A. Tasora and others, 2019).

use super::DeformableSoil;
use bekker_math::numeric::{LaneMask, Lanes, Level, Simd, dispatch, power};
use serde::{Deserialize, Serialize};

/// Load history of a spot of soil.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlasticMemory {
    /// Permanent sinkage, m.
    pub sinkage: f64,
    /// Pressure at which the soil last yielded, Pa.
    pub yield_pressure: f64,
    /// Distance that the body in contact has slid over the spot, m; reset when contact is lost, and
    /// zero under the reference laws.
    pub slip: f64,
    /// Depth of soil that was pushed ahead or aside here instead of being compacted, m; reset like
    /// the slip, and zero under the reference laws.
    pub pushed: f64,
}

/// Response of a spot of soil to loading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PressureResponse {
    /// Pressure, Pa; never negative.
    pub pressure: f64,
    /// Slope of the pressure along the coming movement, Pa/m; never negative.
    pub slope: f64,
    /// Whether the soil yields.
    pub yields: bool,
    /// Load history after the step.
    pub memory: PlasticMemory,
}

/// Returns the pressure of virgin soil at sinkage `z` m under a patch of width `1 / inverse_width`,
/// Pa.
///
/// It is zero under a patch so narrow that a negative k_c outweighs k_φ.
#[inline]
pub fn virgin_pressure(soil: &DeformableSoil, inverse_width: f64, z: f64) -> f64 {
    if z <= 0.0 {
        return 0.0;
    }
    cohesive_frictional(soil, inverse_width) * power(z, soil.n)
}

/// Returns Bekker's modulus k_c / b + k_φ under a patch of width b = `1 / inverse_width`, Pa/mⁿ; at
/// least zero.
#[inline]
pub fn cohesive_frictional(soil: &DeformableSoil, inverse_width: f64) -> f64 {
    (soil.k_c * inverse_width + soil.k_phi).max(0.0)
}

/// Response of four spots of one soil to loading; units as in [`PressureResponse`].
#[derive(Clone, Copy, Debug)]
pub struct PressureLanes<S: Simd> {
    /// Pressures, Pa.
    pub pressure: Lanes<S>,
    /// Slopes of the pressures, Pa/m.
    pub slope: Lanes<S>,
    /// Where the soil yields.
    pub yields: LaneMask<S>,
    /// Permanent sinkages, m.
    pub sinkage: Lanes<S>,
    /// Pressures at which the soil last yielded, Pa.
    pub yield_pressure: Lanes<S>,
    /// Work of the change of the unloading stiffness, per area, J/m²; zero where it is constant.
    pub stiffening: Lanes<S>,
}

/// Presses four spots of one soil to `sinkage` m.
///
/// They will move by about `advance` m (positive deeper) before the next call. `residual` m and
/// `yield_pressure` Pa are their load history, `modulus` is k_c / b + k_φ.
///
/// A pressure never exceeds that of the elastic line, so the plastic sinkage never decreases (a
/// curve with n < 1 starts infinitely steep). The slope is the secant over `advance`. It ends where
/// the pressure reaches zero, and changes where reloading reaches the virgin curve.
#[inline(always)]
pub fn press_lanes<S: Simd>(
    soil: &DeformableSoil,
    modulus: f64,
    sinkage: Lanes<S>,
    advance: Lanes<S>,
    residual: Lanes<S>,
    yield_pressure: Lanes<S>,
) -> PressureLanes<S> {
    let stiffness = soil.elastic_stiffness;
    let trial = stiffness * (sinkage - residual);
    let loaded = trial.gt(0.0);
    let softness = 1.0 / stiffness;
    let yields = loaded & trial.gt(yield_pressure);
    let virgin = (modulus * sinkage.power(soil.n)).min(trial);
    let pressure = loaded.select(yields.select(virgin, trial), 0.0);
    // coming sinkage up to which reloading is elastic
    let to_yield = yields.select(0.0, (yield_pressure - trial) * softness);
    let bends_at = yields.select(pressure, yield_pressure);
    let beyond = (soil.n * bends_at / (sinkage + to_yield)).min(stiffness);
    let leaves = advance.lt(0.0);
    let rise = stiffness * to_yield + beyond * (advance - to_yield);
    let secant = leaves.select(pressure, rise) / advance.abs();
    let elastic = !yields & advance.le(to_yield);
    let deeper = yields.select(beyond, elastic.select(stiffness, secant));
    let slope = loaded.select(leaves.select(secant.min(stiffness), deeper), 0.0);
    PressureLanes {
        pressure,
        slope,
        yields,
        sinkage: yields.select(sinkage - pressure * softness, residual),
        yield_pressure: bends_at,
        stiffening: Lanes::zero(sinkage.simd()),
    }
}

/// Presses one spot: [`press_lanes`] for a single node, bit-identical.
pub fn press(
    soil: &DeformableSoil,
    inverse_width: f64,
    sinkage: f64,
    advance: f64,
    memory: PlasticMemory,
) -> PressureResponse {
    let modulus = cohesive_frictional(soil, inverse_width);
    dispatch!(Level::baseline(), simd => {
        let all = |number: f64| Lanes::new(simd, number);
        let (residual, yield_pressure) = (all(memory.sinkage), all(memory.yield_pressure));
        let four =
            press_lanes(soil, modulus, all(sinkage), all(advance), residual, yield_pressure);
        PressureResponse {
            pressure: four.pressure.to_array()[0],
            slope: four.slope.to_array()[0],
            yields: four.yields.any(),
            memory: PlasticMemory {
                sinkage: four.sinkage.to_array()[0],
                yield_pressure: four.yield_pressure.to_array()[0],
                slip: memory.slip,
                pushed: memory.pushed,
            },
        }
    })
}

/// Returns the pressures with damping, Pa, and the active damping, Pa s/m.
///
/// The damping force at `normal_velocity` m/s (positive leaving the soil) is added, and the sum is
/// clamped at zero: soil never pulls.
#[inline(always)]
pub fn damped_lanes<S: Simd>(
    soil: &DeformableSoil,
    pressure: Lanes<S>,
    normal_velocity: Lanes<S>,
) -> (Lanes<S>, Lanes<S>) {
    let total = pressure - soil.damping * normal_velocity;
    let presses = total.gt(0.0);
    (presses.select(total, 0.0), presses.select(soil.damping, 0.0))
}

/// [`damped_lanes`] for one spot.
#[inline]
pub fn damped(soil: &DeformableSoil, pressure: f64, normal_velocity: f64) -> (f64, f64) {
    let total = pressure - soil.damping * normal_velocity;
    if total > 0.0 { (total, soil.damping) } else { (0.0, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lete() -> DeformableSoil {
        DeformableSoil {
            k_phi: 5.301e6,
            k_c: 102e3,
            n: 0.793,
            cohesion: 1.3e3,
            friction_angle: 31.1_f64.to_radians(),
            shear_modulus: 0.012,
            elastic_stiffness: 4e8,
            damping: 3e4,
            bulldozing: None,
            details: Default::default(),
        }
    }

    // Plate 0.2 x 0.6 m on LETE sand at 100 kPa: z = (p / (k_c/b + k_φ))^(1/n).
    #[test]
    fn unloads_and_reloads_along_the_elastic_line() {
        let soil = lete();
        let inverse_width = 1.0 / 0.2 + 1.0 / 0.6;
        let loaded = press(&soil, inverse_width, 0.0057468, 0.0, PlasticMemory::default());
        // z is given to five digits: the relative error of p is n times that of z
        assert!((loaded.pressure / 1e5 - 1.0).abs() < 1e-4);
        assert!((loaded.memory.sinkage - 0.0054968).abs() < 1e-7);
        let half = press(&soil, inverse_width, 0.0057468 - 0.000125, 0.0, loaded.memory);
        assert!((half.pressure - 5e4).abs() < 20.0);
        assert!(!half.yields && half.memory == loaded.memory);
        let again = press(&soil, inverse_width, 0.0057468, 0.0, half.memory);
        assert!((again.pressure / loaded.pressure - 1.0).abs() < 1e-9);
        assert!((again.memory.sinkage - loaded.memory.sinkage).abs() < 1e-12);
    }

    #[test]
    fn pressure_is_never_negative_and_sinkage_never_decreases() {
        let soil = DeformableSoil { n: 0.5, k_phi: 692e3, k_c: 0.0, ..lete() };
        let mut memory = PlasticMemory::default();
        for z in [1e-9, 1e-6, 1e-5, 1e-4, 0.01, 0.005, 0.02] {
            let next = press(&soil, 0.0, z, 0.0, memory);
            assert!(next.memory.sinkage >= memory.sinkage);
            assert!(next.pressure >= 0.0 && next.slope >= 0.0);
            memory = next.memory;
        }
        assert_eq!(damped(&soil, 1e3, 1.0), (0.0, 0.0));
        assert_eq!(damped(&soil, 1e3, -1.0).0, 1e3 + soil.damping);
    }

    #[test]
    fn the_secant_ends_at_zero_pressure_and_bends_at_yield() {
        let soil = lete();
        let loaded = press(&soil, 5.0, 0.005, 0.0, PlasticMemory::default());
        let away = press(&soil, 5.0, 0.005 - 1e-5, -1.0, loaded.memory);
        assert!((away.slope - away.pressure).abs() < 1e-9 * away.pressure);
        let deeper = press(&soil, 5.0, 0.005 - 1e-5, 0.001, loaded.memory);
        let end = virgin_pressure(&soil, 5.0, 0.005 - 1e-5 + 0.001);
        // the virgin curve is linearized over the millimeter beyond
        let secant = (end - deeper.pressure) / 0.001;
        assert!((deeper.slope / secant - 1.0).abs() < 0.03, "{} {}", deeper.slope, secant);
    }
}
