//! Motion of an agent's parts due to the forces of other vehicles.

use super::agent::AgentModel;
use super::any_vehicle::GroundVehicleWorkspace;
use super::external_acceleration::ExternalAcceleration;
use super::hull_part::HullPart;
use bekker_math::spatial::{Acceleration, Pose, Twist, Vec3, Wrench};
use bekker_vehicle::VehicleOutline;

/// Velocities that the parts of an agent would have under the forces of other vehicles only, from
/// the start of a heartbeat.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CollisionMotion([Option<PartVelocity>; 2]);

/// Velocity of a part's center of mass, m/s, and its angular velocity, rad/s.
#[derive(Clone, Copy, Debug, Default)]
struct PartVelocity {
    linear: Vec3,
    angular: Vec3,
}

impl PartVelocity {
    fn new(outline: &VehicleOutline, pose: &Pose, twist: &Twist) -> PartVelocity {
        PartVelocity {
            linear: twist.velocity_at(&pose.direction(&outline.com)),
            angular: twist.angular,
        }
    }
}

impl CollisionMotion {
    /// Starts with the present velocities.
    pub fn start(agent: &AgentModel, body: &GroundVehicleWorkspace) -> CollisionMotion {
        let mut collision_motion = CollisionMotion::default();
        for (part, outline, pose, twist) in agent.vehicle.hull_parts(body) {
            collision_motion.0[part as usize] = Some(PartVelocity::new(outline, &pose, &twist));
        }
        collision_motion
    }

    /// Adds the wrench of other vehicles on a part, about the origin of its frame, over `h` s.
    pub fn add(
        &mut self,
        part: HullPart,
        outline: &VehicleOutline,
        pose: &Pose,
        wrench: &Wrench,
        h: f64,
    ) {
        let Some(own) = &mut self.0[part as usize] else { return };
        let turn = pose.orientation.to_rotation_matrix();
        let inertia = turn.matrix() * outline.inertia * turn.matrix().transpose();
        let torque = wrench.torque - pose.direction(&outline.com).cross(&wrench.force);
        own.linear += wrench.force * (h / outline.mass);
        own.angular += inertia.try_inverse().map_or(Vec3::zeros(), |inverse| inverse * torque * h);
    }

    /// Returns the mean accelerations by everything else over `time` s.
    pub fn finish(
        &self,
        agent: &AgentModel,
        body: &GroundVehicleWorkspace,
        time: f64,
    ) -> ExternalAcceleration {
        let mut external_acceleration = ExternalAcceleration::default();
        for (part, outline, pose, twist) in agent.vehicle.hull_parts(body) {
            let Some(collision_motion) = &self.0[part as usize] else { continue };
            let now = PartVelocity::new(outline, &pose, &twist);
            external_acceleration.0[part as usize] = Acceleration {
                linear: (now.linear - collision_motion.linear) / time,
                angular: (now.angular - collision_motion.angular) / time,
            };
        }
        external_acceleration
    }
}
