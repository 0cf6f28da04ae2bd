//! Obstacles near an agent in a heartbeat.

use bekker_vehicle::collision::CollisionPair;

/// Obstacles that an agent may touch in a heartbeat; derived and never saved.
#[derive(Clone, Debug, Default)]
pub struct ObstacleContacts {
    pub near: Vec<u32>,
    /// Obstacles near the trailer; scratch.
    pub near_trailer: Vec<u32>,
    /// Pairs of each solid obstacle, in order, with chassis and trailer.
    pub pairs: Vec<[CollisionPair; 2]>,
    /// Damage of each nearby stem after contact with this agent, by obstacle.
    pub damage: Vec<(u32, u16)>,
}
