//! The format of a study's file.

use super::distribution::Distribution;
use super::question::Question;
use super::stopping::Stop;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
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
    /// The table of a `table` design, relative to the study: CSV, a row a design point, a column a
    /// factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<PathBuf>,
    /// Whether a `saltelli` design also has what indices of pairs of factors take.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub second_order: bool,
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
    /// When it stops before its last trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// The question that the first line of its report answers. Unless given, it is about the first
    /// response that has a mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
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
    /// Sobol's sequence, scrambled: more even than draws.
    Sobol,
    /// What Sobol' indices are estimated from: two tables A and B of so many points, and for each
    /// factor A with the factor's column of B.
    Saltelli,
    /// A table of the study's own.
    Table,
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
    /// Its levels by name, each with the value of every key that it moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100_000))]
    pub levels: Option<Vec<NamedLevel>>,
    /// Its levels from lowest to highest, uniform between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Its levels by their distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<Distribution>,
    /// How many levels of a range a full factorial design takes, evenly spaced, both ends among
    /// them; of a distribution the medians of as many equal shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = 100_000))]
    pub steps: Option<u64>,
    /// Whether its levels multiply what the scenario says, instead of taking its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scale: bool,
}

/// A level that gives several keys a value each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedLevel {
    /// Its name.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// The value of each key; the same keys in all levels of a factor.
    #[schemars(extend("minProperties" = 1))]
    pub set: BTreeMap<String, Level>,
}

/// A number to fifteen digits, so that what steps of decimals come to is printed as such: 0.6, not
/// 0.6000000000000001.
fn decimal(x: f64) -> f64 {
    format!("{x:.14e}").parse().unwrap_or(x)
}

impl Factor {
    /// Its keys, as `bekker run --set` takes them.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let of_levels = self.levels.iter().flatten().take(1).flat_map(|level| level.set.keys());
        self.key.iter().chain(self.keys.iter().flatten()).chain(of_levels).map(|key| key.trim())
    }

    /// How many levels it lists; none where any number between others is one.
    pub fn listed(&self) -> Option<u64> {
        let values = self.values.as_ref().map(Vec::len);
        values.or(self.levels.as_ref().map(Vec::len)).map(|count| count as u64)
    }

    /// The level at a part of its room, from 0 to 1: of those listed the one whose equal share
    /// of it holds the part.
    pub(super) fn level(&self, part: f64) -> Level {
        match (self.listed(), self.range, &self.distribution) {
            (Some(count), ..) => self.listed_level((part * count as f64) as u64),
            (None, Some([low, high]), _) => Level::Number(low + part * (high - low)),
            (None, None, Some(distribution)) => Level::Number(distribution.quantile(part)),
            // levels come from a table
            (None, None, None) => Level::Boolean(false),
        }
    }

    /// The level of this index among as many as a full factorial design takes.
    pub(super) fn step(&self, index: u64, count: u64) -> Level {
        match (self.listed(), self.range) {
            (Some(_), _) => self.listed_level(index),
            (None, Some([low, high])) => {
                let last = (count - 1).max(1);
                let [before, behind] = [last - index, index].map(|n| n as f64);
                Level::Number(decimal((before * low + behind * high) / last as f64))
            }
            (None, None) => self.level((index as f64 + 0.5) / count as f64),
        }
    }

    /// The listed level of an index, the last beyond.
    fn listed_level(&self, index: u64) -> Level {
        let index = |length: usize| (index as usize).min(length - 1);
        match (&self.values, &self.levels) {
            (Some(values), _) => values[index(values.len())].clone(),
            (None, Some(levels)) => Level::Word(levels[index(levels.len())].name.clone()),
            (None, None) => Level::Boolean(false),
        }
    }

    /// What a level makes of the scenario: arguments of `bekker run --set`. `own` are the
    /// scenario's numbers at its keys, where its levels scale them.
    pub(super) fn sets(&self, level: &Level, own: &[f64]) -> Vec<String> {
        let set = |key: &str, level: &Level| format!("{}={}", key.trim(), level.to_toml());
        if let Some(levels) = &self.levels {
            let named = levels.iter().find(|named| Level::Word(named.name.clone()) == *level);
            return named.map_or(Vec::new(), |named| {
                named.set.iter().map(|(key, level)| set(key, level)).collect()
            });
        }
        match level {
            Level::Number(by) if self.scale => {
                let scaled = self.keys().zip(own).map(|(key, own)| (key, Level::Number(by * own)));
                scaled.map(|(key, level)| set(key, &level)).collect()
            }
            level => self.keys().map(|key| set(key, level)).collect(),
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
            // larger whole numbers are not all representable
            Level::Number(x) if x.fract() == 0.0 && x.abs() < 9e15 => x.to_string(),
            Level::Number(x) => format!("{x:?}"),
            // TOML accepts JSON's escapes
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
