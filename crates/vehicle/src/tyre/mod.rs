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
pub use contact::{BeltPatch, DiscContact, FirmContact, FirmPatch, Plane};
pub use relaxation::{Rolling, Tangential, TyreState};
pub use ring::{OnPlate, PlatePoint, RingError, RingFigures};
pub use tmeasy::{ADHERING, LoadPair, SlipCurve, TMeasy, Trail};
