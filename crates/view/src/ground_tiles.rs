//! Tiles of deformed ground.

use super::message::{EncodedMessage, MessageBuilder, MessageKind};
use bekker_ground::{GroundModel, NodeState, SharedGround};
use bekker_math::grid::{Node, TILE, TileKey};
use std::collections::{BTreeMap, BTreeSet};

/// Number of nodes along the side of a tile as sent.
///
/// It includes the first nodes of the next tile, and one more node on each side for normals.
const SIDE: usize = TILE + 3;

/// Number of nodes along the side of the cached undisturbed ground.
///
/// It includes one more node on each side, for the slope there.
const BASE: usize = SIDE + 2;

/// Quanta of height per meter.
const QUANTA: f64 = 4000.0;

/// Progress of sent tiles, and the undisturbed ground below them.
#[derive(Clone, Debug, Default)]
pub(super) struct GroundTiles {
    /// Merge count up to which tiles have been sent.
    merges: u64,
    /// Undisturbed heights, m, cached because computing them dominates the cost of a tile.
    bases: BTreeMap<TileKey, Box<[f64; BASE * BASE]>>,
}

impl GroundTiles {
    /// Encodes the tiles that changed since the last message, or all of them if `afresh`.
    ///
    /// All are needed for a new client and after a seek. Returns `None` if nothing has changed.
    pub fn message(
        &mut self,
        model: &GroundModel,
        published: &SharedGround,
        time: f64,
        afresh: bool,
    ) -> Option<EncodedMessage> {
        let since = if afresh { 0 } else { self.merges };
        self.merges = published.merges();
        let keys = changed(published, since);
        if keys.is_empty() && !afresh {
            return None;
        }
        let mut writer = MessageBuilder::new(MessageKind::Tiles);
        writer.u8(u8::from(afresh)).f64(time).u32(keys.len());
        for key in keys {
            let base = self.bases.entry(key).or_insert_with(|| base(model, key));
            tile(model, published, key, base, &mut writer);
        }
        Some(writer.finish())
    }
}

/// Undisturbed heights of a tile and two more nodes on each side, m.
fn base(model: &GroundModel, key: TileKey) -> Box<[f64; BASE * BASE]> {
    let nodes: [Node; BASE * BASE] =
        std::array::from_fn(|at| neighbor_node(key, at % BASE, at / BASE, 2));
    let mut heights = Box::new([0.0; BASE * BASE]);
    model.base_heights(&nodes, &mut heights[..]);
    heights
}

/// Node at a column and row counted from `rim` nodes before the first node of a tile.
fn neighbor_node(key: TileKey, column: usize, row: usize, rim: i32) -> Node {
    let Node { i, j } = key.node(0);
    Node { i: i + column as i32 - rim, j: j + row as i32 - rim }
}

/// Tiles whose appearance has changed; the rim of a tile shows nodes of its neighbors.
fn changed(published: &SharedGround, since: u64) -> BTreeSet<TileKey> {
    let around = |key: TileKey| {
        (-1..=1).flat_map(move |da| {
            (-1..=1)
                .map(move |db| TileKey { a: key.a.saturating_add(da), b: key.b.saturating_add(db) })
        })
    };
    let touched = published.changed_since(since).flat_map(around);
    touched.filter(|key| published.tile(*key).is_some()).collect()
}

/// Encodes a tile.
///
/// The surface at a node is z₀ + berm - s_p / n_z, as in `ground::surface_height`.
fn tile(
    model: &GroundModel,
    published: &SharedGround,
    key: TileKey,
    base: &[f64; BASE * BASE],
    writer: &mut MessageBuilder,
) {
    let spacing = model.lattice().spacing;
    let mut last = None;
    let mut state = |node: Node| -> NodeState {
        let key = node.tile();
        let tile = match last {
            Some((known, tile)) if known == key => tile,
            _ => published.tile(key),
        };
        last = Some((key, tile));
        tile.and_then(|tile| tile.get(node.index())).copied().unwrap_or_default()
    };
    let mut changes = [0.0; SIDE * SIDE];
    for (at, change) in changes.iter_mut().enumerate() {
        let (column, row) = (at % SIDE, at / SIDE);
        let state = state(neighbor_node(key, column, row, 1));
        let middle = (row + 1) * BASE + column + 1;
        let slope = |step: usize| (base[middle + step] - base[middle - step]) / (2.0 * spacing);
        let (along_x, along_y) = (slope(1), slope(BASE));
        let steepness = (1.0 + along_x * along_x + along_y * along_y).sqrt();
        *change = state.berm_m() - state.plastic_sinkage_m() * steepness;
    }
    let height = |at: usize| base[(at / SIDE + 1) * BASE + at % SIDE + 1] + changes[at];
    let datum = height(SIDE * SIDE / 2);
    let [x, y] = model.lattice().position(key.node(0));
    let middle = 0.5 * TILE as f64 * spacing;
    let soil = usize::from(model.terrain().soil(x + middle, y + middle).0);
    let last = model.soils().len().saturating_sub(1);
    writer.i32(key.a).i32(key.b).f32(datum).u32(soil.min(last));
    let quanta = |meters: f64| {
        (meters * QUANTA).round().clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16
    };
    for at in 0..SIDE * SIDE {
        writer.i16(quanta(height(at) - datum));
    }
    for change in changes {
        writer.i16(quanta(-change));
    }
}
