//! Converts positions on the DEM's grid, in geographic coordinates or in a path file to the local
//! frame.
//!
//! This runs before anything else reads the scenario.

use super::build;
use super::config::{PathFile, SurfaceConfig};
use super::diagnostic::{Diagnostic, DiagnosticKind, Diagnostics};
use super::document::{Document, DocumentNode, TomlValue};
use super::input;
use super::inputs::Inputs;
use super::path_file::{self, Coordinates};
use bekker_ground::terrain::{CellContent, FramePlacement, TerrainError, Unit, read_raster_with};
use bekker_math::geodesy::{Geodetic, Site};
use bekker_math::numeric::hypot;
use std::path::Path;

/// Maximum number of points of one path.
const MAX_POINTS: usize = 100_000;

/// Replaces every position of `document` that is not yet in the local frame.
///
/// Returns the assumptions made about path files. The document conforms to the schema. No file is
/// opened if there is nothing to replace.
///
/// # Errors
/// A path file that cannot be read; positions for which the transformation to the local frame is
/// unknown.
pub fn resolve(
    document: &mut Document,
    folder: &Path,
    inputs: &Inputs,
) -> Result<Vec<Diagnostic>, Diagnostics> {
    let mut found = Vec::new();
    collect("", &document.root, &mut found);
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let frame = GeoFrame::new(document, folder, inputs)?;
    let (mut diagnostics, mut assumed) = (Vec::new(), Vec::new());
    for key in found {
        let Some(node) = document.get(&key) else { continue };
        let refused = |cause: String| document.diagnostic(&key, DiagnosticKind::Refused { cause });
        let mut note = |cause: String| assumed.push(refused(cause));
        match frame.points(node, folder, inputs, &mut note) {
            Ok(value) => document.replace(&key, value),
            Err(cause) => diagnostics.push(refused(cause)),
        }
    }
    Diagnostics::into_result(diagnostics).map(|()| assumed)
}

/// Collects the keys of positions and paths that are written as tables.
///
/// `[site]` also has a latitude but is not a position on the ground.
fn collect(key: &str, node: &DocumentNode, found: &mut Vec<String>) {
    match &node.value {
        TomlValue::Table(entries) if key != "site" => {
            let location = |name| entries.contains_key(name);
            let way = key.ends_with(".waypoints") && location("file");
            if way || (location("easting") && location("northing")) || location("latitude_deg") {
                return found.push(key.to_owned());
            }
            for (name, child) in entries {
                let below = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                collect(&below, child, found);
            }
        }
        TomlValue::List(items) => {
            for (index, child) in items.iter().enumerate() {
                collect(&format!("{key}[{index}]"), child, found);
            }
        }
        _ => {}
    }
}

/// The transformations from the DEM's grid and from geographic coordinates to the local frame.
struct GeoFrame {
    placement: Option<FramePlacement>,
    site: Option<Site>,
}

const NO_GRID: &str = "no DEM with a grid in meters defines easting and northing; give [x, y] in \
    the local frame, or latitude_deg and longitude_deg";
const NO_SITE: &str = "the scenario has no geographic location: give [site], or epsg in \
    [terrain.surface] if the DEM's file does not specify it";

impl GeoFrame {
    fn new(document: &Document, folder: &Path, inputs: &Inputs) -> Result<GeoFrame, Diagnostics> {
        // positions are not local yet, so the document cannot be deserialized as a whole
        let part = |key: &str| document.get(key).map(|node| node.value.to_json());
        let surface = part("terrain.surface").and_then(|json| serde_json::from_value(json).ok());
        let placement = match &surface {
            Some(surface) => placement(document, surface, folder, inputs)?,
            None => None,
        };
        let site = part("site").and_then(|json| serde_json::from_value(json).ok());
        let (site, _) = build::site(document, site.as_ref(), placement.as_ref());
        Ok(GeoFrame { placement, site })
    }

