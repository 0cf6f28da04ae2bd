//! The heights of a GeoTIFF, tile by tile or strip by strip.

use crate::terrain::error::TerrainError;
use std::io::{Read, Seek};
use tiff::decoder::{ChunkType, Decoder, DecodingResult};
use tiff::tags::Tag;

/// How an image is cut into tiles, or into strips as wide as itself: row by row from its
/// north-west corner.
#[derive(Clone, Copy, Debug)]
pub(in crate::terrain) struct Chunks {
    image: [usize; 2],
    /// Columns and rows of a chunk that the image's edge does not cut.
    size: [usize; 2],
    /// Chunks side by side, and one below the other.
    count: [usize; 2],
    tiles: bool,
}

/// Heights of a chunk in the unit of the file, row by row; NaN where there is no data. What
/// 32 bits hold exactly is held in 32.
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

    pub fn len(&self) -> usize {
        match self {
            Heights::Single(heights) => heights.len(),
            Heights::Double(heights) => heights.len(),
        }
    }

    /// Length in memory, bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Heights::Single(heights) => size_of_val(&**heights),
            Heights::Double(heights) => size_of_val(&**heights),
        }
    }
}

/// What a chunk was decoded to, with gaps marked.
fn heights(decoded: DecodingResult, gap: Option<f64>) -> Heights {
    fn single<T: Into<f32>>(values: Vec<T>, is_gap: impl Fn(f32) -> bool) -> Heights {
        let read = |value: T| {
            let value = value.into();
            if is_gap(value) || !value.is_finite() { f32::NAN } else { value }
        };
        Heights::Single(values.into_iter().map(read).collect())
    }
    let double = |values: Vec<f64>| {
        let read =
            |value: f64| if gap == Some(value) || !value.is_finite() { f64::NAN } else { value };
        Heights::Double(values.into_iter().map(read).collect())
    };
    let exactly = |value: f32| gap == Some(f64::from(value));
    match decoded {
        DecodingResult::U8(v) => single(v, exactly),
        DecodingResult::I8(v) => single(v, exactly),
        DecodingResult::U16(v) => single(v, exactly),
        DecodingResult::I16(v) => single(v, exactly),
        DecodingResult::F16(v) => single(v, exactly),
        // A gap is compared as it was stored: GDAL writes f32 gaps as f64 text.
        DecodingResult::F32(v) => single(v, |value| gap.map(|g| g as f32) == Some(value)),
        DecodingResult::U32(v) => double(v.into_iter().map(f64::from).collect()),
        DecodingResult::I32(v) => double(v.into_iter().map(f64::from).collect()),
        DecodingResult::U64(v) => double(v.into_iter().map(|x| x as f64).collect()),
        DecodingResult::I64(v) => double(v.into_iter().map(|x| x as f64).collect()),
        DecodingResult::F64(v) => double(v),
    }
}

impl Chunks {
    /// Those of the image that a file is at.
    pub fn of<R: Read + Seek>(file: &Decoder<R>, image: [usize; 2]) -> Chunks {
        let (columns, rows) = file.chunk_dimensions();
        let size = [(columns as usize).min(image[0]), (rows as usize).min(image[1])];
        let count = [0, 1].map(|k| image[k].div_ceil(size[k]));
        Chunks { image, size, count, tiles: file.get_chunk_type() == ChunkType::Tile }
    }

    pub fn len(&self) -> usize {
        self.count[0] * self.count[1]
    }

    /// The chunk that holds a cell in a column from the west and a row from the north.
    #[inline]
    pub fn holding(&self, column: usize, row: usize) -> usize {
        row / self.size[1] * self.count[0] + column / self.size[0]
    }

    /// Columns of a chunk.
    #[inline]
    pub fn width(&self, chunk: usize) -> usize {
        self.size[0].min(self.image[0] - chunk % self.count[0] * self.size[0])
    }

    /// Place of a cell among the heights of the chunk that holds it.
    #[inline]
    pub fn place(&self, column: usize, row: usize) -> usize {
        row % self.size[1] * self.width(column / self.size[0]) + column % self.size[0]
    }

    /// Chunks that hold cells of a part of the image: its first and last column and row.
    pub fn about(
        &self,
        columns: [usize; 2],
        rows: [usize; 2],
    ) -> impl Iterator<Item = usize> + use<> {
        let across = columns.map(|column| column / self.size[0]);
        let down = rows.map(|row| row / self.size[1]);
        let count = self.count[0];
        (down[0]..=down[1]).flat_map(move |d| (across[0]..=across[1]).map(move |a| d * count + a))
    }

    /// First column and row of a chunk, and how many it has.
    pub fn extent(&self, chunk: usize) -> ([usize; 2], [usize; 2]) {
        let first = [chunk % self.count[0] * self.size[0], chunk / self.count[0] * self.size[1]];
        (first, [self.width(chunk), self.size[1].min(self.image[1] - first[1])])
    }

    /// Decodes a chunk.
    pub fn read<R: Read + Seek>(
        &self,
        file: &mut Decoder<R>,
        chunk: usize,
        gap: Option<f64>,
    ) -> Result<Heights, TerrainError> {
        let (_, [columns, rows]) = self.extent(chunk);
        let decoded = file.read_chunk(chunk as u32).map(|decoded| heights(decoded, gap));
        let cause = match decoded {
            Ok(heights) if heights.len() == columns * rows => return Ok(heights),
            Ok(heights) => format!("holds {} heights, not {}", heights.len(), columns * rows),
            Err(error) => error.to_string(),
        };
        Err(self.refused(file, chunk, cause))
    }

    /// The refusal of a chunk.
    pub fn refused<R: Read + Seek>(
        &self,
        file: &mut Decoder<R>,
        chunk: usize,
        cause: String,
    ) -> TerrainError {
        let (word, tag) = match self.tiles {
            true => ("tile", Tag::TileOffsets),
            false => ("strip", Tag::StripOffsets),
        };
        let offsets = file.find_tag_unsigned_vec::<u64>(tag).ok().flatten().unwrap_or_default();
        let offset = offsets.get(chunk).copied().unwrap_or_default();
        TerrainError::GeoTiffChunk { chunk: word, index: chunk, offset, cause }
    }
}
