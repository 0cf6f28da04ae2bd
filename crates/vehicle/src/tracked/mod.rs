//! A tracked vehicle: immutable model, plain state, one step.
//!
//! # Theory
//! Each track is an extensible band around sprocket, road wheels and idler. Return rollers, if any,
//! turn with its upper run. Below the vehicle the band has nodes at fixed positions along the hull
//! that move up and down: its shape. The band passes each node at a separate speed; the difference
//! between neighboring nodes stretches it. Its tension acts along the line from node to node and
//! thus transmits the road wheels' load to the soil between them. The shoes are on the band at
//! intervals of a pitch; their positions follow from the shape and the advance.
//!
//! The ground's load on a shoe acts, by virtual work, on the nodes before and after its pins and on
//! the band between them. The tangents are lumped with the same weights, which bounds them from
//! above and keeps them positive.
//!
//! # Limits
//! The momentum of the band around the wheels (centrifugal tension) and the gyroscopic moments of
//! the wheels are neglected. The band cannot leave sprocket and idler, nor move sideways on the
//! wheels.

mod assembly;
mod belt;
mod route;
mod segments;
mod shoes;
#[cfg(test)]
mod upper_run;

pub use shoes::{ShoePose, Shoes};

use super::Coupling;
use super::air;
use super::controls::Controls;
use super::drivetrain::Drivetrain;
use super::engine_drivetrain::{EngineDrivetrain, ThrustGearing};
use super::outline::VehicleOutline;
use super::pedal_response::LOCKED;
use super::powertrain::{Brake, BrakeState, GearboxState, NEUTRAL};
use super::spec::{TrackSteering, TrackedSpec, VehicleFootprint};
use super::state::VehicleState;
use super::transmission::friction;
use super::vehicle_bodies::VehicleBodies;
use super::wheeled::WheelDrive;
use crate::multibody::{BodyId, ElementForce, ModelError, MultibodyWorkspace, StepError};
use assembly::{TrackIndices, TrackKind, TrackedParts, assemble};
use bekker_math::spatial::{Load, Pose, Quat, Twist, Vec3};
use shoes::BeltNodeLoad;

/// Fastest motion of the steering, full locks per second.
const STEERING_RATE: f64 = 2.0;
/// Gain of a motor that holds a sprocket at its speed, N m s/rad.
const MOTOR: f64 = 1e8;

/// Immutable model of a tracked vehicle.
#[derive(Clone, Debug)]
pub struct TrackedVehicle {
    spec: TrackedSpec,
    parts: TrackedParts,
    bodies: VehicleBodies,
    drivetrain: Drivetrain,
}

/// Energy balance of the engine's work, J.
///
/// engine = brakes + suspension + pins + rims + soil + increase of the vehicle's kinetic and
/// potential energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct EngineEnergyBalance {
    /// Work of the engine behind its converter, less its own drag.
    pub engine: f64,
    /// Work on the brakes, including the steering brakes, and on the running resistance of belts.
    pub brakes: f64,
    /// Work on torsion bars, stops, dampers and tensioners: dissipated and stored.
    pub suspension: f64,
    /// Work on the pins of shoes or the stretching of belts: dissipated and stored.
    pub pins: f64,
    /// Work on rims of wheels, teeth and guides: dissipated and stored.
    pub rims: f64,
    /// Work on the ground.
    pub soil: f64,
}

/// Derived data of a tracked vehicle, never saved.
#[derive(Clone, Debug)]
pub struct TrackedWorkspace {
    body: MultibodyWorkspace,
    /// Loads of the bands' sections on the seats before and after them, left and right.
    seats: [Vec<[BeltNodeLoad; 2]>; 2],
    /// Loads of the road wheels on the shoes, left and right, N.
    rims: [Vec<f64>; 2],
    /// Torques of driveline and brakes on the sprockets in the last step.
    drives: [WheelDrive; 2],
    /// Work of engine and converter in the last step, J.
    engine_work: f64,
}

