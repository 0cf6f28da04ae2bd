//! Contact of a wheeled vehicle with the ground.

use super::contact_context::ContactContext;
use super::drive_work::DriveWork;
use super::sample::WheelSample;
use super::tyre::{TyreState, relaxation, ring};
use bekker_ground::scm::{
    Contact, FlexibleTyre, Grousers, Ring, RingState, RingStep, Underside, UndersideError,
    settle_ring, tyre_contact, wheel_contact,
};
use bekker_ground::soil::{ShearStrength, Tread};
use bekker_math::spatial::{Load, Pose, Twist, Vec3};
use bekker_vehicle::spec::RigidTyre;
use bekker_vehicle::tyre::{BeltPatch, FirmContact, FirmPatch, Plane};
use bekker_vehicle::{Controls, Coupling, Vehicle, VehicleState, VehicleWorkspace};
use std::sync::Arc;

/// Rim speed below which slip is zero, m/s.
pub(super) const SLIP_SPEED: f64 = 0.2;

/// Wheeled vehicle with the shape of its wheels; immutable.
#[derive(Clone, Debug)]
pub struct OnWheels {
    /// The vehicle.
    pub vehicle: Arc<Vehicle>,
    /// Ground contact properties of the tires of each axle.
    tyres: Arc<[TyreOnGround]>,
    /// Position of each tire, wheel by wheel.
    places: Arc<[TyrePlace]>,
}

/// Position of a tire; twin tires share a wheel.
#[derive(Clone, Copy, Debug)]
struct TyrePlace {
    /// Index of its wheel.
    wheel: usize,
    /// Offset to the left of the wheel's center, m.
    aside: f64,
}

impl TyrePlace {
    /// Returns the offset from the wheel's center in world axes, m; `None` if it is zero.
    fn offset(&self, wheel: &Pose) -> Option<Vec3> {
        (self.aside != 0.0).then(|| wheel.direction(&Vec3::y()) * self.aside)
    }
}

/// Ground contact properties of a tire; immutable.
#[derive(Clone, Debug)]
pub struct TyreOnGround {
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

impl OnWheels {
    /// Builds a vehicle on the tires of its file, with lugs.
    ///
    /// # Errors
    /// [`UndersideError`] if outline or lugs do not make a wheel.
    pub fn new(vehicle: Arc<Vehicle>) -> Result<OnWheels, UndersideError> {
        let axles = 0..vehicle.spec().axles.len();
        let tyres =
            axles.map(|axle| TyreOnGround::of(&vehicle, axle)).collect::<Result<Vec<_>, _>>()?;
        let places = (0..vehicle.wheels()).flat_map(|wheel| {
            let aside = vehicle.spec().tyres_aside(vehicle.axle_of(wheel));
            aside.into_iter().map(move |aside| TyrePlace { wheel, aside })
        });
        let places = places.collect();
        Ok(OnWheels { vehicle, tyres: tyres.into(), places })
    }

    /// Returns the tire of a wheel.
    pub fn tyre(&self, wheel: usize) -> &TyreOnGround {
        &self.tyres[self.vehicle.axle_of(wheel)]
    }

    /// Returns radius and half width of a wheel's tire, m.
    pub(super) fn reach(&self, wheel: usize) -> [f64; 2] {
        let underside = &self.tyre(wheel).underside;
        let unloaded = self.vehicle.tyre(wheel).handling.unloaded_radius;
        [underside.max_radius().max(unloaded), underside.half_width()]
    }

    /// Adds the force of a block that supports a wheel to the wheel's sample.
    ///
    /// `pressed` is the penetration, m. If the block carries more than the ground, deflection and
    /// slip are those on the block.
    pub(super) fn bear(
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
            let rolls_on = self.tyre(wheel).underside.max_radius() - pressed / 3.0;
            let rim = twist.angular.dot(&axis) * rolls_on;
            sample.slip = slip(rim, twist.linear.dot(&forward));
        }
        sample.add_force(force, &forward);
    }

    /// Returns the largest wheel radius, m.
    pub fn max_radius(&self) -> f64 {
        self.tyres.iter().map(|own| own.underside.max_radius()).fold(0.0, f64::max)
    }

