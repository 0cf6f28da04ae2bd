//! Accelerations of an agent's parts by everything other than contact with other vehicles.
//!
//! They are sent to nearby agents, because the collision of two vehicles depends on them
//! ([`bekker_vehicle::collision`]).

use super::hull_part::HullPart;
use bekker_math::spatial::Acceleration;
use serde::{Deserialize, Serialize};

/// Accelerations of an agent's parts by everything other than contact with other vehicles, averaged
/// over its last heartbeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExternalAcceleration(pub [Acceleration; 2]);

impl ExternalAcceleration {
    pub fn of_part(&self, part: HullPart) -> &Acceleration {
        &self.0[part as usize]
    }

    pub fn is_finite(&self) -> bool {
        self.0
            .iter()
            .flat_map(|own| [own.linear, own.angular])
            .all(|v| v.iter().all(|x| x.is_finite()))
    }
}
