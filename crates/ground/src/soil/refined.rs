//! Refinements of the reference's laws, each a pure function.

use super::catalog::STIFFEST_ELASTIC;
use super::custom_law::{BuiltinLaw, CustomLaw, SoilResponse};
use super::pressure_sinkage::{PressureLanes, cohesive_frictional};
use super::{DeformableSoil, Laws, ShearStrength, Soil, SoilLaw, SubLayer, Tread};
use bekker_math::numeric::{Lanes, Level, Simd, cos, dispatch, pow, power, sin, tan};
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

/// Passive resistance of soil to an upright face that advances into it.
///
/// Per unit of the face's width it is γ (a z² + b z³/w) + c (e z + f z²/w) for a depth z and a
/// width w, m. The wedge has a flat failure plane and crescents at both ends (E. McKyes and O. S.
/// Ali, *The cutting of soil by narrow blades*, J. Terramech. 14, 1977). The friction on the face
/// is two thirds of that in the soil. For a wide smooth face it is Rankine's ½ γ N z² + 2 c √N z.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassiveWedge {
    /// γ a, N/m³.
    weight: f64,
    /// γ b, N/m³.
    weight_ends: f64,
    /// c e, Pa.
    cohesion: f64,
    /// c f, Pa.
    cohesion_ends: f64,
    /// Coefficient of friction between face and wedge.
    face_friction: f64,
    /// Speed at which the wedge rises over that at which the face advances.
    rise: f64,
}

impl PassiveWedge {
    /// Returns the wedge of a soil under `gravity`, m/s²; without a density, that of its cohesion
    /// alone. With `heap`, the soil that is pushed ahead rests on the wedge.
    pub fn from_soil(soil: &DeformableSoil, heap: bool, gravity: f64) -> PassiveWedge {
        let gamma = soil.details.density.unwrap_or(0.0) * gravity;
        let phi = soil.friction_angle;
        PassiveWedge::new(gamma, soil.cohesion, phi, phi * 2.0 / 3.0, if heap { phi } else { 0.0 })
    }

    /// Creates a wedge of weight `gamma` N/m³, `cohesion` Pa, internal friction `phi` and friction
    /// `delta` on the face, rad.
    ///
    /// A heap falls from the face at the angle `repose`, rad, to the edge of the wedge, and its
    /// weight is added (M. Hegedus, *A simplified method for the determination of bulldozing
    /// resistance*, Land Locomotion Laboratory, 1960; used by G. Ishigami, J. Field Robotics 24,
    /// 2007, with `phi` for `repose`). The failure plane is that of least resistance for a face
    /// twice as wide as deep.
    pub fn new(gamma: f64, cohesion: f64, phi: f64, delta: f64, repose: f64) -> PassiveWedge {
        let at = |beta: f64| {
            let cot = 1.0 / tan(beta);
            let under = 1.0 / tan(beta + phi);
            let share = cos(delta) / (cos(delta) * under - sin(delta));
            // heap and wedge have the same base, also in the crescents, and both taper to its edge
            let wedge = 0.5 * cot * share * (1.0 + cot * tan(repose));
            let stick = (1.0 + cot * under) * share;
            [wedge, wedge * cot * 2.0 / 3.0, stick, stick * cot, tan(beta)]
        };
        // the plane is steeper than 5° and flatter than the angle at which the face locks
        let steepest = FRAC_PI_2 - phi - delta;
        let planes = (1..200).map(|i| at(0.087 + (steepest - 0.087) * f64::from(i) / 200.0));
        let best = planes
            .filter(|k| k[0] > 0.0)
            .min_by(|p, q| (p[0] + 0.5 * p[1]).total_cmp(&(q[0] + 0.5 * q[1])));
        let [a, b, e, f, rise] = best.unwrap_or_default();
        PassiveWedge {
            weight: gamma * a,
            weight_ends: gamma * b,
            cohesion: cohesion * e,
            cohesion_ends: cohesion * f,
            face_friction: tan(delta),
            rise,
        }
    }

    /// Returns the coefficient of friction between face and wedge.
    pub fn friction_coefficient(&self) -> f64 {
        self.face_friction
    }

