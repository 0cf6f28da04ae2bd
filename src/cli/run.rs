//! `bekker run`

mod preparation;
mod rank_launcher;
mod restart;
mod timings;

use super::drive::{
    OutputOptions, RankOptions, RunOptions, RunResult, RunSignals, RunTiming, ServingOptions,
};
use super::failure::INTERRUPTED;
use super::graphics::Graphics;
use super::interruption::{dismissal_signal, enlargement_signal, interruption_signal};
use super::processes::Processes;
use super::results::RunFiles;
use super::serving::{RunServer, Serving, bridge};
use super::study::{SensitivityOptions, sensitivity_lines};
use super::{Failure, heartbeats, launcher, page_server, stdout, view};
use crate::report::recorder::RecorderOutput;
use crate::report::recovery::Recovery;
use crate::report::table;
use crate::scenario::build::BuiltWorld;
use crate::scenario::{Inputs, ScenarioFile};
use crate::simulation::{Controller, MessageRoute, OutcomeCode, RunSummary};
use crate::sync::Partition;
use crate::sync::ghost::ExtrapolationOrder;
use crate::view::{Clients, DisplayedRun};
use clap::Args;
use preparation::{OutputLocation, RunInputs};
use rank_launcher::{LauncherSession, PreparedRun, RankLauncher};
use restart::Restart;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Number of vehicles from which a note says that their static equilibrium takes time.
const MANY: usize = 100;

/// Number of ranks without `--ranks`.
const RANKS: u16 = 1;
/// Default of `--timeout`, s.
const TIMEOUT: f64 = 60.0;
/// Default of `--checkpoint-every`, s.
const CHECKPOINT_INTERVAL: f64 = 10.0;

/// Run a scenario
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker run examples/convoy_mud.toml\n  \
    bekker run examples/single_vehicle.toml --set time.duration=5 --out /tmp/try --force\n  \
    bekker run --resume runs/convoy_mud-1\n  \
    bekker run examples/convoy_mud.toml --view\n  \
    bekker run examples/outside.toml --serve\n  \
    bekker run examples/convoy_mud.toml --processes 4\n\n\
    The run's folder (runs/NAME-N) gets manifest.json, states.parquet, states.csv, ruts.tif,\n\
    picture.png, summary.json, hashes.csv and checkpoint.bin. If vehicles have sensors, it also\n\
    gets sensors.mcap for Foxglove and Rerun. Its README.md describes the files. Ctrl-C writes a\n\
    checkpoint and the results so far. --resume continues from there, bit-identical to a run\n\
    without interruption.")]
