//! Contact of one body with yielding ground.

use super::footprint::Footprint;
use super::gather::gather;
use super::patch_width::inverse_patch_width;
use super::plate::{Plate, PlateOutline};
use super::scratch::{Four, Left, Numbers, Reaction, Scratch, store};
use super::shoe::{PlacedShoe, ShoeOutline};
use super::stiff::{self, StiffNodes};
use super::sums::Sums;
use super::underside::Underside;
use super::vectors::Vectors;
use super::working_ground::WorkingGround;
use super::works::{Press, Works, pressing, reach};
use super::{Displaced, FirmGround, bulldozing, firm, refined};
use crate::ground::{GroundModel, Overlay, SoilCoefficients, WorkingTile};
use crate::numeric::{Lanes, Simd, WIDTH, Where, baseline, dispatch, each, level};
use crate::soil::pressure_sinkage::{PressedLanes, cohesive_frictional, damped_lanes, press_lanes};
use crate::soil::{Answering, OwnLaw, Tread, Usual, Yielding};
use crate::spatial::{Load, Pose, Twist, Vec3};

/// What the ground does to a body in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// Wrench on the body about its centre, with its tangent.
    pub load: Load,
    /// Force along the initial normals of the ground, N.
    pub normal_force: f64,
    /// Depth of the body's lowest loaded point below the undisturbed ground, along
    /// the normal of that ground, as everywhere, m.
    pub sinkage: f64,
    /// Area in contact, m².
    pub area: f64,
    /// Bekker's width of the loaded patch, m; infinite for a single row of nodes.
    pub patch_width: f64,
    /// Where what the body gives to the soil goes.
    pub works: Works,
    /// Nodes whose height was compared.
    pub nodes_tested: u32,
    /// Nodes that carry load.
    pub nodes_in_contact: u32,
    /// Firm ground under the body, for a handling tyre to run on.
    pub firm: Option<FirmGround>,
    /// Soil to [`heap`](super::heap) up when all bodies of the step have met the ground.
    pub displaced: Option<Displaced>,
}

/// Below this speed, m/s, a node's shear fades out in proportion to its speed.
pub(super) const SLIDING: f64 = 1e-4;
/// A wheel's nodes that slide slower than this part of its own speed damp as
/// if they slid so fast: their direction turns over within a step.
const ROLLING_SHARE: f64 = 0.01;

/// Contact of a wheel. Its `pose` has the origin in the wheel's centre and y
/// along the spin axis; `twist` is that of the centre, spin included. Call
/// [`Overlay::begin_step`] once a step, ahead of the agent's contacts.
///
/// The wrench is that at the beginning of the step of `dt` seconds; soil
/// memory is advanced to it. Where soil heaps up, [`heap`](super::heap) ends the step.
pub fn wheel_contact(
    ground: &mut WorkingGround<'_>,
    wheel: &Underside,
    tread: &Tread,
    pose: &Pose,
    twist: &Twist,
    dt: f64,
) -> Contact {
    let mut placed = wheel.placed(pose, ground.model.lattice().spacing);
    let mut result = contact(ground, &mut placed, tread, twist, dt);
    result.firm = firm::under_wheel(ground, wheel, pose);
    result
}

/// Contact of a rigid plate; arguments as for [`wheel_contact`], but that `pose` has the origin in
/// the middle of its face, z upward.
pub fn plate_contact(
    ground: &mut WorkingGround<'_>,
    outline: PlateOutline,
    tread: &Tread,
    pose: &Pose,
    twist: &Twist,
    dt: f64,
) -> Contact {
    let mut placed = Plate::placed(outline, pose, ground.model.lattice().spacing);
    contact(ground, &mut placed, tread, twist, dt)
}

/// Contact of a shoe of a track; arguments as for [`wheel_contact`], in the shoe's own frame.
pub fn shoe_contact(
    ground: &mut WorkingGround<'_>,
    shoe: &ShoeOutline,
    tread: &Tread,
    pose: &Pose,
    twist: &Twist,
    dt: f64,
) -> Contact {
    let mut placed = PlacedShoe::new(shoe, pose, ground.model.lattice().spacing);
    contact(ground, &mut placed, tread, twist, dt)
}

