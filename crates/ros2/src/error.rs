//! The error of the ROS 2 interface.

use thiserror::Error;

/// A DDS domain cannot be joined, or a topic or service cannot be created in it.
#[derive(Clone, Debug, Error)]
#[error("ROS 2: {cause}")]
#[non_exhaustive]
pub struct Ros2Error {
    /// Message of DDS.
    pub cause: String,
}
