//! Planned paths of the vehicles.

use super::config::{DriverConfig, Scenario};
use bekker_math::numeric::hypot;

/// Spacing of the sampled points along paths, m.
const SPACING: f64 = 2.0;

/// Points along the planned paths that must stay free of obstacles.
///
/// Includes each start and points from there through the waypoints. Autonomous vehicles plan their
/// own paths, so only their start and goal are included.
pub(super) fn vehicle_points(scenario: &Scenario) -> Vec<[f64; 2]> {
    let mut places = Vec::new();
    for vehicle in &scenario.vehicle {
        let mut at = vehicle.position;
        places.push(at);
        if let DriverConfig::Autonomous { goal, .. } = &vehicle.driver {
            places.extend(goal);
        }
        let DriverConfig::Path { waypoints, .. } = &vehicle.driver else { continue };
        for &next in waypoints {
            let (dx, dy) = (next[0] - at[0], next[1] - at[1]);
            let steps = (hypot(dx, dy) / SPACING).ceil().min(10_000.0) as usize;
            let along = (1..=steps).map(|k| {
                let share = k as f64 / steps as f64;
                [at[0] + share * dx, at[1] + share * dy]
            });
            places.extend(along);
            at = next;
        }
    }
    places.extend(scenario.team.iter().flat_map(|team| &team.goals));
    places
}
