//! Scan of a lidar: beams fired column by column, with attenuation and scattering by the air.
//!
//! A beam is a set of rays that share its light over a footprint. Each ray yields an echo from the
//! first surface that it hits. Its intensity is ρ cos θ / r² of the emitted light, times exp(-2 τ)
//! through air of optical depth τ, where ρ is the surface's Lambertian reflectance.
//!
//! A ray may also yield an echo from a drop or flake before the surface, at a free path drawn from
//! their extinction. Echoes closer than a pulse's length merge into one return. The detection limit
//! is the return from a tenth of white paper at the maximum range.
//!
//! Haze, fog and dust are many small grains that each scatter back little. The return at one
//! instant is that of a slice as thick as half the pulse length, ΔR. It is as bright as a surface
//! of reflectance π β ΔR, where β is the backscatter. The air therefore yields returns only nearby,
//! up to the range where π β ΔR exp(-2 τ) / r² reaches the detection limit. One slice per beam
//! yields an echo; its range is drawn as a free path in the grains.

use super::cloud::{Cloud, Return};
use super::echo::{Echo, PULSE, merged};
use super::spec::{LidarNoise, LidarSpec, RayModel};
use crate::air::Air;
use crate::class::SurfaceClass;
use crate::moving_frames::MovingFrames;
use crate::noise::Noise;
use crate::packet::RAYS;
use crate::ray::Ray;
use crate::scene::{HitSurface, RayHit, Scene};
use bekker_math::numeric::{exp, ln, sin_cos};
use bekker_math::spatial::{Pose, Vec3};
use rayon::prelude::*;
use std::f64::consts::PI;

/// Wavelength of the light, m.
const WAVELENGTH: f64 = 880e-9;
/// Reflectance at which the maximum range is reached.
const FAINTEST: f64 = 0.1;
/// Fraction of the incident light that a drop or flake scatters back, relative to a white surface;
/// scattering is mostly forward.
const BACK: f64 = 0.03;

/// Part of a scan between the scene's two keyframes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanPart {
    /// Fractions of the scan at the earlier and the later keyframe.
    pub shares: [f64; 2],
    /// Duration of a whole scan, s.
    pub period: f64,
    /// Number of the scan, for its random numbers.
    pub frame: u32,
}

impl LidarSpec {
    /// Returns the fraction of the scan at which a column is fired; the last is fired at its end.
    pub fn share(&self, column: u32) -> f64 {
        f64::from(column + 1) / f64::from(self.columns)
    }

    /// Returns the azimuth of a column, rad.
    pub fn azimuth(&self, column: u32) -> f64 {
        let [first, last] = self.azimuths;
        first + (last - first) * (f64::from(column) + 0.5) / f64::from(self.columns)
    }

    /// Fires the columns of a part of a scan and appends the returns to a cloud.
    ///
    /// `pose` maps a fraction of the scan to the pose of the lidar.
    pub fn scan(
        &self,
        scene: &Scene<'_>,
        pose: impl Fn(f64) -> Pose + Sync,
        part: &ScanPart,
        noise: &Noise,
        cloud: &mut Cloud,
    ) {
        self.scan_with(|_| None, scene, pose, part, noise, cloud);
    }

    /// Fires the columns as [`LidarSpec::scan`] does, with hits computed by `cast_rays`.
    ///
    /// `cast_rays` returns the hit of every ray, or `None` to cast the rays in the scene.
    pub fn scan_with(
        &self,
        cast_rays: impl FnOnce(&Rays<'_, '_>) -> Option<Vec<Option<LidarHit>>>,
        scene: &Scene<'_>,
        pose: impl Fn(f64) -> Pose + Sync,
        part: &ScanPart,
        noise: &Noise,
        cloud: &mut Cloud,
    ) {
        let clear = Air::clear();
        let scene = &match self.rays {
            RayModel::Footprint => *scene,
            RayModel::One => Scene { air: &clear, ..*scene },
        };
        let [from, to] = part.shares;
        let columns = (0..self.columns).filter(|&column| {
            let share = self.share(column);
            share > from && share <= to
        });
        let elevations: Vec<SineCosine> =
            self.elevations.iter().map(|&elevation| SineCosine::new(elevation)).collect();
        let haze = Haze {
            extinction: scene.air.haze(WAVELENGTH),
            backscatter: scene.air.haze_backscatter(WAVELENGTH),
            drops: scene.air.drops(),
        };
        let footprint = self.footprint();
        let fire = |column: u32| {
            let share = self.share(column);
            let span = to - from;
            Firing {
                lidar: self,
                scene,
                haze,
                pose: pose(share),
                moment: if span > 0.0 { (share - from) / span } else { 1.0 },
                column,
                azimuth: SineCosine::new(self.azimuth(column)),
                time: (part.period * (share - 1.0)) as f32,
                noise,
                frame: part.frame,
            }
        };
        let firings: Vec<Firing<'_>> = columns.map(fire).collect();
        let rays = Rays { firings: &firings, elevations: &elevations, footprint: &footprint };
        let struck = cast_rays(&rays);
        let beam = elevations.len() * footprint.len();
        let returned: Vec<Vec<Return>> = firings
            .par_chunks(RAYS)
            .enumerate()
            .flat_map_iter(|(volley, firings)| {
                let struck = struck.as_ref().map(|all| {
                    let first = volley * RAYS * beam;
                    &all[first..first + firings.len() * beam]
                });
                self.fire_volley(firings, &elevations, &footprint, struck)
            })
            .collect();
        cloud.returns.reserve(returned.iter().map(Vec::len).sum());
        returned.iter().for_each(|column| cloud.returns.extend_from_slice(column));
    }

