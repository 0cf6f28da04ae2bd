//! Responses recorded for a trial.

use super::event_kind::{EventKind, EventMeasure};
use super::run_metric::RunMetric;
use super::state_column::{Extreme, StateColumn};
use bekker_scenario::config::Scenario;
use bekker_scenario::{DiagnosticKind, nearest_word};

/// Value of a response.
#[derive(Clone, Debug, PartialEq)]
pub enum ResponseValue {
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
    Run(RunMetric),
    /// A column of the states, over the duration of the drive.
    State(Extreme, StateColumn),
    /// An event during the drive.
    Event(EventMeasure, EventKind),
}

impl Response {
    /// Parses a response name, such as `go`, `tail.distance` or `max_of_pitch_rad`, and checks it
    /// against the scenario.
    pub(super) fn parse(name: &str, scenario: &Scenario) -> Result<Response, DiagnosticKind> {
        let (vehicle, word) = match name.rsplit_once('.') {
            Some((vehicle, word)) => (Some(vehicle), word),
            None => (None, name),
        };
        let metric = RunMetric::ALL.into_iter().find(|own| own.name() == word).map(Measure::Run);
        let Some(measure) = metric.or_else(|| state_measure(word)).or_else(|| event_measure(word))
        else {
            let known = || RunMetric::ALL.map(RunMetric::name);
            let mut allowed = known().map(str::to_owned).to_vec();
            let columns = StateColumn::names().join(", ");
            allowed.push(format!("min_of_, mean_of_ or max_of_ before one of {columns}"));
            let events = EventKind::ALL.map(EventKind::name).join(", ");
            allowed.push(format!("count_of_ or first_time_of_ before one of {events}"));
            return Err(DiagnosticKind::NotOneOf {
                suggestion: nearest_word(word, known()),
                allowed,
            });
        };
        if let (Some(vehicle), Measure::Run(metric)) = (vehicle, measure)
            && metric.is_run_wide()
        {
            let cause = format!("applies to the whole convoy; omit `{vehicle}.`");
            return Err(DiagnosticKind::Refused { cause });
        }
        if scenario.team.is_none()
            && let Measure::Run(metric) = measure
            && metric.is_team_metric()
        {
            let cause = "applies to teams; the scenario has no [team]".into();
            return Err(DiagnosticKind::Refused { cause });
        }
        let index = match vehicle {
            Some(vehicle) => scenario.vehicle.iter().position(|own| own.name == vehicle),
            None => Some(0),
        };
        let Some(vehicle) = index else {
            let names: Vec<&str> = scenario.vehicle.iter().map(|own| own.name.as_str()).collect();
            let told = names.join(", ");
            let cause = format!("must have the name of a vehicle before the dot: {told}");
            return Err(DiagnosticKind::Refused { cause });
        };
        Ok(Response { name: name.to_owned(), vehicle, measure })
    }

    /// Returns the unit; empty if dimensionless.
    pub fn unit(&self) -> &'static str {
        match self.measure {
            Measure::Run(metric) => metric.unit(),
            Measure::State(_, column) => column.unit(),
            Measure::Event(measure, _) => measure.unit(),
        }
    }
}

fn event_measure(word: &str) -> Option<Measure> {
    EventKind::parse(word).map(|(measure, kind)| Measure::Event(measure, kind))
}

fn state_measure(word: &str) -> Option<Measure> {
    let (extreme, column) = word.split_once("_of_")?;
    Some(Measure::State(Extreme::find(extreme)?, StateColumn::find(column)?))
}
