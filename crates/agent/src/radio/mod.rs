//! Radio networks: messages of vehicles and their reception.
//!
//! Every member of a radio sends a beacon and its other messages ten times a second, unless the
//! scenario sets another rate. Links, losses and delays are drawn by the radio, keyed by exchange,
//! sender, receiver and message, so every rank draws the same.
//!
//! Ranks receive all messages sent (`bekker_ranks::Ranks` gathers them on any route), and each
//! receiver's rank draws which of them reach it.

mod cooperation;
mod medium;
mod message;
mod metrics;
mod station;

pub use medium::{Bursts, Radio, RadioLinks};
pub use message::{Beacon, Hazard, RadioMessage, ReceivedMessage, Transmission};
pub use metrics::{PlatoonSummary, RadioSummary};
pub use station::RadioStation;

/// Time between messages with the positions of a traffic light's approaches, µs.
const SECOND_US: u64 = 1_000_000;

/// Vehicles that share a radio; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct RadioNet {
    /// Name in the scenario.
    pub name: String,
    /// Agents with this radio, in ascending order.
    pub members: Vec<usize>,
    /// Time between exchanges, µs.
    pub period_us: u64,
    /// Parameters of the radio.
    pub radio: Radio,
}

impl RadioNet {
    /// Returns the number of the exchange within the heartbeat between two times, µs, if there is
    /// one.
    pub fn exchange(&self, [before_us, now_us]: [u64; 2]) -> Option<u64> {
        let [before, now] = [before_us, now_us].map(|moment| moment / self.period_us);
        (now > before).then_some(now)
    }

    /// Returns whether an exchange is the first of a second, or the very first.
    pub fn is_first_of_second(&self, exchange: u64) -> bool {
        let second = |exchange: u64| exchange * self.period_us / SECOND_US;
        exchange <= 1 || second(exchange) > second(exchange - 1)
    }

    /// Returns the largest age of a beacon after `lost` consecutive losses, when the next one is
    /// due, µs.
    pub fn oldest_us(&self, lost: u32) -> u64 {
        let Radio { latency_us, jitter_us, hops, .. } = self.radio;
        (u64::from(lost) + 1) * self.period_us + latency_us * u64::from(hops) + jitter_us
    }
}
