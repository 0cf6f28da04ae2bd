//! Second pass over the nodes: they yield at the pressure that remains under the inclined load.

use super::{LoadInclination, bearing, tangent_components};
use crate::SoilCoefficients;
use crate::scm::contact_query::{ContactMotion, ContactQuery, SLIDING};
use crate::scm::contact_result::Contact;
use crate::scm::contact_sums::ContactSums;
use crate::scm::contact_work::PressInput;
use crate::scm::footprint::Footprint;
use crate::scm::node_reaction::{SoilReaction, steepen};
use crate::scm::scratch::{LaneArray, NodeLanes, NodeUpdate, PredictorLanes, Scratch, store};
use crate::scm::stiff::{self, StiffNodes};
use crate::scm::vector_lanes::VectorLanes;
use crate::soil::pressure_sinkage::{PressureLanes, damped_lanes};
use crate::soil::{ADVANCING, Bearing, Laws, SoilResponse, inclined_bearing, press_refined};
use bekker_math::numeric::{Lanes, Simd};
use bekker_math::spatial::{Twist, Vec3, Vec6};

/// Fraction of its patch that a body renews in a step, below which it counts as standing: the
/// mobilized shear holds it.
const RENEWED: f64 = 0.002;

/// Second pass: lets the nodes yield at the part of their virgin pressure that remains under an
/// inclined force.
#[inline(always)]
pub(super) fn correct<'a, S: Simd, F: Footprint, L: SoilResponse<'a>>(
    simd: S,
    query: &mut ContactQuery<'a, '_, F>,
    law: L,
    scratch: &mut Scratch,
    inverse_width: f64,
    inclination: &LoadInclination,
    result: &mut Contact,
) -> f64 {
    let Scratch { touched, predictions, updates, reactions, .. } = scratch;
    updates.clear();
    reactions.clear();
    let model = query.model;
    // a single shoe may be inclined where the patch that it shares is not
    let leans = model.laws().inclined_bearing && query.body.shared_patch().is_none();
    let bears = if leans { inclined_bearing(inclination.angle) } else { 1.0 };
    let motion = query.motion();
    let (laws, cell_area) = (model.laws(), model.lattice().cell_area());
    let corrector = CorrectorPass { laws, cell_area, bears, motion: &motion };
    let mut sums = ContactSums::new(simd);
    let mut predictions = predictions.iter();
    for alike in touched.chunk_by(|a, b| a.soil() == b.soil()) {
        let Some(soil) = model.coefficients(alike[0].soil()) else { continue };
        let bearing = bearing(model, law, alike[0].soil(), soil, inverse_width);
        for (four, prediction) in alike.iter().zip(&mut predictions) {
            let reaction = correct_lanes::<S, F, L>(
                &corrector,
                soil,
                &bearing,
                four,
                prediction,
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
    let (n, held) = sums.write_to(query.body, result);
    let mut held = held.tangent_across(&n).matrix();
    if sums.stiff.any {
        held += sums.stiff.stiffness;
    }
    // A body moves over uniform ground without any change of force, because new nodes enter where
    // others leave. The tangents include only the nodes now in contact, so their contribution to
    // this motion is returned in `glide`.
    let gliding = glide(&motion.shape_twist, &inclination.up);
    let renewed = gliding.linear.norm() * query.dt / inclination.length;
    let glide = (result.load.stiffness * to_vec6(&gliding)
        + held * to_vec6(query.twist) * (renewed / (renewed + RENEWED)))
        * query.dt;
    result.load.glide.torque = glide.fixed_rows::<3>(0).into();
    result.load.glide.force = glide.fixed_rows::<3>(3).into();
    result.load.stiffness += held;
    sums.heaped
}

/// Parameters common to all nodes of a contact in the second pass.
struct CorrectorPass<'a> {
    laws: Laws,
    /// Area of a cell, m².
    cell_area: f64,
    /// Fraction of the virgin pressure at which they yield.
    bears: f64,
    motion: &'a ContactMotion,
}

/// Evaluates four nodes in the second pass.
#[inline(always)]
fn correct_lanes<'a, S: Simd, F: Footprint, L: SoilResponse<'a>>(
    corrector: &CorrectorPass<'_>,
    coefficients: &SoilCoefficients,
    bearing: &Bearing<'a, L>,
    four: &NodeLanes,
    prediction: &PredictorLanes,
    sums: &mut ContactSums<S>,
    update: &mut NodeUpdate,
) -> SoilReaction<S> {
    let CorrectorPass { laws, cell_area, motion, .. } = *corrector;
    let simd = sums.area.simd();
    let lanes = |numbers: &LaneArray| Lanes::new(simd, *numbers);
    let soil = &coefficients.soil;
    let (sinkage, residual) = (lanes(&four.sinkage), lanes(&four.residual));
    let (yielded_at, part) = (lanes(&prediction.yielded_at), lanes(&prediction.part));
    let [n, shear, sliding] = [&prediction.n, &prediction.shear, &prediction.sliding]
        .map(|own| VectorLanes::from_arrays(simd, own));
    let r = four.offset(simd, &motion.center);

    let mut pressed = press_nodes(simd, corrector, bearing, four, prediction);
    steepen(soil, lanes(&prediction.sinking), &mut pressed);
    let (pressure, damping) = damped_lanes(soil, pressed.pressure, lanes(&prediction.leaving));
    let (tread, slip) = (&motion.tread.on_soil(&coefficients.metal), lanes(&prediction.slip));
    let strength = bearing.shear_strength(tread, &coefficients.strength, pressure, slip);
    let stress = lanes(&prediction.peak_shear) * strength;
    let cell = cell_area * lanes(&four.coverage);
    let area = cell * part;

    let (gain, load) = (lanes(&prediction.gain), area * stress);
    let (stored, mut resisted);
    let arm = if F::DEFORMS { VectorLanes::from_arrays(simd, &prediction.arm) } else { r };
    let axis = motion.spin_axis.filter(|_| F::DEFORMS);
    let nodes = StiffNodes { r: &r, arm: &arm, n: &n, axis };
    if laws.vector_shear {
        let modulus = tread.modulus(&coefficients.strength);
        stored = tangent_components(&shear, &n).map(|own| own * modulus);
        let (whole, resists) = (load * gain, lanes(&prediction.resists));
        let per_step = 1.0 / motion.dt.max(1e-9);
        let most = area * (stiff::SHEAR_SLOPE * motion.dt);
        let tangent = whole.min(most);
        if whole.gt(most).any() {
            let excess = whole - tangent;
            sums.stiff.damp_across(&nodes, excess * resists);
            sums.stiff.spring_across(&nodes, excess * (1.0 - resists) * per_step);
        }
        resisted = tangent * resists;
        sums.held.add(tangent * (1.0 - resists) * per_step, &r);
    } else {
        stored = [gain, Lanes::zero(simd)];
        resisted = resist_drag(&nodes, load * shear.norm(), sliding.norm(), area, motion, sums);
    }
    let excess = stiff::excess_damping(soil, damping);
    if excess.gt(0.0).any() {
        sums.stiff.damp_along(&nodes, area * part * excess);
    }
    let mut lift_damping = Lanes::zero(simd);
    let mut force = n * (pressure * area) - shear * load;
    if prediction.advances {
        let [x, y, z] = [0, 1, 2].map(|k| lanes(&prediction.passive[k]) * cell);
        let wedge = VectorLanes { x, y, z };
        let damping = add_wedge(&wedge, coefficients, motion, &r, sums);
        force += wedge;
        resisted += damping.across;
        lift_damping = damping.along;
    }
    add_drag(prediction, cell, motion, sums);
    sums.shear.add(resisted, &r);
    sums.add_force(&force, &r);
    if F::DEFORMS {
        sums.add_spin(&force, &arm);
    }
    sums.mean_normal += n * (area * pressure);
    // the stiffness of a flexible body is in series with that of the soil
    if !F::DEFORMS {
        let springs = if soil.damping == 0.0 { area } else { damping.gt(0.0).select(area, 0.0) };
        sums.spring.add(springs * part * pressed.slope, &r);
    }
    sums.damper.add(area * part * damping.min(stiff::DAMPING) + lift_damping, &r);

    sums.normal_force += cell * pressure;
    sums.area += cell;
    let depth = lanes(&four.normal[2]) * (lanes(&four.base) - lanes(&four.height));
    sums.sinkage = sums.sinkage.max(lanes(&four.coverage).ge(0.5).select(depth, 0.0));
    // a body does not enter the soil along its own surface by spinning
    let sinking = lanes(&prediction.pressing);
    let entering = if laws.surface_reaction { sinking } else { -lanes(&prediction.leaving) };
    sums.works.press(&PressInput {
        area: cell,
        pressed: &pressed,
        sinkage,
        residual,
        yielded_at,
        pressure,
        sinking,
        entering,
        reach: lanes(&prediction.reach),
        growth: if F::DEFORMS { lanes(&four.growth) } else { Lanes::new(simd, 1.0) },
    });
    sums.works.shear += load * shear.dot(&sliding);

    fill_update(four, prediction, &pressed, stored, update);
    if let Some(heap) = soil.bulldozing {
        let sunk = (pressed.sinkage - residual).to_array();
        let sunk: f64 = four.lanes().map(|k| sunk[k].max(0.0)).sum();
        sums.heaped += cell_area * sunk * heap.flow_factor;
    }
    SoilReaction {
        pressure,
        normal: n,
        area,
        slope: pressed.slope,
        elastic: sinkage - pressed.sinkage,
        part,
        damping_stiffness: excess * (1.0 / motion.dt.max(1e-9)),
    }
}

/// Adds the resistance of the snow in a rut over cells of these areas, m². It acts on the axle, so
/// that a free wheel has it too.
#[inline(always)]
fn add_drag<S: Simd>(
    prediction: &PredictorLanes,
    cell: Lanes<S>,
    motion: &ContactMotion,
    sums: &mut ContactSums<S>,
) {
    if !prediction.drags {
        return;
    }
    let simd = cell.simd();
    let [x, y] = [0, 1].map(|k| Lanes::new(simd, prediction.drag[k]) * cell);
    let hub = motion.shape_twist.linear;
    sums.works.bulldozing += -(x * hub.x + y * hub.y);
    let axle = VectorLanes::splat(simd, &Vec3::zeros());
    sums.add_force(&VectorLanes { x, y, z: Lanes::zero(simd) }, &axle);
}

/// Damping of a wedge of soil, N s/m.
struct WedgeDamping<S: Simd> {
    /// Across the normal of the contact.
    across: Lanes<S>,
    /// Along it.
    along: Lanes<S>,
}

/// Adds the power of the wedge's force, N, and returns its damping.
///
/// At a crawl the force grows with about the third power of the speed, and the lift by friction
/// changes its sign with the direction of heave: the step must include both, or a parked vehicle
/// trembles.
#[inline(always)]
fn add_wedge<S: Simd>(
    wedge: &VectorLanes<S>,
    coefficients: &SoilCoefficients,
    motion: &ContactMotion,
    r: &VectorLanes<S>,
    sums: &mut ContactSums<S>,
) -> WedgeDamping<S> {
    let VectorLanes { x, y, z } = *wedge;
    let shape = VectorLanes::velocity(&motion.shape_twist, r);
    let material = VectorLanes::velocity(&motion.twist, r);
    sums.works.bulldozing += -(x * material.x + y * material.y + z * material.z);
    let speed = (shape.x * shape.x + shape.y * shape.y).sqrt();
    let exponent = 1.0 + 2.0 * ADVANCING * ADVANCING / (speed * speed + ADVANCING * ADVANCING);
    let across = (x * x + y * y).sqrt() * (exponent / speed.max(motion.least_speed));
    let friction =
        coefficients.footing.map_or(0.0, |_| coefficients.passive.friction_coefficient());
    WedgeDamping { across, along: across * friction }
}

/// Returns the drag of the scalar law over the sliding speed, N s/m. The additional damping of slow
/// sliding under high stress is summed node by node.
#[inline(always)]
fn resist_drag<S: Simd>(
    nodes: &StiffNodes<'_, S>,
    drag: Lanes<S>,
    speed: Lanes<S>,
    area: Lanes<S>,
    motion: &ContactMotion,
    sums: &mut ContactSums<S>,
) -> Lanes<S> {
    let resisted = drag / speed.max(motion.least_speed);
    let strong = drag.gt(area * stiff::SHEAR_STRESS);
    if strong.any() {
        let whole = drag / speed.max(SLIDING);
        sums.stiff.damp_across(nodes, strong.select(whole - resisted, 0.0));
    }
    resisted
}

/// Stores the state of four nodes for the next step.
#[inline(always)]
fn fill_update<S: Simd>(
    four: &NodeLanes,
    prediction: &PredictorLanes,
    pressed: &PressureLanes<S>,
    stored: [Lanes<S>; 2],
    update: &mut NodeUpdate,
) {
    let lanes = |numbers: &LaneArray| Lanes::new(pressed.sinkage.simd(), *numbers);
    let upright = lanes(&four.normal[2]);
    update.sinkage = pressed.sinkage.to_array();
    update.yield_pressure = pressed.yield_pressure.to_array();
    update.slip = prediction.slip;
    update.pushed = prediction.pushed;
    update.shear = [stored[0].to_array(), stored[1].to_array()];
    update.surface = (lanes(&four.ground) - pressed.sinkage / upright).to_array();
}

/// Presses four nodes, first to the depth that the lowest point of a wheel reached since the last
/// step.
#[inline(always)]
fn press_nodes<'a, S: Simd, L: SoilResponse<'a>>(
    simd: S,
    corrector: &CorrectorPass<'_>,
    bearing: &Bearing<'a, L>,
    four: &NodeLanes,
    prediction: &PredictorLanes,
) -> PressureLanes<S> {
    let lanes = |numbers: &LaneArray| Lanes::new(simd, *numbers);
    let (sinkage, residual) = (lanes(&four.sinkage), lanes(&four.residual));
    let yielded_at = lanes(&prediction.yielded_at);
    let virgin = corrector.bears * lanes(&prediction.virgin);
    let advance = lanes(&prediction.sinking) * corrector.motion.dt;
    let passed = lanes(&prediction.passed);
    let passes = passed.gt(0.0);
    let (mut kept, mut kept_at) = (residual, yielded_at);
    let mut stiffening = Lanes::zero(simd);
    if passes.any() {
        let pressed =
            press_refined(bearing, virgin, sinkage + passed, advance, residual, yielded_at);
        kept = passes.select(pressed.sinkage, residual);
        kept_at = passes.select(pressed.yield_pressure, yielded_at);
        stiffening = passes.select(pressed.stiffening, 0.0);
    }
    let mut pressed = press_refined(bearing, virgin, sinkage, advance, kept, kept_at);
    pressed.stiffening += stiffening;
    pressed
}

/// Returns the part of a body's motion that changes neither its height nor its inclination.
fn glide(shape: &Twist, up: &Vec3) -> Twist {
    Twist {
        linear: shape.linear - up * up.dot(&shape.linear),
        angular: up * up.dot(&shape.angular),
    }
}

fn to_vec6(twist: &Twist) -> Vec6 {
    let (a, v) = (twist.angular, twist.linear);
    Vec6::new(a.x, a.y, a.z, v.x, v.y, v.z)
}
