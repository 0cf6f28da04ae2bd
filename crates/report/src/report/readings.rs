//! What sensors deliver, as a run goes on: one MCAP for all, and files of single frames.
//!
//! | topic | message | what |
//! | --- | --- | --- |
//! | `/tf` | foxglove.FrameTransforms | all vehicles in the world, their sensors on them |
//! | `/V/pose` | foxglove.PoseInFrame | chassis frame of vehicle V |
//! | `/V/hit` | bekker.Hit | what it ran into |
//! | `/V/ground` | foxglove.Grid | height and sinkage around it |
//! | `/V/ruts` | foxglove.PointCloud | what of it has sunk, in relief |
//! | `/V/map` | foxglove.Grid | lowest, highest return and class around one that drives itself: 0 unknown, 1 free, 2 obstacle, 3 hole |
//! | `/V/goal`, `/V/route`, `/V/path` | foxglove.PosesInFrame | where it is to go, and how |
//! | `/V/believed` | foxglove.PoseInFrame | where it believes to be |
//! | `/V/S` | foxglove.LocationFix, Odometry, PointCloud; bekker.Imu, MagneticField, WheelTicks, WheelGround | sensor S |
//! | `/V/S/image` | foxglove.CompressedImage | colours of a camera, PNG |
//! | `/V/S/calibration` | foxglove.CameraCalibration | the camera |
//! | `/V/S/depth`, `/V/S/class`, ... | foxglove.RawImage | its other channels |
//!
//! A message's log time is when the reading is delivered, its own timestamp when it was
//! taken, both simulated. Small readings stand in tables too, one a kind (`tables.rs`).
//! Frames of a camera or lidar that is to `save` them go to
//! `sensors/V/S/NUMBER.EXTENSION`; `frames.csv` lists them. What is kept in memory does not grow with the run
//! but for a line a megabyte.

use super::columns::{Column, Values, write_at};
use super::foxglove::{self, GroundPatch, Heading};
use super::growing::Growing;
use super::mcap::Mcap;
use super::tables::Tables;
use super::{ReportError, clouds, file, frames, mcap_read, rundir};
use crate::scenario::config::{self, FrameFormat, StateFormat};
use crate::sensor::camera::{Camera, Image};
use crate::sensor::lidar::Cloud;
use crate::sensor::{Delivery, Model, Reading, Sensor};
use crate::simulation::{AutonomyView, Hit, WorldModel};
use crate::spatial::{Mat3, Pose, Quat, Vec3};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Name of the file of all readings in a run's folder.
pub const MCAP: &str = "sensors.mcap";
/// What the MCAP's open chunk holds, to the last heartbeat: the file itself gets whole
/// chunks only, and an ending that is written over. Gone once the run has ended.
const OPEN: &str = ".sensors.open";
/// Stem of the list of saved frames.
const FRAMES: &str = "frames";
/// Wall time between endings of the MCAP that make it readable for now.
const ENDING: Duration = Duration::from_secs(1);
/// Half the side of a patch of ground around a vehicle, m.
const PATCH: f64 = 8.0;
/// Side of its cells, m.
const CELL: f64 = 0.1;

/// A sensor as its readings are written.
struct Source {
    frame: String,
    mount: Pose,
    /// Of a camera, what it is.
    camera: Option<Camera>,
    save: Vec<FrameFormat>,
    folder: String,
}

/// A vehicle with its sensors.
struct Carrier {
    name: String,
    sensors: Vec<Source>,
}

/// Readings being written.
pub struct Recording {
    folder: PathBuf,
    path: PathBuf,
    mcap: Mcap<BufWriter<fs::File>>,
    /// The same file, for endings that are written over.
    file: fs::File,
    ended: Option<Instant>,
    /// The open chunk on disk: of how many chunks before it, and how much of it.
    open: fs::File,
    opened: (usize, usize),
    descriptors: Vec<u8>,
    schemas: BTreeMap<String, u16>,
    /// Channels of topics and schemas: two sources may have chosen one topic.
    channels: BTreeMap<(String, String), u16>,
    carriers: Vec<Carrier>,
    tables: Tables,
    /// Frames that sensors save, if any does.
    frames: Option<Growing>,
    files: Vec<String>,
}

