//! Tyres on firm ground.
//!
//! Steady slip curves ([`TMeasy`]), how the force follows them
//! ([`TyreState`]), and the contact of a wheel with a plane
//! ([`TMeasy::firm_contact`], [`TMeasy::settle`]).

mod contact;
mod relaxation;
mod tmeasy;

pub use contact::{DiscContact, FirmContact, FirmPatch, Plane};
pub use relaxation::{Rolling, Tangential, TyreState};
pub use tmeasy::{LoadPair, SlipCurve, TMeasy, Trail};
