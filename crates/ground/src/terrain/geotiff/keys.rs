//! Geo-keys and tags with the position of a GeoTIFF and the meaning of its numbers.

use super::stored::text;
use super::{fault, refuse};
use crate::terrain::angles::AngleFrame;
use crate::terrain::error::{RasterWarning, TerrainError};
use crate::terrain::height_unit::{FOOT, US_SURVEY_FOOT};
use crate::terrain::projected::{
    Parameter, ProjectedSystem, Projection, ProjectionFamily, ProjectionParameters,
};
use crate::terrain::raster::{Crs, Unit};
use crate::terrain::reference::{HeightUnit, is_depth};
use crate::terrain::wkt;
use bekker_math::geodesy::MapProjection;
use tiff::decoder::IfdDecoder;
use tiff::tags::Tag;

pub(super) const MODEL_TYPE: u16 = 1024;
pub(super) const RASTER_TYPE: u16 = 1025;
const CITATION: u16 = 1026;
const GEOGRAPHIC_CRS: u16 = 2048;
const GEOGRAPHIC_CITATION: u16 = 2049;
const PRIME_MERIDIAN: u16 = 2051;
const ANGULAR_UNIT: u16 = 2054;
const ANGULAR_UNIT_SIZE: u16 = 2055;
const SEMI_MAJOR_AXIS: u16 = 2057;
const SEMI_MINOR_AXIS: u16 = 2058;
const PRIME_MERIDIAN_LONGITUDE: u16 = 2061;
pub(super) const PROJECTED_CRS: u16 = 3072;
const PROJECTED_CITATION: u16 = 3073;
const PROJECTION: u16 = 3074;
const METHOD: u16 = 3075;
pub(super) const LINEAR_UNIT: u16 = 3076;
const LINEAR_UNIT_SIZE: u16 = 3077;
const DEGREE: u16 = 9102;
const METER: u16 = 9001;
const VERTICAL_CRS: u16 = 4096;
const VERTICAL_UNIT: u16 = 4099;
const USER_DEFINED: u16 = 32767;
pub(super) const POINT: u16 = 2;

fn doubles(tags: &mut IfdDecoder<'_>, tag: Tag) -> Result<Option<Vec<f64>>, TerrainError> {
    let value = tags.find_tag(tag).map_err(fault)?;
    value.map(|v| v.into_f64_vec().map_err(fault)).transpose()
}

/// Geo-keys, with the numbers and texts that they refer to.
pub(in crate::terrain) struct GeoKeys {
    words: Vec<u16>,
    doubles: Vec<f64>,
    ascii: String,
}

impl GeoKeys {
    pub(super) fn read(tags: &mut IfdDecoder<'_>) -> Result<GeoKeys, TerrainError> {
        let value = tags.find_tag(Tag::GeoKeyDirectoryTag).map_err(fault)?;
        let words = value.map(|v| v.into_u16_vec().map_err(fault)).transpose()?;
        Ok(GeoKeys {
            words: words.unwrap_or_default(),
            doubles: doubles(tags, Tag::GeoDoubleParamsTag)?.unwrap_or_default(),
            ascii: text(tags, Tag::GeoAsciiParamsTag)?.unwrap_or_default(),
        })
    }

    fn entries(&self) -> impl Iterator<Item = &[u16]> {
        self.words.get(4..).unwrap_or_default().chunks_exact(4)
    }

    fn short(&self, key: u16) -> Option<u16> {
        self.entries().find(|e| e[0] == key && e[1] == 0).map(|e| e[3])
    }

    fn text(&self, key: u16) -> Option<String> {
        let entry = self.entries().find(|e| e[0] == key)?;
        let (start, length) = (usize::from(entry[3]), usize::from(entry[2]));
        let words = self.ascii.get(start..start + length)?;
        Some(words.trim_end_matches(['|', '\0']).to_string())
    }

    fn double(&self, key: u16) -> Option<f64> {
        let entry = self.entries().find(|e| e[0] == key && e[1] != 0)?;
        self.doubles.get(usize::from(entry[3])).copied().filter(|value| value.is_finite())
    }

