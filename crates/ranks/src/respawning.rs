//! An agent put elsewhere on the rank where it steps, while all others learn of it.

use crate::rank_error::RankError;
use crate::ranks::Ranks;
use bekker_agent::Stand;
use bekker_sync::Communicator;
use bekker_sync::message::Origin;
use bekker_world::{CommandError, Placement};
use serde::{Deserialize, Serialize};

/// What ranks tell each other before an agent is put elsewhere.
#[derive(Serialize, Deserialize)]
struct Asked {
    agent: u64,
    places: Vec<Placement>,
    /// The first of the rank's own agents that stands there.
    other: Option<u64>,
}

/// What all must know of each other to go on alike once it is.
#[derive(Serialize, Deserialize)]
struct Settled {
    /// How it stands, from the rank where it steps.
    stand: Option<Stand>,
    fastest: f64,
    drives: bool,
}

impl Ranks<'_> {
    /// Puts an agent somewhere else as [`World::respawn`](bekker_world::World::respawn) does,
    /// with the same bits: to be called on all ranks alike, between two heartbeats.
    ///
    /// # Errors
    /// [`RankError::Command`] when there is no such agent or place, or something stands there;
    /// [`RankError::Disagreement`] when ranks were not called alike: on all ranks the same, with
    /// the world as it was. Else when a rank is gone or its messages cannot be used.
    pub fn respawn(&mut self, agent: usize, place: &Placement) -> Result<Stand, RankError> {
        let other = match self.world.check_place(agent, place) {
            Ok(()) => self.world.own_agent_at(agent, place),
            Err(_) => None,
        };
        let others = self.ask("respawn", agent, std::slice::from_ref(place), other)?;
        self.world.check_place(agent, place)?;
        if let Some(other) = others.into_iter().min() {
            return Err(self.world.model().occupied(agent, place, other as usize).into());
        }
        self.put(agent, place)
    }

    /// Puts all agents somewhere else, one after the other: none is put if one cannot be.
    ///
    /// # Errors
    /// As of [`Ranks::respawn`], or when there are more or fewer places than agents.
    pub fn respawn_all(&mut self, places: &[Placement]) -> Result<Vec<Stand>, RankError> {
        self.ask("respawn_all", 0, places, None)?;
        self.world.check_places(places)?;
        places.iter().enumerate().map(|(agent, place)| self.put(agent, place)).collect()
    }

    /// Makes sure that all ranks were asked for the same; the others in the way that they know of.
    fn ask(
        &mut self,
        what: &'static str,
        agent: usize,
        places: &[Placement],
        other: Option<usize>,
    ) -> Result<Vec<u64>, RankError> {
        if self.has_left {
            return Err(CommandError::Elsewhere { agent }.into());
        }
        let (agent, other) = (agent as u64, other.map(|other| other as u64));
        let all = self.gathered(what, &Asked { agent, places: places.to_vec(), other })?;
        let told = |rank: usize| format!("agent {}, {:?}", all[rank].agent, all[rank].places);
        if let Some(rank) = (0..all.len()).find(|&rank| told(rank) != told(0)) {
            let (theirs, ours) = (told(rank), told(0));
            return Err(RankError::Disagreement { rank, here: 0, key: what.into(), theirs, ours });
        }
        Ok(all.into_iter().filter_map(|asked| asked.other).collect())
    }

    fn put(&mut self, agent: usize, place: &Placement) -> Result<Stand, RankError> {
        let is_own = self.world.is_own(agent);
        // homes know who may touch what, and hold all that has been left so far
        self.census()?;
        self.leave_behind(agent)?;
        if is_own {
            self.world.hold_at(agent, place);
        }
        // the ground there comes to where it steps
        self.census()?;
        let stand = is_own.then(|| self.world.settle_at(agent, place));
        let agents = &self.world.state().agents;
        let mut own = self.world.own_agents().iter();
        let drives = own.any(|&own| agents[own].outcome.is_none());
        let told = Settled { stand, fastest: self.world.greatest_speed(), drives };
        let all = self.reduced("respawn", told, |one, other| Settled {
            stand: one.stand.or(other.stand),
            fastest: one.fastest.max(other.fastest),
            drives: one.drives || other.drives,
        })?;
        self.world.go_on_without(agent, all.fastest);
        if self.size() > 1 {
            self.introduce()?;
        }
        self.ghosts.remove(&agent);
        self.digests = None;
        self.running = all.drives;
        let agents = self.partition.len();
        Ok(all.stand.ok_or(CommandError::NoAgent { agent, agents })?)
    }

    /// Publishes on all ranks what lies under an agent's wheels.
    fn leave_behind(&mut self, agent: usize) -> Result<(), RankError> {
        let rank = self.communicator.rank();
        let origin =
            Origin { run: self.run, tick: self.tick(), rank: rank as u16, agent: agent as u32 };
        let Ranks { world, writer, outgoing, homes, .. } = self;
        outgoing.clear();
        if world.is_own(agent) {
            let patches = world.publish_own(agent);
            writer.catch_up(&origin, patches, outgoing);
            if let Some(homes) = homes {
                homes.leave(patches);
            }
        }
        self.all_gather()?;
        let driver = self.partition[agent];
        if driver != rank {
            self.patches.clear();
            self.read_catch_up(driver, driver)?;
            self.world.take_patches(&self.patches);
        }
        Ok(())
    }
}
