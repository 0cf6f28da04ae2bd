//! A communicator of the ranks that remain after others have left by agreement.

use super::communicator::{CommError, Communicator, ExchangeTimes, RankBuffers};
use std::time::Duration;

/// The remaining ranks of a communicator, renumbered in their order.
///
/// Initially these are all ranks.
pub struct LiveRanks<'c> {
    all: Box<dyn Communicator + 'c>,
    /// Numbers in the underlying communicator, in ascending order. `None` until a rank leaves.
    members: Option<Vec<usize>>,
}

impl<'c> LiveRanks<'c> {
    /// Creates a communicator of all ranks.
    pub fn new(all: impl Communicator + 'c) -> LiveRanks<'c> {
        LiveRanks { all: Box::new(all), members: None }
    }

    /// Continues with only the ranks `staying`, given by their current numbers in ascending order.
    ///
    /// All current ranks must call this with the same list. Returns whether this rank stays. A rank
    /// that does not stay can make no further exchange.
    pub fn shrink(&mut self, staying: &[usize]) -> bool {
        let here = self.rank();
        let number = |rank: &usize| self.members.as_ref().map_or(*rank, |own| own[*rank]);
        self.members = Some(staying.iter().map(number).collect());
        staying.contains(&here)
    }

    /// Translates rank numbers in an error from the underlying communicator to the current ones.
    fn renumbered(members: &[usize], error: CommError) -> CommError {
        let here = |rank: usize| members.binary_search(&rank).unwrap_or(rank);
        match error {
            CommError::Gone { rank } => CommError::Gone { rank: here(rank) },
            CommError::Silent { ranks, after } => {
                // ranks that have left do not answer either, but no rank waits for them
                let there = |rank: usize| members.binary_search(&rank).ok();
                CommError::Silent { ranks: ranks.into_iter().filter_map(there).collect(), after }
            }
            CommError::Length { rank, announced, sent } => {
                CommError::Length { rank: here(rank), announced, sent }
            }
            CommError::Checksum { rank, found, expected } => {
                CommError::Checksum { rank: here(rank), found, expected }
            }
            other => other,
        }
    }
}

impl Communicator for LiveRanks<'_> {
    fn rank(&self) -> usize {
        let below = self.all.rank();
        let here = |members: &Vec<usize>| members.binary_search(&below).unwrap_or(usize::MAX);
        self.members.as_ref().map_or(below, here)
    }

    fn size(&self) -> usize {
        self.members.as_ref().map_or(self.all.size(), Vec::len)
    }

    fn elapsed(&self) -> Duration {
        self.all.elapsed()
    }

    fn all_gather(
        &mut self,
        mine: &[u8],
        meanwhile: &mut dyn FnMut(),
        all: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        if self.members.is_none() {
            return self.all.all_gather(mine, meanwhile, all);
        }
        let here = self.rank();
        let others: Vec<usize> = (0..self.size()).filter(|&rank| rank != here).collect();
        let to: Vec<(usize, &[u8])> = others.iter().map(|&rank| (rank, mine)).collect();
        let mut received = RankBuffers::default();
        let phases = self.exchange(&to, &others, meanwhile, &mut received)?;
        all.clear();
        for rank in 0..self.size() {
            match others.binary_search(&rank) {
                Ok(at) => all.push(received.part(at)),
                Err(_) => all.push(mine),
            }
        }
        Ok(phases)
    }

    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        let LiveRanks { all, members } = self;
        let Some(members) = members else { return all.exchange(to, from, meanwhile, received) };
        let to: Vec<(usize, &[u8])> =
            to.iter().map(|&(rank, bytes)| (members[rank], bytes)).collect();
        let from: Vec<usize> = from.iter().map(|&rank| members[rank]).collect();
        all.exchange(&to, &from, meanwhile, received)
            .map_err(|error| LiveRanks::renumbered(members, error))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Threads;
    use super::super::contract::check;
    use super::*;
    use std::time::Duration;

    /// Two of five ranks leave, then one more. The remaining ranks still fulfill the contract.
    #[test]
    fn those_that_are_left_keep_the_contract() {
        std::thread::scope(|scope| {
            let ranks = Threads::ranks(5, Duration::from_secs(60));
            let threads: Vec<_> = ranks
                .into_iter()
                .map(|rank| {
                    scope.spawn(move || {
                        let mut rank = LiveRanks::new(rank);
                        check(&mut rank).unwrap();
                        for staying in [&[0, 2, 4][..], &[0, 2]] {
                            if !rank.shrink(staying) {
                                return None;
                            }
                            check(&mut rank).unwrap();
                        }
                        Some((rank.rank(), rank.size()))
                    })
                })
                .collect();
            let ends: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            assert_eq!(ends, [Some((0, 2)), None, None, None, Some((1, 2))]);
        });
    }

    #[test]
    fn a_lost_rank_is_named_by_its_known_number() {
        let mut ranks: Vec<_> =
            Threads::ranks(3, Duration::from_secs(60)).into_iter().map(LiveRanks::new).collect();
        let last = ranks.pop();
        let mut first = ranks.swap_remove(0);
        assert!(first.shrink(&[0, 2]));
        drop(last);
        let error = first.exchange(&[], &[1], &mut || (), &mut RankBuffers::default()).unwrap_err();
        assert_eq!(error, CommError::Gone { rank: 1 });
    }
}
