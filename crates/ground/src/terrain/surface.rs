//! The shape of the ground before stamps and roughness.

use std::sync::Arc;

use super::error::{TerrainError, finite};
use super::procedural::Procedural;
use super::raster::{Raster, Unit};

/// The shape of the ground at large.
#[derive(Clone, Debug)]
pub enum Surface {
    /// A plane through (0, 0, elevation), without bounds.
    Plane {
        /// Height at the origin, m.
        elevation: f64,
        /// Slope (∂z/∂x, ∂z/∂y): the tangent of the grade along each axis.
        slope: [f64; 2],
    },
    /// Heights at the cells of a raster, interpolated.
    Raster(Arc<Raster>),
    /// Hills of noise, without bounds.
    Procedural(Procedural),
}

impl Surface {
    /// A surface through the heights of a raster in metres and without gaps.
    ///
    /// Between cell centres the surface is bicubic (Catmull–Rom): it passes
    /// through every height, its slope is continuous, it needs the 16 cells
    /// around a point and nothing else, and it restores a plane exactly, at the
    /// edge too, where the missing row is extrapolated linearly. A B-spline
    /// would be smoother but miss the heights of the survey; bilinear patches
    /// have creases that a wheel feels. It stays within 1.25² times half the
    /// range of those 16 heights about its middle.
    pub fn raster(raster: Raster) -> Result<Surface, TerrainError> {
        let raster = raster.without_gaps(super::raster::NoData::Refuse)?;
        if raster.crs.unit != Unit::Metre {
            return Err(TerrainError::NotMetres("degrees".to_string()));
        }
        for k in 0..2 {
            let size = raster.cell[k];
            finite("cell size, m", size, "0.001 to 100000", |v| (1e-3..=1e5).contains(&v))?;
            for edge in [raster.bounds()[k], raster.bounds()[k + 2]] {
                finite("edge from the local origin, m", edge, "-1e7 to 1e7", |v| v.abs() <= 1e7)?;
            }
        }
        let steepest = "-100000 to 100000; a value for gaps must be named as such";
        raster
            .values
            .iter()
            .try_for_each(|h| finite("height, m", *h, steepest, |v| v.abs() <= 1e5))?;
        Ok(Surface::Raster(Arc::new(raster)))
    }

    /// `[x_min, y_min, x_max, y_max]`, m; infinite where there is no end. A
    /// raster ends at the centres of its outermost cells: no height is known
    /// beyond them.
    pub fn bounds(&self) -> [f64; 4] {
        match self {
            Surface::Raster(raster) => raster.bounds(),
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
            Surface::Procedural(procedural) => procedural.check(),
        }
    }

    pub(crate) fn height(&self, x: f64, y: f64) -> f64 {
        match self {
            Surface::Plane { elevation, slope } => elevation + slope[0] * x + slope[1] * y,
            Surface::Raster(raster) => {
                let (u, v) = (Span::new(raster, 0, x), Span::new(raster, 1, y));
                bicubic(raster, &u, &v, &u.weights(), &v.weights())
            }
            Surface::Procedural(procedural) => procedural.height(x, y),
        }
    }

    pub(crate) fn gradient(&self, x: f64, y: f64) -> [f64; 2] {
        match self {
            Surface::Plane { slope, .. } => *slope,
            Surface::Raster(raster) => {
                let (u, v) = (Span::new(raster, 0, x), Span::new(raster, 1, y));
                [
                    bicubic(raster, &u, &v, &u.slopes(), &v.weights()) / raster.cell[0],
                    bicubic(raster, &u, &v, &u.weights(), &v.slopes()) / raster.cell[1],
                ]
            }
            Surface::Procedural(procedural) => procedural.gradient(x, y),
        }
    }
}

/// Where a coordinate falls along one axis of a raster.
struct Span {
    /// Cell at or before the coordinate.
    cell: usize,
    /// Number of cells along the axis, at least 2.
    count: usize,
    /// Way from that cell to the next, 0..1.
    t: f64,
}

impl Span {
    #[inline]
    fn new(raster: &Raster, axis: usize, coordinate: f64) -> Span {
        let count = if axis == 0 { raster.columns } else { raster.rows };
        let place = (coordinate - raster.south_west[axis]) / raster.cell[axis];
        let place = place.max(0.0).min((count - 1) as f64);
        let cell = (place as usize).min(count - 2);
        Span { cell, count, t: place - cell as f64 }
    }

    /// Weights of the cells from one before to two after.
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

    /// Derivatives of the weights.
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

    /// At an edge the missing cell is 2 f(edge) - f(next): its weight goes there.
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
fn bicubic(raster: &Raster, u: &Span, v: &Span, across: &[f64; 4], up: &[f64; 4]) -> f64 {
    let index = |span: &Span, k: usize| (span.cell + k).saturating_sub(1).min(span.count - 1);
    let mut sum = 0.0;
    for (j, weight) in up.iter().enumerate() {
        let row = index(v, j);
        let mut line = 0.0;
        for (i, share) in across.iter().enumerate() {
            line += share * raster.at(index(u, i), row);
        }
        sum += weight * line;
    }
    sum
}
