//! What moves an agent: a vehicle on wheels or on tracks, with what the ground
//! needs to know of it.

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

/// A vehicle of either kind; immutable.
#[derive(Clone, Debug)]
pub enum GroundVehicle {
    /// On wheels.
    Wheeled(OnWheels),
    /// On tracks.
    Tracked(OnTracks),
}

/// Derived and scratch data of a mover: never saved.
#[derive(Clone, Debug)]
pub enum GroundVehicleWorkspace {
    /// On wheels.
    Wheeled(WheelsWorkspace),
    /// On tracks.
    Tracked(TracksWorkspace),
}

const MISMATCH: &str = "a workspace belongs to the mover that made it";

macro_rules! of_kind {
    ($self:expr, $workspace:expr, $ground_vehicle:ident, $own:ident => $do:expr) => {
        match ($self, $workspace) {
            (GroundVehicle::Wheeled($ground_vehicle), GroundVehicleWorkspace::Wheeled($own)) => $do,
            (GroundVehicle::Tracked($ground_vehicle), GroundVehicleWorkspace::Tracked($own)) => $do,
            _ => unreachable!("{MISMATCH}"),
        }
    };
}

/// Why a vehicle cannot be put on the ground.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GroundVehicleError {
    /// Its parts make no vehicle on wheels.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// Its parts make no vehicle on tracks.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The outline or the grousers of its tyres make no wheel.
    #[error(transparent)]
    Underside(#[from] UndersideError),
}

impl GroundVehicle {
    /// The vehicle of a file, with what the ground needs to know of it: the one way from a
    /// spec to something that drives.
    ///
    /// # Errors
    /// [`GroundVehicleError`] for figures that make no vehicle.
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

