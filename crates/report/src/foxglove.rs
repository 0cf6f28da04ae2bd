//! Messages that Foxglove and Rerun display natively.
//!
//! They are the Foxglove schemas in Protocol Buffers
//! (<https://docs.foxglove.dev/docs/sdk/schemas>), and bekker's schemas where Foxglove has none;
//! both programs plot those.
//!
//! Times are simulated times, relative to the start of 1970. Frames are `world` (east, north, up),
//! the vehicle's name for its chassis and `VEHICLE/SENSOR` for a sensor. Pictures of a camera are
//! in `VEHICLE/SENSOR/optical` (x right, y down, z forward). Those of the right camera of a pair
//! are in the frame of the left one, as in ROS.

use super::protobuf::{FieldKind, File, ProtoMessage, Type, describe, many, one};
use bekker_agent::{Collision, Sample};
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_sensor::camera::{Camera, Lens};
use bekker_sensor::lidar::Cloud;
use bekker_sensor::{Fix, Odometry, WheelGround};
use bekker_world::{AutonomyView, CellView};

/// Returns a type without a nested enumeration.
const fn plain<'a>(name: &'a str, fields: &'a [super::protobuf::ProtoField<'a>]) -> Type<'a> {
    Type { name, fields, enumeration: None }
}

const STAMP: FieldKind = FieldKind::Message("google.protobuf.Timestamp");
const VECTOR: FieldKind = FieldKind::Message("foxglove.Vector3");
const ELEMENT: FieldKind = FieldKind::Message("foxglove.PackedElementField");

const TIME: File = File {
    name: "google/protobuf/timestamp.proto",
    package: "google.protobuf",
    needs: &[],
    types: &[plain(
        "Timestamp",
        &[one(1, "seconds", FieldKind::Int64), one(2, "nanos", FieldKind::Int32)],
    )],
};

const XYZ: &[super::protobuf::ProtoField] = &[
    one(1, "x", FieldKind::Double),
    one(2, "y", FieldKind::Double),
    one(3, "z", FieldKind::Double),
];

