//! Rasters as cloud-optimized GeoTIFF: tiles and overviews, with all directories at the front.
//!
//! The order is that of OGC standard 21-026. The directory of the full raster is first, then those
//! of its overviews from large to small. The tiles follow, from the smallest overview to the full
//! raster. Offsets of tiles are known only when all tiles are deflated, so the complete raster is
//! in memory.

use crate::geotiff::Georeference;
use crate::{ReportError, write_file};
use bekker_ground::terrain::geo_keys;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;
use std::io::{self, Write};
use std::path::Path;

/// Side of a tile, pixels.
const TILE: usize = 256;
/// Length of the file header, bytes: byte order, version, offset of the first directory.
const HEAD: usize = 8;

/// Square cells of a map, row by row from the north-west.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterGrid {
    /// Cells along x.
    pub columns: usize,
    /// Cells along y.
    pub rows: usize,
    /// Side of a cell, m.
    pub side: f64,
    /// North-west corner of the north-west cell, local frame, m.
    pub north_west: [f64; 2],
}

/// Content of a raster's cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RasterCells<'a> {
    /// Numbers; NaN for no data. A cell of an overview has the mean of four cells.
    Numbers(&'a [f32]),
    /// Codes of classes; 255 for no data. A cell of an overview has the code of the north-west cell
    /// of four.
    Classes(&'a [u8]),
}

/// The raster or an overview, with its deflated tiles.
struct Overview {
    columns: usize,
    rows: usize,
    tiles: Vec<Vec<u8>>,
}

/// Writes a raster; `description` states its content.
///
/// # Errors
/// [`ReportError`] if it cannot be written, or is larger than 4 GiB.
pub fn write(
    path: &Path,
    grid: &RasterGrid,
    cells: RasterCells<'_>,
    georeference: &Georeference,
    description: &str,
) -> Result<(), ReportError> {
    let bytes = encode(grid, cells, georeference, description);
    write_file(path, &bytes.map_err(ReportError::encode(path))?)
}

fn encode(
    grid: &RasterGrid,
    cells: RasterCells<'_>,
    georeference: &Georeference,
    description: &str,
) -> io::Result<Vec<u8>> {
    let levels = levels(grid, cells)?;
    let directories = |first_tile: usize| -> Vec<TagDirectory> {
        let mut place = first_tile;
        // tiles are in the order from the smallest level to the largest
        let mut offsets: Vec<Vec<u32>> = levels
            .iter()
            .rev()
            .map(|level| {
                level
                    .tiles
                    .iter()
                    .map(|tile| {
                        let at = place;
                        place += tile.len();
                        at as u32
                    })
                    .collect()
            })
            .collect();
        offsets.reverse();
        levels
            .iter()
            .zip(offsets)
            .enumerate()
            .map(|(n, (level, offsets))| {
                let place = (n == 0).then_some((grid, georeference, description));
                directory(level, cells, &offsets, place)
            })
            .collect()
    };
    // the lengths of the directories do not depend on the offsets of the tiles
    let head = HEAD + directories(0).iter().map(TagDirectory::length).sum::<usize>();
    let total = head + levels.iter().flat_map(|own| &own.tiles).map(Vec::len).sum::<usize>();
    if u32::try_from(total).is_err() {
        return Err(io::Error::other(format!(
            "the file would have {total} bytes; the maximum is 4 GiB"
        )));
    }
    let mut bytes = Vec::with_capacity(total);
    bytes.extend(b"II");
    bytes.extend(42_u16.to_le_bytes());
    bytes.extend((HEAD as u32).to_le_bytes());
    let directories = directories(head);
    for (n, directory) in directories.iter().enumerate() {
        let next = bytes.len() + directory.length();
        let next = if n + 1 < directories.len() { next as u32 } else { 0 };
        directory.write(&mut bytes, next);
    }
    levels.iter().rev().flat_map(|level| &level.tiles).for_each(|tile| bytes.extend(tile));
    Ok(bytes)
}

/// Returns the raster and its overviews, each half as large as the previous one, until one fits a
/// tile.
fn levels(grid: &RasterGrid, cells: RasterCells<'_>) -> io::Result<Vec<Overview>> {
    match cells {
        RasterCells::Numbers(values) => levels_of(grid, values, f32::NAN, f32::to_le_bytes, mean),
        RasterCells::Classes(values) => {
            let north_west = |four: [Option<u8>; 4]| four[0].unwrap_or(u8::MAX);
            levels_of(grid, values, u8::MAX, u8::to_le_bytes, north_west)
        }
    }
}

fn levels_of<T: Copy + Send + Sync, const N: usize>(
    grid: &RasterGrid,
    values: &[T],
    nothing: T,
    bytes: fn(T) -> [u8; N],
    merge: fn([Option<T>; 4]) -> T,
) -> io::Result<Vec<Overview>> {
    let (mut columns, mut rows) = (grid.columns, grid.rows);
    let mut values = values.to_vec();
    let mut levels = Vec::new();
    loop {
        let at = |column: usize, row: usize| {
            (column < columns && row < rows).then(|| values[row * columns + column])
        };
        let across = columns.div_ceil(TILE);
        let tile = |n: usize| {
            let (west, north) = (n % across * TILE, n / across * TILE);
            let pixel = |k: usize| at(west + k % TILE, north + k / TILE).unwrap_or(nothing);
            deflated((0..TILE * TILE).flat_map(|k| bytes(pixel(k))).collect())
        };
        let tiles = (0..across * rows.div_ceil(TILE)).into_par_iter().map(tile);
        levels.push(Overview { columns, rows, tiles: tiles.collect::<io::Result<_>>()? });
        if columns.max(rows) <= TILE {
            return Ok(levels);
        }
        let [half_columns, half_rows] = [columns.div_ceil(2), rows.div_ceil(2)];
        let merged = |n: usize| {
            let (column, row) = (n % half_columns * 2, n / half_columns * 2);
            merge([[0, 0], [1, 0], [0, 1], [1, 1]].map(|[dx, dy]| at(column + dx, row + dy)))
        };
        values = (0..half_columns * half_rows).into_par_iter().map(merged).collect();
        [columns, rows] = [half_columns, half_rows];
    }
}

/// Mean of the finite values; NaN without any.
fn mean(four: [Option<f32>; 4]) -> f32 {
    let known = four.into_iter().flatten().filter(|value| value.is_finite());
    let (sum, count) = known.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

fn deflated(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes)?;
    encoder.finish()
}

/// A directory of tags, each with its number, type, count and bytes.
struct TagDirectory(Vec<(u16, u16, u32, Vec<u8>)>);

impl TagDirectory {
    /// Length in bytes, including the values that do not fit into their tags.
    fn length(&self) -> usize {
        let beyond = self.0.iter().map(|tag| tag.3.len()).filter(|length| *length > 4);
        2 + 12 * self.0.len() + 4 + beyond.map(even).sum::<usize>()
    }

    fn write(&self, bytes: &mut Vec<u8>, next: u32) {
        let mut beyond = bytes.len() + 2 + 12 * self.0.len() + 4;
        bytes.extend((self.0.len() as u16).to_le_bytes());
        for (tag, kind, count, value) in &self.0 {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(kind.to_le_bytes());
            bytes.extend(count.to_le_bytes());
            let mut field = [0; 4];
            if value.len() > 4 {
                field = (beyond as u32).to_le_bytes();
                beyond += even(value.len());
            } else {
                field[..value.len()].copy_from_slice(value);
            }
            bytes.extend(field);
        }
        bytes.extend(next.to_le_bytes());
        for (.., value) in self.0.iter().filter(|tag| tag.3.len() > 4) {
            bytes.extend(value);
            bytes.resize(bytes.len() + even(value.len()) - value.len(), 0);
        }
    }
}

/// Rounds up to an even number: values begin at word boundaries.
fn even(length: usize) -> usize {
    length.next_multiple_of(2)
}

/// Returns the tags of a level, in ascending order.
///
/// `place` is given for the full raster only.
fn directory(
    level: &Overview,
    cells: RasterCells<'_>,
    offsets: &[u32],
    place: Option<(&RasterGrid, &Georeference, &str)>,
) -> TagDirectory {
    let short = |values: &[u16]| {
        (3, values.len() as u32, values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
    };
    let long = |values: &[u32]| {
        (4, values.len() as u32, values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
    };
    let double = |values: &[f64]| {
        (12, values.len() as u32, values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
    };
    let text = |text: &str| {
        let bytes = [text.as_bytes(), &[0]].concat();
        (2, bytes.len() as u32, bytes)
    };
    let (bits, format, nothing) = match cells {
        RasterCells::Numbers(_) => (32, 3, "nan"),
        RasterCells::Classes(_) => (8, 1, "255"),
    };
    let lengths: Vec<u32> = level.tiles.iter().map(|tile| tile.len() as u32).collect();
    let overview = u32::from(place.is_none());
    let mut tags = vec![
        (254, long(&[overview])),
        (256, long(&[level.columns as u32])),
        (257, long(&[level.rows as u32])),
        (258, short(&[bits])),
        // compression: deflate
        (259, short(&[8])),
        (262, short(&[1])),
    ];
    if let Some((.., description)) = place {
        tags.push((270, text(description)));
    }
    tags.extend([
        (277, short(&[1])),
        (284, short(&[1])),
        (322, long(&[TILE as u32])),
        (323, long(&[TILE as u32])),
        (324, long(offsets)),
        (325, long(&lengths)),
        (339, short(&[format])),
    ]);
    if let Some((grid, own, _)) = place {
        let scale = own.units_per_meter.map(|units| units * grid.side);
        let corner = [0, 1].map(|k| own.origin[k] + grid.north_west[k] * own.units_per_meter[k]);
        tags.push((33_550, double(&[scale[0], scale[1], 0.0])));
        tags.push((33_922, double(&[0.0, 0.0, 0.0, corner[0], corner[1], 0.0])));
        tags.push((34_735, short(&geo_keys(&own.system))));
    }
    tags.push((42_113, text(nothing)));
    TagDirectory(
        tags.into_iter().map(|(tag, (kind, count, bytes))| (tag, kind, count, bytes)).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::terrain::{Crs, Unit};
    use std::io::Cursor;
    use tiff::decoder::{Decoder, DecodingResult};
    use tiff::tags::Tag;

    fn placed() -> Georeference {
        Georeference {
            origin: [-84.2, 36.5],
            units_per_meter: [1.0 / 89_000.0, 1.0 / 111_000.0],
            system: Crs { unit: Unit::Degree, epsg: Some(4326), ..Crs::local() },
        }
    }

    #[test]
    fn every_cell_is_read_back_where_it_stands_and_overviews_are_means() {
        let grid =
            RasterGrid { columns: 300, rows: 280, side: 50.0, north_west: [-1000.0, 2000.0] };
        let values: Vec<f32> = (0..grid.columns * grid.rows).map(|n| n as f32).collect();
        let bytes = encode(&grid, RasterCells::Numbers(&values), &placed(), "numbers").unwrap();
        let mut decoder = Decoder::new(Cursor::new(&bytes)).unwrap();
        assert_eq!(decoder.dimensions().unwrap(), (300, 280));
        let DecodingResult::F32(read) = decoder.read_image().unwrap() else { panic!("not f32") };
        assert_eq!(read, values);
        let tie = decoder.get_tag_f64_vec(Tag::ModelTiepointTag).unwrap();
        let scale = decoder.get_tag_f64_vec(Tag::ModelPixelScaleTag).unwrap();
        // a ten-thousandth of a millimeter on the ground
        assert!((tie[3] - (-84.2 - 1000.0 / 89_000.0)).abs() < 1e-12);
        assert!((tie[4] - (36.5 + 2000.0 / 111_000.0)).abs() < 1e-12);
        assert!((scale[1] - 50.0 / 111_000.0).abs() < 1e-15);
        decoder.next_image().unwrap();
        assert_eq!(decoder.dimensions().unwrap(), (150, 140));
        let DecodingResult::F32(half) = decoder.read_image().unwrap() else { panic!("not f32") };
        assert_eq!(half[0], (0.0 + 1.0 + 300.0 + 301.0) / 4.0);
        assert!(!decoder.more_images());
    }

    #[test]
    fn directories_come_first_and_overviews_before_the_full_raster() {
        let grid = RasterGrid { columns: 600, rows: 10, side: 1.0, north_west: [0.0; 2] };
        let codes: Vec<u8> = (0..6000).map(|n| (n % 7) as u8).collect();
        let bytes = encode(&grid, RasterCells::Classes(&codes), &placed(), "codes").unwrap();
        let mut decoder = Decoder::new(Cursor::new(&bytes)).unwrap();
        let mut first_tiles = Vec::new();
        loop {
            first_tiles.push(decoder.get_tag_u32_vec(Tag::TileOffsets).unwrap()[0]);
            if !decoder.more_images() {
                break;
            }
            decoder.next_image().unwrap();
        }
        assert_eq!(first_tiles.len(), 3);
        assert!(first_tiles.windows(2).all(|pair| pair[0] > pair[1]));
        assert_eq!(u32::from_le_bytes(bytes[4..8].try_into().unwrap()), 8);
        let DecodingResult::U8(read) = decoder.read_image().unwrap() else { panic!("not u8") };
        // of each four columns, the first
        assert_eq!(read[..3], [0, 4, 1]);
    }
}
