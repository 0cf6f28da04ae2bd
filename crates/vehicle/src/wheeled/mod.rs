//! A wheeled vehicle: immutable model, plain state, one step.
//!
//! The step evaluates springs, dampers, stops, brakes, engine, converter and clutches. The caller
//! supplies the loads of the ground on the wheels, so this module is independent of the ground. The
//! multibody core then advances with a linearly implicit scheme.

mod brakes;
mod readings;
mod workspace;

pub use workspace::VehicleWorkspace;

use super::air;
use super::assembly::{AssemblyError, ClutchEngagement, DriveIndices, WheeledParts, assemble};
use super::controls::Controls;
use super::coupling::Coupling;
use super::drivetrain::Drivetrain;
use super::engine_drivetrain::{EngineDrivetrain, ThrustGearing};
use super::motor_drive::{MotorDrive, WheelMotorReading};
use super::outline::VehicleOutline;
use super::powertrain::{Brake, BrakeState, GearboxState};
use super::rear_frame::{self, RearFrameModel};
use super::spec::{Chassis, Tire, VehicleFootprint, VehicleSpec};
use super::state::VehicleState;
use super::tire::RingParameters;
use super::trailer::TrailerModel;
use super::transmission::friction;
use super::vehicle_bodies::VehicleBodies;
use crate::multibody::{ElementForce, MultibodyModel, MultibodyWorkspace, StepError};
use bekker_math::spatial::{Load, Pose, Vec3};

/// Fastest motion of the steering, full locks per second, as by a quick driver's hands.
///
/// The limit keeps a step of the command from causing a step of the linkage.
const STEERING_RATE: f64 = 5.0;

/// Immutable model of a wheeled vehicle.
#[derive(Clone, Debug)]
pub struct Vehicle {
    spec: VehicleSpec,
    parts: WheeledParts,
    bodies: VehicleBodies,
    drivetrain: Drivetrain,
    brakes: Vec<Brake>,
    /// Belts of the tires of each axle, for flexible tires.
    rings: Vec<Option<RingParameters>>,
    trailer: Option<TrailerModel>,
    /// Rear frame of an articulated vehicle.
    rear_frame: Option<RearFrameModel>,
}

/// Torques of driveline and brakes on a wheel in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WheelDrive {
    /// Torque of the half-shaft on the wheel, N m, positive forward.
    pub drive: f64,
    /// Torque of the brake on the wheel, N m.
    pub brake: f64,
}

impl Vehicle {
    /// Assembles a vehicle from its parameters.
    pub fn new(spec: VehicleSpec) -> Result<Vehicle, AssemblyError> {
        let (model, parts) = assemble(&spec)?;
        let brakes: Vec<Brake> = parts
            .wheels
            .iter()
            .map(|wheel| Brake { max_torque: spec.axles[wheel.axle].brake_torque })
            .collect();
        let ring = |axle: usize| {
            let tire = spec.tire_of(axle);
            tire.flexible.as_ref().map(|own| own.ring(tire.rigid.radius())).transpose()
        };
        let rings = (0..spec.axles.len()).map(ring).collect::<Result<_, _>>()?;
        // the outline of the vehicle excludes the trailer, which has its own
        let own = 2 * spec.tractor_axles().len();
        let centers = (0..own).map(|wheel| wheel_center(&spec, &parts, wheel));
        let centers: Vec<Vec3> = centers.collect();
        let footprint = VehicleFootprint::from_tractor(&spec);
        let (mass, radius) = (model.mass(), ride_radius(&spec));
        let outlined = mass - spec.trailer_mass();
        let sections = rear_frame::sections(&spec, outlined, &centers);
        let outline = match &sections {
            Some([front, _]) => VehicleOutline::new(
                &front.chassis,
                &front.footprint,
                front.mass,
                &front.wheels,
                radius,
            ),
            None => VehicleOutline::new(&spec.chassis, &footprint, outlined, &centers, radius),
        };
        let trailer = spec.trailer.as_ref().zip(parts.trailer.as_ref());
        let load = parts.wheels.len() + 1;
        let trailer = trailer
            .map(|(own, body)| TrailerModel::new(&spec, own, body, &parts.mounts, load, radius));
        let joint = spec.articulation().map(|(rear, _)| Vec3::from(rear.joint));
        let rear_frame = sections.zip(parts.rear_frame).zip(joint);
        let rear_frame = rear_frame.map(|(([_, section], body), joint)| {
            RearFrameModel::new(&section, body, load, joint, radius)
        });
        let brake_torque = brakes.iter().map(|brake| brake.max_torque).sum();
        let drivetrain = drivetrain(&spec, &parts, &model, [mass, radius], brake_torque)?;
        let (chassis, chassis_load) = (parts.chassis, parts.wheels.len());
        let bodies = VehicleBodies { model, chassis, mass, chassis_load, outline };
        Ok(Vehicle { spec, parts, bodies, drivetrain, brakes, rings, trailer, rear_frame })
    }

