//! Checks that a document conforms to a JSON Schema.
//!
//! The schema is generated from the configuration types, so that types, ranges, required and
//! allowed keys are specified once, in Rust. A general validator crate reports faults in JSON
//! Schema terms and without lines. This one supports only the keywords that `schemars` emits for
//! the configuration types; a test keeps the schemas within [`KEYWORDS`].
//!
//! It supports one extension, `unit`, which is shown in messages about a range. The null of an
//! optional value is ignored, because TOML has no null.

use super::diagnostic::{Diagnostic, DiagnosticKind, nearest_word};
use super::document::{Document, DocumentNode, TomlValue, split_path};
use bekker_vehicle::inflation::pascal_hint;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// All supported schema keywords: those that are checked and those that only describe.
pub const KEYWORDS: [&str; 28] = [
    "$ref",
    "type",
    "const",
    "enum",
    "oneOf",
    "anyOf",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "increasing",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "unit",
    "$schema",
    "$defs",
    "title",
    "description",
    "default",
    "format",
    "minProperties",
    "examples",
];

/// Words that files of earlier versions spell in the British way, with their names in the schema.
/// The types read both by serde's `alias`, which `schemars` leaves out of the schema.
const EARLIER_SPELLINGS: [(&str, &str); 9] = [
    ("tyre", "tire"),
    ("centre", "center"),
    ("colour", "color"),
    ("grey", "gray"),
    ("ploughing", "plowing"),
    ("localisation", "localization"),
    ("immobilised", "immobilized"),
    ("immobilised_after", "immobilized_after"),
    ("immobilised_way", "immobilized_distance"),
];

/// The name in the schema of a key or word.
fn current_spelling(word: &str) -> &str {
    EARLIER_SPELLINGS.iter().find(|(earlier, _)| *earlier == word).map_or(word, |(_, name)| name)
}

/// Whether a value is a word of the schema, in either spelling.
fn is_word(value: &Json, word: &Json) -> bool {
    value == word || value.as_str().is_some_and(|value| word == current_spelling(value))
}

/// Returns all faults of a document against a schema.
pub fn conform(document: &Document, schema: &Json) -> Vec<Diagnostic> {
    let mut checker = Checker { definitions: &schema["$defs"], diagnostics: Vec::new() };
    checker.check("", &document.root, schema);
    checker.diagnostics
}

/// The problem of a key that is not one of the allowed ones.
fn unknown_key(name: &str, allowed: Vec<String>) -> DiagnosticKind {
    let path = split_path(name);
    if path.len() > 1 && allowed.iter().any(|known| known == path[0]) {
        return DiagnosticKind::DottedKey { nested: nested_tables(&path) };
    }
    let suggestion = nearest_word(name, allowed.iter().map(String::as_str));
    DiagnosticKind::UnknownKey { suggestion, allowed }
}

/// Writes a path of keys as nested tables, as in `{"time": {"duration": ...}}`.
fn nested_tables(path: &[&str]) -> String {
    path.iter().rev().fold("...".to_owned(), |inner, segment| match segment.parse::<usize>() {
        Ok(0) => format!("[{inner}]"),
        Ok(_) => format!("[..., {inner}]"),
        Err(_) => format!("{{{segment:?}: {inner}}}"),
    })
}

struct Checker<'s> {
    definitions: &'s Json,
    diagnostics: Vec<Diagnostic>,
}

impl<'s> Checker<'s> {
    fn diagnostic(&mut self, key: &str, node: &DocumentNode, problem: DiagnosticKind) {
        let value = match node.value {
            TomlValue::Table(_) => None,
            _ => Some(node.value.to_string()),
        };
        self.diagnostics.push(Diagnostic::new(node.location.clone(), key, value, problem));
    }

    /// Follows references to the schema that they name.
    fn resolve(&self, schema: &'s Json) -> &'s Json {
        match schema["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/")) {
            Some(name) => self.resolve(&self.definitions[name]),
            None => schema,
        }
    }

