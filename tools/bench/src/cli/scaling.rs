//! `bekker-bench scaling`

mod figures;
mod table;

use super::{Failure, launcher, print_results};
use crate::scaling::{Formation, GroundKind, ScalingCase, ScalingDrive, ScalingError};
use crate::scaling_cost::{DriveCost, Network};
use bekker::cli::quantity::quantity;
use bekker_ranks::{Observer, RunError};
use bekker_report::manifest::{Build, Machine};
use bekker_report::recorder::Recorder;
use bekker_report::{plot, rundir};
use bekker_sync::{CommError, Threads};
#[cfg(feature = "mpi")]
use bekker_sync::{Communicator, RankBuffers};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Timeout of a rank.
const PATIENCE: Duration = Duration::from_secs(600);

/// Measure the growth of cost with vehicles, ranks and heartbeats, and extrapolate it beyond the
/// number of cores
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker-bench scaling --quick\n  \
    bekker-bench scaling --part vehicles,weak --plots scaling --json > scaling.json\n  \
    mpirun -n 64 bekker-bench scaling --part strong --json\n\n\
    Parts: vehicles (1 to 50 in one process and one a rank, on firm ground and soil), platoon\n\
    (three abreast, rough ground, trees, a camera each), weak (1 to 64 a rank), strong (--agents\n\
    on more and more ranks), heartbeat (2 to 100 ms, against D_H and the drift of a column).\n\
    Ranks are threads of this process with one core at most each; under a launcher of MPI its\n\
    processes are the ranks, and only cases of as many are driven. Every drive is hashed and\n\
    recorded; messages between ranks are counted separately. The model, dashed in plots, is the\n\
    processor time of the busiest rank plus the time of its messages by latency and bandwidth: the\n\
    time with one unshared core for each rank.")]
pub struct BenchScaling {
    /// Parts to measure (default: all)
    #[arg(long = "part", value_name = "PART", value_enum, value_delimiter = ',')]
    parts: Vec<BenchPart>,
    /// Measure the smallest cases once, as a test
    #[arg(long, conflicts_with_all = ["repeats", "seconds", "agents", "most_ranks"])]
    quick: bool,
    /// Number of repetitions of each drive
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = RangedU64ValueParser::<usize>::new().range(1..=100))]
    repeats: usize,
    /// Simulated time of each drive, s
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_negative_numbers = true, value_parser = quantity(0.2..=600.0, "s"))]
    seconds: f64,
    /// Number of vehicles for strong scaling
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = RangedU64ValueParser::<usize>::new().range(1..=65_535))]
    agents: usize,
    /// Maximum number of ranks in this process
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = RangedU64ValueParser::<usize>::new().range(2..=1024))]
    most_ranks: usize,
    /// Latency of the modeled network, s (default: measured)
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = quantity(0.0..=1.0, "s"))]
    latency: Option<f64>,
    /// Bandwidth of the modeled network, bytes/s (default: measured)
    #[arg(long, value_name = "BYTES/S", allow_negative_numbers = true, value_parser = quantity(1e3..=1e15, "bytes/s"))]
    bandwidth: Option<f64>,
    /// Folder for plots, one PNG per part
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(super) enum BenchPart {
    Vehicles,
    Platoon,
    Weak,
    Strong,
    Heartbeat,
}

/// Case and its results.
#[derive(Debug, Serialize)]
struct MeasuredCase {
    part: BenchPart,
    case: ScalingCase,
    /// Wall time over simulated time of each repetition, in order.
    real_time_factors: Vec<f64>,
    /// Median of the factors.
    median: f64,
    /// Modeled factor with one core per rank and no other load, from the CPU time of the fastest
    /// repetition; for a single rank with one core per thread.
    modeled: Option<f64>,
    /// Bytes per heartbeat received by the rank that receives most.
    received: f64,
    /// Bytes per heartbeat sent by all ranks.
    sent: f64,
    /// Maximum number of ranks from which a rank receives in an exchange with some ranks.
    most_heard: u64,
    /// Fraction of the wall time in steps, mean over the ranks.
    share_of_steps: f64,
    ghost_error: f64,
    ghost_bound: f64,
    /// Final position of the last vehicle, m.
    last: [f64; 2],
    hash: String,
    /// Whether all repetitions, also on other ranks, ended with the same bits.
    same_bits: bool,
}

