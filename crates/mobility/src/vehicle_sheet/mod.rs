//! Data sheet of a vehicle: its statics on firm ground and on three soils, and derived properties.
//!
//! These are vibration, pull, turning and rollover properties, with warnings for unusual values.
//! Loads and sinkage are those of the simulated vehicle at rest. All else follows from closed forms
//! over its parameters, each documented where it is computed.

mod cone_index;
mod hull;
mod kinematics;
mod plausibility;
mod quarter_car;
mod tipping;
mod underside;

pub use cone_index::ConeIndexSheet;
pub use hull::HullSheet;
pub use kinematics::{AxleKinematics, WheelTravel};
pub use tipping::{BrakeHolding, HoldingLimit, Tipping};
pub use underside::UndersideSheet;

use crate::TractiveEffort;
use bekker_agent::{AnyVehicle, GroundVehicle, StartCondition};
use bekker_math::numeric::{GRAVITY, atan, cos, hypot, sin, tan};
use bekker_math::spatial::Pose;
use bekker_rig::ConeIndexVehicle;
use bekker_scenario::config::{DriverConfig, Scenario, SurfaceConfig, TimeConfig, VehicleConfig};
use bekker_scenario::{
    Diagnostic, DiagnosticKind, Diagnostics, ScenarioFile, SourceLocation, build,
};
use bekker_vehicle::AnySpec;
use bekker_vehicle::driver::TrailerGeometry;
use bekker_vehicle::powertrain::{EngineRating, TorqueBasis};
use bekker_vehicle::spec::{ArticulationLevers, MotorDriveSpec, VehicleFootprint, VehicleSpec};
use bekker_world::World;
pub use quarter_car::{QuarterCar, SpringRest};
use serde::Serialize;
use std::ops::Range;
use std::path::Path;

/// Firm ground, and the soils of the sheet.
const FIRM: &str = "rigid";
const SOILS: [&str; 3] = ["dry_sand_lll", "upland_sandy_loam", "lean_clay_32_wes"];
/// Speeds at which tractive effort is computed, km/h.
const SPEEDS: [f64; 8] = [0.0, 5.0, 10.0, 20.0, 30.0, 40.0, 60.0, 80.0];

/// Data sheet of a vehicle.
#[derive(Clone, Debug, Serialize)]
pub struct VehicleSheet {
    /// Its name.
    pub name: String,
    /// Mass of all bodies, kg.
    pub mass: f64,
    /// Whether it is in equilibrium on firm ground; otherwise loads are those at the moment of
    /// release.
    pub rests: bool,
    /// Axles from the front; empty for tracks.
    pub axles: Vec<AxleSheet>,
    /// Share of the weight, including a trailer's, on driven axles; `None` for tracks.
    pub driven: Option<f64>,
    /// Vibration properties of the hull of a tracked vehicle.
    pub hull: Option<HullSheet>,
    /// Sinkage on each soil.
    pub soils: Vec<RestSinkage>,
    /// Turning at full lock; `None` without steered wheels.
    pub turning: Option<Turning>,
    /// Rollover properties.
    pub roll: Roll,
    /// Rollover properties of its trailer alone.
    pub trailer_roll: Option<Roll>,
    /// Slopes along the vehicle on which it tips over.
    pub tipping: Tipping,
    /// Grade on which its brakes hold it on a road; `None` without brakes.
    pub holding: Option<BrakeHolding>,
    /// Clearance and angles of its underside; `None` if its file specifies no belly and no hulls.
    pub underside: Option<UndersideSheet>,
    /// Ground pressures and vehicle cone indices by formula.
    pub cone_index: ConeIndexSheet,
    /// Pull at speeds, and the grades for which it suffices; empty without a drive.
    pub effort: Vec<TractiveEffortPoint>,
    /// Top speed on level ground by the balance of tractive effort, km/h.
    pub top_speed: Option<f64>,
    /// Whether effort and top speed include air drag.
    pub air_drag: bool,
    /// Engine ratings; `None` for electric motors.
    pub engine: Option<EngineSheet>,
    /// Electric motors; `None` for an engine.
    pub motors: Option<MotorDriveSpec>,
    /// Warnings about unusual values.
    pub warnings: Vec<String>,
}

