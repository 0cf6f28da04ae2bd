//! Projected reference systems: the unit of their coordinates and its relation to lengths on the
//! ground.

use super::angles::AngleFrame;
use super::height_unit::{FOOT, US_SURVEY_FOOT};
use bekker_math::geodesy::{
    GridZone, GroundLengths, MapProjection, Method, equator_scale, polar_scale,
};
use std::f64::consts::FRAC_PI_2;

/// Relation between the coordinates of a projected system and lengths on the ground.
#[derive(Clone, Debug, PartialEq)]
pub enum Projection {
    /// Equal within 0.2 %, as in a zone of UTM or a national grid; or a local frame.
    TrueToScale,
    /// By the formulas of a known projection.
    Mapped(MapProjection),
    /// Unknown; with its name, as far as the file gives it.
    Unknown(String),
    /// Only named, in a citation of the file, without a method or a code.
    Cited(String),
}

impl Projection {
    /// Returns the relation between lengths on the ground and coordinates around a point, m, if it
    /// is known.
    pub fn ground_lengths(&self, point: [f64; 2]) -> Option<GroundLengths> {
        match self {
            Projection::TrueToScale => {
                Some(GroundLengths { meters: [1.0; 2], skew: 0.0, turn: 0.0 })
            }
            Projection::Mapped(projection) => projection.ground_lengths(point),
            Projection::Unknown(_) | Projection::Cited(_) => None,
        }
    }
}

/// A projected reference system.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProjectedSystem {
    /// Length of one unit of its coordinates, m.
    pub length: f64,
    pub projection: Projection,
}

/// Returns the exact length of a meter or foot if `length` equals it except for rounding.
pub(super) fn exact_length(length: f64) -> f64 {
    let known = [1.0, FOOT, US_SURVEY_FOOT];
    known.into_iter().find(|own| (length / own - 1.0).abs() < 1e-8).unwrap_or(length)
}

/// Every projected system of EPSG: ranges of codes, and `+proj=` texts where lengths differ from
/// those on the ground.
const SYSTEMS: &str = include_str!("projected_systems.txt");

impl ProjectedSystem {
    /// Returns the system with an EPSG code, or with one of ESRI's codes below 65536; `None` if the
    /// code is unknown.
    pub fn from_epsg(code: u16) -> Option<ProjectedSystem> {
        if GridZone::from_epsg(code).is_some() {
            return Some(ProjectedSystem { length: 1.0, projection: Projection::TrueToScale });
        }
        let esri = match code {
            53001 | 53002 | 54001 | 54002 => Some("+proj=eqc"),
            53003 | 54003 => Some("+proj=mill"),
            53004 | 54004 => Some("+proj=merc"),
            53008 | 54008 => Some("+proj=sinu"),
            53034 | 54034 => Some("+proj=cea"),
            _ => None,
        };
        if let Some(text) = esri {
            // codes that end in 2 have true scale at 60 degrees
            let parallel = if matches!(code, 53002 | 54002) { "+lat_ts=60" } else { "" };
            return Some(ProjectedSystem::from_proj(&format!("{text} {parallel}")));
        }
        SYSTEMS.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let (first, rest) = line.split_once(' ')?;
            let first: u16 = first.parse().ok()?;
            if rest.starts_with('+') {
                return (first == code).then(|| ProjectedSystem::from_proj(rest));
            }
            let (last, length) = rest.split_once(' ')?;
            let last: u16 = last.parse().ok()?;
            let length = exact_length(length.parse().ok()?);
            let projection = Projection::TrueToScale;
            (first..=last).contains(&code).then_some(ProjectedSystem { length, projection })
        })
    }

    /// Parses a PROJ string.
    pub fn from_proj(text: &str) -> ProjectedSystem {
        let words: Vec<(&str, &str)> = text
            .split_whitespace()
            .filter_map(|word| word.strip_prefix('+'))
            .map(|word| word.split_once('=').unwrap_or((word, "")))
            .collect();
        let word = |key: &str| words.iter().find(|(own, _)| *own == key).map(|(_, value)| *value);
        let number = |key: &str| word(key).and_then(|value| value.parse::<f64>().ok());
        let length = number("to_meter").unwrap_or_else(|| match word("units") {
            Some("ft") => FOOT,
            Some("us-ft") => US_SURVEY_FOOT,
            Some("km") => 1000.0,
            _ => 1.0,
        });
        let length = exact_length(length);
        let sphere = match (number("R"), number("a"), number("b")) {
            (Some(radius), ..) => Some(radius),
            (None, Some(a), Some(b)) if a == b => Some(a),
            _ if word("proj") == Some("webmerc") => Some(6_378_137.0),
            _ => None,
        };
        let values = ProjectionParameters {
            number: &|name| match name {
                Parameter::Latitude => number("lat_0"),
                Parameter::Longitude => {
                    let zone = || Some(6.0 * number("zone")? - 183.0);
                    Some(number("lon_0").or_else(zone).unwrap_or(0.0) + prime_meridian(text))
                }
                Parameter::FirstParallel => number("lat_1"),
                Parameter::SecondParallel => number("lat_2"),
                Parameter::TrueParallel => number("lat_ts"),
                Parameter::Scale => number("k").or(number("k_0")),
                Parameter::Easting => number("x_0"),
                Parameter::Northing => number("y_0"),
            },
            sphere,
        };
        let name = word("proj").unwrap_or_default();
        let projection = match name {
            "utm" => {
                let zone = number("zone").filter(|zone| (1.0..=60.0).contains(zone));
                let zone = zone.unwrap_or(31.0) as u16;
                Projection::Mapped(MapProjection::from_utm_zone(zone, word("south").is_some()))
            }
            _ => values.projection(proj_family(name), name),
        };
        ProjectedSystem { length, projection }
    }
}

