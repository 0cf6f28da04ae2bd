//! Costs of driving over cells.
//!
//! The pipeline has three stages. Each fine cell of the map gets a [`CellClass`]. From the classes
//! follows the clearance of each fine cell, which is the distance to the nearest blocked cell. From
//! classes, clearances, slopes and marks follows the cost of the coarse cells, over which the route
//! is searched.
//!
//! Everything is derived lazily: [`CostMap::apply_changes`] marks changed tiles as stale, and
//! [`CostMap::refresh`] recomputes those that are requested. The result depends only on the map and
//! the marks, not on the order or size of the updates.

#[cfg(test)]
mod tests;

use super::area::MapArea;
use super::elevation_map::{ElevationMap, MapTileKey, TILE, TILE_CELLS};
use super::obstacles::{CellClass, ObstacleModel};
use bekker_ground::terrain::Gaps;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Number of fine cells along the side of a coarse cell.
pub const COARSE: usize = 2;
/// Cost of one meter over free level ground.
pub const UNIT: u16 = 100;
/// Cost of a cell that cannot be driven over.
pub const IMPASSABLE: u16 = 0;
/// Clearance units per meter.
const PER_METER: f64 = 50.0;
/// Search radius for clearances, in fine cells. [`REACH_OF_SMALL`] applies to cells smaller than
/// [`USUAL`], m.
///
/// Either covers 3 m: 6 cells of 0.5 m or 30 cells of 0.1 m.
const REACH: usize = 6;
const REACH_OF_SMALL: usize = 30;
const USUAL: f64 = 0.5;

/// Bits of what is stale in a tile.
const CLASSES: u8 = 1;
const CLEARANCES: u8 = 2;
const COSTS: u8 = 4;

/// Weights that raise the cost of ground; immutable.
///
/// Each term adds to the cost of 1 of free level ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostModel {
    /// Added where nothing has been seen.
    pub unknown: f64,
    /// Added for a slope of 1.
    pub slope: f64,
    /// Added at the smallest passable clearance; it falls off quadratically to 0 over `comfort`.
    pub near: f64,
    /// Required clearance beyond half the width of the vehicle, m.
    pub margin: f64,
    /// Clearance beyond the required one from which nothing is added for proximity, m.
    pub comfort: f64,
    /// Added for a measured wheel slip of 1; 0 for a navigator that ignores the soil.
    pub slip: f64,
    /// Added for a measured sinkage of 1 m.
    pub sinkage: f64,
    /// Radius around the position of a slip or sinkage measurement in which it counts, m.
    pub felt_radius: f64,
}

impl Default for CostModel {
    fn default() -> Self {
        CostModel {
            unknown: 0.2,
            slope: 2.0,
            near: 1.0,
            margin: 0.3,
            comfort: 1.2,
            slip: 0.0,
            sinkage: 0.0,
            felt_radius: 3.0,
        }
    }
}

/// A disk of ground that is expensive for a reason that the map does not show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostPenalty {
    /// Center, m.
    pub place: [f64; 2],
    /// Radius, m.
    pub radius: f64,
    /// Added to the cost of 1.
    pub cost: f64,
}

/// Inputs from which classes, clearances and costs are computed.
#[derive(Clone, Copy)]
pub struct CostInputs<'a> {
    /// Elevation map.
    pub map: &'a ElevationMap,
    /// Model that classifies cells.
    pub obstacles: &'a ObstacleModel,
    /// Weights of the costs.
    pub costs: &'a CostModel,
    /// Half the vehicle's width, m.
    pub half_width: f64,
}

/// A tile and its eight neighbors.
fn neighborhood(MapTileKey { a, b }: MapTileKey) -> impl Iterator<Item = MapTileKey> + Clone {
    (-1..=1).flat_map(move |i| (-1..=1).map(move |j| MapTileKey { a: a + i, b: b + j }))
}

/// Classes, clearances and costs over an area.
///
/// Callers must refresh the tiles around a position before they query it.
#[derive(Clone, Debug)]
pub struct CostMap {
    area: MapArea,
    /// Minimum and maximum corners, m; cells whose center lies outside are obstacles.
    bounds: Option<[[f64; 2]; 2]>,
    /// Cells whose center lies in a gap of the elevation data are obstacles too.
    gaps: Option<Arc<Gaps>>,
    /// Side of a fine cell, m.
    cell: f64,
    classes: Vec<CellClass>,
    slopes: Vec<u8>,
    clearances: Vec<u8>,
    /// Cost added by marks per coarse cell, in units of [`UNIT`].
    marked: Vec<u16>,
    costs: Vec<u16>,
    /// Stale bits of each tile, row by row.
    stale: Vec<u8>,
    /// Tick of the map and number of marks up to which this map is updated.
    up_to: u64,
    marks: usize,
}

