//! Task: reach a goal over rolling ground with soft patches.

use super::{Action, Draw, Ending, LevelSpec, Seen, Task, WAY_TERMS};
use crate::level_spec::Patch;
use crate::observation::bearing;
use bekker_math::numeric::{cos, sin};
use bekker_scenario::config::Surface;

/// The soft-ground task.
#[derive(Debug)]
pub struct SoftGoal;

/// Soils with good bearing capacity, and soils with little.
const FIRM: [&str; 4] =
    ["upland_sandy_loam", "sandy_loam_15_lll", "grenville_loam", "rubicon_sandy_loam"];
const SOFT: [&str; 4] = ["lean_clay_32_wes", "dry_sand_lll", "clayey_55_thailand", "bog"];
/// Distance of the goal, m.
const DISTANCES: [f64; 2] = [25.0, 50.0];

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

    fn on_tracks(&self) -> bool {
        true
    }

    fn spec(&self, draw: &mut Draw, difficulty: f64) -> LevelSpec {
        let distance = draw.within(DISTANCES[0], DISTANCES[1]);
        let bearing = (0.3 + 0.9 * difficulty) * draw.within(-1.0, 1.0);
        let goal = [distance * cos(bearing), distance * sin(bearing)];
        let patches = 1 + (5.0 * difficulty) as usize;
        // around the straight line to the goal, none under the start or the goal
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
        LevelSpec {
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
            ..LevelSpec::default()
        }
    }

    fn goal(&self, seen: &Seen<'_>) -> Option<[f64; 2]> {
        Some(seen.level.spec.goal)
    }

    fn judge(&self, seen: &Seen<'_>, terms: &mut [f64]) -> Option<Ending> {
        seen.way_to_goal(terms)
    }

    /// Straight to the goal at 4 m/s, slower in bends; it does not observe soft ground.
    fn expert(&self, seen: &Seen<'_>) -> Action {
        let (_, angle) = bearing(seen.sample, seen.level.spec.goal);
        let speed = 4.0 - 2.0 * angle.abs().min(1.0);
        [seen.steer(angle), seen.hold(speed), 0.0]
    }
}
