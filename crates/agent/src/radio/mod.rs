//! Radios: what vehicles tell each other, and what reaches whom.
//!
//! Ten times a second, if the scenario says no other, every member of a radio sends a beacon and
//! what else it has to say. Who has a link to whom, what is lost, and how long it takes is drawn by
//! the radio, keyed by exchange, sender, receiver and message: every rank draws the same.
//! Members on different ranks hear all that is sent (`bekker_ranks::Ranks` gathers it
//! whatever the route), and each receiver's rank draws what reaches it.

mod cooperation;
mod figures;
mod medium;
mod message;
mod station;

pub use figures::{PlatoonSummary, RadioSummary};
pub use medium::{Bursts, Network, Radio};
pub use message::{Beacon, Hazard, Heard, Message, Transmission};
pub use station::Station;

/// Time between messages that tell where approaches to a traffic light are, µs.
const SECOND_US: u64 = 1_000_000;

/// Vehicles that share a radio; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct RadioNet {
    /// Its name in the scenario.
    pub name: String,
    /// The agents that have it, in ascending order.
    pub members: Vec<usize>,
    /// Time between exchanges, µs.
    pub period_us: u64,
    /// The radio.
    pub radio: Radio,
}

impl RadioNet {
    /// Number of the exchange that falls into the heartbeat between two moments, µs, if any.
    pub fn exchange(&self, [before_us, now_us]: [u64; 2]) -> Option<u64> {
        let [before, now] = [before_us, now_us].map(|moment| moment / self.period_us);
        (now > before).then_some(now)
    }

    /// Whether an exchange is the first of a second, or of all.
    pub fn is_first_of_second(&self, exchange: u64) -> bool {
        let second = |exchange: u64| exchange * self.period_us / SECOND_US;
        exchange <= 1 || second(exchange) > second(exchange - 1)
    }

    /// Age that a beacon has at most when the next is due after `lost` were lost, µs.
    pub fn oldest_us(&self, lost: u32) -> u64 {
        let Radio { latency_us, jitter_us, hops, .. } = self.radio;
        (u64::from(lost) + 1) * self.period_us + latency_us * u64::from(hops) + jitter_us
    }
}
