//! Reaction of the soil under the refined laws ([`Laws`](crate::soil::Laws)).
//!
//! Two passes over the nodes in contact. The first computes what each node would bear under a
//! normal load, and from it the inclination of the load. The second lets the nodes yield at the
//! pressure that remains under a load of that inclination.

use super::contact_query::{ContactMotion, ContactQuery, SLIDING};
use super::contact_result::Contact;
use super::contact_sums::ContactSums;
use super::contact_work::{PressInput, limited_sinking_speed, max_pressed_distance};
use super::footprint::{CellCover, CellDepth, Footprint};
use super::node_reaction::{SoilReaction, in_previous_contact, sliding_time, steepen};
use super::scratch::{LaneArray, NodeLanes, NodeUpdate, PredictorLanes, Scratch, store};
use super::stiff::{self, StiffNodes};
use super::vector_lanes::VectorLanes;
use crate::soil::pressure_sinkage::{PressureLanes, damped_lanes};
use crate::soil::{
    ADVANCING, Bearing, Laws, MultiPass, SoilResponse, inclined_bearing, mobilize, peak_fraction,
    press_refined, slip_sinkage,
};
use crate::{GroundModel, Overlay, SoilCoefficients};
use bekker_math::numeric::{LaneMask, Lanes, Simd, atan2, exp, per_lane};
use bekker_math::spatial::{Twist, Vec3, Vec6};

/// Least cosine between contact surface and ground (80°); a steeper surface counts as this steep.
const STEEPEST: f64 = 0.17;

/// Speed of a wheel below which the resistance of snow in a rut fades out, m/s.
const ROLLING: f64 = 0.1;

/// Fraction of its patch that a body renews in a step, below which it counts as standing: the
/// mobilized shear holds it.
const RENEWED: f64 = 0.002;

/// Returns vectors in the tangent planes of `n` from their two components. The horizontal plane is
/// rotated to each tangent plane by the smallest rotation.
#[inline(always)]
fn to_tangent_plane<S: Simd>([x, y]: [Lanes<S>; 2], n: &VectorLanes<S>) -> VectorLanes<S> {
    let turn = (n.x * x + n.y * y) / (1.0 + n.z);
    VectorLanes { x: x - n.x * turn, y: y - n.y * turn, z: -(turn + n.z * turn) }
}

/// Returns the two components of vectors in the tangent planes of `n`: inverse of
/// [`to_tangent_plane`].
#[inline(always)]
fn tangent_components<S: Simd>(v: &VectorLanes<S>, n: &VectorLanes<S>) -> [Lanes<S>; 2] {
    let turn = v.z / (1.0 + n.z);
    [v.x - n.x * turn, v.y - n.y * turn]
}

/// Returns the inverse advance speed, smoothed to 0 at rest, s/m.
#[inline(always)]
fn inverse_speed<S: Simd>(speed: Lanes<S>) -> Lanes<S> {
    speed / (speed * speed + ADVANCING * ADVANCING)
}

/// The patch in the frame of a body's heading.
struct PatchFrame {
    /// Left of the body, horizontal unit vector.
    left: [f64; 2],
    /// Length along the heading, m.
    length: f64,
    /// Width across it, m.
    width: f64,
    /// Ends of the patch across the heading, including the covered parts of its cells, m.
    sides: [f64; 2],
    /// Width of a cell across the heading, m.
    cell: f64,
    /// Fraction of passive pressure that acts on side walls, signed by the direction of drift:
    /// positive to the left.
    side: f64,
    /// Shear modulus of the soil, m.
    modulus: f64,
}

