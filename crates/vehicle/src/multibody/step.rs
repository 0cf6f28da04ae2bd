//! State of a model and its time step.

use super::element::ElementForce;
use super::factor::FactorValues;
use super::inertia::{CompositeInertia, RigidInertia, angular, dot, linear, stack};
use super::joint::Joint;
use super::kinematics::quaternion;
use super::model::{BodyId, Coordinate, Geometry, MultibodyModel};
use super::work_account::WorkAccount;
use bekker_math::numeric::{cos, dispatch, level, sin};
use bekker_math::spatial::{Load, Mat3, Pose, Quat, Twist, Vec3, Vec6};
use serde::{Deserialize, Serialize};

/// Compliance of a closure: gap velocity, m/s, per impulse, N s.
///
/// For effective masses of 1 to 1000 kg it is at most 1e-7 of the closure's own compliance. It
/// keeps redundant closures solvable.
const SOFTNESS: f64 = 1e-10;
/// Violation above which closures are corrected, m (or 1).
const DRIFT: f64 = 5e-8;
/// Maximum number of position corrections in one step.
const CORRECTIONS: usize = 4;
/// State of a model: plain data, sufficient to resume bit for bit.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MultibodyState {
    /// Positions of the joints and shafts.
    pub q: Vec<f64>,
    /// Velocities of the joints and shafts.
    pub u: Vec<f64>,
    /// Forces of the closures in the last step, N or N m, row by row.
    pub closure_forces: Vec<f64>,
    /// Momentum of each body (angular, linear) about `origin`.
    momentum: Vec<Vec6>,
    /// Point to which the momenta refer.
    origin: Vec3,
}

impl Clone for MultibodyState {
    fn clone(&self) -> MultibodyState {
        let mut clone = MultibodyState::default();
        clone.clone_from(self);
        clone
    }

    /// Copies into the buffers that are already allocated.
    fn clone_from(&mut self, source: &MultibodyState) {
        let MultibodyState { q, u, closure_forces, momentum, origin } = self;
        q.clone_from(&source.q);
        u.clone_from(&source.u);
        closure_forces.clone_from(&source.closure_forces);
        momentum.clone_from(&source.momentum);
        *origin = source.origin;
    }
}

impl MultibodyState {
    /// Returns the lengths of all arrays, which are equal in all states of a model.
    pub fn sizes(&self) -> [(&'static str, usize); 4] {
        [
            ("positions", self.q.len()),
            ("velocities", self.u.len()),
            ("forces of closures", self.closure_forces.len()),
            ("momenta", self.momentum.len()),
        ]
    }

    /// Sets all velocities and momenta to zero, so that the next step starts from rest.
    pub fn halt(&mut self) {
        self.u.fill(0.0);
        self.momentum.fill(Vec6::zeros());
    }
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The equations have no solution.
    #[error("the equations of motion are singular at elimination step {at}")]
    Singular {
        /// The elimination step.
        at: usize,
    },
    /// A velocity is not finite.
    #[error("velocity {coordinate} is {value}")]
    NotFinite {
        /// Index of the coordinate.
        coordinate: usize,
        /// Its value.
        value: f64,
    },
}

/// Quantities derived from a state, and the forces on it in the next step; never saved.
#[derive(Clone, Debug)]
pub struct MultibodyWorkspace {
    /// Measure of each element: length, displacement or sum of positions.
    pub measure: Vec<f64>,
    /// Rate of each measure.
    pub rate: Vec<f64>,
    /// Force of each element; set by the caller before a step.
    pub element: Vec<ElementForce>,
    /// Load on each loaded body about its origin; set by the caller.
    pub load: Vec<Load>,
    /// Velocity of each load's surface relative to the body at unit rate of its conveying shaft,
    /// m/s.
    ///
    /// Set by the caller.
    pub conveyance: Vec<Vec3>,
    /// Weights of the gears' coordinates, in the order of the gears; the caller may change them.
    pub gear_weights: Vec<f64>,
    /// Target of each drive; the caller may change it.
    pub target: Vec<f64>,
    /// Softness of each closure row, m/s per N s; a large value releases the row.
    pub softness: Vec<f64>,
    /// Acceleration of gravity, m/s².
    pub gravity: Vec3,
    /// Largest violation of a closure after the last step, m (or 1).
    pub drift: f64,

