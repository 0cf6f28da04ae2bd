//! Topics that a run publishes in ROS 2.

use super::error::Ros2Error;
use super::grid_map::grid_map;
use super::message::{
    CameraInfo, Clock, GridMap, Header, Image, Imu, JointState, MagneticField, NavSatFix, Octets,
    Odometry, PointCloud2, PointField, Quaternion, TfMessage, Time, TransformStamped, Vector3,
};
use super::node::{Node, TopicPublisher};
use bekker_agent::Sample;
use bekker_math::numeric;
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_sensor::camera::{self, Camera, Lens};
use bekker_sensor::lidar::Cloud;
use bekker_sensor::{Delivery, Model, Reading, Sensor};
use bekker_world::{World, WorldModel};
use std::collections::BTreeMap;

/// World frame: x east, y north, z up.
pub(super) const MAP: &str = "map";
/// Rotation of the optical frame (right, down, forward) in the sensor frame (forward, left, up): x,
/// y, z, w.
const OPTICAL: Quaternion = [-0.5, 0.5, -0.5, 0.5];

/// All topics of a run.
pub(super) struct Topics {
    clock: TopicPublisher<Clock>,
    tf: TopicPublisher<TfMessage>,
    /// Kept alive for readers that join later.
    _tf_static: TopicPublisher<TfMessage>,
    vehicles: Vec<VehicleTopics>,
}

struct VehicleTopics {
    odom_frame: String,
    base_frame: String,
    name: String,
    odom: TopicPublisher<Odometry>,
    joints: TopicPublisher<JointState>,
    /// Map of the ground around the vehicle, if published.
    ground: Option<TopicPublisher<GridMap>>,
    sensors: Vec<SensorTopics>,
}

struct SensorTopics {
    frame: String,
    publisher: SensorPublisher,
}

/// Publisher of a sensor, by kind.
enum SensorPublisher {
    Imu(TopicPublisher<Imu>),
    Fix(TopicPublisher<NavSatFix>),
    Field(TopicPublisher<MagneticField>),
    Camera(Box<CameraTopics>),
    Lidar(TopicPublisher<PointCloud2>),
    /// Sensors for which ROS 2 has no message, and ground truth, which is published as `odom`.
    Nothing,
}

struct CameraTopics {
    /// Frame of the images, in which the projection holds.
    frame: String,
    image: TopicPublisher<Image>,
    depth: TopicPublisher<Image>,
    info: TopicPublisher<CameraInfo>,
    camera: Option<Camera>,
}

/// Converts a name to one that ROS 2 accepts in topics and frames.
pub(super) fn ros_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{name}"),
        false => name,
    }
}

/// Returns two vehicles, or two sensors of one vehicle, with the same ROS 2 name, and that name.
pub fn duplicate_names(model: &WorldModel) -> Option<[String; 3]> {
    let vehicles = model.agents.iter().map(|own| own.name.as_str());
    let sensors = model.agents.iter().map(|own| own.sensors.iter().map(|own| own.name.as_str()));
    first_duplicate(vehicles).or_else(|| sensors.into_iter().find_map(first_duplicate))
}

fn first_duplicate<'a>(names: impl Iterator<Item = &'a str>) -> Option<[String; 3]> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    names.into_iter().find_map(|name| {
        let ros = ros_name(name);
        let before = known.insert(ros.clone(), name)?;
        Some([before.to_owned(), name.to_owned(), ros])
    })
}

