//! Task: keep a level route along a side slope without sliding or overturning.

use super::{Action, Draw, Ending, LevelSpec, Seen, Task};
use crate::observation::bearing;
use bekker_math::numeric::{asin, sin, tan};
use bekker_math::spatial::Vec3;
use bekker_scenario::config::Surface;

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

impl Task for SideSlope {
    fn id(&self) -> &'static str {
        "SideSlope"
    }

    fn max_steps(&self) -> u32 {
        300
    }

    fn terms(&self) -> &'static [&'static str] {
        &["progress", "cross_track", "roll", "end"]
    }

    fn spec(&self, draw: &mut Draw, difficulty: f64) -> LevelSpec {
        let slope = SLOPES[0] + SLOPES[1] * difficulty * draw.within(0.5, 1.0);
        let uphill_deg = draw.one(&[90.0, -90.0]);
        let grade = tan(slope.to_radians());
        LevelSpec {
            surface: Surface::Slope { elevation: 0.0, grade, uphill_deg },
            soil: draw.one(&SOILS),
            payload: difficulty * draw.within(0.0, 800.0),
            ..LevelSpec::default()
        }
    }

    fn goal(&self, seen: &Seen<'_>) -> Option<[f64; 2]> {
        Some([seen.sample.pose.position.x + AHEAD, 0.0])
    }

    fn judge(&self, seen: &Seen<'_>, terms: &mut [f64]) -> Option<Ending> {
        let Seen { sample, memory, .. } = *seen;
        let position = sample.pose.position;
        let roll = asin(sample.pose.direction(&Vec3::y()).z.clamp(-1.0, 1.0));
        // progress faster than 4 m/s gives no more reward
        terms[0] = (position.x - memory.before[0]).min(4.0 * memory.period);
        terms[1] = -memory.period * position.y.abs();
        terms[2] = -10.0 * memory.period * (roll.abs() - ROLL).max(0.0);
        let ending = if seen.is_overturned() {
            Some(Ending::Overturned)
        } else if position.y.abs() > LEFT {
            Some(Ending::Left)
        } else {
            seen.is_stuck().then_some(Ending::Stuck)
        };
        terms[3] = if ending.is_some() { -20.0 } else { 0.0 };
        ending
    }

    /// Pure pursuit of a point on the route at 3.5 m/s, with a steering correction up the slope.
    fn expert(&self, seen: &Seen<'_>) -> Action {
        let sample = seen.sample;
        let goal = [sample.pose.position.x + 0.6 * AHEAD, 0.0];
        let (_, angle) = bearing(sample, goal);
        let up = sample.pose.direction(&Vec3::y()).z;
        [seen.steer(angle + 0.1 * sin(up)), seen.hold(3.5), 0.0]
    }
}
