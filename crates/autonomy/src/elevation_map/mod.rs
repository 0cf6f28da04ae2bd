//! Elevation map: a sparse grid of the lowest return of each cell and the rise of returns above it.
//!
//! This is the elevation grid of A. Rankin, A. Huertas and L. Matthies, "Stereo vision based
//! terrain mapping for off-road autonomous navigation" (SPIE 7332, 2009), as used by the study of
//! swarms in `docs/autonomy.md`. Maps merge by [`MapCell::merged`] in any order. Tiles are shared
//! between maps until one of them changes.

mod cell;
mod codec;
mod registration;
mod tile;

#[cfg(test)]
mod tests;

pub use cell::{EXPLORED, MapCell};
pub use codec::CodecError;
pub use registration::{RegistrationWindow, Scan};
pub use tile::{MapTile, MapTileKey, TILE, TILE_CELLS, index};

use bekker_math::spatial::Vec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Parameters of the map; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapModel {
    /// Side of a cell, m.
    pub cell: f64,
    /// Range beyond which returns do not count, m.
    ///
    /// There beams are far apart, and attitude errors appear as steps in the ground.
    pub range: f64,
    /// Resolution of heights, m; below the noise of the lidar the map would change with every scan.
    pub resolution: f64,
    /// Rise of the ground with distance up to which returns count as ground, not as overhead.
    pub overhead_slope: f64,
    /// Least width of a gap between neighboring beams that may be a hole, m.
    pub gap_width: f64,
    /// Depth of the ground behind a gap below that in front of it, m.
    pub gap_depth: f64,
    /// Least and greatest slope of the far wall of a hole.
    pub wall_slope: [f64; 2],
    /// Half side of the square around the vehicle outside which tiles are dropped, m, if any.
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

/// Elevation map of the ground that a vehicle has scanned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElevationMap {
    model: MapModel,
    #[serde(serialize_with = "write_tiles", deserialize_with = "read_tiles")]
    tiles: BTreeMap<MapTileKey, Arc<MapTile>>,
    /// Number of changes so far.
    tick: u64,
    /// Tick at which tiles were last dropped.
    forgotten: u64,
}

impl ElevationMap {
    /// Returns an empty map.
    pub fn new(model: MapModel) -> ElevationMap {
        ElevationMap { model, tiles: BTreeMap::new(), tick: 0, forgotten: 0 }
    }

    /// Parameters of the map.
    pub fn model(&self) -> &MapModel {
        &self.model
    }

    /// Number of changes so far; [`ElevationMap::changed_since`] lists what changed later.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Tick at which tiles were last dropped; 0 if never.
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// All tiles.
    pub fn tiles(&self) -> impl Iterator<Item = (&MapTileKey, &Arc<MapTile>)> {
        self.tiles.iter()
    }

    /// A tile, if anything is known of it.
    pub fn tile(&self, key: MapTileKey) -> Option<&Arc<MapTile>> {
        self.tiles.get(&key)
    }

    /// Tiles that changed after a tick.
    pub fn changed_since(&self, tick: u64) -> impl Iterator<Item = (&MapTileKey, &Arc<MapTile>)> {
        self.tiles.iter().filter(move |(_, tile)| tile.version() > tick)
    }

    /// Cell (column, row) at a position, m.
    #[inline]
    pub fn cell_of(&self, x: f64, y: f64) -> [i32; 2] {
        [(x / self.model.cell).floor() as i32, (y / self.model.cell).floor() as i32]
    }

    /// The cell at (column, row); [`MapCell::EMPTY`] if nothing is known of it.
    pub fn cell(&self, cell: [i32; 2]) -> MapCell {
        self.tiles
            .get(&MapTileKey::containing(cell))
            .map_or(MapCell::EMPTY, |tile| tile.cells()[index(cell)])
    }