impl CostMap {
    /// A cost map of unseen ground.
    ///
    /// Ground outside the bounds (minimum and maximum corners, m) is blocked.
    pub fn new(
        area: MapArea,
        bounds: Option<[[f64; 2]; 2]>,
        cell: f64,
        model: &CostModel,
    ) -> CostMap {
        let count = area.width() * area.height();
        let coarse = count / (COARSE * COARSE);
        let unknown = (f64::from(UNIT) * (1.0 + model.unknown)) as u16;
        CostMap {
            area,
            bounds,
            gaps: None,
            cell,
            classes: vec![CellClass::Unknown; count],
            slopes: vec![0; count],
            clearances: vec![u8::MAX; count],
            marked: vec![0; coarse],
            costs: vec![unknown; coarse],
            stale: vec![0; area.columns * area.rows],
            up_to: 0,
            marks: 0,
        }
    }

    /// Returns the cost map with ground without elevation data blocked.
    #[must_use]
    pub fn with_gaps(mut self, gaps: Option<Arc<Gaps>>) -> CostMap {
        self.gaps = gaps;
        self
    }

    /// Area that the map covers.
    pub fn area(&self) -> &MapArea {
        &self.area
    }

    /// Number of coarse cells along x and y.
    pub fn size(&self) -> [usize; 2] {
        [self.area.width() / COARSE, self.area.height() / COARSE]
    }

    /// Costs per meter of the coarse cells, row by row, in units of [`UNIT`]; or [`IMPASSABLE`].
    pub fn costs(&self) -> &[u16] {
        &self.costs
    }

    /// Side of a coarse cell, m.
    pub fn side(&self) -> f64 {
        self.cell * COARSE as f64
    }

    /// Index of the coarse cell at a position, m, if it lies in the area.
    pub fn coarse_index(&self, [x, y]: [f64; 2]) -> Option<usize> {
        let [i0, j0] = self.area.corner().map(|at| f64::from(at) * self.cell);
        let side = self.side();
        let (i, j) = (((x - i0) / side).floor(), ((y - j0) / side).floor());
        let [width, height] = self.size();
        let inside = i >= 0.0 && j >= 0.0 && i < width as f64 && j < height as f64;
        inside.then(|| j as usize * width + i as usize)
    }

    /// Center of a coarse cell, m.
    pub fn middle(&self, coarse: usize) -> [f64; 2] {
        let [width, _] = self.size();
        let [i0, j0] = self.area.corner().map(|at| f64::from(at) * self.cell);
        let side = self.side();
        [i0 + side * ((coarse % width) as f64 + 0.5), j0 + side * ((coarse / width) as f64 + 0.5)]
    }

    /// Cost per meter at a position, m; [`IMPASSABLE`] outside the area.
    pub fn cost(&self, place: [f64; 2]) -> u16 {
        self.coarse_index(place).map_or(IMPASSABLE, |at| {
            let [width, _] = self.size();
            let fine = at / width * COARSE * self.area.width() + at % width * COARSE;
            debug_assert!(self.is_fresh(fine, CLASSES | CLEARANCES | COSTS));
            self.costs[at]
        })
    }

    #[inline]
    fn fine_index(&self, [x, y]: [f64; 2]) -> Option<usize> {
        self.area.index([(x / self.cell).floor() as i32, (y / self.cell).floor() as i32])
    }

    /// Class of the fine cell at a position, m; an obstacle outside the area.
    #[inline]
    pub fn class(&self, place: [f64; 2]) -> CellClass {
        self.fine_index(place).map_or(CellClass::Obstacle, |at| {
            debug_assert!(self.is_fresh(at, CLASSES));
            self.classes[at]
        })
    }

    /// Classes of all fine cells of the area, row by row.
    pub fn classes(&self) -> &[CellClass] {
        &self.classes
    }

    /// Distance from the fine cell at a position, m, to the edge of the nearest blocked cell, m.
    ///
    /// Saturates at a few meters; 0 outside the area.
    #[inline]
    pub fn clearance(&self, place: [f64; 2]) -> f64 {
        self.fine_index(place).map_or(0.0, |at| {
            debug_assert!(self.is_fresh(at, CLASSES | CLEARANCES));
            f64::from(self.clearances[at]) / PER_METER
        })
    }

