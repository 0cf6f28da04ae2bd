//! A dataset in the layout of LeRobot 3.0.
//!
//! `data/` holds the frames of all episodes; `meta/` holds their features, statistics, task and
//! episodes. A frame is a step: its observation, the action and its result (`next.`). Labels are
//! separate features (`label.`), so that no policy uses them as observations.

use super::files::DatasetFiles;
use super::rows::{NestedParquetWriter, TableNode};
use super::statistics::ColumnStatistics;
use super::tables::{at_the_end, summary_columns};
use super::{
    ColumnRole, ColumnValues, DatasetColumn, DatasetRequest, EpisodeData, EpisodeSummary, Episodes,
};
use crate::ReportError;
use serde_json::{Map, Value, json};

/// Maximum number of files in a folder, and size of a file after which the next begins, MB.
const CHUNK: u64 = 1000;
const FILE_MB: usize = 100;
/// Episodes per row group of their table.
const GROUP: usize = 100;

/// Writes the dataset.
pub(super) fn write(
    files: &mut DatasetFiles,
    asked: &DatasetRequest,
    episodes: &mut Episodes<'_>,
) -> Result<(), ReportError> {
    let mut frames = FrameTables::new(asked);
    for episode in episodes {
        frames.add(files, &episode?)?;
    }
    frames.finish(files, asked)
}

/// Writer of the data files and of their metadata.
struct FrameTables {
    period: f64,
    file: Option<NestedParquetWriter>,
    /// Number of the current file.
    number: u64,
    /// Number of frames so far.
    count: usize,
    features: Map<String, Value>,
    /// Statistics of each feature over all episodes.
    statistics: Vec<(String, ColumnStatistics)>,
    /// Number of episodes so far, and the table of episodes.
    episodes: usize,
    table: Option<NestedParquetWriter>,
    /// Rows of that table that are not written yet.
    noted: Vec<DatasetColumn>,
    /// Name of the task.
    task: String,
}

impl FrameTables {
    fn new(asked: &DatasetRequest) -> FrameTables {
        FrameTables {
            period: asked.number("period"),
            file: None,
            number: 0,
            count: 0,
            features: Map::new(),
            statistics: Vec::new(),
            episodes: 0,
            table: None,
            noted: Vec::new(),
            task: asked.task.clone(),
        }
    }

