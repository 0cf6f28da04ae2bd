//! Drives a world, alone or as one rank of several, and says what people want to hear.

use super::Failure;
use super::foxglove_feed::FoxgloveFeed;
use super::processes::MOST_RANKS;
use super::results::MANIFEST;
use crate::geodesy::Site;
use crate::link::{FoxgloveServer, Pacing};
use crate::report::manifest::FileHash;
use crate::report::progress::Progress;
use crate::report::record::GROUND_INTERVAL;
use crate::report::recorder::{Recorded, Recorder};
use crate::report::recovery::Recovery;
use crate::scenario::Scenario;
use crate::simulation::{
    Controller, Flow, Moment, NAMED_AGENTS, Observer, PacingSummary, Ranks, RunError, Runner,
    Sample, Schedule, Stand, World,
};
use crate::view::{Clients, HtmlFile, LiveView, RanksView, View};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use crate::report::recovery::CHECKPOINT;

/// Most vehicles of which it is said how they begin, and how they end, while the run goes on.
const MOST_TOLD: usize = 20;

/// What to drive and what to leave behind.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Where on the earth its world is.
    pub site: Option<Site>,
    /// What to do when a rank is lost; it knows the folder of the run.
    pub recovery: &'a Arc<Recovery>,
    /// Whether the record in the folder is gone on with.
    pub resumes: bool,
    /// Whether this rank tells what is so of all.
    pub stores: bool,
    /// No progress, no remarks.
    pub quiet: bool,
    /// Whether it is an error if the graphics card gives up.
    pub gpu_required: bool,
    /// Raised to end the run early.
    pub interrupted: &'a Arc<AtomicBool>,
    /// Raised to have this rank leave the others.
    pub dismissed: &'a AtomicBool,
    /// Raised to have a rank more, ...
    pub enlarged: &'a AtomicBool,
    /// ... and why there cannot be, where that is so.
    pub closed: Option<&'a str>,
    /// The tick reached, for last words.
    pub tick: &'a Arc<AtomicU64>,
    /// Simulated time between checkpoints, s.
    pub checkpoint_every: f64,
    /// Whether a timeline is written.
    pub trace: bool,
    /// Who watches, if somebody does.
    pub clients: Option<&'a Arc<Clients>>,
    /// Who tells clients of Foxglove, if somebody does.
    pub foxglove: Option<&'a FoxgloveServer>,
    /// What is to be left as one page, if it is.
    pub html: Option<&'a View>,
    /// Whether the first rank has who speaks to it from outside.
    pub served: bool,
    /// Whether the ground around vehicles is told to those.
    pub tells_ground: bool,
    /// Simulated over wall time that the run keeps to, if it is to; and what is raised when it
    /// stood still on purpose.
    pub realtime: Option<f64>,
    pub stood: Option<&'a AtomicBool>,
    /// Whether ranks that are lost are made good for by going on from the last checkpoint.
    pub restarts: bool,
    /// Whether each rank writes its own part of record and checkpoints.
    pub parts: bool,
    /// Whether this rank tells what all find even if it is not the first, whose words are not seen
    /// where it is.
    pub apart: bool,
}

/// What a run leaves on one rank; the samples and hashes of all are on rank 0.
#[derive(Debug)]
pub struct Driven {
    /// The world at its end; complete on rank 0.
    pub world: World,
    /// What was taken down.
    pub recorded: Recorded,
    /// Whether it was ended early, as a signal to any rank does.
    pub interrupted: bool,
    /// Of how many ranks the run is to go on, where it was ended to have one more.
    pub enlarged_to: Option<usize>,
    /// The run as one page.
    pub html: Option<HtmlFile>,
    /// How it kept to the clock, where it was to.
    pub pacing: Option<PacingSummary>,
}

/// What the last words of a rank that cannot return from where it notices are.
#[cfg(feature = "mpi")]
pub fn last_words(
    recovery: &Arc<Recovery>,
    here: usize,
    tick: &Arc<AtomicU64>,
) -> crate::sync::LastWords {
    use std::io::Write;
    let (recovery, tick) = (recovery.clone(), tick.clone());
    Box::new(move |source, at_work| {
        let tick = tick.load(Ordering::Relaxed);
        let lost = crate::simulation::RankError::Lost { tick, source: source.clone() };
        let good = recovery.make_good(here, &lost, at_work);
        // in one write, so that the lines of ranks that speak at once do not mingle
        let _ = std::io::stderr().write_all(format!("rank {here}: {lost}{good}\n").as_bytes());
    })
}

