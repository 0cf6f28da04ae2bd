//! Detection of a changed soil along a drive.

use super::drive_log::{DriveLog, LogChannel};
use super::posterior::{DrivesError, SoilPosterior, deviations};
use super::simulated_drive::{DriveVehicle, DriveWindows, SimulatedDrive};
use super::soil_prior::SoilParameters;
use crate::InParallel;
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
/// Too few simulations with finite states.
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
    // a soil that a scenario refuses predicts nothing
    let simulated = soils.in_parallel(|soil| drive.run(soil).ok().flatten());
    let predicted: Vec<Vec<f64>> = simulated.flatten().map(|own| windows_of(&own).means).collect();
    if predicted.len() < DRAWS / 2 {
        return Err(DrivesError::TooFewDrives { valid: predicted.len(), drives: soils.len() });
    }
    let noises = deviations(log, &measured);
    let width = measured.channels.len();
    let limit =
        ChiSquared::new(width as f64).map_or(f64::INFINITY, |own| own.inverse_cdf(1.0 - DIFFERS));
    let mut members = MemberWeights::new(predicted.len());
    let windows: Vec<WindowCheck> = measured
        .ends
        .iter()
        .enumerate()
        .map(|(index, end)| {
            let range = index * width..(index + 1) * width;
            let own: Vec<&[f64]> = predicted.iter().map(|own| &own[range.clone()]).collect();
            members.check(*end, &measured.means[range.clone()], &own, &noises[range], limit)
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

/// Weights of the simulations' anomalies, normal given the windows so far.
///
/// A window is predicted as mean + A w with noise, where the columns of A are the differences of the
/// simulations from their mean over the root of their number less one, and w is standard normal before
/// the first window (G. Evensen, *Data Assimilation*, 2009).
struct MemberWeights {
    /// Inverse covariance of the weights, and its product with their mean.
    information: DMatrix<f64>,
    product: DVector<f64>,
}

impl MemberWeights {
    fn new(count: usize) -> MemberWeights {
        let information = DMatrix::identity(count, count);
        MemberWeights { information, product: DVector::zeros(count) }
    }

    /// Compares a window with its prediction, and takes it into the weights unless it differs.
    fn check(
        &mut self,
        end: f64,
        measured: &[f64],
        members: &[&[f64]],
        noises: &[f64],
        limit: f64,
    ) -> WindowCheck {
        let (width, count) = (measured.len(), members.len());
        // in units of the noise
        let members = DMatrix::from_fn(width, count, |k, member| members[member][k] / noises[k]);
        let mean = members.column_mean();
        let mut anomalies = members;
        anomalies.column_iter_mut().for_each(|mut own| own -= &mean);
        anomalies /= (count as f64 - 1.0).sqrt();
        let innovation = DVector::from_fn(width, |k, _| measured[k] / noises[k]) - &mean;
        let weights = self.information.clone().cholesky().map(|factor| {
            let mean = factor.solve(&self.product);
            (mean, factor.inverse())
        });
        let (weights, spread) =
            weights.unwrap_or_else(|| (DVector::zeros(count), DMatrix::identity(count, count)));
        let covariance =
            &anomalies * spread * anomalies.transpose() + DMatrix::identity(width, width);
        let shift = &anomalies * weights;
        let left = &innovation - &shift;
        let diagonal = covariance.diagonal();
        let distance =
            covariance.cholesky().map_or(f64::INFINITY, |factor| left.dot(&factor.solve(&left)));
        let differs = distance > limit;
        if !differs {
            self.information += anomalies.transpose() * &anomalies;
            self.product += anomalies.transpose() * innovation;
        }
        WindowCheck {
            end,
            distance,
            differs,
            measured: measured.to_vec(),
            predicted: (0..width).map(|k| (mean[k] + shift[k]) * noises[k]).collect(),
            deviations: (0..width).map(|k| diagonal[k].sqrt() * noises[k]).collect(),
        }
    }
}
