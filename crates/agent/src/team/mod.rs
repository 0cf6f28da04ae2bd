//! Vehicles that share their maps by radio.
//!
//! The links of the radio are drawn at each exchange. With a central authority, which one of the
//! vehicles carries, each member in range sends the changes of its map. The authority merges them
//! and sends each member the changes of the merged map. The MAVS swarm study sends whole maps both
//! ways ([`MapSharing::Whole`]).
//!
//! Between peers, each sends to those with a direct link and no third vehicle in between
//! ([`partners`]). Other tiles spread from one to the next.
//!
//! The merge of maps is a semilattice, so order and repetition do not matter: all three ways lead
//! to the same map.

mod assignment;
mod member;
mod task;

pub use assignment::Assignment;
pub use member::{MessageCounters, TeamMember, TileMessage, TileSelection};
pub use task::{Candidate, Ledger, SearchPartition, TeamOrder, TeamReport, TeamTask};

use super::radio::{Radio, RadioLinks};
use bekker_math::numeric::hypot;

/// Method of sharing maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapSharing {
    /// Changes, over a central authority.
    Central,
    /// Whole maps, over a central authority.
    Whole,
    /// Changes, between peers.
    Peers,
}

/// Team; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Team {
    /// Method of sharing maps.
    pub sharing: MapSharing,
    /// Agent that carries the central authority.
    pub authority: usize,
    /// Time between exchanges, µs.
    pub period_us: u64,
    /// Distance from a member's straight line to its goal within which tiles are sent to it, m.
    pub concern: Option<f64>,
    /// Task that the authority assigns to members that have no assigned goal.
    pub task: Option<TeamTask>,
    /// Parameters of the radio.
    pub radio: Radio,
}

impl Team {
    /// Returns the number of the exchange within the heartbeat between two times, µs, if there is
    /// one.
    pub fn exchange(&self, [before_us, now_us]: [u64; 2]) -> Option<u64> {
        let [before, now] = [before_us, now_us].map(|moment| moment / self.period_us);
        (now > before).then_some(now)
    }
}

/// Returns the members to which a member sends directly.
///
/// They are its neighbors in the relative neighborhood graph of the links (Toussaint 1980): two are
/// neighbors unless a third, linked to both, is nearer to both.
///
/// The graph contains a minimum spanning tree, so it is connected wherever the links are. The
/// number of neighbors stays small in dense teams.
pub fn partners(network: &RadioLinks, places: &[Option<[f64; 2]>], agent: usize) -> Vec<usize> {
    let distance = |a: usize, b: usize| match (places[a], places[b]) {
        (Some(a), Some(b)) => hypot(a[0] - b[0], a[1] - b[1]),
        _ => f64::INFINITY,
    };
    let neighbors = &network.neighbors[agent];
    let nearest = |&&other: &&usize| {
        let apart = distance(agent, other);
        let between = |&&third: &&usize| {
            third != other
                && network.neighbors[third].binary_search(&other).is_ok()
                && distance(agent, third).max(distance(third, other)) < apart
        };
        neighbors.iter().find(between).is_none()
    };
    neighbors.iter().filter(nearest).copied().collect()
}
