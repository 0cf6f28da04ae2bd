//! Comparison of the soil model with closed forms, runs of the reference and measurements.
//!
//! Each section is a function without parameters that returns a [`Section`]; all run in parallel.
//! To add one, write it in a separate file and list it in [`SECTIONS`].

mod classic_wheels;
mod closed_forms;
mod deflection;
mod passive;
mod ranges;
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
pub use snow::{
    SnowErrors, SnowModel, SnowResistance, rut_resistance, snow_errors, snow_resistance,
};
pub use wheel_trials::{
    TrialErrors, WheelTrial, predict_trials, trial_errors, trial_rig, trial_sand, wheel_trials,
};

/// Function that writes a section.
pub type Write = fn() -> Result<Section, ValidationError>;

/// Sections, in the order of the document.
pub const SECTIONS: [Write; 19] = [
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
    ranges::section,
];
