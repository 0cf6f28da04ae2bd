//! Sensor data of a run: one MCAP file for all, and files of single frames.
//!
//! Topics and their messages are those of `topics.rs`. The log time of a message is the time of
//! delivery of the reading; its own timestamp is the time of measurement. Both are simulated times.
//!
//! Small readings are also written to tables, one per kind (`tables.rs`). If a camera or lidar has
//! `save`, its frames are written to `sensors/V/S/NUMBER.EXTENSION`, and `frames.csv` lists them.
//! Memory does not grow with the run, except for an index entry per megabyte.

use super::append_file::check_name;
use super::append_table::AppendTable;
use super::columns::{RecordColumn, RecordValues};
use super::mcap::McapWriter;
use super::mcap_file::McapFile;
use super::tables::ReadingTables;
use super::topics::{self, TopicEncoder, TopicMessage};
use super::{ReportError, clouds, file, frames, mcap_read, rundir};
use bekker_agent::{AgentModel, Collision, Sample, decimal_seconds};
use bekker_math::geodesy::Site;
use bekker_math::spatial::Pose;
use bekker_scenario::config::{self, FrameFormat, StateFormat};
use bekker_sensor::camera::Image;
use bekker_sensor::lidar::Cloud;
use bekker_sensor::{Delivery, Reading, Sensor, left_camera};
use bekker_world::{AutonomyView, World, WorldModel};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Name of the file of all readings in a run's folder.
pub const MCAP: &str = "sensors.mcap";
/// Name of the file of the MCAP's open chunk, current to the last heartbeat.
///
/// The MCAP contains the chunk only up to its last ending. The file is removed when the run ends.
const OPEN: &str = ".sensors.open";
/// Stem of the name of the list of saved frames.
const FRAMES: &str = "frames";
/// Wall time between endings of the MCAP, in which readers find the open chunk and the index.
const ENDING: Duration = Duration::from_secs(1);
/// Formats and folder of a sensor's saved frames.
struct FrameOutput {
    formats: Vec<FrameFormat>,
    folder: String,
}

/// The MCAP file with its schemas and channels.
struct McapOutput {
    path: PathBuf,
    mcap: McapFile<fs::File>,
    schemas: BTreeMap<String, u16>,
    /// Channels by topic and schema: two sources may have chosen the same topic.
    channels: BTreeMap<(String, String), u16>,
}

impl McapOutput {
    /// Adds a message.
    fn message(&mut self, message: TopicMessage<'_>) -> Result<(), ReportError> {
        let TopicMessage { topic, schema, time_us, data } = message;
        let McapOutput { mcap, schemas, channels, path } = self;
        let key = (topic.to_owned(), schema.to_owned());
        let added = mcap.add(|mcap| {
            let channel = match channels.get(&key) {
                Some(&channel) => channel,
                None => {
                    let schema = *schemas
                        .entry(schema.to_owned())
                        .or_insert_with(|| mcap.schema(schema, &topics::descriptors_of(schema)));
                    let channel = mcap.channel(schema, topic);
                    channels.insert(key, channel);
                    channel
                }
            };
            mcap.message(channel, 1000 * time_us, data)
        });
        added.map_err(ReportError::file("write", path))
    }
}

/// Content of the open chunk on disk.
#[derive(Clone, Copy, PartialEq, Eq)]
struct OpenChunk {
    /// Number of chunks before it.
    before: usize,
    /// Length, bytes.
    length: usize,
}

/// Writer of sensor data.
pub struct SensorRecorder {
    folder: PathBuf,
    written: McapOutput,
    ended: Option<Instant>,
    /// The open chunk on disk, and its content.
    open: fs::File,
    opened: OpenChunk,
    topics: TopicEncoder,
    /// Reference system of the world frame, for point clouds.
    reference: String,
    /// Formats and folders of saved frames, for each vehicle and sensor.
    saved: Vec<Vec<FrameOutput>>,
    tables: ReadingTables,
    /// Whether the state of each vehicle is recorded.
    states: Vec<bool>,
    /// List of saved frames, if any sensor saves them.
    frames: Option<AppendTable>,
    files: Vec<String>,
}

