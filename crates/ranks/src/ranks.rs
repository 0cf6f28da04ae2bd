//! A world whose agents are partitioned among ranks.
//!
//! Every rank holds the whole model and steps its own agents. It holds the whole published ground
//! or, with [`Route::Neighbour`], the ground that its agents may reach. At each heartbeat a rank
//! sends, for each of its agents, the state that other agents may see and the patches of ground
//! that its wheels changed. Each rank then applies all patches, including its own as it sent them.
//!
//! The result is bit-identical to that of one process, for any number of ranks and any partition:
//! patches merge commutatively, and an agent reads the states of others in full precision.

use super::figures::HeartbeatFigures;
use super::gathering::Digests;
use super::handshake::{agree, describe, fingerprint, share_state};
use super::homes::Homes;
use super::neighbour::Neighbourhood;
use super::rank_error::RankError;
use super::verdict::Verdict;
use bekker_ground::{Patches, Published};
use bekker_math::grid::TILE;
use bekker_sync::ghost::{Ghost, Order};
use bekker_sync::ground_code::Memory;
use bekker_sync::message::{VehicleState, Writer};
use bekker_sync::{Communicator, Members, Partition, Parts};
use bekker_world::{
    Command, CommandError, Commanded, RankAccess, World, WorldModel, WorldState, lookers,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Path that messages take between ranks. All routes give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// Every rank sends everything to every other rank.
    #[default]
    All,
    /// Every rank sends everything to rank 0, which forwards it.
    Star,
    /// Ranks exchange messages only if their agents may meet before the next census.
    ///
    /// A census is held every second, or earlier if a vehicle is about to leave the region that it
    /// announced. When an agent approaches ground whose changes its rank has not received, the rank
    /// fetches that ground. A rank with cameras or lidars also receives the vehicles that they may
    /// see, and holds the ground in their view.
    Neighbour,
}

/// How ranks share a world. No field changes the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sharing {
    /// Rank that steps each agent.
    pub partition: Partition,
    /// Path that messages take.
    pub route: Route,
    /// Extrapolation of other ranks' vehicles between heartbeats.
    pub order: Order,
    /// Whether own agents are digested while messages travel. Useful for a [`Ranks::hash`] at each
    /// heartbeat.
    pub digest: bool,
    /// Interval at which agents are partitioned again; never if `None`.
    pub rebalancing: Option<Rebalancing>,
    /// Whether ranks may leave during the run ([`Ranks::ask_to_leave`]).
    pub leaving: bool,
}

impl Sharing {
    /// Returns all keys and values that must be equal on all ranks.
    ///
    /// They are those given by the caller, the settings of this value, and the name of a custom
    /// soil law. [`agree`] compares them.
    pub fn agreed(&self, model: &WorldModel, given: &[(String, String)]) -> Vec<(String, String)> {
        let mut agreed = given.to_vec();
        agreed.push(("partition".into(), self.partition.to_string()));
        agreed.push(("route".into(), format!("{:?}", self.route).to_lowercase()));
        let (every, by_chance) = match self.rebalancing {
            None => ("never".to_owned(), None),
            Some(Rebalancing { every, by_chance }) => (format!("every {every} s"), by_chance),
        };
        agreed.push(("rebalance".into(), every));
        agreed.extend(by_chance.map(|seed| ("rebalance by chance".into(), seed.to_string())));
        if let Some(law) = model.ground.law() {
            agreed.push(("soil law".into(), law.name().into()));
        }
        agreed
    }
}

/// How often agents are partitioned among ranks again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rebalancing {
    /// Simulated time between two partitions, s.
    pub every: f64,
    /// Seed of a random partition, which replaces the one by position and cost
    /// ([`by_place`](bekker_sync::by_place)). Serves to test that the partition changes no result.
    pub by_chance: Option<u64>,
}

/// An own agent that is sent to other ranks at a heartbeat.
pub(crate) struct Announced {
    /// Index of the agent.
    pub agent: usize,
    /// Range of `outgoing` with the message for hearers: state and ground.
    pub whole: Range<usize>,
    /// Range of `outgoing` with the message for watchers: state without ground.
    pub seen: Range<usize>,
}

