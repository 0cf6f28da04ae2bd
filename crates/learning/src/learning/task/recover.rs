//! Get out of a bog, forward or backward.

use super::{Action, Course, Draw, Ending, Judgement, Seen, Task};
use crate::learning::level::Patch;
use crate::numeric::hypot;
use crate::scenario::config::Surface;

/// The task.
#[derive(Debug)]
pub struct Recover;

/// Soils around, and soils to get out of.
const FIRM: [&str; 3] = ["upland_sandy_loam", "sandy_loam_15_lll", "grenville_loam"];
const SOFT: [&str; 3] = ["bog", "sandy_loam_32_hanamoto", "snow_harrison"];
/// Distance from the start that counts as out, beyond the edge, m.
const OUT: f64 = 5.0;
/// For getting out.
const PRIZE: f64 = 50.0;
/// Energy at the wheels that costs as much as a second, J.
const ENERGY: f64 = 1e6;

fn radius(course: &Course) -> f64 {
    course.patches.first().map_or(0.0, |patch| patch.radius)
}

impl Task for Recover {
    fn id(&self) -> &'static str {
        "Recover"
    }

    fn max_steps(&self) -> u32 {
        400
    }

    fn terms(&self) -> &'static [&'static str] {
        &["progress", "time", "energy", "end"]
    }

    fn actions(&self) -> usize {
        3
    }

    fn sees_map(&self) -> bool {
        false
    }

    fn course(&self, draw: &mut Draw, difficulty: f64) -> Course {
        let patch = Patch {
            soil: draw.one(&SOFT),
            centre: [draw.within(-1.0, 1.0), draw.within(-1.0, 1.0)],
            radius: 2.5 + 2.5 * difficulty * draw.within(0.5, 1.0),
        };
        let grade = 0.08 * difficulty * draw.within(-1.0, 1.0);
        Course {
            surface: Surface::Slope { elevation: 0.0, grade, uphill_deg: 0.0 },
            soil: draw.one(&FIRM),
            patches: vec![patch],
            payload: difficulty * draw.within(0.0, 800.0),
            ..Course::default()
        }
    }

    fn judge(&self, seen: &Seen<'_>, terms: &mut [f64]) -> Judgement {
        let Seen { level, sample, memory, .. } = *seen;
        let away = |[x, y]: [f64; 2]| hypot(x, y);
        let distance = away([sample.pose.position.x, sample.pose.position.y]);
        terms[0] = distance - away(memory.before);
        terms[1] = -memory.period;
        terms[2] = -memory.energy / ENERGY;
        let ending = if distance > radius(&level.course) + OUT {
            Some(Ending::Goal)
        } else {
            seen.is_overturned().then_some(Ending::Overturned)
        };
        terms[3] = match ending {
            Some(Ending::Goal) => PRIZE,
            Some(_) => -PRIZE,
            None => 0.0,
        };
        ending.into()
    }

    /// Rocks: forward, and where that gets nowhere for two seconds, backward, and so on.
    fn expert(&self, seen: &Seen<'_>) -> Action {
        let memory = seen.memory;
        // the other way after two seconds of standing, and the same way while it gets on
        let turn = memory.standing > 2.0;
        let direction = if turn { -memory.direction } else { memory.direction };
        [0.0, 0.6, direction as f32]
    }
}