    /// Returns the friction of the wedge on an upright face over the pressure there: along the
    /// face and upward.
    ///
    /// The face moves into the soil at the speed `into`, along itself at `along` and upward at
    /// `climb`, m/s. The wedge rises along its failure plane. Friction opposes the sliding of the
    /// face on the wedge, so it is upward only where a face advances without moving along itself
    /// or rising faster than the wedge.
    #[inline(always)]
    pub fn face_friction<S: Simd>(
        &self,
        into: Lanes<S>,
        along: Lanes<S>,
        climb: Lanes<S>,
    ) -> [Lanes<S>; 2] {
        let rising = into * self.rise - climb;
        // a face at rest has no direction of sliding
        let speed = (rising * rising + along * along).sqrt().max(1e-9);
        [-along / speed * self.face_friction, rising / speed * self.face_friction]
    }

    /// Returns the force on a face from the surface to `depth` m, per meter of its `width` m, N/m.
    #[inline(always)]
    pub fn force<S: Simd>(&self, depth: Lanes<S>, width: f64) -> Lanes<S> {
        let (cohesion_ends, weight_ends) = (self.cohesion_ends / width, self.weight_ends / width);
        depth
            * (self.cohesion + depth * cohesion_ends + depth * (self.weight + depth * weight_ends))
    }

    /// Returns the force on a face `height` m high whose lower edge is `depth` m deep, per meter of
    /// its `width` m, N/m, and the height above that edge at which it acts, m. Only the part below
    /// the surface carries pressure.
    pub fn on_face(&self, depth: f64, height: f64, width: f64) -> [f64; 2] {
        let linear = self.cohesion_ends / width + self.weight;
        let squared = self.weight_ends / width;
        let force = |z: f64| z * (self.cohesion + z * (linear + z * squared));
        // moment of the pressure about the surface
        let moment =
            |z: f64| z * z * (self.cohesion / 2.0 + z * (linear * 2.0 / 3.0 + z * squared * 0.75));
        let top = (depth - height).max(0.0);
        let whole = force(depth) - force(top);
        let above = if whole > 0.0 { depth - (moment(depth) - moment(top)) / whole } else { 0.0 };
        [whole, above]
    }

    /// Returns the pressure at `depth` m, Pa: the derivative of the force.
    #[inline(always)]
    pub fn pressure<S: Simd>(&self, depth: Lanes<S>, width: f64) -> Lanes<S> {
        let (cohesion_ends, weight_ends) = (self.cohesion_ends / width, self.weight_ends / width);
        self.cohesion
            + depth * (2.0 * cohesion_ends)
            + depth * (2.0 * self.weight + depth * (3.0 * weight_ends))
    }
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
mod tests {
    use super::*;
    use crate::soil::pressure_sinkage::virgin_pressure;
    use crate::soil::{Details, Loading, SoilKind};
    use bekker_math::numeric::exp;
    use proptest::prelude::*;

    /// Evaluates a law in lanes that all hold the given numbers.
    macro_rules! one {
        (|$all:ident| $law:expr) => {
            dispatch!(Level::baseline(), simd => {
                let $all = |number: f64| Lanes::new(simd, number);
                $law.to_array()[0]
            })
        };
    }

    fn force(wedge: &PassiveWedge, depth: f64, width: f64) -> f64 {
        one!(|all| wedge.force(all(depth), width))
    }

    fn mobilized(m: f64, way: f64, speed: f64, time: f64, modulus: f64) -> f64 {
        one!(|all| {
            let (kept, pull) = mobilize(all(way), all(speed.abs()), all(time), modulus);
            m * kept + speed * pull
        })
    }

    /// Pressure is uniform for cohesion alone and triangular for weight alone, on a wide face. A
    /// face whose top is below the surface carries the pressure over its own height.
    #[test]
    fn a_face_meets_the_soil_before_it() {
        let [sticky, loose] = [(0.0, 5e3), (16e3, 0.0)]
            .map(|(gamma, cohesion)| PassiveWedge::new(gamma, cohesion, 0.5, 0.3, 0.0));
        for (wedge, part) in [(sticky, 1.0 / 2.0), (loose, 1.0 / 3.0)] {
            let [whole, above] = wedge.on_face(0.6, 0.9, 1e6);
            assert!((whole / force(&wedge, 0.6, 1e6) - 1.0).abs() < 1e-12);
            assert!((above - part * 0.6).abs() < 1e-6, "{above}");
            let [sunk, above] = wedge.on_face(0.6, 0.2, 1e6);
            let lower = force(&wedge, 0.6, 1e6) - force(&wedge, 0.4, 1e6);
            assert!((sunk / lower - 1.0).abs() < 1e-12);
            // for a triangle from 0.4 to 0.6: 0.6 - (2/3)(0.216 - 0.064)/(0.36 - 0.16)
            let middle = if part == 0.5 { 0.1 } else { 0.6 - 2.0 / 3.0 * 0.152 / 0.2 };
            assert!((above - middle).abs() < 1e-6, "{above}");
        }
        assert_eq!(PassiveWedge::default().on_face(0.5, 1.0, 2.0), [0.0, 0.0]);
    }

