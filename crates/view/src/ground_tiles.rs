//! Tiles of deformed ground.

use super::message::{EncodedMessage, MessageBuilder, MessageKind};
use bekker_ground::{GroundModel, NodeState, SharedGround, Tile};
use bekker_math::grid::{Node, TILE, TILE_NODES, TileKey};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Number of nodes along the side of a tile as sent.
///
/// It includes the first nodes of the next tile, and one more node on each side for normals.
const SIDE: usize = TILE + 3;

/// Number of nodes of a tile as sent.
const NODES: usize = SIDE * SIDE;

/// Number of bytes of a tile as sent.
const BYTES: usize = 16 + 4 * NODES;

/// Quanta of height per meter.
const QUANTA: f64 = 4000.0;

/// The ground as last sent, and the undisturbed ground of its tiles.
#[derive(Clone, Debug, Default)]
pub(super) struct GroundTiles {
    sent: Option<Arc<SharedGround>>,
    /// Cached because computing them dominates the cost of a tile.
    bases: BTreeMap<TileKey, Box<TileBase>>,
}

/// Undisturbed ground at the nodes of a tile as sent.
#[derive(Clone, Debug)]
struct TileBase {
    /// Heights, m.
    heights: [f64; NODES],
    /// 1 / n_z, where n_z is the vertical component of the unit normal.
    steepness: [f32; NODES],
}

impl GroundTiles {
    /// Encodes the tiles that changed since the last message, or all of them if `afresh`.
    ///
    /// All are needed for a new client and after a seek. Returns `None` if nothing has changed.
    pub fn message(
        &mut self,
        model: &GroundModel,
        published: &Arc<SharedGround>,
        time: f64,
        afresh: bool,
    ) -> Option<EncodedMessage> {
        let keys = match self.sent.replace(published.clone()) {
            Some(sent) if !afresh => changed(published, &sent),
            _ => published.tiles().map(|(key, _)| key).collect(),
        };
        if keys.is_empty() && !afresh {
            return None;
        }
        let mut writer = MessageBuilder::new(MessageKind::Tiles);
        writer.reserve(keys.len() * BYTES);
        writer.u8(u8::from(afresh)).f64(time).u32(keys.len());
        for key in keys {
            let base = self.bases.entry(key).or_insert_with(|| TileBase::new(model, key));
            write_tile(model, published, key, base, &mut writer);
        }
        Some(writer.finish())
    }
}

impl TileBase {
    fn new(model: &GroundModel, key: TileKey) -> Box<TileBase> {
        // one more node on each side, for the slope there
        const WIDE: usize = SIDE + 2;
        let Node { i, j } = key.node(0);
        let nodes: [Node; WIDE * WIDE] = std::array::from_fn(|at| Node {
            i: i + (at % WIDE) as i32 - 2,
            j: j + (at / WIDE) as i32 - 2,
        });
        let mut wide = [0.0; WIDE * WIDE];
        model.base_heights(&nodes, &mut wide);
        let middle = |at: usize| (at / SIDE + 1) * WIDE + at % SIDE + 1;
        let slope = |at: usize, step: usize| {
            (wide[middle(at) + step] - wide[middle(at) - step]) / (2.0 * model.lattice().spacing)
        };
        Box::new(TileBase {
            heights: std::array::from_fn(|at| wide[middle(at)]),
            steepness: std::array::from_fn(|at| {
                let (along_x, along_y) = (slope(at, 1), slope(at, WIDE));
                (1.0 + along_x * along_x + along_y * along_y).sqrt() as f32
            }),
        })
    }
}

/// Tiles whose appearance has changed; the rim of a tile shows nodes of its neighbors.
fn changed(published: &SharedGround, sent: &SharedGround) -> BTreeSet<TileKey> {
    let mut keys = BTreeSet::new();
    for key in published.changed_since(sent.merges()) {
        for [da, db] in changed_neighbors(published.tile(key), sent.tile(key)) {
            let near = neighbor(key, da, db);
            if published.tile(near).is_some() {
                keys.insert(near);
            }
        }
    }
    keys
}

/// Key of the tile this many tiles away.
fn neighbor(key: TileKey, da: i32, db: i32) -> TileKey {
    TileKey { a: key.a.saturating_add(da), b: key.b.saturating_add(db) }
}

