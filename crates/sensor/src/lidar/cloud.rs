//! Output of a lidar.

use serde::{Deserialize, Serialize};

/// Return of a beam, in the sensor frame at the firing time of the beam.
///
/// As with a real lidar, the motion during a scan is not compensated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Return {
    /// Position, m, x forward, y left, z up.
    pub point: [f32; 3],
    /// Received light relative to that from a white surface at 1 m, 0 or more.
    pub intensity: f32,
    /// Firing time relative to the end of the scan, s, negative or 0.
    pub time: f32,
    /// Beam number, 0 for the lowest.
    pub ring: u16,
    /// Column of the scan.
    pub column: u16,
    /// 0 for the only or first return, 1 for the second.
    pub order: u8,
    /// Semantic class, as a number.
    pub class: u8,
    /// Instance label: 0 for the ground, else 1 + index of the agent.
    pub instance: u16,
}

/// Point cloud of a scan; beams without a return have no entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cloud {
    /// Returns, column by column, ring by ring.
    pub returns: Vec<Return>,
}