/// Drives to the end, or until a rank is interrupted; the first rank with who speaks for those
/// outside.
pub fn drive<'a>(
    mut ranks: Ranks<'a>,
    controller: Option<&'a mut dyn Controller>,
    plan: &Plan<'a>,
) -> Result<Driven, Failure> {
    let (here, size) = (ranks.rank(), ranks.size());
    // as the system's words: names of folders need not be UTF-8
    let own = plan.recovery.folder().map(|folder| folder.clone().into_os_string());
    let folders = ranks.gathered("folder", &own)?;
    folders.iter().flatten().for_each(|folder| plan.recovery.set_folder(Path::new(folder)));
    plan.tick.store(ranks.world().state().tick, Ordering::Relaxed);
    let reads_ground = plan.tells_ground || (!plan.parts && reads_ground(plan.scenario));
    let schedule = Schedule {
        duration: plan.scenario.time.duration,
        sample_every: plan.scenario.output.interval,
        checkpoint_every: Some(plan.checkpoint_every),
        hash_every: Some(plan.scenario.output.hash_every),
        hash_agents: plan.scenario.vehicle.len() <= NAMED_AGENTS,
        ground_every: reads_ground.then_some(GROUND_INTERVAL),
        world_every: plan.html.map(|_| HtmlFile::FRAMES),
        views: true,
        parts: plan.parts,
    };
    let folder = plan.recovery.folder().cloned();
    let own = folder.clone().filter(|_| here == 0);
    let recorder = Recorder::new(plan.scenario, own, size, [plan.resumes, plan.trace]);
    let mut recorder = recorder.with_site(plan.site);
    if let (true, Some(folder)) = (plan.parts, folder) {
        see_folder(&mut ranks, &folder, plan.apart)?;
        recorder = recorder.in_parts(folder, here);
    }
    let mut checkpoints = plan.recovery.checkpoints(here);
    let mut narrator = Narrator::new(plan, here == 0);
    let mut observers: Vec<&mut dyn Observer<Failure>> = vec![&mut recorder];
    if plan.parts || here == 0 {
        observers.push(&mut checkpoints);
    }
    observers.push(&mut narrator);
    let mut html = plan.html.filter(|_| here == 0).cloned().map(HtmlFile::new).transpose()?;
    if let Some(html) = &mut html {
        observers.push(html);
    }
    let mut foxglove = plan.foxglove.filter(|_| here == 0).map(FoxgloveFeed::new);
    if let Some(foxglove) = &mut foxglove {
        observers.push(foxglove);
    }
    let mut pacing = plan.realtime.map(|factor| Pacing::new(factor, plan.stood));
    if let Some(pacing) = &mut pacing {
        // what is done before it is part of the heartbeat
        observers.push(pacing);
    }
    // the last: it holds the run while who watches wants it to
    let watched = plan.clients.filter(|_| here == 0);
    let live = |own: &Arc<Clients>| LiveView::new(own.clone(), plan.interrupted.clone());
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
    let mut runner = Runner::among(ranks, schedule)
        .interrupted_by(plan.interrupted)
        .dismissed_by(plan.dismissed);
    if plan.resumes {
        runner = runner.resuming();
    }
    if plan.served {
        runner = runner.controlled_by(controller);
    }
    let driven = runner.run(&mut observers);
    let (world, interrupted) = driven.map_err(|error| match error {
        RunError::Ranks(cause) => {
            let good = match plan.restarts {
                true => String::new(),
                false => plan.recovery.make_good(here, &cause, &mut || ()),
            };
            Failure::Ranks { cause, good }
        }
        // all find the same
        RunError::Driver { .. } | RunError::Controller { .. } if here > 0 && !plan.apart => {
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
    })?;
    drop(observers);
    let enlarged_to = narrator.enlarged_to.filter(|_| interrupted);
    let pacing = pacing.filter(|_| here == 0).map(|own| own.summary());
    Ok(Driven { world, recorded: recorder.recorded(), interrupted, enlarged_to, html, pacing })
}

/// Makes sure that the folder of this name is the same one on all ranks: each is to write there.
fn see_folder(ranks: &mut Ranks<'_>, folder: &Path, apart: bool) -> Result<(), Failure> {
    let seen = FileHash::of(&folder.join(MANIFEST), MANIFEST).ok().map(|own| own.sha256);
    let all = ranks.gathered("folder", &seen)?;
    match all.iter().position(|own| own.is_none() || *own != all[0]) {
        None => Ok(()),
        Some(_) if ranks.rank() > 0 && !apart => Err(Failure::Reported { code: 1 }),
        Some(rank) => Err(Failure::Run {
            subject: "--parts".into(),
            cause: format!(
                "rank {rank} does not see the run's folder {}: it must lie where all ranks write, \
                 or leave --parts away",
                folder.display()
            ),
        }),
    }
}

/// Whether ground around vehicles is taken down on the way: with the readings of sensors.
fn reads_ground(scenario: &Scenario) -> bool {
    scenario.output.readings && scenario.vehicle.iter().any(|own| !own.sensor.is_empty())
}

/// Says what happens: how vehicles start, how far the run has got, how drives end.
struct Narrator<'a> {
    plan: Plan<'a>,
    first: bool,
    progress: Option<Progress>,
    ended: Vec<bool>,
    /// How many endings there were.
    told: usize,
    /// Whether it has been said that the card gave up, and that a vehicle outran a census.
    gave_up: bool,
    outran: bool,
    /// Of how many ranks the run is to go on.
    enlarged_to: Option<usize>,
}

