//! Wheeled vehicle on the ground.

use super::body_motion::BodyMotion;
use super::contact_context::ContactContext;
use super::drive_work::DriveWork;
use super::ground_vehicle::{ContactWorkspace, GroundVehicle};
use super::obstacle::{Solid, WheelStemContact};
use super::sample::WheelSample;
use super::tire::{TireContactState, relaxation, ring};
use super::vehicle_properties::{VehicleProperties, middle};
use bekker_ground::scm::{
    Contact, FlexibleTire, Grousers, Lugs, Ring, RingState, RingStep, Underside, UndersideError,
    settle_ring, tire_contact, wheel_contact,
};
use bekker_ground::soil::{ShearStrength, Tread};
use bekker_math::spatial::{Load, Pose, Vec3};
use bekker_sync::message::RemoteVehicleDescription;
use bekker_vehicle::collision::{ContactForce, Stem};
use bekker_vehicle::multibody::{BodyId, MultibodyWorkspace, StepError};
use bekker_vehicle::spec::{RigidTire, RimSurface, VehicleFootprint};
use bekker_vehicle::tire::{BeltPatch, FirmContact, FirmPatch, GroundPlane};
use bekker_vehicle::{
    Controls, Drivetrain, MotorReading, RearFrameModel, TrailerModel, Vehicle, VehicleBodies,
    VehicleSpec, VehicleState, VehicleWorkspace, WheelMotorReading,
};
use std::sync::Arc;

/// Rim speed below which slip is zero, m/s.
pub(super) const SLIP_SPEED: f64 = 0.2;
/// The same speed over the top speed of the rims, for vehicles with slow motors.
const SLIP_SPEED_SHARE: f64 = 0.25;

/// Wheeled vehicle with the shape of its wheels; immutable.
#[derive(Clone, Debug)]
pub struct WheeledGroundVehicle {
    /// The vehicle.
    pub vehicle: Arc<Vehicle>,
    properties: Arc<VehicleProperties>,
    /// Ground contact properties of the tires of each axle.
    tires: Arc<[TireContactModel]>,
    /// Position of each tire, wheel by wheel.
    places: Arc<[TirePosition]>,
}

/// Position of a tire; twin tires share a wheel.
#[derive(Clone, Copy, Debug)]
struct TirePosition {
    /// Index of its wheel.
    wheel: usize,
    /// Offset to the left of the wheel's center, m.
    aside: f64,
}

impl TirePosition {
    /// Returns the offset from the wheel's center in world axes, m; `None` if it is zero.
    fn offset(&self, wheel: &Pose) -> Option<Vec3> {
        (self.aside != 0.0).then(|| wheel.direction(&Vec3::y()) * self.aside)
    }
}

/// Ground contact properties of a tire; immutable.
#[derive(Clone, Debug)]
pub struct TireContactModel {
    /// Shape on deformable soil.
    pub underside: Underside,
    /// Division of the contact between rubber and soil.
    pub tread: Tread,
    /// Belt, if the tire is flexible.
    pub ring: Option<Ring>,
    /// Deflection under the nominal load on a plate, at the inflation to which rolling resistance
    /// refers, m.
    nominal_deflection: f64,
}

/// Derived and scratch data of a wheeled vehicle on the ground; never saved.
#[derive(Clone, Debug)]
pub struct WheelsWorkspace {
    pub(super) vehicle: VehicleWorkspace,
    pub(super) contacts: Vec<Contact>,
    firm: Vec<Option<FirmContact>>,
    /// Next step of each belt; empty if no tire is flexible.
    rings: Vec<RingStep>,
    pub(super) wheels: Vec<WheelSample>,
}

/// Contact of a flexible tire's belt in a step.
struct BeltContactStep<'a> {
    ring: &'a Ring,
    state: &'a RingState,
    /// Next step of the belt.
    step: &'a mut RingStep,
    contact: &'a mut Contact,
}

