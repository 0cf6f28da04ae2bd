//! Projection files in ArcInfo's format before WKT: one keyword and its value per line, followed by
//! constants.

use super::angles::AngleFrame;
use super::error::TerrainError;
use super::height_unit::{FOOT, US_SURVEY_FOOT};
use super::projected::{
    Parameter, Projection, ProjectionFamily, ProjectionParameters, exact_length,
};
use super::raster::{Crs, Unit};
use super::wkt::{polar, utm_code};
use bekker_math::geodesy::MapProjection;

/// Lines of a file: keywords with their values, and the constants after `ProjectionParameters`.
struct ArcInfo {
    keys: Vec<(String, String)>,
    parameters: Vec<f64>,
}

/// Parses a constant: one number, or degrees, minutes and seconds. Text after `/*` is a comment.
fn constant(line: &str) -> Option<f64> {
    let line = line.split("/*").next().unwrap_or_default();
    let numbers: Vec<f64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
    match numbers[..] {
        [] => None,
        [degrees, minutes, seconds, ..] => {
            let size = degrees.abs() + minutes / 60.0 + seconds / 3600.0;
            Some(if line.trim_start().starts_with('-') { -size } else { size })
        }
        [number, ..] => Some(number),
    }
}

impl ArcInfo {
    fn parse(text: &str) -> Option<ArcInfo> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut keys = Vec::new();
        for line in lines.by_ref() {
            let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if key.eq_ignore_ascii_case("parameters") {
                break;
            }
            keys.push((key.to_ascii_uppercase(), value.trim().to_ascii_uppercase()));
        }
        let found = ArcInfo { keys, parameters: lines.map_while(constant).collect() };
        found.value("PROJECTION").map(|_| ())?;
        Some(found)
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.keys.iter().find(|own| own.0 == key).map(|own| own.1.as_str())
    }

    fn number(&self, key: &str) -> Option<f64> {
        self.value(key)?.parse().ok()
    }

    /// Returns the length of a unit of coordinates, m.
    ///
    /// Feet are US survey feet, as in ArcInfo and GDAL; a number is the number of units per meter.
    fn length(&self) -> Result<f64, TerrainError> {
        let word = self.value("UNITS").unwrap_or("METERS");
        let length = match word {
            "" | "METERS" | "METRES" | "METER" | "METRE" => 1.0,
            "FEET" | "FOOT" | "US_FEET" => US_SURVEY_FOOT,
            "INT_FEET" | "INTFEET" => FOOT,
            "KILOMETERS" | "KILOMETRES" => 1000.0,
            _ => word.parse::<f64>().map_or(0.0, |units| 1.0 / units),
        };
        let is_sound = (1e-4..=1e5).contains(&length);
        is_sound.then(|| exact_length(length)).ok_or_else(|| TerrainError::Sidecar {
            file: "projection file (.prj)",
            cause: format!(
                "Units is {word}; allowed: METERS, FEET, INT_FEET or a number of units per meter"
            ),
        })
    }

    /// Returns the length of a unit of longitude and latitude, degrees.
    fn degrees(&self) -> Result<f64, TerrainError> {
        match self.value("UNITS").unwrap_or("DD") {
            "" | "DD" | "DEGREES" | "DEGREE" => Ok(1.0),
            "DM" => Ok(1.0 / 60.0),
            "DS" => Ok(1.0 / 3600.0),
            "RADIANS" => Ok(1_f64.to_degrees()),
            "GRADS" => Ok(super::angles::GRAD),
            word => Err(TerrainError::AngleUnit(word.to_string())),
        }
    }

    /// Returns the EPSG code of its datum, for the datums on which zones of UTM are known.
    fn datum(&self) -> Option<u16> {
        match self.value("DATUM")? {
            "WGS84" | "WGS_1984" | "WGS_84" => Some(4326),
            "NAD83" | "NAR_C" | "NAD_1983" => Some(4269),
            "ETRS89" | "ETRS_1989" => Some(4258),
            _ => None,
        }
    }

    fn utm(&self, length: f64, text: String) -> Result<Crs, TerrainError> {
        let zone = self.number("ZONE").filter(|zone| (1.0..=60.0).contains(&zone.abs()));
        let Some(zone) = zone else {
            let found = self.value("ZONE").unwrap_or("missing");
            return Err(TerrainError::Sidecar {
                file: "projection file (.prj)",
                cause: format!("Zone is {found}; allowed: 1 to 60 with Projection UTM"),
            });
        };
        let is_south = zone < 0.0 || self.number("YSHIFT").is_some_and(|shift| shift != 0.0);
        let number = zone.abs() as u16;
        let datum = self.datum().filter(|_| length == 1.0);
        let epsg = datum.and_then(|datum| utm_code(datum, number, is_south));
        let projection = match epsg {
            Some(_) => Projection::TrueToScale,
            None => Projection::Mapped(MapProjection::from_utm_zone(number, is_south)),
        };
        Ok(Crs { length, projection, epsg, text: Some(text), ..Crs::local() })
    }

    /// Returns the projection with its constants, in ArcInfo's order.
    fn projection(&self, name: &str) -> Projection {
        use Parameter::{
            Easting, FirstParallel, Latitude, Longitude, Northing, Scale, SecondParallel,
            TrueParallel,
        };
        let (family, order): (ProjectionFamily, &[Parameter]) = match name {
            "ALBERS" | "LAMBERT" => (
                if name == "ALBERS" {
                    ProjectionFamily::Albers
                } else {
                    ProjectionFamily::LambertConformal
                },
                &[FirstParallel, SecondParallel, Longitude, Latitude, Easting, Northing],
            ),
            "TRANSVERSE" => (
                ProjectionFamily::TransverseMercator,
                &[Scale, Longitude, Latitude, Easting, Northing],
            ),
            "MERCATOR" => {
                (ProjectionFamily::Mercator, &[Longitude, TrueParallel, Easting, Northing])
            }
            "POLAR" => {
                (ProjectionFamily::Stereographic, &[Longitude, TrueParallel, Easting, Northing])
            }
            "LAMBERT_AZIMUTHAL" => {
                (ProjectionFamily::AzimuthalEqualArea, &[Longitude, Latitude, Easting, Northing])
            }
            _ => (ProjectionFamily::Other, &[]),
        };
        // the radius of a sphere may precede the other constants
        let first = self.parameters.first().copied();
        let sphere =
            first.filter(|own| family == ProjectionFamily::AzimuthalEqualArea && *own > 1e6);
        let own = &self.parameters[usize::from(sphere.is_some())..];
        if family != ProjectionFamily::Other && own.len() < 2 {
            return Projection::Unknown(format!("{name} without its parameters"));
        }
        let number = |parameter| {
            let place = order.iter().position(|known| *known == parameter)?;
            own.get(place).copied()
        };
        let parameters = ProjectionParameters { number: &number, sphere };
        match name {
            "POLAR" => polar(&parameters, name),
            _ => parameters.projection(family, name),
        }
    }
}

