//! Sensor mounted on a vehicle.
//!
//! It receives the true motion after every step, measures when a frame is due, and delivers after
//! its lag.

use super::camera::{CameraSpec, Lens};
use super::deferred::Deferred;
use super::encoder::EncoderState;
use super::filter::{Filter, FilterNoise};
use super::gps::GpsState;
use super::imu::ImuState;
use super::model::Model;
use super::motion::{FrameMotion, WheelMotion};
use super::noise::Noise;
use super::reading::{Delivery, Odometry, Reading};
use super::schedule::SensorSchedule;
use bekker_math::spatial::{Pose, Twist, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Sensor mounted on a vehicle; immutable.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Name, unique on its vehicle.
    pub name: String,
    /// Sensor frame in the chassis frame: x forward, y left, z up.
    pub mount: Pose,
    /// Times of measurement and delivery.
    pub schedule: SensorSchedule,
    /// Kind of the sensor.
    pub model: Model,
    /// Filters of its readings, in order of application.
    pub filters: Vec<Filter>,
    /// Random number generator.
    pub noise: Noise,
    /// Whether its readings are passed to the observers of the run and so recorded.
    pub record: bool,
}

impl Sensor {
    /// Returns the name of the camera in whose optical frame a camera's images are.
    ///
    /// ROS requires one frame for both cameras of a pair: that of the left camera.
    /// [`Camera::projection`](super::camera::Camera::projection) maps points of that frame. ROS has
    /// no model of some lenses; their images are in the frame of the camera itself.
    pub fn picture_frame(&self) -> &str {
        match &self.model {
            Model::Camera(CameraSpec { lens: Lens::FieldOfView(_), .. }) => &self.name,
            Model::Camera(spec) if spec.baseline > 0.0 => {
                left_camera(&self.name).unwrap_or(&self.name)
            }
            _ => &self.name,
        }
    }
}

/// Suffix of the name of the right camera of a pair.
const RIGHT: &str = "_right";

/// Returns the name of the right camera of the pair whose left camera has this name.
pub fn right_camera(left: &str) -> String {
    format!("{left}{RIGHT}")
}

/// Returns the name of the left camera of the pair whose right camera has this name, if it has the
/// suffix.
pub fn left_camera(right: &str) -> Option<&str> {
    right.strip_suffix(RIGHT)
}

/// True state of the vehicle after a step, the input of a sensor.
#[derive(Clone, Copy, Debug)]
pub struct GroundTruth<'a> {
    /// Pose of the chassis frame.
    pub pose: Pose,
    /// Twist of the chassis.
    pub twist: Twist,
    /// Wheels or road wheels: front to rear, left before right.
    pub wheels: &'a [WheelMotion],
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Time before the step, µs.
    pub before_us: u64,
    /// Time after the step, µs.
    pub now_us: u64,
}

/// Due frame of a camera or lidar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueFrame {
    /// Frame number, from 1.
    pub frame: u64,
    /// End of the collection window, µs.
    pub taken_us: u64,
}

/// Sums of two vectors over a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct WindowSum {
    count: u32,
    vectors: [Vec3; 2],
}

impl WindowSum {
    fn add(&mut self, vectors: [Vec3; 2]) {
        self.count += 1;
        self.vectors[0] += vectors[0];
        self.vectors[1] += vectors[1];
    }

    /// Returns the means and resets the sums.
    fn take_mean(&mut self) -> [Vec3; 2] {
        let WindowSum { count, vectors } = std::mem::take(self);
        vectors.map(|sum| sum / f64::from(count.max(1)))
    }
}

/// State of a sensor that depends on its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum DeviceState {
    Plain,
    Imu(Box<ImuState>),
    Gps(GpsState),
    Encoder(EncoderState),
}

/// State of a sensor: plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SensorState {
    /// Sensor frame after the last step.
    pose: Pose,
    /// Velocity of the frame's origin after the last step, m/s.
    velocity: Vec3,
    /// Sums over the current window.
    sum: WindowSum,
    device: DeviceState,
    /// Camera or lidar: poses over the window, each with its time, µs.
    track: VecDeque<(u64, Pose)>,
    /// Frames measured but not yet delivered.
    pending: VecDeque<Deferred>,
}

impl SensorState {
    /// Returns whether it is the state of a camera or lidar.
    pub fn is_imaging(&self) -> bool {
        !self.track.is_empty()
    }

