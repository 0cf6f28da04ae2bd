//! Expands vehicle entries with rows and columns into vehicles.
//!
//! `row = { count, to }` places `count` vehicles evenly from the entry's position to `to`. The k-th
//! of N (from 0) is at the fraction (k + 1/2) / N, so that a single one is in the center.
//! `column = { count, distance }` adds vehicles straight behind; each follows the one
//! ahead. Each vehicle keeps the source location of its entry.

use super::config::{COLUMN_DISTANCE, COLUMN_SPEED};
use super::diagnostic::{Diagnostic, DiagnosticKind, Diagnostics};
use super::document::{Document, DocumentNode, TomlValue};
use super::expanded_vehicles::ExpandedVehicles;
use bekker_math::numeric::sin_cos;
use std::collections::BTreeMap;

/// Maximum number of vehicles of a scenario.
///
/// Rut owner ids in the ground are 16-bit numbers; 0xFFFF means none.
const MAX_VEHICLES: usize = 65_535;

/// Expands rows and columns into vehicles.
///
/// The document conforms to the schema, and its positions are in the local frame.
///
/// # Errors
/// More than 65,535 vehicles; a row with a key for a property that its driver lacks.
pub fn expand(document: &mut Document) -> Result<(), Diagnostics> {
    Diagnostics::into_result(ineffective_keys(document))?;
    let TomlValue::Table(root) = &mut document.root.value else { return Ok(()) };
    let Some(DocumentNode { value: TomlValue::List(vehicles), .. }) = root.get_mut("vehicle")
    else {
        return Ok(());
    };
    let count: usize = vehicles.iter().map(vehicle_count).sum();
    if count > MAX_VEHICLES {
        let cause = format!("gives {count} vehicles; must be at most {MAX_VEHICLES}");
        return Err(document.diagnostic("vehicle", DiagnosticKind::Refused { cause }).into());
    }
    let given = std::mem::take(vehicles);
    let expanded_entries = |entry: DocumentNode| {
        expand_row(entry).into_iter().flat_map(expand_column).collect::<Vec<_>>()
    };
    let expanded_entries: Vec<Vec<DocumentNode>> =
        given.iter().cloned().map(expanded_entries).collect();
    let counts: Vec<usize> = expanded_entries.iter().map(Vec::len).collect();
    *vehicles = expanded_entries.into_iter().flatten().collect();
    document.expanded = Some(ExpandedVehicles::new(given, counts));
    Ok(())
}

/// Faults for keys of rows that refer to a property that the driver lacks.
fn ineffective_keys(document: &Document) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let Some(DocumentNode { value: TomlValue::List(vehicles), .. }) = document.get("vehicle")
    else {
        return diagnostics;
    };
    for index in 0..vehicles.len() {
        let has = |key: &str| document.get(&format!("vehicle[{index}].{key}")).is_some();
        for (key, needed, other) in [
            ("row.goal_to", "driver.goal", "a driver without a goal"),
            ("row.parallel", "driver.waypoints", "a driver without waypoints"),
        ] {
            if has(key) && !has(needed) {
                let key = format!("vehicle[{index}].{key}");
                diagnostics.push(document.diagnostic(&key, DiagnosticKind::Excludes { other }));
            }
        }
    }
    diagnostics
}

/// Number of vehicles that an entry expands to.
fn vehicle_count(entry: &DocumentNode) -> usize {
    let TomlValue::Table(own) = &entry.value else { return 1 };
    let count = |key: &str| match own.get(key) {
        Some(DocumentNode { value: TomlValue::Table(table), .. }) => {
            number(table, "count").unwrap_or(1.0)
        }
        _ => 1.0,
    };
    (count("row") * count("column")) as usize
}

fn number(table: &BTreeMap<String, DocumentNode>, key: &str) -> Option<f64> {
    table.get(key).and_then(|node| node.value.number())
}

/// Expands the row of an entry.
fn expand_row(entry: DocumentNode) -> Vec<DocumentNode> {
    let TomlValue::Table(mut own) = entry.value else { return vec![entry] };
    let Some(DocumentNode { value: TomlValue::Table(row), .. }) = own.remove("row") else {
        return vec![DocumentNode { location: entry.location, value: TomlValue::Table(own) }];
    };
    let count = number(&row, "count").unwrap_or(1.0) as u32;
    let is_parallel =
        matches!(row.get("parallel"), Some(DocumentNode { value: TomlValue::Boolean(true), .. }));
    let begin = own.get("position").cloned();
    let member = |index: u32| {
        let mut member = own.clone();
        let share = (f64::from(index) + 0.5) / f64::from(count);
        if let Some(DocumentNode { value: TomlValue::Text(name), .. }) = member.get_mut("name") {
            *name = format!("{name}_{}", index + 1);
        }
        move_towards(member.get_mut("position"), row.get("to"), share);
        if let Some(DocumentNode { value: TomlValue::Table(driver), .. }) = member.get_mut("driver")
        {
            move_towards(driver.get_mut("goal"), row.get("goal_to"), share);
            if let (true, Some(begin), Some(to)) = (is_parallel, &begin, row.get("to")) {
                move_along(driver.get_mut("waypoints"), begin, to, share);
            }
        }
        DocumentNode { location: entry.location.clone(), value: TomlValue::Table(member) }
    };
    (0..count).map(member).collect()
}

