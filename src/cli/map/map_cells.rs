//! Ground of a map by cells, and the tables of its soils.

use crate::cli::Failure;
use crate::cli::progress_bar::progress_bar;
use crate::cli::shell_word::shell_word;
use crate::curve::Curve;
use crate::map::{
    CellClosure, Cells, CoverData, CrossingDriver, DriveThreads, DrivingError, EvaluationParams,
    GroundCover, MapFile, MapGround, NrmmCell, NrmmVehicle, Quadric, Ridges, SpeedTable, TableAxes,
    TableColumn, closures, quadrics, slope_deviation,
};
use crate::mobility::vehicle_sheet::cone_index_vehicle;
use crate::mobility::{MobilityError, Subject, TractiveEffort, ride_speed, shock_speed};
use crate::numeric::ln;
use crate::report::ReportError;
use crate::report::trafficability::{self, MapFolder, MapRequest, RasterGrid};
use crate::scenario::build::vehicle_specs;
use crate::scenario::config::RoughnessConfig;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Ground of a map by cells.
pub struct MapCells {
    pub map: MapFile,
    /// Name of the vehicle.
    pub vehicle: String,
    pub cells: Cells,
    /// Shape of the ground in each cell.
    shapes: Vec<Quadric>,
    /// Distinct covers of the cells: soil, roughness, snow, frost, stems and ridges.
    pub covers: Vec<GroundCover>,
    /// Index of the cover of each cell.
    cover_of: Vec<u16>,
    /// Logarithm of the strength of each cell relative to its cover's median.
    shifts: Vec<f32>,
    closures: Vec<Option<CellClosure>>,
}

/// The driven table of a cover.
pub struct DrivenTable {
    pub axes: TableAxes,
    pub columns: Vec<TableColumn>,
}

/// NRMM's relations in the cells of a map.
pub struct NrmmMap {
    pub vehicle: NrmmVehicle,
    /// Values of each cell; `None` where nothing is compared.
    pub cells: Vec<Option<NrmmCell>>,
}

/// Number and largest of the resistances over the weight for which speeds are computed.
const RESISTANCES: u32 = 150;
const STEEPEST_RESISTANCE: f64 = 1.5;
/// Maximum number of covers of a map; each has a table.
const MOST_COVERS: usize = 256;

impl MapCells {
    pub fn new(map: MapFile) -> Result<MapCells, Failure> {
        let terrain = &map.land.terrain;
        let cells = Cells::from_bounds(map.area, map.config.cell);
        let named = vehicle_specs(&map.base).ok();
        let named = named.and_then(|specs| specs.first().map(|spec| spec.name().to_owned()));
        let centers = || (0..cells.count()).map(|cell| cells.center(cell));
        let mut covers: Vec<GroundCover> = Vec::new();
        let (mut cover_of, mut shifts) = (Vec::new(), Vec::new());
        for center in centers() {
            let cover = map.cover(center);
            shifts.push(ln(map.strength_at(center, &cover)) as f32);
            let known = covers.iter().position(|own| *own == cover);
            cover_of.push(known.unwrap_or(covers.len()) as u16);
            if known.is_none() {
                covers.push(cover);
            }
            if covers.len() > MOST_COVERS {
                let (subject, cause) = (
                    "conditions".to_owned(),
                    format!(
                        "soils, roughness, snow and frost depths, stems and ridges form more than \
                         {MOST_COVERS} combinations, and each needs its own table; give fewer \
                         classes"
                    ),
                );
                return Err(Failure::Input { subject, cause });
            }
        }
        let closures = closures(&map, &cells);
        if closures.iter().all(|own| *own == Some(CellClosure::NoData)) {
            let subject = "terrain.surface.no_data".to_owned();
            let cause =
                "every cell of the map, or its margin, lacks elevation data; choose another area, \
                 or fill the gaps"
                    .to_owned();
            return Err(Failure::Input { subject, cause });
        }
        Ok(MapCells {
            vehicle: named.unwrap_or_default(),
            cells,
            shapes: quadrics(terrain, &cells),
            covers,
            cover_of,
            shifts,
            closures,
            map,
        })
    }

    /// Rebuilds the map from which a folder was made.
    pub fn read_folder(folder: &Path) -> Result<MapCells, Failure> {
        let asked = MapRequest::read(folder)?;
        let map = match MapFile::read(&asked.file, &asked.sets) {
            // the folder has a copy of the content of the file
            Err(_) if !asked.file.exists() => read_request(&asked)?,
            read => read?,
        };
        if map_request(&map, &asked.file, &asked.sets)?.fingerprint != asked.fingerprint {
            let sets: String =
                asked.sets.iter().map(|set| format!(" --set {}", shell_word(set))).collect();
            let cause = format!(
                "the map file {}, a file that it names, or this program has changed since; run \
                 again: bekker map run {}{sets} --out {}",
                asked.file.display(),
                shell_word(&asked.file.to_string_lossy()),
                shell_word(&folder.to_string_lossy())
            );
            return Err(Failure::Input { subject: folder.display().to_string(), cause });
        }
        MapCells::new(map)
    }

