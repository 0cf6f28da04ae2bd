//! `bekker study resume`

use super::perturbation::{PerturbationOptions, perturbation};
use super::run::Run;
use crate::cli::Failure;
use crate::report::study::StudyRequest;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use std::path::PathBuf;

/// Resume an interrupted study from its folder
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker study resume pressure\n\n\
    Works after Ctrl-C, a kill, a full disk or a loss of power. The study file and its scenario\n\
    must be unchanged and in the same place. Otherwise run `bekker study run` with the file at its\n\
    new place.")]
pub struct Resume {
    /// Study folder
    folder: PathBuf,
    /// Number of threads, one trial each (default: number of CPU cores). Results do not depend on
    /// it
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    /// Print JSON instead of a summary line
    #[arg(long)]
    json: bool,
}

impl Resume {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let asked = StudyRequest::read(&self.folder)?;
        let perturbation = PerturbationOptions::from_perturbation(perturbation(&asked));
        Run::new(asked.file, self.folder, self.threads, asked.shard, perturbation, self.json)
            .execute(quiet)
    }
}