const FOXGLOVE: File = File {
    name: "foxglove.proto",
    package: "foxglove",
    needs: &["google/protobuf/timestamp.proto"],
    types: &[
        plain("Vector2", &[one(1, "x", FieldKind::Double), one(2, "y", FieldKind::Double)]),
        plain("Vector3", XYZ),
        plain(
            "Quaternion",
            &[
                one(1, "x", FieldKind::Double),
                one(2, "y", FieldKind::Double),
                one(3, "z", FieldKind::Double),
                one(4, "w", FieldKind::Double),
            ],
        ),
        plain(
            "Pose",
            &[
                one(1, "position", VECTOR),
                one(2, "orientation", FieldKind::Message("foxglove.Quaternion")),
            ],
        ),
        plain(
            "PoseInFrame",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                one(3, "pose", FieldKind::Message("foxglove.Pose")),
            ],
        ),
        plain(
            "PosesInFrame",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                many(3, "poses", FieldKind::Message("foxglove.Pose")),
            ],
        ),
        plain(
            "FrameTransform",
            &[
                one(1, "timestamp", STAMP),
                one(2, "parent_frame_id", FieldKind::Text),
                one(3, "child_frame_id", FieldKind::Text),
                one(4, "translation", VECTOR),
                one(5, "rotation", FieldKind::Message("foxglove.Quaternion")),
            ],
        ),
        plain(
            "FrameTransforms",
            &[many(1, "transforms", FieldKind::Message("foxglove.FrameTransform"))],
        ),
        plain(
            "Odometry",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                one(3, "body_frame_id", FieldKind::Text),
                one(4, "pose", FieldKind::Message("foxglove.Pose")),
                one(5, "linear_velocity", VECTOR),
                one(6, "angular_velocity", VECTOR),
            ],
        ),
        Type {
            name: "LocationFix",
            fields: &[
                one(6, "timestamp", STAMP),
                one(7, "frame_id", FieldKind::Text),
                one(1, "latitude", FieldKind::Double),
                one(2, "longitude", FieldKind::Double),
                one(3, "altitude", FieldKind::Double),
                many(4, "position_covariance", FieldKind::Double),
                one(
                    5,
                    "position_covariance_type",
                    FieldKind::Enum("foxglove.LocationFix.PositionCovarianceType"),
                ),
                one(11, "velocity", VECTOR),
            ],
            enumeration: Some((
                "PositionCovarianceType",
                &["UNKNOWN", "APPROXIMATED", "DIAGONAL_KNOWN", "KNOWN"],
            )),
        },
        Type {
            name: "PackedElementField",
            fields: &[
                one(1, "name", FieldKind::Text),
                one(2, "offset", FieldKind::Fixed32),
                one(3, "type", FieldKind::Enum("foxglove.PackedElementField.NumericType")),
            ],
            enumeration: Some((
                "NumericType",
                &[
                    "UNKNOWN", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "FLOAT32",
                    "FLOAT64",
                ],
            )),
        },
        plain(
            "PointCloud",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                one(3, "pose", FieldKind::Message("foxglove.Pose")),
                one(4, "point_stride", FieldKind::Fixed32),
                many(5, "fields", ELEMENT),
                one(6, "data", FieldKind::Bytes),
            ],
        ),
        plain(
            "Grid",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                one(3, "pose", FieldKind::Message("foxglove.Pose")),
                one(4, "column_count", FieldKind::Fixed32),
                one(5, "cell_size", FieldKind::Message("foxglove.Vector2")),
                one(6, "row_stride", FieldKind::Fixed32),
                one(7, "cell_stride", FieldKind::Fixed32),
                many(8, "fields", ELEMENT),
                one(9, "data", FieldKind::Bytes),
            ],
        ),
        plain(
            "CompressedImage",
            &[
                one(1, "timestamp", STAMP),
                one(4, "frame_id", FieldKind::Text),
                one(2, "data", FieldKind::Bytes),
                one(3, "format", FieldKind::Text),
            ],
        ),
        plain(
            "CameraCalibration",
            &[
                one(1, "timestamp", STAMP),
                one(9, "frame_id", FieldKind::Text),
                one(2, "width", FieldKind::Fixed32),
                one(3, "height", FieldKind::Fixed32),
                one(4, "distortion_model", FieldKind::Text),
                many(5, "D", FieldKind::Double),
                many(6, "K", FieldKind::Double),
                many(7, "R", FieldKind::Double),
                many(8, "P", FieldKind::Double),
            ],
        ),
        plain(
            "RawImage",
            &[
                one(1, "timestamp", STAMP),
                one(7, "frame_id", FieldKind::Text),
                one(2, "width", FieldKind::Fixed32),
                one(3, "height", FieldKind::Fixed32),
                one(4, "encoding", FieldKind::Text),
                one(5, "step", FieldKind::Fixed32),
                one(6, "data", FieldKind::Bytes),
            ],
        ),
    ],
};

const OWN: File = File {
    name: "bekker.proto",
    package: "bekker",
    needs: &["google/protobuf/timestamp.proto", "foxglove.proto"],
    types: &[
        plain(
            "Imu",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                one(3, "linear_acceleration", VECTOR),
                one(4, "angular_velocity", VECTOR),
            ],
        ),
        plain(
            "MagneticField",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                one(3, "magnetic_field", VECTOR),
            ],
        ),
        plain(
            "WheelTicks",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                many(3, "ticks", FieldKind::Int64),
            ],
        ),
        plain(
            "Hit",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                one(3, "with", FieldKind::Text),
                one(4, "place", VECTOR),
                one(5, "impulse", FieldKind::Double),
                one(6, "energy", FieldKind::Double),
                one(7, "peak", FieldKind::Double),
                one(8, "began", FieldKind::Double),
                one(9, "broke", FieldKind::Double),
            ],
        ),
        plain(
            "Wheel",
            &[
                one(1, "sinkage", FieldKind::Double),
                one(2, "slip", FieldKind::Double),
                one(3, "force", VECTOR),
                one(4, "pressure", FieldKind::Double),
            ],
        ),
        plain(
            "WheelGround",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                many(3, "wheels", FieldKind::Message("bekker.Wheel")),
            ],
        ),
    ],
};

