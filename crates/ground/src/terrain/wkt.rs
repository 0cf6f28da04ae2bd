//! Reference systems as text: WKT 1 as written by GDAL and ESRI, and WKT 2.

use super::angles::AngleFrame;
use super::error::TerrainError;
use super::projected::{
    Parameter, ProjectedSystem, Projection, ProjectionFamily, ProjectionParameters, exact_length,
    prime_meridian,
};
use super::raster::{Crs, Unit};
use super::reference::HeightUnit;

/// Greatest nesting depth of brackets.
const DEEPEST: usize = 64;

/// A keyword with the content of its brackets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WktNode {
    /// Upper-case keyword.
    keyword: String,
    /// Texts and numbers, in order.
    values: Vec<String>,
    nodes: Vec<WktNode>,
}

struct Parser<'a> {
    text: &'a str,
}

impl Parser<'_> {
    fn skip(&mut self, what: impl Fn(char) -> bool) {
        self.text = self.text.trim_start_matches(what);
    }

    fn word(&mut self) -> String {
        let end = self.text.find(|c: char| "[](),\"".contains(c)).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        word.trim().to_string()
    }

    /// Parses the brackets after a keyword.
    fn node(&mut self, keyword: &str, depth: usize) -> Option<WktNode> {
        if depth > DEEPEST {
            return None;
        }
        let mut node = WktNode { keyword: keyword.to_ascii_uppercase(), ..WktNode::default() };
        self.text = self.text.strip_prefix(['[', '('])?;
        loop {
            self.skip(|c| c.is_whitespace() || c == ',');
            if let Some(rest) = self.text.strip_prefix([']', ')']) {
                self.text = rest;
                return Some(node);
            }
            if let Some(rest) = self.text.strip_prefix('"') {
                let (text, rest) = rest.split_once('"')?;
                self.text = rest;
                node.values.push(text.to_string());
                continue;
            }
            let word = self.word();
            if self.text.starts_with(['[', '(']) {
                node.nodes.push(self.node(&word, depth + 1)?);
            } else if word.is_empty() {
                return None;
            } else {
                node.values.push(word);
            }
        }
    }
}

/// Returns the letters and digits of a name, in lower case.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

impl WktNode {
    pub fn parse(text: &str) -> Option<WktNode> {
        let mut parser = Parser { text: text.trim_matches(['\0', '\u{feff}']).trim() };
        let keyword = parser.word();
        parser.node(&keyword, 0)
    }

    fn is(&self, keywords: &[&str]) -> bool {
        keywords.contains(&self.keyword.as_str())
    }

    fn child(&self, keywords: &[&str]) -> Option<&WktNode> {
        self.nodes.iter().find(|node| node.is(keywords))
    }

    /// Returns the first node with one of these keywords: itself or a descendant.
    fn find(&self, keywords: &[&str]) -> Option<&WktNode> {
        if self.is(keywords) {
            return Some(self);
        }
        self.nodes.iter().find_map(|node| node.find(keywords))
    }

    fn name(&self) -> &str {
        self.values.first().map_or("", String::as_str)
    }

    fn number(&self, index: usize) -> Option<f64> {
        self.values.get(index)?.parse().ok()
    }

    /// Returns its EPSG code.
    fn epsg(&self) -> Option<u16> {
        let authority = self.child(&["AUTHORITY", "ID"])?;
        if !authority.name().eq_ignore_ascii_case("EPSG") {
            return None;
        }
        authority.values.get(1)?.parse().ok()
    }

    /// Returns the length of the unit of the node or, failing that, of its axes, m.
    fn length(&self) -> Option<f64> {
        let unit = ["UNIT", "LENGTHUNIT"];
        let own = self.child(&unit);
        let axes = || self.nodes.iter().filter(|node| node.is(&["AXIS"]));
        own.or_else(|| axes().find_map(|axis| axis.child(&unit))).and_then(|node| node.number(1))
    }
}

const PROJECTED: [&str; 3] = ["PROJCS", "PROJCRS", "PROJECTEDCRS"];
const GEOGRAPHIC: [&str; 5] = ["GEOGCS", "GEOGCRS", "GEOGRAPHICCRS", "GEODCRS", "GEODETICCRS"];
const VERTICAL: [&str; 4] = ["VERT_CS", "VERTCS", "VERTCRS", "VERTICALCRS"];

/// Keywords of the geographic system on which a projected one is based.
const BASES: [&str; 7] =
    ["GEOGCS", "GEOGCRS", "GEOGRAPHICCRS", "GEODCRS", "GEODETICCRS", "BASEGEOGCRS", "BASEGEODCRS"];

