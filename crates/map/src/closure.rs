//! Closed cells: those that touch a barrier, however narrow it is, or a gap in the elevation model.

use super::cell_metrics::Reason;
use super::cells::Cells;
use super::config::BarrierKind;
use super::map_file::{MapFile, barrier};
use bekker_scenario::build;
use bekker_scenario::config::AreaConfig;
use std::collections::BTreeSet;

/// Reason why no vehicle crosses a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellClosure {
    /// A barrier of the map's file.
    Barrier(BarrierKind),
    /// No elevation data in the cell, or within the extent of a vehicle that crosses it.
    NoData,
}

impl CellClosure {
    /// Returns the reason that a map reports.
    pub(super) fn reason(self) -> Reason {
        match self {
            CellClosure::Barrier(BarrierKind::Water) => Reason::Water,
            CellClosure::Barrier(BarrierKind::Obstacle) => Reason::Obstacle,
            CellClosure::NoData => Reason::NoData,
        }
    }
}

/// Returns the cells that an area touches.
fn touched_cells(area: &AreaConfig, cells: &Cells) -> Vec<usize> {
    let region = build::region(area);
    let [columns, rows] = match region.extent() {
        Some(corners) => cells.ranges_over(corners),
        None => [0..cells.columns, 0..cells.rows],
    };
    rows.flat_map(|row| columns.clone().map(move |column| row * cells.columns + column))
        .filter(|cell| region.intersects(cells.square(*cell)))
        .collect()
}

/// Returns the cells that a bridge or a ford opens to the vehicle.
pub(super) fn opened_cells(map: &MapFile, cells: &Cells) -> BTreeSet<usize> {
    let open = map.config.crossing.iter().filter(|own| map.obstruction(own).is_none());
    open.flat_map(|own| touched_cells(own.area(), cells)).collect()
}

/// Returns the closure of each cell.
///
/// A bridge or a ford that the vehicle can cross opens the cells that it touches. Missing elevation data within reach takes precedence, then the barrier at the center of the
/// cell, then any barrier that touches it.
pub fn closures(map: &MapFile, cells: &Cells) -> Vec<Option<CellClosure>> {
    let centers = (0..cells.count()).map(|cell| cells.center(cell));
    let mut closures: Vec<Option<CellClosure>> =
        centers.map(|[x, y]| barrier(map.barriers.soil(x, y)).map(CellClosure::Barrier)).collect();
    for own in &map.config.barrier {
        for cell in touched_cells(&own.area, cells) {
            closures[cell].get_or_insert(CellClosure::Barrier(own.kind));
        }
    }
    for cell in opened_cells(map, cells) {
        closures[cell] = None;
    }
    if let Some(gaps) = map.land.terrain.gaps() {
        // half a cell of the elevation model: nearer to a gap, heights are interpolated with filled
        // values
        let margin = gaps.cell_size().map(|size| map.vehicle_radius() + 0.5 * size);
        for (cell, own) in closures.iter_mut().enumerate() {
            let [west, south, east, north] = cells.square(cell);
            let [x, y] = margin;
            if gaps.intersects([west - x, south - y, east + x, north + y]) {
                *own = Some(CellClosure::NoData);
            }
        }
    }
    closures
}
