//! The navigator of an autonomous vehicle, configured for the vehicle and its sensors.

use super::world::BuildContext;
use super::{BuiltMeshes, BuiltTerrain, SoilTable};
use crate::ScenarioFile;
use crate::config::{DriverConfig, LocalizationKind};
use bekker_agent::{AnyVehicle, Autonomy, GroundVehicle, Stopwatch};
use bekker_autonomy::costs::CostModel;
use bekker_autonomy::elevation_map::MapModel;
use bekker_autonomy::localization::{FilterModel, Inertial};
use bekker_autonomy::obstacles::ObstacleModel;
use bekker_autonomy::recovery::RecoveryModel;
use bekker_autonomy::smoothing::SmoothingModel;
use bekker_autonomy::spline::SplineModel;
use bekker_autonomy::tracking::TrackingModel;
use bekker_autonomy::{Localizer, Navigator, Protrusions, RouteModel, SensorRole, VehicleGeometry};
use bekker_ground::soil::{Soil, SoilKind};
use bekker_math::spatial::Pose;
use bekker_sensor::{Model, Sensor};
use bekker_vehicle::AnySpec;
use bekker_vehicle::driver::SteeringGeometry;
use bekker_vehicle::spec::VehicleFootprint;
use bekker_world::drawn_hull;
use std::sync::Arc;

/// Required clearance above a vehicle, m.
const HEADROOM: f64 = 0.3;
/// Distance to the goal at which an autonomous vehicle has arrived, over that of a path driver.
const ARRIVAL_RATIO: f64 = 3.0;
/// Its lower limit, m: cells of the planner's map and points of its paths are up to 0.5 m apart.
const MIN_ARRIVAL: f64 = 1.0;
/// Ratio of the assumed IMU errors to its noise.
///
/// It covers scale and alignment errors, which the filter does not estimate.
const MARGIN: f64 = 2.0;
/// Minimum assumed deceleration, m/s²: a vehicle without brakes could not drive at all.
const MIN_BRAKING: f64 = 0.2;
/// Additional cost per meter for a slip of 1 and a sinkage of 1 m, for a soil-aware driver.
const SOIL_COSTS: [f64; 2] = [4.0, 20.0];