    /// Prints the warnings about the map.
    pub fn warn(&self) {
        for warning in self.map.warnings(&self.covers) {
            eprintln!("warning: {warning}");
        }
    }

    /// Returns the ground for the evaluation; `known` has one entry per cover.
    pub fn ground<'a>(&'a self, known: &'a [CoverData], tables: &'a [SpeedTable]) -> MapGround<'a> {
        MapGround {
            cells: self.cells,
            shapes: &self.shapes,
            covers: &self.cover_of,
            shifts: &self.shifts,
            closures: &self.closures,
            cover_data: known,
            tables,
        }
    }

    /// Whether a cell cannot be crossed by any vehicle action.
    pub fn is_closed(&self, cell: usize) -> bool {
        self.closures[cell].is_some()
    }

    /// Whether a cell has elevation data.
    pub fn has_data(&self, cell: usize) -> bool {
        self.closures[cell] != Some(CellClosure::NoData)
    }

    /// Number of cells without elevation data.
    pub fn without_data(&self) -> usize {
        (0..self.cells.count()).filter(|cell| !self.has_data(*cell)).count()
    }

    /// Returns strength and limit speeds of each cover.
    ///
    /// The speeds on rough ground, ridges and firm ground are determined by drives, unless the map
    /// specifies them or the folder has them.
    pub fn known(&self, folder: &MapFolder) -> Result<Vec<CoverData>, Failure> {
        let driver = CrossingDriver::new(&self.map);
        let of = |cover: &GroundCover| {
            let roughness = cover.roughness.or(self.map.base.scenario.terrain.roughness);
            let ride = match (self.map.config.ride_speed, roughness) {
                (Some(given), _) => given,
                (None, Some(class)) => self.ride_speed(folder, class)?,
                (None, None) => f64::INFINITY,
            };
            let ridges = match cover.ridges {
                Some(own) => self.shock_speed(folder, &own)?,
                None => f64::INFINITY,
            };
            let firm = self.firm_speed(folder, &driver, cover)?;
            Ok(CoverData { ridges, firm, ..driver.cover_data(cover, ride) })
        };
        self.covers.iter().map(of).collect()
    }

    fn ride_speed(&self, folder: &MapFolder, class: RoughnessConfig) -> Result<f64, Failure> {
        let (what, decisive) = (format!("ride over class {class:?}"), ("ride", class));
        self.cached_search(folder, &what, &decisive, |subject| ride_speed(subject, class))
    }

    /// Returns the maximum speed over ridges, m/s.
    fn shock_speed(&self, folder: &MapFolder, ridges: &Ridges) -> Result<f64, Failure> {
        let what = format!("ridges {} m every {} m", ridges.height, ridges.spacing);
        self.cached_search(folder, &what, &("ridges", ridges), |subject| {
            shock_speed(subject, ridges.spacing, |along| ridges.across_x(along))
        })
    }

    /// Determines a speed with the map's vehicle, unless the folder has it.
    fn cached_search(
        &self,
        folder: &MapFolder,
        what: &str,
        decisive: &impl Serialize,
        seek: impl FnOnce(&Subject) -> Result<f64, MobilityError>,
    ) -> Result<f64, Failure> {
        let vehicle = &self.map.base.scenario.vehicle[0];
        let spec = serde_json::to_value(vehicle_specs(&self.map.base)?).unwrap_or_default();
        let fitted = (&vehicle.tire, &vehicle.inflation_kpa, &vehicle.payload, &vehicle.overrides);
        let decisive = serde_json::to_vec(&(decisive, spec, fitted));
        let key = trafficability::key(&decisive.unwrap_or_default());
        if let Some(known) = folder.column(&key) {
            return Ok(known);
        }
        let failed = |error: MobilityError| Failure::Run {
            subject: what.to_owned(),
            cause: error.to_string(),
        };
        let subject = Subject::new(&vehicle.model, &self.map.base.folder);
        let subject = subject.and_then(|own| own.with_vehicle(vehicle)).map_err(failed)?;
        let speed = seek(&subject).map_err(failed)?;
        folder.store_column(&key, &speed)?;
        Ok(speed)
    }

    /// Returns the speed on level firm ground with the roughness of a cover, m/s, from the folder
    /// if available there.
    fn firm_speed(
        &self,
        folder: &MapFolder,
        driver: &CrossingDriver<'_>,
        cover: &GroundCover,
    ) -> Result<f64, Failure> {
        let spec = serde_json::to_value(vehicle_specs(&self.map.base)?).unwrap_or_default();
        let plane = self.map.on_firm(cover);
        let decisive = serde_json::to_vec(&("firm", plane, spec));
        let key = trafficability::key(&decisive.unwrap_or_default());
        if let Some(known) = folder.column(&key) {
            return Ok(known);
        }
        let speed = driver.on_firm(cover).speed;
        folder.store_column(&key, &speed)?;
        Ok(speed)
    }

    /// Evaluates NRMM's relations in all cells, if the map gives a cone index.
    ///
    /// # Errors
    /// The vehicle has no drive, or its parts form no valid vehicle.
    pub fn nrmm(&self, known: &[CoverData]) -> Result<Option<NrmmMap>, Failure> {
        let Some(layer) = self.map.cone_index() else { return Ok(None) };
        let specs = vehicle_specs(&self.map.base)?;
        let refused =
            |cause: &str| Failure::Input { subject: self.vehicle.clone(), cause: cause.to_owned() };
        let spec = specs.first().ok_or_else(|| refused("is missing"))?;
        let effort = TractiveEffort::new(spec)
            .ok_or_else(|| refused("has no drive, so NRMM gives no speed for it"))?;
        let points = (0..=RESISTANCES).map(|n| {
            let resistance = STEEPEST_RESISTANCE * f64::from(n) / f64::from(RESISTANCES);
            [resistance, effort.speed_against(resistance)]
        });
        let speed = Curve::new(points.collect())
            .map_err(|error| refused(&format!("has no tractive effort: {error}")))?;
        let vehicle = NrmmVehicle::new(cone_index_vehicle(spec)?, speed);
        let config = &self.map.config;
        let cell = |cell: usize| {
            let cover = known[usize::from(self.cover_of[cell])];
            let limit = config.speed.min(cover.ride).min(cover.ridges);
            let (center, shape) = (self.cells.center(cell), &self.shapes[cell]);
            let open = !self.is_closed(cell);
            open.then(|| vehicle.cell(&layer, center, shape, config.directions, limit)).flatten()
        };
        let cells = (0..self.cells.count()).into_par_iter().map(cell).collect();
        Ok(Some(NrmmMap { vehicle, cells }))
    }

    /// Returns the name of the soil of a cell.
    pub fn soil_name(&self, cell: usize) -> &str {
        &self.map.soil_of(&self.covers[usize::from(self.cover_of[cell])]).name
    }

    /// Returns the fraction of the area with elevation data for each cover.
    pub fn cover_shares(&self) -> Vec<f64> {
        let mut counts = vec![0_usize; self.covers.len()];
        let known = self.cover_of.iter().enumerate().filter(|(cell, _)| self.has_data(*cell));
        known.for_each(|(_, cover)| counts[usize::from(*cover)] += 1);
        let all = counts.iter().sum::<usize>().max(1) as f64;
        counts.into_iter().map(|count| count as f64 / all).collect()
    }

    /// Returns the range of the logarithmic strengths of a cover's cells relative to its median.
    fn shifts_of(&self, cover: usize) -> [f64; 2] {
        let own = self.cover_of.iter().zip(&self.shifts);
        own.filter(|own| usize::from(*own.0) == cover)
            .map(|own| f64::from(*own.1))
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], own| {
                [low.min(own), high.max(own)]
            })
    }

    /// Returns the strengths and side slopes of each cover's table.
    pub fn axes(&self, known: &[CoverData]) -> Vec<TableAxes> {
        let driver = CrossingDriver::new(&self.map);
        let of = |(n, known)| driver.axes(known, self.shifts_of(n));
        known.iter().enumerate().map(of).collect()
    }

    pub fn params(&self) -> EvaluationParams {
        let config = &self.map.config;
        EvaluationParams {
            seed: config.seed,
            draws: config.draws,
            directions: config.directions,
            speed: config.speed,
            cell_entry_speed: config.cell_entry_speed,
            strength_varies: self
                .covers
                .iter()
                .any(|cover| self.map.strength_deviation(&self.map.soil_of(cover).name) > 0.0),
            slope_deviation: slope_deviation(&config.elevation_error, config.cell),
        }
    }

    pub fn grid(&self) -> RasterGrid {
        let Cells { columns, rows, side, north_west } = self.cells;
        RasterGrid { columns, rows, side, north_west }
    }

    /// Returns the tables of all covers. Tables in the folder are not driven again.
    pub fn tables(
        &self,
        folder: &MapFolder,
        known: &[CoverData],
        threads: &DriveThreads<'_>,
        quiet: bool,
    ) -> Result<Vec<DrivenTable>, Failure> {
        let driver = CrossingDriver::new(&self.map);
        let spec = serde_json::to_value(vehicle_specs(&self.map.base)?).unwrap_or_default();
        let axes = self.axes(known);
        let jobs: Vec<(usize, usize)> = axes
            .iter()
            .enumerate()
            .flat_map(|(n, axes)| (0..axes.columns()).map(move |column| (n, column)))
            .collect();
        let bar = progress_bar(jobs.len() as u64, "table columns driven", quiet);
        let failed: Mutex<Option<ReportError>> = Mutex::new(None);
        let columns = threads.run_all(jobs.len(), |job| {
            let (n, number) = jobs[job];
            let (cover, axes, held) = (&self.covers[n], &axes[n], known[n].ridges);
            let [strength, side] = axes.column_values(number);
            let plane = self.map.on_plane(cover, held, strength, [0.0, side]);
            let figures = self.map.soil_of(cover);
            let steepest = self.map.config.table.steepest;
            let decisive = serde_json::to_vec(&(plane, figures, &spec, steepest));
            let key = trafficability::key(&decisive.unwrap_or_default());
            let column = folder.column(&key).unwrap_or_else(|| {
                let column = driver.column(cover, held, axes, number);
                if let (Err(error), Ok(mut failed)) =
                    (folder.store_column(&key, &column), failed.lock())
                {
                    failed.get_or_insert(error);
                }
                column
            });
            bar.inc(1);
            column
        });
        bar.finish_and_clear();
        let mut columns = columns.map_err(|error| driving_failure(error, folder.path()))?;
        if let Ok(Some(error)) = failed.into_inner() {
            return Err(error.into());
        }
        let tables = axes.into_iter().map(|axes| {
            let rest = columns.split_off(axes.columns());
            let columns = std::mem::replace(&mut columns, rest);
            DrivenTable { axes, columns }
        });
        Ok(tables.collect())
    }
}

