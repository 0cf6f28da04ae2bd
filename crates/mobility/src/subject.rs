//! Vehicle under test, and its trials.

use super::SearchEffort;
use bekker_agent::{GroundVehicle, OutcomeCode, OutcomeReport, Sample, VehicleSummary};
use bekker_ground::soil::{SoilKind, catalog};
use bekker_math::numeric::hypot;
use bekker_math::spatial::Vec3;
use bekker_ranks::Flow;
use bekker_scenario::build::{AssetCache, vehicle_spec, vehicle_specs, world_with_assets};
use bekker_scenario::config::{DriverConfig, PathEnd, TableRow, TimeConfig, VehicleConfig};
use bekker_scenario::{Diagnostics, Scenario, ScenarioFile, is_vehicle_file};
use bekker_vehicle::driver::SteeringGeometry;
use bekker_vehicle::spec::VehicleFootprint;
use bekker_vehicle::{AnySpec, Locks, VehicleSpec};
use bekker_world::World;
use std::path::Path;
use thiserror::Error;

/// Name of the catalog's firm ground.
pub(super) const ROAD: &str = "rigid";
/// Meters per second in a kilometer per hour.
pub(super) const KMH: f64 = 1.0 / 3.6;
/// Length of the driver's path beyond the distance driven, m, so that the driver does not slow
/// down.
const WAY_AHEAD: f64 = 50.0;

/// Reasons why an event has no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MobilityError {
    /// A scenario or the vehicle file was refused.
    #[error(transparent)]
    Scenario(#[from] Diagnostics),
    /// The state of a trial was no longer finite.
    #[error("{trial}: {sentence}")]
    Failed {
        /// Name of the trial's scenario.
        trial: String,
        /// Description of the failure.
        sentence: String,
    },
}

/// Vehicle under test.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name of the model in scenarios: a catalog name or a file.
    pub model: String,
    /// Contents of the vehicle file.
    pub spec: AnySpec,
    /// Dimensions.
    pub geometry: VehicleDimensions,
    /// Whether all trials use half the time step and half the node spacing.
    ///
    /// Results that change with it had not converged.
    pub refined: bool,
    /// Soils of the catalog for events on soil; if empty, each event uses its own list.
    pub soils: Vec<String>,
    /// Rating cone index, Pa, for a comparison of NRMM's and VTI's relations with drives on soil.
    pub cone_index: Option<f64>,
    /// Tire model, inflation, payload and changes that replace those of the vehicle file.
    variant: Option<VehicleConfig>,
    assets: AssetCache,
}

/// Dimensions of a vehicle on level ground in its design position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VehicleDimensions {
    /// Wheelbase, or contact length of the tracks, and other steering parameters.
    pub steering: SteeringGeometry,
    /// Ground area covered.
    pub footprint: VehicleFootprint,
    /// Mass of all bodies, kg.
    pub mass: f64,
    /// Distance between the center planes of left and right wheels or tracks, m.
    pub gauge: f64,
    /// Height of the center of mass above the ground, m.
    ///
    /// It combines the chassis's center of mass with all other masses at the height of the wheel
    /// centers.
    pub center_of_mass: f64,
    /// Front axle load of a vehicle with two axles.
    pub front_axle: Option<FrontAxle>,
    /// Radius of the wheels, or of the road wheels with the track below them, m.
    pub wheel_radius: f64,
    /// Position of the driver's eyes in the chassis frame, m; zero if the file does not specify it.
    pub driver: Vec3,
}

/// Front axle load of a vehicle with two axles, which decreases uphill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontAxle {
    /// Fraction of the weight on the front axle on level ground.
    share: f64,
    /// Height of the center of mass over the wheelbase.
    height: f64,
}

impl FrontAxle {
    fn new(spec: &VehicleSpec, mass: f64, height: f64) -> Option<FrontAxle> {
        let [front, rear] = &spec.axles[..] else { return None };
        let (front, rear) = (front.wheel_x(), rear.wheel_x());
        // unsprung mass is assumed to be evenly distributed over the axles
        let chassis = spec.chassis.mass / mass;
        let middle = chassis * spec.chassis.com[0] + (1.0 - chassis) * 0.5 * (front + rear);
        let wheelbase = front - rear;
        Some(FrontAxle { share: (middle - rear) / wheelbase, height: height / wheelbase })
    }

