//! A study's file, read and held to its schema and to its scenario.

use super::config::{Design, Factor, Level, StudyConfig};
use super::points;
use super::response::{Figure, Response};
use crate::random::Stream;
use crate::scenario::{
    Document, Fault, Faults, Place, Problem, Scenario, ScenarioFile, conform, input, nearest_word,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Most trials of a study.
const MOST_TRIALS: u64 = 10_000_000;
/// Most design points, all of which are held in memory.
const MOST_POINTS: u64 = 1_000_000;
/// The scenario's key that replications change.
const SEED: &str = "seed";

/// Columns of the results that no factor may be called.
const COLUMNS: [&str; 7] =
    ["trial", "point", "replication", "scenario_seed", "status", "reason", "state_hash"];

/// The JSON Schema of a study.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(StudyConfig).to_value()
}

static SCHEMA: LazyLock<serde_json::Value> = LazyLock::new(schema);

/// A study, ready to be driven.
#[derive(Clone, Debug)]
pub struct Study {
    /// What its file says.
    pub config: StudyConfig,
    /// What is taken down of each trial.
    pub responses: Vec<Response>,
    /// Where the scenario is.
    pub scenario: PathBuf,
    /// The scenario as it is without any factor.
    pub base: ScenarioFile,
    text: String,
    points: Vec<Vec<Level>>,
}

/// One run of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Its number, from 0.
    pub number: u64,
    /// Its design point.
    pub point: u64,
    /// Which time the point is driven, from 0.
    pub replication: u64,
    /// The scenario's seed in it; none where a factor says it.
    pub seed: Option<u64>,
    /// The level of each factor.
    pub levels: Vec<Level>,
    /// What makes the scenario this trial's: arguments of `bekker run --set`.
    pub sets: Vec<String>,
}

impl Study {
    /// Reads a study and its scenario.
    ///
    /// # Errors
    /// Every fault of the study with its key, value and what is allowed, those of its scenario,
    /// and factors whose keys the scenario does not have.
    pub fn read(path: &Path) -> Result<Study, Faults> {
        let file = path.display().to_string();
        let text = read_text(path)?;
        let document = Document::parse(&file, &text)?;
        Faults::into_result(conform(&document, &SCHEMA))?;
        let config: StudyConfig = serde_json::from_value(document.root.value.to_json())
            .map_err(|e| document.fault("", Problem::Refused { cause: e.to_string() }))?;
        Faults::into_result(faults(&config, &document))?;
        let scenario = path.parent().unwrap_or(Path::new("")).join(&config.scenario);
        let text = read_text(&scenario)?;
        let folder = scenario.parent().unwrap_or(Path::new(""));
        let base = ScenarioFile::parse(&scenario.display().to_string(), &text, folder, &[])?;
        let responses = responses(&config, &document, &base.scenario)?;
        let count = points::count(&config).unwrap_or_default();
        let points = points::points(&config, count);
        let study = Study { config, responses, scenario, base, text, points };
        study.refuse_unknown_keys()?;
        Ok(study)
    }

    /// How many design points there are.
    pub fn points(&self) -> u64 {
        self.points.len() as u64
    }

    /// How many trials there are.
    pub fn trials(&self) -> u64 {
        self.points() * self.config.replications
    }

    /// A trial by its number, which is below [`Study::trials`].
    pub fn trial(&self, number: u64) -> Trial {
        let (point, replication) =
            (number / self.config.replications, number % self.config.replications);
        let levels = self.points[point as usize].clone();
        let factors = &self.config.factor;
        let is_given = factors.iter().flat_map(Factor::keys).any(|key| key.trim() == SEED);
        let counter = if self.config.common_random_numbers { replication } else { number };
        // 53 bits: TOML has no more than 63, JSON no more than these
        let drawn = Stream::new(self.config.seed, "seed of the scenario").bits(counter) >> 11;
        let seed = (!is_given).then_some(drawn);
        let own = seed.map(|seed| format!("{SEED}={seed}"));
        let of_factors = factors.iter().zip(&levels).flat_map(|(factor, level)| {
            factor.keys().map(|key| format!("{}={}", key.trim(), level.to_toml()))
        });
        let sets = own.into_iter().chain(of_factors).collect();
        Trial { number, point, replication, seed, levels, sets }
    }

    /// The scenario of a trial.
    ///
    /// # Errors
    /// Every fault found up to the scenario's cross-checks.
    pub fn scenario_of(&self, trial: &Trial) -> Result<ScenarioFile, Faults> {
        // named as the study names it: reasons of failed trials are results, and the same anywhere
        let folder = self.scenario.parent().unwrap_or(Path::new(""));
        let name = self.config.scenario.display().to_string();
        ScenarioFile::parse(&name, &self.text, folder, &trial.sets)
    }

    /// Refuses factors of keys that the scenario does not know; of levels that it refuses, the
    /// trials tell.
    fn refuse_unknown_keys(&self) -> Result<(), Faults> {
        let Err(Faults(mut faults)) = self.scenario_of(&self.trial(0)) else { return Ok(()) };
        faults.retain(|fault| {
            let of_a_key = matches!(
                *fault.problem,
                Problem::UnknownKey { .. }
                    | Problem::Renamed { .. }
                    | Problem::NotAnAssignment
                    | Problem::TooDeep { .. }
                    | Problem::HoldsNoKeys { .. }
                    | Problem::NoSuchElement { .. }
                    | Problem::NotAnIndex { .. }
            );
            of_a_key && matches!(fault.place, Place::Set(_))
        });
        Faults::into_result(faults)
    }
}

