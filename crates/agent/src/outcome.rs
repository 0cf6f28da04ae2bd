//! Outcome of a vehicle's drive: plain data in the state, code and sentence in reports.

use super::clock::whole_microseconds;
use super::collision::CollisionTarget;
use super::diagnosis::{Cause, Diagnosis};
use bekker_ground::soil::SoilId;
use bekker_math::spatial::Vec3;
use bekker_vehicle::multibody::StepError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Speed above which a state counts as failed, m/s: no vehicle is as fast, so it is a numerical
/// error.
pub(super) const MAX_SPEED: f64 = 100.0;

/// Outcome of a vehicle's drive, or its state at the end of the run.
///
/// Externally tagged: the checkpoint format is not self-describing and cannot read a tag among the
/// fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Was still driving at the end of the run.
    UnderWay,
    /// Stood still at the end of the run, as its driver was commanded.
    Holding {
        /// Time since which it stands as commanded, s.
        since: f64,
    },
    /// Stood behind its leader at the end of the run.
    Waiting {
        /// Time since which it waits, s.
        since: f64,
        /// Index of the leader in the scenario.
        behind: usize,
    },
    /// Reached the end of its path and stopped.
    Arrived {
        /// Time of arrival, s.
        time: f64,
    },
    /// Requests motion and does not move.
    Immobilized {
        /// Start of the stall, s.
        time: f64,
        /// Position, m.
        position: Vec3,
        /// Soil under the vehicle.
        soil: SoilId,
        /// Cause.
        diagnosis: Diagnosis,
    },
    /// Sank until its wheels or tracks were wholly below the ground, down to the deck.
    Sunk {
        /// Time, s.
        time: f64,
        /// Position, m.
        position: Vec3,
        /// Soil under the vehicle.
        soil: SoilId,
        /// Mean depth of wheels or tracks, m.
        depth: f64,
        /// Height of the wheels or tracks, m.
        height: f64,
    },
    /// Overturned.
    Overturned {
        /// Time, s.
        time: f64,
        /// Position, m.
        position: Vec3,
    },
    /// Collided, under a policy that ends the drive.
    Collided {
        /// Time, s.
        time: f64,
        /// Position, m.
        position: Vec3,
        /// Collision partner.
        with: CollisionTarget,
    },
    /// Left the terrain.
    LeftTerrain {
        /// Time, s.
        time: f64,
        /// Position, m.
        position: Vec3,
    },
    /// The state is no longer finite, or the speed exceeds that of any vehicle.
    Failed {
        /// Time, s.
        time: f64,
        /// Position at the previous heartbeat, m.
        position: Vec3,
        /// Failed part of the state.
        failure: StateFailure,
    },
    /// A wheel entered ground without elevation data.
    UnmappedGround {
        /// Time, s.
        time: f64,
        /// Position of that wheel, m.
        position: Vec3,
    },
}

/// Part of a state that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateFailure {
    /// The chassis' position is not finite.
    Position,
    /// The chassis' orientation is not finite.
    Orientation,
    /// The chassis' speed is not finite, or is above 100 m/s, faster than any vehicle.
    Speed,
    /// A velocity of the multibody model is not finite.
    Velocity {
        /// Index of the coordinate.
        coordinate: usize,
    },
    /// The equations of motion are singular.
    Singular {
        /// Index of the elimination step.
        at: usize,
    },
}

impl From<StepError> for StateFailure {
    fn from(error: StepError) -> StateFailure {
        match error {
            StepError::Singular { at } => StateFailure::Singular { at },
            StepError::NotFinite { coordinate, .. } => StateFailure::Velocity { coordinate },
        }
    }
}

impl fmt::Display for StateFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateFailure::Position => write!(f, "its position is no longer finite"),
            StateFailure::Orientation => write!(f, "its orientation is no longer finite"),
            StateFailure::Speed => write!(f, "its speed is above {MAX_SPEED} m/s or not finite"),
            StateFailure::Velocity { coordinate } => {
                write!(f, "velocity {coordinate} is no longer finite")
            }
            StateFailure::Singular { at } => {
                write!(f, "the equations of motion are singular at elimination step {at}")
            }
        }
    }
}

