//! `[vehicle.driver]`: the driver of a vehicle.

use super::{Location, PathPoints};
use bekker_vehicle::{Locks, Selector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Driver of a vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Driver")]
pub enum DriverConfig {
    /// Keeps the vehicle in place with the brake.
    Hold {
        /// Brake command, from 0 to 1 (full).
        #[serde(default = "full")]
        #[schemars(range(min = 0.0, max = 1.0))]
        brake: f64,
    },
    /// Applies commands from a table over time, without feedback. Commands are linear between rows
    /// and constant after the last row. With `speed` in the rows, only the steering is open loop.
    Table {
        /// Rows of commands, in order of time.
        #[schemars(length(min = 1, max = 100_000))]
        rows: Vec<TableRow>,
        /// Maximum acceleration while gaining speed, m/s². The driver then sets throttle and brake
        /// from the acceleration that the speeds of the rows require, and follows changes of speed
        /// without lag. Only with `speed` in the rows. Where absent, only the vehicle limits the
        /// acceleration.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m/s2"))]
        acceleration: Option<f64>,
    },
    /// Follows a path at a speed, by pure pursuit and PID control. A tracked or
    /// skid-steered vehicle adjusts its steering until it reaches the required yaw rate.
    Path {
        /// Points of the path, joined by a smooth curve. Either a list of positions or `{ file =
        /// "way.gpx" }`.
        #[schemars(with = "PathPoints")]
        waypoints: Vec<[f64; 2]>,
        /// Speed to hold, m/s.
        #[schemars(range(min = 0.02, max = 50.0), extend("unit" = "m/s"))]
        speed: f64,
        /// Minimum look-ahead distance of the pure pursuit, m. Where absent, two wheelbases (one
        /// where both axles steer), at most 5 m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        look_ahead: Option<f64>,
        /// Time at which the vehicle drives off, s. Until then it waits.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
        start: f64,
        /// Time at which the vehicle stops and stays, s. Where absent, it does not stop before the
        /// end of the path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
        stop: Option<f64>,
        /// Whether the vehicle drives the path in reverse, rear first.
        #[serde(default)]
        reverse: bool,
        /// Behavior at the end of the path.
        #[serde(default)]
        at_end: PathEnd,
        /// Maximum lateral acceleration in bends, m/s². The vehicle slows down to keep it. Where
        /// absent, it is 2 m/s².
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m/s2"))]
        lateral_acceleration: Option<f64>,
        /// Maximum acceleration while gaining speed, m/s². The driver then sets throttle and brake
        /// from the acceleration that it aims at, and sends that acceleration by radio. Where
        /// absent, only the vehicle limits the acceleration.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m/s2"))]
        acceleration: Option<f64>,
        /// Slip of a driven wheel or track above which the driver reduces the throttle. The
        /// throttle is zero at twice this slip. It keeps the wheels near the maximum traction of
        /// firm ground, which truck tires reach at slips of about 0.1. Where absent, the driver
        /// ignores slip, as soft ground requires.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        slip_limit: Option<f64>,
        /// Differentials that are locked throughout the drive. Only those that the driver of the
        /// vehicle can lock are allowed.
        #[serde(default, skip_serializing_if = "Locks::is_open")]
        locks: Locks,
    },
    /// Follows another vehicle along that vehicle's path and keeps a gap.
    Follow {
        /// Name of the vehicle to follow.
        leader: String,
        /// Policy that sets the gap as a function of speed.
        #[serde(default)]
        policy: FollowPolicy,
        /// Gap at standstill, m, from the rear bumper of the leader to the front bumper of this
        /// vehicle, along the path.
        #[serde(default = "default_gap")]
        #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        gap: f64,
        /// Time gap, s: the gap grows by this time multiplied by the speed. Not allowed with
        /// `policy = "constant_gap"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 60.0), extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
        time_gap: Option<f64>,
        /// Time gap while no beacons of the leader arrive, s. Only with `policy = "cacc"`. Where
        /// absent, it is 3.2 s.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 60.0), extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
        time_gap_unheard: Option<f64>,
        /// Number of consecutive beacons of the leader that may be lost before the vehicle uses
        /// `time_gap_unheard`. Only with `policy = "cacc"`. Where absent, it is 3.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 1000))]
        lost_beacons: Option<u32>,
        /// Maximum speed, m/s.
        #[serde(default = "default_top_speed")]
        #[schemars(range(min = 0.02, max = 50.0), extend("unit" = "m/s"))]
        speed: f64,
        /// Minimum look-ahead distance of the pure pursuit, m. Where absent, two wheelbases (one
        /// where both axles steer), at most 5 m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        look_ahead: Option<f64>,
        /// Response to soft ground that vehicles ahead report by radio. Where absent, reports are
        /// ignored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        adapt: Option<SoilAdaptationConfig>,
    },
    /// Drives to a goal by its own sensors (docs/autonomy.md). It maps obstacles and holes, plans a
    /// path and steers. It needs a lidar, and a GPS and an IMU unless `localization` is `truth`.
    /// Where the vehicle has several sensors of a kind, it uses the first.
    Autonomous {
        /// Goal of the drive, a position. Where absent, the authority of the team assigns the goals
        /// (`team.goals`, `team.search`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Location>")]
        goal: Option<[f64; 2]>,
        /// Maximum speed, m/s. Below the minimum of this range, the vehicle could only stand.
        #[serde(default = "default_autonomous_speed")]
        #[schemars(range(min = 0.2, max = 50.0), extend("unit" = "m/s"))]
        speed: f64,
        /// Source of the vehicle's pose estimate.
        #[serde(alias = "localisation", default)]
        localization: LocalizationKind,
        /// Time from the delivery of a scan to the plan that is based on it, s. Perception and
        /// planning take this time while the vehicle drives.
        #[serde(default = "default_latency")]
        #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "s"))]
        latency: f64,
        /// Side of a cell of the vehicle's map, m. A step of more than 0.25 m, within a cell or
        /// over 0.5 m, is an obstacle. Between cells larger than 0.5 m, a slope above 0.5 is an
        /// obstacle.
        #[serde(default = "default_cell")]
        #[schemars(range(min = 0.1, max = 5.0), extend("unit" = "m"))]
        cell: f64,
        /// Slope within a cell from which the cell is an obstacle. The slope is the height
        /// difference between the highest and the lowest return of a scan, over the side of the
        /// cell.
        #[serde(default = "default_obstacle_slope")]
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0))]
        obstacle_slope: f64,
        /// Clearance to obstacles that the vehicle keeps on each side, m.
        #[serde(default = "default_margin")]
        #[schemars(range(min = 0.0, max = 20.0), extend("unit" = "m"))]
        margin: f64,
        /// Deceleration that the vehicle assumes when it must be able to stop before unknown
        /// ground, m/s². Where absent, it is what the brakes achieve on the scenario's ground of
        /// lowest friction, if that ground is firm, but at most 4.5 m/s².
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.2, max = 20.0), extend("unit" = "m/s^2"))]
        braking: Option<f64>,
        /// Whether measured slip and sinkage raise the planning cost of similar ground. It needs a
        /// sensor of kind `terramechanics` on the vehicle.
        #[serde(default)]
        soil_aware: bool,
    },
    /// An external controller drives the vehicle over the link of `bekker run --serve`
    /// (docs/link.md). The run waits until a controller connects.
    Outside {
        /// Response when the controller does not answer in time or disconnects.
        #[serde(default)]
        on_timeout: TimeoutPolicy,
        /// Wall time within which a controller in lock-step must answer, s.
        #[serde(default = "default_timeout")]
        #[schemars(range(max = 86_400.0), extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
        timeout: f64,
    },
}