    /// Returns the least intensity that is detected.
    fn faintest(&self) -> f64 {
        FAINTEST / (self.max_range * self.max_range)
    }

    /// Returns whether a beam is a single ray without noise.
    fn is_exact(&self) -> bool {
        self.rays == RayModel::One && self.noise == LidarNoise::default()
    }

    /// Returns the number of rays along each axis of a beam's footprint.
    fn rays_across(&self) -> u32 {
        match self.rays {
            RayModel::Footprint => self.samples.max(1),
            RayModel::One => 1,
        }
    }

    /// Returns the positions of the rays in a beam's footprint, as fractions of its half width.
    fn footprint(&self) -> Vec<[f64; 2]> {
        let samples = self.rays_across();
        let step = |k: u32| (2.0 * f64::from(k) + 1.0) / f64::from(samples) - 1.0;
        let grid = (0..samples * samples).map(|k| [step(k % samples), step(k / samples)]);
        grid.filter(|[u, v]| u * u + v * v <= 1.0).collect()
    }

    /// Returns the returns of up to [`RAYS`] columns, whose rays form one packet per beam and
    /// sample.
    fn fire_volley(
        &self,
        firings: &[Firing<'_>],
        elevations: &[SineCosine],
        footprint: &[[f64; 2]],
        struck: Option<&[Option<LidarHit>]>,
    ) -> Vec<Vec<Return>> {
        let column = || Vec::with_capacity(elevations.len());
        let mut returns: Vec<Vec<Return>> = firings.iter().map(|_| column()).collect();
        let mut echoes: Vec<Vec<Echo>> = firings.iter().map(|_| Vec::new()).collect();
        let mut rays = [Ray::NONE; RAYS];
        let mut found = [None; RAYS];
        let mut frames = MovingFrames::default();
        let share = 1.0 / footprint.len() as f64;
        let is_exact = self.is_exact();
        for (ring, elevation) in elevations.iter().enumerate() {
            for (sample, &aside) in footprint.iter().enumerate() {
                for (ray, firing) in rays.iter_mut().zip(firings) {
                    *ray = firing.ray(*elevation, aside);
                }
                let rays = &rays[..firings.len()];
                match (struck, firings.first()) {
                    (Some(struck), _) => {
                        let first = (ring * footprint.len() + sample) * firings.len();
                        found[..firings.len()]
                            .copy_from_slice(&struck[first..first + firings.len()]);
                    }
                    (None, Some(Firing { scene, .. })) => {
                        let ranges = [self.min_range, self.max_range];
                        let met = scene.cast_with_frames(rays, ranges, &mut frames);
                        for ((found, ray), met) in found.iter_mut().zip(rays).zip(&met) {
                            *found =
                                met.as_ref().map(|met| LidarHit::from_ray_hit(scene, ray, met));
                        }
                    }
                    (None, None) => {}
                }
                let each = firings.iter().zip(rays).zip(found);
                if is_exact {
                    for (((firing, _), struck), returns) in each.zip(&mut returns) {
                        returns
                            .extend(struck.and_then(|s| firing.exact_return(ring, *elevation, &s)));
                    }
                } else {
                    for (((firing, ray), struck), echoes) in each.zip(&mut echoes) {
                        let element = firing.element(ring);
                        firing.sample_echoes(ray, struck, [element, sample as u32], share, echoes);
                    }
                }
            }
            if is_exact {
                continue;
            }
            for ((firing, echoes), returns) in firings.iter().zip(&mut echoes).zip(&mut returns) {
                firing.receive(ring, *elevation, echoes, returns);
                echoes.clear();
            }
        }
        returns
    }
}

/// Returns the range before `far` at which an increasing optical depth reaches `free`, m.
fn free_path(free: f64, far: f64, depth: &impl Fn(f64) -> f64) -> Option<f64> {
    if free >= depth(far) {
        return None;
    }
    let mut bounds = [0.0, far];
    for _ in 0..30 {
        let middle = 0.5 * (bounds[0] + bounds[1]);
        bounds[usize::from(depth(middle) >= free)] = middle;
    }
    Some(bounds[1])
}

/// Relative margin above the minimum range within which a ground hit counts as below the ground.
///
/// Ranges are rounded to 6e-8 of their value.
const EMERGED: f64 = 1e-5;

/// Hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LidarHit {
    /// Range, m.
    pub range: f64,
    /// Reflectance of the surface times the cosine of the incidence angle.
    pub reflected: f64,
    /// Semantic class.
    pub class: SurfaceClass,
    /// Instance label: 0 for the ground, else 1 + agent.
    pub instance: u16,
}

