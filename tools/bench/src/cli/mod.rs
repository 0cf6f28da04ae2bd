//! The command line, with one file per subcommand.

mod allocations;
mod launcher;
mod link;
mod m113;
mod scaling;
mod sensors;
mod sync;

use bekker::cli::environment;
use bekker::cli::stdout::{print, print_json};
use clap::{Parser, Subcommand};
use serde::Serialize;
use std::process::ExitCode;

/// Error of a benchmark.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Measure the cost of parts of bekker
#[derive(Debug, Parser)]
#[command(name = "bekker-bench", version, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Show no progress, only results and errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Sensors(sensors::BenchSensors),
    Sync(sync::BenchSync),
    M113Scm(m113::BenchM113),
    Link(link::BenchLink),
    Scaling(scaling::BenchScaling),
}

impl Cli {
    fn execute(self) -> Result<(), Failure> {
        environment::apply_environment()?;
        environment::start_threads(None)?;
        match self.command {
            Command::Sensors(bench) => bench.execute(self.quiet),
            Command::Sync(bench) => bench.execute(self.quiet),
            Command::M113Scm(bench) => bench.execute(self.quiet),
            Command::Link(bench) => bench.execute(self.quiet),
            Command::Scaling(bench) => bench.execute(self.quiet),
        }
    }
}

/// Runs the command line; the exit code is 1 for a failure, 2 for an invalid command line.
pub fn main() -> ExitCode {
    match Cli::parse().execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// Prints results as JSON or as text.
fn print_results(
    json: bool,
    results: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if json {
        print_json(results)?
    } else {
        print(&text())?
    }
    Ok(())
}
