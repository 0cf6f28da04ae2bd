//! The rectangle of whole tiles in which a vehicle plans.

use super::elevation_map::{MapTileKey, TILE};
use serde::{Deserialize, Serialize};

/// A rectangle of tiles of the map, row by row; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapArea {
    /// Tile at the corner with the smallest coordinates.
    pub first: MapTileKey,
    /// Tiles along x.
    pub columns: usize,
    /// Tiles along y.
    pub rows: usize,
}

/// Largest number of tiles along a side: 16 km of cells of 0.5 m.
const MOST: usize = 1024;

impl MapArea {
    /// The tiles that a rectangle touches.
    ///
    /// The rectangle is given by its minimum and maximum corners, m; `cell` is the side of a cell,
    /// m.
    pub fn spanning([least, greatest]: [[f64; 2]; 2], cell: f64) -> MapArea {
        let side = cell * TILE as f64;
        let first = least.map(|x| (x / side).floor() as i32);
        let count = |k: usize| {
            let last = (greatest[k] / side).ceil() as i32;
            (last.saturating_sub(first[k]).max(1) as usize).min(MOST)
        };
        MapArea {
            first: MapTileKey { a: first[0], b: first[1] },
            columns: count(0),
            rows: count(1),
        }
    }

    /// The tiles around some positions, m, with a margin, m.
    pub fn around(places: &[[f64; 2]], margin: f64, cell: f64) -> MapArea {
        let fold = |k: usize, pick: fn(f64, f64) -> f64| {
            places.iter().map(|place| place[k]).reduce(pick).unwrap_or_default()
        };
        let least = [0, 1].map(|k| fold(k, f64::min) - margin);
        let greatest = [0, 1].map(|k| fold(k, f64::max) + margin);
        MapArea::spanning([least, greatest], cell)
    }

    /// Returns the area, grown if necessary to contain a position, m, with a margin, m, around it.
    pub fn including(&self, place: [f64; 2], margin: f64, cell: f64) -> MapArea {
        let own = MapArea::around(&[place], margin, cell);
        let holds = |key: MapTileKey| self.has(key);
        let last = MapTileKey {
            a: own.first.a + own.columns as i32 - 1,
            b: own.first.b + own.rows as i32 - 1,
        };
        if holds(own.first) && holds(last) {
            return *self;
        }
        let first =
            MapTileKey { a: self.first.a.min(own.first.a), b: self.first.b.min(own.first.b) };
        let end = |first: i32, count: usize| first.saturating_add(count as i32);
        let a = end(self.first.a, self.columns).max(end(own.first.a, own.columns));
        let b = end(self.first.b, self.rows).max(end(own.first.b, own.rows));
        let span = |end: i32, first: i32| (end.saturating_sub(first) as usize).min(MOST);
        MapArea { first, columns: span(a, first.a), rows: span(b, first.b) }
    }

    /// Number of cells along x.
    pub fn width(&self) -> usize {
        self.columns * TILE
    }

    /// Number of cells along y.
    pub fn height(&self) -> usize {
        self.rows * TILE
    }

    /// First cell (column, row) of the area, in cells of the map.
    pub fn corner(&self) -> [i32; 2] {
        self.first.first()
    }

    /// Index of a cell (column, row) of the map in row-major order, if it lies in the area.
    #[inline]
    pub fn index(&self, [i, j]: [i32; 2]) -> Option<usize> {
        let [i0, j0] = self.corner();
        let (i, j) = (i.wrapping_sub(i0) as u32 as usize, j.wrapping_sub(j0) as u32 as usize);
        (i < self.width() && j < self.height()).then(|| j * self.width() + i)
    }

    /// Tiles along the edges of the area.
    pub fn rim(&self) -> impl Iterator<Item = MapTileKey> {
        let MapArea { first, columns, rows } = *self;
        let all = (0..rows).flat_map(move |b| (0..columns).map(move |a| (a, b)));
        let rim =
            all.filter(move |(a, b)| *a == 0 || *b == 0 || *a + 1 == columns || *b + 1 == rows);
        rim.map(move |(a, b)| MapTileKey { a: first.a + a as i32, b: first.b + b as i32 })
    }

    /// Returns whether a tile lies in the area.
    pub fn has(&self, key: MapTileKey) -> bool {
        let (a, b) = (key.a.wrapping_sub(self.first.a), key.b.wrapping_sub(self.first.b));
        (a as u32 as usize) < self.columns && (b as u32 as usize) < self.rows
    }
}
