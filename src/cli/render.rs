//! `bekker render`

use super::drive::CHECKPOINT;
use super::graphics::Graphics;
use super::quantity::quantity;
use super::{Failure, destination, recorded, stdout};
use crate::report::{check_place, photograph};
use crate::scenario::build::{Built, scene_model, world};
use crate::scenario::{ScenarioFile, input};
use crate::sensor::camera::{Camera, Channel, Dice, Image, Lens, Take, look_at};
use crate::sensor::noise::Noise;
use crate::sensor::relief::Relief;
use crate::sensor::scene::Scene;
use crate::sensor::sky::Light;
use crate::simulation::{SceneModel, World, checkpoint};
use crate::spatial::{Pose, Vec3};
use crate::sync::message::{PartState, RunningGear, VehicleState};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Draw a picture of a scenario, or of a moment of a run
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker render examples/mixed_convoy.toml --time 8\n  \
    bekker render --run runs/convoy_mud-1 --camera top --out ruts.png\n  \
    bekker render examples/tracked_mud.toml --time 5 --from=-8,6,3 --to=4,0,0 --fov-deg 60\n\n\
    A run folder is shown at its last checkpoint.")]
pub struct Render {
    /// The scenario
    #[arg(required_unless_present = "run")]
    file: Option<PathBuf>,
    /// Override a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Folder of a run, in place of a scenario
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["file", "sets", "time"])]
    run: Option<PathBuf>,
    /// Simulated time to drive until before the picture is taken, s
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true,
          value_parser = quantity(0.0..=604_800.0, "s"))]
    time: f64,
    /// Where the camera is
    #[arg(long, value_enum, default_value = "chase")]
    camera: View,
    /// Vehicle that it goes with, by name; the first if not given
    #[arg(long, value_name = "NAME")]
    vehicle: Option<String>,
    /// Place of the camera in place of a view
    #[arg(long, value_name = "X,Y,Z", value_parser = super::terrain::numbers::<3>, allow_hyphen_values = true)]
    from: Option<[f64; 3]>,
    /// What it looks at; the vehicle if not given
    #[arg(long, value_name = "X,Y,Z", value_parser = super::terrain::numbers::<3>, allow_hyphen_values = true)]
    to: Option<[f64; 3]>,
    /// Horizontal field of view
    #[arg(long, value_name = "DEGREES", default_value_t = 55.0, allow_negative_numbers = true,
          value_parser = quantity(0.1..=170.0, "deg"))]
    fov_deg: f64,
    /// Size of the picture, pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = size)]
    size: (u32, u32),
    /// Rays along each side of a pixel
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=16))]
    supersample: u32,
    #[command(flatten)]
    graphics: Graphics,
    /// The picture
    #[arg(long, value_name = "FILE.png", default_value = "render.png", value_parser = destination::png)]
    out: PathBuf,
}

/// Places of a camera that goes with a vehicle.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum View {
    /// Behind it and to its left.
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
}

/// Most pixels of a picture, 4096 x 4096.
const MOST_PIXELS: u64 = 1 << 24;
/// Most rays of a picture, all of all pixels.
const MOST_RAYS: u64 = 1 << 28;

fn size(text: &str) -> Result<(u32, u32), String> {
    let parts: Option<(Option<u32>, Option<u32>)> =
        text.split_once('x').map(|(w, h)| (w.parse().ok(), h.parse().ok()));
    match parts {
        Some((Some(w), Some(h)))
            if w > 0 && h > 0 && u64::from(w) * u64::from(h) <= MOST_PIXELS =>
        {
            Ok((w, h))
        }
        _ => Err(format!("must be like 1280x720, at most {MOST_PIXELS} pixels in all")),
    }
}

/// The picture, by the stage's card if it has one.
#[cfg(feature = "gpu")]
fn picture(scene_model: &SceneModel, scene: &Scene<'_>, take: &Take<'_>) -> Result<Image, Failure> {
    use crate::gpu::{GpuError, GpuRenderer, Props};
    let Some(gpu) = &scene_model.gpu else { return Ok(take.image(scene)) };
    let taken = || {
        let props = Props::new(gpu, scene)?;
        let mut renderer = GpuRenderer::new(gpu.clone(), props.into())?;
        renderer.pictures(scene, &[*take])?.pop().ok_or(GpuError::Nothing)
    };
    taken().map_err(|error| Failure::Run { subject: "--gpu".into(), cause: error.to_string() })
}

