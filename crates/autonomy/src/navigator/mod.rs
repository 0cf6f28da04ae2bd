//! The complete driver: from readings to commands.
//!
//! It has two parts. The fast part, [`NavigatorState`], takes every reading and computes commands
//! each step from the last [`LocalPlan`]. The slow part, [`PlannerState`], runs once per scan: it registers
//! the scan, updates the costs, plans the route when that is due, and always plans the local path.
//!
//! They exchange only the [`PlanInput`] in one direction and the plan in the other. The slow part may
//! therefore run in parallel with the dynamics.

mod planning;

#[cfg(test)]
mod tests;

pub use planning::{PlanInput, PlannerState, RouteModel};

use super::body::VehicleGeometry;
use super::costs::{CostModel, CostPenalty};
use super::elevation_map::MapModel;
use super::localization::{Localizer, LocalizerState, MotionEstimate, PoseTrack, SensorRole};
use super::obstacles::ObstacleModel;
use super::plan::LocalPlan;
use super::recovery::{FreeArc, NEAR, RecoveryModel, RecoveryState, Waypoint};
use super::smoothing::SmoothingModel;
use super::spline::SplineModel;
use super::tracking::{TrackingInput, TrackingModel, TrackingState};
use bekker_ground::terrain::Gaps;
use bekker_math::numeric::hypot;
use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::Reading;
use bekker_vehicle::Controls;
use bekker_vehicle::driver::{Path, PathPosition};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Model of an autonomous driver; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Navigator {
    /// Geometry of the vehicle.
    pub body: VehicleGeometry,
    /// The lidar's frame in the chassis frame.
    pub lidar: Pose,
    /// Goals in the order in which the vehicle visits them, m.
    pub goals: Vec<[f64; 2]>,
    /// Distance to a goal at which the vehicle has arrived, m.
    pub arrival: f64,
    /// Rectangle outside which no path may lead, if any: minimum and maximum corners, m.
    pub bounds: Option<[[f64; 2]; 2]>,
    /// Ground without elevation data, over which no path may lead, if any.
    pub gaps: Option<Arc<Gaps>>,
    /// Model of the localization.
    pub localizer: Localizer,
    /// Model of the elevation map.
    pub map: MapModel,
    /// Model that classifies cells.
    pub obstacles: ObstacleModel,
    /// Weights of the costs.
    pub costs: CostModel,
    /// Parameters of route planning.
    pub route: RouteModel,
    /// Parameters of route smoothing.
    pub smoothing: SmoothingModel,
    /// Parameters of local paths.
    pub spline: SplineModel,
    /// Parameters of plan tracking.
    pub tracking: TrackingModel,
    /// Parameters of recovery from being stuck.
    pub recovery: RecoveryModel,
}

/// State of an autonomous drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DrivePhase {
    /// Driving to its goal.
    #[default]
    Driving,
    /// Backing off after being stuck.
    Backing,
    /// Stopped at its last goal.
    Arrived,
    /// Stopped after the maximum number of recovery attempts.
    GaveUp,
}

/// State of the fast part; plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NavigatorState {
    localizer: LocalizerState,
    tracking: TrackingState,
    recovery: RecoveryState,
    phase: DrivePhase,
    goals: Vec<[f64; 2]>,
    /// Number of goals reached.
    reached: usize,
    /// Time of the plan that is being followed, s.
    followed: f64,
    marks: Vec<CostPenalty>,
}

impl NavigatorState {
    /// Estimated motion of the vehicle.
    pub fn estimate(&self) -> &MotionEstimate {
        self.localizer.estimate()
    }

    /// Recent poses of the vehicle.
    pub fn track(&self) -> &PoseTrack {
        self.localizer.track()
    }

    /// State of the localizer.
    pub fn localizer(&self) -> &LocalizerState {
        &self.localizer
    }

    /// Phase of the drive.
    pub fn phase(&self) -> DrivePhase {
        self.phase
    }

    /// Target speed, m/s, negative backward.
    pub fn target_speed(&self) -> f64 {
        self.tracking.wanted
    }

    /// Current goal, m, if any.
    pub fn goal(&self) -> Option<[f64; 2]> {
        self.goals.get(self.reached).copied()
    }

