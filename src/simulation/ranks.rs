//! A world whose agents are dealt to ranks.
//!
//! Every rank has the whole model and the whole published ground, and steps its
//! own agents. At a heartbeat each sends, for each of its agents, the state that
//! others may see and the patches of ground that its wheels left; each applies
//! all patches, its own as it sent them included. Since the merge of
//! patches commutes and what an agent reads of others is sent in full precision,
//! any number of ranks and any dealing give the bits of one process.

use super::agent::AgentState;
use super::checkpoint;
use super::neighbour::{CENSUS, Neighbourhood, Region};
use super::record::Sample;
use super::world::{World, WorldModel, WorldState, combined_hash};
use crate::grid::TILE;
use crate::ground::{GroundDigest, Patches};
use crate::numeric::GRAVITY;
use crate::sync::ghost::{Ghost, Order};
use crate::sync::ground_code::Memory;
use crate::sync::message::{
    Body, Description, Environment, MessageFault, Origin, Reader, VehicleState, Writer,
};
use crate::sync::{CommError, Communicator, Dealing, DealingError, Parts, Phases, star};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Way of the messages. All give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// Everything to everyone at once.
    #[default]
    All,
    /// Everything to rank 0, which sends it on.
    Star,
    /// Only between ranks whose agents may meet before the next census, which
    /// is held every second. Ground that a rank was not told is made up for when
    /// one of its agents comes near.
    Neighbour,
}

/// How a world is shared by ranks. Nothing in it changes what happens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// Which rank drives which agent.
    pub dealing: Dealing,
    /// Way of the messages.
    pub route: Route,
    /// How others' vehicles are extrapolated between heartbeats.
    pub order: Order,
}

/// Why ranks cannot go on together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    /// A rank that is gone or silent.
    #[error("at tick {tick}: {source}")]
    Lost {
        /// When it was noticed, steps.
        tick: u64,
        /// Who and how.
        source: CommError,
    },
    /// A message that cannot be used.
    #[error("corrupt {kind} from rank {rank} at tick {tick}: {fault}")]
    Corrupt {
        /// Sending rank.
        rank: usize,
        /// When, steps.
        tick: u64,
        /// What it should have been.
        kind: &'static str,
        /// What is wrong with it.
        fault: MessageFault,
    },
    /// Ranks that would not run the same scenario.
    #[error("rank {rank} has {key} = {theirs}, rank {here} has {ours}")]
    Disagreement {
        /// The first rank that differs.
        rank: usize,
        /// This rank.
        here: usize,
        /// The first key that differs.
        key: String,
        /// That rank's value.
        theirs: String,
        /// This rank's value.
        ours: String,
    },
    /// Agents that cannot be dealt.
    #[error(transparent)]
    Dealing(#[from] DealingError),
    /// An agent that was faster than the census allows for.
    #[error("agent {agent} has left the region that it announced before tick {tick}")]
    Outran {
        /// Which.
        agent: usize,
        /// When, steps.
        tick: u64,
    },
    /// More ranks than the protocol counts.
    #[error("{size} ranks; at most {} can take part", u16::MAX)]
    TooMany {
        /// Ranks there are.
        size: usize,
    },
}

impl RankError {
    /// The ranks that cannot be counted on any more.
    pub fn lost(&self) -> Vec<usize> {
        match self {
            RankError::Lost { source: CommError::Silent { ranks, .. }, .. } => ranks.clone(),
            RankError::Lost {
                source: CommError::Gone { rank } | CommError::Length { rank, .. },
                ..
            }
            | RankError::Corrupt { rank, .. } => vec![*rank],
            _ => Vec::new(),
        }
    }

    /// Steps that all had taken together when it happened, if it happened on
    /// the way.
    pub fn tick(&self) -> Option<u64> {
        match self {
            RankError::Lost { tick, .. } | RankError::Corrupt { tick, .. } => Some(*tick),
            _ => None,
        }
    }
}

