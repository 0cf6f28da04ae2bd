//! GeoTIFF rasters, read and written through the crate `tiff`.
//!
//! Read are one-band images of integers or floats, placed by
//! `ModelPixelScale` and `ModelTiepoint`, with the cell as area or as point
//! (`GTRasterType`), gaps by `GDAL_NODATA`, and geographic (degrees) or
//! projected (metres) systems by their geo-keys. Rotated rasters and systems
//! in feet are refused; heights in feet, by `VerticalUnits`, the vertical system or GDAL's
//! `UNITTYPE`, become metres. OGC GeoTIFF 1.1 is the standard.

use std::io::Cursor;

use tiff::decoder::ifd::Value;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::encoder::{TiffEncoder, colortype::Gray32Float, compression::DeflateLevel};
use tiff::tags::Tag;

use super::error::{RasterWarning, TerrainError, overstated};
use super::raster::{Crs, Raster, Unit};
use super::reference::HeightUnit;

const MODEL_TYPE: u16 = 1024;
const RASTER_TYPE: u16 = 1025;
const CITATION: u16 = 1026;
const GEOGRAPHIC_CRS: u16 = 2048;
const ANGULAR_UNIT: u16 = 2054;
const PROJECTED_CRS: u16 = 3072;
const LINEAR_UNIT: u16 = 3076;
const DEGREE: u16 = 9102;
const METRE: u16 = 9001;
const VERTICAL_CRS: u16 = 4096;
const VERTICAL_UNIT: u16 = 4099;
const USER_DEFINED: u16 = 32767;
const POINT: u16 = 2;
const GDAL_METADATA: Tag = Tag::Unknown(42112);
/// Largest image that is decoded, bytes: 16 000 x 16 000 floats. A header can
/// claim any size.
const LARGEST: usize = 1 << 30;
/// What gaps are written as.
const NO_DATA: f32 = -9999.0;

fn fault(error: tiff::TiffError) -> TerrainError {
    TerrainError::GeoTiff(error.to_string())
}

fn refuse(tag: &'static str, value: impl ToString, allowed: &'static str) -> TerrainError {
    TerrainError::GeoTiffTag { tag, value: value.to_string(), allowed }
}

type Source<'a> = Decoder<Cursor<&'a [u8]>>;

fn doubles(file: &mut Source, tag: Tag) -> Result<Option<Vec<f64>>, TerrainError> {
    let value = file.find_tag(tag).map_err(fault)?;
    value.map(|v| v.into_f64_vec().map_err(fault)).transpose()
}

/// Geo-keys whose value is a short stored in the directory itself.
struct GeoKeys(Vec<u16>);

impl GeoKeys {
    fn read(file: &mut Source) -> Result<GeoKeys, TerrainError> {
        let value = file.find_tag(Tag::GeoKeyDirectoryTag).map_err(fault)?;
        let words = value.map(|v| v.into_u16_vec().map_err(fault)).transpose()?;
        Ok(GeoKeys(words.unwrap_or_default()))
    }

    fn entries(&self) -> impl Iterator<Item = &[u16]> {
        self.0.get(4..).unwrap_or_default().chunks_exact(4)
    }

    fn short(&self, key: u16) -> Option<u16> {
        self.entries().find(|e| e[0] == key && e[1] == 0).map(|e| e[3])
    }

    fn text(&self, key: u16, ascii: &str) -> Option<String> {
        let entry = self.entries().find(|e| e[0] == key)?;
        let (start, length) = (usize::from(entry[3]), usize::from(entry[2]));
        let words = ascii.get(start..start + length)?;
        Some(words.trim_end_matches(['|', '\0']).to_string())
    }

    /// The unit of heights, by its own key or by the vertical system.
    fn heights(&self) -> Result<Option<HeightUnit>, TerrainError> {
        let allowed = "9001 (metre), 9002 (foot) or 9003 (US survey foot)";
        match self.short(VERTICAL_UNIT).filter(|code| !matches!(*code, 0 | USER_DEFINED)) {
            Some(code) => match HeightUnit::of_epsg_unit(code) {
                Some(unit) => Ok(Some(unit)),
                None => Err(refuse("VerticalUnits", code, allowed)),
            },
            None => Ok(self.short(VERTICAL_CRS).and_then(HeightUnit::of_vertical_system)),
        }
    }

