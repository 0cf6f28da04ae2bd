//! `bekker run`

mod prepared;
mod timings;

use super::drive::{Driven, Plan, drive};
use super::failure::INTERRUPTED;
use super::graphics::Graphics;
use super::interruption::interruption;
use super::results::Results;
use super::{Failure, heartbeats, launcher, stdout};
use crate::report::recorder::Recorded;
use crate::report::recovery::Recovery;
use crate::report::table;
use crate::scenario::build::Built;
use crate::simulation::{OutcomeCode, RankError, Ranks, Route, RunSummary, Sharing, WorldState};
#[cfg(feature = "mpi")]
use crate::sync::MpiSession;
use crate::sync::ghost::Order;
use crate::sync::{Communicator, Loopback, Partition, Threads};
use clap::{Args, Command, FromArgMatches};
use prepared::{Place, Prepared};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// Run a scenario
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker run examples/convoy_mud.toml\n  \
    bekker run examples/single_vehicle.toml --set time.duration=5 --out /tmp/try --force\n  \
    bekker run --resume runs/convoy_mud-1\n\n\
    The run's folder (runs/NAME-N) gets manifest.json, states.parquet, states.csv, ruts.tif,\n\
    picture.png, summary.json, hashes.csv, checkpoint.bin and, where vehicles have sensors,\n\
    sensors.mcap for Foxglove and Rerun; its README.md says more. Ctrl-C writes a checkpoint\n\
    and what there is of the rest; --resume goes on from it, bit for bit as if it had never\n\
    stopped.")]