/// Name of the schema of vehicle states.
pub(super) const VEHICLE_STATE: &str = "bekker.VehicleState";

const STATE: File = File {
    name: "bekker_state.proto",
    package: "bekker",
    needs: &["google/protobuf/timestamp.proto"],
    types: &[
        plain(
            "WheelState",
            &[
                one(1, "spin", FieldKind::Double),
                one(2, "torque", FieldKind::Double),
                one(3, "sinkage", FieldKind::Double),
                one(4, "slip", FieldKind::Double),
                one(5, "load", FieldKind::Double),
                one(6, "traction", FieldKind::Double),
                one(7, "lateral", FieldKind::Double),
            ],
        ),
        plain(
            "VehicleState",
            &[
                one(1, "timestamp", STAMP),
                one(2, "frame_id", FieldKind::Text),
                one(3, "speed", FieldKind::Double),
                one(4, "roll", FieldKind::Double),
                one(5, "pitch", FieldKind::Double),
                one(6, "yaw", FieldKind::Double),
                one(7, "throttle", FieldKind::Double),
                one(8, "brake", FieldKind::Double),
                one(9, "steering", FieldKind::Double),
                many(10, "wheels", FieldKind::Message("bekker.WheelState")),
                many(11, "motor_currents", FieldKind::Double),
            ],
        ),
    ],
};

/// Returns the descriptors of the messages of this module but vehicle states.
pub(super) fn descriptors() -> Vec<u8> {
    describe(&[TIME, FOXGLOVE, OWN])
}

/// Returns the descriptors of vehicle states.
///
/// They are apart so that files without them keep their bytes.
pub(super) fn state_descriptors() -> Vec<u8> {
    describe(&[TIME, STATE])
}

/// Time and frame of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heading<'a> {
    /// Simulated time, µs.
    pub time_us: u64,
    /// Name of the frame.
    pub frame: &'a str,
}

impl Heading<'_> {
    fn stamp(&self) -> ProtoMessage {
        let nanos = self.time_us % 1_000_000 * 1000;
        ProtoMessage::default().integer(1, self.time_us / 1_000_000).integer(2, nanos)
    }

    /// Returns a message with its time in field `time` and its frame in field `frame`.
    fn message(&self, time: u32, frame: u32) -> ProtoMessage {
        ProtoMessage::default().message(time, self.stamp()).text(frame, self.frame)
    }
}

fn vector(v: &Vec3) -> ProtoMessage {
    ProtoMessage::default().double(1, v.x).double(2, v.y).double(3, v.z)
}

fn quaternion(q: &Quat) -> ProtoMessage {
    ProtoMessage::default().double(1, q.i).double(2, q.j).double(3, q.k).double(4, q.w)
}

fn pose(pose: &Pose) -> ProtoMessage {
    ProtoMessage::default()
        .message(1, vector(&pose.position))
        .message(2, quaternion(&pose.orientation))
}

/// Pose of a vehicle in the world.
pub(super) fn pose_in_frame(heading: &Heading<'_>, of: &Pose) -> Vec<u8> {
    heading.message(1, 2).message(3, pose(of)).0
}

