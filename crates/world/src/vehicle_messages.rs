//! Messages of all agents, with the precision of the wire format.

use super::world::World;
use bekker_ground::Patches;
use bekker_sync::ground_code::CodecState;
use bekker_sync::message::{
    MessageBody, MessageOrigin, MessageReader, MessageWriter, VehicleMessage,
};

impl World {
    /// Returns the messages of all agents as other ranks receive them.
    ///
    /// Own agents too are encoded and decoded, so that the result does not depend on the rank of an
    /// agent.
    pub fn messages(&self) -> Vec<VehicleMessage> {
        (0..self.model().agents.len()).map(|agent| self.message(agent)).collect()
    }

    /// Returns the message of one agent as other ranks receive it.
    pub(super) fn message(&self, agent: usize) -> VehicleMessage {
        if let (false, Some(received)) = (self.is_own(agent), self.imaging.received(agent)) {
            return received.clone();
        }
        let (state, workspace) = self.state_and_workspace(agent);
        let message = self.model().agents[agent].message(&state, &workspace);
        let (mut writer, mut bytes) = (MessageWriter::default(), Vec::new());
        let origin = MessageOrigin::default();
        let (nothing, mut codec_state) = (Patches::default(), CodecState::default());
        writer.agent_heartbeat(&origin, &message, &nothing, &mut codec_state, &mut bytes);
        let mut ground = Patches::default();
        let mut codec_states = [CodecState::default()];
        match MessageReader::new(&bytes).next(&mut codec_states, &mut ground) {
            Ok(Some((_, MessageBody::AgentHeartbeat(message, _)))) => message,
            // A state that is not finite cannot be decoded; its message is then used as it is.
            _ => message,
        }
    }
}
