//! Launch modes of a run's ranks: in this process, as connected processes, or under MPI.

use super::Run;
use super::preparation::RunInputs;
use crate::cli::Failure;
#[cfg(feature = "mpi")]
use crate::cli::drive::abort_hook;
use crate::cli::drive::{RunOptions, RunResult, drive};
use crate::cli::processes::ConnectedRank;
use crate::scenario::Scenario;
use crate::scenario::build::BuiltWorld;
use crate::simulation::{Controller, RankError, Ranks, Rebalancing, Sharing, WorldState};
use crate::sync::{Communicator, Loopback, Threads};
use std::time::Duration;

/// The MPI session of the launcher.
#[cfg(feature = "mpi")]
pub(super) type LauncherSession = crate::sync::MpiSession;
/// MPI session, which a build without MPI cannot have.
#[cfg(not(feature = "mpi"))]
pub(super) enum LauncherSession {}

/// The ranks of a run, as seen from this process.
pub(super) enum RankLauncher<'a> {
    /// In this process: a single rank, or one per thread.
    Here(&'a Run),
    /// One of several processes that have connected to each other.
    Processes(&'a Run, ConnectedRank),
    /// One of several processes under MPI.
    #[cfg(feature = "mpi")]
    Mpi(&'a Run, crate::sync::Mpi, &'a LauncherSession),
}

impl<'a> RankLauncher<'a> {
    pub fn new(
        run: &'a Run,
        met: Option<ConnectedRank>,
        session: Option<&'a LauncherSession>,
    ) -> RankLauncher<'a> {
        match (met, session) {
            (Some(met), _) => RankLauncher::Processes(run, met),
            #[cfg(feature = "mpi")]
            (None, Some(session)) => {
                RankLauncher::Mpi(run, session.rank(run.rank_timeout()), session)
            }
            #[cfg(not(feature = "mpi"))]
            (None, Some(session)) => match *session {},
            (None, None) => RankLauncher::Here(run),
        }
    }

    /// Number of processes that share the vehicles.
    pub fn processes(&self) -> usize {
        if let RankLauncher::Here(_) = self { 1 } else { self.size() }
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        match self {
            RankLauncher::Here(run) => run.ranks.into(),
            RankLauncher::Processes(_, met) => met.rank.size(),
            #[cfg(feature = "mpi")]
            RankLauncher::Mpi(_, mpi, _) => mpi.size(),
        }
    }

    /// Reads and builds all that the run needs; the run starts only if all ranks are ready.
    pub fn prepared(&mut self, quiet: bool) -> Result<RunInputs, Failure> {
        let size = self.size();
        match self {
            RankLauncher::Here(run) => {
                if size > 1 && rayon::current_thread_index().is_some() {
                    // this thread is the only worker, so that the other ranks would never run
                    let cause = std::io::ErrorKind::WouldBlock.into();
                    return Err(Failure::threads("--ranks", cause));
                }
                let mut prepared = run.prepared(size, true, quiet)?;
                prepared.place = Some(run.open_output(&prepared)?);
                Ok(prepared)
            }
            RankLauncher::Processes(run, met) => {
                let prepared = run.prepared(size, met.rank.rank() == 0, quiet);
                run.start_on_ranks(&mut met.rank, prepared)
            }
            #[cfg(feature = "mpi")]
            RankLauncher::Mpi(run, mpi, _) => {
                let prepared = run.prepared_under_mpi(size, mpi.rank() == 0, quiet);
                run.start_on_ranks(mpi, prepared)
            }
        }
    }

    /// Drives to the end.
    pub fn drive<'c>(
        self,
        prepared: &PreparedRun<'_>,
        controller: Option<&'c mut dyn Controller>,
        options: &RunOptions<'c>,
    ) -> Result<RunResult, Failure> {
        match self {
            RankLauncher::Here(_) => prepared.drive_here(controller, options),
            RankLauncher::Processes(_, met) => prepared.drive_processes(met, controller, options),
            #[cfg(feature = "mpi")]
            RankLauncher::Mpi(_, mut mpi, session) => {
                mpi.on_loss(abort_hook(options.recovery, mpi.rank(), options.timing.tick));
                prepared.drive_under_mpi(mpi, session, controller, options)
            }
        }
    }
}

/// A run that is ready to be driven by any number of ranks.
pub(super) struct PreparedRun<'a> {
    pub run: &'a Run,
    pub built: &'a BuiltWorld,
    /// The settings that all ranks must share.
    pub agreed: Vec<(String, String)>,
    /// The state from which to resume.
    pub state: Option<WorldState>,
}