    /// Returns the sensor frame after the last step.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Checks a state from which sensor `index` is to resume at `now_us`; `start` is its initial
    /// state.
    ///
    /// # Errors
    /// Returns what does not match the sensor.
    pub fn check(
        &self,
        sensor: &Sensor,
        start: &SensorState,
        index: u32,
        now_us: u64,
    ) -> Result<(), String> {
        let wheels = match (&self.device, &start.device) {
            (DeviceState::Encoder(own), DeviceState::Encoder(start)) => {
                own.wheels() == start.wheels()
            }
            (own, start) => std::mem::discriminant(own) == std::mem::discriminant(start),
        };
        let longest = sensor.schedule.window_us;
        let moments = || self.track.iter().map(|(moment, _)| *moment);
        let in_order = moments().zip(moments().skip(1)).all(|(one, next)| one < next);
        let counts = self.sum.count <= now_us.min(longest.max(1)) as u32;
        let due = |awaited: &Deferred| {
            let delivery = awaited.get();
            awaited.due_us() <= now_us + sensor.schedule.lag_us
                && delivery.is_none_or(|own| own.sensor == index && own.taken_us <= now_us)
        };
        let fits =
            |awaited: &Deferred| awaited.get().is_none_or(|own| own.reading.is_of(&sensor.model));
        let of_gps = match &self.device {
            DeviceState::Gps(own) => own.can_count_outages(),
            _ => true,
        };
        for (sound, what) in [
            (wheels, "its state belongs to another kind of sensor"),
            (of_gps, "it has more outages than fit into a run"),
            (counts, "its sum has more samples than its window"),
            (self.is_imaging() == start.is_imaging() && in_order, "its poses do not form a window"),
            (moments().all(|moment| moment <= now_us), "it has poses in the future"),
            (
                self.pending.iter().all(due),
                "a reading belongs to another sensor or is in the future",
            ),
            (self.pending.iter().all(fits), "a reading belongs to another kind of sensor"),
        ] {
            if !sound {
                return Err(what.to_owned());
            }
        }
        Ok(())
    }

    /// Returns the poses of a camera or lidar with their times, µs.
    ///
    /// They reach from the last one at or before the start of the window to now.
    pub fn track(&self) -> impl Iterator<Item = &(u64, Pose)> {
        self.track.iter()
    }
}

impl Sensor {
    /// Returns the initial state on a vehicle with `wheels` wheels at the time `now_us`.
    ///
    /// `chassis` and `twist` are the pose and twist of the vehicle.
    pub fn start(&self, chassis: &Pose, twist: &Twist, wheels: usize, now_us: u64) -> SensorState {
        let motion = FrameMotion::mounted(&self.mount, chassis, twist, &Vec3::zeros(), 1.0);
        let device = match &self.model {
            Model::Imu(imu) => DeviceState::Imu(Box::new(imu.start(&self.noise))),
            Model::Gps(gps) => DeviceState::Gps(gps.start(&self.noise)),
            Model::Encoder(encoder) => DeviceState::Encoder(encoder.start(wheels)),
            _ => DeviceState::Plain,
        };
        let mut track = VecDeque::new();
        if self.model.is_imaging() {
            track.push_back((now_us, motion.pose));
        }
        SensorState {
            pose: motion.pose,
            velocity: motion.velocity,
            sum: WindowSum::default(),
            device,
            track,
            pending: VecDeque::new(),
        }
    }

    /// Records a step, measures if a frame is due, and appends the deliveries that are due to
    /// `deliver`.
    pub fn step(
        &self,
        index: u32,
        state: &mut SensorState,
        truth: &GroundTruth<'_>,
        deliver: &mut Vec<Delivery>,
    ) {
        let GroundTruth { pose, twist, wheels, gravity, before_us, now_us } = truth;
        let h = (now_us - before_us) as f64 * 1e-6;
        let motion = FrameMotion::mounted(&self.mount, pose, twist, &state.velocity, h);
        (state.pose, state.velocity) = (motion.pose, motion.velocity);
        if let (Model::Encoder(encoder), DeviceState::Encoder(own)) =
            (&self.model, &mut state.device)
        {
            encoder.turn(own, wheels.iter().map(|wheel| wheel.spin), h);
        }
        if self.model.is_imaging() {
            state.track.push_back((*now_us, motion.pose));
            let opens = now_us.saturating_sub(self.schedule.window_us);
            while state.track.get(1).is_some_and(|&(moment, _)| moment <= opens) {
                state.track.pop_front();
            }
        } else {
            if self.model.averages() && self.schedule.collects(*before_us, *now_us) {
                state.sum.add(self.windowed_vectors(&motion, *gravity));
            }
            if let Some(frame) = self.schedule.falls_due(*before_us, *now_us) {
                let reading = self.measure(state, &motion, wheels, frame, *now_us);
                self.enqueue(index, state, DueFrame { frame, taken_us: *now_us }, reading);
            }
        }
        self.deliver(state, *now_us, deliver);
    }