    /// Returns the vehicle under another acceleration of gravity, m/s².
    ///
    /// States and workspaces must be made from the returned vehicle.
    pub fn with_gravity(mut self, gravity: f64) -> Vehicle {
        self.bodies.model.set_gravity(gravity);
        self.drivetrain.set_gravity(gravity);
        self
    }

    /// Returns the bodies and joints.
    pub fn bodies(&self) -> &VehicleBodies {
        &self.bodies
    }

    /// Returns the drivetrain from the engine to the wheels.
    pub fn drivetrain(&self) -> &Drivetrain {
        &self.drivetrain
    }

    /// Returns the trailer, coupled or not.
    pub fn trailer(&self) -> Option<&TrailerModel> {
        self.trailer.as_ref()
    }

    /// Returns the rear frame of an articulated vehicle.
    pub fn rear_frame(&self) -> Option<&RearFrameModel> {
        self.rear_frame.as_ref()
    }

    /// Returns the parameters from which the vehicle was assembled.
    pub fn spec(&self) -> &VehicleSpec {
        &self.spec
    }

    /// Returns the belt of a wheel's tire, if it is flexible.
    pub fn ring(&self, wheel: usize) -> Option<&RingParameters> {
        self.rings[self.axle_of(wheel)].as_ref()
    }

    /// Returns the tire of a wheel.
    pub fn tire(&self, wheel: usize) -> &Tire {
        self.spec.tire_of(self.axle_of(wheel))
    }

    /// Returns the number of wheels, which are ordered by axle from the front, left before right.
    pub fn wheels(&self) -> usize {
        self.parts.wheels.len()
    }

    /// Returns the index of the axle of a wheel.
    pub fn axle_of(&self, wheel: usize) -> usize {
        self.parts.wheels[wheel].axle
    }

    /// Returns the mass of all bodies, kg.
    pub fn mass(&self) -> f64 {
        self.bodies.mass()
    }

    /// Returns the design position at rest, with the chassis frame moved to `pose`.
    pub fn state(&self, pose: &Pose) -> VehicleState {
        let mut body = self.bodies.model.assembled();
        self.bodies.model.transform(&mut body, pose);
        VehicleState {
            body,
            steering: 0.0,
            gearbox: GearboxState::default(),
            brakes: vec![BrakeState::default(); self.parts.wheels.len()],
            clutches: vec![BrakeState::default(); self.parts.drive.clutches().len()],
            pressures: vec![0.0; self.lags().count()],
            engaged: vec![false; self.switched_locks()],
            coupling: Coupling::Holds,
        }
    }

    /// Time constants of the brakes of the axles with a brake lag, s, from the front.
    fn lags(&self) -> impl Iterator<Item = f64> {
        self.spec.axles.iter().filter_map(|axle| axle.brake_lag)
    }

    fn switched_locks(&self) -> usize {
        let clutches = self.parts.drive.clutches().iter();
        clutches.filter(|clutch| clutch.index().is_some()).count()
    }

    /// Returns the design position at `pose`, rolling at `speed`, m/s, negative backward.
    ///
    /// Wheels, shafts and engine turn at the speeds of the fitting gear.
    pub fn launched(&self, pose: &Pose, speed: f64) -> VehicleState {
        let mut state = self.state(pose);
        self.launch(&mut state, &pose.direction(&Vec3::x()), speed, None);
        state
    }

