//! State of a trailer's coupling.

use serde::{Deserialize, Serialize};

/// State of a trailer's coupling.
///
/// If the trailer is not coupled, its brakes apply in full, as the law requires for trailers that
/// break away on the road (49 CFR 393.43(d); UN Regulation No. 13, 5.2.1.18.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coupling {
    /// Coupled; also the state of vehicles without a trailer.
    #[default]
    Holds,
    /// Uncoupled on command: it rests on its landing gear.
    Released,
    /// Torn off: its landing gear is up.
    Broken,
}
