//! Ranks that stop while the run continues: they hand over their agents and ground, then leave.

use crate::rank_error::RankError;
use crate::ranks::Ranks;
use bekker_world::RankAccess;

impl Ranks<'_> {
    /// Requests that this rank leave at the next query, within one simulated second.
    ///
    /// Returns whether it will. Rank 0 stays, and so do all ranks unless
    /// [`Sharing::leaving`](crate::Sharing::leaving) is set.
    pub fn request_departure(&mut self) -> bool {
        self.departure.request(self.collectives.rank())
    }

    /// Whether this rank has left. It then has no agents and takes part in no exchange.
    pub fn has_left(&self) -> bool {
        self.departure.has_left()
    }

    /// Removes ranks that have requested to leave.
    ///
    /// Their agents and the ground at home on them move to the other ranks, which are then
    /// renumbered.
    pub(crate) fn remove_leaving_ranks(&mut self) -> Result<(), RankError> {
        if self.size() == 1 {
            return Ok(());
        }
        let clock = self.world.model().clock;
        let leaving = self.departure.leaving_ranks(&clock, &mut self.collectives)?;
        if leaving.is_empty() {
            return Ok(());
        }
        let stays = |rank: &usize| !leaving.contains(rank);
        let staying: Vec<usize> = (0..self.size()).filter(stays).collect();
        // The agents of leaving ranks go to the others in turn. A later rebalancing may improve on
        // this.
        let mut turn = (0..).map(|turn| staying[turn % staying.len()]);
        let next = |&rank: &usize| match leaving.contains(&rank) {
            true => turn.next().unwrap_or(0),
            false => rank,
        };
        let partition = self.partition().iter().map(next).collect();
        self.update_directory()?;
        self.transfer_agents(partition)?;
        self.move_homes(&staying)?;
        if !self.collectives.shrink(&staying) {
            self.departure.complete();
            return Ok(());
        }
        self.rebalancer.renumber(&staying);
        if self.size() == 1 {
            // A single rank is the home of all ground.
            if let Some(neighbors) = self.neighbors.take() {
                self.world.replace_tiles(neighbors.directory.all());
            }
        } else if let Some(neighbors) = &mut self.neighbors {
            neighbors.census.renumber(self.collectives.rank());
            self.hold_census()?;
            self.introduce_agents()?;
        }
        Ok(())
    }

    /// Sends blocks of ground to the homes that they have when only the ranks `staying` remain.
    fn move_homes(&mut self, staying: &[usize]) -> Result<(), RankError> {
        let Some(neighbors) = &mut self.neighbors else { return Ok(()) };
        let directory = &mut neighbors.directory;
        let moving = directory.renumber(staying);
        for (_, tiles) in self.collectives.route_messages("ground", moving)? {
            directory.add_tiles(tiles);
        }
        Ok(())
    }
}
