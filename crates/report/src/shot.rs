//! Renders a picture of a world at a moment, from a viewpoint relative to a vehicle or anywhere.

use super::goal_mark::GoalMark;
use bekker_agent::GroundVehicle;
use bekker_math::spatial::{Pose, Vec3};
use bekker_scenario::{ScenarioFile, build::BuiltWorld, build::scene_model};
use bekker_sensor::camera::{Camera, Image, ImageChannel, ImageRequest, Lens, PixelRng, look_at};
use bekker_sensor::noise::Noise;
use bekker_sensor::relief::HeightPyramid;
use bekker_sensor::scene::Scene;
use bekker_sensor::sky::SceneLight;
use bekker_sync::message::{PartState, RunningGearMessage, VehicleMessage};
use bekker_world::{SceneModel, World};

/// Position and direction of the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Viewpoint {
    /// Behind the vehicle and to its left.
    Chase,
    /// In front of the vehicle, looking back.
    Front,
    /// To the left of the vehicle.
    Side,
    /// From the driver's eye point.
    Driver,
    /// From above, straight down.
    Top,
    /// From high above the scene.
    Bird,
    /// From a position, m.
    From([f64; 3]),
}

impl Viewpoint {
    /// Viewpoints that have a name.
    pub const NAMED: [(&'static str, Viewpoint); 6] = [
        ("chase", Viewpoint::Chase),
        ("front", Viewpoint::Front),
        ("side", Viewpoint::Side),
        ("driver", Viewpoint::Driver),
        ("top", Viewpoint::Top),
        ("bird", Viewpoint::Bird),
    ];
}

/// Parameters of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// Position and direction of the camera.
    pub viewpoint: Viewpoint,
    /// Target, m, for viewpoints that look at the vehicle; the vehicle if none.
    pub target: Option<[f64; 3]>,
    /// Index of the vehicle.
    pub vehicle: usize,
    /// Horizontal field of view, rad.
    pub field: f64,
    /// Columns and rows, pixels.
    pub size: (u32, u32),
    /// Rays along each side of a pixel.
    pub supersample: u32,
    /// Whether undisturbed ground is represented only by the corners of its tiles.
    ///
    /// On hills this takes a hundredth of the time.
    pub coarse: bool,
}

/// Reason that a picture cannot be rendered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShotError {
    /// The vehicle does not exist.
    #[error("vehicle index {vehicle}: must be below {vehicles}, the number of vehicles")]
    NoVehicle {
        /// Index of the vehicle.
        vehicle: usize,
        /// Number of vehicles.
        vehicles: usize,
    },
    /// A field of view that is impossible for a pinhole camera.
    #[error("field of view = {field} rad: must be above 0 and below pi")]
    Field {
        /// The field, rad.
        field: f64,
    },
    /// A camera whose target is its own position.
    #[error("camera at {place:?} m: its target must be another position")]
    Nowhere {
        /// Position, m.
        place: [f64; 3],
    },
}

/// Reflectance that a light meter assumes (ISO 2720).
const GRAY: f32 = 0.18;
/// Fraction of the difference in stops that is compensated for a darker scene.
const LIFT: f32 = 0.75;
/// Bounds of the gain, so that dark scenes remain dark and bright ones bright.
const GAINS: [f32; 2] = [0.5, 8.0];

