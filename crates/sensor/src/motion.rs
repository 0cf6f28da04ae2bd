//! True motion of a vehicle and its wheels: the input of motion sensors.

use bekker_math::spatial::{Pose, Twist, Vec3};
use serde::{Deserialize, Serialize};

/// Motion of a frame over the last step, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameMotion {
    /// Pose of the frame.
    pub pose: Pose,
    /// Velocity of its origin, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vec3,
    /// Mean acceleration of its origin over the step, m/s².
    pub acceleration: Vec3,
}

impl FrameMotion {
    /// Returns the motion of a frame mounted at `mount` on a body with this pose and twist.
    ///
    /// `before` is the velocity of the mounted origin `h` seconds ago.
    pub fn mounted(mount: &Pose, body: &Pose, twist: &Twist, before: &Vec3, h: f64) -> FrameMotion {
        let arm = body.direction(&mount.position);
        let pose = Pose {
            position: body.position + arm,
            orientation: body.orientation * mount.orientation,
        };
        let velocity = twist.velocity_at(&arm);
        let acceleration = (velocity - before) / h;
        FrameMotion { pose, velocity, angular_velocity: twist.angular, acceleration }
    }

    /// Returns the specific force, as an accelerometer measures it: acceleration less gravity,
    /// m/s².
    ///
    /// The axes are those of the frame. At rest it points up with `gravity`, m/s². The rotation of
    /// the earth is left out.
    pub fn specific_force(&self, gravity: f64) -> Vec3 {
        let up = Vec3::new(0.0, 0.0, gravity);
        self.pose.orientation.inverse_transform_vector(&(self.acceleration + up))
    }

    /// Returns the angular velocity, axes of the frame, rad/s.
    pub fn angular_rate(&self) -> Vec3 {
        self.pose.orientation.inverse_transform_vector(&self.angular_velocity)
    }
}

/// State of a wheel or road wheel after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelMotion {
    /// Spin, rad/s, positive when rolling forward.
    pub spin: f64,
    /// Slip within ±1: 1 - v/(ω r) when driving, ω r/v - 1 when braked.
    pub slip: f64,
    /// Depth of its lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Ground force: along the wheel's heading, to its left, up, N.
    pub force: Vec3,
    /// Contact area, m²; 0 where no deformable ground is touched.
    pub area: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::GRAVITY;
    use bekker_math::spatial::Quat;

    #[test]
    fn at_rest_it_measures_gravity_along_its_axes() {
        let roll = Quat::from_axis_angle(&Vec3::x_axis(), 0.3);
        let body = Pose { orientation: roll, ..Pose::default() };
        let still = Twist::default();
        let motion = FrameMotion::mounted(&Pose::default(), &body, &still, &Vec3::zeros(), 0.01);
        let expected = Vec3::new(0.0, GRAVITY * 0.3f64.sin(), GRAVITY * 0.3f64.cos());
        assert!((motion.specific_force(GRAVITY) - expected).norm() < 1e-12);
    }

    /// On a turntable at radius r the specific force is ω² r inward.
    ///
    /// The difference of velocities over h has an error of ω³ r h / 2.
    #[test]
    fn on_a_turntable_it_feels_the_centripetal_force() {
        let (omega, radius, h) = (2.0, 1.5, 1e-4);
        let mount = Pose { position: Vec3::new(radius, 0.0, 0.0), ..Pose::default() };
        let twist = Twist { linear: Vec3::zeros(), angular: Vec3::new(0.0, 0.0, omega) };
        let turned = |angle: f64| Pose {
            orientation: Quat::from_axis_angle(&Vec3::z_axis(), angle),
            ..Pose::default()
        };
        let before = FrameMotion::mounted(&mount, &turned(0.0), &twist, &Vec3::zeros(), h).velocity;
        let motion = FrameMotion::mounted(&mount, &turned(omega * h), &twist, &before, h);
        let felt = motion.specific_force(GRAVITY) - Vec3::new(0.0, 0.0, GRAVITY);
        assert!((felt.x + omega * omega * radius).abs() < 1e-6, "{felt}");
        assert!(felt.y.abs() < 0.6 * omega.powi(3) * radius * h && felt.z.abs() < 1e-12);
        assert!((motion.angular_rate() - twist.angular).norm() < 1e-12);
    }
}
