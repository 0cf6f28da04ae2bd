//! Reasons why a ROS 2 bag gives no drive.

use super::cdr::CdrError;
use crate::mcap_read::McapReadError;
use bekker_rig::drives::DriveLogError;

/// Reasons why a ROS 2 bag gives no drive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RosBagError {
    /// A file that cannot be read.
    #[error("{file}: {source}")]
    Mcap {
        /// The file.
        file: String,
        /// The reason.
        source: McapReadError,
    },
    /// A folder without a file in MCAP.
    #[error(
        "has no .mcap file; `ros2 bag convert` writes one with storage_id: mcap in its output \
        options, and `zstd -d` unpacks a .mcap.zstd file"
    )]
    NoFile,
    /// A topic of a used type in another encoding.
    #[error("{topic} has {found:?} messages; must have \"cdr\" messages, as bags of ROS 2")]
    Encoding {
        /// The topic.
        topic: String,
        /// Its encoding.
        found: String,
    },
    /// A damaged message of a topic that is used.
    #[error("{topic}: message {message} ({message_type}) {source}")]
    Message {
        /// The topic.
        topic: String,
        /// Number of the message on its topic, from 1.
        message: usize,
        /// Type of the topic.
        message_type: &'static str,
        /// The reason.
        source: CdrError,
    },
    /// No topic for an input.
    #[error("has no topic for {input}; must have one of {allowed}; topics that are read: {found}")]
    NoTopic {
        /// The input.
        input: &'static str,
        /// Types of its topics.
        allowed: String,
        /// Topics with their types.
        found: String,
    },
    /// Several topics for an input.
    #[error("has several topics for {input}: {candidates}; choose by --topic {input}=TOPIC")]
    Ambiguous {
        /// The input.
        input: &'static str,
        /// Topics with their types.
        candidates: String,
    },
    /// A chosen topic that the bag lacks, or of another type.
    #[error("--topic {input}={topic}: {found}; must be one of {candidates}")]
    Topic {
        /// The input.
        input: &'static str,
        /// The chosen topic.
        topic: String,
        /// Content of the bag.
        found: String,
        /// Usable topics.
        candidates: String,
    },
    /// Joints that are not known as wheels.
    #[error(
        "{topic}: {found}; name the joint of each wheel by --joint N=NAME, N from 0, axle by axle, \
        left before right; the joints are {joints:?}"
    )]
    Joints {
        /// The topic.
        topic: String,
        /// The reason.
        found: String,
        /// Joints of the topic.
        joints: Vec<String>,
    },
    /// A topic without usable messages.
    #[error("{topic}: {found}")]
    Unusable {
        /// The topic.
        topic: String,
        /// The reason.
        found: String,
    },
    /// Topics at different times.
    #[error("no time has messages of all topics: {topics}; header stamps must be of one clock")]
    NoOverlap {
        /// Topics with the times of their stamps.
        topics: String,
    },
    /// A gap in a topic.
    #[error(
        "{topic}: no message for {seconds:.1} s after message {message}; must be at most 2 s: cut \
        the bag at the gap, or leave the topic out"
    )]
    Gap {
        /// The topic.
        topic: String,
        /// Number of the message before the gap, from 1 by stamps.
        message: usize,
        /// Length of the gap, s.
        seconds: f64,
    },
    /// The messages are no usable log.
    #[error("{source}; rows are messages of {topic}")]
    Log {
        /// Topic with a row a message.
        topic: String,
        /// The reason.
        source: DriveLogError,
    },
}
