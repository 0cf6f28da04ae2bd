//! GeoTIFF rasters, read and written through the crate `tiff`.
//!
//! Read are one-band images of integers or floats, placed by
//! `ModelPixelScale` and `ModelTiepoint`, with the cell as area or as point
//! (`GTRasterType`), gaps by `GDAL_NODATA`, and geographic (degrees) or
//! projected (metres) systems by their geo-keys. Rotated rasters and systems
//! in feet are refused; heights in feet, by `VerticalUnits`, the vertical system or GDAL's
//! `UNITTYPE`, become metres. OGC GeoTIFF 1.1 is the standard.

mod chunks;
mod head;
mod keys;

use std::io::Cursor;

use tiff::encoder::{TiffEncoder, colortype::Gray32Float, compression::DeflateLevel};
use tiff::tags::Tag;

use super::error::{RasterWarning, TerrainError};
use super::raster::Raster;
pub(super) use chunks::{Chunks, Heights};
pub(super) use head::{Head, open};
pub use keys::geo_keys;

/// Longest image or part of one that is decoded into memory, bytes: 16 000 x 16 000 floats. A
/// header can claim any size.
const LARGEST: usize = 1 << 30;
/// What gaps are written as.
const NO_DATA: f32 = -9999.0;

fn fault(error: tiff::TiffError) -> TerrainError {
    TerrainError::GeoTiff(error.to_string())
}

fn refuse(tag: &'static str, value: impl ToString, allowed: &'static str) -> TerrainError {
    TerrainError::GeoTiffTag { tag, value: value.to_string(), allowed }
}

/// Reads the first image of a GeoTIFF.
pub fn read_geotiff(bytes: &[u8]) -> Result<(Raster, Vec<RasterWarning>), TerrainError> {
    let (mut file, head) = open(Cursor::new(bytes), bytes.len() as u64)?;
    let Head { cells, crs, factor, gap, warnings } = head;
    let (columns, rows) = (cells.columns, cells.rows);
    let cell_count = columns.saturating_mul(rows);
    if cell_count.saturating_mul(size_of::<f32>()) > LARGEST {
        let found = format!("{columns} x {rows}");
        return Err(refuse("size", found, "at most 268435456 cells, where all are held in memory"));
    }
    let mut values = vec![0.0; cell_count];
    let chunks = Chunks::of(&file, [columns, rows]);
    for chunk in 0..chunks.len() {
        let heights = chunks.read(&mut file, chunk, gap)?;
        let ([column, row], [width, height]) = chunks.extent(chunk);
        for line in 0..height {
            let to = (row + line) * columns + column;
            for (k, value) in values[to..to + width].iter_mut().enumerate() {
                *value = heights.get(line * width + k) * factor;
            }
        }
    }
    let raster =
        Raster { columns, rows, south_west: cells.south_west, cell: cells.size, values, crs };
    raster.check()?;
    Ok((raster, warnings))
}

/// Writes a GeoTIFF of 32-bit floats, deflated, with the raster's place, its
/// reference system where an EPSG code is known, and gaps as -9999.
pub fn write_geotiff(raster: &Raster) -> Result<Vec<u8>, TerrainError> {
    raster.check()?;
    let mut bytes = Vec::new();
    encode(raster, &mut bytes).map_err(fault)?;
    Ok(bytes)
}

