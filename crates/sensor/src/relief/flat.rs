//! The ground as words for another processor: both windows, tile by tile.
//!
//! A window is its corners row by row, then its lids level by level, each the slopes
//! along x and y and the height; behind both stands which tile each near cell has, 0
//! for none, else its place + 1. A tile is its nodes and its lids.

use super::pyramid::lids;
use super::tile::{Mark, NODES, TileRelief};
use super::{LEVELS, Lid, Relief, SIDE, Window};
use bekker_math::grid::TILE;
use bekker_math::spatial::Vec3;

/// Numbers by which the words are found.
#[derive(Clone, Copy, Debug)]
pub struct Shape;

impl Shape {
    /// Cells along a side of a window.
    pub const SIDE: usize = SIDE;
    /// Its levels of lids.
    pub const LEVELS: u32 = LEVELS;
    /// Corners of a window.
    pub const CORNERS: usize = (SIDE + 1) * (SIDE + 1);
    /// Words of a window.
    pub const WINDOW: usize = Shape::CORNERS + 3 * lids(LEVELS);
    /// Words of both windows and of which cell has which tile.
    pub const WINDOWS: usize = 2 * Shape::WINDOW + SIDE * SIDE;
    /// Nodes along a side of a tile.
    pub const NODES: usize = NODES;
    /// Levels of lids of a tile.
    pub const TILE_LEVELS: u32 = TILE.trailing_zeros();
    /// Words of a tile.
    pub const TILE: usize = NODES * NODES + 3 * lids(Shape::TILE_LEVELS);
}

/// A tile with all of its nodes.
#[derive(Clone, Copy, Debug)]
pub struct FlatTile<'a>(&'a TileRelief);

/// Where a point is over a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Over {
    /// Its cell.
    pub cell: [i64; 2],
    /// Where in it, 0 to 1.
    pub part: [f64; 2],
    /// Length of a cell, m.
    pub length: f64,
    /// Height above what nothing in the window rises above, m.
    pub clear: f64,
}

impl Relief {
    /// First cells of the windows: where one has moved, all its words are others.
    pub fn corners(&self) -> [[i64; 2]; 2] {
        [self.near.corner, self.far.corner]
    }

    /// Merges of the published ground that it has taken over.
    pub fn merges(&self) -> u64 {
        self.merges
    }

    /// Distance of nodes, m, and the height that all others are relative to, m.
    pub fn spacing_and_datum(&self) -> [f64; 2] {
        [self.near.spacing, self.near.datum]
    }

    /// Adds the words of both windows.
    pub fn flat(&self, words: &mut Vec<u32>) {
        for window in [&self.near, &self.far] {
            words.extend(window.corners.iter().map(|height| height.to_bits()));
            words.extend(window.lids.iter().flat_map(flat_lid));
        }
        self.flat_cells(words);
    }

    /// Adds the lids of the near window: of what stands before the far one, that which
    /// changes with a tile.
    pub fn flat_lids(&self, words: &mut Vec<u32>) {
        words.extend(self.near.lids.iter().flat_map(flat_lid));
    }

    /// Adds which near cell has which tile, the words behind both windows.
    pub fn flat_cells(&self, words: &mut Vec<u32>) {
        words.extend(&self.near.fine_of);
    }

    /// Its tiles in their places.
    pub fn tiles(&self) -> impl ExactSizeIterator<Item = FlatTile<'_>> {
        self.near.fine.iter().map(|tile| FlatTile(tile))
    }

    /// Where a point is over the windows.
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
    /// The count of merges at which it was last looked at.
    pub fn renewed(&self) -> u64 {
        self.0.renewed
    }

    /// Adds its words.
    pub fn flat(&self, words: &mut Vec<u32>) {
        words.extend(self.0.nodes.iter().map(|height| height.to_bits()));
        words.extend(self.0.lids.iter().flat_map(flat_lid));
    }

    /// What vehicles have left at its nodes.
    pub fn marks(&self) -> Option<&[Mark]> {
        self.0.marks.as_deref().map(|marks| marks.as_slice())
    }
}

fn flat_lid(lid: &Lid) -> [u32; 3] {
    [lid.slope[0], lid.slope[1], lid.height].map(f32::to_bits)
}