/// Greatest torque and power of an engine.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EngineSheet {
    /// At the crankshaft at full throttle.
    pub shaft: EngineRating,
    /// By the full-throttle curve alone.
    pub curve: EngineRating,
    /// Basis of the curve stated by the file; gross is assumed if `None`.
    pub basis: Option<TorqueBasis>,
}

/// An axle at rest on firm ground.
#[derive(Clone, Debug, Serialize)]
pub struct AxleSheet {
    /// Its name.
    pub name: String,
    /// Load of both wheels, N.
    pub load: f64,
    /// Share of the weight.
    pub share: f64,
    /// Distance between the center planes of the wheels, m.
    pub track: f64,
    /// Vibration on the springs; `None` without springs.
    #[serde(flatten)]
    pub springs: Option<QuarterCar>,
    /// Kinematics of the wheels; `None` for a trailer's axle and without springs.
    pub kinematics: Option<AxleKinematics>,
}

/// A vehicle at rest on a soil.
#[derive(Clone, Debug, Serialize)]
pub struct RestSinkage {
    /// Name of the soil.
    pub soil: String,
    /// Mean sinkage, m; `None` without equilibrium.
    ///
    /// It is that of the wheels of each axle, or of the road wheels of the left and right track.
    pub sinkage: Option<Vec<f64>>,
}

/// Turning at full lock without slip.
#[derive(Clone, Debug, Serialize)]
pub struct Turning {
    /// Mean angle of the first steered axle's wheels, with the linkage, or articulation angle,
    /// degrees.
    pub angle_deg: f64,
    /// Angle that the file states and drivers use, degrees.
    pub stated_deg: f64,
    /// Whether the frame is articulated instead of wheels being steered.
    pub is_articulated: bool,
    /// Radius of the center of the unsteered axles, or of the axles of the rear frame, m.
    pub rear_radius: f64,
    /// Diameter of the circle of the outer edge of the outer front wheel, m.
    pub circle: f64,
    /// The trailer on that circle, if there is one and it can follow.
    pub trailer: Option<TrailerTurning>,
}

/// A trailer behind a vehicle that turns at full lock without slip.
#[derive(Clone, Debug, Serialize)]
pub struct TrailerTurning {
    /// Radius of the center of its axles, m.
    pub rear_radius: f64,
    /// Articulation angle to the vehicle, degrees.
    pub articulation_deg: f64,
    /// Width of the ring swept by both, m.
    pub swept_width: f64,
}

/// Rollover properties with rigid springs.
#[derive(Clone, Debug, Serialize)]
pub struct Roll {
    /// Height of the center of mass above the ground, m.
    pub height: f64,
    /// Share of the weight on the left wheels.
    pub left: f64,
    /// Static stability factor.
    ///
    /// Half the track width, less the lateral offset of the center of mass, over the height of the
    /// center of mass.
    pub stability_factor: f64,
    /// Rollover side slope, degrees.
    pub side_slope_deg: f64,
}

/// Effort of the powertrain at a speed.
#[derive(Clone, Debug, Serialize)]
pub struct TractiveEffortPoint {
    /// Speed, km/h.
    pub speed: f64,
    /// Tractive effort at the rims, N.
    pub force: f64,
    /// Grade (rise over run) for which it suffices with unlimited grip; `None` if any grade.
    pub grade: Option<f64>,
}

