//! A track in which every shoe is a body.
//!
//! # Theory
//! A shoe is connected to the hull by a joint that allows translation in all directions and
//! rotation in the plane of the track. So it turns with the hull and its inertia acts on the hull;
//! its roll and yaw equal the hull's. Pins join neighboring shoes. Each pin has two stiff springs
//! across it, one along its axis and one in bending.
//!
//! Wheels contact a shoe's top as a Winkler foundation: the pressure of the rim is proportional to
//! the depth, h(s) = d - (s - s0)²/2R, over the part of the chord on this shoe. So a wheel that
//! rolls from shoe to shoe transfers its load smoothly. Pins contact the sprocket in gaps between
//! teeth: a root circle that holds them out, and two flanks with a backlash. On the tip of a tooth
//! a pin rides outside. A double-pin track has a connector between two shoes, which is also a body,
//! and the teeth hold the middles of the connectors. Guide horns hold the shoes between the halves
//! of the wheels, with clearance. Contact is evaluated only between a shoe and the wheels near it,
//! so the cost is proportional to the number of shoes.
//!
//! # Limits
//! A shoe neither rolls nor yaws relative to the hull.

use super::assembly::{
    TrackIndices, TrackKind, TrackSide, WheelSpin, arm, carrier, hull, side, wheel,
};
use super::route::{BeltPoint, TrackRoute, distance};
use crate::multibody::{
    Body, BodyId, Element, ElementForce, Inertia, Joint, ModelBuilder, MultibodyModel,
    MultibodyState, MultibodyWorkspace,
};
use crate::spec::{MassProperties, Track, TrackedSpec};
use crate::vehicle_bodies::VehicleBodies;
use bekker_math::numeric::{atan2, hypot, sin_cos};
use bekker_math::spatial::{Pose, Vec3};
use std::f64::consts::TAU;

/// Sliding speed below which friction between steel and rubber is proportional to the speed, m/s.
const SLIDING: f64 = 0.02;

/// Connection of a shoe to the one behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pin {
    /// Elements along and across the rear shoe, along the pin's axis, and about it.
    pub along: usize,
    pub across: usize,
    pub side: usize,
    pub bend: usize,
    /// Angle between the shoes on a straight track, rad: a whole turn where the loop closes.
    pub turn: f64,
}

/// A shoe, or a connector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub body: BodyId,
    /// Half the distance between the pins, m.
    half: f64,
    /// Half the length of the top surface for wheels, m; 0 for connectors.
    plate: f64,
    /// Position ahead of the middle at which the sprocket's teeth hold it, m; `None` if they do
    /// not.
    held: Option<f64>,
    /// Index of the first coordinate: along x, y, z of the hull and about y.
    pub coordinate: usize,
    /// Index of the first position.
    pub position: usize,
    /// Index of its load in the workspace, for shoes that can contact the ground.
    pub load: Option<usize>,
    /// The pin behind it.
    pub pin: Pin,
    /// Index of the first pair with the wheels; the last pair is with the sprocket.
    touching: usize,
    /// Positions in the design position.
    start: [f64; 4],
}

/// A wheel that rolls on the shoes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Roller {
    pub body: BodyId,
    /// Radius, m.
    pub radius: f64,
}

/// One track of shoes.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    pub shoes: Vec<Segment>,
    /// Road wheels, then the idler, then return rollers.
    pub rollers: Vec<Roller>,
    pub sprocket: BodyId,
    /// Lateral position of the track's midline, m.
    y: f64,
    /// Stiffness of the rims per length and depth, N/m²: N/m³ times the width.
    foundation: f64,
    /// Angle of the first gap around the sprocket in the design position, rad.
    gap: f64,
}

