//! Dust and thrown snow: emission by soil and by vehicle.
//!
//! Gillies et al. 2005 (Atmospheric Environment 39, 2341) measured the emission of vehicles on an
//! unpaved road as PM10 per kilometer. A car of 1200 kg emits 0.8 g for each km/h, a military
//! vehicle of 18 t emits up to 48 g for each km/h. A power law of the mass is used between and
//! beyond these.
//!
//! Emission per second thus grows with the square of the speed. Where a wheel slips, this is the
//! speed of its rim.

use bekker_ground::soil::catalog::catalog;
use bekker_ground::soil::{Soil, SoilKind};
use bekker_math::numeric::{exp, ln, pow};

/// Extinction cross-section of a gram of coarse dust, m²/g, as used by the IMPROVE network
/// (Pitchford et al. 2007).
const EXTINCTION: f64 = 0.6;
/// Soil moisture, %, above which no dust is emitted.
///
/// It is the upper limit of the EPA's factors for unpaved roads (AP-42, 13.2.2).
const WET: f64 = 13.0;
/// Moisture of a dry road, % (AP-42, 13.2.2, equation 1b).
const DRY: f64 = 0.5;
/// Exponent of the reduction of dust by moisture (AP-42, 13.2.2, equation 1b).
const MOISTURE_EXPONENT: f64 = 0.2;

/// Dust emission of a loose soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DustSource {
    /// Emission relative to a dry road with 12 % of silt.
    pub share: f64,
    /// Color in the air, linear albedo.
    pub albedo: [f32; 3],
    /// Settling speed, m/s.
    pub settling_speed: f64,
    /// Whether the soil sticks to wheels, so that only flung-off soil becomes airborne.
    pub flung: bool,
}

impl DustSource {
    /// Returns the emission of a soil, from its name.
    ///
    /// It is `None` where the soil is firm, wet or in a vacuum, or where its name specifies neither
    /// kind nor moisture.
    ///
    /// Sand has little silt: 3 %, which by AP-42 gives (3/12)^0.9 of a road's emission. Moisture M
    /// in % by weight gives a factor of (M / 0.5)^-0.2, and no emission from 13 %. The share of
    /// snow is an assumption: a quarter of a dry road's dust.
    pub fn from_soil(soil: &Soil) -> Option<DustSource> {
        if let SoilKind::Firm { .. } = soil.kind {
            return None;
        }
        // either an alias or the soil that it refers to may name the kind and the moisture
        let name = format!("{} {}", soil.name, catalog().id_of(&soil.name)).to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let loose =
            |share, albedo| DustSource { share, albedo, settling_speed: 0.05, flung: false };
        if says(&["snow"]) {
            return Some(DustSource {
                share: 0.25,
                albedo: [0.85, 0.87, 0.90],
                settling_speed: 0.8,
                flung: true,
            });
        }
        let moisture = moisture(&name);
        if says(&["mud", "wet", "clay", "muskeg", "bog", "lunar", "regolith", "fjs"])
            || moisture.is_some_and(|m| m >= WET)
        {
            return None;
        }
        let damp = moisture.map_or(1.0, |m| pow((m / DRY).max(1.0), -MOISTURE_EXPONENT));
        if says(&["loam", "dust", "silt"]) && (moisture.is_some() || says(&["dry", "dust"])) {
            Some(loose(damp, [0.30, 0.235, 0.165]))
        } else if says(&["mars", "dlr"]) {
            Some(loose(0.3 * damp, [0.40, 0.24, 0.14]))
        } else if says(&["sand", "dune"]) {
            Some(loose(0.3 * damp, [0.50, 0.41, 0.29]))
        } else if says(&["dry"]) {
            Some(loose(damp, [0.35, 0.28, 0.20]))
        } else {
            None
        }
    }

    /// Returns the emission at a wheel, relative to a dry road.
    ///
    /// `radius` is that of the wheel, m, and `speed` that of its rim, m/s. Snow stays in the tread
    /// until the rim's centripetal acceleration exceeds `gravity`, m/s².
    pub fn airborne_share(&self, speed: f64, radius: f64, gravity: f64) -> f64 {
        if !self.flung {
            return self.share;
        }
        let held = gravity * radius / (speed * speed).max(1e-9);
        self.share * (1.0 - held).max(0.0)
    }
}

/// Parses `15 % moisture` in a soil's name.
fn moisture(name: &str) -> Option<f64> {
    let (before, _) = name.split_once("% moisture")?;
    before.trim_end().rsplit(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse().ok()
}

/// Returns the extinction cross-section of the dust raised per second from a dry road, m²/s.
///
/// `mass` is that of the vehicle, kg, and `speed` its speed, m/s.
pub fn raised_extinction(mass: f64, speed: f64) -> f64 {
    // 0.8 at 1200 kg, 48 at 18 000 kg: exponent ln 60 / ln 15
    let exponent = ln(48.0 / 0.8) / ln(18_000.0 / 1200.0);
    let grams_a_kilometer = 0.8 * exp(exponent * ln(mass / 1200.0)) * 3.6 * speed;
    EXTINCTION * 1e-3 * grams_a_kilometer * speed
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::soil::catalog;

    #[test]
    fn the_law_passes_through_the_measurements() {
        // at 36 km/h: 0.8 x 36 and 48 x 36 grams per kilometer, 10 m/s
        for (mass, grams) in [(1200.0, 28.8), (18_000.0, 1728.0)] {
            assert!(
                (raised_extinction(mass, 10.0) / (0.6 * grams * 1e-3 * 10.0) - 1.0).abs() < 1e-12
            );
        }
        assert!(
            (raised_extinction(3000.0, 20.0) / raised_extinction(3000.0, 10.0) - 4.0).abs() < 1e-12
        );
    }

    #[test]
    fn sand_and_dry_ground_give_dust_and_mud_does_not() {
        let share = |name: &str| {
            let sand = catalog().find("dry_sand_lll").unwrap().to_soil();
            let soil = Soil { name: name.into(), ..sand };
            DustSource::from_soil(&soil).map_or(0.0, |loose| loose.share)
        };
        assert_eq!(share("Dry sand (Land Locomotion Lab)"), 0.3);
        assert_eq!(share("dry loam"), 1.0);
        // (11 / 0.5)^-0.2 = 0.539
        assert!((share("Sandy loam Michigan, 11 % moisture") - 0.539).abs() < 1e-3);
        assert_eq!(share("Sandy loam (LLL), 15 % moisture"), 0.0);
        for still in
            ["mud", "Lean clay (WES), 32 % moisture", "wet sand", "Lunar soil, nominal", "mid"]
        {
            assert_eq!(share(still), 0.0, "{still}");
        }
        assert!(share("Snow, Sweden") > 0.0);
    }

    #[test]
    fn snow_stays_on_slow_wheels() {
        let snow = DustSource { share: 1.0, albedo: [1.0; 3], settling_speed: 1.0, flung: true };
        assert_eq!(snow.airborne_share(1.0, 0.47, 9.81), 0.0);
        assert!(
            snow.airborne_share(4.0, 0.47, 9.81) > 0.6
                && snow.airborne_share(9.0, 0.47, 9.81) > snow.airborne_share(4.0, 0.47, 9.81)
        );
    }
}
