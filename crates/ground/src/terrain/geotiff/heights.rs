//! Heights of a GeoTIFF, chunk by chunk, with gaps marked.

use super::chunks::ChunkGrid;
use super::stored::{SampleType, StoredImage};
use crate::terrain::error::TerrainError;
use crate::terrain::no_data_value::NoDataValue;
use std::io::{Cursor, Read, Seek};

/// Heights of a chunk in the unit of the file, in row-major order from the north; NaN where there
/// is no data. Samples that 32 bits represent exactly are stored in 32 bits.
#[derive(Debug)]
pub(in crate::terrain) enum Heights {
    Single(Box<[f32]>),
    Double(Box<[f64]>),
}

impl Heights {
    #[inline]
    pub fn get(&self, index: usize) -> f64 {
        match self {
            Heights::Single(heights) => f64::from(heights[index]),
            Heights::Double(heights) => heights[index],
        }
    }

    /// Returns the size in memory, bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Heights::Single(heights) => size_of_val(&**heights),
            Heights::Double(heights) => size_of_val(&**heights),
        }
    }

    fn set_gap(&mut self, index: usize) {
        match self {
            Heights::Single(heights) => heights[index] = f32::NAN,
            Heights::Double(heights) => heights[index] = f64::NAN,
        }
    }
}

/// An image that is 0 in cells without data.
#[derive(Debug)]
pub(super) struct Mask {
    pub image: StoredImage,
    /// The sidecar file of the mask; `None` if the mask is in the file of the heights.
    pub file: Option<Cursor<Vec<u8>>>,
    /// Recently decoded chunks, with a flag per cell.
    decoded: Vec<(usize, Vec<bool>)>,
}

impl Mask {
    pub fn new(image: StoredImage, file: Option<Cursor<Vec<u8>>>) -> Mask {
        Mask { image, file, decoded: Vec::new() }
    }

    /// Rejects a mask whose size differs from the raster's.
    pub fn check_size(&self, [columns, rows]: [usize; 2]) -> Result<(), TerrainError> {
        let [width, height] = self.image.grid.image();
        if [width, height] == [columns, rows] {
            return Ok(());
        }
        let cause = format!("has {width} x {height} cells, but the raster has {columns} x {rows}");
        Err(TerrainError::Sidecar { file: "mask", cause })
    }

