//! Heights and slopes of a map's cells, and how far heights that are in error throw slopes off.

use super::config::ElevationError;
use crate::numeric::{exp, hypot};
use crate::terrain::Terrain;
use rayon::prelude::*;
use std::ops::Range;

/// Square cells, row by row from the north-west.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cells {
    /// Cells along x.
    pub columns: usize,
    /// Cells along y.
    pub rows: usize,
    /// Side of a cell, m.
    pub side: f64,
    /// North-west corner, m.
    pub north_west: [f64; 2],
}

impl Cells {
    /// As many as lie in `[x_min, y_min, x_max, y_max]`, from its north-west corner.
    pub fn within([west, south, east, north]: [f64; 4], side: f64) -> Cells {
        let count = |low: f64, high: f64| whole(high - low, side).max(1.0) as usize;
        let (columns, rows) = (count(west, east), count(south, north));
        Cells { columns, rows, side, north_west: [west, north] }
    }

    /// What all of them cover, `[x_min, y_min, x_max, y_max]`, m.
    pub fn bounds(&self) -> [f64; 4] {
        let [west, north] = self.north_west;
        let [east, south] = self.point(self.columns as f64, self.rows as f64);
        [west, south, east, north]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.columns * self.rows
    }

    /// Middle of a cell, m.
    pub fn centre(&self, cell: usize) -> [f64; 2] {
        let (column, row) = (cell % self.columns, cell / self.columns);
        self.point(column as f64 + 0.5, row as f64 + 0.5)
    }

    fn point(&self, column: f64, row: f64) -> [f64; 2] {
        [self.north_west[0] + column * self.side, self.north_west[1] - row * self.side]
    }

    /// What a cell covers, `[x_min, y_min, x_max, y_max]`, m.
    pub fn square(&self, cell: usize) -> [f64; 4] {
        let (column, row) = ((cell % self.columns) as f64, (cell / self.columns) as f64);
        let [west, north] = self.point(column, row);
        let [east, south] = self.point(column + 1.0, row + 1.0);
        [west, south, east, north]
    }

    /// Columns and rows of cells that lie between two corners, south-west and north-east.
    pub fn over(&self, [[west, south], [east, north]]: [[f64; 2]; 2]) -> [Range<usize>; 2] {
        let between = |low: f64, high: f64, count: usize| {
            let [first, end] = [low.floor(), high.floor() + 1.0];
            // a cast ends at what the type holds
            first.max(0.0) as usize..(end.max(0.0) as usize).min(count)
        };
        let [x, y] = self.north_west;
        let columns = between((west - x) / self.side, (east - x) / self.side, self.columns);
        let rows = between((y - north) / self.side, (y - south) / self.side, self.rows);
        [columns, rows]
    }

    /// The cell that a point lies in.
    pub fn at(&self, [x, y]: [f64; 2]) -> Option<usize> {
        let column = ((x - self.north_west[0]) / self.side).floor();
        let row = ((self.north_west[1] - y) / self.side).floor();
        let inside =
            column >= 0.0 && row >= 0.0 && column < self.columns as f64 && row < self.rows as f64;
        inside.then(|| row as usize * self.columns + column as usize)
    }
}

/// How many cells a length has; one that is a whole number of them keeps its last.
pub(super) fn whole(length: f64, side: f64) -> f64 {
    (length / side + 1e-9).floor()
}

/// Slopes (∂z/∂x, ∂z/∂y) of all cells from the heights of the eight around each, weighted 1-2-1
/// (B. Horn, Proc. IEEE 69, 1981). Around the map the terrain must go on by a cell.
pub fn slopes(terrain: &Terrain, cells: &Cells) -> Vec<[f32; 2]> {
    let wide = cells.columns + 2;
    let heights: Vec<f64> = (0..wide * (cells.rows + 2))
        .into_par_iter()
        .map(|n| {
            let [x, y] = cells.point((n % wide) as f64 - 0.5, (n / wide) as f64 - 0.5);
            terrain.height(x, y)
        })
        .collect();
    let slope = |cell: usize| {
        let (column, row) = (cell % cells.columns + 1, cell / cells.columns + 1);
        let mut slope = [0.0; 2];
        for (dx, dy, weight) in HORN {
            let index = (row as isize - dy) * wide as isize + column as isize + dx;
            let height = heights[index as usize];
            slope[0] += weight * dx as f64 * height;
            slope[1] += weight * dy as f64 * height;
        }
        slope.map(|rise| (rise / (8.0 * cells.side)) as f32)
    };
    (0..cells.count()).into_par_iter().map(slope).collect()
}

/// Neighbours east and north by so many cells, with Horn's weight in the row or column that they
/// lie in; at a corner it is 1 in both.
const HORN: [(isize, isize, f64); 8] = [
    (-1, 1, 1.0),
    (0, 1, 2.0),
    (1, 1, 1.0),
    (-1, 0, 2.0),
    (1, 0, 2.0),
    (-1, -1, 1.0),
    (0, -1, 2.0),
    (1, -1, 1.0),
];

/// Standard deviation of either component of a cell's slope, rise over run: of heights that are
/// off by a field of the given covariance. The two components are not correlated, by symmetry.
pub fn slope_deviation(error: &ElevationError, side: f64) -> f64 {
    let mut variance = 0.0;
    for (x0, y0, w0) in HORN {
        for (x1, y1, w1) in HORN {
            let apart = side * hypot((x1 - x0) as f64, (y1 - y0) as f64);
            let [a, b] = [w0 * x0 as f64, w1 * x1 as f64];
            variance += a * b * exp(-apart / error.correlation_length);
        }
    }
    error.sigma * variance.max(0.0).sqrt() / (8.0 * side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soil::SoilId;
    use crate::terrain::{SoilMap, Surface};

    #[test]
    fn a_plane_has_its_slope_everywhere_and_cells_stand_where_they_should() {
        let surface = Surface::Plane { elevation: 5.0, slope: [0.25, -0.1] };
        let terrain = Terrain::builder(surface, SoilMap::uniform(SoilId(0))).build().unwrap();
        let cells = Cells::within([-60.0, -20.0, 60.0, 30.0], 10.0);
        assert_eq!((cells.columns, cells.rows), (12, 5));
        assert_eq!(cells.centre(0), [-55.0, 25.0]);
        assert_eq!(cells.centre(13), [-45.0, 15.0]);
        assert_eq!((cells.at([-59.9, 29.9]), cells.at([60.1, 0.0])), (Some(0), None));
        assert!((0..cells.count()).all(|cell| cells.at(cells.centre(cell)) == Some(cell)));
        for [x, y] in slopes(&terrain, &cells) {
            // rounding of heights and of an f32
            assert!((x - 0.25).abs() < 1e-6 && (y + 0.1).abs() < 1e-6);
        }
    }

    /// Errors that are not correlated give σ √12 / (8 cell), the sum of the squares of Horn's
    /// weights; errors that are the same everywhere give none.
    #[test]
    fn slopes_are_off_by_what_the_covariance_says() {
        let of = |correlation_length| {
            slope_deviation(&ElevationError { sigma: 2.0, correlation_length }, 30.0)
        };
        let independent = 2.0 * 12.0_f64.sqrt() / 240.0;
        assert!((of(0.1) / independent - 1.0).abs() < 1e-9);
        // far below the length, errors differ by the root of the distance over it
        assert!((of(1e6) / of(4e6) - 2.0).abs() < 1e-4 && of(1e6) < 0.02 * independent);
        // over about a cell, Horn's sums average them less than independent ones
        assert!(of(100.0) < independent && independent < of(30.0));
    }
}
