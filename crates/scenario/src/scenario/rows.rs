//! Vehicles that are given once and stand several times in a row.
//!
//! `row = { count, to }` of a vehicle makes `count` vehicles of it, spread evenly from its
//! position to that place: of N, the k-th (from 0) at (k + 1/2) / N of the way, so that one
//! alone stands in the middle. Each knows the place in the file that it was made from.

use super::document::{Document, Node, Value};

/// Makes the vehicles of rows. The document conforms to the schema and its places are points
/// of the local frame.
pub fn expand(document: &mut Document) {
    let Value::Table(root) = &mut document.root.value else { return };
    let Some(Node { value: Value::List(vehicles), .. }) = root.get_mut("vehicle") else { return };
    *vehicles = std::mem::take(vehicles).into_iter().flat_map(members).collect();
}

/// The vehicles that one entry stands for.
fn members(entry: Node) -> Vec<Node> {
    let Value::Table(mut own) = entry.value else { return vec![entry] };
    let Some(Node { value: Value::Table(row), .. }) = own.remove("row") else {
        return vec![Node { place: entry.place, value: Value::Table(own) }];
    };
    let count = row.get("count").and_then(|node| node.value.number()).unwrap_or(1.0) as u32;
    let member = |index: u32| {
        let mut member = own.clone();
        let share = (f64::from(index) + 0.5) / f64::from(count);
        if let Some(Node { value: Value::Text(name), .. }) = member.get_mut("name") {
            *name = format!("{name}_{}", index + 1);
        }
        move_towards(member.get_mut("position"), row.get("to"), share);
        if let Some(Node { value: Value::Table(driver), .. }) = member.get_mut("driver") {
            move_towards(driver.get_mut("goal"), row.get("goal_to"), share);
        }
        Node { place: entry.place.clone(), value: Value::Table(member) }
    };
    (0..count).map(member).collect()
}

/// Moves a point by a share of the way to another.
fn move_towards(point: Option<&mut Node>, to: Option<&Node>, share: f64) {
    let (Some(Node { value: Value::List(from), .. }), Some(Node { value: Value::List(to), .. })) =
        (point, to)
    else {
        return;
    };
    for (from, to) in from.iter_mut().zip(to) {
        if let (Some(a), Some(b)) = (from.value.number(), to.value.number()) {
            from.value = Value::Float(a + share * (b - a));
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
        expand(&mut document);
        let vehicle = document.root.value.to_json()["vehicle"].clone();
        let of = |index: usize, key: &str| vehicle[index][key].clone();
        assert_eq!(vehicle.as_array().map(Vec::len), Some(5));
        assert_eq!(of(0, "name"), "a_1");
        assert_eq!(of(3, "name"), "a_4");
        assert_eq!(of(0, "position"), serde_json::json!([0.0, 5.0]));
        assert_eq!(of(3, "position"), serde_json::json!([0.0, 35.0]));
        assert_eq!(of(3, "driver")["goal"], serde_json::json!([100.0, 17.5]));
        assert_eq!(of(4, "name"), "b");
        let line = document.get("vehicle[3].name").map(|node| node.place.to_string());
        assert_eq!(line.as_deref(), Some("x.toml:2"));
    }
}
