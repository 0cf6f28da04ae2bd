//! Task: hold a speed that changes every four seconds, on an unknown soil.

use super::{Action, EpisodeEnding, LearningTask, LevelRng, LevelSpec, TaskContext};
use bekker_math::numeric::atan;
use bekker_scenario::config::SurfaceConfig;

/// The speed task.
#[derive(Debug)]
pub struct SlipSpeed;

/// Soils of the task.
const SOILS: [&str; 8] = [
    "dry_sand_lll",
    "upland_sandy_loam",
    "sandy_loam_15_lll",
    "clayey_38_thailand",
    "lean_clay_32_wes",
    "push_pull_silica_2020",
    "chrono_mid",
    "rubicon_sandy_loam",
];
/// Steepest descent and climb at difficulty 1.
const GRADES: [f64; 2] = [-0.12, 0.12];
/// Lowest and highest target speed, m/s.
const SPEEDS: [f64; 2] = [1.0, 5.0];
/// Speed error at which the reward becomes 0, m/s.
const ERROR: f64 = 2.0;
/// Slip above which a penalty applies.
const SLIP: f64 = 0.2;

impl LearningTask for SlipSpeed {
    fn id(&self) -> &'static str {
        "SlipSpeed"
    }

    fn max_steps(&self) -> u32 {
        200
    }

    fn terms(&self) -> &'static [&'static str] {
        &["speed", "slip", "action"]
    }

    fn observes_map(&self) -> bool {
        false
    }

    fn spec(&self, rng: &mut LevelRng, difficulty: f64) -> LevelSpec {
        let grade = difficulty * rng.uniform(GRADES[0], GRADES[1]);
        LevelSpec {
            surface: SurfaceConfig::Slope { elevation: 0.0, grade, uphill_deg: 0.0 },
            soil: rng.choose(&SOILS),
            payload: difficulty * rng.uniform(0.0, 1000.0),
            speeds: (0..5).map(|_| rng.uniform(SPEEDS[0], SPEEDS[1])).collect(),
            ..LevelSpec::default()
        }
    }

    fn target_speed(&self, context: &TaskContext<'_>) -> Option<f64> {
        context.course_speed()
    }

    fn judge(&self, context: &TaskContext<'_>, terms: &mut [f64]) -> Option<EpisodeEnding> {
        let wanted = self.target_speed(context).unwrap_or_default();
        let error = (context.sample.speed - wanted).abs();
        terms[0] = 1.0 - (error / ERROR).min(1.0);
        terms[1] = -context.slip_beyond(SLIP);
        terms[2] = -0.05 * context.memory.action_change;
        if context.is_overturned() {
            Some(EpisodeEnding::Overturned)
        } else {
            context.is_stuck().then_some(EpisodeEnding::Stuck)
        }
    }

    /// Proportional and integral control, reduced by slip, that keeps straight.
    fn expert(&self, context: &TaskContext<'_>) -> Action {
        let position = context.sample.pose.position;
        let bearing = -context.sample.pose.yaw() - atan(0.05 * position.y);
        [
            context.steering_action(bearing),
            context.speed_action(self.target_speed(context).unwrap_or_default()),
            0.0,
        ]
    }
}