impl TrackedWorkspace {
    /// Returns the workspace of the multibody model.
    pub fn bodies(&self) -> &MultibodyWorkspace {
        &self.body
    }

    /// Returns the workspace of the multibody model for modification.
    pub fn bodies_mut(&mut self) -> &mut MultibodyWorkspace {
        &mut self.body
    }

    /// Returns the work of engine and converter over the last step, J.
    pub fn engine_work(&self) -> f64 {
        self.engine_work
    }

    /// Returns the load on the chassis about its frame's origin, to be set before each step.
    pub fn chassis_load(&mut self) -> &mut Load {
        let last = self.body.load.len() - 1;
        &mut self.body.load[last]
    }

    /// Returns the torques of driveline and service brakes on the sprockets in the last step, left
    /// and right.
    ///
    /// They include the steering, but not the running resistance of belts.
    pub fn drives(&self) -> [WheelDrive; 2] {
        self.drives
    }
}

impl TrackedVehicle {
    /// Assembles a vehicle from its parameters.
    ///
    /// # Errors
    /// [`ModelError`] for parameters that define no valid multibody model.
    pub fn new(spec: TrackedSpec) -> Result<TrackedVehicle, ModelError> {
        let (model, parts) = assemble(&spec)?;
        let mass = model.mass();
        let wheels = 2 * spec.left.stations.len().min(spec.right.stations.len());
        let centers: Vec<Vec3> =
            (0..wheels).map(|wheel| wheel_center(&spec, &parts, wheel)).collect();
        let (footprint, radius) =
            (VehicleFootprint::from_tracked_spec(&spec), spec.road_wheel.radius);
        let outline = VehicleOutline::new(&spec.chassis, &footprint, mass, &centers, radius);
        let (ratio, radius) = (spec.drive.ratio, spec.drive_radius());
        let gearing = ThrustGearing {
            mass,
            gravity: model.gravity(),
            radius,
            torque_ratio: 1.0 / ratio,
            acceleration: 1.0 / (ratio * radius * mass),
            brake_torque: 2.0 * spec.drive.brake_torque,
        };
        let outputs = [parts.carrier].into_iter();
        let transmission = parts.transmission;
        let drivetrain =
            EngineDrivetrain::new(&spec.powertrain, transmission, &model, outputs, gearing);
        let drivetrain = Drivetrain::Engine(drivetrain);
        let (chassis, chassis_load) = (parts.hull, parts.hull_load);
        let bodies = VehicleBodies { model, chassis, mass, chassis_load, outline };
        Ok(TrackedVehicle { spec, parts, bodies, drivetrain })
    }

    /// Returns the vehicle under another acceleration of gravity, m/s².
    ///
    /// States and workspaces must be made from the returned vehicle.
    pub fn with_gravity(mut self, gravity: f64) -> TrackedVehicle {
        self.bodies.model.set_gravity(gravity);
        self.drivetrain.set_gravity(gravity);
        self
    }

    /// Returns the bodies and joints.
    pub fn bodies(&self) -> &VehicleBodies {
        &self.bodies
    }

    /// Returns the drivetrain from the engine to the sprockets.
    pub fn drivetrain(&self) -> &Drivetrain {
        &self.drivetrain
    }

    /// Returns the parameters from which the vehicle was assembled.
    pub fn spec(&self) -> &TrackedSpec {
        &self.spec
    }

    /// Returns the mass of all bodies, kg.
    pub fn mass(&self) -> f64 {
        self.bodies.mass()
    }

    /// Returns the number of road wheels of both sides, ordered from the front, left before right.
    pub fn wheels(&self) -> usize {
        2 * self.parts.tracks[0].arms.len()
    }

