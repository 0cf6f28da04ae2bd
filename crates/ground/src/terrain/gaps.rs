//! Cells without data in a raster of heights.

use super::cells::GridCells;
use super::error::TerrainError;
use super::raster::Raster;

/// Cells of a raster without data: each covers half a cell around its center.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaps {
    cells: GridCells,
    /// One bit per cell, rows from the south.
    bits: Vec<u64>,
    count: usize,
}

impl Gaps {
    /// Returns the gaps of a raster in local meters; `None` where every cell has data.
    pub fn from_raster(raster: &Raster) -> Option<Gaps> {
        Gaps::from_cells(raster, raster.cells(), [0, 0])
    }

    /// Returns the gaps of the part of a raster in local meters that covers `[x_min, y_min, x_max,
    /// y_max]`.
    ///
    /// # Errors
    ///
    /// A box outside the raster.
    pub fn from_part(raster: &Raster, bounds: [f64; 4]) -> Result<Option<Gaps>, TerrainError> {
        raster.check()?;
        let (cells, first) = raster.cells().cropped(bounds)?;
        Ok(Gaps::from_cells(raster, cells, first))
    }

    /// Returns the gaps of some cells of a raster, with the southwest cell in this column
    /// and row.
    fn from_cells(raster: &Raster, cells: GridCells, [west, south]: [usize; 2]) -> Option<Gaps> {
        let mut bits = vec![0; (cells.columns * cells.rows).div_ceil(64)];
        let mut count = 0;
        for row in 0..cells.rows {
            for column in 0..cells.columns {
                if !raster.value_at(west + column, south + row).is_finite() {
                    let index = row * cells.columns + column;
                    bits[index / 64] |= 1 << (index % 64);
                    count += 1;
                }
            }
        }
        (count > 0).then_some(Gaps { cells, bits, count })
    }

    /// Returns the number of cells without data.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the fraction of the raster's cells without data.
    pub fn share(&self) -> f64 {
        self.count as f64 / (self.cells.columns * self.cells.rows) as f64
    }

    /// Returns the size of a cell along x and along y, m.
    pub fn cell_size(&self) -> [f64; 2] {
        self.cells.size
    }

    /// Returns whether the cell around a point has no data; outside the raster the nearest edge
    /// cell counts.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        let [column, row] = [self.nearest(0, x), self.nearest(1, y)];
        self.is_gap(column, row)
    }

    /// Returns whether any cell that overlaps `[x_min, y_min, x_max, y_max]`, m, has no data.
    pub fn intersects(&self, [west, south, east, north]: [f64; 4]) -> bool {
        let [first, last] = [self.nearest(0, west), self.nearest(0, east)];
        let mut rows = self.nearest(1, south)..=self.nearest(1, north);
        rows.any(|row| (first..=last).any(|column| self.is_gap(column, row)))
    }

    fn is_gap(&self, column: usize, row: usize) -> bool {
        let index = row * self.cells.columns + column;
        self.bits[index / 64] >> (index % 64) & 1 == 1
    }

    /// Returns the column or row of the cell whose center is nearest to a coordinate.
    fn nearest(&self, axis: usize, coordinate: f64) -> usize {
        let count = if axis == 0 { self.cells.columns } else { self.cells.rows };
        let place = (coordinate - self.cells.south_west[axis]) / self.cells.size[axis] + 0.5;
        // the cast maps NaN and negative numbers to 0
        (place.floor() as usize).min(count - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::raster::Crs;
    use super::*;
    use proptest::prelude::*;

    fn raster(columns: usize, rows: usize, missing: &[usize]) -> Raster {
        let mut values: Vec<f64> = (0..columns * rows).map(|n| n as f64).collect();
        missing.iter().for_each(|n| values[*n] = f64::NAN);
        let (south_west, cell) = ([-20.0, 5.0], [10.0, 4.0]);
        Raster { columns, rows, south_west, cell, values, crs: Crs::local() }
    }

    #[test]
    fn a_complete_raster_has_no_gaps() {
        assert_eq!(Gaps::from_raster(&raster(3, 3, &[])), None);
    }

    #[test]
    fn a_part_has_the_gaps_of_the_cropped_raster() {
        let raster = raster(7, 6, &[3, 9, 24, 41]);
        for bounds in
            [[-15.0, 6.0, 25.0, 24.0], [-90.0, -90.0, 90.0, 90.0], [15.0, 12.0, 20.0, 20.0]]
        {
            let cropped = Gaps::from_raster(&raster.cropped(bounds).unwrap());
            assert_eq!(Gaps::from_part(&raster, bounds).unwrap(), cropped, "{bounds:?}");
        }
        assert!(Gaps::from_part(&raster, [900.0, 900.0, 901.0, 901.0]).is_err());
    }

    /// Row 0 of the values is the north row: its second cell from the west is a gap.
    #[test]
    fn a_gap_covers_half_a_cell_about_its_center() {
        let gaps = Gaps::from_raster(&raster(4, 3, &[1])).unwrap();
        assert_eq!((gaps.count(), gaps.share()), (1, 1.0 / 12.0));
        // its center is at x = -10, y = 13
        for (x, y, gap) in [
            (-10.0, 13.0, true),
            (-14.9, 11.1, true),
            (-15.1, 13.0, false),
            (-4.9, 13.0, false),
            (-10.0, 10.9, false),
            // outside the raster, to the north
            (-10.0, 90.0, true),
            (f64::NAN, f64::NAN, false),
        ] {
            assert_eq!(gaps.contains(x, y), gap, "{x} {y}");
        }
        assert!(gaps.intersects([-40.0, -40.0, 40.0, 40.0]));
        assert!(gaps.intersects([-5.5, 10.0, 0.0, 11.5]));
        assert!(
            !gaps.intersects([-4.5, 5.0, 10.0, 13.0]) && !gaps.intersects([-20.0, 5.0, 10.0, 10.5])
        );
    }

    proptest! {
        /// A box overlaps a gap where any of its points is in a gap.
        #[test]
        fn a_box_meets_what_its_points_lie_in(
            missing in proptest::collection::btree_set(0_usize..35, 1..6),
            [x, y] in [-25.0..45.0_f64, 0.0..25.0_f64],
            [width, height] in [0.1..40.0_f64, 0.1..20.0_f64],
        ) {
            let missing: Vec<usize> = missing.into_iter().collect();
            let gaps = Gaps::from_raster(&raster(7, 5, &missing)).unwrap();
            let points = (0..=100).flat_map(|n| (0..=100).map(move |m| [n, m]));
            let inside = points.into_iter().any(|[n, m]| {
                gaps.contains(x + width * f64::from(n) / 100.0, y + height * f64::from(m) / 100.0)
            });
            let meets = gaps.intersects([x, y, x + width, y + height]);
            prop_assert!(meets || !inside);
            // a corner of a cell may be between two points of the grid
            prop_assert!(inside || !gaps.intersects([x + 0.5, y + 0.5, x + width - 0.5, y + height - 0.5])
                || width < 2.0 || height < 2.0);
        }
    }
}
