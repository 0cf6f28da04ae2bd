//! What a lidar delivers.

use serde::{Deserialize, Serialize};

/// One return of one beam, in the frame of the sensor as it was when the beam was fired:
/// as a lidar delivers it, with the motion over a scan still in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Return {
    /// Where it came from, m, x forward, y left, z up.
    pub point: [f32; 3],
    /// Share of the light sent that a white surface at 1 m would return, 0 and more.
    pub intensity: f32,
    /// Firing time before the end of the scan, s, negative or 0.
    pub time: f32,
    /// Beam, 0 for the lowest.
    pub ring: u16,
    /// Column of the scan.
    pub column: u16,
    /// 0 for the only or first return, 1 for the second.
    pub order: u8,
    /// What kind of thing it is: class, as a number.
    pub class: u8,
    /// Which thing: 0 ground, else 1 + index of the instance's agent.
    pub instance: u16,
}

/// A scan; beams without a return leave nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cloud {
    /// Returns, column by column, ring by ring.
    pub returns: Vec<Return>,
}
