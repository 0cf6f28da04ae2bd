//! Tiles of cells.

use super::cell::MapCell;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::OnceLock;

/// Number of cells along the side of a tile.
pub const TILE: usize = 32;
/// Number of cells of a tile.
pub const TILE_CELLS: usize = TILE * TILE;
const SHIFT: u32 = TILE.trailing_zeros();

/// Index of a tile in the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MapTileKey {
    /// Column, counted along x.
    pub a: i32,
    /// Row, counted along y.
    pub b: i32,
}

impl MapTileKey {
    /// Key of the tile that contains a cell (column, row).
    #[inline]
    pub fn containing([i, j]: [i32; 2]) -> MapTileKey {
        MapTileKey { a: i >> SHIFT, b: j >> SHIFT }
    }

    /// First cell (column, row) of the tile.
    #[inline]
    pub fn first(self) -> [i32; 2] {
        [self.a << SHIFT, self.b << SHIFT]
    }
}

/// Index of a cell within its tile, in row-major order.
#[inline]
pub fn index([i, j]: [i32; 2]) -> usize {
    let mask = TILE as i32 - 1;
    (((j & mask) << SHIFT) | (i & mask)) as usize
}

/// 32 x 32 cells, row by row.
#[derive(Clone, Debug)]
pub struct MapTile {
    cells: Box<[MapCell; TILE_CELLS]>,
    /// Tick of the map at the last change.
    version: u64,
    digest: OnceLock<u64>,
    coded_bytes: OnceLock<u64>,
}

impl Default for MapTile {
    fn default() -> Self {
        MapTile::new(Box::new([MapCell::EMPTY; TILE_CELLS]))
    }
}

/// Tiles are equal if their cells are, regardless of when these changed.
impl PartialEq for MapTile {
    fn eq(&self, other: &MapTile) -> bool {
        self.cells == other.cells
    }
}

impl MapTile {
    /// Returns a tile of these cells.
    pub fn new(cells: Box<[MapCell; TILE_CELLS]>) -> MapTile {
        MapTile { cells, version: 0, digest: OnceLock::new(), coded_bytes: OnceLock::new() }
    }

    /// Cells of the tile, row by row.
    pub fn cells(&self) -> &[MapCell; TILE_CELLS] {
        &self.cells
    }

    /// Tick of the map at the last change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Number of explored cells.
    pub fn explored(&self) -> usize {
        self.cells.iter().filter(|cell| cell.is_explored()).count()
    }

    /// Hash of the cells, cached until the next change.
    pub fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| {
            let words = self.cells.iter().flat_map(|cell| {
                let heights = u64::from(cell.lowest as u32) << 32 | u64::from(cell.rise as u32);
                [
                    heights,
                    u64::from(cell.range) << 8
                        | u64::from(cell.returns) << 1
                        | u64::from(cell.hole),
                ]
            });
            words.fold(0, |digest, word| fold(digest ^ word))
        })
    }

    /// Length of the encoding by [`MapTile::encode`], bytes, cached until the next change.
    pub fn coded_bytes(&self) -> u64 {
        *self.coded_bytes.get_or_init(|| self.encode().len() as u64)
    }

    /// Returns the cells for a change at this tick of the map.
    pub(super) fn cells_mut(&mut self, tick: u64) -> &mut [MapCell; TILE_CELLS] {
        self.version = tick;
        (self.digest, self.coded_bytes) = (OnceLock::new(), OnceLock::new());
        &mut self.cells
    }
}

/// Mixes a word: both halves of its product with digits of π, and the rotated word.
#[inline]
pub(super) fn fold(word: u64) -> u64 {
    let product = u128::from(word ^ 0x243f_6a88_85a3_08d3) * 0x1319_8a2e_0370_7345_u128;
    ((product >> 64) as u64 ^ product as u64).wrapping_add(word.rotate_left(23))
}

#[derive(Serialize, Deserialize)]
struct StoredTile {
    version: u64,
    #[serde(with = "super::codec::as_bytes")]
    cells: Box<[MapCell; TILE_CELLS]>,
}

impl Serialize for MapTile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        StoredTile { version: self.version, cells: self.cells.clone() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MapTile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MapTile, D::Error> {
        let StoredTile { version, cells } = StoredTile::deserialize(deserializer)?;
        Ok(MapTile { version, ..MapTile::new(cells) })
    }
}
