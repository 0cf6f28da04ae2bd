//! Exchanges in ⌈log2 n⌉ rounds for n ranks, with at most one peer to send to and one to receive
//! from in each round.

use crate::rank_error::RankError;
use crate::ranks::Ranks;
use crate::sealed::{opened, sealed};
use bekker_sync::Communicator;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Data on its way from one rank to another.
#[derive(Serialize, Deserialize)]
struct Letter<T> {
    from: u16,
    to: u16,
    text: T,
}

impl Ranks<'_> {
    /// Performs one exchange. The received data is in `incoming`.
    pub(crate) fn pass(&mut self, to: &[(usize, &[u8])], from: &[usize]) -> Result<(), RankError> {
        let tick = self.tick();
        self.communicator
            .exchange(to, from, &mut || (), &mut self.incoming)
            .map_err(|source| RankError::Lost { tick, source })?;
        self.received_bytes += self.incoming.bytes() as u64;
        Ok(())
    }

    /// Delivers letters whose senders the receiving ranks cannot predict.
    ///
    /// A rank's letters to itself are delivered too.
    /// Returns the received letters, each with its sender, in the order of senders. In each round a
    /// letter is forwarded by a power of two of ranks if its remaining distance contains that power
    /// (J. Bruck et al., Efficient algorithms for all-to-all communications in multiport
    /// message-passing systems, 1997).
    pub(crate) fn post<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        letters: Vec<(usize, T)>,
    ) -> Result<Vec<(usize, T)>, RankError> {
        let (here, size, tick) = (self.rank(), self.size(), self.tick());
        let letter = |(to, text)| Letter { from: here as u16, to: to as u16, text };
        let mut underway: Vec<Letter<T>> = letters.into_iter().map(letter).collect();
        let mut away = 1;
        while away < size {
            let (to, from) = ((here + away) % size, (here + size - away) % size);
            let goes = |own: &Letter<T>| ((usize::from(own.to) + size - here) % size) & away != 0;
            let (onward, kept) = underway.into_iter().partition(goes);
            let onward: Vec<Letter<T>> = onward;
            self.pass(&[(to, &sealed(&onward))], &[from])?;
            underway = kept;
            let came: Vec<Letter<T>> = opened(from, tick, kind, self.incoming.part(0))?;
            underway.extend(came);
            away *= 2;
        }
        underway.sort_by_key(|own| own.from);
        Ok(underway.into_iter().map(|own| (usize::from(own.from), own.text)).collect())
    }

    /// Collects the lists of all ranks on rank 0 along a tree, concatenated in the order of ranks.
    pub(crate) fn collected<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: Vec<T>,
    ) -> Result<Option<Vec<T>>, RankError> {
        let behind = |mut all: Vec<T>, others: Vec<T>| {
            all.extend(others);
            all
        };
        let all = self.joined_upwards(kind, own, behind)?;
        Ok((self.rank() == 0).then_some(all))
    }

    /// Reduces the values of all ranks in the order of ranks, and sends the result to all.
    ///
    /// A tree with rank 0 as its root carries both directions.
    pub(crate) fn reduced<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: T,
        join: impl Fn(T, T) -> T,
    ) -> Result<T, RankError> {
        let (here, size, tick) = (self.rank(), self.size(), self.tick());
        let mut joined = self.joined_upwards(kind, own, join)?;
        let mut away = size.next_power_of_two();
        while away > 1 {
            away /= 2;
            match here % (2 * away) {
                0 if here + away < size => self.pass(&[(here + away, &sealed(&joined))], &[])?,
                further if further == away => {
                    self.pass(&[], &[here - away])?;
                    joined = opened(here - away, tick, kind, self.incoming.part(0))?;
                }
                _ => self.pass(&[], &[])?,
            }
        }
        Ok(joined)
    }

    /// Joins the values of this rank and of those below it in a tree, in the order of ranks. Rank 0
    /// is the root, so its result covers all ranks.
    fn joined_upwards<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: T,
        join: impl Fn(T, T) -> T,
    ) -> Result<T, RankError> {
        let (here, size, tick) = (self.rank(), self.size(), self.tick());
        let (mut joined, mut away) = (own, 1);
        while away < size {
            match here % (2 * away) {
                0 if here + away < size => {
                    self.pass(&[], &[here + away])?;
                    let theirs = opened(here + away, tick, kind, self.incoming.part(0))?;
                    joined = join(joined, theirs);
                }
                further if further == away => self.pass(&[(here - away, &sealed(&joined))], &[])?,
                _ => self.pass(&[], &[])?,
            }
            away *= 2;
        }
        Ok(joined)
    }
}
