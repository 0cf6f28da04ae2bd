//! Drives a world, alone or as one rank of several, and records on the way.

use super::Failure;
use crate::report::hashes::HashRow;
use crate::report::heartbeats::Heartbeats;
use crate::report::progress::Progress;
use crate::report::record::{self, GROUND_INTERVAL};
use crate::report::write_file;
use crate::scenario::Scenario;
use crate::scenario::build::Built;
use crate::simulation::{
    HeartbeatFigures, RankError, Ranks, Sample, Stand, World, WorldModel, WorldState, checkpoint,
};
use crate::sync::Communicator;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// Name of the checkpoint in a run's folder.
pub const CHECKPOINT: &str = "checkpoint.bin";

/// What to drive and what to leave behind.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// What to do when a rank is lost; it knows the folder of the run.
    pub recovery: &'a Recovery,
    /// Whether the record in the folder is gone on with.
    pub resumes: bool,
    /// Whether this rank writes the checkpoints.
    pub stores: bool,
    /// No progress, no remarks.
    pub quiet: bool,
    /// Whether it is an error if the graphics card gives up.
    pub gpu_required: bool,
    /// Raised to end the run early.
    pub interrupted: &'a AtomicBool,
    /// The tick reached, for last words.
    pub tick: &'a AtomicU64,
    /// Simulated time between checkpoints, s.
    pub checkpoint_every: f64,
    /// Whether a timeline is written.
    pub trace: bool,
}

/// What a run leaves on one rank; the samples and hashes of all are on rank 0.
#[derive(Debug)]
pub struct Record {
    /// The world at its end; complete on rank 0.
    pub world: World,
    /// All agents, at the scenario's interval.
    pub samples: Vec<Sample>,
    /// Figures of all heartbeats, rank by rank.
    pub figures: Vec<Vec<HeartbeatFigures>>,
    /// Files that were written on the way, in the run's folder.
    pub recorded: Vec<String>,
    /// Whether it was ended early, as a signal to any rank does.
    pub interrupted: bool,
}

/// What it takes to make good for a rank that is lost: since the same input
/// gives the same bits, a rank that is left drives its part again alone.
pub struct Recovery {
    model: WorldModel,
    start: Option<WorldState>,
    decisive: String,
    folder: OnceLock<PathBuf>,
    /// The checkpoint that is being written beside the drive.
    writing: Mutex<Option<JoinHandle<Result<(), Failure>>>>,
}

impl Drop for Recovery {
    fn drop(&mut self) {
        // nothing half-written stays behind, and a claim was waited for
        let _ = self.written();
    }
}

impl Recovery {
    /// Of a run that begins or goes on with `start`.
    pub fn new(built: &Built, start: Option<WorldState>) -> Recovery {
        Recovery {
            model: built.world.clone(),
            start,
            decisive: built.decisive.clone(),
            folder: OnceLock::new(),
            writing: Mutex::new(None),
        }
    }

    /// Where checkpoints go, told once.
    pub fn set_folder(&self, folder: &Path) {
        // told again by rank 0 to itself
        let _ = self.folder.set(folder.to_owned());
    }

    /// Writes a checkpoint beside the drive, in place of the one before, which is waited
    /// for.
    fn store(&self, state: &WorldState) -> Result<(), Failure> {
        let Some(folder) = self.folder.get() else { return Ok(()) };
        self.written()?;
        let path = folder.join(CHECKPOINT);
        // tiles of ground are shared until the drive changes them
        let (state, decisive) = (state.clone(), self.decisive.clone());
        let write = move || {
            let bytes = checkpoint::encode(&decisive, &state);
            Ok(write_file(&path, &bytes)?)
        };
        let thread = std::thread::Builder::new().name("checkpoint".into());
        *self.writing() = Some(thread.spawn(write).map_err(|error| Failure::Output {
            subject: "checkpoint: a thread to write it".into(),
            cause: error,
        })?);
        Ok(())
    }

    /// Waits until the last checkpoint is on disk; only then may it be claimed.
    fn written(&self) -> Result<(), Failure> {
        let Some(writing) = self.writing().take() else { return Ok(()) };
        writing.join().unwrap_or_else(|_| {
            let (subject, cause) = ("checkpoint".into(), "its writer panicked".into());
            Err(Failure::Run { subject, cause })
        })
    }

    fn writing(&self) -> MutexGuard<'_, Option<JoinHandle<Result<(), Failure>>>> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drives alone from the last checkpoint to this tick and writes one there; calls
    /// `at_work` on the way.
    fn recover(&self, tick: u64, at_work: &mut dyn FnMut()) -> Result<(), Failure> {
        let Some(folder) = self.folder.get() else { return Ok(()) };
        // what came of the last one does not matter: the one before it is whole
        let _ = self.written();
        let stored = std::fs::read(folder.join(CHECKPOINT)).ok();
        let stored = stored.and_then(|b| checkpoint::decode(&self.model, &self.decisive, &b).ok());
        let state = stored.filter(|state| state.tick <= tick).or_else(|| self.start.clone());
        let resumed = state.and_then(|state| World::resume(self.model.clone(), state).ok());
        let mut world = resumed.unwrap_or_else(|| World::new(self.model.clone()));
        while world.state().tick < tick {
            world.advance();
            at_work();
        }
        self.store(world.state())?;
        self.written()
    }

