//! Reaction of the soil under the refined laws ([`Laws`](crate::soil::Laws)).
//!
//! Two passes over the nodes in contact. The first computes what each node would bear under a
//! normal load, and from it the inclination of the load. The second lets the nodes yield at the
//! pressure that remains under a load of that inclination.

mod corrector;
mod patch_frame;
mod predictor;

use super::contact_query::ContactQuery;
use super::contact_result::Contact;
use super::footprint::Footprint;
use super::scratch::Scratch;
use super::vector_lanes::VectorLanes;
use crate::soil::{ADVANCING, Bearing, SoilResponse};
use crate::{GroundModel, SoilCoefficients};
use bekker_math::numeric::{Lanes, Simd};
use bekker_math::spatial::Vec3;
use corrector::correct;
use predictor::predict;

/// Least cosine between contact surface and ground (80°); a steeper surface counts as this steep.
const STEEPEST: f64 = 0.17;

/// Result of the first pass for the patch as a whole.
struct LoadInclination {
    /// Mean normal of the ground.
    up: Vec3,
    /// Inclination of the force from `up` due to shear, rad.
    angle: f64,
    /// Length of the patch along the body's heading, m.
    length: f64,
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

/// Returns the speeds in the vertical plane through the normals `n`.
#[inline(always)]
fn speed_in_plane<S: Simd>(n: &VectorLanes<S>, velocity: &VectorLanes<S>) -> Lanes<S> {
    let along = n.x * velocity.y - n.y * velocity.x;
    let size = (n.x * n.x + n.y * n.y).max(1e-18);
    // without motion along the surface this is the speed, to the last bit
    (velocity.dot(velocity) - along * along / size).max(0.0).sqrt()
}
