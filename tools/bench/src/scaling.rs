//! Cost of many vehicles: growth with vehicles, ranks and the heartbeat interval.
//!
//! Every drive equals a run of `bekker run`, with hashes and, if the caller provides one, a
//! recorder. Traffic is counted in the communicator, so the count is complete. Times are from the
//! first heartbeat to the last; placing the vehicles is excluded.

use crate::scaling_cost::{CostObserver, CountingCommunicator, DriveCost};
use bekker_ranks::{
    MessageRoute, Observer, RankError, Ranks, RunError, RunSchedule, Runner, Sharing,
};
use bekker_scenario::build::world;
use bekker_scenario::{Diagnostics, ScenarioFile};
use bekker_sync::{Communicator, Loopback, Threads};
use bekker_world::{NAMED_AGENTS, World, WorldModel, WorldState};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Distances between lanes, between vehicles of a lane, and between vehicles of a column, m.
const LANE: f64 = 15.6;
const BEHIND: f64 = 20.0;
const IN_COLUMN: f64 = 12.0;
/// Timeout of a rank of a benchmark.
const PATIENCE: Duration = Duration::from_secs(600);

/// Arrangement of the vehicles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Formation {
    /// Abreast.
    Abreast,
    /// Three abreast over rough ground among trees, each with a camera and an IMU.
    Platoon,
    /// In a square, row by row.
    Square,
    /// In a column in one rut.
    Column,
}

/// Ground of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroundKind {
    /// Firm ground, steps of 1 ms.
    Firm,
    /// The reference's medium soil with nodes 5 cm apart, steps of 2 ms.
    Soil,
}

/// Parameters of a drive of HMMWVs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingCase {
    /// Arrangement of the vehicles.
    pub formation: Formation,
    /// Ground.
    pub footing: GroundKind,
    /// Number of vehicles.
    pub vehicles: usize,
    /// Number of ranks.
    pub ranks: usize,
    /// Heartbeat interval, s.
    pub heartbeat: f64,
    /// Simulated time, s.
    pub seconds: f64,
}

/// Reason why a drive failed.
#[derive(Debug, thiserror::Error)]
pub enum ScalingError<E> {
    /// The scenario cannot be built.
    #[error(transparent)]
    Case(#[from] Diagnostics),
    /// Threads cannot be started.
    #[error("cannot start {threads} threads: {cause}")]
    Threads {
        /// Number of threads.
        threads: usize,
        /// Error of the system.
        cause: String,
    },
    /// A rank is lost, or its observer failed.
    #[error("{0}")]
    Run(RunError<E>),
}

impl<E> From<RankError> for ScalingError<E> {
    fn from(error: RankError) -> ScalingError<E> {
        ScalingError::Run(error.into())
    }
}

/// Case that is built once and can be driven repeatedly.
#[derive(Clone, Debug)]
pub struct ScalingDrive {
    /// Parameters of the drive.
    pub case: ScalingCase,
    /// Scenario, as read from a file.
    pub file: ScenarioFile,
    model: WorldModel,
    /// State with the vehicles placed, on the process that starts the run.
    start: Option<WorldState>,
}

impl ScalingCase {
    /// Returns the text of the scenario.
    fn text(&self) -> String {
        let (step, soil) = match self.footing {
            GroundKind::Firm => (0.001, "firm"),
            GroundKind::Soil => (0.002, "chrono_mid"),
        };
        let rough = self.formation == Formation::Platoon;
        let mut text = format!(
            "format = 1\nname = \"scaling\"\nseed = 1\n[time]\nduration = {}\nstep = {step}\n\
             heartbeat = {}\n[soil]\ndefault = \"{soil}\"\n[ground]\nspacing = 0.05\n\
             laws = \"reference\"\n[output]\ninterval = {}\n{}",
            self.seconds,
            self.heartbeat,
            self.heartbeat.max(0.1).min(self.seconds),
            if rough { "[terrain]\nroughness = \"D\"\n" } else { "" }
        );
        if rough {
            text += "[[scenery]]\nkind = \"pine\"\ncount = 60\narea = [-60, -90, 160, 120]\n\
                     solid = false\n";
        }
        let side = (self.vehicles as f64).sqrt().ceil() as usize;
        for index in 0..self.vehicles {
            let at = |row: usize, lane: usize| [-BEHIND * row as f64, LANE * lane as f64];
            let [x, y] = match self.formation {
                Formation::Abreast => at(0, index),
                Formation::Platoon => at(index / 3, index % 3),
                Formation::Square => at(index / side, index % side),
                Formation::Column => [-IN_COLUMN * index as f64, 0.0],
            };
            let driver = match (self.formation, index) {
                (Formation::Column, 0) => {
                    "{ kind = \"path\", speed = 5, waypoints = [[0, 0], [300, 0]] }".to_owned()
                }
                (Formation::Column, _) => {
                    format!("{{ kind = \"follow\", leader = \"v{}\" }}", index - 1)
                }
                _ => "{ kind = \"table\", rows = [{ time = 0, throttle = 0.5 }] }".to_owned(),
            };
            // writing to a string cannot fail
            let _ = write!(
                text,
                "[[vehicle]]\nname = \"v{index}\"\nmodel = \"hmmwv\"\ntire = \"rigid\"\n\
                 position = [{x:?}, {y:?}]\nspeed = 5\ndriver = {driver}\n"
            );
            if rough {
                text += "[[vehicle.sensor]]\nname = \"imu\"\nrate = 100\nmodel = { kind = \"imu\" }\n\
                         [[vehicle.sensor]]\nname = \"camera\"\nrate = 5\nposition = [0, 0, 1.5]\n\
                         model = { kind = \"camera\", width = 160, height = 90 }\n";
            }
        }
        text
    }

