//! ROS 2 messages, with the fields of their interface files.

use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// A ROS 2 message type with its DDS type name.
pub(super) trait MessageType: Serialize + 'static {
    /// DDS type name: `package::msg::dds_::Name_`.
    const NAME: &'static str;
}

macro_rules! interfaces {
    ($($of:ty => $name:literal),* $(,)?) => {
        $(impl MessageType for $of {
            const NAME: &'static str = $name;
        })*
    };
}

interfaces! {
    Clock => "rosgraph_msgs::msg::dds_::Clock_",
    TfMessage => "tf2_msgs::msg::dds_::TFMessage_",
    Odometry => "nav_msgs::msg::dds_::Odometry_",
    JointState => "sensor_msgs::msg::dds_::JointState_",
    Imu => "sensor_msgs::msg::dds_::Imu_",
    NavSatFix => "sensor_msgs::msg::dds_::NavSatFix_",
    MagneticField => "sensor_msgs::msg::dds_::MagneticField_",
    Image => "sensor_msgs::msg::dds_::Image_",
    CameraInfo => "sensor_msgs::msg::dds_::CameraInfo_",
    PointCloud2 => "sensor_msgs::msg::dds_::PointCloud2_",
    GridMap => "grid_map_msgs::msg::dds_::GridMap_",
    AckermannDriveStamped => "ackermann_msgs::msg::dds_::AckermannDriveStamped_",
    TwistStamped => "geometry_msgs::msg::dds_::TwistStamped_",
    ActuationCommandStamped => "tier4_vehicle_msgs::msg::dds_::ActuationCommandStamped_",
    Bool => "std_msgs::msg::dds_::Bool_",
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Time {
    pub sec: i32,
    pub nanosec: u32,
}

impl Time {
    pub fn from_micros(time: u64) -> Time {
        let sec = i32::try_from(time / 1_000_000).unwrap_or(i32::MAX);
        Time { sec, nanosec: (time % 1_000_000) as u32 * 1000 }
    }

    /// Returns the time in µs, rounded down, or `None` if it is negative.
    pub fn micros(self) -> Option<u64> {
        let sec = u64::try_from(self.sec).ok()?;
        Some(sec * 1_000_000 + u64::from(self.nanosec / 1000))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Clock {
    pub clock: Time,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    pub stamp: Time,
    pub frame_id: String,
}

/// x, y, z.
pub(super) type Vector3 = [f64; 3];
/// x, y, z, w.
pub(super) type Quaternion = [f64; 4];

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct TransformStamped {
    pub header: Header,
    pub child_frame_id: String,
    pub translation: Vector3,
    pub rotation: Quaternion,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct TfMessage {
    pub transforms: Vec<TransformStamped>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Odometry {
    pub header: Header,
    pub child_frame_id: String,
    pub position: Vector3,
    pub orientation: Quaternion,
    pub pose_covariance: [[f64; 6]; 6],
    pub linear: Vector3,
    pub angular: Vector3,
    pub twist_covariance: [[f64; 6]; 6],
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct JointState {
    pub header: Header,
    pub name: Vec<String>,
    pub position: Vec<f64>,
    pub velocity: Vec<f64>,
    pub effort: Vec<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Imu {
    pub header: Header,
    pub orientation: Quaternion,
    pub orientation_covariance: [f64; 9],
    pub angular_velocity: Vector3,
    pub angular_velocity_covariance: [f64; 9],
    pub linear_acceleration: Vector3,
    pub linear_acceleration_covariance: [f64; 9],
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct NavSatFix {
    pub header: Header,
    /// 0: fix. -1: no fix.
    pub status: i8,
    /// 1: GPS.
    pub service: u16,
    pub latitude: f64,
    pub longitude: f64,
    pub altitude: f64,
    pub position_covariance: [f64; 9],
    /// 2: only the diagonal is known.
    pub position_covariance_type: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct MagneticField {
    pub header: Header,
    pub magnetic_field: Vector3,
    pub magnetic_field_covariance: [f64; 9],
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Image {
    pub header: Header,
    pub height: u32,
    pub width: u32,
    pub encoding: String,
    pub is_bigendian: u8,
    pub step: u32,
    pub data: Octets,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct CameraInfo {
    pub header: Header,
    pub height: u32,
    pub width: u32,
    pub distortion_model: String,
    pub d: Vec<f64>,
    pub k: [f64; 9],
    pub r: [f64; 9],
    pub p: [f64; 12],
    pub binning_x: u32,
    pub binning_y: u32,
    pub roi: RegionOfInterest,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct RegionOfInterest {
    pub x_offset: u32,
    pub y_offset: u32,
    pub height: u32,
    pub width: u32,
    pub do_rectify: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct PointField {
    pub name: String,
    pub offset: u32,
    pub datatype: u8,
    pub count: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct PointCloud2 {
    pub header: Header,
    pub height: u32,
    pub width: u32,
    pub fields: Vec<PointField>,
    pub is_bigendian: bool,
    pub point_step: u32,
    pub row_step: u32,
    pub data: Octets,
    pub is_dense: bool,
}

/// `grid_map_msgs/GridMap` of ROS 2, with `info` and pose flattened.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct GridMap {
    pub header: Header,
    pub resolution: f64,
    pub length_x: f64,
    pub length_y: f64,
    pub position: Vector3,
    pub orientation: Quaternion,
    pub layers: Vec<String>,
    pub basic_layers: Vec<String>,
    pub data: Vec<MultiArray>,
    pub outer_start_index: u16,
    pub inner_start_index: u16,
}

/// `std_msgs/Float32MultiArray`, with its layout flattened.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct MultiArray {
    pub dim: Vec<MultiArrayDimension>,
    pub data_offset: u32,
    pub data: Vec<f32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct MultiArrayDimension {
    pub label: String,
    pub size: u32,
    pub stride: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct AckermannDriveStamped {
    pub header: Header,
    pub steering_angle: f32,
    pub steering_angle_velocity: f32,
    pub speed: f32,
    pub acceleration: f32,
    pub jerk: f32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TwistStamped {
    pub header: Header,
    pub linear: Vector3,
    pub angular: Vector3,
}

/// `tier4_vehicle_msgs/ActuationCommandStamped`, with its command flattened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ActuationCommandStamped {
    pub header: Header,
    pub accel_cmd: f64,
    pub brake_cmd: f64,
    pub steer_cmd: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Bool {
    pub data: bool,
}

/// A sequence of octets, serialized as one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Octets(pub Vec<u8>);

impl Serialize for Octets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_convert_back() {
        let time = Time::from_micros(3_000_010);
        assert_eq!(time, Time { sec: 3, nanosec: 10_000 });
        assert_eq!(time.micros(), Some(3_000_010));
        assert_eq!(Time { sec: -1, nanosec: 0 }.micros(), None);
    }
}
