//! Comparison of the soil model with closed forms, runs of the reference and measurements.
//!
//! Each page is a function without parameters that returns a [`Page`]. To add one, write it in a
//! separate file and list it in [`PAGES`].

mod classic_wheels;
mod closed_forms;
mod deflection;
mod driven_wheels;
mod motor_currents;
mod overview;
mod page;
mod passes;
mod passive;
mod planetary_wheels;
mod pressure_sinkage;
mod reference_runs;
mod sand;
mod shear;
mod side_force;
mod slip_angles;
mod snow;
mod tires;
mod track_models;
mod tracks;
mod vehicles;
mod wheel_trials;

pub use overview::overview;
pub use page::{Block, Chart, Page, PageSummary, ValidationError, WorstError};
pub use snow::{
    SnowErrors, SnowModel, SnowResistance, rut_resistance, snow_errors, snow_resistance,
};
pub use wheel_trials::{
    TrialErrors, WheelTrial, predict_trials, trial_errors, trial_rig, trial_sand, wheel_trials,
};

/// Function that computes a page.
pub type ComputePage = fn() -> Result<Page, ValidationError>;

/// Pages by name, in the order of the overview.
pub const PAGES: [(&str, ComputePage); 9] = [
    ("pressure_sinkage", pressure_sinkage::page),
    ("shear", shear::page),
    ("driven_wheels", driven_wheels::page),
    ("side_force", side_force::page),
    ("passes", passes::page),
    ("tracks", tracks::page),
    ("snow", snow::page),
    ("tires", tires::page),
    ("vehicles", vehicles::page),
];
