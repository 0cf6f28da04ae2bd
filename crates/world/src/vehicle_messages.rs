//! Messages of all agents, in the precision of the wire.

use super::world::World;
use bekker_ground::Patches;
use bekker_sync::ground_code::Memory;
use bekker_sync::message::{Body, Origin, Reader, VehicleState as VehicleMessage, Writer};

impl World {
    /// All agents as the others are told of them, own ones too: through the wire's
    /// code, so that it cannot matter on which rank an agent is.
    pub fn messages(&self) -> Vec<VehicleMessage> {
        (0..self.model().agents.len()).map(|agent| self.message(agent)).collect()
    }

    /// The same of one.
    pub(super) fn message(&self, agent: usize) -> VehicleMessage {
        if let (false, Some(received)) = (self.is_own(agent), self.imaging.received(agent)) {
            return received.clone();
        }
        let (state, room) = self.shown(agent);
        let message = self.model().agents[agent].message(&state, &room);
        let (mut writer, mut bytes) = (Writer::default(), Vec::new());
        let origin = Origin::default();
        let (nothing, mut memory) = (Patches::default(), Memory::default());
        writer.agent_heartbeat(&origin, &message, &nothing, &mut memory, &mut bytes);
        let mut ground = Patches::default();
        let mut memories = [Memory::default()];
        match Reader::new(&bytes).next(&mut memories, &mut ground) {
            Ok(Some((_, Body::AgentHeartbeat(message, _)))) => message,
            // not finite, say: then as it is
            _ => message,
        }
    }
}