    /// Converts a position to `[x, y]` and a path file to a list of them.
    ///
    /// `note` receives the assumptions made about the file.
    fn points(
        &self,
        node: &DocumentNode,
        folder: &Path,
        inputs: &Inputs,
        note: &mut dyn FnMut(String),
    ) -> Result<TomlValue, String> {
        let TomlValue::Table(entries) = &node.value else { return Ok(node.value.clone()) };
        let number = |name: &str| entries.get(name).and_then(|node| node.value.number());
        let list = |items: Vec<TomlValue>| {
            let location = &node.location;
            TomlValue::List(
                items
                    .into_iter()
                    .map(|value| DocumentNode { location: location.clone(), value })
                    .collect(),
            )
        };
        let point = |[x, y]: [f64; 2]| list(vec![TomlValue::Float(x), TomlValue::Float(y)]);
        if let (Some(easting), Some(northing)) = (number("easting"), number("northing")) {
            return self.grid_to_local([easting, northing]).map(point);
        }
        if let (Some(latitude), Some(longitude)) = (number("latitude_deg"), number("longitude_deg"))
        {
            return self.geographic_to_local([latitude, longitude]).map(point);
        }
        let file: PathFile =
            serde_json::from_value(node.value.to_json()).map_err(|e| e.to_string())?;
        let path = folder.join(&file.file);
        let mut points: Vec<[f64; 2]> = Vec::new();
        let assumed =
            path_file::read(&path, file.track.as_ref(), inputs, &mut |coordinates, at| {
                let [x, y] = match coordinates {
                    Coordinates::Local => at,
                    Coordinates::Grid => self.grid_to_local(at)?,
                    Coordinates::Earth => self.geographic_to_local(at)?,
                };
                let is_distant =
                    |last: &[f64; 2]| hypot(x - last[0], y - last[1]) >= file.least_distance;
                if points.last().is_none_or(is_distant) {
                    if points.len() == MAX_POINTS {
                        return Err(format!(
                            "{}: has more than {MAX_POINTS} points at least {} m from the previous \
                         one; thin them out or raise least_distance",
                            file.file.display(),
                            file.least_distance
                        ));
                    }
                    points.push([x, y]);
                }
                Ok(())
            });
        let assumed = assumed.map_err(|error| error.to_string())?;
        assumed.iter().for_each(|own| note(format!("{}: {own}", file.file.display())));
        if points.len() < 2 {
            return Err(format!(
                "{}: has {} point at least {} m from the previous one; a path needs at least 2",
                file.file.display(),
                points.len(),
                file.least_distance
            ));
        }
        Ok(list(points.into_iter().map(point).collect()))
    }

    fn grid_to_local(&self, at: [f64; 2]) -> Result<[f64; 2], String> {
        let placement = self.placement.as_ref().filter(|p| p.crs.unit == Unit::Meter);
        placement.map(|placement| placement.to_local(at)).ok_or_else(|| NO_GRID.into())
    }

    fn geographic_to_local(&self, [latitude, longitude]: [f64; 2]) -> Result<[f64; 2], String> {
        let site = self.site.as_ref().ok_or(NO_SITE)?;
        let location = Geodetic::degrees(latitude, longitude, 0.0);
        let is_distant =
            || format!("{latitude} {longitude} is too far from the scenario's location");
        let point = site.point(&location).ok_or_else(is_distant)?;
        Ok([point.x, point.y])
    }
}

/// Placement of the DEM's file in the local frame; `None` without a DEM.
fn placement(
    document: &Document,
    surface: &SurfaceConfig,
    folder: &Path,
    inputs: &Inputs,
) -> Result<Option<FramePlacement>, Diagnostics> {
    let SurfaceConfig::Dem { file, origin, epsg, .. } = surface else { return Ok(None) };
    let diagnostic = |key: &str, cause: String| {
        Diagnostics::from(document.diagnostic(key, DiagnosticKind::Refused { cause }))
    };
    let key = "terrain.surface.file";
    // the terrain is built from the same file later: its content must be unchanged then
    let path = folder.join(file);
    let opened =
        inputs.open(&path, input::LARGEST_TILED).map_err(|e| diagnostic(key, e.to_string()))?;
    let sidecars = inputs.sidecars(&path).map_err(|e| diagnostic(key, e.to_string()))?;
    let refused = |error: TerrainError| diagnostic(key, error.to_string());
    let mismatched = |error: TerrainError| diagnostic("terrain.surface", error.to_string());
    let origin = build::origin_of(*origin);
    let placement = match opened.geotiff(&sidecars).map_err(refused)? {
        Some(raster) => raster.with_reference(*epsg, None).map_err(mismatched)?.placement(origin),
        None => {
            let bytes =
                opened.read(input::LARGEST_BINARY).map_err(|e| diagnostic(key, e.to_string()))?;
            let scale = build::png_scale(surface);
            let content = CellContent::Heights;
            let (raster, _) =
                read_raster_with(&bytes, scale.as_ref(), &sidecars, content).map_err(refused)?;
            raster.with_reference(*epsg, None).map_err(mismatched)?.placement(origin)
        }
    };
    let placement = placement.map_err(|e| diagnostic("terrain.surface.origin", e.to_string()))?;
    Ok(Some(placement))
}
