//! Runs of the binary, each in a folder removed with the test.

use std::path::PathBuf;
use std::process::Output;

/// A scenario in its own folder, with the folders of its runs next to it.
pub struct Runs {
    pub folder: tempfile::TempDir,
    pub scenario: PathBuf,
}

impl Runs {
    /// Creates the folder of a scenario with this text.
    pub fn of(text: &str) -> Runs {
        let folder = tempfile::tempdir().unwrap();
        let scenario = folder.path().join("scenario.toml");
        std::fs::write(&scenario, text).unwrap();
        Runs { folder, scenario }
    }

    /// Returns the folder of a run.
    pub fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Returns the standard error of a run.
pub fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
