//! Types that participants exchange: plain IDL types in little-endian CDR, usable by any DDS.
//!
//! `docs/howto/ranks_over_dds.md` gives them as IDL.

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Version of this protocol.
pub(super) const PROTOCOL: u16 = 1;
/// Topic and type of [`ParticipantHello`].
pub(super) const HELLO: [&str; 2] = ["bekker/hello", "bekker::Hello"];
/// Topic and type of [`ParticipantRefusal`].
pub(super) const REFUSAL: [&str; 2] = ["bekker/refusal", "bekker::Refusal"];
/// Type of [`Fragment`].
pub(super) const FRAGMENT: &str = "bekker::Portion";
/// Maximum number of bytes of a portion. A part is split into as many portions as needed.
pub(super) const MAX_FRAGMENT_BYTES: usize = 48 << 10;

/// Presence message of a participant, sent twice a second, best effort.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ParticipantHello {
    pub protocol: u16,
    /// Rank of the participant, or requested rank.
    pub rank: u16,
    /// Rank count.
    pub size: u16,
    /// Identifier of the participant, drawn at random when it starts.
    pub participant: u64,
    /// Hash of the token, shared by the ranks of a run.
    pub group: String,
    /// Program and version.
    pub program: String,
    /// Process that sends the message, for error messages.
    pub place: String,
    /// Participants admitted by rank 0, in rank order. Empty until all have joined. Rank 0
    /// announces them, and the others repeat them.
    pub run: Vec<u64>,
    /// Number of exchanges that the participant has begun.
    pub exchange: u64,
    /// Whether it waits for other ranks in the last of these exchanges.
    pub waits: bool,
}

/// Rank 0's rejection of a participant, sent in answer to each of its hellos, best effort.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ParticipantRefusal {
    /// Identifier of the rejected participant.
    pub participant: u64,
    /// Reason.
    pub reason: String,
}

/// The sender is present. `total` has a bit for each rank from which it has received this message.
pub(super) const READY: u8 = 0;
/// Bytes of an exchange.
pub(super) const PAYLOAD: u8 = 1;
/// The receiver has taken `total` portions of payload. A disconnect counts as one more portion.
pub(super) const CONFIRMATION: u8 = 2;
/// The sender disconnects. The bytes encode the reason, and are empty after a regular end.
pub(super) const LEAVE: u8 = 3;

/// Message from rank to rank, reliable, on a topic that only the receiving rank reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fragment {
    /// Number of the exchange, from 1.
    pub exchange: u64,
    /// Length of the whole part, bytes. Other meanings by kind.
    pub total: u64,
    /// Offset of these bytes in the part.
    pub offset: u64,
    pub from: u16,
    pub kind: u8,
    pub bytes: Octets,
}

/// Returns the topic on which a rank of a run receives.
pub(super) fn to_rank(run: u64, rank: usize) -> String {
    format!("bekker/{run:016x}/{rank}")
}

/// A sequence of octets, serialized as one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Octets(pub Vec<u8>);

impl Serialize for Octets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Octets, D::Error> {
        struct OctetsVisitor;

        impl Visitor<'_> for OctetsVisitor {
            type Value = Octets;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("octets")
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Octets, E> {
                Ok(Octets(bytes))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Octets, E> {
                Ok(Octets(bytes.to_vec()))
            }
        }
        deserializer.deserialize_byte_buf(OctetsVisitor)
    }
}
