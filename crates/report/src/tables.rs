//! Small readings as tables, one per kind of sensor: `readings_KIND.csv` and `.parquet`.
//!
//! A table contains all vehicles and sensors of its kind, row by row in the order of delivery. The
//! MCAP contains the same readings.
//!
//! Every table begins with `delivered_s`, `taken_s`, `vehicle`, `name` (of the vehicle),
//! `sensor` and `frame`. The following columns are in the sensor's axes unless noted:
//!
//! | kind | columns |
//! | --- | --- |
//! | `imu` | `fx_mps2` `fy_mps2` `fz_mps2` specific force, `wx_radps` `wy_radps` `wz_radps` |
//! | `gps` | `valid` 0 or 1, `latitude_deg`, `longitude_deg`, `altitude_m`, `v_east_mps` `v_north_mps` `v_up_mps`, `var_east_m2` `var_north_m2` `var_up_m2` |
//! | `magnetometer` | `bx_t` `by_t` `bz_t` |
//! | `encoder` | `wheelN_ticks` |
//! | `odometry` | world: `x_m` `y_m` `z_m` `qw` `qx` `qy` `qz`; own axes: `vx_mps` ... `wz_radps` |
//! | `terramechanics` | `wheelN_sinkage_m`, `wheelN_slip`, `wheelN_traction_n`, `wheelN_lateral_n`, `wheelN_load_n`, `wheelN_pressure_pa` |
//!
//! Columns of wheels that a vehicle does not have are null (empty in CSV).

use super::ReportError;
use super::append_table::AppendTable;
use super::columns::{RecordColumn, RecordValues};
use bekker_agent::{GroundVehicle, decimal_seconds};
use bekker_math::spatial::Vec3;
use bekker_scenario::config::StateFormat;
use bekker_sensor::{Delivery, Model, Reading};
use bekker_world::WorldModel;
use std::path::Path;

/// A kind of small reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadingKind {
    Imu,
    Gps,
    Magnetometer,
    Encoder,
    Odometry,
    Terramechanics,
}

impl ReadingKind {
    const ALL: [ReadingKind; 6] = [
        ReadingKind::Imu,
        ReadingKind::Gps,
        ReadingKind::Magnetometer,
        ReadingKind::Encoder,
        ReadingKind::Odometry,
        ReadingKind::Terramechanics,
    ];

    fn name(self) -> &'static str {
        match self {
            ReadingKind::Imu => "imu",
            ReadingKind::Gps => "gps",
            ReadingKind::Magnetometer => "magnetometer",
            ReadingKind::Encoder => "encoder",
            ReadingKind::Odometry => "odometry",
            ReadingKind::Terramechanics => "terramechanics",
        }
    }

    fn of_model(model: &Model) -> Option<ReadingKind> {
        match model {
            Model::Imu(_) => Some(ReadingKind::Imu),
            Model::Gps(_) => Some(ReadingKind::Gps),
            Model::Magnetometer(_) => Some(ReadingKind::Magnetometer),
            Model::Encoder(_) => Some(ReadingKind::Encoder),
            Model::Odometry => Some(ReadingKind::Odometry),
            Model::Terramechanics => Some(ReadingKind::Terramechanics),
            Model::Camera(_) | Model::Lidar(_) => None,
        }
    }

    fn of_reading(reading: &Reading) -> Option<ReadingKind> {
        match reading {
            Reading::Imu { .. } => Some(ReadingKind::Imu),
            Reading::Fix(_) => Some(ReadingKind::Gps),
            Reading::Field(_) => Some(ReadingKind::Magnetometer),
            Reading::Ticks(_) => Some(ReadingKind::Encoder),
            Reading::Odometry(_) => Some(ReadingKind::Odometry),
            Reading::Ground(_) => Some(ReadingKind::Terramechanics),
            Reading::Image(_) | Reading::Cloud(_) => None,
        }
    }

    /// Names of the real-valued columns.
    fn reals(self) -> &'static [&'static str] {
        match self {
            ReadingKind::Imu => {
                &["fx_mps2", "fy_mps2", "fz_mps2", "wx_radps", "wy_radps", "wz_radps"]
            }
            ReadingKind::Gps => &[
                "valid",
                "latitude_deg",
                "longitude_deg",
                "altitude_m",
                "v_east_mps",
                "v_north_mps",
                "v_up_mps",
                "var_east_m2",
                "var_north_m2",
                "var_up_m2",
            ],
            ReadingKind::Magnetometer => &["bx_t", "by_t", "bz_t"],
            ReadingKind::Odometry => &[
                "x_m", "y_m", "z_m", "qw", "qx", "qy", "qz", "vx_mps", "vy_mps", "vz_mps",
                "wx_radps", "wy_radps", "wz_radps",
            ],
            ReadingKind::Encoder | ReadingKind::Terramechanics => &[],
        }
    }

    /// Names of the columns per wheel.
    fn of_wheels(self) -> &'static [&'static str] {
        match self {
            ReadingKind::Encoder => &["ticks"],
            ReadingKind::Terramechanics => {
                &["sinkage_m", "slip", "traction_n", "lateral_n", "load_n", "pressure_pa"]
            }
            _ => &[],
        }
    }
}

