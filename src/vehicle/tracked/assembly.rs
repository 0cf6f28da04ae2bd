//! From the figures of a tracked vehicle to bodies, shafts and elements.
//!
//! The tree holds the hull, the road arms and the idlers' carriers, and for each
//! node of a band a body that slides along the hull's z axis: the band's shape.
//! How far the band has advanced past each node is a shaft of its own: the
//! band's stretch. A band's element between two nodes joins both, so its tension
//! turns with the shape. Wheels roll with the band: the spin of a road wheel is
//! that of the node below it, that of the idler a shaft that the band turns
//! without slip.

use super::route::{Place, Route, Station, distance};
use crate::multibody::{
    Body, BodyId, Builder, Closure, Coordinate, Element, Inertia, Joint, Model, ModelError, ShaftId,
};
use crate::spatial::{Mat3, Vec3};
use crate::vehicle::spec::{Point, TrackSteering, TrackedSpec};

/// An elastic stretch of the band.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub element: usize,
    /// Length without tension when nothing has been drawn, m.
    pub free: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
}

/// A road wheel on a node of the band.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rim {
    pub element: usize,
    pub wheel: usize,
}

/// A road arm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub body: BodyId,
    /// Torsion bar and stops.
    pub element: usize,
    pub damper: Option<usize>,
    /// Seat of the band below the wheel.
    pub seat: usize,
}

/// A place where loads act on a band: its ends on sprocket and idler, and its nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub body: BodyId,
    /// Where the band is, in the body's frame, m.
    pub offset: Vec3,
    /// Its load in the workspace.
    pub load: usize,
    /// Advance of the band, in [`crate::multibody::State::u`].
    pub rate: usize,
    /// The same in [`crate::multibody::State::q`].
    pub advance: usize,
    /// Metres of advance per unit of that coordinate.
    pub scale: f64,
    /// Free length of the band from the sprocket to here when nothing has been
    /// drawn, m.
    pub label: f64,
}

/// One track as the step reaches it.
#[derive(Clone, Debug)]
pub(super) struct TrackParts {
    /// Middle of the track, m.
    pub y: f64,
    pub seats: Vec<Seat>,
    pub links: Vec<Link>,
    pub rims: Vec<Rim>,
    pub arms: Vec<Arm>,
    pub tensioner: usize,
    pub sprocket: Coordinate,
    /// Stiffness of the tensioner at its place in equilibrium.
    pub idler_force: f64,
    pub brake: usize,
    /// Tension in the design position, N.
    #[allow(dead_code)]
    pub tension: f64,
}

/// A tracked vehicle as the step reaches it.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub model: Model,
    pub hull: BodyId,
    pub tracks: [TrackParts; 2],
    pub engine: Coordinate,
    pub input: Coordinate,
    pub output: Coordinate,
    pub engine_element: usize,
    pub input_element: usize,
    pub gearbox: usize,
    pub carrier: usize,
    /// Steering brakes for turns to the left and to the right.
    pub steering: [usize; 2],
    /// The steering drive: closure and place of its input's weight.
    pub pivot: Option<(usize, usize)>,
}

fn vec3(point: Point) -> Vec3 {
    Vec3::from(point)
}

/// Several rigid parts as one.
fn gathered(parts: &[Inertia]) -> Inertia {
    let mass: f64 = parts.iter().map(|part| part.mass).sum();
    let com = parts.iter().fold(Vec3::zeros(), |sum, part| sum + part.com * part.mass) / mass;
    let tensor = parts.iter().fold(Mat3::zeros(), |sum, part| {
        let r = part.com - com;
        let steiner = Mat3::identity() * r.norm_squared() - r * r.transpose();
        sum + part.tensor + steiner * part.mass
    });
    Inertia { mass, com, tensor }
}

fn point_mass(mass: f64, com: Vec3) -> Inertia {
    Inertia { mass, com, tensor: Mat3::zeros() }
}

/// The route of a side with what it weighs.
struct Side {
    y: f64,
    route: Route,
    back: f64,
    tension: f64,
    /// Mass per metre of the band, kg/m.
    density: f64,
    /// Free length over length in the design position.
    slack: f64,
}

