//! Drivers: from what is seen to throttle, steering and brake.
//!
//! A [`Driver`] is immutable; what it remembers is plain data in a
//! [`DriverState`]. Steering is positive to the left, 1 being full lock.

mod cooperative;
mod following;
mod path;
mod path_follower;
mod pure_pursuit;
mod speed;
mod table;
mod trailer;

pub use cooperative::Cooperative;
pub use following::{ConstantGap, ConstantTimeGap, Following, Idm};
pub use path::{Path, PathError, Place};
pub use path_follower::{BESIDE, PathFollower, Plan};
pub use pure_pursuit::{PurePursuit, SteeringGeometry};
pub use speed::{Aim, Motion, SLOWEST, SpeedControl, SpeedGoal, SpeedState};
pub use table::Table;
pub use trailer::TrailerGeometry;

use super::{Controls, EngineResponse, PedalResponse, Selector};
use bekker_math::spatial::Pose;
use serde::{Deserialize, Serialize};

/// Throttle up to which a table, or who commands from outside, does not mean to move.
const IDLING: f64 = 0.05;

/// What a driver sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriverView<'a> {
    /// Simulated time, s.
    pub time: f64,
    /// Time until the next view, s.
    pub step: f64,
    /// Chassis frame of the own vehicle in the world.
    pub pose: Pose,
    /// Own speed along the chassis x axis, m/s.
    pub speed: f64,
    /// Own rate of turn about the vertical, rad/s, positive to the left.
    pub yaw_rate: f64,
    /// Thrust of the driveline at wheels or tracks over the vehicle's weight,
    /// positive forward: felt by the squat.
    pub thrust: f64,
    /// Speed of the rim of the driven wheel, or of the track, that turns fastest, m/s, positive
    /// forward: heard.
    pub rim: f64,
    /// Greatest slip of a driven wheel, or of a track, positive where it drives, forward or backward.
    pub slip: f64,
    /// The vehicle to keep behind, if any.
    pub leader: Option<LeaderView>,
    /// Distance from its front to a line that it is to stop before, m, if there is one.
    pub stop: Option<f64>,
    /// Articulation of its trailer to the left, rad, while it draws one.
    pub articulation: Option<f64>,
    /// What its pedals do, for drivers that aim at accelerations
    /// ([`PathFollower::aims_at_accelerations`]).
    pub pedals: Option<PedalView<'a>>,
}

/// What the own pedals do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PedalView<'a> {
    /// What they would give at the present speed and gear.
    pub response: PedalResponse,
    /// How they stood in the last step.
    pub applied: Controls,
    /// How the engine gets to what the throttle gives, for drivers who do not exceed an
    /// acceleration ([`Plan::acceleration`]).
    pub engine: Option<EngineResponse<'a>>,
}

/// What a follower sees of its leader.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeaderView {
    /// Clear distance to it along the path, from bumper to bumper, m.
    pub gap: f64,
    /// Its speed along the path, m/s.
    pub speed: f64,
    /// The own acceleration that [`Cooperative`] aims at, m/s², where that rule is followed.
    pub demand: Option<f64>,
}

/// What a driver is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Intent {
    /// Wants to move.
    Drive,
    /// Stands, or nearly, because of the gap to its leader.
    WaitBehindLeader,
    /// Was told to stand.
    #[default]
    Hold,
    /// Stands at its last stop.
    Arrived,
    /// Finds its own way: it may stand to think of one, and back off from where it does not get on.
    FindWay,
}

impl Intent {
    /// What is meant by pedals that somebody else has thought of.
    pub fn of(controls: &Controls) -> Intent {
        let in_gear = controls.gear != Selector::Neutral;
        let drives = controls.throttle > IDLING && controls.brake == 0.0 && in_gear;
        if drives { Intent::Drive } else { Intent::Hold }
    }
}

/// What a driver remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriverState {
    /// Place on the path.
    pub place: Place,
    /// Memory of the speed control.
    pub speed: SpeedState,
    /// Steering of the last step.
    pub steering: f64,
    /// Whether the vehicle has come to its last stop and holds.
    pub holding: bool,
    /// Whether it stands behind its leader until there is room to close up.
    pub waiting: bool,
    /// Whether it drives the path back: to its end, which it has overshot, or to straighten a
    /// trailer that it backs.
    pub backing: bool,
    /// What the driver is about since the last step.
    pub intent: Intent,
}

/// A driver.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a handful per simulation
pub enum Driver {
    /// Commands over time, whatever happens but to the speed, which may be held.
    Table(Table),
    /// Follows a path, alone or behind a leader.
    Path(PathFollower),
}

impl Driver {
    /// State of a driver whose vehicle starts at `pose`.
    pub fn start(&self, pose: &Pose) -> DriverState {
        match self {
            Driver::Table(table) => table.start(),
            Driver::Path(follower) => follower.start(pose),
        }
    }

    /// Distance along its path, m, if it follows one.
    pub fn station(&self, state: &DriverState) -> Option<f64> {
        match self {
            Driver::Table(_) => None,
            Driver::Path(_) => Some(state.place.station),
        }
    }

    /// The path that it follows, if any.
    pub fn follower(&self) -> Option<&PathFollower> {
        match self {
            Driver::Table(_) => None,
            Driver::Path(follower) => Some(follower),
        }
    }

    /// Slowest speed above 0 that it is to hold at about `time`, s, m/s; none where it holds
    /// no speed.
    pub fn slowest(&self, time: f64) -> Option<f64> {
        match self {
            Driver::Table(table) => table.goal(time).map(|goal| goal.slowest),
            Driver::Path(follower) => Some(follower.plan().cruise_speed),
        }
    }

    /// Whether it has come to its stop at the end of a path.
    pub fn has_arrived(&self, state: &DriverState) -> bool {
        match self {
            Driver::Table(_) => false,
            Driver::Path(follower) => follower.has_arrived(state),
        }
    }

    /// Commands for the step that begins at the view.
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