    /// Returns the design position at rest, with the chassis frame moved to `pose`.
    pub fn state(&self, pose: &Pose) -> VehicleState {
        let mut body = self.bodies.model.assembled();
        for track in &self.parts.tracks {
            if let TrackKind::Segments(segments) = &track.run {
                segments.place_shoes(&mut body.q);
            }
        }
        self.bodies.model.transform(&mut body, pose);
        VehicleState {
            body,
            steering: 0.0,
            gearbox: GearboxState::default(),
            // service brakes, then the running resistance of the tracks
            brakes: vec![BrakeState::default(); 4],
            pressures: Vec::new(),
            engaged: Vec::new(),
            coupling: Coupling::default(),
            clutches: vec![BrakeState::default(); 2],
        }
    }

    /// Returns the design position at `pose`, rolling at `speed`, m/s, negative backward.
    ///
    /// Tracks, shafts and engine turn at the speeds of the fitting gear. In neutral the engine
    /// stands still.
    pub fn launched(&self, pose: &Pose, speed: f64) -> VehicleState {
        let mut state = self.state(pose);
        self.launch(&mut state, &pose.direction(&Vec3::x()), speed, None);
        state
    }

    /// Sets a vehicle at rest in motion along the unit vector `forward`, in any position.
    ///
    /// `speed` is in m/s. Without a `gear` the fitting one is used.
    pub fn launch(&self, state: &mut VehicleState, forward: &Vec3, speed: f64, gear: Option<i32>) {
        self.bodies.launch(state, forward, speed, |u| {
            for track in &self.parts.tracks {
                u[track.sprocket.index()] = speed / self.spec.drive_radius();
                self.roll(track, speed, u);
            }
            let output = speed / self.spec.drive_radius() / self.spec.drive.ratio;
            self.drivetrain.set_shaft_speeds(u, [output; 2], gear)
        });
    }

    /// Sets the speeds of the parts that turn with a track at a speed, m/s.
    fn roll(&self, track: &TrackIndices, speed: f64, u: &mut [f64]) {
        match &track.run {
            TrackKind::Belt(belt) => {
                belt.seats.iter().for_each(|seat| u[seat.rate] = speed / seat.scale);
            }
            TrackKind::Segments(segments) => {
                segments.launch(speed, u);
                let road = track.arms.iter().map(|arm| (arm.spin, self.spec.road_wheel.radius));
                for (spin, radius) in road.chain([(track.idler, self.spec.idler.radius)]) {
                    u[spin.coordinate.index()] = speed / radius;
                }
            }
        }
    }

    /// Returns buffers for steps, consistent with `state`.
    pub fn workspace(&self, state: &VehicleState) -> TrackedWorkspace {
        let body = self.bodies.workspace(&state.body);
        let tracks = self.parts.tracks.each_ref();
        let seats = tracks.map(|track| match &track.run {
            TrackKind::Belt(belt) => vec![[BeltNodeLoad::default(); 2]; belt.loads.len()],
            TrackKind::Segments(_) => Vec::new(),
        });
        let rims = tracks.map(|track| vec![0.0; track.arms.len()]);
        let drives = [WheelDrive::default(); 2];
        TrackedWorkspace { body, seats, rims, drives, engine_work: 0.0 }
    }

    /// Returns the pose of the chassis frame.
    pub fn pose(&self, workspace: &TrackedWorkspace) -> Pose {
        self.bodies.pose(&workspace.body)
    }

    /// Returns the twist of the chassis about its frame's origin.
    pub fn twist(&self, workspace: &TrackedWorkspace) -> Twist {
        self.bodies.twist(&workspace.body)
    }

    /// Returns the body of a road wheel, whose y axis is its axle.
    pub fn wheel_body(&self, wheel: usize) -> BodyId {
        self.parts.tracks[wheel % 2].arms[wheel / 2].wheel
    }

    /// Returns the pose of a road wheel: origin at its center, y along its axle.
    pub fn wheel_pose(&self, workspace: &TrackedWorkspace, wheel: usize) -> Pose {
        self.bodies.pose_of(&workspace.body, self.wheel_body(wheel))
    }