impl Recording {
    /// Begins the files of a run in its folder, tables of small readings in these
    /// formats, or goes on with them after a time, s; nothing where no vehicle has a
    /// sensor. `about` goes into the MCAP: names, each with texts under keys.
    ///
    /// # Errors
    /// [`ReportError`] when a file cannot be created or gone on with.
    pub fn open(
        folder: &Path,
        model: &WorldModel,
        vehicles: &[config::Vehicle],
        formats: &[StateFormat],
        about: &[(&str, Vec<(String, String)>)],
        after: Option<f64>,
    ) -> Result<Option<Recording>, ReportError> {
        if model.agents.iter().all(|agent| agent.sensors.is_empty()) {
            return Ok(None);
        }
        let carriers = model.agents.iter().zip(vehicles).map(|(agent, entry)| Carrier {
            name: agent.name.clone(),
            sensors: agent.sensors.iter().map(|own| source(&agent.name, own, entry)).collect(),
        });
        let carriers: Vec<Carrier> = carriers.collect();
        let path = folder.join(MCAP);
        file::check_place(&path)?;
        // what is gone on with is read while its follower is written beside it
        let part = folder.join(format!(".{MCAP}.part"));
        let file = file::create(if after.is_some() { &part } else { &path })?;
        let own = file.try_clone().map_err(ReportError::file("create", &path))?;
        let begun = Mcap::new(BufWriter::new(own)).and_then(|mut mcap| {
            about.iter().try_for_each(|(name, texts)| mcap.metadata(name, texts))?;
            Ok(mcap)
        });
        let mut files = Vec::new();
        let saves =
            carriers.iter().flat_map(|carrier| &carrier.sensors).any(|s| !s.save.is_empty());
        let frames = saves.then(|| frames_table(folder, after, &mut files)).transpose()?;
        let place = folder.join(OPEN);
        let beside = folder.join(format!("{OPEN}.part"));
        let before =
            if after.is_some() { fs::read(&place).unwrap_or_default() } else { Vec::new() };
        let open = file::create(if after.is_some() { &beside } else { &place })?;
        let mut recording = Recording {
            mcap: begun.map_err(ReportError::file("write", &path))?,
            folder: folder.to_owned(),
            path,
            file,
            ended: None,
            open,
            opened: (usize::MAX, 0),
            descriptors: foxglove::descriptors(),
            schemas: BTreeMap::new(),
            channels: BTreeMap::new(),
            carriers,
            tables: Tables::open(folder, model, formats, after)?,
            frames,
            files,
        };
        if let Some(time) = after {
            recording.take_over(&before, (1e9 * time).round() as u64)?;
            // in this order: were it killed between, either file has what the other lacks
            recording.note_open()?;
            fs::rename(&beside, &place).map_err(ReportError::file("write", &place))?;
            fs::rename(&part, &recording.path).map_err(ReportError::file("write", &part))?;
        }
        Ok(Some(recording))
    }

    /// Takes over all messages up to a time, ns, from the file that is there and the
    /// chunk that was open.
    fn take_over(&mut self, open: &[u8], until: u64) -> Result<(), ReportError> {
        let path = self.path.clone();
        let before = fs::File::open(&path).map_err(ReportError::file("go on with", &path))?;
        let mut failed = None;
        let read = mcap_read::each(&mut BufReader::new(before), open, &mut |message| {
            if message.time <= until && failed.is_none() {
                let mcap_read::Message { topic, schema, time, data, .. } = message;
                failed = self.message(&topic, &schema, time / 1000, &data).err();
            }
            Ok(())
        });
        read.map_err(ReportError::file("read", &path))?;
        failed.map_or(Ok(()), Err)
    }

    /// Brings all that was taken down to the disk.
    ///
    /// # Errors
    /// [`ReportError`] when a file cannot be written.
    pub fn flush(&mut self) -> Result<(), ReportError> {
        self.tables.flush()?;
        self.frames.as_mut().map_or(Ok(()), Growing::flush)?;
        self.note_open()?;
        if self.ended.is_none_or(|last| last.elapsed() >= ENDING) {
            self.ended = Some(Instant::now());
            let (at, ending) = self.mcap.ending().map_err(ReportError::encode(&self.path))?;
            write_at(&self.file, &ending, at).map_err(ReportError::file("write", &self.path))?;
        }
        Ok(())
    }