#[derive(Debug, Serialize)]
struct ScalingResults {
    build: Build,
    machine: Machine,
    /// Whether ranks are processes under MPI.
    mpi: bool,
    network: Network,
    measured: Vec<MeasuredCase>,
    plots: Vec<PathBuf>,
}

impl BenchScaling {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        #[cfg(feature = "mpi")]
        if let Some(session) = launcher::session()? {
            let mpi = Box::new(session.rank(PATIENCE));
            return self.measured(&mut RankBackend::Mpi(mpi), quiet);
        }
        #[cfg(not(feature = "mpi"))]
        launcher::check_alone()?;
        self.measured(&mut RankBackend::Here, quiet)
    }

    fn measured(&self, ranked: &mut RankBackend, quiet: bool) -> Result<(), Failure> {
        // fail before the benchmark runs, not after it
        if let Some(folder) = self.plots.as_ref().filter(|_| ranked.is_first()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                format!("--plots {}: cannot create this folder ({error})", folder.display())
            })?;
        }
        let network = ranked.network().map_err(|error| lost(&error))?;
        let network = Network {
            latency: self.latency.unwrap_or(network.latency),
            bandwidth: self.bandwidth.unwrap_or(network.bandwidth),
        };
        let mut measured: Vec<MeasuredCase> = Vec::new();
        let mut drive: Option<ScalingDrive> = None;
        for (part, case) in self.cases(ranked.size()) {
            let ScalingCase { vehicles, ranks, heartbeat, footing, .. } = case;
            if !quiet && ranked.is_first() {
                let on = format!("{footing:?}").to_lowercase();
                eprintln!("{part:?}: {vehicles} on {on}, ranks: {ranks}, {heartbeat} s ...");
            }
            let before = drive.take();
            let drive = drive.insert(match before {
                // same drive on other ranks: its vehicles are already placed
                Some(mut before) if (ScalingCase { ranks, ..before.case }) == case => {
                    before.case = case;
                    before
                }
                _ => case.built(ranked.is_first())?,
            });
            let repeats = if self.quick { 1 } else { self.repeats };
            let costs = (0..repeats).map(|_| ranked.drive(drive)).collect::<Result<Vec<_>, _>>()?;
            measured.push(MeasuredCase::new(part, case, &costs, &network, &measured));
        }
        if !ranked.is_first() {
            return Ok(());
        }
        let mut results = ScalingResults {
            build: Build::current(),
            machine: Machine::current(),
            mpi: ranked.size().is_some(),
            network,
            measured,
            plots: Vec::new(),
        };
        if let Some(folder) = &self.plots {
            for (name, figure) in figures::figures(&results) {
                let path = folder.join(format!("{name}.png"));
                plot::write(&path, &figure)?;
                results.plots.push(path);
            }
        }
        print_results(self.json, &results, || table::text(&results))
    }

    /// Returns the drives of the parts, with `size` ranks if given.
    fn cases(&self, size: Option<usize>) -> Vec<(BenchPart, ScalingCase)> {
        let most = size.unwrap_or(if self.quick { 2 } else { self.most_ranks });
        let up_to = |all: &[usize], quick: &[usize]| -> Vec<usize> {
            if self.quick { quick.to_vec() } else { all.to_vec() }
        };
        let ranks = || match size {
            Some(size) => vec![size],
            None => {
                let all = up_to(&[1, 2, 4, 8, 16, 32, 64], &[1, 2]);
                all.into_iter().filter(|ranks| *ranks <= most).collect()
            }
        };
        let seconds = if self.quick { 0.2 } else { self.seconds };
        let case = |formation, footing, vehicles, ranks| ScalingCase {
            formation,
            footing,
            vehicles,
            ranks,
            heartbeat: 0.01,
            seconds,
        };
        let asked = |part: BenchPart| self.parts.is_empty() || self.parts.contains(&part);
        let mut cases = Vec::new();
        // one process, and one vehicle per rank; under MPI as many vehicles as ranks
        let both =
            |cases: &mut Vec<(BenchPart, ScalingCase)>, part, formation, footing, vehicles| {
                match size {
                    Some(size) => cases.push((part, case(formation, footing, size, size))),
                    None => {
                        cases.push((part, case(formation, footing, vehicles, 1)));
                        if vehicles > 1 && vehicles <= most {
                            cases.push((part, case(formation, footing, vehicles, vehicles)));
                        }
                    }
                }
            };
        let once = |all: Vec<usize>| if size.is_some() { all[..1].to_vec() } else { all };
        for part in BenchPart::value_variants().iter().copied().filter(|part| asked(*part)) {
            match part {
                BenchPart::Vehicles => {
                    for footing in [GroundKind::Firm, GroundKind::Soil] {
                        for vehicles in once(up_to(&[1, 2, 5, 10, 20, 50], &[1, 2])) {
                            both(&mut cases, part, Formation::Abreast, footing, vehicles);
                        }
                    }
                }
                BenchPart::Platoon => {
                    for vehicles in once(up_to(&[3, 6, 12, 24], &[3])) {
                        both(&mut cases, part, Formation::Platoon, GroundKind::Soil, vehicles);
                    }
                }
                BenchPart::Weak => {
                    for each in up_to(&[1, 4, 16, 64], &[1]) {
                        let fits = |ranks: &usize| size.is_some() || each * ranks <= self.agents;
                        for ranks in ranks().into_iter().filter(fits) {
                            let vehicles = each * ranks;
                            cases.push((
                                part,
                                case(Formation::Square, GroundKind::Soil, vehicles, ranks),
                            ));
                        }
                    }
                }
                BenchPart::Strong => {
                    let agents = if self.quick { 4 } else { self.agents };
                    for ranks in ranks().into_iter().filter(|ranks| *ranks <= agents) {
                        cases
                            .push((part, case(Formation::Square, GroundKind::Soil, agents, ranks)));
                    }
                }
                BenchPart::Heartbeat => {
                    let all = [0.002, 0.004, 0.01, 0.02, 0.05, 0.1];
                    let ranks = size.unwrap_or(if self.quick { 2 } else { 4 });
                    for &heartbeat in if self.quick { &all[2..4] } else { &all[..] } {
                        // long enough to form a rut
                        let seconds = if self.quick { 0.2 } else { 4.0 * self.seconds };
                        let case = case(Formation::Column, GroundKind::Soil, ranks.max(2), ranks);
                        cases.push((part, ScalingCase { heartbeat, seconds, ..case }));
                    }
                }
            }
        }
        cases
    }
}

