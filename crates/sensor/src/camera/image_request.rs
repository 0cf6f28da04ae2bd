//! Request for an image.

use super::{Camera, Image, ImageChannel, PixelRng};
use crate::scene::Scene;
use bekker_math::spatial::Pose;

/// Request for an image; see [`Camera::render`].
#[derive(Clone, Copy, Debug)]
pub struct ImageRequest<'a> {
    /// Camera.
    pub camera: &'a Camera,
    /// Poses of the camera at the scene's two keyframes.
    pub poses: [Pose; 2],
    /// Time between the keyframes, s.
    pub interval: f64,
    /// Random numbers.
    pub rng: PixelRng,
    /// Requested channels.
    pub channels: &'a [ImageChannel],
}

impl ImageRequest<'_> {
    /// Renders the image with the requested channels only.
    pub fn image(&self, scene: &Scene<'_>) -> Image {
        let mut image = self.camera.render(scene, &self.poses, self.interval, &self.rng);
        let asked = |channel| self.channels.contains(&channel);
        if !asked(ImageChannel::Color) {
            image.color = Vec::new();
        }
        if !asked(ImageChannel::Depth) {
            image.depth = Vec::new();
        }
        if !asked(ImageChannel::Normal) {
            image.normal = Vec::new();
        }
        if !asked(ImageChannel::Class) {
            image.class = Vec::new();
        }
        if !asked(ImageChannel::Instance) {
            image.instance = Vec::new();
        }
        if !asked(ImageChannel::Ground) {
            (image.soil, image.sinkage) = (Vec::new(), Vec::new());
            (image.slip, image.passes) = (Vec::new(), Vec::new());
            image.agent = Vec::new();
        }
        image
    }
}
