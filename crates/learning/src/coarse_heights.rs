//! Undisturbed heights around a start, on a coarse raster.

use super::LevelObstacle;
use bekker_ground::terrain::Terrain;

/// Number of cells along and across the map.
pub const MAP_SIDE: usize = 32;
/// Side of a cell of the map, m.
pub const MAP_CELL: f64 = 0.5;

/// Undisturbed heights around a start, including obstacles, on a raster as coarse as the map.
///
/// The observed heights are therefore coarser than the nodes of the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct CoarseHeights {
    heights: Vec<f64>,
    side: usize,
    origin: f64,
}

impl CoarseHeights {
    /// Samples heights up to `extent`, m, from the origin along both axes.
    ///
    /// Obstacles raise them to their tops.
    pub fn new(terrain: &Terrain, obstacles: &[LevelObstacle], extent: f64) -> CoarseHeights {
        let half = (extent / MAP_CELL) as usize + 1;
        let (side, origin) = (2 * half + 1, -(half as f64) * MAP_CELL);
        let at = |n: usize| origin + n as f64 * MAP_CELL;
        let points: Vec<[f64; 2]> =
            (0..side * side).map(|n| [at(n % side), at(n / side)]).collect();
        let mut heights = vec![0.0; points.len()];
        terrain.heights(&points, &mut heights);
        for thing in obstacles {
            let ([x, y], reach) = (thing.place, 0.5 * (thing.diameter + MAP_CELL));
            let top = terrain.height(x, y) + thing.height();
            let first = |v: f64| ((v - reach - origin) / MAP_CELL).ceil().max(0.0) as usize;
            let last = |v: f64| ((v + reach - origin) / MAP_CELL) as usize;
            for j in first(y)..=last(y).min(side - 1) {
                for i in first(x)..=last(x).min(side - 1) {
                    heights[j * side + i] = heights[j * side + i].max(top);
                }
            }
        }
        CoarseHeights { heights, side, origin }
    }

    /// Height at a position by bilinear interpolation, m; beyond the edge the height of the edge.
    pub(super) fn height(&self, x: f64, y: f64) -> f64 {
        let last = (self.side - 1) as f64;
        let along = |v: f64| ((v - self.origin) / MAP_CELL).clamp(0.0, last);
        let (a, b) = (along(x), along(y));
        let (i, j) = ((a as usize).min(self.side - 2), (b as usize).min(self.side - 2));
        let (s, t) = (a - i as f64, b - j as f64);
        let row = |j: usize| {
            let [left, right] = [i, i + 1].map(|i| self.heights[j * self.side + i]);
            left + s * (right - left)
        };
        let [lower, upper] = [row(j), row(j + 1)];
        lower + t * (upper - lower)
    }
}
