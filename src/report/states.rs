//! Vehicles and wheels over time, as Parquet and CSV.
//!
//! One row is one vehicle at one time; rows keep the order of the samples.
//! Parquet and CSV have the same columns. Wheels stand in the same row, axle by
//! axle from the front and left before right, so that one vehicle's history is
//! one filter away:
//!
//! ```python
//! states = pandas.read_parquet("states.parquet")
//! leader = states[states.vehicle == 0].set_index("time_s")
//! leader[["speed_mps", "wheel0_sinkage_m"]].plot()
//! ```
//!
//! | column | holds |
//! | --- | --- |
//! | `time_s` | simulated time |
//! | `vehicle`, `name` | index and name in the scenario |
//! | `x_m`, `y_m`, `z_m` | origin of the chassis frame in the world (east, north, up) |
//! | `qw`, `qx`, `qy`, `qz` | its orientation, body to world |
//! | `roll_rad`, `pitch_rad`, `yaw_rad` | the same as ISO 8855 angles |
//! | `vx_mps`, `vy_mps`, `vz_mps` | velocity of that origin, world axes |
//! | `wx_radps`, `wy_radps`, `wz_radps` | angular velocity, body axes |
//! | `speed_mps` | forward speed along the chassis x axis |
//! | `throttle`, `brake` | 0 to 1 |
//! | `steering` | -1 (full right) to +1 (full left) |
//! | `engine_speed_radps`, `gear` | 1 is first; 0 neutral, negative reverse |
//! | `wheelN_spin_radps` | positive when rolling forward |
//! | `wheelN_slip` | 1 - v/(ω r), positive when driving, within ±1 |
//! | `wheelN_sinkage_m` | lowest point below the undisturbed ground |
//! | `wheelN_load_n`, `wheelN_traction_n`, `wheelN_lateral_n` | force of the ground: up, along the wheel's heading, to its left |
//! | `wheelN_torque_nm` | of driveline and brake, positive forward |
//!
//! Columns of wheels that a vehicle does not have are null (empty in CSV).

use super::columns::{Column, Csv, Parquet, Values};
use super::{ReportError, file};
use crate::simulation::{Sample, WheelSample};
use std::path::Path;

/// Writes the samples as Parquet (Snappy, one row group); `names` are the
/// vehicles' names in the scenario's order.
pub fn write_parquet(path: &Path, samples: &[Sample], names: &[&str]) -> Result<(), ReportError> {
    let columns = columns(samples, names)?;
    let encode = || {
        let mut parquet = Parquet::new(Vec::new(), "states", &columns)?;
        parquet.rows(&columns)?;
        parquet.finish()
    };
    file::write(path, &encode().map_err(ReportError::encode(path))?)
}

/// Writes the samples as CSV with a header; reals in the fewest digits that
/// bring back the same number.
pub fn write_csv(path: &Path, samples: &[Sample], names: &[&str]) -> Result<(), ReportError> {
    let columns = columns(samples, names)?;
    let encode = || {
        let mut csv = Csv::new(Vec::new(), &columns)?;
        csv.rows(&columns, samples.len())?;
        csv.finish()
    };
    file::write(path, &encode().map_err(ReportError::encode(path))?)
}

