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
    /// Time between samples of the vehicles, s; a whole number of heartbeats. There is one more
    /// where all drives end between two.
    #[schemars(range(max = 604_800.0), extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
    pub interval: f64,
    /// Heartbeats between hashes of the state in `hashes.csv`: each costs a pass over the state,
    /// and between ranks a few messages. Above 1 they are heartbeats of full length, where
    /// `time.heartbeat_tolerance` has them adapt.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub hash_every: u64,
    /// Names of the vehicles whose samples are written; all if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vehicles: Option<Vec<String>>,
    /// What of the samples is written, beside time, index and name; all if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<Quantity>>,
    /// Formats of the samples, and of the tables of small readings.
    #[schemars(length(max = 2))]
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
            hash_every: 1,
            vehicles: None,
            columns: None,
            states: vec![StateFormat::Parquet, StateFormat::Csv],
            ruts: true,
            readings: true,
            picture: Picture::default(),
        }
    }
}

/// What a sample of a vehicle holds: one or several columns of `states.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// x, y and z of the chassis.
    Position,
    /// Its orientation as a quaternion.
    Orientation,
    /// Roll, pitch and yaw.
    Angles,
    /// Velocity in the world.
    Velocity,
    /// Angular velocity in its own axes.
    AngularVelocity,
    /// Forward speed.
    Speed,
    /// Throttle.
    Throttle,
    /// Steering.
    Steering,
    /// Brake.
    Brake,
    /// Speed of the engine.
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
    /// Force along the wheels' heading.
    WheelTraction,
    /// Force to the wheels' left.
    WheelLateral,
    /// Torque on the wheels.
    WheelTorque,
    /// Inflation of the tyres.
    TyreInflation,
    /// How far the tyres are pressed in.
    TyreDeflection,
    /// Length of the tyres' contact.
    TyreContact,
    /// Place, articulation and hitch force of trailers.
    Trailer,
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