    /// Brings the open chunk to the disk, after those before it.
    fn note_open(&mut self) -> Result<(), ReportError> {
        let (chunks, chunk) = (self.mcap.chunks(), self.mcap.open_chunk());
        let place = self.folder.join(OPEN);
        let failed = ReportError::file("write", &place);
        if self.opened == (chunks, chunk.len()) {
            return Ok(());
        }
        if self.opened.0 == chunks {
            let written = self.open.write_all(&chunk[self.opened.1..]);
            written.map_err(failed)?;
        } else {
            let chunk = chunk.to_vec();
            self.mcap.flush().map_err(ReportError::file("write", &self.path))?;
            let written = self
                .open
                .rewind()
                .and_then(|()| self.open.set_len(0))
                .and_then(|()| self.open.write_all(&chunk));
            written.map_err(failed)?;
        }
        self.opened = (chunks, self.mcap.open_chunk().len());
        Ok(())
    }

    /// Adds a message of a type to a topic, delivered at a time, µs.
    fn message(
        &mut self,
        topic: &str,
        schema: &str,
        time_us: u64,
        data: &[u8],
    ) -> Result<(), ReportError> {
        let Recording { mcap, schemas, channels, descriptors, path, .. } = self;
        let key = (topic.to_owned(), schema.to_owned());
        let channel = match channels.get(&key) {
            Some(&channel) => channel,
            None => {
                let schema = *schemas
                    .entry(schema.to_owned())
                    .or_insert_with(|| mcap.schema(schema, descriptors));
                let channel = mcap.channel(schema, topic);
                channels.insert(key, channel);
                channel
            }
        };
        mcap.message(channel, 1000 * time_us, data).map_err(ReportError::file("write", path))
    }

    /// Takes down where vehicles are, each with its index.
    ///
    /// # Errors
    /// [`ReportError`] when the file cannot be written.
    pub fn poses(&mut self, time_us: u64, poses: &[(usize, Pose)]) -> Result<(), ReportError> {
        let mut transforms = Vec::new();
        for &(index, pose) in poses {
            let Carrier { name, sensors } = &self.carriers[index];
            transforms.push(("world".to_owned(), name.clone(), pose));
            for Source { frame, mount, camera, .. } in sensors {
                transforms.push((name.clone(), frame.clone(), *mount));
                if camera.is_some() {
                    transforms.push((frame.clone(), optical(frame), ahead_is_z()));
                }
            }
        }
        let data = foxglove::frame_transforms(time_us, &transforms);
        self.message("/tf", "foxglove.FrameTransforms", time_us, &data)?;
        for &(index, pose) in poses {
            let topic = format!("/{}/pose", self.carriers[index].name);
            let data = foxglove::pose_in_frame(&Heading { time_us, frame: "world" }, &pose);
            self.message(&topic, "foxglove.PoseInFrame", time_us, &data)?;
        }
        Ok(())
    }

    /// Takes down the ground around a vehicle that carries sensors: `ground` gives the
    /// height and the sinkage at a place, m.
    ///
    /// # Errors
    /// [`ReportError`] when the file cannot be written.
    pub fn ground(
        &mut self,
        time_us: u64,
        vehicle: usize,
        around: &Vec3,
        ground: &mut dyn FnMut(f64, f64) -> [f64; 2],
    ) -> Result<(), ReportError> {
        if self.carriers[vehicle].sensors.is_empty() {
            return Ok(());
        }
        let columns = (2.0 * PATCH / CELL).round() as u32;
        let [x, y] = [around.x, around.y].map(|x| ((x - PATCH) / CELL).floor() * CELL);
        let mut cells = Vec::with_capacity((columns * columns) as usize);
        for row in 0..columns {
            for column in 0..columns {
                let [dx, dy] = [column, row].map(|k| (f64::from(k) + 0.5) * CELL);
                cells.push(ground(x + dx, y + dy).map(|value| value as f32));
            }
        }
        let corner = Vec3::new(x, y, around.z);
        let patch = GroundPatch { corner, cell: CELL, columns, cells };
        let topic = format!("/{}/ground", self.carriers[vehicle].name);
        let heading = Heading { time_us, frame: "world" };
        let data = foxglove::grid(&heading, &patch);
        self.message(&topic, "foxglove.Grid", time_us, &data)?;
        let topic = format!("/{}/ruts", self.carriers[vehicle].name);
        self.message(&topic, "foxglove.PointCloud", time_us, &foxglove::ruts(&heading, &patch))
    }

