//! How the ranks of a run were launched: here, as processes that meet, or under MPI.

use super::Run;
use super::prepared::Prepared;
use crate::cli::Failure;
#[cfg(feature = "mpi")]
use crate::cli::drive::last_words;
use crate::cli::drive::{Driven, Plan, drive};
use crate::cli::processes::Met;
use crate::scenario::Scenario;
use crate::scenario::build::Built;
use crate::simulation::{Controller, RankError, Ranks, Rebalancing, Sharing, WorldState};
use crate::sync::{Communicator, Loopback, Threads};
use std::time::Duration;

/// The launcher's session.
#[cfg(feature = "mpi")]
pub(super) type Session = crate::sync::MpiSession;
/// There is none in a build without MPI.
#[cfg(not(feature = "mpi"))]
pub(super) enum Session {}

/// The ranks of a run, as this process sees them.
pub(super) enum Launched<'a> {
    /// In this process: one, or as threads.
    Here(&'a Run),
    /// One of several processes that have met.
    Processes(&'a Run, Met),
    /// One of several processes under MPI.
    #[cfg(feature = "mpi")]
    Mpi(&'a Run, crate::sync::Mpi, &'a Session),
}

impl<'a> Launched<'a> {
    pub fn new(run: &'a Run, met: Option<Met>, session: Option<&'a Session>) -> Launched<'a> {
        match (met, session) {
            (Some(met), _) => Launched::Processes(run, met),
            #[cfg(feature = "mpi")]
            (None, Some(session)) => Launched::Mpi(run, session.rank(run.patience()), session),
            #[cfg(not(feature = "mpi"))]
            (None, Some(session)) => match *session {},
            (None, None) => Launched::Here(run),
        }
    }

    /// How many processes share the vehicles.
    pub fn processes(&self) -> usize {
        if let Launched::Here(_) = self { 1 } else { self.size() }
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        match self {
            Launched::Here(run) => run.ranks.into(),
            Launched::Processes(_, met) => met.rank.size(),
            #[cfg(feature = "mpi")]
            Launched::Mpi(_, mpi, _) => mpi.size(),
        }
    }

    /// Reads and builds all that the run needs: all ranks are ready, or none begins.
    pub fn prepared(&mut self, quiet: bool) -> Result<Prepared, Failure> {
        let size = self.size();
        match self {
            Launched::Here(run) => {
                if size > 1 && rayon::current_thread_index().is_some() {
                    // the only worker is this thread, which the other ranks would wait for
                    let cause = std::io::ErrorKind::WouldBlock.into();
                    return Err(Failure::threads("--ranks", cause));
                }
                let mut prepared = run.prepared(size, true, quiet)?;
                prepared.place = Some(run.place(&prepared)?);
                Ok(prepared)
            }
            Launched::Processes(run, met) => {
                let prepared = run.prepared(size, met.rank.rank() == 0, quiet);
                run.begun_among(&mut met.rank, prepared)
            }
            #[cfg(feature = "mpi")]
            Launched::Mpi(run, mpi, _) => {
                let prepared = run.prepared_under_mpi(size, mpi.rank() == 0, quiet);
                run.begun_among(mpi, prepared)
            }
        }
    }

    /// Drives to the end.
    pub fn drive<'c>(
        self,
        prepared: &PreparedRun<'_>,
        controller: Option<&'c mut dyn Controller>,
        plan: &Plan<'c>,
    ) -> Result<Driven, Failure> {
        match self {
            Launched::Here(_) => prepared.drive_here(controller, plan),
            Launched::Processes(_, met) => prepared.drive_among(met, controller, plan),
            #[cfg(feature = "mpi")]
            Launched::Mpi(_, mut mpi, session) => {
                mpi.on_loss(last_words(plan.recovery, mpi.rank(), plan.tick));
                prepared.drive_under_mpi(mpi, session, controller, plan)
            }
        }
    }
}

/// A run, ready to be driven by any number of ranks.
pub(super) struct PreparedRun<'a> {
    pub run: &'a Run,
    pub built: &'a Built,
    /// What ranks must have in common.
    pub agreed: Vec<(String, String)>,
    /// The state to go on from.
    pub state: Option<WorldState>,
}

