//! Contact of a wheel with a flexible tire, with soil and with firm ground.
//!
//! The belt ([`Ring`]) is in equilibrium with its load, by a linearly implicit step like the rest
//! of the model. The soil is evaluated once per step under the current belt. Its pressure and
//! slopes are projected on the stations, and the belt is solved for its change, by itself and with
//! each motion of the hub ([`RingStep`]).
//!
//! The wheel receives the load of the settled belt, and the condensed stiffness: that of soil and
//! belt in series. After the vehicle's step [`settle_ring`] advances the belt.
//!
//! On firm ground, stations of the belt rest on the surface between the nodes, and the rubber of
//! the tread deforms. On mixed ground both kinds carry the wheel: at each station the firm part is
//! the share of firm nodes around it, and the cells of the other nodes deform.

use super::contact::contact;
use super::contact_result::Contact;
use super::firm::{FirmNodes, FirmTiles};
use super::footprint::Footprint;
use super::placed_tire::PlacedTire;
use super::ring::{
    FIRM, FORE, LEAN, MOTIONS, Ring, RingLoad, RingState, RingStep, SOIL, STATIONS, STRIPS,
    Stations,
};
use super::scratch::Scratch;
use super::semidefinite::make_semidefinite;
use super::station_load::{StationLoad, Surface};
use super::underside::Underside;
use super::vector_lanes::VectorLanes;
use super::working_ground::WorkingGround;
use crate::soil::Tread;
use crate::{GroundExit, ground_exit};
use bekker_math::grid::Node;
use bekker_math::numeric::{Lanes, Simd, WIDTH, dispatch, level, per_lane};
use bekker_math::spatial::{Pose, Twist, Vec3, Vec6, Wrench};

/// Stiffness of the tread on firm ground, Pa/m: it sinks by a tenth of a millimeter.
///
/// Its rubber deforms by a few more; their effect is in the data to which a ring is fitted.
const RUBBER: f64 = 1e9;
/// Stiffness of ground that is half soil and half firm, Pa/m, so that a belt rolls gradually onto
/// firm ground; of the order of that of soils under a wheel.
const MIXED: f64 = 5e6;
/// Least cosine between the belt's and the ground's normals.
const STEEPEST: f64 = 0.4;

/// A wheel with a flexible tire.
#[derive(Clone, Copy, Debug)]
pub struct FlexibleTire<'a> {
    /// Its unloaded shape; it has no grousers.
    pub underside: &'a Underside,
    /// Its belt.
    pub ring: &'a Ring,
    /// Shear properties of its tread on soil.
    pub tread: &'a Tread,
}

/// Result of a contact of a wheel with a flexible tire.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TireContact {
    /// All of it except the tangential force of firm ground.
    pub contact: Contact,
    /// Firm ground that carries load, if any. The handling law computes the grip there.
    pub firm: Option<FirmFooting>,
    /// Deflection of the belt before the step, m.
    pub deflection: f64,
}

/// Firm ground under a tire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirmFooting {
    /// Force along its mean normal, N.
    pub load: f64,
    /// Mean normal, unit.
    pub normal: Vec3,
    /// Center of pressure from the wheel's center, m.
    pub center: Vec3,
    /// Mean coefficient of friction.
    pub friction: f64,
}

