//! Tables of points as CSV, row by row.

use super::{Coordinates, PointSink};
use csv_core::{ReadRecordResult, Reader};

/// Maximum length of a row, bytes.
const ROW: usize = 1 << 16;
/// Maximum number of columns.
const COLUMNS: usize = 1024;

/// Accepted names of the two columns, in the order of the coordinates.
const NAMES: [(Coordinates, [&[&str]; 2]); 3] = [
    (Coordinates::Local, [&["x"], &["y"]]),
    (Coordinates::Grid, [&["easting", "e"], &["northing", "n"]]),
    (
        Coordinates::Earth,
        [&["latitude", "lat", "latitude_deg"], &["longitude", "lon", "lng", "longitude_deg"]],
    ),
];

/// Coordinate system, indices and names of the two columns that are read.
struct Columns {
    coordinates: Coordinates,
    places: [usize; 2],
    names: [String; 2],
    count: usize,
}

impl Columns {
    fn find(header: &[&str]) -> Result<Columns, String> {
        let column = |names: &[&str]| {
            header.iter().position(|h| names.iter().any(|name| h.eq_ignore_ascii_case(name)))
        };
        let chosen = NAMES.iter().find_map(|(coordinates, [first, second])| {
            Some((*coordinates, [column(first)?, column(second)?]))
        });
        let Some((coordinates, places)) = chosen else {
            let given: String = header.join(", ").chars().take(200).collect();
            return Err(format!(
                "has the columns {given}; allowed: x and y, easting and northing, or latitude and longitude"
            ));
        };
        let names = places.map(|place| header[place].to_owned());
        Ok(Columns { coordinates, places, names, count: header.len() })
    }

    /// Returns the point of a row; `number` counts from 1.
    fn point(&self, row: CsvRow<'_>, number: u64) -> Result<[f64; 2], String> {
        if row.ends.len() != self.count {
            let (found, count) = (row.ends.len(), self.count);
            return Err(format!(
                "row {number} has {found} columns; must have {count} like the first row"
            ));
        }
        let value = |which: usize| -> Result<f64, String> {
            let text = row.field(self.places[which]).ok_or_else(|| not_utf8(number))?;
            text.parse().map_err(|_| {
                let text: String = text.chars().take(40).collect();
                format!("row {number}: {} is '{text}'; allowed: a number", self.names[which])
            })
        };
        Ok([value(0)?, value(1)?])
    }
}

/// A parsed row: its fields concatenated, and the end of each.
#[derive(Clone, Copy)]
struct CsvRow<'t> {
    text: &'t [u8],
    ends: &'t [usize],
}

impl<'t> CsvRow<'t> {
    /// Returns a field without surrounding white space; `None` if it is not UTF-8.
    fn field(self, which: usize) -> Option<&'t str> {
        let start = which.checked_sub(1).map_or(0, |before| self.ends[before]);
        std::str::from_utf8(&self.text[start..self.ends[which]]).ok().map(str::trim)
    }
}

fn not_utf8(number: u64) -> String {
    format!("row {number} is not text: not valid UTF-8")
}

/// Passes the points of a table to `sink`.
pub(super) fn parse(bytes: &[u8], sink: &mut PointSink<'_>) -> Result<(), String> {
    let (mut reader, mut rest) = (Reader::new(), bytes);
    let (mut text, mut ends) = (vec![0; ROW], vec![0; COLUMNS]);
    let (mut length, mut fields, mut columns, mut number) = (0, 0, None, 1_u64);
    loop {
        let (result, read, written, ended) =
            reader.read_record(rest, &mut text[length..], &mut ends[fields..]);
        (rest, length, fields) = (&rest[read..], length + written, fields + ended);
        match result {
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::OutputFull => {
                return Err(format!("row {number} is longer than {ROW} bytes"));
            }
            ReadRecordResult::OutputEndsFull => {
                return Err(format!("row {number} has more than {COLUMNS} columns"));
            }
            ReadRecordResult::Record => {
                let row = CsvRow { text: &text, ends: &ends[..fields] };
                match &columns {
                    None => {
                        let names: Option<Vec<_>> = (0..fields).map(|k| row.field(k)).collect();
                        columns = Some(Columns::find(&names.ok_or_else(|| not_utf8(number))?)?);
                    }
                    Some(columns) => sink(columns.coordinates, columns.point(row, number)?)?,
                }
                (length, fields, number) = (0, 0, number + 1);
            }
            ReadRecordResult::End => break,
        }
    }
    match columns {
        Some(_) => Ok(()),
        None => Columns::find(&[]).map(drop),
    }
}
