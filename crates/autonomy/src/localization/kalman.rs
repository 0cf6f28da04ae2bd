//! The error-state Kalman filter of inertial and satellite navigation.
//!
//! After J. Solà, *Quaternion kinematics for the error-state Kalman filter*, arXiv:1711.02508
//! (2017), chapter 5, with the attitude error in the axes of the IMU. The nominal state is
//! propagated by the measured specific force a and angular rate ω,
//!
//! v' = v + (R (a - b_a) + g) Δt, R' = R Exp((ω - b_g) Δt),
//!
//! and its error (δp, δv, δθ, δb_g, δb_a) by the linearization of that.
//!
//! Three more states are the wandering error w of the receiver, a first-order Gauss–Markov process
//! of known correlation time. A fix measures p + R l + w, where l is the lever arm from IMU to
//! antenna. Without these states a filter treats errors that persist for minutes as independent and
//! soon becomes overconfident.

use bekker_math::numeric::{exp, sin_cos};
use bekker_math::spatial::{Mat3, Quat, Vec3};
use nalgebra::{SMatrix, SVector};
use serde::{Deserialize, Serialize};

/// Number of error states: position, velocity, attitude, both biases and the receiver.
pub const STATES: usize = 18;
const POSITION: usize = 0;
const VELOCITY: usize = 3;
const ATTITUDE: usize = 6;
const GYRO: usize = 9;
const ACCELEROMETER: usize = 12;
const WANDER: usize = 15;

type Covariance = SMatrix<f64, STATES, STATES>;

/// Errors of a triad of one kind; the unit u is m/s² or rad/s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriadErrors {
    /// White noise, u/√Hz.
    pub noise_density: f64,
    /// Standard deviation of the bias at the start, u.
    pub bias: f64,
    /// Random walk of the bias, u/√s.
    pub walk: f64,
}

/// Error models of the sensors; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilterModel {
    /// Gyroscopes, rad/s.
    pub gyroscope: TriadErrors,
    /// Accelerometers, m/s².
    pub accelerometer: TriadErrors,
    /// Standard deviation of the receiver's wandering error, east, north and up, m.
    pub wander: Vec3,
    /// Correlation time of the wandering error, s.
    pub wander_time: f64,
    /// White noise of a fix, per axis, m.
    pub position: f64,
    /// White noise of the receiver's velocity, per axis, m/s.
    pub velocity: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Standard deviations at the start: position, m; velocity, m/s; attitude, rad.
    pub start: [f64; 3],
}

/// State of the filter, which describes the frame of the IMU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KalmanState {
    /// Position, world, m.
    pub position: Vec3,
    /// Velocity, world, m/s.
    pub velocity: Vec3,
    /// Rotation from the axes of the IMU to those of the world.
    pub attitude: Quat,
    /// Bias of the gyroscopes, rad/s.
    pub gyro_bias: Vec3,
    /// Bias of the accelerometers, m/s².
    pub accelerometer_bias: Vec3,
    /// The receiver's wandering error, m.
    pub wander: Vec3,
    /// Bias-corrected angular rate of the last prediction, rad/s.
    pub rate: Vec3,
    covariance: Covariance,
}

/// Rotation by a rotation vector, rad.
pub fn rotation(vector: &Vec3) -> Quat {
    let angle = vector.norm();
    let (sine, cosine) = sin_cos(0.5 * angle);
    // the limit of sin(angle / 2) / angle for small angles
    let scale = if angle < 1e-9 { 0.5 } else { sine / angle };
    let imaginary = vector * scale;
    Quat::new_normalize(nalgebra::Quaternion::from_parts(cosine, imaginary))
}

impl KalmanState {
    /// Returns a filter with a known initial state.
    pub fn new(model: &FilterModel, position: Vec3, velocity: Vec3, attitude: Quat) -> KalmanState {
        let [p, v, a] = model.start;
        let sigmas = [p, v, a, model.gyroscope.bias, model.accelerometer.bias];
        let mut covariance = Covariance::zeros();
        for axis in 0..3 {
            for (block, sigma) in sigmas.into_iter().enumerate() {
                covariance[(3 * block + axis, 3 * block + axis)] = sigma * sigma;
            }
            covariance[(WANDER + axis, WANDER + axis)] = model.wander[axis] * model.wander[axis];
        }
        let zero = Vec3::zeros();
        KalmanState {
            position,
            velocity,
            attitude,
            gyro_bias: zero,
            accelerometer_bias: zero,
            wander: zero,
            rate: zero,
            covariance,
        }
    }

