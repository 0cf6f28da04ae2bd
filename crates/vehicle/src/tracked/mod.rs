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
mod brakes;
mod readings;
mod route;
mod segments;
mod shoes;
#[cfg(test)]
mod upper_run;
mod workspace;

pub use readings::EngineEnergyBalance;
pub use shoes::{ShoePose, Shoes};
pub use workspace::TrackedWorkspace;

use super::Coupling;
use super::air;
use super::controls::Controls;
use super::drivetrain::Drivetrain;
use super::engine_drivetrain::{EngineDrivetrain, ThrustGearing};
use super::outline::VehicleOutline;
use super::powertrain::{BrakeState, GearboxState, NEUTRAL};
use super::spec::{TrackSteering, TrackedSpec, VehicleFootprint};
use super::state::VehicleState;
use super::vehicle_bodies::VehicleBodies;
use super::wheeled::WheelDrive;
use crate::multibody::{ElementForce, ModelError, MultibodyWorkspace, StepError};
use assembly::{TrackIndices, TrackKind, TrackedParts, assemble};
use bekker_math::spatial::{Load, Pose, Vec3};
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
}

fn wheel_center(spec: &TrackedSpec, parts: &TrackedParts, wheel: usize) -> Vec3 {
    let side = wheel % 2;
    let x = spec.tracks()[side].stations[wheel / 2];
    Vec3::new(x, parts.tracks[side].y, spec.wheel_height)
}