/// Returns the patch in the frame of the wheel or, for a body without an axis, in that of its
/// velocity.
///
/// A side wall that has moved sideways by y during the passage of the contact mobilizes the
/// fraction 1 - exp(-y/K) of the passive pressure. So does a front along whose width soil passes.
#[inline(always)]
fn patch_frame<S: Simd, F: Footprint>(
    simd: S,
    touched: &[NodeLanes],
    body: &F,
    twist: &Twist,
    modulus: f64,
    spacing: f64,
) -> PatchFrame {
    let shared = body.shared_patch();
    let heading = match (&shared, body.spin_axis()) {
        (Some(patch), _) => patch.heading,
        (None, Some(axis)) => axis.cross(&Vec3::z()),
        (None, None) => twist.linear,
    };
    let size = (heading.x * heading.x + heading.y * heading.y).sqrt();
    let u = if size > 1e-9 { [heading.x / size, heading.y / size] } else { [1.0, 0.0] };
    let left = [-u[1], u[0]];
    let cell = (left[0].abs() + left[1].abs()) * spacing;
    let nowhere = Lanes::new(simd, f64::NEG_INFINITY);
    let [mut front, mut back, mut west, mut east] = [nowhere; 4];
    for four in touched {
        let [x, y] = [Lanes::new(simd, four.node[0]), Lanes::new(simd, four.node[1])];
        let pressed = LaneMask::from_bits(simd, four.pressed);
        let (along, across) = (x * u[0] + y * u[1], x * left[0] + y * left[1]);
        front = front.max(pressed.select(along, nowhere));
        back = back.max(pressed.select(-along, nowhere));
        let covered = covered_margin(simd, four, cell);
        west = west.max(pressed.select(across + covered, nowhere));
        east = east.max(pressed.select(covered - across, nowhere));
    }
    let own = front.max_lane() + back.max_lane() + spacing;
    let sides = [-east.max_lane(), west.max_lane()];
    let length = shared.map_or(own, |patch| patch.length);
    let drift = twist.linear.x * left[0] + twist.linear.y * left[1];
    let along = twist.linear.x * u[0] + twist.linear.y * u[1];
    let advances = drift * drift / (drift * drift + ADVANCING * ADVANCING);
    // soil passes the length of the wall at the speed along it
    let aside = length * drift.abs() / along.abs().max(ADVANCING);
    let side = match body.spin_axis() {
        Some(_) => advances * drift.signum() * (1.0 - exp(-aside / modulus)),
        None => 0.0,
    };
    let width = (sides[1] - sides[0]).max(spacing);
    PatchFrame { left, length, width, sides, cell, side, modulus }
}

/// Returns the covered length beyond the nodes, m, across a heading along which a cell is `cell` m
/// wide.
#[inline(always)]
fn covered_margin<S: Simd>(simd: S, four: &NodeLanes, cell: f64) -> Lanes<S> {
    (Lanes::new(simd, four.coverage) - 0.5) * cell
}

/// Evaluates the soil at every touched node; returns the volume of permanent sinkage, m³, in soil
/// that heaps up.
#[inline(always)]
pub(super) fn evaluate_soil<'a, S: Simd, F: Footprint, L: SoilResponse<'a>>(
    simd: S,
    query: &mut ContactQuery<'a, '_, F>,
    law: L,
    scratch: &mut Scratch,
    inverse_width: f64,
    result: &mut Contact,
) -> f64 {
    let Some(inclination) = predict(simd, query, law, scratch, inverse_width) else { return 0.0 };
    correct(simd, query, law, scratch, inverse_width, &inclination, result)
}

/// Returns the bearing of the soil of this index under a patch of width `1 / inverse_width`.
#[inline(always)]
fn bearing<'a, L: SoilResponse<'a>>(
    model: &'a GroundModel,
    law: L,
    index: usize,
    coefficients: &'a SoilCoefficients,
    inverse_width: f64,
) -> Bearing<'a, L> {
    let bearing = Bearing::new(&coefficients.soil, model.laws(), inverse_width);
    bearing.with_response(law.for_patch(&model.soils()[index], inverse_width))
}

/// Result of the first pass for the patch as a whole.
struct LoadInclination {
    /// Mean normal of the ground.
    up: Vec3,
    /// Inclination of the force from `up` due to shear, rad.
    angle: f64,
    /// Length of the patch along the body's heading, m.
    length: f64,
}