    /// Propagates the state by `dt` seconds with mean specific force, m/s², and mean angular rate,
    /// rad/s.
    ///
    /// Both are given in the axes of the IMU.
    pub fn predict(&mut self, model: &FilterModel, force: &Vec3, rate: &Vec3, dt: f64) {
        let force = force - self.accelerometer_bias;
        self.rate = rate - self.gyro_bias;
        let turn = self.rate * dt;
        let middle = self.attitude * rotation(&(turn * 0.5));
        let acceleration = middle * force - Vec3::new(0.0, 0.0, model.gravity);
        self.position += self.velocity * dt + acceleration * (0.5 * dt * dt);
        self.velocity += acceleration * dt;
        let step = rotation(&turn);
        let axes = middle.to_rotation_matrix().into_inner();
        self.attitude = Quat::new_normalize((self.attitude * step).into_inner());
        let keep = exp(-dt / model.wander_time.max(dt));
        self.wander *= keep;

        let mut f = Covariance::identity();
        let mut set = |row: usize, column: usize, block: Mat3| {
            f.fixed_view_mut::<3, 3>(row, column).copy_from(&block);
        };
        set(POSITION, VELOCITY, Mat3::identity() * dt);
        set(VELOCITY, ATTITUDE, -axes * force.cross_matrix() * dt);
        set(VELOCITY, ACCELEROMETER, -axes * dt);
        set(ATTITUDE, ATTITUDE, step.to_rotation_matrix().into_inner().transpose());
        set(ATTITUDE, GYRO, Mat3::identity() * -dt);
        set(WANDER, WANDER, Mat3::identity() * keep);
        self.covariance = f * self.covariance * f.transpose();
        let mut add = |block: usize, variance: f64| {
            (block..block + 3).for_each(|k| self.covariance[(k, k)] += variance);
        };
        let square = |x: f64| x * x;
        add(VELOCITY, square(model.accelerometer.noise_density) * dt);
        add(ATTITUDE, square(model.gyroscope.noise_density) * dt);
        add(GYRO, square(model.gyroscope.walk) * dt);
        add(ACCELEROMETER, square(model.accelerometer.walk) * dt);
        for axis in 0..3 {
            self.covariance[(WANDER + axis, WANDER + axis)] +=
                square(model.wander[axis]) * (1.0 - keep * keep);
        }
    }

    /// Corrects the state by a fix: position, m, and velocity, m/s, of the antenna in the world.
    ///
    /// The antenna is at `lever`, m, in the axes of the IMU.
    pub fn correct(&mut self, model: &FilterModel, position: &Vec3, velocity: &Vec3, lever: &Vec3) {
        let axes = self.attitude.to_rotation_matrix().into_inner();
        let antenna = self.position + axes * lever + self.wander;
        let swing = self.rate.cross(lever);
        let moves = self.velocity + axes * swing;
        let mut h = SMatrix::<f64, 6, STATES>::zeros();
        let mut set = |row: usize, column: usize, block: Mat3| {
            h.fixed_view_mut::<3, 3>(row, column).copy_from(&block);
        };
        set(0, POSITION, Mat3::identity());
        set(0, ATTITUDE, -axes * lever.cross_matrix());
        set(0, WANDER, Mat3::identity());
        set(3, VELOCITY, Mat3::identity());
        set(3, ATTITUDE, -axes * swing.cross_matrix());
        set(3, GYRO, axes * lever.cross_matrix());
        let mut innovation = SVector::<f64, 6>::zeros();
        innovation.fixed_rows_mut::<3>(0).copy_from(&(position - antenna));
        innovation.fixed_rows_mut::<3>(3).copy_from(&(velocity - moves));
        let mut noise = SMatrix::<f64, 6, 6>::zeros();
        for axis in 0..3 {
            noise[(axis, axis)] = model.position * model.position;
            noise[(axis + 3, axis + 3)] = model.velocity * model.velocity;
        }
        let cross = self.covariance * h.transpose();
        let Some(solved) = (h * cross + noise).cholesky() else { return };
        let gain = solved.solve(&cross.transpose()).transpose();
        self.inject(&(gain * innovation));
        // Joseph's form stays positive definite despite rounding
        let rest = Covariance::identity() - gain * h;
        self.covariance =
            rest * self.covariance * rest.transpose() + gain * noise * gain.transpose();
        self.covariance = (self.covariance + self.covariance.transpose()) * 0.5;
    }

    /// Adds the estimated error to the nominal state.
    fn inject(&mut self, error: &SVector<f64, STATES>) {
        let part = |at: usize| Vec3::new(error[at], error[at + 1], error[at + 2]);
        self.position += part(POSITION);
        self.velocity += part(VELOCITY);
        let turned = self.attitude * rotation(&part(ATTITUDE));
        self.attitude = Quat::new_normalize(turned.into_inner());
        self.gyro_bias += part(GYRO);
        self.accelerometer_bias += part(ACCELEROMETER);
        self.wander += part(WANDER);
    }

    /// Standard deviations of the position along the axes of the world, m.
    pub fn position_sd(&self) -> Vec3 {
        Vec3::from_fn(|axis, _| self.covariance[(axis, axis)].max(0.0).sqrt())
    }

    /// Standard deviation of the heading, rad.
    pub fn heading_sd(&self) -> f64 {
        // the vertical of the world in the axes of the attitude error
        let up = self.attitude.inverse_transform_vector(&Vec3::z());
        let block: Mat3 = self.covariance.fixed_view::<3, 3>(ATTITUDE, ATTITUDE).into_owned();
        up.dot(&(block * up)).max(0.0).sqrt()
    }

    /// Covariance of the errors in the order δp, δv, δθ, δb_g, δb_a, w.
    pub fn covariance(&self) -> &SMatrix<f64, STATES, STATES> {
        &self.covariance
    }
}