/// This rank's part of a world that several ranks share.
pub struct Ranks<'c> {
    pub(crate) world: World,
    pub(crate) communicator: Members<'c>,
    pub(crate) route: Route,
    pub(crate) run: u32,
    /// Rank of each agent.
    pub(crate) partition: Vec<usize>,
    pub(crate) writer: Writer,
    pub(crate) outgoing: Vec<u8>,
    /// Own agents that are sent to other ranks.
    pub(crate) announced: Vec<Announced>,
    /// Message for each rank that receives any of them.
    pub(crate) addressed: Parts,
    pub(crate) incoming: Parts,
    pub(crate) patches: Patches,
    /// States of other ranks' agents received at a heartbeat, in the order of agents.
    pub(crate) received: Vec<(usize, VehicleState)>,
    /// State of the ground encoder or decoder of each agent's stream.
    pub(crate) memories: Vec<Memory>,
    /// Extrapolated agents of other ranks, where this rank receives them.
    pub(crate) ghosts: BTreeMap<usize, Ghost>,
    pub(crate) order: Order,
    /// Whether own agents are digested while messages travel.
    pub(crate) digest: bool,
    /// Whether any sensor of any agent records.
    pub(crate) records: bool,
    /// Digests of own agents since the last heartbeat.
    pub(crate) digests: Option<Digests>,
    /// Subscriptions between ranks and home ranks of ground. Both are `None` unless the route is
    /// [`Route::Neighbour`] and there are several ranks.
    pub(crate) neighbourhood: Option<Neighbourhood>,
    pub(crate) homes: Option<Homes>,
    /// On rank 0: all ground as received at the last call of `complete_first`.
    pub(crate) whole: Published,
    /// Pairs (a, b) of agents where a needs the state of b at any distance.
    pub(crate) follows: Vec<(usize, usize)>,
    /// Agents with cameras or lidars, and their ranges of sight, m.
    pub(crate) lookers: BTreeMap<usize, f64>,
    /// Bytes received since the metrics of the last heartbeat.
    pub(crate) received_bytes: u64,
    pub(crate) rebalancing: Option<Rebalancing>,
    /// Tick of the last partition.
    pub(crate) dealt_at: u64,
    /// Time that own agents have cost since the last partition.
    pub(crate) spent: Duration,
    /// Whether ranks may leave. Then: the tick of the last query, whether this rank requests to
    /// leave, and whether it has left.
    pub(crate) leaving: bool,
    pub(crate) asked_at: u64,
    pub(crate) wants_to_leave: bool,
    pub(crate) has_left: bool,
    pub(crate) running: bool,
    pub(crate) begun: Duration,
}

