//! Vehicle of an agent, on wheels or on tracks, with the data that contact needs.

use super::contact_context::ContactContext;
use super::drive_work::DriveWork;
use super::on_tracks::{OnTracks, TracksWorkspace};
use super::on_wheels::{OnWheels, WheelsWorkspace};
use super::sample::{TrailerSample, WheelSample};
use super::tyre::TyreState;
use bekker_ground::scm::{Contact, Displaced, UndersideError};
use bekker_ground::terrain::Terrain;
use bekker_math::spatial::{Load, Pose, Twist, Vec3};
use bekker_vehicle::multibody::{ModelError, StepError};
use bekker_vehicle::spec::{Belly, Footprint};
use bekker_vehicle::{
    AnySpec, AssemblyError, Controls, Coupling, EngineResponse, Locks, Outline, PedalResponse,
    TrackedVehicle, Vehicle, VehicleState,
};
use std::sync::Arc;

/// Vehicle on wheels or tracks; immutable.
#[derive(Clone, Debug)]
pub enum GroundVehicle {
    /// On wheels.
    Wheeled(OnWheels),
    /// On tracks.
    Tracked(OnTracks),
}

/// Derived and scratch data of a vehicle; never saved.
#[derive(Clone, Debug)]
pub enum GroundVehicleWorkspace {
    /// On wheels.
    Wheeled(WheelsWorkspace),
    /// On tracks.
    Tracked(TracksWorkspace),
}

const MISMATCH: &str = "workspace was created for another vehicle";

