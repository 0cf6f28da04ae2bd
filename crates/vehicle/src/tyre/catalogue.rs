//! Tyres that come with the crate beside those of its vehicles.

use crate::spec::{FlexibleTyre, RigidTyre};
use serde::Deserialize;

/// A tyre of its own, for rigs and as a pattern for vehicle files.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TyreFile {
    /// Its size.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Radius of the rim, m.
    pub rim_radius: f64,
    /// Its shape without load.
    pub rigid: RigidTyre,
    /// How it gives way.
    pub flexible: FlexibleTyre,
}

const ENTRIES: [(&str, &str); 1] = [("fed_alpha", include_str!("../../tyres/fed_alpha.toml"))];

/// Why a tyre cannot be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TyreFileError {
    /// No tyre of this name.
    #[error("there is no tyre '{name}'; known are {}", known())]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// Its file is wrong.
    #[error("tyre '{name}': {what}")]
    Syntax {
        /// The name asked for.
        name: String,
        /// The reader's message.
        what: String,
    },
}

fn known() -> String {
    tyres().collect::<Vec<_>>().join(", ")
}

/// Names of the tyres.
pub fn tyres() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().map(|(name, _)| *name)
}

/// The tyre of this name.
///
/// # Errors
/// [`TyreFileError`] for a name that is not known.
pub fn tyre(name: &str) -> Result<TyreFile, TyreFileError> {
    let entry = ENTRIES.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
    let (_, text) = entry.ok_or_else(|| TyreFileError::Unknown { name: name.to_owned() })?;
    toml::from_str(text)
        .map_err(|error| TyreFileError::Syntax { name: name.to_owned(), what: error.to_string() })
}