/// Pins of a track in the design position, in the direction of the track in forward travel.
///
/// The second result is the displacement of the idler to the rear at which the loop closes, m.
fn layout(spec: &TrackedSpec, track: &Track) -> (Vec<BeltPoint>, f64) {
    let half = 0.5 * spec.shoe.length();
    // where a shoe is flat on the idler, its pins are farther out than its middle
    let round_idler = hypot(spec.idler.radius + spec.shoe.top, half);
    let pins = |back: f64| {
        let idler = spec.idler.position[0] - back;
        let radii = [spec.pin_radius(), round_idler];
        let outline = TrackRoute::with_radii(spec, track, idler, radii).outline();
        // both runs of the track pull on the idler
        let tension = (0.5 * spec.idler.force(back)).max(0.0);
        let stretch = tension / spec.shoe.pin_stiffness;
        let lengths: Vec<f64> = links(spec).iter().map(|link| 2.0 * link.half + stretch).collect();
        chords(&outline, &lengths, track.shoes)
    };
    let (mut low, mut high) = (-0.5, 0.5);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if pins(middle).1 > 0.0 { low = middle } else { high = middle }
    }
    (pins(low).0, low)
}

/// A shoe or a connector before assembly.
struct SegmentSpec {
    mass: f64,
    inertia: [f64; 3],
    half: f64,
    plate: f64,
    held: Option<f64>,
    is_shoe: bool,
}

/// The repeating unit of the track: a shoe, followed by a connector if there is one.
fn links(spec: &TrackedSpec) -> Vec<SegmentSpec> {
    let shoe = &spec.shoe;
    let half = 0.5 * shoe.length();
    let held = shoe.connector.is_none().then_some(half);
    let (mass, inertia, plate) = (shoe.mass, shoe.inertia, 0.5 * shoe.pitch);
    let connector = shoe.connector.map(|connector| SegmentSpec {
        mass: connector.mass,
        inertia: connector.inertia,
        half: 0.5 * connector.length,
        plate: 0.0,
        held: Some(0.0),
        is_shoe: false,
    });
    let shoe = SegmentSpec { mass, inertia, half, plate, held, is_shoe: true };
    std::iter::once(shoe).chain(connector).collect()
}

/// Corners of `count` repetitions of chords of these lengths along a closed outline.
///
/// The walk starts at the outline's first point. The second result is the length by which the
/// chords exceed the outline, m. It is infinite if a chord is longer than the outline is wide.
fn chords(outline: &[BeltPoint], lengths: &[f64], count: u32) -> (Vec<BeltPoint>, f64) {
    let corner = |index: usize| outline[index % outline.len()];
    let mut pins = vec![corner(0)];
    let (mut edge, mut here, mut run) = (0, corner(0), 0.0);
    for _ in 0..count {
        for &chord in lengths {
            let from = pins[pins.len() - 1];
            let begun = edge;
            while distance(from, corner(edge + 1)) < chord {
                if edge - begun > outline.len() {
                    return (pins, f64::INFINITY);
                }
                run += distance(here, corner(edge + 1));
                here = corner(edge + 1);
                edge += 1;
            }
            // |here + s (next - here) - from| = chord on this edge
            let next = corner(edge + 1);
            let (d, g) =
                ([next[0] - here[0], next[1] - here[1]], [here[0] - from[0], here[1] - from[1]]);
            let (a, b) = (d[0] * d[0] + d[1] * d[1], d[0] * g[0] + d[1] * g[1]);
            let c = g[0] * g[0] + g[1] * g[1] - chord * chord;
            let s = (-b + (b * b - a * c).max(0.0).sqrt()) / a;
            let there = [here[0] + s * d[0], here[1] + s * d[1]];
            run += distance(here, there);
            here = there;
            pins.push(there);
        }
    }
    pins.pop();
    let length: f64 = (0..outline.len()).map(|k| distance(corner(k), corner(k + 1))).sum();
    (pins, run - length)
}

