//! Plain types that mirror the TOML of a scenario.
//!
//! These types are the file format. Their doc comments become the descriptions of the JSON Schema
//! that `bekker schema` prints. The ranges in their attributes are those that
//! [`conform`](super::conform()) enforces. Units are SI and radians, except for keys that end in
//! `_deg`. Positions are in the local frame of the terrain: x east, y north, z up. Headings count
//! from the x axis towards the y axis.

mod barrier;
mod driver;
mod endings;
mod ground;
mod location;
mod output;
mod pedestrian;
mod radio;
mod random_surface;
mod scenery;
mod sensor;
mod soil;
mod team;
mod terrain;
mod time;
mod tow;
mod traffic_light;
mod vehicle;
mod world;

pub use barrier::BarrierConfig;
pub use driver::{
    DriverConfig, FollowPolicy, LocalizationKind, PathEnd, SoilAdaptationConfig, TableRow,
    TimeoutPolicy,
};
pub use endings::{CollisionPolicy, EndingsConfig};
pub use ground::{Ground, LawsPreset, Refine};
pub use location::{GeographicLocation, GridLocation, LineChoice, Location, PathFile, PathPoints};
pub use output::{OutputConfig, PictureConfig, QuantityConfig, StateFormat};
pub use pedestrian::PedestrianConfig;
pub use radio::{BurstsConfig, RadioConfig, RadioNetConfig};
pub use random_surface::{
    RandomBarriers, RandomHoles, RandomRocks, RandomSurface, RandomTrees, Species,
};
pub use scenery::{Label, Scenery, SkyConfig};
pub use sensor::{
    CameraChannel, CameraConfig, CameraPreset, FilterConfig, FrameFormat, GpsService, ImuGrade,
    InertialErrors, LensConfig, Lidar, LidarPreset, LidarRays, LidarReturns, MagneticFieldConfig,
    OutagesConfig, SensorConfig, SensorModel, SiteConfig,
};
pub use soil::{AreaConfig, BulldozingConfig, ClassRaster, CustomSoil, SoilMapConfig, Zone};
pub use team::{AssignmentConfig, SearchConfig, SearchPartitionConfig, SharingConfig, TeamConfig};
pub use terrain::{
    Face, HeightUnitConfig, NoDataConfig, OriginConfig, OriginName, RoughnessConfig, StampConfig,
    SurfaceConfig, TerrainConfig,
};
pub use time::{TimeConfig, whole_ratio};
pub use tow::{TowConfig, TowKind, VehicleEnd};
pub use traffic_light::{ApproachConfig, LightConfig, LightPhase, TrafficLightConfig};
pub use vehicle::{
    COLUMN_DISTANCE, COLUMN_SPEED, ColumnConfig, Payload, RowConfig, TireModel, VehicleConfig,
    Visual,
};
pub use world::WorldConfig;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A bekker scenario: vehicles, their drives, the ground and the duration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Version of this file format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub format: u32,
    /// Name of the scenario, used for the folder of the run and for titles.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Description in one or two sentences.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    pub description: String,
    /// Seed of all random streams.
    #[serde(default)]
    pub seed: u64,
    /// Duration, time step and heartbeat.
    pub time: TimeConfig,
    /// Physical constants of the place.
    #[serde(default, skip_serializing_if = "WorldConfig::is_default")]
    pub world: WorldConfig,
    /// Resolution and laws of the soil model.
    #[serde(default)]
    pub ground: Ground,
    /// Shape of the undisturbed ground.
    #[serde(default)]
    pub terrain: TerrainConfig,
    /// Soils and the areas that they cover.
    pub soil: SoilMapConfig,
    /// Position on the earth, for GPS and magnetometers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<SiteConfig>,
    /// Vehicles of the scenario.
    #[schemars(length(min = 1, max = 4096))]
    pub vehicle: Vec<VehicleConfig>,
    /// Ropes and bars between vehicles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub tow: Vec<TowConfig>,
    /// Autonomous vehicles that share their maps by radio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamConfig>,
    /// Radios by which vehicles exchange their motion. A vehicle has at most one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub radio: Vec<RadioNetConfig>,
    /// Traffic lights, whose state vehicles receive by radio.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub traffic_light: Vec<TrafficLightConfig>,
    /// Barriers that open and close at fixed times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub barrier: Vec<BarrierConfig>,
    /// Pedestrians.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub pedestrian: Vec<PedestrianConfig>,
    /// Conditions that end a drive before the run ends.
    #[serde(default, skip_serializing_if = "EndingsConfig::is_default")]
    pub endings: EndingsConfig,
    /// Sun, clouds and weather.
    #[serde(default, skip_serializing_if = "SkyConfig::is_default")]
    pub sky: SkyConfig,
    /// Trees, rocks, posts, walls and houses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub scenery: Vec<Scenery>,
    /// Files that the run writes.
    #[serde(default)]
    pub output: OutputConfig,
}

impl Scenario {
    /// Creates a scenario without vehicles on level ground of one soil. All other values are the
    /// defaults.
    pub fn new(name: &str, soil: &str, time: TimeConfig) -> Scenario {
        Scenario {
            format: 1,
            name: name.into(),
            description: String::new(),
            seed: 0,
            time,
            world: WorldConfig::default(),
            ground: Ground::default(),
            terrain: TerrainConfig::default(),
            soil: SoilMapConfig {
                default: soil.into(),
                strength: None,
                raster: None,
                zone: vec![],
                custom: vec![],
            },
            site: None,
            vehicle: vec![],
            tow: vec![],
            team: None,
            radio: vec![],
            traffic_light: vec![],
            barrier: vec![],
            pedestrian: vec![],
            endings: EndingsConfig::default(),
            sky: SkyConfig::default(),
            scenery: vec![],
            output: OutputConfig::default(),
        }
    }

    /// Returns the scenario as a TOML file, with all defaults written out.
    ///
    /// # Errors
    /// Fails if TOML cannot represent a value: a seed above 2^63 - 1.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        // Type-erased as elsewhere in this module, so that the derived code is compiled only once
        // for all formats.
        toml::to_string(self as &dyn erased_serde::Serialize)
    }
}
