//! Task: reach a goal over rolling ground with soft patches.

use super::{Action, EpisodeEnding, LearningTask, LevelRng, LevelSpec, TaskContext, WAY_TERMS};
use crate::level_spec::SoilPatch;
use crate::observation::bearing;
use bekker_math::numeric::{cos, sin};
use bekker_scenario::config::SurfaceConfig;

/// The soft-ground task.
#[derive(Debug)]
pub struct SoftGoal;

/// Soils with good bearing capacity, and soils with little.
const FIRM: [&str; 4] =
    ["upland_sandy_loam", "sandy_loam_15_lll", "grenville_loam", "rubicon_sandy_loam"];
const SOFT: [&str; 4] = ["lean_clay_32_wes", "dry_sand_lll", "clayey_55_thailand", "bog"];
/// Distance of the goal, m.
const DISTANCES: [f64; 2] = [25.0, 50.0];

impl LearningTask for SoftGoal {
    fn id(&self) -> &'static str {
        "SoftGoal"
    }

    fn max_steps(&self) -> u32 {
        600
    }

    fn terms(&self) -> &'static [&'static str] {
        &WAY_TERMS
    }

    fn requires_tracks(&self) -> bool {
        true
    }

    fn spec(&self, rng: &mut LevelRng, difficulty: f64) -> LevelSpec {
        let distance = rng.uniform(DISTANCES[0], DISTANCES[1]);
        let bearing = (0.3 + 0.9 * difficulty) * rng.uniform(-1.0, 1.0);
        let goal = [distance * cos(bearing), distance * sin(bearing)];
        let patches = 1 + (5.0 * difficulty) as usize;
        // around the straight line to the goal, none under the start or the goal
        let mut patch = || {
            let along = rng.uniform(0.3, 0.75);
            let aside = rng.uniform(-6.0, 6.0);
            SoilPatch {
                soil: rng.choose(&SOFT),
                center: [
                    along * goal[0] - aside * sin(bearing),
                    along * goal[1] + aside * cos(bearing),
                ],
                radius: rng.uniform(2.0, 5.0),
            }
        };
        let patches = (0..patches).map(|_| patch()).collect();
        LevelSpec {
            surface: SurfaceConfig::Procedural {
                elevation: 0.0,
                amplitude: 0.3 + 1.7 * difficulty,
                wavelength: 40.0,
                octaves: 3,
            },
            soil: rng.choose(&FIRM),
            patches,
            payload: difficulty * rng.uniform(0.0, 800.0),
            goal,
            ..LevelSpec::default()
        }
    }

    fn goal(&self, context: &TaskContext<'_>) -> Option<[f64; 2]> {
        Some(context.level.spec.goal)
    }

    fn judge(&self, context: &TaskContext<'_>, terms: &mut [f64]) -> Option<EpisodeEnding> {
        context.goal_terms(terms)
    }

    /// Straight to the goal at 4 m/s, slower in bends; it does not observe soft ground.
    fn expert(&self, context: &TaskContext<'_>) -> Action {
        let (_, angle) = bearing(context.sample, context.level.spec.goal);
        let speed = 4.0 - 2.0 * angle.abs().min(1.0);
        [context.steering_action(angle), context.speed_action(speed), 0.0]
    }
}