/// Adds the hull and both sides.
pub(super) fn assemble(
    spec: &TrackedSpec,
    builder: &mut ModelBuilder,
) -> (BodyId, [TrackIndices; 2]) {
    let hull = hull(spec, &[], builder);
    let y = spec.sprocket.position[1];
    let left = track(spec, TrackSide { y, track: &spec.left }, hull, builder);
    let right = track(spec, TrackSide { y: -y, track: &spec.right }, hull, builder);
    (hull, [left, right])
}

/// Adds one side: arms, sprocket, idler, shoes.
fn track(
    spec: &TrackedSpec,
    on_side: TrackSide<'_>,
    hull: BodyId,
    builder: &mut ModelBuilder,
) -> TrackIndices {
    let TrackSide { y, track: file } = on_side;
    let (pins, back) = layout(spec, file);
    let name = side(y);
    let stations = 0..file.stations.len();
    let arms: Vec<_> =
        stations.map(|index| arm(spec, on_side, index, hull, true, builder)).collect();
    let idler = &spec.idler;
    let center = Vec3::new(idler.position[0] - back, y, idler.position[2]);
    let carried = [Inertia::principal(idler.carrier.mass, center, idler.carrier.inertia)];
    let (carrier, tensioner) = carrier(name, hull, center, &carried, builder);
    let end = wheel(format!("{name} idler"), carrier, center, &idler.wheel, builder);
    let spin = spec.sprocket.spin_inertia;
    // a thin wheel: the inertia across the axle is half of that about it
    let part = MassProperties { mass: spec.sprocket.mass, inertia: [0.5 * spin, spin, 0.5 * spin] };
    let [x, _, z] = spec.sprocket.position;
    let sprocket = wheel(format!("{name} sprocket"), hull, Vec3::new(x, y, z), &part, builder);
    let returning: Vec<Roller> = spec
        .return_roller
        .iter()
        .flat_map(|own| file.return_rollers.iter().map(move |&x| (own, x)))
        .enumerate()
        .map(|(index, (own, x))| {
            let name = format!("{name} return roller {index}");
            let center = Vec3::new(x, y, own.height);
            Roller { body: wheel(name, hull, center, &own.wheel, builder), radius: own.radius }
        })
        .collect();
    let rollers = arms
        .iter()
        .map(|arm| Roller { body: arm.wheel, radius: spec.road_wheel.radius })
        .chain([Roller { body: end, radius: idler.radius }])
        .chain(returning);
    let segments =
        Segments::add_to_hull(spec, &pins, y, hull, rollers.collect(), sprocket, builder);
    let turn = builder.coordinate(sprocket);
    TrackIndices {
        y,
        run: TrackKind::Segments(segments),
        arms,
        carrier,
        idler: WheelSpin { coordinate: builder.coordinate(end), factor: 1.0 },
        tensioner,
        sprocket: turn,
        turned: 0,
        idler_force: idler.force(back),
        brake: builder.element(Element::Rates { rates: vec![(turn, 1.0)] }),
    }
}