impl PreparedRun<'_> {
    fn drive<'a>(
        &self,
        communicator: impl Communicator + 'a,
        controller: Option<&'a mut dyn Controller>,
        options: &RunOptions<'a>,
    ) -> Result<RunResult, Failure> {
        let sharing = self.run.sharing(options.scenario);
        let (model, state) = (self.built.world.clone(), self.state.clone());
        let (agreed, interrupted) = (&self.agreed, options.signals.interrupted);
        let ranks =
            Ranks::interrupted_by(communicator, model, state, &sharing, agreed, interrupted)?;
        drive(ranks, controller, options)
    }

    /// Drives in this process: as a single rank, or one rank per thread with rank 0 on this thread.
    fn drive_here<'a>(
        &self,
        controller: Option<&'a mut dyn Controller>,
        options: &RunOptions<'a>,
    ) -> Result<RunResult, Failure> {
        if self.run.ranks == 1 {
            return self.drive(Loopback::default(), controller, options);
        }
        let mut others = Threads::ranks(self.run.ranks.into(), self.run.rank_timeout()).into_iter();
        let first = others.next().expect("at least one rank");
        std::thread::scope(|scope| {
            let silent = options.for_rank(false);
            let others: Vec<_> = others
                .map(|rank| {
                    let own = move || self.drive(rank, None, &silent).map(|_| ());
                    std::thread::Builder::new().name("rank".into()).spawn_scoped(scope, own)
                })
                .collect::<Result<_, _>>()
                // ranks that have started detect that the others are gone
                .map_err(|cause| Failure::threads("--ranks", cause))?;
            let record = self.drive(first, controller, options);
            for (other, rank) in others.into_iter().zip(1..) {
                match other.join() {
                    Ok(Ok(())) => {}
                    Ok(Err(failure)) if record.is_ok() => return Err(failure),
                    // rank 0 reports shared errors and lost ranks
                    Ok(Err(Failure::Reported { .. })) => {}
                    Ok(Err(Failure::Ranks { cause, .. }))
                        if cause.is_shared() || matches!(cause, RankError::Lost { .. }) => {}
                    Ok(Err(failure)) => eprintln!("rank {rank}: {failure}"),
                    Err(_) => {
                        let subject = format!("rank {rank}");
                        return Err(Failure::Run { subject, cause: "the rank panicked".into() });
                    }
                }
            }
            record
        })
    }

    /// Drives as one of several connected processes.
    ///
    /// The other ranks detect one that cannot continue. Shared errors are reported by rank 0, and
    /// by each process that was started by hand.
    fn drive_processes<'a>(
        &self,
        ConnectedRank { rank, started }: ConnectedRank,
        controller: Option<&'a mut dyn Controller>,
        options: &RunOptions<'a>,
    ) -> Result<RunResult, Failure> {
        let first = rank.rank() == 0;
        let options = options.for_rank(first);
        let driven = self.drive(rank, controller, &options);
        // processes started here end once the connections to them are closed
        drop(started);
        // if rank 0 restarts the run, it also reports the error
        let told = |cause: &RankError| cause.is_shared() || self.run.restarts > 0;
        let leaves_it = !first && !self.run.processes.is_apart();
        driven.map_err(|failure| match &failure {
            Failure::Ranks { cause, .. } if leaves_it && told(cause) => {
                Failure::Reported { code: failure.code() }
            }
            _ => failure,
        })
    }

    /// Drives as one of several processes under MPI.
    ///
    /// A failing rank aborts the job; if every rank fails the same way, only rank 0 reports it.
    #[cfg(feature = "mpi")]
    fn drive_under_mpi<'a>(
        &self,
        mpi: crate::sync::Mpi,
        session: &LauncherSession,
        controller: Option<&'a mut dyn Controller>,
        options: &RunOptions<'a>,
    ) -> Result<RunResult, Failure> {
        let first = mpi.rank() == 0;
        let options = options.for_rank(first);
        self.drive(mpi, controller, &options).map_err(|failure| match &failure {
            Failure::Ranks { cause, .. } if cause.is_shared() && !first => {
                Failure::Reported { code: failure.code() }
            }
            Failure::Ranks { cause, .. } if cause.is_shared() => failure,
            // an error that rank 0 reports for all
            Failure::Reported { .. } => failure,
            _ => {
                eprintln!("{failure}");
                session.abort()
            }
        })
    }
}

impl Run {
    /// Returns the settings of the partition of the world over ranks.
    pub(super) fn sharing(&self, scenario: &Scenario) -> Sharing {
        let Run { partition, route, extrapolate, rebalance, rebalance_by_chance, .. } = self;
        Sharing {
            partition: partition.clone(),
            route: (*route).into(),
            order: (*extrapolate).into(),
            digest: scenario.output.hash_every == 1,
            rebalancing: rebalance
                .map(|every| Rebalancing { every, by_chance: *rebalance_by_chance }),
            // ranks that are threads of one process cannot leave one by one
            leaving: self.ranks == 1,
        }
    }

    /// Maximum time that the other ranks wait for one.
    pub(super) fn rank_timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout)
    }
}
