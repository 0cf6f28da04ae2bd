//! Which drive to log next: the variance that candidates are expected to leave.

use super::drive_log::{DriveLog, LogChannel, LoggedControls};
use super::posterior::{DrivesError, SoilPosterior, deviations_with_noise, sample_noises};
use super::simulated_drive::{DriveVehicle, DriveWindows, SimulatedDrive};
use super::soil_prior::{PARAMETERS, SoilParameters, Whitened};
use super::tempered_sampler::covariance;
use crate::InParallel;
use bekker_math::curve::Curve;
use bekker_vehicle::Payload;
use bekker_vehicle::spec::Inflation;
use nalgebra::{DMatrix, DVector, SMatrix};
use serde::Serialize;

/// Time between samples, s, and duration of a candidate, s.
const INTERVAL: f64 = 0.05;
const DURATION: f64 = 4.0;
/// Time at the end over which the pull is averaged, s.
const PULL_TIME: f64 = 0.5;
/// Grade of the candidate on a slope.
const GRADE: f64 = 0.15;
/// Factor of the inflation of the candidate on softer tires.
const SOFTER: f64 = 0.6;
/// Added mass of the candidate with a load, relative to the vehicle's.
const ADDED_MASS: f64 = 0.25;
/// Speed of the steady candidate, m/s.
const STEADY_SPEED: f64 = 3.0;
/// Fewest simulations with finite states from which a candidate is judged.
const FEWEST: usize = 2 * PARAMETERS + 4;

type Covariance = SMatrix<f64, PARAMETERS, PARAMETERS>;

/// A candidate for the next log, with the variances expected after it over those before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextDrive {
    /// The drive in words.
    pub drive: String,
    /// Mean over the logarithms of the parameters.
    pub parameters: f64,
    /// Variance of the combination of parameters that is determined least.
    pub least_determined: f64,
    /// Mean over the pulls at full throttle: on the level, on a grade, on softer tires and loaded.
    pub pull: f64,
    /// Number of simulated draws with finite states.
    pub draws: usize,
}

/// A drive that might be logged.
struct CandidateDrive {
    name: String,
    vehicle: DriveVehicle,
    plan: DriveLog,
    /// Whether it ends at full throttle, so that its end shows the pull.
    ends_in_pull: bool,
}

/// A candidate on a draw of the posterior.
struct SimulatedCandidate {
    whitened: Whitened,
    log: DriveLog,
}

/// Ranks candidates by the variance that the parameters are expected to keep, least first.
///
/// The means of each candidate are simulated on `draws` soils of the posterior. They are taken as linear
/// in the parameters, with the residuals as further noise, so that the expected covariance has a closed
/// form (D. Lindley, Ann. Math. Stat. 27, 1956). `log` supplies channels and their noise.
///
/// # Errors
/// A vehicle that a scenario refuses.
pub fn rank_next_drives(
    vehicle: &DriveVehicle,
    log: &DriveLog,
    posterior: &SoilPosterior,
    draws: usize,
) -> Result<Vec<NextDrive>, DrivesError> {
    let candidates = candidates(vehicle, log, &posterior.central_soil())?;
    let stride = (posterior.draws.len() / draws.max(1)).max(1);
    let soils: Vec<(Whitened, SoilParameters)> =
        posterior.whitened_draws().step_by(stride).take(draws).collect();
    let before = covariance(&posterior.whitened_draws().map(|own| own.0).collect::<Vec<_>>());
    let simulated: Vec<Vec<SimulatedCandidate>> =
        candidates.iter().map(|own| own.simulate(&soils)).collect();
    let pull_gradients: Vec<Whitened> = candidates
        .iter()
        .zip(&simulated)
        .filter(|(own, drives)| own.ends_in_pull && drives.len() >= FEWEST)
        .map(|(own, drives)| own.pull_gradient(drives))
        .collect();
    let eigen = before.symmetric_eigen();
    let least_determined = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
    let noises = sample_noises(log);
    let judged = candidates.iter().zip(&simulated).filter(|(_, drives)| drives.len() >= FEWEST);
    let mut ranked: Vec<NextDrive> = judged
        .map(|(own, drives)| {
            let after = own.expected_covariance(drives, &before, &noises, posterior.window);
            let along = |gradient: &Whitened| {
                gradient.dot(&(after * gradient)) / gradient.dot(&(before * gradient)).max(1e-12)
            };
            let [left, now] = [&after, &before].map(|own| posterior.prior.variances(own));
            NextDrive {
                drive: own.name.clone(),
                parameters: left.component_div(&now).mean(),
                least_determined: along(&least_determined),
                pull: pull_gradients.iter().map(along).sum::<f64>()
                    / pull_gradients.len().max(1) as f64,
                draws: drives.len(),
            }
        })
        .collect();
    ranked.sort_by(|a, b| a.parameters.total_cmp(&b.parameters));
    Ok(ranked)
}

