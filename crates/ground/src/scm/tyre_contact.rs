//! Contact of a wheel whose tyre gives way, with soil and with firm ground.
//!
//! The belt ([`Ring`]) stands in balance with what presses it, linearly implicitly as all
//! else: the soil answers once a step under the belt as it was left, its pressure and the
//! slopes of that are projected on the belt's stations, and the belt is solved for how it
//! goes on, by itself and with each motion of the hub ([`RingStep`]). The load that goes to
//! the wheel is that of the settled belt, and its stiffness the condensed one: that of soil
//! and belt in series. After the vehicle's step [`settle_ring`] takes the belt along.
//!
//! On firm ground stations of the belt stand on the surface between the nodes, the rubber
//! of the tread giving way. A wheel on both is carried by both: what is firm at a station
//! is the share of firm nodes about it, what yields are the cells of the others.

use super::contact::{Contact, contact};
use super::footprint::Footprint;
use super::gather::FARTHEST;
use super::placed_tyre::PlacedTyre;
use super::ring::{
    FIRM, FORE, LEAN, MOTIONS, Ring, RingLoad, RingState, RingStep, SOIL, STATIONS, STRIPS,
    Stations,
};
use super::scratch::Scratch;
use super::underside::Underside;
use super::vectors::Vectors;
use super::working_ground::WorkingGround;
use crate::grid::{Node, TileKey};
use crate::numeric::{Lanes, Simd, WIDTH, dispatch, each, level};
use crate::soil::{SoilKind, Tread};
use crate::spatial::{Pose, Twist, Vec3, Vec6, Wrench};

/// Stiffness of the tread on firm ground, Pa/m: it sinks by a tenth of a millimetre. (Its
/// rubber gives way by a few more; what that makes is in the data that a ring is fitted to.)
const RUBBER: f64 = 1e9;
/// The belt counts as no steeper against the ground than this: a cosine.
const STEEPEST: f64 = 0.4;

/// A wheel with a tyre that gives way.
#[derive(Clone, Copy, Debug)]
pub struct FlexibleTyre<'a> {
    /// Its shape without load; it has no grousers.
    pub underside: &'a Underside,
    /// Its belt.
    pub ring: &'a Ring,
    /// How its tread shears soil.
    pub tread: &'a Tread,
}

/// What the ground does to a wheel with a tyre that gives way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TyreContact {
    /// All of it but what firm ground does along itself.
    pub contact: Contact,
    /// Firm ground, if any carries: what grips there is the handling law's.
    pub firm: Option<FirmFooting>,
}

/// Firm ground under a tyre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirmFooting {
    /// Its force along its mean normal, N.
    pub load: f64,
    /// That normal, unit.
    pub normal: Vec3,
    /// Centre of its pressure from the wheel's centre, m.
    pub place: Vec3,
    /// Mean coefficient of friction.
    pub friction: f64,
}

/// Contact of a wheel with a tyre that gives way; arguments as for
/// [`wheel_contact`](super::wheel_contact). `step` is for [`settle_ring`].
pub fn tyre_contact(
    ground: &mut WorkingGround<'_>,
    tyre: &FlexibleTyre<'_>,
    state: &RingState,
    (pose, twist): (&Pose, &Twist),
    dt: f64,
    step: &mut RingStep,
) -> TyreContact {
    let FlexibleTyre { underside, ring, tread } = *tyre;
    let wheel = underside.placed(pose, ground.model.lattice().spacing);
    let Some(mut placed) = PlacedTyre::new(wheel.clone(), ring, state) else {
        // it lies on its side: the belt is left alone
        let mut wheel = wheel;
        step.let_go(state);
        return TyreContact { contact: contact(ground, &mut wheel, tread, twist, dt), firm: None };
    };
    let met = contact(ground, &mut placed, tread, twist, dt);
    let mut on = Meeting::new(met, &placed, pose.position);
    let WorkingGround { scratch, .. } = ground;
    let soiled = on.contact.nodes_in_contact > 0;
    let mut load = std::mem::take(&mut scratch.ring_load);
    load.clear([soiled, false, false]);
    if soiled {
        dispatch!(level(), simd => on.gather_soil(simd, scratch, &mut load));
    }
    let firm = on.gather_firm(ground, &mut load);
    dispatch!(level(), simd => ring.solve(simd, state, &mut load, dt, step));
    on.condense(&load, step, twist, dt);
    ground.scratch.ring_load = load;
    let firm = firm.and_then(|firm| on.footing(firm));
    TyreContact { contact: on.contact, firm }
}

