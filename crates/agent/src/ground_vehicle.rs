//! Vehicle of an agent with the data that contact needs, of any kind.
//!
//! A kind of vehicle implements [`GroundVehicle`]: its running gear, and what differs from other
//! kinds. Bodies, drivetrain and trailer are the same for all kinds, and so are the methods that
//! use nothing else.

use super::contact_context::ContactContext;
use super::drive_work::DriveWork;
use super::obstacle::{Solid, WheelStemContact};
use super::sample::{TrailerSample, WheelSample};
use super::tire::TireContactState;
use super::vehicle_properties::VehicleProperties;
use bekker_ground::scm::{Contact, DisplacedSoil};
use bekker_ground::terrain::Terrain;
use bekker_math::spatial::{Load, Pose, Twist, Vec3};
use bekker_sync::message::{PartState, RemoteVehicleDescription, RunningGearMessage};
use bekker_vehicle::collision::{ContactForce, Stem};
use bekker_vehicle::multibody::{BodyId, MultibodyWorkspace, StepError};
use bekker_vehicle::spec::{Belly, Chassis, VehicleFootprint};
use bekker_vehicle::{
    Controls, Coupling, Drivetrain, MotorReading, RearFrameModel, TrailerModel, VehicleBodies,
    VehicleOutline, VehicleState, WheelMotorReading,
};

/// Derived and scratch data of a vehicle on the ground; never saved.
pub trait ContactWorkspace {
    /// Returns the workspace of the multibody model.
    fn bodies(&self) -> &MultibodyWorkspace;

    /// Returns the workspace of the multibody model for modification.
    fn bodies_mut(&mut self) -> &mut MultibodyWorkspace;

    /// Returns the contact of each wheel or shoe as last evaluated.
    fn contacts(&self) -> &[Contact];

    /// Returns as many contacts in every state: one for each wheel, or one for each shoe of the left
    /// track, then of the right track. Shoes off the ground follow the others of their track, without
    /// force.
    fn padded_contacts(&self) -> Vec<Contact>;

    /// Returns the samples of wheels or road wheels of the last step.
    fn samples(&self) -> &[WheelSample];
}

/// Vehicle on deformable ground; immutable.
pub trait GroundVehicle {
    /// Derived and scratch data of this kind of vehicle.
    type Workspace: ContactWorkspace;

    /// Returns the properties that all kinds have.
    fn properties(&self) -> &VehicleProperties;

    /// Returns the bodies and joints.
    fn bodies(&self) -> &VehicleBodies;

    /// Returns the drivetrain from the engine to wheels or sprockets.
    fn drivetrain(&self) -> &Drivetrain;

    /// Returns the trailer, coupled or not.
    fn trailer(&self) -> Option<&TrailerModel> {
        None
    }

    /// Returns the rear frame of an articulated vehicle.
    fn rear_frame(&self) -> Option<&RearFrameModel> {
        None
    }

    /// Returns the state at rest in the design position at `pose` of the chassis frame.
    fn state(&self, pose: &Pose) -> VehicleState;

    /// Starts a vehicle at rest, in any position, rolling along the unit vector `forward` at
    /// `speed` m/s.
    ///
    /// Without `gear`, the gear that fits is engaged.
    fn launch(&self, state: &mut VehicleState, forward: &Vec3, speed: f64, gear: Option<i32>);

    /// Returns the workspace for steps, consistent with `state`.
    fn workspace(&self, state: &VehicleState) -> Self::Workspace;

    /// Returns the tires at rest, one per tire; none for tracks.
    fn tires(&self) -> Vec<TireContactState> {
        Vec::new()
    }

    /// Returns the body of a wheel or road wheel, whose y axis is its spin axis.
    fn wheel_body(&self, wheel: usize) -> BodyId;

    /// Returns the spin of a wheel or road wheel, rad/s, positive forward.
    fn wheel_spin(&self, state: &VehicleState, wheel: usize) -> f64;

    /// Returns the rim speed of the driven wheel or track with the largest absolute speed, m/s;
    /// positive forward.
    fn rim_speed(&self, state: &VehicleState) -> f64;

    /// Returns the deceleration of full braking on level firm ground with the given friction, m/s².
    fn full_braking(&self, friction: f64) -> f64;

    /// Returns the energy of motion and gravity, and stored in springs and tires, J.
    fn stored_energy(
        &self,
        state: &VehicleState,
        tires: &[TireContactState],
        workspace: &Self::Workspace,
    ) -> f64;