/// The picture.
#[cfg(not(feature = "gpu"))]
fn picture(_: &SceneModel, scene: &Scene<'_>, take: &Take<'_>) -> Result<Image, Failure> {
    Ok(take.image(scene))
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

impl Render {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let pixels = u64::from(self.size.0) * u64::from(self.size.1);
        if pixels * u64::from(self.supersample).pow(2) > MOST_RAYS {
            let allowed = format!("smaller for {pixels} pixels: at most {MOST_RAYS} rays in all");
            let value = self.supersample.to_string();
            return Err(Failure::Usage { argument: "--supersample", value, allowed });
        }
        check_place(&self.out)?;
        let (file, built, mut world) = self.world()?;
        let steps = (self.time / world.model().clock.step()).round() as u64;
        while world.state().tick < steps && world.is_running() {
            world.advance();
        }
        world.publish_all();
        let agents = &world.model().agents;
        let index = match &self.vehicle {
            None => 0,
            Some(name) => agents.iter().position(|agent| agent.name == *name).ok_or_else(|| {
                Failure::Input { subject: name.clone(), cause: "no vehicle of this name".into() }
            })?,
        };
        let messages = world.messages();
        let chassis = messages[index].chassis;
        let eye_point = agents[index].vehicle.driver_eye_point();
        let span = span(&messages[index]);
        let pose = self.pose(&world, &chassis, span, eye_point);
        let camera =
            Camera::with_field(self.size.0, self.size.1, Lens::Pinhole, self.fov_deg.to_radians())
                .ok_or_else(|| Failure::Usage {
                    argument: "--fov-deg",
                    value: self.fov_deg.to_string(),
                    allowed: "above 0 and below 180".into(),
                })?;
        let camera = Camera { supersample: self.supersample, sky_rays: 1, ..camera };
        let mut scene_model = scene_model(&file, &built.world, &built.meshes);
        self.graphics.equip(&mut scene_model, quiet)?;
        let moving = scene_model.moving(world.model(), [&messages, &messages]);
        let looked_at = [0, 1].map(|k| 0.5 * (pose.position[k] + chassis.position[k]));
        let relief = Relief::around(&built.world.ground, &world.state().published, looked_at);
        let now_us = (1e6 * world.time()).round() as u64;
        let air = scene_model.air_around(world.model(), &messages, now_us, &pose.position);
        let standing = scene_model.after(&world.model().obstacles, &world.state().damage);
        let scene = Scene {
            air: &air,
            standing: &standing,
            ..scene_model.scene(world.model(), &relief, &moving)
        };
        let dice = Dice { noise: Noise::new(file.scenario.seed, 0, 0), frame: 0 };
        let channels = &[Channel::Colour, Channel::Class];
        let take = Take { camera: &camera, poses: [pose; 2], apart: 0.0, dice, channels };
        let mut image = picture(&scene_model, &scene, &take)?;
        expose(&mut image, &scene_model.sky.light());
        photograph::write(&self.out, &image)?;
        if !quiet {
            stdout::print(&format!("{} at {} s", self.out.display(), world.time()))?;
        }
        Ok(())
    }

    fn world(&self) -> Result<(ScenarioFile, Built, World), Failure> {
        let Some(run) = &self.run else {
            let path = self.file.as_deref().unwrap_or(Path::new(""));
            let file = ScenarioFile::read(path, &self.sets)?;
            let built = world(&file)?;
            let world = World::new(built.world.clone());
            return Ok((file, built, world));
        };
        let (_, file) = recorded::read(run, &[])?;
        let built = world(&file)?;
        let path = run.join(CHECKPOINT);
        let bytes = input::read(&path, input::LARGEST_BINARY)
            .map_err(|error| Failure::input(&path, &error))?;
        let state = checkpoint::decode(&built.world, &built.decisive, &bytes)
            .map_err(|error| Failure::input(&path, &error))?;
        let world = World::resume(built.world.clone(), state)
            .map_err(|error| Failure::input(&path, &error))?;
        Ok((file, built, world))
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
        let target = self.to.map_or_else(|| beside(0.4, 0.0, 0.2), Vec3::from);
        let above = |place: Vec3| {
            let ground = terrain.height(place.x, place.y) + 0.6;
            Vec3::new(place.x, place.y, place.z.max(ground))
        };
        if let Some(from) = self.from {
            return look_at(&Vec3::from(from), &target);
        }
        match self.camera {
            View::Chase => look_at(&above(beside(-8.0, 4.2, 2.9)), &target),
            View::Front => look_at(&above(beside(8.5, 3.6, 1.6)), &target),
            View::Side => look_at(&above(beside(0.5, 8.5, 1.1)), &target),
            View::Top => look_at(&beside(-0.01, 0.0, 24.0), &beside(0.0, 0.0, 0.0)),
            View::Bird => look_at(&above(beside(-22.0, 16.0, 14.0)), &target),
            View::Driver => {
                let eye_point = eye_point.unwrap_or_else(|| Vec3::new(0.6, 0.4, 1.0));
                let from = chassis.point(&eye_point);
                look_at(&from, &(from + chassis.direction(&Vec3::new(1.0, 0.0, -0.08))))
            }
        }
    }
}
