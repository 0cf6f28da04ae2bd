//! A map's ground cell by cell, and the tables of its soils.

use crate::cli::Failure;
use crate::cli::counting::counting;
use crate::report::ReportError;
use crate::report::going::{self, AskedOfMap, Grid, MapFolder};
use crate::scenario::build::vehicle_specs;
use crate::soil::SoilId;
use crate::study::map::{
    Axes, BarrierKind, Cells, Column, Driver, DrivingError, Ground, MapFile, Question, Table,
    Threads, barrier, slope_deviation, slopes,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A map's ground, cell by cell.
pub struct Mapped {
    pub map: MapFile,
    /// Name of the vehicle.
    pub vehicle: String,
    pub cells: Cells,
    slopes: Vec<[f32; 2]>,
    soils: Vec<u16>,
    barriers: Vec<Option<BarrierKind>>,
}

/// The table of a soil as it was driven.
pub struct Driven {
    pub soil: SoilId,
    pub axes: Axes,
    pub columns: Vec<Column>,
}

impl Mapped {
    pub fn of(map: MapFile) -> Mapped {
        let terrain = &map.land.terrain;
        let cells = Cells::within(map.area, map.config.cell);
        let named = vehicle_specs(&map.base).ok();
        let named = named.and_then(|specs| specs.first().map(|spec| spec.name().to_owned()));
        let centres = || (0..cells.count()).map(|cell| cells.centre(cell));
        Mapped {
            vehicle: named.unwrap_or_default(),
            cells,
            slopes: slopes(terrain, &cells),
            soils: centres().map(|[x, y]| terrain.soil(x, y).0).collect(),
            barriers: centres().map(|[x, y]| barrier(map.barriers.soil(x, y))).collect(),
            map,
        }
    }

    /// The map that a folder was made from.
    pub fn of_folder(folder: &Path) -> Result<Mapped, Failure> {
        let asked = AskedOfMap::read(folder)?;
        let map = MapFile::read(&asked.file, &asked.sets)?;
        if asked_of(&map, &asked.file, &asked.sets)?.fingerprint != asked.fingerprint {
            let cause = format!(
                "the map that it was made from, {}, or a file that it names, or this program has \
                 changed since: bekker map run {} --out {}",
                asked.file.display(),
                asked.file.display(),
                folder.display()
            );
            return Err(Failure::Input { subject: folder.display().to_string(), cause });
        }
        Ok(Mapped::of(map))
    }

    pub fn ground<'a>(&'a self, tables: &'a [Table]) -> Ground<'a> {
        Ground {
            cells: self.cells,
            slopes: &self.slopes,
            soils: &self.soils,
            barriers: &self.barriers,
            tables,
        }
    }

    pub fn question(&self) -> Question {
        let config = &self.map.config;
        Question {
            seed: config.seed,
            draws: config.draws,
            directions: config.directions,
            speed: config.speed,
            ride_speed: config.ride_speed,
            strength_varies: config.strength.sigma_ln > 0.0,
            slope_deviation: slope_deviation(&config.elevation_error, config.cell),
        }
    }

    pub fn grid(&self) -> Grid {
        let Cells { columns, rows, side, north_west } = self.cells;
        Grid { columns, rows, side, north_west }
    }

    /// Soils that lie in any cell.
    pub fn soils(&self) -> BTreeSet<u16> {
        self.soils.iter().copied().collect()
    }

    /// The tables of all soils that lie in any cell; what the folder has is not driven again.
    pub fn tables(
        &self,
        folder: &MapFolder,
        threads: &Threads<'_>,
        quiet: bool,
    ) -> Result<Vec<Driven>, Failure> {
        let driver = Driver::new(&self.map);
        let spec = serde_json::to_value(vehicle_specs(&self.map.base)?).unwrap_or_default();
        let soils = self.soils().into_iter().map(SoilId);
        let axes: Vec<(SoilId, Axes)> = soils.map(|soil| (soil, driver.axes(soil))).collect();
        let jobs: Vec<(usize, usize)> = axes
            .iter()
            .enumerate()
            .flat_map(|(n, (_, axes))| (0..axes.columns()).map(move |column| (n, column)))
            .collect();
        let bar = counting(jobs.len() as u64, "columns of the table driven", quiet);
        let failed: Mutex<Option<ReportError>> = Mutex::new(None);
        let columns = threads.in_turn(jobs.len(), |job| {
            let (n, number) = jobs[job];
            let (soil, axes) = &axes[n];
            let [strength, side] = axes.of(number);
            let plane = self.map.on_plane(*soil, strength, [0.0, side]);
            let figures = &self.map.soils.soils()[usize::from(soil.0)];
            let (cell, steepest) = (self.map.config.cell, self.map.config.table.steepest);
            let decisive = serde_json::to_vec(&(plane, figures, &spec, cell, steepest));
            let key = going::key(&decisive.unwrap_or_default());
            let column = folder.column(&key).unwrap_or_else(|| {
                let column = driver.column(*soil, axes, number);
                if let (Err(error), Ok(mut failed)) = (folder.keep(&key, &column), failed.lock()) {
                    failed.get_or_insert(error);
                }
                column
            });
            bar.inc(1);
            column
        });
        bar.finish_and_clear();
        let mut columns = columns.map_err(|error| drives_ended(error, folder.path()))?;
        if let Ok(Some(error)) = failed.into_inner() {
            return Err(error.into());
        }
        let tables = axes.into_iter().map(|(soil, axes)| {
            let rest = columns.split_off(axes.columns());
            let columns = std::mem::replace(&mut columns, rest);
            Driven { soil, axes, columns }
        });
        Ok(tables.collect())
    }
}

/// Tables by the index of their soil; of soils that lie nowhere there is nothing in them.
pub fn by_soil(map: &MapFile, driven: &[Driven]) -> Vec<Table> {
    let soils = 0..map.soils.soils().len();
    let table = |soil: usize| {
        let own = driven.iter().find(|own| usize::from(own.soil.0) == soil);
        own.or(driven.first()).map(|own| Table::new(&own.axes, &own.columns))
    };
    soils.filter_map(table).collect()
}

/// What a map is made from, and the hash of all that decides it.
pub fn asked_of(map: &MapFile, file: &Path, sets: &[String]) -> Result<AskedOfMap, Failure> {
    let config = serde_json::to_value(&map.config).unwrap_or_default();
    let inputs: Vec<String> = map.base.inputs.list().into_iter().map(|own| own.sha256).collect();
    let specs = vehicle_specs(&map.base)?;
    let decisive = serde_json::to_vec(&(&config, inputs, map.soils.soils(), specs));
    // found again from anywhere on this machine
    let file = file.canonicalize().unwrap_or_else(|_| PathBuf::from(file));
    Ok(AskedOfMap::new(file, sets.to_vec(), config, &decisive.unwrap_or_default()))
}

/// What becomes of drives that came to no end; those that did are kept in the folder.
pub fn drives_ended(error: DrivingError, folder: &Path) -> Failure {
    match error {
        DrivingError::Interrupted => Failure::FolderInterrupted { folder: folder.to_owned() },
        DrivingError::NoThread => {
            Failure::Run { subject: "threads".into(), cause: error.to_string() }
        }
    }
}
