//! Shape of the ground in a map's cells, and the slope errors that follow from errors of the
//! heights.

use super::config::ElevationError;
use bekker_ground::terrain::Terrain;
use bekker_math::numeric::{exp, hypot};
use rayon::prelude::*;
use std::ops::Range;

/// Square cells, row by row from the northwest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cells {
    /// Number of cells along x.
    pub columns: usize,
    /// Number of cells along y.
    pub rows: usize,
    /// Side of a cell, m.
    pub side: f64,
    /// Northwest corner, m.
    pub north_west: [f64; 2],
}

impl Cells {
    /// Creates the cells that fit in `[x_min, y_min, x_max, y_max]`, from its northwest corner.
    pub fn from_bounds([west, south, east, north]: [f64; 4], side: f64) -> Cells {
        let count = |low: f64, high: f64| whole_cells(high - low, side).max(1.0) as usize;
        let (columns, rows) = (count(west, east), count(south, north));
        Cells { columns, rows, side, north_west: [west, north] }
    }

    /// Returns the bounds of all cells, `[x_min, y_min, x_max, y_max]`, m.
    pub fn bounds(&self) -> [f64; 4] {
        let [west, north] = self.north_west;
        let [east, south] = self.point(self.columns as f64, self.rows as f64);
        [west, south, east, north]
    }

    /// Returns the number of cells.
    pub fn count(&self) -> usize {
        self.columns * self.rows
    }

    /// Returns the center of a cell, m.
    pub fn center(&self, cell: usize) -> [f64; 2] {
        let (column, row) = (cell % self.columns, cell / self.columns);
        self.point(column as f64 + 0.5, row as f64 + 0.5)
    }

    fn point(&self, column: f64, row: f64) -> [f64; 2] {
        [self.north_west[0] + column * self.side, self.north_west[1] - row * self.side]
    }

    /// Returns the bounds of a cell, `[x_min, y_min, x_max, y_max]`, m.
    pub fn square(&self, cell: usize) -> [f64; 4] {
        let (column, row) = ((cell % self.columns) as f64, (cell / self.columns) as f64);
        let [west, north] = self.point(column, row);
        let [east, south] = self.point(column + 1.0, row + 1.0);
        [west, south, east, north]
    }

    /// Returns the columns and rows of cells between two corners, southwest and northeast.
    pub fn ranges_over(&self, [[west, south], [east, north]]: [[f64; 2]; 2]) -> [Range<usize>; 2] {
        let between = |low: f64, high: f64, count: usize| {
            let [first, end] = [low.floor(), high.floor() + 1.0];
            // casts saturate
            first.max(0.0) as usize..(end.max(0.0) as usize).min(count)
        };
        let [x, y] = self.north_west;
        let columns = between((west - x) / self.side, (east - x) / self.side, self.columns);
        let rows = between((y - north) / self.side, (y - south) / self.side, self.rows);
        [columns, rows]
    }

    /// Returns the cell that contains a point; the map's edges belong to its outermost cells.
    pub fn cell_at(&self, [x, y]: [f64; 2]) -> Option<usize> {
        let east = (x - self.north_west[0]) / self.side;
        let south = (self.north_west[1] - y) / self.side;
        let [columns, rows] = [self.columns as f64, self.rows as f64];
        let inside = (0.0..=columns).contains(&east) && (0.0..=rows).contains(&south);
        let [column, row] = [east.min(columns - 1.0), south.min(rows - 1.0)];
        inside.then_some(row as usize * self.columns + column as usize)
    }
}

/// Returns the number of whole cells in a length; a tolerance keeps the last cell of an exact
/// multiple.
pub(super) fn whole_cells(length: f64, side: f64) -> f64 {
    (length / side + 1e-9).floor()
}

/// Slope of the quadric fitted to a cell's ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quadric {
    /// Slope at the center of the cell, ∂z/∂x and ∂z/∂y.
    pub slope: [f32; 2],
}

impl Quadric {
    /// Fits heights, m, east and north of the center; `half` is half the cell's side, m.
    fn fit(half: f64, height: impl Fn(f64, f64) -> f64) -> Quadric {
        let mut slope = [0.0; 2];
        for [east, north] in NINE {
            let height = height(half * east, half * north);
            slope[0] += east * height;
            slope[1] += north * height;
        }
        Quadric { slope: slope.map(|sum| (sum / (6.0 * half)) as f32) }
    }

    /// Returns the grade in a direction and the slope across it, rise over run.
    ///
    /// The direction is given by its cosine and sine.
    pub fn slopes(&self, [cos, sin]: [f64; 2]) -> [f64; 2] {
        let [east, north] = self.slope.map(f64::from);
        [east * cos + north * sin, north * cos - east * sin]
    }
}