impl SensorRecorder {
    /// Begins or continues the files of a run in its folder; none if no vehicle has a sensor and
    /// `output` does not request states as MCAP.
    ///
    /// `about` is the metadata of the MCAP: names,
    /// each with texts under keys. If `resumed` is given, it is the time of the resume and that of
    /// the last sample that the files must hold, s.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be created or continued.
    pub fn open(
        folder: &Path,
        model: &WorldModel,
        vehicles: &[config::VehicleConfig],
        output: &config::OutputConfig,
        about: &[(&str, Vec<(String, String)>)],
        site: Option<&Site>,
        resumed: Option<[f64; 2]>,
    ) -> Result<Option<SensorRecorder>, ReportError> {
        let after = resumed.map(|[after, _]| after);
        let formats = &output.states;
        let has_states = formats.contains(&StateFormat::Mcap);
        if !has_states && model.agents.iter().all(|agent| agent.sensors.is_empty()) {
            return Ok(None);
        }
        let saved: Vec<Vec<FrameOutput>> = saved(&model.agents, vehicles);
        let path = folder.join(MCAP);
        file::check_place(&path)?;
        // renamed once readers can open it; a resumed file is read until then
        let part = folder.join(format!(".{MCAP}.part"));
        let file = file::create(&part)?;
        let begun = McapWriter::new(Vec::new()).and_then(|mut mcap| {
            about.iter().try_for_each(|(name, texts)| mcap.metadata(name, texts))?;
            McapFile::begin(file, mcap)
        });
        let mut files = Vec::new();
        let saves = saved.iter().flatten().any(|own| !own.formats.is_empty());
        let frames = saves.then(|| frames_table(folder, after, &mut files)).transpose()?;
        let place = folder.join(OPEN);
        let beside = folder.join(format!("{OPEN}.part"));
        let before =
            if after.is_some() { fs::read(&place).unwrap_or_default() } else { Vec::new() };
        let open = file::create(if after.is_some() { &beside } else { &place })?;
        let mut recording = SensorRecorder {
            written: McapOutput {
                mcap: begun.map_err(ReportError::file("write", &path))?,
                path,
                schemas: BTreeMap::new(),
                channels: BTreeMap::new(),
            },
            folder: folder.to_owned(),
            ended: None,
            open,
            opened: OpenChunk { before: usize::MAX, length: 0 },
            topics: TopicEncoder::new(model),
            reference: clouds::reference_system(site),
            saved,
            tables: ReadingTables::open(folder, model, formats, after)?,
            states: model
                .agents
                .iter()
                .map(|agent| {
                    let chosen = output.vehicles.as_ref();
                    has_states && chosen.is_none_or(|all| all.contains(&agent.name))
                })
                .collect(),
            frames,
            files,
        };
        if let Some([time, sampled]) = resumed {
            let nanoseconds = |time: f64| (1e9 * time).round() as u64;
            let last = recording.take_over(&before, nanoseconds(time))?;
            // poses are among the messages at every sample
            if last < nanoseconds(sampled) {
                let (path, ends) = (recording.written.path.clone(), last as f64 / 1e9);
                return Err(ReportError::Short { path, ends, due: sampled });
            }
            // in this order: if the process is killed in between, each file has the messages that
            // the other lacks
            recording.note_open()?;
            let ended = recording.written.mcap.write_footer();
            ended.map_err(ReportError::file("write", &part))?;
            fs::rename(&beside, &place).map_err(ReportError::file("write", &place))?;
        }
        fs::rename(&part, &recording.written.path).map_err(ReportError::file("write", &part))?;
        Ok(Some(recording))
    }

    /// Copies all messages up to a time, ns, from the existing file and its open chunk.
    ///
    /// Returns the time of the last one.
    fn take_over(&mut self, open: &[u8], until: u64) -> Result<u64, ReportError> {
        let path = self.written.path.clone();
        let before = fs::File::open(&path).map_err(ReportError::file("resume", &path))?;
        let (mut failed, mut last) = (None, 0);
        let read = mcap_read::for_each_message(&mut BufReader::new(before), open, &mut |message| {
            if message.time <= until && failed.is_none() {
                let mcap_read::McapMessage { topic, schema, time, data, .. } = message;
                last = last.max(time);
                let (time_us, data) = (time / 1000, &data[..]);
                let message = TopicMessage { topic: &topic, schema: &schema, time_us, data };
                failed = self.written.message(message).err();
            }
            Ok(())
        });
        read.map_err(ReportError::file("read", &path))?;
        failed.map_or(Ok(last), Err)
    }

    /// Writes all recorded data to the disk.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be written.
    pub fn flush(&mut self) -> Result<(), ReportError> {
        self.written.mcap.check_length(&self.written.path)?;
        self.tables.flush()?;
        self.frames.as_mut().map_or(Ok(()), AppendTable::flush)?;
        self.note_open()?;
        if self.ended.is_none_or(|last| last.elapsed() >= ENDING) {
            self.ended = Some(Instant::now());
            let McapOutput { mcap, path, .. } = &mut self.written;
            mcap.write_footer().map_err(ReportError::file("write", path))?;
        }
        Ok(())
    }