macro_rules! of_kind {
    ($self:expr, $workspace:expr, $ground_vehicle:ident, $own:ident => $do:expr) => {
        match ($self, $workspace) {
            (GroundVehicle::Wheeled($ground_vehicle), GroundVehicleWorkspace::Wheeled($own)) => $do,
            (GroundVehicle::Tracked($ground_vehicle), GroundVehicleWorkspace::Tracked($own)) => $do,
            _ => unreachable!("{MISMATCH}"),
        }
    };
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

impl GroundVehicle {
    /// Builds the vehicle of a file with the data that contact needs.
    ///
    /// Every vehicle that drives is built here.
    ///
    /// # Errors
    /// [`GroundVehicleError`] if the parameters do not make a vehicle.
    pub fn new(spec: &AnySpec) -> Result<GroundVehicle, GroundVehicleError> {
        Ok(match spec {
            AnySpec::Wheeled(spec) => {
                OnWheels::new(Arc::new(Vehicle::new((**spec).clone())?))?.into()
            }
            AnySpec::Tracked(spec) => {
                OnTracks::new(Arc::new(TrackedVehicle::new((**spec).clone())?)).into()
            }
        })
    }

    /// Name of the vehicle.
    pub fn name(&self) -> &str {
        match self {
            GroundVehicle::Wheeled(own) => &own.vehicle.spec().name,
            GroundVehicle::Tracked(own) => &own.vehicle.spec().name,
        }
    }

    /// Returns the flat bottom that may touch the ground, if the vehicle has one.
    pub fn belly(&self) -> Option<&Belly> {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().chassis.belly.as_ref(),
            GroundVehicle::Tracked(own) => own.vehicle.spec().chassis.belly.as_ref(),
        }
    }

    /// Returns the eye point of the driver (SAE J1100) in the chassis frame, m, if the file
    /// specifies it.
    pub fn driver_eye_point(&self) -> Option<Vec3> {
        let eye_point = match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().chassis.driver,
            GroundVehicle::Tracked(own) => own.vehicle.spec().chassis.driver,
        };
        eye_point.map(Vec3::from)
    }

    /// Returns the position of the rear coupling in the chassis frame, m, if the file specifies it.
    pub fn rear_coupling(&self) -> Option<Vec3> {
        let chassis = match self {
            GroundVehicle::Wheeled(own) => &own.vehicle.spec().chassis,
            GroundVehicle::Tracked(own) => &own.vehicle.spec().chassis,
        };
        chassis.rear_coupling.map(Vec3::from)
    }

    /// Returns the footprint seen from above.
    pub fn footprint(&self) -> Footprint {
        match self {
            GroundVehicle::Wheeled(own) => Footprint::of(own.vehicle.spec()),
            GroundVehicle::Tracked(own) => Footprint::of_tracks(own.vehicle.spec()),
        }
    }

    /// Returns the shape for collisions with other vehicles.
    pub fn outline(&self) -> &Outline {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.outline(),
            GroundVehicle::Tracked(own) => own.vehicle.outline(),
        }
    }

    /// Mass of all bodies, kg.
    pub fn mass(&self) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.mass(),
            GroundVehicle::Tracked(own) => own.vehicle.mass(),
        }
    }

    /// Returns whether the orientations of all bodies are pure rotations, without scaling.
    pub fn turns(&self, state: &VehicleState) -> bool {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.turns(state),
            GroundVehicle::Tracked(own) => own.vehicle.turns(state),
        }
    }

    /// Returns whether it can be steered: always with tracks, with wheels if an axle is steered.
    pub fn can_steer(&self) -> bool {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().can_steer(),
            GroundVehicle::Tracked(_) => true,
        }
    }

    /// Returns the mean angle of the steered wheels at full lock, rad; `None` without steered
    /// wheels.
    pub fn max_steering_angle(&self) -> Option<f64> {
        match self {
            GroundVehicle::Wheeled(own) => {
                Some(own.vehicle.spec().max_steer()).filter(|angle| *angle > 0.0)
            }
            GroundVehicle::Tracked(_) => None,
        }
    }

    /// Returns the number of wheels with flexible tires, without those of an uncoupled trailer.
    pub(super) fn belts(&self, coupling: Coupling) -> usize {
        match self {
            GroundVehicle::Wheeled(own) => own.belts(own.wheels_along(coupling)),
            GroundVehicle::Tracked(_) => 0,
        }
    }

    /// Returns whether it has central tire inflation and flexible tires.
    pub fn inflates(&self) -> bool {
        match self {
            GroundVehicle::Wheeled(own) => {
                let spec = own.vehicle.spec();
                (0..spec.axles.len()).any(|axle| {
                    let flexible = spec.tyre_of(axle).flexible.as_ref();
                    flexible.is_some_and(|tyre| tyre.central_inflation.is_some())
                })
            }
            GroundVehicle::Tracked(_) => false,
        }
    }

    /// Returns the differential locks that the driver can engage.
    pub fn locks(&self) -> Locks {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().locks(),
            GroundVehicle::Tracked(_) => Locks::OPEN,
        }
    }

    /// Returns the number of forward gears.
    pub fn gears(&self) -> usize {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().powertrain.gearbox.ratios.len(),
            GroundVehicle::Tracked(own) => own.vehicle.spec().powertrain.gearbox.ratios.len(),
        }
    }

    /// Returns the number of wheels or road wheels; they are ordered front to rear, left before
    /// right.
    pub fn wheels(&self) -> usize {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.wheels(),
            GroundVehicle::Tracked(own) => own.vehicle.wheels(),
        }
    }

    /// Returns the state in the design position at `pose` of the chassis frame, rolling at `speed`
    /// m/s.
    pub fn launched(&self, pose: &Pose, speed: f64) -> VehicleState {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.launched(pose, speed),
            GroundVehicle::Tracked(own) => own.vehicle.launched(pose, speed),
        }
    }

    /// Starts a vehicle at rest, in any position, rolling along the unit vector `forward` at
    /// `speed` m/s.
    ///
    /// Without `gear`, the gear that fits is engaged.
    pub(super) fn launch(
        &self,
        state: &mut VehicleState,
        forward: &Vec3,
        speed: f64,
        gear: Option<i32>,
    ) {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.launch(state, forward, speed, gear),
            GroundVehicle::Tracked(own) => own.vehicle.launch(state, forward, speed, gear),
        }
    }

    /// Translates the whole vehicle by `way`, m.
    pub(super) fn shift(
        &self,
        state: &mut VehicleState,
        room: &mut GroundVehicleWorkspace,
        way: &Vec3,
    ) {
        of_kind!(self, room, own, room => own.vehicle.shift(state, &mut room.vehicle, way));
    }

    /// Returns the energy of motion and gravity, and stored in springs and tires, J.
    pub(super) fn stored_energy(
        &self,
        state: &VehicleState,
        tyres: &[TyreState],
        workspace: &GroundVehicleWorkspace,
    ) -> f64 {
        of_kind!(self, workspace, own, room => own.stored_energy(state, tyres, room))
    }

    /// Returns the acceleration of gravity in later steps, m/s².
    pub(super) fn gravity<'a>(&self, workspace: &'a mut GroundVehicleWorkspace) -> &'a mut Vec3 {
        of_kind!(self, workspace, _own, room => room.vehicle.gravity())
    }

    /// Returns radius and half width around a wheel's center, m: of the wheel, or of a road wheel
    /// with the track below it.
    pub(super) fn wheel_reach(&self) -> [f64; 2] {
        match self {
            GroundVehicle::Wheeled(own) => {
                [own.max_radius().max(own.vehicle.ride_radius()), own.half_width()]
            }
            GroundVehicle::Tracked(own) => {
                [own.vehicle.ride_radius(), 0.5 * own.vehicle.spec().shoe_width()]
            }
        }
    }

    /// Returns the tires at rest, one per wheel; none for tracks.
    pub fn tyres(&self) -> Vec<TyreState> {
        match self {
            GroundVehicle::Wheeled(own) => own.tyres(),
            GroundVehicle::Tracked(_) => Vec::new(),
        }
    }

    /// Returns the workspace for steps, consistent with `state`.
    pub fn workspace(&self, state: &VehicleState) -> GroundVehicleWorkspace {
        match self {
            GroundVehicle::Wheeled(own) => GroundVehicleWorkspace::Wheeled(own.workspace(state)),
            GroundVehicle::Tracked(own) => GroundVehicleWorkspace::Tracked(own.workspace(state)),
        }
    }

    /// Pose of the chassis frame.
    pub fn pose(&self, workspace: &GroundVehicleWorkspace) -> Pose {
        of_kind!(self, workspace, own, room => own.vehicle.pose(&room.vehicle))
    }

    /// Twist of the chassis about its frame's origin.
    pub fn twist(&self, workspace: &GroundVehicleWorkspace) -> Twist {
        of_kind!(self, workspace, own, room => own.vehicle.twist(&room.vehicle))
    }

    /// Speed along the chassis x axis, m/s.
    pub fn speed(&self, workspace: &GroundVehicleWorkspace) -> f64 {
        self.twist(workspace).linear.dot(&self.pose(workspace).direction(&Vec3::x()))
    }

    /// Pose of a wheel or road wheel: origin at its center, y along its axis.
    pub fn wheel_pose(&self, workspace: &GroundVehicleWorkspace, wheel: usize) -> Pose {
        of_kind!(self, workspace, own, room => own.vehicle.wheel_pose(&room.vehicle, wheel))
    }

    /// Spin of a wheel or road wheel, rad/s, positive forward.
    pub fn wheel_spin(&self, state: &VehicleState, wheel: usize) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.wheel_spin(state, wheel),
            GroundVehicle::Tracked(own) => own.vehicle.wheel_spin(state, wheel),
        }
    }

    /// Returns the thrust of the driveline at wheels or tracks in the last step divided by the
    /// vehicle's weight; positive forward.
    pub fn thrust(&self, state: &VehicleState) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.thrust(state),
            GroundVehicle::Tracked(own) => own.vehicle.thrust(state),
        }
    }

    /// Returns the rim speed of the driven wheel or track with the largest absolute speed, m/s;
    /// positive forward.
    pub fn rim_speed(&self, state: &VehicleState) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.rim_speed(state),
            GroundVehicle::Tracked(own) => own.vehicle.rim_speed(state),
        }
    }

    /// Returns the largest slip of a driven wheel or track, from the last samples of all wheels.
    pub(super) fn driven_slip(&self, wheels: &[WheelSample]) -> f64 {
        let slips = |wheel: usize| wheels.get(wheel).map_or(0.0, |own| own.slip);
        match self {
            GroundVehicle::Wheeled(own) => {
                own.vehicle.driven_wheels().map(slips).fold(0.0, f64::max)
            }
            GroundVehicle::Tracked(_) => (0..wheels.len()).map(slips).fold(0.0, f64::max),
        }
    }

    /// Returns the deceleration of full braking on level firm ground with the given friction, m/s².
    pub fn full_braking(&self, friction: f64) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.full_braking(friction),
            GroundVehicle::Tracked(own) => own.vehicle.full_braking(friction),
        }
    }

    /// Returns the effect of throttle and brake at the present speed and gear.
    pub fn pedal_response(&self, state: &VehicleState) -> PedalResponse {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.pedal_response(state),
            GroundVehicle::Tracked(own) => own.vehicle.pedal_response(state),
        }
    }

    /// Returns the engine's response to a requested acceleration at the present speed and gear.
    pub fn engine_response(&self, state: &VehicleState) -> EngineResponse<'_> {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.engine_response(state),
            GroundVehicle::Tracked(own) => own.vehicle.engine_response(state),
        }
    }

    /// Engine speed, rad/s.
    pub fn engine_speed(&self, state: &VehicleState) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.engine_speed(state),
            GroundVehicle::Tracked(own) => own.vehicle.engine_speed(state),
        }
    }

    /// Returns the fuel rate at `throttle`, kg/s, if the file specifies consumption.
    pub fn fuel_rate(&self, state: &VehicleState, throttle: f64) -> Option<f64> {
        let engine = match self {
            GroundVehicle::Wheeled(own) => &own.vehicle.spec().powertrain.engine,
            GroundVehicle::Tracked(own) => &own.vehicle.spec().powertrain.engine,
        };
        engine.fuel_rate(throttle, self.engine_speed(state))
    }

    /// Returns the radius at which wheel torque acts on the ground: of wheels or road wheels, m.
    pub(super) fn drive_radius(&self) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.max_radius(),
            GroundVehicle::Tracked(own) => own.vehicle.spec().road_wheel.radius,
        }
    }

    /// Returns the lowest point of wheels or tracks and their height, m.
    ///
    /// The point is at the center of the running gear in the design position, in the chassis frame.
    /// The height extends to the top of wheels or sprocket.
    pub(super) fn running_gear(&self) -> (Vec3, f64) {
        let count = self.wheels() as f64;
        match self {
            GroundVehicle::Wheeled(own) => {
                let centres = (0..self.wheels()).map(|wheel| own.vehicle.wheel_centre(wheel));
                let radius = own.max_radius();
                (centres.sum::<Vec3>() / count - Vec3::z() * radius, 2.0 * radius)
            }
            GroundVehicle::Tracked(own) => {
                let centres = (0..self.wheels()).map(|wheel| own.vehicle.wheel_centre(wheel));
                let lowest = centres.sum::<Vec3>() / count - Vec3::z() * own.vehicle.ride_radius();
                let spec = own.vehicle.spec();
                (lowest, spec.sprocket.position[2] + spec.pitch_radius() - lowest.z)
            }
        }
    }

    /// Returns the height of the belly above firm ground in the design position, m, if the file
    /// specifies a belly.
    pub(super) fn ground_clearance(&self) -> Option<f64> {
        let (lowest, _) = self.running_gear();
        self.belly().map(|belly| belly.centre[2] - lowest.z)
    }

    /// Largest opening of a joint or rod after the last step, m.
    pub fn drift(&self, workspace: &GroundVehicleWorkspace) -> f64 {
        of_kind!(self, workspace, _own, room => room.vehicle.drift())
    }

    /// Load on the chassis about its frame's origin; must be set before each step.
    pub fn chassis_load<'a>(&self, workspace: &'a mut GroundVehicleWorkspace) -> &'a mut Load {
        of_kind!(self, workspace, _own, room => room.vehicle.chassis_load())
    }

    /// Returns the pose of the trailer's frame, whose origin is at the coupling, if there is a
    /// trailer.
    pub fn trailer_pose(&self, workspace: &GroundVehicleWorkspace) -> Option<Pose> {
        match (self, workspace) {
            (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) => {
                own.vehicle.trailer_pose(&room.vehicle)
            }
            _ => None,
        }
    }

    /// Returns the feet of the trailer's landing gear, in the trailer's frame, m.
    pub(super) fn landing_feet(&self) -> &[Vec3] {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.landing_feet(),
            GroundVehicle::Tracked(_) => &[],
        }
    }

    /// Returns whether it has a trailer, coupled or not.
    pub fn draws_trailer(&self) -> bool {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.trailer_outline().is_some(),
            GroundVehicle::Tracked(_) => false,
        }
    }

    /// Returns the position of the trailer coupling in the chassis frame, m, if there is a trailer.
    pub(super) fn coupling(&self) -> Option<Vec3> {
        match self {
            GroundVehicle::Wheeled(own) => {
                own.vehicle.spec().trailer.as_ref().map(|own| Vec3::from(own.coupling))
            }
            GroundVehicle::Tracked(_) => None,
        }
    }

    /// Uncouples the trailer, if there is one.
    pub(super) fn uncouple(&self, state: &mut VehicleState) {
        if let GroundVehicle::Wheeled(own) = self {
            own.vehicle.uncouple(state);
        }
    }

    /// Returns the yaw of the trailer to the left, rad, while it is coupled.
    pub fn articulation(
        &self,
        state: &VehicleState,
        workspace: &GroundVehicleWorkspace,
    ) -> Option<f64> {
        match (self, workspace) {
            (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room))
                if state.coupling == Coupling::Holds =>
            {
                own.vehicle.articulation(&room.vehicle).map(|[yaw, _]| yaw)
            }
            _ => None,
        }
    }

    /// Returns the sample of the trailer, if there is one.
    pub(super) fn trailer_sample(
        &self,
        state: &VehicleState,
        workspace: &GroundVehicleWorkspace,
    ) -> Option<TrailerSample> {
        let (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) =
            (self, workspace)
        else {
            return None;
        };
        let [articulation, pitch] = own.vehicle.articulation(&room.vehicle)?;
        let mut hitch_force = own.vehicle.hitch_force(&room.vehicle)?;
        if state.coupling != Coupling::Holds {
            hitch_force = Vec3::zeros();
        }
        let position = own.vehicle.trailer_pose(&room.vehicle)?.position;
        Some(TrailerSample { position, articulation, pitch, hitch_force })
    }

    /// Returns the breaking force of the trailer coupling, N, if there is a trailer and the
    /// coupling can break.
    pub fn breaking_load(&self) -> Option<f64> {
        match self {
            GroundVehicle::Wheeled(own) => {
                own.vehicle.spec().trailer.as_ref().and_then(|own| own.hitch.breaking_load)
            }
            GroundVehicle::Tracked(_) => None,
        }
    }

    /// Twist of the trailer about its frame's origin.
    pub fn trailer_twist(&self, workspace: &GroundVehicleWorkspace) -> Option<Twist> {
        match (self, workspace) {
            (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) => {
                own.vehicle.trailer_twist(&room.vehicle)
            }
            _ => None,
        }
    }

    /// Load on the trailer's body about its frame's origin; must be set before each step.
    pub(super) fn trailer_load<'a>(
        &self,
        workspace: &'a mut GroundVehicleWorkspace,
    ) -> Option<&'a mut Load> {
        match workspace {
            GroundVehicleWorkspace::Wheeled(room) => room.vehicle.trailer_load(),
            GroundVehicleWorkspace::Tracked(_) => None,
        }
    }

    /// Returns the number of trailer wheels, which are the last ones.
    pub fn trailed_wheels(&self) -> usize {
        match self {
            GroundVehicle::Wheeled(own) => {
                let spec = own.vehicle.spec();
                2 * (spec.axles.len() - spec.own_axles().len())
            }
            GroundVehicle::Tracked(_) => 0,
        }
    }

    /// Returns the number of wheels, from the first on, without those of an uncoupled trailer.
    pub(super) fn wheels_along(&self, coupling: Coupling) -> usize {
        match self {
            GroundVehicle::Wheeled(own) => own.wheels_along(coupling),
            GroundVehicle::Tracked(_) => self.wheels(),
        }
    }

    /// Returns the mass without that of an uncoupled trailer, kg.
    pub(super) fn mass_along(&self, coupling: Coupling) -> f64 {
        match coupling {
            Coupling::Holds => self.mass(),
            Coupling::Released | Coupling::Broken => self.mass() - self.trailer_mass(),
        }
    }

    /// Mass of all bodies of the trailer, kg; 0 without one.
    pub(super) fn trailer_mass(&self) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().trailer_mass(),
            GroundVehicle::Tracked(_) => 0.0,
        }
    }

    /// Computes the loads of deformable and firm ground on every wheel or shoe for the coming step
    /// of `h` s.
    ///
    /// [`ContactContext::heap`] must follow.
    pub fn meet_ground(
        &self,
        state: &VehicleState,
        tyres: &[TyreState],
        workspace: &mut GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) {
        match (self, workspace) {
            (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) => {
                own.meet_ground(tyres, room, context, h);
            }
            (GroundVehicle::Tracked(own), GroundVehicleWorkspace::Tracked(room)) => {
                own.meet_ground(state, room, context, h);
            }
            _ => unreachable!("{MISMATCH}"),
        }
    }

    /// Heaps up the soil displaced by wheels, shoes and belly, after contact is evaluated.
    pub(super) fn heap(
        &self,
        workspace: &GroundVehicleWorkspace,
        belly: Option<Displaced>,
        context: &mut ContactContext<'_>,
    ) {
        let displaced = self.contacts(workspace).iter().filter_map(|met| met.displaced);
        context.heap(displaced.chain(belly));
    }

    /// Returns the contact of each wheel or shoe as last evaluated.
    pub fn contacts<'a>(&self, workspace: &'a GroundVehicleWorkspace) -> &'a [Contact] {
        of_kind!(self, workspace, _own, room => &room.contacts)
    }

    /// Advances vehicle and tires by `h` s under the loads of
    /// [`meet_ground`](GroundVehicle::meet_ground); `tick` counts steps.
    ///
    /// # Errors
    /// [`StepError`] if the equations have no finite solution.
    pub fn step(
        &self,
        state: &mut VehicleState,
        tyres: &mut [TyreState],
        workspace: &mut GroundVehicleWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError> {
        self.solve(state, workspace, controls, tick, h)?;
        self.settle_tyres(tyres, workspace, h);
        if let (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) =
            (self, workspace)
        {
            own.inflate(controls, tyres, h);
            own.vehicle.strain(state, &room.vehicle);
        }
        Ok(())
    }

    /// Advances the vehicle without changing tires and coupling.
    pub(super) fn solve(
        &self,
        state: &mut VehicleState,
        workspace: &mut GroundVehicleWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError> {
        of_kind!(self, workspace, own, room =>
            own.vehicle.step(state, &mut room.vehicle, controls, tick, h))
    }

    /// Advances the tires over the completed step.
    pub(super) fn settle_tyres(
        &self,
        tyres: &mut [TyreState],
        workspace: &GroundVehicleWorkspace,
        h: f64,
    ) {
        if let (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) =
            (self, workspace)
        {
            own.settle_tyres(tyres, room, h);
        }
    }

    /// Samples the wheels after a step and returns the step's work.
    pub fn observe(
        &self,
        state: &VehicleState,
        workspace: &mut GroundVehicleWorkspace,
        h: f64,
    ) -> DriveWork {
        of_kind!(self, workspace, own, room => own.observe(state, room, h))
    }

    /// Returns the wheel samples of the last step.
    pub(super) fn samples<'a>(&self, workspace: &'a GroundVehicleWorkspace) -> &'a [WheelSample] {
        of_kind!(self, workspace, _own, room => &room.wheels)
    }

    /// Returns the wheel samples without those of an [uncoupled
    /// trailer](GroundVehicle::wheels_along).
    pub(super) fn samples_along<'a>(
        &self,
        coupling: Coupling,
        workspace: &'a GroundVehicleWorkspace,
    ) -> &'a [WheelSample] {
        &self.samples(workspace)[..self.wheels_along(coupling)]
    }

    /// Returns the chassis frame of the vehicle that rests at (x, y) with `heading`, rad.
    pub fn stand(&self, terrain: &Terrain, x: f64, y: f64, heading: f64) -> Pose {
        let (centres, radius): (Vec<Vec3>, f64) = match self {
            GroundVehicle::Wheeled(own) => {
                return crate::standing::stand(terrain, &own.vehicle, x, y, heading);
            }
            GroundVehicle::Tracked(own) => (
                (0..own.vehicle.wheels()).map(|wheel| own.vehicle.wheel_centre(wheel)).collect(),
                own.vehicle.ride_radius(),
            ),
        };
        super::standing::stand_on(terrain, &centres, radius, x, y, heading)
    }
}

impl From<OnWheels> for GroundVehicle {
    fn from(own: OnWheels) -> GroundVehicle {
        GroundVehicle::Wheeled(own)
    }
}

impl From<OnTracks> for GroundVehicle {
    fn from(own: OnTracks) -> GroundVehicle {
        GroundVehicle::Tracked(own)
    }
}
