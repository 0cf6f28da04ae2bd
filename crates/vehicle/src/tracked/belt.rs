//! A track as an extensible band.
//!
//! For each node of a band the hull carries a body that slides along the hull's z axis. These
//! bodies define the band's shape. A shaft for each node represents the advance of the band past
//! it; the differences define the band's stretch. An element between two nodes joins them, so the
//! direction of its tension follows the shape. Wheels roll with the band. The spin of a road wheel
//! follows the node below it, and that of the idler a shaft that the band turns without slip.

use super::assembly::{
    TrackIndices, TrackKind, TrackSide, WheelSpin, arm, carrier, hull, point_mass, side,
};
use super::route::{BandStation, BeltPoint, TrackRoute, distance};
use crate::multibody::{
    Body, BodyId, Element, ElementForce, Inertia, Joint, ModelBuilder, MultibodyWorkspace, ShaftId,
};
use crate::spec::{Idler, Track, TrackedSpec};
use bekker_math::spatial::Vec3;

/// An elastic section of the band.
#[derive(Clone, Copy, Debug)]
pub(super) struct BandSection {
    pub element: usize,
    /// Length without tension and before any advance, m.
    pub free: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
}

/// A road wheel on a node of the band.
#[derive(Clone, Copy, Debug)]
pub(super) struct RimContact {
    pub element: usize,
    pub wheel: usize,
}

/// A point at which a band is held: on sprocket, idler or node.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeltNode {
    pub body: BodyId,
    /// Position of the band in the body's frame, m.
    pub offset: Vec3,
    /// Index of the band's advance rate in [`crate::multibody::MultibodyState::u`].
    pub rate: usize,
    /// Index of the band's advance in [`crate::multibody::MultibodyState::q`].
    pub advance: usize,
    /// Advance per unit of that coordinate, m.
    pub scale: f64,
    /// Free length of the band from the sprocket to this point before any advance, m.
    pub label: f64,
}

/// Indices of a band's bodies and joints, for a step.
#[derive(Clone, Debug)]
pub(super) struct BandIndices {
    /// From the sprocket to the idler.
    pub seats: Vec<BeltNode>,
    /// Indices in the workspace of the loads of each section, on the seats before and after it.
    ///
    /// A load on a section moves along that section.
    pub loads: Vec<[usize; 2]>,
    /// From seat to seat; the last one returns over the top.
    pub sections: Vec<BandSection>,
    pub rims: Vec<RimContact>,
}

/// Route and mass of a band.
struct BandRoute {
    y: f64,
    route: TrackRoute,
    back: f64,
    /// Mass per length, kg/m.
    density: f64,
    /// Ratio of free length to length in the design position.
    slack: f64,
}

impl BandRoute {
    fn new(spec: &TrackedSpec, y: f64, track: &Track) -> BandRoute {
        let (route, back) =
            TrackRoute::in_equilibrium(spec, track, spec.shoe.pin_stiffness * spec.shoe.pitch);
        let length = route.length();
        BandRoute {
            y,
            back,
            density: spec.shoe.link_mass() * f64::from(track.shoes) / length,
            slack: f64::from(track.shoes) * spec.shoe.pitch / length,
            route,
        }
    }

    fn position(&self, point: BeltPoint) -> Vec3 {
        Vec3::new(point[0], self.y, point[1])
    }

    /// The sprocket, and the band's mass on it and on half of the sections next to it.
    fn on_hull(&self, spec: &TrackedSpec, file: &Track) -> Vec<Inertia> {
        let [x, _, z] = spec.sprocket.position;
        let route = &self.route;
        let front = 0.5 * self.density * distance(route.front, route.points()[1]);
        let top = 0.5 * self.density * route.top_length();
        let arc = self.density * route.sprocket_arc;
        let mut fixed = vec![
            point_mass(spec.sprocket.mass, Vec3::new(x, self.y, z)),
            point_mass(arc, Vec3::new(x + 0.6 * spec.pitch_radius(), self.y, z)),
            point_mass(front, self.position(route.front)),
            point_mass(top, self.position(route.top_hull)),
        ];
        if let Some(roller) = &spec.return_roller {
            // the mass on and before the rollers is divided between the ends of that section
            let over = 0.5 * self.density * route.over_rollers;
            fixed.extend(
                [route.top_hull, route.top_front].map(|at| point_mass(over, self.position(at))),
            );
            let wheel = |&x: &f64| {
                let center = Vec3::new(x, self.y, roller.height);
                Inertia::principal(roller.wheel.mass, center, roller.wheel.inertia)
            };
            fixed.extend(file.return_rollers.iter().map(wheel));
        }
        fixed
    }

