//! The format of a study's file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// A study: a scenario, what is varied in it, how often, and what is looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StudyConfig {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub format: u32,
    /// What it asks, in a sentence or two.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    pub description: String,
    /// The scenario, relative to the study.
    pub scenario: PathBuf,
    /// How levels are combined.
    pub design: Design,
    /// How many design points, of designs that draw them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub points: Option<u64>,
    /// How often each design point is driven, each time with another seed of the scenario.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub replications: u64,
    /// Root of all draws of the study.
    #[serde(default)]
    #[schemars(range(max = 9_007_199_254_740_992_u64))]
    pub seed: u64,
    /// Whether replication r has the same seed of the scenario at all design points.
    #[serde(default = "yes")]
    pub common_random_numbers: bool,
    /// What is taken down: a figure of the first vehicle, such as "go", or of a named one, such
    /// as "tail.go".
    #[schemars(length(min = 1, max = 1000))]
    pub responses: Vec<String>,
    /// What is varied.
    #[schemars(length(min = 1, max = 100))]
    pub factor: Vec<Factor>,
}

/// How levels are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// Every level of every factor with every level of the others; the last factor's change
    /// fastest.
    FullFactorial,
    /// Each factor's range in as many strata as there are points, each drawn from once.
    LatinHypercube,
    /// Each factor drawn independently at each point.
    Random,
}

/// What is varied: one or several keys of the scenario, moved together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// Its name: letters, digits and underscores; a column of the results.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// The key of the scenario, as `bekker run --set` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Several keys that get the same level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1000))]
    pub keys: Option<Vec<String>>,
    /// Its levels, one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100_000))]
    pub values: Option<Vec<Level>>,
    /// Its levels from lowest to highest, uniform between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// How many levels of a range a full factorial design takes, evenly spaced, both ends among
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = 100_000))]
    pub steps: Option<u64>,
}

impl Factor {
    /// Its keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.key.iter().chain(self.keys.iter().flatten()).map(String::as_str)
    }

    /// The level at a part of its room, from 0 to 1: of values the one whose equal share of it
    /// holds the part.
    pub(super) fn level(&self, part: f64) -> Level {
        match (&self.values, self.range) {
            (Some(values), _) => {
                let index = (part * values.len() as f64) as usize;
                values[index.min(values.len() - 1)].clone()
            }
            (None, Some([low, high])) => Level::Number(low + part * (high - low)),
            (None, None) => Level::Boolean(false),
        }
    }
}

/// A value that a factor takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Level {
    /// Yes or no.
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

impl Level {
    /// As TOML; whole numbers without a point, so that they fit keys of both kinds.
    pub fn to_toml(&self) -> String {
        match self {
            Level::Boolean(is) => is.to_string(),
            // beyond, not every whole number is one of these
            Level::Number(x) if x.fract() == 0.0 && x.abs() < 9e15 => x.to_string(),
            Level::Number(x) => format!("{x:?}"),
            // what JSON escapes, TOML reads
            Level::Word(word) => serde_json::Value::from(word.as_str()).to_string(),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Boolean(is) => write!(f, "{is}"),
            Level::Number(x) => write!(f, "{x}"),
            Level::Word(word) => f.write_str(word),
        }
    }
}

fn once() -> u64 {
    1
}

fn yes() -> bool {
    true
}