/// Computes the contact of a wheel with a flexible tire; arguments as for
/// [`wheel_contact`](super::wheel_contact). `step` is the input of [`settle_ring`].
pub fn tire_contact(
    ground: &mut WorkingGround<'_>,
    tire: &FlexibleTire<'_>,
    state: &RingState,
    pose: &Pose,
    twist: &Twist,
    dt: f64,
    step: &mut RingStep,
) -> TireContact {
    let FlexibleTire { underside, ring, tread } = *tire;
    let spacing = ground.model.lattice().spacing;
    let wheel = || underside.placed(pose, spacing);
    let mut belt = ground.scratch.belt.take().unwrap_or_default();
    let Some(mut placed) = PlacedTire::new(wheel(), ring, state, &mut belt, spacing) else {
        ground.scratch.belt = Some(belt);
        let mut lying = wheel();
        step.restore_unloaded(state);
        let contact = contact(ground, &mut lying, tread, twist, dt);
        return TireContact { contact, firm: None, deflection: 0.0 };
    };
    if ground.model.laws().refines() {
        placed = placed.over_cells();
    }
    let met = contact(ground, &mut placed, tread, twist, dt);
    let mut on = BeltContact::new(met, &placed, pose.position);
    let WorkingGround { scratch, .. } = ground;
    let soiled = on.contact.nodes_in_contact > 0;
    let mut load = scratch.ring_load.take().unwrap_or_default();
    load.clear([soiled, false, false]);
    if soiled {
        dispatch!(level(), simd => on.gather_soil(simd, scratch, spacing, &mut load));
    }
    let mut station_loads = std::mem::take(&mut ground.scratch.station_loads);
    station_loads.clear();
    let stands = on.gather_firm(ground, &mut load, &mut station_loads).is_some();
    dispatch!(level(), simd => {
        ring.solve(simd, state, &mut load, dt, step);
        on.condense(simd, &load, step, twist, dt);
    });
    let firm = if stands { on.firm_footing(on.settle_firm(&station_loads, step)) } else { None };
    let met = TireContact { contact: on.contact, firm, deflection: placed.deflection };
    (ground.scratch.ring_load, ground.scratch.belt) = (Some(load), Some(belt));
    ground.scratch.station_loads = station_loads;
    met
}

/// Advances a belt by the vehicle's step, at the end of which its wheel moves with `twist`.
pub fn settle_ring(step: &RingStep, twist: &Twist, dt: f64, state: &mut RingState) {
    let motions = step.motions(twist, dt);
    dispatch!(level(), simd => step.advance(simd, &motions, state));
}

/// Sums over firm stations.
#[derive(Clone, Copy, Debug, Default)]
struct FirmSums {
    force: Vec3,
    torque: Vec3,
    /// Pressure times position along the axis, N m.
    across: f64,
    /// Pressure times friction, N.
    friction: f64,
    /// Pressure, N.
    pressed: f64,
}

/// Contact of a belt during its evaluation.
struct BeltContact<'a, 'b> {
    contact: Contact,
    placed: &'b PlacedTire<'a>,
    center: Vec3,
    /// Direction of force and motion, for each motion.
    motion_directions: [Vec6; MOTIONS],
    /// Direction of a lean about the forward direction.
    lean: Vec6,
    /// Mean normal of the undisturbed ground under the soil contact.
    up: Vec3,
    /// Arms of a lean in addition to those of the strips, by motion, m: pressure that is inclined
    /// to the wheel's plane acts below its middle.
    levers: [f64; MOTIONS],
    /// Stiffness of the ground alone, by pairs of motions, the lean last.
    stiffness: [[f64; MOTIONS + 1]; MOTIONS + 1],
    /// Change of the forces along the motions due to the belt's settling.
    settled: [f64; MOTIONS + 1],
}

fn linear_motion(direction: &Vec3) -> Vec6 {
    Vec6::new(0.0, 0.0, 0.0, direction.x, direction.y, direction.z)
}

fn angular_motion(axis: &Vec3) -> Vec6 {
    Vec6::new(axis.x, axis.y, axis.z, 0.0, 0.0, 0.0)
}

impl<'a, 'b> BeltContact<'a, 'b> {
    fn new(contact: Contact, placed: &'b PlacedTire<'a>, center: Vec3) -> BeltContact<'a, 'b> {
        BeltContact {
            contact,
            placed,
            center,
            motion_directions: [Vec6::zeros(); MOTIONS],
            lean: Vec6::zeros(),
            up: Vec3::z(),
            levers: [0.0; MOTIONS],
            stiffness: [[0.0; MOTIONS + 1]; MOTIONS + 1],
            settled: [0.0; MOTIONS + 1],
        }
    }

