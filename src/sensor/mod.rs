//! What a vehicle sees of the ground.
//!
//! So far the ray caster over the ground: a [`Relief`] is a square window of it,
//! base terrain and published ruts alike, that a [`Ray`] crosses in strides as
//! long as a [`Pyramid`] of maxima allows. It reads the published ground and
//! writes nothing back.

mod pyramid;
mod ray;
mod relief;

pub use pyramid::{Landing, Pyramid, Walk};
pub use ray::Ray;
pub use relief::Relief;
