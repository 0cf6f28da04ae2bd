//! Assembly of a vehicle's parameters into bodies, joints, closures and elements.
//!
//! The assembly configuration is the design position: the chassis frame is at the origin, and the
//! axes of all bodies are parallel to the chassis's. Each template adds its bodies to a
//! [`VehicleBuilder`]. The items that a step accesses are returned as plain indices.

mod articulation;
mod double_wishbone;
mod driveline;
mod flat_stop;
mod macpherson_strut;
mod motor_drive;
mod rear_frame;
mod rocker_bogie;
mod single_wishbone;
mod solid_axle;
mod steering;
mod tandem;
mod trailer;
mod trailing_arm;

pub(super) use articulation::FrameCylinders;
pub(super) use driveline::{Clutch, ClutchEngagement, DrivelineIndices};
pub(super) use flat_stop::FlatStop;
pub(super) use motor_drive::MotorIndices;
use steering::SteeredBy;
pub(super) use steering::SteeringDrive;
pub(super) use tandem::PitchStop;
pub(super) use trailer::TrailerParts;

use super::spec::{AntiRollBar, Axle, Chassis, Point, Suspension, TandemError, VehicleSpec};
use crate::multibody::{
    Body, BodyId, Coordinate, Element, Inertia, Joint, ModelBuilder, ModelError, MultibodyModel,
};
use crate::tire::RingError;
use bekker_math::spatial::{Mat3, Vec3};

/// Why a vehicle cannot be assembled from its file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AssemblyError {
    /// A steered axle whose steering mechanism is missing or unsuitable.
    #[error("axle '{axle}': {what}")]
    Steering {
        /// Name of the axle.
        axle: String,
        /// Description of the fault.
        what: &'static str,
    },
    /// A driven axle without a differential.
    #[error("axle '{axle}' is driven by layout '{layout}' but has no final_drive")]
    NoFinalDrive {
        /// Name of the axle.
        axle: String,
        /// The layout.
        layout: String,
    },
    /// A suspension without the springs and dampers that it needs.
    #[error("axle '{axle}': spring and damper must be given, unless the suspension is rigid")]
    NoSpring {
        /// Name of the axle.
        axle: String,
    },
    /// Neither an engine with its driveline nor electric motors.
    #[error("motor_drive: must be given, unless driveline and powertrain are given")]
    NoDrive,
    /// The points of a tire do not define a belt.
    #[error("tire.flexible: {0}")]
    Ring(#[from] RingError),
    /// A tandem of axles that do not exist.
    #[error("tandems: {0}")]
    Tandem(#[from] TandemError),
    /// A link of a rocker-bogie that carries an axle that does not exist.
    #[error("rocker_bogie: no axle is named '{name}'")]
    NoLinkedAxle {
        /// The name that was not found.
        name: String,
    },
    /// The multibody model is invalid.
    #[error(transparent)]
    MultibodyModel(#[from] ModelError),
}

/// Side of an axle. Files give the left one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    const BOTH: [Side; 2] = [Side::Left, Side::Right];

    fn mirror(self) -> f64 {
        if self == Side::Left { 1.0 } else { -1.0 }
    }
}

/// Indices of a wheel's bodies and joints, for a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct WheelIndices {
    /// Spindle, wheel and tire, which turn about the body's y axis.
    pub body: BodyId,
    /// Body that holds the differential's housing and takes the half-shaft's reaction.
    pub housing: BodyId,
    /// Spin relative to the carrier.
    pub spin: Coordinate,
    /// Element at which the brake acts.
    pub brake: usize,
    /// Index of the axle.
    pub axle: usize,
}

/// Spring and damper of one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strut {
    pub spring: usize,
    pub damper: usize,
    pub axle: usize,
}

/// A linear spring and damper of a compliant mount.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mount {
    pub element: usize,
    pub stiffness: f64,
    pub damping: f64,
}

