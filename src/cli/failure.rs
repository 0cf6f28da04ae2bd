//! Why a command did not do what was asked, and its exit code.

use crate::report::ReportError;
use crate::rig::RigError;
use crate::scenario::{Faults, shortened};
use crate::simulation::{RankError, ThreadError};
use crate::view::HtmlFileError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Exit code of a run that a signal ended early.
pub const INTERRUPTED: u8 = 130;

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
    /// Ranks that cannot go on together.
    #[error("ranks: {cause}{good}")]
    Ranks {
        /// Why.
        cause: RankError,
        /// What has been made good.
        good: String,
    },
    /// Another rank cannot begin, whose words are not seen where this one is.
    #[error("rank {rank} cannot begin: {cause}")]
    OtherRank {
        /// Which.
        rank: usize,
        /// What it says.
        cause: String,
        /// The exit code that goes with it.
        code: u8,
    },
    /// What has been told, by this rank or another.
    #[error("told before")]
    Reported {
        /// The exit code that goes with it.
        code: u8,
    },
    /// Ctrl-C, SIGTERM or SIGHUP.
    #[error("interrupted; go on with --resume {}", folder.display())]
    Interrupted {
        /// The run's folder, with a checkpoint.
        folder: PathBuf,
    },
    /// Ctrl-C, SIGTERM or SIGHUP while a dataset was made or a study was driven.
    #[error("interrupted; the same command goes on with what is in {}", folder.display())]
    FolderInterrupted {
        /// The folder of either.
        folder: PathBuf,
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
    /// Nothing that a rig was run at has a result.
    #[error("rig: no result at any slip; at {at}: {reason}")]
    NoResult {
        /// The first slip, slip angle or both.
        at: String,
        /// Why it has none.
        reason: String,
    },
    /// A result could not be written.
    #[error("{subject}: cannot be written: {cause}")]
    Output {
        /// Where to.
        subject: String,
        /// What the system says.
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
    /// A file that cannot be read or used.
    pub fn input(file: &Path, cause: &dyn std::error::Error) -> Failure {
        Failure::Input { subject: file.display().to_string(), cause: cause.to_string() }
    }

    /// A thread that the system does not start, of what `subject` names.
    pub fn threads(subject: &str, cause: std::io::Error) -> Failure {
        Failure::Run { subject: subject.into(), cause: ThreadError::from(cause).to_string() }
    }

    /// Says it on standard error, in one piece, if that is still to be done.
    pub fn tell(self) -> Failure {
        if !matches!(self, Failure::Reported { .. }) {
            let lines: Vec<String> = self.to_string().lines().map(shortened).collect();
            let text = lines.join("\n") + "\n";
            eprint!("{text}");
        }
        Failure::Reported { code: self.code() }
    }

    /// The exit code that scripts see.
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
