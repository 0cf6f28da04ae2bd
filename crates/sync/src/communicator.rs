//! How ranks reach each other.

use super::message::checksum;
use std::time::Duration;

/// Why an exchange failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommError {
    /// A rank is gone.
    #[error("rank {rank} is gone")]
    Gone {
        /// Which.
        rank: usize,
    },
    /// Ranks that did not answer.
    #[error("no answer from rank {} within {:.0} s", list(ranks), after.as_secs_f64())]
    Silent {
        /// Which.
        ranks: Vec<usize>,
        /// Time waited.
        after: Duration,
    },
    /// Lengths and bytes that do not go together.
    #[error("rank {rank} announced {announced} bytes and sent {sent}")]
    Length {
        /// Which rank.
        rank: usize,
        /// Bytes announced.
        announced: u64,
        /// Bytes sent.
        sent: u64,
    },
    /// What rank 0 sent on was altered on the way.
    #[error("checksum of what rank {rank} sent on is {found:08x}, must be {expected:08x}")]
    Checksum {
        /// Which rank.
        rank: usize,
        /// CRC-32 of what arrived.
        found: u32,
        /// CRC-32 that was sent along.
        expected: u32,
    },
    /// The transport's own error.
    #[error("{what}")]
    Transport {
        /// What it says.
        what: String,
    },
}

fn list(ranks: &[usize]) -> String {
    ranks.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// What came from all ranks, one part a rank; reused from exchange to exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<usize>,
}

impl Parts {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Appends the next rank's part.
    pub fn push(&mut self, part: &[u8]) {
        self.bytes.extend_from_slice(part);
        self.ends.push(self.bytes.len());
    }

    /// Room for parts of these lengths, each of zeros.
    #[cfg(feature = "mpi")]
    pub(super) fn lay_out(&mut self, lengths: &[u64]) {
        self.clear();
        let mut end = 0;
        self.ends.extend(lengths.iter().map(|&length| {
            end += length as usize;
            end
        }));
        self.bytes.resize(end, 0);
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The part at `index`.
    pub fn part(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// All parts in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.part(index))
    }

    /// Bytes in all parts.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// Time spent in the two phases of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Exchange of lengths.
    pub lengths: Duration,
    /// Exchange of bytes.
    pub payload: Duration,
}

/// Ranks numbered from 0 that exchange bytes.
///
/// Contract, which one test suite holds all implementations to:
/// - every exchange has two phases: lengths as 64-bit integers, then bytes;
/// - all ranks call the same exchanges in the same order; an exchange returns on
///   a rank when all that the rank is to receive has come, and no earlier;
/// - parts arrive whole, unchanged, and in the order of ranks; empty ones too;
/// - on return the sender's bytes may be reused;
/// - `meanwhile` is called exactly once, after what this rank sends is on its
///   way and before it waits;
/// - a rank that is gone or silent for longer than the time-out makes the others
///   return an error that names it; nobody waits for ever. After an error the
///   communicator is of no further use.
pub trait Communicator {
    /// Number of this rank.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Time since some moment that does not change: for figures, never for results.
    fn elapsed(&self) -> Duration;

    /// Gathers what all ranks contribute on all ranks, this one included.
    ///
    /// # Errors
    /// [`CommError`] when a rank is gone or silent.
    fn all_gather(
        &mut self,
        mine: &[u8],
        meanwhile: &mut dyn FnMut(),
        all: &mut Parts,
    ) -> Result<Phases, CommError>;

    /// Sends bytes to some ranks and receives from some; `to` and `from` are in
    /// ascending order and never name this rank. What a rank names in `to` must
    /// name it in `from`. `received` has a part for each of `from`.
    ///
    /// # Errors
    /// [`CommError`] when a rank is gone or silent.
    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut Parts,
    ) -> Result<Phases, CommError>;
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
        all: &mut Parts,
    ) -> Result<Phases, CommError> {
        (**self).all_gather(mine, meanwhile, all)
    }

    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut Parts,
    ) -> Result<Phases, CommError> {
        (**self).exchange(to, from, meanwhile, received)
    }
}

/// Everything to rank 0, which sends it on to all: the star of the SynChrono
/// paper. The outcome is that of [`Communicator::all_gather`].
///
/// # Errors
/// [`CommError`] when a rank is gone or silent.
pub fn star(
    communicator: &mut dyn Communicator,
    mine: &[u8],
    meanwhile: &mut dyn FnMut(),
    all: &mut Parts,
) -> Result<Phases, CommError> {
    let (rank, size) = (communicator.rank(), communicator.size());
    let others: Vec<usize> = (1..size).collect();
    let mut received = Parts::default();
    if rank == 0 {
        let up = communicator.exchange(&[], &others, meanwhile, &mut received)?;
        all.clear();
        all.push(mine);
        received.iter().for_each(|part| all.push(part));
        let bundle = bundled(all);
        let to: Vec<(usize, &[u8])> = others.iter().map(|&rank| (rank, &bundle[..])).collect();
        let down = communicator.exchange(&to, &[], &mut || (), &mut received)?;
        return Ok(sum(up, down));
    }
    let up = communicator.exchange(&[(0, mine)], &[], meanwhile, &mut received)?;
    let down = communicator.exchange(&[], &[0], &mut || (), &mut received)?;
    unbundle(received.part(0), size, all)?;
    Ok(sum(up, down))
}

fn sum(a: Phases, b: Phases) -> Phases {
    Phases { lengths: a.lengths + b.lengths, payload: a.payload + b.payload }
}

/// Bytes of the checksum ahead of a bundle.
const SEAL: usize = 4;

/// A checksum, lengths of all parts, then the parts.
fn bundled(all: &Parts) -> Vec<u8> {
    let mut bundle = Vec::with_capacity(SEAL + 8 * all.len() + all.bytes());
    bundle.extend_from_slice(&[0; SEAL]);
    all.iter().for_each(|part| bundle.extend_from_slice(&(part.len() as u64).to_le_bytes()));
    bundle.extend_from_slice(&all.bytes);
    let sum = checksum(&bundle[SEAL..]);
    bundle[..SEAL].copy_from_slice(&sum.to_le_bytes());
    bundle
}

fn unbundle(bundle: &[u8], size: usize, all: &mut Parts) -> Result<(), CommError> {
    all.clear();
    let sent = bundle.len() as u64;
    let wrong = |announced| CommError::Length { rank: 0, announced, sent };
    let (seal, bundle) = bundle.split_first_chunk::<SEAL>().ok_or_else(|| wrong(SEAL as u64))?;
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
