//! Square of cells under a pyramid of lids, and its traversal by rays.
//!
//! Level l of the pyramid holds, for every block of 2^l x 2^l cells, a plane that bounds the block
//! from above. A ray that stays above a block's lid skips the block. In a cell it hits the bilinear
//! patch of the cell's four corners at the root of a quadratic. The root is computed in single
//! precision and refined in double precision at the final hit.
//!
//! This is the maximum mipmap of Tevs, Ihrke and Seidel (2008) with planes instead of heights. At
//! grazing angles, a ray hits a level lid over a slope long before the ground.

use super::super::packet::{F32Lanes, PacketTraversal, RAYS, Simd, to_lanes};
use fearless_simd::prelude::*;

/// Rays over a square, one per lane: x and y in cells, z in m.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridRays<S: Simd> {
    origin: [F32Lanes<S>; 3],
    slope: [F32Lanes<S>; 3],
    /// Inverse of the slope along x and y.
    inverse: [F32Lanes<S>; 2],
    /// Quarter of a block that most rays enter first.
    first: usize,
    /// Bound of the rounding error of a ray's height over a lid, m.
    margin: f32,
}

/// Square of cells that rays traverse.
pub(super) trait CellGrid {
    /// Cells along a side, as a power of two.
    const LEVELS: u32;
    /// Returns the lid of a block of a level above the cells.
    fn upper_bound(&self, level: u32, at: [usize; 2]) -> UpperBound;
    /// Intersects the rays over a cell between two ranges, where the first is not above the second.
    ///
    /// Primitives in the square are numbered from `number`.
    fn intersect_cell<S: Simd>(
        &self,
        lines: &GridRays<S>,
        at: [usize; 2],
        ranges: [F32Lanes<S>; 2],
        number: u32,
        search: &mut PacketTraversal<S>,
    );
}

impl<S: Simd> GridRays<S> {
    /// Creates the rays; a zero slope along x or y is replaced by a negligible one.
    #[inline(always)]
    pub fn new(
        simd: S,
        origin: &[[f64; RAYS]; 3],
        slope: &[[f64; RAYS]; 3],
        margin: f32,
    ) -> GridRays<S> {
        let origin =
            [to_lanes(simd, &origin[0]), to_lanes(simd, &origin[1]), to_lanes(simd, &origin[2])];
        let mut slope =
            [to_lanes(simd, &slope[0]), to_lanes(simd, &slope[1]), to_lanes(simd, &slope[2])];
        let mut inverse = [origin[0]; 2];
        let mut first = 0;
        for axis in 0..2 {
            let tiny = slope[axis].abs().simd_lt(1e-12);
            slope[axis] = tiny.select(F32Lanes::splat(simd, 1e-12), slope[axis]);
            inverse[axis] = 1.0 / slope[axis];
            first |= usize::from(slope[axis].as_array()[0] < 0.0) << axis;
        }
        GridRays { origin, slope, inverse, first, margin }
    }

    /// Returns the same rays over a square inside the cell (x, y) with `scale` cells a side.
    #[inline(always)]
    pub fn in_cell(&self, [x, y]: [usize; 2], scale: f32) -> GridRays<S> {
        let GridRays { origin, slope, inverse, first, margin } = *self;
        GridRays {
            origin: [(origin[0] - x as f32) * scale, (origin[1] - y as f32) * scale, origin[2]],
            slope: [slope[0] * scale, slope[1] * scale, slope[2]],
            inverse: [inverse[0] * (1.0 / scale), inverse[1] * (1.0 / scale)],
            first,
            margin,
        }
    }

    /// Returns the ranges at which the rays cross `edge` of an axis.
    #[inline(always)]
    fn pass(&self, axis: usize, edge: usize) -> F32Lanes<S> {
        (edge as f32 - self.origin[axis]) * self.inverse[axis]
    }

    /// Returns the ranges at which the rays leave a square of `side` cells.
    #[inline(always)]
    pub fn exit_ranges(&self, side: usize) -> F32Lanes<S> {
        let x = self.pass(0, 0).max(self.pass(0, side));
        let y = self.pass(1, 0).max(self.pass(1, side));
        x.min(y)
    }

