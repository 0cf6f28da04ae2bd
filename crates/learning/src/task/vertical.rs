//! Task: reach a goal over vertically challenging ground.
//!
//! The kind of task is that of Verti-Bench (T. Xu, C. Pan and X. Xiao, *Verti-Bench: a general and
//! scalable off-road mobility benchmark for vertically challenging terrain*, 2025): slopes and mounds
//! at the limit of the vehicle, on soft to hard ground, judged by success, time, roll and pitch. The
//! grounds are bekker's own. (Cited from memory.)

use super::{Action, EpisodeEnding, LearningTask, LevelRng, LevelSpec, TaskContext};
use crate::observation::bearing;
use bekker_math::numeric::{asin, atan2, cos, sin};
use bekker_math::spatial::Vec3;
use bekker_scenario::config::SurfaceConfig;

/// The task on vertically challenging ground.
#[derive(Debug)]
pub struct Vertical;

/// Soils from soft to hard. In Project Chrono's softest, the vehicle digs itself in on level ground.
const SOILS: [&str; 3] = ["dry_sand_lll", "chrono_mid", "chrono_hard"];
/// Distance of the goal, m.
const DISTANCES: [f64; 2] = [25.0, 40.0];
/// Height of the hills at difficulty 0, and the increase to difficulty 1, m.
const HILLS: [f64; 2] = [0.2, 1.0];
/// Distance between the largest hills, m: about four lengths of a car.
const WAVELENGTH: f64 = 16.0;
/// Speed of the expert on level ground, m/s.
const SPEED: f64 = 4.0;
/// Headings of the expert, as multiples of this angle to either side of the goal, rad.
const TURN: f64 = 0.25;
/// Distances at which the expert compares the ground ahead, m, and half the width of its track, m.
const LOOK: [f64; 3] = [2.0, 4.0, 6.0];
const HALF_TRACK: f64 = 0.9;

impl LearningTask for Vertical {
    fn id(&self) -> &'static str {
        "Vertical"
    }

    fn max_steps(&self) -> u32 {
        600
    }

    fn terms(&self) -> &'static [&'static str] {
        &["progress", "time", "energy", "end", "roll", "pitch"]
    }

    fn requires_tracks(&self) -> bool {
        true
    }

    fn spec(&self, rng: &mut LevelRng, difficulty: f64) -> LevelSpec {
        let distance = rng.uniform(DISTANCES[0], DISTANCES[1]);
        let bearing = 0.3 * rng.uniform(-1.0, 1.0);
        LevelSpec {
            surface: SurfaceConfig::Procedural {
                elevation: 0.0,
                amplitude: HILLS[0] + difficulty * rng.uniform(0.5, 1.0) * HILLS[1],
                wavelength: WAVELENGTH,
                octaves: 3,
            },
            soil: rng.choose(&SOILS),
            goal: [distance * cos(bearing), distance * sin(bearing)],
            ..LevelSpec::default()
        }
    }

    fn goal(&self, context: &TaskContext<'_>) -> Option<[f64; 2]> {
        Some(context.level.spec.goal)
    }

    fn judge(&self, context: &TaskContext<'_>, terms: &mut [f64]) -> Option<EpisodeEnding> {
        let ending = context.goal_terms(&mut terms[..4]);
        let tilt = |axis: Vec3| asin(context.sample.pose.direction(&axis).z.clamp(-1.0, 1.0)).abs();
        let period = context.memory.period;
        terms[4] = -period * tilt(Vec3::y());
        terms[5] = -period * tilt(Vec3::x());
        ending
    }

    /// Toward the goal along the heading with the flattest ground ahead, and slower on slopes; it knows
    /// the whole undisturbed ground.
    fn expert(&self, context: &TaskContext<'_>) -> Action {
        let sample = context.sample;
        let (_, angle) = bearing(sample, context.level.spec.goal);
        let forward = sample.pose.direction(&Vec3::x());
        let heading = atan2(forward.y, forward.x);
        let position = sample.pose.position;
        let terrain = context.world.model().ground.terrain();
        let roughness = |turn: f64| {
            let (sin, cos) = (sin(heading + turn), cos(heading + turn));
            let height = |ahead: f64, left: f64| {
                let [dx, dy] = [ahead * cos - left * sin, ahead * sin + left * cos];
                terrain.height(position.x + dx, position.y + dy)
            };
            let start = height(0.0, 0.0);
            let steepness = LOOK.iter().map(|&ahead| {
                let [left, right] = [height(ahead, HALF_TRACK), height(ahead, -HALF_TRACK)];
                let side = (left - right) / (2.0 * HALF_TRACK);
                let rise = (0.5 * (left + right) - start) / ahead;
                side * side + rise * rise
            });
            steepness.sum::<f64>() + 0.3 * (turn - angle) * (turn - angle)
        };
        let turns = (-4..=4).map(|n| f64::from(n) * TURN);
        let best = turns.min_by(|a, b| roughness(*a).total_cmp(&roughness(*b))).unwrap_or(angle);
        let slope = forward.z.abs() + sample.pose.direction(&Vec3::y()).z.abs();
        let speed = SPEED / (1.0 + slope) - best.abs().min(1.0);
        [context.steering_action(best), context.speed_action(speed), 0.0]
    }
}
