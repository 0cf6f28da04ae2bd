//! Tiles of the ground where it has been deformed.

use super::message::{Kind, Message, Writer};
use crate::grid::{TILE, TileKey};
use crate::ground::{GroundModel, Published, SampleGrid, surface_heights};
use std::collections::BTreeSet;

/// Nodes along the side of a tile as it is sent: its own, the next tile's first, and one more
/// all round for normals.
const SIDE: usize = TILE + 3;

/// Quanta of height, 1/m.
const QUANTA: f64 = 4000.0;

/// Which tiles have been sent already.
#[derive(Clone, Debug, Default)]
pub(super) struct GroundTiles {
    /// The merge up to which they were.
    merges: u64,
}

impl GroundTiles {
    /// A message of the tiles that have changed since the last, or of all when `afresh`: for
    /// somebody new, or after a leap in time. None when nothing has changed.
    pub fn message(
        &mut self,
        model: &GroundModel,
        published: &Published,
        time: f64,
        afresh: bool,
    ) -> Option<Message> {
        let since = if afresh { 0 } else { self.merges };
        self.merges = published.merges();
        let keys = changed(published, since);
        if keys.is_empty() && !afresh {
            return None;
        }
        let mut writer = Writer::new(Kind::Tiles);
        writer.u8(u8::from(afresh)).f64(time).u32(keys.len());
        for key in keys {
            tile(model, published, key, &mut writer);
        }
        Some(writer.finish())
    }
}

/// The tiles whose look has changed: a tile's rim shows its neighbours' nodes.
fn changed(published: &Published, since: u64) -> BTreeSet<TileKey> {
    let around = |key: TileKey| {
        (-1..=1).flat_map(move |da| {
            (-1..=1)
                .map(move |db| TileKey { a: key.a.saturating_add(da), b: key.b.saturating_add(db) })
        })
    };
    let touched = published.changed_since(since).flat_map(around);
    touched.filter(|key| published.tile(*key).is_some()).collect()
}

fn tile(model: &GroundModel, published: &Published, key: TileKey, writer: &mut Writer) {
    let spacing = model.lattice().spacing;
    let [x, y] = model.lattice().position(key.node(0));
    let origin = [x - spacing, y - spacing];
    let grid = SampleGrid { origin, spacing, columns: SIDE, rows: SIDE };
    let mut heights = [0.0; SIDE * SIDE];
    // the room is the grid's
    let _ = surface_heights(model, published, &grid, &mut heights);
    let datum = heights[SIDE * SIDE / 2];
    let middle = 0.5 * TILE as f64 * spacing;
    let soil = usize::from(model.terrain().soil(x + middle, y + middle).0);
    let last = model.soils().len().saturating_sub(1);
    writer.i32(key.a).i32(key.b).f32(datum).u32(soil.min(last));
    let quanta = |metres: f64| {
        (metres * QUANTA).round().clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16
    };
    for height in heights {
        writer.i16(quanta(height - datum));
    }
    for (at, height) in heights.iter().enumerate() {
        let [x, y] = grid.point(at % SIDE, at / SIDE);
        writer.i16(quanta(model.terrain().height(x, y) - height));
    }
}
