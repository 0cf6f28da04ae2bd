//! Bounding volume hierarchy (BVH) and its traversal by packets of rays.
//!
//! The tree is built top-down by the surface area heuristic over sixteen bins along the longest
//! side of the centers' bounds (Wald 2007). Traversal visits first the child that more rays of the
//! packet enter first.

use super::packet::{F32Lanes, MaskLanes, PacketTraversal, Simd};
use fearless_simd::prelude::*;

/// Axis-aligned bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingBox {
    /// Lowest corner.
    pub low: [f32; 3],
    /// Highest corner.
    pub high: [f32; 3],
}

impl BoundingBox {
    /// Empty box.
    pub const NONE: BoundingBox =
        BoundingBox { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// Returns the smallest box around points.
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> BoundingBox {
        points
            .into_iter()
            .fold(BoundingBox::NONE, |all, p| all.joined(&BoundingBox { low: p, high: p }))
    }

    /// Returns the smallest box around two boxes.
    pub fn joined(&self, other: &BoundingBox) -> BoundingBox {
        let lower = |k: usize| self.low[k].min(other.low[k]);
        let upper = |k: usize| self.high[k].max(other.high[k]);
        BoundingBox { low: [lower(0), lower(1), lower(2)], high: [upper(0), upper(1), upper(2)] }
    }

    /// Returns the box enlarged by `margin` on all sides.
    pub fn padded(&self, margin: f32) -> BoundingBox {
        BoundingBox { low: self.low.map(|x| x - margin), high: self.high.map(|x| x + margin) }
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
struct BvhNode {
    bounds: BoundingBox,
    /// Index of the first child, followed by the second, or of the first primitive of a leaf.
    first: u32,
    /// Number of primitives; 0 for an inner node.
    count: u32,
}

/// Tree over primitives that are identified by their index in a list.
#[derive(Clone, Debug)]
pub struct Bvh {
    nodes: Vec<BvhNode>,
    order: Vec<u32>,
    leaf_size: usize,
}

/// Rays in a local frame, one per lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beams<S: Simd> {
    /// Start points.
    pub origin: [F32Lanes<S>; 3],
    /// Directions.
    pub direction: [F32Lanes<S>; 3],
}

/// Rays in the form that the slab test uses.
#[derive(Clone, Copy, Debug)]
struct Slabs<S: Simd> {
    inverse: [F32Lanes<S>; 3],
    /// Origin times inverse direction.
    start: [F32Lanes<S>; 3],
}

impl<S: Simd> Slabs<S> {
    #[inline(always)]
    fn new(beams: &Beams<S>) -> Slabs<S> {
        let (mut inverse, mut start) = (beams.direction, beams.origin);
        for k in 0..3 {
            let d = beams.direction[k];
            let tiny = d.abs().simd_lt(1e-12);
            inverse[k] = 1.0 / tiny.select(F32Lanes::splat(d.simd, 1e-12), d);
            start[k] = beams.origin[k] * inverse[k];
        }
        Slabs { inverse, start }
    }

    /// Returns the ranges at which the rays enter a box, and which rays do so before `far`.
    #[inline(always)]
    fn enter(
        &self,
        bounds: &BoundingBox,
        near: F32Lanes<S>,
        far: F32Lanes<S>,
    ) -> (F32Lanes<S>, MaskLanes<S>) {
        let simd = near.simd;
        let (mut near, mut far) = (near, far);
        for k in 0..3 {
            // fused multiply-add where available: the padding of the boxes exceeds the rounding
            // difference
            let low = F32Lanes::splat(simd, bounds.low[k]);
            let high = F32Lanes::splat(simd, bounds.high[k]);
            let low = low.mul_sub(self.inverse[k], self.start[k]);
            let high = high.mul_sub(self.inverse[k], self.start[k]);
            near = near.max(low.min(high));
            far = far.min(low.max(high));
        }
        // margin for rounding
        let slack = F32Lanes::splat(simd, 1e-5);
        (near, near.simd_le(far.mul_add(F32Lanes::splat(simd, 1.000_002), slack)))
    }
}

/// Primitives below a tree that rays are intersected with.
pub(super) trait Primitives<S: Simd> {
    /// Intersects the rays beyond `near` with the primitive at index `place` of [`Bvh::order`].
    fn intersect(&mut self, place: usize, near: F32Lanes<S>, search: &mut PacketTraversal<S>);
}

const BINS: usize = 16;
/// Greatest depth of the tree, such that the traversal stack suffices.
pub const DEPTH: usize = 30;

impl Bvh {
    /// Builds a tree over primitives with these bounds, with at most `leaf_size` per leaf.
    pub fn new(bounds: &[BoundingBox], leaf_size: usize) -> Bvh {
        let order = (0..bounds.len() as u32).collect();
        let mut bvh = Bvh { nodes: Vec::new(), order, leaf_size };
        if !bounds.is_empty() {
            bvh.nodes.push(BvhNode { bounds: BoundingBox::NONE, first: 0, count: 0 });
            let mut order = std::mem::take(&mut bvh.order);
            bvh.split(0, bounds, &mut order, 0, 0);
            bvh.order = order;
        }
        bvh
    }

    /// Returns the indices of the primitives in the order of the leaves.
    ///
    /// Primitives that are stored in this order are addressed by the indices that traversal passes,
    /// without this list.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the box around all primitives.
    pub fn bounds(&self) -> BoundingBox {
        self.nodes.first().map_or(BoundingBox::NONE, |root| root.bounds)
    }

    /// Returns the nodes, root first: a box, an index and a count.
    ///
    /// For an inner node the count is 0 and the index is that of the first child, which the second
    /// follows. For a leaf they are the first primitive and the number of primitives.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (&BoundingBox, u32, u32)> {
        self.nodes.iter().map(|node| (&node.bounds, node.first, node.count))
    }

    fn split(
        &mut self,
        node: usize,
        bounds: &[BoundingBox],
        order: &mut [u32],
        first: u32,
        depth: usize,
    ) {
        let of = |thing: u32| &bounds[thing as usize];
        let all = order.iter().fold(BoundingBox::NONE, |all, &thing| all.joined(of(thing)));
        let middles = BoundingBox::around(
            order.iter().map(|&thing| [0, 1, 2].map(|axis| of(thing).middle(axis))),
        );
        self.nodes[node] = BvhNode { bounds: all, first, count: order.len() as u32 };
        if order.len() <= self.leaf_size || depth == DEPTH {
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
        let mut bins = [(BoundingBox::NONE, 0_usize); BINS];
        for &thing in &*order {
            let (around, count) = &mut bins[bin(thing)];
            *around = around.joined(of(thing));
            *count += 1;
        }
        let mut from_right = [(BoundingBox::NONE, 0); BINS];
        let mut sum = (BoundingBox::NONE, 0);
        for k in (0..BINS).rev() {
            sum = (sum.0.joined(&bins[k].0), sum.1 + bins[k].1);
            from_right[k] = sum;
        }
        let mut sum = (BoundingBox::NONE, 0);
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
        // stable partition, so that the tree depends on the list alone
        let (left, right): (Vec<u32>, Vec<u32>) = order.iter().partition(|&&t| bin(t) <= best);
        order[..left.len()].copy_from_slice(&left);
        order[left.len()..].copy_from_slice(&right);
        let child = self.nodes.len();
        let empty = BvhNode { bounds: BoundingBox::NONE, first: 0, count: 0 };
        self.nodes.extend([empty, empty]);
        self.nodes[node] = BvhNode { bounds: all, first: child as u32, count: 0 };
        let (low, high) = order.split_at_mut(left.len());
        self.split(child, bounds, low, first, depth + 1);
        self.split(child + 1, bounds, high, first + left.len() as u32, depth + 1);
    }

    /// Traverses the tree with a packet and intersects the rays with `things`, nearer boxes first.
    ///
    /// Only primitives that a ray may reach before its nearest hit so far are tested.
    #[inline(always)]
    pub(super) fn walk<S: Simd>(
        &self,
        beams: &Beams<S>,
        near: F32Lanes<S>,
        search: &mut PacketTraversal<S>,
        things: &mut impl Primitives<S>,
    ) {
        let Some(root) = self.nodes.first() else { return };
        let slabs = Slabs::new(beams);
        if !slabs.enter(&root.bounds, near, search.far).1.any_true() {
            return;
        }
        let before = search.stack_depth();
        let mut node = root;
        loop {
            if node.count > 0 {
                for place in node.first..node.first + node.count {
                    things.intersect(place as usize, near, search);
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
                            search.push(node.first + 1, enter_b);
                            node = a;
                        } else {
                            search.push(node.first, enter_a);
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
            let Some(next) = search.pop(before) else { return };
            node = &self.nodes[next as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Level, dispatch};
    use proptest::prelude::*;

    struct TraversalEntries(Vec<bool>);

    impl<S: Simd> Primitives<S> for TraversalEntries {
        fn intersect(
            &mut self,
            place: usize,
            _near: F32Lanes<S>,
            _search: &mut PacketTraversal<S>,
        ) {
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
            let boxes: Vec<BoundingBox> = corners
                .iter()
                .map(|(low, size)| BoundingBox { low: *low, high: low.map(|x| x + size) })
                .collect();
            let bvh = Bvh::new(&boxes, 4);
            dispatch!(Level::new(), simd => {
                let all = |numbers: [f32; 3]| numbers.map(|number| F32Lanes::splat(simd, number));
                let beams = Beams { origin: all(origin), direction: all(direction) };
                let near = F32Lanes::splat(simd, 0.0);
                let mut seen = TraversalEntries(vec![false; boxes.len()]);
                let mut search = PacketTraversal::new(simd, false, 1, 50.0);
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
