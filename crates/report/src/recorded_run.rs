//! Reader of a run's folder.

use super::ReportError;
use super::manifest::{self, Manifest};
use super::scene::TrackPoint;
use bekker_scenario::input;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Maximum number of points in a vehicle's history; more are indistinguishable on paper.
const POINTS: usize = 4000;

/// Maximum length of a summary, bytes: that of a run of 65,535 vehicles is shorter.
const LARGEST_SUMMARY: u64 = 256 << 20;

/// A run, as read from its folder.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// The folder.
    pub folder: PathBuf,
    /// Manifest of the run.
    pub manifest: Manifest,
    /// Description of the files read that differ from those the run wrote, if any.
    pub altered: Option<String>,
    /// The summary, if the run ended or was interrupted by Ctrl-C.
    pub summary: Option<Value>,
    /// Histories of the vehicles.
    pub vehicles: Vec<VehicleHistory>,
}

/// History of a vehicle during a run.
#[derive(Clone, Debug, PartialEq)]
pub struct VehicleHistory {
    /// Its name.
    pub name: String,
    /// States, reduced to a limited number.
    pub points: Vec<TrackPoint>,
    /// Distance driven at each state, m.
    pub distances: Vec<f64>,
}

impl VehicleHistory {
    /// Reads the histories of all vehicles from a run's table of states, each reduced to about
    /// `most` states; `None` if the run has no table.
    ///
    /// # Errors
    /// [`ReportError`] if the table cannot be read.
    pub fn read_all(
        folder: &Path,
        most: usize,
    ) -> Result<Option<Vec<VehicleHistory>>, ReportError> {
        let (csv, parquet) = (folder.join("states.csv"), folder.join("states.parquet"));
        if csv.is_file() {
            Ok(Some(histories(csv_rows(&csv)?, most)))
        } else if parquet.is_file() {
            Ok(Some(histories(parquet_rows(&parquet)?, most)))
        } else {
            Ok(None)
        }
    }
}

impl RecordedRun {
    /// Reads a run's folder.
    ///
    /// # Errors
    /// [`ReportError`] if the folder is not that of a run, or has no readable states.
    pub fn read(folder: &Path) -> Result<RecordedRun, ReportError> {
        let not_a_run = |cause: String| ReportError::NotARun { path: folder.to_owned(), cause };
        let manifest = manifest::of_run(folder)?;
        let path = folder.join("summary.json");
        let summary = if path.is_file() {
            let bytes =
                input::read(&path, LARGEST_SUMMARY).map_err(ReportError::file("read", &path))?;
            Some(serde_json::from_slice(&bytes).map_err(ReportError::decode(&path))?)
        } else {
            None
        };
        let used = ["summary.json", "states.csv", "states.parquet", "ruts.tif", "terrain.tif"];
        let used = manifest.outputs.iter().filter(|own| used.contains(&own.path.as_str()));
        let altered = manifest::differences(folder, &used.cloned().collect::<Vec<_>>());
        let Some(vehicles) = VehicleHistory::read_all(folder, POINTS)? else {
            return Err(not_a_run(
                "has neither states.csv nor states.parquet; run again with output.states = \
                 [\"csv\"]"
                    .into(),
            ));
        };
        Ok(RecordedRun { folder: folder.to_owned(), manifest, altered, summary, vehicles })
    }

    /// Returns the name of the run, which is that of its folder.
    pub fn name(&self) -> String {
        let name = self.folder.file_name().or_else(|| self.folder.parent()?.file_name());
        name.map_or_else(|| self.folder.display().to_string(), |n| n.to_string_lossy().into_owned())
    }

    /// Returns the summary of a vehicle by its name.
    pub fn vehicle(&self, name: &str) -> Option<&Value> {
        let vehicles = self.summary.as_ref()?.get("vehicles")?.as_array()?;
        vehicles.iter().find(|vehicle| vehicle["name"] == name)
    }

    /// Returns all keys of the scenario, and the program's version, with their values.
    pub fn keys(&self) -> BTreeMap<String, String> {
        let mut keys = keys(&self.manifest.config);
        keys.insert("version of bekker".into(), self.manifest.build.version.clone());
        if let Some(revision) = &self.manifest.build.git_revision {
            keys.insert("revision of bekker".into(), revision.clone());
        }
        keys
    }
}

/// Returns the values of a tree by their keys, such as `vehicle[0].driver.speed`.
pub fn keys(value: &Value) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    flatten("", value, &mut keys);
    keys
}

fn flatten(key: &str, value: &Value, keys: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(entries) => {
            let dot = if key.is_empty() { "" } else { "." };
            entries.iter().for_each(|(k, v)| flatten(&format!("{key}{dot}{k}"), v, keys));
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            for (n, item) in items.iter().enumerate() {
                flatten(&format!("{key}[{n}]"), item, keys);
            }
        }
        value => {
            keys.insert(key.to_owned(), value.to_string());
        }
    }
}

/// Name of a vehicle, and its state at a moment.
type SampleRow = (String, TrackPoint);

