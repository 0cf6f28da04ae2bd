//! The drive of a vehicle in an MCAP file of a run: the states on its topic `/V/state`.

use super::foxglove::VEHICLE_STATE;
use super::mcap_read::{self, McapReadError};
use super::protobuf::{ProtoValue, read_fields};
use bekker_rig::drives::{DriveLog, DriveLogError, LogTable};
use bekker_scenario::input;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// Reasons why an MCAP file has no usable drive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordedDriveError {
    /// The file cannot be read.
    #[error(transparent)]
    Mcap(#[from] McapReadError),
    /// No topic of vehicle states.
    #[error(
        "has no topic /VEHICLE/state of {VEHICLE_STATE}, only {topics:?}; record them with \
        output.states = [\"mcap\"]"
    )]
    NoStates {
        /// Topics of the file.
        topics: Vec<String>,
        /// Whether some messages are in CDR, as in bags of ROS 2.
        has_cdr: bool,
    },
    /// No scenario in the metadata.
    #[error("has no metadata `scenario` with the key `toml`, which MCAP files of runs have")]
    NoScenario,
    /// Several vehicles and no choice, or an unknown vehicle.
    #[error("{found}; --vehicle must be one of {known:?}")]
    Vehicle {
        /// Fault of the request.
        found: String,
        /// Vehicles with states.
        known: Vec<String>,
    },
    /// A message of states that is damaged.
    #[error(
        "message {message} of /{vehicle}/state is no {VEHICLE_STATE}, or has another number of \
        wheels than the first"
    )]
    Message {
        /// Number of the message on its topic, from 1.
        message: usize,
        /// Vehicle of the topic.
        vehicle: String,
    },
    /// The states are no usable log.
    #[error("/{vehicle}/state: {source}")]
    Log {
        /// Vehicle of the topic.
        vehicle: String,
        /// The reason.
        source: DriveLogError,
    },
}

/// A drive with the scenario of its run.
#[derive(Clone, Debug)]
pub struct RecordedDrive {
    /// Name of the vehicle.
    pub vehicle: String,
    /// Its log.
    pub log: DriveLog,
    /// Text of the scenario.
    pub scenario: String,
}

impl RecordedDrive {
    /// Reads the drive of a vehicle from an MCAP file, by default of the only one in it.
    ///
    /// # Errors
    /// A file that is no complete MCAP file of a run with states of this vehicle.
    pub fn read(path: &Path, vehicle: Option<&str>) -> Result<RecordedDrive, RecordedDriveError> {
        input::check_regular(path).map_err(McapReadError::File)?;
        let file = File::open(path).map_err(McapReadError::File)?;
        read_drive(&path.display().to_string(), &mut BufReader::new(file), vehicle)
    }
}

/// States of a vehicle by message.
#[derive(Default)]
struct StateColumns {
    messages: usize,
    wheels: usize,
    columns: Vec<(String, Vec<f64>)>,
    /// Number of the first damaged message.
    damaged: Option<usize>,
}