    /// Sets a vehicle at rest in motion along the unit vector `forward`, in any position.
    ///
    /// `speed` is in m/s, negative backward. Without a `gear` the fitting one is used.
    pub fn launch(&self, state: &mut VehicleState, forward: &Vec3, speed: f64, gear: Option<i32>) {
        let load = self.mass() * self.bodies.gravity() / self.wheels() as f64;
        let spin = |wheel: usize| match (self.ring(wheel), &self.tire(wheel).flexible) {
            (Some(ring), Some(flexible)) => {
                let inflation =
                    flexible.inflation_kpa.kpa(wheel, 2 * self.spec.tractor_axles().len());
                speed / (ring.radius - ring.deflection(inflation, load) / 3.0)
            }
            _ => {
                let tire = &self.tire(wheel).handling;
                speed / tire.rolling_radius(load / tire.vertical_stiffness)
            }
        };
        // Shafts turn at the mean speed of their wheels. If all axles have the same tires, the
        // values of the first axle are used for all.
        let alike = self.spec.axles.iter().all(|axle| axle.tire.is_none());
        let of_axle = |axle: usize| {
            let left = if alike { 0 } else { 2 * axle };
            0.5 * (spin(left) + spin(left + 1))
        };
        self.bodies.launch(state, forward, speed, |u| {
            for (index, wheel) in self.parts.wheels.iter().enumerate() {
                u[wheel.spin.index()] = spin(index);
            }
            let output = match (&self.parts.drive, &self.spec.driveline) {
                (DriveIndices::Driveline(plan), Some(driveline)) => {
                    [plan.turn(&self.spec, driveline, u, of_axle); 2]
                }
                _ => [spin(0), spin(1)],
            };
            self.drivetrain.set_shaft_speeds(u, output, gear)
        });
    }

    /// Returns buffers for steps, consistent with `state`.
    pub fn workspace(&self, state: &VehicleState) -> VehicleWorkspace {
        let body = self.bodies.workspace(&state.body);
        let drives = vec![WheelDrive::default(); self.parts.wheels.len()];
        let count = self.drivetrain.motors().map_or(0, MotorDrive::wheel_motor_count);
        let wheel_motors = vec![WheelMotorReading::default(); count];
        VehicleWorkspace { body, drives, engine_work: 0.0, motors: None, wheel_motors }
    }

