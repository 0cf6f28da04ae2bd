//! Study file: read, and validated against its schema and its scenario.

use super::config::{DesignKind, Factor, LevelValue, StudyConfig};
use super::diagnostics::{arrivals, diagnostics, sensitive_responses, too_many};
use super::perturbation::Perturbation;
use super::response::Response;
use super::{points, table};
use bekker_math::random::RandomStream;
use bekker_scenario::{
    Diagnostic, DiagnosticKind, Diagnostics, Document, FileKind, Inputs, Scenario, ScenarioFile,
    SourceLocation, TomlValue, conform, input,
};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Responses of each vehicle in the study of a scenario.
const OF_A_VEHICLE: [&str; 3] = ["go", "outcome", "distance"];

/// Key of the scenario that replications change.
pub(super) const SEED: &str = "seed";

/// Returns the JSON Schema of a study.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(StudyConfig).to_value()
}

static SCHEMA: LazyLock<serde_json::Value> = LazyLock::new(schema);

/// A study, ready to be driven.
#[derive(Clone, Debug)]
pub struct Study {
    /// Contents of the file.
    pub config: StudyConfig,
    /// Responses recorded for each trial.
    pub responses: Vec<Response>,
    /// Names of the last responses, which are not in the file: whether the drives of its totals
    /// arrived.
    pub arrivals: Vec<String>,
    /// Path of the scenario.
    pub scenario: PathBuf,
    /// Absolute path of the folder to which the scenario's paths are relative.
    pub folder: PathBuf,
    /// The scenario without any factor.
    pub base: ScenarioFile,
    /// SHA-256 of the table of points, hexadecimal; empty without a table.
    pub table_hash: String,
    text: String,
    /// Changes to the scenario in all trials, as arguments of `bekker run --set`.
    sets: Vec<String>,
    /// Whether trials have the seed of the scenario unless a factor sets it.
    keeps_seed: bool,
    points: Vec<Vec<LevelValue>>,
    /// For each scaling factor, the scenario's numbers at its keys.
    own: Vec<Vec<f64>>,
}

/// One run of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Number, from 0.
    pub number: u64,
    /// Design point.
    pub point: u64,
    /// Replication of the point, from 0.
    pub replication: u64,
    /// Seed of the scenario; `None` if a factor sets it.
    pub seed: Option<u64>,
    /// Level of each factor.
    pub levels: Vec<LevelValue>,
    /// Changes to the scenario, as arguments of `bekker run --set`.
    pub sets: Vec<String>,
}

impl Study {
    /// Reads a study and its scenario.
    ///
    /// # Errors
    /// Every fault of the study with its key, value and what is allowed, those of its scenario, and
    /// factors whose keys the scenario does not have.
    pub fn read(path: &Path) -> Result<Study, Diagnostics> {
        Study::read_with(path, |own| own)
    }