/// Indices of the columns that are read.
struct ColumnIndices {
    name: usize,
    own: [Option<usize>; 4],
    slips: Vec<usize>,
    sinkages: Vec<usize>,
}

impl ColumnIndices {
    fn new<'a>(
        path: &Path,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<ColumnIndices, ReportError> {
        let find = |name: &str| names.clone().position(|own| own == name);
        let need = |name: &str| {
            find(name).ok_or_else(|| ReportError::NotARun {
                path: path.to_owned(),
                cause: format!("has no column {name}"),
            })
        };
        let wheels = |what: &str| {
            let ending = format!("_{what}");
            let of = |(n, name): (usize, &str)| {
                (name.starts_with("wheel") && name.ends_with(&ending)).then_some(n)
            };
            names.clone().enumerate().filter_map(of).collect()
        };
        Ok(ColumnIndices {
            name: need("name")?,
            own: [Some(need("time_s")?), find("x_m"), find("y_m"), find("speed_mps")],
            slips: wheels("slip"),
            sinkages: wheels("sinkage_m"),
        })
    }

    /// Returns a row from its numbers by column; NaN for quantities that are not recorded.
    fn row(&self, name: String, number: impl Fn(usize) -> Option<f64>) -> SampleRow {
        let own = self.own.map(|column| column.and_then(&number).unwrap_or(f64::NAN));
        let values = |columns: &[usize]| -> Vec<f64> {
            columns.iter().filter_map(|column| number(*column)).collect()
        };
        // without wheels the mean is NaN, too
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let [time, x, y, speed] = own;
        let (slips, sinkages) = (values(&self.slips), values(&self.sinkages));
        let (slip, sinkage) = (mean(&slips), mean(&sinkages));
        let deepest = sinkages.into_iter().reduce(f64::max).map_or(f64::NAN, |own| own.max(0.0));
        (name, TrackPoint { time, position: [x, y], speed, slip, sinkage, deepest })
    }
}

fn csv_rows(path: &Path) -> Result<Vec<SampleRow>, ReportError> {
    if manifest::holds_nul(path).map_err(ReportError::file("read", path))? {
        return Err(ReportError::decode(path)(
            "it contains NUL bytes, which indicate an incomplete write",
        ));
    }
    let mut reader = csv::Reader::from_path(path).map_err(ReportError::decode(path))?;
    let header = reader.headers().map_err(ReportError::decode(path))?.clone();
    let columns = ColumnIndices::new(path, header.iter())?;
    let mut rows = Vec::new();
    for record in reader.records() {
        // an interrupted run may have left an incomplete line
        let Ok(record) = record else { break };
        let number = |n: usize| record.get(n).and_then(|text| text.parse().ok());
        rows.push(columns.row(record.get(columns.name).unwrap_or_default().to_owned(), number));
    }
    Ok(rows)
}

fn parquet_rows(path: &Path) -> Result<Vec<SampleRow>, ReportError> {
    let file = File::open(path).map_err(ReportError::file("open", path))?;
    let reader = SerializedFileReader::new(file).map_err(ReportError::decode(path))?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let names: Vec<String> =
        schema.columns().iter().map(|column| column.name().to_owned()).collect();
    let columns = ColumnIndices::new(path, names.iter().map(String::as_str))?;
    let mut rows = Vec::new();
    for row in reader.get_row_iter(None).map_err(ReportError::decode(path))? {
        let row = row.map_err(ReportError::decode(path))?;
        let fields: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
        let number = |n: usize| match fields.get(n) {
            Some(Field::Double(value)) => Some(*value),
            Some(Field::Float(value)) => Some(f64::from(*value)),
            _ => None,
        };
        let name = match fields.get(columns.name) {
            Some(Field::Str(name)) => name.clone(),
            _ => String::new(),
        };
        rows.push(columns.row(name, number));
    }
    Ok(rows)
}

fn histories(rows: Vec<SampleRow>, most: usize) -> Vec<VehicleHistory> {
    let mut vehicles: Vec<VehicleHistory> = Vec::new();
    for (name, point) in rows {
        let index = vehicles.iter().position(|own| own.name == name).unwrap_or_else(|| {
            vehicles.push(VehicleHistory { name, points: Vec::new(), distances: Vec::new() });
            vehicles.len() - 1
        });
        let own = &mut vehicles[index];
        let gone = own.points.last().map_or(0.0, |last| {
            let [dx, dy] = [0, 1].map(|k| point.position[k] - last.position[k]);
            dx.hypot(dy)
        });
        own.distances.push(own.distances.last().unwrap_or(&0.0) + gone);
        own.points.push(point);
    }
    for own in &mut vehicles {
        let every = own.points.len().div_ceil(most.max(1)).max(1);
        let last = own.points.len().saturating_sub(1);
        let kept = |n: usize| n.is_multiple_of(every) || n == last;
        let mut n = 0..;
        own.points.retain(|_| kept(n.next().unwrap_or(0)));
        let mut n = 0..;
        own.distances.retain(|_| kept(n.next().unwrap_or(0)));
    }
    vehicles
}
