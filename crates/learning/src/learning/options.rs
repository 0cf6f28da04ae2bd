//! What all tasks can be told.

use super::LearningError;
use serde::{Deserialize, Serialize};

/// Options of an environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The vehicle, one with four wheels.
    pub vehicle: String,
    /// Whether its tyres give way.
    pub flexible_tyres: bool,
    /// A soil in place of those that are drawn from.
    pub soil: Option<String>,
    /// How hard levels are, 0 to 1: how far soils, slopes and ways are scattered.
    pub difficulty: f64,
    /// How many levels episodes are drawn from; memory grows by about 1 MB each up to 256.
    pub levels: u64,
    /// Number of the first of them: levels that are not shared with others are never seen there.
    pub first_level: u64,
    /// Whether the map is part of the observation; as the task has it if not said.
    pub map: Option<bool>,
    /// Whether soil and wheels in it are part of the observation.
    pub soil_visible: bool,
    /// Standard deviation of noise on what the vehicle feels, in parts of the scale.
    pub noise: f64,
    /// Step of the simulation, s.
    pub step: f64,
    /// Time between actions, s.
    pub period: f64,
    /// Distance between nodes of the ground, m.
    pub spacing: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            vehicle: "hmmwv".into(),
            flexible_tyres: true,
            soil: None,
            difficulty: 0.5,
            levels: 64,
            first_level: 0,
            map: None,
            soil_visible: false,
            noise: 0.0,
            step: 0.002,
            period: 0.1,
            spacing: 0.05,
        }
    }
}

impl Options {
    /// Refuses what no environment has.
    ///
    /// # Errors
    /// [`LearningError::Option`] for the first number out of its range.
    pub fn check(&self) -> Result<(), LearningError> {
        let number = |option, value: f64, [low, high]: [f64; 2]| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            let allowed = format!("from {low} to {high}");
            Err(LearningError::Option { option, value: value.to_string(), allowed })
        };
        number("difficulty", self.difficulty, [0.0, 1.0])?;
        number("noise", self.noise, [0.0, 1.0])?;
        number("step", self.step, [1e-4, 0.01])?;
        number("period", self.period, [0.01, 1.0])?;
        number("spacing", self.spacing, [0.01, 0.2])?;
        number("levels", self.levels as f64, [1.0, 1e9])?;
        number("first_level", self.first_level as f64, [0.0, 1e15])
    }

    /// The number of the level of an episode.
    pub(super) fn level(&self, draw: u64) -> u64 {
        self.first_level + draw % self.levels
    }
}
