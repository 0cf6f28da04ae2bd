//! A square of cells under a pyramid of lids, and the walk of a ray over it.
//!
//! Level l of the pyramid holds a plane for every block of 2^l x 2^l cells above
//! which nothing in the block rises. A ray that stays above a block's lid passes it
//! in one stride, and in a cell it meets the bilinear patch of the cell's four
//! corners at the root of a quadratic. This is the maximum mipmap of Tevs, Ihrke
//! and Seidel (2008) with planes in place of heights: at grazing angles a level lid
//! on a slope is met long before the ground.

/// A ray over a square: x and y in cells, z in m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Position at range 0.
    pub origin: [f64; 3],
    /// Change a metre of range; along x and y never 0.
    pub slope: [f64; 3],
    /// One over the slope along x and y.
    inverse: [f64; 2],
}

/// Where a line met a patch: range, m, and the slopes of the surface there, m a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Landing {
    /// Distance along the ray, m.
    pub range: f64,
    /// (∂z/∂x, ∂z/∂y), m a cell.
    pub gradient: [f64; 2],
}

/// The lesser of two numbers, neither of them NaN: one instruction, where `f64::min`
/// takes several.
#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl Line {
    /// A line; one without slope along x or y gets one that matters nowhere.
    #[inline(always)]
    pub fn new(origin: [f64; 3], slope: [f64; 3]) -> Line {
        let tilted = |s: f64| if s.abs() < 1e-30 { 1e-30 } else { s };
        let slope = [tilted(slope[0]), tilted(slope[1]), slope[2]];
        Line { origin, slope, inverse: [1.0 / slope[0], 1.0 / slope[1]] }
    }

    /// The same line over a square inside the cell (x, y) with `scale` cells a side.
    #[inline(always)]
    pub fn within(&self, [x, y]: [usize; 2], scale: f64) -> Line {
        let Line { origin, slope, inverse } = *self;
        Line {
            origin: [(origin[0] - x as f64) * scale, (origin[1] - y as f64) * scale, origin[2]],
            slope: [slope[0] * scale, slope[1] * scale, slope[2]],
            inverse: inverse.map(|i| i / scale),
        }
    }

    #[inline(always)]
    pub fn at(&self, axis: usize, range: f64) -> f64 {
        self.origin[axis] + self.slope[axis] * range
    }

    /// The part of [`near`, `far`] in which the line is over a square of `side` cells.
    #[inline]
    pub fn over(&self, side: f64, mut near: f64, mut far: f64) -> Option<(f64, f64)> {
        for axis in 0..2 {
            let a = (0.0 - self.origin[axis]) * self.inverse[axis];
            let b = (side - self.origin[axis]) * self.inverse[axis];
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near <= far).then_some((near, far))
    }

    #[inline(always)]
    fn point(&self, range: f64) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.at(axis, range))
    }

    /// Takes the line from range `near` to `far`, both over a square of 2^LEVELS
    /// cells, and asks `leaf` about each cell (x, y, enter, leave) that it may meet,
    /// in order. `lid` gives the lid of block (x, y) of a level above the cells.
    #[inline(always)]
    pub fn walk<const LEVELS: u32, const START: u32, T>(
        &self,
        near: f64,
        far: f64,
        lid: impl Fn(u32, usize, usize) -> Lid,
        mut leaf: impl FnMut(usize, usize, f64, f64) -> Option<T>,
    ) -> Option<T> {
        let side = 1_i32 << LEVELS;
        let forward = [i32::from(self.slope[0] > 0.0), i32::from(self.slope[1] > 0.0)];
        let mut range = near;
        let mut here = self.point(range);
        // truncation is the floor where it is not clamped
        let mut cell = [0, 1].map(|axis| (here[axis] as i32).clamp(0, side - 1));
        let mut level = START;
        loop {
            let block = [cell[0] >> level, cell[1] >> level];
            let edge = [(block[0] + forward[0]) << level, (block[1] + forward[1]) << level];
            let exit =
                [0, 1].map(|axis| (f64::from(edge[axis]) - self.origin[axis]) * self.inverse[axis]);
            let across = usize::from(exit[1] < exit[0]);
            let leave = greater(lesser(exit[across], far), range);
            let next = self.point(leave);
            if level > 0 {
                let lid = lid(level, block[0] as usize, block[1] as usize);
                if lesser(lid.clearance(here), lid.clearance(next)) <= 0.0 {
                    level -= 1;
                    continue;
                }
            } else {
                let found = leaf(cell[0] as usize, cell[1] as usize, range, leave);
                if found.is_some() {
                    return found;
                }
            }
            if exit[across] >= far {
                return None;
            }
            let along = 1 - across;
            cell[across] = edge[across] - 1 + forward[across];
            if cell[across] as u32 >= side as u32 {
                return None;
            }
            let low = block[along] << level;
            cell[along] = (next[along] as i32).clamp(low, low + (1 << level) - 1);
            (range, here) = (leave, next);
            let left_parent = (cell[across] >> level) >> 1 != block[across] >> 1;
            level += u32::from(left_parent && level < LEVELS);
        }
    }

    /// Where the line meets the patch over cell (x, y) with these corners ((0,0),
    /// (1,0), (0,1), (1,1)) between two ranges. One that enters below the patch meets
    /// it where it enters, as if there were a wall, so that squares of unlike fineness
    /// leave no gap between them.
    #[inline(always)]
    pub fn meet(
        &self,
        corners: [f32; 4],
        [x, y]: [usize; 2],
        near: f64,
        far: f64,
    ) -> Option<Landing> {
        let [h00, h10, h01, h11] = corners;
        let top = h00.max(h10).max(h01.max(h11));
        let z = self.at(2, near);
        if z.min(self.at(2, far)) > f64::from(top) {
            return None;
        }
        let [h00, h10, h01, h11] = corners.map(f64::from);
        let (b, c, d) = (h10 - h00, h01 - h00, h11 - h10 - h01 + h00);
        let (u, v) = (self.at(0, near) - x as f64, self.at(1, near) - y as f64);
        let [du, dv, dz] = self.slope;
        // f(s) = z - (h00 + b u + c v + d u v) = f + g s + q s², s from `near`
        let f = z - (h00 + b * u + c * v + d * u * v);
        let g = dz - b * du - c * dv - d * (u * dv + v * du);
        let q = -d * du * dv;
        let s = if f <= 0.0 { 0.0 } else { first_root(q, g, f)? };
        if s > far - near {
            return None;
        }
        let (u, v) = (u + du * s, v + dv * s);
        Some(Landing { range: near + s, gradient: [b + d * v, c + d * u] })
    }
}

