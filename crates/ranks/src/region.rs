//! Discs that agents cannot leave before the next census.

use bekker_math::grid::TileKey;
use rstar::AABB;
use serde::{Deserialize, Serialize};

/// Time between two censuses, s.
pub(crate) const CENSUS_INTERVAL: f64 = 1.0;
/// Bound of a vehicle's sustained acceleration, m/s². If a vehicle exceeds it, all ranks hold a
/// census early.
pub(crate) const MAX_ACCELERATION: f64 = 20.0;
/// Bound of a vehicle's acceleration over one heartbeat, m/s². It holds even for a collision at 30
/// m/s.
const MAX_COLLISION_ACCELERATION: f64 = 5000.0;
/// Bound of the speed that a vehicle gains over one heartbeat, m/s.
const MAX_COLLISION_SPEED_GAIN: f64 = 60.0;
/// Bound of the distance from a vehicle's chassis frame to its wheels and the soil that they
/// displace, m.
const WHEEL_DISTANCE: f64 = 8.0;
/// Bound of the distance from a trailer's wheel to the soil that it displaces, m.
const DISPLACED_SOIL_DISTANCE: f64 = 3.0;

/// A rectangle of tiles: its lowest and its highest tile, both included.
pub(crate) type Rect = [TileKey; 2];

/// Disc that an agent announces at a census.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CensusDisc {
    pub agent: u32,
    pub center: [f64; 2],
    pub radius: f64,
    /// Greatest distance from the agent's position to its wheels or to the ground in its view, m.
    reach: f64,
}

impl CensusDisc {
    /// Returns the region of an agent at `center` (x, y) until the next census.
    ///
    /// `speed` is in m/s, `heartbeat` is the heartbeat's length, s, and `tile` the side of a tile,
    /// m.
    pub fn around(
        agent: usize,
        center: [f64; 2],
        speed: f64,
        heartbeat: f64,
        tile: f64,
    ) -> CensusDisc {
        let until = CENSUS_INTERVAL.max(heartbeat);
        let travel =
            max_travel(speed, MAX_ACCELERATION, until).max(max_collision_travel(speed, heartbeat));
        // Tiles are read and written as a whole.
        CensusDisc {
            agent: agent as u32,
            center,
            radius: travel + WHEEL_DISTANCE + 2.0 * tile,
            reach: WHEEL_DISTANCE,
        }
    }

    /// Extends the region to wheels at the distance `away` from the agent's position, m.
    ///
    /// These are the wheels of a trailer, which may have been uncoupled and left behind.
    pub fn with_trailer(self, away: f64) -> CensusDisc {
        let reach = if away > 0.0 {
            WHEEL_DISTANCE.max(away + DISPLACED_SOIL_DISTANCE)
        } else {
            WHEEL_DISTANCE
        };
        CensusDisc { radius: self.radius + reach - WHEEL_DISTANCE, reach, ..self }
    }

    /// Extends the region to ground in view, up to `sight` along either axis, m.
    pub fn with_view(self, sight: f64) -> CensusDisc {
        let reach = self.reach.max(sight);
        CensusDisc { radius: self.radius + reach - self.reach, reach, ..self }
    }

    /// Returns the disc that contains everything an agent in this region sees, up to `sight`, m.
    pub fn view(self, sight: f64) -> CensusDisc {
        CensusDisc { radius: self.radius + sight, ..self }
    }

    /// Whether an agent that is now at `place` (x, y) is still within its region.
    pub fn contains(&self, place: [f64; 2], tile: f64) -> bool {
        self.contains_with_margin(place, 0.0, tile)
    }

    /// Whether the agent is sure to stay in its region for another heartbeat.
    ///
    /// `speed` is in m/s and `heartbeat` is the heartbeat's length, s.
    pub fn stays_inside(&self, place: [f64; 2], speed: f64, heartbeat: f64, tile: f64) -> bool {
        self.contains_with_margin(place, max_collision_travel(speed, heartbeat), tile)
    }

    #[allow(clippy::neg_cmp_op_on_partial_ord)]
    fn contains_with_margin(&self, [x, y]: [f64; 2], further: f64, tile: f64) -> bool {
        let (dx, dy) = (x - self.center[0], y - self.center[1]);
        let left = self.radius - self.reach - 2.0 * tile - further;
        // An agent whose state is no longer finite has ended its drive and counts as inside.
        !(dx * dx + dy * dy > left * left || left < 0.0)
    }

    pub fn envelope(&self) -> AABB<[f64; 2]> {
        let [x, y] = self.center;
        let r = self.radius;
        AABB::from_corners([x - r, y - r], [x + r, y + r])
    }

    /// Returns the tiles of side `tile`, m, that the region touches.
    pub fn tiles(&self, tile: f64) -> Rect {
        // Casts turn NaN into 0, so a position that is not a number counts as the tile at the origin.
        let corner = |side: f64| {
            let [a, b] = self.center.map(|at| ((at + side * self.radius) / tile).floor() as i32);
            TileKey { a, b }
        };
        [corner(-1.0), corner(1.0)]
    }
}

/// Greatest distance, m, that a vehicle travels in a time, s, from a speed, m/s, at no more than
/// this acceleration, m/s².
fn max_travel(speed: f64, acceleration: f64, time: f64) -> f64 {
    speed.abs() * time + 0.5 * acceleration * time * time
}

/// Greatest distance, m, that a vehicle travels in a heartbeat, s, during which it may collide.
fn max_collision_travel(speed: f64, heartbeat: f64) -> f64 {
    max_travel(speed, MAX_COLLISION_ACCELERATION, heartbeat).min(max_travel(
        speed.abs() + MAX_COLLISION_SPEED_GAIN,
        0.0,
        heartbeat,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(agent: usize, x: f64) -> CensusDisc {
        CensusDisc::around(agent, [x, 0.0], 0.0, 0.01, 0.8)
    }

    /// Looking extends the radius and the reach alike, so the agent may travel as far as without
    /// it.
    #[test]
    fn the_region_of_a_camera_contains_its_view() {
        let (blind, looking) = (region(0, 0.0), region(0, 0.0).with_view(110.0));
        assert!((looking.radius - blind.radius - (110.0 - WHEEL_DISTANCE)).abs() < 1e-9);
        for x in [9.0, 11.0] {
            assert_eq!(looking.contains([x, 0.0], 0.8), blind.contains([x, 0.0], 0.8), "{x} m");
        }
    }

    #[test]
    fn a_disc_is_kept_or_it_shows() {
        let region = CensusDisc::around(0, [10.0, 0.0], 5.0, 0.01, 0.8);
        assert!(region.contains([24.9, 0.0], 0.8));
        assert!(!region.contains([25.1, 0.0], 0.8));
        // At 30 m/s and 5000 m/s² a vehicle travels 0.55 m in 10 ms.
        assert!(region.stays_inside([24.4, 0.0], 30.0, 0.01, 0.8));
        assert!(!region.stays_inside([24.5, 0.0], 30.0, 0.01, 0.8));
    }

    /// After a census every agent may drive for at least one heartbeat of any length. So an early
    /// census always helps.
    #[test]
    fn a_new_disc_lasts_for_a_heartbeat() {
        for (speed, heartbeat) in [(0.0, 0.01), (90.0, 0.01), (5.0, 0.2), (30.0, 1.0), (30.0, 3.0)]
        {
            let region = CensusDisc::around(0, [0.0, 0.0], speed, heartbeat, 0.8);
            assert!(
                region.stays_inside([0.0, 0.0], speed, heartbeat, 0.8),
                "{speed} m/s, {heartbeat} s"
            );
        }
    }
}
