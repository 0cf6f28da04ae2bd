//! Contact of one body with deformable ground.

use super::contact_query::{Answer, Motion, SLIDING};
use super::contact_result::Contact;
use super::footprint::Footprint;
use super::gather::gather;
use super::node_reaction::{React, slid_for, stayed, steepen};
use super::patch_width::inverse_patch_width;
use super::plate::{Plate, PlateOutline};
use super::scratch::{Four, Left, Numbers, Scratch, store};
use super::shoe::{PlacedShoe, ShoeOutline};
use super::stiff::{self, StiffNodes};
use super::sums::Sums;
use super::underside::Underside;
use super::vectors::Vectors;
use super::working_ground::WorkingGround;
use super::works::{Press, pressing, reach};
use super::{bulldozing, firm, refined};
use crate::soil::pressure_sinkage::{cohesive_frictional, damped_lanes, press_lanes};
use crate::soil::{Answering, OwnLaw, Tread, Usual};
use crate::{Overlay, SoilCoefficients};
use bekker_math::numeric::{Lanes, Simd, WIDTH, baseline, dispatch, each, level};
use bekker_math::spatial::{Pose, Twist};

/// Computes the contact of a wheel.
///
/// `pose` has its origin in the wheel's center and y along the spin axis; `twist` is that of the
/// center, spin included. Call [`Overlay::begin_step`] once per step, before the contacts of the
/// agent.
///
/// The wrench is that at the beginning of the step of `dt` seconds; the soil's memory is advanced
/// to that time. Where soil is heaped up, [`heap`](super::heap) completes the step.
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

/// Computes the contact of a rigid plate; arguments as for [`wheel_contact`], except that `pose`
/// has its origin in the middle of the plate's face, z upward.
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

/// Computes the contact of a track shoe; arguments as for [`wheel_contact`], in the shoe's own
/// frame.
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

/// Computes the contact of any body whose underside is known.
///
/// The function is compiled for each kind of body, so other crates call the functions above.
///
/// At each node under the body, along the ground's initial normal n₀: sinkage d = n₀.z (z₀ + berm -
/// underside), pressure by [`press`](crate::soil::pressure_sinkage::press) with damping, shear
/// against the sliding velocity. The patch width is that of one convex hull around all loaded nodes
/// whose vertical line meets the body.
///
/// Along n₀ the tangent is the secant of the pressure over the coming step plus the active damping.
/// Across n₀ shear enters as a viscous force of the same size (Picard), with which an implicit step
/// comes to rest and stays at rest. The moments are taken about the mean normal of the patch.
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
        // a custom law is evaluated node by node: wider instructions would gain little
        Some(law) => baseline!(simd => {
            contact_in_lanes(simd, ground, body, tread, twist, dt, OwnLaw::new(law))
        }),
    }
}

/// Evaluates [`contact`] with the instructions `simd`, under `law`.
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

/// Returns the reciprocal of the patch width from the ends of its rows, 1/m.
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

/// Evaluates the soil at every touched node; returns the volume of permanent sinkage, m³, in soil
/// that heaps up.
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

/// Soil parameters shared by all nodes of one soil.
struct Under<'a> {
    coefficients: &'a SoilCoefficients,
    /// k_c / b + k_φ, Pa/mⁿ.
    modulus: f64,
    /// Area of a cell, m².
    cell: f64,
}

/// Evaluates four nodes of one soil.
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
    // the stiffness of a flexible body is in series with that of the soil
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
        // the rut has the width of its cells, whether or not they are completely covered
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
