//! Vehicles and wheels over time, as Parquet and CSV.
//!
//! A row is one vehicle at one time; rows are in the order of the samples. Parquet and CSV have the
//! same columns. Wheels are in the same row, axle by axle from the front and left before right, so
//! that one filter gives a vehicle's history:
//!
//! ```python
//! states = pandas.read_parquet("states.parquet")
//! leader = states[states.vehicle == 0].set_index("time_s")
//! leader[["speed_mps", "wheel0_sinkage_m"]].plot()
//! ```
//!
//! | column | content |
//! | --- | --- |
//! | `time_s` | simulated time |
//! | `vehicle`, `name` | index and name in the scenario |
//! | `x_m`, `y_m`, `z_m` | origin of the chassis frame in the world (east, north, up) |
//! | `qw`, `qx`, `qy`, `qz` | orientation of the chassis frame, body to world |
//! | `roll_rad`, `pitch_rad`, `yaw_rad` | the same as ISO 8855 angles |
//! | `vx_mps`, `vy_mps`, `vz_mps` | velocity of the chassis frame's origin, world axes |
//! | `wx_radps`, `wy_radps`, `wz_radps` | angular velocity, body axes |
//! | `speed_mps` | forward speed along the chassis x axis |
//! | `throttle`, `brake` | 0 to 1 |
//! | `steering` | -1 (full right) to +1 (full left) |
//! | `engine_speed_radps`, `gear` | 1 is first; 0 neutral, negative reverse |
//! | `wheelN_spin_radps` | positive when rolling forward |
//! | `wheelN_slip` | 1 - v/(ω r) when driving, ω r/v - 1 when braked, within ±1 |
//! | `wheelN_sinkage_m` | depth of the lowest point below the undisturbed ground, along its normal |
//! | `wheelN_load_n`, `wheelN_traction_n`, `wheelN_lateral_n` | force of the ground: up, along the wheel's heading, to its left |
//! | `wheelN_torque_nm` | driveline and brake torque, positive forward; for road wheels their share of the sprocket's, as transmitted by the track |
//! | `articulation_rad` | angle of an articulated frame, positive with the front turned to the left |
//! | `trailer_x_m`, `trailer_y_m`, `trailer_z_m` | the trailer's end of the coupling in the world, also when it is uncoupled |
//! | `trailer_articulation_rad`, `trailer_pitch_rad` | angles of the trailer relative to its vehicle: to the left, nose down |
//! | `hitch_x_n`, `hitch_y_n`, `hitch_z_n` | force of the trailer on the vehicle, along the chassis axes |
//! | `motor_left_current_a`, `motor_right_current_a` | currents of the electric motors of a side, positive for a forward torque |
//! | `wheelN_motor_current_a`, `wheelN_motor_energy_j` | the same of the motor of a wheel, and the energy that it drew from the battery |
//! | `battery_power_w`, `battery_charge` | power from their battery, and its state of charge, 0 to 1 |
//!
//! Columns of wheels, an articulated frame, a trailer or motors that a vehicle does not have are null
//! (empty in CSV). Those of frames, trailers and motors exist only if a vehicle has them.
//!
//! `[output] vehicles` and `columns` select rows and columns; time, index and name are always
//! present.

use super::ReportError;
use super::append_table::AppendTable;
use super::columns::{RecordColumn, RecordValues};
use bekker_agent::{MotorSample, Sample, TrailerSample, WheelMotorRecord, WheelSample};
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_scenario::config::{OutputConfig, QuantityConfig};
use bekker_vehicle::inflation::kilopascals;
use std::path::Path;

/// Stem of the files' names.
const STEM: &str = "states";

/// Writer of the tables of a run.
pub(super) struct StateWriter {
    table: Option<AppendTable>,
    names: Vec<String>,
    kept: Vec<SampleColumn>,
    /// Whether each vehicle is written.
    chosen: Vec<bool>,
}

/// Parts that samples have at most.
#[derive(Clone, Copy, Debug)]
pub struct SampleParts {
    /// Maximum number of wheels.
    pub wheels: usize,
    /// Whether there are articulated frames.
    pub articulated: bool,
    /// Whether there are trailers.
    pub trailers: bool,
    /// Whether electric motors drive a vehicle.
    pub motors: bool,
    /// Maximum number of motors for single wheels.
    pub wheel_motors: usize,
}

