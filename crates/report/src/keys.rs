//! The keys of a format as a page of tables, generated from its JSON Schema.
//!
//! Each definition of the schema is a section, titled with the shortest path to it. Its other paths
//! are listed below its table.

use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

const HEAD: &str =
    "| key | type | unit | range | default | |\n| --- | --- | --- | --- | --- | --- |";

/// Returns the page in Markdown, with an introduction.
pub fn page(schema: &Json, introduction: &str) -> String {
    let sections = SchemaSections::new(schema);
    let mut text = format!("{introduction}\n");
    sections.write(&mut text, schema, "Top level");
    sections.write_all(&mut text, schema, |_| true);
    text
}

/// Returns the section of a path such as `vehicle.sensor` and all sections below it, in Markdown.
///
/// # Errors
/// The paths of the first level, if there is no such section.
pub fn section(schema: &Json, path: &str) -> Result<String, Vec<String>> {
    let sections = SchemaSections::new(schema);
    let below = format!("{path}.");
    let mut text = String::new();
    sections.write_all(&mut text, schema, |own| own == path || own.starts_with(&below));
    if text.is_empty() {
        let paths: BTreeSet<&String> = sections.0.values().map(|paths| &paths[0]).collect();
        return Err(paths.into_iter().filter(|path| !path.contains('.')).cloned().collect());
    }
    Ok(text)
}

/// Definitions by name, each with the paths to it, the shortest first.
struct SchemaSections(BTreeMap<String, Vec<String>>);

impl SchemaSections {
    fn new(schema: &Json) -> SchemaSections {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut waiting = VecDeque::from([(schema, String::new())]);
        while let Some((node, path)) = waiting.pop_front() {
            for (key, inner) in node["properties"].as_object().into_iter().flatten() {
                let dot = if path.is_empty() { "" } else { "." };
                waiting.push_back((inner, format!("{path}{dot}{key}")));
            }
            waiting.extend(variants(node).map(|inner| (inner, path.clone())));
            waiting.extend(node.get("items").map(|inner| (inner, path.clone())));
            if let Some(name) = referred(node) {
                let paths = found.entry(name.to_owned()).or_default();
                if paths.is_empty() {
                    waiting.push_back((&schema["$defs"][name], path.clone()));
                }
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        SchemaSections(found)
    }

    /// Writes the sections whose path is `wanted`, in the order of their paths.
    fn write_all(&self, text: &mut String, schema: &Json, wanted: impl Fn(&str) -> bool) {
        let mut names: Vec<&String> =
            self.0.keys().filter(|name| wanted(&self.0[*name][0])).collect();
        names.sort_by_key(|name| &self.0[*name][0]);
        for name in names {
            self.write(text, &schema["$defs"][name.as_str()], &self.title(name));
            let others: Vec<String> =
                self.0[name].iter().skip(1).map(|path| format!("`{path}`")).collect();
            if !others.is_empty() {
                let _ = writeln!(text, "\nAlso used at {}.", others.join(", "));
            }
        }
    }

    /// Returns the path of a definition, followed by its name if other definitions have the same
    /// path.
    fn title(&self, name: &str) -> String {
        let path = &self.0[name][0];
        if self.0.values().filter(|paths| paths[0] == *path).count() == 1 {
            return format!("`{path}`");
        }
        let word =
            |c: char| if c.is_uppercase() { format!(" {}", c.to_lowercase()) } else { c.into() };
        format!("`{path}`:{}", name.chars().map(word).collect::<String>())
    }

    fn write(&self, text: &mut String, node: &Json, title: &str) {
        let _ = writeln!(text, "\n## {title}\n\n{}", described(node));
        self.table(text, node);
        let (tables, plain): (Vec<&Json>, Vec<&Json>) =
            variants(node).partition(|variant| variant["properties"].is_object());
        if !plain.is_empty() {
            let _ = writeln!(text, "\n| value | |\n| --- | --- |");
        }
        for variant in plain {
            let _ = writeln!(text, "| {} | {} |", self.kind(variant), described(variant));
        }
        for variant in tables {
            if let Some(name) = variant["properties"]["kind"]["const"].as_str() {
                let _ =
                    writeln!(text, "\n### {title}, `kind = \"{name}\"`\n\n{}", described(variant));
            }
            self.table(text, variant);
        }
    }

    /// Writes a row for every key except the one that selects a variant.
    fn table(&self, text: &mut String, node: &Json) {
        let keys: Vec<(&String, &Json)> =
            node["properties"].as_object().into_iter().flatten().collect();
        let keys = keys.into_iter().filter(|(_, inner)| inner["const"].is_null());
        for (n, (key, inner)) in keys.enumerate() {
            if n == 0 {
                let _ = writeln!(text, "\n{HEAD}");
            }
            let required =
                node["required"].as_array().is_some_and(|all| all.contains(&key.as_str().into()));
            let default = match &inner["default"] {
                _ if required => "required".to_owned(),
                Json::Null | Json::Object(_) => String::new(),
                value => format!("`{value}`"),
            };
            let unit = inner["unit"].as_str().unwrap_or_default();
            let (kind, range, what) = (self.kind(inner), range(inner), described(inner));
            let _ = writeln!(text, "| `{key}` | {kind} | {unit} | {range} | {default} | {what} |");
        }
    }

    /// Returns the type of a value in words, with a link to its section if there is one.
    fn kind(&self, node: &Json) -> String {
        if let Some(name) = referred(node) {
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, '_' | ' ');
            let title = self.title(name);
            let anchor: String = title.to_lowercase().chars().filter(kept).collect();
            return format!("[{}](#{})", title.replace('`', ""), anchor.replace(' ', "-"));
        }
        if let Some(value) = node.get("const") {
            return format!("`{value}`");
        }
        // an optional value is itself or null, and TOML has no null
        if node["anyOf"].is_array() {
            let kinds = variants(node).filter(|v| v["type"] != "null").map(|v| self.kind(v));
            return kinds.collect::<Vec<_>>().join(" or ");
        }
        let named = |name: &str| node["type"] == name || node["type"][0] == name;
        match ["number", "integer", "boolean", "string", "array"]
            .into_iter()
            .find(|name| named(name))
        {
            Some("integer") => "whole number".into(),
            Some("boolean") => "true or false".into(),
            Some("string") => "text".into(),
            Some("array") => {
                let (least, items) = (&node["minItems"], self.kind(&node["items"]));
                let plain = ["number", "whole number", "text"].contains(&items.as_str());
                let s = if plain { "s" } else { "" };
                let fixed = !least.is_null() && *least == node["maxItems"];
                if fixed { format!("{least} {items}{s}") } else { format!("list of {items}{s}") }
            }
            number => number.unwrap_or("table").into(),
        }
    }
}

fn variants(node: &Json) -> impl Iterator<Item = &Json> {
    ["oneOf", "anyOf"].into_iter().filter_map(|word| node[word].as_array()).flatten()
}

fn referred(node: &Json) -> Option<&str> {
    node["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// Returns the bounds of a number, or of the elements of a list.
fn range(node: &Json) -> String {
    let node = if node["items"].is_object() { &node["items"] } else { node };
    let bounds =
        [("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<")];
    let bound = |(key, sign): (&str, &str)| match node[key].as_f64()? {
        large if large.abs() >= 1e6 => Some(format!("{sign} {large:e}")),
        value => Some(format!("{sign} {value}")),
    };
    bounds.into_iter().filter_map(bound).collect::<Vec<_>>().join(", ")
}

/// Returns the description, escaped for a table cell.
fn described(node: &Json) -> String {
    node["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}