/// Takes a belt through the step that the vehicle has made, at whose end its wheel moves
/// with `twist`.
pub fn settle_ring(step: &RingStep, twist: &Twist, dt: f64, state: &mut RingState) {
    step.take(&step.motions(twist, dt), state);
}

/// Sums over firm stations.
#[derive(Clone, Copy, Debug, Default)]
struct FirmSums {
    force: Vec3,
    torque: Vec3,
    /// Of pressure and place along the axis, N m.
    across: f64,
    /// Of pressure and friction, N.
    friction: f64,
    /// Of pressure alone, N.
    pressed: f64,
}

/// A tyre as it meets the ground.
struct Meeting<'a, 'b> {
    contact: Contact,
    placed: &'b PlacedTyre<'a>,
    centre: Vec3,
    /// Directions of force and motion, for each motion ...
    ways: [Vec6; MOTIONS],
    /// ... and for a lean about the forward direction.
    lean: Vec6,
    /// Mean normal of the ground under the soil's part.
    up: Vec3,
    /// Stiffness of firm ground alone, by pairs of motions, the lean last.
    stiffness: [[f64; MOTIONS + 1]; MOTIONS + 1],
    /// What the belt's settling adds to the forces along them.
    settled: [f64; MOTIONS + 1],
}

fn along(direction: &Vec3) -> Vec6 {
    Vec6::new(0.0, 0.0, 0.0, direction.x, direction.y, direction.z)
}

fn about(axis: &Vec3) -> Vec6 {
    Vec6::new(axis.x, axis.y, axis.z, 0.0, 0.0, 0.0)
}

impl<'a, 'b> Meeting<'a, 'b> {
    fn new(contact: Contact, placed: &'b PlacedTyre<'a>, centre: Vec3) -> Meeting<'a, 'b> {
        Meeting {
            contact,
            placed,
            centre,
            ways: [Vec6::zeros(); MOTIONS],
            lean: Vec6::zeros(),
            up: Vec3::z(),
            stiffness: [[0.0; MOTIONS + 1]; MOTIONS + 1],
            settled: [0.0; MOTIONS + 1],
        }
    }