/// Expands the column of an entry; the head comes first.
fn expand_column(entry: DocumentNode) -> Vec<DocumentNode> {
    let TomlValue::Table(mut own) = entry.value else { return vec![entry] };
    let location = entry.location;
    let Some(DocumentNode { value: TomlValue::Table(column), .. }) = own.remove("column") else {
        return vec![DocumentNode { location, value: TomlValue::Table(own) }];
    };
    let count = number(&column, "count").unwrap_or(1.0) as u32;
    let distance = number(&column, "distance").unwrap_or(COLUMN_DISTANCE);
    let speed = number(&column, "speed").unwrap_or(COLUMN_SPEED);
    let name = match own.get("name") {
        Some(DocumentNode { value: TomlValue::Text(name), .. }) => name.clone(),
        _ => String::new(),
    };
    let named =
        |index: u32| if index == 0 { name.clone() } else { format!("{name}_{}", index + 1) };
    let (sin, cos) = sin_cos(number(&own, "heading_deg").unwrap_or(0.0).to_radians());
    let text = |text: &str| DocumentNode {
        location: location.clone(),
        value: TomlValue::Text(text.into()),
    };
    let member = |index: u32| {
        let mut member = own.clone();
        if index > 0 {
            member.insert("name".into(), text(&named(index)));
            let back = f64::from(index) * distance;
            shift(member.get_mut("position"), [-back * cos, -back * sin]);
            let speed = DocumentNode { location: location.clone(), value: TomlValue::Float(speed) };
            let driver =
                [("kind", text("follow")), ("leader", text(&named(index - 1))), ("speed", speed)];
            let driver = driver.map(|(key, node)| (key.to_owned(), node)).into_iter().collect();
            member.insert(
                "driver".into(),
                DocumentNode { location: location.clone(), value: TomlValue::Table(driver) },
            );
        }
        DocumentNode { location: location.clone(), value: TomlValue::Table(member) }
    };
    (0..count).map(member).collect()
}

/// Moves a point by a fraction of the vector to another point.
fn move_towards(point: Option<&mut DocumentNode>, to: Option<&DocumentNode>, share: f64) {
    let (
        Some(DocumentNode { value: TomlValue::List(from), .. }),
        Some(DocumentNode { value: TomlValue::List(to), .. }),
    ) = (point, to)
    else {
        return;
    };
    for (from, to) in from.iter_mut().zip(to) {
        if let (Some(a), Some(b)) = (from.value.number(), to.value.number()) {
            from.value = TomlValue::Float(a + share * (b - a));
        }
    }
}

/// Moves points by a fraction of the vector from one point to another.
fn move_along(
    points: Option<&mut DocumentNode>,
    from: &DocumentNode,
    to: &DocumentNode,
    share: f64,
) {
    let Some(DocumentNode { value: TomlValue::List(points), .. }) = points else { return };
    let coordinate = |node: &DocumentNode, axis: usize| match &node.value {
        TomlValue::List(pair) => pair.get(axis).and_then(|own| own.value.number()).unwrap_or(0.0),
        _ => 0.0,
    };
    let offset = [0, 1].map(|axis| share * (coordinate(to, axis) - coordinate(from, axis)));
    points.iter_mut().for_each(|point| shift(Some(point), offset));
}