impl Segments {
    /// Adds the shoes of a track to the hull.
    fn add_to_hull(
        spec: &TrackedSpec,
        pins: &[BeltPoint],
        y: f64,
        hull: BodyId,
        rollers: Vec<Roller>,
        sprocket: BodyId,
        builder: &mut ModelBuilder,
    ) -> Segments {
        let count = pins.len();
        let links = links(spec);
        let anchor = Vec3::new(0.0, y, 0.0);
        let mut angle = 0.0;
        let mut shoes: Vec<Segment> = (0..count)
            .zip(links.iter().cycle())
            .map(|(index, link)| {
                let (front, rear) = (pins[index], pins[(index + 1) % count]);
                let heading = atan2(rear[1] - front[1], front[0] - rear[0]);
                angle += nearest_turn(heading - angle, TAU);
                let body = builder.body(Body {
                    name: format!("{} shoe {index}", side(y)),
                    parent: hull,
                    joint: Joint::Schoenflies(Vec3::y()),
                    anchor,
                    origin: anchor,
                    inertia: Inertia::principal(link.mass, anchor, link.inertia),
                });
                let x = 0.5 * (front[0] + rear[0]);
                let z = 0.5 * (front[1] + rear[1]);
                let touching = builder.touching(body, rollers[0].body);
                for roller in &rollers[1..] {
                    builder.touching(body, roller.body);
                }
                builder.touching(body, sprocket);
                Segment {
                    body,
                    coordinate: builder.coordinate(body).index(),
                    position: 0,
                    half: link.half,
                    plate: link.plate,
                    held: link.held,
                    load: link.is_shoe.then(|| builder.loaded(body)),
                    pin: Pin { along: 0, across: 0, side: 0, bend: 0, turn: 0.0 },
                    touching,
                    start: [x, 0.0, z, angle],
                }
            })
            .collect();
        for index in 0..count {
            let (a, b) = (shoes[index], shoes[(index + 1) % count]);
            let mut spring = |axis| {
                builder.element(Element::Axial {
                    a: a.body,
                    point_a: anchor - Vec3::x() * a.half,
                    b: b.body,
                    point_b: anchor + Vec3::x() * b.half,
                    axis,
                })
            };
            let (along, across) = (spring(Vec3::x()), spring(Vec3::z()));
            let mut between = |freedom| {
                let rates = [(a.body, 1.0), (b.body, -1.0)];
                let rates = rates.map(|(body, w)| (builder.coordinate_of(body, freedom), w));
                builder.element(Element::Rates { rates: rates.to_vec() })
            };
            let (side, bend) = (between(1), between(3));
            let turn = ((a.start[3] - b.start[3]) / TAU).round() * TAU;
            shoes[index].pin = Pin { along, across, side, bend, turn };
        }
        let [cx, _, cz] = spec.sprocket.position;
        let held = shoes
            .iter()
            .find_map(|shoe| shoe.held.map(|ahead| shoe.point_ahead(&shoe.start, ahead)));
        let gap = held.map_or(0.0, |[x, z]| atan2(x - cx, z - cz));
        Segments { shoes, rollers, sprocket, y, foundation: foundation(spec), gap }
    }

    /// Looks up the indices of the positions in a finished model.
    pub fn find_positions(&mut self, model: &MultibodyModel) {
        for shoe in &mut self.shoes {
            shoe.position = model.position_of(shoe.coordinate).unwrap_or_default();
        }
    }

    /// Places the track around its wheels in the design position.
    pub fn place_shoes(&self, q: &mut [f64]) {
        for shoe in &self.shoes {
            q[shoe.position..shoe.position + 4].copy_from_slice(&shoe.start);
        }
    }

    /// Sets the speed of the track, m/s.
    pub fn launch(&self, speed: f64, u: &mut [f64]) {
        for (shoe, behind) in self.shoes.iter().zip(self.shoes.iter().cycle().skip(1)) {
            let [_, _, _, angle] = shoe.start;
            let (s, c) = sin_cos(angle);
            let turning =
                (behind.start[3] + shoe.pin.turn - angle) * speed / (shoe.half + behind.half);
            u[shoe.coordinate..shoe.coordinate + 4].copy_from_slice(&[
                -speed * c,
                0.0,
                speed * s,
                turning,
            ]);
        }
    }

    /// Returns the largest opening of a pin, m.
    pub fn opening(&self, body: &MultibodyWorkspace) -> f64 {
        let square = |element: usize| body.measure[element] * body.measure[element];
        let opening = |pin: &Pin| square(pin.along) + square(pin.across) + square(pin.side);
        self.shoes.iter().map(|shoe| opening(&shoe.pin)).fold(0.0, f64::max).sqrt()
    }

