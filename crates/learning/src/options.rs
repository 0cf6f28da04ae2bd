//! What all tasks can be told.

use super::LearningError;
use bekker_scenario::config::whole_ratio;
use serde::{Deserialize, Serialize};

/// Options of an environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The vehicle.
    pub vehicle: String,
    /// How many are driven, where a task has several; four if not said.
    pub vehicles: Option<u32>,
    /// Whether its tyres give way; where the vehicle's file says how, if not said. Tracks have none.
    pub flexible_tyres: Option<bool>,
    /// Inflation of its tyres, kPa; as in the vehicle's file if not said.
    pub inflation: Option<f64>,
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
    /// Pixels along a side of a square picture from the driver's eyes, colour and depth, which is
    /// part of the observation; none if not said.
    pub image: Option<u32>,
    /// Firings of a lidar on the roof, all round, in 16 beams, whose ranges are part of the
    /// observation; none if not said.
    pub lidar: Option<u32>,
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

/// Vehicles of a task that has several.
const VEHICLES: u32 = 4;

impl Default for Options {
    fn default() -> Options {
        Options {
            vehicle: "hmmwv".into(),
            vehicles: None,
            flexible_tyres: None,
            inflation: None,
            soil: None,
            difficulty: 0.5,
            levels: 64,
            first_level: 0,
            map: None,
            image: None,
            lidar: None,
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
        if whole_ratio(self.period, self.step).is_none() {
            let (option, value) = ("step", self.step.to_string());
            let allowed = format!("a whole part of period = {} s", self.period);
            return Err(LearningError::Option { option, value, allowed });
        }
        number("spacing", self.spacing, [0.01, 0.2])?;
        number("image", self.image.map_or(64.0, f64::from), [8.0, 256.0])?;
        number("lidar", self.lidar.map_or(64.0, f64::from), [8.0, 1024.0])?;
        if let (Some(inflation), Some(false)) = (self.inflation, self.flexible_tyres) {
            let (option, value) = ("inflation", inflation.to_string());
            let allowed = "left out: rigid tyres have none".into();
            return Err(LearningError::Option { option, value, allowed });
        }
        number("levels", self.levels as f64, [1.0, 1e9])?;
        number("first_level", self.first_level as f64, [0.0, 1e15])
    }

    /// How many vehicles are driven, of a task that has from `least` to `most`.
    ///
    /// # Errors
    /// [`LearningError::Option`] when that cannot be.
    pub(super) fn vehicles(&self, [least, most]: [u32; 2]) -> Result<usize, LearningError> {
        let wanted = self.vehicles.unwrap_or(VEHICLES.clamp(least, most));
        if (least..=most).contains(&wanted) {
            return Ok(wanted as usize);
        }
        let (option, value) = ("vehicles", wanted.to_string());
        let allowed =
            if least == most { least.to_string() } else { format!("from {least} to {most}") };
        Err(LearningError::Option { option, value, allowed })
    }

    /// The number of the level of an episode.
    pub(super) fn level(&self, draw: u64) -> u64 {
        self.first_level + draw % self.levels
    }
}
