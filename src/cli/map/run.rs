//! `bekker map run`

use super::map_cells::{MapCells, map_request, resampled_tables};
use super::map_files::{self, MapOutput, MapSource};
use super::summary::{CONFIDENCES, answer};
use crate::cli::interruption::interruption_signal;
use crate::cli::progress_bar::progress_bar;
use crate::cli::quantity::quantity;
use crate::cli::shard::shard;
use crate::cli::workers::Workers;
use crate::cli::{Failure, stdout};
use crate::map::{CoverData, DrivePlan, DriveThreads, MapFile, evaluate};
use crate::report::study::Shard;
use crate::report::trafficability::MapFolder;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Compute a map: GeoTIFFs with styles for QGIS, a picture, tables and a report
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker map run examples/map_jacksboro.toml --out going\n  \
    bekker map run examples/map_jacksboro.toml --set 'vehicle.model=\"m113\"' --out going_m113\n  \
    bekker map run examples/map_jacksboro.toml --set 'area=[0,0,800,800]' --physics --out driven\n\n\
    Drives on planes are made once and kept in FOLDER/table. With --physics, every cell is driven\n\
    and kept in FOLDER/cells. Rerun the same command to resume an interrupted map. All other files\n\
    are identical for any number of threads.")]
pub struct Run {
    /// Map file (.toml)
    map: PathBuf,
    /// Map folder: new, empty, or made by this command from the same file
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Overwrite the map of another file
    #[arg(long)]
    force: bool,
    /// Override a key of the map file, as in `--set cell=30`; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Confidence levels to report: the area with at least this probability to go in every
    /// direction
    #[arg(long, value_name = "P,...", value_delimiter = ',', default_values_t = CONFIDENCES,
        value_parser = quantity(0.0..=1.0, ""))]
    confidence: Vec<f64>,
    /// Simulate every cell in all directions instead of interpolating a table. STRENGTHS is the
    /// number of soil-strength quantiles (default: 1, the median)
    #[arg(long, value_name = "STRENGTHS", num_args = 0..=1, require_equals = true,
        default_missing_value = "1", value_parser = RangedU64ValueParser::<usize>::new().range(1..=101))]
    physics: Option<usize>,
    /// Drive part I of N of the cells; combine the parts with `bekker map merge`
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = shard, requires = "physics")]
    shard: Shard,
    /// Number of threads (default: number of CPU cores)
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

impl Run {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let interrupted = interruption_signal()?;
        let map = MapFile::read(&self.map, &self.sets)?;
        if let (Some(_), Some(speed)) = (self.physics, map.config.cell_entry_speed) {
            let cause = format!(
                "cell_entry_speed = {speed}: must be absent with --physics; the speed through a \
                 cell follows from the tables of steady speeds"
            );
            return Err(Failure::Input { subject: self.map.display().to_string(), cause });
        }
        let asked =
            map_request(&map, &self.map, &self.sets)?.with_physics(self.physics, self.shard);
        let folder = match self.force {
            true => MapFolder::begin_overwriting(&self.out, &asked)?,
            false => MapFolder::begin(&self.out, &asked)?,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = self.threads.unwrap_or(cores);
        let pool = Workers::new(count);
        let map_cells = pool.install(|| MapCells::new(map))?;
        map_cells.warn();
        let known = pool.install(|| map_cells.known(&folder))?;
        let threads = DriveThreads { count, interrupted: &interrupted };
        if let Some(strengths) = self.physics {
            let drives = map_cells.drives(strengths);
            let [cells, new] =
                map_cells.drive_cells(&folder, &known, &drives, self.shard, &threads, quiet)?;
            if self.shard != Shard::WHOLE {
                return self.print_shard(cells, new);
            }
            let make =
                || from_cells(&map_cells, &folder, &known, &drives, &self.confidence, self.json);
            return pool.install(make);
        }
        let driven = map_cells.tables(&folder, &known, &threads, quiet)?;
        let tables = resampled_tables(&driven);
        let bar = progress_bar(map_cells.cells.count() as u64, "cells", quiet);
        let cells = pool.install(|| {
            evaluate(&map_cells.ground(&known, &tables), &map_cells.params(), |done| {
                bar.inc(done as u64)
            })
        });
        bar.finish_and_clear();
        let nrmm = pool.install(|| map_cells.nrmm(&known))?;
        let (map_cells, source) = (&map_cells, MapSource::Tables(&driven));
        let (confidences, out) = (&self.confidence[..], &self.out);
        let (known, cells, nrmm) = (&known[..], &cells[..], nrmm.as_ref());
        let output = MapOutput { map_cells, known, cells, nrmm, source, confidences, out };
        pool.install(|| write(&output, &folder, self.json))
    }

    /// Reports the number of cells of a shard, for which no map is computed.
    fn print_shard(&self, cells: usize, new: usize) -> Result<(), Failure> {
        let Shard { index, of } = self.shard;
        if self.json {
            return stdout::print_json(&json!({
                "folder": self.out, "shard": self.shard, "cells": cells, "driven": new,
            }));
        }
        stdout::print(&format!(
            "{}: {cells} cells, {new} of them new, part {index} of {of}; merge the parts with \
             `bekker map merge`",
            self.out.display()
        ))
    }
}

/// Computes the map of completely driven cells for these confidence levels, and prints the result.
pub fn from_cells(
    map_cells: &MapCells,
    folder: &MapFolder,
    known: &[CoverData],
    drives: &DrivePlan,
    confidences: &[f64],
    json: bool,
) -> Result<(), Failure> {
    let driven = map_cells.driven_cells(folder.path(), known, drives)?;
    let (ground, params) = (map_cells.ground(known, &[]), map_cells.params());
    let cells = drives.cell_metrics(&ground, &params, &driven.levels, &driven.crossings);
    let nrmm = map_cells.nrmm(known)?;
    let (source, out): (_, &Path) = (MapSource::RasterCells(&driven), folder.path());
    let (cells, nrmm) = (&cells[..], nrmm.as_ref());
    write(&MapOutput { map_cells, known, cells, nrmm, source, confidences, out }, folder, json)
}

fn write(output: &MapOutput<'_>, folder: &MapFolder, json: bool) -> Result<(), Failure> {
    let (names, summary) = map_files::write(output)?;
    folder.remove_outputs(&names)?;
    folder.write_manifest(&names)?;
    if json {
        return stdout::print_json(&summary);
    }
    let (out, [title, shares]) = (output.out.display(), answer(output.map_cells, &summary));
    let nrmm = summary.nrmm.as_ref().map_or(String::new(), |own| format!("\n{}", own.sentence()));
    stdout::print(&format!("{out}: {title}; {shares}{nrmm}"))
}
