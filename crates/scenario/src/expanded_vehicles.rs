//! Maps faults of vehicles expanded from rows and columns to the entries in the file.

use super::diagnostic::{Diagnostic, DiagnosticKind, VehicleRef};
use super::document::{DocumentNode, TomlValue, display_value, split_path, walk};

/// Prefix of the keys of a vehicle.
const VEHICLE: &str = "vehicle[";

/// The vehicle entries of a file and the entry of each expanded vehicle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExpandedVehicles {
    entries: Vec<DocumentNode>,
    /// The entry of each vehicle.
    entry_of: Vec<usize>,
}

impl ExpandedVehicles {
    /// Creates the map from entries and the number of vehicles expanded from each.
    pub fn new(
        entries: Vec<DocumentNode>,
        counts: impl IntoIterator<Item = usize>,
    ) -> ExpandedVehicles {
        let entry = |(entry, count)| std::iter::repeat_n(entry, count);
        ExpandedVehicles {
            entries,
            entry_of: counts.into_iter().enumerate().flat_map(entry).collect(),
        }
    }

    /// Maps a fault to its key and value in the file and names the affected vehicle.
    pub fn at_original_key(&self, diagnostic: Diagnostic, vehicles: &DocumentNode) -> Diagnostic {
        let mut diagnostic = diagnostic;
        if let DiagnosticKind::DuplicateName { first } = &mut *diagnostic.kind
            && let Some((entry, _, rest)) = self.entry(first)
        {
            *first = format!("{VEHICLE}{entry}]{rest}");
        }
        let Some((entry, vehicle, rest)) = self.entry(&diagnostic.key) else { return diagnostic };
        let key = format!("{VEHICLE}{entry}]{rest}");
        // vehicles of one entry are adjacent
        let mut beside = [vehicle.checked_sub(1), Some(vehicle + 1)].into_iter().flatten();
        if !beside.any(|other| self.entry_of.get(other) == Some(&entry)) {
            return Diagnostic { key, ..diagnostic };
        }
        let given = walk(&self.entries[entry], &split_path(rest.trim_start_matches('.')));
        let given = given.and_then(display_value);
        let name = walk(vehicles, &[&vehicle.to_string(), "name"]);
        let name = match name.map(|node| &node.value) {
            Some(TomlValue::Text(name)) => name.clone(),
            _ => String::new(),
        };
        let value = diagnostic.value.filter(|value| Some(value) != given.as_ref());
        let vehicle_ref = Some(Box::new(VehicleRef { name, value }));
        Diagnostic { key, value: given, vehicle_ref, ..diagnostic }
    }

    /// Splits the key of a vehicle into its entry, the vehicle's index and the rest.
    fn entry<'k>(&self, key: &'k str) -> Option<(usize, usize, &'k str)> {
        let (index, rest) = key.strip_prefix(VEHICLE)?.split_once(']')?;
        let vehicle = index.parse().ok()?;
        Some((*self.entry_of.get(vehicle)?, vehicle, rest))
    }
}
