//! Task: keep the gap to the vehicle ahead, over soft patches that it has rutted.

use super::{Action, ENERGY, EpisodeEnding, LearningTask, LevelRng, LevelSpec, TaskContext};
use crate::level_spec::SoilPatch;
use crate::observation::bearing;
use bekker_math::numeric::hypot;
use bekker_scenario::config::SurfaceConfig;

/// The convoy task.
#[derive(Debug)]
pub struct Convoy;

/// Soils with good bearing capacity, and soils that support the first vehicle better than the last.
const FIRM: [&str; 3] = ["upland_sandy_loam", "sandy_loam_15_lll", "rubicon_sandy_loam"];
const SOFT: [&str; 3] = ["lean_clay_32_wes", "dry_sand_lll", "clayey_38_thailand"];
/// Target gap between the reference points of consecutive vehicles, m.
const GAP: f64 = 12.0;
/// Error at which the reward becomes 0: of the gap, m, or of the speed of the first vehicle, m/s.
const ERROR: [f64; 2] = [8.0, 2.0];
/// Gap at which the vehicle ahead counts as lost, m.
const LOST: f64 = 50.0;
/// Range of target speeds of the first vehicle, m/s.
const SPEEDS: [f64; 2] = [2.0, 5.0];
/// Distance of the first vehicle's goal ahead on the route, m.
const AHEAD: f64 = 10.0;
/// Error of the gap that changes the speed of the rule by 1 m/s, m.
const CLOSES: f64 = 3.0;

impl Convoy {
    fn gap(context: &TaskContext<'_>) -> Option<f64> {
        let ahead = context.ahead()?.pose.position - context.sample.pose.position;
        Some(hypot(ahead.x, ahead.y))
    }
}

impl LearningTask for Convoy {
    fn id(&self) -> &'static str {
        "Convoy"
    }

    fn max_steps(&self) -> u32 {
        300
    }

    fn terms(&self) -> &'static [&'static str] {
        &["gap", "energy", "end"]
    }

    fn vehicles(&self) -> [u32; 2] {
        [2, 8]
    }

    fn observes_map(&self) -> bool {
        false
    }

    fn spec(&self, rng: &mut LevelRng, difficulty: f64) -> LevelSpec {
        let patches = 1 + (3.0 * difficulty) as usize;
        let mut patch = || SoilPatch {
            soil: rng.choose(&SOFT),
            center: [rng.uniform(15.0, 80.0), rng.uniform(-4.0, 4.0)],
            radius: rng.uniform(3.0, 8.0),
        };
        let patches = (0..patches).map(|_| patch()).collect();
        LevelSpec {
            surface: SurfaceConfig::Procedural {
                elevation: 0.0,
                amplitude: 0.2 + 0.8 * difficulty,
                wavelength: 60.0,
                octaves: 3,
            },
            patches,
            soil: rng.choose(&FIRM),
            payload: difficulty * rng.uniform(0.0, 800.0),
            vehicle_spacing: GAP,
            speeds: (0..8).map(|_| rng.uniform(SPEEDS[0], SPEEDS[1])).collect(),
            ..LevelSpec::default()
        }
    }

    /// Target speed: for the first vehicle that of its spec, for others the speed of the vehicle
    /// ahead.
    fn target_speed(&self, context: &TaskContext<'_>) -> Option<f64> {
        context.ahead().map(|ahead| ahead.speed).or_else(|| context.course_speed())
    }

    /// Goal: for the first vehicle a point on the route, for others the vehicle ahead.
    fn goal(&self, context: &TaskContext<'_>) -> Option<[f64; 2]> {
        let ahead = context.ahead().map(|ahead| [ahead.pose.position.x, ahead.pose.position.y]);
        ahead.or(Some([context.sample.pose.position.x + AHEAD, 0.0]))
    }

    fn judge(&self, context: &TaskContext<'_>, terms: &mut [f64]) -> Option<EpisodeEnding> {
        let gap = Convoy::gap(context);
        let error = match gap {
            Some(gap) => (gap - GAP).abs() / ERROR[0],
            None => {
                let wanted = self.target_speed(context).unwrap_or_default();
                (context.sample.speed - wanted).abs() / ERROR[1]
            }
        };
        let ending = if context.has_hit() {
            Some(EpisodeEnding::Hit)
        } else if context.is_overturned() {
            Some(EpisodeEnding::Overturned)
        } else if gap.is_some_and(|gap| gap > LOST) {
            Some(EpisodeEnding::Left)
        } else {
            context.is_stuck().then_some(EpisodeEnding::Stuck)
        };
        terms[0] = 1.0 - error.min(1.0);
        terms[1] = -context.memory.energy / ENERGY;
        terms[2] = if ending.is_some() { -50.0 } else { 0.0 };
        ending
    }

    /// Follows the vehicle ahead at its speed, corrected in proportion to the error of the gap.
    fn expert(&self, context: &TaskContext<'_>) -> Action {
        let goal = self.goal(context).unwrap_or_default();
        let (_, angle) = bearing(context.sample, goal);
        let closes = Convoy::gap(context).map_or(0.0, |gap| (gap - GAP) / CLOSES);
        let speed = self.target_speed(context).unwrap_or_default() + closes;
        [context.steering_action(angle), context.speed_action(speed.clamp(0.0, 8.0)), 0.0]
    }
}