    /// Projects the reaction of the soil on the belt.
    #[inline(always)]
    fn gather_soil<S: Simd>(
        &mut self,
        simd: S,
        scratch: &Scratch,
        spacing: f64,
        load: &mut RingLoad,
    ) {
        let BeltContact { placed, .. } = *self;
        let radius = placed.wheel.underside.max_radius();
        let axis = placed.wheel.axis;
        let (forward, up) = (placed.forward, placed.up);
        let zero = Lanes::zero(simd);
        let none = VectorLanes { x: zero, y: zero, z: zero };
        let strips = Lanes::new(simd, per_lane(|strip| strip as f64));
        let (mut normal, mut upright) = (none, none);
        for (four, reaction) in scratch.touched.iter().zip(scratch.reactions.iter()) {
            let push = Lanes::new(simd, reaction.area) * reaction.pressure;
            normal += VectorLanes::from_arrays(simd, &reaction.normal) * push;
            upright +=
                VectorLanes::from_arrays(simd, &four.normal) * Lanes::new(simd, reaction.area);
        }
        let normal = normal.sum();
        let normal = normal.try_normalize(1e-9).unwrap_or_else(Vec3::z);
        let cell = CellOnBelt::new(0.5 * spacing / placed.station_length());
        let mut by_strip = zero;
        let over_cells = placed.is_over_cells();
        for (four, reaction) in scratch.touched.iter().zip(scratch.reactions.iter()) {
            let r = four.offset(simd, &self.center);
            let n = VectorLanes::from_arrays(simd, &reaction.normal);
            let lanes = |numbers: &[f64; WIDTH]| Lanes::new(simd, *numbers);
            let (area, part) = (lanes(&reaction.area), lanes(&reaction.part));
            // position on the belt
            let ahead = VectorLanes::splat(simd, &forward).dot(&r);
            let down = -VectorLanes::splat(simd, &up).dot(&r);
            let inverse = 1.0 / (ahead * ahead + down * down).sqrt();
            let distance = VectorLanes::splat(simd, &axis).dot(&r);
            // cosine between pressure and radius
            let inward = (VectorLanes::splat(simd, &up) * down
                - VectorLanes::splat(simd, &forward) * ahead)
                * inverse;
            let cosine = n.dot(&inward).max(0.0);
            // the part in the wheel's plane: a belt does not move along its axis
            let aside = VectorLanes::splat(simd, &axis).dot(&n);
            let square = 1.0 - aside * aside;
            let belt = area * square.max(0.0).sqrt();
            // a belt that keeps its length moves along the normal: dw/dy = R / r, over the cosine
            let by_belt = part * square * (radius * inverse) / cosine.max(STEEPEST);
            // component of pressure along the motion of the hub
            let way = VectorLanes::splat(simd, &normal).dot(&n);
            let slope = lanes(&reaction.slope);
            // soil whose damping has released it resists an approaching belt, but not the hub
            let held = lanes(&reaction.pressure).gt(0.0).select(slope, 0.0) * part * way;
            let force = (belt * lanes(&reaction.pressure)).to_array();
            let damping_stiffness = lanes(&reaction.damping_stiffness);
            let pressed = (belt * (slope + damping_stiffness) * by_belt).to_array();
            let eased = (belt * (lanes(&reaction.unloading_slope) + damping_stiffness) * by_belt)
                .to_array();
            let by_motion = (belt * held).to_array();
            let on_hub = (area * held * (by_belt / part)).to_array();
            let on_hub_alone = (area * held * way).to_array();
            let among = placed.strip_position(distance).to_array();
            for lane in four.lanes() {
                let strips = if over_cells {
                    Lanes::new(simd, four.strips[lane])
                } else {
                    (1.0 - (strips - among[lane]).abs()).max(0.0)
                };
                by_strip += strips * on_hub_alone[lane];
                let place = four.on_body[lane];
                // beyond its ends the belt is round and carries nothing
                if place > 0.0 && place < (STATIONS - 1) as f64 {
                    let own = CellLoad {
                        force: force[lane],
                        pressed: pressed[lane],
                        eased: eased[lane],
                        by_motion: by_motion[lane],
                        on_hub: on_hub[lane],
                    };
                    cell.distribute(&own, place, strips, load);
                }
            }
        }
        self.up = upright.sum().try_normalize(1e-9).unwrap_or_else(Vec3::z);
        self.motion_directions[SOIL] = linear_motion(&normal);
        let ahead = axis.cross(&normal).try_normalize(1e-9).unwrap_or(placed.forward);
        self.lean = angular_motion(&ahead);
        self.levers[SOIL] = self.lever(&normal);
        let arms: [f64; STRIPS] = per_lane(|strip| placed.strip_at(strip) + self.levers[SOIL]);
        for (stiffness, arm) in by_strip.to_array().into_iter().zip(arms) {
            self.stiffness[SOIL][SOIL] += stiffness;
            self.stiffness[SOIL][LEAN] += stiffness * arm;
            self.stiffness[LEAN][LEAN] += stiffness * arm * arm;
        }
        self.stiffness[LEAN][SOIL] = self.stiffness[SOIL][LEAN];
    }

