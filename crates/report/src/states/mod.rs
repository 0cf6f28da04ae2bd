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

mod columns;

pub(super) use columns::described;

use super::ReportError;
use super::append_table::AppendTable;
use super::columns::{RecordColumn, RecordValues};
use bekker_agent::{MotorSample, Sample, TrailerSample, WheelMotorRecord, WheelSample};
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_scenario::config::{OutputConfig, QuantityConfig};
use columns::{
    ARTICULATION, ColumnValue, OF_MOTORS, OF_TRAILER, OF_WHEEL, OF_WHEEL_MOTOR, OWN, SampleColumn,
    VehicleColumn,
};
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
mod tests;
