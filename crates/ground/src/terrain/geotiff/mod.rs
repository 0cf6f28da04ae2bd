//! GeoTIFF rasters: the crate `tiff` reads directories and tags, this module decodes samples.
//!
//! Supported are images of one band of integers or floats, placed by `ModelPixelScale` and
//! `ModelTiepoint`, by `ModelTransformation` or by a world file, with the cell as area or as point
//! (`GTRasterType`). Rotated rasters are rejected.
//!
//! Gaps are cells with the value of `GDAL_NODATA`, cells that a mask excludes, and chunks that were
//! never written where the file names a value for gaps. Without such a value these chunks are 0, as
//! in GDAL. Heights in other units, by `VerticalUnits`, the vertical system or GDAL's `UNITTYPE`,
//! are converted to meters.
//!
//! Samples are decoded here for three reasons. The crate rejects LZW data without an end code,
//! inverts images in which white is zero, and decodes absent chunks from the file's first bytes.
//! The standard is OGC GeoTIFF 1.1.

mod chunks;
mod codec;
mod head;
mod heights;
mod keys;
mod stored;

use std::io::Cursor;

use tiff::encoder::colortype::{ColorType, Gray32Float, Gray64Float};
use tiff::encoder::compression::DeflateLevel;
use tiff::encoder::{TiffEncoder, TiffValue};
use tiff::tags::Tag;

use super::error::{RasterWarning, TerrainError};
use super::raster::{CellContent, Raster};
use super::sidecars::Sidecars;
pub(super) use chunks::ChunkGrid;
pub(super) use head::{GeoTiffHead, SampleScaling, apply_mask_file, open, system};
pub(super) use heights::{HeightReader, Heights};
pub use keys::geo_keys;

/// Greatest size of an image or a part of one that is decoded into memory, bytes: 16 000 x 16 000
/// floats. A header can specify any size.
const LARGEST: usize = 1 << 30;
/// Value that is written for gaps.
const NO_DATA: f32 = -9999.0;

fn fault(error: tiff::TiffError) -> TerrainError {
    TerrainError::GeoTiff(error.to_string())
}

fn refuse(tag: &'static str, value: impl ToString, allowed: &'static str) -> TerrainError {
    TerrainError::GeoTiffTag { tag, value: value.to_string(), allowed }
}

/// Reads the heights of the first image of a GeoTIFF without sidecar files.
pub fn read_geotiff(bytes: &[u8]) -> Result<(Raster, Vec<RasterWarning>), TerrainError> {
    read_geotiff_with(bytes, &Sidecars::default(), CellContent::Heights)
}

/// Reads the first image of a GeoTIFF.
pub(super) fn read_geotiff_with(
    bytes: &[u8],
    sidecars: &Sidecars,
    content: CellContent,
) -> Result<(Raster, Vec<RasterWarning>), TerrainError> {
    let (mut reader, head) = open(Cursor::new(bytes), sidecars, content)?;
    let GeoTiffHead { cells, crs, scaling, warnings, bytes } = head;
    let (columns, rows) = (cells.columns, cells.rows);
    let cell_count = columns.saturating_mul(rows);
    if cell_count.saturating_mul(size_of::<f32>()) > LARGEST {
        let found = format!("{columns} x {rows}");
        return Err(refuse(
            "size",
            found,
            "at most 268435456 cells for a raster that is held in memory",
        ));
    }
    reader.image().check_held(bytes)?;
    let mut values = vec![0.0; cell_count];
    let chunks = reader.grid();
    for chunk in 0..chunks.len() {
        let heights = reader.read(chunk)?;
        let ([column, row], [width, height]) = chunks.extent(chunk);
        for line in 0..height {
            let to = (row + line) * columns + column;
            for (k, value) in values[to..to + width].iter_mut().enumerate() {
                *value = scaling.apply(heights.get(line * width + k));
            }
        }
    }
    let raster =
        Raster { columns, rows, south_west: cells.south_west, cell: cells.size, values, crs };
    raster.check()?;
    Ok((raster, warnings))
}

