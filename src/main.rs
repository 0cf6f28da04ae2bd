//! The `bekker` command.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    bekker::cli::Cli::parse().execute()
}
