//! Drives a world, alone or as one rank of several, and records on the way.

use super::Failure;
use super::heartbeats::HashRow;
use crate::report::progress::Progress;
use crate::report::write_file;
use crate::scenario::Scenario;
use crate::simulation::{BeatFigures, RankError, Ranks, Sample, World, checkpoint};
use crate::sync::Communicator;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Name of the checkpoint in a run's folder.
pub const CHECKPOINT: &str = "checkpoint.bin";

/// What to drive and what to leave behind.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Its fingerprint.
    pub fingerprint: &'a str,
    /// Folder of the run; on rank 0.
    pub folder: Option<&'a Path>,
    /// No progress, no remarks.
    pub quiet: bool,
    /// Raised to end the run early.
    pub interrupted: &'a AtomicBool,
    /// The tick reached, for last words.
    pub tick: &'a AtomicU64,
    /// Simulated time between checkpoints, s.
    pub checkpoint_every: f64,
}

/// What a run leaves on one rank; the samples and hashes of all are on rank 0.
#[derive(Debug)]
pub struct Record {
    /// The world at its end; complete on rank 0.
    pub world: World,
    /// All agents, at the scenario's interval.
    pub samples: Vec<Sample>,
    /// Hashes of all heartbeats.
    pub hashes: Vec<HashRow>,
    /// Figures of all heartbeats, rank by rank.
    pub figures: Vec<Vec<BeatFigures>>,
}

impl From<RankError> for Failure {
    fn from(error: RankError) -> Failure {
        let cause = match error {
            RankError::Lost { .. } | RankError::Corrupt { .. } => {
                format!("{error}; go on from the last checkpoint with --resume")
            }
            _ => error.to_string(),
        };
        Failure::Run { subject: "ranks".into(), cause }
    }
}

/// Drives to the end, or until a rank is interrupted.
pub fn drive<C: Communicator>(mut ranks: Ranks<C>, plan: &Plan<'_>) -> Result<Record, Failure> {
    let clock = ranks.world().model().clock;
    let beats_in = |time: f64| (time / clock.heartbeat()).round().max(1.0) as u64;
    let sample_every = beats_in(plan.scenario.output.interval);
    let store_every = beats_in(plan.checkpoint_every);
    let beats = clock.beats(plan.scenario.time.duration);
    let first = ranks.rank() == 0;
    let mut progress = Progress::start(plan.scenario.time.duration, plan.quiet || !first);
    let mut ended = vec![false; ranks.dealt().len()];
    let mut samples = ranks.samples()?;
    let mut hashes = Vec::new();
    let mut figures = Vec::new();
    let mut beat = ranks.world().state().tick / clock.steps_per_beat();
    let mut quit = false;
    while beat < beats && ranks.is_running() && !quit {
        let done = ranks.beat(plan.interrupted.load(Ordering::Relaxed))?;
        quit = done.quit;
        figures.push(done);
        beat += 1;
        let tick = ranks.world().state().tick;
        plan.tick.store(tick, Ordering::Relaxed);
        let (state, agents) = ranks.hash()?;
        let time = ranks.world().time();
        if first {
            let ground = ranks.world().state().published.digest();
            hashes.push(HashRow::new(tick, time, &state, ground, &agents));
        }
        if beat.is_multiple_of(sample_every) {
            samples.extend(ranks.samples()?);
        }
        if beat.is_multiple_of(store_every) && beat < beats {
            ranks.gather()?;
            store(ranks.world(), plan)?;
        }
        if first && !plan.quiet {
            note_endings(ranks.world(), &mut ended, &progress);
        }
        progress.update(time);
    }
    progress.finish();
    ranks.gather()?;
    store(ranks.world(), plan)?;
    let figures = ranks.gathered(&figures)?;
    Ok(Record { world: ranks.into_world(), samples, hashes, figures })
}

/// Writes a checkpoint, in place of the one before, where there is a folder.
fn store(world: &World, plan: &Plan<'_>) -> Result<(), Failure> {
    let Some(folder) = plan.folder else { return Ok(()) };
    let bytes = checkpoint::encode(plan.fingerprint, world.state());
    Ok(write_file(&folder.join(CHECKPOINT), &bytes)?)
}

/// Says once of each vehicle that its drive has ended early.
fn note_endings(world: &World, ended: &mut [bool], progress: &Progress) {
    let agents = world.model().agents.iter().zip(&world.state().agents);
    for ((agent, state), noted) in agents.zip(ended) {
        if let (Some(outcome), false) = (&state.outcome, &noted) {
            *noted = true;
            progress.note(&format!("{}: {outcome}", agent.name));
        }
    }
}
