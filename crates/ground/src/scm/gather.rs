//! Search for the nodes that a body presses.

use super::footprint::Footprint;
use super::scratch::{NodeLanes, NodeRef};
use super::sunk_cell::SunkCells;
use super::vector_lanes::VectorLanes;
use super::working_ground::WorkingGround;
use crate::soil::Bearing;
use crate::{Overlay, WorkingNodes};
use bekker_math::grid::{Lattice, Node, TILE, TileKey};
use bekker_math::numeric::{LaneMask, Lanes, Simd, WIDTH, per_lane};

/// Greatest node index that is used; beyond it a body has left every terrain.
const FARTHEST: f64 = 1e9;
/// Least covered fraction of a cell in contact.
const LEAST_COVERAGE: f64 = 1e-6;

/// Returns the first and the last node within `[x0, y0, x1, y1]`, m; `None` where the bounds are
/// not on the lattice.
pub(super) fn nodes_within(lattice: Lattice, [x0, y0, x1, y1]: [f64; 4]) -> Option<[Node; 2]> {
    // also false for infinite values and NaN
    let on_lattice = |bound: f64| bound.abs() < FARTHEST * lattice.spacing;
    let all = [x0, y0, x1, y1].into_iter().all(on_lattice);
    all.then(|| [lattice.nearest(x0, y0), lattice.nearest(x1, y1)])
}

/// Returns the keys of the tiles with nodes within `[x0, y0, x1, y1]`, m: all tiles that a body
/// with these bounds may touch.
pub fn tiles_within(lattice: Lattice, bounds: [f64; 4]) -> impl Iterator<Item = TileKey> {
    let corners = nodes_within(lattice, bounds).map(|nodes| nodes.map(Node::tile));
    corners.into_iter().flat_map(|[low, high]| {
        (low.b..=high.b).flat_map(move |b| (low.a..=high.a).map(move |a| TileKey { a, b }))
    })
}

/// Finds the nodes whose unloaded surface is above the body's underside, row by row; returns how
/// many were tested.
///
/// Each row is clipped to where the body can reach the highest ground. Then [`WIDTH`] nodes at a
/// time are compared with a bound of the body's shape, and only the remaining ones with the shape
/// itself.
#[inline(always)]
pub(super) fn gather_nodes<S: Simd, F: Footprint>(
    simd: S,
    ground: &mut WorkingGround<'_>,
    body: &mut F,
) -> u32 {
    let WorkingGround { model, published, overlay, scratch } = ground;
    scratch.touched.clear();
    scratch.near.clear();
    let lattice = model.lattice();
    let Some([first, last]) = nodes_within(lattice, body.bounds()) else { return 0 };
    let (low, high) = (first.tile(), last.tile());
    scratch.slots.clear();
    let mut ceiling = f64::NEG_INFINITY;
    for b in low.b..=high.b {
        for a in low.a..=high.a {
            let slot = overlay.fetch(model, published, TileKey { a, b });
            ceiling = ceiling.max(overlay.tile_at(slot).ceiling());
            scratch.slots.push(slot);
        }
    }
    let columns = (high.a - low.a + 1) as usize;
    body.clip(ceiling);
    let [_, y0, _, y1] = body.bounds();
    let first_row = lattice.nearest(0.0, y0).j.max(first.j);
    let last_row = lattice.nearest(0.0, y1).j.min(last.j);
    let mut tested = 0;
    for j in first_row..=last_row {
        let y = f64::from(j) * lattice.spacing;
        let Some([from, to]) = body.row(y) else { continue };
        let from = ((from / lattice.spacing).ceil() as i32).max(first.i);
        let to = ((to / lattice.spacing).floor() as i32).min(last.i);
        tested += (to - from + 1).max(0) as u32;
        let tile_row = (Node { i: 0, j }.tile().b - low.b) as usize * columns;
        let mut i = from;
        while i <= to {
            let slot = scratch.slots[tile_row + (Node { i, j }.tile().a - low.a) as usize];
            let end = to.min(i | (TILE as i32 - 1));
            let span = NodeSpan { slot: slot as u32, j, y, from: i, to: end };
            span.collect_near(
                simd,
                lattice.spacing,
                overlay.tile_at(slot).nodes(),
                body,
                &mut scratch.near,
            );
            i = end + 1;
        }
    }
    for alike in scratch.near.chunk_by(|a, b| a.soil == b.soil) {
        let Some(coefficients) = model.coefficients(usize::from(alike[0].soil)) else { continue };
        // the width of the patch, which is not known yet, affects only a bound of the rebound
        let bearing =
            body.is_over_cells().then(|| Bearing::new(&coefficients.soil, model.laws(), 0.0));
        for spots in alike.chunks(WIDTH) {
            if fill_lanes(
                simd,
                lattice.spacing,
                overlay,
                body,
                bearing.as_ref(),
                spots,
                scratch.touched.next_unused(),
            ) {
                scratch.touched.mark_used();
            }
        }
    }
    tested
}

