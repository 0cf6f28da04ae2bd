//! Metrics of a run that a study can record.

use super::response::Value;
use bekker_agent::{OutcomeCode, VehicleSummary};
use bekker_world::RunSummary;

/// Metrics of the whole run instead of one vehicle.
const OF_THE_RUN: [Figure; 8] = [
    Figure::PassesUntilStuck,
    Figure::Completed,
    Figure::TimeToComplete,
    Figure::CumulativeThrottle,
    Figure::TotalFuel,
    Figure::Detected,
    Figure::Explored,
    Figure::MapBytes,
];

/// A metric of a vehicle, or of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
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

impl Figure {
    /// All metrics.
    pub const ALL: [Figure; 20] = [
        Figure::Go,
        Figure::Distance,
        Figure::SpeedMadeGood,
        Figure::MeanSlip,
        Figure::MaxSinkage,
        Figure::DriveEnergy,
        Figure::Fuel,
        Figure::DrivingTime,
        Figure::Outcome,
        Figure::Collisions,
        Figure::GearShifts,
        Figure::AbsorbedPower,
        Figure::PassesUntilStuck,
        Figure::Completed,
        Figure::TimeToComplete,
        Figure::CumulativeThrottle,
        Figure::TotalFuel,
        Figure::Detected,
        Figure::Explored,
        Figure::MapBytes,
    ];

    /// Returns the metric of a response, such as `tail.go`; `None` for states and events.
    pub fn of_response(response: &str) -> Option<Figure> {
        let name = response.rsplit('.').next()?;
        Figure::ALL.into_iter().find(|figure| figure.name() == name)
    }

    /// Returns whether the metric accumulates over the drive, so that an early end reduces it.
    pub fn is_total(self) -> bool {
        matches!(
            self,
            Figure::DriveEnergy
                | Figure::Fuel
                | Figure::DrivingTime
                | Figure::TimeToComplete
                | Figure::CumulativeThrottle
                | Figure::TotalFuel
        )
    }

    /// Returns the response that states whether the drive of a total arrived.
    ///
    /// It is `tail.go` for `tail.fuel`, and `completed` for a total of the whole run. `None` if the
    /// response is not a total.
    pub fn arrival_of(response: &str) -> Option<String> {
        let figure = Figure::of_response(response).filter(|own| own.is_total())?;
        let arrival = if figure.is_of_the_run() { Figure::Completed } else { Figure::Go };
        let vehicle = response.strip_suffix(figure.name())?;
        Some(format!("{vehicle}{}", arrival.name()))
    }

    /// Returns whether the metric is 1 or 0 for yes or no.
    pub fn is_yes_or_no(self) -> bool {
        matches!(self, Figure::Go | Figure::Completed)
    }

    /// Returns whether the metric has a mean.
    ///
    /// Words have none, and a mean of passes would exclude runs in which all vehicles passed.
    pub fn has_mean(self) -> bool {
        !matches!(self, Figure::Outcome | Figure::PassesUntilStuck)
    }

