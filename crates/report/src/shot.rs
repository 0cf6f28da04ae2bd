//! A picture of a world at a moment, from a place that goes with a vehicle or from anywhere.

use bekker_math::spatial::{Pose, Vec3};
use bekker_scenario::{ScenarioFile, build::Built, build::scene_model};
use bekker_sensor::camera::{Camera, Channel, Dice, Image, Lens, Take, look_at};
use bekker_sensor::noise::Noise;
use bekker_sensor::relief::Relief;
use bekker_sensor::scene::Scene;
use bekker_sensor::sky::Light;
use bekker_sync::message::{PartState, RunningGear, VehicleState};
use bekker_world::{SceneModel, World};

/// Where a picture is taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Viewpoint {
    /// Behind the vehicle and to its left.
    Chase,
    /// Ahead of it, looking back.
    Front,
    /// Beside it.
    Side,
    /// From the driver's eyes.
    Driver,
    /// Straight down.
    Top,
    /// High over the scene.
    Bird,
    /// From a place, m.
    From([f64; 3]),
}

impl Viewpoint {
    /// Those that have a name.
    pub const NAMED: [(&'static str, Viewpoint); 6] = [
        ("chase", Viewpoint::Chase),
        ("front", Viewpoint::Front),
        ("side", Viewpoint::Side),
        ("driver", Viewpoint::Driver),
        ("top", Viewpoint::Top),
        ("bird", Viewpoint::Bird),
    ];
}

/// A picture to be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// Where from.
    pub viewpoint: Viewpoint,
    /// What it looks at, m, of viewpoints that look at the vehicle; the vehicle if none.
    pub target: Option<[f64; 3]>,
    /// Index of the vehicle that it goes with.
    pub vehicle: usize,
    /// Horizontal field of view, rad.
    pub field: f64,
    /// Pixels along and down.
    pub size: (u32, u32),
    /// Rays along each side of a pixel.
    pub supersample: u32,
    /// Whether undisturbed ground is told by corners of its tiles alone: on hills that takes
    /// a hundredth of the time.
    pub coarse: bool,
}

/// Why no picture can be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShotError {
    /// No such vehicle.
    #[error("vehicle {vehicle}: there are {vehicles}, counted from 0")]
    NoVehicle {
        /// The vehicle.
        vehicle: usize,
        /// How many there are.
        vehicles: usize,
    },
    /// A field of view that no pinhole has.
    #[error("a field of view of {field} rad: must be above 0 and below pi")]
    Field {
        /// The field, rad.
        field: f64,
    },
    /// A camera that looks at where it is.
    #[error("from {place:?} m to the same place: it must look at another")]
    Nowhere {
        /// The place, m.
        place: [f64; 3],
    },
}

/// Reflectance that a light meter takes a scene for (ISO 2720).
const GREY: f32 = 0.18;
/// How far a darker scene is brought up to it, in parts of the stops between.
const LIFT: f32 = 0.75;
/// Gains beyond which a picture would no longer say how light it was there.
const GAINS: [f32; 2] = [0.5, 8.0];