    /// Sets the forces of pins, wheels and sprocket. `loads` receives those of the road wheels on
    /// the track, N.
    pub fn pull(
        &self,
        spec: &TrackedSpec,
        bodies: &VehicleBodies,
        state: &MultibodyState,
        body: &mut MultibodyWorkspace,
        loads: &mut [f64],
    ) {
        let shoe = &spec.shoe;
        let spring = |body: &mut MultibodyWorkspace, element: usize, rest: f64, k: f64, c: f64| {
            let force = k * (body.measure[element] - rest) + c * body.rate[element];
            body.element[element] = ElementForce { force, stiffness: k, damping: c };
        };
        let (k, c) = (shoe.pin_stiffness, shoe.pin_stiffness * shoe.pin_damping_time);
        for Segment { pin, .. } in &self.shoes {
            for element in [pin.along, pin.across, pin.side] {
                spring(body, element, 0.0, k, c);
            }
            let bending = &shoe.bending;
            spring(body, pin.bend, pin.turn, bending.stiffness, bending.damping);
        }
        let (model, hull) = (&bodies.model, bodies.pose(body));
        let touching = ShoeContactContext { spec, model, hull: &hull, state };
        loads.fill(0.0);
        for (index, roller) in self.rollers.iter().enumerate() {
            let center = hull.local_point(&model.body_origin(body, roller.body));
            let load = self.roll(&touching, body, index, [center.x, center.z]);
            if let Some(sum) = loads.get_mut(index) {
                *sum = load;
            }
        }
        self.mesh(&touching, body);
    }

    /// Adds the contacts of a wheel with the shoes. Returns its force on them, N.
    fn roll(
        &self,
        touching: &ShoeContactContext<'_>,
        body: &mut MultibodyWorkspace,
        wheel: usize,
        center: BeltPoint,
    ) -> f64 {
        let ShoeContactContext { spec, model, hull, state } = *touching;
        let guide = &spec.shoe.guide;
        let top = spec.shoe.top;
        let radius = self.rollers[wheel].radius;
        let delay = spec.road_wheel.rim_damping / spec.road_wheel.rim_stiffness;
        let far = radius + top + 0.5 * spec.shoe.pitch;
        let mut sum = 0.0;
        for shoe in self.shoes.iter().filter(|shoe| shoe.is_shoe()) {
            let q = &state.q[shoe.position..shoe.position + 4];
            let (dx, dz) = (center[0] - q[0], center[1] - q[2]);
            if dx * dx + dz * dz > far * far {
                continue;
            }
            let (s, c) = sin_cos(q[3]);
            let (ahead, above) = (dx * c - dz * s, dx * s + dz * c - top);
            // a wheel is never on the ground side of a shoe
            if above < 0.5 * radius {
                continue;
            }
            let Some(print) = ContactPatch::find(radius, radius - above, ahead, shoe.plate) else {
                continue;
            };
            let pair = shoe.touching + wheel;
            let at = |along: f64| {
                let (x, z) = (q[0] + along * c + top * s, q[2] - along * s + top * c);
                hull.point(&Vec3::new(x, self.y, z))
            };
            let point = at(print.middle);
            let stiffness = self.foundation * print.length;
            let damping = stiffness * delay;
            let mut load = 0.0;
            let away = hull.direction(&Vec3::new(-s, 0.0, -c));
            model.touch(state, body, pair, &point, &away, |leaving| {
                load = (self.foundation * print.area - damping * leaving).max(0.0);
                pressing_force(load, stiffness, damping)
            });
            if load <= 0.0 {
                continue;
            }
            sum += load;
            let rub = |speed: f64| friction_force(guide.friction * load, speed);
            let along = hull.direction(&Vec3::new(c, 0.0, -s));
            let across = hull.direction(&Vec3::y());
            model.touch(state, body, pair, &point, &along, rub);
            model.touch(state, body, pair, &point, &across, rub);
            touching.guide(body, pair, &point, &across, q[1]);
        }
        sum
    }