    /// Mass of the idler's half of the section before it, kg.
    fn rear(&self) -> f64 {
        let points = self.route.points();
        0.5 * self.density * distance(points[points.len() - 2], self.route.rear)
    }

    /// The idler's carrier, the idler, and the band's mass on them.
    fn on_carrier(&self, idler: &Idler, center: Vec3) -> [Inertia; 5] {
        let route = &self.route;
        let arc = self.density * route.idler_arc;
        let top = 0.5 * self.density * route.top_length();
        [
            Inertia::principal(idler.carrier.mass, center, idler.carrier.inertia),
            Inertia::principal(idler.wheel.mass, center, idler.wheel.inertia),
            point_mass(self.rear(), self.position(route.rear)),
            point_mass(arc, center - Vec3::x() * (0.6 * idler.radius)),
            point_mass(top, self.position(route.top_rear)),
        ]
    }

    /// Adds the links from seat to seat and back over the top.
    ///
    /// `shafts` move the band over the seats. Each seat's label is set to the free length before
    /// it.
    fn sections(
        &self,
        stiffness: f64,
        seats: &mut [BeltNode],
        shafts: &[(ShaftId, f64)],
        builder: &mut ModelBuilder,
    ) -> Vec<BandSection> {
        let route = &self.route;
        let points = route.points();
        let bodies: Vec<BodyId> = seats.iter().map(|seat| seat.body).collect();
        let mut sections = Vec::new();
        let mut section =
            |builder: &mut ModelBuilder, seats: [usize; 2], places: [BeltPoint; 2]| {
                let free = self.slack * distance(places[0], places[1]);
                let [a, b] = seats;
                let rates = vec![
                    (builder.shaft_coordinate(shafts[a].0), -shafts[a].1),
                    (builder.shaft_coordinate(shafts[b].0), shafts[b].1),
                ];
                let element = builder.element(Element::Band {
                    a: bodies[a],
                    point_a: self.position(places[0]),
                    b: bodies[b],
                    point_b: self.position(places[1]),
                    rates,
                });
                sections.push(BandSection { element, free, stiffness: stiffness / free });
            };
        let last = points.len() - 1;
        for index in 0..last {
            section(builder, [index, index + 1], [points[index], points[index + 1]]);
        }
        // From the rollers on, the upper run is fixed to the hull: its pull acts where it first
        // meets them.
        section(builder, [last, 0], [route.top_rear, route.top_hull]);
        let over = self.slack * route.over_rollers;
        if let Some(top) = sections.last_mut() {
            // length and compliance of the whole upper run
            top.stiffness = stiffness / (top.free + over);
        }
        let mut label = 0.0;
        for (seat, section) in seats.iter_mut().zip(&sections) {
            seat.label = label;
            label += section.free;
        }
        sections
    }
}

/// Adds the hull and both sides.
pub(super) fn assemble(
    spec: &TrackedSpec,
    builder: &mut ModelBuilder,
) -> (BodyId, [TrackIndices; 2]) {
    let y = spec.sprocket.position[1];
    let bands = [BandRoute::new(spec, y, &spec.left), BandRoute::new(spec, -y, &spec.right)];
    let fixed = [bands[0].on_hull(spec, &spec.left), bands[1].on_hull(spec, &spec.right)].concat();
    let hull = hull(spec, &fixed, builder);
    let left = track(spec, &bands[0], &spec.left, hull, builder);
    let right = track(spec, &bands[1], &spec.right, hull, builder);
    (hull, [left, right])
}