/// Least positive root of q s² + g s + f with f > 0.
#[inline]
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

/// A plane that the ground of a block does not rise above: height, m, at the square's
/// corner and slopes, m a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Lid {
    pub slope: [f32; 2],
    pub height: f32,
}

impl Lid {
    /// Height of a point above the lid, m.
    #[inline(always)]
    pub fn clearance(&self, [x, y, z]: [f64; 3]) -> f64 {
        z - f64::from(self.height) - f64::from(self.slope[0]) * x - f64::from(self.slope[1]) * y
    }

    /// The lid of the given slope over some points.
    fn over(slope: [f32; 2], points: impl Iterator<Item = [f64; 3]>) -> Lid {
        let flat = Lid { slope, height: 0.0 };
        let height = points.map(|point| flat.clearance(point)).fold(f64::NEG_INFINITY, f64::max);
        // the rounding of the cast, upwards
        Lid { slope, height: (height as f32).next_up() }
    }

    /// The lid of cell (x, y) with these corners: (0,0), (1,0), (0,1), (1,1).
    pub fn of_patch(corners: [f32; 4], [x, y]: [usize; 2]) -> Lid {
        let [h00, h10, h01, h11] = corners;
        let slope = [0.5 * (h10 - h00 + h11 - h01), 0.5 * (h01 - h00 + h11 - h10)];
        let corner = |k: usize| [(x + k % 2) as f64, (y + k / 2) as f64, f64::from(corners[k])];
        Lid::over(slope, (0..4).map(corner))
    }

    /// The lid of a square of `cells` cells a side, as that of cell (x, y) of a square
    /// around it.
    pub fn outside(&self, cells: usize, [x, y]: [usize; 2]) -> Lid {
        let slope = self.slope.map(|slope| slope * cells as f32);
        let corner = |k: usize| {
            let (u, v) = ((k % 2) as f64, (k / 2) as f64);
            let inside = [u * cells as f64, v * cells as f64, 0.0];
            [x as f64 + u, y as f64 + v, -self.clearance(inside)]
        };
        Lid::over(slope, (0..4).map(corner))
    }

    /// One lid over those of four blocks of `side` cells a side, the first of them at
    /// (x, y).
    fn joined(lids: [Lid; 4], side: usize, [x, y]: [usize; 2]) -> Lid {
        let mean = |axis: usize| 0.25 * lids.iter().map(|lid| lid.slope[axis]).sum::<f32>();
        let corner = |k: usize| {
            let (block, corner) = (k / 4, k % 4);
            let x = x + side * (block % 2 + corner % 2);
            let y = y + side * (block / 2 + corner / 2);
            let foot = [x as f64, y as f64, 0.0];
            [foot[0], foot[1], -lids[block].clearance(foot)]
        };
        Lid::over([mean(0), mean(1)], (0..16).map(corner))
    }
}

/// Where a level's lids begin.
#[inline(always)]
const fn offset(levels: u32, level: u32) -> usize {
    // the blocks of all levels between the cells and this one
    let all = (1_usize << (2 * levels)) - (1 << (2 * (levels + 1 - level)));
    all / 3
}

/// Lids of a square of 2^`levels` cells, level by level from blocks of two cells a
/// side up to one, row by row.
pub(super) const fn lids(levels: u32) -> usize {
    offset(levels, levels) + 1
}

