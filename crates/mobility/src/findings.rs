//! Result of an event, as plain data.

use bekker_rig::PlotPanel;
use bekker_scenario::Scenario;
use serde::Serialize;

/// Names of reference lines in plots.
pub(super) const CLOSED_FORM: &str = "closed form";
pub(super) const PUBLISHED: &str = "published";

/// Returns the name of simulated lines in plots.
pub(super) fn simulated_on(soil: &str) -> String {
    format!("simulation, {soil}")
}

/// Result of an event for a vehicle.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    /// Metrics.
    pub figures: Vec<EventMetric>,
    /// Curves.
    pub panels: Vec<PlotPanel>,
    /// Scenarios that decided the result.
    ///
    /// For a limit they are the last passed and the first failed.
    #[serde(skip)]
    pub scenarios: Vec<Scenario>,
}

/// A metric of a vehicle's mobility.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EventMetric {
    /// Name, used as a key.
    pub name: &'static str,
    /// Conditions, such as a soil or a speed; may be empty.
    pub on: String,
    /// Value; `None` if the event gave none, with the reason in `note`.
    pub value: Option<f64>,
    /// Unit; empty if dimensionless.
    pub unit: &'static str,
    /// Requirement on the value.
    pub limit: Option<Limit>,
    /// Whether the requirement is met.
    pub passes: Option<bool>,
    /// Value by a closed form.
    pub closed_form: Option<ClosedForm>,
    /// Published value.
    pub published: Option<Published>,
    /// Remarks; may be empty.
    pub note: String,
}

/// Requirement on a metric.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Lower bound.
    AtLeast(f64),
    /// Upper bound.
    AtMost(f64),
}

/// Value of a metric by a closed form.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClosedForm {
    /// Value, in the metric's unit.
    pub value: f64,
    /// Name or formula of the law.
    pub law: &'static str,
}

/// Published value of a metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Published {
    /// Value, in the metric's unit.
    pub value: f64,
    /// Source.
    pub source: &'static str,
}

impl EventMetric {
    /// Creates a metric with a value, if the event gave one.
    pub(super) fn new(name: &'static str, value: Option<f64>, unit: &'static str) -> EventMetric {
        EventMetric { name, value, unit, ..EventMetric::default() }
    }

    pub(super) fn with_condition(self, on: impl Into<String>) -> EventMetric {
        EventMetric { on: on.into(), ..self }
    }

    pub(super) fn with_note(self, note: impl Into<String>) -> EventMetric {
        EventMetric { note: note.into(), ..self }
    }

    /// Adds a note about a value that passed although a smaller one failed, if there is one.
    pub(super) fn with_alternation_note(self, passed: Option<String>) -> EventMetric {
        let Some(passed) = passed else { return self };
        let told = format!("{passed} passed, although an easier value failed");
        let note = if self.note.is_empty() { told } else { format!("{}; {told}", self.note) };
        self.with_note(note)
    }

    /// Adds the value by a closed form.
    pub(super) fn with_closed_form(self, law: &'static str, value: f64) -> EventMetric {
        EventMetric { closed_form: Some(ClosedForm { value, law }), ..self }
    }

    /// Adds a requirement and whether it is met.
    pub(super) fn with_limit(self, limit: Limit) -> EventMetric {
        let passes = self.value.map(|value| match limit {
            Limit::AtLeast(least) => value >= least,
            Limit::AtMost(most) => value <= most,
        });
        // a missing value does not meet the requirement
        EventMetric { limit: Some(limit), passes: Some(passes.unwrap_or(false)), ..self }
    }

    /// Adds the published value for a catalog vehicle, if there is one.
    pub(super) fn with_published(self, model: &str) -> EventMetric {
        let published = super::published::find(model, self.name, &self.on);
        EventMetric { published, ..self }
    }
}