    /// Returns the pose of a sprocket: origin at its center, y along its axle, turned with the
    /// track.
    pub fn sprocket_pose(
        &self,
        state: &VehicleState,
        workspace: &TrackedWorkspace,
        side: usize,
    ) -> Pose {
        let track = &self.parts.tracks[side];
        let [x, _, z] = self.spec.sprocket.position;
        let hull = self.pose(workspace);
        let angle = state.body.q[track.turned];
        Pose {
            position: hull.point(&Vec3::new(x, track.y, z)),
            orientation: hull.orientation * Quat::from_axis_angle(&Vec3::y_axis(), angle),
        }
    }

    /// Returns the pose of an idler: origin at its center, y along its axle, without its spin.
    pub fn idler_pose(&self, workspace: &TrackedWorkspace, side: usize) -> Pose {
        self.bodies.model.pose(&workspace.body, self.parts.tracks[side].carrier)
    }

    /// Returns the spin of an idler, rad/s, positive forward.
    pub fn idler_spin(&self, state: &VehicleState, side: usize) -> f64 {
        self.parts.tracks[side].idler.rate(&state.body.u)
    }

    /// Returns the spin of a road wheel, rad/s, positive forward; it rolls on the track.
    pub fn wheel_spin(&self, state: &VehicleState, wheel: usize) -> f64 {
        self.parts.tracks[wheel % 2].arms[wheel / 2].spin.rate(&state.body.u)
    }

    /// Returns the force of a road wheel on its track in the last step, N.
    pub fn wheel_load(&self, workspace: &TrackedWorkspace, wheel: usize) -> f64 {
        let TrackKind::Belt(belt) = &self.parts.tracks[wheel % 2].run else {
            return workspace.rims[wheel % 2][wheel / 2];
        };
        let rims = belt.rims.iter().filter(|rim| rim.wheel == wheel / 2);
        rims.map(|rim| -workspace.body.element[rim.element].force).sum()
    }

    /// Returns the road wheel of a side whose design position is nearest to a world point.
    ///
    /// `hull` is the pose of the chassis frame.
    pub fn nearest_wheel(&self, side: usize, hull: &Pose, point: &Vec3) -> usize {
        let x = hull.local_point(point).x;
        let stations = &self.spec.tracks()[side].stations;
        let further = |wheel: &usize| (stations[*wheel] - x).abs();
        let nearest = (0..stations.len()).min_by(|a, b| further(a).total_cmp(&further(b)));
        2 * nearest.unwrap_or_default() + side
    }

    /// Returns the speed of a track over its sprocket, m/s, positive forward.
    pub fn track_speed(&self, state: &VehicleState, side: usize) -> f64 {
        self.sprocket_speed(state, side) * self.spec.drive_radius()
    }

    /// Returns the speed of the faster track, by magnitude, m/s, positive forward.
    pub fn rim_speed(&self, state: &VehicleState) -> f64 {
        let [left, right] = [0, 1].map(|side| self.track_speed(state, side));
        if left.abs() > right.abs() { left } else { right }
    }

    /// Returns the spin of a sprocket, rad/s, positive forward.
    pub fn sprocket_speed(&self, state: &VehicleState, side: usize) -> f64 {
        state.body.u[self.parts.tracks[side].sprocket.index()]
    }

    /// Returns the deceleration by the full brake on firm level ground of this friction, m/s².
    ///
    /// It is the limit of the brakes, or the friction of locked tracks if that is less.
    pub fn full_braking(&self, friction: f64) -> f64 {
        let arm = self.spec.drive_radius() * self.mass();
        (2.0 * self.service_brake().max_torque / arm).min(LOCKED * friction * self.bodies.gravity())
    }

