//! Messages on topics, recorded in the MCAP and sent live.
//!
//! | topic | message | content |
//! | --- | --- | --- |
//! | `/tf` | foxglove.FrameTransforms | poses of all vehicles in the world, and of their sensors on them |
//! | `/V/pose` | foxglove.PoseInFrame | chassis frame of vehicle V |
//! | `/V/hit` | bekker.Hit | a collision of the vehicle |
//! | `/V/state` | bekker.VehicleState | speed, angles, controls, wheels and motors, with `output.states = ["mcap"]` |
//! | `/V/ground` | foxglove.Grid | height and sinkage around the vehicle |
//! | `/V/ruts` | foxglove.PointCloud | deformed part of that ground, as points in space |
//! | `/V/map` | foxglove.Grid | lowest and highest return and class around an autonomous vehicle: 0 unknown, 1 free, 2 obstacle, 3 hole |
//! | `/V/goal`, `/V/route`, `/V/path` | foxglove.PosesInFrame | its goal, route and path |
//! | `/V/believed` | foxglove.PoseInFrame | its pose as estimated by it |
//! | `/V/S` | foxglove.LocationFix, Odometry, PointCloud; bekker.Imu, MagneticField, WheelTicks, WheelGround | reading of sensor S |
//! | `/V/S/image` | foxglove.CompressedImage | colors of a camera, PNG |
//! | `/V/S/calibration` | foxglove.CameraCalibration | calibration of a camera |
//! | `/V/S/depth`, `/V/S/class`, ... | foxglove.RawImage | other channels of a camera |
//!
//! The time of a message is that of the reading's delivery; its own timestamp is that of the
//! measurement. Both are simulated times.

use super::foxglove::{self, GroundPatch, Heading};
use super::{ReportError, frames};
use bekker_agent::{Collision, Sample};
use bekker_ground::{HeightSampler, nearest_sinkage};
use bekker_math::spatial::{Mat3, Pose, Quat, Vec3};
use bekker_sensor::camera::{Camera, Image};
use bekker_sensor::{Delivery, Model, Reading};
use bekker_world::{AutonomyView, World, WorldModel};
use rayon::prelude::*;
use std::path::Path;

/// Half the side of the patch of ground around a vehicle, m.
const PATCH: f64 = 8.0;
/// Side of a cell of the patch, m.
const CELL: f64 = 0.1;
/// Number of patches that are computed in parallel and in memory at a time, 0.5 MB each.
const TOGETHER: usize = 32;

/// A message on a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicMessage<'a> {
    /// Name of the topic.
    pub topic: &'a str,
    /// Name of the message's type.
    pub schema: &'a str,
    /// Time of delivery, µs.
    pub time_us: u64,
    /// The message in Protocol Buffers.
    pub data: &'a [u8],
}

/// Receiver of messages.
type MessageSink<'a> = dyn FnMut(TopicMessage<'_>) -> Result<(), ReportError> + 'a;

/// Returns a `FileDescriptorSet` of all types, in Protocol Buffers.
pub fn descriptors() -> Vec<u8> {
    foxglove::descriptors()
}

/// Returns a `FileDescriptorSet` of the type of a message and of those in it.
pub(super) fn descriptors_of(schema: &str) -> Vec<u8> {
    match schema {
        foxglove::VEHICLE_STATE => foxglove::state_descriptors(),
        _ => foxglove::descriptors(),
    }
}

/// Name of a vehicle's collision partner: a vehicle, or an obstacle with its number.
pub fn counterpart_name(world: &World, hit: &Collision) -> String {
    super::hits::counterpart(world, hit)
}

/// A sensor as a source of messages.
struct SensorSource {
    frame: String,
    /// Frame of a camera's pictures, to which its projection refers.
    pictures: String,
    mount: Pose,
    /// Parameters of a camera, for calibration messages.
    camera: Option<Camera>,
}

/// A vehicle with its sensors.
struct VehicleSource {
    name: String,
    sensors: Vec<SensorSource>,
}

/// Encoder of the messages of a run.
pub struct TopicEncoder {
    carriers: Vec<VehicleSource>,
}

impl TopicEncoder {
    /// Creates the encoder for the vehicles of a world.
    pub fn new(model: &WorldModel) -> TopicEncoder {
        let source = |vehicle: &str, sensor: &bekker_sensor::Sensor| SensorSource {
            frame: format!("{vehicle}/{}", sensor.name),
            pictures: optical(&format!("{vehicle}/{}", sensor.picture_frame())),
            mount: sensor.mount,
            camera: match &sensor.model {
                Model::Camera(spec) => Camera::from_spec(spec),
                _ => None,
            },
        };
        let carriers = model.agents.iter().map(|agent| VehicleSource {
            name: agent.name.clone(),
            sensors: agent.sensors.iter().map(|own| source(&agent.name, own)).collect(),
        });
        TopicEncoder { carriers: carriers.collect() }
    }