    /// Returns half the width of the widest wheel, m.
    pub fn half_width(&self) -> f64 {
        self.tyres.iter().map(|own| own.underside.half_width()).fold(0.0, f64::max)
    }

    /// Returns the tires at rest without load: wheel by wheel, twin tires from the left.
    pub(super) fn tyres(&self) -> Vec<TyreState> {
        let own = 2 * self.vehicle.spec().own_axles().len();
        let tyre = |wheel| {
            let flexible = self.vehicle.tyre(wheel).flexible.as_ref();
            let unloaded = |inflation| RingState::unloaded(inflation).into();
            TyreState {
                ring: flexible.map(|given| unloaded(given.inflation_kpa.of(wheel, own))),
                ..TyreState::default()
            }
        };
        self.places.iter().map(|place| tyre(place.wheel)).collect()
    }

    /// Returns the number of flexible tires among the first `wheels` wheels.
    pub(super) fn belts(&self, wheels: usize) -> usize {
        (0..wheels).filter(|wheel| self.tyre(*wheel).ring.is_some()).count()
    }

    /// Returns the number of wheels, from the first on, without those of an uncoupled trailer.
    pub(super) fn wheels_along(&self, coupling: Coupling) -> usize {
        match coupling {
            Coupling::Holds => self.vehicle.wheels(),
            Coupling::Released | Coupling::Broken => 2 * self.vehicle.spec().own_axles().len(),
        }
    }

    pub(super) fn workspace(&self, state: &VehicleState) -> WheelsWorkspace {
        let (wheels, tyres) = (self.vehicle.wheels(), self.places.len());
        WheelsWorkspace {
            vehicle: self.vehicle.workspace(state),
            contacts: vec![Contact::default(); tyres],
            firm: vec![None; tyres],
            rings: vec![RingStep::default(); if self.belts(wheels) > 0 { tyres } else { 0 }],
            wheels: vec![WheelSample::default(); wheels],
        }
    }

    /// Returns pose and twist of a tire.
    fn motion(&self, place: &TyrePlace, workspace: &WheelsWorkspace) -> (Pose, Twist) {
        let mut pose = self.vehicle.wheel_pose(&workspace.vehicle, place.wheel);
        let mut twist = self.vehicle.wheel_twist(&workspace.vehicle, place.wheel);
        if let Some(offset) = place.offset(&pose) {
            twist.linear = twist.at(&offset);
            pose.position += offset;
        }
        (pose, twist)
    }

