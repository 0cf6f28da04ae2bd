//! Refinements of the reference's laws, each a pure function.

use super::catalog::STIFFEST_ELASTIC;
use super::custom_law::{BuiltinLaw, CustomLaw, SoilResponse};
use super::pressure_sinkage::{PressureLanes, cohesive_frictional};
use super::{DeformableSoil, Laws, ShearStrength, Soil, SoilLaw, SubLayer, Tread};
use bekker_math::numeric::{Lanes, Level, Simd, dispatch, pow, power, sin};
use std::f64::consts::{E, FRAC_PI_2, PI};

/// Returns the fraction of the virgin pressure that remains under a contact load inclined by
/// `angle` rad.
///
/// It is Meyerhof's (1 - α/90°)² for the part of bearing capacity that is due to depth (G. G.
/// Meyerhof, *The bearing capacity of foundations under eccentric and inclined loads*, 3rd ICSMFE,
/// 1953). It is at least 0.01, so that the law is defined for inclinations above 81°.
pub fn inclined_bearing(angle: f64) -> f64 {
    let part = (1.0 - angle.abs() / FRAC_PI_2).max(0.0);
    (part * part).max(0.01)
}

/// Speed of advance below which passive pressure fades out, m/s.
///
/// A wedge needs displacement to form, and vibrations of a parked vehicle form none. The speed is
/// the horizontal one of the body into the soil. At ten times
/// this speed, the slowest of wheel tests, the pressure is complete within 1 %.
pub(crate) const ADVANCING: f64 = 1e-3;

/// Greatest sliding over contact length of [`slip_sinkage`]: that of slip one half.
const LYASKO_RANGE: f64 = 1.0;

/// Returns the fraction of a spot's sinkage that it would have under its pressure if the body had
/// not slid `slip` m over it, for a contact `length` m long.
///
/// It is Lyasko's z/z₀ = (1 + i)/(1 - i/2) for a wheel at slip i, written for one node. At the end
/// of a contact of length L the wheel has slid j = L i/(1 - i), and with s = j/L his formula is
/// (1 + 2 s)/(1 + s/2). It also applies to skid.
///
/// The formula fits trials up to a slip of about one half, where it reaches 2. Beyond that slip
/// (s above 1) it is held at this value; extrapolated to a wheel that spins in place it would be
/// 4.
#[inline(always)]
pub fn slip_sinkage<S: Simd>(slip: Lanes<S>, length: f64) -> Lanes<S> {
    let s = (slip * (1.0 / length)).min(LYASKO_RANGE);
    (1.0 + 0.5 * s) / (1.0 + 2.0 * s)
}

/// Least permanent fraction of a sinkage.
///
/// Plates on well compacted gravel regain up to two thirds of their settlement: the moduli of second
/// and first loading differ by a factor of 1.5 or more (plate load tests of road bases, from memory).
/// Looser soil regains less. Without this limit Wong's LETE sand would regain all of it under 60 kPa.
const PERMANENT: f64 = 1.0 / 3.0;

/// Returns the stiffness of first loading up to the virgin curve of this `modulus` and exponent `n`,
/// Pa/m: 100 times its secant at 100 kPa, at most 4e8, as for soils of the catalog whose stiffness
/// is assumed.
fn loading_stiffness(modulus: f64, n: f64) -> f64 {
    let pressure = 1e5;
    let sinkage = power(pressure / modulus.max(f64::MIN_POSITIVE), 1.0 / n);
    (100.0 * pressure / sinkage).min(STIFFEST_ELASTIC)
}

/// Returns Wong's stiffness k₀ + A_u z_u of unloading and reloading, Pa/m, from the permanent
/// sinkage z_p and the pressure p_u of the last yield.
///
/// z_u, the depth at which unloading started, solves (z_u - z_p)(k₀ + A_u z_u) = p_u.
#[inline(always)]
pub fn reload_stiffness<S: Simd>(
    k0: f64,
    growth: f64,
    residual: Lanes<S>,
    yielded_at: Lanes<S>,
) -> Lanes<S> {
    if growth == 0.0 {
        return Lanes::new(residual.simd(), k0);
    }
    let at_residual = k0 + growth * residual;
    let root = at_residual * at_residual + 4.0 * growth * yielded_at;
    0.5 * (at_residual + root.sqrt())
}

