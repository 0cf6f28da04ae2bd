//! What many vehicles cost: how it grows with vehicles, ranks and the length of heartbeats.
//!
//! Every drive is one that `bekker run` could make, with hashes and, if the caller gives one, a
//! record. What ranks send is counted outside of them, so that nothing is left out. Times are
//! taken from the first heartbeat to the last: vehicles are set down before.

use crate::scaling_cost::{Counting, DriveCost, Watch};
use bekker_ranks::{Observer, RankError, Ranks, Route, RunError, Runner, Schedule, Sharing};
use bekker_scenario::build::world;
use bekker_scenario::{Faults, ScenarioFile};
use bekker_sync::{Communicator, Loopback, Threads};
use bekker_world::{NAMED_AGENTS, World, WorldModel, WorldState};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Distance of lanes and of vehicles behind one another, m.
const LANE: f64 = 15.6;
const BEHIND: f64 = 20.0;
const IN_COLUMN: f64 = 12.0;
/// Time that a rank of a bench waits for the others.
const PATIENCE: Duration = Duration::from_secs(600);

/// How vehicles stand and drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Formation {
    /// Side by side.
    Abreast,
    /// Three abreast over rough ground among trees, each with a camera and an IMU.
    Platoon,
    /// In a square, rank by rank of it.
    Square,
    /// One behind the other in one rut.
    Column,
}

/// What they drive on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Footing {
    /// Firm ground, steps of 1 ms.
    Firm,
    /// The reference's middle soil in nodes 5 cm apart, steps of 2 ms.
    Soil,
}

/// One drive of HMMWVs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingCase {
    /// How they stand.
    pub formation: Formation,
    /// On what.
    pub footing: Footing,
    /// How many there are.
    pub vehicles: usize,
    /// How many ranks share them.
    pub ranks: usize,
    /// Heartbeat, s.
    pub heartbeat: f64,
    /// Simulated time, s.
    pub seconds: f64,
}

/// Why a drive was not made.
#[derive(Debug, thiserror::Error)]
pub enum ScalingError<E> {
    /// The scenario cannot be built.
    #[error(transparent)]
    Case(#[from] Faults),
    /// Threads could not be started.
    #[error("{threads} threads cannot be started: {cause}")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system says.
        cause: String,
    },
    /// A rank was lost, or its observer failed.
    #[error("{0}")]
    Run(RunError<E>),
}

impl<E> From<RankError> for ScalingError<E> {
    fn from(error: RankError) -> ScalingError<E> {
        ScalingError::Run(error.into())
    }
}

/// A case with all that it takes to drive it again and again.
#[derive(Clone, Debug)]
pub struct ScalingDrive {
    /// What is driven.
    pub case: ScalingCase,
    /// The scenario, as a file would say it.
    pub file: ScenarioFile,
    model: WorldModel,
    /// The vehicles set down, for whoever begins.
    start: Option<WorldState>,
}

impl ScalingCase {
    /// The scenario of the case.
    fn text(&self) -> String {
        let (step, soil) = match self.footing {
            Footing::Firm => (0.001, "firm"),
            Footing::Soil => (0.002, "chrono_mid"),
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
            // a string takes any formatted text
            let _ = write!(
                text,
                "[[vehicle]]\nname = \"v{index}\"\nmodel = \"hmmwv\"\ntyre = \"rigid\"\n\
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

    /// Builds the case and, where this process `begins`, sets its vehicles down.
    ///
    /// # Errors
    /// [`Faults`] of a case that makes no scenario.
    pub fn built(&self, begins: bool) -> Result<ScalingDrive, Faults> {
        let file = ScenarioFile::parse("scaling", &self.text(), Path::new(""), &[])?;
        let model = world(&file)?.world;
        let start = begins.then(|| World::new(model.clone()).state().clone());
        Ok(ScalingDrive { case: *self, file, model, start })
    }
}

impl ScalingDrive {
    /// This rank's part of the drive.
    ///
    /// # Errors
    /// [`RunError`] when a rank is lost or the observer fails.
    pub fn rank<C: Communicator, E>(
        &self,
        communicator: &mut C,
        observer: &mut dyn Observer<E>,
    ) -> Result<DriveCost, RunError<E>> {
        let looks = self.model.scene_model.is_some();
        // one that looks must be told of all
        let route = if looks { Route::All } else { Route::Neighbour };
        let sharing = Sharing { route, digest: true, ..Sharing::default() };
        let counting = Counting::new(communicator);
        let alone = counting.size() == 1;
        let mut watch = Watch::new(counting.counts(), alone, self.case.seconds);
        let ranks = Ranks::new(counting, self.model.clone(), self.start.clone(), &sharing, &[])?;
        let schedule = Schedule {
            hash_every: Some(1),
            hash_agents: self.model.agents.len() <= NAMED_AGENTS,
            sample_every: self.file.scenario.output.interval,
            ..Schedule::until(self.case.seconds)
        };
        let (world, _) = Runner::among(ranks, schedule).run(&mut [observer, &mut watch])?;
        Ok(watch.cost(&world))
    }

    /// The drive in this process: alone on all its cores, or by ranks with a thread each.
    /// `observer` is what each rank's observer is.
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