/// Adds one side: arms, idler, band.
fn track(
    spec: &TrackedSpec,
    band: &BandRoute,
    file: &Track,
    hull: BodyId,
    builder: &mut ModelBuilder,
) -> TrackIndices {
    let route = &band.route;
    let name = side(band.y);
    let stations = 0..file.stations.len();
    let on_side = TrackSide { y: band.y, track: file };
    let mut arms: Vec<_> =
        stations.map(|index| arm(spec, on_side, index, hull, false, builder)).collect();

    // The idler's carrier, with the idler and the band's mass on them.
    let idler = &spec.idler;
    let center = Vec3::new(idler.position[0] - band.back, band.y, idler.position[2]);
    let points = route.points();
    let rear = band.rear();
    let carried = band.on_carrier(idler, center);
    let (carrier, tensioner) = carrier(name, hull, center, &carried, builder);

    // Shafts: sprocket (rad), nodes and idler (m).
    let radius = spec.drive_radius();
    let lumped = |length: f64| band.density * length;
    let front_half = 0.5 * distance(points[0], points[1]);
    let top = 0.5 * route.top_length() + route.over_rollers;
    let on_sprocket = lumped(route.sprocket_arc + top + front_half) + turned_along(spec, file);
    let sprocket = builder.shaft(spec.sprocket.spin_inertia + radius * radius * on_sprocket);
    let mut seats = vec![seat(hull, band.position(route.front), sprocket, radius, builder)];
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
            anchor: band.position(here),
            origin: band.position(here),
            inertia: point_mass(mass, band.position(here)),
        });
        let rolling = rolling_mass(spec, station, here, file.stations.as_slice());
        let shaft = builder.shaft(mass + rolling);
        shafts.push((shaft, 1.0));
        seats.push(seat(body, Vec3::zeros(), shaft, 1.0, builder));
        if let Some(wheel) = station.wheel {
            let point = Vec3::new(file.stations[wheel], band.y, spec.wheel_height);
            let (a, axis) = (arms[wheel].body, Vec3::z());
            let element = builder.element(Element::Axial {
                a,
                point_a: point,
                b: body,
                point_b: point,
                axis,
            });
            rims.push(RimContact { element, wheel });
            if rolling > 0.0 {
                let coordinate = builder.shaft_coordinate(shaft);
                arms[wheel].spin = WheelSpin { coordinate, factor: 1.0 / spec.road_wheel.radius };
            }
        }
    }
    let on_idler = lumped(route.idler_arc + 0.5 * route.top_length()) + rear;
    let pitch_radius = idler.radius + spec.shoe.top;
    let spin = idler.wheel.inertia[1] / (pitch_radius * pitch_radius);
    let turn = builder.shaft(on_idler + spin);
    shafts.push((turn, 1.0));
    seats.push(seat(carrier, band.position(route.rear) - center, turn, 1.0, builder));
    let ends = seats.windows(2).zip(shafts.windows(2));
    let loads = ends
        .map(|(seats, shafts)| [0, 1].map(|end| builder.conveying(seats[end].body, shafts[end].0)))
        .collect();

    let stiffness = spec.shoe.pin_stiffness * spec.shoe.pitch;
    let sections = band.sections(stiffness, &mut seats, &shafts, builder);
    let sprocket = builder.shaft_coordinate(sprocket);
    let spin = builder.shaft_coordinate(turn);
    TrackIndices {
        y: band.y,
        run: TrackKind::Belt(BandIndices { seats, loads, sections, rims }),
        arms,
        carrier,
        idler: WheelSpin { coordinate: spin, factor: 1.0 / pitch_radius },
        tensioner,
        sprocket,
        turned: 0,
        idler_force: idler.force(band.back),
        brake: builder.element(Element::Rates { rates: vec![(sprocket, 1.0)] }),
    }
}

/// Inertia that the spin of the return rollers adds to the band, kg.
fn turned_along(spec: &TrackedSpec, file: &Track) -> f64 {
    spec.return_roller.map_or(0.0, |own| {
        own.wheel.inertia[1] / (own.radius * own.radius) * file.return_rollers.len() as f64
    })
}

/// A seat on a body at an offset from its origin. `scale` is the advance of the band per unit of
/// the shaft's position.
fn seat(
    body: BodyId,
    offset: Vec3,
    shaft: ShaftId,
    scale: f64,
    builder: &ModelBuilder,
) -> BeltNode {
    let rate = builder.shaft_coordinate(shaft).index();
    BeltNode { body, offset, rate, advance: 0, scale, label: 0.0 }
}

/// Inertia that the spin of a road wheel adds to the band at the node below its center, kg.
fn rolling_mass(
    spec: &TrackedSpec,
    station: &BandStation,
    here: BeltPoint,
    stations: &[f64],
) -> f64 {
    let below = station.wheel.is_some_and(|wheel| stations[wheel] == here[0]);
    let wheel = &spec.road_wheel;
    if below { wheel.inertia[1] / (wheel.radius * wheel.radius) } else { 0.0 }
}

impl BandIndices {
    /// Sets the forces of the rims on the band and of the band itself.
    pub fn pull(&self, spec: &TrackedSpec, workspace: &mut MultibodyWorkspace) {
        for rim in &self.rims {
            let (gap, rate) = (workspace.measure[rim.element], workspace.rate[rim.element]);
            let wheel = &spec.road_wheel;
            let force = (wheel.rim_stiffness * gap + wheel.rim_damping * rate).min(0.0);
            workspace.element[rim.element] = if gap < 0.0 {
                ElementForce { force, stiffness: wheel.rim_stiffness, damping: wheel.rim_damping }
            } else {
                ElementForce::default()
            };
        }
        for section in &self.sections {
            let stretch = workspace.measure[section.element] - section.free;
            let damping = section.stiffness * spec.shoe.pin_damping_time;
            let force = section.stiffness * stretch + damping * workspace.rate[section.element];
            workspace.element[section.element] = if force > 0.0 {
                ElementForce { force, stiffness: section.stiffness, damping }
            } else {
                ElementForce::default()
            };
        }
    }
}
