//! Runs by the binary, each in a folder that is gone with the test.

use std::path::PathBuf;
use std::process::Output;

/// A scenario in a folder of its own, and the folders of its runs beside it.
pub struct Runs {
    pub folder: tempfile::TempDir,
    pub scenario: PathBuf,
}

impl Runs {
    /// Of the scenario with this text.
    pub fn of(text: &str) -> Runs {
        let folder = tempfile::tempdir().unwrap();
        let scenario = folder.path().join("scenario.toml");
        std::fs::write(&scenario, text).unwrap();
        Runs { folder, scenario }
    }

    /// The folder of a run.
    pub fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// What a run said beside its results.
pub fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
