//! A law of one's own in place of the pressure and the shear strength that soils have here.

use super::Soil;
use bekker_math::numeric::{Lanes, Simd};
use std::fmt::Debug;

/// Pressure of soil that was never pressed before, and how it grows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loading {
    /// Pressure, Pa.
    pub pressure: f64,
    /// Its slope over sinkage, Pa/m.
    pub slope: f64,
}

/// How soil answers a load, given by a program
/// ([`GroundModel::with_law`](crate::GroundModel::with_law)).
///
/// It is asked node by node at every step. What the law says takes the place of Bekker's
/// or Reece's curve, layers and crusts included, and of the Mohr–Coulomb strength; all
/// else stays as [`Laws`](super::Laws) say: unloading and reloading along the soil's
/// elastic line, slip sinkage (the sinkage that the law is asked about is the part that
/// would be there without slip), inclined bearing, growth with speed, how shear is
/// mobilised (Janosi and Hanamoto), passive pressure, heaps.
///
/// Whatever it says, soil never pulls and never forgets: a pressure or slope that is
/// negative or no number counts as zero, no pressure exceeds that of the elastic line, and
/// the sinkage that stays never shrinks. Call [`bekker_math::numeric`] for elementary functions:
/// then a drive has the same bits on every machine, as long as the law answers the same
/// arguments with the same numbers.
pub trait SoilLaw: Debug + Send + Sync {
    /// Name of the law with its parameters, on one line: a checkpoint of a ground with
    /// another one is refused.
    fn name(&self) -> &str;

    /// Loading of virgin `soil`, `sinkage` m deep (above 0) along the normal of the
    /// undisturbed ground, under a patch of Bekker's `width`, m: infinite where a single row
    /// of nodes is pressed.
    fn pressure(&self, soil: &Soil, sinkage: f64, width: f64) -> Loading;

    /// The greatest shear stress that `soil` bears, Pa, under `pressure` Pa, where the body
    /// has slid `slip` m over it in this contact; `mohr_coulomb` is c + p tan φ, Pa.
    fn shear_strength(&self, soil: &Soil, mohr_coulomb: f64, pressure: f64, slip: f64) -> f64 {
        let _ = (soil, pressure, slip);
        mohr_coulomb
    }
}

/// Where a soil's pressure and strength come from. The code of a contact is compiled for
/// each: that under the laws that are always there knows of no others.
pub trait Answering<'a>: Copy {
    /// Whether it is a law of one's own.
    const OWN: bool;

    /// The same for `soil` under a patch of width `1 / inverse_width`, 1/m.
    fn under(self, soil: &'a Soil, inverse_width: f64) -> Self;

    /// Pressures at which virgin soil yields at four sinkages, Pa; those of the soil's own curve
    /// are `modulus` (Pa/m^n) times their powers `exponent`.
    fn pressures<S: Simd>(&self, sinkage: Lanes<S>, modulus: f64, exponent: f64) -> Lanes<S>;

    /// Exponents of the powers of sinkage that touch the curve there; `usual` is the soil's.
    fn exponents<S: Simd>(&self, sinkage: Lanes<S>, usual: f64) -> Lanes<S>;

    /// Shear strengths at four nodes, Pa: of Mohr and Coulomb, `usual`, or others.
    fn strengths<S: Simd>(&self, usual: Lanes<S>, pressure: Lanes<S>, slip: Lanes<S>) -> Lanes<S>;
}

/// The laws that are always there.
#[derive(Clone, Copy, Debug)]
pub struct Usual;

impl<'a> Answering<'a> for Usual {
    const OWN: bool = false;

    #[inline(always)]
    fn under(self, _soil: &'a Soil, _inverse_width: f64) -> Usual {
        self
    }

    #[inline(always)]
    fn pressures<S: Simd>(&self, sinkage: Lanes<S>, modulus: f64, exponent: f64) -> Lanes<S> {
        modulus * sinkage.power(exponent)
    }

    #[inline(always)]
    fn exponents<S: Simd>(&self, sinkage: Lanes<S>, usual: f64) -> Lanes<S> {
        Lanes::of(sinkage.simd(), usual)
    }

    #[inline(always)]
    fn strengths<S: Simd>(
        &self,
        usual: Lanes<S>,
        _pressure: Lanes<S>,
        _slip: Lanes<S>,
    ) -> Lanes<S> {
        usual
    }
}

/// A law of one's own under one patch.
#[derive(Clone, Copy, Debug)]
pub struct OwnLaw<'a> {
    law: &'a dyn SoilLaw,
    soil: Option<&'a Soil>,
    /// Bekker's width of the patch, m.
    width: f64,
}

impl<'a> OwnLaw<'a> {
    /// A law that has not been told its soil yet: it bears nothing.
    pub(crate) fn new(law: &'a dyn SoilLaw) -> OwnLaw<'a> {
        OwnLaw { law, soil: None, width: f64::INFINITY }
    }

    fn loading(&self, sinkage: f64) -> Loading {
        match self.soil {
            Some(soil) if sinkage > 0.0 => {
                let Loading { pressure, slope } = self.law.pressure(soil, sinkage, self.width);
                Loading { pressure: possible(pressure), slope: possible(slope) }
            }
            _ => Loading::default(),
        }
    }
}

/// What the soil can do: zero for what is negative or no number.
fn possible(number: f64) -> f64 {
    if number > 0.0 { number.min(f64::MAX) } else { 0.0 }
}

impl<'a> Answering<'a> for OwnLaw<'a> {
    const OWN: bool = true;

    fn under(self, soil: &'a Soil, inverse_width: f64) -> OwnLaw<'a> {
        OwnLaw { law: self.law, soil: Some(soil), width: 1.0 / inverse_width }
    }

    fn pressures<S: Simd>(&self, sinkage: Lanes<S>, _modulus: f64, _exponent: f64) -> Lanes<S> {
        let at = sinkage.numbers();
        Lanes::gather(sinkage.simd(), |k| self.loading(at[k]).pressure)
    }

    /// z p'/p; zero where there is no pressure.
    fn exponents<S: Simd>(&self, sinkage: Lanes<S>, _usual: f64) -> Lanes<S> {
        let at = sinkage.numbers();
        Lanes::gather(sinkage.simd(), |k| {
            let Loading { pressure, slope } = self.loading(at[k]);
            if pressure > 0.0 { possible(at[k] * slope / pressure) } else { 0.0 }
        })
    }

    fn strengths<S: Simd>(&self, usual: Lanes<S>, pressure: Lanes<S>, slip: Lanes<S>) -> Lanes<S> {
        let Some(soil) = self.soil else { return usual };
        let [usual, at, slip] = [usual.numbers(), pressure.numbers(), slip.numbers()];
        Lanes::gather(pressure.simd(), |k| {
            possible(self.law.shear_strength(soil, usual[k], at[k], slip[k]))
        })
    }
}