/// Exposes a picture as a photographer does with an incident-light meter: a white level
/// surface in this light just becomes white, and snow with it. Where what is no sky is
/// darker than middle grey on average (of logarithms), it is brought three quarters of the
/// stops up to that; but the brightest hundredth at most a stop beyond white, which the
/// film's curve rolls off.
fn expose(image: &mut Image, light: &Light) {
    let luminance = |[r, g, b]: [f32; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let up = light.to_sun.z.max(0.0) as f32;
    let white = luminance([0, 1, 2].map(|k| light.sun[k] * up + light.ambient[k])).max(1e-3);
    let lit = image.colour.iter().zip(&image.class).filter(|(_, class)| **class != 0);
    let mut levels: Vec<f32> = lit
        .map(|(colour, _)| (luminance(*colour) / white).max(1e-4))
        .filter(|level| level.is_finite())
        .collect();
    let mut gain = 1.0;
    if !levels.is_empty() {
        levels.sort_by(f32::total_cmp);
        let bright = levels[levels.len() - 1 - levels.len() / 100];
        let mean = (levels.iter().map(|level| level.ln()).sum::<f32>() / levels.len() as f32).exp();
        gain = (GREY / mean).powf(LIFT).min(2.0 / bright).max(1.0);
    }
    let gain = (gain / white).clamp(GAINS[0], GAINS[1]);
    image.colour.iter_mut().flatten().for_each(|level| *level *= gain);
}

/// From the rearmost wheel's middle to the foremost's, chassis frame, m.
fn span(message: &VehicleState) -> [f64; 2] {
    let of = |parts: &[PartState]| -> Vec<f64> {
        parts.iter().map(|part| part.pose.position.x).collect()
    };
    let places = match &message.gear {
        RunningGear::Wheels(wheels) => of(wheels),
        RunningGear::Tracks { sprockets, idlers, .. } => [of(sprockets), of(idlers)].concat(),
    };
    let ends = [f64::INFINITY, f64::NEG_INFINITY];
    let [rear, front] = places.iter().fold(ends, |[a, b], x| [a.min(*x), b.max(*x)]);
    if front - rear > 0.5 { [rear, front] } else { [-1.7, 1.7] }
}

impl Shot {
    /// Takes the picture of a world of a scenario, with the processor, and exposes it.
    ///
    /// # Errors
    /// [`ShotError`] when there is no such vehicle or field of view, or nothing is looked at.
    pub fn take(
        &self,
        file: &ScenarioFile,
        built: &Built,
        world: &World,
    ) -> Result<Image, ShotError> {
        let scene_model = scene_model(file, world.model(), &built.meshes, built.random.as_ref());
        let look = |_: &SceneModel, scene: &Scene<'_>, take: &Take<'_>| Ok(take.image(scene));
        self.take_with(&scene_model, world, file.scenario.seed, look)
    }

    /// The same by whatever `look`s. Ruts under the wheels are seen too.
    ///
    /// # Errors
    /// [`ShotError`] as of [`Shot::take`], and those of `look`.
    pub fn take_with<E: From<ShotError>>(
        &self,
        scene_model: &SceneModel,
        world: &World,
        seed: u64,
        look: impl FnOnce(&SceneModel, &Scene<'_>, &Take<'_>) -> Result<Image, E>,
    ) -> Result<Image, E> {
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
        let ground_around = if self.coarse { Relief::coarse } else { Relief::around };
        let relief = ground_around(&world.model().ground, &world.state().published, looked_at);
        let now_us = (1e6 * world.time()).round() as u64;
        let air = scene_model.air_around(world.model(), &messages, now_us, &pose.position);
        let standing = scene_model.after(&world.model().obstacles, &world.state().damage);
        let scene = Scene {
            air: &air,
            standing: &standing,
            ..scene_model.scene(world.model(), &relief, &moving)
        };
        let dice = Dice { noise: Noise::new(seed, 0, 0), frame: 0 };
        let channels = &[Channel::Colour, Channel::Class];
        let take = Take { camera: &camera, poses: [pose; 2], apart: 0.0, dice, channels };
        let mut image = look(scene_model, &scene, &take)?;
        expose(&mut image, &scene_model.sky.light());
        Ok(image)
    }

    /// Where the camera is and looks.
    fn pose(
        &self,
        world: &World,
        chassis: &Pose,
        [rear, front]: [f64; 2],
        eye_point: Option<Vec3>,
    ) -> Pose {
        let terrain = world.model().ground.terrain();
        // upright, whatever the vehicle's roll
        let heading = chassis.yaw();
        let (s, c) = heading.sin_cos();
        let middle = 0.5 * (rear + front);
        let far = (front - rear) / 3.4;
        let beside = |x: f64, y: f64, z: f64| {
            let (x, y) = (middle + x * far, y * far);
            chassis.position + Vec3::new(c * x - s * y, s * x + c * y, z)
        };
        let target = self.target.map_or_else(|| beside(0.4, 0.0, 0.2), Vec3::from);
        let above = |place: Vec3| {
            let ground = terrain.height(place.x, place.y) + 0.6;
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
