//! Ropes and bars between agents.

use bekker_vehicle::collision::Tow;

/// Rope or bar between two agents of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TowLink {
    /// Agents, in ascending order.
    pub agents: [usize; 2],
    /// Rope or bar; its end points are in the order of the agents.
    pub tow: Tow,
}
