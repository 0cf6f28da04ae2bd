//! Ways in files: GPX, GeoJSON and tables.

use super::inputs::Inputs;
use geojson::GeometryValue;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Largest file of a way, bytes: a week of fixes at 1 Hz is 60 MB of GPX.
const LARGEST: u64 = 1 << 26;

/// In what a file's points are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coordinates {
    /// x and y of the local frame, m.
    Local,
    /// Easting and northing of the DEM's grid, m.
    Grid,
    /// Latitude and longitude, degrees.
    Earth,
}

/// Why a way could not be read.
#[derive(Debug, Error)]
pub(super) enum WayError {
    /// The file cannot be opened or read.
    #[error("{}: {cause}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        cause: String,
    },
    /// It is of another kind.
    #[error("{}: unknown kind of file; allowed: .gpx, .geojson, .json, .csv", .0.display())]
    UnknownKind(PathBuf),
    /// It is no such file, or holds no way.
    #[error("{}: {cause}", file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        cause: String,
    },
}

/// The points of a way, pairs in the order that their coordinates are named in.
///
/// # Errors
/// A file that cannot be read, of an unknown ending, or without a way in it.
pub(super) fn read(path: &Path, inputs: &Inputs) -> Result<(Coordinates, Vec<[f64; 2]>), WayError> {
    let file = || path.to_path_buf();
    let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let parse = match ending.as_deref() {
        Some("gpx") => gpx,
        Some("geojson" | "json") => geojson,
        Some("csv") => csv,
        _ => return Err(WayError::UnknownKind(file())),
    };
    let bytes = inputs
        .read_into_scenario(path, LARGEST)
        .map_err(|error| WayError::Unreadable { file: file(), cause: error.to_string() })?;
    let (coordinates, points) =
        parse(&bytes).map_err(|cause| WayError::Refused { file: file(), cause })?;
    if let Some(index) = points.iter().position(|point| !point.iter().all(|x| x.is_finite())) {
        let cause = format!("point {} is not finite", index + 1);
        return Err(WayError::Refused { file: file(), cause });
    }
    let beyond =
        |[latitude, longitude]: &[f64; 2]| latitude.abs() > 90.0 || longitude.abs() > 360.0;
    if coordinates == Coordinates::Earth
        && let Some(index) = points.iter().position(beyond)
    {
        let [latitude, longitude] = points[index];
        let cause = format!(
            "point {} is latitude {latitude}, longitude {longitude}; allowed: -90 to 90, -180 to 180",
            index + 1
        );
        return Err(WayError::Refused { file: file(), cause });
    }
    Ok((coordinates, points))
}

type Parsed = Result<(Coordinates, Vec<[f64; 2]>), String>;

/// The first route, else all segments of the first track, else the way points.
fn gpx(bytes: &[u8]) -> Parsed {
    let read = gpx::read(bytes).map_err(|error| error.to_string())?;
    let place = |point: &gpx::Waypoint| [point.point().y(), point.point().x()];
    let points: Vec<[f64; 2]> = if let Some(route) = read.routes.first() {
        route.points.iter().map(place).collect()
    } else if let Some(track) = read.tracks.first() {
        track.segments.iter().flat_map(|segment| &segment.points).map(place).collect()
    } else {
        read.waypoints.iter().map(place).collect()
    };
    match points.is_empty() {
        true => Err("holds no route, track or way point".into()),
        false => Ok((Coordinates::Earth, points)),
    }
}

/// The first LineString, whose positions are longitude and latitude (RFC 7946).
fn geojson(bytes: &[u8]) -> Parsed {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let read: geojson::GeoJson = text.parse().map_err(|error: geojson::Error| error.to_string())?;
    let line = match &read {
        geojson::GeoJson::Geometry(geometry) => first_line(&geometry.value),
        geojson::GeoJson::Feature(feature) => {
            feature.geometry.as_ref().and_then(|geometry| first_line(&geometry.value))
        }
        geojson::GeoJson::FeatureCollection(collection) => {
            let geometries = collection.features.iter().filter_map(|f| f.geometry.as_ref());
            geometries.filter_map(|geometry| first_line(&geometry.value)).next()
        }
    };
    line.map(|points| (Coordinates::Earth, points)).ok_or_else(|| "holds no LineString".into())
}