    /// Flat bottom, if it has one that may come to lie on the ground.
    pub fn belly(&self) -> Option<&Belly> {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().chassis.belly.as_ref(),
            GroundVehicle::Tracked(own) => own.vehicle.spec().chassis.belly.as_ref(),
        }
    }

    /// Eye point of the driver (SAE J1100) in the chassis frame, m, if the file says where they are.
    pub fn driver_eye_point(&self) -> Option<Vec3> {
        let eye_point = match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().chassis.driver,
            GroundVehicle::Tracked(own) => own.vehicle.spec().chassis.driver,
        };
        eye_point.map(Vec3::from)
    }

    /// Where its rear coupling is in the chassis frame, m, if the file says.
    pub fn rear_coupling(&self) -> Option<Vec3> {
        let chassis = match self {
            GroundVehicle::Wheeled(own) => &own.vehicle.spec().chassis,
            GroundVehicle::Tracked(own) => &own.vehicle.spec().chassis,
        };
        chassis.rear_coupling.map(Vec3::from)
    }

    /// What it covers seen from above.
    pub fn footprint(&self) -> Footprint {
        match self {
            GroundVehicle::Wheeled(own) => Footprint::of(own.vehicle.spec()),
            GroundVehicle::Tracked(own) => Footprint::of_tracks(own.vehicle.spec()),
        }
    }

    /// What it is to others that it meets.
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

    /// Whether all bodies of a state are turned, and none is stretched.
    pub fn turns(&self, state: &VehicleState) -> bool {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.turns(state),
            GroundVehicle::Tracked(own) => own.vehicle.turns(state),
        }
    }

    /// Whether it can be steered: tracks always, wheels where an axle is steered.
    pub fn can_steer(&self) -> bool {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().can_steer(),
            GroundVehicle::Tracked(_) => true,
        }
    }

    /// Mean angle of the steered wheels at full lock, rad; none where no wheels are steered.
    pub fn max_steering_angle(&self) -> Option<f64> {
        match self {
            GroundVehicle::Wheeled(own) => {
                Some(own.vehicle.spec().max_steer()).filter(|angle| *angle > 0.0)
            }
            GroundVehicle::Tracked(_) => None,
        }
    }

    /// Number of wheels that go with it and whose tyres give way.
    pub(super) fn belts(&self, coupling: Coupling) -> usize {
        match self {
            GroundVehicle::Wheeled(own) => own.belts(own.wheels_along(coupling)),
            GroundVehicle::Tracked(_) => 0,
        }
    }

    /// Whether it has central tyre inflation, and tyres that give way.
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

    /// Locks that its driver can engage.
    pub fn locks(&self) -> Locks {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().locks(),
            GroundVehicle::Tracked(_) => Locks::OPEN,
        }
    }

    /// Forward gears.
    pub fn gears(&self) -> usize {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.spec().powertrain.gearbox.ratios.len(),
            GroundVehicle::Tracked(own) => own.vehicle.spec().powertrain.gearbox.ratios.len(),
        }
    }

    /// Number of wheels or road wheels: from the front, left before right.
    pub fn wheels(&self) -> usize {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.wheels(),
            GroundVehicle::Tracked(own) => own.vehicle.wheels(),
        }
    }

    /// The design position at `pose` of the chassis frame, rolling at `speed` m/s.
    pub fn launched(&self, pose: &Pose, speed: f64) -> VehicleState {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.launched(pose, speed),
            GroundVehicle::Tracked(own) => own.vehicle.launched(pose, speed),
        }
    }

    /// Lets a vehicle at rest, however it stands, roll along the unit vector `forward` at
    /// `speed` m/s in a gear, or in the one that fits.
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

    /// Moves the whole vehicle by `way`, m.
    pub(super) fn shift(
        &self,
        state: &mut VehicleState,
        room: &mut GroundVehicleWorkspace,
        way: &Vec3,
    ) {
        of_kind!(self, room, own, room => own.vehicle.shift(state, &mut room.vehicle, way));
    }

    /// Energy, J: of motion and gravity, and stored in springs and tires.
    pub(super) fn stored_energy(
        &self,
        state: &VehicleState,
        tyres: &[TyreState],
        workspace: &GroundVehicleWorkspace,
    ) -> f64 {
        of_kind!(self, workspace, own, room => own.stored_energy(state, tyres, room))
    }

    /// Acceleration of gravity in steps to come, m/s².
    pub(super) fn gravity<'a>(&self, workspace: &'a mut GroundVehicleWorkspace) -> &'a mut Vec3 {
        of_kind!(self, workspace, _own, room => room.vehicle.gravity())
    }

    /// Radius and half width, m, of what lies round a wheel's centre: of the wheel itself,
    /// or of a road wheel with the track below it.
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

    /// Tyres at rest, one a wheel; none on tracks.
    pub fn tyres(&self) -> Vec<TyreState> {
        match self {
            GroundVehicle::Wheeled(own) => own.tyres(),
            GroundVehicle::Tracked(_) => Vec::new(),
        }
    }

    /// Storage for steps, in line with `state`.
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

    /// Pose of a wheel or road wheel: origin at its centre, y along its axis.
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

    /// Thrust of the driveline at wheels or tracks in the last step over the
    /// vehicle's weight, positive forward.
    pub fn thrust(&self, state: &VehicleState) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.thrust(state),
            GroundVehicle::Tracked(own) => own.vehicle.thrust(state),
        }
    }

    /// Speed of the rim of the driven wheel, or of the track, that turns fastest either way, m/s,
    /// positive forward.
    pub fn rim_speed(&self, state: &VehicleState) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.rim_speed(state),
            GroundVehicle::Tracked(own) => own.vehicle.rim_speed(state),
        }
    }

    /// Greatest slip of a driven wheel, or of a track, of all its wheels as they were last.
    pub(super) fn driven_slip(&self, wheels: &[WheelSample]) -> f64 {
        let slips = |wheel: usize| wheels.get(wheel).map_or(0.0, |own| own.slip);
        match self {
            GroundVehicle::Wheeled(own) => {
                own.vehicle.driven_wheels().map(slips).fold(0.0, f64::max)
            }
            GroundVehicle::Tracked(_) => (0..wheels.len()).map(slips).fold(0.0, f64::max),
        }
    }

    /// What its full brake does on level firm ground of this friction, m/s².
    pub fn full_braking(&self, friction: f64) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.full_braking(friction),
            GroundVehicle::Tracked(own) => own.vehicle.full_braking(friction),
        }
    }

    /// What throttle and brake do to it at its present speed and gear.
    pub fn pedal_response(&self, state: &VehicleState) -> PedalResponse {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.pedal_response(state),
            GroundVehicle::Tracked(own) => own.vehicle.pedal_response(state),
        }
    }

    /// How its engine gets to an acceleration at its present speed and gear.
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

    /// Fuel that the engine burns at `throttle`, kg/s, if its file says.
    pub fn fuel_rate(&self, state: &VehicleState, throttle: f64) -> Option<f64> {
        let engine = match self {
            GroundVehicle::Wheeled(own) => &own.vehicle.spec().powertrain.engine,
            GroundVehicle::Tracked(own) => &own.vehicle.spec().powertrain.engine,
        };
        engine.fuel_rate(throttle, self.engine_speed(state))
    }

    /// Radius at which the torque of its wheels acts on the ground: of wheels or road wheels, m.
    pub(super) fn drive_radius(&self) -> f64 {
        match self {
            GroundVehicle::Wheeled(own) => own.max_radius(),
            GroundVehicle::Tracked(own) => own.vehicle.spec().road_wheel.radius,
        }
    }

    /// Lowest point of its wheels or tracks in the design position, amid them in the chassis
    /// frame, m, and their height up to the top of wheels or sprocket, m.
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

    /// Height of the belly over firm ground in the design position, m, if the file gives one.
    pub(super) fn ground_clearance(&self) -> Option<f64> {
        let (lowest, _) = self.running_gear();
        self.belly().map(|belly| belly.centre[2] - lowest.z)
    }

    /// Largest opening of a joint or rod after the last step, m.
    pub fn drift(&self, workspace: &GroundVehicleWorkspace) -> f64 {
        of_kind!(self, workspace, _own, room => room.vehicle.drift())
    }

    /// Load on the chassis about its frame's origin, to be set before each step.
    pub fn chassis_load<'a>(&self, workspace: &'a mut GroundVehicleWorkspace) -> &'a mut Load {
        of_kind!(self, workspace, _own, room => room.vehicle.chassis_load())
    }

    /// Pose of the trailer's frame, whose origin is at the coupling, if it draws one.
    pub fn trailer_pose(&self, workspace: &GroundVehicleWorkspace) -> Option<Pose> {
        match (self, workspace) {
            (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) => {
                own.vehicle.trailer_pose(&room.vehicle)
            }
            _ => None,
        }
    }

    /// Feet of its trailer's landing gear, in the trailer's frame, m.
    pub(super) fn landing_feet(&self) -> &[Vec3] {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.landing_feet(),
            GroundVehicle::Tracked(_) => &[],
        }
    }

    /// Whether it has a trailer behind it, or had one.
    pub fn draws_trailer(&self) -> bool {
        match self {
            GroundVehicle::Wheeled(own) => own.vehicle.trailer_outline().is_some(),
            GroundVehicle::Tracked(_) => false,
        }
    }

    /// Where its trailer hangs on it in the chassis frame, m, if it draws one.
    pub(super) fn coupling(&self) -> Option<Vec3> {
        match self {
            GroundVehicle::Wheeled(own) => {
                own.vehicle.spec().trailer.as_ref().map(|own| Vec3::from(own.coupling))
            }
            GroundVehicle::Tracked(_) => None,
        }
    }

    /// Lets go of its trailer, if it draws one.
    pub(super) fn uncouple(&self, state: &mut VehicleState) {
        if let GroundVehicle::Wheeled(own) = self {
            own.vehicle.uncouple(state);
        }
    }

    /// Yaw of its trailer to the left, rad, while it draws one.
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

    /// How its trailer hangs on it, if it draws one.
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

    /// Force at which its coupling with a trailer breaks, N, if it draws one and that can.
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

    /// Load on the trailer's body about its frame's origin, to be set before each step.
    pub(super) fn trailer_load<'a>(
        &self,
        workspace: &'a mut GroundVehicleWorkspace,
    ) -> Option<&'a mut Load> {
        match workspace {
            GroundVehicleWorkspace::Wheeled(room) => room.vehicle.trailer_load(),
            GroundVehicleWorkspace::Tracked(_) => None,
        }
    }

    /// How many of its wheels, the last ones, are its trailer's.
    pub fn trailed_wheels(&self) -> usize {
        match self {
            GroundVehicle::Wheeled(own) => {
                let spec = own.vehicle.spec();
                2 * (spec.axles.len() - spec.own_axles().len())
            }
            GroundVehicle::Tracked(_) => 0,
        }
    }

    /// How many of its wheels, the first ones, go with it: not those of a trailer that has parted.
    pub(super) fn wheels_along(&self, coupling: Coupling) -> usize {
        match self {
            GroundVehicle::Wheeled(own) => own.wheels_along(coupling),
            GroundVehicle::Tracked(_) => self.wheels(),
        }
    }

    /// Mass of what goes with it, kg: without that of a trailer that has parted.
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

    /// Loads of yielding and firm ground on every wheel or shoe, for the coming
    /// step of `h` seconds. [`ContactContext::heap`] ends the meeting.
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

    /// Ends a meeting: what wheels or shoes and the belly have displaced heaps up.
    pub(super) fn heap(
        &self,
        workspace: &GroundVehicleWorkspace,
        belly: Option<Displaced>,
        context: &mut ContactContext<'_>,
    ) {
        let displaced = self.contacts(workspace).iter().filter_map(|met| met.displaced);
        context.heap(displaced.chain(belly));
    }

    /// What the ground did to each wheel or shoe in the last meeting.
    pub fn contacts<'a>(&self, workspace: &'a GroundVehicleWorkspace) -> &'a [Contact] {
        of_kind!(self, workspace, _own, room => &room.contacts)
    }

    /// Advances vehicle and tyres by `h` seconds under the loads of
    /// [`meet_ground`](GroundVehicle::meet_ground); `tick` counts steps.
    ///
    /// # Errors
    /// [`StepError`] when the equations have no finite solution.
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

    /// The same, its tyres and its coupling left as they are.
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

    /// Takes the tyres through the step that has been made.
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

    /// Samples of the wheels after a step, and the step's work.
    pub fn observe(
        &self,
        state: &VehicleState,
        workspace: &mut GroundVehicleWorkspace,
        h: f64,
    ) -> DriveWork {
        of_kind!(self, workspace, own, room => own.observe(state, room, h))
    }

    /// Samples of the wheels after the last step.
    pub(super) fn samples<'a>(&self, workspace: &'a GroundVehicleWorkspace) -> &'a [WheelSample] {
        of_kind!(self, workspace, _own, room => &room.wheels)
    }

    /// The same of those that [go with it](GroundVehicle::wheels_along).
    pub(super) fn samples_along<'a>(
        &self,
        coupling: Coupling,
        workspace: &'a GroundVehicleWorkspace,
    ) -> &'a [WheelSample] {
        &self.samples(workspace)[..self.wheels_along(coupling)]
    }

    /// Chassis frame of the vehicle when it stands at (x, y) with `heading` (rad).
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
