//! Why a command did not do what was asked, and its exit code.

use crate::report::ReportError;
use crate::scenario::Faults;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thiserror::Error;

/// Why a command did not do what was asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Failure {
    /// Something in a scenario is wrong.
    #[error("{0}")]
    Scenario(#[from] Faults),
    /// An argument names nothing there is.
    #[error("{subject}: {cause}")]
    Input {
        /// The file or name.
        subject: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A result of a run could not be written or read.
    #[error("{0}")]
    Report(ReportError),
    /// A run came to nothing.
    #[error("{subject}: {cause}")]
    Run {
        /// The vehicle.
        subject: String,
        /// What happened.
        cause: String,
    },
    /// Ctrl-C.
    #[error("interrupted; go on with --resume {}", checkpoint.display())]
    Interrupted {
        /// The checkpoint that was written.
        checkpoint: PathBuf,
    },
    /// Something could not be written.
    #[error("{subject}: cannot be written: {cause}")]
    Output {
        /// Where to.
        subject: String,
        /// What the system says.
        cause: std::io::Error,
    },
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Failure {
        Failure::Report(error)
    }
}

impl Failure {
    /// A file that cannot be read or used.
    pub fn input(file: &Path, cause: &dyn std::error::Error) -> Failure {
        Failure::Input { subject: file.display().to_string(), cause: cause.to_string() }
    }

    /// The exit code that scripts see.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Output { .. } | Failure::Report(_) | Failure::Run { .. } => 1,
            Failure::Interrupted { .. } => 130,
            Failure::Scenario(_) | Failure::Input { .. } => 3,
        })
    }
}