    /// Returns the frame of a camera or lidar that is due in the heartbeat from `before_us` to
    /// `now_us`, if any.
    pub fn due_frame(&self, before_us: u64, now_us: u64) -> Option<DueFrame> {
        let due = self.schedule.falls_due(before_us, now_us).filter(|_| self.model.is_imaging());
        due.map(|frame| DueFrame { frame, taken_us: now_us })
    }

    /// Filters a measured frame and holds it until its lag has passed.
    pub fn enqueue(&self, index: u32, state: &mut SensorState, due: DueFrame, reading: Reading) {
        let pose = state.pose;
        state
            .pending
            .extend(self.augmented(index, pose, due, reading).map(Deferred::from_delivery));
    }

    /// Holds a frame that is still being computed until its lag has passed.
    pub fn await_frame(&self, state: &mut SensorState, frame: Deferred) {
        state.pending.push_back(frame);
    }

    /// Returns the delivery time of a frame, µs.
    pub fn due_us(&self, due: DueFrame) -> u64 {
        due.taken_us + self.schedule.lag_us
    }

    /// Filters a reading that was taken at `pose`; returns `None` where a filter drops it.
    pub fn augmented(
        &self,
        index: u32,
        pose: Pose,
        due: DueFrame,
        mut reading: Reading,
    ) -> Option<Delivery> {
        let DueFrame { frame, taken_us } = due;
        let kept = self.filters.iter().enumerate().all(|(which, filter)| {
            filter.apply(&mut reading, frame, &FilterNoise::new(self.noise, frame as u32, which))
        });
        let due_us = self.due_us(due);
        kept.then_some(Delivery { sensor: index, frame, taken_us, due_us, pose, reading })
    }

    /// Appends the deliveries that are due at `now_us` to `deliver`.
    pub fn deliver(&self, state: &mut SensorState, now_us: u64, deliver: &mut Vec<Delivery>) {
        while state.pending.front().is_some_and(|next| next.due_us() <= now_us) {
            deliver.extend(state.pending.pop_front().and_then(Deferred::take));
        }
    }

    /// Returns the vectors that the sensor averages over its window.
    fn windowed_vectors(&self, motion: &FrameMotion, gravity: f64) -> [Vec3; 2] {
        match &self.model {
            Model::Imu(_) => [motion.specific_force(gravity), motion.angular_rate()],
            Model::Gps(_) => [motion.pose.position, motion.velocity],
            Model::Magnetometer(device) => {
                let field = device.field.vector();
                [motion.pose.orientation.inverse_transform_vector(&field), Vec3::zeros()]
            }
            _ => [Vec3::zeros(); 2],
        }
    }

