//! A world whose agents are dealt to ranks.
//!
//! Every rank has the whole model and the whole published ground, and steps its
//! own agents. At a heartbeat each sends, for each of its agents, the state that
//! others may see and the patches of ground that its wheels left; each applies
//! all patches, its own as it sent them included. Since the merge of
//! patches commutes and what an agent reads of others is sent in full precision,
//! any number of ranks and any dealing give the bits of one process.

use super::agent::AgentState;
use super::handshake::{agree, describe, fingerprint, share_state};
use super::neighbour::{CENSUS, Neighbourhood, Region};
use super::rank_error::RankError;
use super::record::Sample;
use super::sealed::{opened, sealed};
use super::world::{Haste, World, WorldModel, WorldState, combined_hash};
use crate::grid::TILE;
use crate::ground::{GroundDigest, Patches};
use crate::sensor::Delivery;
use crate::sync::ghost::{Ghost, Order};
use crate::sync::ground_code::Memory;
use crate::sync::message::{Body, Description, MessageFault, Origin, Reader, VehicleState, Writer};
use crate::sync::{Communicator, Dealing, Parts, Phases, star};
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
    /// is held every second, or earlier where a vehicle is about to leave the region
    /// that it announced. Ground that a rank was not told is made up for when
    /// one of its agents comes near. As [`Route::All`] where a camera or lidar looks:
    /// who sees must be told of all.
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
    /// Whether own agents are digested while messages travel: for a
    /// [`Ranks::hash`] at each heartbeat.
    pub digest: bool,
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
    /// Time in agreeing on how to go on, where the messages do not tell all of it.
    pub agree: Duration,
    /// Time in cameras and lidars: bringing the ground that they see up to date, and
    /// making frames that are due at once. Others are made beside the steps.
    pub look: Duration,
    /// Frames that own cameras and lidars took.
    pub frames: u64,
    /// Time in hashes, samples and readings, gathering included.
    pub record: Duration,
    /// Time that a checkpoint has stopped the drive.
    pub checkpoint: Duration,
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
    /// Of these the ones that any other rank is told of.
    pub told: u64,
    /// Greatest distance of another rank's vehicle from where it was expected, m.
    pub ghost_error: f64,
    /// Greatest D_H of those vehicles, m ([`Ghost::bound`]).
    pub ghost_bound: f64,
    /// Whether any rank wants to end the run.
    pub quit: bool,
    /// With [`Route::Neighbour`], an agent of any rank that sped up harder than a census
    /// counts on, so that the next one is held early.
    pub outran: Option<u32>,
}

/// What all ranks must know of each other to go on alike.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Verdict {
    /// Whether any agent still drives.
    drives: bool,
    quit: bool,
    haste: Haste,
    /// An agent that may leave its region in the next heartbeat.
    outran: Option<u32>,
}

impl Verdict {
    fn or(self, other: Verdict) -> Verdict {
        Verdict {
            drives: self.drives || other.drives,
            quit: self.quit || other.quit,
            haste: self.haste.or(other.haste),
            outran: self.outran.into_iter().chain(other.outran).min(),
        }
    }
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
    /// Own agents that are told of, each with the end of its message in `outgoing`.
    told: Vec<(usize, usize)>,
    /// What goes to each rank that hears of some of them.
    addressed: Parts,
    incoming: Parts,
    patches: Patches,
    heard: Vec<Option<VehicleState>>,
    /// Of each agent's stream: what its writer or its reader here remembers.
    memories: Vec<Memory>,
    descriptions: Vec<Description>,
    /// Other ranks' agents as far as they are heard of.
    ghosts: Vec<Option<Ghost>>,
    order: Order,
    digest: bool,
    /// Of own agents, since the last heartbeat.
    digests: Option<Digests>,
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
        let Sharing { dealing, route, order, digest } = sharing;
        let (rank, size) = (communicator.rank(), communicator.size());
        if size > usize::from(u16::MAX) {
            return Err(RankError::TooMany { size });
        }
        let mut agreed = agreed.to_vec();
        agreed.push(("dealing".into(), dealing.to_string()));
        agreed.push(("route".into(), format!("{route:?}").to_lowercase()));
        let run = fingerprint(&agreed);
        agree(&mut communicator, &agreed)?;
        // what cannot be is found by all from here on, and nobody waits for another
        if *route == Route::Neighbour && model.stage.is_some() {
            return Err(RankError::Shortsighted);
        }
        let dealt = dealing.deal(model.agents.len(), size)?;
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
            told: Vec::new(),
            addressed: Parts::default(),
            incoming: Parts::default(),
            patches: Patches::default(),
            heard: vec![None; agents],
            memories: vec![Memory::default(); agents],
            descriptions,
            ghosts: vec![None; agents],
            order: *order,
            digest: *digest,
            digests: None,
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