    /// Returns the first ranges from `near` on at which the rays are no higher than `top`, m.
    #[inline(always)]
    pub fn down_to(&self, top: f32, near: F32Lanes<S>) -> F32Lanes<S> {
        let above = self.origin[2] - (top + 2.0 * self.margin);
        let down = above / -self.slope[2];
        let rises = self.slope[2].simd_ge(0.0);
        let down = rises.select(F32Lanes::splat(near.simd, f32::INFINITY), down);
        above.simd_gt(0.0).select(near.max(down), near)
    }

    /// Traverses a square and intersects each cell that any ray may hit.
    ///
    /// Rays of the same direction visit the cells in order.
    #[inline(always)]
    pub fn walk<F: CellGrid>(
        &self,
        floor: &F,
        number: u32,
        near: F32Lanes<S>,
        search: &mut PacketTraversal<S>,
    ) {
        let before = search.stack_depth();
        let (mut level, mut at) = (F::LEVELS, [0, 0]);
        loop {
            let below = level - 1;
            // ranges in the first and in the second half along each axis
            let mut enters = [[near; 2]; 2];
            let mut leaves = [[search.far; 2]; 2];
            for axis in 0..2 {
                let [low, high] = [at[axis] << level, (at[axis] + 1) << level];
                let backward = self.first >> axis & 1 == 1;
                let [first, last] = if backward { [high, low] } else { [low, high] };
                let a = self.pass(axis, first);
                let b = self.pass(axis, low + (1 << below));
                let c = self.pass(axis, last);
                enters[axis] = [a.min(b), b.min(c)];
                leaves[axis] = [a.max(b), b.max(c)];
            }
            let mut quarters = [[near; 2]; 4];
            for (k, quarter) in quarters.iter_mut().enumerate() {
                let (i, j) = (k & 1, k >> 1);
                *quarter = [
                    enters[0][i].max(enters[1][j]).max(near),
                    leaves[0][i].min(leaves[1][j]).min(search.far),
                ];
            }
            let [x, y] = [2 * at[0], 2 * at[1]];
            if level == 1 {
                for (k, [enter, leave]) in quarters.into_iter().enumerate() {
                    let k = k ^ self.first;
                    if enter.simd_le(leave).any_true() {
                        let cell = [x + (k & 1), y + (k >> 1)];
                        floor.intersect_cell(self, cell, [enter, leave], number, search);
                    }
                }
            } else {
                // in reverse, so that the first quarter is on top of the stack
                for k in (0..4).rev() {
                    let [enter, leave] = quarters[k];
                    let inside = enter.simd_le(leave);
                    if !inside.any_true() {
                        continue;
                    }
                    let k = k ^ self.first;
                    let child = [x + (k & 1), y + (k >> 1)];
                    let UpperBound { slope: [sx, sy], height } = floor.upper_bound(below, child);
                    // fused multiply-add where available: the margin covers its rounding
                    let (sx, sy) =
                        (F32Lanes::splat(near.simd, -sx), F32Lanes::splat(near.simd, -sy));
                    let above = self.origin[2] - height;
                    let above = sy.mul_add(self.origin[1], sx.mul_add(self.origin[0], above));
                    let change =
                        sy.mul_add(self.slope[1], sx.mul_add(self.slope[0], self.slope[2]));
                    let least = change.mul_add(enter, above).min(change.mul_add(leave, above));
                    if (inside & least.simd_le(self.margin)).any_true() {
                        let place = below << 16 | (child[0] as u32) << 8 | child[1] as u32;
                        search.push(place, enter);
                    }
                }
            }
            let Some(place) = search.pop(before) else { return };
            level = place >> 16;
            at = [(place >> 8 & 255) as usize, (place & 255) as usize];
        }
    }

