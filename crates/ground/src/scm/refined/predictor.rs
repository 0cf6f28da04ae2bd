//! First pass over the nodes: what each would bear under a normal load, and the inclination of the load.

use super::patch_frame::{PatchFrame, patch_frame};
use super::{LoadInclination, STEEPEST, bearing, inverse_speed, speed_in_plane, to_tangent_plane};
use crate::scm::contact_query::{ContactMotion, ContactQuery, SLIDING};
use crate::scm::contact_work::{limited_sinking_speed, max_pressed_distance};
use crate::scm::footprint::{CellCover, CellDepth, Footprint};
use crate::scm::node_reaction::{in_previous_contact, sliding_time};
use crate::scm::scratch::{LaneArray, NodeLanes, PredictorLanes, Scratch};
use crate::scm::vector_lanes::VectorLanes;
use crate::soil::{
    ADVANCING, Bearing, Laws, MultiPass, SoilResponse, mobilize, peak_fraction, slip_sinkage,
};
use crate::{Overlay, SoilCoefficients};
use bekker_math::numeric::{LaneMask, Lanes, Simd, atan2, per_lane};
use bekker_math::spatial::Vec3;

/// Speed of a wheel below which the resistance of snow in a rut fades out, m/s.
const ROLLING: f64 = 0.1;

/// Horizontal resistance of the third and later wheels in a rut over that of the second, in snow:
/// 0.0246 over 0.0475 (CRREL report 95-7, equation 8).
const LATER_WHEELS: f64 = 0.0246 / 0.0475;

/// First pass: fills `scratch.predictions`.
#[inline(always)]
pub(super) fn predict<'a, S: Simd, F: Footprint, L: SoilResponse<'a>>(
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

    let tread = &motion.tread.on_soil(&coefficients.metal);
    let modulus = tread.modulus(&coefficients.strength);
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
