//! Data of the whole world that is gathered: digests on all ranks, ground and states on rank 0.

use crate::checked_encoding::{decode_checked, encode_with_crc};
use crate::collectives::Collectives;
use crate::ground_directory::GroundDirectory;
use crate::own_agents::map_own_agents;
use crate::rank_error::RankError;
use bekker_agent::{AgentState, Sample};
use bekker_ground::{GroundDigest, SharedGround};
use bekker_world::{AgentsDigest, RankAccess, StateHash, Tiles, World, WorldModel, combined_hash};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Digests of agents with their indices.
pub(crate) type Digests = Vec<(u32, [u8; 32])>;

/// Digests of one rank's part of a world, or of several parts.
#[derive(Serialize, Deserialize)]
struct PartDigest {
    agents: AgentsDigest,
    /// Different digests of ground, each with the first rank that has it.
    grounds: Vec<(GroundDigest, u32)>,
}

/// Data of the whole world that a rank gathers, with its buffers.
pub(crate) struct Gatherer {
    /// On rank 0: all ground as last received.
    ground: SharedGround,
    /// Whether own agents are digested while messages travel.
    digests_early: bool,
    /// Digests of own agents since the last heartbeat.
    digests: Option<Digests>,
    /// Whether any sensor of any agent records.
    records: bool,
}

impl Gatherer {
    /// With `digest`, own agents are digested while messages travel, where that is possible.
    pub fn new(model: &WorldModel, digest: bool) -> Gatherer {
        // Radio and autonomy change the states of agents once more at the end of a heartbeat.
        let is_settled =
            model.radios.is_empty() && model.agents.iter().all(|agent| agent.autonomy.is_none());
        let mut sensors = model.agents.iter().flat_map(|agent| &agent.sensors);
        Gatherer {
            ground: SharedGround::default(),
            digests_early: digest && is_settled,
            digests: None,
            records: sensors.any(|sensor| sensor.record),
        }
    }

    /// Whether any sensor of any agent records.
    pub fn records(&self) -> bool {
        self.records
    }

    /// Discards the digests of own agents, whose states change.
    pub fn discard_digests(&mut self) {
        self.digests = None;
    }

    /// Digests own agents after a step, if that is useful while messages travel.
    pub fn digest_early(&mut self, world: &World) {
        self.digests = self.digests_early.then(|| digests_of(world));
    }

    /// Returns the digests of own agents, computed earlier or now.
    pub fn take_digests(&mut self, world: &World) -> Digests {
        self.digests.take().unwrap_or_else(|| digests_of(world))
    }

    /// Sends all new ground to rank 0, whose world then has all ground.
    ///
    /// The directory must be current.
    pub fn complete_ground(
        &mut self,
        world: &mut World,
        collectives: &mut Collectives<'_>,
        directory: &mut GroundDirectory,
    ) -> Result<(), RankError> {
        let changed = directory.changed_tiles();
        if collectives.rank() > 0 {
            return collectives.send_and_receive(&[(0, &encode_with_crc(&changed))], &[]);
        }
        let others: Vec<usize> = (1..collectives.size()).collect();
        collectives.send_and_receive(&[], &others)?;
        self.ground.replace(changed);
        for (part, &rank) in collectives.received().iter().zip(&others) {
            let changed: Tiles = decode_checked(rank, collectives.tick(), "ground", part)?;
            self.ground.replace(changed);
        }
        world.replace_tiles(self.ground.shared_tiles().map(|(key, tile)| (key, tile.clone())));
        Ok(())
    }
}

/// Gathers the states of all agents on rank 0.
pub(crate) fn gather_agents(
    world: &mut World,
    collectives: &mut Collectives<'_>,
) -> Result<(), RankError> {
    let (here, tick) = (collectives.rank(), collectives.tick());
    // One rank after the other, so that rank 0 never holds the messages of two.
    for rank in 1..collectives.size() {
        if here == rank {
            let own = map_own_agents(world, |agent, state| {
                (agent, state.clone(), world.sample(agent as usize))
            });
            collectives.send_and_receive(&[(0, &encode_with_crc(&own))], &[])?;
        } else if here > 0 {
            collectives.send_and_receive(&[], &[])?;
        } else {
            collectives.send_and_receive(&[], &[rank])?;
            let received: Vec<(u32, AgentState, Option<Sample>)> =
                decode_checked(rank, tick, "agents", collectives.part(0))?;
            for (agent, state, sample) in received {
                world.store_gathered(agent as usize, state, sample);
            }
        }
    }
    // No other message is as large.
    collectives.free_received();
    Ok(())
}

/// Returns the hash of the whole state on all ranks, from the digests of own agents.
///
/// Either all ranks have the same ground, or there is a directory, which must be current.
pub(crate) fn hash_of_all(
    world: &World,
    collectives: &mut Collectives<'_>,
    directory: Option<&GroundDirectory>,
    own: &Digests,
) -> Result<StateHash, RankError> {
    let ground = match directory {
        Some(directory) => directory.digest(),
        None => world.state().published.digest(),
    };
    let agents = AgentsDigest::sum(own.iter().copied());
    let own = PartDigest { agents, grounds: vec![(ground, collectives.rank() as u32)] };
    let join = |mut one: PartDigest, other: PartDigest| {
        if directory.is_none() {
            let grounds = &mut one.grounds;
            let new = |other: &(GroundDigest, u32)| grounds.iter().all(|own| own.0 != other.0);
            let new: Vec<(GroundDigest, u32)> = other.grounds.into_iter().filter(new).collect();
            grounds.extend(new);
        } else {
            // Each tile counts on its home rank only.
            one.grounds = vec![(sum(&one.grounds).joined(sum(&other.grounds)), 0)];
        }
        PartDigest { agents: one.agents.joined(other.agents), grounds: one.grounds }
    };
    let PartDigest { agents, grounds } = collectives.all_reduce("digests", own, join)?;
    if directory.is_none()
        && let Some(&(_, rank)) = grounds.get(1)
    {
        return Err(RankError::Diverged { rank: rank as usize, tick: collectives.tick() });
    }
    let ground = grounds.first().map_or(GroundDigest::default(), |first| first.0);
    let state = combined_hash(world.state(), ground, agents);
    Ok(StateHash { state, ground, agents: Vec::new() })
}

/// Digest of a ground from the digests of its parts.
fn sum(parts: &[(GroundDigest, u32)]) -> GroundDigest {
    parts.iter().fold(GroundDigest::default(), |sum, part| sum.joined(part.0))
}

/// Digests of the agents that step on this rank.
fn digests_of(world: &World) -> Digests {
    let agents = &world.state().agents;
    world.own_agents().par_iter().map(|&agent| (agent as u32, agents[agent].digest())).collect()
}
