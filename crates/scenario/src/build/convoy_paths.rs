//! The paths of convoys: each is computed once and shared by all followers.

use crate::ScenarioFile;
use crate::config::{self, PathEnd};
use crate::convoys::Convoys;
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use bekker_math::numeric::hypot;
use bekker_vehicle::driver::{Path, PathFollower, PathFollowerConfig, SteeringGeometry};

/// Spacing of the points of a path's curve, m.
const PATH_SPACING: f64 = 0.5;
/// Straight extension of a path that does not end, m.
const LENGTH_AHEAD: f64 = 100_000.0;
/// Length of the path behind the last vehicle of a convoy, m.
const MARGIN_BEHIND: f64 = 10.0;

/// Reason why a convoy's head cannot be followed.
pub(super) const NO_PATH: &str = "the convoy's head must have a driver of kind path, which the \
    others follow";

/// The paths of a scenario's convoys.
pub(super) struct ConvoyPaths<'a> {
    file: &'a ScenarioFile,
    convoys: &'a Convoys,
    /// Distance of the last vehicle of each head's convoy from the first waypoint, m.
    lengths_behind: Vec<f64>,
    /// Drivers along each head's path, one per steering geometry and configuration.
    drivers: Vec<Vec<PathFollower>>,
}

impl<'a> ConvoyPaths<'a> {
    /// Prepares the paths of the scenario's convoys.
    pub fn new(file: &'a ScenarioFile, convoys: &'a Convoys) -> ConvoyPaths<'a> {
        let entries = &file.scenario.vehicle;
        let mut lengths_behind = vec![0.0_f64; entries.len()];
        for (index, entry) in entries.iter().enumerate() {
            let Some(head) = convoys.head(index) else { continue };
            let config::DriverConfig::Path { waypoints, .. } = &entries[head].driver else {
                continue;
            };
            let Some([x, y]) = waypoints.first() else { continue };
            let back = hypot(entry.position[0] - x, entry.position[1] - y);
            lengths_behind[head] = lengths_behind[head].max(back);
        }
        let drivers = vec![Vec::new(); entries.len()];
        ConvoyPaths { file, convoys, lengths_behind, drivers }
    }

    /// The number of vehicles ahead of a vehicle in its convoy.
    pub fn place(&self, vehicle: usize) -> usize {
        self.convoys.place(vehicle)
    }

    /// The driver of a vehicle with this geometry and `plan` along the path of its convoy's head.
    pub fn follower(
        &mut self,
        vehicle: usize,
        geometry: SteeringGeometry,
        plan: PathFollowerConfig,
    ) -> Result<PathFollower, Diagnostic> {
        let head = self.convoys.head(vehicle).unwrap_or(vehicle);
        let cached = &self.drivers[head];
        let is_equal = |own: &&PathFollower| *own.geometry() == geometry && *own.config() == plan;
        if let Some(driver) = cached.iter().find(is_equal) {
            return Ok(driver.clone());
        }
        let path = match cached.first() {
            Some(driver) => driver.path().clone(),
            None => self.path(head)?,
        };
        let driver = PathFollower::new(path, geometry, plan);
        self.drivers[head].push(driver.clone());
        Ok(driver)
    }

    /// The path of a convoy's head: a curve through its waypoints.
    ///
    /// It is extended straight back so that it covers all followers, and straight ahead if it does
    /// not end. All vehicles of a convoy measure their distance along this path.
    fn path(&self, head: usize) -> Result<Path, Diagnostic> {
        let refused = |key: String, cause: &dyn std::fmt::Display| {
            self.file
                .document
                .diagnostic(&key, DiagnosticKind::Refused { cause: cause.to_string() })
        };
        let driver = &self.file.scenario.vehicle[head].driver;
        let config::DriverConfig::Path { waypoints, at_end, .. } = driver else {
            return Err(refused(format!("vehicle[{head}].driver"), &NO_PATH));
        };
        let key = format!("vehicle[{head}].driver.waypoints");
        let curve = Path::smooth(waypoints, PATH_SPACING);
        let curve = curve.map_err(|error| refused(key.clone(), &error))?;
        let points = curve.points();
        let first = points[0];
        let back = self.lengths_behind[head] + MARGIN_BEHIND;
        let [dx, dy] = curve.direction(0);
        let mut all = vec![[first[0] - back * dx, first[1] - back * dy]];
        all.extend_from_slice(points);
        if *at_end == PathEnd::Continue {
            let [x, y] = points[points.len() - 1];
            let [dx, dy] = curve.direction(points.len() - 2);
            all.push([x + LENGTH_AHEAD * dx, y + LENGTH_AHEAD * dy]);
        }
        Path::polyline(&all).map_err(|error| refused(key, &error))
    }
}