pub struct Run {
    /// Scenario file (.toml); optional with --resume (default: the scenario of the resumed run)
    #[arg(required_unless_present = "resume")]
    file: Option<PathBuf>,
    /// Override a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Folder for the results (default: runs/NAME-N)
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Overwrite the results of an earlier run in a folder that is not empty
    #[arg(long)]
    force: bool,
    /// Number of threads (default: number of CPU cores). Results do not depend on it
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Resume from a run folder or a checkpoint file. A run folder also receives the results,
    /// unless --out is given
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    /// Number of ranks in this process, which exchange real messages. Results do not depend on it
    #[arg(long, value_name = "N", default_value_t = RANKS, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    ranks: u16,
    #[command(flatten)]
    processes: Processes,
    /// Assignment of vehicles to ranks: blocks, round-robin, place, or one rank per vehicle, such
    /// as 0,0,1
    #[arg(long, value_name = "RULE", default_value = "blocks")]
    partition: Partition,
    /// How ranks exchange messages. Results do not depend on it
    #[arg(long, value_name = "ROUTE", default_value = "all", value_enum)]
    route: RouteName,
    /// Extrapolation of remote vehicles between heartbeats. Affects only the reported extrapolation
    /// error
    #[arg(long, value_name = "ORDER", default_value = "first", value_enum)]
    extrapolate: OrderName,
    /// Abort if a rank does not respond within this time, s
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, allow_negative_numbers = true, value_parser = seconds)]
    timeout: f64,
    /// Simulated time between checkpoints, s
    #[arg(long, value_name = "SECONDS", default_value_t = CHECKPOINT_INTERVAL, allow_negative_numbers = true, value_parser = seconds)]
    checkpoint_every: f64,
    /// Rebalance vehicles across ranks every SECONDS of simulated time, by position and measured
    /// cost (default: never). Results do not depend on it
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    rebalance: Option<f64>,
    /// Rebalance at random from this seed, to test that results do not change
    #[arg(long, value_name = "SEED", requires = "rebalance", hide = true)]
    rebalance_by_chance: Option<u64>,
    /// Restart automatically from the last checkpoint after losing a rank, up to TIMES times.
    /// Requires --processes, with all ranks started here. `bekker view RUN --html` writes the page
    /// of such a run
    #[arg(long, value_name = "TIMES", default_value_t = 0, requires = "processes", allow_negative_numbers = true,
          conflicts_with_all = ["ranks", "html"])]
    restarts: u16,
    /// Each rank writes the record and checkpoints of its own vehicles; rank 0 joins them at the
    /// end. All ranks must be able to access the run folder. The files are the same as without this
    /// option
    #[arg(long, conflicts_with_all = ["serve", "view", "ros2", "html"])]
    parts: bool,
    /// Heartbeats between state hashes (default: output.hash_every of the scenario). Above 1, with
    /// adaptive heartbeats, counts heartbeats of full length
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    hash_every: Option<u64>,
    #[command(flatten)]
    graphics: Graphics,
    #[command(flatten)]
    serving: Serving,
    #[command(flatten)]
    sensitivity: SensitivityOptions,
    /// Write trace.json, a timeline for Perfetto or Chrome
    #[arg(long)]
    trace: bool,
    /// Print the time spent in each part of autonomous driving, with --json to standard error. With
    /// several processes, covers the vehicles of rank 0
    #[arg(long)]
    timings: bool,
    /// Do not draw the picture
    #[arg(long)]
    no_picture: bool,
    /// Print all columns: final speed, peak slip, mean sinkage, tires and energy too
    #[arg(long, conflicts_with = "json")]
    wide: bool,
    /// Print the summary as JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Reader of the scenario's files
    #[arg(skip)]
    inputs: Inputs,
}

impl Run {
    /// Creates a run of a scenario without further options.
    ///
    /// `inputs` reads the files that the scenario names. The results go to the folder `out`, which
    /// may be that of an earlier run only with `force`.
    pub fn new(file: PathBuf, sets: Vec<String>, inputs: Inputs, out: PathBuf, force: bool) -> Run {
        Run {
            file: Some(file),
            sets,
            out: Some(out),
            force,
            threads: None,
            resume: None,
            ranks: RANKS,
            processes: Processes::default(),
            partition: Partition::default(),
            route: RouteName::All,
            extrapolate: OrderName::First,
            timeout: TIMEOUT,
            checkpoint_every: CHECKPOINT_INTERVAL,
            rebalance: None,
            rebalance_by_chance: None,
            restarts: 0,
            parts: false,
            hash_every: None,
            graphics: Graphics::default(),
            serving: Serving::default(),
            sensitivity: SensitivityOptions::default(),
            trace: false,
            timings: false,
            no_picture: false,
            wide: false,
            json: false,
            inputs,
        }
    }

    /// Returns the requested number of threads.
    pub fn threads(&self) -> Option<u16> {
        self.threads.or(self.processes.threads())
    }