    fn crs(&self, ascii: &str) -> Result<Option<Crs>, TerrainError> {
        let text = self.text(CITATION, ascii);
        let named = |key| self.short(key).filter(|code| *code != USER_DEFINED);
        let heights = self.heights()?;
        match self.short(MODEL_TYPE) {
            None | Some(0) | Some(USER_DEFINED) => Ok(None),
            Some(1) => match self.short(LINEAR_UNIT) {
                None | Some(METRE) => {
                    Ok(Some(Crs { unit: Unit::Metre, epsg: named(PROJECTED_CRS), heights, text }))
                }
                Some(code) => Err(refuse("ProjLinearUnits", code, "9001 (metre); reproject it")),
            },
            Some(2) => match self.short(ANGULAR_UNIT) {
                None | Some(DEGREE) => {
                    Ok(Some(Crs { unit: Unit::Degree, epsg: named(GEOGRAPHIC_CRS), heights, text }))
                }
                Some(code) => Err(refuse("GeogAngularUnits", code, "9102 (degree)")),
            },
            Some(code) => Err(refuse("GTModelType", code, "1 (projected) or 2 (geographic)")),
        }
    }
}

/// Cell size and centre of the south-west cell.
fn georeference(
    file: &mut Source,
    keys: &GeoKeys,
    rows: usize,
) -> Result<([f64; 2], [f64; 2]), TerrainError> {
    if doubles(file, Tag::ModelTransformationTag)?.is_some() {
        let allowed = "ModelPixelScale and ModelTiepoint (a raster that is not rotated)";
        return Err(refuse("ModelTransformation", "present", allowed));
    }
    let absent = || TerrainError::GeoTiff("no ModelPixelScale and ModelTiepoint".to_string());
    let scale = doubles(file, Tag::ModelPixelScaleTag)?.ok_or_else(absent)?;
    let tie = doubles(file, Tag::ModelTiepointTag)?.ok_or_else(absent)?;
    let [dx, dy, ..] = scale[..] else {
        return Err(refuse("ModelPixelScale", format!("{scale:?}"), "three numbers"));
    };
    if !(dx.is_finite() && dy.is_finite() && dx > 0.0 && dy > 0.0) {
        return Err(refuse("ModelPixelScale", format!("{scale:?}"), "positive numbers"));
    }
    let [column, row, _, x, y, _] = tie[..] else {
        return Err(refuse("ModelTiepoint", format!("{tie:?}"), "one tie point of six numbers"));
    };
    // As area, raster coordinates count from the corner of the first cell.
    let half = if keys.short(RASTER_TYPE) == Some(POINT) { 0.0 } else { 0.5 };
    let south_west = [x + (half - column) * dx, y - (rows as f64 - 1.0 + half - row) * dy];
    if !(south_west[0].is_finite() && south_west[1].is_finite()) {
        return Err(refuse("ModelTiepoint", format!("{tie:?}"), "finite numbers"));
    }
    Ok(([dx, dy], south_west))
}