impl<'a> Narrator<'a> {
    fn new(plan: &Plan<'a>, first: bool) -> Narrator<'a> {
        let progress = Progress::start(plan.scenario.time.duration, plan.quiet || !first);
        Narrator {
            plan: *plan,
            first,
            progress: Some(progress),
            ended: vec![false; plan.scenario.vehicle.len()],
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

    /// Ends the run, to go on with a rank more, where one is asked for and there can be one.
    fn enlarge(&mut self, ranks: usize) {
        if !self.plan.enlarged.swap(false, Ordering::Relaxed) {
            return;
        }
        match self.plan.closed {
            _ if !self.first => {}
            Some(cause) => self.note(&format!("SIGUSR2: no rank can join: {cause}")),
            None if ranks >= MOST_RANKS => {
                self.note(&format!("SIGUSR2: no rank can join: there are {ranks}, the most"));
            }
            None => {
                self.enlarged_to = Some(ranks + 1);
                self.plan.interrupted.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Says once of each vehicle that its drive has ended early.
    fn note_endings(&mut self, world: &World) {
        let agents = world.model().agents.iter().zip(&world.state().agents);
        for (index, (agent, state)) in agents.enumerate() {
            if state.outcome.is_some() && !std::mem::replace(&mut self.ended[index], true) {
                self.told += 1;
                match self.told {
                    ..=MOST_TOLD => self.note(&format!("{}: {}", agent.name, world.outcome(index))),
                    told if told == MOST_TOLD + 1 => self.note("... and others, in summary.json"),
                    _ => {}
                }
            }
        }
    }
}

impl Observer<Failure> for Narrator<'_> {
    fn on_start(&mut self, world: &World, _: &[Sample]) -> Result<(), Failure> {
        if self.plan.stores {
            tell_of_starts(world);
        }
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &Moment<'_>) -> Result<Flow, Failure> {
        let world = moment.world;
        self.plan.tick.store(world.state().tick, Ordering::Relaxed);
        self.enlarge(moment.ranks);
        if let (true, false, Some(agent)) = (self.first, self.outran, moment.figures.outran) {
            self.outran = true;
            let name = &world.model().agents[agent as usize].name;
            self.note(&format!(
                "--route neighbour: {name} speeds up harder than a census allows for; another \
                 is held whenever that is so, and the result is the same"
            ));
        }
        if self.first && !self.plan.quiet {
            self.note_endings(world);
        }
        if let (Some(cause), false) = (world.lost_gpu(), self.gave_up) {
            if self.plan.gpu_required {
                return Err(Failure::Run { subject: "--gpu".into(), cause });
            }
            self.gave_up = true;
            self.note(&format!("{cause}; the processor looks from here on"));
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

/// Says which vehicles do not begin in equilibrium, and how they begin.
fn tell_of_starts(world: &World) {
    let others = world.stands().iter().filter(|stand| **stand != Stand::Still).count();
    let begun = world.model().agents.iter().zip(world.stands());
    for (agent, stand) in begun.filter(|(_, stand)| **stand != Stand::Still).take(MOST_TOLD) {
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
    if others > MOST_TOLD {
        eprintln!("warning: ... and {} other vehicles so", others - MOST_TOLD);
    }
}