/// Advances the mobilized fraction of the shear strength by a sliding of `way` m at `speed` m/s
/// during `time` s, over Janosi's `modulus` m.
///
/// It is the exact solution of K dm/dt = v - |v| m for a constant v. Returns the factor on the old
/// fraction and the factor on the velocity, s/m.
#[inline(always)]
pub fn mobilize<S: Simd>(
    way: Lanes<S>,
    speed: Lanes<S>,
    time: Lanes<S>,
    modulus: f64,
) -> (Lanes<S>, Lanes<S>) {
    let inverse = 1.0 / modulus;
    let x = way * inverse;
    // below 1e-4 the series is accurate to 1e-9 and free of cancellation
    let little = x.lt(1e-4);
    let kept = (-x).fast_exp();
    let kept = little.select(1.0 - x, kept);
    (kept, little.select(time * inverse * (1.0 - 0.5 * x), (1.0 - kept) / speed))
}

/// Returns the fraction of the peak of a shear curve with a peak after `slip` m.
#[inline(always)]
pub(crate) fn peak_fraction<S: Simd>(residual: f64, slip: Lanes<S>, modulus: f64) -> Lanes<S> {
    let rise = 1.0 / (residual * (1.0 - 1.0 / E)) - 1.0;
    residual * (1.0 + rise * (1.0 - slip * (1.0 / modulus)).fast_exp())
}

/// Bearing of a soil under one patch: everything except the state of the node.
#[derive(Clone, Copy, Debug)]
pub struct Bearing<'a, L = BuiltinLaw> {
    soil: &'a DeformableSoil,
    laws: Laws,
    modulus: f64,
    /// k₀ of unloading, Pa/m.
    reload: f64,
    growth: f64,
    /// Stiffness of first loading up to the virgin curve, Pa/m.
    loading: f64,
    law: L,
}

