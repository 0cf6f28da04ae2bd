//! The whole: from readings to commands.
//!
//! Two parts. The fast one, [`NavigatorState`], feels every reading and drives each step by
//! the last [`Plan`]. The slow one, [`Memory`], thinks once a scan: it registers the scan, updates
//! costs, plans the route when that is due and the local path always. They share nothing but the
//! [`Look`] that goes one way and the plan that comes back, so the slow one may run beside the
//! dynamics.

mod thinking;

#[cfg(test)]
mod tests;

pub use thinking::{Look, Memory, RouteModel};

use super::body::Body;
use super::costs::{CostModel, Mark};
use super::elevation_map::MapModel;
use super::localisation::{Estimate, Localiser, LocaliserState, PoseTrack, Role};
use super::obstacles::ObstacleModel;
use super::plan::Plan;
use super::recovery::{NEAR, RecoveryModel, RecoveryState, Waypoint};
use super::smoothing::Smoothing;
use super::spline::SplineModel;
use super::tracking::{Going, Tracking, TrackingState};
use bekker_ground::terrain::Gaps;
use bekker_math::numeric::hypot;
use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::Reading;
use bekker_vehicle::Controls;
use bekker_vehicle::driver::{Path, Place};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A vehicle's driver; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Navigator {
    /// The vehicle.
    pub body: Body,
    /// The lidar's frame in the chassis frame.
    pub lidar: Pose,
    /// Where it is to go, one after the other, m.
    pub goals: Vec<[f64; 2]>,
    /// How near to a goal it has arrived, m.
    pub arrival: f64,
    /// Rectangle out of which it must not plan, m, if any: corners of least and greatest
    /// coordinates.
    pub bounds: Option<[[f64; 2]; 2]>,
    /// Ground without elevation data, over which it must not plan, if any.
    pub gaps: Option<Arc<Gaps>>,
    /// By what it knows where it is.
    pub localiser: Localiser,
    /// How scans become a map.
    pub map: MapModel,
    /// By what obstacles are told.
    pub obstacles: ObstacleModel,
    /// What raises the cost of ground.
    pub costs: CostModel,
    /// How routes are planned.
    pub route: RouteModel,
    /// How they are smoothed.
    pub smoothing: Smoothing,
    /// How local paths are made.
    pub spline: SplineModel,
    /// How plans are tracked.
    pub tracking: Tracking,
    /// What to do when stuck.
    pub recovery: RecoveryModel,
}

/// What a vehicle that drives itself is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// On its way.
    #[default]
    Driving,
    /// Backs off from where it did not get on.
    Backing,
    /// Stands at its last goal.
    Arrived,
    /// Stands, having tried often enough.
    GaveUp,
}

/// What the fast part remembers; plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NavigatorState {
    localiser: LocaliserState,
    tracking: TrackingState,
    recovery: RecoveryState,
    phase: Phase,
    goals: Vec<[f64; 2]>,
    /// How many of the goals are behind it.
    reached: usize,
    /// Time of the plan that is being followed, s.
    followed: f64,
    marks: Vec<Mark>,
}

impl NavigatorState {
    /// What is believed of the own motion.
    pub fn estimate(&self) -> &Estimate {
        self.localiser.estimate()
    }

    /// Where the vehicle was.
    pub fn track(&self) -> &PoseTrack {
        self.localiser.track()
    }

    /// The localiser's state.
    pub fn localiser(&self) -> &LocaliserState {
        &self.localiser
    }

    /// What it is about.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Speed that it wants, m/s, negative backward.
    pub fn wanted(&self) -> f64 {
        self.tracking.wanted
    }

    /// The goal that it is on its way to, m, if any.
    pub fn goal(&self) -> Option<[f64; 2]> {
        self.goals.get(self.reached).copied()
    }

    /// How many goals it has reached.
    pub fn reached(&self) -> usize {
        self.reached
    }

    /// Gives it other goals, m; it is on its way again if there are any.
    pub fn set_goals(&mut self, goals: Vec<[f64; 2]>) {
        self.phase = if goals.is_empty() { Phase::Arrived } else { Phase::Driving };
        self.recovery.attempts = 0;
        (self.goals, self.reached) = (goals, 0);
    }

    /// Places that it has found dear.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }
}

/// Where a vehicle heads in the plane.
fn heading(pose: &Pose) -> [f64; 2] {
    let ahead = pose.direction(&Vec3::x());
    [ahead.x, ahead.y]
}

impl Navigator {
    /// The fast state of a vehicle that stands at `pose` at `time`, s.
    pub fn start(&self, pose: &Pose, time: f64) -> NavigatorState {
        let speed = self.tracking.speed_control.start();
        NavigatorState {
            localiser: self.localiser.start(pose, time),
            tracking: TrackingState { speed, ..TrackingState::default() },
            recovery: self.recovery.start(self.body.geometry.rear(pose), heading(pose)),
            phase: if self.goals.is_empty() { Phase::Arrived } else { Phase::Driving },
            goals: self.goals.clone(),
            reached: 0,
            followed: f64::NEG_INFINITY,
            marks: Vec::new(),
        }
    }