    /// Reads a study, or a scenario as a study of a single trial, with another perturbation.
    ///
    /// `perturb` receives the perturbation in the file and returns that of the study. A scenario
    /// needs one, because a single drive without copies is no study.
    ///
    /// # Errors
    /// As [`Study::read`].
    pub fn read_with(
        path: &Path,
        perturb: impl Fn(Option<Perturbation>) -> Option<Perturbation>,
    ) -> Result<Study, Diagnostics> {
        let file = path.display().to_string();
        let text = read_text(path)?;
        let document = Document::parse(&file, &text)?;
        if document.get("vehicle").is_some() && document.get("scenario").is_none() {
            let Some(perturb) = perturb(None) else {
                let cause = "is a scenario: give a study that names it, or --perturb to drive it \
                    with perturbed soil strength";
                let kind = DiagnosticKind::Refused { cause: cause.into() };
                return Err(document.diagnostic("", kind).into());
            };
            return Study::of_scenario(path, &[], perturb);
        }
        FileKind::Study.check(&document)?;
        Diagnostics::into_result(conform(&document, &SCHEMA))?;
        let mut config: StudyConfig = serde_json::from_value(document.root.value.to_json())
            .map_err(|e| {
                document.diagnostic("", DiagnosticKind::Refused { cause: e.to_string() })
            })?;
        config.perturb = perturb(config.perturb);
        Diagnostics::into_result(diagnostics(&config, &document))?;
        let beside = path.parent().unwrap_or(Path::new(""));
        let (points, table_hash) = match &config.table {
            Some(table) => {
                let (file, text) = (beside.join(table), read_text(&beside.join(table))?);
                let points = table::read(
                    &file.display().to_string(),
                    &text,
                    &config.factor,
                    config.common_random_numbers,
                )?;
                (points, base16ct::lower::encode_string(&Sha256::digest(&text)))
            }
            None => {
                let count = points::count(&config).unwrap_or_default();
                (points::points(&config, count), String::new())
            }
        };
        if let Some(diagnostic) = too_many(&config, points.len() as u64, &document) {
            return Err(diagnostic.into());
        }
        let scenario = beside.join(&config.scenario);
        let text = read_text(&scenario)?;
        let beside = scenario.parent().unwrap_or(Path::new(""));
        let base = ScenarioFile::parse(&scenario.display().to_string(), &text, beside, &[])?;
        let folder = scenario.canonicalize().ok().and_then(|own| Some(own.parent()?.to_owned()));
        let folder = folder.unwrap_or_else(|| beside.to_owned());
        let mut responses = parsed_responses(&config, &document, &base.scenario)?;
        let arrivals = arrivals(&config);
        for name in &arrivals {
            let response = Response::parse(name, &base.scenario);
            responses.push(response.map_err(|problem| document.diagnostic("responses", problem))?);
        }
        config.responses.extend(arrivals.iter().cloned());
        add_sensitive_responses(&mut config, &mut responses, &base.scenario);
        let own = scaled(&config, &document, &base)?;
        let study = Study {
            config,
            responses,
            arrivals,
            scenario,
            folder,
            base,
            table_hash,
            text,
            sets: Vec::new(),
            keeps_seed: false,
            points,
            own,
        };
        study.refuse_unknown_keys(&document)?;
        Ok(study)
    }

    /// Returns the study of a single trial: a scenario with `sets`, and its perturbed copies.
    ///
    /// # Errors
    /// Faults of the scenario.
    pub fn of_scenario(
        path: &Path,
        sets: &[String],
        perturb: Perturbation,
    ) -> Result<Study, Diagnostics> {
        let text = read_text(path)?;
        let beside = path.parent().unwrap_or(Path::new(""));
        let base = ScenarioFile::parse(&path.display().to_string(), &text, beside, sets)?;
        let folder = path.canonicalize().ok().and_then(|own| Some(own.parent()?.to_owned()));
        let names = base.scenario.vehicle.iter().enumerate().map(|(index, own)| match index {
            0 => String::new(),
            _ => format!("{}.", own.name),
        });
        let responses = names.flat_map(|name| OF_A_VEHICLE.map(|word| format!("{name}{word}")));
        let mut config = StudyConfig {
            format: 1,
            description: base.scenario.description.clone(),
            scenario: path.file_name().unwrap_or_default().into(),
            design: DesignKind::FullFactorial,
            points: None,
            table: None,
            second_order: false,
            replications: 1,
            seed: 0,
            common_random_numbers: true,
            stop: None,
            perturb: Some(perturb),
            question: None,
            responses: responses.collect(),
            factor: Vec::new(),
        };
        let mut responses = parsed_responses(&config, &base.document, &base.scenario)?;
        add_sensitive_responses(&mut config, &mut responses, &base.scenario);
        Ok(Study {
            config,
            responses,
            arrivals: Vec::new(),
            scenario: path.to_owned(),
            folder: folder.unwrap_or_else(|| beside.to_owned()),
            base,
            table_hash: String::new(),
            text,
            sets: sets.to_vec(),
            keeps_seed: true,
            points: vec![Vec::new()],
            own: Vec::new(),
        })
    }

