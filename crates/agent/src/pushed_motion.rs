//! Motion of an agent's parts due to the forces of other vehicles.

use super::agent::AgentModel;
use super::any_vehicle::GroundVehicleWorkspace;
use super::hull_part::HullPart;
use super::otherwise::Otherwise;
use bekker_math::spatial::{Acceleration, Pose, Twist, Vec3, Wrench};
use bekker_vehicle::Outline;

/// Velocities that the parts of an agent would have under the forces of other vehicles only, from
/// the start of a heartbeat.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PushedMotion([Option<Gain>; 2]);

/// Velocity of a part's center of mass, m/s, and its angular velocity, rad/s.
#[derive(Clone, Copy, Debug, Default)]
struct Gain {
    linear: Vec3,
    angular: Vec3,
}

impl Gain {
    fn of(outline: &Outline, pose: &Pose, twist: &Twist) -> Gain {
        Gain { linear: twist.velocity_at(&pose.direction(&outline.com)), angular: twist.angular }
    }
}

impl PushedMotion {
    /// Starts with the present velocities.
    pub fn begun(agent: &AgentModel, body: &GroundVehicleWorkspace) -> PushedMotion {
        let mut pushed = PushedMotion::default();
        for (part, outline, pose, twist) in agent.vehicle.hull_parts(body) {
            pushed.0[part as usize] = Some(Gain::of(outline, &pose, &twist));
        }
        pushed
    }

    /// Adds the wrench of other vehicles on a part, about the origin of its frame, over `h` s.
    pub fn add(&mut self, part: HullPart, outline: &Outline, pose: &Pose, wrench: &Wrench, h: f64) {
        let Some(own) = &mut self.0[part as usize] else { return };
        let turn = pose.orientation.to_rotation_matrix();
        let inertia = turn.matrix() * outline.inertia * turn.matrix().transpose();
        let torque = wrench.torque - pose.direction(&outline.com).cross(&wrench.force);
        own.linear += wrench.force * (h / outline.mass);
        own.angular += inertia.try_inverse().map_or(Vec3::zeros(), |inverse| inverse * torque * h);
    }

    /// Returns the mean accelerations by everything else over `time` s.
    pub fn ended(&self, agent: &AgentModel, body: &GroundVehicleWorkspace, time: f64) -> Otherwise {
        let mut otherwise = Otherwise::default();
        for (part, outline, pose, twist) in agent.vehicle.hull_parts(body) {
            let Some(pushed) = &self.0[part as usize] else { continue };
            let now = Gain::of(outline, &pose, &twist);
            otherwise.0[part as usize] = Acceleration {
                linear: (now.linear - pushed.linear) / time,
                angular: (now.angular - pushed.angular) / time,
            };
        }
        otherwise
    }
}
