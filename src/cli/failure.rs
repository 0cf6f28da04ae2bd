//! Errors of commands and their exit codes.

use crate::report::ReportError;
use crate::rig::RigError;
use crate::scenario::{Diagnostics, shortened};
use crate::simulation::{RankError, ThreadError};
use crate::view::HtmlFileError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Exit code of a run that was ended early by a signal.
pub const INTERRUPTED: u8 = 130;

/// Error of a command.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Failure {
    /// A scenario has faults.
    #[error("{0}")]
    Scenario(#[from] Diagnostics),
    /// An argument refers to a missing or invalid object.
    #[error("{subject}: {cause}")]
    Input {
        /// The file or name.
        subject: String,
        /// Description of the problem.
        cause: String,
    },
    /// A result of a run could not be written or read.
    #[error("{0}")]
    Report(ReportError),
    /// A run failed.
    #[error("{subject}: {cause}")]
    Run {
        /// The vehicle or part of the run.
        subject: String,
        /// Description of the failure.
        cause: String,
    },
    /// The ranks cannot continue together.
    #[error("ranks: {cause}{good}")]
    Ranks {
        /// The cause.
        cause: RankError,
        /// Description of what was recovered.
        good: String,
    },
    /// Another rank cannot start, and its output is not visible here.
    #[error("rank {rank} cannot start: {cause}")]
    OtherRank {
        /// Number of the rank.
        rank: usize,
        /// Message of the rank.
        cause: String,
        /// Its exit code.
        code: u8,
    },
    /// An error that this or another rank has already reported.
    #[error("already reported")]
    Reported {
        /// Its exit code.
        code: u8,
    },
    /// Ctrl-C, SIGTERM or SIGHUP.
    #[error("interrupted; resume with --resume {}", folder.display())]
    Interrupted {
        /// The run's folder, with a checkpoint.
        folder: PathBuf,
    },
    /// Ctrl-C, SIGTERM or SIGHUP during the creation of a dataset or a study.
    #[error("interrupted; rerun the same command to resume from {}", folder.display())]
    FolderInterrupted {
        /// The folder of the dataset or study.
        folder: PathBuf,
    },
    /// Arguments that exclude each other.
    #[error("error: invalid value '{value}' for '{argument}': must be {allowed}")]
    Usage {
        /// The argument.
        argument: &'static str,
        /// Its value.
        value: String,
        /// The values that the other arguments allow.
        allowed: String,
    },
    /// A rig that cannot run or failed.
    #[error("rig: {0}")]
    Rig(#[from] RigError),
    /// No setting of a rig has a result.
    #[error("rig: no setting has a result; first, at {at}: {reason}")]
    NoResult {
        /// The first slip, slip angle or both.
        at: String,
        /// The reason.
        reason: String,
    },
    /// A result could not be written.
    #[error("{subject}: cannot write: {cause}")]
    Output {
        /// The destination.
        subject: String,
        /// Error of the system.
        cause: std::io::Error,
    },
}

impl From<HtmlFileError> for Failure {
    fn from(error: HtmlFileError) -> Failure {
        Failure::Run { subject: "--html".into(), cause: error.to_string() }
    }
}

impl From<RankError> for Failure {
    fn from(cause: RankError) -> Failure {
        Failure::Ranks { cause, good: String::new() }
    }
}

impl From<ThreadError> for Failure {
    fn from(error: ThreadError) -> Failure {
        Failure::Run { subject: "threads".into(), cause: error.to_string() }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Failure {
        Failure::Report(error)
    }
}

impl Failure {
    /// Creates the error for a file that cannot be read or used.
    pub fn input(file: &Path, cause: &dyn std::error::Error) -> Failure {
        Failure::Input { subject: file.display().to_string(), cause: cause.to_string() }
    }

    /// Creates the error for a thread of `subject` that the system did not start.
    pub fn threads(subject: &str, cause: std::io::Error) -> Failure {
        Failure::Run { subject: subject.into(), cause: ThreadError::from(cause).to_string() }
    }

    /// Prints the error on standard error in one write, unless it was already reported.
    pub fn print(self) -> Failure {
        if !matches!(self, Failure::Reported { .. }) {
            let lines: Vec<String> = self.to_string().lines().map(shortened).collect();
            let text = lines.join("\n") + "\n";
            eprint!("{text}");
        }
        Failure::Reported { code: self.code() }
    }

    /// The exit code of the process.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Report(
                ReportError::NotARun { .. }
                | ReportError::NotAMap { .. }
                | ReportError::OtherMap { .. }
                | ReportError::NotADataset { .. }
                | ReportError::OtherDataset { .. }
                | ReportError::NotAStudy { .. }
                | ReportError::OtherStudy { .. },
            ) => 3,
            Failure::Output { .. }
            | Failure::Report(_)
            | Failure::Run { .. }
            | Failure::NoResult { .. }
            | Failure::Rig(
                RigError::NotFinite { .. }
                | RigError::NotCarried { .. }
                | RigError::NotPressed { .. },
            ) => 1,
            Failure::Usage { .. } => 2,
            Failure::Scenario(_) | Failure::Input { .. } | Failure::Rig(_) => 3,
            Failure::Interrupted { .. }
            | Failure::FolderInterrupted { .. }
            | Failure::Ranks { cause: RankError::Interrupted, .. } => INTERRUPTED,
            Failure::Ranks { .. } => 1,
            Failure::OtherRank { code, .. } | Failure::Reported { code } => *code,
        }
    }
}
