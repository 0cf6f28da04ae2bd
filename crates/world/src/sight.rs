//! Who sees whom: how far cameras and lidars show other vehicles, and by which ranks vehicles are
//! seen.
//!
//! What looks is shown the vehicles within its sight, by their places at the heartbeat, and no others:
//! so a frame is the same bits wherever it is made. Ranks find out at a census. Every vehicle is
//! announced, with the disc that it stays in until the next census, to the homes of the blocks that
//! its disc touches, and every sight likewise; where both meet, their home tells both ranks. Nobody
//! hears of all vehicles, and who sees far but touches nobody is told states, not ruts.

use crate::plume;
use bekker_agent::AgentModel;
use bekker_math::spatial::Vec3;
use bekker_sensor::Sensor;
use bekker_sync::message::VehicleState as VehicleMessage;
use std::collections::BTreeMap;

/// Nobody is seen farther away, m: an eye and a roof 3 m above a smooth earth of 6371 km lose sight of
/// each other at 12 km.
const FARTHEST: f64 = 20e3;
/// A vehicle, its trailer and what both do within a frame lie this near their places, m.
const AROUND: f64 = 100.0;

/// How far from its vehicle these sensors show other vehicles, m; none where nothing looks.
pub(super) fn sight(sensors: &[Sensor]) -> Option<f64> {
    let each = sensors.iter().filter_map(|sensor| sensor.model.sight());
    each.reduce(f64::max).map(|sight| sight.clamp(plume::REACH, FARTHEST) + AROUND)
}

/// Agents with cameras or lidars that have something to look at, with their sights, m.
pub fn lookers(agents: &[AgentModel]) -> BTreeMap<usize, f64> {
    let agents = agents.iter().enumerate();
    agents.filter_map(|(agent, model)| Some((agent, sight(&model.sensors)?))).collect()
}

/// Whether a vehicle, or the trailer that it has left behind, is within sight of a place.
pub(super) fn is_in_sight(message: &VehicleMessage, from: &Vec3, sight: f64) -> bool {
    let near = |place: &Vec3| (place - from).xy().norm_squared() <= sight * sight;
    near(&message.chassis.position) || message.trailer.as_ref().is_some_and(|own| near(&own.place))
}
