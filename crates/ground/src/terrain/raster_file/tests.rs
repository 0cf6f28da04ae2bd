//! Compares models that stay in their files with models that are read entirely.

use super::*;
use crate::soil::SoilId;
use crate::terrain::raster::NoData;
use crate::terrain::{SoilMap, Terrain, read_geotiff};
use std::fs::File;
use std::io::{Cursor, Seek, SeekFrom, Write};
use tiff::encoder::{TiffEncoder, TiffValue};
use tiff::tags::Tag;

const COLUMNS: usize = 70;
const ROWS: usize = 53;

/// Heights that differ between all neighboring cells.
fn height(column: usize, row: usize) -> i16 {
    ((column * 7919 + row * 104_729) % 1009) as i16 - 300
}

/// Creates a GeoTIFF in tiles or strips, uncompressed, with samples made from heights. Format 2 is
/// signed integers, 3 is floats.
fn geotiff<T: Copy>(
    size: [usize; 2],
    tiles: bool,
    format: u16,
    sample: impl Fn(i16) -> T,
    unit: Option<u16>,
) -> Vec<u8>
where
    [T]: TiffValue,
{
    let mut bytes = Vec::new();
    let mut encoder = TiffEncoder::new(Cursor::new(&mut bytes)).unwrap();
    let mut directory = encoder.image_directory().unwrap();
    let [across, down] = [COLUMNS.div_ceil(size[0]), ROWS.div_ceil(size[1])];
    let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
    for chunk in 0..across * down {
        let [west, north] = [chunk % across * size[0], chunk / across * size[1]];
        // tiles extend beyond the edge, the last strip does not
        let south = if tiles { north + size[1] } else { ROWS.min(north + size[1]) };
        let rows = north..south;
        let cells = rows.flat_map(|r| (west..west + size[0]).map(move |c| height(c, r)));
        let samples: Vec<T> = cells.map(&sample).collect();
        offsets.push(directory.write_data(&samples[..]).unwrap() as u32);
        lengths.push(size_of_val(&samples[..]) as u32);
    }
    let mut short = |tag, value: u16| directory.write_tag(tag, value).unwrap();
    short(Tag::ImageWidth, COLUMNS as u16);
    short(Tag::ImageLength, ROWS as u16);
    short(Tag::BitsPerSample, 8 * size_of::<T>() as u16);
    short(Tag::SamplesPerPixel, 1);
    short(Tag::SampleFormat, format);
    short(Tag::Compression, 1);
    short(Tag::PhotometricInterpretation, 1);
    if tiles {
        short(Tag::TileWidth, size[0] as u16);
        short(Tag::TileLength, size[1] as u16);
    } else {
        short(Tag::RowsPerStrip, size[1] as u16);
    }
    let tags = match tiles {
        true => [Tag::TileOffsets, Tag::TileByteCounts],
        false => [Tag::StripOffsets, Tag::StripByteCounts],
    };
    directory.write_tag(tags[0], &offsets[..]).unwrap();
    directory.write_tag(tags[1], &lengths[..]).unwrap();
    directory.write_tag(Tag::ModelPixelScaleTag, &[10.0, 8.0, 0.0][..]).unwrap();
    directory.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, 4e5, 5e6, 0.0][..]).unwrap();
    let vertical = unit.map(|code| [4099, 0, 1, code]);
    let mut keys = vec![1, 1, 0, 1 + vertical.iter().len() as u16, 1024, 0, 1, 1];
    keys.extend(vertical.into_iter().flatten());
    directory.write_tag(Tag::GeoKeyDirectoryTag, &keys[..]).unwrap();
    directory.write_tag(Tag::GdalNodata, "-9999").unwrap();
    directory.finish().unwrap();
    bytes
}