impl Topics {
    /// Creates all topics. `ground` selects whether ground maps are published.
    pub fn open(node: &Node, model: &WorldModel, ground: bool) -> Result<Topics, Ros2Error> {
        let vehicles = model.agents.iter().map(|own| {
            let name = ros_name(&own.name);
            let sensors = own.sensors.iter().map(|sensor| SensorTopics::open(node, &name, sensor));
            Ok(VehicleTopics {
                odom_frame: format!("{name}/odom"),
                base_frame: format!("{name}/base_link"),
                odom: node.advertise(&format!("/{name}/odom"))?,
                joints: node.advertise(&format!("/{name}/joint_states"))?,
                ground: ground
                    .then(|| node.advertise_latched(&format!("/{name}/ground")))
                    .transpose()?,
                sensors: sensors.collect::<Result<_, _>>()?,
                name,
            })
        });
        let vehicles = vehicles.collect::<Result<Vec<_>, Ros2Error>>()?;
        let tf_static = node.advertise_latched("/tf_static")?;
        let mut transforms = Vec::new();
        for (own, model) in vehicles.iter().zip(&model.agents) {
            // odometry has no drift
            transforms.push(transform(0, MAP, &own.odom_frame, &Pose::default()));
            for (topics, sensor) in own.sensors.iter().zip(&model.sensors) {
                transforms.push(transform(0, &own.base_frame, &topics.frame, &sensor.mount));
                if let Model::Camera(_) = sensor.model {
                    let optical = optical(&topics.frame);
                    let turned = transform(0, &topics.frame, &optical, &Pose::default());
                    transforms.push(TransformStamped { rotation: OPTICAL, ..turned });
                }
            }
        }
        tf_static.publish(TfMessage { transforms });
        let (clock, tf) = (node.advertise("/clock")?, node.advertise("/tf")?);
        Ok(Topics { clock, tf, _tf_static: tf_static, vehicles })
    }

    /// Publishes the state of all vehicles and sensors at a time, then the clock.
    pub fn publish(&self, time_us: u64, samples: &[Sample], delivered: &[(u32, Delivery)]) {
        for (agent, delivery) in delivered {
            let own = self.vehicles.get(*agent as usize);
            if let Some(own) = own.and_then(|own| own.sensors.get(delivery.sensor as usize)) {
                own.publish(delivery);
            }
        }
        let mut transforms = Vec::with_capacity(samples.len());
        for sample in samples {
            let Some(own) = self.vehicles.get(sample.vehicle) else { continue };
            transforms.push(transform(time_us, &own.odom_frame, &own.base_frame, &sample.pose));
            own.publish(time_us, sample);
        }
        self.tf.publish(TfMessage { transforms });
        self.clock.publish(Clock { clock: Time::from_micros(time_us) });
    }

    /// Publishes the ground around all vehicles, if enabled.
    pub fn publish_ground(&self, world: &World, samples: &[Sample]) {
        for sample in samples {
            let own = self.vehicles.get(sample.vehicle).and_then(|own| own.ground.as_ref());
            if let Some(out) = own {
                let header = header(world.time_us(), MAP);
                out.publish(grid_map(world, header, &sample.pose.position));
            }
        }
    }

    /// Waits up to 0.5 s until readers have acknowledged the clock.
    pub fn flush(&self) {
        self.clock.flush();
    }
}

impl VehicleTopics {
    fn publish(&self, time_us: u64, sample: &Sample) {
        let header = |frame: &str| header(time_us, frame);
        let turn = sample.pose.orientation;
        self.odom.publish(Odometry {
            header: header(&self.odom_frame),
            child_frame_id: self.base_frame.clone(),
            position: vector(&sample.pose.position),
            orientation: quaternion(&turn),
            // in the vehicle frame
            linear: vector(&turn.inverse_transform_vector(&sample.velocity)),
            angular: vector(&sample.angular_velocity),
            ..Odometry::default()
        });
        self.joints.publish(joint_state(header(""), &self.name, sample));
    }
}

/// Returns spins and torques of the wheels of a vehicle.
fn joint_state(header: Header, vehicle: &str, sample: &Sample) -> JointState {
    let names = (0..sample.wheels.len()).map(|wheel| format!("{vehicle}/wheel_{wheel}"));
    JointState {
        header,
        name: names.collect(),
        velocity: sample.wheels.iter().map(|wheel| wheel.spin).collect(),
        effort: sample.wheels.iter().map(|wheel| wheel.torque).collect(),
        ..JointState::default()
    }
}

