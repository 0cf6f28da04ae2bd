//! Vehicles that drive themselves: their start and their commands.

use super::agent::{AgentModel, AgentState};
use super::autonomous::AutonomyState;
use super::timings::Part;
use bekker_autonomy::Phase;
use bekker_math::spatial::Pose;
use bekker_vehicle::Controls;
use bekker_vehicle::driver::Intent;

impl AgentModel {
    /// The driver of a vehicle that drives itself, as it begins.
    pub(super) fn start_autonomy(&self, pose: &Pose, now_us: u64) -> Option<Box<AutonomyState>> {
        self.autonomy.as_ref().map(|autonomy| Box::new(autonomy.start(pose, now_us)))
    }

    /// Commands of a vehicle that drives itself for the step of `h` seconds at `time`.
    pub(super) fn drive_itself(
        &self,
        state: &mut AgentState,
        time: f64,
        h: f64,
    ) -> Option<Controls> {
        let (autonomy, own) = self.autonomy.as_ref().zip(state.autonomy.as_mut())?;
        let controls = autonomy.stopwatch.time(Part::Tracking, || {
            autonomy.navigator.drive(&mut own.navigator, &own.plan, time, h)
        });
        // it is stuck once it has given up, not while it thinks or backs off; without an order it
        // waits for one
        state.driver.intent = match own.navigator.phase() {
            Phase::Driving | Phase::Backing => Intent::FindWay,
            // without a goal of its own it is there when it is told to go nowhere any more
            Phase::Arrived if autonomy.goal.is_none() && !own.is_dismissed() => Intent::Hold,
            Phase::Arrived => Intent::Arrived,
            Phase::GaveUp if autonomy.goal.is_none() => Intent::Hold,
            Phase::GaveUp => Intent::Drive,
        };
        Some(controls.clamped())
    }
}
