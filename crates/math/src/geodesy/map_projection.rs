//! Map projections and the scale between their coordinates and lengths on the ground.
//!
//! Formulas: J. P. Snyder, "Map Projections: A Working Manual" (USGS Professional Paper 1395).

use super::{A, E2, Geodetic, TransverseMercator, radian_lengths};
use crate::numeric::{asin, atan, atan2, hypot, ln, pow, sin, sin_cos, tan, wrap_angle};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

/// Relative deviation up to which coordinates count as lengths on the ground: a zone of UTM has 0.1
/// %.
const TRUE_TO_SCALE: f64 = 0.002;

/// A map projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapProjection {
    /// Formulas with their constants.
    pub method: Method,
    /// Central longitude, rad.
    pub meridian: f64,
    /// False easting and northing, m.
    pub offset: [f64; 2],
    /// Radius of the sphere on which it is defined, m; `None` on the ellipsoid.
    pub sphere: Option<f64>,
}

/// Formulas of a projection with their constants. Angles are in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Mercator, with its scale at the equator.
    Mercator {
        /// Scale at the equator.
        scale: f64,
    },
    /// Transverse Mercator.
    TransverseMercator {
        /// Latitude of the origin.
        latitude: f64,
        /// Scale on the central meridian.
        scale: f64,
    },
    /// Lambert's conformal cone.
    LambertConformal {
        /// Standard parallels.
        parallels: [f64; 2],
        /// Latitude of the origin.
        latitude: f64,
        /// Scale on the parallels.
        scale: f64,
    },
    /// Stereographic about a pole.
    PolarStereographic {
        /// Whether about the north pole.
        is_north: bool,
        /// Scale at the pole.
        scale: f64,
    },
    /// Stereographic about a point other than a pole.
    Stereographic {
        /// Latitude of the center.
        latitude: f64,
        /// Scale at the center.
        scale: f64,
    },
    /// Equidistant cylindrical: parallels and meridians at equal distances.
    EquidistantCylindrical {
        /// Parallel of true scale.
        parallel: f64,
    },
    /// Cylindrical equal-area.
    CylindricalEqualArea {
        /// Parallel of true scale.
        parallel: f64,
    },
    /// Lambert's azimuthal equal-area.
    AzimuthalEqualArea {
        /// Latitude of the center.
        latitude: f64,
    },
    /// Albers' equal-area cone.
    Albers {
        /// Standard parallels.
        parallels: [f64; 2],
        /// Latitude of the origin.
        latitude: f64,
    },
    /// Sinusoidal.
    Sinusoidal,
    /// Miller's cylinder.
    Miller,
}

impl std::fmt::Display for MapProjection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.method {
            Method::Mercator { .. } => "Mercator",
            Method::TransverseMercator { .. } => "transverse Mercator",
            Method::LambertConformal { .. } => "Lambert conformal conic",
            Method::PolarStereographic { .. } => "polar stereographic",
            Method::Stereographic { .. } => "stereographic",
            Method::EquidistantCylindrical { .. } => "equidistant cylindrical",
            Method::CylindricalEqualArea { .. } => "cylindrical equal area",
            Method::AzimuthalEqualArea { .. } => "Lambert azimuthal equal area",
            Method::Albers { .. } => "Albers equal area",
            Method::Sinusoidal => "sinusoidal",
            Method::Miller => "Miller cylindrical",
        };
        let [easting, northing] = self.offset;
        let meridian = self.meridian.to_degrees();
        write!(f, "{name}, meridian {meridian:.4} deg, false origin ({easting}, {northing}) m")
    }
}

/// Relation between lengths on the ground and coordinates around a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundLengths {
    /// Length on the ground of one meter of easting and of one of northing, m.
    pub meters: [f64; 2],
    /// Angle on the ground between the two axes, minus a right angle, rad.
    pub skew: f64,
    /// Bearing of the axis of northing from true north, rad, east positive.
    pub turn: f64,
}

impl GroundLengths {
    /// Returns whether coordinates can be used as lengths on the ground.
    pub fn is_true_to_scale(&self) -> bool {
        let [east, north] = self.meters.map(|length| (length - 1.0).abs() <= TRUE_TO_SCALE);
        east && north && !self.is_skew()
    }

    /// Returns whether the axes are not perpendicular on the ground, so that scaling along them
    /// cannot give true lengths.
    pub fn is_skew(&self) -> bool {
        self.skew.abs() > 2.0 * TRUE_TO_SCALE
    }
}

/// The ellipsoid or sphere of a projection.
#[derive(Clone, Copy)]
struct Spheroid {
    radius: f64,
    e2: f64,
}