/// Reads the first image of a GeoTIFF.
pub fn read_geotiff(bytes: &[u8]) -> Result<(Raster, Vec<RasterWarning>), TerrainError> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = LARGEST;
    let mut file = Decoder::new(Cursor::new(bytes)).map_err(fault)?.with_limits(limits);
    let (columns, rows) = file.dimensions().map_err(fault)?;
    let (columns, rows) = (columns as usize, rows as usize);
    match file.colortype().map_err(fault)? {
        tiff::ColorType::Gray(bits) => {
            overstated("geotiff", [columns, rows], bits.into(), bytes)?;
        }
        other => return Err(refuse("colour type", format!("{other:?}"), "one band (gray)")),
    }
    let keys = GeoKeys::read(&mut file)?;
    let (cell, south_west) = georeference(&mut file, &keys, rows)?;
    let ascii = match file.find_tag(Tag::GeoAsciiParamsTag).map_err(fault)? {
        Some(value) => value.into_string().map_err(fault)?,
        None => String::new(),
    };
    let mut warnings = Vec::new();
    let mut crs = keys.crs(&ascii)?.unwrap_or_else(|| {
        warnings.push(RasterWarning::MetresGuessed);
        Crs::local()
    });
    if let Some(Ok(text)) = file.find_tag(GDAL_METADATA).map_err(fault)?.map(Value::into_string) {
        crs.heights = crs.heights.or(unit_type(&text));
    }
    let gap = match file.find_tag(Tag::GdalNodata).map_err(fault)? {
        None => None,
        Some(value) => {
            let text = value.into_string().map_err(fault)?;
            let text = text.trim_matches(['\0', ' ']);
            Some(text.parse::<f64>().map_err(|_| refuse("GDAL_NODATA", text, "a number"))?)
        }
    };
    let further = file.more_images();
    let mut values = match file.read_image().map_err(fault)? {
        DecodingResult::U8(v) => {
            warnings.push(RasterWarning::StairSteps { step: 1.0 });
            v.into_iter().map(f64::from).collect()
        }
        DecodingResult::I8(v) => {
            warnings.push(RasterWarning::StairSteps { step: 1.0 });
            v.into_iter().map(f64::from).collect()
        }
        DecodingResult::U16(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::I16(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::U32(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::I32(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::U64(v) => v.into_iter().map(|x| x as f64).collect(),
        DecodingResult::I64(v) => v.into_iter().map(|x| x as f64).collect(),
        DecodingResult::F32(v) => {
            // A gap is compared as it was stored: GDAL writes f32 gaps as f64 text.
            let stored = gap.map(|g| g as f32);
            let read = |x: f32| if stored == Some(x) { f64::NAN } else { f64::from(x) };
            v.into_iter().map(read).collect()
        }
        DecodingResult::F64(v) => v,
        DecodingResult::F16(v) => v.into_iter().map(f64::from).collect::<Vec<f64>>(),
    };
    for value in &mut values {
        if gap == Some(*value) || !value.is_finite() {
            *value = f64::NAN;
        }
    }
    if further {
        let mut images = 1;
        while file.more_images() && file.next_image().is_ok() {
            images += 1;
        }
        warnings.push(RasterWarning::FurtherImages(images));
    }
    let heights = crs.heights;
    let mut raster = Raster { columns, rows, south_west, cell, values, crs };
    if let Some(unit) = heights.filter(|unit| *unit != HeightUnit::Metre) {
        raster.scale_heights(unit.metres());
        warnings.push(RasterWarning::HeightsConverted(unit));
    }
    raster.check()?;
    Ok((raster, warnings))
}

/// The unit of the first band that GDAL keeps in its own tag, a few lines of XML.
fn unit_type(metadata: &str) -> Option<HeightUnit> {
    let item = metadata.split("<Item").find(|item| item.contains("\"UNITTYPE\""))?;
    let word = item.split('>').nth(1)?.split('<').next()?;
    HeightUnit::of_word(word)
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

/// The GeoTIFF 1.1 key directory of a system, cells as areas: its EPSG code, or one of the
/// user's own, in metres or degrees.
pub fn geo_keys(crs: &Crs) -> Vec<u16> {
    let (model, system, unit, measure) = match crs.unit {
        Unit::Metre => (1, PROJECTED_CRS, LINEAR_UNIT, METRE),
        Unit::Degree => (2, GEOGRAPHIC_CRS, ANGULAR_UNIT, DEGREE),
    };
    let entry = |key, value| [key, 0, 1, value];
    // Version 1, revision 1.0; four keys in ascending order, as the standard asks.
    let mut words = vec![1, 1, 0, 4];
    words.extend(entry(MODEL_TYPE, model));
    words.extend(entry(RASTER_TYPE, 1));
    words.extend(entry(system, crs.epsg.unwrap_or(USER_DEFINED)));
    words.extend(entry(unit, measure));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(warnings.is_empty());
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
