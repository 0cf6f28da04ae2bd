//! A square of heights under a pyramid of maxima, and the walk of a ray over it.
//!
//! The square has 2^k x 2^k cells with heights at their corners; in a cell the
//! surface is the bilinear patch of its four. Level l of the pyramid holds the
//! highest corner of every block of 2^l x 2^l cells. A ray that stays above a
//! block's highest point passes it in one stride (maximum mipmaps: Tevs, Ihrke
//! and Seidel 2008), and in a cell it meets the patch at the root of a quadratic.

/// Heights, m, on (n + 1) x (n + 1) corners of n x n cells, n a power of two.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    levels: u32,
    corners: Vec<f32>,
    /// Maxima, level by level from the cells up, row by row.
    ceilings: Vec<f32>,
}

/// A ray in the pyramid's coordinates: x and y in cells, z in m.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Position at range 0.
    pub origin: [f64; 3],
    /// Change a metre of range.
    pub slope: [f64; 3],
}

impl Walk {
    #[inline]
    fn at(&self, axis: usize, range: f64) -> f64 {
        self.origin[axis] + self.slope[axis] * range
    }
}

/// Where a walk met a patch: range, m, and the slopes of the surface there, m a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Landing {
    /// Distance along the ray, m.
    pub range: f64,
    /// (∂z/∂x, ∂z/∂y), m a cell.
    pub gradient: [f64; 2],
}

impl Pyramid {
    /// A pyramid over `corners`, row by row, of 2^`levels` cells a side.
    pub fn new(levels: u32, corners: Vec<f32>) -> Pyramid {
        let side = 1usize << levels;
        assert_eq!(corners.len(), (side + 1) * (side + 1), "a corner for each");
        let cells = (0..=levels).map(|level| (side >> level) * (side >> level)).sum();
        let mut pyramid = Pyramid { levels, corners, ceilings: vec![f32::NEG_INFINITY; cells] };
        for y in 0..side {
            for x in 0..side {
                let top = pyramid.patch(x, y).into_iter().fold(f32::NEG_INFINITY, f32::max);
                pyramid.ceilings[y * side + x] = top;
            }
        }
        let mut below = 0;
        for level in 1..=levels {
            let (fine, wide) = (side >> (level - 1), side >> level);
            let here = below + fine * fine;
            for y in 0..wide {
                for x in 0..wide {
                    let at = below + 2 * y * fine + 2 * x;
                    pyramid.ceilings[here + y * wide + x] = pyramid.highest(at, fine);
                }
            }
            below = here;
        }
        pyramid
    }

    /// Cells along a side.
    pub fn side(&self) -> usize {
        1 << self.levels
    }

    /// Height of a corner, m.
    #[inline]
    pub fn corner(&self, x: usize, y: usize) -> f32 {
        self.corners[y * (self.side() + 1) + x]
    }

    /// Highest point, m.
    pub fn top(&self) -> f32 {
        self.ceilings[self.ceilings.len() - 1]
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        4 * (self.corners.len() + self.ceilings.len())
    }

    /// Corners of a cell: (0,0), (1,0), (0,1), (1,1).
    #[inline]
    fn patch(&self, x: usize, y: usize) -> [f32; 4] {
        let row = self.side() + 1;
        let at = y * row + x;
        let c = &self.corners;
        [c[at], c[at + 1], c[at + row], c[at + row + 1]]
    }

    fn highest(&self, at: usize, row: usize) -> f32 {
        let c = &self.ceilings;
        c[at].max(c[at + 1]).max(c[at + row].max(c[at + row + 1]))
    }

    /// Gives a cell another ceiling than its corners', and the blocks above it.
    pub fn raise(&mut self, x: usize, y: usize, ceiling: f32) {
        let side = self.side();
        self.ceilings[y * side + x] = ceiling;
        let mut below = 0;
        for level in 1..=self.levels {
            let (fine, wide) = (side >> (level - 1), side >> level);
            let here = below + fine * fine;
            let (x, y) = (x >> level, y >> level);
            self.ceilings[here + y * wide + x] = self.highest(below + 2 * y * fine + 2 * x, fine);
            below = here;
        }
    }

    /// Highest corner of a cell, m.
    pub fn patch_top(&self, x: usize, y: usize) -> f32 {
        self.patch(x, y).into_iter().fold(f32::NEG_INFINITY, f32::max)
    }

    /// The range within [`near`, `far`] in which a ray is over the square.
    pub fn span(&self, walk: &Walk, near: f64, far: f64) -> Option<(f64, f64)> {
        let side = self.side() as f64;
        let (mut near, mut far) = (near, far);
        for axis in 0..2 {
            let (from, slope) = (walk.origin[axis], walk.slope[axis]);
            if slope == 0.0 {
                if from < 0.0 || from > side {
                    return None;
                }
                continue;
            }
            let (a, b) = ((0.0 - from) / slope, (side - from) / slope);
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near <= far).then_some((near, far))
    }

