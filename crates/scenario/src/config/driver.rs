//! `[vehicle.driver]`

use super::{Place, Way};
use bekker_vehicle::{Locks, Selector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who drives a vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Driver {
    /// Stands on the brake.
    Hold {
        /// How hard.
        #[serde(default = "full")]
        #[schemars(range(min = 0.0, max = 1.0))]
        brake: f64,
    },
    /// Open loop: commands over time, linear between rows, constant after the last; with `speed`
    /// in its rows the steering alone.
    Table {
        /// The rows, in order of time.
        #[schemars(length(min = 1, max = 100_000))]
        rows: Vec<TableRow>,
    },
    /// Follows a path at a speed by pure pursuit and PID control; on tracks it steers until it turns as it is to.
    Path {
        /// Points of the path; a smooth curve runs through them: a list of places, or
        /// `{ file = "way.gpx" }`.
        #[schemars(with = "Way")]
        waypoints: Vec<[f64; 2]>,
        /// Speed to hold, m/s.
        #[schemars(range(min = 0.02, max = 50.0), extend("unit" = "m/s"))]
        speed: f64,
        /// How far ahead it aims: least distance, m.
        #[serde(default = "default_look_ahead")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        look_ahead: f64,
        /// Time to wait before driving off, s.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
        start: f64,
        /// Time at which it stops and holds, s; never if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
        stop: Option<f64>,
        /// Whether it drives the path backward, its rear ahead.
        #[serde(default)]
        reverse: bool,
        /// What it does at the end of the path.
        #[serde(default)]
        at_end: PathEnd,
        /// Lateral acceleration up to which it drives bends at its speed, m/s²; 2 if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m/s2"))]
        lateral_acceleration: Option<f64>,
        /// Acceleration with which it gains speed at most, m/s²; as its vehicle can if not given. It
        /// then sets throttle and brake by the acceleration that it aims at, and tells that by
        /// radio.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m/s2"))]
        acceleration: Option<f64>,
        /// Greatest slip of a driven wheel or track from which on it lifts its foot off the throttle, at
        /// twice that all of it: it holds its wheels near the most that firm ground gives (tyres of
        /// trucks do at slips of about 0.1). It minds no slip if not given, which soft ground asks for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        slip_limit: Option<f64>,
        /// Differentials that it drives with locked, of those that a driver of its vehicle can lock.
        #[serde(default, skip_serializing_if = "Locks::is_open")]
        locks: Locks,
    },
    /// Follows another vehicle along its path and keeps a gap.
    Follow {
        /// Name of the vehicle to follow.
        leader: String,
        /// How the gap depends on speed.
        #[serde(default)]
        policy: FollowPolicy,
        /// Gap at standstill, from the leader's rear bumper to its own front bumper
        /// along the path, m.
        #[serde(default = "default_gap")]
        #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        gap: f64,
        /// Time that the gap grows by with speed, s; not for a constant gap.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 60.0), extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
        time_gap: Option<f64>,
        /// With `policy = "cacc"`: the same while the leader is not heard, s; 3.2 if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 60.0), extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
        time_gap_unheard: Option<f64>,
        /// With `policy = "cacc"`: beacons of the leader that may be lost one after the other
        /// before it counts as unheard; 3 if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 1000))]
        lost_beacons: Option<u32>,
        /// Speed that it does not exceed, m/s.
        #[serde(default = "default_top_speed")]
        #[schemars(range(min = 0.02, max = 50.0), extend("unit" = "m/s"))]
        speed: f64,
        /// How far ahead it aims: least distance, m.
        #[serde(default = "default_look_ahead")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        look_ahead: f64,
    },
    /// Finds its own way to a goal by what its sensors see: it maps obstacles and holes, plans
    /// and steers (docs/autonomy.md). It needs a lidar, and a GPS and an IMU unless
    /// `localisation` is `truth`; of several of a kind it goes by the first.
    Autonomous {
        /// Where it is to arrive: a place. Without, where the authority of its team sends it
        /// (`team.goals`, `team.search`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Place>")]
        goal: Option<[f64; 2]>,
        /// Speed that it does not exceed, m/s; slower than the least it could only stand.
        #[serde(default = "default_autonomous_speed")]
        #[schemars(range(min = 0.2, max = 50.0), extend("unit" = "m/s"))]
        speed: f64,
        /// How it knows where it is.
        #[serde(default)]
        localisation: LocalisationKind,
        /// Time from a scan's delivery to the plan that is made of it, s: perception and
        /// planning take it, beside the drive.
        #[serde(default = "default_latency")]
        #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "s"))]
        latency: f64,
        /// Side of a cell of its map, m. Ground that steps by more than 0.25 m, within a cell or
        /// over half a metre, is an obstacle; from cell to cell of more than half a metre, ground
        /// steeper than a half.
        #[serde(default = "default_cell")]
        #[schemars(range(min = 0.1, max = 5.0), extend("unit" = "m"))]
        cell: f64,
        /// Slope within a cell, highest less lowest return of a scan over its side, from which it is
        /// an obstacle.
        #[serde(default = "default_obstacle_slope")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0))]
        obstacle_slope: f64,
        /// Room that it keeps on either side, m.
        #[serde(default = "default_margin")]
        #[schemars(range(min = 0.0, max = 20.0), extend("unit" = "m"))]
        margin: f64,
        /// Deceleration that it counts on to stop before what it does not know, m/s². Without: what its
        /// brakes give on the ground of least friction that the scenario has, if that is firm, 4.5 m/s² at most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.2, max = 20.0), extend("unit" = "m/s^2"))]
        braking: Option<f64>,
        /// Whether slip and sinkage that it feels raise the cost of such ground; needs a sensor of
        /// kind `terramechanics` on the vehicle, by which it feels them.
        #[serde(default)]
        soil_aware: bool,
    },
    /// Is driven from outside, over the link of `bekker run --serve` (docs/link.md): the run
    /// waits until somebody does.
    Outside {
        /// What becomes of the vehicle when its driver does not answer in time, or is gone.
        #[serde(default)]
        on_timeout: TimeoutPolicy,
        /// Wall time that a driver in lock-step has for an answer, s.
        #[serde(default = "default_timeout")]
        #[schemars(range(max = 86_400.0), extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
        timeout: f64,
    },
}

/// What becomes of a vehicle whose driver outside does not answer in time, or is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutPolicy {
    /// It brakes fully, until its driver answers or another takes over.
    #[default]
    Brake,
    /// The last command holds.
    Hold,
    /// The run fails.
    Fail,
}

