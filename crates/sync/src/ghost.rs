//! Remote vehicles between their messages.
//!
//! A vehicle of another rank is known at heartbeats. Between them it is
//! extrapolated, for eyes and sensors: nothing that is extrapolated ever decides
//! what a vehicle does, so the order changes no result. When the next message
//! comes, the error of the extrapolation is measured.
//!
//! The SynChrono paper bounds how far a vehicle gets from its last message in a
//! heartbeat H: D_H = |a_max| H²/2 + |v_max| H.

use super::message::{Description, RunningGear, VehicleState};
use bekker_math::numeric::{cos, sin};
use bekker_math::spatial::{Pose, Quat, Vec3};

/// What is taken for constant between two messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The pose.
    Constant,
    /// The velocity.
    #[default]
    First,
    /// The acceleration between the last two messages; the angular velocity.
    Second,
}

/// A remote vehicle, from its description and its last two messages.
#[derive(Clone, Debug)]
pub struct Ghost {
    /// What it is.
    description: Description,
    order: Order,
    /// When the last message was sent, s.
    time: f64,
    last: VehicleState,
    acceleration: Vec3,
    speed: f64,
    strongest: f64,
}

impl Ghost {
    /// A ghost from its description and its first message, sent at `time`, s.
    pub fn new(description: Description, order: Order, time: f64, first: VehicleState) -> Ghost {
        let (speed, acceleration) = (first.velocity.norm(), Vec3::zeros());
        Ghost { description, order, time, last: first, acceleration, speed, strongest: 0.0 }
    }

    /// What it is.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Its wheels or tracks as it told them last.
    pub fn gear(&self) -> &RunningGear {
        &self.last.gear
    }

    /// Takes its next message and returns how far it was from where it had been
    /// expected, m.
    pub fn hear(&mut self, time: f64, state: VehicleState) -> f64 {
        let error = (self.pose(time).position - state.chassis.position).norm();
        // one whose drive has ended stands at once: no acceleration of a vehicle
        if time > self.time && !state.ended {
            self.acceleration = (state.velocity - self.last.velocity) / (time - self.time);
        }
        self.speed = self.speed.max(state.velocity.norm());
        self.strongest = self.strongest.max(self.acceleration.norm());
        self.time = time;
        self.last = state;
        error
    }

    /// Its chassis frame at `time`, s.
    pub fn pose(&self, time: f64) -> Pose {
        let dt = time - self.time;
        let Pose { position, orientation } = self.last.chassis;
        match self.order {
            Order::Constant => self.last.chassis,
            Order::First => Pose {
                position: position + self.last.velocity * dt,
                orientation: turned(&self.last.angular_velocity, dt) * orientation,
            },
            Order::Second => Pose {
                position: position + self.last.velocity * dt + self.acceleration * (0.5 * dt * dt),
                orientation: turned(&self.last.angular_velocity, dt) * orientation,
            },
        }
    }

    /// Pose of a wheel at `time`, s: it keeps its place in the chassis and turns
    /// on with its spin.
    pub fn wheel(&self, wheel: usize, time: f64) -> Option<Pose> {
        let RunningGear::Wheels(wheels) = &self.last.gear else { return None };
        let part = wheels.get(wheel)?;
        let chassis = self.pose(time);
        let spun = turned(&(Vec3::y() * part.spin), time - self.time);
        Some(Pose {
            position: chassis.point(&part.pose.position),
            orientation: chassis.orientation * part.pose.orientation * spun,
        })
    }

    /// D_H for a heartbeat, s, with the greatest speed and acceleration that the
    /// vehicle has shown so far, m.
    pub fn bound(&self, heartbeat: f64) -> f64 {
        bound(self.strongest, self.speed, heartbeat)
    }
}

/// The SynChrono paper's D_H = |a_max| H²/2 + |v_max| H, m.
pub fn bound(acceleration: f64, speed: f64, heartbeat: f64) -> f64 {
    0.5 * acceleration * heartbeat * heartbeat + speed * heartbeat
}

/// Rotation by an angular velocity (rad/s) over a time (s).
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
    use super::super::message::{Description, PartState};
    use super::*;

    /// A vehicle on a circle of 20 m at 10 m/s.
    fn on_a_circle(time: f64) -> VehicleState {
        let (radius, speed) = (20.0, 10.0);
        let angle: f64 = speed / radius * time;
        let heading = Quat::from_axis_angle(&Vec3::z_axis(), angle);
        VehicleState {
            chassis: Pose {
                position: Vec3::new(radius * angle.sin(), radius * (1.0 - angle.cos()), 0.0),
                orientation: heading,
            },
            velocity: heading * Vec3::x() * speed,
            angular_velocity: Vec3::z() * (speed / radius),
            speed,
            station: None,
            ended: false,
            gear: RunningGear::Wheels(vec![PartState { pose: Pose::default(), spin: 20.0 }]),
            motion: None,
            trailer: None,
        }
    }

    fn car() -> Description {
        let (name, model) = ("car".into(), "car".into());
        Description::Wheeled { name, model, wheels: 1, wheel_radius: 0.5 }
    }

    fn largest_error(order: Order, heartbeat: f64) -> (f64, f64) {
        let mut ghost = Ghost::new(car(), order, 0.0, on_a_circle(0.0));
        // the second message gives it its acceleration
        ghost.hear(heartbeat, on_a_circle(heartbeat));
        let mut largest: f64 = 0.0;
        for count in 2..20 {
            let time = count as f64 * heartbeat;
            largest = largest.max(ghost.hear(time, on_a_circle(time)));
        }
        (largest, ghost.bound(heartbeat))
    }

    /// On a circle the errors have closed forms: v H, a H²/2, and for the second
    /// order, whose acceleration is one of half a heartbeat ago, (5/12) a' H³
    /// with a' = v³/r².
    #[test]
    fn errors_shrink_with_the_order_as_theory_says_and_keep_the_bound() {
        let (v, r) = (10.0_f64, 20.0_f64);
        let (a, jerk) = (v * v / r, v * v * v / (r * r));
        for h in [0.01, 0.02, 0.04] {
            let expected = [v * h, 0.5 * a * h * h, 5.0 / 12.0 * jerk * h * h * h];
            let orders = [Order::Constant, Order::First, Order::Second];
            for (order, expected) in orders.into_iter().zip(expected) {
                let (error, bound) = largest_error(order, h);
                // the next term of the series is below 2 % at 0.02 rad a heartbeat
                assert!((error / expected - 1.0).abs() < 0.02, "{order:?} {h}: {error} {expected}");
                assert!(error <= bound, "{error} m, bound {bound} m");
            }
        }
    }

    #[test]
    fn wheels_go_along_and_turn() {
        let ghost = Ghost::new(car(), Order::First, 0.0, on_a_circle(0.0));
        let wheel = ghost.wheel(0, 0.1).unwrap();
        assert!((wheel.position - Vec3::new(1.0, 0.0, 0.0)).norm() < 1e-12);
        let turn = ghost.pose(0.1).orientation.inverse() * wheel.orientation;
        assert!((turn.angle() - 2.0).abs() < 1e-9, "20 rad/s for 0.1 s");
        assert!(ghost.wheel(1, 0.1).is_none());
    }
}