    /// Projects what the soil does on the belt, and gives the wheel the torque about its
    /// axis that the belt hands on: none of what stands upright on the belt, which passes
    /// along its own shape.
    #[inline(always)]
    fn gather_soil<S: Simd>(
        &mut self,
        simd: S,
        scratch: &Scratch,
        load: &mut RingLoad,
    ) {
        let Meeting { placed, .. } = *self;
        let radius = placed.wheel.underside.max_radius();
        let axis = placed.wheel.axis;
        let (forward, up) = (placed.forward, placed.up);
        let zero = Lanes::zero(simd);
        let none = Vectors { x: zero, y: zero, z: zero };
        let (mut normal, mut upright, mut spin) = (none, none, zero);
        for (four, reaction) in scratch.touched.iter().zip(scratch.reactions.iter()) {
            let r = four.offset(simd, &self.centre);
            let n = Vectors::from_parts(simd, &reaction.normal);
            let n0 = Vectors::from_parts(simd, &four.normal);
            let lanes = |numbers: &[f64; WIDTH]| Lanes::of(simd, *numbers);
            let (area, part) = (lanes(&reaction.area), lanes(&reaction.part));
            let push = area * lanes(&reaction.pressure);
            normal += n * push;
            upright += n0 * area;
            let surface = four.surface(simd);
            let [x, y, z] =
                placed.rolling_arm(&[r.x, r.y, r.z], &[surface.x, surface.y, surface.z]);
            let arm = Vectors { x, y, z };
            let whole = Vectors::from_parts(simd, &reaction.force);
            spin += Vectors::of(simd, &axis).dot(&arm.cross(&whole));
            // place on the belt
            let ahead = Vectors::of(simd, &forward).dot(&r);
            let down = -Vectors::of(simd, &up).dot(&r);
            let at = (ahead * ahead + down * down).sqrt();
            let distance = Vectors::of(simd, &axis).dot(&r);
            // cosine between pressure and radius
            let inward = Vectors::of(simd, &up) * (down / at) - Vectors::of(simd, &forward) * (ahead / at);
            let cosine = n.dot(&inward).max(0.0);
            // a belt that keeps its length goes along the normal: dw/dy = R / r, over cosine
            let belt = area;
            let by_belt = part * (radius / at) / cosine.max(STEEPEST);
            let slope = lanes(&reaction.slope);
            let force = (belt * lanes(&reaction.pressure)).numbers();
            let pressed = (belt * slope * by_belt).numbers();
            let eased = (belt * lanes(&reaction.eases) * by_belt).numbers();
            let by_motion = (belt * slope * part).numbers();
            let on_hub = (area * slope * by_belt).numbers();
            let distance = distance.numbers();
            for lane in four.lanes() {
                let place = placed.about(four.on_body[lane], distance[lane]);
                // beyond its ends the belt is round and takes nothing
                if place.along <= 0.0 || place.along >= 1.0 {
                    continue;
                }
                for (strip, across) in
                    [(place.strip, 1.0 - place.across), (place.strip + 1, place.across)]
                {
                    let rear = 1.0 - place.along;
                    let front = place.along;
                    let (first, second) = (place.station, place.station + 1);
                    for (growth, own) in
                        [(&mut load.pressed, pressed[lane]), (&mut load.eased, eased[lane])]
                    {
                        growth.own[first][strip] += across * rear * rear * own;
                        growth.own[second][strip] += across * front * front * own;
                        growth.next[first][strip] += across * rear * front * own;
                    }
                    for (station, weight) in [(first, across * rear), (second, across * front)] {
                        load.force[station][strip] += weight * force[lane];
                        load.by_motion[SOIL][station][strip] -= weight * by_motion[lane];
                        load.on_hub[SOIL][station][strip] += weight * on_hub[lane];
                    }
                }
            }
        }
        let normal = normal.sum();
        let normal = normal.try_normalize(1e-9).unwrap_or_else(Vec3::z);
        self.up = upright.sum().try_normalize(1e-9).unwrap_or_else(Vec3::z);
        self.ways[SOIL] = along(&normal);
        let ahead = axis.cross(&normal).try_normalize(1e-9).unwrap_or(placed.forward);
        self.lean = about(&ahead);
        let torque = &mut self.contact.load.wrench.torque;
        *torque += axis * (spin.sum() - axis.dot(torque));
    }

