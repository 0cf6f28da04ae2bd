//! Contact of one body with deformable ground.

use super::contact_query::{ContactMotion, ContactQuery, SLIDING};
use super::contact_result::Contact;
use super::contact_sums::ContactSums;
use super::contact_work::{PressInput, limited_sinking_speed, max_pressed_distance};
use super::footprint::Footprint;
use super::gather::gather_nodes;
use super::node_reaction::{SoilReaction, in_previous_contact, sliding_time, steepen};
use super::patch_width::inverse_patch_width;
use super::plate::{Plate, PlateOutline};
use super::scratch::{LaneArray, NodeLanes, NodeUpdate, Scratch, store};
use super::shoe::{PlacedShoe, ShoeOutline};
use super::stiff::{self, StiffNodes};
use super::underside::Underside;
use super::vector_lanes::VectorLanes;
use super::working_ground::WorkingGround;
use super::{bulldozing, firm, refined};
use crate::soil::pressure_sinkage::{cohesive_frictional, damped_lanes, press_lanes};
use crate::soil::{BuiltinLaw, CustomLaw, SoilResponse, Tread};
use crate::{Overlay, SoilCoefficients};
use bekker_math::numeric::{LaneMask, Lanes, Simd, WIDTH, baseline, dispatch, level, per_lane};
use bekker_math::spatial::{Pose, Twist, Vec3};

/// Least width of a tire's patch that is considered, as a fraction of the distance between nodes.
const SLIVER: f64 = 0.1;

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
    result.firm = firm::firm_ground_under(ground, wheel, pose);
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
            contact_in_lanes(simd, ground, body, tread, twist, dt, BuiltinLaw)
        }),
        // a custom law is evaluated node by node: wider instructions would gain little
        Some(law) => baseline!(simd => {
            contact_in_lanes(simd, ground, body, tread, twist, dt, CustomLaw::new(law))
        }),
    }
}

/// Evaluates [`contact`] with the instructions `simd`, under `law`.
#[inline(always)]
fn contact_in_lanes<'a, S: Simd, F: Footprint, L: SoilResponse<'a>>(
    simd: S,
    ground: &mut WorkingGround<'a>,
    body: &mut F,
    tread: &Tread,
    twist: &Twist,
    dt: f64,
    law: L,
) -> Contact {
    let mut result = Contact { patch_width: f64::INFINITY, ..Contact::default() };
    result.nodes_tested = gather_nodes(simd, ground, body);
    let WorkingGround { model, overlay, scratch, .. } = ground;
    if scratch.touched.is_empty() {
        return result;
    }
    result.nodes_in_contact = scratch.touched.iter().map(|four| four.pressed.count_ones()).sum();
    let inverse_width = match body.shared_patch() {
        Some(patch) => 1.0 / patch.width,
        None if body.is_over_cells() => {
            covered_patch(simd, &scratch.touched, body, model.lattice().spacing)
        }
        None => patch(scratch),
    };
    result.patch_width = 1.0 / inverse_width;
    let mut query = ContactQuery { model, overlay, body: &*body, tread, twist, dt };
    let sunk = if L::IS_CUSTOM || model.laws().refines() {
        refined::evaluate_soil(simd, &mut query, law, scratch, inverse_width, &mut result)
    } else {
        evaluate_soil(simd, &mut query, scratch, inverse_width, &mut result)
    };
    if model.laws().bulldozing {
        result.displaced = bulldozing::displaced(model, scratch, sunk);
    }
    result
}

