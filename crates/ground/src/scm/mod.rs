//! The Soil Contact Model (SCM): contact between undersides of wheels or plates and the nodes of
//! the ground.
//!
//! No rays are cast and no collision engine is involved. The height of the underside is computed
//! over each node of its footprint, row by row of the tiles. The result is a wrench and its tangent
//! ([`bekker_math::spatial::Load`]), so that the body's implicit step can take the stiff elastic
//! branch.

mod belt;
mod bulldozing;
mod contact;
mod contact_query;
mod contact_result;
mod contact_sums;
mod contact_work;
mod disc_overlap;
mod displaced_soil;
mod firm;
mod footprint;
mod gather;
mod lugs;
mod moments;
mod node_reaction;
mod patch_width;
mod placed_tire;
mod plate;
mod refined;
mod ring;
mod scratch;
mod semidefinite;
mod shoe;
mod station_load;
mod stiff;
mod sunk_cell;
mod tire_contact;
mod underside;
mod vector_lanes;
mod working_ground;

pub use bulldozing::heap;
pub use contact::{plate_contact, shoe_contact, wheel_contact};
pub use contact_result::Contact;
pub use contact_work::ContactWork;
pub use displaced_soil::DisplacedSoil;
pub use firm::FirmGround;
pub use footprint::{Footprint, SharedPatch, UndersidePoints};
pub use gather::tiles_within;
pub use lugs::Lugs;
pub use plate::PlateOutline;
pub use ring::{Ring, RingState, RingStep, STATIONS, STRIPS, Stations};
pub use scratch::Scratch;
pub use shoe::{PlacedShoe, ShoeOutline, ShoeOutlineFace};
pub use tire_contact::{FirmFooting, FlexibleTire, TireContact, settle_ring, tire_contact};
pub use underside::{Grousers, PlacedWheel, Underside, UndersideError};
pub use working_ground::WorkingGround;
