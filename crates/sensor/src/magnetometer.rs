//! Magnetometer: the earth's field along three axes.
//!
//! The field is uniform over the scenario, with a strength, a declination (east of north positive)
//! and an inclination (down positive). The World Magnetic Model
//! (<https://www.ngdc.noaa.gov/geomag/>) gives them for a place and year.
//!
//! The reading is y = (1 + s) B + b + n, clipped and rounded. The vehicle's own iron is a fixed
//! scale error s and bias b of each axis, and n is white noise. Iron that moves with steering or
//! loads is not modeled.

use super::imu::{clipped, quantized};
use super::noise::Noise;
use super::process::axes;
use bekker_math::numeric::{cos, sin};
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Earth's magnetic field at a place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeomagneticField {
    /// Strength, T.
    pub strength: f64,
    /// Declination: angle of the horizontal part from north, rad, east positive.
    pub declination: f64,
    /// Inclination: angle below the horizontal, rad.
    pub inclination: f64,
}

impl GeomagneticField {
    /// Returns the field in the world frame (east, north, up), T.
    pub fn vector(&self) -> Vec3 {
        let level = self.strength * cos(self.inclination);
        let (east, north) = (level * sin(self.declination), level * cos(self.declination));
        Vec3::new(east, north, -self.strength * sin(self.inclination))
    }
}

/// Magnetometer; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Magnetometer {
    /// Ambient field.
    pub field: GeomagneticField,
    /// Bias due to the vehicle's iron, sensor axes, T.
    pub bias: Vec3,
    /// Scale error of each axis due to the vehicle's iron.
    pub scale: Vec3,
    /// Standard deviation of the white noise of a reading, T.
    pub noise: f64,
    /// Largest output magnitude, T; 0 for no limit.
    pub range: f64,
    /// Output step, T; 0 for no rounding.
    pub resolution: f64,
}

impl Magnetometer {
    /// Returns a reading of the mean field over the window, sensor axes, T.
    pub fn measure(&self, field: &Vec3, noise: &Noise, frame: u32) -> Vec3 {
        let white = self.noise * axes(noise.normals(frame, 0, 0));
        let value = field + self.scale.component_mul(field) + self.bias + white;
        value.map(|x| quantized(clipped(x, self.range), self.resolution))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_has_its_angles() {
        let (declination, inclination) = (4f64.to_radians(), 64f64.to_radians());
        let b = GeomagneticField { strength: 48e-6, declination, inclination }.vector();
        assert!((b.norm() - 48e-6).abs() < 1e-18);
        assert!((b.x.atan2(b.y) - declination).abs() < 1e-15);
        assert!((-b.z).atan2(b.x.hypot(b.y)) - inclination < 1e-15);
        assert!(b.z < 0.0, "down on the northern half");
    }

    #[test]
    fn iron_biases_scales_and_the_device_rounds() {
        let field = GeomagneticField { strength: 50e-6, declination: 0.0, inclination: 0.0 };
        let device = Magnetometer {
            field,
            bias: Vec3::new(1e-6, 0.0, 0.0),
            scale: Vec3::new(0.0, 0.1, 0.0),
            noise: 0.0,
            range: 52e-6,
            resolution: 1e-6,
        };
        let read = device.measure(&field.vector(), &Noise::new(0, 0, 0), 1);
        assert!((read - Vec3::new(1e-6, 52e-6, 0.0)).norm() < 1e-18, "{read}");
    }
}