impl<'a> Bearing<'a> {
    /// Returns the bearing of `soil` under a patch of width `1 / inverse_width`.
    pub fn new(soil: &'a DeformableSoil, laws: Laws, inverse_width: f64) -> Bearing<'a> {
        let modulus = match soil.details.reece {
            Some(reece) if laws.reece => {
                let weight = soil.details.density.unwrap_or(0.0) * laws.gravity;
                // a patch without width counts as one node wide: 5 cm
                let inverse = if inverse_width > 0.0 { inverse_width } else { 20.0 };
                (soil.cohesion * reece.cohesive + weight / inverse * reece.frictional)
                    * pow(inverse, soil.n)
            }
            _ => cohesive_frictional(soil, inverse_width),
        };
        let [reload, growth] = soil.details.unloading(soil.elastic_stiffness, laws);
        let loading = soil.elastic_stiffness.max(loading_stiffness(modulus, soil.n)).max(reload);
        Bearing { soil, laws, modulus, reload, growth, loading, law: BuiltinLaw }
    }

    /// Returns the bearing under a custom law, which receives `soil` and the patch width `1 /
    /// inverse_width`.
    pub fn with_custom_law(
        self,
        law: &'a dyn SoilLaw,
        soil: &'a Soil,
        inverse_width: f64,
    ) -> Bearing<'a, CustomLaw<'a>> {
        self.with_response(CustomLaw::new(law).for_patch(soil, inverse_width))
    }
}

impl<'a, L: SoilResponse<'a>> Bearing<'a, L> {
    /// Returns the bearing with the responses of `law`.
    #[inline(always)]
    pub(crate) fn with_response<M>(self, law: M) -> Bearing<'a, M> {
        let Bearing { soil, laws, modulus, reload, growth, loading, .. } = self;
        Bearing { soil, laws, modulus, reload, growth, loading, law }
    }

    /// Returns the yield pressures of virgin soil at `sinkage` m, sinking at `rate` m/s, Pa.
    /// `still` is the fraction of the sinkage that would exist if the body had not slid.
    #[inline(always)]
    pub fn virgin_lanes<S: Simd>(
        &self,
        sinkage: Lanes<S>,
        still: Lanes<S>,
        rate: Lanes<S>,
    ) -> Lanes<S> {
        let upper = self.upper_pressure(sinkage, still, rate);
        self.layered_pressure(upper, sinkage, Lanes::zero(sinkage.simd()), rate)
    }

    /// Returns [`Bearing::virgin_lanes`] of the soil above a layer, without a crust.
    #[inline(always)]
    pub(crate) fn upper_pressure<S: Simd>(
        &self,
        sinkage: Lanes<S>,
        still: Lanes<S>,
        rate: Lanes<S>,
    ) -> Lanes<S> {
        let pressure = self.law.pressures(sinkage * still, self.modulus, self.soil.n);
        self.rate_adjusted(pressure, rate)
    }

    /// Returns the pressures of soil that bears `upper`, with its lower layer and its crust.
    /// Neither moves down with the `pushed` depth, m, except that packed snow moves down by what
    /// would have remained of that depth.
    #[inline(always)]
    pub(crate) fn layered_pressure<S: Simd>(
        &self,
        upper: Lanes<S>,
        sinkage: Lanes<S>,
        pushed: Lanes<S>,
        rate: Lanes<S>,
    ) -> Lanes<S> {
        let mut pressure = upper;
        if let Some(below) = self.layer() {
            // slip does not dig out the firm layer
            let depth = below.depth + self.soil.details.packs_to * pushed;
            let firm = below.modulus * (sinkage - depth).power(below.n);
            pressure += self.rate_adjusted(firm, rate);
        }
        if let Some(crust) = self.soil.details.crust.filter(|_| self.laws.layers && !L::IS_CUSTOM) {
            let phase = (sinkage * (PI / crust.depth)).to_array();
            let s = Lanes::from_fn(sinkage.simd(), |k| sin(phase[k]));
            let crust = sinkage.lt(crust.depth).select(crust.strength * s * s, 0.0);
            pressure += self.rate_adjusted(crust, rate);
        }
        pressure
    }

    /// Returns the lower layer, if these laws include it.
    #[inline(always)]
    fn layer(&self) -> Option<SubLayer> {
        self.soil.details.below.filter(|_| self.laws.layers && !L::IS_CUSTOM)
    }

    /// Returns the depth of soil that a wheel can push away, m: down to the layer.
    #[inline(always)]
    pub(crate) fn loose_depth(&self) -> f64 {
        // snow of depth h is compacted to the fraction `packs_to` above the ground below
        let thickness = |below: SubLayer| below.depth / (1.0 - self.soil.details.packs_to);
        self.layer().map_or(f64::INFINITY, thickness)
    }

    /// Returns the pressures of soil that sinks at `rate` m/s.
    #[inline(always)]
    fn rate_adjusted<S: Simd>(&self, pressure: Lanes<S>, rate: Lanes<S>) -> Lanes<S> {
        match self.soil.details.rate {
            Some(law) if self.laws.rate_dependence => {
                pressure * (1.0 + rate.max(0.0) * (1.0 / law.speed)).power(law.exponent)
            }
            _ => pressure,
        }
    }

    /// Returns [`Bearing::virgin_lanes`] for one spot, bit-identical.
    pub fn virgin(&self, sinkage: f64, still: f64, rate: f64) -> f64 {
        dispatch!(Level::baseline(), simd => {
            let all = |number: f64| Lanes::new(simd, number);
            self.virgin_lanes(all(sinkage), all(still), all(rate)).to_array()[0]
        })
    }

    /// Returns the stiffnesses k₀ + A_u z of unloading of soil that yields at `pressure` Pa at
    /// `sinkage` m, Pa/m: at least so much that a third of the sinkage remains.
    #[inline(always)]
    pub fn unloading<S: Simd>(&self, sinkage: Lanes<S>, pressure: Lanes<S>) -> Lanes<S> {
        let least = pressure * (1.0 / (1.0 - PERMANENT)) / sinkage;
        (self.reload + self.growth * sinkage).max(least.min(self.loading))
    }

    /// Returns the lines of unloading from the permanent sinkages, m, and the pressures of the last
    /// yield, Pa. Soil that never yielded has that of first loading.
    #[inline(always)]
    pub(crate) fn reload_line<S: Simd>(
        &self,
        residual: Lanes<S>,
        yielded_at: Lanes<S>,
    ) -> ReloadLine<S> {
        let own = reload_stiffness(self.reload, self.growth, residual, yielded_at);
        // inverse of `unloading`, by the sinkage that remains
        let least = yielded_at * (PERMANENT / (1.0 - PERMANENT)) / residual;
        let stiffness = own.max(least.min(self.loading));
        let yielded = yielded_at.gt(0.0) & residual.gt(0.0);
        let stiffness = yielded.select(stiffness, self.loading);
        let depth = residual + yielded_at / stiffness;
        ReloadLine { stiffness, depth, loading: self.loading }
    }

    /// Returns d ln p / d ln z of the pressures at equal distances above the `line` of unloading,
    /// whose depth is z. `left` are the pressures over those of the last yield.
    ///
    /// The pressure is p_u - K u, where K grows with the depth like A_u z. At equal u,
    /// d ln p / d ln z is (n - (1 - q) g) / q, with q = p / p_u and g = A_u z / K.
    #[inline(always)]
    pub(crate) fn unloading_exponents<S: Simd>(
        &self,
        line: &ReloadLine<S>,
        left: Lanes<S>,
    ) -> Lanes<S> {
        let grows = (self.growth * line.depth / line.stiffness).min(1.0);
        (self.soil.n - (1.0 - left) * grows) / left.max(1e-3)
    }

    /// Returns the sinkage exponent of the soil.
    pub fn exponent(&self) -> f64 {
        self.soil.n
    }

    /// Returns the strengths under a tread at `pressure` Pa after `slip` m in contact, Pa.
    #[inline(always)]
    pub(crate) fn shear_strength<S: Simd>(
        &self,
        tread: &Tread,
        strength: &ShearStrength,
        pressure: Lanes<S>,
        slip: Lanes<S>,
    ) -> Lanes<S> {
        let strength = tread.with_sides(strength);
        let usual = strength.cohesion + pressure * strength.friction;
        tread.strength_on(self.law.strengths(usual, pressure, slip), pressure)
    }
}

