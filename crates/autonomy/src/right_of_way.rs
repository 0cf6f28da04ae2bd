//! Right of way among moving vehicles.
//!
//! Local paths keep clear of the current positions of other vehicles. That is not enough for two
//! vehicles with the same destination: they converge side by side, because neither is ever ahead of
//! the other.
//!
//! So if neither of two vehicles is behind the other, the one that is later in the team's
//! order yields. It waits where the other, extrapolated at its reported velocity, would come too
//! close.
//!
//! No vehicle yields to a stationary one, and the order is total, so some vehicle can always drive
//! on.

use super::body::VehicleGeometry;
use super::spline::PathStart;
use bekker_math::numeric::hypot;
use bekker_vehicle::driver::Path;

/// Another moving vehicle, as reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingAgent {
    /// Position of its origin, m.
    pub place: [f64; 2],
    /// Its velocity, m/s.
    pub velocity: [f64; 2],
    /// Radius around its origin that it covers, m.
    pub reach: f64,
}

/// Prediction horizon, s; from 5 m/s the vehicle stops in half of that.
const HORIZON: f64 = 3.0;
/// Clearance to keep, m.
///
/// Reports arrive every 0.1 s and a new plan takes as long to apply, which is 1 m at 5 m/s. Half of
/// that suffices because the vehicles seldom head straight at each other.
const ROOM: f64 = 0.5;
/// Decrease of the clearance that counts as coming closer, m.
///
/// Reported headings fluctuate by half a degree, which is this distance over the horizon at 5 m/s.
const NEARER: f64 = 0.13;
/// Lowest speed that the prediction assumes, m/s, so that a stationary vehicle also checks whether
/// it may start.
const PACE: f64 = 1.0;
/// Largest acceleration that the prediction assumes, m/s².
const GATHERS: f64 = 1.5;

/// Station of a path, m, at which the vehicle must wait for one of the other vehicles, if any.
///
/// The vehicle begins at `start` and follows the speeds allowed at the points of the path.
pub fn yield_station(
    body: &VehicleGeometry,
    path: &Path,
    speeds: &[f64],
    start: &PathStart,
    others: &[MovingAgent],
) -> Option<f64> {
    let (middles, radius) = body.covering_disks();
    let clearance = |at: usize, time: f64, other: &MovingAgent| {
        let (rear, ahead) = (path.points()[at], path.direction(at.min(path.points().len() - 2)));
        let there = [0, 1].map(|axis| other.place[axis] + other.velocity[axis] * time);
        let from = |along: &f64| {
            let [x, y] = [0, 1].map(|axis| rear[axis] + ahead[axis] * along - there[axis]);
            hypot(x, y)
        };
        middles.iter().map(from).fold(f64::INFINITY, f64::min) - radius - other.reach
    };
    let is_behind = |other: &&MovingAgent| {
        let to = [0, 1].map(|axis| other.place[axis] - start.rear[axis]);
        let along = to[0] * start.heading[0] + to[1] * start.heading[1];
        along + other.reach < body.footprint.rear - body.geometry.rear_axle
    };
    let minded: Vec<(&MovingAgent, f64)> = others
        .iter()
        .filter(|other| !is_behind(other))
        .map(|other| (other, clearance(0, 0.0, other)))
        .collect();
    if minded.is_empty() {
        return None;
    }
    let (mut time, mut speed) = (0.0, start.speed.max(PACE));
    for (at, allowed) in speeds.iter().enumerate().skip(1) {
        let length = path.stations()[at] - path.stations()[at - 1];
        time += length / speed;
        if time > HORIZON {
            break;
        }
        let gathered = (speed * speed + 2.0 * GATHERS * length).sqrt();
        speed = allowed.min(gathered).max(PACE);
        let comes_near = |(other, now): &(&MovingAgent, f64)| {
            let then = clearance(at, time, other);
            then < ROOM && then < now - NEARER
        };
        if minded.iter().any(comes_near) {
            return Some(path.stations()[at - 1]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::proving_ground::body;
    use super::*;

    /// Station at which a vehicle waits that drives east from the origin at 4 m/s.
    fn waits(others: &[MovingAgent]) -> Option<f64> {
        let points: Vec<[f64; 2]> = (0..=48).map(|k| [0.25 * f64::from(k), 0.0]).collect();
        let path = Path::polyline(&points).unwrap();
        let start = PathStart { rear: [0.0, 0.0], heading: [1.0, 0.0], speed: 4.0 };
        yield_station(&body(), &path, &[4.0; 49], &start, others)
    }

    fn moving(place: [f64; 2], velocity: [f64; 2]) -> MovingAgent {
        MovingAgent { place, velocity, reach: 1.96 }
    }

    /// The other vehicle crosses from the side. Its origin is on the path, 10 m ahead, when the
    /// front arrives after 2 s.
    ///
    /// The station lies before contact of the disks, less the clearance and the remaining distance.
    #[test]
    fn it_yields_to_a_crossing_vehicle() {
        let station = waits(&[moving([11.0, 8.0], [0.0, -4.0])]).expect("they meet");
        assert!((2.0..8.0).contains(&station), "{station}");
        // not for one that has crossed, that moves away, or that crosses after the horizon
        let others =
            [([5.0, -4.0], [0.0, -4.0]), ([5.0, 4.0], [0.0, 4.0]), ([11.0, 30.0], [0.0, -4.0])];
        for (place, velocity) in others {
            assert_eq!(waits(&[moving(place, velocity)]), None, "{place:?}");
        }
    }

    /// The vehicle waits next to one that closes in.
    ///
    /// It drives on next to one at constant distance, however small, and in front of one that
    /// approaches from behind.
    #[test]
    fn it_yields_to_a_converging_vehicle() {
        assert!(waits(&[moving([1.4, 4.0], [4.0, -0.5])]).is_some());
        assert_eq!(waits(&[moving([1.4, 3.2], [4.0, 0.0])]), None);
        assert_eq!(waits(&[moving([-8.0, 0.2], [5.0, 0.0])]), None);
    }
}
