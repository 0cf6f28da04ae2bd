//! The log of a drive: measured channels and controls over time.

use serde::Serialize;
use thiserror::Error;

/// Fewest samples of a log.
const FEWEST_SAMPLES: usize = 20;
/// Largest number of a wheel.
const LAST_WHEEL: usize = 63;
/// Longest time between two rows, s.
///
/// Controls are linear between rows, which is wrong over a gap.
const LONGEST_GAP: f64 = 2.0;
/// Smallest forward speed, m/s: the noise of a speed at rest, and no drive in reverse.
const SLOWEST_SPEED: f64 = -0.5;
/// Allowed speeds, for messages.
const FORWARD: &str = "a forward speed, from -0.5 m/s; drives in reverse cannot be simulated";

/// Reasons why a log cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DriveLogError {
    /// The text is no table.
    #[error("{0}")]
    Table(String),
    /// A column is missing.
    #[error("column {column} is missing; must have time_s, speed_mps and {also}")]
    Missing {
        /// The column.
        column: String,
        /// Further columns that a log needs.
        also: &'static str,
    },
    /// A column occurs twice.
    #[error("columns {first} and {second} are both named {column}; each must occur once")]
    Repeated {
        /// The column.
        column: String,
        /// Number of its first occurrence, from 1.
        first: usize,
        /// Number of its second occurrence.
        second: usize,
    },
    /// A cell is not a number in its range.
    #[error("row {row}: {column} = {value}: must be {allowed}")]
    Cell {
        /// Row, from 1, without the header.
        row: usize,
        /// Its column.
        column: String,
        /// Value found.
        value: String,
        /// Allowed values.
        allowed: &'static str,
    },
    /// No row belongs to the vehicle.
    #[error("no row has the name {name}; the vehicles are {known:?}")]
    NoVehicle {
        /// Requested name.
        name: String,
        /// Names in the table.
        known: Vec<String>,
    },
    /// Too few samples.
    #[error("has {rows} samples; must have at least {FEWEST_SAMPLES}")]
    TooShort {
        /// Number of samples.
        rows: usize,
    },
}

/// A measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogChannel {
    /// Forward speed, m/s.
    Speed,
    /// Pitch of the chassis, rad, nose down.
    Pitch,
    /// Spin of a wheel, rad/s.
    Spin(usize),
    /// Torque on a wheel, N m.
    Torque(usize),
    /// Sinkage of a wheel, m.
    Sinkage(usize),
}

impl LogChannel {
    /// Returns the column of the channel, which is that of `states.csv`.
    pub fn column(self) -> String {
        match self {
            LogChannel::Speed => "speed_mps".into(),
            LogChannel::Pitch => "pitch_rad".into(),
            LogChannel::Spin(wheel) => format!("wheel{wheel}_spin_radps"),
            LogChannel::Torque(wheel) => format!("wheel{wheel}_torque_nm"),
            LogChannel::Sinkage(wheel) => format!("wheel{wheel}_sinkage_m"),
        }
    }
}

/// Throttle, brake and steering of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoggedControls {
    /// Throttle, 0 to 1.
    pub throttle: Vec<f64>,
    /// Brake, 0 to 1.
    pub brake: Vec<f64>,
    /// Steering, -1 to 1.
    pub steering: Vec<f64>,
}

/// The log of one drive.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveLog {
    /// Name in messages and tables.
    pub name: String,
    /// Times of the samples, s, from 0 at the first.
    pub times: Vec<f64>,
    /// Channels with their values at these times.
    pub channels: Vec<(LogChannel, Vec<f64>)>,
    /// Controls, if the log has the throttle.
    pub controls: Option<LoggedControls>,
    /// Rise over run of the ground in the direction of travel.
    pub grade: f64,
}

impl DriveLog {
    /// Returns the values of a channel.
    pub fn channel(&self, channel: LogChannel) -> Option<&[f64]> {
        self.channels.iter().find(|(own, _)| *own == channel).map(|(_, values)| &values[..])
    }

    /// Returns the duration, s.
    pub fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or_default()
    }

    /// Returns the log up to a time, s.
    pub fn until(&self, end: f64) -> DriveLog {
        let count = self.times.partition_point(|time| *time <= end + 1e-9);
        let cut = |values: &[f64]| values[..count.min(values.len())].to_vec();
        DriveLog {
            name: self.name.clone(),
            times: cut(&self.times),
            channels: self.channels.iter().map(|(own, values)| (*own, cut(values))).collect(),
            controls: self.controls.as_ref().map(|own| LoggedControls {
                throttle: cut(&own.throttle),
                brake: cut(&own.brake),
                steering: cut(&own.steering),
            }),
            grade: self.grade,
        }
    }
}

/// A table of numbers with the columns of `states.csv`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogTable {
    /// Numbers of the rows in messages.
    pub rows: Vec<usize>,
    /// Columns by name, each with a value a row.
    pub columns: Vec<(String, Vec<f64>)>,
}

impl LogTable {
    fn column(&self, name: &str) -> Option<&Vec<f64>> {
        self.columns.iter().find(|(own, _)| own == name).map(|(_, values)| values)
    }

