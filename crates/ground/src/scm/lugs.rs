//! Lugs that hold the soil between them.
//!
//! A wheel with closely spaced lugs rolls on the soil that they hold, as a wheel of a larger radius
//! r + λ h (L. Ding and others, J. Terramech. 48, 2011, with 0 <= λ <= 1 for lugs of height h). Here
//! λ is the part of the tread on which soil is held: the length of the passive wedge ahead of a lug
//! over the spacing of the lugs.

use crate::soil::Tread;
use std::f64::consts::TAU;

/// Length of the passive wedge ahead of a lug over the lug's height: tan(45° + φ/2) at φ = 30°.
const WEDGE_LENGTH: f64 = 1.732_050_807_568_877_2;

/// Straight lugs across the tread of a rigid wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lugs {
    /// Number of lugs around the wheel.
    pub count: u32,
    /// Height above the tread, m.
    pub height: f64,
}

impl Lugs {
    /// Returns the part of the tread on which the lugs hold soil, on a wheel of this radius, m.
    pub fn held(&self, radius: f64) -> f64 {
        let wedges = f64::from(self.count) * WEDGE_LENGTH * self.height;
        (wedges / (TAU * radius)).min(1.0)
    }

    /// Returns the outline (half width, radius), m, of the wheel with the soil that it holds.
    pub fn outline(&self, mut outline: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
        let radius = outline.iter().fold(0.0_f64, |most, point| most.max(point[1]));
        let raised = self.held(radius) * self.height;
        outline.iter_mut().for_each(|point| point[1] += raised);
        outline
    }

    /// Returns the tread of a wheel of this radius and width, m, with the lugs.
    pub fn tread(&self, tread: Tread, radius: f64, width: f64) -> Tread {
        tread.with_lugs(self.height, width, self.held(radius))
    }
}