/// Writer of a table.
struct ReadingTable {
    kind: ReadingKind,
    rows: AppendTable,
}

/// Writer of the tables of a run.
pub(super) struct ReadingTables {
    tables: Vec<ReadingTable>,
    /// Names of the vehicles and of their sensors.
    names: Vec<(String, Vec<String>)>,
}

impl ReadingTables {
    /// Begins a table for every kind of sensor on a vehicle, or continues it after a time, s.
    pub fn open(
        folder: &Path,
        model: &WorldModel,
        formats: &[StateFormat],
        after: Option<f64>,
    ) -> Result<ReadingTables, ReportError> {
        let carried = |kind: ReadingKind| {
            let carries = |agent: &&bekker_agent::AgentModel| {
                agent
                    .sensors
                    .iter()
                    .any(|sensor| ReadingKind::of_model(&sensor.model) == Some(kind))
            };
            let wheels = model.agents.iter().filter(carries).map(|agent| agent.vehicle.wheels());
            wheels.max().map(|wheels| (kind, wheels))
        };
        let names = model.agents.iter().map(|agent| {
            let sensors = agent.sensors.iter().map(|sensor| sensor.name.clone());
            (agent.name.clone(), sensors.collect())
        });
        let mut tables = ReadingTables { tables: Vec::new(), names: names.collect() };
        let wanted =
            ReadingKind::ALL.into_iter().filter_map(carried).filter(|_| !formats.is_empty());
        for (kind, wheels) in wanted {
            let (stem, columns) = (format!("readings_{}", kind.name()), columns(kind, wheels));
            let rows = match after {
                None => AppendTable::begin(folder, &stem, columns, formats)?,
                Some(time) => {
                    AppendTable::resume(folder, &stem, columns, formats, time, &mut |_| ())?
                }
            };
            tables.tables.push(ReadingTable { kind, rows });
        }
        Ok(tables)
    }

    /// Adds a reading to the table of its kind; pictures and clouds have none.
    pub fn append(&mut self, vehicle: usize, delivery: &Delivery) -> Result<(), ReportError> {
        let Some(kind) = ReadingKind::of_reading(&delivery.reading) else { return Ok(()) };
        let ReadingTables { tables, names, .. } = self;
        let Some(table) = tables.iter_mut().find(|table| table.kind == kind) else {
            return Ok(());
        };
        let (name, sensors) = &names[vehicle];
        let head = [
            TableCell::Real(decimal_seconds(delivery.due_us)),
            TableCell::Real(decimal_seconds(delivery.taken_us)),
            TableCell::Integer(vehicle as i32),
            TableCell::Text(name),
            TableCell::Text(&sensors[delivery.sensor as usize]),
            TableCell::Integer(delivery.frame as i32),
        ];
        let mut cells = head.into_iter().chain(cells(&delivery.reading));
        for column in table.rows.columns() {
            push(&mut column.values, cells.next());
        }
        table.rows.end_row()
    }

    /// Writes all rows to the disk.
    pub fn flush(&mut self) -> Result<(), ReportError> {
        self.tables.iter_mut().try_for_each(|table| table.rows.flush())
    }

    /// Completes the files and returns their names in the run's folder.
    pub fn finish(self) -> Result<Vec<String>, ReportError> {
        let ended = self.tables.into_iter().map(|table| table.rows.finish());
        Ok(ended.collect::<Result<Vec<_>, _>>()?.concat())
    }
}

