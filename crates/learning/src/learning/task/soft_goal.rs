//! Reach a place over rolling ground with soft patches.

use super::{Action, Course, Draw, Ending, Seen, Task, WAY_TERMS};
use crate::learning::level::Patch;
use crate::learning::observation::bearing;
use crate::numeric::{cos, hypot, sin};
use crate::scenario::config::Surface;

/// The task.
#[derive(Debug)]
pub struct SoftGoal;

/// Soils that carry, and soils that hardly do.
const FIRM: [&str; 4] =
    ["upland_sandy_loam", "sandy_loam_15_lll", "grenville_loam", "rubicon_sandy_loam"];
const SOFT: [&str; 4] = ["lean_clay_32_wes", "dry_sand_lll", "clayey_55_thailand", "bog"];
/// Distance of the goal, m.
const DISTANCES: [f64; 2] = [25.0, 50.0];
/// Where it counts as reached, m.
const REACHED: f64 = 3.0;
/// How far from the goal, in parts of the first distance, it has been left.
const LEFT: f64 = 1.5;

impl Task for SoftGoal {
    fn id(&self) -> &'static str {
        "SoftGoal"
    }

    fn max_steps(&self) -> u32 {
        600
    }

    fn terms(&self) -> &'static [&'static str] {
        &WAY_TERMS
    }

    fn course(&self, draw: &mut Draw, difficulty: f64) -> Course {
        let distance = draw.within(DISTANCES[0], DISTANCES[1]);
        let bearing = (0.3 + 0.9 * difficulty) * draw.within(-1.0, 1.0);
        let goal = [distance * cos(bearing), distance * sin(bearing)];
        let patches = 1 + (5.0 * difficulty) as usize;
        // around the straight way, none under the start or the goal
        let mut patch = || {
            let along = draw.within(0.3, 0.75);
            let aside = draw.within(-6.0, 6.0);
            Patch {
                soil: draw.one(&SOFT),
                centre: [
                    along * goal[0] - aside * sin(bearing),
                    along * goal[1] + aside * cos(bearing),
                ],
                radius: draw.within(2.0, 5.0),
            }
        };
        let patches = (0..patches).map(|_| patch()).collect();
        Course {
            surface: Surface::Procedural {
                elevation: 0.0,
                amplitude: 0.3 + 1.7 * difficulty,
                wavelength: 40.0,
                octaves: 3,
            },
            soil: draw.one(&FIRM),
            patches,
            payload: difficulty * draw.within(0.0, 800.0),
            goal,
            ..Course::default()
        }
    }

    fn goal(&self, seen: &Seen<'_>) -> Option<[f64; 2]> {
        Some(seen.level.course.goal)
    }

    fn judge(&self, seen: &Seen<'_>, terms: &mut [f64]) -> Option<Ending> {
        let Seen { level, sample, memory, .. } = *seen;
        let goal = level.course.goal;
        let away = |[x, y]: [f64; 2]| hypot(goal[0] - x, goal[1] - y);
        let position = [sample.pose.position.x, sample.pose.position.y];
        let distance = away(position);
        let progress = away(memory.before) - distance;
        let ending = if distance < REACHED {
            Some(Ending::Goal)
        } else if seen.is_overturned() {
            Some(Ending::Overturned)
        } else if distance > LEFT * away([0.0; 2]) {
            Some(Ending::Left)
        } else {
            memory.is_stuck().then_some(Ending::Stuck)
        };
        seen.way(progress, ending, terms);
        ending
    }

    /// Straight to the goal at 4 m/s, slower in bends; it does not see what is soft.
    fn expert(&self, seen: &Seen<'_>) -> Action {
        let (_, angle) = bearing(seen.sample, seen.level.course.goal);
        let speed = 4.0 - 2.0 * angle.abs().min(1.0);
        [seen.steer(angle), seen.hold(speed), 0.0]
    }
}
