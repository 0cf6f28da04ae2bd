//! Assembly of a tracked vehicle's parameters into bodies, shafts and elements.
//!
//! The tree contains the hull, the road arms and the idlers' carriers. The belt ([`super::belt`])
//! or the shoes ([`super::segments`]) add their own bodies. The driveline ends at the sprockets'
//! coordinates.

use super::belt::{self, BandIndices};
use super::segments::{self, Segments};
use crate::multibody::{
    Body, BodyId, Closure, Coordinate, Element, Inertia, Joint, ModelBuilder, ModelError,
    MultibodyModel,
};
use crate::spec::{MassProperties, Point, Track, TrackModel, TrackSteering, TrackedSpec};
use crate::transmission::{TransmissionIndices, TransmissionShafts};
use bekker_math::spatial::{Mat3, Vec3};

/// A road arm.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoadArmIndices {
    pub body: BodyId,
    /// Element of torsion bar and stops.
    pub element: usize,
    pub damper: Option<usize>,
    /// Body of the wheel, or of the arm if the wheel has no separate body.
    pub wheel: BodyId,
    /// Spin of the wheel.
    pub spin: WheelSpin,
}

/// The spin of a wheel, rad/s, as a multiple of a coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct WheelSpin {
    pub coordinate: Coordinate,
    pub factor: f64,
}

impl WheelSpin {
    /// Returns the spin at velocities `u`.
    pub fn rate(&self, u: &[f64]) -> f64 {
        self.factor * u[self.coordinate.index()]
    }
}

/// Model of the track around the wheels.
#[derive(Clone, Debug)]
pub(super) enum TrackKind {
    Belt(BandIndices),
    Segments(Segments),
}

/// Indices of one track's bodies and joints, for a step.
#[derive(Clone, Debug)]
pub(super) struct TrackIndices {
    /// Lateral position of the track's midline, m.
    pub y: f64,
    pub run: TrackKind,
    pub arms: Vec<RoadArmIndices>,
    /// Body that carries the idler.
    pub carrier: BodyId,
    pub idler: WheelSpin,
    pub tensioner: usize,
    pub sprocket: Coordinate,
    /// Index of the sprocket's angle in [`crate::multibody::MultibodyState::q`].
    pub turned: usize,
    /// Force of the tensioner in equilibrium, N.
    pub idler_force: f64,
    pub brake: usize,
}

/// Indices of a tracked vehicle's bodies and joints, for a step.
#[derive(Clone, Debug)]
pub(super) struct TrackedParts {
    pub hull: BodyId,
    /// Index of the load on the hull in the workspace.
    pub hull_load: usize,
    pub tracks: [TrackIndices; 2],
    pub transmission: TransmissionIndices,
    pub carrier: usize,
    /// Steering brakes for turns to the left and to the right.
    pub steering: [usize; 2],
    /// The steering drive: closure, and offset of its input's weight.
    pub pivot: Option<(usize, usize)>,
}

pub(super) fn vec3(point: Point) -> Vec3 {
    Vec3::from(point)
}

/// Combines several rigid parts into one.
pub(super) fn combined_inertia(parts: &[Inertia]) -> Inertia {
    let mass: f64 = parts.iter().map(|part| part.mass).sum();
    let com = parts.iter().fold(Vec3::zeros(), |sum, part| sum + part.com * part.mass) / mass;
    let tensor = parts.iter().fold(Mat3::zeros(), |sum, part| {
        let r = part.com - com;
        let steiner = Mat3::identity() * r.norm_squared() - r * r.transpose();
        sum + part.tensor + steiner * part.mass
    });
    Inertia { mass, com, tensor }
}

pub(super) fn point_mass(mass: f64, com: Vec3) -> Inertia {
    Inertia { mass, com, tensor: Mat3::zeros() }
}

/// Side of a vehicle on which a track runs.
#[derive(Clone, Copy)]
pub(super) struct TrackSide<'a> {
    /// Lateral position of the track's midline, m.
    pub y: f64,
    /// Parameters of the track.
    pub track: &'a Track,
}

/// Assembles a tracked vehicle.
pub(super) fn assemble(spec: &TrackedSpec) -> Result<(MultibodyModel, TrackedParts), ModelError> {
    let mut builder = ModelBuilder::default();
    let (hull, [left, right]) = match spec.model {
        TrackModel::Belt => belt::assemble(spec, &mut builder),
        TrackModel::Segmented => segments::assemble(spec, &mut builder),
    };
    let hull_load = builder.loaded(hull);
    let ratio = spec.drive.ratio;
    let carried = spec.drive.carrier_inertia * ratio * ratio;
    let behind = [spec.drive.driveshaft_inertia, carried];
    let transmission = TransmissionShafts::add(&spec.powertrain, behind, &mut builder);
    let TransmissionShafts { input, output, .. } = transmission;
    let gear = |rates| Closure::Gear { rates, spins: Vec::new() };
    let (l, r) = (left.sprocket, right.sprocket);
    let carrier = builder.closure(gear(vec![(output, ratio), (l, -0.5), (r, -0.5)]));
    let (held, pivot) = match spec.drive.steering {
        TrackSteering::ClutchBrake { .. } => (0.0, None),
        TrackSteering::Differential { ratio, .. } => (ratio, None),
        TrackSteering::Pivot { .. } => {
            let closure = builder.closure(gear(vec![(r, 1.0), (l, -1.0), (input, 0.0)]));
            // the third weight of the third gear, after two and three weights
            (0.0, Some((closure, 7)))
        }
    };
    let mut control = |inner: Coordinate, outer: Coordinate| {
        let rates = match spec.drive.steering {
            TrackSteering::ClutchBrake { .. } => vec![(inner, 1.0)],
            _ => vec![(inner, 1.0 + held), (outer, held - 1.0)],
        };
        builder.element(Element::Rates { rates })
    };
    let steering = [control(l, r), control(r, l)];
    let transmission = transmission.with_elements(&spec.powertrain, &mut builder);
    let model = builder.build()?;
    let mut parts = TrackedParts {
        hull,
        hull_load,
        tracks: [left, right],
        transmission,
        carrier,
        steering,
        pivot,
    };
    for track in &mut parts.tracks {
        let position = |coordinate| model.position_of(coordinate).unwrap_or_default();
        track.turned = position(track.sprocket.index());
        match &mut track.run {
            TrackKind::Belt(belt) => {
                belt.seats.iter_mut().for_each(|seat| seat.advance = position(seat.rate));
            }
            TrackKind::Segments(segments) => segments.find_positions(&model),
        }
    }
    Ok((model, parts))
}