/// Returns starts, coasting, braking and steady driving, and a start on a slope, softer or loaded.
fn candidates(
    vehicle: &DriveVehicle,
    log: &DriveLog,
    soil: &SoilParameters,
) -> Result<Vec<CandidateDrive>, DrivesError> {
    let full = [[0.0, 0.0], [0.4, 1.0]];
    let burst = [[0.0, 0.0], [0.4, 1.0], [2.0, 1.0], [2.2, 0.0]];
    let braking = [[0.0, 0.0], [2.2, 0.0], [2.4, 0.5]];
    let candidate = |name: &str, throttle: &[[f64; 2]], brake: &[[f64; 2]]| CandidateDrive {
        name: name.into(),
        vehicle: vehicle.clone(),
        plan: plan(log, throttle, brake),
        ends_in_pull: false,
    };
    let pulling = |name: String| CandidateDrive {
        ends_in_pull: true,
        ..candidate(&name, &full, &[[0.0, 0.0]])
    };
    let mut candidates = vec![
        pulling("full throttle from rest".into()),
        candidate("half throttle from rest", &[[0.0, 0.0], [0.4, 0.5]], &[[0.0, 0.0]]),
        candidate("full throttle for 2 s, then coasting", &burst, &[[0.0, 0.0]]),
        candidate("full throttle for 2 s, then braking", &burst, &braking),
    ];
    let mut steady = candidate(&format!("steady {STEADY_SPEED} m/s from rest"), &full, &[]);
    steady.plan.controls = None;
    let speeds: Vec<f64> =
        steady.plan.times.iter().map(|time| STEADY_SPEED.min(2.0 * time)).collect();
    for (channel, values) in &mut steady.plan.channels {
        if *channel == LogChannel::Speed {
            values.clone_from(&speeds);
        }
    }
    candidates.push(steady);
    let mut slope = pulling(format!("full throttle up a grade of {:.0} %", 100.0 * GRADE));
    slope.plan.grade = GRADE;
    candidates.push(slope);
    let wheels = SimulatedDrive::new(vehicle, log).wheels_at_start(soil)?;
    // rigid wheels have no inflation
    if let Some(inflation) = wheels.first().map(|own| own.inflation).filter(|own| *own > 0.0) {
        let kpa = (1e-3 * SOFTER * inflation).round();
        let mut softer = pulling(format!("full throttle at {kpa} kPa in all tires"));
        softer.vehicle.config.inflation_kpa = Some(Inflation::All(kpa));
        candidates.push(softer);
    }
    let mass = wheels.iter().map(|own| own.load).sum::<f64>() / vehicle.gravity;
    let added = (ADDED_MASS * mass / 10.0).round() * 10.0;
    let mut loaded = pulling(format!("full throttle with {added} kg more"));
    let payload = Payload { mass: added, position: [0.0; 3], size: [0.0; 3] };
    loaded.vehicle.config.payload.push(payload);
    candidates.push(loaded);
    Ok(candidates)
}

