//! What happened to an agent in a heartbeat, for whom states alone say too little.

use super::agent::{AgentModel, AgentState, AgentWorkspace};
use super::hit::Hit;
use super::outcome::OutcomeCode;
use crate::ground::GroundModel;
use crate::soil::SoilId;
use crate::vehicle::Coupling;
use crate::vehicle::driver::{Intent, PathFollower};
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

/// What of an agent's state events are told by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstance {
    gear: i32,
    /// Under the origin of the chassis; of a drive that has ended, which may be nowhere, none.
    soil: Option<SoilId>,
    intent: Intent,
    outcome: Option<OutcomeCode>,
    coupling: Coupling,
    pulls_up: bool,
}

impl AgentModel {
    pub(super) fn circumstance(
        &self,
        ground: &GroundModel,
        state: &AgentState,
        workspace: &AgentWorkspace,
    ) -> Circumstance {
        let place = self.vehicle.pose(&workspace.vehicle).position;
        let drives = state.outcome.is_none();
        Circumstance {
            gear: state.vehicle.gearbox.gear,
            soil: drives.then(|| ground.terrain().soil(place.x, place.y)),
            intent: state.monitor.intent().0,
            outcome: state.outcome.as_ref().map(super::Outcome::code),
            coupling: state.vehicle.coupling,
            pulls_up: state.driver.backing
                && self.driver.follower().is_some_and(PathFollower::backs_a_trailer),
        }
    }
}

impl Circumstance {
    /// What has changed since `before`.
    pub fn events_since(&self, before: &Circumstance, events: &mut Vec<Event>) {
        let Circumstance { gear, soil, intent, outcome, coupling, pulls_up } = *self;
        if gear != before.gear {
            events.push(Event::GearShifted { from: before.gear, to: gear });
        }
        if let (Some(from), Some(to)) = (before.soil, soil)
            && from != to
        {
            events.push(Event::SoilEntered { from, to });
        }
        if intent != before.intent {
            events.push(Event::IntentChanged { from: before.intent, to: intent });
        }
        if coupling != before.coupling {
            events.push(Event::Uncoupled { broken: coupling == Coupling::Broken });
        }
        if pulls_up && !before.pulls_up {
            events.push(Event::PulledUp);
        }
        if let (Some(outcome), None) = (outcome, before.outcome) {
            events.push(Event::Ended { outcome });
        }
    }
}