    fn check(&mut self, key: &str, node: &DocumentNode, schema: &'s Json) {
        if node.value.number().is_some_and(|x| !x.is_finite()) {
            return self.diagnostic(key, node, DiagnosticKind::NotFinite);
        }
        let resolved = self.resolve(schema);
        if !std::ptr::eq(resolved, schema) {
            self.check(key, node, resolved);
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(alternatives) = schema[choice].as_array() {
                return self.check_alternatives(key, node, alternatives);
            }
        }
        if let Some(words) = schema["enum"].as_array() {
            return self.check_word(key, node, words.iter());
        }
        if let Some(word) = schema.get("const") {
            return self.check_word(key, node, std::iter::once(word));
        }
        if !types(schema).is_empty() && !types(schema).iter().any(|t| has_type(&node.value, t)) {
            let (expected, found) = (expected(schema), node.value.kind());
            return self.diagnostic(key, node, DiagnosticKind::WrongType { expected, found });
        }
        match &node.value {
            TomlValue::Table(entries) => self.check_table(key, node, entries, schema),
            TomlValue::List(items) => self.check_list(key, node, items, schema),
            TomlValue::Text(text) => {
                let least = schema["minLength"].as_u64().unwrap_or(0);
                if (text.chars().count() as u64) < least {
                    let noun = if least == 1 { "character" } else { "characters" };
                    let expected = format!("at least {least} {noun}");
                    let problem =
                        DiagnosticKind::WrongLength { expected, found: text.chars().count() };
                    self.diagnostic(key, node, problem);
                }
                let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
                if (text.chars().count() as u64) > most {
                    let expected = format!("at most {most} characters");
                    let problem =
                        DiagnosticKind::WrongLength { expected, found: text.chars().count() };
                    self.diagnostic(key, node, problem);
                }
            }
            TomlValue::Integer(_) | TomlValue::Float(_) => self.check_range(key, node, schema),
            TomlValue::Boolean(_) | TomlValue::Moment(_) => {}
        }
    }

    /// Checks a value against alternatives: words, tagged tables or types.
    fn check_alternatives(&mut self, key: &str, node: &DocumentNode, alternatives: &'s [Json]) {
        let alternatives: Vec<&'s Json> = alternatives
            .iter()
            .map(|a| self.resolve(a))
            .filter(|a| a["type"].as_str() != Some("null"))
            .collect();
        if let [only] = alternatives[..] {
            return self.check(key, node, only);
        }
        if alternatives.iter().all(|a| a.get("const").is_some() || a.get("enum").is_some()) {
            return self.check_word(key, node, alternatives.iter().flat_map(|a| words(a)));
        }
        if let Some(tag) = discriminator(&alternatives) {
            return self.check_tagged(key, node, tag, &alternatives);
        }
        if alternatives.iter().all(|a| sole_key(a).is_some()) {
            return self.check_sole_key(key, node, &alternatives);
        }
        // among tables, choose the one with the most matching keys; the first one of equals
        let fitting = alternatives.iter().filter(|a| self.accepts_type(&node.value, a));
        let known = |alternative: &&&Json| match &node.value {
            TomlValue::Table(entries) => entries
                .keys()
                .filter(|key| !alternative["properties"][key.as_str()].is_null())
                .count(),
            _ => 0,
        };
        match fitting.rev().max_by_key(known) {
            Some(alternative) => self.check(key, node, alternative),
            None => {
                let mut kinds: Vec<_> = alternatives.iter().map(|a| self.describe(a)).collect();
                kinds.dedup();
                let (expected, found) = (kinds.join(" or "), node.value.kind());
                self.diagnostic(key, node, DiagnosticKind::WrongType { expected, found });
            }
        }
    }

