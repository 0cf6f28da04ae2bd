//! `bekker schema`

use super::{Failure, stdout};
use crate::report::keys;
use crate::scenario;
use clap::{Args, ValueEnum};

/// Print the JSON Schema of scenario files or vehicle files
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker schema > scenario.schema.json\n  \
    bekker schema wheeled > wheeled.schema.json\n  bekker schema --markdown\n  \
    bekker schema --markdown --section vehicle.sensor\n\n\
    Editors with a TOML language server use the schema to check and complete files.")]
pub struct Schema {
    /// File format to describe
    #[arg(value_enum, default_value = "scenario", value_name = "FORMAT")]
    of: Format,
    /// Print Markdown tables instead: every key with type, unit, range and default
    #[arg(long)]
    markdown: bool,
    /// Print only this section and those below it, such as vehicle.sensor
    #[arg(long, value_name = "PATH", requires = "markdown")]
    section: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Scenario files
    Scenario,
    /// Wheeled vehicle files
    Wheeled,
    /// Tracked vehicle files
    Tracked,
}

impl Schema {
    pub fn execute(self) -> Result<(), Failure> {
        let (schema, title, command) = match self.of {
            Format::Scenario => (scenario::schema(), "scenario", "bekker schema"),
            Format::Wheeled => {
                let schema = scenario::build::wheeled_schema();
                (schema, "wheeled vehicle", "bekker schema wheeled")
            }
            Format::Tracked => {
                let schema = scenario::build::tracked_schema();
                (schema, "tracked vehicle", "bekker schema tracked")
            }
        };
        if !self.markdown {
            return stdout::print_json(&schema);
        }
        let introduction = format!(
            "# Keys of a {title}\n\n\
             Printed by `{command} --markdown` from the JSON Schema by which files are checked \
             (`{command}`). Units are SI; keys that end in `_deg` are in degrees. A section is a \
             table of the file, named by its path. Unknown keys are errors."
        );
        if let Some(path) = &self.section {
            let text = keys::section(&schema, path).map_err(|paths| Failure::Usage {
                argument: "--section",
                value: path.clone(),
                allowed: format!("one of {}, or a path below", paths.join(", ")),
            })?;
            return stdout::print(text.trim());
        }
        stdout::print(keys::page(&schema, &introduction).trim_end())
    }
}