/// Returns the reference system of an ArcInfo projection file, and the frame of its longitudes and
/// latitudes; `None` for text in another format.
pub(super) fn parse_arc_info(text: &str) -> Option<Result<(Crs, AngleFrame), TerrainError>> {
    let file = ArcInfo::parse(text).filter(|_| !text.contains(['[', '+']))?;
    Some(read(&file))
}

fn read(file: &ArcInfo) -> Result<(Crs, AngleFrame), TerrainError> {
    let name = file.value("PROJECTION").unwrap_or_default().to_string();
    let text = match file.value("ZONE") {
        Some(zone) => format!("{name} zone {zone}"),
        None => name.clone(),
    };
    if name == "GEOGRAPHIC" {
        let frame = AngleFrame { degrees: file.degrees()?, ..AngleFrame::PLAIN };
        let (text, epsg) = (Some(text), file.datum());
        return Ok((Crs { unit: Unit::Degree, epsg, text, ..Crs::local() }, frame));
    }
    let length = file.length()?;
    let crs = match name.as_str() {
        "UTM" => file.utm(length, text)?,
        "GREATBRITAIN_GRID" | "GREATBRITIAN_GRID" if length == 1.0 => {
            Crs { epsg: Some(27700), text: Some(text), ..Crs::local() }
        }
        _ => {
            let projection = file.projection(&name);
            Crs { length, projection, text: Some(text), ..Crs::local() }
        }
    };
    Ok((crs, AngleFrame::PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::geodesy::Method;

    fn system(text: &str) -> Crs {
        parse_arc_info(text).unwrap().unwrap().0
    }

    #[test]
    fn the_usual_keywords_are_read() {
        let utm = "Projection    UTM\r\nZone          33\r\nDatum         WGS84\r\nZunits        NO\r\n\
                   Units         METERS\r\nSpheroid      WGS84\r\nXshift        0.0\r\nYshift 0.0\r\nParameters\r\n";
        assert_eq!(system(utm).epsg, Some(32633));
        assert_eq!(system(&utm.replace("Yshift 0.0", "Yshift -10000000")).epsg, Some(32733));
        assert_eq!(system(&utm.replace(" 33", " -33")).epsg, Some(32733));
        let other = system(&utm.replace("Datum         WGS84", "DATUM ED50"));
        assert_eq!(other.epsg, None);
        assert_eq!(other.projection, Projection::Mapped(MapProjection::from_utm_zone(33, false)));
        assert_eq!(system(&utm.replace("METERS", "FEET")).length, US_SURVEY_FOOT);
        assert_eq!(system(&utm.replace("METERS", "3.280839895013123")).length, FOOT);
        let refused = parse_arc_info(&utm.replace("METERS", "RODS")).unwrap().unwrap_err();
        assert!(refused.to_string().contains("Units is RODS; allowed: METERS"), "{refused}");
        let refused = parse_arc_info(&utm.replace(" 33", " 77")).unwrap().unwrap_err();
        assert!(refused.to_string().contains("Zone is 77; allowed: 1 to 60"), "{refused}");
        assert!(
            parse_arc_info("PROJCS[\"x\"]").is_none() && parse_arc_info("what is this").is_none()
        );

        let (degrees, frame) =
            parse_arc_info("projection geographic\nunits ds\ndatum nad83\nparameters\n")
                .unwrap()
                .unwrap();
        assert_eq!((degrees.unit, degrees.epsg), (Unit::Degree, Some(4269)));
        assert_eq!(frame.degrees, 1.0 / 3600.0);
    }

    #[test]
    fn constants_are_taken_in_their_order() {
        let albers = "Projection ALBERS\nDatum NAD83\nUnits METERS\nParameters\n\
                      29 30 0.0 /* 1st standard parallel\n45 30 0.0 /* 2nd\n-96 0 0.0 /* meridian\n\
                      23 0 0.0 /* latitude\n0.0 /* false easting (meters)\n10.0 /* northing\n";
        let Projection::Mapped(own) = system(albers).projection else { panic!() };
        let [first, second, latitude] = [29.5_f64, 45.5, 23.0].map(f64::to_radians);
        assert_eq!(own.method, Method::Albers { parallels: [first, second], latitude });
        assert_eq!((own.meridian, own.offset), ((-96_f64).to_radians(), [0.0, 10.0]));
        let unknown = system("Projection BONNE\nUnits METERS\nParameters\n1 2 3\n");
        assert_eq!(unknown.projection, Projection::Unknown("BONNE".into()));
        let bare = system("Projection ALBERS\nUnits METERS\n");
        assert!(matches!(bare.projection, Projection::Unknown(name) if name.contains("ALBERS")));
    }
}