    /// Takes down what a vehicle that drives itself has in mind.
    ///
    /// # Errors
    /// [`ReportError`] when the file cannot be written.
    pub fn autonomy(
        &mut self,
        time_us: u64,
        vehicle: usize,
        view: &AutonomyView,
    ) -> Result<(), ReportError> {
        let name = self.carriers[vehicle].name.clone();
        let heading = Heading { time_us, frame: "world" };
        let height = view.believed.position.z;
        let goal: Vec<[f64; 2]> = view.goal.into_iter().collect();
        for (what, points) in [("goal", &goal), ("route", &view.route), ("path", &view.path)] {
            let data = foxglove::poses_in_frame(&heading, points, height);
            self.message(&format!("/{name}/{what}"), "foxglove.PosesInFrame", time_us, &data)?;
        }
        let data = foxglove::pose_in_frame(&heading, &view.believed);
        self.message(&format!("/{name}/believed"), "foxglove.PoseInFrame", time_us, &data)?;
        let data = foxglove::map_grid(&heading, view);
        self.message(&format!("/{name}/map"), "foxglove.Grid", time_us, &data)
    }

    /// Takes down a hit of a vehicle that is over.
    ///
    /// # Errors
    /// [`ReportError`] when the file cannot be written.
    pub fn hit(
        &mut self,
        time_us: u64,
        vehicle: usize,
        with: &str,
        hit: &Hit,
    ) -> Result<(), ReportError> {
        let topic = format!("/{}/hit", self.carriers[vehicle].name);
        let data = foxglove::hit(&Heading { time_us, frame: "world" }, with, hit);
        self.message(&topic, "bekker.Hit", time_us, &data)
    }

    /// Takes down what a sensor of a vehicle delivered.
    ///
    /// # Errors
    /// [`ReportError`] when a file cannot be written or a picture not be encoded.
    pub fn take(&mut self, vehicle: usize, delivery: &Delivery) -> Result<(), ReportError> {
        self.tables.take(vehicle, delivery)?;
        let Delivery { sensor, taken_us, due_us, ref reading, .. } = *delivery;
        let frame = self.carriers[vehicle].sensors[sensor as usize].frame.clone();
        let topic = format!("/{frame}");
        let heading = Heading { time_us: taken_us, frame: &frame };
        let (schema, data) = match reading {
            Reading::Imu { specific_force, angular_rate } => {
                ("bekker.Imu", foxglove::imu(&heading, specific_force, angular_rate))
            }
            // a receiver without a fix tells nothing
            Reading::Fix(fix) if !fix.valid => return Ok(()),
            Reading::Fix(fix) => ("foxglove.LocationFix", foxglove::location_fix(&heading, fix)),
            Reading::Field(field) => {
                ("bekker.MagneticField", foxglove::magnetic_field(&heading, field))
            }
            Reading::Ticks(ticks) => ("bekker.WheelTicks", foxglove::wheel_ticks(&heading, ticks)),
            Reading::Odometry(odometry) => {
                let world = Heading { time_us: taken_us, frame: "world" };
                ("foxglove.Odometry", foxglove::odometry(&world, &frame, odometry))
            }
            Reading::Ground(wheels) => {
                ("bekker.WheelGround", foxglove::wheel_ground(&heading, wheels))
            }
            Reading::Cloud(cloud) => {
                self.save(vehicle, delivery, &|format| of_cloud(format, cloud, delivery))?;
                ("foxglove.PointCloud", foxglove::point_cloud(&heading, cloud))
            }
            Reading::Image(image) => {
                self.save(vehicle, delivery, &|format| of_image(format, image))?;
                self.calibration(vehicle, sensor as usize, taken_us, due_us)?;
                return self.image(&topic, taken_us, due_us, image);
            }
        };
        self.message(&topic, schema, due_us, &data)
    }

