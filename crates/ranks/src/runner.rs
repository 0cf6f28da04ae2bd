//! A run from its start to its end, and who is told of it on the way.

use super::figures::HeartbeatFigures;
use super::rank_error::RankError;
use super::ranks::{Ranks, Sharing};
use bekker_agent::{Hit, Sample, TrailerEvent};
use bekker_ground::terrain::TerrainError;
use bekker_sensor::Delivery;
use bekker_sync::Loopback;
use bekker_world::{
    AutonomyView, Call, CommandError, Commanded, Controller, ExternalDriver, HeartbeatRecord,
    Shown, StateHash, StatePart, World, WorldModel, WorldState,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// When a run ends, and how often what is told. The same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Simulated time at which the run ends, s, counted from the scenario's start.
    pub duration: f64,
    /// Time between samples of all agents, s.
    pub sample_every: f64,
    /// Time between checkpoints, s; none but at start and end without.
    pub checkpoint_every: Option<f64>,
    /// Heartbeats, of full length, between hashes of the state, each of which costs a pass over
    /// it; none without.
    pub hash_every: Option<u64>,
    /// Whether observers are told the digest of each agent with a hash.
    pub hash_agents: bool,
    /// Time between moments at which observers read ground on the first rank, s: it is then told
    /// all there is. Else it may know only what its own agents come to.
    pub ground_every: Option<f64>,
    /// Time between moments at which the world of the first rank is complete, s.
    pub world_every: Option<f64>,
    /// Whether observers are shown what agents that drive themselves have in mind.
    pub views: bool,
    /// Whether each rank's observers are told of its own agents alone, and nothing of record and
    /// state comes to the first rank before the end.
    pub parts: bool,
}

impl Schedule {
    /// To `duration` s, sampled each tenth of a second, without hashes and checkpoints.
    pub fn until(duration: f64) -> Schedule {
        Schedule {
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

    /// Whether the state is hashed once it is at a tick.
    pub fn hashes_at(&self, tick: u64, steps_per_heartbeat: u64) -> bool {
        // where heartbeats adapt, each is one; but only full ones can be counted from a tick
        self.hash_every.is_some_and(|every| {
            every <= 1 || tick.is_multiple_of(every.saturating_mul(steps_per_heartbeat))
        })
    }
}

/// What an observer makes of a heartbeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// The run goes on.
    #[default]
    Continue,
    /// The run ends after this heartbeat; with ranks, on all of them after the next.
    Stop,
}

/// A heartbeat that is over. What it says of the first rank, that it has of all agents, every rank
/// has of its own where the schedule has it [in parts](Schedule::parts).
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The world; of ranks this rank's part, with agents of others as they were when they
    /// were last gathered.
    pub world: &'a World,
    /// Simulated time, s.
    pub time: f64,
    /// What the heartbeat cost on this rank.
    pub figures: &'a HeartbeatFigures,
    /// Hash of the whole state, where the schedule asks for it.
    pub hash: Option<&'a StateHash>,
    /// What all agents' sensors delivered, each with its agent, in the order of time; on the
    /// first rank, nothing elsewhere.
    pub delivered: &'a [(u32, Delivery)],
    /// The hits that were over in this heartbeat, each with its agent; on the first rank,
    /// nothing elsewhere.
    pub hits: &'a [(u32, Hit)],
    /// What happened to trailers in this heartbeat, each with its agent; on the first rank,
    /// nothing elsewhere.
    pub trailer_events: &'a [(u32, TrailerEvent)],
    /// The commands from outside that hold from the beginning of the heartbeat on; on the
    /// first rank, nothing elsewhere.
    pub commanded: &'a [Commanded],
    /// What agents that drive themselves have in mind, each with its agent, at samples on whole
    /// seconds where the schedule asks for views; on the first rank, nothing elsewhere.
    pub autonomous: &'a [(u32, AutonomyView)],
    /// All agents, at the schedule's interval and once all drives have ended; on the first rank, none
    /// elsewhere.
    pub samples: Option<&'a [Sample]>,
    /// How many ranks there are.
    pub ranks: usize,
    /// Whether this is the first rank, or the only one.
    pub first: bool,
    /// Whether the world is complete: that of the only rank, or of the first where the schedule
    /// has it so.
    pub complete: bool,
}