    /// What the lowest rank that is left does when others are lost.
    fn make_good(
        &self,
        here: usize,
        lost: &[usize],
        tick: u64,
        at_work: &mut dyn FnMut(),
    ) -> String {
        if (0..here).any(|rank| !lost.contains(&rank)) {
            return String::new();
        }
        match self.recover(tick, at_work) {
            Ok(()) => format!("; checkpoint written at tick {tick}, go on from it with --resume"),
            Err(failure) => format!("; no checkpoint could be written: {failure}"),
        }
    }

    /// The same for a rank that cannot return from where it notices.
    #[cfg(feature = "mpi")]
    pub fn last_words(
        self: &std::sync::Arc<Self>,
        here: usize,
        tick: &std::sync::Arc<AtomicU64>,
    ) -> crate::sync::LastWords {
        let (recovery, tick) = (self.clone(), tick.clone());
        Box::new(move |source, at_work| {
            let tick = tick.load(Ordering::Relaxed);
            let lost = RankError::Lost { tick, source: source.clone() };
            let good = recovery.make_good(here, &lost.lost(), tick, at_work);
            eprintln!("rank {here}: {lost}{good}");
        })
    }
}

/// Drives to the end, or until a rank is interrupted.
pub fn drive<C: Communicator>(mut ranks: Ranks<C>, plan: &Plan<'_>) -> Result<Record, Failure> {
    let here = ranks.rank();
    let folder = plan.recovery.folder.get().cloned();
    let folders = ranks.gathered("folder", &folder)?;
    folders.iter().flatten().for_each(|folder| plan.recovery.set_folder(folder));
    if plan.stores {
        tell_of_starts(ranks.world());
    }
    plan.tick.store(ranks.world().state().tick, Ordering::Relaxed);
    heartbeats(ranks, plan).map_err(|error| match error {
        Trouble::Ranks(cause) => {
            let make_good = |tick| plan.recovery.make_good(here, &cause.lost(), tick, &mut || ());
            let good = cause.tick().map(make_good).unwrap_or_default();
            Failure::Ranks { cause, good }
        }
        Trouble::Here(failure) => failure,
    })
}

/// Says which vehicles do not begin in equilibrium, and how they begin.
fn tell_of_starts(world: &World) {
    for (agent, stand) in world.model().agents.iter().zip(world.stands()) {
        let begins = match stand {
            Stand::Still => continue,
            Stand::Slides => {
                "the ground does not hold it where it starts: it slides from time zero"
            }
            Stand::Falls => {
                "it finds no equilibrium where it starts: it begins in its design position"
            }
        };
        eprintln!("warning: vehicle {}: {begins}", agent.name);
    }
}

/// Why a drive ends early.
enum Trouble {
    Ranks(RankError),
    Here(Failure),
}

impl From<RankError> for Trouble {
    fn from(error: RankError) -> Trouble {
        Trouble::Ranks(error)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        Trouble::Here(failure)
    }
}

