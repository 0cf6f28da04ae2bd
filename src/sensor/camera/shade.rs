//! The light that a surface sends to the eye.
//!
//! Cook and Torrance (1982) with the GGX distribution and Smith's shadowing (Walter et
//! al. 2007), Schlick's Fresnel term, and a Lambertian base; the sun casts shadows, the
//! sky lights from all sides that are open.

use super::Dice;
use crate::sensor::class::Class;
use crate::sensor::ray::Ray;
use crate::sensor::scene::{Scene, Surface};
use crate::sensor::sky::Light;
use crate::spatial::Vec3;

/// Beyond this distance, m, nothing keeps the sky's light away.
pub const OPEN: f64 = 6.0;
/// Beyond this distance, m, nothing casts a shadow.
pub const SHADOW: f64 = 400.0;

/// Grains of the ground: wavelength, m, contrast, slope.
pub const GRAINS: [(f64, f64, f64); 5] = [
    (9.0, 0.10, 0.0),
    (1.7, 0.09, 0.015),
    (0.31, 0.08, 0.05),
    (0.083, 0.09, 0.13),
    (0.021, 0.10, 0.22),
];

/// Radiance of a surface towards where the ray came from; `footprint` is the width of
/// the pixel there, m; `sky_rays` ask whether the sky is open, drawn from `dice` for
/// this pixel and sample.
pub(super) fn radiance(
    scene: &Scene<'_>,
    light: &Light,
    ray: &Ray,
    surface: &Surface,
    footprint: f64,
    sky_rays: u32,
    (dice, sample): (&Dice, [u32; 2]),
) -> [f32; 3] {
    let mut surface = *surface;
    if surface.class == Class::Ground {
        grain(&mut surface, footprint);
    }
    let Surface { normal, material, .. } = &surface;
    let view = -ray.direction;
    let from = surface.point + surface.normal * (2e-3 + 1e-3 * footprint);
    let lit = |direction: Vec3| Ray { origin: from, direction, moment: ray.moment };

    let facing = normal.dot(&light.to_sun);
    let mut sum = [0.0_f32; 3];
    if facing > 0.0 && light.sun[1] > 0.0 && !scene.blocks(&lit(light.to_sun), 0.0, SHADOW) {
        let f = reflected(&surface, &view, &light.to_sun);
        for k in 0..3 {
            sum[k] += light.sun[k] * facing as f32 * f[k];
        }
    }

    let ambient = if sky_rays == 0 {
        light.ambient_on(normal)
    } else {
        let mut open = [0.0_f32; 3];
        for index in 0..sky_rays {
            let [u, v] = dice.open(sample, index);
            let direction = cosine(normal, u, v);
            let blocked = direction.z < 0.0 || scene.blocks(&lit(direction), 0.0, OPEN);
            let got =
                if blocked { light.ambient.map(|c| 0.2 * c) } else { light.radiance(&direction) };
            for k in 0..3 {
                open[k] += got[k] / sky_rays as f32;
            }
        }
        open
    };
    // the sky in the mirror of the surface
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
    for k in 0..3 {
        let base = 0.04 + (material.albedo[k] - 0.04) * material.metallic;
        let fresnel = base + (shine.max(base) - base).max(0.0) * grazing;
        let diffuse = material.albedo[k] * (1.0 - material.metallic) * (1.0 - fresnel);
        sum[k] += diffuse * ambient[k]
            + fresnel * (shine * shine * above[k] + (1.0 - shine * shine) * ambient[k]);
    }
    sum
}

/// π times the bidirectional reflectance, by colour.
fn reflected(surface: &Surface, view: &Vec3, sun: &Vec3) -> [f32; 3] {
    let Surface { normal, material, .. } = surface;
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

/// A direction about a normal, drawn by the cosine.
fn cosine(normal: &Vec3, u: f64, v: f64) -> Vec3 {
    let (s, c) = crate::numeric::sin_cos(std::f64::consts::TAU * u);
    let other = if normal.z.abs() < 0.9 { Vec3::z() } else { Vec3::x() };
    let a = normal.cross(&other).normalize();
    let b = normal.cross(&a);
    let r = v.sqrt();
    (a * (r * c) + b * (r * s) + normal * (1.0 - v).max(0.0).sqrt()).normalize()
}

/// Gives the ground the grain that its nodes do not hold: lighter and darker, and
/// lumps that tilt its normal, each fading out where a pixel is wider.
fn grain(surface: &mut Surface, footprint: f64) {
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

/// Smooth noise on a lattice, about -1 to 1, and its gradient.
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
