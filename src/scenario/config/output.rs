//! `[output]`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a run leaves behind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Folder to create, relative to where the command is run; `runs/<name>` if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Time between samples of the vehicles, s; a whole number of heartbeats.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
    pub interval: f64,
    /// Formats of the samples, and of the tables of small readings.
    pub states: Vec<StateFormat>,
    /// Whether to write the ruts as GeoTIFF.
    pub ruts: bool,
    /// Whether to write what sensors deliver: as MCAP, as tables of small readings, and
    /// in the formats they save.
    pub readings: bool,
    /// The picture of the run.
    pub picture: Picture,
}

impl Default for Output {
    fn default() -> Output {
        Output {
            folder: None,
            interval: 0.05,
            states: vec![StateFormat::Parquet, StateFormat::Csv],
            ruts: true,
            readings: true,
            picture: Picture::default(),
        }
    }
}

/// A format of the vehicles' samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateFormat {
    /// Apache Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
}

/// The picture of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Picture {
    /// Whether to draw it.
    pub draw: bool,
    /// Width and height, pixels.
    #[schemars(inner(range(min = 400, max = 8000)))]
    pub size: [u32; 2],
}

impl Default for Picture {
    fn default() -> Picture {
        Picture { draw: true, size: [1920, 1200] }
    }
}
