//! Contact of an agent with barrier arms and pedestrians, which exert no force.
//!
//! The contact is reported as a collision; neither partner is moved by it.

use super::agent::AgentModel;
use super::agent_heartbeat::HeartbeatEnv;
use super::any_vehicle::GroundVehicleWorkspace;
use super::collision::{CollisionTarget, StepContact};
use super::roadside::{ARM_HEIGHT, HEIGHT, RADIUS, TrafficLight};
use bekker_math::spatial::Vec3;
use bekker_vehicle::collision::ExitRule;

/// Spacing of the points at which arms and pedestrians are tested, m.
const SPACING: f64 = 0.25;
/// Half the thickness of an arm, m.
const HALF_ARM_THICKNESS: f64 = 0.06;
/// Lift fraction below which an arm blocks vehicles.
const BLOCKING_LIFT: f64 = 0.25;

impl AgentModel {
    /// Reports contacts of the agent at a time, µs.
    pub(super) fn contact_roadside(
        &self,
        env: &HeartbeatEnv<'_>,
        body: &GroundVehicleWorkspace,
        now_us: u64,
        mut touch: impl FnMut(StepContact),
    ) {
        let terrain = env.ground.terrain();
        let height = |[x, y]: [f64; 2]| terrain.height(x, y);
        let mut report = |with: CollisionTarget, place: Option<Vec3>| {
            if let Some(place) = place {
                touch(StepContact { with, place, force: Vec3::zeros(), energy: 0.0, broke: false });
            }
        };
        for (index, light) in env.lights.iter().enumerate() {
            let down = light.lift(now_us).is_some_and(|lift| lift < BLOCKING_LIFT);
            let points = arm_points(light).filter(|_| down);
            let hinge = height(light.place) + ARM_HEIGHT;
            let points = points.map(|[x, y]| Vec3::new(x, y, hinge));
            report(
                CollisionTarget::Barrier(index as u32),
                self.first_touched(body, points, HALF_ARM_THICKNESS),
            );
        }
        for (index, own) in env.pedestrians.iter().enumerate() {
            let foot = own.pose(terrain, now_us).position;
            let count = (HEIGHT / SPACING) as u32;
            let points = (1..=count).map(|k| foot + Vec3::z() * (SPACING * f64::from(k)));
            report(
                CollisionTarget::Pedestrian(index as u32),
                self.first_touched(body, points, RADIUS),
            );
        }
    }

    /// Returns the first of the points that is within `within` m of a hull.
    fn first_touched(
        &self,
        body: &GroundVehicleWorkspace,
        mut points: impl Iterator<Item = Vec3>,
        within: f64,
    ) -> Option<Vec3> {
        points.find(|point| {
            self.vehicle.hull_parts(body).any(|(_, outline, pose, _)| {
                let near = (point - pose.position).norm() <= outline.reach + within;
                let own = pose.local_point(point);
                near && outline
                    .hulls
                    .iter()
                    .any(|hull| hull.field(&own, ExitRule::Any).distance <= within)
            })
        })
    }
}

/// Returns points along a lowered arm, if the light has an arm.
fn arm_points(light: &TrafficLight) -> impl Iterator<Item = [f64; 2]> + '_ {
    light.arm.into_iter().flat_map(move |arm| {
        let count = (arm.length / SPACING).ceil() as u32;
        let along =
            [bekker_math::numeric::cos(arm.heading), bekker_math::numeric::sin(arm.heading)];
        (0..=count).map(move |k| {
            let far = arm.length * f64::from(k) / f64::from(count.max(1));
            [0, 1].map(|axis| light.place[axis] + far * along[axis])
        })
    })
}