    /// Returns the tension of a track in the last step, N.
    ///
    /// For a belt it is the tension in each section from the sprocket's front to the idler, with
    /// the upper run last. For shoes it is the tension at the pin behind each.
    pub fn tensions(&self, workspace: &TrackedWorkspace, side: usize) -> Vec<f64> {
        let force = |element: usize| workspace.body.element[element].force;
        match &self.parts.tracks[side].run {
            TrackKind::Belt(belt) => belt.sections.iter().map(|link| force(link.element)).collect(),
            TrackKind::Segments(run) => {
                run.shoes.iter().map(|shoe| force(shoe.pin.along)).collect()
            }
        }
    }

    /// Returns the largest opening of a pin between shoes that are bodies, m; 0 for belts.
    pub fn pin_opening(&self, workspace: &TrackedWorkspace) -> f64 {
        let tracks = self.parts.tracks.iter().map(|track| match &track.run {
            TrackKind::Belt(_) => 0.0,
            TrackKind::Segments(run) => run.opening(&workspace.body),
        });
        tracks.fold(0.0, f64::max)
    }

    /// Returns the force of a tensioner on its idler in the last step, towards the rear, N.
    pub fn tensioner_force(&self, workspace: &TrackedWorkspace, side: usize) -> f64 {
        -workspace.body.element[self.parts.tracks[side].tensioner].force
    }

    /// Starts recording the energy balance.
    pub fn start_account(&self, workspace: &mut TrackedWorkspace) {
        self.bodies.model.start_account(&mut workspace.body);
    }

    /// Returns the energy balance since recording began; all zero if it is not recorded.
    pub fn account(&self, workspace: &TrackedWorkspace) -> EngineEnergyBalance {
        let Some(work) = &workspace.body.work else { return EngineEnergyBalance::default() };
        let parts = &self.parts;
        let [engine, input] = self.parts.transmission.torque_elements();
        let of = |element: usize| -work.elements[element];
        let mut account = EngineEnergyBalance {
            engine: -of(engine) - of(input),
            brakes: parts.steering.iter().map(|&element| of(element)).sum(),
            rims: -work.touches,
            soil: -work.loads.iter().sum::<f64>(),
            ..EngineEnergyBalance::default()
        };
        for track in &parts.tracks {
            account.brakes += of(track.brake);
            account.suspension += of(track.tensioner);
            for arm in &track.arms {
                account.suspension += of(arm.element) + arm.damper.map_or(0.0, of);
            }
            account.pins += match &track.run {
                TrackKind::Belt(belt) => {
                    account.rims += belt.rims.iter().map(|rim| of(rim.element)).sum::<f64>();
                    belt.sections.iter().map(|link| of(link.element)).sum()
                }
                TrackKind::Segments(run) => {
                    let pins = run.shoes.iter().map(|shoe| shoe.pin);
                    pins.map(|p| of(p.along) + of(p.across) + of(p.side) + of(p.bend)).sum::<f64>()
                }
            };
        }
        account
    }

    /// Returns the energy stored in torsion bars, stops, tensioners and the tracks' tension, J.
    ///
    /// The energy in rims and pads is not included.
    pub fn spring_energy(&self, workspace: &TrackedWorkspace) -> f64 {
        let body = &workspace.body;
        let (bar, idler) = (&self.spec.road_arm, &self.spec.idler);
        let of_arm = |element: usize| {
            let angle = body.measure[element];
            let beyond = (angle - bar.bump_deg.to_radians()).max(0.0)
                + (angle + bar.rebound_deg.to_radians()).min(0.0);
            angle * (bar.torque + 0.5 * bar.stiffness * angle)
                + 0.5 * bar.stop_stiffness * beyond * beyond
        };
        let pulled = |element: usize| {
            let ElementForce { force, stiffness, .. } = body.element[element];
            if stiffness > 0.0 { 0.5 * force * force / stiffness } else { 0.0 }
        };
        let tracks = self.parts.tracks.iter().map(|track| {
            let back = body.measure[track.tensioner];
            let tensioner = back * (0.5 * idler.stiffness * back - track.idler_force);
            let links: f64 = match &track.run {
                TrackKind::Belt(belt) => {
                    belt.sections.iter().map(|link| pulled(link.element)).sum()
                }
                TrackKind::Segments(run) => {
                    run.shoes.iter().map(|shoe| pulled(shoe.pin.along)).sum()
                }
            };
            tensioner + links + track.arms.iter().map(|arm| of_arm(arm.element)).sum::<f64>()
        });
        tracks.sum()
    }

