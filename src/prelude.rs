//! The names that most programs need.
//!
//! ```
//! use bekker::prelude::*;
//! ```
//!
//! | for | names |
//! | --- | --- |
//! | a scenario | [`ScenarioFile`], [`Scenario`], [`Faults`], [`build`] |
//! | a world | [`World`], [`WorldModel`], [`WorldState`], [`Batch`], [`Placement`], [`Endings`] |
//! | a run | [`Runner`], [`Schedule`], [`Observer`], [`Moment`], [`Flow`], [`RunError`], [`RunSummary`] |
//! | results | [`Sample`], [`WheelSample`], [`Event`], [`OutcomeCode`], [`Reading`], [`Delivery`] |
//! | control | [`Command`], [`Steering`], [`Selector`], [`ExternalDriver`], [`Perception`], [`Controller`] |
//! | ground | [`Terrain`], [`GroundModel`], [`Soil`], [`SoilLaw`], [`Loading`] |
//! | vehicles | [`Vehicle`], [`TrackedVehicle`], [`VehicleSpec`], [`TrackedSpec`], [`Driver`] |
//! | ranks | [`Ranks`], [`Communicator`] |
//! | studies | [`Study`], [`StudyConfig`], [`MapFile`] |
//! | learning | [`Env`], [`Level`], [`Options`] |
//! | geometry | [`Pose`], [`Vec3`], [`Quat`] |

pub use bekker_agent::{Endings, Event, OutcomeCode, Sample, WheelSample};
pub use bekker_ground::GroundModel;
pub use bekker_ground::soil::{Loading, Soil, SoilLaw};
pub use bekker_ground::terrain::Terrain;
pub use bekker_learning::{Env, Level, Options};
pub use bekker_map::MapFile;
pub use bekker_math::spatial::{Pose, Quat, Vec3};
pub use bekker_ranks::{Flow, Moment, Observer, Ranks, RunError, Runner, Schedule};
pub use bekker_scenario::{Faults, Scenario, ScenarioFile, build};
pub use bekker_sensor::{Delivery, Reading};
pub use bekker_study::design::{Study, StudyConfig};
pub use bekker_sync::Communicator;
pub use bekker_vehicle::driver::Driver;
pub use bekker_vehicle::{Selector, TrackedSpec, TrackedVehicle, Vehicle, VehicleSpec};
pub use bekker_world::{
    Batch, Command, Controller, ExternalDriver, Perception, Placement, RunSummary, Steering, World,
    WorldModel, WorldState,
};