fn read_text(path: &Path) -> Result<String, Fault> {
    input::read_text(path, input::LARGEST_TEXT).map_err(|error| {
        let problem = Problem::Unreadable { cause: error.to_string() };
        Fault::new(Place::File(path.display().to_string().into()), "", None, problem)
    })
}

/// What is wrong with a study by itself.
fn faults(config: &StudyConfig, document: &Document) -> Vec<Fault> {
    let mut found = Vec::new();
    let (mut names, mut keys) = (BTreeSet::new(), BTreeSet::new());
    let is_factorial = config.design == Design::FullFactorial;
    for (n, factor) in config.factor.iter().enumerate() {
        let here = format!("factor[{n}]");
        let mut fault = |key: &str, problem| {
            let key = if key.is_empty() { here.clone() } else { format!("{here}.{key}") };
            found.push(document.fault(&key, problem));
        };
        let refused = |cause: &str| Problem::Refused { cause: cause.into() };
        if !factor.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            fault("name", refused("must be of letters, digits and underscores"));
        }
        let reserved = COLUMNS.contains(&&*factor.name) || config.responses.contains(&factor.name);
        if reserved {
            fault("name", refused("is the name of another column of the results"));
        } else if !names.insert(&factor.name) {
            fault("name", refused("is already the name of another factor"));
        }
        if let Some(problem) =
            exactly_one([("key", factor.key.is_some()), ("keys", factor.keys.is_some())])
        {
            fault("", problem);
        }
        if let Some(problem) =
            exactly_one([("values", factor.values.is_some()), ("range", factor.range.is_some())])
        {
            fault("", problem);
        }
        for key in factor.keys() {
            if !keys.insert(key.trim().to_owned()) {
                let name = if factor.key.is_some() { "key" } else { "keys" };
                fault(name, refused(&format!("`{key}` is varied already")));
            }
        }
        match (factor.range, factor.steps) {
            (Some([low, high]), _) if low >= high => fault("range", Problem::EmptyRange),
            (Some(_), None) if is_factorial => {
                let expected = "the number of levels that a full factorial design takes";
                fault("steps", Problem::Missing { expected: expected.into() });
            }
            (Some(_), Some(_)) if !is_factorial => {
                fault("steps", refused("is for a full factorial design; this one draws"));
            }
            (None, Some(_)) => fault("steps", refused("is for a range; values are levels already")),
            _ => {}
        }
    }
    match (is_factorial, config.points) {
        (true, Some(_)) => {
            let cause = "is for designs that draw; a full factorial one has what its levels give";
            found.push(document.fault("points", Problem::Refused { cause: cause.into() }));
        }
        (false, None) => {
            let expected = "the number of design points of a design that draws".into();
            found.push(document.fault("points", Problem::Missing { expected }));
        }
        _ => {}
    }
    if found.is_empty() {
        found.extend(too_large(config, document));
    }
    found
}

/// A study of more points or trials than it can have.
fn too_large(config: &StudyConfig, document: &Document) -> Option<Fault> {
    let points = points::count(config);
    let refused = |key, count: Option<u64>, most, what| {
        let count = count.map_or("far more".into(), |count| count.to_string());
        let cause = format!("gives {count} {what}; at most {most} are allowed");
        Some(document.fault(key, Problem::Refused { cause }))
    };
    if points.is_none_or(|points| points > MOST_POINTS) {
        return refused("design", points, MOST_POINTS, "design points");
    }
    let trials = points.and_then(|points| points.checked_mul(config.replications));
    if trials.is_none_or(|trials| trials > MOST_TRIALS) {
        return refused("replications", trials, MOST_TRIALS, "trials");
    }
    None
}

fn exactly_one(keys: [(&str, bool); 2]) -> Option<Problem> {
    let of = keys.iter().map(|(key, _)| (*key).to_owned()).collect();
    let given: Vec<String> =
        keys.iter().filter(|(_, given)| *given).map(|(key, _)| (*key).to_owned()).collect();
    (given.len() != 1).then_some(Problem::NotExactlyOne { of, given })
}

/// The responses, each of a vehicle of the scenario.
fn responses(
    config: &StudyConfig,
    document: &Document,
    scenario: &Scenario,
) -> Result<Vec<Response>, Faults> {
    let (mut found, mut faults) = (Vec::<Response>::new(), Vec::new());
    let known = || Figure::ALL.map(Figure::name);
    for (n, name) in config.responses.iter().enumerate() {
        let mut fault = |problem| faults.push(document.fault(&format!("responses[{n}]"), problem));
        let refused = |cause: String| Problem::Refused { cause };
        let (vehicle, figure) = match name.rsplit_once('.') {
            Some((vehicle, figure)) => (Some(vehicle), figure),
            None => (None, name.as_str()),
        };
        let index = match vehicle {
            Some(vehicle) => scenario.vehicle.iter().position(|own| own.name == vehicle),
            None => Some(0),
        };
        let Some(figure) = Figure::ALL.into_iter().find(|own| own.name() == figure) else {
            let suggestion = nearest_word(figure, known());
            let allowed = known().map(str::to_owned).to_vec();
            fault(Problem::NotOneOf { suggestion, allowed });
            continue;
        };
        let Some(vehicle) = index else {
            let names: Vec<&str> = scenario.vehicle.iter().map(|own| own.name.as_str()).collect();
            fault(refused(format!(
                "must name a vehicle of the scenario before the point: {}",
                names.join(", ")
            )));
            continue;
        };
        if found.iter().any(|own| own.name == *name) {
            fault(refused("is asked for twice".into()));
            continue;
        }
        found.push(Response { name: name.clone(), vehicle, figure });
    }
    Faults::into_result(faults)?;
    Ok(found)
}
