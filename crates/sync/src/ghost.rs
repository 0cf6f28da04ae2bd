//! Remote vehicles between their messages.
//!
//! The state of another rank's vehicle arrives only at heartbeats. Between them its pose is
//! extrapolated, for viewers and sensors only. No extrapolated state influences a vehicle, so the
//! order of extrapolation does not change results. When the next message arrives, the extrapolation
//! error is measured.
//!
//! The SynChrono paper bounds the distance of a vehicle from its last message within a heartbeat H:
//! D_H = |a_max| H²/2 + |v_max| H.

use super::message::{RemoteVehicleDescription, RunningGearMessage, VehicleMessage};
use bekker_math::numeric::{cos, sin};
use bekker_math::spatial::{Pose, Quat, Vec3};

/// Order of extrapolation: the quantity that is constant between two messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExtrapolationOrder {
    /// Constant pose.
    Constant,
    /// Constant velocity.
    #[default]
    First,
    /// Constant acceleration, from the last two messages, and constant angular velocity.
    Second,
}

/// A remote vehicle, extrapolated from its description and its last two messages.
#[derive(Clone, Debug)]
pub struct Ghost {
    description: RemoteVehicleDescription,
    order: ExtrapolationOrder,
    /// Time at which the last message was sent, s.
    time: f64,
    last: VehicleMessage,
    acceleration: Vec3,
    speed: f64,
    max_acceleration: f64,
}

impl Ghost {
    /// Creates a ghost from its description and its first message, sent at `time`, s.
    pub fn new(
        description: RemoteVehicleDescription,
        order: ExtrapolationOrder,
        time: f64,
        first: VehicleMessage,
    ) -> Ghost {
        let (speed, acceleration) = (first.velocity.norm(), Vec3::zeros());
        Ghost { description, order, time, last: first, acceleration, speed, max_acceleration: 0.0 }
    }

    /// Returns the description of the vehicle.
    pub fn description(&self) -> &RemoteVehicleDescription {
        &self.description
    }

    /// Returns the wheels or tracks of the last message.
    pub fn gear(&self) -> &RunningGearMessage {
        &self.last.gear
    }

    /// Applies the next message, sent at `time`, s, and returns the extrapolation error, m.
    pub fn apply(&mut self, time: f64, state: VehicleMessage) -> f64 {
        let error = (self.pose(time).position - state.chassis.position).norm();
        // a vehicle stops at once when its drive ends: that is no acceleration
        if time > self.time && !state.ended {
            self.acceleration = (state.velocity - self.last.velocity) / (time - self.time);
        }
        self.speed = self.speed.max(state.velocity.norm());
        self.max_acceleration = self.max_acceleration.max(self.acceleration.norm());
        self.time = time;
        self.last = state;
        error
    }

    /// Returns the extrapolated chassis frame at `time`, s.
    pub fn pose(&self, time: f64) -> Pose {
        let dt = time - self.time;
        let Pose { position, orientation } = self.last.chassis;
        match self.order {
            ExtrapolationOrder::Constant => self.last.chassis,
            ExtrapolationOrder::First => Pose {
                position: position + self.last.velocity * dt,
                orientation: turned(&self.last.angular_velocity, dt) * orientation,
            },
            ExtrapolationOrder::Second => Pose {
                position: position + self.last.velocity * dt + self.acceleration * (0.5 * dt * dt),
                orientation: turned(&self.last.angular_velocity, dt) * orientation,
            },
        }
    }

    /// Returns the extrapolated pose of a wheel at `time`, s, or `None` without such a wheel.
    ///
    /// The wheel keeps its position in the chassis and rotates at its last spin.
    pub fn wheel(&self, wheel: usize, time: f64) -> Option<Pose> {
        let RunningGearMessage::Wheels(wheels) = &self.last.gear else { return None };
        let part = wheels.get(wheel)?;
        let chassis = self.pose(time);
        let spun = turned(&(Vec3::y() * part.spin), time - self.time);
        Some(Pose {
            position: chassis.point(&part.pose.position),
            orientation: chassis.orientation * part.pose.orientation * spun,
        })
    }

    /// Returns D_H, m, for a heartbeat, s, from the greatest speed and acceleration so far.
    pub fn bound(&self, heartbeat: f64) -> f64 {
        bound(self.max_acceleration, self.speed, heartbeat)
    }
}

