//! The messages of a heartbeat: written for own agents, exchanged, and read.

use crate::figures::HeartbeatFigures;
use crate::gathering::digests_of;
use crate::rank_error::RankError;
use crate::ranks::{Announced, Ranks, Route};
use bekker_ground::Patches;
use bekker_sync::ghost::Ghost;
use bekker_sync::ground_code::Memory;
use bekker_sync::message::{Body, MessageFault, Origin, Reader};
use bekker_sync::{Communicator, Phases, star};
use std::collections::btree_map::Entry;

impl Ranks<'_> {
    /// Writes a message for each own agent that another rank receives.
    ///
    /// With a neighbourhood it also assembles the message for each receiving rank.
    pub(crate) fn write(&mut self, quit: bool, figures: &mut HeartbeatFigures) {
        let tick = self.world.state().tick;
        let rank = self.communicator.rank();
        let origin =
            |agent: usize| Origin { run: self.run, tick, rank: rank as u16, agent: agent as u32 };
        let Ranks { world, writer, outgoing, announced, addressed, neighbourhood, homes, .. } =
            self;
        outgoing.clear();
        announced.clear();
        for &agent in world.own_agents() {
            figures.agents += 1;
            if let Some(homes) = homes.as_mut().filter(|_| neighbourhood.is_some()) {
                homes.leave(world.patches(agent));
            }
            let told = neighbourhood.as_ref().map_or([true, false], |ranks| {
                [ranks.hearers(agent), ranks.watchers(agent)].map(|ranks| !ranks.is_empty())
            });
            if told == [false; 2] {
                continue;
            }
            let (state, patches) = world.outgoing(agent);
            let (origin, begun) = (origin(agent), outgoing.len());
            if told[0] {
                let memory = &mut self.memories[agent];
                writer.agent_heartbeat(&origin, &state, patches, memory, outgoing);
                figures.nodes += patches.states().len() as u64;
                figures.ground_bytes += writer.ground_bytes() as u64;
            }
            let whole = begun..outgoing.len();
            if told[1] {
                let (nothing, mut memory) = (Patches::default(), Memory::default());
                writer.agent_heartbeat(&origin, &state, &nothing, &mut memory, outgoing);
            }
            let seen = whole.end..outgoing.len();
            announced.push(Announced { agent, whole, seen });
        }
        figures.announced = announced.len() as u64;
        figures.state_bytes = outgoing.len() as u64 - figures.ground_bytes;
        if let Some(ranks) = neighbourhood {
            addressed.clear();
            for hearer in &ranks.hearers {
                let mut message = Vec::new();
                for Announced { agent, whole, seen } in &*announced {
                    if ranks.hearers(*agent).contains(hearer) {
                        message.extend_from_slice(&outgoing[whole.clone()]);
                    } else if ranks.watchers(*agent).contains(hearer) {
                        message.extend_from_slice(&outgoing[seen.clone()]);
                    }
                }
                addressed.push(&message);
            }
        } else if quit {
            writer.quit(&origin(0), "interrupted", outgoing);
        }
    }

    /// Sends this heartbeat to the receiving ranks and receives theirs. Returns the sender of each
    /// part.
    pub(crate) fn exchange(
        &mut self,
        figures: &mut HeartbeatFigures,
    ) -> Result<Vec<usize>, RankError> {
        let Ranks { neighbourhood, communicator, outgoing, incoming, addressed, world, .. } = self;
        let (digest, digests, route) = (self.digest, &mut self.digests, self.route);
        let size = communicator.size();
        // Work that needs no data of other ranks is done while waiting for them.
        let mut meanwhile = || *digests = digest.then(|| digests_of(world));
        let tick = world.state().tick;
        let lost = |source| RankError::Lost { tick, source };
        let Some(ranks) = neighbourhood else {
            let phases = match route {
                Route::Star => star(communicator, outgoing, &mut meanwhile, incoming),
                _ => communicator.all_gather(outgoing, &mut meanwhile, incoming),
            };
            Phases { lengths: figures.lengths, payload: figures.payload } = phases.map_err(lost)?;
            self.received_bytes += self.incoming.bytes() as u64;
            return Ok((0..size).collect());
        };
        for region in ranks.regions() {
            let agent = region.agent as usize;
            if !region.holds(world.place(agent).0, ranks.tile()) {
                return Err(RankError::Outran { agent, tick });
            }
        }
        let to: Vec<(usize, &[u8])> = ranks.hearers.iter().copied().zip(addressed.iter()).collect();
        let phases =
            communicator.exchange(&to, &ranks.speakers, &mut meanwhile, incoming).map_err(lost)?;
        Phases { lengths: figures.lengths, payload: figures.payload } = phases;
        let speakers = ranks.speakers.clone();
        self.received_bytes += self.incoming.bytes() as u64;
        Ok(speakers)
    }

    pub(crate) fn all_gather(&mut self) -> Result<Phases, RankError> {
        let Ranks { communicator, outgoing, incoming, .. } = self;
        let exchanged = match self.route {
            Route::All | Route::Neighbour => {
                communicator.all_gather(outgoing, &mut || (), incoming)
            }
            Route::Star => star(communicator, outgoing, &mut || (), incoming),
        };
        let tick = self.world.state().tick;
        let phases = exchanged.map_err(|source| RankError::Lost { tick, source })?;
        self.received_bytes += self.incoming.bytes() as u64;
        Ok(phases)
    }

    /// Reads a heartbeat of all other ranks. Returns whether any of them requests to quit.
    ///
    /// Nothing is applied before all messages have been read and validated.
    pub(crate) fn read(&mut self, senders: &[usize]) -> Result<bool, RankError> {
        let tick = self.tick();
        self.patches.clear();
        self.received.clear();
        let mut quit = false;
        let here = self.communicator.rank();
        for (part, &rank) in self.incoming.iter().zip(senders).filter(|&(_, &rank)| rank != here) {
            let corrupt = |fault| RankError::Corrupt { rank, tick, kind: "heartbeat", fault };
            let wrong = |what, found: u64, expected: u64| {
                corrupt(MessageFault::Origin { what, found, expected })
            };
            let mut reader = Reader::new(part);
            while let Some((origin, body)) =
                reader.next(&mut self.memories, &mut self.patches).map_err(corrupt)?
            {
                if origin.run != self.run {
                    return Err(wrong("run", origin.run.into(), self.run.into()));
                }
                if origin.tick != tick {
                    return Err(wrong("tick", origin.tick, tick));
                }
                if usize::from(origin.rank) != rank {
                    return Err(wrong("rank", origin.rank.into(), rank as u64));
                }
                match body {
                    Body::AgentHeartbeat(state, _) => {
                        let agent = origin.agent as usize;
                        match self.partition.get(agent) {
                            Some(&driver) if driver == rank => self.received.push((agent, state)),
                            driver => {
                                let driver = driver.map_or(u64::MAX, |&driver| driver as u64);
                                return Err(wrong("rank of the agent", rank as u64, driver));
                            }
                        }
                    }
                    Body::Quit(_) => quit = true,
                    _ => {
                        let (found, expected) = ("different message", "agent heartbeat");
                        return Err(corrupt(MessageFault::Kind { found, expected }));
                    }
                }
            }
        }
        self.received.sort_by_key(|(agent, _)| *agent);
        let came = |agent: usize| self.received.binary_search_by_key(&agent, |own| own.0).is_ok();
        let missing = match &self.neighbourhood {
            Some(ranks) => ranks.received.iter().copied().find(|&agent| !came(agent)),
            None => (0..self.partition.len())
                .find(|&agent| self.partition[agent] != here && !came(agent)),
        };
        match missing {
            None => Ok(quit),
            Some(agent) => Err(RankError::Corrupt {
                rank: self.partition[agent],
                tick,
                kind: "heartbeat",
                fault: MessageFault::Origin {
                    what: "number of messages about one of its agents",
                    found: 0,
                    expected: 1,
                },
            }),
        }
    }

    /// Updates views and ghosts with the states of other ranks' agents, at the tick of this
    /// heartbeat.
    pub(crate) fn see(&mut self, tick: u64, figures: &mut HeartbeatFigures) {
        let Ranks { received, ghosts, world, order, .. } = self;
        let clock = world.model().clock;
        let (time, heartbeat) = (clock.time(tick), world.state().steps as f64 * clock.step());
        for (agent, state) in received.drain(..) {
            world.see(agent, &state);
            match ghosts.entry(agent) {
                Entry::Occupied(mut ghost) => {
                    let ghost = ghost.get_mut();
                    figures.ghost_error = figures.ghost_error.max(ghost.hear(time, state));
                    figures.ghost_bound = figures.ghost_bound.max(ghost.bound(heartbeat));
                }
                Entry::Vacant(unheard) => {
                    let description = world.model().agents[agent].description();
                    unheard.insert(Ghost::new(description, *order, time, state));
                }
            }
        }
    }
}
