//! Validation of a study file.

use super::config::{DesignKind, Factor, LevelValue, StudyConfig};
use super::distribution::BEYOND;
use super::points;
use super::question::{Goal, StudyQuestion};
use super::response::{Measure, Response};
use super::run_metric::RunMetric;
use super::stopping::{Stop, is_yes_or_no};
use super::study_file::SEED;
use bekker_scenario::config::Scenario;
use bekker_scenario::{Diagnostic, DiagnosticKind, Document};
use std::collections::BTreeSet;

/// Greatest number of trials of a study.
const MAX_TRIALS: u64 = 10_000_000;
/// Greatest number of design points; all are held in memory.
const MAX_POINTS: u64 = 1_000_000;

/// Columns of the results whose names factors must not use.
const COLUMNS: [&str; 7] =
    ["trial", "point", "replication", "scenario_seed", "status", "reason", "state_hash"];

/// Returns all faults of a study that its own file shows.
pub(super) fn diagnostics(config: &StudyConfig, document: &Document) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let (mut names, mut keys) = (BTreeSet::new(), BTreeSet::new());
    for (n, factor) in config.factor.iter().enumerate() {
        let here = format!("factor[{n}]");
        let mut diagnostic = |key: &str, problem| {
            let dot = if key.is_empty() { "" } else { "." };
            found.push(document.diagnostic(&format!("{here}{dot}{key}"), problem));
        };
        let reserved = COLUMNS.contains(&&*factor.name) || config.responses.contains(&factor.name);
        if !factor.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            diagnostic("name", refused("must consist of letters, digits and underscores"));
        }
        if reserved {
            diagnostic("name", refused("is the name of another result column"));
        } else if arrivals(config).contains(&factor.name) {
            let cause = "is the name of a result column (arrivals, for the totals of a drive)";
            diagnostic("name", refused(cause));
        } else if config.perturb.is_some() && factor.name == RunMetric::Sensitive.name() {
            diagnostic("name", refused("is the name of a result column of perturbed copies"));
        } else if !names.insert(&factor.name) {
            diagnostic("name", refused("is already the name of another factor"));
        }
        let name = if factor.key.is_some() { "key" } else { "keys" };
        let name = if factor.levels.is_some() { "levels" } else { name };
        for key in factor.keys() {
            if key.contains('=') {
                diagnostic(
                    name,
                    refused(&format!(
                        "`{key}` must be a key without a value; the levels give the values"
                    )),
                );
            } else if !keys.insert(Document::plain_path(key)) {
                diagnostic(name, refused(&format!("`{key}` is already varied by another factor")));
            } else if Document::plain_path(key) == SEED && config.replications > 1 {
                let cause = format!(
                    "`{key}` is set by the replications, which would be identical with this \
                     factor; remove the factor, or replications = {}",
                    config.replications
                );
                diagnostic(name, refused(&cause));
            }
        }
        check_levels(config.design, factor, &mut diagnostic);
    }
    check_design(config, document, &mut found);
    found
}