pub struct Run {
    /// The scenario; with --resume, that of the folder if none is given
    #[arg(required_unless_present = "resume")]
    file: Option<PathBuf>,
    /// Override a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Folder for the results, instead of runs/NAME-N
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Write into a folder that holds something already, in place of what a run left there
    #[arg(long)]
    force: bool,
    /// Threads; as many as there are cores if not given. The result is the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Go on from the checkpoint in this run folder, in the folder itself unless --out
    /// names another (or from a checkpoint of this name)
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    /// Ranks in this process that exchange real messages. The result is the same.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    ranks: u16,
    /// Which rank drives which vehicle: blocks, round-robin, or a rank for each like 0,0,1
    #[arg(long, value_name = "RULE", default_value = "blocks")]
    partition: Partition,
    /// Way of the messages between ranks. The result is the same.
    #[arg(long, value_name = "ROUTE", default_value = "all", value_enum)]
    route: RouteName,
    /// How vehicles of other ranks are extrapolated between heartbeats, for the
    /// error that is reported. The result is the same.
    #[arg(long, value_name = "ORDER", default_value = "first", value_enum)]
    extrapolate: OrderName,
    /// Time after which a rank that does not answer is given up, s
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    timeout: f64,
    /// Simulated time between checkpoints, s
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    checkpoint_every: f64,
    #[command(flatten)]
    graphics: Graphics,
    /// Write trace.json, a timeline for Perfetto or Chrome
    #[arg(long)]
    trace: bool,
    /// Say how long the parts of vehicles that drive themselves took
    #[arg(long)]
    timings: bool,
    /// Do not draw the picture
    #[arg(long)]
    no_picture: bool,
    /// Print the summary as JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Run {
    /// A scenario with these changes, into a folder of its own; all else as without options.
    pub fn of(file: PathBuf, sets: Vec<String>, out: PathBuf) -> Result<Run, clap::Error> {
        let mut words: Vec<OsString> = vec!["run".into(), "--out".into(), out.into()];
        words.extend(sets.into_iter().map(|set| format!("--set={set}").into()));
        words.extend(["--".into(), file.into()]);
        let matches = Run::augment_args(Command::new("run")).try_get_matches_from(words)?;
        Run::from_arg_matches(&matches)
    }

    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        #[cfg(not(feature = "mpi"))]
        {
            launcher::alone()?;
            self.driven(quiet)
        }
        #[cfg(feature = "mpi")]
        {
            let session = launcher::session()?;
            let ended = self.driven(session.as_ref(), quiet);
            // a launcher ends all as soon as one has ended by a code: tell it before that
            if session.is_some() { ended.map_err(Failure::tell) } else { ended }
        }
    }

    /// Drives the scenario and writes the results.
    fn driven(
        &self,
        #[cfg(feature = "mpi")] session: Option<&MpiSession>,
        quiet: bool,
    ) -> Result<(), Failure> {
        let interrupted = interruption()?;
        let tick = Arc::new(AtomicU64::new(0));
        #[cfg(feature = "mpi")]
        let mut mpi = session.map(|s| s.rank(Duration::from_secs_f64(self.timeout)));
        #[cfg(feature = "mpi")]
        let prepared = match &mut mpi {
            Some(mpi) => self.prepared_together(mpi, quiet)?,
            None => self.prepared(true, quiet)?,
        };
        #[cfg(not(feature = "mpi"))]
        let prepared = self.prepared(true, quiet)?;
        let Prepared { file, mut built, agreed, state, place } = prepared;
        let timings = self.timings.then(|| timings::time(&mut built.world));
        let recovery =
            Arc::new(Recovery::new(built.world.clone(), state.clone(), built.decisive.clone()));
        let plan = Plan {
            scenario: &file.scenario,
            recovery: &recovery,
            stores: true,
            quiet,
            resumes: self.in_place().is_some(),
            gpu_required: self.graphics.is_required(),
            interrupted: &interrupted,
            tick: &tick,
            checkpoint_every: self.checkpoint_every,
            trace: self.trace,
        };
        let prepared = PreparedRun { run: self, built: &built, agreed, state };
        let clock = Instant::now();
        if let Some(place) = &place {
            recovery.set_folder(&place.folder);
        }
        #[cfg(feature = "mpi")]
        let driven = match (mpi, session) {
            (Some(mut mpi), Some(session)) => {
                mpi.on_loss(super::drive::last_words(&recovery, mpi.rank(), &tick));
                drive_under_mpi(mpi, session, &prepared, &plan)?
            }
            _ => prepared.drive_here(&plan)?,
        };
        #[cfg(not(feature = "mpi"))]
        let driven = prepared.drive_here(&plan)?;
        let Driven { mut world, recorded, interrupted } = driven;
        let Recorded { files, samples, hits, figures } = recorded;
        let wall = clock.elapsed().as_secs_f64();
        let Some(Place { folder, begun, lock }) = place else {
            // rank 0 writes the record down, and says how it ended
            return if interrupted { Err(Failure::Told { code: INTERRUPTED }) } else { Ok(()) };
        };

        world.publish_all();
        let summary = world.summary(&file.scenario.name, wall);
        let results = Results {
            picture: !self.no_picture,
            file: &file,
            built: &built,
            folder: &folder,
            world: &world,
            samples: &samples,
            hits: &hits,
            recorded: &files,
            summary: &summary,
            begun: &begun,
            interrupted,
        };
        results.write()?;
        drop(lock);
        if figures.len() > 1 && !quiet {
            eprintln!("{}", heartbeats::summary(&figures));
        }
        if self.json {
            stdout::print_json(&summary)?;
        } else {
            stdout::print(&table::summary(&summary, table::TextStyle::of_stdout()))?;
            if let Some(timings) = &timings {
                stdout::print(&timings::table(timings, &summary))?;
            }
            stdout::print(&format!("results in {}", folder.display()))?;
        }
        if interrupted {
            return Err(Failure::Interrupted { folder });
        }
        failed(&summary)
    }
}

/// As one of several processes. One that cannot go on ends all, unless all find so
/// themselves: then rank 0 tells it.
#[cfg(feature = "mpi")]
fn drive_under_mpi(
    mpi: crate::sync::Mpi,
    session: &MpiSession,
    prepared: &PreparedRun<'_>,
    plan: &Plan<'_>,
) -> Result<Driven, Failure> {
    let first = mpi.rank() == 0;
    let driven = prepared.drive(mpi, &Plan { stores: first, quiet: plan.quiet || !first, ..*plan });
    driven.map_err(|failure| match &failure {
        Failure::Ranks { cause, .. } if cause.is_shared() => {
            if first {
                failure
            } else {
                Failure::Told { code: failure.code() }
            }
        }
        _ => {
            eprintln!("{failure}");
            session.abort()
        }
    })
}