/// Contact of a tire as evaluated in a step.
struct TireContactStep<'a> {
    tire: &'a TireContactState,
    motion: &'a BodyMotion,
    /// Load of deformable and firm ground about the tire's center.
    load: &'a Load,
    contact: &'a Contact,
    firm: Option<&'a FirmContact>,
    /// Deflection of a flexible tire, m.
    deflection: f64,
}

impl WheeledGroundVehicle {
    /// Builds a vehicle on the tires of its file, with lugs.
    ///
    /// # Errors
    /// [`UndersideError`] if outline or lugs do not make a wheel.
    pub fn new(vehicle: Arc<Vehicle>) -> Result<WheeledGroundVehicle, UndersideError> {
        let axles = 0..vehicle.spec().axles.len();
        let tires = axles
            .map(|axle| TireContactModel::new(&vehicle, axle))
            .collect::<Result<Vec<_>, _>>()?;
        let places = (0..vehicle.wheels()).flat_map(|wheel| {
            let aside = vehicle.spec().tire_offsets(vehicle.axle_of(wheel));
            aside.into_iter().map(move |aside| TirePosition { wheel, aside })
        });
        let places = places.collect();
        let properties = Arc::new(properties(&vehicle, &tires));
        Ok(WheeledGroundVehicle { vehicle, properties, tires: tires.into(), places })
    }

    /// Returns the tire of a wheel.
    pub fn tire(&self, wheel: usize) -> &TireContactModel {
        &self.tires[self.vehicle.axle_of(wheel)]
    }

    /// Returns radius and half width of a wheel's tire, m.
    pub(super) fn tire_extent(&self, wheel: usize) -> [f64; 2] {
        let underside = &self.tire(wheel).underside;
        let unloaded = self.vehicle.tire(wheel).handling.unloaded_radius;
        [underside.max_radius().max(unloaded), underside.half_width()]
    }

    /// Adds the force of a block that supports a wheel to the wheel's sample.
    ///
    /// `pressed` is the penetration, m. If the block carries more than the ground, deflection and
    /// slip are those on the block.
    pub(super) fn add_supporting_force(
        &self,
        workspace: &mut WheelsWorkspace,
        wheel: usize,
        force: &Vec3,
        pressed: f64,
    ) {
        let pose = self.vehicle.wheel_pose(&workspace.vehicle, wheel);
        let twist = self.vehicle.wheel_twist(&workspace.vehicle, wheel);
        let axis = pose.direction(&Vec3::y());
        let forward = level_forward(&axis);
        let sample = &mut workspace.wheels[wheel];
        if force.z > sample.load {
            sample.deflection = pressed;
            let rolls_on = self.tire(wheel).underside.max_radius() - pressed / 3.0;
            let rim = twist.angular.dot(&axis) * rolls_on;
            sample.slip = slip(rim, twist.linear.dot(&forward), slip_speed(self.vehicle.spec()));
        }
        sample.add_force(force, &forward);
    }

    /// Returns pose and twist of a tire.
    fn motion(&self, place: &TirePosition, workspace: &WheelsWorkspace) -> BodyMotion {
        let mut pose = self.vehicle.wheel_pose(&workspace.vehicle, place.wheel);
        let mut twist = self.vehicle.wheel_twist(&workspace.vehicle, place.wheel);
        if let Some(offset) = place.offset(&pose) {
            twist.linear = twist.velocity_at(&offset);
            pose.position += offset;
        }
        BodyMotion { pose, twist }
    }

