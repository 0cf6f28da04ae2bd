//! Deserialization of JSON with the paths of unread keys and of invalid values.
//!
//! One deserializer does all three. Nesting `serde_ignored`, `serde_path_to_error` and `serde_json`
//! compiles each type three times, which was a quarter of this crate's code.

use super::source::{JsonSource, SEPARATOR};
use super::{ImportError, ImportLog};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Error, Value as Json};

/// Deserializes a value, and returns the paths of the keys that were not read.
///
/// On error it returns the path of the invalid value, and the cause.
pub(super) fn read_params<T: DeserializeOwned>(
    json: &Json,
) -> Result<(T, Vec<String>), (String, Error)> {
    let mut path = JsonPath::default();
    let read = T::deserialize(TrackedReader { json, path: &mut path });
    read.map(|params| (params, path.unread)).map_err(|error| (dotted(&path.at), error))
}

impl JsonSource {
    /// Deserializes the file; unread keys are listed as keys without counterpart.
    pub fn params<T: DeserializeOwned>(&self, log: &mut ImportLog) -> Result<T, ImportError> {
        let (params, unread) = read_params(&self.json).map_err(|(key, error)| {
            ImportError::Shape { file: self.display_name.clone(), key, cause: error.to_string() }
        })?;
        for key in unread {
            if !["Name", "Type", "Template"].contains(&key.as_str()) {
                log.omit(self, &key, omission_reason(&key));
            }
        }
        Ok(params)
    }
}

/// Reason why keys of visualization have no counterpart.
pub(super) const LOOK: &str = "affects the appearance only";

/// Returns the reason why a key has no counterpart.
fn omission_reason(key: &str) -> &'static str {
    let last = key.rsplit(SEPARATOR).next().unwrap_or(key);
    match last {
        "Visualization" | "Radius" | "Width" | "Visualization Radius" | "Length" => LOOK,
        "Contact" | "Contact Material" | "Contact Mesh" | "Gear Separation" => {
            "bekker has its own contact laws"
        }
        "Minimum Turning Radius" => "computed by `bekker vehicles check`",
        "Shaft Direction" => "engine and shafts do not turn the chassis in bekker",
        "Motor Block Inertia" | "Transmission Block Inertia" => {
            "engine and gearbox are fixed to the chassis in bekker"
        }
        last if last.contains("Bushing") => "joints are ideal in bekker",
        _ => "bekker has no such key",
    }
}

/// Step of a path in a document.
#[derive(Clone, Copy)]
enum PathStep<'de> {
    Key(&'de str),
    Index(usize),
}

/// Current path of the deserializer, and the keys not read; after an error, the path of the error.
#[derive(Default)]
struct JsonPath<'de> {
    at: Vec<PathStep<'de>>,
    unread: Vec<String>,
}

impl<'de> JsonPath<'de> {
    fn pass_by(&mut self, key: &str) {
        let own = |step: &PathStep<'de>| match step {
            PathStep::Key(key) => (*key).to_owned(),
            PathStep::Index(index) => index.to_string(),
        };
        let mut steps: Vec<String> = self.at.iter().map(own).collect();
        steps.push(key.to_owned());
        self.unread.push(steps.join(SEPARATOR));
    }

    /// Deserializes a value one step deeper.
    fn enter<S: DeserializeSeed<'de>>(
        &mut self,
        step: PathStep<'de>,
        json: &'de Json,
        seed: S,
    ) -> Result<S::Value, Error> {
        self.at.push(step);
        let value = seed.deserialize(TrackedReader { json, path: self })?;
        self.at.pop();
        Ok(value)
    }
}

