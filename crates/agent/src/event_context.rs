//! Part of an agent's state whose changes are events.

use super::agent::{AgentModel, AgentState, AgentWorkspace};
use super::event::Event;
use super::ground_vehicle::GroundVehicle;
use super::outcome::{Outcome, OutcomeCode};
use bekker_ground::GroundModel;
use bekker_ground::soil::SoilId;
use bekker_vehicle::Coupling;
use bekker_vehicle::driver::{Intent, PathFollower};

/// State whose changes are reported as events.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventContext {
    gear: i32,
    /// Soil under the chassis origin; `None` after the drive has ended, when the position may be
    /// invalid.
    soil: Option<SoilId>,
    intent: Intent,
    outcome: Option<OutcomeCode>,
    coupling: Coupling,
    pulls_up: bool,
}

impl AgentModel {
    pub(super) fn event_context(
        &self,
        ground: &GroundModel,
        state: &AgentState,
        workspace: &AgentWorkspace,
    ) -> EventContext {
        let place = self.vehicle.pose(&workspace.vehicle).position;
        let drives = state.outcome.is_none();
        EventContext {
            gear: state.vehicle.gearbox.gear,
            soil: drives.then(|| ground.terrain().soil(place.x, place.y)),
            intent: state.monitor.intent().0,
            outcome: state.outcome.as_ref().map(Outcome::code),
            coupling: state.vehicle.coupling,
            pulls_up: state.driver.backing
                && self.driver.follower().is_some_and(PathFollower::reverses_trailer),
        }
    }
}

impl EventContext {
    /// Appends an event for each change since `before`.
    pub fn events_since(&self, before: &EventContext, events: &mut Vec<Event>) {
        let EventContext { gear, soil, intent, outcome, coupling, pulls_up } = *self;
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