    /// Evaluates a tire that is rigid on soil and uses its handling model on firm ground.
    fn contact_rigid(
        &self,
        wheel: usize,
        tire: &TireContactState,
        motion: &BodyMotion,
        context: &mut ContactContext<'_>,
        h: f64,
        contact: &mut Contact,
    ) -> Option<FirmContact> {
        let BodyMotion { pose, twist } = motion;
        let TireContactModel { underside, tread, .. } = self.tire(wheel);
        *contact = wheel_contact(&mut context.working(), underside, tread, pose, twist, h);
        contact.firm.and_then(|firm| {
            let point = Vec3::new(pose.position.x, pose.position.y, firm.height);
            let plane = GroundPlane { point, normal: firm.normal };
            let friction = if context.grips { firm.friction } else { 0.0 };
            let patch = FirmPatch { plane, friction, share: firm.share };
            let handling = &self.vehicle.tire(wheel).handling;
            handling.firm_contact(pose, twist, &patch, &tire.carcass, h)
        })
    }

    /// Evaluates a flexible tire on soil and firm ground; also returns its deflection, m.
    fn contact_belt(
        &self,
        wheel: usize,
        belt: BeltContactStep<'_>,
        tire: &TireContactState,
        motion: &BodyMotion,
        context: &mut ContactContext<'_>,
        h: f64,
    ) -> (Option<FirmContact>, f64) {
        let BeltContactStep { ring, state, step, contact } = belt;
        let BodyMotion { pose, twist } = motion;
        let shape = self.tire(wheel);
        let own = FlexibleTire { underside: &shape.underside, ring, tread: &shape.tread };
        let met = tire_contact(&mut context.working(), &own, state, pose, twist, h, step);
        *contact = met.contact;
        let handling = &self.vehicle.tire(wheel).handling;
        let deflection = met.deflection;
        let losses = [deflection, shape.nominal_deflection];
        handling.add_loss(&mut contact.load, &pose.direction(&Vec3::y()), twist, losses);
        let firm = met.firm.and_then(|firm| {
            let patch = BeltPatch {
                normal_force: firm.load,
                normal: firm.normal,
                center: firm.center,
                friction: if context.grips { firm.friction } else { 0.0 },
                radius: ring.radius,
                deflection,
            };
            handling.belt_contact(pose, twist, &patch, &tire.carcass, h)
        });
        (firm, deflection)
    }

    /// Returns the elastic energy of the tires, J: of belts, and of handling models on firm ground.
    fn tire_energy(&self, tires: &[TireContactState], workspace: &WheelsWorkspace) -> f64 {
        let own = tires.iter().zip(self.places.iter()).zip(&workspace.firm);
        let energy = own.map(|((tire, place), firm)| {
            match (&self.tire(place.wheel).ring, &tire.ring, firm) {
                (Some(ring), Some(belt), _) => ring.energy(belt),
                (_, _, Some(firm)) => {
                    let stiffness = self.vehicle.tire(place.wheel).handling.vertical_stiffness;
                    0.5 * firm.normal_force * firm.normal_force / stiffness
                }
                _ => 0.0,
            }
        });
        energy.sum()
    }

    /// Returns forces and slip of a wheel along its heading.
    fn wheel_sample(&self, wheel: usize, of_tire: &TireContactStep<'_>) -> WheelSample {
        let TireContactStep { tire, motion, load, contact, firm, deflection } = *of_tire;
        let BodyMotion { pose, twist } = motion;
        let axis = pose.direction(&Vec3::y());
        let forward = level_forward(&axis);
        let left = Vec3::z().cross(&forward);
        let force = load.wrench.force;
        let shape = self.tire(wheel);
        let belt = shape.ring.as_ref().zip(tire.ring.as_ref());
        let (inflation, contact_length) =
            belt.map_or((0.0, 0.0), |(ring, own)| (own.inflation, ring.contact_length(own)));
        // a rigid tire rolls on its outline over soil and on its handling radius over firm ground,
        // weighted by load
        let on_soil = shape.underside.max_radius() - deflection / 3.0;
        let rolls_on = firm.map_or(on_soil, |firm| {
            let carried = force.dot(&firm.contact.normal).max(firm.normal_force);
            let share = if carried > 0.0 { firm.normal_force / carried } else { 0.0 };
            on_soil + share * (firm.rolling_radius - on_soil)
        });
        let rim = twist.angular.dot(&axis) * rolls_on;
        WheelSample {
            slip: slip(rim, twist.linear.dot(&forward), slip_speed(self.vehicle.spec())),
            sinkage: contact.sinkage,
            load: force.z,
            traction: force.dot(&forward),
            lateral: force.dot(&left),
            area: contact.area,
            inflation,
            deflection,
            contact_length,
            ..WheelSample::default()
        }
    }
}