    /// Returns the unit of heights, from its own key or from the vertical system.
    pub(super) fn heights(&self) -> Result<Option<HeightUnit>, TerrainError> {
        let allowed =
            "9001 (meter), 9002 (foot), 9003 (US survey foot), 1025, 1033, 9014, 9036 or 9096";
        match self.short(VERTICAL_UNIT).filter(|code| !matches!(*code, 0 | USER_DEFINED)) {
            Some(code) => match HeightUnit::from_epsg_unit(code) {
                Some(unit) => Ok(Some(unit)),
                None => Err(refuse("VerticalUnits", code, allowed)),
            },
            None => Ok(self.short(VERTICAL_CRS).and_then(HeightUnit::from_vertical_system)),
        }
    }

    /// Returns whether the system has a vertical part.
    pub(super) fn is_vertical(&self) -> bool {
        self.short(VERTICAL_CRS).is_some_and(|code| code != 0)
            || self.short(VERTICAL_UNIT).is_some_and(|code| code != 0)
    }

    /// Returns the code of a system, unless it is user-defined.
    fn named(&self, key: u16) -> Option<u16> {
        self.short(key).filter(|code| !matches!(*code, 0 | USER_DEFINED))
    }

    /// Returns the warning about a missing unit, an unknown system or depths.
    pub(super) fn doubt(&self, crs: &Crs) -> Option<RasterWarning> {
        if let Some(code) = self.short(VERTICAL_CRS).filter(|code| is_depth(*code)) {
            return Some(RasterWarning::Depths(code));
        }
        let is_named = crs.epsg.is_some()
            || crs.length != 1.0
            || crs.projection != Projection::TrueToScale
            || self.short(PROJECTION).is_some_and(|code| code != USER_DEFINED);
        match self.short(MODEL_TYPE) {
            None | Some(0 | USER_DEFINED) if !is_named => Some(RasterWarning::MetersGuessed),
            Some(1) if !is_named && self.short(LINEAR_UNIT).is_none() => {
                Some(RasterWarning::MetersGuessed)
            }
            _ => None,
        }
    }

    /// Returns whether they name no system at all.
    pub(super) fn are_silent(&self) -> bool {
        matches!(self.short(MODEL_TYPE), None | Some(0 | USER_DEFINED))
            && self.short(PROJECTED_CRS).is_none()
            && self.short(GEOGRAPHIC_CRS).is_none()
            && self.written_system().is_none()
    }

    /// Returns a reference system that software of ESRI or GDAL wrote into a citation.
    fn written_system(&self) -> Option<String> {
        [PROJECTED_CITATION, CITATION].into_iter().find_map(|key| {
            let text = self.text(key)?;
            let (_, system) = text.split_once("ESRI PE String = ")?;
            Some(system.to_string())
        })
    }

    /// Returns the unit of longitudes and latitudes and their prime meridian.
    fn angles(&self) -> Result<AngleFrame, TerrainError> {
        let known = self.named(GEOGRAPHIC_CRS).map_or(AngleFrame::PLAIN, AngleFrame::from_epsg);
        let allowed = "9101 (radian), 9102 (degree), 9103 (arc-minute), 9104 (arc-second), 9105 (grad), 9106, \
                       9109, 9122, or 32767 with GeogAngularUnitSize";
        let degrees = match self.short(ANGULAR_UNIT) {
            None | Some(0) => known.degrees,
            Some(USER_DEFINED) => match self.double(ANGULAR_UNIT_SIZE) {
                Some(radians) => AngleFrame::degrees_from_radians(radians)?,
                None => return Err(refuse("GeogAngularUnits", USER_DEFINED, allowed)),
            },
            Some(code) => AngleFrame::unit_from_epsg(code)
                .ok_or_else(|| refuse("GeogAngularUnits", code, allowed))?,
        };
        let longitude = self.double(PRIME_MERIDIAN_LONGITUDE).map(|own| own * degrees);
        // GDAL also writes the name of a meridian, and a wrong longitude where the unit is the grad
        let citation = self.text(GEOGRAPHIC_CITATION).unwrap_or_default();
        let name = citation.split('|').find_map(|part| part.trim().strip_prefix("Primem = "));
        let named = name.and_then(|name| AngleFrame::meridian_from_name(&wkt::plain(name)));
        let meridian = match (self.named(PRIME_MERIDIAN), named.or(longitude)) {
            (_, Some(longitude)) => longitude,
            (None, None) => known.meridian,
            (Some(code), None) => AngleFrame::meridian_from_epsg(code).ok_or_else(|| {
                let allowed = "8901 to 8914, or GeogPrimeMeridianLong; warp the raster, for \
                    example with gdalwarp -t_srs EPSG:4326";
                refuse("GeogPrimeMeridian", code, allowed)
            })?,
        };
        if !(-360.0..=360.0).contains(&meridian) {
            return Err(refuse("GeogPrimeMeridianLong", meridian, "-360 to 360 degrees"));
        }
        Ok(AngleFrame { degrees, meridian })
    }

