//! State of an instance, in memory and as bytes.

use super::FmuError;
use super::instance::InstancePhase;
use bekker_math::spatial::Vec3;
use bekker_vehicle::Controls;
use bekker_world::{WorldModel, WorldState, checkpoint};
use serde::{Deserialize, Serialize};

/// The complete mutable state of an instance.
#[derive(Clone, Debug)]
pub struct SavedState {
    pub(super) world: WorldState,
    pub(super) state: InstanceState,
}

/// Mutable state other than the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct InstanceState {
    pub phase: InstancePhase,
    /// Time of the importer at the start of the world, s.
    pub start_time: f64,
    /// Input values of each vehicle; they have no effect without an external controller.
    pub inputs: Vec<Controls>,
    /// Mean acceleration of each vehicle over the last heartbeat, m/s², world axes.
    pub accelerations: Vec<Vec3>,
}

impl SavedState {
    /// Encodes the state: the length of the instance data, these data and a checkpoint.
    pub(super) fn encode(
        &self,
        model: &WorldModel,
        decisive: &str,
    ) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_stdvec(&(&self.state, checkpoint::encode(model, decisive, &self.world)))
    }

    /// Decodes a state and checks that it matches this unit.
    pub(super) fn decode(
        model: &WorldModel,
        decisive: &str,
        bytes: &[u8],
    ) -> Result<SavedState, FmuError> {
        let (state, world): (InstanceState, Vec<u8>) = postcard::from_bytes(bytes)?;
        let world = checkpoint::decode(model, decisive, &world)?;
        let count = model.agents.len();
        if state.inputs.len() != count || state.accelerations.len() != count {
            let cause = format!("it does not have {count} vehicles");
            return Err(FmuError::Serialized { cause });
        }
        if !state.start_time.is_finite() {
            return Err(FmuError::StartTime { time: state.start_time });
        }
        Ok(SavedState { world, state })
    }
}