    /// Returns a column with its values checked.
    fn checked(
        &self,
        name: &str,
        allowed: &'static str,
        is_allowed: fn(f64) -> bool,
    ) -> Result<Option<Vec<f64>>, DriveLogError> {
        let Some(values) = self.column(name) else { return Ok(None) };
        let wrong = values.iter().position(|own| !(own.is_finite() && is_allowed(*own)));
        wrong.map_or_else(
            || Ok(Some(values.clone())),
            |at| Err(cell(self.rows[at], name, &values[at].to_string(), allowed)),
        )
    }
}

fn cell(row: usize, column: &str, value: &str, allowed: &'static str) -> DriveLogError {
    DriveLogError::Cell { row, column: column.into(), value: value.into(), allowed }
}

/// Whether a column is read from a table.
fn is_read(name: &str) -> bool {
    ["time_s", "throttle", "brake", "steering"].contains(&name)
        || all_channels().any(|own| own.column() == name)
}

/// Reads a log from CSV text with the columns of `states.csv`.
///
/// A table may hold several vehicles: rows with `vehicle` in the column `name` are read, by default
/// those of the first vehicle.
///
/// # Errors
/// Missing and repeated columns, cells out of range, and too few rows.
pub fn read_drive_log(
    name: &str,
    text: &str,
    vehicle: Option<&str>,
) -> Result<DriveLog, DriveLogError> {
    let table = |error: csv::Error| DriveLogError::Table(error.to_string());
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(table)?.clone();
    check_names(&header)?;
    let records = reader.records().collect::<Result<Vec<_>, _>>().map_err(table)?;
    let names = header.iter().position(|own| own == "name");
    let records = rows_of_vehicle(records, names, vehicle)?;
    let mut columns = Vec::new();
    // the table of a run has the columns of the vehicle with most wheels, empty for the others
    let is_empty = |at: usize| {
        let mut cells = records.iter().map(|(_, record)| record.get(at).unwrap_or_default());
        !records.is_empty() && cells.all(str::is_empty)
    };
    let is_channel = |name: &str| all_channels().any(|own| own.column() == name);
    for (at, column) in header.iter().enumerate().filter(|(_, own)| is_read(own)) {
        if is_channel(column) && is_empty(at) {
            continue;
        }
        let numbers = records.iter().map(|(row, record)| {
            let text = record.get(at).unwrap_or_default();
            text.parse::<f64>().map_err(|_| cell(*row, column, text, "a number"))
        });
        columns.push((column.to_owned(), numbers.collect::<Result<Vec<_>, _>>()?));
    }
    let rows = records.iter().map(|(row, _)| *row).collect();
    DriveLog::from_table(name, LogTable { rows, columns })
}

impl DriveLog {
    /// Builds a log from a table.
    ///
    /// # Errors
    /// As [`read_drive_log`].
    pub fn from_table(name: &str, table: LogTable) -> Result<DriveLog, DriveLogError> {
        let mut known: Vec<LogChannel> =
            all_channels().filter(|own| table.column(&own.column()).is_some()).collect();
        known.sort_unstable();
        let mut channels = Vec::new();
        for channel in known {
            let values = match channel {
                LogChannel::Speed => table.checked("speed_mps", FORWARD, |v| v >= SLOWEST_SPEED)?,
                _ => table.checked(&channel.column(), "a number", |_| true)?,
            };
            channels.extend(values.map(|values| (channel, values)));
        }
        let missing = |column: &str| DriveLogError::Missing {
            column: column.into(),
            also: "wheelN_spin_radps or wheelN_torque_nm",
        };
        let times = table.checked("time_s", "a number", |_| true)?;
        let mut times = times.ok_or_else(|| missing("time_s"))?;
        let has = |wanted: fn(&LogChannel) -> bool| channels.iter().any(|(own, _)| wanted(own));
        if !has(|own| *own == LogChannel::Speed) {
            return Err(missing("speed_mps"));
        }
        if !has(|own| matches!(own, LogChannel::Spin(_) | LogChannel::Torque(_))) {
            return Err(missing("wheel0_spin_radps"));
        }
        if times.len() < FEWEST_SAMPLES {
            return Err(DriveLogError::TooShort { rows: times.len() });
        }
        check_times(&times, &table.rows)?;
        let begun = times[0];
        times.iter_mut().for_each(|time| *time -= begun);
        let pedal =
            |name: &str| table.checked(name, "from 0 to 1", |own| (0.0..=1.0).contains(&own));
        let absent = || vec![0.0; times.len()];
        let controls = match pedal("throttle")? {
            Some(throttle) => Some(LoggedControls {
                throttle,
                brake: pedal("brake")?.unwrap_or_else(absent),
                steering: table
                    .checked("steering", "from -1 to 1", |own| (-1.0..=1.0).contains(&own))?
                    .unwrap_or_else(absent),
            }),
            None => None,
        };
        Ok(DriveLog { name: name.into(), times, channels, controls, grade: 0.0 })
    }
}