    /// Name of a vehicle.
    pub(super) fn name(&self, vehicle: usize) -> &str {
        &self.carriers[vehicle].name
    }

    /// Sends the poses of vehicles, each with its index.
    ///
    /// # Errors
    /// Passes on the errors of the receiver.
    pub fn poses(
        &self,
        time_us: u64,
        poses: &[(usize, Pose)],
        to: &mut MessageSink<'_>,
    ) -> Result<(), ReportError> {
        let mut transforms = Vec::new();
        for &(index, pose) in poses {
            let VehicleSource { name, sensors } = &self.carriers[index];
            transforms.push(("world".to_owned(), name.clone(), pose));
            for SensorSource { frame, mount, camera, .. } in sensors {
                transforms.push((name.clone(), frame.clone(), *mount));
                if camera.is_some() {
                    transforms.push((frame.clone(), optical(frame), ahead_is_z()));
                }
            }
        }
        let data = foxglove::frame_transforms(time_us, &transforms);
        send(to, "/tf", "foxglove.FrameTransforms", time_us, &data)?;
        for &(index, pose) in poses {
            let topic = format!("/{}/pose", self.carriers[index].name);
            let data = foxglove::pose_in_frame(&Heading { time_us, frame: "world" }, &pose);
            send(to, &topic, "foxglove.PoseInFrame", time_us, &data)?;
        }
        Ok(())
    }

    /// Sends the state of a vehicle.
    pub(super) fn state(
        &self,
        time_us: u64,
        sample: &Sample,
        to: &mut MessageSink<'_>,
    ) -> Result<(), ReportError> {
        let name = &self.carriers[sample.vehicle].name;
        let data = foxglove::vehicle_state(&Heading { time_us, frame: name }, sample);
        send(to, &format!("/{name}/state"), foxglove::VEHICLE_STATE, time_us, &data)
    }

    /// Sends the ground around the vehicles that carry sensors.
    ///
    /// # Errors
    /// Passes on the errors of the receiver.
    pub fn ground(
        &self,
        world: &World,
        samples: &[Sample],
        to: &mut MessageSink<'_>,
    ) -> Result<(), ReportError> {
        let time_us = world.model().clock.micros(world.state().tick);
        let looks = |sample: &&Sample| !self.carriers[sample.vehicle].sensors.is_empty();
        let looking: Vec<&Sample> = samples.iter().filter(looks).collect();
        for looking in looking.chunks(TOGETHER) {
            let heading = Heading { time_us, frame: "world" };
            let told = looking.par_iter().map(|sample| {
                let patch = patch(world, &sample.pose.position);
                (sample.vehicle, foxglove::grid(&heading, &patch), foxglove::ruts(&heading, &patch))
            });
            for (vehicle, grid, ruts) in told.collect::<Vec<_>>() {
                let name = &self.carriers[vehicle].name;
                send(to, &format!("/{name}/ground"), "foxglove.Grid", time_us, &grid)?;
                send(to, &format!("/{name}/ruts"), "foxglove.PointCloud", time_us, &ruts)?;
            }
        }
        Ok(())
    }

    /// Sends the internal state of an autonomous vehicle.
    ///
    /// # Errors
    /// Passes on the errors of the receiver.
    pub fn autonomy(
        &self,
        time_us: u64,
        vehicle: usize,
        view: &AutonomyView,
        to: &mut MessageSink<'_>,
    ) -> Result<(), ReportError> {
        let name = self.carriers[vehicle].name.clone();
        let heading = Heading { time_us, frame: "world" };
        let height = view.believed.position.z;
        let goal: Vec<[f64; 2]> = view.goal.into_iter().collect();
        for (what, points) in [("goal", &goal), ("route", &view.route), ("path", &view.path)] {
            let data = foxglove::poses_in_frame(&heading, points, height);
            send(to, &format!("/{name}/{what}"), "foxglove.PosesInFrame", time_us, &data)?;
        }
        let data = foxglove::pose_in_frame(&heading, &view.believed);
        send(to, &format!("/{name}/believed"), "foxglove.PoseInFrame", time_us, &data)?;
        let data = foxglove::map_grid(&heading, view);
        send(to, &format!("/{name}/map"), "foxglove.Grid", time_us, &data)
    }

    /// Sends a completed collision of a vehicle.
    ///
    /// # Errors
    /// Passes on the errors of the receiver.
    pub fn hit(
        &self,
        time_us: u64,
        vehicle: usize,
        with: &str,
        hit: &Collision,
        to: &mut MessageSink<'_>,
    ) -> Result<(), ReportError> {
        let topic = format!("/{}/hit", self.carriers[vehicle].name);
        let data = foxglove::hit(&Heading { time_us, frame: "world" }, with, hit);
        send(to, &topic, "bekker.Hit", time_us, &data)
    }