impl LidarHit {
    fn from_ray_hit(scene: &Scene<'_>, ray: &Ray, met: &RayHit) -> LidarHit {
        let HitSurface { normal, material, class, instance, .. } = scene.surface(ray, met);
        let reflected = f64::from(material.reflectance) * normal.dot(&ray.direction).abs();
        LidarHit { range: met.range(), reflected, class, instance }
    }
}

/// All rays of a part of a scan.
pub struct Rays<'a, 'b> {
    firings: &'a [Firing<'b>],
    elevations: &'a [SineCosine],
    footprint: &'a [[f64; 2]],
}

impl Rays<'_, '_> {
    /// Returns the rays, in the order in which their hits are expected.
    pub fn iter(&self) -> impl Iterator<Item = Ray> + '_ {
        self.firings.chunks(RAYS).flat_map(move |firings| {
            self.elevations.iter().flat_map(move |elevation| {
                self.footprint.iter().flat_map(move |&aside| {
                    firings.iter().map(move |firing| firing.ray(*elevation, aside))
                })
            })
        })
    }
}

/// Scattering by homogeneous air.
#[derive(Clone, Copy)]
struct Haze {
    /// Extinction of haze or fog, 1/m.
    extinction: f64,
    /// Backscatter of haze or fog, 1/(m sr).
    backscatter: f64,
    /// Extinction of drops and flakes, 1/m.
    drops: f64,
}

/// Sine and cosine of an angle.
#[derive(Clone, Copy)]
struct SineCosine {
    sine: f64,
    cosine: f64,
}

impl SineCosine {
    fn new(angle: f64) -> SineCosine {
        let (sine, cosine) = sin_cos(angle);
        SineCosine { sine, cosine }
    }
}

/// Column being fired.
struct Firing<'a> {
    lidar: &'a LidarSpec,
    scene: &'a Scene<'a>,
    haze: Haze,
    pose: Pose,
    moment: f64,
    column: u32,
    azimuth: SineCosine,
    time: f32,
    noise: &'a Noise,
    frame: u32,
}

