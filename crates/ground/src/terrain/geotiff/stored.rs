//! Samples of an image of a TIFF, chunk by chunk.

use super::chunks::ChunkGrid;
use super::codec::Codec;
use super::{fault, refuse};
use crate::terrain::error::{DENSEST, SMALL, TerrainError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use tiff::decoder::{IfdDecoder, ifd::Value};
use tiff::tags::{ByteOrder, Tag};

/// Type of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleType {
    Bit,
    U8,
    I8,
    U16,
    I16,
    F16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
}

impl SampleType {
    fn of_tags(bits: u16, format: u16) -> Result<SampleType, TerrainError> {
        Ok(match (format, bits) {
            (1 | 4, 1) => SampleType::Bit,
            (1 | 4, 8) => SampleType::U8,
            (2, 8) => SampleType::I8,
            (1 | 4, 16) => SampleType::U16,
            (2, 16) => SampleType::I16,
            (3, 16) => SampleType::F16,
            (1 | 4, 32) => SampleType::U32,
            (2, 32) => SampleType::I32,
            (3, 32) => SampleType::F32,
            (1 | 4, 64) => SampleType::U64,
            (2, 64) => SampleType::I64,
            (3, 64) => SampleType::F64,
            (1..=4, _) => {
                let allowed = "8, 16, 32 or 64; convert it, for example with gdal_translate -ot \
                    Float32 -co NBITS=32 IN.tif OUT.tif";
                return Err(refuse("BitsPerSample", bits, allowed));
            }
            _ => {
                let allowed = "1 (unsigned), 2 (signed) or 3 (floating point)";
                return Err(refuse("SampleFormat", format, allowed));
            }
        })
    }

    pub fn bits(self) -> usize {
        match self {
            SampleType::Bit => 1,
            SampleType::U8 | SampleType::I8 => 8,
            SampleType::U16 | SampleType::I16 | SampleType::F16 => 16,
            SampleType::U32 | SampleType::I32 | SampleType::F32 => 32,
            SampleType::U64 | SampleType::I64 | SampleType::F64 => 64,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, SampleType::F16 | SampleType::F32 | SampleType::F64)
    }
}

/// Difference coding of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Predictor {
    None,
    /// The difference from the previous sample.
    Horizontal,
    /// The difference from the previous byte, most significant bytes of a row first.
    FloatingPoint,
}

/// An image of one band in a TIFF, and the positions of its chunks.
#[derive(Clone, Debug)]
pub(super) struct StoredImage {
    pub grid: ChunkGrid,
    pub sample: SampleType,
    tiles: bool,
    /// Columns of a chunk, including those outside the image.
    stored_columns: usize,
    /// First byte and length of each chunk. An absent chunk has a length of 0.
    ranges: Vec<[u64; 2]>,
    codec: Codec,
    predictor: Predictor,
    byte_order: ByteOrder,
}

/// Memory that the cells of absent chunks may occupy for a file of any length, bytes.
const ABSENT: u64 = 64 << 20;

fn unsigned(tags: &mut IfdDecoder<'_>, tag: Tag) -> Result<Option<u64>, TerrainError> {
    tags.find_tag_unsigned(tag).map_err(fault)
}

/// Returns the value of a tag that has one value per sample, or one for all.
fn alike(
    tags: &mut IfdDecoder<'_>,
    tag: Tag,
    name: &'static str,
    default: u16,
) -> Result<u16, TerrainError> {
    let values: Vec<u16> = tags.find_tag_unsigned_vec(tag).map_err(fault)?.unwrap_or_default();
    match values[..] {
        [] => Ok(default),
        [value] => Ok(value),
        _ => Err(refuse(name, format!("{values:?}"), "one value")),
    }
}