    /// Whether the type of a value fits a schema, regardless of its content.
    fn accepts_type(&self, value: &TomlValue, schema: &'s Json) -> bool {
        if schema.get("const").is_some() || schema.get("enum").is_some() {
            return matches!(value, TomlValue::Text(_));
        }
        match schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            Some(inner) => inner.iter().any(|a| self.accepts_type(value, self.resolve(a))),
            None => types(schema).iter().any(|t| has_type(value, t)),
        }
    }

    /// Checks a table whose key `tag` selects the alternative.
    fn check_tagged(
        &mut self,
        key: &str,
        node: &DocumentNode,
        tag: &str,
        alternatives: &[&'s Json],
    ) {
        let TomlValue::Table(entries) = &node.value else {
            let expected = format!("a table with the key `{tag}`");
            let found = node.value.kind();
            return self.diagnostic(key, node, DiagnosticKind::WrongType { expected, found });
        };
        let tag_key = join(key, tag);
        let tags = || alternatives.iter().flat_map(|a| words(&a["properties"][tag]));
        let Some(given) = entries.get(tag) else {
            let expected = one_of(tags());
            let problem = DiagnosticKind::Missing { expected };
            self.diagnostics.push(Diagnostic::new(node.location.clone(), &tag_key, None, problem));
            return;
        };
        let chosen = alternatives.iter().find(|a| {
            words(&a["properties"][tag]).any(|word| is_word(&given.value.to_json(), word))
        });
        match chosen {
            Some(alternative) => self.check(key, node, alternative),
            None => self.check_word(&tag_key, given, tags()),
        }
    }

    /// Checks a table whose single key selects the alternative.
    fn check_sole_key(&mut self, key: &str, node: &DocumentNode, alternatives: &[&'s Json]) {
        let names = || alternatives.iter().filter_map(|a| sole_key(a));
        let allowed: Vec<String> = names().map(String::from).collect();
        let TomlValue::Table(entries) = &node.value else {
            let expected = format!("a table with one of the keys {}", allowed.join(", "));
            let found = node.value.kind();
            return self.diagnostic(key, node, DiagnosticKind::WrongType { expected, found });
        };
        let is_known = |name: &str| allowed.iter().any(|key| key == current_spelling(name));
        for (name, child) in entries.iter().filter(|(name, _)| !is_known(name)) {
            self.diagnostic(&join(key, name), child, unknown_key(name, allowed.clone()));
        }
        let known: Vec<_> = entries.iter().filter(|(name, _)| is_known(name)).collect();
        if known.len() != 1 {
            let given = known.iter().map(|(name, _)| name.to_string()).collect();
            return self.diagnostic(
                key,
                node,
                DiagnosticKind::NotExactlyOne { of: allowed, given },
            );
        }
        for alternative in alternatives {
            let name = sole_key(alternative).unwrap_or_default();
            for (given, child) in known.iter().filter(|(given, _)| current_spelling(given) == name)
            {
                self.check(&join(key, given), child, &alternative["properties"][name]);
            }
        }
    }

    fn check_word<'w>(
        &mut self,
        key: &str,
        node: &DocumentNode,
        words: impl Iterator<Item = &'w Json>,
    ) {
        let given = node.value.to_json();
        let words: Vec<&Json> = words.collect();
        if words.iter().any(|word| is_word(&given, word)) {
            return;
        }
        let allowed: Vec<String> = words.iter().map(|w| w.to_string()).collect();
        let suggestion = given.as_str().and_then(|given| {
            nearest_word(&given.to_lowercase(), words.iter().filter_map(|w| w.as_str()))
        });
        self.diagnostic(key, node, DiagnosticKind::NotOneOf { suggestion, allowed });
    }

    fn check_table(
        &mut self,
        key: &str,
        node: &DocumentNode,
        entries: &BTreeMap<String, DocumentNode>,
        schema: &'s Json,
    ) {
        let known = schema["properties"].as_object();
        for required in schema["required"].as_array().into_iter().flatten() {
            let name = required.as_str().unwrap_or_default();
            if !entries.contains_key(name) {
                let expected = self.describe(&schema["properties"][name]);
                let (key, problem) = (join(key, name), DiagnosticKind::Missing { expected });
                self.diagnostics.push(Diagnostic::new(node.location.clone(), &key, None, problem));
            }
        }
        for (name, child) in entries {
            let child_key = join(key, name);
            let property = |name: &str| known.and_then(|known| known.get(name));
            if let Some(property) = property(name).or_else(|| property(current_spelling(name))) {
                self.check(&child_key, child, property);
                continue;
            }
            match &schema["additionalProperties"] {
                Json::Bool(false) => {
                    let allowed: Vec<String> =
                        known.into_iter().flat_map(|known| known.keys().cloned()).collect();
                    self.diagnostic(&child_key, child, unknown_key(name, allowed));
                }
                rest @ Json::Object(_) => self.check(&child_key, child, rest),
                _ => {}
            }
        }
    }

    fn check_list(
        &mut self,
        key: &str,
        node: &DocumentNode,
        items: &[DocumentNode],
        schema: &'s Json,
    ) {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
        if !(least..=most).contains(&(items.len() as u64)) {
            let expected = match (least, most) {
                (least, most) if least == most => format!("{least} elements"),
                (_, most) if items.len() as u64 > most => format!("at most {most} elements"),
                (1, _) => "at least 1 element".to_string(),
                (least, _) => format!("at least {least} elements"),
            };
            self.diagnostic(
                key,
                node,
                DiagnosticKind::WrongLength { expected, found: items.len() },
            );
        }
        if schema["items"].is_object() {
            for (index, item) in items.iter().enumerate() {
                self.check(&format!("{key}[{index}]"), item, &schema["items"]);
            }
        }
        if schema["increasing"] == true {
            self.check_abscissae(key, items);
        }
    }

    /// Checks that the first numbers of a curve's points increase.
    fn check_abscissae(&mut self, key: &str, points: &[DocumentNode]) {
        let abscissa = |point: &DocumentNode| match &point.value {
            TomlValue::List(numbers) => numbers.first()?.value.number(),
            _ => None,
        };
        for (index, pair) in points.windows(2).enumerate() {
            let (Some(before), Some(x)) = (abscissa(&pair[0]), abscissa(&pair[1])) else {
                continue;
            };
            if x <= before
                && let TomlValue::List(numbers) = &pair[1].value
            {
                let key = format!("{key}[{}][0]", index + 1);
                self.diagnostic(&key, &numbers[0], DiagnosticKind::NotIncreasing { before });
            }
        }
    }

    fn check_range(&mut self, key: &str, node: &DocumentNode, schema: &'s Json) {
        let number = node.value.number().unwrap_or(f64::NAN);
        let bound = |name: &str| schema[name].as_f64();
        // beyond 2^53 distinct integers round to the same float
        let whole = |name: &str| match node.value {
            TomlValue::Integer(i) => Some((i, schema[name].as_i64()?)),
            _ => None,
        };
        let within = whole("minimum").is_none_or(|(i, least)| i >= least)
            && whole("maximum").is_none_or(|(i, most)| i <= most)
            && bound("minimum").is_none_or(|least| number >= least)
            && bound("maximum").is_none_or(|most| number <= most)
            && bound("exclusiveMinimum").is_none_or(|least| number > least)
            && bound("exclusiveMaximum").is_none_or(|most| number < most);
        if !within {
            let mut bounds = bounds(schema);
            if schema["unit"] == "kPa" {
                bounds += &pascal_hint(number, bound("maximum").unwrap_or(f64::INFINITY));
            }
            self.diagnostic(key, node, DiagnosticKind::OutOfRange { bounds });
        }
    }

    /// Describes in words the values that a schema allows, following references and tags.
    fn describe(&self, schema: &'s Json) -> String {
        let schema = self.resolve(schema);
        match schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            Some(alternatives) if alternatives.iter().all(|a| a.get("const").is_some()) => {
                one_of(alternatives.iter().flat_map(words))
            }
            Some(alternatives) => {
                let inner: Vec<&Json> = alternatives.iter().map(|a| self.resolve(a)).collect();
                match discriminator(&inner) {
                    Some(tag) => format!("a table with the key `{tag}`"),
                    None => {
                        let mut kinds: Vec<_> = inner.iter().map(|a| expected(a)).collect();
                        kinds.dedup();
                        kinds.join(" or ")
                    }
                }
            }
            None => expected(schema),
        }
    }
}