    /// Work of all forces, if recorded ([`MultibodyModel::start_account`]).
    pub work: Option<WorkAccount>,

    pub(super) origin: Vec3,
    pub(super) rotation: Vec<Mat3>,
    pub(super) body_origin: Vec<Vec3>,
    pub(super) subspace: Vec<Vec6>,
    pub(super) twist: Vec<Vec6>,
    /// position of each body's joint
    pub(super) joint: Vec<Vec3>,
    pub(super) inertia: Vec<RigidInertia>,
    pub(super) composite: Vec<CompositeInertia>,
    pub(super) impulse: Vec<Vec6>,
    pub(super) jacobian: Vec<f64>,
    pub(super) residual: Vec<f64>,
    pub(super) right: Vec<f64>,
    pub(super) numeric: FactorValues,
    pub(super) touches: Vec<ActiveTouch>,
    /// Jacobians of the touches, concatenated.
    pub(super) touch_jacobian: Vec<f64>,
}

/// A contact of two bodies in the next step.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveTouch {
    pub pair: usize,
    pub first: usize,
    pub rate: f64,
    pub force: ElementForce,
}

impl MultibodyWorkspace {
    /// Removes all touches of the previous step.
    pub fn clear_touches(&mut self) {
        self.touches.clear();
        self.touch_jacobian.clear();
    }
}

/// Rotates the quaternion stored in `q` by the world rotation vector `turn`.
fn turn(q: &mut [f64], turn: Vec3) {
    let angle = turn.norm();
    let half = 0.5 * angle;
    // sin(x)/x to fourth order below 1e-3 rad: error under 1e-18.
    let factor = if half < 1e-3 {
        0.5 * (1.0 - half * half / 6.0 * (1.0 - half * half / 20.0))
    } else {
        sin(half) / angle
    };
    let step =
        nalgebra::Quaternion::new(cos(half), turn.x * factor, turn.y * factor, turn.z * factor);
    let next = (step * nalgebra::Quaternion::new(q[0], q[1], q[2], q[3])).normalize();
    q.copy_from_slice(&[next.w, next.i, next.j, next.k]);
}

impl MultibodyModel {
    /// Returns the assembly configuration at rest.
    pub fn assembled(&self) -> MultibodyState {
        let mut q = vec![0.0; self.positions];
        for link in &self.links {
            match link.joint {
                Joint::Free => {
                    let place = link.anchor + link.offset;
                    q[link.position..link.position + 3].copy_from_slice(place.as_slice());
                    q[link.position + 3] = 1.0;
                }
                Joint::Spherical => q[link.position] = 1.0,
                _ => {}
            }
        }
        MultibodyState {
            q,
            u: vec![0.0; self.coordinates],
            closure_forces: vec![0.0; self.closure_rows.len()],
            momentum: vec![Vec6::zeros(); self.links.len()],
            origin: Vec3::zeros(),
        }
    }

    /// Returns buffers for steps of this model.
    pub fn workspace(&self) -> MultibodyWorkspace {
        let bodies = self.links.len();
        let rows = self.closure_rows.len();
        MultibodyWorkspace {
            measure: vec![0.0; self.elements.len()],
            rate: vec![0.0; self.elements.len()],
            element: vec![ElementForce::default(); self.elements.len()],
            load: vec![Load::default(); self.loaded.len()],
            conveyance: vec![Vec3::zeros(); self.loaded.len()],
            gear_weights: self.gear_weights.clone(),
            target: vec![0.0; self.drives.len()],
            softness: vec![SOFTNESS; rows],
            gravity: Vec3::new(0.0, 0.0, -self.gravity),
            drift: 0.0,
            work: None,
            origin: Vec3::zeros(),
            rotation: vec![Mat3::identity(); bodies],
            body_origin: vec![Vec3::zeros(); bodies],
            subspace: vec![Vec6::zeros(); self.coordinates],
            twist: vec![Vec6::zeros(); bodies],
            joint: vec![Vec3::zeros(); bodies],
            inertia: vec![RigidInertia::default(); bodies],
            composite: vec![CompositeInertia::default(); bodies],
            impulse: vec![Vec6::zeros(); bodies],
            jacobian: vec![0.0; self.jacobian_len],
            residual: vec![0.0; rows],
            right: vec![0.0; self.coordinates + rows],
            numeric: self.symbolic.numeric(),
            // far more than ever touch at the same time
            touches: Vec::with_capacity(self.touching.len()),
            touch_jacobian: Vec::with_capacity(8 * self.touching.len()),
        }
    }

