//! Metrics of a run that a study can record.

use super::response::ResponseValue;
use bekker_agent::{OutcomeCode, VehicleSummary};
use bekker_world::RunSummary;

/// Metrics of the whole run instead of one vehicle.
const OF_THE_RUN: [RunMetric; 8] = [
    RunMetric::PassesUntilStuck,
    RunMetric::Completed,
    RunMetric::TimeToComplete,
    RunMetric::CumulativeThrottle,
    RunMetric::TotalFuel,
    RunMetric::Detected,
    RunMetric::Explored,
    RunMetric::MapBytes,
];

/// A metric of a vehicle, or of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMetric {
    /// 1 if the vehicle arrived, else 0.
    Go,
    /// Distance traveled over the ground, m.
    Distance,
    /// Speed made good, m/s.
    SpeedMadeGood,
    /// Mean slip under throttle.
    MeanSlip,
    /// Greatest sinkage, m.
    MaxSinkage,
    /// Energy delivered to wheels or sprockets, J.
    DriveEnergy,
    /// Fuel, kg, if the engine has a consumption model.
    Fuel,
    /// Time until the drive ended, s.
    DrivingTime,
    /// Outcome code.
    Outcome,
    /// Share of the copies with perturbed soil strength in which the outcome code differs.
    Sensitive,
    /// Number of collisions that ended.
    Collisions,
    /// Number of gear shifts.
    GearShifts,
    /// Absorbed power of the vertical motion at the chassis origin during the drive, W
    /// ([`absorbed_power`](bekker_mobility::absorbed_power)).
    AbsorbedPower,
    /// Convoy: position, from 1, of the first vehicle that got stuck; absent if none did.
    PassesUntilStuck,
    /// Run: 1 if all vehicles arrived, else 0.
    Completed,
    /// Run: time at which the last autonomous vehicle arrived, s, if all did.
    TimeToComplete,
    /// Run: time integral of the throttle of all vehicles, s.
    CumulativeThrottle,
    /// Run: fuel of all vehicles, kg, if all engines have a consumption model.
    TotalFuel,
    /// Run: fraction of the terrain's holes detected by autonomous vehicles.
    Detected,
    /// Run: fraction of the terrain explored by autonomous vehicles.
    Explored,
    /// Run: bytes of maps sent by autonomous vehicles.
    MapBytes,
}

impl RunMetric {
    /// All metrics.
    pub const ALL: [RunMetric; 21] = [
        RunMetric::Go,
        RunMetric::Distance,
        RunMetric::SpeedMadeGood,
        RunMetric::MeanSlip,
        RunMetric::MaxSinkage,
        RunMetric::DriveEnergy,
        RunMetric::Fuel,
        RunMetric::DrivingTime,
        RunMetric::Outcome,
        RunMetric::Sensitive,
        RunMetric::Collisions,
        RunMetric::GearShifts,
        RunMetric::AbsorbedPower,
        RunMetric::PassesUntilStuck,
        RunMetric::Completed,
        RunMetric::TimeToComplete,
        RunMetric::CumulativeThrottle,
        RunMetric::TotalFuel,
        RunMetric::Detected,
        RunMetric::Explored,
        RunMetric::MapBytes,
    ];

    /// Returns the metric of a response, such as `tail.go`; `None` for states and events.
    pub fn from_response(response: &str) -> Option<RunMetric> {
        let name = response.rsplit('.').next()?;
        RunMetric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Returns whether the metric accumulates over the drive, so that an early end reduces it.
    pub fn is_total(self) -> bool {
        matches!(
            self,
            RunMetric::DriveEnergy
                | RunMetric::Fuel
                | RunMetric::DrivingTime
                | RunMetric::TimeToComplete
                | RunMetric::CumulativeThrottle
                | RunMetric::TotalFuel
        )
    }

    /// Returns the response that states whether the drive of a total arrived.
    ///
    /// It is `tail.go` for `tail.fuel`, and `completed` for a total of the whole run. `None` if the
    /// response is not a total.
    pub fn arrival_response(response: &str) -> Option<String> {
        let metric = RunMetric::from_response(response).filter(|own| own.is_total())?;
        let arrival = if metric.is_run_wide() { RunMetric::Completed } else { RunMetric::Go };
        let vehicle = response.strip_suffix(metric.name())?;
        Some(format!("{vehicle}{}", arrival.name()))
    }

    /// Returns whether the metric is 1 or 0 for yes or no.
    pub fn is_yes_or_no(self) -> bool {
        matches!(self, RunMetric::Go | RunMetric::Completed)
    }

    /// Returns whether the metric has a mean.
    ///
    /// Words have none, and a mean of passes would exclude runs in which all vehicles passed.
    pub fn has_mean(self) -> bool {
        !matches!(self, RunMetric::Outcome | RunMetric::PassesUntilStuck)
    }

    /// Returns the name in a study.
    pub fn name(self) -> &'static str {
        match self {
            RunMetric::Go => "go",
            RunMetric::Distance => "distance",
            RunMetric::SpeedMadeGood => "speed_made_good",
            RunMetric::MeanSlip => "mean_slip",
            RunMetric::MaxSinkage => "max_sinkage",
            RunMetric::DriveEnergy => "drive_energy",
            RunMetric::Fuel => "fuel",
            RunMetric::DrivingTime => "driving_time",
            RunMetric::Outcome => "outcome",
            RunMetric::Sensitive => "sensitive",
            RunMetric::Collisions => "collisions",
            RunMetric::GearShifts => "gear_shifts",
            RunMetric::AbsorbedPower => "absorbed_power",
            RunMetric::PassesUntilStuck => "passes_until_stuck",
            RunMetric::Completed => "completed",
            RunMetric::TimeToComplete => "time_to_complete",
            RunMetric::CumulativeThrottle => "cumulative_throttle",
            RunMetric::TotalFuel => "total_fuel",
            RunMetric::Detected => "detected",
            RunMetric::Explored => "explored",
            RunMetric::MapBytes => "map_bytes",
        }
    }