    /// A sentence that lists the added responses; `None` if there are none.
    pub fn arrivals_sentence(&self) -> Option<String> {
        let arrivals = self.arrivals.join(", ");
        (!arrivals.is_empty()).then(|| {
            format!(
                "note: also recorded: {arrivals}; energy, fuel and time are reported for arrived \
                 trials"
            )
        })
    }

    /// Returns the number of design points.
    pub fn points(&self) -> u64 {
        self.points.len() as u64
    }

    /// Returns the number of trials.
    pub fn trials(&self) -> u64 {
        self.points() * self.config.replications
    }

    /// Returns a trial by its number, which is below [`Study::trials`].
    pub fn trial(&self, number: u64) -> Trial {
        let (point, replication) =
            (number / self.config.replications, number % self.config.replications);
        let levels = self.points[point as usize].clone();
        let factors = &self.config.factor;
        let is_given =
            self.keeps_seed || factors.iter().flat_map(Factor::keys).any(|key| key == SEED);
        let counter = if self.config.common_random_numbers { replication } else { number };
        // 53 bits: TOML has no more than 63, JSON no more than 53
        let drawn = RandomStream::new(self.config.seed, "seed of the scenario").bits(counter) >> 11;
        let seed = (!is_given).then_some(drawn);
        let of_seed = seed.map(|seed| format!("{SEED}={seed}"));
        let own_of = factors.iter().zip(&self.own);
        let of_factors =
            own_of.zip(&levels).flat_map(|((factor, own), level)| factor.sets(level, own));
        let sets = self.sets.iter().cloned().chain(of_seed).chain(of_factors).collect();
        Trial { number, point, replication, seed, levels, sets }
    }

    /// Parses the scenario of a trial and reads its files through `inputs`.
    ///
    /// # Errors
    /// Every fault found up to the scenario's cross-checks.
    pub fn trial_scenario(
        &self,
        trial: &Trial,
        inputs: Inputs,
    ) -> Result<ScenarioFile, Diagnostics> {
        let name = self.config.scenario.display().to_string();
        ScenarioFile::parse_with_inputs(&name, &self.text, &self.folder, &trial.sets, inputs)
    }

    /// Returns the reason of a failed trial in one line.
    ///
    /// Reasons are results and must not depend on the location of the study, so paths are made
    /// relative to the scenario's folder.
    pub fn portable_reason(&self, told: &str) -> String {
        let told = told.lines().collect::<Vec<_>>().join("; ");
        let before = format!("{}{}", self.folder.display(), std::path::MAIN_SEPARATOR);
        // a relative folder name could occur in the text by chance
        if self.folder.is_absolute() { told.replace(&before, "") } else { told }
    }