/// Returns the SynChrono paper's bound D_H = |a_max| H²/2 + |v_max| H, m.
pub fn bound(acceleration: f64, speed: f64, heartbeat: f64) -> f64 {
    0.5 * acceleration * heartbeat * heartbeat + speed * heartbeat
}

/// Returns the rotation by an angular velocity (rad/s) over a time (s).
fn turned(velocity: &Vec3, dt: f64) -> Quat {
    let rate = velocity.norm();
    if rate * dt == 0.0 || !rate.is_finite() {
        return Quat::identity();
    }
    let half = 0.5 * rate * dt;
    let axis = velocity * (sin(half) / rate);
    Quat::new_normalize(nalgebra::Quaternion::new(cos(half), axis.x, axis.y, axis.z))
}

#[cfg(test)]
mod tests {
    use super::super::message::{PartState, RemoteVehicleDescription};
    use super::*;

    /// A vehicle on a circle of 20 m radius at 10 m/s.
    fn on_a_circle(time: f64) -> VehicleMessage {
        let (radius, speed) = (20.0, 10.0);
        let angle: f64 = speed / radius * time;
        let heading = Quat::from_axis_angle(&Vec3::z_axis(), angle);
        VehicleMessage {
            chassis: Pose {
                position: Vec3::new(radius * angle.sin(), radius * (1.0 - angle.cos()), 0.0),
                orientation: heading,
            },
            velocity: heading * Vec3::x() * speed,
            angular_velocity: Vec3::z() * (speed / radius),
            speed,
            station: None,
            ended: false,
            gear: RunningGearMessage::Wheels(vec![PartState { pose: Pose::default(), spin: 20.0 }]),
            motion: None,
            trailer: None,
        }
    }

    fn car() -> RemoteVehicleDescription {
        let (name, model) = ("car".into(), "car".into());
        RemoteVehicleDescription::Wheeled { name, model, wheels: 1, wheel_radius: 0.5 }
    }

    fn largest_error(order: ExtrapolationOrder, heartbeat: f64) -> (f64, f64) {
        let mut ghost = Ghost::new(car(), order, 0.0, on_a_circle(0.0));
        // the acceleration is known from the second message on
        ghost.apply(heartbeat, on_a_circle(heartbeat));
        let mut largest: f64 = 0.0;
        for count in 2..20 {
            let time = count as f64 * heartbeat;
            largest = largest.max(ghost.apply(time, on_a_circle(time)));
        }
        (largest, ghost.bound(heartbeat))
    }

    /// On a circle the errors have closed forms: v H for constant pose and a H²/2 for first order.
    /// Second order uses the acceleration of half a heartbeat ago, which gives (5/12) a' H³ with a'
    /// = v³/r².
    #[test]
    fn errors_shrink_with_the_theoretical_order_and_keep_the_bound() {
        let (v, r) = (10.0_f64, 20.0_f64);
        let (a, jerk) = (v * v / r, v * v * v / (r * r));
        for h in [0.01, 0.02, 0.04] {
            let expected = [v * h, 0.5 * a * h * h, 5.0 / 12.0 * jerk * h * h * h];
            let orders = [
                ExtrapolationOrder::Constant,
                ExtrapolationOrder::First,
                ExtrapolationOrder::Second,
            ];
            for (order, expected) in orders.into_iter().zip(expected) {
                let (error, bound) = largest_error(order, h);
                // the next term of the series is below 2 % at 0.02 rad per heartbeat
                assert!((error / expected - 1.0).abs() < 0.02, "{order:?} {h}: {error} {expected}");
                assert!(error <= bound, "{error} m, bound {bound} m");
            }
        }
    }

    #[test]
    fn wheels_go_along_and_turn() {
        let ghost = Ghost::new(car(), ExtrapolationOrder::First, 0.0, on_a_circle(0.0));
        let wheel = ghost.wheel(0, 0.1).unwrap();
        assert!((wheel.position - Vec3::new(1.0, 0.0, 0.0)).norm() < 1e-12);
        let turn = ghost.pose(0.1).orientation.inverse() * wheel.orientation;
        assert!((turn.angle() - 2.0).abs() < 1e-9, "20 rad/s for 0.1 s");
        assert!(ghost.wheel(1, 0.1).is_none());
    }
}