impl<'c> Ranks<'c> {
    /// Starts a world among ranks that agree, or resumes it from a state.
    ///
    /// `agreed` are keys and values that must be the same on all ranks; a difference ends the run
    /// before it begins. If some ranks have a state, those without one receive a snapshot of it.
    /// This lets ranks join late.
    ///
    /// # Errors
    /// [`RankError`] when ranks disagree, a rank is lost, or agents cannot be partitioned.
    pub fn new(
        communicator: impl Communicator + 'c,
        model: WorldModel,
        state: Option<WorldState>,
        sharing: &Sharing,
        agreed: &[(String, String)],
    ) -> Result<Ranks<'c>, RankError> {
        let never = AtomicBool::new(false);
        Ranks::of(Members::new(communicator), model, state, (sharing, agreed), &never)
    }

    /// Does the same as [`Ranks::new`], but stops if `interrupted` is set on any rank while agents
    /// are being placed.
    ///
    /// Placing some thousands of agents takes about a minute.
    ///
    /// # Errors
    /// As [`Ranks::new`], and [`RankError::Interrupted`].
    pub fn interrupted_by(
        communicator: impl Communicator + 'c,
        model: WorldModel,
        state: Option<WorldState>,
        (sharing, agreed): (&Sharing, &[(String, String)]),
        interrupted: &AtomicBool,
    ) -> Result<Ranks<'c>, RankError> {
        Ranks::of(Members::new(communicator), model, state, (sharing, agreed), interrupted)
    }

    /// Does the work of both constructors. It takes [`Members`], not a generic communicator, so it
    /// is compiled once.
    fn of(
        mut communicator: Members<'c>,
        model: WorldModel,
        state: Option<WorldState>,
        (sharing, agreed): (&Sharing, &[(String, String)]),
        interrupted: &AtomicBool,
    ) -> Result<Ranks<'c>, RankError> {
        let Sharing { partition, route, order, digest, rebalancing, leaving } = sharing;
        let (rank, size) = (communicator.rank(), communicator.size());
        if size > usize::from(u16::MAX) {
            return Err(RankError::TooMany { size });
        }
        let agreed = sharing.agreed(&model, agreed);
        let run = fingerprint(&agreed);
        agree(&mut communicator, &agreed)?;
        let starts = model.agents.iter().map(|agent| agent.start.position);
        let starts: Vec<[f64; 2]> = starts.map(|start| [start.x, start.y]).collect();
        let partition = partition.partition(&starts, size)?;
        let state = share_state(&mut communicator, &model, state, run)?;
        let tick = state.as_ref().map_or(0, |state| state.tick);
        describe(&mut communicator, &model, &partition, run, tick)?;
        let own = partition.iter().map(|&driver| driver == rank).collect();
        let agents = partition.len();
        let tile = model.ground.lattice().spacing * TILE as f64;
        let (follows, lookers) = (follows(&model), lookers_of(&model));
        // Radio and autonomy change the states of agents once more at the end of a heartbeat.
        let is_settled =
            model.radios.is_empty() && model.agents.iter().all(|agent| agent.autonomy.is_none());
        let mut sensors = model.agents.iter().flat_map(|agent| &agent.sensors);
        let records = sensors.any(|sensor| sensor.record);
        let is_begun = state.is_some();
        let world = World::rank_part(Arc::new(model), state, own);
        let begun = communicator.elapsed();
        let near = *route == Route::Neighbour && size > 1;
        let mut ranks = Ranks {
            running: false,
            neighbourhood: near.then(|| Neighbourhood::new(rank, tile)),
            homes: near.then(|| Homes::new(rank, size, tile, &world.state().published)),
            whole: Published::default(),
            follows,
            lookers,
            received_bytes: 0,
            rebalancing: *rebalancing,
            dealt_at: world.state().tick,
            spent: Duration::ZERO,
            leaving: *leaving && size > 1,
            asked_at: world.state().tick,
            wants_to_leave: false,
            has_left: false,
            world,
            communicator,
            route: *route,
            run,
            partition,
            writer: Writer::default(),
            outgoing: Vec::new(),
            announced: Vec::new(),
            addressed: Parts::default(),
            incoming: Parts::default(),
            patches: Patches::default(),
            received: Vec::new(),
            memories: vec![Memory::default(); agents],
            ghosts: BTreeMap::new(),
            order: *order,
            digest: *digest && is_settled,
            records,
            digests: None,
            begun,
        };
        if !is_begun {
            ranks.begin(interrupted)?;
        }
        ranks.world.set_team_positions();
        ranks.running = ranks.world.is_running();
        ranks.begun = ranks.communicator.elapsed();
        Ok(ranks)
    }

    /// Returns this rank's world.
    ///
    /// It has no state of other ranks' agents, except on rank 0, where their states are those of
    /// the last [`Ranks::gather`].
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Commands an agent as [`World::command`] does, on the rank that steps it.
    ///
    /// Call this on all ranks with the same arguments, or only on that rank.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such agent, or a value is not a number.
    pub fn command(&mut self, agent: usize, command: Option<Command>) -> Result<(), CommandError> {
        self.world.command(agent, command)
    }

    /// Applies a controller's command to an agent if it steps on this rank.
    ///
    /// # Errors
    /// As [`Commanded::apply`].
    pub fn apply(&mut self, commanded: &Commanded) -> Result<(), CommandError> {
        commanded.apply(&mut self.world)
    }

    /// Returns the world.
    ///
    /// On rank 0 it is complete after a [`Ranks::gather`].
    pub fn into_world(self) -> World {
        self.world
    }

    /// Returns the number of this rank.
    pub fn rank(&self) -> usize {
        self.communicator.rank()
    }

    /// Returns the time since a fixed moment. Only for metrics, never for results.
    pub fn elapsed(&self) -> Duration {
        self.communicator.elapsed()
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.communicator.size()
    }

    /// Returns the rank of each agent.
    pub fn partition(&self) -> &[usize] {
        &self.partition
    }

    /// Steps own agents through one heartbeat, exchanges messages, and merges ground.
    ///
    /// With `quit` this rank requests that all ranks end the run after this heartbeat.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its messages are invalid. The world is then between two
    /// heartbeats and must not be used further.
    pub fn advance(&mut self, quit: bool) -> Result<HeartbeatFigures, RankError> {
        let mut figures = HeartbeatFigures {
            tick: self.tick(),
            begun: self.communicator.elapsed() - self.begun,
            ..HeartbeatFigures::default()
        };
        self.digests = None;
        if self.size() > 1 {
            self.part()?;
            if self.has_left {
                return Ok(figures);
            }
        }
        if self.size() == 1 {
            return Ok(self.advance_alone(quit, figures));
        }
        self.rebalance()?;
        let end = self.tick() + self.world.state().steps;
        if self.neighbourhood.as_ref().is_some_and(|ranks| end > ranks.due) {
            self.census()?;
        }
        let begun = self.communicator.elapsed();
        self.world.step_agents();
        figures.step = self.communicator.elapsed() - begun;

        let begun = self.communicator.elapsed();
        self.write(quit, &mut figures);
        figures.serialise = self.communicator.elapsed() - begun;

        let senders = self.exchange(&mut figures)?;

        let begun = self.communicator.elapsed();
        figures.quit = self.read(&senders)? || quit;
        self.see(end, &mut figures);
        let wear = self.world.wear();
        self.world.apply_wear(&wear);
        self.world.merge_patches(Some(&self.patches));
        figures.apply = self.communicator.elapsed() - begun;
        self.running = self.world.is_running();
        let mut fastest_motion = self.world.fastest_motion();
        let told = self.neighbourhood.is_none() && !self.world.model().clock.adapts();
        if !told || self.world.has_wear() {
            // These values are not in the messages that every rank receives.
            let agents = &self.world.state().agents;
            let mut own = self.world.own_agents().iter();
            let drives = own.any(|&agent| agents[agent].outcome.is_none());
            let begun = self.communicator.elapsed();
            let outran = self.outran();
            let all = self.joined(Verdict { drives, quit, fastest_motion, outran, wear })?;
            self.world.apply_wear(&all.wear);
            (self.running, figures.quit, fastest_motion) =
                (all.drives, all.quit, all.fastest_motion);
            figures.outran = all.outran;
            if let (Some(_), Some(ranks)) = (all.outran, &mut self.neighbourhood) {
                ranks.due = end;
            }
            figures.agree = self.communicator.elapsed() - begun;
        }
        let begun = self.communicator.elapsed();
        figures.frames = self.world.finish_heartbeat(fastest_motion);
        figures.imaging = self.communicator.elapsed() - begun;
        let clock = self.world.model().clock;
        self.share_maps([figures.tick, end].map(|tick| clock.micros(tick)))?;
        self.talk([figures.tick, end].map(|tick| clock.micros(tick)))?;
        figures.received_bytes = self.take_received_bytes();
        self.spent += figures.step + figures.imaging;
        Ok(figures)
    }

    /// Advances a single rank, without messages.
    fn advance_alone(&mut self, quit: bool, figures: HeartbeatFigures) -> HeartbeatFigures {
        let begun = self.communicator.elapsed();
        self.world.step_agents();
        let stepped = self.communicator.elapsed();
        self.world.apply_wear(&self.world.wear());
        self.world.merge_patches(None);
        let merged = self.communicator.elapsed();
        let clock = self.world.model().clock;
        let end = figures.tick + self.world.state().steps;
        let span_us = [figures.tick, end].map(|tick| clock.micros(tick));
        let frames = self.world.finish_heartbeat(self.world.fastest_motion());
        self.world.exchange_locally(span_us);
        self.running = self.world.is_running();
        let imaging = self.communicator.elapsed() - merged;
        let (step, apply) = (stepped - begun, merged - stepped);
        HeartbeatFigures {
            step,
            apply,
            imaging,
            frames,
            agents: self.partition.len() as u64,
            quit,
            ..figures
        }
    }

    /// Returns the bytes received since the last call or the last heartbeat.
    pub fn take_received_bytes(&mut self) -> u64 {
        std::mem::take(&mut self.received_bytes)
    }

    /// Returns the number of steps taken.
    pub fn tick(&self) -> u64 {
        self.world.state().tick
    }

    /// Returns the extrapolated state of another rank's agent, if this rank receives it.
    pub fn ghost(&self, agent: usize) -> Option<&Ghost> {
        self.ghosts.get(&agent)
    }

    /// Whether any agent of any rank still drives.
    pub fn is_running(&self) -> bool {
        self.running
    }
}

/// Agents with cameras or lidars and their ranges of sight, m; empty without a scene.
fn lookers_of(model: &WorldModel) -> BTreeMap<usize, f64> {
    model.scene_model.as_ref().map_or_else(BTreeMap::new, |_| lookers(&model.agents))
}

/// Pairs (a, b) of agents where a needs the state of b at any distance: followers with their
/// leaders, and towing vehicles with those that they tow, in both orders.
fn follows(model: &WorldModel) -> Vec<(usize, usize)> {
    let agents = model.agents.iter().enumerate();
    let leaders = agents.filter_map(|(agent, model)| Some((agent, model.leader?.agent)));
    let tows = model.tows.iter().flat_map(|link| {
        let [one, other] = link.agents;
        [(one, other), (other, one)]
    });
    leaders.chain(tows).collect()
}
