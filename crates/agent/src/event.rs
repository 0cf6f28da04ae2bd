//! What happened to an agent in a heartbeat, for whom states alone say too little.

use super::hit::Hit;
use super::outcome::OutcomeCode;
use bekker_ground::soil::SoilId;
use bekker_vehicle::driver::Intent;
use serde::{Deserialize, Serialize};

/// A change from one heartbeat to the next. It follows from the two states (a hit that is not
/// over is part of them): a run that is resumed tells what one that was not cut tells.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The gearbox changed gear: 1 is the first, 0 neutral, negative reverse.
    GearShifted {
        /// Gear before.
        from: i32,
        /// Gear now.
        to: i32,
    },
    /// The origin of the chassis came over another soil.
    SoilEntered {
        /// Soil before.
        from: SoilId,
        /// Soil now.
        to: SoilId,
    },
    /// The driver is about something else: it waits behind its leader, holds, has arrived.
    IntentChanged {
        /// What it was about.
        from: Intent,
        /// What it is about.
        to: Intent,
    },
    /// It ran into something, or something into it: told when they have parted for a quarter
    /// of a second, or the drive ends.
    Collided(Hit),
    /// It let go of its trailer, or its trailer tore off.
    Uncoupled {
        /// Whether the coupling broke.
        broken: bool,
    },
    /// Its driver, who backs a trailer that would have folded up, pulls forward to straighten it.
    PulledUp,
    /// The drive ended.
    Ended {
        /// How.
        outcome: OutcomeCode,
    },
}

/// Of events those about trailers, as ranks tell them to the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrailerEvent {
    /// It was let go of.
    Released,
    /// It tore off.
    TornOff,
    /// Its driver pulled up to straighten it.
    PulledUp,
}

impl TrailerEvent {
    /// What of an event is about a trailer.
    pub fn of(event: &Event) -> Option<TrailerEvent> {
        match event {
            Event::Uncoupled { broken: false } => Some(TrailerEvent::Released),
            Event::Uncoupled { broken: true } => Some(TrailerEvent::TornOff),
            Event::PulledUp => Some(TrailerEvent::PulledUp),
            _ => None,
        }
    }
}
