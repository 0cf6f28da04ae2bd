//! A world whose agents are partitioned among ranks.
//!
//! Every rank has the whole model and steps its own agents; it has the whole published ground
//! or, where ranks tell only their neighbours, what its agents may come to. At a heartbeat each
//! sends, for each of its agents, the state that
//! others may see and the patches of ground that its wheels left; each applies
//! all patches, its own as it sent them included. Since the merge of
//! patches commutes and what an agent reads of others is sent in full precision,
//! any number of ranks and any partition give the bits of one process.

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
use bekker_world::{Command, CommandError, Commanded, World, WorldModel, WorldState, lookers};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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
    /// one of its agents comes near. A rank with cameras or lidars hears of the vehicles that they
    /// may see, too, and holds the ground that they look at.
    Neighbour,
}

/// How a world is shared by ranks. Nothing in it changes what happens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sharing {
    /// Which rank drives which agent.
    pub partition: Partition,
    /// Way of the messages.
    pub route: Route,
    /// How others' vehicles are extrapolated between heartbeats.
    pub order: Order,
    /// Whether own agents are digested while messages travel: for a
    /// [`Ranks::hash`] at each heartbeat.
    pub digest: bool,
    /// Whether agents are dealt to ranks anew on the way.
    pub rebalancing: Option<Rebalancing>,
    /// Whether ranks may leave on the way ([`Ranks::ask_to_leave`]).
    pub leaving: bool,
}

impl Sharing {
    /// All that ranks must have in common: keys and values of whoever starts them, how the world is
    /// shared, and what the ground yields by. [`agree`] compares them.
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

/// How often agents are dealt to ranks anew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rebalancing {
    /// Simulated time between, s.
    pub every: f64,
    /// Not by place and cost ([`by_place`](bekker_sync::by_place)) but drawn from this seed: to
    /// try whether it changes anything.
    pub by_chance: Option<u64>,
}

/// An own agent that is told of at a heartbeat.
pub(crate) struct Announced {
    /// Which.
    pub agent: usize,
    /// Where `outgoing` holds what is told to those that hear of it, ...
    pub whole: Range<usize>,
    /// ... and what to those that see it alone: no ground.
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
    /// Own agents that are told of.
    pub(crate) announced: Vec<Announced>,
    /// What goes to each rank that hears of some of them.
    pub(crate) addressed: Parts,
    pub(crate) incoming: Parts,
    pub(crate) patches: Patches,
    /// What others' agents told in a heartbeat, in the order of agents.
    pub(crate) received: Vec<(usize, VehicleState)>,
    /// Of each agent's stream: what its writer or its reader here remembers.
    pub(crate) memories: Vec<Memory>,
    /// Other ranks' agents as far as they are heard of.
    pub(crate) ghosts: BTreeMap<usize, Ghost>,
    pub(crate) order: Order,
    /// Whether own agents are digested while messages travel.
    pub(crate) digest: bool,
    /// Whether any sensor of any agent records.
    pub(crate) records: bool,
    /// Of own agents, since the last heartbeat.
    pub(crate) digests: Option<Digests>,
    /// With [`Route::Neighbour`] among several: who hears of whom, and who keeps which ground.
    pub(crate) neighbourhood: Option<Neighbourhood>,
    pub(crate) homes: Option<Homes>,
    /// All ground as the first rank was told of it last, there.
    pub(crate) whole: Published,
    /// Pairs of agents the first of which needs to see the second wherever it is.
    pub(crate) follows: Vec<(usize, usize)>,
    /// Agents with cameras or lidars, and how far they see, m.
    pub(crate) lookers: BTreeMap<usize, f64>,
    /// Bytes received since the last heartbeat's figures.
    pub(crate) received_bytes: u64,
    pub(crate) rebalancing: Option<Rebalancing>,
    /// Tick of the last partition.
    pub(crate) dealt_at: u64,
    /// Time that own agents have cost since then.
    pub(crate) spent: Duration,
    /// Whether ranks may leave, when they were asked last, whether this one wants to, and has.
    pub(crate) leaving: bool,
    pub(crate) asked_at: u64,
    pub(crate) wants_to_leave: bool,
    pub(crate) has_left: bool,
    pub(crate) running: bool,
    pub(crate) begun: Duration,
}

impl<'c> Ranks<'c> {
    /// Begins or, given a state, goes on with a world among ranks that agree.
    ///
    /// `agreed` are keys and values that must be the same on all ranks; one
    /// that differs ends the run before it begins. If some ranks have a state,
    /// those that have none get a snapshot of it: so ranks join late.
    ///
    /// # Errors
    /// [`RankError`] when ranks disagree, are gone, or agents cannot be partitioned.
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

