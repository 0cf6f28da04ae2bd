//! Logs of simulated drives with noise, on soils that are hidden from the identification.

use bekker_math::curve::Curve;
use bekker_math::random::RandomStream;
use bekker_rig::drives::{
    DriveLog, DriveVehicle, LogChannel, LoggedControls, PARAMETERS, SoilParameters, SoilPrior,
    model_error,
};
use bekker_scenario::config::{DriverConfig, TireModel, VehicleConfig};
use bekker_vehicle::spec::Inflation;
use std::path::PathBuf;

/// Time between samples and width of windows, s.
pub const INTERVAL: f64 = 0.05;
pub const WINDOW: f64 = 0.5;
/// The vehicle with coarse steps and nodes: the inference is tested, not the accuracy of a drive.
pub fn vehicle(tire: TireModel, inflation: Option<f64>) -> DriveVehicle {
    let mut config = VehicleConfig::new("vehicle", "mrzr4", DriverConfig::default());
    config.tire = Some(tire);
    config.inflation_kpa = inflation.map(Inflation::All);
    let mut vehicle = DriveVehicle::new(config, PathBuf::new());
    vehicle.step = Some(0.005);
    vehicle.ground.spacing = 0.08;
    vehicle
}

/// A log with a throttle over time and channels without values.
pub fn plan(duration: f64, grade: f64, throttle: &[[f64; 2]]) -> DriveLog {
    let count = (duration / INTERVAL).round() as usize;
    let times: Vec<f64> = (0..=count).map(|n| n as f64 * INTERVAL).collect();
    let curve = Curve::new(throttle.to_vec()).unwrap();
    let throttle = times.iter().map(|time| curve.value(*time)).collect();
    let zeros = vec![0.0; times.len()];
    let mut channels = vec![LogChannel::Speed, LogChannel::Pitch];
    channels.extend((0..4).flat_map(|wheel| [LogChannel::Spin(wheel), LogChannel::Torque(wheel)]));
    let channels = channels.into_iter().map(|own| (own, zeros.clone())).collect();
    let controls = Some(LoggedControls { throttle, brake: zeros.clone(), steering: zeros });
    DriveLog { name: "synthetic".into(), times, channels, controls, grade }
}

/// Deviation of the white noise of a sample.
pub fn noise(channel: LogChannel) -> f64 {
    match channel {
        LogChannel::Speed => 0.05,
        LogChannel::Pitch => 0.003,
        LogChannel::Spin(_) => 0.2,
        LogChannel::Torque(_) => 20.0,
        LogChannel::Sinkage(_) => 0.005,
    }
}

/// Adds white noise, and in each window an error of the model.
pub fn with_noise(mut log: DriveLog, seed: u64) -> DriveLog {
    let window = |time: &f64| (time / WINDOW - 1e-6).floor().max(0.0) as u64;
    let windows: Vec<u64> = log.times.iter().map(window).collect();
    for (channel, values) in &mut log.channels {
        let samples = RandomStream::new(seed, &channel.column());
        let windows_of_model = RandomStream::new(seed, &format!("model of {}", channel.column()));
        let model = model_error(*channel, values);
        for (n, own) in values.iter_mut().enumerate() {
            *own += noise(*channel) * samples.normal(n as u64)
                + model * windows_of_model.normal(windows[n]);
        }
    }
    log
}

/// Soils drawn from the prior on which the vehicle can be simulated.
pub fn hidden(prior: &SoilPrior, seed: u64, count: usize) -> Vec<(u64, SoilParameters)> {
    let stream = RandomStream::new(seed, "hidden");
    let draw = |n: u64| {
        let normals = std::array::from_fn(|k| stream.normal(PARAMETERS as u64 * n + k as u64));
        prior.draw(normals).map(|own| (n, own))
    };
    (0..).filter_map(draw).take(count).collect()
}
