//! Vehicle on wheels or tracks.

use super::contact_context::ContactContext;
use super::drive_work::DriveWork;
use super::ground_vehicle::{ContactWorkspace, GroundVehicle};
use super::obstacle::{Solid, WheelStemContact};
use super::sample::WheelSample;
use super::tire::TireContactState;
use super::tracked_ground_vehicle::{TrackedGroundVehicle, TracksWorkspace};
use super::vehicle_properties::VehicleProperties;
use super::wheeled_ground_vehicle::{WheeledGroundVehicle, WheelsWorkspace};
use bekker_ground::scm::{Contact, UndersideError};
use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::{Pose, Vec3};
use bekker_sync::message::{PartState, RemoteVehicleDescription, RunningGearMessage};
use bekker_vehicle::collision::{ContactForce, Stem};
use bekker_vehicle::multibody::{BodyId, ModelError, MultibodyWorkspace, StepError};
use bekker_vehicle::{
    AnySpec, AssemblyError, Controls, Drivetrain, MotorReading, RearFrameModel, TrackedVehicle,
    TrailerModel, Vehicle, VehicleBodies, VehicleState, WheelMotorReading,
};
use std::sync::Arc;

/// Vehicle on wheels or tracks; immutable.
#[derive(Clone, Debug)]
pub enum AnyVehicle {
    /// On wheels.
    Wheeled(WheeledGroundVehicle),
    /// On tracks.
    Tracked(TrackedGroundVehicle),
}

/// Derived and scratch data of a vehicle; never saved.
#[derive(Clone, Debug)]
pub enum GroundVehicleWorkspace {
    /// On wheels.
    Wheeled(WheelsWorkspace),
    /// On tracks.
    Tracked(TracksWorkspace),
}

/// Error that prevents a vehicle from being built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GroundVehicleError {
    /// The parts do not make a wheeled vehicle.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The parts do not make a tracked vehicle.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The outline or the grousers of the tires do not make a wheel.
    #[error(transparent)]
    Underside(#[from] UndersideError),
}

/// Evaluates an expression for the kind of a vehicle, and of its workspace if one is given.
macro_rules! for_kind {
    ($vehicle:expr, $own:ident => $do:expr) => {
        match $vehicle {
            AnyVehicle::Wheeled($own) => $do,
            AnyVehicle::Tracked($own) => $do,
        }
    };
    ($vehicle:expr, $workspace:ident, $own:ident => $do:expr) => {
        match ($vehicle, $workspace) {
            (AnyVehicle::Wheeled($own), GroundVehicleWorkspace::Wheeled($workspace)) => $do,
            (AnyVehicle::Tracked($own), GroundVehicleWorkspace::Tracked($workspace)) => $do,
            _ => unreachable!("workspace was created for another vehicle"),
        }
    };
}

impl AnyVehicle {
    /// Builds the vehicle of a file with the data that contact needs.
    ///
    /// Every vehicle that drives is built here.
    ///
    /// # Errors
    /// [`GroundVehicleError`] if the parameters do not make a vehicle.
    pub fn new(spec: &AnySpec) -> Result<AnyVehicle, GroundVehicleError> {
        AnyVehicle::with_gravity(spec, GRAVITY)
    }

    /// Builds the vehicle of a file under another acceleration of gravity, m/s².
    ///
    /// # Errors
    /// [`GroundVehicleError`] if the parameters do not make a vehicle.
    pub fn with_gravity(spec: &AnySpec, gravity: f64) -> Result<AnyVehicle, GroundVehicleError> {
        Ok(match spec {
            AnySpec::Wheeled(spec) => {
                let vehicle = Vehicle::new((**spec).clone())?.with_gravity(gravity);
                WheeledGroundVehicle::new(Arc::new(vehicle))?.into()
            }
            AnySpec::Tracked(spec) => {
                let vehicle = TrackedVehicle::new((**spec).clone())?.with_gravity(gravity);
                TrackedGroundVehicle::new(Arc::new(vehicle)).into()
            }
        })
    }
}

impl GroundVehicle for AnyVehicle {
    type Workspace = GroundVehicleWorkspace;

    fn properties(&self) -> &VehicleProperties {
        for_kind!(self, own => own.properties())
    }

    fn bodies(&self) -> &VehicleBodies {
        for_kind!(self, own => own.bodies())
    }

    fn drivetrain(&self) -> &Drivetrain {
        for_kind!(self, own => own.drivetrain())
    }

    fn trailer(&self) -> Option<&TrailerModel> {
        for_kind!(self, own => own.trailer())
    }

    fn rear_frame(&self) -> Option<&RearFrameModel> {
        for_kind!(self, own => own.rear_frame())
    }

    fn state(&self, pose: &Pose) -> VehicleState {
        for_kind!(self, own => own.state(pose))
    }

    fn launch(&self, state: &mut VehicleState, forward: &Vec3, speed: f64, gear: Option<i32>) {
        for_kind!(self, own => own.launch(state, forward, speed, gear));
    }

    fn workspace(&self, state: &VehicleState) -> GroundVehicleWorkspace {
        match self {
            AnyVehicle::Wheeled(own) => GroundVehicleWorkspace::Wheeled(own.workspace(state)),
            AnyVehicle::Tracked(own) => GroundVehicleWorkspace::Tracked(own.workspace(state)),
        }
    }

    fn tires(&self) -> Vec<TireContactState> {
        for_kind!(self, own => own.tires())
    }

    fn wheel_body(&self, wheel: usize) -> BodyId {
        for_kind!(self, own => own.wheel_body(wheel))
    }