    /// Number of goals reached.
    pub fn reached(&self) -> usize {
        self.reached
    }

    /// Replaces the goals, m, and resumes driving if there are any.
    pub fn set_goals(&mut self, goals: Vec<[f64; 2]>) {
        self.phase = if goals.is_empty() { DrivePhase::Arrived } else { DrivePhase::Driving };
        self.recovery.attempts = 0;
        (self.goals, self.reached) = (goals, 0);
    }

    /// Ground that turned out to be expensive.
    pub fn marks(&self) -> &[CostPenalty] {
        &self.marks
    }
}

/// Horizontal components of the chassis x axis.
fn heading(pose: &Pose) -> [f64; 2] {
    let ahead = pose.direction(&Vec3::x());
    [ahead.x, ahead.y]
}

impl Navigator {
    /// Returns the fast state of a vehicle at rest at `pose` at `time`, s.
    pub fn start(&self, pose: &Pose, time: f64) -> NavigatorState {
        let speed = self.tracking.speed_control.start();
        NavigatorState {
            localizer: self.localizer.start(pose, time),
            tracking: TrackingState { speed, ..TrackingState::default() },
            recovery: self.recovery.start(self.reversing_point(pose, Some(0.0)), heading(pose)),
            phase: if self.goals.is_empty() { DrivePhase::Arrived } else { DrivePhase::Driving },
            goals: self.goals.clone(),
            reached: 0,
            followed: f64::NEG_INFINITY,
            marks: Vec::new(),
        }
    }

    /// Takes a reading that was measured at `taken`, s.
    ///
    /// It updates the estimated motion and, from wheel readings, the marks of soft or slippery
    /// ground.
    pub fn add_reading(
        &self,
        state: &mut NavigatorState,
        role: SensorRole,
        taken: f64,
        reading: &Reading,
    ) {
        self.localizer.add_reading(&mut state.localizer, role, taken, reading);
        if let (SensorRole::Ground, Reading::Ground(wheels)) = (role, reading) {
            let count = wheels.len().max(1) as f64;
            let slip = wheels.iter().map(|wheel| wheel.slip.abs()).sum::<f64>() / count;
            let sinkage = wheels.iter().map(|wheel| wheel.sinkage.max(0.0)).sum::<f64>() / count;
            self.add_penalty(state, self.costs.slip * slip + self.costs.sinkage * sinkage);
        }
    }

    /// Adds a mark where the ground is expensive.
    ///
    /// It skips the mark if one of the last eight is closer than half its radius and costs at least
    /// 80 % as much.
    fn add_penalty(&self, state: &mut NavigatorState, cost: f64) {
        let radius = self.costs.felt_radius;
        let place = self.rear(state);
        let is_near = |mark: &CostPenalty| {
            let away = hypot(mark.place[0] - place[0], mark.place[1] - place[1]);
            away < 0.5 * radius && mark.cost >= 0.8 * cost
        };
        if cost > 0.05 && !state.marks.iter().rev().take(8).any(is_near) {
            state.marks.push(CostPenalty { place, radius, cost });
        }
    }

    fn rear(&self, state: &NavigatorState) -> [f64; 2] {
        self.body.geometry.rear(&state.estimate().pose)
    }

    /// Axle that leads in reverse, m: of an articulated vehicle whose rear frame has this yaw, rad,
    /// that of the rear frame.
    fn reversing_point(&self, pose: &Pose, articulation: Option<f64>) -> [f64; 2] {
        self.body.geometry.reversing_point(pose, articulation).0
    }

    /// Path of the axle that leads in reverse back from its current position, m, as long as the
    /// first attempt backs off.
    pub fn path_back(&self, state: &NavigatorState, articulation: Option<f64>) -> Vec<Waypoint> {
        let gone = state.tracking.place.station;
        let leading = self.reversing_point(&state.estimate().pose, articulation);
        state.recovery.path_back(leading, gone, self.recovery.distance)
    }