    /// Returns the unit; empty if dimensionless.
    pub fn unit(self) -> &'static str {
        match self {
            RunMetric::Go
            | RunMetric::MeanSlip
            | RunMetric::Outcome
            | RunMetric::Sensitive
            | RunMetric::Collisions
            | RunMetric::GearShifts
            | RunMetric::PassesUntilStuck
            | RunMetric::Completed
            | RunMetric::Detected
            | RunMetric::Explored => "",
            RunMetric::MapBytes => "B",
            RunMetric::Distance | RunMetric::MaxSinkage => "m",
            RunMetric::SpeedMadeGood => "m/s",
            RunMetric::DriveEnergy => "J",
            RunMetric::Fuel | RunMetric::TotalFuel => "kg",
            RunMetric::DrivingTime | RunMetric::TimeToComplete | RunMetric::CumulativeThrottle => {
                "s"
            }
            RunMetric::AbsorbedPower => "W",
        }
    }

    /// Returns whether the metric belongs to a team instead of a drive.
    pub fn is_team_metric(self) -> bool {
        matches!(self, RunMetric::Detected | RunMetric::Explored | RunMetric::MapBytes)
    }

    /// Returns whether the metric belongs to the whole run instead of one vehicle.
    pub fn is_run_wide(self) -> bool {
        OF_THE_RUN.contains(&self)
    }

    /// Returns whether the metric requires observation during the run.
    pub(super) fn needs_observation(self) -> bool {
        matches!(self, RunMetric::Collisions | RunMetric::GearShifts | RunMetric::AbsorbedPower)
    }

    /// Returns the value from the run's summary; absent if the summary lacks it.
    pub(super) fn value(self, run: &RunSummary, vehicle: usize) -> ResponseValue {
        if self.is_run_wide() {
            return self.run_value(run).map_or(ResponseValue::Absent, ResponseValue::Number);
        }
        run.vehicles.get(vehicle).map_or(ResponseValue::Absent, |own| self.vehicle_value(own))
    }

    fn run_value(self, run: &RunSummary) -> Option<f64> {
        let vehicles = || run.vehicles.iter();
        let found = run.exploration.as_ref();
        match self {
            RunMetric::PassesUntilStuck => {
                let stuck = |own: &VehicleSummary| {
                    matches!(own.outcome.code, OutcomeCode::Immobilized | OutcomeCode::Sunk)
                };
                vehicles().position(stuck).map(|place| (place + 1) as f64)
            }
            RunMetric::Completed => {
                let all = vehicles().all(|own| own.outcome.code == OutcomeCode::Arrived);
                Some(f64::from(u8::from(all)))
            }
            RunMetric::CumulativeThrottle => Some(vehicles().map(|own| own.throttle_time).sum()),
            RunMetric::TotalFuel => vehicles().map(|own| own.fuel).sum(),
            RunMetric::TimeToComplete => found?.time_to_complete,
            RunMetric::Detected => {
                let found = found.filter(|found| found.holes > 0)?;
                Some(found.holes_detected as f64 / found.holes as f64)
            }
            RunMetric::Explored => found?.explored,
            RunMetric::MapBytes => found.map(|found| found.bytes[0] as f64),
            _ => None,
        }
    }

    fn vehicle_value(self, vehicle: &VehicleSummary) -> ResponseValue {
        let number = match self {
            RunMetric::Go => f64::from(u8::from(vehicle.outcome.code == OutcomeCode::Arrived)),
            RunMetric::Distance => vehicle.distance,
            RunMetric::SpeedMadeGood => vehicle.speed_made_good,
            RunMetric::MeanSlip => vehicle.mean_slip,
            RunMetric::MaxSinkage => vehicle.max_sinkage,
            RunMetric::DriveEnergy => vehicle.drive_energy,
            RunMetric::Fuel => {
                return vehicle.fuel.map_or(ResponseValue::Absent, ResponseValue::Number);
            }
            RunMetric::DrivingTime => vehicle.driving_time,
            RunMetric::Outcome => return ResponseValue::Word(code(vehicle.outcome.code)),
            // observed during the run, of its copies, or a metric of the run
            _ => return ResponseValue::Absent,
        };
        ResponseValue::Number(number)
    }
}

/// Returns the outcome code as in `summary.json`.
fn code(code: OutcomeCode) -> String {
    let json = serde_json::to_value(code).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}