fn on_disk(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn ground(surface: Surface) -> Terrain {
    Terrain::builder(surface, SoilMap::uniform(SoilId(0))).build().unwrap()
}

fn whole(bytes: &[u8], crop: Option<[f64; 4]>) -> Terrain {
    let (raster, _) = read_geotiff(bytes).unwrap();
    let (local, _) = raster.localized(Origin::Center).unwrap();
    let cropped = crop.map_or(local.clone(), |bounds| local.cropped(bounds).unwrap());
    ground(Surface::raster(cropped.without_gaps(NoData::Refuse).unwrap()).unwrap())
}

fn tiled(file: File, crop: Option<[f64; 4]>, resident: usize) -> Result<Terrain, TerrainError> {
    let raster = RasterFile::open(file)?;
    let placement = raster.placement(Origin::Center)?;
    let window = raster.window(&placement, crop)?;
    Ok(ground(raster.surface(window, resident)?.0))
}

#[test]
fn heights_have_the_bits_of_a_raster_that_was_read_whole() {
    let files = [
        geotiff([16, 16], true, 3, |h| f32::from(h) * 0.37, None),
        geotiff([16, 32], true, 2, |h| h, Some(9002)),
        geotiff([32, 16], true, 3, |h| f64::from(h) / 3.0, Some(9003)),
        geotiff([COLUMNS, 1], false, 2, i32::from, None),
        geotiff([COLUMNS, 7], false, 3, |h| f32::from(h) * 0.37, None),
        geotiff([COLUMNS, ROWS], false, 2, |h| h, None),
    ];
    for (index, bytes) in files.iter().enumerate() {
        for crop in [None, Some([-101.0, -77.0, 155.0, 122.5])] {
            let whole = whole(bytes, crop);
            // memory for all tiles, for three, and for none but the last one
            for resident in [1 << 20, 3000, 1] {
                let tiled = tiled(on_disk(bytes), crop, resident).unwrap();
                assert_eq!(tiled.bounds(), whole.bounds());
                for k in 0..700 {
                    let (s, t) = (f64::from(k * 37 % 701), f64::from(k * 113 % 701));
                    let (x, y) = (s - 350.0, 0.65 * (t - 350.0));
                    let place = format!("file {index}, {crop:?}, {resident}: {x} {y}");
                    if k % 50 == 0 {
                        tiled.preload([x, y], 20.0);
                    }
                    let (a, b) = (tiled.height(x, y), whole.height(x, y));
                    assert_eq!(a.to_bits(), b.to_bits(), "{place}: {a} {b}");
                    assert_eq!(tiled.gradient(x, y), whole.gradient(x, y), "{place}");
                }
                // the last decoded tile may exceed the limit
                let one = if index == 5 { 4 * COLUMNS * ROWS } else { 4096 };
                assert!(
                    tiled.resident_bytes() <= resident.max(one),
                    "{} of {resident}",
                    tiled.resident_bytes()
                );
                assert_eq!(tiled.fault(), None);
            }
        }
    }
}

#[test]
fn faults_of_a_tile_are_reported_when_the_file_is_opened() {
    let whole = geotiff([16, 16], true, 3, f32::from, None);
    let offset = |tile: usize| 8 + tile * 16 * 16 * 4;
    let gap = |column: usize, row: usize| {
        let mut bytes = whole.clone();
        let tile = row / 16 * COLUMNS.div_ceil(16) + column / 16;
        let at = offset(tile) + 4 * (row % 16 * 16 + column % 16);
        assert_eq!(bytes[at..at + 4], f32::from(height(column, row)).to_le_bytes());
        bytes[at..at + 4].copy_from_slice(&(-9999.0_f32).to_le_bytes());
        bytes
    };
    let error = |bytes: &[u8], crop| tiled(on_disk(bytes), crop, 1 << 20).unwrap_err();
    let missing = TerrainError::NoData { missing: 1, total: COLUMNS * ROWS, row: 20, column: 33 };
    assert_eq!(error(&gap(33, 20), None), missing);
    // outside the used part nothing is missing
    assert!(tiled(on_disk(&gap(33, 20)), Some([60.0, -50.0, 90.0, 50.0]), 1).is_ok());
    let beside = error(&whole, Some([1e4, 1e4, 2e4, 2e4])).to_string();
    assert!(beside.starts_with("crop [10000, 10000, 20000, 20000]"), "{beside}");

    // the offset of the second tile is beyond the end
    let mut bytes = whole.clone();
    let second = (offset(1) as u32).to_le_bytes();
    let entry = bytes.windows(4).rposition(|word| word == second).unwrap();
    bytes[entry..entry + 4].copy_from_slice(&9_999_999_u32.to_le_bytes());
    let told = "geotiff: tile 1 at byte 9999999: ";
    let message = error(&bytes, None).to_string();
    assert!(message.starts_with(told), "{message}");
    let message = read_geotiff(&bytes).unwrap_err().to_string();
    assert!(message.starts_with(told), "{message}");
}

#[test]
fn a_file_that_is_altered_later_is_reported() {
    let file = on_disk(&geotiff([16, 16], true, 3, f32::from, None));
    let mut other = file.try_clone().unwrap();
    let terrain = tiled(file, None, 1 << 20).unwrap();
    let [west, south, east, north] = terrain.bounds();
    let before = terrain.height(west, north);
    other.seek(SeekFrom::Start(8)).unwrap();
    other.write_all(&[77; 5 * 1024]).unwrap();
    // decoded heights remain valid
    assert_eq!(terrain.height(west, north), before);
    assert_eq!(terrain.fault(), None);
    assert!(terrain.height(east, south).is_finite());
    assert!(terrain.height(0.5 * (west + east), north).is_nan());
    assert_eq!(
        terrain.fault().unwrap().to_string(),
        "geotiff: tile 2 at byte 2056: has other heights than when the file was opened"
    );
}

#[test]
fn threads_see_the_same_while_tiles_come_and_go() {
    let bytes = geotiff([16, 16], true, 3, f32::from, None);
    let (whole, tiled) = (whole(&bytes, None), tiled(on_disk(&bytes), None, 2048).unwrap());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (whole, tiled) = (&whole, &tiled);
            scope.spawn(move || {
                for k in 0..3000 {
                    let (x, y) =
                        (f64::from((k * (31 + thread)) % 680) - 340.0, f64::from(k % 400) - 200.0);
                    assert_eq!(tiled.height(x, y).to_bits(), whole.height(x, y).to_bits());
                }
            });
        }
    });
}