    /// Computes the loads of deformable and firm ground on every wheel or shoe for the coming step
    /// of `h` s.
    ///
    /// [`ContactContext::heap`] must follow.
    fn contact_ground(
        &self,
        state: &VehicleState,
        tires: &[TireContactState],
        workspace: &mut Self::Workspace,
        context: &mut ContactContext<'_>,
        h: f64,
    );

    /// Advances the vehicle without changing tires and coupling; `tick` counts steps.
    ///
    /// # Errors
    /// [`StepError`] if the equations have no finite solution.
    fn solve(
        &self,
        state: &mut VehicleState,
        workspace: &mut Self::Workspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError>;

    /// Advances the tires over the completed step.
    fn advance_tires(
        &self,
        _tires: &mut [TireContactState],
        _workspace: &Self::Workspace,
        _h: f64,
    ) {
    }

    /// Returns torque, current and power of electric motors in the last step, if they drive the
    /// vehicle.
    fn motor_reading<'a>(&self, _workspace: &'a Self::Workspace) -> Option<&'a MotorReading> {
        None
    }

    /// Returns the same of each motor for a single wheel, by wheel.
    fn wheel_motor_readings<'a>(&self, _workspace: &'a Self::Workspace) -> &'a [WheelMotorReading] {
        &[]
    }

    /// Changes tire pressure toward the command at the rate of central tire inflation.
    fn inflate_tires(&self, _controls: &Controls, _tires: &mut [TireContactState], _h: f64) {}

    /// Completes the samples of the wheels after a step and returns the step's work.
    fn observe(&self, state: &VehicleState, workspace: &mut Self::Workspace, h: f64) -> DriveWork;

    /// Adds the loads of a solid obstacle on wheels or tracks.
    ///
    /// `each` receives every push with its position and velocity.
    fn press_solid(
        &self,
        solid: &Solid<'_>,
        state: &VehicleState,
        workspace: &mut Self::Workspace,
        each: impl FnMut(&ContactForce, &Vec3, &Vec3),
    );

    /// Returns the depth to which a solid obstacle penetrates wheels or tracks, m.
    fn solid_depth(
        &self,
        solid: &Solid<'_>,
        state: &VehicleState,
        workspace: &mut Self::Workspace,
    ) -> f64;

    /// Returns the contact of a stem with the wheel that it penetrates deepest, beyond `least` m.
    fn stem_contact(
        &self,
        _stem: &Stem,
        _foot: &Vec3,
        _workspace: &Self::Workspace,
        _least: f64,
    ) -> Option<WheelStemContact> {
        None
    }

    /// Adds the push of a stem on a wheel; returns it with the wheel's velocity at the contact.
    fn press_stem(
        &self,
        _contact: &WheelStemContact,
        _push: impl FnOnce(&Vec3) -> ContactForce,
        _workspace: &mut Self::Workspace,
    ) -> Option<(ContactForce, Vec3)> {
        None
    }

    /// Returns the running gear in the form sent to other agents.
    ///
    /// `part` converts a pose to the chassis frame.
    fn running_gear(
        &self,
        _state: &VehicleState,
        _workspace: &Self::Workspace,
        wheels: Vec<PartState>,
        _part: impl Fn(Pose, f64) -> PartState,
    ) -> RunningGearMessage {
        RunningGearMessage::Wheels(wheels)
    }

    /// Returns the description from which other ranks build an agent of this `name`.
    fn description(&self, name: String) -> RemoteVehicleDescription;

    // From here on the same for all kinds.

    /// Name of the vehicle.
    fn name(&self) -> &str {
        &self.properties().name
    }

    /// Returns the sprung body as in the file.
    fn chassis(&self) -> &Chassis {
        &self.properties().chassis
    }

    /// Returns the flat bottom that may touch the ground, if the vehicle has one.
    fn belly(&self) -> Option<&Belly> {
        self.chassis().belly.as_ref()
    }

    /// Returns the eye point of the driver (SAE J1100) in the chassis frame, m, if the file
    /// specifies it.
    fn driver_eye_point(&self) -> Option<Vec3> {
        self.chassis().driver.map(Vec3::from)
    }

    /// Returns the footprint seen from above.
    fn footprint(&self) -> VehicleFootprint {
        self.properties().footprint
    }

    /// Returns the shape for collisions with other vehicles.
    fn outline(&self) -> &VehicleOutline {
        self.bodies().outline()
    }

    /// Returns the acceleration of gravity, m/s².
    fn gravity(&self) -> f64 {
        self.bodies().gravity()
    }

    /// Mass of all bodies, kg.
    fn mass(&self) -> f64 {
        self.bodies().mass()
    }

    /// Returns the number of wheels with flexible tires, without those of an uncoupled trailer.
    fn flexible_wheel_count(&self, coupling: Coupling) -> usize {
        self.properties().flexible_wheels[usize::from(coupling == Coupling::Holds)]
    }

    /// Returns the number of wheels or road wheels; they are ordered front to rear, left before
    /// right.
    fn wheels(&self) -> usize {
        self.properties().wheel_centers.len()
    }

    /// Returns the number of trailer wheels, which are the last ones.
    fn trailed_wheels(&self) -> usize {
        self.properties().trailed_wheels
    }

    /// Returns the number of wheels, from the first on, without those of an uncoupled trailer.
    fn coupled_wheels(&self, coupling: Coupling) -> usize {
        match coupling {
            Coupling::Holds => self.wheels(),
            Coupling::Released | Coupling::Broken => self.wheels() - self.trailed_wheels(),
        }
    }

    /// Returns the height of the belly above firm ground in the design position, m, if the file
    /// specifies a belly.
    fn ground_clearance(&self) -> Option<f64> {
        self.belly().map(|belly| belly.center[2] - self.properties().lowest_point.z)
    }

    /// Returns the chassis frame of the vehicle that rests at (x, y) with `heading`, rad.
    fn resting_pose(&self, terrain: &Terrain, x: f64, y: f64, heading: f64) -> Pose {
        let VehicleProperties { wheel_centers, ride_radius, .. } = self.properties();
        super::resting_pose::resting_pose_on_wheels(
            terrain,
            wheel_centers,
            *ride_radius,
            x,
            y,
            heading,
        )
    }

    /// Returns the state in the design position at `pose` of the chassis frame, rolling at `speed`
    /// m/s.
    fn launched(&self, pose: &Pose, speed: f64) -> VehicleState {
        let mut state = self.state(pose);
        self.launch(&mut state, &pose.direction(&Vec3::x()), speed, None);
        state
    }

    /// Translates the whole vehicle by `way`, m.
    fn shift(&self, state: &mut VehicleState, workspace: &mut Self::Workspace, way: &Vec3) {
        self.bodies().translate(state, workspace.bodies_mut(), way);
    }

    /// Pose of the chassis frame.
    fn pose(&self, workspace: &Self::Workspace) -> Pose {
        self.bodies().pose(workspace.bodies())
    }

    /// Twist of the chassis about its frame's origin.
    fn twist(&self, workspace: &Self::Workspace) -> Twist {
        self.bodies().twist(workspace.bodies())
    }

    /// Speed along the chassis x axis, m/s.
    fn speed(&self, workspace: &Self::Workspace) -> f64 {
        self.twist(workspace).linear.dot(&self.pose(workspace).direction(&Vec3::x()))
    }

    /// Pose of a wheel or road wheel: origin at its center, y along its axis.
    fn wheel_pose(&self, workspace: &Self::Workspace, wheel: usize) -> Pose {
        self.bodies().pose_of(workspace.bodies(), self.wheel_body(wheel))
    }

    /// Load on the chassis about its frame's origin; must be set before each step.
    fn chassis_load<'a>(&self, workspace: &'a mut Self::Workspace) -> &'a mut Load {
        self.bodies().load_on_chassis(workspace.bodies_mut())
    }

    /// Largest opening of a joint or rod after the last step, m.
    fn drift(&self, workspace: &Self::Workspace) -> f64 {
        workspace.bodies().drift
    }

    /// Returns the largest slip of a driven wheel or track, from the last samples of all wheels.
    fn driven_slip(&self, samples: &[WheelSample]) -> f64 {
        let driven = self.properties().driven_wheels.iter();
        driven.map(|&wheel| samples.get(wheel).map_or(0.0, |own| own.slip)).fold(0.0, f64::max)
    }

    /// Returns whether it has a trailer, coupled or not.
    fn has_trailer(&self) -> bool {
        self.trailer().is_some()
    }

    /// Returns the pose of the trailer's frame, whose origin is at the coupling, or of an articulated
    /// rear frame, whose origin is at the joint.
    fn rear_pose(&self, workspace: &Self::Workspace) -> Option<Pose> {
        let (bodies, workspace) = (self.bodies(), workspace.bodies());
        match self.rear_frame() {
            Some(own) => Some(own.pose(bodies, workspace)),
            None => self.trailer().map(|own| own.pose(bodies, workspace)),
        }
    }

    /// Twist of the trailer, or of an articulated rear frame, about its frame's origin.
    fn rear_twist(&self, workspace: &Self::Workspace) -> Option<Twist> {
        let (bodies, workspace) = (self.bodies(), workspace.bodies());
        match self.rear_frame() {
            Some(own) => Some(own.twist(bodies, workspace)),
            None => self.trailer().map(|own| own.twist(bodies, workspace)),
        }
    }

    /// Load on the body of the trailer, or on an articulated rear frame, about its frame's origin;
    /// must be set before each step.
    fn rear_load<'a>(&self, workspace: &'a mut Self::Workspace) -> Option<&'a mut Load> {
        let workspace = workspace.bodies_mut();
        match self.rear_frame() {
            Some(own) => Some(own.body_load(workspace)),
            None => self.trailer().map(|own| own.body_load(workspace)),
        }
    }

    /// Returns mass and number of the last wheels of the trailer or of an articulated rear frame, kg.
    fn rear_mass_and_wheels(&self) -> (f64, usize) {
        match self.rear_frame() {
            Some(own) => (own.mass(), own.wheels()),
            None => (self.trailer_mass(), self.trailed_wheels()),
        }
    }

    /// Returns the articulation of the frame of an articulated vehicle, rad, positive to the left.
    fn frame_articulation(&self, workspace: &Self::Workspace) -> Option<f64> {
        let rear = self.rear_frame()?;
        Some(rear.articulation(self.bodies(), workspace.bodies())[0])
    }

    /// Returns the yaw of the trailer to the left while it is coupled, or that of an articulated rear
    /// frame, rad.
    fn articulation(&self, state: &VehicleState, workspace: &Self::Workspace) -> Option<f64> {
        if let Some(angle) = self.frame_articulation(workspace) {
            return Some(-angle);
        }
        let trailer = self.trailer().filter(|_| state.coupling == Coupling::Holds)?;
        Some(trailer.articulation(self.bodies(), workspace.bodies())[0])
    }

    /// Returns the sample of the trailer, if there is one.
    fn trailer_sample(
        &self,
        state: &VehicleState,
        workspace: &Self::Workspace,
    ) -> Option<TrailerSample> {
        let (trailer, bodies) = (self.trailer()?, workspace.bodies());
        let [articulation, pitch] = trailer.articulation(self.bodies(), bodies);
        let holds = state.coupling == Coupling::Holds;
        let hitch_force = if holds { trailer.hitch_force(bodies) } else { Vec3::zeros() };
        let position = trailer.pose(self.bodies(), bodies).position;
        Some(TrailerSample { position, articulation, pitch, hitch_force })
    }

    /// Returns the mass without that of an uncoupled trailer, kg.
    fn coupled_mass(&self, coupling: Coupling) -> f64 {
        match coupling {
            Coupling::Holds => self.mass(),
            Coupling::Released | Coupling::Broken => self.mass() - self.trailer_mass(),
        }
    }

    /// Mass of all bodies of the trailer, kg; 0 without one.
    fn trailer_mass(&self) -> f64 {
        self.trailer().map_or(0.0, TrailerModel::mass)
    }

    /// Heaps up the soil displaced by wheels, shoes and belly, after contact is evaluated.
    fn heap(
        &self,
        workspace: &Self::Workspace,
        belly: Option<DisplacedSoil>,
        context: &mut ContactContext<'_>,
    ) {
        let displaced = workspace.contacts().iter().filter_map(|met| met.displaced);
        context.heap(displaced.chain(belly));
    }

    /// Advances vehicle and tires by `h` s under the loads of
    /// [`contact_ground`](GroundVehicle::contact_ground); `tick` counts steps.
    ///
    /// # Errors
    /// [`StepError`] if the equations have no finite solution.
    fn step(
        &self,
        state: &mut VehicleState,
        tires: &mut [TireContactState],
        workspace: &mut Self::Workspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError> {
        self.solve(state, workspace, controls, tick, h)?;
        self.advance_tires(tires, workspace, h);
        self.inflate_tires(controls, tires, h);
        if let Some(trailer) = self.trailer() {
            trailer.break_if_overloaded(state, workspace.bodies());
        }
        Ok(())
    }

    /// Returns the wheel samples of the last step, without those of an [uncoupled
    /// trailer](GroundVehicle::coupled_wheels).
    fn coupled_samples<'a>(
        &self,
        coupling: Coupling,
        workspace: &'a Self::Workspace,
    ) -> &'a [WheelSample] {
        &workspace.samples()[..self.coupled_wheels(coupling)]
    }
}