/// Returns every kind of table with its columns; N stands for the number of a wheel.
pub fn described() -> Vec<(String, Vec<String>)> {
    let table = |kind: ReadingKind| {
        let own = kind.reals().iter().map(|name| (*name).to_owned());
        let of_wheels = kind.of_wheels().iter().map(|name| format!("wheelN_{name}"));
        (format!("readings_{}", kind.name()), own.chain(of_wheels).collect())
    };
    ReadingKind::ALL.into_iter().map(table).collect()
}

fn columns(kind: ReadingKind, wheels: usize) -> Vec<RecordColumn> {
    let real = || RecordValues::Real(Vec::new());
    let head = [
        ("delivered_s", real()),
        ("taken_s", real()),
        ("vehicle", RecordValues::Integer(Vec::new())),
        ("name", RecordValues::Text(Vec::new())),
        ("sensor", RecordValues::Text(Vec::new())),
        ("frame", RecordValues::Integer(Vec::new())),
    ];
    let own = kind.reals().iter().map(|name| (*name, real()));
    let named = head.into_iter().chain(own);
    let mut columns: Vec<RecordColumn> =
        named.map(|(name, values)| RecordColumn { name: name.into(), values }).collect();
    for wheel in 0..wheels {
        columns.extend(kind.of_wheels().iter().map(|name| RecordColumn {
            name: format!("wheel{wheel}_{name}"),
            values: match kind {
                ReadingKind::Encoder => RecordValues::OptionalLong(Vec::new()),
                _ => RecordValues::OptionalReal(Vec::new()),
            },
        }));
    }
    columns
}

/// A value in a row.
enum TableCell<'a> {
    Real(f64),
    Integer(i32),
    Long(i64),
    Text(&'a str),
}

/// Returns the values of a reading, in the order of its columns.
fn cells(reading: &Reading) -> Vec<TableCell<'static>> {
    let vectors = |vectors: &[Vec3]| -> Vec<TableCell<'static>> {
        vectors.iter().flat_map(|v| [v.x, v.y, v.z]).map(TableCell::Real).collect()
    };
    match reading {
        Reading::Imu { specific_force, angular_rate } => vectors(&[*specific_force, *angular_rate]),
        Reading::Fix(fix) => {
            let place = &fix.place;
            let valid = f64::from(u8::from(fix.valid));
            let [latitude, longitude] = [place.latitude, place.longitude].map(f64::to_degrees);
            let head = [valid, latitude, longitude, place.altitude].map(TableCell::Real);
            head.into_iter().chain(vectors(&[fix.velocity, fix.variance])).collect()
        }
        Reading::Field(field) => vectors(&[*field]),
        Reading::Ticks(ticks) => ticks.iter().map(|ticks| TableCell::Long(*ticks)).collect(),
        Reading::Odometry(own) => {
            let turn = own.pose.orientation;
            let mut all = vectors(&[own.pose.position]);
            all.extend([turn.w, turn.i, turn.j, turn.k].map(TableCell::Real));
            all.extend(vectors(&[own.velocity, own.angular_velocity]));
            all
        }
        Reading::Ground(wheels) => wheels
            .iter()
            .flat_map(|w| [w.sinkage, w.slip, w.force.x, w.force.y, w.force.z, w.pressure])
            .map(TableCell::Real)
            .collect(),
        Reading::Image(_) | Reading::Cloud(_) => Vec::new(),
    }
}

/// Appends a value to a column; without a value, appends null, NaN, 0 or an empty text.
fn push(values: &mut RecordValues, cell: Option<TableCell<'_>>) {
    match (values, cell) {
        (RecordValues::Real(to), Some(TableCell::Real(x))) => to.push(x),
        (RecordValues::Real(to), _) => to.push(f64::NAN),
        (RecordValues::OptionalReal(to), Some(TableCell::Real(x))) => to.push(Some(x)),
        (RecordValues::OptionalReal(to), _) => to.push(None),
        (RecordValues::Integer(to), Some(TableCell::Integer(x))) => to.push(x),
        (RecordValues::Integer(to), _) => to.push(0),
        (RecordValues::OptionalLong(to), Some(TableCell::Long(x))) => to.push(Some(x)),
        (RecordValues::OptionalLong(to), _) => to.push(None),
        (RecordValues::Text(to), Some(TableCell::Text(x))) => to.push(x.to_owned()),
        (RecordValues::Text(to), _) => to.push(String::new()),
    }
}