/// Writes a GeoTIFF of 32-bit floats, deflated.
///
/// It has the raster's position, its reference system if an EPSG code is known, and -9999 for gaps.
pub fn write_geotiff(raster: &Raster) -> Result<Vec<u8>, TerrainError> {
    raster.check()?;
    let mut bytes = Vec::new();
    encode(raster, &mut bytes).map_err(fault)?;
    Ok(bytes)
}

/// Writes a GeoTIFF of 64-bit floats, uncompressed: reading returns the same bits.
///
/// It has the raster's position and, if an EPSG code is known, its reference system. Gaps are NaN.
pub fn write_exact_geotiff(raster: &Raster) -> Result<Vec<u8>, TerrainError> {
    raster.check()?;
    let mut bytes = Vec::new();
    let file = TiffEncoder::new(Cursor::new(&mut bytes)).map_err(fault)?;
    encode_as::<Gray64Float>(raster, file, "nan", &raster.values).map_err(fault)?;
    Ok(bytes)
}

fn encode(raster: &Raster, bytes: &mut Vec<u8>) -> tiff::TiffResult<()> {
    let file = TiffEncoder::new(Cursor::new(bytes))?
        .with_compression(tiff::encoder::Compression::Deflate(DeflateLevel::Best));
    let values: Vec<f32> =
        raster.values.iter().map(|v| if v.is_finite() { *v as f32 } else { NO_DATA }).collect();
    encode_as::<Gray32Float>(raster, file, "-9999", &values)
}

/// Writes the values of a raster with its position; `no_data` marks gaps.
fn encode_as<C: ColorType>(
    raster: &Raster,
    mut file: TiffEncoder<Cursor<&mut Vec<u8>>>,
    no_data: &str,
    values: &[C::Inner],
) -> tiff::TiffResult<()>
where
    [C::Inner]: TiffValue,
{
    let size = |count: usize| u32::try_from(count).map_err(tiff::TiffError::from);
    let (columns, rows) = (size(raster.columns)?, size(raster.rows)?);
    let mut image = file.new_image::<C>(columns, rows)?;
    let [dx, dy] = raster.cell;
    let west = raster.south_west[0] - 0.5 * dx;
    let north = raster.south_west[1] + (raster.rows as f64 - 0.5) * dy;
    let directory = image.encoder();
    directory.write_tag(Tag::ModelPixelScaleTag, &[dx, dy, 0.0][..])?;
    directory.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, west, north, 0.0][..])?;
    directory.write_tag(Tag::GeoKeyDirectoryTag, &geo_keys(&raster.crs)[..])?;
    directory.write_tag(Tag::GdalNodata, no_data)?;
    image.write_data(values)
}

#[cfg(test)]
mod tests {
    use super::keys::{LINEAR_UNIT, MODEL_TYPE, POINT, PROJECTED_CRS, RASTER_TYPE};
    use super::*;
    use crate::terrain::raster::{Crs, Unit};

    fn raster() -> Raster {
        Raster {
            columns: 3,
            rows: 2,
            south_west: [500_005.0, 4_000_003.0],
            cell: [10.0, 6.0],
            values: vec![1.5, -2.25, 3.0, f64::NAN, 5.0, 1076.5],
            crs: Crs { epsg: Some(32616), ..Crs::local() },
        }
    }

    #[test]
    fn an_exact_file_returns_the_same_bits() {
        let mut own = raster();
        (own.values[0], own.crs) = (0.1 + 0.2, Crs::local());
        let (read, warnings) = read_geotiff(&write_exact_geotiff(&own).unwrap()).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        let bits = |raster: &Raster| raster.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert!(read.values[3].is_nan());
        (own.values[3], own.crs) = (read.values[3], read.crs.clone());
        assert_eq!(bits(&read), bits(&own));
        assert_eq!((read.south_west, read.cell), (own.south_west, own.cell));
    }

    #[test]
    fn writing_and_reading_return_the_raster() {
        let (read, warnings) = read_geotiff(&write_geotiff(&raster()).unwrap()).unwrap();
        // NaN is not equal to itself: compare the rest, then the gap
        assert!(read.values[3].is_nan() && warnings.is_empty());
        let filled = |mut r: Raster| {
            r.values[3] = 0.0;
            r
        };
        assert_eq!(filled(read), filled(raster()));
    }