fn encode(raster: &Raster, bytes: &mut Vec<u8>) -> tiff::TiffResult<()> {
    let mut file = TiffEncoder::new(Cursor::new(bytes))?
        .with_compression(tiff::encoder::Compression::Deflate(DeflateLevel::Best));
    let size = |count: usize| u32::try_from(count).map_err(tiff::TiffError::from);
    let (columns, rows) = (size(raster.columns)?, size(raster.rows)?);
    let mut image = file.new_image::<Gray32Float>(columns, rows)?;
    let [dx, dy] = raster.cell;
    let west = raster.south_west[0] - 0.5 * dx;
    let north = raster.south_west[1] + (raster.rows as f64 - 0.5) * dy;
    let directory = image.encoder();
    directory.write_tag(Tag::ModelPixelScaleTag, &[dx, dy, 0.0][..])?;
    directory.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, west, north, 0.0][..])?;
    directory.write_tag(Tag::GeoKeyDirectoryTag, &geo_keys(&raster.crs)[..])?;
    directory.write_tag(Tag::GdalNodata, "-9999")?;
    let values: Vec<f32> =
        raster.values.iter().map(|v| if v.is_finite() { *v as f32 } else { NO_DATA }).collect();
    image.write_data(&values)
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
            crs: Crs { unit: Unit::Metre, epsg: Some(32616), heights: None, text: None },
        }
    }

    #[test]
    fn writing_and_reading_return_the_raster() {
        let (read, warnings) = read_geotiff(&write_geotiff(&raster()).unwrap()).unwrap();
        // NaN is unequal to itself: compare the rest, then the gap.
        assert!(read.values[3].is_nan() && warnings.is_empty());
        let filled = |mut r: Raster| {
            r.values[3] = 0.0;
            r
        };
        assert_eq!(filled(read), filled(raster()));
    }

    #[test]
    fn degrees_survive() {
        let crs = Crs { unit: Unit::Degree, epsg: Some(4326), heights: None, text: None };
        let raster = Raster { crs, south_west: [-84.0, 36.0], cell: [0.001, 0.001], ..raster() };
        let (read, _) = read_geotiff(&write_geotiff(&raster).unwrap()).unwrap();
        assert_eq!(read.crs, raster.crs);
        // Half a cell is added and taken away again: one rounding each way.
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
    fn values_that_are_to_be_scaled_are_refused() {
        let with = |metadata: &str| {
            let bytes = plain(|d| {
                d.write_tag(Tag::ModelPixelScaleTag, &[10.0, 10.0, 0.0][..]).unwrap();
                let tie = [0.0, 0.0, 0.0, 100.0, 200.0, 0.0];
                d.write_tag(Tag::ModelTiepointTag, &tie[..]).unwrap();
                d.write_tag(Tag::Unknown(42112), metadata).unwrap();
            });
            read_geotiff(&bytes).map_err(|error| error.to_string())
        };
        let item = |role: &str, value: f64| {
            format!(
                "<GDALMetadata><Item name=\"X\" sample=\"0\" role=\"{role}\">{value}</Item></GDALMetadata>"
            )
        };
        assert!(with(&item("scale", 1.0)).is_ok() && with(&item("offset", 0.0)).is_ok());
        let refused = with(&item("scale", 0.1)).unwrap_err();
        assert!(refused.contains("multiplied by 0.1 and 0 added"), "{refused}");
        assert!(with(&item("offset", 5.0)).unwrap_err().contains("by 1 and 5"));
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
        assert_eq!((raster.at(0, 1), raster.at(1, 0), raster.missing()), (1.0, 4.0, 1));
        // projected, by a system and in a unit that it does not name
        assert_eq!(warnings, [RasterWarning::MetresGuessed]);
    }

    /// EPSG 2263 (New York Long Island) is in US survey feet, 32616 a zone of UTM.
    #[test]
    fn a_system_that_is_not_known_says_nothing_of_its_unit() {
        let warnings = |code: u16, unit: &[u16]| {
            let bytes = plain(|d| {
                d.write_tag(Tag::ModelPixelScaleTag, &[10.0, 10.0, 0.0][..]).unwrap();
                d.write_tag(Tag::ModelTiepointTag, &[0.0; 6][..]).unwrap();
                let count = 2 + unit.len() as u16 / 4;
                let keys = [1, 1, 0, count, MODEL_TYPE, 0, 1, 1, PROJECTED_CRS, 0, 1, code];
                d.write_tag(Tag::GeoKeyDirectoryTag, &[&keys[..], unit].concat()[..]).unwrap();
            });
            read_geotiff(&bytes).unwrap().1
        };
        let [unknown] = &warnings(2263, &[])[..] else { panic!("one warning") };
        assert!(unknown.to_string().starts_with("EPSG 2263 is not known here"), "{unknown}");
        assert_eq!(warnings(2263, &[LINEAR_UNIT, 0, 1, 9001]), []);
        assert_eq!(warnings(32616, &[]), []);
    }

    #[test]
    fn faults_are_named() {
        let message = |bytes: &[u8]| read_geotiff(bytes).unwrap_err().to_string();
        assert_eq!(message(&plain(|_| ())), "geotiff: no ModelPixelScale and ModelTiepoint");
        let feet = plain(|d| {
            d.write_tag(Tag::ModelPixelScaleTag, &[10.0, 10.0, 0.0][..]).unwrap();
            d.write_tag(Tag::ModelTiepointTag, &[0.0; 6][..]).unwrap();
            let keys: [u16; 12] = [1, 1, 0, 2, MODEL_TYPE, 0, 1, 1, LINEAR_UNIT, 0, 1, 9003];
            d.write_tag(Tag::GeoKeyDirectoryTag, &keys[..]).unwrap();
        });
        assert_eq!(
            message(&feet),
            "geotiff: ProjLinearUnits is 9003; allowed: 9001 (metre); reproject it"
        );
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
