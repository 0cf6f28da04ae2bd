//! Plan tracking: from a plan to throttle, steering and brake.
//!
//! Steering is pure pursuit and speed is a PID control, both from
//! [`vehicle::driver`](bekker_vehicle::driver). The target speed is the smallest of four: the
//! cruise speed, the limit in bends, the braking curve to the goal, and the stopping speed.
//!
//! From the stopping speed the vehicle stops, after a reaction time, on ground that is known to be
//! free: v t + v² / (2 a) = distance. Where that ground descends, gravity reduces a by g
//! sin(slope).

use super::body::VehicleGeometry;
use super::plan::LocalPlan;
use bekker_math::numeric::{GRAVITY, hypot};
use bekker_math::spatial::{Pose, Vec3};
use bekker_vehicle::driver::{
    LongitudinalState, Path, PathPosition, PurePursuit, PursuedPath, SpeedControl, SpeedState,
};
use bekker_vehicle::{Controls, Selector};
use serde::{Deserialize, Serialize};

/// Descent of the ground per meter below which it counts as level.
///
/// The map is rounded and has lidar noise, and the vehicle squats on its springs.
const LEVEL: f64 = 0.05;
/// Least deceleration assumed downhill, m/s²; where gravity leaves less, the vehicle creeps.
const LEAST_BRAKING: f64 = 0.1;

/// Parameters of plan tracking; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrackingModel {
    /// Speed over open ground, m/s.
    pub speed: f64,
    /// Largest lateral acceleration in bends, m/s².
    pub lateral_acceleration: f64,
    /// Deceleration ahead of bends and the goal, m/s².
    pub deceleration: f64,
    /// Deceleration assumed for stopping before unknown ground, on level ground, m/s².
    pub braking: f64,
    /// Time from a scan to the brakes, s.
    pub reaction: f64,
    /// Distance before unknown ground at which the vehicle would stop, m.
    pub standoff: f64,
    /// Speed over unknown ground, m/s.
    pub creep: f64,
    /// Speed backward, m/s.
    pub backward: f64,
    /// Thrust over weight at full throttle, used to start uphill.
    pub thrust: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Gains of the steering.
    pub pursuit: PurePursuit,
    /// Gains of the speed control.
    pub speed_control: SpeedControl,
}

impl Default for TrackingModel {
    fn default() -> Self {
        let pursuit = PurePursuit {
            look_ahead_time: 0.6,
            min_look_ahead: 2.5,
            max_look_ahead: 8.0,
            steering_rate: 2.0,
        };
        TrackingModel {
            speed: 5.0,
            lateral_acceleration: 2.0,
            deceleration: 1.5,
            braking: 4.5,
            reaction: 0.3,
            standoff: 0.5,
            creep: 1.0,
            backward: 1.5,
            thrust: 0.4,
            gravity: GRAVITY,
            pursuit,
            speed_control: SpeedControl { coasting: 0.05, braking: 2.0, ..SpeedControl::default() },
        }
    }
}

/// State of plan tracking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrackingState {
    /// Position on the path.
    pub place: PathPosition,
    /// State of the speed control.
    pub speed: SpeedState,
    /// Steering of the last step.
    pub steering: f64,
    /// Throttle of the last step.
    pub throttle: f64,
    /// Target speed, m/s, negative backward.
    pub wanted: f64,
}

/// Estimated motion of the vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackingInput<'a> {
    /// The vehicle.
    pub body: &'a VehicleGeometry,
    /// Chassis frame in the world.
    pub pose: Pose,
    /// Speed along its x axis, m/s.
    pub speed: f64,
    /// Yaw of the rear frame of an articulated vehicle relative to the chassis, rad.
    pub articulation: Option<f64>,
    /// Time until the next commands, s.
    pub step: f64,
}

impl TrackingModel {
    /// Returns the parameters of a vehicle that does not exceed a speed, m/s, in either direction.
    pub fn at_most(speed: f64) -> TrackingModel {
        let usual = TrackingModel::default();
        TrackingModel { speed, backward: usual.backward.min(speed), ..usual }
    }

    /// Returns the parameters with braking limited to a deceleration, m/s².
    ///
    /// Bends and goals are limited likewise.
    pub fn with_braking(self, braking: f64) -> TrackingModel {
        let deceleration = self.deceleration.min(braking);
        let lateral_acceleration = self.lateral_acceleration.min(braking);
        TrackingModel { braking, deceleration, lateral_acceleration, ..self }
    }

