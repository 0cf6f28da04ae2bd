//! Messages of a topic as numbers over time.

use super::cdr::{CdrCursor, CdrError};
use bekker_math::spatial::{Pose, Quat};
use nalgebra::Quaternion;

/// A message type from which a drive is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RosMessageType {
    /// Speeds and torques of wheels.
    JointState,
    /// Speed and pose.
    Odometry,
    /// Speed.
    TwistStamped,
    /// Orientation.
    Imu,
    /// Position.
    NavSatFix,
    /// Throttle, brake and steering.
    ActuationCommandStamped,
}

impl RosMessageType {
    /// All types.
    pub const ALL: [RosMessageType; 6] = [
        RosMessageType::JointState,
        RosMessageType::Odometry,
        RosMessageType::TwistStamped,
        RosMessageType::Imu,
        RosMessageType::NavSatFix,
        RosMessageType::ActuationCommandStamped,
    ];

    /// Returns the name of the type.
    pub fn name(self) -> &'static str {
        match self {
            RosMessageType::JointState => "sensor_msgs/msg/JointState",
            RosMessageType::Odometry => "nav_msgs/msg/Odometry",
            RosMessageType::TwistStamped => "geometry_msgs/msg/TwistStamped",
            RosMessageType::Imu => "sensor_msgs/msg/Imu",
            RosMessageType::NavSatFix => "sensor_msgs/msg/NavSatFix",
            RosMessageType::ActuationCommandStamped => {
                "tier4_vehicle_msgs/msg/ActuationCommandStamped"
            }
        }
    }

    /// Returns the type of a name.
    pub fn from_name(name: &str) -> Option<RosMessageType> {
        RosMessageType::ALL.into_iter().find(|own| own.name() == name)
    }
}

/// The messages of a topic, in the order of their stamps.
#[derive(Clone, Debug)]
pub(super) struct TopicSeries {
    pub topic: String,
    pub message_type: RosMessageType,
    /// Header stamps, ns.
    pub stamps: Vec<i64>,
    /// Values of each message, by type:
    ///
    /// - joint states: velocity and effort of each of `joints`, NaN where absent;
    /// - odometry: forward speed, pitch (NaN where absent), position;
    /// - twist: forward speed; IMU: orientation x, y, z, w (NaN where absent);
    /// - fix: latitude and longitude in degrees, altitude;
    /// - actuation: throttle, brake, steering.
    pub rows: Vec<Vec<f64>>,
    /// Frame of the first message, for IMUs.
    pub frame: String,
    /// Names of joints in the order of their first message.
    pub joints: Vec<String>,
    /// Number of messages that were read.
    pub messages: usize,
    /// Number of messages without a fix.
    pub without_fix: usize,
    /// Number of messages with the stamp of the one before, which are left out.
    pub repeated: usize,
    /// The first message that is damaged, by number from 1.
    pub damage: Option<(usize, CdrError)>,
}

impl TopicSeries {
    pub fn new(topic: String, message_type: RosMessageType) -> TopicSeries {
        TopicSeries {
            topic,
            message_type,
            stamps: vec![],
            rows: vec![],
            frame: String::new(),
            joints: vec![],
            messages: 0,
            without_fix: 0,
            repeated: 0,
            damage: None,
        }
    }

    /// Adds a message.
    pub fn add(&mut self, data: &[u8]) {
        self.messages += 1;
        match self.read(data) {
            Ok(Some((stamp, row))) => {
                self.stamps.push(stamp);
                self.rows.push(row);
            }
            Ok(None) => self.without_fix += 1,
            Err(error) => _ = self.damage.get_or_insert((self.messages, error)),
        }
    }

