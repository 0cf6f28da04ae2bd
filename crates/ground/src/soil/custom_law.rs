//! Custom soil laws that replace the built-in pressure and shear strength.

use super::Soil;
use bekker_math::numeric::{Lanes, Simd};
use std::fmt::Debug;

/// Pressure of virgin soil and its slope.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loading {
    /// Pressure, Pa.
    pub pressure: f64,
    /// Its slope over sinkage, Pa/m.
    pub slope: f64,
}

/// A custom law for the response of soil to a load
/// ([`GroundModel::with_law`](crate::GroundModel::with_law)).
///
/// It is evaluated node by node at every step. It replaces Bekker's or Reece's curve, including
/// layers and crusts, and the Mohr–Coulomb strength. Everything else is as in
/// [`Laws`](super::Laws): unloading and reloading along the soil's elastic line, inclined bearing,
/// growth with speed, mobilization of shear (Janosi and Hanamoto), passive pressure and heaps.
/// Under slip sinkage, the law receives the part of the sinkage that would exist without slip.
///
/// Whatever the law returns, soil never pulls and its permanent sinkage never decreases. A negative
/// or NaN pressure or slope counts as zero, and no pressure exceeds that of the elastic line. Use
/// [`bekker_math::numeric`] for elementary functions: a drive then has the same bits on every
/// machine, provided that the law is a pure function.
pub trait SoilLaw: Debug + Send + Sync {
    /// Returns the name of the law with its parameters, on one line. A checkpoint of a ground with
    /// a different name is rejected.
    fn name(&self) -> &str;

    /// Returns the loading of virgin `soil`, `sinkage` m deep (above 0) along the normal of the
    /// undisturbed ground, under a patch of Bekker's `width`, m. The width is infinite where a
    /// single row of nodes is pressed.
    fn pressure(&self, soil: &Soil, sinkage: f64, width: f64) -> Loading;

    /// Returns the shear strength of `soil`, Pa, under `pressure` Pa, where the body has slid
    /// `slip` m over it in this contact; `mohr_coulomb` is c + p tan φ, Pa.
    fn shear_strength(&self, soil: &Soil, mohr_coulomb: f64, pressure: f64, slip: f64) -> f64 {
        let _ = (soil, pressure, slip);
        mohr_coulomb
    }
}

/// Source of a soil's pressure and strength.
///
/// The code of a contact is compiled for each implementation, so that the built-in laws have no
/// overhead.
pub trait SoilResponse<'a>: Copy {
    /// Whether it is a custom law.
    const IS_CUSTOM: bool;

    /// Returns the law for `soil` under a patch of width `1 / inverse_width`, 1/m.
    fn for_patch(self, soil: &'a Soil, inverse_width: f64) -> Self;

    /// Returns the yield pressures of virgin soil at four sinkages, Pa. The soil's built-in curve
    /// is `modulus` (Pa/m^n) times sinkage to the power `exponent`.
    fn pressures<S: Simd>(&self, sinkage: Lanes<S>, modulus: f64, exponent: f64) -> Lanes<S>;

    /// Returns the exponents of the power laws tangent to the curve there; `usual` is the soil's
    /// own.
    fn exponents<S: Simd>(&self, sinkage: Lanes<S>, usual: f64) -> Lanes<S>;

    /// Returns the shear strengths at four nodes, Pa; `usual` is that of Mohr and Coulomb.
    fn strengths<S: Simd>(&self, usual: Lanes<S>, pressure: Lanes<S>, slip: Lanes<S>) -> Lanes<S>;
}

/// The built-in laws.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinLaw;

impl<'a> SoilResponse<'a> for BuiltinLaw {
    const IS_CUSTOM: bool = false;

    #[inline(always)]
    fn for_patch(self, _soil: &'a Soil, _inverse_width: f64) -> BuiltinLaw {
        self
    }

    #[inline(always)]
    fn pressures<S: Simd>(&self, sinkage: Lanes<S>, modulus: f64, exponent: f64) -> Lanes<S> {
        modulus * sinkage.power(exponent)
    }

    #[inline(always)]
    fn exponents<S: Simd>(&self, sinkage: Lanes<S>, usual: f64) -> Lanes<S> {
        Lanes::new(sinkage.simd(), usual)
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

/// A custom law under one patch.
#[derive(Clone, Copy, Debug)]
pub struct CustomLaw<'a> {
    law: &'a dyn SoilLaw,
    soil: Option<&'a Soil>,
    /// Width b of the patch in Bekker's equation, m.
    width: f64,
}

impl<'a> CustomLaw<'a> {
    /// Returns a law without a soil, under which the pressure is zero.
    pub(crate) fn new(law: &'a dyn SoilLaw) -> CustomLaw<'a> {
        CustomLaw { law, soil: None, width: f64::INFINITY }
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

/// Returns a physically possible value: zero for negative numbers and NaN.
fn possible(number: f64) -> f64 {
    if number > 0.0 { number.min(f64::MAX) } else { 0.0 }
}

impl<'a> SoilResponse<'a> for CustomLaw<'a> {
    const IS_CUSTOM: bool = true;

    fn for_patch(self, soil: &'a Soil, inverse_width: f64) -> CustomLaw<'a> {
        CustomLaw { law: self.law, soil: Some(soil), width: 1.0 / inverse_width }
    }

    fn pressures<S: Simd>(&self, sinkage: Lanes<S>, _modulus: f64, _exponent: f64) -> Lanes<S> {
        let at = sinkage.to_array();
        Lanes::from_fn(sinkage.simd(), |k| self.loading(at[k]).pressure)
    }

    /// Returns z p'/p; zero where there is no pressure.
    fn exponents<S: Simd>(&self, sinkage: Lanes<S>, _usual: f64) -> Lanes<S> {
        let at = sinkage.to_array();
        Lanes::from_fn(sinkage.simd(), |k| {
            let Loading { pressure, slope } = self.loading(at[k]);
            if pressure > 0.0 { possible(at[k] * slope / pressure) } else { 0.0 }
        })
    }

    fn strengths<S: Simd>(&self, usual: Lanes<S>, pressure: Lanes<S>, slip: Lanes<S>) -> Lanes<S> {
        let Some(soil) = self.soil else { return usual };
        let [usual, at, slip] = [usual.to_array(), pressure.to_array(), slip.to_array()];
        Lanes::from_fn(pressure.simd(), |k| {
            possible(self.law.shear_strength(soil, usual[k], at[k], slip[k]))
        })
    }
}