    /// Returns the geographic or projected reference system without its heights, and the frame of
    /// its longitudes and latitudes.
    pub(super) fn crs(&self) -> Result<(Crs, AngleFrame), TerrainError> {
        let text = self.text(CITATION);
        let crs = match self.short(MODEL_TYPE) {
            None | Some(0 | USER_DEFINED) => match self.written_system() {
                Some(system) => {
                    let (crs, angles) = Crs::from_text(&system)?;
                    return Ok((Crs { text: text.or(crs.text.clone()), ..crs }, angles));
                }
                None if self.named(PROJECTED_CRS).is_some() => self.projected(text)?,
                None => Crs { length: self.length()?.unwrap_or(1.0), ..Crs::local() },
            },
            Some(1) => self.projected(text)?,
            Some(2) => {
                let epsg = self.named(GEOGRAPHIC_CRS);
                // a system without a code is still specified, by the file's own words
                let own = || epsg.is_none().then(|| "GTModelType 2 (geographic)".to_string());
                let text = text.or_else(own);
                let crs = Crs { unit: Unit::Degree, epsg, text, ..Crs::local() };
                return Ok((crs, self.angles()?));
            }
            Some(code) => {
                return Err(refuse("GTModelType", code, "1 (projected) or 2 (geographic)"));
            }
        };
        Ok((crs, AngleFrame::PLAIN))
    }

    /// Returns the length of a unit of coordinates, m, if it is given.
    fn length(&self) -> Result<Option<f64>, TerrainError> {
        let code = match self.short(LINEAR_UNIT) {
            None | Some(0) => return Ok(None),
            Some(code) => code,
        };
        if let Some(unit) = HeightUnit::from_epsg_unit(code) {
            return Ok(Some(unit.meters()));
        }
        if code == 9005 {
            return Ok(Some(0.304_797_265_4)); // Clarke's foot
        }
        let size = self.double(LINEAR_UNIT_SIZE).filter(|_| code == USER_DEFINED);
        let allowed = "9001 (meter), 9002 (foot), 9003 (US survey foot), 9005, 9036, 9096, or \
            32767 with ProjLinearUnitSize";
        match size.filter(|size| (1e-4..=1e5).contains(size)) {
            Some(size) => Ok(Some(size)),
            None => Err(refuse("ProjLinearUnits", code, allowed)),
        }
    }

    fn projected(&self, text: Option<String>) -> Result<Crs, TerrainError> {
        let length = self.length()?;
        if let Some(code) = self.named(PROJECTED_CRS) {
            let known = ProjectedSystem::from_epsg(code);
            let method = if known.is_some() { Projection::TrueToScale } else { self.method()? };
            let own = known.unwrap_or_else(|| ProjectedSystem {
                length: 1.0,
                projection: match method {
                    Projection::Unknown(_) => Projection::Unknown("its code is not known".into()),
                    mapped => mapped,
                },
            });
            let length = length.unwrap_or(own.length);
            let projection = own.projection;
            return Ok(Crs { length, projection, epsg: Some(code), text, ..Crs::local() });
        }
        if let Some(system) = self.written_system() {
            let (crs, _) = Crs::from_text(&system)?;
            let length = length.unwrap_or(crs.length);
            return Ok(Crs { length, text: text.or(crs.text.clone()), ..crs });
        }
        let length = length.unwrap_or(1.0);
        let datum = self.named(GEOGRAPHIC_CRS);
        let projection = match self.named(PROJECTION) {
            // zones of UTM, 1 to 60, north and south
            Some(code @ (16001..=16060 | 16101..=16160)) => {
                let datum = datum.filter(|_| length == 1.0);
                let (zone, is_south) = (code % 100, code > 16100);
                let epsg = datum.and_then(|datum| wkt::utm_code(datum, zone, is_south));
                let projection = match epsg {
                    Some(_) => Projection::TrueToScale,
                    None => Projection::Mapped(MapProjection::from_utm_zone(zone, is_south)),
                };
                return Ok(Crs { length, epsg, projection, text, ..Crs::local() });
            }
            // state planes and national grids
            Some(10_101..=19_999) => Projection::TrueToScale,
            Some(code) => Projection::Unknown(format!("projection {code}")),
            None => self.method()?,
        };
        if let Projection::Mapped(own) = &projection
            && let Some(code) = datum.and_then(|datum| wkt::zone_code(own, length, datum))
        {
            return Ok(Crs { epsg: Some(code), text, ..Crs::local() });
        }
        // lengths of a file without system, method and citation are used unchanged
        let is_given = self.short(METHOD).is_some();
        let projection = match projection {
            Projection::Unknown(_) if !is_given && self.short(PROJECTION).is_none() => {
                let citation = self.text(PROJECTED_CITATION).or_else(|| text.clone());
                match citation.filter(|own| !own.trim().is_empty()) {
                    Some(citation) => Projection::Cited(citation),
                    None => Projection::TrueToScale,
                }
            }
            other => other,
        };
        Ok(Crs { length, projection, text, ..Crs::local() })
    }

