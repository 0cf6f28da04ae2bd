//! Cameras: from rays through a lens to the pixels of an image.

mod chip;
mod image;
mod image_request;
mod lens;
mod shade;
mod spec;

pub use image::Image;
pub use image_request::ImageRequest;
pub use shade::{GRAINS, OPEN, SHADOW};
pub use spec::{CameraSpec, ChipNoise, ImageChannel, Lens};

use super::class::SurfaceClass;
use super::noise::Noise;
use super::packet::RAYS;
use super::ray::Ray;
use super::relief::GroundMark;
use super::scene::{HitSurface, RayHit, Scene, interpolate_pose};
use super::sky::SceneLight;
use bekker_math::numeric::{exp, sin_cos};
use bekker_math::spatial::{Pose, Quat, Vec3};
use rayon::prelude::*;
use shade::ShadePoint;

/// Maximum visible range, m.
pub const HORIZON: f64 = 6_000.0;
/// Pixels along a side of a block, whose rays form one packet.
const BLOCK: usize = 4;
const _: () = assert!(BLOCK * BLOCK == RAYS);

/// Camera; immutable. It looks along the x axis of its frame, y left, z up.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Pixels per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Lens model.
    pub lens: Lens,
    /// Focal lengths along the rows and across them, pixels.
    pub focal: [f64; 2],
    /// Principal point, pixels from the top left corner of the image.
    pub middle: [f64; 2],
    /// Rays along each side of a pixel.
    pub supersample: u32,
    /// Rays per sample that test the visibility of the sky; 0 for no occlusion.
    pub sky_rays: u32,
    /// Exposure time of a row, s.
    pub exposure: f64,
    /// Time from the first row's exposure to the last's, s; 0 for a global shutter.
    pub readout: f64,
    /// Color of a pixel with radiance 1, before saturation.
    pub gain: f64,
    /// Vignetting coefficient v: a pixel at angle θ from the axis receives 1 - v + v cos⁴ θ.
    pub vignetting: f64,
    /// Distance to the left camera of the pair for the right camera, m; else 0.
    pub baseline: f64,
}

impl Camera {
    /// Creates a camera with square pixels and this horizontal field of view, rad.
    ///
    /// The axis passes through the center of the image. It is `None` where the lens cannot cover
    /// the field of view.
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

    /// Creates the camera of a specification; `None` where its lens cannot cover the field of view.
    pub fn from_spec(spec: &CameraSpec) -> Option<Camera> {
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

    /// Returns the rows of the projection matrix from the frame of the pair's left camera to
    /// pixels.
    ///
    /// The frame is x right, y down and z ahead. Pixel centers have integer coordinates.
    pub fn projection(&self) -> [f64; 12] {
        let ([fx, fy], [cx, cy]) = (self.focal, self.middle.map(|middle| middle - 0.5));
        let beside = if self.baseline > 0.0 { -fx * self.baseline } else { 0.0 };
        [fx, 0.0, cx, beside, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0]
    }

    /// Returns the direction in the camera's frame at (u, v), pixels from the top left corner.
    #[inline]
    pub fn direction(&self, u: f64, v: f64) -> Option<Vec3> {
        let [fx, fy] = self.focal;
        let [cx, cy] = self.middle;
        let [x, y, z] = self.lens.direction([(u - cx) / fx, (v - cy) / fy])?;
        Some(Vec3::new(z, -x, -y))
    }

    /// Projects a point in the camera's frame to pixels from the top left corner.
    pub fn project(&self, point: &Vec3) -> Option<[f64; 2]> {
        let [x, y] = self.lens.project([-point.y, -point.z, point.x])?;
        Some([self.focal[0] * x + self.middle[0], self.focal[1] * y + self.middle[1]])
    }

    /// Returns the least angle between adjacent pixels at the center, edges and corners, rad.
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

    /// Renders an image that is complete at the scene's later keyframe.
    ///
    /// `poses` are the camera's at the two keyframes, `interval` is the time between them, s. Exposure
    /// before the earlier keyframe uses the earlier one. `rng` belongs to this frame; it draws the
    /// time of each sample within the exposure and the directions of the rays to the sky.
    pub fn render(
        &self,
        scene: &Scene<'_>,
        poses: &[Pose; 2],
        interval: f64,
        rng: &PixelRng,
    ) -> Image {
        let light = scene.sky.light();
        let haze = scene.air.extinction(550e-9);
        let pixels = self.width as usize * self.height as usize;
        let mut image = Image {
            width: self.width,
            height: self.height,
            color: vec![[0.0; 3]; pixels],
            depth: vec![f32::INFINITY; pixels],
            normal: vec![[0.0; 3]; pixels],
            class: vec![SurfaceClass::Sky as u8; pixels],
            instance: vec![0; pixels],
            soil: vec![u8::MAX; pixels],
            sinkage: vec![0.0; pixels],
            slip: vec![0.0; pixels],
            passes: vec![0; pixels],
            agent: vec![0; pixels],
        };
        let [width, height] = [self.width, self.height].map(|side| side as usize);
        let across = width.div_ceil(BLOCK);
        let shot = ImageRenderer { camera: self, scene, light: &light, haze, poses, interval, rng };
        let bands: Vec<Vec<[Pixel; RAYS]>> = (0..height.div_ceil(BLOCK))
            .into_par_iter()
            .map(|row| (0..across).map(|column| shot.block([column, row])).collect())
            .collect();
        for (index, block) in bands.iter().flatten().enumerate() {
            for (k, pixel) in block.iter().enumerate() {
                let [u, v] = pixel_of_block([index % across, index / across], k);
                if u >= width || v >= height {
                    continue;
                }
                let index = v * width + u;
                image.color[index] = pixel.color;
                let Some((depth, surface)) = pixel.seen else { continue };
                image.depth[index] = depth as f32;
                image.normal[index] = surface.normal.map(|x| x as f32).into();
                image.class[index] = surface.class as u8;
                image.instance[index] = surface.instance;
                image.soil[index] = surface.soil;
                let GroundMark { sinkage, slip, passes, agent } = surface.mark;
                image.sinkage[index] = sinkage;
                image.slip[index] = slip;
                image.passes[index] = passes;
                image.agent[index] = agent;
            }
        }
        image
    }

    /// Returns the vignetting factor of a direction in the camera's frame.
    fn falloff(&self, direction: &Vec3) -> f64 {
        let c2 = direction.x * direction.x;
        1.0 - self.vignetting + self.vignetting * c2 * c2
    }
}

/// Random numbers of one frame of a camera, separate from those of its chip.
#[derive(Clone, Copy, Debug)]
pub struct PixelRng {
    /// Generator of the camera.
    pub noise: Noise,
    /// Frame number.
    pub frame: u32,
}

/// Lane of a sample's time, plus the sample's number.
pub const LATE: u32 = 1 << 16;
/// Lane of a sample's rays to the sky, plus 64 times the sample's number.
pub const SKY: u32 = 1 << 24;

impl PixelRng {
    /// Returns the time of a sample within its fraction of the exposure, 0 to 1.
    fn shutter_fraction(&self, pixel: u32, sample: u32) -> f64 {
        self.noise.uniforms(self.frame, pixel, LATE + sample)[0]
    }

