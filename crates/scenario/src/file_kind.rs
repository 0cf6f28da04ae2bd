//! Kinds of files, which their keys distinguish.

use super::document::{Document, TomlValue};
use super::{Diagnostic, DiagnosticKind};

/// A kind of TOML file that users write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A scenario.
    Scenario,
    /// A study.
    Study,
    /// A mobility map.
    Map,
    /// A wheeled or tracked vehicle.
    Vehicle,
}

impl FileKind {
    /// Returns the kind of a file with keys that no other kind has, whatever its other keys.
    fn by_keys(document: &Document) -> Option<FileKind> {
        let has = |key: &str| document.get(key).is_some();
        let vehicle = document.get("vehicle").map(|node| &node.value);
        if has("scenario") && ["factor", "design", "responses"].into_iter().any(has) {
            Some(FileKind::Study)
        } else if has("cell") && matches!(vehicle, Some(TomlValue::Table(_))) {
            Some(FileKind::Map)
        } else if has("time") && matches!(vehicle, Some(TomlValue::List(_))) {
            Some(FileKind::Scenario)
        } else if has("chassis") && (has("axles") || has("running_gear")) {
            Some(FileKind::Vehicle)
        } else {
            None
        }
    }

    /// Refuses a file of another kind and names the command for it, instead of reporting each of its
    /// keys as unknown.
    ///
    /// # Errors
    /// The one fault of a file of another kind.
    pub fn check(self, document: &Document) -> Result<(), Diagnostic> {
        let file = document.root.location.file().unwrap_or("FILE");
        let use_instead = match FileKind::by_keys(document) {
            Some(other) if other == self => return Ok(()),
            None => return Ok(()),
            Some(FileKind::Scenario) => format!("a scenario: `bekker run {file}` runs it"),
            Some(FileKind::Study) => {
                format!("a study: `bekker study run {file} --out FOLDER` runs it")
            }
            Some(FileKind::Map) => format!("a map: `bekker map run {file} --out FOLDER` draws it"),
            Some(FileKind::Vehicle) => format!(
                "a vehicle: `bekker vehicles check {file}` checks it, and `vehicle.model` of a scenario \
                 names it"
            ),
        };
        let wanted = match self {
            FileKind::Scenario => "a scenario",
            FileKind::Study => "a study",
            FileKind::Map => "a map",
            FileKind::Vehicle => "a vehicle",
        };
        let cause = format!("must be {wanted}, but is {use_instead}");
        Err(document.diagnostic("", DiagnosticKind::Refused { cause }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_kind_is_refused_in_one_sentence() {
        let texts = [
            (FileKind::Scenario, "time = { duration = 1 }\nvehicle = [{ name = 'a' }]\n"),
            (FileKind::Study, "scenario = 'a.toml'\ndesign = 'full_factorial'\n"),
            (FileKind::Map, "vehicle = { model = 'hmmwv' }\ncell = 10\n"),
            (FileKind::Vehicle, "name = 'a'\nchassis = { mass = 1 }\naxles = []\n"),
        ];
        for (kind, text) in texts {
            let document = Document::parse("x.toml", text).unwrap();
            assert_eq!(FileKind::by_keys(&document), Some(kind));
            for (other, _) in texts {
                assert_eq!(other.check(&document).is_ok(), other == kind);
            }
        }
        let study = Document::parse("x.toml", texts[1].1).unwrap();
        assert_eq!(
            FileKind::Scenario.check(&study).unwrap_err().to_string(),
            "x.toml: must be a scenario, but is a study: `bekker study run x.toml --out FOLDER` runs it"
        );
        // a scenario with a slip of the pen has its own faults
        let wrong = Document::parse("x.toml", "time = { duration = 1 }\ncell = 3\n").unwrap();
        assert!(FileKind::Scenario.check(&wrong).is_ok());
    }
}
