//! The scenario as written: plain types that mirror the TOML.
//!
//! These types are the format. Their doc comments become the descriptions of
//! the JSON Schema that `bekker schema` prints, and the ranges written on them
//! are what [`conform`](super::conform()) enforces. SI units and radians,
//! except keys ending in `_deg`; positions in the local frame of the terrain,
//! x east, y north, z up; headings count from the x axis towards the y axis.

mod barrier;
mod driver;
mod endings;
mod ground;
mod output;
mod pedestrian;
mod place;
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

pub use barrier::Barrier;
pub use driver::{Driver, FollowPolicy, LocalisationKind, PathEnd, TableRow, TimeoutPolicy};
pub use endings::{CollisionPolicy, Endings};
pub use ground::{Ground, LawsPreset, Refine};
pub use output::{Output, Picture, Quantity, StateFormat};
pub use pedestrian::Pedestrian;
pub use place::{EarthPlace, GridPlace, LineChoice, Place, Way, WayFile};
pub use radio::{Bursts, Radio, RadioNet};
pub use random_surface::{
    RandomBarriers, RandomHoles, RandomRocks, RandomSurface, RandomTrees, Species,
};
pub use scenery::{Label, Scenery, Sky};
pub use sensor::{
    Camera, CameraChannel, CameraPreset, Filter, FrameFormat, GpsService, ImuGrade, InertialErrors,
    LensConfig, Lidar, LidarPreset, LidarRays, LidarReturns, MagneticField, Outages, Sensor,
    SensorModel, Site,
};
pub use soil::{Area, BulldozingConfig, ClassRaster, CustomSoil, SoilMap, Zone};
pub use team::{Assignment, Parts, Search, Sharing, Team};
pub use terrain::{
    Face, HeightUnit, NoData, Origin, OriginName, Roughness, Stamp, Surface, Terrain,
};
pub use time::{Time, whole_ratio};
pub use tow::{Tow, TowKind, VehicleEnd};
pub use traffic_light::{Approach, Light, LightPhase, TrafficLight};
pub use vehicle::{
    COLUMN_DISTANCE, COLUMN_SPEED, Column, Payload, Row, TyreModel, Vehicle, Visual,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A bekker scenario: what drives where, on which ground, for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub format: u32,
    /// Name, used for the run's folder and titles.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// What it shows, in a sentence or two.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    pub description: String,
    /// Root of every random stream.
    #[serde(default)]
    pub seed: u64,
    /// Duration, step and heartbeat.
    pub time: Time,
    /// How finely and by which laws the soil is modelled.
    #[serde(default)]
    pub ground: Ground,
    /// Shape of the undisturbed ground.
    #[serde(default)]
    pub terrain: Terrain,
    /// Which soil lies where.
    pub soil: SoilMap,
    /// Where on the earth it is, for GPS and magnetometers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<Site>,
    /// The vehicles.
    #[schemars(length(min = 1, max = 4096))]
    pub vehicle: Vec<Vehicle>,
    /// Ropes and bars between vehicles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub tow: Vec<Tow>,
    /// Autonomous vehicles that share their maps by radio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Team>,
    /// Radios by which vehicles tell each other how they move; a vehicle has one at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub radio: Vec<RadioNet>,
    /// Traffic lights, which vehicles hear by radio.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub traffic_light: Vec<TrafficLight>,
    /// Barriers that open and close by the clock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub barrier: Vec<Barrier>,
    /// People on foot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub pedestrian: Vec<Pedestrian>,
    /// When a drive ends before the run does.
    #[serde(default, skip_serializing_if = "Endings::is_default")]
    pub endings: Endings,
    /// Sun, clouds and weather.
    #[serde(default, skip_serializing_if = "Sky::is_default")]
    pub sky: Sky,
    /// Trees, rocks, posts, walls and houses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub scenery: Vec<Scenery>,
    /// What the run leaves behind.
    #[serde(default)]
    pub output: Output,
}

impl Scenario {
    /// The scenario as a file, with every default written out.
    ///
    /// # Errors
    /// What TOML has no form for: a seed above 2^63 - 1.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        // type-erased, as everywhere here: the derived code is compiled only once for all formats
        toml::to_string(self as &dyn erased_serde::Serialize)
    }
}