    /// Moves the whole mechanism from the model's frame to the frame at `pose`.
    ///
    /// Velocities are not changed.
    pub fn transform(&self, state: &mut MultibodyState, pose: &Pose) {
        for link in self.links.iter().filter(|link| link.joint == Joint::Free) {
            let q = &mut state.q[link.position..link.position + 7];
            let place = pose.point(&Vec3::from_row_slice(&q[..3]));
            q[..3].copy_from_slice(place.as_slice());
            let turned = pose.orientation * quaternion(&q[3..7]);
            let o = turned.quaternion();
            q[3..].copy_from_slice(&[o.w, o.i, o.j, o.k]);
        }
    }

    /// Sets the translation of all free bodies in `u` to `velocity`, m/s.
    pub fn translate(&self, u: &mut [f64], velocity: &Vec3) {
        for link in self.links.iter().filter(|link| link.joint == Joint::Free) {
            u[link.first + 3..link.first + 6].copy_from_slice(velocity.as_slice());
        }
    }

    /// Sets the velocities and the corresponding momenta.
    pub fn set_velocity(
        &self,
        state: &mut MultibodyState,
        workspace: &mut MultibodyWorkspace,
        u: &[f64],
    ) {
        state.u.copy_from_slice(u);
        self.refresh(state, workspace);
        state.origin = workspace.origin;
        for (momentum, (inertia, twist)) in
            state.momentum.iter_mut().zip(workspace.inertia.iter().zip(&workspace.twist))
        {
            *momentum = inertia.momentum(twist);
        }
    }

    /// Updates a workspace to match a state.
    ///
    /// A step ends with this; call it after building or loading a state.
    pub fn refresh(&self, state: &MultibodyState, workspace: &mut MultibodyWorkspace) {
        self.place_bodies(state, workspace);
        self.spread_motion(state, workspace);
        self.measure(state, workspace);
    }

    /// Advances by `h` seconds under the loads, element forces, gear weights and drive targets in
    /// the workspace.
    ///
    /// The workspace must match the state before the step, and matches the new state after it.
    pub fn advance(
        &self,
        state: &mut MultibodyState,
        workspace: &mut MultibodyWorkspace,
        h: f64,
    ) -> Result<(), StepError> {
        // scalar operations and fixed sums: the bits are those of any instruction set
        dispatch!(level(), _simd => self.advance_inline(state, workspace, h))
    }

    /// Evaluates [`MultibodyModel::advance`]; inlined to be compiled for several instruction sets.
    #[inline(always)]
    fn advance_inline(
        &self,
        state: &mut MultibodyState,
        workspace: &mut MultibodyWorkspace,
        h: f64,
    ) -> Result<(), StepError> {
        self.mesh_gears(workspace);
        self.assemble(state, workspace, h);
        self.symbolic.factorize(&mut workspace.numeric).map_err(|at| StepError::Singular { at })?;
        self.symbolic.solve(&mut workspace.numeric, &mut workspace.right);
        let u = &workspace.right[..self.coordinates];
        if let Some(coordinate) = u.iter().position(|value| !value.is_finite()) {
            return Err(StepError::NotFinite { coordinate, value: u[coordinate] });
        }
        self.record_velocities(state, workspace);
        let (u, closure) = workspace.right.split_at(self.coordinates);
        state.u.copy_from_slice(u);
        for (force, impulse) in state.closure_forces.iter_mut().zip(closure) {
            *force = -impulse / h;
        }
        self.collect_momenta(state, workspace);
        self.add_work(state, workspace, h);
        self.move_by(&mut state.q, &state.u, h);
        self.place_bodies(state, workspace);
        self.close(state, workspace);
        self.spread_motion(state, workspace);
        self.measure(state, workspace);
        Ok(())
    }