    /// Returns the arm about the forward direction of pressure along `normal` in the middle of the
    /// tread, m.
    fn lever(&self, normal: &Vec3) -> f64 {
        let down = self.placed.wheel.underside.max_radius() - self.placed.deflection;
        down * normal.dot(&self.placed.wheel.axis)
    }

    /// Adds the stations on firm ground to the load of the belt.
    fn gather_firm(
        &mut self,
        ground: &mut WorkingGround<'_>,
        load: &mut RingLoad,
        station_loads: &mut Vec<StationLoad>,
    ) -> Option<()> {
        let tiles = FirmTiles::fetch(ground, self.placed.bounds())?;
        let WorkingGround { model, overlay, scratch, .. } = ground;
        let firm = FirmNodes { model, overlay, slots: &scratch.slots, tiles };
        let normal = self.press_firm(&firm, station_loads)?;
        let forward = self.placed.wheel.axis.cross(&normal).try_normalize(1e-9)?;
        self.motion_directions[FIRM] = linear_motion(&normal);
        self.motion_directions[FORE] = linear_motion(&forward);
        self.levers[FIRM] = self.lever(&normal);
        if !load.moves[SOIL] {
            self.lean = angular_motion(&forward);
        }
        let none = [[0.0; STRIPS]; STATIONS];
        for motion in [FIRM, FORE] {
            load.by_motion[motion] = none;
            load.on_hub[motion] = none;
            load.moves[motion] = true;
        }
        self.carry_firm(station_loads, [&normal, &forward], load);
        Some(())
    }

    /// Finds the stations that firm ground presses; returns its mean unit normal there.
    fn press_firm(
        &self,
        ground: &FirmNodes<'_>,
        station_loads: &mut Vec<StationLoad>,
    ) -> Option<Vec3> {
        let placed = self.placed;
        let spacing = ground.model.lattice().spacing;
        let node = |i: i32, j: i32| ground.node(Node { i, j });
        let mut normal = Vec3::zeros();
        station_loads.reserve(STRIPS * STATIONS);
        let axis = placed.wheel.axis;
        for station in 0..STATIONS {
            for strip in 0..STRIPS {
                let distance = placed.strip_at(strip);
                let (outward, less) = placed.station(station, strip);
                let radius = placed.wheel.underside.radius_at(distance) + less;
                let r = axis * distance + outward * radius;
                let point = self.center + r;
                if point.z >= ground.tiles.ceiling {
                    continue;
                }
                let Some(surface) = surface(spacing, &node, &point) else { continue };
                let depth = (surface.height - point.z) * surface.normal.z;
                if depth <= 0.0 {
                    continue;
                }
                let up = GroundExit { normal: surface.normal, depth };
                let GroundExit { normal: out, depth } =
                    self.exit_from_wall(&node, spacing, up, &point);
                let surface = Surface { normal: out, ..surface };
                let cosine = -surface.normal.dot(&outward);
                if cosine < STEEPEST {
                    continue;
                }
                let area = placed.station_area();
                // partly firm ground is no stiffer for a belt than soil
                let mixed = (1.0 - surface.share) / (surface.share * MIXED);
                let stiffness = 1.0 / (mixed + 1.0 / RUBBER);
                let push = area * (stiffness * depth);
                let by_belt = placed.wheel.underside.max_radius() / (radius * cosine);
                let growth = area * stiffness * by_belt;
                normal += surface.normal * push;
                station_loads.push(StationLoad {
                    station,
                    strip,
                    r,
                    surface,
                    area,
                    stiffness,
                    push,
                    growth,
                });
            }
        }
        (!station_loads.is_empty()).then(|| normal.normalize())
    }

