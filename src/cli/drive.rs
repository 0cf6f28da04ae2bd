//! Drives a world, alone or as one rank of several, and prints messages about it.

use super::Failure;
use super::foxglove_feed::FoxgloveFeed;
use super::processes::MOST_RANKS;
use super::results::MANIFEST;
use crate::geodesy::Site;
use crate::link::{FoxgloveServer, Pacing};
use crate::report::manifest::FileHash;
use crate::report::progress::Progress;
use crate::report::record::GROUND_INTERVAL;
use crate::report::recorder::{Recorder, RecorderOutput};
use crate::report::recovery::Recovery;
use crate::scenario::Scenario;
use crate::simulation::{
    Controller, Flow, HeartbeatInfo, NAMED_AGENTS, Observer, PacingSummary, Ranks, RunError,
    RunSchedule, Runner, Sample, StartCondition, World,
};
use crate::view::{Clients, DisplayedRun, HtmlFile, LiveView, RanksView};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use crate::report::recovery::CHECKPOINT;

/// Maximum number of vehicles whose start or end is reported during the run.
const MOST_TOLD: usize = 20;

/// Options of a run.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Geographic location of the world.
    pub site: Option<Site>,
    /// Recovery after the loss of a rank; it stores the path of the run's folder.
    pub recovery: &'a Arc<Recovery>,
    /// Whether a failure of the graphics card is an error.
    pub gpu_required: bool,
    pub signals: RunSignals<'a>,
    pub timing: RunTiming<'a>,
    pub output: OutputOptions<'a>,
    pub ranks: RankOptions<'a>,
    pub serving: ServingOptions<'a>,
}

/// Requests during a run.
#[derive(Clone, Copy)]
pub struct RunSignals<'a> {
    /// Set to end the run early.
    pub interrupted: &'a Arc<AtomicBool>,
    /// Set to make this rank leave the others.
    pub dismissed: &'a AtomicBool,
    /// Set to add a rank.
    pub enlarged: &'a AtomicBool,
}

/// Times of a run.
#[derive(Clone, Copy)]
pub struct RunTiming<'a> {
    /// Simulated time between checkpoints, s.
    pub checkpoint_every: f64,
    /// Real-time factor to keep, simulated over wall time.
    pub realtime: Option<f64>,
    /// Set after an intended pause of a run that keeps a real-time factor.
    pub was_paused: Option<&'a AtomicBool>,
    /// The current tick, for the message of a rank that fails.
    pub tick: &'a Arc<AtomicU64>,
}

/// Files and messages of a run.
#[derive(Clone, Copy)]
pub struct OutputOptions<'a> {
    /// Whether the record in the folder is continued.
    pub resumes: bool,
    /// Whether each rank writes its own part of the record and of the checkpoints.
    pub parts: bool,
    /// Whether to write a timeline.
    pub trace: bool,
    /// View for the HTML page of the run, if one is written.
    pub html: Option<&'a DisplayedRun>,
    /// Whether to print neither progress nor notes.
    pub quiet: bool,
}

/// This rank and the others.
#[derive(Clone, Copy)]
pub struct RankOptions<'a> {
    /// Whether this rank reports what concerns all ranks.
    pub stores: bool,
    /// Whether this rank reports shared errors even if it is not rank 0, whose output is not
    /// visible there.
    pub apart: bool,
    /// Whether the run restarts from the last checkpoint after the loss of a rank.
    pub restarts: bool,
    /// Reason why no rank can be added, if there is one.
    pub closed: Option<&'a str>,
}

/// Clients of a run.
#[derive(Clone, Copy)]
pub struct ServingOptions<'a> {
    /// Browsers that watch the run.
    pub clients: Option<&'a Arc<Clients>>,
    /// Server of Foxglove clients.
    pub foxglove: Option<&'a FoxgloveServer>,
    /// Whether rank 0 serves external controllers.
    pub controlled: bool,
    /// Whether external controllers receive the ground around vehicles.
    pub tells_ground: bool,
}

impl RunOptions<'_> {
    /// Returns the options of one rank; `first` is whether it reports what concerns all ranks.
    pub fn for_rank(self, first: bool) -> Self {
        let ranks = RankOptions { stores: first, ..self.ranks };
        let output = OutputOptions { quiet: self.output.quiet || !first, ..self.output };
        RunOptions { ranks, output, ..self }
    }
}