    pub fn execute(mut self, quiet: bool) -> Result<(), Failure> {
        self.sets.extend(self.hash_every.map(|every| format!("output.hash_every={every}")));
        #[cfg(not(feature = "mpi"))]
        {
            // a tool that starts ranks by hand on many machines may set a launcher's variables
            if !self.processes.is_one_of_several() {
                launcher::check_alone()?;
            }
            self.run_with_restarts(None, quiet)
        }
        #[cfg(feature = "mpi")]
        {
            let apart = self.processes.is_one_of_several();
            let session = if apart { None } else { launcher::session()? };
            let ended = self.run_with_restarts(session.as_ref(), quiet);
            // a launcher kills all ranks as soon as one exits with an error: print it before that
            if session.is_some() { ended.map_err(Failure::print) } else { ended }
        }
    }

    /// Drives the scenario and writes the results; restarts after the loss of a rank if requested.
    fn run_with_restarts(
        &self,
        session: Option<&LauncherSession>,
        quiet: bool,
    ) -> Result<(), Failure> {
        self.processes.check_restarts(self.restarts)?;
        match self.run_once(session, quiet)? {
            None => Ok(()),
            Some(restart) => self.restart(&restart),
        }
    }

    /// Drives the scenario and writes the results.
    ///
    /// Returns a restart if a rank was lost and the run is to restart. All sockets and files of the
    /// run are then closed.
    fn run_once(
        &self,
        session: Option<&LauncherSession>,
        quiet: bool,
    ) -> Result<Option<Restart>, Failure> {
        let (flag, dismissed, enlarged) =
            (interruption_signal()?, dismissal_signal()?, enlargement_signal()?);
        // set by signals only; `flag` is also set to add a rank
        let ended = interruption_signal()?;
        let tick = Arc::new(AtomicU64::new(0));
        let met = self.processes.connect(self.rank_timeout(), self.threads(), quiet, &flag)?;
        let mut launched = RankLauncher::new(self, met, session);
        let prepared = launched.prepared(quiet)?;
        let RunInputs { file, mut built, agreed, state, place, bound } = prepared;
        let timings = self.timings.then(|| timings::time(&mut built.world));
        let shown = self.serving.displayed_run(&file, &built);
        let clients = shown.as_ref().and_then(|shown| self.serving.clients(shown));
        let recovery = Recovery::new(built.world.clone(), state.clone(), built.decisive.clone());
        let recovery = Arc::new(recovery.in_parts(self.parts));
        let tick_now = state.as_ref().map_or(0, |state| state.tick);
        let served = bound
            .map(|own| {
                let model = Arc::new(built.world.clone());
                own.open(&file.scenario, model, tick_now, clients.clone())
            })
            .transpose()?;
        // with several ranks, the wait takes place at each heartbeat so that no rank times out
        if let (Some(clients), 1) = (&clients, launched.size()) {
            page_server::wait_for_client(clients, &flag);
        }
        let mut controller: Option<Box<dyn Controller>> = match &served {
            Some(own) => Some(Box::new(own.server.controller(|line| eprintln!("{line}")))),
            // rank 0 handles external control for all ranks
            None if place.is_some() => bridge(&self.serving, &file.scenario, &built.world)?,
            None => None,
        };
        let controller = controller.as_mut().map(|own| &mut **own as &mut dyn Controller);
        let options = RunOptions {
            scenario: &file.scenario,
            site: built.site,
            recovery: &recovery,
            gpu_required: self.graphics.is_required(),
            signals: RunSignals { interrupted: &flag, dismissed: &dismissed, enlarged: &enlarged },
            timing: self.timing(served.as_ref(), &tick),
            output: self.output_options(shown.as_ref(), quiet),
            ranks: self.rank_options(),
            serving: self.serving_options(clients.as_ref(), served.as_ref()),
        };
        let prepared = PreparedRun { run: self, built: &built, agreed, state };
        let clock = Instant::now();
        let vehicles = built.world.agents.len();
        if vehicles > MANY && !quiet && place.is_some() && prepared.state.is_none() {
            eprintln!("computing static equilibrium of {vehicles} vehicles");
        }
        if let Some(place) = &place {
            recovery.set_folder(&place.folder);
        }
        let processes = launched.processes();
        let driven = launched.drive(&prepared, controller, &options);
        let why = self.restart_reason(&driven, &ended);
        if let (Some(why), Some(OutputLocation { folder, .. })) = (why, &place) {
            let (folder, has_checkpoint) = (folder.clone(), recovery.has_checkpoint());
            return Ok(Some(Restart { folder, has_checkpoint, why }));
        }
        let driven = driven?;
        if let Some(served) = &served {
            served.announce_end(&driven.world);
        }
        // from here on a signal disconnects peers that still read; otherwise their timeout does
        let hastened = interruption_signal().unwrap_or_default();
        let wall = clock.elapsed().as_secs_f64();
        // an external controller may end the run, which is not an error
        let signaled = !self.serving.is_controlled() || ended.load(Ordering::Relaxed);
        let cut = driven.interrupted && signaled;
        let Some(place) = place else {
            // rank 0 writes the record and reports the end
            return if cut { Err(Failure::Reported { code: INTERRUPTED }) } else { Ok(None) };
        };
        let folder = place.folder.clone();
        let resumed_at =
            prepared.state.as_ref().map(|state| built.world.clock.reported_time(state.tick));
        let results = RunResults { file: &file, built: &built, wall, resumed_at };
        let summary = self.write_results(driven, place, results, quiet)?;
        // results first: a slow or stalled peer must delay only what follows
        if let Some(served) = &served {
            served.close(&hastened);
        }
        if let Some(timings) = &timings {
            let table = timings::table(timings, &summary, processes);
            // standard output is reserved for the JSON summary
            if self.json { eprintln!("{table}") } else { stdout::print(&table)? }
        }
        if cut {
            return Err(Failure::Interrupted { folder });
        }
        self.print_sensitivity(&flag)?;
        if let Some(clients) = &clients {
            page_server::stay_open(clients, &ended);
        }
        failed(&summary).map(|()| None)
    }

