//! Output of a camera: color and labels of each pixel.

use serde::{Deserialize, Serialize};

/// Image, row by row from the top left.
///
/// Every channel has `width * height` entries, or none if it was not requested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// Pixels per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Color, linear, 1 where the sensor saturates.
    pub color: Vec<[f32; 3]>,
    /// Distance along the optical axis, m; infinite for sky.
    pub depth: Vec<f32>,
    /// Unit normal in the world frame; zero for sky.
    pub normal: Vec<[f32; 3]>,
    /// Semantic class, as a number.
    pub class: Vec<u8>,
    /// Instance label: 0 for ground or sky, else 1 + index of the agent.
    pub instance: Vec<u16>,
    /// Index of the soil; 255 where there is no ground.
    pub soil: Vec<u8>,
    /// Plastic sinkage of the ground, m.
    pub sinkage: Vec<f32>,
    /// Remaining shear displacement of the ground, m.
    pub slip: Vec<f32>,
    /// Number of wheel passes.
    pub passes: Vec<u16>,
    /// Last agent that deformed the ground: 0 for none, else 1 + index of the vehicle.
    pub agent: Vec<u16>,
}

impl Image {
    /// Returns whether every channel has an entry for each pixel, or none at all.
    pub fn is_whole(&self) -> bool {
        let pixels = self.width as usize * self.height as usize;
        let counts = [
            self.color.len(),
            self.depth.len(),
            self.normal.len(),
            self.class.len(),
            self.instance.len(),
            self.soil.len(),
            self.sinkage.len(),
            self.slip.len(),
            self.passes.len(),
            self.agent.len(),
        ];
        counts.iter().all(|&count| count == 0 || count == pixels)
    }
}
