//! A tree of boxes over things, and the walk of rays through it.
//!
//! Built from the top by the surface area heuristic over sixteen bins along the
//! longest side of the middles (Wald 2007), walked from the child that more rays come
//! to first.

use super::packet::{Search, Simd, Where, Wide};
use fearless_simd::prelude::*;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub low: [f32; 3],
    /// Highest corner.
    pub high: [f32; 3],
}

impl Bounds {
    /// The box around nothing.
    pub const NONE: Bounds = Bounds { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// The box around points.
    pub fn of(points: impl IntoIterator<Item = [f32; 3]>) -> Bounds {
        points.into_iter().fold(Bounds::NONE, |all, p| all.joined(&Bounds { low: p, high: p }))
    }

    /// The box around two.
    pub fn joined(&self, other: &Bounds) -> Bounds {
        let lower = |k: usize| self.low[k].min(other.low[k]);
        let upper = |k: usize| self.high[k].max(other.high[k]);
        Bounds { low: [lower(0), lower(1), lower(2)], high: [upper(0), upper(1), upper(2)] }
    }

    /// The box with `margin` on all sides.
    pub fn padded(&self, margin: f32) -> Bounds {
        Bounds { low: self.low.map(|x| x - margin), high: self.high.map(|x| x + margin) }
    }

    fn middle(&self, axis: usize) -> f32 {
        0.5 * (self.low[axis] + self.high[axis])
    }

    fn half_area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|k| (self.high[k] - self.low[k]).max(0.0));
        x * y + y * z + z * x
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    /// First child, the second behind it; or first thing.
    first: u32,
    /// How many things; 0 for an inner node.
    count: u32,
}

/// A tree over things that are known by their place in a list.
#[derive(Clone, Debug)]
pub struct Bvh {
    nodes: Vec<Node>,
    order: Vec<u32>,
    together: usize,
}

/// Rays, one in each lane, in a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beams<S: Simd> {
    /// Where they start.
    pub origin: [Wide<S>; 3],
    /// Where they go.
    pub direction: [Wide<S>; 3],
}

/// Rays as boxes see them.
#[derive(Clone, Copy, Debug)]
struct Slabs<S: Simd> {
    inverse: [Wide<S>; 3],
    /// Origin times inverse.
    start: [Wide<S>; 3],
}

impl<S: Simd> Slabs<S> {
    #[inline(always)]
    fn new(beams: &Beams<S>) -> Slabs<S> {
        let (mut inverse, mut start) = (beams.direction, beams.origin);
        for k in 0..3 {
            let d = beams.direction[k];
            let tiny = d.abs().simd_lt(1e-12);
            inverse[k] = 1.0 / tiny.select(Wide::splat(d.simd, 1e-12), d);
            start[k] = beams.origin[k] * inverse[k];
        }
        Slabs { inverse, start }
    }

    /// Where the rays enter a box, and which do so before `far`.
    #[inline(always)]
    fn enter(&self, bounds: &Bounds, near: Wide<S>, far: Wide<S>) -> (Wide<S>, Where<S>) {
        let simd = near.simd;
        let (mut near, mut far) = (near, far);
        for k in 0..3 {
            // fused where the processor can: boxes are padded by more than it rounds
            let low = Wide::splat(simd, bounds.low[k]);
            let high = Wide::splat(simd, bounds.high[k]);
            let low = low.mul_sub(self.inverse[k], self.start[k]);
            let high = high.mul_sub(self.inverse[k], self.start[k]);
            near = near.max(low.min(high));
            far = far.min(low.max(high));
        }
        // what rounding may take away
        let slack = Wide::splat(simd, 1e-5);
        (near, near.simd_le(far.mul_add(Wide::splat(simd, 1.000_002), slack)))
    }
}

/// Things under a tree that rays may meet.
pub(super) trait Things<S: Simd> {
    /// Asks a thing, known by its place in [`Bvh::order`], about rays beyond `near`.
    fn meet(&mut self, place: usize, near: Wide<S>, search: &mut Search<S>);
}

const BINS: usize = 16;
/// No branch is longer, that the places to come back to suffice.
pub const DEPTH: usize = 30;

impl Bvh {
    /// A tree over things with these bounds, no more than `together` of them in a leaf.
    pub fn new(bounds: &[Bounds], together: usize) -> Bvh {
        let order = (0..bounds.len() as u32).collect();
        let mut bvh = Bvh { nodes: Vec::new(), order, together };
        if !bounds.is_empty() {
            bvh.nodes.push(Node { bounds: Bounds::NONE, first: 0, count: 0 });
            let mut order = std::mem::take(&mut bvh.order);
            bvh.split(0, bounds, &mut order, 0, 0);
            bvh.order = order;
        }
        bvh
    }

    /// Things in the order of the leaves: who stores them so finds them by
    /// the numbers that a walk gives without this list.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The box around all.
    pub fn bounds(&self) -> Bounds {
        self.nodes.first().map_or(Bounds::NONE, |root| root.bounds)
    }

