//! Soil that is heaped up around a contact and slides back.
//!
//! Purely geometric, after the Soil Contact Model. A part of the volume of permanent sinkage is
//! spread evenly over the nodes around the contact. Where the heap is steeper than the soil's angle
//! of repose, an eighth of the excess slides between each pair of neighbors per sweep. Heights move
//! in whole [`BERM_QUANTUM`]s from one node to another, so no soil is lost. Nodes under a body are
//! left unchanged.
//!
//! All bodies of a vehicle are evaluated before soil is heaped. Bodies next to each other, such as
//! the shoes of a track, share one rim. So no body pushes soil under the next one, and their order
//! does not matter.

use super::displaced_soil::DisplacedSoil;
use super::scratch::{NodeRef, Scratch};
use super::working_ground::WorkingGround;
use crate::{BERM_QUANTUM, GroundModel, Overlay};
use bekker_math::grid::{Node, TileKey};

/// Flag of a node under a body.
const LOADED: u8 = 1;
/// Flag of a firm node: soil neither leaves it nor stays on it.
const FIRM: u8 = 2;

/// Returns the soil displaced by a body that sank by `volume` m³ at the touched nodes; `None` where
/// the soil is not heaped up. The soil of the first touched node determines the parameters.
pub(super) fn displaced(
    model: &GroundModel,
    scratch: &Scratch,
    volume: f64,
) -> Option<DisplacedSoil> {
    let soil = scratch.touched.first()?.soil();
    model.coefficients(soil)?.soil.bulldozing?;
    let ends = |of: fn(&NodeRef) -> i32| {
        let extend = |[low, high]: [i32; 2], at: i32| [low.min(at), high.max(at)];
        scratch.spots().map(of).fold([i32::MAX, i32::MIN], extend)
    };
    let ([west, east], [south, north]) = (ends(|spot| spot.i), ends(|spot| spot.j));
    Some(DisplacedSoil { soil, bounds: [west, east, south, north], volume })
}

/// Heaps the `displaced` soil around the bodies and lets it slide, within the number of rings that
/// the soil specifies. Adjacent patches share one rim.
///
/// Call it once per step, after all contacts of the bodies that share the overlay.
pub fn heap(ground: &mut WorkingGround<'_>, displaced: impl IntoIterator<Item = DisplacedSoil>) {
    let mut patches = std::mem::take(&mut ground.scratch.patches);
    patches.clear();
    for mut patch in displaced {
        while let Some(near) =
            patches.iter().position(|other: &DisplacedSoil| other.touches(&patch))
        {
            patch = patches.swap_remove(near).union(&patch);
        }
        patches.push(patch);
    }
    patches.sort_unstable_by_key(|patch| patch.bounds);
    for patch in &patches {
        heap_around(ground, patch);
    }
    ground.scratch.patches = patches;
}

fn heap_around(ground: &mut WorkingGround<'_>, displaced: &DisplacedSoil) {
    let model = ground.model;
    let Some(coefficients) = model.coefficients(displaced.soil) else { return };
    let Some(law) = coefficients.soil.bulldozing else { return };
    let lattice = model.lattice();

    // the touched nodes, `rings` nodes around them and one more for the boundary
    let margin = law.erosion_rings.min(64) as i32 + 1;
    let [west, east, south, north] = displaced.bounds;
    let (west, east, south, north) = (west - margin, east + margin, south - margin, north + margin);
    let (columns, rows) = ((east - west + 1) as usize, (north - south + 1) as usize);
    let field = NodeRectangle { west, south, columns, rows };

    read(ground, &field);
    let WorkingGround { overlay, scratch, .. } = ground;
    scratch.rim.clear();
    for at in 0..columns * rows {
        if scratch.cells[at] == 0
            && field.neighbors(at).into_iter().flatten().any(|n| scratch.cells[n] & LOADED != 0)
        {
            scratch.rim.push(at);
        }
    }
    raise(overlay, scratch, displaced.volume / lattice.cell_area() / BERM_QUANTUM);
    let stand = coefficients.erosion_slope * lattice.spacing;
    for _ in 0..law.erosion_sweeps {
        slide(scratch, &field, stand);
    }
    write(ground, &field);
}

/// A rectangle of nodes around a contact, in row-major order.
struct NodeRectangle {
    west: i32,
    south: i32,
    columns: usize,
    rows: usize,
}