    /// Returns the commands for the next `h` seconds from the last plan and the current estimate.
    ///
    /// `articulation` is the measured yaw of the rear frame of an articulated vehicle, rad.
    pub fn drive(
        &self,
        state: &mut NavigatorState,
        plan: &LocalPlan,
        articulation: Option<f64>,
        [time, h]: [f64; 2],
    ) -> Controls {
        let estimate = state.estimate().extrapolated(time);
        let going = TrackingInput {
            body: &self.body,
            pose: estimate.pose,
            speed: estimate.speed(),
            articulation,
            step: h,
        };
        self.arrive(state, plan, &going);
        let tracking = &self.tracking;
        match state.phase {
            DrivePhase::Arrived | DrivePhase::GaveUp => tracking.stop(&mut state.tracking, &going),
            DrivePhase::Backing => self.back_up(state, plan, &going),
            DrivePhase::Driving => self.follow_plan(state, plan, &going),
        }
    }

    fn arrive(&self, state: &mut NavigatorState, plan: &LocalPlan, going: &TrackingInput<'_>) {
        let at = going.pose.position;
        while let (DrivePhase::Driving | DrivePhase::Backing, Some(goal)) =
            (state.phase, state.goal())
        {
            let widened = if plan.goal == Some(goal) { plan.near_enough } else { 0.0 };
            if hypot(goal[0] - at.x, goal[1] - at.y) > self.arrival.max(widened) {
                return;
            }
            state.reached += 1;
            if state.reached == state.goals.len() {
                state.phase = DrivePhase::Arrived;
            }
        }
    }

    fn follow_plan(
        &self,
        state: &mut NavigatorState,
        plan: &LocalPlan,
        going: &TrackingInput<'_>,
    ) -> Controls {
        let leading = self.reversing_point(&going.pose, going.articulation);
        self.recovery.record_position(&mut state.recovery, leading);
        if plan.time != state.followed {
            state.followed = plan.time;
            state.tracking.place = PathPosition::default();
        }
        // the plan for the previous goal is followed until there is one for the next goal
        let controls = self.tracking.follow(&mut state.tracking, plan, going);
        // a vehicle that waits for another is not stuck
        let waits = plan.path.is_some() && plan.speeds.first() == Some(&0.0);
        let intent = [plan.goal.is_some() && !waits, plan.path.is_some()];
        if self.recovery.is_stuck(&mut state.recovery, intent, going.speed, going.step) {
            let ahead = self.body.footprint.front - self.body.geometry.rear_axle + 1.0;
            let (rear, heading) = (self.body.geometry.rear(&going.pose), heading(&going.pose));
            let place = [0, 1].map(|axis| rear[axis] + heading[axis] * ahead);
            let arc = FreeArc { arc: &plan.back, is_behind: plan.is_behind };
            match self.recovery.start_backing(&mut state.recovery, leading, arc, place) {
                Some(mark) => {
                    state.marks.push(mark);
                    state.tracking.place = PathPosition::default();
                    if state.recovery.backing.is_some() {
                        state.phase = DrivePhase::Backing;
                    }
                }
                None => state.phase = DrivePhase::GaveUp,
            }
        }
        controls
    }

    fn back_up(
        &self,
        state: &mut NavigatorState,
        plan: &LocalPlan,
        going: &TrackingInput<'_>,
    ) -> Controls {
        let done = |controls, state: &mut NavigatorState| {
            self.recovery.stop_backing(&mut state.recovery, state.tracking.place.station);
            state.tracking.place = PathPosition::default();
            state.phase = DrivePhase::Driving;
            controls
        };
        let Some((way, since)) = &mut state.recovery.backing else {
            return done(self.tracking.stop(&mut state.tracking, going), state);
        };
        *since += going.step;
        let places: Vec<[f64; 2]> = way.iter().map(|place| place.at).collect();
        let (since, way) = (*since, Path::polyline(&places));
        let late = self.recovery.has_timed_out(&state.recovery, since);
        let Ok(path) = way else {
            return done(self.tracking.stop(&mut state.tracking, going), state);
        };
        let controls =
            self.tracking.follow_backward(&mut state.tracking, &path, plan.behind, going);
        if self.recovery.is_stuck(&mut state.recovery, [true; 2], going.speed, going.step) {
            self.recovery.clear_path_back(&mut state.recovery);
            return done(controls, state);
        }
        let left = (path.length() - state.tracking.place.station).min(plan.behind);
        if late || left < NEAR { done(controls, state) } else { controls }
    }
}
