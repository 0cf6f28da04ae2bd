//! The soil's answer under the refined laws ([`Laws`](crate::soil::Laws)).
//!
//! Two passes over the nodes in contact: the first finds what each node would
//! bear under a normal load, and with it how far the whole force leans; the
//! second lets the nodes yield at the pressure that is left under such a load.

use super::contact::{Contact, ROLLING_SHARE, SLIDING};
use super::footprint::Footprint;
use super::moments::{Moments, monomials, tangent};
use super::scratch::{Draft, Scratch, Touched};
use crate::grid::Node;
use crate::ground::{GroundModel, Overlay, SoilCoefficients};
use crate::numeric::{atan2, exp};
use crate::soil::pressure_sinkage::damped;
use crate::soil::{
    Bearing, PassiveWedge, Tread, humped, inclined_bearing, mobilise, press_refined, slip_sinkage,
};
use crate::spatial::{Twist, Vec3, Vec6};

/// A contact surface steeper than this against the ground counts as so steep:
/// cosine of 80°.
const STEEPEST: f64 = 0.17;
/// Speed of advance below which passive pressure fades out, m/s.
const ADVANCING: f64 = 1e-4;

/// A body that renews less than this part of its patch in a step stands: its
/// mobilised shear holds it.
const RENEWED: f64 = 0.002;

/// What is asked of the ground under one body.
pub(super) struct Answer<'a, F> {
    pub model: &'a GroundModel,
    pub overlay: &'a mut Overlay,
    pub body: &'a F,
    pub tread: &'a Tread,
    pub twist: &'a Twist,
    pub dt: f64,
}

impl<F: Footprint> Answer<'_, F> {
    /// The shape moves without its spin, its material with it.
    fn shape_twist(&self) -> Twist {
        let angular = &self.twist.angular;
        let spin = self.body.spin_axis().map_or(Vec3::zeros(), |axis| axis * axis.dot(angular));
        Twist { angular: angular - spin, ..*self.twist }
    }
}

/// A vector in the tangent plane of `n` from its two components, the plane
/// being turned up from the horizontal by the shortest way.
#[inline]
fn raised(flat: [f64; 2], n: &Vec3) -> Vec3 {
    let v = Vec3::new(flat[0], flat[1], 0.0);
    v - (n + Vec3::z()) * (n.dot(&v) / (1.0 + n.z))
}

/// The two components of a vector in the tangent plane of `n`.
#[inline]
fn flattened(v: &Vec3, n: &Vec3) -> [f64; 2] {
    let flat = v - (n + Vec3::z()) * (v.z / (1.0 + n.z));
    [flat.x, flat.y]
}

/// The patch as a body with a heading sees it.
struct Frame {
    /// To the body's left, horizontal.
    left: [f64; 2],
    /// Length along the heading, m.
    length: f64,
    /// Width across it, m.
    width: f64,
    /// Ends of the patch across the heading, in spacings.
    sides: [f64; 2],
    /// Width of a cell across the heading, in spacings.
    cell: f64,
    /// Part of passive pressure that side walls meet, and the way they go: +1 left.
    side: f64,
}

/// Where a node lies along `u`, in spacings.
#[inline]
fn along(node: &Touched, u: [f64; 2]) -> f64 {
    f64::from(node.i) * u[0] + f64::from(node.j) * u[1]
}

/// The patch in the frame of its wheel, or, of a body without an axis, in that
/// of its way. A side wall that has gone sideways by y while the contact passed
/// meets 1 - exp(-y/K) of the passive pressure.
fn frame<F: Footprint>(
    touched: &[Touched],
    body: &F,
    twist: &Twist,
    modulus: f64,
    spacing: f64,
) -> Frame {
    let shared = body.shared_patch();
    let heading = match (&shared, body.spin_axis()) {
        (Some(patch), _) => patch.heading,
        (None, Some(axis)) => axis.cross(&Vec3::z()),
        (None, None) => twist.linear,
    };
    let size = (heading.x * heading.x + heading.y * heading.y).sqrt();
    let u = if size > 1e-9 { [heading.x / size, heading.y / size] } else { [1.0, 0.0] };
    let left = [-u[1], u[0]];
    let ends = |u: [f64; 2]| {
        touched.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], node| {
            let at = along(node, u);
            [low.min(at), high.max(at)]
        })
    };
    let ([back, front], sides) = (ends(u), ends(left));
    let length = shared.map_or((front - back + 1.0) * spacing, |patch| patch.length);
    let drift = twist.linear.x * left[0] + twist.linear.y * left[1];
    let speed = twist.linear.norm() + ADVANCING;
    let side = match body.spin_axis() {
        Some(_) => drift.signum() * (1.0 - exp(-length * drift.abs() / (speed * modulus))),
        None => 0.0,
    };
    let width = (sides[1] - sides[0]).max(1.0) * spacing;
    Frame { left, length, width, sides, cell: left[0].abs() + left[1].abs(), side }
}