    /// Returns how a station leaves firm ground, which may rise like a wall.
    fn exit_from_wall(
        &self,
        node: &impl Fn(i32, i32) -> Option<(f64, Option<f64>)>,
        spacing: f64,
        up: GroundExit,
        point: &Vec3,
    ) -> GroundExit {
        // a step that a wheel can climb is no wall
        let deep = self.placed.wheel.underside.max_radius();
        let height = |x: f64, y: f64| {
            let found = surface(spacing, node, &Vec3::new(x, y, point.z));
            found.map_or(f64::NEG_INFINITY, |found| found.height)
        };
        ground_exit(up, deep, point, &self.center, spacing, height)
    }

    /// Adds the forces of firm ground at the stations to the belt's load, and their derivatives by
    /// the hub's motions.
    fn carry_firm(
        &mut self,
        station_loads: &[StationLoad],
        [normal, forward]: [&Vec3; 2],
        load: &mut RingLoad,
    ) {
        let placed = self.placed;
        for own in station_loads {
            let StationLoad { station, strip, growth, push, .. } = *own;
            let n = &own.surface.normal;
            load.force[station][strip] += push;
            load.loading.own[station][strip] += growth;
            load.unloading.own[station][strip] += growth;
            let ways = [(FIRM, n.dot(normal)), (FORE, n.dot(forward))];
            let stiffness = own.area * own.stiffness;
            for (motion, way) in ways {
                load.by_motion[motion][station][strip] -= stiffness * way;
                load.on_hub[motion][station][strip] += growth * way;
            }
            let arm = placed.strip_at(strip) + self.levers[FIRM];
            let [firm, fore] = ways;
            let ways = [firm, fore, (LEAN, firm.1 * arm)];
            for (motion, way) in ways {
                for (other, across) in ways {
                    self.stiffness[motion][other] += stiffness * way * across;
                }
            }
            self.contact.area += own.area * own.surface.share;
        }
    }

    /// Returns the force of firm ground on the hub after the belt has settled. It is summed station
    /// by station, because a wheel in a corner is pressed in several directions at once.
    fn settle_firm(&self, station_loads: &[StationLoad], step: &RingStep) -> FirmSums {
        let mut sums = FirmSums::default();
        for own in station_loads {
            let push = own.push - own.growth * step.free_change[own.station][own.strip];
            let force = own.surface.normal * push;
            sums.force += force;
            sums.torque += own.r.cross(&force);
            // a station that loses contact in this step has no friction
            let carries = push.max(0.0);
            sums.across += carries * self.placed.strip_at(own.strip);
            sums.pressed += carries;
            sums.friction += carries * own.surface.friction;
        }
        sums
    }

