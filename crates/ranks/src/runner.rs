//! A run from start to end, and its observers.

use super::heartbeat_metrics::HeartbeatMetrics;
use super::rank_error::RankError;
use super::ranks::Ranks;
use super::sharing::Sharing;
use bekker_agent::{Collision, Sample, TrailerEvent};
use bekker_ground::terrain::TerrainError;
use bekker_sensor::Delivery;
use bekker_sync::Loopback;
use bekker_world::{
    AutonomyView, CommandError, CommandRecord, Controller, ControllerRequest, ControllerView,
    ExternalDriver, HeartbeatRecord, StateHash, StatePart, World, WorldModel, WorldState,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// When a run ends, and how often observers are called with what. The same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunSchedule {
    /// Simulated time at which the run ends, s, counted from the scenario's start.
    pub duration: f64,
    /// Time between samples of all agents, s.
    pub sample_every: f64,
    /// Time between checkpoints, s; only at the start and the end if `None`.
    pub checkpoint_every: Option<f64>,
    /// Number of full heartbeats between hashes of the state; no hashes if `None`.
    ///
    /// Each hash costs one pass over the state.
    pub hash_every: Option<u64>,
    /// Whether observers receive the digest of each agent with a hash.
    pub hash_agents: bool,
    /// Time between moments at which observers read ground on rank 0, s.
    ///
    /// Rank 0 then receives all ground. Otherwise it may hold only the ground near its own agents.
    pub ground_every: Option<f64>,
    /// Time between moments at which the world of rank 0 is complete, s.
    pub world_every: Option<f64>,
    /// Whether observers receive the plans of autonomous agents.
    pub views: bool,
    /// Whether each rank's observers receive only its own agents.
    ///
    /// Rank 0 then receives neither records nor states of other ranks before the end of the run.
    pub parts: bool,
}

impl RunSchedule {
    /// Creates a schedule that ends at `duration` s and samples every 0.1 s, without hashes and
    /// intermediate checkpoints.
    pub fn until(duration: f64) -> RunSchedule {
        RunSchedule {
            duration,
            sample_every: 0.1,
            checkpoint_every: None,
            hash_every: None,
            hash_agents: false,
            ground_every: None,
            world_every: None,
            views: false,
            parts: false,
        }
    }

    /// Whether the state is hashed at a tick.
    pub fn hashes_at(&self, tick: u64, steps_per_heartbeat: u64) -> bool {
        // With an adaptive clock each heartbeat may be hashed, but only full ones can be counted
        // from the tick.
        self.hash_every.is_some_and(|every| {
            every <= 1 || tick.is_multiple_of(every.saturating_mul(steps_per_heartbeat))
        })
    }
}

/// Result of an observer for a heartbeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// The run continues.
    #[default]
    Continue,
    /// The run ends after this heartbeat; with several ranks, on all of them after the next one.
    Stop,
}

/// State of a completed heartbeat, and its record where that is gathered.
#[derive(Clone, Copy, Debug)]
pub struct HeartbeatInfo<'a> {
    /// The world. With several ranks this rank's part; agents of other ranks are in the state in
    /// which they were last gathered.
    pub world: &'a World,
    /// Simulated time, s.
    pub time: f64,
    /// Cost of the heartbeat on this rank.
    pub metrics: &'a HeartbeatMetrics,
    /// Hash of the whole state, if the schedule requests it.
    pub hash: Option<&'a StateHash>,
    /// The record of all agents on rank 0, and `None` on other ranks.
    ///
    /// If the schedule is [in parts](RunSchedule::parts), every rank has the record of its agents.
    pub root: Option<RootHeartbeat<'a>>,
    /// Number of ranks.
    pub ranks: usize,
    /// Whether this is rank 0, or the only rank.
    pub first: bool,
    /// Whether the world is complete: on the only rank, or on rank 0 when the schedule requests it.
    pub complete: bool,
}

impl<'a> HeartbeatInfo<'a> {
    /// Returns the samples of all agents where they are due and gathered.
    pub fn samples(&self) -> Option<&'a [Sample]> {
        self.root.and_then(|root| root.samples)
    }
}

