//! `bekker map merge`

use super::map_cells::MapCells;
use super::run::from_cells;
use super::summary::CONFIDENCES;
use crate::cli::Failure;
use crate::cli::workers::Workers;
use crate::report::study::Shard;
use crate::report::trafficability::{MapFolder, MapRequest};
use clap::Args;
use std::path::{Path, PathBuf};

/// Merge the parts of a map
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker map merge part_1 part_2 part_3 --out whole\n\n\
    The files are identical, byte for byte, to those of the map driven in one piece.")]
pub struct Merge {
    /// Folders of `bekker map run --physics --shard`, in any order
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Folder of the whole map: new, empty, or begun by the same command
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

impl Merge {
    pub fn execute(self) -> Result<(), Failure> {
        let first = self.folders.first().map_or(Path::new(""), PathBuf::as_path);
        let whole = MapRequest::read(first)?;
        let refused = |folder: &Path, cause: String| Failure::Input {
            subject: folder.display().to_string(),
            cause,
        };
        let Some(strengths) = whole.physics else {
            let cause = "its map is interpolated from a table; only maps of driven cells \
                (--physics) can be merged";
            return Err(refused(first, cause.into()));
        };
        for folder in &self.folders {
            let other = MapRequest::read(folder)?;
            if (&other.fingerprint, other.physics) != (&whole.fingerprint, whole.physics) {
                let cause =
                    format!("its cells belong to another map than those of {}", first.display());
                return Err(refused(folder, cause));
            }
        }
        let map_cells = MapCells::read_folder(first)?;
        let drives = map_cells.drives(strengths);
        let folders: Vec<&Path> = self.folders.iter().map(PathBuf::as_path).collect();
        let cells = map_cells.gathered(&folders, &drives)?;
        let asked = whole.with_physics(Some(strengths), Shard::WHOLE);
        let folder = MapFolder::begin(&self.out, &asked)?;
        map_cells.keep_cells(&folder, &drives, &cells)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Workers::new(cores).install(|| {
            let known = map_cells.known(&folder)?;
            from_cells(&map_cells, &folder, &known, &drives, &CONFIDENCES, self.json)
        })
    }
}
