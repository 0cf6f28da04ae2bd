//! Track rig: a tracked vehicle towed at a given speed with its tracks at a given slip, or pivoting
//! in place.

use super::convergence::Rig;
use super::slip::rim_speed;
use super::tracked_drive::TrackedDrive;
use super::wheel::{RigError, flat_bed_for_steps, require, require_carried};
use bekker_agent::ContactWorkspace;
use bekker_ground::soil::{Laws, Soil};
use bekker_math::numeric::{GRAVITY, smooth_step};
use bekker_math::spatial::{Load, Twist, Vec3};
use bekker_vehicle::TrackedSpec;
use serde::{Deserialize, Serialize};

/// Time in which the vehicle settles before its tracks are driven, s.
const SETTLE: f64 = 1.0;
/// Time over which the slip ramps up, s.
const RAMP: f64 = 0.5;
/// Damping that holds the hull at its speed and on its line, N s/m, and at its heading, N m s.
const HOLD: f64 = 1e9;

/// Motion of the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackMotion {
    /// Towed straight ahead with a guide, as a hull pushed against its hold would yaw.
    Straight {
        /// Speed of the hull, m/s.
        speed: f64,
        /// Slip 1 - v / (speed of the tracks), below 1.
        slip: f64,
    },
    /// Free to yaw and to drift, with the tracks in opposite directions.
    Pivot {
        /// Speed of the right track forward and of the left one backward, m/s.
        speed: f64,
    },
}

/// A tracked vehicle on flat ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrackRig {
    /// The vehicle.
    pub vehicle: TrackedSpec,
    /// Soil of the bed.
    pub soil: Soil,
    /// Soil laws.
    pub laws: Laws,
    /// Motion of the vehicle.
    pub motion: TrackMotion,
    /// Distance between nodes, m.
    pub spacing: f64,
    /// Time step, s.
    pub step: f64,
    /// Length of the run, s.
    pub duration: f64,
    /// Fraction of the run, at its end, over which means are taken.
    pub settled: f64,
}

/// Means over the settled part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrackResult {
    /// Pull at the hull, N; zero in a pivot turn, where nothing holds it.
    pub drawbar: f64,
    /// Thrust: torque of the sprockets over their pitch radius, N.
    pub thrust: f64,
    /// Thrust minus pull, N.
    pub resistance: f64,
    /// Mean depth of the shoes under the road wheels below the undisturbed ground, m.
    pub sinkage: f64,
    /// Vertical force of the soil, N.
    pub vertical: f64,
    /// Moment of the thrusts of both tracks about the vertical axis, N m.
    pub turning_moment: f64,
    /// Yaw rate, rad/s, positive to the left.
    pub yaw_rate: f64,
    /// Pitch, rad, positive nose down.
    pub pitch: f64,
}

impl TrackRig {
    /// Creates a rig with nodes 5 cm apart, steps of 1 ms, 5 s, and means over the last 40 %.
    pub fn new(vehicle: TrackedSpec, soil: Soil, motion: TrackMotion) -> TrackRig {
        TrackRig {
            vehicle,
            soil,
            laws: Laws::reference(),
            motion,
            spacing: 0.05,
            step: 1e-3,
            duration: 5.0,
            settled: 0.4,
        }
    }

    /// Returns the weight of the vehicle, N.
    pub fn weight(&self) -> f64 {
        self.vehicle.total_mass() * GRAVITY
    }

    /// Returns the speeds of the left and the right track at a time, m/s.
    fn track_speeds(&self, time: f64) -> [f64; 2] {
        let on = smooth_step(SETTLE, SETTLE + RAMP, time);
        match self.motion {
            TrackMotion::Straight { speed, slip } => [rim_speed(speed, on * slip); 2],
            TrackMotion::Pivot { speed } => [-on * speed, on * speed],
        }
    }
}

impl Rig for TrackRig {
    type Outcome = TrackResult;

