//! Shading: the radiance that a surface sends to the camera.
//!
//! The model is that of Cook and Torrance (1982) with the GGX distribution and Smith's shadowing
//! (Walter et al. 2007), Schlick's Fresnel term, and a Lambertian base. The sun casts shadows; the
//! sky lights a surface from all unoccluded directions.

use super::PixelRng;
use crate::class::SurfaceClass;
use crate::packet::RAYS;
use crate::ray::Ray;
use crate::scene::{HitSurface, Scene};
use crate::sky::SceneLight;
use bekker_math::spatial::Vec3;

/// Range beyond which nothing occludes the sky, m.
pub const OPEN: f64 = 6.0;
/// Range beyond which nothing casts a shadow, m.
pub const SHADOW: f64 = 400.0;

/// Grain of the ground: wavelength, m, contrast, slope.
pub const GRAINS: [(f64, f64, f64); 5] = [
    (9.0, 0.10, 0.0),
    (1.7, 0.09, 0.015),
    (0.31, 0.08, 0.05),
    (0.083, 0.09, 0.13),
    (0.021, 0.10, 0.22),
];

/// Shaded point of a ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShadePoint {
    ray: Ray,
    /// Surface with its grain.
    surface: HitSurface,
    /// Start point of secondary rays, m.
    from: Vec3,
    /// Pixel and sample that the point belongs to.
    sample: [u32; 2],
}

impl ShadePoint {
    /// Placeholder for no point.
    pub const NONE: ShadePoint = ShadePoint {
        ray: Ray::NONE,
        surface: HitSurface::NONE,
        from: Ray::NONE.origin,
        sample: [0; 2],
    };

    /// Creates the shaded point at a hit; `footprint` is the width of the pixel there, m.
    pub fn new(ray: Ray, mut surface: HitSurface, footprint: f64, sample: [u32; 2]) -> ShadePoint {
        if surface.class == SurfaceClass::Ground {
            grain(&mut surface, footprint);
        }
        let from = surface.point + surface.normal * (2e-3 + 1e-3 * footprint);
        ShadePoint { ray, surface, from, sample }
    }

    fn ray_to(&self, direction: Vec3) -> Ray {
        Ray { origin: self.from, direction, moment: self.ray.moment }
    }
}

/// Returns which of the existing rays are blocked before `far`, m.
fn blocked(scene: &Scene<'_>, rays: &[Option<Ray>; RAYS], far: f64) -> [bool; RAYS] {
    let mut asked = [Ray::NONE; RAYS];
    let mut count = 0;
    for ray in rays.iter().flatten() {
        asked[count] = *ray;
        count += 1;
    }
    let mut bits = if count > 0 { scene.blocked(&asked[..count], 0.0, far) } else { 0 };
    rays.map(|ray| {
        ray.is_some_and(|_| {
            let blocked = bits & 1 == 1;
            bits >>= 1;
            blocked
        })
    })
}

/// Returns the radiance of up to [`RAYS`] points towards the origin of their rays.
///
/// `sky_rays` rays per point, drawn from `rng`, test the visibility of the sky.
pub(super) fn radiance(
    scene: &Scene<'_>,
    light: &SceneLight,
    spots: &[ShadePoint],
    sky_rays: u32,
    rng: &PixelRng,
) -> [[f32; 3]; RAYS] {
    let mut sums = [[0.0_f32; 3]; RAYS];
    let mut rays = [None; RAYS];
    let sunlit = light.sun[1] > 0.0;
    for (ray, spot) in rays.iter_mut().zip(spots) {
        let faces = sunlit && spot.surface.normal.dot(&light.to_sun) > 0.0;
        *ray = faces.then(|| spot.ray_to(light.to_sun));
    }
    let shadowed = blocked(scene, &rays, SHADOW);
    for (k, spot) in spots.iter().enumerate() {
        if rays[k].is_none() || shadowed[k] {
            continue;
        }
        let facing = spot.surface.normal.dot(&light.to_sun) as f32;
        let f = reflected(&spot.surface, &-spot.ray.direction, &light.to_sun);
        for c in 0..3 {
            sums[k][c] += light.sun[c] * facing * f[c];
        }
    }

    let mut ambient = [[0.0_f32; 3]; RAYS];
    if sky_rays == 0 {
        for (ambient, spot) in ambient.iter_mut().zip(spots) {
            *ambient = light.ambient_on(&spot.surface.normal);
        }
    }
    for index in 0..sky_rays {
        let mut rays = [None; RAYS];
        for (ray, spot) in rays.iter_mut().zip(spots) {
            let [u, v] = rng.sky_sample(spot.sample, index);
            let direction = cosine(&spot.surface.normal, u, v);
            *ray = (direction.z >= 0.0).then(|| spot.ray_to(direction));
        }
        let covered = blocked(scene, &rays, OPEN);
        for k in 0..spots.len() {
            let got = match &rays[k] {
                Some(ray) if !covered[k] => light.radiance(&ray.direction),
                _ => light.ambient.map(|c| 0.2 * c),
            };
            for c in 0..3 {
                ambient[k][c] += got[c] / sky_rays as f32;
            }
        }
    }
    for (k, spot) in spots.iter().enumerate() {
        let skylight = skylight(light, spot, &ambient[k]);
        for c in 0..3 {
            sums[k][c] += skylight[c];
        }
    }
    sums
}