impl VehicleSheet {
    /// Computes the sheet of a vehicle read from `file`, which faults name.
    ///
    /// # Errors
    /// The parts form no valid vehicle.
    pub fn new(file: &str, spec: &AnySpec) -> Result<VehicleSheet, Diagnostics> {
        let vehicle = assembled(file, spec)?;
        let mass = spec.total_mass();
        let RestState { rests, wheels, pose } = RestState::settle(&vehicle, FIRM)?;
        let axles = spec.wheeled().map_or_else(Vec::new, |own| axles(own, &wheels));
        let soils = SOILS
            .iter()
            .map(|soil| rest_sinkage(&vehicle, soil, spec))
            .collect::<Result<_, _>>()?;
        let turning = spec.wheeled().and_then(|own| {
            turning(own, kinematics::full_lock(own).unwrap_or_else(|| own.max_steer()))
        });
        let effort = TractiveEffort::new(spec);
        let engine = spec.powertrain().map(|own| &own.engine);
        let roll = roll(spec);
        let tipping = Tipping::new(spec, &axles, &roll);
        let underside = underside(spec, &axles, &pose);
        let top_speed = effort.as_ref().map(|effort| effort.speed(0.0) * 3.6);
        let mut sheet = VehicleSheet {
            name: spec.name().to_owned(),
            mass,
            rests,
            driven: spec.wheeled().map(|own| driven_share(own, &axles)),
            holding: BrakeHolding::new(spec, &axles, &roll, &tipping),
            tipping,
            cone_index: ConeIndexSheet::new(spec, underside.as_ref()),
            underside,
            axles,
            hull: spec.tracked().map(|own| HullSheet::new(own, &pose)),
            soils,
            turning,
            roll,
            trailer_roll: trailer_roll(spec),
            effort: effort.map_or_else(Vec::new, |effort| effort_curve(&effort, mass, top_speed)),
            top_speed,
            air_drag: spec.drag_area().is_some(),
            engine: engine.map(|engine| EngineSheet {
                shaft: engine.rating(),
                curve: engine.rating_of_curve(),
                basis: engine.torque_basis,
            }),
            motors: spec.wheeled().and_then(|own| own.motor_drive),
            warnings: Vec::new(),
        };
        sheet.warnings = plausibility::warnings(&sheet);
        Ok(sheet)
    }
}

/// Returns the vehicle for the relations of the cone index, with its clearance at rest on firm
/// ground.
///
/// # Errors
/// The parts form no valid vehicle.
pub fn cone_index_vehicle(spec: &AnySpec) -> Result<ConeIndexVehicle, Diagnostics> {
    let vehicle = assembled(spec.name(), spec)?;
    let RestState { wheels, pose, .. } = RestState::settle(&vehicle, FIRM)?;
    let loads: Vec<f64> =
        wheels.chunks(2).map(|pair| pair.iter().map(|wheel| wheel[0]).sum()).collect();
    let underside = UndersideSheet::new(spec, &pose, &loads);
    Ok(ConeIndexVehicle::from_spec(spec, underside.map(|own| own.clearance)))
}

/// Assembles a vehicle read from `file`, which faults name.
fn assembled(file: &str, spec: &AnySpec) -> Result<AnyVehicle, Diagnostics> {
    AnyVehicle::new(spec).map_err(|error| {
        let problem = DiagnosticKind::Refused { cause: error.to_string() };
        Diagnostic::new(SourceLocation::File(file.into()), "", None, problem).into()
    })
}

fn underside(spec: &AnySpec, axles: &[AxleSheet], pose: &Pose) -> Option<UndersideSheet> {
    let loads: Vec<f64> = axles.iter().map(|axle| axle.load).collect();
    UndersideSheet::new(spec, pose, &loads)
}

/// State of a vehicle placed on a soil.
#[derive(Default)]
struct RestState {
    /// Whether the state is in equilibrium.
    rests: bool,
    /// Load, N, and sinkage, m, of each wheel.
    wheels: Vec<[f64; 2]>,
    /// Pose of the chassis.
    pose: Pose,
}

