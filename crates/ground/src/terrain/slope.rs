//! Slope statistics of a raster of heights, and bounds of its data.

use super::raster::Raster;

/// Slopes of a raster, rise over run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slopes {
    /// Median slope.
    pub median: f64,
    /// 95th percentile of the slopes.
    pub percentile_95: f64,
    /// Greatest slope.
    pub largest: f64,
}

impl Raster {
    /// Returns the slopes of all cells between four neighbors with data, by central differences;
    /// `None` if there is no such cell. Coordinates must be meters ([`Raster::localized`]).
    pub fn slopes(&self) -> Option<Slopes> {
        let at = |column: usize, row: usize| self.value_at(column, row);
        let mut slopes = Vec::new();
        for row in 1..self.rows.saturating_sub(1) {
            for column in 1..self.columns.saturating_sub(1) {
                let east = at(column + 1, row) - at(column - 1, row);
                let north = at(column, row + 1) - at(column, row - 1);
                let (east, north) = (east / (2.0 * self.cell[0]), north / (2.0 * self.cell[1]));
                let slope = (east * east + north * north).sqrt();
                if slope.is_finite() {
                    slopes.push(slope);
                }
            }
        }
        slopes.sort_unstable_by(f64::total_cmp);
        let last = slopes.len().checked_sub(1)?;
        let share = |share: f64| slopes[(share * last as f64).round() as usize];
        Some(Slopes { median: share(0.5), percentile_95: share(0.95), largest: share(1.0) })
    }

    /// Returns the bounds of the cells with data, `[x_min, y_min, x_max, y_max]` through their
    /// centers; `None` if no cell has data.
    pub fn valid_bounds(&self) -> Option<[f64; 4]> {
        let mut found: Option<[usize; 4]> = None;
        for (index, _) in self.values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            let (column, row) = (index % self.columns, self.rows - 1 - index / self.columns);
            found = Some(found.map_or([column, row, column, row], |[west, south, east, north]| {
                [west.min(column), south.min(row), east.max(column), north.max(row)]
            }));
        }
        let point = |k: usize, index: usize| self.south_west[k] + index as f64 * self.cell[k];
        found.map(|[west, south, east, north]| {
            [point(0, west), point(1, south), point(0, east), point(1, north)]
        })
    }
}
