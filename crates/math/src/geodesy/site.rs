//! The world frame as a map.

use super::{Geodetic, TransverseMercator, radian_lengths};
use crate::numeric::{atan2, sin_cos};
use crate::spatial::Vec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// Position of the world frame on the earth.
///
/// The world is a map: x and y are meters of a map projection, and z is measured along the local
/// plumb line, as in elevation models. So heights are correct at any distance from the origin, and
/// the earth's curvature, 8 m at 10 km, does not appear as a descent. A grid's scale (0.9996 to
/// 1.001 for UTM) is taken as 1 where lengths are measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    projection: SiteProjection,
    /// Bearing of the world's y axis from the map's north, rad, east positive.
    turn: f64,
    /// Height of z = 0 above the ellipsoid, m.
    altitude: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum SiteProjection {
    /// A grid, with the world's origin on it (easting, northing, m).
    Grid { grid: TransverseMercator, origin: [f64; 2] },
    /// Longitude and latitude, each scaled by the length of a radian at the origin (longitude,
    /// latitude, rad).
    Angles { origin: [f64; 2], lengths: [f64; 2] },
}

impl Site {
    /// Creates a world frame with its origin at a position and its y axis to the north: a
    /// transverse Mercator projection about that position's meridian.
    pub fn new(origin: Geodetic) -> Site {
        let grid = TransverseMercator { meridian: origin.longitude, scale: 1.0, origin: [0.0; 2] };
        Site { altitude: origin.altitude, ..Site::on_grid(grid, grid.grid(&origin)) }
    }

    /// Creates a world frame whose x and y are those of a grid, relative to an easting and a
    /// northing, m.
    pub fn on_grid(grid: TransverseMercator, origin: [f64; 2]) -> Site {
        Site { projection: SiteProjection::Grid { grid, origin }, turn: 0.0, altitude: 0.0 }
    }

    /// Creates a world frame whose x and y are longitude and latitude, each scaled by its length at
    /// the origin (longitude, latitude, rad).
    pub fn on_angles(origin: [f64; 2]) -> Site {
        let lengths = radian_lengths(origin[1]);
        Site { projection: SiteProjection::Angles { origin, lengths }, turn: 0.0, altitude: 0.0 }
    }

    /// Returns the site with z = 0 at a height above the ellipsoid, m.
    pub fn at_altitude(self, altitude: f64) -> Site {
        Site { altitude, ..self }
    }

    /// Returns the site with its y axis turned from the map's north by an angle, rad, east
    /// positive.
    pub fn rotated(self, turn: f64) -> Site {
        Site { turn, ..self }
    }

    /// Returns the projection whose easting and northing equal x and y, m; `None` if the world is
    /// turned or uses scaled degrees.
    pub fn transverse_mercator(&self) -> Option<TransverseMercator> {
        match self.projection {
            SiteProjection::Grid { grid, origin } if self.turn == 0.0 => {
                let [x, y] = grid.origin;
                Some(TransverseMercator { origin: [x - origin[0], y - origin[1]], ..grid })
            }
            _ => None,
        }
    }

    /// Returns the geodetic position of a point of the world frame.
    pub fn to_geodetic(&self, point: &Vec3) -> Geodetic {
        let (sin, cos) = sin_cos(self.turn);
        let [east, north] = [point.x * cos + point.y * sin, point.y * cos - point.x * sin];
        let place = match self.projection {
            SiteProjection::Grid { grid, origin } => {
                grid.to_geodetic([origin[0] + east, origin[1] + north])
            }
            SiteProjection::Angles { origin, lengths } => Geodetic {
                latitude: origin[1] + north / lengths[1],
                longitude: origin[0] + east / lengths[0],
                altitude: 0.0,
            },
        };
        let (longitude, altitude) = (half_turn(place.longitude), self.altitude + point.z);
        Geodetic { longitude, altitude, ..place }
    }

    /// Returns the point of the world frame at a geodetic position; `None` outside the range of the
    /// map.
    pub fn point(&self, place: &Geodetic) -> Option<Vec3> {
        let [east, north] = match self.projection {
            SiteProjection::Grid { grid, origin } => {
                let [easting, northing] = grid.covers(place).then(|| grid.grid(place))?;
                [easting - origin[0], northing - origin[1]]
            }
            SiteProjection::Angles { origin, lengths } => [
                half_turn(place.longitude - origin[0]) * lengths[0],
                (place.latitude - origin[1]) * lengths[1],
            ],
        };
        let (sin, cos) = sin_cos(self.turn);
        let (x, y) = (east * cos - north * sin, east * sin + north * cos);
        Some(Vec3::new(x, y, place.altitude - self.altitude))
    }

    /// Returns the bearing of the world's y axis from true north at a point, rad, east positive:
    /// the convergence of the map's meridians plus its turn.
    pub fn convergence(&self, point: &Vec3) -> f64 {
        // far enough that rounding of the angles, 1e-9 m, gives a bearing error of 1e-11
        const APART: f64 = 100.0;
        let at = |y: f64| self.to_geodetic(&Vec3::new(point.x, point.y + y, point.z));
        let (ahead, behind) = (at(APART), at(-APART));
        let lengths = radian_lengths(0.5 * (ahead.latitude + behind.latitude));
        atan2(
            half_turn(ahead.longitude - behind.longitude) * lengths[0],
            (ahead.latitude - behind.latitude) * lengths[1],
        )
    }

