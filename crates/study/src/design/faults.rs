//! Validation of a study file.

use super::config::{Design, Factor, Level, StudyConfig};
use super::distribution::BEYOND;
use super::figure::Figure;
use super::points;
use super::question::{Goal, Question};
use super::stopping::{Stop, is_yes_or_no};
use super::study_file::SEED;
use bekker_scenario::{Document, Fault, Problem};
use std::collections::BTreeSet;

/// Greatest number of trials of a study.
const MOST_TRIALS: u64 = 10_000_000;
/// Greatest number of design points, all of which are held in memory.
const MOST_POINTS: u64 = 1_000_000;

/// Columns of the results whose names factors must not use.
const COLUMNS: [&str; 7] =
    ["trial", "point", "replication", "scenario_seed", "status", "reason", "state_hash"];

/// Returns all faults of a study that its own file shows.
pub(super) fn faults(config: &StudyConfig, document: &Document) -> Vec<Fault> {
    let mut found = Vec::new();
    let (mut names, mut keys) = (BTreeSet::new(), BTreeSet::new());
    for (n, factor) in config.factor.iter().enumerate() {
        let here = format!("factor[{n}]");
        let mut fault = |key: &str, problem| {
            let dot = if key.is_empty() { "" } else { "." };
            found.push(document.fault(&format!("{here}{dot}{key}"), problem));
        };
        let reserved = COLUMNS.contains(&&*factor.name) || config.responses.contains(&factor.name);
        if !factor.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            fault("name", refused("must consist of letters, digits and underscores"));
        }
        if reserved {
            fault("name", refused("is the name of another result column"));
        } else if arrivals(config).contains(&factor.name) {
            let cause = "is the name of a result column (arrivals, for the totals of a drive)";
            fault("name", refused(cause));
        } else if !names.insert(&factor.name) {
            fault("name", refused("is already the name of another factor"));
        }
        let name = if factor.key.is_some() { "key" } else { "keys" };
        let name = if factor.levels.is_some() { "levels" } else { name };
        for key in factor.keys() {
            if key.contains('=') {
                fault(
                    name,
                    refused(&format!(
                        "`{key}` must be a key without a value; the levels give the values"
                    )),
                );
            } else if !keys.insert(Document::plain_path(key)) {
                fault(name, refused(&format!("`{key}` is already varied by another factor")));
            } else if Document::plain_path(key) == SEED && config.replications > 1 {
                let cause = format!(
                    "`{key}` is set by the replications, which would be identical with this \
                     factor; remove the factor, or replications = {}",
                    config.replications
                );
                fault(name, refused(&cause));
            }
        }
        of_levels(config.design, factor, &mut fault);
    }
    of_design(config, document, &mut found);
    found
}

/// Adds the faults of a factor's levels.
fn of_levels(design: Design, factor: &Factor, fault: &mut impl FnMut(&str, Problem)) {
    let Factor { key, keys, values, levels, range, distribution, steps, scale, .. } = factor;
    let named = ("levels", levels.is_some());
    fault_of(exactly_one(&[("key", key.is_some()), ("keys", keys.is_some()), named]), fault);
    let sources = [
        ("values", values.is_some()),
        ("range", range.is_some()),
        ("distribution", distribution.is_some()),
        named,
    ];
    if design == Design::Table {
        for (name, _) in sources[..3].iter().filter(|(_, given)| *given) {
            fault(name, refused("is not allowed in the design `table`, whose file has the levels"));
        }
    } else {
        fault_of(exactly_one(&sources), fault);
    }
    match range {
        Some([low, high]) if low >= high => fault("range", Problem::EmptyRange),
        Some([low, high]) if !(high - low).is_finite() => fault("range", refused(BEYOND)),
        _ => {}
    }
    if let Some((key, told)) = distribution.as_ref().and_then(|own| own.fault()) {
        fault(&format!("distribution.{key}"), refused(told));
    }
    let (is_factorial, is_drawn) =
        (design == Design::FullFactorial, range.is_some() || distribution.is_some());
    match steps {
        None if is_factorial && is_drawn => {
            let expected = "the number of levels in a full factorial design".into();
            fault("steps", Problem::Missing { expected });
        }
        Some(_) if !is_factorial => {
            fault(
                "steps",
                refused("is for the design `full_factorial`; this design draws its levels"),
            );
        }
        Some(_) if !is_drawn => {
            fault(
                "steps",
                refused("is for `range` or `distribution`; `values` already gives the levels"),
            );
        }
        _ => {}
    }
    let is_number = |level: &Level| matches!(level, Level::Number(_));
    if *scale && (levels.is_some() || !values.iter().flatten().all(is_number)) {
        fault("scale", refused("is for numeric levels, each a multiple of the scenario's value"));
    }
    let mut seen = BTreeSet::new();
    for (n, value) in values.iter().flatten().enumerate() {
        if !seen.insert(value.to_toml()) {
            let cause = "is a duplicate: its drives would be counted twice";
            fault(&format!("values[{n}]"), refused(cause));
        }
    }
    let mut names = BTreeSet::new();
    for (n, level) in levels.iter().flatten().enumerate() {
        if !names.insert(&level.name) {
            fault(&format!("levels[{n}].name"), refused("is already the name of another level"));
        }
        if !level.set.keys().eq(levels.iter().flatten().take(1).flat_map(|first| first.set.keys()))
        {
            let cause = "must set the same keys as the first level";
            fault(&format!("levels[{n}].set"), refused(cause));
        }
    }
}

