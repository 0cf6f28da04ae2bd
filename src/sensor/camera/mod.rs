//! Cameras: from rays through a lens to the pixels of a picture.

mod chip;
mod image;
mod lens;
mod shade;
mod spec;
mod take;

pub use image::Image;
pub use shade::{GRAINS, OPEN, SHADOW};
pub use spec::{CameraSpec, Channel, ChipNoise, Lens};
pub use take::Take;

use super::class::Class;
use super::noise::Noise;
use super::ray::Ray;
use super::relief::Mark;
use super::scene::{Scene, Surface, between};
use super::sky::Light;
use crate::numeric::{exp, sin_cos};
use crate::spatial::{Pose, Quat, Vec3};
use rayon::prelude::*;

/// Nothing is seen beyond this range, m.
pub const HORIZON: f64 = 6_000.0;

/// A camera; immutable. It looks along the x axis of its frame, y left, z up.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The lens.
    pub lens: Lens,
    /// Focal lengths along the rows and across them, pixels.
    pub focal: [f64; 2],
    /// Where the optical axis meets the picture, pixels from its top left corner.
    pub middle: [f64; 2],
    /// Rays along each side of a pixel.
    pub supersample: u32,
    /// Rays a sample that ask whether the sky is open; 0 for open ground everywhere.
    pub sky_rays: u32,
    /// Time that a row gathers light, s.
    pub exposure: f64,
    /// Time from the first row's exposure to the last's, s; 0 for a global shutter.
    pub readout: f64,
    /// Colour of a pixel that sees radiance 1, before it saturates.
    pub gain: f64,
    /// Light lost in the corners: a pixel at angle θ from the axis gets
    /// 1 - v + v cos⁴ θ.
    pub vignetting: f64,
}

impl Camera {
    /// A camera with square pixels and this horizontal field of view, rad, whose axis
    /// meets the middle of the picture; `None` where the lens does not see so far.
    pub fn with_field(width: u32, height: u32, lens: Lens, field: f64) -> Option<Camera> {
        let (s, c) = sin_cos(0.5 * field);
        let edge = lens.project([s, 0.0, c])?[0];
        let focal = 0.5 * f64::from(width) / edge;
        (width > 0 && height > 0 && focal.is_finite() && focal > 0.0).then(|| Camera {
            width,
            height,
            lens,
            focal: [focal; 2],
            middle: [0.5 * f64::from(width), 0.5 * f64::from(height)],
            supersample: 1,
            sky_rays: 0,
            exposure: 0.0,
            readout: 0.0,
            gain: 0.8,
            vignetting: 0.0,
        })
    }

    /// The camera of a specification; `None` where its lens does not see so far.
    pub fn of(spec: &CameraSpec) -> Option<Camera> {
        let camera = Camera::with_field(spec.width, spec.height, spec.lens, spec.field_of_view)?;
        Some(Camera {
            supersample: spec.supersample,
            exposure: spec.exposure,
            readout: spec.rolling,
            gain: spec.gain,
            vignetting: spec.vignetting,
            ..camera
        })
    }

    /// The direction in the camera's frame that is seen at (u, v), pixels from the top
    /// left corner.
    #[inline]
    pub fn direction(&self, u: f64, v: f64) -> Option<Vec3> {
        let [fx, fy] = self.focal;
        let [cx, cy] = self.middle;
        let [x, y, z] = self.lens.direction([(u - cx) / fx, (v - cy) / fy])?;
        Some(Vec3::new(z, -x, -y))
    }

    /// Where a point in the camera's frame is seen, pixels from the top left corner.
    pub fn project(&self, point: &Vec3) -> Option<[f64; 2]> {
        let [x, y] = self.lens.project([-point.y, -point.z, point.x])?;
        Some([self.focal[0] * x + self.middle[0], self.focal[1] * y + self.middle[1]])
    }

