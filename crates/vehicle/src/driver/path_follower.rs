//! A driver that follows a path.

use super::{
    AccelerationGoal, DriverState, DriverView, Following, Intent, LeaderView, LongitudinalState,
    Path, PurePursuit, PursuedPath, SoilAdaptation, SpeedControl, SpeedGoal, SteeringGeometry,
    TrailerGeometry, pure_pursuit::arc_curvature,
};
use crate::spec::VehicleFootprint;
use crate::{Controls, Locks, Selector};
use bekker_math::spatial::{Pose, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Speed below which a driver waits behind its leader if the leader allows no more, m/s.
const WAITING: f64 = 0.5;
/// Speed that a leader must allow before a waiting driver closes up, m/s.
const CLOSE_UP: f64 = 0.6;
/// Largest offset of a vehicle on its path, m.
pub const BESIDE: f64 = 3.0;
/// Speed at which a vehicle that has overshot the end of its path backs up, m/s.
const BACKING_SPEED: f64 = 1.5;
/// Time within which a driver that controls acceleration reaches its target speed, s.
pub(super) const RESPONSE_TIME: f64 = 0.5;
/// Distance from a stop line at which a vehicle stops, m.
const SHORT_OF_LINE: f64 = 1.0;

/// Driving task of a path follower.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Plan")]
pub struct PathFollowerConfig {
    /// Speed on an open road, m/s.
    pub cruise_speed: f64,
    /// Maximum lateral acceleration in bends, m/s².
    pub lateral_acceleration: f64,
    /// Deceleration ahead of bends and stops, m/s².
    pub deceleration: f64,
    /// Maximum acceleration when gaining speed, m/s². With it, the driver controls acceleration.
    /// Where absent, the acceleration results from throttle and speed control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<f64>,
    /// Whether to stop at the end of the path. Otherwise, the vehicle continues straight ahead.
    pub stop_at_end: bool,
    /// Whether to drive the path backward, with the rear ahead.
    pub reverse: bool,
    /// Time until which the vehicle stays at rest, s.
    pub start_time: f64,
    /// Time from which the vehicle stops and holds, s. Where absent, it does not stop by time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_time: Option<f64>,
    /// Rule for the gap to the leader, for vehicles that have a leader.
    pub following: Following,
    /// Response to soft ground that vehicles ahead report. Where absent, reports are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soil_adaptation: Option<SoilAdaptation>,
    /// Parameters of the steering.
    pub steering: PurePursuit,
    /// Parameters of the speed control.
    pub speed_control: SpeedControl,
    /// Differentials that the driver keeps locked.
    #[serde(skip_serializing_if = "Locks::is_open")]
    pub locks: Locks,
}

impl Default for PathFollowerConfig {
    fn default() -> Self {
        PathFollowerConfig {
            cruise_speed: 6.0,
            lateral_acceleration: 2.0,
            deceleration: 1.5,
            acceleration: None,
            stop_at_end: true,
            reverse: false,
            start_time: 0.0,
            stop_time: None,
            following: Following::ConstantTimeGap(super::ConstantTimeGap::default()),
            soil_adaptation: None,
            steering: PurePursuit::default(),
            speed_control: SpeedControl::default(),
            locks: Locks::OPEN,
        }
    }
}

/// Pure pursuit along a path at a speed that suits its bends, alone or behind a leader.
///
/// Clones share path and speeds.
#[derive(Clone, Debug, PartialEq)]
pub struct PathFollower {
    path: Path,
    /// Square of the speed allowed at each point of the path, m²/s².
    allowed: Arc<[f64]>,
    geometry: SteeringGeometry,
    config: PathFollowerConfig,
}

impl PathFollower {
    /// Creates a driver of a vehicle of this geometry along `path` with `config`.
    pub fn new(path: Path, geometry: SteeringGeometry, config: PathFollowerConfig) -> PathFollower {
        let allowed = allowed_speeds(&path, &config, &geometry).into();
        PathFollower { path, allowed, geometry, config }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The vehicle's geometry.
    pub fn geometry(&self) -> &SteeringGeometry {
        &self.geometry
    }

    /// The plan.
    pub fn config(&self) -> &PathFollowerConfig {
        &self.config
    }

    /// Whether the vehicle has stopped at the end of the path, and on it.
    pub fn has_arrived(&self, state: &DriverState) -> bool {
        let beside = state.place.offset.abs() > BESIDE;
        state.holding && self.remaining_distance(state).abs() < 2.0 * self.arrival() && !beside
    }

    /// Direction in which it drives the path: 1 forward, -1 with the rear ahead.
    pub fn travel_sign(&self) -> f64 {
        if self.config.reverse { -1.0 } else { 1.0 }
    }

    /// Distances of the ends of a vehicle of this footprint beyond the reference point of its
    /// station, m.
    ///
    /// The first is that of the leading end, the second that of the trailing end (negative).
    pub fn ends(&self, footprint: &VehicleFootprint) -> [f64; 2] {
        let levers = self.geometry.articulated.filter(|_| self.config.reverse);
        let behind = match self.reversed_trailer() {
            Some(trailer) => trailer.overhang + trailer.drawbar,
            None => levers.map_or(0.0, |own| own.front + own.rear),
        };
        let counts = self.geometry.rear_axle - behind;
        let ends = [footprint.front, footprint.rear].map(|x| x - counts);
        if self.config.reverse { [-ends[1], -ends[0]] } else { ends }
    }

    /// State of a driver whose vehicle starts at `pose`.
    pub fn start(&self, pose: &Pose) -> DriverState {
        DriverState {
            place: self.path.locate(self.guided_point(pose, Some(0.0))),
            speed: self.config.speed_control.start(),
            ..DriverState::default()
        }
    }

    /// Returns the commands for the step that begins at the view.
    pub fn controls(&self, state: &mut DriverState, view: &DriverView) -> Controls {
        let config = &self.config;
        state.place =
            self.path.nearest_near(&state.place, self.guided_point(&view.pose, view.articulation));
        let stands = view.speed.abs() < self.standstill_speed();
        let drives_back = self.must_back_up(state, view) || self.must_straighten(state, view);
        // with a trailer, the direction changes only at standstill
        let turning = self.reversed_trailer().is_some() && drives_back != state.backing && !stands;
        if !turning {
            state.backing = drives_back;
        }
        let along_path = if state.backing { -1.0 } else { 1.0 };
        let sense = self.travel_sign() * along_path;
        let steering = self.steering(state, view, [sense, along_path]);
        let turn = config.steering.steering_rate * view.step;
        state.steering = steering.clamp(state.steering - turn, state.steering + turn);

        let motion = LongitudinalState {
            speed: sense * view.speed,
            thrust: sense * view.thrust,
            slope: sense * view.pose.direction(&Vec3::x()).z,
            rim: sense * view.rim,
            slip: view.slip,
            gravity: view.gravity,
        };
        let told_to_stop = config.stop_time.is_some_and(|stop| view.time >= stop);
        let at_end =
            config.stop_at_end && !state.backing && self.remaining_distance(state) < self.arrival();
        let overshot = at_end && self.remaining_distance(state) < -2.0 * self.arrival();
        state.holding |= stands && (told_to_stop || at_end && !overshot);
        let at_line = view.stop.is_some_and(|left| left <= SHORT_OF_LINE);
        let must_stand =
            state.holding || told_to_stop || at_end || at_line || view.time < config.start_time;
        let must_stand = must_stand || turning;
        let target = if must_stand { 0.0 } else { self.target_speed(state, &motion, view) };
        state.intent = self.intent(state, must_stand && !overshot, target, motion.speed);
        let control = &config.speed_control;
        let pedals = if state.holding {
            control.hold(&mut state.speed, view.step)
        } else {
            let aim = self.acceleration_goal(target, motion.speed, view);
            let goal = self.goal(target);
            control.controls_with_goal(&mut state.speed, goal, aim.as_ref(), &motion, view.step)
        };
        let gear = if sense < 0.0 { Selector::Reverse } else { Selector::Drive };
        Controls { steering: state.steering, gear, locks: config.locks, ..pedals }
    }

    /// Returns a speed, m/s, as a goal of a driver with this plan's cruise speed.
    fn goal(&self, speed: f64) -> SpeedGoal {
        SpeedGoal { speed, slowest: self.config.cruise_speed }
    }

    /// Speed below which the vehicle counts as standing, m/s.
    fn standstill_speed(&self) -> f64 {
        self.goal(0.0).standstill()
    }

    /// Speed at which the vehicle creeps up to its stopping point, m/s.
    fn creep_speed(&self) -> f64 {
        2.0 * self.standstill_speed()
    }

    /// Time within which the driver converts its target acceleration to a speed, s, if it controls
    /// acceleration.
    fn response_time(&self) -> Option<f64> {
        match self.config.following {
            Following::Cooperative(rule) => Some(rule.response_time),
            _ => self.config.acceleration.map(|_| RESPONSE_TIME),
        }
    }

    /// Whether the driver sets its pedals from a target acceleration.
    pub fn controls_acceleration(&self) -> bool {
        self.response_time().is_some()
    }

    /// Target acceleration toward a speed, if the driver controls acceleration.
    fn acceleration_goal<'a>(
        &self,
        target: f64,
        speed: f64,
        view: &DriverView<'a>,
    ) -> Option<AccelerationGoal<'a>> {
        let (time, pedals) = self.response_time().zip(view.pedals)?;
        let most = self.config.acceleration.unwrap_or(f64::INFINITY);
        Some(AccelerationGoal { acceleration: ((target - speed) / time).min(most), pedals })
    }

    /// Whether the driver leads a trailer along the path, with the rear ahead.
    pub fn reverses_trailer(&self) -> bool {
        self.reversed_trailer().is_some()
    }

    /// Trailer that the driver backs along the path, if any.
    fn reversed_trailer(&self) -> Option<&TrailerGeometry> {
        self.geometry.trailer.as_ref().filter(|_| self.config.reverse)
    }

    /// Position that is led along the path, m: the rear axle, or in reverse the axle of a trailer or
    /// of an articulated rear frame.
    fn guided_point(&self, pose: &Pose, articulation: Option<f64>) -> [f64; 2] {
        match self.reversed_trailer().zip(articulation) {
            Some((trailer, articulation)) => trailer.axle(&self.geometry, pose, articulation).0,
            None => {
                let yaw = articulation.filter(|_| self.config.reverse);
                self.geometry.reversing_point(pose, yaw).0
            }
        }
    }

    /// Steering toward the path, -1 to 1.
    fn steering(
        &self,
        state: &DriverState,
        view: &DriverView,
        [sense, along_path]: [f64; 2],
    ) -> f64 {
        let (own, pursuit, place) = (&self.geometry, &self.config.steering, &state.place);
        let drawn = own.trailer.as_ref().zip(view.articulation);
        let mut aside = view.aside;
        match drawn {
            Some((trailer, articulation)) if self.config.reverse && !state.backing => {
                let (axle, heading) = trailer.axle(own, &view.pose, articulation);
                let station = place.station + pursuit.look_ahead(view.speed);
                let target = self.path.point(place.segment, station);
                let curvature = arc_curvature(axle, &heading, target, sense);
                return trailer.reversing_steering(own, articulation, curvature);
            }
            Some((trailer, _)) if !self.config.reverse => {
                // bends of the vehicle's present position, including its trailer's
                let from = place.station - trailer.drawbar;
                let to = place.station + pursuit.look_ahead(view.speed);
                aside += trailer.swing_out(self.path.mean_curvature(place, [from, to]));
            }
            _ => {}
        }
        let pursued = PursuedPath { path: &self.path, position: place, aside };
        let yaw = view.articulation.filter(|_| self.config.reverse && !state.backing);
        let led = |yaw| pursuit.rear_frame_steering(own, pursued, &view.pose, view.speed, yaw);
        if let Some(steering) = yaw.and_then(led) {
            return steering;
        }
        let steering = pursuit.steering(own, pursued, &view.pose, view.speed, [sense, along_path]);
        let steering = own.with_skid_correction(steering, view.speed, view.yaw_rate, sense);
        own.command(steering, view.speed, sense)
    }

    /// Whether the driver drives forward to straighten a trailer that would otherwise jackknife.
    fn must_straighten(&self, state: &DriverState, view: &DriverView) -> bool {
        let drawn = self.reversed_trailer().zip(view.articulation);
        drawn.is_some_and(|(trailer, articulation)| {
            trailer.is_jackknifing(&self.geometry, articulation, state.backing)
        })
    }

    /// Whether the driver backs up to the end of the path after overshooting it.
    ///
    /// It backs up from standstill until the end is ahead of it again.
    fn must_back_up(&self, state: &DriverState, view: &DriverView) -> bool {
        let remaining = self.remaining_distance(state);
        let overshot =
            remaining < -2.0 * self.arrival() && view.speed.abs() < self.standstill_speed();
        let stops =
            self.config.stop_at_end && !state.holding && view.time >= self.config.start_time;
        stops && (overshot || state.backing && remaining < -0.5 * self.arrival())
    }

    fn intent(&self, state: &DriverState, must_stand: bool, target: f64, speed: f64) -> Intent {
        if must_stand {
            if self.has_arrived(state) { Intent::Arrived } else { Intent::Hold }
        } else if state.waiting || target.max(speed) < WAITING && target < self.allowed_speed(state)
        {
            Intent::WaitBehindLeader
        } else {
            Intent::Drive
        }
    }

    /// Distance to the end of the path at which the vehicle has arrived, m.
    fn arrival(&self) -> f64 {
        self.geometry.arrival_distance()
    }

    /// Remaining distance to the end of the path, m.
    fn remaining_distance(&self, state: &DriverState) -> f64 {
        self.path.length() - state.place.station
    }

    fn target_speed(
        &self,
        state: &mut DriverState,
        motion: &LongitudinalState,
        view: &DriverView,
    ) -> f64 {
        if state.backing && self.remaining_distance(state) > 0.0 {
            return BACKING_SPEED.min(self.config.cruise_speed);
        }
        if state.backing {
            let left = (-self.remaining_distance(state)).max(0.0);
            let braking = (2.0 * self.config.deceleration * left).sqrt();
            return braking
                .min(BACKING_SPEED.min(self.config.cruise_speed))
                .max(self.creep_speed());
        }
        let free = self.allowed_speed(state).min(self.speed_before_line(view.stop));
        let Some(leader) = &view.leader else { return free };
        self.following_speed(state, motion.speed, free, leader)
    }

    /// Speed from which the vehicle can stop before a line, m/s; unlimited without a line.
    fn speed_before_line(&self, line: Option<f64>) -> f64 {
        let Some(left) = line else { return f64::INFINITY };
        // creeps up to the line instead of stopping short of it
        let left = (left - SHORT_OF_LINE).max(0.0);
        (2.0 * self.config.deceleration * left).sqrt().max(self.creep_speed())
    }

    /// Speed behind a leader.
    ///
    /// A vehicle that has stopped waits until there is enough space to close up.
    fn following_speed(
        &self,
        state: &mut DriverState,
        speed: f64,
        free: f64,
        leader: &LeaderView,
    ) -> f64 {
        let target = self.config.following.target_speed(speed, free, leader);
        state.waiting = if state.waiting {
            target < CLOSE_UP.min(free)
        } else {
            target < self.standstill_speed() && speed.abs() < self.standstill_speed()
        };
        if state.waiting { 0.0 } else { target }
    }

    /// Speed that the path allows at the vehicle's position, m/s, from which it can brake before
    /// the next point.
    fn allowed_speed(&self, state: &DriverState) -> f64 {
        let config = &self.config;
        let next = state.place.segment + 1;
        let left = (self.path.stations()[next] - state.place.station).max(0.0);
        let braking = self.allowed[next] + 2.0 * config.deceleration * left;
        let square = braking.min(config.cruise_speed * config.cruise_speed);
        // creeps up to the end instead of stopping short of it
        let creep =
            if self.remaining_distance(state) < self.arrival() { 0.0 } else { self.creep_speed() };
        square.sqrt().max(creep)
    }
}