/// Adds the faults of a design's keys.
fn of_design(config: &StudyConfig, document: &Document, found: &mut Vec<Fault>) {
    let StudyConfig { design, points, table, second_order, .. } = config;
    let mut fault = |key, problem| found.push(document.fault(key, problem));
    let missing = |expected: &str| Problem::Missing { expected: expected.into() };
    match (design, points) {
        (Design::FullFactorial | Design::Table, Some(_)) => {
            let cause = "is for designs that draw their points; a full factorial design has one \
                per combination of levels, a table one per row";
            fault("points", refused(cause));
        }
        (Design::FullFactorial | Design::Table, None) | (_, Some(_)) => {}
        (_, None) => {
            fault("points", missing("the number of points for a design that draws its points"))
        }
    }
    match (design, table) {
        (Design::Table, None) => fault("table", missing("the file with the design points")),
        (Design::Table, Some(_)) | (_, None) => {}
        (_, Some(_)) => fault("table", refused("is for the design `table`")),
    }
    if *second_order && *design != Design::Saltelli {
        fault("second_order", refused("is for the design `saltelli`"));
    }
    if let Some(stop) = &config.stop {
        of_stop(config, stop, document, found);
    }
    if let Some(question) = &config.question {
        of_question(config, question, document, found);
    }
    if found.is_empty()
        && let Some(fault) = too_many(config, points::count(config).unwrap_or(u64::MAX), document)
    {
        found.push(fault);
    }
}

/// Returns additional responses: whether the drive of each recorded total arrived.
///
/// Responses that the study already has are left out.
pub(super) fn arrivals(config: &StudyConfig) -> Vec<String> {
    let mut added: Vec<String> = Vec::new();
    for arrival in config.responses.iter().filter_map(|own| Figure::arrival_of(own)) {
        if !config.responses.contains(&arrival) && !added.contains(&arrival) {
            added.push(arrival);
        }
    }
    added
}

/// Adds the faults of the study's question.
fn of_question(
    config: &StudyConfig,
    question: &Question,
    document: &Document,
    found: &mut Vec<Fault>,
) {
    let mut fault = |key: &str, problem| found.push(document.fault(key, problem));
    if !config.responses.contains(&question.response) {
        let allowed = config.responses.join(", ");
        let cause = format!("must be one of the study's responses: {allowed}");
        fault("question.response", refused(&cause));
    } else if Figure::of_response(&question.response).is_some_and(|figure| !figure.has_mean()) {
        let cause = "has no mean: must be numeric, or yes or no";
        fault("question.response", refused(cause));
    } else if question.goal.or(Goal::of_response(&question.response)).is_none() {
        let expected = "\"maximize\" or \"minimize\", the better direction of this response".into();
        fault("question.goal", Problem::Missing { expected });
    }
    if let Some(name) = &question.factor {
        let Some(factor) = config.factor.iter().find(|own| own.name == *name) else {
            let names: Vec<&str> = config.factor.iter().map(|own| own.name.as_str()).collect();
            let cause = format!("must be one of the study's factors: {}", names.join(", "));
            return fault("question.factor", refused(&cause));
        };
        let is_drawn = factor.listed().is_none() && factor.steps.is_none();
        if is_drawn && config.design != Design::Table {
            let cause = "must be a factor with recurring levels; this one is drawn for each point";
            fault("question.factor", refused(cause));
        }
    }
}