    /// Returns a vector of the world frame at a point in local axes east, true north and up.
    pub fn east_north_up(&self, point: &Vec3, vector: &Vec3) -> Vec3 {
        let (sin, cos) = sin_cos(self.convergence(point));
        let (x, y) = (vector.x, vector.y);
        Vec3::new(x * cos + y * sin, y * cos - x * sin, vector.z)
    }
}

/// Reduces an angle of less than three half turns to -π to π.
fn half_turn(angle: f64) -> f64 {
    if angle.abs() > PI { angle - TAU.copysign(angle) } else { angle }
}

#[cfg(test)]
mod tests {
    use super::super::GridZone;
    use super::*;
    use proptest::prelude::*;

    fn on_zone(epsg: u16, origin: [f64; 2]) -> Site {
        Site::on_grid(GridZone::from_epsg(epsg).unwrap().projection(), origin)
    }

    /// Compares with PROJ 9.5.1 (`cs2cs EPSG:32632 EPSG:4326`), printed to 1e-10 degrees or 0.01
    /// mm, and its meridian convergence. The first row is the meridian's quadrant at 45 degrees.
    /// The last rows use NAD83 and ETRS89, which PROJ distinguishes from WGS 84 only by their
    /// ellipsoids.
    #[test]
    fn agrees_with_proj_on_utm() {
        for (epsg, grid, degrees, convergence) in [
            (32632, [500_000.0, 4_982_950.400_227], [45.0, 9.0], 0.0),
            (32632, [700_000.0, 5.3e6], [47.822_235_62, 11.672_054_778_2], 1.980_820_07),
            (32632, [300_000.0, 5.2e6], [46.923_381_219_8, 6.372_998_602_4], -1.919_502_89),
            (32719, [400_000.0, 6.3e6], [-33.434_728_825_4, -70.075_764_038_6], 0.592_780_84),
            (
                26911,
                [556_440.0, 5_394_932.0],
                [48.704_867_253_1, -116.232_875_159_5],
                0.576_371_518,
            ),
            (6340, [556_440.0, 5_394_932.0], [48.704_867_253_1, -116.232_875_159_5], 0.576_371_518),
            (25832, [700_000.0, 5.3e6], [47.822_235_621_1, 11.672_054_778_2], 1.980_820_074),
        ] {
            let site = on_zone(epsg, grid);
            let place = site.to_geodetic(&Vec3::zeros());
            let found = [place.latitude, place.longitude].map(f64::to_degrees);
            let close = found.iter().zip(degrees).all(|(a, b)| (a - b).abs() < 2e-9);
            assert!(close, "{epsg}: {found:?} {degrees:?}");
            let bearing = site.convergence(&Vec3::zeros()).to_degrees();
            assert!((bearing - convergence).abs() < 1e-6, "{epsg}: {bearing} {convergence}");
            assert!(site.point(&place).unwrap().norm() < 1e-3);
        }
        assert_eq!(GridZone::from_epsg(32661), None);
        assert_eq!(GridZone::from_epsg(26711), None, "NAD27 lies on another ellipsoid");
    }

    #[test]
    fn height_counts_along_the_plumb_line_at_any_distance() {
        let origin = Geodetic::degrees(47.0, 11.0, 600.0);
        let site = Site::new(origin);
        for x in [0.0, 500.0, 10_000.0, 50_000.0] {
            let place = site.to_geodetic(&Vec3::new(x, 0.0, 3.0));
            assert!((place.altitude - 603.0).abs() < 1e-9, "{} at {x} m", place.altitude);
        }
        // a kilometer on the map is a kilometer on the ellipsoid, up to the map's scale
        let apart =
            site.to_geodetic(&Vec3::new(1000.0, 0.0, 0.0)).geocentric() - origin.geocentric();
        assert!((apart.norm() - 1000.0).abs() < 0.1 + 1e-3, "{}", apart.norm());
        assert!(site.convergence(&Vec3::zeros()).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn comes_back_from_the_earth(
            x in -5e4f64..5e4, y in -5e4f64..5e4, z in -1e3f64..1e3, turn in -0.1f64..0.1,
        ) {
            for site in [
                Site::new(Geodetic::degrees(47.2, 11.4, 600.0)),
                on_zone(32719, [400_000.0, 6.3e6]).at_altitude(50.0),
                Site::on_angles([-1.4, 0.6]),
                // across the 180th meridian
                Site::new(Geodetic::degrees(-16.8, 179.9999, 0.0)),
                Site::on_angles([-PI, -0.3]),
            ] {
                let (site, point) = (site.rotated(turn), Vec3::new(x, y, z));
                prop_assert!(site.to_geodetic(&point).longitude.abs() <= PI);
                // the forward and inverse series agree to 0.1 mm
                prop_assert!((site.point(&site.to_geodetic(&point)).unwrap() - point).norm() < 1e-4);
            }
        }
    }
}
