//! `bekker map`: where a vehicle can drive and how fast, with uncertainty.

mod audit;
mod crossings;
mod driven_cells;
mod map_cells;
mod map_files;
mod merge;
mod nrmm_files;
mod plan;
mod route;
mod run;
mod summary;

use super::Failure;
use clap::{Args, Subcommand};

/// Map where and how fast a vehicle can go over an elevation model, with probabilities
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bekker map plan examples/map_jacksboro.toml\n  bekker map run examples/map_jacksboro.toml --out going\n  \
    bekker map audit going --cells 300\n  \
    bekker map route going --from -1500,-1500 --to 1500,1200\n\n\
    Completed drives are kept in the folder and not repeated. Rerun the same `run` command to\n\
    resume an interrupted map. See docs/maps.md."
)]
pub struct Map {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Plan(plan::Plan),
    Run(run::Run),
    Audit(audit::Audit),
    Route(route::Route),
    Merge(merge::Merge),
}

impl Map {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        match self.command {
            Command::Plan(command) => command.execute(),
            Command::Run(command) => command.execute(quiet),
            Command::Audit(command) => command.execute(quiet),
            Command::Route(command) => command.execute(quiet),
            Command::Merge(command) => command.execute(),
        }
    }
}
