//! The hash of a world's state, joined from parts on ranks.

use super::world_model::WorldState;
use bekker_ground::GroundDigest;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Sum over agents of the four 64-bit lanes of the SHA-256 over an agent's index and its digest.
///
/// The sum does not depend on the order of agents, nor on how they are split among ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentsDigest([u64; 4]);

impl AgentsDigest {
    /// Sums agents given by index and digest.
    pub fn sum(agents: impl IntoIterator<Item = (u32, [u8; 32])>) -> AgentsDigest {
        let one = |(agent, digest): (u32, [u8; 32])| {
            let hash = Sha256::new().chain_update(agent.to_le_bytes()).chain_update(digest);
            let hash: [u8; 32] = hash.finalize().into();
            let (lanes, _) = hash.as_chunks::<8>();
            AgentsDigest(std::array::from_fn(|lane| u64::from_le_bytes(lanes[lane])))
        };
        agents.into_iter().map(one).fold(AgentsDigest::default(), AgentsDigest::joined)
    }

    /// Sums the agents of both.
    pub fn joined(self, other: AgentsDigest) -> AgentsDigest {
        AgentsDigest(std::array::from_fn(|lane| self.0[lane].wrapping_add(other.0[lane])))
    }
}

/// Greatest number of agents whose digests are recorded one by one. With more of them a row would
/// be longer than the changes in a heartbeat.
pub const NAMED_AGENTS: usize = 64;

/// The hash of a world ([`World::hash`](crate::world::World::hash)) and its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateHash {
    /// Hash of the whole state.
    pub state: [u8; 32],
    /// Digest of the ground.
    pub ground: GroundDigest,
    /// Digests of all agents, to identify one that differs. Only on rank 0, and only where
    /// requested.
    pub agents: Vec<[u8; 32]>,
}

/// Computes the hash of a world from its parts.
pub fn combined_hash(
    state: &WorldState,
    ground: GroundDigest,
    AgentsDigest(agents): AgentsDigest,
) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(state.tick.to_le_bytes());
    // Only damaged obstacles: few of many thousand trees are.
    for (obstacle, damage) in state.damage.iter().enumerate().filter(|(_, damage)| **damage > 0) {
        hasher.update((obstacle as u32).to_le_bytes());
        hasher.update(damage.to_le_bytes());
    }
    for tow in &state.tows {
        hasher.update([u8::from(tow.broken)]);
        hasher.update(tow.peak.to_le_bytes());
        hasher.update(tow.length.unwrap_or_default().to_le_bytes());
    }
    ground.0.iter().for_each(|lane| hasher.update(lane.to_le_bytes()));
    agents.iter().for_each(|lane| hasher.update(lane.to_le_bytes()));
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_may_be_summed_in_any_parts_and_none_may_change_places() {
        let digest = |agent: u32| [agent as u8 + 1; 32];
        let all = AgentsDigest::sum((0..9).map(|agent| (agent, digest(agent))));
        let odd = AgentsDigest::sum((0..9).rev().filter(|a| a % 2 == 1).map(|a| (a, digest(a))));
        let even = AgentsDigest::sum((0..9).filter(|a| a % 2 == 0).map(|a| (a, digest(a))));
        assert_eq!(odd.joined(even), all);
        let swapped = (0..9)
            .map(|agent| (agent, digest([1, 0].get(agent as usize).copied().unwrap_or(agent))));
        assert_ne!(AgentsDigest::sum(swapped), all);
    }
}
