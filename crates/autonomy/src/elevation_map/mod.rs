//! The map: a sparse grid of the lowest return of each cell and of how far returns rose above it.
//!
//! The elevation grid of A. Rankin, A. Huertas and L. Matthies, "Stereo vision based terrain
//! mapping for off-road autonomous navigation" (SPIE 7332, 2009), as the study of swarms in
//! `docs/autonomy.md` uses it. Maps merge by [`Cell::merged`] in any order; tiles are shared
//! between maps until one of them changes.

mod cell;
mod codec;
mod registration;
mod tile;

#[cfg(test)]
mod tests;

pub use cell::{Cell, EXPLORED};
pub use codec::CodecError;
pub use registration::{Scan, Window};
pub use tile::{TILE, TILE_CELLS, Tile, TileKey, index};

use bekker_math::spatial::Vec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How scans become a map; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapModel {
    /// Side of a cell, m.
    pub cell: f64,
    /// Range beyond which returns do not count, m: there beams are far apart, and errors of the
    /// attitude are steps in the ground.
    pub range: f64,
    /// What heights are rounded to, m: less than a lidar's noise would let the map never rest.
    pub resolution: f64,
    /// Rise of the ground with distance that is still taken for ground, not for what hangs
    /// overhead.
    pub overhead_slope: f64,
    /// Least width of a gap between neighbouring beams that may be a hole, m.
    pub gap_width: f64,
    /// How much lower than the ground before a gap what lies behind it must be, m.
    pub gap_depth: f64,
    /// Least and greatest slope of a hole's far wall.
    pub wall_slope: [f64; 2],
    /// Half side of the square about the vehicle out of which tiles are forgotten, m, if any.
    pub extent: Option<f64>,
}

impl Default for MapModel {
    fn default() -> Self {
        MapModel {
            cell: 0.5,
            range: 30.0,
            resolution: 0.02,
            overhead_slope: 0.15,
            gap_width: 1.0,
            gap_depth: 0.3,
            wall_slope: [0.5, 1.4],
            extent: None,
        }
    }
}

/// What a vehicle has seen of the ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElevationMap {
    model: MapModel,
    #[serde(serialize_with = "write_tiles", deserialize_with = "read_tiles")]
    tiles: BTreeMap<TileKey, Arc<Tile>>,
    /// Counts the changes.
    tick: u64,
    /// Count at which tiles were forgotten last.
    forgotten: u64,
}

impl ElevationMap {
    /// A map of nothing yet.
    pub fn new(model: MapModel) -> ElevationMap {
        ElevationMap { model, tiles: BTreeMap::new(), tick: 0, forgotten: 0 }
    }

    /// How it is made.
    pub fn model(&self) -> &MapModel {
        &self.model
    }

    /// Its count of changes; [`ElevationMap::changed_since`] tells what came later.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Its count of changes when it forgot tiles last; 0 if never.
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// All tiles.
    pub fn tiles(&self) -> impl Iterator<Item = (&TileKey, &Arc<Tile>)> {
        self.tiles.iter()
    }

    /// A tile, if anything is known of it.
    pub fn tile(&self, key: TileKey) -> Option<&Arc<Tile>> {
        self.tiles.get(&key)
    }

    /// The tiles that have changed after a tick.
    pub fn changed_since(&self, tick: u64) -> impl Iterator<Item = (&TileKey, &Arc<Tile>)> {
        self.tiles.iter().filter(move |(_, tile)| tile.version() > tick)
    }

    /// The cell (column, row) of a place, m.
    #[inline]
    pub fn cell_of(&self, x: f64, y: f64) -> [i32; 2] {
        [(x / self.model.cell).floor() as i32, (y / self.model.cell).floor() as i32]
    }

    /// What is known of a cell (column, row).
    pub fn cell(&self, cell: [i32; 2]) -> Cell {
        self.tiles.get(&TileKey::of(cell)).map_or(Cell::EMPTY, |tile| tile.cells()[index(cell)])
    }