    /// Takes a picture that is complete at the scene's later keyframe. `poses` are the
    /// camera's at the two keyframes, `apart` the time between them, s; what began
    /// before the earlier one is taken as of then. `dice`, of this frame, decides where
    /// within its time a sample falls and which way the sky is asked for.
    pub fn picture(&self, scene: &Scene<'_>, poses: &[Pose; 2], apart: f64, dice: &Dice) -> Image {
        let light = scene.sky.light();
        let haze = scene.air.extinction(550e-9);
        let pixels = self.width as usize * self.height as usize;
        let mut image = Image {
            width: self.width,
            height: self.height,
            colour: vec![[0.0; 3]; pixels],
            depth: vec![f32::INFINITY; pixels],
            normal: vec![[0.0; 3]; pixels],
            class: vec![Class::Sky as u8; pixels],
            instance: vec![0; pixels],
            soil: vec![u8::MAX; pixels],
            sinkage: vec![0.0; pixels],
            slip: vec![0.0; pixels],
            passes: vec![0; pixels],
            owner: vec![0; pixels],
        };
        let width = self.width as usize;
        let rows: Vec<Vec<Pixel>> = (0..self.height as usize)
            .into_par_iter()
            .map(|row| {
                let shot = Shot { camera: self, scene, light: &light, haze, poses, apart, dice };
                (0..width).map(|column| shot.pixel(column, row)).collect()
            })
            .collect();
        for (index, pixel) in rows.into_iter().flatten().enumerate() {
            image.colour[index] = pixel.colour;
            let Some((depth, surface)) = pixel.seen else { continue };
            image.depth[index] = depth as f32;
            image.normal[index] = surface.normal.map(|x| x as f32).into();
            image.class[index] = surface.class as u8;
            image.instance[index] = surface.instance;
            image.soil[index] = surface.soil;
            let Mark { sinkage, slip, passes, owner } = surface.mark;
            image.sinkage[index] = sinkage;
            image.slip[index] = slip;
            image.passes[index] = passes;
            image.owner[index] = owner;
        }
        image
    }

    /// What is left of the light at a direction in the camera's frame.
    fn falloff(&self, direction: &Vec3) -> f64 {
        let c2 = direction.x * direction.x;
        1.0 - self.vignetting + self.vignetting * c2 * c2
    }
}

/// Random numbers of one frame of a camera, apart from those of its chip.
#[derive(Clone, Copy, Debug)]
pub struct Dice {
    /// The camera's.
    pub noise: Noise,
    /// Which frame it is.
    pub frame: u32,
}

/// Lane of a sample's moment, the sample's number to be added.
pub const LATE: u32 = 1 << 16;
/// Lane of a sample's rays to the sky, 64 times the sample's number to be added.
pub const SKY: u32 = 1 << 24;

impl Dice {
    /// When within its share of the exposure a sample falls, 0 to 1.
    fn late(&self, pixel: u32, sample: u32) -> f64 {
        self.noise.uniforms(self.frame, pixel, LATE + sample)[0]
    }

    /// Two numbers that decide which way a sample's ray asks for the sky.
    fn open(&self, [pixel, sample]: [u32; 2], ray: u32) -> [f64; 2] {
        let [u, v, ..] = self.noise.uniforms(self.frame, pixel, SKY + 64 * sample + ray);
        [u, v]
    }
}

/// A picture being taken.
struct Shot<'a> {
    camera: &'a Camera,
    scene: &'a Scene<'a>,
    light: &'a Light,
    /// Extinction of what is everywhere, 1/m.
    haze: f64,
    poses: &'a [Pose; 2],
    apart: f64,
    dice: &'a Dice,
}

struct Pixel {
    colour: [f32; 3],
    /// Depth along the axis, m, and the surface that is seen in the middle.
    seen: Option<(f64, Surface)>,
}

