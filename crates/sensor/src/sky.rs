//! Sun and sky.
//!
//! Radiance is scaled such that a white surface that faces the sun under a clear sky has radiance 1
//! from the sun alone.

use bekker_math::numeric::{pow, sin_cos};
use bekker_math::spatial::Vec3;

/// Position of the sun and cloud cover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Azimuth of the sun, rad from east, counter-clockwise.
    pub azimuth: f64,
    /// Elevation of the sun, rad.
    pub elevation: f64,
    /// Fraction of the sky under cloud, 0 to 1.
    pub cloud: f64,
}

impl Default for Sky {
    fn default() -> Sky {
        Sky { azimuth: 2.3, elevation: 0.6, cloud: 0.0 }
    }
}

/// Lighting shared by all rays of an image.
#[derive(Clone, Copy, Debug)]
pub struct SceneLight {
    /// Unit direction to the sun.
    pub to_sun: Vec3,
    /// Radiance of a white surface that faces the sun, due to the sun.
    pub sun: [f32; 3],
    /// Radiance of a white level surface due to the whole sky.
    pub ambient: [f32; 3],
    /// Radiance of the sky at the zenith.
    pub zenith: [f32; 3],
    /// Radiance of the sky at the horizon.
    pub horizon: [f32; 3],
    /// Strength of the sun's halo, 0 to 1.
    pub glow: f32,
}

fn blend(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    [0, 1, 2].map(|k| a[k] + share * (b[k] - a[k]))
}

impl Sky {
    /// Computes the lighting.
    pub fn light(&self) -> SceneLight {
        let (se, ce) = sin_cos(self.elevation);
        let (sa, ca) = sin_cos(self.azimuth);
        let cloud = self.cloud.clamp(0.0, 1.0) as f32;
        // air mass after Kasten and Young 1989, transmission per air mass by color
        let up = if self.elevation > 0.0 { 1.0_f32 } else { 0.0 };
        let degrees = self.elevation.to_degrees().max(0.0);
        let mass = 1.0 / (se.max(0.0) + 0.50572 * pow(degrees + 6.07995, -1.6364));
        let direct = [0.92, 0.86, 0.75].map(|t| (pow(t, mass) / pow(t, 1.1)) as f32);
        let day = (0.3 + 0.7 * se.clamp(0.0, 1.0).sqrt()) as f32 * up + 0.02;
        let low = (1.0 - se.clamp(0.0, 1.0)) as f32;
        let clear_zenith = [0.13 * day, 0.23 * day, 0.44 * day];
        let clear_horizon =
            blend([0.62, 0.70, 0.80], [0.84, 0.72, 0.56], low * low * low).map(|c| c * day);
        let gray = [0.42 * day, 0.43 * day, 0.45 * day];
        let zenith = blend(clear_zenith, gray.map(|c| 1.15 * c), cloud);
        let horizon = blend(clear_horizon, gray.map(|c| 0.9 * c), cloud);
        SceneLight {
            to_sun: Vec3::new(ce * ca, ce * sa, se),
            sun: direct.map(|c| c * up * (1.0 - 0.97 * cloud)),
            // two fifths of a level surface's skylight come from the lower half of the sky
            ambient: blend(zenith, horizon, 0.4),
            zenith,
            horizon,
            glow: 1.0 - cloud,
        }
    }
}

impl SceneLight {
    /// Returns the radiance of the sky in a direction, without the sun's disc.
    pub fn radiance(&self, direction: &Vec3) -> [f32; 3] {
        let up = direction.z.max(0.0) as f32;
        let haze = (1.0 - up) * (1.0 - up);
        let base = blend(self.zenith, self.horizon, haze * haze);
        let towards = direction.dot(&self.to_sun).max(0.0) as f32;
        let t4 = towards * towards * towards * towards;
        let t64 = t4 * t4 * t4 * t4;
        let bloom = self.glow * (0.10 * t4 + 0.35 * t64 * t64 * t64 * t64);
        [0, 1, 2].map(|k| base[k] + bloom * self.sun[k])
    }

    /// Returns the radiance of a white surface with this normal due to sky and bounced light,
    /// unoccluded.
    pub fn ambient_on(&self, normal: &Vec3) -> [f32; 3] {
        let up = 0.5 + 0.5 * normal.z as f32;
        // the ground reflects a fifth of sun and sky
        let sun = self.to_sun.z.max(0.0) as f32;
        [0, 1, 2].map(|k| {
            let ground = 0.2 * (self.sun[k] * sun + self.ambient[k]);
            up * self.ambient[k] + (1.0 - up) * ground
        })
    }

    /// Returns the color that distant surfaces fade to.
    pub fn veil(&self, direction: &Vec3) -> [f32; 3] {
        let level = Vec3::new(direction.x, direction.y, direction.z.max(0.0));
        self.radiance(&level)
    }
}
