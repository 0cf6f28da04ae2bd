//! Discs that agents cannot leave before the next census.

use bekker_math::grid::TileKey;
use rstar::AABB;
use serde::{Deserialize, Serialize};

/// Time between two censuses, s.
pub(crate) const CENSUS: f64 = 1.0;
/// No vehicle speeds up or turns harder than this for long, m/s²: one that does has all
/// hold a census early.
pub(crate) const ACCELERATION: f64 = 20.0;
/// No vehicle gains speed faster than this over one heartbeat, m/s², not even one that is
/// hit at 30 m/s, ...
const JOLT: f64 = 5000.0;
/// ... nor more speed than this, m/s.
const GAIN: f64 = 60.0;
/// A vehicle's wheels and the soil that they push aside lie within this distance
/// of its chassis frame, m.
const REACH: f64 = 8.0;
/// The soil that a trailer's wheel pushes aside lies within this distance of the wheel, m.
const BESIDE_WHEEL: f64 = 3.0;

/// A rectangle of tiles, its lowest and its highest.
pub(crate) type Rect = [TileKey; 2];

/// What an agent tells at a census.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    pub agent: u32,
    pub centre: [f64; 2],
    pub radius: f64,
    /// How far from its place the agent's wheels, or the ground that it looks at, may be, m.
    reach: f64,
}

impl Region {
    /// Around an agent at (x, y) with this speed, m/s, until the next census, with
    /// heartbeats of `heartbeat` seconds; `tile` is the side of a tile, m.
    pub fn around(agent: usize, centre: [f64; 2], speed: f64, heartbeat: f64, tile: f64) -> Region {
        let until = CENSUS.max(heartbeat);
        let way = way(speed, ACCELERATION, until).max(jolted(speed, heartbeat));
        // whole tiles are read and written
        Region { agent: agent as u32, centre, radius: way + REACH + 2.0 * tile, reach: REACH }
    }

    /// The same of an agent with wheels this far from its place, m: those of a trailer, which may
    /// have been left behind.
    pub fn trailing(self, away: f64) -> Region {
        let reach = if away > 0.0 { REACH.max(away + BESIDE_WHEEL) } else { REACH };
        Region { radius: self.radius + reach - REACH, reach, ..self }
    }

    /// The same of an agent that looks at ground this far from its place along either axis, m.
    pub fn looking(self, sight: f64) -> Region {
        let reach = self.reach.max(sight);
        Region { radius: self.radius + reach - self.reach, reach, ..self }
    }

    /// The disc in which lies whatever an agent within this one sees, as far as `sight`, m.
    pub fn seeing(self, sight: f64) -> Region {
        Region { radius: self.radius + sight, ..self }
    }

    /// Whether an agent that is now at (x, y) has kept its promise.
    pub fn holds(&self, place: [f64; 2], tile: f64) -> bool {
        self.keeps(place, 0.0, tile)
    }

    /// Whether it is sure to keep it over a further heartbeat of `heartbeat` seconds, at this
    /// speed, m/s.
    pub fn lasts(&self, place: [f64; 2], speed: f64, heartbeat: f64, tile: f64) -> bool {
        self.keeps(place, jolted(speed, heartbeat), tile)
    }

    #[allow(clippy::neg_cmp_op_on_partial_ord)]
    fn keeps(&self, [x, y]: [f64; 2], further: f64, tile: f64) -> bool {
        let (dx, dy) = (x - self.centre[0], y - self.centre[1]);
        let left = self.radius - self.reach - 2.0 * tile - further;
        // one whose state is no longer finite has ended its drive
        !(dx * dx + dy * dy > left * left || left < 0.0)
    }

    pub fn envelope(&self) -> AABB<[f64; 2]> {
        let [x, y] = self.centre;
        let r = self.radius;
        AABB::from_corners([x - r, y - r], [x + r, y + r])
    }

    /// The tiles of side `tile`, m, that it touches.
    pub fn tiles(&self, tile: f64) -> Rect {
        // who is nowhere touches nothing: casts give 0 for what is no number
        let corner = |side: f64| {
            let [a, b] = self.centre.map(|at| ((at + side * self.radius) / tile).floor() as i32);
            TileKey { a, b }
        };
        [corner(-1.0), corner(1.0)]
    }
}

/// Farthest that a vehicle gets within a time, s, from a speed, m/s, that it gains on by
/// at most this acceleration, m/s².
fn way(speed: f64, acceleration: f64, time: f64) -> f64 {
    speed.abs() * time + 0.5 * acceleration * time * time
}

/// Farthest that a vehicle gets within a heartbeat, s, in which something may hit it.
fn jolted(speed: f64, heartbeat: f64) -> f64 {
    way(speed, JOLT, heartbeat).min(way(speed.abs() + GAIN, 0.0, heartbeat))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(agent: usize, x: f64) -> Region {
        Region::around(agent, [x, 0.0], 0.0, 0.01, 0.8)
    }

    /// One that looks keeps its region as long as one that does not: it sees the farther.
    #[test]
    fn the_region_of_one_that_looks_holds_what_it_sees() {
        let (blind, looking) = (region(0, 0.0), region(0, 0.0).looking(110.0));
        assert!((looking.radius - blind.radius - (110.0 - REACH)).abs() < 1e-9);
        for x in [9.0, 11.0] {
            assert_eq!(looking.holds([x, 0.0], 0.8), blind.holds([x, 0.0], 0.8), "{x} m");
        }
    }

    #[test]
    fn a_disc_is_kept_or_it_shows() {
        let region = Region::around(0, [10.0, 0.0], 5.0, 0.01, 0.8);
        assert!(region.holds([24.9, 0.0], 0.8));
        assert!(!region.holds([25.1, 0.0], 0.8));
        // 10 ms at 30 m/s and a jolt are 0.55 m
        assert!(region.lasts([24.4, 0.0], 30.0, 0.01, 0.8));
        assert!(!region.lasts([24.5, 0.0], 30.0, 0.01, 0.8));
    }

    /// After a census every agent may drive for one heartbeat at least, however long
    /// that is: a census held early is of use.
    #[test]
    fn a_new_disc_lasts_for_a_heartbeat() {
        for (speed, heartbeat) in [(0.0, 0.01), (90.0, 0.01), (5.0, 0.2), (30.0, 1.0), (30.0, 3.0)]
        {
            let region = Region::around(0, [0.0, 0.0], speed, heartbeat, 0.8);
            assert!(region.lasts([0.0, 0.0], speed, heartbeat, 0.8), "{speed} m/s, {heartbeat} s");
        }
    }
}
