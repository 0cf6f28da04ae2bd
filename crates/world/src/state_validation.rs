//! Validation of a state against its model.
//!
//! A checkpoint is untrusted input even if its checksum matches. Sizes, indices, times and counts
//! of its state are checked against the model before anything is driven with it. Implausible values
//! are not checked: a drive ends by itself once they are no longer finite
//! ([`Outcome::Failed`](bekker_agent::Outcome::Failed)).

use super::world_model::{WorldModel, WorldState};
use bekker_agent::{
    AgentModel, AgentState, CollisionTargetCounts, GroundVehicle, TireContactState,
};
use bekker_math::grid::TileKey;
use bekker_vehicle::Coupling;
use bekker_vehicle::collision::TowState;

/// Longest run, s: one week, as in a scenario.
const MAX_RUN_S: u64 = 604_800;
/// Greatest distance from the origin to a deformed tile along each axis, tiles. It leaves a margin
/// for 32-bit arithmetic.
const MAX_TILE_INDEX: i32 = 1 << 26;

/// A state that does not fit its model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state does not match the model: {what}")]
pub struct StateError {
    /// The wrong value, and the allowed ones.
    pub what: String,
}

/// Checks a state that a run is to continue from.
///
/// # Errors
/// The first value that does not fit the model.
pub(super) fn check(model: &WorldModel, state: &WorldState) -> Result<(), StateError> {
    find_mismatch(model, state).map_err(|what| StateError { what })
}

fn find_mismatch(model: &WorldModel, state: &WorldState) -> Result<(), String> {
    model.check().map_err(|error| error.to_string())?;
    let WorldState { tick, steps, published, agents, damage, tows } = state;
    let most = MAX_RUN_S * 1_000_000 / model.clock.micros(1);
    check_range("tick", *tick, 0, most)?;
    check_range("steps to the next heartbeat", *steps, 1, model.clock.steps_per_heartbeat())?;
    check_equal("vehicles", agents.len(), model.agents.len())?;
    check_equal("obstacles", damage.len(), model.obstacles.len())?;
    check_equal("ropes", tows.len(), model.tows.len())?;
    let measured = |tow: &TowState| tow.length.is_none_or(|length| length >= 0.0);
    if !tows.iter().all(measured) {
        return Err("a rope without a valid length; must be 0 m or more".into());
    }
    published.tiles().try_for_each(|(key, _)| check_tile_key(key))?;
    let limits = Limits {
        soils: model.ground.soils().len(),
        known: model.collision_target_counts(),
        senders: model.senders(),
        now_us: model.clock.micros(*tick),
    };
    for (agent, state) in model.agents.iter().zip(agents) {
        check_agent(agent, state, &limits).map_err(|what| format!("{}: {what}", agent.name))?;
    }
    Ok(())
}

/// Limits of indices and times in the state of an agent.
struct Limits {
    /// Number of soils.
    soils: usize,
    /// Numbers of objects that an agent can collide with.
    known: CollisionTargetCounts,
    /// Number of possible radio senders.
    senders: usize,
    /// Time of the state, µs.
    now_us: u64,
}

