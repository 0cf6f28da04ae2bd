//! What a camera at the driver's eyes sees: colour and depth.

use super::observation::Field;
use crate::scenario::ScenarioFile;
use crate::scenario::build::{Built, scene_model};
use crate::sensor::camera::{Camera, Dice, Lens, look_at};
use crate::sensor::noise::Noise;
use crate::sensor::relief::Relief;
use crate::sensor::scene::Scene;
use crate::simulation::{SceneModel, World};
use crate::spatial::{Pose, Vec3};
use std::sync::Arc;

/// Width of the picture, rad.
const FIELD: f64 = 1.2;
/// What 1 stands for in depth, m.
const FAR: f64 = 50.0;
/// Where the eyes are if the vehicle's file does not say, chassis frame, m.
const EYES: [f64; 3] = [0.6, 0.4, 1.0];
/// How steeply they look down.
const DOWN: f64 = 0.15;

/// Parts of the observation of a square picture, `side` pixels wide.
pub(super) fn fields(side: u32) -> [Field; 2] {
    let pixels = (side * side) as usize;
    let field = |name, size, scale, unit| Field { name, size, scale, unit };
    [
        field(
            "image",
            3 * pixels,
            1.0,
            "red, green, blue, linear, pixel by pixel from the top left",
        ),
        field("depth", pixels, FAR, "m along the axis, 1 for the sky, pixel by pixel"),
    ]
}

/// The camera, and what of a level it can see; immutable.
#[derive(Debug)]
pub struct Eye {
    scene: SceneModel,
    camera: Camera,
    noise: Noise,
    /// The ground around the start, as it is there.
    relief: Arc<Relief>,
}

/// The ground around a vehicle as it was last looked at. It follows from the world alone.
#[derive(Clone, Debug)]
pub struct Surroundings(Arc<Relief>);

impl Eye {
    /// Of a level that begins at a place, m; `None` where there are no pixels.
    pub(super) fn new(
        file: &ScenarioFile,
        built: &Built,
        start: &World,
        place: [f64; 2],
        side: u32,
    ) -> Option<Eye> {
        let camera = Camera::with_field(side, side, Lens::Pinhole, FIELD)?;
        let scene = scene_model(file, &built.world, &built.meshes, built.random.as_ref());
        let (model, published) = (start.model(), &start.state().published);
        let relief = Arc::new(Relief::coarse(&model.ground, published, place));
        Some(Eye { scene, camera, noise: Noise::new(file.scenario.seed, 0, 0), relief })
    }

    /// The ground around a vehicle at a place, m.
    pub(super) fn surroundings(&self, world: &World, place: [f64; 2]) -> Surroundings {
        let mut surroundings = Surroundings(self.relief.clone());
        surroundings.follow(world, place);
        surroundings
    }

    /// Writes what one of the vehicles sees.
    pub(super) fn look(
        &self,
        world: &World,
        agent: usize,
        Surroundings(relief): &Surroundings,
        room: &mut [f32],
    ) {
        let (model, messages) = (world.model(), world.messages());
        let pose = pose(world, agent, &messages[agent].chassis);
        let moving = self.scene.moving(model, [&messages, &messages]);
        let now_us = (1e6 * world.time()).round() as u64;
        let air = self.scene.air_around(model, &messages, now_us, &pose.position);
        let standing = self.scene.after(&model.obstacles, &world.state().damage);
        let scene =
            Scene { air: &air, standing: &standing, ..self.scene.scene(model, relief, &moving) };
        let dice = Dice { noise: self.noise, frame: 0 };
        let image = self.camera.picture(&scene, &[pose; 2], 0.0, &dice);
        let colours = image.colour.iter().flatten().map(|level| level.clamp(0.0, 1.0));
        let depths = image.depth.iter().map(|depth| (depth / FAR as f32).min(1.0));
        for (place, value) in room.iter_mut().zip(colours.chain(depths)) {
            *place = value;
        }
    }
}

fn pose(world: &World, agent: usize, chassis: &Pose) -> Pose {
    let eyes = world.model().agents[agent].vehicle.driver_eye_point();
    let from = chassis.point(&eyes.unwrap_or_else(|| Vec3::from(EYES)));
    look_at(&from, &(from + chassis.direction(&Vec3::new(1.0, 0.0, -DOWN))))
}

impl Surroundings {
    /// Goes where the vehicle has gone, and takes over what all have left.
    pub(super) fn follow(&mut self, world: &World, place: [f64; 2]) {
        let (ground, published) = (&world.model().ground, &world.state().published);
        Arc::make_mut(&mut self.0).update(ground, published, place);
    }
}