    /// Height of the ground about a place, m: the mean of the lowest returns of its cell and the eight
    /// about that; none where none of them was seen.
    pub fn height(&self, [x, y]: [f64; 2]) -> Option<f64> {
        let [i, j] = self.cell_of(x, y);
        let around = (-1..=1).flat_map(|b| (-1..=1).map(move |a| [i + a, j + b]));
        let seen = around.map(|cell| self.cell(cell)).filter(|cell| cell.is_seen());
        let (count, sum) = seen.fold((0.0, 0.0), |(count, sum), cell| {
            (count + 1.0, sum + 1e-3 * f64::from(cell.lowest))
        });
        (count > 0.0).then(|| sum / count)
    }

    /// Merges what another knows of a tile; whether that was news.
    pub fn merge_tile(&mut self, key: TileKey, tile: &Arc<Tile>) -> bool {
        let own = self.tiles.entry(key).or_default();
        let is_news = |(own, other): (&Cell, &Cell)| own.merged(*other) != *own;
        let news = !Arc::ptr_eq(own, tile) && own.cells().iter().zip(tile.cells()).any(is_news);
        if news {
            self.tick += 1;
            let cells = Arc::make_mut(own).cells_mut(self.tick);
            cells.iter_mut().zip(tile.cells()).for_each(|(own, other)| *own = own.merged(*other));
        }
        news
    }

    /// Merges what another map knows; how many tiles had news.
    pub fn merge(&mut self, other: &ElevationMap) -> usize {
        other.tiles().filter(|(key, tile)| self.merge_tile(**key, tile)).count()
    }

    /// A mix of all that it knows; costs what has changed since it was asked last.
    pub fn digest(&self) -> u64 {
        let each = self.tiles.iter().map(|(key, tile)| {
            let place = u64::from(key.a as u32) << 32 | u64::from(key.b as u32);
            tile::fold(tile::fold(place) ^ tile.digest())
        });
        each.fold(0, u64::wrapping_add)
    }

    /// How many cells with their middle in a rectangle are explored, and how many there are:
    /// corners (x, y) with the least and the greatest coordinates, m.
    pub fn explored(&self, [least, greatest]: [[f64; 2]; 2]) -> [usize; 2] {
        let middle = |x: f64| (x / self.model.cell + 0.5).floor() as i32;
        let [columns, rows] = [0, 1].map(|k| middle(least[k])..middle(greatest[k]));
        let within = |key: &TileKey, at: usize| {
            let [i, j] = key.first();
            columns.contains(&(i + (at % TILE) as i32)) && rows.contains(&(j + (at / TILE) as i32))
        };
        let explored = self.tiles.iter().map(|(key, tile)| {
            let cells = tile.cells().iter().enumerate();
            cells.filter(|(at, cell)| cell.is_explored() && within(key, *at)).count()
        });
        [explored.sum(), columns.len() * rows.len()]
    }

    /// Forgets the tiles beyond the extent about a place.
    fn keep_extent(&mut self, centre: &Vec3) {
        let Some(extent) = self.model.extent else { return };
        let side = self.model.cell * TILE as f64;
        let near = |tile: i32, x: f64| {
            let middle = (f64::from(tile) + 0.5) * side;
            (middle - x).abs() <= extent + 0.5 * side
        };
        let before = self.tiles.len();
        self.tiles.retain(|key, _| near(key.a, centre.x) && near(key.b, centre.y));
        if self.tiles.len() < before {
            self.tick += 1;
            self.forgotten = self.tick;
        }
    }
}

fn write_tiles<S: Serializer>(
    tiles: &BTreeMap<TileKey, Arc<Tile>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(tiles.iter().map(|(key, tile)| (key, tile.as_ref())))
}

fn read_tiles<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<TileKey, Arc<Tile>>, D::Error> {
    let tiles = Vec::<(TileKey, Tile)>::deserialize(deserializer)?;
    Ok(tiles.into_iter().map(|(key, tile)| (key, Arc::new(tile))).collect())
}
