//! One rank's part of a world's state, and the whole state joined from all parts.

use super::world_model::WorldState;
use bekker_agent::AgentState;
use bekker_ground::{SharedGround, Tile};
use bekker_math::grid::TileKey;
use bekker_vehicle::collision::TowState;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Whole tiles with their keys.
pub type Tiles = Vec<(TileKey, Arc<Tile>)>;

/// One rank's part of a state: its own agents, and the tiles of ground whose home it is.
///
/// The parts of all ranks at a tick contain every agent and every tile once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StatePart {
    /// The rank.
    pub rank: usize,
    /// Number of ranks.
    pub size: usize,
    /// Number of steps taken.
    pub tick: u64,
    /// Number of steps to the next heartbeat.
    pub steps: u64,
    /// The rank's agents with their states.
    pub agents: Vec<(u32, AgentState)>,
    /// Tiles whose home is the rank.
    pub tiles: Tiles,
    /// Damage of the obstacles, which all ranks share.
    pub damage: Vec<u16>,
    /// Ropes and bars, which all ranks share.
    pub tows: Vec<TowState>,
}

/// Reason why parts do not form a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// There are no parts.
    #[error("there are no parts")]
    None,
    /// A part has another tick or number of ranks, is a duplicate, or differs in what all ranks
    /// share.
    #[error(
        "the part of rank {rank} of {size} at tick {tick} does not match that of rank {other} of \
         {of} at tick {at}"
    )]
    Mismatch {
        /// Rank of the part.
        rank: usize,
        /// Its number of ranks.
        size: usize,
        /// Tick of the part.
        tick: u64,
        /// Rank of the first part.
        other: usize,
        /// Number of ranks of the first part.
        of: usize,
        /// Tick of the first part.
        at: u64,
    },
    /// The part of a rank is missing.
    #[error("the part of rank {rank} of {size} is missing")]
    Missing {
        /// The rank.
        rank: usize,
        /// Number of ranks.
        size: usize,
    },
    /// An agent is in no part, in several parts, or not in this world.
    #[error("agent {agent} of {agents} is in {count} parts; must be in exactly one")]
    Agent {
        /// Index of the agent.
        agent: usize,
        /// Number of agents.
        agents: usize,
        /// Number of parts that contain it.
        count: usize,
    },
}

impl WorldState {
    /// Joins the parts of all ranks, in the order of ranks.
    ///
    /// The result is the state that one process would have. `agents` is the number of agents.
    ///
    /// # Errors
    /// [`PartsError`] when parts are missing or inconsistent.
    pub fn from_parts(parts: Vec<StatePart>, agents: usize) -> Result<WorldState, PartsError> {
        let first = parts.first().ok_or(PartsError::None)?;
        let (tick, steps, size) = (first.tick, first.steps, first.size);
        let (damage, tows) = (first.damage.clone(), first.tows.clone());
        for (rank, part) in parts.iter().enumerate() {
            let shared = (part.steps, &part.damage, &part.tows) == (steps, &damage, &tows);
            if (part.tick, part.size, part.rank) != (tick, size, rank) || !shared {
                let StatePart { rank, size, tick, .. } = *part;
                let (other, of, at) = (first.rank, first.size, first.tick);
                return Err(PartsError::Mismatch { rank, size, tick, other, of, at });
            }
        }
        if parts.len() < size {
            return Err(PartsError::Missing { rank: parts.len(), size });
        }
        let mut published = SharedGround::default();
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