    /// Assembles matrix and right-hand side of the step.
    #[inline(always)]
    fn assemble(&self, state: &MultibodyState, workspace: &mut MultibodyWorkspace, h: f64) {
        self.gather_momenta(state, workspace, h);
        self.load_bodies(state, workspace, h);
        self.assemble_masses(state, workspace);
        self.convey(state, workspace, h);
        self.assemble_forces(workspace, h);
        self.assemble_closures(state, workspace, h);
    }

    /// Sets each body's inertia, and its initial momentum plus the impulse of its weight.
    #[inline(always)]
    fn gather_momenta(&self, state: &MultibodyState, workspace: &mut MultibodyWorkspace, h: f64) {
        let shift = state.origin - workspace.origin;
        let gravity = workspace.gravity * h;
        for (body, link) in self.links.iter().enumerate() {
            workspace.composite[body] = CompositeInertia::from(&workspace.inertia[body]);
            let arrived = state.momentum[body];
            let linear_momentum = linear(&arrived);
            let mut impulse =
                stack(angular(&arrived) + shift.cross(&linear_momentum), linear_momentum);
            if link.mass > 0.0 {
                let com = workspace.body_origin[body] + workspace.rotation[body] * link.com;
                let weight = gravity * link.mass;
                impulse += stack(com.cross(&weight), weight);
            }
            workspace.impulse[body] = impulse;
        }
    }

    /// Adds the external loads: tangents to the inertias, forces to the impulses.
    #[inline(always)]
    fn load_bodies(&self, state: &MultibodyState, workspace: &mut MultibodyWorkspace, h: f64) {
        for (index, (load, &body)) in workspace.load.iter().zip(&self.loaded).enumerate() {
            let point = workspace.body_origin[body];
            let tangent = load.damping * h + load.stiffness * (h * h);
            workspace.composite[body] += CompositeInertia::shifted(&tangent, &point);
            let twist = &workspace.twist[body];
            let spin = angular(twist);
            let mut velocity = linear(twist) + spin.cross(&point);
            if let Some(conveyor) = self.conveyor[index] {
                velocity += workspace.conveyance[index] * state.u[conveyor];
            }
            let held = load.damping * stack(spin, velocity);
            let force = load.wrench.force + load.glide.force + linear(&held);
            let torque = load.wrench.torque + load.glide.torque + angular(&held);
            workspace.impulse[body] += stack(torque + point.cross(&force), force) * h;
        }
    }

    /// Assembles the mass matrix from composite bodies, from the leaves to the root, and the
    /// momenta along the coordinates.
    #[inline(always)]
    fn assemble_masses(&self, state: &MultibodyState, workspace: &mut MultibodyWorkspace) {
        let values = &mut workspace.numeric.values;
        values.fill(0.0);
        let right = &mut workspace.right;
        let mut place = 0;
        for (body, link) in self.links.iter().enumerate().rev() {
            let composite = workspace.composite[body];
            let impulse = workspace.impulse[body];
            let (path, afloat) = link.path.split_at(link.path.len() - link.afloat);
            for own in 0..link.joint.freedoms() {
                let coordinate = link.path[own] as usize;
                let motion = &workspace.subspace[coordinate];
                let momentum = composite.momentum(motion);
                let others = path.get(own..).unwrap_or_default();
                let roots = &afloat[own.saturating_sub(path.len())..];
                let places = &self.mass_entries[place..place + others.len() + roots.len()];
                place += places.len();
                let (other_places, root_places) = places.split_at(others.len());
                for (&other, &place) in others.iter().zip(other_places) {
                    values[place as usize] += dot(&momentum, &workspace.subspace[other as usize]);
                }
                // The first body's origin is the common one, so its motions are the unit vectors.
                for (&root, &place) in roots.iter().zip(root_places) {
                    values[place as usize] += momentum[root as usize];
                }
                right[coordinate] = dot(&impulse, motion);
            }
            if let Some(parent) = link.parent {
                workspace.composite[parent] += composite;
                workspace.impulse[parent] += impulse;
            }
        }
        for &(coordinate, _, inertia) in &self.shafts {
            values[self.diagonal[coordinate] as usize] = inertia;
            right[coordinate] = inertia * state.u[coordinate];
        }
    }

