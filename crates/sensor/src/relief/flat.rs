//! Relief as 32-bit words for the GPU: both windows, tile by tile.
//!
//! A window is its corners row by row, then its lids level by level. A lid is the slopes along x
//! and y and the height. Behind both windows follows the tile of each near cell: 0 for none, else
//! its index + 1. A tile is its nodes and its lids.

use super::pyramid::lids;
use super::tile::{Mark, NODES, TileRelief};
use super::{LEVELS, Lid, Relief, SIDE, Window};
use bekker_math::grid::TILE;
use bekker_math::spatial::Vec3;

/// Sizes and offsets of the words.
#[derive(Clone, Copy, Debug)]
pub struct Shape;

impl Shape {
    /// Cells along a side of a window.
    pub const SIDE: usize = SIDE;
    /// Levels of lids of a window.
    pub const LEVELS: u32 = LEVELS;
    /// Number of corners of a window.
    pub const CORNERS: usize = (SIDE + 1) * (SIDE + 1);
    /// Number of words of a window.
    pub const WINDOW: usize = Shape::CORNERS + 3 * lids(LEVELS);
    /// Number of words of both windows and of the tile index of each near cell.
    pub const WINDOWS: usize = 2 * Shape::WINDOW + SIDE * SIDE;
    /// Nodes along a side of a tile.
    pub const NODES: usize = NODES;
    /// Levels of lids of a tile.
    pub const TILE_LEVELS: u32 = TILE.trailing_zeros();
    /// Number of words of a tile.
    pub const TILE: usize = NODES * NODES + 3 * lids(Shape::TILE_LEVELS);
}

/// Tile with all of its nodes.
#[derive(Clone, Copy, Debug)]
pub struct FlatTile<'a>(&'a TileRelief);

/// Position of a point over a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Over {
    /// Cell below the point.
    pub cell: [i64; 2],
    /// Position in the cell, 0 to 1.
    pub part: [f64; 2],
    /// Length of a cell, m.
    pub length: f64,
    /// Height of the point above the window's highest point, m.
    pub clear: f64,
}

impl Relief {
    /// Returns the first cells of the windows; after a window has moved, all its words differ.
    pub fn corners(&self) -> [[i64; 2]; 2] {
        [self.near.corner, self.far.corner]
    }

    /// Returns the number of merges of the published ground that are included.
    pub fn merges(&self) -> u64 {
        self.merges
    }

    /// Returns the distance between nodes, m, and the datum of all heights, m.
    pub fn spacing_and_datum(&self) -> [f64; 2] {
        [self.near.spacing, self.near.datum]
    }

    /// Appends the words of both windows.
    pub fn flat(&self, words: &mut Vec<u32>) {
        for window in [&self.near, &self.far] {
            words.extend(window.corners.iter().map(|height| height.to_bits()));
            words.extend(window.lids.iter().flat_map(flat_lid));
        }
        self.flat_cells(words);
    }

    /// Appends the lids of the near window: the only words before the far window that change with a
    /// tile.
    pub fn flat_lids(&self, words: &mut Vec<u32>) {
        words.extend(self.near.lids.iter().flat_map(flat_lid));
    }

    /// Appends the tile index of each near cell: the words behind both windows.
    pub fn flat_cells(&self, words: &mut Vec<u32>) {
        words.extend(&self.near.fine_of);
    }

    /// Returns the tiles in the order of their indices.
    pub fn tiles(&self) -> impl ExactSizeIterator<Item = FlatTile<'_>> {
        self.near.fine.iter().map(|tile| FlatTile(tile))
    }

    /// Returns the position of a point over both windows.
    pub fn over(&self, at: &Vec3) -> [Over; 2] {
        [&self.near, &self.far].map(|window: &Window| {
            let length = window.cell();
            let place = [at.x, at.y].map(|x| x / length);
            let whole = place.map(f64::floor);
            Over {
                cell: [0, 1].map(|axis| whole[axis] as i64 - window.corner[axis]),
                part: [place[0] - whole[0], place[1] - whole[1]],
                length,
                clear: at.z - window.datum - window.top,
            }
        })
    }
}

impl FlatTile<'_> {
    /// Returns the merge count at which the tile was last updated.
    pub fn renewed(&self) -> u64 {
        self.0.renewed
    }

    /// Appends the words of the tile.
    pub fn flat(&self, words: &mut Vec<u32>) {
        words.extend(self.0.nodes.iter().map(|height| height.to_bits()));
        words.extend(self.0.lids.iter().flat_map(flat_lid));
    }

    /// Returns the traces of vehicles at the tile's nodes.
    pub fn marks(&self) -> Option<&[Mark]> {
        self.0.marks.as_deref().map(|marks| marks.as_slice())
    }
}

fn flat_lid(lid: &Lid) -> [u32; 3] {
    [lid.slope[0], lid.slope[1], lid.height].map(f32::to_bits)
}
