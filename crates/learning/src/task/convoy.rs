//! Task: keep the gap to the vehicle ahead, over soft patches that it has rutted.

use super::{Action, Draw, ENERGY, Ending, LevelSpec, Seen, Task};
use crate::level_spec::Patch;
use crate::observation::bearing;
use bekker_math::numeric::hypot;
use bekker_scenario::config::Surface;

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
    fn gap(seen: &Seen<'_>) -> Option<f64> {
        let ahead = seen.ahead()?.pose.position - seen.sample.pose.position;
        Some(hypot(ahead.x, ahead.y))
    }
}

impl Task for Convoy {
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

    fn sees_map(&self) -> bool {
        false
    }

    fn spec(&self, draw: &mut Draw, difficulty: f64) -> LevelSpec {
        let patches = 1 + (3.0 * difficulty) as usize;
        let mut patch = || Patch {
            soil: draw.one(&SOFT),
            centre: [draw.within(15.0, 80.0), draw.within(-4.0, 4.0)],
            radius: draw.within(3.0, 8.0),
        };
        let patches = (0..patches).map(|_| patch()).collect();
        LevelSpec {
            surface: Surface::Procedural {
                elevation: 0.0,
                amplitude: 0.2 + 0.8 * difficulty,
                wavelength: 60.0,
                octaves: 3,
            },
            patches,
            soil: draw.one(&FIRM),
            payload: difficulty * draw.within(0.0, 800.0),
            apart: GAP,
            speeds: (0..8).map(|_| draw.within(SPEEDS[0], SPEEDS[1])).collect(),
            ..LevelSpec::default()
        }
    }

    /// Target speed: for the first vehicle that of its spec, for others the speed of the vehicle
    /// ahead.
    fn wanted_speed(&self, seen: &Seen<'_>) -> Option<f64> {
        seen.ahead().map(|ahead| ahead.speed).or_else(|| seen.course_speed())
    }

    /// Goal: for the first vehicle a point on the route, for others the vehicle ahead.
    fn goal(&self, seen: &Seen<'_>) -> Option<[f64; 2]> {
        let ahead = seen.ahead().map(|ahead| [ahead.pose.position.x, ahead.pose.position.y]);
        ahead.or(Some([seen.sample.pose.position.x + AHEAD, 0.0]))
    }

    fn judge(&self, seen: &Seen<'_>, terms: &mut [f64]) -> Option<Ending> {
        let gap = Convoy::gap(seen);
        let error = match gap {
            Some(gap) => (gap - GAP).abs() / ERROR[0],
            None => {
                let wanted = self.wanted_speed(seen).unwrap_or_default();
                (seen.sample.speed - wanted).abs() / ERROR[1]
            }
        };
        let ending = if seen.has_hit() {
            Some(Ending::Hit)
        } else if seen.is_overturned() {
            Some(Ending::Overturned)
        } else if gap.is_some_and(|gap| gap > LOST) {
            Some(Ending::Left)
        } else {
            seen.is_stuck().then_some(Ending::Stuck)
        };
        terms[0] = 1.0 - error.min(1.0);
        terms[1] = -seen.memory.energy / ENERGY;
        terms[2] = if ending.is_some() { -50.0 } else { 0.0 };
        ending
    }

    /// Follows the vehicle ahead at its speed, corrected in proportion to the error of the gap.
    fn expert(&self, seen: &Seen<'_>) -> Action {
        let goal = self.goal(seen).unwrap_or_default();
        let (_, angle) = bearing(seen.sample, goal);
        let closes = Convoy::gap(seen).map_or(0.0, |gap| (gap - GAP) / CLOSES);
        let speed = self.wanted_speed(seen).unwrap_or_default() + closes;
        [seen.steer(angle), seen.hold(speed.clamp(0.0, 8.0)), 0.0]
    }
}