/// Contact of any body of which the underside is known. It is compiled anew for each kind of body:
/// other crates call the functions above.
///
/// At each node under the body, along the ground's initial normal n₀: sinkage
/// d = n₀.z (z₀ + berm - underside), pressure by
/// [`press`](crate::soil::pressure_sinkage::press) with damping, shear against
/// the sliding velocity. One convex hull, of all loaded nodes whose line meets
/// the body, gives the patch's width.
///
/// The tangent: along n₀ the secant of the pressure over the coming step and
/// the damping in force; across it the shear as a viscous force of the same
/// size (Picard), with which an implicit step comes to rest and stays there.
/// The moments are taken about the mean normal of the patch.
pub(super) fn contact<F: Footprint>(
    ground: &mut WorkingGround<'_>,
    body: &mut F,
    tread: &Tread,
    twist: &Twist,
    dt: f64,
) -> Contact {
    match ground.model.law() {
        None => dispatch!(level(), simd => {
            contact_in_lanes(simd, ground, body, tread, twist, dt, Usual)
        }),
        // it is asked node by node: wider instructions would win little
        Some(law) => baseline!(simd => {
            contact_in_lanes(simd, ground, body, tread, twist, dt, OwnLaw::new(law))
        }),
    }
}

/// [`contact`] with the instructions `simd`, under `law`.
#[inline(always)]
fn contact_in_lanes<'a, S: Simd, F: Footprint, L: Answering<'a>>(
    simd: S,
    ground: &mut WorkingGround<'a>,
    body: &mut F,
    tread: &Tread,
    twist: &Twist,
    dt: f64,
    law: L,
) -> Contact {
    let mut result = Contact { patch_width: f64::INFINITY, ..Contact::default() };
    result.nodes_tested = gather(simd, ground, body);
    let WorkingGround { model, overlay, scratch, .. } = ground;
    if scratch.touched.is_empty() {
        return result;
    }
    result.nodes_in_contact = scratch.touched.iter().map(|four| four.pressed.count_ones()).sum();
    let inverse_width = match body.shared_patch() {
        Some(patch) => 1.0 / patch.width,
        None => patch(scratch),
    };
    result.patch_width = 1.0 / inverse_width;
    let mut ask = Answer { model, overlay, body: &*body, tread, twist, dt };
    let sunk = if L::OWN || model.laws().refines() {
        refined::answer(simd, &mut ask, law, scratch, inverse_width, &mut result)
    } else {
        answer(simd, &mut ask, scratch, inverse_width, &mut result)
    };
    if model.laws().bulldozing {
        result.displaced = bulldozing::displaced(model, scratch, sunk);
    }
    result
}

/// Reciprocal of the patch's width from the ends of its rows, 1/m.
#[inline(always)]
fn patch(scratch: &mut Scratch) -> f64 {
    let Scratch { touched, row_ends, hull, .. } = scratch;
    row_ends.clear();
    let (mut row, mut end) = (None, [0.0; 2]);
    for four in touched.iter() {
        let [x, y] = &four.place;
        for lane in 0..WIDTH {
            if four.pressed >> lane & 1 == 0 || four.coverage[lane] < 0.5 {
                continue;
            }
            let point = [x[lane], y[lane]];
            if row != Some(y[lane]) {
                if row.is_some() {
                    row_ends.push(end);
                }
                row = Some(y[lane]);
                row_ends.push(point);
            }
            end = point;
        }
    }
    if row.is_some() {
        row_ends.push(end);
    }
    inverse_patch_width(row_ends, hull)
}

/// What is asked of the ground under one body.
pub(super) struct Answer<'a, 'b, F> {
    pub model: &'a GroundModel,
    pub overlay: &'b mut Overlay,
    pub body: &'b F,
    pub tread: &'b Tread,
    pub twist: &'b Twist,
    pub dt: f64,
}

impl<F: Footprint> Answer<'_, '_, F> {
    /// How the body moves.
    pub fn motion(&self) -> Motion {
        let Answer { body, twist, tread, dt, .. } = *self;
        let spin = body.spin_axis().map_or(Vec3::zeros(), |axis| axis * axis.dot(&twist.angular));
        let shape_twist = Twist { angular: twist.angular - spin, ..*twist };
        let rolling =
            SLIDING.max(ROLLING_SHARE * (shape_twist.linear.norm() + body.rim_speed(twist)));
        let heading = body.spin_axis().map(|axis| {
            let ahead = axis.cross(&Vec3::z());
            ahead / ahead.norm().max(1e-9)
        });
        let spacing = self.model.lattice().spacing;
        let (centre, twist, tread) = (body.centre(), *twist, *tread);
        let spin_axis = body.spin_axis();
        Motion { centre, twist, shape_twist, tread, dt, rolling, heading, spin_axis, spacing }
    }
}

