//! The command line, with one file per subcommand.
//!
//! Data goes to standard output, everything else to standard error. The exit code is 0 for success,
//! 1 for a failed run, 2 for an invalid command line, 3 for invalid input, and 130 after Ctrl-C,
//! SIGTERM or SIGHUP ([`Failure`]).

mod bench;
mod bench_envs;
mod compare;
mod completions;
mod dataset;
mod drive;
mod export_fmu;
mod failure;
mod foxglove_feed;
mod heartbeats;
mod identify;
mod interruption;
mod map;
mod mobility;
#[doc(hidden)]
pub mod models;
mod page_server;
mod planned_routes;
mod preview;
mod processes;
mod program;
mod progress_bar;
mod recorded_run;
mod render;
mod replay;
mod results;
mod rig;
mod run;
mod schema;
mod serving;
mod shard;
mod shell_word;
mod soils;
mod study;
mod swarm;
mod terrain;
mod validate;
mod vehicles;
mod view;
mod workers;

// for `bekker-bench`, which has the same arguments
#[doc(hidden)]
pub mod destination;
#[doc(hidden)]
pub mod environment;
#[doc(hidden)]
pub mod graphics;
#[doc(hidden)]
pub mod launcher;
#[doc(hidden)]
pub mod quantity;
#[doc(hidden)]
pub mod stdout;

pub use failure::Failure;

use clap::{Parser, Subcommand};
use std::ffi::OsString;

/// Off-road vehicle simulation on deformable terrain, with bit-reproducible results.
#[derive(Debug, Parser)]
#[command(
    name = "bekker",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Start here:\n  bekker run examples/convoy_mud.toml\n  bekker preview examples/convoy_mud.toml\n  bekker soils\n\n\
                  Exit codes: 0 success, 1 run failed, 2 invalid command line, 3 invalid input, 130 interrupted"
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Show no progress, only results, warnings and errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    Replay(replay::Replay),
    View(view::View),
    Preview(preview::Preview),
    Compare(compare::Compare),
    Render(render::Render),
    Validate(validate::Validate),
    Schema(schema::Schema),
    Soils(soils::Soils),
    Vehicles(vehicles::Vehicles),
    Rig(rig::Rig),
    Identify(identify::Identify),
    Terrain(terrain::Terrain),
    Dataset(Box<dataset::Dataset>),
    Study(study::Study),
    Swarm(swarm::Swarm),
    Mobility(mobility::Mobility),
    Map(map::Map),
    ExportFmu(export_fmu::ExportFmu),
    Bench(bench::Bench),
    Completions(completions::Completions),
}

impl Cli {
    /// Runs the command, prints its error, and returns the exit code.
    pub fn execute(self) -> u8 {
        let begun = environment::apply_environment()
            .and_then(|()| interruption::survive_file_size_limit())
            .and_then(|()| self.start_threads());
        let result = begun.and_then(|()| match self.command {
            Command::Run(command) => command.execute(self.quiet),
            Command::Replay(command) => command.execute(self.quiet),
            Command::View(command) => command.execute(self.quiet),
            Command::Compare(command) => command.execute(self.quiet),
            Command::Preview(command) => command.execute(self.quiet),
            Command::Render(command) => command.execute(self.quiet),
            Command::Validate(command) => command.execute(self.quiet),
            Command::Schema(command) => command.execute(),
            Command::Soils(command) => command.execute(),
            Command::Vehicles(command) => command.execute(),
            Command::Rig(command) => command.execute(self.quiet),
            Command::Identify(command) => command.execute(self.quiet),
            Command::Terrain(command) => command.execute(self.quiet),
            Command::Dataset(command) => command.execute(self.quiet),
            Command::Study(command) => command.execute(self.quiet),
            Command::Swarm(command) => command.execute(self.quiet),
            Command::Mobility(command) => command.execute(self.quiet),
            Command::Map(command) => command.execute(self.quiet),
            Command::ExportFmu(command) => command.execute(self.quiet),
            Command::Bench(command) => command.execute(self.quiet),
            Command::Completions(command) => command.execute(),
        });
        match result {
            Ok(()) => 0,
            Err(failure) => failure.print().code(),
        }
    }

    /// Starts the global pool, unless the command needs no threads.
    fn start_threads(&self) -> Result<(), Failure> {
        match &self.command {
            Command::Schema(_) | Command::Completions(_) => Ok(()),
            Command::Run(run) => environment::start_threads(run.threads()),
            _ => environment::start_threads(None),
        }
    }
}

pub use program::set_interpreter;

/// Runs the command `bekker` with these arguments, program name first, and returns the exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.execute(),
        Err(told) => {
            // if the message cannot be printed, the exit code still reports the error
            let _ = told.print();
            u8::try_from(told.exit_code()).unwrap_or(2)
        }
    }
}