/// Returns the longitude of the prime meridian of a PROJ string, degrees east of Greenwich.
pub(super) fn prime_meridian(text: &str) -> f64 {
    let own = text.split_whitespace().find_map(|word| word.strip_prefix("+pm="));
    own.map_or(0.0, |own| match own.parse::<f64>() {
        Ok(degrees) if degrees.is_finite() => degrees,
        _ => AngleFrame::meridian_from_name(&own.to_ascii_lowercase()).unwrap_or(0.0),
    })
}

/// A family of projections with the same constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProjectionFamily {
    Mercator,
    TransverseMercator,
    LambertConformal,
    Stereographic,
    EquidistantCylindrical,
    CylindricalEqualArea,
    AzimuthalEqualArea,
    Albers,
    Sinusoidal,
    Miller,
    /// Any other projection.
    Other,
}

fn proj_family(name: &str) -> ProjectionFamily {
    match name {
        "merc" | "webmerc" => ProjectionFamily::Mercator,
        "tmerc" | "etmerc" => ProjectionFamily::TransverseMercator,
        "lcc" => ProjectionFamily::LambertConformal,
        "stere" | "sterea" => ProjectionFamily::Stereographic,
        "eqc" => ProjectionFamily::EquidistantCylindrical,
        "cea" => ProjectionFamily::CylindricalEqualArea,
        "laea" => ProjectionFamily::AzimuthalEqualArea,
        "aea" => ProjectionFamily::Albers,
        "sinu" => ProjectionFamily::Sinusoidal,
        "mill" => ProjectionFamily::Miller,
        _ => ProjectionFamily::Other,
    }
}

/// A constant of a projection. Angles are in degrees, lengths in meters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    Latitude,
    Longitude,
    FirstParallel,
    SecondParallel,
    /// The parallel of true scale.
    TrueParallel,
    Scale,
    Easting,
    Northing,
}

/// Access to the constants of a projection.
pub(super) struct ProjectionParameters<'a> {
    pub number: &'a dyn Fn(Parameter) -> Option<f64>,
    /// Radius of the sphere on which it is defined, m.
    pub sphere: Option<f64>,
}