    /// Returns the projection from its method and constants.
    fn method(&self) -> Result<Projection, TerrainError> {
        let Some(code) = self.short(METHOD) else {
            return Ok(Projection::Unknown("no method".to_string()));
        };
        let angles = self.angles()?;
        let family = match code {
            1 => ProjectionFamily::TransverseMercator,
            7 => ProjectionFamily::Mercator,
            8 | 9 => ProjectionFamily::LambertConformal,
            10 => ProjectionFamily::AzimuthalEqualArea,
            11 => ProjectionFamily::Albers,
            14..=16 => ProjectionFamily::Stereographic,
            17 => ProjectionFamily::EquidistantCylindrical,
            20 => ProjectionFamily::Miller,
            24 => ProjectionFamily::Sinusoidal,
            27 => ProjectionFamily::TransverseMercator,
            28 => ProjectionFamily::CylindricalEqualArea,
            _ => ProjectionFamily::Other,
        };
        let name = format!("ProjCoordTrans {code}");
        let first = |keys: &[u16]| keys.iter().find_map(|key| self.double(*key));
        let angle = |keys: &[u16]| first(keys).map(|own| own * angles.degrees);
        let is_cone =
            matches!(family, ProjectionFamily::LambertConformal | ProjectionFamily::Albers);
        let number = |parameter| match parameter {
            Parameter::Latitude => angle(&[3081, 3085, 3089]),
            Parameter::Longitude => {
                Some(angle(&[3080, 3084, 3088, 3095]).unwrap_or(0.0) + angles.meridian)
            }
            Parameter::FirstParallel => angle(&[3078]),
            Parameter::SecondParallel => angle(&[3079]),
            Parameter::TrueParallel if is_cone => None,
            Parameter::TrueParallel => angle(&[3078]),
            Parameter::Scale => first(&[3092, 3093]),
            Parameter::Easting => first(&[3082, 3086, 3090]),
            Parameter::Northing => first(&[3083, 3087, 3091]),
        };
        let (major, minor) = (self.double(SEMI_MAJOR_AXIS), self.double(SEMI_MINOR_AXIS));
        let sphere = major.filter(|_| major == minor);
        let parameters = ProjectionParameters { number: &number, sphere };
        Ok(match code {
            15 => wkt::polar(&parameters, &name),
            _ => parameters.projection(family, &name),
        })
    }
}

/// Affine map from a column and a row, counted from the corner of the first cell, to x and y.
///
/// It is `[a, b, c, d, e, f]` with x = a column + b row + c.
pub(super) type AffineMap = [f64; 6];

