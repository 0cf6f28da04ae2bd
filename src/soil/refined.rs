//! The refinements of the reference's laws, each a pure function.

use super::power::power;
use super::pressure_sinkage::{PlasticMemory, Pressed};
use super::{Laws, Yielding};
use crate::numeric::{GRAVITY, exp, pow, sin, tan};
use std::f64::consts::{E, FRAC_PI_2, PI};

/// Part of the virgin pressure that is left when the whole force of a contact
/// leans by `angle` rad from the normal: Meyerhof's (1 - α/90°)² for the part
/// of bearing capacity that comes of depth (G. G. Meyerhof, *The bearing
/// capacity of foundations under eccentric and inclined loads*, 3rd ICSMFE,
/// 1953). Not below 0.01, so that a contact that leans by more than 81° still
/// has an answer.
pub fn inclined_bearing(angle: f64) -> f64 {
    let part = (1.0 - angle.abs() / FRAC_PI_2).max(0.0);
    (part * part).max(0.01)
}

/// By how much sinkage under a given pressure grows once a body has slid
/// `slip` m over the spot, with a contact `length` m long.
///
/// Lyasko's z/z₀ = (1 + i)/(1 - i/2) for a wheel at slip i, written for one
/// node: at the end of a contact of length L the wheel has slid j = L i/(1 - i),
/// and with s = j/L his formula is 1 + 1.5 s/(1 + 0.5 s). It lies between 1
/// and 4, and works for skid as well, and for spinning on the spot.
#[inline]
pub fn slip_sinkage(slip: f64, length: f64) -> f64 {
    let s = slip / length;
    1.0 + 1.5 * s / (1.0 + 0.5 * s)
}

/// Rankine's coefficient of passive earth pressure, tan²(45° + φ/2).
pub fn passive_coefficient(friction_angle: f64) -> f64 {
    let t = tan(0.5 * (FRAC_PI_2 + friction_angle));
    t * t
}

/// Wong's stiffness k₀ + A_u z_u of unloading and reloading, Pa/m, from what a
/// spot remembers. z_u, the depth of unloading, solves
/// (z_u - z_p)(k₀ + A_u z_u) = p_u.
#[inline]
pub fn reload_stiffness(k0: f64, growth: f64, memory: &PlasticMemory) -> f64 {
    if growth == 0.0 {
        return k0;
    }
    let at_residual = k0 + growth * memory.sinkage;
    let root = at_residual * at_residual + 4.0 * growth * memory.yield_pressure;
    0.5 * (at_residual + root.sqrt())
}

/// Moves the mobilised part of the shear strength through a sliding of `way` m
/// in the direction and size of `sliding` m/s, over Janosi's `modulus` m: the
/// exact solution of K dm/dt = v - |v| m for a constant v. Returns the factor
/// on the old part and the factor on the velocity, s/m.
#[inline]
pub fn mobilise(way: f64, speed: f64, time: f64, modulus: f64) -> (f64, f64) {
    let x = way / modulus;
    // under 1e-4 the series is exact to 1e-9 and free of cancellation
    if x < 1e-4 {
        return (1.0 - x, time / modulus * (1.0 - 0.5 * x));
    }
    let kept = exp(-x);
    (kept, (1.0 - kept) / speed)
}

/// What part of the peak a humped shear curve allows after `slip` m.
#[inline]
pub(crate) fn humped(residual: f64, slip: f64, modulus: f64) -> f64 {
    let rise = 1.0 / (residual * (1.0 - 1.0 / E)) - 1.0;
    residual * (1.0 + rise * exp(1.0 - slip / modulus))
}

/// A soil's bearing under one patch: everything but the node's own state.
#[derive(Clone, Copy, Debug)]
pub struct Bearing<'a> {
    soil: &'a Yielding,
    laws: Laws,
    modulus: f64,
    growth: f64,
}

