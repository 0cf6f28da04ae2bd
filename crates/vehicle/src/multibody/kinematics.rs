//! Kinematics from the coordinates: positions, motions, measures of elements, Jacobians.

use super::inertia::{RigidInertia, angular, dot, linear, stack};
use super::joint::Joint;
use super::model::{BodyVector, Geometry, JacobianRow, MultibodyModel};
use super::step::{MultibodyState, MultibodyWorkspace};
use bekker_math::numeric::sin_cos;
use bekker_math::spatial::{Mat3, Quat, Vec3, Vec6};

/// Rotation about a unit axis (Rodrigues).
fn rotation_about(axis: &Vec3, angle: f64) -> Mat3 {
    let (s, c) = sin_cos(angle);
    let k = 1.0 - c;
    let (x, y, z) = (axis.x, axis.y, axis.z);
    Mat3::new(
        c + k * x * x,
        k * x * y - s * z,
        k * x * z + s * y,
        k * x * y + s * z,
        c + k * y * y,
        k * y * z - s * x,
        k * x * z - s * y,
        k * y * z + s * x,
        c + k * z * z,
    )
}

pub(super) fn quaternion(q: &[f64]) -> Quat {
    Quat::new_unchecked(nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]))
}

/// Tolerance of the squared norm of a quaternion about 1.
///
/// Each step normalizes quaternions to rounding; position corrections change the norm by less than
/// this.
const UNIT: f64 = 1e-6;

impl MultibodyModel {
    /// Whether the quaternions of all joints have unit norm; others would stretch the bodies.
    pub fn has_unit_quaternions(&self, state: &MultibodyState) -> bool {
        self.links.iter().all(|link| {
            let first = match link.joint {
                Joint::Free => link.position + 3,
                Joint::Spherical => link.position,
                _ => return true,
            };
            let square: f64 = state.q[first..first + 4].iter().map(|x| x * x).sum();
            (square - 1.0).abs() < UNIT
        })
    }

    /// Computes orientations, and positions relative to the first body's origin.
    pub(super) fn place_bodies(&self, state: &MultibodyState, workspace: &mut MultibodyWorkspace) {
        let MultibodyWorkspace { origin, rotation, body_origin: place, joint: joints, .. } =
            workspace;
        *origin = match self.links.first() {
            Some(link) if link.joint == Joint::Free => {
                Vec3::from_row_slice(&state.q[link.position..link.position + 3])
            }
            _ => Vec3::zeros(),
        };
        for (body, link) in self.links.iter().enumerate() {
            let q = &state.q[link.position..];
            if link.joint == Joint::Free {
                rotation[body] = quaternion(&q[3..7]).to_rotation_matrix().into_inner();
                place[body] = Vec3::from_row_slice(&q[..3]) - *origin;
                joints[body] = place[body];
                continue;
            }
            let (parent_rotation, parent_place) = match link.parent {
                Some(parent) => (rotation[parent], place[parent]),
                None => (Mat3::identity(), -*origin),
            };
            let mut joint = parent_place + parent_rotation * link.anchor;
            rotation[body] = match link.joint {
                Joint::Revolute(axis) => parent_rotation * rotation_about(&axis, q[0]),
                Joint::Prismatic(axis) => {
                    joint += parent_rotation * axis * q[0];
                    parent_rotation
                }
                Joint::Spherical => {
                    parent_rotation * quaternion(&q[..4]).to_rotation_matrix().into_inner()
                }
                Joint::Schoenflies(axis) => {
                    joint += parent_rotation * Vec3::new(q[0], q[1], q[2]);
                    parent_rotation * rotation_about(&axis, q[3])
                }
                Joint::Free | Joint::Fixed => parent_rotation,
            };
            joints[body] = joint;
            place[body] = joint + rotation[body] * link.offset;
        }
    }