    /// Takes down what a camera is, beside each of its pictures.
    fn calibration(
        &mut self,
        vehicle: usize,
        sensor: usize,
        taken_us: u64,
        due_us: u64,
    ) -> Result<(), ReportError> {
        let source = &self.carriers[vehicle].sensors[sensor];
        let (frame, topic) = (optical(&source.frame), format!("/{}/calibration", source.frame));
        let heading = Heading { time_us: taken_us, frame: &frame };
        let camera = source.camera.as_ref();
        match camera.and_then(|camera| foxglove::camera_calibration(&heading, camera)) {
            Some(data) => self.message(&topic, "foxglove.CameraCalibration", due_us, &data),
            None => Ok(()),
        }
    }

    /// Takes down the channels of a picture.
    fn image(
        &mut self,
        topic: &str,
        taken_us: u64,
        due_us: u64,
        image: &Image,
    ) -> Result<(), ReportError> {
        let frame = optical(&topic[1..]);
        let heading = Heading { time_us: taken_us, frame: &frame };
        if !image.colour.is_empty() {
            let encoded = frames::png8(image).map_err(ReportError::encode(&self.path))?;
            let data = foxglove::compressed_image(&heading, &encoded);
            let topic = format!("{topic}/image");
            self.message(&topic, "foxglove.CompressedImage", due_us, &data)?;
        }
        let size = [image.width, image.height];
        for (name, encoding, data) in raw_channels(image) {
            let data = foxglove::raw_image(&heading, size, encoding, &data);
            let topic = format!("{topic}/{name}");
            self.message(&topic, "foxglove.RawImage", due_us, &data)?;
        }
        Ok(())
    }

    /// Writes a frame's own files, in the formats its sensor is to save.
    fn save(
        &mut self,
        vehicle: usize,
        delivery: &Delivery,
        encode: &dyn Fn(FrameFormat) -> Result<Vec<u8>, String>,
    ) -> Result<(), ReportError> {
        let source = &self.carriers[vehicle].sensors[delivery.sensor as usize];
        for &format in &source.save {
            let ending = match format {
                FrameFormat::Png => "png",
                FrameFormat::Png16 => "16.png",
                FrameFormat::Exr => "exr",
                FrameFormat::Pcd => "pcd",
                FrameFormat::Las => "las",
            };
            let name = format!("{}/{:06}.{ending}", source.folder, delivery.frame);
            let path = self.folder.join(&name);
            let folder = self.folder.join(&source.folder);
            fs::create_dir_all(&folder).map_err(ReportError::file("create folder", &folder))?;
            let bytes = encode(format).map_err(ReportError::encode(&path))?;
            file::write(&path, &bytes)?;
            if let Some(frames) = &mut self.frames {
                list_frame(frames, self.carriers[vehicle].name.as_str(), delivery, &name)?;
            }
            self.files.push(name);
        }
        Ok(())
    }

    /// Ends the files; their names in the run's folder.
    ///
    /// # Errors
    /// [`ReportError`] when a file cannot be written.
    pub fn finish(self) -> Result<Vec<String>, ReportError> {
        // its last chunk goes over the ending that was written for now
        let Recording { mcap, path, folder, tables, mut files, frames, file, .. } = self;
        let ended = mcap.finish().and_then(|mut written| {
            let end = written.stream_position()?;
            file.set_len(end)?;
            file.sync_all()
        });
        ended.map_err(ReportError::file("write", &path))?;
        file::remove(&folder.join(OPEN))?;
        files.insert(0, MCAP.to_owned());
        files.extend(tables.finish()?);
        files.extend(frames.map_or(Ok(Vec::new()), Growing::finish)?);
        Ok(files)
    }
}

/// The list of saved frames, begun or gone on with after a time, s. `files` gets those
/// that stand in it; frames that were saved later are removed, for they come again.
fn frames_table(
    folder: &Path,
    after: Option<f64>,
    files: &mut Vec<String>,
) -> Result<Growing, ReportError> {
    let column = |name: &str, values| Column { name: name.to_owned(), values };
    let columns = vec![
        column("time_s", Values::Real(Vec::new())),
        column("taken_s", Values::Real(Vec::new())),
        column("name", Values::Text(Vec::new())),
        column("frame", Values::Integer(Vec::new())),
        column("file", Values::Text(Vec::new())),
    ];
    let formats = &[StateFormat::Csv];
    let Some(time) = after else { return Growing::begin(folder, FRAMES, columns, formats) };
    let path = folder.join(format!("{FRAMES}.csv"));
    let all = fs::read(&path).map_err(ReportError::file("read", &path))?;
    let mut visit = |row: &csv::StringRecord| files.extend(row.get(4).map(str::to_owned));
    let table = Growing::resume(folder, FRAMES, columns, formats, time, &mut visit)?;
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
    frames: &mut Growing,
    vehicle: &str,
    delivery: &Delivery,
    file: &str,
) -> Result<(), ReportError> {
    let mut words = [vehicle, file].into_iter();
    let mut times = [delivery.due_us, delivery.taken_us].into_iter();
    for column in frames.columns() {
        match &mut column.values {
            Values::Real(to) => to.extend(times.next().map(|time| 1e-6 * time as f64)),
            Values::Text(to) => to.extend(words.next().map(str::to_owned)),
            Values::Integer(to) => to.push(delivery.frame as i32),
            _ => {}
        }
    }
    frames.end_row()
}

