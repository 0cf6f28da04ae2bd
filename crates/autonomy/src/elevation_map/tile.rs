//! Tiles of cells.

use super::cell::Cell;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::OnceLock;

/// Cells along the side of a tile.
pub const TILE: usize = 32;
/// Cells of a tile.
pub const TILE_CELLS: usize = TILE * TILE;
const SHIFT: u32 = TILE.trailing_zeros();

/// Which tile: column along x and row along y.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TileKey {
    /// Column, counted along x.
    pub a: i32,
    /// Row, counted along y.
    pub b: i32,
}

impl TileKey {
    /// The tile of a cell (column, row).
    #[inline]
    pub fn of([i, j]: [i32; 2]) -> TileKey {
        TileKey { a: i >> SHIFT, b: j >> SHIFT }
    }

    /// Its first cell (column, row).
    #[inline]
    pub fn first(self) -> [i32; 2] {
        [self.a << SHIFT, self.b << SHIFT]
    }
}

/// Index of a cell within its tile, row by row.
#[inline]
pub fn index([i, j]: [i32; 2]) -> usize {
    let mask = TILE as i32 - 1;
    (((j & mask) << SHIFT) | (i & mask)) as usize
}

/// 32 x 32 cells, row by row.
#[derive(Clone, Debug)]
pub struct Tile {
    cells: Box<[Cell; TILE_CELLS]>,
    /// Tick of the map at which it changed last.
    version: u64,
    digest: OnceLock<u64>,
    coded_bytes: OnceLock<u64>,
}

impl Default for Tile {
    fn default() -> Self {
        Tile::new(Box::new([Cell::EMPTY; TILE_CELLS]))
    }
}

/// Two tiles are the same that know the same, whenever they have learnt it.
impl PartialEq for Tile {
    fn eq(&self, other: &Tile) -> bool {
        self.cells == other.cells
    }
}

impl Tile {
    /// Of these cells.
    pub fn new(cells: Box<[Cell; TILE_CELLS]>) -> Tile {
        Tile { cells, version: 0, digest: OnceLock::new(), coded_bytes: OnceLock::new() }
    }

    /// Its cells, row by row.
    pub fn cells(&self) -> &[Cell; TILE_CELLS] {
        &self.cells
    }

    /// Tick of its map at which it changed last.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How many of its cells are explored.
    pub fn explored(&self) -> usize {
        self.cells.iter().filter(|cell| cell.is_explored()).count()
    }

    /// A mix of all that it knows, computed once a change.
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

    /// Bytes that it is coded in ([`Tile::encode`]), counted once a change.
    pub fn coded_bytes(&self) -> u64 {
        *self.coded_bytes.get_or_init(|| self.encode().len() as u64)
    }

    /// The cells, to be changed at this tick of the map.
    pub(super) fn cells_mut(&mut self, tick: u64) -> &mut [Cell; TILE_CELLS] {
        self.version = tick;
        (self.digest, self.coded_bytes) = (OnceLock::new(), OnceLock::new());
        &mut self.cells
    }
}

/// Mixes a word: the halves of its product with the digits of π, folded, and its own digits.
#[inline]
pub(super) fn fold(word: u64) -> u64 {
    let product = u128::from(word ^ 0x243f_6a88_85a3_08d3) * 0x1319_8a2e_0370_7345_u128;
    ((product >> 64) as u64 ^ product as u64).wrapping_add(word.rotate_left(23))
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u64,
    #[serde(with = "super::codec::as_bytes")]
    cells: Box<[Cell; TILE_CELLS]>,
}

impl Serialize for Tile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Stored { version: self.version, cells: self.cells.clone() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tile, D::Error> {
        let Stored { version, cells } = Stored::deserialize(deserializer)?;
        Ok(Tile { version, ..Tile::new(cells) })
    }
}