/// Adds the faults of a factor's levels.
fn check_levels(
    design: DesignKind,
    factor: &Factor,
    diagnostic: &mut impl FnMut(&str, DiagnosticKind),
) {
    let Factor { key, keys, values, levels, range, distribution, steps, scale, .. } = factor;
    let named = ("levels", levels.is_some());
    report(exactly_one(&[("key", key.is_some()), ("keys", keys.is_some()), named]), diagnostic);
    let sources = [
        ("values", values.is_some()),
        ("range", range.is_some()),
        ("distribution", distribution.is_some()),
        named,
    ];
    if design == DesignKind::Table {
        for (name, _) in sources[..3].iter().filter(|(_, given)| *given) {
            diagnostic(
                name,
                refused("is not allowed in the design `table`, whose file has the levels"),
            );
        }
    } else {
        report(exactly_one(&sources), diagnostic);
    }
    match range {
        Some([low, high]) if low >= high => diagnostic("range", DiagnosticKind::EmptyRange),
        Some([low, high]) if !(high - low).is_finite() => diagnostic("range", refused(BEYOND)),
        _ => {}
    }
    if let Some((key, told)) = distribution.as_ref().and_then(|own| own.invalid_parameter()) {
        diagnostic(&format!("distribution.{key}"), refused(told));
    }
    let (is_factorial, is_drawn) =
        (design == DesignKind::FullFactorial, range.is_some() || distribution.is_some());
    match steps {
        None if is_factorial && is_drawn => {
            let expected = "the number of levels in a full factorial design".into();
            diagnostic("steps", DiagnosticKind::Missing { expected });
        }
        Some(_) if !is_factorial => {
            diagnostic(
                "steps",
                refused("is for the design `full_factorial`; this design draws its levels"),
            );
        }
        Some(_) if !is_drawn => {
            diagnostic(
                "steps",
                refused("is for `range` or `distribution`; `values` already gives the levels"),
            );
        }
        _ => {}
    }
    let is_number = |level: &LevelValue| matches!(level, LevelValue::Number(_));
    if *scale && (levels.is_some() || !values.iter().flatten().all(is_number)) {
        diagnostic(
            "scale",
            refused("is for numeric levels, each a multiple of the scenario's value"),
        );
    }
    let mut seen = BTreeSet::new();
    for (n, value) in values.iter().flatten().enumerate() {
        if !seen.insert(value.to_toml()) {
            let cause = "is a duplicate: its drives would be counted twice";
            diagnostic(&format!("values[{n}]"), refused(cause));
        }
    }
    let mut names = BTreeSet::new();
    for (n, level) in levels.iter().flatten().enumerate() {
        if !names.insert(&level.name) {
            diagnostic(
                &format!("levels[{n}].name"),
                refused("is already the name of another level"),
            );
        }
        if !level.set.keys().eq(levels.iter().flatten().take(1).flat_map(|first| first.set.keys()))
        {
            let cause = "must set the same keys as the first level";
            diagnostic(&format!("levels[{n}].set"), refused(cause));
        }
    }
}

/// Adds the faults of a design's keys.
fn check_design(config: &StudyConfig, document: &Document, found: &mut Vec<Diagnostic>) {
    let StudyConfig { design, points, table, second_order, .. } = config;
    let mut diagnostic = |key, problem| found.push(document.diagnostic(key, problem));
    let missing = |expected: &str| DiagnosticKind::Missing { expected: expected.into() };
    match (design, points) {
        (DesignKind::FullFactorial | DesignKind::Table, Some(_)) => {
            let cause = "is for designs that draw their points; a full factorial design has one \
                per combination of levels, a table one per row";
            diagnostic("points", refused(cause));
        }
        (DesignKind::FullFactorial | DesignKind::Table, None) | (_, Some(_)) => {}
        (_, None) => {
            diagnostic("points", missing("the number of points for a design that draws its points"))
        }
    }
    match (design, table) {
        (DesignKind::Table, None) => {
            diagnostic("table", missing("the file with the design points"))
        }
        (DesignKind::Table, Some(_)) | (_, None) => {}
        (_, Some(_)) => diagnostic("table", refused("is for the design `table`")),
    }
    if *second_order && *design != DesignKind::Saltelli {
        diagnostic("second_order", refused("is for the design `saltelli`"));
    }
    if let Some(stop) = &config.stop {
        check_stopping_rule(config, stop, document, found);
    }
    let sensitive = |own: &String| RunMetric::from_response(own) == Some(RunMetric::Sensitive);
    if let Some(n) = config.responses.iter().position(sensitive)
        && config.perturb.is_none()
    {
        let cause = "is of copies with perturbed soil strength; set perturb, or give --perturb";
        found.push(document.diagnostic(&format!("responses[{n}]"), refused(cause)));
    }
    if config.perturb.is_some_and(|own| own.copies % 2 != 0) {
        let cause = "must be even: half of the copies are weaker, half are stronger";
        found.push(document.diagnostic("perturb.copies", refused(cause)));
    }
    if let Some(question) = &config.question {
        check_question(config, question, document, found);
    }
    if found.is_empty()
        && let Some(diagnostic) =
            too_many(config, points::count(config).unwrap_or(u64::MAX), document)
    {
        found.push(diagnostic);
    }
}

