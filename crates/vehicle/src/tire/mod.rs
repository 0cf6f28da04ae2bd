//! Tires on firm ground.
//!
//! The module contains steady slip curves ([`TMeasy`]), the relaxation of the force towards them
//! ([`TireState`]), and the contact of a wheel with a plane ([`TMeasy::firm_contact`],
//! [`TMeasy::settle`]).

mod catalog;
mod contact;
mod relaxation;
mod ring;
mod tmeasy;

pub use catalog::{TireFile, TireFileError, tire, tires};
pub use contact::{BeltPatch, DiscContact, FirmContact, FirmPatch, GroundPlane};
pub use relaxation::{RollingState, TangentialForce, TireState};
pub use ring::{PlateContact, PlatePoint, RingError, RingParameters};
pub use tmeasy::{ADHERING, LoadPair, PneumaticTrail, SlipCurve, TMeasy};
