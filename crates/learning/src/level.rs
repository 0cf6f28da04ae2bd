//! A level: a ground with its soils, and vehicles in static equilibrium.

use super::coarse_heights::CoarseHeights;
use super::level_spec::LevelSpec;
use super::perception::LevelPerception;
use bekker_scenario::ScenarioFile;
use bekker_scenario::build::BuiltWorld;
use bekker_world::World;

/// A level with its vehicles at the start.
#[derive(Debug)]
pub struct Level {
    /// Its number.
    pub number: u64,
    /// Parameters drawn for the level.
    pub spec: LevelSpec,
    /// Scenario of the level.
    pub file: ScenarioFile,
    /// The built scenario.
    pub built: BuiltWorld,
    /// World with the vehicles in static equilibrium.
    pub start: World,
    /// Heights around the start, if the map is observed.
    pub coarse_heights: Option<CoarseHeights>,
    /// Camera and lidar, if they are observed.
    pub perception: Option<LevelPerception>,
    /// Radius of the wheels, m, or of the road wheels of tracks.
    pub wheel_radius: f64,
    /// Indices of the wheels at the corners, front left first, left before right.
    pub corners: [usize; 4],
}