impl<'a> Bearing<'a> {
    /// Bearing of `soil` under a patch of width `1 / inverse_width`.
    pub fn new(soil: &'a Yielding, laws: Laws, inverse_width: f64) -> Bearing<'a> {
        let modulus = match soil.details.reece {
            Some(reece) => {
                let weight = soil.details.density.unwrap_or(0.0) * GRAVITY;
                // a patch without width counts as one node wide: 5 cm
                let inverse = if inverse_width > 0.0 { inverse_width } else { 20.0 };
                (soil.cohesion * reece.cohesive + weight / inverse * reece.frictional)
                    * pow(inverse, soil.n)
            }
            None => (soil.k_c * inverse_width + soil.k_phi).max(0.0),
        };
        let growth =
            if laws.reload_stiffening { soil.details.reload_growth.unwrap_or(0.0) } else { 0.0 };
        Bearing { soil, laws, modulus, growth }
    }

    /// Pressure under which virgin soil yields at `sinkage` m after the body
    /// has slid so far that sinkage has grown `slip_factor` times, sinking at
    /// `rate` m/s, Pa.
    #[inline]
    pub fn virgin(&self, sinkage: f64, slip_factor: f64, rate: f64) -> f64 {
        let z = sinkage / slip_factor;
        let mut pressure = self.modulus * power(z, self.soil.n);
        let details = &self.soil.details;
        if self.laws.layers {
            if let Some(below) = details.below {
                // what lies firm is not dug out by slip
                pressure += below.modulus * power(sinkage - below.depth, below.n);
            }
            if let Some(crust) = details.crust
                && sinkage < crust.depth
            {
                let s = sin(PI * sinkage / crust.depth);
                pressure += crust.strength * s * s;
            }
        }
        if self.laws.rate_dependence
            && let Some(law) = details.rate
            && rate > 0.0
        {
            pressure *= pow(1.0 + rate / law.speed, law.exponent);
        }
        pressure
    }

    /// Stiffness along which a spot unloads and reloads, Pa/m.
    #[inline]
    pub fn elastic(&self, memory: &PlasticMemory) -> f64 {
        reload_stiffness(self.soil.elastic_stiffness, self.growth, memory)
    }

    /// Exponent of the soil.
    pub fn exponent(&self) -> f64 {
        self.soil.n
    }

    fn stiffness_at(&self, sinkage: f64) -> f64 {
        self.soil.elastic_stiffness + self.growth * sinkage
    }
}

/// Presses a spot to `sinkage` m where the soil yields at the pressure
/// `virgin`, as [`press`](super::pressure_sinkage::press) does, but for a yield
/// pressure that may fall: soil over which a body slides gives way at the same
/// depth.
#[inline]
pub fn press_refined(
    bearing: &Bearing,
    virgin: f64,
    sinkage: f64,
    advance: f64,
    memory: PlasticMemory,
    slip: f64,
) -> Pressed {
    let stiffness = bearing.elastic(&memory);
    let trial = stiffness * (sinkage - memory.sinkage);
    if trial <= 0.0 {
        return Pressed { memory: PlasticMemory { slip, ..memory }, ..Pressed::default() };
    }
    if trial > virgin {
        let unloading = bearing.stiffness_at(sinkage);
        let slope = if advance < 0.0 {
            unloading.min(virgin / -advance)
        } else {
            unloading.min(bearing.exponent() * virgin / sinkage)
        };
        let residual = (sinkage - virgin / unloading).max(memory.sinkage);
        let memory = PlasticMemory { sinkage: residual, yield_pressure: virgin, slip };
        return Pressed { pressure: virgin, slope, yields: true, memory };
    }
    let slope = if advance < 0.0 {
        stiffness.min(trial / -advance)
    } else {
        let to_yield = (virgin - trial) / stiffness;
        if advance <= to_yield {
            stiffness
        } else {
            let beyond = bearing.exponent() * virgin / (sinkage + to_yield);
            (stiffness * to_yield + beyond.min(stiffness) * (advance - to_yield)) / advance
        }
    };
    let memory = PlasticMemory { slip, ..memory };
    Pressed { pressure: trial, slope, yields: false, memory }
}