    /// Returns stamp and values of a message; `None` for a position without a fix.
    fn read(&mut self, data: &[u8]) -> Result<Option<(i64, Vec<f64>)>, CdrError> {
        let mut fields = CdrCursor::new(data)?;
        let (seconds, nanoseconds) = (fields.i32()?, fields.u32()?);
        let stamp = i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds);
        let frame = fields.text()?;
        let row = match self.message_type {
            RosMessageType::JointState => self.joint_row(&mut fields)?,
            RosMessageType::Odometry => {
                let _child_frame = fields.text()?;
                let position: [f64; 3] = fields.doubles()?;
                let pitch = pitch(fields.doubles()?, &Quat::identity());
                let _covariance: [f64; 36] = fields.doubles()?;
                let [speed, ..]: [f64; 3] = fields.doubles()?;
                [&[speed, pitch][..], &position].concat()
            }
            RosMessageType::TwistStamped => {
                let [speed, ..]: [f64; 3] = fields.doubles()?;
                vec![speed]
            }
            RosMessageType::Imu => {
                let orientation: [f64; 4] = fields.doubles()?;
                let [variance, ..]: [f64; 9] = fields.doubles()?;
                // the message definition: -1 if there is no estimate
                if self.messages == 1 {
                    self.frame = frame;
                }
                if variance == -1.0 { vec![f64::NAN; 4] } else { orientation.to_vec() }
            }
            RosMessageType::NavSatFix => {
                let (status, _service) = (fields.i8()?, fields.u16()?);
                let position: [f64; 3] = fields.doubles()?;
                if status < 0 {
                    return Ok(None);
                }
                position.to_vec()
            }
            RosMessageType::ActuationCommandStamped => fields.doubles::<3>()?.to_vec(),
        };
        Ok(Some((stamp, row)))
    }

    fn joint_row(&mut self, fields: &mut CdrCursor<'_>) -> Result<Vec<f64>, CdrError> {
        let names = fields.sequence(CdrCursor::text)?;
        let _positions = fields.sequence(CdrCursor::f64)?;
        let velocities = fields.sequence(CdrCursor::f64)?;
        let efforts = fields.sequence(CdrCursor::f64)?;
        let mut row = vec![f64::NAN; 2 * self.joints.len()];
        for (number, name) in names.into_iter().enumerate() {
            let joint = self.joints.iter().position(|own| *own == name).unwrap_or_else(|| {
                self.joints.push(name);
                row.extend([f64::NAN; 2]);
                self.joints.len() - 1
            });
            for (own, values) in [&velocities, &efforts].into_iter().enumerate() {
                row[2 * joint + own] = values.get(number).copied().unwrap_or(f64::NAN);
            }
        }
        Ok(row)
    }

    /// Orders the messages by their stamps, and leaves out those with the stamp of the one before.
    pub fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.stamps.len()).collect();
        order.sort_by_key(|own| self.stamps[*own]);
        order.dedup_by_key(|own| self.stamps[*own]);
        self.repeated = self.stamps.len() - order.len();
        self.rows = order.iter().map(|own| std::mem::take(&mut self.rows[*own])).collect();
        self.stamps = order.iter().map(|own| self.stamps[*own]).collect();
    }

    /// Returns a value of all messages, NaN where absent.
    pub fn column(&self, index: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row.get(index).copied().unwrap_or(f64::NAN)).collect()
    }

    /// Whether a value is a measurement: some message has it, and it is not always 0.
    pub fn is_measured(&self, index: usize) -> bool {
        self.column(index).iter().any(|own| own.is_finite() && *own != 0.0)
    }
}

/// Pitch of a vehicle from the orientation (x, y, z, w) of a frame on it, rad, nose down; NaN for none.
///
/// `mounted` is the orientation of the frame in the vehicle.
pub(super) fn pitch([x, y, z, w]: [f64; 4], mounted: &Quat) -> f64 {
    let quaternion = Quaternion::new(w, x, y, z);
    if !(quaternion.norm_squared() > 0.0 && quaternion.norm_squared().is_finite()) {
        return f64::NAN;
    }
    let orientation = Quat::from_quaternion(quaternion) * mounted.inverse();
    Pose { orientation, ..Pose::default() }.pitch()
}