/// Machine-readable code of an outcome: `under_way`, `immobilized` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeCode {
    /// Was still driving at the end of the run.
    UnderWay,
    /// Stood still at the end of the run, as its driver was commanded.
    Holding,
    /// Stood behind its leader at the end of the run.
    Waiting,
    /// Reached the end of its path and stopped.
    Arrived,
    /// Requests motion and does not move.
    #[serde(alias = "immobilised")]
    Immobilized,
    /// Sunk down to the deck.
    Sunk,
    /// Overturned.
    Overturned,
    /// Collided.
    Collided,
    /// Left the terrain.
    LeftTerrain,
    /// The state is no longer finite, or the speed exceeds that of any vehicle.
    Failed,
    /// A wheel entered ground without elevation data.
    UnmappedGround,
}

impl OutcomeCode {
    /// Returns at most two words, for a table column.
    pub fn words(self) -> &'static str {
        match self {
            OutcomeCode::UnderWay => "still driving",
            OutcomeCode::Holding => "holding",
            OutcomeCode::Waiting => "waiting",
            OutcomeCode::Arrived => "arrived",
            OutcomeCode::Immobilized => "immobilized",
            OutcomeCode::Sunk => "sunk",
            OutcomeCode::Overturned => "overturned",
            OutcomeCode::Collided => "collided",
            OutcomeCode::LeftTerrain => "off terrain",
            OutcomeCode::Failed => "failed",
            OutcomeCode::UnmappedGround => "unmapped ground",
        }
    }

    /// Returns whether the vehicle cannot continue.
    pub fn is_loss(self) -> bool {
        match self {
            OutcomeCode::UnderWay
            | OutcomeCode::Holding
            | OutcomeCode::Waiting
            | OutcomeCode::Arrived => false,
            OutcomeCode::Immobilized
            | OutcomeCode::Sunk
            | OutcomeCode::Overturned
            | OutcomeCode::Collided
            | OutcomeCode::LeftTerrain
            | OutcomeCode::Failed
            | OutcomeCode::UnmappedGround => true,
        }
    }
}

/// Outcome as it is reported: code, values and a sentence for readers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutcomeReport {
    /// Code of the outcome.
    pub code: OutcomeCode,
    /// Time of the outcome, s; for standing vehicles the time since which they stand; absent for
    /// `UnderWay`.
    pub time: Option<f64>,
    /// Position, m; absent for outcomes after which the vehicle may continue.
    pub position: Option<[f64; 3]>,
    /// Name of the soil under an immobilized or sunk vehicle.
    pub soil: Option<String>,
    /// Name of the vehicle behind which it waits.
    pub behind: Option<String>,
    /// Cause of an immobilization, with its values.
    pub diagnosis: Option<Diagnosis>,
    /// Full description.
    pub sentence: String,
}

impl OutcomeReport {
    /// Returns words and time: `immobilized 12.4 s`.
    pub fn brief(&self) -> String {
        let words = self.code.words();
        self.time.map_or_else(|| words.to_owned(), |time| format!("{words} {time:.1} s"))
    }
}

impl fmt::Display for OutcomeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl Outcome {
    /// Returns the soil of the outcome, if it has one.
    pub fn soil(&self) -> Option<SoilId> {
        match self {
            Outcome::Immobilized { soil, .. } | Outcome::Sunk { soil, .. } => Some(*soil),
            _ => None,
        }
    }

    /// Returns the index of the leader behind which the vehicle waits.
    pub fn leader(&self) -> Option<usize> {
        match self {
            Outcome::Waiting { behind, .. } => Some(*behind),
            _ => None,
        }
    }

    /// Returns the collision partner, or the obstacle that blocks the vehicle.
    pub fn collision_target(&self) -> Option<CollisionTarget> {
        match self {
            Outcome::Collided { with, .. } => Some(*with),
            Outcome::Immobilized { diagnosis, .. } => diagnosis.obstacle,
            _ => None,
        }
    }

    /// Returns the code.
    pub fn code(&self) -> OutcomeCode {
        match self {
            Outcome::UnderWay => OutcomeCode::UnderWay,
            Outcome::Holding { .. } => OutcomeCode::Holding,
            Outcome::Waiting { .. } => OutcomeCode::Waiting,
            Outcome::Arrived { .. } => OutcomeCode::Arrived,
            Outcome::Immobilized { .. } => OutcomeCode::Immobilized,
            Outcome::Sunk { .. } => OutcomeCode::Sunk,
            Outcome::Overturned { .. } => OutcomeCode::Overturned,
            Outcome::Collided { .. } => OutcomeCode::Collided,
            Outcome::LeftTerrain { .. } => OutcomeCode::LeftTerrain,
            Outcome::Failed { .. } => OutcomeCode::Failed,
            Outcome::UnmappedGround { .. } => OutcomeCode::UnmappedGround,
        }
    }

