//! Ranks that stop while the run continues: they hand over their agents and ground, then leave.

use crate::neighbour::Neighbourhood;
use crate::rank_error::RankError;
use crate::ranks::Ranks;
use bekker_world::RankAccess;

/// Simulated time between two queries whether a rank requests to leave, s.
const ASKED_EVERY: f64 = 1.0;

impl Ranks<'_> {
    /// Requests that this rank leave at the next query, within one simulated second.
    ///
    /// Returns whether it will. Rank 0 stays, and so do all ranks unless
    /// [`Sharing::leaving`](crate::ranks::Sharing::leaving) is set.
    pub fn ask_to_leave(&mut self) -> bool {
        self.wants_to_leave = self.leaving && self.rank() > 0;
        self.wants_to_leave
    }

    /// Whether this rank has left. It then has no agents and takes part in no exchange.
    pub fn has_left(&self) -> bool {
        self.has_left
    }

    /// Removes ranks that have requested to leave.
    ///
    /// Their agents and the ground at home on them move to the other ranks, which are then
    /// renumbered.
    pub(crate) fn part(&mut self) -> Result<(), RankError> {
        let (tick, clock) = (self.tick(), self.world.model().clock);
        if !self.leaving
            || tick == self.asked_at
            || !tick.is_multiple_of(clock.ticks_in(ASKED_EVERY))
        {
            return Ok(());
        }
        self.asked_at = tick;
        let own = if self.wants_to_leave { vec![self.rank()] } else { Vec::new() };
        let leaving = self.reduced("leaving", own, |one, other| [one, other].concat())?;
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
        let partition = self.partition.iter().map(next).collect();
        self.tell_homes()?;
        self.hand_over(partition)?;
        self.move_homes(&staying)?;
        if !self.communicator.shrink(&staying) {
            self.has_left = true;
            return Ok(());
        }
        let renumbered = |rank: &usize| staying.binary_search(rank).unwrap_or(0);
        self.partition = self.partition.iter().map(renumbered).collect();
        if self.size() == 1 {
            // A single rank is the home of all ground.
            if let Some(homes) = self.homes.take() {
                self.world.replace_tiles(homes.all());
            }
            self.neighbourhood = None;
        } else if let Some(ranks) = &self.neighbourhood {
            self.neighbourhood = Some(Neighbourhood::new(self.rank(), ranks.tile()));
            self.census()?;
            self.introduce()?;
        }
        Ok(())
    }

    /// Sends blocks of ground to the homes that they have when only the ranks `staying` remain.
    fn move_homes(&mut self, staying: &[usize]) -> Result<(), RankError> {
        let Some(mut homes) = self.homes.take() else { return Ok(()) };
        let moving = homes.move_to(staying);
        for (_, tiles) in self.post("ground", moving)? {
            homes.settle(tiles);
        }
        self.homes = Some(homes);
        Ok(())
    }
}