    /// Height of the ground around a position, m; `None` where nothing was seen.
    ///
    /// It is the mean of the lowest returns of its cell and the eight neighbors.
    pub fn height(&self, [x, y]: [f64; 2]) -> Option<f64> {
        let [i, j] = self.cell_of(x, y);
        let around = (-1..=1).flat_map(|b| (-1..=1).map(move |a| [i + a, j + b]));
        let seen = around.map(|cell| self.cell(cell)).filter(|cell| cell.is_seen());
        let (count, sum) = seen.fold((0.0, 0.0), |(count, sum), cell| {
            (count + 1.0, sum + 1e-3 * f64::from(cell.lowest))
        });
        (count > 0.0).then(|| sum / count)
    }

    /// Merges a tile of another map; returns whether that changed this map.
    pub fn merge_tile(&mut self, key: MapTileKey, tile: &Arc<MapTile>) -> bool {
        let own = self.tiles.entry(key).or_default();
        let is_news = |(own, other): (&MapCell, &MapCell)| own.merged(*other) != *own;
        let news = !Arc::ptr_eq(own, tile) && own.cells().iter().zip(tile.cells()).any(is_news);
        if news {
            self.tick += 1;
            let cells = Arc::make_mut(own).cells_mut(self.tick);
            cells.iter_mut().zip(tile.cells()).for_each(|(own, other)| *own = own.merged(*other));
        }
        news
    }

    /// Merges another map; returns how many tiles changed.
    pub fn merge(&mut self, other: &ElevationMap) -> usize {
        other.tiles().filter(|(key, tile)| self.merge_tile(**key, tile)).count()
    }

    /// Hash of the map; only tiles changed since the last call are hashed again.
    pub fn digest(&self) -> u64 {
        let each = self.tiles.iter().map(|(key, tile)| {
            let place = u64::from(key.a as u32) << 32 | u64::from(key.b as u32);
            tile::fold(tile::fold(place) ^ tile.digest())
        });
        each.fold(0, u64::wrapping_add)
    }

    /// Number of explored cells and number of all cells whose centers lie in a rectangle.
    ///
    /// The rectangle is given by its minimum and maximum corners (x, y), m.
    pub fn explored(&self, [least, greatest]: [[f64; 2]; 2]) -> [usize; 2] {
        let middle = |x: f64| (x / self.model.cell + 0.5).floor() as i32;
        let [columns, rows] = [0, 1].map(|k| middle(least[k])..middle(greatest[k]));
        let within = |key: &MapTileKey, at: usize| {
            let [i, j] = key.first();
            columns.contains(&(i + (at % TILE) as i32)) && rows.contains(&(j + (at / TILE) as i32))
        };
        let explored = self.tiles.iter().map(|(key, tile)| {
            let cells = tile.cells().iter().enumerate();
            cells.filter(|(at, cell)| cell.is_explored() && within(key, *at)).count()
        });
        [explored.sum(), columns.len() * rows.len()]
    }

    /// Drops the tiles beyond the extent around a position.
    fn keep_extent(&mut self, center: &Vec3) {
        let Some(extent) = self.model.extent else { return };
        let side = self.model.cell * TILE as f64;
        let near = |tile: i32, x: f64| {
            let middle = (f64::from(tile) + 0.5) * side;
            (middle - x).abs() <= extent + 0.5 * side
        };
        let before = self.tiles.len();
        self.tiles.retain(|key, _| near(key.a, center.x) && near(key.b, center.y));
        if self.tiles.len() < before {
            self.tick += 1;
            self.forgotten = self.tick;
        }
    }
}

fn write_tiles<S: Serializer>(
    tiles: &BTreeMap<MapTileKey, Arc<MapTile>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(tiles.iter().map(|(key, tile)| (key, tile.as_ref())))
}

fn read_tiles<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<MapTileKey, Arc<MapTile>>, D::Error> {
    let tiles = Vec::<(MapTileKey, MapTile)>::deserialize(deserializer)?;
    Ok(tiles.into_iter().map(|(key, tile)| (key, Arc::new(tile))).collect())
}