    /// Returns a file as the scenario names it: relative to its folder, if it is inside.
    pub fn relative_path(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.folder).unwrap_or(path).to_owned()
    }

    /// Rejects factors with keys that the scenario does not have.
    ///
    /// Levels that the scenario rejects are found by the trials.
    fn refuse_unknown_keys(&self, document: &Document) -> Result<(), Diagnostics> {
        let trial = self.trial(0);
        let tried = self.trial_scenario(&trial, Inputs::default());
        let Err(Diagnostics(diagnostics)) = tried else { return Ok(()) };
        let of_keys = diagnostics.into_iter().filter(|diagnostic| {
            matches!(
                *diagnostic.kind,
                DiagnosticKind::UnknownKey { .. }
                    | DiagnosticKind::NotAnAssignment
                    | DiagnosticKind::TooDeep { .. }
                    | DiagnosticKind::HoldsNoKeys { .. }
                    | DiagnosticKind::NoSuchElement { .. }
                    | DiagnosticKind::NotAnIndex { .. }
            )
        });
        let of_factors =
            of_keys.filter_map(|diagnostic| self.at_factor_key(diagnostic, &trial, document));
        Diagnostics::into_result(of_factors.collect())
    }

    /// Converts a fault of a value set by a factor to the factor's key in the study; `None` for
    /// others.
    fn at_factor_key(
        &self,
        diagnostic: Diagnostic,
        trial: &Trial,
        document: &Document,
    ) -> Option<Diagnostic> {
        let SourceLocation::Set(argument) = &diagnostic.location else { return None };
        let mut factors = self.config.factor.iter().zip(&self.own).zip(&trial.levels).enumerate();
        let (here, key) = factors.find_map(|(n, ((factor, own), level))| {
            let sets = factor.sets(level, own);
            let which = sets.iter().position(|set| **set == **argument)?;
            let name = match (&factor.key, &factor.keys) {
                (Some(_), _) => "key".into(),
                (None, Some(_)) => format!("keys[{which}]"),
                // all levels have the same keys
                (None, None) => "levels[0].set".into(),
            };
            Some((format!("factor[{n}].{name}"), factor.keys().nth(which)?))
        })?;
        let named =
            document.get(&here).is_some_and(|node| matches!(node.value, TomlValue::Text(_)));
        let is_told = Document::plain_path(&diagnostic.key) == Document::plain_path(key);
        let problem = match named && is_told || diagnostic.key.is_empty() {
            true => *diagnostic.kind,
            false => DiagnosticKind::Refused {
                cause: format!("{}: {}", diagnostic.key, diagnostic.kind),
            },
        };
        Some(document.diagnostic(&here, problem))
    }
}

fn read_text(path: &Path) -> Result<String, Diagnostic> {
    input::read_text(path, input::LARGEST_TEXT).map_err(|error| {
        let problem = DiagnosticKind::Unreadable { cause: error.to_string() };
        Diagnostic::new(SourceLocation::File(path.display().to_string().into()), "", None, problem)
    })
}

/// Returns the scenario's numbers at the keys of each scaling factor; empty for other factors.
fn scaled(
    config: &StudyConfig,
    document: &Document,
    base: &ScenarioFile,
) -> Result<Vec<Vec<f64>>, Diagnostics> {
    let mut diagnostics = Vec::new();
    let mut of_factor = |(n, factor): (usize, &Factor)| {
        let mut number = |key: &str| {
            let found = base.document.get(key).and_then(|node| node.value.number());
            if found.is_none() {
                let cause = format!(
                    "multiplies the scenario's number, but the scenario gives none at {key}"
                );
                let problem = DiagnosticKind::Refused { cause };
                diagnostics.push(document.diagnostic(&format!("factor[{n}].scale"), problem));
            }
            found.unwrap_or_default()
        };
        if factor.scale { factor.keys().map(&mut number).collect() } else { Vec::new() }
    };
    let own = config.factor.iter().enumerate().map(&mut of_factor).collect();
    Diagnostics::into_result(diagnostics)?;
    Ok(own)
}

/// Adds the share of perturbed copies that end otherwise, of each vehicle with a response.
fn add_sensitive_responses(
    config: &mut StudyConfig,
    responses: &mut Vec<Response>,
    scenario: &Scenario,
) {
    for response in sensitive_responses(config, responses, scenario) {
        config.responses.push(response.name.clone());
        responses.push(response);
    }
}

/// Parses the responses against the vehicles of the scenario.
fn parsed_responses(
    config: &StudyConfig,
    document: &Document,
    scenario: &Scenario,
) -> Result<Vec<Response>, Diagnostics> {
    let (mut found, mut diagnostics) = (Vec::<Response>::new(), Vec::new());
    for (n, name) in config.responses.iter().enumerate() {
        let twice = config.responses[..n].contains(name);
        let cause = "is a duplicate".into();
        let response = if twice {
            Err(DiagnosticKind::Refused { cause })
        } else {
            Response::parse(name, scenario)
        };
        match response {
            Ok(response) => found.push(response),
            Err(problem) => {
                diagnostics.push(document.diagnostic(&format!("responses[{n}]"), problem))
            }
        }
    }
    Diagnostics::into_result(diagnostics)?;
    Ok(found)
}
