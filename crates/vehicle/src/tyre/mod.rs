//! Tires on firm ground.
//!
//! The module contains steady slip curves ([`TMeasy`]), the relaxation of the force towards them
//! ([`TyreState`]), and the contact of a wheel with a plane ([`TMeasy::firm_contact`],
//! [`TMeasy::settle`]).

mod catalogue;
mod contact;
mod relaxation;
mod ring;
mod tmeasy;

pub use catalogue::{TyreFile, TyreFileError, tyre, tyres};
pub use contact::{BeltPatch, DiscContact, FirmContact, FirmPatch, GroundPlane};
pub use relaxation::{RollingState, TangentialForce, TyreState};
pub use ring::{PlateContact, PlatePoint, RingError, RingParameters};
pub use tmeasy::{ADHERING, LoadPair, PneumaticTrail, SlipCurve, TMeasy};
