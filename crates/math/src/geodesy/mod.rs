//! Geodesy: positions on WGS 84, grids of the transverse Mercator projection, and the map frame of
//! a scenario's world coordinates.
//!
//! Angles are in radians, latitude positive north, longitude positive east; lengths are in meters.

mod ellipsoid;
mod grid_zone;
mod map_projection;
mod site;
mod transverse_mercator;

pub use ellipsoid::Geodetic;
pub use grid_zone::{Datum, GridZone};
pub use map_projection::{GroundLengths, MapProjection, Method, equator_scale, polar_scale};
pub use site::Site;
pub use transverse_mercator::TransverseMercator;

use ellipsoid::{A, E2, F};

/// Returns the lengths of one radian of longitude and of one of latitude at a latitude (rad), m.
pub fn radian_lengths(latitude: f64) -> [f64; 2] {
    let (sin, cos) = crate::numeric::sin_cos(latitude);
    let w = (1.0 - E2 * sin * sin).sqrt();
    [A * cos / w, A * (1.0 - E2) / (w * w * w)]
}