    /// Returns the parameters on ground that descends by `fall` meters per meter.
    ///
    /// Gravity reduces the deceleration of the brakes. Ascending ground counts as level.
    pub fn on_descent(self, fall: f64) -> TrackingModel {
        if fall < LEVEL {
            return self;
        }
        let braking = (self.braking - self.gravity * fall / hypot(1.0, fall)).max(LEAST_BRAKING);
        TrackingModel { braking, deceleration: self.deceleration.min(braking), ..self }
    }

    /// Limits the speeds at the points of a path so that the vehicle can stop.
    ///
    /// It must stop before unknown ground and, unless the path ends at the goal, before the end of
    /// the path.
    pub fn keep_stoppable(&self, speeds: &mut [f64], path: &Path, known: f64, ends: bool) {
        for (speed, station) in speeds.iter_mut().zip(path.stations()) {
            *speed = speed.min(self.stoppable(path, known, ends, *station));
        }
    }

    /// Largest speed at a station of a path from which the vehicle stops in time, m/s.
    fn stoppable(&self, path: &Path, known: f64, ends: bool, station: f64) -> f64 {
        let known = self.stopping_speed(known - self.standoff - station).max(self.creep);
        let feasible = match ends {
            true => f64::INFINITY,
            false => self.stopping_speed(path.length() - station),
        };
        known.min(feasible)
    }

    /// Largest speeds at the points of a path, m/s, from its bends and, if it ends at the goal,
    /// from stopping there.
    ///
    /// With `wait`, m, they are 0 from that station on.
    pub fn speeds(&self, path: &Path, ends: bool, wait: Option<f64>) -> Vec<f64> {
        let count = path.points().len();
        let cruise = self.speed * self.speed;
        let bend = |at: usize| self.lateral_acceleration / path.curvature(at).abs().max(1e-9);
        let mut squares: Vec<f64> = (0..count).map(|at| cruise.min(bend(at))).collect();
        if ends {
            squares[count - 1] = 0.0;
        }
        let waits = |at: usize| wait.is_some_and(|from| path.stations()[at] >= from);
        (0..count).filter(|at| waits(*at)).for_each(|at| squares[at] = 0.0);
        for at in (0..count - 1).rev() {
            let length = path.stations()[at + 1] - path.stations()[at];
            squares[at] = squares[at].min(squares[at + 1] + 2.0 * self.deceleration * length);
        }
        squares.into_iter().map(f64::sqrt).collect()
    }

    /// Speed from which the vehicle stops within a distance, m/s.
    pub fn stopping_speed(&self, distance: f64) -> f64 {
        let TrackingModel { braking, reaction, .. } = *self;
        braking * ((reaction * reaction + 2.0 * distance.max(0.0) / braking).sqrt() - reaction)
    }

    /// Returns commands that follow a plan, or that brake if the plan has no path.
    pub fn follow(
        &self,
        state: &mut TrackingState,
        plan: &LocalPlan,
        going: &TrackingInput<'_>,
    ) -> Controls {
        let Some(path) = &plan.path else { return self.stop(state, going) };
        let geometry = &going.body.geometry;
        state.place = path.nearest_near(&state.place, geometry.rear(&going.pose));
        let steering = self.pursuit.steering(
            geometry,
            PursuedPath { path, position: &state.place, aside: 0.0 },
            &going.pose,
            going.speed,
            [1.0; 2],
        );
        let wanted = self.target_speed(&state.place, plan, path);
        self.command(state, steering, wanted, 1.0, going)
    }

    /// Target speed at a position of a plan, m/s.
    fn target_speed(&self, place: &PathPosition, plan: &LocalPlan, path: &Path) -> f64 {
        let next = (place.segment + 1).min(plan.speeds.len() - 1);
        if plan.speeds[place.segment.min(next)] == 0.0 {
            return 0.0;
        }
        let left = (path.stations()[next] - place.station).max(0.0);
        let ahead = plan.speeds[next];
        let allowed = (ahead * ahead + 2.0 * self.deceleration * left).sqrt().min(self.speed);
        allowed.min(self.stoppable(path, plan.known, plan.ends, place.station))
    }