/// The lid of block (x, y) of a level, 1 and above.
#[inline(always)]
pub(super) fn lid<const LEVELS: u32>(lids: &[Lid], level: u32, x: usize, y: usize) -> Lid {
    lids[offset(LEVELS, level) + (y << (LEVELS - level)) + x]
}

/// Lays the lids of a square from those of its cells.
pub(super) fn cover_all<const LEVELS: u32>(lids: &mut [Lid], cell: impl Fn(usize, usize) -> Lid) {
    for level in 1..=LEVELS {
        let side = 1 << (LEVELS - level);
        for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
            lids[offset(LEVELS, level) + y * side + x] = joined::<LEVELS>(lids, level, x, y, &cell);
        }
    }
}

/// Takes note that the lid of cell (x, y) has changed.
pub(super) fn cover<const LEVELS: u32>(
    lids: &mut [Lid],
    [x, y]: [usize; 2],
    cell: impl Fn(usize, usize) -> Lid,
) {
    for level in 1..=LEVELS {
        let (x, y) = (x >> level, y >> level);
        lids[offset(LEVELS, level) + (y << (LEVELS - level)) + x] =
            joined::<LEVELS>(lids, level, x, y, &cell);
    }
}

fn joined<const LEVELS: u32>(
    lids: &[Lid],
    level: u32,
    x: usize,
    y: usize,
    cell: &impl Fn(usize, usize) -> Lid,
) -> Lid {
    let below = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| match level {
        1 => cell(2 * x + dx, 2 * y + dy),
        _ => lid::<LEVELS>(lids, level - 1, 2 * x + dx, 2 * y + dy),
    });
    Lid::joined(below, 1 << (level - 1), [x << level, y << level])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Square {
        corners: Vec<f32>,
        lids: Vec<Lid>,
    }

    impl Square {
        fn new(corners: Vec<f32>) -> Square {
            let mut all = vec![Lid::default(); lids(3)];
            cover_all::<3>(&mut all, |x, y| Lid::of_patch(patch(&corners, x, y), [x, y]));
            Square { corners, lids: all }
        }

        fn cast(&self, line: &Line) -> Option<f64> {
            let (near, far) = line.over(8.0, 0.0, 100.0)?;
            line.walk::<3, 3, _>(
                near,
                far,
                |level, x, y| lid::<3>(&self.lids, level, x, y),
                |x, y, a, b| line.meet(patch(&self.corners, x, y), [x, y], a, b),
            )
            .map(|landing| landing.range)
        }

        /// The same without the pyramid: every cell asked, the nearest answer taken.
        fn exhaustive(&self, line: &Line) -> Option<f64> {
            let mut nearest: Option<f64> = None;
            for (x, y) in (0..8).flat_map(|y| (0..8).map(move |x| (x, y))) {
                let inside = line.within([x, y], 1.0);
                let Some((near, far)) = inside.over(1.0, 0.0, 100.0) else { continue };
                if let Some(landing) = line.meet(patch(&self.corners, x, y), [x, y], near, far) {
                    nearest = Some(nearest.map_or(landing.range, |n| n.min(landing.range)));
                }
            }
            nearest
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
        fn finds_what_an_exhaustive_search_finds(
            square in any_square(),
            origin in [-2.0..10.0, -2.0..10.0, 0.0..3.0],
            slope in [-1.0..1.0_f64, -1.0..1.0_f64, -1.0..0.3],
        ) {
            prop_assume!(slope[0].abs() > 1e-3 && slope[1].abs() > 1e-3);
            let line = Line::new(origin, slope);
            match (square.cast(&line), square.exhaustive(&line)) {
                // ranges to 100 in double precision, through one division
                (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-9, "{a} {b}"),
                (a, b) => prop_assert_eq!(a, b),
            }
        }

        #[test]
        fn a_raised_cell_is_seen_by_all_levels(
            square in any_square(), at in [0_usize..8, 0_usize..8],
        ) {
            let mut raised = square.lids.clone();
            let own = |x, y| Lid::of_patch(patch(&square.corners, x, y), [x, y]);
            let level = Lid { height: 9.0, ..Lid::default() };
            cover::<3>(&mut raised, at, |x, y| if [x, y] == at { level } else { own(x, y) });
            let middle = at.map(|at| at as f64 + 0.5);
            prop_assert!(raised[lids(3) - 1].clearance([middle[0], middle[1], 9.0]) <= 0.0);
            cover::<3>(&mut raised, at, own);
            prop_assert_eq!(raised, square.lids);
        }

        #[test]
        fn nothing_rises_above_a_lid(square in any_square()) {
            for (level, x, y) in (0..81).flat_map(|k| (1..=3).map(move |l| (l, k % 9, k / 9))) {
                for (bx, by) in [(x, y), (x.max(1) - 1, y), (x, y.max(1) - 1)] {
                    let lid = lid::<3>(
                        &square.lids, level, bx.min(7) >> level, by.min(7) >> level,
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
            let line = Line::new([4.0, 4.0, 1.0], slope);
            assert_eq!(square.cast(&line), Some(-1.0 / slope[2]));
        }
    }
}
