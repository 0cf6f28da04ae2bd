//! Trees of bodies in reduced coordinates, with closures and stiff forces.
//!
//! # Theory
//! Joints connect bodies to their parents, and the joints' coordinates describe all motion.
//! Constraints that the tree cannot express (the second arm of a wishbone, a steering linkage, a
//! differential) are *closures*: rows of velocities that must vanish. All spatial vectors
//! (Featherstone, *Rigid Body Dynamics Algorithms*, 2008) are written in world axes about one
//! common origin, the first body's. So no quantity is transformed between frames.
//!
//! A step solves once, for the new velocities `u'` and the closures' impulses λ,
//!
//! ```text
//! [ A  Jᵀ ] [u']   [ Sᵀ Σ (μ + h f + h D v) ]
//! [ J  -ε ] [-λ] = [ 0                      ],   A = Sᵀ (I + h D + h² K) S,
//! ```
//!
//! Here `μ` is the momentum of each body at the start of the step: its inertia times its twist at
//! the end of the previous step. The momentum of a free body about a fixed point is constant while
//! it moves, so no Coriolis or gyroscopic term is formed. The rows of a free root state the
//! conservation of linear and angular momentum exactly. `D` and `K` are the tangents of every stiff
//! force (springs, dampers, bushings, tires, soil); the step is linearly implicit in them. The
//! tangents of soil and tires act on one body and keep the sparsity of the tree. The new velocities
//! then advance the positions, and the existing factors correct the closures to zero.
//!
//! The scheme is of first order; `tests/multibody.rs` verifies the order.
//!
//! # Choices
//! Laws of springs, tires and engines are outside this module. The model computes the measure of an
//! [`Element`] and its rate; the caller supplies force and tangents.
//!
//! # Invariants
//! A step allocates nothing. The factorization's pattern is fixed when the model is built, so
//! events (a gear shift, a wheel without ground contact) change values only.

mod closure;
mod element;
mod factor;
mod inertia;
mod joint;
mod kinematics;
mod model;
mod step;
mod work_account;

pub use closure::Closure;
pub use element::{Element, ElementForce};
pub use joint::Joint;
pub use model::{
    Body, BodyId, Coordinate, Inertia, ModelBuilder, ModelError, MultibodyModel, ShaftId,
};
pub use step::{MultibodyState, MultibodyWorkspace, StepError};
pub use work_account::WorkAccount;