/// Steps in keys to the tiles that show a node whose surface differs between two states of a tile.
fn changed_neighbors(
    now: Option<&Tile>,
    before: Option<&Tile>,
) -> impl Iterator<Item = [i32; 2]> + use<> {
    let surface = |tile: Option<&Tile>| {
        let mut surface = [(0, 0); TILE_NODES];
        for (index, state) in tile.into_iter().flat_map(Tile::iter) {
            surface[index] = (state.plastic_sinkage, state.berm);
        }
        surface
    };
    let (now, before) = (surface(now), surface(before));
    // a tile also shows the last nodes of the one before it, and the first two of the one after
    let shown_by = |at: usize| [at < 2, true, at == TILE - 1];
    let mut shows = [[false; 3]; 3];
    for index in (0..TILE_NODES).filter(|&index| now[index] != before[index]) {
        let (along_x, along_y) = (shown_by(index % TILE), shown_by(index / TILE));
        for (shows, by_x) in shows.iter_mut().zip(along_x) {
            shows.iter_mut().zip(along_y).for_each(|(shows, by_y)| *shows |= by_x && by_y);
        }
    }
    let steps = (0..3).flat_map(|a| (0..3).map(move |b| [a, b]));
    steps.filter(move |&[a, b]| shows[a][b]).map(|step| step.map(|at| at as i32 - 1))
}

