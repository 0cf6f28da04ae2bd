//! Message with the plan of an autonomous vehicle.

use bekker_world::AutonomyView;
use serde_json::json;

/// Encodes the plan of a vehicle as JSON.
pub(super) fn plan_message(agent: u32, view: &AutonomyView) -> serde_json::Value {
    let classes: String = view.cells.iter().map(|c| char::from(b'0' + c.class.min(9))).collect();
    let believed = view.believed.position;
    json!({
        "kind": "plan",
        "vehicle": agent,
        "believed": [believed.x, believed.y, believed.z],
        "goal": view.goal,
        "route": view.route,
        "path": view.path,
        "corner": view.corner,
        "cell": view.cell,
        "columns": view.columns,
        "classes": classes,
    })
}
