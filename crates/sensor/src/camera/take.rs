//! A picture to be taken.

use super::{Camera, Channel, Dice, Image};
use crate::scene::Scene;
use bekker_math::spatial::Pose;

/// A picture to be taken; see [`Camera::picture`].
#[derive(Clone, Copy, Debug)]
pub struct Take<'a> {
    /// With which camera.
    pub camera: &'a Camera,
    /// Its poses at the scene's two keyframes.
    pub poses: [Pose; 2],
    /// Time between them, s.
    pub apart: f64,
    /// Its random numbers.
    pub dice: Dice,
    /// What is asked for.
    pub channels: &'a [Channel],
}

impl Take<'_> {
    /// The picture, without what was not asked for.
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