impl ContactWorkspace for WheelsWorkspace {
    fn bodies(&self) -> &MultibodyWorkspace {
        self.vehicle.bodies()
    }

    fn bodies_mut(&mut self) -> &mut MultibodyWorkspace {
        self.vehicle.bodies_mut()
    }

    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    fn padded_contacts(&self) -> Vec<Contact> {
        self.contacts.clone()
    }

    fn samples(&self) -> &[WheelSample] {
        &self.wheels
    }
}

impl GroundVehicle for WheeledGroundVehicle {
    type Workspace = WheelsWorkspace;

    fn properties(&self) -> &VehicleProperties {
        &self.properties
    }

    fn bodies(&self) -> &VehicleBodies {
        self.vehicle.bodies()
    }

    fn drivetrain(&self) -> &Drivetrain {
        self.vehicle.drivetrain()
    }

    fn trailer(&self) -> Option<&TrailerModel> {
        self.vehicle.trailer()
    }

    fn rear_frame(&self) -> Option<&RearFrameModel> {
        self.vehicle.rear_frame()
    }

    fn state(&self, pose: &Pose) -> VehicleState {
        self.vehicle.state(pose)
    }

    fn launch(&self, state: &mut VehicleState, forward: &Vec3, speed: f64, gear: Option<i32>) {
        self.vehicle.launch(state, forward, speed, gear);
    }

    fn workspace(&self, state: &VehicleState) -> WheelsWorkspace {
        let (wheels, tires) = (self.vehicle.wheels(), self.places.len());
        let [_, flexible] = self.properties.flexible_wheels;
        WheelsWorkspace {
            vehicle: self.vehicle.workspace(state),
            contacts: vec![Contact::default(); tires],
            firm: vec![None; tires],
            rings: vec![RingStep::default(); if flexible > 0 { tires } else { 0 }],
            wheels: vec![WheelSample::default(); wheels],
        }
    }

    fn tires(&self) -> Vec<TireContactState> {
        let own = 2 * self.vehicle.spec().tractor_axles().len();
        let tire = |wheel| {
            let flexible = self.vehicle.tire(wheel).flexible.as_ref();
            let unloaded = |inflation| RingState::unloaded(inflation).into();
            TireContactState {
                ring: flexible.map(|given| unloaded(given.inflation_kpa.kpa(wheel, own))),
                ..TireContactState::default()
            }
        };
        self.places.iter().map(|place| tire(place.wheel)).collect()
    }

    fn wheel_body(&self, wheel: usize) -> BodyId {
        self.vehicle.wheel_body(wheel)
    }

    fn wheel_spin(&self, state: &VehicleState, wheel: usize) -> f64 {
        self.vehicle.wheel_spin(state, wheel)
    }

    fn rim_speed(&self, state: &VehicleState) -> f64 {
        self.vehicle.rim_speed(state)
    }

    fn full_braking(&self, friction: f64) -> f64 {
        self.vehicle.full_braking(friction)
    }

    fn stored_energy(
        &self,
        state: &VehicleState,
        tires: &[TireContactState],
        workspace: &WheelsWorkspace,
    ) -> f64 {
        self.bodies().energy(state, workspace.bodies())
            + self.vehicle.spring_energy(state, &workspace.vehicle)
            + self.tire_energy(tires, workspace)
    }