    /// The same, unless `interrupted` is raised on some rank while agents are set down, which takes
    /// a minute of some thousands.
    ///
    /// # Errors
    /// [`RankError`] as of [`Ranks::new`], and [`RankError::Interrupted`].
    pub fn interrupted_by(
        communicator: impl Communicator + 'c,
        model: WorldModel,
        state: Option<WorldState>,
        (sharing, agreed): (&Sharing, &[(String, String)]),
        interrupted: &AtomicBool,
    ) -> Result<Ranks<'c>, RankError> {
        Ranks::of(Members::new(communicator), model, state, (sharing, agreed), interrupted)
    }

    /// The same whatever they communicate by: compiled once.
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
        // what agents hear and see at the end of a heartbeat changes their states once more
        let is_settled =
            model.radios.is_empty() && model.agents.iter().all(|agent| agent.autonomy.is_none());
        let mut sensors = model.agents.iter().flat_map(|agent| &agent.sensors);
        let records = sensors.any(|sensor| sensor.record);
        let is_begun = state.is_some();
        let world = World::part(Arc::new(model), state, own);
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
        ranks.world.meet_team();
        ranks.running = ranks.world.is_running();
        ranks.begun = ranks.communicator.elapsed();
        Ok(ranks)
    }

    /// This rank's world. Of other ranks' agents it has no state, but on rank 0 as they were at
    /// the last [`Ranks::gather`].
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Commands an agent as [`World::command`] does, on the rank where it steps: to be
    /// called on all ranks alike, or on that one.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such agent, or a number is none.
    pub fn command(&mut self, agent: usize, command: Option<Command>) -> Result<(), CommandError> {
        self.world.command(agent, command)
    }

    /// Has an agent do what a controller wants of it, if it steps here.
    ///
    /// # Errors
    /// As of [`Commanded::apply`].
    pub fn apply(&mut self, commanded: &Commanded) -> Result<(), CommandError> {
        commanded.apply(&mut self.world)
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
    pub fn partition(&self) -> &[usize] {
        &self.partition
    }

    /// Steps own agents through one heartbeat, exchanges, and merges. With
    /// `quit` this rank asks all to end the run after this heartbeat.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its messages cannot be used; the
    /// world is then between two heartbeats and of no further use.
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
        self.world.suffer(&wear);
        self.world.merge(Some(&self.patches));
        figures.apply = self.communicator.elapsed() - begun;
        self.running = self.world.is_running();
        let mut fastest_motion = self.world.fastest_motion();
        let told = self.neighbourhood.is_none() && !self.world.model().clock.adapts();
        if !told || self.world.wears() {
            // what not all were told by the messages
            let agents = &self.world.state().agents;
            let mut own = self.world.own_agents().iter();
            let drives = own.any(|&agent| agents[agent].outcome.is_none());
            let begun = self.communicator.elapsed();
            let outran = self.outran();
            let all = self.joined(Verdict { drives, quit, fastest_motion, outran, wear })?;
            self.world.suffer(&all.wear);
            (self.running, figures.quit, fastest_motion) =
                (all.drives, all.quit, all.fastest_motion);
            figures.outran = all.outran;
            if let (Some(_), Some(ranks)) = (all.outran, &mut self.neighbourhood) {
                ranks.due = end;
            }
            figures.agree = self.communicator.elapsed() - begun;
        }
        let begun = self.communicator.elapsed();
        figures.frames = self.world.settle(fastest_motion);
        figures.imaging = self.communicator.elapsed() - begun;
        let clock = self.world.model().clock;
        self.share_maps([figures.tick, end].map(|tick| clock.micros(tick)))?;
        self.talk([figures.tick, end].map(|tick| clock.micros(tick)))?;
        figures.received_bytes = self.take_received_bytes();
        self.spent += figures.step + figures.imaging;
        Ok(figures)
    }

    /// There is nobody to write to.
    fn advance_alone(&mut self, quit: bool, figures: HeartbeatFigures) -> HeartbeatFigures {
        let begun = self.communicator.elapsed();
        self.world.step_agents();
        let stepped = self.communicator.elapsed();
        self.world.suffer(&self.world.wear());
        self.world.merge(None);
        let merged = self.communicator.elapsed();
        let frames = self.world.settle(self.world.fastest_motion());
        self.world.share_maps_alone(figures.tick);
        self.world.talk_alone(figures.tick);
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

    /// Bytes received since this was asked last, or since the last heartbeat.
    pub fn take_received_bytes(&mut self) -> u64 {
        std::mem::take(&mut self.received_bytes)
    }

    /// Steps taken.
    pub fn tick(&self) -> u64 {
        self.world.state().tick
    }

    /// An agent of another rank as it is extrapolated here, if it is heard of.
    pub fn ghost(&self, agent: usize) -> Option<&Ghost> {
        self.ghosts.get(&agent)
    }

    /// Whether any agent of any rank still drives.
    pub fn is_running(&self) -> bool {
        self.running
    }
}

/// Agents with cameras or lidars and their ranges of sight, m; none without a scene.
fn lookers_of(model: &WorldModel) -> BTreeMap<usize, f64> {
    model.scene_model.as_ref().map_or_else(BTreeMap::new, |_| lookers(&model.agents))
}

/// Pairs of agents the first of which needs to see the second, however far away it is: who
/// follows a leader, and who tows and is towed.
fn follows(model: &WorldModel) -> Vec<(usize, usize)> {
    let agents = model.agents.iter().enumerate();
    let leaders = agents.filter_map(|(agent, model)| Some((agent, model.leader?.agent)));
    let tows = model.tows.iter().flat_map(|link| {
        let [one, other] = link.agents;
        [(one, other), (other, one)]
    });
    leaders.chain(tows).collect()
}
