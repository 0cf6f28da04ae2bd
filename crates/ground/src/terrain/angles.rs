//! Longitudes and latitudes in units other than degrees, or relative to a prime meridian other than
//! Greenwich.

use super::error::TerrainError;

/// Conversion of longitudes and latitudes of a reference system to degrees from Greenwich.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AngleFrame {
    /// Length of one unit, degrees.
    pub degrees: f64,
    /// Longitude of the prime meridian, degrees east of Greenwich.
    pub meridian: f64,
}

/// Degrees in a grad.
pub(super) const GRAD: f64 = 0.9;

/// Codes of prime meridians (EPSG 8901 to 8914), names in lower-case letters and digits, and
/// degrees east of Greenwich.
const MERIDIANS: [(u16, &[&str], f64); 15] = [
    (8901, &["greenwich"], 0.0),
    (8902, &["lisbon"], -9.131_906_111_111_11),
    // 2.5969213 grads
    (8903, &["paris"], 2.337_229_17),
    (8904, &["bogota"], -74.080_916_666_666_7),
    (8905, &["madrid"], -3.687_375),
    (8906, &["rome"], 12.452_333_333_333_3),
    (8907, &["bern", "berne"], 7.439_583_333_333_33),
    (8908, &["jakarta", "batavia"], 106.807_719_444_444),
    (8909, &["ferro"], -17.666_666_666_666_7),
    (8910, &["brussels"], 4.367_975),
    (8911, &["stockholm"], 18.058_277_777_777_8),
    (8912, &["athens"], 23.716_337_5),
    (8913, &["oslo"], 10.722_916_666_666_7),
    (8914, &["parisrgs"], 2.337_208_333_333_33),
    (0, &["copenhagen"], 12.577_87),
];

impl AngleFrame {
    /// Degrees relative to Greenwich.
    pub const PLAIN: AngleFrame = AngleFrame { degrees: 1.0, meridian: 0.0 };

    /// Returns a unit given in radians, in degrees. A length that equals a degree or a grad except
    /// for rounding is returned exactly.
    pub fn degrees_from_radians(radians: f64) -> Result<f64, TerrainError> {
        let degrees = radians.to_degrees();
        if !(1e-9..=360.0).contains(&degrees) {
            return Err(TerrainError::AngleUnit(format!("{radians} rad long")));
        }
        let known = [1.0, GRAD];
        Ok(known.into_iter().find(|own| (degrees / own - 1.0).abs() < 1e-8).unwrap_or(degrees))
    }

    /// Returns the length in degrees of the unit with an EPSG code.
    pub fn unit_from_epsg(code: u16) -> Option<f64> {
        match code {
            9101 => Some(1_f64.to_degrees()),
            9102 | 9122 => Some(1.0),
            9103 => Some(1.0 / 60.0),
            9104 => Some(1.0 / 3600.0),
            9105 | 9106 => Some(GRAD),
            9109 => Some(1e-6_f64.to_degrees()),
            _ => None,
        }
    }

    /// Returns the longitude of a prime meridian, degrees east of Greenwich, by its EPSG code.
    pub fn meridian_from_epsg(code: u16) -> Option<f64> {
        MERIDIANS.iter().find(|own| own.0 == code && code != 0).map(|own| own.2)
    }

    /// Returns the longitude of a prime meridian by its name, in lower-case letters and digits.
    pub fn meridian_from_name(plain: &str) -> Option<f64> {
        MERIDIANS.iter().find(|own| own.1.contains(&plain)).map(|own| own.2)
    }

    /// Returns the frame of a geographic system by its EPSG code (EPSG, as in PROJ 9.5).
    pub fn from_epsg(code: u16) -> AngleFrame {
        let (degrees, meridian) = match code {
            4801 => (1.0, 8907),
            4802 => (1.0, 8904),
            4803 | 4904 => (1.0, 8902),
            4804 | 4808 | 4813 | 4820 => (1.0, 8908),
            4805 | 4818 | 5229 | 8042 | 8043 => (1.0, 8909),
            4806 => (1.0, 8906),
            4807 | 4810 | 4811 | 4816 | 4819 | 4821 => (GRAD, 8903),
            4809 => (1.0, 8910),
            4814 => (1.0, 8911),
            4815 => (1.0, 8912),
            4817 => (1.0, 8913),
            4901 | 4902 => (GRAD, 8914),
            4903 => (1.0, 8905),
            _ => return AngleFrame::PLAIN,
        };
        AngleFrame { degrees, meridian: AngleFrame::meridian_from_epsg(meridian).unwrap_or(0.0) }
    }
}