impl Spheroid {
    /// Snyder 14-15: radius of a parallel over the semi-major axis.
    fn parallel(self, latitude: f64) -> f64 {
        let (sin, cos) = sin_cos(latitude);
        cos / (1.0 - self.e2 * sin * sin).sqrt()
    }

    /// Snyder 15-9: t of the conformal projections.
    fn conformal(self, latitude: f64) -> f64 {
        let es = self.e2.sqrt() * sin(latitude);
        tan(FRAC_PI_4 - 0.5 * latitude) / pow((1.0 - es) / (1.0 + es), 0.5 * self.e2.sqrt())
    }

    /// Snyder 3-12: q of the equal-area projections.
    fn authalic(self, latitude: f64) -> f64 {
        let (e, sin) = (self.e2.sqrt(), sin(latitude));
        if e == 0.0 {
            return 2.0 * sin;
        }
        let es = e * sin;
        (1.0 - self.e2) * (sin / (1.0 - es * es) - 0.5 / e * ln((1.0 - es) / (1.0 + es)))
    }

    /// Snyder 3-21: distance along a meridian from the equator, m.
    fn meridian(self, latitude: f64) -> f64 {
        let (e2, e4, e6) = (self.e2, self.e2 * self.e2, self.e2 * self.e2 * self.e2);
        self.radius
            * ((1.0 - e2 / 4.0 - 3.0 * e4 / 64.0 - 5.0 * e6 / 256.0) * latitude
                - (3.0 * e2 / 8.0 + 3.0 * e4 / 32.0 + 45.0 * e6 / 1024.0) * sin(2.0 * latitude)
                + (15.0 * e4 / 256.0 + 45.0 * e6 / 1024.0) * sin(4.0 * latitude)
                - 35.0 * e6 / 3072.0 * sin(6.0 * latitude))
    }
}

/// Returns the scale at the pole of a polar stereographic projection with true scale at a parallel.
pub fn polar_scale(parallel: f64) -> f64 {
    let spheroid = Spheroid { radius: A, e2: E2 };
    let parallel = parallel.abs();
    if FRAC_PI_2 - parallel < 1e-9 {
        return 1.0;
    }
    spheroid.parallel(parallel) / spheroid.conformal(parallel) * pole_factor(spheroid) / 2.0
}

fn pole_factor(spheroid: Spheroid) -> f64 {
    let e = spheroid.e2.sqrt();
    (pow(1.0 + e, 1.0 + e) * pow(1.0 - e, 1.0 - e)).sqrt()
}

/// Returns the scale at the equator of a cylindrical projection with true scale at a parallel.
pub fn equator_scale(parallel: f64) -> f64 {
    Spheroid { radius: A, e2: E2 }.parallel(parallel)
}

impl MapProjection {
    /// Returns the projection of a zone of UTM, 1 to 60.
    pub fn from_utm_zone(zone: u16, is_south: bool) -> MapProjection {
        MapProjection {
            method: Method::TransverseMercator { latitude: 0.0, scale: 0.9996 },
            meridian: (6.0 * f64::from(zone) - 183.0).to_radians(),
            offset: [500_000.0, if is_south { 1e7 } else { 0.0 }],
            sphere: None,
        }
    }

