//! What bars the way through which cells: a river narrower than a cell is none that is crossed.

use super::config::BarrierKind;
use super::map_file::{MapFile, barrier};
use super::relief::Cells;
use crate::scenario::build;

/// What bars each cell: what lies about its middle, else a barrier that any part of it meets.
pub fn barred(map: &MapFile, cells: &Cells) -> Vec<Option<BarrierKind>> {
    let middles = (0..cells.count()).map(|cell| cells.centre(cell));
    let mut barred: Vec<Option<BarrierKind>> =
        middles.map(|[x, y]| barrier(map.barriers.soil(x, y))).collect();
    for own in &map.config.barrier {
        let region = build::region(&own.area);
        let [columns, rows] = match region.extent() {
            Some(corners) => cells.over(corners),
            None => [0..cells.columns, 0..cells.rows],
        };
        for cell in
            rows.flat_map(|row| columns.clone().map(move |column| row * cells.columns + column))
        {
            if barred[cell].is_none() && region.meets(cells.square(cell)) {
                barred[cell] = Some(own.kind);
            }
        }
    }
    barred
}
