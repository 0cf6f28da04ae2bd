//! Built-in tires in addition to those of the built-in vehicles.

use crate::spec::{FlexibleTireSpec, RigidTire};
use serde::Deserialize;

/// A standalone tire file, for test rigs and as a template for vehicle files.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TireFile {
    /// Size designation.
    pub name: String,
    /// Description in one line.
    pub description: String,
    /// Radius of the rim, m.
    pub rim_radius: f64,
    /// Shape without load.
    pub rigid: RigidTire,
    /// Flexibility of the tire.
    pub flexible: FlexibleTireSpec,
}

const ENTRIES: [(&str, &str); 1] = [("fed_alpha", include_str!("../../tires/fed_alpha.toml"))];

/// Why a tire cannot be loaded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TireFileError {
    /// No tire of this name.
    #[error("no tire is named '{name}'; known: {}", known())]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// The file of the tire is invalid.
    #[error("tire '{name}': {what}")]
    Syntax {
        /// The requested name.
        name: String,
        /// Message of the TOML parser.
        what: String,
    },
}

fn known() -> String {
    tires().collect::<Vec<_>>().join(", ")
}

/// Returns the names of the built-in tires.
pub fn tires() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().map(|(name, _)| *name)
}

/// Returns the built-in tire of this name, ignoring case.
///
/// # Errors
/// [`TireFileError`] for an unknown name.
pub fn tire(name: &str) -> Result<TireFile, TireFileError> {
    let entry = ENTRIES.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
    let (_, text) = entry.ok_or_else(|| TireFileError::Unknown { name: name.to_owned() })?;
    toml::from_str(text)
        .map_err(|error| TireFileError::Syntax { name: name.to_owned(), what: error.to_string() })
}
