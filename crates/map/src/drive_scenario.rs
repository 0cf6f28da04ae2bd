//! Scenarios of the drives of a map: on planes, and over the ground itself.

use super::cover::{GroundCover, StraightPath};
use super::map_file::MapFile;
use super::speed_observers::MAX_DRIVE_LENGTH;
use bekker_ground::soil::SoilKind;
use bekker_math::numeric::{atan2, hypot};
use bekker_scenario::Scenario;
use bekker_scenario::config::{self, DriverConfig, PathEnd, SurfaceConfig};
use bekker_vehicle::Locks;

/// Name of a soil at a strength other than its nominal strength.
const ADJUSTED_SOIL: &str = "soil at strength";
/// Name of the catalog's firm ground.
const FIRM: &str = "rigid";
/// Length of the path beyond the part that is driven, m.
const LENGTH_BEYOND: f64 = 60.0;
/// Distance from the end of a drive's path to the edge of the ground, m.
const EDGE_MARGIN: f64 = 0.5;
/// Distance driven before a cell, m.
///
/// Over it the engine and the converter reach their steady speeds, the driver applies the throttle,
/// and the rear wheels enter the ruts of the front wheels.
const LEAD_IN: f64 = 10.0;

impl MapFile {
    /// Returns a drive straight ahead on a plane of one cover at a strength.
    ///
    /// The plane rises with the slope `along` the path and `across` it to the left, rise over run,
    /// and has the roughness of the map. `held` limits the driver's speed, m/s, in addition to the
    /// map's limit.
    pub fn on_plane(
        &self,
        cover: &GroundCover,
        held: f64,
        strength: f64,
        [along, across]: [f64; 2],
    ) -> Scenario {
        let line = StraightPath { from: [0.0; 2], towards: [1.0, 0.0], length: MAX_DRIVE_LENGTH };
        let mut scenario = self.drive(cover, held, strength, line, f64::INFINITY);
        let own = self.base.scenario.terrain.stamp.len();
        scenario.terrain.stamp.drain(..own);
        scenario.terrain.surface = SurfaceConfig::Slope {
            elevation: 0.0,
            grade: hypot(along, across),
            uphill_deg: atan2(across, along).to_degrees(),
        };
        scenario
    }

    /// Returns a drive over a level plane of firm ground with the roughness of a cover.
    ///
    /// The ground is the cover's own soil if that is firm, else a firm road.
    pub fn on_firm(&self, cover: &GroundCover) -> Scenario {
        let bare = GroundCover { roughness: cover.roughness, ..GroundCover::bare(cover.soil) };
        let mut scenario = self.on_plane(&bare, f64::INFINITY, 1.0, [0.0; 2]);
        if matches!(self.soil_of(cover).kind, SoilKind::Deformable(_)) {
            scenario.soil = config::SoilMapConfig {
                default: FIRM.into(),
                strength: None,
                raster: None,
                zone: Vec::new(),
                custom: Vec::new(),
            };
        }
        scenario
    }

    /// Returns a drive straight over the ground itself, across a cell's length about a point.
    ///
    /// `towards` is a unit vector. The drive is on one cover at a strength. `held` limits the
    /// speed, m/s, in addition to the map's limit. It starts `lead_in` m before the cell.
    pub fn on_ground(
        &self,
        cover: &GroundCover,
        held: f64,
        strength: f64,
        center: [f64; 2],
        towards: [f64; 2],
        lead_in: f64,
    ) -> Scenario {
        let from = self.entry(center, towards);
        let length_ahead =
            distance_to_edge(self.land.terrain.bounds(), from, towards) - EDGE_MARGIN;
        let line = StraightPath { from, towards, length: self.config.cell };
        let mut scenario = self.drive(cover, held, strength, line, length_ahead);
        let start = [0, 1].map(|k| from[k] - lead_in * towards[k]);
        scenario.vehicle[0].position = start;
        if let DriverConfig::Path { waypoints, .. } = &mut scenario.vehicle[0].driver {
            waypoints[0] = start;
        }
        scenario
    }

    /// Returns the distance before a cell at which a drive over the ground itself starts, m.
    ///
    /// It is reduced at the edge of the ground.
    pub(super) fn lead_in(&self, center: [f64; 2], towards: [f64; 2]) -> f64 {
        let from = self.entry(center, towards);
        let behind = distance_to_edge(self.land.terrain.bounds(), from, towards.map(|part| -part));
        LEAD_IN.min(0.5 * behind).max(0.0)
    }

    /// Returns the point at which a drive enters a cell with a center, in a direction.
    fn entry(&self, center: [f64; 2], towards: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|k| center[k] - 0.5 * self.config.cell * towards[k])
    }

    /// Returns a drive along a path.
    ///
    /// `held` limits the driver's speed, m/s; `length_ahead` is the length of the ground ahead, m.
    fn drive(
        &self,
        cover: &GroundCover,
        held: f64,
        strength: f64,
        line: StraightPath,
        length_ahead: f64,
    ) -> Scenario {
        let StraightPath { from, towards, length } = line;
        let reach = (length + LENGTH_BEYOND).min(length_ahead);
        let to = [0, 1].map(|k| from[k] + reach * towards[k]);
        let mut vehicle = self.base.scenario.vehicle[0].clone();
        vehicle.position = from;
        vehicle.heading_deg = atan2(towards[1], towards[0]).to_degrees();
        let speed = self.config.speed.min(held);
        vehicle.speed = self.config.entry_speed.min(speed);
        vehicle.driver = path(vec![from, to], speed, PathEnd::Continue);
        let mut terrain = self.base.scenario.terrain.clone();
        terrain.roughness = cover.roughness.or(terrain.roughness);
        terrain.stamp.extend(cover.ridges.iter().flat_map(|own| own.across_path(&line)));
        Scenario {
            terrain,
            scenery: cover.stems.iter().map(|own| own.along_path(&line)).collect(),
            soil: config::SoilMapConfig {
                default: ADJUSTED_SOIL.into(),
                // the friction of firm ground in the table already has the factor
                strength: match self.soil_of(cover).kind {
                    SoilKind::Firm { .. } => None,
                    SoilKind::Deformable(_) => self.config.soil.strength,
                },
                raster: None,
                zone: Vec::new(),
                custom: vec![self.soil_under(cover, strength, ADJUSTED_SOIL)],
            },
            vehicle: vec![vehicle],
            ..self.base.scenario.clone()
        }
    }
}

/// Returns the distance from a point of a rectangle to its edge along a unit vector, m.
fn distance_to_edge(bounds: [f64; 4], from: [f64; 2], towards: [f64; 2]) -> f64 {
    let to = |k: usize| {
        let edge = if towards[k] > 0.0 { bounds[k + 2] } else { bounds[k] };
        // no edge is reached along this axis
        if towards[k] == 0.0 { f64::INFINITY } else { (edge - from[k]) / towards[k] }
    };
    to(0).min(to(1))
}

/// Returns a driver along waypoints with a speed limit, m/s.
pub(super) fn path(waypoints: Vec<[f64; 2]>, speed: f64, at_end: PathEnd) -> DriverConfig {
    let (look_ahead, start, stop, reverse) = (None, 0.0, None, false);
    DriverConfig::Path {
        waypoints,
        speed,
        look_ahead,
        start,
        stop,
        reverse,
        at_end,
        lateral_acceleration: None,
        acceleration: None,
        slip_limit: None,
        locks: Locks::OPEN,
    }
}