    /// Lets stations stand on firm ground.
    fn gather_firm(
        &mut self,
        ground: &mut WorkingGround<'_>,
        load: &mut RingLoad,
    ) -> Option<FirmSums> {
        let WorkingGround { model, published, overlay, scratch } = ground;
        if !model.has_firm_soil() {
            return None;
        }
        let placed = self.placed;
        let lattice = model.lattice();
        let [x0, y0, x1, y1] = placed.bounds();
        let on_lattice = |bound: f64| bound.abs() < FARTHEST * lattice.spacing;
        if ![x0, y0, x1, y1].into_iter().all(on_lattice) {
            return None;
        }
        let spacing = lattice.spacing;
        let (low, high) = (
            lattice.nearest(x0 - spacing, y0 - spacing).tile(),
            lattice.nearest(x1 + spacing, y1 + spacing).tile(),
        );
        scratch.slots.clear();
        let (mut ceiling, mut any) = (f64::NEG_INFINITY, false);
        for b in low.b..=high.b {
            for a in low.a..=high.a {
                let slot = overlay.fetch(model, published, TileKey { a, b });
                ceiling = ceiling.max(overlay.at(slot).ceiling());
                any |= overlay.at(slot).firm_nodes() > 0;
                scratch.slots.push(slot);
            }
        }
        if !any {
            return None;
        }
        let columns = (high.a - low.a + 1) as usize;
        let node = |i: i32, j: i32| {
            let node = Node { i, j };
            let key = node.tile();
            if key.a < low.a || key.a > high.a || key.b < low.b || key.b > high.b {
                return None;
            }
            let slot = scratch.slots[(key.b - low.b) as usize * columns + (key.a - low.a) as usize];
            let (tile, index) = (overlay.at(slot), node.index());
            let friction = match model.soils()[tile.soil(index)].kind {
                SoilKind::Firm { friction } => Some(friction),
                _ => None,
            };
            Some((tile.surface(index), friction))
        };
        let mut pressed = [[None; STRIPS]; STATIONS];
        let (mut normal, mut reached) = (Vec3::zeros(), false);
        let axis = placed.wheel.axis;
        for station in 0..STATIONS {
            for strip in 0..STRIPS {
                let distance = placed.strip_at(strip);
                let (outward, less) = placed.station(station, strip);
                let radius = placed.wheel.underside.radius_at(distance) + less;
                let r = axis * distance + outward * radius;
                let point = self.centre + r;
                if point.z >= ceiling {
                    continue;
                }
                let Some(surface) = surface(spacing, &node, &point) else { continue };
                let depth = (surface.height - point.z) * surface.normal.z;
                if depth <= 0.0 {
                    continue;
                }
                let cosine = -surface.normal.dot(&outward);
                if cosine < STEEPEST {
                    continue;
                }
                let area = placed.station_area();
                let stiffness = RUBBER * surface.share;
                normal += surface.normal * (area * stiffness * depth);
                reached = true;
                pressed[station][strip] =
                    Some(Pressed { r, surface, depth, cosine, area, stiffness, radius });
            }
        }
        if !reached {
            return None;
        }
        let normal = normal.normalize();
        let forward = axis.cross(&normal).try_normalize(1e-9)?;
        self.ways[FIRM] = along(&normal);
        self.ways[FORE] = along(&forward);
        if !load.moves[SOIL] {
            self.lean = about(&forward);
        }
        let none = [[0.0; STRIPS]; STATIONS];
        for motion in [FIRM, FORE] {
            load.by_motion[motion] = none;
            load.on_hub[motion] = none;
            load.moves[motion] = true;
        }
        let mut sums = FirmSums::default();
        for (station, row) in pressed.iter().enumerate() {
            for (strip, own) in row.iter().enumerate() {
                let Some(own) = own else { continue };
                let distance = placed.strip_at(strip);
                let n = &own.surface.normal;
                let pressure = own.stiffness * own.depth;
                let push = own.area * pressure;
                sums.force += n * push;
                sums.torque += own.r.cross(&(n * push));
                sums.across += push * distance;
                sums.pressed += push;
                sums.friction += push * own.surface.friction;
                let by_belt = placed.wheel.underside.max_radius() / (own.radius * own.cosine);
                load.force[station][strip] += own.area * pressure;
                let growth = own.area * own.stiffness * by_belt;
                load.pressed.own[station][strip] += growth;
                load.eased.own[station][strip] += growth;
                let ways = [(FIRM, n.dot(&normal)), (FORE, n.dot(&forward))];
                let stiffness = own.area * own.stiffness;
                for (motion, way) in ways {
                    load.by_motion[motion][station][strip] -= stiffness * way;
                    load.on_hub[motion][station][strip] += stiffness * by_belt * way;
                }
                let ways = [ways[0], ways[1], (LEAN, ways[0].1 * distance)];
                for (motion, way) in ways {
                    for (other, across) in ways {
                        self.stiffness[motion][other] += stiffness * way * across;
                    }
                }
                self.contact.area += own.area * own.surface.share;
            }
        }
        Some(sums)
    }

