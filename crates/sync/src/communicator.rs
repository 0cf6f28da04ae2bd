//! The transport between ranks: the [`Communicator`] trait and its errors.

use super::message::checksum;
use std::time::Duration;

/// Reason why an exchange failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommError {
    /// A rank has disconnected.
    #[error("rank {rank} has disconnected")]
    Gone {
        /// Number of the rank.
        rank: usize,
    },
    /// Ranks did not answer within the timeout.
    #[error("no answer from rank {} within {:.0} s", list(ranks), after.as_secs_f64())]
    Silent {
        /// Numbers of the ranks.
        ranks: Vec<usize>,
        /// Time waited.
        after: Duration,
    },
    /// The received length differs from the announced length.
    #[error("rank {rank} announced {announced} bytes but sent {sent}")]
    Length {
        /// Number of the rank.
        rank: usize,
        /// Bytes announced.
        announced: u64,
        /// Bytes sent.
        sent: u64,
    },
    /// A bundle relayed by rank 0 was altered in transit.
    #[error("checksum of data relayed by rank {rank} is {found:08x}; must be {expected:08x}")]
    Checksum {
        /// Number of the rank.
        rank: usize,
        /// CRC-32 of the received bytes.
        found: u32,
        /// CRC-32 sent with the bundle.
        expected: u32,
    },
    /// An error of the underlying transport.
    #[error("{what}")]
    Transport {
        /// Message of the transport.
        what: String,
    },
}

fn list(ranks: &[usize]) -> String {
    ranks.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// Bytes received from several ranks, one part per rank. Reused between exchanges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankBuffers {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<usize>,
}

impl RankBuffers {
    /// Removes all parts, keeps the allocated memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Appends the next rank's part.
    pub fn push(&mut self, part: &[u8]) {
        self.bytes.extend_from_slice(part);
        self.ends.push(self.bytes.len());
    }

    /// Replaces the content by zeroed parts of these lengths.
    #[cfg(feature = "mpi")]
    pub(super) fn resize_parts(&mut self, lengths: &[u64]) {
        self.clear();
        let mut end = 0;
        self.ends.extend(lengths.iter().map(|&length| {
            end += length as usize;
            end
        }));
        self.bytes.resize(end, 0);
    }

    /// Returns the number of parts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no parts.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the part at `index`.
    pub fn part(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// Iterates over the parts in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.part(index))
    }

    /// Returns the total length of all parts, bytes.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// Time spent in the two phases of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExchangeTimes {
    /// Time to exchange lengths.
    pub lengths: Duration,
    /// Time to exchange bytes.
    pub payload: Duration,
}

/// A group of ranks, numbered from 0, that exchange bytes.
///
/// Contract, checked by one test suite ([`contract::check`](crate::contract::check)) for all
/// implementations:
/// - Every exchange has two phases: lengths as 64-bit integers, then bytes.
/// - All ranks call the same exchanges in the same order. An exchange returns on a rank once
///   everything addressed to that rank has arrived, and no earlier.
/// - Parts arrive complete, unchanged and in rank order, including empty ones.
/// - The sender's bytes may be reused on return.
/// - `meanwhile` is called exactly once, after this rank has started to send and before it waits.
/// - If a rank is gone, or silent for longer than the timeout, the other ranks return an error that
///   names it. No rank waits forever. After an error the communicator is unusable.
pub trait Communicator {
    /// Returns the number of this rank.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Returns the time since a fixed instant. For metrics only, never for results.
    fn elapsed(&self) -> Duration;

    /// Gathers the bytes of all ranks on all ranks, including this one.
    ///
    /// # Errors
    /// [`CommError`] when a rank is gone or silent.
    fn all_gather(
        &mut self,
        mine: &[u8],
        meanwhile: &mut dyn FnMut(),
        all: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError>;

    /// Sends bytes to some ranks and receives bytes from others.
    ///
    /// `to` and `from` are in ascending order and do not contain this rank. A rank in `to` must
    /// list this rank in its `from`. `received` gets one part for each rank in `from`.
    ///
    /// # Errors
    /// [`CommError`] when a rank is gone or silent.
    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError>;
}

impl<C: Communicator + ?Sized> Communicator for Box<C> {
    fn rank(&self) -> usize {
        (**self).rank()
    }

