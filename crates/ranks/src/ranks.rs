//! A world whose agents are partitioned among ranks.
//!
//! Every rank holds the whole model and steps its own agents. It holds the whole published ground
//! or, with [`MessageRoute::Neighbor`], the ground that its agents may reach. At each heartbeat a rank
//! sends, for each of its agents, the state that other agents may see and the patches of ground
//! that its wheels changed. Each rank then applies all patches, including its own as it sent them.
//!
//! The result is bit-identical to that of one process, for any number of ranks and any partition:
//! patches merge commutatively, and an agent reads the states of others in full precision.

use super::agent_placement::place_agents;
use super::census::Neighbors;
use super::collectives::Collectives;
use super::departure::Departure;
use super::exchange::Exchange;
use super::gatherer::Gatherer;
use super::ghosts::Ghosts;
use super::handshake::{agree, describe, fingerprint, share_state};
use super::heartbeat_metrics::HeartbeatMetrics;
use super::heartbeat_reduction::HeartbeatReduction;
use super::map_exchange::exchange_maps;
use super::own_agents::any_own_agent_drives;
use super::radio_exchange::exchange_radio;
use super::rank_error::RankError;
use super::rebalancer::Rebalancer;
use super::sharing::{MessageRoute, Sharing};
use bekker_sync::ghost::Ghost;
use bekker_sync::{Communicator, LiveRanks};
use bekker_world::{
    Command, CommandError, CommandRecord, MotionBounds, RankAccess, SharedObstacleChanges, World,
    WorldModel, WorldState,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// This rank's part of a world that several ranks share.
pub struct Ranks<'c> {
    pub(crate) world: World,
    pub(crate) collectives: Collectives<'c>,
    pub(crate) exchange: Exchange,
    pub(crate) ghosts: Ghosts,
    /// Subscriptions between ranks and home ranks of ground; `None` unless the route is
    /// [`MessageRoute::Neighbor`] and there are several ranks.
    pub(crate) neighbors: Option<Neighbors>,
    pub(crate) rebalancer: Rebalancer,
    pub(crate) gatherer: Gatherer,
    pub(crate) departure: Departure,
    /// Whether any agent of any rank still drives.
    pub(crate) running: bool,
    /// Time at which start-up ended.
    begun: Duration,
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
        Ranks::of_members(LiveRanks::new(communicator), model, state, sharing, agreed, &never)
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
        sharing: &Sharing,
        agreed: &[(String, String)],
        interrupted: &AtomicBool,
    ) -> Result<Ranks<'c>, RankError> {
        Ranks::of_members(LiveRanks::new(communicator), model, state, sharing, agreed, interrupted)
    }

    /// Does the work of both constructors. It takes [`LiveRanks`], not a generic communicator, so
    /// it is compiled once.
    fn of_members(
        mut communicator: LiveRanks<'c>,
        model: WorldModel,
        state: Option<WorldState>,
        sharing: &Sharing,
        agreed: &[(String, String)],
        interrupted: &AtomicBool,
    ) -> Result<Ranks<'c>, RankError> {
        let (rank, size) = (communicator.rank(), communicator.size());
        if size > usize::from(u16::MAX) {
            return Err(RankError::TooMany { size });
        }
        let agreed = sharing.agreed_settings(&model, agreed);
        let run = fingerprint(&agreed);
        agree(&mut communicator, &agreed)?;
        let starts = model.agents.iter().map(|agent| agent.start.position);
        let starts: Vec<[f64; 2]> = starts.map(|start| [start.x, start.y]).collect();
        let partition = sharing.partition.partition(&starts, size)?;
        let state = share_state(&mut communicator, &model, state, run)?;
        let tick = state.as_ref().map_or(0, |state| state.tick);
        describe(&mut communicator, &model, &partition, run, tick)?;
        let own = partition.iter().map(|&driver| driver == rank).collect();
        let gatherer = Gatherer::new(&model, sharing.digest);
        let is_begun = state.is_some();
        let world = World::rank_part(Arc::new(model), state, own);
        let near = sharing.route == MessageRoute::Neighbor && size > 1;
        let begun = communicator.elapsed();
        let mut ranks = Ranks {
            collectives: Collectives::new(communicator, sharing.route, run, tick),
            exchange: Exchange::new(partition.len()),
            ghosts: Ghosts::new(sharing.order),
            neighbors: near.then(|| Neighbors::new(&world, rank, size)),
            rebalancer: Rebalancer::new(partition, sharing.rebalancing, tick),
            gatherer,
            departure: Departure::new(sharing.leaving && size > 1, tick),
            running: false,
            begun,
            world,
        };
        if !is_begun {
            place_agents(&mut ranks.world, &mut ranks.collectives, interrupted)?;
            if size > 1 {
                ranks.hold_census()?;
                ranks.introduce_agents()?;
            }
        }
        ranks.world.set_team_positions();
        ranks.running = ranks.world.is_running();
        ranks.begun = ranks.elapsed();
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
    /// As [`CommandRecord::apply`].
    pub fn apply(&mut self, commanded: &CommandRecord) -> Result<(), CommandError> {
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
        self.collectives.rank()
    }

    /// Returns the time since a fixed moment. Only for metrics, never for results.
    pub fn elapsed(&self) -> Duration {
        self.collectives.elapsed()
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.collectives.size()
    }

    /// Returns the rank of each agent.
    pub fn partition(&self) -> &[usize] {
        self.rebalancer.partition()
    }

    /// Steps own agents through one heartbeat, exchanges messages, and merges ground.
    ///
    /// With `quit` this rank requests that all ranks end the run after this heartbeat.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its messages are invalid. The world is then between two
    /// heartbeats and must not be used further.
    pub fn advance(&mut self, quit: bool) -> Result<HeartbeatMetrics, RankError> {
        let (tick, begun) = (self.tick(), self.elapsed() - self.begun);
        let mut metrics = HeartbeatMetrics { tick, begun, ..HeartbeatMetrics::default() };
        self.gatherer.discard_digests();
        self.remove_leaving_ranks()?;
        if self.has_left() {
            return Ok(metrics);
        }
        if self.size() == 1 {
            self.advance_alone(quit, &mut metrics);
            return Ok(metrics);
        }
        self.rebalance()?;
        self.hold_due_census()?;
        self.step_agents(&mut metrics);
        self.write_messages(quit, &mut metrics);
        self.exchange_messages(&mut metrics)?;
        let obstacle_changes = self.world.obstacle_changes();
        self.apply_messages(&obstacle_changes, quit, &mut metrics)?;
        let motion_bounds = self.agree_on_next(obstacle_changes, quit, &mut metrics)?;
        let span_us = self.finish_heartbeat(motion_bounds, &mut metrics);
        let Ranks { world, collectives, rebalancer, .. } = self;
        exchange_maps(world, collectives, rebalancer.partition(), span_us)?;
        exchange_radio(world, collectives, span_us)?;
        rebalancer.add_cost(metrics.step + metrics.imaging);
        metrics.received_bytes = collectives.take_received_bytes();
        Ok(metrics)
    }

    /// Advances a single rank, without messages.
    fn advance_alone(&mut self, quit: bool, metrics: &mut HeartbeatMetrics) {
        self.step_agents(metrics);
        let begun = self.elapsed();
        self.world.apply_obstacle_changes(&self.world.obstacle_changes());
        self.world.merge_patches(None);
        metrics.apply = self.elapsed() - begun;
        let begun = self.elapsed();
        let span_us = self.finish_heartbeat(self.world.motion_bounds(), metrics);
        self.world.exchange_locally(span_us);
        self.running = self.world.is_running();
        metrics.imaging = self.elapsed() - begun;
        metrics.agents = self.partition().len() as u64;
        metrics.quit = quit;
    }

    /// Holds a census if the regions of agents do not last for another heartbeat.
    fn hold_due_census(&mut self) -> Result<(), RankError> {
        let end = self.tick() + self.world.state().steps;
        match &self.neighbors {
            Some(neighbors) if neighbors.census.is_due(end) => self.hold_census(),
            _ => Ok(()),
        }
    }

    /// Updates the home ranks of ground, then the subscriptions between ranks.
    pub(crate) fn hold_census(&mut self) -> Result<(), RankError> {
        self.update_directory()?;
        let Ranks { world, collectives, neighbors, rebalancer, .. } = self;
        let Some(Neighbors { census, directory }) = neighbors else { return Ok(()) };
        census.hold(world, collectives, directory, rebalancer.partition())?;
        self.exchange.restart_streams();
        self.ghosts.retain(&census.subscriptions().received);
        Ok(())
    }

    /// Updates the home ranks of ground with the changes by all agents.
    pub(crate) fn update_directory(&mut self) -> Result<(), RankError> {
        let Some(Neighbors { directory, .. }) = &mut self.neighbors else { return Ok(()) };
        directory.update(&mut self.collectives)
    }

    /// Sends the present states of own agents to the ranks that receive them from now on.
    pub(crate) fn introduce_agents(&mut self) -> Result<(), RankError> {
        let Ranks { world, collectives, exchange, neighbors, rebalancer, .. } = self;
        let subscriptions = neighbors.as_ref().map(|own| own.census.subscriptions());
        exchange.send_initial_states(world, collectives, rebalancer.partition(), subscriptions)
    }

    fn step_agents(&mut self, metrics: &mut HeartbeatMetrics) {
        let begun = self.elapsed();
        self.world.step_agents();
        metrics.step = self.elapsed() - begun;
    }

    /// Writes the messages about own agents, and records their changes of ground.
    fn write_messages(&mut self, quit: bool, metrics: &mut HeartbeatMetrics) {
        let begun = self.elapsed();
        let Ranks { world, collectives, exchange, neighbors, .. } = self;
        if let Some(Neighbors { directory, .. }) = neighbors {
            for &agent in world.own_agents() {
                directory.record(world.patches(agent));
            }
        }
        let subscriptions = neighbors.as_ref().map(|own| own.census.subscriptions());
        exchange.write(world, collectives, subscriptions, quit, metrics);
        metrics.serialize = self.elapsed() - begun;
    }

    /// Exchanges the messages with other ranks.
    fn exchange_messages(&mut self, metrics: &mut HeartbeatMetrics) -> Result<(), RankError> {
        let Ranks { world, collectives, exchange, neighbors, gatherer, .. } = self;
        if let Some(Neighbors { census, .. }) = neighbors {
            census.check_regions(world)?;
        }
        let subscriptions = neighbors.as_ref().map(|own| own.census.subscriptions());
        let mut meanwhile = || gatherer.digest_early(world);
        exchange.exchange(collectives, subscriptions, &mut meanwhile, metrics)
    }

    /// Applies the messages of other ranks and the changes by own agents.
    fn apply_messages(
        &mut self,
        obstacle_changes: &SharedObstacleChanges,
        quit: bool,
        metrics: &mut HeartbeatMetrics,
    ) -> Result<(), RankError> {
        let begun = self.elapsed();
        let Ranks { world, collectives, exchange, ghosts, neighbors, rebalancer, .. } = self;
        let subscriptions = neighbors.as_ref().map(|own| own.census.subscriptions());
        metrics.quit = exchange.read(collectives, rebalancer.partition(), subscriptions)? || quit;
        exchange.deliver(world, ghosts, metrics);
        world.apply_obstacle_changes(obstacle_changes);
        world.merge_patches(Some(exchange.patches()));
        metrics.apply = self.elapsed() - begun;
        Ok(())
    }

    /// Agrees with all ranks on the inputs of the next heartbeat. Returns the fastest motion of
    /// all agents.
    ///
    /// Ranks exchange no further messages if those already received suffice.
    fn agree_on_next(
        &mut self,
        obstacle_changes: SharedObstacleChanges,
        quit: bool,
        metrics: &mut HeartbeatMetrics,
    ) -> Result<MotionBounds, RankError> {
        self.running = self.world.is_running();
        let motion_bounds = self.world.motion_bounds();
        let has_all = self.neighbors.is_none() && !self.world.model().clock.is_adaptive();
        if has_all && !self.world.has_obstacle_changes() {
            return Ok(motion_bounds);
        }
        let begun = self.elapsed();
        let outran = self.neighbors.as_ref().and_then(|own| own.census.outran(&self.world));
        let drives = any_own_agent_drives(&self.world);
        let own = HeartbeatReduction { drives, quit, motion_bounds, outran, obstacle_changes };
        let all = own.reduce(&mut self.collectives)?;
        self.world.apply_obstacle_changes(&all.obstacle_changes);
        (self.running, metrics.quit, metrics.outran) = (all.drives, all.quit, all.outran);
        if let (Some(_), Some(neighbors)) = (all.outran, &mut self.neighbors) {
            let end = self.world.state().tick + self.world.state().steps;
            neighbors.census.require_at(end);
        }
        metrics.agree = self.elapsed() - begun;
        Ok(all.motion_bounds)
    }

    /// Takes due frames and moves on to the next tick. Returns the times at which the heartbeat
    /// started and ended, µs.
    fn finish_heartbeat(
        &mut self,
        motion_bounds: MotionBounds,
        metrics: &mut HeartbeatMetrics,
    ) -> [u64; 2] {
        let begun = self.elapsed();
        metrics.frames = self.world.finish_heartbeat(motion_bounds);
        metrics.imaging = self.elapsed() - begun;
        self.collectives.set_tick(self.tick());
        [metrics.tick, self.tick()].map(|tick| self.world.model().clock.micros(tick))
    }

    /// Returns the bytes received since the last call or the last heartbeat.
    pub fn take_received_bytes(&mut self) -> u64 {
        self.collectives.take_received_bytes()
    }

    /// Collects the lists of all ranks on rank 0, concatenated in the order of ranks.
    pub(crate) fn gather_on_root<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: Vec<T>,
    ) -> Result<Option<Vec<T>>, RankError> {
        self.collectives.gather_on_root(kind, own)
    }

    /// Returns the number of steps taken.
    pub fn tick(&self) -> u64 {
        self.world.state().tick
    }

    /// Returns the extrapolated state of another rank's agent, if this rank receives it.
    pub fn ghost(&self, agent: usize) -> Option<&Ghost> {
        self.ghosts.get(agent)
    }

    /// Whether any agent of any rank still drives.
    pub fn is_running(&self) -> bool {
        self.running
    }
}
