//! What bars the way through which cells: a river narrower than a cell is none that is crossed.

use super::config::BarrierKind;
use super::map_file::{MapFile, barrier};
use super::relief::Cells;
use crate::scenario::build;
use crate::terrain::Region;

/// What bars each cell: what lies about its middle, else a barrier that any part of it meets.
pub fn barred(map: &MapFile, cells: &Cells) -> Vec<Option<BarrierKind>> {
    let middles = (0..cells.count()).map(|cell| cells.centre(cell));
    let mut barred: Vec<Option<BarrierKind>> =
        middles.map(|[x, y]| barrier(map.barriers.soil(x, y))).collect();
    for own in &map.config.barrier {
        for piece in pieces(build::region(&own.area)) {
            let [columns, rows] = match piece.extent() {
                Some(corners) => cells.over(corners),
                None => [0..cells.columns, 0..cells.rows],
            };
            for row in rows {
                for column in columns.clone() {
                    let cell = row * cells.columns + column;
                    if barred[cell].is_none() && piece.meets(cells.square(cell)) {
                        barred[cell] = Some(own.kind);
                    }
                }
            }
        }
    }
    barred
}

/// What the cells' middles have not told of a region: of a polygon its sides, each over the cells
/// about it.
fn pieces(region: Region) -> Vec<Region> {
    let Region::Polygon(corners) = region else { return vec![region] };
    let ends = corners.iter().zip(corners.iter().cycle().skip(1));
    ends.map(|(from, to)| Region::Band { from: *from, to: *to, width: 0.0 }).collect()
}
