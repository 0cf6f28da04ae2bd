//! A dataset as MCAP files, one per episode.
//!
//! `/observation` holds the observation and the labels at each moment. `/transition` holds the
//! action from that moment on and its result.

use super::files::DatasetFiles;
use super::tables::at_the_end;
use super::{
    ColumnRole, ColumnValues, DatasetColumn, DatasetRequest, EpisodeData, EpisodeSummary, Episodes,
};
use crate::ReportError;
use crate::mcap::McapWriter;
use crate::protobuf::{FieldKind, File, ProtoField, ProtoMessage, Type, describe};
use serde_json::Value;

/// Writes the dataset.
pub(super) fn write(
    files: &mut DatasetFiles,
    asked: &DatasetRequest,
    episodes: &mut Episodes<'_>,
) -> Result<(), ReportError> {
    for episode in episodes {
        let episode = episode?;
        let part = files.begin(&format!("episode_{:06}.mcap", episode.summary.episode))?;
        let path = part.path.clone();
        let file = messages(part, asked, &episode);
        files.finish(file.map_err(ReportError::file("write", &path))?)?;
    }
    Ok(())
}

/// Writes an episode as messages; times start at its reset.
fn messages<W: std::io::Write>(
    to: W,
    asked: &DatasetRequest,
    episode: &EpisodeData,
) -> std::io::Result<W> {
    let EpisodeSummary { steps, terminated, truncated, .. } = episode.summary;
    let of = |roles: &[ColumnRole]| {
        let columns = episode.columns.iter().filter(|column| roles.contains(&column.role));
        columns.cloned().collect::<Vec<_>>()
    };
    let seen = of(&[ColumnRole::Observation, ColumnRole::Label]);
    let mut done = of(&[ColumnRole::Action, ColumnRole::Reward, ColumnRole::Term]);
    for (name, flag) in [("terminated", terminated), ("truncated", truncated)] {
        done.push(DatasetColumn::single(
            name,
            ColumnRole::Index,
            ColumnValues::Bool(at_the_end(flag, steps)),
        ));
    }
    let mut file = McapWriter::new(to)?;
    file.metadata("episode", &pairs(&episode.summary))?;
    file.metadata("dataset", &pairs(asked))?;
    let [observed, moved] =
        [("Observation", "/observation", &seen), ("Transition", "/transition", &done)].map(
            |(name, topic, columns)| {
                let schema = file.schema(&format!("bekker.{name}"), &described(name, columns));
                file.channel(schema, topic)
            },
        );
    let period = asked.number("period");
    for row in 0..=steps {
        let time = (row as f64 * period * 1e9).round() as u64;
        file.message(observed, time, &message(&seen, row).0)?;
        if row < steps {
            file.message(moved, time, &message(&done, row).0)?;
        }
    }
    file.finish()
}

/// Returns the keys of a value and its values as text.
fn pairs(value: &impl serde::Serialize) -> Vec<(String, String)> {
    let Ok(Value::Object(map)) = serde_json::to_value(value) else { return Vec::new() };
    let text = |value: Value| match value {
        Value::String(text) => text,
        value => value.to_string(),
    };
    map.into_iter().map(|(key, value)| (key, text(value))).collect()
}

/// Returns the descriptor of a message type with one field per column.
fn described(name: &str, columns: &[DatasetColumn]) -> Vec<u8> {
    let fields: Vec<ProtoField<'_>> = columns
        .iter()
        .zip(1..)
        .map(|(column, number)| {
            let kind = match column.values {
                ColumnValues::Float(_) => FieldKind::Float,
                ColumnValues::Double(_) => FieldKind::Double,
                ColumnValues::Long(_) => FieldKind::Int64,
                ColumnValues::Bool(_) => FieldKind::Bool,
                ColumnValues::Text(_) => FieldKind::Text,
            };
            ProtoField { number, name: &column.name, kind, repeated: column.width.is_some() }
        })
        .collect();
    let types = [Type { name, fields: &fields, enumeration: None }];
    let file = format!("bekker/{name}.proto");
    describe(&[File { name: &file, package: "bekker", needs: &[], types: &types }])
}

/// Encodes a row of the columns as a message.
fn message(columns: &[DatasetColumn], row: usize) -> ProtoMessage {
    columns.iter().zip(1..).fold(ProtoMessage::default(), |message, (column, field)| {
        let range = column.width.map(|width| row * width..(row + 1) * width);
        match (&column.values, range) {
            (ColumnValues::Float(values), Some(range)) => message.floats(field, &values[range]),
            (ColumnValues::Float(values), None) => message.fixed32(field, values[row].to_bits()),
            (ColumnValues::Double(values), Some(range)) => message.doubles(field, &values[range]),
            (ColumnValues::Double(values), None) => message.double(field, values[row]),
            (ColumnValues::Long(values), Some(range)) => message.integers(field, &values[range]),
            (ColumnValues::Long(values), None) => message.integer(field, values[row] as u64),
            (ColumnValues::Bool(values), Some(range)) => {
                let flags: Vec<i64> = values[range].iter().map(|flag| i64::from(*flag)).collect();
                message.integers(field, &flags)
            }
            (ColumnValues::Bool(values), None) => message.integer(field, values[row].into()),
            (ColumnValues::Text(values), Some(range)) => {
                values[range].iter().fold(message, |message, text| message.text(field, text))
            }
            (ColumnValues::Text(values), None) => message.text(field, &values[row]),
        }
    })
}