    /// Builds the case; places the vehicles if this process `begins` the run.
    ///
    /// # Errors
    /// [`Diagnostics`] of a case that is not a valid scenario.
    pub fn built(&self, begins: bool) -> Result<ScalingDrive, Diagnostics> {
        let file = ScenarioFile::parse("scaling", &self.text(), Path::new(""), &[])?;
        let model = world(&file)?.world;
        let start = begins.then(|| World::new(model.clone()).state().clone());
        Ok(ScalingDrive { case: *self, file, model, start })
    }
}

impl ScalingDrive {
    /// Runs this rank's part of the drive.
    ///
    /// # Errors
    /// [`RunError`] when a rank is lost or the observer fails.
    pub fn rank<C: Communicator, E>(
        &self,
        communicator: &mut C,
        observer: &mut dyn Observer<E>,
    ) -> Result<DriveCost, RunError<E>> {
        let looks = self.model.scene_model.is_some();
        // imaging sensors need the states of all vehicles
        let route = if looks { MessageRoute::All } else { MessageRoute::Neighbor };
        let sharing = Sharing { route, digest: true, ..Sharing::default() };
        let counting = CountingCommunicator::new(communicator);
        let alone = counting.size() == 1;
        let mut watch = CostObserver::new(counting.counts(), alone, self.case.seconds);
        let ranks = Ranks::new(counting, self.model.clone(), self.start.clone(), &sharing, &[])?;
        let schedule = RunSchedule {
            hash_every: Some(1),
            hash_agents: self.model.agents.len() <= NAMED_AGENTS,
            sample_every: self.file.scenario.output.interval,
            ..RunSchedule::until(self.case.seconds)
        };
        let (world, _) = Runner::with_ranks(ranks, schedule).run(&mut [observer, &mut watch])?;
        Ok(watch.cost(&world))
    }

    /// Runs the drive in this process: on all cores without ranks, or with one thread per rank.
    ///
    /// `observer` creates the observer of each rank.
    ///
    /// # Errors
    /// [`ScalingError`] when threads cannot be started or a drive fails.
    pub fn here<'o, E: Send>(
        &self,
        observer: &(dyn Fn(usize) -> Box<dyn Observer<E> + 'o> + Sync),
    ) -> Result<Vec<DriveCost>, ScalingError<E>> {
        if self.case.ranks == 1 {
            let cost = self.rank(&mut Loopback::default(), &mut *observer(0));
            return Ok(vec![cost.map_err(ScalingError::Run)?]);
        }
        let of_rank = |mut communicator: Threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let pool =
                pool.map_err(|e| ScalingError::Threads { threads: 1, cause: e.to_string() })?;
            let rank = communicator.rank();
            pool.install(|| self.rank(&mut communicator, &mut *observer(rank)))
                .map_err(ScalingError::Run)
        };
        let of_rank = &of_rank;
        std::thread::scope(|scope| {
            let ranks = Threads::ranks(self.case.ranks, PATIENCE).into_iter();
            let threads: Vec<_> = ranks.map(|rank| scope.spawn(move || of_rank(rank))).collect();
            let ended = threads.into_iter().map(|thread| thread.join());
            ended.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        })
    }
}