    /// Puts the settled belt between ground and hub.
    fn condense(&mut self, load: &RingLoad, step: &mut RingStep, twist: &Twist, dt: f64) {
        let at = each(|strip| self.placed.strip_at(strip));
        let mut reduced = [[0.0; MOTIONS + 1]; MOTIONS + 1];
        let counted = || (0..MOTIONS).filter(|motion| load.moves[*motion]);
        for own in counted() {
            let on_hub = &load.on_hub[own];
            // strips know nothing of each other: a lean is a heave of each by its place
            let leans = own != FORE;
            let settled = product(on_hub, &step.settles);
            self.settled[own] -= sum(&settled);
            if leans {
                self.settled[LEAN] -= sum(&each(|k| at[k] * settled[k]));
            }
            for other in counted() {
                let part = product(on_hub, &step.follows[other]);
                let arm = each(|k| at[k] * part[k]);
                reduced[own][other] += sum(&part);
                if other != FORE {
                    reduced[own][LEAN] += sum(&arm);
                }
                if leans {
                    reduced[LEAN][other] += sum(&arm);
                    if other != FORE {
                        reduced[LEAN][LEAN] += sum(&each(|k| at[k] * arm[k]));
                    }
                }
            }
        }
        (step.ways, step.lean, step.up, step.strips) = (self.ways, self.lean, self.up, at);
        let on = &mut self.contact.load;
        let gliding = twist.linear - self.up * self.up.dot(&twist.linear);
        let glide = self.ways[SOIL].fixed_rows::<3>(3).dot(&gliding) * dt;
        let ways = [self.ways[SOIL], self.ways[FIRM], self.ways[FORE], self.lean];
        for (own, way) in ways.iter().enumerate() {
            let (turn, push) = (way.fixed_rows::<3>(0), way.fixed_rows::<3>(3));
            let add = |wrench: &mut Wrench, size: f64| {
                wrench.torque += turn * size;
                wrench.force += push * size;
            };
            add(&mut on.wrench, self.settled[own]);
            add(&mut on.glide, 0.5 * (reduced[own][SOIL] + reduced[SOIL][own]) * glide);
            for (other, across) in ways.iter().enumerate() {
                let both = 0.5 * (reduced[own][other] + reduced[other][own]);
                let stiffness = self.stiffness[own][other] + both;
                if stiffness != 0.0 {
                    on.stiffness += way * across.transpose() * stiffness;
                }
            }
        }
    }

    /// Adds the pressure of firm ground; what it carries.
    fn footing(&mut self, sums: FirmSums) -> Option<FirmFooting> {
        let on = &mut self.contact.load.wrench;
        let axis = self.placed.wheel.axis;
        on.force += sums.force;
        on.torque += sums.torque - axis * axis.dot(&sums.torque);
        let normal = Vec3::from(self.ways[FIRM].fixed_rows::<3>(3));
        let load = sums.force.dot(&normal) + self.settled[FIRM];
        if load <= 0.0 {
            return None;
        }
        let upwards = normal - axis * axis.dot(&normal);
        let upwards = upwards.try_normalize(1e-9)?;
        let radius = self.placed.wheel.underside.max_radius();
        let down = radius - 3.0 * self.placed.shrunk;
        Some(FirmFooting {
            load,
            normal,
            place: axis * (sums.across / sums.pressed) - upwards * down,
            friction: sums.friction / sums.pressed,
        })
    }
}

/// Sums over the stations of each strip.
fn product(a: &Stations, b: &Stations) -> [f64; STRIPS] {
    let rows = a.iter().zip(b);
    rows.fold([0.0; STRIPS], |sum, (a, b)| std::array::from_fn(|k| sum[k] + a[k] * b[k]))
}

fn sum(parts: &[f64; STRIPS]) -> f64 {
    (parts[0] + parts[1]) + (parts[2] + parts[3])
}

/// A station on firm ground.
#[derive(Clone, Copy)]
struct Pressed {
    r: Vec3,
    surface: Surface,
    depth: f64,
    cosine: f64,
    area: f64,
    stiffness: f64,
    radius: f64,
}

/// The surface between four nodes.
#[derive(Clone, Copy)]
struct Surface {
    height: f64,
    normal: Vec3,
    /// Share of it that is firm.
    share: f64,
    friction: f64,
}