    /// Returns the two numbers that determine the direction of a sample's ray to the sky.
    fn sky_sample(&self, [pixel, sample]: [u32; 2], ray: u32) -> [f64; 2] {
        let [u, v, ..] = self.noise.uniforms(self.frame, pixel, SKY + 64 * sample + ray);
        [u, v]
    }
}

/// Image being rendered.
struct ImageRenderer<'a> {
    camera: &'a Camera,
    scene: &'a Scene<'a>,
    light: &'a SceneLight,
    /// Extinction of homogeneous air, 1/m.
    haze: f64,
    poses: &'a [Pose; 2],
    interval: f64,
    rng: &'a PixelRng,
}

#[derive(Clone, Copy)]
struct Pixel {
    color: [f32; 3],
    /// Depth along the axis, m, and surface at the center of the pixel.
    seen: Option<(f64, HitSurface)>,
}

/// Result of a ray.
#[derive(Clone, Copy)]
struct RayReturn {
    radiance: [f32; 3],
    /// Range, m, and surface of the hit.
    seen: Option<(f64, HitSurface)>,
}

/// Returns column and row of pixel `k` of a block.
fn pixel_of_block(block: [usize; 2], k: usize) -> [usize; 2] {
    [BLOCK * block[0] + k % BLOCK, BLOCK * block[1] + k / BLOCK]
}

