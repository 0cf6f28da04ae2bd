//! Localization by inertial and satellite navigation, or by ground truth.
//!
//! A [`Localizer`] is an immutable model; its state is plain data in a [`LocalizerState`].
//!
//! Readings may arrive late. The filter has an anchor, a state that trails the present by
//! [`Localizer::latest_fix`], and stores the IMU readings since then. A fix corrects the anchor at
//! the time at which it was measured, and the readings since are replayed.

mod kalman;
mod track;

#[cfg(test)]
mod tests;

pub use kalman::{FilterModel, KalmanState, STATES, TriadErrors, rotation};
pub use track::PoseTrack;

use bekker_math::geodesy::Site;
use bekker_math::numeric::sin_cos;
use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::gps::{CorrelatedError, Gps};
use bekker_sensor::imu::{Imu, Triad};
use bekker_sensor::{Fix, Odometry, Reading};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Purpose of a sensor in autonomous driving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SensorRole {
    /// Inertial measurement.
    Imu,
    /// Satellite fixes.
    Gps,
    /// Ground truth of a frame.
    Odometry,
    /// Slip and sinkage of the wheels.
    Ground,
}

/// Method of localization.
#[derive(Clone, Debug, PartialEq)]
pub enum Localization {
    /// Ground truth, from [`Reading::Odometry`].
    True,
    /// Inertial and satellite navigation, from [`Reading::Imu`] and [`Reading::Fix`].
    Filter(Box<Inertial>),
}

/// The filter and the mounts of its sensors; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Inertial {
    /// Error models of the sensors.
    pub model: FilterModel,
    /// Position of the world frame on the earth.
    pub site: Site,
    /// The IMU's frame in the chassis frame.
    pub imu: Pose,
    /// Position of the antenna in the chassis frame, m.
    pub antenna: Vec3,
}

/// Model of the localization; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Localizer {
    /// Method of localization.
    pub localization: Localization,
    /// Frame of the odometry in the chassis frame.
    pub odometry: Pose,
    /// Time for which past poses are stored, s: the duration of a scan and its latency.
    pub memory: f64,
    /// Largest latency at which a fix still corrects the estimate, s.
    pub latest_fix: f64,
}

/// Estimated motion of the vehicle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotionEstimate {
    /// Time of the estimate, s.
    pub time: f64,
    /// Chassis frame in the world.
    pub pose: Pose,
    /// Velocity of its origin, world, m/s.
    pub velocity: Vec3,
    /// Angular velocity about the world's vertical, rad/s, positive to the left.
    pub yaw_rate: f64,
    /// Standard deviation of the position in the horizontal plane, the larger axis, m.
    pub position_sd: f64,
    /// Standard deviation of the heading, rad.
    pub heading_sd: f64,
}

impl MotionEstimate {
    /// Speed along the chassis x axis, m/s.
    pub fn speed(&self) -> f64 {
        self.pose.direction(&Vec3::x()).dot(&self.velocity)
    }

    /// Extrapolates the estimate to `time`, s, at constant velocity and yaw rate, by at most 0.5 s.
    pub fn extrapolated(&self, time: f64) -> MotionEstimate {
        let ahead = (time - self.time).clamp(0.0, 0.5);
        let turn = rotation(&Vec3::new(0.0, 0.0, self.yaw_rate * ahead));
        let position = self.pose.position + self.velocity * ahead;
        let pose = Pose { position, orientation: turn * self.pose.orientation };
        MotionEstimate { time: self.time + ahead, pose, velocity: turn * self.velocity, ..*self }
    }
}

/// A reading of the IMU.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct ImuSample {
    time: f64,
    force: Vec3,
    rate: Vec3,
}

/// State of the filter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Navigation {
    /// Filter at the present.
    now: KalmanState,
    /// Filter at `anchor_time`, from which late fixes are replayed.
    anchor: KalmanState,
    anchor_time: f64,
    /// IMU readings after the anchor.
    felt: VecDeque<ImuSample>,
}

/// State of a localizer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocalizerState {
    estimate: MotionEstimate,
    track: PoseTrack,
    navigation: Option<Box<Navigation>>,
}

impl LocalizerState {
    /// The current estimate.
    pub fn estimate(&self) -> &MotionEstimate {
        &self.estimate
    }

    /// Recent poses of the vehicle.
    pub fn track(&self) -> &PoseTrack {
        &self.track
    }