impl MeasuredCase {
    fn new(
        part: BenchPart,
        case: ScalingCase,
        repeats: &[Vec<DriveCost>],
        network: &Network,
        before: &[MeasuredCase],
    ) -> MeasuredCase {
        let factor = |costs: &Vec<DriveCost>| {
            costs.iter().map(|own| own.wall / own.simulated).fold(0.0, f64::max)
        };
        let real_time_factors: Vec<f64> = repeats.iter().map(factor).collect();
        let mut sorted = real_time_factors.clone();
        sorted.sort_by(f64::total_cmp);
        let threads = rayon::current_num_threads().min(case.vehicles);
        let modeled = repeats.iter().filter_map(|costs| network.modeled(costs, threads));
        let all = || repeats.iter().flatten();
        let first = &repeats[0][0];
        let heartbeats = first.heartbeats.max(1) as f64;
        let most = |of: fn(&DriveCost) -> f64| all().map(of).fold(0.0, f64::max);
        let alike = |own: &&MeasuredCase| {
            ScalingCase { ranks: case.ranks, ..own.case } == case && own.part == part
        };
        let other = before.iter().find(alike).map(|own| own.hash.as_str());
        let same = |costs: &Vec<DriveCost>| other.unwrap_or(&first.hash) == costs[0].hash;
        let shares: f64 = all().map(|own| own.steps / own.wall).sum();
        MeasuredCase {
            part,
            case,
            median: sorted[sorted.len() / 2],
            modeled: modeled.min_by(f64::total_cmp),
            received: most(|own| own.counts.received as f64) / heartbeats,
            sent: repeats[0].iter().map(|own| own.counts.sent as f64).sum::<f64>() / heartbeats,
            most_heard: all().map(|own| own.counts.most_heard).max().unwrap_or(0),
            share_of_steps: shares / all().count() as f64,
            ghost_error: most(|own| own.ghost_error),
            ghost_bound: most(|own| own.ghost_bound),
            last: first.last,
            hash: first.hash.clone(),
            same_bits: repeats.iter().all(same),
            real_time_factors,
        }
    }
}