impl Shot<'_> {
    fn pixel(&self, column: usize, row: usize) -> Pixel {
        let camera = self.camera;
        let side = camera.supersample.max(1);
        let samples = side * side;
        let pixel = (row * camera.width as usize + column) as u32;
        let mut colour = [0.0_f32; 3];
        let mut seen = None;
        for sample in 0..samples {
            let [du, dv] = [sample % side, sample / side]
                .map(|step| (f64::from(step) + 0.5) / f64::from(side));
            // spread over the exposure: stratified, in an order that goes with no axis
            let late = if camera.exposure > 0.0 {
                let stratum = (sample * 7 + 3) % samples;
                (f64::from(stratum) + self.dice.late(pixel, sample)) / f64::from(samples)
            } else {
                1.0
            };
            let Some((ray, own)) = self.ray(column as f64 + du, row as f64 + dv, late) else {
                continue;
            };
            let (got, surface) = self.look(&ray, [pixel, sample]);
            let gain = (camera.gain * camera.falloff(&own) / f64::from(samples)) as f32;
            for k in 0..3 {
                colour[k] += gain * got[k];
            }
            if samples == 1 {
                seen = surface.map(|(range, surface)| (range * own.x, surface));
            }
        }
        if samples > 1 {
            let middle = self.ray(column as f64 + 0.5, row as f64 + 0.5, 1.0);
            seen = middle.and_then(|(ray, own)| {
                let met = self.scene.cast(&ray, 0.0, HORIZON)?;
                Some((met.range() * own.x, self.scene.surface(&ray, &met)))
            });
        }
        Pixel { colour, seen }
    }

    /// The ray through a place on the picture, `late` into its exposure, and its
    /// direction in the camera's frame.
    fn ray(&self, u: f64, v: f64, late: f64) -> Option<(Ray, Vec3)> {
        let camera = self.camera;
        let own = camera.direction(u, v)?;
        let ago =
            camera.readout * (1.0 - v / f64::from(camera.height)) + camera.exposure * (1.0 - late);
        let moment = if self.apart > 0.0 { (1.0 - ago / self.apart).clamp(0.0, 1.0) } else { 1.0 };
        let pose = if self.poses[0] == self.poses[1] {
            self.poses[1]
        } else {
            between(self.poses, moment)
        };
        Some((Ray { origin: pose.position, direction: pose.direction(&own), moment }, own))
    }

    /// Radiance along a ray, and what it meets at which range.
    fn look(&self, ray: &Ray, sample: [u32; 2]) -> ([f32; 3], Option<(f64, Surface)>) {
        let Shot { camera, scene, light, dice, .. } = self;
        let Some(met) = scene.cast(ray, 0.0, HORIZON) else {
            let sky = light.radiance(&ray.direction);
            return (self.through_air(ray, 2_000.0, sky), None);
        };
        let surface = scene.surface(ray, &met);
        let range = met.range();
        let footprint = range / camera.focal[0] / surface.normal.dot(&ray.direction).abs().max(0.1);
        let got = shade::radiance(
            scene,
            light,
            ray,
            &surface,
            footprint,
            camera.sky_rays,
            (dice, sample),
        );
        (self.through_air(ray, range, got), Some((range, surface)))
    }

    /// What is left of light from `range`, m, with what the air adds.
    fn through_air(&self, ray: &Ray, range: f64, from: [f32; 3]) -> [f32; 3] {
        let Shot { scene, light, .. } = self;
        let left = exp(-self.haze * range) as f32;
        let veil = light.veil(&ray.direction);
        let hazy = [0, 1, 2].map(|k| left * from[k] + (1.0 - left) * veil[k]);
        if scene.air.puffs.is_empty() {
            return hazy;
        }
        let (depth, albedo) = scene.air.dust(&ray.origin, &ray.direction, range);
        let left = exp(-depth) as f32;
        let lit = [0, 1, 2].map(|k| light.ambient[k] + 0.5 * light.sun[k]);
        [0, 1, 2].map(|k| left * hazy[k] + (1.0 - left) * albedo[k] * lit[k])
    }
}

/// The pose of a camera at `from` that looks at `to`, its picture's top up.
pub fn looking(from: &Vec3, to: &Vec3) -> Pose {
    let x = (to - from).try_normalize(1e-9).unwrap_or_else(Vec3::x);
    let y = Vec3::z().cross(&x).try_normalize(1e-9).unwrap_or_else(Vec3::y);
    let z = x.cross(&y);
    let axes = crate::spatial::Mat3::from_columns(&[x, y, z]);
    let turn = nalgebra::Rotation3::from_matrix_unchecked(axes);
    Pose { position: *from, orientation: Quat::from_rotation_matrix(&turn) }
}
