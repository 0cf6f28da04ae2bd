//! Small readings as tables, one per kind of sensor: `readings_KIND.csv` and `.parquet`.
//!
//! A table contains all vehicles and sensors of its kind, row by row in the order of delivery. The
//! MCAP contains the same readings.
//!
//! Every table begins with `time_s` (delivery), `taken_s`, `vehicle`, `name` (of the vehicle),
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
use super::columns::{Column, Values};
use super::growing::Growing;
use bekker_agent::{GroundVehicle, decimal_seconds};
use bekker_math::spatial::Vec3;
use bekker_scenario::config::StateFormat;
use bekker_sensor::{Delivery, Model, Reading};
use bekker_world::WorldModel;
use std::path::Path;

/// A kind of small reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Imu,
    Gps,
    Magnetometer,
    Encoder,
    Odometry,
    Terramechanics,
}

impl Kind {
    const ALL: [Kind; 6] = [
        Kind::Imu,
        Kind::Gps,
        Kind::Magnetometer,
        Kind::Encoder,
        Kind::Odometry,
        Kind::Terramechanics,
    ];

    fn name(self) -> &'static str {
        match self {
            Kind::Imu => "imu",
            Kind::Gps => "gps",
            Kind::Magnetometer => "magnetometer",
            Kind::Encoder => "encoder",
            Kind::Odometry => "odometry",
            Kind::Terramechanics => "terramechanics",
        }
    }

    fn of_model(model: &Model) -> Option<Kind> {
        match model {
            Model::Imu(_) => Some(Kind::Imu),
            Model::Gps(_) => Some(Kind::Gps),
            Model::Magnetometer(_) => Some(Kind::Magnetometer),
            Model::Encoder(_) => Some(Kind::Encoder),
            Model::Odometry => Some(Kind::Odometry),
            Model::Terramechanics => Some(Kind::Terramechanics),
            Model::Camera(_) | Model::Lidar(_) => None,
        }
    }

    fn of_reading(reading: &Reading) -> Option<Kind> {
        match reading {
            Reading::Imu { .. } => Some(Kind::Imu),
            Reading::Fix(_) => Some(Kind::Gps),
            Reading::Field(_) => Some(Kind::Magnetometer),
            Reading::Ticks(_) => Some(Kind::Encoder),
            Reading::Odometry(_) => Some(Kind::Odometry),
            Reading::Ground(_) => Some(Kind::Terramechanics),
            Reading::Image(_) | Reading::Cloud(_) => None,
        }
    }

    /// Names of the real-valued columns.
    fn reals(self) -> &'static [&'static str] {
        match self {
            Kind::Imu => &["fx_mps2", "fy_mps2", "fz_mps2", "wx_radps", "wy_radps", "wz_radps"],
            Kind::Gps => &[
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
            Kind::Magnetometer => &["bx_t", "by_t", "bz_t"],
            Kind::Odometry => &[
                "x_m", "y_m", "z_m", "qw", "qx", "qy", "qz", "vx_mps", "vy_mps", "vz_mps",
                "wx_radps", "wy_radps", "wz_radps",
            ],
            Kind::Encoder | Kind::Terramechanics => &[],
        }
    }

    /// Names of the columns per wheel.
    fn of_wheels(self) -> &'static [&'static str] {
        match self {
            Kind::Encoder => &["ticks"],
            Kind::Terramechanics => {
                &["sinkage_m", "slip", "traction_n", "lateral_n", "load_n", "pressure_pa"]
            }
            _ => &[],
        }
    }
}

/// Writer of a table.
struct Table {
    kind: Kind,
    rows: Growing,
}

/// Writer of the tables of a run.
pub(super) struct Tables {
    tables: Vec<Table>,
    /// Names of the vehicles and of their sensors.
    names: Vec<(String, Vec<String>)>,
}

impl Tables {
    /// Begins a table for every kind of sensor on a vehicle, or continues it after a time, s.
    pub fn open(
        folder: &Path,
        model: &WorldModel,
        formats: &[StateFormat],
        after: Option<f64>,
    ) -> Result<Tables, ReportError> {
        let carried = |kind: Kind| {
            let carries = |agent: &&bekker_agent::AgentModel| {
                agent.sensors.iter().any(|sensor| Kind::of_model(&sensor.model) == Some(kind))
            };
            let wheels = model.agents.iter().filter(carries).map(|agent| agent.vehicle.wheels());
            wheels.max().map(|wheels| (kind, wheels))
        };
        let names = model.agents.iter().map(|agent| {
            let sensors = agent.sensors.iter().map(|sensor| sensor.name.clone());
            (agent.name.clone(), sensors.collect())
        });
        let mut tables = Tables { tables: Vec::new(), names: names.collect() };
        let wanted = Kind::ALL.into_iter().filter_map(carried).filter(|_| !formats.is_empty());
        for (kind, wheels) in wanted {
            let (stem, columns) = (format!("readings_{}", kind.name()), columns(kind, wheels));
            let rows = match after {
                None => Growing::begin(folder, &stem, columns, formats)?,
                Some(time) => Growing::resume(folder, &stem, columns, formats, time, &mut |_| ())?,
            };
            tables.tables.push(Table { kind, rows });
        }
        Ok(tables)
    }

