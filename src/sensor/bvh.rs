//! A tree of boxes over things, and the walk of a ray through it.
//!
//! Built from the top by the surface area heuristic over sixteen bins along the
//! longest side of the middles (Wald 2007), walked from the nearer child.

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
}

/// A ray as boxes see it.
#[derive(Clone, Copy, Debug)]
pub struct Slabs {
    inverse: [f32; 3],
    /// Origin times inverse.
    start: [f32; 3],
}

impl Slabs {
    /// A ray from `origin` along `direction`.
    #[inline]
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> Slabs {
        // loops, for maps over arrays are not inlined here
        let (mut inverse, mut start) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            let d = direction[k];
            inverse[k] = 1.0 / if d.abs() < 1e-12 { 1e-12 } else { d };
            start[k] = origin[k] * inverse[k];
        }
        Slabs { inverse, start }
    }

    /// Where the ray enters a box, if it does so before `far`.
    #[inline(always)]
    fn enter(&self, bounds: &Bounds, near: f32, far: f32) -> Option<f32> {
        let (mut near, mut far) = (near, far);
        for k in 0..3 {
            let low = bounds.low[k] * self.inverse[k] - self.start[k];
            let high = bounds.high[k] * self.inverse[k] - self.start[k];
            // one instruction each, where a choice by the ray's sense would branch
            let first = if low < high { low } else { high };
            let last = if low > high { low } else { high };
            near = if first > near { first } else { near };
            far = if last < far { last } else { far };
        }
        // what rounding may take away
        (near <= far * 1.000_002 + 1e-5).then_some(near)
    }
}

const BINS: usize = 16;
const LEAF: usize = 4;
/// No branch is longer: the walk clears as many places to come back to.
pub const DEPTH: usize = 32;

impl Bvh {
    /// A tree over things with these bounds.
    pub fn new(bounds: &[Bounds]) -> Bvh {
        let mut bvh = Bvh { nodes: Vec::new(), order: (0..bounds.len() as u32).collect() };
        if !bounds.is_empty() {
            bvh.nodes.push(Node { bounds: Bounds::NONE, first: 0, count: 0 });
            let mut order = std::mem::take(&mut bvh.order);
            bvh.split(0, bounds, &mut order, 0, 0);
            bvh.order = order;
        }
        bvh
    }

    /// Things in the order of the leaves: who stores them so finds them by
    /// [`Bvh::walk`]'s numbers without this list.
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
        if order.len() <= LEAF || depth == DEPTH {
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

    /// Takes a ray through the tree and asks `visit` about each thing that it may meet
    /// before the least `far` that `visit` has given back, nearer ones first as far as
    /// boxes tell. `visit` gets a thing's place in [`Bvh::order`] and `far`; it ends the
    /// walk with `far` below `near`.
    #[inline]
    pub fn walk(
        &self,
        slabs: &Slabs,
        near: f32,
        mut far: f32,
        mut visit: impl FnMut(usize, f32) -> f32,
    ) {
        let Some(root) = self.nodes.first() else { return };
        if slabs.enter(&root.bounds, near, far).is_none() {
            return;
        }
        let mut waiting = [(0_u32, 0.0_f32); DEPTH];
        let (mut depth, mut at) = (0, 0_usize);
        loop {
            let node = &self.nodes[at];
            if node.count > 0 {
                for thing in node.first..node.first + node.count {
                    far = visit(thing as usize, far);
                }
                if far < near {
                    return;
                }
            } else {
                let (a, b) = (node.first as usize, node.first as usize + 1);
                let first = slabs.enter(&self.nodes[a].bounds, near, far);
                let second = slabs.enter(&self.nodes[b].bounds, near, far);
                match (first, second) {
                    (Some(x), Some(y)) => {
                        let (closer, other) =
                            if x <= y { (a, (b as u32, y)) } else { (b, (a as u32, x)) };
                        waiting[depth] = other;
                        depth += 1;
                        at = closer;
                        continue;
                    }
                    (Some(_), None) => {
                        at = a;
                        continue;
                    }
                    (None, Some(_)) => {
                        at = b;
                        continue;
                    }
                    (None, None) => {}
                }
            }
            loop {
                if depth == 0 {
                    return;
                }
                depth -= 1;
                let (next, enter) = waiting[depth];
                if enter <= far * 1.000_001 {
                    at = next as usize;
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            let bvh = Bvh::new(&boxes);
            let slabs = Slabs::new(origin, direction);
            let mut seen = vec![false; boxes.len()];
            bvh.walk(&slabs, 0.0, 50.0, |at, far| {
                seen[bvh.order()[at] as usize] = true;
                far
            });
            for (bounds, seen) in boxes.iter().zip(seen) {
                prop_assert!(seen || slabs.enter(bounds, 0.0, 50.0).is_none());
            }
        }
    }
}
