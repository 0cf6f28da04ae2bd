//! `[output]`: the files that a run writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Files that a run writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Output")]
pub struct OutputConfig {
    /// Folder to create, relative to the working directory of the command. Where absent, it is
    /// `runs/<name>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Time between samples of the vehicles, s. It is a whole number of heartbeats. If all drives
    /// end between two samples, one more sample is written.
    #[schemars(range(max = 604_800.0), extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
    pub interval: f64,
    /// Number of heartbeats between hashes of the state in `hashes.csv`. Each hash costs a pass
    /// over the state and a few messages between ranks. Above 1, with `time.heartbeat_tolerance`,
    /// it counts heartbeats of full length.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub hash_every: u64,
    /// Names of the vehicles whose samples are written. Where absent, all are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vehicles: Option<Vec<String>>,
    /// Quantities in each row of the tables of samples, in addition to time, index and name. Where
    /// absent, all are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<QuantityConfig>>,
    /// File formats of the samples and of the tables of small readings.
    #[schemars(length(max = 3))]
    pub states: Vec<StateFormat>,
    /// Whether to write the ruts as GeoTIFF.
    pub ruts: bool,
    /// Whether to write the readings of sensors: as MCAP, as tables of small readings, and in the
    /// formats of their `save` keys.
    pub readings: bool,
    /// Picture of the run.
    pub picture: PictureConfig,
}

impl Default for OutputConfig {
    fn default() -> OutputConfig {
        OutputConfig {
            folder: None,
            interval: 0.05,
            hash_every: 1,
            vehicles: None,
            columns: None,
            states: vec![StateFormat::Parquet, StateFormat::Csv],
            ruts: true,
            readings: true,
            picture: PictureConfig::default(),
        }
    }
}

/// Quantity in a sample of a vehicle, one or several columns of `states.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Quantity")]
pub enum QuantityConfig {
    /// x, y and z of the chassis.
    Position,
    /// Orientation of the chassis as a quaternion.
    Orientation,
    /// Roll, pitch and yaw.
    Angles,
    /// Velocity in the world frame.
    Velocity,
    /// Angular velocity about the axes of the chassis.
    AngularVelocity,
    /// Forward speed.
    Speed,
    /// Throttle command.
    Throttle,
    /// Steering command, and the articulation of articulated frames.
    Steering,
    /// Brake command.
    Brake,
    /// Engine speed.
    EngineSpeed,
    /// Gear.
    Gear,
    /// Spin of the wheels.
    WheelSpin,
    /// Slip of the wheels.
    WheelSlip,
    /// Sinkage of the wheels.
    WheelSinkage,
    /// Vertical force on the wheels.
    WheelLoad,
    /// Force along the heading of the wheels.
    WheelTraction,
    /// Force to the left of the wheels.
    WheelLateral,
    /// Torque on the wheels.
    WheelTorque,
    /// Inflation of the tires.
    TireInflation,
    /// Deflection of the tires.
    TireDeflection,
    /// Contact length of the tires.
    TireContact,
    /// Position, articulation and hitch force of trailers.
    Trailer,
    /// Currents of electric motors, and power and state of charge of their battery.
    Motors,
}

/// File format of the vehicles' samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateFormat {
    /// Apache Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
    /// Messages on the topics `/V/state` of `sensors.mcap`, with `readings = true`. Readings have
    /// their own topics.
    Mcap,
}

/// Picture of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Picture")]
pub struct PictureConfig {
    /// Whether to draw the picture.
    pub draw: bool,
    /// Width and height, pixels.
    #[schemars(inner(range(min = 400, max = 8000)))]
    pub size: [u32; 2],
}

impl Default for PictureConfig {
    fn default() -> PictureConfig {
        PictureConfig { draw: true, size: [1920, 1200] }
    }
}
