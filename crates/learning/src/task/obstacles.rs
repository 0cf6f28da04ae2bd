//! Task: reach a goal among holes, ditches, trees and rocks.

use super::{Action, EpisodeEnding, LearningTask, LevelRng, LevelSpec, TaskContext, WAY_TERMS};
use crate::level_spec::LevelObstacle;
use bekker_agent::PropKind;
use bekker_math::numeric::{cos, hypot, sin};
use bekker_scenario::config::{Face, StampConfig, SurfaceConfig};
use std::f64::consts::FRAC_PI_2;

/// The obstacle task.
#[derive(Debug)]
pub struct ObstacleTask;

/// Soils with good bearing capacity.
const SOILS: [&str; 4] =
    ["upland_sandy_loam", "sandy_loam_15_lll", "grenville_loam", "rubicon_sandy_loam"];
/// Distance of the goal, m.
const DISTANCES: [f64; 2] = [30.0, 50.0];
/// Number of trees and rocks at difficulty 0, and the increase to difficulty 1.
const STANDING: [f64; 2] = [6.0, 24.0];
/// Number of holes at difficulty 0, and the increase to difficulty 1; likewise of ditches.
const HOLES: [f64; 2] = [1.0, 5.0];
const DITCHES: [f64; 2] = [0.0, 2.0];
/// Radius around start and goal without obstacles, m.
const CLEAR: f64 = 8.0;

// parameters of the rule
/// Number of arcs to either side, and the curvature of the last, 1/m: full lock of an HMMWV.
const ARCS: i32 = 8;
const CURVATURE: f64 = 0.13;
/// Prediction distance and its step, m.
const LOOKS: f64 = 12.0;
const PACE: f64 = 0.5;
/// A vehicle as two disks: distance of their centers from the origin of the chassis, and radius, m.
const MIDDLE: f64 = 1.4;
const HALF: f64 = 1.6;
/// Width of the edge of a hole that is passable, m.
const RIM: f64 = 0.6;
/// Cost of a meter in a ditch, m.
const DITCH: f64 = 1.5;
/// Cruise speed, m/s, and the free distance below which it is reduced, m.
const SPEED: f64 = 3.5;
const SLOWS: f64 = 8.0;

impl LearningTask for ObstacleTask {
    fn id(&self) -> &'static str {
        "Obstacles"
    }

    fn max_steps(&self) -> u32 {
        600
    }

    fn terms(&self) -> &'static [&'static str] {
        &WAY_TERMS
    }

    fn spec(&self, rng: &mut LevelRng, difficulty: f64) -> LevelSpec {
        let distance = rng.uniform(DISTANCES[0], DISTANCES[1]);
        let bearing = 0.5 * rng.uniform(-1.0, 1.0);
        let (c, s) = (cos(bearing), sin(bearing));
        let many = |[least, more]: [f64; 2]| (least + more * difficulty) as usize;
        // along the straight line to the goal and to its sides, but not at the start or the goal
        let place = |rng: &mut LevelRng, aside: f64| {
            let along = rng.uniform(CLEAR, distance - CLEAR);
            let aside = rng.uniform(-aside, aside);
            [along * c - aside * s, along * s + aside * c]
        };
        let obstacles = (0..many(STANDING)).map(|_| {
            let place = place(rng, 12.0);
            let kind =
                rng.choose(&[PropKind::Oak, PropKind::Spruce, PropKind::Rock, PropKind::Rock]);
            let thick = if kind == PropKind::Rock { [0.8, 2.0] } else { [0.25, 0.5] };
            LevelObstacle { kind, place, diameter: rng.uniform(thick[0], thick[1]) }
        });
        let obstacles = obstacles.collect();
        let holes = (0..many(HOLES)).map(|_| StampConfig::Hole {
            at: place(rng, 8.0),
            radius: rng.uniform(1.0, 2.5),
            depth: rng.uniform(0.4, 0.4 + 0.8 * difficulty),
            edge: None,
            face: Face::Smooth,
        });
        let mut stamps: Vec<StampConfig> = holes.collect();
        stamps.extend((0..many(DITCHES)).map(|_| {
            let [x, y] = place(rng, 6.0);
            let (along, half) = (bearing + FRAC_PI_2, rng.uniform(3.0, 6.0));
            let (dx, dy) = (half * cos(along), half * sin(along));
            let width = rng.uniform(1.2, 2.4);
            let depth = rng.uniform(0.4, 0.4 + 0.6 * difficulty);
            StampConfig::Ditch {
                from: [x - dx, y - dy],
                to: [x + dx, y + dy],
                width,
                depth,
                edge: None,
                face: Face::Smooth,
            }
        }));
        LevelSpec {
            surface: SurfaceConfig::Procedural {
                elevation: 0.0,
                amplitude: 0.2 + 0.6 * difficulty,
                wavelength: 40.0,
                octaves: 3,
            },
            stamps,
            obstacles,
            soil: rng.choose(&SOILS),
            payload: difficulty * rng.uniform(0.0, 800.0),
            goal: [distance * c, distance * s],
            ..LevelSpec::default()
        }
    }

    fn goal(&self, context: &TaskContext<'_>) -> Option<[f64; 2]> {
        Some(context.level.spec.goal)
    }

    fn judge(&self, context: &TaskContext<'_>, terms: &mut [f64]) -> Option<EpisodeEnding> {
        context.goal_terms(terms)
    }

    /// Dynamic window approach (Fox, Burgard and Thrun 1997).
    ///
    /// From the arcs that can be steered it selects the one that ends closest to the goal and is
    /// free the longest. It drives at 3.5 m/s, slower where little is free. It uses the true positions
    /// of all obstacles.
    fn expert(&self, context: &TaskContext<'_>) -> Action {
        let arcs =
            (-ARCS..=ARCS).map(|n| CandidateArc::new(context, f64::from(n) / f64::from(ARCS)));
        let best = arcs.max_by(|a, b| a.score.total_cmp(&b.score));
        let Some(CandidateArc { steering, free, .. }) = best else { return [0.0; 3] };
        let speed = SPEED * (free / SLOWS).clamp(0.3, 1.0);
        [steering as f32, context.speed_action(speed), 0.0]
    }
}