/// Returns a file whose chunks of these indices were never written: offset and byte count are 0.
fn without_chunks(bytes: &[u8], chunks: usize, length: u32, absent: &[usize]) -> Vec<u8> {
    let arrays = [
        (0..chunks as u32).map(|chunk| 8 + chunk * length).collect::<Vec<_>>(),
        vec![length; chunks],
    ];
    let mut bytes = bytes.to_vec();
    for array in arrays {
        let stored: Vec<u8> = array.iter().flat_map(|word| word.to_le_bytes()).collect();
        let at = bytes.windows(stored.len()).position(|part| part == stored).unwrap();
        for chunk in absent {
            bytes[at + 4 * chunk..at + 4 * chunk + 4].fill(0);
        }
    }
    bytes
}

#[test]
fn chunks_that_were_never_written_are_gaps_or_lie_at_zero() {
    let whole = geotiff([16, 16], true, 2, |h| h, None);
    let sparse = without_chunks(&whole, 5 * 4, 16 * 16 * 2, &[0, 7, 19]);
    let (raster, _) = read_geotiff(&sparse).unwrap();
    // the last chunk is clipped to 6 columns and 5 rows by the image's edge
    assert_eq!(raster.missing(), 16 * 16 + 16 * 16 + 6 * 5);
    let full = read_geotiff(&whole).unwrap().0;
    for (own, other) in raster.values.iter().zip(&full.values) {
        assert!(own == other || own.is_nan());
    }
    let expected = TerrainError::NoData { missing: 542, total: COLUMNS * ROWS, row: 0, column: 0 };
    assert_eq!(tiled(on_disk(&sparse), None, 1 << 20).unwrap_err(), expected);

    // without a value for gaps
    let tag = 42113_u16.to_le_bytes();
    let entry = sparse.windows(4).rposition(|part| part == [tag[0], tag[1], 2, 0]).unwrap();
    let mut silent = sparse.clone();
    silent[entry..entry + 2].copy_from_slice(&42114_u16.to_le_bytes());
    let (raster, _) = read_geotiff(&silent).unwrap();
    assert_eq!((raster.missing(), raster.values[0]), (0, 0.0));
    assert_eq!(raster.values[16], full.values[16]);
    let (whole, tiled) = (super::tests::whole(&silent, None), tiled(on_disk(&silent), None, 1));
    let tiled = tiled.unwrap();
    for k in 0..300 {
        let (x, y) = (f64::from(k * 37 % 601) - 300.0, f64::from(k * 113 % 401) - 200.0);
        assert_eq!(tiled.height(x, y).to_bits(), whole.height(x, y).to_bits());
    }
    // the same for strips
    let strips = geotiff([COLUMNS, 7], false, 2, |h| h, None);
    let lengths: Vec<u32> = (0..8).map(|k| (7.min(ROWS - 7 * k) * COLUMNS * 2) as u32).collect();
    let stored: Vec<u8> = lengths.iter().flat_map(|word| word.to_le_bytes()).collect();
    let at = strips.windows(stored.len()).position(|part| part == stored).unwrap();
    let mut sparse = strips.clone();
    sparse[at + 8..at + 12].fill(0);
    assert_eq!(read_geotiff(&sparse).unwrap().0.missing(), 7 * COLUMNS);
}

#[test]
fn an_absent_chunk_of_any_size_needs_no_memory() {
    // 1 000 000 x 1 000 000 cells in one strip that was never written
    let mut bytes = Vec::new();
    let mut encoder = TiffEncoder::new(Cursor::new(&mut bytes)).unwrap();
    let mut directory = encoder.image_directory().unwrap();
    directory.write_tag(Tag::ImageWidth, 1_000_000_u32).unwrap();
    directory.write_tag(Tag::ImageLength, 1_000_000_u32).unwrap();
    directory.write_tag(Tag::BitsPerSample, 16_u16).unwrap();
    directory.write_tag(Tag::SamplesPerPixel, 1_u16).unwrap();
    directory.write_tag(Tag::PhotometricInterpretation, 1_u16).unwrap();
    directory.write_tag(Tag::StripOffsets, 0_u32).unwrap();
    directory.write_tag(Tag::StripByteCounts, 0_u32).unwrap();
    directory.write_tag(Tag::ModelPixelScaleTag, &[10.0, 8.0, 0.0][..]).unwrap();
    directory.write_tag(Tag::ModelTiepointTag, &[0.0; 6][..]).unwrap();
    directory.finish().unwrap();
    let message = read_geotiff(&bytes).unwrap_err().to_string();
    assert!(message.contains("the header specifies 1000000 x 1000000 cells"), "{message}");
    assert!(RasterFile::open(on_disk(&bytes)).is_err());
}