impl StateWriter {
    /// Begins the tables that the scenario requests, with columns for the `parts` of any sample.
    pub fn begin(
        folder: &Path,
        names: &[String],
        parts: SampleParts,
        output: &OutputConfig,
    ) -> Result<StateWriter, ReportError> {
        let mut states = StateWriter::new(names, parts, output);
        if !output.states.is_empty() {
            let columns = states.columns();
            states.table = Some(AppendTable::begin(folder, STEM, columns, &output.states)?);
        }
        Ok(states)
    }

    /// Continues the tables after a time, s, and passes the samples up to then to `publish`.
    ///
    /// These samples contain only the quantities that are in the table.
    pub fn resume(
        folder: &Path,
        names: &[String],
        parts: SampleParts,
        output: &OutputConfig,
        after: f64,
        show: &mut dyn FnMut(&Sample),
    ) -> Result<StateWriter, ReportError> {
        let mut states = StateWriter::new(names, parts, output);
        if !output.states.is_empty() {
            let (columns, kept) = (states.columns(), states.kept.clone());
            let mut rows = 0;
            let mut visit = |row: &csv::StringRecord| {
                rows += 1;
                show(&sample_of(&kept, row));
            };
            let formats = &output.states;
            let table = AppendTable::resume(folder, STEM, columns, formats, after, &mut visit)?;
            let vehicles = states.chosen.iter().filter(|chosen| **chosen).count();
            if rows % vehicles.max(1) != 0 {
                let reason = format!(
                    "cannot resume: it has {rows} rows up to {after} s, which is not a multiple of \
                     {vehicles} vehicles, so rows are missing; start the run again"
                );
                return Err(ReportError::Decode {
                    path: folder.join(format!("{STEM}.csv")),
                    reason,
                });
            }
            states.table = Some(table);
        }
        Ok(states)
    }

    fn new(names: &[String], parts: SampleParts, output: &OutputConfig) -> StateWriter {
        let SampleParts { wheels, articulated, trailers, motors, wheel_motors } = parts;
        let own = OWN.iter().copied().map(SampleColumn::Vehicle);
        let of_wheel = |wheel| OF_WHEEL.iter().map(move |of| SampleColumn::Wheel(wheel, *of));
        let of_trailer = OF_TRAILER.iter().filter(|_| trailers).copied().map(SampleColumn::Trailer);
        let of_motors = OF_MOTORS.iter().filter(|_| motors).copied().map(SampleColumn::Motors);
        let of_wheel_motor =
            |wheel| OF_WHEEL_MOTOR.iter().map(move |of| SampleColumn::WheelMotor(wheel, *of));
        let of_wheel_motors = (0..wheel_motors).flat_map(of_wheel_motor);
        let articulation = articulated.then_some(SampleColumn::Articulation);
        let wheels = (0..wheels).flat_map(of_wheel);
        let all = own.chain(wheels).chain(articulation).chain(of_trailer).chain(of_motors);
        let all = all.chain(of_wheel_motors);
        let wanted = |quantity: Option<QuantityConfig>| {
            let columns = output.columns.as_ref();
            quantity.is_none_or(|q| columns.is_none_or(|columns| columns.contains(&q)))
        };
        let kept = all.filter(|kept| wanted(kept.quantity())).collect();
        let vehicles = output.vehicles.as_ref();
        let chosen = names.iter().map(|name| vehicles.is_none_or(|all| all.contains(name)));
        let chosen = chosen.collect();
        StateWriter { table: None, names: names.to_vec(), kept, chosen }
    }

    fn columns(&self) -> Vec<RecordColumn> {
        let column =
            |kept: &SampleColumn| RecordColumn { name: kept.name(), values: kept.values() };
        self.kept.iter().map(column).collect()
    }

