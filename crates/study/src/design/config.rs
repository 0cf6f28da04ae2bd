//! Format of a study's file.

use super::distribution::Distribution;
use super::perturbation::{Perturbation, decimal};
use super::question::StudyQuestion;
use super::stopping::Stop;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// A study: a scenario, the factors varied in it, the number of trials, and the recorded responses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StudyConfig {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub format: u32,
    /// Question of the study, in a sentence or two.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    pub description: String,
    /// Scenario file, relative to the study's file.
    pub scenario: PathBuf,
    /// Design, which combines the levels of the factors.
    pub design: DesignKind,
    /// Number of design points, for designs that draw them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub points: Option<u64>,
    /// Table of a `table` design, relative to the study's file. It is a CSV file with one row per
    /// design point and one column per factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<PathBuf>,
    /// Whether a `saltelli` design also has the points needed for indices of pairs of factors.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub second_order: bool,
    /// Number of trials at each design point, each with a different seed of the scenario.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub replications: u64,
    /// Root seed of all draws of the study.
    #[serde(default)]
    #[schemars(range(max = 9_007_199_254_740_992_u64))]
    pub seed: u64,
    /// Whether replication r has the same seed of the scenario at all design points.
    #[serde(default = "yes")]
    pub common_random_numbers: bool,
    /// Rule that stops the study before its last trial. Where absent, all trials are driven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// Copies of each trial with perturbed soil strength, which show whether its outcomes are
    /// sensitive. Where absent, there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perturb: Option<Perturbation>,
    /// Question that the first line of the report answers. Where absent, it is about the first
    /// response that has a mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<StudyQuestion>,
    /// Recorded responses. Each is a metric of the first vehicle, such as "go", or of a named
    /// vehicle, such as "tail.go".
    #[schemars(length(min = 1, max = 1000))]
    pub responses: Vec<String>,
    /// Factors that are varied.
    #[schemars(length(min = 1, max = 100))]
    pub factor: Vec<Factor>,
}

/// Ways to combine the levels of the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Design")]
pub enum DesignKind {
    /// Every level of every factor with every level of the others. The levels of the last factor
    /// change fastest.
    FullFactorial,
    /// The range of each factor is divided into as many strata as there are points, and each
    /// stratum is drawn from once.
    LatinHypercube,
    /// Each factor is drawn independently at each point.
    Random,
    /// Scrambled Sobol sequence, more even than independent draws.
    Sobol,
    /// Points for the estimation of Sobol' indices: two tables A and B of `points` points each, and
    /// for each factor, A with that factor's column from B.
    Saltelli,
    /// A custom table of design points.
    Table,
}

/// A factor that is varied: one key of the scenario, or several keys changed together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// Name of the factor: letters, digits and underscores. It becomes a column of the results.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// Key of the scenario, in the form that `bekker run --set` accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Several keys that receive the same level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1000))]
    pub keys: Option<Vec<String>>,
    /// List of levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100_000))]
    pub values: Option<Vec<LevelValue>>,
    /// List of named levels, each with a value for every key that it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100_000))]
    pub levels: Option<Vec<NamedLevel>>,
    /// Lowest and highest level. Levels are uniform between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Distribution of the levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<Distribution>,
    /// Number of levels that a full factorial design takes. Of a range they are evenly spaced,
    /// including both ends. Of a distribution they are the medians of as many equal shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = 100_000))]
    pub steps: Option<u64>,
    /// Whether the levels multiply the value in the scenario instead of replacing it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scale: bool,
}

/// A level that sets a value for each of several keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedLevel {
    /// Name of the level.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// Value of each key. All levels of a factor must have the same keys.
    #[schemars(extend("minProperties" = 1))]
    pub set: BTreeMap<String, LevelValue>,
}

