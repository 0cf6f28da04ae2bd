//! Start and commands of autonomous vehicles.

use super::agent::{AgentModel, AgentState};
use super::autonomous::AutonomyState;
use super::timings::TimedPhase;
use bekker_autonomy::DrivePhase;
use bekker_math::spatial::Pose;
use bekker_vehicle::Controls;
use bekker_vehicle::driver::Intent;

impl AgentModel {
    /// Returns the initial state of the autonomous driver, if the agent has one.
    pub(super) fn start_autonomy(&self, pose: &Pose, now_us: u64) -> Option<Box<AutonomyState>> {
        self.autonomy.as_ref().map(|autonomy| Box::new(autonomy.start(pose, now_us)))
    }

    /// Returns the commands of an autonomous driver for the step of `h` s at `time` s.
    ///
    /// `articulation` is the yaw of the rear frame of an articulated vehicle, rad.
    pub(super) fn autonomous_controls(
        &self,
        state: &mut AgentState,
        articulation: Option<f64>,
        [time, h]: [f64; 2],
    ) -> Option<Controls> {
        let (autonomy, own) = self.autonomy.as_ref().zip(state.autonomy.as_mut())?;
        let controls = autonomy.stopwatch.time(TimedPhase::Tracking, || {
            autonomy.navigator.drive(&mut own.navigator, &own.plan, articulation, [time, h])
        });
        // GaveUp means stuck; planning and backing off do not. Without an order the vehicle waits
        // for one.
        state.driver.intent = match own.navigator.phase() {
            DrivePhase::Driving | DrivePhase::Backing => Intent::FindWay,
            // without a configured goal the vehicle has arrived only when the authority dismisses
            // it
            DrivePhase::Arrived if autonomy.goal.is_none() && !own.is_dismissed() => Intent::Hold,
            DrivePhase::Arrived => Intent::Arrived,
            DrivePhase::GaveUp if autonomy.goal.is_none() => Intent::Hold,
            DrivePhase::GaveUp => Intent::Drive,
        };
        Some(controls)
    }
}