/// Returns additional responses: whether the drive of each recorded total arrived.
///
/// Responses that the study already has are left out.
pub(super) fn arrivals(config: &StudyConfig) -> Vec<String> {
    let mut added: Vec<String> = Vec::new();
    for arrival in config.responses.iter().filter_map(|own| RunMetric::arrival_response(own)) {
        if !config.responses.contains(&arrival) && !added.contains(&arrival) {
            added.push(arrival);
        }
    }
    added
}

/// Returns additional responses of a study with perturbed copies: the share of copies that end
/// otherwise, of each vehicle that has a response, or of all vehicles if one is of the whole run.
///
/// Responses that the study already has are left out.
pub(super) fn sensitive_responses(
    config: &StudyConfig,
    responses: &[Response],
    scenario: &Scenario,
) -> Vec<Response> {
    if config.perturb.is_none() {
        return Vec::new();
    }
    let measure = Measure::Run(RunMetric::Sensitive);
    let is_run_wide =
        |own: &Response| matches!(own.measure, Measure::Run(metric) if metric.is_run_wide());
    let all = responses.iter().any(is_run_wide);
    let vehicles = scenario.vehicle.iter().enumerate().filter(|(index, _)| {
        let mut own = responses.iter().filter(|own| own.vehicle == *index);
        (all || own.clone().next().is_some()) && !own.any(|own| own.measure == measure)
    });
    let response = |(vehicle, own): (usize, &bekker_scenario::config::VehicleConfig)| {
        let word = RunMetric::Sensitive.name();
        let name = if vehicle == 0 { word.into() } else { format!("{}.{word}", own.name) };
        Response { name, vehicle, measure }
    };
    let known = |name: &str| responses.iter().any(|own| own.name == name);
    vehicles.map(response).filter(|own| !known(&own.name)).collect()
}

/// Adds the faults of the study's question.
fn check_question(
    config: &StudyConfig,
    question: &StudyQuestion,
    document: &Document,
    found: &mut Vec<Diagnostic>,
) {
    let mut diagnostic = |key: &str, problem| found.push(document.diagnostic(key, problem));
    if !config.responses.contains(&question.response) {
        let allowed = config.responses.join(", ");
        let cause = format!("must be one of the study's responses: {allowed}");
        diagnostic("question.response", refused(&cause));
    } else if RunMetric::from_response(&question.response).is_some_and(|metric| !metric.has_mean())
    {
        let cause = "has no mean: must be numeric, or yes or no";
        diagnostic("question.response", refused(cause));
    } else if question.goal.or(Goal::from_response(&question.response)).is_none() {
        let expected = "\"maximize\" or \"minimize\", the better direction of this response".into();
        diagnostic("question.goal", DiagnosticKind::Missing { expected });
    }
    if let Some(name) = &question.factor {
        let Some(factor) = config.factor.iter().find(|own| own.name == *name) else {
            let names: Vec<&str> = config.factor.iter().map(|own| own.name.as_str()).collect();
            let cause = format!("must be one of the study's factors: {}", names.join(", "));
            return diagnostic("question.factor", refused(&cause));
        };
        let is_drawn = factor.listed().is_none() && factor.steps.is_none();
        if is_drawn && config.design != DesignKind::Table {
            let cause = "must be a factor with recurring levels; this one is drawn for each point";
            diagnostic("question.factor", refused(cause));
        }
    }
}