/// One heartbeat on one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BeatFigures {
    /// Steps taken before it.
    pub tick: u64,
    /// When it began, after the handshake.
    pub begun: Duration,
    /// Time in steps of own agents.
    pub step: Duration,
    /// Time in writing messages.
    pub serialise: Duration,
    /// Time in the exchange of lengths, waiting for slower ranks included.
    pub lengths: Duration,
    /// Time in the exchange of bytes.
    pub payload: Duration,
    /// Time in reading messages and merging ground.
    pub apply: Duration,
    /// Bytes sent of vehicles' states, envelopes included.
    pub state_bytes: u64,
    /// Bytes sent of coded ground.
    pub ground_bytes: u64,
    /// Bytes received, from this rank too.
    pub received_bytes: u64,
    /// Nodes of ground sent.
    pub nodes: u64,
    /// Own agents.
    pub agents: u64,
    /// Greatest distance of another rank's vehicle from where it was expected, m.
    pub ghost_error: f64,
    /// Greatest D_H of those vehicles, m ([`Ghost::bound`]).
    pub ghost_bound: f64,
    /// Whether any rank wants to end the run.
    pub quit: bool,
}

/// This rank's part of a world that several ranks share.
pub struct Ranks<C> {
    world: World,
    communicator: C,
    route: Route,
    run: u32,
    /// Rank of each agent.
    dealt: Vec<usize>,
    writer: Writer,
    outgoing: Vec<u8>,
    incoming: Parts,
    patches: Patches,
    heard: Vec<Option<VehicleState>>,
    /// Of each agent's stream: what its writer or its reader here remembers.
    memories: Vec<Memory>,
    descriptions: Vec<Description>,
    /// Other ranks' agents as far as they are heard of.
    ghosts: Vec<Option<Ghost>>,
    order: Order,
    /// With [`Route::Neighbour`].
    neighbourhood: Option<Neighbourhood>,
    running: bool,
    begun: Duration,
}

impl<C: Communicator> Ranks<C> {
    /// Begins or, given a state, goes on with a world among ranks that agree.
    ///
    /// `agreed` are keys and values that must be the same on all ranks; one
    /// that differs ends the run before it begins. If some ranks have a state,
    /// those that have none get a snapshot of it: so ranks join late.
    ///
    /// # Errors
    /// [`RankError`] when ranks disagree, are gone, or agents cannot be dealt.
    pub fn new(
        mut communicator: C,
        model: WorldModel,
        state: Option<WorldState>,
        sharing: &Sharing,
        agreed: &[(String, String)],
    ) -> Result<Ranks<C>, RankError> {
        let Sharing { dealing, route, order } = sharing;
        let (rank, size) = (communicator.rank(), communicator.size());
        if size > usize::from(u16::MAX) {
            return Err(RankError::TooMany { size });
        }
        let dealt = dealing.deal(model.agents.len(), size)?;
        let mut agreed = agreed.to_vec();
        agreed.push(("dealing".into(), dealing.to_string()));
        agreed.push(("route".into(), format!("{route:?}").to_lowercase()));
        let run = fingerprint(&agreed);
        agree(&mut communicator, &agreed)?;
        let state = share_state(&mut communicator, state, run)?;
        let tick = state.as_ref().map_or(0, |state| state.tick);
        let descriptions = describe(&mut communicator, &model, &dealt, run, tick)?;
        let own = dealt.iter().map(|&dealt| dealt == rank).collect();
        let agents = dealt.len();
        let tile = model.ground.lattice().spacing * TILE as f64;
        let world = World::part(model, state, own);
        let begun = communicator.elapsed();
        Ok(Ranks {
            running: world.is_running(),
            neighbourhood: (*route == Route::Neighbour)
                .then(|| Neighbourhood::new(rank, size, tile)),
            world,
            communicator,
            route: *route,
            run,
            dealt,
            writer: Writer::default(),
            outgoing: Vec::new(),
            incoming: Parts::default(),
            patches: Patches::default(),
            heard: vec![None; agents],
            memories: vec![Memory::default(); agents],
            descriptions,
            ghosts: vec![None; agents],
            order: *order,
            begun,
        })
    }

    /// This rank's world. Agents of other ranks are in it as they were at the
    /// last [`Ranks::gather`] on rank 0, or at the start.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be ended by itself. Complete on rank 0 after a
    /// [`Ranks::gather`].
    pub fn into_world(self) -> World {
        self.world
    }

    /// Number of this rank.
    pub fn rank(&self) -> usize {
        self.communicator.rank()
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.communicator.size()
    }

    /// Rank of each agent.
    pub fn dealt(&self) -> &[usize] {
        &self.dealt
    }

