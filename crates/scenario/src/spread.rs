//! Maps faults of vehicles expanded from rows and columns to the entries in the file.

use super::document::{Node, Value, shown, split_path, walk};
use super::fault::{Fault, Member, Problem};

/// Prefix of the keys of a vehicle.
const VEHICLE: &str = "vehicle[";

/// The vehicle entries of a file and the entry of each expanded vehicle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spread {
    entries: Vec<Node>,
    /// The entry of each vehicle.
    entry_of: Vec<usize>,
}

impl Spread {
    /// Creates the map from entries and the number of vehicles expanded from each.
    pub fn new(entries: Vec<Node>, counts: impl IntoIterator<Item = usize>) -> Spread {
        let entry = |(entry, count)| std::iter::repeat_n(entry, count);
        Spread { entries, entry_of: counts.into_iter().enumerate().flat_map(entry).collect() }
    }

    /// Maps a fault to its key and value in the file and names the affected vehicle.
    pub fn as_given(&self, fault: Fault, vehicles: &Node) -> Fault {
        let mut fault = fault;
        if let Problem::DuplicateName { first } = &mut *fault.problem
            && let Some((entry, _, rest)) = self.entry(first)
        {
            *first = format!("{VEHICLE}{entry}]{rest}");
        }
        let Some((entry, vehicle, rest)) = self.entry(&fault.key) else { return fault };
        let key = format!("{VEHICLE}{entry}]{rest}");
        // vehicles of one entry are adjacent
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

    /// Splits the key of a vehicle into its entry, the vehicle's index and the rest.
    fn entry<'k>(&self, key: &'k str) -> Option<(usize, usize, &'k str)> {
        let (index, rest) = key.strip_prefix(VEHICLE)?.split_once(']')?;
        let vehicle = index.parse().ok()?;
        Some((*self.entry_of.get(vehicle)?, vehicle, rest))
    }
}
