//! How a vehicle's drive ended: plain data in the state, a code and a sentence outside.

use super::clock::whole_microseconds;
use super::diagnosis::{Cause, Diagnosis};
use super::hit::Struck;
use bekker_ground::soil::SoilId;
use bekker_math::spatial::Vec3;
use bekker_vehicle::multibody::StepError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Speed above which no vehicle drives, m/s: who is as fast was hurled there by the numbers.
pub(super) const FASTEST: f64 = 100.0;

/// How a vehicle's drive ended, or how it stood at the end of the run. Tagged from
/// outside: a checkpoint's format, which does not describe itself, can't read a tag from
/// among the fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Still drove when the run ended.
    UnderWay,
    /// Stood as its driver was told to when the run ended.
    Holding {
        /// Since when it stands and was told to, s.
        since: f64,
    },
    /// Stood behind its leader when the run ended.
    Waiting {
        /// Since when, s.
        since: f64,
        /// Index of the leader in the scenario.
        behind: usize,
    },
    /// Reached the end of its path and stopped.
    Arrived {
        /// When, s.
        time: f64,
    },
    /// Wants to move and does not.
    Immobilised {
        /// Since when, s.
        time: f64,
        /// Where, m.
        position: Vec3,
        /// Soil under it.
        soil: SoilId,
        /// Why.
        diagnosis: Diagnosis,
    },
    /// Sank until its wheels or tracks were wholly below the ground: buried to the deck.
    Sunk {
        /// When, s.
        time: f64,
        /// Where, m.
        position: Vec3,
        /// Soil under it.
        soil: SoilId,
        /// Mean depth of wheels or tracks, m.
        depth: f64,
        /// Height of its wheels or tracks, m.
        height: f64,
    },
    /// Turned over.
    Overturned {
        /// When, s.
        time: f64,
        /// Where, m.
        position: Vec3,
    },
    /// Ran into something, where the policy is that this ends the drive.
    Collided {
        /// When, s.
        time: f64,
        /// Where, m.
        position: Vec3,
        /// With what.
        with: Struck,
    },
    /// Drove off the terrain.
    LeftTerrain {
        /// When, s.
        time: f64,
        /// Where, m.
        position: Vec3,
    },
    /// Its state is no longer finite, or it is faster than any vehicle drives.
    Failed {
        /// When, s.
        time: f64,
        /// Position at the heartbeat before, m.
        position: Vec3,
        /// What failed.
        failure: Failure,
    },
    /// A wheel entered ground without elevation data.
    UnmappedGround {
        /// When, s.
        time: f64,
        /// Where that wheel is, m.
        position: Vec3,
    },
}

/// What of a state failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The chassis' position is not finite.
    Position,
    /// The chassis' orientation is not finite.
    Orientation,
    /// The chassis' speed is not finite, or above 100 m/s, at which no vehicle drives.
    Speed,
    /// A velocity of the multibody model is not finite.
    Velocity {
        /// Which coordinate.
        coordinate: usize,
    },
    /// The equations of motion are singular.
    Singular {
        /// Which step of the elimination.
        at: usize,
    },
}

impl From<StepError> for Failure {
    fn from(error: StepError) -> Failure {
        match error {
            StepError::Singular { at } => Failure::Singular { at },
            StepError::NotFinite { coordinate, .. } => Failure::Velocity { coordinate },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Position => write!(f, "its position is no longer finite"),
            Failure::Orientation => write!(f, "its orientation is no longer finite"),
            Failure::Speed => write!(f, "its speed is not within {FASTEST} m/s"),
            Failure::Velocity { coordinate } => {
                write!(f, "velocity {coordinate} is no longer finite")
            }
            Failure::Singular { at } => {
                write!(f, "the equations of motion are singular at elimination step {at}")
            }
        }
    }
}

/// Which outcome, for machines: `under_way`, `immobilised` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeCode {
    /// Still drove when the run ended.
    UnderWay,
    /// Stood as its driver was told to when the run ended.
    Holding,
    /// Stood behind its leader when the run ended.
    Waiting,
    /// Reached the end of its path and stopped.
    Arrived,
    /// Wants to move and does not.
    Immobilised,
    /// Buried to the deck.
    Sunk,
    /// Turned over.
    Overturned,
    /// Ran into something.
    Collided,
    /// Drove off the terrain.
    LeftTerrain,
    /// Its state is no longer finite, or it is faster than any vehicle drives.
    Failed,
    /// A wheel entered ground without elevation data.
    UnmappedGround,
}

impl OutcomeCode {
    /// Two words at most, for a column.
    pub fn words(self) -> &'static str {
        match self {
            OutcomeCode::UnderWay => "under way",
            OutcomeCode::Holding => "holding",
            OutcomeCode::Waiting => "waiting",
            OutcomeCode::Arrived => "arrived",
            OutcomeCode::Immobilised => "immobilised",
            OutcomeCode::Sunk => "sunk",
            OutcomeCode::Overturned => "overturned",
            OutcomeCode::Collided => "collided",
            OutcomeCode::LeftTerrain => "off terrain",
            OutcomeCode::Failed => "failed",
            OutcomeCode::UnmappedGround => "unmapped ground",
        }
    }

    /// Whether the vehicle came to grief: it can't go on.
    pub fn is_loss(self) -> bool {
        match self {
            OutcomeCode::UnderWay
            | OutcomeCode::Holding
            | OutcomeCode::Waiting
            | OutcomeCode::Arrived => false,
            OutcomeCode::Immobilised
            | OutcomeCode::Sunk
            | OutcomeCode::Overturned
            | OutcomeCode::Collided
            | OutcomeCode::LeftTerrain
            | OutcomeCode::Failed
            | OutcomeCode::UnmappedGround => true,
        }
    }
}

