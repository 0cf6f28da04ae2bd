//! Services of `simulation_interfaces` 2, with the fields of their interface files.

use super::message::{Header, Quaternion, Vector3};
use super::service::Service;
use serde::{Deserialize, Serialize};

/// Result codes.
pub(super) mod code {
    pub const FEATURE_UNSUPPORTED: u8 = 0;
    pub const OK: u8 = 1;
    pub const NOT_FOUND: u8 = 2;
    pub const OPERATION_FAILED: u8 = 4;
    /// Only for `SetSimulationState`.
    pub const ALREADY_IN_TARGET_STATE: u8 = 101;
}

/// Values of `SimulationState`.
pub(super) mod state {
    pub const STOPPED: u8 = 0;
    pub const PLAYING: u8 = 1;
    pub const PAUSED: u8 = 2;
    pub const QUITTING: u8 = 3;
}

/// Supported `SimulatorFeatures`.
pub(super) const FEATURES: [u16; 8] = [
    8,  // ENTITY_CATEGORIES
    10, // ENTITY_STATE_GETTING
    12, // ENTITY_INFO_GETTING
    24, // SIMULATION_STATE_GETTING
    25, // SIMULATION_STATE_SETTING
    26, // SIMULATION_STATE_PAUSE
    31, // STEP_SIMULATION_SINGLE
    32, // STEP_SIMULATION_MULTIPLE
];

/// `EntityCategory` of vehicles: `CATEGORY_ROBOT`.
pub(super) const ROBOT: u8 = 1;

macro_rules! services {
    ($($of:ident $name:literal, $request:ty => $reply:ty;)*) => {
        $(pub(super) struct $of;
        impl Service for $of {
            const NAME: &'static str = $name;
            const TYPE: &'static str =
                concat!("simulation_interfaces::srv::dds_::", stringify!($of));
            type Request = $request;
            type Reply = $reply;
        })*
    };
}

services! {
    GetSimulatorFeatures "get_simulator_features", Emptirequest => SimulatorFeatures;
    GetSimulationState "get_simulation_state", Emptirequest => (u8, ServiceResult);
    SetSimulationState "set_simulation_state", u8 => ServiceResult;
    ResetSimulation "reset_simulation", u8 => ServiceResult;
    StepSimulation "step_simulation", u64 => ServiceResult;
    GetEntities "get_entities", EntityFilters => (ServiceResult, Vec<String>);
    GetEntityInfo "get_entity_info", String => (ServiceResult, EntityInfo);
    GetEntityState "get_entity_state", String => (ServiceResult, EntityState);
    GetEntitiesStates "get_entities_states", EntityFilters => (ServiceResult, Vec<String>, Vec<EntityState>);
    // of the request only the entity's name is read
    SetEntityState "set_entity_state", String => ServiceResult;
}

/// A request without fields, for which ROS 2 sends one meaningless octet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Emptirequest;

/// The message `Result`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ServiceResult {
    pub result: u8,
    pub error_message: String,
}

impl ServiceResult {
    pub fn ok() -> ServiceResult {
        ServiceResult::failed(code::OK, "")
    }

    pub fn failed(result: u8, error_message: impl Into<String>) -> ServiceResult {
        ServiceResult { result, error_message: error_message.into() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct SimulatorFeatures {
    pub features: Vec<u16>,
    pub spawn_formats: Vec<String>,
    pub custom_info: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct EntityFilters {
    /// Regular expression for names. Empty matches all.
    pub filter: String,
    pub categories: Vec<u8>,
    pub tags: Vec<String>,
    pub tags_filter_mode: u8,
    pub bounds_type: u8,
    pub bounds: Vec<Vector3>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct EntityInfo {
    pub category: u8,
    pub description: String,
    pub tags: Vec<String>,
}

/// State of an entity. All values, including rates, are in the header's frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct EntityState {
    pub header: Header,
    pub position: Vector3,
    pub orientation: Quaternion,
    pub linear_velocity: Vector3,
    pub angular_velocity: Vector3,
    pub linear_acceleration: Vector3,
    pub angular_acceleration: Vector3,
}