    fn run(&self) -> Result<TrackResult, RigError> {
        require("step", self.step, self.step > 0.0, "positive")?;
        let settled = self.settled;
        require("settled", settled, settled > 0.0 && settled <= 1.0, "above 0, up to 1")?;
        // the motors accelerate the tracks until the end of the ramp
        let is_settled = self.duration * (1.0 - settled) >= SETTLE + RAMP;
        let allowed = "at least 1.5 s before the settled part begins";
        require("duration", self.duration, is_settled, allowed)?;
        let start = match self.motion {
            TrackMotion::Straight { speed, slip } => {
                require("slip", slip, (-1.0..1.0).contains(&slip), "from -1 to below 1")?;
                require("speed", speed, speed > 0.0, "positive")?;
                speed
            }
            TrackMotion::Pivot { speed } => {
                require("speed", speed, true, "finite")?;
                0.0
            }
        };
        let ground = flat_bed_for_steps(&self.soil, self.laws, self.spacing, self.step)?;
        let level = TrackedDrive::level(&self.vehicle);
        let mut drive = TrackedDrive::new(self.vehicle.clone(), ground, &level, start, self.step)?;
        let steps = (self.duration / self.step).round() as u64;
        let first = (steps as f64 * (1.0 - settled)) as u64;
        let mut sum = TrackResult::default();
        for tick in 0..steps {
            drive.evaluate_contact();
            let twist = drive.on_tracks.vehicle.twist(&drive.workspace.vehicle);
            let held = match self.motion {
                TrackMotion::Straight { .. } => HOLD * (twist.linear.x - start),
                TrackMotion::Pivot { .. } => 0.0,
            };
            if let TrackMotion::Straight { .. } = self.motion {
                guide(drive.workspace.vehicle.chassis_load(), held, &twist);
            }
            drive.advance_driven(self.track_speeds(drive.time()))?;
            if tick >= first {
                self.add(&mut sum, &drive, held);
            }
        }
        let per = 1.0 / (steps - first).max(1) as f64;
        require_carried(sum.vertical * per, self.weight(), sum.sinkage * per)?;
        Ok(TrackResult {
            drawbar: sum.drawbar * per,
            thrust: sum.thrust * per,
            resistance: (sum.thrust - sum.drawbar) * per,
            sinkage: sum.sinkage * per,
            vertical: sum.vertical * per,
            turning_moment: sum.turning_moment * per,
            yaw_rate: sum.yaw_rate * per,
            pitch: sum.pitch * per,
        })
    }

    fn spacing_mut(&mut self) -> &mut f64 {
        &mut self.spacing
    }

    fn step_mut(&mut self) -> &mut f64 {
        &mut self.step
    }

    fn extend(&mut self) {
        self.duration *= 2.0;
    }

    fn metrics(&self, outcome: &TrackResult) -> Vec<(&'static str, f64)> {
        vec![
            ("drawbar", outcome.drawbar),
            ("thrust", outcome.thrust),
            ("sinkage", outcome.sinkage),
            ("turning moment", outcome.turning_moment),
        ]
    }

    /// Returns a tenth of the weight; for moments, acting over half the gauge.
    fn least_scale(&self, figure: &str) -> f64 {
        match figure {
            "drawbar" | "thrust" => 0.1 * self.weight(),
            "turning moment" => 0.05 * self.weight() * self.vehicle.gauge(),
            _ => 0.0,
        }
    }
}

/// Applies the retarding force `held` to the hull and holds its line and heading.
fn guide(load: &mut Load, held: f64, twist: &Twist) {
    load.wrench.force.x = -held;
    load.wrench.force.y = -HOLD * twist.linear.y;
    load.wrench.torque.z = -HOLD * twist.angular.z;
    for direction in [Vec3::x(), Vec3::y()] {
        load.add_tangent(&direction, &Vec3::zeros(), 0.0, HOLD);
    }
    load.damping[(2, 2)] += HOLD;
}

impl TrackRig {
    fn add(&self, sum: &mut TrackResult, drive: &TrackedDrive, held: f64) {
        let TrackedDrive { on_tracks: own, workspace: room, .. } = drive;
        let radius = self.vehicle.drive_radius();
        let [left, right] = room.vehicle.drives().map(|sprocket| sprocket.drive / radius);
        let samples = room.samples();
        let pose = own.vehicle.pose(&room.vehicle);
        sum.drawbar += held;
        sum.thrust += left + right;
        sum.turning_moment += 0.5 * self.vehicle.gauge() * (right - left);
        sum.vertical += samples.iter().map(|sample| sample.load).sum::<f64>();
        let deep: f64 = samples.iter().map(|sample| sample.sinkage).sum();
        sum.sinkage += deep / samples.len() as f64;
        sum.yaw_rate += own.vehicle.twist(&room.vehicle).angular.z;
        sum.pitch += pose.pitch();
    }
}