    /// Adds a reading to the table of its kind; pictures and clouds have none.
    pub fn take(&mut self, vehicle: usize, delivery: &Delivery) -> Result<(), ReportError> {
        let Some(kind) = Kind::of_reading(&delivery.reading) else { return Ok(()) };
        let Tables { tables, names, .. } = self;
        let Some(table) = tables.iter_mut().find(|table| table.kind == kind) else {
            return Ok(());
        };
        let (name, sensors) = &names[vehicle];
        let head = [
            Cell::Real(decimal_seconds(delivery.due_us)),
            Cell::Real(decimal_seconds(delivery.taken_us)),
            Cell::Integer(vehicle as i32),
            Cell::Text(name),
            Cell::Text(&sensors[delivery.sensor as usize]),
            Cell::Integer(delivery.frame as i32),
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
    let table = |kind: Kind| {
        let own = kind.reals().iter().map(|name| (*name).to_owned());
        let of_wheels = kind.of_wheels().iter().map(|name| format!("wheelN_{name}"));
        (format!("readings_{}", kind.name()), own.chain(of_wheels).collect())
    };
    Kind::ALL.into_iter().map(table).collect()
}

fn columns(kind: Kind, wheels: usize) -> Vec<Column> {
    let real = || Values::Real(Vec::new());
    let head = [
        ("time_s", real()),
        ("taken_s", real()),
        ("vehicle", Values::Integer(Vec::new())),
        ("name", Values::Text(Vec::new())),
        ("sensor", Values::Text(Vec::new())),
        ("frame", Values::Integer(Vec::new())),
    ];
    let own = kind.reals().iter().map(|name| (*name, real()));
    let named = head.into_iter().chain(own);
    let mut columns: Vec<Column> =
        named.map(|(name, values)| Column { name: name.into(), values }).collect();
    for wheel in 0..wheels {
        columns.extend(kind.of_wheels().iter().map(|name| Column {
            name: format!("wheel{wheel}_{name}"),
            values: match kind {
                Kind::Encoder => Values::OptionalLong(Vec::new()),
                _ => Values::OptionalReal(Vec::new()),
            },
        }));
    }
    columns
}

/// A value in a row.
enum Cell<'a> {
    Real(f64),
    Integer(i32),
    Long(i64),
    Text(&'a str),
}

/// Returns the values of a reading, in the order of its columns.
fn cells(reading: &Reading) -> Vec<Cell<'static>> {
    let vectors = |vectors: &[Vec3]| -> Vec<Cell<'static>> {
        vectors.iter().flat_map(|v| [v.x, v.y, v.z]).map(Cell::Real).collect()
    };
    match reading {
        Reading::Imu { specific_force, angular_rate } => vectors(&[*specific_force, *angular_rate]),
        Reading::Fix(fix) => {
            let place = &fix.place;
            let valid = f64::from(u8::from(fix.valid));
            let [latitude, longitude] = [place.latitude, place.longitude].map(f64::to_degrees);
            let head = [valid, latitude, longitude, place.altitude].map(Cell::Real);
            head.into_iter().chain(vectors(&[fix.velocity, fix.variance])).collect()
        }
        Reading::Field(field) => vectors(&[*field]),
        Reading::Ticks(ticks) => ticks.iter().map(|ticks| Cell::Long(*ticks)).collect(),
        Reading::Odometry(own) => {
            let turn = own.pose.orientation;
            let mut all = vectors(&[own.pose.position]);
            all.extend([turn.w, turn.i, turn.j, turn.k].map(Cell::Real));
            all.extend(vectors(&[own.velocity, own.angular_velocity]));
            all
        }
        Reading::Ground(wheels) => wheels
            .iter()
            .flat_map(|w| [w.sinkage, w.slip, w.force.x, w.force.y, w.force.z, w.pressure])
            .map(Cell::Real)
            .collect(),
        Reading::Image(_) | Reading::Cloud(_) => Vec::new(),
    }
}

/// Appends a value to a column; without a value, appends null, NaN, 0 or an empty text.
fn push(values: &mut Values, cell: Option<Cell<'_>>) {
    match (values, cell) {
        (Values::Real(to), Some(Cell::Real(x))) => to.push(x),
        (Values::Real(to), _) => to.push(f64::NAN),
        (Values::OptionalReal(to), Some(Cell::Real(x))) => to.push(Some(x)),
        (Values::OptionalReal(to), _) => to.push(None),
        (Values::Integer(to), Some(Cell::Integer(x))) => to.push(x),
        (Values::Integer(to), _) => to.push(0),
        (Values::OptionalLong(to), Some(Cell::Long(x))) => to.push(Some(x)),
        (Values::OptionalLong(to), _) => to.push(None),
        (Values::Text(to), Some(Cell::Text(x))) => to.push(x.to_owned()),
        (Values::Text(to), _) => to.push(String::new()),
    }
}