/// Result of a run on one rank; rank 0 has the samples and hashes of all.
#[derive(Debug)]
pub struct RunResult {
    /// The world at the end; complete on rank 0.
    pub world: World,
    /// The recorded data.
    pub recorded: RecorderOutput,
    /// Whether the run was ended early, as by a signal to any rank.
    pub interrupted: bool,
    /// Number of ranks to continue with, if the run was ended to add one.
    pub enlarged_to: Option<usize>,
    /// The run as an HTML page.
    pub html: Option<HtmlFile>,
    /// Timing statistics, for a run with a real-time factor.
    pub pacing: Option<PacingSummary>,
}

/// Creates the hook that reports a loss on a rank that cannot return from where it is detected.
#[cfg(feature = "mpi")]
pub fn abort_hook(
    recovery: &Arc<Recovery>,
    here: usize,
    tick: &Arc<AtomicU64>,
) -> crate::sync::AbortHook {
    use std::io::Write;
    let (recovery, tick) = (recovery.clone(), tick.clone());
    Box::new(move |source, at_work| {
        let tick = tick.load(Ordering::Relaxed);
        let lost = crate::simulation::RankError::Lost { tick, source: source.clone() };
        let good = recovery.recover_after(here, &lost, at_work);
        // in one write, so that lines of several ranks are not interleaved
        let _ = std::io::stderr().write_all(format!("rank {here}: {lost}{good}\n").as_bytes());
    })
}

/// Drives to the end, or until a rank is interrupted; `controller` serves external control on rank
/// 0.
pub fn drive<'a>(
    mut ranks: Ranks<'a>,
    controller: Option<&'a mut dyn Controller>,
    options: &RunOptions<'a>,
) -> Result<RunResult, Failure> {
    let RunOptions {
        scenario,
        site,
        recovery,
        signals,
        timing,
        output,
        ranks: shared,
        serving,
        ..
    } = *options;
    let (here, size) = (ranks.rank(), ranks.size());
    // as `OsString`: names of folders need not be UTF-8
    let own = recovery.folder().map(|folder| folder.clone().into_os_string());
    let folders = ranks.gather_all("folder", &own)?;
    folders.iter().flatten().for_each(|folder| recovery.set_folder(Path::new(folder)));
    timing.tick.store(ranks.world().state().tick, Ordering::Relaxed);
    let reads_ground = serving.tells_ground || (!output.parts && reads_ground(scenario));
    let schedule = RunSchedule {
        duration: scenario.time.duration,
        sample_every: scenario.output.interval,
        checkpoint_every: Some(timing.checkpoint_every),
        hash_every: Some(scenario.output.hash_every),
        hash_agents: scenario.vehicle.len() <= NAMED_AGENTS,
        ground_every: reads_ground.then_some(GROUND_INTERVAL),
        world_every: output.html.map(|_| HtmlFile::FRAMES),
        views: true,
        parts: output.parts,
    };
    let folder = recovery.folder().cloned();
    let own = folder.clone().filter(|_| here == 0);
    let recorder = Recorder::new(scenario, own, size, [output.resumes, output.trace]);
    let mut recorder = recorder.with_site(site);
    if let (true, Some(folder)) = (output.parts, folder) {
        check_shared_folder(&mut ranks, &folder, shared.apart)?;
        recorder = recorder.in_parts(folder, here);
    }
    let mut checkpoints = recovery.checkpoints(here);
    let mut narrator = ConsoleObserver::new(options, here == 0);
    let mut observers: Vec<&mut dyn Observer<Failure>> = vec![&mut recorder];
    if output.parts || here == 0 {
        observers.push(&mut checkpoints);
    }
    observers.push(&mut narrator);
    let mut html = output.html.filter(|_| here == 0).cloned().map(HtmlFile::new).transpose()?;
    if let Some(html) = &mut html {
        observers.push(html);
    }
    let mut foxglove = serving.foxglove.filter(|_| here == 0).map(FoxgloveFeed::new);
    if let Some(foxglove) = &mut foxglove {
        observers.push(foxglove);
    }
    let mut pacing = timing.realtime.map(|factor| Pacing::new(factor, timing.was_paused));
    if let Some(pacing) = &mut pacing {
        // the time of all earlier observers is part of the heartbeat
        observers.push(pacing);
    }
    // last: it blocks the run while a viewer has paused it
    let watched = serving.clients.filter(|_| here == 0);
    let live = |own: &Arc<Clients>| LiveView::new(own.clone(), signals.interrupted.clone());
    let mut live =
        watched.map(live).transpose().map_err(|cause| Failure::threads("--view", cause))?;
    let mut among_ranks = if size > 1 { live.take().map(RanksView::new) } else { None };
    let mut watches = match (&among_ranks, controller) {
        (Some(view), Some(controller)) => Ok(view.controller(controller)),
        (_, controller) => Err(controller),
    };
    let controller = match &mut watches {
        Ok(own) => Some(own as &mut dyn Controller),
        Err(controller) => controller.as_mut().map(|own| &mut **own as &mut dyn Controller),
    };
    if let Some(live) = &mut live {
        observers.push(live);
    }
    if let Some(view) = &mut among_ranks {
        observers.push(view);
    }
    let mut runner = Runner::with_ranks(ranks, schedule)
        .interrupted_by(signals.interrupted)
        .dismissed_by(signals.dismissed);
    if output.resumes {
        runner = runner.resuming();
    }
    if serving.controlled {
        runner = runner.controlled_by(controller);
    }
    let driven = runner.run(&mut observers);
    let (world, interrupted) = driven.map_err(|error| failure(error, options, here))?;
    drop(observers);
    let enlarged_to = narrator.enlarged_to.filter(|_| interrupted);
    let pacing = pacing.filter(|_| here == 0).map(|own| own.summary());
    Ok(RunResult { world, recorded: recorder.recorded(), interrupted, enlarged_to, html, pacing })
}

