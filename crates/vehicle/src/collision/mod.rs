//! Contact of bodies: signed distances of shapes, the contact law, and the collision of two free
//! bodies.
//!
//! Bodies are convex shapes with smooth normals: rounded boxes (hulls, walls, houses), rounded
//! cylinders (wheels) and balls (rocks). A shape also has sample points: balls that represent its
//! edges and corners. Two bodies touch where samples of one are inside the distance field of the
//! other, in both directions. Contact of a wheel and a box uses the minimum translation that
//! separates them. So no contact manifold can flip, and every contact has an exact gradient.

mod hull;
mod law;
mod pair;
mod penetration;
mod shape;
mod stem;

pub use hull::Hull;
pub use law::{BodyContact, ContactForce, ContactLaw};
pub use pair::{CollisionPair, FreeBody, PairStep, Tow, TowState};
pub use penetration::Penetration;
pub use shape::{DistanceField, ExitRule, RoundedBox, RoundedCylinder, SamplePoint};
pub use stem::{Resistance, Stem, override_force};