    /// Adds the samples of a moment.
    pub fn append(&mut self, samples: &[Sample]) -> Result<(), ReportError> {
        let StateWriter { table, names, kept, chosen } = self;
        let Some(table) = table else { return Ok(()) };
        for sample in samples {
            let Some(name) = names.get(sample.vehicle) else {
                let Sample { vehicle, time, .. } = *sample;
                return Err(ReportError::UnknownVehicle { vehicle, vehicles: names.len(), time });
            };
            if !chosen[sample.vehicle] {
                continue;
            }
            for (column, kept) in table.columns().iter_mut().zip(&*kept) {
                match (&mut column.values, kept) {
                    (
                        RecordValues::Real(to),
                        SampleColumn::Vehicle(VehicleColumn { of: ColumnValue::Real(of), .. }),
                    ) => {
                        to.push(of(sample));
                    }
                    (
                        RecordValues::Integer(to),
                        SampleColumn::Vehicle(VehicleColumn {
                            of: ColumnValue::Integer(of), ..
                        }),
                    ) => {
                        to.push(of(sample));
                    }
                    (RecordValues::OptionalReal(to), SampleColumn::Wheel(wheel, (_, _, of, _))) => {
                        to.push(sample.wheels.get(*wheel).map(of));
                    }
                    (RecordValues::OptionalReal(to), SampleColumn::Articulation) => {
                        to.push(sample.articulation);
                    }
                    (RecordValues::OptionalReal(to), SampleColumn::Trailer((_, of, _))) => {
                        to.push(sample.trailer.as_ref().map(of));
                    }
                    (RecordValues::OptionalReal(to), SampleColumn::Motors((_, of, _))) => {
                        to.push(sample.motors.as_ref().map(of));
                    }
                    (
                        RecordValues::OptionalReal(to),
                        SampleColumn::WheelMotor(wheel, (_, of, _)),
                    ) => {
                        let motors = sample.motors.as_ref();
                        to.push(motors.and_then(|own| own.wheels.get(*wheel)).map(of));
                    }
                    (RecordValues::Text(to), _) => to.push(name.clone()),
                    _ => {}
                }
            }
            table.end_row()?;
        }
        table.flush()
    }

    /// Completes the files and returns their names.
    pub fn finish(self) -> Result<Vec<String>, ReportError> {
        self.table.map_or(Ok(Vec::new()), AppendTable::finish)
    }
}

/// A column of the table.
#[derive(Clone, Copy)]
enum SampleColumn {
    Vehicle(VehicleColumn),
    Wheel(usize, WheelColumn),
    Articulation,
    Trailer(TrailerColumn),
    Motors(MotorColumn),
    WheelMotor(usize, WheelMotorColumn),
}

impl SampleColumn {
    fn quantity(&self) -> Option<QuantityConfig> {
        match self {
            SampleColumn::Vehicle(own) => own.quantity,
            SampleColumn::Wheel(_, (quantity, ..)) => Some(*quantity),
            SampleColumn::Articulation => Some(QuantityConfig::Steering),
            SampleColumn::Trailer(_) => Some(QuantityConfig::Trailer),
            SampleColumn::Motors(_) | SampleColumn::WheelMotor(..) => Some(QuantityConfig::Motors),
        }
    }

    fn name(&self) -> String {
        match self {
            SampleColumn::Vehicle(own) => own.name.to_owned(),
            SampleColumn::Wheel(wheel, (_, name, ..))
            | SampleColumn::WheelMotor(wheel, (name, ..)) => {
                format!("wheel{wheel}_{name}")
            }
            SampleColumn::Articulation => ARTICULATION.0.to_owned(),
            SampleColumn::Trailer((name, ..)) | SampleColumn::Motors((name, ..)) => {
                (*name).to_owned()
            }
        }
    }

    fn values(&self) -> RecordValues {
        match self {
            SampleColumn::Vehicle(VehicleColumn { of: ColumnValue::Real(_), .. }) => {
                RecordValues::Real(Vec::new())
            }
            SampleColumn::Vehicle(VehicleColumn { of: ColumnValue::Integer(_), .. }) => {
                RecordValues::Integer(Vec::new())
            }
            SampleColumn::Vehicle(VehicleColumn { of: ColumnValue::Name, .. }) => {
                RecordValues::Text(Vec::new())
            }
            SampleColumn::Wheel(..)
            | SampleColumn::Articulation
            | SampleColumn::Trailer(_)
            | SampleColumn::Motors(_)
            | SampleColumn::WheelMotor(..) => RecordValues::OptionalReal(Vec::new()),
        }
    }
}

/// A column of a vehicle.
#[derive(Clone, Copy)]
struct VehicleColumn {
    name: &'static str,
    /// QuantityConfig that selects the column; none if it is always present.
    quantity: Option<QuantityConfig>,
    of: ColumnValue,
    what: &'static str,
}

#[derive(Clone, Copy)]
enum ColumnValue {
    Real(fn(&Sample) -> f64),
    Integer(fn(&Sample) -> i32),
    Name,
}

const fn real(
    name: &'static str,
    quantity: QuantityConfig,
    of: fn(&Sample) -> f64,
    what: &'static str,
) -> VehicleColumn {
    VehicleColumn { name, quantity: Some(quantity), of: ColumnValue::Real(of), what }
}

