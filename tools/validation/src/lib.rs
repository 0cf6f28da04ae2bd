//! The soil model beside closed forms, the reference's runs and measurements.
//!
//! Each section is a function from nothing to a [`Section`], run at once with the
//! others: to add one, write it in a file of its own and name it in [`SECTIONS`].

mod classic_wheels;
mod closed_forms;
mod deflection;
mod passive;
mod reference_runs;
mod sand;
mod section;
mod slip_angles;
mod snow;
mod track_models;
mod tracks;
mod trends;
mod vehicles;
mod wheel_trials;

pub use section::{Block, Chart, Section, ValidationError};
pub use snow::{Snow, SnowErrors, SnowResistance, snow_errors, snow_resistance};
pub use wheel_trials::{
    TrialErrors, WheelTrial, predict_trials, trial_errors, trial_rig, trial_sand, wheel_trials,
};

/// A section to be written.
pub type Write = fn() -> Result<Section, ValidationError>;

/// The sections, in their order.
pub const SECTIONS: [Write; 18] = [
    closed_forms::plates,
    closed_forms::energies,
    classic_wheels::towed,
    closed_forms::wheels,
    classic_wheels::driven,
    tracks::rigid_track,
    tracks::vehicle,
    track_models::section,
    slip_angles::section,
    passive::section,
    vehicles::section,
    reference_runs::wheel,
    reference_runs::vehicle,
    sand::section,
    deflection::section,
    snow::section,
    snow::m113_in_snow,
    trends::section,
];
