//! The trials as tables: `trials.parquet` and `trials.csv`, with a row per trial, and
//! `wall_times.csv`.
//!
//! Rows are in the order of the trials' numbers.

use super::{StudyCell, StudyRequest, TrialRecord};
use crate::columns::{ParquetWriter, RecordColumn, RecordValues, csv_header, csv_rows};
use crate::{ReportError, write_file};
use std::path::Path;

/// Name of the table of trials.
pub const TRIALS: &str = "trials.parquet";
/// Rows per row group.
const GROUP: usize = 65_536;

/// Writes the tables of these trials, which must be in the order of their numbers.
///
/// # Errors
/// [`ReportError`] if a file cannot be written.
pub fn write_tables(
    folder: &Path,
    asked: &StudyRequest,
    trials: &[&TrialRecord],
) -> Result<(), ReportError> {
    let words = TextColumns::new(trials);
    let path = folder.join(TRIALS);
    let mut parquet = ParquetWriter::begin(&path, "trials", &columns(asked, &words, &[]))?;
    let csv_path = folder.join("trials.csv");
    let mut csv =
        csv_header(&columns(asked, &words, &[])).map_err(ReportError::encode(&csv_path))?;
    for group in trials.chunks(GROUP) {
        let columns = columns(asked, &words, group);
        parquet.add(&columns)?;
        csv.extend(csv_rows(&columns, 0..group.len()).map_err(ReportError::encode(&csv_path))?);
    }
    parquet.finish()?;
    write_file(&csv_path, &csv)?;
    let times = wall_times(trials);
    let path = folder.join("wall_times.csv");
    let mut csv = csv_header(&times).map_err(ReportError::encode(&path))?;
    csv.extend(csv_rows(&times, 0..trials.len()).map_err(ReportError::encode(&path))?);
    write_file(&path, &csv)
}

/// Whether each column contains text in any row; if so, all its values are written as text.
struct TextColumns {
    levels: Vec<bool>,
    responses: Vec<bool>,
}

impl TextColumns {
    fn new(trials: &[&TrialRecord]) -> TextColumns {
        let any = |cells: fn(&TrialRecord) -> &[StudyCell]| {
            let mut found = vec![false; trials.first().map_or(0, |first| cells(first).len())];
            for trial in trials {
                for (found, cell) in found.iter_mut().zip(cells(trial)) {
                    *found |= matches!(cell, StudyCell::Word(_) | StudyCell::Boolean(_));
                }
            }
            found
        };
        TextColumns { levels: any(|trial| &trial.levels), responses: any(|trial| &trial.responses) }
    }
}

fn columns(
    asked: &StudyRequest,
    words: &TextColumns,
    trials: &[&TrialRecord],
) -> Vec<RecordColumn> {
    let column = |name: &str, values| RecordColumn { name: name.into(), values };
    let longs = |name, value: fn(&TrialRecord) -> Option<u64>| {
        let values = trials.iter().map(|trial| value(trial).map(|value| value as i64)).collect();
        column(name, RecordValues::OptionalLong(values))
    };
    let texts = |name, value: fn(&TrialRecord) -> String| {
        column(name, RecordValues::Text(trials.iter().map(|trial| value(trial)).collect()))
    };
    let mut columns = vec![
        longs("trial", |trial| Some(trial.trial)),
        longs("point", |trial| Some(trial.point)),
        longs("replication", |trial| Some(trial.replication)),
        longs("scenario_seed", |trial| trial.seed),
    ];
    columns.extend(asked.factors.iter().enumerate().map(|(n, name)| {
        let is_word = words.levels.get(n).copied().unwrap_or(false);
        column(name, cells(is_word, trials.iter().map(|trial| trial.levels.get(n))))
    }));
    columns.push(texts("status", |trial| {
        if trial.failure.is_none() { "done".into() } else { "failed".into() }
    }));
    columns.push(texts("reason", |trial| trial.failure.clone().unwrap_or_default()));
    columns.extend(asked.responses.iter().enumerate().map(|(n, [name, _])| {
        let is_word = words.responses.get(n).copied().unwrap_or(false);
        column(name, cells(is_word, trials.iter().map(|trial| trial.responses.get(n))))
    }));
    columns.push(texts("state_hash", |trial| trial.state_hash.clone()));
    columns
}

fn cells<'a>(is_word: bool, cells: impl Iterator<Item = Option<&'a StudyCell>>) -> RecordValues {
    if is_word {
        let word = |cell: Option<&StudyCell>| match cell {
            Some(StudyCell::Number(x)) => x.to_string(),
            Some(StudyCell::Boolean(is)) => is.to_string(),
            Some(StudyCell::Word(word)) => word.clone(),
            Some(StudyCell::Absent) | None => String::new(),
        };
        return RecordValues::Text(cells.map(word).collect());
    }
    let number = |cell: Option<&StudyCell>| match cell {
        Some(StudyCell::Number(x)) => Some(*x),
        _ => None,
    };
    RecordValues::OptionalReal(cells.map(number).collect())
}

fn wall_times(trials: &[&TrialRecord]) -> Vec<RecordColumn> {
    let numbers = trials.iter().map(|trial| Some(trial.trial as i64)).collect();
    let times = trials.iter().map(|trial| trial.wall).collect();
    vec![
        RecordColumn { name: "trial".into(), values: RecordValues::OptionalLong(numbers) },
        RecordColumn { name: "wall_s".into(), values: RecordValues::Real(times) },
    ]
}