/// Prepares the tables for lookup.
pub fn resampled_tables(driven: &[DrivenTable]) -> Vec<SpeedTable> {
    driven.iter().map(|own| SpeedTable::new(&own.axes, &own.columns)).collect()
}

/// Returns the map in the record of a folder, for a file that is no longer at its path.
fn read_request(asked: &MapRequest) -> Result<MapFile, Failure> {
    let file = asked.file.display();
    let refused = |cause: String| Failure::Input { subject: file.to_string(), cause };
    let text = toml::to_string(&without_nulls(&asked.map)).map_err(|error| {
        refused(format!(
            "does not exist any more, and its copy in the folder is not readable: {error}"
        ))
    })?;
    let beside = asked.file.parent().unwrap_or(Path::new(""));
    MapFile::parse(&file.to_string(), &text, beside, &[]).map_err(|faults| {
        let told = faults.to_string();
        refused(format!(
            "does not exist any more: restore it and the files that it names, or run `bekker map \
             run` at their new path with the same --out, which repeats no drives. {told}"
        ))
    })
}

/// Removes null values, which TOML lacks; they mean the same as absent keys.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(own) => {
            let given = own.iter().filter(|(_, value)| !value.is_null());
            given.map(|(key, value)| (key.clone(), without_nulls(value))).collect()
        }
        Value::Array(own) => own.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

/// Returns the inputs of a map and the hash of all settings that affect it.
pub fn map_request(map: &MapFile, file: &Path, sets: &[String]) -> Result<MapRequest, Failure> {
    let config = serde_json::to_value(&map.config).unwrap_or_default();
    let inputs: Vec<String> = map.base.inputs.list().into_iter().map(|own| own.sha256).collect();
    let specs = vehicle_specs(&map.base)?;
    let decisive = serde_json::to_vec(&(&config, inputs, map.soils.soils(), specs));
    // absolute, so that the path is valid from any working directory
    let file = file.canonicalize().unwrap_or_else(|_| PathBuf::from(file));
    Ok(MapRequest::new(file, sets.to_vec(), config, &decisive.unwrap_or_default()))
}

/// Converts an error of drives. Completed drives stay in the folder.
pub fn driving_failure(error: DrivingError, folder: &Path) -> Failure {
    match error {
        DrivingError::Interrupted => Failure::FolderInterrupted { folder: folder.to_owned() },
        DrivingError::NoThread => {
            Failure::Run { subject: "threads".into(), cause: error.to_string() }
        }
    }
}
