//! Faults of vehicles that rows and columns have made, told at the entry that they were made from.

use super::document::{Node, Value, shown, split_path, walk};
use super::fault::{Fault, Member, Problem};

/// What begins the keys of a vehicle.
const VEHICLE: &str = "vehicle[";

/// The entries of a file's vehicles, and which vehicle is made from which.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spread {
    entries: Vec<Node>,
    /// The entry of each vehicle.
    entry_of: Vec<usize>,
}

impl Spread {
    /// Of entries each of which became some vehicles.
    pub fn new(entries: Vec<Node>, counts: impl IntoIterator<Item = usize>) -> Spread {
        let entry = |(entry, count)| std::iter::repeat_n(entry, count);
        Spread { entries, entry_of: counts.into_iter().enumerate().flat_map(entry).collect() }
    }

    /// A fault by the key that the file has, with its value there, and with the vehicle of the
    /// row or column that it is about.
    pub fn as_given(&self, fault: Fault, vehicles: &Node) -> Fault {
        let mut fault = fault;
        if let Problem::DuplicateName { first } = &mut *fault.problem
            && let Some((entry, _, rest)) = self.entry(first)
        {
            *first = format!("{VEHICLE}{entry}]{rest}");
        }
        let Some((entry, vehicle, rest)) = self.entry(&fault.key) else { return fault };
        let key = format!("{VEHICLE}{entry}]{rest}");
        // those of one entry lie together
        let mut beside = [vehicle.checked_sub(1), Some(vehicle + 1)].into_iter().flatten();
        if !beside.any(|other| self.entry_of.get(other) == Some(&entry)) {
            return Fault { key, ..fault };
        }
        let given = walk(&self.entries[entry], &split_path(rest.trim_start_matches('.')));
        let given = given.and_then(shown);
        let name = walk(vehicles, &[&vehicle.to_string(), "name"]);
        let name = match name.map(|node| &node.value) {
            Some(Value::Text(name)) => name.clone(),
            _ => String::new(),
        };
        let value = fault.value.filter(|value| Some(value) != given.as_ref());
        let member = Some(Box::new(Member { name, value }));
        Fault { key, value: given, member, ..fault }
    }

    /// The entry that a key of a vehicle leads to, the vehicle, and the rest of the key.
    fn entry<'k>(&self, key: &'k str) -> Option<(usize, usize, &'k str)> {
        let (index, rest) = key.strip_prefix(VEHICLE)?.split_once(']')?;
        let vehicle = index.parse().ok()?;
        Some((*self.entry_of.get(vehicle)?, vehicle, rest))
    }
}
