//! Path files: GPX, GeoJSON and CSV tables, read point by point.
//!
//! A file may contain several lines; one is used. GPX and GeoJSON files are parsed twice:
//! first to list the lines, then for the points of one. Memory does not grow with the number of
//! points.

mod geojson;
mod gpx;
mod lines;
mod table;

use super::config::LineChoice;
use super::inputs::Inputs;
use lines::{LineIndex, SelectedLine};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Maximum size of a path file, bytes: a week of fixes at 1 Hz is 60 MB of GPX.
const LARGEST: u64 = 1 << 26;

/// Coordinate system of a file's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coordinates {
    /// x and y of the local frame, m.
    Local,
    /// Easting and northing of the DEM's grid, m.
    Grid,
    /// Latitude and longitude, degrees.
    Earth,
}

/// Error while reading a path file.
#[derive(Debug, Error)]
pub(super) enum PathFileError {
    /// The file cannot be opened or read.
    #[error("{}: {cause}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Error of the file system.
        cause: String,
    },
    /// The file extension is unknown.
    #[error("{}: unknown file type; allowed: .gpx, .geojson, .json, .csv", .0.display())]
    UnknownKind(PathBuf),
    /// The file has invalid content or contains no path.
    #[error("{}: {cause}", file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// Description of the fault.
        cause: String,
    },
    /// The consumer of the points rejected one.
    #[error("{0}")]
    Unusable(String),
}

