//! Errors of reading a vehicle.

use bekker_agent::GroundVehicleError;
use bekker_vehicle::SpecError;

/// Reason why a Chrono vehicle cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file cannot be read.
    #[error("{file}: {cause}")]
    Unreadable {
        /// File.
        file: String,
        /// Cause.
        cause: String,
    },
    /// A file is not JSON.
    #[error("{file}: {cause}; must be JSON, comments allowed")]
    Syntax {
        /// File.
        file: String,
        /// Message of the parser, with line and column.
        cause: String,
    },
    /// A file has another type.
    #[error("{file}: is {found}; must be {expected}")]
    Kind {
        /// File.
        file: String,
        /// Found type of the file.
        found: String,
        /// Expected type of the file.
        expected: String,
    },
    /// A key is absent, or its value has the wrong type.
    #[error("{file}: {key}: {cause}")]
    Shape {
        /// File.
        file: String,
        /// Path of the key.
        key: String,
        /// Found and expected value.
        cause: String,
    },
    /// A value is not supported.
    #[error("{file}: {key} = {value}: must be {allowed}")]
    Value {
        /// File.
        file: String,
        /// Path of the key.
        key: String,
        /// Found value.
        value: String,
        /// Allowed values.
        allowed: String,
    },
    /// The values do not form a valid vehicle.
    #[error("{file}: the imported vehicle is not valid: {error}")]
    Refused {
        /// File that the value is from.
        file: String,
        /// Error, with bekker's keys.
        error: SpecError,
    },
    /// The parts cannot be assembled.
    #[error("{file}: the imported vehicle cannot be assembled: {error}")]
    Assembly {
        /// File of the vehicle.
        file: String,
        /// Cause.
        error: GroundVehicleError,
    },
}
