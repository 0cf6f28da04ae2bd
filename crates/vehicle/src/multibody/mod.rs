//! Trees of bodies in reduced coordinates, with closures and stiff forces.
//!
//! # Theory
//! Bodies hang from one another by joints and move by the joints' coordinates;
//! what the tree cannot express (the second arm of a wishbone, a steering
//! linkage, a differential) is a *closure*, a row of velocities that must
//! vanish. All spatial vectors (Featherstone, *Rigid Body Dynamics Algorithms*,
//! 2008) are written in world axes about one common origin, that of the first
//! body, so that no quantity is ever transformed between frames.
//!
//! A step solves once, for the new velocities `u'` and the closures' impulses λ,
//!
//! ```text
//! [ A  Jᵀ ] [u']   [ Sᵀ Σ (μ + h f + h D v) ]
//! [ J  -ε ] [-λ] = [ 0                      ],   A = Sᵀ (I + h D + h² K) S,
//! ```
//!
//! with `μ` the momentum with which each body arrives: its inertia times its
//! twist, as the last step left it. The momentum of a free body about a fixed
//! point does not change as it moves, so no Coriolis or gyroscopic term is ever
//! formed, and the rows of a free root state the conservation of linear and
//! angular momentum exactly. `D` and `K` are the tangents of every stiff force
//! (springs, dampers, bushings, tyres, soil): the step is linearly implicit in
//! them. Those of soil and tyre act on one body and keep the sparsity of the
//! tree. Then positions follow with the new velocities, and closures are
//! brought back to zero with the factors at hand.
//!
//! The scheme is of first order; `tests/multibody.rs` shows the order.
//!
//! # Choices
//! Laws of springs, tyres, engines are not here: the model measures an
//! [`Element`] (its length and rate), the caller answers with force and tangent.
//!
//! # Invariants
//! A step allocates nothing; the factorisation's pattern is fixed when the model
//! is built, so events (a shift of gear, a wheel in the air) change numbers only.

mod closure;
mod element;
mod factor;
mod inertia;
mod joint;
mod kinematics;
mod model;
mod step;
mod work;

pub use closure::Closure;
pub use element::{Element, ElementForce};
pub use joint::Joint;
pub use model::{Body, BodyId, Builder, Coordinate, Inertia, Model, ModelError, ShaftId};
pub use step::{State, StepError, Workspace};
pub use work::Work;
