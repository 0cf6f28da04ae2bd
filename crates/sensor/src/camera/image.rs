//! What a camera delivers: a colour and the labels of each pixel.

use serde::{Deserialize, Serialize};

/// A picture, row by row from the top left. Every channel has `width * height`
/// entries, or none if it was not asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Colour, linear, 1 where the sensor saturates.
    pub colour: Vec<[f32; 3]>,
    /// Distance along the optical axis, m; infinite for sky.
    pub depth: Vec<f32>,
    /// Unit normal in the world frame; zero for sky.
    pub normal: Vec<[f32; 3]>,
    /// What kind of thing it is: class, as a number.
    pub class: Vec<u8>,
    /// Which thing: 0 ground or sky, else 1 + index of the instance's agent.
    pub instance: Vec<u16>,
    /// Index of the soil, 255 where there is no ground.
    pub soil: Vec<u8>,
    /// Plastic sinkage of the ground, m.
    pub sinkage: Vec<f32>,
    /// Slip that the ground was left with, m of shear displacement.
    pub slip: Vec<f32>,
    /// Passes over the ground there.
    pub passes: Vec<u16>,
    /// Who left the ground so: 0 for nobody, else 1 + index of the vehicle.
    pub agent: Vec<u16>,
}

impl Image {
    /// Whether every channel has an entry for each pixel, or none at all.
    pub fn is_whole(&self) -> bool {
        let pixels = self.width as usize * self.height as usize;
        let counts = [
            self.colour.len(),
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
