//! Summary of one vehicle's run.

use super::outcome::OutcomeReport;
use serde::{Deserialize, Serialize};

/// Summary of one vehicle's run.
///
/// All means and sums count from the start until the drive ended, else until the end of the run. A
/// drive ends when the vehicle has arrived, or is immobilized, sunk, overturned, off the terrain or
/// failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VehicleSummary {
    /// Name in the scenario.
    pub name: String,
    /// Vehicle model.
    pub model: String,
    /// Outcome of the drive.
    pub outcome: OutcomeReport,
    /// Time until the drive ended, s.
    pub driving_time: f64,
    /// Path length of the chassis' origin in three dimensions, m, with sliding and rocking.
    pub distance: f64,
    /// `distance` divided by `driving_time`, m/s.
    pub mean_speed: f64,
    /// Straight distance from the start position to the end divided by `driving_time`, m/s.
    pub speed_made_good: f64,
    /// Speed at the end of the run, m/s; 0 if the drive ended earlier.
    pub final_speed: f64,
    /// Mean slip of the wheels over the time under throttle.
    pub mean_slip: f64,
    /// Peak of the wheels' mean slip, low-pass filtered with 0.1 s.
    pub peak_slip: f64,
    /// Mean sinkage of the wheels, m.
    pub mean_sinkage: f64,
    /// Largest sinkage of any wheel, m.
    pub max_sinkage: f64,
    /// Flexible tires, if the vehicle has any.
    pub tires: Option<TireSummary>,
    /// Mean motion resistance of the soil, N.
    ///
    /// Work of plastic compaction while the vehicle rolls faster than 0.2 m/s, divided by the
    /// distance rolled. Absent if that distance is below 2 m.
    pub motion_resistance: Option<f64>,
    /// Time integral of the throttle, s, which is the fuel of the MAVS swarm study.
    pub throttle_time: f64,
    /// Energy from the driveline into wheels or sprockets, J; positive work only.
    pub drive_energy: f64,
    /// Energy that brakes and engine drag take from wheels or sprockets, J; positive.
    pub braking_energy: f64,
    /// Energy of plastic compaction and shear of deformable soil, J.
    ///
    /// Excludes damping and soil that is pushed ahead or aside.
    pub soil_energy: f64,
    /// Fuel burned, kg, if the engine specifies consumption.
    pub fuel: Option<f64>,
    /// Battery of electric motors, if they drive the vehicle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub battery: Option<BatterySummary>,
}

/// Battery of electric motors over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BatterySummary {
    /// Net energy drawn from the battery, J; motors return energy as they brake.
    pub energy: f64,
    /// State of charge at the end: 1 full, as at the start; 0 empty.
    pub charge: f64,
}

/// Values of all flexible tires together; rigid tires do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TireSummary {
    /// Mean inflation at the end, kPa.
    pub inflation_kpa: f64,
    /// Mean deflection, m.
    pub deflection: f64,
    /// Mean length of contact, m.
    pub contact_length: f64,
}