    fn size(&self) -> usize {
        (**self).size()
    }

    fn elapsed(&self) -> Duration {
        (**self).elapsed()
    }

    fn all_gather(
        &mut self,
        mine: &[u8],
        meanwhile: &mut dyn FnMut(),
        all: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        (**self).all_gather(mine, meanwhile, all)
    }

    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        (**self).exchange(to, from, meanwhile, received)
    }
}

/// Gathers all parts on rank 0, which relays them to all ranks.
///
/// This is the star topology of the SynChrono paper. The result equals that of
/// [`Communicator::all_gather`].
///
/// # Errors
/// [`CommError`] when a rank is gone or silent.
pub fn star_all_gather(
    communicator: &mut dyn Communicator,
    mine: &[u8],
    meanwhile: &mut dyn FnMut(),
    all: &mut RankBuffers,
) -> Result<ExchangeTimes, CommError> {
    let (rank, size) = (communicator.rank(), communicator.size());
    let others: Vec<usize> = (1..size).collect();
    let mut received = RankBuffers::default();
    if rank == 0 {
        let up = communicator.exchange(&[], &others, meanwhile, &mut received)?;
        all.clear();
        all.push(mine);
        received.iter().for_each(|part| all.push(part));
        let bundle = bundle_parts(all);
        let to: Vec<(usize, &[u8])> = others.iter().map(|&rank| (rank, &bundle[..])).collect();
        let down = communicator.exchange(&to, &[], &mut || (), &mut received)?;
        return Ok(sum(up, down));
    }
    let up = communicator.exchange(&[(0, mine)], &[], meanwhile, &mut received)?;
    let down = communicator.exchange(&[], &[0], &mut || (), &mut received)?;
    unbundle(received.part(0), size, all)?;
    Ok(sum(up, down))
}

fn sum(a: ExchangeTimes, b: ExchangeTimes) -> ExchangeTimes {
    ExchangeTimes { lengths: a.lengths + b.lengths, payload: a.payload + b.payload }
}

/// Length of the checksum in front of a bundle, bytes.
const CHECKSUM_LENGTH: usize = 4;

/// Serializes a checksum, the lengths of all parts, then the parts.
fn bundle_parts(all: &RankBuffers) -> Vec<u8> {
    let mut bundle = Vec::with_capacity(CHECKSUM_LENGTH + 8 * all.len() + all.bytes());
    bundle.extend_from_slice(&[0; CHECKSUM_LENGTH]);
    all.iter().for_each(|part| bundle.extend_from_slice(&(part.len() as u64).to_le_bytes()));
    bundle.extend_from_slice(&all.bytes);
    let sum = checksum(&bundle[CHECKSUM_LENGTH..]);
    bundle[..CHECKSUM_LENGTH].copy_from_slice(&sum.to_le_bytes());
    bundle
}

fn unbundle(bundle: &[u8], size: usize, all: &mut RankBuffers) -> Result<(), CommError> {
    all.clear();
    let sent = bundle.len() as u64;
    let wrong = |announced| CommError::Length { rank: 0, announced, sent };
    let (seal, bundle) = bundle
        .split_first_chunk::<CHECKSUM_LENGTH>()
        .ok_or_else(|| wrong(CHECKSUM_LENGTH as u64))?;
    let (found, expected) = (checksum(bundle), u32::from_le_bytes(*seal));
    if found != expected {
        return Err(CommError::Checksum { rank: 0, found, expected });
    }
    let (lengths, mut rest) =
        bundle.split_at_checked(8 * size).ok_or_else(|| wrong(8 * size as u64))?;
    for length in lengths.chunks_exact(8) {
        let length = u64::from_le_bytes(length.try_into().expect("chunks of eight bytes"));
        let cut = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        let (part, others) = cut.ok_or_else(|| wrong(length))?;
        all.push(part);
        rest = others;
    }
    Ok(())
}