    #[test]
    fn lyasko_s_formula_comes_back_at_the_end_of_a_contact() {
        for slip in [0.0, 0.1, 0.3, 0.5] {
            let way = 0.4 * slip / (1.0 - slip);
            let expected = (1.0 - 0.5 * slip) / (1.0 + slip);
            assert!((one!(|all| slip_sinkage(all(way), 0.4)) - expected).abs() < 1e-12);
        }
    }

    /// Beyond a slip of one half the ratio stays at 2.
    #[test]
    fn slip_sinkage_is_held_at_the_end_of_its_trials() {
        let factor = |way: f64| 1.0 / one!(|all| slip_sinkage(all(way), 0.4));
        assert!((factor(0.4) - 2.0).abs() < 1e-12);
        for way in [0.5, 4.0, 1e6] {
            assert_eq!(factor(way), factor(0.4));
        }
    }

    /// The friction has the magnitude tan δ, opposes the sliding of the face on the rising wedge,
    /// and has no preferred side.
    #[test]
    fn friction_on_a_face_opposes_its_sliding() {
        let phi = 29_f64.to_radians();
        let delta = phi * 2.0 / 3.0;
        let wedge = PassiveWedge::new(13e3, 0.0, phi, delta, phi);
        let friction = |into: f64, along: f64, climb: f64| {
            dispatch!(Level::baseline(), simd => {
                let all = |number: f64| Lanes::new(simd, number);
                let found = wedge.face_friction(all(into), all(along), all(climb));
                found.map(|lanes| lanes.to_array()[0])
            })
        };
        // straight ahead the wedge rises on the face, as it does at any speed
        assert_eq!(friction(0.1, 0.0, 0.0), [0.0, tan(delta)]);
        assert_eq!(friction(2.0, 0.0, 0.0), [0.0, tan(delta)]);
        // a face that rises faster than the wedge drags it up
        assert_eq!(friction(0.1, 0.0, 1.0)[1], -tan(delta));
        for (into, along, climb) in [(0.1, 0.1, 0.0), (0.1, 1.0, -0.2), (0.01, 0.3, 0.1)] {
            let [on, up] = friction(into, along, climb);
            assert!((on.hypot(up) / tan(delta) - 1.0).abs() < 1e-12);
            assert!(on < 0.0);
            // on a face that slides along itself much faster than into the soil little is left
            assert!(up.abs() < tan(delta));
            assert_eq!(friction(into, -along, climb), [-on, up]);
        }
        assert_eq!(friction(0.0, 0.0, 0.0), [0.0, 0.0]);
    }

    #[test]
    fn bearing_under_inclined_load_is_meyerhof_s() {
        assert_eq!(inclined_bearing(0.0), 1.0);
        assert!((inclined_bearing(PI / 4.0) - 0.25).abs() < 1e-12);
        assert_eq!(inclined_bearing(-PI / 4.0), inclined_bearing(PI / 4.0));
        assert_eq!(inclined_bearing(3.0), 0.01);
    }