/// Transforms between frames: (parent, child, pose of the child in the parent).
pub(super) fn frame_transforms(time_us: u64, frames: &[(String, String, Pose)]) -> Vec<u8> {
    let mut all = ProtoMessage::default();
    for (frame, child, pose) in frames {
        let one = Heading { time_us, frame }
            .message(1, 2)
            .text(3, child)
            .message(4, vector(&pose.position))
            .message(5, quaternion(&pose.orientation));
        all = all.message(1, one);
    }
    all.0
}

/// Odometry of a sensor's frame in the world.
pub(super) fn odometry(heading: &Heading<'_>, child: &str, of: &Odometry) -> Vec<u8> {
    heading
        .message(1, 2)
        .text(3, child)
        .message(4, pose(&of.pose))
        .message(5, vector(&of.velocity))
        .message(6, vector(&of.angular_velocity))
        .0
}

/// A satellite fix, in degrees, with its velocity east, north and up, m/s.
pub(super) fn location_fix(heading: &Heading<'_>, fix: &Fix) -> Vec<u8> {
    let Fix { place, velocity, variance, .. } = fix;
    let [e, n, u] = [variance.x, variance.y, variance.z];
    heading
        .message(6, 7)
        .double(1, place.latitude.to_degrees())
        .double(2, place.longitude.to_degrees())
        .double(3, place.altitude)
        .doubles(4, &[e, 0.0, 0.0, 0.0, n, 0.0, 0.0, 0.0, u])
        .integer(5, 2)
        .message(11, vector(velocity))
        .0
}

/// Specific force, m/s², and angular rate, rad/s.
pub(super) fn imu(heading: &Heading<'_>, specific_force: &Vec3, angular_rate: &Vec3) -> Vec<u8> {
    let (force, rate) = (vector(specific_force), vector(angular_rate));
    heading.message(1, 2).message(3, force).message(4, rate).0
}

/// Magnetic field.
pub(super) fn magnetic_field(heading: &Heading<'_>, field: &Vec3) -> Vec<u8> {
    heading.message(1, 2).message(3, vector(field)).0
}

/// Ticks of the wheels.
pub(super) fn wheel_ticks(heading: &Heading<'_>, ticks: &[i64]) -> Vec<u8> {
    heading.message(1, 2).integers(3, ticks).0
}

/// A collision of a vehicle.
pub(super) fn hit(heading: &Heading<'_>, with: &str, hit: &Collision) -> Vec<u8> {
    let message = heading.message(1, 2).text(3, with).message(4, vector(&hit.place));
    let numbers = [hit.impulse, hit.energy, hit.peak, hit.time, f64::from(u8::from(hit.broke))];
    (5..).zip(numbers).fold(message, |message, (field, number)| message.double(field, number)).0
}

/// A vehicle's state, in SI units, with the currents of motors by side or by wheel.
pub(super) fn vehicle_state(heading: &Heading<'_>, sample: &Sample) -> Vec<u8> {
    let message = heading
        .message(1, 2)
        .double(3, sample.speed)
        .double(4, sample.pose.roll())
        .double(5, sample.pose.pitch())
        .double(6, sample.pose.yaw())
        .double(7, sample.controls.throttle)
        .double(8, sample.controls.brake)
        .double(9, sample.controls.steering);
    let message = sample.wheels.iter().fold(message, |message, wheel| {
        let own = ProtoMessage::default()
            .double(1, wheel.spin)
            .double(2, wheel.torque)
            .double(3, wheel.sinkage)
            .double(4, wheel.slip)
            .double(5, wheel.load)
            .double(6, wheel.traction)
            .double(7, wheel.lateral);
        message.message(10, own)
    });
    match &sample.motors {
        Some(motors) if motors.wheels.is_empty() => message.doubles(11, &motors.currents).0,
        Some(motors) => {
            let currents: Vec<f64> = motors.wheels.iter().map(|own| own.current).collect();
            message.doubles(11, &currents).0
        }
        None => message.0,
    }
}

