//! Design points from a table file.

use super::config::{Factor, LevelValue};
use bekker_scenario::{Diagnostic, DiagnosticKind, Diagnostics, SourceLocation, nearest_word};
use csv::{ReaderBuilder, StringRecord, Trim};
use std::collections::HashMap;

/// Greatest number of faults reported.
const TOLD: usize = 50;

/// Reads the points of a CSV table with a header of the factors' names in any order.
///
/// # Errors
/// Columns that match no factor, factors without a column, rows of another length, and values that
/// are not a level. Each error has file, line, column and value. With `common` random numbers, rows
/// that repeat others are errors, too.
pub(super) fn read(
    file: &str,
    text: &str,
    factors: &[Factor],
    common: bool,
) -> Result<Vec<Vec<LevelValue>>, Diagnostics> {
    let mut reader =
        ReaderBuilder::new().trim(Trim::All).flexible(true).from_reader(text.as_bytes());
    let unreadable = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        diagnostic(
            file,
            line,
            "",
            None,
            DiagnosticKind::Refused { cause: format!("is not valid CSV: {error}") },
        )
    };
    let head = reader.headers().map_err(unreadable)?.clone();
    let columns = columns(file, &head, factors)?;
    let (mut points, mut diagnostics) = (Vec::new(), Vec::new());
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    for row in reader.records() {
        let row = row.map_err(unreadable)?;
        let line = row.position().map_or(1, csv::Position::line);
        if row.len() != head.len() {
            let expected = format!("{} columns, like the header", head.len());
            let problem = DiagnosticKind::WrongLength { expected, found: row.len() };
            diagnostics.push(diagnostic(file, line, "", None, problem));
        } else {
            let level = |(factor, column): (&Factor, &usize)| {
                let word = row.get(*column).unwrap_or_default();
                level(factor, word).map_err(|problem| {
                    diagnostic(file, line, &factor.name, Some(format!("{word:?}")), problem)
                })
            };
            let levels: Vec<_> = factors.iter().zip(&columns).map(level).collect();
            match levels.into_iter().collect::<Result<Vec<LevelValue>, Diagnostic>>() {
                Ok(levels) => {
                    let words: Vec<String> = levels.iter().map(LevelValue::to_string).collect();
                    if let Some(row) = known.insert(words, points.len()).filter(|_| common) {
                        let cause = format!(
                            "repeats data row {}: with common random numbers both are the same \
                             drive, which would be counted twice; use replications",
                            row + 1
                        );
                        let problem = DiagnosticKind::Refused { cause };
                        diagnostics.push(diagnostic(file, line, "", None, problem));
                    }
                    points.push(levels);
                }
                Err(found) => diagnostics.push(found),
            }
        }
        if diagnostics.len() == TOLD {
            break;
        }
    }
    if points.is_empty() && diagnostics.is_empty() {
        let cause = "has no data rows; must have one per design point".into();
        diagnostics.push(diagnostic(file, 1, "", None, DiagnosticKind::Refused { cause }));
    }
    Diagnostics::into_result(diagnostics)?;
    Ok(points)
}

fn diagnostic(
    file: &str,
    line: u64,
    column: &str,
    value: Option<String>,
    problem: DiagnosticKind,
) -> Diagnostic {
    Diagnostic::new(SourceLocation::Line(file.into(), line as usize), column, value, problem)
}

/// Returns the column of each factor.
fn columns(file: &str, head: &StringRecord, factors: &[Factor]) -> Result<Vec<usize>, Diagnostics> {
    let mut diagnostics = Vec::new();
    for (n, name) in head.iter().enumerate() {
        if !factors.iter().any(|factor| factor.name == name) {
            let allowed: Vec<String> = factors.iter().map(|factor| factor.name.clone()).collect();
            let suggestion = nearest_word(name, allowed.iter().map(String::as_str));
            diagnostics.push(diagnostic(
                file,
                1,
                name,
                None,
                DiagnosticKind::UnknownKey { suggestion, allowed },
            ));
        } else if head.iter().take(n).any(|before| before == name) {
            let cause = "is the name of two columns".into();
            diagnostics.push(diagnostic(file, 1, name, None, DiagnosticKind::Refused { cause }));
        }
    }
    let mut columns = Vec::new();
    for factor in factors {
        match head.iter().position(|name| name == factor.name) {
            Some(column) => columns.push(column),
            None => {
                let problem =
                    DiagnosticKind::Missing { expected: "a column of this factor".into() };
                diagnostics.push(diagnostic(file, 1, &factor.name, None, problem));
            }
        }
    }
    Diagnostics::into_result(diagnostics)?;
    Ok(columns)
}

/// Parses a level of a factor.
fn level(factor: &Factor, word: &str) -> Result<LevelValue, DiagnosticKind> {
    if let Some(levels) = &factor.levels {
        let names = || levels.iter().map(|level| level.name.as_str());
        if names().any(|name| name == word) {
            return Ok(LevelValue::Word(word.into()));
        }
        let allowed = names().map(str::to_owned).collect();
        return Err(DiagnosticKind::NotOneOf { suggestion: nearest_word(word, names()), allowed });
    }
    if let Ok(number) = word.parse::<f64>() {
        return if number.is_finite() {
            Ok(LevelValue::Number(number))
        } else {
            Err(DiagnosticKind::NotFinite)
        };
    }
    match word {
        "" => Err(DiagnosticKind::Missing { expected: "a level".into() }),
        _ if factor.scale => {
            let (expected, found) = ("a number that multiplies the scenario's value", "a text");
            Err(DiagnosticKind::WrongType { expected: expected.into(), found })
        }
        "true" | "false" => Ok(LevelValue::Boolean(word == "true")),
        word => Ok(LevelValue::Word(word.into())),
    }
}
