//! Rotations between the frames of a vehicle, from the static transforms of a bag.

use super::cdr::{CdrCursor, CdrError};
use bekker_math::spatial::Quat;
use nalgebra::Quaternion;

/// Type of the messages with transforms.
pub(super) const MESSAGE_TYPE: &str = "tf2_msgs/msg/TFMessage";
/// Topic of static transforms, also below a namespace.
const TOPIC: &str = "tf_static";
/// Frames of a vehicle with x forward and z up (REP-105), also below a namespace.
const VEHICLE_FRAMES: [&str; 2] = ["base_link", "base_footprint"];

/// A rotation between two frames.
#[derive(Clone, Debug)]
struct FrameRotation {
    parent: String,
    child: String,
    /// Orientation of the child in the parent.
    rotation: Quat,
}

/// Static transforms of a bag.
#[derive(Clone, Debug, Default)]
pub(super) struct StaticTransforms {
    rotations: Vec<FrameRotation>,
    /// Number of messages that were read.
    messages: usize,
    /// The first message that is damaged, by number from 1.
    pub damage: Option<(usize, CdrError)>,
}

impl StaticTransforms {
    /// Whether a topic has static transforms.
    pub fn is_topic(name: &str) -> bool {
        last_part(name) == TOPIC
    }

    /// Whether a frame is that of a vehicle.
    pub fn is_vehicle_frame(frame: &str) -> bool {
        VEHICLE_FRAMES.contains(&last_part(frame))
    }

    /// Adds a message.
    pub fn add(&mut self, data: &[u8]) {
        self.messages += 1;
        match read_rotations(data) {
            Ok(rotations) => self.rotations.extend(rotations),
            Err(error) => _ = self.damage.get_or_insert((self.messages, error)),
        }
    }

    /// Returns the vehicle's frame above a frame, and the orientation of the frame in it.
    ///
    /// A later transform of a frame replaces an earlier one. `None` if no chain of transforms leads
    /// to a vehicle's frame.
    pub fn in_vehicle(&self, frame: &str) -> Option<(&str, Quat)> {
        let above = |child: &str| self.rotations.iter().rev().find(|own| own.child == child);
        let mut own = above(bare(frame))?;
        let mut orientation = own.rotation;
        // each transform is used at most once, so that circles end
        for _ in 0..self.rotations.len() {
            if StaticTransforms::is_vehicle_frame(&own.parent) {
                return Some((&own.parent, orientation));
            }
            own = above(&own.parent)?;
            orientation = own.rotation * orientation;
        }
        None
    }
}

/// Returns a frame without the slash before names of the first version of tf.
fn bare(frame: &str) -> &str {
    frame.strip_prefix('/').unwrap_or(frame)
}

fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Returns the rotations of a message, without those that are no rotation.
fn read_rotations(data: &[u8]) -> Result<Vec<FrameRotation>, CdrError> {
    let transforms = CdrCursor::new(data)?.sequence(|fields| {
        let (_seconds, _nanoseconds) = (fields.i32()?, fields.u32()?);
        let (parent, child) = (fields.text()?, fields.text()?);
        let _translation: [f64; 3] = fields.doubles()?;
        let [x, y, z, w]: [f64; 4] = fields.doubles()?;
        Ok((parent, child, Quaternion::new(w, x, y, z)))
    })?;
    let rotation = |(parent, child, quaternion): (String, String, Quaternion<f64>)| {
        let norm = quaternion.norm_squared();
        (norm > 0.0 && norm.is_finite()).then(|| FrameRotation {
            parent: bare(&parent).into(),
            child: bare(&child).into(),
            rotation: Quat::from_quaternion(quaternion),
        })
    };
    Ok(transforms.into_iter().filter_map(rotation).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use bekker_math::spatial::Vec3;

    /// A message with one transform, in little-endian CDR.
    pub(in super::super) fn message(parent: &str, child: &str, rotation: Quat) -> Vec<u8> {
        let mut body = Vec::new();
        let text = |body: &mut Vec<u8>, own: &str| {
            body.resize(body.len().next_multiple_of(4), 0);
            body.extend((own.len() as u32 + 1).to_le_bytes());
            body.extend(own.bytes().chain([0]));
        };
        [1u32, 0, 0].iter().for_each(|own| body.extend(own.to_le_bytes()));
        text(&mut body, parent);
        text(&mut body, child);
        body.resize(body.len().next_multiple_of(8), 0);
        let q = rotation.coords;
        for own in [0.1, 0.2, 0.3, q.x, q.y, q.z, q.w] {
            body.extend(f64::to_le_bytes(own));
        }
        [vec![0, 1, 0, 0], body].concat()
    }

    #[test]
    fn transforms_are_chained_up_to_the_vehicle() {
        let turn = |axis, angle| Quat::from_axis_angle(&axis, angle);
        let (plate, imu) = (turn(Vec3::z_axis(), 1.5), turn(Vec3::x_axis(), 3.0));
        let mut transforms = StaticTransforms::default();
        for (parent, child, rotation) in [
            ("/base_link", "plate", turn(Vec3::y_axis(), 1.0)),
            ("plate", "imu_link", imu),
            ("robot/base_link", "plate", plate),
            ("loop", "loop", imu),
        ] {
            transforms.add(&message(parent, child, rotation));
        }
        let (frame, found) = transforms.in_vehicle("/imu_link").unwrap();
        assert_eq!(frame, "robot/base_link");
        assert!(found.angle_to(&(plate * imu)) < 1e-12);
        assert!(transforms.in_vehicle("loop").is_none() && transforms.in_vehicle("gps").is_none());
        assert_eq!(transforms.damage, None);
        transforms.add(&message("a", "b", imu)[..40]);
        assert_eq!(transforms.damage, Some((5, CdrError::Truncated)));
        assert!(StaticTransforms::is_topic("/robot/tf_static"));
        assert!(!StaticTransforms::is_topic("/tf"));
    }
}
