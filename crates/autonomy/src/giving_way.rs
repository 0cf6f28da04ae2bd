//! Giving way to others that move.
//!
//! Local paths keep clear of where others are. Two that are bound for one place come closer beside one another all the
//! same, for neither is ever ahead of the other. So of two of which neither is behind the other, that one which comes
//! later in the team's order gives way: where the other, going on as it told, would come too near to it, it waits.
//! Nobody gives way to one that stands, and the order is total: somebody always drives on.

use super::body::Body;
use super::spline::Start;
use bekker_math::numeric::hypot;
use bekker_vehicle::driver::Path;

/// Another vehicle that moves, as it has told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// Where its origin is, m.
    pub place: [f64; 2],
    /// Its velocity, m/s.
    pub velocity: [f64; 2],
    /// How far it reaches about its origin, m.
    pub reach: f64,
}

/// How far ahead it looks, s: from 5 m/s it stops in half of that.
const HORIZON: f64 = 3.0;
/// Room that it leaves, m: what 0.1 s between two words of the other, and as much until a plan holds, make at 5 m/s,
/// half of it, for both are seldom headed straight at each other.
const ROOM: f64 = 0.5;
/// How much nearer than they are already is nearer, m: headings that are told waver by half a degree, which is
/// that much over the horizon at 5 m/s.
const NEARER: f64 = 0.13;
/// Slowest pace at which it reckons to drive, m/s: one that stands asks whether it may go.
const PACE: f64 = 1.0;
/// How fast it gathers speed at most, m/s².
const GATHERS: f64 = 1.5;

/// Station of a path, m, at which the vehicle waits for one of these others, if it does. It starts as given and goes by
/// the speeds that are allowed at the points of the path.
pub fn waits_at(
    body: &Body,
    (path, speeds): (&Path, &[f64]),
    start: &Start,
    others: &[Moving],
) -> Option<f64> {
    let (middles, radius) = body.discs();
    let clearance = |at: usize, time: f64, other: &Moving| {
        let (rear, ahead) = (path.points()[at], path.direction(at.min(path.points().len() - 2)));
        let there = [0, 1].map(|axis| other.place[axis] + other.velocity[axis] * time);
        let from = |along: &f64| {
            let [x, y] = [0, 1].map(|axis| rear[axis] + ahead[axis] * along - there[axis]);
            hypot(x, y)
        };
        middles.iter().map(from).fold(f64::INFINITY, f64::min) - radius - other.reach
    };
    let is_behind = |other: &&Moving| {
        let to = [0, 1].map(|axis| other.place[axis] - start.rear[axis]);
        let along = to[0] * start.heading[0] + to[1] * start.heading[1];
        along + other.reach < body.footprint.rear - body.geometry.rear_axle
    };
    let minded: Vec<(&Moving, f64)> = others
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
        let comes_near = |(other, now): &(&Moving, f64)| {
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

    /// Of one that drives east from the origin with 4 m/s.
    fn waits(others: &[Moving]) -> Option<f64> {
        let points: Vec<[f64; 2]> = (0..=48).map(|k| [0.25 * f64::from(k), 0.0]).collect();
        let path = Path::polyline(&points).unwrap();
        let start = Start { rear: [0.0, 0.0], heading: [1.0, 0.0], speed: 4.0 };
        waits_at(&body(), (&path, &[4.0; 49]), &start, others)
    }

    fn moving(place: [f64; 2], velocity: [f64; 2]) -> Moving {
        Moving { place, velocity, reach: 1.96 }
    }

    /// The other comes from the side: its origin is on the path, 10 m ahead, when the front is there, after 2 s. At
    /// contact of their discs, and the room, less what is left to drive, the station lies before that.
    #[test]
    fn it_waits_for_one_that_crosses_its_way() {
        let station = waits(&[moving([11.0, 8.0], [0.0, -4.0])]).expect("they meet");
        assert!((2.0..8.0).contains(&station), "{station}");
        // not for one that has crossed, that goes away, or that comes later than it looks
        let others =
            [([5.0, -4.0], [0.0, -4.0]), ([5.0, 4.0], [0.0, 4.0]), ([11.0, 30.0], [0.0, -4.0])];
        for (place, velocity) in others {
            assert_eq!(waits(&[moving(place, velocity)]), None, "{place:?}");
        }
    }

    /// Beside one that closes in it waits; beside one that keeps its distance, however small, it drives on, and so it
    /// does before one that comes up from behind.
    #[test]
    fn it_waits_beside_one_that_closes_in() {
        assert!(waits(&[moving([1.4, 4.0], [4.0, -0.5])]).is_some());
        assert_eq!(waits(&[moving([1.4, 3.2], [4.0, 0.0])]), None);
        assert_eq!(waits(&[moving([-8.0, 0.2], [5.0, 0.0])]), None);
    }
}
