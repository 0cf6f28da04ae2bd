//! The shape of the ground before stamps and roughness.

use std::sync::Arc;

use super::cells::GridCells;
use super::error::{TerrainError, finite};
use super::procedural::Procedural;
use super::raster::{Raster, Unit};
use super::tiled::TiledRaster;

/// Greatest height above or below zero, m.
pub(super) const HIGHEST: f64 = 1e5;
/// Allowed heights, as text.
pub(super) const HIGHEST_ALLOWED: &str = "-100000 to 100000; declare a value for gaps as such";

/// Large-scale shape of the ground.
#[derive(Clone, Debug)]
pub enum Surface {
    /// An unbounded plane through (0, 0, elevation).
    Plane {
        /// Height at the origin, m.
        elevation: f64,
        /// Slope (∂z/∂x, ∂z/∂y): the grade along each axis.
        slope: [f64; 2],
    },
    /// Heights at the cells of a raster, interpolated.
    Raster(Arc<Raster>),
    /// Interpolated heights of a raster that stays in its file.
    Tiled(Arc<TiledRaster>),
    /// Unbounded procedural hills.
    Procedural(Procedural),
}

impl Surface {
    /// Creates a surface through the heights of a raster in meters and without gaps.
    ///
    /// Between cell centers the surface is bicubic (Catmull–Rom). It passes through every height,
    /// its slope is continuous, and it depends only on the 16 cells around a point. It reproduces a
    /// plane exactly, even at the edge, where the missing row is extrapolated linearly. It stays
    /// within 1.25² times half the range of those 16 heights around the middle of that range.
    ///
    /// A B-spline would be smoother but miss the surveyed heights; bilinear patches have creases
    /// that affect wheels.
    pub fn raster(raster: Raster) -> Result<Surface, TerrainError> {
        let raster = raster.without_gaps(super::raster::NoData::Refuse)?;
        if raster.crs.unit != Unit::Meter {
            return Err(TerrainError::NotMeters("degrees".to_string()));
        }
        raster.cells().check_meters()?;
        raster
            .values
            .iter()
            .try_for_each(|h| finite("height, m", *h, HIGHEST_ALLOWED, |v| v.abs() <= HIGHEST))?;
        Ok(Surface::Raster(Arc::new(raster)))
    }

    /// Returns the bounds `[x_min, y_min, x_max, y_max]`, m; infinite where unbounded. A raster
    /// ends at the centers of its outermost cells, because heights beyond them are unknown.
    pub fn bounds(&self) -> [f64; 4] {
        match self {
            Surface::Raster(raster) => raster.bounds(),
            Surface::Tiled(raster) => raster.cells().bounds(),
            _ => super::UNBOUNDED,
        }
    }

    pub(crate) fn check(&self) -> Result<(), TerrainError> {
        match self {
            Surface::Plane { elevation, slope } => {
                finite("elevation, m", *elevation, "a finite number", |_| true)?;
                slope.iter().try_for_each(|s| finite("slope", *s, "-2 to 2", |v| v.abs() <= 2.0))
            }
            Surface::Raster(raster) => raster.check(),
            // checked when the file was opened
            Surface::Tiled(_) => Ok(()),
            Surface::Procedural(procedural) => procedural.check(),
        }
    }

    pub(crate) fn height(&self, x: f64, y: f64) -> f64 {
        match self {
            Surface::Plane { elevation, slope } => elevation + slope[0] * x + slope[1] * y,
            Surface::Raster(raster) => BicubicCell::locate(&raster.cells(), x, y).height(&**raster),
            Surface::Tiled(raster) => BicubicCell::locate(&raster.cells(), x, y).height(&**raster),
            Surface::Procedural(procedural) => procedural.height(x, y),
        }
    }

    pub(crate) fn gradient(&self, x: f64, y: f64) -> [f64; 2] {
        match self {
            Surface::Plane { slope, .. } => *slope,
            Surface::Raster(raster) => {
                BicubicCell::locate(&raster.cells(), x, y).gradient(&**raster)
            }
            Surface::Tiled(raster) => {
                BicubicCell::locate(&raster.cells(), x, y).gradient(&**raster)
            }
            Surface::Procedural(procedural) => procedural.gradient(x, y),
        }
    }
}

/// Source of heights at the intersections of four columns, from the west, and four rows, from the
/// south.
pub(super) trait BicubicStencil {
    /// Returns the heights row by row.
    fn heights_at(&self, columns: [usize; 4], rows: [usize; 4]) -> [[f64; 4]; 4];
}