/// Returns the unit of longitudes and latitudes and the prime meridian of a geographic system.
fn angle_frame(node: &WktNode) -> Result<AngleFrame, TerrainError> {
    let unit = ["UNIT", "ANGLEUNIT"];
    let own = node.child(&unit);
    let mut axes = node.nodes.iter().filter(|node| node.is(&["AXIS"]));
    let own = own.or_else(|| axes.find_map(|axis| axis.child(&unit)));
    let degrees = match own.and_then(|unit| unit.number(1)) {
        Some(radians) => AngleFrame::degrees_from_radians(radians)?,
        None => 1.0,
    };
    let meridian = match node.child(&["PRIMEM", "PRIMEMERIDIAN"]) {
        None => node.epsg().map_or(0.0, |code| AngleFrame::from_epsg(code).meridian),
        Some(prime) => {
            let known = AngleFrame::meridian_from_name(&plain(prime.name()));
            let own = prime.child(&unit).and_then(|unit| unit.number(1));
            let degrees = own.map_or(Ok(degrees), AngleFrame::degrees_from_radians)?;
            // where the unit is the grad, GDAL still writes the longitude of Paris in degrees
            known.or_else(|| Some(prime.number(1)? * degrees)).unwrap_or(0.0)
        }
    };
    if !(-360.0..=360.0).contains(&meridian) {
        return Err(TerrainError::AngleUnit(format!(
            "such that PRIMEM is {meridian} degrees (allowed: -360 to 360)"
        )));
    }
    Ok(AngleFrame { degrees, meridian })
}

impl Crs {
    /// Returns the system that a text describes, and the frame of its longitudes and latitudes.
    pub(super) fn from_text(text: &str) -> Result<(Crs, AngleFrame), TerrainError> {
        let refused = || {
            let start: String = text.chars().take(60).collect();
            TerrainError::ReferenceText(start)
        };
        let metric = |crs| Ok((crs, AngleFrame::PLAIN));
        if let Some(code) = text.trim().strip_prefix("EPSG:").and_then(|c| c.parse().ok()) {
            let frame = AngleFrame::from_epsg(code);
            if frame != AngleFrame::PLAIN {
                let text = Some(text.trim().to_string());
                return Ok((Crs { unit: Unit::Degree, text, ..Crs::local() }, frame));
            }
            return metric(Crs::from_epsg(code).ok_or(TerrainError::UnknownReference(code))?);
        }
        if text.trim_start().starts_with('+') {
            let own = Some(text.trim().to_string());
            if ["+proj=longlat", "+proj=latlong", "+proj=latlon", "+proj=lonlat"]
                .iter()
                .any(|name| text.split_whitespace().any(|word| word == *name))
            {
                let meridian = prime_meridian(text);
                let crs = Crs { unit: Unit::Degree, text: own, ..Crs::local() };
                return Ok((crs, AngleFrame { meridian, ..AngleFrame::PLAIN }));
            }
            let ProjectedSystem { length, projection } = ProjectedSystem::from_proj(text);
            return metric(Crs { length, projection, text: own, ..Crs::local() });
        }
        let root = WktNode::parse(text).ok_or_else(refused)?;
        let heights = match root.find(&VERTICAL).and_then(WktNode::length) {
            Some(length) => Some(HeightUnit::from_length(length)?),
            None => None,
        };
        if let Some(node) = root.find(&PROJECTED) {
            return metric(Crs { heights, ..projected(node)? });
        }
        if let Some(node) = root.find(&GEOGRAPHIC) {
            let frame = angle_frame(node)?;
            let text = Some(node.name().to_string());
            let epsg = node.epsg().or_else(|| geographic_code(node.name()));
            return Ok((Crs { unit: Unit::Degree, epsg, heights, text, ..Crs::local() }, frame));
        }
        let is_local = root.is(&["LOCAL_CS", "LOCALCS", "ENGCRS", "ENGINEERINGCRS"]);
        if !is_local {
            return Err(refused());
        }
        let length = exact_length(root.length().unwrap_or(1.0));
        metric(Crs { length, text: Some(root.name().to_string()), heights, ..Crs::local() })
    }
}

fn geographic_code(name: &str) -> Option<u16> {
    match plain(name).as_str() {
        "wgs84" | "gcswgs1984" | "wgs1984" => Some(4326),
        "nad83" | "gcsnorthamerican1983" => Some(4269),
        "etrs89" | "gcsetrs1989" => Some(4258),
        _ => None,
    }
}

