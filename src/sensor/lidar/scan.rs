//! The scan: beams fired one column after the other, their light spread over a
//! footprint, weakened and thrown back by the air, returned by surfaces.
//!
//! A beam is rays that share its light. Each brings an echo from the first surface it
//! meets, ρ cos θ / r² of what was sent and exp(-2 τ) of that through air of optical
//! depth τ, ρ being the surface's Lambertian reflectance; and perhaps one from a drop,
//! flake or grain before, at a free path drawn from the same extinction. Echoes closer
//! than a pulse's length are one return. What is too weak for the farthest range on a
//! tenth of white paper is not seen.

use super::cloud::{Cloud, Return};
use super::spec::{LidarSpec, ReturnMode};
use crate::numeric::{exp, ln, sin_cos};
use crate::sensor::class::Class;
use crate::sensor::noise::Noise;
use crate::sensor::ray::Ray;
use crate::sensor::scene::{Scene, Surface};
use crate::spatial::{Pose, Vec3};
use rayon::prelude::*;

/// Echoes within this range of each other are one, m: a pulse of 2 ns.
const PULSE: f64 = 0.3;
/// Wavelength of the light, m.
const WAVELENGTH: f64 = 880e-9;
/// Reflectance on which the farthest range is reached.
const FAINTEST: f64 = 0.1;
/// What a drop or flake throws back of the light that meets it, against a white
/// surface: scattering is mostly forward.
const BACK: f64 = 0.03;

/// Part of a scan that falls between the scene's two keyframes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Shares of the scan at the earlier and the later keyframe.
    pub shares: [f64; 2],
    /// Time that a whole scan takes, s.
    pub period: f64,
    /// Number of the scan, for its random numbers.
    pub frame: u32,
}

/// One echo of one ray.
#[derive(Clone, Copy, Debug)]
struct Echo {
    range: f64,
    intensity: f64,
    class: Class,
    instance: u16,
}

impl LidarSpec {
    /// Share of the scan at which a column is fired; the last is fired at its end.
    pub fn share(&self, column: u32) -> f64 {
        f64::from(column + 1) / f64::from(self.columns)
    }

    /// Azimuth of a column, rad.
    pub fn azimuth(&self, column: u32) -> f64 {
        let [first, last] = self.azimuths;
        first + (last - first) * (f64::from(column) + 0.5) / f64::from(self.columns)
    }

    /// Fires the columns of a part of a scan and adds what returns to a cloud. `pose` is
    /// the lidar's at a share of the scan.
    pub fn scan(
        &self,
        scene: &Scene<'_>,
        pose: impl Fn(f64) -> Pose + Sync,
        part: &Part,
        noise: &Noise,
        cloud: &mut Cloud,
    ) {
        let [from, to] = part.shares;
        let columns = (0..self.columns).filter(|&column| {
            let share = self.share(column);
            share > from && share <= to
        });
        let elevations: Vec<(f64, f64)> = self.elevations.iter().map(|&e| sin_cos(e)).collect();
        let haze = scene.air.extinction(WAVELENGTH);
        let returned: Vec<Vec<Return>> = columns
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|column| {
                let share = self.share(column);
                let span = to - from;
                let moment = if span > 0.0 { (share - from) / span } else { 1.0 };
                let (sine, cosine) = sin_cos(self.azimuth(column));
                let firing = Firing {
                    lidar: self,
                    scene,
                    haze,
                    pose: pose(share),
                    moment,
                    column,
                    time: (part.period * (share - 1.0)) as f32,
                    noise,
                    frame: part.frame,
                };
                let mut returns = Vec::new();
                let mut echoes = Vec::new();
                for (ring, (up, level)) in elevations.iter().enumerate() {
                    let direction = Vec3::new(level * cosine, level * sine, *up);
                    firing.fire(ring as u16, &direction, &mut echoes, &mut returns);
                }
                returns
            })
            .collect();
        cloud.returns.extend(returned.into_iter().flatten());
    }
}

/// One column being fired.
struct Firing<'a> {
    lidar: &'a LidarSpec,
    scene: &'a Scene<'a>,
    /// Extinction of what is everywhere, 1/m.
    haze: f64,
    pose: Pose,
    moment: f64,
    column: u32,
    time: f32,
    noise: &'a Noise,
    frame: u32,
}