    /// Intersects the rays between two ranges with the patch over cell (x, y).
    ///
    /// The corners are those at (0,0), (1,0), (0,1), (1,1). A ray that enters below the patch hits
    /// it at its entry, as if there were a wall, so that adjacent squares of different resolution
    /// leave no gap.
    #[inline(always)]
    pub fn intersect_patch(
        &self,
        corners: [f32; 4],
        [x, y]: [usize; 2],
        [enter, leave]: [F32Lanes<S>; 2],
        number: [u32; 2],
        search: &mut PacketTraversal<S>,
    ) {
        let simd = enter.simd;
        let [h00, h10, h01, h11] = corners;
        let top = h00.max(h10).max(h01.max(h11));
        let [du, dv, dz] = self.slope;
        let z = self.origin[2] + dz * enter;
        let lowest = z.min(self.origin[2] + dz * leave);
        let close = enter.simd_le(leave) & lowest.simd_le(top);
        if !close.any_true() {
            return;
        }
        let (b, c, d) = (h10 - h00, h01 - h00, h11 - h10 - h01 + h00);
        let u = self.origin[0] - x as f32 + du * enter;
        let v = self.origin[1] - y as f32 + dv * enter;
        // f(s) = z - (h00 + b u + c v + d u v) = f + g s + q s², s from `enter`
        let f = z - h00 - (b * u + c * v + d * u * v);
        let g = dz - (b * du + c * dv) - d * (u * dv + v * du);
        let q = -d * du * dv;
        let discriminant = g * g - 4.0 * q * f;
        let none = F32Lanes::splat(simd, f32::INFINITY);
        let half = -0.5 * (g + discriminant.max(0.0).sqrt().copysign(g));
        let (one, other) = (half / q, f / half);
        let one = one.simd_ge(0.0).select(one, none);
        let other = other.simd_ge(0.0).select(other, none);
        let s = one.min(other);
        let s = discriminant.simd_lt(0.0).select(none, s);
        let s = f.simd_le(0.0).select(F32Lanes::splat(simd, 0.0), s);
        search.record(close & s.simd_le(leave - enter), enter + s, number, [u, v]);
    }
}

/// Rays and the patches that they have hit, in double precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatchHits {
    /// Heights of the patches' corners: (0,0), (1,0), (0,1), (1,1).
    pub corners: [[f64; RAYS]; 4],
    /// Positions at range 0 relative to the patch's first corner, in cells and m.
    pub origin: [[f64; RAYS]; 3],
    /// Change per meter of range.
    pub slope: [[f64; RAYS]; 3],
    /// Ranges of the hits in single precision.
    pub range: [f64; RAYS],
}

impl PatchHits {
    /// Empty lanes.
    pub const NONE: PatchHits = PatchHits {
        corners: [[0.0; RAYS]; 4],
        origin: [[0.0; RAYS]; 3],
        slope: [[0.0; RAYS]; 3],
        range: [0.0; RAYS],
    };

    /// Refines the ranges of the hits by one step of Newton's method and returns them with the
    /// slopes.
    ///
    /// The slopes are in m per cell. A hit that is off its patch by more than `margin`, m, is on a
    /// wall and is kept.
    #[inline(always)]
    pub fn exact(&self, margin: f64) -> ([f64; RAYS], [[f64; RAYS]; 2]) {
        let (mut ranges, mut slopes) = ([0.0; RAYS], [[0.0; RAYS]; 2]);
        for k in 0..RAYS {
            let [h00, h10, h01, h11] =
                [self.corners[0][k], self.corners[1][k], self.corners[2][k], self.corners[3][k]];
            let [x, y, z] = [self.origin[0][k], self.origin[1][k], self.origin[2][k]];
            let [du, dv, dz] = [self.slope[0][k], self.slope[1][k], self.slope[2][k]];
            let (b, c, d) = (h10 - h00, h01 - h00, h11 - h10 - h01 + h00);
            let near = self.range[k];
            let (u, v) = (x + du * near, y + dv * near);
            let f = z + dz * near - (h00 + b * u + c * v + d * u * v);
            let g = dz - b * du - c * dv - d * (u * dv + v * du);
            let step = f / g;
            // a second step, for a grazing ray, would be of the order of the square of the first
            let close = (f.abs() <= margin) & (step.abs() * du.abs().max(dv.abs()) <= 0.5);
            let range = if close { near - step } else { near };
            ranges[k] = range;
            slopes[0][k] = b + d * (y + dv * range);
            slopes[1][k] = c + d * (x + du * range);
        }
        (ranges, slopes)
    }
}

/// Plane that bounds the ground of a block from above.
///
/// The height, m, is at the square's corner; the slopes are in m per cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct UpperBound {
    pub slope: [f32; 2],
    pub height: f32,
}

impl UpperBound {
    /// Returns the height of a point above the lid, m.
    #[inline(always)]
    pub fn clearance(&self, [x, y, z]: [f64; 3]) -> f64 {
        z - f64::from(self.height) - f64::from(self.slope[0]) * x - f64::from(self.slope[1]) * y
    }