fn read_drive(
    name: &str,
    file: &mut impl io::Read,
    vehicle: Option<&str>,
) -> Result<RecordedDrive, RecordedDriveError> {
    let mut topics: Vec<String> = Vec::new();
    let mut drives: BTreeMap<String, StateColumns> = BTreeMap::new();
    let (mut scenario, mut has_cdr) = (None, false);
    mcap_read::read_complete(
        file,
        &mut |name, mut texts| {
            if name == "scenario" {
                scenario = texts.remove("toml");
            }
        },
        &mut |message| {
            has_cdr |= message.encoding == "cdr";
            let states = message.topic.strip_prefix('/').and_then(|own| own.strip_suffix("/state"));
            match states.filter(|_| message.schema == VEHICLE_STATE) {
                Some(own) => {
                    let columns = drives.entry(own.to_owned()).or_default();
                    columns.add(message.time, &message.data);
                }
                None if !topics.contains(&message.topic) => topics.push(message.topic),
                None => {}
            }
        },
    )?;
    if drives.is_empty() {
        return Err(RecordedDriveError::NoStates { topics, has_cdr });
    }
    let scenario = scenario.ok_or(RecordedDriveError::NoScenario)?;
    let known: Vec<String> = drives.keys().cloned().collect();
    let chosen = match (vehicle, known.as_slice()) {
        (Some(own), _) if drives.contains_key(own) => own.to_owned(),
        (Some(own), _) => {
            let found = format!("has no states of {own}");
            return Err(RecordedDriveError::Vehicle { found, known });
        }
        (None, [only]) => only.clone(),
        (None, _) => {
            let found = format!("has states of {} vehicles", known.len());
            return Err(RecordedDriveError::Vehicle { found, known });
        }
    };
    let columns = drives.remove(&chosen).unwrap_or_default();
    if let Some(message) = columns.damaged {
        return Err(RecordedDriveError::Message { message, vehicle: chosen });
    }
    let table = LogTable { rows: (1..=columns.messages).collect(), columns: columns.columns };
    match DriveLog::from_table(name, table) {
        Ok(log) => Ok(RecordedDrive { vehicle: chosen, log, scenario }),
        Err(source) => Err(RecordedDriveError::Log { vehicle: chosen, source }),
    }
}

impl StateColumns {
    /// Adds a message at a time, ns.
    fn add(&mut self, time: u64, data: &[u8]) {
        self.messages += 1;
        let Some((values, wheels)) = state_values(time, data) else {
            self.damaged.get_or_insert(self.messages);
            return;
        };
        if self.columns.is_empty() {
            self.wheels = wheels;
            self.columns = values.into_iter().map(|(name, value)| (name, vec![value])).collect();
        } else if self.wheels == wheels {
            let cells = self.columns.iter_mut().zip(values);
            cells.for_each(|((_, column), (_, value))| column.push(value));
        } else {
            self.damaged.get_or_insert(self.messages);
        }
    }
}

/// Fields of a message with their columns in a log.
const FIELDS: [(u64, &str); 5] =
    [(3, "speed_mps"), (5, "pitch_rad"), (7, "throttle"), (8, "brake"), (9, "steering")];
/// Field of the wheels, and their fields with the ends of their columns.
const WHEELS: (u64, [(u64, &str); 3]) =
    (10, [(1, "spin_radps"), (2, "torque_nm"), (3, "sinkage_m")]);

/// Values of a message by column, and its number of wheels; `None` if it is damaged.
///
/// Protocol Buffers may leave out fields that are zero.
fn state_values(time: u64, data: &[u8]) -> Option<(Vec<(String, f64)>, usize)> {
    let mut own = [0.0; FIELDS.len()];
    let mut wheels = Vec::new();
    read_fields(data, &mut |field, value| {
        read_into(&mut own, &FIELDS, field, value)?;
        match value {
            ProtoValue::Bytes(bytes) if field == WHEELS.0 => {
                let mut wheel = [0.0; WHEELS.1.len()];
                read_fields(bytes, &mut |field, value| {
                    read_into(&mut wheel, &WHEELS.1, field, value)
                })?;
                wheels.push(wheel);
            }
            _ => {}
        }
        Some(())
    })?;
    let mut values = vec![("time_s".to_owned(), (time / 1000) as f64 / 1e6)];
    values.extend(FIELDS.iter().zip(own).map(|((_, name), value)| ((*name).to_owned(), value)));
    for (number, wheel) in wheels.iter().enumerate() {
        let columns = WHEELS.1.iter().zip(wheel);
        values.extend(columns.map(|((_, end), value)| (format!("wheel{number}_{end}"), *value)));
    }
    Some((values, wheels.len()))
}

