//! Soils and the laws by which they give way.
//!
//! A [`Soil`] is either firm (a handling tyre's ground) or yielding. The laws
//! are pure functions, one concept a file; nothing here knows a grid.

pub mod catalogue;
mod check;
mod details;
mod frost;
mod laws;
mod moisture;
mod multi_pass;
mod own_law;
mod parameters;
mod ploughing;
pub mod pressure_sinkage;
mod refined;
mod shear;
mod snow;
mod step_limit;
mod strength;

pub use catalogue::{Catalogue, CatalogueError, CatalogueSoil, catalogue};
pub use check::ParameterError;
pub use details::{Crust, Details, PeakShear, RateDependence, Reece, SubLayer};
pub use frost::{Frost, Thaw};
pub use laws::Laws;
pub use moisture::{Moisture, MoistureError, Rain, SoilClass};
pub use multi_pass::MultiPass;
pub(crate) use own_law::{Answering, OwnLaw, Usual};
pub use own_law::{Loading, SoilLaw};
pub use parameters::{Bulldozing, Soil, SoilId, SoilKind, Yielding};
pub use ploughing::DeepFooting;
pub(crate) use refined::peaked;
pub use refined::{
    Bearing, PassiveWedge, inclined_bearing, mobilise, press_refined, reload_stiffness,
    slip_sinkage,
};
pub use shear::{ShearStrength, Tread};
pub use snow::SnowCover;
pub use step_limit::StiffParameter;
