//! A vehicle on wheels meets the ground.

use super::ground_vehicle::{ContactContext, DriveWork};
use super::record::WheelSample;
use crate::scm::{Contact, Grousers, Underside, UndersideError, wheel_contact};
use crate::soil::{ShearStrength, Tread};
use crate::spatial::{Load, Pose, Twist, Vec3};
use crate::vehicle::spec::RigidTyre;
use crate::vehicle::tyre::{FirmContact, FirmPatch, Plane, TyreState};
use crate::vehicle::{Vehicle, VehicleState, VehicleWorkspace};
use std::sync::Arc;

/// Below this rim speed, m/s, slip is not counted.
pub(super) const SLIP_SPEED: f64 = 0.2;

/// A wheeled vehicle with the shape of its wheels; immutable.
#[derive(Clone, Debug)]
pub struct OnWheels {
    /// The vehicle.
    pub vehicle: Arc<Vehicle>,
    /// Shape of its wheels on yielding soil.
    pub underside: Underside,
    /// How its tyres share the contact between rubber and soil.
    pub tread: Tread,
}

/// Derived and scratch data of a wheeled vehicle on the ground: never saved.
#[derive(Clone, Debug)]
pub struct WheelsWorkspace {
    pub(super) vehicle: VehicleWorkspace,
    pub(super) contacts: Vec<Contact>,
    firm: Vec<Option<FirmContact>>,
    pub(super) wheels: Vec<WheelSample>,
}

impl OnWheels {
    /// A vehicle on the tyres of its file, lugs included.
    ///
    /// # Errors
    /// [`UndersideError`] for an outline or lugs that make no wheel.
    pub fn new(vehicle: Arc<Vehicle>) -> Result<OnWheels, UndersideError> {
        let tyre = &vehicle.spec().tyre.rigid;
        let (underside, tread) = (underside(tyre)?, tread(tyre));
        Ok(OnWheels { vehicle, underside, tread })
    }

    pub(super) fn workspace(&self, state: &VehicleState) -> WheelsWorkspace {
        let wheels = self.vehicle.wheels();
        WheelsWorkspace {
            vehicle: self.vehicle.workspace(state),
            contacts: vec![Contact::default(); wheels],
            firm: vec![None; wheels],
            wheels: vec![WheelSample::default(); wheels],
        }
    }

    /// Loads of yielding and firm ground on every wheel.
    pub(super) fn meet_ground(
        &self,
        tyres: &[TyreState],
        workspace: &mut WheelsWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) {
        context.overlay.begin_step();
        for (wheel, carcass) in tyres.iter().enumerate() {
            let pose = self.vehicle.wheel_pose(&workspace.vehicle, wheel);
            let twist = self.vehicle.wheel_twist(&workspace.vehicle, wheel);
            let twist = context.felt_of_wheel(twist, &pose.position);
            let contact = wheel_contact(
                &mut context.working(),
                &self.underside,
                &self.tread,
                &pose,
                &twist,
                h,
            );
            let mut load = contact.load;
            let tyre = &self.vehicle.spec().tyre.handling;
            workspace.firm[wheel] = contact.firm.and_then(|firm| {
                let point = Vec3::new(pose.position.x, pose.position.y, firm.height);
                let plane = Plane { point, normal: firm.normal };
                let friction = if context.grips { firm.friction } else { 0.0 };
                let patch = FirmPatch { plane, friction, share: firm.share };
                tyre.firm_contact(&pose, &twist, &patch, carcass, h)
            });
            if let Some(firm) = &workspace.firm[wheel] {
                add(&mut load, &firm.load);
            }
            workspace.wheels[wheel] = self.wheel_sample(&load, &pose, &twist, &contact);
            workspace.vehicle.loads()[wheel] = load;
            workspace.contacts[wheel] = contact;
        }
    }

    /// Takes the tyres' carcasses through the step that has been made.
    pub(super) fn settle_tyres(
        &self,
        tyres: &mut [TyreState],
        workspace: &WheelsWorkspace,
        h: f64,
    ) {
        let tyre = &self.vehicle.spec().tyre.handling;
        for (wheel, own) in tyres.iter_mut().enumerate() {
            let twist = self.vehicle.wheel_twist(&workspace.vehicle, wheel);
            tyre.settle(workspace.firm[wheel].as_ref(), &twist, own, h);
        }
    }

    /// Completes the samples after a step.
    pub(super) fn observe(
        &self,
        state: &VehicleState,
        workspace: &mut WheelsWorkspace,
        h: f64,
    ) -> DriveWork {
        let mut work = DriveWork::default();
        for wheel in 0..self.vehicle.wheels() {
            let drive = workspace.vehicle.drives()[wheel];
            let spin = self.vehicle.wheel_spin(state, wheel);
            let sample = &mut workspace.wheels[wheel];
            sample.spin = spin;
            sample.torque = drive.drive + drive.brake;
            work.add(drive.drive * spin * h);
            work.add(drive.brake * spin * h);
            work.add_ground(&workspace.contacts[wheel], h);
        }
        work
    }

    /// Forces and slip of a wheel along its heading.
    fn wheel_sample(
        &self,
        load: &Load,
        pose: &Pose,
        twist: &Twist,
        contact: &Contact,
    ) -> WheelSample {
        let axis = pose.direction(&Vec3::y());
        let forward = axis.cross(&Vec3::z()).try_normalize(1e-9).unwrap_or_else(Vec3::x);
        let left = Vec3::z().cross(&forward);
        let force = load.wrench.force;
        let rim = twist.angular.dot(&axis) * self.underside.max_radius();
        WheelSample {
            slip: slip(rim, twist.linear.dot(&forward)),
            sinkage: contact.sinkage,
            load: force.z,
            traction: force.dot(&forward),
            lateral: force.dot(&left),
            area: contact.area,
            ..WheelSample::default()
        }
    }
}

/// Shape of a tyre on yielding soil.
///
/// # Errors
/// [`UndersideError`] for an outline or lugs that make no wheel.
pub fn underside(tyre: &RigidTyre) -> Result<Underside, UndersideError> {
    let outline = tyre.outline.iter().map(|point| [point.half_width, point.radius]).collect();
    let grousers =
        tyre.grousers.map(|g| Grousers { count: g.count, height: g.height, width: g.thickness });
    Underside::new(outline, grousers)
}

/// How a tyre shares its contact between rubber and soil.
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

/// Slip of a rim or a track at a speed over ground, m/s: positive when driving,
/// forward or backward, negative when braking. Against the faster of the two.
pub(super) fn slip(rim: f64, along: f64) -> f64 {
    let faster = if rim.abs() >= along.abs() { rim } else { along };
    if faster.abs() < SLIP_SPEED { 0.0 } else { ((rim - along) / faster).clamp(-1.0, 1.0) }
}

/// Adds a load about the same point.
fn add(load: &mut Load, other: &Load) {
    load.wrench += other.wrench;
    load.glide += other.glide;
    load.stiffness += other.stiffness;
    load.damping += other.damping;
}