/// Adds the faults of a stopping rule.
fn of_stop(config: &StudyConfig, stop: &Stop, document: &Document, found: &mut Vec<Fault>) {
    of_response(config, stop, document, found);
    let mut fault = |key: &str, cause: &str| found.push(document.fault(key, refused(cause)));
    match config.design {
        Design::FullFactorial | Design::Table => {}
        Design::Random if config.replications == 1 => {}
        Design::Random => {
            fault("stop", "takes each point of a random design once; remove replications");
        }
        Design::LatinHypercube | Design::Sobol | Design::Saltelli => {
            fault(
                "stop",
                "is for the designs full_factorial, table and random. The points of this design \
                 fill their space only together, so no valid sequential interval is known",
            );
        }
    }
}

/// Adds the faults of a stopping rule's response and of its precision.
fn of_response(config: &StudyConfig, stop: &Stop, document: &Document, found: &mut Vec<Fault>) {
    let mut fault = |key: &str, problem| found.push(document.fault(key, problem));
    if !config.responses.contains(&stop.response) {
        let cause = match &config.responses[..] {
            [] => "must be one of the study's responses, but the study has none".into(),
            all => format!("must be one of the study's responses: {}", all.join(", ")),
        };
        return fault("stop.response", refused(&cause));
    }
    if Figure::of_response(&stop.response).is_some_and(|figure| !figure.has_mean()) {
        let cause = "has no mean: must be numeric, or yes or no; for passes until stuck, use `go` \
            of the last vehicle";
        return fault("stop.response", refused(cause));
    }
    let widest = match (is_yes_or_no(&stop.response), stop.bounds) {
        (true, None) => 0.5,
        (false, Some([low, high])) if low < high => 0.5 * (high - low),
        (false, Some(_)) => return fault("stop.bounds", Problem::EmptyRange),
        (true, Some(_)) => {
            return fault(
                "stop.bounds",
                refused("is for numeric responses; yes or no has bounds 0 and 1"),
            );
        }
        (false, None) => {
            let expected =
                "[low, high], the lowest and highest possible value of the response, on \
                which the sequential interval depends"
                    .into();
            return fault("stop.bounds", Problem::Missing { expected });
        }
    };
    if stop.half_width >= widest {
        let cause = format!("must be below {widest}, half of the response's range");
        fault("stop.half_width", refused(&cause));
    }
}

/// Returns a fault if a study with `points` design points has too many points or trials.
pub(super) fn too_many(config: &StudyConfig, points: u64, document: &Document) -> Option<Fault> {
    let told = |key, count: Option<u64>, most, what| {
        let count = count.map_or("too many".into(), |count| count.to_string());
        let cause = format!("gives {count} {what}; must be at most {most}");
        Some(document.fault(key, refused(&cause)))
    };
    if points > MOST_POINTS {
        let known = (points < u64::MAX).then_some(points);
        return told("design", known, MOST_POINTS, "design points");
    }
    let trials = points.checked_mul(config.replications);
    if trials.is_none_or(|trials| trials > MOST_TRIALS) {
        return told("replications", trials, MOST_TRIALS, "trials");
    }
    None
}

fn refused(cause: &str) -> Problem {
    Problem::Refused { cause: cause.into() }
}

fn fault_of(problem: Option<Problem>, fault: &mut impl FnMut(&str, Problem)) {
    if let Some(problem) = problem {
        fault("", problem);
    }
}

fn exactly_one(keys: &[(&str, bool)]) -> Option<Problem> {
    let names = |given: &[&(&str, bool)]| given.iter().map(|(key, _)| (*key).to_owned()).collect();
    let given: Vec<_> = keys.iter().filter(|(_, given)| *given).collect();
    let of = names(&keys.iter().collect::<Vec<_>>());
    (given.len() != 1).then(|| Problem::NotExactlyOne { of, given: names(&given) })
}