/// Returns a log with controls and the channels of another, without values.
fn plan(log: &DriveLog, throttle: &[[f64; 2]], brake: &[[f64; 2]]) -> DriveLog {
    let count = (DURATION / INTERVAL).round() as usize;
    let times: Vec<f64> = (0..=count).map(|n| n as f64 * INTERVAL).collect();
    let zeros = vec![0.0; times.len()];
    let pedal = |points: &[[f64; 2]]| match Curve::new(points.to_vec()) {
        Ok(curve) => times.iter().map(|time| curve.value(*time)).collect(),
        Err(_) => zeros.clone(),
    };
    let (throttle, brake) = (pedal(throttle), pedal(brake));
    DriveLog {
        name: log.name.clone(),
        channels: log.channels.iter().map(|(own, _)| (*own, zeros.clone())).collect(),
        controls: Some(LoggedControls { throttle, brake, steering: zeros }),
        times,
        grade: 0.0,
    }
}

impl CandidateDrive {
    fn simulate(&self, soils: &[(Whitened, SoilParameters)]) -> Vec<SimulatedCandidate> {
        let drive = SimulatedDrive::new(&self.vehicle, &self.plan);
        // a soil that a scenario refuses has no means
        let run = |(whitened, soil): &(Whitened, SoilParameters)| {
            let log = drive.run(soil).ok().flatten()?;
            Some(SimulatedCandidate { whitened: *whitened, log })
        };
        soils.in_parallel(run).flatten().collect()
    }

    /// Returns the change of the pull over weight with the whitened parameters.
    fn pull_gradient(&self, drives: &[SimulatedCandidate]) -> Whitened {
        let samples = (PULL_TIME / INTERVAL).round() as usize;
        let pull = |own: &SimulatedCandidate| {
            let speeds = own.log.channel(LogChannel::Speed).unwrap_or_default();
            let last = speeds.len() - 1;
            (speeds[last] - speeds[last - samples]) / (PULL_TIME * self.vehicle.gravity)
        };
        let pulls = DMatrix::from_iterator(drives.len(), 1, drives.iter().map(pull));
        let slopes = LinearResponse::fit(drives, pulls).slopes;
        Whitened::from_fn(|k, _| slopes[(k, 0)])
    }

    /// Returns the covariance of the whitened parameters that is expected after the drive.
    fn expected_covariance(
        &self,
        drives: &[SimulatedCandidate],
        before: &Covariance,
        noises: &[f64],
        window: f64,
    ) -> Covariance {
        let windows: Vec<DriveWindows> =
            drives.iter().map(|own| DriveWindows::of_log(&own.log, window, 0.0)).collect();
        let deviations = deviations_with_noise(&drives[0].log, noises, &windows[0]);
        let scaled = DMatrix::from_fn(drives.len(), deviations.len(), |draw, k| {
            windows[draw].means[k] / deviations[k]
        });
        let response = LinearResponse::fit(drives, principal_scores(scaled));
        let Some(root) = before.cholesky().map(|own| own.l()) else { return *before };
        let information = root.transpose() * response.information() * root;
        // an estimate of no information may be below zero
        let eigen = information.symmetric_eigen();
        let left = eigen.eigenvalues.map(|own| 1.0 / (1.0 + own.max(0.0)));
        let rotated = root * eigen.eigenvectors;
        rotated * SMatrix::from_diagonal(&left) * rotated.transpose()
    }
}

/// Returns the leading principal components of rows, one for each parameter.
fn principal_scores(mut rows: DMatrix<f64>) -> DMatrix<f64> {
    let mean = rows.row_mean();
    rows.row_iter_mut().for_each(|mut own| own -= &mean);
    let eigen = (&rows * rows.transpose()).symmetric_eigen();
    let mut order: Vec<usize> = (0..rows.nrows()).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let score = |index: &usize| {
        eigen.eigenvectors.column(*index) * eigen.eigenvalues[*index].max(0.0).sqrt()
    };
    DMatrix::from_columns(&order.iter().take(PARAMETERS).map(score).collect::<Vec<DVector<f64>>>())
}

/// Values with unit noise as a linear function of the whitened parameters.
struct LinearResponse {
    /// One row a parameter, one column a value.
    slopes: DMatrix<f64>,
    /// Covariance of the residuals.
    residual: DMatrix<f64>,
    /// Inverse of the sum of squares of the parameters.
    inverse: DMatrix<f64>,
}