/// Response of a follower to soft ground. Vehicles ahead on its path report their slip by radio.
/// `{}` takes all defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "SoilAdaptation")]
pub struct SoilAdaptationConfig {
    /// Mean slip of a vehicle ahead from which the ground under it is soft. Slip below 0.5 m/s, or
    /// at more than 1 m/s² of acceleration, does not count.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub slip: f64,
    /// Distance between lanes on soft ground, m. The first follower drives one lane to the left of
    /// the path, the second one to the right, the third two lanes to the left, and so on up to 2.5
    /// m; then the path is next. With 0 all drive in the same ruts.
    #[schemars(range(min = 0.0, max = 2.5), extend("unit" = "m"))]
    pub lane: f64,
    /// Additional gap until the vehicle enters the soft ground, m.
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "m"))]
    pub gap: f64,
    /// Inflation on soft ground, kPa. Behind it, the vehicle returns to its initial one. It needs
    /// central tire inflation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 5000.0), extend("unit" = "kPa"))]
    pub inflation_kpa: Option<f64>,
}

impl Default for SoilAdaptationConfig {
    fn default() -> SoilAdaptationConfig {
        SoilAdaptationConfig { slip: 0.15, lane: 0.5, gap: 0.0, inflation_kpa: None }
    }
}

/// Response when an external controller does not answer in time or disconnects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutPolicy {
    /// The vehicle brakes fully until the controller answers or another controller takes over.
    #[default]
    Brake,
    /// The last command stays in effect.
    Hold,
    /// The run fails.
    Fail,
}

