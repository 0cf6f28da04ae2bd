//! Contact of one body with yielding ground.

use super::footprint::Footprint;
use super::gather::gather;
use super::moments::{MomentLanes, tangent};
use super::patch_width::inverse_patch_width;
use super::refined::Answer;
use super::scratch::{Scratch, Touched};
use super::underside::Underside;
use super::{FirmGround, bulldozing, firm, refined};
use crate::grid::Node;
use crate::ground::{GroundModel, Overlay, Published, SoilCoefficients};
use crate::numeric::{Lanes, Level, Simd, WIDTH, Where, dispatch};
use crate::soil::Tread;
use crate::soil::pressure_sinkage::{
    PlasticMemory, cohesive_frictional, damped_lanes, press_lanes,
};
use crate::spatial::{Load, Pose, Twist, Vec3, Wrench};

/// What the ground does to a body in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// Wrench on the body about its centre, with its tangent.
    pub load: Load,
    /// Force along the initial normals of the ground, N.
    pub normal_force: f64,
    /// Depth of the body's lowest loaded point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Area in contact, m².
    pub area: f64,
    /// Bekker's width of the loaded patch, m; infinite for a single row of nodes.
    pub patch_width: f64,
    /// Work that sank the soil for good in this step, J.
    pub compaction_work: f64,
    /// Power that shear takes out of the body's sliding, W.
    pub shear_power: f64,
    /// Nodes whose height was compared.
    pub nodes_tested: u32,
    /// Nodes that carry load.
    pub nodes_in_contact: u32,
    /// Firm ground under the body, for a handling tyre to run on.
    pub firm: Option<FirmGround>,
}

/// Below this speed, m/s, a node's shear fades out in proportion to its speed.
pub(super) const SLIDING: f64 = 1e-4;
/// A wheel's nodes that slide slower than this part of its own speed damp as
/// if they slid so fast: their direction turns over within a step.
pub(super) const ROLLING_SHARE: f64 = 0.01;

/// Contact of a wheel. Its `pose` has the origin in the wheel's centre and y
/// along the spin axis; `twist` is that of the centre, spin included. Call
/// [`Overlay::begin_step`] once a step, ahead of the agent's contacts.
///
/// The wrench is that at the beginning of the step of `dt` seconds; soil
/// memory is advanced to it.
#[expect(clippy::too_many_arguments, reason = "what a contact depends on, each once")]
pub fn wheel_contact(
    model: &GroundModel,
    published: &Published,
    overlay: &mut Overlay,
    scratch: &mut Scratch,
    wheel: &Underside,
    tread: &Tread,
    pose: &Pose,
    twist: &Twist,
    dt: f64,
) -> Contact {
    let mut placed = wheel.placed(pose, model.lattice().spacing);
    let mut result = contact(model, published, overlay, scratch, &mut placed, tread, twist, dt);
    result.firm = firm::under_wheel(model, published, overlay, wheel, pose);
    result
}

/// Contact of any body of which the underside is known.
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
#[expect(clippy::too_many_arguments, reason = "what a contact depends on, each once")]
pub fn contact<F: Footprint>(
    model: &GroundModel,
    published: &Published,
    overlay: &mut Overlay,
    scratch: &mut Scratch,
    body: &mut F,
    tread: &Tread,
    twist: &Twist,
    dt: f64,
) -> Contact {
    dispatch!(Level::new(), simd => {
        contact_in_lanes(simd, model, published, overlay, scratch, body, tread, twist, dt)
    })
}