/// First pass: fills `scratch.predictions`.
#[inline(always)]
fn predict<'a, S: Simd, F: Footprint, L: SoilResponse<'a>>(
    simd: S,
    query: &ContactQuery<'a, '_, F>,
    law: L,
    scratch: &mut Scratch,
    inverse_width: f64,
) -> Option<LoadInclination> {
    let model = query.model;
    let coefficients = model.coefficients(scratch.touched.first()?.soil())?;
    let spacing = model.lattice().spacing;
    let modulus = coefficients.strength.modulus;
    let frame = patch_frame(simd, &scratch.touched, query.body, query.twist, modulus, spacing);
    let motion = query.motion();
    let pass = PassContext {
        body: query.body,
        overlay: query.overlay,
        laws: model.laws(),
        motion: &motion,
        spin_axis: query.body.spin_axis(),
        frame: &frame,
    };
    let zero = VectorLanes::splat(simd, &Vec3::zeros());
    let (mut base, mut shear, mut ground) = (zero, zero, zero);
    let (mut strength, mut cohesion) = (Lanes::zero(simd), Lanes::zero(simd));
    let Scratch { touched, predictions, .. } = scratch;
    predictions.clear();
    for alike in touched.chunk_by(|a, b| a.soil() == b.soil()) {
        let Some(soil) = model.coefficients(alike[0].soil()) else { continue };
        let bearing = bearing(model, law, alike[0].soil(), soil, inverse_width);
        for four in alike {
            let predicted =
                predict_lanes(simd, &pass, soil, &bearing, four, predictions.next_unused());
            predictions.mark_used();
            let area = model.lattice().cell_area() * Lanes::new(simd, four.coverage);
            base += predicted.base * area;
            shear += predicted.shear * area;
            strength += predicted.strength * area;
            cohesion += predicted.cohesion * area;
            ground += VectorLanes::from_arrays(simd, &four.normal) * area;
        }
    }
    let (base, ground) = (base.sum(), ground.sum());
    let size = ground.norm();
    if size == 0.0 {
        return None;
    }
    let up = ground / size;
    let strength = [strength.sum(), cohesion.sum()];
    let angle = inclination_by_shear(&base, &shear.sum(), strength, &up);
    Some(LoadInclination { up, angle, length: frame.length })
}

/// Returns the inclination of the contact force `base` from `up`, rad, as far as its part `shear`
/// causes it. The soil's shear force is at most `strength` N, of which `cohesion` N do not depend
/// on pressure.
///
/// Meyerhof's load is oblique to the base on which it acts. Pressure is not: it is normal to the
/// surface that the body presses, whatever its orientation. The force on a towed wheel is inclined
/// although no load is oblique.
///
/// Where the surface slides, loose soil slides before it moves along with it, and then pressure
/// inclines the load as well. This effect is scaled by the mobilized part of the shear along the
/// inclination, and by the frictional part of the soil's strength. Cohesive soil stays in place:
/// clay that is sheared to its limit bears half (Prandtl), however steep the front is. (This rule
/// is bekker's.)
fn inclination_by_shear(
    base: &Vec3,
    shear: &Vec3,
    [strength, cohesion]: [f64; 2],
    up: &Vec3,
) -> f64 {
    let bearing = base.dot(up);
    let across = base - up * bearing;
    let size = across.norm();
    if size == 0.0 {
        return 0.0;
    }
    let sheared = shear.dot(&across) / size;
    let pressed = size - sheared;
    let part = |of: f64| if strength > 0.0 { (of / strength).clamp(0.0, 1.0) } else { 0.0 };
    let goes_along = part(sheared) * (1.0 - part(cohesion));
    let oblique = sheared.max(0.0) + if pressed > 0.0 { goes_along * pressed } else { pressed };
    atan2(oblique.max(0.0), bearing)
}

/// Reaction of four nodes under a normal load, per area of their cells, Pa.
struct PredictedReaction<S: Simd> {
    /// Force without passive pressure, which acts on fronts and walls.
    base: VectorLanes<S>,
    /// Part of the force due to shear.
    shear: VectorLanes<S>,
    /// Greatest shear.
    strength: Lanes<S>,
    /// Part of the greatest shear that does not depend on pressure.
    cohesion: Lanes<S>,
}

/// State of four nodes after the previous step.
struct NodeHistory<S: Simd> {
    /// Pressures of the last yield, Pa.
    yielded_at: Lanes<S>,
    /// Slip distances in this contact, m.
    slipped: Lanes<S>,
    /// Depths pushed away in this contact, m.
    pushed: Lanes<S>,
    /// Hardening factors from earlier passes.
    hardened: Lanes<S>,
    /// Shear displacements, m.
    sheared: [Lanes<S>; 2],
    /// Which of them were in contact.
    in_previous_contact: LaneMask<S>,
    /// Numbers of completed wheel passes.
    passes: Lanes<S>,
}

