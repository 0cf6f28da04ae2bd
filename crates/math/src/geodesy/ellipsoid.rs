//! Geodetic positions: WGS 84 latitude, longitude and height, and geocentric coordinates.
//!
//! The order is always latitude, longitude, altitude above the ellipsoid, in radians and meters.
//! Defining constants of WGS 84: a = 6 378 137 m, 1/f = 298.257223563 (NGA.STND.0036).

use crate::numeric::sin_cos;
use crate::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Semi-major axis, m.
pub(super) const A: f64 = 6_378_137.0;
/// Flattening.
pub(super) const F: f64 = 1.0 / 298.257_223_563;
/// First eccentricity squared.
pub(super) const E2: f64 = F * (2.0 - F);

/// A position relative to the ellipsoid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Geodetic {
    /// Latitude, rad, north positive.
    pub latitude: f64,
    /// Longitude, rad, east positive.
    pub longitude: f64,
    /// Height above the ellipsoid, m.
    pub altitude: f64,
}

impl Geodetic {
    /// Creates a position from degrees and meters.
    pub fn degrees(latitude: f64, longitude: f64, altitude: f64) -> Geodetic {
        let (latitude, longitude) = (latitude.to_radians(), longitude.to_radians());
        Geodetic { latitude, longitude, altitude }
    }

    /// Returns the geocentric coordinates, m: x to the prime meridian, z to the north pole.
    pub fn geocentric(&self) -> Vec3 {
        let ((sin_lat, cos_lat), (sin_lon, cos_lon)) =
            (sin_cos(self.latitude), sin_cos(self.longitude));
        let normal = A / (1.0 - E2 * sin_lat * sin_lat).sqrt();
        let out = (normal + self.altitude) * cos_lat;
        let z = (normal * (1.0 - E2) + self.altitude) * sin_lat;
        Vec3::new(out * cos_lon, out * sin_lon, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{atan2, hypot};
    use proptest::prelude::*;

    /// Returns the position with these geocentric coordinates (Bowring 1976, iterated: three
    /// iterations leave less than 1e-13 rad from the sea floor to orbits).
    fn of_geocentric(point: &Vec3) -> Geodetic {
        let b = A * (1.0 - F);
        let second = E2 / (1.0 - E2);
        let out = hypot(point.x, point.y);
        let mut latitude = atan2(point.z, out * (1.0 - E2));
        for _ in 0..3 {
            let (sin, cos) = sin_cos(latitude);
            let (sin, cos) = sin_cos(atan2((1.0 - F) * sin, cos));
            latitude =
                atan2(point.z + second * b * sin * sin * sin, out - E2 * A * cos * cos * cos);
        }
        let (sin, cos) = sin_cos(latitude);
        let altitude = out * cos + point.z * sin - A * (1.0 - E2 * sin * sin).sqrt();
        Geodetic { latitude, longitude: atan2(point.y, point.x), altitude }
    }

    fn dms(degrees: f64, minutes: f64, seconds: f64) -> f64 {
        degrees + minutes / 60.0 + seconds / 3600.0
    }

    /// The example of IOGP Guidance Note 7-2, 4.1.1, printed to the millimeter.
    #[test]
    fn agrees_with_the_published_geocentric_example() {
        let place = Geodetic::degrees(dms(53.0, 48.0, 33.820), dms(2.0, 7.0, 46.380), 73.0);
        let expected = Vec3::new(3_771_793.968, 140_253.342, 5_124_304.349);
        assert!((place.geocentric() - expected).norm() < 1e-3, "{}", place.geocentric());
        let back = of_geocentric(&expected);
        assert!((back.latitude - place.latitude).abs() < 2e-10);
        assert!((back.longitude - place.longitude).abs() < 2e-10);
        assert!((back.altitude - 73.0).abs() < 1e-3);
    }

    proptest! {
        #[test]
        fn comes_back_from_geocentric(
            latitude in -1.57f64..1.57, longitude in -3.1f64..3.1, altitude in -9e3f64..1e6,
        ) {
            let place = Geodetic { latitude, longitude, altitude };
            let back = of_geocentric(&place.geocentric());
            // a rounding of 1e-9 m in 6.4e6 m is 1.5e-16 rad; near a pole longitude is ill-defined
            prop_assert!((back.latitude - latitude).abs() < 1e-14 * 10.0);
            prop_assert!((back.longitude - longitude).abs() * latitude.cos() < 1e-13);
            prop_assert!((back.altitude - altitude).abs() < 2e-8);
        }
    }
}