    /// Returns the time of the outcome, s; for standing vehicles the time since which they stand;
    /// `None` for `UnderWay`.
    pub fn time(&self) -> Option<f64> {
        match self {
            Outcome::UnderWay => None,
            Outcome::Holding { since: time }
            | Outcome::Waiting { since: time, .. }
            | Outcome::Arrived { time }
            | Outcome::Immobilized { time, .. }
            | Outcome::Sunk { time, .. }
            | Outcome::Overturned { time, .. }
            | Outcome::Collided { time, .. }
            | Outcome::LeftTerrain { time, .. }
            | Outcome::Failed { time, .. }
            | Outcome::UnmappedGround { time, .. } => Some(*time),
        }
    }

    /// Returns the report; `soil`, `vehicle` and `target_name` give the names of soils, vehicles
    /// and collision partners.
    pub fn report<'a>(
        &self,
        soil: impl Fn(SoilId) -> &'a str,
        vehicle: impl Fn(usize) -> &'a str,
        target_name: impl Fn(CollisionTarget) -> &'a str,
    ) -> OutcomeReport {
        let at = |p: &Vec3| format!("({:.1}, {:.1}) m", p.x, p.y);
        let mut report = OutcomeReport {
            code: self.code(),
            time: self.time().map(whole_microseconds),
            position: None,
            soil: None,
            behind: None,
            diagnosis: None,
            sentence: String::new(),
        };
        let place = match self {
            Outcome::Immobilized { position, .. }
            | Outcome::Sunk { position, .. }
            | Outcome::Overturned { position, .. }
            | Outcome::Collided { position, .. }
            | Outcome::LeftTerrain { position, .. }
            | Outcome::Failed { position, .. }
            | Outcome::UnmappedGround { position, .. } => Some(position),
            _ => None,
        };
        report.position = place.map(|position| (*position).into());
        report.sentence = match self {
            Outcome::UnderWay => "still driving".to_owned(),
            Outcome::Holding { since } => format!("holding since {since:.1} s"),
            Outcome::Waiting { since, behind } => {
                let leader = vehicle(*behind);
                report.behind = Some(leader.to_owned());
                format!("waiting behind {leader} since {since:.1} s")
            }
            Outcome::Arrived { time } => format!("arrived at {time:.1} s"),
            Outcome::Immobilized { time, position, soil: id, diagnosis } => {
                let (soil, place) = (soil(*id), at(position));
                report.soil = Some(soil.to_owned());
                report.diagnosis = Some(diagnosis.clone());
                let held = diagnosis.obstacle.filter(|_| diagnosis.cause == Cause::Obstacle);
                let held = held
                    .map_or(String::new(), |with| format!(", blocked by {}", target_name(with)));
                format!("immobilized since {time:.1} s at {place} in {soil}{held}: {diagnosis}")
            }
            Outcome::Sunk { time, position, soil: id, depth, height } => {
                let (soil, place) = (soil(*id), at(position));
                report.soil = Some(soil.to_owned());
                format!(
                    "sunk to the deck at {time:.1} s at {place} in {soil}: sinkage {:.0} cm, \
                     running gear height {:.0} cm",
                    100.0 * depth,
                    100.0 * height
                )
            }
            Outcome::Overturned { time, position } => {
                format!("overturned at {time:.1} s at {}", at(position))
            }
            Outcome::Collided { time, position, with } => {
                let with = target_name(*with);
                format!("collided with {with} at {time:.1} s at {}", at(position))
            }
            Outcome::LeftTerrain { time, position } => {
                format!("left the terrain at {time:.1} s at {}", at(position))
            }
            Outcome::Failed { time, position, failure } => {
                format!("failed at {time:.1} s at {}: {failure}", at(position))
            }
            Outcome::UnmappedGround { time, position } => {
                format!("entered ground without elevation data at {time:.1} s at {}", at(position))
            }
        };
        report
    }
}