/// Fits the quadric of each cell by least squares to nine heights.
///
/// They are at its corners, edge midpoints and center (I. S. Evans, Z. Geomorphol. Suppl. 36,
/// 1980).
pub fn quadrics(terrain: &Terrain, cells: &Cells) -> Vec<Quadric> {
    let half = 0.5 * cells.side;
    let quadric = |cell: usize| {
        let [x, y] = cells.center(cell);
        Quadric::fit(half, |east, north| terrain.height(x + east, y + north))
    };
    (0..cells.count()).into_par_iter().map(quadric).collect()
}

/// Sample points of a cell's heights, in half sides east and north of its center.
const NINE: [[f64; 2]; 9] = [
    [-1.0, 1.0],
    [0.0, 1.0],
    [1.0, 1.0],
    [-1.0, 0.0],
    [0.0, 0.0],
    [1.0, 0.0],
    [-1.0, -1.0],
    [0.0, -1.0],
    [1.0, -1.0],
];

/// Returns the standard deviation of each component of a cell's slope, rise over run.
///
/// The heights have an error field of the given covariance. By symmetry the two components are
/// uncorrelated.
pub fn slope_deviation(error: &ElevationError, side: f64) -> f64 {
    let half = 0.5 * side;
    let mut variance = 0.0;
    for [east, north] in NINE {
        for [other_east, other_north] in NINE {
            let apart = half * hypot(other_east - east, other_north - north);
            variance += east * other_east * exp(-apart / error.correlation_length);
        }
    }
    error.sigma * variance.max(0.0).sqrt() / (6.0 * half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::soil::SoilId;
    use bekker_ground::terrain::{SoilMap, Surface};

    #[test]
    fn cells_have_their_positions() {
        let cells = Cells::from_bounds([-60.0, -20.0, 60.0, 30.0], 10.0);
        assert_eq!((cells.columns, cells.rows), (12, 5));
        assert_eq!(cells.center(0), [-55.0, 25.0]);
        assert_eq!(cells.center(13), [-45.0, 15.0]);
        assert_eq!((cells.cell_at([-59.9, 29.9]), cells.cell_at([60.1, 0.0])), (Some(0), None));
        assert!((0..cells.count()).all(|cell| cells.cell_at(cells.center(cell)) == Some(cell)));
        // corners of the bounds belong to the map
        let [west, south, east, north] = cells.bounds();
        assert_eq!(cells.cell_at([west, north]), Some(0));
        assert_eq!(cells.cell_at([east, south]), Some(cells.count() - 1));
    }

    #[test]
    fn a_plane_has_its_slope_everywhere() {
        let surface = Surface::Plane { elevation: 5.0, slope: [0.25, -0.1] };
        let terrain = Terrain::builder(surface, SoilMap::uniform(SoilId(0))).build().unwrap();
        let cells = Cells::from_bounds([-60.0, -20.0, 60.0, 30.0], 10.0);
        for own in quadrics(&terrain, &cells) {
            // rounding of heights and of an f32
            let [x, y] = own.slope;
            assert!((x - 0.25).abs() < 1e-6 && (y + 0.1).abs() < 1e-6);
        }
    }

    /// The grade in a direction is the derivative of the heights under it for any curvature.
    #[test]
    fn a_quadric_is_its_own_in_every_direction() {
        let ([a, b], [xx, xy, yy]) = ([0.25, -0.1], [0.004, -0.003, 0.002]);
        let height =
            |x: f64, y: f64| 7.0 + a * x + b * y + 0.5 * (xx * x * x + yy * y * y) + xy * x * y;
        let own = Quadric::fit(20.0, height);
        for n in 0..8 {
            let (sin, cos) = bekker_math::numeric::sin_cos(f64::from(n) * 0.8);
            let at = |s: f64| height(s * cos, s * sin);
            let [along, across] = own.slopes([cos, sin]);
            // an f32 holds seven digits
            assert!((along - 0.5 * (at(1.0) - at(-1.0))).abs() < 1e-7);
            assert!((across - (b * cos - a * sin)).abs() < 1e-7);
        }
    }

    /// Uncorrelated errors give σ √6 / (3 cell), from six heights of equal weight; constant errors
    /// give zero.
    #[test]
    fn slope_errors_have_the_predicted_covariance() {
        let of = |correlation_length| {
            slope_deviation(&ElevationError { sigma: 2.0, correlation_length }, 30.0)
        };
        let independent = 2.0 * 6.0_f64.sqrt() / 90.0;
        assert!((of(0.1) / independent - 1.0).abs() < 1e-9);
        // far below the correlation length, errors differ by the root of the distance over it
        assert!((of(1e6) / of(4e6) - 2.0).abs() < 1e-4 && of(1e6) < 0.02 * independent);
        // over about a cell, sums average them less than independent ones
        assert!(of(100.0) < independent && independent < of(30.0));
    }
}
