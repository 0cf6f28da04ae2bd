//! Errors of vehicle files.

/// Why a vehicle file is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The text is no TOML, or its keys are not those of a vehicle.
    #[error("{what}")]
    Syntax {
        /// The reader's message, with line and column.
        what: String,
    },
    /// A figure that is not allowed.
    #[error("{key} = {value}: must be {allowed}")]
    Value {
        /// Path of the key.
        key: String,
        /// Its value.
        value: String,
        /// What is allowed.
        allowed: String,
    },
}

/// The reader's error, with the nearest name where one is not known.
pub(in crate::spec) fn syntax(error: &toml::de::Error) -> SpecError {
    let what = error.to_string();
    let what = what.trim_end();
    match nearest_name(error.message()) {
        Some(name) => SpecError::Syntax { what: format!("{what}\ndid you mean `{name}`?") },
        None => SpecError::Syntax { what: what.to_owned() },
    }
}

/// In serde's "unknown field `a`, expected one of `b`, `c`" the one nearest to the first.
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
