//! `bekker map audit`

use super::map_cells::{MapCells, driving_failure, resampled_tables};
use crate::cli::interruption::interruption_signal;
use crate::cli::progress_bar::progress_bar;
use crate::cli::quantity::quantity;
use crate::cli::{Failure, stdout};
use crate::map::{self, AuditedDrive, CrossingDriver, DriveThreads, MapFile};
use crate::report::manifest::write_json;
use crate::report::study::TitledTable;
use crate::report::trafficability::{MapFolder, MapRequest};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use std::path::PathBuf;

/// Compare the table of a map with full-physics drives of its cells
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker map audit going --cells 300\n  \
    bekker map audit driven --physics\n\n\
    The seed of the map selects cells, directions and soil strengths. Each cell is crossed in full\n\
    physics over the unmodified elevation model. Writes audit.csv and audit.json to the folder.")]
pub struct Audit {
    /// Map folder
    folder: PathBuf,
    /// Number of cells to drive
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    cells: usize,
    /// Use all cells that `bekker map run --physics` drove in this folder, and drive none
    #[arg(long, conflicts_with = "cells")]
    physics: bool,
    /// Time step of the drives, s (default: the map's). A smaller step also shows the error of the
    /// map's step
    #[arg(long, value_name = "S", conflicts_with = "physics", allow_negative_numbers = true, value_parser = quantity(0.0001..=0.01, "s"))]
    step: Option<f64>,
    /// Number of threads (default: number of CPU cores)
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Audit {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let interrupted = interruption_signal()?;
        let asked = MapRequest::read(&self.folder)?;
        let map_cells = MapCells::read_folder(&self.folder)?;
        let folder = MapFolder::begin(&self.folder, &asked)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads =
            DriveThreads { count: self.threads.unwrap_or(cores), interrupted: &interrupted };
        let known = map_cells.known(&folder)?;
        let driven = map_cells.tables(&folder, &known, &threads, quiet)?;
        let tables = resampled_tables(&driven);
        let stepped = self.step.map(|step| self.stepped(&map_cells, step)).transpose()?;
        let driver = CrossingDriver::new(stepped.as_ref().unwrap_or(&map_cells.map));
        let ground = map_cells.ground(&known, &tables);
        let params = map_cells.params();
        let audited = if self.physics {
            let drives = map_cells.drives(asked.physics.unwrap_or(1));
            let driven = map_cells.driven_cells(&self.folder, &known, &drives)?;
            drives.audited_drives(&ground, &params, &driven.crossings)
        } else {
            let bar = progress_bar(self.cells as u64, "cells driven", quiet);
            let audited = map::audit(
                &driver,
                &map_cells.covers,
                &ground,
                &params,
                self.cells,
                &threads,
                || bar.inc(1),
            );
            bar.finish_and_clear();
            audited.map_err(|error| driving_failure(error, &self.folder))?
        };
        if audited.is_empty() {
            return Err(Failure::Input {
                subject: self.folder.display().to_string(),
                cause: "no cell of this map can be crossed, so there is nothing to audit".into(),
            });
        }
        let audit = map::Audit::from_drives(&audited);
        rows(&audited).write_csv(&self.folder.join("audit.csv"))?;
        write_json(&self.folder.join("audit.json"), &audit)?;
        if self.json {
            return stdout::print_json(&audit);
        }
        let told = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.2}"));
        stdout::print(&format!(
            "{}: {} crossings of cells driven; table and drive agree on GO or NO-GO in {:.1} %\n\
             \x20 GO in both {}, in the table only {}, in the drive only {}, in neither {}\n\
             \x20 speed error where both are GO: {} m/s rms, {} m/s mean\n\x20 {:.0} % of drives \
             within {} m/s of the table; fraction of held-out drives: {}",
            self.folder.display(),
            audit.cells,
            100.0 * audit.agreement,
            audit.go_go,
            audit.go_no,
            audit.no_go,
            audit.no_no,
            told(audit.speed_error),
            told(audit.speed_bias),
            100.0 * map::CONFIDENCE,
            told(audit.band),
            told(audit.band_holds),
        ))
    }
}

impl Audit {
    /// Returns the map with another time step of its drives, s.
    fn stepped(&self, map_cells: &MapCells, step: f64) -> Result<MapFile, Failure> {
        let refused =
            |allowed| Failure::Usage { argument: "--step <S>", value: step.to_string(), allowed };
        map_cells.map.clone().with_step(step).map_err(refused)
    }
}

fn rows(audited: &[AuditedDrive]) -> TitledTable {
    let head = ["x", "y", "direction_deg", "deviations", "grade", "side_slope", "table", "driven"];
    let row = |own: &AuditedDrive| {
        let [x, y] = own.center;
        let [grade, side] = own.slope;
        let direction = own.direction.to_degrees();
        [x, y, direction, own.deviations, grade, side, own.table, own.driven]
            .map(|x| x.to_string())
            .to_vec()
    };
    TitledTable {
        title: String::new(),
        head: head.map(str::to_owned).to_vec(),
        rows: audited.iter().map(row).collect(),
    }
}
