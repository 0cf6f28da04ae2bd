//! Soil parameters from drives of a vehicle.
//!
//! A [`DriveLog`] has the speed, wheel speeds, torques and controls of a drive. The same vehicle is
//! simulated with the logged controls on soils drawn from a [`SoilPrior`], and the means of its
//! channels over short windows are compared with those of the log.
//!
//! The posterior follows *calibrate, emulate, sample* (E. Cleary, A. Garbuno-Inigo, S. Lan, T.
//! Schneider and A. Stuart, J. Comput. Phys. 424, 2021): rounds of exact simulations move to where the
//! posterior is, a Gaussian process with a quadratic trend is fitted to them, and tempered sequential Monte Carlo
//! (P. Del Moral, A. Doucet and A. Jasra, J. R. Stat. Soc. B 68, 2006) samples the posterior on this
//! surface. The error of the process is part of the noise.

mod drive_log;
mod next_drive;
mod posterior;
mod response_surface;
mod simulated_drive;
mod soil_change;
mod soil_prior;
mod tempered_sampler;

pub use drive_log::{
    DriveLog, DriveLogError, LogChannel, LogTable, LoggedControls, read_drive_log,
};
pub use next_drive::{NextDrive, rank_next_drives};
pub use posterior::{
    DriveFit, DrivesError, IdentificationSettings, ParameterQuantiles, PrincipalDirection,
    SoilPosterior, identify_soil, model_error,
};
pub use simulated_drive::{DriveVehicle, DriveWindows, SimulatedDrive};
pub use soil_change::{SoilChange, WindowCheck, find_soil_change};
pub use soil_prior::{PARAMETER_KEYS, PARAMETERS, SoilParameters, SoilPrior};