    /// Adds force elements and touches, linearly implicitly.
    #[inline(always)]
    fn assemble_forces(&self, workspace: &mut MultibodyWorkspace, h: f64) {
        let values = &mut workspace.numeric.values;
        let right = &mut workspace.right;
        let mut place = 0;
        for (index, (_, row)) in self.elements.iter().enumerate() {
            let ElementForce { force, stiffness, damping } = workspace.element[index];
            let weight = h * damping + h * h * stiffness;
            let impulse = h * (damping * workspace.rate[index] - force);
            let entries = &workspace.jacobian[row.start..row.start + row.slots.len()];
            for (k, &slot) in row.slots.iter().enumerate() {
                right[slot as usize] += entries[k] * impulse;
                for &other in &entries[..=k] {
                    values[self.element_entries[place] as usize] += weight * entries[k] * other;
                    place += 1;
                }
            }
        }
        for touch in &workspace.touches {
            let ElementForce { force, stiffness, damping } = touch.force;
            let weight = h * damping + h * h * stiffness;
            let impulse = h * (damping * touch.rate - force);
            let (row, first) = &self.touching[touch.pair];
            let mut place = *first;
            let entries = &workspace.touch_jacobian[touch.first..touch.first + row.slots.len()];
            for (k, &slot) in row.slots.iter().enumerate() {
                right[slot as usize] += entries[k] * impulse;
                for &other in &entries[..=k] {
                    values[self.touch_entries[place] as usize] += weight * entries[k] * other;
                    place += 1;
                }
            }
        }
    }

    /// Adds the rows of closed loops, softened, and of drives.
    #[inline(always)]
    fn assemble_closures(
        &self,
        state: &MultibodyState,
        workspace: &mut MultibodyWorkspace,
        h: f64,
    ) {
        let values = &mut workspace.numeric.values;
        let right = &mut workspace.right;
        let mut place = 0;
        for (index, row) in self.closure_rows.iter().enumerate() {
            for &entry in &workspace.jacobian[row.start..row.start + row.slots.len()] {
                values[self.closure_entries[place] as usize] = entry;
                place += 1;
            }
            let variable = self.coordinates + index;
            values[self.diagonal[variable] as usize] = -workspace.softness[index];
            right[variable] = 0.0;
        }
        for (geometry, first) in &self.closures {
            if let Geometry::Drive { position, target } = geometry {
                right[self.coordinates + first] =
                    (workspace.target[*target] - state.q[*position]) / h;
            }
        }
    }

    /// Adds a contact of a pair of bodies ([`super::ModelBuilder::touching`]) in the next step.
    ///
    /// `point` is in the world, m. `law` receives the velocity, m/s, at which the first body
    /// separates from the second along the unit vector `along`, and returns the resisting force.
    pub fn touch(
        &self,
        state: &MultibodyState,
        workspace: &mut MultibodyWorkspace,
        pair: usize,
        point: &Vec3,
        along: &Vec3,
        law: impl FnOnce(f64) -> ElementForce,
    ) {
        let MultibodyWorkspace { subspace, origin, touches, touch_jacobian, .. } = workspace;
        let row = &self.touching[pair].0;
        let first = touch_jacobian.len();
        touch_jacobian.resize(first + row.slots.len(), 0.0);
        let wrench = stack((point - *origin).cross(along), *along);
        let mut rate = 0.0;
        for &(slot, sign, _) in &row.bodies {
            let coordinate = row.slots[slot as usize] as usize;
            let entry = sign * dot(&wrench, &subspace[coordinate]);
            touch_jacobian[first + slot as usize] = entry;
            rate += entry * state.u[coordinate];
        }
        touches.push(ActiveTouch { pair, first, rate, force: law(rate) });
    }