/// [`contact`] with the instructions `simd`.
#[expect(clippy::too_many_arguments, reason = "what a contact depends on, each once")]
#[inline(always)]
fn contact_in_lanes<S: Simd, F: Footprint>(
    simd: S,
    model: &GroundModel,
    published: &Published,
    overlay: &mut Overlay,
    scratch: &mut Scratch,
    body: &mut F,
    tread: &Tread,
    twist: &Twist,
    dt: f64,
) -> Contact {
    let mut result = Contact { patch_width: f64::INFINITY, ..Contact::default() };
    result.nodes_tested = gather(simd, model, published, overlay, scratch, body);
    if scratch.touched.is_empty() {
        return result;
    }
    result.nodes_in_contact = scratch.touched.len() as u32;
    let inverse_width = match body.shared_patch() {
        Some(patch) => 1.0 / patch.width,
        None => patch(model, scratch),
    };
    result.patch_width = 1.0 / inverse_width;
    let sunk = if model.laws().refines() {
        let mut ask = Answer { model, overlay, body: &*body, tread, twist, dt };
        refined::answer(&mut ask, scratch, inverse_width, &mut result)
    } else {
        let touched = &scratch.touched;
        answer(simd, model, overlay, touched, body, tread, twist, dt, inverse_width, &mut result)
    };
    if model.laws().bulldozing {
        bulldozing::heap(model, published, overlay, scratch, sunk);
    }
    result
}

/// Reciprocal of the patch's width from the ends of its rows, 1/m.
fn patch(model: &GroundModel, scratch: &mut Scratch) -> f64 {
    let lattice = model.lattice();
    scratch.row_ends.clear();
    let mut row = i32::MIN;
    for node in scratch.touched.iter().filter(|node| node.coverage >= 0.5) {
        let point = lattice.position(Node { i: node.i, j: node.j });
        if node.j != row {
            row = node.j;
            scratch.row_ends.extend([point, point]);
        }
        if let Some(end) = scratch.row_ends.last_mut() {
            *end = point;
        }
    }
    inverse_patch_width(&scratch.row_ends, &mut scratch.hull)
}

/// Lets the soil answer at every touched node; returns the volume that sank
/// for good, m³, where it heaps up.
#[expect(clippy::too_many_arguments, reason = "what an answer depends on, each once")]
#[inline(always)]
fn answer<S: Simd, F: Footprint>(
    simd: S,
    model: &GroundModel,
    overlay: &mut Overlay,
    touched: &[Touched],
    body: &F,
    tread: &Tread,
    twist: &Twist,
    dt: f64,
    inverse_width: f64,
    result: &mut Contact,
) -> f64 {
    let spin_axis = body.spin_axis();
    // the shape moves without its spin, its material with it
    let shape_twist = match spin_axis {
        Some(axis) => Twist { angular: twist.angular - axis * axis.dot(&twist.angular), ..*twist },
        None => *twist,
    };
    let rolling = SLIDING.max(ROLLING_SHARE * (shape_twist.linear.norm() + body.rim_speed(twist)));
    let motion =
        Motion { centre: body.centre(), twist: *twist, shape_twist, tread: *tread, dt, rolling };
    let mut sums = Sums::new(simd);
    for alike in touched.chunk_by(|a, b| a.soil == b.soil) {
        let Some(soil) = model.coefficients(alike[0].soil as usize) else { continue };
        let modulus = cohesive_frictional(&soil.soil, inverse_width);
        for nodes in alike.chunks(WIDTH) {
            answer_four(simd, model, overlay, nodes, soil, modulus, &motion, &mut sums);
        }
    }
    sums.hand_to(spin_axis, result);
    sums.heaped
}

/// How a body moves over the nodes that it touches.
struct Motion {
    /// Its centre, m.
    centre: Vec3,
    /// Twist of its material.
    twist: Twist,
    /// Twist of its shape.
    shape_twist: Twist,
    tread: Tread,
    /// Step, s.
    dt: f64,
    /// Speed under which sliding damps no harder, m/s.
    rolling: f64,
}