#[inline(always)]
fn node_history<S: Simd>(
    simd: S,
    overlay: &Overlay,
    four: &NodeLanes,
    multi_pass: Option<&MultiPass>,
) -> NodeHistory<S> {
    let tiles = per_lane(|k| overlay.tile_at(four.spots[k].slot as usize));
    let nodes = per_lane(|k| tiles[k].nodes());
    let index = per_lane(|k| usize::from(four.spots[k].index));
    NodeHistory {
        yielded_at: Lanes::from_fn(simd, |k| nodes[k].memory(index[k]).yield_pressure),
        slipped: Lanes::from_fn(simd, |k| nodes[k].memory(index[k]).slip),
        pushed: Lanes::from_fn(simd, |k| nodes[k].memory(index[k]).pushed),
        hardened: match multi_pass {
            Some(law) => Lanes::from_fn(simd, |k| law.factor(nodes[k].passes(index[k]))),
            None => Lanes::new(simd, 1.0),
        },
        sheared: [
            Lanes::from_fn(simd, |k| nodes[k].shear(index[k])[0]),
            Lanes::from_fn(simd, |k| nodes[k].shear(index[k])[1]),
        ],
        in_previous_contact: in_previous_contact(simd, &tiles, &index),
        passes: Lanes::from_fn(simd, |k| f64::from(nodes[k].passes(index[k]))),
    }
}

/// Passage of a body through its patch.
struct PassContext<'a, F> {
    body: &'a F,
    overlay: &'a Overlay,
    laws: Laws,
    motion: &'a ContactMotion,
    spin_axis: Option<Vec3>,
    frame: &'a PatchFrame,
}

