//! Vehicles that share their maps by radio.
//!
//! At each exchange the links of the radio are drawn. With a central authority, which one of
//! the vehicles carries, each member within its reach sends it what has changed of its map; the
//! authority merges and sends each what has changed of the whole. The MAVS swarm study sends
//! whole maps both ways ([`Sharing::Whole`]). Between peers each tells those that it has a
//! direct link to and that no third is between ([`partners`]); what concerns others spreads from
//! one to the next. The merge of maps is a semilattice, so that order and repetition cannot matter: all
//! three ways lead to the same map.

mod assignment;
mod member;
mod task;

pub use assignment::Assignment;
pub use member::{Letter, Member, Terms, Traffic};
pub use task::{Candidate, Ledger, Order, Parts, Report, Task};

use super::radio::{Network, Radio};
use bekker_math::numeric::hypot;

/// How maps are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// A central authority, what has changed.
    Central,
    /// A central authority, whole maps.
    Whole,
    /// From vehicle to vehicle, what has changed.
    Peers,
}

/// A team; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Team {
    /// How maps are shared.
    pub sharing: Sharing,
    /// The agent that carries the central authority.
    pub authority: usize,
    /// Time between exchanges, µs.
    pub period_us: u64,
    /// Distance from its straight way to its goal within which a tile concerns a member, m.
    pub concern: Option<f64>,
    /// What the authority has those do that have no goal of their own.
    pub task: Option<Task>,
    /// The radio.
    pub radio: Radio,
}

impl Team {
    /// Number of the exchange that falls into the heartbeat between two moments, µs, if any.
    pub fn exchange(&self, [before_us, now_us]: [u64; 2]) -> Option<u64> {
        let [before, now] = [before_us, now_us].map(|moment| moment / self.period_us);
        (now > before).then_some(now)
    }
}

/// Those that a member tells directly: neighbours in the relative neighbourhood graph of the
/// links (Toussaint 1980), in which two are neighbours unless a third that both reach is nearer to
/// both. It holds a shortest tree, so that it is connected wherever the links are, and few meet at
/// a member however dense the team is.
pub fn partners(network: &Network, places: &[Option<[f64; 2]>], agent: usize) -> Vec<usize> {
    let distance = |a: usize, b: usize| match (places[a], places[b]) {
        (Some(a), Some(b)) => hypot(a[0] - b[0], a[1] - b[1]),
        _ => f64::INFINITY,
    };
    let neighbours = &network.neighbours[agent];
    let nearest = |&&other: &&usize| {
        let apart = distance(agent, other);
        let between = |&&third: &&usize| {
            third != other
                && network.neighbours[third].binary_search(&other).is_ok()
                && distance(agent, third).max(distance(third, other)) < apart
        };
        neighbours.iter().find(between).is_none()
    };
    neighbours.iter().filter(nearest).copied().collect()
}