impl SensorTopics {
    fn open(node: &Node, vehicle: &str, sensor: &Sensor) -> Result<SensorTopics, Ros2Error> {
        let name = ros_name(&sensor.name);
        let topic = format!("/{vehicle}/{name}");
        let publisher = match &sensor.model {
            Model::Imu(_) => SensorPublisher::Imu(node.advertise(&topic)?),
            Model::Gps(_) => SensorPublisher::Fix(node.advertise(&topic)?),
            Model::Magnetometer(_) => SensorPublisher::Field(node.advertise(&topic)?),
            Model::Lidar(_) => SensorPublisher::Lidar(node.advertise(&format!("{topic}/points"))?),
            Model::Camera(spec) => SensorPublisher::Camera(Box::new(CameraTopics {
                frame: optical(&format!("{vehicle}/{}", ros_name(sensor.picture_frame()))),
                image: node.advertise(&format!("{topic}/image"))?,
                depth: node.advertise(&format!("{topic}/depth"))?,
                info: node.advertise(&format!("{topic}/camera_info"))?,
                camera: Camera::from_spec(spec),
            })),
            Model::Encoder(_) | Model::Odometry | Model::Terramechanics => SensorPublisher::Nothing,
        };
        Ok(SensorTopics { frame: format!("{vehicle}/{name}"), publisher })
    }