impl Firing<'_> {
    /// Returns the number of a beam of the scan, for its random numbers.
    fn element(&self, ring: usize) -> u32 {
        self.column * self.lidar.elevations.len() as u32 + ring as u32
    }

    /// Returns the direction of the beam at an elevation, in the lidar's frame.
    fn direction(&self, elevation: SineCosine) -> Vec3 {
        let SineCosine { sine: up, cosine: level } = elevation;
        let SineCosine { sine, cosine } = self.azimuth;
        Vec3::new(level * cosine, level * sine, up)
    }

    /// Returns the ray at a position in a beam's footprint.
    fn ray(&self, elevation: SineCosine, [u, v]: [f64; 2]) -> Ray {
        let middle = self.direction(elevation);
        let direction = if self.lidar.rays_across() == 1 {
            middle
        } else {
            let across = Vec3::new(-middle.y, middle.x, 0.0).normalize();
            let up = middle.cross(&across);
            let half = 0.5 * self.lidar.divergence;
            (middle + (across * (half * u) + up * (half * v))).normalize()
        };
        let direction = self.pose.direction(&direction);
        Ray { origin: self.pose.position, direction, moment: self.moment }
    }

    /// Returns whether a hit yields a return.
    ///
    /// The cast starts at the minimum range. Where the ground is nearer, the ray starts below it
    /// and hits it there: the ground blocks the beam and yields no return.
    fn detects(&self, struck: &LidarHit) -> bool {
        let nearest = self.lidar.min_range * (1.0 + EMERGED);
        struck.class != SurfaceClass::Ground || nearest == 0.0 || struck.range > nearest
    }

    /// Returns the return of a beam that is one ray, without noise.
    fn exact_return(
        &self,
        ring: usize,
        elevation: SineCosine,
        struck: &LidarHit,
    ) -> Option<Return> {
        let LidarHit { range, reflected, class, instance } = *struck;
        let intensity = reflected / (range * range);
        let is_seen = intensity >= self.lidar.faintest() && self.detects(struck);
        is_seen.then(|| Return {
            point: (self.direction(elevation) * range).map(|x| x as f32).into(),
            intensity: intensity as f32,
            time: self.time,
            ring: ring as u16,
            column: self.column as u16,
            order: 0,
            class: class as u8,
            instance,
        })
    }

    /// Appends the returns of a beam from the echoes of its rays.
    fn receive(
        &self,
        ring: usize,
        elevation: SineCosine,
        echoes: &mut [Echo],
        returns: &mut Vec<Return>,
    ) {
        let lidar = self.lidar;
        let (direction, element) = (self.direction(elevation), self.element(ring));
        let faintest = lidar.faintest();
        for (order, echo) in merged(echoes, lidar.returns).into_iter().flatten().enumerate() {
            if echo.intensity >= faintest {
                self.deliver(ring as u16, order as u8, &direction, element, &echo, returns);
            }
        }
    }

    /// Adds the echoes of a ray that carries `share` of the beam's light.
    fn sample_echoes(
        &self,
        ray: &Ray,
        struck: Option<LidarHit>,
        [element, sample]: [u32; 2],
        share: f64,
        echoes: &mut Vec<Echo>,
    ) {
        let Firing { lidar, scene, haze, .. } = self;
        let far = struck.map_or(lidar.max_range, |struck| struck.range);
        let air = scene.air;
        let grains = |range: f64| {
            let dust = match air.puffs.is_empty() {
                true => 0.0,
                false => air.dust(&ray.origin, &ray.direction, range).0,
            };
            haze.extinction * range + dust
        };
        let is_clear = haze.extinction + haze.drops <= 1e-4 && air.puffs.is_empty();
        let through = if is_clear { 0.0 } else { grains(far) + haze.drops * far };
        if through > 0.0 {
            let [u, v, w, _] = self.noise.uniforms(self.frame, element, 8 + sample);
            let mut echo = |range: f64, white: f64| {
                let intensity = white * exp(-2.0 * grains(range)) / (range * range);
                if range >= lidar.min_range && intensity >= lidar.faintest() {
                    echoes.push(Echo { range, intensity, class: SurfaceClass::Air, instance: 0 });
                }
            };
            // grains yield one echo per beam, not one per ray
            if sample == 0
                && let Some(range) = free_path(-ln(u), far, &grains)
            {
                let dust = match air.puffs.is_empty() {
                    true => 0.0,
                    false => air.dust_backscatter(&ray.point_at(range)),
                };
                let white = PI * PULSE * (haze.backscatter + dust);
                echo(range, white * exp(-2.0 * haze.drops * range));
            }
            // a drop on the ray: the forward path is drawn, the return path is attenuated
            let range = -ln(w) / haze.drops;
            if range < far {
                echo(range, share * 2.0 * BACK * v * exp(-haze.drops * range));
            }
        }
        if let Some(LidarHit { range, reflected, class, instance }) =
            struck.filter(|s| self.detects(s))
        {
            let intensity = share * reflected / (range * range) * exp(-2.0 * through);
            echoes.push(Echo { range, intensity, class, instance });
        }
    }

    /// Appends a return with measurement noise.
    fn deliver(
        &self,
        ring: u16,
        order: u8,
        direction: &Vec3,
        element: u32,
        echo: &Echo,
        returns: &mut Vec<Return>,
    ) {
        let lidar = self.lidar;
        let errors = &lidar.noise;
        let lane = 2 * u32::from(order);
        if errors.dropout > 0.0
            && self.noise.uniforms(self.frame, element, lane + 1)[0] < errors.dropout
        {
            return;
        }
        let [n_range, n_azimuth, n_elevation, n_intensity] =
            self.noise.normals(self.frame, element, lane);
        let range = echo.range + errors.range * n_range;
        // `across` is as long as the beam's horizontal part, so it turns the azimuth by the error
        let across = Vec3::new(-direction.y, direction.x, 0.0);
        let up = direction.cross(&across).try_normalize(0.0).unwrap_or_default();
        let pointing =
            direction + across * (errors.angle * n_azimuth) + up * (errors.angle * n_elevation);
        let point = pointing.normalize() * range;
        // intensity noise is given as that of the reflectance at this range
        let shaken = echo.intensity + errors.intensity * n_intensity / (range * range).max(1e-6);
        returns.push(Return {
            point: point.map(|x| x as f32).into(),
            intensity: shaken.max(0.0) as f32,
            time: self.time,
            ring,
            column: self.column as u16,
            order,
            class: echo.class as u8,
            instance: echo.instance,
        });
    }
}
