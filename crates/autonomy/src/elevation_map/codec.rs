//! Encoding of tiles as bytes, for messages and checkpoints.
//!
//! A run of unknown cells is encoded as its length. Other cells are encoded as flags, the
//! difference of the lowest return from that of the previous encoded cell, and the rise. All
//! numbers use seven bits per byte, the least significant first (LEB128), with signs folded in
//! (zigzag). A tile of half-seen ground takes about 2 kB instead of 12.

use super::cell::{EXPLORED, MapCell, UNSEEN};
use super::tile::{MapTile, TILE_CELLS};

/// Reasons why bytes are not a tile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The bytes end too early.
    #[error("a tile ends after {bytes} bytes, at cell {cell} of 1024")]
    Ends {
        /// Number of bytes.
        bytes: usize,
        /// Index of the next cell.
        cell: usize,
    },
    /// There are more bytes than the tile needs.
    #[error("{extra} extra bytes follow a tile")]
    Left {
        /// Number of excess bytes.
        extra: usize,
    },
    /// A cell has an invalid value.
    #[error("cell {cell} of a tile has {what}")]
    Cell {
        /// Index of the cell.
        cell: usize,
        /// Description of the fault.
        what: &'static str,
    },
}

/// Flag of a hole. The bits below it contain the number of returns, those above it the range class.
const HOLE: u64 = 4;

impl MapTile {
    /// Encodes the cells; equal cells give equal bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(self.cells(), &mut bytes);
        bytes
    }

    /// Decodes a tile.
    ///
    /// # Errors
    /// [`CodecError`] if the bytes are not a valid encoding.
    pub fn decode(bytes: &[u8]) -> Result<MapTile, CodecError> {
        Ok(MapTile::new(decode(bytes)?))
    }
}

fn encode(cells: &[MapCell; TILE_CELLS], bytes: &mut Vec<u8>) {
    let (mut at, mut level) = (0, 0);
    while at < TILE_CELLS {
        let empty = cells[at..].iter().take_while(|cell| **cell == MapCell::EMPTY).count();
        at += empty;
        write(empty as u64, bytes);
        let told = cells[at..].iter().take_while(|cell| **cell != MapCell::EMPTY).count();
        if at < TILE_CELLS {
            write(told as u64, bytes);
        }
        for cell in &cells[at..at + told] {
            let (returns, range) = (u64::from(cell.returns), u64::from(cell.range));
            let range = if cell.returns > 0 { 2 * HOLE * range } else { 0 };
            write(returns | if cell.hole { HOLE } else { 0 } | range, bytes);
            if cell.returns > 0 {
                let step = i64::from(cell.lowest) - level;
                write((step << 1 ^ step >> 63) as u64, bytes);
                write(cell.rise as u64, bytes);
                level = i64::from(cell.lowest);
            }
        }
        at += told;
    }
}

fn decode(bytes: &[u8]) -> Result<Box<[MapCell; TILE_CELLS]>, CodecError> {
    let mut cells = Box::new([MapCell::EMPTY; TILE_CELLS]);
    let (mut rest, mut at, mut level) = (bytes, 0, 0i64);
    let mut next =
        |cell: usize| read(&mut rest).ok_or(CodecError::Ends { bytes: bytes.len(), cell });
    let count = |number: u64, cell: usize| {
        let left = TILE_CELLS - cell;
        let fits = usize::try_from(number).ok().filter(|count| *count <= left);
        fits.ok_or(CodecError::Cell { cell, what: "a run beyond the last cell" })
    };
    while at < TILE_CELLS {
        at += count(next(at)?, at)?;
        if at == TILE_CELLS {
            break;
        }
        let told = count(next(at)?, at)?;
        if told == 0 {
            return Err(CodecError::Cell { cell: at, what: "a run of length 0" });
        }
        for cell in at..at + told {
            let flags = next(cell)?;
            let range = flags / (2 * HOLE);
            let most = if flags & 3 > 0 { u64::from(UNSEEN) - 1 } else { 0 };
            if flags == 0 || range > most || (flags & 3) > u64::from(EXPLORED) {
                return Err(CodecError::Cell { cell, what: "invalid flags" });
            }
            let (returns, hole) = ((flags & 3) as u8, flags & HOLE != 0);
            let mut own = MapCell { returns, hole, ..MapCell::EMPTY };
            if returns > 0 {
                own.range = range as u8;
                let folded = next(cell)?;
                let step = (folded >> 1) as i64 ^ -((folded & 1) as i64);
                let height = |value: Option<i64>| {
                    let value = value.and_then(|value| i32::try_from(value).ok());
                    value.ok_or(CodecError::Cell { cell, what: "a height out of range" })
                };
                own.lowest = height(level.checked_add(step))?;
                level = i64::from(own.lowest);
                let rise = next(cell)?;
                height(level.checked_add_unsigned(rise))?;
                own.rise = height(i64::try_from(rise).ok())?;
            }
            cells[cell] = own;
        }
        at += told;
    }
    if rest.is_empty() { Ok(cells) } else { Err(CodecError::Left { extra: rest.len() }) }
}

fn write(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads the next number; `None` if it is incomplete or exceeds 64 bits.
fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..70).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(first & 0x7f);
        if shift == 63 && part > 1 {
            return None;
        }
        number |= part << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Serialization of cells as bytes with `serde`.
pub(super) mod as_bytes {
    use super::{MapCell, TILE_CELLS, decode, encode};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(
        cells: &[MapCell; TILE_CELLS],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        encode(cells, &mut bytes);
        bytes.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Box<[MapCell; TILE_CELLS]>, D::Error> {
        decode(&Vec::<u8>::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