impl StoredImage {
    /// Returns the image of a directory; `bytes` is the length of the file.
    pub fn of_tags(
        tags: &mut IfdDecoder<'_>,
        byte_order: ByteOrder,
        bytes: u64,
    ) -> Result<StoredImage, TerrainError> {
        let required = |value: Option<u64>, name: &str| {
            value.ok_or_else(|| TerrainError::GeoTiff(format!("no {name}")))
        };
        let columns = required(unsigned(tags, Tag::ImageWidth)?, "ImageWidth")? as usize;
        let rows = required(unsigned(tags, Tag::ImageLength)?, "ImageLength")? as usize;
        if columns == 0 || rows == 0 {
            return Err(refuse("size", format!("{columns} x {rows}"), "at least 2 x 2"));
        }
        let samples = unsigned(tags, Tag::SamplesPerPixel)?.unwrap_or(1);
        if samples != 1 {
            let allowed = "1; select one band, for example with gdal_translate -b 1 IN.tif OUT.tif";
            return Err(refuse("SamplesPerPixel (bands)", samples, allowed));
        }
        let bits = alike(tags, Tag::BitsPerSample, "BitsPerSample", 1)?;
        let format = alike(tags, Tag::SampleFormat, "SampleFormat", 1)?;
        let sample = SampleType::of_tags(bits, format)?;
        let codec = match unsigned(tags, Tag::Compression)? {
            None => Codec::Uncompressed,
            Some(code) => Codec::from_tag(u16::try_from(code).unwrap_or(u16::MAX))?,
        };
        let predictor = match unsigned(tags, Tag::Predictor)?.unwrap_or(1) {
            // libtiff supports predictors for these two compressions only
            _ if !matches!(codec, Codec::Lzw | Codec::Deflate) => Predictor::None,
            1 => Predictor::None,
            2 if sample != SampleType::Bit => Predictor::Horizontal,
            3 if sample.is_float() => Predictor::FloatingPoint,
            other => {
                let allowed = "1, 2, or 3 for floating point";
                return Err(refuse("Predictor", other, allowed));
            }
        };
        let tiles = tags.directory().contains(Tag::TileOffsets);
        let size = if tiles {
            let side = |value, name| {
                let side = required(value, name)? as usize;
                if side == 0 { Err(refuse("tile size", 0, "above 0")) } else { Ok(side) }
            };
            let width = unsigned(tags, Tag::TileWidth)?;
            let length = unsigned(tags, Tag::TileLength)?;
            [side(width, "TileWidth")?, side(length, "TileLength")?]
        } else {
            let rows_per_strip = unsigned(tags, Tag::RowsPerStrip)?.unwrap_or(rows as u64);
            if rows_per_strip == 0 {
                return Err(refuse("RowsPerStrip", 0, "above 0"));
            }
            [columns, rows_per_strip.min(rows as u64) as usize]
        };
        let grid = ChunkGrid::new([columns, rows], size, false);
        let names = match tiles {
            true => [(Tag::TileOffsets, "TileOffsets"), (Tag::TileByteCounts, "TileByteCounts")],
            false => {
                [(Tag::StripOffsets, "StripOffsets"), (Tag::StripByteCounts, "StripByteCounts")]
            }
        };
        let mut columns_of_ranges = Vec::with_capacity(2);
        for (tag, name) in names {
            let values: Option<Vec<u64>> = tags.find_tag_unsigned_vec(tag).map_err(fault)?;
            let values = values.ok_or_else(|| TerrainError::GeoTiff(format!("no {name}")))?;
            if values.len() < grid.len() {
                let found = format!("{} values", values.len());
                return Err(TerrainError::GeoTiff(format!(
                    "{name} has {found} for {} chunks",
                    grid.len()
                )));
            }
            columns_of_ranges.push(values);
        }
        let ranges: Vec<[u64; 2]> = columns_of_ranges[0]
            .iter()
            .zip(&columns_of_ranges[1])
            .take(grid.len())
            .map(|(offset, length)| [*offset, *length])
            .collect();
        let stored_columns = size[0];
        let image = StoredImage {
            grid,
            sample,
            tiles,
            stored_columns,
            ranges,
            codec,
            predictor,
            byte_order,
        };
        image.check_length(size, bytes)?;
        Ok(image)
    }

    /// Rejects chunks that cannot be in a file of this length, before memory is allocated for them.
    fn check_length(&self, size: [usize; 2], bytes: u64) -> Result<(), TerrainError> {
        let memory = |columns: usize, rows: usize| {
            (columns as u64).saturating_mul(rows as u64).saturating_mul(self.sample.bits() as u64)
                / 8
        };
        let most = bytes.saturating_mul(DENSEST);
        let [columns, rows] = self.grid.image();
        let overstated = |length: u64, least: u64| length > most.max(least);
        let largest = memory(self.grid.size()[0], self.grid.size()[1]);
        let present: u64 = (0..self.grid.len())
            .filter(|chunk| !self.is_absent(*chunk))
            .map(|chunk| {
                let (_, [columns, rows]) = self.grid.extent(chunk);
                memory(columns, rows)
            })
            .fold(0, u64::saturating_add);
        let row = if present > 0 { memory(size[0], 1) } else { 0 };
        if overstated(present, SMALL) || overstated(row, SMALL) || overstated(largest, ABSENT) {
            return Err(TerrainError::Overstated { format: "geotiff", columns, rows, bytes });
        }
        Ok(())
    }