/// Fills `prediction` with the reaction of four nodes under a normal load.
#[inline(always)]
fn predict_lanes<'a, S: Simd, F: Footprint, L: SoilResponse<'a>>(
    simd: S,
    pass: &PassContext<'_, F>,
    coefficients: &SoilCoefficients,
    bearing: &Bearing<'a, L>,
    four: &NodeLanes,
    prediction: &mut PredictorLanes,
) -> PredictedReaction<S> {
    let PassContext { overlay, laws, motion, frame, .. } = pass;
    let dt = motion.dt;
    let lanes = |numbers: &LaneArray| Lanes::new(simd, *numbers);
    let zero = Lanes::zero(simd);
    let soil = &coefficients.soil;
    let surface_motion = pass.surface_motion(simd, four);
    let SurfaceMotion { r, surface, n, part, shape, sinking, velocity, leaving, sliding, arm } =
        surface_motion;

    let (sinkage, residual) = (lanes(&four.sinkage), lanes(&four.residual));
    // multi-pass and footing apply to wheels only: other bodies neither pass repeatedly nor roll. A
    // flexible tire finds a floor in its own rut and needs no bound
    let rolls = pass.spin_axis.is_some();
    let multi_pass = coefficients.multi_pass.as_ref().filter(|_| rolls && !F::DEFORMS);
    let memory = node_history(simd, overlay, four, multi_pass);
    let NodeHistory { yielded_at, slipped, pushed, hardened, in_previous_contact, .. } = memory;
    let sliding_time = sliding_time(in_previous_contact, sinkage - residual, sinking, dt);
    let slid = pass.mean_sliding(sliding_time, &sliding, &shape, &r, &n);
    let passed = motion.passed_depth(in_previous_contact, sinking, &shape, &r).unwrap_or(zero);
    let rate = slid.norm();
    let slid_distance = rate * sliding_time;
    let slip = in_previous_contact.select(slipped, 0.0) + slid_distance;
    let still = pass.static_share(slip, &slid, rate);
    let mut upper = bearing.upper_pressure(sinkage, still, sinking);
    let mut kept = zero;
    if let Some(footing) = coefficients.footing.filter(|_| rolls) {
        let more = pushed_ahead(&surface, &velocity) * sinking.max(0.0) * dt;
        let entered =
            (sinkage - residual - max_pressed_distance(in_previous_contact, sinking, dt)).max(0.0);
        kept = in_previous_contact
            .select(pushed + more, entered)
            .min(sinkage)
            .min(bearing.loose_depth());
        if kept.gt(0.0).any() {
            let pressed = bearing.upper_pressure(sinkage - kept, still, sinking);
            let left = pressed.max(footing.pressure(kept)).min(upper);
            upper = kept.gt(0.0).select(left, upper);
        }
    }
    let virgin = bearing.layered_pressure(upper, sinkage, kept, sinking) * hardened;
    let line = bearing.reload_line(residual, yielded_at);
    let pressure = line.pressure(sinkage, residual, yielded_at).min(virgin);

    let modulus = motion.tread.modulus(&coefficients.strength);
    let slid = SlipLanes { mean: slid, rate, time: sliding_time, distance: slid_distance };
    // soil that a face has pushed away fails at its toe before the base passes over it
    let failed = in_previous_contact.select(0.0, kept / sinkage.max(1e-9));
    let MobilizedShear { shear, gain, resists } =
        pass.mobilized(&surface_motion, &memory, &slid, failed, modulus);
    let peak_shear = match soil.details.peak_shear {
        Some(peak_shear) if laws.peak_shear => {
            peak_fraction(peak_shear.residual, slip, soil.shear_modulus)
        }
        _ => Lanes::new(simd, 1.0),
    };
    let passive = if laws.passive_pressure {
        frame.passive(coefficients, four, sinkage, &surface, [&shape, &velocity])
    } else {
        None
    };
    let tread = &motion.tread;
    let strength = &coefficients.strength;
    let stress = peak_shear * bearing.shear_strength(tread, strength, pressure, slip);
    let cohesion = peak_shear * bearing.shear_strength(tread, strength, zero, slip);
    prediction.n = n.to_arrays();
    if F::DEFORMS {
        prediction.arm = arm.to_arrays();
    }
    prediction.sinking = sinking.to_array();
    prediction.passed = passed.to_array();
    let pressing = limited_sinking_speed(sinking, &shape);
    prediction.pressing = pressing.to_array();
    prediction.reach = max_pressed_distance(in_previous_contact, pressing, dt).to_array();
    // along the initial normal, like sinkage
    prediction.leaving = (leaving * part).to_array();
    prediction.sliding = sliding.to_arrays();
    prediction.part = part.to_array();
    prediction.virgin = virgin.to_array();
    prediction.yielded_at = yielded_at.to_array();
    prediction.slip = slip.to_array();
    prediction.pushed = kept.to_array();
    prediction.shear = shear.to_arrays();
    prediction.gain = gain.to_array();
    prediction.resists = resists.to_array();
    prediction.peak_shear = peak_shear.to_array();
    prediction.advances = passive.is_some();
    if let Some(passive) = passive {
        prediction.passive = passive.to_arrays();
    }
    let trailing = soil.details.trailing_resistance.filter(|_| rolls && laws.layers);
    predict_drag(trailing, memory.passes, pressure, motion, prediction);
    let dragged = shear * (-(stress * part));
    PredictedReaction {
        base: n * (pressure * part) + dragged,
        shear: dragged,
        strength: stress,
        cohesion,
    }
}

/// Horizontal resistance of the third and later wheels in a rut over that of the second, in snow:
/// 0.0246 over 0.0475 (CRREL report 95-7, equation 8).
const LATER_WHEELS: f64 = 0.0246 / 0.0475;