impl Side {
    fn at(&self, place: Place) -> Vec3 {
        Vec3::new(place[0], self.y, place[1])
    }
}

/// Assembles a tracked vehicle.
pub(super) fn assemble(spec: &TrackedSpec) -> Result<Parts, ModelError> {
    let stretching = spec.shoe.pin_stiffness * spec.shoe.pitch;
    let sides = [1.0, -1.0].map(|mirror| {
        let track = if mirror > 0.0 { &spec.left } else { &spec.right };
        let (route, back, tension) = Route::balanced(spec, track, stretching);
        let length = route.length();
        Side {
            y: mirror * spec.sprocket.position[1],
            back,
            tension,
            density: spec.shoe.mass * f64::from(track.shoes) / length,
            slack: f64::from(track.shoes) * spec.shoe.pitch / length,
            route,
        }
    });
    let mut builder = Builder::default();
    let hull = hull(spec, &sides, &mut builder);
    let left = track(spec, &sides[0], &spec.left, hull, &mut builder);
    let right = track(spec, &sides[1], &spec.right, hull, &mut builder);
    builder.loaded(hull);
    let powertrain = &spec.powertrain;
    let shaft = |builder: &mut Builder, inertia| {
        let shaft = builder.shaft(inertia);
        builder.shaft_coordinate(shaft)
    };
    let ratio = spec.drive.ratio;
    let engine = shaft(&mut builder, powertrain.engine.inertia);
    let input = shaft(&mut builder, powertrain.gearbox.input_inertia);
    let carried = spec.drive.carrier_inertia * ratio * ratio;
    let behind = powertrain.gearbox.output_inertia + spec.drive.driveshaft_inertia + carried;
    let output = shaft(&mut builder, behind);
    let first = powertrain.gearbox.ratios.first().copied().unwrap_or(1.0);
    let gear = |rates| Closure::Gear { rates, spins: Vec::new() };
    let gearbox = builder.closure(gear(vec![(output, 1.0), (input, -first)]));
    let (l, r) = (left.sprocket, right.sprocket);
    let carrier = builder.closure(gear(vec![(output, ratio), (l, -0.5), (r, -0.5)]));
    let (held, pivot) = match spec.drive.steering {
        TrackSteering::ClutchBrake { .. } => (0.0, None),
        TrackSteering::Differential { ratio, .. } => (ratio, None),
        TrackSteering::Pivot { .. } => {
            let closure = builder.closure(gear(vec![(r, 1.0), (l, -1.0), (input, 0.0)]));
            // the third gear's third weight, behind two and three
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
    let engine_element = builder.element(Element::Rates { rates: vec![(engine, 1.0)] });
    let input_element = builder.element(Element::Rates { rates: vec![(input, 1.0)] });
    let mut parts = Parts {
        model: builder.build()?,
        hull,
        tracks: [left, right],
        engine,
        input,
        output,
        engine_element,
        input_element,
        gearbox,
        carrier,
        steering,
        pivot,
    };
    for track in &mut parts.tracks {
        for seat in &mut track.seats {
            seat.advance = parts.model.position_of(seat.rate).unwrap_or_default();
        }
    }
    Ok(parts)
}

/// The hull with the sprockets and what of the bands lies on them.
fn hull(spec: &TrackedSpec, sides: &[Side; 2], builder: &mut Builder) -> BodyId {
    let chassis = &spec.chassis;
    let [xy, xz, yz] = chassis.products;
    let [xx, yy, zz] = chassis.inertia;
    let mut parts = vec![Inertia {
        mass: chassis.mass,
        com: vec3(chassis.com),
        tensor: Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
    }];
    for side in sides {
        let [x, _, z] = spec.sprocket.position;
        parts.push(point_mass(spec.sprocket.mass, Vec3::new(x, side.y, z)));
        let route = &side.route;
        let front = 0.5 * side.density * distance(route.front, route.points()[1]);
        let top = 0.5 * side.density * route.top_length();
        let arc = side.density * route.sprocket_arc;
        parts.push(point_mass(arc, Vec3::new(x + 0.6 * spec.pitch_radius(), side.y, z)));
        parts.push(point_mass(front, side.at(route.front)));
        parts.push(point_mass(top, side.at(route.top_front)));
    }
    builder.body(Body {
        name: "hull".into(),
        parent: BodyId::WORLD,
        joint: Joint::Free,
        anchor: Vec3::zeros(),
        origin: Vec3::zeros(),
        inertia: gathered(&parts),
    })
}

/// Adds one side: arms, idler, band.
fn track(
    spec: &TrackedSpec,
    side: &Side,
    file: &crate::vehicle::spec::Track,
    hull: BodyId,
    builder: &mut Builder,
) -> TrackParts {
    let route = &side.route;
    let mirror = side.y.signum();
    let name = if mirror > 0.0 { "left" } else { "right" };
    let mut arms: Vec<Arm> =
        (0..file.stations.len()).map(|index| arm(spec, side, file, index, hull, builder)).collect();

    // The idler's carrier with the idler and what of the band lies on them.
    let idler = &spec.idler;
    let centre = Vec3::new(idler.position[0] - side.back, side.y, idler.position[2]);
    let points = route.points();
    let rear = 0.5 * side.density * distance(points[points.len() - 2], route.rear);
    let arc = side.density * route.idler_arc;
    let top = 0.5 * side.density * route.top_length();
    let carried = gathered(&[
        Inertia::principal(idler.carrier.mass, centre, idler.carrier.inertia),
        Inertia::principal(idler.wheel.mass, centre, idler.wheel.inertia),
        point_mass(rear, side.at(route.rear)),
        point_mass(arc, centre - Vec3::x() * (0.6 * idler.radius)),
        point_mass(top, side.at(route.top_rear)),
    ]);
    let carrier = builder.body(Body {
        name: format!("{name} idler"),
        parent: hull,
        joint: Joint::Prismatic(-Vec3::x()),
        anchor: centre,
        origin: centre,
        inertia: carried,
    });
    let slide = builder.coordinate(carrier);
    let tensioner = builder.element(Element::Rates { rates: vec![(slide, 1.0)] });

    // Shafts: sprocket (rad), nodes and idler (m).
    let radius = spec.pitch_radius();
    let lumped = |length: f64| side.density * length;
    let front_half = 0.5 * distance(points[0], points[1]);
    let on_sprocket = lumped(route.sprocket_arc + 0.5 * route.top_length() + front_half);
    let sprocket = builder.shaft(spec.sprocket.spin_inertia + radius * radius * on_sprocket);
    let mut seats = vec![Seat {
        body: hull,
        offset: side.at(route.front),
        load: builder.conveying(hull, sprocket),
        rate: builder.shaft_coordinate(sprocket).index(),
        advance: 0,
        scale: radius,
        label: 0.0,
    }];
    let mut shafts: Vec<(ShaftId, f64)> = vec![(sprocket, radius)];
    let mut rims = Vec::new();
    for (index, station) in route.stations.iter().enumerate() {
        let here = points[index + 1];
        let reach = 0.5 * (distance(points[index], here) + distance(here, points[index + 2]));
        let mass = lumped(reach);
        let body = builder.body(Body {
            name: format!("{name} band {index}"),
            parent: hull,
            joint: Joint::Prismatic(Vec3::z()),
            anchor: side.at(here),
            origin: side.at(here),
            inertia: point_mass(mass, side.at(here)),
        });
        let rolling = rolling_mass(spec, station, here, file.stations.as_slice());
        let shaft = builder.shaft(mass + rolling);
        shafts.push((shaft, 1.0));
        seats.push(Seat {
            body,
            offset: Vec3::zeros(),
            load: builder.conveying(body, shaft),
            rate: builder.shaft_coordinate(shaft).index(),
            advance: 0,
            scale: 1.0,
            label: 0.0,
        });
        if let Some(wheel) = station.wheel {
            let point = Vec3::new(file.stations[wheel], side.y, spec.wheel_height);
            let (a, axis) = (arms[wheel].body, Vec3::z());
            let element = builder.element(Element::Axial { a, b: body, point, axis });
            rims.push(Rim { element, wheel });
            if rolling > 0.0 {
                arms[wheel].seat = index + 1;
            }
        }
    }
    let on_idler = lumped(route.idler_arc + 0.5 * route.top_length()) + rear;
    let pitch_radius = idler.radius + spec.shoe.top;
    let spin = idler.wheel.inertia[1] / (pitch_radius * pitch_radius);
    let turn = builder.shaft(on_idler + spin);
    shafts.push((turn, 1.0));
    seats.push(Seat {
        body: carrier,
        offset: side.at(route.rear) - centre,
        load: builder.conveying(carrier, turn),
        rate: builder.shaft_coordinate(turn).index(),
        advance: 0,
        scale: 1.0,
        label: 0.0,
    });

    // The band: from seat to seat, and back over the top.
    let stiffness = spec.shoe.pin_stiffness * spec.shoe.pitch;
    let bodies: Vec<BodyId> = seats.iter().map(|seat| seat.body).collect();
    let mut links = Vec::new();
    let mut link = |builder: &mut Builder, a: (usize, Place), b: (usize, Place)| {
        let free = side.slack * distance(a.1, b.1);
        let rates = vec![
            (builder.shaft_coordinate(shafts[a.0].0), -shafts[a.0].1),
            (builder.shaft_coordinate(shafts[b.0].0), shafts[b.0].1),
        ];
        let element = builder.element(Element::Band {
            a: bodies[a.0],
            point_a: side.at(a.1),
            b: bodies[b.0],
            point_b: side.at(b.1),
            rates,
        });
        links.push(Link { element, free, stiffness: stiffness / free });
    };
    let last = points.len() - 1;
    for index in 0..last {
        link(builder, (index, points[index]), (index + 1, points[index + 1]));
    }
    link(builder, (last, route.top_rear), (0, route.top_front));
    let mut label = 0.0;
    for (seat, link) in seats.iter_mut().zip(&links) {
        seat.label = label;
        label += link.free;
    }
    let sprocket = builder.shaft_coordinate(sprocket);
    TrackParts {
        y: side.y,
        seats,
        links,
        rims,
        arms,
        tensioner,
        sprocket,
        idler_force: idler.force(side.back),
        brake: builder.element(Element::Rates { rates: vec![(sprocket, 1.0)] }),
        tension: side.tension,
    }
}

/// What a road wheel's spin adds to the inertia of the band at the node below its
/// centre, kg.
fn rolling_mass(spec: &TrackedSpec, station: &Station, here: Place, stations: &[f64]) -> f64 {
    let below = station.wheel.is_some_and(|wheel| stations[wheel] == here[0]);
    let wheel = &spec.road_wheel;
    if below { wheel.inertia[1] / (wheel.radius * wheel.radius) } else { 0.0 }
}

/// Adds a road arm with its wheel.
fn arm(
    spec: &TrackedSpec,
    side: &Side,
    file: &crate::vehicle::spec::Track,
    index: usize,
    hull: BodyId,
    builder: &mut Builder,
) -> Arm {
    let mirror = side.y.signum();
    let name = if mirror > 0.0 { "left" } else { "right" };
    let centre = Vec3::new(file.stations[index], side.y, spec.wheel_height);
    let at = |local: Point| centre + Vec3::new(local[0], mirror * local[1], local[2]);
    let (arm, wheel) = (&spec.road_arm, &spec.road_wheel);
    // The wheel's spin is the band's: here it is a ring that does not turn.
    let body = builder.body(Body {
        name: format!("{name} arm {index}"),
        parent: hull,
        joint: Joint::Revolute(Vec3::y()),
        anchor: at(arm.pivot),
        origin: centre,
        inertia: gathered(&[
            Inertia::principal(arm.arm.mass, at(arm.com), arm.arm.inertia),
            Inertia::principal(wheel.mass, centre, wheel.inertia),
        ]),
    });
    let swing = builder.coordinate(body);
    let element = builder.element(Element::Rates { rates: vec![(swing, 1.0)] });
    let damper = file.damped[index].then(|| {
        builder.element(Element::Line {
            a: body,
            point_a: at(arm.damper_arm),
            b: hull,
            point_b: at(arm.damper_chassis),
        })
    });
    Arm { body, element, damper, seat: 0 }
}