    /// Returns commands that follow a path backward with `room` meters of free space.
    ///
    /// The path is that of the rear axle, or of the axles of an articulated rear frame, which leads.
    pub fn follow_backward(
        &self,
        state: &mut TrackingState,
        path: &Path,
        room: f64,
        going: &TrackingInput<'_>,
    ) -> Controls {
        let (geometry, pose) = (&going.body.geometry, &going.pose);
        let (leading, _) = geometry.reversing_point(pose, going.articulation);
        state.place = path.nearest_near(&state.place, leading);
        // a look-ahead shorter than the vehicle oscillates while the frame bends
        let length = geometry.articulated.map_or(0.0, |own| own.front + own.rear);
        let min_look_ahead = self.pursuit.min_look_ahead.max(length);
        let (pursuit, speed) = (PurePursuit { min_look_ahead, ..self.pursuit }, going.speed);
        let pursued = PursuedPath { path, position: &state.place, aside: 0.0 };
        let led = |yaw| pursuit.rear_frame_steering(geometry, pursued, pose, speed, yaw);
        let steering = going
            .articulation
            .and_then(led)
            .unwrap_or_else(|| pursuit.steering(geometry, pursued, pose, speed, [-1.0, 1.0]));
        let left = room.min(path.length() - state.place.station);
        let wanted = (2.0 * self.deceleration * left.max(0.0)).sqrt().min(self.backward);
        self.command(state, steering, wanted, -1.0, going)
    }

    /// Returns commands that brake at the rate of the pedal and hold.
    pub fn stop(&self, state: &mut TrackingState, going: &TrackingInput<'_>) -> Controls {
        (state.wanted, state.throttle) = (0.0, 0.0);
        let pedals = self.speed_control.hold(&mut state.speed, going.step);
        Controls { steering: state.steering, ..pedals }
    }

