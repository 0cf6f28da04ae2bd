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
        controls: Controls { throttle: 0.5, steering: -0.25, brake: 0.0, ..Controls::default() },
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

const WHEELED: SampleParts =
    SampleParts { wheels: 4, articulated: false, trailers: false, motors: false, wheel_motors: 0 };

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
            StateWriter::begin(cut.path(), &names(), WHEELED, &OutputConfig::default()).unwrap();
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
        StateWriter::resume(cut.path(), &names(), WHEELED, &output, after, &mut |_| before += 1)
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
        schema.columns().iter().position(|c| c.name() == name).unwrap_or_else(|| panic!("{name}"))
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
