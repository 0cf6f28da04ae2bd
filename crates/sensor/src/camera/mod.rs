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
use super::packet::RAYS;
use super::ray::Ray;
use super::relief::Mark;
use super::scene::{Met, Scene, Surface, between};
use super::sky::Light;
use bekker_math::numeric::{exp, sin_cos};
use bekker_math::spatial::{Pose, Quat, Vec3};
use rayon::prelude::*;
use shade::Spot;

/// Nothing is seen beyond this range, m.
pub const HORIZON: f64 = 6_000.0;
/// Pixels along a side of a block, whose rays go together.
const BLOCK: usize = 4;
const _: () = assert!(BLOCK * BLOCK == RAYS);

/// A camera; immutable. It returns along the x axis of its frame, y left, z up.
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
    /// Distance to the left camera of its pair, if it is the right one of a pair, m; else 0.
    pub baseline: f64,
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
            baseline: 0.0,
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
            baseline: spec.baseline,
            ..camera
        })
    }

    /// Rows of the matrix by which points in the frame of the pair's left camera, x to the right, y
    /// down and z ahead, come to pixels whose middles have whole numbers.
    pub fn projection(&self) -> [f64; 12] {
        let ([fx, fy], [cx, cy]) = (self.focal, self.middle.map(|middle| middle - 0.5));
        let beside = if self.baseline > 0.0 { -fx * self.baseline } else { 0.0 };
        [fx, 0.0, cx, beside, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0]
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

    /// Least angle between pixels beside each other, rad: of those in its middle, at its edges and in
    /// its corners.
    pub fn resolution(&self) -> f64 {
        let ([width, height], [u, v]) =
            ([self.width, self.height].map(|side| f64::from(side) - 1.0), self.middle);
        let angle = |[u, v]: [f64; 2], [du, dv]: [f64; 2]| {
            Some(self.direction(u, v)?.cross(&self.direction(u + du, v + dv)?).norm())
        };
        let places = [0.0, u, width].into_iter().flat_map(|u| [0.0, v, height].map(|v| [u, v]));
        let angles = places.flat_map(|at| [angle(at, [1.0, 0.0]), angle(at, [0.0, 1.0])]);
        angles.flatten().fold(f64::INFINITY, f64::min)
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
            agent: vec![0; pixels],
        };
        let [width, height] = [self.width, self.height].map(|side| side as usize);
        let across = width.div_ceil(BLOCK);
        let shot = Shot { camera: self, scene, light: &light, haze, poses, apart, dice };
        let bands: Vec<Vec<[Pixel; RAYS]>> = (0..height.div_ceil(BLOCK))
            .into_par_iter()
            .map(|row| (0..across).map(|column| shot.block([column, row])).collect())
            .collect();
        for (index, block) in bands.iter().flatten().enumerate() {
            for (k, pixel) in block.iter().enumerate() {
                let [u, v] = within([index % across, index / across], k);
                if u >= width || v >= height {
                    continue;
                }
                let index = v * width + u;
                image.colour[index] = pixel.colour;
                let Some((depth, surface)) = pixel.seen else { continue };
                image.depth[index] = depth as f32;
                image.normal[index] = surface.normal.map(|x| x as f32).into();
                image.class[index] = surface.class as u8;
                image.instance[index] = surface.instance;
                image.soil[index] = surface.soil;
                let Mark { sinkage, slip, passes, agent } = surface.mark;
                image.sinkage[index] = sinkage;
                image.slip[index] = slip;
                image.passes[index] = passes;
                image.agent[index] = agent;
            }
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

#[derive(Clone, Copy)]
struct Pixel {
    colour: [f32; 3],
    /// Depth along the axis, m, and the surface that is seen in the middle.
    seen: Option<(f64, Surface)>,
}

/// What a ray brings.
#[derive(Clone, Copy)]
struct RayReturn {
    radiance: [f32; 3],
    /// The surface that it has met, and at which range, m.
    seen: Option<(f64, Surface)>,
}

/// Column and row of pixel `k` of a block.
fn within(block: [usize; 2], k: usize) -> [usize; 2] {
    [BLOCK * block[0] + k % BLOCK, BLOCK * block[1] + k / BLOCK]
}

impl Shot<'_> {
    /// The pixels of a block, whose rays go together.
    fn block(&self, block: [usize; 2]) -> [Pixel; RAYS] {
        let camera = self.camera;
        let side = camera.supersample.max(1);
        let samples = side * side;
        let mut pixels = [Pixel { colour: [0.0; 3], seen: None }; RAYS];
        for sample in 0..samples {
            let aside = [sample % side, sample / side]
                .map(|step| (f64::from(step) + 0.5) / f64::from(side));
            // spread over the exposure: stratified, in an order that goes with no axis
            let stratum = f64::from((sample * 7 + 3) % samples);
            let sent = self.send(block, aside, |pixel| match camera.exposure > 0.0 {
                true => (stratum + self.dice.late(pixel, sample)) / f64::from(samples),
                false => 1.0,
            });
            let returns = self.trace(&sent, sample);
            for k in 0..sent.count {
                let (own, look) = (&sent.own[k], &returns[k]);
                let pixel = &mut pixels[sent.place[k]];
                let gain = (camera.gain * camera.falloff(own) / f64::from(samples)) as f32;
                for (sum, got) in pixel.colour.iter_mut().zip(look.radiance) {
                    *sum += gain * got;
                }
                if samples == 1 {
                    pixel.seen = look.seen.map(|(range, surface)| (range * own.x, surface));
                }
            }
        }
        if samples > 1 {
            let middle = self.send(block, [0.5; 2], |_| 1.0);
            let met = self.scene.cast_all(middle.rays(), 0.0, HORIZON);
            for (k, met) in met.iter().enumerate().take(middle.count) {
                let seen = |met: &Met| {
                    let surface = self.scene.surface(&middle.rays[k], met);
                    (met.range() * middle.own[k].x, surface)
                };
                pixels[middle.place[k]].seen = met.as_ref().map(seen);
            }
        }
        pixels
    }

    /// Rays through the same place on each pixel of a block, each as `late` into the
    /// exposure as said for its pixel. Those that the lens does not let through, or
    /// beyond the picture's edge, are left out.
    fn send(&self, block: [usize; 2], aside: [f64; 2], late: impl Fn(u32) -> f64) -> Sent {
        let mut sent = Sent {
            rays: [Ray::NONE; RAYS],
            own: [Vec3::zeros(); RAYS],
            place: [0; RAYS],
            pixel: [0; RAYS],
            count: 0,
        };
        let [width, height] = [self.camera.width, self.camera.height];
        for k in 0..RAYS {
            let [u, v] = within(block, k).map(|at| at as u32);
            if u >= width || v >= height {
                continue;
            }
            let pixel = v * width + u;
            let place = [f64::from(u) + aside[0], f64::from(v) + aside[1]];
            let Some((ray, own)) = self.ray(place[0], place[1], late(pixel)) else { continue };
            let at = sent.count;
            (sent.rays[at], sent.own[at], sent.place[at], sent.pixel[at]) = (ray, own, k, pixel);
            sent.count += 1;
        }
        sent
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

    /// Radiance along rays, and what they meet at which range.
    fn trace(&self, sent: &Sent, sample: u32) -> [RayReturn; RAYS] {
        let Shot { camera, scene, light, dice, .. } = self;
        let met = scene.cast_all(sent.rays(), 0.0, HORIZON);
        let mut returns = [RayReturn { radiance: [0.0; 3], seen: None }; RAYS];
        let mut spots = [Spot::NONE; RAYS];
        let mut count = 0;
        for (k, ray) in sent.rays().iter().enumerate() {
            let Some(met) = met[k] else {
                let sky = light.radiance(&ray.direction);
                returns[k].radiance = self.through_air(ray, 2_000.0, sky);
                continue;
            };
            let surface = scene.surface(ray, &met);
            returns[k].seen = Some((met.range(), surface));
            let facing = surface.normal.dot(&ray.direction).abs().max(0.1);
            let footprint = met.range() / camera.focal[0] / facing;
            spots[count] = Spot::new(*ray, surface, footprint, [sent.pixel[k], sample]);
            count += 1;
        }
        let got = shade::radiance(scene, light, &spots[..count], camera.sky_rays, dice);
        let mut got = got.into_iter();
        for (look, ray) in returns.iter_mut().zip(sent.rays()) {
            if let Some((range, _)) = look.seen {
                let got = got.next().unwrap_or_default();
                look.radiance = self.through_air(ray, range, got);
            }
        }
        returns
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

/// Rays that have been sent through a block of pixels.
struct Sent {
    rays: [Ray; RAYS],
    /// Their directions in the camera's frame.
    own: [Vec3; RAYS],
    /// Their pixels, by the place in the block and in the picture.
    place: [usize; RAYS],
    pixel: [u32; RAYS],
    count: usize,
}

impl Sent {
    fn rays(&self) -> &[Ray] {
        &self.rays[..self.count]
    }
}

/// The pose of a camera at `from` that returns at `to`, its picture's top up.
pub fn look_at(from: &Vec3, to: &Vec3) -> Pose {
    let x = (to - from).try_normalize(1e-9).unwrap_or_else(Vec3::x);
    let y = Vec3::z().cross(&x).try_normalize(1e-9).unwrap_or_else(Vec3::y);
    let z = x.cross(&y);
    let axes = bekker_math::spatial::Mat3::from_columns(&[x, y, z]);
    let turn = nalgebra::Rotation3::from_matrix_unchecked(axes);
    Pose { position: *from, orientation: Quat::from_rotation_matrix(&turn) }
}
