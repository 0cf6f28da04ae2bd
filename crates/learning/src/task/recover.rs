//! Task: get out of a soft hollow, forward or backward.

use super::{Action, Draw, Ending, LevelSpec, Seen, Task, WAY_TERMS};
use bekker_math::numeric::hypot;
use bekker_scenario::config::{Face, Stamp, Surface};

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

impl Task for Recover {
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

    fn on_tracks(&self) -> bool {
        true
    }

    fn sees_map(&self) -> bool {
        false
    }

    fn spec(&self, draw: &mut Draw, difficulty: f64) -> LevelSpec {
        let depth = DEPTHS[0] + difficulty * draw.within(0.5, 1.0) * DEPTHS[1];
        let at = [draw.within(-0.5, 0.5), draw.within(-0.5, 0.5)];
        LevelSpec {
            stamps: vec![Stamp::Hole { at, radius: RADIUS, depth, edge: None, face: Face::Smooth }],
            surface: Surface::default(),
            soil: draw.one(&SOILS),
            payload: difficulty * draw.within(0.0, 800.0),
            ..LevelSpec::default()
        }
    }

    fn judge(&self, seen: &Seen<'_>, terms: &mut [f64]) -> Option<Ending> {
        let Seen { sample, memory, .. } = *seen;
        let away = |[x, y]: [f64; 2]| hypot(x, y);
        let distance = away([sample.pose.position.x, sample.pose.position.y]);
        let progress = distance - away(memory.before);
        let ending = if distance > RADIUS + OUT {
            Some(Ending::Goal)
        } else if seen.is_overturned() {
            Some(Ending::Overturned)
        } else {
            seen.has_sunk().then_some(Ending::Stuck)
        };
        seen.way(progress, ending, terms);
        ending
    }

    /// Rocks the vehicle: drives until it stops, then in the other direction, and so on.
    fn expert(&self, seen: &Seen<'_>) -> Action {
        let memory = seen.memory;
        let still = (seen.sample.speed * memory.direction) < 0.15 && memory.since_turn > 1.0;
        let direction = if still { -memory.direction } else { memory.direction };
        [0.0, 0.8, direction as f32]
    }
}