    #[test]
    fn degrees_survive() {
        let crs = Crs { unit: Unit::Degree, epsg: Some(4326), ..Crs::local() };
        let raster = Raster { crs, south_west: [-84.0, 36.0], cell: [0.001, 0.001], ..raster() };
        let (read, _) = read_geotiff(&write_geotiff(&raster).unwrap()).unwrap();
        assert_eq!(read.crs, raster.crs);
        // half a cell is added and subtracted again: one rounding each way
        assert!((read.south_west[1] - 36.0).abs() < 1e-12);
    }

    fn plain(
        tags: impl Fn(
            &mut tiff::encoder::DirectoryEncoder<
                '_,
                Cursor<&mut Vec<u8>>,
                tiff::encoder::TiffKindStandard,
            >,
        ),
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut file = TiffEncoder::new(Cursor::new(&mut bytes)).unwrap();
        let mut image = file.new_image::<tiff::encoder::colortype::GrayI16>(2, 2).unwrap();
        tags(image.encoder());
        image.write_data(&[1, 2, -32768, 4]).unwrap();
        bytes
    }

    #[test]
    fn values_are_scaled_as_the_file_specifies() {
        let with = |metadata: &str, vertical: bool, height: [f64; 2]| {
            let bytes = plain(|d| {
                d.write_tag(Tag::ModelPixelScaleTag, &[10.0, 10.0, height[0]][..]).unwrap();
                let tie = [0.0, 0.0, 0.0, 100.0, 200.0, height[1]];
                d.write_tag(Tag::ModelTiepointTag, &tie[..]).unwrap();
                if !metadata.is_empty() {
                    d.write_tag(Tag::Unknown(42112), metadata).unwrap();
                }
                let keys = [1, 1, 0, 3, MODEL_TYPE, 0, 1, 1, PROJECTED_CRS, 0, 1, 32616];
                let height = if vertical { [4096, 0, 1, 5703] } else { [3076, 0, 1, 9001] };
                let keys = [&keys[..], &height].concat();
                d.write_tag(Tag::GeoKeyDirectoryTag, &keys[..]).unwrap();
            });
            let (raster, warnings) = read_geotiff(&bytes).unwrap();
            let is_told = warnings.iter().any(|w| matches!(w, RasterWarning::Scaled(..)));
            (raster.values[1], is_told)
        };
        let item = |role: &str, value: f64| {
            format!(
                "<GDALMetadata><Item name=\"X\" sample=\"0\" role=\"{role}\">{value}</Item></GDALMetadata>"
            )
        };
        assert_eq!(with(&item("scale", 1.0), false, [0.0; 2]), (2.0, false));
        assert_eq!(with(&item("offset", 0.0), false, [0.0; 2]), (2.0, false));
        assert_eq!(with(&item("scale", 0.5), false, [0.0; 2]), (1.0, true));
        assert_eq!(with(&item("offset", 5.0), false, [0.0; 2]), (7.0, true));
        // scale and offset of the tags apply where the system is vertical; the metadata take
        // precedence
        assert_eq!(with("", true, [0.5, 9.0]), (10.0, true));
        assert_eq!(with("", false, [0.5, 9.0]), (2.0, false));
        assert_eq!(with("", true, [0.0, 0.0]), (2.0, false));
        assert_eq!(with(&item("scale", 3.0), true, [0.5, 9.0]), (6.0, true));
    }

