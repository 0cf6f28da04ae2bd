//! Responses recorded for a trial.

use super::event_kind::{EventKind, EventMeasure};
use super::figure::Figure;
use super::state_column::{Extreme, StateColumn};
use bekker_scenario::config::Scenario;
use bekker_scenario::{Problem, nearest_word};

/// Value of a response.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
    /// The response does not apply to the vehicle.
    Absent,
}

/// A response of one of the vehicles, or of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Name in the study.
    pub name: String,
    /// Index of the vehicle in the scenario.
    pub vehicle: usize,
    /// Quantity measured.
    pub measure: Measure,
}

/// Quantity measured by a response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// A metric.
    Figure(Figure),
    /// A column of the states, over the duration of the drive.
    State(Extreme, StateColumn),
    /// An event during the drive.
    Event(EventMeasure, EventKind),
}

impl Response {
    /// Parses a response name, such as `go`, `tail.distance` or `max_of_pitch_rad`, and checks it
    /// against the scenario.
    pub(super) fn parse(name: &str, scenario: &Scenario) -> Result<Response, Problem> {
        let (vehicle, word) = match name.rsplit_once('.') {
            Some((vehicle, word)) => (Some(vehicle), word),
            None => (None, name),
        };
        let figure = Figure::ALL.into_iter().find(|own| own.name() == word).map(Measure::Figure);
        let Some(measure) = figure.or_else(|| of_states(word)).or_else(|| of_events(word)) else {
            let known = || Figure::ALL.map(Figure::name);
            let mut allowed = known().map(str::to_owned).to_vec();
            let columns = StateColumn::names().join(", ");
            allowed.push(format!("min_of_, mean_of_ or max_of_ before one of {columns}"));
            let events = EventKind::ALL.map(EventKind::name).join(", ");
            allowed.push(format!("count_of_ or first_time_of_ before one of {events}"));
            return Err(Problem::NotOneOf { suggestion: nearest_word(word, known()), allowed });
        };
        if let (Some(vehicle), Measure::Figure(figure)) = (vehicle, measure)
            && figure.is_of_the_run()
        {
            let cause = format!("applies to the whole convoy; omit `{vehicle}.`");
            return Err(Problem::Refused { cause });
        }
        if scenario.team.is_none()
            && let Measure::Figure(figure) = measure
            && figure.is_of_a_team()
        {
            let cause = "applies to teams; the scenario has no [team]".into();
            return Err(Problem::Refused { cause });
        }
        let index = match vehicle {
            Some(vehicle) => scenario.vehicle.iter().position(|own| own.name == vehicle),
            None => Some(0),
        };
        let Some(vehicle) = index else {
            let names: Vec<&str> = scenario.vehicle.iter().map(|own| own.name.as_str()).collect();
            let told = names.join(", ");
            let cause = format!("must have the name of a vehicle before the dot: {told}");
            return Err(Problem::Refused { cause });
        };
        Ok(Response { name: name.to_owned(), vehicle, measure })
    }

    /// Returns the unit; empty if dimensionless.
    pub fn unit(&self) -> &'static str {
        match self.measure {
            Measure::Figure(figure) => figure.unit(),
            Measure::State(_, column) => column.unit(),
            Measure::Event(measure, _) => measure.unit(),
        }
    }
}

fn of_events(word: &str) -> Option<Measure> {
    EventKind::measured(word).map(|(measure, kind)| Measure::Event(measure, kind))
}

fn of_states(word: &str) -> Option<Measure> {
    let (extreme, column) = word.split_once("_of_")?;
    Some(Measure::State(Extreme::named(extreme)?, StateColumn::named(column)?))
}
