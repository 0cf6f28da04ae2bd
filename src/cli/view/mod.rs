//! `bekker view`

mod folder;

use super::interruption::interruption_signal;
use super::page_server::{self, serve};
use super::{Failure, destination, recorded_run, stdout};
use crate::link::Address;
use crate::report::hashes::hexadecimal;
use crate::report::manifest::{Manifest, RunStatus};
use crate::report::progress::Progress;
use crate::report::recorded_run::VehicleHistory;
use crate::report::scene::TrackPoint;
use crate::report::{check_writable, write_file};
use crate::scenario::ScenarioFile;
use crate::scenario::build::{BuiltWorld, scene_model, world};
use crate::simulation::{World, WorldModel};
use crate::view::{
    Clients, CommandReplay, Control, DisplayedRun as Shown, HtmlFile, MessageSource, Player,
    StateSeries,
};
use clap::Args;
pub use folder::RunFolder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Watch a recorded run in a browser, or write it as one page that plays offline
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker view runs/convoy_mud-1\n  \
    bekker view runs/convoy_mud-1 --html convoy.html\n  bekker view runs\n\n\
    Prints an address to open in a browser on this machine; Ctrl-C ends the server. The run is\n\
    simulated again, bit for bit; the slider selects any moment. From another machine:\n\
    ssh -L 8000:127.0.0.1:8000 HOST bekker view RUN --address 127.0.0.1:8000")]
pub struct View {
    /// Run folder, or a folder with runs and studies
    run: PathBuf,
    /// Write one self-contained page to this file instead of starting a server
    #[arg(long, value_name = "FILE.html", value_parser = destination::html)]
    html: Option<PathBuf>,
    /// Address to listen at; port 0 selects any free port
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0", conflicts_with = "html")]
    address: Address,
    /// Access token for browsers (default: randomly generated)
    #[arg(long, value_name = "TOKEN", conflicts_with = "html")]
    token: Option<String>,
}

impl View {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let subject = self.run.display().to_string();
        self.html.as_deref().map_or(Ok(()), check_writable)?;
        if self.html.is_none() && !self.run.join("manifest.json").exists() && self.run.is_dir() {
            return self.list();
        }
        let (manifest, file) = recorded_run::read(&self.run, &[])?;
        if manifest.status == RunStatus::Running {
            let cause = "the run has not ended; finish it with `bekker run --resume`";
            return Err(Failure::Run { subject, cause: cause.into() });
        }
        recorded_run::warn_of_edits(&self.run, &manifest, &file);
        let built = world(&file)?;
        let mut shown = displayed_run(&file, &built, manifest.simulated_s);
        shown.states = histories(&self.run, &shown.model);
        let world = World::new(shown.model.clone());
        match &self.html {
            Some(path) => {
                let commands = commands(&self.run, &manifest, &world)?;
                write_html(path, shown, world, &manifest, &commands, quiet)
            }
            None => self.play(shown, world, &manifest),
        }
    }

    /// Shows all runs and studies of a folder.
    fn list(&self) -> Result<(), Failure> {
        let interrupted = interruption_signal()?;
        let folder = RunFolder::read(&self.run, interrupted.clone())?;
        let served = page_server::serve_folder(folder, &self.address, self.token.as_deref())?;
        stdout::print(&served.url)?;
        while !interrupted.load(Ordering::Relaxed) {
            std::thread::sleep(page_server::LOOK);
        }
        Ok(())
    }

    fn play(&self, shown: Shown, world: World, manifest: &Manifest) -> Result<(), Failure> {
        let interrupted = interruption_signal()?;
        let commands = commands(&self.run, manifest, &world)?;
        let control = Arc::new(Control::new(true, Some(1.0)));
        let clients = Clients::new(shown, MessageSource::Recorded, control);
        let served = serve(clients.clone(), &self.address, self.token.as_deref())?;
        stdout::print(&served.url)?;
        let player = Player::new(world, manifest.last_tick, commands, clients);
        player.map_err(|cause| Failure::threads("view", cause))?.run(&interrupted);
        Ok(())
    }
}

