//! `bekker schema`

use super::{Failure, stdout};
use clap::Args;

/// Print the JSON Schema of scenario files
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bekker schema > scenario.schema.json\n\n\
    Editors with a TOML language server check and complete scenarios by it.")]
pub struct Schema {}

impl Schema {
    pub fn execute(self) -> Result<(), Failure> {
        stdout::print_json(&crate::scenario::schema())
    }
}
