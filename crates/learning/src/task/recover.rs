//! Task: get out of a soft hollow, forward or backward.

use super::{Action, EpisodeEnding, LearningTask, LevelRng, LevelSpec, TaskContext, WAY_TERMS};
use bekker_math::numeric::hypot;
use bekker_scenario::config::{Face, StampConfig, SurfaceConfig};

/// The recovery task.
#[derive(Debug)]
pub struct Recover;

/// Soils of the hollow.
const SOILS: [&str; 4] =
    ["dry_sand_lll", "lean_clay_32_wes", "push_pull_silica_2020", "clayey_38_thailand"];
/// Radius of the hollow, m, its depth at difficulty 0, and the increase to difficulty 1.
const RADIUS: f64 = 4.0;
const DEPTHS: [f64; 2] = [0.3, 0.7];
/// Distance beyond the edge that counts as out, m.
const OUT: f64 = 1.0;

impl LearningTask for Recover {
    fn id(&self) -> &'static str {
        "Recover"
    }

    fn max_steps(&self) -> u32 {
        400
    }

    fn terms(&self) -> &'static [&'static str] {
        &WAY_TERMS
    }

    fn actions(&self) -> usize {
        3
    }

    fn requires_tracks(&self) -> bool {
        true
    }

    fn observes_map(&self) -> bool {
        false
    }

    fn spec(&self, rng: &mut LevelRng, difficulty: f64) -> LevelSpec {
        let depth = DEPTHS[0] + difficulty * rng.uniform(0.5, 1.0) * DEPTHS[1];
        let at = [rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5)];
        LevelSpec {
            stamps: vec![StampConfig::Hole {
                at,
                radius: RADIUS,
                depth,
                edge: None,
                face: Face::Smooth,
            }],
            surface: SurfaceConfig::default(),
            soil: rng.choose(&SOILS),
            payload: difficulty * rng.uniform(0.0, 800.0),
            ..LevelSpec::default()
        }
    }

    fn judge(&self, context: &TaskContext<'_>, terms: &mut [f64]) -> Option<EpisodeEnding> {
        let TaskContext { sample, memory, .. } = *context;
        let away = |[x, y]: [f64; 2]| hypot(x, y);
        let distance = away([sample.pose.position.x, sample.pose.position.y]);
        let progress = distance - away(memory.before);
        let ending = if distance > RADIUS + OUT {
            Some(EpisodeEnding::Goal)
        } else if context.is_overturned() {
            Some(EpisodeEnding::Overturned)
        } else {
            context.has_sunk().then_some(EpisodeEnding::Stuck)
        };
        context.progress_terms(progress, ending, terms);
        ending
    }

    /// Rocks the vehicle: drives until it stops, then in the other direction, and so on.
    fn expert(&self, context: &TaskContext<'_>) -> Action {
        let memory = context.memory;
        let still = (context.sample.speed * memory.direction) < 0.15 && memory.direction_time > 1.0;
        let direction = if still { -memory.direction } else { memory.direction };
        [0.0, 0.8, direction as f32]
    }
}