    /// Sends a reading delivered by a sensor of a vehicle.
    ///
    /// # Errors
    /// Passes on the errors of the receiver; [`ReportError`] if a picture cannot be encoded.
    pub fn delivered(
        &self,
        vehicle: usize,
        delivery: &Delivery,
        to: &mut MessageSink<'_>,
    ) -> Result<(), ReportError> {
        let Delivery { sensor, taken_us, due_us, ref reading, .. } = *delivery;
        let frame = self.carriers[vehicle].sensors[sensor as usize].frame.clone();
        let topic = format!("/{frame}");
        let heading = Heading { time_us: taken_us, frame: &frame };
        let (schema, data) = match reading {
            Reading::Imu { specific_force, angular_rate } => {
                ("bekker.Imu", foxglove::imu(&heading, specific_force, angular_rate))
            }
            // a receiver without a fix sends nothing
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
                ("foxglove.PointCloud", foxglove::point_cloud(&heading, cloud))
            }
            Reading::Image(image) => {
                self.calibration(vehicle, sensor as usize, taken_us, due_us, to)?;
                let frame = &self.carriers[vehicle].sensors[sensor as usize].pictures;
                let heading = Heading { time_us: taken_us, frame };
                return image_channels(&topic, &heading, due_us, image, to);
            }
        };
        send(to, &topic, schema, due_us, &data)
    }

    /// Sends the calibration of a camera, with each of its pictures.
    fn calibration(
        &self,
        vehicle: usize,
        sensor: usize,
        taken_us: u64,
        due_us: u64,
        to: &mut MessageSink<'_>,
    ) -> Result<(), ReportError> {
        let source = &self.carriers[vehicle].sensors[sensor];
        let topic = format!("/{}/calibration", source.frame);
        let heading = Heading { time_us: taken_us, frame: &source.pictures };
        let camera = source.camera.as_ref();
        match camera.and_then(|camera| foxglove::camera_calibration(&heading, camera)) {
            Some(data) => send(to, &topic, "foxglove.CameraCalibration", due_us, &data),
            None => Ok(()),
        }
    }
}

/// Returns the ground around a position.
fn patch(world: &World, around: &Vec3) -> GroundPatch {
    let (ground, published) = (&world.model().ground, &world.state().published);
    let mut survey = HeightSampler::new(ground, published);
    let columns = (2.0 * PATCH / CELL).round() as u32;
    let [x, y] = [around.x, around.y].map(|x| ((x - PATCH) / CELL).floor() * CELL);
    let mut cells = Vec::with_capacity((columns * columns) as usize);
    for row in 0..columns {
        for column in 0..columns {
            let [dx, dy] = [column, row].map(|k| (f64::from(k) + 0.5) * CELL);
            let (x, y) = (x + dx, y + dy);
            let told = [survey.height(x, y), nearest_sinkage(ground, published, x, y)];
            cells.push(told.map(|value| value as f32));
        }
    }
    GroundPatch { corner: Vec3::new(x, y, around.z), cell: CELL, columns, cells }
}

/// Sends a message.
fn send(
    to: &mut MessageSink<'_>,
    topic: &str,
    schema: &str,
    time_us: u64,
    data: &[u8],
) -> Result<(), ReportError> {
    to(TopicMessage { topic, schema, time_us, data })
}

/// Sends the channels of a picture.
fn image_channels(
    topic: &str,
    heading: &Heading<'_>,
    due_us: u64,
    image: &Image,
    to: &mut MessageSink<'_>,
) -> Result<(), ReportError> {
    if !image.color.is_empty() {
        let encoded = frames::png8(image).map_err(ReportError::encode(Path::new("an image")))?;
        let data = foxglove::compressed_image(heading, &encoded);
        let topic = format!("{topic}/image");
        send(to, &topic, "foxglove.CompressedImage", due_us, &data)?;
    }
    let size = [image.width, image.height];
    for (name, encoding, data) in raw_channels(image) {
        let data = foxglove::raw_image(heading, size, encoding, &data);
        let topic = format!("{topic}/{name}");
        send(to, &topic, "foxglove.RawImage", due_us, &data)?;
    }
    Ok(())
}

fn optical(frame: &str) -> String {
    format!("{frame}/optical")
}

/// Rotation from axes x forward, y left, z up to axes x right, y down, z forward.
fn ahead_is_z() -> Pose {
    let axes = Mat3::from_columns(&[-Vec3::y(), -Vec3::z(), Vec3::x()]);
    let turn = nalgebra::Rotation3::from_matrix_unchecked(axes);
    Pose { orientation: Quat::from_rotation_matrix(&turn), ..Pose::default() }
}

/// Returns the channels of a picture except color: name, Foxglove's encoding, bytes.
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
