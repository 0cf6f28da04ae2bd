//! One vehicle's run in a few figures.

use super::outcome::OutcomeReport;
use serde::{Deserialize, Serialize};

/// One vehicle's run in a few figures. All means and sums count from the start until the
/// drive ended: until the vehicle arrived, or was found immobilised, sunk, overturned, off
/// the terrain or failed; else until the end of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VehicleSummary {
    /// Name in the scenario.
    pub name: String,
    /// Vehicle model.
    pub model: String,
    /// How it ended.
    pub outcome: OutcomeReport,
    /// Time until the drive ended, s.
    pub driving_time: f64,
    /// Way of the chassis' origin in three dimensions, m, sliding and rocking included.
    pub distance: f64,
    /// `distance` over `driving_time`, m/s.
    pub mean_speed: f64,
    /// Speed made good, m/s: straight distance from where it was set down to its end over
    /// `driving_time`.
    pub speed_made_good: f64,
    /// Speed at the end of the run, m/s; 0 if its drive had ended before, for it stays where it is.
    pub final_speed: f64,
    /// Mean slip of the wheels over the time under throttle.
    pub mean_slip: f64,
    /// Peak of the wheels' mean slip (held for 0.1 s).
    pub peak_slip: f64,
    /// Mean sinkage of the wheels, m.
    pub mean_sinkage: f64,
    /// Deepest sinkage of any wheel, m.
    pub max_sinkage: f64,
    /// Tyres that give way, if it has such.
    pub tyres: Option<TyreSummary>,
    /// Mean motion resistance of the soil, N: work that sank it for good while the vehicle
    /// rolled (faster than 0.2 m/s), over the way rolled. Absent below 2 m of such way.
    pub motion_resistance: Option<f64>,
    /// Time integral of the throttle, s: the fuel of the MAVS swarm study.
    pub throttle_time: f64,
    /// Energy that the driveline put into wheels or sprockets, J: its positive work alone.
    pub drive_energy: f64,
    /// Energy that brakes and the turned engine took from them, J, positive.
    pub braking_energy: f64,
    /// Energy that sank yielding soil for good, and sheared it, J: without what its damping took,
    /// and what was pushed ahead or aside.
    pub soil_energy: f64,
    /// Fuel burned, kg, if the vehicle's engine says how much it burns.
    pub fuel: Option<f64>,
}

/// Tyres that give way, all of them together: rigid ones beside them do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TyreSummary {
    /// Mean inflation at the end, Pa.
    pub inflation: f64,
    /// Mean deflection, m.
    pub deflection: f64,
    /// Mean length of contact, m.
    pub contact_length: f64,
}
