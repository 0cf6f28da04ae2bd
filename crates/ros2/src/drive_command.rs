//! Commands of ROS 2 nodes to a vehicle.

use super::message::{AckermannDriveStamped, ActuationCommandStamped, Header, TwistStamped};
use bekker_math::numeric::atan2;
use bekker_vehicle::driver::SteeringGeometry;
use bekker_world::SteeringCommand;

/// Longitudinal command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LongitudinalCommand {
    /// Target speed, m/s, negative for backward.
    Speed(f64),
    /// Throttle and brake, each as a fraction, forward only.
    Pedals([f64; 2]),
}

/// A longitudinal command and a steering command, valid from the time of the stamp on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DriveCommand {
    /// Stamp, µs. `None` if it is negative.
    pub stamp_us: Option<u64>,
    /// Longitudinal command.
    pub longitudinal: LongitudinalCommand,
    /// Steering command.
    pub steering: SteeringCommand,
}

impl DriveCommand {
    pub fn from_ackermann(drive: &AckermannDriveStamped) -> DriveCommand {
        let [speed, angle] = [drive.speed, drive.steering_angle].map(f64::from);
        DriveCommand {
            stamp_us: stamp(&drive.header),
            longitudinal: LongitudinalCommand::Speed(speed),
            steering: SteeringCommand::Angle(angle),
        }
    }

    /// Converts an actuation command: the pedals, with `steer_cmd` as the steering angle.
    pub fn from_actuation(actuation: &ActuationCommandStamped) -> DriveCommand {
        let &ActuationCommandStamped { ref header, accel_cmd, brake_cmd, steer_cmd } = actuation;
        let longitudinal = LongitudinalCommand::Pedals([accel_cmd, brake_cmd]);
        let steering = SteeringCommand::Angle(steer_cmd);
        DriveCommand { stamp_us: stamp(header), longitudinal, steering }
    }

    /// Converts the yaw rate to the steering angle of a bicycle model.
    ///
    /// `wheelbase`, m, over turning radius at the commanded speed is the tangent of the angle.
    pub fn from_twist(twist: &TwistStamped, wheelbase: f64) -> DriveCommand {
        let ([speed, ..], [.., yaw_rate]) = (twist.linear, twist.angular);
        let angle = atan2(wheelbase * yaw_rate, speed.abs());
        let angle = if speed < 0.0 { -angle } else { angle };
        DriveCommand {
            steering: SteeringCommand::Angle(angle),
            ..DriveCommand::from_twist_of_skid_steered(twist)
        }
    }

    /// Converts the yaw rate to the angle of an articulated frame.
    pub fn from_twist_of_articulated(
        twist: &TwistStamped,
        geometry: &SteeringGeometry,
    ) -> DriveCommand {
        let ([speed, ..], [.., yaw_rate]) = (twist.linear, twist.angular);
        // at rest only a yaw rate of 0 has a curvature
        let curvature = if yaw_rate == 0.0 { 0.0 } else { yaw_rate / speed.abs() };
        let angle = geometry.steering_angle(curvature);
        let angle = if speed < 0.0 { -angle } else { angle };
        DriveCommand {
            steering: SteeringCommand::Angle(angle),
            ..DriveCommand::from_twist_of_skid_steered(twist)
        }
    }

    /// Converts a twist for a vehicle that is steered by its yaw rate.
    pub fn from_twist_of_skid_steered(twist: &TwistStamped) -> DriveCommand {
        let ([speed, ..], [.., yaw_rate]) = (twist.linear, twist.angular);
        DriveCommand {
            stamp_us: stamp(&twist.header),
            longitudinal: LongitudinalCommand::Speed(speed),
            steering: SteeringCommand::YawRate(yaw_rate),
        }
    }
}

fn stamp(header: &Header) -> Option<u64> {
    header.stamp.micros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twist_is_the_angle_of_a_bicycle() {
        let angle = |speed, yaw_rate| {
            let (linear, angular) = ([speed, 0.0, 0.0], [0.0, 0.0, yaw_rate]);
            let twist = TwistStamped { linear, angular, ..TwistStamped::default() };
            match DriveCommand::from_twist(&twist, 3.0).steering {
                SteeringCommand::Angle(angle) => angle,
                other => panic!("{other:?}"),
            }
        };
        // 4 m/s at 0.4 rad/s gives a radius of 10 m
        assert!((angle(4.0, 0.4) - 0.3_f64.atan()).abs() < 1e-12);
        assert!((angle(4.0, -0.4) + 0.3_f64.atan()).abs() < 1e-12);
        // backward, the same steering angle yaws the vehicle in the opposite direction
        assert!((angle(-4.0, 0.4) + 0.3_f64.atan()).abs() < 1e-12);
        assert_eq!(angle(0.0, 0.0), 0.0);
        assert!((angle(0.0, 1.0) - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    }

    #[test]
    fn a_twist_is_the_angle_of_an_articulated_frame() {
        let spec = bekker_vehicle::find_wheeled("forwarder").unwrap();
        let geometry = SteeringGeometry::from_spec(&spec);
        let angle = |speed, yaw_rate| {
            let (linear, angular) = ([speed, 0.0, 0.0], [0.0, 0.0, yaw_rate]);
            let twist = TwistStamped { linear, angular, ..TwistStamped::default() };
            match DriveCommand::from_twist_of_articulated(&twist, &geometry).steering {
                SteeringCommand::Angle(angle) => angle,
                other => panic!("{other:?}"),
            }
        };
        // axles 2.1 m ahead of the pin and 2.9 m behind it
        let radius = (2.1 * 0.3_f64.cos() + 2.9) / 0.3_f64.sin();
        assert!((angle(2.0, 2.0 / radius) - 0.3).abs() < 1e-12);
        assert!((angle(-2.0, 2.0 / radius) + 0.3).abs() < 1e-12);
        assert_eq!(angle(0.0, 0.0), 0.0);
        assert!(angle(0.0, 1.0) > geometry.max_steer);
    }
}