    /// Present state of the filter, if there is one.
    pub fn filter(&self) -> Option<&KalmanState> {
        self.navigation.as_ref().map(|navigation| &navigation.now)
    }
}

impl FilterModel {
    /// Builds the error models of these sensors under `gravity`, m/s².
    ///
    /// The drift of a bias is modeled as the random walk that grows at the same rate. Errors of
    /// scale and alignment are not estimated; instead the noise is multiplied by `margin`, which is
    /// 1 for none.
    pub fn from_sensors(imu: &Imu, gps: &Gps, margin: f64, gravity: f64) -> FilterModel {
        let square = |x: f64| x * x;
        let triad = |triad: &Triad| {
            let drift = if triad.drift_time > 0.0 { triad.drift } else { 0.0 };
            let rate = 2.0 * square(drift) / triad.drift_time.max(1e-9);
            TriadErrors {
                noise_density: margin * triad.noise_density,
                bias: (square(triad.turn_on_bias) + square(drift)).sqrt(),
                walk: margin * (square(triad.random_walk) + rate).sqrt(),
            }
        };
        let CorrelatedError { horizontal, vertical, time } = gps.fast;
        let slow = gps.slow.map_or([0.0; 2], |slow| [slow.horizontal, slow.vertical]);
        let [level, up] = [[horizontal, slow[0]], [vertical, slow[1]]]
            .map(|[fast, slow]| (square(fast) + square(slow)).sqrt());
        FilterModel {
            gyroscope: triad(&imu.gyroscope),
            accelerometer: triad(&imu.accelerometer),
            wander: Vec3::new(level, level, up),
            wander_time: time,
            position: gps.white.max(1e-3),
            velocity: gps.velocity.max(1e-3),
            gravity,
            start: [0.02, 0.02, 0.01],
        }
    }
}

impl Localizer {
    /// Returns a localizer by ground truth of a frame mounted at `odometry` in the chassis frame.
    pub fn from_odometry(odometry: Pose) -> Localizer {
        Localizer { localization: Localization::True, odometry, memory: 1.0, latest_fix: 0.5 }
    }

    /// Returns a localizer by inertial and satellite navigation.
    pub fn from_filter(inertial: Inertial) -> Localizer {
        let localization = Localization::Filter(Box::new(inertial));
        Localizer { localization, ..Localizer::from_odometry(Pose::default()) }
    }

    /// Returns the state of a vehicle at rest at `pose` at `time`, s.
    pub fn start(&self, pose: &Pose, time: f64) -> LocalizerState {
        let mut track = PoseTrack::default();
        track.push(time, *pose, self.memory);
        let navigation = match &self.localization {
            Localization::True => None,
            Localization::Filter(inertial) => {
                let (position, attitude) = (
                    pose.point(&inertial.imu.position),
                    pose.orientation * inertial.imu.orientation,
                );
                let filter = KalmanState::new(&inertial.model, position, Vec3::zeros(), attitude);
                Some(Box::new(Navigation {
                    now: filter.clone(),
                    anchor: filter,
                    anchor_time: time,
                    felt: VecDeque::new(),
                }))
            }
        };
        let estimate = MotionEstimate { time, pose: *pose, ..MotionEstimate::default() };
        LocalizerState { estimate, track, navigation }
    }

    /// Takes a reading that was measured at `taken`, s; readings that the method does not use are
    /// ignored.
    pub fn add_reading(
        &self,
        state: &mut LocalizerState,
        role: SensorRole,
        taken: f64,
        reading: &Reading,
    ) {
        match (&self.localization, role, reading) {
            (Localization::True, SensorRole::Odometry, Reading::Odometry(truth)) => {
                self.follow_truth(state, taken, truth);
            }
            (
                Localization::Filter(inertial),
                SensorRole::Imu,
                Reading::Imu { specific_force, angular_rate },
            ) => {
                let felt = ImuSample { time: taken, force: *specific_force, rate: *angular_rate };
                self.integrate(inertial, state, felt);
            }
            (Localization::Filter(inertial), SensorRole::Gps, Reading::Fix(fix)) if fix.valid => {
                self.correct(inertial, state, taken, fix);
            }
            _ => {}
        }
    }

    /// The current estimate.
    pub fn estimate(&self, state: &LocalizerState) -> MotionEstimate {
        state.estimate
    }