/// A vehicle under construction.
pub(super) struct VehicleBuilder<'a> {
    spec: &'a VehicleSpec,
    builder: ModelBuilder,
    chassis: BodyId,
    /// Body behind the torsion joint of the chassis.
    rear_frame: Option<BodyId>,
    trailer: Option<TrailerParts>,
    wheels: Vec<WheelIndices>,
    struts: Vec<Strut>,
    mounts: Vec<Mount>,
    steering: Vec<SteeringDrive>,
    /// Bodies that carry the springs of each axle, or its wheels without springs, left and right.
    seats: Vec<[BodyId; 2]>,
    /// Rocker and bogie of the left and of the right side.
    links: Vec<BodyId>,
    pitch_stops: Vec<PitchStop>,
    flat_stops: Vec<FlatStop>,
    /// Cylinders of an articulated frame.
    cylinders: Option<FrameCylinders>,
}

/// Result of the assembly, as a step uses it.
#[derive(Clone, Debug)]
pub(super) struct WheeledParts {
    pub chassis: BodyId,
    pub rear_frame: Option<BodyId>,
    pub trailer: Option<TrailerParts>,
    pub wheels: Vec<WheelIndices>,
    pub struts: Vec<Strut>,
    pub mounts: Vec<Mount>,
    pub steering: Vec<SteeringDrive>,
    /// Rocker and bogie of the left and of the right side.
    pub links: Vec<BodyId>,
    pub pitch_stops: Vec<PitchStop>,
    pub flat_stops: Vec<FlatStop>,
    pub cylinders: Option<FrameCylinders>,
    pub drive: DriveIndices,
}

/// Indices of the shafts or motors that drive the wheels.
#[derive(Clone, Debug)]
pub(super) enum DriveIndices {
    /// An engine, through shafts and differentials.
    Driveline(DrivelineIndices),
    /// Electric motors.
    Motors(MotorIndices),
}

impl DriveIndices {
    /// Returns the locking clutches of the differentials; motors have none.
    pub fn clutches(&self) -> &[Clutch] {
        match self {
            DriveIndices::Driveline(own) => &own.clutches,
            DriveIndices::Motors(_) => &[],
        }
    }
}

fn vec3(point: Point) -> Vec3 {
    Vec3::from(point)
}

/// Inertia of a part whose x axis is turned to `x`. Its z axis is normal to `x` and `in_plane`.
fn turned(moments: Point, x: Vec3, in_plane: Vec3) -> Mat3 {
    let x = x.normalize();
    let z = x.cross(&in_plane).normalize();
    let axes = Mat3::from_columns(&[x, z.cross(&x), z]);
    axes * Mat3::from_diagonal(&vec3(moments)) * axes.transpose()
}

