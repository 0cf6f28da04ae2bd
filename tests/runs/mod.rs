//! Runs of the binary, each in a folder removed with the test.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A scenario in its own folder, with the folders of its runs next to it.
pub struct Runs {
    pub folder: tempfile::TempDir,
    pub scenario: PathBuf,
}

impl Runs {
    /// Creates the folder of a scenario with this text.
    pub fn new(text: &str) -> Runs {
        let folder = tempfile::tempdir().unwrap();
        let scenario = folder.path().join("scenario.toml");
        std::fs::write(&scenario, text).unwrap();
        Runs { folder, scenario }
    }

    /// Returns the folder of a run.
    pub fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the arguments of a run into `out`.
    pub fn arguments<'a>(&'a self, out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
        let fixed = ["run", self.scenario.to_str().unwrap(), "-q", "--no-picture", "--out"];
        let mut arguments = fixed.to_vec();
        arguments.push(out.to_str().unwrap());
        arguments.extend(more);
        arguments
    }

    /// Runs in one process, which must be a success.
    pub fn single(&self, out: &Path, more: &[&str]) {
        let output = Command::new(bekker()).args(self.arguments(out, more)).output().unwrap();
        assert!(output.status.success(), "{}", stderr_text(&output));
    }
}

/// Returns the standard error of a run.
pub fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
/// Returns the program.
pub fn bekker() -> PathBuf {
    assert_cmd::cargo::cargo_bin("bekker")
}

/// Returns the text of a file of a run.
pub fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}
