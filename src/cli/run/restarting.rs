//! A run whose ranks are processes started here goes on by itself when one of them is lost.

use super::Run;
use crate::cli::Failure;
use crate::simulation::RankError;
use clap::ValueEnum;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

impl Run {
    /// Whether the loss of a rank is to be made good for by going on from the last checkpoint.
    pub(super) fn restarts_here(&self) -> bool {
        // the others are told on their command line, too, and leave it to the first
        self.restarts > 0 && self.processes.started_here().is_some()
    }

    /// Goes on from the last checkpoint in the folder, or from the beginning if there is none yet,
    /// as a process of its own with all ranks anew. What of the record is later is cut, so that
    /// the files are those of a run without loss.
    pub(super) fn restarted(
        &self,
        folder: &Path,
        has_checkpoint: bool,
        cause: &RankError,
        quiet: bool,
    ) -> Result<(), Failure> {
        let left = self.restarts - 1;
        let from = if has_checkpoint { "from the last checkpoint" } else { "from the beginning" };
        eprintln!("{cause}; on {from} ({left} restarts left)");
        let failed = |error: std::io::Error| Failure::Run {
            subject: "--restarts".into(),
            cause: error.to_string(),
        };
        let program = std::env::current_exe().map_err(failed)?;
        let begins = match has_checkpoint {
            true => vec!["run".into(), "--resume".into(), folder.into()],
            false => self.beginning(folder),
        };
        let options = self.options(quiet);
        let status = Command::new(program).args(begins).args(options).status();
        match status.map_err(failed)?.code() {
            Some(0) => Ok(()),
            code => {
                Err(Failure::Reported { code: code.and_then(|c| c.try_into().ok()).unwrap_or(1) })
            }
        }
    }

    /// What says where this run began, into the same folder.
    fn beginning(&self, folder: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["run".into()];
        words.extend(self.file.iter().map(OsString::from));
        words.extend(self.sets.iter().map(|set| OsString::from(format!("--set={set}"))));
        if let Some(from) = &self.resume {
            words.extend(["--resume".into(), from.into()]);
        }
        words.extend(["--force".into(), "--out".into(), folder.into()]);
        words
    }

    /// The options of this run, with one restart less.
    fn options(&self, quiet: bool) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut give = |name: &str, value: Option<String>| {
            words.extend(value.map(|value| OsString::from(format!("--{name}={value}"))));
        };
        let named = |value: &dyn Fn() -> Option<clap::builder::PossibleValue>| {
            value().map(|value| value.get_name().to_owned())
        };
        give("processes", self.processes.started_here().map(|own| own.to_string()));
        give("restarts", Some((self.restarts - 1).to_string()));
        give("threads", self.threads.map(|own| own.to_string()));
        give("partition", Some(self.partition.to_string()));
        give("route", named(&|| self.route.to_possible_value()));
        give("extrapolate", named(&|| self.extrapolate.to_possible_value()));
        give("timeout", Some(self.timeout.to_string()));
        give("checkpoint-every", Some(self.checkpoint_every.to_string()));
        give("rebalance", self.rebalance.map(|own| own.to_string()));
        give("rebalance-by-chance", self.rebalance_by_chance.map(|own| own.to_string()));
        for (name, given) in [
            ("--parts", self.parts),
            ("--trace", self.trace),
            ("--timings", self.timings),
            ("--no-picture", self.no_picture),
            ("--json", self.json),
            ("--quiet", quiet),
        ] {
            words.extend(given.then(|| OsString::from(name)));
        }
        words
    }
}
