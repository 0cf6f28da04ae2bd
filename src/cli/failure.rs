//! Why a command did not do what was asked, and its exit code.

use crate::scenario::Faults;
use crate::study::RigError;
use std::path::Path;
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
    /// Arguments that do not go together.
    #[error("error: invalid value '{value}' for '{argument}': must be {allowed}")]
    Usage {
        /// The argument.
        argument: &'static str,
        /// What was given for it.
        value: String,
        /// What the other arguments allow.
        allowed: String,
    },
    /// A rig that cannot run, or came to grief.
    #[error("rig: {0}")]
    Rig(#[from] RigError),
    /// A result could not be written.
    #[error("{subject}: cannot be written: {cause}")]
    Output {
        /// Where to.
        subject: String,
        /// What the system says.
        cause: std::io::Error,
    },
}

impl Failure {
    /// A file that cannot be read or used.
    pub fn input(file: &Path, cause: &dyn std::error::Error) -> Failure {
        Failure::Input { subject: file.display().to_string(), cause: cause.to_string() }
    }

    /// The exit code that scripts see.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Output { .. } | Failure::Rig(RigError::NotFinite { .. }) => 1,
            Failure::Usage { .. } => 2,
            Failure::Scenario(_) | Failure::Input { .. } | Failure::Rig(_) => 3,
        })
    }
}
