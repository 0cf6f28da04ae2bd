//! Checks of vehicles and paths for ground without elevation data.

use crate::ScenarioFile;
use crate::config::DriverConfig;
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use bekker_agent::{AgentModel, GroundVehicle};
use bekker_ground::terrain::{Gaps, Terrain};
use bekker_math::numeric::hypot;

/// Maximum number of points at which a leg is checked for gaps.
const MAX_POINTS: f64 = 1e5;

/// Faults of vehicles that start partly, or with a wheel of the trailer, over ground without
/// elevation data.
pub(super) fn starts_in_gaps(
    file: &ScenarioFile,
    agents: &[AgentModel],
    terrain: &Terrain,
) -> Vec<Diagnostic> {
    let Some(gaps) = terrain.gaps() else { return Vec::new() };
    let mut diagnostics = Vec::new();
    for (index, agent) in agents.iter().enumerate() {
        let corners = agent.vehicle.footprint().corners(&agent.start);
        let vehicle = &agent.vehicle;
        // the wheels of a trailer come last
        let room = vehicle.workspace(&vehicle.launched(&agent.start, 0.0));
        let wheel = |wheel| vehicle.wheel_pose(&room, wheel).position;
        let is_on_gap = (0..vehicle.wheels()).map(wheel).any(|at| gaps.contains(at.x, at.y));
        if is_on_gap || touches(gaps, &corners) {
            let what = if vehicle.has_trailer() { " or its trailer" } else { "" };
            let cause = format!(
                "{}{what} starts over ground without elevation data, which ends its run at once; \
                 move it",
                agent.name
            );
            let key = format!("vehicle[{index}].position");
            diagnostics.push(file.document.diagnostic(&key, DiagnosticKind::Refused { cause }));
        }
    }
    diagnostics
}

/// Whether any part of a footprint, given by its corners, is over a gap.
fn touches(gaps: &Gaps, corners: &[[f64; 2]; 4]) -> bool {
    let [front_left, rear_left, rear_right, front_right] = *corners;
    let [width, length] = [[front_left, front_right], [front_left, rear_left]]
        .map(|[a, b]| hypot(b[0] - a[0], b[1] - a[1]));
    let step = 0.5 * gaps.cell_size()[0].min(gaps.cell_size()[1]);
    let [across, along] = [width, length].map(|side| (side / step).ceil().clamp(1.0, 100.0));
    let point = |u: f64, v: f64| {
        [0, 1].map(|k| {
            let left = front_left[k] + v * (rear_left[k] - front_left[k]);
            let right = front_right[k] + v * (rear_right[k] - front_right[k]);
            left + u * (right - left)
        })
    };
    let shares = |count: f64| (0..=count as usize).map(move |n| n as f64 / count);
    shares(along).any(|v| {
        shares(across).any(|u| {
            let [x, y] = point(u, v);
            gaps.contains(x, y)
        })
    })
}

/// Warnings for paths over ground without elevation data, each with the first such point.
pub(super) fn paths_over_gaps(file: &ScenarioFile, terrain: &Terrain) -> Vec<Diagnostic> {
    let Some(gaps) = terrain.gaps() else { return Vec::new() };
    let crossed = |(index, vehicle): (usize, &crate::config::VehicleConfig)| {
        let DriverConfig::Path { waypoints, .. } = &vehicle.driver else { return None };
        // the vehicle first drives from its start to the nearest point of the path
        let joined = nearest(waypoints, vehicle.position)?;
        let first = std::iter::once([vehicle.position, joined]);
        let mut legs = first.chain(waypoints.windows(2).map(|leg| [leg[0], leg[1]]));
        let [x, y] = legs.find_map(|leg| first_gap(gaps, leg))?;
        let cause = format!(
            "cross ground without elevation data, first at ({x:.0}, {y:.0}) m: a vehicle that \
             enters it ends its run"
        );
        let key = format!("vehicle[{index}].driver.waypoints");
        Some(file.document.diagnostic(&key, DiagnosticKind::Refused { cause }))
    };
    file.scenario.vehicle.iter().enumerate().filter_map(crossed).collect()
}

/// The point of a path nearest to a position.
fn nearest(waypoints: &[[f64; 2]], [x, y]: [f64; 2]) -> Option<[f64; 2]> {
    let on_leg = |leg: &[[f64; 2]]| {
        let [from, to] = [leg[0], leg[1]];
        let along = [to[0] - from[0], to[1] - from[1]];
        let square = along[0] * along[0] + along[1] * along[1];
        let share = ((x - from[0]) * along[0] + (y - from[1]) * along[1]) / square;
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        [0, 1].map(|k| from[k] + share * along[k])
    };
    let away = |own: &[f64; 2]| hypot(own[0] - x, own[1] - y);
    let points = waypoints.first().copied().into_iter().chain(waypoints.windows(2).map(on_leg));
    points.min_by(|a, b| away(a).total_cmp(&away(b)))
}

/// The first point of a straight leg that is in a gap.
fn first_gap(gaps: &Gaps, [from, to]: [[f64; 2]; 2]) -> Option<[f64; 2]> {
    let step = 0.25 * gaps.cell_size()[0].min(gaps.cell_size()[1]);
    let count = (hypot(to[0] - from[0], to[1] - from[1]) / step).ceil().clamp(1.0, MAX_POINTS);
    let point = |n: usize| [0, 1].map(|k| from[k] + (to[k] - from[k]) * n as f64 / count);
    (0..=count as usize).map(point).find(|[x, y]| gaps.contains(*x, *y))
}