impl VehicleBuilder<'_> {
    /// Point on a side of an axle, in the chassis frame.
    fn point(&self, axle: &Axle, side: Side, local: Point) -> Vec3 {
        vec3(axle.position) + Vec3::new(local[0], side.mirror() * local[1], local[2])
    }

    /// Body that carries the inner ends of the tie rods of an independent axle.
    fn tie_rods_end(&self, axle: usize, by: SteeredBy) -> Result<BodyId, AssemblyError> {
        match by {
            SteeredBy::Link(link) => Ok(link),
            SteeredBy::Nothing => Ok(self.sprung(axle)),
            SteeredBy::DragLink { .. } | SteeredBy::Knuckles => Err(AssemblyError::Steering {
                axle: self.spec.axles[axle].name.clone(),
                what: "wishbones and struts require a rack_pinion or a pitman_arm",
            }),
        }
    }

    /// Sprung body that carries an axle.
    fn sprung(&self, axle: usize) -> BodyId {
        match &self.trailer {
            Some(trailer) if self.spec.axles[axle].trailed => trailer.body,
            _ if self.spec.is_behind_joint(axle) => self.rear_frame.unwrap_or(self.chassis),
            _ => self.chassis,
        }
    }

    /// Adds spindle, wheel and tire as one body on a hinge of `carrier`.
    fn wheel(
        &mut self,
        axle: usize,
        side: Side,
        carrier: BodyId,
        housing: BodyId,
        spindle: super::spec::MassProperties,
    ) {
        let spec = self.spec;
        let center = self.point(&spec.axles[axle], side, spec.axles[axle].suspension.spindle());
        let half_shaft = spec.axles[axle]
            .final_drive
            .filter(|_| spec.is_driven(axle))
            .map_or(0.0, |drive| drive.half_shaft_inertia);
        let (rim, tire) = (spec.wheel_of(axle), spec.tire_of(axle));
        let mut moments =
            vec3(spindle.inertia) + vec3(rim.inertia) + vec3(tire.inertia) + Vec3::y() * half_shaft;
        let mut mass = spindle.mass + rim.mass + tire.mass;
        if let Some(apart) = spec.axles[axle].twin_spacing {
            // a second tire, and the parallel-axis terms of both
            let corner = rim.mass + tire.mass;
            let steiner = Vec3::new(1.0, 0.0, 1.0) * (0.5 * corner * apart * apart);
            moments += vec3(rim.inertia) + vec3(tire.inertia) + steiner;
            mass += corner;
        }
        let body = self.builder.body(Body {
            name: format!("{} {side:?} wheel", spec.axles[axle].name),
            parent: carrier,
            joint: Joint::Revolute(Vec3::y()),
            anchor: center,
            origin: center,
            inertia: Inertia::principal(mass, center, moments.into()),
        });
        let spin = self.builder.coordinate(body);
        let brake = self.builder.element(Element::Rates { rates: vec![(spin, 1.0)] });
        self.builder.loaded(body);
        self.wheels.push(WheelIndices { body, housing, spin, brake, axle });
    }

    /// Adds the lines of spring and damper between `arm` and the bodies that carry their other
    /// ends.
    fn strut(
        &mut self,
        axle: usize,
        side: Side,
        arm: BodyId,
        spring: [Vec3; 2],
        damper: [Vec3; 2],
    ) {
        let (seat, chassis) = (self.seats[axle][side as usize], self.sprung(axle));
        let mut line = |b: BodyId, [top, bottom]: [Vec3; 2]| {
            let element = Element::Line { a: arm, point_a: bottom, b, point_b: top };
            self.builder.element(element)
        };
        let strut = Strut { spring: line(seat, spring), damper: line(chassis, damper), axle };
        self.struts.push(strut);
    }

    /// Adds an anti-roll bar between two arms that each turn about the `hinge` of their side.
    ///
    /// `same` is whether the coordinates of both arms change in the same sense when one wheel rises
    /// and the other falls.
    fn anti_roll_bar(&mut self, axle: usize, arms: [BodyId; 2], hinge: [Vec3; 2], same: bool) {
        let own = &self.spec.axles[axle];
        let Some(bar) = own.anti_roll_bar else { return };
        let AntiRollBar { stiffness, damping, lever, drop_link } = bar;
        let end = self.point(own, Side::Left, drop_link);
        let along = (hinge[1] - hinge[0]).normalize();
        let arm_lever = along.cross(&(end - hinge[0])).norm();
        let weights = [arm_lever / lever, if same { 1.0 } else { -1.0 } * arm_lever / lever];
        let rates = [0, 1].map(|side| (self.builder.coordinate(arms[side]), weights[side]));
        let element = self.builder.element(Element::Rates { rates: rates.to_vec() });
        self.mounts.push(Mount { element, stiffness, damping });
    }

    /// Adds the suspension of an axle. `by` is the mechanism that steers it, if any.
    fn axle(&mut self, index: usize, axle: &Axle, by: SteeredBy) -> Result<(), AssemblyError> {
        self.require_springs(index)?;
        if axle.steered && self.spec.steering.is_none() {
            return Err(AssemblyError::Steering {
                axle: axle.name.clone(),
                what: "is steered, but the vehicle has no steering mechanism; add [steering]",
            });
        }
        match &axle.suspension {
            Suspension::DoubleWishbone(s) => {
                let link = self.tie_rods_end(index, by)?;
                self.double_wishbone(index, s, link);
            }
            Suspension::SingleWishbone(s) => {
                let link = self.tie_rods_end(index, by)?;
                self.single_wishbone(index, s, link);
            }
            Suspension::MacphersonStrut(s) => {
                let link = self.tie_rods_end(index, by)?;
                self.macpherson_strut(index, s, link);
            }
            Suspension::TrailingArm(s) => {
                if axle.steered {
                    return Err(AssemblyError::Steering {
                        axle: axle.name.clone(),
                        what: "has trailing arms, which cannot be steered",
                    });
                }
                self.trailing_arm(index, s);
            }
            Suspension::SolidAxle(s) => {
                if axle.steered && s.knuckle.is_none() {
                    return Err(AssemblyError::Steering {
                        axle: axle.name.clone(),
                        what: "is steered, but its solid axle has no knuckle; add one",
                    });
                }
                self.solid_axle(index, s, by);
            }
            Suspension::Rigid(s) => self.rigid_mount(index, s, by)?,
        }
        Ok(())
    }
}

