//! What is watched while a vehicle drives: sums for its summary, and the ways in
//! which a drive ends early.

use super::record::{Outcome, VehicleSummary};
use crate::spatial::{Pose, Vec3};
use crate::vehicle::Controls;
use crate::vehicle::driver::Intent;
use serde::{Deserialize, Serialize};

/// A vehicle that wants to move but advances less than this, m/s, on average
/// over [`STUCK_TIME`] is stuck.
const STUCK_SPEED: f64 = 0.05;
/// Time over which being stuck is judged, s.
const STUCK_TIME: f64 = 4.0;
/// Throttle from which a vehicle is taken to want to move.
const WANTS_TO_MOVE: f64 = 0.15;
/// Cosine of the tilt at which a vehicle has turned over: 80 degrees.
const OVERTURNED: f64 = 0.17;
/// Time constant over which a peak of slip must hold, s.
const PEAK_TIME: f64 = 0.1;
/// Force under the belly, N, from which a stuck vehicle is said to hang on it.
const HUNG_UP: f64 = 1000.0;
/// Slip from which a stuck vehicle is said to spin its wheels.
const SPINNING: f64 = 0.5;

/// One step's figures of a vehicle, gathered by its agent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepFigures {
    /// Mean slip of the wheels.
    pub slip: f64,
    /// Mean sinkage of the wheels, m.
    pub sinkage: f64,
    /// Deepest sinkage, m.
    pub deepest: f64,
    /// Work that sank the soil for good, J.
    pub compaction_work: f64,
    /// Energy that the driveline put into the wheels, J.
    pub wheel_energy: f64,
}

/// Running sums of a vehicle's drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Monitor {
    time: f64,
    distance: f64,
    speed: f64,
    driving_time: f64,
    slip_time: f64,
    held_slip: f64,
    peak_slip: f64,
    sinkage_time: f64,
    max_sinkage: f64,
    compaction_work: f64,
    wheel_energy: f64,
    belly_force: f64,
    slow_since: Option<f64>,
    slow_from: [f64; 2],
    last_position: [f64; 3],
}

impl Monitor {
    /// Takes in one step of `h` seconds that ended at `time`.
    pub(super) fn take(
        &mut self,
        time: f64,
        h: f64,
        velocity: &Vec3,
        controls: &Controls,
        figures: &StepFigures,
    ) {
        let speed = velocity.norm();
        self.time = time;
        self.speed = speed;
        self.distance += (velocity.x * velocity.x + velocity.y * velocity.y).sqrt() * h;
        if controls.throttle > 0.02 {
            self.driving_time += h;
            self.slip_time += figures.slip * h;
        }
        self.held_slip += (figures.slip - self.held_slip) * (h / PEAK_TIME).min(1.0);
        self.peak_slip = self.peak_slip.max(self.held_slip);
        self.sinkage_time += figures.sinkage * h;
        self.max_sinkage = self.max_sinkage.max(figures.deepest);
        self.compaction_work += figures.compaction_work;
        self.wheel_energy += figures.wheel_energy;
    }

    /// Takes in the force on the belly over a step of `h` seconds.
    pub(super) fn rest_on_belly(&mut self, force: f64, h: f64) {
        self.belly_force += (force - self.belly_force) * (h / PEAK_TIME).min(1.0);
    }

    /// Whether the drive has ended, judged at a heartbeat. `soil` names the soil
    /// under the vehicle, `inside` tells whether it is on the terrain.
    pub(super) fn judge(
        &mut self,
        time: f64,
        pose: &Pose,
        controls: &Controls,
        intent: Intent,
        inside: bool,
        soil: &str,
    ) -> Option<Outcome> {
        let position = pose.position;
        if let Some(what) = not_finite(pose, self.speed) {
            let position = Vec3::from(self.last_position);
            return Some(Outcome::NotFinite { time, position, what: what.into() });
        }
        self.last_position = position.into();
        if !inside {
            return Some(Outcome::LeftTerrain { time, position });
        }
        if pose.direction(&Vec3::z()).z < OVERTURNED {
            return Some(Outcome::Overturned { time, position });
        }
        let here = [position.x, position.y];
        let drives = controls.throttle > WANTS_TO_MOVE && controls.brake == 0.0;
        let wants = intent == Intent::Drive && drives;
        match self.slow_since {
            _ if !wants => self.slow_since = None,
            None => (self.slow_since, self.slow_from) = (Some(time), here),
            Some(since) if time - since >= STUCK_TIME => {
                let moved =
                    crate::numeric::hypot(here[0] - self.slow_from[0], here[1] - self.slow_from[1]);
                if moved < STUCK_SPEED * STUCK_TIME {
                    let why = self.why_stuck(controls);
                    let soil = soil.to_owned();
                    return Some(Outcome::Stuck { time: since, position, soil, why });
                }
                (self.slow_since, self.slow_from) = (Some(time), here);
            }
            Some(_) => {}
        }
        None
    }

    fn why_stuck(&self, controls: &Controls) -> String {
        let slip = 100.0 * self.held_slip;
        let depth = 100.0 * self.max_sinkage;
        if self.belly_force > HUNG_UP {
            let share = self.belly_force / 1000.0;
            format!(
                "hung up on its belly ({share:.1} kN), wheels {slip:.0} % slip, ruts {depth:.0} cm"
            )
        } else if self.held_slip > SPINNING {
            format!("wheels spin at {slip:.0} % slip, sunk up to {depth:.0} cm: no traction left")
        } else {
            format!(
                "wheels stand at {:.0} % throttle, sunk up to {depth:.0} cm: not enough torque",
                100.0 * controls.throttle
            )
        }
    }

    /// Distance driven, m.
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// The drive in a few figures.
    pub(super) fn summary(&self, name: &str, model: &str, outcome: Outcome) -> VehicleSummary {
        let per = |sum: f64, span: f64| if span > 0.0 { sum / span } else { 0.0 };
        VehicleSummary {
            name: name.into(),
            model: model.into(),
            distance: self.distance,
            mean_speed: per(self.distance, self.time),
            final_speed: self.speed,
            mean_slip: per(self.slip_time, self.driving_time),
            peak_slip: self.peak_slip,
            mean_sinkage: per(self.sinkage_time, self.time),
            max_sinkage: self.max_sinkage,
            motion_resistance: per(self.compaction_work, self.distance),
            wheel_energy: self.wheel_energy,
            outcome,
        }
    }
}

fn not_finite(pose: &Pose, speed: f64) -> Option<&'static str> {
    if !pose.position.iter().all(|x| x.is_finite()) {
        Some("position")
    } else if !pose.orientation.coords.iter().all(|x| x.is_finite()) {
        Some("orientation")
    } else if !speed.is_finite() {
        Some("speed")
    } else {
        None
    }
}