    fn command(
        &self,
        state: &mut TrackingState,
        steering: f64,
        wanted: f64,
        sense: f64,
        going: &TrackingInput<'_>,
    ) -> Controls {
        let steering = going.body.geometry.command(steering, going.speed, sense);
        let turn = self.pursuit.steering_rate * going.step;
        state.steering = steering.clamp(state.steering - turn, state.steering + turn);
        state.wanted = sense * wanted;
        let motion = LongitudinalState {
            speed: sense * going.speed,
            thrust: self.thrust * state.throttle,
            slope: sense * going.pose.direction(&Vec3::x()).z,
            rim: 0.0,
            slip: 0.0,
            gravity: self.gravity,
        };
        let pedals = self.speed_control.controls(&mut state.speed, wanted, &motion, going.step);
        state.throttle = pedals.throttle;
        let gear = if sense < 0.0 { Selector::Reverse } else { Selector::Drive };
        Controls { steering: state.steering, gear, ..pedals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proving_ground;
    use bekker_math::spatial::Quat;
    use bekker_vehicle::driver::SteeringGeometry;
    use bekker_vehicle::spec::ArticulationLevers;

    /// A vehicle that pivots turns in the same direction for the same steering forward and
    /// backward.
    #[test]
    fn a_pivoting_vehicle_backs_up_with_opposite_steering() {
        let path = Path::polyline(&[[0.0, 0.0], [-10.0, 3.0]]).unwrap();
        let backs_with = |pivots: bool| {
            let mut body = proving_ground::body();
            body.geometry.pivots = pivots;
            let place = path.locate(body.geometry.rear(&Pose::default()));
            let mut state = TrackingState { place, ..TrackingState::default() };
            let going = TrackingInput {
                body: &body,
                pose: Pose::default(),
                speed: -0.5,
                articulation: None,
                step: 1.0,
            };
            TrackingModel::default().follow_backward(&mut state, &path, 10.0, &going).steering
        };
        assert!(backs_with(false).abs() > 0.1, "{}", backs_with(false));
        assert_eq!(backs_with(true), -backs_with(false));
    }

    /// Backs an articulated vehicle off along an arc to the left or right for 10 s, by kinematics
    /// without slip; `side` is 1 or -1. Returns the steering and the rear frame's distances from the
    /// arc, m.
    ///
    /// For axles f ahead of the pin and r behind it, the rear frame turns at (v sin γ - f γ')/(f + r
    /// cos γ).
    fn backed_off(side: f64) -> Vec<[f64; 2]> {
        let (radius, joint, front, rear) = (12.0, 0.4, 2.1, 2.9);
        let mut body = proving_ground::body();
        body.geometry = SteeringGeometry {
            rear_axle: joint + front,
            max_steer: 44f64.to_radians(),
            articulated: Some(ArticulationLevers { joint, front, rear }),
            ..body.geometry
        };
        let point = |k: u32| {
            let angle = 0.5 * f64::from(k) / radius;
            [-radius * angle.sin(), side * radius * (1.0 - angle.cos())]
        };
        let path = Path::polyline(&(0..60).map(point).collect::<Vec<_>>()).unwrap();
        // the rear axle starts on the path, and the front frame at an angle to it
        let (mut x, mut y, mut heading, mut angle) = (0.0, 0.0, 0.0_f64, side * 0.2_f64);
        let mut state = TrackingState { place: path.locate([x, y]), ..TrackingState::default() };
        let (speed, step) = (-1.5, 0.02);
        let one = |_| {
            let yaw = heading + angle;
            let ahead = [
                rear * heading.cos() - joint * yaw.cos(),
                rear * heading.sin() - joint * yaw.sin(),
            ];
            let position = Vec3::new(x + ahead[0], y + ahead[1], 0.0);
            let pose = Pose { position, orientation: Quat::from_axis_angle(&Vec3::z_axis(), yaw) };
            let articulation = Some(-angle);
            let going = TrackingInput { body: &body, pose, speed, articulation, step };
            let tracking = TrackingModel::default();
            let steering = tracking.follow_backward(&mut state, &path, 20.0, &going).steering;
            let most = 20f64.to_radians() * step;
            let bends = (steering * body.geometry.max_steer - angle).clamp(-most, most);
            let turn = (speed * step * angle.sin() - front * bends) / (front + rear * angle.cos());
            (x, y) = (x + speed * step * heading.cos(), y + speed * step * heading.sin());
            (heading, angle) = (heading + turn, angle + bends);
            [steering, hypot(x, y - side * radius) - radius]
        };
        (0..500).map(one).collect()
    }

    /// The rear frame leads along the path; the mirrored path gives the mirrored steering.
    #[test]
    fn an_articulated_vehicle_backs_off_along_a_path() {
        let [left, right] = [1.0, -1.0].map(backed_off);
        let farthest = left.iter().map(|[_, off]| off.abs()).fold(0.0, f64::max);
        let last = left.last().unwrap()[1];
        assert!(farthest < 0.5 && last.abs() < 0.1, "{farthest} m, {last} m");
        for ([steering, off], [mirrored, beside]) in left.into_iter().zip(right) {
            assert_eq!([steering, off], [-mirrored, beside]);
        }
    }

    /// On a slope of 3 in 10 gravity takes g sin(atan(0.3)) = 2.82 m/s².
    ///
    /// The stopping distance is v t + v² / (2 a).
    #[test]
    fn gravity_reduces_braking_downhill() {
        let level = TrackingModel::default();
        assert_eq!(level.on_descent(0.0), level);
        assert_eq!(level.on_descent(-0.3), level);
        let steep = level.on_descent(0.3);
        let left = 4.5 - 9.81 * 0.3 / 1.09_f64.sqrt();
        assert!((steep.braking - left).abs() < 1e-12, "{}", steep.braking);
        assert_eq!(steep.deceleration, level.deceleration);
        let speed = steep.stopping_speed(6.0);
        let way = speed * steep.reaction + speed * speed / (2.0 * left);
        assert!((way - 6.0).abs() < 1e-9, "{way}");
        // brakes too weak to hold the vehicle there fall back to the lower limit
        let weak = level.with_braking(2.26).on_descent(0.3);
        assert_eq!((weak.braking, weak.deceleration), (LEAST_BRAKING, LEAST_BRAKING));
    }

    /// Along a descending path the vehicle can stop before unknown ground from all speeds.
    ///
    /// The speed is never below creep except at the end.
    #[test]
    fn speeds_downhill_stop_before_unknown_ground() {
        let points: Vec<[f64; 2]> = (0..=48).map(|k| [0.25 * f64::from(k), 0.0]).collect();
        let path = Path::polyline(&points).unwrap();
        let steep = TrackingModel::default().on_descent(0.3);
        let mut speeds = steep.speeds(&path, true, None);
        steep.keep_stoppable(&mut speeds, &path, 6.0, true);
        for (speed, station) in speeds.iter().zip(path.stations()) {
            let stops = steep.stopping_speed(6.0 - steep.standoff - station).max(steep.creep);
            assert!(*speed <= stops, "{speed} m/s at {station} m");
        }
        assert_eq!(speeds[0], steep.stopping_speed(6.0 - steep.standoff));
    }
}
