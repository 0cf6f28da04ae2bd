//! Obstacles near an agent in a heartbeat.

use bekker_vehicle::collision::Pair;

/// What an agent may run into in a heartbeat: derived, never saved.
#[derive(Clone, Debug, Default)]
pub struct Strikes {
    pub near: Vec<u32>,
    /// What is near the trailer: scratch.
    pub near_trailer: Vec<u32>,
    /// Of those that are solid, in their order, with the chassis and with the trailer.
    pub pairs: Vec<[Pair; 2]>,
    /// Damage of all stems near as this agent has left them, by obstacle.
    pub damage: Vec<(u32, u16)>,
}