impl NodeRectangle {
    fn node(&self, at: usize) -> Node {
        Node {
            i: self.west + (at % self.columns) as i32,
            j: self.south + (at / self.columns) as i32,
        }
    }

    fn neighbors(&self, at: usize) -> [Option<usize>; 4] {
        let (column, row) = (at % self.columns, at / self.columns);
        [
            (column > 0).then(|| at - 1),
            (column + 1 < self.columns).then(|| at + 1),
            (row > 0).then(|| at - self.columns),
            (row + 1 < self.rows).then(|| at + self.columns),
        ]
    }

    /// Calls `visit` with each run of nodes that share a row and a tile: tile, index of the first
    /// node in it, position in the field, length.
    fn runs(&self, mut visit: impl FnMut(TileKey, usize, usize, usize)) {
        for row in 0..self.rows {
            let mut at = row * self.columns;
            let end = at + self.columns;
            while at < end {
                let node = self.node(at);
                let last = node.tile().node(bekker_math::grid::TILE - 1).i;
                let length = ((last - node.i + 1) as usize).min(end - at);
                visit(node.tile(), node.index(), at, length);
                at += length;
            }
        }
    }
}

/// Reads the surface heights and flags the nodes that cannot move.
fn read(ground: &mut WorkingGround<'_>, field: &NodeRectangle) {
    let WorkingGround { model, published, overlay, scratch } = ground;
    let size = field.columns * field.rows;
    let Scratch { levels, quanta, cells, .. } = scratch;
    levels.clear();
    levels.resize(size, 0.0);
    quanta.clear();
    quanta.resize(size, 0);
    cells.clear();
    cells.resize(size, 0);
    field.runs(|key, index, at, length| {
        let slot = overlay.fetch(model, published, key);
        let tile = overlay.tile_at(slot);
        for step in 0..length {
            let index = index + step;
            levels[at + step] = tile.surface(index);
            if tile.in_contact(index) {
                cells[at + step] |= LOADED;
            }
            if model.coefficients(tile.soil(index)).is_none() {
                cells[at + step] |= FIRM;
            }
        }
    });
}

/// Raises the rim evenly by `amount` quanta in total. The remainder that cannot be divided evenly
/// is carried to the next step.
fn raise(overlay: &mut Overlay, scratch: &mut Scratch, amount: f64) {
    let amount = amount + overlay.heap_remainder;
    let each = match scratch.rim.len() {
        0 => 0,
        nodes => (amount / nodes as f64).floor().clamp(0.0, 1e6) as i32,
    };
    for &at in &scratch.rim {
        scratch.quanta[at] += each;
        scratch.levels[at] += f64::from(each) * BERM_QUANTUM;
    }
    let heaped = i64::from(each) * scratch.rim.len() as i64;
    overlay.heaped_quanta += heaped;
    overlay.heap_remainder = amount - heaped as f64;
}

/// Performs one sweep of sliding: between neighbors whose heights differ by more than `stand` m, an
/// eighth of the excess moves down.
fn slide(scratch: &mut Scratch, field: &NodeRectangle, stand: f64) {
    let Scratch { levels, quanta, cells, .. } = scratch;
    for at in 0..levels.len() {
        let [_, right, _, up] = field.neighbors(at);
        for other in [right, up].into_iter().flatten() {
            if cells[at] | cells[other] != 0 {
                continue;
            }
            let drop = levels[at] - levels[other];
            let excess = drop.abs() - stand;
            if excess <= 0.0 {
                continue;
            }
            let moved = (excess / (8.0 * BERM_QUANTUM)).min(1e6) as i32;
            let moved = if drop > 0.0 { moved } else { -moved };
            quanta[at] -= moved;
            quanta[other] += moved;
            levels[at] -= f64::from(moved) * BERM_QUANTUM;
            levels[other] += f64::from(moved) * BERM_QUANTUM;
        }
    }
}

/// Writes the moved quanta back to the overlay.
fn write(ground: &mut WorkingGround<'_>, field: &NodeRectangle) {
    let WorkingGround { model, published, overlay, scratch } = ground;
    field.runs(|key, index, at, length| {
        let moved = &scratch.quanta[at..at + length];
        if moved.iter().all(|&quanta| quanta == 0) {
            return;
        }
        let slot = overlay.fetch(model, published, key);
        let mut tile = overlay.writer(slot);
        for (step, &quanta) in moved.iter().enumerate() {
            if quanta != 0 {
                tile.heap(index + step, quanta);
            }
        }
    });
}
