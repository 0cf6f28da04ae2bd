//! Cells that a tire presses into the soil in part only.
//!
//! Under the shoulder of a tread the soil ends within a cell. With the depth at the mean radius
//! alone, such a cell would carry nothing until half of it is in the soil.
//!
//! Let x be the depth at the mean radius, and a and b how much deeper and less deep the tread is at
//! its ends over the cell. From x = -a to x = b the cell gets into the soil, t = (x + a) / (a + b)
//! of the way. The depth w of the part in the soil, and this part f of the cell, are
//!
//! ```text
//! w = b t,   f = t b / (a + (b - a) t)
//! ```
//!
//! For a tread that is straight across the cell (a = b) both are exact. For others f is the
//! rational function closest to the power of t for which f w is the mean depth, and w is exact with
//! that power. Beyond x = b, w is x and f is 1.
//!
//! Soil that unloads rises everywhere by the same distance: then f is that of the last yield, and w
//! falls like x.

use super::footprint::{CellCover, CellDepth};
use bekker_math::numeric::{Lanes, Simd};

/// Least difference of depth across a cell that is considered, m.
const LEVEL: f64 = 1e-7;

/// Least exponent of pressure across a cell that is considered; below it pressure is nearly even.
const LEAST_EXPONENT: f64 = 0.05;

/// The parts of four cells in the soil.
pub(super) struct SunkCells<S: Simd> {
    /// Depths of these parts, m.
    pub sinkage: Lanes<S>,
    /// Their fractions of the covered parts of the cells.
    pub part: Lanes<S>,
    /// Sinking of the body per growth of the sinkage.
    pub growth: Lanes<S>,
}

impl<S: Simd> SunkCells<S> {
    /// Returns the parts at these depths of the mean radii, m, in soil that last yielded at depths of
    /// `yielded` m.
    #[inline(always)]
    pub fn new(depth: Lanes<S>, yielded: Lanes<S>, cover: &CellCover<S>) -> SunkCells<S> {
        let (inner, outer) = (cover.inner * cover.down, cover.outer * cover.down);
        let deeper = inner.max(outer).max(0.5 * LEVEL);
        let flatter = (-inner.min(outer)).max(0.5 * LEVEL);
        let whole = deeper + flatter;
        // depth at the mean radius at the last yield
        let before = yielded.lt(flatter).select(yielded / flatter * whole - deeper, yielded);
        let reached = depth.max(before);
        let on_the_way = ((reached + deeper) / whole).max(0.0).min(1.0);
        let fraction = on_the_way * flatter / (deeper + (flatter - deeper) * on_the_way);
        let loads = depth.ge(before) & depth.lt(flatter);
        SunkCells {
            sinkage: reached.max(on_the_way * flatter) - (reached - depth),
            part: fraction,
            growth: loads.select(whole / flatter, 1.0),
        }
    }

    /// Returns the pressures over those of the last yield, for soil with permanent sinkages of
    /// `residual` m that last yielded at depths of `yielded` m.
    #[inline(always)]
    pub fn left(&self, residual: Lanes<S>, yielded: Lanes<S>) -> Lanes<S> {
        let left = (self.sinkage - residual) / (yielded - residual).max(1e-9);
        yielded.gt(0.0).select(left.max(0.0).min(1.0), 1.0)
    }

    /// Returns the depths that determine the direction of the pressure's sum, where pressure grows
    /// across the cell with these `exponents` of the depth.
    #[inline(always)]
    pub fn depth(&self, depth: Lanes<S>, exponents: Lanes<S>) -> CellDepth<S> {
        // where the pressure would vanish if it continued with its slope
        let linear = self.sinkage / exponents.max(LEAST_EXPONENT);
        CellDepth { mean: depth, more: linear - self.sinkage, support: self.part * linear }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::{Level, dispatch};

    /// Returns depth, part and growth of a cell that is `inner` and `outer` m deeper at its ends.
    fn cell(depth: f64, yielded: f64, [inner, outer]: [f64; 2]) -> [f64; 3] {
        dispatch!(Level::baseline(), simd => {
            let all = |number: f64| Lanes::new(simd, number);
            let mut cover = CellCover::at_nodes(simd);
            (cover.inner, cover.outer, cover.down) = (all(inner), all(outer), all(1.0));
            let sunk = SunkCells::new(all(depth), all(yielded), &cover);
            [sunk.sinkage, sunk.part, sunk.growth].map(|lanes| lanes.to_array()[0])
        })
    }

    /// Under a straight tread the depth in the soil is that of the wedge below the surface.
    #[test]
    fn a_straight_tread_sinks_as_a_wedge() {
        for k in -12..30 {
            let depth = 1e-3 * f64::from(k);
            let [sinkage, part, _] = cell(depth, 0.0, [0.01, -0.01]);
            let count = 10_000;
            let points = (0..count)
                .map(|i| depth + 0.01 * (2.0 * (f64::from(i) + 0.5) / f64::from(count) - 1.0));
            let sunk: Vec<f64> = points.filter(|depth| *depth > 0.0).collect();
            let expected = sunk.len() as f64 / f64::from(count);
            assert!((part - expected).abs() < 1e-3, "{depth}: {part} of {expected}");
            if expected > 0.0 {
                let mean = sunk.iter().sum::<f64>() / sunk.len() as f64;
                assert!((sinkage - mean).abs() < 1e-5, "{depth}: {sinkage} of {mean}");
            }
        }
    }

    /// Unloading soil rises by the same distance as the body, and then loads back on the same path.
    #[test]
    fn unloading_soil_rises_with_the_body() {
        let ends = [0.007, -0.015];
        for depth in [-0.004, 0.0, 0.01, 0.02] {
            let [yielded, part, _] = cell(depth, 0.0, ends);
            let [again, ..] = cell(depth, yielded, ends);
            assert!((again - yielded).abs() < 1e-12, "{depth}: {again} {yielded}");
            let [higher, held, growth] = cell(depth - 0.001, yielded, ends);
            assert!((yielded - higher - 0.001).abs() < 1e-12, "{depth}: {higher} {yielded}");
            assert!((held - part).abs() < 1e-12 && growth == 1.0, "{depth}: {held} {part}");
        }
    }

    /// The growth of the depth and its rate agree.
    #[test]
    fn growth_is_the_inverse_derivative() {
        let ends = [0.007, -0.015];
        for depth in [-0.006, -0.001, 0.004, 0.014, 0.016, 0.03] {
            let [[less, ..], [more, ..]] = [-1e-6, 1e-6].map(|by| cell(depth + by, 0.0, ends));
            let [_, _, growth] = cell(depth, 0.0, ends);
            assert!(((more - less) * growth - 2e-6).abs() < 1e-10, "{depth}: {growth}");
        }
    }
}
