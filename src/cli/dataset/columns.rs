//! Conversion of an episode to columns.

use crate::learning::{self, EpisodeEnding, LABELS, Levels};
use crate::report::dataset::{
    ColumnRole, ColumnValues, DatasetColumn, EpisodeData, EpisodeSummary, hash,
};

/// Converts a recorded episode to an episode of a dataset.
pub fn episode_columns(number: u64, driven: learning::Episode, levels: &Levels) -> EpisodeData {
    let task = levels.task();
    let summary = EpisodeSummary {
        episode: number,
        seed: driven.seed,
        level: driven.level,
        vehicle: driven.vehicle as u64,
        driver: driven.driver.into(),
        steps: driven.steps,
        total: driven.rewards.iter().sum(),
        terminated: driven.terminated,
        truncated: driven.truncated,
        ending: if driven.ending.is_empty() { TIME.into() } else { driven.ending.into() },
        success: driven.ending == EpisodeEnding::NAMES[EpisodeEnding::Goal as usize],
        sha256: hash(&driven.observations, &driven.actions, &driven.rewards),
    };
    let fields = levels.layout();
    let seen = DatasetColumn {
        name: "observation".into(),
        unit: "elements listed in docs/learning.md divided by their scales, -1 to 1".into(),
        role: ColumnRole::Observation,
        width: Some(fields.iter().map(|field| field.size).sum()),
        parts: fields.iter().map(|field| (field.name.to_string(), field.size)).collect(),
        values: ColumnValues::Float(driven.observations),
    };
    let done = DatasetColumn {
        name: "action".into(),
        unit: "within 1".into(),
        role: ColumnRole::Action,
        width: Some(task.actions()),
        parts: ACTIONS[..task.actions()].iter().map(|name| ((*name).to_owned(), 1)).collect(),
        values: ColumnValues::Float(driven.actions),
    };
    let single = |name: String, role, values| DatasetColumn {
        name,
        unit: String::new(),
        role,
        width: None,
        parts: Vec::new(),
        values,
    };
    let mut columns = vec![seen, done];
    columns.push(single("reward".into(), ColumnRole::Reward, ColumnValues::Double(driven.rewards)));
    let terms = task.terms();
    columns.extend(terms.iter().enumerate().map(|(n, term)| {
        let values = driven.terms.iter().skip(n).step_by(terms.len()).copied().collect();
        single(format!("reward_{term}"), ColumnRole::Term, ColumnValues::Double(values))
    }));
    columns.push(DatasetColumn {
        unit: "catalog name of the soil under the chassis".into(),
        ..single("soil".into(), ColumnRole::Label, ColumnValues::Text(driven.soils))
    });
    let wide: usize = LABELS.iter().map(|label| label.size).sum();
    let mut first = 0;
    for label in LABELS {
        let rows = driven.labels.chunks_exact(wide);
        let values = rows.flat_map(|row| &row[first..first + label.size]).copied().collect();
        columns.push(DatasetColumn {
            unit: label.unit.into(),
            width: (label.size > 1).then_some(label.size),
            ..single(label.name.to_string(), ColumnRole::Label, ColumnValues::Double(values))
        });
        first += label.size;
    }
    EpisodeData { summary, columns }
}

/// Ending of an episode whose task did not end within the steps.
const TIME: &str = "time";

/// Names of the components of an action.
const ACTIONS: [&str; 3] = ["steering", "drive", "direction"];