    /// Drives the perturbed copies, if requested, and prints which outcomes change.
    fn print_sensitivity(&self, interrupted: &AtomicBool) -> Result<(), Failure> {
        let (Some(perturb), Some(path)) = (self.sensitivity.perturbation(), &self.file) else {
            return Ok(());
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads().map_or(cores, usize::from);
        for line in sensitivity_lines(path, &self.sets, perturb, threads, interrupted)? {
            // standard output is reserved for the JSON summary
            if self.json { eprintln!("{line}") } else { stdout::print(&line)? }
        }
        Ok(())
    }

    fn timing<'a>(&self, served: Option<&'a RunServer>, tick: &'a Arc<AtomicU64>) -> RunTiming<'a> {
        RunTiming {
            checkpoint_every: self.checkpoint_every,
            realtime: self.serving.realtime,
            was_paused: served.map(|own| own.server.was_paused()),
            tick,
        }
    }

    fn output_options<'a>(
        &self,
        shown: Option<&'a DisplayedRun>,
        quiet: bool,
    ) -> OutputOptions<'a> {
        OutputOptions {
            resumes: self.in_place().is_some(),
            parts: self.parts,
            trace: self.trace,
            html: shown.filter(|_| self.serving.html),
            quiet,
        }
    }

    fn rank_options(&self) -> RankOptions<'static> {
        RankOptions {
            stores: true,
            apart: self.processes.is_apart(),
            restarts: self.restarts_here(),
            closed: self.closed(),
        }
    }

    fn serving_options<'a>(
        &self,
        clients: Option<&'a Arc<Clients>>,
        served: Option<&'a RunServer>,
    ) -> ServingOptions<'a> {
        ServingOptions {
            clients,
            foxglove: served.map(|own| &own.foxglove),
            controlled: self.serving.is_controlled(),
            tells_ground: self.serving.ros2_ground,
        }
    }

    /// Writes the results of a drive and prints the summary.
    fn write_results(
        &self,
        driven: RunResult,
        place: OutputLocation,
        results: RunResults<'_>,
        quiet: bool,
    ) -> Result<RunSummary, Failure> {
        let RunResults { file, built, wall, resumed_at } = results;
        let RunResult { mut world, recorded, interrupted, html, pacing, .. } = driven;
        let RecorderOutput { mut files, tracks, hits, costs } = recorded;
        let OutputLocation { folder, begun, lock } = place;
        if let Some(html) = html {
            files.push(view::write_into(&folder, html)?);
        }
        world.publish_all();
        let mut summary = world.summary(&file.scenario.name, wall);
        (summary.pacing, summary.resumed_at) = (pacing, resumed_at);
        let results = RunFiles {
            picture: !self.no_picture,
            file,
            built,
            folder: &folder,
            world: &world,
            tracks: &tracks,
            hits: &hits,
            recorded: &files,
            summary: &summary,
            begun: &begun,
            interrupted,
        };
        results.write()?;
        drop(lock);
        if costs.len() > 1
            && !quiet
            && let Some(told) = heartbeats::summary(&costs)
        {
            eprintln!("{told}");
        }
        if let (Some(pacing), false) = (&summary.pacing, quiet) {
            eprintln!("{}", heartbeats::pacing(pacing));
        }
        if self.json {
            stdout::print_json(&summary)?;
        } else {
            let style = table::TableStyle::of_stdout();
            stdout::print(&table::summary(&summary, style, self.wide))?;
            stdout::print(&format!("results in {}", folder.display()))?;
        }
        Ok(summary)
    }
}