    /// Returns the steepest grade that a vehicle climbs with all differentials open.
    ///
    /// Each axle provides what the front axle can hold: tan θ = 2 μ s/(1 + 2 μ h/L), with s the
    /// front axle's share of the weight on level ground.
    pub fn grade(&self, friction: f64) -> f64 {
        2.0 * friction * self.share / (1.0 + 2.0 * friction * self.height)
    }
}

/// Result of a trial.
pub(super) struct EventRun {
    /// Outcome.
    pub outcome: OutcomeReport,
    /// Summary of the vehicle.
    pub summary: VehicleSummary,
}

impl Subject {
    /// Creates a subject from a catalog vehicle or a file, whose path is relative to `folder`.
    ///
    /// # Errors
    /// Unknown names and every fault of a file.
    pub fn new(model: &str, folder: &Path) -> Result<Subject, MobilityError> {
        let spec = vehicle_spec(model, folder)?;
        // catalog names are independent of the folder
        let model = match is_vehicle_file(model) {
            true => folder.join(model).display().to_string(),
            false => model.to_owned(),
        };
        let assets = AssetCache::default();
        let geometry = VehicleDimensions::new(&spec);
        let (refined, soils, cone_index, variant) = (false, Vec::new(), None, None);
        let mut subject =
            Subject { model, geometry, spec, refined, soils, cone_index, variant, assets };
        // building a world validates the whole file
        let world = subject.world(&subject.scenario("standing", 1.0, hold()))?;
        let vehicle = &world.model().agents[0].vehicle;
        if let Some(eye) = vehicle.driver_eye_point() {
            subject.geometry.driver = eye;
        }
        Ok(subject)
    }

    /// Applies the tires, inflation, payload and changes of a scenario's vehicle.
    ///
    /// # Errors
    /// Faults of the inflation, payload or changes.
    pub fn with_vehicle(self, vehicle: &VehicleConfig) -> Result<Subject, MobilityError> {
        let mut subject = Subject { variant: Some(vehicle.clone()), ..self };
        let standing = subject.scenario("standing", 1.0, hold());
        let file = ScenarioFile::from_scenario(&standing, Path::new(""))?;
        if let Some(spec) = vehicle_specs(&file)?.first() {
            let driver = subject.geometry.driver;
            subject.geometry = VehicleDimensions { driver, ..VehicleDimensions::new(spec) };
            subject.spec = AnySpec::clone(spec);
        }
        // payload and inflation are checked when a world is built
        subject.world(&standing)?;
        Ok(subject)
    }

    /// Returns the vehicle of the scenarios, at rest at the origin, for modification.
    pub fn as_vehicle(&self) -> VehicleConfig {
        self.vehicle("subject", hold())
    }

