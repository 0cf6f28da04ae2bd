//! The patch of a contact in the frame of its body, and the passive pressure on its front and sides.

use super::{STEEPEST, speed_in_plane};
use crate::SoilCoefficients;
use crate::scm::footprint::Footprint;
use crate::scm::scratch::NodeLanes;
use crate::scm::vector_lanes::VectorLanes;
use crate::soil::ADVANCING;
use bekker_math::numeric::{LaneMask, Lanes, Simd, exp};
use bekker_math::spatial::{Twist, Vec3};

/// The patch in the frame of a body's heading.
pub(super) struct PatchFrame {
    /// Left of the body, horizontal unit vector.
    pub(super) left: [f64; 2],
    /// Length along the heading, m.
    pub(super) length: f64,
    /// Width across it, m.
    pub(super) width: f64,
    /// Ends of the patch across the heading, including the covered parts of its cells, m.
    pub(super) sides: [f64; 2],
    /// Width of a cell across the heading, m.
    pub(super) cell: f64,
    /// Fraction of passive pressure that acts on side walls, signed by the direction of drift:
    /// positive to the left.
    pub(super) side: f64,
    /// Shear modulus of the soil, m.
    pub(super) modulus: f64,
}

/// Returns the patch in the frame of the wheel or, for a body without an axis, in that of its
/// velocity.
///
/// A side wall that has moved sideways by y during the passage of the contact mobilizes the
/// fraction 1 - exp(-y/K) of the passive pressure. So does a front along whose width soil passes.
#[inline(always)]
pub(super) fn patch_frame<S: Simd, F: Footprint>(
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
    pub(super) fn passive<S: Simd>(
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