    fn wheel_spin(&self, state: &VehicleState, wheel: usize) -> f64 {
        for_kind!(self, own => own.wheel_spin(state, wheel))
    }

    fn rim_speed(&self, state: &VehicleState) -> f64 {
        for_kind!(self, own => own.rim_speed(state))
    }

    fn full_braking(&self, friction: f64) -> f64 {
        for_kind!(self, own => own.full_braking(friction))
    }

    fn stored_energy(
        &self,
        state: &VehicleState,
        tires: &[TireContactState],
        workspace: &GroundVehicleWorkspace,
    ) -> f64 {
        for_kind!(self, workspace, own => own.stored_energy(state, tires, workspace))
    }

    fn contact_ground(
        &self,
        state: &VehicleState,
        tires: &[TireContactState],
        workspace: &mut GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) {
        for_kind!(self, workspace, own => own.contact_ground(state, tires, workspace, context, h));
    }

    fn solve(
        &self,
        state: &mut VehicleState,
        workspace: &mut GroundVehicleWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError> {
        for_kind!(self, workspace, own => own.solve(state, workspace, controls, tick, h))
    }

    fn advance_tires(
        &self,
        tires: &mut [TireContactState],
        workspace: &GroundVehicleWorkspace,
        h: f64,
    ) {
        for_kind!(self, workspace, own => own.advance_tires(tires, workspace, h));
    }

    fn motor_reading<'a>(&self, workspace: &'a GroundVehicleWorkspace) -> Option<&'a MotorReading> {
        for_kind!(self, workspace, own => own.motor_reading(workspace))
    }

    fn wheel_motor_readings<'a>(
        &self,
        workspace: &'a GroundVehicleWorkspace,
    ) -> &'a [WheelMotorReading] {
        for_kind!(self, workspace, own => own.wheel_motor_readings(workspace))
    }

    fn inflate_tires(&self, controls: &Controls, tires: &mut [TireContactState], h: f64) {
        for_kind!(self, own => own.inflate_tires(controls, tires, h));
    }

    fn observe(
        &self,
        state: &VehicleState,
        workspace: &mut GroundVehicleWorkspace,
        h: f64,
    ) -> DriveWork {
        for_kind!(self, workspace, own => own.observe(state, workspace, h))
    }

    fn press_solid(
        &self,
        solid: &Solid<'_>,
        state: &VehicleState,
        workspace: &mut GroundVehicleWorkspace,
        each: impl FnMut(&ContactForce, &Vec3, &Vec3),
    ) {
        for_kind!(self, workspace, own => own.press_solid(solid, state, workspace, each));
    }

    fn solid_depth(
        &self,
        solid: &Solid<'_>,
        state: &VehicleState,
        workspace: &mut GroundVehicleWorkspace,
    ) -> f64 {
        for_kind!(self, workspace, own => own.solid_depth(solid, state, workspace))
    }

    fn stem_contact(
        &self,
        stem: &Stem,
        foot: &Vec3,
        workspace: &GroundVehicleWorkspace,
        least: f64,
    ) -> Option<WheelStemContact> {
        for_kind!(self, workspace, own => own.stem_contact(stem, foot, workspace, least))
    }

    fn press_stem(
        &self,
        contact: &WheelStemContact,
        push: impl FnOnce(&Vec3) -> ContactForce,
        workspace: &mut GroundVehicleWorkspace,
    ) -> Option<(ContactForce, Vec3)> {
        for_kind!(self, workspace, own => own.press_stem(contact, push, workspace))
    }

    fn running_gear(
        &self,
        state: &VehicleState,
        workspace: &GroundVehicleWorkspace,
        wheels: Vec<PartState>,
        part: impl Fn(Pose, f64) -> PartState,
    ) -> RunningGearMessage {
        for_kind!(self, workspace, own => own.running_gear(state, workspace, wheels, part))
    }

    fn description(&self, name: String) -> RemoteVehicleDescription {
        for_kind!(self, own => own.description(name))
    }
}

impl ContactWorkspace for GroundVehicleWorkspace {
    fn bodies(&self) -> &MultibodyWorkspace {
        match self {
            GroundVehicleWorkspace::Wheeled(own) => own.bodies(),
            GroundVehicleWorkspace::Tracked(own) => own.bodies(),
        }
    }

    fn bodies_mut(&mut self) -> &mut MultibodyWorkspace {
        match self {
            GroundVehicleWorkspace::Wheeled(own) => own.bodies_mut(),
            GroundVehicleWorkspace::Tracked(own) => own.bodies_mut(),
        }
    }

    fn contacts(&self) -> &[Contact] {
        match self {
            GroundVehicleWorkspace::Wheeled(own) => own.contacts(),
            GroundVehicleWorkspace::Tracked(own) => own.contacts(),
        }
    }

    fn padded_contacts(&self) -> Vec<Contact> {
        match self {
            GroundVehicleWorkspace::Wheeled(own) => own.padded_contacts(),
            GroundVehicleWorkspace::Tracked(own) => own.padded_contacts(),
        }
    }

    fn samples(&self) -> &[WheelSample] {
        match self {
            GroundVehicleWorkspace::Wheeled(own) => own.samples(),
            GroundVehicleWorkspace::Tracked(own) => own.samples(),
        }
    }
}

impl From<WheeledGroundVehicle> for AnyVehicle {
    fn from(own: WheeledGroundVehicle) -> AnyVehicle {
        AnyVehicle::Wheeled(own)
    }
}

impl From<TrackedGroundVehicle> for AnyVehicle {
    fn from(own: TrackedGroundVehicle) -> AnyVehicle {
        AnyVehicle::Tracked(own)
    }
}
