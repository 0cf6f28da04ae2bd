//! `bekker vehicles new`

use super::super::{Failure, stdout};
use crate::cli::shell_word::shell_word;
use crate::report::write_file;
use crate::vehicle::{catalog, find_vehicle};
use clap::Args;
use std::path::PathBuf;

/// Create a vehicle file from a vehicle of the catalog
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bekker vehicles new my_truck --from fmtv_4x4\n  \
    bekker vehicles check my_truck.toml")]
pub struct New {
    /// Name of the vehicle
    name: String,
    /// Vehicle from the catalog to copy
    #[arg(long, value_name = "VEHICLE", default_value = "hmmwv")]
    from: String,
    /// File to write (default: NAME.toml)
    #[arg(long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

impl New {
    pub fn execute(self) -> Result<(), Failure> {
        let wrong =
            |subject: &str, cause: String| Failure::Input { subject: subject.into(), cause };
        let Some((from, text)) = origin(&self.from)? else {
            let known: Vec<&str> = catalog().iter().map(|entry| entry.key).collect();
            let known = known.join(", ");
            return Err(wrong(
                &self.from,
                format!("no such vehicle in the catalog; known: {known}"),
            ));
        };
        let plain = |c: char| c.is_alphanumeric() || "-_ ".contains(c);
        if self.name.trim().is_empty() || !self.name.chars().all(plain) {
            let cause = "a name may contain only letters, digits, spaces, - and _".to_owned();
            return Err(wrong(&self.name, cause));
        }
        let path = self.out.unwrap_or_else(|| PathBuf::from(format!("{}.toml", self.name)));
        if path.symlink_metadata().is_ok() && !self.force {
            let cause = "already exists; overwrite it with --force".to_owned();
            return Err(wrong(&path.display().to_string(), cause));
        }
        write_file(&path, copied_file(&self.name, &from, &text).as_bytes())?;
        let (path, word) = (path.display(), shell_word(&path.to_string_lossy()));
        stdout::print(&format!(
            "{path}: copied from {from}; check it with:\n\
            `bekker vehicles check {word}`"
        ))
    }
}

/// Returns name and text of a vehicle of the catalog; with a trailer, the text has no comments.
fn origin(from: &str) -> Result<Option<(String, String)>, Failure> {
    if from.contains('+') {
        let wrong = |cause: String| Failure::Input { subject: from.into(), cause };
        let spec = find_vehicle(from).map_err(|error| wrong(error.to_string()))?;
        let text = toml::to_string(&spec).map_err(|error| wrong(error.to_string()))?;
        return Ok(Some((from.to_owned(), text)));
    }
    let entry = catalog().iter().find(|entry| entry.key.eq_ignore_ascii_case(from));
    Ok(entry.map(|entry| (entry.key.to_owned(), entry.text.to_owned())))
}

/// Returns the text of a vehicle with a new name and with its comments.
fn copied_file(name: &str, from: &str, text: &str) -> String {
    let named = text.lines().map(|line| match line.strip_prefix("name = ") {
        Some(_) => format!("name = {name:?}"),
        None => line.to_owned(),
    });
    // only the first `name` is the vehicle's; later ones belong to its axles
    let (mut first, mut lines) = (true, Vec::new());
    for (line, own) in named.zip(text.lines()) {
        let renamed = line != own && !std::mem::take(&mut first);
        lines.push(if renamed { own.to_owned() } else { line });
    }
    format!(
        "# {name}, copied from {from} of the catalog: all values below are those of {from} until \
         changed.\n\
         # Give the source of new values in `source`. `bekker vehicles check` shows the resulting \
         properties;\n\
         # docs/vehicles.md explains how to estimate values that no data sheet gives.\n\
         # Manufacturers' torque curves are net: set torque_basis = \"net\" in [powertrain.engine] \
         for them.\n\
         # Air drag acts only if [chassis] has drag_area, m2.\n\
         #\n\
         {}\n",
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vehicle::AnySpec;

    #[test]
    fn a_new_file_is_the_vehicle_under_another_name() {
        for entry in catalog() {
            let before = AnySpec::from_toml(entry.text).unwrap();
            let text = copied_file("Own 1", entry.key, entry.text);
            let after = AnySpec::from_toml(&text).unwrap();
            assert_eq!(after.name(), "Own 1");
            assert_eq!(after.total_mass(), before.total_mass());
            assert_eq!(after.source(), before.source());
        }
    }
}
