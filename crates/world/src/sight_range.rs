//! Distances up to which cameras and lidars show other vehicles.
//!
//! A sensor is shown the vehicles within its range of sight, by their positions at the heartbeat,
//! and no others. So a frame has the same bits on whichever rank it is made. At a census ranks find
//! out which vehicles of other ranks are in sight (module `notices` of the crate `ranks`).

use crate::plume;
use bekker_agent::AgentModel;
use bekker_math::spatial::Vec3;
use bekker_sensor::Sensor;
use bekker_sync::message::VehicleMessage;
use std::collections::BTreeMap;

/// Greatest range of sight, m. A sensor and a roof, each 3 m above a smooth earth with a radius of
/// 6371 km, lose sight of each other at 12 km.
const MAX_SIGHT: f64 = 20e3;
/// Bound of the distance, m, from a vehicle's position to its parts, its trailer, and their
/// positions within a frame.
const VEHICLE_MARGIN: f64 = 100.0;

/// Range, from the vehicle, at which these sensors show other vehicles, m; `None` without cameras
/// and lidars.
pub(super) fn sight(sensors: &[Sensor]) -> Option<f64> {
    let each = sensors.iter().filter_map(|sensor| sensor.model.sight());
    each.reduce(f64::max).map(|sight| sight.clamp(plume::MAX_DISTANCE, MAX_SIGHT) + VEHICLE_MARGIN)
}

/// Returns the agents with cameras or lidars, and their ranges of sight, m.
pub fn sight_ranges(agents: &[AgentModel]) -> BTreeMap<usize, f64> {
    let agents = agents.iter().enumerate();
    agents.filter_map(|(agent, model)| Some((agent, sight(&model.sensors)?))).collect()
}

/// Whether a vehicle, or the trailer that it left behind, is within a distance of a position.
pub(super) fn is_in_sight(message: &VehicleMessage, from: &Vec3, sight: f64) -> bool {
    let near = |place: &Vec3| (place - from).xy().norm_squared() <= sight * sight;
    near(&message.chassis.position) || message.trailer.as_ref().is_some_and(|own| near(&own.place))
}