/// Predicts the horizontal resistance of the snow in a rut to a wheel at four nodes: the fraction
/// `trailing` of their pressures after one pass, against the velocity of the wheel's center.
#[inline(always)]
fn predict_drag<S: Simd>(
    trailing: Option<f64>,
    passes: Lanes<S>,
    pressure: Lanes<S>,
    motion: &ContactMotion,
    prediction: &mut PredictorLanes,
) {
    prediction.drags = passes.gt(0.0).any() && trailing.is_some();
    let Some(share) = trailing.filter(|_| prediction.drags) else { return };
    let velocity = &motion.shape_twist.linear;
    let follows = passes.gt(1.5).select(share * LATER_WHEELS, share);
    let follows = passes.gt(0.5).select(follows, 0.0);
    let square = velocity.x * velocity.x + velocity.y * velocity.y;
    let drag = pressure * follows * (-1.0 / (square + ROLLING * ROLLING).sqrt());
    prediction.drag = [(velocity.x * drag).to_array(), (velocity.y * drag).to_array()];
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

/// Returns the fraction of the sinkage rate at which surfaces push soil ahead: the square of the
/// part of their motion along the horizontal part of their normals `n`, into the soil.
///
/// Soil moves where a surface faces, and only as far as the surface moves in that direction. The
/// fraction is zero under a surface that moves straight down or retreats, and one half in front of
/// a skidding surface at 45 degrees. Motion of a surface along itself does not change it.
#[inline(always)]
fn pushed_ahead<S: Simd>(n: &VectorLanes<S>, velocity: &VectorLanes<S>) -> Lanes<S> {
    let onward = -(n.x * velocity.x + n.y * velocity.y);
    let part = onward.max(0.0) * inverse_speed(speed_in_plane(n, velocity));
    part * part
}

/// Returns the speeds in the vertical plane through the normals `n`.
#[inline(always)]
fn speed_in_plane<S: Simd>(n: &VectorLanes<S>, velocity: &VectorLanes<S>) -> Lanes<S> {
    let along = n.x * velocity.y - n.y * velocity.x;
    let size = (n.x * n.x + n.y * n.y).max(1e-18);
    // without motion along the surface this is the speed, to the last bit
    (velocity.dot(velocity) - along * along / size).max(0.0).sqrt()
}

/// Mobilized shear: see [`PredictorLanes`].
struct MobilizedShear<S: Simd> {
    shear: VectorLanes<S>,
    gain: Lanes<S>,
    resists: Lanes<S>,
}

/// Motion of a body's surface at four nodes.
#[derive(Clone, Copy)]
struct SurfaceMotion<S: Simd> {
    /// Positions from the body's center, m.
    r: VectorLanes<S>,
    /// Normals of the surface.
    surface: VectorLanes<S>,
    /// Normals along which the soil reacts: those of the surface or of the ground.
    n: VectorLanes<S>,
    /// Area of that surface over the area of the horizontal cell.
    part: Lanes<S>,
    /// Velocities of the body's shape, m/s.
    shape: VectorLanes<S>,
    /// Speeds at which the surface sinks along the ground's normal, m/s.
    sinking: Lanes<S>,
    /// Velocities of the material that touches the soil, m/s.
    velocity: VectorLanes<S>,
    /// Components of `velocity` along `n`, m/s.
    leaving: Lanes<S>,
    /// Components of `velocity` across `n`, m/s.
    sliding: VectorLanes<S>,
    /// Arms of the spin of a flexible body, m.
    arm: VectorLanes<S>,
}

/// Sliding of four nodes within the last step, since first contact.
struct SlipLanes<S: Simd> {
    /// Mean velocities, m/s.
    mean: VectorLanes<S>,
    /// Mean speeds, m/s.
    rate: Lanes<S>,
    /// Durations, s.
    time: Lanes<S>,
    /// Distances, m.
    distance: Lanes<S>,
}

impl<F: Footprint> PassContext<'_, F> {
    /// Returns the motion of the surface at four nodes.
    #[inline(always)]
    fn surface_motion<S: Simd>(&self, simd: S, four: &NodeLanes) -> SurfaceMotion<S> {
        let motion = self.motion;
        let lanes = |numbers: &LaneArray| Lanes::new(simd, *numbers);
        let upright = VectorLanes::from_arrays(simd, &four.normal);
        let [slope_x, slope_y] = [lanes(&four.slope[0]), lanes(&four.slope[1])];
        let r = four.offset(simd, &motion.center);
        let (depth, cover) = if F::DEFORMS {
            (four.depth(simd), four.cover(simd))
        } else {
            (CellDepth::linear(lanes(&four.sinkage)), CellCover::at_nodes(simd))
        };
        let [x, y, z] = self.body.normal(&[r.x, r.y, r.z], &[slope_x, slope_y], &depth, &cover);
        let surface = VectorLanes { x, y, z };
        // area of the surface over that of the horizontal cell
        let (n, part) = if self.laws.surface_reaction {
            (surface, 1.0 / surface.dot(&upright).max(STEEPEST))
        } else {
            (upright, Lanes::new(simd, 1.0))
        };
        let shape = VectorLanes::velocity(&motion.shape_twist, &r);
        let sinking = upright.z * (slope_x * shape.x + slope_y * shape.y - shape.z);
        let [velocity, arm] = motion.material_velocity(self.body, &shape, &r, &cover, || surface);
        let leaving = velocity.dot(&n);
        let sliding = velocity - n * leaving;
        SurfaceMotion { r, surface, n, part, shape, sinking, velocity, leaving, sliding, arm }
    }

    /// Returns the fractions of the sinkages that would exist without slip.
    ///
    /// Lyasko's slip is measured in the wheel's plane, so only that part of the slip distances
    /// counts. Lateral sliding pushes soil aside, which the displaced soil accounts for.
    #[inline(always)]
    fn static_share<S: Simd>(
        &self,
        slip: Lanes<S>,
        slid: &VectorLanes<S>,
        rate: Lanes<S>,
    ) -> Lanes<S> {
        if !self.laws.slip_sinkage {
            return Lanes::new(slip.simd(), 1.0);
        }
        let Some(axis) = &self.spin_axis else { return slip_sinkage(slip, self.frame.length) };
        let lateral = slid.x * axis.x + slid.y * axis.y + slid.z * axis.z;
        // the sliding of a parked wheel has no direction
        let share = lateral * lateral / (rate * rate + ADVANCING * ADVANCING);
        slip_sinkage(slip * (1.0 - share).max(0.0).sqrt(), self.frame.length)
    }

    /// Returns the shear at four nodes after this step's sliding. `failed` is the fraction that is
    /// mobilized along the sliding at first contact.
    #[inline(always)]
    fn mobilized<S: Simd>(
        &self,
        surface_motion: &SurfaceMotion<S>,
        memory: &NodeHistory<S>,
        slid: &SlipLanes<S>,
        failed: Lanes<S>,
        modulus: f64,
    ) -> MobilizedShear<S> {
        let SurfaceMotion { n, sliding, .. } = surface_motion;
        let NodeHistory { sheared, in_previous_contact, .. } = memory;
        let speed = sliding.norm();
        if self.laws.vector_shear {
            let scale = in_previous_contact.select(1.0 / modulus, 0.0);
            let mut held = to_tangent_plane([sheared[0] * scale, sheared[1] * scale], n);
            if failed.gt(0.0).any() {
                held += *sliding * (failed * inverse_speed(speed));
            }
            let (kept, pull) = mobilize(slid.distance, slid.rate, slid.time, modulus);
            // part of the mobilized shear that is already along the sliding
            let along = (held.dot(sliding) / speed).max(0.0).min(1.0);
            MobilizedShear {
                shear: held * kept + slid.mean * pull,
                gain: slid.time.gt(0.0).select(pull, 0.0),
                resists: speed.gt(0.0).select(along, 0.0),
            }
        } else {
            // one scalar that only grows, as in the reference implementation
            let gain = sheared[0] + speed * slid.time;
            let mobilized = 1.0 - (gain * (-1.0 / modulus)).fast_exp();
            let shear = *sliding * (mobilized / speed.max(SLIDING));
            MobilizedShear { shear, gain, resists: Lanes::new(speed.simd(), 1.0) }
        }
    }

    /// Returns the mean sliding velocity since first contact, by which memory grows. Half the
    /// duration ago a spot was further ahead under the wheel.
    #[inline(always)]
    fn mean_sliding<S: Simd>(
        &self,
        sliding_time: Lanes<S>,
        sliding: &VectorLanes<S>,
        shape: &VectorLanes<S>,
        r: &VectorLanes<S>,
        n: &VectorLanes<S>,
    ) -> VectorLanes<S> {
        let (Some(axis), Some(heading)) = (&self.spin_axis, &self.motion.heading) else {
            return *sliding;
        };
        let onward = shape.x * heading.x + shape.y * heading.y;
        let bend = onward / (-r.z).max(self.motion.spacing);
        let change = VectorLanes::splat(sliding_time.simd(), axis).cross(shape)
            * (0.5 * sliding_time * bend);
        *sliding + change.perpendicular_to(n)
    }
}