    /// Writes the open chunk to the disk; earlier chunks are in the MCAP already.
    fn note_open(&mut self) -> Result<(), ReportError> {
        let (before, chunk) = self.written.mcap.open_chunk();
        let now = OpenChunk { before, length: chunk.len() };
        let place = self.folder.join(OPEN);
        let failed = ReportError::file("write", &place);
        if self.opened == now {
            return Ok(());
        }
        if self.opened.before == before {
            self.open.write_all(&chunk[self.opened.length..]).map_err(failed)?;
        } else {
            let written = self
                .open
                .rewind()
                .and_then(|()| self.open.set_len(0))
                .and_then(|()| self.open.write_all(chunk));
            written.map_err(failed)?;
        }
        self.opened = now;
        Ok(())
    }

    /// Records the poses of vehicles, each with its index.
    ///
    /// # Errors
    /// [`ReportError`] if the file cannot be written; the same applies to the following methods.
    pub fn poses(&mut self, time_us: u64, poses: &[(usize, Pose)]) -> Result<(), ReportError> {
        let SensorRecorder { topics, written, .. } = self;
        topics.poses(time_us, poses, &mut |message| written.message(message))
    }

    /// Records the states of the vehicles for which the scenario requests it.
    pub(super) fn states(&mut self, time_us: u64, samples: &[Sample]) -> Result<(), ReportError> {
        let SensorRecorder { topics, written, states, .. } = self;
        samples
            .iter()
            .filter(|sample| states[sample.vehicle])
            .try_for_each(|own| topics.state(time_us, own, &mut |message| written.message(message)))
    }

    /// Records the ground around the vehicles that carry sensors.
    pub fn ground(&mut self, world: &World, samples: &[Sample]) -> Result<(), ReportError> {
        let SensorRecorder { topics, written, .. } = self;
        topics.ground(world, samples, &mut |message| written.message(message))
    }

    /// Records the internal state of an autonomous vehicle.
    pub fn autonomy(
        &mut self,
        time_us: u64,
        vehicle: usize,
        view: &AutonomyView,
    ) -> Result<(), ReportError> {
        let SensorRecorder { topics, written, .. } = self;
        topics.autonomy(time_us, vehicle, view, &mut |message| written.message(message))
    }

    /// Records a completed collision of a vehicle.
    pub fn hit(
        &mut self,
        time_us: u64,
        vehicle: usize,
        with: &str,
        hit: &Collision,
    ) -> Result<(), ReportError> {
        let SensorRecorder { topics, written, .. } = self;
        topics.hit(time_us, vehicle, with, hit, &mut |message| written.message(message))
    }

    /// Records a reading delivered by a sensor of a vehicle.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be written or a picture cannot be encoded.
    pub fn append(&mut self, vehicle: usize, delivery: &Delivery) -> Result<(), ReportError> {
        self.tables.append(vehicle, delivery)?;
        match &delivery.reading {
            Reading::Cloud(cloud) => {
                let reference = self.reference.clone();
                let encode = |format| of_cloud(format, cloud, delivery, &reference);
                self.save(vehicle, delivery, &encode)?;
            }
            Reading::Image(image) => {
                self.save(vehicle, delivery, &|format| of_image(format, image))?;
            }
            _ => {}
        }
        let SensorRecorder { topics, written, .. } = self;
        topics.delivered(vehicle, delivery, &mut |message| written.message(message))
    }

    /// Writes the files of a single frame, in the formats that its sensor saves.
    fn save(
        &mut self,
        vehicle: usize,
        delivery: &Delivery,
        encode: &dyn Fn(FrameFormat) -> Result<Vec<u8>, String>,
    ) -> Result<(), ReportError> {
        let saved = &self.saved[vehicle][delivery.sensor as usize];
        for &format in &saved.formats {
            let ending = match format {
                FrameFormat::Png => "png",
                FrameFormat::Png16 => "16.png",
                FrameFormat::Exr => "exr",
                FrameFormat::Pcd => "pcd",
                FrameFormat::Las => "las",
            };
            let name = format!("{}/{:06}.{ending}", saved.folder, delivery.frame);
            let path = self.folder.join(&name);
            let folder = self.folder.join(&saved.folder);
            fs::create_dir_all(&folder).map_err(ReportError::file("create folder", &folder))?;
            let bytes = encode(format).map_err(ReportError::encode(&path))?;
            file::write(&path, &bytes)?;
            if let Some(frames) = &mut self.frames {
                list_frame(frames, self.topics.name(vehicle), delivery, &name)?;
            }
            self.files.push(name);
        }
        Ok(())
    }

    /// Completes the files and returns their names in the run's folder.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be written.
    pub fn finish(self) -> Result<Vec<String>, ReportError> {
        let SensorRecorder { written, folder, tables, mut files, frames, .. } = self;
        let McapOutput { mcap, path, .. } = written;
        mcap.check_length(&path)?;
        let file = mcap.finish().map_err(ReportError::file("write", &path))?;
        check_name(&file, &path)?;
        file.sync_all().map_err(ReportError::file("write", &path))?;
        file::remove(&folder.join(OPEN))?;
        files.insert(0, MCAP.to_owned());
        files.extend(tables.finish()?);
        files.extend(frames.map_or(Ok(Vec::new()), AppendTable::finish)?);
        Ok(files)
    }
}

