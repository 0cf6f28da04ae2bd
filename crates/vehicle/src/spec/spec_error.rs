//! Errors of vehicle files.

/// Why a vehicle file is rejected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The text is not valid TOML, or its keys are not those of a vehicle.
    #[error("{what}")]
    Syntax {
        /// Message of the parser, with line and column.
        what: String,
    },
    /// A parameter out of its range.
    #[error("{key} = {value}: must be {allowed}")]
    Value {
        /// Path of the key.
        key: String,
        /// Value of the key.
        value: String,
        /// Allowed values.
        allowed: String,
    },
}

/// The parser's error, with the nearest name for an unknown one.
pub(in crate::spec) fn syntax(error: &toml::de::Error) -> SpecError {
    let what = error.to_string();
    let what = what.trim_end();
    match nearest_name(error.message()) {
        Some(name) => SpecError::Syntax { what: format!("{what}\ndid you mean `{name}`?") },
        None => SpecError::Syntax { what: what.to_owned() },
    }
}

/// Finds the name nearest to the first one in serde's "unknown field `a`, expected one of `b`,
/// `c`".
fn nearest_name(message: &str) -> Option<&str> {
    if !message.starts_with("unknown ") {
        return None;
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let unknown = names.next()?;
    names
        .filter(|name| name.len().abs_diff(unknown.len()) <= 3)
        .map(|name| (strsim::damerau_levenshtein(unknown, name), name))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, name)| name)
}