/// Sums over the nodes of a contact, in lanes.
struct Sums<S: Simd> {
    force: [Lanes<S>; 3],
    torque: [Lanes<S>; 3],
    mean_normal: [Lanes<S>; 3],
    normal_force: Lanes<S>,
    area: Lanes<S>,
    sinkage: Lanes<S>,
    compaction_work: Lanes<S>,
    shear_power: Lanes<S>,
    spring: MomentLanes<S>,
    damper: MomentLanes<S>,
    shear: MomentLanes<S>,
    /// Volume that heaps up, m³.
    heaped: f64,
}

impl<S: Simd> Sums<S> {
    #[inline(always)]
    fn new(simd: S) -> Sums<S> {
        let (zero, moments) = (Lanes::zero(simd), MomentLanes::new(simd));
        Sums {
            force: [zero; 3],
            torque: [zero; 3],
            mean_normal: [zero; 3],
            normal_force: zero,
            area: zero,
            sinkage: zero,
            compaction_work: zero,
            shear_power: zero,
            spring: moments,
            damper: moments,
            shear: moments,
            heaped: 0.0,
        }
    }

    #[inline(always)]
    fn hand_to(&self, spin_axis: Option<Vec3>, result: &mut Contact) {
        let vector = |[x, y, z]: &[Lanes<S>; 3]| Vec3::new(x.sum(), y.sum(), z.sum());
        result.load.wrench = Wrench { force: vector(&self.force), torque: vector(&self.torque) };
        result.normal_force = self.normal_force.sum();
        result.area = self.area.sum();
        result.sinkage = self.sinkage.greatest();
        result.compaction_work = self.compaction_work.sum();
        result.shear_power = self.shear_power.sum();
        let mean_normal = vector(&self.mean_normal);
        let length = mean_normal.norm();
        let n = if length > 0.0 { mean_normal / length } else { Vec3::z() };
        let [spring, damper, shear] =
            [&self.spring, &self.damper, &self.shear].map(MomentLanes::summed);
        tangent(&mut result.load, &n, &spring, &damper, &shear, spin_axis);
    }
}