    /// Distance from a position, m, to the nearest point of a blocked cell, m.
    ///
    /// Where the distance cannot be below `needed`, it returns the value of [`CostMap::clearance`],
    /// which is faster to compute.
    pub fn distance(&self, [x, y]: [f64; 2], needed: f64) -> f64 {
        let rough = self.clearance([x, y]);
        // The clearance is center to center less half a cell side. A position and a corner are each
        // up to half a diagonal from their centers. So the true distance is at most 0.91 sides
        // shorter and 0.21 sides longer.
        if rough - self.cell >= needed || self.fine_index([x, y]).is_none() {
            return rough;
        }
        let reach = rough + self.cell;
        let cells = |at: f64| {
            let [first, last] = [at - reach, at + reach].map(|at| (at / self.cell).floor() as i32);
            first..=last
        };
        let gap = |at: f64, cell: i32| {
            let low = f64::from(cell) * self.cell;
            (low - at).max(at - low - self.cell).max(0.0)
        };
        let mut least = reach * reach;
        for j in cells(y) {
            let dy = gap(y, j);
            for i in cells(x) {
                let dx = gap(x, i);
                let square = dx * dx + dy * dy;
                if square < least
                    && self.area.index([i, j]).is_some_and(|at| self.classes[at].is_blocked())
                {
                    least = square;
                }
            }
        }
        least.sqrt()
    }

    /// Marks as stale what changed in the map and what new marks cover.
    pub fn apply_changes(&mut self, map: &ElevationMap, marks: &[CostPenalty]) {
        let is_new = self.up_to == 0;
        for (key, _) in map.changed_since(self.up_to) {
            // the class of a cell depends on cells of the neighboring tiles
            self.invalidate_around(*key, CLASSES | COSTS);
        }
        self.up_to = map.tick();
        if is_new && self.bounds.is_some() {
            for key in self.area.rim() {
                if let Some(at) = self.tile(key) {
                    self.stale[at] |= CLASSES | COSTS;
                }
            }
        }
        if let Some(gaps) = self.gaps.clone().filter(|_| is_new) {
            let MapArea { first, columns, rows } = self.area;
            for at in 0..columns * rows {
                let (a, b) = (first.a + (at % columns) as i32, first.b + (at / columns) as i32);
                let key = MapTileKey { a, b };
                let [x, y] = key.first().map(|least| f64::from(least) * self.cell);
                let side = TILE as f64 * self.cell;
                if gaps.intersects([x, y, x + side, y + side]) {
                    self.invalidate_around(key, CLASSES | COSTS);
                }
            }
        }
        self.mark(marks);
    }

    /// Recomputes stale data of the requested tiles. Returns the number of tiles whose classes were
    /// recomputed.
    pub fn refresh(
        &mut self,
        cost_inputs: &CostInputs<'_>,
        wanted: impl Iterator<Item = MapTileKey> + Clone,
    ) -> usize {
        // the clearance of a cell depends on classes of the neighboring tiles
        let around = wanted.clone().flat_map(neighborhood);
        let count = self.refresh_classes(cost_inputs, around);
        for key in wanted {
            let Some(at) = self.tile(key) else { continue };
            if self.stale[at] & CLEARANCES != 0 {
                self.clear(key);
            }
            if self.stale[at] & COSTS != 0 {
                self.compute_costs(key, cost_inputs.costs, cost_inputs.half_width);
            }
            self.stale[at] = 0;
        }
        count
    }

    /// Recomputes everything that is stale; returns for how many tiles the classes were recomputed.
    pub fn refresh_all(&mut self, cost_inputs: &CostInputs<'_>) -> usize {
        let MapArea { first, columns, rows } = self.area;
        let keys = (0..columns * rows).map(move |at| MapTileKey {
            a: first.a + (at % columns) as i32,
            b: first.b + (at / columns) as i32,
        });
        self.refresh(cost_inputs, keys)
    }

    /// Recomputes the stale classes of the wanted tiles; returns for how many tiles.
    pub fn refresh_classes(
        &mut self,
        cost_inputs: &CostInputs<'_>,
        wanted: impl Iterator<Item = MapTileKey>,
    ) -> usize {
        let mut count = 0;
        for key in wanted {
            let Some(at) = self.tile(key).filter(|at| self.stale[*at] & CLASSES != 0) else {
                continue;
            };
            self.stale[at] &= !CLASSES;
            count += 1;
            if self.classify(cost_inputs.map, key, cost_inputs.obstacles) {
                self.invalidate_around(key, CLEARANCES | COSTS);
            }
        }
        count
    }