    #[test]
    fn integers_points_and_gaps_are_read() {
        let bytes = plain(|d| {
            d.write_tag(Tag::ModelPixelScaleTag, &[10.0, 10.0, 0.0][..]).unwrap();
            d.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, 100.0, 200.0, 0.0][..]).unwrap();
            let keys: [u16; 12] = [1, 1, 0, 2, MODEL_TYPE, 0, 1, 1, RASTER_TYPE, 0, 1, POINT];
            d.write_tag(Tag::GeoKeyDirectoryTag, &keys[..]).unwrap();
            d.write_tag(Tag::GdalNodata, "-32768").unwrap();
        });
        let (raster, warnings) = read_geotiff(&bytes).unwrap();
        assert_eq!(raster.south_west, [100.0, 190.0]);
        assert_eq!((raster.value_at(0, 1), raster.value_at(1, 0), raster.missing()), (1.0, 4.0, 1));
        // projected, with an unnamed system and unit
        assert_eq!(warnings, [RasterWarning::MetersGuessed]);
    }

    /// EPSG 2263 (New York Long Island) is in US survey feet, 32616 is a zone of UTM, 30000 is not
    /// assigned.
    #[test]
    fn the_unit_is_that_of_the_system() {
        let read = |code: u16, unit: &[u16]| {
            let bytes = plain(|d| {
                d.write_tag(Tag::ModelPixelScaleTag, &[10.0, 10.0, 0.0][..]).unwrap();
                let easting = if code == 32616 { 500_000.0 } else { 984_250.0 };
                let tie = [0.0, 0.0, 0.0, easting, 196_850.0, 0.0];
                d.write_tag(Tag::ModelTiepointTag, &tie[..]).unwrap();
                let count = 2 + unit.len() as u16 / 4;
                let keys = [1, 1, 0, count, MODEL_TYPE, 0, 1, 1, PROJECTED_CRS, 0, 1, code];
                d.write_tag(Tag::GeoKeyDirectoryTag, &[&keys[..], unit].concat()[..]).unwrap();
            });
            let (raster, warnings) = read_geotiff(&bytes).unwrap();
            let (local, _) = raster.localized(crate::terrain::Origin::Center).unwrap();
            (local.cell[0], warnings)
        };
        let (cell, warnings) = read(2263, &[]);
        assert!((cell - 12_000.0 / 3937.0).abs() < 1e-9, "{cell}");
        assert!(matches!(warnings[..], [RasterWarning::UnitConverted(_)]), "{warnings:?}");
        assert_eq!(read(2263, &[LINEAR_UNIT, 0, 1, 9002]).0, 3.048);
        assert_eq!(read(2263, &[LINEAR_UNIT, 0, 1, 9001]), (10.0, vec![]));
        assert_eq!(read(32616, &[]), (10.0, vec![]));
        let (cell, warnings) = read(30_000, &[]);
        let [unknown] = &warnings[..] else { panic!("one warning: {warnings:?}") };
        assert!(
            cell == 10.0 && unknown.to_string().starts_with("EPSG 30000 is an unknown projection")
        );
    }

    #[test]
    fn faults_are_named() {
        let message = |bytes: &[u8]| read_geotiff(bytes).unwrap_err().to_string();
        assert_eq!(
            message(&plain(|_| ())),
            "geotiff: no ModelPixelScale and ModelTiepoint, no ModelTransformation, no world file"
        );
        let links = plain(|d| {
            d.write_tag(Tag::ModelPixelScaleTag, &[10.0, 10.0, 0.0][..]).unwrap();
            d.write_tag(Tag::ModelTiepointTag, &[0.0; 6][..]).unwrap();
            let keys: [u16; 12] = [1, 1, 0, 2, MODEL_TYPE, 0, 1, 1, LINEAR_UNIT, 0, 1, 9099];
            d.write_tag(Tag::GeoKeyDirectoryTag, &keys[..]).unwrap();
        });
        assert!(message(&links).starts_with("geotiff: ProjLinearUnits is 9099; allowed: 9001"));
        let turned = plain(|d| {
            let matrix = [9.0, 1.0, 0.0, 5.0, 1.0, -9.0, 0.0, 5.0, 0., 0., 0., 0., 0., 0., 0., 1.0];
            d.write_tag(Tag::ModelTransformationTag, &matrix[..]).unwrap();
        });
        assert!(message(&turned).contains("gdalwarp"), "{}", message(&turned));
        let flat = plain(|d| {
            d.write_tag(Tag::ModelPixelScaleTag, &[0.0, 10.0, 0.0][..]).unwrap();
            d.write_tag(Tag::ModelTiepointTag, &[0.0; 6][..]).unwrap();
        });
        assert!(message(&flat).starts_with("geotiff: ModelPixelScale is [0.0, 10.0, 0.0]"));
        let cut = write_geotiff(&raster()).unwrap();
        assert!(message(&cut[..40]).starts_with("geotiff: "));
        assert!(message(b"II*\0").starts_with("geotiff: "));
    }
}