/// An outcome as it is reported: code, figures and the sentence that people read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutcomeReport {
    /// Which.
    pub code: OutcomeCode,
    /// When it came about, s; since when, of those that stand; absent while under way.
    pub time: Option<f64>,
    /// Where, m; absent for those that may still go on.
    pub position: Option<[f64; 3]>,
    /// Name of the soil under an immobilised or sunk vehicle.
    pub soil: Option<String>,
    /// Name of the vehicle that it waits behind.
    pub behind: Option<String>,
    /// Why it is immobilised, with figures.
    pub diagnosis: Option<Diagnosis>,
    /// All of it in words.
    pub sentence: String,
}

impl OutcomeReport {
    /// Words of the code and the time: `immobilised 12.4 s`.
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
    /// The soil that it tells of.
    pub fn soil(&self) -> Option<SoilId> {
        match self {
            Outcome::Immobilised { soil, .. } | Outcome::Sunk { soil, .. } => Some(*soil),
            _ => None,
        }
    }

    /// The vehicle that it tells of, by its index.
    pub fn leader(&self) -> Option<usize> {
        match self {
            Outcome::Waiting { behind, .. } => Some(*behind),
            _ => None,
        }
    }

    /// What it tells of a collision with, or of being held by.
    pub fn struck(&self) -> Option<Struck> {
        match self {
            Outcome::Collided { with, .. } => Some(*with),
            Outcome::Immobilised { diagnosis, .. } => diagnosis.obstacle,
            _ => None,
        }
    }

    /// Which it is.
    pub fn code(&self) -> OutcomeCode {
        match self {
            Outcome::UnderWay => OutcomeCode::UnderWay,
            Outcome::Holding { .. } => OutcomeCode::Holding,
            Outcome::Waiting { .. } => OutcomeCode::Waiting,
            Outcome::Arrived { .. } => OutcomeCode::Arrived,
            Outcome::Immobilised { .. } => OutcomeCode::Immobilised,
            Outcome::Sunk { .. } => OutcomeCode::Sunk,
            Outcome::Overturned { .. } => OutcomeCode::Overturned,
            Outcome::Collided { .. } => OutcomeCode::Collided,
            Outcome::LeftTerrain { .. } => OutcomeCode::LeftTerrain,
            Outcome::Failed { .. } => OutcomeCode::Failed,
            Outcome::UnmappedGround { .. } => OutcomeCode::UnmappedGround,
        }
    }

    /// When it came about, s; since when, of those that stand; absent while under way.
    pub fn time(&self) -> Option<f64> {
        match self {
            Outcome::UnderWay => None,
            Outcome::Holding { since: time }
            | Outcome::Waiting { since: time, .. }
            | Outcome::Arrived { time }
            | Outcome::Immobilised { time, .. }
            | Outcome::Sunk { time, .. }
            | Outcome::Overturned { time, .. }
            | Outcome::Collided { time, .. }
            | Outcome::LeftTerrain { time, .. }
            | Outcome::Failed { time, .. }
            | Outcome::UnmappedGround { time, .. } => Some(*time),
        }
    }

    /// It as it is reported, where `soil` names soils, `vehicle` vehicles, and `struck` what
    /// vehicles collide with.
    pub fn report<'a>(
        &self,
        soil: impl Fn(SoilId) -> &'a str,
        vehicle: impl Fn(usize) -> &'a str,
        struck: impl Fn(Struck) -> &'a str,
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
            Outcome::Immobilised { position, .. }
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
            Outcome::UnderWay => "under way".to_owned(),
            Outcome::Holding { since } => format!("holding since {since:.1} s"),
            Outcome::Waiting { since, behind } => {
                let leader = vehicle(*behind);
                report.behind = Some(leader.to_owned());
                format!("waiting behind {leader} since {since:.1} s")
            }
            Outcome::Arrived { time } => format!("arrived at {time:.1} s"),
            Outcome::Immobilised { time, position, soil: id, diagnosis } => {
                let (soil, place) = (soil(*id), at(position));
                report.soil = Some(soil.to_owned());
                report.diagnosis = Some(diagnosis.clone());
                let held = diagnosis.obstacle.filter(|_| diagnosis.cause == Cause::Obstacle);
                let held =
                    held.map_or(String::new(), |with| format!(", blocked by {}", struck(with)));
                format!("immobilised since {time:.1} s at {place} in {soil}{held}: {diagnosis}")
            }
            Outcome::Sunk { time, position, soil: id, depth, height } => {
                let (soil, place) = (soil(*id), at(position));
                report.soil = Some(soil.to_owned());
                format!(
                    "sunk to its deck at {time:.1} s at {place} in {soil}: {:.0} cm deep, {:.0} cm \
                     are its wheels or tracks high",
                    100.0 * depth,
                    100.0 * height
                )
            }
            Outcome::Overturned { time, position } => {
                format!("overturned at {time:.1} s at {}", at(position))
            }
            Outcome::Collided { time, position, with } => {
                let with = struck(*with);
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
