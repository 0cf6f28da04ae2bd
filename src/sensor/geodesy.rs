//! Places on the earth: WGS 84 latitude, longitude and height, geocentric and local
//! coordinates, exact to a millimetre within the earth's neighbourhood.
//!
//! Everywhere in this order: latitude, longitude, altitude above the ellipsoid;
//! radians and metres. Defining constants of WGS 84: a = 6 378 137 m,
//! 1/f = 298.257223563 (NGA.STND.0036).

use crate::numeric::{asin, atan2, exp, hypot, sin_cos};
use crate::spatial::{Mat3, Vec3};
use serde::{Deserialize, Serialize};

/// Semi-major axis, m.
const A: f64 = 6_378_137.0;
/// Flattening.
const F: f64 = 1.0 / 298.257_223_563;
/// First eccentricity squared.
const E2: f64 = F * (2.0 - F);

/// A place on or above the ellipsoid.
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
    /// From degrees and metres.
    pub fn degrees(latitude: f64, longitude: f64, altitude: f64) -> Geodetic {
        let (latitude, longitude) = (latitude.to_radians(), longitude.to_radians());
        Geodetic { latitude, longitude, altitude }
    }

    /// Geocentric coordinates, m: x to the prime meridian, z to the north pole.
    pub fn geocentric(&self) -> Vec3 {
        let ((sin_lat, cos_lat), (sin_lon, cos_lon)) =
            (sin_cos(self.latitude), sin_cos(self.longitude));
        let normal = A / (1.0 - E2 * sin_lat * sin_lat).sqrt();
        let out = (normal + self.altitude) * cos_lat;
        let z = (normal * (1.0 - E2) + self.altitude) * sin_lat;
        Vec3::new(out * cos_lon, out * sin_lon, z)
    }

    /// The place with these geocentric coordinates (Bowring 1976, iterated: three
    /// rounds leave less than 1e-13 rad from the sea floor to orbits).
    pub fn of_geocentric(point: &Vec3) -> Geodetic {
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

    /// The place of an easting and a northing, m, on the ellipsoid, in a zone of UTM on
    /// WGS 84 by its EPSG code (32601 to 32660 north, 32701 to 32760 south); nothing for
    /// another code. Krüger's series to the fourth order (Karney, J. Geodesy 85, 2011):
    /// good to a millimetre in and around the zone.
    pub fn of_utm(epsg: u16, [easting, northing]: [f64; 2]) -> Option<Geodetic> {
        let (zone, south) = match epsg {
            32601..=32660 => (epsg - 32600, 0.0),
            32701..=32760 => (epsg - 32700, 1e7),
            _ => return None,
        };
        let n = F / (2.0 - F);
        let (n2, n3, n4) = (n * n, n * n * n, n * n * n * n);
        let radius = 0.9996 * A / (1.0 + n) * (1.0 + n2 / 4.0 + n4 / 64.0);
        let (xi, eta) = ((northing - south) / radius, (easting - 500_000.0) / radius);
        let beta = [
            n / 2.0 - 2.0 / 3.0 * n2 + 37.0 / 96.0 * n3 - n4 / 360.0,
            n2 / 48.0 + n3 / 15.0 - 437.0 / 1440.0 * n4,
            17.0 / 480.0 * n3 - 37.0 / 840.0 * n4,
            4397.0 / 161_280.0 * n4,
        ];
        let hyperbolic = |x: f64| (0.5 * (exp(x) - exp(-x)), 0.5 * (exp(x) + exp(-x)));
        let (mut straight, mut aside) = (xi, eta);
        for (j, b) in (1..).zip(beta) {
            let twice = 2.0 * f64::from(j);
            let ((sin, cos), (sinh, cosh)) = (sin_cos(twice * xi), hyperbolic(twice * eta));
            straight -= b * sin * cosh;
            aside -= b * cos * sinh;
        }
        let ((sin, cos), (sinh, cosh)) = (sin_cos(straight), hyperbolic(aside));
        let conformal = asin(sin / cosh);
        let delta = [
            2.0 * n - 2.0 / 3.0 * n2 - 2.0 * n3 + 116.0 / 45.0 * n4,
            7.0 / 3.0 * n2 - 8.0 / 5.0 * n3 - 227.0 / 45.0 * n4,
            56.0 / 15.0 * n3 - 136.0 / 35.0 * n4,
            4279.0 / 630.0 * n4,
        ];
        let series = (1..)
            .zip(delta)
            .map(|(j, d): (i32, f64)| d * sin_cos(2.0 * f64::from(j) * conformal).0);
        let meridian = (6.0 * f64::from(zone) - 183.0).to_radians();
        Some(Geodetic {
            latitude: conformal + series.sum::<f64>(),
            longitude: meridian + atan2(sinh, cos),
            altitude: 0.0,
        })
    }

    /// Axes east, north and up there, as columns in geocentric axes.
    pub fn axes(&self) -> Mat3 {
        let ((sin_lat, cos_lat), (sin_lon, cos_lon)) =
            (sin_cos(self.latitude), sin_cos(self.longitude));
        Mat3::from_columns(&[
            Vec3::new(-sin_lon, cos_lon, 0.0),
            Vec3::new(-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat),
            Vec3::new(cos_lat * cos_lon, cos_lat * sin_lon, sin_lat),
        ])
    }
}

/// Where the world frame (east, north, up, m) lies on the earth: a plane that touches
/// the ellipsoid's parallel surface at the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    origin: Geodetic,
    centre: Vec3,
    axes: Mat3,
}

impl Site {
    /// A world frame with its origin at a place.
    pub fn new(origin: Geodetic) -> Site {
        Site { origin, centre: origin.geocentric(), axes: origin.axes() }
    }