/// Largest table of states that is read for plots, bytes.
const LARGEST_TABLE: u64 = 256 << 20;

/// Largest number of plotted states, of one vehicle and of all together.
const MOST_STATES: [usize; 2] = [4000, 400_000];

/// Reads the histories of the vehicles from a run's table of states.
///
/// Without a table they are empty, and the page plots the frames that it has played.
fn histories(run: &Path, model: &WorldModel) -> Vec<StateSeries> {
    let table = ["states.csv", "states.parquet"].map(|name| run.join(name));
    let size = table.iter().find_map(|path| Some(path.metadata().ok()?.len()));
    if size.is_some_and(|bytes| bytes > LARGEST_TABLE) {
        return Vec::new();
    }
    let [one, all] = MOST_STATES;
    let most = (all / model.agents.len().max(1)).clamp(1, one);
    let read = VehicleHistory::read_all(run, most).unwrap_or_else(|error| {
        eprintln!("warning: plots show only played parts of the run: {error}");
        None
    });
    let series = |own: VehicleHistory| {
        let vehicle = model.agents.iter().position(|agent| agent.name == own.name)?;
        let column = |of: fn(&TrackPoint) -> f64| own.points.iter().map(of).collect();
        Some(StateSeries {
            vehicle,
            times: column(|point| point.time),
            positions: [column(|point| point.position[0]), column(|point| point.position[1])],
            speeds: column(|point| point.speed),
            slips: column(|point| point.slip),
            sinkages: column(|point| point.deepest),
        })
    };
    read.into_iter().flatten().filter_map(series).collect()
}

/// Reads the external commands of a run.
fn commands(run: &Path, manifest: &Manifest, world: &World) -> Result<CommandReplay, Failure> {
    let log = recorded_run::commands(run, manifest, world)?;
    // the recorded commands fit the run's vehicles, so that they cannot be refused
    Ok(Box::new(move |world| drop(log.apply(world))))
}

/// Returns the view of the world of a scenario, up to a simulated time, s.
pub fn displayed_run(file: &ScenarioFile, built: &BuiltWorld, until: f64) -> Shown {
    let scene = match &built.world.scene_model {
        Some(scene) => scene.clone(),
        None => Arc::new(scene_model(file, &built.world, &built.meshes, built.random.as_ref())),
    };
    let start = built.world.agents.first().map(|agent| agent.start.position);
    let model = Arc::new(built.world.clone());
    Shown::new(&file.scenario.name, until, model, scene, start.unwrap_or_default())
}

fn write_html(
    path: &Path,
    shown: Shown,
    mut world: World,
    manifest: &Manifest,
    commands: &CommandReplay,
    quiet: bool,
) -> Result<(), Failure> {
    let last = manifest.last_tick;
    let interrupted = interruption_signal()?;
    let mut progress = Progress::start(shown.duration, quiet);
    let mut page = HtmlFile::new(shown)?;
    page.add(&world, false)?;
    while world.state().tick < last {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Failure::Reported { code: super::failure::INTERRUPTED });
        }
        commands(&mut world);
        world.advance();
        page.add(&world, world.state().tick >= last)?;
        progress.update(world.time());
    }
    progress.finish();
    // as at the end of a run
    world.publish_all();
    let hash = hexadecimal(&world.hash());
    if hash != manifest.state_hash {
        eprintln!(
            "warning: the replay ends in state {hash}, but the recorded state is {}; the run or \
             the program differs (check with `bekker replay --verify`)",
            manifest.state_hash
        );
    }
    let text = page.finish()?;
    write_file(path, text.as_bytes())?;
    if !quiet {
        let megabytes = text.len() as f64 / 1e6;
        stdout::print(&format!("{}, {megabytes:.1} MB", path.display()))?;
    }
    Ok(())
}

/// Name of the page in a run's folder.
const PAGE: &str = "view.html";

/// Writes a run as one page to its folder, and returns the name of the page.
pub fn write_into(folder: &Path, html: HtmlFile) -> Result<String, Failure> {
    write_file(&folder.join(PAGE), html.finish()?.as_bytes())?;
    Ok(PAGE.into())
}