    /// Returns whether two projections have the same formulas and the same constants, up to
    /// rounding.
    pub fn is_same_as(&self, other: &MapProjection) -> bool {
        let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1.0);
        let constants = |own: &MapProjection| match own.method {
            Method::TransverseMercator { latitude, scale } => Some([latitude, scale]),
            _ => None,
        };
        let is_same = match (constants(self), constants(other)) {
            (Some(own), Some(other)) => (0..2).all(|k| is_near(own[k], other[k])),
            _ => self.method == other.method,
        };
        is_same
            && is_near(self.meridian, other.meridian)
            && (0..2).all(|k| (self.offset[k] - other.offset[k]).abs() <= 1e-3)
            && self.sphere == other.sphere
    }

    fn spheroid(&self) -> Spheroid {
        match self.sphere {
            Some(radius) => Spheroid { radius, e2: 0.0 },
            None => Spheroid { radius: A, e2: E2 },
        }
    }

    /// Returns easting and northing of a position, m; not finite where the projection is undefined.
    pub fn grid(&self, latitude: f64, longitude: f64) -> [f64; 2] {
        let spheroid = self.spheroid();
        let radius = spheroid.radius;
        let east = wrap_angle(longitude - self.meridian);
        let [x, y] = match self.method {
            Method::Mercator { scale } => {
                [radius * scale * east, -radius * scale * ln(spheroid.conformal(latitude))]
            }
            Method::TransverseMercator { latitude: origin, scale } => {
                let north = -scale * Spheroid { radius: A, e2: E2 }.meridian(origin);
                let own = TransverseMercator { meridian: 0.0, scale, origin: [0.0, north] };
                own.grid(&Geodetic { latitude, longitude: east, altitude: 0.0 })
            }
            Method::EquidistantCylindrical { parallel } => {
                [radius * spheroid.parallel(parallel) * east, spheroid.meridian(latitude)]
            }
            Method::CylindricalEqualArea { parallel } => {
                let scale = spheroid.parallel(parallel);
                [radius * scale * east, 0.5 * radius * spheroid.authalic(latitude) / scale]
            }
            Method::Sinusoidal => {
                [radius * spheroid.parallel(latitude) * east, spheroid.meridian(latitude)]
            }
            Method::Miller => [radius * east, 1.25 * radius * ln(tan(FRAC_PI_4 + 0.4 * latitude))],
            Method::LambertConformal { .. } | Method::Albers { .. } => {
                self.cone(spheroid, latitude, east)
            }
            Method::PolarStereographic { .. }
            | Method::Stereographic { .. }
            | Method::AzimuthalEqualArea { .. } => self.azimuthal(spheroid, latitude, east),
        };
        [x + self.offset[0], y + self.offset[1]]
    }

    fn cone(&self, spheroid: Spheroid, latitude: f64, east: f64) -> [f64; 2] {
        let (ratio, distance, origin) = match self.method {
            Method::LambertConformal { parallels: [first, second], latitude: origin, scale } => {
                let [m1, m2] = [first, second].map(|own| spheroid.parallel(own));
                let [t1, t2] = [first, second].map(|own| spheroid.conformal(own));
                let is_one = (first - second).abs() < 1e-9;
                let n = if is_one { sin(first) } else { ln(m1 / m2) / ln(t1 / t2) };
                let factor = spheroid.radius * scale * m1 / (n * pow(t1, n));
                let distance = |own: f64| factor * pow(spheroid.conformal(own), n);
                (n, distance(latitude), distance(origin))
            }
            Method::Albers { parallels: [first, second], latitude: origin } => {
                let [m1, m2] = [first, second].map(|own| spheroid.parallel(own));
                let [q1, q2] = [first, second].map(|own| spheroid.authalic(own));
                let is_one = (first - second).abs() < 1e-9;
                let n = if is_one { sin(first) } else { (m1 * m1 - m2 * m2) / (q2 - q1) };
                let c = m1 * m1 + n * q1;
                let distance =
                    |own: f64| spheroid.radius * (c - n * spheroid.authalic(own)).sqrt() / n;
                (n, distance(latitude), distance(origin))
            }
            _ => return [f64::NAN; 2],
        };
        let (sin, cos) = sin_cos(ratio * east);
        [distance * sin, origin - distance * cos]
    }

    fn azimuthal(&self, spheroid: Spheroid, latitude: f64, east: f64) -> [f64; 2] {
        let (sin_east, cos_east) = sin_cos(east);
        match self.method {
            Method::PolarStereographic { is_north, scale } => {
                let t = spheroid.conformal(if is_north { latitude } else { -latitude });
                let distance = 2.0 * spheroid.radius * scale * t / pole_factor(spheroid);
                [distance * sin_east, if is_north { -distance } else { distance } * cos_east]
            }
            Method::Stereographic { latitude: middle, scale } => {
                let conformal = |own: f64| FRAC_PI_2 - 2.0 * atan(spheroid.conformal(own));
                let ((sin_1, cos_1), (sin_2, cos_2)) =
                    (sin_cos(conformal(middle)), sin_cos(conformal(latitude)));
                let along = 1.0 + sin_1 * sin_2 + cos_1 * cos_2 * cos_east;
                let size =
                    2.0 * spheroid.radius * scale * spheroid.parallel(middle) / (cos_1 * along);
                [size * cos_2 * sin_east, size * (cos_1 * sin_2 - sin_1 * cos_2 * cos_east)]
            }
            Method::AzimuthalEqualArea { latitude: middle } => {
                let [q, q1, pole] = [latitude, middle, FRAC_PI_2].map(|own| spheroid.authalic(own));
                if FRAC_PI_2 - middle.abs() < 1e-9 {
                    let distance = spheroid.radius * (pole - middle.signum() * q).max(0.0).sqrt();
                    return [distance * sin_east, -middle.signum() * distance * cos_east];
                }
                let [beta, beta_1] = [q, q1].map(|own| asin(own / pole));
                let ((sin_1, cos_1), (sin_2, cos_2)) = (sin_cos(beta_1), sin_cos(beta));
                let mean = spheroid.radius * (0.5 * pole).sqrt();
                let stretch = spheroid.radius * spheroid.parallel(middle) / (mean * cos_1);
                let size = mean * (2.0 / (1.0 + sin_1 * sin_2 + cos_1 * cos_2 * cos_east)).sqrt();
                let north = cos_1 * sin_2 - sin_1 * cos_2 * cos_east;
                [size * stretch * cos_2 * sin_east, size / stretch * north]
            }
            _ => [f64::NAN; 2],
        }
    }

    /// Returns the change of easting and northing per meter on the ground to the east, and per
    /// meter to the north: `[[easting, northing], [easting, northing]]`.
    fn slopes(&self, latitude: f64, longitude: f64) -> [[f64; 2]; 2] {
        const STEP: f64 = 1e-6;
        let [east, north] = radian_lengths(latitude);
        let between = |a: [f64; 2], b: [f64; 2], length: f64| {
            [0, 1].map(|k| (b[k] - a[k]) / (2.0 * STEP * length))
        };
        let west_east = [-STEP, STEP].map(|step| self.grid(latitude, longitude + step));
        let south_north = [-STEP, STEP].map(|step| self.grid(latitude + step, longitude));
        [between(west_east[0], west_east[1], east), between(south_north[0], south_north[1], north)]
    }

    /// Returns latitude and longitude, rad, of an easting and a northing; `None` where there is no
    /// such position, or at a pole.
    pub fn to_geodetic(&self, point: [f64; 2]) -> Option<[f64; 2]> {
        let distance = |at: [f64; 2]| {
            let grid = self.grid(at[0], at[1]);
            let distance = hypot(grid[0] - point[0], grid[1] - point[1]);
            if distance.is_finite() { distance } else { f64::INFINITY }
        };
        // the nearest point of a coarse grid, then Newton's method
        let net = (-22..=22).flat_map(|row| {
            (-36..36).map(move |column| [f64::from(row) * 4.0 + 0.5, f64::from(column) * 5.0 + 0.3])
        });
        let mut best = ([f64::NAN; 2], f64::INFINITY);
        for [latitude, longitude] in net {
            let at = [latitude.to_radians(), self.meridian + longitude.to_radians()];
            let own = distance(at);
            if own < best.1 {
                best = (at, own);
            }
        }
        for _ in 0..60 {
            let (at, left) = best;
            if left < 1e-5 {
                return Some([at[0], wrap_angle(at[1])]);
            }
            let grid = self.grid(at[0], at[1]);
            let [[ee, ne], [en, nn]] = self.slopes(at[0], at[1]);
            let determinant = ee * nn - en * ne;
            let [de, dn] = [point[0] - grid[0], point[1] - grid[1]];
            let east = (de * nn - dn * en) / determinant;
            let north = (dn * ee - de * ne) / determinant;
            let lengths = radian_lengths(at[0]);
            let step = |share: f64| {
                let latitude = at[0] + share * north / lengths[1];
                [latitude.clamp(-FRAC_PI_2, FRAC_PI_2), at[1] + share * east / lengths[0]]
            };
            let tried = [1.0, 0.5, 0.25, 0.05].map(|share| (step(share), distance(step(share))));
            let next = tried.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
            if next.1 >= left {
                return (left < 1e-2).then_some([at[0], wrap_angle(at[1])]);
            }
            best = next;
        }
        (best.1 < 1e-2).then_some([best.0[0], wrap_angle(best.0[1])])
    }

    /// Returns the relation between lengths on the ground and coordinates around a point, m; `None`
    /// where no position has these coordinates.
    pub fn ground_lengths(&self, point: [f64; 2]) -> Option<GroundLengths> {
        let [latitude, longitude] = self.to_geodetic(point)?;
        let [[ee, ne], [en, nn]] = self.slopes(latitude, longitude);
        let determinant = ee * nn - en * ne;
        // east and north components on the ground of one meter of easting and of one of northing
        let easting = [nn / determinant, -ne / determinant];
        let northing = [-en / determinant, ee / determinant];
        let meters = [easting, northing].map(|[east, north]| hypot(east, north));
        let along = (easting[0] * northing[0] + easting[1] * northing[1]) / (meters[0] * meters[1]);
        let lengths =
            GroundLengths { meters, skew: -asin(along), turn: atan2(northing[0], northing[1]) };
        let is_sound = meters.iter().all(|length| (1e-3..=1e3).contains(length));
        (is_sound && lengths.skew.is_finite()).then_some(lengths)
    }
}