/// The failure of this rank from an error of a run.
fn failure(error: RunError<Failure>, options: &RunOptions<'_>, here: usize) -> Failure {
    let RunOptions { ranks: shared, recovery, .. } = *options;
    match error {
        RunError::Ranks(cause) => {
            let good = match shared.restarts {
                true => String::new(),
                false => recovery.recover_after(here, &cause, &mut || ()),
            };
            Failure::Ranks { cause, good }
        }
        // all ranks find the same error
        RunError::Driver { .. } | RunError::Controller { .. } if here > 0 && !shared.apart => {
            Failure::Reported { code: 1 }
        }
        RunError::Driver { .. } | RunError::Controller { .. } => {
            let cause = error.to_string();
            Failure::Run { subject: "run".into(), cause }
        }
        RunError::Terrain(cause) => {
            Failure::Run { subject: "terrain".into(), cause: cause.to_string() }
        }
        RunError::Observer(failure) => failure,
    }
}

/// Checks that the folder is the same one on all ranks, as each writes to it.
fn check_shared_folder(ranks: &mut Ranks<'_>, folder: &Path, apart: bool) -> Result<(), Failure> {
    let seen = FileHash::read(&folder.join(MANIFEST), MANIFEST).ok().map(|own| own.sha256);
    let all = ranks.gather_all("folder", &seen)?;
    match all.iter().position(|own| own.is_none() || *own != all[0]) {
        None => Ok(()),
        Some(_) if ranks.rank() > 0 && !apart => Err(Failure::Reported { code: 1 }),
        Some(rank) => Err(Failure::Run {
            subject: "--parts".into(),
            cause: format!(
                "rank {rank} cannot access the run folder {}; use a folder that all ranks can \
                 write to, or omit --parts",
                folder.display()
            ),
        }),
    }
}

/// Whether ground around vehicles is recorded during the run, together with sensor readings.
fn reads_ground(scenario: &Scenario) -> bool {
    scenario.output.readings && scenario.vehicle.iter().any(|own| !own.sensor.is_empty())
}

/// Prints how vehicles start, the progress of the run, and how drives end.
struct ConsoleObserver<'a> {
    options: RunOptions<'a>,
    first: bool,
    progress: Option<Progress>,
    ended: Vec<bool>,
    /// Number of endings so far.
    told: usize,
    /// Whether the failure of the card (`gave_up`) and a census overrun (`outran`) were reported.
    gave_up: bool,
    outran: bool,
    /// Number of ranks to continue with.
    enlarged_to: Option<usize>,
}