    // Published closed form for a wide smooth face: N = tan²(45° + φ/2), and a
    // blade 0.254 m wide at 0.1 m: 144.21 N in sand of 16 kN/m³ (N 2.7698).
    #[test]
    fn a_wide_smooth_face_meets_rankine() {
        let phi = 28_f64.to_radians();
        let wedge = PassiveWedge::new(16e3, 1040.0, phi, 0.0, 0.0);
        let n = tan(PI / 4.0 + 0.5 * phi);
        let (z, width) = (0.1, 1e6);
        let rankine = 0.5 * 16e3 * n * n * z * z + 2.0 * 1040.0 * n * z;
        // the plane is that for a face with ends, searched over 200 angles: an upper bound, which
        // may be a few percent high
        let ratio = force(&wedge, z, width) / rankine;
        assert!((1.0..1.06).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_narrow_rough_face_meets_more_and_pressure_is_the_slope_of_force() {
        let phi = 29_f64.to_radians();
        let wedge = PassiveWedge::new(13e3, 200.0, phi, phi * 2.0 / 3.0, 0.0);
        let smooth = PassiveWedge::new(13e3, 200.0, phi, 0.0, 0.0);
        assert!(force(&wedge, 0.05, 0.05) > 2.0 * force(&smooth, 0.05, 10.0));
        let (z, h) = (0.05, 1e-6);
        let slope = (force(&wedge, z + h, 0.05) - force(&wedge, z - h, 0.05)) / (2.0 * h);
        assert!((one!(|all| wedge.pressure(all(z), 0.05)) / slope - 1.0).abs() < 1e-6);
    }

    #[test]
    fn shear_follows_janosi_and_turns_back_at_once() {
        let (speed, step, modulus) = (0.01, 0.05, 0.02);
        let mut m = 0.0;
        for _ in 0..80 {
            m = mobilized(m, speed * step, speed, step, modulus);
        }
        // 4 cm are two moduli
        assert!((m - (1.0 - exp(-2.0))).abs() < 1e-9);
        let back = mobilized(m, 0.02, -speed, 2.0, modulus);
        assert!((back - ((1.0 + m) * exp(-1.0) - 1.0)).abs() < 1e-9);
    }

    /// Returns arbitrary numbers, selected by depth.
    #[derive(Debug)]
    struct Whims([f64; 7]);

    impl SoilLaw for Whims {
        fn name(&self) -> &str {
            "whims"
        }

        fn pressure(&self, _soil: &Soil, sinkage: f64, width: f64) -> Loading {
            assert!(sinkage > 0.0 && width == 0.2);
            let at = |of: f64| self.0[(sinkage * of) as usize % self.0.len()];
            Loading { pressure: at(1e3), slope: at(3e3) }
        }
    }

    fn yielding() -> DeformableSoil {
        DeformableSoil {
            k_phi: 2e6,
            k_c: 0.0,
            n: 1.1,
            cohesion: 1e3,
            friction_angle: 0.5,
            shear_modulus: 0.01,
            elastic_stiffness: 2e8,
            damping: 3e4,
            bulldozing: None,
            details: Default::default(),
        }
    }

    fn named(soil: &DeformableSoil) -> Soil {
        Soil { name: "mid".into(), source: String::new(), kind: SoilKind::Deformable(soil.clone()) }
    }

    /// Bekker's curve as a custom law.
    #[derive(Debug)]
    struct Bekker;

    impl SoilLaw for Bekker {
        fn name(&self) -> &str {
            "Bekker"
        }

        fn pressure(&self, soil: &Soil, sinkage: f64, width: f64) -> Loading {
            let SoilKind::Deformable(soil) = &soil.kind else { return Loading::default() };
            let pressure = virgin_pressure(soil, 1.0 / width, sinkage);
            Loading { pressure, slope: soil.n * pressure / sinkage }
        }
    }

    #[test]
    fn bekkers_curve_as_a_custom_law_equals_the_builtin_law() {
        let soil = DeformableSoil { k_c: 1e5, ..yielding() };
        let (named, laws) = (named(&soil), Laws::reference());
        let usual = Bearing::new(&soil, laws, 5.0);
        let own = usual.with_custom_law(&Bekker, &named, 5.0);
        for sinkage in [1e-4, 0.01, 0.1, 0.4] {
            macro_rules! answer {
                ($bearing:expr) => {
                dispatch!(Level::baseline(), simd => {
                    let bearing = $bearing;
                    let all = |number: f64| Lanes::new(simd, number);
                    let virgin = bearing.virgin_lanes(all(sinkage), all(1.0), all(0.0));
                    let pressed = press_refined(
                        &bearing, virgin, all(sinkage), all(1e-3), all(0.0), all(0.0),
                    );
                    let tread = Tread::rough();
                    let strength = ShearStrength::from_soil(&soil);
                    let shear = bearing.shear_strength(&tread, &strength, virgin, all(0.1));
                    [pressed.pressure, pressed.slope, pressed.sinkage, shear]
                        .map(|lanes| lanes.to_array()[0])
                })
                };
            }
            for (usual, own) in answer!(usual).into_iter().zip(answer!(own)) {
                // 1/5 and back, z n p/z: a few roundings
                assert!((own / usual - 1.0).abs() < 1e-14, "{own} {usual} at {sinkage}");
            }
        }
    }

    /// LETE sand with the given unloading under a patch 0.2 m wide.
    fn lete(k0: f64, growth: f64) -> DeformableSoil {
        let (reload_stiffness, reload_growth) = (Some(k0), Some(growth));
        DeformableSoil {
            k_phi: 5.301e6,
            k_c: 102e3,
            n: 0.793,
            elastic_stiffness: 4e8,
            details: Details { reload_stiffness, reload_growth, ..Details::default() },
            ..yielding()
        }
    }

    /// A spot of soil, pressed step by step.
    #[derive(Clone, Copy, Default)]
    struct PressedSoil {
        residual: f64,
        yielded_at: f64,
        pressure: f64,
        /// Work of permanent sinkage, J/m².
        compaction: f64,
    }

    impl PressedSoil {
        fn press(&mut self, soil: &DeformableSoil, sinkage: f64) {
            let bearing = Bearing::new(soil, Laws::refined(), 5.0);
            let [pressure, residual, yielded_at, stiffening] = dispatch!(Level::baseline(), simd => {
                let all = |number: f64| Lanes::new(simd, number);
                let virgin = bearing.virgin_lanes(all(sinkage), all(1.0), all(0.0));
                let pressed = press_refined(
                    &bearing, virgin, all(sinkage), all(0.0), all(self.residual),
                    all(self.yielded_at),
                );
                [pressed.pressure, pressed.sinkage, pressed.yield_pressure, pressed.stiffening]
                    .map(|lanes| lanes.to_array()[0])
            });
            let sunk = residual - self.residual;
            if sunk > 0.0 {
                self.compaction += 0.5 * (self.yielded_at + pressure) * sunk + stiffening;
            }
            *self = PressedSoil { residual, yielded_at, pressure, ..*self };
        }
    }

    /// With k₀ of 1e5 Pa/m and no limit of the rebound, 100 kPa need 1 m on the line of unloading.
    #[test]
    fn first_loading_follows_bekker_s_curve_whatever_the_unloading() {
        for (k0, growth) in [(1e5, 0.0), (0.0, 5.03e8), (0.0, 1e5), (1e5, 1e10), (4e8, 0.0)] {
            let soil = lete(k0, growth);
            let (mut spot, mut work) = (PressedSoil::default(), 0.0);
            for step in 1..=600 {
                let (z, before) = (1e-5 * f64::from(step), spot.pressure);
                spot.press(&soil, z);
                work += 0.5e-5 * (before + spot.pressure);
                let bekker = virgin_pressure(&soil, 5.0, z);
                assert!((spot.pressure / bekker - 1.0).abs() < 1e-8, "{k0} {growth} at {z}");
                // at least a third of it stays
                assert!(spot.residual >= 0.3333 * z, "{k0} {growth} at {z}: {}", spot.residual);
            }
            // energy: the loading work is that of compaction and what unloading returns
            let stored = 0.5 * spot.pressure * (0.006 - spot.residual);
            let total = spot.compaction + stored;
            assert!((total / work - 1.0).abs() < 5e-3, "{k0} {growth}: {total} of {work}");
            // unloading returns that energy, and reloading meets the curve where it left it
            let (top, mut returned) = (spot, 0.0);
            let stroke = 0.006 - top.residual;
            for step in (0..100).rev() {
                let before = spot.pressure;
                spot.press(&soil, top.residual + 0.01 * f64::from(step) * stroke);
                returned += 0.5 * (before + spot.pressure) * 0.01 * stroke;
            }
            assert!((returned / stored - 1.0).abs() < 1e-6, "{k0} {growth}: {returned}, {stored}");
            assert_eq!((spot.residual, spot.pressure), (top.residual, 0.0));
            spot.press(&soil, 0.006);
            assert!((spot.pressure / top.pressure - 1.0).abs() < 1e-6, "{k0} {growth}");
            spot.press(&soil, 0.0065);
            let bekker = virgin_pressure(&soil, 5.0, 0.0065);
            assert!((spot.pressure / bekker - 1.0).abs() < 1e-8, "{k0} {growth}");
        }
    }

    proptest! {
        #[test]
        fn under_any_law_pressure_is_never_negative_and_sinkage_never_decreases(
            whims in proptest::array::uniform7(prop_oneof![
                -1e6..1e6_f64, 0.0..1e5_f64,
                Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(f64::MAX),
            ]),
            ways in proptest::collection::vec((0.0..0.3_f64, -0.01..0.01_f64), 1..30),
            growth in prop_oneof![Just(0.0), 1e6..1e9_f64],
        ) {
            let mut soil = yielding();
            soil.details.reload_growth = Some(growth);
            let (law, named) = (Whims(whims), named(&soil));
            let bearing = Bearing::new(&soil, Laws::refined(), 5.0).with_custom_law(&law, &named, 5.0);
            let [mut residual, mut yielded_at] = [0.0; 2];
            for (sinkage, advance) in ways {
                let [pressure, slope, stays, yields_at] =
                    dispatch!(Level::baseline(), simd => {
                        let all = |number: f64| Lanes::new(simd, number);
                        let virgin = bearing.virgin_lanes(all(sinkage), all(1.0), all(0.0));
                        let [residual, yielded_at] = [all(residual), all(yielded_at)];
                        let pressed = press_refined(
                            &bearing, virgin, all(sinkage), all(advance), residual, yielded_at,
                        );
                        [pressed.pressure, pressed.slope, pressed.sinkage, pressed.yield_pressure]
                            .map(|lanes| lanes.to_array()[0])
                    });
                let steepest = bearing.loading.max(soil.elastic_stiffness + growth * 0.3);
                prop_assert!((0.0..=steepest * 0.3).contains(&pressure), "{pressure}");
                // a secant of a line: only rounding can make it steeper than the line
                prop_assert!((0.0..=steepest * (1.0 + 1e-9)).contains(&slope), "{slope}");
                prop_assert!(stays >= residual && stays <= residual.max(sinkage));
                prop_assert!(yields_at >= 0.0 && yields_at.is_finite());
                (residual, yielded_at) = (stays, yields_at);
            }
        }

        #[test]
        fn mobilized_shear_never_exceeds_the_strength(
            m in -1.0..1.0_f64, way in 0.0..1.0, modulus in 1e-3..0.1,
        ) {
            // only rounding can make it exceed one
            prop_assert!(mobilized(m, way, 1.0, way, modulus).abs() <= 1.0 + 1e-9);
        }

        #[test]
        fn the_line_of_reloading_is_found_from_what_is_remembered(
            z in 1e-4..0.3, p in 1.0..1e6, k0 in prop_oneof![Just(0.0), 1e5..1e9_f64],
            growth in 1e6..1e11,
        ) {
            let soil = lete(k0, growth);
            let bearing = Bearing::new(&soil, Laws::refined(), 5.0);
            let [k, found, depth] = dispatch!(Level::baseline(), simd => {
                let all = |number: f64| Lanes::new(simd, number);
                let k = bearing.unloading(all(z), all(p));
                let line = bearing.reload_line(all(z) - all(p) / k, all(p));
                [k, line.stiffness, line.depth].map(|lanes| lanes.to_array()[0])
            });
            // soil that never yielded is loaded along the stiff line
            prop_assume!(p / k < z);
            prop_assert!((found / k - 1.0).abs() < 1e-6, "{found} for {k}");
            prop_assert!((depth / z - 1.0).abs() < 1e-6, "{depth} for {z}");
        }

        #[test]
        fn the_reload_line_passes_through_the_unloading_point(
            zp in 0.0..0.3, p in 1.0..1e6, k0 in 1e6..1e9, growth in 1e6..1e11,
        ) {
            let k = one!(|all| reload_stiffness(k0, growth, all(zp), all(p)));
            let unloaded_at = zp + p / k;
            prop_assert!(((k0 + growth * unloaded_at) / k - 1.0).abs() < 1e-9);
        }
    }
}