/// Adds the faults of a stopping rule.
fn check_stopping_rule(
    config: &StudyConfig,
    stop: &Stop,
    document: &Document,
    found: &mut Vec<Diagnostic>,
) {
    check_stopping_response(config, stop, document, found);
    let mut diagnostic =
        |key: &str, cause: &str| found.push(document.diagnostic(key, refused(cause)));
    match config.design {
        DesignKind::FullFactorial | DesignKind::Table => {}
        DesignKind::Random if config.replications == 1 => {}
        DesignKind::Random => {
            diagnostic("stop", "takes each point of a random design once; remove replications");
        }
        DesignKind::LatinHypercube | DesignKind::Sobol | DesignKind::Saltelli => {
            diagnostic(
                "stop",
                "is for the designs full_factorial, table and random. The points of this design \
                 fill their space only together, so no valid sequential interval is known",
            );
        }
    }
}

/// Adds the faults of a stopping rule's response and of its precision.
fn check_stopping_response(
    config: &StudyConfig,
    stop: &Stop,
    document: &Document,
    found: &mut Vec<Diagnostic>,
) {
    let mut diagnostic = |key: &str, problem| found.push(document.diagnostic(key, problem));
    if !config.responses.contains(&stop.response) {
        let cause = match &config.responses[..] {
            [] => "must be one of the study's responses, but the study has none".into(),
            all => format!("must be one of the study's responses: {}", all.join(", ")),
        };
        return diagnostic("stop.response", refused(&cause));
    }
    if RunMetric::from_response(&stop.response).is_some_and(|metric| !metric.has_mean()) {
        let cause = "has no mean: must be numeric, or yes or no; for passes until stuck, use `go` \
            of the last vehicle";
        return diagnostic("stop.response", refused(cause));
    }
    let widest = match (is_yes_or_no(&stop.response), stop.bounds) {
        (true, None) => 0.5,
        (false, Some([low, high])) if low < high => 0.5 * (high - low),
        (false, Some(_)) => return diagnostic("stop.bounds", DiagnosticKind::EmptyRange),
        (true, Some(_)) => {
            return diagnostic(
                "stop.bounds",
                refused("is for numeric responses; yes or no has bounds 0 and 1"),
            );
        }
        (false, None) => {
            let expected =
                "[low, high], the lowest and highest possible value of the response, on \
                which the sequential interval depends"
                    .into();
            return diagnostic("stop.bounds", DiagnosticKind::Missing { expected });
        }
    };
    if stop.half_width >= widest {
        let cause = format!("must be below {widest}, half of the response's range");
        diagnostic("stop.half_width", refused(&cause));
    }
}

/// Returns a fault if a study with `points` design points has too many points or trials.
pub(super) fn too_many(
    config: &StudyConfig,
    points: u64,
    document: &Document,
) -> Option<Diagnostic> {
    let told = |key, count: Option<u64>, most, what| {
        let count = count.map_or("too many".into(), |count| count.to_string());
        let cause = format!("gives {count} {what}; must be at most {most}");
        Some(document.diagnostic(key, refused(&cause)))
    };
    if points > MAX_POINTS {
        let known = (points < u64::MAX).then_some(points);
        return told("design", known, MAX_POINTS, "design points");
    }
    let trials = points.checked_mul(config.replications);
    if trials.is_none_or(|trials| trials > MAX_TRIALS) {
        return told("replications", trials, MAX_TRIALS, "trials");
    }
    None
}

fn refused(cause: &str) -> DiagnosticKind {
    DiagnosticKind::Refused { cause: cause.into() }
}

fn report(problem: Option<DiagnosticKind>, diagnostic: &mut impl FnMut(&str, DiagnosticKind)) {
    if let Some(problem) = problem {
        diagnostic("", problem);
    }
}

fn exactly_one(keys: &[(&str, bool)]) -> Option<DiagnosticKind> {
    let names = |given: &[&(&str, bool)]| given.iter().map(|(key, _)| (*key).to_owned()).collect();
    let given: Vec<_> = keys.iter().filter(|(_, given)| *given).collect();
    let of = names(&keys.iter().collect::<Vec<_>>());
    (given.len() != 1).then(|| DiagnosticKind::NotExactlyOne { of, given: names(&given) })
}
