//! Events that a study can count, or whose first time it can record.

use bekker_agent::Event;

/// Kind of event of a vehicle during its drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The gearbox changed gear.
    GearShifted,
    /// The vehicle entered another soil.
    SoilEntered,
    /// The driver's intent changed.
    IntentChanged,
    /// The vehicle collided; the event is emitted at the end of the collision.
    Collided,
    /// The trailer was uncoupled or torn off.
    Uncoupled,
    /// The driver, reversing with a trailer, pulled forward to straighten it.
    PulledUp,
}

/// Measure of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventMeasure {
    /// Number of events.
    Count,
    /// Time of the first event, s; absent without one.
    ///
    /// It is the end of the heartbeat, or for a collision the time of its beginning.
    FirstTime,
}

impl EventMeasure {
    /// All measures, with their name prefixes.
    pub const ALL: [(EventMeasure, &'static str); 2] =
        [(EventMeasure::Count, "count_of_"), (EventMeasure::FirstTime, "first_time_of_")];

    /// Returns the unit; empty if dimensionless.
    pub fn unit(self) -> &'static str {
        match self {
            EventMeasure::Count => "",
            EventMeasure::FirstTime => "s",
        }
    }
}

impl EventKind {
    /// All kinds.
    pub const ALL: [EventKind; 6] = [
        EventKind::GearShifted,
        EventKind::SoilEntered,
        EventKind::IntentChanged,
        EventKind::Collided,
        EventKind::Uncoupled,
        EventKind::PulledUp,
    ];

    /// Returns the name in a study.
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

    /// Returns whether an event is of this kind.
    pub(super) fn matches(self, event: &Event) -> bool {
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

    /// Parses a response name of an event, such as `count_of_soil_entered`.
    pub(super) fn parse(word: &str) -> Option<(EventMeasure, EventKind)> {
        EventMeasure::ALL.into_iter().find_map(|(measure, before)| {
            let name = word.strip_prefix(before)?;
            Some((measure, EventKind::ALL.into_iter().find(|kind| kind.name() == name)?))
        })
    }
}
