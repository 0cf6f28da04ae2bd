//! JSON file that has been read.

use super::ImportError;
use super::file_kind::describe;
use serde_json::Value as Json;

/// Maximum length of a value that is shown in full, characters.
const SHOWN: usize = 40;

/// JSON file that has been read.
pub(super) struct JsonSource {
    /// Path relative to the folder.
    pub name: String,
    /// Path in messages: for the vehicle as given by the user, for other files relative to the
    /// folder.
    pub display_name: String,
    pub(super) json: Json,
}

impl JsonSource {
    /// Returns the template.
    pub fn template(&self) -> Result<&str, ImportError> {
        self.json.get("Template").and_then(Json::as_str).ok_or_else(|| ImportError::Shape {
            file: self.display_name.clone(),
            key: "Template".into(),
            cause: "must be given, as in all JSON files of Chrono vehicles".into(),
        })
    }

    /// Returns the string value of a key, if it has one.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.json.get(key).and_then(Json::as_str)
    }

    /// Returns the whole document.
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// Wraps a part of the document as a separate file of a type and template.
    pub fn part(&self, mut json: Json, kind: &str, template: &str) -> JsonSource {
        if let Some(entries) = json.as_object_mut() {
            entries.insert("Type".into(), kind.into());
            entries.insert("Template".into(), template.into());
        }
        JsonSource { name: self.name.clone(), display_name: self.display_name.clone(), json }
    }

    /// Returns the error for a file of the wrong kind.
    pub fn wrong_kind(&self, expected: &str) -> ImportError {
        ImportError::Kind {
            file: self.display_name.clone(),
            found: describe(&self.json),
            expected: expected.into(),
        }
    }

    /// Returns the error for a value that is not allowed.
    pub fn refused(&self, key: &str, value: &str, allowed: &str) -> ImportError {
        ImportError::Value {
            file: self.display_name.clone(),
            key: key.into(),
            value: value.into(),
            allowed: allowed.into(),
        }
    }

    /// Formats the value of a key for messages.
    pub fn display_value(&self, key: &str) -> String {
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

/// Separator of the keys of a path; keys may contain dots and spaces.
pub(super) const SEPARATOR: &str = " / ";