/// Record of a completed heartbeat, as gathered on rank 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct RootHeartbeat<'a> {
    /// Deliveries of all agents' sensors, each with its agent, in the order of time.
    pub delivered: &'a [(u32, Delivery)],
    /// Collisions that ended in this heartbeat, each with its agent.
    pub hits: &'a [(u32, Collision)],
    /// Trailer events of this heartbeat, each with its agent.
    pub trailer_events: &'a [(u32, TrailerEvent)],
    /// External commands that apply from the start of the heartbeat. Only on rank 0.
    pub commanded: &'a [CommandRecord],
    /// Views of autonomous agents, each with its agent. Filled at samples on whole seconds, if the
    /// schedule requests views.
    pub autonomous: &'a [(u32, AutonomyView)],
    /// Samples of all agents, at the schedule's interval and once all drives have ended.
    pub samples: Option<&'a [Sample]>,
}

impl RootHeartbeat<'_> {
    /// Returns a copy of the agents' record of this heartbeat.
    pub fn record(&self) -> HeartbeatRecord {
        HeartbeatRecord {
            delivered: self.delivered.to_vec(),
            hits: self.hits.to_vec(),
            trailer_events: self.trailer_events.to_vec(),
            autonomous: self.autonomous.to_vec(),
            samples: self.samples.map(<[Sample]>::to_vec),
        }
    }
}

/// Receiver of a run's events.
///
/// Every method is called on every rank; none needs to be implemented. `E` is the observer's error.
pub trait Observer<E> {
    /// Called before the run starts or resumes, with all agents in their initial states.
    ///
    /// The world of rank 0 is complete, unless the schedule is in parts.
    ///
    /// # Errors
    /// An error ends the run before it begins.
    fn on_start(&mut self, _world: &World, _samples: &[Sample]) -> Result<(), E> {
        Ok(())
    }

    /// Called after each heartbeat.
    ///
    /// # Errors
    /// An error ends the run at once.
    fn on_heartbeat(&mut self, _moment: &HeartbeatInfo<'_>) -> Result<Flow, E> {
        Ok(Flow::Continue)
    }

    /// Called when a checkpoint is due, and at the start and the end of a run.
    ///
    /// The world of rank 0 is complete. With a schedule in parts this is called only at the end.
    /// Two calls may follow each other without a heartbeat between them.
    ///
    /// # Errors
    /// An error ends the run at once.
    fn on_checkpoint(&mut self, _world: &World) -> Result<(), E> {
        Ok(())
    }

    /// Called when this rank's part of a checkpoint is due, if the schedule is in parts.
    ///
    /// This happens at the start and during the run, but not at its end.
    ///
    /// # Errors
    /// An error ends the run at once.
    fn on_checkpoint_part(&mut self, _part: &Arc<StatePart>) -> Result<(), E> {
        Ok(())
    }

    /// Called once after a run in parts, when no further part of the record or of a checkpoint
    /// follows.
    ///
    /// All work on the parts must be done on every rank when this returns: the calls that follow
    /// rely on it.
    ///
    /// # Errors
    /// An error ends the run at once.
    fn on_parts_end(&mut self) -> Result<(), E> {
        Ok(())
    }

    /// Receives the metrics of the heartbeats since the last call, rank by rank.
    ///
    /// Rank 0 receives those of all ranks, other ranks nothing. With a schedule in parts each rank
    /// receives its own.
    ///
    /// # Errors
    /// An error ends the run at once.
    fn on_metrics(&mut self, _metrics: &[Vec<HeartbeatMetrics>]) -> Result<(), E> {
        Ok(())
    }

    /// Called after the run. The world of rank 0 is complete.
    ///
    /// # Errors
    /// An error makes the run fail although it was driven to its end.
    fn on_end(&mut self, _world: &World) -> Result<(), E> {
        Ok(())
    }
}

/// Reason why a run ends early.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// A rank is lost, or ranks disagree.
    #[error(transparent)]
    Ranks(#[from] RankError),
    /// An external driver gave an invalid command.
    #[error("driver of {agent}: {source}")]
    Driver {
        /// Name of the agent.
        agent: String,
        /// Reason.
        source: CommandError,
    },
    /// The controller aborted the run.
    #[error("{cause}")]
    Controller {
        /// Reason.
        cause: String,
    },
    /// Ground could not be read from its file.
    #[error("the ground can no longer be read: {0}")]
    Terrain(TerrainError),
    /// An observer failed.
    #[error("{0}")]
    Observer(E),
}