/// A run, ready to be driven by any number of ranks.
struct PreparedRun<'a> {
    run: &'a Run,
    built: &'a Built,
    agreed: Vec<(String, String)>,
    state: Option<WorldState>,
}

impl PreparedRun<'_> {
    fn drive(&self, communicator: impl Communicator, plan: &Plan<'_>) -> Result<Driven, Failure> {
        let Run { partition, route, extrapolate, .. } = self.run;
        let (route, order) = ((*route).into(), (*extrapolate).into());
        let sharing = Sharing { partition: partition.clone(), route, order, digest: true };
        let (model, state) = (self.built.world.clone(), self.state.clone());
        let ranks = Ranks::new(communicator, model, state, &sharing, &self.agreed)?;
        drive(ranks, plan)
    }

    /// In this process: alone, or as ranks in a thread each. The first is here.
    fn drive_here(&self, plan: &Plan<'_>) -> Result<Driven, Failure> {
        if self.run.ranks == 1 {
            return self.drive(Loopback::default(), plan);
        }
        let timeout = Duration::from_secs_f64(self.run.timeout);
        let mut others = Threads::ranks(self.run.ranks.into(), timeout).into_iter();
        let first = others.next().expect("at least one rank");
        std::thread::scope(|scope| {
            let silent = Plan { stores: false, quiet: true, ..*plan };
            let others: Vec<_> = others
                .map(|rank| scope.spawn(move || self.drive(rank, &silent).map(|_| ())))
                .collect();
            let record = self.drive(first, plan);
            for (other, rank) in others.into_iter().zip(1..) {
                match other.join() {
                    Ok(Ok(())) => {}
                    Ok(Err(failure)) if record.is_ok() => return Err(failure),
                    // the first rank tells what all find, and who is lost
                    Ok(Err(Failure::Ranks { cause, .. }))
                        if cause.is_shared() || matches!(cause, RankError::Lost { .. }) => {}
                    Ok(Err(failure)) => eprintln!("rank {rank}: {failure}"),
                    Err(_) => {
                        let subject = format!("rank {rank}");
                        return Err(Failure::Run { subject, cause: "it panicked".into() });
                    }
                }
            }
            record
        })
    }
}

/// Way of the messages, as given on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum RouteName {
    /// Everything to everyone at once
    All,
    /// Everything to rank 0, which sends it on
    Star,
    /// Only between ranks whose vehicles may meet
    Neighbour,
}

impl From<RouteName> for Route {
    fn from(name: RouteName) -> Route {
        match name {
            RouteName::All => Route::All,
            RouteName::Star => Route::Star,
            RouteName::Neighbour => Route::Neighbour,
        }
    }
}

/// Order of extrapolation, as given on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum OrderName {
    /// They stay where they were
    Constant,
    /// They keep their velocity
    First,
    /// They keep their acceleration
    Second,
}

impl From<OrderName> for Order {
    fn from(name: OrderName) -> Order {
        match name {
            OrderName::Constant => Order::Constant,
            OrderName::First => Order::First,
            OrderName::Second => Order::Second,
        }
    }
}

/// A positive, finite time, s.
fn seconds(text: &str) -> Result<f64, String> {
    let time: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    // far above any run, far below what a clock overflows at
    if time > 0.0 && time <= 1e9 { Ok(time) } else { Err("must be from 0 to 1e9 s".into()) }
}

/// A vehicle without a finite state makes the run a failure; the others' ways of
/// ending are results.
fn failed(summary: &RunSummary) -> Result<(), Failure> {
    for vehicle in &summary.vehicles {
        if vehicle.outcome.code == OutcomeCode::Failed {
            let cause = vehicle.outcome.to_string();
            return Err(Failure::Run { subject: vehicle.name.clone(), cause });
        }
    }
    Ok(())
}
