//! Drivers: from observations to throttle, steering and brake.
//!
//! A [`Driver`] is immutable; its memory is plain data in a [`DriverState`]. Steering is positive
//! to the left, with 1 for full lock.

mod cooperative;
mod following;
mod path;
mod path_follower;
mod pure_pursuit;
mod soil_adaptation;
mod speed;
mod table;
mod trailer;

pub use cooperative::Cooperative;
pub use following::{ConstantGap, ConstantTimeGap, Following, Idm};
pub use path::{Path, PathError, PathPosition};
pub use path_follower::{BESIDE, PathFollower, PathFollowerConfig};
pub use pure_pursuit::{PurePursuit, PursuedPath, SkidGeometry, SteeringGeometry};
pub use soil_adaptation::{
    FollowerMotion, SlipReport, SoilAdaptation, SoilAdaptationState, lane_offset,
};
pub use speed::{
    AccelerationGoal, LongitudinalState, SLOWEST, SpeedControl, SpeedGoal, SpeedState,
};
pub use table::DriverTable;
pub use trailer::TrailerGeometry;

use super::{Controls, EngineResponse, PedalResponse, Selector};
use bekker_math::spatial::Pose;
use serde::{Deserialize, Serialize};

/// Throttle up to which commands of a table or an external controller count as no drive request.
const IDLING: f64 = 0.05;

/// Observations of a driver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriverView<'a> {
    /// Simulated time, s.
    pub time: f64,
    /// Time until the next view, s.
    pub step: f64,
    /// Pose of the vehicle's chassis frame in the world.
    pub pose: Pose,
    /// Speed of the vehicle along the chassis x axis, m/s.
    pub speed: f64,
    /// Yaw rate of the vehicle about the vertical, rad/s, positive to the left.
    pub yaw_rate: f64,
    /// Thrust of the driveline at wheels or tracks over the vehicle's weight, positive forward.
    ///
    /// A human driver perceives it by the vehicle's squat.
    pub thrust: f64,
    /// Rim speed of the fastest driven wheel or track, m/s, positive forward.
    ///
    /// A human driver perceives it by sound.
    pub rim: f64,
    /// Greatest slip of a driven wheel or track, positive where it drives, forward or backward.
    pub slip: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// The vehicle to follow, if any.
    pub leader: Option<LeaderView>,
    /// Offset at which the path is to be followed, m to its left.
    pub aside: f64,
    /// Distance from the vehicle's front to a stop line, m, if there is one.
    pub stop: Option<f64>,
    /// Yaw of a coupled trailer, or of the rear frame of an articulated vehicle, to the left, rad.
    pub articulation: Option<f64>,
    /// Response to the pedals, for drivers that target accelerations
    /// ([`PathFollower::controls_acceleration`], [`DriverTable::acceleration_limit`]).
    pub pedals: Option<PedalView<'a>>,
}

/// Response of the vehicle to its pedals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PedalView<'a> {
    /// Response at the present speed and gear.
    pub response: PedalResponse,
    /// Commands of the last step.
    pub applied: Controls,
    /// Dynamic response of the engine, for drivers that limit acceleration
    /// ([`PathFollowerConfig::acceleration`]).
    pub engine: Option<EngineResponse<'a>>,
}

/// Observations of the leader.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeaderView {
    /// Clear distance along the path, from bumper to bumper, m.
    pub gap: f64,
    /// Speed of the leader along the path, m/s.
    pub speed: f64,
    /// Acceleration of the vehicle that [`Cooperative`] demands, m/s², if that rule applies.
    pub demand: Option<f64>,
}

/// Present intent of a driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Intent {
    /// Requests to move.
    Drive,
    /// Stands, or nearly, because of the gap to its leader.
    WaitBehindLeader,
    /// Stands on command.
    #[default]
    Hold,
    /// Stands at its last stop.
    Arrived,
    /// Plans its own route: it may stop to plan, and reverse where it is stalled.
    FindWay,
}

impl Intent {
    /// Returns the intent that external pedal commands imply.
    pub fn from_controls(controls: &Controls) -> Intent {
        let in_gear = controls.gear != Selector::Neutral;
        let drives = controls.throttle > IDLING && controls.brake <= 0.0 && in_gear;
        if drives { Intent::Drive } else { Intent::Hold }
    }
}

/// Memory of a driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriverState {
    /// Position on the path.
    pub place: PathPosition,
    /// State of the speed control.
    pub speed: SpeedState,
    /// Steering of the last step.
    pub steering: f64,
    /// Whether the vehicle has reached its last stop and holds.
    pub holding: bool,
    /// Whether it stands behind its leader until there is space to close up.
    pub waiting: bool,
    /// Whether it drives the path backward: to its end after an overshoot, or to straighten a
    /// trailer that it reverses.
    pub backing: bool,
    /// Intent of the last step.
    pub intent: Intent,
}

/// A driver.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a handful per simulation
pub enum Driver {
    /// Commands over time, independent of the vehicle's state; only the speed may be controlled.
    Table(DriverTable),
    /// Follows a path, alone or behind a leader.
    Path(PathFollower),
}

impl Driver {
    /// Returns the initial state of a driver whose vehicle starts at `pose`.
    pub fn start(&self, pose: &Pose) -> DriverState {
        match self {
            Driver::Table(table) => table.start(),
            Driver::Path(follower) => follower.start(pose),
        }
    }

    /// Returns the distance along the path, m, if the driver follows one.
    pub fn station(&self, state: &DriverState) -> Option<f64> {
        match self {
            Driver::Table(_) => None,
            Driver::Path(_) => Some(state.place.station),
        }
    }

    /// Returns the path follower, if the driver follows a path.
    pub fn follower(&self) -> Option<&PathFollower> {
        match self {
            Driver::Table(_) => None,
            Driver::Path(follower) => Some(follower),
        }
    }

    /// Returns the lowest positive target speed around `time`, s, m/s; `None` without a target
    /// speed.
    pub fn slowest(&self, time: f64) -> Option<f64> {
        match self {
            Driver::Table(table) => table.goal(time).map(|goal| goal.slowest),
            Driver::Path(follower) => Some(follower.config().cruise_speed),
        }
    }

    /// Whether the driver has reached its stop at the end of a path.
    pub fn has_arrived(&self, state: &DriverState) -> bool {
        match self {
            Driver::Table(_) => false,
            Driver::Path(follower) => follower.has_arrived(state),
        }
    }

    /// Returns the commands for the step that begins at the view.
    pub fn controls(&self, state: &mut DriverState, view: &DriverView) -> Controls {
        match self {
            Driver::Table(table) => {
                let controls = table.drive(state, view);
                state.intent = table.intent(view.time, &controls);
                controls
            }
            Driver::Path(follower) => follower.controls(state, view),
        }
    }
}