    /// A world frame with its origin at an easting and a northing in a zone of UTM
    /// ([`Geodetic::of_utm`]), its y axis along the grid's north there, which lies beside
    /// true north by the meridians' convergence. The grid's scale, 4e-4 at most, is
    /// taken as 1.
    pub fn of_utm(epsg: u16, [easting, northing]: [f64; 2]) -> Option<Site> {
        const APART: f64 = 500.0;
        let place = |north: f64| Geodetic::of_utm(epsg, [easting, northing + north]);
        let site = Site::new(place(0.0)?);
        let along = site.point(&place(APART)?) - site.point(&place(-APART)?);
        let (sin, cos) = sin_cos(atan2(along.x, along.y));
        let turn = Mat3::new(cos, sin, 0.0, -sin, cos, 0.0, 0.0, 0.0, 1.0);
        Some(Site { axes: site.axes * turn, ..site })
    }

    /// The origin's place.
    pub fn origin(&self) -> Geodetic {
        self.origin
    }

    /// The place of a point of the world frame.
    pub fn place(&self, point: &Vec3) -> Geodetic {
        Geodetic::of_geocentric(&(self.centre + self.axes * point))
    }

    /// The point of the world frame at a place.
    pub fn point(&self, place: &Geodetic) -> Vec3 {
        self.axes.transpose() * (place.geocentric() - self.centre)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dms(degrees: f64, minutes: f64, seconds: f64) -> f64 {
        degrees + minutes / 60.0 + seconds / 3600.0
    }

    /// The example of IOGP Guidance Note 7-2, 4.1.1: printed to the millimetre.
    #[test]
    fn agrees_with_the_published_geocentric_example() {
        let place = Geodetic::degrees(dms(53.0, 48.0, 33.820), dms(2.0, 7.0, 46.380), 73.0);
        let expected = Vec3::new(3_771_793.968, 140_253.342, 5_124_304.349);
        assert!((place.geocentric() - expected).norm() < 1e-3, "{}", place.geocentric());
        let back = Geodetic::of_geocentric(&expected);
        assert!((back.latitude - place.latitude).abs() < 2e-10);
        assert!((back.longitude - place.longitude).abs() < 2e-10);
        assert!((back.altitude - 73.0).abs() < 1e-3);
    }

    /// The example of IOGP Guidance Note 7-2, 4.1.2: topocentric coordinates.
    #[test]
    fn agrees_with_the_published_topocentric_example() {
        let site = Site::new(Geodetic::degrees(55.0, 5.0, 200.0));
        let place = Geodetic::degrees(dms(53.0, 48.0, 33.820), dms(2.0, 7.0, 46.380), 73.0);
        let expected = Vec3::new(-189_013.869, -128_642.040, -4_220.171);
        assert!((site.point(&place) - expected).norm() < 1e-3, "{}", site.point(&place));
    }

    /// By PROJ 9.5.1 (`cs2cs EPSG:32632 EPSG:4326`), printed to 1e-10 degrees or 0.01 mm,
    /// and its meridian convergence; the first is the meridian's quadrant at 45 degrees.
    #[test]
    fn agrees_with_proj_on_utm() {
        for (epsg, grid, degrees, convergence) in [
            (32632, [500_000.0, 4_982_950.400_227], [45.0, 9.0], 0.0),
            (32632, [700_000.0, 5.3e6], [47.822_235_62, 11.672_054_778_2], 1.980_820_07),
            (32632, [300_000.0, 5.2e6], [46.923_381_219_8, 6.372_998_602_4], -1.919_502_89),
            (32719, [400_000.0, 6.3e6], [-33.434_728_825_4, -70.075_764_038_6], 0.592_780_84),
        ] {
            let place = Geodetic::of_utm(epsg, grid).unwrap();
            let found = [place.latitude, place.longitude].map(f64::to_degrees);
            let close = found.iter().zip(degrees).all(|(a, b)| (a - b).abs() < 2e-9);
            assert!(close, "{found:?} {degrees:?}");
            // a kilometre to the grid's north, seen from the true one
            let site = Site::of_utm(epsg, grid).unwrap();
            let north = Site::new(place).point(&site.place(&Vec3::new(0.0, 1000.0, 0.0)));
            let bearing = north.x.atan2(north.y).to_degrees();
            assert!((bearing - convergence).abs() < 1e-5, "{bearing} {convergence}");
        }
        assert_eq!(Geodetic::of_utm(32661, [0.0; 2]), None);
    }

    proptest! {
        #[test]
        fn comes_back_from_geocentric(
            latitude in -1.57f64..1.57, longitude in -3.1f64..3.1, altitude in -9e3f64..1e6,
        ) {
            let place = Geodetic { latitude, longitude, altitude };
            let back = Geodetic::of_geocentric(&place.geocentric());
            // a rounding of 1e-9 m in 6.4e6 m is 1.5e-16 rad; near a pole longitude is ill-defined
            prop_assert!((back.latitude - latitude).abs() < 1e-14 * 10.0);
            prop_assert!((back.longitude - longitude).abs() * latitude.cos() < 1e-13);
            prop_assert!((back.altitude - altitude).abs() < 2e-8);
        }

        #[test]
        fn comes_back_from_the_world_frame(x in -5e4f64..5e4, y in -5e4f64..5e4, z in -1e3f64..1e3) {
            let site = Site::new(Geodetic::degrees(47.2, 11.4, 600.0));
            let point = Vec3::new(x, y, z);
            prop_assert!((site.point(&site.place(&point)) - point).norm() < 1e-7);
        }
    }
}
