//! A dataset as two tables: `steps.parquet`, a row group per episode, and `episodes.parquet`.

use super::files::DatasetFiles;
use super::rows::{NestedParquetWriter, TableNode};
use super::{ColumnRole, ColumnValues, DatasetColumn, EpisodeData, EpisodeSummary, Episodes};
use crate::ReportError;

/// Writes both tables.
pub(super) fn write(
    files: &mut DatasetFiles,
    episodes: &mut Episodes<'_>,
) -> Result<(), ReportError> {
    let mut steps: Option<NestedParquetWriter> = None;
    let (mut summaries, mut last) = (Vec::new(), None::<DatasetColumn>);
    for episode in episodes {
        let episode = episode?;
        let nodes = nodes(&episode);
        let rows = match &mut steps {
            Some(rows) => rows,
            None => {
                let part = files.begin("steps.parquet")?;
                steps.insert(NestedParquetWriter::begin(part, &nodes, &[("units", units(&nodes))])?)
            }
        };
        rows.add(&nodes)?;
        keep_last(&episode, &mut last);
        summaries.push(episode.summary);
    }
    if let Some(rows) = steps {
        files.finish(rows.finish()?)?;
    }
    let mut columns = summary_columns(&summaries);
    columns.extend(last.map(|column| column.with_name("last_observation")));
    let nodes: Vec<TableNode> = columns.into_iter().map(TableNode::Leaf).collect();
    let mut rows = NestedParquetWriter::begin(files.begin("episodes.parquet")?, &nodes, &[])?;
    rows.add(&nodes)?;
    files.finish(rows.finish()?)
}

/// Appends the final observation of an episode, which has no row among the steps.
fn keep_last(episode: &EpisodeData, to: &mut Option<DatasetColumn>) {
    let steps = episode.summary.steps;
    let Some(column) = episode.column(ColumnRole::Observation) else { return };
    let one = column.slice_rows(steps..steps + 1);
    match to {
        Some(kept) => kept.values.append(one.values),
        None => *to = Some(one),
    }
}

/// Returns the columns of an episode's steps.
fn nodes(episode: &EpisodeData) -> Vec<TableNode> {
    let EpisodeSummary { episode: number, level, vehicle, steps, .. } = episode.summary;
    let single = |name, values| DatasetColumn::single(name, ColumnRole::Index, values);
    let mut columns = vec![
        single("episode", ColumnValues::Long(vec![number as i64; steps])),
        single("step", ColumnValues::Long((0..steps as i64).collect())),
        single("level", ColumnValues::Long(vec![level as i64; steps])),
        single("vehicle", ColumnValues::Long(vec![vehicle as i64; steps])),
    ];
    let of = |roles: &[ColumnRole]| {
        let columns = episode.columns.iter().filter(|column| roles.contains(&column.role));
        columns.map(|column| column.slice_rows(0..steps)).collect::<Vec<_>>()
    };
    columns.extend(of(&[
        ColumnRole::Observation,
        ColumnRole::Action,
        ColumnRole::Reward,
        ColumnRole::Term,
    ]));
    let EpisodeSummary { terminated, truncated, ending, .. } = &episode.summary;
    columns.push(single("terminated", ColumnValues::Bool(at_the_end(*terminated, steps))));
    columns.push(single("truncated", ColumnValues::Bool(at_the_end(*truncated, steps))));
    let mut endings = vec![String::new(); steps];
    endings.last_mut().into_iter().for_each(|last| last.clone_from(ending));
    columns.push(single("ending", ColumnValues::Text(endings)));
    columns.extend(of(&[ColumnRole::Label]));
    columns.into_iter().map(TableNode::Leaf).collect()
}

/// Returns a flag per step that is false except in the last step, where it is `flag`.
pub(super) fn at_the_end(flag: bool, steps: usize) -> Vec<bool> {
    (1..=steps).map(|step| flag && step == steps).collect()
}

/// Returns the units of all columns that have one, as JSON.
fn units(nodes: &[TableNode]) -> String {
    let columns = nodes.iter().filter_map(|node| match node {
        TableNode::Leaf(column) if !column.unit.is_empty() => Some(column),
        _ => None,
    });
    let units = columns.map(|column| (column.name.clone(), column.unit.clone().into()));
    serde_json::Value::Object(units.collect()).to_string()
}

/// Returns the columns of a table of episodes.
pub(super) fn summary_columns(of: &[EpisodeSummary]) -> Vec<DatasetColumn> {
    let longs = |name, value: fn(&EpisodeSummary) -> i64| {
        DatasetColumn::single(
            name,
            ColumnRole::Index,
            ColumnValues::Long(of.iter().map(value).collect()),
        )
    };
    let texts = |name, value: fn(&EpisodeSummary) -> &String| {
        let values = of.iter().map(|summary| value(summary).clone()).collect();
        DatasetColumn::single(name, ColumnRole::Index, ColumnValues::Text(values))
    };
    let bools = |name, value: fn(&EpisodeSummary) -> bool| {
        DatasetColumn::single(
            name,
            ColumnRole::Index,
            ColumnValues::Bool(of.iter().map(value).collect()),
        )
    };
    vec![
        longs("episode", |summary| summary.episode as i64),
        longs("seed", |summary| summary.seed as i64),
        longs("level", |summary| summary.level as i64),
        longs("vehicle", |summary| summary.vehicle as i64),
        texts("driver", |summary| &summary.driver),
        longs("steps", |summary| summary.steps as i64),
        DatasetColumn::single("return", ColumnRole::Index, {
            ColumnValues::Double(of.iter().map(|summary| summary.total).collect())
        }),
        bools("terminated", |summary| summary.terminated),
        bools("truncated", |summary| summary.truncated),
        texts("ending", |summary| &summary.ending),
        bools("success", |summary| summary.success),
        texts("sha256", |summary| &summary.sha256),
    ]
}
