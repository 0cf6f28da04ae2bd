//! Geographic location of a scenario.

use crate::config;
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::document::Document;
use bekker_ground::terrain::FramePlacement;
use bekker_math::geodesy::{Geodetic, Site};
use bekker_math::spatial::Vec3;

/// Distance from the DEM's location, m, from which `[site]` counts as a different location.
const ELSEWHERE: f64 = 1000.0;

/// The world frame on the earth, with a warning if `[site]` and the DEM disagree.
///
/// A georeferenced DEM has priority, and `[site]` only adds the height of z = 0. The y axis is grid
/// north, which deviates from true north by the meridian convergence. A `[site]` at a different
/// location moves the origin there and keeps that convergence.
pub fn site(
    document: &Document,
    given: Option<&config::SiteConfig>,
    placement: Option<&FramePlacement>,
) -> (Option<Site>, Option<Diagnostic>) {
    let of_dem = placement.and_then(FramePlacement::site);
    let Some(given) = given else { return (of_dem, None) };
    let origin = Geodetic::degrees(given.latitude_deg, given.longitude_deg, given.altitude);
    let own = Site::new(origin);
    let Some(dem) = of_dem else { return (Some(own), None) };
    let there = dem.to_geodetic(&Vec3::zeros());
    let distance = (there.geocentric() - Geodetic { altitude: 0.0, ..origin }.geocentric()).norm();
    if distance <= ELSEWHERE {
        return (Some(dem.at_altitude(given.altitude)), None);
    }
    let cause = format!(
        "is {:.1} km from the location in the DEM file, {:.5} {:.5}; [site] is used",
        distance / 1000.0,
        there.latitude.to_degrees(),
        there.longitude.to_degrees(),
    );
    let warning = document.diagnostic("site", DiagnosticKind::Refused { cause });
    (Some(own.rotated(dem.convergence(&Vec3::zeros()))), Some(warning))
}
