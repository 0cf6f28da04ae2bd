//! Steering of vehicles by the yaw rate of a twist.

use bekker_agent::{AnyVehicle, GroundVehicle};
use bekker_vehicle::driver::SteeringGeometry;
use bekker_world::SteeringCommand;

/// Curvature added for each missing curvature.
const PROPORTIONAL: f64 = 1.0;
/// Growth of the added curvature for each missing curvature, 1/s.
const INTEGRAL: f64 = 1.0;
/// Lower bound of the speed in the conversion of a yaw rate to a curvature, m/s.
const SLOW: f64 = 1.0;

/// Meaning of the yaw rate of a twist for the steering of a vehicle.
#[derive(Clone, Copy, Debug)]
pub(super) enum TwistSteering {
    /// The angle of steered wheels. `wheelbase` is the distance from the first steered axle to the
    /// line through the turning center, m.
    WheelAngle { wheelbase: f64 },
    /// The angle of an articulated frame.
    FrameAngle(SteeringGeometry),
    /// The yaw rate of a skid-steered vehicle.
    YawRate,
    /// The steering of tracks.
    Tracks(TrackSteering),
}

impl TwistSteering {
    /// Returns the steering of a vehicle.
    pub fn new(vehicle: &AnyVehicle) -> TwistSteering {
        let spec = match vehicle {
            AnyVehicle::Tracked(own) => {
                let geometry = SteeringGeometry::from_tracked_spec(own.vehicle.spec());
                return TwistSteering::Tracks(TrackSteering { geometry, added: 0.0 });
            }
            AnyVehicle::Wheeled(own) => own.vehicle.spec(),
        };
        let geometry = SteeringGeometry::from_spec(spec);
        if vehicle.properties().max_yaw_rate.is_some() {
            TwistSteering::YawRate
        } else if geometry.articulated.is_some() {
            TwistSteering::FrameAngle(geometry)
        } else {
            TwistSteering::WheelAngle { wheelbase: spec.steering_base() }
        }
    }
}

/// Proportional-integral control of the curvature of tracks by the measured yaw rate.
///
/// Tracks run straight until their thrusts differ by more than the ground bears, so a small steering
/// alone does not turn them.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackSteering {
    geometry: SteeringGeometry,
    /// Integral of the missing curvature, 1/m.
    added: f64,
}

impl TrackSteering {
    /// Returns the steering for a speed, m/s, and a yaw rate, rad/s, at measured ones, over `h` s.
    pub fn command(
        &mut self,
        [target, rate]: [f64; 2],
        [speed, yaw_rate]: [f64; 2],
        h: f64,
    ) -> SteeringCommand {
        let sense = if target < 0.0 { -1.0 } else { 1.0 };
        if rate == 0.0 {
            self.added = 0.0;
        }
        let most = self.geometry.max_curvature();
        // at rest only a yaw rate of 0 has a curvature
        let wanted = if rate == 0.0 { 0.0 } else { (rate / target).clamp(-most, most) };
        let missing = wanted - sense * yaw_rate / speed.abs().max(SLOW);
        let asked = wanted + PROPORTIONAL * missing + self.added;
        // the integral does not grow at full lock
        if asked.abs() < most || asked * missing < 0.0 {
            self.added = (self.added + INTEGRAL * missing * h).clamp(-most, most);
        }
        let steering = self.geometry.steering(asked);
        SteeringCommand::Share(self.geometry.command(steering, speed, sense))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::find_vehicle;

    /// Yaw rate after 20 s of tracks that turn at half of the steering above a tenth of full
    /// lock, with a time constant of 0.3 s. The control has a time constant of 3 s here.
    fn settled(target: f64, rate: f64) -> f64 {
        let geometry =
            SteeringGeometry::from_tracked_spec(find_vehicle("m113").unwrap().tracked().unwrap());
        let mut steering = TrackSteering { geometry, added: 0.0 };
        let (mut yaw_rate, h) = (0.0, 0.01);
        for _ in 0..2000 {
            let SteeringCommand::Share(share) =
                steering.command([target, rate], [target, yaw_rate], h)
            else {
                panic!("tracks are steered by a share of full lock")
            };
            let turning = share - share.clamp(-0.1, 0.1);
            let curvature = 0.5 * turning.clamp(-1.0, 1.0) * geometry.max_curvature();
            yaw_rate += h / 0.3 * (curvature * target - yaw_rate);
        }
        yaw_rate
    }

    #[test]
    fn tracks_turn_at_the_commanded_rate_forward_and_backward() {
        for (target, rate) in [(3.0, 0.2), (3.0, -0.2), (-2.0, 0.1), (-2.0, -0.1)] {
            let found = settled(target, rate);
            assert!((found - rate).abs() < 0.01 * rate.abs(), "{target} m/s: {found}, not {rate}");
        }
        assert_eq!(settled(3.0, 0.0), 0.0);
    }
}