/// Returns the reflected sky: diffuse `ambient` light and the mirrored sky.
fn skylight(light: &SceneLight, spot: &ShadePoint, ambient: &[f32; 3]) -> [f32; 3] {
    let HitSurface { normal, material, .. } = &spot.surface;
    let view = -spot.ray.direction;
    let head_on = normal.dot(&view).max(0.0) as f32;
    let mirror = normal * (2.0 * normal.dot(&view)) - view;
    let shine = 1.0 - material.roughness;
    let grazing = (1.0 - head_on) * (1.0 - head_on);
    let grazing = grazing * grazing * (1.0 - head_on);
    let above = if mirror.z > -0.05 {
        light.radiance(&mirror)
    } else {
        light.ambient_on(&mirror).map(|c| 0.3 * c)
    };
    [0, 1, 2].map(|k| {
        let base = 0.04 + (material.albedo[k] - 0.04) * material.metallic;
        let fresnel = base + (shine.max(base) - base).max(0.0) * grazing;
        let diffuse = material.albedo[k] * (1.0 - material.metallic) * (1.0 - fresnel);
        diffuse * ambient[k]
            + fresnel * (shine * shine * above[k] + (1.0 - shine * shine) * ambient[k])
    })
}

/// Returns π times the bidirectional reflectance, by color.
fn reflected(surface: &HitSurface, view: &Vec3, sun: &Vec3) -> [f32; 3] {
    let HitSurface { normal, material, .. } = surface;
    let alpha = f64::from(material.roughness * material.roughness).max(1e-3);
    let a2 = alpha * alpha;
    let half = (view + sun).try_normalize(1e-9).unwrap_or(*normal);
    let nv = normal.dot(view).max(1e-3);
    let nl = normal.dot(sun).max(1e-3);
    let nh = normal.dot(&half).max(0.0);
    let hv = half.dot(view).max(0.0);
    let spread = nh * nh * (a2 - 1.0) + 1.0;
    // D and G / (4 nl nv), times π
    let distribution = a2 / (spread * spread);
    let smith =
        0.5 / (nl * (nv * nv * (1.0 - a2) + a2).sqrt() + nv * (nl * nl * (1.0 - a2) + a2).sqrt());
    let lobe = (distribution * smith) as f32;
    let away = 1.0 - hv;
    let schlick = (away * away * away * away * away) as f32;
    [0, 1, 2].map(|k| {
        let base = 0.04 + (material.albedo[k] - 0.04) * material.metallic;
        let fresnel = base + (1.0 - base) * schlick;
        (1.0 - fresnel) * (1.0 - material.metallic) * material.albedo[k] + fresnel * lobe
    })
}

/// Returns a cosine-weighted random direction about a normal.
fn cosine(normal: &Vec3, u: f64, v: f64) -> Vec3 {
    let (s, c) = bekker_math::numeric::sin_cos(std::f64::consts::TAU * u);
    let other = if normal.z.abs() < 0.9 { Vec3::z() } else { Vec3::x() };
    let a = normal.cross(&other).normalize();
    let b = normal.cross(&a);
    let r = v.sqrt();
    (a * (r * c) + b * (r * s) + normal * (1.0 - v).max(0.0).sqrt()).normalize()
}

/// Adds grain below the resolution of the nodes to the ground: shades, and lumps that tilt the
/// normal.
///
/// Each wavelength fades out where a pixel is wider.
fn grain(surface: &mut HitSurface, footprint: f64) {
    let (x, y) = (surface.point.x, surface.point.y);
    let pressed = f64::from(surface.mark.sinkage / (surface.mark.sinkage + 0.02));
    let rough = f64::from(surface.material.roughness);
    let mut shade = 0.0;
    let mut tilt = [0.0; 2];
    for (seed, (length, contrast, slope)) in GRAINS.into_iter().enumerate() {
        let seen = (1.0 - 2.0 * footprint / length).clamp(0.0, 1.0);
        if seen == 0.0 {
            break;
        }
        let (value, gradient) = lumps(x / length, y / length, seed as u32);
        let calm = if length < 0.5 { 1.0 - 0.6 * pressed } else { 1.0 };
        shade += seen * contrast * value * calm;
        for k in 0..2 {
            tilt[k] += seen * slope * gradient[k] * calm * rough;
        }
    }
    let gain = (1.0 + shade).max(0.2) as f32;
    surface.material.albedo = surface.material.albedo.map(|a| (a * gain).min(0.97));
    let bent = surface.normal - Vec3::new(tilt[0], tilt[1], 0.0);
    surface.normal = bent.normalize();
}

/// Returns smooth lattice noise, about -1 to 1, and its gradient.
fn lumps(x: f64, y: f64, seed: u32) -> (f64, [f64; 2]) {
    let (i, j) = (x.floor(), y.floor());
    let (u, v) = (x - i, y - j);
    let value = |di: i64, dj: i64| {
        let a = ((i as i64 + di) as u32).wrapping_mul(0x9E37_79B1);
        let b = ((j as i64 + dj) as u32).wrapping_mul(0x85EB_CA77);
        let mut h = a ^ b.rotate_left(16) ^ seed.wrapping_mul(0xC2B2_AE3D);
        h ^= h >> 15;
        h = h.wrapping_mul(0x2C1B_3C6D);
        h ^= h >> 12;
        h = h.wrapping_mul(0x297A_2D39);
        h ^= h >> 15;
        f64::from(h) / f64::from(u32::MAX) * 2.0 - 1.0
    };
    let (a, b, c, d) = (value(0, 0), value(1, 0), value(0, 1), value(1, 1));
    let (su, sv) = (u * u * (3.0 - 2.0 * u), v * v * (3.0 - 2.0 * v));
    let (du, dv) = (6.0 * u * (1.0 - u), 6.0 * v * (1.0 - v));
    let k = a - b - c + d;
    (a + (b - a) * su + (c - a) * sv + k * su * sv, [(b - a + k * sv) * du, (c - a + k * su) * dv])
}