    fn measure(
        &self,
        state: &mut SensorState,
        motion: &FrameMotion,
        wheels: &[WheelMotion],
        frame: u64,
        now_us: u64,
    ) -> Reading {
        let (window, dt) = (self.schedule.window(), self.schedule.period());
        let (noise, number) = (&self.noise, frame as u32);
        let mean = state.sum.take_mean();
        match (&self.model, &mut state.device) {
            (Model::Imu(imu), DeviceState::Imu(own)) => {
                let [specific_force, angular_rate] =
                    imu.measure(own, mean, window, dt, noise, number);
                Reading::Imu { specific_force, angular_rate }
            }
            (Model::Gps(gps), DeviceState::Gps(own)) => {
                let [position, velocity] = mean;
                let motion = [&position, &velocity];
                Reading::Fix(gps.measure(own, motion, now_us, dt, noise, number))
            }
            (Model::Magnetometer(device), _) => {
                Reading::Field(device.measure(&mean[0], noise, number))
            }
            (Model::Encoder(encoder), DeviceState::Encoder(own)) => {
                Reading::Ticks(encoder.measure(own))
            }
            (Model::Terramechanics, _) => Reading::Ground(wheels.iter().map(Into::into).collect()),
            _ => Reading::Odometry(Odometry {
                pose: motion.pose,
                velocity: motion.pose.orientation.inverse_transform_vector(&motion.velocity),
                angular_velocity: motion.angular_rate(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imu::Imu;
    use crate::imu::Triad;

    fn sensor(model: Model, rate: f64, lag: f64, window: f64) -> Sensor {
        Sensor {
            name: "it".into(),
            mount: Pose::default(),
            schedule: SensorSchedule::new(rate, lag, window),
            model,
            filters: Vec::new(),
            noise: Noise::new(1, 0, 0),
            record: true,
        }
    }

    /// Drives along x with position x(t) and speed v(t) in steps of 2 ms.
    fn drive(sensor: &Sensor, ticks: u64, speed: impl Fn(f64) -> f64) -> Vec<(u64, Delivery)> {
        let mut state = sensor.start(&Pose::default(), &Twist::default(), 1, 0);
        let (mut x, mut all) = (0.0, Vec::new());
        for tick in 1..=ticks {
            let v = speed(tick as f64 * 0.002);
            x += v * 0.002;
            let pose = Pose { position: Vec3::new(x, 0.0, 0.0), ..Pose::default() };
            let twist = Twist { linear: Vec3::new(v, 0.0, 0.0), ..Twist::default() };
            let wheels = [WheelMotion { spin: v, area: 0.1, ..WheelMotion::default() }];
            let (before_us, now_us) = ((tick - 1) * 2000, tick * 2000);
            let truth =
                GroundTruth { pose, twist, wheels: &wheels, gravity: 9.81, before_us, now_us };
            let mut out = Vec::new();
            sensor.step(0, &mut state, &truth, &mut out);
            all.extend(out.into_iter().map(|delivery| (now_us, delivery)));
        }
        all
    }

    #[test]
    fn readings_arrive_at_their_rate_after_their_lag() {
        let sensor = sensor(Model::Odometry, 20.0, 0.073, 0.0);
        let all = drive(&sensor, 500, |_| 1.0);
        // the last frames at 0.95 and 1.0 s are not yet delivered
        assert_eq!(all.len(), 18);
        for (k, (arrived, delivery)) in all.iter().enumerate() {
            let taken = 50_000 * (k as u64 + 1);
            assert_eq!((delivery.frame, delivery.taken_us), (k as u64 + 1, taken));
            assert_eq!(delivery.due_us, taken + 73_000);
            assert!((delivery.due_us..delivery.due_us + 2000).contains(arrived));
            let Reading::Odometry(truth) = &delivery.reading else { panic!() };
            assert!((truth.pose.position.x - taken as f64 * 1e-6).abs() < 1e-12);
        }
    }

    /// The mean of a ramp over its window is its value at mid-window.
    ///
    /// The specific force of v = t² over the 20 ms before the frame is 2 (t - 10 ms). Differences
    /// of v over a step are exact for its middle.
    #[test]
    fn an_imu_gives_the_mean_over_its_window() {
        let still = Imu { accelerometer: Triad::default(), gyroscope: Triad::default() };
        for (window, back) in [(0.02, 0.01), (0.0, 0.001)] {
            let sensor = sensor(Model::Imu(still), 10.0, 0.0, window);
            for (_, delivery) in drive(&sensor, 500, |t| t * t) {
                let Reading::Imu { specific_force, .. } = delivery.reading else { panic!() };
                let expected = 2.0 * (delivery.taken_us as f64 * 1e-6 - back);
                assert!((specific_force.x - expected).abs() < 1e-9, "{specific_force} {expected}");
            }
        }
    }

    /// A sensor resumed from its stored state delivers the same frames.
    #[test]
    fn resumes_from_its_stored_state() {
        let imu = Sensor {
            filters: vec![Filter::Lose(0.3), Filter::Noise(0.1)],
            ..sensor(Model::Imu(Imu::consumer()), 100.0, 0.0317, 0.01)
        };
        let run = |cut: bool| {
            let mut state = imu.start(&Pose::default(), &Twist::default(), 0, 0);
            let mut out = Vec::new();
            for tick in 1..=1000u64 {
                let (pose, twist) = (Pose::default(), Twist::default());
                let (before_us, now_us) = ((tick - 1) * 2000, tick * 2000);
                let truth =
                    GroundTruth { pose, twist, wheels: &[], gravity: 9.81, before_us, now_us };
                imu.step(0, &mut state, &truth, &mut out);
                if cut && tick % 77 == 0 {
                    let stored = postcard::to_stdvec(&state).unwrap();
                    state = postcard::from_bytes(&stored).unwrap();
                }
            }
            out
        };
        let whole = run(false);
        assert!((100..180).contains(&whole.len()), "{}", whole.len());
        assert_eq!(whole, run(true));
    }
}
