//! What participants write to each other: plain IDL types in CDR, little endian, that any DDS
//! can speak (`docs/howto/ranks_over_dds.md` has them as IDL).

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Version of all that is said here.
pub(super) const PROTOCOL: u16 = 1;
/// Topic and type of [`Hello`].
pub(super) const HELLO: [&str; 2] = ["bekker/hello", "bekker::Hello"];
/// Topic and type of [`Refusal`].
pub(super) const REFUSAL: [&str; 2] = ["bekker/refusal", "bekker::Refusal"];
/// Type of [`Portion`].
pub(super) const PORTION: &str = "bekker::Portion";
/// Most bytes of a portion: a part goes in as many as it takes.
pub(super) const LARGEST_PORTION: usize = 48 << 10;

/// A participant shows that it is there: twice a second, best effort.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hello {
    pub protocol: u16,
    /// Which rank it is, or wants to be.
    pub rank: u16,
    /// Of how many.
    pub size: u16,
    /// A number of its own, drawn when it begins.
    pub participant: u64,
    /// What the ranks of a run share: a hash of their token.
    pub group: String,
    /// Program and version.
    pub program: String,
    /// Where it runs, for messages.
    pub place: String,
    /// Whom rank 0 has admitted, in the order of ranks, once all are there: rank 0 says so, and
    /// the others repeat it. Empty before.
    pub run: Vec<u64>,
    /// Exchanges that it has begun.
    pub exchange: u64,
    /// Whether it waits for others in the last of them.
    pub waits: bool,
}

/// Rank 0 tells a participant that it cannot take part: best effort, at each of its hellos.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Refusal {
    /// Who is refused.
    pub participant: u64,
    /// Why.
    pub why: String,
}

/// The sender is there; `total` has a bit for each rank that it has heard so.
pub(super) const READY: u8 = 0;
/// Bytes of an exchange.
pub(super) const PAYLOAD: u8 = 1;
/// The receiver has taken `total` portions of payload; a leave counts as one more.
pub(super) const TAKEN: u8 = 2;
/// The sender leaves; why, if it did not simply end.
pub(super) const LEAVE: u8 = 3;

/// From rank to rank, reliable: written to the topic that the receiving rank alone reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Portion {
    /// Which exchange, from 1.
    pub exchange: u64,
    /// Bytes of the whole part; other meanings by kind.
    pub total: u64,
    /// Where in it these bytes begin.
    pub offset: u64,
    pub from: u16,
    pub kind: u8,
    pub bytes: Octets,
}

/// Topic of what a rank of a run receives.
pub(super) fn to_rank(run: u64, rank: usize) -> String {
    format!("bekker/{run:016x}/{rank}")
}

/// A sequence of octets, which goes and comes in one piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Octets(pub Vec<u8>);

impl Serialize for Octets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Octets, D::Error> {
        struct InOnePiece;

        impl Visitor<'_> for InOnePiece {
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
        deserializer.deserialize_byte_buf(InOnePiece)
    }
}
