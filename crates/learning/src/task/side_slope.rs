//! Task: keep a level route along a side slope without sliding or overturning.

use super::{Action, EpisodeEnding, LearningTask, LevelRng, LevelSpec, TaskContext};
use crate::observation::bearing;
use bekker_math::numeric::{asin, sin, tan};
use bekker_math::spatial::Vec3;
use bekker_scenario::config::SurfaceConfig;

/// The side-slope task.
#[derive(Debug)]
pub struct SideSlope;

const SOILS: [&str; 5] = [
    "upland_sandy_loam",
    "sandy_loam_15_lll",
    "dry_sand_lll",
    "clayey_38_thailand",
    "rubicon_sandy_loam",
];
/// Smallest slope, and the increase at difficulty 1, deg.
const SLOPES: [f64; 2] = [8.0, 14.0];
/// Distance of the goal ahead on the route, m.
const AHEAD: f64 = 10.0;
/// Distance from the route at which the vehicle counts as lost, m.
const LEFT: f64 = 5.0;
/// Roll above which a penalty applies, rad.
const ROLL: f64 = 0.35;

impl LearningTask for SideSlope {
    fn id(&self) -> &'static str {
        "SideSlope"
    }

    fn max_steps(&self) -> u32 {
        300
    }

    fn terms(&self) -> &'static [&'static str] {
        &["progress", "cross_track", "roll", "end"]
    }

    fn spec(&self, rng: &mut LevelRng, difficulty: f64) -> LevelSpec {
        let slope = SLOPES[0] + SLOPES[1] * difficulty * rng.uniform(0.5, 1.0);
        let uphill_deg = rng.choose(&[90.0, -90.0]);
        let grade = tan(slope.to_radians());
        LevelSpec {
            surface: SurfaceConfig::Slope { elevation: 0.0, grade, uphill_deg },
            soil: rng.choose(&SOILS),
            payload: difficulty * rng.uniform(0.0, 800.0),
            ..LevelSpec::default()
        }
    }

    fn goal(&self, context: &TaskContext<'_>) -> Option<[f64; 2]> {
        Some([context.sample.pose.position.x + AHEAD, 0.0])
    }

    fn judge(&self, context: &TaskContext<'_>, terms: &mut [f64]) -> Option<EpisodeEnding> {
        let TaskContext { sample, memory, .. } = *context;
        let position = sample.pose.position;
        let roll = asin(sample.pose.direction(&Vec3::y()).z.clamp(-1.0, 1.0));
        // progress faster than 4 m/s gives no more reward
        terms[0] = (position.x - memory.before[0]).min(4.0 * memory.period);
        terms[1] = -memory.period * position.y.abs();
        terms[2] = -10.0 * memory.period * (roll.abs() - ROLL).max(0.0);
        let ending = if context.is_overturned() {
            Some(EpisodeEnding::Overturned)
        } else if position.y.abs() > LEFT {
            Some(EpisodeEnding::Left)
        } else {
            context.is_stuck().then_some(EpisodeEnding::Stuck)
        };
        terms[3] = if ending.is_some() { -20.0 } else { 0.0 };
        ending
    }

    /// Pure pursuit of a point on the route at 3.5 m/s, with a steering correction up the slope.
    fn expert(&self, context: &TaskContext<'_>) -> Action {
        let sample = context.sample;
        let goal = [sample.pose.position.x + 0.6 * AHEAD, 0.0];
        let (_, angle) = bearing(sample, goal);
        let up = sample.pose.direction(&Vec3::y()).z;
        [context.steering_action(angle + 0.1 * sin(up)), context.speed_action(3.5), 0.0]
    }
}