static OWN: [VehicleColumn; 25] = {
    use QuantityConfig::{
        Angles, AngularVelocity, Brake, EngineSpeed, Gear, Orientation, Position, Speed, Steering,
        Throttle, Velocity,
    };
    let quantity = None;
    [
        VehicleColumn {
            name: "time_s",
            quantity,
            of: ColumnValue::Real(|s| s.time),
            what: "simulated time, s",
        },
        VehicleColumn {
            name: "vehicle",
            quantity,
            of: ColumnValue::Integer(|s| s.vehicle as i32),
            what: "index of the vehicle in the scenario, from 0",
        },
        VehicleColumn {
            name: "name",
            quantity,
            of: ColumnValue::Name,
            what: "name of the vehicle in the scenario",
        },
        real("x_m", Position, |s| s.pose.position.x, "origin of the chassis frame, east, m"),
        real("y_m", Position, |s| s.pose.position.y, "the same, north, m"),
        real("z_m", Position, |s| s.pose.position.z, "the same, up, m"),
        real("qw", Orientation, |s| s.pose.orientation.w, "orientation, body to world: quaternion"),
        real("qx", Orientation, |s| s.pose.orientation.i, "the same, x"),
        real("qy", Orientation, |s| s.pose.orientation.j, "the same, y"),
        real("qz", Orientation, |s| s.pose.orientation.k, "the same, z"),
        real("roll_rad", Angles, |s| s.pose.roll(), "roll by ISO 8855, rad"),
        real("pitch_rad", Angles, |s| s.pose.pitch(), "pitch by ISO 8855, rad"),
        real("yaw_rad", Angles, |s| s.pose.yaw(), "yaw by ISO 8855, rad"),
        real("vx_mps", Velocity, |s| s.velocity.x, "velocity of that origin, east, m/s"),
        real("vy_mps", Velocity, |s| s.velocity.y, "the same, north, m/s"),
        real("vz_mps", Velocity, |s| s.velocity.z, "the same, up, m/s"),
        real("wx_radps", AngularVelocity, |s| s.angular_velocity.x, "roll rate, body axes, rad/s"),
        real("wy_radps", AngularVelocity, |s| s.angular_velocity.y, "pitch rate, rad/s"),
        real("wz_radps", AngularVelocity, |s| s.angular_velocity.z, "yaw rate, rad/s"),
        real("speed_mps", Speed, |s| s.speed, "forward speed along the chassis x axis, m/s"),
        real("throttle", Throttle, |s| s.controls.throttle, "throttle, 0 to 1"),
        real(
            "steering",
            Steering,
            |s| s.controls.steering,
            "steering, -1 full right to 1 full left",
        ),
        real("brake", Brake, |s| s.controls.brake, "brake, 0 to 1"),
        real("engine_speed_radps", EngineSpeed, |s| s.engine_speed, "engine speed, rad/s"),
        VehicleColumn {
            name: "gear",
            quantity: Some(Gear),
            of: ColumnValue::Integer(|s| s.gear),
            what: "gear: 1 is first, 0 neutral, negative reverse",
        },
    ]
};

/// A column of each wheel: the quantity that selects it, its name, value and description.
type WheelColumn = (QuantityConfig, &'static str, fn(&WheelSample) -> f64, &'static str);

static OF_WHEEL: [WheelColumn; 10] = [
    (
        QuantityConfig::WheelSpin,
        "spin_radps",
        |w| w.spin,
        "spin, rad/s, positive when rolling forward",
    ),
    (
        QuantityConfig::WheelSlip,
        "slip",
        |w| w.slip,
        "slip, -1 to 1: 1 - v/(omega r) when driving, omega r/v - 1 when braking",
    ),
    (
        QuantityConfig::WheelSinkage,
        "sinkage_m",
        |w| w.sinkage,
        "depth of the lowest point below the undisturbed ground, m",
    ),
    (QuantityConfig::WheelLoad, "load_n", |w| w.load, "force of the ground on the wheel, up, N"),
    (
        QuantityConfig::WheelTraction,
        "traction_n",
        |w| w.traction,
        "the same along the wheel's heading, N",
    ),
    (QuantityConfig::WheelLateral, "lateral_n", |w| w.lateral, "the same to its left, N"),
    (
        QuantityConfig::WheelTorque,
        "torque_nm",
        |w| w.torque,
        "torque of driveline and brake, N m; for a road wheel, its share of the sprocket torque",
    ),
    (
        QuantityConfig::TireInflation,
        "inflation_kpa",
        |w| kilopascals(w.inflation),
        "tire inflation, kPa; this and the next two are 0 for rigid tires and road wheels",
    ),
    (QuantityConfig::TireDeflection, "deflection_m", |w| w.deflection, "tire deflection, m"),
    (
        QuantityConfig::TireContact,
        "contact_length_m",
        |w| w.contact_length,
        "contact length of the tire, m",
    ),
];