    fn contact_ground(
        &self,
        _state: &VehicleState,
        tires: &[TireContactState],
        workspace: &mut WheelsWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) {
        context.overlay.begin_step();
        let mut before = None;
        for (index, (tire, place)) in tires.iter().zip(self.places.iter()).enumerate() {
            let wheel = place.wheel;
            let mut motion = self.motion(place, workspace);
            motion.twist = context.wheel_contact_twist(motion.twist, &motion.pose.position);
            // written in place: a contact has 700 bytes
            let contact = &mut workspace.contacts[index];
            let (firm, deflection) = match (&self.tire(wheel).ring, &tire.ring) {
                (Some(ring), Some(own)) => {
                    let step = &mut workspace.rings[index];
                    let belt = BeltContactStep { ring, state: own, step, contact };
                    self.contact_belt(wheel, belt, tire, &motion, context, h)
                }
                _ => (self.contact_rigid(wheel, tire, &motion, context, h, contact), 0.0),
            };
            let contact = &workspace.contacts[index];
            let mut load = contact.load;
            if let Some(firm) = &firm {
                add(&mut load, &firm.load);
            }
            workspace.firm[index] = firm;
            let firm = firm.as_ref();
            let of_tire =
                TireContactStep { tire, motion: &motion, load: &load, contact, firm, deflection };
            let sample = self.wheel_sample(wheel, &of_tire);
            if let Some(offset) = place.offset(&motion.pose) {
                load = load.moved(&offset);
            }
            if before == Some(wheel) {
                workspace.wheels[wheel].join(&sample);
                add(&mut workspace.vehicle.loads()[wheel], &load);
            } else {
                workspace.wheels[wheel] = sample;
                workspace.vehicle.loads()[wheel] = load;
            }
            before = Some(wheel);
        }
    }

    fn solve(
        &self,
        state: &mut VehicleState,
        workspace: &mut WheelsWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError> {
        self.vehicle.step(state, &mut workspace.vehicle, controls, tick, h)
    }

    fn advance_tires(&self, tires: &mut [TireContactState], workspace: &WheelsWorkspace, h: f64) {
        for (index, (own, place)) in tires.iter_mut().zip(self.places.iter()).enumerate() {
            let handling = &self.vehicle.tire(place.wheel).handling;
            let BodyMotion { twist, .. } = self.motion(place, workspace);
            handling.settle(workspace.firm[index].as_ref(), &twist, &mut own.carcass, h);
            if let Some(ring) = &mut own.ring {
                settle_ring(&workspace.rings[index], &twist, h, ring);
            }
        }
    }

    fn motor_reading<'a>(&self, workspace: &'a WheelsWorkspace) -> Option<&'a MotorReading> {
        workspace.vehicle.motors()
    }

    fn wheel_motor_readings<'a>(&self, workspace: &'a WheelsWorkspace) -> &'a [WheelMotorReading] {
        workspace.vehicle.wheel_motors()
    }

    fn inflate_tires(&self, controls: &Controls, tires: &mut [TireContactState], h: f64) {
        let Some(wanted) = controls.inflation else { return };
        for (own, place) in tires.iter_mut().zip(self.places.iter()) {
            let flexible = self.vehicle.tire(place.wheel).flexible.as_ref();
            let central = flexible.and_then(|own| own.central_inflation);
            let (Some(central), Some(ring)) = (central, own.ring.as_mut()) else { continue };
            let [least, most] = central.limits();
            let (wanted, way) = (wanted.clamp(least, most), central.pascals_per_second() * h);
            ring.inflation += (wanted - ring.inflation).clamp(-way, way);
        }
    }

    fn observe(&self, state: &VehicleState, workspace: &mut WheelsWorkspace, h: f64) -> DriveWork {
        let engine = workspace.vehicle.engine_work();
        let mut work = DriveWork { engine, ..DriveWork::default() };
        let along = self.coupled_wheels(state.coupling);
        for wheel in 0..self.vehicle.wheels() {
            let drive = workspace.vehicle.drives()[wheel];
            let spin = self.vehicle.wheel_spin(state, wheel);
            let sample = &mut workspace.wheels[wheel];
            sample.spin = spin;
            sample.torque = drive.drive + drive.brake;
            if wheel < along {
                work.add(drive.drive * spin * h);
                work.add(drive.brake * spin * h);
            }
        }
        let tires = workspace.contacts.iter().zip(self.places.iter());
        for (contact, _) in tires.filter(|(_, place)| place.wheel < along) {
            work.add_ground(contact, h);
        }
        work
    }

    fn press_solid(
        &self,
        solid: &Solid<'_>,
        _state: &VehicleState,
        workspace: &mut WheelsWorkspace,
        each: impl FnMut(&ContactForce, &Vec3, &Vec3),
    ) {
        self.press_wheels(solid, workspace, each);
    }

    fn solid_depth(
        &self,
        solid: &Solid<'_>,
        _state: &VehicleState,
        workspace: &mut WheelsWorkspace,
    ) -> f64 {
        let contacts = (0..self.vehicle.wheels())
            .filter_map(|wheel| self.solid_contact(wheel, solid, workspace));
        contacts.map(|met| met.depth).fold(0.0, f64::max)
    }

    fn stem_contact(
        &self,
        stem: &Stem,
        foot: &Vec3,
        workspace: &WheelsWorkspace,
        least: f64,
    ) -> Option<WheelStemContact> {
        self.deepest_stem_contact(stem, foot, workspace, least)
    }

    fn press_stem(
        &self,
        contact: &WheelStemContact,
        push: impl FnOnce(&Vec3) -> ContactForce,
        workspace: &mut WheelsWorkspace,
    ) -> Option<(ContactForce, Vec3)> {
        self.press_stem_on_wheel(contact, push, workspace)
    }

    fn description(&self, name: String) -> RemoteVehicleDescription {
        let model = self.name().to_owned();
        let (wheels, wheel_radius) = (self.wheels() as u16, self.properties.drive_radius as f32);
        RemoteVehicleDescription::Wheeled { name, model, wheels, wheel_radius }
    }
}