    /// Returns the soils of an event: those of the subject, or else `own`, only the first if quick.
    pub(super) fn event_soils<'a>(&'a self, effort: SearchEffort, own: &[&'a str]) -> Vec<&'a str> {
        match self.soils.is_empty() {
            true => effort.some(own).to_vec(),
            false => self.soils.iter().map(String::as_str).collect(),
        }
    }

    /// Creates a scenario with only this vehicle on a level road.
    pub(super) fn scenario(&self, name: &str, duration: f64, driver: DriverConfig) -> Scenario {
        let mut scenario = Scenario::new(name, ROAD, TimeConfig::with_duration(duration));
        scenario.vehicle.push(self.vehicle("subject", driver));
        scenario.ground.spacing *= self.wheel_scale();
        // a multiple of the heartbeats of all events
        scenario.output.interval = 0.04;
        scenario
    }

    /// Returns this vehicle at the origin, heading along x.
    pub(super) fn vehicle(&self, name: &str, driver: DriverConfig) -> VehicleConfig {
        let bare = VehicleConfig::new(name, &self.model, driver);
        match self.variant.clone() {
            Some(VehicleConfig { tire, inflation_kpa, payload, overrides, .. }) => {
                VehicleConfig { tire, inflation_kpa, payload, overrides, ..bare }
            }
            None => bare,
        }
    }

    /// Returns a scenario with the refinement of the subject.
    pub fn with_refinement(&self, scenario: &Scenario) -> Scenario {
        let mut driven = scenario.clone();
        if self.refined {
            driven.time.step *= 0.5;
            driven.ground.spacing *= 0.5;
        }
        driven
    }

    /// Builds the initial world of a scenario.
    pub(super) fn world(&self, scenario: &Scenario) -> Result<World, MobilityError> {
        let file = ScenarioFile::from_scenario(&self.with_refinement(scenario), Path::new(""))?;
        Ok(World::new(world_with_assets(&file, &self.assets)?.world))
    }

    /// Drives a scenario to its end, or until `watch` stops it.
    ///
    /// `watch` receives the state of the first vehicle after each heartbeat.
    pub(super) fn drive(
        &self,
        scenario: &Scenario,
        watch: impl FnMut(&Sample) -> Flow,
    ) -> Result<EventRun, MobilityError> {
        let mut world = self.world(scenario)?;
        self.drive_on(&mut world, scenario, watch)
    }

    /// Drives a scenario in an existing world, which keeps the final state.
    pub(super) fn drive_on(
        &self,
        world: &mut World,
        scenario: &Scenario,
        mut watch: impl FnMut(&Sample) -> Flow,
    ) -> Result<EventRun, MobilityError> {
        let clock = world.model().clock;
        let begun = world.state().tick;
        let end = begun + clock.ticks_in(scenario.time.duration);
        while world.state().tick < end && world.is_running() {
            world.advance();
            if world.samples().next().is_none_or(|sample| watch(&sample) == Flow::Stop) {
                break;
            }
        }
        let outcome = world.outcome(0);
        if outcome.code == OutcomeCode::Failed {
            let (trial, sentence) = (scenario.name.clone(), outcome.sentence);
            return Err(MobilityError::Failed { trial, sentence });
        }
        let summary = world.summary(&scenario.name, 0.0).vehicles.swap_remove(0);
        Ok(EventRun { outcome, summary })
    }

    /// Returns the weight, N.
    pub(super) fn weight(&self) -> f64 {
        self.geometry.mass * bekker_math::numeric::GRAVITY
    }
}

impl VehicleDimensions {
    fn new(spec: &AnySpec) -> VehicleDimensions {
        let footprint = spec.footprint();
        let (steering, gauge, wheel_radius, axle_height, chassis) = match spec {
            AnySpec::Wheeled(own) => {
                let places = own.axles.iter().map(|axle| {
                    let spindle = axle.suspension.spindle();
                    [axle.position[1] + spindle[1], axle.position[2] + spindle[2]]
                });
                let count = own.axles.len().max(1) as f64;
                let [half, height] =
                    places.fold([0.0; 2], |[y, z], place| [y + place[0].abs(), z + place[1]]);
                let radius = own.tire.rigid.radius();
                let gauge = 2.0 * half / count;
                (SteeringGeometry::from_spec(own), gauge, radius, height / count, &own.chassis)
            }
            AnySpec::Tracked(own) => {
                let radius = own.road_wheel.radius + own.shoe_depth();
                let steering = SteeringGeometry::from_tracked_spec(own);
                (steering, own.gauge(), radius, own.wheel_height, &own.chassis)
            }
        };
        let mass = spec.total_mass();
        let above_axles = chassis.com[2] - axle_height;
        let center_of_mass = wheel_radius + above_axles * chassis.mass / mass;
        let front_axle = spec.wheeled().and_then(|own| FrontAxle::new(own, mass, center_of_mass));
        VehicleDimensions {
            steering,
            footprint,
            mass,
            gauge,
            center_of_mass,
            front_axle,
            wheel_radius,
            driver: Vec3::zeros(),
        }
    }