/// Adds the hull with the parts that are fixed to it.
pub(super) fn hull(spec: &TrackedSpec, fixed: &[Inertia], builder: &mut ModelBuilder) -> BodyId {
    let chassis = &spec.chassis;
    let [xy, xz, yz] = chassis.products;
    let [xx, yy, zz] = chassis.inertia;
    let mut parts = vec![Inertia {
        mass: chassis.mass,
        com: vec3(chassis.com),
        tensor: Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
    }];
    parts.extend_from_slice(fixed);
    builder.body(Body {
        name: "hull".into(),
        parent: BodyId::WORLD,
        joint: Joint::Free,
        anchor: Vec3::zeros(),
        origin: Vec3::zeros(),
        inertia: combined_inertia(&parts),
    })
}

/// Adds the carrier of an idler, with all parts fixed to it, and its tensioner.
pub(super) fn carrier(
    side: &str,
    hull: BodyId,
    center: Vec3,
    parts: &[Inertia],
    builder: &mut ModelBuilder,
) -> (BodyId, usize) {
    let body = builder.body(Body {
        name: format!("{side} idler carrier"),
        parent: hull,
        joint: Joint::Prismatic(-Vec3::x()),
        anchor: center,
        origin: center,
        inertia: combined_inertia(parts),
    });
    let slide = builder.coordinate(body);
    (body, builder.element(Element::Rates { rates: vec![(slide, 1.0)] }))
}

/// Adds a wheel that turns on `parent` about its axle.
pub(super) fn wheel(
    name: String,
    parent: BodyId,
    center: Vec3,
    part: &MassProperties,
    builder: &mut ModelBuilder,
) -> BodyId {
    builder.body(Body {
        name,
        parent,
        joint: Joint::Revolute(Vec3::y()),
        anchor: center,
        origin: center,
        inertia: Inertia::principal(part.mass, center, part.inertia),
    })
}

/// Adds a road arm with its wheel.
///
/// A wheel that does not roll on its own is a ring fixed to the arm; another coordinate represents
/// its spin.
pub(super) fn arm(
    spec: &TrackedSpec,
    TrackSide { y, track }: TrackSide<'_>,
    index: usize,
    hull: BodyId,
    rolls: bool,
    builder: &mut ModelBuilder,
) -> RoadArmIndices {
    let mirror = y.signum();
    let name = side(y);
    let center = Vec3::new(track.stations[index], y, spec.wheel_height);
    let at = |local: Point| center + Vec3::new(local[0], mirror * local[1], local[2]);
    let (arm, ring) = (&spec.road_arm, &spec.road_wheel);
    let ring = MassProperties { mass: ring.mass, inertia: ring.inertia };
    let mut parts = vec![Inertia::principal(arm.arm.mass, at(arm.com), arm.arm.inertia)];
    if !rolls {
        parts.push(Inertia::principal(ring.mass, center, ring.inertia));
    }
    let body = builder.body(Body {
        name: format!("{name} arm {index}"),
        parent: hull,
        joint: Joint::Revolute(Vec3::y()),
        anchor: at(arm.pivot),
        origin: center,
        inertia: combined_inertia(&parts),
    });
    let swing = builder.coordinate(body);
    let element = builder.element(Element::Rates { rates: vec![(swing, 1.0)] });
    let damper = track.damped[index].then(|| {
        builder.element(Element::Line {
            a: body,
            point_a: at(arm.damper_arm),
            b: hull,
            point_b: at(arm.damper_chassis),
        })
    });
    let spin = WheelSpin { coordinate: swing, factor: 0.0 };
    if !rolls {
        return RoadArmIndices { body, element, damper, wheel: body, spin };
    }
    let wheel = wheel(format!("{name} wheel {index}"), body, center, &ring, builder);
    let spin = WheelSpin { coordinate: builder.coordinate(wheel), factor: 1.0 };
    RoadArmIndices { body, element, damper, wheel, spin }
}

/// Name of the side of a lateral position `y`.
pub(super) fn side(y: f64) -> &'static str {
    if y > 0.0 { "left" } else { "right" }
}