/// Reads a field into the value of its column; `None` if it is no double.
fn read_into(
    values: &mut [f64],
    columns: &[(u64, &str)],
    field: u64,
    value: ProtoValue<'_>,
) -> Option<()> {
    let Some(at) = columns.iter().position(|(own, _)| *own == field) else { return Some(()) };
    let ProtoValue::Double(number) = value else { return None };
    values[at] = number;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foxglove::{self, Heading};
    use crate::mcap::McapWriter;
    use bekker_agent::{Sample, WheelSample};
    use bekker_math::random::RandomStream;

    /// A file with 30 states of each vehicle and one pose.
    fn file(vehicles: &[&str]) -> Vec<u8> {
        let mut mcap = McapWriter::new(Vec::new()).unwrap();
        mcap.metadata("scenario", &[("toml".into(), "format = 1".into())]).unwrap();
        let schema = mcap.schema(VEHICLE_STATE, &foxglove::state_descriptors());
        let channels: Vec<u16> =
            vehicles.iter().map(|own| mcap.channel(schema, &format!("/{own}/state"))).collect();
        let poses = mcap.schema("foxglove.PoseInFrame", &foxglove::descriptors());
        let pose = mcap.channel(poses, "/a/pose");
        mcap.message(pose, 0, &[]).unwrap();
        for step in 0..30 {
            for (number, (&frame, &channel)) in vehicles.iter().zip(&channels).enumerate() {
                let speed = f64::from(step) + number as f64;
                let wheel = WheelSample { spin: 2.0 * speed, torque: -1.5, ..Default::default() };
                let sample = Sample { speed, wheels: vec![wheel; 2], ..Sample::default() };
                let time_us = 50_000 * u64::from(step as u32);
                let data = foxglove::vehicle_state(&Heading { time_us, frame }, &sample);
                mcap.message(channel, 1000 * time_us, &data).unwrap();
            }
        }
        mcap.finish().unwrap()
    }

    fn read(bytes: &[u8], vehicle: Option<&str>) -> Result<RecordedDrive, RecordedDriveError> {
        read_drive("file", &mut &bytes[..], vehicle)
    }

    #[test]
    fn a_drive_has_the_states_of_its_vehicle() {
        use bekker_rig::drives::LogChannel;
        let drive = read(&file(&["a", "b"]), Some("b")).unwrap();
        assert_eq!((drive.vehicle.as_str(), drive.scenario.as_str()), ("b", "format = 1"));
        assert_eq!((drive.log.times[3], drive.log.times.len()), (0.15, 30));
        assert_eq!(drive.log.channel(LogChannel::Speed).unwrap()[3], 4.0);
        assert_eq!(drive.log.channel(LogChannel::Spin(1)).unwrap()[3], 8.0);
        assert_eq!(drive.log.channel(LogChannel::Torque(0)).unwrap(), vec![-1.5; 30]);
        assert_eq!(drive.log.controls.unwrap().throttle, vec![0.0; 30]);
    }

    #[test]
    fn files_without_a_usable_drive_are_refused_with_the_reason() {
        let refused = |bytes: &[u8], vehicle| read(bytes, vehicle).unwrap_err().to_string();
        let (one, two) = (file(&["a"]), file(&["a", "b"]));
        let all = "--vehicle must be one of [\"a\", \"b\"]";
        assert_eq!(refused(&two, None), format!("has states of 2 vehicles; {all}"));
        assert_eq!(refused(&two, Some("c")), format!("has no states of c; {all}"));
        let none = refused(&file(&[]), None);
        assert!(none.contains("only [\"/a/pose\"]") && none.contains("output.states"), "{none}");
        let short = refused(&one[..one.len() / 4], None);
        assert!(short.starts_with("is truncated after"), "{short}");
        assert_eq!(refused(b"", None), McapReadError::NotMcap.to_string());
        let at = one.windows(3).position(|own| own == b"lz4").unwrap();
        let mut other = one.clone();
        other[at..at + 3].copy_from_slice(b"zst");
        let other = refused(&other, None);
        assert!(other.contains("\"zst\"; must be \"zstd\", \"lz4\" or"), "{other}");
    }

    /// Altered bytes give a drive or an error, and never a panic.
    #[test]
    fn altered_files_do_no_harm() {
        let whole = file(&["a"]);
        let random = RandomStream::new(7, "altered");
        for change in 0..2000 {
            let mut bytes = whole.clone();
            let at = (random.uniform(2 * change) * bytes.len() as f64) as usize;
            bytes[at] = (256.0 * random.uniform(2 * change + 1)) as u8;
            let _ = read(&bytes, None);
        }
    }
}
