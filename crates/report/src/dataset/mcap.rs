//! A dataset as MCAP files, one per episode.
//!
//! `/observation` holds the observation and the labels at each moment. `/transition` holds the
//! action from that moment on and its result.

use super::files::DatasetFiles;
use super::tables::at_the_end;
use super::{Column, DatasetRequest, Episode, EpisodeSummary, Episodes, Role, Values};
use crate::ReportError;
use crate::mcap::McapWriter;
use crate::protobuf::{Field, FieldKind, File, Message, Type, describe};
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
    episode: &Episode,
) -> std::io::Result<W> {
    let EpisodeSummary { steps, terminated, truncated, .. } = episode.summary;
    let of = |roles: &[Role]| {
        let columns = episode.columns.iter().filter(|column| roles.contains(&column.role));
        columns.cloned().collect::<Vec<_>>()
    };
    let seen = of(&[Role::Observation, Role::Label]);
    let mut done = of(&[Role::Action, Role::Reward, Role::Term]);
    for (name, flag) in [("terminated", terminated), ("truncated", truncated)] {
        done.push(Column::single(name, Role::Index, Values::Bool(at_the_end(flag, steps))));
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
fn described(name: &str, columns: &[Column]) -> Vec<u8> {
    let fields: Vec<Field<'_>> = columns
        .iter()
        .zip(1..)
        .map(|(column, number)| {
            let kind = match column.values {
                Values::Float(_) => FieldKind::Float,
                Values::Double(_) => FieldKind::Double,
                Values::Long(_) => FieldKind::Int64,
                Values::Bool(_) => FieldKind::Bool,
                Values::Text(_) => FieldKind::Text,
            };
            Field { number, name: &column.name, kind, repeated: column.width.is_some() }
        })
        .collect();
    let types = [Type { name, fields: &fields, enumeration: None }];
    let file = format!("bekker/{name}.proto");
    describe(&[File { name: &file, package: "bekker", needs: &[], types: &types }])
}

/// Encodes a row of the columns as a message.
fn message(columns: &[Column], row: usize) -> Message {
    columns.iter().zip(1..).fold(Message::default(), |message, (column, field)| {
        let range = column.width.map(|width| row * width..(row + 1) * width);
        match (&column.values, range) {
            (Values::Float(values), Some(range)) => message.floats(field, &values[range]),
            (Values::Float(values), None) => message.fixed32(field, values[row].to_bits()),
            (Values::Double(values), Some(range)) => message.doubles(field, &values[range]),
            (Values::Double(values), None) => message.double(field, values[row]),
            (Values::Long(values), Some(range)) => message.integers(field, &values[range]),
            (Values::Long(values), None) => message.integer(field, values[row] as u64),
            (Values::Bool(values), Some(range)) => {
                let flags: Vec<i64> = values[range].iter().map(|flag| i64::from(*flag)).collect();
                message.integers(field, &flags)
            }
            (Values::Bool(values), None) => message.integer(field, values[row].into()),
            (Values::Text(values), Some(range)) => {
                values[range].iter().fold(message, |message, text| message.text(field, text))
            }
            (Values::Text(values), None) => message.text(field, &values[row]),
        }
    })
}