/// Presses spots to `sinkage` m where the soil yields at the pressures `virgin`.
///
/// It works like [`press_lanes`](super::pressure_sinkage::press_lanes), with these differences:
///
/// - The line of unloading is softer than that of first loading, and its stiffness is that of
///   [`Bearing::unloading`] where the soil last yielded. Beyond that depth the soil is loaded for
///   the first time and follows the virgin curve, however soft the unloading.
/// - The yield pressure may fall: soil over which a body slides yields at the same depth. Its line
///   of unloading moves only when its permanent sinkage grows.
#[inline(always)]
pub fn press_refined<'a, S: Simd, L: SoilResponse<'a>>(
    bearing: &Bearing<'a, L>,
    virgin: Lanes<S>,
    sinkage: Lanes<S>,
    advance: Lanes<S>,
    residual: Lanes<S>,
    yielded_at: Lanes<S>,
) -> PressureLanes<S> {
    let first = bearing.loading;
    let line = bearing.reload_line(residual, yielded_at);
    let beyond = sinkage.gt(line.depth);
    let trial = line.pressure(sinkage, residual, yielded_at);
    let loaded = sinkage.gt(residual);
    let yields = loaded & trial.gt(virgin);
    let pressure = loaded.select(trial.min(virgin), 0.0);
    let unloading = bearing.unloading(sinkage, pressure);
    let left = sinkage - pressure / unloading;
    let hardens = yields & left.gt(residual);

    // coming sinkage up to which the line of reloading, and then the line to the virgin curve, last
    let reloads = beyond.select(0.0, line.depth - sinkage);
    let softness = 1.0 / first;
    let last_yield = beyond.select(trial, yielded_at);
    let to_yield = (last_yield.min(virgin) - trial).max(0.0) / line.stiffness
        + (virgin - last_yield).max(0.0) * softness;
    let to_yield = yields.select(0.0, to_yield);
    let curve =
        (bearing.law.exponents(sinkage, bearing.soil.n) * virgin / (sinkage + to_yield)).min(first);
    let elastic_rise = last_yield - trial + first * (advance - reloads);
    let yielding_rise = virgin - trial + curve * (advance - to_yield);
    let rise = advance.gt(to_yield).select(yielding_rise, elastic_rise);
    let stiffness = yields.select(unloading, beyond.select(first, line.stiffness));
    let leaves = advance.lt(0.0);
    let secant = leaves.select(pressure, rise) / advance.abs();
    let goes_on = !yields & advance.le(to_yield) & (beyond | advance.le(reloads));
    let steepest = line.stiffness.max(first);
    let deeper = yields.select(curve, goes_on.select(stiffness, secant.min(steepest)));
    let slope = loaded.select(leaves.select(secant.min(stiffness), deeper), 0.0);
    // the lines of unloading through both points of yield have different slopes
    let stiffening = 0.5 * yielded_at * pressure * (1.0 / unloading - 1.0 / line.stiffness);
    PressureLanes {
        pressure,
        slope,
        yields,
        sinkage: hardens.select(left, residual),
        yield_pressure: hardens.select(virgin, yielded_at),
        stiffening: hardens.select(stiffening, 0.0),
    }
}

/// Line of unloading and reloading of four spots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReloadLine<S: Simd> {
    /// Stiffnesses, Pa/m.
    stiffness: Lanes<S>,
    /// Sinkages at which the soil last yielded, m.
    pub depth: Lanes<S>,
    /// Stiffness beyond, up to the virgin curve, Pa/m.
    loading: f64,
}

impl<S: Simd> ReloadLine<S> {
    /// Returns the pressures of soil that does not yield, Pa: along the line up to where the soil
    /// last yielded, and steeply beyond.
    #[inline(always)]
    pub(crate) fn pressure(
        &self,
        sinkage: Lanes<S>,
        residual: Lanes<S>,
        yielded_at: Lanes<S>,
    ) -> Lanes<S> {
        let again = self.stiffness * (sinkage - residual);
        let first = yielded_at + self.loading * (sinkage - self.depth);
        sinkage.gt(self.depth).select(first, again)
    }
}

#[cfg(test)]
mod tests;
