//! Events that a study may count, or tell the first of.

use bekker_agent::Event;

/// What happens to a vehicle while it drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Its gearbox changed gear.
    GearShifted,
    /// It came over another soil.
    SoilEntered,
    /// Its driver was about something else.
    IntentChanged,
    /// It ran into something, or something into it; told when that is over.
    Collided,
    /// It let go of its trailer, or that tore off.
    Uncoupled,
    /// Its driver, backing a trailer, pulled forward to straighten it.
    PulledUp,
}

/// What of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventMeasure {
    /// How often it happened.
    Count,
    /// The end of the heartbeat in which it first happened, of a collision when it began, s; absent
    /// where it did not.
    FirstTime,
}

impl EventMeasure {
    /// All of them, with the words before an event's name.
    pub const ALL: [(EventMeasure, &'static str); 2] =
        [(EventMeasure::Count, "count_of_"), (EventMeasure::FirstTime, "first_time_of_")];

    /// Its unit; empty of what has none.
    pub fn unit(self) -> &'static str {
        match self {
            EventMeasure::Count => "",
            EventMeasure::FirstTime => "s",
        }
    }
}

impl EventKind {
    /// All of them.
    pub const ALL: [EventKind; 6] = [
        EventKind::GearShifted,
        EventKind::SoilEntered,
        EventKind::IntentChanged,
        EventKind::Collided,
        EventKind::Uncoupled,
        EventKind::PulledUp,
    ];

    /// Its name in a study.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::GearShifted => "gear_shifted",
            EventKind::SoilEntered => "soil_entered",
            EventKind::IntentChanged => "intent_changed",
            EventKind::Collided => "collided",
            EventKind::Uncoupled => "uncoupled",
            EventKind::PulledUp => "pulled_up",
        }
    }

    /// Whether an event is one of these.
    pub(super) fn is(self, event: &Event) -> bool {
        match event {
            Event::GearShifted { .. } => self == EventKind::GearShifted,
            Event::SoilEntered { .. } => self == EventKind::SoilEntered,
            Event::IntentChanged { .. } => self == EventKind::IntentChanged,
            Event::Collided(_) => self == EventKind::Collided,
            Event::Uncoupled { .. } => self == EventKind::Uncoupled,
            Event::PulledUp => self == EventKind::PulledUp,
            _ => false,
        }
    }

    /// What a study's word asks of an event, such as `count_of_soil_entered`.
    pub(super) fn measured(word: &str) -> Option<(EventMeasure, EventKind)> {
        EventMeasure::ALL.into_iter().find_map(|(measure, before)| {
            let name = word.strip_prefix(before)?;
            Some((measure, EventKind::ALL.into_iter().find(|kind| kind.name() == name)?))
        })
    }
}
