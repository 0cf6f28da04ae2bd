//! A world whose agents are dealt to ranks.
//!
//! Every rank has the whole model and the whole published ground, and steps its
//! own agents. At a heartbeat each sends, for each of its agents, the state that
//! others may see and the patches of ground that its wheels left; each applies
//! all patches, its own included, in the order of agents. Since the merge of
//! patches commutes and what an agent reads of others is sent in full precision,
//! any number of ranks and any dealing give the bits of one process.

use super::agent::AgentState;
use super::neighbour::{CENSUS, Neighbourhood, Region};
use super::record::Sample;
use super::world::{World, WorldModel, WorldState, combined_hash};
use crate::grid::TILE;
use crate::ground::{GroundDigest, Patch};
use crate::sync::message::{Body, MessageFault, Origin, Reader, VehicleState, Writer};
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

/// One heartbeat on one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    patches: Vec<Patch>,
    heard: Vec<Option<VehicleState>>,
    /// With [`Route::Neighbour`].
    neighbourhood: Option<Neighbourhood>,
    running: bool,
    begun: Duration,
}

impl<C: Communicator> Ranks<C> {
    /// Begins or, given a state, goes on with a world among ranks that agree.
    ///
    /// `agreed` are keys and values that must be the same on all ranks; one
    /// that differs ends the run before it begins.
    ///
    /// # Errors
    /// [`RankError`] when ranks disagree, are gone, or agents cannot be dealt.
    pub fn new(
        mut communicator: C,
        model: WorldModel,
        state: Option<WorldState>,
        dealing: &Dealing,
        route: Route,
        agreed: &[(String, String)],
    ) -> Result<Ranks<C>, RankError> {
        let (rank, size) = (communicator.rank(), communicator.size());
        if size > usize::from(u16::MAX) {
            return Err(RankError::TooMany { size });
        }
        let dealt = dealing.deal(model.agents.len(), size)?;
        let mut agreed = agreed.to_vec();
        agreed.push(("dealing".into(), dealing.to_string()));
        agreed.push(("route".into(), format!("{route:?}").to_lowercase()));
        agreed.push(("tick".into(), state.as_ref().map_or(0, |state| state.tick).to_string()));
        let run = fingerprint(&agreed);
        agree(&mut communicator, &agreed)?;
        let own = dealt.iter().map(|&dealt| dealt == rank).collect();
        let agents = dealt.len();
        let tile = model.ground.lattice().spacing * TILE as f64;
        let world = World::part(model, state, own);
        let begun = communicator.elapsed();
        Ok(Ranks {
            running: world.is_running(),
            neighbourhood: (route == Route::Neighbour)
                .then(|| Neighbourhood::new(rank, size, tile)),
            world,
            communicator,
            route,
            run,
            dealt,
            writer: Writer::default(),
            outgoing: Vec::new(),
            incoming: Parts::default(),
            patches: Vec::new(),
            heard: vec![None; agents],
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
        if self.neighbourhood.as_ref().is_some_and(|ranks| ranks.beats_left == 0) {
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
        figures.quit = self.read(&senders)?;
        for (agent, heard) in self.heard.iter().enumerate() {
            if self.dealt[agent] != self.communicator.rank()
                && let Some(state) = heard
            {
                self.world.see(agent, state);
            }
        }
        self.world.merge(&self.patches);
        figures.apply = self.communicator.elapsed() - begun;
        self.running = self.world.is_running();
        if self.neighbourhood.is_some() {
            let states = &self.world.state().agents;
            let mut own = (0..self.dealt.len()).filter(|&agent| self.dealt[agent] == self.rank());
            let drives = own.any(|agent| states[agent].outcome.is_none());
            self.running = self.any(drives)?;
            figures.quit = self.any(quit)?;
        }
        Ok(figures)
    }

    /// Whether any rank says so.
    fn any(&mut self, own: bool) -> Result<bool, RankError> {
        let tick = self.tick();
        let Ranks { communicator, incoming, .. } = self;
        communicator
            .all_gather(&[own.into()], &mut || (), incoming)
            .map_err(|source| RankError::Lost { tick, source })?;
        Ok(incoming.iter().any(|part| part == [1]))
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
        ranks.beats_left -= 1;
        let to: Vec<(usize, &[u8])> =
            ranks.peers.iter().map(|&rank| (rank, &outgoing[..])).collect();
        let phases = communicator
            .exchange(&to, &ranks.peers, &mut || (), incoming)
            .map_err(|source| RankError::Lost { tick, source })?;
        Phases { lengths: figures.lengths, payload: figures.payload } = phases;
        // what this rank left itself is merged in the same way
        incoming.push(outgoing);
        Ok(ranks.peers.iter().copied().chain([here]).collect())
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
        ranks.beats_left = ((CENSUS / clock.heartbeat()) as u64).max(1);
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
            let read = Reader::new(part).next(&mut self.patches).map_err(corrupt)?;
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
            self.writer.agent_beat(&origin(agent), &state, patches, &mut self.outgoing);
            figures.agents += 1;
            figures.nodes +=
                patches.iter().map(|patch| patch.tile.states().len() as u64).sum::<u64>();
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

    /// Reads a heartbeat of all ranks; whether any wants to quit. Nothing is
    /// applied before everything has been read and found right.
    fn read(&mut self, senders: &[usize]) -> Result<bool, RankError> {
        let tick = self.tick();
        self.patches.clear();
        self.heard.fill(None);
        let mut quit = false;
        for (part, &rank) in self.incoming.iter().zip(senders) {
            let corrupt = |fault| RankError::Corrupt { rank, tick, kind: "heartbeat", fault };
            let wrong = |what, found: u64, expected: u64| {
                corrupt(MessageFault::Origin { what, found, expected })
            };
            let mut reader = Reader::new(part);
            while let Some((origin, body)) = reader.next(&mut self.patches).map_err(corrupt)? {
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
                    Body::Handshake(_) | Body::CatchUp(_) => {
                        let (found, expected) = ("message of another kind", "agent beat");
                        return Err(corrupt(MessageFault::Kind { found, expected }));
                    }
                }
            }
        }
        let mut missing = (0..self.heard.len())
            .filter(|&agent| self.heard[agent].is_none() && senders.contains(&self.dealt[agent]));
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
        self.incoming.iter().enumerate().map(|(rank, part)| self.plain(rank, part)).collect()
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
        let mut all = vec![self.plain(0, &bytes)?];
        for (part, &rank) in self.incoming.iter().zip(&others) {
            all.push(self.plain(rank, part)?);
        }
        Ok(Some(all))
    }

    fn plain<T: DeserializeOwned>(&self, rank: usize, part: &[u8]) -> Result<T, RankError> {
        postcard::from_bytes(part).map_err(|error| RankError::Corrupt {
            rank,
            tick: self.tick(),
            kind: "plain data",
            fault: MessageFault::Structure { what: error.to_string() },
        })
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
        let theirs = match Reader::new(part).next(&mut Vec::new()).map_err(corrupt)? {
            Some((_, Body::Handshake(agreed))) => agreed,
            _ => {
                let fault = MessageFault::Kind { found: "another message", expected: "handshake" };
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