impl LinearResponse {
    fn fit(drives: &[SimulatedCandidate], mut values: DMatrix<f64>) -> LinearResponse {
        let mean = values.row_mean();
        values.row_iter_mut().for_each(|mut own| own -= &mean);
        let mut parameters =
            DMatrix::from_fn(drives.len(), PARAMETERS, |n, k| drives[n].whitened[k]);
        let mean = parameters.row_mean();
        parameters.row_iter_mut().for_each(|mut own| own -= &mean);
        let squares =
            parameters.tr_mul(&parameters) + DMatrix::identity(PARAMETERS, PARAMETERS) * 1e-9;
        let inverse = squares
            .cholesky()
            .map_or_else(|| DMatrix::zeros(PARAMETERS, PARAMETERS), |own| own.inverse());
        let slopes = &inverse * parameters.tr_mul(&values);
        let left = values - parameters * &slopes;
        // the mean of the inverse of an estimated covariance is too large with the usual divisor (T.
        // Anderson, An Introduction to Multivariate Statistical Analysis, 2003, section 7.7)
        let freedom = (drives.len() - PARAMETERS - 1) as f64 - left.ncols() as f64 - 1.0;
        LinearResponse { slopes, residual: left.tr_mul(&left) / freedom.max(1.0), inverse }
    }

    /// Returns the information of the values about the parameters, less that of errors of the slopes.
    fn information(&self) -> Covariance {
        let width = self.residual.nrows();
        let noise = &self.residual + DMatrix::identity(width, width);
        let precision =
            noise.cholesky().map_or_else(|| DMatrix::zeros(width, width), |own| own.inverse());
        let spurious = (&precision * &self.residual).trace();
        let information =
            &self.slopes * precision * self.slopes.transpose() - &self.inverse * spurious;
        Covariance::from_fn(|i, j| information[(i, j)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::random::RandomStream;

    fn drives(count: usize) -> Vec<SimulatedCandidate> {
        let stream = RandomStream::new(5, "draws");
        let log = DriveLog {
            name: String::new(),
            times: vec![],
            channels: vec![],
            controls: None,
            grade: 0.0,
        };
        let draw = |n: usize| {
            let normal = |k: usize| stream.normal((PARAMETERS * n + k) as u64);
            let whitened = Whitened::from_fn(|k, _| normal(k));
            SimulatedCandidate { whitened, log: log.clone() }
        };
        (0..count).map(draw).collect()
    }

    /// A value h z with unit noise has the information h hᵀ (Lindley 1956).
    #[test]
    fn a_linear_response_has_the_information_of_its_slopes() {
        let drives = drives(24);
        let slopes = [3.0, -1.0, 0.0, 0.5, 0.0, 2.0];
        let value = |own: &SimulatedCandidate| own.whitened.dot(&Whitened::from(slopes));
        let values = DMatrix::from_iterator(24, 1, drives.iter().map(value));
        let information = LinearResponse::fit(&drives, values).information();
        for i in 0..PARAMETERS {
            for j in 0..PARAMETERS {
                let expected = slopes[i] * slopes[j];
                // rounding, and the term of 1e-9 that keeps the squares invertible
                assert!((information[(i, j)] - expected).abs() < 1e-6, "{information}");
            }
        }
    }

    /// Values without relation to the parameters have no information on average: the spurious
    /// information from errors of the slopes is subtracted.
    #[test]
    fn noise_has_no_information() {
        let drives = drives(24);
        let traces = (0..200).map(|trial| {
            let stream = RandomStream::new(trial, "noise");
            let values = DMatrix::from_fn(24, 3, |n, k| 5.0 * stream.normal((3 * n + k) as u64));
            LinearResponse::fit(&drives, values).information().trace()
        });
        let traces: Vec<f64> = traces.collect();
        let mean = traces.iter().sum::<f64>() / 200.0;
        let squares = traces.iter().map(|own| (own - mean) * (own - mean)).sum::<f64>();
        let error = (squares / (199.0 * 200.0)).sqrt();
        // three standard errors, and the noise of 1 beside the variance of 25
        assert!(mean.abs() < 3.0 * error + 0.04, "{mean} {error}");
    }
}
