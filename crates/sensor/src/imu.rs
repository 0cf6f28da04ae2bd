//! Inertial measurement unit: three accelerometers and three gyroscopes.
//!
//! Each triad converts the mean x of specific force or angular rate over the collection window into
//!
//! y = (I + M) diag(1 + s) x + b₀ + b(t) + w(t) + n.
//!
//! - M: misalignment, s: scale error, b₀: turn-on bias, each drawn once per device
//! - b: first-order Gauss–Markov drift
//! - w: random walk
//! - n: white noise
//!
//! The result is clipped to the range and rounded to the resolution. The model follows IEEE 952;
//! `docs/sensors.md` gives the terms in discrete time. Temperature, vibration rectification,
//! g-sensitivity of the gyroscopes and the rotation of the earth are not modeled.

use super::noise::Noise;
use super::process::{GaussMarkov, axes};
use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::{Mat3, Vec3};
use serde::{Deserialize, Serialize};

/// Error parameters of three axes of one kind; the unit u is m/s² or rad/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Triad {
    /// White noise, u/√Hz: the Allan deviation at 1 s.
    pub noise_density: f64,
    /// Standard deviation of the Gauss–Markov drift, u.
    pub drift: f64,
    /// Correlation time of the drift, s; 0 for no drift.
    pub drift_time: f64,
    /// Random walk, u/√s.
    pub random_walk: f64,
    /// Standard deviation of the turn-on bias, u.
    pub turn_on_bias: f64,
    /// Standard deviation of the scale error of each axis.
    pub scale: f64,
    /// Standard deviation of the six angles between the axes and the case, rad.
    pub misalignment: f64,
    /// Largest output magnitude, u; 0 for no limit.
    pub range: f64,
    /// Output step, u; 0 for no rounding.
    pub resolution: f64,
}

/// Inertial measurement unit; immutable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Imu {
    /// Error parameters of the accelerometers, m/s².
    pub accelerometer: Triad,
    /// Error parameters of the gyroscopes, rad/s.
    pub gyroscope: Triad,
}

/// Errors of one device: those drawn at turn-on and the current drift and walk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriadState {
    gain: Mat3,
    bias: Vec3,
    drift: Vec3,
    walk: Vec3,
}

/// State of an IMU.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImuState {
    accelerometer: TriadState,
    gyroscope: TriadState,
}

/// Frame number of the draws that are made once per device.
const TURN_ON: u32 = u32::MAX;

/// Random lanes that keep the draws of different purposes apart.
mod lane {
    pub const WHITE: u32 = 0;
    pub const DRIFT: u32 = 1;
    pub const WALK: u32 = 2;
    pub const SCALE: u32 = 3;
    pub const UPPER: u32 = 4;
    pub const LOWER: u32 = 5;
    pub const BIAS: u32 = 6;
}

impl Triad {
    fn drift(&self) -> Option<GaussMarkov> {
        let sigma = Vec3::repeat(self.drift);
        (self.drift_time > 0.0).then_some(GaussMarkov { sigma, time: self.drift_time })
    }

    fn start(&self, noise: &Noise, element: u32) -> TriadState {
        let draw = |lane| axes(noise.normals(TURN_ON, element, lane));
        let [upper, lower] = [lane::UPPER, lane::LOWER].map(|lane| self.misalignment * draw(lane));
        #[rustfmt::skip]
        let tilt = Mat3::new(
            1.0, upper.x, upper.y,
            lower.x, 1.0, upper.z,
            lower.y, lower.z, 1.0,
        );
        TriadState {
            gain: tilt * Mat3::from_diagonal(&draw(lane::SCALE).map(|n| 1.0 + self.scale * n)),
            bias: self.turn_on_bias * draw(lane::BIAS),
            drift: self.drift().map_or_else(Vec3::zeros, |drift| drift.start(draw(lane::DRIFT))),
            walk: Vec3::zeros(),
        }
    }