    /// Adds the contacts of the sprocket's teeth with the pins ahead of the shoes.
    fn mesh(&self, touching: &ShoeContactContext<'_>, body: &mut MultibodyWorkspace) {
        let ShoeContactContext { spec, model, hull, state } = *touching;
        let tooth = &spec.sprocket.tooth;
        let [cx, _, cz] = spec.sprocket.position;
        let radius = spec.pitch_radius();
        let pitch = TAU / f64::from(spec.sprocket.teeth);
        let turned = model.angle(state, self.sprocket) + self.gap;
        let (lean, upright) = sin_cos(tooth.flank_deg.to_radians());
        let damping = tooth.stiffness * spec.shoe.pin_damping_time;
        let far = radius + tooth.height + 0.5 * spec.shoe.pitch;
        for shoe in &self.shoes {
            let Some(ahead) = shoe.held else { continue };
            let q = &state.q[shoe.position..shoe.position + 4];
            let (dx, dz) = (q[0] - cx, q[2] - cz);
            if dx * dx + dz * dz > far * far {
                continue;
            }
            let [x, z] = shoe.point_ahead(q, ahead);
            let (x, z) = (x - cx, z - cz);
            let out = hypot(x, z) - radius;
            if out > tooth.height {
                continue;
            }
            let around = atan2(x, z);
            let off = radius * nearest_turn(around - turned, pitch);
            let (sine, cosine) = sin_cos(around);
            let (radial, tangent) = ([sine, cosine], [cosine, -sine]);
            let point = hull.point(&Vec3::new(cx + x, self.y, cz + z));
            let pair = shoe.touching + self.rollers.len();
            let mut press = |[x, z]: BeltPoint, depth: f64| {
                let away = hull.direction(&Vec3::new(x, 0.0, z));
                model.touch(state, body, pair, &point, &away, |leaving| {
                    let load = (tooth.stiffness * depth - damping * leaving).max(0.0);
                    pressing_force(load, tooth.stiffness, damping)
                });
            };
            if out < 0.0 {
                press(radial, -out);
            }
            let flank = (off.abs() - tooth.backlash) * upright - out.max(0.0) * lean;
            let tip = tooth.height - out;
            if flank > tip {
                press(radial, tip);
            } else if flank > 0.0 {
                let back = -off.signum() * upright;
                press([0, 1].map(|k| back * tangent[k] + lean * radial[k]), flank);
            }
            let across = hull.direction(&Vec3::y());
            touching.guide(body, pair, &point, &across, q[1]);
        }
    }
}

/// Vehicle whose shoes touch its wheels in a step.
struct ShoeContactContext<'a> {
    spec: &'a TrackedSpec,
    model: &'a MultibodyModel,
    /// Pose of the hull.
    hull: &'a Pose,
    state: &'a MultibodyState,
}

impl ShoeContactContext<'_> {
    /// Adds the contact of a guide horn between the halves of a wheel, `offset` m from its middle.
    fn guide(
        &self,
        body: &mut MultibodyWorkspace,
        pair: usize,
        point: &Vec3,
        across: &Vec3,
        offset: f64,
    ) {
        let ShoeContactContext { spec, model, state, .. } = *self;
        let guide = &spec.shoe.guide;
        let beyond = offset.abs() - guide.clearance;
        if beyond > 0.0 {
            let damping = guide.stiffness * spec.shoe.pin_damping_time;
            let inward = across * -offset.signum();
            model.touch(state, body, pair, point, &inward, |leaving| {
                let load = (guide.stiffness * beyond - damping * leaving).max(0.0);
                pressing_force(load, guide.stiffness, damping)
            });
        }
    }
}

impl Segment {
    /// The point `ahead` of the middle, m, at positions `q`, in the plane of the track.
    fn point_ahead(&self, q: &[f64], ahead: f64) -> BeltPoint {
        let (s, c) = sin_cos(q[3]);
        [q[0] + ahead * c, q[2] - ahead * s]
    }

    /// Whether it is a shoe, not a connector.
    pub fn is_shoe(&self) -> bool {
        self.plate > 0.0
    }
}