/// Path of the key `name` in the table at `key`.
fn join(key: &str, name: &str) -> String {
    if key.is_empty() { name.to_string() } else { format!("{key}.{name}") }
}

/// The values that a `const` or `enum` schema allows.
fn words(schema: &Json) -> impl Iterator<Item = &Json> {
    schema.get("const").into_iter().chain(schema["enum"].as_array().into_iter().flatten())
}

/// Formats values as `one of "a", "b"`.
fn one_of<'w>(words: impl Iterator<Item = &'w Json>) -> String {
    format!("one of {}", words.map(Json::to_string).collect::<Vec<_>>().join(", "))
}

/// The property whose constant value distinguishes all alternatives, if there is one.
fn discriminator<'s>(alternatives: &[&'s Json]) -> Option<&'s str> {
    let constant = |schema: &Json, name: &str| words(&schema["properties"][name]).next().is_some();
    let (first, rest) = alternatives.split_first()?;
    let names = first["properties"].as_object()?.keys();
    names
        .map(String::as_str)
        .find(|name| constant(first, name) && rest.iter().all(|schema| constant(schema, name)))
}

/// The key of a table schema with a single, required property.
fn sole_key(schema: &Json) -> Option<&str> {
    match &schema["required"].as_array()?[..] {
        [key] if schema["properties"].as_object()?.len() == 1 => key.as_str(),
        _ => None,
    }
}