fn heartbeats<C: Communicator>(mut ranks: Ranks<C>, plan: &Plan<'_>) -> Result<Record, Trouble> {
    let clock = ranks.world().model().clock;
    let ticks_in = |time: f64| {
        let heartbeats = (time / clock.heartbeat()).round().max(1.0) as u64;
        heartbeats.saturating_mul(clock.steps_per_heartbeat())
    };
    let sample_every = ticks_in(plan.scenario.output.interval);
    let store_every = ticks_in(plan.checkpoint_every);
    let end = clock.heartbeats_in(plan.scenario.time.duration) * clock.steps_per_heartbeat();
    let first = ranks.rank() == 0;
    let mut progress = Progress::start(plan.scenario.time.duration, plan.quiet || !first);
    let mut ended = vec![false; ranks.partition().len()];
    let now = ranks.samples()?;
    let (mut record, mut heartbeats) = match (first, plan.recovery.folder.get()) {
        (true, Some(folder)) => {
            let (scenario, world) = (plan.scenario, ranks.world());
            let opened = record::Record::open(folder, scenario, world, &now, plan.resumes);
            let from = plan.resumes.then(|| world.state().tick);
            let heartbeats = Heartbeats::open(folder, ranks.size(), plan.trace, from);
            (Some(opened.map_err(Failure::from)?), Some(heartbeats.map_err(Failure::from)?))
        }
        _ => (None, None),
    };
    // whatever becomes of it, a run can be gone on with
    if plan.stores && !plan.resumes {
        plan.recovery.store(ranks.world().state())?;
    }
    let ground_every = ticks_in(GROUND_INTERVAL);
    let mut figures = Vec::new();
    // of all ranks, as far as they have been gathered
    let mut all_figures = vec![Vec::new(); ranks.size()];
    let mut quit = false;
    let mut blamed = false;
    let mut outran = false;
    while ranks.world().state().tick < end && ranks.is_running() && !quit {
        let done = ranks.advance(plan.interrupted.load(Ordering::Relaxed))?;
        quit = done.quit;
        figures.push(done);
        let tick = ranks.world().state().tick;
        plan.tick.store(tick, Ordering::Relaxed);
        let begun = ranks.elapsed();
        let (state, agents) = ranks.hash()?;
        let time = ranks.world().time();
        if let Some(record) = &mut record {
            let ground = ranks.world().state().published.digest();
            let row = HashRow::new(tick, time, &state, ground, &agents);
            record.heartbeat(&row).map_err(Failure::from)?;
        }
        let delivered = ranks.delivered()?;
        if let Some(record) = &mut record {
            record.delivered(&delivered).map_err(Failure::from)?;
        }
        if tick.is_multiple_of(sample_every) {
            let now = ranks.samples()?;
            if let Some(record) = &mut record {
                record.samples(ranks.world(), &now).map_err(Failure::from)?;
                if tick.is_multiple_of(ground_every) {
                    record.ground(ranks.world(), &now).map_err(Failure::from)?;
                }
            }
        }
        if let Some(record) = &mut record {
            record.flush().map_err(Failure::from)?;
        }
        let recorded = ranks.elapsed() - begun;
        let begun = ranks.elapsed();
        if tick.is_multiple_of(store_every) && tick < end {
            ranks.gather()?;
            if plan.stores {
                plan.recovery.store(ranks.world().state())?;
            }
        }
        let checkpoint = ranks.elapsed() - begun;
        if let Some(heartbeat) = figures.last_mut() {
            (heartbeat.record, heartbeat.checkpoint) = (recorded, checkpoint);
        }
        if tick.is_multiple_of(sample_every) {
            gather(&mut ranks, &mut figures, &mut all_figures, heartbeats.as_mut())?;
        }
        if let (true, false, Some(agent)) = (first, outran, done.outran) {
            outran = true;
            let name = &ranks.world().model().agents[agent as usize].name;
            progress.note(&format!(
                "--route neighbour: {name} speeds up harder than a census allows for; another \
                 is held whenever that is so, and the result is the same"
            ));
        }
        if first && !plan.quiet {
            note_endings(ranks.world(), &mut ended, &progress);
        }
        if let (Some(cause), false) = (ranks.world().lost_gpu(), blamed) {
            if plan.gpu_required {
                return Err(Failure::Run { subject: "--gpu".into(), cause }.into());
            }
            blamed = true;
            progress.note(&format!("{cause}; the processor looks from here on"));
        }
        progress.update(time);
    }
    progress.finish();
    ranks.gather()?;
    if plan.stores {
        plan.recovery.store(ranks.world().state())?;
        plan.recovery.written()?;
    }
    gather(&mut ranks, &mut figures, &mut all_figures, heartbeats.as_mut())?;
    let finished = record.map(record::Record::finish).transpose().map_err(Failure::from)?;
    let (mut recorded, samples) = finished.unwrap_or_default();
    let timed = heartbeats.map_or(Ok(Vec::new()), Heartbeats::finish).map_err(Failure::from)?;
    recorded.extend(timed);
    let (world, interrupted) = (ranks.into_world(), quit);
    Ok(Record { world, samples, figures: all_figures, recorded, interrupted })
}

/// Brings the figures of all ranks together, and to the disk where this rank writes.
fn gather<C: Communicator>(
    ranks: &mut Ranks<C>,
    own: &mut Vec<HeartbeatFigures>,
    all: &mut [Vec<HeartbeatFigures>],
    heartbeats: Option<&mut Heartbeats>,
) -> Result<(), Trouble> {
    let gathered = ranks.gathered("figures", own)?;
    own.clear();
    if let Some(heartbeats) = heartbeats {
        heartbeats.take(&gathered).map_err(Failure::from)?;
    }
    all.iter_mut().zip(gathered).for_each(|(all, new)| all.extend(new));
    Ok(())
}

/// Says once of each vehicle that its drive has ended early.
fn note_endings(world: &World, ended: &mut [bool], progress: &Progress) {
    let agents = world.model().agents.iter().zip(&world.state().agents);
    for (index, ((agent, state), noted)) in agents.zip(ended).enumerate() {
        if state.outcome.is_some() && !*noted {
            *noted = true;
            progress.note(&format!("{}: {}", agent.name, world.outcome(index)));
        }
    }
}