impl BicubicStencil for Raster {
    #[inline]
    fn heights_at(&self, columns: [usize; 4], rows: [usize; 4]) -> [[f64; 4]; 4] {
        rows.map(|row| columns.map(|column| Raster::value_at(self, column, row)))
    }
}

/// Position of a point among the cells.
struct BicubicCell {
    across: Span,
    up: Span,
    /// Size of a cell.
    size: [f64; 2],
}

impl BicubicCell {
    #[inline]
    fn locate(cells: &GridCells, x: f64, y: f64) -> BicubicCell {
        BicubicCell { across: Span::new(cells, 0, x), up: Span::new(cells, 1, y), size: cells.size }
    }

    #[inline]
    fn heights(&self, raster: &impl BicubicStencil) -> [[f64; 4]; 4] {
        raster.heights_at(self.across.indices(), self.up.indices())
    }

    #[inline]
    fn height(&self, raster: &impl BicubicStencil) -> f64 {
        bicubic(&self.heights(raster), &self.across.weights(), &self.up.weights())
    }

    #[inline]
    fn gradient(&self, raster: &impl BicubicStencil) -> [f64; 2] {
        let heights = self.heights(raster);
        [
            bicubic(&heights, &self.across.slopes(), &self.up.weights()) / self.size[0],
            bicubic(&heights, &self.across.weights(), &self.up.slopes()) / self.size[1],
        ]
    }
}

/// Position of a coordinate along one axis of cells.
struct Span {
    /// Cell at or before the coordinate.
    cell: usize,
    /// Number of cells along the axis, at least 2.
    count: usize,
    /// Fraction of the distance from that cell to the next, 0..1.
    t: f64,
}

impl Span {
    #[inline]
    fn new(cells: &GridCells, axis: usize, coordinate: f64) -> Span {
        let count = if axis == 0 { cells.columns } else { cells.rows };
        let place = (coordinate - cells.south_west[axis]) / cells.size[axis];
        let place = place.max(0.0).min((count - 1) as f64);
        let cell = (place as usize).min(count - 2);
        Span { cell, count, t: place - cell as f64 }
    }

    /// Returns the cells from one before to two after; cells beyond an edge are replaced by the
    /// edge cell.
    #[inline]
    fn indices(&self) -> [usize; 4] {
        std::array::from_fn(|k| (self.cell + k).saturating_sub(1).min(self.count - 1))
    }

    /// Returns the weights of the cells from one before to two after.
    #[inline]
    fn weights(&self) -> [f64; 4] {
        let t = self.t;
        let (t2, t3) = (t * t, t * t * t);
        self.fold([
            0.5 * (-t + 2.0 * t2 - t3),
            0.5 * (2.0 - 5.0 * t2 + 3.0 * t3),
            0.5 * (t + 4.0 * t2 - 3.0 * t3),
            0.5 * (t3 - t2),
        ])
    }

    /// Returns the derivatives of the weights.
    #[inline]
    fn slopes(&self) -> [f64; 4] {
        let t = self.t;
        let t2 = t * t;
        self.fold([
            0.5 * (-1.0 + 4.0 * t - 3.0 * t2),
            0.5 * (-10.0 * t + 9.0 * t2),
            0.5 * (1.0 + 8.0 * t - 9.0 * t2),
            0.5 * (3.0 * t2 - 2.0 * t),
        ])
    }

    /// Redistributes the weight of a missing cell beyond an edge, whose value is 2 f(edge) -
    /// f(next).
    #[inline]
    fn fold(&self, mut w: [f64; 4]) -> [f64; 4] {
        if self.cell == 0 {
            w[1] += 2.0 * w[0];
            w[2] -= w[0];
            w[0] = 0.0;
        }
        if self.cell + 2 == self.count {
            w[2] += 2.0 * w[3];
            w[1] -= w[3];
            w[3] = 0.0;
        }
        w
    }
}

#[inline]
fn bicubic(heights: &[[f64; 4]; 4], across: &[f64; 4], up: &[f64; 4]) -> f64 {
    let mut sum = 0.0;
    for (row, weight) in heights.iter().zip(up) {
        let mut line = 0.0;
        for (height, share) in row.iter().zip(across) {
            line += share * height;
        }
        sum += weight * line;
    }
    sum
}