impl PreparedRun<'_> {
    fn drive<'a>(
        &self,
        communicator: impl Communicator + 'a,
        controller: Option<&'a mut dyn Controller>,
        plan: &Plan<'a>,
    ) -> Result<Driven, Failure> {
        let sharing = self.run.sharing(plan.scenario);
        let (model, state) = (self.built.world.clone(), self.state.clone());
        let agreed = (&sharing, &self.agreed[..]);
        let ranks = Ranks::interrupted_by(communicator, model, state, agreed, plan.interrupted)?;
        drive(ranks, controller, plan)
    }

    /// In this process: alone, or as ranks in a thread each. The first is here.
    fn drive_here<'a>(
        &self,
        controller: Option<&'a mut dyn Controller>,
        plan: &Plan<'a>,
    ) -> Result<Driven, Failure> {
        if self.run.ranks == 1 {
            return self.drive(Loopback::default(), controller, plan);
        }
        let mut others = Threads::ranks(self.run.ranks.into(), self.run.patience()).into_iter();
        let first = others.next().expect("at least one rank");
        std::thread::scope(|scope| {
            let silent = Plan { stores: false, quiet: true, ..*plan };
            let others: Vec<_> = others
                .map(|rank| {
                    let own = move || self.drive(rank, None, &silent).map(|_| ());
                    std::thread::Builder::new().name("rank".into()).spawn_scoped(scope, own)
                })
                .collect::<Result<_, _>>()
                // those that have started find the others gone
                .map_err(|cause| Failure::threads("--ranks", cause))?;
            let record = self.drive(first, controller, plan);
            for (other, rank) in others.into_iter().zip(1..) {
                match other.join() {
                    Ok(Ok(())) => {}
                    Ok(Err(failure)) if record.is_ok() => return Err(failure),
                    // the first rank tells what all find, and who is lost
                    Ok(Err(Failure::Reported { .. })) => {}
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

    /// As one of several processes that have met. The others notice one that cannot go on; what
    /// all find themselves rank 0 tells, and each that is started by hand.
    fn drive_among<'a>(
        &self,
        Met { rank, started }: Met,
        controller: Option<&'a mut dyn Controller>,
        plan: &Plan<'a>,
    ) -> Result<Driven, Failure> {
        let first = rank.rank() == 0;
        let plan = Plan { stores: first, quiet: plan.quiet || !first, ..*plan };
        let driven = self.drive(rank, controller, &plan);
        // those that were started here end once the connections to them are closed
        drop(started);
        // where the first goes on by itself, it tells
        let told = |cause: &RankError| cause.is_shared() || self.run.restarts > 0;
        let leaves_it = !first && !self.run.processes.is_apart();
        driven.map_err(|failure| match &failure {
            Failure::Ranks { cause, .. } if leaves_it && told(cause) => {
                Failure::Reported { code: failure.code() }
            }
            _ => failure,
        })
    }

    /// As one of several processes under MPI. One that cannot go on ends all, unless all find so
    /// themselves: then rank 0 tells it.
    #[cfg(feature = "mpi")]
    fn drive_under_mpi<'a>(
        &self,
        mpi: crate::sync::Mpi,
        session: &Session,
        controller: Option<&'a mut dyn Controller>,
        plan: &Plan<'a>,
    ) -> Result<Driven, Failure> {
        let first = mpi.rank() == 0;
        let plan = Plan { stores: first, quiet: plan.quiet || !first, ..*plan };
        self.drive(mpi, controller, &plan).map_err(|failure| match &failure {
            Failure::Ranks { cause, .. } if cause.is_shared() && !first => {
                Failure::Reported { code: failure.code() }
            }
            Failure::Ranks { cause, .. } if cause.is_shared() => failure,
            // what the first rank tells for all
            Failure::Reported { .. } => failure,
            _ => {
                eprintln!("{failure}");
                session.abort()
            }
        })
    }
}

impl Run {
    /// How ranks share the world.
    pub(super) fn sharing(&self, scenario: &Scenario) -> Sharing {
        let Run { partition, route, extrapolate, rebalance, rebalance_by_chance, .. } = self;
        Sharing {
            partition: partition.clone(),
            route: (*route).into(),
            order: (*extrapolate).into(),
            digest: scenario.output.hash_every == 1,
            rebalancing: rebalance
                .map(|every| Rebalancing { every, by_chance: *rebalance_by_chance }),
            // ranks that are threads of one process cannot be wanted back one by one
            leaving: self.ranks == 1,
        }
    }

    /// How long a rank may keep the others waiting.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs_f64(self.timeout)
    }
}