/// Returns the affine map in the tags of a file, and scale and offset of its heights, if the tags
/// give them.
pub(super) fn placing(
    tags: &mut IfdDecoder<'_>,
    keys: &GeoKeys,
) -> Result<(Option<AffineMap>, Option<[f64; 2]>), TerrainError> {
    let is_point = keys.short(RASTER_TYPE) == Some(POINT);
    let from_corner = |[a, b, c, d, e, f]: AffineMap| match is_point {
        // raster coordinates are relative to the middle of the first cell
        true => [a, b, c - 0.5 * (a + b), d, e, f - 0.5 * (d + e)],
        false => [a, b, c, d, e, f],
    };
    // GDAL uses scale and offset of heights only if the system is vertical
    let scaling = |scale: f64, offset: f64| {
        let is_given = keys.is_vertical() && scale.is_finite() && scale != 0.0;
        (is_given && (scale, offset) != (1.0, 0.0)).then_some([scale, offset])
    };
    if let Some(scale) = doubles(tags, Tag::ModelPixelScaleTag)? {
        let [dx, dy, ref height @ ..] = scale[..] else {
            return Err(refuse("ModelPixelScale", format!("{scale:?}"), "three numbers"));
        };
        let Some(tie) = doubles(tags, Tag::ModelTiepointTag)? else {
            return Err(TerrainError::GeoTiff("ModelPixelScale without ModelTiepoint".into()));
        };
        let [column, row, level, x, y, z] = tie[..] else {
            return Err(refuse(
                "ModelTiepoint",
                format!("{tie:?}"),
                "one tie point of six numbers",
            ));
        };
        if !(dx.is_finite() && dy.is_finite() && dx > 0.0 && dy != 0.0) {
            return Err(refuse("ModelPixelScale", format!("{scale:?}"), "positive numbers"));
        }
        // a negative size northward is read as in GDAL, north up
        let dy = dy.abs();
        let map = from_corner([dx, 0.0, x - column * dx, 0.0, -dy, y + row * dy]);
        let height = height.first().copied().unwrap_or(0.0);
        return Ok((Some(map), scaling(height, z - level * height)));
    }
    let Some(matrix) = doubles(tags, Tag::ModelTransformationTag)? else {
        return Ok((None, None));
    };
    let [a, b, _, c, d, e, _, f, _, _, height, z, ..] = matrix[..] else {
        return Err(refuse("ModelTransformation", format!("{matrix:?}"), "sixteen numbers"));
    };
    Ok((Some(from_corner([a, b, c, d, e, f])), scaling(height, z)))
}

/// Returns the cell size, the center of the south-west cell, and whether the first row is the south
/// row.
pub(super) fn georeference(
    [a, b, c, d, e, f]: AffineMap,
    rows: usize,
    source: &'static str,
) -> Result<([f64; 2], [f64; 2], bool), TerrainError> {
    if [a, b, c, d, e, f].iter().any(|number| !number.is_finite()) {
        return Err(refuse(source, "not finite", "finite numbers"));
    }
    // rotated by less than a hundredth of a cell over all rows and columns
    let is_small = |shear: f64, size: f64| shear.abs() * 1e6 <= size.abs();
    if !(is_small(b, a) && is_small(d, e) && a > 0.0 && e != 0.0) {
        return Err(TerrainError::Rotated(source));
    }
    let south_up = e > 0.0;
    let last = rows as f64 - 1.0;
    let south = if south_up { f + 0.5 * e } else { f + (last + 0.5) * e };
    Ok(([a, e.abs()], [c + 0.5 * a, south], south_up))
}

/// Returns the GeoTIFF 1.1 key directory of a system, with cells as areas: its EPSG code, or a
/// user-defined system in meters or degrees.
pub fn geo_keys(crs: &Crs) -> Vec<u16> {
    let length = match crs.length {
        FOOT => 9002,
        US_SURVEY_FOOT => 9003,
        1000.0 => 9036,
        _ => METER,
    };
    let (model, system, unit, measure) = match crs.unit {
        Unit::Meter => (1, PROJECTED_CRS, LINEAR_UNIT, length),
        Unit::Degree => (2, GEOGRAPHIC_CRS, ANGULAR_UNIT, DEGREE),
    };
    let entry = |key, value| [key, 0, 1, value];
    // version 1, revision 1.0; four keys in ascending order, as the standard requires
    let mut words = vec![1, 1, 0, 4];
    words.extend(entry(MODEL_TYPE, model));
    words.extend(entry(RASTER_TYPE, 1));
    words.extend(entry(system, crs.epsg.unwrap_or(USER_DEFINED)));
    words.extend(entry(unit, measure));
    words
}