    /// Time since some moment that does not change: for figures, never for results.
    pub fn elapsed(&self) -> Duration {
        self.communicator.elapsed()
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
        self.digests = None;
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
            let begun = self.communicator.elapsed();
            let outran = self.outran();
            let all = self.joined(Verdict { drives, quit, haste, outran }, &mut figures)?;
            (self.running, figures.quit, haste) = (all.drives, all.quit, all.haste);
            figures.outran = all.outran;
            if let (Some(_), Some(ranks)) = (all.outran, &mut self.neighbourhood) {
                ranks.due = end;
            }
            figures.agree = self.communicator.elapsed() - begun;
        }
        let begun = self.communicator.elapsed();
        figures.frames = self.world.settle(haste);
        figures.look = self.communicator.elapsed() - begun;
        Ok(figures)
    }

    /// The first own agent that is not sure to keep to its region over a further
    /// heartbeat. Its ground beyond is told to this rank at a census, before it gets there.
    fn outran(&self) -> Option<u32> {
        let ranks = self.neighbourhood.as_ref()?;
        let beat = self.world.model().clock.heartbeat();
        let outran = |region: &&Region| {
            let (place, speed) = self.world.place(region.agent as usize);
            !region.lasts(place, speed, beat, ranks.tile())
        };
        ranks.regions().find(outran).map(|region| region.agent)
    }

    /// The verdict of all ranks, in as many rounds as doublings make their number:
    /// in each a rank hears from one that is twice as far away as in the round
    /// before. (D. Hensgen, R. Finkel and U. Manber, Two algorithms for barrier
    /// synchronization, 1988.)
    fn joined(&mut self, own: Verdict, figures: &mut BeatFigures) -> Result<Verdict, RankError> {
        let (here, size, tick) = (self.rank(), self.size(), self.tick());
        let (mut joined, mut away) = (own, 1);
        while away < size {
            let bytes = sealed(&joined);
            let (to, from) = ((here + away) % size, (here + size - away) % size);
            self.communicator
                .exchange(&[(to, &bytes)], &[from], &mut || (), &mut self.incoming)
                .map_err(|source| RankError::Lost { tick, source })?;
            figures.received_bytes += self.incoming.bytes() as u64;
            joined = joined.or(opened(from, tick, "verdict", self.incoming.part(0))?);
            away *= 2;
        }
        Ok(joined)
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
        let Ranks {
            neighbourhood, communicator, outgoing, incoming, addressed, world, dealt, ..
        } = self;
        let (digest, digests, route) = (self.digest, &mut self.digests, self.route);
        let (here, size) = (communicator.rank(), communicator.size());
        // what needs no answer of the others is done before waiting for it
        let mut meanwhile = || *digests = digest.then(|| digests_of(world, dealt, here));
        let tick = world.state().tick;
        let lost = |source| RankError::Lost { tick, source };
        let Some(ranks) = neighbourhood else {
            let phases = match route {
                Route::Star => star(communicator, outgoing, &mut meanwhile, incoming),
                _ => communicator.all_gather(outgoing, &mut meanwhile, incoming),
            };
            Phases { lengths: figures.lengths, payload: figures.payload } = phases.map_err(lost)?;
            return Ok((0..size).collect());
        };
        for region in ranks.regions() {
            let agent = region.agent as usize;
            if !region.holds(world.place(agent).0, ranks.tile()) {
                return Err(RankError::Outran { agent, tick });
            }
        }
        let to: Vec<(usize, &[u8])> = ranks.hearers.iter().copied().zip(addressed.iter()).collect();
        let phases =
            communicator.exchange(&to, &ranks.speakers, &mut meanwhile, incoming).map_err(lost)?;
        Phases { lengths: figures.lengths, payload: figures.payload } = phases;
        Ok(ranks.speakers.clone())
    }

    /// Takes a census, and makes up for ground that was not told.
    fn census(&mut self, figures: &mut BeatFigures) -> Result<(), RankError> {
        let clock = self.world.model().clock;
        let Some(mut ranks) = self.neighbourhood.take() else { return Ok(()) };
        let tile = ranks.tile();
        let own: Vec<Region> = self.own_agents(|agent, _| {
            let (centre, speed) = self.world.place(agent as usize);
            Region::around(agent as usize, centre, speed, clock.heartbeat(), tile)
        });
        let regions: Vec<Region> = self.gathered("census", &own)?.into_iter().flatten().collect();
        figures.received_bytes += self.incoming.bytes() as u64;
        let agents = self.world.model().agents.iter().enumerate();
        let follows: Vec<(usize, usize)> =
            agents.filter_map(|(agent, model)| Some((agent, model.leader?.agent))).collect();
        ranks.close();
        let needy = ranks.census(&regions, &self.dealt, &follows);
        let givers = self.gathered("needs", &needy)?;
        figures.received_bytes += self.incoming.bytes() as u64;
        let here = self.rank();
        let from: Vec<usize> =
            (0..givers.len()).filter(|&rank| givers[rank].contains(&here)).collect();
        self.make_up(&mut ranks, &needy, &from)?;
        figures.received_bytes += self.incoming.bytes() as u64;
        ranks.due = self.tick() + ((CENSUS / clock.step()) as u64).max(clock.steps_per_beat());
        // new peers have not heard what came before
        self.memories.iter_mut().for_each(Memory::forget);
        for (ghost, heard) in self.ghosts.iter_mut().zip(&ranks.heard) {
            ghost.take_if(|_| !heard);
        }
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
            for patches in ranks.settle(rank) {
                let agent = patches.iter().next().map_or(0, |patch| patch.owner.into());
                let origin = Origin { agent, ..origin };
                self.writer.catch_up(&origin, &patches, &mut self.outgoing);
            }
            given.push(&self.outgoing);
        }
        let to: Vec<(usize, &[u8])> = to.iter().copied().zip(given.iter()).collect();
        self.communicator
            .exchange(&to, from, &mut || (), &mut self.incoming)
            .map_err(|source| RankError::Lost { tick, source })?;
        self.patches.clear();
        for (part, &rank) in self.incoming.iter().zip(from) {
            let corrupt = |fault| RankError::Corrupt { rank, tick, kind: "catch-up", fault };
            let mut reader = Reader::new(part);
            while let Some((sender, body)) =
                reader.next(&mut [], &mut self.patches).map_err(corrupt)?
            {
                let due = Origin { rank: rank as u16, agent: sender.agent, ..origin };
                if !matches!(body, Body::CatchUp(_)) || sender != due {
                    let expected = "catch-up";
                    let fault = MessageFault::Kind { found: "another message", expected };
                    return Err(corrupt(fault));
                }
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
        self.world.advance();
        let stepped = self.communicator.elapsed();
        self.world.merge(None);
        let merged = self.communicator.elapsed();
        let frames = self.world.settle(self.world.haste());
        self.running = self.world.is_running();
        let look = self.communicator.elapsed() - merged;
        let (step, apply) = (stepped - begun, merged - stepped);
        BeatFigures { step, apply, look, frames, agents: self.dealt.len() as u64, quit, ..figures }
    }

    fn tick(&self) -> u64 {
        self.world.state().tick
    }

    /// Writes a message for each own agent, and with a neighbourhood what goes to
    /// whom: only what somebody hears is written.
    fn write(&mut self, quit: bool, figures: &mut BeatFigures) {
        let tick = self.world.state().tick;
        let rank = self.communicator.rank();
        let origin =
            |agent: usize| Origin { run: self.run, tick, rank: rank as u16, agent: agent as u32 };
        let Ranks { world, writer, outgoing, told, addressed, neighbourhood, .. } = self;
        outgoing.clear();
        told.clear();
        for agent in (0..self.dealt.len()).filter(|&agent| self.dealt[agent] == rank) {
            figures.agents += 1;
            if let Some(ranks) = neighbourhood {
                ranks.leave(agent, world.patches(agent));
                if ranks.hearers(agent).is_empty() {
                    continue;
                }
            }
            let (state, patches) = world.shown(agent);
            let memory = &mut self.memories[agent];
            writer.agent_beat(&origin(agent), &state, patches, memory, outgoing);
            told.push((agent, outgoing.len()));
            figures.nodes += patches.states().len() as u64;
            figures.ground_bytes += writer.ground_bytes() as u64;
        }
        figures.told = told.len() as u64;
        figures.state_bytes = outgoing.len() as u64 - figures.ground_bytes;
        if let Some(ranks) = neighbourhood {
            addressed.clear();
            for hearer in &ranks.hearers {
                let mut message = Vec::new();
                let mut start = 0;
                for &(agent, end) in &*told {
                    if ranks.hearers(agent).contains(hearer) {
                        message.extend_from_slice(&outgoing[start..end]);
                    }
                    start = end;
                }
                addressed.push(&message);
            }
        } else if quit {
            writer.quit(&origin(0), "interrupted", outgoing);
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
            let due = match &self.neighbourhood {
                Some(ranks) => ranks.heard[agent],
                None => self.dealt[agent] != here,
            };
            due && self.heard[agent].is_none()
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
    /// [`RankError`] when a rank is gone, or has another ground than rank 0 where all
    /// are told of all.
    pub fn hash(&mut self) -> Result<([u8; 32], Vec<[u8; 32]>), RankError> {
        self.complete_first()?;
        let here = self.rank();
        let own = self.digests.take();
        let own = own.unwrap_or_else(|| digests_of(&self.world, &self.dealt, here));
        let own = (own, self.world.state().published.digest());
        let mut digests = vec![[0; 32]; self.dealt.len()];
        let all = self.gathered("digests", &own)?;
        if self.neighbourhood.is_none()
            && let Some(rank) = all.iter().position(|one| one.1 != all[0].1)
        {
            return Err(RankError::Diverged { rank, tick: self.tick() });
        }
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
        // rank 0 has its own
        let own = match self.rank() {
            0 => Vec::new(),
            _ => self.own_agents(|agent, state| (agent, state.clone())),
        };
        let all: Option<Vec<Vec<(u32, AgentState)>>> = self.gathered_at_first("agents", own)?;
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
        let all = self.gathered_at_first("samples", own)?;
        let mut samples: Vec<Sample> = all.into_iter().flatten().flatten().collect();
        samples.sort_by_key(|sample| sample.vehicle);
        Ok(samples)
    }

    /// What the sensors of all agents delivered in the last heartbeat, each with its
    /// agent, in the order of time, on rank 0; nothing elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its readings cannot be read.
    pub fn delivered(&mut self) -> Result<Vec<(u32, Delivery)>, RankError> {
        if self.world.model().agents.iter().all(|agent| agent.sensors.is_empty()) {
            return Ok(Vec::new());
        }
        let own = self.own_agents(|agent, _| agent);
        let of = |agent: u32| self.world.delivered(agent as usize).iter().cloned();
        let own: Vec<(u32, Delivery)> =
            own.into_iter().flat_map(|agent| of(agent).map(move |d| (agent, d))).collect();
        if self.size() == 1 {
            return Ok(in_order(own));
        }
        let all: Option<Vec<Vec<(u32, Delivery)>>> = self.gathered_at_first("readings", own)?;
        Ok(in_order(all.into_iter().flatten().flatten().collect()))
    }

    /// Whether any agent of any rank still drives.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Gathers any plain data on all ranks; `kind` is its name where it is corrupt.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its data cannot be read.
    pub fn gathered<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: &T,
    ) -> Result<Vec<T>, RankError> {
        self.outgoing = sealed(own);
        self.all_gather()?;
        let tick = self.tick();
        let parts = self.incoming.iter().enumerate();
        parts.map(|(rank, part)| opened(rank, tick, kind, part)).collect()
    }

    /// Gathers any plain data on rank 0; nothing elsewhere.
    fn gathered_at_first<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: T,
    ) -> Result<Option<Vec<T>>, RankError> {
        let tick = self.tick();
        let lost = |source| RankError::Lost { tick, source };
        let Ranks { communicator, incoming, .. } = self;
        if communicator.rank() != 0 {
            communicator
                .exchange(&[(0, &sealed(&own))], &[], &mut || (), incoming)
                .map_err(lost)?;
            return Ok(None);
        }
        let others: Vec<usize> = (1..communicator.size()).collect();
        communicator.exchange(&[], &others, &mut || (), incoming).map_err(lost)?;
        let mut all = vec![own];
        for (part, &rank) in self.incoming.iter().zip(&others) {
            all.push(opened(rank, tick, kind, part)?);
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

/// Deliveries by time, then agent, sensor and frame.
fn in_order(mut deliveries: Vec<(u32, Delivery)>) -> Vec<(u32, Delivery)> {
    deliveries.sort_by_key(|(agent, delivery)| {
        (delivery.due_us, *agent, delivery.sensor, delivery.frame)
    });
    deliveries
}

/// Digests of agents with their numbers.
type Digests = Vec<(u32, [u8; 32])>;

/// Digests of the agents of one rank.
fn digests_of(world: &World, dealt: &[usize], rank: usize) -> Digests {
    let agents = world.state().agents.iter().enumerate();
    let own = agents.filter(|&(agent, _)| dealt[agent] == rank);
    own.map(|(agent, state)| (agent as u32, state.digest())).collect()
}