fn projected(node: &WktNode) -> Result<Crs, TerrainError> {
    let length = node.length().filter(|length| length.is_finite() && *length > 0.0);
    let length = exact_length(length.unwrap_or(1.0));
    let text = Some(node.name().to_string());
    let base = Crs { length, text, ..Crs::local() };
    if let Some(code) = node.epsg() {
        if let Some(system) = ProjectedSystem::from_epsg(code) {
            return Ok(Crs { epsg: Some(code), projection: system.projection, ..base });
        }
        return Ok(Crs { epsg: Some(code), projection: mapped(node)?, ..base });
    }
    let extension = node.child(&["EXTENSION"]).filter(|own| own.name() == "PROJ4");
    if let Some(text) = extension.and_then(|own| own.values.get(1)) {
        return Ok(Crs { projection: ProjectedSystem::from_proj(text).projection, ..base });
    }
    let projection = mapped(node)?;
    let zone = match &projection {
        Projection::Mapped(own) => {
            let datum = node.find(&BASES).and_then(|own| geographic_code(own.name()));
            datum.and_then(|datum| zone_code(own, length, datum))
        }
        _ => None,
    };
    Ok(match zone {
        Some(code) => Crs { epsg: Some(code), projection: Projection::TrueToScale, ..base },
        None => Crs { projection, ..base },
    })
}

/// Returns the code of a zone of UTM, if a projection in meters on a geographic datum is one.
pub(super) fn zone_code(
    projection: &bekker_math::geodesy::MapProjection,
    length: f64,
    datum: u16,
) -> Option<u16> {
    let bekker_math::geodesy::Method::TransverseMercator { latitude, scale } = projection.method
    else {
        return None;
    };
    let zone = (projection.meridian.to_degrees() + 183.0) / 6.0;
    let number = zone.round();
    let [easting, northing] = projection.offset;
    let is_zone = latitude == 0.0
        && length == 1.0
        && (scale - 0.9996).abs() < 1e-9
        && (zone - number).abs() < 1e-6
        && (1.0..=60.0).contains(&number)
        && easting == 500_000.0
        && (northing == 0.0 || northing == 1e7);
    if !is_zone {
        return None;
    }
    utm_code(datum, number as u16, northing > 0.0)
}

/// Returns the code of a zone of UTM in meters, from the code of its datum and its number.
pub(super) fn utm_code(datum: u16, number: u16, is_south: bool) -> Option<u16> {
    let first = match (datum, is_south) {
        (4326, false) => 32600,
        (4326, true) => 32700,
        (4269, false) => 26900,
        (4258, false) => 25800,
        _ => return None,
    };
    let code = first + number;
    bekker_math::geodesy::GridZone::from_epsg(code).map(|_| code)
}