impl Firing<'_> {
    /// Fires one beam along a direction in the lidar's frame.
    fn fire(&self, ring: u16, direction: &Vec3, echoes: &mut Vec<Echo>, returns: &mut Vec<Return>) {
        let lidar = self.lidar;
        let element = self.column * lidar.elevations.len() as u32 + u32::from(ring);
        echoes.clear();
        let samples = lidar.samples.max(1);
        if samples == 1 {
            self.cast(direction, element, 0, 1.0, echoes);
        } else {
            let across = Vec3::new(-direction.y, direction.x, 0.0).normalize();
            let up = direction.cross(&across);
            let step = |k: u32| (2.0 * f64::from(k) + 1.0) / f64::from(samples) - 1.0;
            let inside = |u: f64, v: f64| u * u + v * v <= 1.0;
            let grid = || (0..samples * samples).map(|k| (step(k % samples), step(k / samples)));
            let lit = grid().filter(|&(u, v)| inside(u, v)).count();
            let half = 0.5 * lidar.divergence;
            for (k, (u, v)) in grid().filter(|&(u, v)| inside(u, v)).enumerate() {
                let aside = across * (half * u) + up * (half * v);
                let ray = (direction + aside).normalize();
                self.cast(&ray, element, k as u32, 1.0 / lit as f64, echoes);
            }
        }
        let faintest = FAINTEST / (lidar.max_range * lidar.max_range);
        for (order, echo) in merged(echoes, lidar.returns).into_iter().flatten().enumerate() {
            if echo.intensity >= faintest {
                self.deliver(ring, order as u8, direction, element, &echo, returns);
            }
        }
    }

    /// One ray with a share of the beam's light.
    fn cast(
        &self,
        direction: &Vec3,
        element: u32,
        sample: u32,
        share: f64,
        echoes: &mut Vec<Echo>,
    ) {
        let Firing { lidar, scene, pose, moment, .. } = self;
        let ray =
            Ray { origin: pose.position, direction: pose.direction(direction), moment: *moment };
        let met = scene.cast(&ray, lidar.min_range, lidar.max_range);
        let far = met.map_or(lidar.max_range, |met| met.range());
        let air = scene.air;
        let everywhere = self.haze;
        let depth = |range: f64| {
            let dust = match air.puffs.is_empty() {
                true => 0.0,
                false => air.dust(&ray.origin, &ray.direction, range).0,
            };
            everywhere * range + dust
        };
        let through = if everywhere > 1e-4 || !air.puffs.is_empty() { depth(far) } else { 0.0 };
        if through > 0.0 {
            // where the light of this ray meets a particle: a free path of optical depth
            let [u, v, ..] = self.noise.uniforms(self.frame, element, 8 + sample);
            let free = -ln(u);
            if free < through {
                let mut bounds = [0.0, far];
                for _ in 0..30 {
                    let middle = 0.5 * (bounds[0] + bounds[1]);
                    let before = depth(middle) < free;
                    bounds[usize::from(!before)] = middle;
                }
                let range = bounds[1];
                if range >= lidar.min_range {
                    let intensity = share * 2.0 * BACK * v * exp(-free) / (range * range);
                    echoes.push(Echo { range, intensity, class: Class::Air, instance: 0 });
                }
            }
        }
        if let Some(met) = met {
            let Surface { normal, material, class, instance, .. } = scene.surface(&ray, &met);
            let facing = normal.dot(&ray.direction).abs();
            let given = f64::from(material.reflectance) * facing / (far * far);
            let intensity = share * given * exp(-2.0 * through);
            echoes.push(Echo { range: far, intensity, class, instance });
        }
    }

    /// Adds a return as it is measured.
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
        let across = Vec3::new(-direction.y, direction.x, 0.0);
        let up = direction.cross(&across);
        let pointing =
            direction + across * (errors.angle * n_azimuth) + up * (errors.angle * n_elevation);
        let point = pointing.normalize() * range;
        // noise of the intensity is that of a reflectance at this range
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

/// The returns of a beam from the echoes of its rays.
fn merged(echoes: &mut [Echo], mode: ReturnMode) -> [Option<Echo>; 2] {
    if let [echo] = echoes {
        return [Some(*echo), None];
    }
    echoes.sort_by(|a, b| a.range.total_cmp(&b.range));
    let mean = |echoes: &[Echo]| {
        let sum: f64 = echoes.iter().map(|echo| echo.intensity).sum();
        let brightest =
            echoes.iter().fold(echoes[0], |a, b| if b.intensity > a.intensity { *b } else { a });
        let range = if sum > 0.0 {
            echoes.iter().map(|echo| echo.range * echo.intensity).sum::<f64>() / sum
        } else {
            brightest.range
        };
        Echo { range, intensity: sum, ..brightest }
    };
    if echoes.is_empty() {
        return [None; 2];
    }
    if mode == ReturnMode::Mean {
        return [Some(mean(echoes)), None];
    }
    let mut pulses = echoes.chunk_by(|a, b| b.range - a.range < PULSE).map(mean);
    let first = pulses.next();
    let (mut strongest, mut last) = (first, first);
    for pulse in pulses {
        if strongest.is_none_or(|s| pulse.intensity > s.intensity) {
            strongest = Some(pulse);
        }
        last = Some(pulse);
    }
    match mode {
        ReturnMode::First => [first, None],
        ReturnMode::Last => [last, None],
        ReturnMode::Dual => {
            let same = strongest.map(|s| s.range) == last.map(|l| l.range);
            [strongest, last.filter(|_| !same)]
        }
        ReturnMode::Strongest | ReturnMode::Mean => [strongest, None],
    }
}