/// Squares of the speed allowed at each point: by the cruise speed, the bends, and braking before
/// the following points.
fn allowed_speeds(
    path: &Path,
    config: &PathFollowerConfig,
    geometry: &SteeringGeometry,
) -> Vec<f64> {
    let count = path.points().len();
    let cruise = config.cruise_speed * config.cruise_speed;
    let mut allowed: Vec<f64> = (0..count)
        .map(|index| {
            let curvature = path.curvature(index).abs();
            let turning = geometry.speed_in_bend(curvature);
            cruise.min(config.lateral_acceleration / curvature.max(1e-9)).min(turning * turning)
        })
        .collect();
    if config.stop_at_end {
        allowed[count - 1] = 0.0;
    }
    for index in (0..count - 1).rev() {
        let length = path.stations()[index + 1] - path.stations()[index];
        let braking = allowed[index + 1] + 2.0 * config.deceleration * length;
        allowed[index] = allowed[index].min(braking);
    }
    allowed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Driver;
    use bekker_math::spatial::{Pose, Quat};

    const GEOMETRY: SteeringGeometry = SteeringGeometry {
        wheelbase: 3.302,
        rear_axle: -1.689,
        max_steer: 0.5276,
        skids: false,
        pivots: false,
        skid: None,
        articulated: None,
        trailer: None,
    };

    /// A kinematic bicycle with a first-order engine.
    struct Vehicle {
        rear: [f64; 2],
        yaw: f64,
        speed: f64,
        state: DriverState,
    }

    impl Vehicle {
        fn new(driver: &PathFollower, x: f64, y: f64) -> Vehicle {
            let mut vehicle =
                Vehicle { rear: [x, y], yaw: 0.0, speed: 0.0, state: DriverState::default() };
            vehicle.state = driver.start(&vehicle.pose());
            vehicle
        }

        fn pose(&self) -> Pose {
            let orientation = Quat::from_axis_angle(&Vec3::z_axis(), self.yaw);
            let rear = Vec3::new(self.rear[0], self.rear[1], 0.0);
            Pose { position: rear + orientation * Vec3::new(1.689, 0.0, 0.0), orientation }
        }

        fn step(&mut self, driver: &Driver, time: f64, leader: Option<LeaderView>) -> Controls {
            let h = 0.01;
            let pose = self.pose();
            let view = DriverView {
                time,
                step: h,
                pose,
                speed: self.speed,
                yaw_rate: 0.0,
                thrust: 0.0,
                rim: 0.0,
                slip: 0.0,
                gravity: bekker_math::numeric::GRAVITY,
                leader,
                aside: 0.0,
                stop: None,
                articulation: None,
                pedals: None,
            };
            let c = driver.controls(&mut self.state, &view);
            let steer = c.steering * GEOMETRY.max_steer;
            self.rear[0] += h * self.speed * self.yaw.cos();
            self.rear[1] += h * self.speed * self.yaw.sin();
            self.yaw += h * self.speed * steer.tan() / GEOMETRY.wheelbase;
            let resistance = if self.speed > 0.0 { 0.3 } else { 0.0 };
            let change = 4.0 * c.throttle - 8.0 * c.brake - resistance;
            self.speed = (self.speed + h * change).max(0.0);
            c
        }
    }

    fn slalom() -> Path {
        let points: Vec<[f64; 2]> =
            (0..12).map(|i| [12.0 * f64::from(i), if i % 2 == 0 { 0.0 } else { 3.0 }]).collect();
        Path::smooth(&points, 0.5).unwrap()
    }

    #[test]
    fn drives_a_slalom_and_stops_at_its_end() {
        let follower = PathFollower::new(slalom(), GEOMETRY, PathFollowerConfig::default());
        let mut vehicle = Vehicle::new(&follower, -5.0, 0.0);
        let length = follower.path().length();
        let driver = Driver::Path(follower.clone());
        let mut worst = 0.0_f64;
        for step in 0..8000 {
            vehicle.step(&driver, 0.01 * f64::from(step), None);
            // it starts next to the path, at an angle to it
            if vehicle.state.place.station > 10.0 {
                worst = worst.max(vehicle.state.place.offset.abs());
            }
        }
        assert!(follower.has_arrived(&vehicle.state), "{:?}", vehicle.state);
        assert_eq!(vehicle.speed, 0.0);
        assert!((vehicle.state.place.station - length).abs() < 1.0);
        // corners of 12 m are cut by a look-ahead of 5 to 6 m
        assert!(worst < 0.8, "strays by {worst} m");
    }

    #[test]
    fn slows_down_ahead_of_a_bend() {
        let path =
            Path::smooth(&[[0.0, 0.0], [60.0, 0.0], [66.0, 2.5], [68.5, 8.5], [68.5, 60.0]], 0.5)
                .unwrap();
        let config = PathFollowerConfig { cruise_speed: 12.0, ..PathFollowerConfig::default() };
        let follower = PathFollower::new(path, GEOMETRY, config);
        let speed_at = |station: f64| {
            let place = follower.path().locate(follower.path().point(0, station));
            let state = DriverState { place, ..DriverState::default() };
            follower.allowed_speed(&state)
        };
        assert!((speed_at(5.0) - 12.0).abs() < 1e-9);
        assert!(speed_at(64.0) < 6.0);
        for step in 0..120 {
            let (here, there) = (speed_at(f64::from(step)), speed_at(f64::from(step) + 1.0));
            assert!(here * here - there * there < 2.0 * 1.5 + 1e-9, "brakes harder at {step} m");
        }
    }

    #[test]
    fn waits_starts_and_stops_on_time() {
        let path = Path::polyline(&[[0.0, 0.0], [500.0, 0.0]]).unwrap();
        let config = PathFollowerConfig {
            start_time: 2.0,
            stop_time: Some(20.0),
            ..PathFollowerConfig::default()
        };
        let follower = PathFollower::new(path, GEOMETRY, config);
        let driver = Driver::Path(follower.clone());
        let mut vehicle = Vehicle::new(&follower, 0.0, 0.0);
        for step in 0..3000 {
            let time = 0.01 * f64::from(step);
            let controls = vehicle.step(&driver, time, None);
            if time < 2.0 {
                assert_eq!(vehicle.speed, 0.0);
                assert!(controls.brake > 0.0);
            }
            if (time - 19.0).abs() < 0.005 {
                assert!((vehicle.speed - 6.0).abs() < 0.3, "drives at {}", vehicle.speed);
            }
        }
        assert!(vehicle.state.holding && vehicle.speed == 0.0);
        assert!(!follower.has_arrived(&vehicle.state));
    }

    #[test]
    fn a_convoy_keeps_its_gaps_and_stops_one_behind_the_other() {
        let path = Path::polyline(&[[0.0, 0.0], [200.0, 0.0]]).unwrap();
        let follower = PathFollower::new(path, GEOMETRY, PathFollowerConfig::default());
        let driver = Driver::Path(follower.clone());
        let mut convoy: Vec<Vehicle> =
            (0..4).map(|i| Vehicle::new(&follower, -20.0 * f64::from(i), 0.0)).collect();
        let length = 4.7;
        for step in 0..10_000 {
            for index in 0..convoy.len() {
                let leader = index.checked_sub(1).map(|ahead| LeaderView {
                    gap: convoy[ahead].state.place.station
                        - convoy[index].state.place.station
                        - length,
                    speed: convoy[ahead].speed,
                    demand: None,
                });
                if let Some(leader) = leader {
                    assert!(leader.gap > 4.0, "gap of {} m at step {step}", leader.gap);
                }
                convoy[index].step(&driver, 0.01 * f64::from(step), leader);
            }
            if step == 2500 {
                for pair in convoy.windows(2) {
                    let gap = pair[0].state.place.station - pair[1].state.place.station - length;
                    // 8 m and 2 s
                    let wanted = 8.0 + 2.0 * pair[1].speed;
                    assert!((gap - wanted).abs() < 1.5, "{gap} m instead of {wanted}");
                }
            }
        }
        assert!(convoy.iter().all(|vehicle| vehicle.speed == 0.0));
    }
}
