//! Exchanges in which a rank speaks with few others, however many there are: in as many rounds
//! as doublings make their number.

use crate::rank_error::RankError;
use crate::ranks::Ranks;
use crate::sealed::{opened, sealed};
use bekker_sync::Communicator;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// On its way from one rank to another.
#[derive(Serialize, Deserialize)]
struct Letter<T> {
    from: u16,
    to: u16,
    text: T,
}

impl Ranks<'_> {
    /// One exchange; what came lies in `incoming`.
    pub(crate) fn pass(&mut self, to: &[(usize, &[u8])], from: &[usize]) -> Result<(), RankError> {
        let tick = self.tick();
        self.communicator
            .exchange(to, from, &mut || (), &mut self.incoming)
            .map_err(|source| RankError::Lost { tick, source })?;
        self.received_bytes += self.incoming.bytes() as u64;
        Ok(())
    }

    /// Brings letters to ranks that need not know who writes to them, and this rank's own to it;
    /// what came, each with its sender, in the order of senders. Letters go on by a power of two
    /// of ranks where their way has it (J. Bruck et al., Efficient algorithms for all-to-all
    /// communications in multiport message-passing systems, 1997).
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

    /// What all ranks have, one list behind the other in the order of ranks, on the first; it
    /// goes to it along a tree.
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

    /// What all ranks have, joined in the order of ranks along a tree to the first and told to
    /// all along the same tree.
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

    /// What this rank and those below it in a tree have, joined in the order of ranks: of all on
    /// the first, whose tree is the whole.
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
