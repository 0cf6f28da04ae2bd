//! Events of an agent within a heartbeat, for users who need more than states.

use super::collision::Collision;
use super::outcome::OutcomeCode;
use bekker_ground::soil::SoilId;
use bekker_vehicle::driver::Intent;
use serde::{Deserialize, Serialize};

/// Change from one heartbeat to the next.
///
/// It follows from the two states, which include ongoing collisions. A resumed run therefore
/// reports the same events as an uninterrupted one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The gearbox changed gear: 1 is the first gear, 0 neutral, negative reverse.
    GearShifted {
        /// Gear before.
        from: i32,
        /// Gear now.
        to: i32,
    },
    /// The origin of the chassis moved onto another soil.
    SoilEntered {
        /// Soil before.
        from: SoilId,
        /// Soil now.
        to: SoilId,
    },
    /// The driver's intent changed, for example to waiting behind its leader, holding, or arrived.
    IntentChanged {
        /// Intent before.
        from: Intent,
        /// Intent now.
        to: Intent,
    },
    /// A collision is over: the two have been apart for 0.25 s, or the drive has ended.
    Collided(Collision),
    /// The trailer was uncoupled or tore off.
    Uncoupled {
        /// Whether the coupling broke.
        broken: bool,
    },
    /// The driver, which backs a trailer that would have jackknifed, pulls forward to straighten
    /// it.
    PulledUp,
    /// The drive ended.
    Ended {
        /// Outcome of the drive.
        outcome: OutcomeCode,
    },
}

/// Event about a trailer, in the form that ranks send to the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrailerEvent {
    /// The trailer was uncoupled.
    Released,
    /// The trailer tore off.
    TornOff,
    /// The driver pulled forward to straighten the trailer.
    PulledUp,
}

impl TrailerEvent {
    /// Returns the trailer event of an event, if it is one.
    pub fn from_event(event: &Event) -> Option<TrailerEvent> {
        match event {
            Event::Uncoupled { broken: false } => Some(TrailerEvent::Released),
            Event::Uncoupled { broken: true } => Some(TrailerEvent::TornOff),
            Event::PulledUp => Some(TrailerEvent::PulledUp),
            _ => None,
        }
    }
}
