//! Moving an agent to another position in agreement with all ranks.

use crate::catch_up::read_catch_up;
use crate::own_agents::any_own_agent_drives;
use crate::rank_error::RankError;
use crate::ranks::Ranks;
use bekker_agent::StartCondition;
use bekker_ground::Patches;
use bekker_sync::message::MessageWriter;
use bekker_world::{CommandError, RankAccess, VehiclePlacement};
use serde::{Deserialize, Serialize};

/// Request that ranks compare before an agent is moved.
#[derive(Serialize, Deserialize)]
struct RespawnRequest {
    agent: u64,
    places: Vec<VehiclePlacement>,
    /// The first of the rank's own agents that occupies the position.
    other: Option<u64>,
}

/// Values that ranks exchange once the agent is moved.
#[derive(Serialize, Deserialize)]
struct RespawnResult {
    /// Start condition of the agent, from the rank that steps it.
    stand: Option<StartCondition>,
    fastest: f64,
    drives: bool,
}

impl Ranks<'_> {
    /// Moves an agent to another position as [`World::respawn`](bekker_world::World::respawn) does,
    /// with the same bits.
    ///
    /// Call this on all ranks alike, between two heartbeats.
    ///
    /// # Errors
    /// [`RankError::Command`] when there is no such agent or position, or when it is occupied.
    /// [`RankError::Disagreement`] when ranks were called with different arguments. Both are the
    /// same on all ranks and leave the world as it was. Any other error means that a rank is lost
    /// or its messages are invalid.
    pub fn respawn(
        &mut self,
        agent: usize,
        place: &VehiclePlacement,
    ) -> Result<StartCondition, RankError> {
        let other = match self.world.check_placement(agent, place) {
            Ok(()) => self.world.overlapping_own_agent(agent, place),
            Err(_) => None,
        };
        let others = self.compare_requests("respawn", agent, std::slice::from_ref(place), other)?;
        self.world.check_placement(agent, place)?;
        if let Some(other) = others.into_iter().min() {
            return Err(self.world.model().occupied(agent, place, other as usize).into());
        }
        self.respawn_agent(agent, place)
    }

    /// Moves all agents, one after the other. If one of them cannot be moved, none is.
    ///
    /// # Errors
    /// As [`Ranks::respawn`], or when the number of positions is not that of agents.
    pub fn respawn_all(
        &mut self,
        places: &[VehiclePlacement],
    ) -> Result<Vec<StartCondition>, RankError> {
        self.compare_requests("respawn_all", 0, places, None)?;
        self.world.check_placements(places)?;
        places.iter().enumerate().map(|(agent, place)| self.respawn_agent(agent, place)).collect()
    }

    /// Checks that all ranks have the same request. Returns the agents of all ranks that are in the
    /// way.
    fn compare_requests(
        &mut self,
        what: &'static str,
        agent: usize,
        places: &[VehiclePlacement],
        other: Option<usize>,
    ) -> Result<Vec<u64>, RankError> {
        if self.has_left() {
            return Err(CommandError::Elsewhere { agent }.into());
        }
        let (agent, other) = (agent as u64, other.map(|other| other as u64));
        let all = self
            .collectives
            .gather_all(what, &RespawnRequest { agent, places: places.to_vec(), other })?;
        let told = |rank: usize| format!("agent {}, {:?}", all[rank].agent, all[rank].places);
        if let Some(rank) = (0..all.len()).find(|&rank| told(rank) != told(0)) {
            let (theirs, ours) = (told(rank), told(0));
            return Err(RankError::Disagreement { rank, here: 0, key: what.into(), theirs, ours });
        }
        Ok(all.into_iter().filter_map(|asked| asked.other).collect())
    }

    fn respawn_agent(
        &mut self,
        agent: usize,
        place: &VehiclePlacement,
    ) -> Result<StartCondition, RankError> {
        let is_own = self.world.is_own(agent);
        // This census updates the homes, which then hold all changes and the regions of agents.
        self.hold_census()?;
        self.publish_under_wheels(agent)?;
        if is_own {
            self.world.place_in_design_position(agent, place);
        }
        // This census fetches the ground at the new position for the rank that steps the agent.
        self.hold_census()?;
        let stand = is_own.then(|| self.world.place_in_equilibrium(agent, place));
        let drives = any_own_agent_drives(&self.world);
        let own = RespawnResult { stand, fastest: self.world.greatest_speed(), drives };
        let all = self.collectives.all_reduce("respawn", own, |one, other| RespawnResult {
            stand: one.stand.or(other.stand),
            fastest: one.fastest.max(other.fastest),
            drives: one.drives || other.drives,
        })?;
        self.world.finish_respawn(agent, all.fastest);
        if self.size() > 1 {
            self.introduce_agents()?;
        }
        self.ghosts.remove(agent);
        self.gatherer.discard_digests();
        self.running = all.drives;
        let agents = self.partition().len();
        Ok(all.stand.ok_or(CommandError::NoAgent { agent, agents })?)
    }

    /// Publishes the ground under an agent's wheels on all ranks.
    fn publish_under_wheels(&mut self, agent: usize) -> Result<(), RankError> {
        let Ranks { world, collectives, neighbors, .. } = self;
        let mut message = Vec::new();
        if world.is_own(agent) {
            let patches = world.publish_under_wheels(agent);
            MessageWriter::default().catch_up(&collectives.origin(agent), patches, &mut message);
            if let Some(neighbors) = neighbors {
                neighbors.directory.record(patches);
            }
        }
        collectives.all_gather_by_route(&message, &mut || ())?;
        let driver = self.rebalancer.partition()[agent];
        if driver != collectives.rank() {
            let mut patches = Patches::default();
            read_catch_up(collectives, driver, driver, &mut patches)?;
            world.published_mut().apply(&patches);
        }
        Ok(())
    }
}