/// A path at constant steering.
struct CandidateArc {
    /// Fraction of full lock.
    steering: f64,
    /// Free distance, m.
    free: f64,
    /// Score, m.
    score: f64,
}

impl CandidateArc {
    fn new(context: &TaskContext<'_>, steering: f64) -> CandidateArc {
        let spec = &context.level.spec;
        let [gx, gy] = spec.goal;
        let (position, yaw) = (context.sample.pose.position, context.sample.pose.yaw());
        let (mut x, mut y) = (position.x, position.y);
        let (mut free, mut least, mut crossed) = (0.0, f64::INFINITY, 0.0);
        while free < LOOKS {
            let heading = yaw + steering * CURVATURE * (free + 0.5 * PACE);
            let (c, s) = (cos(heading), sin(heading));
            (x, y) = (x + PACE * c, y + PACE * s);
            least = f64::min(least, hypot(gx - x, gy - y));
            let discs = [[x + MIDDLE * c, y + MIDDLE * s], [x - MIDDLE * c, y - MIDDLE * s]];
            if discs.iter().any(|disc| is_taken(spec, *disc)) {
                break;
            }
            crossed += if is_ditch(spec, discs[0]) { PACE } else { 0.0 };
            free += PACE;
        }
        let score = 0.5 * free - least - DITCH * crossed - 0.5 * steering.abs();
        CandidateArc { steering, free, score }
    }
}

/// Returns whether a disk of the vehicle touches an obstacle or a hole.
fn is_taken(spec: &LevelSpec, [x, y]: [f64; 2]) -> bool {
    let near = |[px, py]: [f64; 2], reach: f64| hypot(px - x, py - y) < reach;
    let stands = |thing: &LevelObstacle| near(thing.place, 0.5 * thing.diameter + HALF);
    let hole = |stamp: &StampConfig| match stamp {
        StampConfig::Hole { at, radius, .. } => near(*at, radius + HALF - RIM),
        _ => false,
    };
    spec.obstacles.iter().any(stands) || spec.stamps.iter().any(hole)
}

/// Returns whether a disk of the vehicle touches a ditch.
fn is_ditch(spec: &LevelSpec, [x, y]: [f64; 2]) -> bool {
    spec.stamps.iter().any(|stamp| match stamp {
        StampConfig::Ditch { from, to, width, .. } => {
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            let length = hypot(dx, dy).max(1e-9);
            let along = ((x - from[0]) * dx + (y - from[1]) * dy) / length;
            let aside = ((y - from[1]) * dx - (x - from[0]) * dy) / length;
            (-HALF..length + HALF).contains(&along) && aside.abs() < 0.5 * width + HALF
        }
        _ => false,
    })
}