    fn add(&mut self, files: &mut DatasetFiles, episode: &EpisodeData) -> Result<(), ReportError> {
        let columns = self.frames(episode);
        let own: Vec<(String, ColumnStatistics)> = columns
            .iter()
            .filter_map(|column| {
                Some((column.name.clone(), ColumnStatistics::from_column(column)?))
            })
            .collect();
        if self.features.is_empty() {
            let features = columns.iter().map(|column| (column.name.clone(), feature(column)));
            self.features = features.collect();
        }
        let nodes: Vec<TableNode> = columns.into_iter().map(TableNode::Leaf).collect();
        if self.file.as_ref().is_some_and(|rows| rows.bytes() >= FILE_MB << 20) {
            self.end_file(files)?;
            self.number += 1;
        }
        let rows = match &mut self.file {
            Some(rows) => rows,
            None => {
                let name = format!("data/{}", place(self.number));
                self.file.insert(NestedParquetWriter::begin(files.begin(&name)?, &nodes, &[])?)
            }
        };
        rows.add(&nodes)?;
        self.note(files, episode, &own)?;
        for (name, statistics) in own {
            match self.statistics.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => known.merge(&statistics),
                None => self.statistics.push((name, statistics)),
            }
        }
        self.count += episode.summary.steps;
        Ok(())
    }

    /// Returns the frames of an episode as columns.
    fn frames(&self, episode: &EpisodeData) -> Vec<DatasetColumn> {
        let EpisodeSummary { episode: number, steps, terminated, truncated, .. } = episode.summary;
        let mut columns: Vec<DatasetColumn> = episode
            .columns
            .iter()
            .map(|column| {
                let name = match column.role {
                    ColumnRole::Observation => "observation.state".into(),
                    ColumnRole::Action => "action".into(),
                    ColumnRole::Reward => "next.reward".into(),
                    ColumnRole::Term => format!("next.{}", column.name),
                    ColumnRole::Label | ColumnRole::Index => format!("label.{}", column.name),
                };
                let column = column.slice_rows(0..steps).with_name(&name);
                match (&column.role, &column.values) {
                    // LeRobot's datasets hold rewards as float32
                    (ColumnRole::Reward, ColumnValues::Double(values)) => {
                        let values = values.iter().map(|value| *value as f32).collect();
                        column.with_values(ColumnValues::Float(values))
                    }
                    _ => column,
                }
            })
            .collect();
        let single = |name, values| DatasetColumn::single(name, ColumnRole::Index, values);
        let count = |from: usize| (from..from + steps).map(|n| n as i64).collect::<Vec<_>>();
        let time = |frame: usize| (frame as f64 * self.period) as f32;
        columns.extend([
            single("next.done", ColumnValues::Bool(at_the_end(terminated || truncated, steps))),
            single("next.success", ColumnValues::Bool(at_the_end(episode.summary.success, steps))),
            single("timestamp", ColumnValues::Float((0..steps).map(time).collect())),
            single("frame_index", ColumnValues::Long(count(0))),
            single("episode_index", ColumnValues::Long(vec![number as i64; steps])),
            single("index", ColumnValues::Long(count(self.count))),
            single("task_index", ColumnValues::Long(vec![0; steps])),
        ]);
        columns
    }

    /// Adds a row to the table of episodes.
    fn note(
        &mut self,
        files: &DatasetFiles,
        episode: &EpisodeData,
        statistics: &[(String, ColumnStatistics)],
    ) -> Result<(), ReportError> {
        let EpisodeSummary { episode: number, steps, .. } = episode.summary;
        let (chunk, file) = (self.number / CHUNK, self.number % CHUNK);
        let long = |name: &str, value: u64| {
            DatasetColumn::single(name, ColumnRole::Index, ColumnValues::Long(vec![value as i64]))
        };
        let (first, count) = (self.count as u64, steps as u64);
        let tasks = DatasetColumn::single(
            "tasks",
            ColumnRole::Index,
            ColumnValues::Text(vec![self.task.clone()]),
        );
        let mut row = vec![
            long("episode_index", number),
            DatasetColumn { width: Some(1), ..tasks },
            long("length", count),
            long("data/chunk_index", chunk),
            long("data/file_index", file),
            long("dataset_from_index", first),
            long("dataset_to_index", first + count),
            long("meta/episodes/chunk_index", 0),
            long("meta/episodes/file_index", 0),
        ];
        // the row already has the episode's number
        row.extend(summary_columns(std::slice::from_ref(&episode.summary)).into_iter().skip(1));
        for (feature, own) in statistics {
            row.extend(own.named().into_iter().map(|(name, values)| {
                let width = match &values {
                    ColumnValues::Double(values) => values.len(),
                    _ => 1,
                };
                let name = format!("stats/{feature}/{name}");
                DatasetColumn {
                    width: Some(width),
                    ..DatasetColumn::single(&name, ColumnRole::Index, values)
                }
            }));
        }
        if self.noted.is_empty() {
            self.noted = row;
        } else {
            for (column, added) in self.noted.iter_mut().zip(row) {
                column.values.append(added.values);
            }
        }
        self.episodes += 1;
        if self.episodes.is_multiple_of(GROUP) { self.end_group(files) } else { Ok(()) }
    }

    /// Writes the pending rows to the table of episodes.
    fn end_group(&mut self, files: &DatasetFiles) -> Result<(), ReportError> {
        let nodes: Vec<TableNode> = self.noted.drain(..).map(TableNode::Leaf).collect();
        if nodes.is_empty() {
            return Ok(());
        }
        let table = match &mut self.table {
            Some(table) => table,
            None => {
                let name = format!("meta/episodes/{}", place(0));
                self.table.insert(NestedParquetWriter::begin(files.begin(&name)?, &nodes, &[])?)
            }
        };
        table.add(&nodes)
    }

    fn end_file(&mut self, files: &mut DatasetFiles) -> Result<(), ReportError> {
        match self.file.take() {
            Some(rows) => files.finish(rows.finish()?),
            None => Ok(()),
        }
    }

    fn finish(
        mut self,
        files: &mut DatasetFiles,
        asked: &DatasetRequest,
    ) -> Result<(), ReportError> {
        self.end_file(files)?;
        self.end_group(files)?;
        if let Some(table) = self.table {
            files.finish(table.finish()?)?;
        }
        let (count, task) = (self.episodes, self.task);
        let index = vec![
            DatasetColumn::single("task_index", ColumnRole::Index, ColumnValues::Long(vec![0])),
            DatasetColumn::single(TASK_NAMES, ColumnRole::Index, ColumnValues::Text(vec![task])),
        ];
        put_table(files, "meta/tasks.parquet", index, &[("pandas", indexed_by_task())])?;
        let statistics = self.statistics.iter().map(|(name, own)| (name.clone(), own.json()));
        files.put_json("meta/stats.json", &Value::Object(statistics.collect()))?;
        let vehicle = asked.options.get("vehicle").cloned().unwrap_or_default();
        files.put_json(
            "meta/info.json",
            &json!({
                "codebase_version": "v3.0",
                "robot_type": vehicle,
                "total_episodes": count,
                "total_frames": self.count,
                "total_tasks": 1,
                "chunks_size": CHUNK,
                "data_files_size_in_mb": FILE_MB,
                "video_files_size_in_mb": 2 * FILE_MB,
                "fps": (1.0 / self.period).round() as u64,
                "splits": {"train": format!("0:{count}")},
                "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
                "video_path": null,
                "features": self.features,
            }),
        )
    }
}