/// Returns the reciprocal of the patch width of a tire, 1/m: that of the rectangle of the covered
/// parts of the cells. The hull of the nodes would be a cell narrower, and its width would depend on
/// the position of the rows.
#[inline(always)]
fn covered_patch<S: Simd, F: Footprint>(
    simd: S,
    touched: &[NodeLanes],
    body: &F,
    spacing: f64,
) -> f64 {
    let axis = body.spin_axis().unwrap_or_else(Vec3::y);
    let horizontal = (axis.x * axis.x + axis.y * axis.y).sqrt();
    let left = [axis.x / horizontal, axis.y / horizontal];
    let cell = (left[0].abs() + left[1].abs()) * spacing;
    let nowhere = Lanes::new(simd, f64::NEG_INFINITY);
    let [mut front, mut back, mut west, mut east] = [nowhere; 4];
    for four in touched {
        let [x, y] = [Lanes::new(simd, four.node[0]), Lanes::new(simd, four.node[1])];
        let pressed = LaneMask::from_bits(simd, four.pressed);
        let (along, across) = (x * left[1] - y * left[0], x * left[0] + y * left[1]);
        front = front.max(pressed.select(along, nowhere));
        back = back.max(pressed.select(-along, nowhere));
        let covered = (Lanes::new(simd, four.coverage) - 0.5) * cell;
        west = west.max(pressed.select(across + covered, nowhere));
        east = east.max(pressed.select(covered - across, nowhere));
    }
    let length = front.max_lane() + back.max_lane() + spacing;
    let width = west.max_lane() + east.max_lane();
    1.0 / width.max(SLIVER * spacing) + 1.0 / length
}