/// Builds the navigator of the vehicle `index`, if it is autonomous.
///
/// The cross-checks ensure that the required sensors exist.
pub(super) fn autonomy(
    file: &ScenarioFile,
    index: usize,
    spec: &AnySpec,
    vehicle: &AnyVehicle,
    start: &Pose,
    sensors: &[Sensor],
    context: BuildContext<'_>,
) -> Option<Arc<Autonomy>> {
    let BuildContext { land, soils, meshes } = context;
    let DriverConfig::Autonomous {
        goal,
        speed,
        localization,
        latency,
        cell,
        obstacle_slope,
        margin,
        braking,
        soil_aware,
    } = file.scenario.vehicle[index].driver
    else {
        return None;
    };
    let first = |is: fn(&Model) -> bool| sensors.iter().position(|own| is(&own.model));
    let lidar = first(|model| matches!(model, Model::Lidar(_)))?;
    let truth = localization == LocalizationKind::Truth;
    let imu = first(|model| matches!(model, Model::Imu(_)));
    let gps = first(|model| matches!(model, Model::Gps(_)));
    let odometry = first(|model| matches!(model, Model::Odometry)).filter(|_| truth);
    // the first sensor of each kind, regardless of where others are mounted
    let role = |(at, own): (usize, &Sensor)| match own.model {
        Model::Imu(_) => Some(SensorRole::Imu).filter(|_| imu == Some(at)),
        Model::Gps(_) => Some(SensorRole::Gps).filter(|_| gps == Some(at)),
        Model::Odometry => Some(SensorRole::Odometry).filter(|_| odometry == Some(at)),
        Model::Terramechanics => Some(SensorRole::Ground),
        _ => None,
    };
    let roles: Vec<Option<SensorRole>> = sensors.iter().enumerate().map(role).collect();
    let ground = land.terrain.height(start.position.x, start.position.y) - start.position.z;
    let top = vehicle.outline().hulls.iter().map(|hull| hull.center.z + hull.shape.half().z);
    let geometry = match spec {
        AnySpec::Wheeled(spec) => SteeringGeometry::from_spec(spec),
        AnySpec::Tracked(spec) => SteeringGeometry::from_tracked_spec(spec),
    };
    let footprint = vehicle.footprint();
    let body = VehicleGeometry {
        footprint,
        ground,
        clearance: top.fold(1.0, f64::max) - ground + HEADROOM,
        geometry,
        protrusions: protrusions(&footprint, index, vehicle, meshes),
    };
    let gravity = vehicle.gravity();
    let default_tracking = TrackingModel { gravity, ..TrackingModel::at_most(speed) };
    let max_braking = vehicle.full_braking(least_friction(soils));
    let braking = braking.unwrap_or(default_tracking.braking.min(max_braking).max(MIN_BRAKING));
    let [west, south, east, north] = land.terrain.bounds();
    let bounded = [west, south, east, north].iter().all(|bound| bound.is_finite());
    let slipping = if soil_aware { SOIL_COSTS } else { [0.0; 2] };
    let navigator = Navigator {
        body,
        lidar: sensors[lidar].mount,
        goals: goal.into_iter().collect(),
        arrival: (ARRIVAL_RATIO * geometry.arrival_distance()).max(MIN_ARRIVAL),
        bounds: bounded.then_some([[west, south], [east, north]]),
        gaps: land.terrain.shared_gaps(),
        localizer: localizer(sensors, &roles, truth, land, gravity)?,
        map: MapModel { cell, ..MapModel::default() },
        obstacles: ObstacleModel { in_cell_slope: obstacle_slope, ..ObstacleModel::default() },
        costs: CostModel {
            margin,
            slip: slipping[0],
            sinkage: slipping[1],
            ..CostModel::default()
        },
        route: RouteModel::default(),
        smoothing: SmoothingModel::default(),
        spline: SplineModel::default(),
        tracking: default_tracking.with_braking(braking),
        recovery: RecoveryModel::at_most(speed),
    };
    let latency_us = (1e6 * latency).round() as u64;
    let stopwatch = Stopwatch::default();
    Some(Arc::new(Autonomy { navigator, roles, lidar, latency_us, goal, stopwatch }))
}

/// The parts of a vehicle outside its footprint that lidars may hit.
fn protrusions(
    footprint: &VehicleFootprint,
    index: usize,
    vehicle: &AnyVehicle,
    meshes: &BuiltMeshes,
) -> Protrusions {
    let imported = &meshes.imported;
    let drawn;
    let hull = match imported.visuals.get(index).and_then(|own| own.hull) {
        Some(hull) => &imported.meshes[hull],
        None => {
            drawn = drawn_hull(vehicle);
            &drawn
        }
    };
    Protrusions::new(footprint, hull.faces().map(|(corners, ..)| corners))
}

/// Lowest friction coefficient of the firm soils.
fn least_friction(soils: &SoilTable) -> f64 {
    let friction = |soil: &Soil| match soil.kind {
        SoilKind::Firm { friction } => Some(friction),
        SoilKind::Deformable(_) => None,
    };
    soils.soils().iter().filter_map(friction).fold(f64::INFINITY, f64::min)
}

/// The source of the vehicle's position estimate.
fn localizer(
    sensors: &[Sensor],
    roles: &[Option<SensorRole>],
    truth: bool,
    land: &BuiltTerrain,
    gravity: f64,
) -> Option<Localizer> {
    let of = |role: SensorRole| {
        let at = roles.iter().position(|own| *own == Some(role))?;
        sensors.get(at)
    };
    if truth {
        return Some(Localizer::from_odometry(of(SensorRole::Odometry)?.mount));
    }
    let (imu, gps) = (of(SensorRole::Imu)?, of(SensorRole::Gps)?);
    let (Model::Imu(errors), Model::Gps(service)) = (&imu.model, &gps.model) else { return None };
    Some(Localizer::from_filter(Inertial {
        model: FilterModel::from_sensors(errors, service, MARGIN, gravity),
        site: *land.site.as_ref()?,
        imu: imu.mount,
        antenna: gps.mount.position,
    }))
}