/// Path of the file with a given number.
fn place(number: u64) -> String {
    format!("chunk-{:03}/file-{:03}.parquet", number / CHUNK, number % CHUNK)
}

fn put_table(
    files: &mut DatasetFiles,
    name: &str,
    columns: Vec<DatasetColumn>,
    pairs: &[(&str, String)],
) -> Result<(), ReportError> {
    let nodes: Vec<TableNode> = columns.into_iter().map(TableNode::Leaf).collect();
    let mut rows = NestedParquetWriter::begin(files.begin(name)?, &nodes, pairs)?;
    rows.add(&nodes)?;
    files.finish(rows.finish()?)
}

/// Column of task names, with the name that pandas gives an unnamed index.
const TASK_NAMES: &str = "__index_level_0__";

/// Returns the pandas metadata of the index: the table of tasks is indexed by name.
fn indexed_by_task() -> String {
    let column = |name: Value, field: &str, kind: &str, numpy: &str| {
        json!({"name": name, "field_name": field, "pandas_type": kind, "numpy_type": numpy,
               "metadata": null})
    };
    json!({
        "index_columns": [TASK_NAMES],
        "column_indexes": [],
        "columns": [
            column("task_index".into(), "task_index", "int64", "int64"),
            column(Value::Null, TASK_NAMES, "unicode", "object"),
        ],
        "pandas_version": "2.0.0",
    })
    .to_string()
}

/// Returns type, shape and names of a feature.
fn feature(column: &DatasetColumn) -> Value {
    let dtype = match column.values {
        ColumnValues::Float(_) => "float32",
        ColumnValues::Double(_) => "float64",
        ColumnValues::Long(_) => "int64",
        ColumnValues::Bool(_) => "bool",
        ColumnValues::Text(_) => "string",
    };
    let names: Vec<String> = column.parts.iter().flat_map(numbered).collect();
    let names = if names.is_empty() { Value::Null } else { names.into() };
    json!({"dtype": dtype, "shape": [column.width.unwrap_or(1)], "names": names})
}

/// Names of the elements of a part.
fn numbered((name, size): &(String, usize)) -> Vec<String> {
    match size {
        1 => vec![name.clone()],
        size => (0..*size).map(|n| format!("{name}_{n}")).collect(),
    }
}