    /// Steps own agents through one heartbeat, exchanges, and merges. With
    /// `quit` this rank asks all to end the run after this heartbeat.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its messages cannot be used; the
    /// world is then between two heartbeats and of no further use.
    pub fn beat(&mut self, quit: bool) -> Result<BeatFigures, RankError> {
        let mut figures = BeatFigures {
            tick: self.tick(),
            begun: self.communicator.elapsed() - self.begun,
            ..BeatFigures::default()
        };
        if self.size() == 1 {
            return Ok(self.beat_alone(quit, figures));
        }
        let end = self.tick() + self.world.state().steps;
        if self.neighbourhood.as_ref().is_some_and(|ranks| end > ranks.due) {
            self.census(&mut figures)?;
        }
        let begun = self.communicator.elapsed();
        self.world.advance();
        figures.step = self.communicator.elapsed() - begun;

        let begun = self.communicator.elapsed();
        self.write(quit, &mut figures);
        figures.serialise = self.communicator.elapsed() - begun;

        let senders = self.exchange(&mut figures)?;
        figures.received_bytes += self.incoming.bytes() as u64;

        let begun = self.communicator.elapsed();
        figures.quit = self.read(&senders)? || quit;
        self.see(end, &mut figures);
        self.world.merge(Some(&self.patches));
        figures.apply = self.communicator.elapsed() - begun;
        self.running = self.world.is_running();
        let mut haste = self.world.haste();
        if self.neighbourhood.is_some() || self.world.model().clock.adapts() {
            // what not all were told by the messages
            let here = self.rank();
            let states = self.world.state().agents.iter().zip(&self.dealt);
            let mut own = states.filter(|&(_, &rank)| rank == here);
            let drives = own.any(|(agent, _)| agent.outcome.is_none());
            let all = self.gathered(&(drives, quit, haste))?;
            figures.received_bytes += self.incoming.bytes() as u64;
            self.running = all.iter().any(|&(drives, ..)| drives);
            figures.quit = all.iter().any(|&(_, quit, _)| quit);
            haste = all.iter().fold(haste, |most, &(.., haste)| most.or(haste));
        }
        self.world.settle(haste);
        Ok(figures)
    }

    /// Shows own agents and ghosts what other ranks' agents told, at the tick
    /// of this heartbeat.
    fn see(&mut self, tick: u64, figures: &mut BeatFigures) {
        let Ranks { heard, ghosts, descriptions, world, order, .. } = self;
        let clock = world.model().clock;
        let (time, beat) = (clock.time(tick), world.state().steps as f64 * clock.step());
        for (agent, state) in heard.iter_mut().enumerate() {
            let Some(state) = state.take() else { continue };
            world.see(agent, &state);
            match &mut ghosts[agent] {
                Some(ghost) => {
                    figures.ghost_error = figures.ghost_error.max(ghost.hear(time, state));
                    figures.ghost_bound = figures.ghost_bound.max(ghost.bound(beat));
                }
                unheard => {
                    let description = descriptions[agent].clone();
                    *unheard = Some(Ghost::new(description, *order, time, state));
                }
            }
        }
    }

    /// An agent of another rank as it is extrapolated here, if it is heard of.
    pub fn ghost(&self, agent: usize) -> Option<&Ghost> {
        self.ghosts.get(agent)?.as_ref()
    }

    /// Sends this heartbeat to all who are to hear it and receives theirs; the
    /// ranks that the parts are from.
    fn exchange(&mut self, figures: &mut BeatFigures) -> Result<Vec<usize>, RankError> {
        let Ranks { neighbourhood, communicator, outgoing, incoming, world, dealt, .. } = self;
        let Some(ranks) = neighbourhood else {
            Phases { lengths: figures.lengths, payload: figures.payload } = self.all_gather()?;
            return Ok((0..self.size()).collect());
        };
        let (here, tick) = (communicator.rank(), world.state().tick);
        for region in &ranks.own {
            let agent = region.agent as usize;
            if !region.holds(world.place(agent).0, ranks.tile()) {
                return Err(RankError::Outran { agent, tick });
            }
        }
        for agent in (0..dealt.len()).filter(|&agent| dealt[agent] == here) {
            ranks.leave(world.patches(agent));
        }
        let to: Vec<(usize, &[u8])> =
            ranks.peers.iter().map(|&rank| (rank, &outgoing[..])).collect();
        let phases = communicator
            .exchange(&to, &ranks.peers, &mut || (), incoming)
            .map_err(|source| RankError::Lost { tick, source })?;
        Phases { lengths: figures.lengths, payload: figures.payload } = phases;
        Ok(ranks.peers.clone())
    }

