//! `bekker study resume`

use super::run::Run;
use crate::cli::Failure;
use crate::report::study::AskedOfStudy;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use std::path::PathBuf;

/// Go on with a study that was cut, by its folder: what `run` with its file and part does
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker study resume pressure\n\n\
    After Ctrl-C, a kill, a full disk or a loss of power. The study's file and its scenario must be\n\
    where they were, and what they were; else `bekker study run` with the file, where it is now.")]
pub struct Resume {
    /// The study's folder
    folder: PathBuf,
    /// Threads, a trial each; as many as there are cores unless told. The result is the same.
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    /// Print JSON instead of a line
    #[arg(long)]
    json: bool,
}

impl Resume {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let asked = AskedOfStudy::read(&self.folder)?;
        Run::of(asked.file, self.folder, self.threads, asked.shard, self.json).execute(quiet)
    }
}
