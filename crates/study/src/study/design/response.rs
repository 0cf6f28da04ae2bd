//! What is taken down of a trial.

use crate::simulation::{OutcomeCode, RunSummary, VehicleSummary};

/// A figure of a vehicle's summary ([`VehicleSummary`]).
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
}

impl Figure {
    /// All of them.
    pub const ALL: [Figure; 9] = [
        Figure::Go,
        Figure::Distance,
        Figure::SpeedMadeGood,
        Figure::MeanSlip,
        Figure::MaxSinkage,
        Figure::DriveEnergy,
        Figure::Fuel,
        Figure::DrivingTime,
        Figure::Outcome,
    ];

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
        }
    }

    /// Its unit; empty of what has none.
    pub fn unit(self) -> &'static str {
        match self {
            Figure::Go | Figure::MeanSlip | Figure::Outcome => "",
            Figure::Distance | Figure::MaxSinkage => "m",
            Figure::SpeedMadeGood => "m/s",
            Figure::DriveEnergy => "J",
            Figure::Fuel => "kg",
            Figure::DrivingTime => "s",
        }
    }

    /// Its value.
    pub fn of(self, vehicle: &VehicleSummary) -> Value {
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
        };
        Value::Number(number)
    }
}

/// The word of `summary.json`.
fn code(code: OutcomeCode) -> String {
    let json = serde_json::to_value(code).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}

/// What a figure came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
    /// The vehicle has no such figure.
    Absent,
}

/// A figure of one of the vehicles.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Its name: the study's word for it.
    pub name: String,
    /// Index of the vehicle in the scenario.
    pub vehicle: usize,
    /// Of what.
    pub figure: Figure,
}

impl Response {
    /// Its value in a run.
    pub fn of(&self, run: &RunSummary) -> Value {
        run.vehicles.get(self.vehicle).map_or(Value::Absent, |vehicle| self.figure.of(vehicle))
    }
}
