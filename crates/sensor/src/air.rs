//! Attenuation and scattering between a sensor and its target: haze, fog, rain, snow, dust.

use bekker_math::numeric::{exp, pow};
use bekker_math::spatial::Vec3;

/// Product of extinction and visibility, at which contrast falls to 2 % (Koschmieder 1924).
const KOSCHMIEDER: f64 = 3.912;
/// Visibility below which haze counts as fog, m (WMO).
const FOG: f64 = 1000.0;
/// Lidar ratio of aerosol and mineral dust, sr; measured values are 40 to 60 (Müller and others
/// 2007).
const AEROSOL: f64 = 50.0;
/// Nepers per decibel of power.
const NEPER: f64 = 0.230_258_509;

/// Round Gaussian cloud of dust or thrown snow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DustPuff {
    /// Center in the world frame, m.
    pub center: Vec3,
    /// Standard deviation, m.
    pub radius: f64,
    /// Extinction at the center, 1/m.
    pub extinction: f64,
    /// Color, linear albedo.
    pub albedo: [f32; 3],
}

/// Atmosphere with haze, precipitation and dust clouds.
#[derive(Clone, Debug, PartialEq)]
pub struct Air {
    /// Meteorological visibility of haze or fog, m.
    pub visibility: f64,
    /// Rain rate, mm/h.
    pub rain: f64,
    /// Snowfall rate, mm/h of water.
    pub snow: f64,
    /// Clouds of dust and thrown snow.
    pub puffs: Vec<DustPuff>,
}

impl Default for Air {
    fn default() -> Air {
        Air { visibility: 25_000.0, rain: 0.0, snow: 0.0, puffs: Vec::new() }
    }
}

impl Air {
    /// Air without haze, precipitation or dust.
    pub const fn clear() -> Air {
        Air { visibility: f64::INFINITY, rain: 0.0, snow: 0.0, puffs: Vec::new() }
    }

    /// Returns the extinction of haze, fog and precipitation, 1/m, at a wavelength in m.
    ///
    /// Haze and fog follow Koschmieder's law with Kruse's exponent, rain follows Carbonneau's fit
    /// (1.076 R^0.67 dB/km), and dry snow follows ITU-R P.1814 (5.495 S^1.38 dB/km in the visible).
    pub fn extinction(&self, wavelength: f64) -> f64 {
        self.haze(wavelength) + self.drops()
    }

    /// Returns the extinction of haze or fog, 1/m, at a wavelength in m.
    pub fn haze(&self, wavelength: f64) -> f64 {
        let kilometers = 1e-3 * self.visibility;
        let kruse = match kilometers {
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

    /// Returns the backscatter of haze or fog, 1/(m sr), at a wavelength in m.
    ///
    /// It is the extinction divided by the lidar ratio: of droplets in fog (18.8 sr, O'Connor and
    /// others 2004), of aerosol in haze.
    pub fn haze_backscatter(&self, wavelength: f64) -> f64 {
        let ratio = if self.visibility < FOG { 18.8 } else { AEROSOL };
        self.haze(wavelength) / ratio
    }

    /// Returns the backscatter of the dust clouds at a point, 1/(m sr).
    pub fn dust_backscatter(&self, point: &Vec3) -> f64 {
        self.dust_at(point) / AEROSOL
    }

    /// Returns the extinction of falling drops and flakes, 1/m.
    ///
    /// It does not depend on the wavelength, because drops and flakes are large compared with it.
    pub fn drops(&self) -> f64 {
        let rain = 1.076 * pow(self.rain.max(0.0), 0.67);
        let snow = 5.4958776 * pow(self.snow.max(0.0), 1.38);
        1e-3 * NEPER * (rain + snow)
    }

    /// Returns the optical depth of the dust clouds along a ray up to the range `far`, m, and their
    /// mean color.
    pub fn dust(&self, origin: &Vec3, direction: &Vec3, far: f64) -> (f64, [f32; 3]) {
        let mut depth = 0.0;
        let mut color = [0.0_f32; 3];
        for puff in &self.puffs {
            let to = puff.center - origin;
            let along = to.dot(direction);
            let aside = (to.norm_squared() - along * along).max(0.0);
            let width = puff.radius * puff.radius;
            if aside > 9.0 * width {
                continue;
            }
            // Gaussian across the ray; along it, a logistic function approximates the integral to 2
            // %
            let part = |range: f64| {
                1.0 / (1.0 + exp(-(1.702 * (range - along) / puff.radius).clamp(-40.0, 40.0)))
            };
            let own = puff.extinction
                * puff.radius
                * (2.0 * std::f64::consts::PI).sqrt()
                * exp(-0.5 * aside / width)
                * (part(far) - part(0.0));
            depth += own;
            for (sum, albedo) in color.iter_mut().zip(puff.albedo) {
                *sum += own as f32 * albedo;
            }
        }
        let mean = color.map(|sum| if depth > 0.0 { sum / depth as f32 } else { 0.0 });
        (depth, mean)
    }

    /// Returns the extinction of the dust clouds at a point, 1/m.
    pub fn dust_at(&self, point: &Vec3) -> f64 {
        let own = |puff: &DustPuff| {
            let aside = (point - puff.center).norm_squared() / (puff.radius * puff.radius);
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
        // at the visibility, 2 % of the contrast remains
        let fog = Air { visibility: 200.0, ..clear.clone() };
        assert!((exp(-200.0 * fog.extinction(550e-9)) - 0.02).abs() < 1e-4);
        // 25 mm/h: 1.076 * 25^0.67 = 9.30 dB/km
        let rain = Air { rain: 25.0, ..clear };
        assert!((rain.drops() / NEPER * 1e3 - 9.30).abs() < 0.01);
    }

    #[test]
    fn a_puff_hides_objects_behind_it_only() {
        let center = Vec3::new(10.0, 0.0, 0.0);
        let puff = DustPuff { center, radius: 1.0, extinction: 1.0, albedo: [0.5; 3] };
        let air = Air { puffs: vec![puff], ..Air::default() };
        let depth = |far: f64| air.dust(&Vec3::zeros(), &Vec3::x(), far).0;
        // the integral of the Gaussian: sqrt(2 pi)
        assert!((depth(20.0) - 2.5066).abs() < 1e-3);
        assert!((depth(10.0) - 1.2533).abs() < 1e-3);
        assert!(depth(5.0) < 2e-3);
    }
}
