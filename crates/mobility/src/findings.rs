//! What an event found: plain data.

use bekker_rig::Panel;
use bekker_scenario::Scenario;
use serde::Serialize;

/// What an event found about a vehicle.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    /// Its figures.
    pub figures: Vec<Figure>,
    /// Its curves.
    pub panels: Vec<Panel>,
    /// The scenarios that decided: of a limit, the last that was passed and the first that was
    /// not.
    #[serde(skip)]
    pub scenarios: Vec<Scenario>,
}

/// A figure of a vehicle's mobility.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figure {
    /// What it is, as a key.
    pub name: &'static str,
    /// Under which circumstances: a soil, a speed; may be empty.
    pub on: String,
    /// Its value; none where the event gave none, for which `note` says why.
    pub value: Option<f64>,
    /// Its unit; empty of what has none.
    pub unit: &'static str,
    /// What is asked of it.
    pub limit: Option<Limit>,
    /// Whether that is met.
    pub passes: Option<bool>,
    /// What a law makes of it.
    pub closed_form: Option<ClosedForm>,
    /// What was published.
    pub published: Option<Published>,
    /// What else there is to say; may be empty.
    pub note: String,
}

/// What is asked of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// No less than this.
    AtLeast(f64),
    /// No more than this.
    AtMost(f64),
}

/// A figure by a law.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClosedForm {
    /// Its value, in the figure's unit.
    pub value: f64,
    /// The law.
    pub law: &'static str,
}

/// A figure by a publication.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Published {
    /// Its value, in the figure's unit.
    pub value: f64,
    /// Where.
    pub source: &'static str,
}

impl Figure {
    /// A figure with a value, if the event gave one.
    pub(super) fn new(name: &'static str, value: Option<f64>, unit: &'static str) -> Figure {
        Figure { name, value, unit, ..Figure::default() }
    }

    pub(super) fn on(self, on: impl Into<String>) -> Figure {
        Figure { on: on.into(), ..self }
    }

    pub(super) fn note(self, note: impl Into<String>) -> Figure {
        Figure { note: note.into(), ..self }
    }

    /// With what was passed though less was not, in words, if anything was.
    pub(super) fn again(self, passed: Option<String>) -> Figure {
        let Some(passed) = passed else { return self };
        let told = format!("{passed} was passed, though less was not");
        let note = if self.note.is_empty() { told } else { format!("{}; {told}", self.note) };
        self.note(note)
    }

    /// The figure beside what a law makes of it.
    pub(super) fn beside(self, law: &'static str, value: f64) -> Figure {
        Figure { closed_form: Some(ClosedForm { value, law }), ..self }
    }

    /// The figure with what is asked of it.
    pub(super) fn asked(self, limit: Limit) -> Figure {
        let passes = self.value.map(|value| match limit {
            Limit::AtLeast(least) => value >= least,
            Limit::AtMost(most) => value <= most,
        });
        // what has no value has not been reached
        Figure { limit: Some(limit), passes: Some(passes.unwrap_or(false)), ..self }
    }

    /// The figure beside what was published of a vehicle of the catalogue, if anything was.
    pub(super) fn published(self, model: &str) -> Figure {
        let published = super::published::find(model, self.name, &self.on);
        Figure { published, ..self }
    }
}
