//! The transverse Mercator projection of the ellipsoid.

use super::{A, E2, F, Geodetic};
use crate::numeric::{asin, atan2, cos, exp, ln, sin_cos};
use serde::{Deserialize, Serialize};

/// A transverse Mercator projection.
///
/// It uses Krüger's series to the fourth order (C. F. F. Karney, "Transverse Mercator with an
/// accuracy of a few nanometers", J. Geodesy 85, 2011), accurate to a millimeter within 1000 km of
/// the central meridian.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransverseMercator {
    /// Longitude of the central meridian, rad.
    pub meridian: f64,
    /// Scale on the central meridian.
    pub scale: f64,
    /// Easting and northing of the intersection of central meridian and equator, m.
    pub origin: [f64; 2],
}

/// Third flattening and its powers.
const N: f64 = F / (2.0 - F);
const N2: f64 = N * N;
const N3: f64 = N2 * N;
const N4: f64 = N3 * N;
/// Radius of the circle whose circumference equals that of a meridian, m.
const RADIUS: f64 = A / (1.0 + N) * (1.0 + N2 / 4.0 + N4 / 64.0);

fn hyperbolic(x: f64) -> (f64, f64) {
    (0.5 * (exp(x) - exp(-x)), 0.5 * (exp(x) + exp(-x)))
}

fn artanh(x: f64) -> f64 {
    0.5 * ln((1.0 + x) / (1.0 - x))
}

/// Returns the sums of c_j sin(2 j x) cosh(2 j y) and of c_j cos(2 j x) sinh(2 j y).
fn series(coefficients: [f64; 4], x: f64, y: f64) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (j, c) in (1..).zip(coefficients) {
        let twice = 2.0 * f64::from(j);
        let ((sin, cos), (sinh, cosh)) = (sin_cos(twice * x), hyperbolic(twice * y));
        sums[0] += c * sin * cosh;
        sums[1] += c * cos * sinh;
    }
    sums
}

impl TransverseMercator {
    /// Returns easting and northing of a position, m.
    pub fn grid(&self, place: &Geodetic) -> [f64; 2] {
        let alpha = [
            N / 2.0 - 2.0 / 3.0 * N2 + 5.0 / 16.0 * N3 + 41.0 / 180.0 * N4,
            13.0 / 48.0 * N2 - 3.0 / 5.0 * N3 + 557.0 / 1440.0 * N4,
            61.0 / 240.0 * N3 - 103.0 / 140.0 * N4,
            49_561.0 / 161_280.0 * N4,
        ];
        let e = E2.sqrt();
        let sin_latitude = sin_cos(place.latitude).0;
        let isometric = artanh(sin_latitude) - e * artanh(e * sin_latitude);
        let (sinh, cosh) = hyperbolic(isometric);
        let (sin_lon, cos_lon) = sin_cos(place.longitude - self.meridian);
        let (xi, eta) = (atan2(sinh, cos_lon), artanh(sin_lon / cosh));
        let [north, east] = series(alpha, xi, eta);
        let radius = self.scale * RADIUS;
        [self.origin[0] + radius * (eta + east), self.origin[1] + radius * (xi + north)]
    }

    /// Returns the position on the ellipsoid of an easting and a northing, m.
    pub fn to_geodetic(&self, [easting, northing]: [f64; 2]) -> Geodetic {
        let beta = [
            N / 2.0 - 2.0 / 3.0 * N2 + 37.0 / 96.0 * N3 - N4 / 360.0,
            N2 / 48.0 + N3 / 15.0 - 437.0 / 1440.0 * N4,
            17.0 / 480.0 * N3 - 37.0 / 840.0 * N4,
            4397.0 / 161_280.0 * N4,
        ];
        let delta = [
            2.0 * N - 2.0 / 3.0 * N2 - 2.0 * N3 + 116.0 / 45.0 * N4,
            7.0 / 3.0 * N2 - 8.0 / 5.0 * N3 - 227.0 / 45.0 * N4,
            56.0 / 15.0 * N3 - 136.0 / 35.0 * N4,
            4279.0 / 630.0 * N4,
        ];
        let radius = self.scale * RADIUS;
        let (xi, eta) = ((northing - self.origin[1]) / radius, (easting - self.origin[0]) / radius);
        let [along, aside] = series(beta, xi, eta);
        let (straight, aside) = (xi - along, eta - aside);
        let ((sin, cosine), (sinh, cosh)) = (sin_cos(straight), hyperbolic(aside));
        let conformal = asin(sin / cosh);
        let [correction, _] = series(delta, conformal, 0.0);
        Geodetic {
            latitude: conformal + correction,
            longitude: self.meridian + atan2(sinh, cosine),
            altitude: 0.0,
        }
    }

    /// Returns whether a position is close enough to the central meridian, 30 degrees, for the
    /// series.
    pub fn covers(&self, place: &Geodetic) -> bool {
        cos(place.longitude - self.meridian) > 0.866 && place.latitude.abs() < 1.55
    }
}