fn source(vehicle: &str, sensor: &Sensor, entry: &config::Vehicle) -> Source {
    // the second of a pair of cameras saves what the first does
    let is_of = |name: &str| sensor.name == name || sensor.name == format!("{name}_right");
    let config = entry.sensor.iter().find(|config| is_of(&config.name));
    let stem = rundir::file_stem;
    Source {
        frame: format!("{vehicle}/{}", sensor.name),
        mount: sensor.mount,
        camera: match &sensor.model {
            Model::Camera(spec) => Camera::of(spec),
            _ => None,
        },
        save: config.map(|config| config.save.clone()).unwrap_or_default(),
        folder: format!("sensors/{}/{}", stem(vehicle), stem(&sensor.name)),
    }
}

fn optical(frame: &str) -> String {
    format!("{frame}/optical")
}

/// Axes right, down and ahead in axes ahead, left and up.
fn ahead_is_z() -> Pose {
    let axes = Mat3::from_columns(&[-Vec3::y(), -Vec3::z(), Vec3::x()]);
    let turn = nalgebra::Rotation3::from_matrix_unchecked(axes);
    Pose { orientation: Quat::from_rotation_matrix(&turn), ..Pose::default() }
}

/// Channels of a picture but its colour: name, Foxglove's encoding, bytes.
fn raw_channels(image: &Image) -> Vec<(&'static str, &'static str, Vec<u8>)> {
    fn bytes<T: Copy, const N: usize>(values: &[T], of: impl Fn(T) -> [u8; N]) -> Vec<u8> {
        values.iter().flat_map(|&value| of(value)).collect()
    }
    let direction = |normal: [f32; 3]| normal.map(|x| (127.5 * (x + 1.0)).round() as u8);
    let mut all = vec![
        ("depth", "32FC1", bytes(&image.depth, f32::to_le_bytes)),
        ("normal", "rgb8", bytes(&image.normal, direction)),
        ("class", "mono8", image.class.clone()),
        ("instance", "mono16", bytes(&image.instance, u16::to_le_bytes)),
        ("soil", "mono8", image.soil.clone()),
        ("sinkage", "32FC1", bytes(&image.sinkage, f32::to_le_bytes)),
        ("slip", "32FC1", bytes(&image.slip, f32::to_le_bytes)),
        ("passes", "mono16", bytes(&image.passes, u16::to_le_bytes)),
        ("agent", "mono16", bytes(&image.agent, u16::to_le_bytes)),
    ];
    all.retain(|(_, _, data)| !data.is_empty());
    all
}

fn of_image(format: FrameFormat, image: &Image) -> Result<Vec<u8>, String> {
    let encoded = match format {
        FrameFormat::Png => frames::png8(image),
        FrameFormat::Png16 => frames::png16(image),
        FrameFormat::Exr => Ok(frames::exr(image)),
        FrameFormat::Pcd | FrameFormat::Las => return Err("a picture is no point cloud".into()),
    };
    encoded.map_err(|error| error.to_string())
}

fn of_cloud(format: FrameFormat, cloud: &Cloud, delivery: &Delivery) -> Result<Vec<u8>, String> {
    match format {
        FrameFormat::Pcd => Ok(clouds::pcd(cloud, &delivery.pose)),
        FrameFormat::Las => Ok(clouds::las(cloud, &delivery.pose, delivery.taken_us as f64 * 1e-6)),
        _ => Err("a point cloud is no picture".into()),
    }
}
