//! Cameras: from rays through a lens to the pixels of a picture.

mod image;
mod spec;

pub use image::Image;
pub use spec::{CameraSpec, Channel, ChipNoise, Lens};