    /// Computes motion subspaces, twists and inertias about the common origin.
    pub(super) fn spread_motion(&self, state: &MultibodyState, workspace: &mut MultibodyWorkspace) {
        let MultibodyWorkspace {
            rotation,
            body_origin: place,
            subspace,
            twist,
            inertia,
            joint,
            ..
        } = workspace;
        let still = Mat3::identity();
        for (body, link) in self.links.iter().enumerate() {
            let parent_rotation = link.parent.map_or(&still, |parent| &rotation[parent]);
            let joint = &joint[body];
            let first = link.first;
            match link.joint {
                Joint::Free => {
                    for k in 0..3 {
                        let e = Vec3::ith(k, 1.0);
                        subspace[first + k] = stack(e, place[body].cross(&e));
                        subspace[first + 3 + k] = stack(Vec3::zeros(), e);
                    }
                }
                Joint::Revolute(axis) => {
                    let axis = parent_rotation * axis;
                    subspace[first] = stack(axis, joint.cross(&axis));
                }
                Joint::Prismatic(axis) => {
                    subspace[first] = stack(Vec3::zeros(), parent_rotation * axis);
                }
                Joint::Spherical => {
                    for k in 0..3 {
                        let e = parent_rotation.column(k).into_owned();
                        subspace[first + k] = stack(e, joint.cross(&e));
                    }
                }
                Joint::Schoenflies(axis) => {
                    for k in 0..3 {
                        let e = parent_rotation.column(k).into_owned();
                        subspace[first + k] = stack(Vec3::zeros(), e);
                    }
                    let axis = parent_rotation * axis;
                    subspace[first + 3] = stack(axis, joint.cross(&axis));
                }
                Joint::Fixed => {}
            }
            let mut motion = link.parent.map_or(Vec6::zeros(), |parent| twist[parent]);
            let own = first..first + link.joint.freedoms();
            for (axis, &rate) in subspace[own.clone()].iter().zip(&state.u[own]) {
                motion += axis * rate;
            }
            twist[body] = motion;
            if link.mass > 0.0 || link.tensor != Mat3::zeros() {
                let com = place[body] + rotation[body] * link.com;
                inertia[body] = RigidInertia::new(link.mass, &com, &link.tensor, &rotation[body]);
            }
        }
    }

    pub(super) fn point(workspace: &MultibodyWorkspace, fixed: &BodyVector) -> Vec3 {
        match fixed.body {
            Some(body) => workspace.body_origin[body] + workspace.rotation[body] * fixed.local,
            None => fixed.local - workspace.origin,
        }
    }

    pub(super) fn axis(workspace: &MultibodyWorkspace, fixed: &BodyVector) -> Vec3 {
        fixed.body.map_or(fixed.local, |body| workspace.rotation[body] * fixed.local)
    }

    /// Fills the Jacobian of a row of one pair, whose wrench on the first body is `wrench`.
    #[inline]
    pub(super) fn fill_row(
        subspace: &[Vec6],
        jacobian: &mut [f64],
        row: &JacobianRow,
        wrench: &Vec6,
    ) {
        let entries = &mut jacobian[row.start..row.start + row.slots.len()];
        for &(slot, sign, _) in &row.bodies {
            let coordinate = row.slots[slot as usize] as usize;
            entries[slot as usize] = sign * dot(wrench, &subspace[coordinate]);
        }
    }

    /// Fills the Jacobian of the three rows of a point that two bodies share.
    pub(super) fn fill_point(
        subspace: &[Vec6],
        jacobian: &mut [f64],
        row: &JacobianRow,
        point: &Vec3,
    ) {
        let length = row.slots.len();
        let entries = &mut jacobian[row.start..row.start + 3 * length];
        for &(slot, sign, _) in &row.bodies {
            let motion = &subspace[row.slots[slot as usize] as usize];
            let velocity = linear(motion) + angular(motion).cross(point);
            for k in 0..3 {
                entries[k * length + slot as usize] = sign * velocity[k];
            }
        }
    }

    /// Computes the violation of each closure at the bodies' present positions. Returns the
    /// largest.
    pub(super) fn violation(
        &self,
        state: &MultibodyState,
        workspace: &mut MultibodyWorkspace,
    ) -> f64 {
        let mut worst = 0.0f64;
        for (geometry, row) in &self.closures {
            match geometry {
                Geometry::Point(a, b) => {
                    let gap = Self::point(workspace, a) - Self::point(workspace, b);
                    workspace.residual[*row..row + 3].copy_from_slice(gap.as_slice());
                    worst = worst.max(gap.amax());
                }
                Geometry::Distance(a, b, length) => {
                    let gap = Self::point(workspace, a) - Self::point(workspace, b);
                    let error = gap.norm() - length;
                    workspace.residual[*row] = error;
                    worst = worst.max(error.abs());
                }
                Geometry::Angle(a, b, cosine) => {
                    let error = Self::axis(workspace, a).dot(&Self::axis(workspace, b)) - cosine;
                    workspace.residual[*row] = error;
                    worst = worst.max(error.abs());
                }
                Geometry::Drive { position, target } => {
                    workspace.residual[*row] = state.q[*position] - workspace.target[*target];
                }
                _ => workspace.residual[*row] = 0.0,
            }
        }
        worst
    }