/// Fills `four` with up to [`WIDTH`] nodes; returns whether `body` presses any of them.
#[inline(always)]
fn fill_lanes<S: Simd, F: Footprint>(
    simd: S,
    spacing: f64,
    overlay: &Overlay,
    body: &F,
    bearing: Option<&Bearing<'_>>,
    spots: &[NodeRef],
    four: &mut NodeLanes,
) -> bool {
    // the last node fills the unused lanes
    let count = spots.len();
    let spots = per_lane(|k| spots[k.min(count - 1)]);
    let nodes = per_lane(|k| overlay.tile_at(spots[k].slot as usize).nodes());
    let index = per_lane(|k| usize::from(spots[k].index));
    let x = Lanes::from_fn(simd, |k| f64::from(spots[k].i)) * spacing;
    let y = Lanes::from_fn(simd, |k| f64::from(spots[k].j)) * spacing;
    let mut point = body.underside(x, y);
    let base = Lanes::from_fn(simd, |k| nodes[k].base(index[k]));
    let ground = Lanes::from_fn(simd, |k| nodes[k].ground(index[k]));
    let normal = VectorLanes {
        x: Lanes::from_fn(simd, |k| nodes[k].normal(index[k]).x),
        y: Lanes::from_fn(simd, |k| nodes[k].normal(index[k]).y),
        z: Lanes::from_fn(simd, |k| nodes[k].normal(index[k]).z),
    };
    let residual = Lanes::from_fn(simd, |k| nodes[k].memory(index[k]).sinkage);
    if F::DEFORMS {
        // the ground's plane at the middle of the covered part
        let [u, v] = point.cover.offset;
        point.height += (normal.x * u + normal.y * v) / normal.z;
    }
    let mut sinkage = normal.z * (ground - point.height);
    if let Some(bearing) = bearing {
        let yielded_at = Lanes::from_fn(simd, |k| nodes[k].memory(index[k]).yield_pressure);
        let line = bearing.reload_line(residual, yielded_at);
        let yielded = line.depth;
        let sunk = SunkCells::new(sinkage, yielded, &point.cover);
        let left = sunk.left(residual, yielded);
        let depth = sunk.depth(sinkage, bearing.unloading_exponents(&line, left));
        four.depth = [depth.mean, depth.more, depth.support].map(Lanes::to_array);
        four.growth = sunk.growth.to_array();
        four.cover =
            [point.cover.radius, point.cover.inner, point.cover.outer].map(Lanes::to_array);
        four.inverse_width = point.cover.inverse_width.to_array();
        four.strips = point.cover.strips;
        sinkage = sunk.sinkage;
        point.coverage = point.coverage * sunk.part;
    }
    let present = LaneMask::from_bits(simd, (1 << count) - 1);
    let pressed = present & sinkage.gt(residual) & point.coverage.gt(LEAST_COVERAGE);
    if !pressed.any() {
        return false;
    }
    four.spots = spots;
    four.pressed = pressed.to_bits();
    four.node = [x.to_array(), y.to_array()];
    four.position = four.node;
    if F::DEFORMS {
        let [u, v] = point.cover.offset;
        four.position = [(x + u).to_array(), (y + v).to_array()];
    }
    four.base = base.to_array();
    four.ground = ground.to_array();
    four.normal = normal.to_arrays();
    four.residual = residual.to_array();
    four.sinkage = pressed.select(sinkage, 0.0).to_array();
    if F::DEFORMS && bearing.is_none() {
        four.depth = [four.sinkage, [0.0; WIDTH], four.sinkage];
        four.growth = [1.0; WIDTH];
    }
    four.height = pressed.select(point.height, 0.0).to_array();
    let [slope_x, slope_y] = point.slope;
    four.slope = [pressed.select(slope_x, 0.0).to_array(), pressed.select(slope_y, 0.0).to_array()];
    four.coverage = pressed.select(point.coverage, 0.0).to_array();
    if F::DEFORMS {
        four.on_body = point.on_body.to_array();
    }
    true
}

/// A part of a row of nodes within one tile.
struct NodeSpan {
    slot: u32,
    j: i32,
    y: f64,
    from: i32,
    to: i32,
}

impl NodeSpan {
    /// Adds the nodes of this span that `body` may press.
    #[inline(always)]
    fn collect_near<S: Simd, F: Footprint>(
        &self,
        simd: S,
        spacing: f64,
        nodes: &WorkingNodes,
        body: &F,
        spots: &mut Vec<NodeRef>,
    ) {
        // lanes must stay in the tile's row: the last group starts further left
        let last = (self.from | (TILE as i32 - 1)) + 1 - WIDTH as i32;
        let mut from = self.from;
        while from <= self.to {
            let start = from.min(last);
            let index = Node { i: start, j: self.j }.index();
            let x = (f64::from(start) + Lanes::new(simd, [0.0, 1.0, 2.0, 3.0])) * spacing;
            let z = Lanes::new(simd, *nodes.surfaces(index));
            let mut near = body.may_touch(x, self.y, z).to_bits();
            near &= u32::MAX << (from - start);
            near &= u32::MAX >> (31 - (self.to - start).min(31));
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                spots.push(NodeRef {
                    slot: self.slot,
                    index: (index + lane) as u8,
                    soil: nodes.soil(index + lane) as u16,
                    i: start + lane as i32,
                    j: self.j,
                });
            }
            from = start + WIDTH as i32;
        }
    }
}