    /// Returns the reading of the mean `truth` over `window` seconds, `dt` after the previous one.
    fn measure(
        &self,
        state: &mut TriadState,
        truth: &Vec3,
        [window, dt]: [f64; 2],
        draw: impl Fn(u32) -> Vec3,
    ) -> Vec3 {
        if let Some(drift) = self.drift() {
            state.drift = drift.step(&state.drift, dt, draw(lane::DRIFT));
        }
        state.walk += self.random_walk * dt.sqrt() * draw(lane::WALK);
        let white = self.noise_density / window.sqrt() * draw(lane::WHITE);
        let value = state.gain * truth + state.bias + state.drift + state.walk + white;
        value.map(|x| self.quantized(x))
    }

    /// Returns a value clipped to the range and rounded to the resolution.
    ///
    /// Rounding never exceeds the range: the result is then the last step within it.
    fn quantized(&self, x: f64) -> f64 {
        let near = quantized(clipped(x, self.range), self.resolution);
        if self.range > 0.0 && self.resolution > 0.0 && near.abs() > self.range {
            return ((self.range / self.resolution).floor() * self.resolution).copysign(x);
        }
        near
    }
}

/// Clips to ±range; a range of 0 is no limit.
pub(crate) fn clipped(x: f64, range: f64) -> f64 {
    if range > 0.0 { x.clamp(-range, range) } else { x }
}

/// Rounds to whole steps; a resolution of 0 keeps the value.
pub(crate) fn quantized(x: f64, resolution: f64) -> f64 {
    if resolution > 0.0 { (x / resolution).round() * resolution } else { x }
}

impl Imu {
    /// Returns the state of a device when it is turned on.
    pub fn start(&self, noise: &Noise) -> ImuState {
        ImuState {
            accelerometer: self.accelerometer.start(noise, 0),
            gyroscope: self.gyroscope.start(noise, 1),
        }
    }

    /// Returns readings of the mean specific force, m/s², and angular rate, rad/s.
    ///
    /// The means are over `window` seconds, or over the whole period `dt` where the window is 0.
    /// `dt` is the time since the previous reading, s.
    pub fn measure(
        &self,
        state: &mut ImuState,
        [force, rate]: [Vec3; 2],
        window: f64,
        dt: f64,
        noise: &Noise,
        frame: u32,
    ) -> [Vec3; 2] {
        let times = [if window > 0.0 { window } else { dt }, dt];
        let draw = |element| move |lane| axes(noise.normals(frame, element, lane));
        let ImuState { accelerometer, gyroscope } = state;
        [
            self.accelerometer.measure(accelerometer, &force, times, draw(0)),
            self.gyroscope.measure(gyroscope, &rate, times, draw(1)),
        ]
    }

    /// Returns a consumer-grade IMU, such as a telephone's.
    ///
    /// Densities and drifts of all grades are round numbers typical of their class;
    /// `docs/sensors.md` lists them with their sources.
    pub fn consumer() -> Imu {
        grade(Grade {
            noise: [200e-6, 0.01],
            drift: [60e-6, 12.0],
            drift_time: 100.0,
            turn_on: [20e-3, 1.0],
            scale: [0.01, 0.01],
            misalignment: 0.01,
            range: [8.0, 500.0],
            bits: 16,
        })
    }

    /// Returns an industrial-grade IMU: calibrated MEMS.
    pub fn industrial() -> Imu {
        grade(Grade {
            noise: [40e-6, 0.003],
            drift: [10e-6, 1.5],
            drift_time: 300.0,
            turn_on: [2e-3, 0.05],
            scale: [2e-3, 2e-3],
            misalignment: 1e-3,
            range: [16.0, 500.0],
            bits: 24,
        })
    }

    /// Returns a tactical-grade IMU.
    pub fn tactical() -> Imu {
        grade(Grade {
            noise: [20e-6, 0.001],
            drift: [3e-6, 0.1],
            drift_time: 1000.0,
            turn_on: [0.5e-3, 1.0 / 3600.0],
            scale: [3e-4, 3e-4],
            misalignment: 2e-4,
            range: [30.0, 500.0],
            bits: 24,
        })
    }
}

