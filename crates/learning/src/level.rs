//! A level: one ground with its soils, built, its vehicle settled.

use super::level_spec::LevelSpec;
use super::perception::Perception;
use super::relief::Relief;
use bekker_scenario::ScenarioFile;
use bekker_scenario::build::Built;
use bekker_world::World;

/// A level with its vehicle at the start.
#[derive(Debug)]
pub struct Level {
    /// Its number.
    pub number: u64,
    /// What was drawn for it.
    pub spec: LevelSpec,
    /// The scenario that it is.
    pub file: ScenarioFile,
    /// That scenario, built.
    pub built: Built,
    /// The world with its vehicle settled.
    pub start: World,
    /// Heights around the start for the map, if it is seen.
    pub relief: Option<Relief>,
    /// The camera, if its picture is seen.
    pub perception: Option<Perception>,
    /// Radius of the wheels, m; of tracks of their road wheels.
    pub wheel_radius: f64,
    /// Wheels at the corners, front left first, left before right.
    pub corners: [usize; 4],
}