/// Name and description of the column of articulated frames.
const ARTICULATION: (&str, &str) = (
    "articulation_rad",
    "angle of an articulated frame, positive with the front turned to the left of the rear, rad",
);

/// A column of a trailer: its name, value and description.
type TrailerColumn = (&'static str, fn(&TrailerSample) -> f64, &'static str);

static OF_TRAILER: [TrailerColumn; 8] = [
    ("trailer_x_m", |t| t.position.x, "trailer side of the coupling in the world, east, m"),
    ("trailer_y_m", |t| t.position.y, "the same, north, m"),
    ("trailer_z_m", |t| t.position.z, "the same, up, m"),
    (
        "trailer_articulation_rad",
        |t| t.articulation,
        "yaw of the trailer relative to its vehicle, positive to the left, rad",
    ),
    (
        "trailer_pitch_rad",
        |t| t.pitch,
        "pitch of the trailer relative to its vehicle, positive nose down, rad",
    ),
    ("hitch_x_n", |t| t.hitch_force.x, "force of the trailer on the vehicle, chassis axes, x, N"),
    ("hitch_y_n", |t| t.hitch_force.y, "the same, y, N"),
    ("hitch_z_n", |t| t.hitch_force.z, "the same, z, N"),
];

/// A column of electric motors: its name, value and description.
type MotorColumn = (&'static str, fn(&MotorSample) -> f64, &'static str);

static OF_MOTORS: [MotorColumn; 4] = [
    (
        "motor_left_current_a",
        |m| m.currents[0],
        "current of the left motors, positive for a forward torque, A",
    ),
    ("motor_right_current_a", |m| m.currents[1], "the same of the right motors, A"),
    (
        "battery_power_w",
        |m| m.battery_power,
        "power from the battery, negative while the motors charge it, W",
    ),
    ("battery_charge", |m| m.battery_charge, "state of charge, 1 full at the start, 0 empty"),
];

/// A column of the motor of a wheel: its name, value and description.
type WheelMotorColumn = (&'static str, fn(&WheelMotorRecord) -> f64, &'static str);

static OF_WHEEL_MOTOR: [WheelMotorColumn; 2] = [
    ("motor_current_a", |m| m.current, "current of the wheel's own motor, A"),
    ("motor_energy_j", |m| m.energy, "energy that it drew from the battery, J"),
];

/// Returns every column with its description; N stands for the number of a wheel.
pub fn described() -> Vec<(String, &'static str)> {
    let own = OWN.iter().map(|own| (own.name.to_owned(), own.what));
    let of_trailer = OF_TRAILER.iter().map(|(name, _, what)| ((*name).to_owned(), *what));
    let (name, what) = ARTICULATION;
    own.chain(OF_WHEEL.iter().map(|(_, name, _, what)| (format!("wheelN_{name}"), *what)))
        .chain(std::iter::once((name.to_owned(), what)))
        .chain(of_trailer)
        .chain(OF_MOTORS.iter().map(|(name, _, what)| ((*name).to_owned(), *what)))
        .chain(OF_WHEEL_MOTOR.iter().map(|(name, _, what)| (format!("wheelN_{name}"), *what)))
        .collect()
}

