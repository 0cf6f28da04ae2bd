//! Contact of bodies: signed distances of a few shapes, the law by which they push one
//! another, and the collision of two free bodies.
//!
//! Bodies are convex shapes with smooth normals: rounded boxes (hulls, walls, houses),
//! rounded cylinders (wheels) and balls (rocks). A shape also has sample points, balls
//! that stand for its edges and corners; two bodies touch where the samples of the one lie
//! in the field of the other, and the other way round. A wheel meets a box by the least
//! translation that parts them. So there is no manifold that could
//! flip, and every contact has an exact gradient.

mod hull;
mod law;
mod pair;
mod penetration;
mod shape;
mod tree;

pub use hull::Hull;
pub use law::{BodyContact, ContactLaw, Push};
pub use pair::{FreeBody, Pair, PairStep, Tow, TowState};
pub use penetration::Penetration;
pub use shape::{Exit, Field, RoundedBox, RoundedCylinder, SamplePoint};
pub use tree::{Resistance, Stem, override_force};
