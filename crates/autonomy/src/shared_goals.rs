//! Arrival at a goal that other vehicles already occupy.
//!
//! Two vehicles cannot stop at the same position. Where others have stopped at the goal, or on the
//! line to it behind such vehicles, the arrival radius grows until both bodies fit.

use super::body::VehicleGeometry;
use bekker_math::numeric::hypot;
use bekker_vehicle::driver::Path;

/// Clearance between two vehicles that stop next to each other, m.
const ROOM: f64 = 0.5;
/// Distance within the arrival radius at which the vehicle stops, m.
const WITHIN: f64 = 0.5;

/// Arrival radius around a goal, m, for a vehicle whose rear axle is at `rear`, m.
///
/// `standing` lists stationary vehicles as x, y and radius, m. The result is `arrival`, m, where
/// none of them is in the way.
pub fn arrival_radius(
    body: &VehicleGeometry,
    arrival: f64,
    goal: [f64; 2],
    rear: [f64; 2],
    standing: &[[f64; 3]],
) -> f64 {
    let from_goal = |other: &[f64; 3]| hypot(other[0] - goal[0], other[1] - goal[1]);
    let mut by_distance: Vec<(f64, &[f64; 3])> =
        standing.iter().map(|other| (from_goal(other), other)).collect();
    by_distance.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let own = body.footprint.reach();
    let is_in_way = |other: &[f64; 3]| {
        let ([wx, wy], [ox, oy]) =
            ([goal[0] - rear[0], goal[1] - rear[1]], [other[0] - rear[0], other[1] - rear[1]]);
        let along = (wx * ox + wy * oy) / (wx * wx + wy * wy).max(f64::MIN_POSITIVE);
        let along = along.clamp(0.0, 1.0);
        hypot(ox - along * wx, oy - along * wy) < other[2] + 0.5 * body.footprint.width
    };
    let mut near = arrival;
    for (away, other) in by_distance {
        if away < arrival || away < near && is_in_way(other) {
            near = near.max(away + other[2] + own + ROOM);
        }
    }
    near
}

/// First station of a path of the rear axle, m, at which the vehicle has arrived at a goal.
///
/// There the origin of the vehicle is inside the arrival radius `near`, m, by at least 0.5 m.
pub fn arrival_station(
    body: &VehicleGeometry,
    path: &Path,
    goal: [f64; 2],
    near: f64,
) -> Option<f64> {
    let ahead = -body.geometry.rear_axle;
    let last = path.points().len() - 2;
    let is_near = |at: &usize| {
        let (rear, direction) = (path.points()[*at], path.direction((*at).min(last)));
        let [x, y] = [0, 1].map(|axis| rear[axis] + ahead * direction[axis] - goal[axis]);
        hypot(x, y) < near - WITHIN
    };
    (0..path.points().len()).find(is_near).map(|at| path.stations()[at])
}

#[cfg(test)]
mod tests {
    use super::super::proving_ground::body;
    use super::*;

    const GOAL: [f64; 2] = [30.0, 0.0];

    fn radius_with(standing: &[[f64; 3]]) -> f64 {
        arrival_radius(&body(), 3.0, GOAL, [0.0, 0.0], standing)
    }

    /// A vehicle at the goal widens the radius by both bodies; one behind it on the line widens it
    /// again.
    ///
    /// Vehicles elsewhere do not widen it.
    #[test]
    fn a_vehicle_at_the_goal_widens_the_arrival_radius() {
        assert_eq!(radius_with(&[]), 3.0);
        assert_eq!(radius_with(&[[20.0, 0.0, 2.0], [30.0, 8.0, 2.0]]), 3.0);
        let own = body().footprint.reach();
        assert_eq!(radius_with(&[[28.0, 0.0, 2.0]]), 2.0 + 2.0 + own + 0.5);
        let two = radius_with(&[[23.7, 0.0, 2.0], [28.0, 0.0, 2.0], [30.0, 6.0, 2.0]]);
        assert!((two - (6.3 + 2.0 + own + 0.5)).abs() < 1e-9, "{two}");
    }

    #[test]
    fn it_stops_within_the_arrival_radius() {
        let path = Path::polyline(&[[0.0, 0.0], [10.0, 0.0], [20.0, 0.0], [30.0, 0.0]]).unwrap();
        // the origin of the vehicle is 1.36 m in front of its rear axle
        assert_eq!(arrival_station(&body(), &path, GOAL, 9.0), Some(30.0));
        assert_eq!(arrival_station(&body(), &path, GOAL, 9.4), Some(20.0));
        assert_eq!(arrival_station(&body(), &path, [30.0, 20.0], 9.4), None);
    }
}
