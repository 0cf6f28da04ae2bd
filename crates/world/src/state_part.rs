//! One rank's part of a world's state, and the whole made of all parts.

use super::world_model::WorldState;
use bekker_agent::AgentState;
use bekker_ground::{Published, Tile};
use bekker_math::grid::TileKey;
use bekker_vehicle::collision::TowState;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Whole tiles.
pub type Tiles = Vec<(TileKey, Arc<Tile>)>;

/// What one of several ranks has of a state: its own agents, and the tiles of ground whose home it
/// is. The parts of all ranks at a tick hold every agent and every tile once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StatePart {
    /// Whose part it is.
    pub rank: usize,
    /// Of how many.
    pub size: usize,
    /// Steps taken.
    pub tick: u64,
    /// Steps to the next heartbeat.
    pub steps: u64,
    /// The rank's agents with their states.
    pub agents: Vec<(u32, AgentState)>,
    /// Tiles that it keeps.
    pub tiles: Tiles,
    /// What all ranks share.
    pub damage: Vec<u16>,
    /// Ropes and bars, likewise.
    pub tows: Vec<TowState>,
}

/// Why parts do not make a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// There are none.
    #[error("there is no part")]
    None,
    /// A part of another moment, of another number of ranks, or twice the same one's.
    #[error(
        "the part of rank {rank} of {size} at tick {tick} does not go with that of rank {other} of {of} at tick {at}"
    )]
    Stranger {
        /// Its rank.
        rank: usize,
        /// Of so many.
        size: usize,
        /// Its tick.
        tick: u64,
        /// Rank of another part.
        other: usize,
        /// Of so many.
        of: usize,
        /// Tick of that.
        at: u64,
    },
    /// A rank whose part is not there.
    #[error("the part of rank {rank} of {size} is missing")]
    Missing {
        /// The rank.
        rank: usize,
        /// Of so many.
        size: usize,
    },
    /// An agent that is in no part, in several, or not of this world.
    #[error("agent {agent} of {agents} is in {count} parts")]
    Agent {
        /// Its number.
        agent: usize,
        /// How many agents there are.
        agents: usize,
        /// In how many parts it is.
        count: usize,
    },
}

impl WorldState {
    /// The state that the parts of all ranks make, in the order of ranks: the one that one process
    /// would have, of so many agents.
    ///
    /// # Errors
    /// [`PartsError`] when parts are missing or do not go together.
    pub fn of_parts(parts: Vec<StatePart>, agents: usize) -> Result<WorldState, PartsError> {
        let first = parts.first().ok_or(PartsError::None)?;
        let (tick, steps, size) = (first.tick, first.steps, first.size);
        let (damage, tows) = (first.damage.clone(), first.tows.clone());
        for (rank, part) in parts.iter().enumerate() {
            let shared = (part.steps, &part.damage, &part.tows) == (steps, &damage, &tows);
            if (part.tick, part.size, part.rank) != (tick, size, rank) || !shared {
                let StatePart { rank, size, tick, .. } = *part;
                let (other, of, at) = (first.rank, first.size, first.tick);
                return Err(PartsError::Stranger { rank, size, tick, other, of, at });
            }
        }
        if parts.len() < size {
            return Err(PartsError::Missing { rank: parts.len(), size });
        }
        let mut published = Published::default();
        let mut places: Vec<Option<AgentState>> = (0..agents).map(|_| None).collect();
        let refused = |agent: usize, count| PartsError::Agent { agent, agents, count };
        for part in parts {
            published.replace(part.tiles);
            for (agent, state) in part.agents {
                let agent = agent as usize;
                let place = places.get_mut(agent).ok_or_else(|| refused(agent, 1))?;
                if place.replace(state).is_some() {
                    return Err(refused(agent, 2));
                }
            }
        }
        let found = places.into_iter().enumerate();
        let agents = found.map(|(agent, place)| place.ok_or_else(|| refused(agent, 0)));
        let agents = agents.collect::<Result<_, _>>()?;
        Ok(WorldState { tick, steps, published, agents, damage, tows })
    }
}