/// Contact of the wheels with the ground.
pub(super) fn wheel_ground(heading: &Heading<'_>, wheels: &[WheelGround]) -> Vec<u8> {
    let mut all = heading.message(1, 2);
    for wheel in wheels {
        let one = ProtoMessage::default()
            .double(1, wheel.sinkage)
            .double(2, wheel.slip)
            .message(3, vector(&wheel.force))
            .double(4, wheel.pressure);
        all = all.message(3, one);
    }
    all.0
}

/// Values of PackedElementField's enumeration of types.
mod numeric {
    pub const U8: u64 = 1;
    pub const U16: u64 = 3;
    pub const F32: u64 = 7;
}

fn element(name: &str, offset: u32, kind: u64) -> ProtoMessage {
    ProtoMessage::default().text(1, name).fixed32(2, offset).integer(3, kind)
}

/// A scan: x, y, z, intensity, time, ring, instance, class and order of each return.
pub(super) fn point_cloud(heading: &Heading<'_>, cloud: &Cloud) -> Vec<u8> {
    const STRIDE: u32 = 26;
    let mut data = Vec::with_capacity(STRIDE as usize * cloud.returns.len());
    for hit in &cloud.returns {
        let [x, y, z] = hit.point;
        [x, y, z, hit.intensity, hit.time]
            .iter()
            .for_each(|value| data.extend_from_slice(&value.to_le_bytes()));
        data.extend_from_slice(&hit.ring.to_le_bytes());
        data.extend_from_slice(&hit.instance.to_le_bytes());
        data.extend_from_slice(&[hit.class, hit.order]);
    }
    let mut message = heading.message(1, 2).message(3, pose(&Pose::default())).fixed32(4, STRIDE);
    for (index, name) in ["x", "y", "z", "intensity", "time"].iter().enumerate() {
        message = message.message(5, element(name, 4 * index as u32, numeric::F32));
    }
    message
        .message(5, element("ring", 20, numeric::U16))
        .message(5, element("instance", 22, numeric::U16))
        .message(5, element("class", 24, numeric::U8))
        .message(5, element("return", 25, numeric::U8))
        .bytes(6, &data)
        .0
}

/// A patch of ground: square cells in rows along x.
#[derive(Clone, Debug)]
pub(super) struct GroundPatch {
    /// Corner of the first cell, m.
    pub corner: Vec3,
    /// Side of a cell, m.
    pub cell: f64,
    /// Number of cells in a row.
    pub columns: u32,
    /// Height and sinkage of each cell, m.
    pub cells: Vec<[f32; 2]>,
}

/// The map of the ground around an autonomous vehicle, as estimated by it.
pub(super) fn map_grid(heading: &Heading<'_>, view: &AutonomyView) -> Vec<u8> {
    let [x, y] = view.corner;
    let corner = Pose { position: Vec3::new(x, y, view.believed.position.z), ..Pose::default() };
    let size = ProtoMessage::default().double(1, view.cell).double(2, view.cell);
    let cell = |own: &CellView| {
        let [low, high] = own.heights.map(f32::to_le_bytes);
        low.into_iter().chain(high).chain([own.class])
    };
    let data: Vec<u8> = view.cells.iter().flat_map(cell).collect();
    heading
        .message(1, 2)
        .message(3, pose(&corner))
        .fixed32(4, view.columns)
        .message(5, size)
        .fixed32(6, 9 * view.columns)
        .fixed32(7, 9)
        .message(8, element("lowest", 0, numeric::F32))
        .message(8, element("highest", 4, numeric::F32))
        .message(8, element("class", 8, numeric::U8))
        .bytes(9, &data)
        .0
}

/// Points of a path, at a constant height.
pub(super) fn poses_in_frame(heading: &Heading<'_>, points: &[[f64; 2]], height: f64) -> Vec<u8> {
    let at = |&[x, y]: &[f64; 2]| Pose { position: Vec3::new(x, y, height), ..Pose::default() };
    let poses = points.iter().map(|point| pose(&at(point)));
    poses.fold(heading.message(1, 2), |message, own| message.message(3, own)).0
}