    /// Returns the lowest lid of the given slope over some points.
    fn covering(slope: [f32; 2], points: impl Iterator<Item = [f64; 3]>) -> UpperBound {
        let flat = UpperBound { slope, height: 0.0 };
        let height = points.map(|point| flat.clearance(point)).fold(f64::NEG_INFINITY, f64::max);
        // rounds the cast upwards
        UpperBound { slope, height: (height as f32).next_up() }
    }

    /// Returns the lid of cell (x, y) with these corners: (0,0), (1,0), (0,1), (1,1).
    pub fn of_patch(corners: [f32; 4], [x, y]: [usize; 2]) -> UpperBound {
        let [h00, h10, h01, h11] = corners;
        let slope = [0.5 * (h10 - h00 + h11 - h01), 0.5 * (h01 - h00 + h11 - h10)];
        let corner = |k: usize| [(x + k % 2) as f64, (y + k / 2) as f64, f64::from(corners[k])];
        UpperBound::covering(slope, (0..4).map(corner))
    }

    /// Converts the lid of a square of `cells` cells a side to the lid of cell (x, y) of an
    /// enclosing square.
    pub fn outside(&self, cells: usize, [x, y]: [usize; 2]) -> UpperBound {
        let slope = self.slope.map(|slope| slope * cells as f32);
        let corner = |k: usize| {
            let (u, v) = ((k % 2) as f64, (k / 2) as f64);
            let inside = [u * cells as f64, v * cells as f64, 0.0];
            [x as f64 + u, y as f64 + v, -self.clearance(inside)]
        };
        UpperBound::covering(slope, (0..4).map(corner))
    }

    /// Returns one lid over those of four blocks of `side` cells a side, the first of them at (x,
    /// y).
    fn joined(upper_bounds: [UpperBound; 4], side: usize, [x, y]: [usize; 2]) -> UpperBound {
        let mean = |axis: usize| 0.25 * upper_bounds.iter().map(|lid| lid.slope[axis]).sum::<f32>();
        let corner = |k: usize| {
            let (block, corner) = (k / 4, k % 4);
            let x = x + side * (block % 2 + corner % 2);
            let y = y + side * (block / 2 + corner / 2);
            let foot = [x as f64, y as f64, 0.0];
            [foot[0], foot[1], -upper_bounds[block].clearance(foot)]
        };
        UpperBound::covering([mean(0), mean(1)], (0..16).map(corner))
    }
}

/// Returns the index of a level's first lid.
#[inline(always)]
const fn offset(levels: u32, level: u32) -> usize {
    // number of blocks of all levels between the cells and this one
    let all = (1_usize << (2 * levels)) - (1 << (2 * (levels + 1 - level)));
    all / 3
}

/// Returns the number of lids of a square of 2^`levels` cells a side.
///
/// They are stored level by level, from blocks of two cells a side up to one block, row by row.
pub(super) const fn bound_count(levels: u32) -> usize {
    offset(levels, levels) + 1
}

/// Returns the lid of block (x, y) of a level, 1 and above.
#[inline(always)]
pub(super) fn bound_at<const LEVELS: u32>(
    upper_bounds: &[UpperBound],
    level: u32,
    x: usize,
    y: usize,
) -> UpperBound {
    upper_bounds[offset(LEVELS, level) + (y << (LEVELS - level)) + x]
}

/// Computes all lids of a square from those of its cells.
pub(super) fn build_bounds<const LEVELS: u32>(
    upper_bounds: &mut [UpperBound],
    cell: impl Fn(usize, usize) -> UpperBound,
) {
    for level in 1..=LEVELS {
        let side = 1 << (LEVELS - level);
        for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
            upper_bounds[offset(LEVELS, level) + y * side + x] =
                joined::<LEVELS>(upper_bounds, level, x, y, &cell);
        }
    }
}

/// Updates the lids above cell (x, y).
pub(super) fn update_bounds<const LEVELS: u32>(
    upper_bounds: &mut [UpperBound],
    [x, y]: [usize; 2],
    cell: impl Fn(usize, usize) -> UpperBound,
) {
    for level in 1..=LEVELS {
        let (x, y) = (x >> level, y >> level);
        upper_bounds[offset(LEVELS, level) + (y << (LEVELS - level)) + x] =
            joined::<LEVELS>(upper_bounds, level, x, y, &cell);
    }
}