/// Source of an autonomous vehicle's pose estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocalizationKind {
    /// GPS and IMU of the vehicle, fused by an error-state Kalman filter.
    #[default]
    Fused,
    /// True pose, from a sensor of kind `odometry`.
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

fn default_gap() -> f64 {
    7.0
}

fn default_top_speed() -> f64 {
    15.0
}

impl DriverConfig {
    /// Returns whether the driver changes the inflation of tires.
    pub fn sets_inflation(&self) -> bool {
        !self.inflations().is_empty()
    }

    /// Returns the inflations that the driver requests, kPa, with their keys.
    pub fn inflations(&self) -> Vec<(String, f64)> {
        match self {
            DriverConfig::Table { rows, .. } => {
                let rows = rows.iter().enumerate();
                rows.filter_map(|(row, own)| {
                    Some((format!("driver.rows[{row}].inflation_kpa"), own.inflation_kpa?))
                })
                .collect()
            }
            DriverConfig::Follow { adapt: Some(adapt), .. } => {
                let asked = adapt.inflation_kpa.into_iter();
                asked.map(|asked| ("driver.adapt.inflation_kpa".into(), asked)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether the driver uncouples a trailer at some time.
    pub fn uncouples(&self) -> bool {
        matches!(self, DriverConfig::Table { rows, .. } if rows.iter().any(|row| row.uncouple))
    }

    /// Returns the key that makes the vehicle steer, relative to the driver's key, and the value
    /// that it must have instead. Returns `None` where nothing steers.
    pub fn steers(&self) -> Option<(String, &'static str)> {
        match self {
            DriverConfig::Hold { .. } | DriverConfig::Outside { .. } => None,
            DriverConfig::Table { rows, .. } => {
                let row = rows.iter().position(|row| row.steering != 0.0)?;
                Some((format!(".rows[{row}].steering"), "must be 0"))
            }
            DriverConfig::Path { .. }
            | DriverConfig::Follow { .. }
            | DriverConfig::Autonomous { .. } => {
                Some((".kind".into(), "must be \"table\", \"hold\" or \"outside\""))
            }
        }
    }

    /// Returns all locks that the driver engages at some time.
    pub fn locks(&self) -> Locks {
        match self {
            DriverConfig::Table { rows, .. } => {
                let engaged = rows.iter().flat_map(|row| row.locks.iter());
                engaged.fold(Locks::OPEN, |locks, lock| locks.with_lock(lock, true))
            }
            DriverConfig::Path { locks, .. } => *locks,
            _ => Locks::OPEN,
        }
    }
}

impl Default for DriverConfig {
    fn default() -> DriverConfig {
        DriverConfig::Hold { brake: full() }
    }
}

/// Commands from a given time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableRow {
    /// Time of the row, s.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub time: f64,
    /// Throttle command, from 0 to 1 (full).
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub throttle: f64,
    /// Steering command, from -1 (full right) to 1 (full left).
    #[serde(default)]
    #[schemars(range(min = -1.0, max = 1.0))]
    pub steering: f64,
    /// Brake command, from 0 to 1 (full).
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub brake: f64,
    /// Gear selector from this time on.
    #[serde(default)]
    pub gear: Selector,
    /// Target pressure of the central tire inflation for all tires from this time on, kPa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 5000.0), extend("unit" = "kPa"))]
    pub inflation_kpa: Option<f64>,
    /// Differentials that are locked from this time on. Only those that the vehicle's file lets
    /// drivers lock (`commanded`) are allowed.
    #[serde(default, skip_serializing_if = "Locks::is_open")]
    pub locks: Locks,
    /// Whether the trailer is uncoupled from this time on. The trailer then stands on its landing
    /// gear with its brakes applied.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncouple: bool,
    /// Speed to hold, m/s, instead of throttle and brake. Set it in all rows or in none. It is 0 or
    /// at least 0.02.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 50.0), extend("unit" = "m/s"))]
    pub speed: Option<f64>,
}

/// Behavior of a driver at the end of its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathEnd {
    /// Stops and stays there.
    #[default]
    Stop,
    /// Continues along the last straight.
    Continue,
}

/// Policy that sets the gap to the leader as a function of speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FollowPolicy {
    /// Constant gap at all speeds.
    ConstantGap,
    /// Gap at standstill plus a time gap multiplied by the speed.
    #[default]
    ConstantTimeGap,
    /// Intelligent Driver Model (Treiber, Hennecke & Helbing 2000).
    Idm,
    /// Cooperative adaptive cruise control (Ploeg et al. 2011). It uses the acceleration that the
    /// leader sends by radio, and runs without it while no beacons arrive.
    Cacc,
}
