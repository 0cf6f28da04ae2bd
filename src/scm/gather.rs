//! Which nodes a body presses.

use super::footprint::Footprint;
use super::scratch::{Candidate, Scratch, Touched};
use crate::grid::{Node, TILE, TileKey};
use crate::ground::{GroundModel, LANES, Overlay, Published, WorkingTile};
use crate::numeric::{Lanes, Simd, WIDTH};

/// Nodes are counted up to here: beyond, a body has left every terrain.
pub(super) const FARTHEST: f64 = 1e9;
/// A cell covered by less than this part is not touched.
const LEAST_COVERAGE: f64 = 1e-6;

/// Finds the nodes whose unloaded surface lies above the body's underside, row
/// by row; returns how many were tested.
///
/// Each row is cut to where the body can reach the highest ground, then
/// [`LANES`] nodes at a time are held against a bound of the body's shape, and
/// only what is left is held against the shape itself.
#[inline(always)]
pub(super) fn gather<S: Simd, F: Footprint>(
    simd: S,
    model: &GroundModel,
    published: &Published,
    overlay: &mut Overlay,
    scratch: &mut Scratch,
    body: &mut F,
) -> u32 {
    scratch.touched.clear();
    scratch.candidates.clear();
    let lattice = model.lattice();
    let [x0, y0, x1, y1] = body.bounds();
    // false for what is not finite, too
    let on_lattice = |bound: f64| bound.abs() < FARTHEST * lattice.spacing;
    if ![x0, y0, x1, y1].into_iter().all(on_lattice) {
        return 0;
    }
    let (first, last) = (lattice.nearest(x0, y0), lattice.nearest(x1, y1));
    let (low, high) = (first.tile(), last.tile());
    scratch.slots.clear();
    let mut ceiling = f64::NEG_INFINITY;
    for b in low.b..=high.b {
        for a in low.a..=high.a {
            let slot = overlay.fetch(model, published, TileKey { a, b });
            ceiling = ceiling.max(overlay.at(slot).ceiling());
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
            let stretch = Stretch { slot: slot as u32, j, y, from: i, to: end };
            stretch.bound(lattice.spacing, overlay.at(slot), body, &mut scratch.candidates);
            i = end + 1;
        }
    }
    for nodes in scratch.candidates.chunks(WIDTH) {
        press(simd, model, overlay, body, nodes, &mut scratch.touched);
    }
    tested
}

/// Adds those of up to [`WIDTH`] nodes that `body` presses.
#[inline(always)]
fn press<S: Simd, F: Footprint>(
    simd: S,
    model: &GroundModel,
    overlay: &Overlay,
    body: &F,
    nodes: &[Candidate],
    touched: &mut Vec<Touched>,
) {
    let spacing = model.lattice().spacing;
    // the last node stands for those that are missing
    let four: [&Candidate; WIDTH] = std::array::from_fn(|k| &nodes[k.min(nodes.len() - 1)]);
    let tiles = four.map(|node| overlay.at(node.slot as usize));
    let index = four.map(|node| node.index as usize);
    let x = Lanes::gather(simd, |k| f64::from(four[k].i)) * spacing;
    let y = Lanes::gather(simd, |k| f64::from(four[k].j)) * spacing;
    let point = body.underside(x, y);
    let ground = Lanes::gather(simd, |k| tiles[k].ground(index[k]));
    let up = Lanes::gather(simd, |k| tiles[k].normal(index[k]).z);
    let residual = Lanes::gather(simd, |k| tiles[k].memory(index[k]).sinkage);
    let sinkage = up * (ground - point.height);
    let pressed = sinkage.gt(residual) & point.coverage.gt(LEAST_COVERAGE);
    let mut pressed = pressed.to_bits() & ((1 << nodes.len()) - 1);
    let (sinkage, height) = (sinkage.numbers(), point.height.numbers());
    let (slope, coverage) = ([point.slope[0].numbers(), point.slope[1].numbers()], point.coverage.numbers());
    while pressed != 0 {
        let k = pressed.trailing_zeros() as usize;
        pressed &= pressed - 1;
        let soil = tiles[k].soil(index[k]);
        if model.coefficients(soil).is_some() {
            let Candidate { slot, index, i, j } = *four[k];
            touched.push(Touched {
                slot,
                index,
                soil: soil as u32,
                i,
                j,
                sinkage: sinkage[k],
                height: height[k],
                slope: [slope[0][k], slope[1][k]],
                coverage: coverage[k],
            });
        }
    }
}

/// Part of a row of nodes, within one tile.
struct Stretch {
    slot: u32,
    j: i32,
    y: f64,
    from: i32,
    to: i32,
}

impl Stretch {
    /// Adds the nodes of the stretch that `body` may press.
    #[inline(always)]
    fn bound<F: Footprint>(
        &self,
        spacing: f64,
        tile: &WorkingTile,
        body: &F,
        candidates: &mut Vec<Candidate>,
    ) {
        // lanes may not leave the tile's row: its last ones begin further left
        let last = (self.from | (TILE as i32 - 1)) + 1 - LANES as i32;
        let mut from = self.from;
        while from <= self.to {
            let start = from.min(last);
            let index = Node { i: start, j: self.j }.index();
            let lanes = std::array::from_fn(|lane| (f64::from(start) + lane as f64) * spacing);
            let mut near = body.near(&lanes, self.y, tile.surfaces(index));
            near &= u32::MAX << (from - start);
            near &= u32::MAX >> (31 - (self.to - start).min(31));
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                candidates.push(Candidate {
                    slot: self.slot,
                    index: (index + lane) as u32,
                    i: start + lane as i32,
                    j: self.j,
                });
            }
            from = start + LANES as i32;
        }
    }
}