/// Encodes a tile.
///
/// The surface at a node is z₀ + berm - s_p / n_z, as in `ground::surface_height`.
fn write_tile(
    model: &GroundModel,
    published: &SharedGround,
    key: TileKey,
    base: &TileBase,
    writer: &mut MessageBuilder,
) {
    // depths below the undisturbed ground, m
    let mut depths = [0.0; NODES];
    let mut set_depth = |at: usize, state: &NodeState| {
        let steepness = f64::from(base.steepness[at]);
        depths[at] = state.plastic_sinkage_m() * steepness - state.berm_m();
    };
    for (index, state) in published.tile(key).into_iter().flat_map(Tile::iter) {
        set_depth((index / TILE + 1) * SIDE + index % TILE + 1, state);
    }
    // the rims of the neighbors: their first or last node as sent, and their nodes
    let rim = |step: i32| match step {
        -1 => (0, TILE - 1..TILE),
        0 => (1, 0..TILE),
        _ => (1 + TILE, 0..2),
    };
    let steps = (-1..=1).flat_map(|db| (-1..=1).map(move |da| (da, db)));
    for (da, db) in steps.filter(|step| *step != (0, 0)) {
        let Some(tile) = published.tile(neighbor(key, da, db)) else { continue };
        let ((first_column, columns), (first_row, rows)) = (rim(da), rim(db));
        for (row, own_row) in rows.enumerate() {
            for (column, own_column) in columns.clone().enumerate() {
                if let Some(state) = tile.get(own_row * TILE + own_column) {
                    set_depth((first_row + row) * SIDE + first_column + column, state);
                }
            }
        }
    }
    let height = |at: usize| base.heights[at] - depths[at];
    let datum = height(NODES / 2);
    let [x, y] = model.lattice().position(key.node(0));
    let middle = 0.5 * TILE as f64 * model.lattice().spacing;
    let soil = usize::from(model.terrain().soil(x + middle, y + middle).0);
    let last = model.soils().len().saturating_sub(1);
    writer.i32(key.a).i32(key.b).f32(datum).u32(soil.min(last));
    // a cast rounds toward zero and saturates
    let quanta = |meters: f64| ((meters * QUANTA + 0.5_f64.copysign(meters)) as i16).to_le_bytes();
    let heights: [[u8; 2]; NODES] = std::array::from_fn(|at| quanta(height(at) - datum));
    writer.raw(heights.as_flattened()).raw(depths.map(quanta).as_flattened());
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::soil::{Laws, Soil, SoilId, SoilKind};
    use bekker_ground::terrain::{Crs, Raster, SoilMap, Surface, Terrain};
    use bekker_ground::{Patches, surface_height};
    use bekker_math::grid::Lattice;

    /// Tiles of a page: the bytes of each after its key.
    type PageTiles = BTreeMap<[i32; 2], Vec<u8>>;

    /// A curved slope, so that normals are inclined.
    fn ground() -> GroundModel {
        let kind = SoilKind::Firm { friction: 0.8 };
        let soil = Soil { name: "rock".into(), source: String::new(), kind };
        let values = (0..81).map(|at| f64::from(at % 9) * 0.1 + f64::from(at / 9).powi(2) * 0.02);
        let raster = Raster {
            columns: 9,
            rows: 9,
            south_west: [-4.0; 2],
            cell: [1.0; 2],
            values: values.collect(),
            crs: Crs::local(),
        };
        let surface = Surface::raster(raster).unwrap();
        let terrain = Terrain::builder(surface, SoilMap::uniform(SoilId(0))).build().unwrap();
        GroundModel::new(Lattice { spacing: 0.1 }, terrain, vec![soil], Laws::reference()).unwrap()
    }

    fn patch(key: TileKey, index: usize, state: NodeState) -> Patches {
        let mut patch = Patches::default();
        patch.begin(key);
        patch.push(index, state);
        patch
    }

    /// Nine tiles around tile (0, 0), each with one rut.
    fn nine_tiles() -> SharedGround {
        let mut published = SharedGround::default();
        for (a, b) in (-1..=1).flat_map(|b| (-1..=1).map(move |a| (a, b))) {
            let state = NodeState { plastic_sinkage: 20_000, ..NodeState::default() };
            published.apply(&patch(TileKey { a, b }, 136, state));
        }
        published
    }

    fn word(bytes: &[u8], at: usize) -> [u8; 4] {
        bytes[at..at + 4].try_into().unwrap()
    }

    /// Applies a message as a page does; returns the number of tiles in it.
    fn take(page: &mut PageTiles, message: &[u8]) -> usize {
        if message[1] == 1 {
            page.clear();
        }
        let tiles = message[14..].chunks_exact(BYTES);
        let count = tiles.len();
        assert_eq!(u32::from_le_bytes(word(message, 10)) as usize, count);
        for tile in tiles {
            let key = [0, 4].map(|at| i32::from_le_bytes(word(tile, at)));
            page.insert(key, tile[8..].to_vec());
        }
        count
    }

    /// A change of any node sends the tiles that show it and no others: the page then equals one
    /// that receives all tiles.
    #[test]
    fn changes_give_the_page_of_the_whole_ground() {
        let (model, mut published) = (ground(), nine_tiles());
        let (mut tiles, mut page) = (GroundTiles::default(), PageTiles::new());
        let first = tiles.message(&model, &Arc::new(published.clone()), 0.0, false).unwrap();
        assert_eq!(take(&mut page, &first), 9);
        for index in 0..TILE_NODES {
            let state = NodeState { plastic_sinkage: 9_000, berm: 700, ..NodeState::default() };
            published.apply(&patch(TileKey { a: 0, b: 0 }, index, state));
            let ground = Arc::new(published.clone());
            let changed = tiles.message(&model, &ground, 0.0, false).unwrap();
            let sides = [index % TILE, index / TILE].map(|at| !(2..TILE - 1).contains(&at));
            let expected: usize = sides.iter().map(|side| 1 + usize::from(*side)).product();
            assert_eq!(take(&mut page, &changed), expected, "node {index}");
            let mut whole = PageTiles::new();
            let all = GroundTiles::default().message(&model, &ground, 0.0, true).unwrap();
            take(&mut whole, &all);
            assert!(page == whole, "node {index}");
        }
        // a change that is not visible
        let state = NodeState { yield_pressure: 9, ..NodeState::default() };
        published.apply(&patch(TileKey { a: 0, b: 0 }, 5, state));
        assert_eq!(tiles.message(&model, &Arc::new(published), 0.0, false), None);
    }

    /// Heights are those of the surface to half a quantum of height, and to the single precision of
    /// the datum; rims too.
    #[test]
    fn heights_and_depths_are_those_of_the_surface() {
        let (model, mut published) = (ground(), nine_tiles());
        for index in [0, 1, 15, 16, 31, 240, 255] {
            for (a, b) in (-1..=1).flat_map(|b| (-1..=1).map(move |a| (a, b))) {
                let state = NodeState { plastic_sinkage: 9_000, berm: -80, ..NodeState::default() };
                published.apply(&patch(TileKey { a, b }, index, state));
            }
        }
        let mut page = PageTiles::new();
        let ground = Arc::new(published);
        take(&mut page, &GroundTiles::default().message(&model, &ground, 0.0, true).unwrap());
        let tile = &page[&[0, 0]];
        let datum = f64::from(f32::from_le_bytes(word(tile, 0)));
        let meters = |at: usize| {
            f64::from(i16::from_le_bytes(tile[at..at + 2].try_into().unwrap())) / QUANTA
        };
        for at in 0..NODES {
            let node = Node { i: (at % SIDE) as i32 - 1, j: (at / SIDE) as i32 - 1 };
            let [x, y] = model.lattice().position(node);
            let (surface, base) = (surface_height(&model, &ground, x, y), model.base_height(node));
            assert!((datum + meters(8 + 2 * at) - surface).abs() < 0.5 / QUANTA + 1e-6, "{node:?}");
            let depth = meters(8 + 2 * (NODES + at));
            assert!((depth - (base - surface)).abs() < 0.5 / QUANTA + 1e-6, "{node:?}");
        }
    }
}