fn joined<const LEVELS: u32>(
    upper_bounds: &[UpperBound],
    level: u32,
    x: usize,
    y: usize,
    cell: &impl Fn(usize, usize) -> UpperBound,
) -> UpperBound {
    let below = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| match level {
        1 => cell(2 * x + dx, 2 * y + dy),
        _ => bound_at::<LEVELS>(upper_bounds, level - 1, 2 * x + dx, 2 * y + dy),
    });
    UpperBound::joined(below, 1 << (level - 1), [x << level, y << level])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Level, NO_HIT, dispatch};
    use proptest::prelude::*;

    /// Single ray in double precision, without the pyramid.
    #[derive(Clone, Copy, Debug)]
    struct GridRay {
        origin: [f64; 3],
        slope: [f64; 3],
    }

    impl GridRay {
        fn coordinate_at(&self, axis: usize, range: f64) -> f64 {
            self.origin[axis] + self.slope[axis] * range
        }

        /// Returns the part of [0, 100] in which the line is over cell (x, y).
        fn span_over(&self, cell: [usize; 2]) -> Option<(f64, f64)> {
            let (mut near, mut far) = (0.0_f64, 100.0_f64);
            for (axis, edge) in cell.into_iter().enumerate() {
                let pass = |edge: usize| (edge as f64 - self.origin[axis]) / self.slope[axis];
                let (a, b) = (pass(edge), pass(edge + 1));
                near = near.max(a.min(b));
                far = far.min(a.max(b));
            }
            (near <= far).then_some((near, far))
        }

        /// Returns the range at which the line hits the patch over cell (x, y).
        fn intersect_patch(&self, corners: [f32; 4], [x, y]: [usize; 2]) -> Option<f64> {
            let (near, far) = self.span_over([x, y])?;
            let [h00, h10, h01, h11] = corners.map(f64::from);
            let (b, c, d) = (h10 - h00, h01 - h00, h11 - h10 - h01 + h00);
            let (u, v) =
                (self.coordinate_at(0, near) - x as f64, self.coordinate_at(1, near) - y as f64);
            let [du, dv, dz] = self.slope;
            let f = self.coordinate_at(2, near) - (h00 + b * u + c * v + d * u * v);
            let g = dz - b * du - c * dv - d * (u * dv + v * du);
            let s = if f <= 0.0 { 0.0 } else { first_root(-d * du * dv, g, f)? };
            (s <= far - near).then_some(near + s)
        }
    }

    /// Returns the least positive root of q s² + g s + f with f > 0.
    fn first_root(q: f64, g: f64, f: f64) -> Option<f64> {
        if q.abs() * f < 1e-14 * g * g {
            return (g < 0.0).then(|| -f / g);
        }
        let discriminant = g * g - 4.0 * q * f;
        if discriminant < 0.0 {
            return None;
        }
        let half = -0.5 * (g + discriminant.sqrt().copysign(g));
        let (one, other) = (half / q, f / half);
        match (one > 0.0, other > 0.0) {
            (true, true) => Some(one.min(other)),
            (true, false) => Some(one),
            (false, true) => Some(other),
            (false, false) => None,
        }
    }

    struct Square {
        corners: Vec<f32>,
        upper_bounds: Vec<UpperBound>,
    }

    impl Square {
        fn new(corners: Vec<f32>) -> Square {
            let mut all = vec![UpperBound::default(); bound_count(3)];
            build_bounds::<3>(&mut all, |x, y| UpperBound::of_patch(patch(&corners, x, y), [x, y]));
            Square { corners, upper_bounds: all }
        }

        /// Returns the hit by traversal, for the line in lane `place` of a packet.
        fn cast(&self, line: &GridRay, place: usize) -> Option<f64> {
            let (mut origin, mut slope) = ([[0.0; RAYS]; 3], [[0.0; RAYS]; 3]);
            for (lane, axis) in (0..RAYS).flat_map(|lane| (0..3).map(move |axis| (lane, axis))) {
                let turn = if lane == place { 1.0 } else { 0.3 * lane as f64 - 2.0 };
                origin[axis][lane] = line.origin[axis];
                slope[axis][lane] = line.slope[axis] * if axis == 0 { turn } else { 1.0 };
            }
            dispatch!(Level::new(), simd => {
                let lines = GridRays::new(simd, &origin, &slope, 1e-5);
                let mut search = PacketTraversal::new(simd, false, RAYS, 100.0);
                lines.walk(self, 0, F32Lanes::splat(simd, 0.0), &mut search);
                let met = search.thing.as_array()[place] != NO_HIT;
                met.then_some(f64::from(search.far.as_array()[place]))
            })
        }

        /// Returns the hit without the pyramid: the nearest over all cells.
        fn exhaustive(&self, line: &GridRay) -> Option<f64> {
            let cells = (0..8).flat_map(|y| (0..8).map(move |x| [x, y]));
            let met =
                cells.filter_map(|at| line.intersect_patch(patch(&self.corners, at[0], at[1]), at));
            met.reduce(f64::min)
        }
    }

    impl CellGrid for Square {
        const LEVELS: u32 = 3;

        fn upper_bound(&self, level: u32, [x, y]: [usize; 2]) -> UpperBound {
            bound_at::<3>(&self.upper_bounds, level, x, y)
        }

        fn intersect_cell<S: Simd>(
            &self,
            lines: &GridRays<S>,
            at: [usize; 2],
            ranges: [F32Lanes<S>; 2],
            number: u32,
            search: &mut PacketTraversal<S>,
        ) {
            let corners = patch(&self.corners, at[0], at[1]);
            lines.intersect_patch(
                corners,
                at,
                ranges,
                [number, (8 * at[1] + at[0]) as u32],
                search,
            );
        }
    }

    fn patch(corners: &[f32], x: usize, y: usize) -> [f32; 4] {
        let at = y * 9 + x;
        [corners[at], corners[at + 1], corners[at + 9], corners[at + 10]]
    }

    fn any_square() -> impl Strategy<Value = Square> {
        proptest::collection::vec(-1.0_f32..1.0, 81).prop_map(Square::new)
    }

    impl std::fmt::Debug for Square {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.corners.fmt(f)
        }
    }

    proptest! {
        #[test]
        fn agrees_with_an_exhaustive_search(
            square in any_square(),
            origin in [-2.0..10.0, -2.0..10.0, 0.0..3.0],
            slope in [-1.0..1.0_f64, -1.0..1.0_f64, -1.0..0.3], place in 0..RAYS,
        ) {
            prop_assume!(slope[0].abs() > 1e-3 && slope[1].abs() > 1e-3);
            let line = GridRay { origin, slope };
            match (square.cast(&line, place), square.exhaustive(&line)) {
                // heights up to 3 in single precision, magnified where the line grazes
                (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-3, "{a} {b}"),
                (a, b) => prop_assert_eq!(a, b),
            }
        }

        #[test]
        fn a_raised_cell_is_seen_by_all_levels(
            square in any_square(), at in [0_usize..8, 0_usize..8],
        ) {
            let mut raised = square.upper_bounds.clone();
            let own = |x, y| UpperBound::of_patch(patch(&square.corners, x, y), [x, y]);
            let level = UpperBound { height: 9.0, ..UpperBound::default() };
            update_bounds::<3>(&mut raised, at, |x, y| if [x, y] == at { level } else { own(x, y) });
            let middle = at.map(|at| at as f64 + 0.5);
            prop_assert!(raised[bound_count(3) - 1].clearance([middle[0], middle[1], 9.0]) <= 0.0);
            update_bounds::<3>(&mut raised, at, own);
            prop_assert_eq!(raised, square.upper_bounds);
        }

        #[test]
        fn nothing_rises_above_an_upper_bound(square in any_square()) {
            for (level, x, y) in (0..81).flat_map(|k| (1..=3).map(move |l| (l, k % 9, k / 9))) {
                for (bx, by) in [(x, y), (x.max(1) - 1, y), (x, y.max(1) - 1)] {
                    let lid = bound_at::<3>(
                        &square.upper_bounds, level, bx.min(7) >> level, by.min(7) >> level,
                    );
                    let z = f64::from(square.corners[y * 9 + x]);
                    prop_assert!(lid.clearance([x as f64, y as f64, z]) <= 0.0);
                }
            }
        }
    }

    #[test]
    fn walks_along_the_axes() {
        let square = Square::new(vec![0.0; 81]);
        for slope in [[1.0, 0.0, -0.5], [0.0, 1.0, -0.5], [0.0, 0.0, -1.0]] {
            let line = GridRay { origin: [4.0, 4.0, 1.0], slope };
            assert_eq!(square.cast(&line, 5), Some(-1.0 / slope[2]));
        }
    }
}