/// Returns the rim speed below which slip is zero, and the speed below which a vehicle stands, m/s.
fn slip_speed(spec: &VehicleSpec) -> f64 {
    SLIP_SPEED.min(SLIP_SPEED_SHARE * spec.top_rim_speed())
}

/// Returns the properties of a vehicle on these tires of its axles.
fn properties(vehicle: &Vehicle, tires: &[TireContactModel]) -> VehicleProperties {
    let spec = vehicle.spec();
    let wheels = vehicle.wheels();
    let own_wheels = 2 * spec.tractor_axles().len();
    let is_flexible = |wheel: &usize| tires[vehicle.axle_of(*wheel)].ring.is_some();
    let flexible = |wheels: usize| (0..wheels).filter(is_flexible).count();
    let wheel_centers: Vec<Vec3> = (0..wheels).map(|wheel| vehicle.wheel_center(wheel)).collect();
    let underside = || tires.iter().map(|own| &own.underside);
    let max_radius = underside().map(Underside::max_radius).fold(0.0, f64::max);
    let half_width = underside().map(Underside::half_width).fold(0.0, f64::max);
    let ride_radius = vehicle.ride_radius();
    VehicleProperties {
        name: spec.name.clone(),
        chassis: spec.chassis.clone(),
        footprint: VehicleFootprint::from_spec(spec),
        is_tracked: false,
        can_steer: spec.can_steer(),
        max_steering_angle: Some(spec.max_steer()).filter(|angle| *angle > 0.0),
        max_yaw_rate: spec.max_yaw_rate(),
        has_central_inflation: (0..spec.axles.len()).any(|axle| {
            let flexible = spec.tire_of(axle).flexible.as_ref();
            flexible.is_some_and(|tire| tire.central_inflation.is_some())
        }),
        locks: spec.locks(),
        trailed_wheels: wheels - own_wheels,
        flexible_wheels: [own_wheels, wheels].map(flexible),
        driven_wheels: vehicle.driven_wheels().collect(),
        ride_radius,
        drive_radius: max_radius,
        rolling_speed: slip_speed(spec),
        wheel_reach: [max_radius.max(ride_radius), half_width],
        lowest_point: middle(&wheel_centers) - Vec3::z() * max_radius,
        running_gear_height: 2.0 * max_radius,
        wheel_centers,
    }
}