    /// Computes the loads of deformable and firm ground on every wheel.
    pub(super) fn meet_ground(
        &self,
        tyres: &[TyreState],
        workspace: &mut WheelsWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) {
        context.overlay.begin_step();
        let mut before = None;
        for (index, (tyre, place)) in tyres.iter().zip(self.places.iter()).enumerate() {
            let wheel = place.wheel;
            let (pose, twist) = self.motion(place, workspace);
            let twist = context.felt_of_wheel(twist, &pose.position);
            // written in place: a contact has 700 bytes
            let contact = &mut workspace.contacts[index];
            let (firm, deflection) = match (&self.tyre(wheel).ring, &tyre.ring) {
                (Some(ring), Some(own)) => {
                    let step = &mut workspace.rings[index];
                    let belt = (ring, &**own, step, contact);
                    self.meet_on_belt(wheel, belt, tyre, (&pose, &twist), context, h)
                }
                _ => {
                    let motion = (&pose, &twist);
                    (self.meet_as_rigid(wheel, tyre, motion, context, h, contact), 0.0)
                }
            };
            let contact = &workspace.contacts[index];
            let mut load = contact.load;
            if let Some(firm) = &firm {
                add(&mut load, &firm.load);
            }
            workspace.firm[index] = firm;
            let pressed_in = (tyre, deflection);
            let firm = firm.as_ref();
            let sample =
                self.wheel_sample(wheel, pressed_in, &load, (&pose, &twist), contact, firm);
            if let Some(offset) = place.offset(&pose) {
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

    /// Evaluates a tire that is rigid on soil and uses its handling model on firm ground.
    fn meet_as_rigid(
        &self,
        wheel: usize,
        tyre: &TyreState,
        (pose, twist): (&Pose, &Twist),
        context: &mut ContactContext<'_>,
        h: f64,
        contact: &mut Contact,
    ) -> Option<FirmContact> {
        let TyreOnGround { underside, tread, .. } = self.tyre(wheel);
        *contact = wheel_contact(&mut context.working(), underside, tread, pose, twist, h);
        contact.firm.and_then(|firm| {
            let point = Vec3::new(pose.position.x, pose.position.y, firm.height);
            let plane = Plane { point, normal: firm.normal };
            let friction = if context.grips { firm.friction } else { 0.0 };
            let patch = FirmPatch { plane, friction, share: firm.share };
            let handling = &self.vehicle.tyre(wheel).handling;
            handling.firm_contact(pose, twist, &patch, &tyre.carcass, h)
        })
    }

    /// Evaluates a flexible tire on soil and firm ground; also returns its deflection, m.
    fn meet_on_belt(
        &self,
        wheel: usize,
        (ring, state, step, contact): (&Ring, &RingState, &mut RingStep, &mut Contact),
        tyre: &TyreState,
        (pose, twist): (&Pose, &Twist),
        context: &mut ContactContext<'_>,
        h: f64,
    ) -> (Option<FirmContact>, f64) {
        let shape = self.tyre(wheel);
        let own = FlexibleTyre { underside: &shape.underside, ring, tread: &shape.tread };
        let met = tyre_contact(&mut context.working(), &own, state, pose, twist, h, step);
        *contact = met.contact;
        let handling = &self.vehicle.tyre(wheel).handling;
        let deflection = met.deflection;
        let losses = [deflection, shape.nominal_deflection];
        handling.add_loss(&mut contact.load, &pose.direction(&Vec3::y()), twist, losses);
        let firm = met.firm.and_then(|firm| {
            let patch = BeltPatch {
                normal_force: firm.load,
                normal: firm.normal,
                place: firm.place,
                friction: if context.grips { firm.friction } else { 0.0 },
                radius: ring.radius,
                deflection,
            };
            handling.belt_contact(pose, twist, &patch, &tyre.carcass, h)
        });
        (firm, deflection)
    }

    /// Returns the energy of motion and gravity, and stored in springs and tires, J.
    pub(super) fn stored_energy(
        &self,
        state: &VehicleState,
        tyres: &[TyreState],
        workspace: &WheelsWorkspace,
    ) -> f64 {
        self.vehicle.energy(state, &workspace.vehicle)
            + self.vehicle.spring_energy(state, &workspace.vehicle)
            + self.tire_energy(tyres, workspace)
    }

    /// Returns the elastic energy of the tires, J: of belts, and of handling models on firm ground.
    fn tire_energy(&self, tyres: &[TyreState], workspace: &WheelsWorkspace) -> f64 {
        let own = tyres.iter().zip(self.places.iter()).zip(&workspace.firm);
        let energy = own.map(|((tyre, place), firm)| {
            match (&self.tyre(place.wheel).ring, &tyre.ring, firm) {
                (Some(ring), Some(belt), _) => ring.energy(belt),
                (_, _, Some(firm)) => {
                    let stiffness = self.vehicle.tyre(place.wheel).handling.vertical_stiffness;
                    0.5 * firm.normal_force * firm.normal_force / stiffness
                }
                _ => 0.0,
            }
        });
        energy.sum()
    }

    /// Advances the tires over the completed step.
    pub(super) fn settle_tyres(
        &self,
        tyres: &mut [TyreState],
        workspace: &WheelsWorkspace,
        h: f64,
    ) {
        for (index, (own, place)) in tyres.iter_mut().zip(self.places.iter()).enumerate() {
            let handling = &self.vehicle.tyre(place.wheel).handling;
            let (_, twist) = self.motion(place, workspace);
            handling.settle(workspace.firm[index].as_ref(), &twist, &mut own.carcass, h);
            if let Some(ring) = &mut own.ring {
                settle_ring(&workspace.rings[index], &twist, h, ring);
            }
        }
    }

    /// Changes tire pressure toward the command at the rate of central tire inflation.
    pub(super) fn inflate(&self, controls: &Controls, tyres: &mut [TyreState], h: f64) {
        let Some(wanted) = controls.inflation else { return };
        for (own, place) in tyres.iter_mut().zip(self.places.iter()) {
            let flexible = self.vehicle.tyre(place.wheel).flexible.as_ref();
            let central = flexible.and_then(|own| own.central_inflation);
            let (Some(central), Some(ring)) = (central, own.ring.as_mut()) else { continue };
            let [least, most] = central.limits();
            let (wanted, way) = (wanted.clamp(least, most), central.pascals_per_second() * h);
            ring.inflation += (wanted - ring.inflation).clamp(-way, way);
        }
    }

    /// Completes the samples after a step and returns the step's work, without wheels of an
    /// uncoupled trailer.
    pub(super) fn observe(
        &self,
        state: &VehicleState,
        workspace: &mut WheelsWorkspace,
        h: f64,
    ) -> DriveWork {
        let engine = workspace.vehicle.engine_work();
        let mut work = DriveWork { engine, ..DriveWork::default() };
        let along = self.wheels_along(state.coupling);
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
        let tyres = workspace.contacts.iter().zip(self.places.iter());
        for (contact, _) in tyres.filter(|(_, place)| place.wheel < along) {
            work.add_ground(contact, h);
        }
        work
    }

    /// Returns forces and slip of a wheel along its heading.
    fn wheel_sample(
        &self,
        wheel: usize,
        (tyre, deflection): (&TyreState, f64),
        load: &Load,
        (pose, twist): (&Pose, &Twist),
        contact: &Contact,
        firm: Option<&FirmContact>,
    ) -> WheelSample {
        let axis = pose.direction(&Vec3::y());
        let forward = level_forward(&axis);
        let left = Vec3::z().cross(&forward);
        let force = load.wrench.force;
        let shape = self.tyre(wheel);
        let belt = shape.ring.as_ref().zip(tyre.ring.as_ref());
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
            slip: slip(rim, twist.linear.dot(&forward)),
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

impl TyreOnGround {
    fn of(vehicle: &Vehicle, axle: usize) -> Result<TyreOnGround, UndersideError> {
        let tyre = vehicle.spec().tyre_of(axle);
        let (underside, tread) = (underside(&tyre.rigid)?, tread(&tyre.rigid));
        let (mut own, mut nominal_deflection) = (None, 0.0);
        if let (Some(figures), Some(flexible)) = (vehicle.ring(2 * axle), &tyre.flexible) {
            let wheels = 2 * vehicle.spec().own_axles().len();
            let inflation = flexible.nominal_inflation(axle, wheels);
            nominal_deflection = figures.deflection(inflation, tyre.handling.nominal_load);
            own = Some(ring(flexible, figures, relaxation(tyre)));
        }
        Ok(TyreOnGround { underside, tread, ring: own, nominal_deflection })
    }
}

/// Returns the shape of a tire on deformable soil.
///
/// # Errors
/// [`UndersideError`] if outline or lugs do not make a wheel.
pub fn underside(tyre: &RigidTyre) -> Result<Underside, UndersideError> {
    let outline = tyre.outline.iter().map(|point| [point.half_width, point.radius]).collect();
    let grousers =
        tyre.grousers.map(|g| Grousers { count: g.count, height: g.height, width: g.thickness });
    Underside::new(outline, grousers)
}

/// Returns the division of a tire's contact between rubber and soil.
pub fn tread(tyre: &RigidTyre) -> Tread {
    tyre.soil.map_or_else(Tread::rough, |soil| Tread {
        rubber_share: soil.area_ratio,
        rubber: ShearStrength {
            cohesion: soil.cohesion,
            friction: soil.friction,
            modulus: soil.shear_modulus,
        },
    })
}

/// Returns the slip of a rim or a track at a speed over ground, m/s, relative to the faster of the
/// two.
///
/// Positive when driving, forward or backward; negative when braking.
pub(super) fn slip(rim: f64, along: f64) -> f64 {
    let faster = if rim.abs() >= along.abs() { rim } else { along };
    if faster.abs() < SLIP_SPEED { 0.0 } else { ((rim - along) / faster).clamp(-1.0, 1.0) }
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
