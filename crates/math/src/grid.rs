//! The lattice of soil nodes and its tiles.
//!
//! Node (i, j) is at (i s, j s) in the world for all integers i and j, where s is the spacing; it
//! represents the square of area s² around it. Tiles of [`TILE`] x [`TILE`] nodes group neighbors
//! for storage. Tile (a, b) holds the nodes i in [16 a, 16 a + 16), j in [16 b, 16 b + 16) in
//! row-major order, j counting rows.

use serde::{Deserialize, Serialize};

/// Nodes along the side of a tile.
pub const TILE: usize = 16;
/// Nodes in a tile.
pub const TILE_NODES: usize = TILE * TILE;
const TILE_SHIFT: u32 = TILE.trailing_zeros();

/// Key of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TileKey {
    /// Column of tiles, counted along x.
    pub a: i32,
    /// Row of tiles, counted along y.
    pub b: i32,
}

/// Indices of a node on the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Node {
    /// Column, counted along x.
    pub i: i32,
    /// Row, counted along y.
    pub j: i32,
}

impl Node {
    /// Returns the tile that holds this node.
    #[inline]
    pub fn tile(self) -> TileKey {
        TileKey { a: self.i >> TILE_SHIFT, b: self.j >> TILE_SHIFT }
    }

    /// Returns the index of this node within its tile.
    #[inline]
    pub fn index(self) -> usize {
        let mask = TILE as i32 - 1;
        (((self.j & mask) << TILE_SHIFT) | (self.i & mask)) as usize
    }
}

impl TileKey {
    /// Returns the node at `index` of this tile.
    #[inline]
    pub fn node(self, index: usize) -> Node {
        Node {
            i: (self.a << TILE_SHIFT) + (index % TILE) as i32,
            j: (self.b << TILE_SHIFT) + (index / TILE) as i32,
        }
    }
}

/// A lattice of nodes with its spacing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lattice {
    /// Distance between neighboring nodes, m.
    pub spacing: f64,
}

impl Lattice {
    /// Returns the world position of a node, m.
    #[inline]
    pub fn position(&self, node: Node) -> [f64; 2] {
        [f64::from(node.i) * self.spacing, f64::from(node.j) * self.spacing]
    }

    /// Returns the node nearest to (x, y).
    #[inline]
    pub fn nearest(&self, x: f64, y: f64) -> Node {
        Node {
            i: (x / self.spacing + 0.5).floor() as i32,
            j: (y / self.spacing + 0.5).floor() as i32,
        }
    }

    /// Returns the area that a node represents, m².
    #[inline]
    pub fn cell_area(&self) -> f64 {
        self.spacing * self.spacing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_partition_the_lattice() {
        for (i, j) in [(0, 0), (-1, -1), (15, 16), (-16, -17), (1000, -999)] {
            let node = Node { i, j };
            assert_eq!(node.tile().node(node.index()), node);
        }
        assert_eq!(Node { i: -1, j: 0 }.tile(), TileKey { a: -1, b: 0 });
    }
}