fn check_agent(model: &AgentModel, state: &AgentState, limits: &Limits) -> Result<(), String> {
    let Limits { soils, known, senders, now_us } = limits;
    let like = model.in_design_position(&model.start, model.speed, 0);
    let (vehicle, start) = (&state.vehicle, &like.vehicle);
    for ((what, found), (_, expected)) in vehicle.body.sizes().into_iter().zip(start.body.sizes()) {
        check_equal(what, found, expected)?;
    }
    if !model.vehicle.bodies().has_unit_quaternions(vehicle) {
        return Err("a body's orientation is not a rotation".into());
    }
    check_equal("brakes", vehicle.brakes.len(), start.brakes.len())?;
    check_equal("clutches", vehicle.clutches.len(), start.clutches.len())?;
    check_equal("brakes with a lag", vehicle.pressures.len(), start.pressures.len())?;
    check_equal("automatic or commanded clutches", vehicle.engaged.len(), start.engaged.len())?;
    if vehicle.coupling != Coupling::Holds && model.vehicle.trailed_wheels() == 0 {
        return Err("an uncoupled trailer of a vehicle without trailer; must be none".into());
    }
    let gears = model.vehicle.drivetrain().gears() as i32;
    for gear in [vehicle.gearbox.gear, vehicle.gearbox.before] {
        check_range("gear", gear, -1, gears)?;
    }
    check_equal("tires", state.tires.len(), like.tires.len())?;
    let give_way =
        |tires: &[TireContactState]| tires.iter().filter(|own| own.ring.is_some()).count();
    check_equal("flexible tires", give_way(&state.tires), give_way(&like.tires))?;
    if let Some(follower) = model.driver.follower() {
        let segments = follower.path().points().len() - 1;
        check_range("segment of the path", state.driver.place.segment, 0, segments - 1)?;
    }
    let motors = |state: &AgentState| state.motors.as_ref().map(|own| own.wheels.len());
    if motors(state) != motors(&like) {
        return Err("electric motors that do not fit the vehicle".into());
    }
    if state.motors.as_ref().is_some_and(|own| !own.is_valid()) {
        return Err("a current or energy of electric motors is not finite".into());
    }
    if state.soil_adaptation.is_some() != model.soil_adaptation().is_some() {
        return Err("an adaptation to soft ground that does not fit the driver".into());
    }
    if state.soil_adaptation.as_ref().is_some_and(|own| !own.is_valid()) {
        return Err("an adaptation to soft ground is not finite".into());
    }
    check_equal("wheels", state.wheels().len(), like.wheels().len())?;
    check_equal(
        "wheels in the outcome monitor",
        state.monitor.wheels().len(),
        like.monitor.wheels().len(),
    )?;
    for (soil, _) in state.monitor.excess_sinkage() {
        check_range("soil", usize::from(soil.0), 0, *soils - 1)?;
    }
    if let Some(soil) = state.outcome.as_ref().and_then(|outcome| outcome.soil()) {
        check_range("soil", usize::from(soil.0), 0, *soils - 1)?;
    }
    if let Some(leader) = state.outcome.as_ref().and_then(|outcome| outcome.leader()) {
        check_range("leader", leader, 0, known.vehicles - 1)?;
    }
    if let Some(with) = state.outcome.as_ref().and_then(|outcome| outcome.collision_target()) {
        known.check(with)?;
    }
    if !state.external_acceleration.is_finite() {
        return Err("an acceleration is not finite".into());
    }
    if !state.collisions.is_valid(known) {
        return Err("a contact with an object that does not exist".into());
    }
    if !state.energy.is_valid() {
        return Err("an energy balance is not finite".into());
    }
    if !state.validity.is_valid() {
        return Err("a time outside the ranges of validity is not within the drive".into());
    }
    if state.autonomy.is_some() != like.autonomy.is_some() {
        return Err("a driver that does not fit the vehicle".into());
    }
    if let Some(radio) = &state.radio {
        radio.check(*senders)?;
    }
    state.overlay.keys().try_for_each(check_tile_key)?;
    check_equal("sensors", state.sensors.len(), like.sensors.len())?;
    let all = model.sensors.iter().zip(&state.sensors).zip(&like.sensors);
    for (index, ((sensor, found), start)) in all.enumerate() {
        let fits = found.check(sensor, start, index as u32, *now_us);
        fits.map_err(|what| format!("sensor {}: {what}", sensor.name))?;
    }
    Ok(())
}

fn check_tile_key(TileKey { a, b }: TileKey) -> Result<(), String> {
    check_range("column of a ground tile", a, -MAX_TILE_INDEX, MAX_TILE_INDEX)?;
    check_range("row of a ground tile", b, -MAX_TILE_INDEX, MAX_TILE_INDEX)
}

fn check_equal(what: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{found} {what}; must be {expected}")) }
}

fn check_range<T: PartialOrd + std::fmt::Display>(
    what: &str,
    found: T,
    least: T,
    most: T,
) -> Result<(), String> {
    if found >= least && found <= most {
        return Ok(());
    }
    Err(format!("{what} {found}; must be {least} to {most}"))
}