impl PatchFrame {
    /// Returns the passive pressure on four nodes, Pa of horizontal area, if any.
    ///
    /// It acts on the part that faces sideways and advances into soil `sinkage` m deep, and on the
    /// side wall of a wheel. The side wall is at the outermost cells of the patch, and its force is
    /// spread over them. The velocities are those of the body's shape and of the material that
    /// touches the soil. Where soil is displaced, the wedge rubs on both.
    ///
    /// The wedge is that of a blade, which moves straight ahead. A surface that also moves down
    /// drives the soil as a footing does, by the pressure it already bears. Its share of the wedge
    /// is the horizontal part of its motion in the plane of its normal. So a locked wheel plows,
    /// and the front of a driven one, whose rim moves down and back, does not.
    #[inline(always)]
    fn passive<S: Simd>(
        &self,
        soil: &SoilCoefficients,
        four: &NodeLanes,
        sinkage: Lanes<S>,
        surface: &VectorLanes<S>,
        [shape, material]: [&VectorLanes<S>; 2],
    ) -> Option<VectorLanes<S>> {
        let (simd, wedge, rubs) = (sinkage.simd(), &soil.passive, soil.footing.is_some());
        let advance = -(surface.x * shape.x + surface.y * shape.y);
        let onward = -(surface.x * material.x + surface.y * material.y);
        let advances = advance.gt(0.0) & onward.gt(0.0);
        let wall = self.side_wall_share(four, simd);
        if !(advances | wall.gt(0.0)).any() {
            return None;
        }
        let flat = (surface.x * surface.x + surface.y * surface.y).sqrt().max(1e-9);
        // cosine of the motion's grade, over the horizontal part of the surface's normal
        let horizontal = onward / (speed_in_plane(surface, material).max(1e-9) * flat);
        // a body that only sinks or heaves forms no wedge
        let speed = advance / flat;
        let formed = speed * speed / (speed * speed + ADVANCING * ADVANCING);
        let front =
            wedge.pressure(sinkage, self.width) * horizontal * formed / surface.z.max(STEEPEST);
        let into = onward / flat;
        let [left_x, left_y] = [surface.y / flat, -surface.x / flat];
        let along = material.x * left_x + material.y * left_y;
        let way = into.max(0.0) * self.width / along.abs().max(1e-9);
        let mobilized = 1.0 - (way * (-1.0 / self.modulus)).fast_exp();
        let front = advances.select(front * mobilized, 0.0);
        let (x, y) = (surface.x * front, surface.y * front);
        let mut pressure = VectorLanes { x, y, z: Lanes::zero(simd) };
        if rubs {
            let pushed = (x * x + y * y).sqrt();
            let [on, up] = wedge.face_friction(into, along, material.z);
            pressure.x += left_x * (on * pushed);
            pressure.y += left_y * (on * pushed);
            pressure.z = up * pushed;
        }
        if wall.gt(0.0).any() {
            let force = wedge.force(sinkage, self.length) * (self.side / self.cell) * wall;
            pressure.x = pressure.x - self.left[0] * force;
            pressure.y = pressure.y - self.left[1] * force;
            if rubs {
                let [ahead_x, ahead_y] = [self.left[1], -self.left[0]];
                let along = material.x * ahead_x + material.y * ahead_y;
                let into = material.x * self.left[0] + material.y * self.left[1];
                let into = into * self.side.signum();
                let [on, up] = wedge.face_friction(into, along, material.z);
                let pushed = force.abs();
                pressure.x += on * pushed * ahead_x;
                pressure.y += on * pushed * ahead_y;
                pressure.z += up * pushed;
            }
        }
        Some(pressure)
    }

    /// Returns the fractions of the covered cells over which a side wall is spread: the part within
    /// a cell's width of the side on which the wall presses soil.
    #[inline(always)]
    fn side_wall_share<S: Simd>(&self, four: &NodeLanes, simd: S) -> Lanes<S> {
        if self.side == 0.0 {
            return Lanes::zero(simd);
        }
        let [x, y] = [Lanes::new(simd, four.node[0]), Lanes::new(simd, four.node[1])];
        let at = x * self.left[0] + y * self.left[1];
        let rim = covered_margin(simd, four, self.cell);
        let inside =
            if self.side > 0.0 { self.sides[1] - (at + rim) } else { (at - rim) - self.sides[0] };
        (1.0 - inside * (1.0 / self.cell)).max(0.0).min(1.0)
    }
}

/// Second pass: lets the nodes yield at the part of their virgin pressure that remains under an
/// inclined force.
#[inline(always)]
fn correct<'a, S: Simd, F: Footprint, L: SoilResponse<'a>>(
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
    let (tread, slip) = (&motion.tread, lanes(&prediction.slip));
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
