//! A JSON file that has been read.

use super::ImportError;
use super::file_kind::described;
use serde_json::Value as Json;

/// Longest value that is shown whole, characters.
const SHOWN: usize = 40;

/// A JSON file that has been read.
pub(super) struct Source {
    /// Its path below the folder.
    pub name: String,
    /// Its path as errors tell it: of the vehicle as it was asked for, of others that below the folder.
    pub told: String,
    pub(super) json: Json,
}

impl Source {
    /// Its template.
    pub fn template(&self) -> Result<&str, ImportError> {
        self.json.get("Template").and_then(Json::as_str).ok_or_else(|| ImportError::Shape {
            file: self.told.clone(),
            key: "Template".into(),
            cause: "must be given, as in all JSON files of Chrono's vehicles".into(),
        })
    }

    /// Its text of a key, if that has one.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.json.get(key).and_then(Json::as_str)
    }

    /// All of it.
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// A part of it as a file of its own, of a type and a template.
    pub fn part(&self, mut json: Json, kind: &str, template: &str) -> Source {
        if let Some(entries) = json.as_object_mut() {
            entries.insert("Type".into(), kind.into());
            entries.insert("Template".into(), template.into());
        }
        Source { name: self.name.clone(), told: self.told.clone(), json }
    }

    /// A file that is not what it must be.
    pub fn is_no(&self, expected: &str) -> ImportError {
        ImportError::Kind {
            file: self.told.clone(),
            found: described(&self.json),
            expected: expected.into(),
        }
    }

    /// A value that is not allowed.
    pub fn refused(&self, key: &str, value: &str, allowed: &str) -> ImportError {
        ImportError::Value {
            file: self.told.clone(),
            key: key.into(),
            value: value.into(),
            allowed: allowed.into(),
        }
    }

    /// The value of a key as it is shown.
    pub fn shown(&self, key: &str) -> String {
        let mut value = Some(&self.json);
        for step in key.split(SEPARATOR) {
            value = value.and_then(|inside| match step.parse::<usize>() {
                Ok(index) if inside.is_array() => inside.get(index),
                _ => inside.get(step),
            });
        }
        let text = value.map_or_else(String::new, Json::to_string);
        if text.chars().count() <= SHOWN {
            return text;
        }
        let cut: String = text.chars().take(SHOWN - 1).collect();
        format!("{cut}…")
    }
}

/// What stands between the keys of a path; keys hold dots and spaces themselves.
pub(super) const SEPARATOR: &str = " / ";