impl Factor {
    /// Iterates over the factor's keys, in the form that `bekker run --set` accepts.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let of_levels = self.levels.iter().flatten().take(1).flat_map(|level| level.set.keys());
        self.key.iter().chain(self.keys.iter().flatten()).chain(of_levels).map(|key| key.trim())
    }

    /// Number of listed levels; `None` if levels are continuous.
    pub fn listed(&self) -> Option<u64> {
        let values = self.values.as_ref().map(Vec::len);
        values.or(self.levels.as_ref().map(Vec::len)).map(|count| count as u64)
    }

    /// Returns the level at a position `part` in the factor's range, from 0 to 1.
    ///
    /// For listed levels, it is the one whose equal share contains the position.
    pub(super) fn level(&self, part: f64) -> LevelValue {
        match (self.listed(), self.range, &self.distribution) {
            (Some(count), ..) => self.listed_level((part * count as f64) as u64),
            (None, Some([low, high]), _) => LevelValue::Number(low + part * (high - low)),
            (None, None, Some(distribution)) => LevelValue::Number(distribution.quantile(part)),
            // the levels of a custom table
            (None, None, None) => LevelValue::Boolean(false),
        }
    }

    /// Returns the level of this index among the `count` levels of a full factorial design.
    pub(super) fn step(&self, index: u64, count: u64) -> LevelValue {
        match (self.listed(), self.range) {
            (Some(_), _) => self.listed_level(index),
            (None, Some([low, high])) => {
                let last = (count - 1).max(1);
                let [before, behind] = [last - index, index].map(|n| n as f64);
                LevelValue::Number(decimal((before * low + behind * high) / last as f64))
            }
            (None, None) => self.level((index as f64 + 0.5) / count as f64),
        }
    }

    /// Returns the listed level of an index, or the last level beyond the list.
    fn listed_level(&self, index: u64) -> LevelValue {
        let index = |length: usize| (index as usize).min(length - 1);
        match (&self.values, &self.levels) {
            (Some(values), _) => values[index(values.len())].clone(),
            (None, Some(levels)) => LevelValue::Word(levels[index(levels.len())].name.clone()),
            (None, None) => LevelValue::Boolean(false),
        }
    }

    /// Returns the arguments of `bekker run --set` for a level.
    ///
    /// `own` holds the scenario's numbers at the factor's keys, for levels that scale them.
    pub(super) fn sets(&self, level: &LevelValue, own: &[f64]) -> Vec<String> {
        let set = |key: &str, level: &LevelValue| format!("{}={}", key.trim(), level.to_toml());
        if let Some(levels) = &self.levels {
            let named = levels.iter().find(|named| LevelValue::Word(named.name.clone()) == *level);
            return named.map_or(Vec::new(), |named| {
                named.set.iter().map(|(key, level)| set(key, level)).collect()
            });
        }
        match level {
            LevelValue::Number(by) if self.scale => {
                let scaled =
                    self.keys().zip(own).map(|(key, own)| (key, LevelValue::Number(by * own)));
                scaled.map(|(key, level)| set(key, &level)).collect()
            }
            level => self.keys().map(|key| set(key, level)).collect(),
        }
    }
}

/// Value of a factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Level")]
pub enum LevelValue {
    /// True or false.
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

impl LevelValue {
    /// Formats the level as TOML. Whole numbers have no decimal point, so that they fit both kinds
    /// of keys.
    pub fn to_toml(&self) -> String {
        match self {
            LevelValue::Boolean(is) => is.to_string(),
            // beyond this limit, not every whole number is representable
            LevelValue::Number(x) if x.fract() == 0.0 && x.abs() < 9e15 => x.to_string(),
            LevelValue::Number(x) => format!("{x:?}"),
            // TOML accepts the escapes of JSON
            LevelValue::Word(word) => serde_json::Value::from(word.as_str()).to_string(),
        }
    }
}

impl fmt::Display for LevelValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LevelValue::Boolean(is) => write!(f, "{is}"),
            LevelValue::Number(x) => write!(f, "{x}"),
            LevelValue::Word(word) => f.write_str(word),
        }
    }
}

fn once() -> u64 {
    1
}

fn yes() -> bool {
    true
}