/// Inertia of a sprung body whose frame has its origin at `origin`.
fn sprung_inertia(own: &Chassis, origin: Vec3) -> Inertia {
    let [xy, xz, yz] = own.products;
    let [xx, yy, zz] = own.inertia;
    let tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    Inertia { mass: own.mass, com: vec3(own.com) + origin, tensor }
}

/// Assembles a vehicle.
pub(super) fn assemble(
    spec: &VehicleSpec,
) -> Result<(MultibodyModel, WheeledParts), AssemblyError> {
    let mut builder = ModelBuilder::default();
    let chassis = builder.body(Body {
        name: "chassis".into(),
        parent: BodyId::WORLD,
        joint: Joint::Free,
        anchor: Vec3::zeros(),
        origin: Vec3::zeros(),
        inertia: rear_frame::ahead(&spec.chassis, spec.rear_frame.as_ref()),
    });
    let mut frame = VehicleBuilder {
        spec,
        builder,
        chassis,
        rear_frame: None,
        trailer: None,
        wheels: Vec::new(),
        struts: Vec::new(),
        mounts: Vec::new(),
        steering: Vec::new(),
        seats: vec![[chassis; 2]; spec.axles.len()],
        links: Vec::new(),
        pitch_stops: Vec::new(),
        flat_stops: Vec::new(),
        cylinders: None,
    };
    frame.rear_frame = frame.rear_frame();
    frame.trailer();
    let mechanisms = frame.mechanisms();
    frame.tandems()?;
    frame.rocker_bogie()?;
    for (index, axle) in spec.axles.iter().enumerate() {
        frame.axle(index, axle, mechanisms[index])?;
    }
    // After the wheels: callers set the loads in this order.
    frame.builder.loaded(chassis);
    if let Some(trailer) = &frame.trailer {
        frame.builder.loaded(trailer.body);
    }
    if let (Some(_), Some(rear)) = (&frame.cylinders, frame.rear_frame) {
        frame.builder.loaded(rear);
    }
    let drive = match (&spec.motor_drive, &spec.driveline, &spec.powertrain) {
        (Some(motors), ..) => DriveIndices::Motors(frame.motor_drive(motors)),
        (None, Some(shafts), Some(engine)) => {
            DriveIndices::Driveline(frame.driveline(shafts, engine)?)
        }
        _ => return Err(AssemblyError::NoDrive),
    };
    let model = frame.builder.build()?;
    let parts = WheeledParts {
        chassis: frame.chassis,
        rear_frame: frame.rear_frame,
        trailer: frame.trailer,
        wheels: frame.wheels,
        struts: frame.struts,
        mounts: frame.mounts,
        steering: frame.steering,
        links: frame.links,
        pitch_stops: frame.pitch_stops,
        flat_stops: frame.flat_stops,
        cylinders: frame.cylinders,
        drive,
    };
    Ok((model, parts))
}
