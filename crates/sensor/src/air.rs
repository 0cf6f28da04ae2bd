//! What is between a sensor and what it looks at: haze, fog, rain, snow, dust.

use bekker_math::numeric::{exp, pow};
use bekker_math::spatial::Vec3;

/// Extinction at which contrast has fallen to 2 %, times the range (Koschmieder 1924).
const KOSCHMIEDER: f64 = 3.912;
/// Visibility below which haze is fog, m (WMO).
const FOG: f64 = 1000.0;
/// Lidar ratio of aerosol and mineral dust, sr: 40 to 60 are measured (Müller and others 2007).
const AEROSOL: f64 = 50.0;
/// Nepers a decibel of power.
const NEPER: f64 = 0.230_258_509;

/// A cloud of dust or thrown snow: Gaussian, round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Puff {
    /// Its middle, world, m.
    pub centre: Vec3,
    /// Standard deviation, m.
    pub radius: f64,
    /// Extinction in the middle, 1/m.
    pub extinction: f64,
    /// Colour, linear albedo.
    pub albedo: [f32; 3],
}

/// Air with all that is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Air {
    /// Meteorological visibility of haze or fog, m.
    pub visibility: f64,
    /// Rain, mm/h.
    pub rain: f64,
    /// Falling snow, mm/h of water.
    pub snow: f64,
    /// Dust and thrown snow.
    pub puffs: Vec<Puff>,
}

impl Default for Air {
    fn default() -> Air {
        Air { visibility: 25_000.0, rain: 0.0, snow: 0.0, puffs: Vec::new() }
    }
}

impl Air {
    /// Air that nothing is in.
    pub const fn clear() -> Air {
        Air { visibility: f64::INFINITY, rain: 0.0, snow: 0.0, puffs: Vec::new() }
    }

    /// Extinction of what is everywhere, 1/m, at a wavelength in m: haze and fog by
    /// Koschmieder with Kruse's exponent, rain by Carbonneau's fit (1.076 R^0.67 dB/km),
    /// dry snow by ITU-R P.1814 (5.495 S^1.38 dB/km in the visible).
    pub fn extinction(&self, wavelength: f64) -> f64 {
        self.haze(wavelength) + self.drops()
    }

    /// Extinction of haze or fog, 1/m, at a wavelength in m.
    pub fn haze(&self, wavelength: f64) -> f64 {
        let kilometres = 1e-3 * self.visibility;
        let kruse = match kilometres {
            v if v > 50.0 => 1.6,
            v if v > 6.0 => 1.3,
            v => 0.585 * pow(v.max(0.0), 1.0 / 3.0),
        };
        if self.visibility > 0.0 && self.visibility.is_finite() {
            KOSCHMIEDER / self.visibility * pow(wavelength / 550e-9, -kruse)
        } else {
            0.0
        }
    }

    /// Backscatter of haze or fog, 1/(m sr), at a wavelength in m: extinction over the lidar ratio,
    /// that of droplets in fog (18.8 sr, O'Connor and others 2004), that of aerosol in haze.
    pub fn haze_backscatter(&self, wavelength: f64) -> f64 {
        let ratio = if self.visibility < FOG { 18.8 } else { AEROSOL };
        self.haze(wavelength) / ratio
    }

    /// Backscatter of the puffs at a point, 1/(m sr).
    pub fn dust_backscatter(&self, point: &Vec3) -> f64 {
        self.dust_at(point) / AEROSOL
    }

    /// Extinction of falling drops and flakes, 1/m: they are large against any light.
    pub fn drops(&self) -> f64 {
        let rain = 1.076 * pow(self.rain.max(0.0), 0.67);
        let snow = 5.4958776 * pow(self.snow.max(0.0), 1.38);
        1e-3 * NEPER * (rain + snow)
    }

    /// Optical depth of the puffs between two ranges of a line, and their mean colour.
    pub fn dust(&self, origin: &Vec3, direction: &Vec3, far: f64) -> (f64, [f32; 3]) {
        let mut depth = 0.0;
        let mut colour = [0.0_f32; 3];
        for puff in &self.puffs {
            let to = puff.centre - origin;
            let along = to.dot(direction);
            let aside = (to.norm_squared() - along * along).max(0.0);
            let width = puff.radius * puff.radius;
            if aside > 9.0 * width {
                continue;
            }
            // Gaussian across; along, its integral by a logistic (to 2 %)
            let part = |range: f64| {
                1.0 / (1.0 + exp(-(1.702 * (range - along) / puff.radius).clamp(-40.0, 40.0)))
            };
            let own = puff.extinction
                * puff.radius
                * (2.0 * std::f64::consts::PI).sqrt()
                * exp(-0.5 * aside / width)
                * (part(far) - part(0.0));
            depth += own;
            for (sum, albedo) in colour.iter_mut().zip(puff.albedo) {
                *sum += own as f32 * albedo;
            }
        }
        let mean = colour.map(|sum| if depth > 0.0 { sum / depth as f32 } else { 0.0 });
        (depth, mean)
    }

    /// Extinction of the puffs at a point, 1/m.
    pub fn dust_at(&self, point: &Vec3) -> f64 {
        let own = |puff: &Puff| {
            let aside = (point - puff.centre).norm_squared() / (puff.radius * puff.radius);
            if aside > 16.0 { 0.0 } else { puff.extinction * exp(-0.5 * aside) }
        };
        self.puffs.iter().map(own).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extinctions_are_those_of_their_formulas() {
        let clear = Air { visibility: f64::INFINITY, ..Air::default() };
        assert_eq!(clear.extinction(550e-9), 0.0);
        // 2 % of contrast is left at the visibility
        let fog = Air { visibility: 200.0, ..clear.clone() };
        assert!((exp(-200.0 * fog.extinction(550e-9)) - 0.02).abs() < 1e-4);
        // 25 mm/h: 1.076 * 25^0.67 = 9.30 dB/km
        let rain = Air { rain: 25.0, ..clear };
        assert!((rain.drops() / NEPER * 1e3 - 9.30).abs() < 0.01);
    }

    #[test]
    fn a_puff_hides_what_is_behind_it_and_not_what_is_before() {
        let centre = Vec3::new(10.0, 0.0, 0.0);
        let puff = Puff { centre, radius: 1.0, extinction: 1.0, albedo: [0.5; 3] };
        let air = Air { puffs: vec![puff], ..Air::default() };
        let depth = |far: f64| air.dust(&Vec3::zeros(), &Vec3::x(), far).0;
        // the integral of the Gaussian: sqrt(2 pi)
        assert!((depth(20.0) - 2.5066).abs() < 1e-3);
        assert!((depth(10.0) - 1.2533).abs() < 1e-3);
        assert!(depth(5.0) < 2e-3);
    }
}
