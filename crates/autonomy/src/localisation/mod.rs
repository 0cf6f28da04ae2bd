//! Where the vehicle is: by inertial and satellite navigation, or by the truth.
//!
//! A [`Localiser`] is an immutable model; what it has learnt is plain data in a
//! [`LocaliserState`]. Readings may come late: those of the IMU are kept since the filter's
//! anchor, a state that trails the present by [`Localiser::latest_fix`], so that a fix corrects
//! the moment at which it was taken, and what was felt since is gone through again.

mod kalman;
mod track;

#[cfg(test)]
mod tests;

pub use kalman::{Filter, FilterModel, STATES, TriadErrors, rotation};
pub use track::PoseTrack;

use bekker_math::geodesy::Site;
use bekker_math::numeric::sin_cos;
use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::gps::{Gps, Wander};
use bekker_sensor::imu::{Imu, Triad};
use bekker_sensor::{Fix, Odometry, Reading};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What a sensor is to the vehicle that drives itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    /// Inertial measurement.
    Imu,
    /// Satellite fixes.
    Gps,
    /// The truth about a frame.
    Odometry,
    /// The wheels on the ground.
    Ground,
}

/// By what the vehicle knows where it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Localisation {
    /// The truth, from [`Reading::Odometry`].
    True,
    /// The filter, from [`Reading::Imu`] and [`Reading::Fix`].
    Filter(Box<Inertial>),
}

/// The filter with where its sensors are mounted; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Inertial {
    /// What it knows of their errors.
    pub model: FilterModel,
    /// The world frame on the earth.
    pub site: Site,
    /// The IMU's frame in the chassis frame.
    pub imu: Pose,
    /// The antenna in the chassis frame, m.
    pub antenna: Vec3,
}

/// Knows where the vehicle is; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Localiser {
    /// By what.
    pub localisation: Localisation,
    /// Frame of the odometry in the chassis frame.
    pub odometry: Pose,
    /// For how long past poses are kept, s: a scan's duration and its lag.
    pub memory: f64,
    /// How late a fix may come and still correct, s.
    pub latest_fix: f64,
}

/// What is believed of the vehicle's motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// When, s.
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

impl Estimate {
    /// Speed along the chassis x axis, m/s.
    pub fn speed(&self) -> f64 {
        self.pose.direction(&Vec3::x()).dot(&self.velocity)
    }

    /// The same at `time`, s: gone on straight as it moves and turned as it turns, for no longer
    /// than half a second.
    pub fn at(&self, time: f64) -> Estimate {
        let ahead = (time - self.time).clamp(0.0, 0.5);
        let turn = rotation(&Vec3::new(0.0, 0.0, self.yaw_rate * ahead));
        let position = self.pose.position + self.velocity * ahead;
        let pose = Pose { position, orientation: turn * self.pose.orientation };
        Estimate { time: self.time + ahead, pose, velocity: turn * self.velocity, ..*self }
    }
}

/// A reading of the IMU.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Felt {
    time: f64,
    force: Vec3,
    rate: Vec3,
}

/// What the filter has to remember.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Navigation {
    /// The present.
    now: Filter,
    /// The filter at `anchor_time`, from which late fixes go on.
    anchor: Filter,
    anchor_time: f64,
    /// Readings after the anchor.
    felt: VecDeque<Felt>,
}

/// What a localiser remembers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocaliserState {
    estimate: Estimate,
    track: PoseTrack,
    navigation: Option<Box<Navigation>>,
}

impl LocaliserState {
    /// What is believed now.
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    /// Where the vehicle was.
    pub fn track(&self) -> &PoseTrack {
        &self.track
    }

    /// The filter's present state, if there is one.
    pub fn filter(&self) -> Option<&Filter> {
        self.navigation.as_ref().map(|navigation| &navigation.now)
    }
}

impl FilterModel {
    /// Of these sensors. Drift of a bias counts as the random walk that grows as fast; errors
    /// of scale and alignment are not estimated, and noise is taken for as much greater as `margin`
    /// says to make up for them, 1 for none.
    pub fn of(imu: &Imu, gps: &Gps, margin: f64) -> FilterModel {
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
        let Wander { horizontal, vertical, time } = gps.fast;
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
            start: [0.02, 0.02, 0.01],
        }
    }
}

impl Localiser {
    /// By the truth, of a frame mounted so in the chassis frame.
    pub fn by_truth(odometry: Pose) -> Localiser {
        Localiser { localisation: Localisation::True, odometry, memory: 1.0, latest_fix: 0.5 }
    }

    /// By inertial and satellite navigation.
    pub fn by_filter(inertial: Inertial) -> Localiser {
        let localisation = Localisation::Filter(Box::new(inertial));
        Localiser { localisation, ..Localiser::by_truth(Pose::default()) }
    }