/// Formats a path for messages: `Components[0].Mass`.
fn dotted(at: &[PathStep<'_>]) -> String {
    let mut text = String::new();
    for step in at {
        match step {
            PathStep::Key(key) if text.is_empty() => text.push_str(key),
            PathStep::Key(key) => text.push_str(&format!(".{key}")),
            PathStep::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    if text.is_empty() { ".".to_owned() } else { text }
}

struct TrackedReader<'de, 't> {
    json: &'de Json,
    path: &'t mut JsonPath<'de>,
}

impl<'de> TrackedReader<'de, '_> {
    /// Visits the value; `fields` are the keys to read, if known.
    fn visit<V: Visitor<'de>>(
        self,
        fields: Option<&'static [&'static str]>,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let path = self.path;
        match self.json {
            Json::Null => visitor.visit_unit(),
            Json::Bool(own) => visitor.visit_bool(*own),
            Json::String(text) => visitor.visit_borrowed_str(text),
            Json::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(whole), _) => visitor.visit_u64(whole),
                (_, Some(whole)) => visitor.visit_i64(whole),
                _ => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::Array(items) => {
                let mut own = Items { items, next: 0, path };
                let value = visitor.visit_seq(&mut own)?;
                if own.next < items.len() {
                    return Err(Error::invalid_length(items.len(), &"fewer elements in array"));
                }
                Ok(value)
            }
            Json::Object(entries) => visitor.visit_map(JsonEntries {
                entries: entries.iter(),
                value: None,
                fields,
                path,
            }),
        }
    }
}

impl<'de> Deserializer<'de> for TrackedReader<'de, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.visit(None, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.visit(Some(fields), visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.json.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map enum identifier
    }
}

struct Items<'de, 't> {
    items: &'de [Json],
    next: usize,
    path: &'t mut JsonPath<'de>,
}

impl<'de> SeqAccess<'de> for &mut Items<'de, '_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let index = self.next;
        let Some(json) = self.items.get(index) else { return Ok(None) };
        self.next += 1;
        self.path.enter(PathStep::Index(index), json, seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len() - self.next)
    }
}

struct JsonEntries<'de, 't> {
    entries: serde_json::map::Iter<'de>,
    value: Option<(&'de str, &'de Json)>,
    fields: Option<&'static [&'static str]>,
    path: &'t mut JsonPath<'de>,
}

impl<'de> MapAccess<'de> for JsonEntries<'de, '_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some((key, value));
        if self.fields.is_some_and(|fields| !fields.contains(&key.as_str())) {
            self.path.pass_by(key);
        }
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let Some((key, value)) = self.value.take() else {
            return Err(Error::custom("a value without a key"));
        };
        self.path.enter(PathStep::Key(key), value, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Part {
        #[serde(rename = "Mass")]
        mass: f64,
        #[serde(rename = "Place")]
        place: Option<[f64; 3]>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Whole {
        #[serde(rename = "Components")]
        components: Vec<Part>,
    }

    #[test]
    fn unread_keys_are_reported_by_path() {
        let json = json!({
            "Components": [{ "Mass": 2, "Look": { "Mass": 1 } }, { "Mass": 1.5, "Place": [1, -2, 3] }],
            "Name": "x",
        });
        let (read, unread) = read_params::<Whole>(&json).unwrap();
        let first = Part { mass: 2.0, place: None };
        let second = Part { mass: 1.5, place: Some([1.0, -2.0, 3.0]) };
        assert_eq!(read, Whole { components: vec![first, second] });
        assert_eq!(unread, ["Components / 0 / Look", "Name"]);
    }

    #[test]
    fn unexpected_values_are_reported_by_path() {
        let told = |json: Json| {
            let (at, error) = read_params::<Whole>(&json).unwrap_err();
            format!("{at}: {error}")
        };
        for (json, expected) in [
            (json!({}), ".: missing field `Components`"),
            (json!([1]), "[0]: invalid type: integer `1`, expected a sequence"),
            (json!({ "Components": [{}] }), "Components[0]: missing field `Mass`"),
            (
                json!({ "Components": [{ "Mass": "heavy" }] }),
                "Components[0].Mass: invalid type: string \"heavy\", expected f64",
            ),
            (
                json!({ "Components": [{ "Mass": 1, "Place": [1, 2] }] }),
                "Components[0].Place: invalid length 2, expected an array of length 3",
            ),
            (
                json!({ "Components": [{ "Mass": 1, "Place": [1, 2, 3, 4] }] }),
                "Components[0].Place: invalid length 4, expected fewer elements in array",
            ),
        ] {
            assert_eq!(told(json.clone()), expected, "{json}");
        }
    }
}