    /// Takes a census, and makes up for ground that was not told.
    fn census(&mut self, figures: &mut BeatFigures) -> Result<(), RankError> {
        let clock = self.world.model().clock;
        let Some(mut ranks) = self.neighbourhood.take() else { return Ok(()) };
        let tile = ranks.tile();
        let own: Vec<Region> = self.own_agents(|agent, _| {
            let (centre, speed) = self.world.place(agent as usize);
            Region::around(agent as usize, centre, speed, tile)
        });
        let regions: Vec<Region> = self.gathered(&own)?.into_iter().flatten().collect();
        figures.received_bytes += self.incoming.bytes() as u64;
        let agents = self.world.model().agents.iter().enumerate();
        let follows: Vec<(usize, usize)> =
            agents.filter_map(|(agent, model)| Some((agent, model.leader?))).collect();
        ranks.close();
        let needy = ranks.census(&regions, &self.dealt, &follows);
        let givers = self.gathered(&needy)?;
        figures.received_bytes += self.incoming.bytes() as u64;
        let here = self.rank();
        let from: Vec<usize> =
            (0..givers.len()).filter(|&rank| givers[rank].contains(&here)).collect();
        self.make_up(&mut ranks, &needy, &from)?;
        figures.received_bytes += self.incoming.bytes() as u64;
        ranks.due = self.tick() + ((CENSUS / clock.step()) as u64).max(clock.steps_per_beat());
        // new peers have not heard what came before
        self.memories.iter_mut().for_each(Memory::forget);
        self.ghosts.iter_mut().zip(&self.dealt).for_each(|(ghost, rank)| {
            if !ranks.peers.contains(rank) {
                *ghost = None;
            }
        });
        self.neighbourhood = Some(ranks);
        Ok(())
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
            self.writer.catch_up(&origin, &ranks.settle(rank), &mut self.outgoing);
            given.push(&self.outgoing);
        }
        let to: Vec<(usize, &[u8])> = to.iter().copied().zip(given.iter()).collect();
        self.communicator
            .exchange(&to, from, &mut || (), &mut self.incoming)
            .map_err(|source| RankError::Lost { tick, source })?;
        self.patches.clear();
        for (part, &rank) in self.incoming.iter().zip(from) {
            let corrupt = |fault| RankError::Corrupt { rank, tick, kind: "catch-up", fault };
            let read = Reader::new(part).next(&mut [], &mut self.patches).map_err(corrupt)?;
            if !matches!(read, Some((sender, Body::CatchUp(_))) if sender == Origin { rank: rank as u16, ..origin })
            {
                let fault = MessageFault::Kind { found: "another message", expected: "catch-up" };
                return Err(corrupt(fault));
            }
        }
        self.world.catch_up(&self.patches);
        Ok(())
    }

    /// Rank 0 is told all ground that it has not been told.
    fn complete_first(&mut self) -> Result<(), RankError> {
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

    /// There is nobody to write to.
    fn beat_alone(&mut self, quit: bool, figures: BeatFigures) -> BeatFigures {
        let begun = self.communicator.elapsed();
        self.world.beat();
        self.running = self.world.is_running();
        let agents = self.dealt.len() as u64;
        BeatFigures { step: self.communicator.elapsed() - begun, agents, quit, ..figures }
    }

    fn tick(&self) -> u64 {
        self.world.state().tick
    }

    fn write(&mut self, quit: bool, figures: &mut BeatFigures) {
        let tick = self.world.state().tick;
        let rank = self.communicator.rank();
        let origin =
            |agent: usize| Origin { run: self.run, tick, rank: rank as u16, agent: agent as u32 };
        self.outgoing.clear();
        for agent in (0..self.dealt.len()).filter(|&agent| self.dealt[agent] == rank) {
            let (state, patches) = self.world.shown(agent);
            let memory = &mut self.memories[agent];
            self.writer.agent_beat(&origin(agent), &state, patches, memory, &mut self.outgoing);
            figures.agents += 1;
            figures.nodes += patches.states().len() as u64;
            figures.ground_bytes += self.writer.ground_bytes() as u64;
        }
        figures.state_bytes = self.outgoing.len() as u64 - figures.ground_bytes;
        if quit {
            self.writer.quit(&origin(0), "interrupted", &mut self.outgoing);
        }
    }

    fn all_gather(&mut self) -> Result<Phases, RankError> {
        let Ranks { communicator, outgoing, incoming, .. } = self;
        let exchanged = match self.route {
            Route::All | Route::Neighbour => {
                communicator.all_gather(outgoing, &mut || (), incoming)
            }
            Route::Star => star(communicator, outgoing, &mut || (), incoming),
        };
        exchanged.map_err(|source| RankError::Lost { tick: self.world.state().tick, source })
    }

    /// Reads a heartbeat of all other ranks; whether any wants to quit. Nothing
    /// is applied before everything has been read and found right.
    fn read(&mut self, senders: &[usize]) -> Result<bool, RankError> {
        let tick = self.tick();
        self.patches.clear();
        self.heard.fill(None);
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
                    Body::AgentBeat(state, _) => {
                        let agent = origin.agent as usize;
                        match self.dealt.get(agent) {
                            Some(&owner) if owner == rank => self.heard[agent] = Some(state),
                            owner => {
                                let owner = owner.map_or(u64::MAX, |&owner| owner as u64);
                                return Err(wrong("owner of the agent", rank as u64, owner));
                            }
                        }
                    }
                    Body::Quit(_) => quit = true,
                    _ => {
                        let (found, expected) = ("message of another kind", "agent beat");
                        return Err(corrupt(MessageFault::Kind { found, expected }));
                    }
                }
            }
        }
        let mut missing = (0..self.heard.len()).filter(|&agent| {
            let rank = self.dealt[agent];
            self.heard[agent].is_none() && rank != here && senders.contains(&rank)
        });
        match missing.next() {
            None => Ok(quit),
            Some(agent) => Err(RankError::Corrupt {
                rank: self.dealt[agent],
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

    /// Hash of the whole state as [`World::hash`] gives it in one process; the
    /// same on all ranks; the ground is rank 0's, which is told all of it first.
    /// Also a digest of each agent, to name the one that
    /// differs.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone.
    pub fn hash(&mut self) -> Result<([u8; 32], Vec<[u8; 32]>), RankError> {
        self.complete_first()?;
        let own: Vec<(u32, [u8; 32])> = self.own_agents(|agent, state| (agent, state.digest()));
        let own = (own, self.world.state().published.digest());
        let mut digests = vec![[0; 32]; self.dealt.len()];
        let all = self.gathered(&own)?;
        let ground = all.first().map_or(GroundDigest::default(), |first| first.1);
        for (agent, digest) in all.into_iter().flat_map(|(digests, _)| digests) {
            if let Some(place) = digests.get_mut(agent as usize) {
                *place = digest;
            }
        }
        Ok((combined_hash(self.tick(), ground, &digests), digests))
    }

    /// Brings all agents' states to rank 0, whose world is then complete: it can
    /// be stored, summarised and drawn as if there were one process.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its states cannot be read.
    pub fn gather(&mut self) -> Result<(), RankError> {
        self.complete_first()?;
        let own = self.own_agents(|agent, state| (agent, state.clone()));
        let all: Option<Vec<Vec<(u32, AgentState)>>> = self.gathered_at_first(&own)?;
        for (agent, state) in all.into_iter().flatten().flatten() {
            self.world.adopt(agent as usize, state);
        }
        Ok(())
    }

    /// Samples of all agents in the order of agents, on rank 0; nothing
    /// elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its samples cannot be read.
    pub fn samples(&mut self) -> Result<Vec<Sample>, RankError> {
        let rank = self.rank();
        let own: Vec<Sample> =
            self.world.samples().filter(|sample| self.dealt[sample.vehicle] == rank).collect();
        let all = self.gathered_at_first(&own)?;
        let mut samples: Vec<Sample> = all.into_iter().flatten().flatten().collect();
        samples.sort_by_key(|sample| sample.vehicle);
        Ok(samples)
    }

    /// Whether any agent of any rank still drives.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Gathers any plain data on all ranks.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its data cannot be read.
    pub fn gathered<T: Serialize + DeserializeOwned>(
        &mut self,
        own: &T,
    ) -> Result<Vec<T>, RankError> {
        self.outgoing = postcard::to_stdvec(own).expect("plain data serialises into memory");
        self.all_gather()?;
        let tick = self.tick();
        let parts = self.incoming.iter().enumerate();
        parts.map(|(rank, part)| plain(rank, tick, part)).collect()
    }

    /// Gathers any plain data on rank 0; nothing elsewhere.
    fn gathered_at_first<T: Serialize + DeserializeOwned>(
        &mut self,
        own: &T,
    ) -> Result<Option<Vec<T>>, RankError> {
        let tick = self.tick();
        let lost = |source| RankError::Lost { tick, source };
        let bytes = postcard::to_stdvec(own).expect("plain data serialises into memory");
        let Ranks { communicator, incoming, .. } = self;
        if communicator.rank() != 0 {
            communicator.exchange(&[(0, &bytes)], &[], &mut || (), incoming).map_err(lost)?;
            return Ok(None);
        }
        let others: Vec<usize> = (1..communicator.size()).collect();
        communicator.exchange(&[], &others, &mut || (), incoming).map_err(lost)?;
        let mut all = vec![plain(0, tick, &bytes)?];
        for (part, &rank) in self.incoming.iter().zip(&others) {
            all.push(plain(rank, tick, part)?);
        }
        Ok(Some(all))
    }

    fn own_agents<T>(&self, of: impl Fn(u32, &AgentState) -> T) -> Vec<T> {
        let rank = self.rank();
        let agents = self.world.state().agents.iter().enumerate();
        agents
            .filter(|&(agent, _)| self.dealt[agent] == rank)
            .map(|(agent, state)| of(agent as u32, state))
            .collect()
    }
}

fn plain<T: DeserializeOwned>(rank: usize, tick: u64, part: &[u8]) -> Result<T, RankError> {
    postcard::from_bytes(part).map_err(|error| RankError::Corrupt {
        rank,
        tick,
        kind: "plain data",
        fault: MessageFault::Structure { what: error.to_string() },
    })
}

/// Gives the state of the first rank that has one to those that have none.
fn share_state(
    communicator: &mut impl Communicator,
    state: Option<WorldState>,
    run: u32,
) -> Result<Option<WorldState>, RankError> {
    let (here, run) = (communicator.rank(), format!("{run:08x}"));
    let own = state.as_ref().map(|state| state.tick);
    let bytes = postcard::to_stdvec(&own).expect("plain data serialises into memory");
    let mut parts = Parts::default();
    let lost = |source| RankError::Lost { tick: own.unwrap_or(0), source };
    communicator.all_gather(&bytes, &mut || (), &mut parts).map_err(lost)?;
    let ticks: Vec<Option<u64>> = parts
        .iter()
        .enumerate()
        .map(|(rank, part)| plain(rank, 0, part))
        .collect::<Result<_, _>>()?;
    let Some(giver) = ticks.iter().position(Option::is_some) else { return Ok(None) };
    if let Some(rank) = ticks.iter().position(|tick| tick.is_some() && *tick != ticks[giver]) {
        let told = |rank: usize| ticks[rank].map_or("nothing".into(), |tick| tick.to_string());
        let (theirs, ours) = (told(rank), told(giver));
        return Err(RankError::Disagreement {
            rank,
            here: giver,
            key: "tick".into(),
            theirs,
            ours,
        });
    }
    let joining = |&rank: &usize| ticks[rank].is_none();
    if here == giver {
        let snapshot = match &state {
            Some(state) if ticks.iter().any(Option::is_none) => checkpoint::encode(&run, state),
            _ => Vec::new(),
        };
        let to: Vec<(usize, &[u8])> =
            (0..ticks.len()).filter(joining).map(|rank| (rank, &snapshot[..])).collect();
        communicator.exchange(&to, &[], &mut || (), &mut parts).map_err(lost)?;
        return Ok(state);
    }
    let from = if state.is_none() { &[giver][..] } else { &[] };
    communicator.exchange(&[], from, &mut || (), &mut parts).map_err(lost)?;
    if state.is_some() {
        return Ok(state);
    }
    let tick = ticks[giver].unwrap_or(0);
    checkpoint::decode(&run, parts.part(0)).map(Some).map_err(|error| RankError::Corrupt {
        rank: giver,
        tick,
        kind: "snapshot",
        fault: MessageFault::Structure { what: error.to_string() },
    })
}

/// All ranks describe their agents and the environment. What is told must be
/// what this rank has itself, for it would be driven beside.
fn describe(
    communicator: &mut impl Communicator,
    model: &WorldModel,
    dealt: &[usize],
    run: u32,
    tick: u64,
) -> Result<Vec<Description>, RankError> {
    let here = communicator.rank();
    let descriptions: Vec<Description> =
        model.agents.iter().map(|agent| agent.description()).collect();
    let environment = Environment { gravity: GRAVITY, rain: 0.0, visibility: 0.0 };
    let origin = |agent: usize| Origin { run, tick, rank: here as u16, agent: agent as u32 };
    let (mut writer, mut message) = (Writer::default(), Vec::new());
    writer.environment(&origin(0), &environment, &mut message);
    for agent in (0..dealt.len()).filter(|&agent| dealt[agent] == here) {
        writer.description(&origin(agent), &descriptions[agent], &mut message);
    }
    let mut parts = Parts::default();
    communicator
        .all_gather(&message, &mut || (), &mut parts)
        .map_err(|source| RankError::Lost { tick, source })?;
    for (rank, part) in parts.iter().enumerate() {
        let corrupt = |fault| RankError::Corrupt { rank, tick, kind: "description", fault };
        let disagreement = |key: String, theirs: String, ours: String| RankError::Disagreement {
            rank,
            here,
            key,
            theirs,
            ours,
        };
        let mut reader = Reader::new(part);
        while let Some((origin, body)) =
            reader.next(&mut [], &mut Patches::default()).map_err(corrupt)?
        {
            match body {
                Body::Environment(theirs) if theirs == environment => {}
                Body::Environment(theirs) => {
                    let (theirs, ours) = (format!("{theirs:?}"), format!("{environment:?}"));
                    return Err(disagreement("environment".into(), theirs, ours));
                }
                Body::Description(theirs) => match descriptions.get(origin.agent as usize) {
                    Some(ours) if *ours == theirs => {}
                    ours => {
                        let key = format!("vehicle[{}]", origin.agent);
                        let (theirs, ours) = (format!("{theirs:?}"), format!("{ours:?}"));
                        return Err(disagreement(key, theirs, ours));
                    }
                },
                _ => {
                    let (found, expected) = ("message of another kind", "description");
                    return Err(corrupt(MessageFault::Kind { found, expected }));
                }
            }
        }
    }
    Ok(descriptions)
}

/// Identifies a run: a checksum of all that its ranks agree on.
fn fingerprint(agreed: &[(String, String)]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for (key, value) in agreed {
        hasher.update(key.as_bytes());
        hasher.update(&[0]);
        hasher.update(value.as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize()
}

/// All ranks tell what they are about to run; the first difference ends it.
fn agree(communicator: &mut impl Communicator, ours: &[(String, String)]) -> Result<(), RankError> {
    let here = communicator.rank();
    let mut message = Vec::new();
    let origin = Origin { rank: here as u16, ..Origin::default() };
    Writer::default().handshake(&origin, ours, &mut message);
    let mut all = Parts::default();
    communicator
        .all_gather(&message, &mut || (), &mut all)
        .map_err(|source| RankError::Lost { tick: 0, source })?;
    for (rank, part) in all.iter().enumerate() {
        let corrupt = |fault| RankError::Corrupt { rank, tick: 0, kind: "handshake", fault };
        let theirs =
            match Reader::new(part).next(&mut [], &mut Patches::default()).map_err(corrupt)? {
                Some((_, Body::Handshake(agreed))) => agreed,
                _ => {
                    let fault =
                        MessageFault::Kind { found: "another message", expected: "handshake" };
                    return Err(corrupt(fault));
                }
            };
        if let Some((key, theirs, ours)) = first_difference(&theirs, ours) {
            return Err(RankError::Disagreement { rank, here, key, theirs, ours });
        }
    }
    Ok(())
}

/// First key with other values, and both values.
fn first_difference(
    theirs: &[(String, String)],
    ours: &[(String, String)],
) -> Option<(String, String, String)> {
    let value = |pairs: &[(String, String)], key: &str| {
        let found = pairs.iter().find(|(k, _)| k == key);
        found.map_or("nothing".to_owned(), |(_, value)| value.clone())
    };
    ours.iter().chain(theirs).find_map(|(key, _)| {
        let (their, our) = (value(theirs, key), value(ours, key));
        (their != our).then(|| (key.clone(), their, our))
    })
}