/// Returns the reciprocal of the patch width from the ends of its rows, 1/m.
#[inline(always)]
fn patch(scratch: &mut Scratch) -> f64 {
    let Scratch { touched, row_ends, hull, .. } = scratch;
    row_ends.clear();
    let (mut row, mut end) = (None, [0.0; 2]);
    for four in touched.iter() {
        let [x, y] = &four.node;
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
fn evaluate_soil<S: Simd, F: Footprint>(
    simd: S,
    query: &mut ContactQuery<'_, '_, F>,
    scratch: &mut Scratch,
    inverse_width: f64,
    result: &mut Contact,
) -> f64 {
    let Scratch { touched, updates, reactions, .. } = scratch;
    updates.clear();
    reactions.clear();
    let (model, motion) = (query.model, query.motion());
    let cell = model.lattice().cell_area();
    let mut sums = ContactSums::new(simd);
    for alike in touched.chunk_by(|a, b| a.soil() == b.soil()) {
        let Some(soil) = model.coefficients(alike[0].soil()) else { continue };
        let modulus = cohesive_frictional(&soil.soil, inverse_width);
        let under = SoilUnderNodes { coefficients: soil, modulus, cell };
        for four in alike {
            let (body, overlay) = (query.body, &*query.overlay);
            let reaction = evaluate_lanes(
                body,
                overlay,
                &motion,
                &under,
                four,
                &mut sums,
                updates.next_unused(),
            );
            updates.mark_used();
            if F::DEFORMS {
                reaction.store(four, reactions.next_unused());
                reactions.mark_used();
            }
        }
    }
    store(query.overlay, touched, updates);
    sums.write_to(query.body, result);
    sums.heaped
}

/// Soil parameters shared by all nodes of one soil.
struct SoilUnderNodes<'a> {
    coefficients: &'a SoilCoefficients,
    /// k_c / b + k_φ, Pa/mⁿ.
    modulus: f64,
    /// Area of a cell, m².
    cell: f64,
}

/// Evaluates four nodes of one soil.
#[inline(always)]
fn evaluate_lanes<S: Simd, F: Footprint>(
    body: &F,
    overlay: &Overlay,
    motion: &ContactMotion,
    under: &SoilUnderNodes<'_>,
    four: &NodeLanes,
    sums: &mut ContactSums<S>,
    update: &mut NodeUpdate,
) -> SoilReaction<S> {
    let simd = sums.area.simd();
    let lanes = |numbers: &LaneArray| Lanes::new(simd, *numbers);
    let SoilUnderNodes { coefficients, modulus, cell } = *under;
    let soil = &coefficients.soil;
    let tiles = per_lane(|k| overlay.tile_at(four.spots[k].slot as usize));
    let nodes = per_lane(|k| tiles[k].nodes());
    let index = per_lane(|k| usize::from(four.spots[k].index));
    let yielded_at = Lanes::from_fn(simd, |k| nodes[k].memory(index[k]).yield_pressure);
    let slid = Lanes::from_fn(simd, |k| nodes[k].shear(index[k])[0]);
    let in_previous_contact = in_previous_contact(simd, &tiles, &index);
    let (sinkage, residual) = (lanes(&four.sinkage), lanes(&four.residual));
    let (height, coverage) = (lanes(&four.height), lanes(&four.coverage));
    let n = VectorLanes::from_arrays(simd, &four.normal);
    let r = four.offset(simd, &motion.center);
    let shape = VectorLanes::velocity(&motion.shape_twist, &r);
    let cover = four.cover(simd);
    let [slope_x, slope_y] = [lanes(&four.slope[0]), lanes(&four.slope[1])];
    let sinking = n.z * (slope_x * shape.x + slope_y * shape.y - shape.z);
    let [velocity, arm] = motion.material_velocity(body, &shape, &r, &cover, || four.surface(simd));
    let leaving = velocity.dot(&n);
    let sliding = velocity - n * leaving;
    let speed = sliding.norm();

    let advance = sinking * motion.dt;
    let (mut kept, mut kept_at) = (residual, yielded_at);
    if let Some(passed) = motion.passed_depth(in_previous_contact, sinking, &shape, &r) {
        let deepest = press_lanes(soil, modulus, sinkage + passed, advance, residual, yielded_at);
        let passes = passed.gt(0.0);
        kept = passes.select(deepest.sinkage, residual);
        kept_at = passes.select(deepest.yield_pressure, yielded_at);
    }
    let mut pressed = press_lanes(soil, modulus, sinkage, advance, kept, kept_at);
    steepen(soil, advance, &mut pressed);
    let (pressure, damping) = damped_lanes(soil, pressed.pressure, leaving);
    let slid =
        slid + speed * sliding_time(in_previous_contact, sinkage - residual, sinking, motion.dt);
    let tread = motion.tread.on_soil(&coefficients.metal);
    let stress = tread.stress_lanes(&coefficients.strength, pressure, slid);

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
        let springs = if soil.damping == 0.0 { area } else { damping.gt(0.0).select(area, 0.0) };
        sums.spring.add(springs * pressed.slope, &r);
    }
    sums.damper.add(area * damping.min(stiff::DAMPING), &r);
    let resisted = drag / speed.max(motion.least_speed);
    let excess = stiff::excess_damping(soil, damping);
    let strong = stress.gt(stiff::SHEAR_STRESS);
    if excess.gt(0.0).any() || strong.any() {
        let axis = motion.spin_axis.filter(|_| F::DEFORMS);
        let nodes = StiffNodes { r: &r, arm: &arm, n: &n, axis };
        sums.stiff.damp_along(&nodes, area * excess);
        let whole = drag / speed.max(SLIDING);
        sums.stiff.damp_across(&nodes, strong.select(whole - resisted, 0.0));
    }
    sums.shear.add(resisted, &r);

    sums.normal_force += push;
    sums.area += area;
    let depth = n.z * (lanes(&four.base) - height);
    sums.sinkage = sums.sinkage.max(coverage.ge(0.5).select(depth, 0.0));
    sums.works.shear += drag * speed;
    let pressing = limited_sinking_speed(sinking, &shape);
    sums.works.press(&PressInput {
        area,
        pressed: &pressed,
        sinkage,
        residual,
        yielded_at,
        pressure,
        sinking: pressing,
        entering: -leaving,
        reach: max_pressed_distance(in_previous_contact, pressing, motion.dt),
        growth: Lanes::new(simd, 1.0),
    });
    update.sinkage = pressed.sinkage.to_array();
    update.yield_pressure = pressed.yield_pressure.to_array();
    update.slip = LaneArray::default();
    update.pushed = LaneArray::default();
    update.shear = [slid.to_array(), LaneArray::default()];
    update.surface = (lanes(&four.ground) - pressed.sinkage / n.z).to_array();
    if let Some(heap) = soil.bulldozing {
        // the rut has the width of its cells, whether or not they are completely covered
        let sunk = (pressed.sinkage - residual).to_array();
        let sunk: f64 = four.lanes().map(|k| sunk[k].max(0.0)).sum();
        sums.heaped += cell * sunk * heap.flow_factor;
    }
    SoilReaction {
        pressure,
        normal: n,
        area,
        slope: pressed.slope,
        elastic: sinkage - pressed.sinkage,
        part: Lanes::new(simd, 1.0),
        damping_stiffness: excess * (1.0 / motion.dt.max(1e-9)),
    }
}