/// Moves a point by a vector, m.
fn shift(point: Option<&mut DocumentNode>, offset: [f64; 2]) {
    let Some(DocumentNode { value: TomlValue::List(pair), .. }) = point else { return };
    for (own, offset) in pair.iter_mut().zip(offset) {
        if let Some(from) = own.value.number() {
            own.value = TomlValue::Float(from + offset);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_spread_evenly_with_its_goals() {
        let text = "[[vehicle]]\nname = 'a'\nposition = [0, 0]\n\
                    driver = { kind = 'autonomous', goal = [100, 0] }\n\
                    row = { count = 4, to = [0, 40], goal_to = [100, 20] }\n\
                    [[vehicle]]\nname = 'b'\nposition = [5, 5]\n";
        let mut document = Document::parse("x.toml", text).unwrap();
        expand(&mut document).unwrap();
        let vehicle = document.root.value.to_json()["vehicle"].clone();
        let of = |index: usize, key: &str| vehicle[index][key].clone();
        assert_eq!(vehicle.as_array().map(Vec::len), Some(5));
        assert_eq!(of(0, "name"), "a_1");
        assert_eq!(of(3, "name"), "a_4");
        assert_eq!(of(0, "position"), serde_json::json!([0.0, 5.0]));
        assert_eq!(of(3, "position"), serde_json::json!([0.0, 35.0]));
        assert_eq!(of(3, "driver")["goal"], serde_json::json!([100.0, 17.5]));
        assert_eq!(of(4, "name"), "b");
        let line = document.get("vehicle[3].name").map(|node| node.location.to_string());
        assert_eq!(line.as_deref(), Some("x.toml:2"));
    }

    #[test]
    fn a_row_of_columns_drives_abreast() {
        let text = "[[vehicle]]\nname = 'a'\nposition = [100, 0]\nheading_deg = 90\n\
                    driver = { kind = 'path', speed = 5, waypoints = [[100, 0], [100, 50]] }\n\
                    row = { count = 2, to = [140, 0], parallel = true }\n\
                    column = { count = 3, distance = 10, speed = 6 }\n";
        let mut document = Document::parse("x.toml", text).unwrap();
        expand(&mut document).unwrap();
        let vehicle = document.root.value.to_json()["vehicle"].clone();
        let names: Vec<_> = (0..6).map(|index| vehicle[index]["name"].clone()).collect();
        assert_eq!(names, ["a_1", "a_1_2", "a_1_3", "a_2", "a_2_2", "a_2_3"]);
        assert_eq!(
            vehicle[3]["driver"]["waypoints"],
            serde_json::json!([[130.0, 0.0], [130.0, 50.0]])
        );
        assert_eq!(
            vehicle[5]["driver"],
            serde_json::json!({ "kind": "follow", "leader": "a_2_2", "speed": 6.0 })
        );
        let last = vehicle[5]["position"].as_array().unwrap();
        let [x, y] = [0, 1].map(|axis| last[axis].as_f64().unwrap());
        assert!((x - 130.0).abs() < 1e-9 && (y + 20.0).abs() < 1e-9, "{x} {y}");
    }

    /// Faults of vehicles of a row name the key that `--set` accepts.
    ///
    /// For a member of a row, they also give its name, and its own value if that differs from the
    /// entry's.
    #[test]
    fn faults_are_reported_with_the_keys_of_the_file() {
        let text = "[[vehicle]]\nname = 'a'\nposition = [0, 0]\nspeed = 3\n\
                    driver = { kind = 'path', speed = 5, waypoints = [[0, 0], [50, 0]] }\n\
                    row = { count = 2, to = [0, 40], parallel = true }\ncolumn = { count = 2 }\n\
                    [[vehicle]]\nname = 'b'\nposition = [5, 5]\nspeed = 4\n\
                    row = { count = 1, to = [5, 5] }\n\
                    [[vehicle]]\nname = 'a_1'\nposition = [9, 9]\n";
        let mut document = Document::parse("x.toml", text).unwrap();
        expand(&mut document).unwrap();
        let told = |key: &str| document.diagnostic(key, DiagnosticKind::NotFinite).to_string();
        for (key, expected) in [
            ("vehicle[4].speed", "x.toml:11: vehicle[1].speed = 4: must be finite"),
            ("vehicle[4].driver", "x.toml:8: vehicle[1].driver: must be finite"),
            ("vehicle[2].speed", "x.toml:4: vehicle[0].speed = 3 (of a_2): must be finite"),
            (
                "vehicle[2].driver.waypoints[1]",
                "x.toml:5: vehicle[0].driver.waypoints[1] = [50, 0] (of a_2: [50.0, 30.0]): must be \
                 finite",
            ),
            (
                "vehicle[1].driver.leader",
                "x.toml:1: vehicle[0].driver.leader (of a_1_2: \"a_1\"): must be finite",
            ),
            ("vehicle[9].speed", "x.toml:1: vehicle[9].speed: must be finite"),
            ("vehicle", "x.toml:1: vehicle = [6 elements]: must be finite"),
        ] {
            assert_eq!(told(key), expected);
        }
        let first = "vehicle[5]".to_owned();
        let twice = document.diagnostic("vehicle[5].name", DiagnosticKind::DuplicateName { first });
        let expected = "x.toml:14: vehicle[2].name = \"a_1\": is already the name of vehicle[2]";
        assert_eq!(twice.to_string(), expected);
    }

    #[test]
    fn more_vehicles_than_rut_owners_are_refused() {
        let text = "[[vehicle]]\nname = 'a'\nposition = [0, 0]\n\
                    row = { count = 4096, to = [9, 9] }\ncolumn = { count = 4096 }\n";
        let mut document = Document::parse("x.toml", text).unwrap();
        let refused = expand(&mut document).unwrap_err().to_string();
        assert!(refused.contains("gives 16777216 vehicles; must be at most 65535"), "{refused}");
    }
}