/// A patch of ground.
pub(super) fn grid(heading: &Heading<'_>, patch: &GroundPatch) -> Vec<u8> {
    let corner = Pose { position: patch.corner, ..Pose::default() };
    let size = ProtoMessage::default().double(1, patch.cell).double(2, patch.cell);
    let data: Vec<u8> = patch.cells.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    heading
        .message(1, 2)
        .message(3, pose(&corner))
        .fixed32(4, patch.columns)
        .message(5, size)
        .fixed32(6, 8 * patch.columns)
        .fixed32(7, 8)
        .message(8, element("height", 0, numeric::F32))
        .message(8, element("sinkage", 4, numeric::F32))
        .bytes(9, &data)
        .0
}

/// The cells of a patch with sinkage or heaped soil, as points in space.
///
/// A [`grid`] does not show them in relief, because viewers draw it flat.
pub(super) fn ruts(heading: &Heading<'_>, patch: &GroundPatch) -> Vec<u8> {
    const STRIDE: u32 = 16;
    let mut data = Vec::new();
    for (index, [height, sinkage]) in patch.cells.iter().enumerate() {
        if *sinkage == 0.0 {
            continue;
        }
        let [column, row] = [index as u32 % patch.columns, index as u32 / patch.columns];
        let at = |corner: f64, k: u32| (corner + (f64::from(k) + 0.5) * patch.cell) as f32;
        let place = [at(patch.corner.x, column), at(patch.corner.y, row), *height, *sinkage];
        place.iter().for_each(|value| data.extend_from_slice(&value.to_le_bytes()));
    }
    let mut message = heading.message(1, 2).message(3, pose(&Pose::default())).fixed32(4, STRIDE);
    for (index, name) in ["x", "y", "z", "sinkage"].iter().enumerate() {
        message = message.message(5, element(name, 4 * index as u32, numeric::F32));
    }
    message.bytes(6, &data).0
}

/// A picture as PNG.
pub(super) fn compressed_image(heading: &Heading<'_>, png: &[u8]) -> Vec<u8> {
    heading.message(1, 4).bytes(2, png).text(3, "png").0
}

/// Calibration of a camera in the conventions of OpenCV; none for a lens without a model there.
pub(super) fn camera_calibration(heading: &Heading<'_>, camera: &Camera) -> Option<Vec<u8>> {
    let (model, distortion) = match camera.lens {
        Lens::Pinhole => ("plumb_bob", vec![0.0; 5]),
        Lens::BrownConrady(k) => ("plumb_bob", k.to_vec()),
        Lens::KannalaBrandt(k) => ("kannala_brandt", k.to_vec()),
        Lens::FieldOfView(_) => return None,
    };
    let ([fx, fy], [cx, cy]) = (camera.focal, camera.middle);
    let message = heading
        .message(1, 9)
        .fixed32(2, camera.width)
        .fixed32(3, camera.height)
        .text(4, model)
        .doubles(5, &distortion)
        // OpenCV's pixel centers have integer coordinates
        .doubles(6, &[fx, 0.0, cx - 0.5, 0.0, fy, cy - 0.5, 0.0, 0.0, 1.0])
        .doubles(7, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
        .doubles(8, &camera.projection());
    Some(message.0)
}

/// An uncompressed picture; `encoding` and the layout of a row are those that Foxglove defines.
pub(super) fn raw_image(
    heading: &Heading<'_>,
    [width, height]: [u32; 2],
    encoding: &str,
    data: &[u8],
) -> Vec<u8> {
    heading
        .message(1, 7)
        .fixed32(2, width)
        .fixed32(3, height)
        .text(4, encoding)
        .fixed32(5, data.len() as u32 / height.max(1))
        .bytes(6, data)
        .0
}