impl RestState {
    fn settle(vehicle: &AnyVehicle, soil: &str) -> Result<RestState, Diagnostics> {
        let mut standing = Scenario::new("standing", soil, TimeConfig::with_duration(1.0));
        standing.terrain.surface = SurfaceConfig::Flat { elevation: 0.0 };
        // the vehicle of the sheet, which need not be in a file, replaces this one
        standing.vehicle.push(VehicleConfig::new(
            "own",
            "gator",
            DriverConfig::Hold { brake: 1.0 },
        ));
        let file = ScenarioFile::from_scenario(&standing, Path::new(""))?;
        let mut model = build::world(&file)?.world;
        let start = vehicle.resting_pose(model.ground.terrain(), 0.0, 0.0, 0.0);
        for agent in &mut model.agents {
            (agent.vehicle, agent.start) = (vehicle.clone(), start);
        }
        let mut world = World::new(model);
        let rests = world.start_conditions() == [StartCondition::Equilibrium];
        world.advance();
        let Some(sample) = world.samples().next() else { return Ok(RestState::default()) };
        let wheels = sample.wheels.iter().map(|wheel| [wheel.load, wheel.sinkage]).collect();
        Ok(RestState { rests, wheels, pose: sample.pose })
    }
}

fn rest_sinkage(
    vehicle: &AnyVehicle,
    soil: &str,
    spec: &AnySpec,
) -> Result<RestSinkage, Diagnostics> {
    let RestState { rests, wheels, .. } = RestState::settle(vehicle, soil)?;
    let mean = |group: &[[f64; 2]]| {
        group.iter().map(|wheel| wheel[1]).sum::<f64>() / group.len().max(1) as f64
    };
    // wheels are ordered left before right by axle, road wheels likewise by station
    let side =
        |side: usize| -> Vec<[f64; 2]> { wheels.iter().skip(side).step_by(2).copied().collect() };
    let sinkage = rests.then(|| match spec.wheeled() {
        Some(_) => wheels.chunks(2).map(mean).collect(),
        None => [0, 1].map(|n| mean(&side(n))).to_vec(),
    });
    Ok(RestSinkage { soil: soil.to_owned(), sinkage })
}

fn axles(own: &VehicleSpec, firm: &[[f64; 2]]) -> Vec<AxleSheet> {
    let weight = own.total_mass() * GRAVITY;
    let moved = kinematics::kinematics(own);
    moved
        .into_iter()
        .enumerate()
        .map(|(index, kinematics)| {
            let axle = &own.axles[index];
            let load: f64 = firm.iter().skip(2 * index).take(2).map(|wheel| wheel[0]).sum();
            let springs = QuarterCar::new(own, index, 0.5 * load);
            let track = 2.0 * (axle.position[1] + axle.suspension.spindle()[1]);
            let (name, share) = (axle.name.clone(), load / weight);
            AxleSheet { name, load, share, track, springs, kinematics }
        })
        .collect()
}

/// Returns the share of the weight on driven axles.
fn driven_share(own: &VehicleSpec, axles: &[AxleSheet]) -> f64 {
    let loads = axles.iter().enumerate();
    loads.filter(|&(index, _)| own.is_driven(index)).map(|(_, axle)| axle.share).sum()
}

/// Computes Ackermann's geometry about the line of the unsteered axles at an angle, rad.
fn turning(own: &VehicleSpec, angle: f64) -> Option<Turning> {
    if let Some(levers) = own.articulation_levers() {
        return Some(articulated_turning(own, &levers));
    }
    let index = own.axles.iter().position(|axle| axle.steered)?;
    let axle = &own.axles[index];
    let lever = axle.wheel_x() - own.turning_line();
    let rear_radius = (lever / tan(angle)).abs();
    let edge = axle.suspension.spindle()[1] + 0.5 * own.tire_of(index).handling.width;
    let circle = 2.0 * hypot(rear_radius + edge, lever);
    let trailer = trailer_turning(own, rear_radius, 0.5 * circle);
    let [angle_deg, stated_deg] = [angle, own.max_steer()].map(f64::to_degrees);
    Some(Turning { angle_deg, stated_deg, is_articulated: false, rear_radius, circle, trailer })
}

