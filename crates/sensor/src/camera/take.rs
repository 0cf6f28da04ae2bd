//! Request for an image.

use super::{Camera, Channel, Dice, Image};
use crate::scene::Scene;
use bekker_math::spatial::Pose;

/// Request for an image; see [`Camera::picture`].
#[derive(Clone, Copy, Debug)]
pub struct Take<'a> {
    /// Camera.
    pub camera: &'a Camera,
    /// Poses of the camera at the scene's two keyframes.
    pub poses: [Pose; 2],
    /// Time between the keyframes, s.
    pub apart: f64,
    /// Random numbers.
    pub dice: Dice,
    /// Requested channels.
    pub channels: &'a [Channel],
}

impl Take<'_> {
    /// Renders the image with the requested channels only.
    pub fn image(&self, scene: &Scene<'_>) -> Image {
        let mut image = self.camera.picture(scene, &self.poses, self.apart, &self.dice);
        let asked = |channel| self.channels.contains(&channel);
        if !asked(Channel::Colour) {
            image.colour = Vec::new();
        }
        if !asked(Channel::Depth) {
            image.depth = Vec::new();
        }
        if !asked(Channel::Normal) {
            image.normal = Vec::new();
        }
        if !asked(Channel::Class) {
            image.class = Vec::new();
        }
        if !asked(Channel::Instance) {
            image.instance = Vec::new();
        }
        if !asked(Channel::Ground) {
            (image.soil, image.sinkage) = (Vec::new(), Vec::new());
            (image.slip, image.passes) = (Vec::new(), Vec::new());
            image.agent = Vec::new();
        }
        image
    }
}
