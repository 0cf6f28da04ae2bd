//! `bekker map run`

use super::mapped::{Mapped, asked_of, by_soil};
use super::written::{self, Written};
use crate::cli::counting::counting;
use crate::cli::interruption::interruption;
use crate::cli::{Failure, stdout};
use crate::report::going::MapFolder;
use crate::study::map::{MapFile, Threads, figures};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use rayon::ThreadPoolBuilder;
use std::path::PathBuf;

/// Make a map: GeoTIFFs with styles for QGIS, a picture, tables and a report
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker map run examples/map_jacksboro.toml --out going\n  \
    bekker map run examples/map_jacksboro.toml --set 'vehicle.model=\"m113\"' --out going_m113\n\n\
    What the vehicle does on planes is driven once and kept in FOLDER/table. All other files are\n\
    the same bytes on any number of threads.")]
pub struct Run {
    /// The map's file
    map: PathBuf,
    /// The map's folder: new, empty, or one that this command made
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Change a key of the map's file, as in `--set cell=30`; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Threads; as many as there are cores unless told
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

impl Run {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let interrupted = interruption()?;
        let map = MapFile::read(&self.map, &self.sets)?;
        let asked = asked_of(&map, &self.map, &self.sets)?;
        let folder = MapFolder::begin(&self.out, &asked)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = self.threads.unwrap_or(cores);
        let pool = ThreadPoolBuilder::new().num_threads(count).build().map_err(|error| {
            Failure::Run { subject: "threads".into(), cause: error.to_string() }
        })?;
        let mapped = pool.install(|| Mapped::of(map));
        let threads = Threads { count, interrupted: &interrupted };
        let driven = mapped.tables(&folder, &threads, quiet)?;
        let tables = by_soil(&mapped.map, &driven);
        let bar = counting(mapped.cells.count() as u64, "cells", quiet);
        let cells = pool.install(|| {
            figures(&mapped.ground(&tables), &mapped.question(), |done| bar.inc(done as u64))
        });
        bar.finish_and_clear();
        let made = Written { mapped: &mapped, cells: &cells, driven: &driven, out: &self.out };
        let (names, summary) = pool.install(|| written::write(&made))?;
        folder.forget()?;
        folder.write_manifest(&names)?;
        if self.json {
            return stdout::print_json(&summary);
        }
        stdout::print(&format!("{}: {}", self.out.display(), written::answer(&mapped, &summary)))
    }
}
