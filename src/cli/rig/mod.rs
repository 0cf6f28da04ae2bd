//! `bekker rig`: soil, tire, wheel and track tests.

mod bed;
mod cone_index;
mod convergence;
mod footing;
mod output;
mod pivot;
mod plate;
mod shear;
mod slips;
mod table;
mod tire;
mod track;
mod tracked;
mod wheel;

use super::Failure;
use clap::{Args, Subcommand};

/// Run a soil test: press or shear a plate, press a tire, roll a wheel, drive tracks
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker rig plate --soil mud\n  \
    bekker rig shear --soil lete_sand_chrono --pressure 50e3 --json\n  \
    bekker rig tire --vehicle hmmwv\n  \
    bekker rig wheel --soil mud --vehicle hmmwv --slip 0:0.6:7\n  \
    bekker rig track --soil mud\n\n\
    Every rig repeats its run with half the node distance, half the step and a longer run. It\n\
    prints how far its results move. Disable this check with --no-check.")]
pub struct Rig {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Plate(plate::Plate),
    Shear(shear::Shear),
    #[command(alias = "tyre")]
    Tire(Box<tire::Tire>),
    Wheel(Box<wheel::Wheel>),
    Track(Box<track::Track>),
    Pivot(Box<pivot::Pivot>),
}

impl Rig {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        match self.command {
            Command::Plate(command) => command.execute(quiet),
            Command::Shear(command) => command.execute(quiet),
            Command::Tire(command) => command.execute(quiet),
            Command::Wheel(command) => command.execute(quiet),
            Command::Track(command) => command.execute(quiet),
            Command::Pivot(command) => command.execute(quiet),
        }
    }
}