    /// Couples ground and hub through the settled belt.
    #[inline(always)]
    fn condense<S: Simd>(
        &mut self,
        simd: S,
        load: &RingLoad,
        step: &mut RingStep,
        twist: &Twist,
        dt: f64,
    ) {
        step.strips = per_lane(|strip| self.placed.strip_at(strip));
        step.levers = self.levers;
        let mut reduced = [[0.0; MOTIONS + 1]; MOTIONS + 1];
        let counted = || (0..MOTIONS).filter(|motion| load.moves[*motion]);
        let arms = self.levers.map(|lever| Lanes::new(simd, step.strips) + lever);
        for own in counted() {
            let on_hub = &load.on_hub[own];
            // strips are not coupled: a lean is a heave of each strip by its position
            let leans = own != FORE;
            // the part of firm ground is summed station by station
            if own == SOIL {
                let settled = product(simd, on_hub, &step.free_change);
                self.settled[own] -= settled.sum();
                self.settled[LEAN] -= (arms[own] * settled).sum();
            }
            for other in counted() {
                let part = product(simd, on_hub, &step.change_per_motion[other]);
                let arm = arms[other] * part;
                reduced[own][other] += part.sum();
                if other != FORE {
                    reduced[own][LEAN] += arm.sum();
                }
                if leans {
                    reduced[LEAN][other] += (arms[own] * part).sum();
                    if other != FORE {
                        reduced[LEAN][LEAN] += (arms[own] * arm).sum();
                    }
                }
            }
        }
        (step.motion_directions, step.lean, step.up) = (self.motion_directions, self.lean, self.up);
        // Ground and belt in series. The belt's equations use the pressure before the step, and
        // different slopes in their two halves where it unloads. On uneven ground the result may be
        // indefinite and push a moving wheel further, which no ground does: hence `resist`.
        let mut stiffness = self.stiffness;
        for own in 0..=MOTIONS {
            for other in 0..=MOTIONS {
                stiffness[own][other] += 0.5 * (reduced[own][other] + reduced[other][own]);
            }
        }
        make_semidefinite(&mut stiffness);
        let on = &mut self.contact.load;
        let gliding = twist.linear - self.up * self.up.dot(&twist.linear);
        let glide = self.motion_directions[SOIL].fixed_rows::<3>(3).dot(&gliding) * dt;
        let ways = [
            self.motion_directions[SOIL],
            self.motion_directions[FIRM],
            self.motion_directions[FORE],
            self.lean,
        ];
        for (own, way) in ways.iter().enumerate() {
            let (turn, push) = (way.fixed_rows::<3>(0), way.fixed_rows::<3>(3));
            let add = |wrench: &mut Wrench, size: f64| {
                wrench.torque += turn * size;
                wrench.force += push * size;
            };
            add(&mut on.wrench, self.settled[own]);
            add(&mut on.glide, stiffness[own][SOIL] * glide);
            for (other, across) in ways.iter().enumerate() {
                if stiffness[own][other] != 0.0 {
                    on.stiffness += way * across.transpose() * stiffness[own][other];
                }
            }
        }
    }

    /// Adds the pressure of firm ground; returns the load that it carries.
    fn firm_footing(&mut self, sums: FirmSums) -> Option<FirmFooting> {
        let on = &mut self.contact.load.wrench;
        let axis = self.placed.wheel.axis;
        on.force += sums.force;
        on.torque += sums.torque - axis * axis.dot(&sums.torque);
        let normal = Vec3::from(self.motion_directions[FIRM].fixed_rows::<3>(3));
        let load = sums.force.dot(&normal);
        if !(load > 0.0 && sums.pressed > 0.0) {
            return None;
        }
        let upwards = normal - axis * axis.dot(&normal);
        let upwards = upwards.try_normalize(1e-9)?;
        let radius = self.placed.wheel.underside.max_radius();
        let down = radius - self.placed.deflection;
        Some(FirmFooting {
            load,
            normal,
            center: axis * (sums.across / sums.pressed) - upwards * down,
            friction: sums.friction / sums.pressed,
        })
    }
}

/// Reaction of the soil on the belt at one node.
struct CellLoad {
    /// Force, N.
    force: f64,
    /// Growth of the force where the belt loads further, N/m.
    pressed: f64,
    /// Decrease where it unloads, N/m.
    eased: f64,
    /// Decrease with the hub's motion, N/m.
    by_motion: f64,
    /// Growth of the force on the hub with the belt's displacement, N/m.
    on_hub: f64,
}