/// Lets the soil answer at every touched node; returns the volume that sank
/// for good, m³, where it heaps up.
pub(super) fn answer<F: Footprint>(
    ask: &mut Answer<'_, F>,
    scratch: &mut Scratch,
    inverse_width: f64,
    result: &mut Contact,
) -> f64 {
    let Some(lean) = draft(ask, scratch, inverse_width) else { return 0.0 };
    settle(ask, scratch, inverse_width, &lean, result)
}

/// What the first pass finds of the patch as a whole.
struct Lean {
    /// Mean normal of the ground.
    up: Vec3,
    /// How far the whole force would lean from it, rad.
    angle: f64,
    /// Length of the patch along the body's heading, m.
    length: f64,
}

/// The touched nodes with their soil and its bearing, which is reckoned once for
/// nodes in a row that are of one soil. Only nodes that yield are touched.
fn answering<'a>(
    model: &'a GroundModel,
    touched: &'a [Touched],
    inverse_width: f64,
) -> impl Iterator<Item = (&'a Touched, (&'a SoilCoefficients, Bearing<'a>))> {
    touched.chunk_by(|a, b| a.soil == b.soil).flat_map(move |alike| {
        let coefficients = model.coefficients(alike[0].soil as usize);
        let soil = coefficients
            .map(|found| (found, Bearing::new(&found.soil, model.laws(), inverse_width)));
        alike.iter().filter_map(move |node| soil.map(|soil| (node, soil)))
    })
}

/// First pass: fills `scratch.drafts`.
fn draft<F: Footprint>(
    ask: &mut Answer<'_, F>,
    scratch: &mut Scratch,
    inverse_width: f64,
) -> Option<Lean> {
    let Scratch { touched, drafts, .. } = scratch;
    let (model, body, twist) = (ask.model, ask.body, ask.twist);
    let laws = model.laws();
    let lattice = model.lattice();
    let centre = body.centre();
    let shape_twist = ask.shape_twist();
    let spin_axis = body.spin_axis();
    let coefficients = model.coefficients(touched.first()?.soil as usize)?;
    let frame = frame(touched, body, twist, coefficients.strength.modulus, lattice.spacing);
    let heading = Vec3::new(frame.left[1], -frame.left[0], 0.0);
    let (mut whole, mut ground) = (Vec3::zeros(), Vec3::zeros());
    drafts.clear();
    for (node, (coefficients, bearing)) in answering(model, touched, inverse_width) {
        let tile = ask.overlay.at(node.slot as usize);
        let index = node.index as usize;
        let soil = &coefficients.soil;
        let upright = *tile.normal(index);
        let [x, y] = lattice.position(Node { i: node.i, j: node.j });
        let r = Vec3::new(x, y, node.height) - centre;
        let surface = body.normal(&r, node.slope, node.sinkage);
        let facing = surface.dot(&upright).max(STEEPEST);
        let n = if laws.surface_reaction { surface } else { upright };
        // of the horizontal cell, so much of the surface lies in it
        let part = if laws.surface_reaction { 1.0 / facing } else { 1.0 };
        let shape = shape_twist.at(&r);
        let sinking = upright.z * (node.slope[0] * shape.x + node.slope[1] * shape.y - shape.z);
        let velocity = twist.at(&r);
        let leaving = velocity.dot(&n);
        let sliding = velocity - n * leaving;
        let speed = sliding.norm();

        let before = tile.memory(index);
        let fresh = !tile.was_in_contact(index);
        let slid_for = if !fresh {
            ask.dt
        } else if sinking > 0.0 {
            ask.dt.min((node.sinkage - before.sinkage) / sinking)
        } else {
            0.5 * ask.dt
        };
        // the mean of the sliding since then, by which memory grows: half the
        // time ago the spot lay further ahead under the wheel
        let slid = match spin_axis {
            Some(axis) => {
                let turn = 0.5 * slid_for * shape.dot(&heading) / (-r.z).max(lattice.spacing);
                let change = axis.cross(&shape) * turn;
                sliding + change - n * n.dot(&change)
            }
            None => sliding,
        };
        let way = slid.norm();
        // how much deeper it has been since the last step under a wheel's lowest point
        let passed = match spin_axis {
            Some(_) if sinking < 0.0 && !fresh => {
                let onward = shape.dot(&heading);
                let bend = onward * onward / (-r.z).max(lattice.spacing);
                if -sinking < bend * ask.dt { 0.5 * sinking * sinking / bend } else { 0.0 }
            }
            _ => 0.0,
        };
        let slip = if fresh { 0.0 } else { before.slip } + way * slid_for;
        let factor = if laws.slip_sinkage { slip_sinkage(slip, frame.length) } else { 1.0 };
        let virgin = bearing.virgin(node.sinkage, factor, sinking);
        let trial = bearing.elastic(&before) * (node.sinkage - before.sinkage);
        let pressure = trial.min(virgin);

        let modulus = ask.tread.modulus(&coefficients.strength);
        let (shear, resists, gain);
        if laws.vector_shear {
            let held = if fresh { [0.0; 2] } else { tile.shear(index).map(|e| e / modulus) };
            let held = raised(held, &n);
            let (kept, pull) = mobilise(way * slid_for, way, slid_for, modulus);
            shear = held * kept + slid * pull;
            gain = if slid_for > 0.0 { pull } else { 0.0 };
            // how much of the mobilised shear lies along the sliding already
            resists = if speed > 0.0 { (held.dot(&sliding) / speed).clamp(0.0, 1.0) } else { 0.0 };
        } else {
            // one scalar that only grows, as in the reference
            let way = tile.shear(index)[0] + speed * slid_for;
            let (kept, _) = mobilise(way, 1.0, 0.0, modulus);
            shear = sliding * ((1.0 - kept) / speed.max(SLIDING));
            (gain, resists) = (way, 1.0);
        }
        let hump = match soil.details.hump {
            Some(hump) if laws.shear_hump => humped(hump.residual, slip, soil.shear_modulus),
            _ => 1.0,
        };
        let passive = if laws.passive_pressure {
            frame.front(&coefficients.passive, node.sinkage, &surface, &shape, &velocity)
                + frame.side(&coefficients.passive, node, lattice.spacing)
        } else {
            Vec3::zeros()
        };
        let area = lattice.cell_area() * node.coverage;
        let stress = hump * ask.tread.strength(&coefficients.strength, pressure);
        whole += (n * pressure - shear * stress) * (area * part) + passive * area;
        ground += upright * area;
        drafts.push(Draft {
            n,
            r,
            sinking,
            passed,
            // along the initial normal, as sinkage is
            leaving: leaving * part,
            sliding,
            part,
            virgin,
            slip,
            shear,
            gain,
            resists,
            hump,
            passive,
        });
    }
    let size = ground.norm();
    if size == 0.0 {
        return None;
    }
    let up = ground / size;
    let bearing = whole.dot(&up);
    let angle = atan2((whole - up * bearing).norm(), bearing);
    Some(Lean { up, angle, length: frame.length })
}