    /// Feels a reading that was taken at `taken`, s: where the vehicle is, and how the ground
    /// carries it.
    pub fn feel(&self, state: &mut NavigatorState, role: Role, taken: f64, reading: &Reading) {
        self.localiser.feel(&mut state.localiser, role, taken, reading);
        if let (Role::Ground, Reading::Ground(wheels)) = (role, reading) {
            let count = wheels.len().max(1) as f64;
            let slip = wheels.iter().map(|wheel| wheel.slip.abs()).sum::<f64>() / count;
            let sinkage = wheels.iter().map(|wheel| wheel.sinkage.max(0.0)).sum::<f64>() / count;
            self.mark_felt(state, self.costs.slip * slip + self.costs.sinkage * sinkage);
        }
    }

    /// Leaves a mark where the ground is dear, one in a while of way.
    fn mark_felt(&self, state: &mut NavigatorState, cost: f64) {
        let radius = self.costs.felt_radius;
        let place = self.rear(state);
        let is_near = |mark: &Mark| {
            let away = hypot(mark.place[0] - place[0], mark.place[1] - place[1]);
            away < 0.5 * radius && mark.cost >= 0.8 * cost
        };
        if cost > 0.05 && !state.marks.iter().rev().take(8).any(is_near) {
            state.marks.push(Mark { place, radius, cost });
        }
    }

    fn rear(&self, state: &NavigatorState) -> [f64; 2] {
        self.body.geometry.rear(&state.estimate().pose)
    }

    /// The way of its rear axle back from where it is, m: as far as it backs off at first.
    pub fn way_back(&self, state: &NavigatorState) -> Vec<Waypoint> {
        let gone = state.tracking.place.station;
        state.recovery.way_back(self.rear(state), gone, self.recovery.distance)
    }

    /// Commands for the next `h` seconds by the last plan and what is believed now.
    pub fn drive(&self, state: &mut NavigatorState, plan: &Plan, time: f64, h: f64) -> Controls {
        let estimate = state.estimate().at(time);
        let going =
            Going { body: &self.body, pose: estimate.pose, speed: estimate.speed(), step: h };
        self.arrive(state, plan, &going);
        let tracking = &self.tracking;
        match state.phase {
            Phase::Arrived | Phase::GaveUp => tracking.stand(&mut state.tracking, &going),
            Phase::Backing => self.back(state, plan, &going),
            Phase::Driving => self.go(state, plan, &going),
        }
    }

    fn arrive(&self, state: &mut NavigatorState, plan: &Plan, going: &Going<'_>) {
        let at = going.pose.position;
        while let (Phase::Driving | Phase::Backing, Some(goal)) = (state.phase, state.goal()) {
            let widened = if plan.goal == Some(goal) { plan.near_enough } else { 0.0 };
            if hypot(goal[0] - at.x, goal[1] - at.y) > self.arrival.max(widened) {
                return;
            }
            state.reached += 1;
            if state.reached == state.goals.len() {
                state.phase = Phase::Arrived;
            }
        }
    }

    fn go(&self, state: &mut NavigatorState, plan: &Plan, going: &Going<'_>) -> Controls {
        let rear = self.body.geometry.rear(&going.pose);
        let heading = heading(&going.pose);
        self.recovery.drive_on(&mut state.recovery, rear);
        if plan.time != state.followed {
            state.followed = plan.time;
            state.tracking.place = Place::default();
        }
        // a plan for the goal before is followed until there is one for the next
        let controls = self.tracking.follow(&mut state.tracking, plan, going);
        // one that waits for another does not want to move
        let waits = plan.path.is_some() && plan.speeds.first() == Some(&0.0);
        let intent = [plan.goal.is_some() && !waits, plan.path.is_some()];
        if self.recovery.is_stuck(&mut state.recovery, intent, going.speed, going.step) {
            let front = self.body.footprint.front - self.body.geometry.rear_axle;
            let here = (rear, heading);
            let arc = (plan.back.as_slice(), plan.is_behind);
            match self.recovery.back_off(&mut state.recovery, here, arc, front + 1.0) {
                Some(mark) => {
                    state.marks.push(mark);
                    state.tracking.place = Place::default();
                    if state.recovery.backing.is_some() {
                        state.phase = Phase::Backing;
                    }
                }
                None => state.phase = Phase::GaveUp,
            }
        }
        controls
    }

    fn back(&self, state: &mut NavigatorState, plan: &Plan, going: &Going<'_>) -> Controls {
        let done = |controls, state: &mut NavigatorState| {
            self.recovery.stop_backing(&mut state.recovery, state.tracking.place.station);
            state.tracking.place = Place::default();
            state.phase = Phase::Driving;
            controls
        };
        let Some((way, since)) = &mut state.recovery.backing else {
            return done(self.tracking.stand(&mut state.tracking, going), state);
        };
        *since += going.step;
        let places: Vec<[f64; 2]> = way.iter().map(|place| place.at).collect();
        let (since, way) = (*since, Path::polyline(&places));
        let late = self.recovery.is_late(&state.recovery, since);
        let Ok(path) = way else {
            return done(self.tracking.stand(&mut state.tracking, going), state);
        };
        let controls = self.tracking.back(&mut state.tracking, &path, plan.behind, going);
        if self.recovery.is_stuck(&mut state.recovery, [true; 2], going.speed, going.step) {
            self.recovery.forget_the_way_back(&mut state.recovery);
            return done(controls, state);
        }
        let left = (path.length() - state.tracking.place.station).min(plan.behind);
        if late || left < NEAR { done(controls, state) } else { controls }
    }
}