impl ProjectionParameters<'_> {
    /// Returns the projection of a family with these constants. `name` is its name in the file.
    pub fn projection(&self, family: ProjectionFamily, name: &str) -> Projection {
        let unknown = || Projection::Unknown(name.to_string());
        let number = |parameter| (self.number)(parameter).filter(|value: &f64| value.is_finite());
        let angle = |parameter| number(parameter).map(f64::to_radians);
        let latitude = angle(Parameter::Latitude).unwrap_or(0.0);
        let scale = number(Parameter::Scale).filter(|scale| *scale > 0.0).unwrap_or(1.0);
        let first = angle(Parameter::FirstParallel);
        let true_parallel = angle(Parameter::TrueParallel);
        let parallel = true_parallel.or(first).unwrap_or(0.0);
        let second = angle(Parameter::SecondParallel);
        let is_polar = |latitude: f64| (FRAC_PI_2 - latitude.abs()).abs() < 1e-6;
        let method = match family {
            ProjectionFamily::Mercator => {
                let scale = if parallel == 0.0 { scale } else { equator_scale(parallel) };
                Method::Mercator { scale }
            }
            ProjectionFamily::TransverseMercator => Method::TransverseMercator { latitude, scale },
            ProjectionFamily::LambertConformal => {
                let first = first.unwrap_or(latitude);
                let parallels = [first, second.unwrap_or(first)];
                if parallels[0] == -parallels[1] {
                    return unknown();
                }
                Method::LambertConformal { parallels, latitude, scale }
            }
            ProjectionFamily::Stereographic if is_polar(latitude) => {
                let scale = true_parallel.map_or(scale, polar_scale);
                Method::PolarStereographic { is_north: latitude > 0.0, scale }
            }
            ProjectionFamily::Stereographic => Method::Stereographic { latitude, scale },
            ProjectionFamily::EquidistantCylindrical => Method::EquidistantCylindrical { parallel },
            ProjectionFamily::CylindricalEqualArea => Method::CylindricalEqualArea { parallel },
            ProjectionFamily::AzimuthalEqualArea => Method::AzimuthalEqualArea { latitude },
            ProjectionFamily::Albers => {
                let first = first.unwrap_or(0.0);
                let parallels = [first, second.unwrap_or(first)];
                if parallels[0] == -parallels[1] {
                    return unknown();
                }
                Method::Albers { parallels, latitude }
            }
            ProjectionFamily::Sinusoidal => Method::Sinusoidal,
            ProjectionFamily::Miller => Method::Miller,
            ProjectionFamily::Other => return unknown(),
        };
        let meridian = angle(Parameter::Longitude).unwrap_or(0.0);
        let offset = [Parameter::Easting, Parameter::Northing].map(|p| number(p).unwrap_or(0.0));
        let sphere = self.sphere.filter(|radius| (1e6..1e8).contains(radius));
        Projection::Mapped(MapProjection { method, meridian, offset, sphere })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares ground lengths of one meter of easting and of northing with PROJ 9.5
    /// (`Proj.get_factors`) at the position of the coordinates.
    #[test]
    fn lengths_on_the_ground_agree_with_proj() {
        // code, longitude, latitude, easting, northing, scale east-west and north-south
        for line in include_str!("projected_factors.txt").lines() {
            let words: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            let [code, longitude, latitude, easting, northing, along, across, skew] = words[..]
            else {
                panic!("{line}")
            };
            let system = ProjectedSystem::from_epsg(code as u16).unwrap();
            let Projection::Mapped(projection) = &system.projection else { panic!("{line}") };
            let point = [easting, northing].map(|v| v * system.length);
            let [lat, lon] =
                projection.to_geodetic(point).unwrap_or_else(|| panic!("no place: {line}"));
            // ellipsoids are treated as WGS 84, and PROJ's equidistant cylinder is that of a sphere
            assert!((lat.to_degrees() - latitude).abs() < 0.3, "{line}: {}", lat.to_degrees());
            let apart = (lon.to_degrees() - longitude).rem_euclid(360.0);
            assert!(apart.min(360.0 - apart) < 0.3, "{line}: {}", lon.to_degrees());
            let lengths = projection.ground_lengths(point).unwrap();
            for (own, expected) in lengths.meters.iter().zip([along, across]) {
                assert!((own / expected - 1.0).abs() < 0.008, "{line}: {:?}", lengths);
            }
            assert!((lengths.skew.abs() - skew).abs() < 0.01, "{line}: {:?}", lengths);
        }
    }

    #[test]
    fn codes_determine_the_unit() {
        let length = |code| ProjectedSystem::from_epsg(code).map(|own| own.length);
        assert_eq!(length(32632), Some(1.0));
        assert_eq!(length(2193), Some(1.0)); // New Zealand
        assert_eq!(length(27700), Some(1.0)); // Great Britain
        let us_foot = length(2263).unwrap(); // New York Long Island
        assert!((us_foot - US_SURVEY_FOOT).abs() < 1e-12);
        assert_eq!(length(2994), Some(FOOT)); // Oregon, international feet
        assert_eq!(length(4326), None);
        assert_eq!(length(999), None);
    }

    #[test]
    fn zones_and_national_grids_are_true_to_scale() {
        for code in [32632, 26913, 25832, 2056, 31467, 3763, 5514, 28992, 7855] {
            let system = ProjectedSystem::from_epsg(code).unwrap();
            assert_eq!(system.projection, Projection::TrueToScale, "{code}");
        }
    }
}