fn lost(error: &CommError) -> Failure {
    format!("ranks: {error}").into()
}

/// Location of the ranks.
enum RankBackend {
    /// Threads of this process.
    Here,
    /// Processes under MPI, including this one.
    #[cfg(feature = "mpi")]
    Mpi(Box<bekker_sync::Mpi>),
}

impl RankBackend {
    /// Returns the number of ranks if it is fixed.
    fn size(&self) -> Option<usize> {
        match self {
            #[cfg(feature = "mpi")]
            RankBackend::Mpi(mpi) => Some(mpi.size()),
            _ => None,
        }
    }

    fn is_first(&self) -> bool {
        match self {
            #[cfg(feature = "mpi")]
            RankBackend::Mpi(mpi) => mpi.rank() == 0,
            _ => true,
        }
    }

    fn network(&mut self) -> Result<Network, CommError> {
        match self {
            #[cfg(feature = "mpi")]
            RankBackend::Mpi(mpi) => Network::measured(&mut **mpi),
            _ => {
                let mut ranks = Threads::ranks(2, PATIENCE);
                let (mut other, mut own) = (ranks.pop().expect("two"), ranks.pop().expect("two"));
                std::thread::scope(|scope| {
                    scope.spawn(move || Network::measured(&mut other));
                    Network::measured(&mut own)
                })
            }
        }
    }

    /// Runs a drive and returns its cost on each rank.
    fn drive(&mut self, drive: &ScalingDrive) -> Result<Vec<DriveCost>, Failure> {
        // one recorder per rank; rank 0 writes to the folder
        let (folder, _lock) = rundir::create_numbered(&std::env::temp_dir(), "bekker-scaling")?;
        let recorder = |rank: usize| -> Box<dyn Observer<Failure> + '_> {
            Box::new(recorder(drive, (rank == 0).then_some(&*folder)))
        };
        let costs = match self {
            #[cfg(feature = "mpi")]
            RankBackend::Mpi(mpi) => {
                let mut own = recorder(mpi.rank());
                let cost = drive.rank(&mut **mpi, &mut *own).map_err(of_run)?;
                gathered(&mut **mpi, &cost).map_err(|error| lost(&error))
            }
            _ => drive.here(&recorder).map_err(|error| match error {
                ScalingError::Case(faults) => faults.into(),
                ScalingError::Run(error) => of_run(error),
                other => format!("threads: {other}").into(),
            }),
        };
        // the recorded data is not used
        let _ = std::fs::remove_dir_all(&folder);
        costs
    }
}

fn recorder<'a>(drive: &'a ScalingDrive, folder: Option<&Path>) -> Recorder<'a> {
    let folder = folder.map(Path::to_owned);
    Recorder::new(&drive.file.scenario, folder, drive.case.ranks, [false, false])
}

fn of_run(error: RunError<Failure>) -> Failure {
    match error {
        RunError::Observer(failure) => failure,
        other => format!("hmmwv: {other}").into(),
    }
}

/// Gathers the results of all ranks on each of them.
#[cfg(feature = "mpi")]
fn gathered(
    communicator: &mut impl Communicator,
    own: &DriveCost,
) -> Result<Vec<DriveCost>, CommError> {
    let mut parts = RankBuffers::default();
    let mine = serde_json::to_vec(own).unwrap_or_default();
    communicator.all_gather(&mine, &mut || (), &mut parts)?;
    Ok(parts.iter().map(|part| serde_json::from_slice(part).unwrap_or_default()).collect())
}