    /// Its nodes, the root first: a box, and either its first child, behind which the
    /// second stands, and 0, or its first thing and how many.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (&Bounds, u32, u32)> {
        self.nodes.iter().map(|node| (&node.bounds, node.first, node.count))
    }

    fn split(
        &mut self,
        node: usize,
        bounds: &[Bounds],
        order: &mut [u32],
        first: u32,
        depth: usize,
    ) {
        let of = |thing: u32| &bounds[thing as usize];
        let all = order.iter().fold(Bounds::NONE, |all, &thing| all.joined(of(thing)));
        let middles =
            Bounds::of(order.iter().map(|&thing| [0, 1, 2].map(|axis| of(thing).middle(axis))));
        self.nodes[node] = Node { bounds: all, first, count: order.len() as u32 };
        if order.len() <= self.together || depth == DEPTH {
            return;
        }
        let extent = [0, 1, 2].map(|k| middles.high[k] - middles.low[k]);
        let axis = (0..3).fold(0, |best, k| if extent[k] > extent[best] { k } else { best });
        if extent[axis] <= 0.0 {
            return;
        }
        let bin = |thing: u32| {
            let share = (of(thing).middle(axis) - middles.low[axis]) / extent[axis];
            ((share * BINS as f32) as usize).min(BINS - 1)
        };
        let mut bins = [(Bounds::NONE, 0_usize); BINS];
        for &thing in &*order {
            let (around, count) = &mut bins[bin(thing)];
            *around = around.joined(of(thing));
            *count += 1;
        }
        let mut from_right = [(Bounds::NONE, 0); BINS];
        let mut sum = (Bounds::NONE, 0);
        for k in (0..BINS).rev() {
            sum = (sum.0.joined(&bins[k].0), sum.1 + bins[k].1);
            from_right[k] = sum;
        }
        let mut sum = (Bounds::NONE, 0);
        let (mut best, mut least) = (0, f32::INFINITY);
        for k in 0..BINS - 1 {
            sum = (sum.0.joined(&bins[k].0), sum.1 + bins[k].1);
            let (right, right_count) = from_right[k + 1];
            if sum.1 == 0 || right_count == 0 {
                continue;
            }
            let cost = sum.0.half_area() * sum.1 as f32 + right.half_area() * right_count as f32;
            if cost < least {
                (best, least) = (k, cost);
            }
        }
        // stable, so that the tree follows from the list alone
        let (left, right): (Vec<u32>, Vec<u32>) = order.iter().partition(|&&t| bin(t) <= best);
        order[..left.len()].copy_from_slice(&left);
        order[left.len()..].copy_from_slice(&right);
        let child = self.nodes.len();
        let empty = Node { bounds: Bounds::NONE, first: 0, count: 0 };
        self.nodes.extend([empty, empty]);
        self.nodes[node] = Node { bounds: all, first: child as u32, count: 0 };
        let (low, high) = order.split_at_mut(left.len());
        self.split(child, bounds, low, first, depth + 1);
        self.split(child + 1, bounds, high, first + left.len() as u32, depth + 1);
    }

    /// Takes rays through the tree and asks `things` about each that any of them may
    /// meet before what the search has found, nearer ones first as far as boxes tell.
    #[inline(always)]
    pub(super) fn walk<S: Simd>(
        &self,
        beams: &Beams<S>,
        near: Wide<S>,
        search: &mut Search<S>,
        things: &mut impl Things<S>,
    ) {
        let Some(root) = self.nodes.first() else { return };
        let slabs = Slabs::new(beams);
        if !slabs.enter(&root.bounds, near, search.far).1.any_true() {
            return;
        }
        let before = search.waiting();
        let mut node = root;
        loop {
            if node.count > 0 {
                for place in node.first..node.first + node.count {
                    things.meet(place as usize, near, search);
                }
            } else {
                let first = node.first as usize;
                let [a, b] = [&self.nodes[first], &self.nodes[first + 1]];
                let (enter_a, in_a) = slabs.enter(&a.bounds, near, search.far);
                let (enter_b, in_b) = slabs.enter(&b.bounds, near, search.far);
                match (in_a.any_true(), in_b.any_true()) {
                    (true, true) => {
                        let a_first = (in_a & enter_a.simd_le(enter_b)).to_bitmask().count_ones();
                        let b_first = (in_b & enter_b.simd_lt(enter_a)).to_bitmask().count_ones();
                        if a_first >= b_first {
                            search.later(node.first + 1, enter_b);
                            node = a;
                        } else {
                            search.later(node.first, enter_a);
                            node = b;
                        }
                        continue;
                    }
                    (true, false) => {
                        node = a;
                        continue;
                    }
                    (false, true) => {
                        node = b;
                        continue;
                    }
                    (false, false) => {}
                }
            }
            let Some(next) = search.next(before) else { return };
            node = &self.nodes[next as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Level, dispatch};
    use proptest::prelude::*;

    struct Seen(Vec<bool>);

    impl<S: Simd> Things<S> for Seen {
        fn meet(&mut self, place: usize, _near: Wide<S>, _search: &mut Search<S>) {
            self.0[place] = true;
        }
    }

    proptest! {
        #[test]
        fn every_box_that_a_ray_enters_is_visited(
            corners in proptest::collection::vec(([-9_f32..9.0, -9_f32..9.0, -9_f32..9.0], 0.01_f32..2.0), 0..60),
            origin in [-12_f32..12.0, -12_f32..12.0, -12_f32..12.0],
            direction in [-1_f32..1.0, -1_f32..1.0, -1_f32..1.0],
        ) {
            let boxes: Vec<Bounds> = corners
                .iter()
                .map(|(low, size)| Bounds { low: *low, high: low.map(|x| x + size) })
                .collect();
            let bvh = Bvh::new(&boxes, 4);
            dispatch!(Level::new(), simd => {
                let all = |numbers: [f32; 3]| numbers.map(|number| Wide::splat(simd, number));
                let beams = Beams { origin: all(origin), direction: all(direction) };
                let near = Wide::splat(simd, 0.0);
                let mut seen = Seen(vec![false; boxes.len()]);
                let mut search = Search::new(simd, false, 1, 50.0);
                bvh.walk(&beams, near, &mut search, &mut seen);
                let slabs = Slabs::new(&beams);
                for (place, &index) in bvh.order().iter().enumerate() {
                    let inside = slabs.enter(&boxes[index as usize], near, search.far).1;
                    assert!(seen.0[place] || !inside.any_true());
                }
            });
        }
    }
}