    /// Computes Jacobians of closures and elements, measures of elements and gaps of closures.
    pub(super) fn measure(&self, state: &MultibodyState, workspace: &mut MultibodyWorkspace) {
        let mut worst = 0.0f64;
        for (geometry, first) in &self.closures {
            let row = &self.closure_rows[*first];
            let (wrench, open) = match geometry {
                Geometry::Point(a, b) => {
                    let (pa, pb) = (Self::point(workspace, a), Self::point(workspace, b));
                    worst = worst.max((pa - pb).amax());
                    // The midpoint is common to both bodies, so that the impulses cancel exactly.
                    let p = (pa + pb) * 0.5;
                    Self::fill_point(&workspace.subspace, &mut workspace.jacobian, row, &p);
                    continue;
                }
                Geometry::Distance(a, b, rod) => {
                    let (pa, pb) = (Self::point(workspace, a), Self::point(workspace, b));
                    let length = (pa - pb).norm();
                    let along = (pa - pb) / length;
                    (stack(pa.cross(&along), along), length - rod)
                }
                Geometry::Angle(a, b, cosine) => {
                    let (a, b) = (Self::axis(workspace, a), Self::axis(workspace, b));
                    (stack(a.cross(&b), Vec3::zeros()), a.dot(&b) - cosine)
                }
                Geometry::Drive { .. } => {
                    workspace.jacobian[row.start] = 1.0;
                    continue;
                }
                _ => continue,
            };
            worst = worst.max(open.abs());
            Self::fill_row(&workspace.subspace, &mut workspace.jacobian, row, &wrench);
        }
        workspace.drift = worst;
        for (index, (geometry, row)) in self.elements.iter().enumerate() {
            let measure = match geometry {
                Geometry::Line(a, b) => {
                    let (pa, pb) = (Self::point(workspace, a), Self::point(workspace, b));
                    let length = (pa - pb).norm();
                    let along = (pa - pb) / length;
                    let wrench = stack(pa.cross(&along), along);
                    Self::fill_row(&workspace.subspace, &mut workspace.jacobian, row, &wrench);
                    length
                }
                Geometry::Band { ends: (a, b), weights, positions } => {
                    let (pa, pb) = (Self::point(workspace, a), Self::point(workspace, b));
                    let length = (pa - pb).norm();
                    let along = (pa - pb) / length;
                    let wrench = stack(pa.cross(&along), along);
                    workspace.jacobian[row.start..row.start + row.slots.len()].fill(0.0);
                    Self::fill_row(&workspace.subspace, &mut workspace.jacobian, row, &wrench);
                    let mut drawn = length;
                    for (k, &slot) in row.weights.iter().enumerate() {
                        workspace.jacobian[row.start + slot as usize] += weights[k];
                        drawn += weights[k] * state.q[positions[k]];
                    }
                    drawn
                }
                Geometry::Axial(a, b, axis) => {
                    let (pa, pb) = (Self::point(workspace, a), Self::point(workspace, b));
                    let along = Self::axis(workspace, axis);
                    let wrench = stack(pa.cross(&along), along);
                    Self::fill_row(&workspace.subspace, &mut workspace.jacobian, row, &wrench);
                    (pa - pb).dot(&along)
                }
                Geometry::Rates { weights, positions } => {
                    let entries = &mut workspace.jacobian[row.start..row.start + row.slots.len()];
                    entries.fill(0.0);
                    let mut sum = 0.0;
                    for (k, &slot) in row.weights.iter().enumerate() {
                        entries[slot as usize] += weights[k];
                        sum += positions[k].map_or(0.0, |p| weights[k] * state.q[p]);
                    }
                    sum
                }
                _ => 0.0,
            };
            workspace.measure[index] = measure;
            workspace.rate[index] = row
                .slots
                .iter()
                .zip(&workspace.jacobian[row.start..])
                .map(|(&slot, j)| j * state.u[slot as usize])
                .sum();
        }
    }

    /// Computes the Jacobians of the gears with the caller's weights.
    pub(super) fn mesh_gears(&self, workspace: &mut MultibodyWorkspace) {
        for (geometry, first) in &self.closures {
            let Geometry::Gear { weights, spins } = geometry else { continue };
            let row = &self.closure_rows[*first];
            let range = row.start..row.start + row.slots.len();
            workspace.jacobian[range].fill(0.0);
            for &(slot, sign, pair) in &row.bodies {
                let coordinate = row.slots[slot as usize] as usize;
                let axis = Self::axis(workspace, &spins[pair as usize]);
                workspace.jacobian[row.start + slot as usize] +=
                    sign * axis.dot(&angular(&workspace.subspace[coordinate]));
            }
            for (k, &slot) in row.weights.iter().enumerate() {
                workspace.jacobian[row.start + slot as usize] +=
                    workspace.gear_weights[weights + k];
            }
        }
    }
}