    /// Tile that contains a position, m.
    pub fn tile_of(&self, [x, y]: [f64; 2]) -> MapTileKey {
        MapTileKey::containing([x, y].map(|at| (at / self.cell).floor() as i32))
    }

    /// Index of a tile inside the area.
    #[inline]
    fn tile(&self, key: MapTileKey) -> Option<usize> {
        let MapArea { first, columns, .. } = self.area;
        let at = || (key.b - first.b) as usize * columns + (key.a - first.a) as usize;
        self.area.has(key).then(at)
    }

    /// Marks something as stale in a tile and its eight neighbors.
    fn invalidate_around(&mut self, key: MapTileKey, what: u8) {
        for key in neighborhood(key) {
            if let Some(at) = self.tile(key) {
                self.stale[at] |= what;
            }
        }
    }

    /// Returns whether the given data of a fine cell's tile is up to date with the map and the
    /// marks.
    #[inline]
    fn is_fresh(&self, fine: usize, what: u8) -> bool {
        let (i, j) = (fine % self.area.width(), fine / self.area.width());
        self.stale[j / TILE * self.area.columns + i / TILE] & what == 0
    }

    /// Index of the first fine cell of a tile inside the area.
    fn corner(&self, key: MapTileKey) -> usize {
        let (a, b) = (key.a - self.area.first.a, key.b - self.area.first.b);
        b as usize * TILE * self.area.width() + a as usize * TILE
    }

    /// Computes the classes of a tile; returns whether any cell became blocked or unblocked.
    fn classify(&mut self, map: &ElevationMap, key: MapTileKey, obstacles: &ObstacleModel) -> bool {
        let mut found = obstacles.classify(map, key);
        self.close(key, &mut found.classes);
        let (corner, width) = (self.corner(key), self.area.width());
        let mut toggled = false;
        for row in 0..TILE {
            let own = corner + row * width..corner + row * width + TILE;
            let fresh = row * TILE..(row + 1) * TILE;
            let classes = &mut self.classes[own.clone()];
            let pairs = classes.iter().zip(&found.classes[fresh.clone()]);
            toggled |= pairs.into_iter().any(|(own, new)| own.is_blocked() != new.is_blocked());
            classes.copy_from_slice(&found.classes[fresh.clone()]);
            self.slopes[own].copy_from_slice(&found.slopes[fresh]);
        }
        toggled
    }

    /// Turns cells of a tile into obstacles where they lie out of bounds or have no elevation data.
    fn close(&self, key: MapTileKey, classes: &mut [CellClass; TILE_CELLS]) {
        if self.bounds.is_none() && self.gaps.is_none() {
            return;
        }
        let [least, greatest] = self.bounds.unwrap_or([[f64::NEG_INFINITY; 2], [f64::INFINITY; 2]]);
        let [i0, j0] = key.first().map(f64::from);
        for (at, class) in classes.iter_mut().enumerate() {
            let [i, j] = [i0 + (at % TILE) as f64, j0 + (at / TILE) as f64];
            let middle = [i, j].map(|k| (k + 0.5) * self.cell);
            let is_out = (0..2).any(|k| middle[k] < least[k] || middle[k] > greatest[k]);
            let [x, y] = middle;
            if is_out || self.gaps.as_ref().is_some_and(|gaps| gaps.contains(x, y)) {
                *class = CellClass::Obstacle;
            }
        }
    }

    /// Returns whether the map has dropped tiles that this cost map still contains.
    pub fn lacks_tiles_of(&self, map: &ElevationMap) -> bool {
        map.forgotten() > self.up_to
    }

    /// Computes the clearances of a tile.
    ///
    /// This is the exact Euclidean distance between cells in two passes, along rows and then along
    /// columns (A. Rosenfeld and J. Pfaltz, Pattern Recognition 1, 1968).
    fn clear(&mut self, key: MapTileKey) {
        if self.cell < USUAL {
            self.clear_within::<REACH_OF_SMALL>(key);
        } else {
            self.clear_within::<REACH>(key);
        }
    }

