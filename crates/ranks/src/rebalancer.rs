//! The rank of each agent, and its choice by position and cost.

use crate::collectives::Collectives;
use crate::own_agents::map_own_agents;
use crate::rank_error::RankError;
use crate::sharing::Rebalancing;
use bekker_agent::AgentState;
use bekker_math::random::RandomStream;
use bekker_sync::message::MessageFault;
use bekker_sync::partition_by_position;
use bekker_world::{RankAccess, World};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Load of one agent, sent to rank 0 for a new partition.
#[derive(Serialize, Deserialize)]
struct AgentLoad {
    agent: u32,
    place: [f64; 2],
    /// Time that it has cost since the last partition, s.
    cost: f64,
}

/// The partition of agents among ranks, and when it is computed again.
pub(crate) struct Rebalancer {
    rebalancing: Option<Rebalancing>,
    /// Rank of each agent.
    partition: Vec<usize>,
    /// Tick of the last partition.
    partitioned_at: u64,
    /// Time that own agents have cost since the last partition.
    cost: Duration,
}

impl Rebalancer {
    /// Starts with a partition at a tick.
    pub fn new(partition: Vec<usize>, rebalancing: Option<Rebalancing>, tick: u64) -> Rebalancer {
        Rebalancer { rebalancing, partition, partitioned_at: tick, cost: Duration::ZERO }
    }

    /// Rank of each agent.
    pub fn partition(&self) -> &[usize] {
        &self.partition
    }

    /// Renumbers the ranks of agents; all of these ranks are `staying` (in ascending order).
    pub fn renumber(&mut self, staying: &[usize]) {
        for rank in &mut self.partition {
            *rank = staying.binary_search(rank).unwrap_or(0);
        }
    }

    /// Adds time that own agents have cost.
    pub fn add_cost(&mut self, cost: Duration) {
        self.cost += cost;
    }

    /// Returns a new partition if one is due.
    ///
    /// Rank 0 receives the position and the cost of each agent, computes the partition and sends
    /// it.
    pub fn new_partition(
        &mut self,
        world: &World,
        collectives: &mut Collectives<'_>,
    ) -> Result<Option<Vec<usize>>, RankError> {
        let Some(Rebalancing { every, by_chance }) = self.rebalancing else { return Ok(None) };
        let (tick, clock) = (collectives.tick(), world.model().clock);
        if tick == self.partitioned_at || !tick.is_multiple_of(clock.ticks_in(every)) {
            return Ok(None);
        }
        self.partitioned_at = tick;
        let size = collectives.size();
        let loads = collectives.gather_on_root("loads", self.loads(world))?;
        let partition = loads.map(|loads| match by_chance {
            Some(seed) => at_random(seed, tick, self.partition.len(), size),
            None => self.by_load(&loads, size),
        });
        let partition: Option<Vec<u32>> =
            collectives.all_reduce("partition", partition, Option::or)?;
        let ranks = partition.unwrap_or_default().into_iter().map(|rank| rank as usize);
        Ok(Some(ranks.collect()))
    }

    /// Own agents, each with its share of the time that this rank has spent since the last
    /// partition.
    fn loads(&mut self, world: &World) -> Vec<AgentLoad> {
        let spent = std::mem::take(&mut self.cost).as_secs_f64();
        let weight = |agent: u32| world.model().agents[agent as usize].step_cost();
        let own = map_own_agents(world, |agent, _| agent);
        let all: f64 = own.iter().map(|&agent| weight(agent)).sum();
        let load = |&agent: &u32| {
            let (place, _) = world.position_and_speed(agent as usize);
            AgentLoad { agent, place, cost: spent * weight(agent) / all }
        };
        own.iter().map(load).collect()
    }

    fn by_load(&self, loads: &[AgentLoad], size: usize) -> Vec<u32> {
        let (mut places, mut costs) =
            (vec![[0.0; 2]; self.partition.len()], vec![0.0; self.partition.len()]);
        for load in loads {
            if let Some(place) = places.get_mut(load.agent as usize) {
                *place = load.place;
                // Every agent has a positive cost, even if the clock measured none.
                costs[load.agent as usize] = load.cost.max(1e-9);
            }
        }
        partition_by_position(&places, &costs, size).into_iter().map(|rank| rank as u32).collect()
    }

    /// Sends own agents to their new ranks, and receives those that move to this rank. Returns the
    /// latter.
    pub fn transfer(
        &mut self,
        partition: Vec<usize>,
        world: &mut World,
        collectives: &mut Collectives<'_>,
    ) -> Result<Vec<usize>, RankError> {
        let partition = bekker_sync::Partition::Listed(partition);
        let places = vec![[0.0; 2]; self.partition.len()];
        let partition = partition.partition(&places, collectives.size())?;
        let (here, tick) = (collectives.rank(), collectives.tick());
        let leaving = |agent: &usize| self.partition[*agent] == here && partition[*agent] != here;
        let leaving: Vec<usize> = (0..partition.len()).filter(leaving).collect();
        let message = |&agent: &usize| {
            let state = &world.state().agents[agent];
            let stored = postcard::to_stdvec(state).expect("plain data serializes into memory");
            (partition[agent], (agent as u32, stored))
        };
        let messages: Vec<(usize, (u32, Vec<u8>))> = leaving.iter().map(message).collect();
        leaving.iter().for_each(|&agent| world.remove_own_agent(agent));
        let mut arrived = Vec::new();
        for (rank, (agent, stored)) in collectives.route_messages("agents", messages)? {
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
            world.add_own_agent(at, state);
            arrived.push(at);
        }
        self.partition = partition;
        Ok(arrived)
    }
}

/// Draws a partition from seed and tick.
fn at_random(seed: u64, tick: u64, agents: usize, size: usize) -> Vec<u32> {
    let stream = RandomStream::new(seed, "partition");
    let of_tick = RandomStream::new(stream.bits(tick), "agents");
    (0..agents).map(|agent| (of_tick.bits(agent as u64) % size as u64) as u32).collect()
}
