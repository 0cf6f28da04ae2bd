//! A dataset in the Parquet layout of Minari 0.5: `metadata.json`, and a folder for each episode.
//!
//! An episode's table has one row per observation, one more than there are steps. Actions, rewards
//! and terminations of the last row are padding. The `infos` of a row are those that `step`
//! (`reset` in the first row) returned with its observation. Therefore the terms of a reward are
//! one row below it.

use super::files::DatasetFiles;
use super::rows::{NestedParquetWriter, TableNode};
use super::tables::at_the_end;
use super::{
    ColumnRole, ColumnValues, DatasetColumn, DatasetRequest, EpisodeData, EpisodeSummary, Episodes,
};
use crate::ReportError;
use serde_json::{Value, json};

/// First version of Minari that reads this layout.
const VERSION: &str = "0.5.0";

/// Writes the dataset.
pub(super) fn write(
    files: &mut DatasetFiles,
    asked: &DatasetRequest,
    episodes: &mut Episodes<'_>,
) -> Result<(), ReportError> {
    let (mut count, mut steps, mut widths) = (0, 0, [0; 2]);
    for episode in episodes {
        let episode = episode?;
        let EpisodeSummary { episode: number, steps: own, .. } = episode.summary;
        let nodes = nodes(&episode);
        let mut rows = NestedParquetWriter::begin(
            files.begin(&format!("{number}/part-0.parquet"))?,
            &nodes,
            &[],
        )?;
        rows.add(&nodes)?;
        files.finish(rows.finish()?)?;
        files.put_json(&format!("{number}/metadata.json"), &metadata(&episode.summary))?;
        widths = [ColumnRole::Observation, ColumnRole::Action]
            .map(|role| episode.column(role).and_then(|column| column.width).unwrap_or(0));
        count += 1;
        steps += own;
    }
    let bytes: u64 = files.written.iter().map(|file| file.bytes).sum();
    let task = asked.task.to_lowercase();
    files.put_json(
        "metadata.json",
        &json!({
            "dataset_id": format!("bekker/{task}/{}-v0", asked.policy),
            "minari_version": VERSION,
            "data_format": "parquet",
            "jpeg_encoding": false,
            "total_episodes": count,
            "total_steps": steps,
            "observation_space": space(widths[0]).to_string(),
            "action_space": space(widths[1]).to_string(),
            "env_spec": specification(asked).map(|specification| specification.to_string()),
            "algorithm_name": asked.policy,
            // MB with one decimal, as Minari rounds it
            "dataset_size": (bytes as f64 / 1e5).round() / 10.0,
            "requirements": ["bekker", "gymnasium>=1.2"],
        }),
    )
}

/// Returns the metadata of an episode.
fn metadata(summary: &EpisodeSummary) -> Value {
    let EpisodeSummary { episode, seed, level, vehicle, driver, steps, total, ending, .. } =
        summary;
    json!({
        "id": episode,
        "total_steps": steps,
        "seed": seed,
        "level": level,
        "vehicle": vehicle,
        "driver": driver,
        "return": total,
        "ending": ending,
    })
}

/// Returns a Gymnasium box with bounds of ±1.
fn space(width: usize) -> Value {
    let [low, high] = [-1.0, 1.0].map(|bound| vec![bound; width]);
    json!({"type": "Box", "dtype": "float32", "shape": [width], "low": low, "high": high})
}

/// Returns Gymnasium's specification of the environment; none for several vehicles.
fn specification(asked: &DatasetRequest) -> Option<Value> {
    if asked.vehicles() > 1 {
        return None;
    }
    let mut arguments = asked.options.clone();
    arguments.insert("task".into(), asked.task.clone().into());
    Some(json!({
        "id": format!("bekker/{}-v0", asked.task),
        "entry_point": "bekker.envs:BekkerEnv",
        "reward_threshold": null,
        "nondeterministic": false,
        "max_episode_steps": asked.max_steps,
        "order_enforce": true,
        "disable_env_checker": false,
        "kwargs": arguments,
        "additional_wrappers": [],
        "vector_entry_point": "bekker.envs:BekkerVectorEnv",
    }))
}

/// Returns the columns of an episode's table.
fn nodes(episode: &EpisodeData) -> Vec<TableNode> {
    let EpisodeSummary { steps, terminated, truncated, .. } = episode.summary;
    let mut nodes = Vec::new();
    for (role, name) in [
        (ColumnRole::Observation, "observations"),
        (ColumnRole::Action, "actions"),
        (ColumnRole::Reward, "rewards"),
    ] {
        let column = episode.column(role).cloned().map(|column| column.with_name(name));
        let fitted = column.map(|column| match role {
            ColumnRole::Observation => column,
            _ => padded(&column, 0, 1),
        });
        nodes.extend(fitted.map(TableNode::Leaf));
    }
    for (name, flag) in [("terminations", terminated), ("truncations", truncated)] {
        let column = DatasetColumn::single(
            name,
            ColumnRole::Index,
            ColumnValues::Bool(at_the_end(flag, steps)),
        );
        nodes.push(TableNode::Leaf(padded(&column, 0, 1)));
    }
    let infos = episode.columns.iter().filter_map(|column| match column.role {
        ColumnRole::Term => Some(padded(column, 1, 0)),
        ColumnRole::Label => Some(column.clone()),
        _ => None,
    });
    nodes.push(TableNode::Group("infos", infos.collect()));
    nodes
}

/// Returns a column with `before` and `after` rows of default values added.
fn padded(column: &DatasetColumn, before: usize, after: usize) -> DatasetColumn {
    fn pad<T: Clone + Default>(values: &[T], before: usize, after: usize) -> Vec<T> {
        let nothing = |count| vec![T::default(); count];
        [&nothing(before)[..], values, &nothing(after)].concat()
    }
    let width = column.width.unwrap_or(1);
    let (before, after) = (before * width, after * width);
    column.with_values(match &column.values {
        ColumnValues::Float(values) => ColumnValues::Float(pad(values, before, after)),
        ColumnValues::Double(values) => ColumnValues::Double(pad(values, before, after)),
        ColumnValues::Long(values) => ColumnValues::Long(pad(values, before, after)),
        ColumnValues::Bool(values) => ColumnValues::Bool(pad(values, before, after)),
        ColumnValues::Text(values) => ColumnValues::Text(pad(values, before, after)),
    })
}