    /// Returns the center of a road wheel in the chassis frame in the design position, m.
    pub fn wheel_center(&self, wheel: usize) -> Vec3 {
        wheel_center(&self.spec, &self.parts, wheel)
    }

    /// Returns the height of the road wheels' centers above the ground in the design position, m.
    pub fn ride_radius(&self) -> f64 {
        self.spec.road_wheel.radius + self.spec.shoe.top + self.spec.shoe_depth()
    }

    /// Advances by `h` seconds under `controls` and the loads in the workspace.
    ///
    /// The controls are within their ranges ([`Controls::clamped`]); `tick` counts the steps, for
    /// the gearbox.
    ///
    /// # Errors
    /// [`StepError`] when the equations have no finite solution.
    pub fn step(
        &self,
        state: &mut VehicleState,
        workspace: &mut TrackedWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError> {
        state.steer(controls.steering, STEERING_RATE * h);
        let before = self.drivetrain.speeds(state);
        self.seat_loads(state, workspace, h);
        self.suspend(state, workspace);
        self.drive(state, &mut workspace.body, controls, tick, h);
        self.brake(state, workspace, controls.brake, h);
        let still = self.add_air_drag(workspace);
        let advanced = self.bodies.model.advance(&mut state.body, &mut workspace.body, h);
        if let Some(still) = still {
            *workspace.chassis_load() = still;
        }
        advanced?;
        (workspace.engine_work, _) =
            self.drivetrain.work(&before, state, &workspace.body, h, &mut []);
        self.advance_linings(state, workspace, controls.brake, h);
        Ok(())
    }

    /// Adds air drag. Returns the load on the chassis without it, if there is any.
    fn add_air_drag(&self, workspace: &mut TrackedWorkspace) -> Option<Load> {
        self.spec.chassis.drag_area?;
        let drag = air::drag(&self.spec.chassis, &self.pose(workspace), &self.twist(workspace))?;
        let load = workspace.chassis_load();
        let still = *load;
        load.wrench += drag;
        Some(still)
    }

    /// Advances by `h` seconds with motors instead of the engine.
    ///
    /// The motors turn the sprockets at the given speeds of the tracks, left and right, m/s. The
    /// tracks' own resistance is not applied.
    ///
    /// # Errors
    /// [`StepError`] when the equations have no finite solution.
    pub fn step_driven(
        &self,
        state: &mut VehicleState,
        workspace: &mut TrackedWorkspace,
        speeds: [f64; 2],
        h: f64,
    ) -> Result<(), StepError> {
        self.seat_loads(state, workspace, h);
        self.suspend(state, workspace);
        let body = &mut workspace.body;
        let gearbox = self.parts.transmission.shafts.gearbox;
        body.softness[self.bodies.model.closure_row(gearbox)] = NEUTRAL;
        body.softness[self.bodies.model.closure_row(self.parts.carrier)] = NEUTRAL;
        // in straight travel a steering drive would hold both sprockets at one speed, against the
        // motors
        if let Some((closure, _)) = self.parts.pivot {
            body.softness[self.bodies.model.closure_row(closure)] = NEUTRAL;
        }
        for (track, speed) in self.parts.tracks.iter().zip(speeds) {
            let over = body.rate[track.brake] - speed / self.spec.drive_radius();
            body.element[track.brake] =
                ElementForce { force: MOTOR * over, stiffness: 0.0, damping: MOTOR };
        }
        self.bodies.model.advance(&mut state.body, &mut workspace.body, h)?;
        for (side, track) in self.parts.tracks.iter().enumerate() {
            let torque = -workspace.body.element[track.brake].force;
            workspace.drives[side] = WheelDrive { drive: torque, brake: 0.0 };
        }
        Ok(())
    }

    /// Sets the spring forces of both sides: torsion bars, tensioners, and tracks.
    fn suspend(&self, state: &VehicleState, workspace: &mut TrackedWorkspace) {
        let TrackedWorkspace { body, rims, .. } = workspace;
        body.clear_touches();
        for (track, loads) in self.parts.tracks.iter().zip(rims) {
            self.spring(track, body);
            match &track.run {
                TrackKind::Belt(belt) => belt.pull(&self.spec, body),
                TrackKind::Segments(run) => {
                    run.pull(&self.spec, &self.bodies, &state.body, body, loads);
                }
            }
        }
    }

    /// Sets the forces of torsion bars and tensioner of one side.
    fn spring(&self, track: &TrackIndices, workspace: &mut MultibodyWorkspace) {
        let spec = &self.spec;
        for arm in &track.arms {
            let (angle, rate) = (workspace.measure[arm.element], workspace.rate[arm.element]);
            let bar = &spec.road_arm;
            let beyond = (angle - bar.bump_deg.to_radians()).max(0.0)
                + (angle + bar.rebound_deg.to_radians()).min(0.0);
            let stop = if beyond == 0.0 { 0.0 } else { bar.stop_stiffness };
            workspace.element[arm.element] = ElementForce {
                force: bar.torque + bar.stiffness * angle + stop * beyond + bar.damping * rate,
                stiffness: bar.stiffness + stop,
                damping: bar.damping,
            };
            if let Some(damper) = arm.damper {
                let force = bar.damper * workspace.rate[damper];
                workspace.element[damper] =
                    ElementForce { force, stiffness: 0.0, damping: bar.damper };
            }
        }
        let idler = &spec.idler;
        let (back, rate) = (workspace.measure[track.tensioner], workspace.rate[track.tensioner]);
        workspace.element[track.tensioner] = ElementForce {
            force: -track.idler_force + idler.stiffness * back + idler.damping * rate,
            stiffness: idler.stiffness,
            damping: idler.damping,
        };
    }

    fn drive(
        &self,
        state: &mut VehicleState,
        workspace: &mut MultibodyWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) {
        if let (Some((_, weight)), TrackSteering::Pivot { ratio }) =
            (self.parts.pivot, self.spec.drive.steering)
        {
            workspace.gear_weights[weight] = -ratio * state.steering;
        }
        self.drivetrain.drive(state, workspace, controls, tick, h);
    }

    /// Sets the torques of the service brakes on the sprockets and of both steering brakes.
    fn brake(&self, state: &VehicleState, workspace: &mut TrackedWorkspace, pedal: f64, h: f64) {
        let (service, running) = (self.service_brake(), self.running_resistance());
        let TrackedWorkspace { body: workspace, drives, .. } = workspace;
        for (side, track) in self.parts.tracks.iter().enumerate() {
            let rate = workspace.rate[track.brake];
            let braked = service.torque(pedal, &state.brakes[side], rate, h);
            let dragged = running.torque(1.0, &state.brakes[2 + side], rate, h);
            let drag = self.speed_resistance();
            drives[side] = WheelDrive { drive: 0.0, brake: braked.value };
            workspace.element[track.brake] = ElementForce {
                force: drag * rate - braked.value - dragged.value,
                stiffness: 0.0,
                damping: drag + braked.damping + dragged.damping,
            };
        }
        let Some(brake) = self.steering_brake() else { return };
        for (hand, (&element, lining)) in
            self.parts.steering.iter().zip(&state.clutches).enumerate()
        {
            let rate = workspace.rate[element];
            let torque = brake.torque(steered(state.steering, hand), lining, rate, h);
            workspace.element[element] = friction(torque);
        }
    }

    /// Advances the deflection of the linings by the new speeds and records the torques.
    fn advance_linings(
        &self,
        state: &mut VehicleState,
        workspace: &mut TrackedWorkspace,
        pedal: f64,
        h: f64,
    ) {
        let (service, running) = (self.service_brake(), self.running_resistance());
        for (side, track) in self.parts.tracks.iter().enumerate() {
            let rate = workspace.body.rate[track.brake];
            service.advance(pedal, &mut state.brakes[side], rate, h);
            running.advance(1.0, &mut state.brakes[2 + side], rate, h);
        }
        if let Some(brake) = self.steering_brake() {
            for (hand, &element) in self.parts.steering.iter().enumerate() {
                let pedal = steered(state.steering, hand);
                brake.advance(pedal, &mut state.clutches[hand], workspace.body.rate[element], h);
            }
        }
        self.record_drives(state, workspace);
    }

    /// Adds the driveline's torques on the sprockets: half of the carrier's torque each, and the
    /// steering torque.
    ///
    /// The steering torque is that of a steering drive, with opposite signs on the two sides, or of
    /// a steering brake, which acts on both through its differential.
    fn record_drives(&self, state: &VehicleState, workspace: &mut TrackedWorkspace) {
        let TrackedParts { carrier, pivot, steering, .. } = &self.parts;
        let torque = |closure| state.body.closure_forces[self.bodies.model.closure_row(closure)];
        let half = -0.5 * torque(*carrier);
        let against = pivot.map_or(0.0, |(closure, _)| torque(closure));
        let TrackedWorkspace { body, drives, .. } = workspace;
        let [left, right] = drives;
        (left.drive, right.drive) = (half - against, half + against);
        let [on_left, on_right] = steering.map(|element| -body.element[element].force);
        match self.spec.drive.steering {
            TrackSteering::Pivot { .. } => {}
            TrackSteering::ClutchBrake { .. } => {
                left.brake += on_left;
                right.brake += on_right;
            }
            TrackSteering::Differential { ratio, .. } => {
                // rates of the brakes: inner (1 + ratio), outer (ratio - 1)
                let [inner, outer] = [1.0 + ratio, ratio - 1.0];
                left.drive += inner * on_left + outer * on_right;
                right.drive += inner * on_right + outer * on_left;
            }
        }
    }

    fn service_brake(&self) -> Brake {
        Brake { max_torque: self.spec.drive.brake_torque }
    }

    /// Dry friction of a belt, at its sprocket. Shoes that are bodies have friction and damping of
    /// their own.
    fn running_resistance(&self) -> Brake {
        let [force, _] = self.spec.track_resistance();
        Brake { max_torque: force * self.spec.drive_radius() }
    }

    /// Resistance per speed of the sprocket, N m s/rad.
    fn speed_resistance(&self) -> f64 {
        let radius = self.spec.drive_radius();
        let [_, per_speed] = self.spec.track_resistance();
        per_speed * radius * radius
    }

    fn steering_brake(&self) -> Option<Brake> {
        match self.spec.drive.steering {
            TrackSteering::ClutchBrake { brake_torque }
            | TrackSteering::Differential { brake_torque, .. } => {
                Some(Brake { max_torque: brake_torque })
            }
            TrackSteering::Pivot { .. } => None,
        }
    }
}

/// Application of the steering brake of a side (0 left, 1 right), 0 to 1.
fn steered(steering: f64, hand: usize) -> f64 {
    if hand == 0 { steering.max(0.0) } else { (-steering).max(0.0) }
}

fn wheel_center(spec: &TrackedSpec, parts: &TrackedParts, wheel: usize) -> Vec3 {
    let side = wheel % 2;
    let x = spec.tracks()[side].stations[wheel / 2];
    Vec3::new(x, parts.tracks[side].y, spec.wheel_height)
}
