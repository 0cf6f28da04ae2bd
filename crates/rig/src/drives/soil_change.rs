//! Detection of a changed soil along a drive.

use super::drive_log::{DriveLog, LogChannel};
use super::posterior::{DrivesError, SoilPosterior, deviations};
use super::simulated_drive::{DriveVehicle, DriveWindows, SimulatedDrive};
use super::soil_prior::SoilParameters;
use crate::InParallel;
use bekker_scenario::Diagnostics;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Simulations of the whole log on soils of the posterior.
const DRAWS: usize = 32;
/// Probability of a window's misfit on the identified soil below which it differs.
const DIFFERS: f64 = 1e-4;
/// Number of successive windows that must differ.
const SUCCESSIVE: usize = 2;

/// Comparison of a window with the predictions on the identified soil.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WindowCheck {
    /// End of the window, s.
    pub end: f64,
    /// Squared Mahalanobis distance of the measured means from the predicted ones.
    pub distance: f64,
    /// Whether the distance is too large for the identified soil.
    pub differs: bool,
    /// Measured means, in the order of the channels.
    pub measured: Vec<f64>,
    /// Predicted means.
    pub predicted: Vec<f64>,
    /// Standard deviations of the predictions with noise.
    pub deviations: Vec<f64>,
}

/// A drive compared with the identified soil, window by window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SoilChange {
    /// Channels.
    pub channels: Vec<LogChannel>,
    /// Windows.
    pub windows: Vec<WindowCheck>,
    /// Time at which the change is noticed, s; `None` if the soil stays.
    pub noticed: Option<f64>,
    /// Begin of the first window that differs, s.
    pub begins: Option<f64>,
}

/// Compares a whole log with predictions on the soil that was identified from its beginning.
///
/// The change is noticed at the end of the second of two successive windows whose misfit has a
/// probability below 1e-4 on the identified soil.
///
/// # Errors
/// As for [`identify_soil`](super::identify_soil).
pub fn find_soil_change(
    vehicle: &DriveVehicle,
    log: &DriveLog,
    posterior: &SoilPosterior,
) -> Result<SoilChange, DrivesError> {
    let drive = SimulatedDrive::new(vehicle, log);
    let skipped = drive.settling_time();
    let windows_of = |own: &DriveLog| DriveWindows::of_log(own, posterior.window, skipped);
    let measured = windows_of(log);
    let stride = (posterior.draws.len() / DRAWS).max(1);
    let soils: Vec<SoilParameters> =
        posterior.draws.iter().step_by(stride).take(DRAWS).copied().collect();
    let simulated = soils.in_parallel(|soil| drive.run(soil));
    let simulated = simulated.collect::<Result<Vec<_>, Diagnostics>>()?;
    let predicted: Vec<Vec<f64>> =
        simulated.iter().flatten().map(|own| windows_of(own).means).collect();
    if predicted.len() < DRAWS / 2 {
        return Err(DrivesError::TooFewDrives { valid: predicted.len(), drives: soils.len() });
    }
    let noises = deviations(log, &measured);
    let width = measured.channels.len();
    let limit =
        ChiSquared::new(width as f64).map_or(f64::INFINITY, |own| own.inverse_cdf(1.0 - DIFFERS));
    let windows: Vec<WindowCheck> = measured
        .ends
        .iter()
        .enumerate()
        .map(|(index, end)| {
            let range = index * width..(index + 1) * width;
            let members: Vec<&[f64]> = predicted.iter().map(|own| &own[range.clone()]).collect();
            check(*end, &measured.means[range.clone()], &members, &noises[range], limit)
        })
        .collect();
    let changed = windows.windows(SUCCESSIVE).position(|own| own.iter().all(|one| one.differs));
    Ok(SoilChange {
        channels: measured.channels,
        noticed: changed.map(|index| windows[index + SUCCESSIVE - 1].end),
        begins: changed.map(|index| windows[index].end - posterior.window),
        windows,
    })
}

fn check(
    end: f64,
    measured: &[f64],
    members: &[&[f64]],
    noises: &[f64],
    limit: f64,
) -> WindowCheck {
    let (width, count) = (measured.len(), members.len() as f64);
    // in units of the noise
    let scaled = |own: &[f64]| DVector::from_fn(width, |k, _| own[k] / noises[k]);
    let members: Vec<DVector<f64>> = members.iter().map(|own| scaled(own)).collect();
    let mean = members.iter().sum::<DVector<f64>>() / count;
    let mut covariance = DMatrix::identity(width, width);
    for own in &members {
        let difference = own - &mean;
        covariance.ger(1.0 / (count - 1.0), &difference, &difference, 1.0);
    }
    let difference = scaled(measured) - &mean;
    let diagonal = covariance.diagonal();
    let distance = covariance
        .cholesky()
        .map_or(f64::INFINITY, |factor| difference.dot(&factor.solve(&difference)));
    WindowCheck {
        end,
        distance,
        differs: distance > limit,
        measured: measured.to_vec(),
        predicted: (0..width).map(|k| mean[k] * noises[k]).collect(),
        deviations: (0..width).map(|k| diagonal[k].sqrt() * noises[k]).collect(),
    }
}