/// Computes the circle of an articulated vehicle about the intersection of the lines of both frames'
/// axles.
fn articulated_turning(own: &VehicleSpec, levers: &ArticulationLevers) -> Turning {
    let (angle, ArticulationLevers { joint, front, rear }) = (own.max_steer(), *levers);
    let [front_radius, rear_radius] =
        [[front, rear], [rear, front]].map(|[a, b]| (a * cos(angle) + b) / sin(angle));
    let axle = &own.axles[0];
    let edge = axle.suspension.spindle()[1] + 0.5 * own.tire_of(0).handling.width;
    let circle = 2.0 * hypot(front_radius + edge, axle.wheel_x() - joint - front);
    let angle_deg = angle.to_degrees();
    let (stated_deg, is_articulated) = (angle_deg, true);
    Turning { angle_deg, stated_deg, is_articulated, rear_radius, circle, trailer: None }
}

/// Computes the circle of a trailer about the same center.
fn trailer_turning(own: &VehicleSpec, rear: f64, outermost: f64) -> Option<TrailerTurning> {
    let trailer = own.trailer.as_ref()?;
    let geometry = TrailerGeometry::from_spec(own)?;
    let rear_radius = geometry.axle_radius(rear)?;
    let articulation = -geometry.steady_articulation(1.0 / rear_radius);
    let inside = rear_radius - 0.5 * VehicleFootprint::from_trailer(own, trailer).width;
    (articulation <= geometry.most).then(|| TrailerTurning {
        rear_radius,
        articulation_deg: articulation.to_degrees(),
        swept_width: outermost - inside,
    })
}

/// Computes the rollover properties of a vehicle without its trailer.
///
/// The static stability factor is the tangent of the side slope, and the lateral acceleration over
/// gravity, at which the inner wheels lift. All unsprung mass is assumed at the height of the wheel
/// centers.
fn roll(spec: &AnySpec) -> Roll {
    match spec {
        AnySpec::Wheeled(own) => {
            let mass = own.total_mass() - own.trailer_mass();
            let (carried, z) = own.carried_mass();
            let y = own.chassis.com[1] * own.chassis.mass / carried;
            on_axles(own, 0..own.tractor_axles().len(), mass, (carried, [y, z]))
        }
        AnySpec::Tracked(own) => {
            let above = own.road_wheel.radius + own.shoe_depth();
            let sprung = own.chassis.mass / spec.total_mass();
            let [_, aside, z] = own.chassis.com;
            rollover(own.gauge(), aside * sprung, above + (z - own.wheel_height) * sprung)
        }
    }
}

/// Computes the rollover properties of a trailer alone on a ball hitch; a fifth wheel rolls with
/// its tractor.
fn trailer_roll(spec: &AnySpec) -> Option<Roll> {
    let own = spec.wheeled()?;
    let trailer = own.trailer.as_ref()?;
    let [_, y, z] = [0, 1, 2].map(|k| trailer.coupling[k] + trailer.chassis.com[k]);
    let sprung = (trailer.chassis.mass, [y, z]);
    let axles = own.tractor_axles().len()..own.axles.len();
    Some(on_axles(own, axles, own.trailer_mass(), sprung))
}

/// Computes the rollover properties of a part of a vehicle on some of its axles.
///
/// Its sprung mass is at y and z of the chassis frame.
fn on_axles(
    own: &VehicleSpec,
    axles: Range<usize>,
    mass: f64,
    (sprung, [aside, com]): (f64, [f64; 2]),
) -> Roll {
    let count = axles.len().max(1) as f64;
    let [half, height, radius] = axles.fold([0.0; 3], |sum, index| {
        let axle = &own.axles[index];
        let [_, y, z] = axle.suspension.spindle();
        let radius = own.tire_of(index).rigid.radius();
        [sum[0] + y, sum[1] + axle.position[2] + z, sum[2] + radius]
    });
    let com = com - height / count;
    let share = sprung / mass;
    rollover(2.0 * half / count, aside * share, radius / count + com * share)
}