/// A part of a file, in the order of parsing.
enum LineEvent<'a> {
    /// A line begins and the previous one ends. The segments of a recorded track (`is_recording`)
    /// form one path even across gaps.
    Line { kind: &'static str, is_recording: bool },
    /// The type of the last line, which may follow its points in GeoJSON; `None` if it is not a
    /// line.
    Kind(Option<&'static str>),
    /// The name of all lines from index `from` on, counted from 0.
    Name { from: usize, name: &'a str },
    /// A segment of the line begins.
    Segment,
    /// A point of the segment: latitude and longitude, degrees.
    Point([f64; 2]),
}

/// Receives the parts of a file; an error stops the parsing.
type LineVisitor<'a> = dyn FnMut(LineEvent<'_>) -> Result<(), String> + 'a;
/// Receives points as pairs in the coordinate order of [`Coordinates`].
pub(super) type PointSink<'a> = dyn FnMut(Coordinates, [f64; 2]) -> Result<(), String> + 'a;

/// Passes the points of a path to `sink`: of the only line in the file, or of the chosen one.
///
/// Returns the assumptions made about the file, one sentence each.
///
/// # Errors
/// A file that cannot be read, has an unknown extension or contains no path; a file with several
/// lines and no choice among them; an error of `sink`.
pub(super) fn read(
    path: &Path,
    choice: Option<&LineChoice>,
    inputs: &Inputs,
    sink: &mut PointSink<'_>,
) -> Result<Vec<String>, PathFileError> {
    let file = || path.to_path_buf();
    let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let parse = match ending.as_deref() {
        Some("gpx") => Some(gpx::parse as LineParser),
        Some("geojson" | "json") => Some(geojson::parse as LineParser),
        Some("csv") => None,
        _ => return Err(PathFileError::UnknownKind(file())),
    };
    let bytes = inputs
        .read_embedded(path, LARGEST)
        .map_err(|error| PathFileError::Unreadable { file: file(), cause: error.to_string() })?;
    let (mut unusable, mut count) = (None, 0);
    let mut checked = |coordinates: Coordinates, point: [f64; 2]| {
        count += 1;
        check(coordinates, point, count)?;
        sink(coordinates, point).map_err(|cause| unusable.insert(cause).clone())
    };
    let outcome = match (parse, choice) {
        (Some(parse), _) => line(&bytes, parse, choice, &mut checked),
        (None, None) => table::parse(&bytes, &mut checked).map(|()| Vec::new()),
        (None, Some(_)) => Err("a table contains a single line; remove track".into()),
    };
    outcome.map_err(|cause| match unusable {
        Some(cause) => PathFileError::Unusable(cause),
        None => PathFileError::Refused { file: file(), cause },
    })
}

type LineParser = fn(&[u8], &mut LineVisitor<'_>) -> Result<(), String>;

/// Passes the points of one line of a file to `sink`; returns the assumptions made.
fn line(
    bytes: &[u8],
    parse: LineParser,
    choice: Option<&LineChoice>,
    sink: &mut PointSink<'_>,
) -> Result<Vec<String>, String> {
    let mut lines = LineIndex::default();
    parse(bytes, &mut |part| lines.add(part))?;
    let (line, assumed) = lines.select(choice)?;
    let mut selected = SelectedLine::new(&line);
    parse(bytes, &mut |part| match selected.point(&part) {
        Some(point) => sink(Coordinates::Earth, point),
        None => Ok(()),
    })?;
    Ok(assumed)
}

/// Refuses a point that is not finite or out of range; `number` counts from 1.
fn check(coordinates: Coordinates, point: [f64; 2], number: usize) -> Result<(), String> {
    if !point.iter().all(|x| x.is_finite()) {
        return Err(format!("point {number} is not finite"));
    }
    let [latitude, longitude] = point;
    if coordinates == Coordinates::Earth && (latitude.abs() > 90.0 || longitude.abs() > 360.0) {
        return Err(format!(
            "point {number} has latitude {latitude}, longitude {longitude}; allowed: -90 to 90, \
             -360 to 360"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Points = (Coordinates, Vec<[f64; 2]>);

    /// Returns the points of a file with their coordinate system and the assumptions.
    fn read_as(
        name: &str,
        text: &[u8],
        choice: Option<&LineChoice>,
    ) -> Result<(Points, Vec<String>), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let (mut points, mut given) = (Vec::new(), None);
        let assumed = read(&path, choice, &Inputs::default(), &mut |coordinates, point| {
            given = Some(coordinates);
            points.push(point);
            Ok(())
        });
        let assumed = assumed.map_err(|error| error.to_string())?;
        Ok(((given.ok_or("no points")?, points), assumed))
    }

    fn written(name: &str, text: &str) -> Result<Points, String> {
        read_as(name, text.as_bytes(), None).map(|(way, _)| way)
    }

    fn selected(name: &str, text: &str, choice: LineChoice) -> Result<Vec<[f64; 2]>, String> {
        read_as(name, text.as_bytes(), Some(&choice)).map(|((_, points), _)| points)
    }

    fn gpx(lines: &str) -> String {
        format!(
            "<?xml version='1.0'?><gpx version='1.1' xmlns='http://www.topografix.com/GPX/1/1'>{lines}</gpx>"
        )
    }

    /// A track segment along a meridian, starting at latitude `from`, degrees.
    fn segment(from: f64, points: usize) -> String {
        let point = |k: usize| {
            format!("<trkpt lat='{}' lon='9.5'><ele>3</ele></trkpt>", from + 1e-4 * k as f64)
        };
        format!("<trkseg>{}</trkseg>", (0..points).map(point).collect::<String>())
    }

    fn latitudes(points: &[[f64; 2]]) -> Vec<f64> {
        points.iter().map(|point| (1e4 * point[0]).round() / 1e4).collect()
    }

    #[test]
    fn the_same_path_in_three_formats() {
        let expected = (Coordinates::Earth, vec![[48.5, -116.25], [48.51, -116.26]]);
        let gpx = r#"<?xml version="1.0"?><gpx version="1.1" creator="x"
            xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
            <trkpt lat="48.5" lon="-116.25"><ele>3</ele></trkpt></trkseg>
            <trkseg><trkpt lat="48.51" lon="-116.26"/></trkseg></trk></gpx>"#;
        assert_eq!(written("a.gpx", gpx).unwrap(), expected);
        let line = r#"{"type":"LineString","coordinates":[[-116.25,48.5,7],[-116.26,48.51]]}"#;
        let turned = r#"{"coordinates":[[-116.25,48.5,7],[-116.26,48.51]],"type":"LineString"}"#;
        let feature = format!(r#"{{"type":"Feature","properties":{{}},"geometry":{line}}}"#);
        let all = format!(r#"{{"type":"FeatureCollection","features":[{feature}]}}"#);
        let nested = format!(r#"{{"type":"GeometryCollection","geometries":[{line}]}}"#);
        for text in [line, turned, &feature, &all, &nested] {
            assert_eq!(written("a.geojson", text).unwrap(), expected);
        }
        let table = "name, lon, lat\na, -116.25, 48.5\n\"b, c\", -116.26, 48.51\n";
        assert_eq!(written("a.csv", table).unwrap(), expected);
        let local = written("a.csv", "x,y\n1,2\n3,4").unwrap();
        assert_eq!(local, (Coordinates::Local, vec![[1.0, 2.0], [3.0, 4.0]]));
    }

    #[test]
    fn of_several_lines_one_is_chosen_and_empty_ones_are_none() {
        let track =
            |name: &str, segments: &str| format!("<trk><name>{name}</name>{segments}</trk>");
        let (a, b) = (segment(46.0, 3), segment(47.0, 2));
        let empty = "<trk><name>e</name><trkseg></trkseg></trk><rte></rte><trk/>";
        let only = gpx(&format!("{empty}{}{empty}", track("a", &a)));
        assert_eq!(latitudes(&written("a.gpx", &only).unwrap().1), [46.0, 46.0001, 46.0002]);
        let route =
            "<rte><rtept lat='1' lon='2'/><rtept lat='1.5' lon='2'/><name>r &amp; r</name></rte>";
        let several = gpx(&format!("{}{empty}{}{route}", track("a", &a), track("b", &b)));
        let message = written("a.gpx", &several).unwrap_err();
        let list =
            "1: track \"a\" (3 points), 2: track \"b\" (2 points), 3: route \"r & r\" (2 points)";
        let expected =
            format!("contains 3 lines; choose one by track = NUMBER or \"NAME\": {list}");
        assert!(message.ends_with(&expected), "{message}");
        let b = [47.0, 47.0001];
        for choice in [LineChoice::Number(2), LineChoice::Name("b".into())] {
            assert_eq!(latitudes(&selected("a.gpx", &several, choice).unwrap()), b);
        }
        let routed = selected("a.gpx", &several, LineChoice::Name("r & r".into())).unwrap();
        assert_eq!(routed, [[1.0, 2.0], [1.5, 2.0]]);
        let error = |choice| selected("a.gpx", &several, choice).unwrap_err();
        let none = format!("contains no line, track = 4; must be one of {list}");
        assert!(error(LineChoice::Number(4)).ends_with(&none));
        assert!(
            error(LineChoice::Name("c".into())).contains("contains no line, track = \"c\"; must")
        );
        let twice = gpx(&format!("{}{}", track("a", &a), track("a", &segment(47.0, 2))));
        let error = selected("a.gpx", &twice, LineChoice::Name("a".into())).unwrap_err();
        assert!(
            error.contains("several lines, track = \"a\"; choose one by its number"),
            "{error}"
        );
        // waypoints count only if the file has neither routes nor tracks
        let points = "<wpt lat='1' lon='2'><name>p</name></wpt><wpt lat='3' lon='4'/>";
        assert_eq!(written("a.gpx", &gpx(points)).unwrap().1, [[1.0, 2.0], [3.0, 4.0]]);
        let both = gpx(&format!("{points}{}", track("a", &a)));
        assert_eq!(written("a.gpx", &both).unwrap().1.len(), 3);
    }

    #[test]
    fn segments_that_follow_each_other_are_one_line() {
        // a gap in a recorded track gives a warning
        let track = gpx(&format!(
            "<trk><name>a</name>{}{}{}</trk>",
            segment(46.0, 3),
            segment(46.0003, 2),
            segment(46.1, 2)
        ));
        let ((_, points), assumed) = read_as("a.gpx", track.as_bytes(), None).unwrap();
        assert_eq!(points.len(), 7);
        let told = "track \"a\" (7 points): segment 3 begins 11087 m from the end of the previous one; the gap is driven in a straight line";
        assert_eq!(assumed, [told]);
        let close = gpx(&format!("<trk>{}{}</trk>", segment(46.0, 3), segment(46.0003, 2)));
        assert!(read_as("a.gpx", close.as_bytes(), None).unwrap().1.is_empty());
        let lines = |coordinates: &str| {
            format!(
                r#"{{"type":"FeatureCollection","features":[{{"geometry":{{"type":"Polygon","coordinates":[[[1,2],[3,4],[5,6],[1,2]]]}}}},{{"type":"Feature","properties":{{"name":"m","width":[3]}},"geometry":{{"coordinates":{coordinates},"type":"MultiLineString"}}}}]}}"#
            )
        };
        let following = lines("[[[9,46],[9,46.1]],[],[[9,46.1],[9,46.2],[9,46.3]]]");
        assert_eq!(
            latitudes(&written("a.json", &following).unwrap().1),
            [46.0, 46.1, 46.1, 46.2, 46.3]
        );
        let around = lines("[[[179.9999,46],[180,46]],[[-180,46],[-179.9999,46]]]");
        assert_eq!(written("a.json", &around).unwrap().1.len(), 4);
        let apart = lines("[[[9,46],[9,46.1]],[[9,47],[9,47.1]],[[9,47.1],[9,47.2]]]");
        let message = written("a.json", &apart).unwrap_err();
        let list = "1: MultiLineString \"m\" (2 points), 2: MultiLineString \"m\" (4 points)";
        assert!(message.ends_with(list), "{message}");
        let second = selected("a.json", &apart, LineChoice::Number(2)).unwrap();
        assert_eq!(latitudes(&second), [47.0, 47.1, 47.1, 47.2]);
    }

    #[test]
    fn texts_in_other_encodings_are_read() {
        let text = gpx(&format!("<trk><name>M\u{fc}hle</name>{}</trk>", segment(46.0, 2)));
        let wide = |mark: u16, of: fn(u16) -> [u8; 2]| -> Vec<u8> {
            std::iter::once(mark).chain(text.encode_utf16()).flat_map(of).collect()
        };
        let declared = text.replace("version='1.0'?", "version='1.0' encoding='ISO-8859-1'?");
        let narrow: Vec<u8> = declared.chars().map(|letter| letter as u8).collect();
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        let name = LineChoice::Name("M\u{fc}hle".into());
        for bytes in
            [wide(0xfeff, u16::to_le_bytes), wide(0xfeff, u16::to_be_bytes), narrow, marked]
        {
            assert_eq!(read_as("a.gpx", &bytes, Some(&name)).unwrap().0.1.len(), 2);
        }
    }

    #[test]
    fn faults_name_file_row_and_allowed_values() {
        let wide = format!("x,y\n{}\n", "1,".repeat(2000));
        let long = format!("x,y\n\"{}\",1\n", "a\n".repeat(40_000));
        let uneven = r#"{"type":"LineString","coordinates":[[1,2],[3]]}"#;
        let tracks = gpx(&"<rte><rtept lat='1' lon='2'/><rtept lat='2' lon='2'/></rte>".repeat(30));
        let point = |attributes: &str| {
            gpx(&format!("<rte><rtept {attributes}/><rtept lat='1' lon='1'/></rte>"))
        };
        for (name, text, expected) in [
            ("a.csv", "x,y\n1,two\n", "row 2: y is 'two'; allowed: a number"),
            ("a.csv", "x,z\n1,2\n", "has the columns x, z; allowed: x and y"),
            ("a.csv", "", "has the columns ; allowed: x and y"),
            ("a.csv", "x,y\n1,2\n1\n", "row 3 has 1 columns; must have 2 like the first row"),
            ("a.csv", &wide, "row 2 has more than 1024 columns"),
            ("a.csv", &long, "row 2 is longer than 65536 bytes"),
            ("a.csv", "x,y\n1,inf\n", "point 1 is not finite"),
            ("a.csv", "lat,lon\n91,0\n", "point 1 has latitude 91, longitude 0; allowed"),
            ("a.kml", "", "unknown file type; allowed: .gpx"),
            ("a.gpx", "<gpx", "not a GPX file: "),
            ("a.gpx", "<gpx><trk>", "not a GPX file: ends inside an element"),
            ("a.gpx", "", "not a GPX file: contains no gpx element"),
            ("a.gpx", "<kml></kml>", "not a GPX file: the root element is \"kml\"; must be gpx"),
            ("a.gpx", &gpx(""), "contains no route, track or LineString with points"),
            ("a.gpx", &point("lat='a' lon='2'"), "lat is \"a\"; allowed: a number"),
            ("a.gpx", &point("lat='1'"), "a point lacks lat or lon"),
            ("a.gpx", &point("lat='1' lon='NaN'"), "point 1 is not finite"),
            (
                "a.gpx",
                &gpx("<wpt lat='1' lon='1'/>"),
                "waypoints (1 points) is not a line; must have at least 2 points",
            ),
            ("a.gpx", &tracks, "10: route (2 points) and 20 more"),
            (
                "a.geojson",
                r#"{"type":"Point","coordinates":[1,2]}"#,
                "contains no route, track or LineString",
            ),
            (
                "a.geojson",
                r#"{"type":"LineString","coordinates":[[1],[2]]}"#,
                "a position has 1 numbers; must have 2 or more at line 1 column 39",
            ),
            ("a.geojson", uneven, "a position has 1 numbers;"),
            (
                "a.geojson",
                r#"{"type":"LineString","coordinates":[[],[1,2]]}"#,
                "a position has 0 numbers;",
            ),
            (
                "a.geojson",
                r#"{"type":"LineString","coordinates":[[1,2],[]]}"#,
                "a position has 0 numbers;",
            ),
            (
                "a.geojson",
                r#"{"type":"LineString","coordinates":[1,2]}"#,
                "coordinates do not fit the type LineString",
            ),
            (
                "a.geojson",
                r#"{"type":"LineString","coordinates":[[[1,2],[3,4]]]}"#,
                "coordinates do not fit the type LineString",
            ),
            (
                "a.geojson",
                r#"{"type":"LineString","coordinates":[[1,2],3]}"#,
                "coordinates mix numbers, positions and lists",
            ),
            (
                "a.geojson",
                r#"{"type":"LineString","coordinates":[[1,"a"]]}"#,
                "invalid type: string \"a\"",
            ),
            ("a.geojson", r#"{"coordinates":[[1,2],[3,4]]}"#, "missing field `type`"),
            ("a.geojson", "[]", "expected a GeoJSON object"),
        ] {
            let message = written(name, text).unwrap_err();
            assert!(message.contains(expected) && message.contains(name), "{expected}: {message}");
        }
        let error = selected("a.csv", "x,y\n1,2\n", LineChoice::Number(1)).unwrap_err();
        assert!(error.contains("a table contains a single line; remove track"), "{error}");
    }
}