/// Returns the projection of a node, from its own method and constants.
fn mapped(node: &WktNode) -> Result<Projection, TerrainError> {
    let inner = node.child(&["CONVERSION"]).unwrap_or(node);
    let Some(method) = inner.child(&["PROJECTION", "METHOD"]) else {
        return Ok(Projection::Unknown(node.name().to_string()));
    };
    let angles = node.find(&BASES).map_or(Ok(AngleFrame::PLAIN), angle_frame)?;
    let parameters: Vec<(String, &WktNode)> = inner
        .nodes
        .iter()
        .filter(|own| own.is(&["PARAMETER"]))
        .map(|own| (plain(own.name()), own))
        .collect();
    let length = node.length().unwrap_or(1.0);
    let value = |names: &[&str]| {
        let (_, own) = parameters.iter().find(|(name, _)| names.contains(&name.as_str()))?;
        let value = own.number(1)?;
        // WKT 2 may give a parameter its own unit
        let unit = own.child(&["LENGTHUNIT", "UNIT"]).and_then(|unit| unit.number(1));
        Some((value, unit))
    };
    let angle = |names: &[&str]| {
        let (_, own) = parameters.iter().find(|(name, _)| names.contains(&name.as_str()))?;
        let unit = own.child(&["ANGLEUNIT", "UNIT"]).and_then(|unit| unit.number(1));
        let unit = unit.and_then(|radians| AngleFrame::degrees_from_radians(radians).ok());
        Some(own.number(1)? * unit.unwrap_or(angles.degrees))
    };
    let family = family(method.name());
    let is_second =
        family == ProjectionFamily::LambertConformal || family == ProjectionFamily::Albers;
    let number = |parameter| match parameter {
        Parameter::Latitude => angle(&[
            "latitudeoforigin",
            "latitudeofcenter",
            "latitudeofnaturalorigin",
            "latitudeoffalseorigin",
            "latitudeofprojectioncentre",
        ])
        .or_else(|| polar_latitude(method.name(), angle(&["standardparallel1"]))),
        Parameter::Longitude => {
            let own = angle(&[
                "centralmeridian",
                "longitudeofcenter",
                "longitudeoforigin",
                "longitudeofnaturalorigin",
                "longitudeoffalseorigin",
                "longitudeofprojectioncentre",
            ]);
            Some(own.unwrap_or(0.0) + angles.meridian)
        }
        Parameter::FirstParallel => angle(&["standardparallel1", "latitudeof1ststandardparallel"]),
        Parameter::SecondParallel => angle(&["standardparallel2", "latitudeof2ndstandardparallel"]),
        Parameter::TrueParallel if is_second => None,
        Parameter::TrueParallel => angle(&[
            "latitudeofstandardparallel",
            "standardparallel1",
            "latitudeof1ststandardparallel",
        ]),
        Parameter::Scale => value(&["scalefactor", "scalefactoratnaturalorigin"]).map(|own| own.0),
        Parameter::Easting => value(&["falseeasting", "eastingatfalseorigin"])
            .map(|(own, unit)| own * unit.unwrap_or(length)),
        Parameter::Northing => value(&["falsenorthing", "northingatfalseorigin"])
            .map(|(own, unit)| own * unit.unwrap_or(length)),
    };
    let name = plain(method.name());
    let is_web =
        matches!(name.as_str(), "mercatorauxiliarysphere" | "popularvisualisationpseudomercator");
    let figure = node.find(&["SPHEROID", "ELLIPSOID"]);
    let is_round = figure.and_then(|own| own.number(2)) == Some(0.0);
    let radius = figure.and_then(|own| own.number(1));
    let sphere = if is_web || is_round { radius } else { None };
    // polar variants give the parallel of true scale where others give the center
    let parameters = ProjectionParameters { number: &number, sphere };
    if name.contains("polarstereographic")
        || name.contains("stereographicnorthpole")
        || name.contains("stereographicsouthpole")
    {
        return Ok(polar(&parameters, method.name()));
    }
    Ok(parameters.projection(family, method.name()))
}

fn polar_latitude(method: &str, parallel: Option<f64>) -> Option<f64> {
    match plain(method).as_str() {
        "stereographicnorthpole" => Some(90.0),
        "stereographicsouthpole" => Some(-90.0),
        _ => parallel.filter(|_| plain(method).contains("polar")).map(|p| 90.0_f64.copysign(p)),
    }
}

/// Returns a polar stereographic projection from its latitude, which is that of the pole or that of
/// true scale.
pub(super) fn polar(parameters: &ProjectionParameters<'_>, name: &str) -> Projection {
    let get = parameters.number;
    let latitude = get(Parameter::TrueParallel).or_else(|| get(Parameter::Latitude));
    let latitude = latitude.unwrap_or(90.0);
    let number = |parameter| match parameter {
        Parameter::Latitude => {
            let own = get(Parameter::Latitude).filter(|own| own.abs() > 89.999);
            Some(own.unwrap_or(90.0_f64.copysign(latitude)))
        }
        Parameter::TrueParallel => Some(latitude).filter(|own| own.abs() < 89.999),
        other => get(other),
    };
    let parameters = ProjectionParameters { number: &number, sphere: parameters.sphere };
    parameters.projection(ProjectionFamily::Stereographic, name)
}

/// Returns the family of a projection by its name in WKT.
pub(super) fn family(method: &str) -> ProjectionFamily {
    let name = plain(method);
    let has = |part: &str| name.contains(part);
    if has("oblique") && has("mercator") || has("hotine") || has("laborde") {
        ProjectionFamily::Other
    } else if has("transversemercator") || has("gausskruger") {
        // axes of the south-oriented variant are reversed; lengths are the same
        ProjectionFamily::TransverseMercator
    } else if has("mercator") {
        ProjectionFamily::Mercator
    } else if has("lambertconformal") || has("lambertconicconformal") {
        ProjectionFamily::LambertConformal
    } else if has("albers") {
        ProjectionFamily::Albers
    } else if has("azimuthalequalarea") {
        ProjectionFamily::AzimuthalEqualArea
    } else if has("cylindricalequalarea") {
        ProjectionFamily::CylindricalEqualArea
    } else if has("equirectangular") || has("equidistantcylindrical") || has("platecarree") {
        ProjectionFamily::EquidistantCylindrical
    } else if has("stereographic") {
        ProjectionFamily::Stereographic
    } else if has("sinusoidal") {
        ProjectionFamily::Sinusoidal
    } else if has("miller") {
        ProjectionFamily::Miller
    } else {
        ProjectionFamily::Other
    }
}