/// The part of a wheel's contact patch that is on one shoe.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ContactPatch {
    /// Length, m.
    length: f64,
    /// Integral of the depth over the length, m².
    area: f64,
    /// Position of the resultant on the shoe, ahead of its middle, m.
    middle: f64,
}

impl ContactPatch {
    /// Contact patch of a wheel that is `depth` m below the top of a shoe.
    ///
    /// `half` is half the shoe's length and `ahead` the wheel's position ahead of the shoe's
    /// middle, m.
    fn find(radius: f64, depth: f64, ahead: f64, half: f64) -> Option<ContactPatch> {
        if depth <= 0.0 {
            return None;
        }
        let chord = (2.0 * radius * depth).sqrt();
        // ends of the patch relative to the wheel's lowest point
        let a = (-half - ahead).max(-chord);
        let b = (half - ahead).min(chord);
        if a >= b {
            return None;
        }
        let (a2, b2) = (a * a, b * b);
        let area = depth * (b - a) - (b2 * b - a2 * a) / (6.0 * radius);
        let moment = 0.5 * depth * (b2 - a2) - (b2 * b2 - a2 * a2) / (8.0 * radius);
        Some(ContactPatch { length: b - a, area, middle: ahead + moment / area })
    }
}

/// Stiffness of the foundation, N/m², that reproduces the rim's stiffness under its static load.
///
/// F = k 4/3 d √(2 R d).
fn foundation(spec: &TrackedSpec) -> f64 {
    let wheel = &spec.road_wheel;
    let wheels = spec.left.stations.len() + spec.right.stations.len();
    let load = spec.total_mass() * bekker_math::numeric::GRAVITY / wheels as f64;
    let depth = load / wheel.rim_stiffness;
    load / (4.0 / 3.0 * depth * (2.0 * wheel.radius * depth).sqrt())
}

/// Difference of an angle from the nearest multiple of `whole`, rad.
fn nearest_turn(angle: f64, whole: f64) -> f64 {
    angle - whole * (angle / whole).round()
}

fn pressing_force(load: f64, stiffness: f64, damping: f64) -> ElementForce {
    if load > 0.0 {
        ElementForce { force: -load, stiffness, damping }
    } else {
        ElementForce::default()
    }
}

fn friction_force(most: f64, speed: f64) -> ElementForce {
    let damping = most / speed.abs().max(SLIDING);
    ElementForce { force: damping * speed, stiffness: 0.0, damping }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_on_two_shoes_make_the_print_on_one() {
        let (radius, depth) = (0.3, 2e-3);
        let whole = ContactPatch::find(radius, depth, 0.0, 1.0).unwrap();
        let chord = (2.0 * radius * depth).sqrt();
        // the circular segment as a parabola: 4/3 of the depth times half its chord
        assert!((whole.area - 4.0 / 3.0 * depth * chord).abs() < 1e-15);
        assert!((whole.length - 2.0 * chord).abs() < 1e-15 && whole.middle == 0.0);
        for over in [-0.03, -0.01, 0.0, 0.02, 0.04] {
            // the joint of two shoes, `over` m ahead of the wheel's lowest point
            let half = 0.077;
            let front = ContactPatch::find(radius, depth, -over - half, half);
            let rear = ContactPatch::find(radius, depth, half - over, half);
            let area: f64 = [front, rear].iter().flatten().map(|print| print.area).sum();
            assert!((area - whole.area).abs() < 1e-15, "{over}");
        }
    }

    #[test]
    fn chords_close_on_a_circle() {
        let outline: Vec<BeltPoint> = (0..3600)
            .map(|k| {
                let (s, c) = sin_cos(f64::from(k) * TAU / 3600.0);
                [c, s]
            })
            .collect();
        let chord = 2.0 * sin_cos(TAU / 20.0).0;
        let (pins, over) = chords(&outline, &[chord], 10);
        assert_eq!(pins.len(), 10);
        // the edges of the polygonal outline deviate from the circle by 4e-7
        assert!(over.abs() < 1e-5, "{over}");
    }
}