fn columns(samples: &[Sample], names: &[&str]) -> Result<Vec<Column>, ReportError> {
    if let Some(stray) = samples.iter().find(|sample| sample.vehicle >= names.len()) {
        let Sample { vehicle, time, .. } = *stray;
        return Err(ReportError::UnknownVehicle { vehicle, vehicles: names.len(), time });
    }
    let real = |name: &str, value: fn(&Sample) -> f64| Column {
        name: name.to_owned(),
        values: Values::Real(samples.iter().map(value).collect()),
    };
    let integer = |name: &str, value: fn(&Sample) -> i32| Column {
        name: name.to_owned(),
        values: Values::Integer(samples.iter().map(value).collect()),
    };
    let name_of = |sample: &Sample| names[sample.vehicle].to_owned();
    let mut columns = vec![
        real("time_s", |s| s.time),
        integer("vehicle", |s| s.vehicle as i32),
        Column {
            name: "name".to_owned(),
            values: Values::Text(samples.iter().map(name_of).collect()),
        },
        real("x_m", |s| s.pose.position.x),
        real("y_m", |s| s.pose.position.y),
        real("z_m", |s| s.pose.position.z),
        real("qw", |s| s.pose.orientation.w),
        real("qx", |s| s.pose.orientation.i),
        real("qy", |s| s.pose.orientation.j),
        real("qz", |s| s.pose.orientation.k),
        real("roll_rad", |s| s.pose.roll()),
        real("pitch_rad", |s| s.pose.pitch()),
        real("yaw_rad", |s| s.pose.yaw()),
        real("vx_mps", |s| s.velocity.x),
        real("vy_mps", |s| s.velocity.y),
        real("vz_mps", |s| s.velocity.z),
        real("wx_radps", |s| s.angular_velocity.x),
        real("wy_radps", |s| s.angular_velocity.y),
        real("wz_radps", |s| s.angular_velocity.z),
        real("speed_mps", |s| s.speed),
        real("throttle", |s| s.controls.throttle),
        real("steering", |s| s.controls.steering),
        real("brake", |s| s.controls.brake),
        real("engine_speed_radps", |s| s.engine_speed),
        integer("gear", |s| s.gear),
    ];
    let wheels = samples.iter().map(|sample| sample.wheels.len()).max().unwrap_or(0);
    for wheel in 0..wheels {
        for (quantity, value) in WHEEL_COLUMNS {
            let of = |sample: &Sample| sample.wheels.get(wheel).map(value);
            columns.push(Column {
                name: format!("wheel{wheel}_{quantity}"),
                values: Values::OptionalReal(samples.iter().map(of).collect()),
            });
        }
    }
    Ok(columns)
}

type OfWheel = fn(&WheelSample) -> f64;

const WHEEL_COLUMNS: [(&str, OfWheel); 7] = [
    ("spin_radps", |w| w.spin),
    ("slip", |w| w.slip),
    ("sinkage_m", |w| w.sinkage),
    ("load_n", |w| w.load),
    ("traction_n", |w| w.traction),
    ("lateral_n", |w| w.lateral),
    ("torque_nm", |w| w.torque),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::{Pose, Quat, Vec3};
    use crate::vehicle::Controls;
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
            controls: Controls { throttle: 0.5, steering: -0.25, brake: 0.0 },
            engine_speed: 200.0,
            gear: 2,
            wheels: (0..wheels).map(wheel).collect(),
        }
    }

    fn samples() -> Vec<Sample> {
        (0..20)
            .flat_map(|n| [sample(0.1 * f64::from(n), 0, 4), sample(0.1 * f64::from(n), 1, 2)])
            .collect()
    }

    const NAMES: [&str; 2] = ["leader", "Nachzügler, \"der zweite\""];

    #[test]
    fn parquet_comes_back_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("states.parquet");
        let samples = samples();
        write_parquet(&path, &samples, &NAMES).unwrap();
        let reader = SerializedFileReader::try_from(path.as_path()).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr();
        let column = |name: &str| {
            schema
                .columns()
                .iter()
                .position(|c| c.name() == name)
                .unwrap_or_else(|| panic!("{name}"))
        };
        assert_eq!(schema.num_columns(), 25 + 4 * 7);
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
        write_csv(&path, &samples, &NAMES).unwrap();
        let mut reader = csv::Reader::from_path(&path).unwrap();
        let header = reader.headers().unwrap().clone();
        let expected: Vec<String> =
            columns(&samples, &NAMES).unwrap().into_iter().map(|c| c.name).collect();
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
        write_parquet(&path, &[], &NAMES).unwrap();
        let reader = SerializedFileReader::try_from(path.as_path()).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
        assert_eq!(reader.metadata().file_metadata().schema_descr().num_columns(), 25);
    }

    #[test]
    fn a_sample_of_nobody_is_an_error() {
        let error = write_csv(Path::new("/nowhere"), &[sample(1.5, 2, 4)], &NAMES).unwrap_err();
        assert_eq!(error.to_string(), "sample at 1.5 s is of vehicle 2, but there are only 2");
    }

    #[test]
    fn pandas_or_polars_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("states.parquet");
        write_parquet(&path, &samples(), &NAMES).unwrap();
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