impl<'a> ConsoleObserver<'a> {
    fn new(options: &RunOptions<'a>, first: bool) -> ConsoleObserver<'a> {
        let progress =
            Progress::start(options.scenario.time.duration, options.output.quiet || !first);
        ConsoleObserver {
            options: *options,
            first,
            progress: Some(progress),
            ended: vec![false; options.scenario.vehicle.len()],
            told: 0,
            gave_up: false,
            outran: false,
            enlarged_to: None,
        }
    }

    fn note(&self, line: &str) {
        if let Some(progress) = &self.progress {
            progress.note(line);
        }
    }

    /// Ends the run to continue with one more rank, if requested and possible.
    fn note_joined(&mut self, ranks: usize) {
        if !self.options.signals.enlarged.swap(false, Ordering::Relaxed) {
            return;
        }
        match self.options.ranks.closed {
            _ if !self.first => {}
            Some(cause) => self.note(&format!("SIGUSR2: no rank can join: {cause}")),
            None if ranks >= MOST_RANKS => {
                self.note(&format!(
                    "SIGUSR2: no rank can join: the run already has {ranks} ranks, the maximum"
                ));
            }
            None => {
                self.enlarged_to = Some(ranks + 1);
                self.options.signals.interrupted.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Reports the early end of each drive once.
    fn note_endings(&mut self, world: &World) {
        let agents = world.model().agents.iter().zip(&world.state().agents);
        for (index, (agent, state)) in agents.enumerate() {
            if state.outcome.is_some() && !std::mem::replace(&mut self.ended[index], true) {
                self.told += 1;
                match self.told {
                    ..=MOST_TOLD => self.note(&format!("{}: {}", agent.name, world.outcome(index))),
                    told if told == MOST_TOLD + 1 => {
                        self.note("... more endings: see summary.json")
                    }
                    _ => {}
                }
            }
        }
    }
}

impl Observer<Failure> for ConsoleObserver<'_> {
    fn on_start(&mut self, world: &World, _: &[Sample]) -> Result<(), Failure> {
        if self.options.ranks.stores {
            warn_about_start_conditions(world);
        }
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, Failure> {
        let world = moment.world;
        self.options.timing.tick.store(world.state().tick, Ordering::Relaxed);
        self.note_joined(moment.ranks);
        if let (true, false, Some(agent)) = (self.first, self.outran, moment.metrics.outran) {
            self.outran = true;
            let name = &world.model().agents[agent as usize].name;
            self.note(&format!(
                "--route neighbor: {name} accelerates faster than a census assumes; each such \
                 case triggers another census, and the result is the same"
            ));
        }
        if self.first && !self.options.output.quiet {
            self.note_endings(world);
        }
        if let (Some(cause), false) = (world.gpu_error(), self.gave_up) {
            if self.options.gpu_required {
                return Err(Failure::Run { subject: "--gpu".into(), cause });
            }
            self.gave_up = true;
            self.note(&format!("{cause}; the CPU renders sensors from now on"));
        }
        if let Some(progress) = &mut self.progress {
            progress.update(moment.time);
        }
        Ok(Flow::Continue)
    }

    fn on_end(&mut self, _: &World) -> Result<(), Failure> {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
        Ok(())
    }
}

/// Reports the vehicles that do not start in equilibrium, and how they start.
fn warn_about_start_conditions(world: &World) {
    let others = world
        .start_conditions()
        .iter()
        .filter(|stand| **stand != StartCondition::Equilibrium)
        .count();
    let begun = world.model().agents.iter().zip(world.start_conditions());
    for (agent, stand) in
        begun.filter(|(_, stand)| **stand != StartCondition::Equilibrium).take(MOST_TOLD)
    {
        let begins = match stand {
            StartCondition::Equilibrium => continue,
            StartCondition::Sliding => "start pose is not stable: the vehicle slides from t = 0",
            StartCondition::Unsupported => {
                "no equilibrium at the start pose: the vehicle starts in its design position"
            }
        };
        eprintln!("warning: vehicle {}: {begins}", agent.name);
    }
    if others > MOST_TOLD {
        eprintln!("warning: ... and {} more vehicles", others - MOST_TOLD);
    }
}