    /// State of a vehicle that stands at `pose` at `time`, s.
    pub fn start(&self, pose: &Pose, time: f64) -> LocaliserState {
        let mut track = PoseTrack::default();
        track.push(time, *pose, self.memory);
        let navigation = match &self.localisation {
            Localisation::True => None,
            Localisation::Filter(inertial) => {
                let (position, attitude) = (
                    pose.point(&inertial.imu.position),
                    pose.orientation * inertial.imu.orientation,
                );
                let filter = Filter::new(&inertial.model, position, Vec3::zeros(), attitude);
                Some(Box::new(Navigation {
                    now: filter.clone(),
                    anchor: filter,
                    anchor_time: time,
                    felt: VecDeque::new(),
                }))
            }
        };
        let estimate = Estimate { time, pose: *pose, ..Estimate::default() };
        LocaliserState { estimate, track, navigation }
    }

    /// Takes a reading that was taken at `taken`, s. What is of no use here changes nothing.
    pub fn feel(&self, state: &mut LocaliserState, role: Role, taken: f64, reading: &Reading) {
        match (&self.localisation, role, reading) {
            (Localisation::True, Role::Odometry, Reading::Odometry(truth)) => {
                self.follow_truth(state, taken, truth);
            }
            (
                Localisation::Filter(inertial),
                Role::Imu,
                Reading::Imu { specific_force, angular_rate },
            ) => {
                let felt = Felt { time: taken, force: *specific_force, rate: *angular_rate };
                self.go_on(inertial, state, felt);
            }
            (Localisation::Filter(inertial), Role::Gps, Reading::Fix(fix)) if fix.valid => {
                self.correct(inertial, state, taken, fix);
            }
            _ => {}
        }
    }

    /// What is believed now.
    pub fn estimate(&self, state: &LocaliserState) -> Estimate {
        state.estimate
    }

    fn follow_truth(&self, state: &mut LocaliserState, taken: f64, truth: &Odometry) {
        let orientation = truth.pose.orientation * self.odometry.orientation.inverse();
        let arm = orientation * self.odometry.position;
        let pose = Pose { position: truth.pose.position - arm, orientation };
        let angular = truth.pose.direction(&truth.angular_velocity);
        let velocity = truth.pose.direction(&truth.velocity) - angular.cross(&arm);
        state.track.push(taken, pose, self.memory);
        let yaw_rate = angular.z;
        state.estimate = Estimate { time: taken, pose, velocity, yaw_rate, ..Estimate::default() };
    }

    fn go_on(&self, inertial: &Inertial, state: &mut LocaliserState, felt: Felt) {
        let Some(navigation) = &mut state.navigation else { return };
        let before = navigation.felt.back().map_or(navigation.anchor_time, |last| last.time);
        if felt.time <= before {
            return;
        }
        let model = &inertial.model;
        navigation.now.predict(model, &felt.force, &felt.rate, felt.time - before);
        navigation.felt.push_back(felt);
        while navigation.felt.front().is_some_and(|next| next.time < felt.time - self.latest_fix) {
            let Some(Felt { time, force, rate }) = navigation.felt.pop_front() else { break };
            navigation.anchor.predict(model, &force, &rate, time - navigation.anchor_time);
            navigation.anchor_time = time;
        }
        state.estimate = inertial.estimate(&navigation.now, felt.time);
        state.track.push(felt.time, state.estimate.pose, self.memory);
    }

    fn correct(&self, inertial: &Inertial, state: &mut LocaliserState, taken: f64, fix: &Fix) {
        let Some(navigation) = &mut state.navigation else { return };
        let Some(antenna) = inertial.site.point(&fix.place) else { return };
        if taken < navigation.anchor_time {
            return;
        }
        let model = &inertial.model;
        let velocity = inertial.world(&antenna, &fix.velocity);
        let lever = inertial.imu.local_point(&inertial.antenna);
        while navigation.felt.front().is_some_and(|next| next.time <= taken) {
            let Some(Felt { time, force, rate }) = navigation.felt.pop_front() else { break };
            navigation.anchor.predict(model, &force, &rate, time - navigation.anchor_time);
            navigation.anchor_time = time;
        }
        // between two readings the vehicle went on as it moved
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
    /// What a state of the filter says of the chassis.
    fn estimate(&self, filter: &Filter, time: f64) -> Estimate {
        let orientation = filter.attitude * self.imu.orientation.inverse();
        let arm = orientation * self.imu.position;
        let angular = filter.attitude * filter.rate;
        let sd = filter.position_sd();
        Estimate {
            time,
            pose: Pose { position: filter.position - arm, orientation },
            velocity: filter.velocity - angular.cross(&arm),
            yaw_rate: angular.z,
            position_sd: sd.x.max(sd.y),
            heading_sd: filter.heading_sd(),
        }
    }

    /// A velocity east, true north and up in the axes of the world at a point.
    fn world(&self, point: &Vec3, velocity: &Vec3) -> Vec3 {
        let (sin, cos) = sin_cos(self.site.convergence(point));
        let (east, north) = (velocity.x, velocity.y);
        Vec3::new(east * cos - north * sin, east * sin + north * cos, velocity.z)
    }
}
