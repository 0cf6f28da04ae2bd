//! Geometry of the cells of a raster, without their values.

use super::angles::AngleFrame;
use super::error::{RasterWarning, TerrainError, finite};
use super::raster::{Crs, FramePlacement, Origin, Unit, degree_lengths};

/// The cells of a raster and their positions, in the unit of its coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridCells {
    /// Number of cells along x (east).
    pub columns: usize,
    /// Number of cells along y (north).
    pub rows: usize,
    /// x and y of the center of the south-west cell.
    pub south_west: [f64; 2],
    /// Size of a cell along x and along y.
    pub size: [f64; 2],
}

impl GridCells {
    /// Checks that sizes and positions are valid for a raster with a number of values.
    pub(super) fn check(&self, values: usize) -> Result<(), TerrainError> {
        let GridCells { columns, rows, .. } = *self;
        if columns < 2 || rows < 2 || columns.checked_mul(rows) != Some(values) {
            return Err(TerrainError::RasterSize { columns, rows, values });
        }
        for k in 0..2 {
            finite("cell size", self.size[k], "above 0", |v| v > 0.0)?;
            finite("position of the south-west cell", self.south_west[k], "finite", |_| true)?;
        }
        Ok(())
    }

    /// Checks that the cells are valid for a surface in meters.
    pub(super) fn check_meters(&self) -> Result<(), TerrainError> {
        for k in 0..2 {
            let size = self.size[k];
            finite("cell size, m", size, "0.001 to 100000", |v| (1e-3..=1e5).contains(&v))?;
            for edge in [self.bounds()[k], self.bounds()[k + 2]] {
                finite("edge from the local origin, m", edge, "-1e7 to 1e7", |v| v.abs() <= 1e7)?;
            }
        }
        Ok(())
    }

    /// Converts longitudes and latitudes to degrees from Greenwich; returns the warning about the
    /// conversion.
    pub(super) fn convert_angles(&mut self, frame: AngleFrame) -> Option<RasterWarning> {
        if frame == AngleFrame::PLAIN {
            return None;
        }
        let AngleFrame { degrees, meridian } = frame;
        let [west, south] = self.south_west;
        self.south_west = [west * degrees + meridian, south * degrees];
        self.size = self.size.map(|size| size * degrees);
        Some(RasterWarning::AnglesConverted { degrees, meridian })
    }

    /// Returns the centers of the outermost cells, `[x_min, y_min, x_max, y_max]`.
    pub fn bounds(&self) -> [f64; 4] {
        let [x, y] = self.south_west;
        [
            x,
            y,
            x + (self.columns - 1) as f64 * self.size[0],
            y + (self.rows - 1) as f64 * self.size[1],
        ]
    }

    /// Returns the middle of the raster.
    pub(super) fn middle(&self) -> [f64; 2] {
        let [west, south, east, north] = self.bounds();
        [0.5 * (west + east), 0.5 * (south + north)]
    }

    /// Returns the placement of a local frame with this origin in coordinates of this system.
    ///
    /// Lengths are those on the ground at the middle of the raster, regardless of the origin; in
    /// degrees they are those at the origin.
    pub(super) fn placement(
        &self,
        origin: Origin,
        crs: &Crs,
    ) -> Result<FramePlacement, TerrainError> {
        let origin = match origin {
            Origin::Center => self.middle(),
            Origin::SouthWest => self.south_west,
            Origin::At(point) => point,
        };
        let meters_per_unit = match crs.unit {
            Unit::Meter => crs.meters_per_unit(self.middle()),
            Unit::Degree => {
                finite("latitude of the origin, deg", origin[1], "-85 to 85", |v| v.abs() <= 85.0)?;
                degree_lengths(origin[1])
            }
        };
        Ok(FramePlacement { origin, meters_per_unit, crs: crs.clone() })
    }

    /// Returns the cells in the local meters of a placement.
    pub(super) fn localized(&self, placement: &FramePlacement) -> GridCells {
        GridCells {
            south_west: placement.to_local(self.south_west),
            size: [0, 1].map(|k| self.size[k] * placement.meters_per_unit[k]),
            ..*self
        }
    }

    /// Returns the cells whose centers are within `[x_min, y_min, x_max, y_max]`, and their
    /// neighbors, so that the box itself is covered. The second result is the south-west one of
    /// these, in columns from the west and rows from the south.
    pub(super) fn cropped(
        &self,
        bounds: [f64; 4],
    ) -> Result<(GridCells, [usize; 2]), TerrainError> {
        let empty = TerrainError::EmptyBox { field: "crop", bounds };
        let span = |k: usize, count: usize| {
            let last = (count - 1) as f64;
            let index = |v: f64| (v - self.south_west[k]) / self.size[k];
            let (low, high) = (index(bounds[k]).floor(), index(bounds[k + 2]).ceil());
            let valid = low < high && high > 0.0 && low < last;
            valid.then(|| (low.max(0.0) as usize, high.min(last) as usize))
        };
        let (Some((c0, c1)), Some((r0, r1))) = (span(0, self.columns), span(1, self.rows)) else {
            return Err(empty);
        };
        let part = GridCells {
            columns: c1 - c0 + 1,
            rows: r1 - r0 + 1,
            south_west: [
                self.south_west[0] + c0 as f64 * self.size[0],
                self.south_west[1] + r0 as f64 * self.size[1],
            ],
            size: self.size,
        };
        Ok((part, [c0, r0]))
    }
}