    /// Marks the cells of a whole raster without data as gaps, in row-major order from the north.
    /// The mask must be in its own file.
    pub fn apply_to_all(&mut self, values: &mut [f64]) -> Result<(), TerrainError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let [columns, _] = self.image.grid.image();
        for chunk in 0..self.image.grid.len() {
            let cells = cells_with_data(&self.image, file, chunk)?;
            let ([west, north], [width, _]) = self.image.grid.extent(chunk);
            for (place, _) in cells.iter().enumerate().filter(|(_, has_data)| !**has_data) {
                let (row, column) = (north + place / width, west + place % width);
                values[row * columns + column] = f64::NAN;
            }
        }
        Ok(())
    }

    /// Marks the cells of a part of the image without data as gaps.
    fn apply<R: Read + Seek>(
        &mut self,
        source: &mut R,
        ([west, north], [columns, rows]): ([usize; 2], [usize; 2]),
        heights: &mut Heights,
    ) -> Result<(), TerrainError> {
        let grid = self.image.grid;
        let chunks: Vec<usize> =
            grid.overlapping([west, west + columns - 1], [north, north + rows - 1]).collect();
        // neighbors of a chunk often overlap the same chunks of the mask
        self.decoded.retain(|(chunk, _)| chunks.contains(chunk));
        for chunk in chunks {
            let place = match self.decoded.iter().position(|(own, _)| *own == chunk) {
                Some(place) => place,
                None => {
                    let cells = match &mut self.file {
                        Some(file) => cells_with_data(&self.image, file, chunk)?,
                        None => cells_with_data(&self.image, source, chunk)?,
                    };
                    self.decoded.push((chunk, cells));
                    self.decoded.len() - 1
                }
            };
            let cells = &self.decoded[place].1;
            let ([left, top], [width, height]) = grid.extent(chunk);
            for row in north.max(top)..(north + rows).min(top + height) {
                for column in west.max(left)..(west + columns).min(left + width) {
                    if !cells[(row - top) * width + column - left] {
                        heights.set_gap((row - north) * columns + column - west);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns whether each cell of a mask chunk is not 0. An absent chunk is 0.
fn cells_with_data<R: Read + Seek>(
    image: &StoredImage,
    source: &mut R,
    chunk: usize,
) -> Result<Vec<bool>, TerrainError> {
    let (_, [columns, rows]) = image.grid.extent(chunk);
    let mut cells = Vec::with_capacity(columns * rows);
    let bytes = image.sample.bits() / 8;
    image.read_rows(source, chunk, |row| {
        if image.sample == SampleType::Bit {
            cells.extend((0..columns).map(|k| row[k / 8] << (k % 8) & 0x80 != 0));
        } else {
            cells
                .extend(row.chunks_exact(bytes).map(|sample| sample.iter().any(|byte| *byte != 0)));
        }
    })?;
    cells.resize(columns * rows, false);
    if image.grid.is_south_up() {
        flip_rows(&mut cells, columns);
    }
    Ok(cells)
}

/// Reverses the order of rows.
fn flip_rows<T>(cells: &mut [T], columns: usize) {
    let rows = cells.len() / columns;
    for row in 0..rows / 2 {
        let (upper, lower) = cells.split_at_mut((rows - 1 - row) * columns);
        upper[row * columns..(row + 1) * columns].swap_with_slice(&mut lower[..columns]);
    }
}

/// Converts a half-precision number.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f32::from(bits & 0x3FF));
    sign * match exponent {
        0 => fraction / 16_777_216.0,
        0x1F if fraction == 0.0 => f32::INFINITY,
        0x1F => f32::NAN,
        _ => f32::from_bits(((exponent + 127 - 15) as u32) << 23) * (1.0 + fraction / 1024.0),
    }
}

/// Reads heights of a GeoTIFF.
#[derive(Debug)]
pub(in crate::terrain) struct HeightReader<R> {
    source: R,
    image: StoredImage,
    no_data: Option<NoDataValue>,
    mask: Option<Mask>,
}

impl<R: Read + Seek> HeightReader<R> {
    pub(super) fn new(
        source: R,
        image: StoredImage,
        no_data: Option<NoDataValue>,
        mask: Option<Mask>,
    ) -> HeightReader<R> {
        HeightReader { source, image, no_data, mask }
    }

    pub fn grid(&self) -> ChunkGrid {
        self.image.grid
    }

    pub(super) fn image(&self) -> &StoredImage {
        &self.image
    }

    /// Decodes a chunk.
    pub fn read(&mut self, chunk: usize) -> Result<Heights, TerrainError> {
        let extent = self.image.grid.extent(chunk);
        let [columns, rows] = extent.1;
        let mut heights = if self.image.is_absent(chunk) {
            // as in GDAL: filled with the value for gaps, or with 0
            let value = if self.no_data.is_some() { f32::NAN } else { 0.0 };
            Heights::Single(vec![value; columns * rows].into_boxed_slice())
        } else {
            self.decode(chunk, columns * rows)?
        };
        if self.image.grid.is_south_up() {
            match &mut heights {
                Heights::Single(heights) => flip_rows(heights, columns),
                Heights::Double(heights) => flip_rows(heights, columns),
            }
        }
        if let Some(mask) = &mut self.mask {
            mask.apply(&mut self.source, extent, &mut heights)?;
        }
        Ok(heights)
    }

    /// Returns the error for a chunk.
    pub fn refused(&self, chunk: usize, cause: String) -> TerrainError {
        self.image.refused(chunk, cause)
    }

    fn decode(&mut self, chunk: usize, cells: usize) -> Result<Heights, TerrainError> {
        let HeightReader { source, image, no_data, .. } = self;
        let mut decoder = RowDecoder { image, source, no_data: *no_data, chunk, cells };
        match image.sample {
            SampleType::Bit => decoder.single(|b: [u8; 1]| f32::from(b[0])),
            SampleType::U8 => decoder.single(|b: [u8; 1]| f32::from(b[0])),
            SampleType::I8 => decoder.single(|b: [u8; 1]| f32::from(b[0] as i8)),
            SampleType::U16 => decoder.single(|b| f32::from(u16::from_le_bytes(b))),
            SampleType::I16 => decoder.single(|b| f32::from(i16::from_le_bytes(b))),
            SampleType::F16 => decoder.single(|b| half(u16::from_le_bytes(b))),
            SampleType::F32 => decoder.single(f32::from_le_bytes),
            SampleType::U32 => decoder.double(|b| f64::from(u32::from_le_bytes(b))),
            SampleType::I32 => decoder.double(|b| f64::from(i32::from_le_bytes(b))),
            SampleType::U64 => decoder.double(|b| u64::from_le_bytes(b) as f64),
            SampleType::I64 => decoder.double(|b| i64::from_le_bytes(b) as f64),
            SampleType::F64 => decoder.double(f64::from_le_bytes),
        }
    }
}

struct RowDecoder<'a, R> {
    image: &'a StoredImage,
    source: &'a mut R,
    no_data: Option<NoDataValue>,
    chunk: usize,
    cells: usize,
}

impl<R: Read + Seek> RowDecoder<'_, R> {
    fn rows<const N: usize, T>(
        &mut self,
        convert: impl Fn([u8; N]) -> T,
    ) -> Result<Box<[T]>, TerrainError> {
        let mut values = Vec::with_capacity(self.cells);
        self.image.read_rows(self.source, self.chunk, |row| {
            let samples = row.chunks_exact(N);
            values.extend(samples.map(|sample| convert(sample.try_into().unwrap_or([0; N]))));
        })?;
        Ok(values.into_boxed_slice())
    }

    fn single<const N: usize>(
        &mut self,
        convert: impl Fn([u8; N]) -> f32,
    ) -> Result<Heights, TerrainError> {
        let no_data = self.no_data;
        let read = |sample| {
            let value = convert(sample);
            let is_gap = no_data.is_some_and(|no_data| no_data.marks(f64::from(value)));
            if is_gap || !value.is_finite() { f32::NAN } else { value }
        };
        self.rows(read).map(Heights::Single)
    }

    fn double<const N: usize>(
        &mut self,
        convert: impl Fn([u8; N]) -> f64,
    ) -> Result<Heights, TerrainError> {
        let no_data = self.no_data;
        let read = |sample| {
            let value = convert(sample);
            let is_gap = no_data.is_some_and(|no_data| no_data.marks(value));
            if is_gap || !value.is_finite() { f64::NAN } else { value }
        };
        self.rows(read).map(Heights::Double)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of IEEE 754-2008, table 3.5: largest, smallest normal, smallest.
    #[test]
    fn halves_are_read() {
        let cases = [
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x7BFF, 65504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0x3555, 0.333_251_95),
        ];
        for (bits, value) in cases {
            assert_eq!(half(bits), value, "{bits:#x}");
        }
        assert!(half(0x7C01).is_nan() && half(0xFC00) == f32::NEG_INFINITY);
    }

    #[test]
    fn rows_are_turned_over() {
        let mut cells: Vec<usize> = (0..15).collect();
        flip_rows(&mut cells, 3);
        assert_eq!(cells, [12, 13, 14, 9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2]);
    }
}
