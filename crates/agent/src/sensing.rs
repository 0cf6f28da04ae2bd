//! Sensors of an agent, which receive the true state after each step.

use super::agent::{AgentModel, AgentState, AgentWorkspace};
use super::ground_vehicle::{ContactWorkspace, GroundVehicle};
use bekker_math::spatial::{Pose, Twist, Vec3};
use bekker_sensor::{GroundTruth, SensorState, WheelMotion};

impl AgentModel {
    /// Starts the sensors of a vehicle that is launched at `pose` with `speed` m/s at `now_us` µs.
    pub(super) fn start_sensors(&self, pose: &Pose, speed: f64, now_us: u64) -> Vec<SensorState> {
        let twist = Twist { linear: pose.direction(&Vec3::x()) * speed, ..Twist::default() };
        let wheels = self.vehicle.wheels();
        self.sensors.iter().map(|sensor| sensor.start(pose, &twist, wheels, now_us)).collect()
    }

    /// Passes the step between two times, µs, to the sensors.
    pub(super) fn sense(
        &self,
        [before_us, now_us]: [u64; 2],
        state: &mut AgentState,
        workspace: &mut AgentWorkspace,
    ) {
        if self.sensors.is_empty() {
            return;
        }
        let AgentWorkspace { vehicle, wheels, delivered, .. } = workspace;
        wheels.clear();
        wheels.extend(vehicle.samples().iter().map(|sample| WheelMotion {
            spin: sample.spin,
            slip: sample.slip,
            sinkage: sample.sinkage,
            force: Vec3::new(sample.traction, sample.lateral, sample.load),
            area: sample.area,
        }));
        let (pose, twist) = (self.vehicle.pose(vehicle), self.vehicle.twist(vehicle));
        let gravity = self.vehicle.gravity();
        let truth = GroundTruth { pose, twist, wheels, gravity, before_us, now_us };
        for (index, (sensor, own)) in self.sensors.iter().zip(&mut state.sensors).enumerate() {
            sensor.step(index as u32, own, &truth, delivered);
        }
    }

    /// Delivers readings that were measured before the drive ended.
    pub(super) fn deliver(
        &self,
        now_us: u64,
        state: &mut AgentState,
        workspace: &mut AgentWorkspace,
    ) {
        for (sensor, own) in self.sensors.iter().zip(&mut state.sensors) {
            sensor.deliver(own, now_us, &mut workspace.delivered);
        }
    }
}
