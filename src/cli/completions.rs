//! `bekker completions`

use super::{Cli, Failure, stdout};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bekker completions bash > /etc/bash_completion.d/bekker")]
pub struct Completions {
    /// Shell that the script is for
    shell: Shell,
}

impl Completions {
    pub fn execute(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "bekker", &mut script);
        stdout::print(String::from_utf8_lossy(&script).trim_end())
    }
}
