//! Who is told of whom by [`Route::Neighbour`](super::Route::Neighbour), and how a rank
//! gets the ground that it was not told of.

use super::{HeartbeatFigures, Ranks};
use crate::simulation::neighbour::{CENSUS, Neighbourhood, Region};
use crate::simulation::rank_error::RankError;
use crate::sync::ground_code::Memory;
use crate::sync::message::{Body, MessageFault, Origin, Reader};
use crate::sync::{Communicator, Parts};

impl<C: Communicator> Ranks<C> {
    /// Takes a census, and makes up for ground that was not told.
    pub(super) fn census(&mut self, figures: &mut HeartbeatFigures) -> Result<(), RankError> {
        let clock = self.world.model().clock;
        let Some(mut ranks) = self.neighbourhood.take() else { return Ok(()) };
        let tile = ranks.tile();
        let own: Vec<Region> = self.own_agents(|agent, _| {
            let (centre, speed) = self.world.place(agent as usize);
            Region::around(agent as usize, centre, speed, clock.heartbeat(), tile)
        });
        let regions: Vec<Region> = self.gathered("census", &own)?.into_iter().flatten().collect();
        figures.received_bytes += self.incoming.bytes() as u64;
        let agents = self.world.model().agents.iter().enumerate();
        let mut follows: Vec<(usize, usize)> =
            agents.filter_map(|(agent, model)| Some((agent, model.leader?.agent))).collect();
        // who tows and who is towed need each other, however long the rope
        for link in &self.world.model().tows {
            let [one, other] = link.agents;
            follows.extend([(one, other), (other, one)]);
        }
        ranks.close();
        let needy = ranks.census(&regions, &self.partition, &follows);
        let givers = self.gathered("needs", &needy)?;
        figures.received_bytes += self.incoming.bytes() as u64;
        let here = self.rank();
        let from: Vec<usize> =
            (0..givers.len()).filter(|&rank| givers[rank].contains(&here)).collect();
        self.make_up(&mut ranks, &needy, &from)?;
        figures.received_bytes += self.incoming.bytes() as u64;
        ranks.due = self.tick() + ((CENSUS / clock.step()) as u64).max(clock.steps_per_heartbeat());
        // new peers have not heard what came before
        self.memories.iter_mut().for_each(Memory::forget);
        self.world.hear_only(&ranks.received);
        for (ghost, received) in self.ghosts.iter_mut().zip(&ranks.received) {
            ghost.take_if(|_| !received);
        }
        self.neighbourhood = Some(ranks);
        Ok(())
    }

    /// The first own agent that is not sure to keep to its region over a further
    /// heartbeat. Its ground beyond is told to this rank at a census, before it gets there.
    pub(super) fn outran(&self) -> Option<u32> {
        let ranks = self.neighbourhood.as_ref()?;
        let heartbeat = self.world.model().clock.heartbeat();
        let outran = |region: &&Region| {
            let (place, speed) = self.world.place(region.agent as usize);
            !region.lasts(place, speed, heartbeat, ranks.tile())
        };
        ranks.regions().find(outran).map(|region| region.agent)
    }

    /// Gives ranks what they are owed, and takes the same from others.
    fn make_up(
        &mut self,
        ranks: &mut Neighbourhood,
        to: &[usize],
        from: &[usize],
    ) -> Result<(), RankError> {
        let tick = self.tick();
        let origin = Origin { run: self.run, tick, rank: self.rank() as u16, ..Origin::default() };
        let mut given = Parts::default();
        for &rank in to {
            self.outgoing.clear();
            for patches in ranks.settle(rank) {
                let agent = patches.iter().next().map_or(0, |patch| patch.agent.into());
                let origin = Origin { agent, ..origin };
                self.writer.catch_up(&origin, &patches, &mut self.outgoing);
            }
            given.push(&self.outgoing);
        }
        let to: Vec<(usize, &[u8])> = to.iter().copied().zip(given.iter()).collect();
        self.communicator
            .exchange(&to, from, &mut || (), &mut self.incoming)
            .map_err(|source| RankError::Lost { tick, source })?;
        self.patches.clear();
        for (part, &rank) in self.incoming.iter().zip(from) {
            let corrupt = |fault| RankError::Corrupt { rank, tick, kind: "catch-up", fault };
            let mut reader = Reader::new(part);
            while let Some((sender, body)) =
                reader.next(&mut [], &mut self.patches).map_err(corrupt)?
            {
                let due = Origin { rank: rank as u16, agent: sender.agent, ..origin };
                if !matches!(body, Body::CatchUp(_)) || sender != due {
                    let expected = "catch-up";
                    let fault = MessageFault::Kind { found: "another message", expected };
                    return Err(corrupt(fault));
                }
            }
        }
        self.world.catch_up(&self.patches);
        Ok(())
    }

    /// Rank 0 is told all ground that it has not been told.
    pub(super) fn complete_first(&mut self) -> Result<(), RankError> {
        let Some(mut ranks) = self.neighbourhood.take() else { return Ok(()) };
        ranks.close();
        if self.rank() == 0 {
            let others: Vec<usize> = (1..self.size()).collect();
            self.make_up(&mut ranks, &[], &others)?;
        } else {
            self.make_up(&mut ranks, &[0], &[])?;
        }
        self.neighbourhood = Some(ranks);
        Ok(())
    }
}
