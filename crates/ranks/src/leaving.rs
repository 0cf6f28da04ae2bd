//! Ranks that are told to stop while the run goes on: they hand over what they have, and go.

use crate::neighbour::Neighbourhood;
use crate::rank_error::RankError;
use crate::ranks::Ranks;

/// Time between two questions whether anybody wants to leave, s.
const ASKED_EVERY: f64 = 1.0;

impl Ranks<'_> {
    /// Has this rank leave at the next moment at which all are asked (a simulated second at
    /// most), if [`Sharing::leaving`](crate::ranks::Sharing::leaving) allows for it. The first rank
    /// stays. Whether it will.
    pub fn ask_to_leave(&mut self) -> bool {
        self.wants_to_leave = self.leaving && self.rank() > 0;
        self.wants_to_leave
    }

    /// Whether this rank has left: it has nothing any more, and takes part in nothing.
    pub fn has_left(&self) -> bool {
        self.has_left
    }

    /// Lets ranks leave that want to: their agents and the ground at home with them go to the
    /// others, which go on by new numbers.
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
        // those whose rank leaves go to the others in turn; a rebalancing may do better
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
            // alone all ground is at home here
            if let Some(homes) = self.homes.take() {
                self.world.take_over(homes.all());
            }
            self.neighbourhood = None;
        } else if let Some(ranks) = &self.neighbourhood {
            self.neighbourhood = Some(Neighbourhood::new(self.rank(), ranks.tile()));
            self.census()?;
            self.introduce()?;
        }
        Ok(())
    }

    /// Gives the blocks of ground to the homes that they have once only `staying` ranks are there.
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
