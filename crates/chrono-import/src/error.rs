//! Why a vehicle cannot be read.

use bekker_agent::GroundVehicleError;
use bekker_vehicle::SpecError;

/// Why a vehicle of Chrono's cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file cannot be read.
    #[error("{file}: {cause}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        cause: String,
    },
    /// A file is no JSON.
    #[error("{file}: {cause}; must be JSON, comments allowed")]
    Syntax {
        /// The file.
        file: String,
        /// The reader's message, with line and column.
        cause: String,
    },
    /// A file of another kind.
    #[error("{file}: is {found}; must be {expected}")]
    Kind {
        /// The file.
        file: String,
        /// The kind of the file.
        found: String,
        /// The kind that is read.
        expected: String,
    },
    /// A key is absent, or its value of the wrong kind.
    #[error("{file}: {key}: {cause}")]
    Shape {
        /// The file.
        file: String,
        /// Path of the key.
        key: String,
        /// What was found and what was expected.
        cause: String,
    },
    /// A value that is not known here.
    #[error("{file}: {key} = {value}: must be {allowed}")]
    Value {
        /// The file.
        file: String,
        /// Path of the key.
        key: String,
        /// Its value.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// The figures make no vehicle.
    #[error("{file}: as a vehicle of ours it says {error}")]
    Refused {
        /// The file that the figure is from.
        file: String,
        /// What is wrong, by the keys of ours.
        error: SpecError,
    },
    /// The parts do not go together.
    #[error("{file}: as a vehicle of ours it cannot be assembled: {error}")]
    Assembly {
        /// The vehicle's file.
        file: String,
        /// Why.
        error: GroundVehicleError,
    },
}