impl Frame {
    /// Passive pressure on the part of a unit of horizontal area that faces
    /// sideways and advances into soil `sinkage` m deep: a horizontal force, Pa.
    /// `shape` is the velocity of the body's shape there, `material` that of what
    /// touches the soil.
    ///
    /// The wedge is one of a blade, which goes straight ahead. A surface that goes
    /// down as well drives the soil as a footing does, by the pressure it bears
    /// already: of the wedge it meets as much as its way is horizontal. So a
    /// locked wheel ploughs, and the front of a driven one, whose rim goes down
    /// and back, does not.
    #[inline]
    fn front(
        &self,
        wedge: &PassiveWedge,
        sinkage: f64,
        surface: &Vec3,
        shape: &Vec3,
        material: &Vec3,
    ) -> Vec3 {
        let aside = Vec3::new(surface.x, surface.y, 0.0);
        let onward = -aside.dot(material);
        if onward <= 0.0 || aside.dot(shape) >= 0.0 {
            return Vec3::zeros();
        }
        let horizontal = onward / (aside.norm() * (material.norm() + ADVANCING));
        let up = surface.z.max(STEEPEST);
        aside * (horizontal * wedge.pressure(sinkage, self.width) / up)
    }

    /// Passive force on a wheel's side wall, which stands on the outermost cells
    /// of its patch, spread over them, Pa.
    #[inline]
    fn side(&self, wedge: &PassiveWedge, node: &Touched, spacing: f64) -> Vec3 {
        let at = along(node, self.left);
        let outermost = if self.side > 0.0 {
            at > self.sides[1] - self.cell
        } else {
            at < self.sides[0] + self.cell
        };
        if !outermost || self.side == 0.0 {
            return Vec3::zeros();
        }
        let pressure = wedge.force(node.sinkage, self.length) / (self.cell * spacing);
        -Vec3::new(self.left[0], self.left[1], 0.0) * (self.side * pressure)
    }
}

