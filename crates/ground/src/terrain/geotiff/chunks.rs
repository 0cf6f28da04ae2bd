//! Division of an image into tiles or strips.

/// Division of an image into tiles, or into strips as wide as the image, in row-major order from
/// the first row of the file. Columns and rows count from the north-west corner.
#[derive(Clone, Copy, Debug)]
pub(in crate::terrain) struct ChunkGrid {
    image: [usize; 2],
    /// Columns and rows of a chunk that is not clipped by the image's edge.
    size: [usize; 2],
    /// Number of chunks along a row and along a column.
    count: [usize; 2],
    /// Whether the first row of the file is the south row.
    south_up: bool,
}

impl ChunkGrid {
    /// Creates the grid of an image of these columns and rows, in chunks of at most this size.
    pub fn new(image: [usize; 2], size: [usize; 2], south_up: bool) -> ChunkGrid {
        let size = [0, 1].map(|k| size[k].min(image[k]).max(1));
        let count = [0, 1].map(|k| image[k].div_ceil(size[k]));
        ChunkGrid { image, size, count, south_up }
    }

    pub fn image(&self) -> [usize; 2] {
        self.image
    }

    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    pub fn is_south_up(&self) -> bool {
        self.south_up
    }

    pub fn len(&self) -> usize {
        self.count[0].saturating_mul(self.count[1])
    }

    /// Returns the row of the file for a row from the north, and the reverse.
    #[inline]
    fn stored_row(&self, row: usize) -> usize {
        if self.south_up { self.image[1] - 1 - row } else { row }
    }

    /// Returns the chunk that contains the cell in a column from the west and a row from the north.
    #[inline]
    pub fn chunk_of(&self, column: usize, row: usize) -> usize {
        self.stored_row(row) / self.size[1] * self.count[0] + column / self.size[0]
    }

    /// Returns the number of columns of a chunk.
    #[inline]
    pub fn width(&self, chunk: usize) -> usize {
        self.size[0].min(self.image[0] - chunk % self.count[0] * self.size[0])
    }

    /// Returns the index of a cell among the heights of its chunk, in row-major order from the
    /// north.
    #[inline]
    pub fn index_in_chunk(&self, column: usize, row: usize) -> usize {
        let stored = self.stored_row(row);
        let from_first = stored % self.size[1];
        let line = if self.south_up {
            let first = stored - from_first;
            self.size[1].min(self.image[1] - first) - 1 - from_first
        } else {
            from_first
        };
        line * self.width(column / self.size[0]) + column % self.size[0]
    }

    /// Returns the chunks that contain cells of a part of the image, given by its first and last
    /// column and row.
    pub fn overlapping(
        &self,
        columns: [usize; 2],
        rows: [usize; 2],
    ) -> impl Iterator<Item = usize> + use<> {
        let across = columns.map(|column| column / self.size[0]);
        let mut down = rows.map(|row| self.stored_row(row) / self.size[1]);
        down.sort_unstable();
        let count = self.count[0];
        (down[0]..=down[1]).flat_map(move |d| (across[0]..=across[1]).map(move |a| d * count + a))
    }

    /// Returns the first column and row of a chunk, and its number of columns and rows.
    pub fn extent(&self, chunk: usize) -> ([usize; 2], [usize; 2]) {
        let first = [chunk % self.count[0] * self.size[0], chunk / self.count[0] * self.size[1]];
        let rows = self.size[1].min(self.image[1] - first[1]);
        let north = if self.south_up { self.image[1] - first[1] - rows } else { first[1] };
        ([first[0], north], [self.width(chunk), rows])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_its_place_whichever_row_is_first() {
        for south_up in [false, true] {
            let grid = ChunkGrid::new([11, 7], [4, 3], south_up);
            let mut cells = vec![0; 11 * 7];
            for chunk in 0..grid.len() {
                let ([west, north], [columns, rows]) = grid.extent(chunk);
                for row in north..north + rows {
                    for column in west..west + columns {
                        cells[row * 11 + column] += 1;
                        assert_eq!(grid.chunk_of(column, row), chunk);
                        let place = (row - north) * columns + column - west;
                        assert_eq!(grid.index_in_chunk(column, row), place);
                    }
                }
            }
            assert!(cells.iter().all(|count| *count == 1));
            let about: Vec<usize> = grid.overlapping([3, 5], [0, 2]).collect();
            for row in 0..3 {
                for column in 3..6 {
                    assert!(about.contains(&grid.chunk_of(column, row)));
                }
            }
        }
    }
}