    /// Adds the effect of loads on conveyed surfaces to the shafts that convey them.
    #[inline(always)]
    fn convey(&self, state: &MultibodyState, workspace: &mut MultibodyWorkspace, h: f64) {
        let MultibodyWorkspace {
            load,
            conveyance,
            body_origin: place,
            twist,
            subspace,
            numeric,
            right,
            ..
        } = workspace;
        let mut next = 0;
        for (index, &body) in self.loaded.iter().enumerate() {
            let Some(conveyor) = self.conveyor[index] else { continue };
            let path = &self.links[body].path;
            let places = &self.conveyor_entries[next..next + path.len()];
            next += path.len();
            let (load, along, point) = (&load[index], &conveyance[index], &place[body]);
            let spin = angular(&twist[body]);
            let velocity = linear(&twist[body]) + spin.cross(point) + along * state.u[conveyor];
            let held = load.damping * stack(spin, velocity);
            right[conveyor] += h * (load.wrench.force + linear(&held)).dot(along);
            let tangent = load.damping * h + load.stiffness * (h * h);
            let push = tangent * stack(Vec3::zeros(), *along);
            numeric.values[self.diagonal[conveyor] as usize] += linear(&push).dot(along);
            let push = stack(angular(&push) + point.cross(&linear(&push)), linear(&push));
            for (&k, &place) in path.iter().zip(places) {
                numeric.values[place as usize] += dot(&push, &subspace[k as usize]);
            }
        }
    }

    /// Computes the momenta of the bodies at the end of the step.
    #[inline(always)]
    fn collect_momenta(&self, state: &mut MultibodyState, workspace: &mut MultibodyWorkspace) {
        state.origin = workspace.origin;
        for (body, link) in self.links.iter().enumerate() {
            let mut motion = link.parent.map_or(Vec6::zeros(), |parent| workspace.twist[parent]);
            for k in link.first..link.first + link.joint.freedoms() {
                motion += workspace.subspace[k] * state.u[k];
            }
            workspace.twist[body] = motion;
            state.momentum[body] = workspace.inertia[body].momentum(&motion);
        }
    }

    /// Advances positions by velocities for a time `h`.
    fn move_by(&self, q: &mut [f64], u: &[f64], h: f64) {
        for link in &self.links {
            let u = &u[link.first..link.first + link.joint.freedoms()];
            let q = &mut q[link.position..link.position + link.joint.positions()];
            match link.joint {
                Joint::Free => {
                    for k in 0..3 {
                        q[k] += h * u[3 + k];
                    }
                    turn(&mut q[3..7], Vec3::new(u[0], u[1], u[2]) * h);
                }
                Joint::Revolute(_) | Joint::Prismatic(_) => q[0] += h * u[0],
                Joint::Spherical => turn(q, Vec3::new(u[0], u[1], u[2]) * h),
                Joint::Schoenflies(_) => q.iter_mut().zip(u).for_each(|(q, u)| *q += h * u),
                Joint::Fixed => {}
            }
        }
        for &(coordinate, position, _) in &self.shafts {
            q[position] += h * u[coordinate];
        }
    }

    /// Corrects the closures to zero with the factors of the step.
    #[inline(always)]
    fn close(&self, state: &mut MultibodyState, workspace: &mut MultibodyWorkspace) {
        for _ in 0..CORRECTIONS {
            if self.violation(state, workspace) <= DRIFT {
                return;
            }
            workspace.right[..self.coordinates].fill(0.0);
            for (geometry, first) in &self.closures {
                let moved = matches!(
                    geometry,
                    Geometry::Point(..) | Geometry::Distance(..) | Geometry::Angle(..)
                );
                let rows = if matches!(geometry, Geometry::Point(..)) { 3 } else { 1 };
                for row in *first..first + rows {
                    workspace.right[self.coordinates + row] =
                        if moved { -workspace.residual[row] } else { 0.0 };
                }
            }
            self.symbolic.solve(&mut workspace.numeric, &mut workspace.right);
            self.move_by(&mut state.q, &workspace.right[..self.coordinates], 1.0);
            self.place_bodies(state, workspace);
        }
    }

    /// Returns the pose of a body's frame in the world.
    pub fn pose(&self, workspace: &MultibodyWorkspace, body: BodyId) -> Pose {
        match body.index() {
            Some(i) => Pose {
                position: workspace.origin + workspace.body_origin[i],
                orientation: Quat::from_rotation_matrix(
                    &nalgebra::Rotation3::from_matrix_unchecked(workspace.rotation[i]),
                ),
            },
            None => Pose::default(),
        }
    }