/// Parameters of a grade in the units of data sheets, accelerometers first.
///
/// Accelerometers use g, gyroscopes degrees per second; the drift of gyroscopes is in degrees per
/// hour.
struct Grade {
    noise: [f64; 2],
    drift: [f64; 2],
    drift_time: f64,
    turn_on: [f64; 2],
    scale: [f64; 2],
    misalignment: f64,
    range: [f64; 2],
    bits: i32,
}

fn grade(grade: Grade) -> Imu {
    let unit = [GRAVITY, 1f64.to_radians()];
    let triad = |k: usize, hour: f64| Triad {
        noise_density: grade.noise[k] * unit[k],
        drift: grade.drift[k] * unit[k] / hour,
        drift_time: grade.drift_time,
        random_walk: 0.0,
        turn_on_bias: grade.turn_on[k] * unit[k],
        scale: grade.scale[k],
        misalignment: grade.misalignment,
        range: grade.range[k] * unit[k],
        resolution: grade.range[k] * unit[k] / f64::from(1u32 << (grade.bits - 1)),
    };
    Imu { accelerometer: triad(0, 1.0), gyroscope: triad(1, 3600.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the Allan variance of samples `dt` apart over clusters of `m`, without overlap.
    fn allan_variance(samples: &[f64], m: usize) -> f64 {
        let means: Vec<f64> =
            samples.chunks_exact(m).map(|chunk| chunk.iter().sum::<f64>() / m as f64).collect();
        let n = means.len() - 1;
        means.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f64>() / (2.0 * n as f64)
    }

    const RATE: f64 = 50.0;

    /// Returns one hour of accelerometer readings at rest for each of the three axes.
    fn an_hour(triad: Triad, seed: u64) -> [Vec<f64>; 3] {
        let imu = Imu { accelerometer: triad, ..Imu::default() };
        let noise = Noise::new(seed, 0, 0);
        let mut state = imu.start(&noise);
        let mut axes = [const { Vec::new() }; 3];
        for frame in 1..=(3600.0 * RATE) as u32 {
            let [force, _] =
                imu.measure(&mut state, [Vec3::zeros(); 2], 0.0, 1.0 / RATE, &noise, frame);
            axes.iter_mut().zip(force.iter()).for_each(|(axis, x)| axis.push(*x));
        }
        axes
    }

    /// Asserts that the mean Allan variance over axes and devices follows a formula of the cluster
    /// time.
    ///
    /// The tolerance is four standard errors. Each estimate of n differences has a relative
    /// variance of at most 3/n (white noise; adjacent differences share a mean).
    fn assert_allan(triad: Triad, times: &[f64], formula: impl Fn(f64) -> f64) {
        let runs: Vec<_> = (0..4).flat_map(|seed| an_hour(triad, seed)).collect();
        for &time in times {
            let m = (time * RATE) as usize;
            let found =
                runs.iter().map(|run| allan_variance(run, m)).sum::<f64>() / runs.len() as f64;
            let differences = runs.len() as f64 * (3600.0 / time - 1.0);
            let ratio = found / formula(time);
            assert!((ratio - 1.0).abs() < 4.0 * (3.0 / differences).sqrt(), "{time} s: {ratio}");
        }
    }

    /// White noise follows N²/τ (IEEE 952 C.1.1): slope -1/2 of the deviation, N at 1 s.
    #[test]
    fn white_noise_falls_by_the_root_of_time() {
        let triad = Triad { noise_density: 0.02, turn_on_bias: 1.0, ..Triad::default() };
        assert_allan(triad, &[0.02, 0.1, 1.0, 10.0, 60.0], |time| 4e-4 / time);
    }

    /// A random walk follows K² τ/3 (IEEE 952 C.1.4): slope +1/2 of the deviation.
    #[test]
    fn a_random_walk_rises_by_the_root_of_time() {
        let triad = Triad { random_walk: 0.02, ..Triad::default() };
        assert_allan(triad, &[2.0, 10.0, 60.0], |time| 4e-4 * time / 3.0);
    }

    /// A Gauss–Markov drift has the peak of IEEE 952 C.1.6.
    ///
    /// With σ² = q² Tc/2, σ²(τ) = 2σ²Tc/τ (1 - Tc/2τ (3 - 4 e^(-τ/Tc) + e^(-2τ/Tc))).
    #[test]
    fn a_drift_makes_its_peak() {
        let (sigma, tc) = (0.01, 10.0);
        let triad = Triad { drift: sigma, drift_time: tc, ..Triad::default() };
        let formula = |time: f64| {
            let r = time / tc;
            let bracket = 3.0 - 4.0 * (-r).exp() + (-2.0 * r).exp();
            2.0 * sigma * sigma / r * (1.0 - bracket / (2.0 * r))
        };
        assert_allan(triad, &[1.0, 5.0, 18.9, 60.0], formula);
        let peak = formula(18.9).sqrt() / sigma;
        assert!((peak - 0.618).abs() < 1e-3, "0.437 q √Tc: {peak}");
    }

    #[test]
    fn a_preset_follows_its_noise_density() {
        let triad = Imu::tactical().accelerometer;
        let white = Triad { drift_time: 0.0, resolution: 0.0, ..triad };
        assert_allan(white, &[0.1, 1.0], |time| (20e-6 * GRAVITY).powi(2) / time);
    }

    #[test]
    fn clips_to_its_range_and_rounds_to_its_resolution() {
        let triad = Triad { range: 2.0, resolution: 0.25, ..Triad::default() };
        let imu = Imu { accelerometer: triad, gyroscope: triad };
        let noise = Noise::new(1, 0, 0);
        let mut state = imu.start(&noise);
        let truth = [Vec3::new(5.0, -5.0, 0.3), Vec3::new(0.1, 0.37, 1.9)];
        let [force, rate] = imu.measure(&mut state, truth, 0.0, 0.01, &noise, 1);
        assert_eq!(force, Vec3::new(2.0, -2.0, 0.25));
        assert_eq!(rate, Vec3::new(0.0, 0.25, 2.0));
        // rounding stays within the range
        let coarse = Triad { range: 5.0, resolution: 0.3, ..triad };
        assert_eq!(
            [5.0, -9.0, 4.7, -4.9].map(|x| coarse.quantized(x)),
            [16.0, -16.0, 16.0, -16.0].map(|x| x * 0.3)
        );
    }

    /// Turn-on bias, scale and misalignment vary between devices by their standard deviations.
    ///
    /// For 400 devices the relative standard error of a standard deviation is √(1/(2·1200)) = 2 %;
    /// four are allowed.
    #[test]
    fn devices_differ_by_their_turn_on_errors() {
        let triad =
            Triad { turn_on_bias: 0.1, scale: 0.02, misalignment: 0.003, ..Triad::default() };
        let imu = Imu { accelerometer: triad, ..Imu::default() };
        let devices: Vec<TriadState> =
            (0..400).map(|agent| imu.start(&Noise::new(5, agent, 0)).accelerometer).collect();
        let spread = |values: Vec<f64>| {
            (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt()
        };
        let biases = devices.iter().flat_map(|d| d.bias.iter().copied().collect::<Vec<_>>());
        assert!((spread(biases.collect()) / 0.1 - 1.0).abs() < 0.08);
        let scales = devices.iter().flat_map(|d| [0, 1, 2].map(|k| d.gain[(k, k)] - 1.0));
        assert!((spread(scales.collect()) / 0.02 - 1.0).abs() < 0.08);
        let tilts = devices
            .iter()
            .flat_map(|d| [(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)].map(|k| d.gain[k]));
        assert!((spread(tilts.collect()) / 0.003 - 1.0).abs() < 0.08);
    }

    #[test]
    fn a_shorter_window_is_noisier() {
        let triad = Triad { noise_density: 0.02, ..Triad::default() };
        let imu = Imu { accelerometer: triad, ..Imu::default() };
        let noise = Noise::new(5, 0, 0);
        let read = |window| {
            imu.measure(&mut imu.start(&noise), [Vec3::zeros(); 2], window, 0.01, &noise, 9)
        };
        let ratio = read(0.0025)[0].x / read(0.01)[0].x;
        assert!((ratio - 2.0).abs() < 1e-12, "{ratio}");
    }
}
