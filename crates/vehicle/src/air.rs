//! Air drag: ½ ρ c_d A v², against the motion, at the center of mass of a sprung body.
//!
//! The air is still and of standard density. Lift, side force and the moment of a crosswind are
//! neglected.

use super::spec::Chassis;
use bekker_math::spatial::{Pose, Twist, Vec3, Wrench};

/// Density of air, kg/m³: the standard atmosphere at sea level, 15 °C (ISO 2533).
pub const AIR_DENSITY: f64 = 1.225;

/// Returns the air drag against the motion, N, of a drag area, m², at a speed, m/s.
pub fn air_drag(area: f64, speed: f64) -> f64 {
    0.5 * AIR_DENSITY * area * speed * speed
}

/// Drag on a body about its frame's origin, world axes; `None` if its file gives no drag area.
pub(super) fn drag(chassis: &Chassis, pose: &Pose, twist: &Twist) -> Option<Wrench> {
    let area = chassis.drag_area?;
    let arm = pose.orientation * Vec3::from(chassis.com);
    let velocity = twist.linear + twist.angular.cross(&arm);
    let force = velocity * (-0.5 * AIR_DENSITY * area * velocity.norm());
    Some(Wrench { torque: arm.cross(&force), force })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnySpec, find_vehicle};

    /// 0.5 x 1.225 x 2 m² x (20 m/s)² = 490 N backward at the center of mass.
    #[test]
    fn drag_acts_against_the_motion_at_the_center_of_mass() {
        let AnySpec::Wheeled(mut spec) = find_vehicle("hmmwv").unwrap() else { unreachable!() };
        let twist = Twist { linear: Vec3::x() * 20.0, ..Twist::default() };
        assert_eq!(drag(&spec.chassis, &Pose::default(), &twist), None);
        spec.chassis.drag_area = Some(2.0);
        let found = drag(&spec.chassis, &Pose::default(), &twist).unwrap();
        assert!((found.force - Vec3::x() * -490.0).norm() < 1e-9, "{found:?}");
        assert!((found.torque.y - spec.chassis.com[2] * -490.0).abs() < 1e-9, "{found:?}");
        assert_eq!(air_drag(2.0, 20.0), 490.0);
        let falls = Twist { linear: Vec3::z() * -30.0, ..Twist::default() };
        let up = drag(&spec.chassis, &Pose::default(), &falls).unwrap().force;
        assert!((up - Vec3::z() * air_drag(2.0, 30.0)).norm() < 1e-9);
    }
}
