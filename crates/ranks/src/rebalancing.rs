//! Transfer of agents between ranks during a run.
//!
//! The rank that steps an agent does not affect its results, whenever it moves.

use crate::rank_error::RankError;
use crate::ranks::Ranks;

impl Ranks<'_> {
    /// Partitions agents again if that is due.
    pub(crate) fn rebalance(&mut self) -> Result<(), RankError> {
        let Ranks { world, collectives, rebalancer, .. } = self;
        match rebalancer.new_partition(world, collectives)? {
            Some(partition) => self.migrate(partition),
            None => Ok(()),
        }
    }

    /// Moves agents to the ranks that step them from now on. Call this on all ranks with the same
    /// partition.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost, or the partition does not fit agents and ranks.
    pub fn migrate(&mut self, partition: Vec<usize>) -> Result<(), RankError> {
        self.transfer_agents(partition)?;
        if self.neighbors.is_some() {
            self.hold_census()?;
            self.introduce_agents()?;
        }
        Ok(())
    }

    /// Sends own agents to their new ranks, and receives those that move to this rank.
    pub(crate) fn transfer_agents(&mut self, partition: Vec<usize>) -> Result<(), RankError> {
        let Ranks { world, collectives, rebalancer, .. } = self;
        for agent in rebalancer.transfer(partition, world, collectives)? {
            self.ghosts.remove(agent);
        }
        self.gatherer.discard_digests();
        self.exchange.restart_streams();
        Ok(())
    }
}
