//! Soils and their deformation laws.
//!
//! A [`Soil`] is either firm (ground for a handling tire) or deformable. The laws are pure
//! functions, one concept per file, and do not depend on the grid.

pub mod catalog;
mod check;
mod custom_law;
mod details;
mod frost;
mod laws;
mod moisture;
mod multi_pass;
mod parameters;
mod passive_wedge;
mod plowing;
pub mod pressure_sinkage;
mod refined;
mod shear;
mod snow;
mod step_limit;
mod strength;

pub use catalog::{Catalog, CatalogError, CatalogSoil, catalog};
pub use check::ParameterError;
pub(crate) use custom_law::{BuiltinLaw, CustomLaw, SoilResponse};
pub use custom_law::{Loading, SoilLaw};
pub use details::{Crust, Details, PeakShear, RateDependence, Reece, SubLayer};
pub use frost::{Frost, Thaw};
pub use laws::Laws;
pub use moisture::{Moisture, MoistureError, Rain, SoilClass};
pub use multi_pass::MultiPass;
pub use parameters::{Bulldozing, DeformableSoil, Soil, SoilId, SoilKind};
pub use passive_wedge::PassiveWedge;
pub use plowing::DeepFooting;
pub(crate) use refined::{ADVANCING, peak_fraction};
pub use refined::{
    Bearing, inclined_bearing, mobilize, press_refined, reload_stiffness, slip_sinkage,
};
pub use shear::{ShearStrength, Tread};
pub use snow::SnowCover;
pub use step_limit::StiffParameter;