    /// Advances by `h` seconds under `controls` and the loads in the workspace.
    ///
    /// The controls are within their ranges ([`Controls::clamped`]); `tick` counts the steps, for
    /// the gearbox.
    pub fn step(
        &self,
        state: &mut VehicleState,
        workspace: &mut VehicleWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError> {
        let before = self.drivetrain.speeds(state);
        self.suspend(state.coupling, &mut workspace.body);
        self.steer(state, &mut workspace.body, controls.steering, h);
        self.advance_brake_pressure(state, controls.brake, h);
        self.drive(state, &mut workspace.body, controls, tick, h);
        self.brake(state, workspace, controls.brake, h);
        let still = self.add_air_drag(workspace);
        let held = state.coupling == Coupling::Holds;
        let loads = if held { self.stop_trailer(workspace) } else { None };
        let advanced = self.bodies.model.advance(&mut state.body, &mut workspace.body, h);
        if let Some([chassis, trailer]) = loads {
            *workspace.chassis_load() = chassis;
            workspace.rear_load().into_iter().for_each(|load| *load = trailer);
        }
        if let Some([chassis, trailer]) = still {
            *workspace.chassis_load() = chassis;
            workspace.rear_load().into_iter().for_each(|load| *load = trailer);
        }
        advanced?;
        (workspace.engine_work, workspace.motors) =
            self.drivetrain.work(&before, state, &workspace.body, h, &mut workspace.wheel_motors);
        if let Some(cylinders) = &self.parts.cylinders {
            let (force, rate) =
                (workspace.body.element[cylinders.element].force, &workspace.body.rate);
            workspace.engine_work -= force * rate[cylinders.element] * h;
        }
        self.advance_linings(state, workspace, controls.brake, h);
        Ok(())
    }

    /// Adds air drag. Returns the loads on vehicle and trailer without it, if there is any.
    fn add_air_drag(&self, workspace: &mut VehicleWorkspace) -> Option<[Load; 2]> {
        let trailed = self.spec.trailer.as_ref().map(|own| &own.chassis);
        let area = |chassis: &Chassis| chassis.drag_area.is_some();
        if !area(&self.spec.chassis) && !trailed.is_some_and(area) {
            return None;
        }
        let own = air::drag(&self.spec.chassis, &self.pose(workspace), &self.twist(workspace));
        let drawn = trailed.and_then(|chassis| {
            let pose = self.trailer_pose(workspace)?;
            air::drag(chassis, &pose, &self.trailer_twist(workspace)?)
        });
        let mut still = [*workspace.chassis_load(), Load::default()];
        workspace.chassis_load().wrench += own.unwrap_or_default();
        if let Some(load) = workspace.rear_load() {
            still[1] = *load;
            load.wrench += drawn.unwrap_or_default();
        }
        Some(still)
    }

    /// Adds the moments of the stops between vehicle and trailer. Returns the loads on both without
    /// them.
    fn stop_trailer(&self, workspace: &mut VehicleWorkspace) -> Option<[Load; 2]> {
        let trailer = self.trailer.as_ref()?;
        let poses = [self.pose(workspace), self.trailer_pose(workspace)?];
        let twists = [self.twist(workspace), self.trailer_twist(workspace)?];
        let moment = trailer.stop(poses.each_ref(), twists.each_ref());
        let chassis = *workspace.chassis_load();
        workspace.chassis_load().wrench.torque -= moment;
        let on_trailer = workspace.rear_load()?;
        let held = *on_trailer;
        on_trailer.wrench.torque += moment;
        Some([chassis, held])
    }

    fn suspend(&self, coupling: Coupling, workspace: &mut MultibodyWorkspace) {
        for strut in &self.parts.struts {
            let axle = &self.spec.axles[strut.axle];
            let (Some(spring), Some(damper)) = (&axle.spring, &axle.damper) else { continue };
            let length = workspace.measure[strut.spring];
            let (force, stiffness) = spring.tension(length);
            workspace.element[strut.spring] =
                ElementForce { force, stiffness: stiffness.max(0.0), damping: 0.0 };
            let (length, rate) = (workspace.measure[strut.damper], workspace.rate[strut.damper]);
            let (force, damping) = damper.tension(length, rate);
            workspace.element[strut.damper] = ElementForce { force, stiffness: 0.0, damping };
        }
        for mount in &self.parts.mounts {
            let force = mount.stiffness * workspace.measure[mount.element]
                + mount.damping * workspace.rate[mount.element];
            workspace.element[mount.element] =
                ElementForce { force, stiffness: mount.stiffness, damping: mount.damping };
        }
        if let (Some(trailer), true) = (&self.trailer, coupling != Coupling::Holds) {
            for element in trailer.spring_elements() {
                workspace.element[element] = ElementForce::default();
            }
        }
        for stop in &self.parts.pitch_stops {
            let (angle, rate) = (workspace.measure[stop.element], workspace.rate[stop.element]);
            workspace.element[stop.element] = stop.force(angle, rate);
        }
        for stop in &self.parts.flat_stops {
            workspace.element[stop.element] = stop.force(workspace.measure[stop.element]);
        }
    }

    fn steer(
        &self,
        state: &mut VehicleState,
        workspace: &mut MultibodyWorkspace,
        command: f64,
        h: f64,
    ) {
        if let Some(cylinders) = &self.parts.cylinders {
            let element = cylinders.element;
            let (angle, rate) = (workspace.measure[element], workspace.rate[element]);
            let before = state.steering;
            state.steering = cylinders.advance(before, command, angle, h);
            workspace.element[element] =
                cylinders.moment([angle, rate], [before, state.steering], h);
            return;
        }
        state.steer(command, STEERING_RATE * h);
        for drive in &self.parts.steering {
            workspace.target[drive.drive] = drive.target(state.steering);
        }
    }

    fn drive(
        &self,
        state: &mut VehicleState,
        workspace: &mut MultibodyWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) {
        let clutches = self.parts.drive.clutches();
        self.drivetrain.drive(state, workspace, controls, tick, h);
        for clutch in clutches {
            match &clutch.engaged {
                ClutchEngagement::Fixed(_) | ClutchEngagement::Biased { .. } => {}
                ClutchEngagement::Automatic { index, lock, mean } => {
                    let mean = mean.iter().map(|(at, share)| share * state.body.u[at.index()]);
                    let (mean, difference) = (mean.sum(), workspace.rate[clutch.element]);
                    let driven = controls.throttle > 0.0;
                    state.engaged[*index] =
                        lock.next(state.engaged[*index], difference, mean, driven);
                }
                ClutchEngagement::Commanded { index, lock } => {
                    state.engaged[*index] = controls.locks.contains(*lock);
                }
            }
        }
        for (clutch, lining) in clutches.iter().zip(&state.clutches) {
            let rate = workspace.rate[clutch.element];
            workspace.element[clutch.element] = if clutch.is_engaged(state) {
                friction(self.friction_of(clutch, &state.body).torque(1.0, lining, rate, h))
            } else {
                ElementForce::default()
            };
        }
    }

    /// Returns the height of the wheel centers above the ground in the design position, m.
    pub fn ride_radius(&self) -> f64 {
        ride_radius(&self.spec)
    }

    /// Returns the center of a wheel in the chassis frame in the design position, m.
    pub fn wheel_center(&self, wheel: usize) -> Vec3 {
        wheel_center(&self.spec, &self.parts, wheel)
    }
}

/// Builds the drivetrain of a vehicle of this mass, kg, and rim radius, m.
///
/// `brake_torque` is the sum of the torques of all brakes, N m.
fn drivetrain(
    spec: &VehicleSpec,
    parts: &WheeledParts,
    model: &MultibodyModel,
    [mass, radius]: [f64; 2],
    brake_torque: f64,
) -> Result<Drivetrain, AssemblyError> {
    let gearing = |torque_ratio: f64| ThrustGearing {
        mass,
        gravity: model.gravity(),
        radius,
        torque_ratio,
        acceleration: torque_ratio / (radius * mass),
        brake_torque,
    };
    match (&parts.drive, spec) {
        (
            DriveIndices::Driveline(plan),
            VehicleSpec { driveline: Some(driveline), powertrain: Some(powertrain), .. },
        ) => {
            let gearing = gearing(plan.torque_ratio(spec, driveline));
            let outputs = plan.axles.iter().map(|&(closure, _)| closure);
            let own = EngineDrivetrain::new(powertrain, plan.transmission, model, outputs, gearing);
            Ok(Drivetrain::Engine(own))
        }
        (DriveIndices::Motors(plan), VehicleSpec { motor_drive: Some(own), .. }) => {
            let yaw_rate = spec.max_yaw_rate().unwrap_or(0.0);
            let rim_difference = yaw_rate * spec.skid_tread() / radius;
            let gearing = gearing(1.0 / own.ratio);
            Ok(Drivetrain::Motors(MotorDrive::new(
                own,
                plan.clone(),
                model,
                gearing,
                rim_difference,
            )))
        }
        _ => Err(AssemblyError::NoDrive),
    }
}

fn ride_radius(spec: &VehicleSpec) -> f64 {
    (0..spec.axles.len())
        .map(|axle| spec.tire_of(axle))
        .map(|tire| tire.rigid.radius().max(tire.handling.unloaded_radius))
        .fold(0.0, f64::max)
}

fn wheel_center(spec: &VehicleSpec, parts: &WheeledParts, wheel: usize) -> Vec3 {
    let axle = &spec.axles[parts.wheels[wheel].axle];
    let mirror = if wheel.is_multiple_of(2) { 1.0 } else { -1.0 };
    let [x, y, z] = axle.suspension.spindle();
    Vec3::from(axle.position) + Vec3::new(x, mirror * y, z)
}
