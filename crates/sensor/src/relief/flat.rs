//! Relief as 32-bit words for the GPU: both windows, tile by tile.
//!
//! A window is its corners row by row, then its lids level by level. A lid is the slopes along x
//! and y and the height. Behind both windows follows the tile of each near cell: 0 for none, else
//! its index + 1. A tile is its nodes and its lids.

use super::pyramid::bound_count;
use super::tile::{GroundMark, NODES, TileRelief};
use super::{HeightPyramid, LEVELS, SIDE, UpperBound, Window};
use bekker_math::grid::TILE;
use bekker_math::spatial::Vec3;

/// Sizes and offsets of the words.
#[derive(Clone, Copy, Debug)]
pub struct WordLayout;

impl WordLayout {
    /// Cells along a side of a window.
    pub const SIDE: usize = SIDE;
    /// Levels of lids of a window.
    pub const LEVELS: u32 = LEVELS;
    /// Number of corners of a window.
    pub const CORNERS: usize = (SIDE + 1) * (SIDE + 1);
    /// Number of words of a window.
    pub const WINDOW: usize = WordLayout::CORNERS + 3 * bound_count(LEVELS);
    /// Number of words of both windows and of the tile index of each near cell.
    pub const WINDOWS: usize = 2 * WordLayout::WINDOW + SIDE * SIDE;
    /// Nodes along a side of a tile.
    pub const NODES: usize = NODES;
    /// Levels of lids of a tile.
    pub const TILE_LEVELS: u32 = TILE.trailing_zeros();
    /// Number of words of a tile.
    pub const TILE: usize = NODES * NODES + 3 * bound_count(WordLayout::TILE_LEVELS);
}

/// Tile with all of its nodes.
#[derive(Clone, Copy, Debug)]
pub struct FlatTile<'a>(&'a TileRelief);

/// Position of a point over a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowPosition {
    /// Cell below the point.
    pub cell: [i64; 2],
    /// Position in the cell, 0 to 1.
    pub part: [f64; 2],
    /// Length of a cell, m.
    pub length: f64,
    /// Height of the point above the window's highest point, m.
    pub clear: f64,
}

impl HeightPyramid {
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
    pub fn write_words(&self, words: &mut Vec<u32>) {
        for window in [&self.near, &self.far] {
            words.extend(window.corners.iter().map(|height| height.to_bits()));
            words.extend(window.upper_bounds.iter().flat_map(bound_words));
        }
        self.write_cells(words);
    }

    /// Appends the lids of the near window: the only words before the far window that change with a
    /// tile.
    pub fn write_bounds(&self, words: &mut Vec<u32>) {
        words.extend(self.near.upper_bounds.iter().flat_map(bound_words));
    }

    /// Appends the tile index of each near cell: the words behind both windows.
    pub fn write_cells(&self, words: &mut Vec<u32>) {
        words.extend(&self.near.fine_of);
    }

    /// Returns the tiles in the order of their indices.
    pub fn tiles(&self) -> impl ExactSizeIterator<Item = FlatTile<'_>> {
        self.near.fine.iter().map(|tile| FlatTile(tile))
    }

    /// Returns the position of a point over both windows.
    pub fn window_positions(&self, at: &Vec3) -> [WindowPosition; 2] {
        [&self.near, &self.far].map(|window: &Window| {
            let length = window.cell();
            let place = [at.x, at.y].map(|x| x / length);
            let whole = place.map(f64::floor);
            WindowPosition {
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
    pub fn revision(&self) -> u64 {
        self.0.revision
    }

    /// Appends the words of the tile.
    pub fn write_words(&self, words: &mut Vec<u32>) {
        words.extend(self.0.nodes.iter().map(|height| height.to_bits()));
        words.extend(self.0.upper_bounds.iter().flat_map(bound_words));
    }

    /// Returns the traces of vehicles at the tile's nodes.
    pub fn marks(&self) -> Option<&[GroundMark]> {
        self.0.marks.as_deref().map(|marks| marks.as_slice())
    }
}

fn bound_words(lid: &UpperBound) -> [u32; 3] {
    [lid.slope[0], lid.slope[1], lid.height].map(f32::to_bits)
}
