//! Geo-keys and tags that say where a GeoTIFF lies and what its numbers mean.

use super::{fault, refuse};
use crate::geodesy::GridZone;
use crate::terrain::error::{RasterWarning, TerrainError};
use crate::terrain::raster::{Crs, Unit};
use crate::terrain::reference::HeightUnit;
use std::io::{Read, Seek};
use tiff::decoder::Decoder;
use tiff::tags::Tag;

pub(super) const MODEL_TYPE: u16 = 1024;
pub(super) const RASTER_TYPE: u16 = 1025;
const CITATION: u16 = 1026;
const GEOGRAPHIC_CRS: u16 = 2048;
const ANGULAR_UNIT: u16 = 2054;
pub(super) const PROJECTED_CRS: u16 = 3072;
pub(super) const LINEAR_UNIT: u16 = 3076;
const DEGREE: u16 = 9102;
const METRE: u16 = 9001;
const VERTICAL_CRS: u16 = 4096;
const VERTICAL_UNIT: u16 = 4099;
const USER_DEFINED: u16 = 32767;
pub(super) const POINT: u16 = 2;

fn doubles<R: Read + Seek>(
    file: &mut Decoder<R>,
    tag: Tag,
) -> Result<Option<Vec<f64>>, TerrainError> {
    let value = file.find_tag(tag).map_err(fault)?;
    value.map(|v| v.into_f64_vec().map_err(fault)).transpose()
}

/// Geo-keys whose value is a short stored in the directory itself.
pub(super) struct GeoKeys(Vec<u16>);

impl GeoKeys {
    pub(super) fn read<R: Read + Seek>(file: &mut Decoder<R>) -> Result<GeoKeys, TerrainError> {
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

    /// The code of a system, unless it is the user's own.
    fn named(&self, key: u16) -> Option<u16> {
        self.short(key).filter(|code| *code != USER_DEFINED)
    }

    /// What is doubtful of coordinates that are taken as metres: that they are, where neither a unit nor
    /// a system whose unit is known says so. Many systems are in feet.
    pub(super) fn doubt(&self) -> Option<RasterWarning> {
        match (self.short(MODEL_TYPE), self.short(LINEAR_UNIT), self.named(PROJECTED_CRS)) {
            (None | Some(0 | USER_DEFINED), ..) | (Some(1), None, None) => {
                Some(RasterWarning::MetresGuessed)
            }
            (Some(1), None, Some(code)) if GridZone::of_epsg(code).is_none() => {
                Some(RasterWarning::UnitUnknown(code))
            }
            _ => None,
        }
    }

    pub(super) fn crs(&self, ascii: &str) -> Result<Crs, TerrainError> {
        let text = self.text(CITATION, ascii);
        let named = |key| self.named(key);
        let heights = self.heights()?;
        match self.short(MODEL_TYPE) {
            None | Some(0) | Some(USER_DEFINED) => Ok(Crs::local()),
            Some(1) => match self.short(LINEAR_UNIT) {
                None | Some(METRE) => {
                    Ok(Crs { unit: Unit::Metre, epsg: named(PROJECTED_CRS), heights, text })
                }
                Some(code) => Err(refuse("ProjLinearUnits", code, "9001 (metre); reproject it")),
            },
            Some(2) => match self.short(ANGULAR_UNIT) {
                None | Some(DEGREE) => {
                    Ok(Crs { unit: Unit::Degree, epsg: named(GEOGRAPHIC_CRS), heights, text })
                }
                Some(code) => Err(refuse("GeogAngularUnits", code, "9102 (degree)")),
            },
            Some(code) => Err(refuse("GTModelType", code, "1 (projected) or 2 (geographic)")),
        }
    }
}

/// Cell size and centre of the south-west cell.
pub(super) fn georeference<R: Read + Seek>(
    file: &mut Decoder<R>,
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

/// The unit of the first band that GDAL keeps in its own tag, a few lines of XML.
pub(super) fn unit_type(metadata: &str) -> Option<HeightUnit> {
    let item = metadata.split("<Item").find(|item| item.contains("\"UNITTYPE\""))?;
    let word = item.split('>').nth(1)?.split('<').next()?;
    HeightUnit::of_word(word)
}

/// What values of the first band are multiplied with and what is added, as GDAL keeps them beside its
/// unit; nothing where they are as they stand.
pub(super) fn scaling(metadata: &str) -> Option<[f64; 2]> {
    let number = |role: &str| {
        let role = format!("role=\"{role}\"");
        let item = metadata.split("<Item").find(|item| item.contains(&role))?;
        item.split('>').nth(1)?.split('<').next()?.trim().parse::<f64>().ok()
    };
    let scaling = [number("scale").unwrap_or(1.0), number("offset").unwrap_or(0.0)];
    (scaling != [1.0, 0.0]).then_some(scaling)
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