/// The cell of a node, projected on the belt.
///
/// The reaction of the soil at a node is spread over its cell. Otherwise nodes that are farther
/// apart than stations would act as posts, from which the belt drops one by one as it rolls.
#[derive(Clone, Copy)]
struct CellOnBelt {
    /// Half its length, in stations. (A square has the same length along any heading, by its
    /// variance.)
    half: f64,
    /// Number of stations that it can reach. All of them are always written, some with zero,
    /// because the branch predictor cannot foresee the actual number.
    reaches: usize,
}

impl CellOnBelt {
    /// Number of stations that are computed at once.
    const STATIONS: usize = 2 * WIDTH - 2;

    fn new(half: f64) -> CellOnBelt {
        CellOnBelt { half, reaches: (2.0 * half) as usize + 3 }
    }

    /// Adds the reaction of a cell with its middle at `place` to the `strips` by their parts in it.
    #[inline(always)]
    fn distribute<S: Simd>(
        &self,
        own: &CellLoad,
        place: f64,
        strips: Lanes<S>,
        load: &mut RingLoad,
    ) {
        let first = (place - self.half).max(0.0) as usize;
        let last = (first + self.reaches - 1).min(STATIONS - 1);
        for start in (first..=last).step_by(CellOnBelt::STATIONS) {
            let parts = self.parts(strips.simd(), place, start);
            for (k, beside) in parts.windows(3).take(last + 1 - start).enumerate() {
                let station = start + k;
                let (rear, part, front) = (beside[0], beside[1], beside[2]);
                let part = strips * part;
                // coupling beyond the next station is added to the station itself
                let (alone, next) = (part * (1.0 - rear - front), part * front);
                for (growth, slope) in
                    [(&mut load.loading, own.pressed), (&mut load.unloading, own.eased)]
                {
                    add(&mut growth.own[station], alone * slope);
                    add(&mut growth.next[station], next * slope);
                }
                add(&mut load.force[station], part * own.force);
                add(&mut load.by_motion[SOIL][station], -part * own.by_motion);
                add(&mut load.on_hub[SOIL][station], part * own.on_hub);
            }
        }
    }

    /// Returns the parts of the cell at the stations, beginning with the one before `start`.
    #[inline(always)]
    fn parts<S: Simd>(&self, simd: S, place: f64, start: usize) -> [f64; 2 * WIDTH] {
        let ahead = place + 1.0 - start as f64 - Lanes::new(simd, per_lane(|k| k as f64));
        let mut parts = [0.0; 2 * WIDTH];
        for (k, parts) in parts.chunks_exact_mut(WIDTH).enumerate() {
            let ahead = ahead - (k * WIDTH) as f64;
            let part = weight_integral(ahead + self.half) - weight_integral(ahead - self.half);
            parts.copy_from_slice(&(part * (0.5 / self.half)).to_array());
        }
        parts
    }
}

/// Returns the integral of a station's weight from the station to `x` stations further: between two
/// stations pressure is shared by distance.
#[inline(always)]
fn weight_integral<S: Simd>(x: Lanes<S>) -> Lanes<S> {
    let x = x.max(-1.0).min(1.0);
    x - 0.5 * x * x.abs()
}

/// Adds `more` to the strips of a station.
#[inline(always)]
fn add<S: Simd>(strips: &mut [f64; STRIPS], more: Lanes<S>) {
    *strips = (more + *strips).to_array();
}

/// Returns the sum of products over the stations of each strip.
#[inline(always)]
fn product<S: Simd>(simd: S, a: &Stations, b: &Stations) -> Lanes<S> {
    let mut sum = Lanes::zero(simd);
    for (a, b) in a.iter().zip(b) {
        sum += Lanes::new(simd, *a) * *b;
    }
    sum
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
mod tests;