/// How an autonomous vehicle knows where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocalisationKind {
    /// Its GPS and IMU, fused by an error-state Kalman filter.
    #[default]
    Fused,
    /// The truth, by a sensor of the kind `odometry`.
    Truth,
}

fn default_autonomous_speed() -> f64 {
    5.0
}

fn default_timeout() -> f64 {
    10.0
}

fn default_latency() -> f64 {
    0.1
}

fn default_cell() -> f64 {
    0.5
}

fn default_obstacle_slope() -> f64 {
    2.5
}

fn default_margin() -> f64 {
    0.5
}

fn full() -> f64 {
    1.0
}

fn default_look_ahead() -> f64 {
    5.0
}

fn default_gap() -> f64 {
    7.0
}

fn default_top_speed() -> f64 {
    15.0
}

impl Driver {
    /// Whether it changes the inflation of tyres.
    pub fn inflates(&self) -> bool {
        !self.inflations().is_empty()
    }

    /// The inflations, kPa, that it asks for, with their rows.
    pub fn inflations(&self) -> Vec<(usize, f64)> {
        let Driver::Table { rows } = self else { return Vec::new() };
        rows.iter().enumerate().filter_map(|(row, own)| Some((row, own.inflation?))).collect()
    }

    /// Whether it lets go of a trailer at some time.
    pub fn uncouples(&self) -> bool {
        matches!(self, Driver::Table { rows } if rows.iter().any(|row| row.uncouple))
    }

    /// Key below the driver's, and in words, of what asks a vehicle to steer, if anything does.
    pub fn steers(&self) -> Option<(String, &'static str)> {
        match self {
            Driver::Hold { .. } | Driver::Outside { .. } => None,
            Driver::Table { rows } => {
                let row = rows.iter().position(|row| row.steering != 0.0)?;
                Some((format!(".rows[{row}].steering"), "must be 0"))
            }
            Driver::Path { .. } | Driver::Follow { .. } | Driver::Autonomous { .. } => {
                Some((".kind".into(), "must be \"table\", \"hold\" or \"outside\""))
            }
        }
    }

    /// Every lock that it engages at some time.
    pub fn locks(&self) -> Locks {
        match self {
            Driver::Table { rows } => {
                let engaged = rows.iter().flat_map(|row| row.locks.iter());
                engaged.fold(Locks::OPEN, |locks, lock| locks.with(lock, true))
            }
            Driver::Path { locks, .. } => *locks,
            _ => Locks::OPEN,
        }
    }
}

impl Default for Driver {
    fn default() -> Driver {
        Driver::Hold { brake: full() }
    }
}

/// Commands at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableRow {
    /// Time, s.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub time: f64,
    /// Throttle.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub throttle: f64,
    /// Steering, -1 full right to 1 full left.
    #[serde(default)]
    #[schemars(range(min = -1.0, max = 1.0))]
    pub steering: f64,
    /// Brake.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub brake: f64,
    /// Lever of the gearbox from this time on.
    #[serde(default)]
    pub gear: Selector,
    /// Inflation of all tyres that central tyre inflation works towards from this time on,
    /// kPa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 5000.0), extend("unit" = "kPa"))]
    pub inflation: Option<f64>,
    /// Differentials that are locked from this time on, of those that the vehicle's file lets
    /// drivers lock (`commanded`).
    #[serde(default, skip_serializing_if = "Locks::is_open")]
    pub locks: Locks,
    /// Whether it has let go of its trailer from this time on: the trailer stands on its landing
    /// gear, and its brakes apply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncouple: bool,
    /// Speed to hold, m/s, in the place of throttle and brake: in all rows or in none. It is 0
    /// or at least 0.02.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 50.0), extend("unit" = "m/s"))]
    pub speed: Option<f64>,
}

/// What a driver does at the end of its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathEnd {
    /// Stops and holds.
    #[default]
    Stop,
    /// Drives on along the last straight.
    Continue,
}

/// How the gap to a leader depends on speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FollowPolicy {
    /// Always the same gap.
    ConstantGap,
    /// The gap plus a time times the speed.
    #[default]
    ConstantTimeGap,
    /// The Intelligent Driver Model (Treiber, Hennecke & Helbing 2000).
    Idm,
    /// Cooperative adaptive cruise control (Ploeg et al. 2011): by the acceleration that the
    /// leader tells by radio, and without that while it is not heard.
    Cacc,
}