fn first_line(value: &GeometryValue) -> Option<Vec<[f64; 2]>> {
    match value {
        GeometryValue::LineString { coordinates } => {
            Some(coordinates.iter().map(|position| [position[1], position[0]]).collect())
        }
        GeometryValue::GeometryCollection { geometries } => {
            geometries.iter().find_map(|geometry| first_line(&geometry.value))
        }
        _ => None,
    }
}

/// Names of the two columns of a table, in the order that a pair has.
const COLUMNS: [(Coordinates, [&[&str]; 2]); 3] = [
    (Coordinates::Local, [&["x"], &["y"]]),
    (Coordinates::Grid, [&["easting", "e"], &["northing", "n"]]),
    (
        Coordinates::Earth,
        [&["latitude", "lat", "latitude_deg"], &["longitude", "lon", "lng", "longitude_deg"]],
    ),
];

fn csv(bytes: &[u8]) -> Parsed {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |names: &[&str]| {
        header.iter().position(|h| names.iter().any(|name| h.eq_ignore_ascii_case(name)))
    };
    let chosen = COLUMNS.iter().find_map(|(coordinates, [first, second])| {
        Some((*coordinates, [column(first)?, column(second)?]))
    });
    let Some((coordinates, columns)) = chosen else {
        let given = header.iter().collect::<Vec<_>>().join(", ");
        return Err(format!(
            "has the columns {given}; allowed: x and y, easting and northing, or latitude and longitude"
        ));
    };
    let mut points = Vec::new();
    for (row, record) in reader.records().enumerate() {
        let record = record.map_err(|error| error.to_string())?;
        let number = |column: usize| {
            let text = record.get(column).unwrap_or_default();
            text.parse::<f64>().map_err(|_| {
                format!("row {}: {} is '{text}'; allowed: a number", row + 2, &header[column])
            })
        };
        points.push([number(columns[0])?, number(columns[1])?]);
    }
    Ok((coordinates, points))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, text: &str) -> Result<(Coordinates, Vec<[f64; 2]>), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read(&path, &Inputs::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_same_way_in_three_formats() {
        let expected = (Coordinates::Earth, vec![[48.5, -116.25], [48.51, -116.26]]);
        let gpx = r#"<?xml version="1.0"?><gpx version="1.1" creator="x"
            xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
            <trkpt lat="48.5" lon="-116.25"><ele>3</ele></trkpt></trkseg>
            <trkseg><trkpt lat="48.51" lon="-116.26"/></trkseg></trk></gpx>"#;
        assert_eq!(written("a.gpx", gpx).unwrap(), expected);
        let line = r#"{"type":"LineString","coordinates":[[-116.25,48.5,7],[-116.26,48.51]]}"#;
        let feature = format!(r#"{{"type":"Feature","properties":{{}},"geometry":{line}}}"#);
        let all = format!(r#"{{"type":"FeatureCollection","features":[{feature}]}}"#);
        for text in [line, &feature, &all] {
            assert_eq!(written("a.geojson", text).unwrap(), expected);
        }
        let table = "name, lon, lat\na, -116.25, 48.5\nb, -116.26, 48.51\n";
        assert_eq!(written("a.csv", table).unwrap(), expected);
        let local = written("a.csv", "x,y\n1,2\n3,4\n").unwrap();
        assert_eq!(local, (Coordinates::Local, vec![[1.0, 2.0], [3.0, 4.0]]));
    }

    #[test]
    fn faults_name_file_row_and_what_is_allowed() {
        for (name, text, expected) in [
            ("a.csv", "x,y\n1,two\n", "row 2: y is 'two'; allowed: a number"),
            ("a.csv", "x,z\n1,2\n", "has the columns x, z; allowed: x and y"),
            ("a.csv", "lat,lon\n91,0\n", "point 1 is latitude 91, longitude 0; allowed"),
            ("a.kml", "", "unknown kind of file; allowed: .gpx"),
            ("a.gpx", "<gpx", "a.gpx: "),
            ("a.geojson", r#"{"type":"Point","coordinates":[1,2]}"#, "holds no LineString"),
        ] {
            let message = written(name, text).unwrap_err();
            assert!(message.contains(expected) && message.contains(name), "{message}");
        }
    }
}