/// Inputs of the results of a run, in addition to its record.
struct RunResults<'a> {
    file: &'a ScenarioFile,
    built: &'a BuiltWorld,
    /// Wall time of the drive, s.
    wall: f64,
    /// Simulated time from which the run was resumed, s.
    resumed_at: Option<f64>,
}

/// Message route on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum RouteName {
    /// Every rank sends directly to every rank
    All,
    /// Every rank sends to rank 0, which forwards
    Star,
    /// Only ranks whose vehicles may interact exchange messages
    #[value(alias = "neighbour")]
    Neighbor,
}

impl From<RouteName> for MessageRoute {
    fn from(name: RouteName) -> MessageRoute {
        match name {
            RouteName::All => MessageRoute::All,
            RouteName::Star => MessageRoute::Star,
            RouteName::Neighbor => MessageRoute::Neighbor,
        }
    }
}

/// Extrapolation order on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum OrderName {
    /// Constant position
    Constant,
    /// Constant velocity
    First,
    /// Constant acceleration
    Second,
}

impl From<OrderName> for ExtrapolationOrder {
    fn from(name: OrderName) -> ExtrapolationOrder {
        match name {
            OrderName::Constant => ExtrapolationOrder::Constant,
            OrderName::First => ExtrapolationOrder::First,
            OrderName::Second => ExtrapolationOrder::Second,
        }
    }
}

/// Parses a positive, finite time, s.
fn seconds(text: &str) -> Result<f64, String> {
    let time: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    // far above any run, far below an overflow of the clock
    if time > 0.0 && time <= 1e9 { Ok(time) } else { Err("must be above 0 and up to 1e9 s".into()) }
}

/// Returns a failure if a vehicle has no finite state. Other outcomes are results.
fn failed(summary: &RunSummary) -> Result<(), Failure> {
    for vehicle in &summary.vehicles {
        if vehicle.outcome.code == OutcomeCode::Failed {
            let cause = vehicle.outcome.to_string();
            return Err(Failure::Run { subject: vehicle.name.clone(), cause });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};

    #[test]
    fn a_run_without_options_has_the_defaults_of_the_command_line() {
        let words = ["run", "--out", "o", "--set=seed=7", "a.toml"];
        let matches = Run::augment_args(Command::new("run")).get_matches_from(words);
        let parsed = Run::from_arg_matches(&matches).unwrap();
        let made =
            Run::new("a.toml".into(), vec!["seed=7".into()], Inputs::default(), "o".into(), false);
        assert_eq!(format!("{made:?}"), format!("{parsed:?}"));
    }
}