/// Refuses a column to read that occurs twice.
fn check_names(header: &csv::StringRecord) -> Result<(), DriveLogError> {
    for (at, column) in header.iter().enumerate().filter(|(_, own)| *own == "name" || is_read(own))
    {
        if let Some(before) = header.iter().take(at).position(|own| own == column) {
            let column = column.to_owned();
            return Err(DriveLogError::Repeated { column, first: before + 1, second: at + 1 });
        }
    }
    Ok(())
}

/// Refuses times that do not increase, and gaps.
fn check_times(times: &[f64], rows: &[usize]) -> Result<(), DriveLogError> {
    let fault = |is_refused: fn(f64) -> bool, allowed: &'static str| {
        let late = 1 + times.windows(2).position(|pair| is_refused(pair[1] - pair[0]))?;
        Some(cell(rows[late], "time_s", &times[late].to_string(), allowed))
    };
    let gap = "within 2 s of the row before; cut the log at the gap";
    match fault(|step| step <= 0.0, "above that of the row before")
        .or_else(|| fault(|step| step > LONGEST_GAP, gap))
    {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}

/// The rows of one vehicle with their numbers, from 1.
fn rows_of_vehicle(
    rows: Vec<csv::StringRecord>,
    names: Option<usize>,
    vehicle: Option<&str>,
) -> Result<Vec<(usize, csv::StringRecord)>, DriveLogError> {
    let numbered = rows.into_iter().enumerate().map(|(index, record)| (index + 1, record));
    let mut rows: Vec<_> = numbered.collect();
    let Some(at) = names else { return Ok(rows) };
    let name = |record: &csv::StringRecord| record.get(at).unwrap_or_default().to_owned();
    let mut known: Vec<String> = rows.iter().map(|(_, record)| name(record)).collect();
    known.dedup();
    let Some(chosen) = vehicle.map(str::to_owned).or_else(|| known.first().cloned()) else {
        return Err(DriveLogError::TooShort { rows: 0 });
    };
    if !known.contains(&chosen) {
        known.sort_unstable();
        known.dedup();
        return Err(DriveLogError::NoVehicle { name: chosen, known });
    }
    rows.retain(|(_, record)| name(record) == chosen);
    Ok(rows)
}

/// Returns all channels that a log can have.
fn all_channels() -> impl Iterator<Item = LogChannel> {
    let of_wheel =
        |wheel| [LogChannel::Spin(wheel), LogChannel::Torque(wheel), LogChannel::Sinkage(wheel)];
    let all = [LogChannel::Speed, LogChannel::Pitch].into_iter();
    all.chain((0..=LAST_WHEEL).flat_map(of_wheel))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize) -> String {
        let head = "time_s,name,speed_mps,wheel0_spin_radps,wheel0_torque_nm,throttle\n";
        let row = |n: usize| {
            let time = 5.0 + 0.1 * n as f64;
            format!("{time:.1},a,{n},1,2,0.5\n{time:.1},b,0,3,4,0\n")
        };
        head.to_owned() + &(0..rows).map(row).collect::<String>()
    }

    #[test]
    fn a_log_has_the_rows_of_one_vehicle_from_time_zero() {
        let log = read_drive_log("log", &table(30), Some("b")).unwrap();
        assert_eq!(log.channel(LogChannel::Spin(0)).unwrap(), vec![3.0; 30]);
        assert!((log.duration() - 2.9).abs() < 1e-9 && log.times[0] == 0.0);
        assert_eq!(log.controls.as_ref().unwrap().brake, vec![0.0; 30]);
        let first = read_drive_log("log", &table(30), None).unwrap();
        assert_eq!(first.channel(LogChannel::Speed).unwrap()[3], 3.0);
        assert_eq!(first.until(1.0).times.len(), 11);
    }

    #[test]
    fn logs_that_cannot_be_used_are_refused_with_the_reason() {
        let refused = |text: &str| read_drive_log("log", text, None).unwrap_err().to_string();
        assert_eq!(refused(&table(3)), "has 3 samples; must have at least 20");
        let text = table(30).replace("6.0,a,10,1,2,0.5", "6.0,a,fast,1,2,0.5");
        assert_eq!(refused(&text), "row 21: speed_mps = fast: must be a number");
        let text = table(30).replace("6.0,a,10,1,2,0.5", "6.0,a,10,1,2,1.5");
        assert_eq!(refused(&text), "row 21: throttle = 1.5: must be from 0 to 1");
        let text = table(30).replace("6.0,a", "5.9,a");
        assert_eq!(refused(&text), "row 21: time_s = 5.9: must be above that of the row before");
        let text = table(30).replace("speed_mps", "speed");
        assert!(refused(&text).starts_with("column speed_mps is missing"), "{}", refused(&text));
        let text = table(30).replace("throttle", "speed_mps");
        assert_eq!(
            refused(&text),
            "columns 3 and 6 are both named speed_mps; each must occur once"
        );
        let none = read_drive_log("log", &table(30), Some("c")).unwrap_err().to_string();
        assert!(none.contains("no row has the name c") && none.contains("\"a\", \"b\""), "{none}");
    }
}