    /// Returns the name in a study.
    pub fn name(self) -> &'static str {
        match self {
            Figure::Go => "go",
            Figure::Distance => "distance",
            Figure::SpeedMadeGood => "speed_made_good",
            Figure::MeanSlip => "mean_slip",
            Figure::MaxSinkage => "max_sinkage",
            Figure::DriveEnergy => "drive_energy",
            Figure::Fuel => "fuel",
            Figure::DrivingTime => "driving_time",
            Figure::Outcome => "outcome",
            Figure::Collisions => "collisions",
            Figure::GearShifts => "gear_shifts",
            Figure::AbsorbedPower => "absorbed_power",
            Figure::PassesUntilStuck => "passes_until_stuck",
            Figure::Completed => "completed",
            Figure::TimeToComplete => "time_to_complete",
            Figure::CumulativeThrottle => "cumulative_throttle",
            Figure::TotalFuel => "total_fuel",
            Figure::Detected => "detected",
            Figure::Explored => "explored",
            Figure::MapBytes => "map_bytes",
        }
    }

    /// Returns the unit; empty if dimensionless.
    pub fn unit(self) -> &'static str {
        match self {
            Figure::Go
            | Figure::MeanSlip
            | Figure::Outcome
            | Figure::Collisions
            | Figure::GearShifts
            | Figure::PassesUntilStuck
            | Figure::Completed
            | Figure::Detected
            | Figure::Explored => "",
            Figure::MapBytes => "B",
            Figure::Distance | Figure::MaxSinkage => "m",
            Figure::SpeedMadeGood => "m/s",
            Figure::DriveEnergy => "J",
            Figure::Fuel | Figure::TotalFuel => "kg",
            Figure::DrivingTime | Figure::TimeToComplete | Figure::CumulativeThrottle => "s",
            Figure::AbsorbedPower => "W",
        }
    }

    /// Returns whether the metric belongs to a team instead of a drive.
    pub fn is_of_a_team(self) -> bool {
        matches!(self, Figure::Detected | Figure::Explored | Figure::MapBytes)
    }

    /// Returns whether the metric belongs to the whole run instead of one vehicle.
    pub fn is_of_the_run(self) -> bool {
        OF_THE_RUN.contains(&self)
    }

    /// Returns whether the metric requires observation during the run.
    pub(super) fn is_watched(self) -> bool {
        matches!(self, Figure::Collisions | Figure::GearShifts | Figure::AbsorbedPower)
    }

    /// Returns the value from the run's summary; absent if the summary lacks it.
    pub(super) fn of(self, run: &RunSummary, vehicle: usize) -> Value {
        if self.is_of_the_run() {
            return self.of_run(run).map_or(Value::Absent, Value::Number);
        }
        run.vehicles.get(vehicle).map_or(Value::Absent, |own| self.of_vehicle(own))
    }

    fn of_run(self, run: &RunSummary) -> Option<f64> {
        let vehicles = || run.vehicles.iter();
        let found = run.exploration.as_ref();
        match self {
            Figure::PassesUntilStuck => {
                let stuck = |own: &VehicleSummary| {
                    matches!(own.outcome.code, OutcomeCode::Immobilised | OutcomeCode::Sunk)
                };
                vehicles().position(stuck).map(|place| (place + 1) as f64)
            }
            Figure::Completed => {
                let all = vehicles().all(|own| own.outcome.code == OutcomeCode::Arrived);
                Some(f64::from(u8::from(all)))
            }
            Figure::CumulativeThrottle => Some(vehicles().map(|own| own.throttle_time).sum()),
            Figure::TotalFuel => vehicles().map(|own| own.fuel).sum(),
            Figure::TimeToComplete => found?.time_to_complete,
            Figure::Detected => {
                let found = found.filter(|found| found.holes > 0)?;
                Some(found.holes_detected as f64 / found.holes as f64)
            }
            Figure::Explored => found?.explored,
            Figure::MapBytes => found.map(|found| found.bytes[0] as f64),
            _ => None,
        }
    }

    fn of_vehicle(self, vehicle: &VehicleSummary) -> Value {
        let number = match self {
            Figure::Go => f64::from(u8::from(vehicle.outcome.code == OutcomeCode::Arrived)),
            Figure::Distance => vehicle.distance,
            Figure::SpeedMadeGood => vehicle.speed_made_good,
            Figure::MeanSlip => vehicle.mean_slip,
            Figure::MaxSinkage => vehicle.max_sinkage,
            Figure::DriveEnergy => vehicle.drive_energy,
            Figure::Fuel => return vehicle.fuel.map_or(Value::Absent, Value::Number),
            Figure::DrivingTime => vehicle.driving_time,
            Figure::Outcome => return Value::Word(code(vehicle.outcome.code)),
            // observed during the run, or a metric of the run
            _ => return Value::Absent,
        };
        Value::Number(number)
    }
}

/// Returns the outcome code as in `summary.json`.
fn code(code: OutcomeCode) -> String {
    let json = serde_json::to_value(code).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}