/// Reads a sample from a row of the CSV; quantities without a column are zero.
fn sample_of(kept: &[SampleColumn], row: &csv::StringRecord) -> Sample {
    let word = |name: &str| {
        let column = kept.iter().position(|kept| kept.name() == name);
        column.and_then(|column| row.get(column))
    };
    let real = |name: &str| word(name).and_then(|word| word.parse().ok()).unwrap_or(0.0);
    let vector = |names: [&str; 3]| Vec3::from(names.map(real));
    let wheels = (0..).map_while(|wheel| {
        let found =
            kept.iter().any(|kept| matches!(kept, SampleColumn::Wheel(w, _) if *w == wheel));
        let of = |name: &str| word(&format!("wheel{wheel}_{name}"));
        let there = OF_WHEEL.iter().any(|(_, name, ..)| of(name).is_some_and(|w| !w.is_empty()));
        let value = |name: &str| real(&format!("wheel{wheel}_{name}"));
        (found && there).then(|| WheelSample {
            spin: value("spin_radps"),
            slip: value("slip"),
            sinkage: value("sinkage_m"),
            load: value("load_n"),
            traction: value("traction_n"),
            lateral: value("lateral_n"),
            torque: value("torque_nm"),
            inflation: 1e3 * value("inflation_kpa"),
            deflection: value("deflection_m"),
            contact_length: value("contact_length_m"),
            ..WheelSample::default()
        })
    });
    let trailer = word("trailer_articulation_rad").filter(|word| !word.is_empty());
    let trailer = trailer.map(|_| TrailerSample {
        position: vector(["trailer_x_m", "trailer_y_m", "trailer_z_m"]),
        articulation: real("trailer_articulation_rad"),
        pitch: real("trailer_pitch_rad"),
        hitch_force: vector(["hitch_x_n", "hitch_y_n", "hitch_z_n"]),
    });
    let motors = word("battery_charge").filter(|word| !word.is_empty());
    let motors = motors.map(|_| MotorSample {
        currents: ["motor_left_current_a", "motor_right_current_a"].map(real),
        battery_power: real("battery_power_w"),
        battery_charge: real("battery_charge"),
        wheels: (0..)
            .map_while(|wheel| {
                let of = |name: &str| word(&format!("wheel{wheel}_{name}"))?.parse().ok();
                Some(WheelMotorRecord {
                    current: of("motor_current_a")?,
                    energy: of("motor_energy_j")?,
                })
            })
            .collect(),
    });
    let [w, x, y, z] = ["qw", "qx", "qy", "qz"].map(real);
    Sample {
        time: real("time_s"),
        vehicle: real("vehicle") as usize,
        pose: Pose {
            position: vector(["x_m", "y_m", "z_m"]),
            orientation: Quat::new_unchecked(nalgebra::Quaternion::new(w, x, y, z)),
        },
        velocity: vector(["vx_mps", "vy_mps", "vz_mps"]),
        angular_velocity: vector(["wx_radps", "wy_radps", "wz_radps"]),
        speed: real("speed_mps"),
        controls: bekker_vehicle::Controls {
            throttle: real("throttle"),
            steering: real("steering"),
            brake: real("brake"),
            // not in the table, unlike the gear
            gear: bekker_vehicle::Selector::default(),
            inflation: None,
            locks: bekker_vehicle::Locks::OPEN,
            uncouple: false,
        },
        engine_speed: real("engine_speed_radps"),
        gear: real("gear") as i32,
        wheels: wheels.collect(),
        articulation: word(ARTICULATION.0).and_then(|word| word.parse().ok()),
        trailer,
        motors,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::spatial::{Pose, Quat, Vec3};
    use bekker_vehicle::Controls;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    use std::process::Command;

    fn sample(time: f64, vehicle: usize, wheels: usize) -> Sample {
        let wheel = |n: usize| WheelSample {
            spin: 10.0 + n as f64,
            slip: 0.1 * time,
            sinkage: 0.05,
            load: 8000.0,
            traction: 900.0 / 7.0,
            lateral: -12.5,
            torque: 400.0,
            area: 0.05,
            inflation: 2e5,
            deflection: 0.03,
            contact_length: 0.2,
        };
        Sample {
            time,
            vehicle,
            pose: Pose {
                position: Vec3::new(time * 5.0, 1.0 / 3.0, -0.25),
                orientation: Quat::from_euler_angles(0.1, -0.2, 1.5),
            },
            velocity: Vec3::new(5.0, 0.0, 0.1),
            angular_velocity: Vec3::new(0.0, 0.01, 0.2),
            speed: 5.0,
            controls: Controls {
                throttle: 0.5,
                steering: -0.25,
                brake: 0.0,
                ..Controls::default()
            },
            engine_speed: 200.0,
            gear: 2,
            wheels: (0..wheels).map(wheel).collect(),
            trailer: None,
            articulation: None,
            motors: None,
        }
    }

    fn samples() -> Vec<Sample> {
        (0..20)
            .flat_map(|n| [sample(0.1 * f64::from(n), 0, 4), sample(0.1 * f64::from(n), 1, 2)])
            .collect()
    }

    const NAMES: [&str; 2] = ["leader", "Nachzügler, \"der zweite\""];

    fn names() -> Vec<String> {
        NAMES.map(str::to_owned).to_vec()
    }

    const WHEELED: SampleParts = SampleParts {
        wheels: 4,
        articulated: false,
        trailers: false,
        motors: false,
        wheel_motors: 0,
    };

    /// Writes a complete table of samples into a folder.
    fn write(folder: &Path, samples: &[Sample]) {
        let wheels = samples.iter().map(|sample| sample.wheels.len()).max().unwrap_or(0);
        let mut states = StateWriter::begin(
            folder,
            &names(),
            SampleParts { wheels, ..WHEELED },
            &OutputConfig::default(),
        )
        .unwrap();
        samples.chunks(2).for_each(|now| states.append(now).unwrap());
        assert_eq!(states.finish().unwrap(), ["states.parquet", "states.csv"]);
    }

    /// A table interrupted anywhere, even within a line, has the same bytes after it is resumed.
    #[test]
    fn a_truncated_table_is_continued_to_the_same_bytes() {
        let [whole, cut] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let samples: Vec<Sample> = (0..1500)
            .flat_map(|n| [sample(0.1 * f64::from(n), 0, 4), sample(0.1 * f64::from(n), 1, 2)])
            .collect();
        write(whole.path(), &samples);
        let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).unwrap();
        for until in [0_usize, 2, 1022, 1024, 2900] {
            let mut states =
                StateWriter::begin(cut.path(), &names(), WHEELED, &OutputConfig::default())
                    .unwrap();
            samples[..until + 40].chunks(2).for_each(|now| states.append(now).unwrap());
            // killed: nothing is finished, and Parquet holds the rows of its last update
            states.table.as_mut().unwrap().publish().unwrap();
            let parquet = cut.path().join("states.parquet");
            let reader = SerializedFileReader::try_from(parquet.as_path()).unwrap();
            let rows = reader.metadata().file_metadata().num_rows() as usize;
            assert_eq!(rows, until + 40);
            let last = reader.get_row_iter(None).unwrap().last().unwrap().unwrap();
            assert_eq!(last.get_double(0).unwrap(), samples[until + 39].time);
            let path = cut.path().join("states.csv");
            let torn = [read(cut.path(), "states.csv"), b"123.4,1,lea".to_vec()].concat();
            std::fs::write(&path, torn).unwrap();
            let after = samples[until].time;
            let output = OutputConfig::default();
            let mut before = Vec::new();
            let mut states =
                StateWriter::resume(cut.path(), &names(), WHEELED, &output, after, &mut |sample| {
                    before.push(sample.clone());
                })
                .unwrap();
            let first = samples.iter().position(|sample| sample.time > after).unwrap();
            assert_eq!(before.len(), first);
            assert_eq!(before[until].wheels[0].traction, samples[until].wheels[0].traction);
            assert_eq!(before[until].pose, samples[until].pose);
            samples[first..].chunks(2).for_each(|now| states.append(now).unwrap());
            states.finish().unwrap();
            for name in ["states.csv", "states.parquet"] {
                assert!(read(whole.path(), name) == read(cut.path(), name), "{name}, {until}");
            }
        }
    }

    /// The position of a trailer is in its row, even when it is uncoupled, and is read from it
    /// again.
    #[test]
    fn a_trailer_has_position_columns() {
        let folder = tempfile::tempdir().unwrap();
        let trailer = TrailerSample {
            position: Vec3::new(-30.25, 6.5, 0.75),
            articulation: 0.5,
            pitch: -0.125,
            hitch_force: Vec3::new(1.5, -2.5, 3.5),
        };
        let rows = [Sample { trailer: Some(trailer), ..sample(0.5, 0, 4) }, sample(0.5, 1, 2)];
        let output = OutputConfig::default();
        let parts = SampleParts { trailers: true, ..WHEELED };
        let mut states = StateWriter::begin(folder.path(), &names(), parts, &output).unwrap();
        states.append(&rows).unwrap();
        states.finish().unwrap();
        let mut read = Vec::new();
        let mut show = |sample: &Sample| read.push(sample.trailer);
        StateWriter::resume(folder.path(), &names(), parts, &output, 1.0, &mut show).unwrap();
        assert_eq!(read, [Some(trailer), None]);
    }

    /// A complete table that exists only as Parquet can be resumed.
    #[test]
    fn a_parquet_only_table_is_continued() {
        let [whole, cut] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let samples: Vec<Sample> = samples();
        let output = OutputConfig {
            states: vec![bekker_scenario::config::StateFormat::Parquet],
            ..OutputConfig::default()
        };
        for (folder, count) in [(&whole, 40), (&cut, 30)] {
            let mut states = StateWriter::begin(folder.path(), &names(), WHEELED, &output).unwrap();
            samples[..count].chunks(2).for_each(|now| states.append(now).unwrap());
            assert_eq!(states.finish().unwrap(), ["states.parquet"]);
        }
        let (mut before, after) = (0, samples[20].time);
        let mut states =
            StateWriter::resume(cut.path(), &names(), WHEELED, &output, after, &mut |_| {
                before += 1
            })
            .unwrap();
        assert_eq!(before, 22);
        samples[22..].chunks(2).for_each(|now| states.append(now).unwrap());
        states.finish().unwrap();
        let read = |folder: &Path| std::fs::read(folder.join("states.parquet")).unwrap();
        assert!(read(whole.path()) == read(cut.path()));
        assert_eq!(std::fs::read_dir(cut.path()).unwrap().count(), 1);
    }

    #[test]
    fn parquet_comes_back_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("states.parquet");
        let samples = samples();
        write(folder.path(), &samples);
        let reader = SerializedFileReader::try_from(path.as_path()).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr();
        let column = |name: &str| {
            schema
                .columns()
                .iter()
                .position(|c| c.name() == name)
                .unwrap_or_else(|| panic!("{name}"))
        };
        assert_eq!(schema.num_columns(), 25 + 4 * 10);
        let mut rows = 0;
        for (row, sample) in reader.get_row_iter(None).unwrap().zip(&samples) {
            let row = row.unwrap();
            let real = |name: &str| row.get_double(column(name)).unwrap().to_bits();
            assert_eq!(real("time_s"), sample.time.to_bits());
            assert_eq!(real("y_m"), sample.pose.position.y.to_bits());
            assert_eq!(real("qw"), sample.pose.orientation.w.to_bits());
            assert_eq!(real("yaw_rad"), sample.pose.yaw().to_bits());
            assert_eq!(real("wheel1_traction_n"), sample.wheels[1].traction.to_bits());
            assert_eq!(row.get_int(column("vehicle")).unwrap(), sample.vehicle as i32);
            assert_eq!(row.get_int(column("gear")).unwrap(), 2);
            assert_eq!(row.get_string(column("name")).unwrap(), NAMES[sample.vehicle]);
            let last = row.get_double(column("wheel3_spin_radps"));
            assert_eq!(last.ok(), sample.wheels.get(3).map(|wheel| wheel.spin));
            rows += 1;
        }
        assert_eq!(rows, samples.len());
    }

    #[test]
    fn csv_has_the_same_columns_and_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("states.csv");
        let samples = samples();
        write(folder.path(), &samples);
        let mut reader = csv::Reader::from_path(&path).unwrap();
        let header = reader.headers().unwrap().clone();
        let all = StateWriter::new(&names(), WHEELED, &OutputConfig::default());
        let expected: Vec<String> = all.kept.iter().map(SampleColumn::name).collect();
        assert_eq!(header.iter().collect::<Vec<_>>(), expected);
        let at = |name: &str| header.iter().position(|h| h == name).unwrap();
        let mut rows = 0;
        for (record, sample) in reader.records().zip(&samples) {
            let record = record.unwrap();
            let y: f64 = record[at("y_m")].parse().unwrap();
            assert_eq!(y.to_bits(), sample.pose.position.y.to_bits());
            assert_eq!(&record[at("name")], NAMES[sample.vehicle]);
            assert_eq!(record[at("wheel3_slip")].is_empty(), sample.wheels.len() < 4);
            rows += 1;
        }
        assert_eq!(rows, samples.len());
    }

    #[test]
    fn a_run_without_samples_still_has_its_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("states.parquet");
        write(folder.path(), &[]);
        let reader = SerializedFileReader::try_from(path.as_path()).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
        assert_eq!(reader.metadata().file_metadata().schema_descr().num_columns(), 25);
    }

    #[test]
    fn a_sample_of_an_unknown_vehicle_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut states =
            StateWriter::begin(folder.path(), &names(), WHEELED, &OutputConfig::default()).unwrap();
        let error = states.append(&[sample(1.5, 2, 4)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the sample at 1.5 s is of vehicle index 2, but there are only 2 vehicles"
        );
    }

    #[test]
    fn pandas_or_polars_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("states.parquet");
        write(folder.path(), &samples());
        let script = "import sys\n\
            try:\n import polars as p; t = p.read_parquet(sys.argv[1]); n = t['wheel3_slip'].null_count()\n\
            except ImportError:\n import pandas as p; t = p.read_parquet(sys.argv[1]); n = t['wheel3_slip'].isna().sum()\n\
            assert t.shape == (40, 53) and n == 20 and t['name'][0] == 'leader', (t.shape, n)\n";
        let python = |arguments: &[&str]| Command::new("python3").args(arguments).output();
        let importable = |module: &str| {
            python(&["-c", &format!("import {module}")]).is_ok_and(|out| out.status.success())
        };
        let pandas = importable("pandas") && importable("pyarrow");
        if !pandas && !importable("polars") {
            eprintln!("SKIPPED: neither polars nor pandas with pyarrow is installed");
            return;
        }
        let out = python(&["-c", script, path.to_str().unwrap()]).unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
}
