//! Routes over a map as files: GPX and GeoJSON for other programs, a table for a scenario.

use crate::{ReportError, write_file};
use bekker_math::geodesy::Site;
use bekker_math::spatial::Vec3;
use geo_types::Point;
use geojson::{Feature, Geometry, GeometryValue, JsonObject};
use gpx::{Gpx, GpxVersion, Route, Waypoint};
use std::path::Path;

/// Returns longitude, latitude (degrees) and height (m) of points in the local frame.
fn geodetic_points(site: &Site, points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let place = |[x, y, z]: &[f64; 3]| {
        let place = site.to_geodetic(&Vec3::new(*x, *y, 0.0));
        [place.longitude.to_degrees(), place.latitude.to_degrees(), *z]
    };
    points.iter().map(place).collect()
}

/// Writes a route as GPX; its points are x, y and height in the local frame, m.
///
/// # Errors
/// [`ReportError`] if it cannot be written.
pub fn write_gpx(
    path: &Path,
    name: &str,
    site: &Site,
    points: &[[f64; 3]],
) -> Result<(), ReportError> {
    let waypoint = |[longitude, latitude, height]: [f64; 3]| {
        let mut waypoint = Waypoint::new(Point::new(longitude, latitude));
        waypoint.elevation = Some(height);
        waypoint
    };
    let points = geodetic_points(site, points).into_iter().map(waypoint).collect();
    let route = Route { name: Some(name.to_owned()), points, ..Route::default() };
    let gpx = Gpx {
        version: GpxVersion::Gpx11,
        creator: Some("bekker".into()),
        routes: vec![route],
        ..Gpx::default()
    };
    let mut bytes = Vec::new();
    gpx::write(&gpx, &mut bytes).map_err(ReportError::encode(path))?;
    write_file(path, &bytes)
}

/// Writes a route as a GeoJSON line with these properties.
///
/// # Errors
/// [`ReportError`] if it cannot be written.
pub fn write_geojson(
    path: &Path,
    properties: JsonObject,
    site: &Site,
    points: &[[f64; 3]],
) -> Result<(), ReportError> {
    let coordinates: Vec<geojson::Position> =
        geodetic_points(site, points).into_iter().map(|place| place.to_vec().into()).collect();
    let feature = Feature {
        bbox: None,
        geometry: Some(Geometry::new(GeometryValue::LineString { coordinates })),
        id: None,
        properties: Some(properties),
        foreign_members: None,
    };
    write_file(path, format!("{}\n", geojson::GeoJson::from(feature)).as_bytes())
}

/// Writes a route as a table of waypoints for a scenario.
///
/// # Errors
/// [`ReportError`] if it cannot be written.
pub fn write_csv(path: &Path, points: &[[f64; 3]]) -> Result<(), ReportError> {
    let rows: String = points.iter().map(|[x, y, _]| format!("{x},{y}\n")).collect();
    write_file(path, format!("x,y\n{rows}").as_bytes())
}
