//! Partitioning of agents during a run by position and cost, and their transfer between ranks.
//!
//! The rank that steps an agent does not affect its results, whenever it moves.

use crate::rank_error::RankError;
use crate::ranks::{Ranks, Rebalancing};
use bekker_agent::AgentState;
use bekker_ground::Patches;
use bekker_math::random::Stream;
use bekker_sync::by_place;
use bekker_sync::ground_code::Memory;
use bekker_sync::message::{MessageFault, Origin};
use serde::{Deserialize, Serialize};

/// Load of one agent, sent to rank 0 for a new partition.
#[derive(Serialize, Deserialize)]
struct Load {
    agent: u32,
    place: [f64; 2],
    /// Time that it has cost since the last partition, s.
    cost: f64,
}

impl Ranks<'_> {
    /// Partitions agents again if that is due.
    ///
    /// Rank 0 receives the position and the cost of each agent, computes the partition and sends
    /// it.
    pub(crate) fn rebalance(&mut self) -> Result<(), RankError> {
        let Some(Rebalancing { every, by_chance }) = self.rebalancing else { return Ok(()) };
        let (tick, clock) = (self.tick(), self.world.model().clock);
        if tick == self.dealt_at || !tick.is_multiple_of(clock.ticks_in(every)) {
            return Ok(());
        }
        self.dealt_at = tick;
        let loads = self.loads();
        let loads = self.collected("loads", loads)?;
        let partition = loads.map(|loads| match by_chance {
            Some(seed) => at_random(seed, tick, self.partition.len(), self.size()),
            None => self.by_load(&loads),
        });
        let partition: Option<Vec<u32>> = self.reduced("partition", partition, Option::or)?;
        let ranks = partition.unwrap_or_default().into_iter().map(|rank| rank as usize);
        self.migrate(ranks.collect())
    }

    /// Own agents, each with its share of the time that this rank has spent since the last
    /// partition.
    fn loads(&mut self) -> Vec<Load> {
        let spent = std::mem::take(&mut self.spent).as_secs_f64();
        let weight = |agent: u32| self.world.model().agents[agent as usize].weight();
        let own = self.own_agents(|agent, _| agent);
        let all: f64 = own.iter().map(|&agent| weight(agent)).sum();
        let load = |&agent: &u32| {
            let (place, _) = self.world.place(agent as usize);
            Load { agent, place, cost: spent * weight(agent) / all }
        };
        own.iter().map(load).collect()
    }

    fn by_load(&self, loads: &[Load]) -> Vec<u32> {
        let (mut places, mut costs) =
            (vec![[0.0; 2]; self.partition.len()], vec![0.0; self.partition.len()]);
        for load in loads {
            if let Some(place) = places.get_mut(load.agent as usize) {
                *place = load.place;
                // Every agent has a positive cost, even if the clock measured none.
                costs[load.agent as usize] = load.cost.max(1e-9);
            }
        }
        by_place(&places, &costs, self.size()).into_iter().map(|rank| rank as u32).collect()
    }

    /// Moves agents to the ranks that step them from now on. Call this on all ranks with the same
    /// partition.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost, or the partition does not fit agents and ranks.
    pub fn migrate(&mut self, partition: Vec<usize>) -> Result<(), RankError> {
        self.hand_over(partition)?;
        if self.neighbourhood.is_some() {
            self.census()?;
            self.introduce()?;
        }
        Ok(())
    }

    /// Sends own agents to their new ranks, and receives those that move to this rank.
    pub(crate) fn hand_over(&mut self, partition: Vec<usize>) -> Result<(), RankError> {
        let partition = bekker_sync::Partition::Listed(partition);
        let places = vec![[0.0; 2]; self.partition.len()];
        let partition = partition.partition(&places, self.size())?;
        let (here, tick) = (self.rank(), self.tick());
        let leaving = |agent: &usize| self.partition[*agent] == here && partition[*agent] != here;
        let leaving: Vec<usize> = (0..partition.len()).filter(leaving).collect();
        let letter = |&agent: &usize| {
            let state = &self.world.state().agents[agent];
            let stored = postcard::to_stdvec(state).expect("plain data serializes into memory");
            (partition[agent], (agent as u32, stored))
        };
        let letters: Vec<(usize, (u32, Vec<u8>))> = leaving.iter().map(letter).collect();
        leaving.iter().for_each(|&agent| self.world.give_away(agent));
        for (rank, (agent, stored)) in self.post("agents", letters)? {
            let corrupt = |what| {
                let fault = MessageFault::Structure { what };
                RankError::Corrupt { rank, tick, kind: "agents", fault }
            };
            let at = agent as usize;
            if self.partition.get(at) != Some(&rank) || partition[at] != here {
                return Err(corrupt(format!("agent {agent} must not come from this rank")));
            }
            let state: AgentState =
                postcard::from_bytes(&stored).map_err(|error| corrupt(error.to_string()))?;
            self.world.take_in(at, state);
            self.ghosts.remove(&at);
        }
        self.partition = partition;
        self.digests = None;
        // Streams of ground start again from an empty memory.
        self.memories.iter_mut().for_each(Memory::forget);
        Ok(())
    }

    /// Sends the present states of own agents to the ranks that receive them from now on.
    ///
    /// A rank that starts, or whose agents have new neighbors, does not have their last states.
    pub(crate) fn introduce(&mut self) -> Result<(), RankError> {
        let (tick, rank) = (self.tick(), self.rank() as u16);
        let own = self.own_agents(|agent, _| agent as usize);
        let Ranks { neighbourhood, world, writer, run, .. } = self;
        let mut introduction = |agent: usize, message: &mut Vec<u8>| {
            let origin = Origin { run: *run, tick, rank, agent: agent as u32 };
            let (state, _) = world.outgoing(agent);
            let (nothing, mut memory) = (Patches::default(), Memory::default());
            writer.agent_heartbeat(&origin, &state, &nothing, &mut memory, message);
        };
        let from = match neighbourhood {
            Some(ranks) => {
                let mut told = Vec::new();
                for hearer in &ranks.hearers {
                    let mut message = Vec::new();
                    let known = own.iter().filter(|&&own| {
                        ranks.hearers(own).contains(hearer) || ranks.watchers(own).contains(hearer)
                    });
                    known.for_each(|&agent| introduction(agent, &mut message));
                    told.push(message);
                }
                let (to, from) = (ranks.hearers.clone(), ranks.speakers.clone());
                let to: Vec<(usize, &[u8])> =
                    to.into_iter().zip(told.iter().map(Vec::as_slice)).collect();
                self.pass(&to, &from)?;
                from
            }
            None => {
                let mut message = Vec::new();
                own.iter().for_each(|&agent| introduction(agent, &mut message));
                self.outgoing = message;
                self.all_gather()?;
                (0..self.size()).collect()
            }
        };
        self.read(&from)?;
        for (agent, state) in self.received.drain(..) {
            self.world.see(agent, &state);
        }
        Ok(())
    }
}

/// Draws a partition from seed and tick.
fn at_random(seed: u64, tick: u64, agents: usize, size: usize) -> Vec<u32> {
    let stream = Stream::new(seed, "partition");
    let of_tick = Stream::new(stream.bits(tick), "agents");
    (0..agents).map(|agent| (of_tick.bits(agent as u64) % size as u64) as u32).collect()
}
