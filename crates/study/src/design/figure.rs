//! Figures of a run that a study may take down.

use super::response::Value;
use bekker_agent::{OutcomeCode, VehicleSummary};
use bekker_world::RunSummary;

/// Figures of the whole run, not of one vehicle.
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

/// A figure of a vehicle, or of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// 1 if it arrived, else 0.
    Go,
    /// Way over the ground, m.
    Distance,
    /// Speed made good, m/s.
    SpeedMadeGood,
    /// Mean slip under throttle.
    MeanSlip,
    /// Deepest sinkage, m.
    MaxSinkage,
    /// Energy into wheels or sprockets, J.
    DriveEnergy,
    /// Fuel, kg, if its engine says how much it burns.
    Fuel,
    /// Time until its drive ended, s.
    DrivingTime,
    /// How it ended, as a code.
    Outcome,
    /// Collisions: hits that came to their end.
    Collisions,
    /// Shifts of gear.
    GearShifts,
    /// Power that a body at the chassis' origin absorbs of its vertical motion while the drive
    /// lasts, W ([`absorbed_power`](bekker_mobility::absorbed_power)).
    AbsorbedPower,
    /// Of the convoy: the place in it, from 1, of the first that got stuck; absent where none
    /// did.
    PassesUntilStuck,
    /// Of the run: 1 if all vehicles arrived, else 0.
    Completed,
    /// Of the run: time at which the last autonomous vehicle arrived, s, if all did.
    TimeToComplete,
    /// Of the run: time integral of the throttle of all vehicles, s.
    CumulativeThrottle,
    /// Of the run: fuel of all vehicles, kg, where all engines say how much they burn.
    TotalFuel,
    /// Of the run: share of the terrain's holes that autonomous vehicles have detected.
    Detected,
    /// Of the run: share of the terrain that they have explored.
    Explored,
    /// Of the run: bytes of maps that they have sent.
    MapBytes,
}

impl Figure {
    /// All of them.
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

    /// The figure that a response of a study is of, such as `tail.go`; none of states and events.
    pub fn of_response(response: &str) -> Option<Figure> {
        let name = response.rsplit('.').next()?;
        Figure::ALL.into_iter().find(|figure| figure.name() == name)
    }

    /// Whether it accumulates over the drive, so that an early end makes it smaller.
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

    /// The response that states whether the drive of a total arrived: `tail.go` for `tail.fuel`,
    /// `completed` for a total of the whole run; `None` if the response is not a total.
    pub fn arrival_of(response: &str) -> Option<String> {
        let figure = Figure::of_response(response).filter(|own| own.is_total())?;
        let arrival = if figure.is_of_the_run() { Figure::Completed } else { Figure::Go };
        let vehicle = response.strip_suffix(figure.name())?;
        Some(format!("{vehicle}{}", arrival.name()))
    }

    /// Whether it is 1 or 0 for yes or no.
    pub fn is_yes_or_no(self) -> bool {
        matches!(self, Figure::Go | Figure::Completed)
    }

    /// Whether it has a mean: words have none, and of passes it would leave out those that all
    /// passed.
    pub fn has_mean(self) -> bool {
        !matches!(self, Figure::Outcome | Figure::PassesUntilStuck)
    }

    /// Its name in a study.
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

    /// Its unit; empty of what has none.
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

    /// Whether it is of a team, not of any drive.
    pub fn is_of_a_team(self) -> bool {
        matches!(self, Figure::Detected | Figure::Explored | Figure::MapBytes)
    }

    /// Whether it is of the whole run, not of one vehicle.
    pub fn is_of_the_run(self) -> bool {
        OF_THE_RUN.contains(&self)
    }

    /// Whether it takes looks at the run on its way.
    pub(super) fn is_watched(self) -> bool {
        matches!(self, Figure::Collisions | Figure::GearShifts | Figure::AbsorbedPower)
    }

    /// Its value as the run's summary tells it; absent where it does not.
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
            // watched on the way, or of the run
            _ => return Value::Absent,
        };
        Value::Number(number)
    }
}

/// The word of `summary.json`.
fn code(code: OutcomeCode) -> String {
    let json = serde_json::to_value(code).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}