/// Lets up to [`WIDTH`] nodes of one soil answer.
#[expect(clippy::too_many_arguments, reason = "what an answer depends on, each once")]
#[inline(always)]
fn answer_four<S: Simd>(
    simd: S,
    model: &GroundModel,
    overlay: &mut Overlay,
    nodes: &[Touched],
    coefficients: &SoilCoefficients,
    modulus: f64,
    motion: &Motion,
    sums: &mut Sums<S>,
) {
    let (soil, lattice) = (&coefficients.soil, model.lattice());
    // the last node stands for those that are missing, without an area
    let four: [&Touched; WIDTH] = std::array::from_fn(|k| &nodes[k.min(nodes.len() - 1)]);
    let tiles = four.map(|node| overlay.at(node.slot as usize));
    let index = four.map(|node| node.index as usize);
    let memory: [PlasticMemory; WIDTH] = std::array::from_fn(|k| tiles[k].memory(index[k]));
    let residual = Lanes::gather(simd, |k| memory[k].sinkage);
    let yielded_at = Lanes::gather(simd, |k| memory[k].yield_pressure);
    let slid = Lanes::gather(simd, |k| tiles[k].shear(index[k])[0]);
    let stays = (0..WIDTH).map(|k| u32::from(tiles[k].was_in_contact(index[k])) << k).sum();
    let sinkage = Lanes::gather(simd, |k| four[k].sinkage);
    let height = Lanes::gather(simd, |k| four[k].height);
    let coverage = Lanes::gather(simd, |k| if k < nodes.len() { four[k].coverage } else { 0.0 });
    let n = [0, 1, 2].map(|axis| Lanes::gather(simd, |k| tiles[k].normal(index[k])[axis]));
    let base = Lanes::gather(simd, |k| tiles[k].base(index[k]));
    let r = [
        Lanes::gather(simd, |k| f64::from(four[k].i)) * lattice.spacing - motion.centre.x,
        Lanes::gather(simd, |k| f64::from(four[k].j)) * lattice.spacing - motion.centre.y,
        height - motion.centre.z,
    ];
    let shape = velocity(&motion.shape_twist, &r);
    let slope = [0, 1].map(|axis| Lanes::gather(simd, |k| four[k].slope[axis]));
    let sinking = n[2] * (slope[0] * shape[0] + slope[1] * shape[1] - shape[2]);
    let velocity = velocity(&motion.twist, &r);
    let leaving = dot(&velocity, &n);
    let sliding = [0, 1, 2].map(|axis| velocity[axis] - n[axis] * leaving);
    let speed = dot(&sliding, &sliding).sqrt();

    let pressed = press_lanes(soil, modulus, sinkage, sinking * motion.dt, residual, yielded_at);
    let (pressure, damping) = damped_lanes(soil, pressed.pressure, leaving);
    // since when a node slides that was not in contact before
    let met =
        sinking.gt(0.0).pick(((sinkage - residual) / sinking).min(motion.dt), 0.5 * motion.dt);
    let slid = slid + speed * Where::of_bits(simd, stays).pick(motion.dt, met);
    let stress = motion.tread.stress_lanes(&coefficients.strength, pressure, slid);

    let area = lattice.cell_area() * coverage;
    let (push, drag) = (area * pressure, area * stress);
    let drag_per_speed = drag / speed.max(SLIDING);
    let pushes = n.map(|n| n * push);
    let force = [0, 1, 2].map(|axis| pushes[axis] - sliding[axis] * drag_per_speed);
    let torque = cross(&r, &force);
    for axis in 0..3 {
        sums.force[axis] += force[axis];
        sums.torque[axis] += torque[axis];
        sums.mean_normal[axis] += pushes[axis];
    }
    let springs = if soil.damping == 0.0 { area } else { damping.gt(0.0).pick(area, 0.0) };
    sums.spring.add(springs * pressed.slope, &r);
    sums.damper.add(area * damping, &r);
    sums.shear.add(drag / speed.max(motion.rolling), &r);

    sums.normal_force += push;
    sums.area += area;
    sums.sinkage = coverage.ge(0.5).pick(base - height, 0.0).max(sums.sinkage);
    sums.shear_power += drag * speed;
    let sunk = pressed.sinkage - residual;
    if pressed.yields.any() {
        let work = area * sunk * 0.5 * (yielded_at + pressed.pressure);
        sums.compaction_work += sunk.gt(0.0).pick(work, 0.0);
    }
    let (sinkage, yield_pressure) = (pressed.sinkage.numbers(), pressed.yield_pressure.numbers());
    let slid = slid.numbers();
    for (k, node) in nodes.iter().enumerate() {
        let memory =
            PlasticMemory { sinkage: sinkage[k], yield_pressure: yield_pressure[k], slip: 0.0 };
        overlay.at_mut(node.slot as usize).load(node.index as usize, memory, [slid[k], 0.0]);
    }
    if let Some(heap) = soil.bulldozing {
        // the rut is as wide as its cells, covered whole or not
        let sunk = sunk.numbers();
        let sunk: f64 = sunk[..nodes.len()].iter().filter(|&&sunk| sunk > 0.0).sum();
        sums.heaped += lattice.cell_area() * sunk * heap.flow_factor;
    }
}

/// Velocities at the offsets `r`.
#[inline(always)]
fn velocity<S: Simd>(twist: &Twist, [x, y, z]: &[Lanes<S>; 3]) -> [Lanes<S>; 3] {
    let (v, w) = (twist.linear, twist.angular);
    [v.x + (w.y * *z - w.z * *y), v.y + (w.z * *x - w.x * *z), v.z + (w.x * *y - w.y * *x)]
}

#[inline(always)]
fn dot<S: Simd>(a: &[Lanes<S>; 3], b: &[Lanes<S>; 3]) -> Lanes<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<S: Simd>(a: &[Lanes<S>; 3], b: &[Lanes<S>; 3]) -> [Lanes<S>; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