impl Moment<'_> {
    /// What agents left for the record, to be kept.
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

/// Whom a run tells what happens. Every method is called on every rank; none needs to be
/// implemented. `E` is what may go wrong with it.
pub trait Observer<E> {
    /// The run is about to begin, or to go on, with all agents as they are; the world of the
    /// first rank is complete, unless the schedule has it in parts.
    ///
    /// # Errors
    /// What ends the run before it begins.
    fn on_start(&mut self, _world: &World, _samples: &[Sample]) -> Result<(), E> {
        Ok(())
    }

    /// A heartbeat is over.
    ///
    /// # Errors
    /// What ends the run at once.
    fn on_heartbeat(&mut self, _moment: &Moment<'_>) -> Result<Flow, E> {
        Ok(Flow::Continue)
    }

    /// A checkpoint is due, also at the start of a run and at its end (in parts only there); the
    /// world of the first rank is complete. May be called without a heartbeat between.
    ///
    /// # Errors
    /// What ends the run at once.
    fn on_checkpoint(&mut self, _world: &World) -> Result<(), E> {
        Ok(())
    }

    /// This rank's part of a checkpoint is due, where the schedule has it in parts: at the start
    /// of a run, and on the way.
    ///
    /// # Errors
    /// What ends the run at once.
    fn on_checkpoint_part(&mut self, _part: &Arc<StatePart>) -> Result<(), E> {
        Ok(())
    }

    /// All parts have been told: who comes next relies on it that what became of them is done, on
    /// every rank.
    ///
    /// # Errors
    /// What ends the run at once.
    fn on_parts_end(&mut self) -> Result<(), E> {
        Ok(())
    }

    /// What heartbeats cost, rank by rank, since this was called last; on the first rank, nothing
    /// elsewhere. In parts on each rank its own.
    ///
    /// # Errors
    /// What ends the run at once.
    fn on_figures(&mut self, _figures: &[Vec<HeartbeatFigures>]) -> Result<(), E> {
        Ok(())
    }

    /// The run is over; the world of the first rank is complete.
    ///
    /// # Errors
    /// What the run fails with though it was driven to its end.
    fn on_end(&mut self, _world: &World) -> Result<(), E> {
        Ok(())
    }
}

/// Why a run ends before its time.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// A rank is lost, or ranks disagree.
    #[error(transparent)]
    Ranks(#[from] RankError),
    /// A driver from outside commanded what cannot be.
    #[error("the driver of {agent}: {source}")]
    Driver {
        /// Name of the agent.
        agent: String,
        /// Why not.
        source: CommandError,
    },
    /// Who speaks for drivers from outside gave the run up.
    #[error("{cause}")]
    Controller {
        /// Why.
        cause: String,
    },
    /// Ground could not be read from its file.
    #[error("the ground cannot be read any more: {0}")]
    Terrain(TerrainError),
    /// An observer failed.
    #[error("{0}")]
    Observer(E),
}

/// A run: a world among ranks or alone, its schedule, and drivers from outside.
pub struct Runner<'a> {
    ranks: Ranks<'a>,
    schedule: Schedule,
    drivers: Vec<(usize, Box<dyn ExternalDriver + 'a>)>,
    controller: Option<&'a mut dyn Controller>,
    /// Whether the first rank has a controller.
    controlled: bool,
    /// Raised to end the run early.
    interrupted: Option<&'a AtomicBool>,
    /// Raised to have this rank leave the others, who go on; the first ends the run by it.
    dismissed: Option<&'a AtomicBool>,
    /// Whether the run goes on with a record.
    resumes: bool,
}

