//! Options common to all tasks.

use super::LearningError;
use super::observed_camera::CameraOption;
use bekker_scenario::config::whole_ratio;
use serde::{Deserialize, Serialize};

/// Options of an environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Name or file of the vehicle.
    pub vehicle: String,
    /// Number of driven vehicles, where the task has several (default: 4).
    pub vehicles: Option<u32>,
    /// Whether its tires are flexible (default: if the vehicle file describes that). Tracks have no
    /// tires.
    #[serde(alias = "flexible_tyres")]
    pub flexible_tires: Option<bool>,
    /// Inflation pressure of its tires, kPa (default: that of the vehicle file).
    pub inflation_kpa: Option<f64>,
    /// Soil that replaces the drawn soils.
    pub soil: Option<String>,
    /// Difficulty of the levels, 0 to 1: the scatter of soils, slopes and routes.
    pub difficulty: f64,
    /// Number of levels from which episodes are drawn; memory grows by about 1 MB each, up to 256.
    pub levels: u64,
    /// Number of the first level; disjoint ranges separate training from test levels.
    pub first_level: u64,
    /// Whether the map is part of the observation (default: chosen by the task).
    pub map: Option<bool>,
    /// Pixels along the side of a square color and depth image from the driver's eyes.
    ///
    /// The image is part of the observation (default: no image).
    pub image: Option<u32>,
    /// Number of firings per revolution of a lidar with 16 beams on the roof.
    ///
    /// Its ranges are part of the observation (default: no lidar).
    pub lidar: Option<u32>,
    /// Cameras whose images are part of the observation, each under its own name.
    pub cameras: Option<Vec<CameraOption>>,
    /// Whether soil, wheel slip and wheel sinkage are part of the observation.
    pub soil_visible: bool,
    /// Standard deviation of the noise on proprioception, relative to the scale.
    pub noise: f64,
    /// Accuracy of the simulation (default: full).
    pub fidelity: Option<Fidelity>,
    /// Step of the simulation, s (default: 0.002).
    pub step: Option<f64>,
    /// Time between actions, s.
    pub period: f64,
    /// Distance between nodes of the ground, m (default: 0.05).
    pub spacing: Option<f64>,
}

/// Accuracy of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fidelity {
    /// Step and nodes are those of the other options.
    Full,
    /// Steps of 4 ms and nodes 8 cm apart.
    Fast,
}

/// Step of the simulation and distance between nodes, if nothing else sets them: s and m.
pub(super) const STEP: f64 = 0.002;
const SPACING: f64 = 0.05;
/// Step and distance between nodes of [`Fidelity::Fast`], s and m.
const FAST_STEP: f64 = 0.004;
const FAST_SPACING: f64 = 0.08;

/// Default number of vehicles of a task with several.
const VEHICLES: u32 = 4;

impl Default for Options {
    fn default() -> Options {
        Options {
            vehicle: "hmmwv".into(),
            vehicles: None,
            flexible_tires: None,
            inflation_kpa: None,
            soil: None,
            difficulty: 0.5,
            levels: 64,
            first_level: 0,
            map: None,
            image: None,
            lidar: None,
            cameras: None,
            soil_visible: false,
            noise: 0.0,
            fidelity: None,
            step: None,
            period: 0.1,
            spacing: None,
        }
    }
}

impl Options {
    /// Checks the ranges of the options.
    ///
    /// # Errors
    /// [`LearningError::Option`] for the first value out of range.
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
        let step = self.step.unwrap_or(STEP);
        number("step", step, [1e-4, 0.01])?;
        number("period", self.period, [0.01, 1.0])?;
        if whole_ratio(self.period, step).is_none() {
            let (option, value) = ("step", step.to_string());
            let allowed = format!("an integer fraction of period = {} s", self.period);
            return Err(LearningError::Option { option, value, allowed });
        }
        number("spacing", self.spacing.unwrap_or(SPACING), [0.01, 0.2])?;
        number("image", self.image.map_or(64.0, f64::from), [8.0, 256.0])?;
        number("lidar", self.lidar.map_or(64.0, f64::from), [8.0, 1024.0])?;
        if let (Some(kpa), Some(false)) = (self.inflation_kpa, self.flexible_tires) {
            let (option, value) = ("inflation_kpa", kpa.to_string());
            let allowed = "omitted: rigid tires have no inflation".into();
            return Err(LearningError::Option { option, value, allowed });
        }
        number("levels", self.levels as f64, [1.0, 1e9])?;
        number("first_level", self.first_level as f64, [0.0, 1e15])
    }

    /// Returns the options with step and spacing set, by the fidelity or by their defaults.
    ///
    /// # Errors
    /// [`LearningError::Option`] when a value that the fidelity sets is also given.
    pub(super) fn with_step_and_spacing(self) -> Result<Options, LearningError> {
        if self.fidelity != Some(Fidelity::Fast) {
            let (step, spacing) = (self.step.or(Some(STEP)), self.spacing.or(Some(SPACING)));
            return Ok(Options { fidelity: None, step, spacing, ..self });
        }
        let given = [("step", self.step), ("spacing", self.spacing)];
        if let Some((option, value)) =
            given.into_iter().find_map(|(option, value)| Some((option, value?.to_string())))
        {
            let allowed = "omitted: fidelity = \"fast\" sets it".into();
            return Err(LearningError::Option { option, value, allowed });
        }
        let (step, spacing) = (Some(FAST_STEP), Some(FAST_SPACING));
        Ok(Options { fidelity: None, step, spacing, ..self })
    }

    /// Number of driven vehicles, for a task that supports from `least` to `most`.
    ///
    /// # Errors
    /// [`LearningError::Option`] when the number is not supported.
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

    /// Number of the level of an episode.
    pub(super) fn level(&self, draw: u64) -> u64 {
        self.first_level + draw % self.levels
    }
}