/// A run: a world on one or several ranks, its schedule, and external drivers.
pub struct Runner<'a> {
    ranks: Ranks<'a>,
    schedule: RunSchedule,
    drivers: Vec<(usize, Box<dyn ExternalDriver + 'a>)>,
    controller: Option<&'a mut dyn Controller>,
    /// Whether rank 0 has a controller.
    controlled: bool,
    /// Flag that ends the run early.
    interrupted: Option<&'a AtomicBool>,
    /// Flag that makes this rank leave the others, which continue. On rank 0 it ends the run.
    dismissed: Option<&'a AtomicBool>,
    /// Whether the run continues an existing record.
    resumes: bool,
}

impl<'a> Runner<'a> {
    /// Creates a run in this process, from the beginning or from a state.
    ///
    /// # Errors
    /// [`RankError`] when the state does not fit the model.
    pub fn new(
        model: WorldModel,
        state: Option<WorldState>,
        schedule: RunSchedule,
    ) -> Result<Runner<'a>, RankError> {
        let sharing = Sharing { digest: schedule.hash_every == Some(1), ..Sharing::default() };
        let ranks = Ranks::new(Loopback::default(), model, state, &sharing, &[])?;
        Ok(Runner::with_ranks(ranks, schedule))
    }

    /// Creates a run among ranks. All of them must call this with the same schedule.
    pub fn with_ranks(ranks: Ranks<'a>, schedule: RunSchedule) -> Runner<'a> {
        Runner {
            ranks,
            schedule,
            drivers: Vec::new(),
            controller: None,
            controlled: false,
            interrupted: None,
            dismissed: None,
            resumes: false,
        }
    }

    /// Adds an external driver for an agent, on whichever rank the agent steps.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such agent.
    pub fn drive(
        mut self,
        agent: usize,
        driver: impl ExternalDriver + 'a,
    ) -> Result<Runner<'a>, CommandError> {
        let agents = self.world().model().agents.len();
        if agent >= agents {
            return Err(CommandError::NoAgent { agent, agents });
        }
        self.drivers.push((agent, Box::new(driver)));
        Ok(self)
    }

    /// Sets the controller that commands agents. Rank 0 passes it, the other ranks pass `None`.
    ///
    /// Call this on all ranks or on none.
    pub fn controlled_by(mut self, controller: Option<&'a mut dyn Controller>) -> Runner<'a> {
        self.controller = controller;
        self.controlled = true;
        self
    }

    /// Ends the run after a heartbeat once `flag` is set.
    pub fn interrupted_by(mut self, flag: &'a AtomicBool) -> Runner<'a> {
        self.interrupted = Some(flag);
        self
    }

    /// Makes this rank hand over its agents and leave once `flag` is set.
    ///
    /// If ranks may not leave ([`Sharing::leaving`]), or on rank 0, the flag ends the run.
    pub fn dismissed_by(mut self, flag: &'a AtomicBool) -> Runner<'a> {
        self.dismissed = Some(flag);
        self
    }

    /// Resumes a run whose first checkpoint already exists.
    pub fn resuming(mut self) -> Runner<'a> {
        self.resumes = true;
        self
    }

    /// Returns this rank's world.
    pub fn world(&self) -> &World {
        self.ranks.world()
    }

    /// Drives until the end of the schedule, until all drives have ended, or until stopped.
    ///
    /// Returns the final world, complete on rank 0, and whether the run was stopped.
    ///
    /// # Errors
    /// [`RunError`] when a rank is lost or an observer fails.
    pub fn run<E>(
        mut self,
        observers: &mut [&mut dyn Observer<E>],
    ) -> Result<(World, bool), RunError<E>> {
        let clock = self.world().model().clock;
        let RunSchedule { duration, sample_every, checkpoint_every, .. } = self.schedule;
        let sample_every = clock.ticks_in(sample_every);
        let end = clock.heartbeats_in(duration).saturating_mul(clock.steps_per_heartbeat());
        let samples = self.ranks.samples()?;
        if !self.schedule.parts {
            self.ranks.gather()?;
        }
        for_each_observer(observers, |own| own.on_start(self.ranks.world(), &samples))?;
        drop(samples);
        // With this checkpoint a run can be resumed whatever happens to it later.
        if !self.resumes {
            self.checkpoint(observers)?;
        }
        let (mut metrics, mut stopped) = (Vec::new(), false);
        let mut quit = false;
        while self.tick() < end && self.ranks.is_running() && !quit {
            self.apply_external_drivers()?;
            let Some(commanded) = self.await_controller()? else {
                quit = true;
                break;
            };
            let raised =
                |flag: Option<&AtomicBool>| flag.is_some_and(|f| f.load(Ordering::Relaxed));
            let mut asked = stopped || raised(self.interrupted);
            if raised(self.dismissed) {
                asked |= !self.ranks.request_departure();
            }
            let mut done = self.ranks.advance(asked)?;
            if let Some(fault) = self.world().model().ground.terrain().fault() {
                return Err(RunError::Terrain(fault.clone()));
            }
            if self.ranks.has_left() {
                return Ok((self.ranks.into_world(), false));
            }
            quit = done.quit;
            let tick = self.tick();
            let begun = self.ranks.elapsed();
            // The end of the last drive is sampled at any tick.
            let sampled = tick.is_multiple_of(sample_every) || !self.ranks.is_running();
            stopped |= self.notify_observers(observers, &done, &commanded, sampled)?;
            // A single rank needs no agreement to stop.
            quit |= stopped && self.ranks.size() == 1;
            done.record = self.ranks.elapsed() - begun;
            let begun = self.ranks.elapsed();
            if checkpoint_every.is_some_and(|every| tick.is_multiple_of(clock.ticks_in(every)))
                && tick < end
            {
                self.checkpoint(observers)?;
            }
            done.checkpoint = self.ranks.elapsed() - begun;
            done.record_bytes = self.ranks.take_received_bytes();
            metrics.push(done);
            if tick.is_multiple_of(sample_every) {
                self.report_metrics(observers, &mut metrics)?;
            }
        }
        self.report_metrics(observers, &mut metrics)?;
        if self.schedule.parts {
            for_each_observer(observers, |own| own.on_parts_end())?;
        }
        self.ranks.gather()?;
        for_each_observer(observers, |own| own.on_checkpoint(self.ranks.world()))?;
        for_each_observer(observers, |own| own.on_end(self.ranks.world()))?;
        Ok((self.ranks.into_world(), quit))
    }

    fn tick(&self) -> u64 {
        self.ranks.world().state().tick
    }

    /// Passes a due checkpoint to the observers.
    fn checkpoint<E>(&mut self, observers: &mut [&mut dyn Observer<E>]) -> Result<(), RunError<E>> {
        if self.schedule.parts {
            let part = Arc::new(self.ranks.state_part()?);
            return for_each_observer(observers, |own| own.on_checkpoint_part(&part));
        }
        self.ranks.gather()?;
        for_each_observer(observers, |own| own.on_checkpoint(self.ranks.world()))
    }

    /// Applies the commands of external drivers, each on the rank that steps its agent.
    fn apply_external_drivers<E>(&mut self) -> Result<(), RunError<E>> {
        for (agent, driver) in &mut self.drivers {
            let (agent, world) = (*agent, self.ranks.world());
            if world.is_own(agent) {
                let command = driver.command(&world.perception(agent));
                if let Err(source) = self.ranks.command(agent, command) {
                    let agent = self.world().model().agents[agent].name.clone();
                    return Err(RunError::Driver { agent, source });
                }
            }
        }
        Ok(())
    }

    /// Waits for the controller's commands and applies them on all ranks.
    ///
    /// Returns `None` if the run is to end.
    fn await_controller<E>(&mut self) -> Result<Option<Vec<CommandRecord>>, RunError<E>> {
        if !self.controlled {
            return Ok(Some(Vec::new()));
        }
        loop {
            let interrupted = self.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed));
            let own = self.controller.as_mut().map(|own| own.call(self.ranks.world()));
            let call = self.ranks.controller_request(own, interrupted)?;
            match call {
                ControllerRequest::Wait => {}
                ControllerRequest::Show(asked) => {
                    if asked.world {
                        self.ranks.gather()?;
                    }
                    let samples = &self.ranks.samples()?;
                    let delivered = &self.ranks.delivered_by(&asked.sensors)?;
                    let radio_messages = &self.ranks.radio_messages_of(&asked.radios)?;
                    let outcomes = &self.ranks.outcomes()?;
                    if let Some(own) = &mut self.controller {
                        let world = self.ranks.world();
                        own.show(&ControllerView {
                            world,
                            samples,
                            delivered,
                            radio_messages,
                            outcomes,
                        });
                    }
                }
                ControllerRequest::Go(commanded) => {
                    for own in &commanded {
                        if let Err(source) = self.ranks.apply(own) {
                            let agent = own.agent as usize;
                            let agents = &self.world().model().agents;
                            let name = agents.get(agent).map(|own| own.name.clone());
                            let agent = name.unwrap_or_else(|| agent.to_string());
                            return Err(RunError::Driver { agent, source });
                        }
                    }
                    return Ok(Some(commanded));
                }
                ControllerRequest::Stop => return Ok(None),
                ControllerRequest::Fail(cause) => return Err(RunError::Controller { cause }),
            }
        }
    }

    /// Calls the observers after a heartbeat. Returns whether one of them requests a stop.
    fn notify_observers<E>(
        &mut self,
        observers: &mut [&mut dyn Observer<E>],
        metrics: &HeartbeatMetrics,
        commanded: &[CommandRecord],
        sampled: bool,
    ) -> Result<bool, RunError<E>> {
        let (tick, clock) = (self.tick(), self.world().model().clock);
        let hash = match self.schedule.hashes_at(tick, clock.steps_per_heartbeat()) {
            true if self.schedule.hash_agents => Some(self.ranks.hash_by_agent()?),
            true => Some(self.ranks.hash()?),
            false => None,
        };
        let due = |every: Option<f64>| {
            every.is_some_and(|every| tick.is_multiple_of(clock.ticks_in(every)))
        };
        let gathers = due(self.schedule.world_every);
        if gathers {
            self.ranks.gather()?;
        } else if due(self.schedule.ground_every) {
            self.ranks.complete_ground()?;
        }
        let views = sampled && self.schedule.views && tick.is_multiple_of(clock.ticks_in(1.0));
        let record = match self.schedule.parts {
            true => self.ranks.own_record(sampled, views),
            false => self.ranks.gather_record(sampled, views)?,
        };
        let world = self.ranks.world();
        let first = self.ranks.rank() == 0;
        let moment = HeartbeatInfo {
            world,
            time: world.time(),
            metrics,
            hash: hash.as_ref(),
            root: (first || self.schedule.parts).then(|| RootHeartbeat {
                delivered: &record.delivered,
                hits: &record.hits,
                trailer_events: &record.trailer_events,
                commanded: if first { commanded } else { &[] },
                autonomous: &record.autonomous,
                samples: record.samples.as_deref(),
            }),
            ranks: self.ranks.size(),
            first,
            complete: self.ranks.size() == 1 || (first && gathers),
        };
        let mut stop = false;
        for_each_observer(observers, |own| {
            stop |= own.on_heartbeat(&moment)? == Flow::Stop;
            Ok(())
        })?;
        Ok(stop)
    }

    /// Gathers the metrics of all ranks and passes them to the observers.
    fn report_metrics<E>(
        &mut self,
        observers: &mut [&mut dyn Observer<E>],
        metrics: &mut Vec<HeartbeatMetrics>,
    ) -> Result<(), RunError<E>> {
        let own = vec![std::mem::take(metrics)];
        if self.schedule.parts {
            return for_each_observer(observers, |observer| observer.on_metrics(&own));
        }
        let gathered = self.ranks.gather_on_root("figures", own)?.unwrap_or_default();
        for_each_observer(observers, |own| own.on_metrics(&gathered))
    }
}

fn for_each_observer<E>(
    observers: &mut [&mut dyn Observer<E>],
    mut notify: impl FnMut(&mut dyn Observer<E>) -> Result<(), E>,
) -> Result<(), RunError<E>> {
    observers.iter_mut().try_for_each(|own| notify(*own)).map_err(RunError::Observer)
}