fn surface(
    spacing: f64,
    node: &impl Fn(i32, i32) -> Option<(f64, Option<f64>)>,
    point: &Vec3,
) -> Option<Surface> {
    let (x, y) = (point.x / spacing, point.y / spacing);
    let (i, j) = (x.floor(), y.floor());
    let (u, v) = (x - i, y - j);
    let (i, j) = (i as i32, j as i32);
    let corners = [node(i, j)?, node(i + 1, j)?, node(i, j + 1)?, node(i + 1, j + 1)?];
    let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v];
    let (mut height, mut share, mut friction) = (0.0, 0.0, 0.0);
    for ((own, mu), weight) in corners.iter().zip(weights) {
        height += weight * own;
        if let Some(mu) = mu {
            share += weight;
            friction += weight * mu;
        }
    }
    if share <= 0.0 {
        return None;
    }
    let h = corners.map(|(height, _)| height);
    let east = (h[1] - h[0]) * (1.0 - v) + (h[3] - h[2]) * v;
    let north = (h[2] - h[0]) * (1.0 - u) + (h[3] - h[1]) * u;
    let normal = Vec3::new(-east, -north, spacing).normalize();
    Some(Surface { height, normal, share, friction: friction / share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::{GroundModel, Overlay, Published};
    use crate::grid::Lattice;
    use crate::numeric::GRAVITY;
    use crate::soil::{Laws, Soil, SoilId};
    use crate::terrain::Terrain;

    /// The tyre of an HMMWV by analogy, `width` m wide: tau 0.56, k0 0.2 MPa, k1 2.25.
    fn hmmwv(width: f64) -> (Underside, Ring) {
        let ring = Ring {
            radius: 0.47,
            width,
            tension_width: 0.56 * width,
            foundation: [0.2e6, 2.25],
            relaxation: 0.01,
            deepest: 0.2,
        };
        (Underside::cylinder(0.47, width).unwrap(), ring)
    }

    fn find(name: &str) -> Soil {
        crate::soil::catalogue().find(name).unwrap().to_soil()
    }

    fn bed(soil: Soil, laws: Laws, spacing: f64) -> GroundModel {
        let terrain = Terrain::flat(0.0, SoilId(0));
        GroundModel::new(Lattice { spacing }, terrain, vec![soil], laws).unwrap()
    }

    /// A tyre on a bed, its height free under a load.
    struct Ride<'a> {
        model: &'a GroundModel,
        underside: Underside,
        ring: Ring,
        state: RingState,
        overlay: Overlay,
        scratch: Scratch,
        pose: Pose,
        climb: f64,
        step: RingStep,
    }

    impl<'a> Ride<'a> {
        fn new(model: &'a GroundModel, width: f64, inflation: f64) -> Ride<'a> {
            let (underside, ring) = hmmwv(width);
            let mut pose = Pose::default();
            pose.position.z = 0.47;
            Ride {
                model,
                underside,
                ring,
                state: RingState::unloaded(inflation),
                overlay: Overlay::new(),
                scratch: Scratch::new(),
                pose,
                climb: 0.0,
                step: RingStep::default(),
            }
        }

        fn step(&mut self, load: f64, speed: f64, spin: f64, dt: f64, guide: f64) -> TyreContact {
            let published = Published::default();
            let twist = |climb| Twist {
                linear: Vec3::new(speed, 0.0, climb),
                angular: Vec3::new(0.0, spin, 0.0),
            };
            self.overlay.begin_step();
            let mut ground = WorkingGround {
                model: self.model,
                published: &published,
                overlay: &mut self.overlay,
                scratch: &mut self.scratch,
            };
            let tread = Tread::rough();
            let tyre = FlexibleTyre { underside: &self.underside, ring: &self.ring, tread: &tread };
            let now = twist(self.climb);
            let met =
                tyre_contact(&mut ground, &tyre, &self.state, (&self.pose, &now), dt, &mut self.step);
            let on = &met.contact.load;
            let mass = load / GRAVITY;
            let (damping, stiffness) = (on.damping[(5, 5)], on.stiffness[(5, 5)]);
            let momentum = mass / dt * self.climb + on.wrench.force.z + on.glide.force.z
                + damping * self.climb - load;
            self.climb = momentum / (mass / dt + damping + stiffness * dt + guide);
            settle_ring(&self.step, &twist(self.climb), dt, &mut self.state);
            self.pose.position.z += self.climb * dt;
            self.pose.position.x += speed * dt;
            met
        }
    }

    #[test]
    fn a_plate_of_glass() {
        let soil = Soil { kind: SoilKind::Firm { friction: 0.8 }, ..find("chrono_hard") };
        let model = bed(soil, Laws::refined(), 0.05);
        for inflation in [55e3, 138e3, 345e3] {
            let mut ride = Ride::new(&model, 0.25, inflation);
            for k in 0..2000 {
                let met = ride.step(6300.0, 0.0, 0.0, 2e-3, 2e3);
                if k % 100 == 99 {
                    println!("{inflation} {k} z {:.5} F {:.1} defl {:.5} len {:.4} firm {:?}",
                        ride.pose.position.z, met.contact.load.wrench.force.z,
                        ride.ring.deflection(&ride.state), ride.ring.contact_length(&ride.state),
                        met.firm.map(|f| f.load));
                }
            }
        }
    }

    #[test]
    fn trace() {
        let laws = Laws { surface_reaction: true, bulldozing: false, ..Laws::reference() };
        let model = bed(find("chrono_hard"), laws, 0.025);
        let dt = 4e-3;
        let mut ride = Ride::new(&model, 0.25, 138e3);
        for k in 0..600 {
            let load = 6300.0 * (k as f64 * dt / 1.0).min(1.0);
            let met = ride.step(load, 1.0, 1.0 / 0.458, dt, 5e3);
            if k > 560 || (k > 100 && k < 140) {
                let v = |j: usize| 1000.0 * ride.state.displacement[j][1];
                println!("{k} z {:.5} F {:.0} w {:.0} K {:.3e} rut {:.4} n {} v {:.1} {:.1} {:.1} {:.1} {:.1} {:.1} {:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", ride.pose.position.z,
                    met.contact.load.wrench.force.z, met.contact.normal_force, met.contact.load.stiffness[(5, 5)], met.contact.sinkage,
                    met.contact.nodes_in_contact, v(10), v(11), v(12), v(13), v(14), v(15), v(16), v(17), v(18), v(19), v(20), v(21));
            }
        }
    }

    #[test]
    fn on_soil() {
        for (name, dt) in [("chrono_hard", 1e-3), ("chrono_hard", 4e-3), ("chrono_mid", 2e-3), ("chrono_soft", 2e-3)] {
            let mut soil = find(name);
            let SoilKind::Yielding(own) = &mut soil.kind else { panic!() };
            own.elastic_stiffness = 2e7;
            own.damping = 0.0;
            own.k_phi += own.k_c / 0.25;
            own.k_c = 0.0;
            let (k, n) = (own.k_phi, own.n);
            own.friction_angle = 0.0; own.cohesion = 0.0;
            let laws = Laws { surface_reaction: true, bulldozing: false, ..Laws::reference() };
            let model = bed(soil, laws, 0.025);
            for inflation in [55e3, 138e3, 241e3, 3e6] {
                let mut ride = Ride::new(&model, 0.25, inflation);
                let mut last = (0.0, 0.0, 0.0);
                let steps = (4.0 / dt) as usize;
                for k in 0..steps {
                    let load = 6300.0 * (k as f64 * dt / 1.0).min(1.0);
                    let met = ride.step(load, 1.0, 1.0 / 0.47, dt, 5e3);
                    if k >= steps * 6 / 10 {
                        last.0 += met.contact.load.wrench.force.z;
                        last.1 += met.contact.works.compaction;
                        last.2 += met.contact.sinkage;
                    }
                }
                let n_ = (steps - steps * 6 / 10) as f64;
                let p = ride.ring.pressure(&ride.state);
                let most = p.iter().flatten().fold(0.0_f64, |a, b| a.max(*b));
                let z = last.2 / n_;
                println!("{name} {dt} {:.0} F {:.0} rut {:.2} cm R {:.3} Rc/W {:.3} defl {:.4} len {:.3} pmax {:.0}",
                    inflation / 1e3, last.0 / n_, 100.0 * z, 0.25 * k * z.powf(n + 1.0) / (n + 1.0) / 6300.0, last.1 / (n_ * dt) / 6300.0,
                    ride.ring.deflection(&ride.state), ride.ring.contact_length(&ride.state), most / 1e3);
            }
        }
    }
}
