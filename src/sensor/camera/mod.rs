//! Cameras: from rays through a lens to the pixels of a picture.

mod image;

pub use image::Image;