    fn clear_within<const REACH: usize>(&mut self, key: MapTileKey) {
        let (side, far) = (TILE + 2 * REACH, REACH as u8 + 1);
        let [i0, j0] = key.first();
        let mut rows = [[far; TILE]; TILE + 2 * REACH_OF_SMALL];
        let mut any = false;
        for (y, row) in rows[..side].iter_mut().enumerate() {
            let cell = |x: usize| {
                let at = [i0 + x as i32 - REACH as i32, j0 + y as i32 - REACH as i32];
                self.area.index(at).is_some_and(|at| self.classes[at].is_blocked())
            };
            let mut last = far;
            for x in 0..side {
                last = if cell(x) { 0 } else { far.min(last + 1) };
                if (REACH..REACH + TILE).contains(&x) {
                    row[x - REACH] = last;
                }
            }
            last = far;
            for x in (0..side).rev() {
                last = if cell(x) { 0 } else { far.min(last + 1) };
                if (REACH..REACH + TILE).contains(&x) {
                    row[x - REACH] = row[x - REACH].min(last);
                }
            }
            any |= row.iter().any(|distance| *distance < far);
        }
        let (corner, width) = (self.corner(key), self.area.width());
        for y in 0..TILE {
            for x in 0..TILE {
                let mut least = u32::MAX;
                if any {
                    for (dy, row) in rows[y..=y + 2 * REACH].iter().enumerate() {
                        let (dx, dy) = (u32::from(row[x]), dy.abs_diff(REACH) as u32);
                        if row[x] < far {
                            least = least.min(dx * dx + dy * dy);
                        }
                    }
                }
                let clear = (f64::from(least).sqrt() - 0.5).max(0.0) * self.cell * PER_METER;
                self.clearances[corner + y * width + x] = clear.min(255.0) as u8;
            }
        }
    }

    /// Applies new marks and marks the tiles that they cover as stale.
    fn mark(&mut self, marks: &[CostPenalty]) {
        let side = self.side();
        let [width, _] = self.size();
        for mark in marks.iter().skip(self.marks) {
            let cost = (mark.cost * f64::from(UNIT)).clamp(0.0, 3e4) as u16;
            let steps = (mark.radius / side).ceil() as i32;
            for (di, dj) in (-steps..=steps).flat_map(|j| (-steps..=steps).map(move |i| (i, j))) {
                let [x, y] = mark.place;
                let place = [x + side * f64::from(di), y + side * f64::from(dj)];
                let Some(at) = self.coarse_index(place) else { continue };
                let [mx, my] = self.middle(at);
                if (mx - x) * (mx - x) + (my - y) * (my - y) <= mark.radius * mark.radius {
                    self.marked[at] = self.marked[at].max(cost);
                    let (i, j) = (at % width * COARSE / TILE, at / width * COARSE / TILE);
                    self.stale[j * self.area.columns + i] |= COSTS;
                }
            }
        }
        self.marks = marks.len();
    }

    /// Computes the costs of the coarse cells of a tile.
    fn compute_costs(&mut self, key: MapTileKey, model: &CostModel, half_width: f64) {
        let (corner, width) = (self.corner(key), self.area.width());
        let (i0, j0) = (corner % width / COARSE, corner / width / COARSE);
        let hard = half_width + model.margin;
        for (j, i) in (0..TILE / COARSE).flat_map(|j| (0..TILE / COARSE).map(move |i| (j, i))) {
            let at = (j0 + j) * (width / COARSE) + i0 + i;
            let fine = corner + j * COARSE * width + i * COARSE;
            let cells = (0..COARSE).flat_map(|y| (0..COARSE).map(move |x| fine + y * width + x));
            let (mut clearance, mut slope, mut unknown) = (u8::MAX, 0, 0);
            for cell in cells {
                clearance = clearance.min(self.clearances[cell]);
                slope = slope.max(self.slopes[cell]);
                unknown += u8::from(self.classes[cell] == CellClass::Unknown);
            }
            let clearance = f64::from(clearance) / PER_METER;
            self.costs[at] = if clearance < hard {
                IMPASSABLE
            } else {
                let near = (1.0 - (clearance - hard) / model.comfort.max(1e-9)).max(0.0);
                let share = f64::from(unknown) / (COARSE * COARSE) as f64;
                let extra = model.unknown * share
                    + model.slope * f64::from(slope) / 100.0
                    + model.near * near * near;
                let cost = f64::from(UNIT) * (1.0 + extra) + f64::from(self.marked[at]);
                cost.min(6e4) as u16
            };
        }
    }
}
