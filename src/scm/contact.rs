//! Contact of one body with yielding ground.

use super::footprint::Footprint;
use super::gather::gather;
use super::moments::{Moments, monomials, tangent};
use super::patch_width::inverse_patch_width;
use super::refined::Answer;
use super::scratch::{Scratch, Touched};
use super::underside::Underside;
use super::{FirmGround, bulldozing, firm, refined};
use crate::grid::Node;
use crate::ground::{GroundModel, Overlay, Published};
use crate::soil::Tread;
use crate::soil::pressure_sinkage::{damped, press};
use crate::spatial::{Load, Pose, Twist, Vec3};

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
    let mut result = Contact { patch_width: f64::INFINITY, ..Contact::default() };
    result.nodes_tested = gather(model, published, overlay, scratch, body);
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
        answer(model, overlay, &scratch.touched, body, tread, twist, dt, inverse_width, &mut result)
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
fn answer<F: Footprint>(
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
    let lattice = model.lattice();
    let centre = body.centre();
    let spin_axis = body.spin_axis();
    // the shape moves without its spin, its material with it
    let shape_twist = match spin_axis {
        Some(axis) => Twist { angular: twist.angular - axis * axis.dot(&twist.angular), ..*twist },
        None => *twist,
    };
    let rolling = SLIDING.max(ROLLING_SHARE * (shape_twist.linear.norm() + body.rim_speed(twist)));
    let mut spring = Moments::default();
    let mut damper = Moments::default();
    let mut shear = Moments::default();
    let mut mean_normal = Vec3::zeros();
    let mut heaped = 0.0;
    for node in touched {
        let tile = overlay.at_mut(node.slot as usize);
        let index = node.index as usize;
        let Some(coefficients) = model.coefficients(tile.soil(index)) else { continue };
        let soil = &coefficients.soil;
        let n = *tile.normal(index);
        let area = lattice.cell_area() * node.coverage;
        let [x, y] = lattice.position(Node { i: node.i, j: node.j });
        let r = Vec3::new(x, y, node.height) - centre;
        let shape = shape_twist.at(&r);
        let sinking = n.z * (node.slope[0] * shape.x + node.slope[1] * shape.y - shape.z);
        let velocity = twist.at(&r);
        let leaving = velocity.dot(&n);
        let sliding = velocity - n * leaving;
        let speed = sliding.norm();

        let before = tile.memory(index);
        let pressed = press(soil, inverse_width, node.sinkage, sinking * dt, before);
        let (pressure, damping) = damped(soil, pressed.pressure, leaving);
        let slid_for = if tile.was_in_contact(index) {
            dt
        } else if sinking > 0.0 {
            dt.min((node.sinkage - before.sinkage) / sinking)
        } else {
            0.5 * dt
        };
        let slid = tile.shear(index)[0] + speed * slid_for;
        let stress = tread.stress(&coefficients.strength, pressure, slid);
        tile.load(index, pressed.memory, [slid, 0.0]);

        let force = n * (area * pressure) - sliding * (area * stress / speed.max(SLIDING));
        result.load.wrench.add_force(&force, &r);
        mean_normal += n * (area * pressure);
        let products = monomials(&r);
        if damping > 0.0 || soil.damping == 0.0 {
            spring.add(area * pressed.slope, &products);
            damper.add(area * damping, &products);
        }
        shear.add(area * stress / speed.max(rolling), &products);

        result.normal_force += area * pressure;
        result.area += area;
        if node.coverage >= 0.5 {
            result.sinkage = result.sinkage.max(tile.base(index) - node.height);
        }
        let sunk = pressed.memory.sinkage - before.sinkage;
        if sunk > 0.0 {
            result.compaction_work +=
                area * sunk * 0.5 * (before.yield_pressure + pressed.pressure);
            if let Some(heap) = soil.bulldozing {
                // the rut is as wide as its cells, covered whole or not
                heaped += lattice.cell_area() * sunk * heap.flow_factor;
            }
        }
        result.shear_power += area * stress * speed;
    }
    let length = mean_normal.norm();
    let n = if length > 0.0 { mean_normal / length } else { Vec3::z() };
    tangent(&mut result.load, &n, &spring, &damper, &shear, spin_axis);
    heaped
}