/// Lets the soil answer at every touched node; returns the volume that sank
/// for good, m³, where it heaps up.
#[inline(always)]
fn answer<S: Simd, F: Footprint>(
    simd: S,
    ask: &mut Answer<'_, '_, F>,
    scratch: &mut Scratch,
    inverse_width: f64,
    result: &mut Contact,
) -> f64 {
    let Scratch { touched, left, reactions, .. } = scratch;
    left.clear();
    reactions.clear();
    let (model, motion) = (ask.model, ask.motion());
    let cell = model.lattice().cell_area();
    let mut sums = Sums::new(simd);
    for alike in touched.chunk_by(|a, b| a.soil() == b.soil()) {
        let Some(soil) = model.coefficients(alike[0].soil()) else { continue };
        let modulus = cohesive_frictional(&soil.soil, inverse_width);
        let under = Under { coefficients: soil, modulus, cell };
        for four in alike {
            let (body, overlay) = (ask.body, &*ask.overlay);
            let react = answer_four(body, overlay, &motion, &under, four, &mut sums, left.next());
            left.take();
            if F::DEFORMS {
                react.store(four, reactions.next());
                reactions.take();
            }
        }
    }
    store(ask.overlay, touched, left);
    sums.hand_to(ask.body, result);
    sums.heaped
}

/// How a body moves over the nodes that it touches.
pub(super) struct Motion {
    /// Its centre, m.
    pub centre: Vec3,
    /// Twist of its material.
    pub twist: Twist,
    /// Twist of its shape, which moves without its spin.
    pub shape_twist: Twist,
    pub tread: Tread,
    /// Step, s.
    pub dt: f64,
    /// Speed under which sliding damps no harder, m/s.
    pub rolling: f64,
    /// Where a wheel heads, horizontal; `None` for what has no axis.
    pub heading: Option<Vec3>,
    /// Axis of a wheel's spin.
    pub spin_axis: Option<Vec3>,
    /// Distance between nodes, m.
    pub spacing: f64,
}

impl Motion {
    /// Velocities of the material at the offsets `r`, where those of the shape are `shape`
    /// and upward normals are `n`, and the arms of its spin.
    #[inline(always)]
    pub fn material<S: Simd, F: Footprint>(
        &self,
        body: &F,
        shape: &Vectors<S>,
        r: &Vectors<S>,
        n: impl FnOnce() -> Vectors<S>,
    ) -> [Vectors<S>; 2] {
        if !F::DEFORMS {
            return [Vectors::velocity(&self.twist, r), *r];
        }
        let n = n();
        let [x, y, z] = body.rolling_arm(&[r.x, r.y, r.z], &[n.x, n.y, n.z]);
        let arm = Vectors { x, y, z };
        let spin =
            Twist { linear: Vec3::zeros(), angular: self.twist.angular - self.shape_twist.angular };
        [*shape + Vectors::velocity(&spin, &arm), arm]
    }

    /// How much deeper nodes at the offsets `r` have been since the last step under
    /// a wheel's lowest point, m, if any have. `shape` is the velocity of the shape
    /// there.
    #[inline(always)]
    pub fn passed<S: Simd>(
        &self,
        stayed: Where<S>,
        sinking: Lanes<S>,
        shape: &Vectors<S>,
        r: &Vectors<S>,
    ) -> Option<Lanes<S>> {
        let heading = self.heading?;
        let onward = shape.x * heading.x + shape.y * heading.y;
        let onward = onward * onward;
        let radius = (-r.z).max(self.spacing);
        let passes = stayed & sinking.lt(0.0) & (-sinking * radius).lt(onward * self.dt);
        passes.any().then(|| passes.pick(0.5 * sinking * sinking * radius / onward, 0.0))
    }
}

/// What lies under the nodes of one soil.
struct Under<'a> {
    coefficients: &'a SoilCoefficients,
    /// k_c / b + k_φ, Pa/mⁿ.
    modulus: f64,
    /// Area of a cell, m².
    cell: f64,
}