    /// Rejects an image that takes more memory than a file of this length may use, for callers that
    /// hold all of it. Absent chunks take no space in the file.
    pub fn check_held(&self, bytes: u64) -> Result<(), TerrainError> {
        let [columns, rows] = self.grid.image();
        let cells = (columns as u64).saturating_mul(rows as u64);
        let length = cells.saturating_mul(self.sample.bits() as u64) / 8;
        let held = cells.saturating_mul(size_of::<f64>() as u64);
        let is_small = length <= bytes.saturating_mul(DENSEST).max(SMALL) || held <= ABSENT;
        if is_small {
            return Ok(());
        }
        Err(TerrainError::Overstated { format: "geotiff", columns, rows, bytes })
    }

    /// Sets whether the first row of the file is the south row.
    pub fn set_south_up(&mut self, south_up: bool) {
        self.grid = ChunkGrid::new(self.grid.image(), self.grid.size(), south_up);
    }

    /// Returns whether a chunk was never written: its byte count is 0.
    pub fn is_absent(&self, chunk: usize) -> bool {
        self.ranges[chunk][1] == 0
    }

    /// Calls `take` for each row of a chunk in the order of the file. Samples are little-endian;
    /// those outside the image are omitted. An absent chunk has no rows.
    pub fn read_rows<R: Read + Seek>(
        &self,
        source: &mut R,
        chunk: usize,
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), TerrainError> {
        if self.is_absent(chunk) {
            return Ok(());
        }
        self.decode_rows(source, chunk, &mut take).map_err(|error| {
            let cause = match error.kind() {
                ErrorKind::UnexpectedEof => "ends before its last cell".to_string(),
                _ => error.to_string(),
            };
            self.refused(chunk, cause)
        })
    }

    fn decode_rows<R: Read + Seek>(
        &self,
        source: &mut R,
        chunk: usize,
        take: &mut dyn FnMut(&[u8]),
    ) -> io::Result<()> {
        let (_, [columns, rows]) = self.grid.extent(chunk);
        let [offset, length] = self.ranges[chunk];
        let row_bytes = |columns: usize| (columns * self.sample.bits()).div_ceil(8);
        let mut row = vec![0; row_bytes(self.stored_columns)];
        let mut spare = Vec::new();
        source.seek(SeekFrom::Start(offset))?;
        let mut reader = self.codec.reader(source.by_ref().take(length));
        for _ in 0..rows {
            reader.read_exact(&mut row)?;
            self.restore(&mut row, &mut spare);
            take(&row[..row_bytes(columns)]);
        }
        Ok(())
    }

    /// Reverses the predictor and the byte order of a row.
    fn restore(&self, row: &mut [u8], spare: &mut Vec<u8>) {
        let bytes = self.sample.bits().div_ceil(8);
        if self.predictor == Predictor::FloatingPoint {
            for k in 1..row.len() {
                row[k] = row[k].wrapping_add(row[k - 1]);
            }
            spare.clear();
            spare.extend_from_slice(row);
            let samples = row.len() / bytes;
            for (index, sample) in row.chunks_exact_mut(bytes).enumerate() {
                for (k, byte) in sample.iter_mut().rev().enumerate() {
                    *byte = spare[k * samples + index];
                }
            }
            return;
        }
        if self.byte_order == ByteOrder::BigEndian && bytes > 1 {
            row.chunks_exact_mut(bytes).for_each(<[u8]>::reverse);
        }
        if self.predictor == Predictor::Horizontal {
            let mut before = 0_u64;
            for sample in row.chunks_exact_mut(bytes) {
                let mut word = [0; 8];
                word[..bytes].copy_from_slice(sample);
                // higher bytes of the sum are discarded
                before = before.wrapping_add(u64::from_le_bytes(word));
                sample.copy_from_slice(&before.to_le_bytes()[..bytes]);
            }
        }
    }

    /// Returns the error for a chunk.
    pub fn refused(&self, chunk: usize, cause: String) -> TerrainError {
        let word = if self.tiles { "tile" } else { "strip" };
        TerrainError::GeoTiffChunk {
            chunk: word,
            index: chunk,
            offset: self.ranges[chunk][0],
            cause,
        }
    }
}

/// Returns the text of a tag, if there is one.
pub(super) fn text(tags: &mut IfdDecoder<'_>, tag: Tag) -> Result<Option<String>, TerrainError> {
    match tags.find_tag(tag).map_err(fault)? {
        None => Ok(None),
        // text in another encoding is ignored
        Some(value) => Ok(Value::into_string(value).ok()),
    }
}
