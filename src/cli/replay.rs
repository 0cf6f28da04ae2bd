//! `bekker replay`

use super::{Failure, recorded_run, stdout};
use crate::report::commands::COMMANDS;
use crate::report::hashes::{self, HashRow, hexadecimal, whole_microseconds};
use crate::report::manifest::{self, RunStatus};
use crate::scenario::build::world;
use crate::simulation::{AgentState, RunSchedule, StateHash, World, checkpoint};
use clap::Args;
use std::path::PathBuf;

/// Rerun a recorded run and compare it with the recording
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker replay runs/convoy_mud-1 --verify\n\n\
    Reads the scenario and its files from the run folder, which may have moved. The replay runs\n\
    from the beginning and must end in the recorded state. With --verify, it first checks every\n\
    file against the manifest. It then compares the state hash with the recorded one at every\n\
    heartbeat. It names the first heartbeat that differs, and the vehicles (or the ground) that\n\
    differ in it.")]
pub struct Replay {
    /// Run folder
    run: PathBuf,
    /// Compare the recorded state hashes at every heartbeat
    #[arg(long)]
    verify: bool,
}

impl Replay {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let subject = self.run.display().to_string();
        let failed = |cause: String| Failure::Run { subject: subject.clone(), cause };
        let (manifest, file) = recorded_run::read(&self.run, &[])?;
        if manifest.status == RunStatus::Running {
            let cause = "the run has not ended; finish it with `bekker run --resume`";
            return Err(failed(cause.into()));
        }
        if self.verify
            && let Some(differences) = manifest::differences(&self.run, &manifest.outputs)
        {
            return Err(failed(format!("does not match its record: {differences}")));
        }
        if self.verify {
            let gaps = manifest::tables_with_gaps(&self.run, &manifest.outputs);
            if !gaps.is_empty() {
                let files = gaps.join(", ");
                return Err(failed(format!("NUL bytes (incomplete writes) in: {files}")));
            }
        }
        recorded_run::warn_of_edits(&self.run, &manifest, &file);
        let built = world(&file)?;
        let was = manifest.decisive.join("\n");
        let differences = checkpoint::differences(&was, built.decisive.trim_end());
        if let Some(differences) = &differences {
            eprintln!("warning: the run was recorded by another program version: {differences}");
        }
        let mut world = World::new(built.world);
        let list = self.run.join("hashes.csv");
        let (rows, names) = if self.verify { hashes::read(&list)? } else { Default::default() };
        let mut rows = rows.iter();
        let commands = recorded_run::commands(&self.run, &manifest, &world)?;
        let schedule = RunSchedule {
            hash_every: Some(file.scenario.output.hash_every),
            ..RunSchedule::until(file.scenario.time.duration)
        };
        let steps = world.model().clock.steps_per_heartbeat();
        while world.state().tick < manifest.last_tick {
            commands.apply(&mut world).map_err(|error| failed(format!("{COMMANDS}: {error}")))?;
            world.advance();
            let tick = world.state().tick;
            if !self.verify || tick <= manifest.first_tick || !schedule.hashes_at(tick, steps) {
                continue;
            }
            let Some(recorded) = rows.next().filter(|row| row.tick == tick) else {
                let cause =
                    format!("hashes.csv is incomplete: the heartbeat at tick {tick} is missing");
                return Err(failed(cause));
            };
            if let Some(parts) = recorded.difference(&row(&world, names.is_empty()), &names) {
                let time = whole_microseconds(world.time());
                let cause = "differs from its recording at tick";
                return Err(failed(format!("{cause} {tick} ({time} s) in {parts}")));
            }
        }
        if let Some(HashRow { tick, .. }) = rows.next() {
            return Err(failed(format!(
                "hashes.csv has a row after the end of the run, at tick {tick}"
            )));
        }
        // as at the end of a run
        world.publish_all();
        let hash = hexadecimal(&world.hash());
        if hash != manifest.state_hash {
            let recorded = &manifest.state_hash;
            let told = format!("final state is {hash}, but the recorded state is {recorded}");
            if self.verify || differences.is_none() {
                return Err(failed(told));
            }
            eprintln!("warning: {told}");
        }
        if !quiet {
            let what = if self.verify { "identical at every heartbeat" } else { "replayed" };
            let time = whole_microseconds(world.time());
            stdout::print(&format!("{subject}: {what}, {time} s, state {hash}"))?;
        }
        Ok(())
    }
}

/// Returns the hash row of a world, without agents if none were recorded.
fn row(world: &World, without_agents: bool) -> HashRow {
    let recorded = world.state().agents.iter().filter(|_| !without_agents);
    let agents = recorded.map(AgentState::digest).collect();
    let hash = StateHash { state: world.hash(), ground: world.state().published.digest(), agents };
    HashRow::new(world.state().tick, world.time(), &hash)
}