impl TireContactModel {
    fn new(vehicle: &Vehicle, axle: usize) -> Result<TireContactModel, UndersideError> {
        let tire = vehicle.spec().tire_of(axle);
        let (underside, tread) = (underside(&tire.rigid)?, tread(&tire.rigid));
        let (mut own, mut nominal_deflection) = (None, 0.0);
        if let (Some(figures), Some(flexible)) = (vehicle.ring(2 * axle), &tire.flexible) {
            let wheels = 2 * vehicle.spec().tractor_axles().len();
            let inflation = flexible.nominal_inflation(axle, wheels);
            nominal_deflection = figures.deflection(inflation, tire.handling.nominal_load);
            own = Some(ring(flexible, figures, relaxation(tire)));
        }
        Ok(TireContactModel { underside, tread, ring: own, nominal_deflection })
    }
}

/// Returns the shape of a tire on deformable soil.
///
/// # Errors
/// [`UndersideError`] if outline or lugs do not make a wheel.
pub fn underside(tire: &RigidTire) -> Result<Underside, UndersideError> {
    let outline = tire.outline.iter().map(|point| [point.half_width, point.radius]).collect();
    let bars = tire.grousers.and_then(|own| {
        let (count, height) = (own.count, own.height);
        own.thickness.map(|width| Grousers { count, height, width })
    });
    let outline = match lugs(tire) {
        Some(lugs) => lugs.outline(outline),
        None => outline,
    };
    Underside::new(outline, bars)
}

/// Returns the lugs of a tire that hold the soil between them.
fn lugs(tire: &RigidTire) -> Option<Lugs> {
    let own = tire.grousers.filter(|own| own.thickness.is_none())?;
    Some(Lugs { count: own.count, height: own.height })
}

/// Returns the division of a tire's contact between rubber or metal and soil, with its lugs.
pub fn tread(tire: &RigidTire) -> Tread {
    let tread = match (tire.soil, tire.surface) {
        (Some(soil), _) => Tread {
            rubber_share: soil.area_ratio,
            rubber: ShearStrength {
                cohesion: soil.cohesion,
                friction: soil.friction,
                modulus: soil.shear_modulus,
            },
            ..Tread::rough()
        },
        (None, Some(RimSurface::Metal)) => Tread::metal(),
        (None, Some(RimSurface::Rough) | None) => Tread::rough(),
    };
    lugs(tire).map_or(tread, |lugs| lugs.tread(tread, tire.radius(), tire.width()))
}

/// Returns the slip of a rim or a track at a speed over ground, m/s, relative to the faster of the
/// two.
///
/// Positive when driving, forward or backward; negative when braking. Zero while both are slower than
/// `least`, m/s.
pub(super) fn slip(rim: f64, along: f64, least: f64) -> f64 {
    let faster = if rim.abs() >= along.abs() { rim } else { along };
    if faster.abs() < least { 0.0 } else { ((rim - along) / faster).clamp(-1.0, 1.0) }
}

/// Returns the horizontal direction in which a body rolls whose axis points to the left.
pub(super) fn level_forward(left: &Vec3) -> Vec3 {
    left.cross(&Vec3::z()).try_normalize(1e-9).unwrap_or_else(Vec3::x)
}

/// Adds a load about the same point.
fn add(load: &mut Load, other: &Load) {
    load.wrench += other.wrench;
    load.glide += other.glide;
    load.stiffness += other.stiffness;
    load.damping += other.damping;
}
