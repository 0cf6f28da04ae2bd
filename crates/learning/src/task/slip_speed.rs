//! Task: hold a speed that changes every four seconds, on an unknown soil.

use super::{Action, Draw, Ending, LevelSpec, Seen, Task};
use bekker_math::numeric::atan;
use bekker_scenario::config::Surface;

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

impl Task for SlipSpeed {
    fn id(&self) -> &'static str {
        "SlipSpeed"
    }

    fn max_steps(&self) -> u32 {
        200
    }

    fn terms(&self) -> &'static [&'static str] {
        &["speed", "slip", "action"]
    }

    fn sees_map(&self) -> bool {
        false
    }

    fn spec(&self, draw: &mut Draw, difficulty: f64) -> LevelSpec {
        let grade = difficulty * draw.within(GRADES[0], GRADES[1]);
        LevelSpec {
            surface: Surface::Slope { elevation: 0.0, grade, uphill_deg: 0.0 },
            soil: draw.one(&SOILS),
            payload: difficulty * draw.within(0.0, 1000.0),
            speeds: (0..5).map(|_| draw.within(SPEEDS[0], SPEEDS[1])).collect(),
            ..LevelSpec::default()
        }
    }

    fn wanted_speed(&self, seen: &Seen<'_>) -> Option<f64> {
        seen.course_speed()
    }

    fn judge(&self, seen: &Seen<'_>, terms: &mut [f64]) -> Option<Ending> {
        let wanted = self.wanted_speed(seen).unwrap_or_default();
        let error = (seen.sample.speed - wanted).abs();
        terms[0] = 1.0 - (error / ERROR).min(1.0);
        terms[1] = -seen.slip_beyond(SLIP);
        terms[2] = -0.05 * seen.memory.action_change;
        if seen.is_overturned() {
            Some(Ending::Overturned)
        } else {
            seen.is_stuck().then_some(Ending::Stuck)
        }
    }

    /// Proportional and integral control, reduced by slip, that keeps straight.
    fn expert(&self, seen: &Seen<'_>) -> Action {
        let position = seen.sample.pose.position;
        let bearing = -seen.sample.pose.yaw() - atan(0.05 * position.y);
        [seen.steer(bearing), seen.hold(self.wanted_speed(seen).unwrap_or_default()), 0.0]
    }
}