    fn follow_truth(&self, state: &mut LocalizerState, taken: f64, truth: &Odometry) {
        let orientation = truth.pose.orientation * self.odometry.orientation.inverse();
        let arm = orientation * self.odometry.position;
        let pose = Pose { position: truth.pose.position - arm, orientation };
        let angular = truth.pose.direction(&truth.angular_velocity);
        let velocity = truth.pose.direction(&truth.velocity) - angular.cross(&arm);
        state.track.push(taken, pose, self.memory);
        let yaw_rate = angular.z;
        state.estimate =
            MotionEstimate { time: taken, pose, velocity, yaw_rate, ..MotionEstimate::default() };
    }

    fn integrate(&self, inertial: &Inertial, state: &mut LocalizerState, felt: ImuSample) {
        let Some(navigation) = &mut state.navigation else { return };
        let before = navigation.felt.back().map_or(navigation.anchor_time, |last| last.time);
        if felt.time <= before {
            return;
        }
        let model = &inertial.model;
        navigation.now.predict(model, &felt.force, &felt.rate, felt.time - before);
        navigation.felt.push_back(felt);
        while navigation.felt.front().is_some_and(|next| next.time < felt.time - self.latest_fix) {
            let Some(ImuSample { time, force, rate }) = navigation.felt.pop_front() else { break };
            navigation.anchor.predict(model, &force, &rate, time - navigation.anchor_time);
            navigation.anchor_time = time;
        }
        state.estimate = inertial.estimate(&navigation.now, felt.time);
        state.track.push(felt.time, state.estimate.pose, self.memory);
    }

    fn correct(&self, inertial: &Inertial, state: &mut LocalizerState, taken: f64, fix: &Fix) {
        let Some(navigation) = &mut state.navigation else { return };
        let Some(antenna) = inertial.site.point(&fix.place) else { return };
        if taken < navigation.anchor_time {
            return;
        }
        let model = &inertial.model;
        let velocity = inertial.world(&antenna, &fix.velocity);
        let lever = inertial.imu.local_point(&inertial.antenna);
        while navigation.felt.front().is_some_and(|next| next.time <= taken) {
            let Some(ImuSample { time, force, rate }) = navigation.felt.pop_front() else { break };
            navigation.anchor.predict(model, &force, &rate, time - navigation.anchor_time);
            navigation.anchor_time = time;
        }
        // between two readings the vehicle moves at constant velocity
        let ahead = taken - navigation.anchor_time;
        let there = antenna - navigation.anchor.velocity * ahead;
        navigation.anchor.correct(model, &there, &velocity, &lever);
        navigation.now = navigation.anchor.clone();
        let mut time = navigation.anchor_time;
        let mut replayed = Vec::with_capacity(navigation.felt.len());
        for felt in &navigation.felt {
            navigation.now.predict(model, &felt.force, &felt.rate, felt.time - time);
            time = felt.time;
            replayed.push((time, inertial.estimate(&navigation.now, time).pose));
        }
        state.track.rewind(navigation.anchor_time);
        let anchor = inertial.estimate(&navigation.anchor, navigation.anchor_time);
        state.track.push(anchor.time, anchor.pose, self.memory);
        replayed.into_iter().for_each(|(time, pose)| state.track.push(time, pose, self.memory));
        state.estimate = inertial.estimate(&navigation.now, time);
    }
}

impl Inertial {
    /// Converts a state of the filter to the motion of the chassis.
    fn estimate(&self, filter: &KalmanState, time: f64) -> MotionEstimate {
        let orientation = filter.attitude * self.imu.orientation.inverse();
        let arm = orientation * self.imu.position;
        let angular = filter.attitude * filter.rate;
        let sd = filter.position_sd();
        MotionEstimate {
            time,
            pose: Pose { position: filter.position - arm, orientation },
            velocity: filter.velocity - angular.cross(&arm),
            yaw_rate: angular.z,
            position_sd: sd.x.max(sd.y),
            heading_sd: filter.heading_sd(),
        }
    }

    /// Converts a velocity east, true north and up to the axes of the world at a point.
    fn world(&self, point: &Vec3, velocity: &Vec3) -> Vec3 {
        let (sin, cos) = sin_cos(self.site.convergence(point));
        let (east, north) = (velocity.x, velocity.y);
        Vec3::new(east * cos - north * sin, east * sin + north * cos, velocity.z)
    }
}
