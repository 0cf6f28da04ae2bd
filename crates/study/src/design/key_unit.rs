//! Units of a scenario's keys, from its schema.

use super::config::Factor;
use bekker_scenario::{self, Document};
use serde_json::Value;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(bekker_scenario::schema);

impl Factor {
    /// Returns the unit of the factor's levels.
    ///
    /// It is the common unit of all keys; `None` if they differ or the levels are scale factors.
    pub fn unit(&self) -> Option<&'static str> {
        if self.scale || self.levels.is_some() {
            return None;
        }
        let mut units = self.keys().map(unit);
        let first = units.next()??;
        units.all(|own| own == Some(first)).then_some(first)
    }
}

/// Returns the unit of a key such as `vehicle[0].inflation_kpa`.
///
/// `None` if the schema has no unit for it, or several.
fn unit(key: &str) -> Option<&'static str> {
    let mut nodes = vec![&*SCHEMA];
    for word in Document::plain_path(key).split('.') {
        let plain = nodes.into_iter().flat_map(resolved);
        let is_index = word.chars().all(|c| c.is_ascii_digit());
        nodes = plain
            .filter_map(|node| match is_index {
                true => node.get("items"),
                false => node.get("properties")?.get(word),
            })
            .collect();
    }
    let mut units = nodes.into_iter().flat_map(|node| {
        let own = node["unit"].as_str();
        own.or_else(|| resolved(node).into_iter().find_map(|inner| inner["unit"].as_str()))
    });
    let first = units.next()?;
    units.all(|own| own == first).then_some(first)
}

/// Returns a schema node with all nodes that it references, and all its variants.
fn resolved(node: &'static Value) -> Vec<&'static Value> {
    let mut found = vec![node];
    let mut n = 0;
    while n < found.len() {
        let own = found[n];
        let name = own["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
        let variants = ["anyOf", "oneOf", "allOf"].into_iter();
        let variants = variants.filter_map(|word| own[word].as_array()).flatten();
        for next in name.map(|name| &SCHEMA["$defs"][name]).into_iter().chain(variants) {
            // references may be cyclic
            if !found.iter().any(|known| std::ptr::eq(*known, next)) {
                found.push(next);
            }
        }
        n += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::unit;

    #[test]
    fn keys_have_the_units_of_the_schema() {
        assert_eq!(unit("vehicle[0].inflation_kpa"), Some("kPa"));
        assert_eq!(unit("vehicle[2].driver.speed"), Some("m/s"));
        assert_eq!(unit("time.duration"), Some("s"));
        for none in ["terrain.surface.grade", "soil.default", "no.such[3].key", ""] {
            assert_eq!(unit(none), None, "{none}");
        }
    }
}