/// Lets four nodes of one soil answer.
#[inline(always)]
fn answer_four<S: Simd, F: Footprint>(
    body: &F,
    overlay: &Overlay,
    motion: &Motion,
    under: &Under<'_>,
    four: &Four,
    sums: &mut Sums<S>,
    left: &mut Left,
) -> React<S> {
    let simd = sums.area.simd();
    let lanes = |numbers: &Numbers| Lanes::of(simd, *numbers);
    let Under { coefficients, modulus, cell } = *under;
    let soil = &coefficients.soil;
    let tiles = each(|k| overlay.at(four.spots[k].slot as usize));
    let nodes = each(|k| tiles[k].nodes());
    let index = each(|k| usize::from(four.spots[k].index));
    let yielded_at = Lanes::gather(simd, |k| nodes[k].memory(index[k]).yield_pressure);
    let slid = Lanes::gather(simd, |k| nodes[k].shear(index[k])[0]);
    let stayed = stayed(simd, &tiles, &index);
    let (sinkage, residual) = (lanes(&four.sinkage), lanes(&four.residual));
    let (height, coverage) = (lanes(&four.height), lanes(&four.coverage));
    let n = Vectors::from_parts(simd, &four.normal);
    let r = four.offset(simd, &motion.centre);
    let shape = Vectors::velocity(&motion.shape_twist, &r);
    let [slope_x, slope_y] = [lanes(&four.slope[0]), lanes(&four.slope[1])];
    let sinking = n.z * (slope_x * shape.x + slope_y * shape.y - shape.z);
    let [velocity, arm] = motion.material(body, &shape, &r, || four.surface(simd));
    let leaving = velocity.dot(&n);
    let sliding = velocity - n * leaving;
    let speed = sliding.norm();

    let advance = sinking * motion.dt;
    let (mut kept, mut kept_at) = (residual, yielded_at);
    if let Some(passed) = motion.passed(stayed, sinking, &shape, &r) {
        let deepest = press_lanes(soil, modulus, sinkage + passed, advance, residual, yielded_at);
        let passes = passed.gt(0.0);
        kept = passes.pick(deepest.sinkage, residual);
        kept_at = passes.pick(deepest.yield_pressure, yielded_at);
    }
    let mut pressed = press_lanes(soil, modulus, sinkage, advance, kept, kept_at);
    steepen(soil, advance, &mut pressed);
    let (pressure, damping) = damped_lanes(soil, pressed.pressure, leaving);
    let slid = slid + speed * slid_for(stayed, sinkage - residual, sinking, motion.dt);
    let stress = motion.tread.stress_lanes(&coefficients.strength, pressure, slid);

    let area = cell * coverage;
    let (push, drag) = (area * pressure, area * stress);
    let pushes = n * push;
    let force = pushes - sliding * (drag / speed.max(SLIDING));
    sums.add_force(&force, &r);
    if F::DEFORMS {
        sums.add_spin(&force, &arm);
    }
    sums.mean_normal += pushes;
    // that of a body that gives way is in series with it
    if !F::DEFORMS {
        let springs = if soil.damping == 0.0 { area } else { damping.gt(0.0).pick(area, 0.0) };
        sums.spring.add(springs * pressed.slope, &r);
    }
    sums.damper.add(area * damping.min(stiff::DAMPING), &r);
    let resisted = drag / speed.max(motion.rolling);
    let excess = stiff::excess_damping(soil, damping);
    let strong = stress.gt(stiff::SHEAR_STRESS);
    if excess.gt(0.0).any() || strong.any() {
        let axis = motion.spin_axis.filter(|_| F::DEFORMS);
        let nodes = StiffNodes { r: &r, arm: &arm, n: &n, axis };
        sums.stiff.damp_along(&nodes, area * excess);
        let whole = drag / speed.max(SLIDING);
        sums.stiff.damp_across(&nodes, strong.pick(whole - resisted, 0.0));
    }
    sums.shear.add(resisted, &r);

    sums.normal_force += push;
    sums.area += area;
    let depth = n.z * (lanes(&four.base) - height);
    sums.sinkage = sums.sinkage.max(coverage.ge(0.5).pick(depth, 0.0));
    sums.works.shear += drag * speed;
    let pressing = pressing(sinking, &shape);
    sums.works.press(&Press {
        area,
        pressed: &pressed,
        sinkage,
        residual,
        yielded_at,
        pressure,
        sinking: pressing,
        entering: -leaving,
        reach: reach(stayed, pressing, motion.dt),
    });
    left.sinkage = pressed.sinkage.numbers();
    left.yield_pressure = pressed.yield_pressure.numbers();
    left.slip = Numbers::default();
    left.pushed = Numbers::default();
    left.shear = [slid.numbers(), Numbers::default()];
    left.surface = (lanes(&four.ground) - pressed.sinkage / n.z).numbers();
    if let Some(heap) = soil.bulldozing {
        // the rut is as wide as its cells, covered whole or not
        let sunk = (pressed.sinkage - residual).numbers();
        let sunk: f64 = four.lanes().map(|k| sunk[k].max(0.0)).sum();
        sums.heaped += cell * sunk * heap.flow_factor;
    }
    React {
        pressure,
        normal: n,
        area,
        slope: pressed.slope,
        elastic: sinkage - pressed.sinkage,
        part: Lanes::of(simd, 1.0),
        holds: excess * (1.0 / motion.dt.max(1e-9)),
    }
}