impl<'a> Runner<'a> {
    /// A run in this process, from the beginning or, given a state, from there on.
    ///
    /// # Errors
    /// [`RankError`] when the model cannot be in this state.
    pub fn new(
        model: WorldModel,
        state: Option<WorldState>,
        schedule: Schedule,
    ) -> Result<Runner<'a>, RankError> {
        let sharing = Sharing { digest: schedule.hash_every == Some(1), ..Sharing::default() };
        let ranks = Ranks::new(Loopback::default(), model, state, &sharing, &[])?;
        Ok(Runner::among(ranks, schedule))
    }

    /// A run among ranks: to be begun on all of them with the same schedule.
    pub fn among(ranks: Ranks<'a>, schedule: Schedule) -> Runner<'a> {
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

    /// Has an agent driven from outside, wherever it steps.
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

    /// Has agents commanded from outside by a controller, which the first rank has: to be
    /// said on all ranks or on none.
    pub fn controlled_by(mut self, controller: Option<&'a mut dyn Controller>) -> Runner<'a> {
        self.controller = controller;
        self.controlled = true;
        self
    }

    /// Ends the run after a heartbeat once this is raised.
    pub fn interrupted_by(mut self, flag: &'a AtomicBool) -> Runner<'a> {
        self.interrupted = Some(flag);
        self
    }

    /// Has this rank hand over what it has and leave once this is raised, where ranks may
    /// ([`Sharing::leaving`]); else, and on the first rank, it ends the run.
    pub fn dismissed_by(mut self, flag: &'a AtomicBool) -> Runner<'a> {
        self.dismissed = Some(flag);
        self
    }

    /// Goes on with a run whose first checkpoint there is already.
    pub fn resuming(mut self) -> Runner<'a> {
        self.resumes = true;
        self
    }

    /// This rank's world.
    pub fn world(&self) -> &World {
        self.ranks.world()
    }

    /// Drives to the end of the schedule, or until all drives have ended, or until stopped.
    /// The world at the end, complete on the first rank, and whether it was stopped.
    ///
    /// # Errors
    /// [`RunError`] when a rank is lost or an observer fails.
    pub fn run<E>(
        mut self,
        observers: &mut [&mut dyn Observer<E>],
    ) -> Result<(World, bool), RunError<E>> {
        let clock = self.world().model().clock;
        let Schedule { duration, sample_every, checkpoint_every, .. } = self.schedule;
        let sample_every = clock.ticks_in(sample_every);
        let end = clock.heartbeats_in(duration).saturating_mul(clock.steps_per_heartbeat());
        let samples = self.ranks.samples()?;
        if !self.schedule.parts {
            self.ranks.gather()?;
        }
        each(observers, |own| own.on_start(self.ranks.world(), &samples))?;
        drop(samples);
        // whatever becomes of it, a run can be gone on with
        if !self.resumes {
            self.checkpoint(observers)?;
        }
        let (mut figures, mut stopped) = (Vec::new(), false);
        let mut quit = false;
        while self.tick() < end && self.ranks.is_running() && !quit {
            self.ask_drivers()?;
            let Some(commanded) = self.ask_controller()? else {
                quit = true;
                break;
            };
            let raised =
                |flag: Option<&AtomicBool>| flag.is_some_and(|f| f.load(Ordering::Relaxed));
            let mut asked = stopped || raised(self.interrupted);
            if raised(self.dismissed) {
                asked |= !self.ranks.ask_to_leave();
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
            // how the last drive ended is asked for, whenever that was
            let sampled = tick.is_multiple_of(sample_every) || !self.ranks.is_running();
            stopped |= self.tell(observers, &done, &commanded, sampled)?;
            // alone there is nobody to be asked
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
            figures.push(done);
            if tick.is_multiple_of(sample_every) {
                self.tell_figures(observers, &mut figures)?;
            }
        }
        self.tell_figures(observers, &mut figures)?;
        if self.schedule.parts {
            each(observers, |own| own.on_parts_end())?;
        }
        self.ranks.gather()?;
        each(observers, |own| own.on_checkpoint(self.ranks.world()))?;
        each(observers, |own| own.on_end(self.ranks.world()))?;
        Ok((self.ranks.into_world(), quit))
    }

    fn tick(&self) -> u64 {
        self.ranks.world().state().tick
    }

    /// Tells observers that a checkpoint is due.
    fn checkpoint<E>(&mut self, observers: &mut [&mut dyn Observer<E>]) -> Result<(), RunError<E>> {
        if self.schedule.parts {
            let part = Arc::new(self.ranks.state_part()?);
            return each(observers, |own| own.on_checkpoint_part(&part));
        }
        self.ranks.gather()?;
        each(observers, |own| own.on_checkpoint(self.ranks.world()))
    }

    /// Commands of drivers from outside, each on the rank where its agent steps.
    fn ask_drivers<E>(&mut self) -> Result<(), RunError<E>> {
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

    /// Commands of the controller, once it has given them, on all ranks; none if the run is
    /// to end.
    fn ask_controller<E>(&mut self) -> Result<Option<Vec<Commanded>>, RunError<E>> {
        if !self.controlled {
            return Ok(Some(Vec::new()));
        }
        loop {
            let interrupted = self.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed));
            let own = self.controller.as_mut().map(|own| own.call(self.ranks.world()));
            let call = self.ranks.called(own, interrupted)?;
            match call {
                Call::Wait => {}
                Call::Show(asked) => {
                    if asked.world {
                        self.ranks.gather()?;
                    }
                    let samples = &self.ranks.samples()?;
                    let delivered = &self.ranks.delivered_by(&asked.sensors)?;
                    let heard = &self.ranks.heard_by(&asked.radios)?;
                    let outcomes = &self.ranks.outcomes()?;
                    if let Some(own) = &mut self.controller {
                        let world = self.ranks.world();
                        own.show(&Shown { world, samples, delivered, heard, outcomes });
                    }
                }
                Call::Go(commanded) => {
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
                Call::Stop => return Ok(None),
                Call::Fail(cause) => return Err(RunError::Controller { cause }),
            }
        }
    }

    /// Tells observers of a heartbeat. Whether one wants to stop.
    fn tell<E>(
        &mut self,
        observers: &mut [&mut dyn Observer<E>],
        figures: &HeartbeatFigures,
        commanded: &[Commanded],
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
            self.ranks.complete_first()?;
        }
        let views = sampled && self.schedule.views && tick.is_multiple_of(clock.ticks_in(1.0));
        let record = match self.schedule.parts {
            true => self.ranks.own_record(sampled, views),
            false => self.ranks.gather_record(sampled, views)?,
        };
        let world = self.ranks.world();
        let first = self.ranks.rank() == 0;
        let moment = Moment {
            world,
            time: world.time(),
            figures,
            hash: hash.as_ref(),
            delivered: &record.delivered,
            hits: &record.hits,
            trailer_events: &record.trailer_events,
            commanded: if first { commanded } else { &[] },
            autonomous: &record.autonomous,
            samples: record.samples.as_deref().filter(|_| first || self.schedule.parts),
            ranks: self.ranks.size(),
            first,
            complete: self.ranks.size() == 1 || (first && gathers),
        };
        let mut stop = false;
        each(observers, |own| {
            stop |= own.on_heartbeat(&moment)? == Flow::Stop;
            Ok(())
        })?;
        Ok(stop)
    }

    /// Brings the figures of all ranks together.
    fn tell_figures<E>(
        &mut self,
        observers: &mut [&mut dyn Observer<E>],
        figures: &mut Vec<HeartbeatFigures>,
    ) -> Result<(), RunError<E>> {
        let own = vec![std::mem::take(figures)];
        if self.schedule.parts {
            return each(observers, |observer| observer.on_figures(&own));
        }
        let gathered = self.ranks.collected("figures", own)?.unwrap_or_default();
        each(observers, |own| own.on_figures(&gathered))
    }
}

fn each<E>(
    observers: &mut [&mut dyn Observer<E>],
    mut tell: impl FnMut(&mut dyn Observer<E>) -> Result<(), E>,
) -> Result<(), RunError<E>> {
    observers.iter_mut().try_for_each(|own| tell(*own)).map_err(RunError::Observer)
}
