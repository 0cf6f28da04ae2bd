//! Levels of a task that a program defines.

use super::level_spec::LevelSpec;
use super::levels::SCENARIO_DURATION;
use super::observed_camera::CameraOption;
use super::{LearningError, Options};
use bekker_scenario::ScenarioFile;
use bekker_scenario::config::whole_ratio;

/// A level of a task that a program defines: a scenario with one vehicle, and its targets.
#[derive(Clone, Debug)]
pub struct CustomLevel {
    /// Scenario of the level. Its vehicle is driven by the actions.
    pub scenario: ScenarioFile,
    /// Goal, m.
    pub goal: Option<[f64; 2]>,
    /// Target speeds, m/s, each for [`LevelSpec::HOLD`] seconds; none for a task without target speed.
    pub speeds: Vec<f64>,
}

impl CustomLevel {
    /// Returns the parameters of the level. Only its targets are used.
    pub(super) fn spec(&self) -> LevelSpec {
        LevelSpec {
            goal: self.goal.unwrap_or([f64::NAN; 2]),
            speeds: self.speeds.clone(),
            ..LevelSpec::default()
        }
    }

    /// Returns the scenario with one heartbeat for each action, without endings and observed cameras.
    ///
    /// The task ends the drive, so the endings of the scenario apply only if the vehicle fails.
    pub(super) fn file(&self, options: &Options) -> Result<ScenarioFile, LearningError> {
        let mut file = self.scenario.clone();
        let found = file.scenario.vehicle.len();
        if found != 1 {
            return Err(LearningError::Count { what: "vehicles of a level", found, expected: 1 });
        }
        let (period, time) = (options.period, &mut file.scenario.time);
        if whole_ratio(period, time.step).is_none() {
            let allowed = format!("a whole multiple of time.step = {} s", time.step);
            let (option, value) = ("period", period.to_string());
            return Err(LearningError::Option { option, value, allowed });
        }
        time.heartbeat = period;
        time.duration = (SCENARIO_DURATION / period).round() * period;
        file.scenario.output.interval = period;
        let observed = options.cameras.as_deref().unwrap_or_default();
        // the environment itself takes the images of these cameras
        file.scenario.vehicle[0].sensor.retain(|sensor| {
            !observed.iter().any(|camera| *camera == CameraOption::Sensor(sensor.name.clone()))
        });
        let endings = &mut file.scenario.endings;
        (endings.immobilized, endings.overturned, endings.arrived) = (false, false, false);
        Ok(file)
    }
}