/// Begins the list of saved frames, or continues it after a time, s.
///
/// The files that remain listed are added to `files`. Frames saved later are removed, because the
/// run saves them again.
fn frames_table(
    folder: &Path,
    after: Option<f64>,
    files: &mut Vec<String>,
) -> Result<AppendTable, ReportError> {
    let column = |name: &str, values| RecordColumn { name: name.to_owned(), values };
    let columns = vec![
        column("delivered_s", RecordValues::Real(Vec::new())),
        column("taken_s", RecordValues::Real(Vec::new())),
        column("name", RecordValues::Text(Vec::new())),
        column("frame", RecordValues::Integer(Vec::new())),
        column("file", RecordValues::Text(Vec::new())),
    ];
    let formats = &[StateFormat::Csv];
    let Some(time) = after else { return AppendTable::begin(folder, FRAMES, columns, formats) };
    let path = folder.join(format!("{FRAMES}.csv"));
    let all = fs::read(&path).map_err(ReportError::file("read", &path))?;
    let mut visit = |row: &csv::StringRecord| files.extend(row.get(4).map(str::to_owned));
    let table = AppendTable::resume(folder, FRAMES, columns, formats, time, &mut visit)?;
    let later = csv::Reader::from_reader(&all[..]).into_records().flatten();
    for name in later.filter_map(|row| row.get(4).map(str::to_owned)) {
        let own = name.starts_with("sensors/") && !name.split('/').any(|part| part == "..");
        if own && !files.contains(&name) {
            file::remove(&folder.join(name))?;
        }
    }
    Ok(table)
}

/// Adds a frame to the list.
fn list_frame(
    frames: &mut AppendTable,
    vehicle: &str,
    delivery: &Delivery,
    file: &str,
) -> Result<(), ReportError> {
    let mut words = [vehicle, file].into_iter();
    let mut times = [delivery.due_us, delivery.taken_us].into_iter();
    for column in frames.columns() {
        match &mut column.values {
            RecordValues::Real(to) => to.extend(times.next().map(decimal_seconds)),
            RecordValues::Text(to) => to.extend(words.next().map(str::to_owned)),
            RecordValues::Integer(to) => to.push(delivery.frame as i32),
            _ => {}
        }
    }
    frames.end_row()
}

/// Returns formats and folders of the saved frames of all vehicles; each sensor has its own folder.
fn saved(agents: &[AgentModel], vehicles: &[config::VehicleConfig]) -> Vec<Vec<FrameOutput>> {
    let stems = rundir::file_stems(agents.iter().map(|own| own.name.as_str()));
    let all = agents.iter().zip(vehicles).zip(&stems);
    all.map(|((agent, entry), stem)| saved_of(agent, entry, stem)).collect()
}

/// Returns formats and folders of the saved frames of a vehicle's sensors, in the vehicle's folder.
fn saved_of(agent: &AgentModel, entry: &config::VehicleConfig, vehicle: &str) -> Vec<FrameOutput> {
    let of = |(sensor, stem): (&Sensor, String)| {
        // the second camera of a pair saves the same formats as the first
        let is_of = |name: &str| sensor.name == name || left_camera(&sensor.name) == Some(name);
        let config = entry.sensor.iter().find(|config| is_of(&config.name));
        FrameOutput {
            formats: config.map(|config| config.save.clone()).unwrap_or_default(),
            folder: format!("sensors/{vehicle}/{stem}"),
        }
    };
    let stems = rundir::file_stems(agent.sensors.iter().map(|own| own.name.as_str()));
    agent.sensors.iter().zip(stems).map(of).collect()
}

fn of_image(format: FrameFormat, image: &Image) -> Result<Vec<u8>, String> {
    let encoded = match format {
        FrameFormat::Png => frames::png8(image),
        FrameFormat::Png16 => frames::png16(image),
        FrameFormat::Exr => Ok(frames::exr(image)),
        FrameFormat::Pcd | FrameFormat::Las => {
            return Err("an image cannot be written as a point cloud".into());
        }
    };
    encoded.map_err(|error| error.to_string())
}

fn of_cloud(
    format: FrameFormat,
    cloud: &Cloud,
    delivery: &Delivery,
    reference: &str,
) -> Result<Vec<u8>, String> {
    match format {
        FrameFormat::Pcd => Ok(clouds::pcd(cloud, &delivery.pose)),
        FrameFormat::Las => {
            let time = decimal_seconds(delivery.taken_us);
            Ok(clouds::las(cloud, &delivery.pose, time, reference))
        }
        _ => Err("a point cloud cannot be written as an image".into()),
    }
}