    /// Returns the rotation from a body's frame to the world.
    pub fn rotation(&self, workspace: &MultibodyWorkspace, body: BodyId) -> Mat3 {
        body.index().map_or(Mat3::identity(), |i| workspace.rotation[i])
    }

    /// Returns the origin of a body's frame in the world.
    pub fn body_origin(&self, workspace: &MultibodyWorkspace, body: BodyId) -> Vec3 {
        body.index().map_or(Vec3::zeros(), |i| workspace.origin + workspace.body_origin[i])
    }

    /// Returns the twist of a body about its own origin.
    pub fn twist(&self, workspace: &MultibodyWorkspace, body: BodyId) -> Twist {
        match body.index() {
            Some(i) => {
                let twist = &workspace.twist[i];
                let spin = angular(twist);
                Twist {
                    linear: linear(twist) + spin.cross(&workspace.body_origin[i]),
                    angular: spin,
                }
            }
            None => Twist::default(),
        }
    }

    /// Returns the index in [`MultibodyState::q`] of the position of a coordinate, given by its
    /// index.
    ///
    /// `None` if the position is not a single number.
    pub fn position_of(&self, index: usize) -> Option<usize> {
        if let Some(&(_, position, _)) = self.shafts.iter().find(|shaft| shaft.0 == index) {
            return Some(position);
        }
        let link = self.links.iter().find(|link| {
            (link.first..link.first + link.joint.freedoms()).contains(&index)
                && link.joint.is_scalar()
        })?;
        Some(link.position + index - link.first)
    }

    /// Returns the angle of a body on a revolute joint, rad.
    pub fn angle(&self, state: &MultibodyState, body: BodyId) -> f64 {
        body.index().map_or(0.0, |i| state.q[self.links[i].position])
    }

    /// Returns the position of a coordinate, if it is a single number.
    pub fn scalar(&self, state: &MultibodyState, coordinate: Coordinate) -> Option<f64> {
        self.position_of(coordinate.index()).map(|position| state.q[position])
    }

    /// Returns the first row of a closure in [`MultibodyState::closure_forces`] and
    /// [`MultibodyWorkspace::softness`].
    pub fn closure_row(&self, closure: usize) -> usize {
        self.closures[closure].1
    }

    /// Returns the offset of a gear's weights in [`MultibodyWorkspace::gear_weights`].
    ///
    /// Gears are counted in order of addition.
    pub fn gear_start(&self, gear: usize) -> usize {
        self.gear_start[gear]
    }

    /// Returns the kinetic energy of the bodies and shafts, J.
    pub fn kinetic_energy(&self, state: &MultibodyState, workspace: &MultibodyWorkspace) -> f64 {
        let bodies: f64 = workspace
            .inertia
            .iter()
            .zip(&workspace.twist)
            .map(|(inertia, twist)| 0.5 * dot(&inertia.momentum(twist), twist))
            .sum();
        let squared_spin = |c: usize| state.u[c] * state.u[c];
        let shafts: f64 =
            self.shafts.iter().map(|&(c, _, inertia)| 0.5 * inertia * squared_spin(c)).sum();
        bodies + shafts
    }

    /// Returns the potential energy in gravity, J, zero at z = 0.
    pub fn potential_energy(&self, workspace: &MultibodyWorkspace) -> f64 {
        self.links
            .iter()
            .enumerate()
            .map(|(body, link)| {
                let com = workspace.origin
                    + workspace.body_origin[body]
                    + workspace.rotation[body] * link.com;
                -link.mass * workspace.gravity.dot(&com)
            })
            .sum()
    }

    /// Returns the momentum of the bodies after the last step: linear, N s, and angular about the
    /// world's origin, N m s.
    pub fn momentum(&self, state: &MultibodyState) -> (Vec3, Vec3) {
        let total = state.momentum.iter().fold(Vec6::zeros(), |sum, momentum| sum + momentum);
        let p = linear(&total);
        (p, angular(&total) + state.origin.cross(&p))
    }
}