    /// Takes a ray from range `near` to `far`, both over the square, and asks
    /// `leaf` about each cell (x, y, enter, leave) that it may meet, in order.
    #[inline]
    pub fn walk<T>(
        &self,
        walk: &Walk,
        near: f64,
        far: f64,
        mut leaf: impl FnMut(usize, usize, f64, f64) -> Option<T>,
    ) -> Option<T> {
        let side = self.side() as i32;
        let mut offset = [0usize; 16];
        for level in 0..self.levels as usize {
            let wide = (side as usize) >> level;
            offset[level + 1] = offset[level] + wide * wide;
        }
        let inverse = [1.0 / walk.slope[0], 1.0 / walk.slope[1]];
        let forward = [walk.slope[0] > 0.0, walk.slope[1] > 0.0];
        let within = |axis: usize, range: f64, low: i32, high: i32| {
            (walk.at(axis, range).floor() as i32).clamp(low, high)
        };
        let mut range = near;
        let mut cell = [within(0, range, 0, side - 1), within(1, range, 0, side - 1)];
        let mut level = self.levels;
        let mut height = walk.at(2, range);
        loop {
            let block = [cell[0] >> level, cell[1] >> level];
            let mut exit = [f64::INFINITY; 2];
            let mut edge = [0; 2];
            for axis in 0..2 {
                edge[axis] = (block[axis] + i32::from(forward[axis])) << level;
                if walk.slope[axis] != 0.0 {
                    exit[axis] = (f64::from(edge[axis]) - walk.origin[axis]) * inverse[axis];
                }
            }
            let across = usize::from(exit[1] < exit[0]);
            let leave = exit[across].min(far).max(range);
            let next = walk.at(2, leave);
            let at = block[1] as usize * (side as usize >> level) + block[0] as usize;
            let ceiling = f64::from(self.ceilings[offset[level as usize] + at]);
            if height.min(next) <= ceiling {
                if level > 0 {
                    level -= 1;
                    continue;
                }
                let found = leaf(cell[0] as usize, cell[1] as usize, range, leave);
                if found.is_some() {
                    return found;
                }
            }
            if exit[across] >= far {
                return None;
            }
            let along = 1 - across;
            cell[across] = if forward[across] { edge[across] } else { edge[across] - 1 };
            if cell[across] < 0 || cell[across] >= side {
                return None;
            }
            let low = block[along] << level;
            cell[along] = within(along, leave, low, low + (1 << level) - 1);
            (range, height) = (leave, next);
            let left_parent = (cell[across] >> level) >> 1 != block[across] >> 1;
            if left_parent && level < self.levels {
                level += 1;
            }
        }
    }

    /// Where a ray meets the patch of a cell between two ranges. One that enters
    /// below the patch meets it where it enters, as if there were a wall, so that
    /// squares of unlike fineness leave no gap between them.
    #[inline]
    pub fn meet(&self, x: usize, y: usize, walk: &Walk, near: f64, far: f64) -> Option<Landing> {
        let [h00, h10, h01, h11] = self.patch(x, y).map(f64::from);
        let (b, c, d) = (h10 - h00, h01 - h00, h11 - h10 - h01 + h00);
        let (u, v) = (walk.at(0, near) - x as f64, walk.at(1, near) - y as f64);
        let [du, dv, dz] = walk.slope;
        // f(s) = z - (h00 + b u + c v + d u v) = f + g s + q s², s from `near`
        let f = walk.at(2, near) - (h00 + b * u + c * v + d * u * v);
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_pyramid() -> impl Strategy<Value = Pyramid> {
        proptest::collection::vec(-1.0_f32..1.0, 81).prop_map(|corners| Pyramid::new(3, corners))
    }

    fn cast(pyramid: &Pyramid, walk: &Walk) -> Option<f64> {
        let (near, far) = pyramid.span(walk, 0.0, 100.0)?;
        pyramid
            .walk(walk, near, far, |x, y, a, b| pyramid.meet(x, y, walk, a, b))
            .map(|landing| landing.range)
    }

    /// The same without the pyramid: every cell asked, the nearest answer taken.
    fn exhaustive(pyramid: &Pyramid, walk: &Walk) -> Option<f64> {
        let mut nearest: Option<f64> = None;
        for y in 0..8 {
            for x in 0..8 {
                let mut span = pyramid.span(walk, 0.0, 100.0);
                for (axis, low) in [(0, f64::from(x)), (1, f64::from(y))] {
                    let a = (low - walk.origin[axis]) / walk.slope[axis];
                    let b = (low + 1.0 - walk.origin[axis]) / walk.slope[axis];
                    span = span.map(|(near, far)| (near.max(a.min(b)), far.min(a.max(b))));
                }
                let Some((near, far)) = span.filter(|(near, far)| near <= far) else { continue };
                if let Some(landing) = pyramid.meet(x as usize, y as usize, walk, near, far) {
                    nearest = Some(nearest.map_or(landing.range, |n| n.min(landing.range)));
                }
            }
        }
        nearest
    }

    proptest! {
        #[test]
        fn finds_what_an_exhaustive_search_finds(
            pyramid in any_pyramid(),
            origin in [-2.0..10.0, -2.0..10.0, 0.0..3.0],
            slope in [-1.0..1.0_f64, -1.0..1.0_f64, -1.0..0.3],
        ) {
            prop_assume!(slope[0].abs() > 1e-3 && slope[1].abs() > 1e-3);
            let walk = Walk { origin, slope };
            match (cast(&pyramid, &walk), exhaustive(&pyramid, &walk)) {
                // ranges to 100 in double precision, through one division
                (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-9, "{a} {b}"),
                (a, b) => prop_assert_eq!(a, b),
            }
        }

        #[test]
        fn a_raised_cell_is_seen_by_all_levels(
            pyramid in any_pyramid(), x in 0_usize..8, y in 0_usize..8,
        ) {
            let mut raised = pyramid.clone();
            raised.raise(x, y, 9.0);
            prop_assert_eq!(raised.top(), 9.0);
            raised.raise(x, y, pyramid.patch_top(x, y));
            prop_assert_eq!(raised, pyramid);
        }
    }

    #[test]
    fn walks_along_the_axes() {
        let pyramid = Pyramid::new(3, vec![0.0; 81]);
        for slope in [[1.0, 0.0, -0.5], [0.0, 1.0, -0.5], [0.0, 0.0, -1.0]] {
            let walk = Walk { origin: [4.0, 4.0, 1.0], slope };
            assert_eq!(cast(&pyramid, &walk), Some(-1.0 / slope[2]));
        }
    }
}
