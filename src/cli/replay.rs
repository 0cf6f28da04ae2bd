//! `bekker replay`

use super::heartbeats::{HashRow, read_hashes, whole_microseconds};
use super::{Failure, stdout};
use crate::report::manifest::{self, FileHash};
use crate::scenario::build::world;
use crate::scenario::{Scenario, ScenarioFile};
use crate::simulation::World;
use clap::Args;
use std::path::{Path, PathBuf};

/// Run a recorded run again and compare
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker replay runs/convoy_mud-1 --verify\n\n\
    Takes the scenario from the run's manifest and runs it from its beginning. With --verify\n\
    it compares the hash of the state with the recorded one at every heartbeat and names the\n\
    first heartbeat that differs, and the vehicles (or the ground) in it.")]
pub struct Replay {
    /// Folder of the run
    run: PathBuf,
    /// Compare with the recorded hashes, heartbeat by heartbeat
    #[arg(long)]
    verify: bool,
}

impl Replay {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let manifest = manifest::read(&self.run.join("manifest.json"))?;
        let input = |file: &Path, cause: &str| Failure::Input {
            subject: file.display().to_string(),
            cause: cause.to_owned(),
        };
        let scenario = manifest.inputs.first().map(|input| PathBuf::from(&input.path));
        let scenario =
            scenario.ok_or_else(|| input(&self.run, "the manifest names no scenario"))?;
        // the scenario is in the manifest, whole; what it refers to is not
        for file in manifest.inputs.iter().skip(1) {
            let path = Path::new(&file.path);
            if FileHash::of(path, &file.path)?.sha256 != file.sha256 {
                return Err(input(path, "has changed since the run"));
            }
        }
        let recorded = serde_json::from_value::<Scenario>(manifest.config)
            .map_err(|error| Failure::input(&self.run, &error))?;
        let text = toml::to_string(&recorded).map_err(|e| Failure::input(&self.run, &e))?;
        let folder = scenario.parent().unwrap_or(Path::new(""));
        let name = self.run.join("manifest.json").display().to_string();
        let file = ScenarioFile::parse(&name, &text, folder, &[])?;
        let mut world = World::new(world(&file)?.world);
        let (rows, names) = read_hashes(&self.run.join("hashes.csv"))?;
        let Some(last) = rows.last() else {
            return Err(input(&self.run.join("hashes.csv"), "holds no heartbeat"));
        };
        let mut rows = rows.iter().peekable();
        while world.state().tick < last.tick {
            world.beat();
            let tick = world.state().tick;
            let Some(recorded) = rows.next_if(|row| row.tick == tick) else { continue };
            if self.verify {
                let found = hashes(&world);
                if let Some(parts) = recorded.difference(&found, &names) {
                    let cause = format!(
                        "differs from its recording at tick {tick} ({} s) in {parts}",
                        whole_microseconds(world.time())
                    );
                    let subject = self.run.display().to_string();
                    return Err(Failure::Run { subject, cause });
                }
            }
        }
        if !quiet {
            let found = hashes(&world);
            let what = if self.verify { "equal at every heartbeat" } else { "replayed" };
            stdout::print(&format!(
                "{}: {what}, {} s, state {}",
                self.run.display(),
                whole_microseconds(world.time()),
                found.state
            ))?;
        }
        Ok(())
    }
}

fn hashes(world: &World) -> HashRow {
    let state = world.state();
    let agents: Vec<[u8; 32]> = state.agents.iter().map(|agent| agent.digest()).collect();
    HashRow::new(state.tick, world.time(), &world.hash(), state.published.digest(), &agents)
}