/// The JSON types that a schema names.
fn types(schema: &Json) -> Vec<&str> {
    match &schema["type"] {
        Json::String(one) => vec![one],
        Json::Array(several) => several.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether a TOML value has a JSON type.
fn has_type(value: &TomlValue, name: &str) -> bool {
    matches!(
        (value, name),
        (TomlValue::Boolean(_), "boolean")
            | (TomlValue::Integer(_), "integer" | "number")
            | (TomlValue::Float(_), "number")
            | (TomlValue::Text(_), "string")
            | (TomlValue::List(_), "array")
            | (TomlValue::Table(_), "object")
    )
}

/// Describes in words the values that a schema allows.
fn expected(schema: &Json) -> String {
    let kinds: Vec<String> = types(schema)
        .into_iter()
        .filter(|name| *name != "null")
        .map(|name| match name {
            "boolean" => "true or false".to_string(),
            "integer" => with_bounds("an integer", schema),
            "number" => with_bounds("a number", schema),
            "string" => "a string".to_string(),
            "array" => match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
                (Some(least), Some(most)) if least == most => format!("a list of {least} elements"),
                _ => "a list".to_string(),
            },
            _ => "a table".to_string(),
        })
        .collect();
    if kinds.is_empty() { "a value".to_string() } else { kinds.join(" or ") }
}

/// Formats `a number > 0 m`, or `a number` without bounds.
fn with_bounds(noun: &str, schema: &Json) -> String {
    match bounds(schema) {
        bounds if bounds.is_empty() => noun.to_string(),
        bounds => format!("{noun} {bounds}"),
    }
}

/// Formats the range of a number with its unit: `> 0 m`, `from 0 to 1`.
fn bounds(schema: &Json) -> String {
    let bound = |name: &str| schema[name].as_f64();
    let range = match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!("from {least} to {most}"),
        (least, most) => [
            least.map(|x| format!(">= {x}")),
            bound("exclusiveMinimum").map(|x| format!("> {x}")),
            most.map(|x| format!("<= {x}")),
            bound("exclusiveMaximum").map(|x| format!("< {x}")),
        ]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" and "),
    };
    match schema["unit"].as_str() {
        Some(unit) if !range.is_empty() => format!("{range} {unit}"),
        _ => range,
    }
}