/// Replaces the slope of soil that is too steep for a step by that of its elastic line. A body that is
/// thrown back within the step leaves the soil along that line, not along the virgin curve.
#[inline(always)]
pub(super) fn steepen<S: Simd>(soil: &Yielding, advance: Lanes<S>, pressed: &mut PressedLanes<S>) {
    if soil.elastic_stiffness <= stiff::PRESSURE_SLOPE {
        return;
    }
    let steep = advance.ge(0.0) & pressed.slope.gt(stiff::PRESSURE_SLOPE);
    pressed.slope = steep.pick(pressed.slope.max(soil.elastic_stiffness), pressed.slope);
}

/// What the ground does at four nodes.
pub(super) struct React<S: Simd> {
    pub pressure: Lanes<S>,
    pub normal: Vectors<S>,
    pub area: Lanes<S>,
    pub slope: Lanes<S>,
    /// Sinkages that go back when the soil is let go, m.
    pub elastic: Lanes<S>,
    pub part: Lanes<S>,
    /// Damping beyond [`stiff::DAMPING`] over the step, Pa/m: a stiffness for a belt.
    pub holds: Lanes<S>,
}

impl<S: Simd> React<S> {
    /// Keeps it for a body that gives way.
    #[inline(always)]
    pub fn store(&self, four: &Four, reaction: &mut Reaction) {
        let pressed = Where::of_bits(self.area.simd(), four.pressed);
        reaction.pressure = pressed.pick(self.pressure, 0.0).numbers();
        reaction.normal = self.normal.parts();
        reaction.area = pressed.pick(self.area, 0.0).numbers();
        reaction.slope = pressed.pick(self.slope, 0.0).numbers();
        let eases = self.pressure / self.elastic.max(1e-9);
        reaction.eases = pressed.pick(eases.max(self.slope), 0.0).numbers();
        reaction.part = self.part.numbers();
        reaction.holds = pressed.pick(self.holds, 0.0).numbers();
    }
}

/// How long nodes have slid in a step of `dt` s, s: those that were not in contact
/// before, since they were met on the way `sunk` m down.
#[inline(always)]
pub(super) fn slid_for<S: Simd>(
    stayed: Where<S>,
    sunk: Lanes<S>,
    sinking: Lanes<S>,
    dt: f64,
) -> Lanes<S> {
    if !(!stayed).any() {
        return Lanes::of(sunk.simd(), dt);
    }
    let met = (sunk / sinking).max(0.0).min(dt);
    stayed.pick(dt, sinking.gt(0.0).pick(met, 0.5 * dt))
}

/// Which nodes were in contact in the step before.
#[inline(always)]
pub(super) fn stayed<S: Simd>(
    simd: S,
    tiles: &[&WorkingTile; WIDTH],
    index: &[usize; WIDTH],
) -> Where<S> {
    let bits = each(|k| u32::from(tiles[k].was_in_contact(index[k])) << k);
    Where::of_bits(simd, bits[0] | bits[1] | bits[2] | bits[3])
}