/// Computes the rollover properties of a center of mass with a height and a lateral offset `aside`.
///
/// The vehicle tips over the nearer side.
fn rollover(track: f64, aside: f64, height: f64) -> Roll {
    let stability_factor = (0.5 * track - aside.abs()) / height;
    Roll {
        height,
        left: 0.5 + aside / track,
        stability_factor,
        side_slope_deg: atan(stability_factor).to_degrees(),
    }
}

fn effort_curve(
    effort: &TractiveEffort<'_>,
    mass: f64,
    top_speed: Option<f64>,
) -> Vec<TractiveEffortPoint> {
    let reached = |speed: &f64| *speed <= top_speed.unwrap_or(0.0);
    let at = |speed: f64| TractiveEffortPoint {
        speed,
        force: effort.relative_effort(speed / 3.6) * mass * GRAVITY,
        grade: effort.grade(speed / 3.6),
    };
    SPEEDS.into_iter().filter(reached).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::{catalog, find_vehicle};

    #[test]
    fn vehicles_of_the_catalog_are_nothing_out_of_the_usual() {
        for entry in catalog() {
            // Chrono's dampers of the HMMWV and of its derivatives are known to be strong
            let spec = find_vehicle(entry.key).unwrap();
            let sheet = VehicleSheet::new(entry.key, &spec).unwrap();
            let weight = sheet.mass * GRAVITY;
            let loads: f64 = sheet.axles.iter().map(|axle| axle.load).sum();
            // the equilibrium is accurate to a few thousandths
            assert!(sheet.axles.is_empty() || (loads / weight - 1.0).abs() < 5e-3, "{loads}");
            assert!(sheet.rests && sheet.soils.iter().all(|soil| soil.sinkage.is_some()));
            // robots and forwarders have no springs, for which their files have stiff ones
            let has_springs = spec
                .wheeled()
                .is_none_or(|own| own.motor_drive.is_none() && own.articulation().is_none());
            for axle in sheet.axles.iter().filter(|_| has_springs) {
                println!("{} {axle:.2?}", entry.key);
                let Some(own) = &axle.springs else { continue };
                assert!((0.7..4.0).contains(&own.bounce), "{}: {axle:?}", entry.key);
                assert!((4.0..20.0).contains(&own.hop), "{}: {axle:?}", entry.key);
            }
            if let Some(hull) = &sheet.hull {
                println!("{} {hull:.3?}", entry.key);
                // the range of axles; Chrono's bars of the M113 are stiff
                assert!((0.7..4.0).contains(&hull.bounce), "{}: {hull:?}", entry.key);
                assert!((0.5..4.0).contains(&hull.pitch), "{}: {hull:?}", entry.key);
            }
            println!("{} {:?} {:?}", entry.key, sheet.roll, sheet.warnings);
            assert!((0.5..2.5).contains(&sheet.roll.stability_factor), "{}", entry.key);
        }
    }

    /// By hand for the HMMWV: 3.302 m, 26.3 degrees, wheels 1.8194 m apart and 0.3175 m wide.
    #[test]
    fn it_turns_by_ackermann_s_geometry() {
        let spec = find_vehicle("hmmwv").unwrap();
        let own = spec.wheeled().unwrap();
        let turning = turning(own, own.max_steer()).unwrap();
        // wheels 3.30198 m apart over tan 26.3°, and the outer edge 1.06845 m beyond
        assert!((turning.rear_radius - 6.6809).abs() < 1e-3, "{turning:?}");
        let circle = 2.0 * (6.6809_f64 + 1.06845).hypot(3.30198);
        assert!((turning.circle - circle).abs() < 3e-3, "{turning:?}");
    }
}