    fn publish(&self, delivery: &Delivery) {
        let header = header(delivery.taken_us, &self.frame);
        match (&self.publisher, &delivery.reading) {
            (SensorPublisher::Imu(out), Reading::Imu { specific_force, angular_rate }) => out
                .publish(Imu {
                    header,
                    orientation: [0.0, 0.0, 0.0, 1.0],
                    // -1: orientation is not measured
                    orientation_covariance: [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                    angular_velocity: vector(angular_rate),
                    linear_acceleration: vector(specific_force),
                    ..Imu::default()
                }),
            (SensorPublisher::Fix(out), Reading::Fix(fix)) => {
                let [x, y, z] = vector(&fix.variance);
                out.publish(NavSatFix {
                    header,
                    status: if fix.valid { 0 } else { -1 },
                    service: 1,
                    latitude: fix.place.latitude.to_degrees(),
                    longitude: fix.place.longitude.to_degrees(),
                    altitude: fix.place.altitude,
                    position_covariance: [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z],
                    position_covariance_type: 2,
                });
            }
            (SensorPublisher::Field(out), Reading::Field(field)) => out.publish(MagneticField {
                header,
                magnetic_field: vector(field),
                ..MagneticField::default()
            }),
            (SensorPublisher::Camera(own), Reading::Image(image)) => own.publish(&header, image),
            (SensorPublisher::Lidar(out), Reading::Cloud(cloud)) => {
                out.publish(points(header, cloud))
            }
            _ => {}
        }
    }
}

impl CameraTopics {
    fn publish(&self, header: &Header, image: &camera::Image) {
        let header = Header { frame_id: self.frame.clone(), ..header.clone() };
        let raw = |encoding: &str, data: Vec<u8>| Image {
            header: header.clone(),
            height: image.height,
            width: image.width,
            encoding: encoding.into(),
            is_bigendian: 0,
            step: data.len() as u32 / image.height.max(1),
            data: Octets(data),
        };
        if !image.color.is_empty() {
            let data = image.color.iter().flatten().map(|&light| srgb(light)).collect();
            self.image.publish(raw("rgb8", data));
        }
        if !image.depth.is_empty() {
            let data = image.depth.iter().flat_map(|depth| depth.to_le_bytes()).collect();
            self.depth.publish(raw("32FC1", data));
        }
        if let Some(info) = self.camera.as_ref().and_then(|camera| info(header, camera)) {
            self.info.publish(info);
        }
    }
}

/// Returns the camera info, or `None` if ROS 2 has no name for the lens model.
fn info(header: Header, camera: &Camera) -> Option<CameraInfo> {
    let (model, d) = match camera.lens {
        Lens::Pinhole => ("plumb_bob", vec![0.0; 5]),
        Lens::BrownConrady(k) => ("plumb_bob", k.to_vec()),
        Lens::KannalaBrandt(k) => ("equidistant", k.to_vec()),
        Lens::FieldOfView(_) => return None,
    };
    // in ROS 2 pixel centers have integer coordinates
    let ([fx, fy], [cx, cy]) = (camera.focal, camera.middle.map(|middle| middle - 0.5));
    Some(CameraInfo {
        header,
        height: camera.height,
        width: camera.width,
        distortion_model: model.into(),
        d,
        k: [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0],
        r: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p: camera.projection(),
        ..CameraInfo::default()
    })
}

/// Converts linear light to an sRGB octet (IEC 61966-2-1).
fn srgb(light: f32) -> u8 {
    let light = f64::from(light).clamp(0.0, 1.0);
    let value = match light <= 0.003_130_8 {
        true => 12.92 * light,
        false => 1.055 * numeric::pow(light, 1.0 / 2.4) - 0.055,
    };
    (255.0 * value).round() as u8
}

/// Length of a point, bytes.
const POINT: u32 = 24;

fn points(header: Header, cloud: &Cloud) -> PointCloud2 {
    const FLOAT32: u8 = 7;
    const UINT16: u8 = 4;
    let field = |(name, offset, datatype): (&str, u32, u8)| PointField {
        name: name.into(),
        offset,
        datatype,
        count: 1,
    };
    let places = [("x", 0, FLOAT32), ("y", 4, FLOAT32), ("z", 8, FLOAT32)];
    let others = [("intensity", 12, FLOAT32), ("time", 16, FLOAT32), ("ring", 20, UINT16)];
    let count = cloud.returns.len() as u32;
    let mut data = Vec::with_capacity((count * POINT) as usize);
    for own in &cloud.returns {
        let [x, y, z] = own.point;
        for number in [x, y, z, own.intensity, own.time] {
            data.extend_from_slice(&number.to_le_bytes());
        }
        data.extend_from_slice(&u32::from(own.ring).to_le_bytes());
    }
    PointCloud2 {
        header,
        height: 1,
        width: count,
        fields: places.into_iter().chain(others).map(field).collect(),
        is_bigendian: false,
        point_step: POINT,
        row_step: count * POINT,
        data: Octets(data),
        is_dense: true,
    }
}

fn optical(frame: &str) -> String {
    format!("{frame}_optical")
}

pub(super) fn header(time_us: u64, frame: &str) -> Header {
    Header { stamp: Time::from_micros(time_us), frame_id: frame.into() }
}

fn transform(time_us: u64, parent: &str, child: &str, pose: &Pose) -> TransformStamped {
    TransformStamped {
        header: header(time_us, parent),
        child_frame_id: child.into(),
        translation: vector(&pose.position),
        rotation: quaternion(&pose.orientation),
    }
}

pub(super) fn vector(vector: &Vec3) -> Vector3 {
    [vector.x, vector.y, vector.z]
}

pub(super) fn quaternion(turn: &Quat) -> Quaternion {
    let turn = turn.quaternion();
    [turn.i, turn.j, turn.k, turn.w]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_in_ros() {
        for (name, ros) in [("lead", "lead"), ("Truck 1", "Truck_1"), ("2/x-y", "_2_x_y")] {
            assert_eq!(ros_name(name), ros);
        }
        assert_eq!(first_duplicate(["a_b", "a c", "ab"].into_iter()), None);
        let found = first_duplicate(["a-b", "c", "a_b"].into_iter());
        assert_eq!(found, Some(["a-b", "a_b", "a_b"].map(str::to_owned)));
    }

    #[test]
    fn joint_states_have_the_torques_of_the_wheels() {
        let wheel = |own: f64| bekker_agent::WheelSample {
            spin: own,
            torque: -10.0 * own,
            ..bekker_agent::WheelSample::default()
        };
        let sample = Sample { wheels: [1.0, 2.0].map(wheel).to_vec(), ..Sample::default() };
        let state = joint_state(header(0, ""), "v", &sample);
        assert_eq!(state.name, ["v/wheel_0", "v/wheel_1"]);
        assert_eq!((state.velocity, state.effort), (vec![1.0, 2.0], vec![-10.0, -20.0]));
    }

    #[test]
    fn colors_are_srgb() {
        assert_eq!([0.0, 0.5, 1.0, 2.0].map(srgb), [0, 188, 255, 255]);
    }
}