    /// Returns the distance between the front and rear bumpers, m.
    pub(super) fn length(&self) -> f64 {
        self.footprint.length()
    }
}

/// Returns whether a soil of the catalog does not deform.
pub fn is_firm(soil: &str) -> bool {
    let own = catalog().find(soil).ok();
    own.is_some_and(|own| matches!(own.to_soil().kind, SoilKind::Firm { .. }))
}

/// Returns a driver that holds the brake.
pub(super) fn hold() -> DriverConfig {
    DriverConfig::Hold { brake: 1.0 }
}

/// Returns a driver with commands by time.
pub(super) fn table(rows: &[TableRow]) -> DriverConfig {
    DriverConfig::Table { rows: rows.to_vec(), acceleration: None }
}

/// Returns a driver with constant speed, m/s, and steering by time, s.
pub(super) fn constant_speed(speed: f64, steering: &[[f64; 2]]) -> DriverConfig {
    let row = |&[time, steering]: &[f64; 2]| TableRow {
        time,
        steering,
        speed: Some(speed),
        ..TableRow::default()
    };
    DriverConfig::Table { rows: steering.iter().map(row).collect(), acceleration: None }
}

/// Returns a driver along the x axis at a speed, m/s, over a distance, m, and beyond.
pub(super) fn straight_path(speed: f64, path: f64) -> DriverConfig {
    let waypoints = vec![[0.0, 0.0], [0.5 * path, 0.0], [path + WAY_AHEAD, 0.0]];
    along(waypoints, speed)
}

/// Returns a driver along waypoints at a speed, m/s, regardless of bends.
pub(super) fn along(waypoints: Vec<[f64; 2]>, speed: f64) -> DriverConfig {
    DriverConfig::Path {
        waypoints,
        speed,
        look_ahead: None,
        start: 0.0,
        stop: None,
        reverse: false,
        at_end: PathEnd::Continue,
        lateral_acceleration: Some(50.0),
        acceleration: None,
        slip_limit: None,
        locks: Locks::OPEN,
    }
}

/// Returns the horizontal distance between two points, m.
pub(super) fn distance(a: &Vec3, b: &Vec3) -> f64 {
    hypot(a.x - b.x, a.y - b.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_scenario::config::Payload;

    /// A catalog vehicle is found from any folder, such as that of a map.
    #[test]
    fn the_catalog_has_no_folder() {
        let subject = Subject::new("mrzr4", Path::new("somewhere/else")).unwrap();
        assert_eq!(subject.model, "mrzr4");
        let error = Subject::new("mrzr4.toml", Path::new("somewhere/else")).unwrap_err();
        assert!(error.to_string().starts_with("mrzr4.toml: cannot be read"), "{error}");
    }

    /// A payload adds to the weight and moves the center of mass.
    #[test]
    fn the_payload_adds_weight() {
        let bare = Subject::new("hmmwv", Path::new("")).unwrap();
        let high = Payload { mass: 500.0, position: [0.0, 0.0, 1.5], size: [0.0; 3] };
        let vehicle = VehicleConfig { payload: vec![high], ..bare.as_vehicle() };
        let laden = bare.clone().with_vehicle(&vehicle).unwrap();
        assert!((laden.geometry.mass - bare.geometry.mass - 500.0).abs() < 1e-6);
        assert!(laden.weight() > bare.weight());
        assert!(laden.geometry.center_of_mass > bare.geometry.center_of_mass + 0.02);
        let scenario = laden.scenario("trial", 1.0, hold());
        assert_eq!(scenario.vehicle[0].payload.len(), 1);
    }

    #[test]
    fn requested_soils_replace_those_of_an_event() {
        let mut subject = Subject::new("mrzr4", Path::new("")).unwrap();
        let [all, quick] = [false, true].map(|quick| SearchEffort { quick });
        assert_eq!(subject.event_soils(all, &["rigid", "mud"]), ["rigid", "mud"]);
        assert_eq!(subject.event_soils(quick, &["rigid", "mud"]), ["rigid"]);
        subject.soils = vec!["dry_sand_lll".into(), "mud".into()];
        assert_eq!(subject.event_soils(quick, &["rigid"]), ["dry_sand_lll", "mud"]);
    }
}