/// Second pass: lets the nodes yield at what is left of their virgin pressure
/// under a force that leans.
fn settle<F: Footprint>(
    ask: &mut Answer<'_, F>,
    scratch: &Scratch,
    inverse_width: f64,
    lean: &Lean,
    result: &mut Contact,
) -> f64 {
    let Scratch { touched, drafts, .. } = scratch;
    let (model, body, twist) = (ask.model, ask.body, ask.twist);
    let laws = model.laws();
    // one shoe leans at times where the patch that it shares does not
    let leans = laws.inclined_bearing && body.shared_patch().is_none();
    let left = if leans { inclined_bearing(lean.angle) } else { 1.0 };
    let lattice = model.lattice();
    let shape_twist = ask.shape_twist();
    let rolling = SLIDING.max(ROLLING_SHARE * (shape_twist.linear.norm() + body.rim_speed(twist)));
    let [mut spring, mut damper, mut sheared, mut held] = [Moments::default(); 4];
    let mut mean_normal = Vec3::zeros();
    let mut heaped = 0.0;
    let nodes = answering(model, touched, inverse_width);
    for ((node, (coefficients, bearing)), draft) in nodes.zip(drafts) {
        let tile = ask.overlay.at_mut(node.slot as usize);
        let index = node.index as usize;
        let soil = &coefficients.soil;
        let before = tile.memory(index);
        let press = |sinkage: f64, memory| {
            let advance = draft.sinking * ask.dt;
            press_refined(&bearing, left * draft.virgin, sinkage, advance, memory, draft.slip)
        };
        // the lowest point of a wheel has passed since the last step
        let memory = if draft.passed > 0.0 {
            press(node.sinkage + draft.passed, before).memory
        } else {
            before
        };
        let pressed = press(node.sinkage, memory);
        let (pressure, damping) = damped(soil, pressed.pressure, draft.leaving);
        let stress = draft.hump * ask.tread.strength(&coefficients.strength, pressure);
        let cell = lattice.cell_area() * node.coverage;
        let area = cell * draft.part;

        let products = monomials(&draft.r);
        let speed = draft.sliding.norm();
        if laws.vector_shear {
            let modulus = ask.tread.modulus(&coefficients.strength);
            let kept = flattened(&draft.shear, &draft.n).map(|m| m * modulus);
            tile.load(index, pressed.memory, kept);
            let tangent = area * stress * draft.gain;
            sheared.add(tangent * draft.resists, &products);
            held.add(tangent * (1.0 - draft.resists) / ask.dt.max(1e-9), &products);
        } else {
            tile.load(index, pressed.memory, [draft.gain, 0.0]);
            let size = draft.shear.norm() * stress;
            sheared.add(area * size / speed.max(rolling), &products);
        }
        let force = (draft.n * pressure - draft.shear * stress) * area + draft.passive * cell;
        result.load.wrench.add_force(&force, &draft.r);
        mean_normal += draft.n * (area * pressure);
        if damping > 0.0 || soil.damping == 0.0 {
            spring.add(area * draft.part * pressed.slope, &products);
            damper.add(area * draft.part * damping, &products);
        }
        let passive = draft.passive.norm() * cell;
        if passive > 0.0 {
            let shape = shape_twist.at(&draft.r);
            sheared.add(passive / shape.norm().max(rolling), &products);
        }

        result.normal_force += cell * pressure;
        result.area += cell;
        if node.coverage >= 0.5 {
            result.sinkage = result.sinkage.max(tile.base(index) - node.height);
        }
        let sunk = pressed.memory.sinkage - before.sinkage;
        if sunk > 0.0 {
            result.compaction_work +=
                cell * sunk * 0.5 * (before.yield_pressure + pressed.pressure);
            if let Some(heap) = soil.bulldozing {
                heaped += lattice.cell_area() * sunk * heap.flow_factor;
            }
        }
        result.shear_power += area * stress * draft.shear.dot(&draft.sliding);
    }
    let length = mean_normal.norm();
    let n = if length > 0.0 { mean_normal / length } else { Vec3::z() };
    tangent(&mut result.load, &n, &spring, &damper, &sheared, body.spin_axis());
    let held = held.across(&n).matrix();
    // Over ground that is all the same a body goes on without any change of
    // force: fresh nodes come in where others leave. The tangents know of the
    // others alone, so what they would make of the way itself is given back.
    let gliding = glide(&shape_twist, &lean.up);
    let renewed = gliding.linear.norm() * ask.dt / lean.length;
    let glide = (result.load.stiffness * stacked(&gliding)
        + held * stacked(twist) * (renewed / (renewed + RENEWED)))
        * ask.dt;
    result.load.glide.torque = glide.fixed_rows::<3>(0).into();
    result.load.glide.force = glide.fixed_rows::<3>(3).into();
    result.load.stiffness += held;
    heaped
}

/// The part of a body's motion that leaves its height and its lean as they are.
fn glide(shape: &Twist, up: &Vec3) -> Twist {
    Twist {
        linear: shape.linear - up * up.dot(&shape.linear),
        angular: up * up.dot(&shape.angular),
    }
}

fn stacked(twist: &Twist) -> Vec6 {
    let (a, v) = (twist.angular, twist.linear);
    Vec6::new(a.x, a.y, a.z, v.x, v.y, v.z)
}