/// Returns the gain that exposes a picture like a photographer with an incident-light meter.
///
/// A white level surface in this light is just white, as is snow. If all but the sky is darker than
/// middle gray on average (of logarithms), it is brightened by three quarters of the stops to that.
/// The brightest hundredth exceeds white by at most a stop, which the tone curve compresses.
fn exposure_gain(image: &Image, light: &SceneLight) -> f32 {
    let luminance = |[r, g, b]: [f32; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let up = light.to_sun.z.max(0.0) as f32;
    let white = luminance([0, 1, 2].map(|k| light.sun[k] * up + light.ambient[k])).max(1e-3);
    let lit = image.color.iter().zip(&image.class).filter(|(_, class)| **class != 0);
    let mut levels: Vec<f32> = lit
        .map(|(color, _)| (luminance(*color) / white).max(1e-4))
        .filter(|level| level.is_finite())
        .collect();
    let mut gain = 1.0;
    if !levels.is_empty() {
        levels.sort_by(f32::total_cmp);
        let bright = levels[levels.len() - 1 - levels.len() / 100];
        let mean = (levels.iter().map(|level| level.ln()).sum::<f32>() / levels.len() as f32).exp();
        gain = (GRAY / mean).powf(LIFT).min(2.0 / bright).max(1.0);
    }
    (gain / white).clamp(GAINS[0], GAINS[1])
}

/// Length over that of an HMMWV below which a vehicle is a small robot.
const SMALL: f64 = 0.45;

/// Positions of the rearmost and the foremost wheel centers along x, chassis frame, m.
fn span(message: &VehicleMessage) -> [f64; 2] {
    let of = |parts: &[PartState]| -> Vec<f64> {
        parts.iter().map(|part| part.pose.position.x).collect()
    };
    let places = match &message.gear {
        RunningGearMessage::Wheels(wheels) => of(wheels),
        RunningGearMessage::Tracks { sprockets, idlers, .. } => {
            [of(sprockets), of(idlers)].concat()
        }
    };
    let ends = [f64::INFINITY, f64::NEG_INFINITY];
    let [rear, front] = places.iter().fold(ends, |[a, b], x| [a.min(*x), b.max(*x)]);
    if front - rear > 0.3 { [rear, front] } else { [-1.7, 1.7] }
}

/// An exposed picture with its camera.
struct ExposedView {
    image: Image,
    camera: Camera,
    pose: Pose,
}

impl Shot {
    /// Renders the picture of a world of a scenario on the CPU, and exposes it.
    ///
    /// # Errors
    /// [`ShotError`] if the vehicle does not exist, or the field of view or the target is invalid.
    pub fn take(
        &self,
        file: &ScenarioFile,
        built: &BuiltWorld,
        world: &World,
    ) -> Result<Image, ShotError> {
        self.take_with_goals(file, built, world, &[])
    }

    /// Renders the picture by the function `look`, and exposes it.
    ///
    /// Ruts under the wheels are included.
    ///
    /// # Errors
    /// [`ShotError`] as for [`Shot::take`], and the errors of `look`.
    pub fn take_with<E: From<ShotError>>(
        &self,
        scene_model: &SceneModel,
        world: &World,
        seed: u64,
        look: impl FnOnce(&SceneModel, &Scene<'_>, &ImageRequest<'_>) -> Result<Image, E>,
    ) -> Result<Image, E> {
        self.take_exposed(scene_model, world, seed, &mut None, look)
    }

    /// Renders a frame of a video: as [`Shot::take_with`], but with the exposure of an earlier frame.
    ///
    /// Without one, `exposure` takes that of this frame. A constant exposure does not flicker.
    ///
    /// # Errors
    /// [`ShotError`] as for [`Shot::take`], and the errors of `look`.
    pub fn take_exposed<E: From<ShotError>>(
        &self,
        scene_model: &SceneModel,
        world: &World,
        seed: u64,
        exposure: &mut Option<f32>,
        look: impl FnOnce(&SceneModel, &Scene<'_>, &ImageRequest<'_>) -> Result<Image, E>,
    ) -> Result<Image, E> {
        Ok(self.expose(scene_model, world, seed, exposure, look)?.image)
    }

    /// Renders the picture of a world of a scenario on the CPU, exposes it and marks goals in it.
    ///
    /// # Errors
    /// [`ShotError`] as for [`Shot::take`].
    pub fn take_with_goals(
        &self,
        file: &ScenarioFile,
        built: &BuiltWorld,
        world: &World,
        goals: &[GoalMark],
    ) -> Result<Image, ShotError> {
        let scene_model = scene_model(file, world.model(), &built.meshes, built.random.as_ref());
        let look =
            |_: &SceneModel, scene: &Scene<'_>, take: &ImageRequest<'_>| Ok(take.image(scene));
        let exposed = self.expose(&scene_model, world, file.scenario.seed, &mut None, look);
        let ExposedView { mut image, camera, pose } = exposed?;
        goals.iter().for_each(|goal| goal.draw(&mut image, &camera, &pose));
        Ok(image)
    }

    fn expose<E: From<ShotError>>(
        &self,
        scene_model: &SceneModel,
        world: &World,
        seed: u64,
        exposure: &mut Option<f32>,
        look: impl FnOnce(&SceneModel, &Scene<'_>, &ImageRequest<'_>) -> Result<Image, E>,
    ) -> Result<ExposedView, E> {
        let mut world = world.clone();
        world.publish_all();
        let agents = &world.model().agents;
        let Some(agent) = agents.get(self.vehicle) else {
            let (vehicle, vehicles) = (self.vehicle, agents.len());
            return Err(ShotError::NoVehicle { vehicle, vehicles }.into());
        };
        if let Viewpoint::From(place) = self.viewpoint
            && self.target == Some(place)
        {
            return Err(ShotError::Nowhere { place }.into());
        }
        let messages = world.messages();
        let chassis = messages[self.vehicle].chassis;
        let eye_point = agent.vehicle.driver_eye_point();
        let pose = self.pose(&world, &chassis, span(&messages[self.vehicle]), eye_point);
        let (width, height) = self.size;
        let camera = Camera::with_field(width, height, Lens::Pinhole, self.field)
            .ok_or(ShotError::Field { field: self.field })?;
        let camera = Camera { supersample: self.supersample, sky_rays: 1, ..camera };
        let moving =
            scene_model.moving(world.model(), [world.time_us(); 2], [&messages, &messages]);
        let looked_at = [0, 1].map(|k| 0.5 * (pose.position[k] + chassis.position[k]));
        let ground_around = if self.coarse { HeightPyramid::coarse } else { HeightPyramid::new };
        let relief = ground_around(&world.model().ground, &world.state().published, looked_at);
        let now_us = (1e6 * world.time()).round() as u64;
        let air = scene_model.air_around(world.model(), &messages, now_us, &pose.position);
        let standing = scene_model.standing_props(&world.model().obstacles, &world.state().damage);
        let scene = Scene {
            air: &air,
            standing: &standing,
            ..scene_model.scene(world.model(), &relief, &moving)
        };
        let rng = PixelRng { noise: Noise::new(seed, 0, 0), frame: 0 };
        let channels = &[ImageChannel::Color, ImageChannel::Class, ImageChannel::Depth];
        let take = ImageRequest { camera: &camera, poses: [pose; 2], interval: 0.0, rng, channels };
        let mut image = look(scene_model, &scene, &take)?;
        let light = scene_model.sky.light();
        let gain = *exposure.get_or_insert_with(|| exposure_gain(&image, &light));
        image.color.iter_mut().flatten().for_each(|level| *level *= gain);
        Ok(ExposedView { image, camera, pose })
    }

    /// Returns the pose of the camera.
    fn pose(
        &self,
        world: &World,
        chassis: &Pose,
        [rear, front]: [f64; 2],
        eye_point: Option<Vec3>,
    ) -> Pose {
        let terrain = world.model().ground.terrain();
        // upright, regardless of the vehicle's roll
        let heading = chassis.yaw();
        let (s, c) = heading.sin_cos();
        let middle = 0.5 * (rear + front);
        // robots are long for their wheelbase: wheels reach beyond it
        let far = (front - rear) / 3.4;
        let far = if far < SMALL { 1.4 * far } else { far };
        // heights suit vehicles of any length but small robots
        let high = if far < SMALL { far } else { 1.0 };
        let beside = |x: f64, y: f64, z: f64| {
            let (x, y) = (middle + x * far, y * far);
            chassis.position + Vec3::new(c * x - s * y, s * x + c * y, z * high)
        };
        let target = self.target.map_or_else(|| beside(0.4, 0.0, 0.2), Vec3::from);
        let above = |place: Vec3| {
            let ground = terrain.height(place.x, place.y) + 0.6 * high;
            Vec3::new(place.x, place.y, place.z.max(ground))
        };
        match self.viewpoint {
            Viewpoint::From(place) => look_at(&Vec3::from(place), &target),
            Viewpoint::Chase => look_at(&above(beside(-8.0, 4.2, 2.9)), &target),
            Viewpoint::Front => look_at(&above(beside(8.5, 3.6, 1.6)), &target),
            Viewpoint::Side => look_at(&above(beside(0.5, 8.5, 1.1)), &target),
            Viewpoint::Top => look_at(&beside(-0.01, 0.0, 24.0), &beside(0.0, 0.0, 0.0)),
            Viewpoint::Bird => look_at(&above(beside(-22.0, 16.0, 14.0)), &target),
            Viewpoint::Driver => {
                let eye_point = eye_point.unwrap_or_else(|| Vec3::new(0.6, 0.4, 1.0));
                let from = chassis.point(&eye_point);
                look_at(&from, &(from + chassis.direction(&Vec3::new(1.0, 0.0, -0.08))))
            }
        }
    }
}