impl ImageRenderer<'_> {
    /// Renders the pixels of a block, whose rays form one packet.
    fn block(&self, block: [usize; 2]) -> [Pixel; RAYS] {
        let camera = self.camera;
        let side = camera.supersample.max(1);
        let samples = side * side;
        let mut pixels = [Pixel { color: [0.0; 3], seen: None }; RAYS];
        for sample in 0..samples {
            let aside = [sample % side, sample / side]
                .map(|step| (f64::from(step) + 0.5) / f64::from(side));
            // spread over the exposure: stratified, in an order that correlates with no axis
            let stratum = f64::from((sample * 7 + 3) % samples);
            let sent = self.rays_through(block, aside, |pixel| match camera.exposure > 0.0 {
                true => (stratum + self.rng.shutter_fraction(pixel, sample)) / f64::from(samples),
                false => 1.0,
            });
            let returns = self.trace(&sent, sample);
            for k in 0..sent.count {
                let (own, look) = (&sent.own[k], &returns[k]);
                let pixel = &mut pixels[sent.place[k]];
                let gain = (camera.gain * camera.falloff(own) / f64::from(samples)) as f32;
                for (sum, got) in pixel.color.iter_mut().zip(look.radiance) {
                    *sum += gain * got;
                }
                if samples == 1 {
                    pixel.seen = look.seen.map(|(range, surface)| (range * own.x, surface));
                }
            }
        }
        if samples > 1 {
            let middle = self.rays_through(block, [0.5; 2], |_| 1.0);
            let met = self.scene.cast_all(middle.rays(), 0.0, HORIZON);
            for (k, met) in met.iter().enumerate().take(middle.count) {
                let seen = |met: &RayHit| {
                    let surface = self.scene.surface(&middle.rays[k], met);
                    (met.range() * middle.own[k].x, surface)
                };
                pixels[middle.place[k]].seen = met.as_ref().map(seen);
            }
        }
        pixels
    }

    /// Creates rays through the same position in each pixel of a block.
    ///
    /// `late` gives the fraction of the exposure for a pixel. Rays that the lens blocks or that are
    /// outside the image are left out.
    fn rays_through(
        &self,
        block: [usize; 2],
        aside: [f64; 2],
        late: impl Fn(u32) -> f64,
    ) -> RayBlock {
        let mut sent = RayBlock {
            rays: [Ray::NONE; RAYS],
            own: [Vec3::zeros(); RAYS],
            place: [0; RAYS],
            pixel: [0; RAYS],
            count: 0,
        };
        let [width, height] = [self.camera.width, self.camera.height];
        for k in 0..RAYS {
            let [u, v] = pixel_of_block(block, k).map(|at| at as u32);
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

    /// Returns the ray through an image position at the fraction `late` of the exposure, and its
    /// direction in the camera's frame.
    fn ray(&self, u: f64, v: f64, late: f64) -> Option<(Ray, Vec3)> {
        let camera = self.camera;
        let own = camera.direction(u, v)?;
        let ago =
            camera.readout * (1.0 - v / f64::from(camera.height)) + camera.exposure * (1.0 - late);
        let moment =
            if self.interval > 0.0 { (1.0 - ago / self.interval).clamp(0.0, 1.0) } else { 1.0 };
        let pose = if self.poses[0] == self.poses[1] {
            self.poses[1]
        } else {
            interpolate_pose(self.poses, moment)
        };
        Some((Ray { origin: pose.position, direction: pose.direction(&own), moment }, own))
    }

    /// Returns the radiance along rays with the range and surface of their hits.
    fn trace(&self, sent: &RayBlock, sample: u32) -> [RayReturn; RAYS] {
        let ImageRenderer { camera, scene, light, rng, .. } = self;
        let met = scene.cast_all(sent.rays(), 0.0, HORIZON);
        let mut returns = [RayReturn { radiance: [0.0; 3], seen: None }; RAYS];
        let mut spots = [ShadePoint::NONE; RAYS];
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
            spots[count] = ShadePoint::new(*ray, surface, footprint, [sent.pixel[k], sample]);
            count += 1;
        }
        let got = shade::radiance(scene, light, &spots[..count], camera.sky_rays, rng);
        let mut got = got.into_iter();
        for (look, ray) in returns.iter_mut().zip(sent.rays()) {
            if let Some((range, _)) = look.seen {
                let got = got.next().unwrap_or_default();
                look.radiance = self.through_air(ray, range, got);
            }
        }
        returns
    }

    /// Attenuates light from `range`, m, and adds the light scattered by the air.
    fn through_air(&self, ray: &Ray, range: f64, from: [f32; 3]) -> [f32; 3] {
        let ImageRenderer { scene, light, .. } = self;
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

/// Rays through a block of pixels.
struct RayBlock {
    rays: [Ray; RAYS],
    /// Directions in the camera's frame.
    own: [Vec3; RAYS],
    /// Pixel of each ray, by index in the block and in the image.
    place: [usize; RAYS],
    pixel: [u32; RAYS],
    count: usize,
}

impl RayBlock {
    fn rays(&self) -> &[Ray] {
        &self.rays[..self.count]
    }
}

/// Returns the pose of a camera at `from` that looks at `to`, with the image's top up.
pub fn look_at(from: &Vec3, to: &Vec3) -> Pose {
    let x = (to - from).try_normalize(1e-9).unwrap_or_else(Vec3::x);
    let y = Vec3::z().cross(&x).try_normalize(1e-9).unwrap_or_else(Vec3::y);
    let z = x.cross(&y);
    let axes = bekker_math::spatial::Mat3::from_columns(&[x, y, z]);
    let turn = nalgebra::Rotation3::from_matrix_unchecked(axes);
    Pose { position: *from, orientation: Quat::from_rotation_matrix(&turn) }
}
