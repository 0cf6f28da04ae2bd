//! Chunks of the undisturbed terrain at several levels of detail.

use super::message::{EncodedMessage, MessageBuilder, MessageKind};
use bekker_ground::GroundModel;
use bekker_math::grid::TILE;
use serde::Deserialize;

/// Number of cells along the side of a chunk; at level 0 a cell is a tile of the ground.
pub(super) const CELLS: u32 = 64;

/// Coarsest level, with cells of 4096 tiles: 3 km at a spacing of 5 cm.
pub(super) const COARSEST: u32 = 12;

/// A square of terrain.
///
/// At `level` its cells are `2^level` tiles wide, and it begins at tile (`i`, `j`) times `CELLS
/// 2^level`.
///
/// Its message contains u8 level, i32 i, i32 j, f32 datum and f32 quantum. Then follow 65 x 65
/// heights (u16, in quanta above the datum, row by row along x) and as many soils (u8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Chunk {
    /// Level of detail, 0 the finest.
    pub level: u32,
    /// Column.
    pub i: i32,
    /// Row.
    pub j: i32,
}

/// The chunk is beyond the coarsest level or outside the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("chunk {i}, {j} at level {level}: levels must be at most {COARSEST}, indices at most 2^31")]
pub struct ChunkError {
    level: u32,
    i: i32,
    j: i32,
}

impl Chunk {
    /// Side of a chunk at a level, m.
    pub(super) fn side(model: &GroundModel, level: u32) -> f64 {
        f64::from(CELLS << level) * TILE as f64 * model.lattice().spacing
    }

    /// Minimum and maximum of x and of y, m.
    pub(super) fn bounds(&self, model: &GroundModel) -> [[f64; 2]; 2] {
        let side = Chunk::side(model, self.level);
        [self.i, self.j].map(|k| [f64::from(k) * side, (f64::from(k) + 1.0) * side])
    }

    /// The four chunks of the next finer level that cover the same square.
    pub(super) fn children(&self) -> impl Iterator<Item = Chunk> {
        let Chunk { level, i, j } = *self;
        let finer =
            move |k: i32| Chunk { level: level - 1, i: 2 * i + (k & 1), j: 2 * j + (k >> 1) };
        (0..if level > 0 { 4 } else { 0 }).map(finer)
    }

    /// Encodes the chunk as a message.
    ///
    /// # Errors
    /// [`ChunkError`] beyond the coarsest level or the lattice.
    pub fn message(&self, model: &GroundModel) -> Result<EncodedMessage, ChunkError> {
        let Chunk { level, i, j } = *self;
        let error = ChunkError { level, i, j };
        if level > COARSEST {
            return Err(error);
        }
        let tiles = i64::from(CELLS) << level;
        let in_lattice = |k: i32| (i64::from(k).abs() + 1) * tiles < i64::from(i32::MAX);
        if !(in_lattice(i) && in_lattice(j)) {
            return Err(error);
        }
        let [[west, east], [south, _]] = self.bounds(model);
        let cell = (east - west) / f64::from(CELLS);
        let corners = || (0..=CELLS).flat_map(|row| (0..=CELLS).map(move |column| (column, row)));
        let place = |(column, row): (u32, u32)| {
            [west + f64::from(column) * cell, south + f64::from(row) * cell]
        };
        let terrain = model.terrain();
        let heights: Vec<f64> = corners().map(place).map(|[x, y]| terrain.height(x, y)).collect();
        let [low, high] = heights
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], h| [a.min(*h), b.max(*h)]);
        let quantum = ((high - low) / 65_535.0).max(1e-4);
        let mut writer = MessageBuilder::new(MessageKind::Chunk);
        writer.u8(level as u8).i32(i).i32(j).f32(low).f32(quantum);
        for height in heights {
            writer.u16(((height - low) / quantum).round() as u16);
        }
        let last = model.soils().len().saturating_sub(1);
        for [x, y] in corners().map(place) {
            writer.u8(usize::from(terrain.soil(x, y).0).min(last).min(255) as u8);
        }
        Ok(writer.finish())
    }
}
