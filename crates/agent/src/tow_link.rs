//! Ropes and bars between agents.

use bekker_vehicle::collision::Tow;

/// A rope or bar between two agents of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TowLink {
    /// The agents, in ascending order.
    pub agents: [usize; 2],
    /// What is between them; its places in the order of the agents.
    pub tow: Tow,
}
